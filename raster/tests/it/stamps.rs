//! Batches of stamps and packed quads draw the same pixels as single quads: `Tiny` has lanes for
//! one quad only.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    BlendFactor, BlendFunc, BlendState, ColorMask, CompareFunc, DepthStencilAlphaState, PipeError,
    PrimType, StencilOp, StencilRef, StencilState,
};
use proptest::prelude::*;

/// A frame of triangles of all sizes, drawn twice over each other.
#[derive(Clone, Debug)]
struct Frame {
    triangles: Vec<[Vertex; 3]>,
    size: (u32, u32),
    color: Format,
    depth: Format,
    tests: DepthStencilAlphaState,
    reference: [u8; 2],
    blend: BlendState,
}

fn triangle() -> impl Strategy<Value = [Vertex; 3]> {
    let corner =
        (-1f32..1.0, -1f32..1.0, -0.2f32..1.2, 0.5f32..2.0, prop::array::uniform4(0f32..1.0));
    let size = prop::sample::select(vec![0.05f32, 0.15, 0.5, 3.0]);
    ((-1f32..1.0, -1f32..1.0), size, prop::array::uniform3(corner)).prop_map(
        |((left, top), size, corners)| {
            corners.map(|(x, y, z, w, color)| Vertex {
                position: [(left + size * x) * w, (top + size * y) * w, z * w, w],
                color,
            })
        },
    )
}

fn face() -> impl Strategy<Value = StencilState> {
    let func = prop::sample::select(CompareFunc::ALL);
    let op = prop::sample::select(StencilOp::ALL);
    let masks = prop::sample::select(vec![0xffu8, 0x0f, 0x81]);
    (any::<bool>(), func, op.clone(), op.clone(), op, masks.clone(), masks).prop_map(
        |(enabled, func, fail_op, zpass_op, zfail_op, valuemask, writemask)| StencilState {
            enabled,
            func,
            fail_op,
            zpass_op,
            zfail_op,
            valuemask,
            writemask,
        },
    )
}

fn tests() -> impl Strategy<Value = DepthStencilAlphaState> {
    let func = prop::sample::select(CompareFunc::ALL);
    let flags =
        (any::<bool>(), any::<bool>(), prop::bool::weighted(0.2), prop::bool::weighted(0.3));
    (flags, func, [face(), face()], 0f32..0.5).prop_map(
        |((depth_enabled, depth_writemask, bounds, alpha), depth_func, stencil, low)| {
            DepthStencilAlphaState {
                depth_enabled,
                depth_writemask,
                depth_func,
                depth_bounds_test: bounds,
                depth_bounds_min: low,
                depth_bounds_max: low + 0.4,
                stencil,
                alpha_enabled: alpha,
                alpha_func: CompareFunc::Greater,
                alpha_ref_value: low,
            }
        },
    )
}

fn blends() -> impl Strategy<Value = BlendState> {
    let factor = prop::sample::select(BlendFactor::ALL);
    let func = prop::sample::select(BlendFunc::ALL);
    let mask = prop::sample::select(vec![0xfu8, 0xf, 0x5]);
    (any::<bool>(), prop::array::uniform4(factor), [func.clone(), func], mask).prop_map(
        |(enabled, factors, [rgb, alpha], mask)| {
            let mut blend = BlendState::default();
            let target = &mut blend.rt[0];
            target.blend_enable = enabled;
            [
                target.rgb_src_factor,
                target.rgb_dst_factor,
                target.alpha_src_factor,
                target.alpha_dst_factor,
            ] = factors;
            (target.rgb_func, target.alpha_func) = (rgb, alpha);
            target.colormask = ColorMask::from_bits_truncate(mask);
            blend
        },
    )
}

fn frames() -> impl Strategy<Value = Frame> {
    let color = prop::sample::select(vec![
        Format::R8G8B8A8Unorm,
        Format::B8G8R8X8Unorm,
        Format::B5G6R5Unorm,
        Format::L8Unorm,
        Format::R16G16B16A16Float,
        Format::R32G32B32A32Float,
        Format::R8G8B8A8Srgb,
    ]);
    let depth = prop::sample::select(vec![
        Format::Z16Unorm,
        Format::Z16UnormS8Uint,
        Format::Z24X8Unorm,
        Format::Z24UnormS8Uint,
        Format::S8UintZ24Unorm,
        Format::Z32Unorm,
        Format::Z32Float,
        Format::Z32FloatS8X24Uint,
        Format::S8Uint,
    ]);
    let triangles = prop::collection::vec(triangle(), 1..24);
    (triangles, (3u32..100, 3u32..100), color, depth, tests(), any::<[u8; 2]>(), blends()).prop_map(
        |(triangles, size, color, depth, tests, reference, blend)| Frame {
            triangles,
            size,
            color,
            depth,
            tests,
            reference,
            blend,
        },
    )
}

/// Returns the colours, then depth and stencil, of the frame.
fn render<P: Profile>(frame: &Frame) -> Result<Vec<u8>, PipeError> {
    let screen = screen::<P>(Os::host(), 0);
    let (width, height) = frame.size;
    let options = Options {
        width,
        height,
        format: frame.color,
        depth: Some(frame.depth),
        ..Options::default()
    };
    let mut setup = Setup::new(&screen, options)?;
    setup.blend(&frame.blend)?;
    setup.depth_test(&frame.tests)?;
    setup.context.set_stencil_ref(StencilRef { ref_value: frame.reference });
    setup.clear([0.2, 0.4, 0.6, 0.8], 0.7)?;
    let vertices = frame.triangles.concat();
    setup.upload(&screen, &vertices)?;
    setup.draw(PrimType::Triangles, vertices.len() as u32)?;
    setup.draw(PrimType::Triangles, vertices.len() as u32)?;
    let mut bytes = setup.pixels()?;
    if let Some(depth) = setup.depth {
        bytes.extend(setup.read(depth)?);
    }
    Ok(bytes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn stamps_draw_what_quads_draw(frame in frames()) {
        let wanted = render::<Tiny>(&frame).unwrap();
        prop_assert!(render::<Small>(&frame).unwrap() == wanted, "small");
        prop_assert!(render::<Host>(&frame).unwrap() == wanted, "host");
    }
}
