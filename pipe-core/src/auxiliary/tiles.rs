//! Frames tile by tile, for callers that send tiles to the display themselves.

use crate::context::Context;
use crate::error::PipeError;
use crate::handle::ResourceHandle;
use crate::panel::Area;

/// The tiles of one frame of a streamed surface, in order, each drawn into memory that the caller
/// lends.
///
/// The display's owner calls `Tiles`; with `present`, the driver calls the display. A task that
/// starts the transfer of one tile and draws the next meanwhile never waits in the driver.
///
/// ```
/// use gallium_pipe_core as pipe_core;
/// # use os_shim::Memory;
/// # use pipe_core::{ContextFlags, Format, PipeError, ResourceTemplate, Screen, wrap::NullScreen};
/// use pipe_core::Tiles;
/// # let screen = NullScreen::new(Memory::system());
/// # let mut context = screen.context_create(ContextFlags::empty())?;
/// # let context = &mut *context;
/// # let template = ResourceTemplate::streamed(Format::B5G6R5Unorm, 320, 240);
/// # let color = screen.resource_create(&template)?;
/// let mut buffers = [[0; 2048], [0; 2048]];
/// let mut tiles = Tiles::new(color);
/// // context.clear(…)?; context.draw_vbo(…)?;
/// while let Some(area) = tiles.next_tile(context, &mut buffers[0])? {
///     // Waits for the transfer of the tile before, starts that of buffers[0] to `area`.
///     buffers.swap(0, 1);
/// #   let _ = area;
/// }
/// # Ok::<(), PipeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tiles {
    color: ResourceHandle,
    next: u32,
    /// The numbers of columns and rows of tiles, if the tiles come column by column.
    grid: Option<[u32; 2]>,
}

impl Tiles {
    /// Returns the tiles of a frame of `color`, a streamed surface that is bound to the framebuffer.
    pub const fn new(color: ResourceHandle) -> Tiles {
        Tiles { color, next: 0, grid: None }
    }

    /// Returns the tiles of a frame column by column, each from the top: for displays that scan
    /// their columns one after another, as a panel does that is mounted turned by 90°. `columns`
    /// and `rows` are the numbers of tiles in the frame.
    pub const fn by_columns(color: ResourceHandle, columns: u32, rows: u32) -> Tiles {
        Tiles { color, next: 0, grid: Some([columns, rows]) }
    }

    /// Returns the driver's index of the next tile; tiles are numbered row by row.
    fn index(&self) -> u32 {
        let Some([columns, rows]) = self.grid else { return self.next };
        let count = columns.saturating_mul(rows);
        let (Some(column), Some(row)) = (self.next.checked_div(rows), self.next.checked_rem(rows))
        else {
            return count;
        };
        if self.next < count { row.saturating_mul(columns).saturating_add(column) } else { count }
    }

    /// Draws the next tile into `pixels`, with its rows tightly packed, and returns its rectangle.
    /// Returns `None` at the end of the frame; the next call then begins the next frame.
    ///
    /// # Errors
    /// As for [`present_tile`](crate::context::Flushing::present_tile); the next call draws the
    /// same tile again.
    pub fn next_tile<'m>(
        &mut self,
        context: &mut (impl Context<'m> + ?Sized),
        pixels: &mut [u8],
    ) -> Result<Option<Area>, PipeError> {
        let area = context.present_tile(self.color.into(), self.index(), pixels)?;
        self.next = if area.is_some() { self.next.saturating_add(1) } else { 0 };
        Ok(area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_walked_from_the_top() {
        extern crate std;
        let raw = os_shim::pool::RawHandle::from_bits(0x10_0001).expect("not 0");
        let mut tiles = Tiles::by_columns(ResourceHandle::new(raw), 3, 2);
        let order: std::vec::Vec<u32> = (0..7)
            .map(|next| {
                tiles.next = next;
                tiles.index()
            })
            .collect();
        // Six tiles, numbered 0 1 2 over 3 4 5, and the end.
        assert_eq!(order, [0, 3, 1, 4, 2, 5, 6]);
        tiles = Tiles::new(tiles.color);
        tiles.next = 5;
        assert_eq!(tiles.index(), 5);
    }
}
