//! The counts of a draw, for pipeline statistics queries.

use core::ops::AddAssign;

/// The counters of `PIPE_QUERY_PIPELINE_STATISTICS` that come before rasterization.
///
/// [`Pipeline::run`](crate::Pipeline::run) returns those of one draw; `+=` adds them up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Vertices read: indices, without restart indices.
    pub ia_vertices: u64,
    /// Whole primitives assembled; a quad or a polygon is one.
    pub ia_primitives: u64,
    /// Vertices shaded: fewer than `ia_vertices`, as the vertex cache finds some again.
    pub vs_invocations: u64,
    /// Points, lines and triangles made, with those that `rasterizer_discard` drops:
    /// `PIPE_QUERY_PRIMITIVES_GENERATED`.
    pub primitives: u64,
    /// Points, lines and triangles that reached the clipper.
    pub c_invocations: u64,
    /// Points, lines and triangles that clipping left, before faces are culled.
    pub c_primitives: u64,
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Statistics) {
        self.ia_vertices += other.ia_vertices;
        self.ia_primitives += other.ia_primitives;
        self.vs_invocations += other.vs_invocations;
        self.primitives += other.primitives;
        self.c_invocations += other.c_invocations;
        self.c_primitives += other.c_primitives;
    }
}
