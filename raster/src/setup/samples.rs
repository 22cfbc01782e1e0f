//! Samples: their number and their places within a pixel.
//!
//! The places are the standard patterns of Direct3D 11 and Vulkan 1.3 ("Standard sample
//! locations"). No two samples of a pattern share a row or a column, so edges of any slope gain
//! steps.

use crate::features::{OfSamples, SAMPLES};
use crate::fixed::SUBPIXEL_ONE;

/// The most samples of a pixel; 0 in builds that do not compute samples.
pub(crate) const MAX_SAMPLES: usize = if SAMPLES { 16 } else { 0 };

/// A place in sixteenths of a pixel from its centre, x and y.
type Place = [i8; 2];

const TWO: [Place; 2] = [[4, 4], [-4, -4]];
const FOUR: [Place; 4] = [[-2, -6], [6, -2], [-6, 2], [2, 6]];
const EIGHT: [Place; 8] = [[1, -3], [-1, 3], [5, 1], [-3, -5], [-5, 5], [-7, -1], [3, 7], [7, -7]];
const SIXTEEN: [Place; 16] = [
    [1, 1],
    [-1, -3],
    [-3, 2],
    [4, -1],
    [-5, -2],
    [2, 5],
    [5, 3],
    [3, -5],
    [-2, 6],
    [0, -7],
    [-4, -6],
    [-6, 4],
    [-8, 0],
    [7, -4],
    [6, 7],
    [-7, -8],
];

/// Returns true if a pixel can have `count` samples.
pub(crate) const fn has_sample_count(count: u32) -> bool {
    count == 1 || SAMPLES && matches!(count, 2 | 4 | 8 | 16)
}

/// Returns the place of a sample, in sixteenths of a pixel from its centre; the centre for a sample
/// that does not exist.
pub(crate) fn sample_place(count: u32, sample: usize) -> Place {
    let pattern: &[Place] = match count {
        2 => &TWO,
        4 => &FOUR,
        8 => &EIGHT,
        16 => &SIXTEEN,
        _ => &[],
    };
    pattern.get(sample).copied().unwrap_or([0; 2])
}

/// The set of samples that a program reads as covered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MaskRead {
    /// The samples that the primitive covers and the sample mask includes, before the depth and
    /// stencil tests.
    Covered,
    /// The covered samples that passed the depth and stencil tests (`FS_POST_DEPTH_COVERAGE`).
    Passed,
}

/// The samples of a draw's pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SampleRule {
    /// The number of samples of the framebuffer, 1 to 16.
    pub(crate) count: u32,
    /// The samples that may be written, one bit per sample.
    pub(crate) mask: u32,
    /// Set if multisampling is off: all samples take the coverage, the depth and the colour of the
    /// pixel's centre.
    pub(crate) centered: bool,
    /// Set if all samples take the coverage of their pixel, as under conservative rasterization.
    pub(crate) by_pixel: bool,
    /// The samples' places.
    pub(crate) places: SamplePlaces,
    /// Set if the program runs once per sample.
    pub(crate) per_sample: bool,
    /// The samples that count as covered, if the program reads the mask or a centroid.
    pub(crate) mask_read: Option<MaskRead>,
    /// Set if a batch must hold one primitive only: the program runs once per sample, or it
    /// evaluates inputs elsewhere in the pixel, so it needs that primitive's planes.
    pub(crate) alone: bool,
}

impl SampleRule {
    /// One sample, at the pixel's centre.
    pub(crate) const ONE: SampleRule = SampleRule {
        count: 1,
        mask: 1,
        centered: true,
        by_pixel: false,
        places: SamplePlaces([0x88; MAX_SAMPLES]),
        per_sample: false,
        mask_read: None,
        alone: false,
    };

    /// Returns the samples that may be written, in order.
    #[allow(clippy::unnecessary_min_or_max, reason = "without `samples`, the maximum is 0")]
    #[inline(always)]
    pub(crate) fn written(self) -> impl Iterator<Item = usize> {
        (0..(self.count as usize).min(MAX_SAMPLES))
            .filter(move |sample| self.mask >> sample & 1 != 0)
    }

    /// Returns true if centroids may differ from the pixels' centres.
    pub(crate) fn has_centroids(self) -> bool {
        self.count > 1 && !self.centered && !self.per_sample
    }

    /// Returns the largest distance from a pixel's centre to one of its samples, Q24.8.
    pub(crate) fn reach(self) -> i32 {
        if self.covers_alike() { 0 } else { SUBPIXEL_ONE / 2 }
    }

    /// Returns true if a primitive covers all samples of a pixel or none.
    #[inline(always)]
    pub(crate) fn covers_alike(self) -> bool {
        self.count == 1 || self.centered || self.by_pixel
    }

    /// Returns a sample's offset from the pixel's centre, Q24.8.
    #[inline(always)]
    pub(crate) fn offset(self, sample: usize) -> [i32; 2] {
        if self.centered {
            return [0; 2];
        }
        self.places.place(sample).map(|sixteenths| i32::from(sixteenths) * 16)
    }
}

impl OfSamples<SampleRule> {
    /// Returns the rule; one sample in builds without samples.
    #[inline(always)]
    pub(crate) fn rule(&self) -> &SampleRule {
        const ONE: &SampleRule = &SampleRule::ONE;
        self.get().unwrap_or(ONE)
    }
}

/// The places of the samples of a pixel.
///
/// One byte per sample, as in `set_sample_locations`: x in the low and y in the high four bits, in
/// sixteenths of a pixel from its corner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SamplePlaces([u8; MAX_SAMPLES]);

impl SamplePlaces {
    /// Returns the places in `set`, and the standard places of all further samples.
    pub(crate) fn new(count: u32, set: &[u8]) -> SamplePlaces {
        let mut places = [0x88; MAX_SAMPLES];
        for (sample, byte) in places.iter_mut().enumerate().take(count as usize) {
            let [x, y] = sample_place(count, sample).map(|place| (place + 8) as u8 & 15);
            *byte = set.get(sample).copied().unwrap_or(y << 4 | x);
        }
        SamplePlaces(places)
    }

    /// Returns a sample's place, in sixteenths of a pixel from its centre; the centre for a sample
    /// that does not exist.
    #[inline(always)]
    pub(crate) fn place(self, sample: usize) -> Place {
        let byte = self.0.get(sample).copied().unwrap_or(0x88);
        [byte & 15, byte >> 4].map(|place| place as i8 - 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "samples")]
    #[test]
    fn places_are_those_set_and_the_standard_ones_else() {
        // x in the low bits: 3/16 from the left, 12/16 from the top.
        let places = SamplePlaces::new(4, &[0xc3]);
        assert_eq!(
            [0, 1, 2, 3].map(|sample| places.place(sample)),
            [[-5, 4], FOUR[1], FOUR[2], FOUR[3]]
        );
        assert_eq!(places.place(4), [0, 0]);
        for count in [2, 4, 8, 16] {
            let places = SamplePlaces::new(count, &[]);
            for sample in 0..20 {
                assert_eq!(places.place(sample), sample_place(count, sample), "{count} {sample}");
            }
        }
    }

    #[test]
    fn no_two_samples_share_a_row_or_a_column() {
        for count in [2u32, 4, 8, 16] {
            for axis in 0..2 {
                let mut places: std::vec::Vec<_> =
                    (0..count as usize).map(|sample| sample_place(count, sample)[axis]).collect();
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len(), count as usize, "{count} samples, axis {axis}");
                assert!(places.iter().all(|place| (-8..8).contains(place)));
            }
        }
    }
}
