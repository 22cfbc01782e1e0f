//! Whole pixels: pixels with all four samples covered by one triangle, kept as one colour.
//!
//! ```text
//!   untouched ──► whole: colour in the first plane, the triangle's number in the second
//!       └────────────┴──► spread: all planes hold their samples
//! ```
//!
//! Most pixels of a picture stay whole until it is resolved, and their depth is never written: it
//! is computed from the triangle's plane when another triangle covers them.

use super::tile::Alike;
use crate::features::SAMPLES;
use crate::fixed::DEPTH_BITS;
use crate::lanes::TileTargets;
use crate::setup::{Bounds, Plane32};
use crate::span::sample_runs::{LANES, SAMPLE_ROWS};

/// The most triangles that own pixels of a tile at a time.
const OWNERS: usize = if SAMPLES { 64 } else { 0 };

/// A triangle's depth.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Owner {
    /// Depth at the pixels' centres from the tile's first pixel on, Q2.30.
    pub(super) depth: Plane32,
    /// The steps of depth from a pixel's centre to its samples.
    pub(super) steps: [i32; LANES],
}

impl Owner {
    const NONE: Owner = Owner { depth: Plane32 { value: 0, dx: 0, dy: 0 }, steps: [0; LANES] };
}

/// One bit per pixel of a row of the widest tile.
pub(super) type Bits = u64;

/// The pixels of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Pixels that a triangle owns, or owned before they were spread.
    pub(super) owned: Bits,
    /// Pixels with their samples in all planes.
    pub(super) spread: Bits,
}

impl Row {
    /// Returns the bits of the pixels from column `from` to before column `to`.
    #[inline(always)]
    pub(super) fn bits(from: usize, to: usize) -> Bits {
        let past = |column: usize| Bits::MAX.checked_shl(column as u32).unwrap_or(0);
        past(from) & !past(to)
    }

    const UNTOUCHED: Row = Row { owned: 0, spread: 0 };
    const SPREAD: Row = Row { owned: 0, spread: Bits::MAX };
}

/// The whole pixels of a tile.
#[derive(Debug)]
pub(crate) struct WholePixels {
    pub(super) rows: [Row; SAMPLE_ROWS],
    pub(super) owners: [Owner; OWNERS],
    count: usize,
    /// Set once a triangle may own pixels of the tile. Before that `rows` do not belong to the
    /// tile.
    used: bool,
    /// Set if samples may already have differed at that time.
    differ: bool,
}

impl WholePixels {
    pub(crate) const NONE: WholePixels = WholePixels {
        rows: [Row::UNTOUCHED; SAMPLE_ROWS],
        owners: [Owner::NONE; OWNERS],
        count: 0,
        used: false,
        differ: false,
    };

    /// Begins a tile; `alike` is true if colour and depth were cleared.
    pub(crate) fn start(&mut self, alike: bool) {
        (self.used, self.differ, self.count) = (false, !alike, 0);
    }

    /// Starts to record the tile's rows.
    #[cold]
    #[inline(never)]
    fn begin(&mut self) {
        self.rows.fill(if self.differ { Row::SPREAD } else { Row::UNTOUCHED });
        self.used = true;
    }

    /// Returns the number for an owner. The number is reserved only if it is [kept](Self::keep).
    #[inline(always)]
    pub(super) fn number(&mut self, owner: Owner, planes: &mut Alike<'_>) -> u16 {
        if !self.used {
            self.begin();
        }
        if self.count == OWNERS {
            self.spread_owned(planes);
        }
        if let Some(place) = self.owners.get_mut(self.count) {
            *place = owner;
        }
        self.count as u16
    }

    /// Reserves the last number for its owner.
    #[inline(always)]
    pub(super) fn keep(&mut self) {
        self.count += 1;
    }

    /// Spreads the pixels of an area, before other code draws to their planes.
    #[inline(always)]
    pub(crate) fn spread(&mut self, targets: &mut TileTargets<'_>, tile: &Bounds, area: &Bounds) {
        self.differ = true;
        if self.used {
            self.spread_area(targets, tile, area);
        }
    }

    #[cold]
    #[inline(never)]
    fn spread_area(&mut self, targets: &mut TileTargets<'_>, tile: &Bounds, area: &Bounds) {
        let area = area.intersect(tile);
        if area.is_empty() {
            return;
        }
        let Bounds { x0, y0, x1, y1 } = area;
        let columns = Row::bits((x0 - tile.x0) as usize, (x1 - tile.x0) as usize);
        let mut planes = Alike::of(targets);
        for y in (y0..y1).map(|y| (y - tile.y0) as usize) {
            let Some(row) = self.rows.get_mut(y) else { break };
            if let Some(planes) = &mut planes {
                spread(&self.owners, planes, y, row.owned & !row.spread & columns);
            }
            row.spread |= columns;
        }
    }

    /// Spreads the pixels that triangles own, which frees the owners' numbers.
    #[cold]
    #[inline(never)]
    fn spread_owned(&mut self, planes: &mut Alike<'_>) {
        let WholePixels { rows, owners, count, .. } = self;
        for (y, row) in rows.iter_mut().enumerate() {
            let whole = row.owned & !row.spread;
            spread(owners, planes, y, whole);
            row.spread |= whole;
        }
        *count = 0;
    }

    /// Returns the pixels of a row where samples may differ, one bit per pixel.
    #[inline(always)]
    pub(crate) fn spread_of(&self, y: usize) -> Bits {
        self.rows.get(y).filter(|_| self.used).map_or(Bits::MAX, |row| row.spread)
    }
}

/// Writes the samples of whole pixels of a row, one bit per pixel, to all planes.
#[inline(never)]
pub(super) fn spread(owners: &[Owner], planes: &mut Alike<'_>, y: usize, mut pixels: Bits) {
    let plane = planes.stride / LANES;
    while pixels != 0 {
        let x = pixels.trailing_zeros() as usize;
        pixels &= pixels - 1;
        let word = y.wrapping_mul(planes.stride).wrapping_add(x);
        let number = planes.color.get(word + plane).copied().unwrap_or(0);
        let color = planes.color.get(word).copied().unwrap_or(0);
        let Some(owner) = owners.get(usize::from(number)) else { continue };
        let depth = owner.depth.at(x as i32, y as i32);
        for (lane, step) in owner.steps.into_iter().enumerate() {
            let word = word + plane * lane;
            if let (Some(to), Some(z)) = (planes.color.get_mut(word), planes.depth.get_mut(word)) {
                (*to, *z) = (color, stored(depth.wrapping_add(step)) as u16);
            }
        }
    }
}

/// Returns a depth (Q2.30) as a 16-bit buffer stores it.
#[inline(always)]
pub(super) fn stored(depth: i32) -> i32 {
    (depth >> (DEPTH_BITS - 16)).clamp(0, 0xffff)
}
