//! Rows of pixels: depth test, colour, store, in the target's own words.

mod small;

use core::ops::Range;

use pipe_core::CompareFunc;
pub(super) use small::is_small;

use super::DepthTest;
use super::rows::{MAX_ROWS, Runs};
use super::shade::fill;
use crate::fragment::TileTargets;
use crate::output::Target;
use crate::setup::Bounds;
use crate::texture::rows::Comparison;

/// Colours pixels in a row, the first of which is at a place counted from the region's first.
pub(super) type Ink<'i> = &'i mut dyn FnMut(&mut [u16], (i32, i32));

/// A target's rows as words.
struct Rows<'t> {
    words: &'t mut [u16],
    stride: usize,
}

impl<'t> Rows<'t> {
    /// `None` where its bytes are not aligned.
    fn of(target: &'t mut Target<'_>) -> Option<Rows<'t>> {
        let stride = target.stride / 2;
        let words = bytemuck::try_cast_slice_mut(target.bytes).ok()?;
        (target.stride.is_multiple_of(2)).then_some(Rows { words, stride })
    }

    /// The pixels of a run.
    #[inline(always)]
    fn run(&mut self, x: i32, y: i32, length: i32) -> Option<&mut [u16]> {
        let start = (y as usize).wrapping_mul(self.stride).wrapping_add(x as usize);
        self.words.get_mut(start..)?.get_mut(..length as usize)
    }
}

/// Rows of a tile whose depth is as it was cleared: nothing there need be read to be compared.
#[derive(Debug)]
pub(crate) struct Fresh {
    rows: [bool; MAX_ROWS],
    /// What depth was cleared to, as 16 bits.
    depth: i32,
}

impl Fresh {
    /// A tile that was just cleared to `depth`.
    pub(crate) fn cleared(depth: Option<f32>) -> Fresh {
        let stored = depth.map(|depth| crate::fixed::depth_from_f32(depth) >> 16);
        Fresh { rows: [depth.is_some(); MAX_ROWS], depth: stored.unwrap_or(0) as i32 }
    }

    /// A row is drawn to.
    #[cfg(feature = "spans-stages")]
    #[inline(always)]
    pub(super) fn touch(&mut self, row: i32) {
        self.rows[row as usize % MAX_ROWS] = false;
    }

    /// Something else draws to the tile.
    pub(crate) fn forget(&mut self) {
        self.rows = [false; MAX_ROWS];
    }
}

/// A tile's colour and depth.
pub(super) struct Tile<'t> {
    x: i32,
    y: i32,
    color: Rows<'t>,
    depth: Option<Rows<'t>>,
    test: DepthTest,
}

/// An integer plane from a region's first pixel. Arithmetic is modulo 2³²: inside the triangle
/// values fit, however far the sums have wrapped.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plane32 {
    pub(super) value: i32,
    pub(super) dx: i32,
    pub(super) dy: i32,
}

impl Plane32 {
    #[inline(always)]
    pub(super) fn at(&self, x: i32, y: i32) -> i32 {
        self.value.wrapping_add(self.dx.wrapping_mul(x)).wrapping_add(self.dy.wrapping_mul(y))
    }
}

impl<'t> Tile<'t> {
    /// `None` where words cannot be had.
    #[inline]
    pub(super) fn new(
        targets: &'t mut TileTargets<'_>,
        tile: &Bounds,
        test: DepthTest,
    ) -> Option<Tile<'t>> {
        let TileTargets { color: [color, ..], depth, .. } = targets;
        let depth = match (test, depth) {
            (DepthTest::None, _) => None,
            (_, Some(depth)) => Some(Rows::of(depth)?),
            (_, None) => return None,
        };
        Some(Tile { x: tile.x0, y: tile.y0, color: Rows::of(color.as_mut()?)?, depth, test })
    }

    /// Paints the runs of a region.
    #[inline(never)]
    pub(super) fn paint(
        &mut self,
        runs: &Runs,
        fresh: &mut Fresh,
        region: &Bounds,
        z: &Plane32,
        shade: Ink<'_>,
    ) {
        let (x, y) = (region.x0 - self.x, region.y0 - self.y);
        let rows = region.y1 - region.y0;
        let color = &mut self.color;
        let Some(depth) = &mut self.depth else {
            for row in 0..rows {
                let (left, right) = runs.row(row);
                if left < right {
                    let color = color.run(x + left, y + row, right - left);
                    shade(color.unwrap_or(&mut []), (left, row));
                }
            }
            return;
        };
        for row in 0..rows {
            let (left, right) = runs.row(row);
            if left >= right {
                continue;
            }
            let z = Depth { value: z.at(left, row), step: z.dx };
            let length = right - left;
            let Some(color) = color.run(x + left, y + row, length) else { return };
            let Some(depth) = depth.run(x + left, y + row, length) else { return };
            let is_fresh =
                core::mem::replace(&mut fresh.rows[(y + row) as usize % MAX_ROWS], false);
            if is_fresh
                && self.test == DepthTest::Z16(CompareFunc::Less, true)
                && z.is_below(fresh.depth, length)
            {
                set(depth, z);
                shade(color, (left, row));
                continue;
            }
            let mut z = z;
            let mut start = 0;
            while let Some(rest) = depth.get_mut(start..).filter(|rest| !rest.is_empty()) {
                let passed = match self.test {
                    DepthTest::Z16(CompareFunc::Less, true) => less(rest, &mut z),
                    DepthTest::Z16(func, write) => any(rest, &mut z, func, write),
                    DepthTest::None => return,
                };
                let run = start + passed.start..start + passed.end;
                start = run.end;
                let from = (left + run.start as i32, row);
                shade(color.get_mut(run).unwrap_or(&mut []), from);
            }
        }
    }
}

/// Depth along a row, Q2.30.
#[derive(Clone, Copy)]
struct Depth {
    value: i32,
    step: i32,
}

impl Depth {
    /// The depth that the buffer would hold.
    #[inline(always)]
    fn stored(&self) -> i32 {
        (self.value >> 14).clamp(0, 0xffff)
    }

    /// The same, and on to the next pixel.
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

    /// Whether all stored depths of a run are less than `stored`.
    #[inline(always)]
    fn is_below(&self, stored: i32, length: i32) -> bool {
        let last = self.value.wrapping_add(self.step.wrapping_mul(length - 1));
        self.value.max(last) >> 14 < stored
    }
}

/// To the next pixel.
#[inline(always)]
fn step<const N: usize>(at: &mut [i32; N], steps: &[i32; N]) {
    for (at, step) in at.iter_mut().zip(steps) {
        *at = at.wrapping_add(*step);
    }
}

/// Depth of a run that is known to pass. (Functions of their own have all registers for the loop.)
#[inline(never)]
fn set(depth: &mut [u16], mut z: Depth) {
    if z.step == 0 {
        // Parallel to the screen: backgrounds, sprites.
        return fill(depth, z.next() as u16);
    }
    let (pairs, rest) = depth.as_chunks_mut::<2>();
    for pair in pairs {
        *pair = [z.next() as u16, z.next() as u16];
    }
    for depth in rest {
        *depth = z.next() as u16;
    }
}

/// The next pixels that are nearer: the commonest test. Their depth is written.
#[inline(never)]
fn less(depth: &mut [u16], z: &mut Depth) -> Range<usize> {
    passing(depth, z, true, |new, stored| new < stored)
}

/// The next pixels that pass any other test.
#[inline(never)]
fn any(depth: &mut [u16], z: &mut Depth, func: CompareFunc, write: bool) -> Range<usize> {
    let func = Comparison::new(func);
    passing(depth, z, write, |new, stored| func.passes(new, stored))
}

/// The first pixels in a row that pass, none if there are none; `z` is moved past them.
///
/// Coverage is in few pieces most of the time. So depth knows nothing of colour, and there is one
/// loop for each.
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
