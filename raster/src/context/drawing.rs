//! Draws: resolves handles to bytes and state to a record, and runs Draw into the scene.

use draw::{DepthStep, Draw, DrawState, IndexBytes, OutputModes, VertexBytes};
use os_shim::Vec;
use os_shim::memory::OutOfMemory;
use os_shim::pool::{Pool, RawHandle};
use os_shim::threads::Threads;
use pipe_core::context::Drawing;
use pipe_core::limits::MAX_ATTRIBS;
use pipe_core::{
    DrawIndirect, DrawInfo, DrawStartCount, IndexBuffer, IndexSource, PipeError, ReducedPrim,
};
use tgsi::program::Uses;

use super::binding::{Bound, FRAGMENT, GRID, VERTEX};
use super::cso::View;
use super::driver_queries::SceneCounts;
use super::flights::{Way, Workers};
#[cfg(feature = "workers")]
use super::geometry::Geometry;
#[cfg(feature = "stages")]
use super::later;
use super::record::{RecordError, add_textures, constant_bytes};
use super::unsupported::refuse;
use super::{Capture, Context};
use crate::budget::Work;
use crate::debug::{Counter, Debug, Phase, Timer};
use crate::device::{Claim, is_idle, is_readable, resource};
use crate::features::{COMPUTE, FLIGHTS, FRAGMENTS, PRIMITIVE_EFFECTS, STROKES, VERTEX_TEXTURES};
use crate::fragment::PixelCounts;
use crate::frame::{Frame, Framebuffer, Surfaces};
#[cfg(feature = "generated")]
use crate::generator;
use crate::memory::ShaderMemory;
use crate::profile::Profile;
use crate::resource::{Inputs, Levels, Loans, MemoryBindings, Resource, TakenMemory, Textures};
#[cfg(feature = "stages")]
use crate::scene::Viewports;
use crate::scene::{BinningState, DrawRecord, MAX_CONSTANT_BLOCKS, NO_STROKES, Scene, SceneSink};
use crate::shader::Shader;

impl<'m, P: Profile> Drawing for Context<'_, 'm, P> {
    #[cfg(feature = "check")]
    fn primitives_drawn(&self) -> Option<u64> {
        Some(self.primitives_drawn)
    }

    // Kept out of line, so that `cargo xtask size` finds it in an image.
    #[inline(never)]
    fn draw_vbo(
        &mut self,
        info: &DrawInfo<'_>,
        indirect: Option<&DrawIndirect>,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        refuse(info.view_mask != 0, "view_mask")?;
        self.graphics()?;
        self.begin()?;
        if !self.condition_holds()? {
            return Ok(());
        }
        let result = match indirect {
            None => self.draw_parts(info, draws),
            Some(DrawIndirect::StreamOutput(target)) => {
                let count = self.streams.vertices(*target)?;
                self.draw_parts(info, &[DrawStartCount::count(count)])
            }
            Some(indirect) => self.draw_indirect(info, indirect),
        };
        self.note_stop(result)
    }

    #[cfg(feature = "desktop")]
    fn draw_vertex_state(
        &mut self,
        state: pipe_core::VertexStateHandle,
        info: &pipe_core::DrawVertexStateInfo,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        self.draw_state(state, info, draws)
    }
}

/// A draw: its parts and the state that they share.
#[derive(Clone, Copy)]
struct Parts<'d> {
    info: &'d DrawInfo<'d>,
    draws: &'d [DrawStartCount],
}

impl<'m, P: Profile> Context<'_, 'm, P> {
    /// Draws once per record of words in a buffer, up to the first record that does not lie wholly
    /// in the buffer.
    fn draw_indirect(
        &mut self,
        info: &DrawInfo<'_>,
        indirect: &DrawIndirect,
    ) -> Result<(), PipeError> {
        let &DrawIndirect::Buffer { buffer, offset, stride, draw_count, indirect_draw_count } =
            indirect
        else {
            return Ok(());
        };
        let mut count = draw_count;
        self.finish_if_used(buffer.raw())?;
        if let Some((counter, at)) = indirect_draw_count {
            self.finish_if_used(counter.raw())?;
            let shared =
                self.device.lock_when(|resources| is_readable(resources, counter.raw()))?;
            let bytes = resource(&shared.resources, counter)?.bytes(0);
            count = count.min(DrawIndirect::word(bytes, at as usize));
        }
        for number in 0..count {
            let record = {
                let shared =
                    self.device.lock_when(|resources| is_readable(resources, buffer.raw()))?;
                let bytes = resource(&shared.resources, buffer)?.bytes(0);
                info.record(bytes, offset, stride, number)
            };
            let Some((info, part)) = record else { return Ok(()) };
            self.draw_parts(&info, &[part])?;
        }
        Ok(())
    }

    fn draw_parts(
        &mut self,
        info: &DrawInfo<'_>,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        let is_stroke = matches!(info.mode.reduced(), ReducedPrim::Points | ReducedPrim::Lines);
        if !STROKES && is_stroke {
            return Err(NO_STROKES);
        }
        let discards = self.rasterizer().rasterizer_discard;
        if self.framebuffer.is_empty() && !discards {
            return Err(PipeError::Unbound("framebuffer"));
        }
        for written in self.streams.written().into_iter().flatten() {
            self.flush_if_used(written)?;
        }
        let memory = self.memory_bindings(0..GRID)?;
        if !memory.is_empty() {
            if self.framebuffer.is_streamed() {
                return Err(PipeError::Unsupported("shader memory in draws to a streamed surface"));
            }
            // Earlier draws of the scene must access memory before this draw does.
            self.flush_scene()?;
        }
        self.note_feedback();
        if FLIGHTS {
            self.finish_for_draw(info)?;
        }
        let mut written = memory.room(self.os.memory)?;
        let device = self.device;
        let loans = self.take_loans();
        let mut claim = Claim::when(device, loans, |resources| {
            memory.is_ready(resources) && self.is_ready(info, resources)
        })?;
        if let Some(IndexBuffer { source: IndexSource::Resource(handle), .. }) = info.index {
            #[cfg(feature = "desktop")]
            let is_named = !self.holds_indices;
            #[cfg(not(feature = "desktop"))]
            let is_named = true;
            if is_named {
                resource(claim.resources(), handle)?;
            }
        }
        // The surfaces' levels are taken out while Draw reads other resources: if the scene is
        // full, it is rasterized in the middle of the draw.
        let mut surfaces = Surfaces::take(&self.framebuffer, claim.resources(), self.flight());
        let left = self.feedback.leave(&surfaces, claim.resources(), self.device);
        let stage = self.bound.last_vertex_stage();
        let mut capture = self.streams.capture(stage, claim.resources());
        let held =
            left.and_then(|()| self.take_memory(info, &memory, &mut written, claim.resources()));
        let lent = held.and_then(|()| {
            Ok(claim.lend(|loans, resources| {
                let mut all = Ok(());
                self.each_input(info, &mut |handle| {
                    all = all.and_then(|()| loans.lend(resources, handle, 0..=0));
                });
                all = all.and_then(|()| memory.lend(loans, resources));
                all.and_then(|()| self.lend_vertex_textures(loans, resources))
            })?)
        });
        let parts = Parts { info, draws };
        let slots =
            lent.and_then(|()| Ok(memory.slots(&mut written, claim.inputs(), self.os.memory)?));
        let result = slots.and_then(|slots| {
            self.draw(parts, &claim, &mut surfaces, slots.memory(), capture.as_mut())
        });
        self.feedback.take_back(claim.resources());
        surfaces.put_back(claim.resources());
        written.put_back(claim.resources());
        self.drop_if_stopped(&result);
        if self.scene.is_empty() {
            self.feedback.forget_copies();
        }
        if let Some(capture) = capture {
            let streamed = self.streams.finish(capture, claim.resources());
            self.queries.add_streamed(streamed);
        }
        self.loans = claim.end();
        let waits = memory.is_empty() && !device.debug.has(Debug::FLUSH);
        if !waits && !self.framebuffer.is_streamed() {
            return result.and_then(|()| self.flush_scene());
        }
        result
    }

    /// Calls `each` with the buffers that a draw reads: vertices, indices, constants.
    pub(super) fn each_input(&self, info: &DrawInfo<'_>, each: &mut dyn FnMut(RawHandle)) {
        self.bound.held().for_each(&mut *each);
        if let Some(IndexBuffer { source: IndexSource::Resource(handle), .. }) = info.index {
            each(handle.raw());
        }
    }

    /// Takes the memory that a draw's programs may write out of its resources.
    ///
    /// # Errors
    /// Out of memory; [`PipeError::Stopped`].
    #[cfg(feature = "shader-memory")]
    fn take_memory(
        &self,
        info: &DrawInfo<'_>,
        memory: &MemoryBindings<'m>,
        written: &mut TakenMemory<'m>,
        resources: &mut Pool<'m, Resource<'m>>,
    ) -> Result<(), PipeError> {
        if memory.is_empty() {
            return Ok(());
        }
        // A full scene is rasterized in the middle of the draw, and then reads the fragment stage's
        // textures.
        let mut seen = Vec::new_in(self.os.memory);
        if let Some(shader) = self.objects.shader(self.bound.shader(FRAGMENT)) {
            add_textures(&mut seen, &self.objects, &self.bound, FRAGMENT, &shader.program())?;
        }
        memory.take(written, resources, self.device.work, self.os.memory, |resource| {
            let mut reads = seen.iter().any(|binding| binding.resource == resource);
            self.each_input(info, &mut |handle| reads |= handle == resource);
            reads || self.vertex_views().any(|view| view.resource == resource)
        })
    }

    /// Takes nothing.
    ///
    /// # Errors
    /// None.
    #[cfg(not(feature = "shader-memory"))]
    #[inline(always)]
    fn take_memory(
        &self,
        _: &DrawInfo<'_>,
        _: &MemoryBindings<'m>,
        _: &mut TakenMemory<'m>,
        _: &mut Pool<'m, Resource<'m>>,
    ) -> Result<(), PipeError> {
        Ok(())
    }

    /// Returns the views that the vertex stages may sample.
    pub(super) fn vertex_views(&self) -> impl Iterator<Item = &View> {
        let stages = self.bound.views.iter().enumerate();
        let vertex = stages.filter(|(stage, _)| {
            VERTEX_TEXTURES && *stage != FRAGMENT && !(COMPUTE && *stage == GRID)
        });
        let bound = vertex.flat_map(|(_, views)| views.iter().flatten());
        let handles = self.objects.handles.views().filter(|_| self.vertex_uses_handles());
        bound.filter_map(|view| self.objects.views.get(*view)).chain(handles)
    }

    /// Returns true if a program of the vertex stages uses bindless handles.
    fn vertex_uses_handles(&self) -> bool {
        let vertex = (VERTEX..GRID).filter(|stage| *stage != FRAGMENT);
        vertex
            .filter_map(|stage| self.objects.shader(self.bound.shader(stage)))
            .any(|shader| shader.program().uses.contains(Uses::BINDLESS))
    }

    /// Lends the textures that the vertex stages may sample.
    fn lend_vertex_textures(
        &self,
        loans: &mut Loans<'m>,
        resources: &Pool<'m, Resource<'m>>,
    ) -> Result<(), OutOfMemory> {
        for view in self.vertex_views() {
            let (first, last) = view.state.first_and_last_level();
            loans.lend(resources, view.resource, first..=last)?;
        }
        Ok(())
    }

    /// Returns true if no other context uses resources that the draw writes, or writes resources
    /// that it reads.
    fn is_ready(&self, info: &DrawInfo<'_>, resources: &Pool<'m, Resource<'m>>) -> bool {
        let mut ready = self.can_draw(resources)
            && self.streams.written().iter().flatten().all(|handle| is_idle(resources, *handle))
            && self.vertex_views().all(|view| is_readable(resources, view.resource));
        self.each_input(info, &mut |handle| ready &= is_readable(resources, handle));
        ready
    }

    /// Runs Draw over the parts of one draw. The surfaces' memory, and the buffers that the draw
    /// streams to, are taken out of their resources.
    fn draw(
        &mut self,
        parts: Parts<'_>,
        claim: &Claim<'_, 'm>,
        surfaces: &mut Surfaces<'m>,
        memory: ShaderMemory<'_>,
        capture: Option<&mut Capture<'m>>,
    ) -> Result<(), PipeError> {
        let record = self.record_or_make_room(claim, surfaces, memory)?;
        if !FRAGMENTS
            && !self.scene.draws.get(record as usize).is_some_and(DrawRecord::is_for_spans)
        {
            return Err(PipeError::Unsupported(
                "this fragment shader, state or texture on this target (`spans-all` takes more, `fragments` takes all)",
            ));
        }
        let result = self.run(record, parts, claim, surfaces, memory, capture);
        if self.scene.spilled > 0 {
            return result.and(Err(self.scene.too_small()));
        }
        result
    }

    /// Runs Draw into the scene, for the draw with this `record`.
    fn run(
        &mut self,
        record: u32,
        parts: Parts<'_>,
        claim: &Claim<'_, 'm>,
        surfaces: &mut Surfaces<'m>,
        memory: ShaderMemory<'_>,
        capture: Option<&mut Capture<'m>>,
    ) -> Result<(), PipeError> {
        let Parts { info, draws } = parts;
        let rasterizer = self.rasterizer();
        let Context {
            objects,
            bound,
            scene,
            flights,
            pipeline,
            workers,
            #[cfg(feature = "workers")]
            geometry,
            queries,
            #[cfg(feature = "check")]
            primitives_drawn,
            streams,
            framebuffer,
            os,
            device,
            ..
        } = self;
        let work = device.work;
        let vertex = objects.shader(bound.shaders[VERTEX]);
        let vertex = vertex.ok_or(PipeError::Unbound("vertex shader"))?;
        #[cfg_attr(not(feature = "generated"), expect(unused_mut, reason = "code replaces it"))]
        let mut program = vertex.program();
        #[cfg(feature = "generated")]
        generator::enter::<P::Row>(vertex.code(), &mut program, batches::<P::Row>(info, draws));
        let fragment = objects.shader(bound.shaders[FRAGMENT]);
        let modes = match (objects.shader(bound.last_vertex_stage()), fragment) {
            (Some(last), Some(fragment)) => output_modes(last, fragment, rasterizer.flatshade),
            _ => OutputModes::default(),
        };
        let elements = bound.elements.and_then(|handle| objects.elements.get(handle));
        let constants = stage_constants(bound, VERTEX, claim.inputs());
        // Vertex stages sample textures during the call, so they use the current bindings.
        let mut bindings = Vec::new_in(os.memory);
        if VERTEX_TEXTURES {
            add_textures(&mut bindings, objects, bound, VERTEX, &program)?;
        }
        #[cfg(feature = "stages")]
        let (later, later_constants) = (
            later::Later::new(objects, bound),
            later::STAGES.map(|stage| stage_constants(bound, stage, claim.inputs())),
        );
        #[cfg(feature = "stages")]
        let stages = later.stages(bound, &later_constants);
        #[cfg(feature = "stages")]
        let units = later.add_textures(&mut bindings, objects, bound)?;
        let mut levels = Levels::with_room_for(&bindings, os.memory)?;
        let mut samplers = Vec::try_with_capacity_in(bindings.len(), os.memory)?;
        if VERTEX_TEXTURES {
            levels.find(&bindings, claim.inputs());
            levels.samplers(&bindings, &mut samplers);
        }
        let textures = Textures {
            bindings: &bindings,
            samplers: &samplers,
            memory: memory.for_stage(VERTEX),
            work,
            code: vertex.code(),
        };
        #[cfg(feature = "workers")]
        let of_vertices = textures;
        #[cfg(feature = "stages")]
        let mut textures = units.of(textures);
        #[cfg(not(feature = "stages"))]
        let mut textures = textures;
        #[cfg(feature = "stages")]
        let clips = later.viewport_clips(bound, framebuffer, &rasterizer);
        let state = DrawState {
            program: &program,
            rasterizer: &rasterizer,
            viewports: &bound.viewports,
            clip: &bound.clip,
            elements: elements.map_or(&[], |elements| elements.as_slice()),
            vertex_buffers: &vertex_buffers(bound, claim.inputs()),
            index: index_bytes(info, claim.inputs()),
            constants: &constants,
            modes,
            // Only polygon offsets need it.
            depth_step: match PRIMITIVE_EFFECTS {
                true => DepthStep::of(framebuffer.depth().map(|zs| zs.format)),
                false => DepthStep::None,
            },
            #[cfg(feature = "stages")]
            stages: stages.as_ref(),
            #[cfg(not(feature = "stages"))]
            stages: None,
        };
        let mut overflow = Overflow {
            framebuffer,
            shaders: &objects.shaders,
            claim,
            surfaces,
            way: flights.way(device),
            memory: memory.for_stage(FRAGMENT),
            workers,
            threads: os.threads,
            work,
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
            watch: device.timer().start(Phase::Assembly),
            #[cfg(feature = "stages")]
            viewports: Viewports::new(&clips),
        };
        sink.scene.layer = 0;
        #[cfg(feature = "workers")]
        let is_alone = framebuffer.is_streamed() || !device.debug.has(Debug::GEOMETRY);
        let mut result = Ok(());
        let pipeline = super::pipeline::<P>(pipeline, os.memory)?;
        for (number, part) in draws.iter().enumerate() {
            let draw = Draw::part(info, number as u32, part);
            let vertices = u64::from(draw.count).saturating_mul(draw.instance_count.into());
            if let Err(reason) = work.spend(vertices.max(draw.instance_count.into())) {
                result = Err(reason);
                break;
            }
            #[cfg(feature = "workers")]
            let ran = Geometry {
                state: &state,
                draw: &draw,
                textures: of_vertices,
                threads: os.threads,
                is_alone,
                timer: device.timer(),
            }
            .run(geometry, pipeline, &mut sink, &mut textures);
            #[cfg(not(feature = "workers"))]
            let ran = pipeline.run(&state, &draw, &mut sink, &mut textures);
            match ran {
                Ok(statistics) => {
                    device.timer().count(Counter::Draws, 1);
                    device.timer().count(Counter::Vertices, statistics.vs_invocations);
                    device.timer().count(Counter::Primitives, statistics.c_primitives);
                    #[cfg(feature = "check")]
                    {
                        *primitives_drawn = primitives_drawn.wrapping_add(statistics.c_primitives);
                    }
                    queries.add_draw(statistics);
                }
                Err(error) => {
                    result = work.spend(0).and(Err(error.into()));
                    break;
                }
            }
        }
        // The record has moved if the scene was emptied.
        let record = sink.end();
        queries.add_pixels(overflow.counts);
        queries.add_scenes(overflow.scenes);
        self.record = Some(record);
        result
    }

    /// Records the bound state; rasterizes the scene first if it is full.
    fn record_or_make_room(
        &mut self,
        claim: &Claim<'_, 'm>,
        surfaces: &mut Surfaces<'m>,
        memory: ShaderMemory<'_>,
    ) -> Result<u32, PipeError> {
        let recorded = match self.record_state(claim.inputs()) {
            Err(RecordError::Full) => {
                self.make_room(claim, surfaces, memory)?;
                self.record_state(claim.inputs())
            }
            recorded => recorded,
        };
        recorded.map_err(|error| match error {
            RecordError::Full => self.scene.too_small(),
            RecordError::Pipe(error) => error,
        })
    }

    /// Rasterizes the scene so that a new one can begin.
    fn make_room(
        &mut self,
        claim: &Claim<'_, 'm>,
        surfaces: &mut Surfaces<'m>,
        memory: ShaderMemory<'_>,
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
        self.rasterize_to(surfaces, lent.inputs(), memory.for_stage(FRAGMENT), None)
    }
}

/// The inputs for rasterizing a full scene in the middle of a draw.
struct Overflow<'c, 's, 'm, P: Profile> {
    framebuffer: &'c Framebuffer,
    shaders: &'c Pool<'m, Shader<'m>>,
    claim: &'c Claim<'c, 'm>,
    surfaces: &'c mut Surfaces<'m>,
    way: Way<'c, 's, 'm, P>,
    memory: ShaderMemory<'c>,
    workers: Workers<'c, 'm, P>,
    threads: &'c dyn Threads,
    work: Work<'m>,
    timer: Timer<'c>,
    /// The counts of the rasterized scenes.
    counts: PixelCounts,
    /// Set if scenes are counted too.
    counts_scenes: bool,
    scenes: SceneCounts,
}

/// Returns the number of lane batches that the vertices of a draw fill, at most 64. A program that
/// runs in large draws then gets machine code within a few draws.
#[cfg(feature = "generated")]
fn batches<R: tgsi::exec::Lanes>(info: &DrawInfo<'_>, draws: &[DrawStartCount]) -> u32 {
    let vertices: u64 = draws.iter().map(|draw| u64::from(draw.count)).sum();
    let vertices = vertices.saturating_mul(info.instance_count.into());
    vertices.div_ceil(R::COUNT as u64).min(64) as u32
}

impl<'m, P: Profile> Overflow<'_, '_, 'm, P> {
    /// Empties the scene but keeps the record of `draw`; returns the record's new index.
    fn make_room(&mut self, scene: &mut Scene<'m, P>, draw: u32) -> Result<u32, PipeError> {
        if self.framebuffer.is_streamed() {
            // A streamed frame cannot be drawn in parts: its rest is only measured for the error.
            scene.spill(draw);
            return Ok(0);
        }
        if FLIGHTS {
            self.way.make(self.workers, self.claim, self.surfaces)?;
        }
        let &mut Overflow { framebuffer, shaders, claim, memory, threads, work, timer, .. } = self;
        let lent = claim.lend_scene(scene.textures())?;
        let inputs = lent.inputs();
        if self.counts_scenes {
            self.scenes.add(scene, None);
        }
        let frame = Frame { scene, framebuffer, shaders, inputs, memory, threads, work, timer };
        self.counts += frame.rasterize(self.surfaces, self.workers, None)?;
        scene.keep_only(draw);
        Ok(0)
    }
}

/// Returns the bytes of a stage's constant buffers.
pub(super) fn stage_constants<'r>(
    bound: &'r Bound<'_>,
    stage: usize,
    inputs: Inputs<'r, '_>,
) -> [&'r [u8]; MAX_CONSTANT_BLOCKS] {
    let mut constants: [&[u8]; MAX_CONSTANT_BLOCKS] = [&[]; _];
    for (slot, buffer) in constants.iter_mut().zip(bound.constants.get(stage).into_iter().flatten())
    {
        *slot = constant_bytes(buffer, inputs);
    }
    constants
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
#[inline(never)]
fn output_modes(last: &Shader<'_>, fragment: &Shader<'_>, flatshade: bool) -> OutputModes {
    OutputModes::link(&last.program(), &fragment.program(), flatshade)
}
