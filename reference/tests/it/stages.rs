//! Stages after the vertex shader, layers, viewports and streams.

use pipe_core::Screen as _;
use pipe_core::query::{QueryResult, QueryType};
use pipe_core::*;

use crate::bench::{Bench, SIZE, WHITE, screen, vertex};

/// Turns each point into a square of one pixel; the point is its upper left corner.
const SQUARES: &str = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\n\
    PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\nPROPERTY GS_MAX_OUTPUT_VERTICES 4\n\
    DCL IN[][0], POSITION\nDCL IN[][1], COLOR\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\n\
    IMM[0] FLT32 { 0.0, 0.5, 0.0, 0.0 }\nIMM[1] UINT32 { 0, 0, 0, 0 }\n\
    MOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][1]\nEMIT IMM[1].xxxx\n\
    ADD OUT[0], IN[0][0], IMM[0].yxxx\nMOV OUT[1], IN[0][1]\nEMIT IMM[1].xxxx\n\
    ADD OUT[0], IN[0][0], IMM[0].xyxx\nMOV OUT[1], IN[0][1]\nEMIT IMM[1].xxxx\n\
    ADD OUT[0], IN[0][0], IMM[0].yyxx\nMOV OUT[1], IN[0][1]\nEMIT IMM[1].xxxx\nEND";

#[test]
fn a_geometry_shader_makes_squares_of_points() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    bench.stage(ShaderType::Geometry, SQUARES);
    let query = bench.context.create_query(QueryType::PipelineStatistics, 0).unwrap();
    bench.context.begin_query(query).unwrap();
    bench.draw(PrimType::Points, &[vertex(1.0, 1.0, 0.5, WHITE), vertex(2.0, 3.0, 0.5, WHITE)]);
    bench.context.end_query(query).unwrap();
    #[rustfmt::skip]
    assert_eq!(bench.picture(), [
        0, 0, 0, 0,
        0, 255, 0, 0,
        0, 0, 0, 0,
        0, 0, 255, 0,
    ]);
    let counts = QueryResult::PipelineStatistics([2, 2, 2, 2, 4, 4, 4, 2, 0, 0, 0]);
    assert_eq!(bench.context.get_query_result(query, true), Ok(Some(counts)));
}

/// Sends the triangle of invocation i to layer i and viewport i.
const LAYERS: &str = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\n\
    PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\nPROPERTY GS_MAX_OUTPUT_VERTICES 3\n\
    PROPERTY GS_INVOCATIONS 2\nDCL IN[][0], POSITION\nDCL IN[][1], COLOR\n\
    DCL SV[0], INVOCATIONID\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2].x, LAYER\n\
    DCL OUT[3].x, VIEWPORT_INDEX\nIMM[0] UINT32 { 0, 0, 0, 0 }\n\
    MOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][1]\nMOV OUT[2].x, SV[0].xxxx\n\
    MOV OUT[3].x, SV[0].xxxx\nEMIT IMM[0].xxxx\n\
    MOV OUT[0], IN[1][0]\nMOV OUT[1], IN[1][1]\nMOV OUT[2].x, SV[0].xxxx\n\
    MOV OUT[3].x, SV[0].xxxx\nEMIT IMM[0].xxxx\n\
    MOV OUT[0], IN[2][0]\nMOV OUT[1], IN[2][1]\nMOV OUT[2].x, SV[0].xxxx\n\
    MOV OUT[3].x, SV[0].xxxx\nEMIT IMM[0].xxxx\nEND";

#[test]
fn primitives_choose_their_layer_and_viewport() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    bench.stage(ShaderType::Geometry, LAYERS);
    let template = ResourceTemplate {
        target: TextureTarget::Texture2DArray,
        array_size: 2,
        ..ResourceTemplate::texture_2d(Format::R8Unorm, SIZE, SIZE, Bind::RENDER_TARGET)
    };
    let array = screen.resource_create(&template).unwrap();
    let range = SurfaceRange::Texture { level: 0, first_layer: 0, last_layer: 1 };
    let surface = SurfaceTemplate { range, ..SurfaceTemplate::of(Format::R8Unorm) };
    let surface = bench.context.create_surface(array, &surface).unwrap();
    let framebuffer = FramebufferState::single(4, 4, surface, None);
    bench.context.set_framebuffer_state(&framebuffer).unwrap();
    let color = ColorUnion::float([0.2; 4]);
    bench.context.clear(ClearFlags::COLOR, None, &color, 0.0, 0).unwrap();
    // Viewport 1 is the right half; scissor 1 leaves its lower row out.
    let mut right = ViewportState::y_down(SIZE, SIZE);
    (right.scale[0], right.translate[0]) = (1.0, 3.0);
    bench.context.set_viewport_states(1, &[right]).unwrap();
    let scissor = ScissorState { maxy: 3, ..ScissorState::default() };
    bench.context.set_scissor_states(1, &[scissor]).unwrap();
    bench.rasterizer(&RasterizerState { scissor: true, ..RasterizerState::default() });
    let corners = [(0.0, 0.0), (8.0, 0.0), (0.0, 8.0)];
    bench.draw(PrimType::Triangles, &corners.map(|(x, y)| vertex(x, y, 0.5, WHITE)));
    let bytes = bench.read_box(array, &Region::whole(SIZE, SIZE, 2));
    assert_eq!(bytes[..16], [255; 16]);
    #[rustfmt::skip]
    assert_eq!(bytes[16..], [
        51, 51, 255, 255,
        51, 51, 255, 255,
        51, 51, 255, 255,
        51, 51, 51, 51,
    ]);
}

/// A bilinear patch of four corners.
const BILINEAR: &str = "TESS_EVAL\nPROPERTY TES_PRIM_MODE 7\nPROPERTY TES_SPACING 2\n\
    DCL IN[][0], POSITION\nDCL IN[][1], COLOR\nDCL SV[0], TESSCOORD\nDCL OUT[0], POSITION\n\
    DCL OUT[1], COLOR\nDCL TEMP[0..1]\nLRP TEMP[0], SV[0].xxxx, IN[1][0], IN[0][0]\n\
    LRP TEMP[1], SV[0].xxxx, IN[3][0], IN[2][0]\nLRP OUT[0], SV[0].yyyy, TEMP[1], TEMP[0]\n\
    MOV OUT[1], IN[0][1]\nEND";

#[test]
fn a_patch_covers_its_quad() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    bench.stage(ShaderType::TessEval, BILINEAR);
    bench.context.set_patch_vertices(4).unwrap();
    let levels = TessState { default_outer_level: [3.0; 4], default_inner_level: [3.0; 2] };
    bench.context.set_tess_state(&levels);
    let corners = [(1.0, 1.0), (4.0, 1.0), (1.0, 3.0), (4.0, 3.0)];
    bench.draw(PrimType::Patches, &corners.map(|(x, y)| vertex(x, y, 0.5, WHITE)));
    #[rustfmt::skip]
    assert_eq!(bench.picture(), [
        0, 0, 0, 0,
        0, 255, 255, 255,
        0, 255, 255, 255,
        0, 0, 0, 0,
    ]);
}

/// Emits each point's x to stream 0, and its y to stream 1 twice.
const STREAMS: &str = "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\n\
    PROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY GS_MAX_OUTPUT_VERTICES 3\n\
    DCL IN[][0], POSITION\nDCL IN[][1], COLOR\nDCL OUT[0], GENERIC[0]\nDCL OUT[1], GENERIC[1]\n\
    IMM[0] UINT32 { 0, 1, 0, 0 }\n\
    MOV OUT[0], IN[0][1].xxxx\nEMIT IMM[0].xxxx\n\
    MOV OUT[1], IN[0][1].yyyy\nEMIT IMM[0].yyyy\nMOV OUT[1], IN[0][1].yyyy\nEMIT IMM[0].yyyy\nEND";

#[test]
fn streams_are_written_and_counted_apart() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    let output = |register_index, output_buffer, stream| StreamOutput {
        register_index,
        num_components: 1,
        output_buffer,
        stream,
        ..StreamOutput::default()
    };
    let stream_output =
        StreamOutputInfo { stride: [1, 1, 0, 0], outputs: &[output(0, 0, 0), output(1, 1, 1)] };
    let state = ShaderState { source: ShaderSource::Text(STREAMS), stream_output };
    let shader = bench.context.create_shader_state(ShaderType::Geometry, &state).unwrap();
    bench.context.bind_shader_state(ShaderType::Geometry, Some(shader)).unwrap();
    bench.rasterizer(&RasterizerState { rasterizer_discard: true, ..RasterizerState::default() });
    let buffers = [bench.buffer(&[9; 4]), bench.buffer(&[9; 4])];
    let targets = buffers
        .map(|buffer| Some(bench.context.create_stream_output_target(buffer, 0, 12).unwrap()));
    bench.context.set_stream_output_targets(&targets, &[Some(0); 2]).unwrap();
    let query = bench.context.create_query(QueryType::SoOverflowPredicate, 1).unwrap();
    bench.context.begin_query(query).unwrap();
    let color = |x: f32, y: f32| vertex(1.0, 1.0, 0.5, [x, y, 0.0, 1.0]);
    bench.draw(PrimType::Points, &[color(1.0, 2.0), color(3.0, 4.0)]);
    bench.context.end_query(query).unwrap();
    let words = |values: [f32; 3]| {
        let [a, b, c] = values.map(f32::to_bits);
        vec![a, b, c, 9]
    };
    let mut first = words([1.0, 3.0, 0.0]);
    first[2] = 9;
    assert_eq!(bench.words(buffers[0]), first);
    // The fourth point of stream 1 has no room.
    assert_eq!(bench.words(buffers[1]), words([2.0, 2.0, 4.0]));
    let overflowed = bench.context.get_query_result(query, true);
    assert_eq!(overflowed, Ok(Some(QueryResult::Bool(true))));
}
