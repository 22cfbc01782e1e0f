//! Integer spans against the general path: the same frames with and without `RASTER_DEBUG=nospans`.

use crate::common::*;
use formats::Format;
use gallium_raster::{Small, Tiny};
use os_shim::options::Table;
use os_shim::{Memory, Os};
use pipe_core::state::{SamplerState, TexFilter, TexMipFilter, TexWrap};
use pipe_core::{
    Bind, CompareFunc, DepthStencilAlphaState, MapFlags, PrimType, RasterizerState, Region,
    ResourceTemplate, SamplerViewTemplate, Screen as _, ShaderType,
};

const WIDTH: u32 = 150;
const HEIGHT: u32 = 90;

/// The texel under the first two components of the colour.
const TEXEL: &str = "FRAG
DCL IN[0].xy, COLOR, PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
TEX OUT[0], IN[0], SAMP[0], 2D
END";

/// A colour from the constants, and one from the vertex.
const MIXED: &str = "FRAG
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR
DCL CONST[0]
MOV OUT[0].xw, CONST[0]
MOV OUT[0].yz, IN[0]
END";

struct Random(u32);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 24) as f32
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.next()
    }
}

/// What is drawn.
#[derive(Clone, Copy)]
struct Frame {
    fragment: &'static str,
    perspective: bool,
    flat: bool,
    depth: Option<CompareFunc>,
    /// Largest edge of a triangle in clip space.
    reach: f32,
}

fn triangles(frame: &Frame, seed: u32) -> Vec<Vertex> {
    let mut random = Random(seed);
    let mut vertices = Vec::new();
    for _ in 0..40 {
        let middle = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
        for _ in 0..3 {
            let w = if frame.perspective { random.between(0.5, 6.0) } else { 1.0 };
            let place = |random: &mut Random, axis: usize| {
                middle[axis] + random.between(-frame.reach, frame.reach)
            };
            let (x, y) = (place(&mut random, 0), place(&mut random, 1));
            let z = random.between(-0.95, 0.95);
            let color = [(); 4].map(|()| random.next());
            vertices.push(Vertex { position: [x * w, y * w, z * w, w], color });
        }
    }
    vertices
}

fn draw<P: gallium_raster::Profile>(
    frame: &Frame,
    vertices: &[Vertex],
    options: &Table,
) -> Vec<u16> {
    let os = Os { options, ..Os::bare(Memory::system()) };
    let screen = screen::<P>(os, 0);
    let options = Options {
        width: WIDTH,
        height: HEIGHT,
        format: Format::B5G6R5Unorm,
        depth: Some(Format::Z16Unorm),
        ..Options::default()
    };
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.shaders(PASS, frame.fragment).unwrap();
    setup.rasterizer(&RasterizerState { flatshade: frame.flat, ..rasterizer() }).unwrap();
    if let Some(func) = frame.depth {
        setup.depth_test(&DepthStencilAlphaState::depth(func)).unwrap();
    }
    setup.constants(ShaderType::Fragment, &[0.3, 0.6, 0.9, 1.0]).unwrap();
    // Every texel of its own value.
    let template = ResourceTemplate::texture_2d(Format::B5G6R5Unorm, 32, 16, Bind::SAMPLER_VIEW);
    let texture = screen.resource_create(&template).unwrap();
    let texels: Vec<u16> = (0..512u16).map(|texel| texel.wrapping_mul(40_503)).collect();
    let region = Region::whole(32, 16, 1);
    let bytes = bytemuck::cast_slice(&texels);
    setup.context.texture_subdata(texture, 0, MapFlags::WRITE, &region, bytes, 64, 0).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    let view = setup.context.create_sampler_view(texture, &view).unwrap();
    let sampler = SamplerState {
        min_img_filter: TexFilter::Nearest,
        mag_img_filter: TexFilter::Nearest,
        min_mip_filter: TexMipFilter::None,
        ..SamplerState::trilinear(TexWrap::Repeat)
    };
    let sampler = setup.context.create_sampler_state(&sampler).unwrap();
    setup.context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(sampler)]).unwrap();
    setup.context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)]).unwrap();
    setup.clear([0.1, 0.2, 0.3, 1.0], 1.0).unwrap();
    setup.upload(&screen, vertices).unwrap();
    setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap();
    let pixels = setup.pixels().unwrap();
    pixels.chunks_exact(2).map(|pixel| u16::from_le_bytes([pixel[0], pixel[1]])).collect()
}

/// Pixels that differ, of all; and the largest difference of a channel, in its own steps.
fn difference(frame: &Frame, seeds: core::ops::Range<u32>) -> (usize, usize, u16) {
    let (mut different, mut all, mut largest) = (0, 0, 0);
    for seed in seeds {
        let vertices = triangles(frame, seed);
        let general = draw::<Small>(frame, &vertices, &Table(&[("RASTER_DEBUG", "nospans")]));
        let spans = draw::<Small>(frame, &vertices, &Table(&[]));
        assert_eq!(spans, draw::<Tiny>(frame, &vertices, &Table(&[])), "profiles, seed {seed}");
        all += general.len();
        for (a, b) in general.iter().zip(&spans) {
            different += usize::from(a != b);
            let parts = |x: u16| [x >> 11, x >> 5 & 63, x & 31];
            for (a, b) in parts(*a).into_iter().zip(parts(*b)) {
                largest = largest.max(a.abs_diff(b));
            }
        }
    }
    (different, all, largest)
}

const FRAME: Frame = Frame {
    fragment: COLOR,
    perspective: false,
    flat: false,
    depth: Some(CompareFunc::Less),
    reach: 0.7,
};

#[test]
fn constant_and_flat_colours_are_the_same() {
    for (reach, depth) in [(0.7, Some(CompareFunc::Less)), (0.1, None), (3.0, None)] {
        let frame = Frame { flat: true, reach, depth, perspective: true, ..FRAME };
        assert_eq!(difference(&frame, 0..6).0, 0, "flat, {reach}");
    }
}

#[test]
fn interpolated_colours_differ_by_a_step_where_they_tie() {
    use CompareFunc::{Always, Greater, Less, LessEqual};
    for fragment in [COLOR, MIXED] {
        for (perspective, limit) in [(false, 500), (true, 500)] {
            let (mut different, mut all) = (0, 0);
            for depth in [None, Some(Less), Some(LessEqual), Some(Greater), Some(Always)] {
                for reach in [0.08, 0.7, 2.5] {
                    let frame = Frame { fragment, perspective, depth, reach, ..FRAME };
                    let (more, pixels, largest) = difference(&frame, 0..3);
                    assert!(largest <= 1, "a difference of {largest} steps");
                    (different, all) = (different + more, all + pixels);
                }
            }
            assert!(different * limit <= all, "{different} of {all}, perspective {perspective}");
        }
    }
}

/// The place of a texel of [`draw`]'s texture.
fn texel(value: u16) -> Option<[u16; 2]> {
    let at = (0..512u16).find(|texel| texel.wrapping_mul(40_503) == value)?;
    Some([at % 32, at / 32])
}

#[test]
fn nearest_texels_differ_at_their_edges_only() {
    for (perspective, limit) in [(false, 5_000), (true, 500)] {
        let (mut different, mut all) = (0, 0);
        for (reach, seed) in (0..18).map(|seed| ([0.1, 0.7, 2.5][seed as usize % 3], seed)) {
            let frame = Frame { fragment: TEXEL, perspective, reach, ..FRAME };
            let vertices = triangles(&frame, seed);
            let general = draw::<Small>(&frame, &vertices, &Table(&[("RASTER_DEBUG", "nospans")]));
            let spans = draw::<Small>(&frame, &vertices, &Table(&[]));
            assert_eq!(spans, draw::<Tiny>(&frame, &vertices, &Table(&[])), "seed {seed}");
            all += general.len();
            for (a, b) in general.into_iter().zip(spans).filter(|(a, b)| a != b) {
                different += 1;
                let (Some([s, t]), Some([u, v])) = (texel(a), texel(b)) else { panic!("no texel") };
                let near = |a: u16, b: u16, size: u16| {
                    matches!((b + size - a) % size, 0 | 1) || (a + size - b) % size == 1
                };
                assert!(near(s, u, 32) && near(t, v, 16), "{s} {t}, {u} {v}");
            }
        }
        assert!(different * limit <= all, "{different} of {all}, perspective {perspective}");
    }
}
