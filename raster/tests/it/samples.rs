//! Pixels of several samples.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use pipe_core::query::{QueryResult, QueryType};
use pipe_core::{
    Bind, BlendFactor, BlendState, BlitInfo, BlitMask, BlitSurface, ClearFlags, ColorUnion,
    CompareFunc, ConservativeRasterMode, DepthStencilAlphaState, FramebufferState, MapFlags,
    PipeError, PrimType, RasterizerState, Region, ResourceHandle, ResourceTemplate,
    SamplerViewTemplate, Screen as _, ShaderType, SurfaceTemplate, TexFilter, TextureTarget,
    ViewportState,
};

in_all_profiles! {
    each_sample_is_a_picture_from_its_place
    each_sample_lies_where_it_was_put
    half_covered_pixels_resolve_to_half
    the_sample_mask_and_the_switch
    programs_run_once_a_sample
    inputs_are_evaluated_where_they_are_asked_for
    alpha_covers_samples
    dithered_alpha_covers_its_share_of_a_square
    conservative_pixels_have_all_samples
    smooth_edges_without_multisampling
    streamed_tiles_are_resolved
    window_rectangles_keep_all_samples_of_a_pixel_or_none
}

const SIZE: u32 = 32;
const COLOR_FORMAT: Format = Format::R8G8B8A8Unorm;

fn template(format: Format, samples: u8, bind: Bind) -> ResourceTemplate {
    let bind = bind | Bind::SAMPLER_VIEW;
    ResourceTemplate {
        nr_samples: samples,
        ..ResourceTemplate::texture_2d(format, SIZE, SIZE, bind)
    }
}

/// A setup whose framebuffer has colour of so many samples, and 24 bits of depth.
fn setup<'s, 'm, P: Profile>(screen: &'s Screen<'m, P>, samples: u8) -> Setup<'s, 'm> {
    setup_of(screen, samples, (COLOR_FORMAT, Format::Z24UnormS8Uint))
}

/// A setup with buffers of these formats.
fn setup_of<'s, 'm, P: Profile>(
    screen: &'s Screen<'m, P>,
    samples: u8,
    (format, depth): (Format, Format),
) -> Setup<'s, 'm> {
    let options =
        Options { width: SIZE, height: SIZE, format, depth: Some(depth), ..Options::default() };
    let mut setup = Setup::new(screen, options).unwrap();
    let surface = SurfaceTemplate::of(format);
    let color = screen.resource_create(&template(format, samples, Bind::RENDER_TARGET)).unwrap();
    let cbuf = setup.context.create_surface(color, &surface).unwrap();
    let surface = SurfaceTemplate::of(depth);
    let depth = screen.resource_create(&template(depth, samples, Bind::DEPTH_STENCIL)).unwrap();
    let zsbuf = setup.context.create_surface(depth, &surface).unwrap();
    let state = FramebufferState::single(SIZE as u16, SIZE as u16, cbuf, Some(zsbuf));
    setup.context.set_framebuffer_state(&state).unwrap();
    (setup.color, setup.depth) = (color, Some(depth));
    setup.rasterizer(&RasterizerState { multisample: true, ..rasterizer() }).unwrap();
    setup
}

/// Resolves a resource to one sample a pixel, and reads it.
fn resolved<P: Profile>(
    screen: &Screen<'_, P>,
    setup: &mut Setup<'_, '_>,
    (source, format): (ResourceHandle, Format),
    sample0_only: bool,
) -> Vec<u8> {
    let one = screen.resource_create(&template(format, 0, Bind::empty())).unwrap();
    let end =
        |resource| BlitSurface { resource, level: 0, region: Region::whole(SIZE, SIZE, 1), format };
    let mask = if format.is_depth_or_stencil() { BlitMask::ZS } else { BlitMask::RGBA };
    let info =
        BlitInfo { sample0_only, mask, ..BlitInfo::new(end(one), end(source), TexFilter::Nearest) };
    setup.context.blit(&info).unwrap();
    setup.read(one).unwrap()
}

/// Resolves the colour buffer.
fn means<P: Profile>(screen: &Screen<'_, P>, setup: &mut Setup<'_, '_>) -> Vec<u8> {
    let color = setup.color;
    resolved(screen, setup, (color, COLOR_FORMAT), false)
}

/// A rectangle of window coordinates, as two triangles.
fn rectangle([x0, y0, x1, y1]: [f32; 4], z: f32, color: [f32; 4]) -> [Vertex; 6] {
    let half = SIZE as f32 / 2.0;
    let at = |x: f32, y: f32| vertex(x / half - 1.0, y / half - 1.0, z, color);
    [at(x0, y0), at(x1, y0), at(x0, y1), at(x1, y0), at(x1, y1), at(x0, y1)]
}

const WHOLE: [f32; 4] = [0.0, 0.0, SIZE as f32, SIZE as f32];

/// Fetches one sample of each texel.
const FETCH: &str = "FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D_MSAA, FLOAT
DCL CONST[0]
DCL TEMP[0]
F2I TEMP[0].xy, IN[0].xyyy
F2I TEMP[0].w, CONST[0].xxxx
TXF OUT[0], TEMP[0], SAMP[0], 2D_MSAA
END";

/// Reads one sample of a texture's texels, by drawing.
fn sample<P: Profile>(screen: &Screen<'_, P>, source: &mut Setup<'_, '_>, index: usize) -> Vec<u8> {
    let format = source.options.format;
    let options = Options { width: SIZE, height: SIZE, format, ..Options::default() };
    source.context.flush(Default::default()).unwrap();
    let mut setup = Setup::new(screen, options).unwrap();
    setup.shaders(PASS, FETCH).unwrap();
    let seen = screen.resource_template(source.color).unwrap();
    let view = SamplerViewTemplate::whole(&seen);
    let view = setup.context.create_sampler_view(source.color, &view).unwrap();
    setup.context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)]).unwrap();
    setup.constants(ShaderType::Fragment, &[index as f32; 4]).unwrap();
    setup.upload(screen, &rectangle(WHOLE, 0.0, WHITE)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    setup.pixels().unwrap()
}

/// Triangles of one depth and colour each, with corners on a grid of 1/64 pixel, so that floats hold
/// them exactly wherever samples lie.
fn triangles(seed: u32, count: usize) -> Vec<Vertex> {
    let mut random = Random(seed);
    let mut vertices = Vec::new();
    for number in 0..count {
        let mut channel = || (random.next() * 255.0).floor() / 255.0;
        let color = [channel(), channel(), channel(), 0.5];
        let z = (number * 37 % count) as f32 / count as f32;
        let size = if number % 3 == 0 { 40.0 } else { 6.0 };
        let center = [random.between(0.0, 32.0), random.between(0.0, 32.0)];
        for _ in 0..3 {
            let [x, y] = center.map(|at| {
                let at = at + random.between(-size, size);
                (at * 64.0).floor() / 64.0 / 16.0 - 1.0
            });
            vertices.push(vertex(x, y, z, color));
        }
    }
    vertices
}

fn draw_scene<'m, P: Profile>(
    screen: &Screen<'m, P>,
    setup: &mut Setup<'_, 'm>,
    blend: &BlendState,
    depth_test: Option<&DepthStencilAlphaState>,
    vertices: &[Vertex],
) {
    setup.blend(blend).unwrap();
    if let Some(test) = depth_test {
        setup.depth_test(test).unwrap();
    }
    setup.clear(BLUE, 1.0).unwrap();
    setup.upload(screen, vertices).unwrap();
    setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap();
}

/// The independent reason: a sample at an offset from the centre sees what the centre sees of a scene
/// that is moved the other way.
fn each_sample_is_a_picture_from_its_place<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let depth_test = DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func: CompareFunc::Less,
        ..DepthStencilAlphaState::default()
    };
    let mut over = BlendState::default();
    over.rt[0].blend_enable = true;
    (over.rt[0].rgb_src_factor, over.rt[0].alpha_src_factor) =
        (BlendFactor::SrcAlpha, BlendFactor::One);
    (over.rt[0].rgb_dst_factor, over.rt[0].alpha_dst_factor) =
        (BlendFactor::InvSrcAlpha, BlendFactor::Zero);
    let states = [(true, BlendState::default()), (false, over)];
    for (number, samples) in [2u8, 4, 8, 16].into_iter().enumerate() {
        for (tests_depth, blend) in &states {
            let vertices = triangles(number as u32 * 2 + u32::from(*tests_depth), 24);
            let test = tests_depth.then_some(&depth_test);
            let mut many = setup(&screen, samples);
            draw_scene(&screen, &mut many, blend, test, &vertices);
            for index in 0..samples {
                let place = many.context.get_sample_position(samples, index);
                let mut one = setup(&screen, 0);
                let mut viewport = ViewportState::y_down(SIZE, SIZE);
                viewport.translate[0] -= place[0] - 0.5;
                viewport.translate[1] -= place[1] - 0.5;
                one.context.set_viewport_states(0, &[viewport]).unwrap();
                draw_scene(&screen, &mut one, blend, test, &vertices);
                one.context.flush(Default::default()).unwrap();
                let wanted = one.read(one.color).unwrap();
                let got = sample(&screen, &mut many, index.into());
                assert!(got == wanted, "sample {index} of {samples}, depth {tests_depth}");
            }
        }
    }
}

/// A byte a sample: x in the low and y in the high four bits (`set_sample_locations`).
fn each_sample_lies_where_it_was_put<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let test = DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func: CompareFunc::Less,
        ..DepthStencilAlphaState::default()
    };
    let vertices = triangles(99, 24);
    let blend = BlendState::default();
    let mut many = setup(&screen, 4);
    // A corner, the centre, the far corner; the last sample keeps its standard place.
    many.context.set_sample_locations(&[0x00, 0x88, 0xff]).unwrap();
    draw_scene(&screen, &mut many, &blend, Some(&test), &vertices);
    let places = [[0.0, 0.0], [0.5, 0.5], [0.9375, 0.9375], [0.625, 0.875]];
    for (index, place) in places.into_iter().enumerate() {
        let mut one = setup(&screen, 0);
        let mut viewport = ViewportState::y_down(SIZE, SIZE);
        viewport.translate[0] -= place[0] - 0.5;
        viewport.translate[1] -= place[1] - 0.5;
        one.context.set_viewport_states(0, &[viewport]).unwrap();
        draw_scene(&screen, &mut one, &blend, Some(&test), &vertices);
        one.context.flush(Default::default()).unwrap();
        let wanted = one.read(one.color).unwrap();
        assert!(sample(&screen, &mut many, index) == wanted, "sample {index}");
    }
    // Programs read the places, and none restores the standard ones.
    let place = "FRAG\nDCL SV[0], SAMPLEPOS\nDCL OUT[0], COLOR\nMOV OUT[0], SV[0]\nEND";
    assert_eq!(many.context.get_sample_position(4, 0), [0.375, 0.125]);
    for (set, wanted) in [(&[0x4cu8][..], [191u8, 64]), (&[], [96, 32])] {
        many.context.set_sample_locations(set).unwrap();
        many.shaders(PASS, place).unwrap();
        many.clear(BLACK, 1.0).unwrap();
        many.upload(&screen, &rectangle(WHOLE, -1.0, WHITE)).unwrap();
        many.draw(PrimType::Triangles, 6).unwrap();
        let first = sample(&screen, &mut many, 0);
        assert!(first.chunks(4).all(|pixel| pixel[..2] == wanted), "{set:x?}: {:?}", &first[..4]);
    }
    let wrong = many.context.set_sample_locations(&[0; 17]);
    assert!(matches!(wrong, Err(PipeError::OutOfRange { .. })), "{wrong:?}");
}

/// Of the four samples two lie left of a pixel's middle (x of 3/8 and 1/8), of which one is the first.
fn half_covered_pixels_resolve_to_half<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, &rectangle([0.0, 0.0, 4.5, 32.0], 0.0, WHITE)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let reds = |pixels: &[u8]| [3, 4, 5].map(|x| pixels[4 * x]);
    let means = means(&screen, &mut setup);
    assert_eq!(reds(&means), [255, 128, 0]);
    let color = setup.color;
    let first = resolved(&screen, &mut setup, (color, COLOR_FORMAT), true);
    assert_eq!(reds(&first), [255, 255, 0]);
    // sRGB is decoded, averaged, and encoded: half of full light is 188.
    let encoded = resolved(&screen, &mut setup, (color, Format::R8G8B8A8Srgb), false);
    assert_eq!(reds(&encoded), [255, 188, 0]);
}

fn the_sample_mask_and_the_switch<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for (mask, multisample, wanted) in [
        (0b0001, true, [64, 64, 0]),
        (0b1011, true, [191, 64, 0]),
        (!0, true, [255, 128, 0]),
        // The pixel's centre lies on the right edge, which does not own it.
        (!0, false, [255, 0, 0]),
        (0b0110, false, [128, 0, 0]),
        (0, true, [0, 0, 0]),
    ] {
        let mut setup = setup(&screen, 4);
        setup.rasterizer(&RasterizerState { multisample, ..rasterizer() }).unwrap();
        setup.context.set_sample_mask(mask);
        setup.clear(BLACK, 1.0).unwrap();
        setup.upload(&screen, &rectangle([0.0, 0.0, 4.5, 32.0], 0.0, WHITE)).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        let means = means(&screen, &mut setup);
        assert_eq!([3, 4, 5].map(|x| means[4 * x]), wanted, "{mask:#b} {multisample}");
    }
}

/// Draws a rectangle over everything with a fragment shader, in four samples; returns the pixel's
/// samples, of four channels.
fn shaded<P: Profile>(screen: &Screen<'_, P>, shader: &str, min_samples: u8) -> [[u8; 4]; 4] {
    let mut setup = setup(screen, 4);
    setup.shaders(PASS, shader).unwrap();
    setup.context.set_min_samples(min_samples);
    setup.clear(BLACK, 1.0).unwrap();
    // Red grows by 1/32 a pixel to the right, green down.
    let mut vertices = rectangle(WHOLE, 0.0, WHITE);
    for vertex in &mut vertices {
        let [x, y, ..] = vertex.position.map(|at| at * 0.5 + 0.5);
        vertex.color = [x, y, 0.0, 1.0];
    }
    setup.upload(screen, &vertices).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    [0, 1, 2, 3].map(|index| {
        let picture = sample(screen, &mut setup, index);
        picture[4 * (5 * SIZE as usize + 3)..][..4].try_into().unwrap()
    })
}

fn programs_run_once_a_sample<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let id = "FRAG
DCL SV[0], SAMPLEID
DCL SV[1], SAMPLEPOS
DCL SV[2], SAMPLEMASK
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 { 0.2, 0.0625, 1.0, 0.0 }
I2F TEMP[0].x, SV[0].xxxx
I2F TEMP[0].w, SV[2].xxxx
MUL OUT[0].x, TEMP[0].xxxx, IMM[0].xxxx
MOV OUT[0].yz, SV[1].xxyy
MUL OUT[0].w, TEMP[0].wwww, IMM[0].yyyy
END";
    // A fifth of 255 each; places in sixteenths of 255, to nearest (even); the mask has one bit.
    let place = |sixteenths: u32| (sixteenths as f32 * 255.0 / 16.0).round_ties_even() as u8;
    let wanted = [
        [0, place(6), place(2), place(1)],
        [51, place(14), place(6), place(2)],
        [102, place(2), place(10), place(4)],
        [153, place(10), place(14), place(8)],
    ];
    assert_eq!(shaded(&screen, id, 1), wanted);
    // Once a pixel, all samples have one value, and the mask all bits.
    let mask = "FRAG
DCL SV[0], SAMPLEMASK
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 { 0.0625, 0.0, 1.0, 0.0 }
I2F TEMP[0].x, SV[0].xxxx
MUL OUT[0], TEMP[0].xxxx, IMM[0].xxxx
END";
    assert_eq!(shaded(&screen, mask, 1), [[place(15); 4]; 4]);
    let bits = [1, 2, 4, 8].map(|bit| [place(bit); 4]);
    assert_eq!(shaded(&screen, mask, 4), bits);
}

/// The colour at pixel (3, 5) is ((3 + x) / 32, (5 + y) / 32) for a place (x, y) in the pixel.
fn inputs_are_evaluated_where_they_are_asked_for<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let color = |x: f32, y: f32| {
        let channel = |at: f32| (at / 32.0 * 255.0).round_ties_even() as u8;
        [channel(3.0 + x), channel(5.0 + y), 0, 255]
    };
    let places = [[6, 2], [14, 6], [2, 10], [10, 14]].map(|place| {
        let [x, y] = place.map(|sixteenths: u8| f32::from(sixteenths) / 16.0);
        color(x, y)
    });
    let declared = |how: &str| {
        format!("FRAG\nDCL IN[0], COLOR, {how}\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND")
    };
    let centre = [color(0.5, 0.5); 4];
    assert_eq!(shaded(&screen, &declared("PERSPECTIVE"), 1), centre);
    assert_eq!(shaded(&screen, &declared("PERSPECTIVE, CENTROID"), 1), centre);
    assert_eq!(shaded(&screen, &declared("PERSPECTIVE, SAMPLE"), 1), places);
    assert_eq!(shaded(&screen, &declared("LINEAR"), 4), places);
    let asked = |op: &str| {
        format!(
            "FRAG\nDCL IN[0], COLOR, PERSPECTIVE\nDCL OUT[0], COLOR\nIMM[0] FLT32 {{ 0.25, -0.5, 0.0, 0.0 }}\n\
             IMM[1] INT32 {{ 2, 0, 0, 0 }}\n{op}\nEND"
        )
    };
    assert_eq!(shaded(&screen, &asked("INTERP_CENTROID OUT[0], IN[0]"), 1), centre);
    let third = shaded(&screen, &asked("INTERP_SAMPLE OUT[0], IN[0], IMM[1].xxxx"), 1);
    assert_eq!(third, [places[2]; 4]);
    let beside = shaded(&screen, &asked("INTERP_OFFSET OUT[0], IN[0], IMM[0].xyyy"), 1);
    assert_eq!(beside, [color(0.75, 0.0); 4]);
}

fn alpha_covers_samples<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for (alpha, wanted) in [(0.0, 0), (0.25, 64), (0.5, 128), (0.75, 191), (1.0, 255)] {
        let mut setup = setup(&screen, 4);
        let state = BlendState { alpha_to_coverage: true, ..BlendState::default() };
        setup.blend(&state).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        setup.upload(&screen, &rectangle(WHOLE, 0.0, [1.0, 0.0, 0.0, alpha])).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        assert_eq!(means(&screen, &mut setup)[0], wanted, "{alpha}");
    }
}

/// Sixteen pixels have as many covered samples as alpha times 64, to one.
fn dithered_alpha_covers_its_share_of_a_square<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for samples in [0u8, 4] {
        let all = 16 * u32::from(samples.max(1));
        for step in 0..=20 {
            let alpha = step as f32 / 20.0;
            let mut setup = setup(&screen, samples);
            let state = BlendState {
                alpha_to_coverage: true,
                alpha_to_coverage_dither: true,
                ..BlendState::default()
            };
            setup.blend(&state).unwrap();
            setup.clear(BLACK, 1.0).unwrap();
            setup.upload(&screen, &rectangle(WHOLE, 0.0, [1.0, 0.0, 0.0, alpha])).unwrap();
            setup.draw(PrimType::Triangles, 6).unwrap();
            let means = means(&screen, &mut setup);
            let red = |x: usize, y: usize| u32::from(means[4 * (y * SIZE as usize + x)]);
            for (left, top) in [(0, 0), (4, 8), (28, 28), (13, 21)] {
                let square = (0..16).map(|index| red(left + index % 4, top + index / 4));
                // A mean of samples is a multiple of 255 / samples, rounded.
                let covered: u32 = square.map(|red| (red * all / 16 + 127) / 255).sum();
                let wanted = alpha * all as f32;
                assert!((covered as f32 - wanted).abs() <= 1.0, "{alpha}: {covered} of {all}");
            }
        }
    }
}

/// A pixel that is touched in a corner, beside all samples, has them all.
fn conservative_pixels_have_all_samples<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    let state = RasterizerState {
        conservative_raster_mode: ConservativeRasterMode::PostSnap,
        multisample: true,
        ..rasterizer()
    };
    setup.rasterizer(&state).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, &rectangle([8.96875, 8.96875, 17.03125, 10.5], 0.0, WHITE)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let means = means(&screen, &mut setup);
    for y in 0..SIZE {
        for x in 0..SIZE {
            let inside = (8..18).contains(&x) && (8..11).contains(&y);
            let red = means[4 * (y * SIZE + x) as usize];
            assert_eq!(red, if inside { 255 } else { 0 }, "{x} {y}");
        }
    }
}

/// OpenGL 4.6, chapter 14.6.6: multisampling replaces smoothing; without it, all samples of a pixel get
/// the smoothed colour.
fn smooth_edges_without_multisampling<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut over = BlendState::default();
    over.rt[0].blend_enable = true;
    (over.rt[0].rgb_src_factor, over.rt[0].rgb_dst_factor) =
        (BlendFactor::SrcAlpha, BlendFactor::One);
    for (multisample, wanted) in [(true, [255, 128, 0]), (false, [255, 64, 0])] {
        let mut setup = setup(&screen, 4);
        let state =
            RasterizerState { poly_smooth: true, line_smooth: true, multisample, ..rasterizer() };
        setup.rasterizer(&state).unwrap();
        setup.blend(&over).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        // A quarter of column 4 is covered; of its samples those at 1/8 and 3/8 … are not: the side is
        // at 4.25 where smoothing counts, at 4.5 where samples do.
        let right = if multisample { 4.5 } else { 4.25 };
        setup.upload(&screen, &rectangle([0.0, 0.0, right, 32.0], 0.0, WHITE)).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        let means = means(&screen, &mut setup);
        let row = 4 * 17 * SIZE as usize;
        assert_eq!([2, 4, 6].map(|x| means[row + 4 * x]), wanted, "{multisample}");
        // A line from (2, 20) to (30, 20), a pixel wide: half of the rows above and below.
        if !multisample {
            setup.clear(BLACK, 1.0).unwrap();
            let line = [rectangle([2.0, 20.0, 30.0, 21.0], 0.0, WHITE)];
            let ends = [line[0][0], line[0][1]];
            setup.upload(&screen, &ends).unwrap();
            setup.draw(PrimType::Lines, 2).unwrap();
            let means = self::means(&screen, &mut setup);
            let red = |y: usize| means[4 * (y * SIZE as usize + 16)];
            assert_eq!([18, 19, 20, 21].map(red), [0, 128, 128, 0]);
        }
    }
}

#[test]
fn occlusion_counts_samples() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    setup.clear(BLACK, 1.0).unwrap();
    let query = setup.context.create_query(QueryType::OcclusionCounter, 0).unwrap();
    setup.context.begin_query(query).unwrap();
    setup.upload(&screen, &rectangle([0.0, 0.0, 4.5, 32.0], 0.0, WHITE)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    setup.context.end_query(query).unwrap();
    // Four columns of four samples, and one of two.
    let counted = setup.context.get_query_result(query, true).unwrap();
    assert_eq!(counted, Some(QueryResult::U64(32 * (4 * 4 + 2))));
}

/// Integers and depth are not averaged: sample 0 stands for the pixel.
#[test]
fn depth_and_integers_resolve_to_the_first_sample() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    let test = DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func: CompareFunc::Always,
        ..DepthStencilAlphaState::default()
    };
    setup.depth_test(&test).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, &rectangle([0.0, 0.0, 4.5, 32.0], -1.0, WHITE)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let depth = setup.depth.unwrap();
    let depths = resolved(&screen, &mut setup, (depth, Format::Z24UnormS8Uint), false);
    // Sample 0 of pixel 4 is covered.
    let near = |x: usize| depths[4 * x..][..3] == [0; 3];
    assert_eq!([3, 4, 5].map(near), [true, true, false]);
    let integers = screen.resource_create(&template(Format::R8G8B8A8Uint, 4, Bind::RENDER_TARGET));
    let integers = integers.unwrap();
    let surface = SurfaceTemplate::of(Format::R8G8B8A8Uint);
    let surface = setup.context.create_surface(integers, &surface).unwrap();
    let color = ColorUnion::uint([7, 8, 9, 10]);
    let whole = Region::rect(0, 0, SIZE, SIZE);
    setup.context.clear_render_target(surface, &color, &whole, false).unwrap();
    let texels = resolved(&screen, &mut setup, (integers, Format::R8G8B8A8Uint), false);
    assert!(texels.chunks(4).all(|texel| texel == [7, 8, 9, 10]));
}

/// A blit from one sample reaches all samples, and one between equal counts copies each.
#[test]
fn blits_to_samples() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    setup.clear(RED, 1.0).unwrap();
    let other = screen.resource_create(&template(COLOR_FORMAT, 4, Bind::RENDER_TARGET)).unwrap();
    let end = |resource, size| BlitSurface {
        resource,
        level: 0,
        region: Region::whole(size, size, 1),
        format: COLOR_FORMAT,
    };
    let color = setup.color;
    // Scaled, so that it is no plain copy.
    let info = BlitInfo::new(end(other, SIZE), end(color, SIZE / 2), TexFilter::Nearest);
    setup.context.blit(&info).unwrap();
    let red = |pixels: Vec<u8>| pixels.chunks(4).all(|pixel| pixel == [255, 0, 0, 255]);
    assert!(red(resolved(&screen, &mut setup, (other, COLOR_FORMAT), false)));
    let one = screen.resource_create(&template(COLOR_FORMAT, 0, Bind::RENDER_TARGET)).unwrap();
    let green = [0u8, 255, 0, 255].repeat((SIZE * SIZE) as usize);
    let whole = Region::whole(SIZE, SIZE, 1);
    let stride = 4 * SIZE as usize;
    setup
        .context
        .texture_subdata(one, 0, MapFlags::WRITE, &whole, &green, stride, green.len())
        .unwrap();
    let info = BlitInfo::new(end(other, SIZE), end(one, SIZE), TexFilter::Nearest);
    setup.context.blit(&info).unwrap();
    assert_eq!(resolved(&screen, &mut setup, (other, COLOR_FORMAT), false), green);
    setup.context.resource_copy_region(color, 0, 0, 0, 0, other, 0, &whole).unwrap();
    assert_eq!(means(&screen, &mut setup), green);
}

#[test]
fn what_is_refused() {
    let screen = screen::<Small>(Os::host(), 0);
    for samples in [3u8, 5, 17, 32] {
        let wrong = template(COLOR_FORMAT, samples, Bind::RENDER_TARGET);
        assert!(!screen.can_create_resource(&wrong), "{samples}");
        assert!(screen.resource_create(&wrong).is_err(), "{samples}");
    }
    for samples in [2u8, 4, 8, 16] {
        let has = |format, target, stored| {
            let bind = Bind::SAMPLER_VIEW;
            screen.is_format_supported(format, target, samples, stored, bind)
        };
        assert!(has(COLOR_FORMAT, TextureTarget::Texture2D, samples));
        assert!(has(COLOR_FORMAT, TextureTarget::Texture2DArray, samples));
        assert!(!has(COLOR_FORMAT, TextureTarget::Texture2D, 1));
        assert!(!has(COLOR_FORMAT, TextureTarget::Texture3D, samples));
        assert!(!has(COLOR_FORMAT, TextureTarget::Cube, samples));
        assert!(!has(Format::Dxt1Rgba, TextureTarget::Texture2D, samples));
    }
    let mut setup = setup(&screen, 4);
    let whole = Region::whole(SIZE, SIZE, 1);
    let refused = |result: Result<(), PipeError>| {
        assert!(matches!(result, Err(PipeError::Unsupported(_))), "{result:?}");
    };
    let color = setup.color;
    refused(setup.context.transfer_map(color, 0, MapFlags::READ, &whole).map(|_| ()));
    let texel = Region::rect(0, 0, 1, 1);
    refused(setup.context.texture_subdata(color, 0, MapFlags::WRITE, &texel, &[0; 4], 4, 4));
    // Attachments of different counts.
    let other = screen.resource_create(&template(COLOR_FORMAT, 2, Bind::RENDER_TARGET)).unwrap();
    let surfaces = [color, other].map(|handle| {
        setup.context.create_surface(handle, &SurfaceTemplate::of(COLOR_FORMAT)).unwrap()
    });
    let mut mixed = FramebufferState::single(SIZE as u16, SIZE as u16, surfaces[0], None);
    mixed.cbufs[1] = Some(surfaces[1]);
    assert!(matches!(setup.context.set_framebuffer_state(&mixed), Err(PipeError::Invalid(_))));
    // Copies and blits between different counts.
    let copied = setup.context.resource_copy_region(color, 0, 0, 0, 0, other, 0, &whole);
    assert!(matches!(copied, Err(PipeError::Invalid(_))));
    let end = |resource| BlitSurface { resource, level: 0, region: whole, format: COLOR_FORMAT };
    let blitted = setup.context.blit(&BlitInfo::new(end(other), end(color), TexFilter::Nearest));
    assert!(matches!(blitted, Err(PipeError::Invalid(_))));
    setup.context.clear(ClearFlags::COLOR0, None, &ColorUnion::float(RED), 1.0, 0).unwrap();
    assert!(means(&screen, &mut setup).chunks(4).all(|pixel| pixel == [255, 0, 0, 255]));
}

/// A streamed surface shows what a blit resolves from memory.
fn streamed_tiles_are_resolved<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let size = 40;
    for format in [Format::B5G6R5Unorm, Format::L8Unorm, COLOR_FORMAT] {
        for samples in [2u8, 4, 8] {
            let pictures = [false, true].map(|streamed| {
                let options =
                    Options { width: size, height: size, format, streamed, ..Options::default() };
                let mut setup = Setup::new(&screen, options).unwrap();
                let whole = match streamed {
                    true => ResourceTemplate::streamed(format, size, size),
                    false => ResourceTemplate::texture_2d(format, size, size, Bind::RENDER_TARGET),
                };
                let many = ResourceTemplate { nr_samples: samples, ..whole };
                let many = screen.resource_create(&many).unwrap();
                let surface = SurfaceTemplate::of(format);
                let surface = setup.context.create_surface(many, &surface).unwrap();
                let state = FramebufferState::single(size as u16, size as u16, surface, None);
                setup.context.set_framebuffer_state(&state).unwrap();
                setup.rasterizer(&RasterizerState { multisample: true, ..rasterizer() }).unwrap();
                setup.clear(BLUE, 1.0).unwrap();
                let vertices = triangles(5, 24);
                setup.upload(&screen, &vertices).unwrap();
                setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap();
                if streamed {
                    setup.color = many;
                    return setup.pixels().unwrap();
                }
                let region = Region::whole(size, size, 1);
                let end = |resource| BlitSurface { resource, level: 0, region, format };
                let info = BlitInfo::new(end(setup.color), end(many), TexFilter::Nearest);
                setup.context.blit(&info).unwrap();
                setup.read(setup.color).unwrap()
            });
            assert!(pictures[0] == pictures[1], "{format:?}, {samples} samples");
        }
    }
}

fn window_rectangles_keep_all_samples_of_a_pixel_or_none<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    if screen.get_param(pipe_core::Cap::MaxWindowRectangles) == 0 {
        return;
    }
    let mut setup = setup::<P>(&screen, 4);
    let inside = |x: u32, y: u32| (3..18).contains(&x) && (5..29).contains(&y);
    let window = pipe_core::ScissorState { minx: 3, miny: 5, maxx: 18, maxy: 29 };
    for include in [true, false] {
        let windows = pipe_core::WindowRectangles::new(include, &[window]).unwrap();
        setup.context.set_window_rectangles(&windows).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        setup.upload(&screen, &rectangle(WHOLE, 0.0, WHITE)).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        for (at, pixel) in (0..).zip(means(&screen, &mut setup).chunks(4)) {
            let (x, y) = (at % SIZE, at / SIZE);
            let wanted = if inside(x, y) == include { 255 } else { 0 };
            assert_eq!(pixel[0], wanted, "{include}: {x}, {y}");
        }
    }
}
