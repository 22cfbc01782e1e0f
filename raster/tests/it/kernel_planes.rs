//! Texels and depths that the kernels draw over clipped triangles and slivers, against the solution
//! in homogeneous coordinates.

use crate::common::*;
use crate::exact::{Exact, KINDS, SIDE, vertices};
use formats::Format;
use gallium_raster::{Host, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, CompareFunc, DepthStencilAlphaState, PrimType, ResourceTemplate, SamplerState,
    SamplerViewTemplate, ShaderType, TexWrap,
};

in_all_profiles! {
    kernels_draw_true_planes
}

/// The texels along a side of the texture, and the repetitions over a coordinate of the triangles.
const TEXELS: usize = 256;
const REPEATS: f32 = 4.0;

/// A target and texture of a kernel, and a depth buffer.
#[derive(Clone, Copy, Debug)]
struct Formats {
    color: Format,
    depth: Format,
}

/// The kernels of this build.
fn kernels() -> Vec<Formats> {
    let all = cfg!(feature = "fragments");
    let mut kernels = Vec::new();
    if all || cfg!(feature = "spans-565") {
        kernels.push(Formats { color: Format::B5G6R5Unorm, depth: Format::Z16Unorm });
    }
    if all || cfg!(feature = "spans-generic") {
        kernels.push(Formats { color: Format::L8Unorm, depth: Format::Z32Unorm });
    }
    if all || cfg!(feature = "spans-all") {
        kernels.push(Formats { color: Format::R8G8B8A8Unorm, depth: Format::Z32Unorm });
    }
    kernels
}

impl Formats {
    /// Returns a texture with texels that tell their column and row.
    fn texels(self) -> Vec<u8> {
        let places = (0..TEXELS).flat_map(|t| (0..TEXELS).map(move |s| [s as u8, t as u8]));
        places
            .flat_map(|[s, t]| match self.color {
                Format::B5G6R5Unorm => vec![s, t],
                Format::L8Unorm => vec![s],
                _ => vec![s, t, 0, 255],
            })
            .collect()
    }

    /// Returns the number of coordinates that a pixel tells.
    fn coordinates(self) -> usize {
        if self.color == Format::L8Unorm { 1 } else { 2 }
    }

    /// Returns the depth of a pixel, from the bytes of the buffer.
    fn depth(self, bytes: &[u8], at: usize) -> f64 {
        match self.depth {
            Format::Z16Unorm => {
                let bytes = bytes[2 * at..2 * at + 2].try_into().unwrap();
                f64::from(u16::from_le_bytes(bytes)) / 65_535.0
            }
            _ => {
                let bytes = bytes[4 * at..4 * at + 4].try_into().unwrap();
                f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
            }
        }
    }

    /// Returns the rounding of stored depths.
    fn step(self) -> f64 {
        if self.depth == Format::Z16Unorm { 1.0 / 65_535.0 } else { 0.0 }
    }
}

fn kernels_draw_true_planes<P: gallium_raster::Profile>() {
    for formats in kernels() {
        let screen = screen::<P>(Os::host(), 0);
        let size = SIDE as u32;
        let (format, depth) = (formats.color, Some(formats.depth));
        let options = Options { width: size, height: size, format, depth, ..Options::default() };
        let mut setup = Setup::new(&screen, options).unwrap();
        setup.shaders(PASS, TEXEL).unwrap();
        setup.depth_test(&DepthStencilAlphaState::depth(CompareFunc::LessEqual)).unwrap();
        let side = TEXELS as u32;
        let template = ResourceTemplate::texture_2d(formats.color, side, side, Bind::SAMPLER_VIEW);
        let image = setup.image(&screen, &template, &formats.texels()).unwrap();
        let view = SamplerViewTemplate::whole(&template);
        let sampler =
            SamplerState { wrap_s: TexWrap::Repeat, wrap_t: TexWrap::Repeat, ..nearest() };
        setup.texture(ShaderType::Fragment, image, &view, &sampler).unwrap();
        for kind in KINDS {
            let (mut pixels, mut value, mut depth) = (0, 0.0f64, 0.0f64);
            for (corners, values) in kind.triangles(40) {
                let values = values.map(|values| values.map(|value| value * REPEATS));
                let Some(exact) = Exact::new(&corners, &values) else { continue };
                let vertices = vertices(&corners, values);
                setup.upload(&screen, &vertices).unwrap();
                setup.clear([0.0; 4], 1.0).unwrap();
                setup.draw(PrimType::Triangles, 3).unwrap();
                let colors = setup.pixels().unwrap();
                let depths = setup.read(setup.depth.unwrap()).unwrap();
                let bytes = formats.color.block_bytes();
                for at in 0..SIDE * SIDE {
                    let (x, y) = ((at % SIDE) as f64 + 0.5, (at / SIDE) as f64 + 0.5);
                    if exact.margin(x, y, true) < 0.006 {
                        continue;
                    }
                    pixels += 1;
                    for index in 0..formats.coordinates() {
                        let texels = |x: f64, y: f64| exact.value(index, x, y) * TEXELS as f64;
                        let slope = steepness(&texels, x, y);
                        let off = beyond(colors[at * bytes + index], texels(x, y));
                        value = value.max((off - SLACK).max(0.0) / slope);
                    }
                    let z = |x: f64, y: f64| exact.z(x, y) * 0.5 + 0.5;
                    let off = (formats.depth(&depths, at) - z(x, y)).abs() - formats.step();
                    // Steep depths may be off by their change over a 4000th of a pixel.
                    depth = depth.max(off - steepness(&z, x, y) * 2.5e-4);
                }
            }
            let found = format!("{formats:?} {kind:?}: {pixels} {value} {}", depth * STEPS);
            assert!(pixels > 30 && value <= 0.02 && depth * STEPS <= 40.0, "{found}");
        }
    }
}

/// The steps of 24 bits.
const STEPS: f64 = 16_777_216.0;

/// The rounding of coordinates, in texels: see the table at the head of `raster/src/span/mod.rs`.
const SLACK: f64 = 0.1;

/// Returns the change of a value over a pixel.
fn steepness(value: &impl Fn(f64, f64) -> f64, x: f64, y: f64) -> f64 {
    let small = 1e-3;
    let right = value(x + small, y) - value(x - small, y);
    let down = value(x, y + small) - value(x, y - small);
    right.hypot(down) / (2.0 * small)
}

/// Returns the distance from a place to a texel of a texture that repeats.
fn beyond(texel: u8, place: f64) -> f64 {
    let side = TEXELS as f64;
    // From the texel's middle.
    let from = (place - f64::from(texel) - 0.5 + side / 2.0).rem_euclid(side) - side / 2.0;
    (from.abs() - 0.5).max(0.0)
}
