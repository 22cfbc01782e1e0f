//! Queries of the pipeline (manual, chapter Context, "Queries").

use super::unsupported;
use crate::error::PipeError;
use crate::handle::{QueryHandle, ResourceHandle};
use crate::query::{QueryResult, QueryType, QueryValueType};

/// Statistics of one or more draws. Queries may overlap.
pub trait Queries {
    /// Creates a query. For types that have an index, `index` is a vertex stream, the number of a
    /// [`PipelineStatistic`](crate::query::PipelineStatistic) or the position of a driver query in
    /// its list.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`] for a type the driver lacks; [`PipeError::OutOfMemory`].
    fn create_query(&mut self, kind: QueryType, index: u32) -> Result<QueryHandle, PipeError> {
        let _ = (kind, index);
        unsupported("queries")
    }

    /// Destroys a query. If it is the render condition, later draws are unconditional.
    ///
    /// # Errors
    /// The handle is stale.
    fn destroy_query(&mut self, query: QueryHandle) -> Result<(), PipeError> {
        Err(PipeError::stale(query))
    }

    /// Starts a query and discards its last result.
    ///
    /// # Errors
    /// The handle is stale, or the query is already running.
    fn begin_query(&mut self, query: QueryHandle) -> Result<(), PipeError> {
        Err(PipeError::stale(query))
    }

    /// Ends a query and makes its result available.
    ///
    /// # Errors
    /// The handle is stale, or the query needs a begin and has not begun.
    fn end_query(&mut self, query: QueryHandle) -> Result<(), PipeError> {
        Err(PipeError::stale(query))
    }

    /// Returns the result of a query; without `wait`, `None` if the work is not done yet.
    ///
    /// # Errors
    /// The handle is stale, or the query was not ended.
    fn get_query_result(
        &mut self,
        query: QueryHandle,
        wait: bool,
    ) -> Result<Option<QueryResult>, PipeError> {
        let _ = wait;
        Err(PipeError::stale(query))
    }

    /// Writes a result to a buffer, in order with other commands.
    ///
    /// `index` selects one of several numbers; `None` writes 1 or 0: whether the result is
    /// available.
    ///
    /// # Errors
    /// A handle is stale, the value does not fit at `offset`, or [`PipeError::Unsupported`].
    fn get_query_result_resource(
        &mut self,
        query: QueryHandle,
        wait: bool,
        value_type: QueryValueType,
        index: Option<u32>,
        resource: ResourceHandle,
        offset: u32,
    ) -> Result<(), PipeError> {
        let _ = (query, wait, value_type, index, resource, offset);
        unsupported("query results in buffers")
    }

    /// Pauses or resumes all running queries except `TimeElapsed` and driver-specific ones, for
    /// meta operations.
    fn set_active_query_state(&mut self, active: bool) {
        let _ = active;
    }
}
