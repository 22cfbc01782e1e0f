//! Staged spans against the general path: every kind of target, texture, blend and test.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Small, Tiny};
use os_shim::options::Table;
use os_shim::{Memory, Os};
use pipe_core::state::{
    BlendFactor, BlendFunc, ColorMask, RenderTargetBlendState, SamplerState, TexFilter,
    TexMipFilter, TexWrap,
};
use pipe_core::{
    Bind, BlendState, CompareFunc, DepthStencilAlphaState, MapFlags, PrimType, RasterizerState,
    Region, ResourceTemplate, SamplerViewTemplate, Screen as _, ShaderType,
};

const WIDTH: u32 = 150;
const HEIGHT: u32 = 90;

/// The texel.
const TEXEL: &str = "FRAG
DCL IN[0], COLOR, PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
TEX OUT[0], IN[0], SAMP[0], 2D
END";

/// The texel times a varying; alpha from the constants.
const LIT_TEXEL: &str = "FRAG
DCL IN[0], COLOR, PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL CONST[0]
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
MUL OUT[0].xyz, TEMP[0], IN[0].zzzz
MOV OUT[0].w, CONST[0].xxxx
END";

/// The texel times a varying times a constant.
const TINTED_TEXEL: &str = "FRAG
DCL IN[0], COLOR, PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL CONST[0]
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
MUL TEMP[0], TEMP[0], IN[0].zzzw
MUL OUT[0], TEMP[0], CONST[0]
END";

/// A colour from the constants, and one from the vertex.
const MIXED: &str = "FRAG
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR
DCL CONST[0]
MOV OUT[0].xw, CONST[0]
MOV OUT[0].yz, IN[0]
END";

const TARGETS: &[Format] = if cfg!(feature = "spans-all") {
    &[
        Format::B8G8R8A8Unorm,
        Format::R8G8B8A8Unorm,
        Format::A8R8G8B8Unorm,
        Format::B8G8R8X8Unorm,
        Format::B5G6R5Unorm,
        Format::L8Unorm,
        Format::R8Unorm,
        Format::B4G4R4A4Unorm,
    ]
} else {
    &[Format::L8Unorm, Format::R8Unorm, Format::A8Unorm]
};

const TEXTURES: [Format; 7] = [
    Format::R8G8B8A8Unorm,
    Format::B8G8R8X8Unorm,
    Format::B5G6R5Unorm,
    Format::L8Unorm,
    Format::A8Unorm,
    Format::L8A8Unorm,
    Format::B5G5R5A1Unorm,
];

const WRAPS: [TexWrap; 5] = [
    TexWrap::Repeat,
    TexWrap::ClampToEdge,
    TexWrap::MirrorRepeat,
    TexWrap::MirrorClampToEdge,
    TexWrap::Clamp,
];

struct Random(u32);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 24) as f32
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.next()
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[(self.next() * list.len() as f32) as usize]
    }
}

/// What is drawn.
#[derive(Clone, Copy, Debug)]
struct Frame {
    fragment: &'static str,
    target: Format,
    texture: Format,
    /// Width and height of the texture.
    size: (u32, u32),
    wrap: [TexWrap; 2],
    perspective: bool,
    flat: bool,
    depth: Option<(Format, CompareFunc)>,
    alpha: Option<(CompareFunc, f32)>,
    blend: Option<RenderTargetBlendState>,
    mask: ColorMask,
    /// Largest edge of a triangle in clip space.
    reach: f32,
    triangles: u32,
}

const FRAME: Frame = Frame {
    fragment: COLOR,
    target: Format::L8Unorm,
    texture: Format::R8G8B8A8Unorm,
    size: (32, 16),
    wrap: [TexWrap::Repeat; 2],
    perspective: false,
    flat: false,
    depth: Some((Format::Z16Unorm, CompareFunc::Less)),
    alpha: None,
    blend: None,
    mask: ColorMask::RGBA,
    reach: 0.7,
    triangles: 30,
};

fn triangles(frame: &Frame, seed: u32) -> Vec<Vertex> {
    let mut random = Random(seed);
    let mut vertices = Vec::new();
    for _ in 0..frame.triangles {
        let middle = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
        for _ in 0..3 {
            let w = if frame.perspective { random.between(0.5, 6.0) } else { 1.0 };
            let place = |random: &mut Random, axis: usize| {
                middle[axis] + random.between(-frame.reach, frame.reach)
            };
            let (x, y) = (place(&mut random, 0), place(&mut random, 1));
            let z = random.between(-0.95, 0.95);
            let mut color = [(); 4].map(|()| random.next());
            if frame.fragment.contains("TEX") {
                color[0] = random.between(-1.5, 2.5);
                color[1] = random.between(-1.5, 2.5);
            }
            vertices.push(Vertex { position: [x * w, y * w, z * w, w], color });
        }
    }
    vertices
}

fn draw<P: gallium_raster::Profile>(frame: &Frame, vertices: &[Vertex], flags: &Table) -> Vec<u8> {
    let os = Os { options: flags, ..Os::bare(Memory::system()) };
    let screen = screen::<P>(os, 0);
    let depth = frame.depth.map(|(format, _)| format);
    let (width, height, format) = (WIDTH, HEIGHT, frame.target);
    let options = Options { width, height, format, depth, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.shaders(PASS, frame.fragment).unwrap();
    setup.rasterizer(&RasterizerState { flatshade: frame.flat, ..rasterizer() }).unwrap();
    let mut tests = DepthStencilAlphaState::default();
    if let Some((_, func)) = frame.depth {
        tests = DepthStencilAlphaState::depth(func);
    }
    if let Some((func, reference)) = frame.alpha {
        (tests.alpha_enabled, tests.alpha_func, tests.alpha_ref_value) = (true, func, reference);
    }
    setup.depth_test(&tests).unwrap();
    let blend = RenderTargetBlendState { colormask: frame.mask, ..frame.blend.unwrap_or_default() };
    setup.blend(&BlendState::uniform(blend)).unwrap();
    // No ties of any target.
    setup.constants(ShaderType::Fragment, &[0.31, 0.62, 0.93, 0.71]).unwrap();
    let (width, height) = frame.size;
    let template = ResourceTemplate::texture_2d(frame.texture, width, height, Bind::SAMPLER_VIEW);
    let texture = screen.resource_create(&template).unwrap();
    let texel = frame.texture.block_bytes();
    let mut random = Random(7);
    let texels: Vec<u8> =
        (0..(width * height) as usize * texel).map(|_| random.between(0.0, 256.0) as u8).collect();
    let region = Region::whole(width, height, 1);
    let context = &mut setup.context;
    context
        .texture_subdata(texture, 0, MapFlags::WRITE, &region, &texels, width as usize * texel, 0)
        .unwrap();
    let view =
        context.create_sampler_view(texture, &SamplerViewTemplate::whole(&template)).unwrap();
    let sampler = SamplerState {
        min_img_filter: TexFilter::Nearest,
        mag_img_filter: TexFilter::Nearest,
        min_mip_filter: TexMipFilter::None,
        wrap_s: frame.wrap[0],
        wrap_t: frame.wrap[1],
        ..SamplerState::trilinear(TexWrap::Repeat)
    };
    let sampler = context.create_sampler_state(&sampler).unwrap();
    context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(sampler)]).unwrap();
    context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)]).unwrap();
    setup.clear([0.1, 0.5, 0.9, 0.4], 1.0).unwrap();
    setup.upload(&screen, vertices).unwrap();
    setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap();
    setup.pixels().unwrap()
}

/// A pixel's channels, in their own steps.
fn channels(format: Format, pixel: &[u8]) -> [i32; 4] {
    let word = |i: usize| i32::from(pixel.get(i).copied().unwrap_or(0));
    let short = word(0) | word(1) << 8;
    match format {
        Format::B5G6R5Unorm => [short >> 11, short >> 5 & 63, short & 31, 0],
        Format::B4G4R4A4Unorm => [0, 4, 8, 12].map(|shift| short >> shift & 15),
        _ => [0, 1, 2, 3].map(word),
    }
}

/// What spans draw otherwise than the general path.
#[derive(Clone, Copy, Default, Debug)]
struct Difference {
    pixels: usize,
    /// Those that differ at all, and by more than a step.
    different: usize,
    much: usize,
}

impl Difference {
    fn of(frame: &Frame, seed: u32) -> Difference {
        let vertices = triangles(frame, seed);
        let general = draw::<Small>(frame, &vertices, &Table(&[("RASTER_DEBUG", "nospans")]));
        let spans = draw::<Small>(frame, &vertices, &Table(&[]));
        assert_eq!(spans, draw::<Tiny>(frame, &vertices, &Table(&[])), "{frame:?}, seed {seed}");
        if seed.is_multiple_of(4) {
            assert_eq!(
                spans,
                draw::<Host>(frame, &vertices, &Table(&[])),
                "{frame:?}, seed {seed}"
            );
        }
        let mut difference = Difference::default();
        let size = frame.target.block_bytes();
        for (a, b) in general.chunks(size).zip(spans.chunks(size)) {
            let (a, b) = (channels(frame.target, a), channels(frame.target, b));
            let most = a.iter().zip(b).map(|(a, b)| (a - b).abs()).max().unwrap_or(0);
            difference.pixels += 1;
            difference.different += usize::from(most > 0);
            difference.much += usize::from(most > 1);
        }
        difference
    }

    fn add(&mut self, other: Difference) {
        self.pixels += other.pixels;
        self.different += other.different;
        self.much += other.much;
    }
}

#[test]
fn flat_colours_are_the_same_on_every_target() {
    for (seed, target) in (0..).zip(TARGETS.iter().copied()) {
        for mask in [ColorMask::RGBA, ColorMask::R | ColorMask::B] {
            let frame = Frame { target, flat: true, perspective: true, mask, ..FRAME };
            assert_eq!(Difference::of(&frame, seed).different, 0, "{target:?} {mask:?}");
        }
    }
}

#[test]
fn interpolated_colours_differ_by_a_step_where_they_tie() {
    for fragment in [COLOR, MIXED] {
        let mut all = Difference::default();
        for (seed, target) in (0..).zip(TARGETS.iter().copied()) {
            for (perspective, reach) in [(false, 0.1), (false, 2.5), (true, 0.7), (true, 2.5)] {
                let frame = Frame { fragment, target, perspective, reach, ..FRAME };
                all.add(Difference::of(&frame, seed));
            }
        }
        assert!(all.much == 0 && all.different * 1000 <= all.pixels, "{all:?}");
    }
}

#[test]
fn texels_differ_at_their_edges_only() {
    for fragment in [TEXEL, LIT_TEXEL, TINTED_TEXEL] {
        let mut all = Difference::default();
        for (seed, texture) in (0..).zip(TEXTURES) {
            for (seed, wrap) in (seed..).zip(WRAPS) {
                let wrap = [wrap, WRAPS[seed as usize % WRAPS.len()]];
                let size = [(32, 16), (13, 7), (1, 64)][seed as usize % 3];
                let perspective = seed % 2 == 0;
                let target = TARGETS[seed as usize % TARGETS.len()];
                let frame = Frame { fragment, texture, wrap, size, perspective, target, ..FRAME };
                all.add(Difference::of(&frame, seed));
            }
        }
        assert!(all.much * 2000 <= all.pixels && all.different * 1000 <= all.pixels, "{all:?}");
    }
}

#[test]
fn depth_of_every_size_is_the_same() {
    use CompareFunc::{Always, Equal, Greater, Less, LessEqual, NotEqual};
    let formats = [
        Format::Z16Unorm,
        Format::Z24X8Unorm,
        Format::X8Z24Unorm,
        Format::Z24UnormS8Uint,
        Format::S8UintZ24Unorm,
        Format::Z32Unorm,
    ];
    for (seed, format) in (0..).zip(formats) {
        for func in [Less, LessEqual, Greater, Equal, NotEqual, Always] {
            let frame = Frame { flat: true, depth: Some((format, func)), ..FRAME };
            assert_eq!(Difference::of(&frame, seed).different, 0, "{format:?} {func:?}");
        }
    }
}

#[test]
fn blends_and_alpha_tests_differ_by_a_step_where_they_tie() {
    use BlendFactor as F;
    let factors = [
        (F::SrcAlpha, F::InvSrcAlpha),
        (F::One, F::InvSrcAlpha),
        (F::One, F::One),
        (F::SrcAlpha, F::One),
        (F::DstColor, F::Zero),
        (F::Zero, F::SrcColor),
        (F::InvDstColor, F::One),
        (F::DstAlpha, F::InvDstAlpha),
        (F::ConstColor, F::InvConstAlpha),
    ];
    let funcs = [BlendFunc::Add, BlendFunc::Subtract, BlendFunc::ReverseSubtract, BlendFunc::Max];
    let mut random = Random(11);
    let mut all = Difference::default();
    for (seed, (source, destination)) in (0..).zip(factors.into_iter().cycle().take(45)) {
        let func = if random.next() < 0.7 { BlendFunc::Add } else { random.of(&funcs) };
        let alpha = (random.next() < 0.4)
            .then(|| (random.of(CompareFunc::ALL), random.of(&[0.25, 0.5, 0.7])));
        let frame = Frame {
            fragment: random.of(&[COLOR, MIXED, LIT_TEXEL, TINTED_TEXEL]),
            target: random.of(TARGETS),
            texture: random.of(&TEXTURES),
            perspective: random.next() < 0.5,
            mask: random.of(&[ColorMask::RGBA, ColorMask::RGBA, ColorMask::R | ColorMask::A]),
            blend: Some(RenderTargetBlendState::uniform(func, source, destination)),
            alpha,
            triangles: 8,
            ..FRAME
        };
        all.add(Difference::of(&frame, seed));
    }
    assert!(all.much * 2000 <= all.pixels && all.different * 500 <= all.pixels, "{all:?}");
}
