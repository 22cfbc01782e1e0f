//! Draws frames in parts, for drivers with too little memory for a whole frame.

use core::ops::Range;

use crate::context::Context;
use crate::error::PipeError;
use crate::handle::ResourceHandle;
use crate::panel::TilePanel;
use crate::state::ScissorState;

/// Rows of the smallest part of a frame. Parts begin at multiples of this number, whatever the
/// driver's tile size is.
pub const PART_ROWS: u32 = 64;

/// Draws frames of a streamed surface in parts of whole rows, as few parts as the driver's memory
/// allows.
///
/// A driver records draws to a streamed surface until the surface is presented. A recording that
/// exceeds the driver's memory fails with [`PipeError::SceneFull`] and the bytes needed. A larger
/// buffer costs memory. Drawing the frame several times, for some of its rows each time, costs
/// repeated work up to the scissor.
///
/// The first frame finds the number of rows that fit, by repeated halving; later frames begin with
/// that number.
///
/// ```
/// use gallium_pipe_core as pipe_core;
/// # use os_shim::Memory;
/// # use pipe_core::{ContextFlags, Format, PanelError, PipeError, ResourceTemplate, Screen};
/// # use pipe_core::{TilePanel, wrap::NullScreen};
/// use pipe_core::Bands;
/// # struct Display;
/// # impl TilePanel for Display {
/// #     fn tile(
/// #         &mut self, _: u32, _: u32, _: u32, _: u32, _: Format, _: &[u8], _: usize,
/// #     ) -> Result<(), PanelError> {
/// #         Ok(())
/// #     }
/// # }
/// # let screen = NullScreen::new(Memory::system());
/// # let mut context = screen.context_create(ContextFlags::empty())?;
/// # let context = &mut *context;
/// # let template = ResourceTemplate::streamed(Format::B5G6R5Unorm, 320, 240);
/// # let color = screen.resource_create(&template)?;
/// # let mut display = Display;
/// let mut bands = Bands::new();
/// for _frame in 0..3 {
///     bands.present(context, color, 240, &mut display, |context, rows| {
///         // The bound rasterizer state has `scissor` set.
///         context.set_scissor_states(0, &[Bands::scissor(&rows)])?;
///         // context.clear(…)?; context.draw_vbo(…)?;
///         Ok(())
///     })?;
/// }
/// assert_eq!(bands.rows(), None, "whole frames fit");
/// # Ok::<(), PipeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bands {
    /// Rows of a part; 0 means the whole frame.
    rows: u32,
}

impl Bands {
    /// Returns the helper before the first frame: whole frames are tried first.
    pub const fn new() -> Bands {
        Bands { rows: 0 }
    }

    /// Returns the number of rows per part; `None` while whole frames fit.
    pub fn rows(&self) -> Option<u32> {
        (self.rows > 0).then_some(self.rows)
    }

    /// Returns the scissor that confines draws to these rows.
    pub fn scissor(rows: &Range<u32>) -> ScissorState {
        let row = |row: u32| u16::try_from(row).unwrap_or(u16::MAX);
        ScissorState { minx: 0, miny: row(rows.start), maxx: u16::MAX, maxy: row(rows.end) }
    }

    /// Draws a frame and presents it to `panel`.
    ///
    /// * `color`: the streamed surface, bound to the framebuffer; `height`: its rows.
    /// * `draw` clears and draws the rows it is given (see [`scissor`](Self::scissor)), or more. It
    ///   is called once per part, and again if a part exceeds the driver's memory. It must draw the
    ///   same every time.
    ///
    /// # Errors
    /// Errors of `draw`, of the driver and of the panel; [`PipeError::SceneFull`] if not even
    /// [`PART_ROWS`] rows fit, with the bytes that they need.
    pub fn present<'m, C: Context<'m> + ?Sized>(
        &mut self,
        context: &mut C,
        color: ResourceHandle,
        height: u32,
        panel: &mut dyn TilePanel,
        mut draw: impl FnMut(&mut C, Range<u32>) -> Result<(), PipeError>,
    ) -> Result<(), PipeError> {
        let mut first = 0;
        while first < height {
            let part = if self.rows == 0 { height } else { self.rows };
            let rows = first..first.saturating_add(part).min(height);
            let drawn = draw(context, rows.clone());
            let shown = drawn.and_then(|()| {
                if rows == (0..height) {
                    context.present(color.into(), panel)
                } else {
                    context.present_rows(color.into(), rows.clone(), panel)
                }
            });
            match shown {
                Ok(()) => first = rows.end,
                Err(PipeError::SceneFull { .. }) if part > PART_ROWS => {
                    // Half of the part, rounded up to whole multiples.
                    self.rows = part.div_ceil(2 * PART_ROWS).saturating_mul(PART_ROWS);
                    // Discard the part that did not fit.
                    context.invalidate_resource(color)?;
                }
                Err(error) => {
                    // As after any frame, no draws may remain to be presented.
                    let _ = context.invalidate_resource(color);
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}
