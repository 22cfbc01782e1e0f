//! The driver's end of Draw: vertices and primitives into the scene.

use draw::sink::{PrimitiveSink, SinkError, VertexId, WindowVertex};
use pipe_core::PipeError;
use pipe_core::StreamOutputInfo;

use super::{Bounds, Shape};
use crate::FRAGMENTS;
use crate::context::Capture;
use crate::profile::Profile;
use crate::scene::{DrawRecord, Full, Kind, Primitive, Scene, Vertex};

/// What spans do not draw.
const STROKES: &str = "lines and points without the feature `fragments`";

/// Takes what Draw hands over for one draw.
pub(crate) struct SceneSink<'a, 'm, P: Profile, F> {
    pub(crate) scene: &'a mut Scene<'m, P>,
    /// The draw's index in the scene.
    pub(crate) draw: u32,
    /// Rasterizes the scene so far and records the draw again, as the first of an empty scene.
    pub(crate) make_room: F,
    /// What is streamed, and where to.
    pub(crate) capture: Option<(&'a mut Capture<'m>, StreamOutputInfo<'a>)>,
}

impl<'m, P: Profile, F> SceneSink<'_, 'm, P, F>
where
    F: FnMut(&mut Scene<'m, P>, u32) -> Result<u32, PipeError>,
{
    #[cold]
    #[inline(never)]
    fn full(&mut self) -> SinkError<PipeError> {
        match (self.make_room)(self.scene, self.draw) {
            Ok(draw) => {
                self.draw = draw;
                SinkError::Restart
            }
            Err(error) => SinkError::Failed(error),
        }
    }

    fn record(&self) -> Option<&DrawRecord> {
        self.scene.draws.get(self.draw as usize)
    }

    fn position(&self, vertex: VertexId) -> [i32; 2] {
        Vertex::at(&self.scene.arena, vertex.0).place()
    }

    /// Bins a shape; shapes that cover no pixel centre of the draw's clip are dropped.
    fn bin(
        &mut self,
        shape: Option<Shape>,
        kind: Kind,
        front: bool,
        vertices: [VertexId; 3],
    ) -> Result<(), SinkError<PipeError>> {
        let Some((shape, record)) = shape.zip(self.record()) else { return Ok(()) };
        let bounds = shape.bounds.intersect(record.clip(kind));
        if bounds.is_empty() {
            return Ok(());
        }
        let vertices = vertices.map(|vertex| vertex.0);
        let entry = Primitive { kind, front, provoking: 2, draw: self.draw, vertices };
        let tiles = bounds.tiles(P::TILE);
        self.scene.bin(&entry, &tiles, shape.edges()).map_err(|Full| self.full())
    }

    /// Bins a triangle that lies in several tiles.
    #[inline(never)]
    fn spread(&mut self, entry: &Primitive, seen: &Seen, tiles: &Bounds) -> Result<(), Full> {
        let Some(record) = self.record() else { return Ok(()) };
        let (bounds, all) = (&seen.bounds, Bounds::around(&seen.corners, record.rule));
        // Of tiles in one row or column a triangle touches all, unless the clip cut that short.
        let in_row = tiles.y1 - tiles.y0 == 1 && (all.y0, all.y1) == (bounds.y0, bounds.y1);
        let in_column = tiles.x1 - tiles.x0 == 1 && (all.x0, all.x1) == (bounds.x0, bounds.x1);
        if in_row || in_column {
            return self.scene.bin(entry, tiles, &[]);
        }
        match Shape::triangle(seen.corners, record.rule) {
            Some(shape) => self.scene.bin(entry, tiles, shape.edges()),
            None => Ok(()),
        }
    }
}

/// A triangle that may cover pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    corners: [[i32; 2]; 3],
    /// The pixels it may cover.
    bounds: Bounds,
}

impl<'m, P: Profile, F> PrimitiveSink for SceneSink<'_, 'm, P, F>
where
    F: FnMut(&mut Scene<'m, P>, u32) -> Result<u32, PipeError>,
{
    type Error = PipeError;
    type Seen = Seen;

    fn captures(&self) -> bool {
        self.capture.is_some()
    }

    fn capture(&mut self, vertices: &[&[[f32; 4]]]) {
        if let Some((capture, info)) = &mut self.capture {
            capture.primitive(info, vertices);
        }
    }

    #[inline]
    fn sees(&self, corners: [[i32; 2]; 3]) -> Option<Seen> {
        let record = self.record()?;
        // Where a frame is drawn in parts, most lie above or below.
        let [[_, a], [_, b], [_, c]] = corners;
        let low = record.rule.first_pixel(a.min(b).min(c));
        let high = record.rule.last_pixel(a.max(b).max(c));
        if low >= record.clip.y1 || high < record.clip.y0 {
            return None;
        }
        let bounds = Bounds::around(&corners, record.rule).intersect(&record.clip);
        (!bounds.is_empty()).then_some(Seen { corners, bounds })
    }

    #[inline(always)]
    fn vertex(&mut self, vertex: &WindowVertex<'_>) -> Result<VertexId, SinkError<PipeError>> {
        match self.scene.vertex(self.draw, vertex) {
            Ok(at) => Ok(VertexId(at)),
            Err(Full) => Err(self.full()),
        }
    }

    fn point(
        &mut self,
        vertex: VertexId,
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<PipeError>> {
        let Some(record) = self.record() else { return Ok(()) };
        if !FRAGMENTS {
            return Err(SinkError::Failed(PipeError::Unsupported(STROKES)));
        }
        let center = Vertex::at(&self.scene.arena, vertex.0);
        let shape = record.point.of(center).shape(record.rule);
        self.bin(Some(shape), Kind::Point, front, [vertex, vertex, provoking])
    }

    fn line(
        &mut self,
        v: [VertexId; 2],
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<PipeError>> {
        let Some(record) = self.record() else { return Ok(()) };
        if !FRAGMENTS {
            return Err(SinkError::Failed(PipeError::Unsupported(STROKES)));
        }
        let shape = record.line.shape(self.position(v[0]), self.position(v[1]), record.rule);
        self.bin(shape, Kind::Line, front, [v[0], v[1], provoking])
    }

    #[inline]
    fn triangle(
        &mut self,
        seen: Seen,
        vertices: [VertexId; 3],
        provoking: u8,
        front: bool,
    ) -> Result<(), SinkError<PipeError>> {
        let vertices = vertices.map(|vertex| vertex.0);
        let entry = Primitive { kind: Kind::Triangle, front, provoking, draw: self.draw, vertices };
        // Most small triangles lie in one tile: the box decides before any edge is set up.
        let tiles = seen.bounds.tiles(P::TILE);
        let binned = match tiles.is_one() {
            true => self.scene.bin_in_one(&entry, &tiles),
            false => self.spread(&entry, &seen, &tiles),
        };
        binned.map_err(|Full| self.full())
    }
}
