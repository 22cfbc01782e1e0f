//! Passes primitives to the sink: first the vertices, each once. Ids are kept for later primitives.
//!
//! A full sink makes room and requests a restart. Then all ids are invalid, and the primitive that
//! it did not take is passed again with its vertices. A primitive that does not fit into an empty
//! sink is an error.

use super::effects::VertexVariant;
use super::polygon::{ClippedPolygon, PolygonVertex};
use super::processor::PrimitiveProcessor;
use crate::assemble::Primitive;
use crate::error::DrawError;
use crate::outcode;
use crate::sink::{Origin, PrimitiveSink, SinkError, Triangle, VertexId, WindowVertex};
use crate::vertex::{SlotIndex, Window};

/// The vertices of a triangle that the sink already has, all as the shader wrote them.
#[derive(Clone, Copy)]
pub(super) struct HandedOver {
    pub(super) any: bool,
    pub(super) all: bool,
}

impl<S: PrimitiveSink> PrimitiveProcessor<'_, S> {
    /// Passes a triangle that was not clipped.
    #[inline(always)]
    pub(super) fn hand_over_triangle(
        &mut self,
        triangle: &Primitive<SlotIndex>,
        extent: S::Extent,
        front: bool,
        known: HandedOver,
    ) -> Result<(), DrawError<S::Error>> {
        let mut vertices = [VertexId(0); 3];
        if known.all {
            // Not `map`: that compiles to a loop through memory.
            let [a, b, c] = triangle.vertices;
            vertices = [self.slot(a).id, self.slot(b).id, self.slot(c).id];
        } else if let Err(error) = self.shaded_ids(&triangle.vertices, &mut vertices) {
            return self.restart_triangle(error, triangle, extent, front);
        }
        let provoking = triangle.provoking;
        let origin = if known.any { Origin::Shared } else { Origin::New };
        match self.sink.triangle(extent, Triangle { vertices, provoking, front, origin }) {
            Ok(()) => Ok(()),
            Err(error) => self.restart_triangle(error, triangle, extent, front),
        }
    }

    /// Passes a triangle again if `error` requests it.
    #[cold]
    #[inline(never)]
    fn restart_triangle(
        &mut self,
        error: SinkError<S::Error>,
        triangle: &Primitive<SlotIndex>,
        extent: S::Extent,
        front: bool,
    ) -> Result<(), DrawError<S::Error>> {
        if let SinkError::Failed(_) = &error {
            return final_result(Err(error));
        }
        self.forget_ids();
        let mut vertices = [VertexId(0); 3];
        final_result(
            self.shaded_ids(&triangle.vertices, &mut vertices)
                .and_then(|()| send_piece(self.sink, extent, vertices, triangle.provoking, front)),
        )
    }

    /// Writes the sink's ids of vertices, as the shader wrote them, to `ids`; passes vertices that
    /// the sink does not have. (A result that holds either ids or an error would be copied.)
    #[inline(never)]
    fn shaded_ids(
        &mut self,
        slots: &[SlotIndex; 3],
        ids: &mut [VertexId; 3],
    ) -> Result<(), SinkError<S::Error>> {
        let stride = self.scratch.len();
        for (id, slot) in ids.iter_mut().zip(slots) {
            let Some(vertex) = self.slots.get_mut(usize::from(*slot)) else { continue };
            if vertex.code & (outcode::HANDED_OVER | outcode::BACK) != outcode::HANDED_OVER {
                let outputs = self.outputs.get(usize::from(*slot) * stride..);
                let Some(outputs) = outputs.and_then(|outputs| outputs.get(..stride)) else {
                    continue;
                };
                let Window { x, y, z, rcp_w } = vertex.window;
                vertex.id = self.sink.vertex(&WindowVertex { x, y, z, rcp_w, outputs })?;
                vertex.code = vertex.code & !outcode::BACK | outcode::HANDED_OVER;
            }
            *id = vertex.id;
        }
        Ok(())
    }

    /// Passes a point or line that was not clipped.
    pub(super) fn hand_over(
        &mut self,
        primitive: Primitive<SlotIndex>,
    ) -> Result<(), DrawError<S::Error>> {
        match self.point_or_line(primitive) {
            Err(SinkError::Restart) => {
                self.forget_ids();
                final_result(self.point_or_line(primitive))
            }
            other => final_result(other),
        }
    }

    /// Tries once to pass a point or line.
    #[inline(never)]
    fn point_or_line(
        &mut self,
        primitive: Primitive<SlotIndex>,
    ) -> Result<(), SinkError<S::Error>> {
        let [a, b, _] = primitive.vertices;
        let a = self.slot_id(a, VertexVariant::SHADED)?;
        if primitive.count < 2 {
            return self.sink.point(a, a, true);
        }
        let b = self.slot_id(b, VertexVariant::SHADED)?;
        let provoking = if primitive.provoking == 0 { a } else { b };
        self.sink.line([a, b], provoking, true)
    }

    /// Passes a polygon's triangles, if they have the same facing as the whole polygon.
    pub(super) fn fill(
        &mut self,
        polygon: &mut ClippedPolygon,
        front: bool,
        variant: VertexVariant,
    ) -> Result<(), DrawError<S::Error>> {
        let whole = polygon.area();
        let provoking = polygon.provoking_corner();
        for piece in 0..polygon.pieces() {
            let area = polygon.piece_area(piece);
            let flat = area == 0 && !self.state.cull.keeps_flat();
            if flat || area != 0 && (area < 0) != (whole < 0) {
                continue;
            }
            let corners = [0, 1, 2].map(|corner| polygon.corner(piece, corner));
            let windows = polygon.piece(piece);
            let extent = windows.and_then(|windows| extent(self.sink, windows));
            let Some(extent) = extent else { continue };
            self.with_restart(polygon, |processor, polygon| {
                let a = processor.polygon_id(polygon, corners[0], variant)?;
                let b = processor.polygon_id(polygon, corners[1], variant)?;
                let c = processor.polygon_id(polygon, corners[2], variant)?;
                send_piece(processor.sink, extent, [a, b, c], provoking, front)
            })?;
        }
        Ok(())
    }

    /// Passes the line between two vertices of a polygon.
    pub(super) fn unstippled_line(
        &mut self,
        polygon: &mut ClippedPolygon,
        ends: [usize; 2],
        front: bool,
        variant: VertexVariant,
    ) -> Result<(), DrawError<S::Error>> {
        self.with_restart(polygon, |processor, polygon| {
            let a = processor.polygon_id(polygon, ends[0], variant)?;
            let b = processor.polygon_id(polygon, ends[1], variant)?;
            let provoking = processor.polygon_id(polygon, polygon.provoking, variant)?;
            processor.sink.line([a, b], provoking, front)
        })
    }

    /// Makes an attempt, and a second one if the sink had to make room.
    pub(super) fn with_restart(
        &mut self,
        polygon: &mut ClippedPolygon,
        attempt: impl Fn(&mut Self, &mut ClippedPolygon) -> Result<(), SinkError<S::Error>>,
    ) -> Result<(), DrawError<S::Error>> {
        match attempt(self, polygon) {
            Err(SinkError::Restart) => {
                self.forget_ids();
                polygon.vertices.iter_mut().for_each(|v| v.id = None);
                final_result(attempt(self, polygon))
            }
            other => final_result(other),
        }
    }

    /// Returns the sink's id of a variant of a slot's vertex; passes the variant if the sink does
    /// not have it.
    #[inline(always)]
    fn slot_id(
        &mut self,
        slot: SlotIndex,
        variant: VertexVariant,
    ) -> Result<VertexId, SinkError<S::Error>> {
        let vertex = self.slot(slot);
        // The slot's id belongs to the last variant. A variant with a depth offset is never shared.
        let same = vertex.code & (outcode::HANDED_OVER | outcode::BACK)
            == outcode::HANDED_OVER | variant.code();
        if same && !variant.is_unique() {
            return Ok(vertex.id);
        }
        self.send_slot(slot, variant)
    }

    /// Passes a variant of a slot's vertex.
    #[inline(never)]
    fn send_slot(
        &mut self,
        slot: SlotIndex,
        variant: VertexVariant,
    ) -> Result<VertexId, SinkError<S::Error>> {
        let vertex = self.slot(slot);
        let Window { x, y, z, rcp_w } = variant.offset(vertex.window);
        let stride = self.scratch.len();
        let start = usize::from(slot) * stride;
        let outputs = self.outputs.get(start..start + stride);
        let mut outputs = outputs.unwrap_or(&[]);
        if variant != VertexVariant::SHADED && outputs.len() == stride {
            self.scratch.copy_from_slice(outputs);
            self.state.apply_variant(self.scratch, variant);
            outputs = self.scratch;
        }
        let id = send_vertex(self.sink, &WindowVertex { x, y, z, rcp_w, outputs })?;
        if let Some(vertex) = self.slots.get_mut(usize::from(slot)) {
            let flags = if variant.is_unique() { 0 } else { outcode::HANDED_OVER | variant.code() };
            vertex.code = vertex.code & !(outcode::HANDED_OVER | outcode::BACK) | flags;
            vertex.id = id;
        }
        Ok(id)
    }

    /// Returns the sink's id of vertex `at` of a polygon; passes the vertex if the sink does not
    /// have it.
    pub(super) fn polygon_id(
        &mut self,
        polygon: &mut ClippedPolygon,
        at: usize,
        variant: VertexVariant,
    ) -> Result<VertexId, SinkError<S::Error>> {
        let whole = polygon.whole;
        let Some(vertex) = polygon.vertices.get_mut(at) else { return Ok(VertexId(0)) };
        if let Some(id) = vertex.id {
            return Ok(id);
        }
        let id = match whole.vertices.get(usize::from(vertex.number)) {
            Some(&slot) => self.slot_id(slot, variant)?,
            None => self.send_new(whole, vertex, variant)?,
        };
        vertex.id = Some(id);
        Ok(id)
    }

    /// Interpolates a new vertex of the primitive `whole`, and passes it.
    pub(super) fn send_new(
        &mut self,
        whole: Primitive<SlotIndex>,
        vertex: &PolygonVertex,
        variant: VertexVariant,
    ) -> Result<VertexId, SinkError<S::Error>> {
        self.blend_outputs(whole, &vertex.weights);
        self.state.apply_variant(self.scratch, variant);
        let Window { x, y, z, rcp_w } = variant.offset(vertex.window);
        send_vertex(self.sink, &WindowVertex { x, y, z, rcp_w, outputs: self.scratch })
    }

    /// Writes the outputs of the vertex with these weights to `scratch`.
    fn blend_outputs(&mut self, whole: Primitive<SlotIndex>, weights: &[f32; 3]) {
        // Starts from the corner with the greatest weight, so that equal values do not change.
        let ([p, q, r], [a, b, c]) = (*weights, whole.vertices);
        let ([_, q, r], [a, b, c]) = if p >= q && p >= r {
            ([p, q, r], [a, b, c])
        } else if q >= r {
            ([q, r, p], [b, c, a])
        } else {
            ([r, p, q], [c, a, b])
        };
        let (outputs, stride) = (self.outputs, self.scratch.len());
        let of = |slot: SlotIndex| outputs.get(usize::from(slot) * stride..).unwrap_or(&[]);
        // A weight of 0 excludes its corner, even a NaN.
        let first = of(a);
        let second = if q == 0.0 { first } else { of(b) };
        let third = if r == 0.0 { first } else { of(c) };
        // Weights are linear in clip space (in the window, if positions are written there). Weights
        // for the other space have a factor of w (of 1/w) at each corner.
        let (modes, window_space) =
            (self.state.modes, self.state.transform.projection.window_space);
        let mut converted = [q, r];
        if window_space || modes.linear != 0 {
            let factor = |outputs: &[[f32; 4]]| {
                outputs.get(self.state.transform.position).map_or(1.0, |position| position[3])
            };
            let (of_first, of_second, of_third) = (factor(first), factor(second), factor(third));
            let sum = (1.0 - q - r) * of_first + q * of_second + r * of_third;
            if sum != 0.0 && sum.is_finite() {
                converted = [q * of_second / sum, r * of_third / sum];
            }
        }
        let (perspective, linear) =
            if window_space { (converted, [q, r]) } else { ([q, r], converted) };
        let flat = whole.vertices.get(usize::from(whole.provoking)).map_or(first, |slot| of(*slot));
        let corners = first.iter().zip(second).zip(third).zip(flat);
        let registers = self.scratch.iter_mut().zip(corners);
        for (register, (output, (((first, second), third), flat))) in registers.enumerate() {
            if modes.flat >> register & 1 != 0 {
                // By components: the compiler must assume that the slices overlap, and would call
                // memmove.
                let [x, y, z, w] = *flat;
                *output = [x, y, z, w];
                continue;
            }
            let [q, r] = if modes.linear >> register & 1 != 0 { linear } else { perspective };
            let values = first.iter().zip(second).zip(third);
            for (output, ((first, second), third)) in output.iter_mut().zip(values) {
                *output = *first + q * (*second - *first) + r * (*third - *first);
            }
        }
    }

    /// Marks all slots as not passed, after the sink made room.
    #[cold]
    fn forget_ids(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.code &= !outcode::HANDED_OVER);
    }
}

// These three are calls. The hot path has the sink's methods inlined.

/// Returns the sink's extent of a triangle.
#[inline(never)]
fn extent<S: PrimitiveSink>(sink: &S, windows: [&Window; 3]) -> Option<S::Extent> {
    let [a, b, c] = windows;
    sink.extent([[a.x, a.y], [b.x, b.y], [c.x, c.y]])
}

/// Passes a vertex to the sink.
#[inline(never)]
fn send_vertex<S: PrimitiveSink>(
    sink: &mut S,
    vertex: &WindowVertex<'_>,
) -> Result<VertexId, SinkError<S::Error>> {
    sink.vertex(vertex)
}

/// Passes a triangle to the sink.
#[inline(never)]
fn send_piece<S: PrimitiveSink>(
    sink: &mut S,
    extent: S::Extent,
    vertices: [VertexId; 3],
    provoking: u8,
    front: bool,
) -> Result<(), SinkError<S::Error>> {
    sink.triangle(extent, Triangle { vertices, provoking, front, origin: Origin::Piece })
}

/// Converts the sink's final answer to the draw's result: no further restart is possible.
fn final_result<E>(answer: Result<(), SinkError<E>>) -> Result<(), DrawError<E>> {
    answer.map_err(|error| match error {
        SinkError::Restart => DrawError::NoRoom,
        SinkError::Failed(error) => DrawError::Sink(error),
    })
}
