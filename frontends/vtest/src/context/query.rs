//! Queries, and conditional draws.

use std::rc::Rc;

use pipe_core::query::{QueryValueType, RenderConditionMode};
use pipe_core::{Context, MapFlags, PipeError, QueryHandle, QueryType};

use super::objects::Object;
use super::{CommandError, Done, Shared, SubContext, decode};
use crate::reader::Reader;
use crate::resource::Resource;

/// A query, and where its result goes.
#[derive(Debug)]
pub(super) struct Query<'s> {
    /// `None` if the driver refused the query. Its result is 0 then.
    pub(super) handle: Option<QueryHandle>,
    kind: Option<QueryType>,
    memory: Rc<Resource<'s>>,
    offset: u32,
}

/// State of an available result.
const DONE: u32 = 1;

impl<'s> SubContext<'s> {
    pub(super) fn create_query(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Result<Query<'s>, CommandError> {
        let [kind, offset, name] = reader.words()?;
        let memory = Rc::clone(shared.resources.find(name)?);
        let index = kind >> 16;
        let kind = QueryType::from_number(kind & 0xffff);
        // The protocol has no numbers for the driver's own.
        let kind = kind.filter(|kind| *kind != QueryType::DriverSpecific).map(|kind| match kind {
            // The answer has room for one number: the one that the index selects.
            QueryType::PipelineStatistics => QueryType::PipelineStatisticsSingle,
            kind => kind,
        });
        let made = kind
            .ok_or(PipeError::Invalid("unknown query type"))
            .and_then(|kind| self.driver.create_query(kind, index));
        let handle = shared.notes.done("a query", made);
        Ok(Query { handle, kind, memory, offset })
    }

    /// The query called `name`, as an object to hold on to.
    fn query(&self, name: u32) -> Result<Rc<Object<'s>>, PipeError> {
        let found = self.object(name).filter(|object| matches!(***object, Object::Query(_)));
        found.cloned().ok_or(PipeError::Invalid("no query has this name"))
    }

    pub(super) fn begin_query(&mut self, mut reader: Reader<'_>) -> Done {
        match &*self.query(reader.word()?)? {
            Object::Query(Query { handle: Some(handle), .. }) => {
                Ok(self.driver.begin_query(*handle)?)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn end_query(&mut self, mut reader: Reader<'_>) -> Done {
        match &*self.query(reader.word()?)? {
            Object::Query(Query { handle: Some(handle), .. }) => {
                Ok(self.driver.end_query(*handle)?)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn get_query_result(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let object = self.query(reader.word()?)?;
        let Object::Query(query) = &*object else { return Ok(()) };
        let result = match query.handle {
            Some(handle) => {
                let result = self.driver.get_query_result(handle, true);
                shared.notes.done("a query's result", result).flatten()
            }
            None => None,
        };
        let value = result.map_or(0, |result| result.as_u64());
        // The answer is final, even without a result: a client that gets no answer asks again
        // without end.
        Ok(query.answer(&mut *self.driver, value)?)
    }

    pub(super) fn get_query_result_qbo(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let [name, buffer, wait, value_type, offset, index] = reader.words()?;
        let object = self.query(name)?;
        let Object::Query(Query { handle: Some(handle), .. }) = &*object else { return Ok(()) };
        let resource = shared.resources.find(buffer)?.handle()?;
        let value_type = decode("query value type", QueryValueType::from_number, value_type)?;
        let index = (index != u32::MAX).then_some(index);
        let driver = &mut *self.driver;
        Ok(driver.get_query_result_resource(
            *handle,
            wait != 0,
            value_type,
            index,
            resource,
            offset,
        )?)
    }

    pub(super) fn set_render_condition(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let [name, condition, mode] = reader.words()?;
        if name == 0 {
            self.driver.render_condition(None, false, RenderConditionMode::Wait)?;
            self.bound.condition = None;
            self.sweep(&mut shared.notes);
            return Ok(());
        }
        let object = self.query(name)?;
        let mode = RenderConditionMode::from_number(mode).unwrap_or_default();
        if let Object::Query(Query { handle: Some(handle), .. }) = &*object {
            self.driver.render_condition(Some(*handle), condition != 0, mode)?;
        }
        self.bound.condition = Some(object);
        self.sweep(&mut shared.notes);
        Ok(())
    }
}

impl Query<'_> {
    /// Writes the block that the client reads: state, size, value.
    fn answer(&self, driver: &mut dyn Context<'static>, value: u64) -> Result<(), PipeError> {
        let timer = matches!(self.kind, Some(QueryType::Timestamp | QueryType::TimeElapsed));
        let value = if timer { value } else { value.min(u32::MAX.into()) };
        let mut block = [0; 16];
        block[..4].copy_from_slice(&DONE.to_le_bytes());
        block[4] = if timer { 8 } else { 4 };
        block[8..].copy_from_slice(&value.to_le_bytes());
        // Write to the resource, too. Clients without shared memory read it, and so do clients that
        // ask again.
        driver.buffer_subdata(self.memory.handle()?, MapFlags::WRITE, self.offset, &block)?;
        if let Ok(memory) = self.memory.memory() {
            let offset = u64::from(self.offset);
            memory.write(offset + 4, &block[4..]);
            memory.write(offset, &block[..4]);
        }
        Ok(())
    }
}
