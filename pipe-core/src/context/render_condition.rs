//! Drawing that depends on a query.

use super::unsupported;
use crate::error::PipeError;
use crate::handle::{QueryHandle, ResourceHandle};
use crate::query::RenderConditionMode;

/// Conditional rendering.
pub trait RenderCondition {
    /// Skips draws and clears while the query's result (as a boolean) equals `condition`;
    /// `None` draws always.
    ///
    /// # Errors
    /// The handle is stale, or [`PipeError::Unsupported`] (for anything but `None`).
    fn render_condition(
        &mut self,
        query: Option<QueryHandle>,
        condition: bool,
        mode: RenderConditionMode,
    ) -> Result<(), PipeError> {
        let _ = (condition, mode);
        if query.is_none() { Ok(()) } else { unsupported("conditional rendering") }
    }

    /// The same with the 32-bit word at `offset` of a buffer in place of a query.
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
