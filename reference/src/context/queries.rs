//! Queries and conditional rendering. A result is available as soon as its query ends.

use draw::Counters;
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::context::{Queries, RenderCondition};
use pipe_core::query::{QueryResult, QueryType, RenderConditionMode};
use pipe_core::{PipeError, QueryHandle};

use super::{Context, object, refuse};

/// A query: its start and, once it has ended, its result.
#[derive(Clone, Copy, Debug)]
struct Query {
    kind: QueryType,
    index: u32,
    start: Counters,
    result: QueryResult,
    active: bool,
}

/// The queries of a context.
#[derive(Debug)]
pub(super) struct QueryState<'m> {
    queries: Pool<'m, Query>,
    totals: Counters,
    paused: bool,
    /// The render condition: while the query's result, as a boolean, equals the flag, nothing is
    /// drawn.
    condition: Option<(RawHandle, bool)>,
}

impl<'m> QueryState<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        let (queries, totals) = (Pool::new_in(memory), Counters::default());
        QueryState { queries, totals, paused: false, condition: None }
    }

    /// Returns true if the render condition allows draws, clears and blits.
    pub(super) fn condition_holds(&self) -> bool {
        let Some((query, skip)) = self.condition else { return true };
        match self.queries.get(query) {
            Some(query) if !query.active => (query.result.as_u64() != 0) != skip,
            _ => true,
        }
    }

    /// Adds the counts of a draw, unless queries are paused.
    pub(super) fn add(&mut self, counts: &Counters) {
        if !self.paused {
            let totals = &mut self.totals;
            totals.samples += counts.samples;
            totals.ps_invocations += counts.ps_invocations;
            totals.cs_invocations += counts.cs_invocations;
            totals.draw += counts.draw;
            totals.streamed += counts.streamed;
        }
    }
}

impl Context<'_, '_> {
    fn counters(&self) -> Counters {
        Counters { time_ns: self.device.os.clock.now_ns(), ..self.queries.totals }
    }

    fn query(&mut self, handle: QueryHandle) -> Result<&mut Query, PipeError> {
        self.queries.queries.get_mut(handle.raw()).ok_or_else(|| PipeError::stale(handle))
    }
}

impl RenderCondition for Context<'_, '_> {
    fn render_condition(
        &mut self,
        query: Option<QueryHandle>,
        condition: bool,
        _mode: RenderConditionMode,
    ) -> Result<(), PipeError> {
        if let Some(handle) = query
            && !self.query(handle)?.kind.is_condition()
        {
            return Err(PipeError::Invalid("the condition is not a predicate query"));
        }
        self.queries.condition = query.map(|handle| (handle.raw(), condition));
        Ok(())
    }
}

impl Queries for Context<'_, '_> {
    fn create_query(&mut self, kind: QueryType, index: u32) -> Result<QueryHandle, PipeError> {
        refuse(kind == QueryType::DriverSpecific, "driver queries")?;
        let result = QueryResult::zero(kind);
        let query = Query { kind, index, start: Counters::default(), result, active: false };
        Ok(QueryHandle::new(self.queries.queries.insert(query)?))
    }

    fn destroy_query(&mut self, handle: QueryHandle) -> Result<(), PipeError> {
        object(&self.queries.queries, handle)?;
        self.queries.queries.remove(handle.raw());
        Ok(())
    }

    fn begin_query(&mut self, handle: QueryHandle) -> Result<(), PipeError> {
        let start = self.counters();
        let query = self.query(handle)?;
        if query.active {
            return Err(PipeError::Busy("a query that has begun"));
        }
        if !query.kind.needs_begin() {
            return Err(PipeError::Invalid("this query type cannot begin: only end it"));
        }
        (query.start, query.active) = (start, true);
        Ok(())
    }

    fn end_query(&mut self, handle: QueryHandle) -> Result<(), PipeError> {
        let now = self.counters();
        let query = self.query(handle)?;
        if query.kind.needs_begin() && !query.active {
            return Err(PipeError::Invalid("the query has not begun"));
        }
        query.active = false;
        query.result = now.since(&query.start, query.kind, query.index);
        Ok(())
    }

    fn get_query_result(
        &mut self,
        handle: QueryHandle,
        _wait: bool,
    ) -> Result<Option<QueryResult>, PipeError> {
        let query = self.query(handle)?;
        if query.active {
            return Err(PipeError::Invalid("the query has not ended"));
        }
        Ok(Some(query.result))
    }

    fn set_active_query_state(&mut self, active: bool) {
        self.queries.paused = !active;
    }
}
