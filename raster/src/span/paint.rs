//! Rows of pixels: depth test, colour, store, in the target's own words.

mod narrow;

pub(super) use narrow::is_narrow;

use pipe_core::CompareFunc;

use super::DepthTest;
use super::rows::{MAX_ROWS, Runs};
use super::shade::Shade;
use crate::fragment::TileTargets;
use crate::output::Target;
use crate::setup::Bounds;
use crate::texture::rows::Comparison;

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
    fn at(&self, x: i32, y: i32) -> i32 {
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
    pub(super) fn paint<const N: usize, S: Shade<N>>(
        &mut self,
        runs: &Runs,
        fresh: &mut Fresh,
        region: &Bounds,
        z: &Plane32,
        planes: &[Plane32; N],
        shade: &S,
    ) {
        let (x, y) = (region.x0 - self.x, region.y0 - self.y);
        let rows = region.y1 - region.y0;
        let steps = planes.each_ref().map(|plane| plane.dx);
        let color = &mut self.color;
        let Some(depth) = &mut self.depth else {
            for row in 0..rows {
                let (left, right) = runs.row(row);
                if left < right {
                    let at = planes.each_ref().map(|plane| plane.at(left, row));
                    let color = color.run(x + left, y + row, right - left);
                    always(color.unwrap_or(&mut []), &at, &steps, shade);
                }
            }
            return;
        };
        for row in 0..rows {
            let (left, right) = runs.row(row);
            if left >= right {
                continue;
            }
            let at = planes.each_ref().map(|plane| plane.at(left, row));
            let z = Depth { value: z.at(left, row), step: z.dx };
            let length = right - left;
            let Some(color) = color.run(x + left, y + row, length) else { return };
            let Some(depth) = depth.run(x + left, y + row, length) else { return };
            let is_fresh =
                core::mem::replace(&mut fresh.rows[(y + row) as usize % MAX_ROWS], false);
            match self.test {
                DepthTest::Z16(CompareFunc::Less, true) => {
                    if is_fresh && z.is_below(fresh.depth, length) {
                        set(depth, z);
                        always(color, &at, &steps, shade);
                    } else {
                        less(color, depth, z, at, &steps, shade);
                    }
                }
                DepthTest::Z16(func, write) => {
                    let func = Comparison::new(func);
                    any(color, depth, z, (func, write), at, &steps, shade);
                }
                DepthTest::None => {}
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
    /// The depth that the buffer would hold, and on to the next pixel.
    #[inline(always)]
    fn next(&mut self) -> i32 {
        let stored = (self.value >> 14).clamp(0, 0xffff);
        self.value = self.value.wrapping_add(self.step);
        stored
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
        depth.fill(z.next() as u16);
        return;
    }
    let (fours, rest) = depth.as_chunks_mut::<4>();
    for four in fours {
        for depth in four {
            *depth = z.next() as u16;
        }
    }
    for depth in rest {
        *depth = z.next() as u16;
    }
}

/// Colour of a run that passes.
#[inline(never)]
fn always<const N: usize, S: Shade<N>>(
    color: &mut [u16],
    at: &[i32; N],
    steps: &[i32; N],
    shade: &S,
) {
    let (mut at, steps, shade) = (*at, *steps, *shade);
    let (pairs, rest) = color.as_chunks_mut::<2>();
    for pair in pairs {
        for color in pair {
            *color = shade.color(&at);
            step(&mut at, &steps);
        }
    }
    for color in rest {
        *color = shade.color(&at);
        step(&mut at, &steps);
    }
}

/// A run whose nearer pixels are drawn: the commonest test.
#[inline(always)]
fn less<const N: usize, S: Shade<N>>(
    color: &mut [u16],
    depth: &mut [u16],
    mut z: Depth,
    mut at: [i32; N],
    steps: &[i32; N],
    shade: &S,
) {
    for (color, depth) in color.iter_mut().zip(depth) {
        let new = z.next();
        if new < i32::from(*depth) {
            *depth = new as u16;
            *color = shade.color(&at);
        }
        step(&mut at, steps);
    }
}

/// A run with any other test.
#[inline(never)]
fn any<const N: usize, S: Shade<N>>(
    color: &mut [u16],
    depth: &mut [u16],
    mut z: Depth,
    (func, write): (Comparison, bool),
    mut at: [i32; N],
    steps: &[i32; N],
    shade: &S,
) {
    for (color, depth) in color.iter_mut().zip(depth) {
        let new = z.next();
        if func.passes(new, i32::from(*depth)) {
            if write {
                *depth = new as u16;
            }
            *color = shade.color(&at);
        }
        step(&mut at, steps);
    }
}
