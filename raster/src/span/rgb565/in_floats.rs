//! Colours in floats, for triangles that integer planes cannot hold: steep ones, and those over which
//! w changes much. The arithmetic is that of the general path (`fragment/interpolate.rs`), and so are
//! the pixels; a pixel takes about four times as long as in integer planes.

use super::setup::{MAX, Setup};
use crate::lanes::quantise;
use crate::setup::Plane;

/// The planes of a triangle's colour.
pub(super) struct FloatColors {
    /// Red, green, blue; over w, if `perspective` says so of the channel.
    planes: [Plane; 3],
    perspective: [bool; 3],
    rcp_w: Plane,
    /// From the planes' reference pixel to the region's first.
    right: i32,
    down: i32,
}

impl FloatColors {
    /// Derives the planes; `w` is 1/w of the corners.
    #[cold]
    #[inline(never)]
    pub(super) fn new(setup: &Setup<'_, '_>, w: [f32; 3]) -> FloatColors {
        let mut colors = FloatColors {
            planes: [Plane::default(); 3],
            perspective: [true; 3],
            rcp_w: setup.float_plane(w),
            right: setup.right,
            down: setup.down,
        };
        let channels = colors.planes.iter_mut().zip(&mut colors.perspective).enumerate();
        for (channel, (plane, perspective)) in channels {
            let mut values = setup.channel(channel);
            *perspective = setup.is_in_perspective(channel);
            if *perspective {
                for (value, w) in values.iter_mut().zip(&w) {
                    *value *= w;
                }
            }
            *plane = setup.float_plane(values);
        }
        colors
    }

    /// Writes the colours of pixels in a row; `from` is the first pixel's column and row, from the
    /// region's first pixel.
    #[cold]
    #[inline(never)]
    pub(super) fn row(&self, pixels: &mut [u16], from: (i32, i32)) {
        let y = (self.down + from.1) as f32;
        for (x, pixel) in (self.right + from.0..).zip(pixels) {
            let at = |plane: &Plane| plane.a + plane.dadx * x as f32 + plane.dady * y;
            let w = 1.0 / at(&self.rcp_w);
            let mut word = 0;
            let channels = self.planes.iter().zip(&self.perspective).zip(MAX);
            for (((plane, perspective), max), bits) in channels.zip([5, 6, 5]) {
                let value = if *perspective { at(plane) * w } else { at(plane) };
                word = word << bits | quantise(value, max);
            }
            *pixel = word as u16;
        }
    }
}
