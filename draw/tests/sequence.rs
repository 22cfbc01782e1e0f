//! The same primitives in the same order, for every size of segments.

mod support;

use formats::Format;
use gallium_draw::assemble::{Assembler, Primitive};
use gallium_draw::{
    Draw, DrawState, IndexBytes, Limits, OutputModes, Pipeline, Statistics, VertexBytes,
};
use os_shim::memory::Memory;
use pipe_core::{ClipState, PrimType, RasterizerState, VertexElement, ViewportState};
use proptest::prelude::*;
use support::{PASS, Recorder, Shape, bytes, program};
use tgsi::exec::NoResources;

/// Every type except patches.
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

/// The number of vertices, a prime.
const VERTICES: u32 = 4093;

/// Returns the vertices: vertex i at (i, i² mod [`VERTICES`]) pixels, a parabola over the integers
/// modulo a prime. No three are collinear, so no area is 0. Its generic output is (i, 0, 0, 1).
fn vertices() -> Vec<u8> {
    let vertex = |i: u32| {
        let (x, y) = (i as f32 / 4096.0, (i * i % VERTICES) as f32 / 4096.0);
        [x, y, 0.0, i as f32]
    };
    bytes(&(0..VERTICES).flat_map(vertex).collect::<Vec<_>>())
}

/// Returns a shape's vertex numbers, and the number of its provoking vertex.
fn numbers(shape: &Shape) -> (Vec<u32>, u32) {
    let number = |i: usize| shape.vertices[i].outputs[1][0] as u32;
    ((0..shape.vertices.len()).map(number).collect(), number(shape.provoking))
}

fn expected(mode: PrimType, first: bool, stream: &[Option<u32>]) -> (Vec<(Vec<u32>, u32)>, u64) {
    let mut out = Vec::new();
    let mut emit = |p: Primitive<u32>| {
        let v = p.vertices[..p.count.into()].to_vec();
        let distinct = p.count < 3 || (v[0] != v[1] && v[1] != v[2] && v[0] != v[2]);
        if distinct {
            let provoking = v[usize::from(p.provoking)];
            out.push((v, provoking));
        }
        Ok::<_, ()>(())
    };
    let mut assembler = Assembler::new(mode, first).expect("no patches here");
    for index in stream {
        match index {
            Some(v) => assembler.push(*v, &mut emit),
            None => assembler.finish(&mut emit),
        }
        .expect("emit never fails");
    }
    assembler.finish(&mut emit).expect("emit never fails");
    (out, assembler.primitives())
}

struct Case<'c> {
    rasterizer: RasterizerState,
    draw: Draw,
    index: Option<IndexBytes<'c>>,
    segment_vertices: u16,
    room: Option<usize>,
}

fn run(case: &Case<'_>) -> (Recorder, Statistics) {
    let compiled = program(PASS);
    let position = VertexElement::per_vertex(0, Format::R32G32B32Float);
    let number = VertexElement::per_vertex(12, Format::R32Float);
    let viewport = ViewportState { scale: [4096.0, 4096.0, 1.0], ..ViewportState::default() };
    let vertices = vertices();
    let state = DrawState {
        program: &compiled.program(),
        rasterizer: &case.rasterizer,
        viewports: &[viewport],
        clip: &ClipState::default(),
        elements: &[position, number],
        vertex_buffers: &[VertexBytes { bytes: &vertices, stride: 16 }],
        index: case.index,
        constants: &[],
        modes: OutputModes::default(),
        depth_step: Default::default(),
        stages: None,
    };
    let limits = Limits { segment_vertices: case.segment_vertices, ..Limits::SMALL };
    let mut pipeline = Pipeline::<[u32; 4]>::new(Memory::system(), limits).expect("memory");
    let mut sink = Recorder { room: case.room, ..Recorder::default() };
    let statistics =
        pipeline.run(&state, &case.draw, &mut sink, &mut NoResources).expect("the draw runs");
    (sink, statistics)
}

/// Draws `stream` from an index buffer of `size` bytes per index, and compares with the assembler's
/// primitives. `None` restarts; without a `None`, primitive restart is off.
fn check(
    mode: PrimType,
    first: bool,
    stream: &[Option<u32>],
    size: u8,
    segment_vertices: u16,
    room: Option<usize>,
) -> Result<(), TestCaseError> {
    let restart = if size == 1 { 0xff } else { 0xffff };
    let bias = 3;
    let raw = stream.iter().map(|i| i.map_or(restart, |i| i - bias as u32));
    let index: Vec<u8> = raw.flat_map(|i| i.to_le_bytes().into_iter().take(size.into())).collect();
    // One index in front, which `start` skips.
    let index: Vec<u8> = std::iter::repeat_n(9, size.into()).chain(index).collect();
    let (sink, statistics) = run(&Case {
        rasterizer: RasterizerState { flatshade_first: first, ..RasterizerState::default() },
        draw: Draw {
            start: 1,
            index_bias: bias,
            restart_index: stream.contains(&None).then_some(restart),
            ..Draw::new(mode, stream.len() as u32)
        },
        index: Some(IndexBytes { bytes: &index, size }),
        segment_vertices,
        room,
    });
    let (shapes, primitives) = expected(mode, first, stream);
    let got: Vec<_> = sink.shapes.iter().map(numbers).collect();
    prop_assert_eq!(got, shapes);
    prop_assert_eq!(statistics.ia_primitives, primitives);
    prop_assert_eq!(statistics.ia_vertices, stream.iter().flatten().count() as u64);
    prop_assert!(room.is_some() || sink.taken as u64 <= statistics.vs_invocations);
    // In the worst case the cache finds nothing.
    prop_assert!(statistics.vs_invocations <= 3 * statistics.c_invocations);
    Ok(())
}

/// Returns indices for three halves that share entries of the vertex cache's table, two or three
/// per entry. The table has four entries per vertex, and uses the upper bits of this product.
fn colliding(segment_vertices: u16) -> Vec<u32> {
    let entries = (4 * u32::from(segment_vertices)).next_power_of_two();
    let entry = |i: &u32| i.wrapping_mul(0x9e37_79b1) >> (32 - entries.trailing_zeros());
    let (used, wanted) = (u32::from(segment_vertices) * 5 / 4, usize::from(segment_vertices) * 3);
    (3..VERTICES).filter(|i| entry(i) < used).take(wanted).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn segments_make_no_difference(
        mode in 0..MODES.len(),
        first: bool,
        stream in prop::collection::vec(prop::option::weighted(0.93, 3..48u32), 0..200),
        size in prop::sample::select(vec![1u8, 2, 4]),
        segment_vertices in 4u16..64,
        room in prop::option::of(3usize..20),
    ) {
        check(MODES[mode], first, &stream, size, segment_vertices, room)?;
    }

    /// Strips of consecutive vertices, longer than a segment.
    #[test]
    fn long_runs_cross_segments(mode in 0..MODES.len(), first: bool, segment_vertices in 4u16..40) {
        let stream: Vec<_> = (3..48).map(Some).collect();
        check(MODES[mode], first, &stream, 2, segment_vertices, None)?;
    }

    /// Vertices that evict each other from the vertex cache's table, at any fill of a half.
    #[test]
    fn colliding_indices_make_no_difference(
        mode in 0..MODES.len(),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..400),
        restarts: bool,
        size in prop::sample::select(vec![2u8, 4]),
        segment_vertices in 3u16..80,
    ) {
        let pool = colliding(segment_vertices);
        let mut stream: Vec<_> = picks.iter().map(|pick| Some(*pick.get(&pool))).collect();
        if restarts {
            stream.iter_mut().skip(40).step_by(41).for_each(|index| *index = None);
        }
        check(MODES[mode], true, &stream, size, segment_vertices, None)?;
    }
}

/// Two of a triangle's vertices are known, the third takes the table entry of one of them, and the
/// half has one slot left.
#[test]
fn a_new_vertex_may_take_the_entry_of_a_known_one() {
    let half = 32;
    let entry = |i: u32| i.wrapping_mul(0x9e37_79b1) >> 25;
    let mut stream: Vec<u32> = (3..66).collect();
    // Halves of 30 and 31 of 32 slots hold only whole triangles.
    let twin = (66..VERTICES).find(|&i| entry(i) == entry(64)).expect("there are many");
    stream.extend([twin, 64, 63]);
    let stream: Vec<_> = stream.into_iter().map(Some).collect();
    check(PrimType::Triangles, true, &stream, 2, half, None).expect("all triangles are drawn");
}

#[test]
fn without_an_index_buffer_vertices_count_from_start() {
    let (sink, statistics) = run(&Case {
        rasterizer: RasterizerState::default(),
        // A bias and a restart index have no effect here.
        draw: Draw {
            start: 5,
            index_bias: 100,
            restart_index: Some(6),
            ..Draw::new(PrimType::TriangleStrip, 4)
        },
        index: None,
        segment_vertices: 4,
        room: None,
    });
    let got: Vec<_> = sink.shapes.iter().map(numbers).collect();
    assert_eq!(got, [(vec![5, 6, 7], 7), (vec![7, 6, 8], 8)]);
    assert_eq!(sink.taken, 4, "shared vertices cross once");
    let expected = Statistics {
        ia_vertices: 4,
        ia_primitives: 2,
        vs_invocations: 4,
        primitives: 2,
        c_invocations: 2,
        c_primitives: 2,
        stages: Default::default(),
    };
    assert_eq!(statistics, expected);
}

#[test]
fn each_instance_starts_afresh() {
    let (sink, statistics) = run(&Case {
        rasterizer: RasterizerState::default(),
        draw: Draw { instance_count: 3, ..Draw::new(PrimType::LineLoop, 3) },
        index: None,
        segment_vertices: 16,
        room: None,
    });
    let got: Vec<_> = sink.shapes.iter().map(|s| numbers(s).0).collect();
    assert_eq!(got, [[0, 1], [1, 2], [2, 0]].repeat(3));
    assert_eq!(statistics.vs_invocations, 9);
}

#[test]
fn discard_shades_and_draws_nothing() {
    let (sink, statistics) = run(&Case {
        rasterizer: RasterizerState { rasterizer_discard: true, ..RasterizerState::default() },
        draw: Draw::new(PrimType::Triangles, 6),
        index: None,
        segment_vertices: 16,
        room: None,
    });
    assert_eq!((sink.shapes.len(), sink.taken), (0, 0));
    let Statistics { vs_invocations, primitives, c_invocations, .. } = statistics;
    assert_eq!((vs_invocations, primitives, c_invocations), (6, 2, 0));
}

#[test]
fn a_mesh_in_index_order_is_shaded_about_once_a_vertex() {
    // Two rows of a grid as a strip, then the next two: every row except the ends is used twice,
    // and a segment of two rows still has it.
    let width = 8u32;
    let index: Vec<u8> = (0..5u32)
        .flat_map(|row| {
            let strip = (0..width).flat_map(move |i| [row * width + i, (row + 1) * width + i]);
            strip.chain([0xff])
        })
        .map(|i| i as u8)
        .collect();
    let (_, statistics) = run(&Case {
        rasterizer: RasterizerState::default(),
        draw: Draw {
            restart_index: Some(0xff),
            ..Draw::new(PrimType::TriangleStrip, index.len() as u32)
        },
        index: Some(IndexBytes { bytes: &index, size: 1 }),
        segment_vertices: 2 * width as u16,
        room: None,
    });
    assert_eq!(statistics.ia_vertices, 80);
    assert!(statistics.vs_invocations <= 60, "{} for 48", statistics.vs_invocations);
}
