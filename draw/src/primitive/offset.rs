//! Depth offset: the distance that is added to a polygon's depth.

use super::cull;
use crate::state::DepthStep;
use crate::vertex::Window;
use pipe_core::RasterizerState;

/// Returns the offset to add to the depth of a polygon; `piece` is the polygon's largest triangle.
///
/// The offset is `max slope * scale + least step * units`, then clamped. It stays within ±1, which
/// moves any depth across the whole range.
///
/// # Source
/// OpenGL 4.6 §14.6.5; the manual's `offset_units_unscaled` and `offset_clamp`.
pub(super) fn of(
    rasterizer: &RasterizerState,
    step: DepthStep,
    piece: Option<[&Window; 3]>,
) -> f32 {
    let Some([a, b, c]) = piece else { return 0.0 };
    let step = match step {
        DepthStep::None => return 0.0,
        _ if rasterizer.offset_units_unscaled => 1.0,
        DepthStep::Fixed(step) => step,
        DepthStep::Float => float_step(a.z.abs().max(b.z.abs()).max(c.z.abs())),
    };
    let mut offset = step * rasterizer.offset_units;
    if rasterizer.offset_scale != 0.0 {
        offset += slope(a, b, c) * rasterizer.offset_scale;
    }
    if rasterizer.offset_clamp > 0.0 {
        offset = offset.min(rasterizer.offset_clamp);
    } else if rasterizer.offset_clamp < 0.0 {
        offset = offset.max(rasterizer.offset_clamp);
    }
    // Not `clamp` alone: a NaN must not move anything.
    if offset.is_nan() { 0.0 } else { offset.clamp(-1.0, 1.0) }
}

/// Returns the larger absolute change of depth, of one pixel to the right and one pixel down.
fn slope(a: &Window, b: &Window, c: &Window) -> f32 {
    let area = cull::area(a, b, c) as f32;
    if area == 0.0 {
        return 0.0;
    }
    let ([x1, y1], [x2, y2]) = ([b, c].map(|v| [v.x - a.x, v.y - a.y].map(|d| d as f32))).into();
    let (z1, z2) = (b.z - a.z, c.z - a.z);
    // The area is in squares of 1/256 pixel, the sides are in 1/256 pixel.
    let right = (z1 * y2 - z2 * y1) / area * 256.0;
    let down = (z2 * x1 - z1 * x2) / area * 256.0;
    right.abs().max(down.abs())
}

/// Returns the step between floats of `z`'s size: 2^(exponent - 23).
fn float_step(z: f32) -> f32 {
    let exponent = (z.to_bits() >> 23) & 0xff;
    f32::from_bits(exponent.saturating_sub(23).max(1) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: i32, y: i32, z: f32) -> Window {
        Window { x: x * 256, y: y * 256, z, rcp_w: 1.0 }
    }

    #[test]
    fn slope_and_units_add_up_and_are_bounded() {
        // z rises by 1/64 per pixel to the right and falls by 1/32 per pixel down.
        let [a, b, c] = [at(0, 0, 0.5), at(8, 0, 0.625), at(0, 8, 0.25)];
        let base = RasterizerState { offset_units: 2.0, offset_scale: 1.0, ..Default::default() };
        let of = |state: &RasterizerState, step| of(state, step, Some([&a, &b, &c]));
        let step = DepthStep::Fixed(1.0 / 65536.0);
        assert_eq!(of(&base, step), 1.0 / 32.0 + 2.0 / 65536.0);
        assert_eq!(of(&base, DepthStep::None), 0.0);
        // Depths of up to 0.625 have steps of 2^-24.
        assert_eq!(of(&base, DepthStep::Float), 1.0 / 32.0 + 2.0 / 16_777_216.0);
        let unscaled = RasterizerState {
            offset_units: 0.25,
            offset_scale: 0.0,
            offset_units_unscaled: true,
            ..base
        };
        assert_eq!(of(&unscaled, step), 0.25);
        let upper = RasterizerState { offset_clamp: 0.015_625, ..base };
        assert_eq!(of(&upper, step), 0.015_625);
        let lower = RasterizerState { offset_scale: -4.0, offset_clamp: -0.0625, ..base };
        assert_eq!(of(&lower, step), -0.0625);
        for wild in [f32::INFINITY, f32::NAN, -1e30] {
            let state = RasterizerState { offset_units: wild, offset_scale: wild, ..base };
            assert!(of(&state, step).abs() <= 1.0, "{wild}");
        }
    }
}
