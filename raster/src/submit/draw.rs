//! Draws: checks, the claim, and Draw's run into the scene.

use draw::{DepthStep, Draw, DrawState, IndexBytes, OutputModes, Pipeline, VertexBytes};
use heapless::Vec as Array;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::{Pool, RawHandle};
use pipe_core::limits::MAX_ATTRIBS;
use pipe_core::{
    DrawIndirect, DrawInfo, DrawStartCount, IndexBuffer, IndexSource, PipeError, ReducedPrim,
    ShaderType,
};
use tgsi::exec::{Lanes, Resources};
use tgsi::program::{Program, Uses};

use super::access::Granted;
use super::geometry::{Geometry, GeometryWorkers};
use super::overflow::Overflow;
use super::stages::AfterVertex;
use super::{Access, Renderer, Sharing};
use crate::debug::{Counter, Debug, Phase};
use crate::device::{Device, is_idle, is_readable, resource};
use crate::features::{CHECK, DESKTOP, ES2, FLIGHTS, FRAGMENTS, Only, STAGES, STROKES};
use crate::fragment::PixelCounts;
use crate::generator;
use crate::profile::Profile;
use crate::record::{
    RecordError, Sources, add_textures, record, stage_constants, used_views, vertex_views,
};
use crate::resource::{
    Inputs, Levels, Loans, MemoryBindings, Resource, StageResources, TextureBinding,
};
use crate::scene::Viewports;
use crate::scene::{BinningState, DrawRecord, NO_STROKES, Scene, SceneSink, ViewportClip};
use crate::shader::Shader;
use crate::state::{
    Bindings, Bound, DRAW_STAGES, Objects, QueryState, SceneCounts, State, StreamState,
};

/// A draw: its parts and the state that they share.
#[derive(Clone, Copy)]
struct Parts<'d> {
    info: &'d DrawInfo<'d>,
    draws: &'d [DrawStartCount],
}

/// The state that the claim of a draw depends on.
#[derive(Clone, Copy)]
struct Reads<'a, 'm> {
    info: &'a DrawInfo<'a>,
    bindings: Bindings<'a, 'm>,
    streams: &'a StreamState<'m>,
}

/// Calls `each` with the buffers that a draw reads: vertices, indices, constants.
pub(super) fn each_input(bound: &Bound<'_>, info: &DrawInfo<'_>, each: &mut dyn FnMut(RawHandle)) {
    bound.held().for_each(&mut *each);
    if let Some(IndexBuffer { source: IndexSource::Resource(handle), .. }) = info.index {
        each(handle.raw());
    }
}

impl<'m> Reads<'_, 'm> {
    /// Returns true if no other context uses buffers that the draw streams to, or writes resources
    /// that it reads.
    fn is_ready(&self, resources: &Pool<'m, Resource<'m>>) -> bool {
        let Reads { info, bindings, streams } = *self;
        let mut ready =
            streams.written().iter().flatten().all(|handle| is_idle(resources, *handle))
                && vertex_views(bindings).all(|view| is_readable(resources, view.resource));
        each_input(bindings.bound, info, &mut |handle| ready &= is_readable(resources, handle));
        ready
    }

    /// Returns true if the draw reads a resource other than as shader memory.
    fn reads(&self, seen: &[TextureBinding], resource: RawHandle) -> bool {
        let Reads { info, bindings, .. } = *self;
        let mut reads = seen.iter().any(|binding| binding.resource == resource);
        each_input(bindings.bound, info, &mut |handle| reads |= handle == resource);
        reads || vertex_views(bindings).any(|view| view.resource == resource)
    }

    /// Takes the memory that a draw's programs may write out of its resources.
    ///
    /// # Errors
    /// Out of memory; [`PipeError::Stopped`].
    #[inline(always)]
    fn take_memory(
        &self,
        access: &mut Access<'_, '_, 'm>,
        memory: &MemoryBindings<'m>,
        heap: Memory<'m>,
    ) -> Result<(), PipeError> {
        if memory.is_empty() {
            return Ok(());
        }
        // A full scene is rasterized in the middle of the draw, and then reads the fragment stage's
        // textures.
        let mut seen = Vec::new_in(heap);
        if let Some(program) = self.bindings.program(ShaderType::Fragment) {
            add_textures(&mut seen, self.bindings, ShaderType::Fragment, &program)?;
        }
        access.take_memory(memory, |resource| self.reads(&seen, resource))
    }

    /// Lends the levels that the draw reads.
    fn lend(
        &self,
        memory: &MemoryBindings<'m>,
        loans: &mut Loans<'m>,
        resources: &Pool<'m, Resource<'m>>,
    ) -> Result<(), OutOfMemory> {
        let Reads { info, bindings, .. } = *self;
        let mut all = Ok(());
        each_input(bindings.bound, info, &mut |handle| {
            all = all.and_then(|()| loans.lend(resources, handle, 0..=0));
        });
        all?;
        memory.lend(loans, resources)?;
        for view in vertex_views(bindings) {
            let (first, last) = view.state.first_and_last_level();
            loans.lend(resources, view.resource, first..=last)?;
        }
        Ok(())
    }
}

impl<'s, 'm, P: Profile> Renderer<'s, 'm, P> {
    /// Draws once per record of words in a buffer, up to the first record that does not lie wholly
    /// in the buffer.
    ///
    /// # Errors
    /// A stale handle; the errors of a draw.
    pub(crate) fn draw_indirect(
        &mut self,
        state: &mut State<'m>,
        info: &DrawInfo<'_>,
        indirect: &DrawIndirect,
    ) -> Result<(), PipeError> {
        let &DrawIndirect::Buffer { buffer, offset, stride, draw_count, indirect_draw_count } =
            indirect
        else {
            return Ok(());
        };
        let device = self.device;
        let mut count = draw_count;
        self.finish_if_used(state, buffer.raw())?;
        if let Some((counter, at)) = indirect_draw_count {
            self.finish_if_used(state, counter.raw())?;
            let shared = device.lock_when(|resources| is_readable(resources, counter.raw()))?;
            let bytes = resource(&shared.resources, counter)?.bytes(0);
            count = count.min(DrawIndirect::word(bytes, at as usize));
        }
        for number in 0..count {
            let record = {
                let shared = device.lock_when(|resources| is_readable(resources, buffer.raw()))?;
                let bytes = resource(&shared.resources, buffer)?.bytes(0);
                info.record(bytes, offset, stride, number)
            };
            let Some((info, part)) = record else { return Ok(()) };
            self.draw_parts(state, &info, &[part])?;
        }
        Ok(())
    }

    /// Draws the parts of one draw.
    ///
    /// # Errors
    /// State that is missing or not supported; out of memory; [`PipeError::Busy`] and
    /// [`PipeError::Stopped`].
    pub(crate) fn draw_parts(
        &mut self,
        state: &mut State<'m>,
        info: &DrawInfo<'_>,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        let is_stroke = matches!(info.mode.reduced(), ReducedPrim::Points | ReducedPrim::Lines);
        if !STROKES && is_stroke {
            return Err(NO_STROKES);
        }
        let discards = state.bindings().rasterizer().rasterizer_discard;
        if self.framebuffer.is_empty() && !discards {
            return Err(PipeError::Unbound("framebuffer"));
        }
        for written in state.streams.written().into_iter().flatten() {
            self.flush_if_used(state, written)?;
        }
        let memory = state.memory_bindings(&DRAW_STAGES, self.device.os.memory)?;
        if !memory.is_empty() {
            if self.framebuffer.is_streamed() {
                return Err(PipeError::Unsupported("shader memory in draws to a streamed surface"));
            }
            // Earlier draws of the scene must access memory before this draw does.
            self.flush_scene(state)?;
        }
        self.note_feedback(state);
        if FLIGHTS {
            self.finish_for_draw(state, info)?;
        }
        let drawn = self.draw_claimed(state, &memory, Parts { info, draws });
        self.drop_if_stopped(&drawn);
        if self.scene.is_empty() {
            state.feedback.forget_copies();
        }
        let waits = memory.is_empty() && !self.device.debug.has(Debug::FLUSH);
        if !waits && !self.framebuffer.is_streamed() {
            return drawn.and_then(|()| self.flush_scene(state));
        }
        drawn
    }

    /// Claims what a draw reads and writes, and draws.
    #[inline(always)]
    fn draw_claimed(
        &mut self,
        state: &mut State<'m>,
        memory: &MemoryBindings<'m>,
        parts: Parts<'_>,
    ) -> Result<(), PipeError> {
        let names_indices = state.holds_indices.get() != Some(&true);
        let State { objects, bound, queries, streams, feedback, loans, .. } = state;
        let bindings = Bindings { objects, bound };
        let reads = Reads { info: parts.info, bindings, streams };
        let mut access = Access::claim(self.device, loans, |resources| {
            memory.is_ready(resources) && self.can_draw(resources) && reads.is_ready(resources)
        })?;
        if let Some(IndexBuffer { source: IndexSource::Resource(handle), .. }) = parts.info.index
            && names_indices
        {
            resource(access.resources(), handle)?;
        }
        // The surfaces' levels are taken out while Draw reads other resources: if the scene is
        // full, it is rasterized in the middle of the draw.
        access.take_surfaces(&self.framebuffer, self.flight(), feedback)?;
        access.capture = streams.capture(bound.last_vertex_stage(), access.resources());
        reads.take_memory(&mut access, memory, self.device.os.memory)?;
        access.lend(|loans, resources| reads.lend(memory, loans, resources))?;
        let drawn =
            access.work(memory, |granted| self.draw(parts, bindings, queries, streams, granted));
        access.put_back();
        if let Some(capture) = &access.capture {
            queries.add_streamed(streams.finish(capture));
        }
        drawn
    }

    /// Records the levels that a draw samples and also draws to.
    #[inline(always)]
    fn note_feedback(&mut self, state: &mut State<'m>) {
        // Without the feature nothing is recorded. With a record nothing has changed since the
        // scene's last draw.
        if !DESKTOP || self.record.is_some() {
            return;
        }
        let State { objects, bound, feedback, .. } = state;
        let bindings = Bindings { objects, bound };
        if let Some(program) = bindings.program(ShaderType::Fragment) {
            let used = used_views(bindings, ShaderType::Fragment, &program);
            feedback.note(&self.framebuffer, used.map(|(_, view)| view));
            if program.uses.contains(Uses::BINDLESS) {
                feedback.note(&self.framebuffer, objects.handles.views());
            }
        }
        feedback.note(&self.framebuffer, vertex_views(bindings));
    }

    /// Runs Draw over the parts of one draw. The surfaces' memory, and the buffers that the draw
    /// streams to, are taken out of their resources.
    fn draw(
        &mut self,
        parts: Parts<'_>,
        bindings: Bindings<'_, 'm>,
        queries: &mut QueryState<'m>,
        streams: &StreamState<'m>,
        mut granted: Granted<'_, 's, 'm>,
    ) -> Result<(), PipeError> {
        let record = self.record_or_make_room(bindings, queries, &mut granted)?;
        if !FRAGMENTS
            && !self.scene.draws.get(record as usize).is_some_and(DrawRecord::is_for_spans)
        {
            return Err(PipeError::Unsupported(
                "this fragment shader, state or texture on this target (`spans-all` takes more, `fragments` takes all)",
            ));
        }
        if CHECK {
            self.check_memory(bindings.objects)?;
        }
        let result = self.run(record, parts, bindings, queries, streams, granted);
        if self.scene.spilled > 0 {
            return result.and(Err(self.scene.too_small()));
        }
        result
    }

    /// Records the bound state; rasterizes the scene first if it is full.
    fn record_or_make_room(
        &mut self,
        bindings: Bindings<'_, 'm>,
        queries: &mut QueryState<'m>,
        granted: &mut Granted<'_, 's, 'm>,
    ) -> Result<u32, PipeError> {
        let recorded = match self.record_state(bindings, queries, granted.claim.inputs()) {
            Err(RecordError::Full) => {
                self.make_room(bindings, queries, granted)?;
                self.record_state(bindings, queries, granted.claim.inputs())
            }
            recorded => recorded,
        };
        recorded.map_err(|error| match error {
            RecordError::Full => self.scene.too_small(),
            RecordError::Pipe(error) => error,
        })
    }

    /// Records the bound state in the scene, or finds the existing record; returns its index.
    ///
    /// # Errors
    /// A full scene; no vertex shader; out of memory.
    fn record_state(
        &mut self,
        bindings: Bindings<'_, 'm>,
        queries: &QueryState<'m>,
        levels: Inputs<'_, 'm>,
    ) -> Result<u32, RecordError> {
        if let Some(record) = self.record {
            return Ok(record);
        }
        let sources = Sources {
            bindings,
            framebuffer: &self.framebuffer,
            counts_pixels: queries.counts_pixels(),
            levels,
            debug: self.device.debug,
        };
        let index = record(&mut self.scene, sources)?;
        self.record = Some(index);
        Ok(index)
    }

    /// Rasterizes the scene so that a new one can begin.
    fn make_room(
        &mut self,
        bindings: Bindings<'_, 'm>,
        queries: &mut QueryState<'m>,
        Granted { claim, surfaces, memory, .. }: &mut Granted<'_, 's, 'm>,
    ) -> Result<(), PipeError> {
        if self.framebuffer.is_streamed() {
            let error = self.scene.too_small();
            self.scene.spill(u32::MAX);
            self.record = None;
            return Err(error);
        }
        if FLIGHTS {
            self.flights.way(self.device).make(&mut self.workers, claim, surfaces)?;
        }
        let lent = claim.lend_scene(self.scene.textures())?;
        let memory = memory.for_stage(ShaderType::Fragment);
        self.rasterize_to(bindings.objects, queries, surfaces, lent.inputs(), memory, None)
    }

    /// Runs Draw into the scene, for the draw with this `record`.
    fn run(
        &mut self,
        record: u32,
        parts: Parts<'_>,
        bindings: Bindings<'_, 'm>,
        queries: &mut QueryState<'m>,
        streams: &StreamState<'m>,
        granted: Granted<'_, 's, 'm>,
    ) -> Result<(), PipeError> {
        let (inputs, memory) = (granted.claim.inputs(), granted.memory);
        let (heap, work) = (self.device.os.memory, self.device.work);
        let Bindings { objects, bound } = bindings;
        let rasterizer = bindings.rasterizer();
        let vertex = bindings.shader(ShaderType::Vertex);
        let vertex = vertex.ok_or(PipeError::Unbound("vertex shader"))?;
        let program = vertex_program::<P::Row>(vertex, parts);
        let mut textures = vertex_textures(bindings, &program, heap)?;
        let after = STAGES.then(|| AfterVertex::new(bindings, inputs));
        let stages = after.as_ref().and_then(|after| after.stages(bound));
        if CHECK {
            self.note_features(record, parts.info.mode, &program, stages.is_some());
        }
        let units = after.as_ref().map(|after| after.add_textures(&mut textures, bindings));
        let units = units.transpose()?;
        let levels = if ES2 { Levels::of(&textures, inputs, heap)? } else { Levels::new_in(heap) };
        let samplers = if ES2 { levels.samplers(&textures, heap)? } else { Vec::new_in(heap) };
        let of_vertices = StageResources {
            bindings: &textures,
            samplers: &samplers,
            memory: memory.for_stage(ShaderType::Vertex),
            work,
            code: vertex.code(),
        };
        let elements = bound.elements.and_then(|handle| objects.elements.get(handle));
        let state = DrawState {
            program: &program,
            rasterizer: &rasterizer,
            viewports: &bound.viewports,
            clip: &bound.clip,
            elements: elements.map_or(&[], |elements| elements.as_slice()),
            vertex_buffers: &vertex_buffers(bound, inputs),
            index: index_bytes(parts.info, inputs),
            constants: &stage_constants(bound, ShaderType::Vertex, inputs),
            modes: linked_modes(bindings, rasterizer.flatshade),
            depth_step: self.depth_step(),
            stages: stages.as_ref(),
        };
        let clips = after.as_ref().map_or(Array::new(), |after| {
            after.viewport_clips(bound, &self.framebuffer, &rasterizer)
        });
        let (mut of_stages, mut of_vertex) =
            (units.map(|units| units.of(of_vertices)), of_vertices);
        let resources: &mut dyn Resources<P::Row> = match &mut of_stages {
            Some(of_stages) => of_stages,
            None => &mut of_vertex,
        };
        let shader = bound.shader(ShaderType::Vertex);
        let prepared = Prepared { state: &state, shader, of_vertices, resources, clips: &clips };
        self.run_prepared(record, parts, prepared, objects, queries, streams, granted)
    }

    /// Notes the features that a draw uses.
    fn note_features(
        &self,
        record: u32,
        mode: pipe_core::PrimType,
        vertex: &Program<'_>,
        has_stages: bool,
    ) {
        use crate::report::Features;
        let Some(draw) = self.scene.draws.get(record as usize) else { return };
        let bytes = self.framebuffer.color().iter().flatten().next().map_or(0, |it| it.pixel);
        let mut used = kernel_features(draw, bytes);
        used.set(Features::TEXTURES, draw.textures.1 > 0);
        used.set(Features::PRIMITIVE_TYPES, mode != pipe_core::PrimType::Triangles);
        used.set(Features::MEMORY_SURFACES, !self.framebuffer.is_streamed());
        used.set(Features::SAMPLES, self.framebuffer.samples() > 1);
        used.set(Features::STAGES, has_stages);
        used.set(Features::INTERPRETER, !vertex.runs::<P::Row>());
        if let Some(report) = self.device.report.get() {
            report.lock().note_used(used);
        }
    }

    /// Returns the unit of polygon offsets.
    #[inline(always)]
    fn depth_step(&self) -> DepthStep {
        match ES2 {
            true => DepthStep::of(self.framebuffer.depth().map(|zs| zs.format)),
            false => DepthStep::None,
        }
    }

    /// Runs Draw over the parts of a draw, into the scene.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the state is borrowed in parts")]
    fn run_prepared(
        &mut self,
        record: u32,
        parts: Parts<'_>,
        prepared: Prepared<'_, P::Row>,
        objects: &Objects<'m>,
        queries: &mut QueryState<'m>,
        streams: &StreamState<'m>,
        Granted { claim, surfaces, memory, capture }: Granted<'_, 's, 'm>,
    ) -> Result<(), PipeError> {
        let Renderer { device, framebuffer, scene, flights, pipeline, workers, geometry, .. } =
            self;
        let mut overflow = Overflow {
            framebuffer,
            shaders: &objects.shaders,
            claim,
            surfaces,
            way: flights.way(device),
            memory: memory.for_stage(ShaderType::Fragment),
            workers,
            threads: device.os.threads,
            work: device.work,
            timer: device.timer(),
            counts: PixelCounts::default(),
            counts_scenes: queries.counts_scenes(),
            scenes: SceneCounts::default(),
        };
        let mut sink = SceneSink {
            binning: BinningState::new(scene, record),
            scene,
            draw: record,
            make_room: |scene: &mut Scene<'m, P>, draw: u32| overflow.make_room(scene, draw),
            capture: capture.map(|capture| {
                let info = streams.streamed(capture);
                move |stream: u8, vertices: &[&[[f32; 4]]]| {
                    capture.primitive(stream, &info, vertices);
                }
            }),
            culled: Only::default(),
            watch: device.timer().start(Phase::Assembly),
            viewports: Only::with(|| Viewports::new(prepared.clips)),
        };
        sink.scene.layer = 0;
        let pipelines = Pipelines {
            device,
            own: super::pipeline::<P>(pipeline, device.os.memory)?,
            of_workers: geometry,
            sharing: match (framebuffer.is_streamed(), device.debug.has(Debug::GEOMETRY)) {
                (true, _) => Sharing::Never,
                (false, false) => Sharing::Measured,
                (false, true) => Sharing::Always,
            },
        };
        let result = pipelines.run(parts, prepared, &mut sink, queries);
        queries.add_culled(&sink.culled);
        // The record has moved if the scene was emptied.
        let record = sink.end();
        queries.add_pixels(overflow.counts);
        queries.add_scenes(overflow.scenes);
        self.record = Some(record);
        result
    }
}

/// Returns the textures of the vertex program. Vertex stages sample textures during the call, so they
/// use the current bindings.
#[inline(always)]
fn vertex_textures<'m>(
    bindings: Bindings<'_, 'm>,
    program: &Program<'_>,
    heap: Memory<'m>,
) -> Result<Vec<'m, TextureBinding>, OutOfMemory> {
    let mut textures = Vec::new_in(heap);
    if ES2 {
        add_textures(&mut textures, bindings, ShaderType::Vertex, program)?;
    }
    Ok(textures)
}

/// Returns the features of the kernel that draws, on a target of so many bytes per pixel.
fn kernel_features(draw: &DrawRecord, bytes: usize) -> crate::report::Features {
    use crate::report::Features;
    use crate::scene::recognised::Kernel;
    let Some(Some(span)) = draw.span.get() else { return Features::FRAGMENTS };
    let linear = span.lookup.is_some_and(|lookup| lookup.linear);
    match span.kernel {
        Kernel::Rgb565(_) if linear => Features::SPANS_FILTERED,
        Kernel::Rgb565(_) if span.lookup.is_none() => {
            Features::SPANS_565.union(Features::SPANS_SMALL)
        }
        Kernel::Rgb565(_) => Features::SPANS_565,
        Kernel::Rgb565Calls(_) => Features::SPANS_PROGRAMS,
        Kernel::Generic(_) if bytes > 1 => Features::SPANS_ALL,
        Kernel::Generic(_) if linear => Features::SPANS_BILINEAR,
        Kernel::Generic(_) => Features::SPANS_GENERIC,
    }
}

/// A draw in the form that Draw needs.
struct Prepared<'r, R> {
    state: &'r DrawState<'r>,
    /// The vertex shader's handle.
    shader: Option<RawHandle>,
    /// The resources of the vertex shader.
    of_vertices: StageResources<'r>,
    /// The resources of all stages before the fragment stage.
    resources: &'r mut dyn Resources<R>,
    /// The bounds of all viewports; none if primitives cannot select one.
    clips: &'r [ViewportClip],
}

/// The pipelines that run a draw.
struct Pipelines<'p, 'd, 'm, R: Lanes> {
    device: &'p Device<'d>,
    own: &'p mut Pipeline<'m, R>,
    of_workers: &'p mut GeometryWorkers<'m, R>,
    sharing: Sharing,
}

impl<'m, R: Lanes> Pipelines<'_, '_, 'm, R> {
    /// Runs the parts of a draw into the scene.
    ///
    /// # Errors
    /// The errors of Draw and of the sink; [`PipeError::Stopped`].
    #[inline(always)]
    fn run<P: Profile<Row = R>, F, C>(
        self,
        Parts { info, draws }: Parts<'_>,
        prepared: Prepared<'_, R>,
        sink: &mut SceneSink<'_, 'm, P, F, C>,
        queries: &mut QueryState<'m>,
    ) -> Result<(), PipeError>
    where
        F: FnMut(&mut Scene<'m, P>, u32) -> Result<u32, PipeError>,
        C: FnMut(u8, &[&[[f32; 4]]]),
    {
        let Prepared { state, resources, .. } = prepared;
        let (work, timer) = (self.device.work, self.device.timer());
        for (number, part) in draws.iter().enumerate() {
            if timer.leaves_out(Debug::TOSS_DRAWS) {
                break;
            }
            let draw = Draw::part(info, number as u32, part);
            let vertices = u64::from(draw.count).saturating_mul(draw.instance_count.into());
            work.spend(vertices.max(draw.instance_count.into()))?;
            let ran = Geometry {
                state,
                draw: &draw,
                textures: prepared.of_vertices,
                shader: prepared.shader,
                threads: self.device.os.threads,
                clock: self.device.os.clock,
                sharing: self.sharing,
                timer,
            }
            .run(self.of_workers, self.own, sink, resources);
            match ran {
                Ok(statistics) => {
                    timer.count(Counter::Draws, 1);
                    timer.count(Counter::Vertices, statistics.vs_invocations);
                    timer.count(Counter::Primitives, statistics.c_primitives);
                    queries.add_draw(statistics);
                }
                Err(error) => return work.spend(0).and(Err(error.into())),
            }
        }
        Ok(())
    }
}

/// Returns a vertex shader's program, with machine code for it if it runs in large draws.
#[inline(always)]
fn vertex_program<'a, R: Lanes>(vertex: &'a Shader<'_>, parts: Parts<'_>) -> Program<'a> {
    let mut program = vertex.program();
    generator::enter::<R>(vertex.code(), &mut program, batches::<R>(parts.info, parts.draws));
    program
}

/// Returns the number of lane batches that the vertices of a draw fill, at most 64. A program that
/// runs in large draws then gets machine code within a few draws.
fn batches<R: Lanes>(info: &DrawInfo<'_>, draws: &[DrawStartCount]) -> u32 {
    let vertices: u64 = draws.iter().map(|draw| u64::from(draw.count)).sum();
    let vertices = vertices.saturating_mul(info.instance_count.into());
    vertices.div_ceil(R::COUNT as u64).min(64) as u32
}

/// Returns the bytes of the bound vertex buffers, from each binding's offset on.
fn vertex_buffers<'r>(bound: &Bound<'_>, inputs: Inputs<'r, '_>) -> [VertexBytes<'r>; MAX_ATTRIBS] {
    let mut buffers = [VertexBytes::default(); MAX_ATTRIBS];
    for (slot, buffer) in buffers.iter_mut().zip(&bound.vertex_buffers) {
        let Some(buffer) = buffer else { continue };
        // The binding holds the resource even if the user has destroyed its handle.
        let bytes = inputs.bytes(buffer.resource.raw(), 0);
        let bytes = bytes.get(buffer.buffer_offset as usize..).unwrap_or(&[]);
        *slot = VertexBytes { bytes, stride: buffer.stride };
    }
    buffers
}

/// Returns the bytes of a draw's indices; `None` if it has no indices.
fn index_bytes<'r>(info: &DrawInfo<'r>, inputs: Inputs<'r, '_>) -> Option<IndexBytes<'r>> {
    let buffer = info.index.as_ref()?;
    let bytes = match buffer.source {
        IndexSource::User(bytes) => bytes,
        IndexSource::Resource(handle) => inputs.bytes(handle.raw(), 0),
    };
    Some(IndexBytes { bytes, size: buffer.size })
}

/// Returns the interpolation of the last vertex stage's outputs.
#[inline(always)]
fn linked_modes(bindings: Bindings<'_, '_>, flatshade: bool) -> OutputModes {
    match (bindings.last_vertex_shader(), bindings.shader(ShaderType::Fragment)) {
        (Some(last), Some(fragment)) => output_modes(last, fragment, flatshade),
        _ => OutputModes::default(),
    }
}

/// Returns the interpolation of a vertex stage's outputs for a fragment shader.
#[inline(never)]
fn output_modes(last: &Shader<'_>, fragment: &Shader<'_>, flatshade: bool) -> OutputModes {
    OutputModes::link(&last.program(), &fragment.program(), flatshade)
}
