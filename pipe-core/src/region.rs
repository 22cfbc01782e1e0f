//! Boxes of texels and bytes: Gallium's `pipe_box`. Rust has another `Box`.

use crate::key::state_object;

/// A box within one level of a resource, in texels, or in bytes of a buffer.
///
/// For 1D arrays, 2D arrays and cube maps, `z` and `depth` count layers; layer `z` of a cube array
/// is face `z % 6` of cube `z / 6`. Blits accept negative sizes, which mirror; all other calls
/// require sizes of at least 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Region {
    /// First column.
    pub x: i32,
    /// First row.
    pub y: i32,
    /// First slice or layer.
    pub z: i32,
    /// Number of columns.
    pub width: i32,
    /// Number of rows.
    pub height: i32,
    /// Number of slices or layers.
    pub depth: i32,
}

state_object!(Region { x, y, z, width, height, depth });

/// Returns the end of a side, without overflow.
fn end(start: i32, length: i32) -> i64 {
    i64::from(start).wrapping_add(length.into())
}

/// Converts to `i32`. Larger values saturate, so that they stay out of range instead of wrapping.
fn saturate(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

impl Region {
    /// Returns the box of `width`×`height`×`depth` at the origin. Sizes above `i32::MAX` saturate.
    pub fn whole(width: u32, height: u32, depth: u32) -> Self {
        Self {
            width: saturate(width),
            height: saturate(height),
            depth: saturate(depth),
            ..Self::default()
        }
    }

    /// Returns the rectangle of `width`×`height` at (`x`, `y`) of the first layer. Values above
    /// `i32::MAX` saturate.
    pub fn rect(x: u32, y: u32, width: u32, height: u32) -> Self {
        Self { x: saturate(x), y: saturate(y), ..Self::whole(width, height, 1) }
    }

    /// Returns the range of `size` bytes of a buffer from `offset` on. Values above `i32::MAX`
    /// saturate.
    pub fn bytes(offset: u32, size: u32) -> Self {
        Self { x: saturate(offset), ..Self::whole(size, 1, 1) }
    }

    /// Returns true if a side is 0.
    pub const fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// Returns true if the box lies within a level of `size` (width, height, slices or layers) and
    /// no side is negative.
    pub fn is_within(&self, size: [u32; 3]) -> bool {
        let fits = |start: i32, length: i32, limit: u32| {
            // The sum of two non-negative `i32` values fits in `u32`.
            start >= 0
                && length >= 0
                && start.cast_unsigned().wrapping_add(length.cast_unsigned()) <= limit
        };
        fits(self.x, self.width, size[0])
            && fits(self.y, self.height, size[1])
            && fits(self.z, self.depth, size[2])
    }

    /// Returns the box with positive sizes that covers the same texels, and true for each mirrored
    /// axis (negative size).
    ///
    /// Returns `None` if a corner does not fit in `i32`.
    pub fn unflipped(&self) -> Option<(Self, [bool; 3])> {
        let turn = |start: i32, length: i32| -> Option<(i32, i32, bool)> {
            let end = start.checked_add(length)?;
            if length < 0 {
                Some((end, length.checked_neg()?, true))
            } else {
                Some((start, length, false))
            }
        };
        let (x, width, flip_x) = turn(self.x, self.width)?;
        let (y, height, flip_y) = turn(self.y, self.height)?;
        let (z, depth, flip_z) = turn(self.z, self.depth)?;
        Some((Self { x, y, z, width, height, depth }, [flip_x, flip_y, flip_z]))
    }

    /// Returns the intersection of both boxes; empty if they do not meet. Boxes with negative sizes
    /// count as empty.
    pub fn intersection(&self, other: &Self) -> Self {
        let meet = |a: i32, a_length: i32, b: i32, b_length: i32| {
            let start = a.max(b);
            let end = end(a, a_length).min(end(b, b_length));
            (start, i32::try_from(end.wrapping_sub(start.into()).max(0)).unwrap_or(i32::MAX))
        };
        let (x, width) = meet(self.x, self.width, other.x, other.width);
        let (y, height) = meet(self.y, self.height, other.y, other.height);
        let (z, depth) = meet(self.z, self.depth, other.z, other.depth);
        Self { x, y, z, width, height, depth }
    }

    /// Returns true if the boxes have a texel in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        !self.intersection(other).is_empty()
    }

    /// Returns true if the edges are at multiples of `block` (width, height), or at the end of a
    /// level of `size`. Compressed and subsampled formats are addressed by whole blocks.
    pub fn is_block_aligned(&self, block: [u32; 2], size: [u32; 3]) -> bool {
        let aligned = |start: i32, length: i32, block: u32, limit: u32| {
            let block = i64::from(block.max(1));
            let end = end(start, length);
            let is_aligned = |at: i64| at.checked_rem(block) == Some(0);
            is_aligned(start.into()) && (is_aligned(end) || end == i64::from(limit))
        };
        aligned(self.x, self.width, block[0], size[0])
            && aligned(self.y, self.height, block[1], size[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containment_is_checked_without_overflow() {
        let size = [16, 8, 2];
        assert!(Region::whole(16, 8, 2).is_within(size));
        assert!(Region::rect(15, 7, 1, 1).is_within(size));
        assert!(Region::rect(16, 0, 0, 0).is_within(size), "an empty box at the very end");
        for (what, region) in [
            ("x past the end", Region::rect(15, 0, 2, 1)),
            ("y past the end", Region::rect(0, 8, 1, 1)),
            ("z past the end", Region { z: 2, ..Region::whole(1, 1, 1) }),
            ("negative origin", Region { x: -1, ..Region::whole(1, 1, 1) }),
            ("negative size", Region { width: -1, ..Region::whole(1, 1, 1) }),
            ("overflowing", Region { x: i32::MAX, width: i32::MAX, ..Region::whole(1, 1, 1) }),
            ("huge", Region::whole(u32::MAX, 1, 1)),
        ] {
            assert!(!region.is_within(size), "{what}");
        }
    }

    #[test]
    fn mirrored_boxes_turn_around() {
        let region = Region { x: 10, width: -4, ..Region::whole(0, 3, 1) };
        let region = Region { height: 3, ..region };
        let (turned, flips) = region.unflipped().expect("small numbers");
        assert_eq!((turned.x, turned.width, flips), (6, 4, [true, false, false]));
        assert_eq!(Region { x: i32::MIN, width: -1, ..region }.unflipped(), None);
        assert_eq!(Region { x: 0, width: i32::MIN, ..region }.unflipped(), None);
        assert_eq!(Region { x: i32::MAX, width: 1, ..region }.unflipped(), None);
    }

    #[test]
    fn intersections() {
        let a = Region::rect(0, 0, 4, 4);
        assert_eq!(a.intersection(&Region::rect(2, 3, 9, 9)), Region::rect(2, 3, 2, 1));
        assert!(a.overlaps(&Region::rect(3, 3, 1, 1)));
        assert!(!a.overlaps(&Region::rect(4, 0, 4, 4)), "edges touch, texels do not");
        assert!(!a.overlaps(&Region { z: 1, ..a }));
        assert!(!a.overlaps(&Region { width: -4, x: 4, ..a }), "negative sizes are empty");
    }

    #[test]
    fn block_alignment_lets_the_last_block_be_partial() {
        let size = [10, 10, 1];
        assert!(Region::rect(4, 4, 4, 4).is_block_aligned([4, 4], size));
        assert!(Region::rect(8, 8, 2, 2).is_block_aligned([4, 4], size));
        assert!(!Region::rect(4, 4, 2, 4).is_block_aligned([4, 4], size));
        assert!(!Region::rect(1, 0, 4, 4).is_block_aligned([4, 4], size));
    }
}
