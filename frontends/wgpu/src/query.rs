//! Query sets.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pipe_core::{Context, PipeError, QueryHandle, QueryType};
use wgpu_hal::{DeviceError, Label};
use wgpu_types as wgt;

use crate::machine::{Garbage, Machine};

/// A query set of wgpu-hal.
#[derive(Clone, Debug)]
pub struct QuerySet(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    slots: Mutex<Vec<Slot>>,
    machine: Arc<Machine>,
}

/// One query.
#[derive(Clone, Copy, Default, Debug)]
struct Slot {
    /// The query of the driver, if it has one.
    query: Option<QueryHandle>,
    /// True if the query has a result that was not read.
    is_pending: bool,
    /// The result.
    value: u64,
}

impl Drop for Shared {
    fn drop(&mut self) {
        let slots = std::mem::take(self.slots.get_mut().unwrap_or_else(PoisonError::into_inner));
        for query in slots.iter().filter_map(|slot| slot.query) {
            self.machine.discard(Garbage::Query(query));
        }
    }
}

impl QuerySet {
    pub(crate) fn new(
        machine: &Arc<Machine>,
        desc: &wgt::QuerySetDescriptor<Label<'_>>,
    ) -> Result<QuerySet, DeviceError> {
        if matches!(desc.ty, wgt::QueryType::PipelineStatistics(_)) {
            log::error!("queries of pipeline statistics are not supported");
            return Err(DeviceError::Unexpected);
        }
        let slots = Mutex::new(vec![Slot::default(); desc.count as usize]);
        Ok(QuerySet(Arc::new(Shared { slots, machine: Arc::clone(machine) })))
    }

    fn slots(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.0.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to count samples.
    pub(crate) fn begin(
        &self,
        context: &mut dyn Context<'static>,
        index: u32,
    ) -> Result<(), PipeError> {
        let mut slots = self.slots();
        let Some(slot) = slots.get_mut(index as usize) else { return Ok(()) };
        let query = match slot.query {
            Some(query) => query,
            None => context.create_query(QueryType::OcclusionCounter, 0)?,
        };
        *slot = Slot { query: Some(query), is_pending: false, value: 0 };
        context.begin_query(query)
    }

    /// Ends a count.
    pub(crate) fn end(
        &self,
        context: &mut dyn Context<'static>,
        index: u32,
    ) -> Result<(), PipeError> {
        let mut slots = self.slots();
        let Some(slot) = slots.get_mut(index as usize) else { return Ok(()) };
        let Some(query) = slot.query else { return Ok(()) };
        slot.is_pending = true;
        context.end_query(query)
    }

    /// Sets a result: a time in nanoseconds.
    pub(crate) fn set(&self, index: u32, value: u64) {
        if let Some(slot) = self.slots().get_mut(index as usize) {
            slot.value = value;
        }
    }

    /// Sets results to 0.
    pub(crate) fn reset(&self, range: std::ops::Range<u32>) {
        let range = range.start as usize..range.end as usize;
        for slot in self.slots().get_mut(range).into_iter().flatten() {
            (slot.is_pending, slot.value) = (false, 0);
        }
    }

    /// Returns a result; waits for the draws that it counts.
    pub(crate) fn result(
        &self,
        context: &mut dyn Context<'static>,
        index: u32,
    ) -> Result<u64, PipeError> {
        let mut slots = self.slots();
        let Some(slot) = slots.get_mut(index as usize) else { return Ok(0) };
        if let (true, Some(query)) = (slot.is_pending, slot.query) {
            let result = context.get_query_result(query, true)?;
            slot.value = result.map_or(0, |result| result.as_u64());
            slot.is_pending = false;
        }
        Ok(slot.value)
    }
}
