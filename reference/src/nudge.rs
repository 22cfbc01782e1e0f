//! Nudges: errors added on purpose.
//!
//! Two right drivers draw different pixels if a picture depends on the rounding of a number: a depth
//! test between two almost equal depths, a texel's edge under a nearest filter. A comparison draws
//! such a scene again with every number moved by the error it may have, up or down by chance: a
//! pixel that no nudge explains is wrong.

/// The errors that are added, each in its own unit. The default adds none.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Nudge {
    /// Chooses the signs; another seed draws another of the possible pictures. Seeds up to 4 move all
    /// numbers alike, as primitives upon each other are rounded to the same side; larger ones move each
    /// by chance. Every fourth of those rounds depths to multiples of their error: pieces of a clipped
    /// triangle may have equal depths where they overlap.
    pub seed: u32,
    /// Added to the depth of a primitive, 0 to 1.
    pub depth: f64,
    /// Added to interpolated inputs and depths, as a share of the greatest term of their plane: an
    /// error of rounding.
    pub plane: f64,
    /// Added to the coordinates of texture lookups, in texels of the level.
    pub texels: f64,
    /// Added to levels of detail, in levels.
    pub lod: f64,
    /// Added to the alpha that is tested.
    pub alpha: f64,
    /// Added to the width of lines that are rectangles, in pixels: their corners are rounded.
    pub stroke: f64,
    /// Added to the way, in pixels, that snapping moves a corner, under conservative rasterization before
    /// snapping.
    pub snap: f64,
    /// Added to the share of a pixel that a smooth polygon covers.
    pub share: f64,
    /// Added to the threshold of dithered coverage from alpha, 0 to 1, which drivers may choose.
    pub dither: f64,
    /// Added to the ratio of an anisotropic footprint's sides.
    pub ratio: f64,
}

/// The last seed of pictures in which all numbers move alike.
const ALIKE: u32 = 4;

/// A number that a nudge moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Nudged {
    /// The depth of a primitive.
    Depth,
    /// The terms of the plane of a component of an output register of the last vertex stage.
    Plane { register: usize, component: usize },
    /// The terms of the plane of depth.
    DepthPlane,
    /// The first or second sprite coordinate, from 0 to 1.
    Sprite(usize),
    /// The first, second or third coordinate of a lookup.
    Coordinate(usize),
    /// The level of detail of a lookup.
    Lod,
    /// The alpha of a primitive.
    Alpha,
    /// The width and the length of a line.
    Stroke,
    /// The way that snapping moves a corner.
    Snap,
    /// The share of a pixel that a smooth polygon covers.
    Share,
    /// The threshold of dithered coverage.
    Dither,
    /// The ratio of an anisotropic footprint's sides.
    Ratio,
}

impl Nudge {
    /// Returns the error of a plane whose terms have this magnitude, which may be infinite.
    pub(crate) fn of_terms(&self, number: Nudged, primitive: u32, terms: f64) -> f64 {
        match self.of(number, primitive) {
            0.0 => 0.0,
            share => share * terms,
        }
    }

    /// Returns the error added to one number of primitive `primitive`.
    pub(crate) fn of(&self, number: Nudged, primitive: u32) -> f64 {
        let (size, salt) = match number {
            Nudged::Depth => (self.depth, 1),
            Nudged::Coordinate(axis) => (self.texels, 2 + axis as u32),
            Nudged::Lod => (self.lod, 5),
            Nudged::Alpha => (self.alpha, 6),
            Nudged::Stroke => (self.stroke, 7),
            Nudged::DepthPlane => (self.plane, 8),
            Nudged::Snap => (self.snap, 9),
            Nudged::Share => (self.share, 10),
            Nudged::Dither => (self.dither, 11),
            Nudged::Ratio => (self.ratio, 12),
            Nudged::Sprite(axis) => (self.plane, 13 + axis as u32),
            Nudged::Plane { register, component } => {
                (self.plane, 15 + 4 * register as u32 + component as u32)
            }
        };
        if size == 0.0 {
            return 0.0;
        }
        let hash = self.hash(primitive ^ salt << 24);
        if matches!(number, Nudged::Plane { .. }) && self.seed > ALIKE {
            // A divisor near 0 makes any value of a small error.
            return size * (f64::from(hash) / f64::from(u32::MAX) * 2.0 - 1.0);
        }
        // Whole errors cross a step of a buffer, small ones a tie of rounding.
        match (if self.seed > ALIKE { hash } else { self.seed }) & 3 {
            0 => size,
            1 => -size,
            2 => size / 8.0,
            _ => -size / 8.0,
        }
    }

    /// Returns an interpolated depth with its errors. `terms` is the magnitude of the terms of its plane.
    pub(crate) fn depth_of(&self, depth: f64, primitive: u32, terms: f64) -> f64 {
        if self.depth > 0.0 && self.seed > ALIKE && self.seed.is_multiple_of(4) {
            // The multiples start at a place that depends on the seed only.
            let start = f64::from(self.hash(0)) / f64::from(u32::MAX);
            return ((depth / self.depth - start).round() + start) * self.depth;
        }
        depth
            + self.of(Nudged::Depth, primitive)
            + self.of_terms(Nudged::DepthPlane, primitive, terms)
    }

    /// Returns a hash of the seed and a number: the finalizer of MurmurHash3, through which every input
    /// bit reaches the low ones.
    fn hash(&self, number: u32) -> u32 {
        let mut hash = self.seed.wrapping_mul(0x9e37_79b9) ^ number;
        hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
        hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
        hash ^ hash >> 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_that_are_nearer_than_their_error_are_equal_in_some_picture() {
        let depth = 2f64.powi(-20);
        let [near, far] = [0.25, 3.0].map(|errors: f64| {
            (ALIKE + 1..=200).any(|seed| {
                let nudge = Nudge { seed, depth, plane: 2f64.powi(-23), ..Nudge::default() };
                let other = nudge.depth_of(0.4 + errors * depth, 1, 5.0);
                nudge.depth_of(0.4, 0, 3.0) == other
            })
        });
        assert!(near, "a quarter of the error apart");
        assert!(!far, "three errors apart");
    }

    #[test]
    fn depths_move_by_no_more_than_their_error_and_that_of_their_plane() {
        let (depth, plane) = (2f64.powi(-20), 2f64.powi(-23));
        for seed in 0..=200 {
            let nudge = Nudge { seed, depth, plane, ..Nudge::default() };
            let moved = (nudge.depth_of(0.4, seed, 3.0) - 0.4).abs();
            assert!(moved <= depth + 3.0 * plane + 1e-12, "{seed}: {moved}");
        }
    }
}
