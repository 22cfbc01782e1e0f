//! Asking what the pipeline did.

use super::unsupported;
use crate::error::PipeError;
use crate::handle::{QueryHandle, ResourceHandle};
use crate::query::{QueryResult, QueryType, QueryValueType};

/// Statistics of one or more draws. Queries may overlap.
pub trait Queries {
    /// Makes a query. `index` is a vertex stream or a [`crate::query::PipelineStatistic`], for
    /// the types that have one.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`], by type; [`PipeError::OutOfMemory`].
    fn create_query(&mut self, kind: QueryType, index: u32) -> Result<QueryHandle, PipeError> {
        let _ = (kind, index);
        unsupported("queries")
    }

    /// Destroys a query; if it is the render condition, that ends.
    ///
    /// # Errors
    /// The handle is stale.
    fn destroy_query(&mut self, query: QueryHandle) -> Result<(), PipeError> {
        Err(PipeError::stale(query))
    }

    /// Starts a query, forgetting its last result.
    ///
    /// # Errors
    /// The handle is stale, or the query runs already.
    fn begin_query(&mut self, query: QueryHandle) -> Result<(), PipeError> {
        Err(PipeError::stale(query))
    }

    /// Ends a query.
    ///
    /// # Errors
    /// The handle is stale, or the query was not begun and has to be.
    fn end_query(&mut self, query: QueryHandle) -> Result<(), PipeError> {
        Err(PipeError::stale(query))
    }

    /// The result of a query. Without `wait`, `None` if it is not there yet.
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
    /// `index` picks one of several numbers; `None` writes whether the result is there.
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

    /// Pauses or resumes all running queries except `TimeElapsed`, for meta operations.
    fn set_active_query_state(&mut self, active: bool) {
        let _ = active;
    }
}
