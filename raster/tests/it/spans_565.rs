//! The RGB565 kernel against the general path: frames with and without `RASTER_DEBUG=nospans`.

use crate::common::*;
use crate::frames::{self, Difference, Frame, MIXED};
use formats::Format;
use pipe_core::CompareFunc;
use tgsi_macros::tgsi;

const FRAME: Frame = Frame {
    target: Format::B5G6R5Unorm,
    texture: Format::B5G6R5Unorm,
    coordinates: [0.0, 1.0],
    triangles: 40,
    ..frames::FRAME
};

/// Adds up the differences of a frame over several seeds.
fn difference(frame: &Frame, seeds: core::ops::Range<u32>) -> Difference {
    let mut all = Difference::default();
    seeds.for_each(|seed| all.add(Difference::of(frame, seed)));
    all
}

/// Returns a 16-bit depth test by `func`.
fn z16(func: Option<CompareFunc>) -> Option<(Format, CompareFunc)> {
    func.map(|func| (Format::Z16Unorm, func))
}

#[test]
fn constant_and_flat_colours_are_the_same() {
    for (reach, depth) in [(0.7, Some(CompareFunc::Less)), (0.1, None), (3.0, None)] {
        let frame = Frame { flat: true, reach, depth: z16(depth), perspective: true, ..FRAME };
        assert_eq!(difference(&frame, 0..6).different, 0, "flat, {reach}");
    }
}

#[test]
fn interpolated_colours_differ_by_a_step_where_they_tie() {
    use CompareFunc::{Always, Greater, Less, LessEqual};
    for fragment in [COLOR, MIXED] {
        for (perspective, limit) in [(false, 400), (true, 400)] {
            let mut all = Difference::default();
            for depth in [None, Some(Less), Some(LessEqual), Some(Greater), Some(Always)] {
                for reach in [0.08, 0.7, 2.5] {
                    let frame = Frame { fragment, perspective, depth: z16(depth), reach, ..FRAME };
                    all.add(difference(&frame, 0..3));
                }
            }
            assert_eq!(all.much, 0, "differences of more than a step: {all:?}");
            assert!(all.different * limit <= all.pixels, "{all:?}, perspective {perspective}");
        }
    }
}

/// Returns the column and row of a texel of [`FRAME`]'s texture. All its texels differ.
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
            let [general, spans] = frame.both(seed).map(|bytes| {
                let words =
                    bytes.chunks_exact(2).map(|word| u16::from_le_bytes([word[0], word[1]]));
                words.collect::<Vec<u16>>()
            });
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

tgsi! {
    pixel;
    /// Arithmetic of every kind on a varying and constants. A span interpolates none of the
    /// results.
    static LIT: FRAG
    DCL IN[0], COLOR, PERSPECTIVE
    DCL OUT[0], COLOR
    DCL CONST[0]
    DCL TEMP[0..1]
    IMM[0] FLT32 { 0.5, 2.0, 0.25, 1.0 }
    MUL TEMP[1], CONST[0], IMM[0].yyyy
    DP4 TEMP[0].x, IN[0], IN[0]
    RSQ TEMP[0].x, TEMP[0].xxxx
    MUL TEMP[0], IN[0], TEMP[0].xxxx
    MAD TEMP[0].y, TEMP[0].zzzz, TEMP[1].xxxx, -IMM[0].zzzz
    POW TEMP[0].w, |TEMP[0].yyyy|, IMM[0].yyyy
    CMP TEMP[0].z, TEMP[0].yyyy, TEMP[1].zzzz, IN[0].xxxx
    MAX OUT[0].xyz, TEMP[0], TEMP[0].wwww
    MOV OUT[0].w, IMM[0].wwww
    END
}

#[test]
fn pixels_of_a_called_program_are_the_same() {
    let program = Some(&LIT);
    // Slivers, triangles of a few pixels, and triangles that cross many tiles.
    for (reach, perspective) in [(0.02, true), (0.08, false), (0.7, true), (2.5, true)] {
        for depth in [None, Some(CompareFunc::Less), Some(CompareFunc::GreaterEqual)] {
            let frame = Frame { program, perspective, depth: z16(depth), reach, ..FRAME };
            assert_eq!(difference(&frame, 0..5).different, 0, "{reach}, {depth:?}");
        }
    }
}
