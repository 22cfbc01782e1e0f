//! Tracks the columns of a tile that still hold the cleared depth.
//!
//! A run of pixels that is untouched since the clear, and nearer than the cleared depth, passes the
//! most common depth test as a whole: its depth is written without being read.

use super::runs::MAX_ROWS;
use crate::features::SPANS_565;

/// The rows that are tracked: none in builds without the RGB565 kernel.
const ROWS: usize = if SPANS_565 { MAX_ROWS } else { 0 };

/// Tracks the columns of each row that may have been drawn to since the clear.
#[derive(Debug)]
pub(super) struct ClearedDepthTracker {
    /// For each row, the complement of the first touched column, and the column past the last one.
    /// The complement makes an untouched row all zeros.
    pub(super) touched: [[u8; 2]; ROWS],
    /// The cleared depth, as 16 bits.
    pub(super) depth: u32,
    /// One bit for every two rows that may have been drawn to in any column and are not yet in
    /// `touched`.
    pending: u32,
}

impl ClearedDepthTracker {
    const NONE: [u8; 2] = [0; 2];
    const ALL: [u8; 2] = [u8::MAX; 2];

    /// Any pixel may have been drawn to.
    pub(super) const ALL_TOUCHED: ClearedDepthTracker =
        ClearedDepthTracker { touched: [Self::ALL; ROWS], depth: 0, pending: 0 };

    /// Begins a tile. `depth` is the depth that it was just cleared to; `None` if it was not
    /// cleared.
    pub(super) fn start(&mut self, depth: Option<f32>) {
        self.depth = depth.map_or(0, |depth| crate::fixed::depth_from_f32(depth) >> 16);
        self.touched.fill(if depth.is_some() { Self::NONE } else { Self::ALL });
        self.pending = 0;
    }

    /// Records that a row is drawn to.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the remainder is below MAX_ROWS")]
    pub(super) fn touch(&mut self, row: i32) {
        self.touched[row as usize % MAX_ROWS] = Self::ALL;
    }

    /// Marks `count` rows, at least one, as drawn to without column bounds;
    /// [`settle`](Self::settle) merges them into `touched` when a row is compared.
    #[inline(always)]
    pub(super) fn touch_rows(&mut self, first: usize, count: usize) {
        let last = (first + count).wrapping_sub(1) as u32 / 2;
        self.pending |= u32::MAX << (first as u32 / 2 % 32) & u32::MAX >> (!last % 32);
    }

    /// Merges the rows marked by [`touch_rows`](Self::touch_rows) into `touched`.
    #[inline(always)]
    pub(super) fn settle(&mut self) {
        let mut rows = core::mem::take(&mut self.pending);
        let (pairs, _) = self.touched.as_chunks_mut::<2>();
        while let Some(touched) = pairs.get_mut(rows.trailing_zeros() as usize) {
            *touched = [Self::ALL; 2];
            rows &= rows - 1;
        }
    }

    /// Records that any pixel of the tile may be drawn to.
    pub(super) fn forget(&mut self) {
        self.touched = [Self::ALL; ROWS];
    }
}
