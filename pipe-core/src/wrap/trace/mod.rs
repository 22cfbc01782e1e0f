//! A wrapper that writes every call it passes on, one line per call.
//!
//! A line has the method, its arguments by name, and the result unless that is `Ok(())`. State
//! objects show only members that differ from the default; data shows only its size. A line has
//! neither times nor addresses, so the same calls give the same text.
//!
//! ```text
//! create_blend_state(state: BlendState { logicop_enable: true }) = blend#0.1
//! bind_blend_state(handle: Some(blend#0.1))
//! delete_blend_state(handle: blend#7.1) ! stale handle blend#7.1
//! ```

mod calls;

use core::fmt::{self, Write as _};

use formats::Format;
use os_shim::sync::Mutex;
use os_shim::{Box, Memory};

use crate::caps::{Cap, CapF, ComputeCap, ShaderCap};
use crate::context::{Context, ContextRef};
use crate::error::PipeError;
use crate::flags::ContextFlags;
use crate::handle::{FenceHandle, ResourceHandle};
use crate::key::Brief;
use crate::resource::{Bind, ResourceTemplate, TextureTarget};
use crate::screen::Screen;
use crate::shader::ShaderType;
use crate::wrap::screen::queries_passed_on;
#[cfg(feature = "desktop")]
use crate::{
    FenceFdType, MemoryObjectHandle, VertexStateHandle, VertexStateTemplate, WinsysHandle,
    WinsysHandleType,
};
#[cfg(feature = "desktop")]
use os_shim::sharing::{ExternalFence, SharedMemory};

/// The receiver of a trace's lines. Every `Fn(fmt::Arguments) + Sync` implements it.
pub trait TraceSink: Sync {
    /// Takes the line of one call, without a line feed.
    fn line(&self, line: fmt::Arguments<'_>);
}

impl<F: Fn(fmt::Arguments<'_>) + Sync> TraceSink for F {
    fn line(&self, line: fmt::Arguments<'_>) {
        self(line);
    }
}

/// A sink that writes lines to a [`fmt::Write`], such as a `String`.
pub struct WriteSink<W>(Mutex<W>);

impl<W: fmt::Write + Send> WriteSink<W> {
    /// Returns a sink that writes to `writer`; lines that `writer` refuses are lost.
    pub const fn new(writer: W) -> Self {
        Self(Mutex::new(writer))
    }

    /// Returns the writer with all lines.
    pub fn into_inner(self) -> W {
        self.0.into_inner()
    }
}

impl<W: fmt::Write + Send> TraceSink for WriteSink<W> {
    fn line(&self, line: fmt::Arguments<'_>) {
        // A failing writer must not make the traced program fail.
        let _ = writeln!(self.0.lock(), "{line}");
    }
}

/// A context that writes the calls it passes on.
///
/// ```
/// use gallium_pipe_core::wrap::{NullContext, NullScreen, Trace, WriteSink};
/// use gallium_pipe_core::{BlendState, context::CsoState};
/// # use os_shim::Memory;
/// let screen = NullScreen::new(Memory::system());
/// let mut context = NullContext::new(&screen);
/// let sink = WriteSink::new(String::new());
/// let mut trace = Trace::new(&mut context, &sink);
/// trace.create_blend_state(&BlendState { dither: true, ..BlendState::default() })?;
/// drop(trace);
/// assert_eq!(
///     sink.into_inner(),
///     "create_blend_state(state: BlendState { dither: true }) = blend#0.1\n"
/// );
/// # Ok::<(), gallium_pipe_core::PipeError>(())
/// ```
pub struct Trace<'c, 'm> {
    inner: ContextRef<'c, 'm>,
    sink: &'c dyn TraceSink,
}

impl<'c, 'm> Trace<'c, 'm> {
    /// Traces a context, borrowed or owned, to `sink`.
    pub fn new(context: impl Into<ContextRef<'c, 'm>>, sink: &'c dyn TraceSink) -> Self {
        Self { inner: context.into(), sink }
    }
}

/// An argument, in its written form.
pub(in crate::wrap) enum Shown<'a> {
    /// In full, as `Debug` prints it.
    Full(&'a dyn fmt::Debug),
    /// Without members that have default values.
    Brief(&'a dyn Brief),
    /// A list of values without members that have default values.
    List(&'a dyn Fn(&mut fmt::Formatter<'_>) -> fmt::Result),
    /// Only the size.
    Bytes(usize),
}

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(value) => value.fmt(f),
            Self::Brief(value) => value.brief(f),
            Self::List(list) => list(f),
            Self::Bytes(count) => write!(f, "{count} bytes"),
        }
    }
}

/// Prints a [`Brief`] value with `Debug`.
struct Briefly<'a>(&'a dyn Brief);

impl fmt::Debug for Briefly<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.brief(f)
    }
}

/// Prints a list of values without members that have default values.
pub(in crate::wrap) fn brief_list<T: Brief>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
) -> fmt::Result {
    f.debug_list().entries(items.iter().map(|item| Briefly(item))).finish()
}

/// A result in its written form: `()` is omitted.
trait Outcome {
    fn outcome(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<T: fmt::Debug> Outcome for Result<T, PipeError> {
    fn outcome(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ok(_) if size_of::<T>() == 0 => Ok(()),
            Ok(value) => write!(f, " = {value:?}"),
            Err(error) => write!(f, " ! {error}"),
        }
    }
}

macro_rules! plain_outcomes {
    ($($ty:ty),+) => { $(
        impl Outcome for $ty {
            fn outcome(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                if size_of::<Self>() == 0 { Ok(()) } else { write!(f, " = {self:?}") }
            }
        }
    )+ };
}
plain_outcomes!((), u32, u64, i32, f32, bool, [f32; 2], [u64; 3], crate::flags::ResetStatus);

/// The line of one call.
struct Line<'a> {
    method: &'static str,
    arguments: &'a [(&'static str, Shown<'a>)],
    outcome: &'a dyn Outcome,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.method)?;
        for (index, (name, value)) in self.arguments.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{name}: {value:?}")?;
        }
        f.write_char(')')?;
        self.outcome.outcome(f)
    }
}

/// A screen that writes its calls and the calls of its contexts.
///
/// ```
/// use gallium_pipe_core::wrap::{NullScreen, TraceScreen, WriteSink};
/// use gallium_pipe_core::{Bind, ResourceTemplate, Screen};
/// # use os_shim::Memory;
/// let (memory, sink) = (Memory::system(), WriteSink::new(String::new()));
/// let driver = NullScreen::new(memory);
/// let screen = TraceScreen::new(&driver, &sink, memory);
/// screen.resource_create(&ResourceTemplate::buffer(64, Bind::VERTEX_BUFFER))?;
/// let line = "resource_create(template: ResourceTemplate { target: Buffer, format: R8_UNORM, \
///             width0: 64, bind: VERTEX_BUFFER }) = resource#0.1\n";
/// assert_eq!(sink.into_inner(), line);
/// # Ok::<(), gallium_pipe_core::PipeError>(())
/// ```
pub struct TraceScreen<'c, 'm> {
    inner: &'c dyn Screen<'m>,
    sink: &'c dyn TraceSink,
    memory: Memory<'c>,
}

impl<'c, 'm> TraceScreen<'c, 'm> {
    /// Traces a screen to `sink`; `memory` holds the wrappers of its contexts.
    pub fn new(screen: &'c dyn Screen<'m>, sink: &'c dyn TraceSink, memory: Memory<'c>) -> Self {
        Self { inner: screen, sink, memory }
    }

    fn write<O: Outcome>(
        &self,
        method: &'static str,
        arguments: &[(&'static str, Shown<'_>)],
        outcome: O,
    ) -> O {
        self.sink.line(format_args!("{}", Line { method, arguments, outcome: &outcome }));
        outcome
    }
}

impl<'m> Screen<'m> for TraceScreen<'_, 'm> {
    queries_passed_on!();

    fn get_param(&self, cap: Cap) -> i32 {
        let answer = self.inner.get_param(cap);
        self.write("get_param", &[("cap", Shown::Full(&cap))], answer)
    }

    fn get_paramf(&self, cap: CapF) -> f32 {
        let answer = self.inner.get_paramf(cap);
        self.write("get_paramf", &[("cap", Shown::Full(&cap))], answer)
    }

    fn get_shader_param(&self, stage: ShaderType, cap: ShaderCap) -> i32 {
        let answer = self.inner.get_shader_param(stage, cap);
        let arguments = [("stage", Shown::Full(&stage)), ("cap", Shown::Full(&cap))];
        self.write("get_shader_param", &arguments, answer)
    }

    fn get_compute_param(&self, cap: ComputeCap) -> [u64; 3] {
        let answer = self.inner.get_compute_param(cap);
        self.write("get_compute_param", &[("cap", Shown::Full(&cap))], answer)
    }

    fn is_format_supported(
        &self,
        format: Format,
        target: TextureTarget,
        sample_count: u8,
        storage_sample_count: u8,
        bind: Bind,
    ) -> bool {
        let answer = self.inner.is_format_supported(
            format,
            target,
            sample_count,
            storage_sample_count,
            bind,
        );
        let arguments = [
            ("format", Shown::Full(&format)),
            ("target", Shown::Full(&target)),
            ("sample_count", Shown::Full(&sample_count)),
            ("storage_sample_count", Shown::Full(&storage_sample_count)),
            ("bind", Shown::Full(&bind)),
        ];
        self.write("is_format_supported", &arguments, answer)
    }

    fn can_create_resource(&self, template: &ResourceTemplate) -> bool {
        let answer = self.inner.can_create_resource(template);
        self.write("can_create_resource", &[("template", Shown::Brief(template))], answer)
    }

    fn resource_create(&self, template: &ResourceTemplate) -> Result<ResourceHandle, PipeError> {
        let result = self.inner.resource_create(template);
        self.write("resource_create", &[("template", Shown::Brief(template))], result)
    }

    fn resource_from_user_memory(
        &self,
        template: &ResourceTemplate,
        memory: &'m [u8],
    ) -> Result<ResourceHandle, PipeError> {
        let result = self.inner.resource_from_user_memory(template, memory);
        let arguments =
            [("template", Shown::Brief(template)), ("memory", Shown::Bytes(memory.len()))];
        self.write("resource_from_user_memory", &arguments, result)
    }

    fn resource_destroy(&self, resource: ResourceHandle) -> Result<(), PipeError> {
        let result = self.inner.resource_destroy(resource);
        self.write("resource_destroy", &[("resource", Shown::Full(&resource))], result)
    }

    fn resource_changed(&self, resource: ResourceHandle) -> Result<(), PipeError> {
        let result = self.inner.resource_changed(resource);
        self.write("resource_changed", &[("resource", Shown::Full(&resource))], result)
    }

    #[cfg(feature = "desktop")]
    fn memobj_create_from_handle(
        &self,
        memory: Box<'m, dyn SharedMemory + 'm>,
    ) -> Result<MemoryObjectHandle, PipeError> {
        let size = usize::try_from(memory.size()).unwrap_or(usize::MAX);
        let result = self.inner.memobj_create_from_handle(memory);
        self.write("memobj_create_from_handle", &[("memory", Shown::Bytes(size))], result)
    }

    #[cfg(feature = "desktop")]
    fn memobj_destroy(&self, memory: MemoryObjectHandle) -> Result<(), PipeError> {
        let result = self.inner.memobj_destroy(memory);
        self.write("memobj_destroy", &[("memory", Shown::Full(&memory))], result)
    }

    #[cfg(feature = "desktop")]
    fn resource_from_memobj(
        &self,
        template: &ResourceTemplate,
        memory: MemoryObjectHandle,
        offset: u64,
    ) -> Result<ResourceHandle, PipeError> {
        let result = self.inner.resource_from_memobj(template, memory, offset);
        let arguments = [
            ("template", Shown::Brief(template)),
            ("memory", Shown::Full(&memory)),
            ("offset", Shown::Full(&offset)),
        ];
        self.write("resource_from_memobj", &arguments, result)
    }

    #[cfg(feature = "desktop")]
    fn resource_get_handle(
        &self,
        context: Option<&mut dyn Context<'m>>,
        resource: ResourceHandle,
        kind: WinsysHandleType,
    ) -> Result<WinsysHandle, PipeError> {
        let result = self.inner.resource_get_handle(context, resource, kind);
        let arguments = [("resource", Shown::Full(&resource)), ("kind", Shown::Full(&kind))];
        self.write("resource_get_handle", &arguments, result)
    }

    #[cfg(feature = "desktop")]
    fn resource_from_handle(
        &self,
        template: &ResourceTemplate,
        name: &WinsysHandle,
    ) -> Result<ResourceHandle, PipeError> {
        let result = self.inner.resource_from_handle(template, name);
        let arguments = [("template", Shown::Brief(template)), ("name", Shown::Full(name))];
        self.write("resource_from_handle", &arguments, result)
    }

    #[cfg(feature = "desktop")]
    fn create_fence_fd(
        &self,
        fence: Box<'m, dyn ExternalFence + 'm>,
        kind: FenceFdType,
    ) -> Result<FenceHandle, PipeError> {
        let result = self.inner.create_fence_fd(fence, kind);
        self.write("create_fence_fd", &[("kind", Shown::Full(&kind))], result)
    }

    #[cfg(feature = "desktop")]
    fn fence_get_fd(
        &self,
        fence: FenceHandle,
        to: Box<'m, dyn ExternalFence + 'm>,
    ) -> Result<(), PipeError> {
        let result = self.inner.fence_get_fd(fence, to);
        self.write("fence_get_fd", &[("fence", Shown::Full(&fence))], result)
    }

    #[cfg(feature = "desktop")]
    fn create_vertex_state(
        &self,
        template: &VertexStateTemplate<'_>,
    ) -> Result<VertexStateHandle, PipeError> {
        let result = self.inner.create_vertex_state(template);
        self.write("create_vertex_state", &[("template", Shown::Full(template))], result)
    }

    #[cfg(feature = "desktop")]
    fn vertex_state_destroy(&self, state: VertexStateHandle) -> Result<(), PipeError> {
        let result = self.inner.vertex_state_destroy(state);
        self.write("vertex_state_destroy", &[("state", Shown::Full(&state))], result)
    }

    fn get_timestamp(&self) -> u64 {
        // The result is not written: it differs from run to run.
        self.sink.line(format_args!("get_timestamp()"));
        self.inner.get_timestamp()
    }

    fn fence_finish(
        &self,
        context: Option<&mut dyn Context<'m>>,
        fence: FenceHandle,
        timeout_ns: u64,
    ) -> Result<bool, PipeError> {
        let result = self.inner.fence_finish(context, fence, timeout_ns);
        let arguments = [("fence", Shown::Full(&fence)), ("timeout_ns", Shown::Full(&timeout_ns))];
        self.write("fence_finish", &arguments, result)
    }

    fn fence_destroy(&self, fence: FenceHandle) -> Result<(), PipeError> {
        let result = self.inner.fence_destroy(fence);
        self.write("fence_destroy", &[("fence", Shown::Full(&fence))], result)
    }

    fn context_create<'s>(
        &'s self,
        flags: ContextFlags,
    ) -> Result<Box<'s, dyn Context<'m> + 's>, PipeError>
    where
        'm: 's,
    {
        let made = self.inner.context_create(flags);
        self.write(
            "context_create",
            &[("flags", Shown::Full(&flags))],
            match &made {
                Ok(_) => Ok(()),
                Err(error) => Err(*error),
            },
        )?;
        let trace = Box::try_new_in(Trace::new(made?, self.sink), self.memory)?;
        Ok(os_shim::unsize_box!(trace))
    }
}
