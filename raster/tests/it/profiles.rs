//! The same pixels with all lane widths, tile sizes, threads and kinds of targets.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use os_shim::threads::Pool;
use pipe_core::{
    BlendFactor, BlendState, CompareFunc, DepthStencilAlphaState, PipeError, PrimType,
    RasterizerState,
};
use proptest::prelude::*;

/// A random frame.
#[derive(Clone, Debug)]
struct Frame {
    vertices: Vec<Vertex>,
    mode: PrimType,
    blend: bool,
    depth: Option<CompareFunc>,
    rule: (bool, bool),
    format: Format,
    width: u32,
    height: u32,
}

fn frames() -> impl Strategy<Value = Frame> {
    let position = (-1.6f32..1.6, -1.6f32..1.6, -1.2f32..1.2, 0.4f32..4.0);
    let vertex = (position, [0f32..1.0, 0f32..1.0, 0f32..1.0, 0f32..1.0])
        .prop_map(|((x, y, z, w), color)| Vertex { position: [x * w, y * w, z * w, w], color });
    let func = prop::option::of(prop::sample::select(vec![
        CompareFunc::Less,
        CompareFunc::LessEqual,
        CompareFunc::Greater,
        CompareFunc::Always,
    ]));
    let mode = prop::sample::select(vec![
        PrimType::Triangles,
        PrimType::TriangleStrip,
        PrimType::TriangleFan,
        PrimType::LineStrip,
        PrimType::Points,
    ]);
    let format = prop::sample::select(vec![
        Format::R8G8B8A8Unorm,
        Format::B8G8R8A8Unorm,
        Format::B5G6R5Unorm,
        Format::L8Unorm,
        Format::R32G32B32A32Float,
    ]);
    (
        prop::collection::vec(vertex, 3..60),
        mode,
        any::<bool>(),
        func,
        any::<(bool, bool)>(),
        format,
        (3u32..150, 3u32..150),
    )
        .prop_map(|(vertices, mode, blend, depth, rule, format, (width, height))| Frame {
            vertices,
            mode,
            blend,
            depth,
            rule,
            format,
            width,
            height,
        })
}

fn render<P: Profile>(
    os: Os<'_>,
    frame: &Frame,
    streamed: bool,
    scene_bytes: usize,
) -> Result<Vec<u8>, PipeError> {
    let screen = screen::<P>(os, scene_bytes);
    let mut setup = Setup::new(
        &screen,
        Options {
            width: frame.width,
            height: frame.height,
            format: frame.format,
            depth: frame.depth.map(|_| Format::Z16Unorm),
            streamed,
            scene_bytes,
        },
    )?;
    setup.rasterizer(&RasterizerState {
        half_pixel_center: frame.rule.0,
        bottom_edge_rule: frame.rule.1,
        ..rasterizer()
    })?;
    if frame.blend {
        let mut blend = BlendState::default();
        blend.rt[0].blend_enable = true;
        blend.rt[0].rgb_src_factor = BlendFactor::SrcAlpha;
        blend.rt[0].rgb_dst_factor = BlendFactor::InvSrcAlpha;
        blend.rt[0].alpha_src_factor = BlendFactor::One;
        blend.rt[0].alpha_dst_factor = BlendFactor::DstColor;
        setup.blend(&blend)?;
    }
    if let Some(func) = frame.depth {
        setup.depth_test(&DepthStencilAlphaState {
            depth_enabled: true,
            depth_writemask: true,
            depth_func: func,
            ..DepthStencilAlphaState::default()
        })?;
    }
    setup.clear([0.2, 0.4, 0.6, 0.8], 0.7)?;
    setup.upload(&screen, &frame.vertices)?;
    setup.draw(frame.mode, frame.vertices.len() as u32)?;
    setup.pixels()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_way_draws_the_same(frame in frames()) {
        let host = Os::host();
        let wanted = render::<Host>(host, &frame, false, 0).unwrap();
        prop_assert_eq!(&render::<Small>(host, &frame, false, 0).unwrap(), &wanted, "small");
        prop_assert_eq!(&render::<Tiny>(host, &frame, false, 65536).unwrap(), &wanted, "tiny");
        prop_assert_eq!(&render::<Small>(host, &frame, true, 0).unwrap(), &wanted, "streamed");
        prop_assert_eq!(&render::<Small>(host, &frame, false, 6000).unwrap(), &wanted, "in passes");
        let pool = Pool::new(3);
        let threaded = Os { threads: &pool, ..host };
        prop_assert_eq!(&render::<Host>(threaded, &frame, false, 0).unwrap(), &wanted, "threads");
    }
}
