//! Samples: their number, and their positions in a pixel.

use super::PIXEL;

/// The maximum number of samples per pixel.
pub(crate) const MAX_SAMPLES: usize = 16;

/// A sample's position, in sixteenths of a pixel from the pixel's upper left corner.
type Place = [u8; 2];

/// The standard positions (Vulkan 1.3, "Standard sample locations"; Direct3D 11's are the same).
const TWO: [Place; 2] = [[12, 12], [4, 4]];
const FOUR: [Place; 4] = [[6, 2], [14, 6], [2, 10], [10, 14]];
const EIGHT: [Place; 8] = [[9, 5], [7, 11], [13, 9], [5, 3], [3, 13], [1, 7], [11, 15], [15, 1]];
#[rustfmt::skip]
const SIXTEEN: [Place; 16] = [
    [9, 9], [7, 5], [5, 10], [12, 7], [3, 6], [10, 13], [13, 11], [11, 3],
    [6, 14], [8, 1], [4, 2], [2, 12], [0, 8], [15, 4], [14, 15], [1, 0],
];

/// Returns true if pixels can have `count` samples; 0 means one.
pub(crate) fn has_sample_count(count: u8) -> bool {
    matches!(count, 0 | 1 | 2 | 4 | 8 | 16)
}

/// Returns the standard position of a sample, in sixteenths of a pixel; the centre for a sample
/// that does not exist.
pub(crate) fn standard_place(count: u32, sample: usize) -> Place {
    let pattern: &[Place] = match count {
        2 => &TWO,
        4 => &FOUR,
        8 => &EIGHT,
        16 => &SIXTEEN,
        _ => &[],
    };
    pattern.get(sample).copied().unwrap_or([8, 8])
}

/// The samples of a draw's pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Samples {
    pub(crate) count: u32,
    /// The samples that may be written, one bit per sample.
    pub(crate) mask: u32,
    /// True if all samples lie at the pixel's centre: multisampling is off.
    pub(crate) centered: bool,
    /// True if the fragment shader runs once per sample.
    pub(crate) per_sample: bool,
    pub(crate) places: [Place; MAX_SAMPLES],
}

impl Samples {
    /// Moves a place (Q24.8) by the offset of a sample from its pixel's centre.
    pub(crate) fn beside(&self, center: [i32; 2], sample: u32) -> [i32; 2] {
        if self.centered {
            return center;
        }
        let place = self.places.get(sample as usize).copied().unwrap_or([8, 8]);
        [0, 1].map(|axis| center[axis] + (i32::from(place[axis]) - 8) * PIXEL / 16)
    }

    /// Returns the numbers of the samples in a set with one bit per sample.
    pub(crate) fn of(set: u32) -> impl Iterator<Item = u32> {
        (0..MAX_SAMPLES as u32).filter(move |sample| set >> sample & 1 != 0)
    }
}
