//! Hands primitives to the sink: vertices first, each once, ids kept for the next primitive.
//!
//! A sink that ran full makes room and says so; then all ids are void, and the primitive that
//! could not be taken is sent again with its vertices. One that still does not fit never will.

use super::clip::{Clipped, MAX_POLYGON, blend};
use super::{Stages, cull};
use crate::assemble::Primitive;
use crate::code;
use crate::error::DrawError;
use crate::segment::{SlotIndex, Window};
use crate::sink::{PrimitiveSink, SinkError, VertexId, WindowVertex};
use heapless::Vec;

/// A vertex of a clipped primitive.
#[derive(Clone, Copy)]
struct FanVertex {
    /// [`Clipped`]'s number for it: below 3 a corner.
    number: u8,
    window: Window,
    /// The sink's name for it, if it is new and the sink has it.
    id: Option<VertexId>,
}

/// What clipping left, in the window: a polygon around its first vertex, or a line.
pub(super) struct Fan {
    vertices: Vec<FanVertex, MAX_POLYGON>,
    /// The primitive that was clipped.
    whole: Primitive<SlotIndex>,
}

impl Fan {
    /// `None` when there is nothing to draw.
    pub(super) fn new<S: PrimitiveSink>(
        stages: &Stages<'_, S>,
        clipped: &Clipped<'_>,
        whole: Primitive<SlotIndex>,
    ) -> Option<Fan> {
        let projection = &stages.state.projection;
        let mut vertices = Vec::new();
        for &number in clipped.vertices() {
            let position = clipped.position(number);
            // Rounding might leave a cut with a w that cannot be divided by.
            if !(position[3] >= f32::MIN_POSITIVE) {
                return None;
            }
            let window = match whole.vertices.get(usize::from(number)) {
                Some(&slot) => stages.slot(slot).window,
                None => {
                    let written = whole.vertices.map(|slot| {
                        stages.outputs(slot).get(stages.state.position).map_or(0.0, |p| p[3])
                    });
                    projection.window(position, blend(&clipped.weights(number), written))
                }
            };
            vertices.push(FanVertex { number, window, id: None }).ok()?;
        }
        // The first vertex provokes: the provoking corner, or if that is gone, a new vertex, all
        // of which have its flat attributes.
        if whole.count == 3 {
            let first = vertices
                .iter()
                .position(|v| v.number == whole.provoking)
                .or_else(|| vertices.iter().position(|v| v.number > 2))?;
            vertices.rotate_left(first);
        }
        (vertices.len() > 1).then_some(Fan { vertices, whole })
    }
}

impl<S: PrimitiveSink> Stages<'_, S> {
    /// Hands over a primitive of whole vertices.
    #[inline]
    pub(super) fn hand_over(
        &mut self,
        primitive: Primitive<SlotIndex>,
        front: bool,
    ) -> Result<(), DrawError<S::Error>> {
        match self.try_hand_over(primitive, front) {
            Ok(()) => Ok(()),
            Err(SinkError::Restart) => {
                self.forget_ids();
                settle(self.try_hand_over(primitive, front))
            }
            failed => settle(failed),
        }
    }

    #[inline(always)]
    fn try_hand_over(
        &mut self,
        primitive: Primitive<SlotIndex>,
        front: bool,
    ) -> Result<(), SinkError<S::Error>> {
        let [a, b, c] = primitive.vertices;
        let a = self.id(a)?;
        if primitive.count < 2 {
            return self.sink.point(a);
        }
        let b = self.id(b)?;
        if primitive.count < 3 {
            return self.sink.line([a, b], primitive.provoking);
        }
        let c = self.id(c)?;
        self.sink.triangle([a, b, c], primitive.provoking, front)
    }

    /// Hands over what is left of a triangle.
    pub(super) fn hand_over_fan(
        &mut self,
        mut fan: Fan,
        clipped: &Clipped<'_>,
    ) -> Result<(), DrawError<S::Error>> {
        let pieces = fan.vertices.len().saturating_sub(2);
        self.statistics.c_primitives += pieces as u64;
        let piece_area = |fan: &Fan, i: usize| match (
            fan.vertices.first(),
            fan.vertices.get(i + 1),
            fan.vertices.get(i + 2),
        ) {
            (Some(a), Some(b), Some(c)) => cull::area(&a.window, &b.window, &c.window),
            _ => 0,
        };
        // A sliver that snapping turned over faces as the whole does: it is not drawn.
        let whole: i64 = (0..pieces).map(|i| piece_area(&fan, i)).sum();
        let Some(front) = self.state.cull.facing(whole) else { return Ok(()) };
        for i in 0..pieces {
            let area = piece_area(&fan, i);
            if area == 0 || (area < 0) != (whole < 0) {
                continue;
            }
            self.twice(&mut fan, |stages, fan| {
                let a = stages.fan_id(fan, 0, clipped)?;
                let b = stages.fan_id(fan, i + 1, clipped)?;
                let c = stages.fan_id(fan, i + 2, clipped)?;
                stages.sink.triangle([a, b, c], 0, front)
            })?;
        }
        Ok(())
    }

    /// Hands over what is left of a line.
    pub(super) fn hand_over_line(
        &mut self,
        mut fan: Fan,
        clipped: &Clipped<'_>,
    ) -> Result<(), DrawError<S::Error>> {
        self.statistics.c_primitives += 1;
        // A new end has the flat attributes of the provoking one, so either way this holds.
        let provoking = fan.whole.provoking;
        self.twice(&mut fan, |stages, fan| {
            let a = stages.fan_id(fan, 0, clipped)?;
            let b = stages.fan_id(fan, 1, clipped)?;
            stages.sink.line([a, b], provoking)
        })
    }

    /// Tries, and once more if the sink had to make room.
    fn twice(
        &mut self,
        fan: &mut Fan,
        attempt: impl Fn(&mut Self, &mut Fan) -> Result<(), SinkError<S::Error>>,
    ) -> Result<(), DrawError<S::Error>> {
        match attempt(self, fan) {
            Err(SinkError::Restart) => {
                self.forget_ids();
                fan.vertices.iter_mut().for_each(|v| v.id = None);
                settle(attempt(self, fan))
            }
            other => settle(other),
        }
    }

    /// The sink's name for a slot's vertex.
    #[inline(always)]
    fn id(&mut self, slot: SlotIndex) -> Result<VertexId, SinkError<S::Error>> {
        let vertex = self.slot(slot);
        if vertex.code & code::SENT != 0 {
            return Ok(vertex.id);
        }
        let Window { x, y, z, rcp_w } = vertex.window;
        let stride = self.scratch.len();
        let outputs = self.outputs.get(usize::from(slot) * stride..).and_then(|o| o.get(..stride));
        let outputs = outputs.unwrap_or(&[]);
        let id = self.sink.vertex(&WindowVertex { x, y, z, rcp_w, outputs })?;
        if let Some(vertex) = self.slots.get_mut(usize::from(slot)) {
            vertex.code |= code::SENT;
            vertex.id = id;
        }
        Ok(id)
    }

    /// The sink's name for a vertex of a clipped primitive.
    fn fan_id(
        &mut self,
        fan: &mut Fan,
        at: usize,
        clipped: &Clipped<'_>,
    ) -> Result<VertexId, SinkError<S::Error>> {
        let whole = fan.whole;
        let Some(vertex) = fan.vertices.get_mut(at) else { return Ok(VertexId(0)) };
        if let Some(&slot) = whole.vertices.get(usize::from(vertex.number)) {
            return self.id(slot);
        }
        if let Some(id) = vertex.id {
            return Ok(id);
        }
        self.blend_outputs(whole, clipped, vertex.number);
        let Window { x, y, z, rcp_w } = vertex.window;
        let id = self.sink.vertex(&WindowVertex { x, y, z, rcp_w, outputs: self.scratch })?;
        vertex.id = Some(id);
        Ok(id)
    }

    /// Works out a new vertex's outputs, into `scratch`.
    fn blend_outputs(&mut self, whole: Primitive<SlotIndex>, clipped: &Clipped<'_>, number: u8) {
        let along = clipped.weights(number);
        // Weights are linear in clip space (or in the window, if that is where positions are);
        // those for the other space have a factor of w (or of 1/w) at each corner.
        let factor = whole
            .vertices
            .map(|slot| self.outputs(slot).get(self.state.position).map_or(1.0, |p| p[3]));
        let sum = blend(&along, factor);
        let other = match sum != 0.0 && sum.is_finite() {
            true => {
                [0, 1, 2].map(|i| if along[i] == 0.0 { 0.0 } else { along[i] * factor[i] / sum })
            }
            false => along,
        };
        let (perspective, linear) =
            if self.state.projection.window_space { (other, along) } else { (along, other) };
        let modes = self.state.modes;
        for register in 0..self.scratch.len() {
            let corners = whole
                .vertices
                .map(|slot| self.outputs(slot).get(register).copied().unwrap_or_default());
            let value = if modes.flat >> register & 1 != 0 {
                corners[usize::from(whole.provoking) % 3]
            } else {
                let weights =
                    if modes.linear >> register & 1 != 0 { &linear } else { &perspective };
                [0, 1, 2, 3].map(|i: usize| blend(weights, corners.map(|c| c[i])))
            };
            self.scratch[register] = value;
        }
    }

    /// After a restart, the sink knows no vertex of ours.
    #[cold]
    fn forget_ids(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.code &= !code::SENT);
    }
}

/// The second answer is final.
fn settle<E>(answer: Result<(), SinkError<E>>) -> Result<(), DrawError<E>> {
    answer.map_err(|error| match error {
        SinkError::Restart => DrawError::NoRoom,
        SinkError::Failed(error) => DrawError::Sink(error),
    })
}
