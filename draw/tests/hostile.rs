//! Hostile input: no state, shader, index or vertex makes the pipeline panic.

mod support;

use formats::Format;
use gallium_draw::{
    DepthStep, Draw, DrawState, IndexBytes, Limits, OutputModes, Pipeline, VertexBytes,
};
use os_shim::memory::Memory;
use pipe_core::{
    ClipState, Face, PolygonMode, PrimType, RasterizerState, VertexElement, ViewportState,
    ViewportSwizzle,
};
use proptest::prelude::*;
use support::{Recorder, program};
use tgsi::exec::NoResources;

const SHADERS: [&str; 4] = [
    support::PASS,
    "VERT
PROPERTY VS_WINDOW_SPACE_POSITION 1
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[3], COLOR
  0: MOV OUT[0], IN[0]
  1: MOV OUT[3], IN[1]
  2: END
",
    "VERT
PROPERTY NUM_CLIPDIST_ENABLED 3
PROPERTY NUM_CULLDIST_ENABLED 5
DCL IN[0]
DCL IN[1]
DCL OUT[0], CLIPDIST[0]
DCL OUT[1], CLIPDIST[1]
DCL OUT[2], POSITION
  0: MOV OUT[2], IN[0]
  1: MOV OUT[0], IN[1]
  2: MOV OUT[1], IN[1].wzyx
  3: END
",
    "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], BCOLOR
DCL OUT[3], EDGEFLAG
  0: MOV OUT[0], IN[0]
  1: MOV OUT[1], IN[1]
  2: MOV OUT[2], IN[1].wzyx
  3: MOV OUT[3], IN[1]
  4: END
",
];

fn any_float() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>().prop_map(f32::from_bits),
        -2.0f32..2.0,
        prop::sample::select(vec![
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::MAX,
            f32::MIN_POSITIVE,
            f32::INFINITY
        ]),
    ]
}

fn rasterizer() -> impl Strategy<Value = RasterizerState> {
    (any::<[bool; 8]>(), any::<u8>(), 0..4u32).prop_map(|(b, clip_plane_enable, face)| {
        RasterizerState {
            flatshade_first: b[0],
            depth_clip_near: b[1],
            depth_clip_far: b[2],
            clip_halfz: b[3],
            point_tri_clip: b[4],
            clamp_vertex_color: b[5],
            front_ccw: b[6],
            rasterizer_discard: b[7] && b[6],
            clip_plane_enable,
            cull_face: Face::from_number(face).expect("there are four"),
            ..RasterizerState::default()
        }
    })
}

/// Generates a rasterizer state with any effects: fill modes, offsets, stipple, two-sided colour.
fn effects() -> impl Strategy<Value = RasterizerState> {
    let wild = (any_float(), any_float(), any_float());
    let modes = (0..4u32, 0..4u32);
    (rasterizer(), any::<[bool; 6]>(), modes, any::<(u8, u16)>(), wild).prop_map(
        |(state, b, (front, back), (factor, pattern), (units, scale, clamp))| RasterizerState {
            light_twoside: b[0],
            offset_point: b[1],
            offset_line: b[2],
            offset_tri: b[3],
            line_stipple_enable: b[4],
            offset_units_unscaled: b[5],
            fill_front: PolygonMode::from_number(front).expect("there are four"),
            fill_back: PolygonMode::from_number(back).expect("there are four"),
            line_stipple_factor: factor,
            line_stipple_pattern: pattern,
            offset_units: units,
            offset_scale: scale,
            offset_clamp: clamp,
            ..state
        },
    )
}

fn viewport() -> impl Strategy<Value = ViewportState> {
    let triple = || [any_float(), any_float(), any_float()];
    let wild =
        (triple(), triple(), prop::array::uniform4(0..8u32)).prop_map(|(scale, translate, s)| {
            let swizzle = s.map(|s| ViewportSwizzle::from_number(s).expect("there are eight"));
            ViewportState { scale, translate, swizzle }
        });
    prop_oneof![Just(ViewportState::y_up(320, 240)), wild]
}

fn element() -> impl Strategy<Value = VertexElement> {
    let format = prop_oneof![
        3 => Just(Format::R32G32B32A32Float),
        1 => (0..Format::ALL.len()).prop_map(|i| Format::ALL[i]),
    ];
    let offset = prop_oneof![0u32..64, any::<u32>()];
    let divisor = prop_oneof![3 => Just(0), 1 => 1u32..4];
    (offset, 0u8..3, format, divisor).prop_map(
        |(src_offset, vertex_buffer_index, src_format, instance_divisor)| VertexElement {
            src_offset,
            vertex_buffer_index,
            src_format,
            instance_divisor,
            dual_slot: false,
        },
    )
}

fn any_draw() -> impl Strategy<Value = Draw> {
    let small = |n: u32| prop_oneof![3 => 0..n, 1 => any::<u32>()];
    (
        0..15u32,
        small(8),
        0..300u32,
        prop_oneof![Just(0), any::<i32>()],
        small(4),
        0..3u32,
        prop::option::of(small(16)),
    )
        .prop_map(
            |(mode, start, count, index_bias, start_instance, instance_count, restart)| Draw {
                mode: PrimType::from_number(mode).expect("there are fifteen"),
                start,
                count,
                index_bias,
                start_instance,
                instance_count,
                restart_index: restart,
                draw_id: 0,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_draw_panics(
        shader in 0..SHADERS.len(),
        rasterizer in prop_oneof![rasterizer(), effects()],
        viewport in viewport(),
        planes in any::<[[u32; 4]; 8]>(),
        elements in prop::collection::vec(element(), 0..3),
        values in prop::collection::vec(any_float(), 0..400),
        cut in 0usize..4,
        strides in prop::array::uniform2(prop_oneof![Just(16u32), 0..40u32, any::<u32>()]),
        indices in prop::option::of((prop::collection::vec(any::<u8>(), 0..400), 0u8..5)),
        draw in any_draw(),
        (segment_vertices, guard_band) in (any::<u16>().prop_map(|n| n % 80), any::<u32>()),
        (flat, linear) in any::<(u64, u64)>(),
        room in prop::option::of(2usize..12),
    ) {
        let compiled = program(SHADERS[shader]);
        let bytes = support::bytes(&values);
        let bytes = &bytes[..bytes.len().saturating_sub(cut)];
        let [first, second] = strides.map(|stride| VertexBytes { bytes, stride });
        let state = DrawState {
            program: &compiled.program(),
            rasterizer: &rasterizer,
            viewports: &[viewport],
            clip: &ClipState { ucp: planes.map(|p| p.map(f32::from_bits)) },
            elements: &elements,
            vertex_buffers: &[first, second],
            index: indices.as_ref().map(|(bytes, size)| IndexBytes { bytes, size: *size }),
            constants: &[],
            modes: OutputModes { flat, linear },
            depth_step: DepthStep::Fixed(1.0 / 65536.0),
            stages: None,
        };
        let limits = Limits { segment_vertices, guard_band };
        let mut pipeline = Pipeline::<[u32; 4]>::new(Memory::system(), limits).expect("memory");
        let mut sink = Recorder { room, ..Recorder::default() };
        let limit = (guard_band.clamp(2, 1 << 14) << 8) as i32;
        // Errors may be returned (an invalid attribute format, patches, no room).
        let result = pipeline.run(&state, &draw, &mut sink, &mut NoResources);
        // Outlines and stippled lines have more pieces than primitives.
        let pieces = rasterizer.line_stipple_enable
            || rasterizer.fill_front != PolygonMode::Fill
            || rasterizer.fill_back != PolygonMode::Fill;
        if let (Ok(statistics), false) = (result, pieces) {
            prop_assert!(statistics.c_primitives >= sink.shapes.len() as u64);
        }
        for shape in &sink.shapes {
            for v in &shape.vertices {
                prop_assert!(v.x.abs() <= limit && v.y.abs() <= limit, "{:?}", v);
                prop_assert!(shader == 1 || v.rcp_w > 0.0 && v.rcp_w.is_finite(), "{:?}", v);
            }
        }
    }
}
