//! Frames of random triangles, drawn with and without integer spans, and their differences.
//!
//! Spans are on unless `RASTER_DEBUG=nospans` is set (feature `desktop`).
#![allow(unreachable_pub, missing_docs, reason = "shared by test files")]

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Small, Tiny};
use os_shim::options::Table;
use os_shim::{Memory, Os};
use pipe_core::state::{
    ColorMask, RenderTargetBlendState, SamplerState, TexFilter, TexMipFilter, TexWrap,
};
use pipe_core::{
    Bind, BlendState, CompareFunc, DepthStencilAlphaState, PrimType, RasterizerState,
    ResourceTemplate, SamplerViewTemplate, ShaderState, ShaderType,
};
use tgsi::program::Program;

pub const WIDTH: u32 = 150;
pub const HEIGHT: u32 = 90;

/// Multiplies the texel by a varying; alpha is a constant.
pub const LIT_TEXEL: &str = "FRAG
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

/// Multiplies the texel by a varying and by a constant.
pub const TINTED_TEXEL: &str = "FRAG
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

/// Takes red and alpha from the constants, green and blue from the vertex.
pub const MIXED: &str = "FRAG
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR
DCL CONST[0]
MOV OUT[0].xw, CONST[0]
MOV OUT[0].yz, IN[0]
END";

/// The targets of the generic kernel.
pub const TARGETS: &[Format] = if cfg!(feature = "spans-all") {
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

/// The textures of the generic kernel.
pub const TEXTURES: [Format; 7] = [
    Format::R8G8B8A8Unorm,
    Format::B8G8R8X8Unorm,
    Format::B5G6R5Unorm,
    Format::L8Unorm,
    Format::A8Unorm,
    Format::L8A8Unorm,
    Format::B5G5R5A1Unorm,
];

/// A frame of triangles and its state.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub fragment: &'static str,
    /// The fragment program that replaces `fragment`, as in firmware.
    pub program: Option<&'static Program<'static>>,
    pub target: Format,
    pub texture: Format,
    /// Width and height of the texture.
    pub size: (u32, u32),
    pub filter: TexFilter,
    /// The mip filter; with `None` the texture has one level.
    pub mip: TexMipFilter,
    pub wrap: [TexWrap; 2],
    /// The least and the greatest texture coordinate.
    pub coordinates: [f32; 2],
    pub perspective: bool,
    pub flat: bool,
    pub depth: Option<(Format, CompareFunc)>,
    pub alpha: Option<(CompareFunc, f32)>,
    pub blend: Option<RenderTargetBlendState>,
    pub mask: ColorMask,
    /// The largest edge of a triangle in clip space.
    pub reach: f32,
    pub triangles: u32,
}

pub const FRAME: Frame = Frame {
    fragment: COLOR,
    program: None,
    target: Format::L8Unorm,
    texture: Format::R8G8B8A8Unorm,
    size: (32, 16),
    filter: TexFilter::Nearest,
    mip: TexMipFilter::None,
    wrap: [TexWrap::Repeat; 2],
    coordinates: [-1.5, 2.5],
    perspective: false,
    flat: false,
    depth: Some((Format::Z16Unorm, CompareFunc::Less)),
    alpha: None,
    blend: None,
    mask: ColorMask::RGBA,
    reach: 0.7,
    triangles: 30,
};

impl Frame {
    /// Returns random triangles. If the program has a texture, the first two components of their
    /// colours are texture coordinates.
    pub fn vertices(&self, seed: u32) -> Vec<Vertex> {
        let mut random = Random(seed);
        let mut vertices = Vec::new();
        for _ in 0..self.triangles {
            let middle = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
            for _ in 0..3 {
                let w = if self.perspective { random.between(0.5, 6.0) } else { 1.0 };
                let place = |random: &mut Random, axis: usize| {
                    middle[axis] + random.between(-self.reach, self.reach)
                };
                let (x, y) = (place(&mut random, 0), place(&mut random, 1));
                let z = random.between(-0.95, 0.95);
                let mut color = [(); 4].map(|()| random.next());
                if self.fragment.contains("TEX") {
                    let [low, high] = self.coordinates;
                    color[0] = random.between(low, high);
                    color[1] = random.between(low, high);
                }
                vertices.push(Vertex { position: [x * w, y * w, z * w, w], color });
            }
        }
        vertices
    }

    /// Returns the texture's bytes; 16-bit texels are all different.
    fn texels(&self) -> Vec<u8> {
        let (width, height) = self.size;
        let size = self.texture.block_bytes();
        let word = |texel: u32| {
            let low = texel.wrapping_mul(40_503);
            (low ^ low.wrapping_mul(0x9e37_79b1) & 0xffff_0000).to_le_bytes()
        };
        (0..width * height).flat_map(|texel| word(texel).into_iter().take(size)).collect()
    }

    /// Draws the vertices in a profile.
    pub fn draw<P: gallium_raster::Profile>(&self, vertices: &[Vertex], flags: &Table) -> Vec<u8> {
        let os = Os { options: flags, ..Os::bare(Memory::system()) };
        let screen = screen::<P>(os, 0);
        let depth = self.depth.map(|(format, _)| format);
        let (width, height, format) = (WIDTH, HEIGHT, self.target);
        let options = Options { width, height, format, depth, ..Options::default() };
        let mut setup = Setup::new(&screen, options).unwrap();
        setup.shaders(PASS, self.fragment).unwrap();
        if let Some(program) = self.program {
            let program = setup.context.create_fs_state(&ShaderState::program(program)).unwrap();
            setup.context.bind_fs_state(Some(program)).unwrap();
        }
        setup.rasterizer(&RasterizerState { flatshade: self.flat, ..rasterizer() }).unwrap();
        let mut tests = DepthStencilAlphaState::default();
        if let Some((_, func)) = self.depth {
            tests = DepthStencilAlphaState::depth(func);
        }
        if let Some((func, reference)) = self.alpha {
            (tests.alpha_enabled, tests.alpha_func, tests.alpha_ref_value) =
                (true, func, reference);
        }
        setup.depth_test(&tests).unwrap();
        let blend =
            RenderTargetBlendState { colormask: self.mask, ..self.blend.unwrap_or_default() };
        setup.blend(&BlendState::uniform(blend)).unwrap();
        // No value ties on any target.
        setup.constants(ShaderType::Fragment, &[0.31, 0.62, 0.93, 0.71]).unwrap();
        let (width, height) = self.size;
        let mut template =
            ResourceTemplate::texture_2d(self.texture, width, height, Bind::SAMPLER_VIEW);
        if self.mip != TexMipFilter::None {
            template = template.mipmapped();
        }
        let image = setup.image(&screen, &template, &self.texels()).unwrap();
        if let last @ 1.. = template.last_level {
            setup.context.generate_mipmap(image, self.texture, 0, last, 0, 0).unwrap();
        }
        let sampler = SamplerState {
            min_img_filter: self.filter,
            mag_img_filter: self.filter,
            min_mip_filter: self.mip,
            wrap_s: self.wrap[0],
            wrap_t: self.wrap[1],
            ..nearest()
        };
        let view = SamplerViewTemplate::whole(&template);
        setup.texture(ShaderType::Fragment, image, &view, &sampler).unwrap();
        setup.clear([0.1, 0.5, 0.9, 0.4], 1.0).unwrap();
        setup.upload(&screen, vertices).unwrap();
        setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap();
        setup.pixels().unwrap()
    }

    /// Draws the frame without and with spans; with spans, all profiles must agree.
    pub fn both(&self, seed: u32) -> [Vec<u8>; 2] {
        let vertices = self.vertices(seed);
        let general = self.draw::<Small>(&vertices, &Table(&[("RASTER_DEBUG", "nospans")]));
        let spans = self.draw::<Small>(&vertices, &Table(&[]));
        assert_eq!(spans, self.draw::<Tiny>(&vertices, &Table(&[])), "{self:?}, seed {seed}");
        if seed.is_multiple_of(4) {
            assert_eq!(spans, self.draw::<Host>(&vertices, &Table(&[])), "{self:?}, seed {seed}");
        }
        [general, spans]
    }
}

/// Returns a pixel's channels as integers.
fn channels(format: Format, pixel: &[u8]) -> [i32; 4] {
    let word = |i: usize| i32::from(pixel.get(i).copied().unwrap_or(0));
    let short = word(0) | word(1) << 8;
    match format {
        Format::B5G6R5Unorm => [short >> 11, short >> 5 & 63, short & 31, 0],
        Format::B4G4R4A4Unorm => [0, 4, 8, 12].map(|shift| short >> shift & 15),
        _ => [0, 1, 2, 3].map(word),
    }
}

/// The pixels where spans and the general path differ.
#[derive(Clone, Copy, Default, Debug)]
pub struct Difference {
    pub pixels: usize,
    /// The number of pixels that differ, and of pixels that differ by more than a step.
    pub different: usize,
    pub much: usize,
}

impl Difference {
    pub fn of(frame: &Frame, seed: u32) -> Difference {
        let [general, spans] = frame.both(seed);
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

    pub fn add(&mut self, other: Difference) {
        self.pixels += other.pixels;
        self.different += other.different;
        self.much += other.much;
    }
}
