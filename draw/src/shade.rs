//! Vertex shading: a segment's new vertices, as many at a time as there are lanes.

use crate::error::DrawError;
use crate::fetch::{self, Instance};
use crate::segment::{Segment, Slot};
use crate::stage::StageState;
use crate::state::{Draw, DrawState};
use os_shim::simd::vectorize;
use tgsi::declaration::SemanticName;
use tgsi::exec::{self, Lanes, Mask, Resources};

/// Runs the vertex shader over the segment's unshaded slots, and takes them to the window.
///
/// `outputs` has room for `stride` outputs of every slot. Returns how many vertices that were.
pub(crate) fn shade<R: Lanes, E>(
    segment: &mut Segment<'_>,
    rows: &mut [R],
    outputs: &mut [[f32; 4]],
    stride: usize,
    (state, draw, instance): (&DrawState<'_>, &Draw, Instance),
    stages: &StageState,
    resources: &mut dyn Resources<R>,
) -> Result<u64, DrawError<E>> {
    let range = segment.unshaded();
    let vertices = range.len() as u64;
    let Some(slots) = segment.slots.get_mut(range.clone()) else { return Ok(0) };
    let Some(outputs) = outputs.get_mut(range.start * stride..range.end * stride) else {
        return Ok(0);
    };
    let batches = slots.chunks_mut(R::COUNT).zip(outputs.chunks_mut(R::COUNT * stride));
    for (slots, outputs) in batches {
        let mut indices = R::ZERO;
        for (index, slot) in indices.as_mut_slice().iter_mut().zip(&*slots) {
            *index = slot.index;
        }
        vectorize(
            #[inline(always)]
            || {
                fetch::fetch(state, instance, &indices, slots.len(), rows);
                system_values(state, draw, instance.number, &indices, rows);
            },
        );
        let live = Mask::MAX >> (Mask::BITS - (slots.len() as u32).clamp(1, Mask::BITS));
        exec::run(state.program, rows, live, state.constants, resources)
            .map_err(DrawError::Shader)?;
        vectorize(
            #[inline(always)]
            || {
                collect(state, rows, slots, outputs, stride, stages);
            },
        );
    }
    Ok(vertices)
}

/// Fills the rows of system values; integers, in x.
#[inline(always)]
fn system_values<R: Lanes>(
    state: &DrawState<'_>,
    draw: &Draw,
    instance: u32,
    indices: &R,
    rows: &mut [R],
) {
    // Without an index buffer, the base vertex is where the draw starts.
    let base = if state.index.is_some() { draw.index_bias as u32 } else { draw.start };
    for value in state.program.system_values {
        let mut lanes = match value.semantic.name {
            SemanticName::VertexId | SemanticName::VertexIdNoBase => *indices,
            SemanticName::InstanceId => R::splat(instance),
            SemanticName::BaseVertex => R::splat(base),
            SemanticName::BaseInstance => R::splat(draw.start_instance),
            SemanticName::DrawId => R::splat(draw.draw_id),
            _ => R::ZERO,
        };
        if value.semantic.name == SemanticName::VertexIdNoBase {
            lanes.as_mut_slice().iter_mut().for_each(|id| *id = id.wrapping_sub(base));
        }
        for (i, row) in value.rows.iter().enumerate() {
            if let Some(row) = row.index().and_then(|row| rows.get_mut(row)) {
                *row = if i == 0 { lanes } else { R::ZERO };
            }
        }
    }
}

/// Reads what a batch has written: every slot's outputs, its outcode and window position.
#[inline(always)]
fn collect<R: Lanes>(
    state: &DrawState<'_>,
    rows: &[R],
    slots: &mut [Slot],
    outputs: &mut [[f32; 4]],
    stride: usize,
    stages: &StageState,
) {
    // What is not written is (0, 0, 0, 1).
    let unwritten = [R::ZERO, R::splat(1.0f32.to_bits())];
    for output in state.program.outputs {
        let color = matches!(output.semantic.name, SemanticName::Color | SemanticName::BackColor);
        let clamped = color && state.rasterizer.clamp_vertex_color;
        let register = usize::from(output.register);
        let [x, y, z, w] = [0, 1, 2, 3].map(|i: usize| {
            let row = output.rows[i].index().and_then(|row| rows.get(row));
            row.unwrap_or(&unwritten[usize::from(i == 3)])
        });
        if register == stages.position {
            stages.projection.lanes([x, y, z, w], slots);
        }
        let lanes = x.as_slice().iter().zip(y.as_slice()).zip(z.as_slice()).zip(w.as_slice());
        for (vertex, (((x, y), z), w)) in outputs.chunks_exact_mut(stride).zip(lanes) {
            let Some(place) = vertex.get_mut(register) else { continue };
            *place = [*x, *y, *z, *w].map(f32::from_bits);
            if clamped {
                // Not `clamp` alone: `max` turns a NaN into 0.
                *place = place.map(|c| c.max(0.0).clamp(0.0, 1.0));
            }
        }
    }
    if stages.user.is_active() {
        for (slot, vertex) in slots.iter_mut().zip(outputs.chunks_exact(stride)) {
            slot.code |= stages.user.code(vertex);
        }
    }
}
