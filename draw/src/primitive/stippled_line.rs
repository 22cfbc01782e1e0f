//! Stippled lines: splits a line into the pieces at its pattern's ones.
//!
//! Pieces end half way between pixel centres, so that every pixel has exactly one bit.

use super::effects::VertexVariant;
use super::polygon::{ClippedPolygon, PolygonVertex};
use super::processor::PrimitiveProcessor;
use super::stipple::{PIXEL, Stipple};
use crate::assemble::Primitive;
use crate::error::DrawError;
use crate::sink::PrimitiveSink;
use crate::vertex::{SlotIndex, Window};

/// The pixels of a line along its longer direction. Positions count from the line's start.
struct Pixels {
    /// The start's coordinate, Q24.8.
    from: i32,
    /// The line's extent, Q24.8; the sign is its direction.
    along: i32,
    /// A pixel's centre, Q24.8 from its corner, in the line's direction.
    center: i32,
    /// The pixel of the first centre at or after the start.
    first: i32,
    /// The number of pixels.
    count: u32,
}

impl Pixels {
    /// Returns the pixels between two window positions.
    fn new(a: &Window, b: &Window, center: i32) -> Pixels {
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let (from, along) = if dx.abs() >= dy.abs() { (a.x, dx) } else { (a.y, dy) };
        let sign = along.signum();
        let (from, center) = (from * sign, center * sign);
        let first_after = |position: i32| {
            (position - center).div_euclid(PIXEL) + i32::from((position - center) % PIXEL != 0)
        };
        let first = first_after(from);
        let count = (first_after(from + along.abs()) - first).max(0) as u32;
        Pixels { from, along, center, first, count }
    }

    /// Returns the place half way before pixel number `pixel`: 0 at the line's start, 1 at its end.
    fn before(&self, pixel: u32) -> f32 {
        let middle = (self.first + pixel as i32) * PIXEL + self.center - PIXEL / 2;
        // The line's two ends stay in place.
        ((middle - self.from) as f32 / self.along.abs() as f32).clamp(0.0, 1.0)
    }
}

impl<S: PrimitiveSink> PrimitiveProcessor<'_, S> {
    /// Passes the pieces of a line that its pattern leaves.
    pub(super) fn stippled_line(
        &mut self,
        stipple: &Stipple,
        polygon: &mut ClippedPolygon,
        ends: [usize; 2],
        front: bool,
        variant: VertexVariant,
    ) -> Result<(), DrawError<S::Error>> {
        let whole = polygon.whole;
        if whole.count == 2 && whole.edges & Primitive::<SlotIndex>::STARTS != 0 {
            *self.stippled = 0;
        }
        let (Some(&a), Some(&b)) = (polygon.vertices.get(ends[0]), polygon.vertices.get(ends[1]))
        else {
            return Ok(());
        };
        let pixels = Pixels::new(&a.window, &b.window, stipple.center);
        let mut done = 0;
        while done < pixels.count {
            let at = self.stippled.wrapping_add(done) % stipple.period();
            let run = stipple.run(at, pixels.count - done);
            if stipple.is_on(at) {
                let start = if done == 0 { 0.0 } else { pixels.before(done) };
                let end = done + run;
                let end = if end == pixels.count { 1.0 } else { pixels.before(end) };
                let piece = [start, end].map(|t| self.between(&a, &b, t));
                self.with_restart(polygon, |processor, _| {
                    let a = processor.send_new(whole, &piece[0], variant)?;
                    let b = processor.send_new(whole, &piece[1], variant)?;
                    processor.sink.line([a, b], a, front)
                })?;
            }
            done += run;
        }
        *self.stippled = self.stippled.wrapping_add(pixels.count) % stipple.period();
        Ok(())
    }

    /// Returns the vertex at `t` (0 to 1) between two vertices, measured in the window.
    fn between(&self, a: &PolygonVertex, b: &PolygonVertex, t: f32) -> PolygonVertex {
        let fixed = |a: i32, b: i32| a + os_shim::math::round_even((b - a) as f32 * t) as i32;
        let rcp_w = mix(a.window.rcp_w, b.window.rcp_w, t);
        let window = Window {
            x: fixed(a.window.x, b.window.x),
            y: fixed(a.window.y, b.window.y),
            z: mix(a.window.z, b.window.z, t),
            rcp_w,
        };
        // Weights are linear in clip space, where the point divides the line in another ratio.
        let u = match self.state.transform.projection.window_space || rcp_w == 0.0 {
            true => t,
            false => t * b.window.rcp_w / rcp_w,
        };
        let mut weights = a.weights;
        for (a, b) in weights.iter_mut().zip(b.weights) {
            *a = mix(*a, b, u);
        }
        PolygonVertex { number: u8::MAX, window, weights, id: None }
    }
}

/// Interpolates from `a` to `b`: exact at both ends, also if they are far apart, and positive
/// between positive numbers. (`a + (b - a) * t` is neither.)
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
}
