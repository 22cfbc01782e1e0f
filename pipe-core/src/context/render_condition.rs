//! Conditional rendering (manual, chapter Context, "Conditional Rendering").

use super::unsupported;
use crate::error::PipeError;
use crate::handle::{QueryHandle, ResourceHandle};
use crate::query::RenderConditionMode;

/// Draws, clears and grid launches that depend on a query.
///
/// The manual limits conditions to `draw_vbo` and `clear`. Grid launches depend on them too, as
/// OpenGL's `glDispatchCompute` does (OpenGL 4.6, section 10.9). Blits and clears of single
/// surfaces depend on them if their argument `render_condition_enable` is set. Copies, maps and
/// writes ignore them.
pub trait RenderCondition {
    /// Skips draws, clears and launches while the query's result, as a boolean, equals `condition`;
    /// `None` removes the condition.
    ///
    /// # Errors
    /// The handle is stale, or [`PipeError::Unsupported`] for anything but `None`.
    fn render_condition(
        &mut self,
        query: Option<QueryHandle>,
        condition: bool,
        mode: RenderConditionMode,
    ) -> Result<(), PipeError> {
        let _ = (condition, mode);
        if query.is_none() { Ok(()) } else { unsupported("conditional rendering") }
    }

    /// Skips draws, clears and launches while the 32-bit word at `offset` bytes of a buffer, as a
    /// boolean, equals `condition`.
    ///
    /// # Errors
    /// The resource is stale, or [`PipeError::Unsupported`].
    fn render_condition_mem(
        &mut self,
        resource: ResourceHandle,
        offset: u32,
        condition: bool,
    ) -> Result<(), PipeError> {
        let _ = (resource, offset, condition);
        unsupported("conditional rendering from memory")
    }
}
