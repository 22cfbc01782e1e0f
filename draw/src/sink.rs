//! The interface from Draw to a rasterizer: primitives in window space.
//!
//! Draw passes a vertex to the sink when the first primitive that survived clipping and culling
//! needs it, and keeps the id that the sink returns. So the shared vertices of a mesh are passed
//! once.

use core::fmt;

/// A sink's handle of a vertex that it has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct VertexId(pub u32);

/// A vertex after the viewport transform.
///
/// Depth, 1/w and outputs are the vertex's values. In a triangle that was clipped, or that is
/// narrower than half a pixel, they are the triangle's values at the rounded x and y: the plane
/// through them is the triangle's plane.
#[derive(Clone, Copy, Debug)]
pub struct WindowVertex<'v> {
    /// Window x, Q24.8 (1/256 pixel), rounded to nearest even; x grows to the right.
    pub x: i32,
    /// Window y, Q24.8, in the surface's direction: row 0 first.
    pub y: i32,
    /// Window depth from the viewport transform; 0 to 1 unless depth clipping is off.
    pub z: f32,
    /// 1 / clip w.
    pub rcp_w: f32,
    /// The outputs of the last vertex stage: `OUT[i]` at `i`.
    pub outputs: &'v [[f32; 4]],
}

/// A triangle of vertices that the sink has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Triangle {
    /// The corners, in winding order.
    pub vertices: [VertexId; 3],
    /// The corner that gives the flat attributes: 0 to 2.
    pub provoking: u8,
    /// The facing, from the exact signed area of the snapped positions and the rasterizer state's
    /// winding.
    pub front: bool,
    /// The relation to vertices that the sink took before.
    pub origin: Origin,
}

/// The origin of a triangle's vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The last three vertices that the sink took, in this order.
    New,
    /// Vertices of the draw. Some of them were passed for another primitive.
    Shared,
    /// A piece of a triangle that was clipped or drawn with effects; few triangles are.
    Piece,
}

/// The reason why a sink did not take a vertex or primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SinkError<E> {
    /// The sink made room: it has drawn everything recorded so far, and all ids that it returned
    /// are invalid. Pass the primitive's vertices again, then the primitive.
    Restart,
    /// The sink cannot go on; the draw ends with this error.
    Failed(E),
}

/// A phase of a draw, for sinks that measure where time goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Assembles primitives from indices.
    Assembly,
    /// Fetches and shades vertices, and transforms them to the window.
    Vertices,
    /// Clips and culls primitives, and passes them to the sink.
    Primitives,
}

/// Takes window-space primitives, in order: implemented by rasterizers.
///
/// For a triangle, Draw first asks for its [`extent`](Self::extent). For each primitive it passes
/// the vertices that the sink does not have, and then the primitive, by the ids of its vertices.
/// Ids stay valid until the draw ends or the sink returns [`SinkError::Restart`]. After a restart
/// Draw passes the primitive once more; a second restart ends the draw with
/// [`DrawError::NoRoom`](crate::DrawError::NoRoom).
///
/// The [crate's example](crate) has a sink.
pub trait PrimitiveSink {
    /// The error type of the sink.
    type Error: fmt::Debug;

    /// The result of [`extent`](Self::extent), such as the range of tiles that a triangle may
    /// touch.
    type Extent: Copy;

    /// False for a sink that only receives triangles: points and lines do not reach it, and their
    /// code is not in the program.
    const STROKES: bool = true;

    /// False for a sink that takes the vertices of clipped and narrow triangles unchanged. The code
    /// that adjusts their values is then not in the program: see [`WindowVertex`].
    const TRUE_PLANES: bool = true;

    /// Receives the phase that the draw enters, once per segment and phase. A draw without stages
    /// after the vertex shader begins in [`Phase::Assembly`]. Other draws report no phases.
    #[inline(always)]
    fn enter(&mut self, phase: Phase) {
        let _ = phase;
    }

    /// Returns true if the sink [captures](Self::capture) this draw's primitives.
    fn captures(&self) -> bool {
        false
    }

    /// Takes the outputs of a point's, line's or triangle's vertices, in order, before it is
    /// clipped, culled or discarded. `stream` is the vertex stream, 0 to 3. Never called without
    /// the feature `stream-output`.
    fn capture(&mut self, stream: u8, vertices: &[&[[f32; 4]]]) {
        let _ = (stream, vertices);
    }

    /// Selects layer and viewport (0 to 15) of the primitives up to the next call. Never called for
    /// draws with a last vertex stage that writes neither: all their primitives go to layer 0 and
    /// viewport 0. The layer is any number that the shader wrote.
    fn select(&mut self, layer: u32, viewport: u32) {
        let _ = (layer, viewport);
    }

    /// Notes that so many triangles, inside of the view, are dropped by their facing.
    #[inline(always)]
    fn culled(&mut self, triangles: usize) {
        let _ = triangles;
    }

    /// Returns the extent of a triangle with these corners (Q24.8), or `None` if it covers no pixel
    /// that the sink draws. Draw drops such a triangle before it passes any vertex. The extent is
    /// passed back to [`triangle`](Self::triangle).
    fn extent(&self, corners: [[i32; 2]; 3]) -> Option<Self::Extent>;

    /// Takes a vertex, and returns an id for it.
    ///
    /// # Errors
    /// See [`SinkError`].
    fn vertex(&mut self, vertex: &WindowVertex<'_>) -> Result<VertexId, SinkError<Self::Error>>;

    /// Draws a point with the flat attributes of `provoking`.
    ///
    /// `front` is the facing of the polygon that the point is a corner of, and true for other
    /// points.
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
    /// the polygon that the line is an edge of. `front` is that polygon's facing, and true for
    /// other lines.
    ///
    /// # Errors
    /// See [`SinkError`].
    fn line(
        &mut self,
        vertices: [VertexId; 2],
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<Self::Error>>;

    /// Draws a triangle. It has an area, except under conservative rasterization before snapping.
    ///
    /// # Errors
    /// See [`SinkError`].
    fn triangle(
        &mut self,
        extent: Self::Extent,
        triangle: Triangle,
    ) -> Result<(), SinkError<Self::Error>>;
}
