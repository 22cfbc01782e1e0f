//! Results of queries in buffers, and conditions from buffers.

use crate::common::*;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::query::{PipelineStatistic, QueryType, QueryValueType};
use pipe_core::{Bind, Cap, MapFlags, PipeError, PrimType, ResourceTemplate, Screen as _};

in_all_profiles! {
    results_go_to_buffers
    great_results_saturate
    a_word_decides_what_is_drawn
}

fn cover<'m, P: Profile>(setup: &mut Setup<'_, 'm>, screen: &gallium_raster::Screen<'m, P>) {
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.upload(screen, &corners.map(|(x, y)| vertex(x, y, 0.0, RED))).unwrap();
}

fn results_go_to_buffers<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::QueryBufferObject), 1);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    cover(&mut setup, &screen);
    let buffer = screen.resource_create(&ResourceTemplate::buffer(64, Bind::QUERY_BUFFER)).unwrap();
    let samples = setup.context.create_query(QueryType::OcclusionCounter, 0).unwrap();
    let statistics = setup.context.create_query(QueryType::PipelineStatistics, 0).unwrap();
    for query in [samples, statistics] {
        setup.context.begin_query(query).unwrap();
    }
    let early = setup.context.get_query_result_resource(
        samples,
        true,
        QueryValueType::U32,
        Some(0),
        buffer,
        0,
    );
    assert!(early.is_err(), "it has not ended");
    setup.draw(PrimType::Triangles, 3).unwrap();
    for query in [samples, statistics] {
        setup.context.end_query(query).unwrap();
    }
    let mut put = |query, kind, index, offset| {
        setup.context.get_query_result_resource(query, true, kind, index, buffer, offset)
    };
    let vertices = Some(PipelineStatistic::IaVertices as u32);
    let primitives = Some(PipelineStatistic::IaPrimitives as u32);
    put(samples, QueryValueType::U32, Some(0), 4).unwrap();
    put(samples, QueryValueType::U64, Some(0), 8).unwrap();
    put(samples, QueryValueType::U32, None, 16).unwrap();
    put(statistics, QueryValueType::I32, vertices, 20).unwrap();
    put(statistics, QueryValueType::I64, primitives, 24).unwrap();
    assert!(matches!(
        put(samples, QueryValueType::U32, Some(1), 0),
        Err(PipeError::OutOfRange { .. })
    ));
    assert!(put(samples, QueryValueType::U64, Some(0), 60).is_err(), "it does not fit");
    // 16×16 pixels, 3 vertices, 1 triangle.
    let words = [0, 256, 256, 0, 1, 3, 1, 0];
    let bytes = setup.bytes(buffer, 32);
    assert_eq!(bytes, words.map(u32::to_le_bytes).concat());
}

/// Result types have a greatest value (OpenGL 4.6, 4.2.1: greater results are replaced by it).
fn great_results_saturate<P: Profile>() {
    for (kind, value, wanted) in [
        (QueryValueType::I32, 1 << 31, &[0xff, 0xff, 0xff, 0x7f][..]),
        (QueryValueType::U32, 1 << 31, &[0, 0, 0, 0x80]),
        (QueryValueType::U32, 1 << 32, &[0xff; 4]),
        (QueryValueType::I64, u64::MAX, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
        (QueryValueType::U64, u64::MAX, &[0xff; 8]),
    ] {
        let (bytes, size) = kind.bytes_of(value);
        assert_eq!(&bytes[..size], wanted, "{kind:?} {value}");
    }
    // A clock in nanoseconds since 1970 or since the start: it exceeds 31 bits, or is small.
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let buffer = screen.resource_create(&ResourceTemplate::buffer(8, Bind::QUERY_BUFFER)).unwrap();
    let time = setup.context.create_query(QueryType::Timestamp, 0).unwrap();
    setup.context.end_query(time).unwrap();
    let result = setup.context.get_query_result(time, true).unwrap().unwrap().as_u64();
    setup
        .context
        .get_query_result_resource(time, true, QueryValueType::U64, Some(0), buffer, 0)
        .unwrap();
    assert_eq!(setup.bytes(buffer, 8), result.to_le_bytes());
}

fn a_word_decides_what_is_drawn<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    cover(&mut setup, &screen);
    let buffer = screen.resource_create(&ResourceTemplate::buffer(8, Bind::QUERY_BUFFER)).unwrap();
    let refused = setup.context.render_condition_mem(buffer, 8, false);
    assert!(matches!(refused, Err(PipeError::RegionOutOfRange { .. })));
    assert!(setup.context.render_condition_mem(buffer, 2, false).is_err(), "no word begins there");
    for (word, condition, drawn) in
        [(0, false, false), (0, true, true), (7, false, true), (7, true, false)]
    {
        setup.context.render_condition(None, false, Default::default()).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        setup.context.render_condition_mem(buffer, 4, condition).unwrap();
        // The word is read when a draw comes, not when the condition is set.
        let bytes = u32::to_le_bytes(word);
        setup.context.buffer_subdata(buffer, MapFlags::WRITE, 4, &bytes).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        let wanted = if drawn { "r" } else { "." };
        assert_picture!(setup.text(), vec![wanted.repeat(16); 16], "{word} {condition}");
    }
    // The condition keeps the buffer alive.
    screen.resource_destroy(buffer).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    setup.context.render_condition(None, false, Default::default()).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_picture!(setup.text(), vec!["r".repeat(16); 16]);
}
