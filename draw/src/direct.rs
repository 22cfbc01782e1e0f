//! Vertices shaded by Rust code that is compiled into the program.
//!
//! [`DirectPipeline`] uses the segment, projection, clipping and culling of
//! [`Pipeline`](crate::Pipeline), and draws the same pixels. A [`VertexShader`] replaces programs,
//! vertex elements and formats. So a firmware that draws only with it has none of their code in
//! flash.

use crate::assemble::Primitive;
use crate::error::DrawError;
use crate::limits::Limits;
use crate::primitive::{Cull, PrimitiveProcessor, PrimitiveState};
use crate::project::Projection;
use crate::segment::Segment;
use crate::shade::VertexTransform;
use crate::sink::{PrimitiveSink, SinkError, Triangle, VertexId, WindowVertex};
use crate::state::OutputModes;
use crate::statistics::Statistics;
use crate::user_clip::UserClip;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use pipe_core::{RasterizerState, ViewportState};

/// The outputs of a vertex: the position, and one interpolated output.
const OUTPUTS: usize = 2;

/// A vertex shader in Rust.
pub trait VertexShader {
    /// A vertex in the mesh.
    type Vertex;

    /// Returns a vertex's position in clip space, and four values that are interpolated over its
    /// triangles in perspective: a sink's `outputs` 0 and 1.
    fn shade(&self, vertex: &Self::Vertex) -> [[f32; 4]; 2];
}

/// A sink that receives triangles only.
struct Triangles<'s, S>(&'s mut S);

impl<S: PrimitiveSink> PrimitiveSink for Triangles<'_, S> {
    type Error = S::Error;
    type Extent = S::Extent;
    const STROKES: bool = false;
    const TRUE_PLANES: bool = S::TRUE_PLANES;

    #[inline(always)]
    fn extent(&self, corners: [[i32; 2]; 3]) -> Option<S::Extent> {
        self.0.extent(corners)
    }

    #[inline(always)]
    fn vertex(&mut self, vertex: &WindowVertex<'_>) -> Result<VertexId, SinkError<S::Error>> {
        self.0.vertex(vertex)
    }

    fn point(&mut self, _: VertexId, _: VertexId, _: bool) -> Result<(), SinkError<S::Error>> {
        Ok(())
    }

    fn line(&mut self, _: [VertexId; 2], _: VertexId, _: bool) -> Result<(), SinkError<S::Error>> {
        Ok(())
    }

    #[inline(always)]
    fn triangle(
        &mut self,
        extent: S::Extent,
        triangle: Triangle,
    ) -> Result<(), SinkError<S::Error>> {
        self.0.triangle(extent, triangle)
    }
}

/// Vertex processing with shaders in Rust, with its memory.
pub struct DirectPipeline<'m> {
    segment: Segment<'m>,
    /// The outputs of all slots, and of one more vertex for clipping.
    outputs: Vec<'m, [[f32; 4]; OUTPUTS]>,
    state: PrimitiveState,
}

impl<'m> DirectPipeline<'m> {
    /// Makes a pipeline for a viewport, and allocates all memory that it needs.
    ///
    /// Only the winding, the culled faces and the clip flags of `rasterizer` are used.
    ///
    /// # Errors
    /// `memory` has too little room left.
    pub fn new(
        memory: Memory<'m>,
        limits: Limits,
        viewport: &ViewportState,
        rasterizer: &RasterizerState,
    ) -> Result<Self, OutOfMemory> {
        let segment = Segment::new(memory, usize::from(limits.segment_vertices))?;
        let mut outputs = Vec::new_in(memory);
        outputs.try_resize(segment.len() + 1, [[0.0; 4]; OUTPUTS])?;
        let projection = Projection::new(viewport, rasterizer, false, limits.guard_band);
        let transform =
            VertexTransform { projection, user: UserClip::NONE, position: 0, clamps_color: false };
        let state = PrimitiveState {
            transform,
            cull: Cull::new(rasterizer),
            modes: OutputModes::default(),
            point_tri_clip: false,
            effects: None,
            #[cfg(feature = "stages")]
            targets: None,
        };
        Ok(DirectPipeline { segment, outputs, state })
    }

    /// Draws triangles, three `indices` each. They reach `sink` in order.
    ///
    /// Skips left-over indices, triangles with an index beyond `vertices`, and triangles with a NaN
    /// or an infinity in a position. Returns the counts for statistics.
    ///
    /// # Errors
    /// [`DrawError::Sink`] and [`DrawError::NoRoom`]; earlier triangles stay drawn.
    pub fn run<V: VertexShader, S: PrimitiveSink>(
        &mut self,
        shader: &V,
        vertices: &[V::Vertex],
        indices: &[u16],
        sink: &mut S,
    ) -> Result<Statistics, DrawError<S::Error>> {
        let mut statistics = Statistics::default();
        let sink = &mut Triangles(sink);
        self.segment.clear();
        for corners in indices.as_chunks::<3>().0 {
            let [a, b, c] = corners.map(u32::from);
            let triangle = Primitive::triangle(a, b, c, 2);
            if !self.segment.add(triangle) {
                self.flush(shader, vertices, sink, &mut statistics)?;
                self.segment.add(triangle);
            }
        }
        self.flush(shader, vertices, sink, &mut statistics)?;
        Ok(statistics)
    }

    /// Shades the segment's waiting vertices and draws its waiting triangles.
    #[inline(never)]
    fn flush<V: VertexShader, S: PrimitiveSink>(
        &mut self,
        shader: &V,
        vertices: &[V::Vertex],
        sink: &mut S,
        statistics: &mut Statistics,
    ) -> Result<(), DrawError<S::Error>> {
        let DirectPipeline { segment, outputs, state } = self;
        let projection = &state.transform.projection;
        let range = segment.unshaded();
        statistics.vs_invocations += range.len() as u64;
        let Segment { indices, slots, .. } = &mut *segment;
        let waiting = indices.iter().zip(slots.iter_mut()).zip(outputs.iter_mut());
        for ((index, slot), outputs) in waiting.take(range.end).skip(range.start) {
            // A missing vertex has no valid position, so its primitives are skipped.
            *outputs = vertices
                .get(*index as usize)
                .map_or([[f32::NAN; 4]; OUTPUTS], |vertex| shader.shade(vertex));
            let [position, _] = *outputs;
            slot.code = projection.code(position);
            slot.window = projection.window(position, 1.0);
        }
        let (slots, primitives) = segment.parts();
        statistics.primitives += primitives.len() as u64;
        statistics.c_invocations += primitives.len() as u64;
        let Some((scratch, outputs)) = outputs.split_last_mut() else { return Ok(()) };
        let (outputs, mut stippled) = (outputs.as_flattened(), 0);
        let stippled = &mut stippled;
        let mut processor =
            PrimitiveProcessor { state, slots, outputs, scratch, sink, statistics, stippled };
        processor.primitives(primitives)?;
        segment.advance(3);
        Ok(())
    }
}
