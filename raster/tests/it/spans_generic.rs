//! The generic kernel against the general path: every kind of target, texture, blend and test.

use crate::common::*;
use crate::frames::*;
use formats::Format;
use pipe_core::CompareFunc;
use pipe_core::state::{BlendFactor, BlendFunc, ColorMask, RenderTargetBlendState, TexWrap};

const WRAPS: [TexWrap; 5] = [
    TexWrap::Repeat,
    TexWrap::ClampToEdge,
    TexWrap::MirrorRepeat,
    TexWrap::MirrorClampToEdge,
    TexWrap::Clamp,
];

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

/// Every pair of factors, with the functions in turn. Factors that the kernel lacks go through the
/// general path; with all other factors a pixel differs by a step only where the value ties.
#[test]
fn every_blend_factor_is_drawn() {
    let mut all = Difference::default();
    for (i, source) in BlendFactor::ALL.iter().enumerate() {
        for (j, destination) in BlendFactor::ALL.iter().enumerate() {
            let func = BlendFunc::ALL[(i + j) % BlendFunc::ALL.len()];
            let frame = Frame {
                fragment: MIXED,
                target: TARGETS[(i + 2 * j) % TARGETS.len()],
                blend: Some(RenderTargetBlendState::uniform(func, *source, *destination)),
                triangles: 2,
                ..FRAME
            };
            let difference = Difference::of(&frame, (19 * i + j) as u32);
            assert_eq!(difference.much, 0, "{frame:?}");
            all.add(difference);
        }
    }
    assert!(all.different * 500 <= all.pixels, "{all:?}");
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
