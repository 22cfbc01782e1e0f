//! Geometry shaders: the primitives they read and the strips they make, streams, layers and
//! viewports.
#![cfg(feature = "geometry-shaders")]

mod support;

use formats::Format;
use gallium_draw::{
    Draw, DrawError, DrawState, IndexBytes, Limits, OutputModes, Pipeline, PrimitiveSink,
    SinkError, Stage, Stages, Statistics, Triangle, VertexBytes, VertexId, WindowVertex,
};
use os_shim::memory::Memory;
use pipe_core::{ClipState, PrimType, RasterizerState, VertexElement, ViewportState};
use support::{PASS, Recorder, bytes, program};
use tgsi::exec::NoResources;

/// A sink that records its calls, in order.
#[derive(Default)]
struct Notes {
    recorder: Recorder,
    /// Stream and the generic's x of each vertex of a primitive.
    captured: Vec<(u8, Vec<u32>)>,
    /// Layer and viewport of each primitive.
    selected: Vec<(u32, u32)>,
    current: (u32, u32),
}

impl PrimitiveSink for Notes {
    type Error = <Recorder as PrimitiveSink>::Error;
    type Extent = <Recorder as PrimitiveSink>::Extent;

    fn captures(&self) -> bool {
        true
    }

    fn capture(&mut self, stream: u8, vertices: &[&[[f32; 4]]]) {
        let numbers = vertices.iter().map(|outputs| outputs[1][0] as u32);
        self.captured.push((stream, numbers.collect()));
    }

    fn select(&mut self, layer: u32, viewport: u32) {
        self.current = (layer, viewport);
    }

    fn extent(&self, corners: [[i32; 2]; 3]) -> Option<Self::Extent> {
        self.recorder.extent(corners)
    }

    fn vertex(&mut self, vertex: &WindowVertex<'_>) -> Result<VertexId, SinkError<Self::Error>> {
        self.recorder.vertex(vertex)
    }

    fn point(&mut self, v: VertexId, p: VertexId, f: bool) -> Result<(), SinkError<Self::Error>> {
        self.selected.push(self.current);
        self.recorder.point(v, p, f)
    }

    fn line(
        &mut self,
        v: [VertexId; 2],
        p: VertexId,
        f: bool,
    ) -> Result<(), SinkError<Self::Error>> {
        self.selected.push(self.current);
        self.recorder.line(v, p, f)
    }

    fn triangle(
        &mut self,
        extent: Self::Extent,
        triangle: Triangle,
    ) -> Result<(), SinkError<Self::Error>> {
        self.selected.push(self.current);
        self.recorder.triangle(extent, triangle)
    }
}

/// A draw of `count` vertices with a geometry shader; vertex i has the generic (i, 0, 0, 1).
struct Case<'a> {
    shader: &'a str,
    mode: PrimType,
    indices: Option<&'a [u8]>,
    count: u32,
    instances: u32,
    segment: u16,
}

impl<'a> Case<'a> {
    fn new(shader: &'a str, mode: PrimType, count: u32) -> Case<'a> {
        Case { shader, mode, indices: None, count, instances: 1, segment: 64 }
    }

    fn run(&self) -> Result<(Notes, Statistics), DrawError<support::Stop>> {
        let vertex = program(PASS);
        let geometry = program(self.shader);
        let (vertex, geometry) = (vertex.program(), geometry.program());
        // A parabola, so that no three vertices are collinear.
        let data: Vec<f32> = (0..256u32)
            .flat_map(|i| {
                let x = i as f32 / 256.0;
                [x, x * x, 0.0, 1.0, i as f32, 0.0, 0.0, 1.0]
            })
            .collect();
        let data = bytes(&data);
        let element = |offset| VertexElement {
            src_offset: offset,
            ..VertexElement::per_vertex(0, Format::R32G32B32A32Float)
        };
        let stage = Stage { program: &geometry, constants: &[] };
        let stages = Stages { geometry: Some(stage), ..Stages::default() };
        let viewports = [0, 1].map(|n| ViewportState {
            scale: [100.0, 100.0, 1.0],
            translate: [100.0 * n as f32, 0.0, 0.0],
            ..ViewportState::default()
        });
        let state = DrawState {
            program: &vertex,
            rasterizer: &RasterizerState::default(),
            viewports: &viewports,
            clip: &ClipState::default(),
            elements: &[element(0), element(16)],
            vertex_buffers: &[VertexBytes { bytes: &data, stride: 32 }],
            index: self.indices.map(|bytes| IndexBytes { bytes, size: 1 }),
            constants: &[],
            modes: OutputModes::default(),
            depth_step: Default::default(),
            stages: Some(&stages),
        };
        let limits = Limits { segment_vertices: self.segment, ..Limits::SMALL };
        let mut pipeline = Pipeline::<[u32; 4]>::new(Memory::system(), limits).expect("memory");
        let draw = Draw {
            restart_index: self.indices.map(|_| 255),
            instance_count: self.instances,
            ..Draw::new(self.mode, self.count)
        };
        let mut notes = Notes::default();
        let counts = pipeline.run(&state, &draw, &mut notes, &mut NoResources)?;
        Ok((notes, counts))
    }

    /// Returns the vertex numbers of each captured primitive.
    fn numbers(&self) -> Vec<Vec<u32>> {
        let (notes, _) = self.run().expect("the draw runs");
        notes.captured.into_iter().map(|(_, numbers)| numbers).collect()
    }
}

/// Returns a shader that emits the `n` vertices of its primitive as one strip.
fn pass(input: &str, output: &str, n: usize) -> String {
    let mut text = format!(
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE {input}\nPROPERTY GS_OUTPUT_PRIMITIVE {output}\n\
         PROPERTY GS_MAX_OUTPUT_VERTICES {n}\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[0]\n\
         DCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nIMM[0] UINT32 {{0, 0, 0, 0}}\n"
    );
    for vertex in 0..n {
        text += &format!(
            "MOV OUT[0], IN[{vertex}][0]\nMOV OUT[1], IN[{vertex}][1]\nEMIT IMM[0].xxxx\n"
        );
    }
    text + "END\n"
}

#[test]
fn each_primitive_is_read_in_order() {
    let triangles = pass("TRIANGLES", "TRIANGLE_STRIP", 3);
    // OpenGL 4.6 table 10.1: the odd triangles of a strip are turned.
    let strip = [vec![0, 1, 2], vec![2, 1, 3], vec![2, 3, 4]];
    assert_eq!(Case::new(&triangles, PrimType::TriangleStrip, 5).numbers(), strip);
    assert_eq!(Case::new(&triangles, PrimType::Triangles, 7).numbers(), [[0, 1, 2], [3, 4, 5]]);
    let lines = pass("LINES", "LINE_STRIP", 2);
    let closed = [[0, 1], [1, 2], [2, 0]];
    assert_eq!(Case::new(&lines, PrimType::LineLoop, 3).numbers(), closed);
    let points = pass("POINTS", "POINTS", 1);
    assert_eq!(Case::new(&points, PrimType::Points, 3).numbers(), [[0], [1], [2]]);
}

#[test]
fn neighbours_are_read_and_restarts_part_strips() {
    // A line strip of all six vertices shows their order.
    let six = pass("TRIANGLES_ADJACENCY", "LINE_STRIP", 6);
    let order = |list: Vec<Vec<u32>>| -> Vec<Vec<u32>> {
        list.chunks(5)
            .map(|lines| lines.iter().map(|l| l[0]).chain([lines[4][1]]).collect())
            .collect()
    };
    let strip = order(Case::new(&six, PrimType::TriangleStripAdjacency, 8).numbers());
    assert_eq!(strip, [[0, 1, 2, 6, 4, 3], [4, 0, 2, 5, 6, 7]]);
    let indices = [0, 1, 2, 3, 4, 5, 255, 10, 11, 12, 13, 14, 15];
    let parted = Case {
        indices: Some(&indices),
        ..Case::new(&six, PrimType::TriangleStripAdjacency, indices.len() as u32)
    };
    assert_eq!(order(parted.numbers()), [[0, 1, 2, 5, 4, 3], [10, 11, 12, 15, 14, 13]]);
}

#[test]
fn blocks_of_any_size_give_the_same_primitives() {
    let triangles = pass("TRIANGLES", "TRIANGLE_STRIP", 3);
    let large = Case::new(&triangles, PrimType::TriangleStrip, 200);
    let expected = large.numbers();
    assert_eq!(expected.len(), 198);
    for segment in [3, 4, 5, 17] {
        assert_eq!(Case { segment, ..large }.numbers(), expected, "{segment}");
    }
}

#[test]
fn vertices_beyond_the_maximum_are_dropped_and_strips_end_where_told() {
    let text = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE LINE_STRIP\n\
        PROPERTY GS_MAX_OUTPUT_VERTICES 5\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[0]\n\
        DCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n\
        IMM[1] FLT32 {0.0, 1.0, 2.0, 3.0}\nIMM[2] FLT32 {4.0, 5.0, 6.0, 7.0}\nMOV OUT[0], IN[0][0]\n\
        MOV OUT[1], IMM[1].xxxx\nEMIT IMM[0].xxxx\nENDPRIM IMM[0].xxxx\n\
        MOV OUT[1], IMM[1].yyyy\nEMIT IMM[0].xxxx\nMOV OUT[1], IMM[1].zzzz\nEMIT IMM[0].xxxx\nENDPRIM IMM[0].xxxx\n\
        MOV OUT[1], IMM[1].wwww\nEMIT IMM[0].xxxx\nMOV OUT[1], IMM[2].xxxx\nEMIT IMM[0].xxxx\n\
        MOV OUT[1], IMM[2].yyyy\nEMIT IMM[0].xxxx\nEND\n";
    // The strip of 0 alone is not a line; the sixth vertex, 5, exceeds the maximum.
    assert_eq!(Case::new(text, PrimType::Points, 2).numbers(), [[1, 2], [3, 4], [1, 2], [3, 4]]);
}

#[test]
fn invocations_and_numbers_come_in_order() {
    let text = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n\
        PROPERTY GS_MAX_OUTPUT_VERTICES 1\nPROPERTY GS_INVOCATIONS 3\nDCL IN[][0], POSITION\n\
        DCL SV[0], INVOCATIONID\nDCL SV[1], PRIMID\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL TEMP[0]\n\
        IMM[0] UINT32 {0, 10, 0, 0}\nMOV OUT[0], IN[0][0]\nUMAD TEMP[0].x, SV[1].xxxx, IMM[0].yyyy, SV[0].xxxx\n\
        U2F OUT[1].x, TEMP[0].xxxx\nEMIT IMM[0].xxxx\nEND\n";
    let numbers: Vec<u32> =
        (0..9).flat_map(|primitive| (0..3).map(move |i| 10 * primitive + i)).collect();
    let case = Case { instances: 2, segment: 4, ..Case::new(text, PrimType::Points, 9) };
    let (notes, counts) = case.run().unwrap();
    // Each instance counts its primitives from 0.
    let expected: Vec<_> = numbers.iter().chain(&numbers).map(|n| (0, vec![*n])).collect();
    assert_eq!(notes.captured, expected);
    assert_eq!((counts.stages.gs_invocations, counts.stages.gs_primitives), (54, 54));
}

#[test]
fn streams_are_told_apart_and_only_the_first_is_drawn() {
    let text = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n\
        PROPERTY GS_MAX_OUTPUT_VERTICES 3\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[0]\n\
        DCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nIMM[0] UINT32 {0, 1, 3, 0}\n\
        MOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][1]\nEMIT IMM[0].zzzz\nMOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][1]\nEMIT IMM[0].xxxx\n\
        MOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][1]\nEMIT IMM[0].yyyy\nEND\n";
    let (notes, counts) = Case::new(text, PrimType::Points, 2).run().unwrap();
    let of = |stream| notes.captured.iter().filter(move |(of, _)| *of == stream).map(|(_, n)| n[0]);
    for stream in [0, 1, 3] {
        assert!(of(stream).eq([0, 1]), "stream {stream}");
    }
    assert_eq!(of(2).count(), 0);
    assert_eq!(notes.recorder.shapes.len(), 2);
    assert_eq!((counts.primitives, counts.stages.other_streams), (2, [2, 0, 2]));
}

#[test]
fn the_provoking_vertex_chooses_layer_and_viewport() {
    let text = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n\
        PROPERTY GS_MAX_OUTPUT_VERTICES 1\nDCL IN[][0], POSITION\nDCL IN[][1], GENERIC[0]\nDCL SV[0], PRIMID\n\
        DCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL OUT[2], LAYER\nDCL OUT[3], VIEWPORT_INDEX\n\
        IMM[0] UINT32 {0, 5, 1, 0}\nMOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][1]\nUADD OUT[2].x, SV[0].xxxx, IMM[0].yyyy\n\
        AND OUT[3].x, SV[0].xxxx, IMM[0].zzzz\nEMIT IMM[0].xxxx\nEND\n";
    let (notes, _) = Case::new(text, PrimType::Points, 4).run().unwrap();
    assert_eq!(notes.selected, [(5, 0), (6, 1), (7, 0), (8, 1)]);
    for (i, shape) in notes.recorder.shapes.iter().enumerate() {
        // 100 pixels per unit, and viewport 1 begins 100 pixels to the right.
        let x = 100.0 * i as f32 / 256.0 + if i % 2 == 1 { 100.0 } else { 0.0 };
        assert_eq!(shape.vertices[0].x, (x * 256.0) as i32, "point {i}");
    }
}

#[test]
fn a_shader_that_reads_other_primitives_is_refused() {
    let triangles = pass("TRIANGLES", "TRIANGLE_STRIP", 3);
    for mode in [PrimType::Points, PrimType::Lines, PrimType::LinesAdjacency] {
        let result = Case::new(&triangles, mode, 8).run();
        assert_eq!(result.err(), Some(DrawError::GeometryInput), "{mode:?}");
    }
}
