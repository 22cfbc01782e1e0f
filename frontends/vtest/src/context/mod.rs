//! A sub-context: the objects and bindings of one OpenGL context, over a context of the driver.
//!
//! This module keeps the protocol's rules about lifetimes. An object that is destroyed while it is
//! bound works until another object is bound in its place. A bound object keeps its resource alive.

mod copy;
mod draw;
mod idiom;
mod meta;
mod objects;
mod query;
mod shader;
mod state;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use os_shim::Box;
use os_shim::budget::Stopped;
use os_shim::memory::Reservation;
use pipe_core::limits::MAX_VIEWPORTS;
use pipe_core::{Cap, Context, FlushFlags, PipeError, ScissorState, ShaderType};
use rustc_hash::FxHashMap;

use crate::error::{ClientError, CommandName};
use crate::files::ClientFiles;
use crate::memory::ClientMemory;
use crate::notes::Notes;
use crate::reader::{Reader, Truncated};
use crate::resource::{Device, Resource, Resources};
use crate::watch::Activity;
use crate::wire::Command;

use objects::Object;
use shader::PartialShader;

/// Objects that one sub-context may have.
pub const MAX_OBJECTS: usize = 1 << 20;

/// The state that the sub-contexts of one client share.
#[derive(Debug)]
pub struct Shared<'s> {
    /// The client's resources.
    pub resources: Resources<'s>,
    /// The client's open files.
    pub files: Arc<ClientFiles>,
    /// Refusals so far.
    pub notes: Notes,
    /// The client's memory.
    pub memory: ClientMemory,
    /// Bytes in transit.
    pub scratch: os_shim::Vec<'static, u8>,
    /// The limits of the work of each command.
    pub work: CommandWork,
}

/// The limits of the work of each command of a client.
#[derive(Clone, Copy, Debug)]
pub struct CommandWork {
    /// The budget that the driver spends from.
    pub activity: &'static Activity,
    /// Units that a command begins with.
    pub units: u64,
    /// The processor time after which the watch stops a command; `None` if it does not.
    pub time: Option<Duration>,
    /// The number of commands that were stopped.
    pub stops: u32,
}

impl CommandWork {
    /// The greatest number of draws that are charged together. The limit makes sure that an endless
    /// draw behind thousands of other draws is stopped eventually.
    const MAX_DRAWS: u64 = 16;

    /// The number of commands that are stopped before the client is disconnected.
    const MAX_STOPS: u32 = 3;

    /// Begins a command that may have to finish `draws` earlier ones: the driver draws when it
    /// must, so that a copy, or the end of a stream, may do the work of all draws before it.
    pub fn begin(&self, draws: u64) {
        let draws = draws.clamp(1, Self::MAX_DRAWS);
        self.activity.grant(self.units.saturating_mul(draws), draws);
    }

    /// Checks that the last command was not stopped. If it was stopped and the client goes on,
    /// returns the command's error.
    ///
    /// # Errors
    /// [`ClientError::Gone`] if the client is gone; [`ClientError::Stopped`] with the limit that
    /// `command` exceeded, if the client had too many stopped commands before.
    pub fn check(&mut self, command: CommandName) -> Result<Option<ClientError>, ClientError> {
        let draws = self.activity.draws();
        let (what, limit, option) = match self.activity.budget.stopped() {
            None => return Ok(None),
            Some(Stopped::Cancelled) => return Err(ClientError::Gone),
            Some(Stopped::Work) => {
                ("units of work", self.units.saturating_mul(draws), "--command-work")
            }
            Some(Stopped::Time) => {
                let seconds = self.time.unwrap_or_default().as_secs();
                ("seconds of processor time", seconds.saturating_mul(draws), "--command-time")
            }
        };
        // The next check is for the next command.
        self.begin(1);
        self.stops = self.stops.saturating_add(1);
        let error = ClientError::Stopped { command, what, limit, option };
        if self.stops < Self::MAX_STOPS { Ok(Some(error)) } else { Err(error) }
    }
}

impl Shared<'_> {
    /// Checks that the last command was not stopped, or logs that it was if the client goes on.
    ///
    /// # Errors
    /// See [`CommandWork::check`].
    pub fn check(&mut self, command: CommandName) -> Result<(), ClientError> {
        if let Some(error) = self.work.check(command)? {
            log::error!("client {}: {error}", self.notes.client());
        }
        Ok(())
    }

    /// Logs that the driver refused `what`, once for each reason.
    pub fn refused(&mut self, what: &str, why: &PipeError) {
        self.notes.refused(what, &self.memory.explain(why));
    }

    /// Returns the value; logs the driver's error.
    pub fn done<T>(&mut self, what: &str, result: Result<T, PipeError>) -> Option<T> {
        result.map_err(|why| self.refused(what, &why)).ok()
    }
}

/// The reason why a command has no effect or ends the connection.
#[derive(Debug)]
pub enum CommandError {
    /// The payload is too short.
    Truncated,
    /// The driver refused, or an argument makes no sense: the command is skipped.
    Refused(PipeError),
    /// A number without a value in its enum: the command is skipped.
    InvalidEnum {
        /// The enum's name.
        name: &'static str,
        /// The number.
        value: u32,
    },
    /// The client is disconnected.
    Fatal(ClientError),
}

impl From<Truncated> for CommandError {
    fn from(_: Truncated) -> Self {
        Self::Truncated
    }
}

impl From<PipeError> for CommandError {
    fn from(error: PipeError) -> Self {
        Self::Refused(error)
    }
}

impl From<ClientError> for CommandError {
    /// Skips the command if memory is short. Other errors end the connection.
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Memory { requested, .. } => {
                Self::Refused(PipeError::OutOfMemory { requested })
            }
            error => Self::Fatal(error),
        }
    }
}

type Done = Result<(), CommandError>;

/// Decodes a number of the wire as a value of the enum called `name`.
fn decode<T>(
    name: &'static str,
    from_number: impl FnOnce(u32) -> Option<T>,
    value: u32,
) -> Result<T, CommandError> {
    from_number(value).ok_or(CommandError::InvalidEnum { name, value })
}

type Slot<'s> = Option<Rc<Object<'s>>>;

/// One value per stage.
#[derive(Debug, Default)]
struct PerStage<T>([T; ShaderType::COUNT]);

#[expect(clippy::indexing_slicing, reason = "there is a value for each stage")]
impl<T> PerStage<T> {
    fn of(&self, stage: ShaderType) -> &T {
        &self.0[stage as usize]
    }

    fn of_mut(&mut self, stage: ShaderType) -> &mut T {
        &mut self.0[stage as usize]
    }
}

/// References that keep bound objects alive.
#[derive(Debug, Default)]
struct Bound<'s> {
    blend: Slot<'s>,
    rasterizer: Slot<'s>,
    depth_stencil_alpha: Slot<'s>,
    vertex_elements: Slot<'s>,
    shaders: PerStage<Slot<'s>>,
    samplers: PerStage<Vec<Slot<'s>>>,
    views: PerStage<Vec<Slot<'s>>>,
    surfaces: Vec<Rc<Object<'s>>>,
    targets: Vec<Slot<'s>>,
    condition: Slot<'s>,
    /// Vertex buffer slots up to the last one in use.
    vertex_buffers: usize,
    /// The resource in vertex buffer 0: where streamed vertices are drawn from.
    first_vertex_buffer: Option<Rc<Resource<'s>>>,
    index: Option<IndexBinding<'s>>,
}

/// The index buffer.
#[derive(Debug)]
struct IndexBinding<'s> {
    resource: Rc<Resource<'s>>,
    size: u32,
    offset: u32,
}

/// One OpenGL context.
pub struct SubContext<'s> {
    driver: Box<'s, dyn Context<'static> + 's>,
    objects: FxHashMap<u32, Rc<Object<'s>>>,
    /// Objects that are destroyed but still bound.
    dying: Vec<Rc<Object<'s>>>,
    bound: Bound<'s>,
    partial: FxHashMap<u32, PartialShader>,
    /// The tables' entries of objects.
    reserved: Option<Reservation<'static>>,
    /// Draws and clears since the last flush.
    work: u64,
    /// Draws since they were last counted.
    draws: u64,
    /// The driver's queries are paused.
    queries_paused: bool,
}

impl std::fmt::Debug for SubContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SubContext").field("objects", &self.objects).finish_non_exhaustive()
    }
}

impl<'s> SubContext<'s> {
    /// An empty context of `device`.
    ///
    /// # Errors
    /// The driver's.
    pub fn new(device: Device<'s>) -> Result<Self, PipeError> {
        let mut driver = device.context_create(pipe_core::ContextFlags::empty())?;
        // Mesa's drivers begin with zeros, and clients send only state that differs from zeros.
        let viewports = device.get_param(Cap::MaxViewports).clamp(1, MAX_VIEWPORTS as i32);
        let empty = ScissorState { minx: 0, miny: 0, maxx: 0, maxy: 0 };
        driver.set_scissor_states(0, &vec![empty; viewports.unsigned_abs() as usize])?;
        Ok(SubContext {
            driver,
            objects: FxHashMap::default(),
            dying: Vec::new(),
            bound: Bound::default(),
            partial: FxHashMap::default(),
            reserved: None,
            work: 0,
            draws: 0,
            queries_paused: false,
        })
    }

    /// The driver's context, for transfers.
    pub fn driver(&mut self) -> &mut (dyn Context<'static> + 's) {
        &mut *self.driver
    }

    /// Returns the number of draws, and of clears, that the driver may have put off.
    pub fn put_off(&self) -> u64 {
        self.work
    }

    /// Finishes all work so far. Returns the number of draws.
    ///
    /// # Errors
    /// The driver's.
    pub fn flush(&mut self) -> Result<u64, PipeError> {
        let draws = std::mem::take(&mut self.draws);
        if std::mem::take(&mut self.work) > 0 {
            self.driver.flush(FlushFlags::empty())?;
        }
        Ok(draws)
    }

    /// The resource of the first colour buffer, and its level.
    pub fn color_buffer(&self) -> Option<(Rc<Resource<'s>>, u32)> {
        self.bound.surfaces.iter().find_map(|surface| match &**surface {
            Object::Surface { resource, level, depth: false, .. } => {
                Some((Rc::clone(resource), *level))
            }
            _ => None,
        })
    }

    /// Executes a command that is about this context.
    ///
    /// # Errors
    /// See [`CommandError`].
    pub fn command(
        &mut self,
        command: Command,
        object: u8,
        reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        use Command::*;
        match command {
            CreateObject => self.create_object(object, reader, shared),
            BindObject => self.bind_object(object, reader, shared),
            DestroyObject => self.destroy_object(reader, shared),
            BindShader => self.bind_shader(reader, shared),
            LinkShader | SetDebugFlags | SetTweaks => Ok(()),

            SetViewportState => self.set_viewport_state(reader),
            SetScissorState => self.set_scissor_state(reader),
            SetFramebufferState => self.set_framebuffer_state(reader, shared),
            SetFramebufferStateNoAttach => self.set_framebuffer_state_no_attach(reader),
            SetVertexBuffers => self.set_vertex_buffers(reader, shared),
            SetIndexBuffer => self.set_index_buffer(reader, shared),
            SetConstantBuffer => self.set_constant_buffer(reader),
            SetUniformBuffer => self.set_uniform_buffer(reader, shared),
            SetSamplerViews => self.set_sampler_views(reader, shared),
            BindSamplerStates => self.bind_sampler_states(reader, shared),
            SetStencilRef => self.set_stencil_ref(reader),
            SetBlendColor => self.set_blend_color(reader),
            SetPolygonStipple => self.set_polygon_stipple(reader),
            SetClipState => self.set_clip_state(reader),
            SetSampleMask => self.set_sample_mask(reader),
            SetMinSamples => self.set_min_samples(reader),
            SetTessState => self.set_tess_state(reader),
            SetShaderBuffers => self.set_shader_buffers(reader, shared),
            SetShaderImages => self.set_shader_images(reader, shared),
            SetAtomicBuffers => self.set_atomic_buffers(reader, shared),
            SetStreamoutTargets => self.set_streamout_targets(reader, shared),

            Clear => self.clear(reader),
            DrawVbo => self.draw_vbo(reader, shared),
            LaunchGrid => self.launch_grid(reader, shared),
            MemoryBarrier => self.memory_barrier(reader),
            TextureBarrier => self.texture_barrier(reader),
            EmitStringMarker => self.emit_string_marker(reader),

            Blit => self.blit(reader, shared),
            ResourceCopyRegion => self.resource_copy_region(reader, shared),
            ClearTexture => self.clear_texture(reader, shared),
            Transfer3d => self.transfer3d(reader, shared),
            CopyTransfer3d => self.copy_transfer3d(reader, shared),
            ResourceInlineWrite => self.resource_inline_write(reader, shared),

            BeginQuery => self.begin_query(reader),
            EndQuery => self.end_query(reader),
            GetQueryResult => self.get_query_result(reader, shared),
            GetQueryResultQbo => self.get_query_result_qbo(reader, shared),
            SetRenderCondition => self.set_render_condition(reader, shared),

            GetMemoryInfo | PipeResourceCreate | PipeResourceSetType => {
                Err(PipeError::Unsupported("a command that no capability announces").into())
            }
            Nop | EndTransfers | SetSubCtx | CreateSubCtx | DestroySubCtx => Ok(()),
        }
    }

    /// The object called `name`.
    fn object(&self, name: u32) -> Option<&Rc<Object<'s>>> {
        self.objects.get(&name)
    }

    /// Destroys objects that nothing binds any more.
    fn sweep(&mut self, notes: &mut Notes) {
        let mut index = 0;
        while let Some(object) = self.dying.get(index) {
            if Rc::strong_count(object) > 1 {
                index += 1;
                continue;
            }
            let object = self.dying.swap_remove(index);
            notes.done("destroying an object", delete(&mut *self.driver, &object));
        }
    }
}

/// Destroys the driver's object.
fn delete(driver: &mut dyn Context<'static>, object: &Object<'_>) -> Result<(), PipeError> {
    match *object {
        Object::Blend(handle) => driver.delete_blend_state(handle),
        Object::Rasterizer { handle, .. } => driver.delete_rasterizer_state(handle),
        Object::DepthStencilAlpha(handle) => driver.delete_depth_stencil_alpha_state(handle),
        Object::VertexElements(handle) => driver.delete_vertex_elements_state(handle),
        Object::Sampler(handle) => driver.delete_sampler_state(handle),
        Object::Shader { stage: ShaderType::Compute, handle, .. } => {
            driver.delete_compute_state(handle)
        }
        Object::Shader { handle, .. } => driver.delete_shader_state(handle),
        Object::SamplerView(handle) => driver.sampler_view_destroy(handle),
        Object::Surface { handle, .. } => driver.surface_destroy(handle),
        Object::Target { handle, .. } => driver.stream_output_target_destroy(handle),
        Object::Query(ref query) => {
            query.handle.map_or(Ok(()), |handle| driver.destroy_query(handle))
        }
    }
}
