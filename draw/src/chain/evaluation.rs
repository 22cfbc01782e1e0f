//! The tessellator and the tessellation evaluation stage: turn patches into points, lines and
//! triangles of new vertices.
//!
//! A lane is a point of a domain; a batch has points of several patches. Points wait in a block
//! that holds as many points as the segment has slots. A patch with more points is evaluated in
//! parts. A point shared by primitives of two parts is evaluated in both.

use super::control::{Control, ControlMemory};
use super::geometry::{Geometry, GeometryMemory};
use super::link::{Link, fill, first_lanes, stride};
use super::{Primitives, StageBlock};
use crate::assemble::Primitive;
use crate::error::DrawError;
use crate::shade::{VertexTransform, collect};
use crate::sink::PrimitiveSink;
use crate::state::Stage;
use crate::tail::{Shaded, Tail};
use crate::tessellator::{Division, Domain, Levels, Output, Point, Spacing};
use crate::vertex::SlotIndex;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::simd::vectorize;
use pipe_core::TessState;
use tgsi::declaration::SemanticName;
use tgsi::exec::{self, Lanes, Resources, VertexRequest};
use tgsi::program::{Output as OutputRegister, Program, Row};
use tgsi::property::Primitive as PrimitiveName;
use tgsi::shader::Property;

/// A number that is not a slot.
const NOWHERE: SlotIndex = SlotIndex::MAX;

/// A point of a patch.
#[derive(Clone, Copy, Debug)]
struct DomainPoint {
    point: Point,
    /// Its number in the patch.
    number: u16,
    /// The patch, in its group.
    patch: u16,
}

/// The memory of the stage.
pub(super) struct EvaluationMemory<'m> {
    division: Division<'m>,
    /// The levels of each patch of the group.
    levels: Vec<'m, Levels>,
    block: PointBlock<'m>,
}

/// Points that wait to be evaluated together, and their primitives.
struct PointBlock<'m> {
    /// The words of the register file, before it is aligned.
    rows: Vec<'m, u32>,
    points: Vec<'m, DomainPoint>,
    /// The points of each primitive.
    corners: Vec<'m, SlotIndex>,
    /// The number of each primitive's patch.
    ids: Vec<'m, u32>,
    /// The slots that the points of a patch in parts were last put in, by the low bits of their
    /// numbers.
    table: Vec<'m, SlotIndex>,
    /// The points' outputs, and room for one more vertex.
    outputs: Vec<'m, [f32; 4]>,
    made: StageBlock<'m>,
    /// The largest number of points and of primitives.
    room: [usize; 2],
}

impl<'m> EvaluationMemory<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        EvaluationMemory {
            division: Division::new_in(memory),
            levels: Vec::new_in(memory),
            block: PointBlock {
                rows: Vec::new_in(memory),
                points: Vec::new_in(memory),
                corners: Vec::new_in(memory),
                ids: Vec::new_in(memory),
                table: Vec::new_in(memory),
                outputs: Vec::new_in(memory),
                made: StageBlock::new_in(memory),
                room: [0; 2],
            },
        }
    }
}

impl PointBlock<'_> {
    /// Makes room for `points` points with `stride` output registers, and for their primitives of
    /// `size` points each.
    fn reserve(&mut self, points: usize, stride: usize, size: usize) -> Result<(), OutOfMemory> {
        // Triangles that share points are at most two per point.
        let primitives = 2 * points;
        self.clear();
        self.room = [points, primitives];
        self.points.try_reserve_exact(points)?;
        self.corners.try_reserve_exact(primitives * size)?;
        self.ids.try_reserve_exact(primitives)?;
        if self.outputs.len() < (points + 1) * stride {
            self.outputs.try_resize((points + 1) * stride, [0.0; 4])?;
        }
        self.made.reserve_for(points, primitives)
    }

    fn clear(&mut self) {
        self.points.clear();
        self.corners.clear();
        self.ids.clear();
    }

    /// Returns true if there is room for `count` points and their primitives.
    fn has_room(&self, count: usize, primitives: usize) -> bool {
        let [most_points, most_primitives] = self.room;
        self.points.len() + count <= most_points && self.ids.len() + primitives <= most_primitives
    }

    /// Adds a point, which must have room; returns its slot.
    fn add(&mut self, point: Point, number: u16, patch: u16) -> SlotIndex {
        let slot = self.points.len() as SlotIndex;
        let _ = self.points.push_within_capacity(DomainPoint { point, number, patch });
        slot
    }

    /// Returns the slot of a point of a patch that is added in parts. Adds the point if it has no
    /// slot.
    fn slot_of(&mut self, division: &Division<'_>, number: u16, patch: u16) -> SlotIndex {
        let entry = usize::from(number) & (self.table.len().wrapping_sub(1));
        let known = self.table.get(entry).copied().unwrap_or(NOWHERE);
        if self.points.get(usize::from(known)).is_some_and(|point| point.number == number) {
            return known;
        }
        let slot = self.add(division.point(number), number, patch);
        if let Some(entry) = self.table.get_mut(entry) {
            *entry = slot;
        }
        slot
    }
}

/// The stage of a draw. Derived once per draw.
pub(super) struct Evaluation<'r> {
    stage: Stage<'r>,
    control: Option<Control<'r>>,
    /// Links to the outputs of the control shader, or of the vertex shader.
    link: Link,
    domain: Domain,
    spacing: Spacing,
    output: Output,
    /// The number of output registers of a vertex, including the register for the primitive's
    /// number.
    stride: usize,
    /// The number of vertices of a primitive.
    pub(super) size: usize,
    provoking: u8,
    /// The number of points that are evaluated together.
    points: usize,
    /// The number of vertices of a patch of the draw.
    vertices_in: u32,
    default_levels: TessState,
    /// Set if a geometry shader follows: projects nothing.
    unprojected: Option<VertexTransform>,
}

/// The stages around the evaluation stage, and their memory.
pub(super) struct Beside<'b, 'r, 'm> {
    pub(super) control: &'b mut ControlMemory<'m>,
    pub(super) geometry: Option<&'b Geometry<'r>>,
    pub(super) geometry_memory: &'b mut GeometryMemory<'m>,
}

/// The settings of the draw that the stage depends on.
pub(super) struct PatchState {
    /// Vertices of a patch.
    pub(super) vertices: usize,
    pub(super) default_levels: TessState,
    pub(super) first_provokes: bool,
    /// The register for the primitive's number.
    pub(super) number: Option<u16>,
    /// Set if the stage is the last one.
    pub(super) is_last: bool,
    /// The number of the segment's slots.
    pub(super) slots: usize,
}

impl<'r> Evaluation<'r> {
    /// Derives the stage, sizes its memory and prepares its registers. `before` are the vertex
    /// shader's outputs.
    pub(super) fn new<R: Lanes, E>(
        memory: &mut EvaluationMemory<'_>,
        stage: Stage<'r>,
        control: Option<Control<'r>>,
        before: &[OutputRegister],
        patch: &PatchState,
    ) -> Result<Self, DrawError<E>> {
        let program = stage.program;
        let domain = domain(program);
        let output = output(program);
        let size = match (output, domain) {
            (Output::Points, _) => 1,
            (_, Domain::Isolines) => 2,
            _ => 3,
        };
        let before = control.as_ref().map_or(before, Control::outputs);
        let number = patch.number.map_or(0, |register| usize::from(register) + 1);
        let evaluation = Evaluation {
            stage,
            link: Link::new(program.inputs, before),
            domain,
            spacing: spacing(program),
            output,
            stride: stride(program.outputs).max(number),
            size,
            points: patch.slots.clamp(R::COUNT, usize::from(NOWHERE)),
            provoking: if patch.first_provokes { 0 } else { size as u8 - 1 },
            vertices_in: control.as_ref().map_or(patch.vertices as u32, |c| c.vertices_out),
            control,
            default_levels: patch.default_levels,
            unprojected: (!patch.is_last).then(VertexTransform::none),
        };
        let words = usize::from(program.rows) * R::COUNT + exec::REGISTER_FILE_PADDING;
        let block = &mut memory.block;
        if block.rows.len() < words {
            block.rows.try_resize(words, 0)?;
        }
        block.reserve(evaluation.points, evaluation.stride, size)?;
        let rows = exec::register_file::<R>(&mut block.rows);
        exec::prepare(program, rows, stage.constants).map_err(DrawError::Shader)?;
        Ok(evaluation)
    }

    /// Tessellates a block of patches, and passes the new primitives to the geometry stage or to
    /// `tail`, in order.
    pub(super) fn run<R: Lanes, S: PrimitiveSink>(
        &self,
        memory: &mut EvaluationMemory<'_>,
        input: &Primitives<'_>,
        mut beside: Beside<'_, '_, '_>,
        tail: &mut Tail<'_, S>,
        resources: &mut dyn Resources<R>,
    ) -> Result<(), DrawError<S::Error>> {
        let patches = input.ids.len();
        let group = self.control.as_ref().map_or(R::COUNT, |control| control.group);
        let mut first = 0;
        while first < patches {
            let count = group.min(patches - first);
            if let Some(control) = &self.control {
                control.run(beside.control, input, (first, count), resources)?;
                tail.statistics.stages.hs_invocations += count as u64;
            }
            self.find_levels(memory, beside.control, count)?;
            for patch in 0..count {
                self.add_patch(memory, input, (first, patch), &mut beside, tail, resources)?;
            }
            {
                let EvaluationMemory { levels, block, .. } = &mut *memory;
                let group = Group { levels, input, first };
                self.evaluate(block, group, &mut beside, tail, resources)?;
            }
            first += count;
        }
        Ok(())
    }

    /// Stores the levels of the group's patches.
    fn find_levels(
        &self,
        memory: &mut EvaluationMemory<'_>,
        control: &ControlMemory<'_>,
        count: usize,
    ) -> Result<(), OutOfMemory> {
        memory.levels.clear();
        for patch in 0..count {
            let TessState { default_outer_level: outer, default_inner_level: inner } =
                self.default_levels;
            memory.levels.try_push(match &self.control {
                None => Levels { outer, inner },
                Some(stage) => {
                    let [outer, [a, b, ..]] = stage.levels(control, patch);
                    Levels { outer, inner: [a, b] }
                }
            })?;
        }
        Ok(())
    }

    /// Divides a patch of a group, and adds its points and primitives to the block. Evaluates the
    /// block when it is full.
    fn add_patch<R: Lanes, S: PrimitiveSink>(
        &self,
        memory: &mut EvaluationMemory<'_>,
        input: &Primitives<'_>,
        (first, patch): (usize, usize),
        beside: &mut Beside<'_, '_, '_>,
        tail: &mut Tail<'_, S>,
        resources: &mut dyn Resources<R>,
    ) -> Result<(), DrawError<S::Error>> {
        let EvaluationMemory { division, levels, block } = memory;
        let Some(own) = levels.get(patch) else { return Ok(()) };
        division.divide(self.domain, self.spacing, self.output, own)?;
        let group = Group { levels, input, first };
        let id = input.ids.get(first + patch).copied().unwrap_or(0);
        let (count, patch) = (division.count(), patch as u16);
        let points = usize::from(count);
        let parts = points > self.points;
        if !block.has_room(points, 2 * points) {
            self.evaluate(block, group, beside, tail, resources)?;
        }
        let start = block.points.len() as SlotIndex;
        if parts {
            let entries = (2 * self.points).next_power_of_two();
            block.table.try_resize(entries, NOWHERE)?;
        } else {
            for number in 0..count {
                block.add(division.point(number), number, patch);
            }
        }
        division.each_primitive(|corners| {
            if parts && !block.has_room(corners.len(), 1) {
                self.evaluate(block, group, beside, tail, resources)?;
            }
            for number in corners {
                let slot =
                    if parts { block.slot_of(division, *number, patch) } else { start + number };
                let _ = block.corners.push_within_capacity(slot);
            }
            let _ = block.ids.push_within_capacity(id);
            Ok(())
        })
    }

    /// Runs the shader over the waiting points, and passes their primitives on.
    fn evaluate<R: Lanes, S: PrimitiveSink>(
        &self,
        memory: &mut PointBlock<'_>,
        group: Group<'_>,
        beside: &mut Beside<'_, '_, '_>,
        tail: &mut Tail<'_, S>,
        resources: &mut dyn Resources<R>,
    ) -> Result<(), DrawError<S::Error>> {
        let count = memory.points.len();
        if count == 0 {
            return Ok(());
        }
        tail.statistics.stages.ds_invocations += count as u64;
        if cfg!(feature = "budget") && resources.stopped(count as u32) {
            return Err(DrawError::Stopped);
        }
        let transform = self.unprojected.as_ref().unwrap_or(&tail.state.transform);
        self.shade(memory, group, beside.control, transform, resources)?;
        let PointBlock { corners, ids, outputs, made, .. } = memory;
        let stride = self.stride;
        let Some((outputs, rest)) = outputs.split_at_mut_checked(count * stride) else {
            return Ok(());
        };
        if let Some(geometry) = beside.geometry {
            let input = Primitives { outputs, stride, corners, size: self.size, ids };
            geometry.run(beside.geometry_memory, &input, tail, resources)?;
        } else {
            let StageBlock { slots, primitives } = made;
            primitives.clear();
            for corners in corners.chunks_exact(self.size) {
                let _ = primitives.push_within_capacity(self.primitive(corners));
            }
            let slots = slots.get_mut(..count).unwrap_or_default();
            let scratch = rest.get_mut(..stride).unwrap_or_default();
            tail.primitives(Shaded { slots, outputs, scratch }, primitives, ids)?;
        }
        memory.clear();
        Ok(())
    }

    fn primitive(&self, corners: &[SlotIndex]) -> Primitive<SlotIndex> {
        match *corners {
            [a, b, c] => Primitive::triangle(a, b, c, self.provoking),
            [a, b] => Primitive::line(a, b, self.provoking),
            _ => Primitive::point(corners.first().copied().unwrap_or(0)),
        }
    }

    /// Runs the shader over the waiting points, batch by batch.
    fn shade<R: Lanes, E>(
        &self,
        memory: &mut PointBlock<'_>,
        group: Group<'_>,
        control: &ControlMemory<'_>,
        transform: &VertexTransform,
        resources: &mut dyn Resources<R>,
    ) -> Result<(), DrawError<E>> {
        let PointBlock { rows, points, outputs, made, .. } = memory;
        let program = self.stage.program;
        resources.enter_stage(program.processor);
        let rows = exec::register_file::<R>(rows);
        let batches = points.chunks(R::COUNT).zip(made.slots.chunks_mut(R::COUNT));
        let outputs = outputs.chunks_mut((R::COUNT * self.stride).max(1));
        for ((points, slots), outputs) in batches.zip(outputs) {
            let Group { levels, input, first } = group;
            let mut lanes =
                EvaluationLanes { stage: self, input, first, control, points, resources };
            lanes.fill_rows(rows, levels);
            let live = first_lanes(points.len());
            exec::run(program, rows, live, self.stage.constants, &mut lanes)
                .map_err(DrawError::Shader)?;
            let slots = slots.get_mut(..points.len()).unwrap_or_default();
            let outputs = outputs.get_mut(..points.len() * self.stride).unwrap_or_default();
            vectorize(
                #[inline(always)]
                || collect(program, rows, slots, outputs, self.stride, transform),
            );
        }
        Ok(())
    }
}

/// The patches of a group: their levels, and the draw's patches from `first` on.
#[derive(Clone, Copy)]
struct Group<'a> {
    levels: &'a [Levels],
    input: &'a Primitives<'a>,
    first: usize,
}

/// The patches that a batch of points reads.
struct EvaluationLanes<'a, 'r, 'm, R: Lanes> {
    stage: &'a Evaluation<'r>,
    /// The draw's patches, and the number of the group's first one.
    input: &'a Primitives<'a>,
    first: usize,
    control: &'a ControlMemory<'m>,
    points: &'a [DomainPoint],
    resources: &'a mut dyn Resources<R>,
}

impl<R: Lanes> EvaluationLanes<'_, '_, '_, R> {
    /// Returns the patch of a lane, or the first point's patch for lanes that do not run.
    fn patch(&self, lane: usize) -> usize {
        self.points.get(lane).or(self.points.first()).map_or(0, |point| usize::from(point.patch))
    }

    /// Fills the rows of system values, and of the per-patch inputs.
    fn fill_rows(&self, rows: &mut [R], levels: &[Levels]) {
        let program = self.stage.stage.program;
        let id = |lane| self.input.ids.get(self.first + self.patch(lane)).copied().unwrap_or(0);
        for value in program.inputs {
            if value.semantic.name == SemanticName::PrimitiveId {
                fill(rows, &value.rows, id);
            } else if let Some(control) = &self.stage.control {
                let register = i32::from(value.register);
                self.fill(rows, &value.rows, |lane, component| {
                    let outputs = self.control.patch(control, self.patch(lane));
                    self.stage.link.read(outputs, register, component)
                });
            }
        }
        let level = |lane: usize| levels.get(self.patch(lane)).copied();
        for value in program.system_values {
            let rows_of = &value.rows;
            match value.semantic.name {
                SemanticName::PrimitiveId => fill(rows, rows_of, id),
                SemanticName::VerticesIn => fill(rows, rows_of, |_| self.stage.vertices_in),
                SemanticName::TessCoord => self.fill(rows, rows_of, |lane, component| {
                    let Some(at) = self.points.get(lane) else { return 0 };
                    let place = at.point.coordinates(self.stage.domain);
                    place.get(usize::from(component)).map_or(0, |c| c.to_bits())
                }),
                SemanticName::TessOuter => self.fill(rows, rows_of, |lane, component| {
                    let outer = level(lane).map(|levels| levels.outer);
                    outer
                        .and_then(|o| o.get(usize::from(component)).copied())
                        .map_or(0, f32::to_bits)
                }),
                SemanticName::TessInner => self.fill(rows, rows_of, |lane, component| {
                    let inner = level(lane).map(|levels| levels.inner);
                    inner
                        .and_then(|i| i.get(usize::from(component)).copied())
                        .map_or(0, f32::to_bits)
                }),
                _ => fill(rows, rows_of, |_| 0),
            }
        }
    }

    /// Fills the rows of a value that differs by lane and component.
    fn fill(&self, rows: &mut [R], value: &[Row; 4], of: impl Fn(usize, u8) -> u32) {
        for (component, row) in value.iter().enumerate() {
            let Some(row) = row.index().and_then(|row| rows.get_mut(row)) else { continue };
            for (lane, place) in row.as_mut_slice().iter_mut().enumerate().take(self.points.len()) {
                *place = of(lane, component as u8);
            }
        }
    }
}

impl<R: Lanes> Resources<R> for EvaluationLanes<'_, '_, '_, R> {
    resources_of_the_draw!();

    fn load_vertex(&mut self, request: &VertexRequest<'_, R>, out: &mut R) {
        for lane in request.lanes() {
            let (patch, vertex) = (self.patch(lane), request.vertex(lane));
            let outputs = match &self.stage.control {
                Some(control) => self.control.vertex(control, patch, vertex),
                None => self.input.vertex(self.first + patch, vertex),
            };
            if let Some(place) = out.as_mut_slice().get_mut(lane) {
                *place = self.stage.link.read(outputs, request.register(lane), request.component);
            }
        }
    }
}

/// Returns the domain of a program.
fn domain(program: &Program<'_>) -> Domain {
    let mode = program.properties.value(Property::TesPrimMode);
    match u8::try_from(mode).ok().and_then(PrimitiveName::from_code) {
        Some(PrimitiveName::Quads) => Domain::Quads,
        Some(PrimitiveName::Lines) => Domain::Isolines,
        _ => Domain::Triangles,
    }
}

/// Returns the spacing of a program.
fn spacing(program: &Program<'_>) -> Spacing {
    match program.properties.value(Property::TesSpacing) {
        0 => Spacing::FractionalOdd,
        1 => Spacing::FractionalEven,
        _ => Spacing::Equal,
    }
}

/// Returns the primitive type that a program requests.
fn output(program: &Program<'_>) -> Output {
    if program.properties.is_set(Property::TesPointMode) {
        Output::Points
    } else if program.properties.is_set(Property::TesVertexOrderCw) {
        Output::Clockwise
    } else {
        Output::CounterClockwise
    }
}
