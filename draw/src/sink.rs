//! The way out of Draw: primitives in window space, to whoever rasterizes them.
//!
//! Draw hands over a vertex the first time a primitive that survived clipping and culling needs
//! it, and keeps the id it gets back, so a mesh's shared vertices cross this line once.

use core::fmt;

/// A sink's own name for a vertex it has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct VertexId(pub u32);

/// A vertex after the viewport transform.
#[derive(Clone, Copy, Debug)]
pub struct WindowVertex<'v> {
    /// Window x, Q24.8 (1/256 pixel), rounded to nearest even; x grows to the right.
    pub x: i32,
    /// Window y, Q24.8, in the surface's own direction: row 0 first.
    pub y: i32,
    /// Window depth, as the viewport gives it; 0 to 1 unless depth clipping is off.
    pub z: f32,
    /// 1 / clip w.
    pub rcp_w: f32,
    /// What the last vertex stage wrote, `OUT[i]` at `i`.
    pub outputs: &'v [[f32; 4]],
}

/// A triangle of vertices that were handed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Triangle {
    /// Its corners, in winding order.
    pub vertices: [VertexId; 3],
    /// Whose flat attributes it has: 0 to 2.
    pub provoking: u8,
    /// Its facing, from the exact signed area of the snapped positions and the rasterizer state's
    /// winding.
    pub front: bool,
    /// What is known of its vertices.
    pub origin: Origin,
}

/// Where a triangle's vertices come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// They are the last three that were handed over, in this order.
    New,
    /// They are the draw's; some were handed over before.
    Shared,
    /// It is a piece of something that was clipped or turned into a polygon, as few are.
    Piece,
}

/// Why a sink did not take something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SinkError<E> {
    /// The sink made room: all ids it gave are void, what it had taken is drawn.
    /// Hand over the primitive's vertices again, then the primitive.
    Restart,
    /// It cannot go on; the draw ends with this error.
    Failed(E),
}

/// Takes window-space primitives in order.
pub trait PrimitiveSink {
    /// What can go wrong for good.
    type Error: fmt::Debug;

    /// What [`sees`](Self::sees) finds out about a triangle.
    type Seen: Copy;

    /// Whether it wants to [`capture`](Self::capture) this draw's primitives.
    fn captures(&self) -> bool {
        false
    }

    /// Gets the outputs of a point's, line's or triangle's vertices, in order, before anything is
    /// clipped, culled or discarded. Never called without the feature `stream-output`.
    fn capture(&mut self, vertices: &[&[[f32; 4]]]) {
        let _ = vertices;
    }

    /// Looks at a triangle with these corners (Q24.8). One that is not seen is dropped before its
    /// vertices are handed over; what was found about another comes back with it.
    fn sees(&self, corners: [[i32; 2]; 3]) -> Option<Self::Seen>;

    /// Takes a vertex.
    fn vertex(&mut self, vertex: &WindowVertex<'_>) -> Result<VertexId, SinkError<Self::Error>>;

    /// Draws a point with the flat attributes of `provoking`.
    ///
    /// `front` is the facing of the polygon whose corner it is, and true for other points.
    fn point(
        &mut self,
        vertex: VertexId,
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<Self::Error>>;

    /// Draws a line with the flat attributes of `provoking`: one of its ends, or another vertex of
    /// the polygon whose edge it is. `front` is that polygon's facing, and true for other lines.
    fn line(
        &mut self,
        vertices: [VertexId; 2],
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<Self::Error>>;

    /// Draws a triangle; never called for one without area.
    fn triangle(
        &mut self,
        seen: Self::Seen,
        triangle: Triangle,
    ) -> Result<(), SinkError<Self::Error>>;
}
