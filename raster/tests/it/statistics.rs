//! Pipeline statistics, and framebuffers without attachments.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::query::PipelineStatistic;
use pipe_core::{
    CompareFunc, DepthStencilAlphaState, FramebufferState, PrimType, QueryHandle, QueryResult,
    QueryType,
};

in_all_profiles! {
    each_stage_is_counted
    hidden_pixels_are_no_invocations
    framebuffers_need_no_attachments
}

/// Returns the corners of the left half of the target, at one depth.
fn half(depth: f32) -> [Vertex; 4] {
    [(-1.0, -1.0), (0.0, -1.0), (-1.0, 1.0), (0.0, 1.0)].map(|(x, y)| vertex(x, y, depth, RED))
}

/// Two triangles over the four corners.
const INDICES: [u16; 6] = [0, 1, 2, 2, 1, 3];

fn options(depth: Option<Format>) -> Options {
    Options { width: 8, height: 8, depth, ..Options::default() }
}

fn counted(
    setup: &mut Setup<'_, '_>,
    kind: QueryType,
    index: u32,
    draw: impl FnOnce(&mut Setup<'_, '_>),
) -> QueryResult {
    let query: QueryHandle = setup.context.create_query(kind, index).unwrap();
    setup.context.begin_query(query).unwrap();
    draw(setup);
    setup.context.end_query(query).unwrap();
    setup.context.get_query_result(query, true).unwrap().unwrap()
}

fn each_stage_is_counted<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options(None)).unwrap();
    setup.upload(&screen, &half(0.0)).unwrap();
    let mut draw = |kind, index| {
        counted(&mut setup, kind, index, |setup| {
            setup.clear(BLACK, 1.0).unwrap();
            setup.draw_indexed(PrimType::Triangles, &INDICES).unwrap();
        })
    };
    // Six indices, two triangles, four vertices shaded once each, 4 × 8 pixels.
    let all = [6, 2, 4, 0, 0, 2, 2, 32, 0, 0, 0];
    let whole = draw(QueryType::PipelineStatistics, 0);
    assert_eq!(whole, QueryResult::PipelineStatistics(all), "{}", P::NAME);
    for (statistic, count) in PipelineStatistic::ALL.iter().zip(all) {
        let single = draw(QueryType::PipelineStatisticsSingle, *statistic as u32);
        assert_eq!(single, QueryResult::U64(count), "{statistic:?} {}", P::NAME);
    }
}

fn hidden_pixels_are_no_invocations<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options(Some(Format::Z16Unorm))).unwrap();
    let nearer = DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func: CompareFunc::Less,
        ..DepthStencilAlphaState::default()
    };
    setup.depth_test(&nearer).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let single = QueryType::PipelineStatisticsSingle;
    let invocations = PipelineStatistic::PsInvocations as u32;
    let mut draw = |depth| {
        setup.upload(&screen, &half(depth)).unwrap();
        counted(&mut setup, single, invocations, |setup| {
            setup.draw_indexed(PrimType::Triangles, &INDICES).unwrap();
        })
    };
    assert_eq!(draw(0.0), QueryResult::U64(32));
    assert_eq!(draw(0.5), QueryResult::U64(0), "behind");
    assert_eq!(draw(-0.5), QueryResult::U64(32), "in front");
}

/// OpenGL 4.6, section 9.2.1: the framebuffer's width and height limit the drawn area, and queries
/// count it.
fn framebuffers_need_no_attachments<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options(None)).unwrap();
    setup.upload(&screen, &half(0.0)).unwrap();
    let state = FramebufferState { width: 8, height: 6, layers: 1, ..FramebufferState::default() };
    setup.context.set_framebuffer_state(&state).unwrap();
    let passed = counted(&mut setup, QueryType::OcclusionCounter, 0, |setup| {
        setup.draw_indexed(PrimType::Triangles, &INDICES).unwrap();
    });
    assert_eq!(passed, QueryResult::U64(4 * 6));
    let shaded = counted(&mut setup, QueryType::PipelineStatisticsSingle, 7, |setup| {
        setup.draw_indexed(PrimType::Triangles, &INDICES).unwrap();
    });
    assert_eq!(shaded, QueryResult::U64(4 * 6));
}
