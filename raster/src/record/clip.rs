//! The pixels and depths to which a draw is confined.

use os_shim::math::to_i32;
use pipe_core::{RasterizerState, ScissorState, ViewportState};

use crate::fixed::{DEPTH_BITS, GUARD_BAND, SUBPIXEL_ONE};
use crate::frame::Framebuffer;
use crate::scene::ViewportClip;
use crate::setup::{Bounds, FillRule};
use crate::state::Bound;

impl ViewportClip {
    /// Derives the bounds of primitives in viewport number `viewport`. `window_space` is true if
    /// the program writes window positions.
    pub(crate) fn derive(
        bound: &Bound<'_>,
        viewport: usize,
        framebuffer: &Framebuffer,
        rasterizer: &RasterizerState,
        window_space: bool,
    ) -> ViewportClip {
        let rule = fill_rule(rasterizer);
        let scissor = bound.scissors.get(viewport).copied().unwrap_or_default();
        let viewport = bound.viewports.get(viewport).copied().unwrap_or_default();
        let (x1, y1) = (framebuffer.width as i32, framebuffer.height as i32);
        let mut all = Bounds { x0: 0, y0: 0, x1, y1 };
        if rasterizer.scissor {
            all = all.intersect(&scissor_bounds(&scissor));
        }
        let samples = u32::MAX >> (32 - framebuffer.samples());
        if bound.sample_mask & samples == 0 {
            // The sample mask excludes all samples.
            all.x1 = all.x0;
        }
        // Draw clips only at its guard band; the viewport's sides cut here. A point is clipped by
        // its centre, unless points are clipped as squares.
        let mut points = all;
        if !window_space {
            all = all.intersect(&viewport_bounds(&viewport, rule));
            if rasterizer.point_tri_clip {
                points = all;
            }
        }
        ViewportClip { all, points, depth_range: depth_range(rasterizer, &viewport) }
    }
}

/// Returns the rule for pixels on the edges of triangles.
#[inline(always)]
pub(super) fn fill_rule(rasterizer: &RasterizerState) -> FillRule {
    FillRule {
        half_pixel_center: rasterizer.half_pixel_center,
        bottom_edge: rasterizer.bottom_edge_rule,
    }
}

/// Returns the pixels within a scissor.
fn scissor_bounds(scissor: &ScissorState) -> Bounds {
    Bounds {
        x0: scissor.minx.into(),
        y0: scissor.miny.into(),
        x1: scissor.maxx.into(),
        y1: scissor.maxy.into(),
    }
}

/// Returns the pixels with centres within a viewport's sides.
fn viewport_bounds(viewport: &ViewportState, rule: FillRule) -> Bounds {
    let ([x, y, _], [wide, high, _]) = (viewport.translate, viewport.scale.map(f32::abs));
    let pixel = |place| first_pixel(place, rule);
    Bounds { x0: pixel(x - wide), y0: pixel(y - high), x1: pixel(x + wide), y1: pixel(y + high) }
}

/// Returns the first pixel with its centre at or after `place`. Not inlined: it runs four times.
#[inline(never)]
fn first_pixel(place: f32, rule: FillRule) -> i32 {
    // `as` saturates; beyond the guard band the exact position does not matter.
    let reach = (GUARD_BAND * SUBPIXEL_ONE) as f32;
    let place = os_shim::math::round_even(place * SUBPIXEL_ONE as f32);
    rule.first_pixel(to_i32(place.clamp(-reach, reach)))
}

/// Returns the depths (Q2.30, least and greatest) to which fragments are clamped: the viewport's
/// with `depth_clamp`, and the whole range of a buffer if planes do not clip at both ends. Other
/// depths leave the range only by polygon offset.
fn depth_range(rasterizer: &RasterizerState, viewport: &ViewportState) -> Option<[i32; 2]> {
    if !rasterizer.depth_clamp {
        let clips = rasterizer.depth_clip_near && rasterizer.depth_clip_far;
        return (!clips).then_some([0, 1 << DEPTH_BITS]);
    }
    let near = if rasterizer.clip_halfz { 0.0 } else { -1.0 };
    let [a, b] = [near, 1.0].map(|z| {
        let depth = viewport.translate[2] + z * viewport.scale[2];
        to_i32(depth.clamp(0.0, 1.0) * (1u32 << DEPTH_BITS) as f32)
    });
    Some([a.min(b), a.max(b)])
}
