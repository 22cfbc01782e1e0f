//! Rows of a tile: depth test, colour, store, in the target's own words.

use core::ops::Range;

use pipe_core::CompareFunc;

use super::shade::fill;
use crate::features::GOURAUD_ALONE;
use crate::lanes::{Comparison, Target, TileTargets};
use crate::scene::recognised::DepthTest;
use crate::setup::{Bounds, Plane32};
use crate::span::cleared_depth::ClearedDepthTracker;
use crate::span::runs::Runs;

/// Writes the colours of pixels in a row; the second argument is the first pixel's column and row,
/// relative to the region's first pixel.
pub(super) type RowShader<'i> = &'i mut dyn FnMut(&mut [u16], (i32, i32));

/// A target's rows as words.
pub(super) struct Scanlines<'t> {
    words: &'t mut [u16],
    /// The number of words from a row to the next.
    stride: usize,
}

/// The words of a colour buffer and a depth buffer with the same stride: one index is valid for
/// both.
pub(super) struct Alike<'t> {
    pub(super) color: &'t mut [u16],
    pub(super) depth: &'t mut [u16],
    pub(super) stride: usize,
}

impl<'t> Alike<'t> {
    /// Views the first colour buffer and the depth buffer; `None` if one is missing or not aligned,
    /// or if their strides differ.
    #[inline(always)]
    pub(super) fn of(targets: &'t mut TileTargets<'_>) -> Option<Alike<'t>> {
        let TileTargets { color: [Some(color), ..], depth: Some(depth) } = targets else {
            return None;
        };
        Scanlines::of(color)?.with_depth(Scanlines::of(depth)?)
    }
}

impl<'t> Scanlines<'t> {
    /// Views a target's bytes as words; `None` if they are not aligned.
    #[inline(always)]
    pub(super) fn of(target: &'t mut Target<'_>) -> Option<Scanlines<'t>> {
        let stride = target.stride / 2;
        let words = bytemuck::try_cast_slice_mut(target.bytes).ok()?;
        (target.stride.is_multiple_of(2)).then_some(Scanlines { words, stride })
    }

    /// Views the plane of one of `samples` samples as words; `None` if it is missing or not
    /// aligned.
    #[inline(always)]
    pub(super) fn of_plane(
        target: &'t mut Target<'_>,
        sample: usize,
        samples: u32,
    ) -> Option<Scanlines<'t>> {
        let stride = target.stride / 2;
        let words: &mut [u16] = bytemuck::try_cast_slice_mut(target.bytes).ok()?;
        let words = words.get_mut(stride / samples.max(1) as usize * sample..)?;
        target
            .stride
            .is_multiple_of(2 * samples.max(1) as usize)
            .then_some(Scanlines { words, stride })
    }

    /// Joins colour with depth, cut to one length so that one check covers both; `None` if their
    /// strides differ.
    #[inline(always)]
    fn with_depth(self, depth: Scanlines<'t>) -> Option<Alike<'t>> {
        let length = self.words.len().min(depth.words.len());
        let (color, words) = (self.words.get_mut(..length)?, depth.words.get_mut(..length)?);
        (self.stride == depth.stride).then_some(Alike { color, depth: words, stride: self.stride })
    }

    /// Borrows the words.
    #[inline(always)]
    fn lend(&mut self) -> Scanlines<'_> {
        Scanlines { words: self.words, stride: self.stride }
    }

    /// Returns the pixels of a run.
    #[inline(always)]
    fn run(&mut self, x: i32, y: i32, length: i32) -> Option<&mut [u16]> {
        let start = (y as usize).wrapping_mul(self.stride).wrapping_add(x as usize);
        self.words.get_mut(start..)?.get_mut(..length as usize)
    }
}

/// A tile's colour and depth buffers, and the depth test between them.
pub(super) struct Tile<'t> {
    x: i32,
    y: i32,
    color: Scanlines<'t>,
    depth: Option<Scanlines<'t>>,
    test: DepthTest,
}

impl<'t> Tile<'t> {
    /// Views a tile's buffers as words; `None` if they are missing or not aligned.
    #[inline]
    pub(super) fn new(
        targets: &'t mut TileTargets<'_>,
        tile: &Bounds,
        test: DepthTest,
    ) -> Option<Tile<'t>> {
        let TileTargets { color: [color, ..], depth, .. } = targets;
        let depth = match (test, depth) {
            (DepthTest::None, _) => None,
            (DepthTest::Z16(..), Some(depth)) => Some(Scanlines::of(depth)?),
            (DepthTest::Z16(..), None) => return None,
        };
        Some(Tile { x: tile.x0, y: tile.y0, color: Scanlines::of(color.as_mut()?)?, depth, test })
    }

    /// Views the plane of one of `samples` samples, as [`new`](Self::new) views a tile.
    pub(super) fn of_plane(
        targets: &'t mut TileTargets<'_>,
        tile: &Bounds,
        test: DepthTest,
        (sample, samples): (usize, u32),
    ) -> Option<Tile<'t>> {
        let TileTargets { color: [color, ..], depth, .. } = targets;
        let color = Scanlines::of_plane(color.as_mut()?, sample, samples)?;
        let depth = match test {
            DepthTest::None => None,
            DepthTest::Z16(..) => Some(Scanlines::of_plane(depth.as_mut()?, sample, samples)?),
        };
        Some(Tile { x: tile.x0, y: tile.y0, color, depth, test })
    }

    /// Paints the runs of a region where depth `z` passes. With `gouraud-alone` it returns `false`
    /// if the strides of colour and depth differ; otherwise always true.
    #[inline(never)]
    pub(super) fn paint(
        &mut self,
        runs: &Runs,
        cleared: &mut ClearedDepthTracker,
        region: &Bounds,
        z: &Plane32,
        shade: RowShader<'_>,
    ) -> bool {
        let painted = self.paint_nearer(runs, cleared, region, z, shade);
        if painted || GOURAUD_ALONE {
            return painted;
        }
        let (x, y) = (region.x0 - self.x, region.y0 - self.y);
        for row in 0..region.y1 - region.y0 {
            let (left, right) = runs.row(row);
            if left >= right {
                continue;
            }
            let length = right - left;
            let Some(color) = self.color.run(x + left, y + row, length) else { break };
            let (Some(depth), DepthTest::Z16(func, write)) = (&mut self.depth, self.test) else {
                shade(color, (left, row));
                continue;
            };
            cleared.touch(y + row);
            let Some(depth) = depth.run(x + left, y + row, length) else { break };
            let z = Depth { value: z.at(left, row), step: z.dx };
            pieces(depth, z, color, (left, row), shade, |rest, z| any(rest, z, func, write));
        }
        true
    }

    /// Returns the words of both buffers if the test is [`DepthTest::NEARER`] and their strides are
    /// equal.
    #[inline(always)]
    fn nearer(&mut self) -> Option<Alike<'_>> {
        let depth = self.depth.as_mut().filter(|_| self.test == DepthTest::NEARER)?;
        self.color.lend().with_depth(depth.lend())
    }

    /// Paints as [`paint`](Self::paint) does, with [`DepthTest::NEARER`]. A run that still holds
    /// the cleared depth is written without reading its depth. Returns `false` if the test is
    /// another one, or if the strides of colour and depth differ.
    #[inline(always)]
    fn paint_nearer(
        &mut self,
        runs: &Runs,
        cleared: &mut ClearedDepthTracker,
        region: &Bounds,
        z: &Plane32,
        shade: RowShader<'_>,
    ) -> bool {
        let (x, y) = ((region.x0 - self.x) as usize, (region.y0 - self.y) as usize);
        let Some(Alike { color, depth, stride }) = self.nearer() else { return false };
        let (mut start, mut first) = (y.wrapping_mul(stride).wrapping_add(x), z.value);
        let (dx, dy) = (z.dx, z.dy);
        cleared.settle();
        let cleared_to = cleared.depth;
        let rows = runs.rows(region.y1 - region.y0).iter();
        let touched = cleared.touched.get_mut(y..).unwrap_or(&mut []);
        for (row, ([left, right], touched)) in rows.zip(touched).enumerate() {
            let (left, right) = (usize::from(*left), usize::from(*right));
            let run = start + left..start + right;
            let value = first.wrapping_add(dx.wrapping_mul(left as i32));
            let z = Depth { value, step: dx };
            start += stride;
            first = first.wrapping_add(dy);
            if left >= right {
                continue;
            }
            let Some(color) = color.get_mut(run.clone()) else { continue };
            let Some(depth) = depth.get_mut(run) else { continue };
            let from = (left as i32, row as i32);
            let (begin, end) = ((x + left) as u8, (x + right) as u8);
            let is_cleared = end <= !touched[0] || touched[1] <= begin;
            *touched = [touched[0].max(!begin), touched[1].max(end)];
            if is_cleared && z.is_below(cleared_to, (right - left) as i32) {
                set(depth, z);
                shade(color, from);
            } else {
                pieces(depth, z, color, from, shade, less);
            }
        }
        true
    }
}

/// Paints the pieces of a run that pass the depth test; `passing` returns the next piece of the
/// rest.
#[inline(always)]
fn pieces(
    depth: &mut [u16],
    mut z: Depth,
    color: &mut [u16],
    (left, row): (i32, i32),
    shade: RowShader<'_>,
    passing: impl Fn(&mut [u16], &mut Depth) -> Range<usize>,
) {
    let mut start = 0;
    while let Some(rest) = depth.get_mut(start..).filter(|rest| !rest.is_empty()) {
        let passed = passing(rest, &mut z);
        let run = start + passed.start..start + passed.end;
        start = run.end;
        let from = (left + run.start as i32, row);
        shade(color.get_mut(run).unwrap_or(&mut []), from);
    }
}

/// Depth along a row, Q2.30.
#[derive(Clone, Copy)]
struct Depth {
    value: i32,
    step: i32,
}

impl Depth {
    /// Returns the depth as a 16-bit buffer stores it.
    #[inline(always)]
    fn stored(&self) -> i32 {
        (self.value >> 14).clamp(0, 0xffff)
    }

    /// Returns the [stored](Self::stored) depth and steps to the next pixel.
    #[inline(always)]
    fn next(&mut self) -> i32 {
        let stored = self.stored();
        self.step();
        stored
    }

    #[inline(always)]
    fn step(&mut self) {
        self.value = self.value.wrapping_add(self.step);
    }

    /// Returns true if all depths of a run are at least 0 and below the `stored` depth.
    #[inline(always)]
    fn is_below(&self, stored: u32, length: i32) -> bool {
        let last = self.value.wrapping_add(self.step.wrapping_mul(length - 1));
        // As unsigned words, negative values are the greatest.
        (self.value as u32).max(last as u32) >> 14 < stored
    }
}

/// Writes the depths of a run that passes and lies from 0 to below 1: the stored depth is then the
/// upper half of a word. Kept out of line, so that the loop has all registers.
#[inline(never)]
fn set(depth: &mut [u16], z: Depth) {
    if z.step == 0 {
        // The triangle is parallel to the screen, as backgrounds and sprites are.
        return fill(depth, z.stored() as u16);
    }
    let (mut at, step) = ((z.value as u32) << 2, (z.step as u32) << 2);
    let mut next = at.wrapping_add(step);
    let (pairs, rest) = depth.as_chunks_mut::<2>();
    for pair in pairs {
        let both = next & 0xffff_0000 | at >> 16;
        // One store for both pixels.
        *pair =
            bytemuck::cast(if cfg!(target_endian = "big") { both.rotate_left(16) } else { both });
        at = at.wrapping_add(step << 1);
        next = next.wrapping_add(step << 1);
    }
    if let [depth] = rest {
        *depth = (at >> 16) as u16;
    }
}

/// Returns the next pixels that are nearer, and writes their depth.
#[inline(never)]
fn less(depth: &mut [u16], z: &mut Depth) -> Range<usize> {
    passing(depth, z, true, |new, stored| new < stored)
}

/// Returns the next pixels that pass any other test.
#[inline(never)]
fn any(depth: &mut [u16], z: &mut Depth, func: CompareFunc, write: bool) -> Range<usize> {
    let func = Comparison::new(func);
    passing(depth, z, write, |new, stored| func.passes(new, stored))
}

/// Returns the first pixels in a row that pass, or an empty range at the end if none pass; moves
/// `z` past them.
///
/// Most runs pass in one or two pieces, so depth and colour have separate loops.
#[inline(always)]
fn passing(
    depth: &mut [u16],
    z: &mut Depth,
    write: bool,
    passes: impl Fn(i32, i32) -> bool,
) -> Range<usize> {
    let mut at = *z;
    let length = depth.len();
    let mut pixels = depth.iter_mut();
    let mut start = length;
    for depth in &mut pixels {
        let new = at.next();
        if passes(new, i32::from(*depth)) {
            if write {
                *depth = new as u16;
            }
            start = length - 1 - pixels.len();
            break;
        }
    }
    let mut end = length;
    for depth in &mut pixels {
        let new = at.stored();
        if !passes(new, i32::from(*depth)) {
            end = length - 1 - pixels.len();
            break;
        }
        if write {
            *depth = new as u16;
        }
        at.step();
    }
    *z = at;
    start..end
}
