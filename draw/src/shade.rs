//! Vertex shading: takes a segment's new vertices from attributes to the window, as many at a time
//! as there are lanes.
//!
//! Tessellation and geometry shaders run between this module and `tail` and make new vertices. So
//! the modules above read the outputs of [`DrawState::last_vertex_stage`].

use crate::attribute::Instance;
use crate::error::DrawError;
use crate::fetch;
use crate::outputs::OutputColumn;
use crate::project::Projection;
use crate::segment::Segment;
use crate::state::{Draw, DrawState};
use crate::user_clip::UserClip;
use crate::vertex::Slot;
use core::cell::Cell;
use os_shim::simd::vectorize;
use tgsi::declaration::SemanticName;
use tgsi::exec::{self, Lanes, Mask, Resources};
use tgsi::program::{Output, Program, Row};

/// Transforms a shaded vertex to the window. Derived from the state once per draw.
pub(crate) struct VertexTransform {
    pub(crate) projection: Projection,
    pub(crate) user: UserClip,
    /// The register of the position output.
    pub(crate) position: usize,
    /// Set if colours are clamped to 0…1.
    pub(crate) clamps_color: bool,
}

impl VertexTransform {
    /// Derives the transform to viewport number `viewport`, for programs with their position in
    /// `OUT[position]`.
    pub(crate) fn new(
        state: &DrawState<'_>,
        viewport: usize,
        position: u16,
        guard_band: u32,
    ) -> VertexTransform {
        let (program, rasterizer) = (state.last_vertex_stage(), state.rasterizer);
        let window_space = program.properties.window_space_position();
        let viewport = state.viewports.get(viewport).copied().unwrap_or_default();
        VertexTransform {
            projection: Projection::new(&viewport, rasterizer, window_space, guard_band),
            user: UserClip::new(program, rasterizer, state.clip, position),
            position: usize::from(position),
            clamps_color: rasterizer.clamp_vertex_color,
        }
    }

    /// Returns the transform of a stage that is not the last: none of its outputs is a position.
    #[cfg(feature = "stages")]
    pub(crate) fn none() -> VertexTransform {
        VertexTransform {
            projection: Projection::new(&Default::default(), &Default::default(), true, 2),
            user: UserClip::NONE,
            position: usize::MAX,
            clamps_color: false,
        }
    }

    /// Returns the slot of a vertex with these outputs.
    #[cfg(feature = "stages")]
    pub(crate) fn project(&self, outputs: &[[f32; 4]]) -> Slot {
        let written = outputs.get(self.position).copied().unwrap_or_default();
        let position = self.projection.position(written);
        let mut code = self.projection.code(position);
        if self.user.is_active() {
            code |= self.user.code(outputs);
        }
        Slot { code, window: self.projection.window(position, written[3]), ..Slot::INVALID }
    }

    /// Clamps the colours of a vertex, if the rasterizer state requests it.
    #[cfg(feature = "stages")]
    pub(crate) fn clamp_colors(&self, program: &Program<'_>, vertex: &mut [[f32; 4]]) {
        for output in program.outputs.iter().filter(|o| self.clamps_color && is_color(o)) {
            vertex.get_mut(usize::from(output.register)).into_iter().for_each(clamp_color);
        }
    }
}

/// Returns true if an output is a colour of either face.
fn is_color(output: &Output) -> bool {
    matches!(output.semantic.name, SemanticName::Color | SemanticName::BackColor)
}

/// Clamps a colour to 0…1.
fn clamp_color(color: &mut [f32; 4]) {
    // Not `clamp` alone: `max` turns a NaN into 0.
    *color = color.map(|c| c.max(0.0).clamp(0.0, 1.0));
}

/// Runs the vertex shader over the segment's unshaded slots, and fills in those slots.
///
/// `outputs` has room for `stride` outputs of every slot. Returns the number of vertices shaded.
///
/// # Errors
/// [`DrawError::Shader`]: the shader could not be run.
#[inline(never)]
pub(crate) fn shade<R: Lanes, E>(
    segment: &mut Segment<'_>,
    rows: &mut [R],
    outputs: &mut [[f32; 4]],
    stride: usize,
    (state, draw, instance): (&DrawState<'_>, &Draw, Instance),
    transform: &VertexTransform,
    resources: &mut dyn Resources<R>,
) -> Result<u64, DrawError<E>> {
    let range = segment.unshaded();
    let vertices = range.len() as u64;
    let Segment { indices, slots, .. } = segment;
    let (Some(indices), Some(slots)) = (indices.get(range.clone()), slots.get_mut(range.clone()))
    else {
        return Ok(0);
    };
    let Some(outputs) = outputs.get_mut(range.start * stride..range.end * stride) else {
        return Ok(0);
    };
    let spare = Cell::new(R::ZERO);
    let batches = indices.chunks(R::COUNT).zip(slots.chunks_mut(R::COUNT));
    for ((indices, slots), outputs) in batches.zip(outputs.chunks_mut((R::COUNT * stride).max(1))) {
        vectorize(
            #[inline(always)]
            || {
                fetch::fetch(state, instance, indices, rows, &spare);
                system_values(state, draw, instance.number, indices, rows);
            },
        );
        let live = Mask::MAX >> (Mask::BITS - (slots.len() as u32).clamp(1, Mask::BITS));
        exec::run(state.program, rows, live, state.constants, resources)
            .map_err(DrawError::Shader)?;
        vectorize(
            #[inline(always)]
            || {
                collect(state.program, rows, slots, outputs, stride, transform);
            },
        );
    }
    Ok(vertices)
}

/// Returns true if draws fill this system value of vertex shaders. A driver must reject shaders
/// that read any other system value.
pub const fn is_vertex_system_value(name: SemanticName) -> bool {
    use SemanticName::*;
    matches!(name, VertexId | VertexIdNoBase | InstanceId | BaseVertex | BaseInstance | DrawId)
}

/// Fills the rows of system values (see [`is_vertex_system_value`]): integers in x, 0 in the other
/// components.
#[inline(always)]
fn system_values<R: Lanes>(
    state: &DrawState<'_>,
    draw: &Draw,
    instance: u32,
    indices: &[u32],
    rows: &mut [R],
) {
    // Without an index buffer, the base vertex is the draw's start.
    let base = if state.index.is_some() { draw.index_bias as u32 } else { draw.start };
    for value in state.program.system_values {
        let minus_base = base.wrapping_neg();
        // The value of all lanes, or the number to add to each lane's vertex index.
        let (same, own) = match value.semantic.name {
            SemanticName::VertexId => (0, Some(0)),
            SemanticName::VertexIdNoBase => (0, Some(minus_base)),
            SemanticName::InstanceId => (instance, None),
            SemanticName::BaseVertex => (base, None),
            SemanticName::BaseInstance => (draw.start_instance, None),
            SemanticName::DrawId => (draw.draw_id, None),
            _ => (0, None),
        };
        let mut lanes = R::splat(same);
        if let Some(added) = own {
            for (lane, index) in lanes.as_mut_slice().iter_mut().zip(indices) {
                *lane = index.wrapping_add(added);
            }
        }
        for (i, row) in value.rows.iter().enumerate() {
            if let Some(row) = row.index().and_then(|row| rows.get_mut(row)) {
                *row = if i == 0 { lanes } else { R::ZERO };
            }
        }
    }
}

/// Copies a batch's outputs from the register file to memory, and fills in its slots' outcodes and
/// window positions.
#[inline(always)]
pub(crate) fn collect<R: Lanes>(
    program: &Program<'_>,
    rows: &[R],
    slots: &mut [Slot],
    outputs: &mut [[f32; 4]],
    stride: usize,
    transform: &VertexTransform,
) {
    // `Row::NONE` is beyond all rows, so it needs no separate check.
    let rows = rows.get(..usize::from(Row::NONE.0)).unwrap_or(rows);
    for output in program.outputs {
        let clamped = is_color(output) && transform.clamps_color;
        let register = usize::from(output.register);
        // Components that the program does not write are (0, 0, 0, 1).
        let [zero, one] = R::ZERO_AND_ONE;
        let lanes = |row: Row, unwritten| rows.get(usize::from(row.0)).unwrap_or(unwritten);
        let [x, y, z, w] = output.rows;
        let (x, y, z, w) = (lanes(x, zero), lanes(y, zero), lanes(z, zero), lanes(w, one));
        let outputs = outputs.get_mut(register..).unwrap_or_default();
        let mut column = OutputColumn { outputs, stride };
        if register == transform.position {
            transform.projection.lanes([x, y, z, w], slots, column.reborrow());
        } else {
            column.reborrow().fill([x, y, z, w]);
        }
        if clamped {
            column.each().filter_map(<[_]>::first_mut).for_each(clamp_color);
        }
    }
    if transform.user.is_active() {
        for (slot, vertex) in slots.iter_mut().zip(outputs.chunks_exact(stride.max(1))) {
            slot.code |= transform.user.code(vertex);
        }
    }
}
