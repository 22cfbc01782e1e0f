//! Queries: occlusion, timestamps, and Draw's statistics. Only builds with the feature `es2` have them.
//!
//! Rasterization is deferred. A query that counts pixels flushes when it begins and when it ends,
//! so the workers' counts in between belong to it.

use draw::{Counters, STREAMS, Statistics, Streamed};
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::query::{PipelineStatistic, QueryResult, QueryType};
use pipe_core::{DrawIndirect, PipeError, QueryHandle, Region, ResourceHandle};

use super::driver_queries::{DriverCounts, SceneCounts, check_number, result};
use crate::device::{Device, hold, is_readable, pool_error, release, resource};
use crate::features::{CHECK, OfEs2, Only, STAGES};
use crate::fragment::PixelCounts;

/// A query: its start and, once it has ended, its result.
#[derive(Clone, Copy, Debug)]
struct Query {
    kind: QueryType,
    index: u32,
    start: Counters,
    /// The start value of a driver-specific query.
    driver_start: u64,
    result: QueryResult,
    active: bool,
}

/// All queries of a context.
#[derive(Debug)]
pub(crate) struct QueryState<'m> {
    queries: OfEs2<Pool<'m, Query>>,
    totals: OfEs2<Counters>,
    driver: DriverCounts,
    /// The number of running queries that count pixels.
    of_pixels: OfEs2<u32>,
    paused: OfEs2<bool>,
    condition: OfEs2<Option<Condition>>,
    /// The primitives that were left after clipping, for contexts that check calls.
    drawn: Only<u64, { CHECK as usize }>,
    /// The triangles that were dropped by their facing, for contexts that check calls.
    culled: Only<u64, { CHECK as usize }>,
}

/// A render condition: nothing is drawn while the value, as a boolean, equals `skip`.
#[derive(Clone, Copy, Debug)]
struct Condition {
    value: ConditionValue,
    skip: bool,
}

/// The value of a condition.
#[derive(Clone, Copy, Debug)]
enum ConditionValue {
    /// The result of a query.
    Query(RawHandle),
    /// A word of a buffer, at an offset in bytes.
    Word(RawHandle, u32),
}

impl<'m> QueryState<'m> {
    /// Returns the primitives that were left after clipping.
    #[cfg(feature = "check")]
    pub(crate) fn primitives_drawn(&self) -> Option<u64> {
        self.drawn.get().copied()
    }

    /// Returns the triangles that were dropped by their facing.
    #[cfg(feature = "check")]
    pub(crate) fn primitives_culled(&self) -> Option<u64> {
        self.culled.get().copied()
    }

    /// Adds the triangles of a draw that were dropped by their facing.
    #[inline(always)]
    pub(crate) fn add_culled(&mut self, culled: &Only<u64, { CHECK as usize }>) {
        if let (Some(sum), Some(culled)) = (self.culled.get_mut(), culled.get()) {
            *sum = sum.wrapping_add(*culled);
        }
    }

    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        QueryState {
            queries: Only::with(|| Pool::new_in(memory)),
            totals: Only::default(),
            driver: DriverCounts::default(),
            of_pixels: Only::default(),
            paused: Only::default(),
            condition: Only::default(),
            drawn: Only::default(),
            culled: Only::default(),
        }
    }

    /// Returns true if the render condition allows draws, clears and blits.
    #[inline(always)]
    pub(crate) fn condition_holds(&self, device: &Device<'_>) -> bool {
        let condition = self.condition.get().copied().flatten();
        condition.is_none_or(|condition| self.allows(condition, device))
    }

    fn allows(&self, Condition { value, skip }: Condition, device: &Device<'_>) -> bool {
        match value {
            ConditionValue::Query(query) => match self.find(query) {
                // Results are available as soon as a query ends.
                Some(query) if !query.active => (query.result.as_u64() != 0) != skip,
                _ => true,
            },
            ConditionValue::Word(buffer, offset) => {
                let shared = device.lock_when(|resources| is_readable(resources, buffer));
                // The CPU of another context holds the buffer: treat it like a result that is not
                // available.
                let Ok(shared) = shared else { return true };
                let bytes = shared.resources.get(buffer).map_or(&[][..], |buffer| buffer.bytes(0));
                (DrawIndirect::word(bytes, offset as usize) != 0) != skip
            }
        }
    }

    /// Returns the buffer that the condition holds.
    #[inline(always)]
    pub(crate) fn held(&self) -> Option<RawHandle> {
        match self.condition.get().copied().flatten()?.value {
            ConditionValue::Query(_) => None,
            ConditionValue::Word(buffer, _) => Some(buffer),
        }
    }

    /// Returns true if draws must count their pixels.
    #[inline(always)]
    pub(crate) fn counts_pixels(&self) -> bool {
        self.of_pixels.number() > 0 && !self.paused.is_set()
    }

    /// Returns the totals, unless they are paused.
    #[inline(always)]
    fn running_totals(&mut self) -> Option<&mut Counters> {
        self.totals.get_mut().filter(|_| !self.paused.is_set())
    }

    fn find(&self, query: RawHandle) -> Option<&Query> {
        self.queries.get().and_then(|queries| queries.get(query))
    }

    fn find_mut(&mut self, query: RawHandle) -> Option<&mut Query> {
        self.queries.get_mut().and_then(|queries| queries.get_mut(query))
    }

    /// Adds the counts of a rasterized scene.
    #[inline(always)]
    pub(crate) fn add_pixels(&mut self, counts: PixelCounts) {
        if let Some(totals) = self.totals.get_mut() {
            totals.samples += counts.passed;
            totals.ps_invocations += counts.shaded;
        }
    }

    /// Returns true if scenes must be counted.
    #[inline(always)]
    pub(crate) fn counts_scenes(&self) -> bool {
        self.driver.counts_scenes()
    }

    /// Adds the counts of rasterized scenes.
    #[inline(always)]
    pub(crate) fn add_scenes(&mut self, counts: SceneCounts) {
        self.driver.add_scenes(counts);
    }

    /// Adds the primitives that a draw wrote to buffers, and the number it would have written with
    /// enough room.
    #[inline(always)]
    pub(crate) fn add_streamed(&mut self, streamed: Streamed) {
        if let Some(totals) = self.running_totals() {
            totals.streamed += streamed;
        }
    }

    /// Adds the invocations of a launched grid.
    #[cfg(feature = "shader-memory")]
    pub(crate) fn add_grid(&mut self, invocations: u64) {
        self.driver.add_launch();
        if let Some(totals) = self.running_totals() {
            totals.cs_invocations = totals.cs_invocations.wrapping_add(invocations);
        }
    }

    /// Adds Draw's statistics.
    #[inline(always)]
    pub(crate) fn add_draw(&mut self, statistics: Statistics) {
        if let Some(drawn) = self.drawn.get_mut() {
            *drawn = drawn.wrapping_add(statistics.c_primitives);
        }
        self.driver.add_draw();
        if let Some(totals) = self.running_totals() {
            totals.draw += statistics;
        }
    }

    /// Replaces the condition, and releases the buffer of the previous one.
    fn set_condition(&mut self, device: &Device<'_>, condition: Option<Condition>) {
        if let Some(buffer) = self.held() {
            release(&mut device.shared.lock().resources, buffer);
        }
        self.condition.set(condition);
    }

    /// Sets the result of a query as the condition.
    ///
    /// # Errors
    /// The handle is stale, or the query is no predicate.
    pub(crate) fn set_query_condition(
        &mut self,
        device: &Device<'_>,
        query: Option<QueryHandle>,
        skip: bool,
    ) -> Result<(), PipeError> {
        if let Some(handle) = query
            && !self.query(handle)?.kind.is_condition()
        {
            return Err(PipeError::Invalid("the condition is not a predicate query"));
        }
        let value = query.map(|handle| ConditionValue::Query(handle.raw()));
        self.set_condition(device, value.map(|value| Condition { value, skip }));
        Ok(())
    }

    /// Sets a buffer's word as the condition.
    ///
    /// # Errors
    /// The handle is stale, or there is no such word.
    pub(crate) fn set_word_condition(
        &mut self,
        device: &Device<'_>,
        handle: ResourceHandle,
        offset: u32,
        skip: bool,
    ) -> Result<(), PipeError> {
        let size = {
            let resources = &mut device.shared.lock().resources;
            let buffer = resource(resources, handle)?;
            if !buffer.template.is_buffer() || !offset.is_multiple_of(4) {
                return Err(PipeError::Invalid("the condition is not a word of a buffer"));
            }
            buffer.template.width0
        };
        PipeError::within(&Region::bytes(offset, 4), [size, 1, 1])?;
        hold(&mut device.shared.lock().resources, handle.raw());
        let value = ConditionValue::Word(handle.raw(), offset);
        self.set_condition(device, Some(Condition { value, skip }));
        Ok(())
    }

    /// Counts nothing from now on if `paused`.
    pub(crate) fn set_paused(&mut self, paused: bool) {
        self.paused.set(paused);
    }

    fn counters(&self, device: &Device<'_>) -> Counters {
        Counters {
            time_ns: device.os.clock.now_ns(),
            ..self.totals.get().copied().unwrap_or_default()
        }
    }

    fn query(&mut self, handle: QueryHandle) -> Result<&mut Query, PipeError> {
        self.find_mut(handle.raw()).ok_or_else(|| PipeError::stale(handle))
    }

    /// Makes a query.
    ///
    /// # Errors
    /// A kind or number that this build lacks; out of memory.
    pub(crate) fn create(&mut self, kind: QueryType, index: u32) -> Result<QueryHandle, PipeError> {
        use QueryType::*;
        let streams = matches!(
            kind,
            PrimitivesEmitted | SoStatistics | SoOverflowPredicate | SoOverflowAnyPredicate
        );
        if streams && !STAGES {
            return Err(PipeError::Unsupported("stream output"));
        }
        let streams = if STAGES { STREAMS } else { 1 };
        if kind.has_stream() && index as usize >= streams {
            return Err(PipeError::Unsupported("queries of as many vertex streams"));
        }
        if kind == DriverSpecific {
            check_number(index)?;
        }
        let query = Query {
            kind,
            index,
            start: Counters::default(),
            driver_start: 0,
            result: QueryResult::zero(kind),
            active: false,
        };
        let queries = self.queries.get_mut().ok_or(PipeError::Unsupported("queries"))?;
        queries.insert(query).map(QueryHandle::new).map_err(pool_error)
    }

    /// Removes a query; returns true if draws stop counting their pixels.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn remove(&mut self, handle: QueryHandle) -> Result<bool, PipeError> {
        self.query(handle)?;
        let stops = self.stop(handle.raw());
        if let Some(queries) = self.queries.get_mut() {
            queries.remove(handle.raw());
        }
        Ok(stops)
    }

    /// Checks that a query can begin; returns true if the pending scene must be done before.
    ///
    /// # Errors
    /// The handle is stale; the query has begun, or only ends.
    pub(crate) fn check_begin(&mut self, handle: QueryHandle) -> Result<bool, PipeError> {
        let query = self.query(handle)?;
        if query.active {
            return Err(PipeError::Busy("a query that has begun"));
        }
        if !query.kind.needs_begin() {
            return Err(PipeError::Invalid("this query type cannot begin: only end it"));
        }
        Ok(query.counts_pixels() || query.is_driver())
    }

    /// Begins a query; returns true if draws count their pixels from now on.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn begin(
        &mut self,
        device: &Device<'_>,
        handle: QueryHandle,
    ) -> Result<bool, PipeError> {
        let query = *self.query(handle)?;
        let counts = query.counts_pixels();
        self.of_pixels.set(self.of_pixels.number() + u32::from(counts));
        if query.is_driver() {
            self.driver.note_running(true);
            let value = self.driver.value(query.index, device);
            self.query(handle)?.driver_start = value;
        }
        let start = self.counters(device);
        let query = self.query(handle)?;
        (query.start, query.active) = (start, true);
        Ok(counts)
    }

    /// Checks that a query can end; returns true if the pending scene must be done before.
    ///
    /// # Errors
    /// The handle is stale; the query has not begun.
    pub(crate) fn check_end(&mut self, handle: QueryHandle) -> Result<bool, PipeError> {
        let query = self.query(handle)?;
        if query.kind.needs_begin() && !query.active {
            return Err(PipeError::Invalid("the query has not begun"));
        }
        Ok(query.counts_pixels()
            || query.is_driver()
            || matches!(query.kind, QueryType::Timestamp | QueryType::TimeElapsed))
    }

    /// Ends a query; returns true if draws stop counting their pixels.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn end(
        &mut self,
        device: &Device<'_>,
        handle: QueryHandle,
    ) -> Result<bool, PipeError> {
        let stops = self.stop(handle.raw());
        let now = self.counters(device);
        let query = self.query(handle)?;
        query.result = now.since(&query.start, query.kind, query.index);
        let Query { index, driver_start, .. } = *query;
        if query.is_driver() {
            let value = result(index, driver_start, self.driver.value(index, device));
            self.query(handle)?.result = QueryResult::U64(value);
        }
        Ok(stops)
    }

    /// Returns the result of a query.
    ///
    /// # Errors
    /// The handle is stale; the query has not ended.
    pub(crate) fn result(&mut self, handle: QueryHandle) -> Result<QueryResult, PipeError> {
        let query = self.query(handle)?;
        if query.active {
            return Err(PipeError::Invalid("the query has not ended"));
        }
        Ok(query.result)
    }

    /// Stops a query; returns true if draws stop counting their pixels.
    fn stop(&mut self, handle: RawHandle) -> bool {
        let Some(query) = self.find_mut(handle) else { return false };
        let was_active = core::mem::take(&mut query.active);
        let counts = was_active && query.counts_pixels();
        if was_active && query.is_driver() {
            self.driver.note_running(false);
        }
        self.of_pixels.set(self.of_pixels.number().saturating_sub(u32::from(counts)));
        counts
    }
}

impl Query {
    /// Returns true if the query is driver-specific.
    fn is_driver(&self) -> bool {
        self.kind == QueryType::DriverSpecific
    }

    /// Returns true if the query counts samples that pass, or invocations of fragment shaders.
    fn counts_pixels(&self) -> bool {
        use QueryType::*;
        match self.kind {
            OcclusionCounter | OcclusionPredicate | OcclusionPredicateConservative => true,
            PipelineStatistics => true,
            PipelineStatisticsSingle => self.index == PipelineStatistic::PsInvocations as u32,
            _ => false,
        }
    }
}
