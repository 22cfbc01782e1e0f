//! Clipping through the whole pipeline, against an f64 computation made for this test.

mod support;

use formats::Format;
use gallium_draw::{Draw, DrawState, Limits, OutputModes, Pipeline, Statistics, VertexBytes};
use os_shim::memory::Memory;
use pipe_core::{ClipState, PrimType, RasterizerState, VertexElement, ViewportState};
use proptest::prelude::*;
use support::{PASS, Recorder, bytes, program};
use tgsi::exec::NoResources;

const VIEWPORT: (u32, u32) = (640, 480);

/// The position is also written to `OUT[1]`, so that new vertices can be checked against it.
/// `OUT[2]` is the second input.
const POSITION_TWICE: &str = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1]
  0: MOV OUT[0], IN[0]
  1: MOV OUT[1], IN[0]
  2: MOV OUT[2], IN[1]
  3: END
";

struct Setup<'s> {
    text: &'s str,
    rasterizer: RasterizerState,
    clip: ClipState,
    modes: OutputModes,
    mode: PrimType,
    limits: Limits,
    /// Width and height in pixels.
    viewport: (u32, u32),
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Setup {
            text: POSITION_TWICE,
            rasterizer: RasterizerState::default(),
            clip: ClipState::default(),
            modes: OutputModes::default(),
            mode: PrimType::Triangles,
            limits: Limits::SMALL,
            viewport: VIEWPORT,
        }
    }
}

/// Draws vertices of (position, attribute).
fn draw(setup: &Setup<'_>, vertices: &[([f32; 4], [f32; 4])]) -> (Recorder, Statistics) {
    let compiled = program(setup.text);
    let floats: Vec<f32> = vertices.iter().flat_map(|(p, a)| [*p, *a].concat()).collect();
    let state = DrawState {
        program: &compiled.program(),
        rasterizer: &setup.rasterizer,
        viewports: &[ViewportState::y_up(setup.viewport.0, setup.viewport.1)],
        clip: &setup.clip,
        elements: &[
            VertexElement::per_vertex(0, Format::R32G32B32A32Float),
            VertexElement::per_vertex(16, Format::R32G32B32A32Float),
        ],
        vertex_buffers: &[VertexBytes { bytes: &bytes(&floats), stride: 32 }],
        index: None,
        constants: &[],
        modes: setup.modes,
        depth_step: Default::default(),
        stages: None,
    };
    let mut pipeline = Pipeline::<[u32; 4]>::new(Memory::system(), setup.limits).expect("memory");
    let mut sink = Recorder::default();
    let what = Draw::new(setup.mode, vertices.len() as u32);
    let statistics = pipeline.run(&state, &what, &mut sink, &mut NoResources).expect("draws");
    (sink, statistics)
}

/// Clips a polygon of clip positions in f64, against `planes` (coefficients of x, y, z, w).
fn reference(mut polygon: Vec<[f64; 4]>, planes: &[[f64; 4]]) -> Vec<[f64; 4]> {
    for plane in planes {
        let d = |p: &[f64; 4]| (0..4).map(|i| plane[i] * p[i]).sum::<f64>();
        let mut kept = Vec::new();
        for i in 0..polygon.len() {
            let (p, q) = (polygon[i], polygon[(i + 1) % polygon.len()]);
            if d(&p) >= 0.0 {
                kept.push(p);
            }
            if (d(&p) >= 0.0) != (d(&q) >= 0.0) {
                let t = d(&p) / (d(&p) - d(&q));
                kept.push(std::array::from_fn(|i| p[i] + t * (q[i] - p[i])));
            }
        }
        polygon = kept;
    }
    polygon
}

fn window(p: &[f64; 4]) -> (f64, f64) {
    window_of(VIEWPORT, p)
}

/// Returns a clip position in pixels, y down.
fn window_of((width, height): (u32, u32), p: &[f64; 4]) -> (f64, f64) {
    let (w, h) = (f64::from(width) / 2.0, f64::from(height) / 2.0);
    (p[0] / p[3] * w + w, -p[1] / p[3] * h + h)
}

/// Returns twice the signed area in pixels, y down.
fn area(polygon: &[[f64; 4]]) -> f64 {
    let points: Vec<_> = polygon.iter().map(window).collect();
    let n = points.len();
    (0..n).map(|i| (points[i], points[(i + 1) % n])).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum()
}

const NEAR_GL: [f64; 4] = [0.0, 0.0, 1.0, 1.0];
const NEAR_D3D: [f64; 4] = [0.0, 0.0, 1.0, 0.0];
const FAR: [f64; 4] = [0.0, 0.0, -1.0, 1.0];
/// The sides of the view volume: the rasterizer draws nothing beyond them.
const SIDES: [[f64; 4]; 4] =
    [[1.0, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, -1.0, 0.0, 1.0]];

fn point() -> impl Strategy<Value = [f32; 4]> {
    let c = || -3.0f32..3.0;
    (c(), c(), c(), -1.0f32..3.0).prop_map(|(x, y, z, w)| [x, y, z, w])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    /// Inside the viewport, the drawn area equals the area from clipping in f64. Every vertex has
    /// the position that its attributes, linear in clip space, give.
    #[test]
    fn triangles_agree_with_f64(
        corners in [point(), point(), point()],
        halfz: bool,
        plane in prop::option::of(point()),
    ) {
        let rasterizer = RasterizerState {
            clip_halfz: halfz,
            clip_plane_enable: if plane.is_some() { 4 } else { 0 },
            ..RasterizerState::default()
        };
        let mut clip = ClipState::default();
        clip.ucp[2] = plane.unwrap_or_default();
        let setup = Setup { rasterizer, clip, ..Setup::default() };
        let (sink, _) = draw(&setup, &corners.map(|c| (c, [0.0; 4])));

        let mut planes = vec![if halfz { NEAR_D3D } else { NEAR_GL }, FAR, [0.0, 0.0, 0.0, 1.0]];
        planes.extend(plane.map(|p| p.map(f64::from)));
        let wide = corners.map(|c| c.map(f64::from)).to_vec();
        let expected = area(&reference(wide, &[planes.as_slice(), &SIDES].concat()));

        let mut drawn = 0.0;
        for shape in &sink.shapes {
            let mut polygon = Vec::new();
            for v in &shape.vertices {
                let clip = v.outputs[1].map(f64::from);
                let (x, y) = window(&clip);
                // Far out, a rounding error in w moves a point by pixels.
                let tolerance = 0.01 + 1e-5 * (x.abs() + y.abs()) / clip[3].min(1.0);
                prop_assert!((f64::from(v.x) / 256.0 - x).abs() < tolerance, "{:?} {} {}", v, x, y);
                prop_assert!((f64::from(v.y) / 256.0 - y).abs() < tolerance, "{:?} {} {}", v, x, y);
                prop_assert!((f64::from(v.rcp_w) * clip[3] - 1.0).abs() < 1e-2);
                // Slightly beyond the planes if a vertex is snapped to beyond them.
                let z = clip[2] / clip[3] * 0.5 + 0.5;
                prop_assert!((f64::from(v.z) - z).abs() < tolerance, "{:?} {}", v, z);
                prop_assert!(v.x.abs() <= 1 << 22 && v.y.abs() <= 1 << 22);
                polygon.push([f64::from(v.x) / 256.0, f64::from(v.y) / 256.0, 0.0, 1.0]);
            }
            // To normalised device coordinates, so that `reference` can cut as the rasterizer does.
            for p in &mut polygon {
                *p = [p[0] / 320.0 - 1.0, 1.0 - p[1] / 240.0, 0.0, 1.0];
            }
            drawn += area(&reference(polygon, &SIDES));
        }
        // Half a subpixel along the perimeter of the viewport, and some rounding.
        prop_assert!((drawn - expected).abs() < 40.0, "{} for {}", drawn, expected);
    }

    /// A line does not move: both ends agree with their attributes.
    #[test]
    fn lines_agree_with_f64(a in point(), b in point()) {
        let setup = Setup { mode: PrimType::Lines, ..Setup::default() };
        let (sink, statistics) = draw(&setup, &[(a, [0.0; 4]), (b, [0.0; 4])]);
        prop_assert_eq!(statistics.c_primitives, sink.shapes.len() as u64);
        let d = |plane: &[f64; 4], p: &[f32; 4]| (0..4).map(|i| plane[i] * f64::from(p[i])).sum::<f64>();
        for plane in [NEAR_GL, FAR].iter().chain(&SIDES) {
            if d(plane, &a) < 0.0 && d(plane, &b) < 0.0 {
                prop_assert!(sink.shapes.is_empty());
            }
        }
        for v in sink.shapes.iter().flat_map(|s| &s.vertices) {
            let clip = v.outputs[1].map(f64::from);
            let (x, y) = window(&clip);
            let tolerance = 0.01 + 1e-5 * (x.abs() + y.abs()) / clip[3].min(1.0);
            prop_assert!((f64::from(v.x) / 256.0 - x).abs() < tolerance);
            prop_assert!((f64::from(v.y) / 256.0 - y).abs() < tolerance);
            prop_assert!(clip[2].abs() <= clip[3] * 1.001 + 1e-4);
        }
    }
}

/// A corner with each coordinate within the view volume or up to 30,000 times as far out, and w of
/// any size, also behind the eye.
fn far_corner() -> impl Strategy<Value = [f32; 4]> {
    let coordinate = || prop_oneof![2 => -2.0f32..2.0, 3 => -30_000.0f32..30_000.0];
    let w = prop_oneof![
        2 => Just(1.0f32),
        2 => 0.01f32..100.0,
        2 => -100.0f32..100.0,
        1 => (-2.0f32..4.0).prop_map(|exponent| 10f32.powf(exponent)),
    ];
    (coordinate(), coordinate(), coordinate(), w)
        .prop_map(|(x, y, z, w)| [x * w.abs(), y * w.abs(), z * w.abs(), w])
}

/// Returns which side of a directed line a point is on (positive on the right, y down), times the
/// line's length.
fn cross(a: (f64, f64), b: (f64, f64), p: (f64, f64)) -> f64 {
    (b.0 - a.0) * (p.1 - a.1) - (b.1 - a.1) * (p.0 - a.0)
}

/// Returns true if a convex polygon of either winding has `p` inside or on its outline.
fn contains(polygon: &[(f64, f64)], p: (f64, f64)) -> bool {
    let n = polygon.len();
    let sides = || (0..n).map(|i| cross(polygon[i], polygon[(i + 1) % n], p));
    n > 2 && (sides().all(|side| side >= 0.0) || sides().all(|side| side <= 0.0))
}

/// Returns the distance from `p` to a polygon's outline, in pixels.
fn distance(polygon: &[(f64, f64)], p: (f64, f64)) -> f64 {
    let n = polygon.len();
    let to_side = |i: usize| {
        let (a, b) = (polygon[i], polygon[(i + 1) % n]);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let along = ((p.0 - a.0) * dx + (p.1 - a.1) * dy) / (dx * dx + dy * dy);
        let t = if along.is_nan() { 0.0 } else { along.clamp(0.0, 1.0) };
        (a.0 + t * dx - p.0).hypot(a.1 + t * dy - p.1)
    };
    (0..n).map(to_side).fold(f64::INFINITY, f64::min)
}

/// Returns points of a square viewport of `size` pixels: a grid, and rows along a polygon's sides
/// at up to four pixels.
fn samples(polygon: &[(f64, f64)], size: f64) -> Vec<(f64, f64)> {
    let grid = (0..256).map(|i| (f64::from(i % 16) + 0.5, f64::from(i / 16) + 0.5));
    let mut points: Vec<_> = grid.map(|(x, y)| (x * size / 16.0, y * size / 16.0)).collect();
    for (i, a) in polygon.iter().enumerate() {
        let b = polygon[(i + 1) % polygon.len()];
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx.hypot(dy).max(1e-9);
        for (along, beside) in
            (1..16).flat_map(|k| [-4.0, -1.0, -0.3, 0.3, 1.0, 4.0].map(|d| (k, d)))
        {
            let (t, d) = (f64::from(along) / 16.0, beside / length);
            points.push((a.0 + t * dx - d * dy, a.1 + t * dy + d * dx));
        }
    }
    points.retain(|p| (0.0..=size).contains(&p.0) && (0.0..=size).contains(&p.1));
    points
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

    /// For corners at any distance, an edge within the viewport is less than a quarter of a pixel
    /// from its place in f64, apart from the precision of the corners.
    #[test]
    fn edges_to_far_corners_stay_in_place(corners in [far_corner(), far_corner(), far_corner()]) {
        let size = 2048;
        let setup = Setup { viewport: (size, size), ..Setup::default() };
        let (sink, _) = draw(&setup, &corners.map(|c| (c, [0.0; 4])));
        let drawn: Vec<Vec<_>> = sink
            .shapes
            .iter()
            .map(|s| s.vertices.iter().map(|v| (f64::from(v.x) / 256.0, f64::from(v.y) / 256.0)).collect())
            .collect();
        let planes = [&[NEAR_GL, FAR][..], &SIDES, &[[0.0, 0.0, 0.0, 1.0]]].concat();
        let expected = reference(corners.map(|c| c.map(f64::from)).to_vec(), &planes);
        let expected: Vec<_> = expected.iter().map(|p| window_of(setup.viewport, p)).collect();
        // A corner's place is an f32, so the step between two such places moves its edges.
        let place = |[x, y, _, w]: [f32; 4]| f64::from(x.abs().max(y.abs()) / w.abs());
        let farthest = corners.map(place).into_iter().fold(0.0, f64::max) * f64::from(size) / 2.0;
        let bound = 0.25 + farthest / f64::from(1 << f32::MANTISSA_DIGITS);
        for p in samples(&expected, f64::from(size)) {
            if drawn.iter().any(|triangle| contains(triangle, p)) != contains(&expected, p) {
                let off = distance(&expected, p);
                prop_assert!(off < bound, "{} pixels at {:?}", off, p);
            }
        }
    }
}

/// A triangle that extends beyond the largest target on all sides is drawn to its last column and
/// row: the guard band ends at the target's edge.
#[test]
fn the_guard_band_has_room_for_the_largest_target() {
    let setup = Setup { viewport: (1 << 14, 1 << 14), ..Setup::default() };
    let corners = [[-1.0, -3.0, 0.0, 1.0], [3.0, 1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0]];
    let (sink, _) = draw(&setup, &corners.map(|c| (c, [0.0; 4])));
    let end = f64::from(1 << 14);
    let covered = |p| {
        sink.shapes.iter().any(|shape| {
            let at = |v: &support::Vertex| (f64::from(v.x) / 256.0, f64::from(v.y) / 256.0);
            contains(&shape.vertices.iter().map(at).collect::<Vec<_>>(), p)
        })
    };
    for p in [(0.0, 0.0), (end, 0.0), (0.0, end), (end - 0.5, end - 0.5), (end, end / 2.0)] {
        assert!(covered(p), "{p:?}");
    }
}

/// z + w is 1 at the first two corners and -1 at the third: cuts are half way.
const CROSSING: [[f32; 4]; 3] =
    [[-0.5, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, 1.0], [0.0, 1.0, -4.0, 3.0]];

#[test]
fn perspective_and_linear_attributes_of_new_vertices() {
    let attributes = [0.0, 0.0, 8.0].map(|a| [a, 0.0, 0.0, 1.0]);
    let vertices = [0, 1, 2].map(|i| (CROSSING[i], attributes[i]));
    let linear = OutputModes { linear: 1 << 2, ..OutputModes::default() };
    // Half way in clip space: 4. There w is 2, and the third corner contributes 1.5 of it. So on
    // the screen the cut is 3/4 of the way to that corner: 6.
    for (modes, expected) in [(OutputModes::default(), 4.0), (linear, 6.0)] {
        let (sink, _) = draw(&Setup { modes, ..Setup::default() }, &vertices);
        let new: Vec<_> = sink.vertices.iter().filter(|v| v.outputs[2][0] != 0.0).collect();
        assert_eq!(new.len(), 2);
        for v in new {
            assert_eq!(v.outputs[2], [expected, 0.0, 0.0, 1.0]);
            assert_eq!(v.rcp_w, 0.5);
            assert_eq!(v.z, 0.0);
        }
    }
}

#[test]
fn flat_attributes_follow_the_provoking_vertex() {
    let attributes = [1.0, 2.0, 3.0].map(|a| [a; 4]);
    let vertices = [0, 1, 2].map(|i| (CROSSING[i], attributes[i]));
    let modes = OutputModes { flat: 1 << 2, ..OutputModes::default() };
    // With the provoking vertex clipped away (last), and still there (first).
    for (flatshade_first, expected) in [(false, 3.0), (true, 1.0)] {
        let rasterizer = RasterizerState { flatshade_first, ..RasterizerState::default() };
        let (sink, statistics) = draw(&Setup { modes, rasterizer, ..Setup::default() }, &vertices);
        assert_eq!(sink.shapes.len(), 2);
        assert_eq!((statistics.c_invocations, statistics.c_primitives), (1, 2));
        for shape in &sink.shapes {
            assert_eq!(shape.vertices[shape.provoking].outputs[2], [expected; 4]);
        }
    }
    // A line, cut at its provoking end.
    let line = [vertices[0], vertices[2]];
    for (flatshade_first, expected) in [(false, 3.0), (true, 1.0)] {
        let rasterizer = RasterizerState { flatshade_first, ..RasterizerState::default() };
        let mode = PrimType::Lines;
        let (sink, _) = draw(&Setup { modes, rasterizer, mode, ..Setup::default() }, &line);
        let shape = &sink.shapes[0];
        assert_eq!(shape.vertices[shape.provoking].outputs[2], [expected; 4]);
    }
}

#[test]
fn without_depth_clip_only_what_is_behind_the_eye_is_cut() {
    let rasterizer = RasterizerState {
        depth_clip_near: false,
        depth_clip_far: false,
        ..RasterizerState::default()
    };
    let (sink, statistics) =
        draw(&Setup { rasterizer, ..Setup::default() }, &CROSSING.map(|p| (p, [0.0; 4])));
    assert_eq!((statistics.c_primitives, sink.shapes.len()), (1, 1));
    // Depth is -4/3 * 0.5 + 0.5: beyond the range, so the rasterizer must clamp it.
    let depth = sink.vertices.iter().map(|v| v.z).fold(f32::INFINITY, f32::min);
    assert!((depth + 1.0 / 6.0).abs() < 1e-6, "{depth}");
    let behind = [[0.0, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, -1.0]];
    let (sink, _) = draw(&Setup { rasterizer, ..Setup::default() }, &behind.map(|p| (p, [0.0; 4])));
    assert!(!sink.shapes.is_empty());
    assert!(sink.vertices.iter().all(|v| v.rcp_w > 0.0 && v.y.abs() <= 1 << 22));
}

#[test]
fn w_zero_and_what_is_not_a_number_are_left_out() {
    let good = [[-0.5, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, 1.0]];
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for component in 0..4 {
            let mut corner = [0.0, 0.5, 0.0, 1.0];
            corner[component] = bad;
            let (sink, statistics) =
                draw(&Setup::default(), &[good[0], good[1], corner].map(|p| (p, [0.0; 4])));
            assert_eq!((sink.shapes.len(), statistics.c_primitives), (0, 0), "{corner:?}");
        }
    }
    let (sink, _) = draw(&Setup::default(), &[[0.0; 4]; 3].map(|p| (p, [0.0; 4])));
    assert!(sink.shapes.is_empty());
    let rasterizer = RasterizerState {
        depth_clip_near: false,
        depth_clip_far: false,
        ..RasterizerState::default()
    };
    let apex = [good[0], good[1], [0.0, 0.5, 0.0, 0.0]];
    let (sink, _) = draw(&Setup { rasterizer, ..Setup::default() }, &apex.map(|p| (p, [0.0; 4])));
    assert!(sink.vertices.iter().all(|v| v.rcp_w.is_finite() && v.rcp_w > 0.0));
}

#[test]
fn points_are_clipped_by_their_centre_unless_told_otherwise() {
    let points = [
        [0.0, 0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0, 1.0],
        [1.01, 0.0, 0.0, 1.0],
        [0.0, 0.0, 1.01, 1.0],
        [0.0, 0.0, 0.0, -1.0],
    ];
    for (point_tri_clip, expected) in [(false, 2), (true, 3)] {
        let rasterizer = RasterizerState { point_tri_clip, ..RasterizerState::default() };
        let mode = PrimType::Points;
        let (sink, _) =
            draw(&Setup { rasterizer, mode, ..Setup::default() }, &points.map(|p| (p, [0.0; 4])));
        assert_eq!(sink.shapes.len(), expected);
    }
}

#[test]
fn the_guard_band_cuts_what_would_not_fit() {
    let far_out = [[-1.0, -1.0, 0.0, 1.0], [1000.0, -1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0]];
    let limits = Limits { guard_band: 1024, ..Limits::SMALL };
    let (sink, statistics) =
        draw(&Setup { limits, ..Setup::default() }, &far_out.map(|p| (p, [0.0; 4])));
    assert_eq!(statistics.c_primitives, 2);
    assert!(sink.vertices.iter().all(|v| v.x <= 1024 << 8));
    // Beyond the viewport, but within the band: unchanged.
    let near_by = [[-1.0, -1.0, 0.0, 1.0], [2.0, -1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0]];
    let (sink, statistics) =
        draw(&Setup { limits, ..Setup::default() }, &near_by.map(|p| (p, [0.0; 4])));
    assert_eq!(statistics.c_primitives, 1);
    assert_eq!(sink.vertices[1].x, 960 << 8);
}

#[test]
fn clip_distances_go_before_planes_and_cull_distances_drop() {
    let text = "VERT
PROPERTY NUM_CLIPDIST_ENABLED 1
PROPERTY NUM_CULLDIST_ENABLED 1
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], CLIPDIST[0]
  0: MOV OUT[0], IN[0]
  1: MOV OUT[1].xy, IN[1]
  2: END
";
    let corners = [[-0.5, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]];
    let shapes = |enable: u8, distances: [[f32; 2]; 3]| {
        let rasterizer =
            RasterizerState { clip_plane_enable: enable, ..RasterizerState::default() };
        // This plane would drop everything, but the shader writes distances.
        let clip = ClipState { ucp: [[0.0, 0.0, 0.0, -1.0]; 8] };
        let setup = Setup { text, rasterizer, clip, ..Setup::default() };
        let vertices =
            [0, 1, 2].map(|i| (corners[i], [distances[i][0], distances[i][1], 0.0, 0.0]));
        draw(&setup, &vertices).0.shapes
    };
    assert_eq!(shapes(0b11, [[1.0, 1.0]; 3]).len(), 1);
    assert_eq!(shapes(0b01, [[-1.0, 1.0]; 3]).len(), 0);
    // Not enabled: no effect.
    assert_eq!(shapes(0b10, [[-1.0, 1.0]; 3]).len(), 1);
    // Cut half way along two edges; the new vertices' distance is 0.
    let cut = shapes(0b01, [[1.0, 1.0], [1.0, 1.0], [-1.0, 1.0]]);
    assert_eq!(cut.len(), 2);
    let top = cut.iter().flat_map(|s| &s.vertices).map(|v| v.y).min();
    assert_eq!(top, Some(120 << 8), "half way between the middle and the top");
    // Culled only if all three are outside; NaN counts as outside.
    assert_eq!(shapes(0, [[1.0, -1.0], [1.0, f32::NAN], [1.0, -0.5]]).len(), 0);
    assert_eq!(shapes(0, [[1.0, -1.0], [1.0, 0.0], [1.0, -0.5]]).len(), 1);
}

/// Without a count of clip distances, all components are cull distances, and user planes still
/// clip.
#[test]
fn cull_distances_alone_drop() {
    let text = "VERT
PROPERTY NUM_CULLDIST_ENABLED 2
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], CLIPDIST[0]
  0: MOV OUT[0], IN[0]
  1: MOV OUT[1].xy, IN[1]
  2: END
";
    let corners = [[-0.5, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, 1.0], [0.0, 0.5, 0.0, 1.0]];
    for (mode, count) in [(PrimType::Triangles, 3), (PrimType::Lines, 2), (PrimType::Points, 1)] {
        let shapes = |enable: u8, distances: [[f32; 2]; 3]| {
            let rasterizer =
                RasterizerState { clip_plane_enable: enable, ..RasterizerState::default() };
            // Plane 7 drops everything.
            let mut clip = ClipState::default();
            clip.ucp[7] = [0.0, 0.0, 0.0, -1.0];
            let setup = Setup { text, rasterizer, clip, mode, ..Setup::default() };
            let vertices: Vec<_> = (0..count)
                .map(|i| (corners[i], [distances[i][0], distances[i][1], 0.0, 0.0]))
                .collect();
            draw(&setup, &vertices).0.shapes.len()
        };
        for enable in [0, 0b11] {
            assert_eq!(shapes(enable, [[1.0, 1.0]; 3]), 1, "{mode:?}");
            assert_eq!(shapes(enable, [[-1.0, 1.0]; 3]), 0, "{mode:?}: the first distance");
            assert_eq!(shapes(enable, [[1.0, -0.5]; 3]), 0, "{mode:?}: the second distance");
        }
        assert_eq!(shapes(0x80, [[1.0, 1.0]; 3]), 0, "{mode:?}: user planes clip");
        if count > 1 {
            // Each distance is outside at some vertices, but not at all of them.
            assert_eq!(shapes(0, [[-1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]]), 1, "{mode:?}");
            assert_eq!(shapes(0, [[-1.0, 1.0], [0.0, 1.0], [-1.0, 1.0]]), 1, "{mode:?}");
        }
    }
}

#[test]
fn clip_planes_use_the_clip_vertex_and_can_be_prohibited() {
    let with = |property: &str, output: &str| {
        format!(
            "VERT\n{property}DCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], {output}\n  \
             0: MOV OUT[0], IN[0]\n  1: MOV OUT[1], IN[1]\n  2: END\n"
        )
    };
    let corners = [[-0.5, 0.0, 0.0, 1.0], [0.5, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]];
    let mut clip = ClipState::default();
    clip.ucp[0] = [1.0, 0.0, 0.0, 0.0];
    let rasterizer = RasterizerState { clip_plane_enable: 1, ..RasterizerState::default() };
    let count = |text: String, x: f32| {
        let setup = Setup { text: &text, rasterizer, clip, ..Setup::default() };
        draw(&setup, &corners.map(|c| (c, [x, 0.0, 0.0, 1.0]))).0.shapes.len()
    };
    assert_eq!(count(with("", "CLIPVERTEX"), 1.0), 1);
    assert_eq!(count(with("", "CLIPVERTEX"), -1.0), 0);
    // By position: cut through the middle, so a triangle is left.
    assert_eq!(count(with("", "GENERIC[0]"), -1.0), 1);
    assert_eq!(count(with("PROPERTY VS_PROHIBIT_UCPS 1\n", "CLIPVERTEX"), -1.0), 1);
}

#[test]
fn window_space_positions_go_straight_through() {
    let text = PASS.replacen("VERT\n", "VERT\nPROPERTY VS_WINDOW_SPACE_POSITION 1\n", 1);
    let corners = [[0.0, 0.0, 0.25, 1.0], [0.0, 700.0, 0.5, 0.5], [1000.5, 700.0, 5.0, 2.0]];
    let setup = Setup { text: &text, ..Setup::default() };
    let (sink, statistics) = draw(&setup, &corners.map(|p| (p, [0.0; 4])));
    assert_eq!(statistics.c_primitives, 1);
    let got: Vec<_> = sink.vertices.iter().map(|v| (v.x, v.y, v.z, v.rcp_w)).collect();
    let expected =
        [(0, 0, 0.25, 1.0), (0, 700 << 8, 0.5, 0.5), ((1000 << 8) + 128, 700 << 8, 5.0, 2.0)];
    assert_eq!(got, expected);
    assert_eq!(sink.shapes[0].front, Some(true), "down, then right: counter-clockwise as seen");
}
