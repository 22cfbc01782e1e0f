//! Queries and render conditions.

use pipe_core::context::{Queries, RenderCondition};
#[cfg(feature = "es2")]
use pipe_core::{
    MapFlags, PipeError, QueryHandle, ResourceHandle,
    context::Transfers,
    query::{QueryResult, QueryType, QueryValueType, RenderConditionMode},
};

use crate::context::Context;
use crate::profile::Profile;
#[cfg(feature = "es2")]
use crate::report::Features;

#[cfg(not(feature = "es2"))]
impl<P: Profile> Queries for Context<'_, '_, P> {}
#[cfg(not(feature = "es2"))]
impl<P: Profile> RenderCondition for Context<'_, '_, P> {}

#[cfg(feature = "es2")]
impl<P: Profile> RenderCondition for Context<'_, '_, P> {
    fn render_condition(
        &mut self,
        query: Option<QueryHandle>,
        condition: bool,
        _mode: RenderConditionMode,
    ) -> Result<(), PipeError> {
        self.state.queries.set_query_condition(self.renderer.device, query, condition)
    }

    /// Sets a buffer's word as the condition. Each draw reads the word after all earlier commands.
    fn render_condition_mem(
        &mut self,
        handle: ResourceHandle,
        offset: u32,
        condition: bool,
    ) -> Result<(), PipeError> {
        self.renderer.device.note_used(|| Features::ES2);
        self.state.queries.set_word_condition(self.renderer.device, handle, offset, condition)
    }
}

#[cfg(feature = "es2")]
impl<P: Profile> Queries for Context<'_, '_, P> {
    fn create_query(&mut self, kind: QueryType, index: u32) -> Result<QueryHandle, PipeError> {
        self.renderer.device.note_used(|| Features::ES2);
        self.state.queries.create(kind, index)
    }

    fn destroy_query(&mut self, handle: QueryHandle) -> Result<(), PipeError> {
        if self.state.queries.remove(handle)? {
            self.touch();
        }
        Ok(())
    }

    fn begin_query(&mut self, handle: QueryHandle) -> Result<(), PipeError> {
        if self.state.queries.check_begin(handle)? {
            self.settle_scene()?;
        }
        if self.state.queries.begin(self.renderer.device, handle)? {
            self.touch();
        }
        Ok(())
    }

    fn end_query(&mut self, handle: QueryHandle) -> Result<(), PipeError> {
        if self.state.queries.check_end(handle)? {
            self.settle_scene()?;
        }
        if self.state.queries.end(self.renderer.device, handle)? {
            self.touch();
        }
        Ok(())
    }

    fn get_query_result(
        &mut self,
        handle: QueryHandle,
        _wait: bool,
    ) -> Result<Option<QueryResult>, PipeError> {
        self.state.queries.result(handle).map(Some)
    }

    /// Writes at once: results are available as soon as a query ends.
    fn get_query_result_resource(
        &mut self,
        query: QueryHandle,
        _wait: bool,
        value_type: QueryValueType,
        index: Option<u32>,
        resource: ResourceHandle,
        offset: u32,
    ) -> Result<(), PipeError> {
        let result = self.state.queries.result(query)?;
        let value = match index {
            None => 1,
            Some(index) => result.number(index).ok_or(PipeError::OutOfRange {
                what: "the number of a query's result",
                value: index.into(),
                limit: result.numbers().saturating_sub(1).into(),
            })?,
        };
        let (bytes, size) = value_type.bytes_of(value);
        let bytes = bytes.get(..size).unwrap_or(&bytes);
        self.buffer_subdata(resource, MapFlags::WRITE, offset, bytes)
    }

    fn set_active_query_state(&mut self, active: bool) {
        self.state.queries.set_paused(!active);
        self.touch();
    }
}
