//! Polygons and lines of draws with effects: areas, outlines, corners, stippled lines.

use super::effects::VertexVariant;
use super::polygon::ClippedPolygon;
use super::processor::PrimitiveProcessor;
use crate::assemble::Primitive;
use crate::error::DrawError;
use crate::sink::PrimitiveSink;
use crate::vertex::SlotIndex;
use pipe_core::PolygonMode;

impl<S: PrimitiveSink> PrimitiveProcessor<'_, S> {
    /// Draws the area, edges or corners of a polygon that is not culled.
    pub(super) fn polygon(
        &mut self,
        polygon: &mut ClippedPolygon,
        front: bool,
    ) -> Result<(), DrawError<S::Error>> {
        let Some(effects) = &self.state.effects else { return Ok(()) };
        let outline = effects.outline(front);
        if S::TRUE_PLANES && outline.is_none() && polygon.is_sensitive() {
            self.unsnap(polygon);
        }
        let variant = effects.variant(polygon, front);
        let Some(mode) = outline else { return self.fill(polygon, front, variant) };
        if polygon.whole.edges & Primitive::<SlotIndex>::STARTS != 0 {
            *self.stippled = 0;
        }
        let count = polygon.vertices.len();
        for from in 0..count {
            let to = (from + 1) % count;
            if !self.is_edge(polygon, from, to) {
                continue;
            }
            if mode == PolygonMode::Line {
                self.line(polygon, [from, to], front, variant)?;
            } else {
                self.with_restart(polygon, |processor, polygon| {
                    let vertex = processor.polygon_id(polygon, from, variant)?;
                    let provoking = processor.polygon_id(polygon, polygon.provoking, variant)?;
                    processor.sink.point(vertex, provoking, front)
                })?;
            }
        }
        Ok(())
    }

    /// Draws a line, in pieces if it is stippled.
    pub(super) fn line(
        &mut self,
        polygon: &mut ClippedPolygon,
        ends: [usize; 2],
        front: bool,
        variant: VertexVariant,
    ) -> Result<(), DrawError<S::Error>> {
        let effects = self.state.effects.as_ref();
        match effects.and_then(|effects| effects.stipple.as_ref()) {
            Some(stipple) => self.stippled_line(stipple, polygon, ends, front, variant),
            None => self.unstippled_line(polygon, ends, front, variant),
        }
    }

    /// Returns true if the side between two vertices of a polygon is an edge that outlines show.
    ///
    /// Sides made by clipping are not edges: they lie on a clip plane.
    fn is_edge(&self, polygon: &ClippedPolygon, from: usize, to: usize) -> bool {
        let (Some(a), Some(b)) = (polygon.vertices.get(from), polygon.vertices.get(to)) else {
            return false;
        };
        // Side k runs from corner k to the next: the third corner has no share in either end.
        let ([a0, a1, a2], [b0, b1, b2]) = (a.weights, b.weights);
        let opposite = [[a2, b2], [a0, b0], [a1, b1]];
        let side = opposite.iter().position(|weights| *weights == [0.0; 2]);
        let Some((side, &start)) = side.and_then(|k| Some((k, polygon.whole.vertices.get(k)?)))
        else {
            return false;
        };
        let flag = self.state.effects.as_ref().and_then(|effects| effects.edge_flag);
        let flagged = flag.is_none_or(|register| {
            let outputs = self.outputs(start);
            outputs.get(usize::from(register)).is_none_or(|flag| flag[0] != 0.0)
        });
        flagged && polygon.whole.edges >> side & 1 != 0
    }
}
