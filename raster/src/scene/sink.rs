//! The driver's sink for Draw: puts vertices and primitives into the scene.

use draw::sink::{Origin, PrimitiveSink, SinkError, Triangle, VertexId, WindowVertex};
use pipe_core::PipeError;
use pipe_core::limits::MAX_VIEWPORTS;

use super::ViewportClip;
use super::binning::TileRange;
use super::{BinningState, DrawRecord, Full, Kind, PackedTile, Primitive, Scene, Vertex};
use crate::debug::{Debug, Phase, Stopwatch};
use crate::features::{CHECK, ES2, FRAGMENTS, OfStages, Only, STAGES, STROKES, TRUE_PLANES};
use crate::profile::Profile;
use crate::setup::Shape;

/// The error for lines and points in builds that draw with spans only.
pub(crate) const NO_STROKES: PipeError =
    PipeError::Unsupported("lines and points without the feature `fragments`");

/// Takes the vertices and primitives of one draw.
pub(crate) struct SceneSink<'a, 'm, P: Profile, F, C> {
    pub(crate) scene: &'a mut Scene<'m, P>,
    /// The draw's index in the scene.
    pub(crate) draw: u32,
    /// The part of the draw's record that every vertex and triangle needs.
    pub(crate) binning: BinningState,
    /// Rasterizes the scene so far, and records the draw again as the first of an empty scene.
    pub(crate) make_room: F,
    /// Receives a primitive's outputs, vertex by vertex, if the draw streams them.
    pub(crate) capture: Option<C>,
    /// The triangles that were dropped by their facing, for contexts that check calls.
    pub(crate) culled: Only<u64, { CHECK as usize }>,
    /// Measures the draw's phases.
    pub(crate) watch: Stopwatch<'a>,
    pub(crate) viewports: OfStages<Viewports<'a>>,
}

/// Makes a stopwatch enter a phase of Draw.
#[inline(always)]
pub(super) fn enter(watch: &mut Stopwatch<'_>, phase: draw::Phase) {
    watch.enter(match phase {
        draw::Phase::Assembly => Phase::Assembly,
        draw::Phase::Vertices => Phase::Vertices,
        draw::Phase::Primitives => Phase::Primitives,
    });
}

/// The viewports of a draw with primitives that select one.
pub(crate) struct Viewports<'a> {
    /// The bounds of each viewport; none if all primitives go to the first viewport.
    clips: &'a [ViewportClip],
    /// The scene's record for each viewport that has one.
    records: [Option<u32>; MAX_VIEWPORTS],
    /// The viewport of the sink's record.
    recorded: usize,
    /// The viewport of the next primitives.
    selected: usize,
}

impl<'a> Viewports<'a> {
    /// Makes the viewports of a draw; the draw's record has the first one.
    pub(crate) fn new(clips: &'a [ViewportClip]) -> Self {
        Viewports { clips, records: [None; MAX_VIEWPORTS], recorded: 0, selected: 0 }
    }
}

impl<'m, P: Profile, F, C> SceneSink<'_, 'm, P, F, C>
where
    F: FnMut(&mut Scene<'m, P>, u32) -> Result<u32, PipeError>,
{
    /// Ends the draw; returns its index in the scene.
    pub(crate) fn end(self) -> u32 {
        self.draw
    }

    #[cold]
    #[inline(never)]
    fn full(&mut self) -> SinkError<PipeError> {
        self.watch.enter(Phase::Waiting);
        let made = (self.make_room)(self.scene, self.draw);
        self.watch.enter(Phase::Primitives);
        match made {
            Ok(draw) => {
                self.draw = draw;
                self.binning = BinningState::new(self.scene, draw);
                if STAGES {
                    self.forget_records();
                }
                SinkError::Restart
            }
            Err(error) => SinkError::Failed(error),
        }
    }

    /// Forgets all records of viewports except the sink's current record.
    fn forget_records(&mut self) {
        let Some(viewports) = self.viewports.get_mut() else { return };
        viewports.records = [None; MAX_VIEWPORTS];
        if let Some(clip) = viewports.clips.get(viewports.selected) {
            self.binning.confine(&clip.all);
        }
    }

    /// Makes the record of the selected viewport the sink's current record.
    #[inline(always)]
    fn enter_viewport(&mut self) -> Result<(), SinkError<PipeError>> {
        if let Some(viewports) = self.viewports.get()
            && viewports.recorded != viewports.selected
        {
            return self.record_viewport();
        }
        Ok(())
    }

    #[inline(never)]
    fn record_viewport(&mut self) -> Result<(), SinkError<PipeError>> {
        let Some(viewports) = self.viewports.get_mut() else { return Ok(()) };
        let Viewports { clips, records, recorded, selected } = viewports;
        if let Some(own) = records.get_mut(*recorded) {
            *own = Some(self.draw);
        }
        *recorded = *selected;
        let (Some(clip), Some(known)) = (clips.get(*selected), records.get(*selected)) else {
            return Ok(());
        };
        if let Some(draw) = *known {
            self.draw = draw;
            return Ok(());
        }
        let Some(record) = self.scene.draws.get(self.draw as usize) else { return Ok(()) };
        let record = record.in_viewport(clip);
        if self.scene.draws.len() >= Primitive::max_draws::<P::Id>() {
            *recorded = usize::MAX;
            return Err(self.full());
        }
        self.draw = self.scene.draws.len() as u32;
        self.scene.draws.try_push(record).map_err(|error| SinkError::Failed(error.into()))
    }

    /// Appends the words of recorded vertices; returns the index of the first.
    #[cfg(feature = "workers")]
    pub(super) fn vertices(&mut self, words: &[u32]) -> Result<u32, SinkError<PipeError>> {
        match self.scene.arena.take(words.len()) {
            Ok((at, to)) => {
                to.copy_from_slice(words);
                Ok(at as u32)
            }
            Err(Full) => Err(self.full()),
        }
    }

    fn record(&self) -> Option<&DrawRecord> {
        self.scene.draws.get(self.draw as usize)
    }

    fn position(&self, vertex: VertexId) -> [i32; 2] {
        Vertex::at(&self.scene.arena, vertex.0).place()
    }

    /// Bins a shape; drops shapes that cover no pixel centre within the draw's clip.
    fn bin(
        &mut self,
        shape: Option<Shape>,
        kind: Kind,
        front: bool,
        vertices: [VertexId; 3],
    ) -> Result<(), SinkError<PipeError>> {
        let Some((shape, record)) = shape.zip(self.record()) else { return Ok(()) };
        let shape = self.binning.grown(shape);
        let bounds = shape.bounds.intersect(record.clip.of(kind));
        if bounds.is_empty() {
            return Ok(());
        }
        let vertices = vertices.map(|vertex| vertex.0);
        let entry = Primitive { kind, front, provoking: 2, draw: self.draw, vertices };
        let tiles = bounds.tiles::<P>();
        self.scene.bin(&entry, false, &tiles, shape.edges()).map_err(|Full| self.full())
    }

    /// Bins any triangle.
    #[inline(never)]
    fn spread(&mut self, entry: &Primitive, range: TileRange) -> Result<(), Full> {
        let in_row = entry.is_in_row::<P::Id>(&self.scene.arena, self.binning.layout.count());
        let tiles = PackedTile::bounds(range.first, range.last);
        if range.fills {
            return self.scene.bin(entry, in_row, &tiles, &[]);
        }
        let corners = entry.vertices.map(|vertex| self.position(VertexId(vertex)));
        let shape = match self.record().filter(|_| ES2) {
            Some(record) => record.triangle(corners, entry.front),
            // A pipeline composed at build time has no draw records.
            None => Shape::triangle(corners, self.binning.rule),
        };
        match shape {
            Some(shape) => {
                let shape = self.binning.grown(shape);
                self.scene.bin(entry, in_row, &tiles, shape.edges())
            }
            None => Ok(()),
        }
    }
}

impl<'m, P: Profile, F, C> PrimitiveSink for SceneSink<'_, 'm, P, F, C>
where
    F: FnMut(&mut Scene<'m, P>, u32) -> Result<u32, PipeError>,
    C: FnMut(u8, &[&[[f32; 4]]]),
{
    type Error = PipeError;
    type Extent = TileRange;
    const STROKES: bool = STROKES;
    const TRUE_PLANES: bool = TRUE_PLANES;

    #[inline(always)]
    fn enter(&mut self, phase: draw::Phase) {
        enter(&mut self.watch, phase);
    }

    #[inline(always)]
    fn culled(&mut self, triangles: usize) {
        if let Some(culled) = self.culled.get_mut() {
            *culled = culled.wrapping_add(triangles as u64);
        }
    }

    fn captures(&self) -> bool {
        self.capture.is_some()
    }

    fn capture(&mut self, stream: u8, vertices: &[&[[f32; 4]]]) {
        if let Some(capture) = &mut self.capture {
            capture(stream, vertices);
        }
    }

    #[cfg(feature = "stages")]
    fn select(&mut self, layer: u32, viewport: u32) {
        self.scene.layer = layer.min(self.scene.layers.saturating_sub(1));
        let viewport = viewport as usize;
        if let Some(viewports) = self.viewports.get_mut()
            && let Some(clip) = viewports.clips.get(viewport)
            && viewports.selected != viewport
        {
            viewports.selected = viewport;
            self.binning.confine(&clip.all);
        }
    }

    #[inline(always)]
    fn extent(&self, corners: [[i32; 2]; 3]) -> Option<TileRange> {
        self.binning.extent::<P>(corners)
    }

    #[inline(always)]
    fn vertex(&mut self, vertex: &WindowVertex<'_>) -> Result<VertexId, SinkError<PipeError>> {
        match self.scene.vertex(&self.binning, vertex) {
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
        if self.watch.leaves_out(Debug::TOSS_PRIMITIVES) {
            return Ok(());
        }
        self.enter_viewport()?;
        let Some(record) = self.record() else { return Ok(()) };
        if !FRAGMENTS {
            return Err(SinkError::Failed(NO_STROKES));
        }
        let center = Vertex::at(&self.scene.arena, vertex.0);
        let shape = record.point(&center.point(&record.point));
        self.bin(Some(shape), Kind::Point, front, [vertex, vertex, provoking])
    }

    fn line(
        &mut self,
        v: [VertexId; 2],
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<PipeError>> {
        if self.watch.leaves_out(Debug::TOSS_PRIMITIVES) {
            return Ok(());
        }
        self.enter_viewport()?;
        let Some(record) = self.record() else { return Ok(()) };
        if !FRAGMENTS {
            return Err(SinkError::Failed(NO_STROKES));
        }
        let shape = record.line(self.position(v[0]), self.position(v[1]));
        self.bin(shape, Kind::Line, front, [v[0], v[1], provoking])
    }

    #[inline(always)]
    fn triangle(
        &mut self,
        range: TileRange,
        triangle: Triangle,
    ) -> Result<(), SinkError<PipeError>> {
        if self.watch.leaves_out(Debug::TOSS_PRIMITIVES) {
            return Ok(());
        }
        self.enter_viewport()?;
        let Triangle { vertices: [a, b, c], provoking, front, origin } = triangle;
        let vertices = [a.0, b.0, c.0];
        let draw = self.draw;
        // The closure keeps the entry in registers on the path of most triangles.
        let entry = || Primitive { kind: Kind::Triangle, front, provoking, draw, vertices };
        let binned = if range.fills && origin != Origin::Piece {
            // A one-word entry needs three vertices that were just appended, one after another.
            self.scene.bin_in_line(entry, origin == Origin::New, (range.first, range.last))
        } else {
            self.spread(&entry(), range)
        };
        binned.map_err(|Full| self.full())
    }
}
