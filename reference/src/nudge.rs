//! Nudges: small errors added on purpose.
//!
//! If a picture depends on how a number is rounded, two correct drivers may draw different pixels.
//! Examples are a depth test between two almost equal depths, and a texel's edge under a nearest
//! filter. For such a scene, the comparison draws again with every number moved up or down, by
//! chance, by the error it may have. A differing pixel that no nudge explains is wrong.

/// The errors to add, each in its own unit. The default adds none.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Nudge {
    /// Chooses the signs of the errors; each seed draws another of the possible pictures. Seeds up
    /// to 4 move all numbers alike, because the numbers of coinciding primitives round to the same
    /// side. Larger seeds move each number by chance. Every fourth of the larger seeds rounds
    /// depths to multiples of their error, because overlapping pieces of a clipped triangle may
    /// have equal depths.
    pub seed: u32,
    /// Added to the depth of a primitive, 0 to 1.
    pub depth: f64,
    /// Added to interpolated inputs and depths: the rounding error, relative to the greatest term
    /// of their plane.
    pub plane: f64,
    /// Added to the coordinates of texture lookups, in texels of the level.
    pub texels: f64,
    /// Added to levels of detail, in levels.
    pub lod: f64,
    /// Added to the alpha in the alpha test.
    pub alpha: f64,
    /// Added to the width of lines drawn as rectangles, in pixels, because their corners are
    /// rounded.
    pub stroke: f64,
    /// Added to the distance, in pixels, that snapping moves a corner; for conservative
    /// rasterization before snapping.
    pub snap: f64,
    /// Added to the share of a pixel that a smooth polygon covers.
    pub share: f64,
    /// Range of what is added to the thresholds of dithered alpha-to-coverage, 0 to 1, which
    /// drivers may choose. A pixel has one threshold for all primitives.
    pub dither: f64,
    /// Added to the ratio between the sides of an anisotropic footprint.
    pub ratio: f64,
}

/// The last seed that moves all numbers alike.
const ALIKE: u32 = 4;

/// A number that a nudge moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Nudged {
    /// The depth of a primitive.
    Depth,
    /// The terms of the plane of one component of an output register of the last vertex stage.
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
    /// The distance that snapping moves a corner.
    Snap,
    /// The share of a pixel that a smooth polygon covers.
    Share,
    /// The ratio between the sides of an anisotropic footprint.
    Ratio,
}

impl Nudge {
    /// Returns the error of a plane; `terms` is the magnitude of its terms and may be infinite.
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
            // If the divisor is close to 0, a small error can become any value.
            return size * (f64::from(hash) / f64::from(u32::MAX) * 2.0 - 1.0);
        }
        // A whole error crosses a step of a buffer. A small error crosses a tie of rounding.
        match (if self.seed > ALIKE { hash } else { self.seed }) & 3 {
            0 => size,
            1 => -size,
            2 => size / 8.0,
            _ => -size / 8.0,
        }
    }

    /// Returns an interpolated depth with its errors. `terms` is the magnitude of its plane's
    /// terms.
    pub(crate) fn depth_of(&self, depth: f64, primitive: u32, terms: f64) -> f64 {
        if self.depth > 0.0 && self.seed > ALIKE && self.seed.is_multiple_of(4) {
            // The multiples start at an offset that depends only on the seed.
            let start = f64::from(self.hash(0)) / f64::from(u32::MAX);
            return ((depth / self.depth - start).round() + start) * self.depth;
        }
        depth
            + self.of(Nudged::Depth, primitive)
            + self.of_terms(Nudged::DepthPlane, primitive, terms)
    }

    /// Returns a pixel's threshold of dithered alpha-to-coverage, from 0 to below 1. Over the seeds
    /// it takes values everywhere in its range. Every second value is a multiple of 1/16, as in
    /// squares of 4×4 pixels.
    pub(crate) fn threshold(&self, threshold: f64) -> f64 {
        if self.dither == 0.0 {
            return threshold;
        }
        // Multiples of the golden ratio are spread evenly.
        let spread = (f64::from(self.seed) * 0.618_033_988_749_895).fract();
        let moved = (threshold + self.dither * spread).fract();
        if self.seed.is_multiple_of(2) { (moved * 16.0).floor() / 16.0 } else { moved }
    }

    /// Returns a hash of the seed and a number. It uses the finalizer of MurmurHash3, so that every
    /// input bit affects the low bits.
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
    fn thresholds_take_all_values() {
        let thresholds: Vec<_> = (1..=64)
            .map(|seed| Nudge { seed, dither: 1.0, ..Nudge::default() }.threshold(0.625))
            .collect();
        assert!(thresholds.iter().all(|threshold| (0.0..1.0).contains(threshold)));
        for sixteenths in 0..16 {
            let wanted = f64::from(sixteenths) / 16.0;
            assert!(thresholds.contains(&wanted), "{wanted}");
            let near = |threshold: &f64| (threshold - wanted - 1.0 / 32.0).abs() < 1.0 / 32.0;
            assert!(thresholds.iter().any(near), "{wanted}");
        }
        assert_eq!(Nudge { seed: 3, ..Nudge::default() }.threshold(0.625), 0.625);
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
