//! Drawing.

use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount};
use crate::error::PipeError;

/// Draws with the bound state.
pub trait Drawing {
    /// Draws primitives.
    ///
    /// Each of `draws` is drawn in order, for every instance. With `indirect`, `draws` is
    /// ignored and the numbers come from there. Vertices fetched from outside their buffer read
    /// as 0.
    ///
    /// # Errors
    /// Something needed is not bound, an index buffer's or indirect buffer's handle is stale,
    /// memory ran out ([`PipeError::OutOfMemory`]; part of the draw may be done), or
    /// [`PipeError::Unsupported`].
    fn draw_vbo(
        &mut self,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError>;
}
