//! `depth_clamp` without clipping by the near and far planes: the depths that buffers receive.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Cap, CompareFunc, DepthStencilAlphaState, FlushFlags, PrimType, RasterizerState, Screen as _,
    ViewportState,
};

in_all_profiles! {
    clamping_and_clipping_are_apart
    offset_comes_before_clamping
    written_depths_are_clamped
    each_viewport_clamps_to_its_range
    shaders_read_depths_before_clamping
}

/// Depths at near and far: forwards, backwards, the whole range.
const RANGES: [[f32; 2]; 4] = [[0.0, 1.0], [0.375, 0.625], [0.75, 0.25], [1.0, 0.0]];
const CLEARED: f64 = 0.3125;
const FORMATS: [(Format, f64); 4] = [
    (Format::Z32Float, 1e-6),
    (Format::Z32Unorm, 1e-6),
    (Format::Z24UnormS8Uint, 1e-6),
    (Format::Z16Unorm, 2e-5),
];

/// Returns a viewport over `size` × `size` pixels that maps clip z of -1 (0 with `halfz`) and 1 to
/// these depths.
fn viewport(size: u32, [near, far]: [f32; 2], halfz: bool) -> ViewportState {
    let mut viewport = ViewportState::y_down(size, size);
    (viewport.scale[2], viewport.translate[2]) =
        if halfz { (far - near, near) } else { ((far - near) / 2.0, (far + near) / 2.0) };
    viewport
}

fn setup<'s, 'm, P: Profile>(screen: &'s Screen<'m, P>, depth: Format) -> Setup<'s, 'm> {
    let options = Options { width: 8, height: 8, depth: Some(depth), ..Options::default() };
    let mut setup = Setup::new(screen, options).unwrap();
    setup
        .depth_test(&DepthStencilAlphaState {
            depth_enabled: true,
            depth_writemask: true,
            depth_func: CompareFunc::Always,
            ..Default::default()
        })
        .unwrap();
    setup
}

/// Returns the stored depth of pixel (x, y).
fn stored(setup: &mut Setup<'_, '_>, x: usize, y: usize) -> f64 {
    setup.context.flush(FlushFlags::empty()).unwrap();
    let depth = setup.depth.unwrap();
    let bytes = setup.read(depth).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[4 * at..4 * at + 4].try_into().unwrap());
    let at = 8 * y + x;
    match setup.options.depth.unwrap() {
        Format::Z16Unorm => {
            f64::from(u16::from_le_bytes(bytes[2 * at..2 * at + 2].try_into().unwrap())) / 65535.0
        }
        Format::Z24UnormS8Uint => f64::from(word(at) & 0xff_ffff) / f64::from(0xff_ffff),
        Format::Z32Unorm => f64::from(word(at)) / f64::from(u32::MAX),
        _ => f32::from_bits(word(at)).into(),
    }
}

/// Returns a primitive over pixel (4, 4) with one clip z for all vertices.
fn primitive(mode: PrimType, z: f32) -> Vec<Vertex> {
    let middle = 0.125;
    let places: &[[f32; 2]] = match mode {
        PrimType::Points => &[[middle, middle]],
        PrimType::Lines => &[[-1.0, middle], [1.0, middle]],
        _ => &[[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]],
    };
    places.iter().map(|&[x, y]| vertex(x, y, z, WHITE)).collect()
}

/// Manual, "Rasterizer", `depth_clip`: clipping by a plane and clamping per pixel; screen.rst,
/// `PIPE_CAP_DEPTH_CLAMP_ENABLE`: "separately from depth clipping". A buffer holds 0 to 1.
fn clamping_and_clipping_are_apart<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::DepthClampEnable), 1);
    let mut setup = setup(&screen, Format::Z32Float);
    let flags = |bits: u32| [0, 1, 2, 3].map(|bit| bits >> bit & 1 != 0);
    for mode in [PrimType::Points, PrimType::Lines, PrimType::Triangles] {
        for z in [-100.0f32, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.5, 100.0] {
            let vertices = primitive(mode, z);
            setup.upload(&screen, &vertices).unwrap();
            for (range, bits) in RANGES.into_iter().flat_map(|r| (0..16).map(move |bits| (r, bits)))
            {
                let [depth_clip_near, depth_clip_far, depth_clamp, clip_halfz] = flags(bits);
                let state = RasterizerState {
                    depth_clip_near,
                    depth_clip_far,
                    depth_clamp,
                    clip_halfz,
                    ..rasterizer()
                };
                setup.rasterizer(&state).unwrap();
                let view = viewport(8, range, clip_halfz);
                setup.context.set_viewport_states(0, &[view]).unwrap();
                setup.clear(BLACK, CLEARED).unwrap();
                setup.draw(mode, vertices.len() as u32).unwrap();
                let nearest = if clip_halfz { 0.0 } else { -1.0 };
                let window = f64::from(view.translate[2]) + f64::from(z) * f64::from(view.scale[2]);
                let [low, high] = if depth_clamp { range.map(f64::from) } else { [0.0, 1.0] };
                let clipped = depth_clip_near && z < nearest || depth_clip_far && z > 1.0;
                let wanted = match clipped {
                    true => CLEARED,
                    false => window.clamp(low.min(high), high.max(low)),
                };
                let got = stored(&mut setup, 4, 4);
                assert!(
                    (got - wanted).abs() < 1e-6,
                    "{mode:?} z {z} range {range:?} near {depth_clip_near} far {depth_clip_far} clamp \
                     {depth_clamp} halfz {clip_halfz}: {got}, not {wanted}; {}",
                    P::NAME
                );
            }
        }
    }
}

/// Manual, `depth_clip`: "clamped at the per-pixel level, after polygon offset has been applied".
#[cfg(feature = "es2")]
fn offset_comes_before_clamping<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen, Format::Z32Float);
    setup.upload(&screen, &primitive(PrimType::Triangles, 0.5)).unwrap();
    for (range, depth) in [([0.375f32, 0.625], 0.5625), ([0.75, 0.25], 0.375)] {
        setup.context.set_viewport_states(0, &[viewport(8, range, false)]).unwrap();
        for clip in [true, false] {
            for depth_clamp in [true, false] {
                for offset in [-0.75f32, -0.25, 0.03125, 0.25, 0.75] {
                    let state = RasterizerState {
                        depth_clip_near: clip,
                        depth_clip_far: clip,
                        depth_clamp,
                        offset_tri: true,
                        offset_units_unscaled: true,
                        offset_units: offset,
                        ..rasterizer()
                    };
                    setup.rasterizer(&state).unwrap();
                    setup.clear(BLACK, CLEARED).unwrap();
                    setup.draw(PrimType::Triangles, 3).unwrap();
                    let [a, b] = if depth_clamp { range.map(f64::from) } else { [0.0, 1.0] };
                    let wanted = (depth + f64::from(offset)).clamp(a.min(b), a.max(b));
                    let got = stored(&mut setup, 4, 4);
                    assert!(
                        (got - wanted).abs() < 1e-6,
                        "range {range:?} clip {clip} clamp {depth_clamp} offset {offset}: {got}, not \
                         {wanted}; {}",
                        P::NAME
                    );
                }
            }
        }
    }
}
#[cfg(not(feature = "es2"))]
fn offset_comes_before_clamping<P: Profile>() {}

/// Writes the depth in the first constant.
const EXPORT: &str = "FRAG
DCL CONST[0]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
MOV OUT[0].z, CONST[0].xxxx
MOV OUT[1], CONST[0]
END";

/// OpenGL 4.6, section 17.3.4: depth clamping applies to the fragment's depth from any source.
/// Section 15.2.3: a depth that the program writes is clamped to 0 to 1, also for float buffers.
fn written_depths_are_clamped<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for (format, tolerance) in FORMATS {
        let mut setup = setup(&screen, format);
        setup.shaders(PASS, EXPORT).unwrap();
        for mode in [PrimType::Points, PrimType::Triangles] {
            let vertices = primitive(mode, 0.0);
            setup.upload(&screen, &vertices).unwrap();
            for (range, depth) in RANGES
                .into_iter()
                .flat_map(|r| [-1.0f32, 0.0, 0.1, 0.5, 0.9, 1.0, 3.0].map(|depth| (r, depth)))
            {
                setup.constants(pipe_core::ShaderType::Fragment, &[depth; 4]).unwrap();
                setup.context.set_viewport_states(0, &[viewport(8, range, false)]).unwrap();
                for (clip, depth_clamp) in
                    [(true, true), (true, false), (false, true), (false, false)]
                {
                    let state = RasterizerState {
                        depth_clip_near: clip,
                        depth_clip_far: clip,
                        depth_clamp,
                        ..rasterizer()
                    };
                    setup.rasterizer(&state).unwrap();
                    setup.clear(BLACK, CLEARED).unwrap();
                    setup.draw(mode, vertices.len() as u32).unwrap();
                    let [a, b] = if depth_clamp { range.map(f64::from) } else { [0.0, 1.0] };
                    let wanted = f64::from(depth).clamp(a.min(b), a.max(b));
                    let got = stored(&mut setup, 4, 4);
                    assert!(
                        (got - wanted).abs() < tolerance,
                        "{format:?} {mode:?} {depth} range {range:?} clip {clip} clamp {depth_clamp}: \
                         {got}, not {wanted}; {}",
                        P::NAME
                    );
                }
            }
        }
    }
}

/// Two invocations draw the primitive in viewports 0 and 1, which lie side by side.
#[cfg(feature = "stages")]
fn each_viewport_clamps_to_its_range<P: Profile>() {
    const TWICE: &str = "GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
PROPERTY GS_INVOCATIONS 2
DCL IN[][0], POSITION
DCL SV[0], INVOCATIONID
DCL OUT[0], POSITION
DCL OUT[1].x, VIEWPORT_INDEX
IMM[0] UINT32 { 0, 0, 0, 0 }
MOV OUT[0], IN[0][0]
MOV OUT[1].x, SV[0].xxxx
EMIT IMM[0].xxxx
MOV OUT[0], IN[1][0]
MOV OUT[1].x, SV[0].xxxx
EMIT IMM[0].xxxx
MOV OUT[0], IN[2][0]
MOV OUT[1].x, SV[0].xxxx
EMIT IMM[0].xxxx
END";
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen, Format::Z32Float);
    let shader = pipe_core::ShaderState::text(TWICE);
    let stage = pipe_core::ShaderType::Geometry;
    let shader = setup.context.create_shader_state(stage, &shader).unwrap();
    setup.context.bind_shader_state(stage, Some(shader)).unwrap();
    let half = |range, left: f32| {
        let mut half = viewport(8, range, false);
        (half.scale[0], half.translate[0]) = (2.0, left + 2.0);
        half
    };
    let views = [half([0.125, 0.375], 0.0), half([0.875, 0.5], 4.0)];
    setup.context.set_viewport_states(0, &views).unwrap();
    let open = RasterizerState {
        depth_clip_near: false,
        depth_clip_far: false,
        depth_clamp: true,
        ..rasterizer()
    };
    setup.rasterizer(&open).unwrap();
    setup.upload(&screen, &primitive(PrimType::Triangles, 7.0)).unwrap();
    let plain = "FRAG\nDCL CONST[0]\nDCL OUT[0], COLOR\nMOV OUT[0], CONST[0]\nEND";
    // Beyond the far end of both; then a depth that the program writes.
    for (shader, depth, wanted) in
        [(plain, 0.0, [0.375, 0.5]), (EXPORT, -1.0f32, [0.125, 0.5]), (EXPORT, 3.0, [0.375, 0.875])]
    {
        setup.shaders(PASS, shader).unwrap();
        setup.constants(pipe_core::ShaderType::Fragment, &[depth; 4]).unwrap();
        setup.clear(BLACK, CLEARED).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        let got = [stored(&mut setup, 1, 4), stored(&mut setup, 6, 4)];
        for (got, wanted) in got.into_iter().zip(wanted) {
            assert!((got - wanted).abs() < 1e-6, "{got}, not {wanted}; {}", P::NAME);
        }
    }
}
#[cfg(not(feature = "stages"))]
fn each_viewport_clamps_to_its_range<P: Profile>() {}

/// Vulkan 1.3, "Depth Clamping": it applies to the fragment's depth, just before the depth test.
/// WebGPU, `position` as an input: "the interpolated depth value", in the viewport's range only if
/// primitives are clipped.
#[cfg(feature = "desktop")]
fn shaders_read_depths_before_clamping<P: Profile>() {
    const POSITION: &str = "FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END";
    let screen = screen::<P>(Os::host(), 0);
    let options = Options {
        width: 8,
        height: 8,
        format: Format::R32G32B32A32Float,
        depth: Some(Format::Z32Float),
        ..Options::default()
    };
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.shaders(PASS, POSITION).unwrap();
    setup
        .depth_test(&DepthStencilAlphaState {
            depth_enabled: true,
            depth_writemask: true,
            depth_func: CompareFunc::Always,
            ..Default::default()
        })
        .unwrap();
    let open = RasterizerState {
        depth_clip_near: false,
        depth_clip_far: false,
        depth_clamp: true,
        clip_halfz: true,
        ..rasterizer()
    };
    setup.rasterizer(&open).unwrap();
    // Clip z is `start + slope * x`, for x from -1 to 1.
    for (start, slope) in [(0.5f32, 0.0f32), (-0.5, 0.0), (1.75, 0.0), (-9.0, 0.0), (0.5, 2.0)] {
        let vertices = [[-1.0f32, -1.0], [3.0, -1.0], [-1.0, 3.0]]
            .map(|[x, y]| vertex(x, y, start + slope * x, WHITE));
        setup.upload(&screen, &vertices).unwrap();
        for range in RANGES {
            setup.context.set_viewport_states(0, &[viewport(8, range, true)]).unwrap();
            setup.clear(BLACK, CLEARED).unwrap();
            setup.draw(PrimType::Triangles, 3).unwrap();
            let pixels = setup.pixels().unwrap();
            for x in 0..8 {
                let z = start + slope * ((x as f32 + 0.5) / 4.0 - 1.0);
                let window = f64::from(range[0] + z * (range[1] - range[0]));
                let at = 16 * (8 * 4 + x) + 8;
                let read = f32::from_le_bytes(pixels[at..at + 4].try_into().unwrap());
                let case = format!("{start} + {slope} x, x {x}, {range:?}, {}", P::NAME);
                assert!((f64::from(read) - window).abs() < 1e-5, "{case}: {read}, not {window}");
                let [low, high] = range.map(f64::from);
                let wanted = window.clamp(low.min(high), high.max(low));
                let got = stored(&mut setup, x, 4);
                assert!((got - wanted).abs() < 1e-5, "{case}: stored {got}, not {wanted}");
            }
        }
    }
}
#[cfg(not(feature = "desktop"))]
fn shaders_read_depths_before_clamping<P: Profile>() {}
