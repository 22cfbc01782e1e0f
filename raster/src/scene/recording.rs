//! A recording: the vertices and primitives of one section of a draw. Workers make the recordings
//! of several sections at the same time, and the recordings are appended to the scene in the draw's
//! order.
//!
//! The words of vertices are final; the scene copies them. Vertex ids count from the recording's
//! first word. Binning depends on the order, so the append does it.

use core::marker::PhantomData;

use draw::sink::{PrimitiveSink, SinkError, Triangle, VertexId, WindowVertex};
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use pipe_core::PipeError;

use super::binning::TileRange;
use super::sink::enter;
use super::{Arena, BinningState, Full, Scene, SceneSink, Varying, Vertex, VertexLayout};
use crate::debug::Stopwatch;
use crate::profile::Profile;

/// Initial size of a recording, in words of vertices.
const FIRST_WORDS: usize = 16 << 10;

/// The vertices and primitives of one section.
#[derive(Debug)]
pub(crate) struct Recording<'m> {
    vertices: Arena<'m>,
    primitives: Vec<'m, Recorded>,
    /// The number of primitives that are appended to the scene.
    appended: usize,
    /// The number to add to an id while the scene has the vertices.
    base: Option<u32>,
    /// Set if an empty scene had no room for all vertices and one primitive. Then each primitive is
    /// appended with copies of its vertices.
    brings_own: bool,
}

/// A primitive of a recording.
#[derive(Clone, Copy, Debug)]
enum Recorded {
    Triangle(TileRange, Triangle),
    /// Two ends (or one end twice) and the provoking vertex.
    Line([VertexId; 3], bool),
    Point([VertexId; 2], bool),
}

impl<'m> Recording<'m> {
    /// Makes an empty recording.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn new_in(memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        let vertices = Arena::new(FIRST_WORDS, usize::MAX, memory)?;
        let primitives = Vec::new_in(memory);
        Ok(Recording { vertices, primitives, appended: 0, base: None, brings_own: false })
    }

    /// Returns the number of primitives that are appended to the scene.
    pub(crate) fn appended(&self) -> usize {
        self.appended
    }

    /// Makes each remaining primitive bring copies of its vertices; returns false if that was set
    /// already.
    pub(crate) fn bring_own(&mut self) -> bool {
        !core::mem::replace(&mut self.brings_own, true)
    }

    /// Appends the vertices and primitives that the scene does not have yet.
    ///
    /// # Errors
    /// The sink's errors; primitives before the refused one are in the scene.
    pub(crate) fn append<P: Profile, F, C>(
        &mut self,
        sink: &mut SceneSink<'_, 'm, P, F, C>,
    ) -> Result<(), SinkError<PipeError>>
    where
        F: FnMut(&mut Scene<'m, P>, u32) -> Result<u32, PipeError>,
        C: FnMut(u8, &[&[[f32; 4]]]),
    {
        let base = match self.base {
            _ if self.brings_own => None,
            None => Some(sink.vertices(self.vertices.taken())?.wrapping_sub(Arena::FIRST)),
            known => known,
        };
        self.base = base;
        for primitive in self.primitives.get(self.appended..).unwrap_or(&[]) {
            let result = match base {
                Some(base) => sink.primitive(&primitive.moved(base)),
                None => sink.primitive_with_vertices(primitive, &self.vertices),
            };
            if let Err(error) = result {
                if let SinkError::Restart = error {
                    self.base = None;
                }
                return Err(error);
            }
            self.appended += 1;
        }
        Ok(())
    }
}

impl Recorded {
    /// Returns the primitive with `base` added to its vertex ids.
    #[inline(always)]
    fn moved(mut self, base: u32) -> Recorded {
        let moved = |VertexId(id): VertexId| VertexId(id.wrapping_add(base));
        match &mut self {
            Recorded::Triangle(_, Triangle { vertices: ids, .. }) | Recorded::Line(ids, _) => {
                // Avoids `map`, which compiles to a loop through memory.
                let [a, b, c] = *ids;
                *ids = [moved(a), moved(b), moved(c)];
            }
            Recorded::Point(ids, _) => *ids = ids.map(moved),
        }
        self
    }

    /// Returns the primitive's vertex ids.
    fn ids_mut(&mut self) -> &mut [VertexId] {
        match self {
            Recorded::Triangle(_, Triangle { vertices, .. }) | Recorded::Line(vertices, _) => {
                vertices
            }
            Recorded::Point(vertices, _) => vertices,
        }
    }
}

impl<'m, P: Profile, F, C> SceneSink<'_, 'm, P, F, C>
where
    F: FnMut(&mut Scene<'m, P>, u32) -> Result<u32, PipeError>,
    C: FnMut(u8, &[&[[f32; 4]]]),
{
    /// Bins a primitive that has its vertices in the scene.
    #[inline(always)]
    fn primitive(&mut self, primitive: &Recorded) -> Result<(), SinkError<PipeError>> {
        match *primitive {
            Recorded::Triangle(range, triangle) => self.triangle(range, triangle),
            Recorded::Line([a, b, provoking], front) => self.line([a, b], provoking, front),
            Recorded::Point([vertex, provoking], front) => self.point(vertex, provoking, front),
        }
    }

    /// Copies a primitive's vertices from `vertices` to the scene, then bins the primitive.
    #[cold]
    #[inline(never)]
    fn primitive_with_vertices(
        &mut self,
        primitive: &Recorded,
        vertices: &Arena<'_>,
    ) -> Result<(), SinkError<PipeError>> {
        let mut own = *primitive;
        let varyings = self.binning.layout.count();
        for id in own.ids_mut() {
            let size = Vertex::at(vertices, id.0).size(varyings);
            id.0 = self.vertices(vertices.get(id.0 as usize, size))?;
        }
        self.primitive(&own)
    }
}

/// The part of a draw's state that recordings need, copied because the scene changes meanwhile.
pub(crate) struct RecordingState<'m> {
    binning: BinningState,
    varyings: Vec<'m, Varying>,
}

impl<'m> RecordingState<'m> {
    /// Copies the state from the sink of a draw.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn of<P: Profile, F, C>(
        sink: &SceneSink<'_, 'm, P, F, C>,
    ) -> Result<Self, OutOfMemory> {
        let layout = &sink.binning.layout;
        let all = &sink.scene.varyings;
        let varyings = Vec::try_from_slice_in(layout.of(all), all.memory())?;
        let layout = VertexLayout::new(&varyings, (0, layout.count() as u32));
        let mut binning = sink.binning;
        binning.layout = layout;
        Ok(RecordingState { binning, varyings })
    }
}

/// The sink that records the vertices and primitives of one section.
pub(crate) struct RecordingSink<'a, 'm, P> {
    recording: &'a mut Recording<'m>,
    state: &'a RecordingState<'m>,
    watch: Stopwatch<'a>,
    profile: PhantomData<P>,
}

impl<'a, 'm, P> RecordingSink<'a, 'm, P> {
    /// Empties a recording and begins it again.
    pub(crate) fn new(
        recording: &'a mut Recording<'m>,
        state: &'a RecordingState<'m>,
        watch: Stopwatch<'a>,
    ) -> Self {
        recording.vertices.clear();
        recording.primitives.clear();
        (recording.appended, recording.base, recording.brings_own) = (0, None, false);
        RecordingSink { recording, state, watch, profile: PhantomData }
    }

    #[inline(always)]
    fn push(&mut self, primitive: Recorded) -> Result<(), SinkError<OutOfMemory>> {
        self.recording.primitives.try_push(primitive).map_err(SinkError::Failed)
    }
}

impl<P: Profile> PrimitiveSink for RecordingSink<'_, '_, P> {
    type Error = OutOfMemory;
    type Extent = TileRange;

    #[inline(always)]
    fn enter(&mut self, phase: draw::Phase) {
        enter(&mut self.watch, phase);
    }

    #[inline(always)]
    fn extent(&self, corners: [[i32; 2]; 3]) -> Option<TileRange> {
        self.state.binning.extent::<P>(corners)
    }

    #[inline(always)]
    fn vertex(&mut self, vertex: &WindowVertex<'_>) -> Result<VertexId, SinkError<OutOfMemory>> {
        let RecordingState { binning, varyings } = self.state;
        let vertices = &mut self.recording.vertices;
        loop {
            match Vertex::store::<P::Id>(vertices, vertex, &binning.layout, varyings) {
                Ok(at) => return Ok(VertexId(at)),
                Err(Full) => vertices.grow().map_err(SinkError::Failed)?,
            }
        }
    }

    fn point(
        &mut self,
        vertex: VertexId,
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<OutOfMemory>> {
        self.push(Recorded::Point([vertex, provoking], front))
    }

    fn line(
        &mut self,
        [a, b]: [VertexId; 2],
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<OutOfMemory>> {
        self.push(Recorded::Line([a, b, provoking], front))
    }

    #[inline(always)]
    fn triangle(
        &mut self,
        range: TileRange,
        triangle: Triangle,
    ) -> Result<(), SinkError<OutOfMemory>> {
        self.push(Recorded::Triangle(range, triangle))
    }
}
