//! Stamps: four quads in quad order that cover 4×4 neighbouring pixels, so that they move as rows
//! of four pixels.
//!
//! ```text
//!   lanes    0  1  4  5     a quad in each corner; rows of pixels come from memory and go there,
//!            2  3  6  7     lanes are in quad order, as derivatives need them
//!            8  9 12 13
//!           10 11 14 15
//! ```

use tgsi::exec::Lanes;

use super::QuadPosition;
use crate::features::SMALL_CODE;

/// The lanes of a stamp.
pub(crate) const STAMP: usize = 16;

/// The column of each lane's pixel in its stamp.
pub(crate) const STAMP_X: [i32; STAMP] = [0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3];
/// The row of each lane's pixel in its stamp.
pub(crate) const STAMP_Y: [i32; STAMP] = [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3];

/// Returns the number of stamps that a batch holds. It is 0 if a batch has too few lanes, or if
/// code must be small: then quads suffice.
#[inline(always)]
pub(crate) const fn stamps_per_batch<R: Lanes>() -> usize {
    if SMALL_CODE { 0 } else { R::COUNT / STAMP }
}

/// Returns the four quads of the stamp at `first`, its first pixel.
#[inline(always)]
pub(crate) fn stamp_quads(first: QuadPosition) -> [QuadPosition; 4] {
    let QuadPosition { x, y } = first;
    let (right, down) = (x.wrapping_add(2), y.wrapping_add(2));
    [
        first,
        QuadPosition { x: right, y },
        QuadPosition { x, y: down },
        QuadPosition { x: right, y: down },
    ]
}

/// Converts a stamp's rows of pixels to lanes.
#[inline(always)]
pub(crate) fn lanes_of_rows<T: Copy>([a, b, c, d]: [[T; 4]; 4]) -> [T; STAMP] {
    [
        a[0], a[1], b[0], b[1], a[2], a[3], b[2], b[3], //
        c[0], c[1], d[0], d[1], c[2], c[3], d[2], d[3],
    ]
}

/// Converts a stamp's lanes to rows of pixels.
#[inline(always)]
pub(crate) fn rows_of_lanes<T: Copy>(lanes: &[T; STAMP]) -> [[T; 4]; 4] {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *lanes;
    [[a, b, e, f], [c, d, g, h], [i, j, m, n], [k, l, o, p]]
}

/// Returns the covered lanes of the four stamps in four rows of 16 pixels: 16 bits per stamp, the
/// leftmost stamp lowest.
#[inline(always)]
pub(crate) fn stamp_masks([a, b, c, d]: [u16; 4]) -> u64 {
    let [a, b, c, d] = [a, b, c, d].map(u64::from);
    let pairs = a | b << 16 | c << 32 | d << 48;
    // The index of a pair of pixels has, from the highest bit, two bits for the row, two for the stamp and one for the
    // half of the stamp. In lanes it has two for the stamp, the row's high bit, the half, and the row's low bit.
    let pairs = exchange::<4, 2>(pairs);
    exchange::<1, 0>(exchange::<3, 1>(pairs))
}

/// Swaps bits `HIGH` and `LOW` in the index of each pair of bits.
#[inline(always)]
const fn exchange<const HIGH: u32, const LOW: u32>(pairs: u64) -> u64 {
    let distance = 2 * ((1 << HIGH) - (1 << LOW));
    // The pairs that move up.
    let lower = const {
        let (mut places, mut index) = (0, 0);
        while index < 32 {
            if index >> HIGH & 1 == 0 && index >> LOW & 1 == 1 {
                places |= 3 << (2 * index);
            }
            index += 1;
        }
        places
    };
    let changed = (pairs >> distance ^ pairs) & lower;
    pairs ^ changed ^ changed << distance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_rows_and_masks_name_the_same_pixels() {
        let places: [[(i32, i32); 4]; 4] = [0, 1, 2, 3].map(|y| [0, 1, 2, 3].map(|x| (x, y)));
        let lanes = lanes_of_rows(places);
        for (lane, place) in lanes.iter().enumerate() {
            assert_eq!(*place, (STAMP_X[lane], STAMP_Y[lane]));
            let quad = stamp_quads(QuadPosition::default())[lane / 4];
            let (x, y) = super::super::pixel(quad, lane % 4);
            assert_eq!(*place, (x as i32, y as i32));
        }
        assert_eq!(rows_of_lanes(&lanes), places);
        for stamp in 0..4 {
            for (lane, (x, y)) in lanes.iter().enumerate() {
                let mut rows = [0; 4];
                rows[*y as usize] = 1u16 << (4 * stamp + x);
                assert_eq!(stamp_masks(rows), 1 << (16 * stamp as usize + lane));
            }
        }
    }
}
