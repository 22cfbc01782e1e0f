//! Colours in floats, for triangles that integer planes cannot hold: steep ones, and those over which
//! w changes much. The arithmetic is that of the general path (`fragment/interpolate.rs`), and so are
//! the pixels; a pixel takes about four times as long as in integer planes.

use super::setup::{MAX, Setup};
use crate::lanes::quantise;
use crate::setup::Plane;

/// The planes of a triangle's colour.
pub(super) struct Exact {
    /// Red, green, blue; over w, if `perspective` says so of the channel.
    colors: [Plane; 3],
    perspective: [bool; 3],
    rcp_w: Plane,
    /// From the planes' reference pixel to the region's first.
    right: i32,
    down: i32,
}

impl Exact {
    /// Derives the planes; `w` is 1/w of the corners.
    #[cold]
    #[inline(never)]
    pub(super) fn new(setup: &Setup<'_, '_>, w: [f32; 3]) -> Exact {
        let mut exact = Exact {
            colors: [Plane::default(); 3],
            perspective: [true; 3],
            rcp_w: setup.float_plane(w),
            right: setup.right,
            down: setup.down,
        };
        let channels = exact.colors.iter_mut().zip(&mut exact.perspective).enumerate();
        for (channel, (plane, perspective)) in channels {
            let (mut values, divided) = setup.channel_and_mode(channel);
            if divided {
                for (value, w) in values.iter_mut().zip(&w) {
                    *value *= w;
                }
            }
            (*plane, *perspective) = (setup.float_plane(values), divided);
        }
        exact
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
            let channels = self.colors.iter().zip(&self.perspective).zip(MAX);
            for (((plane, perspective), max), bits) in channels.zip([5, 6, 5]) {
                let value = if *perspective { at(plane) * w } else { at(plane) };
                word = word << bits | quantise(value, max);
            }
            *pixel = word as u16;
        }
    }
}
