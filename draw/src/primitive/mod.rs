//! Processes primitives between assembly and the sink.
//!
//! ```text
//!   reject ──► clip ──► facing, cull ──► effects ──► hand over
//! ```
//!
//! Most primitives are neither rejected nor clipped and go straight through. The effects (two-sided
//! colour, outlines, depth offset, line stipple) come between cull and hand-over, because they
//! depend on the facing and apply only to drawn primitives.
//!
//! Each file imports from the ones below it:
//!
//! | file | content |
//! |---|---|
//! | `mod` | rejects, clips and culls |
//! | `outline` | polygons as lines and points, lines |
//! | `stippled_line` | splits a line into the pieces that its pattern leaves |
//! | `hand_over` | passes vertices, then primitives, to the sink; handles its restart |
//! | `processor` | the state of a draw and the vertices of a segment, which all steps share |
//! | `effects` | the effects of a draw; the variants of its vertices |
//! | `unsnap` | the values of a cut or narrow triangle at the places that its vertices are snapped to |
//! | `polygon`, `offset`, `stipple` | a polygon in the window; a polygon's depth offset; patterns |
//! | `clip`, `cull` | cuts at planes; facing by exact area |

mod clip;
mod cull;
#[cfg_attr(not(feature = "primitive-effects"), path = "no_effects.rs")]
mod effects;
mod hand_over;
#[cfg(feature = "primitive-effects")]
mod offset;
#[cfg_attr(not(feature = "primitive-effects"), path = "no_outline.rs")]
mod outline;
mod polygon;
mod processor;
#[cfg(feature = "primitive-effects")]
mod stipple;
#[cfg(feature = "primitive-effects")]
mod stippled_line;
mod unsnap;

use crate::assemble::Primitive;
use crate::error::DrawError;
use crate::features::USER_CLIP_PLANES;
use crate::outcode;
use crate::sink::PrimitiveSink;
use crate::vertex::{SlotIndex, Window};
use clip::{Clipped, Corner, blend};
pub(crate) use cull::Cull;
pub(crate) use effects::Effects;
use effects::VertexVariant;
use hand_over::HandedOver;
use polygon::{ClippedPolygon, PolygonVertex};
#[cfg(feature = "stages")]
pub(crate) use processor::Targets;
pub(crate) use processor::{PrimitiveProcessor, PrimitiveState};
use unsnap::Slopes;

impl<S: PrimitiveSink> PrimitiveProcessor<'_, S> {
    /// Passes a segment's primitives to the sink, in order.
    ///
    /// # Errors
    /// The sink failed, or has no room for a single primitive.
    #[inline(never)]
    pub(crate) fn primitives(
        &mut self,
        primitives: &[Primitive<SlotIndex>],
    ) -> Result<(), DrawError<S::Error>> {
        // `process_other` corrects this for primitives that are rejected or clipped.
        self.statistics.c_primitives += primitives.len() as u64;
        for primitive in primitives {
            // Not `map`: that compiles to a loop through memory.
            let [a, b, c] = primitive.vertices;
            let slot = |slot: SlotIndex| self.slots.get(usize::from(slot));
            let (Some(a), Some(b), Some(c)) = (slot(a), slot(b), slot(c)) else { continue };
            // Points and lines repeat their last vertex, which does not change either result.
            let (any, all) = (a.code | b.code | c.code, a.code & b.code & c.code);
            let windows = [a.window, b.window, c.window];
            // Most primitives are triangles wholly inside. The sink may or may not have their
            // vertices.
            let inside = any & !(outcode::HANDED_OVER | outcode::BACK) == 0;
            if !(primitive.count == 3 && inside) && self.process_other(primitive)? {
                continue;
            }
            let known = HandedOver {
                any: any & outcode::HANDED_OVER != 0,
                all: all & outcode::HANDED_OVER != 0,
            };
            self.unclipped_triangle(primitive, windows, known)?;
        }
        Ok(())
    }

    /// Processes a primitive that is rejected, clipped, or not a triangle; returns `false` for any
    /// other.
    #[inline(never)]
    fn process_other(
        &mut self,
        primitive: &Primitive<SlotIndex>,
    ) -> Result<bool, DrawError<S::Error>> {
        let [a, b, c] = primitive.vertices.map(|slot| self.slot(slot).code);
        let (all, any) = (a & b & c, a | b | c);
        let rejected = all & self.reject_mask(primitive.count) != 0 || any & outcode::INVALID != 0;
        let clipped = primitive.count > 1 && any & outcode::CUT != 0;
        if rejected || clipped {
            self.statistics.c_primitives -= 1;
            return if rejected { Ok(true) } else { self.clip(*primitive, any).map(|()| true) };
        }
        if primitive.count == 3 || !S::STROKES {
            return Ok(false);
        }
        if primitive.count == 2 && self.state.effects.is_some() {
            let mut line = self.unclipped_polygon(*primitive);
            self.line(&mut line, [0, 1], true, VertexVariant::SHADED)?;
        } else {
            self.hand_over(*primitive)?;
        }
        Ok(true)
    }

    /// Culls a triangle that needs no clipping, or draws it.
    #[inline(always)]
    fn unclipped_triangle(
        &mut self,
        triangle: &Primitive<SlotIndex>,
        [a, b, c]: [Window; 3],
        known: HandedOver,
    ) -> Result<(), DrawError<S::Error>> {
        let area = cull::area(&a, &b, &c);
        let Some(front) = self.state.cull.facing(area) else {
            self.sink.culled(usize::from(area != 0));
            return Ok(());
        };
        // Corners of a triangle without area may be the same vertex, which is passed once.
        let is_flat = self.state.cull.keeps_flat() && area == 0;
        let known = HandedOver { any: known.any || is_flat, ..known };
        if self.state.effects.is_some() {
            let mut polygon = self.unclipped_polygon(*triangle);
            return self.polygon(&mut polygon, front);
        }
        match self.sink.extent([[a.x, a.y], [b.x, b.y], [c.x, c.y]]) {
            Some(_) if S::TRUE_PLANES && cull::is_narrow(area, &a, &b, &c) => {
                self.narrow_triangle(triangle, front)
            }
            Some(extent) => self.hand_over_triangle(triangle, extent, front, known),
            None => Ok(()),
        }
    }

    /// Draws a narrow triangle that was not clipped.
    #[cold]
    #[inline(never)]
    fn narrow_triangle(
        &mut self,
        triangle: &Primitive<SlotIndex>,
        front: bool,
    ) -> Result<(), DrawError<S::Error>> {
        let mut polygon = self.unclipped_polygon(*triangle);
        self.unsnap(&mut polygon);
        self.fill(&mut polygon, front, VertexVariant::SHADED)
    }

    /// Sets the vertices of a polygon to the primitive's values at the places they are snapped to.
    #[inline(never)]
    fn unsnap(&self, polygon: &mut ClippedPolygon) {
        let projection = &self.state.transform.projection;
        let mut corners = [[0.0; 4]; 3];
        for (corner, slot) in corners.iter_mut().zip(polygon.whole.vertices) {
            *corner = self.corner(slot, 0).position;
        }
        let slopes = Slopes::new(projection, corners);
        polygon.vertices.iter_mut().for_each(|vertex| slopes.unsnap(projection, vertex));
        let [x, y, _] = projection.translate;
        polygon.begin_near([x, y]);
    }

    /// Returns the outcode bits that reject a primitive of `count` vertices if all have one in
    /// common.
    #[inline(always)]
    fn reject_mask(&self, count: u8) -> u32 {
        // A point clipped as a square may reach into the view volume from outside.
        let reaches_in = count == 1 && self.state.point_tri_clip;
        if reaches_in { outcode::REJECT & !outcode::FRUSTUM_ALL } else { outcode::REJECT }
    }

    /// Clips a line or triangle, and draws the rest of it.
    #[cold]
    #[inline(never)]
    fn clip(
        &mut self,
        primitive: Primitive<SlotIndex>,
        any: u32,
    ) -> Result<(), DrawError<S::Error>> {
        // Polygons are large: there is one on the stack, and it never moves.
        let mut left = ClippedPolygon::empty(primitive);
        match self.clip_into(&mut left, any) {
            Some(()) if primitive.count == 3 || !S::STROKES => self.clipped_triangle(&mut left),
            Some(()) => self.clipped_line(&mut left),
            None => Ok(()),
        }
    }

    /// Clips the primitive of `left` into `left`; returns `None` if nothing is left. `any` has the
    /// outcode bits of all its vertices.
    ///
    /// Separate from [`clip`](Self::clip), so that the stack never holds the locals of the clipper
    /// and of the hand-over at once.
    #[inline(never)]
    fn clip_into(&self, left: &mut ClippedPolygon, any: u32) -> Option<()> {
        let corners = left.whole.vertices.map(|slot| self.corner(slot, any));
        let planes = &self.state.transform.projection.planes;
        let count = if S::STROKES { left.whole.count } else { 3 };
        let clipped = Clipped::new(&corners, planes, count);
        for &number in clipped.vertices() {
            left.vertices.push(self.polygon_vertex(left.whole, &clipped, number)?).ok()?;
        }
        left.choose_provoking()?;
        (left.vertices.len() > 1).then_some(())
    }

    /// Returns the clipper's corner for a slot's vertex. `any` has the outcode bits of all vertices
    /// of the primitive.
    #[inline(never)]
    fn corner(&self, slot: SlotIndex, any: u32) -> Corner {
        let transform = &self.state.transform;
        let outputs = self.outputs(slot);
        let written = outputs.get(transform.position).copied().unwrap_or_default();
        let mut user = [0.0; 8];
        if USER_CLIP_PLANES && any & outcode::CUT & !(outcode::USER - 1) != 0 {
            user = core::array::from_fn(|k| transform.user.distance(k, outputs));
        }
        let position = transform.projection.position(written);
        Corner { position, code: self.slot(slot).code, user }
    }

    /// Projects vertex `number` of a clipped primitive to the window; `None` if rounding gave it a
    /// w that cannot be a divisor.
    fn polygon_vertex(
        &self,
        whole: Primitive<SlotIndex>,
        clipped: &Clipped<'_>,
        number: u8,
    ) -> Option<PolygonVertex> {
        let position = clipped.position(number);
        if !(position[3] >= f32::MIN_POSITIVE) {
            return None;
        }
        let weights = clipped.weights(number);
        let window = match whole.vertices.get(usize::from(number)) {
            Some(&slot) => self.slot(slot).window,
            None => {
                let written =
                    whole.vertices.map(|slot| self.written_position(slot).map_or(0.0, |p| p[3]));
                let projection = &self.state.transform.projection;
                projection.window(position, blend(&weights, written))
            }
        };
        Some(PolygonVertex { number, window, weights, id: None })
    }

    /// Returns an unclipped line or triangle as a polygon for effects.
    fn unclipped_polygon(&self, whole: Primitive<SlotIndex>) -> ClippedPolygon {
        ClippedPolygon::whole(whole, whole.vertices.map(|slot| self.slot(slot).window))
    }

    /// Culls or draws the polygon that is left of a triangle after clipping.
    fn clipped_triangle(
        &mut self,
        polygon: &mut ClippedPolygon,
    ) -> Result<(), DrawError<S::Error>> {
        self.statistics.c_primitives += polygon.pieces() as u64;
        let area = polygon.area();
        let Some(front) = self.state.cull.facing(area) else {
            self.sink.culled(if area == 0 { 0 } else { polygon.pieces() });
            return Ok(());
        };
        if self.state.effects.is_some() {
            return self.polygon(polygon, front);
        }
        if S::TRUE_PLANES {
            self.unsnap(polygon);
        }
        self.fill(polygon, front, VertexVariant::SHADED)
    }

    /// Draws the rest of a line after clipping.
    fn clipped_line(&mut self, line: &mut ClippedPolygon) -> Result<(), DrawError<S::Error>> {
        self.statistics.c_primitives += 1;
        if self.state.effects.is_some() {
            return self.line(line, [0, 1], true, VertexVariant::SHADED);
        }
        self.unstippled_line(line, [0, 1], true, VertexVariant::SHADED)
    }
}
