//! The state of contexts: a layer between the player and the driver keeps what is bound.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use os_shim::Memory;
use pipe_core::state::*;
use pipe_core::wrap::{Layer, Layers};
use pipe_core::*;
use tgsi::{text, token};

use crate::shown;

/// The state of a screen and its contexts.
#[derive(Default)]
pub struct Facts {
    /// The number of the call that is being made.
    pub call: u64,
    /// Live resources, with the calls that created them.
    pub resources: HashMap<ResourceHandle, (ResourceTemplate, u64)>,
    /// The contexts, by their numbers.
    pub contexts: BTreeMap<u64, ContextFacts>,
    /// The facts are of a running program: its resources stay as asked, and writes are not listed.
    pub is_live: bool,
    /// The layer passes calls on without noting them: they are the inspector's.
    pub is_paused: bool,
    /// Draws are kept in [`held`](Self::held) instead of being made.
    pub holds_draws: bool,
    /// The draw that was held.
    pub held: Option<Draw>,
    /// Resources that the last call may have written, other than attachments by draws and clears.
    pub touched: Vec<ResourceHandle>,
    /// The last call may have written any resource that shaders can write.
    pub touched_any: bool,
    /// Resources that may have been written since the last snapshot.
    pub written: Written,
    /// Shaders may write resources that no binding names.
    pub writes_unseen: bool,
    /// The queries whose results the last call needed: the calls that began them; `None` if they began
    /// before this session.
    pub needed: Vec<Option<u64>>,
    /// The last call asked for the result of a query that began before this session.
    pub is_unmeasured: bool,
    /// The inspector created resources: later resources of the recording get other handles than
    /// in a session without.
    pub is_shifted: bool,
}

/// Resources that may have been written.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// All of them.
    pub all: bool,
    /// These ones.
    pub some: HashSet<ResourceHandle>,
}

impl Facts {
    /// Begins a call of the recording.
    pub(crate) fn begin(&mut self, call: u64) {
        self.call = call;
        self.touched.clear();
        self.touched_any = false;
        self.is_unmeasured = false;
    }

    /// Notes that a call writes a resource.
    fn writes(&mut self, resource: ResourceHandle) {
        if !self.is_paused && !self.is_live {
            self.written.some.insert(resource);
        }
    }

    /// Notes the resources that a draw, a clear or a launch of a context writes.
    fn writes_bound(&mut self, number: u64) {
        if self.is_paused || self.is_live {
            return;
        }
        let Self { contexts, written, writes_unseen, .. } = self;
        written.all |= *writes_unseen;
        if let Some(context) = contexts.get(&number) {
            context.written(&mut written.some);
        }
    }
}

/// A draw with its data.
#[derive(Clone, Debug)]
pub struct Draw {
    /// The context.
    pub context: u64,
    info: DrawInfo<'static>,
    /// The bytes of indices that the caller passed.
    indices: Option<(Vec<u8>, u8)>,
    /// The indirect arguments.
    pub indirect: Option<DrawIndirect>,
    /// The ranges of vertices or indices.
    pub draws: Vec<DrawStartCount>,
}

impl Draw {
    /// Copies the arguments of a draw.
    pub fn new(
        context: u64,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        draws: &[DrawStartCount],
    ) -> Self {
        let indices = info.index.and_then(|index| match index.source {
            IndexSource::User(bytes) => Some((bytes.to_vec(), index.size)),
            IndexSource::Resource(_) => None,
        });
        let index = info.index.and_then(|index| match index.source {
            IndexSource::Resource(resource) => Some(IndexBuffer::resource(resource, index.size)),
            IndexSource::User(_) => None,
        });
        let info = DrawInfo { index, ..detached(info) };
        Self { context, info, indices, indirect: indirect.copied(), draws: draws.to_vec() }
    }

    /// Returns the draw's info.
    pub fn info(&self) -> DrawInfo<'_> {
        match &self.indices {
            Some((bytes, size)) => {
                DrawInfo { index: Some(IndexBuffer::user(bytes, *size)), ..self.info }
            }
            None => self.info,
        }
    }

    /// Leaves one vertex of the draw, as a point: vertex `vertex` of instance `instance`, both from 0 in
    /// the order of the draw. The instances before stay.
    ///
    /// # Errors
    /// The draw has no such vertex, or is indirect.
    pub fn single(&mut self, vertex: u32, instance: u32) -> Result<()> {
        if self.indirect.is_some() {
            bail!("the draw is indirect");
        }
        if instance >= self.info.instance_count {
            let count = self.info.instance_count;
            bail!("the draw has {count} instances: there is no instance {instance}");
        }
        let mut left = vertex;
        let found = self.draws.iter().position(|draw| {
            let is_in = left < draw.count;
            left -= if is_in { 0 } else { draw.count };
            is_in
        });
        let count: u64 = self.draws.iter().map(|draw| u64::from(draw.count)).sum();
        let found = found.and_then(|at| Some((at, *self.draws.get(at)?)));
        let Some((at, draw)) = found else {
            bail!("the draw has {count} vertices: there is no vertex {vertex}");
        };
        self.info.mode = PrimType::Points;
        self.info.instance_count = instance + 1;
        if self.info.increment_draw_id {
            self.info.drawid_offset += u32::try_from(at)?;
        }
        self.draws = vec![DrawStartCount { start: draw.start + left, count: 1, ..draw }];
        Ok(())
    }

    /// Makes the draw.
    ///
    /// # Errors
    /// The driver's error.
    pub fn make(&self, context: &mut (dyn Context<'static> + '_)) -> Result<(), PipeError> {
        context.draw_vbo(&self.info(), self.indirect.as_ref(), &self.draws)
    }
}

/// Returns the info without its indices.
fn detached(info: &DrawInfo<'_>) -> DrawInfo<'static> {
    DrawInfo {
        mode: info.mode,
        index: None,
        start_instance: info.start_instance,
        instance_count: info.instance_count,
        min_index: info.min_index,
        max_index: info.max_index,
        index_bounds_valid: info.index_bounds_valid,
        primitive_restart: info.primitive_restart,
        restart_index: info.restart_index,
        drawid_offset: info.drawid_offset,
        increment_draw_id: info.increment_draw_id,
        view_mask: info.view_mask,
    }
}

/// A shader.
#[derive(Clone, Debug)]
pub struct ShaderFacts {
    /// The stage.
    pub stage: ShaderType,
    /// The TGSI text.
    pub text: String,
    /// The stream output.
    pub stride: [u16; pipe_core::limits::MAX_SO_BUFFERS],
    /// The registers that stream output writes.
    pub outputs: Vec<StreamOutput>,
    /// The call that created it.
    pub call: u64,
}

/// A bound constant buffer.
#[derive(Clone, Debug)]
pub enum Constants {
    /// A copy of the caller's bytes.
    User(Vec<u8>),
    /// A range of a resource: offset and size in bytes.
    Resource(ResourceHandle, u32, u32),
}

/// The bindings of one shader stage.
#[derive(Clone, Debug, Default)]
pub struct StageFacts {
    /// The shader.
    pub shader: Option<ShaderHandle>,
    /// Constant buffers by slot.
    pub constants: BTreeMap<usize, Constants>,
    /// Sampler states by slot.
    pub samplers: BTreeMap<usize, SamplerHandle>,
    /// Sampler views by slot.
    pub views: BTreeMap<usize, SamplerViewHandle>,
    /// Shader buffers by slot.
    pub buffers: BTreeMap<usize, ShaderBuffer>,
    /// Shader images by slot.
    pub images: BTreeMap<usize, ImageView>,
}

/// The objects and bindings of a context.
#[derive(Default)]
pub struct ContextFacts {
    /// Blend states.
    pub blends: HashMap<BlendHandle, BlendState>,
    /// Depth, stencil and alpha states.
    pub depths: HashMap<DepthStencilAlphaHandle, DepthStencilAlphaState>,
    /// Rasterizer states.
    pub rasterizers: HashMap<RasterizerHandle, RasterizerState>,
    /// Sampler states.
    pub samplers: HashMap<SamplerHandle, SamplerState>,
    /// Vertex elements.
    pub elements: HashMap<VertexElementsHandle, Vec<VertexElement>>,
    /// Shaders.
    pub shaders: HashMap<ShaderHandle, ShaderFacts>,
    /// Surfaces.
    pub surfaces: HashMap<SurfaceHandle, (ResourceHandle, SurfaceTemplate)>,
    /// Sampler views.
    pub views: HashMap<SamplerViewHandle, (ResourceHandle, SamplerViewTemplate)>,
    /// Stream output targets: resource, offset and size in bytes.
    pub targets: HashMap<StreamOutputTargetHandle, (ResourceHandle, u32, u32)>,
    /// Number of stream output targets that were not destroyed.
    pub live_targets: usize,
    /// The bound blend state.
    pub blend: Option<BlendHandle>,
    /// The bound depth, stencil and alpha state.
    pub depth: Option<DepthStencilAlphaHandle>,
    /// The bound rasterizer state.
    pub rasterizer: Option<RasterizerHandle>,
    /// The bound vertex elements.
    pub vertex_elements: Option<VertexElementsHandle>,
    /// The bindings of the stages.
    pub stages: PerStage<StageFacts>,
    /// The bound vertex buffers by slot.
    pub vertex_buffers: BTreeMap<usize, VertexBuffer>,
    /// The attachments.
    pub framebuffer: FramebufferState,
    /// The bound stream output targets.
    pub bound_targets: Vec<Option<StreamOutputTargetHandle>>,
    /// The stencil reference values.
    pub stencil_ref: StencilRef,
    /// The blend color.
    pub blend_color: BlendColor,
    /// The sample mask; `None` if it was never set.
    pub sample_mask: Option<u32>,
    /// The least number of samples to shade.
    pub min_samples: Option<u8>,
    /// User clip planes.
    pub clip: ClipState,
    /// Scissors by viewport.
    pub scissors: BTreeMap<usize, ScissorState>,
    /// Viewports by number.
    pub viewports: BTreeMap<usize, ViewportState>,
    /// Window rectangles.
    pub window_rectangles: WindowRectangles,
    /// The vertices of a patch.
    pub patch_vertices: Option<u8>,
    /// The query that conditions rendering, and the condition.
    pub condition: Option<(QueryHandle, bool, pipe_core::query::RenderConditionMode)>,
    /// A buffer conditions rendering: the resource, the offset, and the condition.
    pub condition_memory: Option<(ResourceHandle, u32, bool)>,
    /// The frontend's queries count.
    pub queries_count: Option<bool>,
    /// Queries between their begin and end.
    pub open_queries: Vec<QueryHandle>,
    /// Queries of this session, with the calls that began them.
    pub queries: HashMap<QueryHandle, u64>,
    /// Number of open maps.
    pub open_maps: usize,
    /// Attachments that were cleared since they were bound.
    pub depth_cleared: bool,
}

impl ContextFacts {
    /// Returns the bound rasterizer state.
    pub fn rasterizer_state(&self) -> Option<RasterizerState> {
        self.rasterizer.and_then(|handle| self.rasterizers.get(&handle)).copied()
    }

    /// Returns the bound depth, stencil and alpha state.
    pub fn depth_state(&self) -> Option<DepthStencilAlphaState> {
        self.depth.and_then(|handle| self.depths.get(&handle)).copied()
    }

    /// Returns the bound blend state.
    pub fn blend_state(&self) -> Option<BlendState> {
        self.blend.and_then(|handle| self.blends.get(&handle)).copied()
    }

    /// Returns the bound vertex elements.
    pub fn bound_elements(&self) -> &[VertexElement] {
        let bound = self.vertex_elements.and_then(|handle| self.elements.get(&handle));
        bound.map_or(&[], Vec::as_slice)
    }

    /// Returns the bound shader of a stage.
    pub fn shader(&self, stage: ShaderType) -> Option<(ShaderHandle, &ShaderFacts)> {
        let handle = self.stages[stage].shader?;
        Some((handle, self.shaders.get(&handle)?))
    }

    /// Returns the resource and the template of a colour buffer.
    pub fn color(&self, at: usize) -> Option<(ResourceHandle, SurfaceTemplate)> {
        let surface = self.framebuffer.cbufs.get(at).copied().flatten()?;
        self.surfaces.get(&surface).copied()
    }

    /// Returns the resource and the template of the depth and stencil buffer.
    pub fn depth_buffer(&self) -> Option<(ResourceHandle, SurfaceTemplate)> {
        self.surfaces.get(&self.framebuffer.zsbuf?).copied()
    }

    /// Returns true if a resource is bound: as a texture, an image, a buffer, or an attachment.
    pub fn binds(&self, resource: ResourceHandle) -> bool {
        let is = |of: Option<&ResourceHandle>| of == Some(&resource);
        self.framebuffer
            .attachments()
            .any(|surface| is(self.surfaces.get(&surface).map(|(of, _)| of)))
            || self.vertex_buffers.values().any(|it| it.resource == resource)
            || ShaderType::ALL.iter().any(|stage| {
                let bound = &self.stages[*stage];
                bound.views.values().any(|view| is(self.views.get(view).map(|(of, _)| of)))
                    || bound.images.values().any(|it| it.resource == resource)
                    || bound.buffers.values().any(|it| it.resource == resource)
                    || bound
                        .constants
                        .values()
                        .any(|it| matches!(it, Constants::Resource(of, ..) if *of == resource))
            })
    }

    /// Adds the resources that draws and launches may write.
    fn written(&self, written: &mut HashSet<ResourceHandle>) {
        let surfaces = self.framebuffer.attachments();
        written.extend(surfaces.filter_map(|it| Some(self.surfaces.get(&it)?.0)));
        let targets = self.bound_targets.iter().flatten();
        written.extend(targets.filter_map(|it| Some(self.targets.get(it)?.0)));
        for stage in ShaderType::ALL {
            let bound = &self.stages[*stage];
            written.extend(bound.buffers.values().map(|it| it.resource));
            written.extend(bound.images.values().map(|it| it.resource));
        }
    }

    /// Returns true if draws write to a level and layer of a resource.
    pub fn draws_to(&self, resource: ResourceHandle, level: u32, layer: u32) -> bool {
        self.framebuffer.attachments().any(|surface| {
            let Some((of, template)) = self.surfaces.get(&surface) else { return false };
            let is_in = match template.range {
                SurfaceRange::Texture { level: its, first_layer, last_layer } => {
                    its == level && (first_layer..=last_layer).contains(&layer)
                }
                SurfaceRange::Buffer { .. } => true,
            };
            *of == resource && is_in
        })
    }
}

impl Facts {
    /// Returns the number of samples per pixel of a context's attachments.
    pub fn samples(&self, context: &ContextFacts) -> u8 {
        let mut attachments = context.framebuffer.attachments();
        let first = attachments.find_map(|surface| {
            let (resource, _) = context.surfaces.get(&surface)?;
            Some(self.resources.get(resource)?.0.samples())
        });
        first.unwrap_or_else(|| context.framebuffer.samples.max(1))
    }
}

/// The facts, shared by the layers of contexts and the session.
#[derive(Clone, Default)]
pub struct SharedFacts(Arc<Mutex<Facts>>);

impl SharedFacts {
    /// Returns the facts of a running program: its resources stay as asked.
    pub fn as_asked() -> Self {
        let facts = Facts { is_live: true, ..Facts::default() };
        Self(Arc::new(Mutex::new(facts)))
    }

    /// Locks the facts.
    pub fn lock(&self) -> MutexGuard<'_, Facts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The layers of a screen: targets without memory become textures, so that they can be read.
impl<'m> Layers<'m> for SharedFacts {
    type Layer = Watch;

    fn layer(&self, number: u64) -> Watch {
        self.lock().contexts.insert(number, ContextFacts::default());
        Watch { number, facts: self.clone() }
    }

    fn is_watching(&self) -> bool {
        !self.lock().is_paused
    }

    fn template(&self, asked: &ResourceTemplate) -> ResourceTemplate {
        let mut template = *asked;
        if !self.lock().is_live {
            template.flags.remove(ResourceFlags::STREAMED);
        }
        template
    }

    fn created(&self, resource: ResourceHandle, template: &ResourceTemplate) {
        let mut facts = self.lock();
        if !facts.is_paused {
            let call = facts.call;
            facts.resources.insert(resource, (*template, call));
        } else {
            facts.is_shifted = true;
        }
    }

    fn destroyed(&self, resource: ResourceHandle) {
        let mut facts = self.lock();
        if !facts.is_paused {
            facts.resources.remove(&resource);
            facts.written.some.remove(&resource);
        }
    }
}

/// The layer of a context.
pub struct Watch {
    number: u64,
    facts: SharedFacts,
}

impl Watch {
    /// Notes the effect of a call that the driver accepted.
    fn note<T>(
        &self,
        answer: Result<T, PipeError>,
        note: impl FnOnce(&mut ContextFacts, &T),
    ) -> Result<T, PipeError> {
        if let Ok(value) = &answer {
            let mut facts = self.facts.lock();
            if !facts.is_paused
                && let Some(context) = facts.contexts.get_mut(&self.number)
            {
                note(context, value);
            }
        }
        answer
    }

    fn set(&self, note: impl FnOnce(&mut ContextFacts)) {
        let _ = self.note(Ok(()), |facts, ()| note(facts));
    }

    fn touched(&self, resource: ResourceHandle) {
        let mut facts = self.facts.lock();
        if !facts.is_paused && !facts.is_live {
            facts.touched.push(resource);
            facts.writes(resource);
        }
    }

    fn call(&self) -> u64 {
        self.facts.lock().call
    }
}

/// Sets the slots from `start` on.
fn slots<T: Copy>(map: &mut BTreeMap<usize, T>, start: usize, values: &[Option<T>]) {
    for (slot, value) in (start..).zip(values) {
        match value {
            Some(value) => map.insert(slot, *value),
            None => map.remove(&slot),
        };
    }
}

/// Returns the text of a shader.
fn text_of(source: &ShaderSource<'_, '_>) -> String {
    match source {
        ShaderSource::Text(text) => (*text).to_owned(),
        ShaderSource::Tokens(tokens) => match token::decode(tokens, Memory::system()) {
            Ok(shader) => shader.to_string(),
            Err(error) => format!("the tokens cannot be decoded: {error}"),
        },
        ShaderSource::Program(program) => {
            program.source.get().unwrap_or("a compiled program without text").to_owned()
        }
    }
}

/// Returns the canonical form of a shader's text.
pub fn canonical(shader: &str) -> String {
    text::parse(shader, Memory::system())
        .map_or_else(|_| shader.to_owned(), |shader| shader.to_string())
}

type Inner<'a, 'm> = dyn Context<'m> + 'a;

/// Defines calls that create, bind and delete a kind of state object.
macro_rules! state_objects {
    ($($create:ident $bind:ident $delete:ident: $Handle:ident $State:ident, $map:ident $bound:ident;)+) => { $(
        fn $create(&mut self, inner: &mut Inner<'_, 'm>, state: &$State) -> Result<$Handle, PipeError> {
            let made = inner.$create(state);
            self.note(made, |facts, handle| {
                facts.$map.insert(*handle, *state);
            })
        }

        fn $bind(
            &mut self,
            inner: &mut Inner<'_, 'm>,
            handle: Option<$Handle>,
        ) -> Result<(), PipeError> {
            let made = inner.$bind(handle);
            self.note(made, |facts, ()| facts.$bound = handle)
        }

        fn $delete(&mut self, inner: &mut Inner<'_, 'm>, handle: $Handle) -> Result<(), PipeError> {
            let made = inner.$delete(handle);
            self.note(made, |facts, ()| {
                facts.$map.remove(&handle);
            })
        }
    )+ };
}

/// Defines calls that destroy an object.
macro_rules! destroyed {
    ($($destroy:ident $Handle:ident $map:ident;)+) => { $(
        fn $destroy(&mut self, inner: &mut Inner<'_, 'm>, handle: $Handle) -> Result<(), PipeError> {
            let made = inner.$destroy(handle);
            // Recordings may destroy what is bound; its facts stay useful.
            let is_live = self.facts.lock().is_live;
            self.note(made, |facts, ()| {
                if is_live {
                    facts.$map.remove(&handle);
                }
            })
        }
    )+ };
}

impl<'m> Layer<'m> for Watch {
    destroyed! {
        delete_sampler_state SamplerHandle samplers;
        delete_vertex_elements_state VertexElementsHandle elements;
        delete_shader_state ShaderHandle shaders;
        delete_compute_state ShaderHandle shaders;
        surface_destroy SurfaceHandle surfaces;
        sampler_view_destroy SamplerViewHandle views;
    }

    state_objects! {
        create_blend_state bind_blend_state delete_blend_state:
            BlendHandle BlendState, blends blend;
        create_depth_stencil_alpha_state bind_depth_stencil_alpha_state
            delete_depth_stencil_alpha_state:
            DepthStencilAlphaHandle DepthStencilAlphaState, depths depth;
        create_rasterizer_state bind_rasterizer_state delete_rasterizer_state:
            RasterizerHandle RasterizerState, rasterizers rasterizer;
    }

    fn create_sampler_state(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        state: &SamplerState,
    ) -> Result<SamplerHandle, PipeError> {
        let made = inner.create_sampler_state(state);
        self.note(made, |facts, handle| {
            facts.samplers.insert(*handle, *state);
        })
    }

    fn bind_sampler_states(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        stage: ShaderType,
        start: usize,
        handles: &[Option<SamplerHandle>],
    ) -> Result<(), PipeError> {
        let made = inner.bind_sampler_states(stage, start, handles);
        self.note(made, |facts, ()| slots(&mut facts.stages[stage].samplers, start, handles))
    }

    fn create_vertex_elements_state(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        elements: &[VertexElement],
    ) -> Result<VertexElementsHandle, PipeError> {
        let made = inner.create_vertex_elements_state(elements);
        self.note(made, |facts, handle| {
            facts.elements.insert(*handle, elements.to_vec());
        })
    }

    fn bind_vertex_elements_state(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        handle: Option<VertexElementsHandle>,
    ) -> Result<(), PipeError> {
        let made = inner.bind_vertex_elements_state(handle);
        self.note(made, |facts, ()| facts.vertex_elements = handle)
    }

    fn create_shader_state(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        stage: ShaderType,
        state: &ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        let made = inner.create_shader_state(stage, state);
        let call = self.call();
        self.note(made, |facts, handle| {
            let StreamOutputInfo { stride, outputs } = state.stream_output;
            let (text, outputs) = (text_of(&state.source), outputs.to_vec());
            facts.shaders.insert(*handle, ShaderFacts { stage, text, stride, outputs, call });
        })
    }

    fn bind_shader_state(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        let made = inner.bind_shader_state(stage, handle);
        self.note(made, |facts, ()| facts.stages[stage].shader = handle)
    }

    fn create_compute_state(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        state: &ComputeState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        let made = inner.create_compute_state(state);
        let call = self.call();
        self.note(made, |facts, handle| {
            let (text, stage) = (text_of(&state.source), ShaderType::Compute);
            let (stride, outputs) = Default::default();
            facts.shaders.insert(*handle, ShaderFacts { stage, text, stride, outputs, call });
        })
    }

    fn bind_compute_state(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        let made = inner.bind_compute_state(handle);
        self.note(made, |facts, ()| facts.stages[ShaderType::Compute].shader = handle)
    }

    fn set_constant_buffer(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        stage: ShaderType,
        index: usize,
        buffer: Option<ConstantBuffer<'_>>,
    ) -> Result<(), PipeError> {
        let made = inner.set_constant_buffer(stage, index, buffer);
        self.note(made, |facts, ()| {
            let constants = &mut facts.stages[stage].constants;
            match buffer {
                None => drop(constants.remove(&index)),
                Some(ConstantBuffer::User(bytes)) => {
                    constants.insert(index, Constants::User(bytes.to_vec()));
                }
                Some(ConstantBuffer::Resource { resource, buffer_offset, buffer_size }) => {
                    let range = Constants::Resource(resource, buffer_offset, buffer_size);
                    constants.insert(index, range);
                }
            }
        })
    }

    fn set_vertex_buffers(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        start: usize,
        buffers: &[Option<VertexBuffer>],
    ) -> Result<(), PipeError> {
        let made = inner.set_vertex_buffers(start, buffers);
        self.note(made, |facts, ()| slots(&mut facts.vertex_buffers, start, buffers))
    }

    fn set_framebuffer_state(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        state: &FramebufferState,
    ) -> Result<(), PipeError> {
        let made = inner.set_framebuffer_state(state);
        self.note(made, |facts, ()| {
            if facts.framebuffer.zsbuf != state.zsbuf {
                facts.depth_cleared = false;
            }
            facts.framebuffer = *state;
        })
    }

    fn create_surface(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        resource: ResourceHandle,
        template: &SurfaceTemplate,
    ) -> Result<SurfaceHandle, PipeError> {
        let made = inner.create_surface(resource, template);
        self.note(made, |facts, handle| {
            facts.surfaces.insert(*handle, (resource, *template));
        })
    }

    fn create_sampler_view(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        resource: ResourceHandle,
        template: &SamplerViewTemplate,
    ) -> Result<SamplerViewHandle, PipeError> {
        let made = inner.create_sampler_view(resource, template);
        self.note(made, |facts, handle| {
            facts.views.insert(*handle, (resource, *template));
        })
    }

    fn set_sampler_views(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        stage: ShaderType,
        start: usize,
        views: &[Option<SamplerViewHandle>],
    ) -> Result<(), PipeError> {
        let made = inner.set_sampler_views(stage, start, views);
        self.note(made, |facts, ()| slots(&mut facts.stages[stage].views, start, views))
    }

    fn generate_mipmap(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        resource: ResourceHandle,
        format: Format,
        base_level: u32,
        last_level: u32,
        first_layer: u32,
        last_layer: u32,
    ) -> Result<(), PipeError> {
        self.touched(resource);
        inner.generate_mipmap(resource, format, base_level, last_level, first_layer, last_layer)
    }

    fn set_shader_buffers(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        stage: ShaderType,
        start: usize,
        buffers: &[Option<ShaderBuffer>],
        writable: u32,
    ) -> Result<(), PipeError> {
        let made = inner.set_shader_buffers(stage, start, buffers, writable);
        self.note(made, |facts, ()| slots(&mut facts.stages[stage].buffers, start, buffers))
    }

    fn set_shader_images(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        stage: ShaderType,
        start: usize,
        images: &[Option<ImageView>],
    ) -> Result<(), PipeError> {
        let made = inner.set_shader_images(stage, start, images);
        self.note(made, |facts, ()| slots(&mut facts.stages[stage].images, start, images))
    }

    fn create_stream_output_target(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        resource: ResourceHandle,
        offset: u32,
        size: u32,
    ) -> Result<StreamOutputTargetHandle, PipeError> {
        let made = inner.create_stream_output_target(resource, offset, size);
        self.note(made, |facts, handle| {
            facts.targets.insert(*handle, (resource, offset, size));
            facts.live_targets += 1;
        })
    }

    fn stream_output_target_destroy(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        target: StreamOutputTargetHandle,
    ) -> Result<(), PipeError> {
        let made = inner.stream_output_target_destroy(target);
        let is_live = self.facts.lock().is_live;
        self.note(made, |facts, ()| {
            facts.live_targets = facts.live_targets.saturating_sub(1);
            if is_live {
                facts.targets.remove(&target);
            }
        })
    }

    fn set_stream_output_targets(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        targets: &[Option<StreamOutputTargetHandle>],
        offsets: &[Option<u32>],
    ) -> Result<(), PipeError> {
        let made = inner.set_stream_output_targets(targets, offsets);
        self.note(made, |facts, ()| facts.bound_targets = targets.to_vec())
    }

    fn set_stencil_ref(&mut self, inner: &mut Inner<'_, 'm>, reference: StencilRef) {
        inner.set_stencil_ref(reference);
        self.set(|facts| facts.stencil_ref = reference);
    }

    fn set_blend_color(&mut self, inner: &mut Inner<'_, 'm>, color: &BlendColor) {
        inner.set_blend_color(color);
        self.set(|facts| facts.blend_color = *color);
    }

    fn set_sample_mask(&mut self, inner: &mut Inner<'_, 'm>, mask: u32) {
        inner.set_sample_mask(mask);
        self.set(|facts| facts.sample_mask = Some(mask));
    }

    fn set_min_samples(&mut self, inner: &mut Inner<'_, 'm>, samples: u8) {
        inner.set_min_samples(samples);
        self.set(|facts| facts.min_samples = Some(samples));
    }

    fn set_clip_state(&mut self, inner: &mut Inner<'_, 'm>, state: &ClipState) {
        inner.set_clip_state(state);
        self.set(|facts| facts.clip = *state);
    }

    fn set_scissor_states(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        start: usize,
        scissors: &[ScissorState],
    ) -> Result<(), PipeError> {
        let made = inner.set_scissor_states(start, scissors);
        self.note(made, |facts, ()| {
            facts.scissors.extend((start..).zip(scissors.iter().copied()));
        })
    }

    fn set_viewport_states(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        start: usize,
        viewports: &[ViewportState],
    ) -> Result<(), PipeError> {
        let made = inner.set_viewport_states(start, viewports);
        self.note(made, |facts, ()| {
            facts.viewports.extend((start..).zip(viewports.iter().copied()));
        })
    }

    fn set_window_rectangles(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        rectangles: &WindowRectangles,
    ) -> Result<(), PipeError> {
        let made = inner.set_window_rectangles(rectangles);
        self.note(made, |facts, ()| facts.window_rectangles = *rectangles)
    }

    fn set_patch_vertices(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        vertices: u8,
    ) -> Result<(), PipeError> {
        let made = inner.set_patch_vertices(vertices);
        self.note(made, |facts, ()| facts.patch_vertices = Some(vertices))
    }

    fn clear(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        buffers: ClearFlags,
        scissor: Option<&ScissorState>,
        color: &ColorUnion,
        depth: f64,
        stencil: u8,
    ) -> Result<(), PipeError> {
        self.facts.lock().writes_bound(self.number);
        let made = inner.clear(buffers, scissor, color, depth, stencil);
        self.note(made, |facts, ()| facts.depth_cleared |= buffers.contains(ClearFlags::DEPTH))
    }

    fn clear_render_target(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        surface: SurfaceHandle,
        color: &ColorUnion,
        region: &Region,
        render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        self.surface_touched(surface);
        inner.clear_render_target(surface, color, region, render_condition_enabled)
    }

    fn clear_depth_stencil(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        surface: SurfaceHandle,
        buffers: ClearFlags,
        depth: f64,
        stencil: u8,
        region: &Region,
        render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        self.surface_touched(surface);
        let enabled = render_condition_enabled;
        inner.clear_depth_stencil(surface, buffers, depth, stencil, region, enabled)
    }

    fn clear_texture(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        resource: ResourceHandle,
        level: u32,
        region: &Region,
        texel: &[u8],
    ) -> Result<(), PipeError> {
        self.touched(resource);
        inner.clear_texture(resource, level, region, texel)
    }

    fn resource_copy_region(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        dst: ResourceHandle,
        dst_level: u32,
        dst_x: u32,
        dst_y: u32,
        dst_z: u32,
        src: ResourceHandle,
        src_level: u32,
        src_region: &Region,
    ) -> Result<(), PipeError> {
        self.touched(dst);
        inner.resource_copy_region(dst, dst_level, dst_x, dst_y, dst_z, src, src_level, src_region)
    }

    fn blit(&mut self, inner: &mut Inner<'_, 'm>, info: &BlitInfo) -> Result<(), PipeError> {
        self.touched(info.dst.resource);
        inner.blit(info)
    }

    fn texture_subdata(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        resource: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
        data: &[u8],
        stride: usize,
        layer_stride: usize,
    ) -> Result<(), PipeError> {
        self.touched(resource);
        inner.texture_subdata(resource, level, usage, region, data, stride, layer_stride)
    }

    fn transfer_map(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        resource: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
    ) -> Result<Transfer, PipeError> {
        if usage.contains(MapFlags::WRITE) {
            self.touched(resource);
        }
        let made = inner.transfer_map(resource, level, usage, region);
        self.note(made, |facts, _| facts.open_maps += 1)
    }

    fn transfer_unmap(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        transfer: TransferHandle,
    ) -> Result<(), PipeError> {
        let mut facts = self.facts.lock();
        facts.touched_any |= !facts.is_paused;
        drop(facts);
        let made = inner.transfer_unmap(transfer);
        self.note(made, |facts, ()| facts.open_maps = facts.open_maps.saturating_sub(1))
    }

    fn launch_grid(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        info: &GridInfo<'_>,
    ) -> Result<(), PipeError> {
        {
            let mut facts = self.facts.lock();
            facts.touched_any = true;
            facts.writes_bound(self.number);
        }
        inner.launch_grid(info)
    }

    fn draw_vbo(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        {
            let mut facts = self.facts.lock();
            if facts.holds_draws && !facts.is_paused {
                facts.held = Some(Draw::new(self.number, info, indirect, draws));
                return Ok(());
            }
            facts.writes_bound(self.number);
        }
        inner.draw_vbo(info, indirect, draws)
    }

    fn buffer_subdata(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        resource: ResourceHandle,
        usage: MapFlags,
        offset: u32,
        data: &[u8],
    ) -> Result<(), PipeError> {
        self.facts.lock().writes(resource);
        inner.buffer_subdata(resource, usage, offset, data)
    }

    fn present(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        match self.streamed(source).filter(|(_, template)| template.samples() > 1) {
            Some(target) => {
                let rows = 0..target.1.height0;
                shown::present_rows(inner, target, rows, panel)
            }
            None => inner.present(source, panel),
        }
    }

    fn present_rows(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        source: PresentSource,
        rows: Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        match self.streamed(source) {
            Some(target) => shown::present_rows(inner, target, rows, panel),
            None => inner.present_rows(source, rows, panel),
        }
    }

    /// Draws no tile of a target that is a texture: its picture is there without.
    fn present_tile(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        source: PresentSource,
        index: u32,
        pixels: &mut [u8],
    ) -> Result<Option<Area>, PipeError> {
        match self.streamed(source) {
            Some(_) => Ok(None),
            None => inner.present_tile(source, index, pixels),
        }
    }

    fn begin_query(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        query: QueryHandle,
    ) -> Result<(), PipeError> {
        let made = inner.begin_query(query);
        let call = self.call();
        self.note(made, |facts, ()| {
            facts.open_queries.push(query);
            facts.queries.insert(query, call);
        })
    }

    fn end_query(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        query: QueryHandle,
    ) -> Result<(), PipeError> {
        let made = inner.end_query(query);
        let call = self.call();
        self.note(made, |facts, ()| {
            facts.open_queries.retain(|open| *open != query);
            facts.queries.entry(query).or_insert(call);
        })
    }

    fn destroy_query(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        query: QueryHandle,
    ) -> Result<(), PipeError> {
        let made = inner.destroy_query(query);
        self.note(made, |facts, ()| {
            facts.open_queries.retain(|open| *open != query);
            facts.queries.remove(&query);
        })
    }

    fn get_query_result(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        query: QueryHandle,
        wait: bool,
    ) -> Result<Option<pipe_core::query::QueryResult>, PipeError> {
        let is_known = self.begun(query).is_some();
        self.facts.lock().is_unmeasured |= !is_known;
        inner.get_query_result(query, wait)
    }

    fn get_query_result_resource(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        query: QueryHandle,
        wait: bool,
        kind: pipe_core::query::QueryValueType,
        index: Option<u32>,
        resource: ResourceHandle,
        offset: u32,
    ) -> Result<(), PipeError> {
        self.needs(query);
        self.touched(resource);
        inner.get_query_result_resource(query, wait, kind, index, resource, offset)
    }

    fn set_active_query_state(&mut self, inner: &mut Inner<'_, 'm>, active: bool) {
        inner.set_active_query_state(active);
        self.set(|facts| facts.queries_count = Some(active));
    }

    fn render_condition(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        query: Option<QueryHandle>,
        condition: bool,
        mode: pipe_core::query::RenderConditionMode,
    ) -> Result<(), PipeError> {
        if let Some(query) = query {
            self.needs(query);
        }
        let made = inner.render_condition(query, condition, mode);
        self.note(made, |facts, ()| {
            facts.condition = query.map(|query| (query, condition, mode));
            facts.condition_memory = None;
        })
    }

    fn render_condition_mem(
        &mut self,
        inner: &mut Inner<'_, 'm>,
        resource: ResourceHandle,
        offset: u32,
        condition: bool,
    ) -> Result<(), PipeError> {
        let made = inner.render_condition_mem(resource, offset, condition);
        self.note(made, |facts, ()| {
            facts.condition = None;
            facts.condition_memory = Some((resource, offset, condition));
        })
    }
}

impl Watch {
    /// Returns the resource that a present shows, with its template, if it was asked for without memory:
    /// only display targets are.
    fn streamed(&self, source: PresentSource) -> Option<(ResourceHandle, ResourceTemplate)> {
        let facts = self.facts.lock();
        let resource = match source {
            PresentSource::Resource(resource) => resource,
            PresentSource::Surface(surface) => {
                facts.contexts.get(&self.number)?.surfaces.get(&surface)?.0
            }
        };
        let (template, _) = *facts.resources.get(&resource)?;
        let is_target = template.bind.contains(Bind::DISPLAY_TARGET);
        (is_target && !facts.is_live).then_some((resource, template))
    }

    /// Returns the call of this session that began a query.
    fn begun(&self, query: QueryHandle) -> Option<u64> {
        let facts = self.facts.lock();
        facts.contexts.get(&self.number)?.queries.get(&query).copied()
    }

    /// Notes that the call needs the result of a query.
    fn needs(&self, query: QueryHandle) {
        let begun = self.begun(query);
        let mut facts = self.facts.lock();
        if !facts.is_paused && !facts.is_live {
            facts.needed.push(begun);
        }
    }

    fn surface_touched(&self, surface: SurfaceHandle) {
        let mut facts = self.facts.lock();
        if facts.is_paused || facts.is_live {
            return;
        }
        let resource = facts.contexts.get(&self.number).and_then(|it| it.surfaces.get(&surface));
        if let Some((resource, _)) = resource.copied() {
            facts.touched.push(resource);
            facts.writes(resource);
        }
    }
}
