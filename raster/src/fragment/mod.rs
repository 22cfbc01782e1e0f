//! Fragments: quads in, shaded and blended pixels out, for one tile.
//!
//! ```text
//!  block of coverage → candidates, or a stamp → early depth → batch → interpolate → shade
//!                                                             → alpha, late depth → output
//! ```
//!
//! Batches of 16 lanes or more, on 64-bit targets, take pixels in stamps: four neighbouring quads
//! that are tested for depth at once and stay together if none of them is empty. Stamps and single
//! quads of several primitives of a draw share a batch, so small triangles fill the lanes too. A
//! batch never holds one pixel twice: where primitives overlap, it is shaded first.

mod batch;
mod coverage;
mod finish;
mod inputs_at;
mod interpolate;
mod primitive;
mod resources;
mod sample_inputs;
mod sample_shade;
mod samples;
mod shade;
mod solid;
mod stamps;

use core::ops::{AddAssign, Deref, DerefMut};

use os_shim::pool::Pool;
use tgsi::exec::{self, Lanes};
use tgsi::program::Program;

use crate::budget::Work;
use crate::debug::{Phase, Stopwatch, Timer};
use crate::features::{
    FRAGMENTS, GENERATED, KEEPS_MORE, OfDesktop, OfSamples, Only, SAMPLES, SPANS, SPANS_PROGRAMS,
    TEXTURES,
};
use crate::lanes::{TileTargets, stamps_per_batch};
use crate::memory::ShaderMemory;
use crate::profile::Profile;
use crate::resource::{Sampler, StageResources};
use crate::scene::Kind;
use crate::scene::{ConstantBlock, DrawRecord, Primitive, Scene, Varying};
use crate::setup::{Bounds, Falloff, Plane};
use crate::shader::Shader;
use crate::span::{Corners, DrawInputs, Painter, Scratch, Window};
use batch::{Batch, QuadSet};
use finish::Results;
pub(crate) use finish::tests_early;
use interpolate::{Coordinates, Origin};
use solid::Solid;

/// A scene and the objects that its draws refer to; shared by all workers.
pub(crate) struct Inputs<'a, 'm, P: Profile> {
    pub(crate) scene: &'a Scene<'m, P>,
    pub(crate) shaders: &'a Pool<'m, Shader<'m>>,
    /// Ready samplers, one for each of the scene's texture bindings.
    pub(crate) samplers: &'a [Sampler<'a>],
    /// The memory of the fragment stage.
    pub(crate) memory: ShaderMemory<'a>,
    /// The work that the frame may do.
    pub(crate) work: Work<'a>,
    pub(crate) timer: Timer<'a>,
}

/// The lane rows and planes of one worker.
#[derive(Debug)]
pub(crate) struct Registers<'w, R> {
    pub(crate) rows: &'w mut [R],
    pub(crate) planes: &'w mut [Plane],
    /// The draw that the constants in the rows belong to.
    pub(crate) prepared: &'w mut Option<u32>,
}

/// Quads in progress in a tile. They are too large for a board's stack.
#[derive(Debug)]
pub(crate) struct Quads<R: Lanes> {
    /// Quads of the current primitive that have not been tested against the depth buffer.
    candidates: Batch<R>,
    batch: Batch<R>,
    /// Quads in the batch from earlier primitives.
    earlier: QuadSet,
    coordinates: Coordinates<R>,
    /// The places of centroids, where a varying is evaluated there.
    centroids: OfSamples<Coordinates<R>>,
    samples: samples::SampleLanes<R>,
    scratch: Scratch,
}

impl<R: Lanes> Quads<R> {
    /// Returns the pixels of a row of the tile where samples may differ, one bit per pixel.
    pub(crate) fn spread_of(&self, row: usize) -> u64 {
        self.scratch.spread_of(row)
    }

    /// Begins a frame.
    pub(crate) fn start_frame(&mut self) {
        if SPANS {
            self.scratch.start_frame();
        }
    }

    /// Returns the state between tiles: no quads.
    pub(crate) fn none() -> Self {
        Quads {
            candidates: Batch::EMPTY,
            batch: Batch::EMPTY,
            earlier: QuadSet::EMPTY,
            coordinates: Coordinates::EMPTY,
            centroids: Only::new(Coordinates::EMPTY),
            samples: samples::SampleLanes::EMPTY,
            scratch: Scratch::new(),
        }
    }
}

/// The draw that is being shaded. A worker keeps it from tile to tile.
pub(crate) struct Current<'a> {
    index: u32,
    record: &'a DrawRecord,
    program: Option<Program<'a>>,
    /// The program has the body that calls its code.
    runs_code: Only<bool, { GENERATED as usize }>,
    /// The integer kernel that draws its triangles, if one does.
    painter: Option<Painter<'a>>,
    varyings: &'a [Varying],
    textures: StageResources<'a>,
    constants: [&'a [u8]; crate::scene::MAX_CONSTANT_BLOCKS],
    results: Results,
    /// The texels of all its fragments, if all fragments have the same ones.
    solid: Option<Solid>,
    /// Set if the depths of fragments are read after the early test.
    needs_depth: bool,
}

/// The number of draws that a worker keeps ready. Where only integer kernels draw, a draw needs nothing
/// of the registers. Making one ready takes long on a slow core, which draws a few times per tile.
const READY: usize = if KEEPS_MORE && !FRAGMENTS && !SPANS_PROGRAMS { 2 } else { 1 };

/// The draw that is being shaded, and those before it.
#[derive(Default)]
pub(crate) struct Currents<'a> {
    ready: [Option<Current<'a>>; READY],
    at: usize,
}

impl Currents<'_> {
    /// Makes a draw the current one if it is ready; otherwise makes room for it and returns false.
    #[inline(always)]
    fn select(&mut self, index: u32) -> bool {
        let is_this =
            |draw: &Option<Current<'_>>| draw.as_ref().is_some_and(|it| it.index == index);
        if READY > 1 {
            let found = self.ready.iter().position(is_this);
            self.at = found.unwrap_or(self.at.wrapping_add(1));
            if found.is_some() {
                return true;
            }
        }
        **self = None;
        false
    }
}

impl<'a> Deref for Currents<'a> {
    type Target = Option<Current<'a>>;

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the remainder is below READY")]
    fn deref(&self) -> &Option<Current<'a>> {
        &self.ready[self.at.rem_euclid(READY)]
    }
}

impl DerefMut for Currents<'_> {
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the remainder is below READY")]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.ready[self.at.rem_euclid(READY)]
    }
}

/// The pixels of draws that queries count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PixelCounts {
    /// Samples that passed all tests.
    pub(crate) passed: u64,
    /// Invocations of fragment shaders: pixels that the early tests left, without helpers.
    pub(crate) shaded: u64,
}

impl AddAssign for PixelCounts {
    fn add_assign(&mut self, other: PixelCounts) {
        self.passed += other.passed;
        self.shaded += other.shaded;
    }
}

/// Shades one tile.
pub(crate) struct Fragments<'a, 't, 'w, 'm, P: Profile> {
    inputs: &'a Inputs<'a, 'm, P>,
    targets: &'w mut TileTargets<'t>,
    registers: Registers<'w, P::Row>,
    current: &'w mut Currents<'a>,
    /// The quads in progress; none before and after the tile.
    quads: &'w mut Quads<P::Row>,
    origin: Origin,
    /// The pixels that spans may paint.
    window: Window,
    front: bool,
    /// The plane of 1/w as shaders read it, and the plane of 1/w that attributes are divided by.
    rcp_w: Plane,
    perspective: Plane,
    /// The primitive's depth, if an integer plane cannot hold it.
    steep: Option<Plane>,
    /// The primitive's depth as shaders read it, if fragments are clamped to another depth.
    unclamped: OfDesktop<Option<Plane>>,
    /// The primitive's depth, if it may leave the integer plane's range at centres next to the
    /// primitive.
    steep_centers: OfSamples<Option<Plane>>,
    /// The coverage of pixels at the edge of a smooth primitive.
    edge_coverage: Option<Falloff>,
    /// Set if depths are clamped or pixels are partly covered.
    unusual: bool,
    /// The polygon stipple, if the primitive has one.
    stipple: &'a [u32],
    /// The window rectangles, if the draw has some.
    windows: OfDesktop<&'a [u32]>,
    pub(crate) counts: PixelCounts,
    /// Batches that were shaded.
    pub(crate) batches: u32,
    /// The work of the tile.
    pub(crate) work: Work<'a>,
    watch: Stopwatch<'a>,
}

impl<'a, 't, 'w, 'm, P: Profile> Fragments<'a, 't, 'w, 'm, P> {
    /// Begins the tile of these pixels: a tile, or some rows of one. Tiles at the right and lower
    /// edges reach over the surface; the draws' clips end there.
    pub(crate) fn new(
        inputs: &'a Inputs<'a, 'm, P>,
        targets: &'w mut TileTargets<'t>,
        registers: Registers<'w, P::Row>,
        quads: &'w mut Quads<P::Row>,
        current: &'w mut Currents<'a>,
        tile: Bounds,
    ) -> Self {
        if SPANS {
            let clear = inputs.scene.initial.as_ref();
            let color = clear.is_some_and(|clear| clear.color_buffers & 1 != 0);
            quads.scratch.start(clear.and_then(|clear| clear.depth), color);
        }
        let clip =
            current.as_ref().map_or(tile, |current| tile.intersect(&current.record.clip.all));
        Fragments {
            inputs,
            targets,
            registers,
            current,
            quads,
            origin: Origin { tile_x: tile.x0, tile_y: tile.y0, x: 0, y: 0 },
            window: Window { tile, clip },
            front: true,
            rcp_w: Plane::default(),
            perspective: Plane::default(),
            steep: None,
            unclamped: Only::new(None),
            steep_centers: Only::new(None),
            edge_coverage: None,
            unusual: false,
            stipple: &[],
            windows: Only::new(&[]),
            counts: PixelCounts::default(),
            batches: 0,
            work: inputs.work,
            watch: inputs.timer.start(Phase::Rasterizing),
        }
    }

    /// Ends the tile: shades the rest of the batch. If samples are `kept`, writes them to their
    /// planes.
    pub(crate) fn finish(&mut self, kept: bool) {
        self.shade();
        if SPANS && SAMPLES && kept {
            self.quads.scratch.spread(self.targets, &self.window.tile, &self.window.tile);
        }
    }

    /// Returns the window rectangles of the draw; no words without a test.
    #[inline(always)]
    fn windows(&self) -> &'a [u32] {
        self.windows.get().copied().unwrap_or(&[])
    }

    /// Returns the targets for a clear, after everything drawn so far has reached them.
    pub(crate) fn targets(&mut self) -> &mut TileTargets<'t> {
        self.shade();
        if SPANS {
            self.quads.scratch.spread(self.targets, &self.window.tile, &self.window.tile);
            self.quads.scratch.forget();
        }
        self.targets
    }

    /// Draws the part of a primitive that lies in the tile.
    #[inline(always)]
    pub(crate) fn primitive(&mut self, primitive: &Primitive) {
        if self.current.as_ref().is_none_or(|current| current.index != primitive.draw) {
            self.shade();
            self.select(primitive.draw);
        }
        if SPANS && primitive.kind == Kind::Triangle && self.span(primitive) {
            return;
        }
        self.general(primitive);
    }

    /// Draws a triangle with the integer kernel; returns `false` if lane code must draw it.
    #[inline(always)]
    fn span(&mut self, primitive: &Primitive) -> bool {
        if self.current.as_ref().is_none_or(|current| current.painter.is_none()) {
            return false;
        }
        if !self.quads.batch.is_empty() {
            // The batch holds an earlier primitive, which lane code draws.
            self.shade();
        }
        let Some(Current { painter: Some(painter), record, .. }) = &**self.current else {
            return false;
        };
        let corners = Corners {
            arena: &self.inputs.scene.arena,
            ids: primitive.vertices,
            flat: primitive.provoking.into(),
        };
        painter.triangle(&corners, record, &self.window, &mut self.quads.scratch, self.targets)
    }

    /// Runs the preamble of a draw's program, unless the rows hold its results; returns false if it
    /// was stopped or failed.
    #[inline(always)]
    fn prepares(&mut self, index: u32, program: &Program<'_>, constants: &[&[u8]]) -> bool {
        if *self.registers.prepared == Some(index) {
            return true;
        }
        *self.registers.prepared = None;
        if self.work.stops_after(program.preamble.len() as u32)
            || exec::prepare(program, self.registers.rows, constants).is_err()
        {
            return false;
        }
        *self.registers.prepared = Some(index);
        true
    }

    /// Makes the painter of a draw; `None` if no kernel takes it.
    #[inline(always)]
    fn painter(
        &self,
        record: &DrawRecord,
        program: Option<&Program<'a>>,
        samplers: &[Sampler<'a>],
    ) -> Option<Painter<'a>> {
        let (scene, rows) = (self.inputs.scene, &*self.registers.rows);
        let span = record.span.get().and_then(Option::as_ref)?;
        let varyings = range(&scene.varyings, record.varyings);
        let target = range(&scene.color, record.color).first();
        let program = Only::new(program);
        Painter::new(span, &DrawInputs { record, varyings, rows, program, samplers, target })
    }

    /// Makes a draw the current one and loads its constants into the rows.
    #[inline(never)]
    fn select(&mut self, index: u32) {
        let scene = self.inputs.scene;
        let ready = self.current.select(index);
        let Some(record) = scene.draws.get(index as usize) else { return };
        if SPANS && record.depth.occlusion().spoils {
            self.quads.scratch.forget();
        }
        if SPANS {
            self.window.clip = self.window.tile.intersect(&record.clip.all);
        }
        if ready {
            return;
        }
        let shader = record.shader.and_then(|shader| self.inputs.shaders.get(shader));
        let program = shader.map(Shader::program);
        let mut constants: [&[u8]; crate::scene::MAX_CONSTANT_BLOCKS] = [&[]; _];
        for (bytes, block) in constants.iter_mut().zip(range(&scene.constants, record.constants)) {
            *bytes = block_bytes(scene, block);
        }
        // Without lane code only spans draw, and they need no results, textures or depths.
        let general = program.as_ref().filter(|_| FRAGMENTS);
        let results = general.map_or(Results::NONE, Results::of);
        if let Some(program) = &program
            && !self.prepares(index, program, &constants)
        {
            return;
        }
        let samplers = if TEXTURES { range(self.inputs.samplers, record.textures) } else { &[] };
        let painter = self.painter(record, program.as_ref(), samplers);
        **self.current = Some(Current {
            index,
            record,
            painter,
            program,
            runs_code: Only::new(false),
            varyings: range(&scene.varyings, record.varyings),
            textures: StageResources {
                bindings: if FRAGMENTS { range(scene.textures(), record.textures) } else { &[] },
                samplers,
                memory: self.inputs.memory,
                work: self.inputs.work,
                code: shader.filter(|_| FRAGMENTS).map(Shader::code).unwrap_or_default(),
            },
            constants,
            results,
            solid: None,
            needs_depth: FRAGMENTS && (!record.early_depth || record.special.1 > 0),
        });
        if stamps_per_batch::<P::Row>() > 0
            && let Some(current) = &mut **self.current
        {
            let states = range(&scene.color, record.color);
            current.solid = Solid::of(current, states, self.targets, self.registers.rows);
        }
    }
}

/// Returns a range (first, count) of a scene's table.
fn range<T>(table: &[T], (first, count): (u32, u32)) -> &[T] {
    let end = first.saturating_add(count) as usize;
    table.get(first as usize..end).unwrap_or(&[])
}

/// Returns the bytes of a constant buffer's copy.
fn block_bytes<'a, P: Profile>(scene: &'a Scene<'_, P>, block: &ConstantBlock) -> &'a [u8] {
    bytemuck::cast_slice(scene.arena.get(block.at as usize, block.words as usize))
}
