//! The chain of stages after the vertex shader: runs tessellation and geometry shaders over bounded
//! blocks.
//!
//! ```text
//!   indices ─► groups ─► segment ─► (full) ─► vertex shader ─┬────────────────────────┬─► geometry ─► tail
//!                                                             └─► control ─► evaluation ┘
//! ```
//!
//! A group is a point, line or triangle, with or without its neighbours, or a patch. Draws without
//! later stages take the shorter path in [`crate::pipeline`].
//!
//! | file | content |
//! |---|---|
//! | `mod` | the loop over groups and blocks |
//! | `evaluation` | the tessellator and the tessellation evaluation shader over a block's patches |
//! | `control` | the tessellation control shader over a group of patches |
//! | `geometry` | the geometry shader over a block's primitives |
//! | `link` | maps a stage's inputs to the outputs of the stage before |

/// Defines the methods of [`Resources`] that a stage forwards to the draw's resources, its field
/// `resources`.
macro_rules! resources_of_the_draw {
    () => {
        fn sample(&mut self, request: &tgsi::exec::SampleRequest<'_, R>, out: &mut [R; 4]) {
            self.resources.sample(request, out);
        }

        fn memory(&mut self, request: &tgsi::exec::MemoryRequest<'_, R>, out: &mut [R; 4]) {
            self.resources.memory(request, out);
        }

        fn stopped(&mut self, units: u32) -> bool {
            self.resources.stopped(units)
        }

        fn clock(&mut self) -> u64 {
            self.resources.clock()
        }
    };
}

#[cfg(feature = "tessellation")]
mod control;
#[cfg(feature = "tessellation")]
mod evaluation;
pub(crate) mod geometry;
mod link;

use crate::assemble::Primitive;
use crate::attribute::Instance;
use crate::error::DrawError;
use crate::groups::{Group, GroupAssembler, Shape};
use crate::primitive::Targets;
use crate::segment::Segment;
use crate::shade::{VertexTransform, shade};
use crate::sink::PrimitiveSink;
#[cfg(feature = "tessellation")]
use crate::state::Stage;
use crate::state::{Draw, DrawState, Stages};
use crate::stop::{INDICES_BETWEEN_CHECKS, check_stopped};
use crate::tail::{Shaded, Tail};
use crate::vertex::{Slot, SlotIndex};
use geometry::{Geometry, GeometryMemory};
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use tgsi::declaration::{Semantic, SemanticName};
use tgsi::exec::{self, Lanes, Mask, Resources};
use tgsi::program::Program;
use tgsi::shader::Processor;

/// A block of primitives, as a later stage reads it.
pub(crate) struct Primitives<'b> {
    /// The vertices' outputs, `stride` registers each.
    outputs: &'b [[f32; 4]],
    stride: usize,
    /// The vertices of each primitive, `size` each.
    corners: &'b [SlotIndex],
    size: usize,
    /// The number of each primitive.
    ids: &'b [u32],
}

impl Primitives<'_> {
    /// Returns the outputs of a vertex of a primitive; none if there is no such vertex.
    #[inline(always)]
    fn vertex(&self, primitive: usize, vertex: i32) -> &[[f32; 4]] {
        let vertex = usize::try_from(vertex).ok().filter(|vertex| *vertex < self.size);
        let corner = vertex.and_then(|vertex| self.corners.get(primitive * self.size + vertex));
        let start = corner.map_or(usize::MAX, |corner| usize::from(*corner) * self.stride);
        self.outputs.get(start..start.saturating_add(self.stride)).unwrap_or(&[])
    }

    /// Writes a component of an output register, of one vertex of each lane's primitive, to the
    /// lanes of `live`. A missing vertex gives the value of a component that no stage writes.
    #[inline(always)]
    fn read_lanes(
        &self,
        primitives: &[usize],
        (vertex, output, component): (usize, usize, u8),
        live: Mask,
        out: &mut [u32],
    ) {
        let lanes = out.iter_mut().zip(primitives).enumerate();
        for (_, (out, primitive)) in lanes.filter(|(lane, _)| live >> lane & 1 != 0) {
            let corner = self.corners.get(primitive * self.size + vertex);
            let at =
                corner.map_or(usize::MAX, |corner| usize::from(*corner) * self.stride + output);
            let value = self.outputs.get(at).and_then(|value| value.get(usize::from(component)));
            *out = value.map_or_else(|| link::unwritten(component), |value| value.to_bits());
        }
    }
}

/// Slots and primitives that a stage makes.
pub(crate) struct StageBlock<'m> {
    slots: Vec<'m, Slot>,
    primitives: Vec<'m, Primitive<SlotIndex>>,
}

impl<'m> StageBlock<'m> {
    fn new_in(memory: Memory<'m>) -> Self {
        StageBlock { slots: Vec::new_in(memory), primitives: Vec::new_in(memory) }
    }

    /// Makes room for `vertices` vertices and `primitives` primitives.
    fn reserve_for(&mut self, vertices: usize, primitives: usize) -> Result<(), OutOfMemory> {
        if self.slots.len() < vertices {
            self.slots.try_resize(vertices, Slot::INVALID)?;
        }
        if self.primitives.capacity() < primitives {
            self.primitives.clear();
            self.primitives.try_reserve_exact(primitives)?;
        }
        Ok(())
    }
}

/// The memory of the stages, and of the groups that wait for them.
pub(crate) struct ChainMemory<'m> {
    corners: Vec<'m, SlotIndex>,
    shapes: Vec<'m, Shape>,
    ids: Vec<'m, u32>,
    primitives: Vec<'m, Primitive<SlotIndex>>,
    geometry: GeometryMemory<'m>,
    #[cfg(feature = "tessellation")]
    control: control::ControlMemory<'m>,
    #[cfg(feature = "tessellation")]
    evaluation: evaluation::EvaluationMemory<'m>,
}

impl<'m> ChainMemory<'m> {
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        ChainMemory {
            corners: Vec::new_in(memory),
            shapes: Vec::new_in(memory),
            ids: Vec::new_in(memory),
            primitives: Vec::new_in(memory),
            geometry: GeometryMemory::new_in(memory),
            #[cfg(feature = "tessellation")]
            control: control::ControlMemory::new_in(memory),
            #[cfg(feature = "tessellation")]
            evaluation: evaluation::EvaluationMemory::new_in(memory),
        }
    }

    /// Makes room for `count` groups of `size` vertices.
    fn reserve(&mut self, count: usize, size: usize) -> Result<(), OutOfMemory> {
        let ChainMemory { corners, shapes, ids, primitives, .. } = self;
        corners.clear();
        shapes.clear();
        ids.clear();
        primitives.clear();
        corners.try_reserve_exact(count * size)?;
        shapes.try_reserve_exact(count)?;
        ids.try_reserve_exact(count)?;
        primitives.try_reserve_exact(count)
    }
}

/// The parts of a pipeline that the chain uses.
pub(crate) struct ChainParts<'p, 'm, R: Lanes> {
    pub(crate) segment: &'p mut Segment<'m>,
    /// The words of the vertex shader's register file.
    pub(crate) rows: &'p mut [u32],
    /// The vertex shader's outputs, for all slots and one more vertex.
    pub(crate) outputs: &'p mut [[f32; 4]],
    /// The number of output registers of the vertex shader.
    pub(crate) stride: usize,
    pub(crate) memory: &'p mut ChainMemory<'m>,
    pub(crate) resources: &'p mut dyn Resources<R>,
}

/// Returns the registers that choose layer and viewport of each primitive, or hold its number;
/// `None` if the last vertex stage `program` has none of them.
pub(crate) fn targets(
    program: &Program<'_>,
    stages: Option<&Stages<'_>>,
    guard_band: u32,
) -> Option<Targets> {
    let find = |name| link::register_of(program.outputs, Semantic::new(name, 0));
    let targets = Targets {
        layer: find(SemanticName::Layer),
        viewport: find(SemanticName::ViewportIndex),
        number: stages.and_then(|stages| stages.primitive_number),
        current: 0,
        guard_band,
    };
    (targets.layer.or(targets.viewport).or(targets.number)).map(|_| targets)
}

/// A draw that is running through the chain.
pub(crate) struct ChainRun<'r, 'm, R: Lanes, S> {
    pub(crate) parts: ChainParts<'r, 'm, R>,
    pub(crate) state: &'r DrawState<'r>,
    pub(crate) draw: &'r Draw,
    pub(crate) tail: Tail<'r, S>,
    geometry: Option<Geometry<'r>>,
    #[cfg(feature = "tessellation")]
    evaluation: Option<evaluation::Evaluation<'r>>,
    /// Set if the vertex shader is not the last stage: projects nothing.
    unprojected: Option<VertexTransform>,
    /// The number of vertices of a group.
    size: usize,
    instance: Instance,
}

impl<'r, 'm, R: Lanes, S: PrimitiveSink> ChainRun<'r, 'm, R, S> {
    /// Derives the stages of a draw, sizes their memory, and runs the draw.
    ///
    /// # Errors
    /// The errors of [`Pipeline::run`](crate::Pipeline::run).
    pub(crate) fn run(
        mut parts: ChainParts<'r, 'm, R>,
        (state, draw, stages): (&'r DrawState<'r>, &'r Draw, &'r Stages<'r>),
        tail: Tail<'r, S>,
    ) -> Result<Tail<'r, S>, DrawError<S::Error>> {
        let first_provokes = state.rasterizer.flatshade_first;
        let geometry = stages.geometry.filter(|_| cfg!(feature = "geometry-shaders"));
        let neighbours = geometry.is_some();
        let assembler =
            GroupAssembler::new(draw.mode, stages.patch_vertices, first_provokes, neighbours);
        let size = assembler.size(draw.mode);
        let are_patches = matches!(assembler, GroupAssembler::Patches { .. });
        parts.segment.hold_groups_of(size)?;
        let (before, made) = (state.program.outputs, size);
        #[cfg(feature = "tessellation")]
        let evaluation = match stages.evaluation.filter(|_| are_patches) {
            Some(stage) => Some(evaluation_stage(&mut parts, state, stages, (stage, size))?),
            None => None,
        };
        #[cfg(feature = "tessellation")]
        let (before, made) = match (&evaluation, stages.evaluation) {
            (Some(evaluation), Some(stage)) => (stage.program.outputs, evaluation.size),
            _ => (before, made),
        };
        let tessellates = cfg!(feature = "tessellation") && stages.evaluation.is_some();
        if are_patches != tessellates {
            return Err(DrawError::Patches);
        }
        let geometry = match geometry {
            Some(stage) if geometry::input_size(stage.program) != made => {
                return Err(DrawError::GeometryInput);
            }
            Some(stage) => {
                let memory = &mut parts.memory.geometry;
                let slots = parts.segment.len();
                Some(Geometry::new::<R, _>(memory, stage, before, (first_provokes, slots))?)
            }
            None => None,
        };
        let slots = parts.segment.len();
        parts.memory.reserve((3 * slots / size.max(1)).clamp(1, slots), size)?;
        let unprojected = (geometry.is_some() || tessellates).then(VertexTransform::none);
        let mut run = ChainRun {
            parts,
            state,
            draw,
            tail,
            geometry,
            #[cfg(feature = "tessellation")]
            evaluation,
            unprojected,
            size,
            instance: Instance { number: 0, first: draw.start_instance },
        };
        for number in 0..draw.instance_count {
            run.instance.number = number;
            run.instance(assembler.clone())?;
        }
        Ok(run.tail)
    }

    /// Draws one instance.
    fn instance(&mut self, mut assembler: GroupAssembler) -> Result<(), DrawError<S::Error>> {
        self.parts.segment.clear();
        let Draw { count, .. } = *self.draw;
        let (mut indices, bias, restart) = self.state.indices(self.draw, self.draw.start);
        let mut restarts = 0;
        let mut left = count;
        while left > 0 {
            let now = left.min(INDICES_BETWEEN_CHECKS);
            left -= now;
            for _ in 0..now {
                let index = indices.take();
                let groups = if Some(index) == restart {
                    restarts += 1;
                    assembler.finish()
                } else {
                    assembler.push(index.wrapping_add(bias))
                };
                for group in &groups {
                    self.add(group)?;
                }
            }
            check_stopped(self.parts.resources)?;
        }
        for group in &assembler.finish() {
            self.add(group)?;
        }
        self.tail.statistics.ia_vertices += u64::from(count) - restarts;
        self.tail.statistics.ia_primitives += assembler.primitives();
        self.flush()
    }

    /// Adds a group to the block. Empties the block first if it has no room.
    fn add(&mut self, group: &Group) -> Result<(), DrawError<S::Error>> {
        if !self.has_room() {
            self.flush()?;
        }
        let ChainMemory { corners, shapes, ids, .. } = &mut *self.parts.memory;
        // There is room for all vertices: `has_room`.
        self.parts.segment.add_group(&group.vertices, |slot| {
            let _ = corners.push_within_capacity(slot);
        });
        let _ = shapes.push_within_capacity(group.shape);
        let _ = ids.push_within_capacity(group.shape.id);
        Ok(())
    }

    fn has_room(&self) -> bool {
        let ChainMemory { shapes, .. } = &*self.parts.memory;
        self.parts.segment.has_room_for_group(self.size) && shapes.len() < shapes.capacity()
    }

    /// Shades the segment's waiting vertices and runs the stages over the waiting groups.
    fn flush(&mut self) -> Result<(), DrawError<S::Error>> {
        check_stopped(self.parts.resources)?;
        let ChainParts { segment, rows, outputs, stride, memory, resources } = &mut self.parts;
        let stride = *stride;
        let Some((outputs, rest)) = outputs.split_at_mut_checked(segment.len() * stride) else {
            return Ok(());
        };
        let rows = exec::register_file::<R>(rows);
        resources.enter_stage(Processor::Vertex);
        let transform = self.unprojected.as_ref().unwrap_or(&self.tail.state.transform);
        let shading = (self.state, self.draw, self.instance);
        self.tail.statistics.vs_invocations +=
            shade(segment, rows, outputs, stride, shading, transform, *resources)?;
        let ChainMemory { corners, shapes, ids, primitives, geometry: stage_memory, .. } =
            &mut **memory;
        let size = self.size;
        #[cfg(feature = "tessellation")]
        if let Some(evaluation) = &self.evaluation {
            let ChainMemory { corners, ids, geometry, control, evaluation: memory, .. } =
                &mut **memory;
            let input = Primitives { outputs, stride, corners, size, ids };
            let geometry_memory = geometry;
            let geometry = self.geometry.as_ref();
            let beside = evaluation::Beside { control, geometry, geometry_memory };
            evaluation.run(memory, &input, beside, &mut self.tail, *resources)?;
            return self.end_block();
        }
        if let Some(geometry) = &self.geometry {
            let input = Primitives { outputs, stride, corners, size, ids };
            geometry.run(stage_memory, &input, &mut self.tail, *resources)?;
        } else {
            primitives.clear();
            let of_groups = corners.chunks_exact(size.max(1)).zip(&**shapes);
            for (corners, shape) in of_groups {
                let _ = primitives.push_within_capacity(primitive(corners, *shape));
            }
            let scratch = rest.get_mut(..stride).unwrap_or_default();
            let slots = segment.parts().0;
            self.tail.primitives(Shaded { slots, outputs, scratch }, primitives, ids)?;
        }
        self.end_block()
    }

    /// Drops the processed groups, and makes room for more.
    fn end_block(&mut self) -> Result<(), DrawError<S::Error>> {
        let ChainMemory { corners, shapes, ids, .. } = &mut *self.parts.memory;
        corners.clear();
        shapes.clear();
        ids.clear();
        self.parts.segment.advance(self.size);
        Ok(())
    }
}

/// Derives the tessellation stages of a draw of patches of `size` vertices.
#[cfg(feature = "tessellation")]
fn evaluation_stage<'r, R: Lanes, E>(
    parts: &mut ChainParts<'r, '_, R>,
    state: &'r DrawState<'r>,
    stages: &'r Stages<'r>,
    (evaluation, size): (Stage<'r>, usize),
) -> Result<evaluation::Evaluation<'r>, DrawError<E>> {
    let before = state.program.outputs;
    let levels = stages.default_levels;
    let control = match stages.control {
        Some(stage) => {
            let memory = &mut parts.memory.control;
            Some(control::Control::new::<R, _>(memory, stage, before, size, levels)?)
        }
        None => None,
    };
    let patch = evaluation::PatchState {
        vertices: size,
        default_levels: levels,
        first_provokes: state.rasterizer.flatshade_first,
        number: stages.primitive_number,
        is_last: stages.geometry.is_none(),
        slots: parts.segment.len(),
    };
    let memory = &mut parts.memory.evaluation;
    evaluation::Evaluation::new::<R, _>(memory, evaluation, control, before, &patch)
}

/// Returns a group of up to three vertices as a primitive.
fn primitive(corners: &[SlotIndex], shape: Shape) -> Primitive<SlotIndex> {
    let last = corners.last().copied().unwrap_or(0);
    let corner = |at: usize| corners.get(at).copied().unwrap_or(last);
    let Shape { provoking, edges, .. } = shape;
    let vertices = [corner(0), corner(1), corner(2)];
    Primitive { vertices, count: corners.len().min(3) as u8, provoking, edges }
}
