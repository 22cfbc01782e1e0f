//! Hands primitives to the sink: vertices first, each once, ids kept for the next primitive.
//!
//! A sink that ran full makes room and says so; then all ids are void, and the primitive that
//! could not be taken is sent again with its vertices. One that still does not fit never will.

use super::clip::{Clipped, MAX_POLYGON, blend};
use super::effects::Look;
use super::{Stages, cull};
use crate::assemble::Primitive;
use crate::code;
use crate::error::DrawError;
use crate::segment::{SlotIndex, Window};
use crate::sink::{Origin, PrimitiveSink, SinkError, Triangle, VertexId, WindowVertex};
use heapless::Vec;

/// Which of a triangle's vertices the sink has, all as the shader wrote them.
#[derive(Clone, Copy)]
pub(super) struct Sent {
    pub(super) any: bool,
    pub(super) all: bool,
}

/// A vertex of a clipped primitive.
#[derive(Clone, Copy)]
pub(super) struct FanVertex {
    /// [`Clipped`]'s number for it: below 3 a corner.
    pub(super) number: u8,
    pub(super) window: Window,
    /// How much of each corner it has, linear in clip space.
    pub(super) weights: [f32; 3],
    /// The sink's name for it, once it has one.
    pub(super) id: Option<VertexId>,
}

/// A polygon around one of its vertices, or a line, in the window.
pub(super) struct Fan {
    pub(super) vertices: Vec<FanVertex, MAX_POLYGON>,
    /// Which of them provokes.
    pub(super) provoking: usize,
    /// Where the triangles it is cut into begin.
    first: usize,
    /// The primitive it was.
    pub(super) whole: Primitive<SlotIndex>,
}

/// Weights of a corner alone.
const CORNERS: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Fan {
    /// Nothing yet of a primitive.
    #[inline(always)]
    pub(super) fn empty(whole: Primitive<SlotIndex>) -> Fan {
        Fan { vertices: Vec::new(), provoking: 0, first: 0, whole }
    }

    /// Takes what clipping left; `None` when there is nothing to draw.
    pub(super) fn take<S: PrimitiveSink>(
        &mut self,
        stages: &Stages<'_, S>,
        clipped: &Clipped<'_>,
    ) -> Option<()> {
        let projection = &stages.state.projection;
        let Fan { vertices, whole, .. } = self;
        for &number in clipped.vertices() {
            let position = clipped.position(number);
            // Rounding might leave a cut with a w that cannot be divided by.
            if !(position[3] >= f32::MIN_POSITIVE) {
                return None;
            }
            let weights = clipped.weights(number);
            let window = match whole.vertices.get(usize::from(number)) {
                Some(&slot) => stages.slot(slot).window,
                None => {
                    let written = whole.vertices.map(|slot| {
                        stages.outputs(slot).get(stages.state.position).map_or(0.0, |p| p[3])
                    });
                    projection.window(position, blend(&weights, written))
                }
            };
            vertices.push(FanVertex { number, window, weights, id: None }).ok()?;
        }
        // The provoking corner, or if that is gone, a new vertex, all of which have its flat
        // attributes.
        let kept = vertices.iter().position(|v| v.number == whole.provoking);
        self.provoking = kept.or_else(|| vertices.iter().position(|v| v.number > 2))?;
        self.first = self.provoking;
        (self.vertices.len() > 1).then_some(())
    }

    /// A primitive that was not clipped.
    pub(super) fn whole<S: PrimitiveSink>(
        stages: &Stages<'_, S>,
        whole: Primitive<SlotIndex>,
    ) -> Fan {
        let corners = whole.vertices.iter().zip(CORNERS).take(usize::from(whole.count));
        let vertices = corners.enumerate().map(|(number, (&slot, weights))| FanVertex {
            number: number as u8,
            window: stages.slot(slot).window,
            weights,
            id: None,
        });
        let provoking = usize::from(whole.provoking);
        // From the first vertex, as without effects: then depths are the same to the last bit.
        Fan { vertices: vertices.collect(), provoking, first: 0, whole }
    }

    /// Triangles it is cut into.
    pub(super) fn pieces(&self) -> usize {
        self.vertices.len().saturating_sub(2)
    }

    /// Corner `corner` of piece `piece`: its vertex.
    fn corner(&self, piece: usize, corner: usize) -> usize {
        let along = if corner == 0 { 0 } else { piece + corner };
        (self.first + along) % self.vertices.len().max(1)
    }

    /// The windows of a piece's corners.
    pub(super) fn piece(&self, piece: usize) -> Option<[&Window; 3]> {
        let window = |corner| Some(&self.vertices.get(self.corner(piece, corner))?.window);
        Some([window(0)?, window(1)?, window(2)?])
    }

    pub(super) fn piece_area(&self, piece: usize) -> i64 {
        self.piece(piece).map_or(0, |[a, b, c]| cull::area(a, b, c))
    }

    /// The area of the whole polygon: a sliver that snapping turned over faces as this does.
    fn area(&self) -> i64 {
        (0..self.pieces()).map(|piece| self.piece_area(piece)).sum()
    }
}

impl<S: PrimitiveSink> Stages<'_, S> {
    /// Hands over a triangle of whole vertices.
    #[inline(always)]
    pub(super) fn hand_over_triangle(
        &mut self,
        triangle: &Primitive<SlotIndex>,
        seen: S::Seen,
        front: bool,
        sent: Sent,
    ) -> Result<(), DrawError<S::Error>> {
        let mut vertices = [VertexId(0); 3];
        if sent.all {
            // Not `map`: that is a loop through memory.
            let [a, b, c] = triangle.vertices;
            vertices = [self.slot(a).id, self.slot(b).id, self.slot(c).id];
        } else if let Err(error) = self.plain_ids(&triangle.vertices, &mut vertices) {
            return self.hand_over_again(error, triangle, seen, front);
        }
        let provoking = triangle.provoking;
        let origin = if sent.any { Origin::Shared } else { Origin::New };
        match self.sink.triangle(seen, Triangle { vertices, provoking, front, origin }) {
            Ok(()) => Ok(()),
            Err(error) => self.hand_over_again(error, triangle, seen, front),
        }
    }

    /// Hands a triangle over once more, if that is why the sink did not take it.
    #[cold]
    #[inline(never)]
    fn hand_over_again(
        &mut self,
        error: SinkError<S::Error>,
        triangle: &Primitive<SlotIndex>,
        seen: S::Seen,
        front: bool,
    ) -> Result<(), DrawError<S::Error>> {
        if let SinkError::Failed(_) = &error {
            return settle(Err(error));
        }
        self.forget_ids();
        let mut vertices = [VertexId(0); 3];
        settle(
            self.plain_ids(&triangle.vertices, &mut vertices)
                .and_then(|()| draw(self.sink, seen, vertices, triangle.provoking, front)),
        )
    }

    /// The sink's names for vertices as the shader wrote them. (Not as a result: one with an error
    /// is copied.)
    #[inline(never)]
    fn plain_ids(
        &mut self,
        slots: &[SlotIndex; 3],
        ids: &mut [VertexId; 3],
    ) -> Result<(), SinkError<S::Error>> {
        let stride = self.scratch.len();
        for (id, slot) in ids.iter_mut().zip(slots) {
            let Some(vertex) = self.slots.get_mut(usize::from(*slot)) else { continue };
            if vertex.code & (code::SENT | code::BACK) != code::SENT {
                let outputs = self.outputs.get(usize::from(*slot) * stride..);
                let Some(outputs) = outputs.and_then(|outputs| outputs.get(..stride)) else {
                    continue;
                };
                let Window { x, y, z, rcp_w } = vertex.window;
                vertex.id = self.sink.vertex(&WindowVertex { x, y, z, rcp_w, outputs })?;
                vertex.code = vertex.code & !code::BACK | code::SENT;
            }
            *id = vertex.id;
        }
        Ok(())
    }

    /// Hands over a point or line of whole vertices.
    pub(super) fn hand_over(
        &mut self,
        primitive: Primitive<SlotIndex>,
    ) -> Result<(), DrawError<S::Error>> {
        match self.point_or_line(primitive) {
            Err(SinkError::Restart) => {
                self.forget_ids();
                settle(self.point_or_line(primitive))
            }
            other => settle(other),
        }
    }

    #[inline(never)]
    fn point_or_line(
        &mut self,
        primitive: Primitive<SlotIndex>,
    ) -> Result<(), SinkError<S::Error>> {
        let [a, b, _] = primitive.vertices;
        let a = self.id(a, Look::PLAIN)?;
        if primitive.count < 2 {
            return self.sink.point(a, a, true);
        }
        let b = self.id(b, Look::PLAIN)?;
        let provoking = if primitive.provoking == 0 { a } else { b };
        self.sink.line([a, b], provoking, true)
    }

    /// Hands over what is left of a triangle.
    pub(super) fn hand_over_fan(&mut self, fan: &mut Fan) -> Result<(), DrawError<S::Error>> {
        self.statistics.c_primitives += fan.pieces() as u64;
        let Some(front) = self.state.cull.facing(fan.area()) else { return Ok(()) };
        if self.state.effects.is_some() {
            return self.polygon(fan, front);
        }
        self.fill(fan, front, Look::PLAIN)
    }

    /// Hands over a polygon's area.
    pub(super) fn fill(
        &mut self,
        fan: &mut Fan,
        front: bool,
        look: Look,
    ) -> Result<(), DrawError<S::Error>> {
        let whole = fan.area();
        let provoking = if fan.first == fan.provoking { 0 } else { fan.provoking as u8 };
        for piece in 0..fan.pieces() {
            let area = fan.piece_area(piece);
            if area == 0 || (area < 0) != (whole < 0) {
                continue;
            }
            let corners = [0, 1, 2].map(|corner| fan.corner(piece, corner));
            let windows = fan.piece(piece);
            let seen = windows.and_then(|windows| sees(self.sink, windows));
            let Some(seen) = seen else { continue };
            self.twice(fan, |stages, fan| {
                let a = stages.fan_id(fan, corners[0], look)?;
                let b = stages.fan_id(fan, corners[1], look)?;
                let c = stages.fan_id(fan, corners[2], look)?;
                draw(stages.sink, seen, [a, b, c], provoking, front)
            })?;
        }
        Ok(())
    }

    /// Hands over what is left of a line.
    pub(super) fn hand_over_line(&mut self, fan: &mut Fan) -> Result<(), DrawError<S::Error>> {
        self.statistics.c_primitives += 1;
        if self.state.effects.is_some() {
            return self.line(fan, [0, 1], true, Look::PLAIN);
        }
        self.plain_line(fan, [0, 1], true, Look::PLAIN)
    }

    /// Hands over the line between two vertices.
    pub(super) fn plain_line(
        &mut self,
        fan: &mut Fan,
        ends: [usize; 2],
        front: bool,
        look: Look,
    ) -> Result<(), DrawError<S::Error>> {
        self.twice(fan, |stages, fan| {
            let a = stages.fan_id(fan, ends[0], look)?;
            let b = stages.fan_id(fan, ends[1], look)?;
            let provoking = stages.fan_id(fan, fan.provoking, look)?;
            stages.sink.line([a, b], provoking, front)
        })
    }

    /// Tries, and once more if the sink had to make room.
    pub(super) fn twice(
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

    /// The sink's name for a slot's vertex as it is to look.
    #[inline(always)]
    fn id(&mut self, slot: SlotIndex, look: Look) -> Result<VertexId, SinkError<S::Error>> {
        let vertex = self.slot(slot);
        // The id in the slot is of its last look; one that has an offset is nobody else's.
        if vertex.code & (code::SENT | code::BACK) == code::SENT | look.code() && !look.is_unique()
        {
            return Ok(vertex.id);
        }
        self.send_slot(slot, look)
    }

    /// Hands over a slot's vertex.
    #[inline(never)]
    fn send_slot(&mut self, slot: SlotIndex, look: Look) -> Result<VertexId, SinkError<S::Error>> {
        let vertex = self.slot(slot);
        let Window { x, y, z, rcp_w } = look.offset(vertex.window);
        let stride = self.scratch.len();
        let start = usize::from(slot) * stride;
        let outputs = self.outputs.get(start..start + stride);
        let mut outputs = outputs.unwrap_or(&[]);
        if look != Look::PLAIN && outputs.len() == stride {
            self.scratch.copy_from_slice(outputs);
            self.state.turn(self.scratch, look);
            outputs = self.scratch;
        }
        let id = take(self.sink, &WindowVertex { x, y, z, rcp_w, outputs })?;
        if let Some(vertex) = self.slots.get_mut(usize::from(slot)) {
            let sent = if look.is_unique() { 0 } else { code::SENT | look.code() };
            vertex.code = vertex.code & !(code::SENT | code::BACK) | sent;
            vertex.id = id;
        }
        Ok(id)
    }

    /// The sink's name for a vertex of a fan.
    pub(super) fn fan_id(
        &mut self,
        fan: &mut Fan,
        at: usize,
        look: Look,
    ) -> Result<VertexId, SinkError<S::Error>> {
        let whole = fan.whole;
        let Some(vertex) = fan.vertices.get_mut(at) else { return Ok(VertexId(0)) };
        if let Some(id) = vertex.id {
            return Ok(id);
        }
        let id = match whole.vertices.get(usize::from(vertex.number)) {
            Some(&slot) => self.id(slot, look)?,
            None => self.send(whole, vertex, look)?,
        };
        vertex.id = Some(id);
        Ok(id)
    }

    /// Works a new vertex out and hands it over.
    pub(super) fn send(
        &mut self,
        whole: Primitive<SlotIndex>,
        vertex: &FanVertex,
        look: Look,
    ) -> Result<VertexId, SinkError<S::Error>> {
        self.blend_outputs(whole, &vertex.weights);
        self.state.turn(self.scratch, look);
        let Window { x, y, z, rcp_w } = look.offset(vertex.window);
        take(self.sink, &WindowVertex { x, y, z, rcp_w, outputs: self.scratch })
    }

    /// Works out a new vertex's outputs, into `scratch`.
    fn blend_outputs(&mut self, whole: Primitive<SlotIndex>, along: &[f32; 3]) {
        // Weights are linear in clip space (or in the window, if that is where positions are);
        // those for the other space have a factor of w (or of 1/w) at each corner.
        let factor = whole
            .vertices
            .map(|slot| self.outputs(slot).get(self.state.position).map_or(1.0, |p| p[3]));
        let sum = blend(along, factor);
        let other = match sum != 0.0 && sum.is_finite() {
            true => {
                [0, 1, 2].map(|i| if along[i] == 0.0 { 0.0 } else { along[i] * factor[i] / sum })
            }
            false => *along,
        };
        let (perspective, linear) =
            if self.state.projection.window_space { (&other, along) } else { (along, &other) };
        let modes = self.state.modes;
        for register in 0..self.scratch.len() {
            let corners = whole
                .vertices
                .map(|slot| self.outputs(slot).get(register).copied().unwrap_or_default());
            let value = if modes.flat >> register & 1 != 0 {
                corners[usize::from(whole.provoking) % 3]
            } else {
                let weights = if modes.linear >> register & 1 != 0 { linear } else { perspective };
                [0, 1, 2, 3].map(|i: usize| blend(weights, corners.map(|c| c[i])))
            };
            if let Some(output) = self.scratch.get_mut(register) {
                *output = value;
            }
        }
    }

    /// After a restart, the sink knows no vertex of ours.
    #[cold]
    fn forget_ids(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.code &= !code::SENT);
    }
}

/// Asks whether a triangle is seen where that is not done often.
#[inline(never)]
fn sees<S: PrimitiveSink>(sink: &S, windows: [&Window; 3]) -> Option<S::Seen> {
    let [a, b, c] = windows;
    sink.sees([[a.x, a.y], [b.x, b.y], [c.x, c.y]])
}

/// Hands a vertex over where it is not done often.
#[inline(never)]
fn take<S: PrimitiveSink>(
    sink: &mut S,
    vertex: &WindowVertex<'_>,
) -> Result<VertexId, SinkError<S::Error>> {
    sink.vertex(vertex)
}

/// Hands a triangle over where it is not done often.
#[inline(never)]
fn draw<S: PrimitiveSink>(
    sink: &mut S,
    seen: S::Seen,
    vertices: [VertexId; 3],
    provoking: u8,
    front: bool,
) -> Result<(), SinkError<S::Error>> {
    sink.triangle(seen, Triangle { vertices, provoking, front, origin: Origin::Piece })
}

/// The second answer is final.
fn settle<E>(answer: Result<(), SinkError<E>>) -> Result<(), DrawError<E>> {
    answer.map_err(|error| match error {
        SinkError::Restart => DrawError::NoRoom,
        SinkError::Failed(error) => DrawError::Sink(error),
    })
}
