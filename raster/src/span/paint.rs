//! Rows of pixels: depth test, colour, store, in the target's own words.

use core::ops::Range;

use pipe_core::CompareFunc;

use super::rows::{MAX_ROWS, Runs};
use super::shade::fill;
use crate::lanes::{Comparison, Target, TileTargets};
use crate::scene::recognised::DepthTest;
use crate::setup::Bounds;

/// Colours pixels in a row, the first of which is at a place counted from the region's first.
pub(super) type Ink<'i> = &'i mut dyn FnMut(&mut [u16], (i32, i32));

/// A target's rows as words.
pub(super) struct Rows<'t> {
    pub(super) words: &'t mut [u16],
    pub(super) stride: usize,
}

impl<'t> Rows<'t> {
    /// `None` where its bytes are not aligned.
    #[inline(always)]
    pub(super) fn of(target: &'t mut Target<'_>) -> Option<Rows<'t>> {
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

/// Columns of each row of a tile that may have been drawn to. Elsewhere depth is as it was cleared:
/// nothing there need be read to be compared.
#[derive(Debug)]
pub(crate) struct Fresh {
    /// The first column's complement (so that nothing is zero) and the one past the last.
    touched: [[u8; 2]; MAX_ROWS],
    /// What depth was cleared to, as 16 bits.
    depth: u32,
    /// A bit for each two rows that may have been drawn to anywhere, whatever `touched` says.
    rows: u32,
}

impl Fresh {
    const NONE: [u8; 2] = [0; 2];
    const ALL: [u8; 2] = [u8::MAX; 2];

    /// Nothing is known of a tile.
    pub(super) const ALL_TOUCHED: Fresh =
        Fresh { touched: [Fresh::ALL; MAX_ROWS], depth: 0, rows: 0 };

    /// A tile was just cleared to `depth`, if it was.
    pub(super) fn start(&mut self, depth: Option<f32>) {
        self.depth = depth.map_or(0, |depth| crate::fixed::depth_from_f32(depth) >> 16);
        self.touched.fill(if depth.is_some() { Fresh::NONE } else { Fresh::ALL });
        self.rows = 0;
    }

    /// A row is drawn to.
    #[inline(always)]
    pub(super) fn touch(&mut self, row: i32) {
        self.touched[row as usize % MAX_ROWS] = Fresh::ALL;
    }

    /// Some rows are drawn to, one at least, by something that does not say where: they are seen to
    /// when it matters.
    #[inline(always)]
    pub(super) fn touch_rows(&mut self, first: usize, count: usize) {
        let last = (first + count).wrapping_sub(1) as u32 / 2;
        self.rows |= u32::MAX << (first as u32 / 2 % 32) & u32::MAX >> (!last % 32);
    }

    /// Sees to rows that were drawn to.
    #[inline(always)]
    fn settle(&mut self) {
        let mut rows = core::mem::take(&mut self.rows);
        let (pairs, _) = self.touched.as_chunks_mut::<2>();
        while let Some(touched) = pairs.get_mut(rows.trailing_zeros() as usize) {
            *touched = [Fresh::ALL; 2];
            rows &= rows - 1;
        }
    }

    /// Something else draws to the tile.
    pub(crate) fn forget(&mut self) {
        self.touched = [Fresh::ALL; MAX_ROWS];
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

impl Plane32 {
    /// The same plane from so many pixels on.
    #[inline(always)]
    pub(super) fn moved(self, right: i32, down: i32) -> Plane32 {
        Plane32 { value: self.at(right, down), ..self }
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
        if self.paint_nearer(runs, fresh, region, z, shade) {
            return;
        }
        let (x, y) = (region.x0 - self.x, region.y0 - self.y);
        for row in 0..region.y1 - region.y0 {
            let (left, right) = runs.row(row);
            if left >= right {
                continue;
            }
            let length = right - left;
            let Some(color) = self.color.run(x + left, y + row, length) else { return };
            let (Some(depth), DepthTest::Z16(func, write)) = (&mut self.depth, self.test) else {
                shade(color, (left, row));
                continue;
            };
            fresh.touch(y + row);
            let Some(depth) = depth.run(x + left, y + row, length) else { return };
            let z = Depth { value: z.at(left, row), step: z.dx };
            pieces(depth, z, color, (left, row), shade, |rest, z| any(rest, z, func, write));
        }
    }

    /// The words of colour and depth, and their stride, where the commonest test is made and both
    /// lie alike: one check is for both.
    #[inline(always)]
    fn nearer(&mut self) -> Option<(&mut [u16], &mut [u16], usize)> {
        let depth = self.depth.as_mut()?;
        let stride = self.color.stride;
        if self.test != DepthTest::NEARER || depth.stride != stride {
            return None;
        }
        let length = self.color.words.len().min(depth.words.len());
        Some((&mut self.color.words[..length], &mut depth.words[..length], stride))
    }

    /// The same for the commonest test; `false` if it is another, or rows of colour and depth do
    /// not lie alike.
    #[inline(always)]
    fn paint_nearer(
        &mut self,
        runs: &Runs,
        fresh: &mut Fresh,
        region: &Bounds,
        z: &Plane32,
        shade: Ink<'_>,
    ) -> bool {
        let (x, y) = ((region.x0 - self.x) as usize, (region.y0 - self.y) as usize);
        let Some((color, depth, stride)) = self.nearer() else { return false };
        let (mut start, mut first) = (y.wrapping_mul(stride).wrapping_add(x), z.value);
        let (dx, dy) = (z.dx, z.dy);
        fresh.settle();
        let cleared = fresh.depth;
        let rows = runs.rows(region.y1 - region.y0).iter();
        let touched = fresh.touched.get_mut(y..).unwrap_or(&mut []);
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
            let is_fresh = end <= !touched[0] || touched[1] <= begin;
            *touched = [touched[0].max(!begin), touched[1].max(end)];
            if is_fresh && z.is_below(cleared, (right - left) as i32) {
                set(depth, z);
                shade(color, from);
            } else {
                pieces(depth, z, color, from, shade, less);
            }
        }
        true
    }
}

/// Paints the pieces of a run that pass.
#[inline(always)]
fn pieces(
    depth: &mut [u16],
    mut z: Depth,
    color: &mut [u16],
    (left, row): (i32, i32),
    shade: Ink<'_>,
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

    /// Whether all depths of a run are from 0 to below what is `stored`.
    #[inline(always)]
    fn is_below(&self, stored: u32, length: i32) -> bool {
        let last = self.value.wrapping_add(self.step.wrapping_mul(length - 1));
        // Negative values are greatest.
        (self.value as u32).max(last as u32) >> 14 < stored
    }
}

/// Depth of a run that is known to pass, and to be from 0 to below 1: what is stored is the upper
/// half of a word. (Functions of their own have all registers for the loop.)
#[inline(never)]
fn set(depth: &mut [u16], z: Depth) {
    if z.step == 0 {
        // Parallel to the screen: backgrounds, sprites.
        return fill(depth, z.stored() as u16);
    }
    let (mut at, step) = ((z.value as u32) << 2, (z.step as u32) << 2);
    let mut next = at.wrapping_add(step);
    let (pairs, rest) = depth.as_chunks_mut::<2>();
    for pair in pairs {
        let both = next & 0xffff_0000 | at >> 16;
        // As one word.
        *pair =
            bytemuck::cast(if cfg!(target_endian = "big") { both.rotate_left(16) } else { both });
        at = at.wrapping_add(step << 1);
        next = next.wrapping_add(step << 1);
    }
    if let [depth] = rest {
        *depth = (at >> 16) as u16;
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
