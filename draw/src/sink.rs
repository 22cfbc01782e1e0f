//! The way out of Draw: primitives in window space, to a rasterizer.
//!
//! Draw hands over a vertex the first time that a primitive which survived clipping and culling
//! needs it, and keeps the id that the sink returns. So a mesh's shared vertices are handed over
//! once.

use core::fmt;

/// A sink's own name for a vertex that it has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct VertexId(pub u32);

/// A vertex after the viewport transform.
///
/// Depth, 1/w and outputs are those of the vertex. Of a triangle that was clipped, or that is narrower than
/// half a pixel, they are those that the triangle has where x and y are rounded to: the plane through them is
/// the triangle's.
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
    /// The outputs of the last vertex stage: `OUT[i]` at `i`.
    pub outputs: &'v [[f32; 4]],
}

/// A triangle of vertices that were handed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Triangle {
    /// The corners, in winding order.
    pub vertices: [VertexId; 3],
    /// The corner that gives the flat attributes: 0 to 2.
    pub provoking: u8,
    /// The facing, from the exact signed area of the snapped positions and the rasterizer state's
    /// winding.
    pub front: bool,
    /// The relation to vertices that were handed over before.
    pub origin: Origin,
}

/// The origin of a triangle's vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The last three vertices that were handed over, in this order.
    New,
    /// Vertices of the draw, some of which were handed over for another primitive.
    Shared,
    /// A piece of a triangle that was clipped or drawn with effects, as few are.
    Piece,
}

/// The reason for which a sink did not take a vertex or primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SinkError<E> {
    /// The sink made room: it has drawn all that it had, and all ids that it returned are void.
    /// Hand over the primitive's vertices again, then the primitive.
    Restart,
    /// The sink cannot go on; the draw ends with this error.
    Failed(E),
}

/// A phase of a draw, for sinks that measure where time goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Indices become primitives over the places of vertices.
    Assembly,
    /// Vertices are fetched, shaded and taken to the window.
    Vertices,
    /// Primitives are clipped, culled and handed over.
    Primitives,
}

/// Takes window-space primitives, in order: implemented by rasterizers.
///
/// For each primitive Draw asks for a triangle's [`extent`](Self::extent), hands over the vertices
/// that the sink does not have, and then the primitive, by the ids of its vertices. Ids stay valid
/// until the draw ends or the sink returns [`SinkError::Restart`]. After a restart Draw hands the
/// primitive over once more; a second restart ends the draw with
/// [`DrawError::NoRoom`](crate::DrawError::NoRoom).
///
/// The [crate's example](crate) has a sink.
pub trait PrimitiveSink {
    /// The sink's own failures.
    type Error: fmt::Debug;

    /// The result of [`extent`](Self::extent), such as the range of tiles that a triangle may touch.
    type Extent: Copy;

    /// False for a sink of triangles alone: points and lines do not reach it, and their code is not
    /// in the program.
    const STROKES: bool = true;

    /// False for a sink that is to take the vertices of clipped and narrow triangles as they are, for the code
    /// that gives them other values is not in the program then: see [`WindowVertex`].
    const TRUE_PLANES: bool = true;

    /// Learns which phase the draw enters, once a segment each. A draw without stages after the vertex
    /// shader begins in [`Phase::Assembly`]; no other tells its phases.
    #[inline(always)]
    fn enter(&mut self, phase: Phase) {
        let _ = phase;
    }

    /// Tells if the sink [captures](Self::capture) this draw's primitives.
    fn captures(&self) -> bool {
        false
    }

    /// Takes the outputs of a point's, line's or triangle's vertices, in order, before it is clipped,
    /// culled or discarded. `stream` is the vertex stream, 0 to 3. Never called without the feature
    /// `stream-output`.
    fn capture(&mut self, stream: u8, vertices: &[&[[f32; 4]]]) {
        let _ = (stream, vertices);
    }

    /// Chooses layer and viewport (0 to 15) of the primitives that follow, up to the next call. Never
    /// called for draws whose last vertex stage writes neither: all their primitives go to layer 0
    /// and viewport 0. The layer is any number that the shader wrote.
    fn select(&mut self, layer: u32, viewport: u32) {
        let _ = (layer, viewport);
    }

    /// Returns the extent of a triangle with these corners (Q24.8), or `None` if it covers no pixel
    /// that the sink draws: then Draw drops it before it hands over any vertex. The extent comes back
    /// with [`triangle`](Self::triangle).
    fn extent(&self, corners: [[i32; 2]; 3]) -> Option<Self::Extent>;

    /// Takes a vertex, and returns a name for it.
    ///
    /// # Errors
    /// See [`SinkError`].
    fn vertex(&mut self, vertex: &WindowVertex<'_>) -> Result<VertexId, SinkError<Self::Error>>;

    /// Draws a point with the flat attributes of `provoking`.
    ///
    /// `front` is the facing of the polygon whose corner it is, and true for other points.
    ///
    /// # Errors
    /// See [`SinkError`].
    fn point(
        &mut self,
        vertex: VertexId,
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<Self::Error>>;

    /// Draws a line with the flat attributes of `provoking`: one of its ends, or another vertex of
    /// the polygon whose edge it is. `front` is that polygon's facing, and true for other lines.
    ///
    /// # Errors
    /// See [`SinkError`].
    fn line(
        &mut self,
        vertices: [VertexId; 2],
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<Self::Error>>;

    /// Draws a triangle; one without area only under conservative rasterization before snapping.
    ///
    /// # Errors
    /// See [`SinkError`].
    fn triangle(
        &mut self,
        extent: Self::Extent,
        triangle: Triangle,
    ) -> Result<(), SinkError<Self::Error>>;
}
