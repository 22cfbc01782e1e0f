//! The part of a frame that a panel shows: rows of tiles, or one tile.

use core::ops::Range;

use os_shim::sync::Mutex;

use super::Worker;
use crate::profile::Profile;

/// A range of rows of a streamed frame, or one tile.
pub(crate) struct Part {
    /// The rows of pixels.
    pub(super) rows: Range<u32>,
    /// The tile's column, if it is one tile.
    pub(super) column: Option<u32>,
}

impl Part {
    /// Returns the part with these rows of pixels.
    pub(crate) fn rows(rows: Range<u32>) -> Part {
        Part { rows, column: None }
    }

    /// Returns true if the scene is drawn again, for other tiles of the frame.
    pub(crate) fn keeps_scene(&self) -> bool {
        self.column.is_some()
    }

    /// Returns true if the part contains this tile.
    pub(crate) fn has<P: Profile>(&self, tile: crate::scene::TileAddress) -> bool {
        let column = self.column.is_none_or(|column| column == tile.column);
        column && self.rows.contains(&(tile.row * P::TILE_HEIGHT))
    }

    /// Returns the columns of tiles in this part; a frame has `all` columns.
    pub(super) fn columns(&self, all: u32) -> Range<u32> {
        match self.column {
            Some(column) => column..column + 1,
            None => 0..all,
        }
    }

    /// Returns the workers that draw the part: only the first for one tile.
    pub(super) fn workers<'w, 'm, P: Profile>(
        &self,
        workers: &'w mut [Mutex<Worker<'m, P>>],
    ) -> &'w mut [Mutex<Worker<'m, P>>] {
        let count = if self.keeps_scene() { 1 } else { workers.len() };
        workers.get_mut(..count).unwrap_or_default()
    }
}
