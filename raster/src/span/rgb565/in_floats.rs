//! Colours in floats, for triangles that integer planes cannot hold: steep ones, and ones with a
//! large change of w. The pixels equal the general path's. A pixel takes about four times as long
//! as in integer planes.

use super::float_planes::FloatPlanes;
use super::setup::{MAX, Setup};
use crate::lanes::quantise;

/// The planes of a triangle's red, green and blue.
pub(super) struct FloatColors(FloatPlanes<3>);

impl FloatColors {
    /// Derives the planes; `w` is 1/w of the corners.
    #[cold]
    #[inline(never)]
    pub(super) fn new(setup: &Setup<'_, '_>, w: [f32; 3]) -> FloatColors {
        FloatColors(FloatPlanes::new(setup, w, 3, |channel| {
            (setup.channel(channel), setup.is_in_perspective(channel))
        }))
    }

    /// Writes the colours of pixels in a row; `from` is the first pixel's column and row, relative
    /// to the region's first pixel.
    #[cold]
    #[inline(never)]
    pub(super) fn row(&self, pixels: &mut [u16], from: (i32, i32)) {
        let (y, first) = self.0.row(from);
        for (x, pixel) in (first..).zip(pixels) {
            let mut word = 0;
            for ((value, max), bits) in self.0.values(x as f32, y).zip(MAX).zip([5, 6, 5]) {
                word = word << bits | quantise(value, max);
            }
            *pixel = word as u16;
        }
    }
}
