//! Small triangles in three varyings: rows of a few pixels, so how a triangle and its rows begin is
//! what takes long. All of that is one function, which has next to nothing go through memory.

use super::paint::{Plane32, Rows, Tile};
use super::setup::{CHANNEL, MAX, is_nearly_linear};
use super::shade::{GouraudSmall, Shade};
use super::{Corners, Painter, Scratch, Window};
use crate::fixed::{DEPTH_BITS, SUBPIXEL_BITS};
use crate::lanes::TileTargets;
use crate::scene::{DrawRecord, PACKED_VARYINGS, PackedVertex, Vertex};
use crate::setup::{Bounds, Gradient};

/// How far a small triangle reaches to each side of its vertex 0: 32 pixels, in Q24.8. Sums of 16
/// bits are then good to 2⁻⁶ of a channel's step.
const REACH: i32 = 1 << 13;

/// Where all corners are at least this deep no pixel's depth is rounded to below 0.
const LEAST_DEPTH: f32 = 1.0 / 1024.0;

/// A small triangle: what its corners hold.
struct Small {
    /// Q24.8.
    points: [[i32; 2]; 3],
    area: i32,
    /// Numbers, as they are stored.
    depths: [u32; 3],
    /// The first varyings: channels from 0 to 1 that change as if they were linear.
    values: [[f32; PACKED_VARYINGS]; 3],
}

impl Painter<'_> {
    /// Paints what a small triangle covers of a tile, in a draw whose colour is its first varyings;
    /// `false` if it is not small, in perspective, or too steep.
    ///
    /// A triangle so thin that its planes are not good at its pixels is not small: half a pixel's
    /// area. All this is a matter of the triangle alone, not of what a tile has of it.
    #[inline(never)]
    pub(super) fn small(
        &self,
        corners: &Corners<'_>,
        record: &DrawRecord,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        let (points, area, depths, values);
        if let Some([a, b, c]) = packed(corners) {
            points = [a.place(), b.place(), c.place()];
            let Some(found) = self::area(&points) else { return false };
            area = found;
            depths = [a.z, b.z, c.z];
            // Channels of 8 bits, and w is 1.
            values = [a.channels(), b.channels(), c.channels()];
        } else {
            let Some(read) = self.unpacked(corners) else { return false };
            Small { points, area, depths, values } = read;
        }
        let (tile, mut region) = (&window.tile, window.clip);
        if !scratch.runs.solve_small(&points, area > 0, record.rule, &mut region) {
            return true;
        }
        let gradient = Gradient::of_small(&points, area, record.rule.center());
        let [a, b, c] = depths.map(f32::from_bits);
        let plane = gradient.plane(a, b, c);
        if self.nearer && scratch.farthest.hides(&plane, &gradient, &region) {
            return true;
        }
        let [value, dx, dy] =
            [plane.a, plane.dadx, plane.dady].map(|x| (x * (1 << DEPTH_BITS) as f32) as i32);
        let z = Plane32 { value, dx, dy };
        // Negative where a depth is less.
        let [a, b, c] = depths.map(|z| (z as i32).wrapping_sub(LEAST_DEPTH.to_bits() as i32));
        let is_above = a | b | c >= 0;
        let [a, b, c] = &values;
        let channel = |i: usize| {
            let (plane, scale) = (gradient.plane(a[i], b[i], c[i]), MAX[i] * CHANNEL);
            // Casts saturate, which is then seen to be steep.
            let [dx, dy] = [(plane.dadx * scale) as i32, (plane.dady * scale) as i32];
            Plane32 { value: (plane.a * scale + 0.5 * CHANNEL) as i32, dx, dy }
        };
        let [red, green, blue] = [channel(0), channel(1), channel(2)];
        // The two top bits differ in steps of 2³⁰ and more; the last wraps if the value is one of
        // the two furthest.
        let steep = |plane: &Plane32| (plane.dx ^ plane.dx << 1) | (plane.dy ^ plane.dy << 1);
        let far = (z.value ^ z.value >> 31).wrapping_add(1);
        if far | steep(&z) | steep(&red) | steep(&green) | steep(&blue) < 0 {
            return false;
        }
        // Blue over red, both in Q5.11. The lower half carries into the upper one, so the word is
        // exact wherever both fit.
        let both = |red: i32, blue: i32| {
            const HALF: i32 = 1 << 12;
            let (red, blue) = (red.wrapping_add(HALF) >> 13, blue.wrapping_add(HALF) >> 13);
            red.wrapping_add(blue << 16)
        };
        let (value, dx, dy) =
            (both(red.value, blue.value), both(red.dx, blue.dx), both(red.dy, blue.dy));
        let planes = [z, green, Plane32 { value, dx, dy }];
        let planes =
            planes.map(|plane| plane.moved(region.x0 - gradient.x, region.y0 - gradient.y));
        if is_above && self.nearer && paint(scratch, targets, tile, &region, &planes) {
            return true;
        }
        self.paint_rows(scratch, targets, tile, &region, &planes)
    }

    /// Reads a triangle that is not packed.
    #[inline(never)]
    fn unpacked(&self, corners: &Corners<'_>) -> Option<Small> {
        let v = corners.vertices().map(Vertex::position);
        let points = v.map(|v| [v.x, v.y]);
        let area = area(&points)?;
        let values = corners.first_varyings();
        // Of numbers that are not negative bits are in order.
        if !values.as_flattened().iter().all(|x| x.to_bits() <= 1.0f32.to_bits()) {
            return None;
        }
        let w @ [a, b, c] = v.map(|v| v.rcp_w);
        if self.perspective && !(a == b && b == c) && !is_nearly_linear(&w, &values) {
            return None;
        }
        Some(Small { points, area, depths: v.map(|v| v.z.to_bits()), values })
    }

    /// Paints the rows, whatever the test and the targets; `false` if words cannot be had.
    #[cold]
    #[inline(never)]
    fn paint_rows(
        &self,
        Scratch { runs, fresh, .. }: &mut Scratch,
        targets: &mut TileTargets<'_>,
        tile: &Bounds,
        region: &Bounds,
        [z, colors @ ..]: &[Plane32; 3],
    ) -> bool {
        let Some(mut tile) = Tile::new(targets, tile, self.depth) else { return false };
        tile.paint(runs, fresh, region, z, &mut |pixels, from| {
            GouraudSmall.row(pixels, from, colors);
        });
        true
    }
}

/// Paints depth, and colour where it is nearer; `false` if rows of the two do not lie
/// alike.
#[inline(never)]
fn paint(
    Scratch { runs, fresh, .. }: &mut Scratch,
    targets: &mut TileTargets<'_>,
    tile: &Bounds,
    region: &Bounds,
    planes: &[Plane32; 3],
) -> bool {
    let Some((color, depth, stride)) = alike(targets) else { return false };
    let (x, y) = ((region.x0 - tile.x0) as usize, (region.y0 - tile.y0) as usize);
    let rows = runs.rows(region.y1 - region.y0);
    let mut start = y.wrapping_mul(stride).wrapping_add(x);
    let mut at = planes.each_ref().map(|plane| plane.value);
    // From where a row ends to where the next begins.
    let mut x = 0;
    fresh.touch_rows(y, rows.len());
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
    true
}

/// The corners, if all are packed.
#[inline(always)]
fn packed(Corners { arena, ids: [a, b, c], .. }: &Corners<'_>) -> Option<[PackedVertex; 3]> {
    let at = |id: &u32| PackedVertex::at(arena, *id);
    Some([at(a)?, at(b)?, at(c)?])
}

/// The words of colour and depth, and their stride, where both lie alike: one check is for both.
#[inline(always)]
fn alike<'t>(targets: &'t mut TileTargets<'_>) -> Option<(&'t mut [u16], &'t mut [u16], usize)> {
    let TileTargets { color: [Some(color), ..], depth: Some(depth) } = targets else { return None };
    let (color, depth) = (Rows::of(color)?, Rows::of(depth)?);
    let length = color.words.len().min(depth.words.len());
    let (color_words, depth_words) =
        (color.words.get_mut(..length)?, depth.words.get_mut(..length)?);
    (color.stride == depth.stride).then_some((color_words, depth_words, color.stride))
}

/// Twice the area of a triangle (Q16.16), positive where its corners run clockwise, if it is small
/// and not too thin.
#[inline(always)]
fn area([a, b, c]: &[[i32; 2]; 3]) -> Option<i32> {
    let [x1, y1, x2, y2] = [
        b[0].wrapping_sub(a[0]),
        b[1].wrapping_sub(a[1]),
        c[0].wrapping_sub(a[0]),
        c[1].wrapping_sub(a[1]),
    ];
    let near = |x: i32| x.wrapping_add(REACH) as u32;
    if near(x1) | near(y1) | near(x2) | near(y2) >= 2 * REACH as u32 {
        return None;
    }
    let area = x1 * y2 - y1 * x2;
    (area.unsigned_abs() >> (2 * SUBPIXEL_BITS) != 0).then_some(area)
}
