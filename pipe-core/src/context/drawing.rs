//! Draws (manual, chapter Context, "Drawing").

use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount};
use crate::error::PipeError;
use crate::warnings::Warnings;

/// Draws with the bound state.
pub trait Drawing {
    /// Draws each of `draws` in order, for every instance.
    ///
    /// With `indirect`, `draws` is ignored and the counts come from memory. Vertices fetched from
    /// outside of their buffer read as 0.
    ///
    /// [`PipeError::Unbound`] if a draw lacks a binding it needs, a stale handle of an index or
    /// indirect buffer, [`PipeError::OutOfMemory`] (a part of the draw may then be done), or
    /// [`PipeError::Unsupported`].
    fn draw_vbo(
        &mut self,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError>;

    /// Draws each of `draws` with the vertices and indices of a vertex state. The bound vertex
    /// buffers and elements are ignored and stay bound.
    ///
    /// # Errors
    /// As for [`draw_vbo`](Self::draw_vbo); the handle is stale; [`PipeError::Invalid`] if the mask
    /// has attributes that the state lacks; [`PipeError::Unsupported`] (cap `DrawVertexState`).
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

    /// Returns the problems that a checking wrapper has found so far; none from a driver. See
    /// [`Check`](crate::wrap::Check).
    fn warnings(&self) -> Warnings {
        Warnings::empty()
    }

    /// Returns the number of primitives that were left after clipping, over all draws; `None` if the
    /// driver does not count them.
    fn primitives_drawn(&self) -> Option<u64> {
        None
    }

    /// Returns the number of these primitives that were then dropped by their facing; `None` if the
    /// driver does not count them.
    fn primitives_culled(&self) -> Option<u64> {
        None
    }
}
