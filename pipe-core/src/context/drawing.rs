//! Draws (manual, chapter Context, "Drawing").

use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount};
use crate::error::PipeError;

/// Draws with the bound state.
pub trait Drawing {
    /// Draws each of `draws` in order, for every instance.
    ///
    /// With `indirect`, `draws` is ignored and the numbers come from memory. Vertices fetched from
    /// outside of their buffer read as 0.
    ///
    /// # Errors
    /// [`PipeError::Unbound`] when a draw lacks a binding it needs, a stale handle of an index or
    /// indirect buffer, [`PipeError::OutOfMemory`] (then a part of the draw may be done), or
    /// [`PipeError::Unsupported`].
    fn draw_vbo(
        &mut self,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError>;
}
