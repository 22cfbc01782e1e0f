//! A polygon in the window: a clipped triangle or line, or an unclipped one that effects draw.

use super::clip::MAX_POLYGON;
use super::cull;
use crate::assemble::Primitive;
use crate::sink::VertexId;
use crate::vertex::{SlotIndex, Window};
use heapless::Vec;

/// A vertex of a [`ClippedPolygon`].
#[derive(Clone, Copy)]
pub(super) struct PolygonVertex {
    /// The clipper's number of the vertex: below 3 a corner of the primitive, else a new vertex. A
    /// corner also becomes [`ClippedPolygon::NEW`] once its values are moved to another place.
    pub(super) number: u8,
    pub(super) window: Window,
    /// The share of each corner of the primitive, linear in clip space (in the window, if positions
    /// are written there).
    pub(super) weights: [f32; 3],
    /// The sink's id of the vertex, once it has one.
    pub(super) id: Option<VertexId>,
}

/// A convex polygon, drawn as triangles around one of its vertices; or a line.
pub(super) struct ClippedPolygon {
    pub(super) vertices: Vec<PolygonVertex, MAX_POLYGON>,
    /// The vertex that gives the flat attributes.
    pub(super) provoking: usize,
    /// The vertex that all triangles share.
    first: usize,
    /// The primitive before clipping.
    pub(super) whole: Primitive<SlotIndex>,
}

/// The weights of the corners themselves.
const CORNERS: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl ClippedPolygon {
    /// The number of a vertex that belongs to no other primitive.
    pub(super) const NEW: u8 = u8::MAX;

    /// Returns a polygon without vertices, for the clipper to fill.
    #[inline(always)]
    pub(super) fn empty(whole: Primitive<SlotIndex>) -> ClippedPolygon {
        ClippedPolygon { vertices: Vec::new(), provoking: 0, first: 0, whole }
    }

    /// Returns a primitive that was not clipped, with its vertices' window positions.
    pub(super) fn whole(whole: Primitive<SlotIndex>, windows: [Window; 3]) -> ClippedPolygon {
        let corner = |number, window, weights| PolygonVertex { number, window, weights, id: None };
        let ([a, b, c], [of_a, of_b, of_c]) = (windows, CORNERS);
        let corners = [corner(0, a, of_a), corner(1, b, of_b), corner(2, c, of_c)];
        let mut vertices = Vec::from_array(corners);
        vertices.truncate(usize::from(whole.count));
        let provoking = usize::from(whole.provoking);
        // Around the first vertex, as without effects, so that depths are equal to the last bit.
        ClippedPolygon { vertices, provoking, first: 0, whole }
    }

    /// Chooses the provoking vertex, which all triangles share. It is the primitive's provoking
    /// vertex or, if that was clipped away, a new vertex: all new vertices have its flat
    /// attributes. Returns `None` if the polygon has neither.
    pub(super) fn choose_provoking(&mut self) -> Option<()> {
        let own = self.vertices.iter().position(|v| v.number == self.whole.provoking);
        let new = || self.vertices.iter().position(|v| v.number > 2);
        self.provoking = own.or_else(new)?;
        self.first = self.provoking;
        Some(())
    }

    /// Returns the provoking corner of every triangle, 0 to 2.
    pub(super) fn provoking_corner(&self) -> u8 {
        if self.first == self.provoking { 0 } else { self.provoking as u8 }
    }

    /// Starts the triangles from the new vertex nearest to a place, in pixels, if there is a new
    /// vertex. All new vertices have the same flat attributes, and the rasterizer's planes are more
    /// exact the nearer they start.
    pub(super) fn begin_near(&mut self, [x, y]: [f32; 2]) {
        let mut least = f32::INFINITY;
        for (index, PolygonVertex { number, window, .. }) in self.vertices.iter().enumerate() {
            let [right, down] = [window.x, window.y].map(|place| place as f32 / 256.0);
            let distance = (right - x).abs() + (down - y).abs();
            if *number > 2 && distance < least {
                least = distance;
                (self.first, self.provoking) = (index, index);
            }
        }
    }

    /// Returns the number of triangles.
    pub(super) fn pieces(&self) -> usize {
        self.vertices.len().saturating_sub(2)
    }

    /// Returns the vertex at corner `corner` (0 to 2) of triangle `piece`.
    pub(super) fn corner(&self, piece: usize, corner: usize) -> usize {
        let along = if corner == 0 { 0 } else { piece + corner };
        (self.first + along) % self.vertices.len().max(1)
    }

    /// Returns the window positions of triangle `piece`.
    pub(super) fn piece(&self, piece: usize) -> Option<[&Window; 3]> {
        let window = |corner| Some(&self.vertices.get(self.corner(piece, corner))?.window);
        Some([window(0)?, window(1)?, window(2)?])
    }

    /// Returns twice the signed area of triangle `piece`, as [`cull::area`].
    pub(super) fn piece_area(&self, piece: usize) -> i64 {
        self.piece(piece).map_or(0, |[a, b, c]| cull::area(a, b, c))
    }

    /// Returns true if snapping may change the plane of the polygon's values by much. Either
    /// clipping made some of its vertices, so that it has narrow pieces, or the polygon is
    /// [narrow](cull::is_narrow) itself.
    #[cfg(feature = "primitive-effects")]
    pub(super) fn is_sensitive(&self) -> bool {
        let narrow = |[a, b, c]: [&Window; 3]| cull::is_narrow(cull::area(a, b, c), a, b, c);
        self.vertices.iter().any(|vertex| vertex.number > 2) || self.piece(0).is_some_and(narrow)
    }

    /// Returns twice the signed area of the polygon. It decides the facing of all its triangles,
    /// because snapping may flip a sliver.
    pub(super) fn area(&self) -> i64 {
        (0..self.pieces()).map(|piece| self.piece_area(piece)).sum()
    }
}
