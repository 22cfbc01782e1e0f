//! Stream output, draws of streamed vertices, and indirect draws.

use crate::common::*;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, DrawIndirect, DrawInfo, IndexBuffer, MapFlags, PipeError, PrimType, QueryResult,
    QueryType, RasterizerState, Region, ResourceHandle, ResourceTemplate, Screen as _,
    ShaderSource, ShaderState,
};
use pipe_core::{StreamOutput, StreamOutputInfo};

in_all_profiles! {
    strips_become_lists_of_what_was_written
    what_does_not_fit_is_dropped_whole
    streamed_vertices_are_drawn
    buffers_say_what_to_draw
}

fn small() -> Options {
    Options { width: 8, height: 8, ..Options::default() }
}

/// Streams the colour's first two components to buffer 0 and the position to buffer 1.
const OUTPUTS: [StreamOutput; 2] = [
    StreamOutput {
        register_index: 1,
        start_component: 0,
        num_components: 2,
        output_buffer: 0,
        dst_offset: 1,
        stream: 0,
    },
    StreamOutput {
        register_index: 0,
        start_component: 0,
        num_components: 4,
        output_buffer: 1,
        dst_offset: 0,
        stream: 0,
    },
];

fn stream<'m>(setup: &mut Setup<'_, 'm>) {
    let stream_output = StreamOutputInfo { stride: [3, 4, 0, 0], outputs: &OUTPUTS };
    let state = ShaderState { source: ShaderSource::Text(PASS), stream_output };
    let shader = setup.context.create_vs_state(&state).unwrap();
    setup.context.bind_vs_state(Some(shader)).unwrap();
}

fn buffer<P: Profile>(
    screen: &gallium_raster::Screen<'_, P>,
    setup: &mut Setup<'_, '_>,
    words: u32,
) -> ResourceHandle {
    let bind = Bind::STREAM_OUTPUT | Bind::VERTEX_BUFFER;
    let buffer = screen.resource_create(&ResourceTemplate::buffer(4 * words, bind)).unwrap();
    let minus = vec![-1.0f32; words as usize];
    let bytes: &[u8] = bytemuck::cast_slice(&minus);
    setup.context.buffer_subdata(buffer, MapFlags::WRITE, 0, bytes).unwrap();
    buffer
}

fn floats(setup: &mut Setup<'_, '_>, buffer: ResourceHandle, words: u32) -> Vec<f32> {
    let region = Region::bytes(0, 4 * words);
    let map = setup.context.transfer_map(buffer, 0, MapFlags::READ, &region).unwrap();
    let bytes = setup.context.transfer_bytes(map.handle).unwrap().to_vec();
    setup.context.transfer_unmap(map.handle).unwrap();
    bytes.chunks(4).map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// Returns vertices with colours that count them.
fn counted(count: usize) -> Vec<Vertex> {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
    let at = |i: usize| {
        let [x, y] = corners[i % 4];
        vertex(x, y, 0.0, [i as f32, 0.5, 7.0, 1.0])
    };
    (0..count).map(at).collect()
}

fn strips_become_lists_of_what_was_written<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    stream(&mut setup);
    let discard = RasterizerState { rasterizer_discard: true, ..rasterizer() };
    setup.rasterizer(&discard).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let colors = buffer(&screen, &mut setup, 24);
    let positions = buffer(&screen, &mut setup, 28);
    let context = &mut setup.context;
    // Colours begin at byte 8 of their buffer.
    let first = context.create_stream_output_target(colors, 8, 88).unwrap();
    let second = context.create_stream_output_target(positions, 0, 112).unwrap();
    let targets = [Some(first), Some(second)];
    context.set_stream_output_targets(&targets, &[Some(0), Some(0)]).unwrap();
    let queries = [
        QueryType::PrimitivesEmitted,
        QueryType::PrimitivesGenerated,
        QueryType::SoStatistics,
        QueryType::SoOverflowPredicate,
    ]
    .map(|kind| context.create_query(kind, 0).unwrap());
    queries.iter().for_each(|query| context.begin_query(*query).unwrap());
    setup.upload(&screen, &counted(4)).unwrap();
    setup.draw(PrimType::TriangleStrip, 4).unwrap();
    let context = &mut setup.context;
    queries.iter().for_each(|query| context.end_query(*query).unwrap());
    let results = queries.map(|query| context.get_query_result(query, true).unwrap().unwrap());
    let statistics =
        QueryResult::SoStatistics { num_primitives_written: 2, primitives_storage_needed: 2 };
    assert_eq!(
        results,
        [QueryResult::U64(2), QueryResult::U64(2), statistics, QueryResult::Bool(false)]
    );
    assert_eq!(context.stream_output_target_offset(first), Ok(72));
    assert_eq!(context.stream_output_target_offset(second), Ok(96));
    context.set_stream_output_targets(&[], &[]).unwrap();
    // 0 1 2, then 2 1 3: the second triangle is reordered. The first word of a record is a gap.
    let got = floats(&mut setup, colors, 24);
    let record = |i: f32| [-1.0, i, 0.5];
    let wanted = [0.0, 1.0, 2.0, 2.0, 1.0, 3.0].map(record).concat();
    assert_eq!((&got[..2], &got[2..20], &got[20..]), (&[-1.0; 2][..], &wanted[..], &[-1.0; 4][..]));
    let got = floats(&mut setup, positions, 28);
    assert_eq!(got[8..16], [-1.0, 1.0, 0.0, 1.0, -1.0, 1.0, 0.0, 1.0]);
    assert_picture!(setup.text(), ["........"; 8], "nothing was drawn");
}

fn what_does_not_fit_is_dropped_whole<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    stream(&mut setup);
    let colors = buffer(&screen, &mut setup, 24);
    let positions = buffer(&screen, &mut setup, 40);
    let context = &mut setup.context;
    let first = context.create_stream_output_target(colors, 0, 96).unwrap();
    // Room for four vertices and a half.
    let second = context.create_stream_output_target(positions, 0, 72).unwrap();
    let targets = [Some(first), Some(second)];
    context.set_stream_output_targets(&targets, &[Some(0), Some(0)]).unwrap();
    let query = context.create_query(QueryType::SoStatistics, 0).unwrap();
    context.begin_query(query).unwrap();
    setup.upload(&screen, &counted(6)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    // After a pause, writing continues at the same place.
    setup.context.set_stream_output_targets(&[], &[]).unwrap();
    setup.draw(PrimType::Points, 1).unwrap();
    setup.context.set_stream_output_targets(&targets, &[None, None]).unwrap();
    setup.draw(PrimType::Points, 2).unwrap();
    let context = &mut setup.context;
    context.end_query(query).unwrap();
    // One of two triangles fits, one of two points; one point has no buffer.
    let statistics =
        QueryResult::SoStatistics { num_primitives_written: 2, primitives_storage_needed: 5 };
    assert_eq!(context.get_query_result(query, true), Ok(Some(statistics)));
    assert_eq!(context.stream_output_target_offset(second), Ok(64));
    let got = floats(&mut setup, positions, 40);
    assert_eq!(got[8..12], [-1.0, 1.0, 0.0, 1.0]);
    assert_eq!(got[12..16], [-1.0, -1.0, 0.0, 1.0]);
    assert_eq!(got[16..], [-1.0; 24]);
    // A target cannot begin beyond the buffer; a stale target is an error.
    let context = &mut setup.context;
    assert!(context.create_stream_output_target(colors, 92, 8).is_err());
    assert!(context.create_stream_output_target(colors, u32::MAX, 8).is_err());
    context.stream_output_target_destroy(first).unwrap();
    assert!(matches!(
        context.set_stream_output_targets(&[Some(first)], &[None]),
        Err(PipeError::StaleHandle { .. })
    ));
}

fn streamed_vertices_are_drawn<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    // Streams the whole vertex: position and colour.
    let output = |register: u8| StreamOutput {
        register_index: register,
        start_component: 0,
        num_components: 4,
        output_buffer: 0,
        dst_offset: 4 * u16::from(register),
        stream: 0,
    };
    let outputs = [output(0), output(1)];
    let stream_output = StreamOutputInfo { stride: [8, 0, 0, 0], outputs: &outputs };
    let state = ShaderState { source: ShaderSource::Text(PASS), stream_output };
    let shader = setup.context.create_vs_state(&state).unwrap();
    setup.context.bind_vs_state(Some(shader)).unwrap();
    let streamed = buffer(&screen, &mut setup, 64);
    let target = setup.context.create_stream_output_target(streamed, 0, 256).unwrap();
    setup.context.set_stream_output_targets(&[Some(target)], &[Some(0)]).unwrap();
    let corners =
        [vertex(-1.0, -1.0, 0.0, RED), vertex(3.0, -1.0, 0.0, RED), vertex(-1.0, 3.0, 0.0, RED)];
    setup.upload(&screen, &corners).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    setup.context.set_stream_output_targets(&[], &[]).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let binding = pipe_core::VertexBuffer { resource: streamed, stride: 32, buffer_offset: 0 };
    setup.context.set_vertex_buffers(0, &[Some(binding)]).unwrap();
    let indirect = DrawIndirect::StreamOutput(target);
    setup.context.draw_vbo(&DrawInfo::new(PrimType::Triangles), Some(&indirect), &[]).unwrap();
    assert_picture!(setup.text(), ["rrrrrrrr"; 8]);
    let statistics = setup.context.create_query(QueryType::PrimitivesGenerated, 0).unwrap();
    setup.context.begin_query(statistics).unwrap();
    setup.context.draw_vbo(&DrawInfo::new(PrimType::Points), Some(&indirect), &[]).unwrap();
    setup.context.end_query(statistics).unwrap();
    let result = setup.context.get_query_result(statistics, true).unwrap();
    assert_eq!(result, Some(QueryResult::U64(3)));
}

fn buffers_say_what_to_draw<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, small()).unwrap();
    let points: Vec<Vertex> = (0..8)
        .map(|i| vertex((i as f32 + 0.5) / 4.0 - 1.0, -0.875, 0.0, if i < 4 { RED } else { GREEN }))
        .collect();
    setup.upload(&screen, &points).unwrap();
    let arguments =
        screen.resource_create(&ResourceTemplate::buffer(64, Bind::COMMAND_ARGS_BUFFER)).unwrap();
    let words = [99u32, 2, 1, 1, 0, 77, 1, 1, 6, 0, 0, 1, 0, 0, 0, 2];
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    setup.context.buffer_subdata(arguments, MapFlags::WRITE, 0, bytes).unwrap();
    let indirect = |draw_count, counter| DrawIndirect::Buffer {
        buffer: arguments,
        offset: 4,
        stride: 20,
        draw_count,
        indirect_draw_count: counter,
    };
    let info = DrawInfo::new(PrimType::Points);
    let mut row = |indirect: &DrawIndirect, info: &DrawInfo<'_>| {
        setup.clear(BLACK, 1.0).unwrap();
        setup.context.draw_vbo(info, Some(indirect), &[]).unwrap();
        setup.text()[0].clone()
    };
    // Two from vertex 1 on, then one from 6 on; the third draw has no instances.
    assert_eq!(row(&indirect(1, None), &info), ".rr.....");
    assert_eq!(row(&indirect(u32::MAX, None), &info), ".rr...g.");
    // The last word counts 2, the first 99. The smaller of the count and the call's maximum is
    // drawn.
    assert_eq!(row(&indirect(5, Some((arguments, 60))), &info), ".rr...g.");
    assert_eq!(row(&indirect(1, Some((arguments, 0))), &info), ".rr.....");
    // Indexed: count 2, one instance, from index 1, nothing added: indices 5 and 7.
    let index = [0u8, 5, 7];
    let info = DrawInfo::indexed(PrimType::Points, IndexBuffer::user(&index, 1));
    assert_eq!(row(&indirect(1, None), &info), ".....g.g");
}
