//! The geometry stage: turns primitives into strips of new vertices.
//!
//! A lane is one invocation for one primitive. Lanes emit at different times, so each lane has
//! separate room for `GS_MAX_OUTPUT_VERTICES` vertices. Afterwards the strips of all lanes are
//! split into primitives in order: primitive by primitive, invocation by invocation.

use super::link::{Link, fill, first_lanes, stride};
use super::{Primitives, StageBlock};
use crate::assemble::{Assembler, Primitive};
use crate::error::DrawError;
use crate::sink::PrimitiveSink;
use crate::state::Stage;
use crate::tail::{Shaded, Tail};
use crate::vertex::SlotIndex;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use pipe_core::PrimType;
use tgsi::declaration::SemanticName;
use tgsi::exec::{self, Emitted, Lanes, Mask, Resources, VertexRequest};
use tgsi::program::{Output, Program, Row};
use tgsi::property::{Primitive as PrimitiveName, Property};

/// The most vertices that an invocation can emit; further vertices are dropped.
pub const MAX_EMITTED: u32 = 1024;
/// The most invocations of a primitive.
pub const MAX_INVOCATIONS: u32 = 32;
/// The vertices that all lanes of a batch may emit, per slot of the segment. At least one lane
/// always runs.
const BATCH_VERTICES_PER_SLOT: usize = 2;
/// The number of lanes of the widest batch.
const MAX_LANES: usize = Mask::BITS as usize;
/// Number of vertex streams.
const STREAMS: usize = 4;

/// Flag of an emitted vertex, stored with its stream: its primitive ends here.
const ENDS: u8 = 4;
const STREAM: u8 = 3;

/// The memory of the stage.
pub(super) struct GeometryMemory<'m> {
    /// The words of the register file, before it is aligned.
    rows: Vec<'m, u32>,
    /// The emitted vertices' outputs, lane by lane, and room for one more.
    outputs: Vec<'m, [f32; 4]>,
    /// The emitted vertices' streams, and [`ENDS`].
    marks: Vec<'m, u8>,
    block: StageBlock<'m>,
}

impl<'m> GeometryMemory<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        GeometryMemory {
            rows: Vec::new_in(memory),
            outputs: Vec::new_in(memory),
            marks: Vec::new_in(memory),
            block: StageBlock::new_in(memory),
        }
    }
}

/// The stage of a draw. Derived once per draw.
pub(super) struct Geometry<'r> {
    stage: Stage<'r>,
    link: Link,
    /// The number of output registers of a vertex.
    stride: usize,
    /// The number of vertices that an invocation may emit.
    max_vertices: usize,
    invocations: u32,
    /// The number of invocations that run at once.
    lanes: usize,
    strips: Assembler,
}

/// Returns the number of vertices of the primitives that a geometry shader reads.
pub(super) fn input_size(program: &Program<'_>) -> usize {
    let input = program.properties.input_primitive().unwrap_or(PrimitiveName::Triangles);
    usize::from(input.vertices())
}

impl<'r> Geometry<'r> {
    /// Derives the stage, sizes its memory and prepares its registers. `before` are the outputs of
    /// the stage before, `slots` is the number of the segment's slots.
    pub(super) fn new<R: Lanes, E>(
        memory: &mut GeometryMemory<'_>,
        stage: Stage<'r>,
        before: &[Output],
        (first_provokes, slots): (bool, usize),
    ) -> Result<Self, DrawError<E>> {
        let program = stage.program;
        let properties = program.properties;
        let mode = match properties.output_primitive() {
            Some(PrimitiveName::Points) => PrimType::Points,
            Some(PrimitiveName::Lines | PrimitiveName::LineStrip) => PrimType::LineStrip,
            _ => PrimType::TriangleStrip,
        };
        let strips = Assembler::new(mode, first_provokes).ok_or(DrawError::Patches)?;
        let max = properties.value(Property::GsMaxOutputVertices).min(MAX_EMITTED) as usize;
        let most = BATCH_VERTICES_PER_SLOT * slots;
        let lanes = (most / max.max(1)).clamp(1, R::COUNT.min(MAX_LANES));
        let geometry = Geometry {
            stage,
            link: Link::new(program.inputs, before),
            stride: stride(program.outputs),
            max_vertices: max,
            invocations: properties.value(Property::GsInvocations).clamp(1, MAX_INVOCATIONS),
            lanes,
            strips,
        };
        geometry.reserve::<R>(memory)?;
        let rows = exec::register_file::<R>(&mut memory.rows);
        exec::prepare(program, rows, stage.constants).map_err(DrawError::Shader)?;
        Ok(geometry)
    }

    fn reserve<R: Lanes>(&self, memory: &mut GeometryMemory<'_>) -> Result<(), OutOfMemory> {
        let words = usize::from(self.stage.program.rows) * R::COUNT + exec::REGISTER_FILE_PADDING;
        if memory.rows.len() < words {
            memory.rows.try_resize(words, 0)?;
        }
        let vertices = self.lanes * self.max_vertices;
        let outputs = (vertices + 1) * self.stride;
        if memory.outputs.len() < outputs {
            memory.outputs.try_resize(outputs, [0.0; 4])?;
        }
        if memory.marks.len() < vertices {
            memory.marks.try_resize(vertices, 0)?;
        }
        memory.block.reserve_for(vertices, vertices)
    }

    /// Runs the shader over a block of primitives and passes the new primitives to `tail`, in
    /// order.
    pub(super) fn run<R: Lanes, S: PrimitiveSink>(
        &self,
        memory: &mut GeometryMemory<'_>,
        input: &Primitives<'_>,
        tail: &mut Tail<'_, S>,
        resources: &mut dyn Resources<R>,
    ) -> Result<(), DrawError<S::Error>> {
        let program = self.stage.program;
        resources.enter_stage(program.processor);
        let total = input.ids.len() as u64 * u64::from(self.invocations);
        let mut next = 0;
        while next < total {
            let count = (total - next).min(self.lanes as u64) as usize;
            // Lanes beyond `count` do not run.
            let place = |lane: usize| {
                let invocation = next + lane as u64;
                let each = u64::from(self.invocations);
                ((invocation / each) as usize, (invocation % each) as u32)
            };
            let mut primitives = [0; MAX_LANES];
            for (lane, primitive) in primitives.iter_mut().enumerate().take(count) {
                *primitive = place(lane).0;
            }
            let rows = exec::register_file::<R>(&mut memory.rows);
            let id = |lane: usize| input.ids.get(place(lane).0).copied().unwrap_or(0);
            for value in program.inputs {
                if value.semantic.name == SemanticName::PrimitiveId {
                    fill(rows, &value.rows, id);
                }
            }
            for value in program.system_values {
                match value.semantic.name {
                    SemanticName::PrimitiveId => fill(rows, &value.rows, id),
                    SemanticName::InvocationId => fill(rows, &value.rows, |lane| place(lane).1),
                    _ => fill(rows, &value.rows, |_| 0),
                }
            }
            let mut lanes = GeometryLanes {
                geometry: self,
                input,
                primitives: &primitives,
                counts: [0; MAX_LANES],
                outputs: &mut memory.outputs,
                marks: &mut memory.marks,
                resources,
            };
            exec::run(program, rows, first_lanes(count), self.stage.constants, &mut lanes)
                .map_err(DrawError::Shader)?;
            let counts = lanes.counts;
            let counts = counts.get(..count).unwrap_or(&[]);
            tail.statistics.stages.gs_invocations += count as u64;
            let emitted = counts.iter().map(|count| u32::from(*count)).sum();
            if cfg!(feature = "budget") && resources.stopped(emitted) {
                return Err(DrawError::Stopped);
            }
            self.take_apart(memory, counts, tail)?;
            next += count as u64;
        }
        Ok(())
    }

    /// Splits the strips of all lanes into primitives, and passes these to `tail`.
    fn take_apart<S: PrimitiveSink>(
        &self,
        memory: &mut GeometryMemory<'_>,
        counts: &[u16],
        tail: &mut Tail<'_, S>,
    ) -> Result<(), DrawError<S::Error>> {
        let GeometryMemory { outputs, marks, block, .. } = memory;
        let vertices = self.lanes * self.max_vertices;
        let outputs = outputs.as_mut_slice();
        let Some((outputs, rest)) = outputs.split_at_mut_checked(vertices * self.stride) else {
            return Ok(());
        };
        let scratch = rest.get_mut(..self.stride).unwrap_or_default();
        let StageBlock { slots, primitives, .. } = block;
        let mut shaded = Shaded { slots, outputs, scratch };
        primitives.clear();
        for (lane, count) in counts.iter().enumerate() {
            let mut strips = [const { None::<Assembler> }; STREAMS];
            let first = lane * self.max_vertices;
            for place in first..first + usize::from(*count) {
                let mark = marks.get(place).copied().unwrap_or(0);
                let stream = mark & STREAM;
                if stream == 0 {
                    self.project(tail, &mut shaded, place);
                }
                let Some(strip) = strips.get_mut(usize::from(stream)) else { continue };
                let strip = strip.get_or_insert_with(|| self.strips.clone());
                let mut emit = |primitive: Primitive<u32>| {
                    let primitive = primitive.over(primitive.vertices.map(|v| v as SlotIndex));
                    tail.statistics.stages.gs_primitives += 1;
                    if stream == 0 {
                        let _ = primitives.push_within_capacity(primitive);
                    } else {
                        tail.capture_only(stream, &shaded, &primitive);
                    }
                    Ok::<(), DrawError<S::Error>>(())
                };
                strip.push(place as u32, &mut emit)?;
                if mark & ENDS != 0 {
                    strip.finish(&mut emit)?;
                }
            }
        }
        tail.primitives(shaded, primitives, &[])
    }

    /// Clamps the colours of an emitted vertex and fills in its slot.
    #[inline(always)]
    fn project<S>(&self, tail: &Tail<'_, S>, shaded: &mut Shaded<'_>, place: usize) {
        let outputs = shaded.outputs.get_mut(place * self.stride..(place + 1) * self.stride);
        let Some(outputs) = outputs else { return };
        let transform = &tail.state.transform;
        transform.clamp_colors(self.stage.program, outputs);
        if let Some(slot) = shaded.slots.get_mut(place).filter(|_| !tail.discards) {
            *slot = transform.project(outputs);
        }
    }
}

/// The primitives that a batch of invocations reads, and the vertices that it emits.
struct GeometryLanes<'a, 'r, R: Lanes> {
    geometry: &'a Geometry<'r>,
    input: &'a Primitives<'a>,
    /// The primitive of each lane.
    primitives: &'a [usize; MAX_LANES],
    /// The number of vertices that each lane has emitted.
    counts: [u16; MAX_LANES],
    outputs: &'a mut [[f32; 4]],
    marks: &'a mut [u8],
    resources: &'a mut dyn Resources<R>,
}

impl<R: Lanes> Resources<R> for GeometryLanes<'_, '_, R> {
    resources_of_the_draw!();

    fn load_vertex(&mut self, request: &VertexRequest<'_, R>, out: &mut R) {
        let link = &self.geometry.link;
        if let Some((register, vertex)) = request.uniform()
            && let Ok(vertex) = usize::try_from(vertex)
            && vertex < self.input.size
            && let Some(output) = link.output(register)
            && output < self.input.stride
        {
            let place = (vertex, output, request.component);
            let out = out.as_mut_slice();
            return self.input.read_lanes(self.primitives, place, request.live, out);
        }
        for lane in request.lanes() {
            let primitive = self.primitives.get(lane).copied().unwrap_or(0);
            let outputs = self.input.vertex(primitive, request.vertex(lane));
            if let Some(place) = out.as_mut_slice().get_mut(lane) {
                *place = link.read(outputs, request.register(lane), request.component);
            }
        }
    }

    fn emit(&mut self, vertex: &Emitted<'_, R>) {
        let Geometry { max_vertices, stride, .. } = *self.geometry;
        // `Row::NONE` is beyond all rows, so it needs no separate check.
        let rows = vertex.rows.get(..usize::from(Row::NONE.0)).unwrap_or(vertex.rows);
        let [zero, one] = R::ZERO_AND_ONE;
        let live = |lane: usize| vertex.live >> lane & 1 != 0;
        for output in vertex.outputs {
            let row = |row: Row, unwritten| rows.get(usize::from(row.0)).unwrap_or(unwritten);
            let [x, y, z, w] = output.rows;
            let of = [row(x, zero), row(y, zero), row(z, zero), row(w, one)];
            let [x, y, z, w] = of.map(Lanes::as_slice);
            let lanes = x.iter().zip(y).zip(z).zip(w).zip(&self.counts).enumerate();
            for (lane, ((((x, y), z), w), count)) in lanes.filter(|(lane, _)| live(*lane)) {
                let count = usize::from(*count);
                let at = (lane * max_vertices + count) * stride + usize::from(output.register);
                if count < max_vertices
                    && let Some(place) = self.outputs.get_mut(at)
                {
                    *place = [*x, *y, *z, *w].map(f32::from_bits);
                }
            }
        }
        for (lane, count) in self.counts.iter_mut().enumerate().filter(|(lane, _)| live(*lane)) {
            let place = usize::from(*count);
            if place < max_vertices
                && let Some(mark) = self.marks.get_mut(lane * max_vertices + place)
            {
                *mark = vertex.stream as u8 & STREAM;
                *count += 1;
            }
        }
    }

    fn end_primitive(&mut self, stream: u32, live: Mask) {
        let max = self.geometry.max_vertices;
        let lanes = self.counts.iter().enumerate();
        for (lane, count) in lanes.filter(|(lane, _)| live >> lane & 1 != 0) {
            let first = lane * max;
            let emitted = self.marks.get_mut(first..first + usize::from(*count));
            let marks = emitted.unwrap_or_default().iter_mut();
            let mut of_stream = marks.rev().filter(|mark| u32::from(**mark & STREAM) == stream);
            if let Some(mark) = of_stream.next() {
                *mark |= ENDS;
            }
        }
    }
}
