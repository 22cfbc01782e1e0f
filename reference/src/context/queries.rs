//! Queries and conditional rendering. Results are there as soon as a query ends.

use draw::Statistics;
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::context::{Queries, RenderCondition};
use pipe_core::query::{PipelineStatistic, QueryResult, QueryType, RenderConditionMode};
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

/// Running totals of a context.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    /// Samples that passed all tests.
    pub(super) samples: u64,
    pub(super) time_ns: u64,
    pub(super) draw: Statistics,
    /// Primitives written to stream output.
    pub(super) emitted: u64,
    /// Primitives that would have been written with room enough.
    pub(super) needed: u64,
}

/// The queries of a context.
#[derive(Debug)]
pub(super) struct QueryState<'m> {
    queries: Pool<'m, Query>,
    totals: Counters,
    paused: bool,
    /// Nothing is drawn while this query's result, as a boolean, is this.
    condition: Option<(RawHandle, bool)>,
}

impl<'m> QueryState<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        let (queries, totals) = (Pool::new_in(memory), Counters::default());
        QueryState { queries, totals, paused: false, condition: None }
    }

    /// Returns true if the render condition lets draws, clears and blits happen.
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
            totals.draw += counts.draw;
            totals.emitted += counts.emitted;
            totals.needed += counts.needed;
        }
    }
}

impl Query {
    /// Returns the result of a query that ends now.
    fn result(&self, now: &Counters) -> QueryResult {
        use QueryType::*;
        let start = &self.start;
        let samples = now.samples - start.samples;
        let (emitted, needed) = (now.emitted - start.emitted, now.needed - start.needed);
        let counted = |count: fn(&Statistics) -> u64| count(&now.draw) - count(&start.draw);
        let mut pipeline = [0; 11];
        for (statistic, count) in [
            (PipelineStatistic::IaVertices, counted(|s| s.ia_vertices)),
            (PipelineStatistic::IaPrimitives, counted(|s| s.ia_primitives)),
            (PipelineStatistic::VsInvocations, counted(|s| s.vs_invocations)),
            (PipelineStatistic::CInvocations, counted(|s| s.c_invocations)),
            (PipelineStatistic::CPrimitives, counted(|s| s.c_primitives)),
        ] {
            pipeline[statistic as usize] = count;
        }
        match self.kind {
            OcclusionCounter => QueryResult::U64(samples),
            OcclusionPredicate | OcclusionPredicateConservative => QueryResult::Bool(samples > 0),
            Timestamp => QueryResult::U64(now.time_ns),
            TimeElapsed => QueryResult::U64(now.time_ns - start.time_ns),
            PrimitivesGenerated => QueryResult::U64(counted(|s| s.primitives)),
            PrimitivesEmitted => QueryResult::U64(emitted),
            SoStatistics => QueryResult::SoStatistics {
                num_primitives_written: emitted,
                primitives_storage_needed: needed,
            },
            SoOverflowPredicate | SoOverflowAnyPredicate => QueryResult::Bool(needed > emitted),
            PipelineStatistics => QueryResult::PipelineStatistics(pipeline),
            PipelineStatisticsSingle => {
                QueryResult::U64(pipeline.get(self.index as usize).copied().unwrap_or(0))
            }
            kind @ (TimestampDisjoint | GpuFinished) => QueryResult::zero(kind),
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
            return Err(PipeError::Invalid("a condition that is no predicate"));
        }
        self.queries.condition = query.map(|handle| (handle.raw(), condition));
        Ok(())
    }
}

impl Queries for Context<'_, '_> {
    fn create_query(&mut self, kind: QueryType, index: u32) -> Result<QueryHandle, PipeError> {
        refuse(kind.has_stream() && index != 0, "queries of vertex streams above 0")?;
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
            return Err(PipeError::Invalid("a query that only ends"));
        }
        (query.start, query.active) = (start, true);
        Ok(())
    }

    fn end_query(&mut self, handle: QueryHandle) -> Result<(), PipeError> {
        let now = self.counters();
        let query = self.query(handle)?;
        if query.kind.needs_begin() && !query.active {
            return Err(PipeError::Invalid("ending a query that has not begun"));
        }
        query.active = false;
        query.result = query.result(&now);
        Ok(())
    }

    fn get_query_result(
        &mut self,
        handle: QueryHandle,
        _wait: bool,
    ) -> Result<Option<QueryResult>, PipeError> {
        let query = self.query(handle)?;
        if query.active {
            return Err(PipeError::Invalid("the result of a query that has not ended"));
        }
        Ok(Some(query.result))
    }

    fn set_active_query_state(&mut self, active: bool) {
        self.queries.paused = !active;
    }
}
