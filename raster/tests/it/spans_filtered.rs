//! Means of texels in the RGB565 kernel: by hand, and against the general path.

use crate::common::*;
use crate::frames::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::state::{SamplerState, TexFilter, TexMipFilter, TexWrap};
use pipe_core::{
    Bind, MapFlags, PrimType, Region, ResourceTemplate, SamplerViewTemplate, ShaderType,
};

in_all_profiles! { means_in_a_level_are_those_of_four_texels levels_are_mixed_by_lambda }

const FORMAT: Format = Format::B5G6R5Unorm;

const FRAME: Frame = Frame {
    fragment: TEXEL,
    target: FORMAT,
    texture: FORMAT,
    filter: TexFilter::Linear,
    ..crate::frames::FRAME
};

/// Returns texels' bytes from their red, green and blue as RGB565 integers.
fn words(texels: &[[u16; 3]]) -> Vec<u8> {
    texels.iter().flat_map(|[r, g, b]| (r << 11 | g << 5 | b).to_le_bytes()).collect()
}

/// Draws a texture of two levels over a target of 4×2; a pixel spans `step` texels of the first
/// level, and the first pixel's middle lies at `first`.
fn shown<P: Profile>(levels: [&[u8]; 2], mip: TexMipFilter, first: [f32; 2], step: f32) -> Vec<u8> {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup =
        Setup::new(&screen, Options { width: 4, height: 2, format: FORMAT, ..Options::default() })
            .unwrap();
    setup.shaders(PASS, TEXEL).unwrap();
    let base = ResourceTemplate::texture_2d(FORMAT, 4, 2, Bind::SAMPLER_VIEW);
    let template = ResourceTemplate { last_level: 1, ..base };
    let image = setup.image(&screen, &template, levels[0]).unwrap();
    let place = Region::whole(2, 1, 1);
    setup.context.texture_subdata(image, 1, MapFlags::WRITE, &place, levels[1], 4, 4).unwrap();
    let sampler = SamplerState {
        min_img_filter: TexFilter::Linear,
        mag_img_filter: TexFilter::Linear,
        min_mip_filter: mip,
        wrap_s: TexWrap::Repeat,
        wrap_t: TexWrap::Repeat,
        ..nearest()
    };
    let view = SamplerViewTemplate::whole(&template);
    setup.texture(ShaderType::Fragment, image, &view, &sampler).unwrap();
    let corner = |x: f32, y: f32| {
        let along = |pixel: f32, first: f32, size: f32| (first + (pixel - 0.5) * step) / size;
        let place = [along(2.0 + 2.0 * x, first[0], 4.0), along(1.0 + y, first[1], 2.0)];
        Vertex { position: [x, y, 0.0, 1.0], color: [place[0], place[1], 0.0, 0.0] }
    };
    let corners = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    setup.upload(&screen, &corners).unwrap();
    setup.draw(PrimType::TriangleFan, 4).unwrap();
    setup.pixels().unwrap()
}

fn means_in_a_level_are_those_of_four_texels<P: Profile>() {
    let texels = [
        [[0, 0, 31], [8, 16, 31], [24, 4, 7], [4, 60, 3]],
        [[8, 20, 3], [24, 8, 3], [0, 0, 31], [12, 4, 11]],
    ];
    let base = words(texels.as_flattened());
    let show = |first| shown::<P>([&base, &[0; 4]], TexMipFilter::None, first, 1.0);
    assert_eq!(show([0.5, 0.5]), base);
    // Moved by a texel, by a row, and by whole repeats: the texels move.
    let moved = [
        [[24, 8, 3], [0, 0, 31], [12, 4, 11], [8, 20, 3]],
        [[8, 16, 31], [24, 4, 7], [4, 60, 3], [0, 0, 31]],
    ];
    assert_eq!(show([1.5, 1.5]), words(moved.as_flattened()));
    assert_eq!(show([-38.5, 41.5]), words(moved.as_flattened()));
    // Half a texel further: (0 + 8) / 2, (0 + 16) / 2, (31 + 31) / 2 …; the last texel with the
    // first.
    let two = [
        [[4, 8, 31], [16, 10, 19], [14, 32, 5], [2, 30, 17]],
        [[16, 14, 3], [12, 4, 17], [6, 2, 21], [10, 12, 7]],
    ];
    assert_eq!(show([1.0, 0.5]), words(two.as_flattened()));
    // Between rows, too: (0 + 8 + 8 + 24) / 4, (0 + 16 + 20 + 8) / 4, (31 + 31 + 3 + 3) / 4 …
    let four = [[10, 11, 17], [14, 7, 18], [10, 17, 13], [6, 21, 12]];
    assert_eq!(show([1.0, 1.0]), words(&[four, four].concat()));
    // A quarter of the way along s: (3 * 0 + 8) / 4, (3 * 8 + 24) / 4, (3 * 24 + 4) / 4 …
    let quarter = show([0.75, 0.5]);
    let red = |pixel: usize| quarter.get(2 * pixel + 1).map(|byte| byte >> 3);
    assert_eq!([0, 1, 2, 3].map(red), [Some(2), Some(12), Some(19), Some(3)]);
}

fn levels_are_mixed_by_lambda<P: Profile>() {
    // One colour per level, so that only the levels' weights show.
    let (near, far) = ([[0, 8, 30]; 8], [[16, 40, 2]; 2]);
    let levels = [words(&near), words(&far)];
    let show = |mip, step: f32| {
        let pixels = shown::<P>([&levels[0], &levels[1]], mip, [0.5, 0.5], step);
        let [first, rest @ ..] = pixels.as_chunks::<2>().0 else { panic!("no pixels") };
        assert!(rest.iter().all(|pixel| pixel == first), "{pixels:?}");
        first.to_vec()
    };
    let half = words(&[[8, 24, 16]]);
    let root = core::f32::consts::SQRT_2;
    // λ is the logarithm of the step: 0, ½, 1, 2, and -1.
    for (step, expected) in [(1.0, &near[0]), (2.0, &far[0]), (4.0, &far[0]), (0.5, &near[0])] {
        assert_eq!(show(TexMipFilter::Linear, step), words(&[*expected]), "{step}");
    }
    assert_eq!(show(TexMipFilter::Linear, root), half);
    assert_eq!(show(TexMipFilter::Nearest, 1.4), words(&near[..1]));
    assert_eq!(show(TexMipFilter::Nearest, 1.5), words(&far[..1]));
    assert_eq!(show(TexMipFilter::None, 4.0), words(&near[..1]));
}

/// Adds up the differences of a frame over textures of several sizes, with and without perspective.
fn difference(frame: Frame) -> Difference {
    let mut all = Difference::default();
    let sizes = [(32, 16), (64, 64), (1, 128), (256, 2), (1, 1), (512, 256)];
    for (seed, size) in (0..).zip(sizes) {
        for perspective in [false, true] {
            all.add(Difference::of(&Frame { size, perspective, ..frame }, seed));
        }
    }
    all
}

#[test]
fn means_in_a_level_differ_by_a_step_in_few_pixels() {
    for fragment in [TEXEL, LIT_TEXEL] {
        let all = difference(Frame { fragment, ..FRAME });
        assert_eq!(all.much, 0, "{all:?}");
        assert!(all.different * 8 <= all.pixels, "{all:?}");
    }
}

#[test]
fn means_of_levels_differ_by_a_step_in_few_pixels() {
    // The general path has one λ per quad. Neighbouring texels in noise differ much from level to
    // level.
    for (mip, much) in [(TexMipFilter::Linear, 300), (TexMipFilter::Nearest, 100)] {
        for (fragment, reach) in [(TEXEL, 0.7), (LIT_TEXEL, 0.7), (LIT_TEXEL, 0.2)] {
            let all = difference(Frame { fragment, mip, reach, ..FRAME });
            assert!(all.different * 12 <= all.pixels, "{mip:?}: {all:?}");
            assert!(all.much * much <= all.pixels, "{mip:?}: {all:?}");
        }
    }
}
