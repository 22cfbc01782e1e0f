//! Bounds of the difference between the drivers' pixels: one table with a row per kind of state.
//!
//! A bound is in steps of the colour buffer (of its most exact component: 1/255 with 8 bits) for
//! normalised formats, in whole numbers for integers, and relative for floats. Rows add up. State
//! without a row is exact: coverage, scissor, stipple, masks, stencil.

use formats::{ChannelKind, Format};
use reference::Nudge;

use crate::scene::{Draw, Scene};
use crate::shaders::{Lookup, Work};

/// A kind of state, and the error it may add to the colours of a draw.
#[derive(Clone, Copy)]
pub struct Row {
    /// The kind.
    pub kind: &'static str,
    /// The reason for the error.
    pub reason: &'static str,
    /// Returns true if a draw uses this kind of state.
    pub applies: fn(&Draw) -> bool,
    /// Steps of the colour buffer.
    pub steps: f64,
    /// Error relative to the value, or to 1 if the value is smaller. Counts for all formats.
    pub relative: f64,
}

/// The kinds of state that cost exactness.
pub const TABLE: &[Row] = &[
    Row {
        kind: "any colour",
        reason: "interpolation in f32, and a tie of rounding that falls to the other side",
        applies: |_| true,
        steps: 1.0,
        relative: 1e-5,
    },
    Row {
        kind: "blending",
        reason: "a step of the destination goes through the equation, and is rounded once more",
        applies: Draw::blends,
        steps: 1.0,
        relative: 1e-4,
    },
    Row {
        kind: "linear filters",
        reason: "weights in f32, or of 8 bits in integer spans",
        applies: |draw| draw.fragment.samples(),
        steps: 1.0,
        relative: 1e-4,
    },
    Row {
        kind: "smooth lines and points",
        reason: "widths of 8 fraction bits, and coverage from square roots in f32",
        applies: Draw::is_smooth,
        steps: 1.0,
        relative: 1.0 / 256.0,
    },
    Row {
        kind: "smooth polygons",
        reason: "shares of a pixel in f32, from corners and cuts of some tens of pixels",
        applies: |draw| draw.rasterizer.poly_smooth,
        steps: 1.0,
        relative: 1e-3,
    },
    Row {
        kind: "anisotropic filters",
        reason: "a mean of up to 16 lookups, each at a place and with weights in f32",
        applies: |draw| {
            draw.texture.as_ref().is_some_and(|texture| texture.sampler.max_anisotropy > 1)
        },
        steps: 1.0,
        relative: 1.0 / 512.0,
    },
    Row {
        kind: "levels of detail as colours",
        reason: "log2 in f32, and of cube maps a quotient whose terms nearly cancel",
        applies: |draw| draw.fragment.lookup() == Some(Lookup::LodQuery),
        steps: 0.0,
        relative: 1.0 / 128.0,
    },
    Row {
        kind: "derivatives as colours",
        reason: "differences of interpolated f32",
        applies: |draw| draw.fragment.work == Work::Derivatives,
        steps: 0.0,
        relative: 1e-4,
    },
];

/// The bounds of a scene.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    steps: f64,
    relative: f64,
    /// The errors to nudge the plain driver's numbers by, if pixels differ.
    pub nudge: Nudge,
}

impl Bounds {
    /// Adds up the rows of the table that apply to the draws of a scene.
    pub fn of(scene: &Scene) -> Self {
        let (mut steps, mut relative) = (0.0f64, 0.0f64);
        // A draw that does not blend replaces earlier errors; a draw that blends adds to them.
        for draw in &scene.draws {
            let rows = || TABLE.iter().filter(|row| (row.applies)(draw));
            let (own_steps, own_relative): (f64, f64) =
                (rows().map(|row| row.steps).sum(), rows().map(|row| row.relative).sum());
            if draw.blends() {
                let layers = draw.layers() as f64;
                steps += own_steps + layers - 1.0;
                relative += own_relative * layers;
            } else {
                steps = steps.max(own_steps);
                relative = relative.max(own_relative);
            }
        }
        if scene.samples > 1 {
            // The mean of samples is rounded once more.
            steps += 1.0;
        }
        Bounds { steps, relative, nudge: nudge(scene) }
    }

    /// Returns the difference that a component of value `value` may have.
    pub fn of_component(&self, format: Format, component: usize, value: f64) -> f64 {
        if format.is_depth_or_stencil() {
            // Stencil is exact.
            return if component == 0 { depth_error(format) } else { 0.0 };
        }
        let desc = format.desc();
        let relative = self.relative * value.abs().max(1.0);
        if format == Format::R8G8BxSnorm && component == 2 {
            return relative + completing_error(value, self.steps / 127.0);
        }
        if format.is_pure_integer() {
            return 1.0 + 100.0 * relative;
        }
        let channel = desc.swizzle[component].channel().map(|index| desc.channels[index]);
        // Padding and constants have no error.
        let Some(channel) = channel else { return 0.0 };
        let step = match (channel.kind, channel.normalized) {
            (ChannelKind::Unsigned, true) => 1.0 / (2f64.powi(channel.bits.into()) - 1.0),
            (ChannelKind::Signed, true) => 1.0 / (2f64.powi(i32::from(channel.bits) - 1) - 1.0),
            // An ulp: 10 bits of mantissa for 16-bit floats, 6 and 5 for packed ones.
            _ => value.abs() * if channel.bits >= 32 { 2f64.powi(-22) } else { ulp(channel.bits) },
        };
        relative + self.steps * step * (1.0 + 1e-6)
    }
}

/// Returns the error of the third component of a unit vector, if the two stored components have
/// errors of up to `stored` each.
///
/// z² is 1 - x² - y². It changes by at most 2 (|x| + |y|) `stored` + 2 `stored`², and |x| + |y| is
/// at most the root of 2 (x² + y²).
fn completing_error(z: f64, stored: f64) -> f64 {
    let sum = (2.0 * (1.0 - z * z)).max(0.0).sqrt();
    let change = 2.0 * stored * (sum + stored);
    // The root is steepest towards 0.
    z - (z * z - change).max(0.0).sqrt()
}

/// Returns one step of a float of these bits, relative to its value.
fn ulp(bits: u8) -> f64 {
    match bits {
        16 => 2f64.powi(-10),
        // Packed: 11 bits have 6 of mantissa, 10 bits 5, and shared exponents 9 in all.
        _ => 2f64.powi(-5),
    }
}

/// Returns the error of a stored depth: one step of the buffer, or the error of planes in f32 with
/// 30 bits, if that is greater.
pub fn depth_error(format: Format) -> f64 {
    let bits = format.desc().depth_channel().map_or(32, |channel| channel.bits.min(24));
    2f64.powi(-i32::from(bits)).max(2f64.powi(-20)) * 1.01
}

/// Returns the errors that can change the outcome of tests.
fn nudge(scene: &Scene) -> Nudge {
    Nudge {
        seed: 0,
        depth: scene.depth.map_or(0.0, depth_error),
        // A plane's sum in f32: four roundings of up to half an ulp of its greatest term.
        plane: 2f64.powi(-23),
        // Coordinates of some tens of texels, in f32.
        texels: 1.0 / 512.0,
        lod: 1.0 / 256.0,
        alpha: 1e-4,
        // A subpixel for each corner.
        stroke: 1.0 / 128.0,
        // Drivers may touch half a subpixel more than the distance that corners moved.
        snap: 1.0 / 512.0,
        share: 1e-5,
        // The manual leaves the pattern to the driver.
        dither: 1.0,
        // Steps have lengths in f32. The rest allows for steps made longer by rounding.
        ratio: 1.0 / 48.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_component_of_a_unit_vector_takes_the_errors_of_two() {
        let step = 1.0 / 127.0;
        for (x, y) in [(0.0, 0.0), (0.3, 0.4), (0.6, 0.7), (0.1, 0.99), (-0.75, -0.45)] {
            let z = |x: f64, y: f64| (1.0 - x * x - y * y).max(0.0).sqrt();
            let bound = completing_error(z(x, y), step);
            for (right, up) in [(step, step), (-step, step), (step, -step), (-step, -step)] {
                let error = (z(x + right, y + up) - z(x, y)).abs();
                // For longer vectors; shorter ones are bounded from their own z.
                let other = completing_error(z(x + right, y + up), step);
                assert!(error <= bound.max(other) + 1e-12, "{x} {y}: {error} {bound}");
            }
        }
    }
}
