//! Paints the primitives of a draw as they arrive: pixels in quads, quads through the fragment
//! shader, pixels to the targets.

mod fragment_reach;
mod inputs;
mod quad;

use draw::{PrimitiveSink, SinkError, Triangle, VertexId, WindowVertex};
use os_shim::Vec;
use os_shim::memory::Memory;
use pipe_core::limits::{MAX_COLOR_BUFS, MAX_VIEWPORTS};
use pipe_core::{
    BlendColor, BlendState, PipeError, PolyStipple, RasterizerState, WindowRectangles,
};
use tgsi::declaration::SemanticName;
use tgsi::program::Program;

pub(crate) use self::quad::Shaded;
use crate::nudge::{Nudge, Nudged};
use crate::output::DepthStencilTest;
use crate::setup::{
    AreaRule, Bounds, Falloff, FillRule, LineRule, PIXEL, PointRule, Samples, Shape, Weights,
};
use crate::target::Target;

/// The limits on the pixels and depths of primitives in a viewport.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewportLimits {
    /// The pixels that triangles and lines may draw.
    pub(crate) bounds: Bounds,
    /// The pixels that points may draw.
    pub(crate) point_bounds: Bounds,
    /// The minimum and maximum depth that fragments are clamped to.
    pub(crate) depth_range: [f64; 2],
}

/// The state of a draw, with all handles resolved.
#[derive(Debug)]
pub(crate) struct PaintState<'a, 'm> {
    pub(crate) rasterizer: RasterizerState,
    pub(crate) blend: BlendState,
    pub(crate) blend_color: BlendColor,
    pub(crate) stipple: PolyStipple,
    pub(crate) samples: Samples,
    pub(crate) window_rectangles: WindowRectangles,
    pub(crate) alpha: Option<(pipe_core::CompareFunc, f32)>,
    pub(crate) viewports: [ViewportLimits; MAX_VIEWPORTS],
    pub(crate) color: &'a [Option<Target<'m>>; MAX_COLOR_BUFS],
    pub(crate) depth: Option<(&'a Target<'m>, DepthStencilTest)>,
    /// Height of the framebuffer, in pixels.
    pub(crate) height: u32,
    /// The program of the last vertex stage.
    pub(crate) vertex: Program<'a>,
    /// The output register of each primitive's number, if Draw counts primitives.
    pub(crate) number: Option<u16>,
    pub(crate) fragment: Option<Program<'a>>,
    pub(crate) constants: &'a [&'a [u8]],
    pub(crate) nudge: Nudge,
}

/// A vertex in the window.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    /// Q24.8.
    place: [i32; 2],
    z: f64,
    /// 1 / clip w.
    rcp_w: f64,
    /// The index of its first output register in `Painter::outputs`.
    outputs: usize,
}

/// The values that all pixels of a primitive share.
#[derive(Clone, Copy, Debug)]
struct Primitive {
    /// The vertices; absent ones repeat the first.
    vertices: [Vertex; 3],
    provoking: Vertex,
    weights: Weights,
    shape: Shape,
    bounds: Bounds,
    front: bool,
    /// If set, the shape must touch the square around a pixel's centre with this half side (Q23.9).
    /// Otherwise the shape must own the centre.
    touch: Option<i64>,
    /// The coverage of smooth primitives.
    falloff: Option<Falloff>,
    /// True for triangles.
    stippled: bool,
    /// A point's place (Q24.8) and size, in pixels, for sprite coordinates.
    sprite: Option<([i32; 2], f64)>,
    number: u32,
}

/// The sink of a draw.
pub(crate) struct Painter<'p, 'a, 'm, C> {
    state: &'p PaintState<'a, 'm>,
    shaded: Shaded<'p, 'a, 'm>,
    vertices: Vec<'m, Vertex>,
    /// Output registers of all vertices.
    outputs: Vec<'m, [f32; 4]>,
    rule: FillRule,
    line: LineRule,
    point: PointRule,
    area: AreaRule,
    /// The output register with the point size.
    point_size: Option<usize>,
    /// Receives whole primitives for stream output.
    capture: Option<C>,
    /// The layer and the viewport of the following primitives.
    layer: u32,
    viewport: usize,
    /// Number of primitives that the context has painted so far.
    primitives: u32,
    counts: PixelCounts,
}

/// The pixels of a draw.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PixelCounts {
    /// Samples that passed all tests.
    pub(crate) passed: u64,
    /// Invocations of the fragment shader.
    pub(crate) shaded: u64,
}

impl<'p, 'a, 'm, C> Painter<'p, 'a, 'm, C> {
    pub(crate) fn new(
        state: &'p PaintState<'a, 'm>,
        shaded: Shaded<'p, 'a, 'm>,
        capture: Option<C>,
        primitives: u32,
        memory: Memory<'m>,
    ) -> Self {
        let rasterizer = &state.rasterizer;
        let rule = FillRule {
            half_pixel_center: rasterizer.half_pixel_center,
            bottom_edge: rasterizer.bottom_edge_rule,
        };
        let sizes = |name| state.vertex.outputs.iter().find(|o| o.semantic.name == name);
        let point_size = sizes(SemanticName::PointSize)
            .filter(|_| rasterizer.point_size_per_vertex)
            .map(|output| usize::from(output.register));
        Painter {
            state,
            shaded,
            vertices: Vec::new_in(memory),
            outputs: Vec::new_in(memory),
            rule,
            line: LineRule::new(rasterizer),
            point: PointRule::new(rasterizer),
            area: AreaRule::new(rasterizer, state.nudge.of(Nudged::Snap, 0)),
            point_size,
            capture,
            layer: 0,
            viewport: 0,
            primitives,
            counts: PixelCounts::default(),
        }
    }

    /// Returns the number of primitives that the context has painted so far, and this draw's
    /// pixels.
    pub(crate) fn finish(self) -> (u32, PixelCounts) {
        (self.primitives, self.counts)
    }

    fn vertex(&self, id: VertexId) -> Result<Vertex, SinkError<PipeError>> {
        let vertex = self.vertices.get(id.0 as usize).copied();
        vertex.ok_or(SinkError::Failed(PipeError::Invalid("the vertex was not handed over")))
    }

    /// Returns the output registers of a vertex, followed by the registers of all vertices after
    /// it.
    fn outputs(&self, vertex: &Vertex) -> &[[f32; 4]] {
        self.outputs.get(vertex.outputs..).unwrap_or(&[])
    }

    /// Paints the quads that a primitive covers, row by row.
    fn paint(&mut self, mut primitive: Primitive) -> Result<(), SinkError<PipeError>> {
        self.primitives = self.primitives.wrapping_add(1);
        primitive.number = self.primitives;
        let mut reached = primitive.shape.bounds();
        if self.state.samples.count > 1 || primitive.touch.is_some() {
            // Samples of neighbouring pixels may be covered, and squares around their centres
            // touched.
            let around = 1 + primitive.touch.unwrap_or(0) as i32 / (2 * PIXEL);
            (reached.x0, reached.y0) = (reached.x0 - around, reached.y0 - around);
            (reached.x1, reached.y1) = (reached.x1 + around, reached.y1 + around);
        }
        primitive.bounds = primitive.bounds.intersection(reached);
        let Bounds { x0, y0, x1, y1 } = primitive.bounds;
        for y in (y0 & !1..y1).step_by(2) {
            for x in (x0 & !1..x1).step_by(2) {
                let covered = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]
                    .map(|(x, y)| self.covers(&primitive, x, y));
                if covered != [0; 4] {
                    self.quad(&primitive, [x, y], covered).map_err(SinkError::Failed)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the samples of pixel (`x`, `y`) that a primitive covers, one bit per sample.
    fn covers(&self, primitive: &Primitive, x: i32, y: i32) -> u32 {
        let (samples, center) = (&self.state.samples, self.rule.center(x, y));
        let draws = primitive.bounds.contains(x, y)
            && self.state.window_rectangles.keeps(x as u32, y as u32)
            && (!primitive.stippled || self.state.stipple.draws(x as u32, y as u32))
            && primitive.falloff.is_none_or(|falloff| falloff.at(center) > 0.0);
        let covered = Samples::of(if draws { samples.mask } else { 0 }).filter(|sample| {
            match primitive.touch {
                // If the shape touches a pixel, all of its samples are covered.
                Some(half) => primitive.shape.touches(center, half),
                None => primitive.shape.covers(samples.beside(center, *sample), self.rule),
            }
        });
        covered.fold(0, |covered, sample| covered | 1 << sample)
    }

    /// Returns the depth of a primitive at a place (Q24.8), before it is clamped to 0 to 1.
    fn depth(&self, primitive: &Primitive, place: [i32; 2]) -> f64 {
        let weights = primitive.weights.at(place);
        let vertices = primitive.vertices.iter().zip(weights);
        let depth: f64 = vertices.map(|(vertex, weight)| vertex.z * weight).sum();
        let greatest = primitive.vertices.iter().fold(0.0, |z: f64, vertex| z.max(vertex.z.abs()));
        let terms = greatest * primitive.weights.terms(place);
        self.limited_depth(self.state.nudge.depth_of(depth, primitive.number, terms))
    }

    /// Clamps a depth to the range of the viewport.
    fn limited_depth(&self, depth: f64) -> f64 {
        let [least, greatest] = self.limits().depth_range;
        depth.max(least).min(greatest)
    }

    /// Returns the limits of the current viewport.
    fn limits(&self) -> &ViewportLimits {
        self.state.viewports.get(self.viewport).unwrap_or(&self.state.viewports[0])
    }
}

impl<C: FnMut(u8, &[&[[f32; 4]]])> PrimitiveSink for Painter<'_, '_, '_, C> {
    type Error = PipeError;
    type Extent = ();

    fn captures(&self) -> bool {
        self.capture.is_some()
    }

    fn capture(&mut self, stream: u8, vertices: &[&[[f32; 4]]]) {
        if let Some(capture) = &mut self.capture {
            capture(stream, vertices);
        }
    }

    fn select(&mut self, layer: u32, viewport: u32) {
        (self.layer, self.viewport) = (layer, viewport as usize);
    }

    fn extent(&self, _corners: [[i32; 2]; 3]) -> Option<()> {
        Some(())
    }

    fn vertex(&mut self, vertex: &WindowVertex<'_>) -> Result<VertexId, SinkError<PipeError>> {
        let failed = |error: os_shim::memory::OutOfMemory| SinkError::Failed(error.into());
        let id = VertexId(self.vertices.len() as u32);
        let outputs = self.outputs.len();
        self.outputs.try_extend_from_slice(vertex.outputs).map_err(failed)?;
        let place = [vertex.x, vertex.y];
        let (z, rcp_w) = (vertex.z.into(), vertex.rcp_w.into());
        self.vertices.try_push(Vertex { place, z, rcp_w, outputs }).map_err(failed)?;
        Ok(id)
    }

    fn point(
        &mut self,
        vertex: VertexId,
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<PipeError>> {
        let (vertex, provoking) =
            (Painter::vertex(self, vertex)?, Painter::vertex(self, provoking)?);
        let own_size = self.point_size.and_then(|register| self.outputs(&vertex).get(register));
        let point = self.point.at(vertex.place, own_size.map(|size| size[0]));
        let size = f64::from(point.size) / f64::from(crate::setup::PIXEL);
        self.paint(Primitive {
            vertices: [vertex; 3],
            provoking,
            weights: Weights::Point,
            shape: self.point.shape(&point),
            bounds: self.limits().point_bounds,
            front,
            touch: self.area.touch,
            falloff: self.point.smooth.then(|| self.point.falloff(&point)),
            stippled: false,
            sprite: Some((point.center, size)),
            number: 0,
        })
    }

    fn line(
        &mut self,
        vertices: [VertexId; 2],
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<PipeError>> {
        let [first, second] = vertices;
        let (a, b) = (Painter::vertex(self, first)?, Painter::vertex(self, second)?);
        let provoking = Painter::vertex(self, provoking)?;
        let grown = self.state.nudge.of(Nudged::Stroke, self.primitives.wrapping_add(1));
        let Some(shape) = self.line.shape(a.place, b.place, grown) else { return Ok(()) };
        self.paint(Primitive {
            vertices: [a, b, a],
            provoking,
            weights: Weights::Line([a.place, b.place]),
            shape,
            bounds: self.limits().bounds,
            front,
            touch: self.area.touch,
            falloff: self.line.smooth.then(|| self.line.falloff(a.place, b.place, grown)),
            stippled: false,
            sprite: None,
            number: 0,
        })
    }

    fn triangle(&mut self, (): (), triangle: Triangle) -> Result<(), SinkError<PipeError>> {
        let [a, b, c] = triangle.vertices.map(|id| Painter::vertex(self, id));
        let vertices = [a?, b?, c?];
        let places = vertices.map(|vertex| vertex.place);
        let provoking = *vertices.get(usize::from(triangle.provoking)).unwrap_or(&vertices[0]);
        // Without area, all values are taken from the provoking vertex (manual, CSO, "Rasterizer").
        let is_flat = Weights::Triangle(places).is_flat();
        let (vertices, weights) = match is_flat {
            true => ([provoking; 3], Weights::Point),
            false => (vertices, Weights::Triangle(places)),
        };
        let shape = self.area.triangle(places, triangle.front);
        let moved = self.state.nudge.of(Nudged::Share, self.primitives.wrapping_add(1));
        let smooth = self.area.smooth;
        self.paint(Primitive {
            vertices,
            provoking,
            weights,
            shape,
            bounds: self.limits().bounds,
            front: triangle.front,
            touch: if smooth { Some(PIXEL.into()) } else { self.area.touch },
            falloff: smooth.then_some(Falloff::Area { shape, moved }),
            stippled: self.state.rasterizer.poly_stipple_enable,
            sprite: None,
            number: 0,
        })
    }
}
