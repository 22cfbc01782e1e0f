//! Large draws with geometry on all workers, against the same draws on one worker: equal bits, in
//! the order of the primitives.

use crate::common::*;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use formats::Format;
use gallium_raster::{Config, Host, Screen};
use os_shim::Os;
use os_shim::budget::WorkBudget;
use os_shim::memory::{FailAt, Memory};
use os_shim::options::Table;
use os_shim::threads::{Inline, Pool, Threads};
use pipe_core::{
    BlendState, CompareFunc, DepthStencilAlphaState, DrawInfo, DrawStartCount, Face, IndexBuffer,
    PipeError, PolygonMode, PrimType, QueryResult, QueryType, RasterizerState,
    RenderTargetBlendState, ViewportState,
};
use proptest::prelude::*;

/// Moves each instance and each draw, and gives each vertex a colour that encodes its number.
const MOVED: &str = "VERT
DCL IN[0]
DCL IN[1]
DCL SV[0], INSTANCEID
DCL SV[1], VERTEXID_NOBASE
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 { 0.01, 0.0, 0.0001, 1.0 }
U2F TEMP[0].x, SV[0].xxxx
U2F TEMP[1].x, SV[1].xxxx
MAD OUT[0], TEMP[0].xxxx, IMM[0].xyyy, IN[0]
MAD OUT[1], TEMP[1].xxxx, IMM[0].zyyy, IN[1]
END";

/// Shows the provoking vertex's colour.
const FLAT: &str = "FRAG
DCL IN[0], COLOR, CONSTANT
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END";

const MODES: [PrimType; 14] = [
    PrimType::Points,
    PrimType::Lines,
    PrimType::LineLoop,
    PrimType::LineStrip,
    PrimType::Triangles,
    PrimType::TriangleStrip,
    PrimType::TriangleFan,
    PrimType::Quads,
    PrimType::QuadStrip,
    PrimType::Polygon,
    PrimType::LinesAdjacency,
    PrimType::LineStripAdjacency,
    PrimType::TrianglesAdjacency,
    PrimType::TriangleStripAdjacency,
];

/// The number of vertices that indices refer to.
const VERTICES: u32 = 2500;
const RESTART: u32 = 0xffff;

/// Workers that count how often they are asked to work together.
struct Counted {
    pool: Pool,
    calls: AtomicUsize,
}

impl Counted {
    fn new(count: usize) -> Self {
        Counted { pool: Pool::new(count), calls: AtomicUsize::new(0) }
    }
}

impl Threads for Counted {
    fn count(&self) -> usize {
        self.pool.count()
    }

    fn parallel(&self, tasks: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        self.calls.fetch_add(1, Relaxed);
        self.pool.parallel(tasks, run);
    }
}

/// Returns the host with these workers, which run geometry.
fn shared(threads: &dyn Threads) -> Os<'_> {
    Os { threads, options: &Table(&[("RASTER_DEBUG", "geometry")]), ..Os::host() }
}

/// A draw, and the state that its primitives depend on.
#[derive(Clone, Debug)]
struct Case {
    mode: PrimType,
    indexed: bool,
    /// One index in `restarts` restarts the primitive; 0 for none.
    restarts: u32,
    count: u32,
    instances: u32,
    start: u32,
    /// Vertices lie up to this far outside the view volume.
    reach: f32,
    /// Triangles consist of neighbouring vertices, which lie close together.
    small: bool,
    /// The view volume fills the whole target, or a part of the four tiles in its middle. There, large primitives have
    /// an eighth of the pixels.
    whole: bool,
    rasterizer: RasterizerState,
    flat: bool,
    depth: bool,
    scene_bytes: usize,
    seed: u32,
}

fn cases() -> impl Strategy<Value = Case> {
    let shape = (
        proptest::sample::select(&MODES[..]),
        any::<bool>(),
        proptest::sample::select(&[0u32, 0, 7, 1000][..]),
        // About the least work that workers share, or several rounds of sections.
        prop_oneof![8_000..20_000u32, 60_000..200_000u32],
        proptest::sample::select(&[1u32, 1, 3, 50][..]),
        0..10u32,
    );
    let state = (
        any::<[bool; 10]>(),
        proptest::sample::select(&[Face::None, Face::Front, Face::Back][..]),
        proptest::sample::select(&[PolygonMode::Fill, PolygonMode::Fill, PolygonMode::Line][..]),
        proptest::sample::select(&[1.0f32, 1.3, 3.0][..]),
        // Scenes that are full in the middle of the draw, and scenes that hold everything.
        proptest::sample::select(&[0usize, 200 << 10, 1 << 20][..]),
        any::<u32>(),
    );
    (shape, state).prop_map(|(shape, state)| {
        let (mode, indexed, restarts, count, instances, start) = shape;
        let (
            [small, whole, still_whole, first, flat, depth, ccw, offset, clip, effects],
            cull_face,
            fill,
            reach,
            scene_bytes,
            seed,
        ) = state;
        let rasterizer = RasterizerState {
            flatshade_first: first,
            front_ccw: ccw,
            cull_face,
            fill_front: if effects { fill } else { PolygonMode::Fill },
            offset_tri: effects && offset,
            offset_units: 3.0,
            clip_plane_enable: u8::from(clip),
            ..rasterizer()
        };
        // Large primitives take long.
        let count = if small { count } else { count.min(20_000) };
        let count = if instances > 3 { count / 20 } else { count / instances };
        Case {
            mode,
            indexed,
            restarts,
            count,
            instances,
            start,
            reach,
            small,
            whole: small || whole && still_whole,
            rasterizer,
            flat,
            depth,
            scene_bytes,
            seed,
        }
    })
}

impl Case {
    /// Draws the case; returns the pixels, and the counted primitives.
    fn draw(&self, os: Os<'_>) -> Result<(Vec<u8>, QueryResult), PipeError> {
        let screen = screen::<Host>(os, self.scene_bytes);
        let options =
            Options { width: 100, height: 90, depth: Some(Format::Z32Unorm), ..Options::default() };
        let mut setup = Setup::new(&screen, options)?;
        setup.rasterizer(&self.rasterizer)?;
        if !self.whole {
            let view = ViewportState {
                scale: [18.0, 14.0, 0.5],
                translate: [64.0, 64.0, 0.5],
                ..ViewportState::default()
            };
            setup.context.set_viewport_states(0, &[view])?;
        }
        setup.context.set_clip_state(&pipe_core::ClipState { ucp: [[0.3, 1.0, 0.1, 0.4]; 8] });
        setup.depth_test(&DepthStencilAlphaState {
            depth_enabled: self.depth,
            depth_writemask: self.depth,
            depth_func: CompareFunc::LessEqual,
            ..DepthStencilAlphaState::default()
        })?;
        // Each pixel shows the order of the triangles on it.
        setup.blend(&BlendState::uniform(RenderTargetBlendState::alpha_blending()))?;
        setup.shaders(MOVED, if self.flat { FLAT } else { COLOR })?;
        setup.clear(BLACK, 1.0)?;
        let mut random = Random(self.seed);
        let vertices = if self.indexed { VERTICES } else { self.count + self.start };
        let vertices: Vec<Vertex> =
            (0..vertices).map(|number| self.vertex(number, &mut random)).collect();
        setup.upload(&screen, &vertices)?;
        let query = setup.context.create_query(QueryType::PrimitivesGenerated, 0)?;
        setup.context.begin_query(query)?;
        let indices = self.indices(&mut random);
        let mut info =
            DrawInfo { mode: self.mode, instance_count: self.instances, ..DrawInfo::default() };
        if self.indexed {
            info.index = Some(IndexBuffer::user(bytemuck::cast_slice(&indices), 4));
            info.primitive_restart = self.restarts > 0;
            info.restart_index = RESTART;
        }
        let part = DrawStartCount { start: self.start, count: self.count, index_bias: 0 };
        setup.context.draw_vbo(&info, None, &[part])?;
        setup.context.end_query(query)?;
        let counted = setup.context.get_query_result(query, true)?.unwrap();
        Ok((setup.pixels()?, counted))
    }

    fn vertex(&self, number: u32, random: &mut Random) -> Vertex {
        let reach = self.reach;
        let mut position = [0; 3].map(|_| random.between(-reach, reach));
        if self.small {
            // Along a spiral, so that neighbours are close.
            let (angle, radius) = (number as f32 * 0.05, reach * (number % 1250) as f32 / 1250.0);
            let sides = [angle.cos(), angle.sin()];
            for (place, side) in position.iter_mut().zip(sides) {
                *place = side * radius + 0.03 * *place;
            }
        }
        let w = random.between(0.7, 1.5);
        let [x, y, z] = position;
        let color = [0; 4].map(|_| random.next());
        Vertex { position: [x * w, y * w, z * w, w], color }
    }

    fn indices(&self, random: &mut Random) -> Vec<u32> {
        let one = |place: u32| {
            let chance = random.between(0.0, self.restarts.max(1) as f32) as u32;
            if self.restarts > 0 && chance == 0 && place.is_multiple_of(2) {
                RESTART
            } else if self.small {
                (place / 2 + (random.next() * 4.0) as u32) % VERTICES
            } else {
                (random.next() * VERTICES as f32) as u32 % VERTICES
            }
        };
        (0..self.count + self.start).map(one).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 60 } else { 300 }))]

    #[test]
    fn workers_draw_what_one_thread_draws(case in cases(), workers in 2usize..5) {
        let alone = case.draw(Os { threads: &Inline, ..Os::host() }).unwrap();
        let pool = Counted::new(workers);
        let together = case.draw(shared(&pool)).unwrap();
        prop_assert_eq!(alone.1, together.1);
        prop_assert!(alone.0 == together.0, "other pixels");
    }
}

/// Returns a case of 30,000 triangles, some of them clipped.
fn triangles() -> Case {
    Case {
        mode: PrimType::Triangles,
        indexed: true,
        restarts: 0,
        count: 90_000,
        instances: 1,
        start: 0,
        reach: 1.3,
        small: true,
        whole: true,
        rasterizer: rasterizer(),
        flat: false,
        depth: true,
        scene_bytes: 0,
        seed: 5,
    }
}

/// The vertices of a section nearly fill a scene, and a line needs more room than the lines before
/// it. It brings its own vertices: no line is drawn twice, and none fails.
#[test]
fn sections_that_nearly_fill_a_scene_draw_all() {
    let case = Case {
        mode: PrimType::LineLoop,
        indexed: false,
        count: 7308,
        instances: 50,
        rasterizer: RasterizerState { clip_plane_enable: 1, offset_units: 3.0, ..rasterizer() },
        depth: false,
        scene_bytes: 200 << 10,
        seed: 3_722_457_530,
        ..triangles()
    };
    let alone = case.draw(Os { threads: &Inline, ..Os::host() }).unwrap();
    let together = case.draw(shared(&Pool::new(2))).unwrap();
    assert!(alone == together);
}

#[test]
fn large_draws_go_to_workers_before_the_flush() {
    for (count, together) in [(90_000, true), (300, false)] {
        let pool = Counted::new(2);
        let screen = screen::<Host>(shared(&pool), 0);
        let mut setup = Setup::new(&screen, Options::default()).unwrap();
        let case = triangles();
        let vertices: Vec<Vertex> =
            (0..count).map(|number| case.vertex(number, &mut Random(number))).collect();
        setup.upload(&screen, &vertices).unwrap();
        setup.draw(PrimType::Triangles, count).unwrap();
        assert_eq!(pool.calls.load(Relaxed) > 0, together, "{count}");
    }
}

#[test]
fn without_memory_for_workers_one_thread_draws() {
    let wanted = triangles().draw(Os { threads: &Inline, ..Os::host() }).unwrap();
    let pool = Pool::new(2);
    let counting = FailAt::never(Memory::system());
    let draw =
        |heap: &FailAt<'_>| triangles().draw(Os { memory: Memory::new(heap), ..shared(&pool) });
    let drawn = draw(&counting).unwrap();
    assert_eq!(drawn, wanted);
    let requests = counting.requests();
    let mut drawn_without = 0;
    for nth in 0..requests {
        let failing = FailAt::new(Memory::system(), nth);
        match draw(&failing) {
            Ok(drawn) => {
                assert!(drawn == wanted, "request {nth}");
                drawn_without += usize::from(failing.failed());
            }
            Err(error) => assert!(matches!(error, PipeError::OutOfMemory { .. }), "{error:?}"),
        }
    }
    // Pipelines, recordings and their growth.
    assert!(drawn_without > 10, "{drawn_without} of {requests}");
}

#[test]
fn a_stopped_draw_ends_on_all_workers() {
    let budget = WorkBudget::new();
    let pool = Pool::new(3);
    let os = shared(&pool);
    let screen = Screen::<Host>::with_budget(os, Config::default(), &budget);
    budget.grant(u64::MAX);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let case = triangles();
    let vertices: Vec<Vertex> =
        (0..90_000).map(|number| case.vertex(number, &mut Random(number))).collect();
    setup.upload(&screen, &vertices).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    // Enough for the vertices alone, but not for the shader's loop.
    let looping = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 { 0.0, 1.0, 1000.0, 0.0 }
MOV TEMP[0], IMM[0].xxxx
BGNLOOP
  SGE TEMP[1], TEMP[0], IMM[0].zzzz
  IF TEMP[1].xxxx
    BRK
  ENDIF
  ADD TEMP[0], TEMP[0], IMM[0].yyyy
ENDLOOP
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END";
    setup.shaders(looping, COLOR).unwrap();
    budget.grant(100_000);
    let stopped = setup.draw(PrimType::Triangles, 90_000);
    assert!(matches!(stopped, Err(PipeError::Stopped(_))), "{stopped:?}");
    budget.grant(10_000_000);
    setup.shaders(PASS, COLOR).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let corners = [(-3.0, -1.0), (1.0, 3.0), (1.0, -1.0)];
    setup.upload(&screen, &corners.map(|(x, y)| vertex(x, y, 0.0, RED))).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_picture!(setup.text(), vec!["r".repeat(16); 16]);
}
