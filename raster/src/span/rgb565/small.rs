//! Small triangles with three varyings. Their rows have few pixels, so setting up a triangle and
//! its rows takes most of the time. All of that is inlined into one function, so that its values
//! stay in registers.

use os_shim::math::to_i32;

use super::Rgb565;
use super::kept::KeptSmall;
use super::setup::{CHANNEL, MAX, is_nearly_linear};
use super::shade::{GouraudSmall, Shade};
use super::tile::{Alike, Tile};
use crate::features::{GOURAUD_ALONE, KEEPS_MORE, SHEARS};
use crate::fixed::{DEPTH_BITS, SUBPIXEL_BITS};
use crate::lanes::TileTargets;
use crate::scene::{PACKED_VARYINGS, PackedVertex, Vertex, WideVertex, is_channel};
use crate::setup::{Bounds, FillRule, Gradient, LONG, PARALLEL, Plane, Plane32, reach};
use crate::span::runs::Runs;
use crate::span::{Corners, Scratch, Window};

/// The reach of a small triangle to each side of its vertex 0: 64 pixels, in Q24.8. Within it sums
/// of 16 bits are accurate to 2⁻⁵ of a channel's step.
const REACH: u32 = 1 << 14;

/// The least depth of corners at which no pixel's depth is rounded to below 0.
const LEAST_DEPTH: f32 = 1.0 / 1024.0;

/// The corners of a small triangle.
pub(super) struct Small {
    /// Q24.8.
    pub(super) points: [[i32; 2]; 3],
    /// Twice the area, Q16.16; positive where the corners run clockwise.
    pub(super) area: i32,
    /// The bits of the corners' depths, which are not NaN.
    pub(super) depths: [u32; 3],
    /// The first varyings: channels from 0 to 1 that may be interpolated linearly.
    pub(super) values: [[f32; PACKED_VARYINGS]; 3],
}

/// Returns the planes of depth (Q2.30) and of red, green and blue (Q8.24) from the gradient's
/// reference pixel; `None` if one is too steep. `depth` is the depth's plane.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "the numbers of channels are 0 to 2")]
pub(super) fn channels(
    values: &[[f32; PACKED_VARYINGS]; 3],
    gradient: &Gradient,
    depth: &Plane,
) -> Option<[Plane32; 4]> {
    let [value, dx, dy] =
        [depth.a, depth.dadx, depth.dady].map(|x| to_i32(x * (1 << DEPTH_BITS) as f32));
    let z = Plane32 { value, dx, dy };
    let [a, b, c] = values;
    let channel = |i: usize| {
        let (plane, scale) = (gradient.unsheared(a[i], b[i], c[i]), MAX[i] * CHANNEL);
        // Casts saturate, and the test of steepness detects saturated values.
        let [dx, dy] = [plane.dadx, plane.dady].map(|step| to_i32(step * scale));
        Plane32 { value: to_i32(plane.a * scale + 0.5 * CHANNEL), dx, dy }
    };
    let [red, green, blue] = [channel(0), channel(1), channel(2)];
    let steepness = z.steepness() | red.steepness() | green.steepness() | blue.steepness();
    if z.saturation() | steepness < 0 {
        return None;
    }
    Some([z, red, green, blue])
}

/// Returns the planes of depth (Q2.30), of green (Q8.24) and of blue over red (both Q5.11).
#[inline(always)]
fn planes([z, channels @ ..]: &[Plane32; 4]) -> [Plane32; 3] {
    let [green, both] = packed_channels(channels);
    [*z, green, both]
}

/// Returns the planes of green (Q8.24) and of blue over red (both Q5.11).
#[inline(always)]
pub(super) fn packed_channels([red, green, blue]: &[Plane32; 3]) -> [Plane32; 2] {
    let (value, dx, dy) =
        (over(red.value, blue.value), over(red.dx, blue.dx), over(red.dy, blue.dy));
    [*green, Plane32 { value, dx, dy }]
}

/// Converts red and blue from Q8.24 to blue over red, both Q5.11.
#[inline(always)]
pub(super) fn over(red: i32, blue: i32) -> i32 {
    const HALF: i32 = 1 << 12;
    // The lower half carries into the upper half, so the word is exact if both values fit.
    let (red, blue) = (red.wrapping_add(HALF) >> 13, blue.wrapping_add(HALF) >> 13);
    red.wrapping_add(blue << 16)
}

/// Returns true if all depths, as bits, are at least [`LEAST_DEPTH`].
#[inline(always)]
fn are_deep(depths: [u32; 3]) -> bool {
    // Negative if a depth is less.
    let [a, b, c] = depths.map(|z| (z as i32).wrapping_sub(LEAST_DEPTH.to_bits() as i32));
    let [first, second, third] = depths.map(|z| z as i32);
    a | b | c | first | second | third >= 0
}

impl Rgb565<'_> {
    /// Paints the pixels of a tile that a small triangle covers, in a draw with the first varyings
    /// as its colour; `false` if the triangle is not small, is in perspective, or is too steep.
    ///
    /// Triangles of less than half a pixel's area are not small: planes of such a thin triangle are
    /// not exact enough at its pixels. The choice depends on the triangle alone, not on the tile's
    /// part of it.
    #[inline(never)]
    pub(super) fn small(
        &self,
        corners: &Corners<'_>,
        rule: FillRule,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        if KEEPS_MORE
            && let Some(painted) = self.small_again(corners, rule, window, scratch, targets)
        {
            return painted;
        }
        let Some(Small { points, area, depths, values }) = self.read_small(corners) else {
            return false;
        };
        let (tile, mut region) = (&window.tile, window.clip);
        if !scratch.runs.solve_small(&points, area > 0, rule, &mut region) {
            return true;
        }
        let gradient = Gradient::of_small(&points, area, rule.center());
        let [a, b, c] = depths.map(f32::from_bits);
        let depth = gradient.unsheared(a, b, c);
        if self.nearer() && scratch.max_depth.hides(&depth, &gradient, &region) {
            return true;
        }
        let Some(channels) = channels(&values, &gradient, &depth) else { return false };
        let planes = planes(&channels);
        if let Some(kept) = scratch.kept.get_mut() {
            kept.keep_small(corners.ids, area > 0, are_deep(depths), planes);
        }
        let planes =
            planes.map(|plane| plane.moved(region.x0 - gradient.x, region.y0 - gradient.y));
        if are_deep(depths) && self.nearer() && paint(scratch, targets, tile, &region, &planes) {
            return true;
        }
        self.paint_rows(scratch, targets, tile, &region, &planes)
    }

    /// Paints a small triangle with kept planes; `None` if there are none, or if the tile's depths
    /// may hide the triangle.
    #[inline(never)]
    fn small_again(
        &self,
        corners: &Corners<'_>,
        rule: FillRule,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> Option<bool> {
        let kept = scratch.kept.get()?.find_small(corners.ids)?;
        if scratch.max_depth.is_known() {
            return None;
        }
        let KeptSmall { clockwise, deep, planes, .. } = *kept;
        let points = corners.vertices().map(Vertex::place);
        let mut region = window.clip;
        if !scratch.runs.solve(&points, clockwise, rule, &mut region) {
            return Some(true);
        }
        let [[x, y], ..] = points.map(|point| point.map(|at| at >> SUBPIXEL_BITS));
        let planes = planes.map(|plane| plane.moved(region.x0 - x, region.y0 - y));
        let tile = &window.tile;
        let painted = deep && self.nearer() && paint(scratch, targets, tile, &region, &planes);
        Some(painted || self.paint_rows(scratch, targets, tile, &region, &planes))
    }

    /// Reads a triangle; `None` if it is not small.
    #[inline(always)]
    pub(super) fn read_small(&self, corners: &Corners<'_>) -> Option<Small> {
        if let Some([a, b, c]) = packed(corners) {
            // A packed vertex has channels of 8 bits and w of 1.
            let points = [a.place(), b.place(), c.place()];
            let values = [a.channels(), b.channels(), c.channels()];
            return Some(Small { points, area: area(&points)?, depths: [a.z, b.z, c.z], values });
        }
        if GOURAUD_ALONE {
            // Flash matters more than speed there.
            return self.unpacked(corners);
        }
        let Some([a, b, c]) = WideVertex::three(corners.arena, corners.ids) else {
            return self.unpacked(corners);
        };
        let points = [a.place(), b.place(), c.place()];
        let values = [a.channels(), b.channels(), c.channels()];
        let area = area(&points)?;
        let is_linear = self.is_linear(&[a.rcp_w(), b.rcp_w(), c.rcp_w()], &values);
        is_linear.then_some(Small { points, area, depths: [a.z(), b.z(), c.z()], values })
    }

    /// Reads a triangle of unpacked vertices.
    #[inline(never)]
    fn unpacked(&self, corners: &Corners<'_>) -> Option<Small> {
        let v = corners.vertices().map(Vertex::position);
        let points = v.map(|v| [v.x, v.y]);
        let area = area(&points)?;
        let values = corners.first_varyings();
        if !values.as_flattened().iter().all(|x| is_channel(x.to_bits())) {
            return None;
        }
        if !self.is_linear(&v.map(|v| v.rcp_w), &values) {
            return None;
        }
        Some(Small { points, area, depths: v.map(|v| v.z.to_bits()), values })
    }

    /// Returns true if colours interpolated without a division are as good as in perspective.
    #[inline(always)]
    fn is_linear(&self, w: &[f32; 3], values: &[[f32; PACKED_VARYINGS]; 3]) -> bool {
        let &[a, b, c] = w;
        !self.perspective() || a == b && b == c || is_nearly_linear(w, values)
    }

    /// Paints the rows with any test and targets; `false` if the targets are not aligned words.
    #[cold]
    #[inline(never)]
    fn paint_rows(
        &self,
        Scratch { runs, cleared_depth, .. }: &mut Scratch,
        targets: &mut TileTargets<'_>,
        tile: &Bounds,
        region: &Bounds,
        [z, colors @ ..]: &[Plane32; 3],
    ) -> bool {
        let Some(mut tile) = Tile::new(targets, tile, self.depth) else { return false };
        tile.paint(runs, cleared_depth, region, z, &mut |pixels, from| {
            GouraudSmall.row(pixels, from, colors);
        })
    }
}

/// Paints depth and colour of nearer pixels; `false` if the strides of the two buffers differ.
#[inline(never)]
fn paint(
    Scratch { runs, cleared_depth, .. }: &mut Scratch,
    targets: &mut TileTargets<'_>,
    tile: &Bounds,
    region: &Bounds,
    planes: &[Plane32; 3],
) -> bool {
    let Some(alike) = Alike::of(targets) else { return false };
    cleared_depth.touch_rows((region.y0 - tile.y0) as usize, (region.y1 - region.y0) as usize);
    paint_words(alike, runs, tile, region, planes);
    true
}

/// Paints depth and colour of nearer pixels.
#[inline(always)]
fn paint_words(
    Alike { color, depth, stride }: Alike<'_>,
    runs: &Runs,
    tile: &Bounds,
    region: &Bounds,
    planes: &[Plane32; 3],
) {
    let (x, y) = ((region.x0 - tile.x0) as usize, (region.y0 - tile.y0) as usize);
    let rows = runs.rows(region.y1 - region.y0);
    let mut start = y.wrapping_mul(stride).wrapping_add(x);
    let mut at = planes.each_ref().map(|plane| plane.value);
    // The column of `at`: the end of the last non-empty run.
    let mut x = 0;
    for [left, right] in rows {
        if left < right {
            let run = start + usize::from(*left)..start + usize::from(*right);
            let skip = i32::from(*left) - x;
            x = (*right).into();
            for (at, plane) in at.iter_mut().zip(planes) {
                *at = at.wrapping_add(plane.dx.wrapping_mul(skip));
            }
            let (Some(color), Some(depth)) = (color.get_mut(run.clone()), depth.get_mut(run))
            else {
                break;
            };
            for (color, depth) in color.iter_mut().zip(depth) {
                let [z, colors @ ..] = &at;
                let new = *z as u32 >> (DEPTH_BITS - 16);
                if new < u32::from(*depth) {
                    *depth = new as u16;
                    *color = GouraudSmall.color(colors);
                }
                for (at, plane) in at.iter_mut().zip(planes) {
                    *at = at.wrapping_add(plane.dx);
                }
            }
        }
        for (at, plane) in at.iter_mut().zip(planes) {
            *at = at.wrapping_add(plane.dy);
        }
        start = start.wrapping_add(stride);
    }
}

/// Returns the corners if all are packed.
#[inline(always)]
fn packed(Corners { arena, ids: [a, b, c], .. }: &Corners<'_>) -> Option<[PackedVertex; 3]> {
    let at = |id: &u32| PackedVertex::at(arena, *id);
    Some([at(a)?, at(b)?, at(c)?])
}

/// Returns twice the area of a triangle (Q16.16), positive where its corners run clockwise; `None`
/// if the triangle is not small, or too thin.
#[inline(always)]
fn area([a, b, c]: &[[i32; 2]; 3]) -> Option<i32> {
    let sides = [
        b[0].wrapping_sub(a[0]),
        b[1].wrapping_sub(a[1]),
        c[0].wrapping_sub(a[0]),
        c[1].wrapping_sub(a[1]),
    ];
    let reach = reach(sides);
    if reach >= REACH {
        return None;
    }
    let [x1, y1, x2, y2] = sides;
    let area = x1 * y2 - y1 * x2;
    let size = area.unsigned_abs();
    // The general path's depth has digits that cancel here.
    if SHEARS && reach >= LONG {
        // Some more triangles than those that the gradient shears, whichever way that rounds.
        let dot = (x1 * x2 + y1 * y2).unsigned_abs();
        if dot >> PARALLEL >= size - (size >> 16) {
            return None;
        }
    }
    (size >> (2 * SUBPIXEL_BITS) != 0).then_some(area)
}
