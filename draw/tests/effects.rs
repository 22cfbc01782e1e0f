//! Two-sided colour, outlines, depth offset and line stipple, with values computed by hand.
#![cfg(feature = "primitive-effects")]

mod support;

use formats::Format;
use gallium_draw::{DepthStep, Draw, DrawState, Limits, OutputModes, Pipeline, VertexBytes};
use os_shim::memory::Memory;
use pipe_core::{ClipState, PolygonMode, PrimType, RasterizerState, VertexElement, ViewportState};
use support::{Recorder, Vertex, bytes, program};
use tgsi::exec::NoResources;

/// Writes the front colour, its negative for back faces, and the position's w as edge flag.
const SHADER: &str = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], BCOLOR
DCL OUT[3], EDGEFLAG
  0: MOV OUT[0], IN[0]
  1: MOV OUT[1], IN[1]
  2: MOV OUT[2], -IN[1]
  3: MOV OUT[3], IN[1].yyyy
  4: END
";

/// Window pixels are clip coordinates: x, y, z; then colour and edge flag.
type Corner = ([f32; 3], [f32; 2]);

struct Case<'c> {
    rasterizer: RasterizerState,
    mode: PrimType,
    flat: u64,
    depth_step: DepthStep,
    corners: &'c [Corner],
}

fn run(case: &Case<'_>) -> Recorder {
    let compiled = program(SHADER);
    let floats: Vec<f32> = case
        .corners
        .iter()
        .flat_map(|(p, c)| [p[0] / 64.0, p[1] / 64.0, p[2], 1.0, c[0], c[1], 0.0, 0.0])
        .collect();
    let viewport =
        ViewportState { scale: [64.0, 64.0, 1.0], translate: [0.0; 3], ..Default::default() };
    let state = DrawState {
        program: &compiled.program(),
        rasterizer: &case.rasterizer,
        viewports: &[viewport],
        clip: &ClipState::default(),
        elements: &[
            VertexElement::per_vertex(0, Format::R32G32B32A32Float),
            VertexElement::per_vertex(16, Format::R32G32B32A32Float),
        ],
        vertex_buffers: &[VertexBytes { bytes: &bytes(&floats), stride: 32 }],
        index: None,
        constants: &[],
        modes: OutputModes { flat: case.flat, linear: 0 },
        depth_step: case.depth_step,
        stages: None,
    };
    let mut pipeline = Pipeline::<[u32; 4]>::new(Memory::system(), Limits::SMALL).expect("memory");
    let mut sink = Recorder::default();
    let draw = Draw::new(case.mode, case.corners.len() as u32);
    pipeline.run(&state, &draw, &mut sink, &mut NoResources).expect("draws");
    sink
}

fn case<'c>(rasterizer: RasterizerState, mode: PrimType, corners: &'c [Corner]) -> Case<'c> {
    Case { rasterizer, mode, flat: 0, depth_step: DepthStep::None, corners }
}

/// Returns a vertex's pixel, and its colour's first component.
fn brief(v: &Vertex) -> (i32, i32, f32) {
    (v.x / 256, v.y / 256, v.outputs[1][0])
}

/// Counter-clockwise on the screen, y down: the front.
const FRONT: [Corner; 3] =
    [([0.0, 0.0, 0.0], [1.0, 1.0]), ([0.0, 8.0, 0.0], [2.0, 1.0]), ([8.0, 0.0, 0.0], [3.0, 1.0])];

/// The corners of [`FRONT`] clockwise: the back.
const BACK: [Corner; 3] = [FRONT[0], FRONT[2], FRONT[1]];

#[test]
fn back_faces_have_back_colours() {
    let state = RasterizerState { light_twoside: true, ..Default::default() };
    // A strip with its second triangle showing the back; the two share two vertices.
    let corners = [FRONT[0], FRONT[1], FRONT[2], ([2.0, -4.0, 0.0], [4.0, 1.0])];
    let sink = run(&case(state, PrimType::TriangleStrip, &corners));
    let colors = |i: usize| sink.shapes[i].vertices.iter().map(|v| v.outputs[1][0]);
    assert_eq!(colors(0).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
    assert_eq!(sink.shapes[0].front, Some(true));
    let fan = [FRONT[0], FRONT[1], FRONT[2], ([2.0, 4.0, 0.0], [4.0, 1.0])];
    let sink = run(&case(state, PrimType::TriangleFan, &fan));
    let second: Vec<f32> = sink.shapes[1].vertices.iter().map(|v| v.outputs[1][0]).collect();
    assert_eq!((sink.shapes[1].front, second), (Some(false), vec![-1.0, -3.0, -4.0]));
    // The shared vertices were passed once per face.
    assert_eq!(sink.taken, 6);
}

#[test]
fn outlines_leave_diagonals_and_unflagged_edges_out() {
    let state = RasterizerState { fill_front: PolygonMode::Line, ..Default::default() };
    let quad = [
        ([0.0, 0.0, 0.0], [1.0, 1.0]),
        ([0.0, 8.0, 0.0], [2.0, 1.0]),
        ([8.0, 8.0, 0.0], [3.0, 0.0]),
        ([8.0, 0.0, 0.0], [4.0, 1.0]),
    ];
    let sink = run(&case(state, PrimType::Quads, &quad));
    let mut lines: Vec<_> =
        sink.shapes.iter().map(|s| (brief(&s.vertices[0]), brief(&s.vertices[1]))).collect();
    lines.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    // The edge from the third vertex is not drawn.
    let [a, b, c, d] = [(0, 0, 1.0), (0, 8, 2.0), (8, 8, 3.0), (8, 0, 4.0)];
    assert_eq!(lines, [(a, b), (b, c), (d, a)]);
    let points = RasterizerState { fill_front: PolygonMode::Point, ..state };
    let sink = run(&case(points, PrimType::Quads, &quad));
    let mut points: Vec<_> = sink.shapes.iter().map(|s| brief(&s.vertices[0])).collect();
    points.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    assert_eq!(points, [a, b, d]);
    // A back face is filled.
    let sink = run(&case(state, PrimType::Triangles, &BACK));
    assert_eq!((sink.shapes.len(), sink.shapes[0].vertices.len()), (1, 3));
}

#[test]
fn edges_of_a_polygon_have_its_flat_colour_and_facing() {
    let state = RasterizerState {
        fill_back: PolygonMode::Line,
        light_twoside: true,
        flatshade: true,
        ..Default::default()
    };
    let mut what = case(state, PrimType::Triangles, &BACK);
    what.flat = 0b110;
    let sink = run(&what);
    assert_eq!(sink.shapes.len(), 3);
    for line in &sink.shapes {
        // The last vertex provokes: FRONT[1], with back colour -2.
        let provoking = &line.vertices[line.provoking];
        assert_eq!((provoking.outputs[1][0], line.front), (-2.0, Some(false)));
    }
}

#[test]
fn clipping_makes_no_edges() {
    let state = RasterizerState { fill_front: PolygonMode::Line, ..Default::default() };
    // The near plane is z = -1: the middle vertex is cut off.
    let corners = [
        ([0.0, 0.0, 0.0], [1.0, 1.0]),
        ([0.0, 8.0, -3.0], [2.0, 1.0]),
        ([8.0, 8.0, 0.0], [3.0, 1.0]),
    ];
    let sink = run(&case(state, PrimType::Triangles, &corners));
    let mut lines: Vec<_> =
        sink.shapes.iter().map(|s| (brief(&s.vertices[0]), brief(&s.vertices[1]))).collect();
    lines.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    // A third of each side is left: 8/3 of 8 pixels.
    assert_eq!(lines.len(), 3);
    assert_eq!((lines[0].0, (lines[0].1.0, lines[0].1.1)), ((0, 0, 1.0), (0, 2)));
    assert_eq!(((lines[1].0.0, lines[1].0.1), lines[1].1), ((5, 8), (8, 8, 3.0)));
    assert_eq!(lines[2], ((8, 8, 3.0), (0, 0, 1.0)));
}

#[test]
fn depth_is_offset_by_slope_and_units() {
    // z rises by 1/32 per pixel to the right: 0 to 0.25.
    let corners = [
        ([0.0, 0.0, 0.0], [1.0, 1.0]),
        ([0.0, 8.0, 0.0], [2.0, 1.0]),
        ([8.0, 0.0, 0.25], [3.0, 1.0]),
    ];
    let state = RasterizerState {
        offset_tri: true,
        offset_units: 4.0,
        offset_scale: 2.0,
        ..Default::default()
    };
    let mut what = case(state, PrimType::Triangles, &corners);
    what.depth_step = DepthStep::Fixed(1.0 / 1024.0);
    // A line's third vertex gives the flat attributes.
    let depths = |sink: Recorder| -> Vec<f32> {
        let shape = &sink.shapes[0];
        let count = if shape.front.is_some() { 3 } else { 2 };
        shape.vertices.iter().take(count).map(|v| v.z).collect()
    };
    let offset = 2.0 / 32.0 + 4.0 / 1024.0;
    assert_eq!(depths(run(&what)), [offset, offset, 0.25 + offset]);
    what.rasterizer.fill_front = PolygonMode::Line;
    assert_eq!(depths(run(&what)), [0.0, 0.0], "lines have a switch of their own");
    what.rasterizer.offset_line = true;
    assert_eq!(depths(run(&what)), [offset, offset]);
    what.depth_step = DepthStep::None;
    assert_eq!(depths(run(&what)), [0.0, 0.0], "there is no depth buffer");
}

#[test]
fn stippled_lines_are_cut_at_pixels() {
    let state = RasterizerState {
        line_stipple_enable: true,
        line_stipple_pattern: 0b0011_0011_0011_0011,
        line_stipple_factor: 1,
        ..Default::default()
    };
    // Four pixels on, four off. Ten centres lie from 0.5 to 10.5, at halves. The line then goes
    // down and continues the pattern.
    let corners = [
        ([0.5, 0.5, 0.0], [0.0, 1.0]),
        ([10.5, 0.5, 0.0], [10.0, 1.0]),
        ([10.5, 8.5, 0.0], [18.0, 1.0]),
    ];
    let sink = run(&case(state, PrimType::LineStrip, &corners));
    let ends: Vec<_> =
        sink.shapes.iter().map(|s| [0, 1].map(|i| (s.vertices[i].x, s.vertices[i].y))).collect();
    assert_eq!(
        ends,
        [
            [(128, 128), (1024, 128)],
            [(2048, 128), (2688, 128)],
            // Ten are done; two more are on, four off, then two on.
            [(2688, 128), (2688, 512)],
            [(2688, 1536), (2688, 2176)],
        ]
    );
    // Colours are interpolated along the line: 0 at the start, one more per pixel.
    assert_eq!(sink.shapes[1].vertices[0].outputs[1][0], 7.5);
    // Lines that are not in a strip start the pattern again.
    let sink = run(&case(state, PrimType::Lines, &[corners[1], corners[2]]));
    assert_eq!(sink.shapes.len(), 1);
    assert_eq!(sink.shapes[0].vertices[1].y, 1024);
    // Leftwards, the first pixel is the rightmost.
    let left = [([10.5, 0.5, 0.0], [0.0, 1.0]), ([4.5, 0.5, 0.0], [6.0, 1.0])];
    let sink = run(&case(state, PrimType::Lines, &left));
    assert_eq!(sink.shapes.len(), 1);
    let x = [0, 1].map(|i: usize| sink.shapes[0].vertices[i].x);
    assert_eq!(x, [2688, 7 * 256]);
}
