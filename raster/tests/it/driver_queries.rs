//! The driver's own queries (manual, "get_driver_query_info"), counted by hand.

use crate::common::*;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::{Memory, Os, System};
use pipe_core::{
    Bind, DrawInfo, DrawStartCount, DriverQueryResultType, FlushFlags, PipeError, PrimType,
    QueryHandle, QueryResult, QueryType, ResourceTemplate, Screen as _,
};

in_all_profiles! {
    lists_and_groups_agree
    scenes_and_bins_are_counted
    each_part_of_a_draw_counts
    memory_is_told
}

/// Every driver query, running.
struct Running(Vec<(&'static str, QueryHandle)>);

impl Running {
    fn begin<P: Profile>(
        screen: &gallium_raster::Screen<'_, P>,
        setup: &mut Setup<'_, '_>,
    ) -> Running {
        let infos = screen.get_driver_query_info().iter().enumerate();
        let begun = infos.map(|(index, info)| {
            let query =
                setup.context.create_query(QueryType::DriverSpecific, index as u32).unwrap();
            setup.context.begin_query(query).unwrap();
            (info.name, query)
        });
        Running(begun.collect())
    }

    /// Ends all queries; returns the results of the named ones.
    fn end<const N: usize>(self, setup: &mut Setup<'_, '_>, names: [&str; N]) -> [u64; N] {
        for (_, query) in &self.0 {
            setup.context.end_query(*query).unwrap();
        }
        names.map(|name| {
            let (_, query) = self.0.iter().find(|(known, _)| *known == name).expect(name);
            match setup.context.get_query_result(*query, true) {
                Ok(Some(QueryResult::U64(value))) => value,
                other => panic!("{name}: {other:?}"),
            }
        })
    }
}

/// Returns options for two tiles side by side.
fn two_tiles<P: Profile>() -> Options {
    Options { width: 2 * P::TILE_WIDTH, height: P::TILE_HEIGHT, ..Options::default() }
}

/// Returns the corners of a rectangle from the left edge to `right`.
fn up_to(right: f32) -> [Vertex; 4] {
    [(-1.0, -1.0), (right, -1.0), (-1.0, 1.0), (right, 1.0)].map(|(x, y)| vertex(x, y, 0.0, RED))
}

const INDICES: [u16; 6] = [0, 1, 2, 2, 1, 3];
const WORK: [&str; 4] = ["draws", "scenes", "tiles", "bin-entries"];

fn lists_and_groups_agree<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, two_tiles::<P>()).unwrap();
    let infos = screen.get_driver_query_info();
    let groups = screen.get_driver_query_group_info();
    for (id, group) in groups.iter().enumerate() {
        let members = infos.iter().filter(|info| info.group_id as usize == id).count();
        assert_eq!(members, group.num_queries as usize, "{}", group.name);
    }
    let members: u32 = groups.iter().map(|group| group.num_queries).sum();
    assert_eq!(members as usize, infos.len(), "every query has a group");
    let next = setup.context.create_query(QueryType::DriverSpecific, infos.len() as u32);
    assert!(matches!(next, Err(PipeError::Unsupported(_))), "{next:?}");
}

fn scenes_and_bins_are_counted<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, two_tiles::<P>()).unwrap();
    setup.upload(&screen, &up_to(-0.5)).unwrap();
    // Drawn before the queries begin, so it is not counted.
    setup.draw_indexed(PrimType::Triangles, &INDICES).unwrap();

    let queries = Running::begin(&screen, &mut setup);
    // Driver queries go on while other queries are paused.
    setup.context.set_active_query_state(false);
    // Two triangles in the left tile.
    setup.draw_indexed(PrimType::Triangles, &INDICES).unwrap();
    setup.context.flush(FlushFlags::empty()).unwrap();
    // A flush without draws.
    setup.context.flush(FlushFlags::empty()).unwrap();
    // Two triangles that both reach both tiles, and a clear of both between the draws.
    setup.upload(&screen, &up_to(1.0)).unwrap();
    setup.draw_indexed(PrimType::Triangles, &INDICES).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.draw_indexed(PrimType::Triangles, &INDICES).unwrap();
    setup.context.set_active_query_state(true);
    // Three draws in two scenes; 1 + 2 tiles; 2 + (4 + 2 + 4) entries.
    assert_eq!(queries.end(&mut setup, WORK), [3, 2, 3, 12], "{}", P::NAME);

    // A query that begins again starts at 0.
    let queries = Running::begin(&screen, &mut setup);
    assert_eq!(queries.end(&mut setup, WORK), [0; 4]);
}

fn each_part_of_a_draw_counts<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, two_tiles::<P>()).unwrap();
    setup.upload(&screen, &up_to(-0.5)).unwrap();
    let queries = Running::begin(&screen, &mut setup);
    let parts = [3, 0, 3].map(DrawStartCount::count);
    setup.context.draw_vbo(&DrawInfo::new(PrimType::Triangles), None, &parts).unwrap();
    // The part without vertices counts as a draw, and bins nothing.
    assert_eq!(queries.end(&mut setup, WORK), [3, 1, 1, 2], "{}", P::NAME);
}

fn memory_is_told<P: Profile>() {
    let system = System::new();
    let os = Os { memory: Memory::new(&system), ..Os::host() };
    let screen = screen::<P>(os, 0);
    let mut setup = Setup::new(&screen, two_tiles::<P>()).unwrap();
    let names = ["resource-bytes", "memory-used"];
    let states = screen.get_driver_query_info().iter().filter(|info| names.contains(&info.name));
    assert!(states.clone().count() == 2);
    assert!({ states }.all(|info| info.result_type == DriverQueryResultType::Average));
    let mut told = || {
        let queries = Running::begin(&screen, &mut setup);
        queries.end(&mut setup, names)
    };
    // The colour buffer alone: two tiles of four bytes per pixel.
    let [resources, memory] = told();
    assert_eq!(resources, u64::from(2 * P::TILE_PIXELS * 4));
    assert!(memory >= resources);
    let buffer = screen.resource_create(&ResourceTemplate::buffer(1024, Bind::VERTEX_BUFFER));
    let [with_buffer, more_memory] = told();
    assert_eq!(with_buffer - resources, 1024);
    assert!(more_memory >= memory + 1024);
    screen.resource_destroy(buffer.unwrap()).unwrap();
    assert_eq!(told()[0], resources);
}

/// Grids are counted if they have blocks.
#[cfg(feature = "shader-memory")]
#[test]
fn launches_are_counted() {
    use pipe_core::{ComputeState, GridInfo, ShaderSource};
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let state = ComputeState {
        source: ShaderSource::Text("COMP\nEND"),
        static_shared_mem: 0,
        req_private_mem: 0,
        req_input_mem: 0,
    };
    let program = setup.context.create_compute_state(&state).unwrap();
    setup.context.bind_compute_state(Some(program)).unwrap();
    let queries = Running::begin(&screen, &mut setup);
    for grid in [[1, 1, 1], [2, 3, 1], [0, 1, 1]] {
        let info = GridInfo { block: [1; 3], grid, ..GridInfo::default() };
        setup.context.launch_grid(&info).unwrap();
    }
    assert_eq!(queries.end(&mut setup, ["compute-launches"]), [2]);
}
