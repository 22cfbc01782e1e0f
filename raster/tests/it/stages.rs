//! Stages after the vertex shader, down to pixels: geometry shaders, tessellation, layers, streams.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::query::PipelineStatistic;
use pipe_core::{
    Bind, Cap, DrawInfo, DrawStartCount, FramebufferState, MapFlags, PipeError, PrimType,
    QueryResult, QueryType, Region, ResourceTemplate, Screen as _, ShaderSource, ShaderState,
    ShaderType, StreamOutput, StreamOutputInfo, SurfaceRange, SurfaceTemplate, TessState,
    TextureTarget,
};

in_all_profiles! {
    points_become_squares
    each_invocation_draws_to_its_layer
    patches_cover_their_quad
    large_patches_are_evaluated_in_parts
    points_of_a_patch_form_a_grid
    streams_are_written_and_counted_apart
    every_last_stage_culls_by_distance
    layers_relative_to_the_viewport_are_refused
}

fn options() -> Options {
    Options { width: 8, height: 8, ..Options::default() }
}

/// Converts a place in the 8 pixels of a row or column to a clip coordinate.
fn at(pixel: f32) -> f32 {
    pixel / 4.0 - 1.0
}

fn bind_stage(setup: &mut Setup<'_, '_>, stage: ShaderType, text: &str) {
    let shader = setup.context.create_shader_state(stage, &ShaderState::text(text)).unwrap();
    setup.context.bind_shader_state(stage, Some(shader)).unwrap();
}

/// Makes a square of two pixels per side from each point, its upper left corner.
const SQUARES: &str = "GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 4
DCL IN[][0], POSITION
DCL IN[][1], COLOR
DCL OUT[0], POSITION
DCL OUT[1], COLOR
IMM[0] FLT32 { 0.0, 0.5, 0.0, 0.0 }
IMM[1] UINT32 { 0, 0, 0, 0 }
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][1]
EMIT IMM[1].xxxx
ADD OUT[0], IN[0][0], IMM[0].yxxx
MOV OUT[1], IN[0][1]
EMIT IMM[1].xxxx
ADD OUT[0], IN[0][0], IMM[0].xyxx
MOV OUT[1], IN[0][1]
EMIT IMM[1].xxxx
ADD OUT[0], IN[0][0], IMM[0].yyxx
MOV OUT[1], IN[0][1]
EMIT IMM[1].xxxx
END";

fn points_become_squares<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options()).unwrap();
    bind_stage(&mut setup, ShaderType::Geometry, SQUARES);
    let points = [vertex(at(1.0), at(1.0), 0.0, RED), vertex(at(4.0), at(5.0), 0.0, GREEN)];
    setup.upload(&screen, &points).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let query = setup.context.create_query(QueryType::PipelineStatistics, 0).unwrap();
    setup.context.begin_query(query).unwrap();
    setup.draw(PrimType::Points, 2).unwrap();
    setup.context.end_query(query).unwrap();
    let wanted = [
        "........", ".rr.....", ".rr.....", "........", "........", "....gg..", "....gg..",
        "........",
    ];
    assert_picture!(setup.text(), wanted, "{}", P::NAME);
    // Two points: two invocations that each make two triangles; eight pixels.
    let counts = QueryResult::PipelineStatistics([2, 2, 2, 2, 4, 4, 4, 8, 0, 0, 0]);
    assert_eq!(setup.context.get_query_result(query, true), Ok(Some(counts)));
}

/// Draws its triangle three times, to layers 0, 1 and 2.
const LAYERS: &str = "GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
PROPERTY GS_INVOCATIONS 3
DCL IN[][0], POSITION
DCL IN[][1], COLOR
DCL SV[0], INVOCATIONID
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2].x, LAYER
DCL TEMP[0]
IMM[0] FLT32 { 0.0, 0.5, 0.0, 0.0 }
IMM[1] UINT32 { 0, 0, 0, 0 }
U2F TEMP[0].x, SV[0].xxxx
MUL TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
ADD OUT[0], IN[0][0], IMM[0].xxxx
MUL OUT[1], IN[0][1], TEMP[0].xxxx
MOV OUT[2].x, SV[0].xxxx
EMIT IMM[1].xxxx
ADD OUT[0], IN[1][0], IMM[0].xxxx
MUL OUT[1], IN[1][1], TEMP[0].xxxx
MOV OUT[2].x, SV[0].xxxx
EMIT IMM[1].xxxx
ADD OUT[0], IN[2][0], IMM[0].xxxx
MUL OUT[1], IN[2][1], TEMP[0].xxxx
MOV OUT[2].x, SV[0].xxxx
EMIT IMM[1].xxxx
END";

fn each_invocation_draws_to_its_layer<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options()).unwrap();
    bind_stage(&mut setup, ShaderType::Geometry, LAYERS);
    let format = Format::R8G8B8A8Unorm;
    let template = ResourceTemplate {
        target: TextureTarget::Texture2DArray,
        array_size: 3,
        ..ResourceTemplate::texture_2d(format, 8, 8, Bind::RENDER_TARGET)
    };
    let array = screen.resource_create(&template).unwrap();
    let range = SurfaceRange::Texture { level: 0, first_layer: 0, last_layer: 2 };
    let surface = setup
        .context
        .create_surface(array, &SurfaceTemplate { range, ..SurfaceTemplate::of(format) })
        .unwrap();
    let framebuffer = FramebufferState::single(8, 8, surface, None);
    setup.context.set_framebuffer_state(&framebuffer).unwrap();
    setup.clear([0.0, 1.0, 0.0, 1.0], 1.0).unwrap();
    let corners = [(0.0, 0.0), (8.0, 0.0), (0.0, 8.0)];
    setup.upload(&screen, &corners.map(|(x, y)| vertex(at(x), at(y), 0.0, RED))).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    let region = Region::whole(8, 8, 3);
    let map = setup.context.transfer_map(array, 0, MapFlags::READ, &region).unwrap();
    let bytes = setup.context.transfer_bytes(map.handle).unwrap().to_vec();
    for layer in 0..3usize {
        let pixel = |x: usize, y: usize| {
            let start = layer * map.layer_stride + y * map.stride + 4 * x;
            <[u8; 4]>::try_from(&bytes[start..start + 4]).unwrap()
        };
        // The invocation's number times a half: 0, 0.5, 1.
        let red = [0, 128, 255][layer];
        assert_eq!(pixel(1, 1), [red, 0, 0, red], "layer {layer} {}", P::NAME);
        assert_eq!(pixel(6, 6), [0, 255, 0, 255], "cleared in layer {layer} {}", P::NAME);
    }
    setup.context.transfer_unmap(map.handle).unwrap();
}

/// Returns the program of a bilinear patch of four corners, with the property appended.
fn bilinear(property: &str) -> String {
    format!(
        "TESS_EVAL
PROPERTY TES_PRIM_MODE 7
PROPERTY TES_SPACING 2
{property}
DCL IN[][0], POSITION
DCL IN[][1], COLOR
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL TEMP[0..1]
LRP TEMP[0], SV[0].xxxx, IN[1][0], IN[0][0]
LRP TEMP[1], SV[0].xxxx, IN[3][0], IN[2][0]
LRP OUT[0], SV[0].yyyy, TEMP[1], TEMP[0]
MOV OUT[1], IN[0][1]
END"
    )
}

fn draw_patch<P: Profile>(
    screen: &gallium_raster::Screen<'_, P>,
    shader: &str,
    corners: [f32; 4],
    levels: f32,
) -> (Vec<String>, QueryResult) {
    let mut setup = Setup::new(screen, options()).unwrap();
    bind_stage(&mut setup, ShaderType::TessEval, shader);
    let [left, top, right, bottom] = corners;
    let places = [(left, top), (right, top), (left, bottom), (right, bottom)];
    setup.upload(screen, &places.map(|(x, y)| vertex(at(x), at(y), 0.0, RED))).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let state = TessState { default_outer_level: [levels; 4], default_inner_level: [levels; 2] };
    setup.context.set_tess_state(&state);
    setup.context.set_patch_vertices(4).unwrap();
    let query = setup.context.create_query(QueryType::PipelineStatistics, 0).unwrap();
    setup.context.begin_query(query).unwrap();
    setup.draw(PrimType::Patches, 4).unwrap();
    setup.context.end_query(query).unwrap();
    let counts = setup.context.get_query_result(query, true).unwrap().unwrap();
    (setup.text(), counts)
}

fn patches_cover_their_quad<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let wanted = [
        "........", ".rrrrr..", ".rrrrr..", ".rrrrr..", ".rrrrr..", "........", "........",
        "........",
    ];
    for levels in [1u64, 2, 3, 7] {
        let (text, counts) =
            draw_patch(&screen, &bilinear(""), [1.0, 1.0, 6.0, 5.0], levels as f32);
        assert_eq!(text, wanted, "level {levels} {}", P::NAME);
        // A grid of n × n squares: (n + 1)² points, 2 n² triangles, over 20 pixels. There is no
        // control shader.
        let (points, triangles) = ((levels + 1).pow(2), 2 * levels.pow(2));
        let counted = [4, 1, 4, 0, 0, triangles, triangles, 20, 0, points, 0];
        assert_eq!(counts, QueryResult::PipelineStatistics(counted), "level {levels} {}", P::NAME);
    }
}

/// These patches have more points than a block. Points shared by two parts are evaluated twice, and
/// triangles and pixels are the same.
fn large_patches_are_evaluated_in_parts<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for levels in [20u64, 64] {
        let corners = [1.0, 1.0, 6.0, 5.0];
        let (text, counts) = draw_patch(&screen, &bilinear(""), corners, levels as f32);
        let red = text.iter().map(|row| row.matches('r').count()).collect::<Vec<_>>();
        assert_eq!(red, [0, 5, 5, 5, 5, 0, 0, 0], "level {levels} {}", P::NAME);
        let QueryResult::PipelineStatistics(counts) = counts else { panic!("{counts:?}") };
        let [vertices, patches, .., clipped, drawn, pixels, _, points, _] = counts;
        assert_eq!([vertices, patches, pixels], [4, 1, 20], "level {levels} {}", P::NAME);
        assert_eq!([clipped, drawn], [2 * levels.pow(2); 2], "level {levels} {}", P::NAME);
        let once = (levels + 1).pow(2);
        assert!((once..=3 * once).contains(&points), "{points} of {once} points {}", P::NAME);
    }
    // Each point is drawn once for any number of parts.
    let program = bilinear("PROPERTY TES_POINT_MODE 1");
    let (_, counts) = draw_patch(&screen, &program, [1.0, 1.0, 6.0, 5.0], 20.0);
    let QueryResult::PipelineStatistics(counts) = counts else { panic!("{counts:?}") };
    assert_eq!(counts[PipelineStatistic::CInvocations as usize], 21 * 21, "{}", P::NAME);
}

fn points_of_a_patch_form_a_grid<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let shader = bilinear("PROPERTY TES_POINT_MODE 1");
    let (text, _) = draw_patch(&screen, &shader, [1.5, 1.5, 5.5, 5.5], 2.0);
    let wanted = [
        "........", ".r.r.r..", "........", ".r.r.r..", "........", ".r.r.r..", "........",
        "........",
    ];
    assert_eq!(text, wanted, "{}", P::NAME);
}

/// Sends each point once to stream 0 and twice to stream 2.
const STREAMS: &str = "GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL IN[][1], COLOR
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], GENERIC[0], STREAM(2, 2, 2, 2)
IMM[0] UINT32 { 0, 2, 0, 0 }
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][1]
EMIT IMM[0].xxxx
MOV OUT[2], IN[0][1]
EMIT IMM[0].yyyy
ADD OUT[2], IN[0][1], IN[0][1]
EMIT IMM[0].yyyy
END";

fn streams_are_written_and_counted_apart<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options()).unwrap();
    let output = |register_index, output_buffer, stream| StreamOutput {
        register_index,
        start_component: 0,
        num_components: 1,
        output_buffer,
        dst_offset: 0,
        stream,
    };
    let outputs = [output(1, 0, 0), output(2, 1, 2)];
    let stream_output = StreamOutputInfo { stride: [1, 1, 0, 0], outputs: &outputs };
    let state = ShaderState { source: ShaderSource::Text(STREAMS), stream_output };
    let shader = setup.context.create_shader_state(ShaderType::Geometry, &state).unwrap();
    setup.context.bind_shader_state(ShaderType::Geometry, Some(shader)).unwrap();
    // Three words per buffer: stream 2 needs four, so it overflows.
    let buffers = [(); 2].map(|()| {
        let bind = Bind::STREAM_OUTPUT;
        screen.resource_create(&ResourceTemplate::buffer(12, bind)).unwrap()
    });
    let targets = buffers
        .map(|buffer| Some(setup.context.create_stream_output_target(buffer, 0, 12).unwrap()));
    setup.context.set_stream_output_targets(&targets, &[Some(0), Some(0)]).unwrap();
    let wanted = [
        (QueryType::PrimitivesGenerated, 0, QueryResult::U64(2)),
        (QueryType::PrimitivesGenerated, 1, QueryResult::U64(0)),
        (QueryType::PrimitivesGenerated, 2, QueryResult::U64(4)),
        (QueryType::PrimitivesEmitted, 0, QueryResult::U64(2)),
        (QueryType::PrimitivesEmitted, 2, QueryResult::U64(3)),
        (QueryType::SoOverflowPredicate, 0, QueryResult::Bool(false)),
        (QueryType::SoOverflowPredicate, 2, QueryResult::Bool(true)),
        (QueryType::SoOverflowAnyPredicate, 0, QueryResult::Bool(true)),
    ];
    let queries = wanted.map(|(kind, index, _)| setup.context.create_query(kind, index).unwrap());
    queries.iter().for_each(|query| setup.context.begin_query(*query).unwrap());
    let points = [[3.0, 0.0, 0.0, 1.0], [5.0, 0.0, 0.0, 1.0]];
    setup.upload(&screen, &points.map(|color| vertex(0.0, 0.0, 0.0, color))).unwrap();
    let info = DrawInfo::new(PrimType::Points);
    setup.context.draw_vbo(&info, None, &[DrawStartCount::count(2)]).unwrap();
    queries.iter().for_each(|query| setup.context.end_query(*query).unwrap());
    for (query, (kind, index, result)) in queries.iter().zip(wanted) {
        let got = setup.context.get_query_result(*query, true);
        assert_eq!(got, Ok(Some(result)), "{kind:?} {index} {}", P::NAME);
    }
    setup.context.set_stream_output_targets(&[], &[]).unwrap();
    let written = buffers.map(|buffer| {
        let map =
            setup.context.transfer_map(buffer, 0, MapFlags::READ, &Region::bytes(0, 12)).unwrap();
        let bytes = setup.context.transfer_bytes(map.handle).unwrap().to_vec();
        setup.context.transfer_unmap(map.handle).unwrap();
        bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect::<Vec<f32>>()
    });
    assert_eq!(written, [vec![3.0, 5.0, 0.0], vec![3.0, 6.0, 5.0]], "{}", P::NAME);
}

/// Cull distances without clip distances, from each stage that can be last before the rasterizer. A
/// primitive is culled if one of its distances is negative at all of its vertices (manual, TGSI,
/// `TGSI_SEMANTIC_CLIPDIST`). The distances are the colour's blue and alpha.
fn every_last_stage_culls_by_distance<P: Profile>() {
    const VERTEX: &str = "VERT
PROPERTY NUM_CULLDIST_ENABLED 2
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], CLIPDIST
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2].xy, IN[1].zwww
END";
    const GEOMETRY: &str = "GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
PROPERTY NUM_CULLDIST_ENABLED 2
DCL IN[][0], POSITION
DCL IN[][1], COLOR
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], CLIPDIST
IMM[0] UINT32 { 0, 0, 0, 0 }
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][1]
MOV OUT[2].xy, IN[0][1].zwww
EMIT IMM[0].xxxx
MOV OUT[0], IN[1][0]
MOV OUT[1], IN[1][1]
MOV OUT[2].xy, IN[1][1].zwww
EMIT IMM[0].xxxx
MOV OUT[0], IN[2][0]
MOV OUT[1], IN[2][1]
MOV OUT[2].xy, IN[2][1].zwww
EMIT IMM[0].xxxx
END";
    const EVALUATION: &str = "TESS_EVAL
PROPERTY TES_PRIM_MODE 4
PROPERTY TES_SPACING 2
PROPERTY NUM_CULLDIST_ENABLED 2
DCL IN[][0], POSITION
DCL IN[][1], COLOR
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], CLIPDIST
DCL TEMP[0..1]
MUL TEMP[0], SV[0].xxxx, IN[0][0]
MAD TEMP[0], SV[0].yyyy, IN[1][0], TEMP[0]
MAD OUT[0], SV[0].zzzz, IN[2][0], TEMP[0]
MUL TEMP[1], SV[0].xxxx, IN[0][1]
MAD TEMP[1], SV[0].yyyy, IN[1][1], TEMP[1]
MAD TEMP[1], SV[0].zzzz, IN[2][1], TEMP[1]
MOV OUT[1], TEMP[1]
MOV OUT[2].xy, TEMP[1].zwww
END";
    let screen = screen::<P>(Os::host(), 0);
    for stage in [ShaderType::Vertex, ShaderType::Geometry, ShaderType::TessEval] {
        let mut setup = Setup::new(&screen, options()).unwrap();
        let mut mode = PrimType::Triangles;
        match stage {
            ShaderType::Vertex => setup.shaders(VERTEX, COLOR).unwrap(),
            ShaderType::Geometry => bind_stage(&mut setup, stage, GEOMETRY),
            _ => {
                bind_stage(&mut setup, stage, EVALUATION);
                let one =
                    TessState { default_outer_level: [1.0; 4], default_inner_level: [1.0; 2] };
                setup.context.set_tess_state(&one);
                setup.context.set_patch_vertices(3).unwrap();
                mode = PrimType::Patches;
            }
        }
        for (distances, drawn) in [
            ([[1.0f32, 1.0]; 3], true),
            ([[-1.0, 1.0]; 3], false),
            ([[1.0, -0.5]; 3], false),
            ([[-1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]], true),
            ([[-1.0, 1.0], [-1.0, 1.0], [0.5, 1.0]], true),
        ] {
            let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
            let vertices: Vec<Vertex> = corners
                .into_iter()
                .zip(distances)
                .map(|((x, y), [a, b])| vertex(x, y, 0.0, [1.0, 0.0, a, b]))
                .collect();
            setup.upload(&screen, &vertices).unwrap();
            setup.clear(BLACK, 1.0).unwrap();
            setup.draw(mode, 3).unwrap();
            let pixels = setup.pixels().unwrap();
            let red = pixels.chunks(4).filter(|pixel| pixel[0] == 255).count();
            let wanted = if drawn { 64 } else { 0 };
            assert_eq!(red, wanted, "{stage:?} {distances:?} {}", P::NAME);
        }
    }
}

/// `Cap::ViewportMask`, which announces the property, is 0.
fn layers_relative_to_the_viewport_are_refused<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::ViewportMask), 0);
    let mut context = screen.context_create(Default::default()).unwrap();
    let relative = SQUARES.replacen("GEOM\n", "GEOM\nPROPERTY LAYER_VIEWPORT_RELATIVE 1\n", 1);
    let state = ShaderState::text(&relative);
    let error = context.create_shader_state(ShaderType::Geometry, &state).unwrap_err();
    assert_eq!(error, PipeError::Unsupported("LAYER_VIEWPORT_RELATIVE"));
}
