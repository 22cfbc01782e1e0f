//! Queries: occlusion, timestamps, and Draw's statistics.
//!
//! Rasterization is deferred. A query that counts pixels flushes when it begins and when it ends,
//! so the workers' counts in between belong to it.

use draw::{Counters, STREAMS, Statistics, Streamed};
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::context::{Queries, RenderCondition};
use pipe_core::query::{PipelineStatistic, QueryResult, QueryType, RenderConditionMode};
#[cfg(feature = "es2")]
use pipe_core::{
    DrawIndirect, MapFlags, Region, ResourceHandle, context::Transfers, query::QueryValueType,
};
use pipe_core::{PipeError, QueryHandle};

use super::driver_queries::{DriverCounts, SceneCounts, check_number, result};
use super::{Context, object};
use crate::device::{Device, pool_error, release};
#[cfg(feature = "es2")]
use crate::device::{hold, is_readable, resource};
use crate::features::{GEOMETRY_SHADERS, STREAM_OUTPUT};
use crate::fragment::PixelCounts;
use crate::profile::Profile;

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
pub(super) struct QueryState<'m> {
    queries: Pool<'m, Query>,
    totals: Counters,
    pub(super) driver: DriverCounts,
    /// The number of running queries that count pixels.
    of_pixels: u32,
    paused: bool,
    condition: Option<Condition>,
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
    #[cfg(feature = "es2")]
    Word(RawHandle, u32),
}

impl<'m> QueryState<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        QueryState {
            queries: Pool::new_in(memory),
            totals: Counters::default(),
            driver: DriverCounts::default(),
            of_pixels: 0,
            paused: false,
            condition: None,
        }
    }

    /// Returns true if the render condition allows draws, clears and blits.
    pub(super) fn condition_holds(&self, device: &Device<'_>) -> bool {
        #[cfg(not(feature = "es2"))]
        let _ = device;
        let Some(Condition { value, skip }) = self.condition else { return true };
        match value {
            ConditionValue::Query(query) => match self.queries.get(query) {
                // Results are available as soon as a query ends.
                Some(query) if !query.active => (query.result.as_u64() != 0) != skip,
                _ => true,
            },
            #[cfg(feature = "es2")]
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
    pub(super) fn held(&self) -> Option<RawHandle> {
        match self.condition?.value {
            ConditionValue::Query(_) => None,
            #[cfg(feature = "es2")]
            ConditionValue::Word(buffer, _) => Some(buffer),
        }
    }

    /// Returns true if draws must count their pixels.
    pub(super) fn counts_pixels(&self) -> bool {
        self.of_pixels > 0 && !self.paused
    }

    /// Adds the counts of a rasterized scene.
    pub(super) fn add_pixels(&mut self, counts: PixelCounts) {
        self.totals.samples += counts.passed;
        self.totals.ps_invocations += counts.shaded;
    }

    /// Returns true if scenes must be counted.
    pub(super) fn counts_scenes(&self) -> bool {
        self.driver.counts_scenes()
    }

    /// Adds the counts of rasterized scenes.
    pub(super) fn add_scenes(&mut self, counts: SceneCounts) {
        self.driver.add_scenes(counts);
    }

    /// Adds the primitives that a draw wrote to buffers, and the number it would have written with
    /// enough room.
    pub(super) fn add_streamed(&mut self, streamed: Streamed) {
        if !self.paused {
            self.totals.streamed += streamed;
        }
    }

    /// Adds the invocations of a launched grid.
    #[cfg(feature = "shader-memory")]
    pub(super) fn add_grid(&mut self, invocations: u64) {
        self.driver.add_launch();
        if !self.paused {
            let total = &mut self.totals.cs_invocations;
            *total = total.wrapping_add(invocations);
        }
    }

    /// Adds Draw's statistics.
    pub(super) fn add_draw(&mut self, statistics: Statistics) {
        self.driver.add_draw();
        if !self.paused {
            self.totals.draw += statistics;
        }
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

impl<P: Profile> Context<'_, '_, P> {
    /// Replaces the condition, and releases the buffer of the previous one.
    fn set_condition(&mut self, condition: Option<Condition>) {
        if let Some(buffer) = self.queries.held() {
            release(&mut self.device.shared.lock().resources, buffer);
        }
        self.queries.condition = condition;
    }

    fn counters(&self) -> Counters {
        Counters { time_ns: self.os.clock.now_ns(), ..self.queries.totals }
    }

    fn query(&mut self, handle: QueryHandle) -> Result<&mut Query, PipeError> {
        self.queries.queries.get_mut(handle.raw()).ok_or_else(|| PipeError::stale(handle))
    }

    fn stop(&mut self, handle: RawHandle) {
        let Some(query) = self.queries.queries.get_mut(handle) else { return };
        if query.active && query.counts_pixels() {
            self.queries.of_pixels = self.queries.of_pixels.saturating_sub(1);
            self.record = None;
        }
        if query.active && query.is_driver() {
            self.queries.driver.note_running(false);
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
        let value = query.map(|handle| ConditionValue::Query(handle.raw()));
        self.set_condition(value.map(|value| Condition { value, skip: condition }));
        Ok(())
    }

    /// Sets a buffer's word as the condition. Each draw reads the word after all earlier commands.
    #[cfg(feature = "es2")]
    fn render_condition_mem(
        &mut self,
        handle: ResourceHandle,
        offset: u32,
        condition: bool,
    ) -> Result<(), PipeError> {
        let size = {
            let resources = &mut self.device.shared.lock().resources;
            let buffer = resource(resources, handle)?;
            if !buffer.template.is_buffer() || !offset.is_multiple_of(4) {
                return Err(PipeError::Invalid("a condition that is no word of a buffer"));
            }
            buffer.template.width0
        };
        PipeError::within(&Region::bytes(offset, 4), [size, 1, 1])?;
        hold(&mut self.device.shared.lock().resources, handle.raw());
        let value = ConditionValue::Word(handle.raw(), offset);
        self.set_condition(Some(Condition { value, skip: condition }));
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
        if query.counts_pixels() {
            self.settle_scene()?;
            self.queries.of_pixels += 1;
            self.touch();
        }
        if query.is_driver() {
            self.settle_scene()?;
            self.queries.driver.note_running(true);
            let value = self.driver_value(query.index);
            self.query(handle)?.driver_start = value;
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
        if query.counts_pixels()
            || query.is_driver()
            || matches!(query.kind, QueryType::Timestamp | QueryType::TimeElapsed)
        {
            self.settle_scene()?;
        }
        self.stop(handle.raw());
        let now = self.counters();
        let query = self.query(handle)?;
        query.result = now.since(&query.start, query.kind, query.index);
        let Query { index, driver_start, .. } = *query;
        if query.is_driver() {
            let value = result(index, driver_start, self.driver_value(index));
            self.query(handle)?.result = QueryResult::U64(value);
        }
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

    /// Writes at once: results are available as soon as a query ends.
    #[cfg(feature = "es2")]
    fn get_query_result_resource(
        &mut self,
        query: QueryHandle,
        _wait: bool,
        value_type: QueryValueType,
        index: Option<u32>,
        resource: ResourceHandle,
        offset: u32,
    ) -> Result<(), PipeError> {
        let query = self.query(query)?;
        if query.active {
            return Err(PipeError::Invalid("the result of a query that has not ended"));
        }
        let value = match index {
            None => 1,
            Some(index) => query.result.number(index).ok_or(PipeError::OutOfRange {
                what: "the number of a query's result",
                value: index.into(),
                limit: query.result.numbers().saturating_sub(1).into(),
            })?,
        };
        let (bytes, size) = value_type.bytes_of(value);
        let bytes = bytes.get(..size).unwrap_or(&bytes);
        self.buffer_subdata(resource, MapFlags::WRITE, offset, bytes)
    }

    fn set_active_query_state(&mut self, active: bool) {
        self.queries.paused = !active;
        self.touch();
    }
}
