//! The recording screen.

use os_shim::sync::Mutex;
use os_shim::{Box, Memory};

use super::answer::Answer;
use super::calls::number;
use super::recorder::Record;
use super::{MAGIC, Out, RecordSink, VERSION};
use crate::caps::Cap;
use crate::context::Context;
use crate::error::PipeError;
use crate::flags::ContextFlags;
use crate::handle::{FenceHandle, ResourceHandle};
use crate::resource::ResourceTemplate;
use crate::screen::Screen;
use crate::wire::{Wire, Writer};
use crate::wrap::screen::{caps_passed_on, queries_passed_on};

/// A screen that records its calls and the calls of its contexts, with their data.
///
/// ```
/// use gallium_pipe_core::wrap::NullScreen;
/// use gallium_pipe_core::wrap::record::{Player, RecordScreen};
/// use gallium_pipe_core::{Bind, ResourceTemplate, Screen};
/// # use os_shim::Memory;
/// # use std::sync::Mutex;
/// let memory = Memory::system();
/// let trace = Mutex::new(Vec::new());
/// let sink = |bytes: &[u8]| trace.lock().expect("no panic").extend_from_slice(bytes);
/// let driver = NullScreen::new(memory);
/// let screen = RecordScreen::new(&driver, &sink, memory);
/// screen.resource_create(&ResourceTemplate::buffer(64, Bind::VERTEX_BUFFER))?;
///
/// let trace = trace.lock().expect("no panic").clone().leak();
/// let other = NullScreen::new(memory);
/// let mut player = Player::new(&other, trace, memory).expect("a trace");
/// let played = player.step().expect("a whole call").expect("one call");
/// assert!(played.name == "resource_create" && played.is_same);
/// assert!(player.step().expect("the end").is_none());
/// # Ok::<(), gallium_pipe_core::PipeError>(())
/// ```
pub struct RecordScreen<'c, 'm> {
    inner: &'c dyn Screen<'m>,
    out: Out<'c>,
    /// The number of the last context.
    contexts: Mutex<u64>,
}

impl<'c, 'm> RecordScreen<'c, 'm> {
    /// Records a screen to `sink`, which gets the header at once. `memory` holds single calls and
    /// the wrappers of contexts.
    pub fn new(screen: &'c dyn Screen<'m>, sink: &'c dyn RecordSink, memory: Memory<'c>) -> Self {
        let (out, name) = (Out { sink, memory }, screen.get_name());
        out.write(name.len() as u64, &|header| {
            header.raw(MAGIC);
            header.number(VERSION.into());
            header.bytes(name.as_bytes());
        });
        Self { inner: screen, out, contexts: Mutex::new(0) }
    }

    /// Writes a call of the screen.
    fn wrote<A: Answer>(&self, number: u64, answer: A, arguments: impl Fn(&mut Writer<'_>)) -> A {
        self.out.call(number, 0, &|out| {
            arguments(out);
            answer.write(out);
        });
        answer
    }
}

impl<'m> Screen<'m> for RecordScreen<'_, 'm> {
    queries_passed_on!();
    caps_passed_on!();

    /// Returns the driver's caps, except for features that a trace cannot record. Imported memory
    /// and fences cannot be reproduced, and other draws replace vertex states.
    fn get_param(&self, cap: Cap) -> i32 {
        if matches!(cap, Cap::Memobj | Cap::FenceSignal | Cap::DrawVertexState) {
            return 0;
        }
        self.inner.get_param(cap)
    }

    fn can_create_resource(&self, template: &ResourceTemplate) -> bool {
        self.inner.can_create_resource(template)
    }

    fn resource_create(&self, template: &ResourceTemplate) -> Result<ResourceHandle, PipeError> {
        let answer = self.inner.resource_create(template);
        self.wrote(number::RESOURCE_CREATE, answer, |out| template.write(out))
    }

    fn resource_from_user_memory(
        &self,
        template: &ResourceTemplate,
        memory: &'m [u8],
    ) -> Result<ResourceHandle, PipeError> {
        let answer = self.inner.resource_from_user_memory(template, memory);
        self.wrote(number::RESOURCE_FROM_USER_MEMORY, answer, |out| {
            template.write(out);
            out.bytes(memory);
        })
    }

    fn resource_destroy(&self, resource: ResourceHandle) -> Result<(), PipeError> {
        let answer = self.inner.resource_destroy(resource);
        self.wrote(number::RESOURCE_DESTROY, answer, |out| Wire::write(&resource, out))
    }

    fn resource_changed(&self, resource: ResourceHandle) -> Result<(), PipeError> {
        let answer = self.inner.resource_changed(resource);
        self.wrote(number::RESOURCE_CHANGED, answer, |out| Wire::write(&resource, out))
    }

    fn fence_finish(
        &self,
        context: Option<&mut dyn Context<'m>>,
        fence: FenceHandle,
        timeout_ns: u64,
    ) -> Result<bool, PipeError> {
        // A flush of the context is a separate call, which the context writes.
        let answer = self.inner.fence_finish(context, fence, timeout_ns);
        self.wrote(number::FENCE_FINISH, answer, |out| {
            Wire::write(&fence, out);
            Wire::write(&timeout_ns, out);
        })
    }

    fn fence_destroy(&self, fence: FenceHandle) -> Result<(), PipeError> {
        let answer = self.inner.fence_destroy(fence);
        self.wrote(number::FENCE_DESTROY, answer, |out| Wire::write(&fence, out))
    }

    fn context_create<'s>(
        &'s self,
        flags: ContextFlags,
    ) -> Result<Box<'s, dyn Context<'m> + 's>, PipeError>
    where
        'm: 's,
    {
        let made = self.inner.context_create(flags);
        let context = {
            let mut contexts = self.contexts.lock();
            *contexts = contexts.saturating_add(made.is_ok().into());
            *contexts
        };
        let answer = match &made {
            Ok(_) => Ok(context),
            Err(error) => Err(*error),
        };
        // `made` has the driver's error if the call fails.
        let _ = self.wrote(number::CONTEXT_CREATE, answer, |out| flags.write(out));
        let record = Record::new(made?, self.inner, self.out, context);
        Ok(os_shim::unsize_box!(Box::try_new_in(record, self.out.memory)?))
    }
}
