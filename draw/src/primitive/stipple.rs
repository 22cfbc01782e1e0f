//! The patterns of stippled lines.
//!
//! A pattern advances by one bit for every `line_stipple_factor + 1` pixels along a line's longer
//! direction, and continues from line to line in a strip.

use pipe_core::{ConservativeRasterMode, RasterizerState};

/// One pixel in Q24.8.
pub(super) const PIXEL: i32 = 256;

/// A pattern of ones and zeros along lines. Pixels at ones are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stipple {
    /// Bit 0 comes first.
    pattern: u16,
    /// Pixels per bit.
    factor: u32,
    /// A pixel's centre, Q24.8 from its corner.
    pub(super) center: i32,
}

impl Stipple {
    /// Derives the pattern; `None` if lines are not stippled, or the pattern has only ones.
    /// Conservative rasterization ignores it (manual, CSO, "Rasterizer").
    pub(super) fn new(rasterizer: &RasterizerState) -> Option<Stipple> {
        let pattern = rasterizer.line_stipple_pattern;
        let conservative = rasterizer.conservative_raster_mode != ConservativeRasterMode::Off;
        let stipples = rasterizer.line_stipple_enable && pattern != u16::MAX && !conservative;
        stipples.then_some(Stipple {
            pattern,
            factor: u32::from(rasterizer.line_stipple_factor) + 1,
            center: if rasterizer.half_pixel_center { PIXEL / 2 } else { 0 },
        })
    }

    /// Returns the number of pixels after which the pattern repeats.
    pub(super) fn period(&self) -> u32 {
        16 * self.factor
    }

    /// Returns true if pixel number `pixel` along the pattern is drawn.
    pub(super) fn is_on(&self, pixel: u32) -> bool {
        self.pattern >> (pixel / self.factor % 16) & 1 != 0
    }

    /// Returns the number of pixels from `at` on until the pattern changes, at most `most`.
    pub(super) fn run(&self, at: u32, most: u32) -> u32 {
        let on = self.is_on(at);
        let mut end = at;
        while end - at < most && self.is_on(end) == on {
            end += self.factor - end % self.factor;
        }
        (end - at).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_a_pattern() {
        let state = RasterizerState {
            line_stipple_enable: true,
            line_stipple_pattern: 0b0000_0000_0000_1011,
            line_stipple_factor: 1,
            ..RasterizerState::default()
        };
        let stipple = Stipple::new(&state).expect("it has zeros");
        // Two pixels per bit: 1 1 0 1 and twelve zeros.
        let on: [bool; 10] = core::array::from_fn(|pixel| stipple.is_on(pixel as u32));
        assert_eq!(on, [true, true, true, true, false, false, true, true, false, false]);
        assert_eq!([stipple.run(0, 99), stipple.run(1, 99), stipple.run(1, 2)], [4, 3, 2]);
        assert_eq!([stipple.run(8, 99), stipple.run(31, 99), stipple.run(32, 99)], [24, 1, 4]);
        let all = RasterizerState { line_stipple_pattern: u16::MAX, ..state };
        assert!(Stipple::new(&all).is_none());
    }
}
