//! The tessellation control stage: turns patches of the draw into patches with levels.
//!
//! A lane is a vertex of an output patch. Patches run in groups that fill the lanes of a batch, or
//! in several batches if a patch has more vertices than there are lanes. Barriers apply to the
//! whole group.

use super::Primitives;
use super::link::{Link, fill, first_lanes, register_of, stride, unwritten};
use crate::error::DrawError;
use crate::state::Stage;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use pipe_core::TessState;
use tgsi::declaration::{Semantic, SemanticName};
use tgsi::exec::{self, Batch, Lanes, Resources, VertexPlace, VertexRequest};
use tgsi::program::{Output, Row};

/// The most vertices of a patch.
const MAX_VERTICES: u32 = 32;

/// The memory of the stage: registers, and the patches of a group.
pub(super) struct ControlMemory<'m> {
    /// The words of the register files, before they are aligned.
    rows: Vec<'m, u32>,
    batches: Vec<'m, Batch>,
    /// Outputs of each vertex of each patch.
    vertices: Vec<'m, [f32; 4]>,
    /// Outputs of each patch as a whole.
    patches: Vec<'m, [f32; 4]>,
}

impl<'m> ControlMemory<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        ControlMemory {
            rows: Vec::new_in(memory),
            batches: Vec::new_in(memory),
            vertices: Vec::new_in(memory),
            patches: Vec::new_in(memory),
        }
    }

    /// Returns the outputs of a vertex of patch number `patch` of the group; none if there is no
    /// such vertex.
    #[inline(always)]
    pub(super) fn vertex(&self, control: &Control<'_>, patch: usize, vertex: i32) -> &[[f32; 4]] {
        let Some(at) = control.vertex_at(patch, vertex) else { return &[] };
        self.vertices.get(at..at + control.stride).unwrap_or(&[])
    }

    /// Returns the per-patch outputs of patch number `patch` of the group.
    pub(super) fn patch(&self, control: &Control<'_>, patch: usize) -> &[[f32; 4]] {
        let start = patch * control.stride;
        self.patches.get(start..start + control.stride).unwrap_or(&[])
    }
}

/// The stage of a draw. Derived once per draw.
pub(super) struct Control<'r> {
    stage: Stage<'r>,
    link: Link,
    /// The number of vertices of an input patch.
    vertices_in: u32,
    /// The number of vertices of an output patch.
    pub(super) vertices_out: u32,
    /// The number of output registers of a vertex, and of a patch.
    stride: usize,
    /// The number of patches that run together.
    pub(super) group: usize,
    /// The number of batches of a group.
    batches: usize,
    default_levels: TessState,
}

impl<'r> Control<'r> {
    /// Derives the stage, sizes its memory and prepares its registers. `before` are the vertex
    /// shader's outputs, `patch` is the number of vertices of the draw's patches.
    pub(super) fn new<R: Lanes, E>(
        memory: &mut ControlMemory<'_>,
        stage: Stage<'r>,
        before: &[Output],
        patch: usize,
        default_levels: TessState,
    ) -> Result<Self, DrawError<E>> {
        let program = stage.program;
        let vertices_out = program.properties.tcs_vertices_out().clamp(1, MAX_VERTICES);
        let each = vertices_out as usize;
        let group = (R::COUNT / each).max(1);
        let control = Control {
            stage,
            link: Link::new(program.inputs, before),
            vertices_in: patch as u32,
            vertices_out,
            stride: stride(program.outputs),
            group,
            batches: (group * each).div_ceil(R::COUNT),
            default_levels,
        };
        control.reserve::<R>(memory)?;
        let rows = exec::register_file::<R>(&mut memory.rows);
        for rows in rows.chunks_mut(usize::from(program.rows).max(1)).take(control.batches) {
            exec::prepare(program, rows, stage.constants).map_err(DrawError::Shader)?;
        }
        Ok(control)
    }

    fn reserve<R: Lanes>(&self, memory: &mut ControlMemory<'_>) -> Result<(), OutOfMemory> {
        let rows = usize::from(self.stage.program.rows).max(1) * self.batches;
        let words = rows * R::COUNT + exec::REGISTER_FILE_PADDING;
        if memory.rows.len() < words {
            memory.rows.try_resize(words, 0)?;
        }
        memory.batches.clear();
        memory.batches.try_reserve_exact(self.batches)?;
        let registers = self.group * self.vertices_out as usize * self.stride;
        if memory.vertices.len() < registers {
            memory.vertices.try_resize(registers, [0.0; 4])?;
        }
        if memory.patches.len() < self.group * self.stride {
            memory.patches.try_resize(self.group * self.stride, [0.0; 4])?;
        }
        Ok(())
    }

    /// Returns the position of a vertex's outputs.
    fn vertex_at(&self, patch: usize, vertex: i32) -> Option<usize> {
        let vertex = usize::try_from(vertex).ok()?;
        let count = self.vertices_out as usize;
        (vertex < count).then_some((patch * count + vertex) * self.stride)
    }

    /// Runs the shader over up to a group of patches of `input`: `count` patches from number
    /// `first` on.
    pub(super) fn run<R: Lanes, E>(
        &self,
        memory: &mut ControlMemory<'_>,
        input: &Primitives<'_>,
        (first, count): (usize, usize),
        resources: &mut dyn Resources<R>,
    ) -> Result<(), DrawError<E>> {
        let program = self.stage.program;
        resources.enter_stage(program.processor);
        let ControlMemory { rows, batches, vertices, patches } = memory;
        // Outputs that a shader does not write are 0, not values of another patch.
        vertices.fill([0.0; 4]);
        patches.fill([0.0; 4]);
        let rows = exec::register_file::<R>(rows);
        let invocations = count * self.vertices_out as usize;
        let files = rows.chunks_mut(usize::from(program.rows).max(1));
        batches.clear();
        for (batch, rows) in files.enumerate().take(invocations.div_ceil(R::COUNT)) {
            let start = batch * R::COUNT;
            self.fill_rows(rows, start, |patch| input.ids.get(first + patch).copied().unwrap_or(0));
            let live = first_lanes((invocations - start).min(R::COUNT));
            let _ = batches.push_within_capacity(Batch::new::<R>(program, live));
        }
        let mut lanes =
            ControlLanes { control: self, input, first, batch: 0, vertices, patches, resources };
        exec::run_group(program, batches, rows, self.stage.constants, &mut lanes)
            .map_err(DrawError::Shader)
    }

    /// Fills the rows of system values for the batch from invocation number `start` on.
    fn fill_rows<R: Lanes>(&self, rows: &mut [R], start: usize, id: impl Fn(usize) -> u32) {
        let each = self.vertices_out as usize;
        let program = self.stage.program;
        for value in program.inputs {
            if value.semantic.name == SemanticName::PrimitiveId {
                fill(rows, &value.rows, |lane| id((start + lane) / each));
            }
        }
        for value in program.system_values {
            let TessState { default_outer_level, default_inner_level: [a, b] } =
                &self.default_levels;
            match value.semantic.name {
                SemanticName::InvocationId => {
                    fill(rows, &value.rows, |lane| ((start + lane) % each) as u32);
                }
                SemanticName::PrimitiveId => {
                    fill(rows, &value.rows, |lane| id((start + lane) / each));
                }
                SemanticName::VerticesIn => fill(rows, &value.rows, |_| self.vertices_in),
                SemanticName::TessDefaultOuterLevel => {
                    fill_level(rows, &value.rows, default_outer_level);
                }
                SemanticName::TessDefaultInnerLevel => {
                    fill_level(rows, &value.rows, &[*a, *b, 0.0, 0.0]);
                }
                _ => fill(rows, &value.rows, |_| 0),
            }
        }
    }

    /// Returns the levels that the shader wrote for a patch: outer, inner. An inner level without
    /// an output is 1.
    pub(super) fn levels(&self, memory: &ControlMemory<'_>, patch: usize) -> [[f32; 4]; 2] {
        let outputs = memory.patch(self, patch);
        let level = |name| {
            let register = register_of(self.stage.program.outputs, Semantic::new(name, 0));
            register.and_then(|register| outputs.get(usize::from(register))).copied()
        };
        let outer = level(SemanticName::TessOuter).unwrap_or([0.0; 4]);
        [outer, level(SemanticName::TessInner).unwrap_or([1.0; 4])]
    }

    /// Returns the shader's outputs.
    pub(super) fn outputs(&self) -> &'r [Output] {
        self.stage.program.outputs
    }
}

/// Fills the rows of a value that all lanes share.
fn fill_level<R: Lanes>(rows: &mut [R], value: &[Row; 4], level: &[f32; 4]) {
    for (row, level) in value.iter().zip(level) {
        if let Some(row) = row.index().and_then(|row| rows.get_mut(row)) {
            *row = R::splat(level.to_bits());
        }
    }
}

/// The vertices and patches that a group's invocations read and write.
struct ControlLanes<'a, 'r, R: Lanes> {
    control: &'a Control<'r>,
    input: &'a Primitives<'a>,
    /// The group's first patch.
    first: usize,
    /// The batch that is running.
    batch: usize,
    vertices: &'a mut [[f32; 4]],
    patches: &'a mut [[f32; 4]],
    resources: &'a mut dyn Resources<R>,
}

impl<R: Lanes> ControlLanes<'_, '_, R> {
    /// Returns the patch and the vertex number of a lane.
    fn place(&self, lane: usize) -> (usize, i32) {
        let invocation = self.batch * R::COUNT + lane;
        let each = self.control.vertices_out as usize;
        (invocation / each, (invocation % each) as i32)
    }

    /// Returns the output register that a lane requests, if it exists.
    fn output(&mut self, request: &VertexRequest<'_, R>, lane: usize) -> Option<&mut [f32; 4]> {
        let (patch, own) = self.place(lane);
        let stride = self.control.stride;
        let register = usize::try_from(request.register(lane)).ok().filter(|r| *r < stride)?;
        match request.place {
            VertexPlace::Input => None,
            VertexPlace::Patch => self.patches.get_mut(patch * stride + register),
            VertexPlace::Output => {
                let at = self.control.vertex_at(patch, request.vertex(lane))?;
                self.vertices.get_mut(at + register)
            }
            VertexPlace::OwnOutput => {
                let at = self.control.vertex_at(patch, own)?;
                self.vertices.get_mut(at + register)
            }
        }
    }
}

impl<R: Lanes> Resources<R> for ControlLanes<'_, '_, R> {
    resources_of_the_draw!();

    fn enter_batch(&mut self, batch: usize) {
        self.batch = batch;
    }

    fn load_vertex(&mut self, request: &VertexRequest<'_, R>, out: &mut R) {
        let component = request.component;
        for lane in request.lanes() {
            let value = if request.place == VertexPlace::Input {
                let patch = self.first + self.place(lane).0;
                let outputs = self.input.vertex(patch, request.vertex(lane));
                self.control.link.read(outputs, request.register(lane), component)
            } else {
                let output = self.output(request, lane);
                let value = output.and_then(|output| output.get(usize::from(component)).copied());
                value.map_or_else(|| unwritten(component), f32::to_bits)
            };
            if let Some(place) = out.as_mut_slice().get_mut(lane) {
                *place = value;
            }
        }
    }

    fn store_vertex(&mut self, request: &VertexRequest<'_, R>, values: &R) {
        for lane in request.lanes() {
            let value = values.as_slice().get(lane).copied().unwrap_or(0);
            let output = self.output(request, lane);
            if let Some(place) = output.and_then(|o| o.get_mut(usize::from(request.component))) {
                *place = f32::from_bits(value);
            }
        }
    }
}
