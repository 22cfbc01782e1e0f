//! Rows of four samples per pixel.
//!
//! ```text
//!   sample 0   ·####|#######|##··   pixels with all four samples covered are shaded once;
//!   sample 1   ···##|#######|####   on both sides of them each sample is shaded by itself
//!   sample 2   ··###|#######|#···
//!   sample 3   ····#|#######|###·
//! ```

use core::ops::Range;

use super::shade::Shade;
use super::tile::Alike;
use super::whole_pixels::{Bits, Owner, Row, WholePixels, spread, stored};
use crate::setup::Plane32;
use crate::span::sample_runs::{LANES, RowRuns};

/// The colours of a triangle on four samples.
pub(super) struct Colors<const N: usize> {
    /// From the region's first pixel on, at the places where pixels are shaded.
    pub(super) planes: [Plane32; N],
    /// The steps from there to the samples.
    pub(super) steps: [[i32; N]; LANES],
}

/// The rows of a triangle.
pub(super) struct Rows<'r> {
    pub(super) runs: &'r [RowRuns],
    /// The region's first pixel in the tile.
    pub(super) x: usize,
    pub(super) y: usize,
    /// The region's columns.
    pub(super) width: u8,
    /// The triangle's depth.
    pub(super) owner: Owner,
    /// The smallest and the largest step of depth from a pixel's centre to one of its samples.
    pub(super) steps: [i32; 2],
    /// Set if all samples are known to be nearer than the cleared depth.
    pub(super) is_before: bool,
    /// The depth that the tile was cleared to, as 16 bits.
    pub(super) cleared: u32,
}

/// A pixel's accumulators of depth (Q2.30) and of colours.
#[derive(Clone, Copy)]
struct Sums<const N: usize> {
    depth: i32,
    colors: [i32; N],
}

/// Paints depth and colour of nearer samples.
#[inline(never)]
pub(super) fn paint<const N: usize, S: Shade<N>>(
    shade: S,
    planes: &mut Alike<'_>,
    whole: &mut WholePixels,
    rows: &Rows<'_>,
    colors: &Colors<N>,
) {
    // One length for both, so that one check covers both.
    let length = planes.color.len().min(planes.depth.len());
    let (Some(color), Some(depth)) =
        (planes.color.get_mut(..length), planes.depth.get_mut(..length))
    else {
        return;
    };
    let stride = planes.stride;
    // Each call gets a new `Alike`, so that the compiler keeps these lengths.
    let number = whole.number(rows.owner, &mut Alike { color, depth, stride });
    let painter = Painter { shade, rows, colors };
    let WholePixels { rows: pixels, owners, .. } = whole;
    let pixels = pixels.get_mut(rows.y..).unwrap_or(&mut []);
    let mut owns = false;
    for ((runs, pixels), y) in rows.runs.iter().zip(pixels).zip(0..) {
        let columns @ [first, left, right, end] = columns(runs, rows.width);
        if first >= end {
            continue;
        }
        let mut edges = Row::bits(rows.x + first, rows.x + end);
        if left < right {
            let inner = Row::bits(rows.x + left, rows.x + right);
            edges &= !inner;
            if (pixels.owned | pixels.spread) & inner == 0
                && rows.x + right <= Bits::BITS as usize
                && (rows.is_before || painter.is_before(y, left, right))
            {
                owns = true;
                pixels.owned |= inner;
                painter.own(color, stride, y, left..right, number);
            } else {
                let planes = &mut Alike { color, depth, stride };
                spread(owners, planes, rows.y + y, inner & pixels.owned & !pixels.spread);
                pixels.spread |= inner;
                painter.inner(planes, y, left..right);
            }
        }
        let whole = edges & pixels.owned & !pixels.spread;
        pixels.spread |= edges;
        if whole != 0 {
            spread(owners, &mut Alike { color, depth, stride }, rows.y + y, whole);
        }
        painter.edges((color, depth), stride, y, runs, columns);
    }
    if owns {
        whole.keep();
    }
}

/// Returns the first column that a sample covers, the range that all samples cover, and the column
/// past the last.
#[inline(always)]
fn columns(&[a, b, c, d]: &RowRuns, width: u8) -> [usize; 4] {
    let first = a[0].min(b[0]).min(c[0].min(d[0]));
    let left = a[0].max(b[0]).max(c[0].max(d[0]));
    let right = a[1].min(b[1]).min(c[1].min(d[1])).min(width);
    let end = a[1].max(b[1]).max(c[1].max(d[1])).min(width);
    [first.into(), left.into(), right.into(), end.into()]
}

struct Painter<'p, const N: usize, S> {
    shade: S,
    rows: &'p Rows<'p>,
    colors: &'p Colors<N>,
}

impl<const N: usize, S: Shade<N>> Painter<'_, N, S> {
    /// Returns the sums at a pixel of the region.
    #[inline(always)]
    fn at(&self, x: usize, y: usize) -> Sums<N> {
        let Rows { x: right, y: down, owner, .. } = self.rows;
        Sums {
            depth: owner.depth.at((right + x) as i32, (down + y) as i32),
            colors: self.colors.planes.each_ref().map(|plane| plane.at(x as i32, y as i32)),
        }
    }

    /// Returns the index of a region's pixel in the first plane.
    #[inline(always)]
    fn word(&self, stride: usize, x: usize, y: usize) -> usize {
        (self.rows.y + y).wrapping_mul(stride).wrapping_add(self.rows.x + x)
    }

    /// Returns true if all samples of a run are nearer than the cleared depth.
    #[inline(always)]
    fn is_before(&self, y: usize, left: usize, right: usize) -> bool {
        let Rows { x, y: down, owner, cleared, steps: [least, most], .. } = self.rows;
        let at = |column: usize| owner.depth.at((x + column) as i32, (down + y) as i32);
        let (a, b) = (at(left), at(right - 1));
        let (near, far) = (a.min(b).wrapping_add(*least), a.max(b).wrapping_add(*most));
        near | far >= 0 && (stored(far) as u32) < *cleared
    }

    /// Paints untouched pixels and records the triangle as their owner.
    #[inline(always)]
    fn own(&self, color: &mut [u16], stride: usize, y: usize, x: Range<usize>, number: u16) {
        let (start, length) = (self.word(stride, x.start, y), x.len());
        let plane = stride / LANES;
        let words = color.get_mut(start..).unwrap_or(&mut []);
        let Some((first, second)) = words.split_at_mut_checked(plane) else { return };
        let (Some(first), Some(second)) = (first.get_mut(..length), second.get_mut(..length))
        else {
            return;
        };
        let mut at = self.at(x.start, y);
        for (color, owner) in first.iter_mut().zip(second) {
            *color = self.shade.color(&at.colors);
            *owner = number;
            at.step(self);
        }
    }

    /// Paints pixels with all samples covered.
    #[cold]
    #[inline(never)]
    fn inner(&self, planes: &mut Alike<'_>, y: usize, x: Range<usize>) {
        let plane = planes.stride / LANES;
        let start = self.word(planes.stride, x.start, y);
        let mut at = self.at(x.start, y);
        for word in start..start + x.len() {
            let color = self.shade.color(&at.colors);
            for (lane, step) in self.rows.owner.steps.iter().enumerate() {
                let Alike { color: to, depth, .. } = &mut *planes;
                store((to, depth), word + plane * lane, at.depth.wrapping_add(*step), || color);
            }
            at.step(self);
        }
    }

    /// Paints the pixels on both sides of the fully covered ones: the columns up to `left` and from
    /// `right` on.
    #[inline(always)]
    fn edges(
        &self,
        (color, depth): (&mut [u16], &mut [u16]),
        stride: usize,
        y: usize,
        runs: &RowRuns,
        [first, left, right, end]: [usize; 4],
    ) {
        let skip = if left < right { left } else { usize::MAX };
        let start = self.word(stride, 0, y);
        let mut x = first;
        loop {
            if x == skip {
                x = right;
            }
            if x >= end {
                break;
            }
            let at = self.at(x, y);
            let mut word = start + x;
            let steps = self.rows.owner.steps.iter().zip(&self.colors.steps);
            for ([first, end], (step, steps)) in runs.iter().zip(steps) {
                if usize::from(*first) <= x && x < usize::from(*end) {
                    let to = (&mut *color, &mut *depth);
                    store(to, word, at.depth.wrapping_add(*step), || {
                        let mut colors = at.colors;
                        for (at, step) in colors.iter_mut().zip(steps) {
                            *at = at.wrapping_add(*step);
                        }
                        self.shade.color(&colors)
                    });
                }
                word += stride / LANES;
            }
            x += 1;
        }
    }
}

impl<const N: usize> Sums<N> {
    /// Steps to the next pixel.
    #[inline(always)]
    fn step<S>(&mut self, painter: &Painter<'_, N, S>) {
        self.depth = self.depth.wrapping_add(painter.rows.owner.depth.dx);
        for (at, plane) in self.colors.iter_mut().zip(&painter.colors.planes) {
            *at = at.wrapping_add(plane.dx);
        }
    }
}

/// Writes the depth and the colour of a sample if it is nearer.
#[inline(always)]
fn store(
    (to, stored_depth): (&mut [u16], &mut [u16]),
    word: usize,
    depth: i32,
    color: impl FnOnce() -> u16,
) {
    let new = stored(depth);
    if let (Some(to), Some(depth)) = (to.get_mut(word), stored_depth.get_mut(word))
        && new < i32::from(*depth)
    {
        *depth = new as u16;
        *to = color();
    }
}
