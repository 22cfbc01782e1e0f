//! Line stipple: a line becomes the pieces where its pattern has ones.
//!
//! The pattern advances by one for every pixel along the line's longer direction, a bit for
//! `line_stipple_factor + 1` pixels, and goes on from line to line of a strip. Pieces end half way
//! between pixel centres, so every pixel has a bit of its own.

use super::Stages;
use super::effects::Look;
use super::hand_over::{Fan, FanVertex};
use crate::assemble::Primitive;
use crate::error::DrawError;
use crate::segment::{SlotIndex, Window};
use crate::sink::PrimitiveSink;
use pipe_core::RasterizerState;

/// One pixel in Q24.8.
const PIXEL: i32 = 256;

/// A pattern of ones and zeros along lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stipple {
    pattern: u16,
    /// Pixels a bit.
    factor: u32,
    /// A pixel's centre, Q24.8 from its corner.
    center: i32,
}

impl Stipple {
    /// `None` if lines are not stippled, or with ones only.
    pub(super) fn new(rasterizer: &RasterizerState) -> Option<Stipple> {
        let pattern = rasterizer.line_stipple_pattern;
        (rasterizer.line_stipple_enable && pattern != u16::MAX).then_some(Stipple {
            pattern,
            factor: u32::from(rasterizer.line_stipple_factor) + 1,
            center: if rasterizer.half_pixel_center { PIXEL / 2 } else { 0 },
        })
    }

    fn is_on(&self, pixel: u32) -> bool {
        self.pattern >> (pixel / self.factor % 16) & 1 != 0
    }

    /// Pixels from `at` on until the pattern changes, at most `most`.
    fn run(&self, at: u32, most: u32) -> u32 {
        let on = self.is_on(at);
        let mut end = at;
        while end - at < most && self.is_on(end) == on {
            end += self.factor - end % self.factor;
        }
        (end - at).min(most)
    }
}

impl<S: PrimitiveSink> Stages<'_, S> {
    /// Hands over the pieces of a line.
    pub(super) fn stippled_line(
        &mut self,
        stipple: &Stipple,
        fan: &mut Fan,
        ends: [usize; 2],
        front: bool,
        look: Look,
    ) -> Result<(), DrawError<S::Error>> {
        let whole = fan.whole;
        if whole.count == 2 && whole.edges & Primitive::<SlotIndex>::STARTS != 0 {
            *self.stippled = 0;
        }
        let (Some(&a), Some(&b)) = (fan.vertices.get(ends[0]), fan.vertices.get(ends[1])) else {
            return Ok(());
        };
        let (dx, dy) = (b.window.x - a.window.x, b.window.y - a.window.y);
        let (from, along) = if dx.abs() >= dy.abs() { (a.window.x, dx) } else { (a.window.y, dy) };
        // Measured in the line's own direction: the first centre at or after its start.
        let sign = along.signum();
        let (from, center) = (from * sign, stipple.center * sign);
        let first = (from - center).div_euclid(PIXEL) + i32::from((from - center) % PIXEL != 0);
        let last = (from + along.abs() - center).div_euclid(PIXEL)
            + i32::from((from + along.abs() - center) % PIXEL != 0);
        let pixels = (last - first).max(0) as u32;
        let mut done = 0;
        while done < pixels {
            let at = self.stippled.wrapping_add(done) % (16 * stipple.factor);
            let run = stipple.run(at, pixels - done);
            if stipple.is_on(at) {
                let place = |pixel: u32| {
                    let middle = (first + pixel as i32) * PIXEL + center - PIXEL / 2;
                    // The line's own ends stay where they are.
                    ((middle - from) as f32 / along.abs() as f32).clamp(0.0, 1.0)
                };
                let start = if done == 0 { 0.0 } else { place(done) };
                let end = if done + run == pixels { 1.0 } else { place(done + run) };
                let piece = [start, end].map(|t| self.between(&a, &b, t));
                self.twice(fan, |stages, _| {
                    let a = stages.send(whole, &piece[0], look)?;
                    let b = stages.send(whole, &piece[1], look)?;
                    stages.sink.line([a, b], a, front)
                })?;
            }
            done += run;
        }
        *self.stippled = self.stippled.wrapping_add(pixels) % (16 * stipple.factor);
        Ok(())
    }

    /// The vertex at `t` of the way from one to another, in the window.
    fn between(&self, a: &FanVertex, b: &FanVertex, t: f32) -> FanVertex {
        let fixed = |a: i32, b: i32| a + os_shim::math::round_even((b - a) as f32 * t) as i32;
        let rcp_w = mix(a.window.rcp_w, b.window.rcp_w, t);
        let window = Window {
            x: fixed(a.window.x, b.window.x),
            y: fixed(a.window.y, b.window.y),
            z: mix(a.window.z, b.window.z, t),
            rcp_w,
        };
        // Weights are linear in clip space, where the point divides the line otherwise.
        let u = match self.state.projection.window_space || rcp_w == 0.0 {
            true => t,
            false => t * b.window.rcp_w / rcp_w,
        };
        let weights = [0, 1, 2].map(|i: usize| mix(a.weights[i], b.weights[i], u));
        FanVertex { number: u8::MAX, window, weights, id: None }
    }
}

/// `t` of the way from `a` to `b`. At the ends those themselves, however far apart, and between two
/// positive numbers a positive one: not so `a + (b - a) * t`.
fn mix(a: f32, b: f32, t: f32) -> f32 {
    a * (1.0 - t) + b * t
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_a_line_stay_as_they_are() {
        let (a, b) = (4.398e32, 2.2e-36);
        assert_eq!([mix(a, b, 0.0), mix(a, b, 1.0), mix(b, a, 0.0), mix(b, a, 1.0)], [a, b, b, a]);
        assert!(mix(a, b, 1.0 - f32::EPSILON) > b);
    }

    #[test]
    fn runs_of_a_pattern() {
        let state = RasterizerState {
            line_stipple_enable: true,
            line_stipple_pattern: 0b0000_0000_0000_1011,
            line_stipple_factor: 1,
            ..RasterizerState::default()
        };
        let stipple = Stipple::new(&state).expect("it has zeros");
        // Two pixels a bit: 1 1 0 1 and twelve zeros.
        let on: [bool; 10] = core::array::from_fn(|pixel| stipple.is_on(pixel as u32));
        assert_eq!(on, [true, true, true, true, false, false, true, true, false, false]);
        assert_eq!([stipple.run(0, 99), stipple.run(1, 99), stipple.run(1, 2)], [4, 3, 2]);
        assert_eq!([stipple.run(8, 99), stipple.run(31, 99), stipple.run(32, 99)], [24, 1, 4]);
        let all = RasterizerState { line_stipple_pattern: u16::MAX, ..state };
        assert!(Stipple::new(&all).is_none());
    }
}
