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

    /// Draws each of `draws` with the vertices and indices of a vertex state in place of those that are
    /// bound, which stay as they are.
    ///
    /// # Errors
    /// Those of [`draw_vbo`](Self::draw_vbo); the handle is stale; [`PipeError::Invalid`]: the mask has
    /// attributes that the state lacks; [`PipeError::Unsupported`] (cap `DrawVertexState`).
    #[cfg(feature = "desktop")]
    fn draw_vertex_state(
        &mut self,
        state: crate::VertexStateHandle,
        info: &crate::DrawVertexStateInfo,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        let _ = (info, draws);
        Err(PipeError::stale(state))
    }
}
