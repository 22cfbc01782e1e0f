//! Vertex shading: a segment's new vertices, as many at a time as there are lanes.

use crate::error::DrawError;
use crate::fetch::{self, Instance};
use crate::segment::{Segment, Slot};
use crate::stage::StageState;
use crate::state::{Draw, DrawState};
use core::cell::Cell;
use core::slice::ChunksMut;
use os_shim::simd::vectorize;
use tgsi::declaration::SemanticName;
use tgsi::exec::{self, Lanes, Mask, Resources};
use tgsi::program::Row;

/// Runs the vertex shader over the segment's unshaded slots, and takes them to the window.
///
/// `outputs` has room for `stride` outputs of every slot. Returns how many vertices that were.
#[inline(never)]
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
    for ((indices, slots), outputs) in batches.zip(outputs.chunks_mut(R::COUNT * stride)) {
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
    indices: &[u32],
    rows: &mut [R],
) {
    // Without an index buffer, the base vertex is where the draw starts.
    let base = if state.index.is_some() { draw.index_bias as u32 } else { draw.start };
    for value in state.program.system_values {
        let minus_base = base.wrapping_neg();
        // What all vertices have, and what is added to the index of each, if anything is.
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
    // `Row::NONE` is beyond all others: it need not be asked for.
    let rows = rows.get(..usize::from(Row::NONE.0)).unwrap_or(rows);
    for output in state.program.outputs {
        let color = matches!(output.semantic.name, SemanticName::Color | SemanticName::BackColor);
        let clamped = color && state.rasterizer.clamp_vertex_color;
        let register = usize::from(output.register);
        // What is not written is (0, 0, 0, 1).
        let [zero, one] = R::ZERO_AND_ONE;
        let lanes = |row: Row, unwritten| rows.get(usize::from(row.0)).unwrap_or(unwritten);
        let [x, y, z, w] = output.rows;
        let (x, y, z, w) = (lanes(x, zero), lanes(y, zero), lanes(z, zero), lanes(w, one));
        let outputs = outputs.get_mut(register..).unwrap_or_default();
        let mut places = Places { outputs, stride };
        if register == stages.position {
            stages.projection.lanes([x, y, z, w], slots, places.again());
        } else {
            places.again().fill([x, y, z, w]);
        }
        if clamped {
            for place in places.each().filter_map(<[_]>::first_mut) {
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

/// Where an output of a batch's vertices goes: from the first vertex's on, every `stride`th.
pub(crate) struct Places<'a> {
    pub(crate) outputs: &'a mut [[f32; 4]],
    pub(crate) stride: usize,
}

impl<'a> Places<'a> {
    /// The same once more.
    #[inline(always)]
    pub(crate) fn again(&mut self) -> Places<'_> {
        Places { outputs: self.outputs, stride: self.stride }
    }

    /// Each vertex's: the first of a slice, as stepping over slices is faster than over outputs.
    #[inline(always)]
    pub(crate) fn each(self) -> ChunksMut<'a, [f32; 4]> {
        self.outputs.chunks_mut(self.stride.max(1))
    }

    /// Puts rows there, as far as they go.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    pub(crate) fn fill<R: Lanes>(self, rows: [&R; 4]) {
        // Not `map`: that is a loop through memory.
        let [x, y, z, w] = rows;
        let (x, y, z, w) = (x.as_slice(), y.as_slice(), z.as_slice(), w.as_slice());
        for (place, (((&x, &y), &z), &w)) in self.each().zip(x.iter().zip(y).zip(z).zip(w)) {
            if let [place, ..] = place {
                *place = [x, y, z, w].map(f32::from_bits);
            }
        }
    }
}
