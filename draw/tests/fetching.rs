//! Attributes and system values as the shader reads them.

mod support;

use formats::{Format, Layout};
use gallium_draw::{Draw, DrawState, IndexBytes, Limits, OutputModes, Pipeline, VertexBytes};
use os_shim::memory::Memory;
use pipe_core::{ClipState, PrimType, RasterizerState, VertexElement, ViewportState};
use support::{Recorder, program};
use tgsi::exec::NoResources;

/// Draws points at the origin; returns their only output, the second input.
fn attributes(
    text: &str,
    elements: &[VertexElement],
    buffers: &[VertexBytes<'_>],
    index: Option<IndexBytes<'_>>,
    draw: &Draw,
) -> Vec<[u32; 4]> {
    let compiled = program(text);
    let state = DrawState {
        program: &compiled.program(),
        rasterizer: &RasterizerState::default(),
        viewports: &[ViewportState::default()],
        clip: &ClipState::default(),
        elements,
        vertex_buffers: buffers,
        index,
        constants: &[],
        modes: OutputModes::default(),
        depth_step: Default::default(),
        stages: None,
    };
    let mut pipeline = Pipeline::<[u32; 4]>::new(Memory::system(), Limits::SMALL).expect("memory");
    let mut sink = Recorder::default();
    pipeline.run(&state, draw, &mut sink, &mut NoResources).expect("draws");
    sink.shapes.iter().map(|s| s.vertices[0].outputs[1].map(f32::to_bits)).collect()
}

/// The position is a constant, the generic output is input 0.
const SHOW: &str = "VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
IMM[0] FLT32 {    0.0000,     0.0000,     0.0000,     1.0000}
  0: MOV OUT[0], IMM[0]
  1: MOV OUT[1], IN[0]
  2: END
";

fn fetch(element: VertexElement, bytes: &[u8], stride: u32, draw: &Draw) -> Vec<[u32; 4]> {
    attributes(SHOW, &[element], &[VertexBytes { bytes, stride }], None, draw)
}

fn floats(values: [f32; 4]) -> [u32; 4] {
    values.map(f32::to_bits)
}

/// Every attribute format is decoded as in `formats`, at any address.
#[test]
fn every_plain_format() {
    let bytes: Vec<u8> = (0..256u32).map(|i| (i * 167 + 13) as u8).collect();
    let mut formats = 0;
    for &format in Format::ALL {
        let desc = format.desc();
        let plain = matches!(desc.layout, Layout::Plain | Layout::Packed(_));
        if !plain || desc.block.width != 1 || format.block_bytes() > 32 {
            continue;
        }
        formats += 1;
        let (offset, stride) = (3, 7);
        let element = VertexElement::per_vertex(offset, format);
        let got = fetch(element, &bytes, stride, &Draw::new(PrimType::Points, 9));
        for (i, got) in got.iter().enumerate() {
            let at = (offset + stride * i as u32) as usize;
            let expected = format.fetch_rgba_bits(&bytes[at..at + format.block_bytes()]);
            assert_eq!(*got, expected, "{format:?} of vertex {i}");
        }
        assert_eq!(got.len(), 9);
    }
    assert!(formats > 20);
}

#[test]
fn missing_components_are_0_0_0_1() {
    let bytes = 2.5f32.to_le_bytes();
    let draw = Draw::new(PrimType::Points, 1);
    let element = VertexElement::per_vertex(0, Format::R32Float);
    assert_eq!(fetch(element, &bytes, 4, &draw), [floats([2.5, 0.0, 0.0, 1.0])]);
    // Without any vertex element.
    assert_eq!(attributes(SHOW, &[], &[], None, &draw), [floats([0.0, 0.0, 0.0, 1.0])]);
}

#[test]
fn beyond_the_end_all_bytes_are_0() {
    let bytes = [255u8; 10];
    let draw = Draw::new(PrimType::Points, 4);
    // Vertices 0 and 1 are inside the buffer, its end cuts vertex 2, vertex 3 is beyond.
    let element = VertexElement::per_vertex(0, Format::R8G8B8A8Unorm);
    let expected = [[1.0; 4], [1.0; 4], [0.0; 4], [0.0; 4]].map(floats);
    assert_eq!(fetch(element, &bytes, 4, &draw), expected);
    // Components that the format lacks are still filled in.
    let element = VertexElement::per_vertex(0, Format::R32Float);
    let zero = floats([0.0, 0.0, 0.0, 1.0]);
    assert_eq!(fetch(element, &bytes, 4, &draw)[2..], [zero, zero]);
    let far = Draw { start: u32::MAX - 1, ..draw };
    assert_eq!(fetch(element, &bytes, u32::MAX, &far)[..1], [zero]);
    // The element's buffer is not bound.
    let nowhere = VertexElement { vertex_buffer_index: 7, ..element };
    assert_eq!(fetch(nowhere, &bytes, 4, &draw), [zero; 4]);
    let beyond = VertexElement { src_offset: u32::MAX, ..element };
    assert_eq!(fetch(beyond, &bytes, 4, &draw), [zero; 4]);
}

#[test]
fn a_stride_of_0_repeats() {
    let bytes: Vec<u8> = 7.0f32.to_le_bytes().to_vec();
    let element = VertexElement::per_vertex(0, Format::R32Float);
    let got = fetch(element, &bytes, 0, &Draw::new(PrimType::Points, 3));
    assert_eq!(got, [floats([7.0, 0.0, 0.0, 1.0]); 3]);
}

#[test]
fn divisors_step_by_instance() {
    let bytes: Vec<u8> = (0..8).collect();
    let draw = Draw { instance_count: 5, start_instance: 2, ..Draw::new(PrimType::Points, 2) };
    let instanced = |instance_divisor| {
        let element =
            VertexElement { instance_divisor, ..VertexElement::per_vertex(0, Format::R8Uint) };
        fetch(element, &bytes, 1, &draw).iter().map(|v| v[0]).collect::<Vec<_>>()
    };
    // start_instance + instance / divisor, for the two vertices of each of five instances.
    assert_eq!(instanced(1), [2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
    assert_eq!(instanced(2), [2, 2, 2, 2, 3, 3, 3, 3, 4, 4]);
    assert_eq!(instanced(9), [2; 10]);
    assert_eq!(instanced(0), [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
}

#[test]
fn system_values() {
    let text = |semantic: &str| {
        format!(
            "VERT\nDCL SV[0], {semantic}\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n\
             IMM[0] FLT32 {{    0.0000,     0.0000,     0.0000,     1.0000}}\n  \
             0: MOV OUT[0], IMM[0]\n  1: MOV OUT[1], SV[0].xxxx\n  2: END\n"
        )
    };
    let draw = Draw {
        start: 1,
        index_bias: 10,
        start_instance: 6,
        instance_count: 2,
        draw_id: 4,
        ..Draw::new(PrimType::Points, 2)
    };
    let index = IndexBytes { bytes: &[0, 5, 9], size: 1 };
    // With indices 5 and 9 biased by 10, and without an index buffer; two instances.
    let rows: [(&str, [u32; 4], [u32; 4]); 6] = [
        ("VERTEXID", [15, 19, 15, 19], [1, 2, 1, 2]),
        ("VERTEXID_NOBASE", [5, 9, 5, 9], [0, 1, 0, 1]),
        ("BASEVERTEX", [10; 4], [1; 4]),
        ("INSTANCEID", [0, 0, 1, 1], [0, 0, 1, 1]),
        ("BASEINSTANCE", [6; 4], [6; 4]),
        ("DRAWID", [4; 4], [4; 4]),
    ];
    for (semantic, indexed, plain) in rows {
        let read = |index| {
            let values = attributes(&text(semantic), &[], &[], index, &draw);
            values.iter().map(|v| v[0]).collect::<Vec<_>>()
        };
        assert_eq!(read(Some(index)), indexed, "{semantic}, indexed");
        assert_eq!(read(None), plain, "{semantic}");
    }
}

#[test]
fn a_negative_bias_wraps_out_of_the_buffer() {
    let draw = Draw { index_bias: -2, ..Draw::new(PrimType::Points, 2) };
    let bytes = [10, 11, 12, 13];
    let element = VertexElement::per_vertex(0, Format::R8Uint);
    let got = attributes(
        SHOW,
        &[element],
        &[VertexBytes { bytes: &bytes, stride: 1 }],
        Some(IndexBytes { bytes: &[3, 1], size: 1 }),
        &draw,
    );
    assert_eq!([got[0][0], got[1][0]], [11, 0]);
}

#[test]
fn vertex_colors_are_clamped_on_request() {
    let text = SHOW.replace("GENERIC[0]", "COLOR");
    let bytes = support::bytes(&[-1.0, 0.5, 2.0, f32::NAN]);
    let compiled = program(&text);
    let run = |clamp_vertex_color| {
        let state = DrawState {
            program: &compiled.program(),
            rasterizer: &RasterizerState { clamp_vertex_color, ..RasterizerState::default() },
            viewports: &[ViewportState::default()],
            clip: &ClipState::default(),
            elements: &[VertexElement::per_vertex(0, Format::R32G32B32A32Float)],
            vertex_buffers: &[VertexBytes { bytes: &bytes, stride: 16 }],
            index: None,
            constants: &[],
            modes: OutputModes::default(),
            depth_step: Default::default(),
            stages: None,
        };
        let mut sink = Recorder::default();
        Pipeline::<[u32; 4]>::new(Memory::system(), Limits::SMALL)
            .expect("memory")
            .run(&state, &Draw::new(PrimType::Points, 1), &mut sink, &mut NoResources)
            .expect("draws");
        sink.vertices[0].outputs[1]
    };
    assert_eq!(run(true), [0.0, 0.5, 1.0, 0.0]);
    assert_eq!(run(false)[..3], [-1.0, 0.5, 2.0]);
}
