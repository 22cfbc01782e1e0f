//! Clip space to window: outcodes, division by w, viewport, snapping to 1/256 pixel.
//!
//! The lanes of a batch are projected together. Vertices that clipping makes go through the same
//! functions one by one, so both get the same bits.
//!
//! The sides of the view volume only reject. The rasterizer cuts primitives there, because it stops
//! at the viewport anyway. The guard band cuts only if a vertex is so far out that its snapped
//! coordinates would not fit. In homogeneous coordinates, with limit `g` pixels, it is
//!   -g <= x/w * scale + translate <= g     becomes     g*w + (x*scale + w*translate) >= 0
//!                                                      g*w - (x*scale + w*translate) >= 0
//! ```

use crate::features::SCALAR;
use crate::limits::MAX_GUARD_BAND;
use crate::outcode::{self, Plane};
use crate::outputs::OutputColumn;
use crate::vertex::{Slot, Window};
use pipe_core::{RasterizerState, ViewportState, ViewportSwizzle};
use tgsi::exec::Lanes;

/// 1 pixel in Q24.8.
const SUBPIXELS: f32 = 256.0;

/// Maps clip positions to outcodes and to the window.
pub(crate) struct Projection {
    /// The clip planes, in the order of their bits in [`code`].
    pub(crate) planes: [Plane; outcode::PLANES],
    /// Set if positions are already window positions, with w as its reciprocal.
    pub(crate) window_space: bool,
    /// The outcode bits of the enabled planes.
    enabled: u32,
    swizzle: Option<[ViewportSwizzle; 4]>,
    pub(crate) scale: [f32; 3],
    pub(crate) translate: [f32; 3],
    /// Bounds of window z; infinite if depth is not clipped.
    z_min: f32,
    z_max: f32,
    /// Bound of window x and y, in subpixels: rounding may put a cut slightly beyond its plane.
    limit: f32,
    /// The upper bound of w for vertices that [`is_wholly_inside`](Self::is_wholly_inside) may
    /// accept, as the bits of w minus those of the least normal number. It is 0 if the view volume
    /// is not within the guard band.
    w_range: u32,
    /// The mask for the bits of z before they are compared with the bits of w. It has no sign bit
    /// if the near plane is at -w.
    z_sign: u32,
}

/// From the bits of the least normal number to the bits of 2^100, where no product overflows.
const W_RANGE: u32 = 0x7180_0000 - f32::MIN_POSITIVE.to_bits();

impl Projection {
    /// Derives the projection from a viewport and the rasterizer state's clip flags. `guard_band`
    /// is in pixels.
    pub(crate) fn new(
        viewport: &ViewportState,
        rasterizer: &RasterizerState,
        window_space: bool,
        guard_band: u32,
    ) -> Projection {
        let limit = guard_band.clamp(2, MAX_GUARD_BAND) as f32;
        let identity = ViewportState::default();
        let v = if window_space { &identity } else { viewport };
        let ([x_scale, y_scale, z_scale], [x_offset, y_offset, z_offset]) = (v.scale, v.translate);
        let side = |axis: usize, scale: f32, offset: f32| Plane {
            axis,
            scale,
            w: offset + limit,
            offset: 0.0,
        };
        let depth = |scale: f32, w: f32| Plane { axis: 2, scale, w, offset: 0.0 };
        let near_w = if rasterizer.clip_halfz { 0.0 } else { 1.0 };
        let planes = [
            depth(1.0, near_w),
            depth(-1.0, 1.0),
            Plane { axis: 0, scale: 0.0, w: 1.0, offset: -f32::MIN_POSITIVE },
            side(0, x_scale, x_offset),
            side(0, -x_scale, -x_offset),
            side(1, y_scale, y_offset),
            side(1, -y_scale, -y_offset),
        ];
        let guard_bits = 15 * outcode::GUARD;
        let mut enabled = guard_bits | outcode::INVALID;
        if !window_space {
            enabled |= outcode::W | outcode::FRUSTUM_ALL;
            enabled |= if rasterizer.depth_clip_near { outcode::NEAR } else { 0 };
            enabled |= if rasterizer.depth_clip_far { outcode::FAR } else { 0 };
        }
        let near = z_offset - near_w * z_scale;
        let far = z_offset + z_scale;
        let near = (enabled & outcode::NEAR != 0).then_some(near);
        let far = (enabled & outcode::FAR != 0).then_some(far);
        let (low, high) = if z_scale >= 0.0 { (near, far) } else { (far, near) };
        let guards_view = !window_space
            && x_scale.abs() + x_offset.abs() < limit
            && y_scale.abs() + y_offset.abs() < limit;
        Projection {
            planes,
            window_space,
            enabled,
            swizzle: (v.swizzle != identity.swizzle).then_some(v.swizzle),
            scale: v.scale,
            translate: v.translate,
            z_min: low.unwrap_or(f32::NEG_INFINITY),
            z_max: high.unwrap_or(f32::INFINITY),
            limit: limit * SUBPIXELS,
            w_range: if guards_view { W_RANGE } else { 0 },
            z_sign: if rasterizer.clip_halfz { u32::MAX } else { i32::MAX as u32 },
        }
    }

    /// Returns the position to clip, from the position that the shader wrote.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the mask keeps the component below 4")]
    pub(crate) fn position(&self, p: [f32; 4]) -> [f32; 4] {
        if self.window_space {
            return [p[0], p[1], p[2], 1.0];
        }
        match self.swizzle {
            None => p,
            Some(swizzle) => swizzle.map(|s| {
                let number = s.number() as usize;
                let value = p[(number >> 1) & 3];
                if number & 1 == 0 { value } else { -value }
            }),
        }
    }

    /// Returns the outcode of a clip position, without user planes.
    #[inline(always)]
    pub(crate) fn code(&self, p: [f32; 4]) -> u32 {
        let [x, y, z, w] = p;
        let [near, far, _, left, right, top, bottom] = &self.planes;
        // Written out, not as a loop over planes: the axes are then constants, and lanes vectorise.
        let outside = |plane: &Plane, along: f32| {
            u32::from(!(plane.scale * along + plane.w * w + plane.offset >= 0.0))
        };
        // As integers, the bits of infinities and NaNs are greater than those of all numbers.
        let magnitudes = p.map(|v| v.abs().to_bits());
        let largest = magnitudes[0].max(magnitudes[1]).max(magnitudes[2]).max(magnitudes[3]);
        let invalid = largest >= f32::INFINITY.to_bits();
        let code = outside(near, z)
            | outside(far, z) << 1
            | u32::from(!(w >= f32::MIN_POSITIVE)) << 2
            | outside(left, x) << 3
            | outside(right, x) << 4
            | outside(top, y) << 5
            | outside(bottom, y) << 6
            | u32::from(x < -w) << 15
            | u32::from(x > w) << 16
            | u32::from(y < -w) << 17
            | u32::from(y > w) << 18
            | u32::from(invalid) << 28;
        code & self.enabled
    }

    /// Returns true if `p` lies in the view volume, for a view volume within the guard band. Most
    /// vertices do. (Vertices with -0 for z and Direct3D's near plane are not recognised.)
    #[inline(always)]
    fn is_wholly_inside(&self, p: [f32; 4]) -> bool {
        const MAGNITUDE: u32 = i32::MAX as u32;
        // As integers, positive numbers keep their order, and NaNs and infinities are greater than
        // all numbers.
        let [x, y, z, w] = p.map(f32::to_bits);
        w.wrapping_sub(f32::MIN_POSITIVE.to_bits()) < self.w_range
            && x & MAGNITUDE <= w
            && y & MAGNITUDE <= w
            && z & self.z_sign <= w
    }

    /// Maps a clip position to the window. `written_w` is the shader's w. It is read in window
    /// space only.
    #[inline(always)]
    pub(crate) fn window(&self, p: [f32; 4], written_w: f32) -> Window {
        let rcp = if self.window_space { 1.0 } else { 1.0 / p[3] };
        let [x, y, z] = self.place(p, rcp);
        let snap = |pixels: f32| snap(limited(pixels * SUBPIXELS, -self.limit, self.limit));
        let rcp_w = if self.window_space { written_w } else { rcp };
        Window { x: snap(x), y: snap(y), z, rcp_w }
    }

    /// Does the work of [`window`](Self::window) without limits, for positions that are [wholly
    /// inside](Self::is_wholly_inside).
    #[inline(always)]
    fn inner_window(&self, p: [f32; 4]) -> Window {
        let rcp_w = 1.0 / p[3];
        let [x, y, z] = self.place(p, rcp_w);
        Window { x: snap(x * SUBPIXELS), y: snap(y * SUBPIXELS), z, rcp_w }
    }

    /// Applies the viewport: returns x and y in pixels, and depth. `rcp` is 1 / w.
    #[inline(always)]
    fn place(&self, p: [f32; 4], rcp: f32) -> [f32; 3] {
        let [x, y, z, _] = p;
        let ([x_scale, y_scale, z_scale], [x_offset, y_offset, z_offset]) =
            (self.scale, self.translate);
        let along = |p: f32, scale: f32, offset: f32| p * rcp * scale + offset;
        let depth = along(z, z_scale, z_offset);
        [
            along(x, x_scale, x_offset),
            along(y, y_scale, y_offset),
            limited(depth, self.z_min, self.z_max),
        ]
    }

    /// Fills in `slots` and the position's `column`, one vertex at a time.
    #[inline(never)]
    fn one_by_one<R: Lanes>(
        &self,
        position: [&R; 4],
        written_w: &R,
        slots: &mut [Slot],
        column: OutputColumn<'_>,
    ) {
        // Not `map`: that compiles to a loop through memory.
        let [x, y, z, w] = position;
        let (x, y, z, w) = (x.as_slice(), y.as_slice(), z.as_slice(), w.as_slice());
        let mut place = 0;
        for (lane, (slot, x)) in slots.iter_mut().zip(x).enumerate() {
            let p = [*x, at(y, lane), at(z, lane), at(w, lane)].map(f32::from_bits);
            if let Some(output) = column.outputs.get_mut(place) {
                *output = p;
            }
            place += column.stride;
            if self.is_wholly_inside(p) {
                slot.code = 0;
                slot.window = self.inner_window(p);
            } else {
                self.outer(position, written_w, lane, slot);
            }
        }
    }

    /// Fills in the slot of a vertex that may be partly outside.
    #[inline(never)]
    fn outer<R: Lanes>(&self, position: [&R; 4], written_w: &R, lane: usize, slot: &mut Slot) {
        let value = |row: &R| f32::from_bits(at(row.as_slice(), lane));
        let p = position.map(value);
        slot.code = self.code(p);
        slot.window = self.window(p, value(written_w));
    }

    /// Fills in `slots`, and the position's `column`, from the rows that the shader wrote.
    #[inline(always)]
    pub(crate) fn lanes<R: Lanes>(
        &self,
        position: [&R; 4],
        slots: &mut [Slot],
        mut column: OutputColumn<'_>,
    ) {
        let written = position;
        let written_w = position[3];
        let clipped = self.swizzle.map(|swizzle| swizzle.map(|s| swizzled(s, position)));
        let one;
        let position = match &clipped {
            Some(rows) => rows.each_ref(),
            None if self.window_space => {
                one = R::splat(1.0f32.to_bits());
                [position[0], position[1], position[2], &one]
            }
            None => position,
        };
        if SCALAR {
            self.one_by_one(position, written_w, slots, column.reborrow());
            if self.window_space || clipped.is_some() {
                column.fill(written);
            }
            return;
        }
        column.fill(written);
        // The loop reads and writes lanes, so that it vectorises. A second loop fills the slots.
        let mut results = [R::ZERO; 5];
        let written_w = written_w.as_slice();
        {
            let [x, y, z, w] = position.map(Lanes::as_slice);
            let [codes, xs, ys, zs, rcp_ws] = results.each_mut().map(Lanes::as_mut_slice);
            for lane in 0..R::COUNT {
                let p = [at(x, lane), at(y, lane), at(z, lane), at(w, lane)].map(f32::from_bits);
                let window = self.window(p, f32::from_bits(at(written_w, lane)));
                let set = |row: &mut [u32], bits: u32| {
                    if let Some(place) = row.get_mut(lane) {
                        *place = bits;
                    }
                };
                set(codes, self.code(p));
                set(xs, window.x as u32);
                set(ys, window.y as u32);
                set(zs, window.z.to_bits());
                set(rcp_ws, window.rcp_w.to_bits());
            }
        }
        let [codes, xs, ys, zs, rcp_ws] = results.each_ref().map(Lanes::as_slice);
        for (lane, slot) in slots.iter_mut().enumerate().take(R::COUNT) {
            slot.code = at(codes, lane);
            slot.window = Window {
                x: at(xs, lane) as i32,
                y: at(ys, lane) as i32,
                z: f32::from_bits(at(zs, lane)),
                rcp_w: f32::from_bits(at(rcp_ws, lane)),
            };
        }
    }
}

/// Rounds subpixels within the guard band to an integer, to nearest even.
#[inline(always)]
fn snap(subpixels: f32) -> i32 {
    // 1.5 * 2^23: a number of this size has no bits below 1, so the addition rounds, and the low
    // bits of the sum are the integer. Exact up to the limit, ±2^22.
    const ROUND: f32 = 12_582_912.0;
    (subpixels + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i32
}

/// Clamps `x` to `low` and `high`; NaN becomes `low`. (`max` and `min` are calls on a Cortex-M4F.)
#[inline(always)]
fn limited(x: f32, low: f32, high: f32) -> f32 {
    let x = if x > low { x } else { low };
    if x < high { x } else { high }
}

/// Returns the word of a lane; 0 beyond the last.
#[inline(always)]
fn at(row: &[u32], lane: usize) -> u32 {
    row.get(lane).copied().unwrap_or(0)
}

/// Returns the row that a viewport swizzle selects, negated if the swizzle requests it.
#[cold]
#[expect(clippy::indexing_slicing, reason = "the mask keeps the component below 4")]
fn swizzled<R: Lanes>(swizzle: ViewportSwizzle, position: [&R; 4]) -> R {
    let number = swizzle.number();
    let mut row = *position[(number as usize >> 1) & 3];
    // Odd numbers stand for negated components.
    row.as_mut_slice().iter_mut().for_each(|bits| *bits ^= (number & 1) << 31);
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn projection(rasterizer: RasterizerState, window_space: bool) -> Projection {
        Projection::new(&ViewportState::y_up(320, 240), &rasterizer, window_space, 1 << 14)
    }

    #[test]
    fn ndc_corners_are_window_corners() {
        let p = projection(RasterizerState::default(), false);
        let at = |v: [f32; 4]| {
            let w = p.window(v, v[3]);
            (w.x, w.y, w.z, w.rcp_w)
        };
        assert_eq!(at([-1.0, 1.0, -1.0, 1.0]), (0, 0, 0.0, 1.0));
        assert_eq!(at([1.0, -1.0, 1.0, 1.0]), (320 << 8, 240 << 8, 1.0, 1.0));
        assert_eq!(at([0.0, 0.0, 0.0, 4.0]), (160 << 8, 120 << 8, 0.5, 0.25));
    }

    #[test]
    fn snapping_rounds_halves_to_even() {
        let p = projection(RasterizerState::default(), true);
        let rows = [
            (0.5 / 256.0, 0),
            (1.5 / 256.0, 2),
            (2.5 / 256.0, 2),
            (-0.5 / 256.0, 0),
            (-1.5 / 256.0, -2),
            (100.25, 25664),
            (-16384.0, -(1 << 22)),
            (16384.0, 1 << 22),
            (1e30, 1 << 22),
            (f32::NEG_INFINITY, -(1 << 22)),
        ];
        for (pixels, fixed) in rows {
            assert_eq!(p.window([pixels, 0.0, 0.0, 1.0], 1.0).x, fixed, "{pixels}");
        }
    }

    #[test]
    fn outcodes_by_convention() {
        let gl = projection(RasterizerState::default(), false);
        let d3d = RasterizerState { clip_halfz: true, ..RasterizerState::default() };
        let d3d = projection(d3d, false);
        let off = RasterizerState {
            depth_clip_near: false,
            depth_clip_far: false,
            ..RasterizerState::default()
        };
        let off = projection(off, false);
        // Position; code by OpenGL's z, by Direct3D's z, and without depth clipping.
        let rows = [
            ([0.0, 0.0, 0.0, 1.0], 0, 0, 0),
            ([0.0, 0.0, -0.5, 1.0], 0, outcode::NEAR, 0),
            ([0.0, 0.0, -1.5, 1.0], outcode::NEAR, outcode::NEAR, 0),
            ([0.0, 0.0, 1.5, 1.0], outcode::FAR, outcode::FAR, 0),
            ([-1.0, 1.0, 1.0, 1.0], 0, 0, 0),
            ([-1.5, 0.0, 0.0, 1.0], outcode::FRUSTUM, outcode::FRUSTUM, outcode::FRUSTUM),
            (
                [0.0, 1.5, 0.0, 1.0],
                outcode::FRUSTUM << 3,
                outcode::FRUSTUM << 3,
                outcode::FRUSTUM << 3,
            ),
        ];
        for (p, a, b, c) in rows {
            assert_eq!([gl.code(p), d3d.code(p), off.code(p)], [a, b, c], "{p:?}");
        }
        assert_eq!(gl.code([1000.0, 0.0, 0.0, 1.0]), outcode::FRUSTUM << 1 | outcode::GUARD << 1);
        assert_ne!(gl.code([0.0, 0.0, 0.0, 0.0]) & outcode::W, 0);
        assert_ne!(gl.code([0.0, 0.0, 0.0, -1.0]) & outcode::W, 0);
        assert_ne!(gl.code([f32::NAN, 0.0, 0.0, 1.0]) & outcode::INVALID, 0);
        assert_ne!(gl.code([0.0, 0.0, 0.0, f32::INFINITY]) & outcode::INVALID, 0);
    }

    #[test]
    fn window_space_is_not_clipped_to_the_viewport() {
        let p = projection(RasterizerState::default(), true);
        let corner = p.position([5000.0, -3.0, 7.0, 0.25]);
        assert_eq!(p.code(corner), 0);
        let window = p.window(corner, 0.25);
        assert_eq!(window, Window { x: 5000 << 8, y: -3 << 8, z: 7.0, rcp_w: 0.25 });
        assert_eq!(p.code([20000.0, 0.0, 0.0, 1.0]), outcode::GUARD << 1);
    }

    /// A batch of lanes gets the same bits as its vertices one by one.
    #[test]
    fn lanes_agree_with_single_vertices() {
        use ViewportSwizzle::*;
        let swizzled = ViewportState {
            swizzle: [NegativeY, PositiveW, PositiveZ, NegativeX],
            ..ViewportState::y_up(320, 240)
        };
        let state = RasterizerState::default();
        let projections = [
            projection(state, false),
            projection(state, true),
            Projection::new(&swizzled, &state, false, 512),
        ];
        let value =
            |i: u32| f32::from_bits(0x3e00_0000 + i.wrapping_mul(0x9e37_79b1) % 0x0400_0000);
        let rows: [[u32; 16]; 4] = core::array::from_fn(|row| {
            core::array::from_fn(|lane| {
                let value = value((row * 16 + lane) as u32);
                (if (row + lane) % 3 == 0 { -value } else { value }).to_bits()
            })
        });
        for p in projections {
            let mut slots = [Slot::INVALID; 16];
            let mut outputs = [[0.0; 4]; 16];
            let column = OutputColumn { outputs: &mut outputs, stride: 1 };
            p.lanes(rows.each_ref(), &mut slots, column);
            for (lane, slot) in slots.iter().enumerate() {
                let written = rows.map(|row| f32::from_bits(row[lane]));
                assert_eq!(outputs[lane], written);
                let position = p.position(written);
                assert_eq!(slot.code, p.code(position), "{written:?}");
                assert_eq!(slot.window, p.window(position, written[3]), "{written:?}");
            }
        }
    }

    /// A vertex that is wholly inside has no outcode and needs no limits: the result is the same,
    /// bit for bit.
    #[test]
    fn the_short_way_for_what_is_inside() {
        let d3d = RasterizerState { clip_halfz: true, ..RasterizerState::default() };
        let mut inside = 0;
        for p in [projection(RasterizerState::default(), false), projection(d3d, false)] {
            for i in 0..40_000u32 {
                let noise = |k: u32| (i * 4 + k).wrapping_mul(0x9e37_79b1).rotate_left(k * 5 + 7);
                let w = f32::from_bits(noise(0) & 0x7fff_ffff);
                // From -1.25 w to 1.25 w; the corners of the view volume often.
                let along = |k: u32| match noise(k) & 7 {
                    0 => w,
                    1 => -w,
                    2 => 0.0,
                    _ => w * ((noise(k) >> 3) as f32 / (1u32 << 28) as f32 - 1.0) * 1.25,
                };
                let v = [along(1), along(2), along(3), w];
                if p.is_wholly_inside(v) {
                    inside += 1;
                    assert_eq!((p.code(v), p.window(v, w)), (0, p.inner_window(v)), "{v:?}");
                }
            }
        }
        assert!(inside > 10_000, "{inside}");
        let p = projection(d3d, false);
        assert!(p.is_wholly_inside([1.0, -1.0, 0.0, 1.0]));
        assert!(!p.is_wholly_inside([1.0, -1.0, -0.5, 1.0]));
        assert!(!p.is_wholly_inside([f32::NAN, 0.0, 0.0, 1.0]));
        assert!(!p.is_wholly_inside([0.0, 0.0, 0.0, f32::INFINITY]));
        assert!(!p.is_wholly_inside([0.0, 0.0, 0.0, -1.0]));
    }

    #[test]
    fn viewport_swizzles_come_first() {
        use ViewportSwizzle::*;
        let viewport = ViewportState {
            swizzle: [NegativeY, PositiveX, PositiveZ, PositiveW],
            ..ViewportState::default()
        };
        let p = Projection::new(&viewport, &RasterizerState::default(), false, 1 << 14);
        assert_eq!(p.position([1.0, 2.0, 3.0, 4.0]), [-2.0, 1.0, 3.0, 4.0]);
    }
}
