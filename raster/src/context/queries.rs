//! Queries: occlusion, timestamps, what Draw counted.
//!
//! Rasterization is deferred; a query that counts samples flushes when it begins and ends, so what
//! the workers counted in between is its own.

use draw::{Counters, STREAMS, Statistics, Streamed};
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::context::{Queries, RenderCondition};
use pipe_core::query::{QueryResult, QueryType, RenderConditionMode};
use pipe_core::{PipeError, QueryHandle};

use super::{Context, object};
use crate::device::pool_error;
use crate::features::{GEOMETRY_SHADERS, STREAM_OUTPUT};
use crate::profile::Profile;

/// A query: its start and, once it has ended, its result.
#[derive(Clone, Copy, Debug)]
struct Query {
    kind: QueryType,
    index: u32,
    start: Counters,
    result: QueryResult,
    active: bool,
}

/// All queries of a context.
#[derive(Debug)]
pub(super) struct QueryState<'m> {
    queries: Pool<'m, Query>,
    totals: Counters,
    /// Occlusion queries that are running.
    occlusion: u32,
    paused: bool,
    /// Nothing is drawn while this query's result, as a boolean, is this.
    condition: Option<(RawHandle, bool)>,
}

impl<'m> QueryState<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        QueryState {
            queries: Pool::new_in(memory),
            totals: Counters::default(),
            occlusion: 0,
            paused: false,
            condition: None,
        }
    }

    /// Returns whether the render condition lets draws, clears and blits happen.
    pub(super) fn condition_holds(&self) -> bool {
        let Some((query, skip)) = self.condition else { return true };
        match self.queries.get(query) {
            // Results are there as soon as a query ends.
            Some(query) if !query.active => (query.result.as_u64() != 0) != skip,
            _ => true,
        }
    }

    /// Returns whether draws must count the pixels that pass.
    pub(super) fn counts_samples(&self) -> bool {
        self.occlusion > 0 && !self.paused
    }

    /// Adds the samples that a rasterized scene counted.
    pub(super) fn add_samples(&mut self, samples: u64) {
        self.totals.samples += samples;
    }

    /// Adds the primitives that a draw wrote to buffers, and would have written with room enough.
    pub(super) fn add_streamed(&mut self, streamed: Streamed) {
        if !self.paused {
            self.totals.streamed += streamed;
        }
    }

    /// Adds the statistics that Draw counted.
    pub(super) fn add_draw(&mut self, statistics: Statistics) {
        if !self.paused {
            self.totals.draw += statistics;
        }
    }
}

/// Returns whether a query counts the samples that pass.
fn is_occlusion(kind: QueryType) -> bool {
    use QueryType::*;
    matches!(kind, OcclusionCounter | OcclusionPredicate | OcclusionPredicateConservative)
}

impl<P: Profile> Context<'_, '_, P> {
    fn counters(&self) -> Counters {
        Counters { time_ns: self.os.clock.now_ns(), ..self.queries.totals }
    }

    fn query(&mut self, handle: QueryHandle) -> Result<&mut Query, PipeError> {
        self.queries.queries.get_mut(handle.raw()).ok_or_else(|| PipeError::stale(handle))
    }

    fn stop(&mut self, handle: RawHandle) {
        let Some(query) = self.queries.queries.get_mut(handle) else { return };
        if query.active && is_occlusion(query.kind) {
            self.queries.occlusion = self.queries.occlusion.saturating_sub(1);
            self.record = None;
        }
        query.active = false;
    }
}

impl<P: Profile> RenderCondition for Context<'_, '_, P> {
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

impl<P: Profile> Queries for Context<'_, '_, P> {
    fn create_query(&mut self, kind: QueryType, index: u32) -> Result<QueryHandle, PipeError> {
        use QueryType::*;
        let streams = matches!(
            kind,
            PrimitivesEmitted | SoStatistics | SoOverflowPredicate | SoOverflowAnyPredicate
        );
        if streams && !STREAM_OUTPUT {
            return Err(PipeError::Unsupported("stream output"));
        }
        let streams = if GEOMETRY_SHADERS { STREAMS } else { 1 };
        if kind.has_stream() && index as usize >= streams {
            return Err(PipeError::Unsupported("queries of as many vertex streams"));
        }
        let query = Query {
            kind,
            index,
            start: Counters::default(),
            result: QueryResult::zero(kind),
            active: false,
        };
        self.queries.queries.insert(query).map(QueryHandle::new).map_err(pool_error)
    }

    fn destroy_query(&mut self, handle: QueryHandle) -> Result<(), PipeError> {
        object(&self.queries.queries, handle)?;
        self.stop(handle.raw());
        self.queries.queries.remove(handle.raw());
        Ok(())
    }

    fn begin_query(&mut self, handle: QueryHandle) -> Result<(), PipeError> {
        let query = *self.query(handle)?;
        if query.active {
            return Err(PipeError::Busy("a query that has begun"));
        }
        if !query.kind.needs_begin() {
            return Err(PipeError::Invalid("a query that only ends"));
        }
        if is_occlusion(query.kind) {
            self.flush_scene()?;
            self.queries.occlusion += 1;
            self.touch();
        }
        let start = self.counters();
        let query = self.query(handle)?;
        (query.start, query.active) = (start, true);
        Ok(())
    }

    fn end_query(&mut self, handle: QueryHandle) -> Result<(), PipeError> {
        let query = *self.query(handle)?;
        if query.kind.needs_begin() && !query.active {
            return Err(PipeError::Invalid("ending a query that has not begun"));
        }
        if is_occlusion(query.kind)
            || matches!(query.kind, QueryType::Timestamp | QueryType::TimeElapsed)
        {
            self.flush_scene()?;
        }
        self.stop(handle.raw());
        let now = self.counters();
        let query = self.query(handle)?;
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
            return Err(PipeError::Invalid("the result of a query that has not ended"));
        }
        Ok(Some(query.result))
    }

    fn set_active_query_state(&mut self, active: bool) {
        self.queries.paused = !active;
        self.touch();
    }
}
