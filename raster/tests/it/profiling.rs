//! `RASTER_PROFILE` and the flags `toss…` of `RASTER_DEBUG`.

use crate::common::*;
use gallium_raster::Host;
use os_shim::Os;
use os_shim::threads::Pool;
use pipe_core::query::PipelineStatistic;
use pipe_core::{PrimType, QueryResult, QueryType};

/// Options that live as long as a test.
struct Values<'a>(&'a [(&'a str, &'a str)]);

impl os_shim::options::Options for Values<'_> {
    fn with(&self, name: &str, read: &mut dyn FnMut(&str)) {
        self.0.iter().filter(|(known, _)| *known == name).for_each(|(_, value)| read(value));
    }
}

/// Draws a white triangle over the left half of a black target with options; returns the number of
/// white pixels and of vertices that were shaded.
fn draw(options: &[(&str, &str)]) -> (usize, u64) {
    let threads = Pool::new(2);
    let table = Values(options);
    let os = Os { threads: &threads, options: &table, ..Os::host() };
    let screen = screen::<Host>(os, 0);
    let size = Options { width: 200, height: 100, ..Options::default() };
    let mut setup = Setup::new(&screen, size).unwrap();
    setup.clear([0.0, 0.0, 0.0, 1.0], 1.0).unwrap();
    let corners = [[-1.0, -1.0], [-1.0, 3.0], [0.0, 1.0]];
    let vertices = corners.map(|[x, y]| vertex(x, y, 0.0, [1.0; 4]));
    setup.upload(&screen, &vertices).unwrap();
    let kind = QueryType::PipelineStatisticsSingle;
    let query = setup.context.create_query(kind, PipelineStatistic::VsInvocations as u32).unwrap();
    setup.context.begin_query(query).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    setup.context.end_query(query).unwrap();
    let pixels = setup.pixels().unwrap();
    let white = pixels.chunks(4).filter(|pixel| pixel.iter().all(|byte| *byte == 255)).count();
    let result = setup.context.get_query_result(query, true).unwrap().unwrap();
    let QueryResult::U64(shaded) = result else { panic!("{result:?}") };
    (white, shaded)
}

#[test]
fn flags_leave_out_parts_of_the_work() {
    let (all, shaded) = draw(&[]);
    assert!(all > 1000 && shaded == 3, "{all} pixels, {shaded} vertices");
    for (flag, shaded) in
        [("tossdraws", 0), ("tossprimitives", 3), ("tosstiles", 3), ("tossbatches", 3)]
    {
        let flags = format!("nospans,{flag}");
        assert_eq!(draw(&[("RASTER_DEBUG", &flags)]), (0, shaded), "{flag}");
    }
    assert_eq!(draw(&[("RASTER_DEBUG", "tossnothing")]), (all, 3), "an unknown flag");
}

#[test]
fn a_profile_has_each_draw_scene_and_tile() {
    let path = std::env::temp_dir().join(format!("profile-{}.json", std::process::id()));
    let (white, _) = draw(&[("RASTER_PROFILE", path.to_str().unwrap())]);
    assert!(white > 1000, "a profile changes no pixel");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let events = |name: &str| -> Vec<[f64; 2]> {
        let mark = format!("{{\"name\":\"{name}\",\"ph\":\"X\"");
        let number = |line: &str, member: &str| -> f64 {
            let (_, rest) = line.split_once(&format!("\"{member}\":")).unwrap();
            rest.split(',').next().unwrap().parse().unwrap()
        };
        let lines = text.lines().filter(|line| line.starts_with(&mark));
        lines.map(|line| [number(line, "ts"), number(line, "dur")]).collect()
    };
    let [draw] = events("draw")[..] else { panic!("one draw: {text}") };
    let scenes = events("scene");
    let [begin, took] = *scenes.last().unwrap_or_else(|| panic!("a scene: {text}"));
    assert!(draw[0] + draw[1] <= begin + 0.001, "the draw ends before its scene begins: {text}");
    // The triangle covers the left half, so at least one tile of each row of tiles is drawn.
    let tiles = events("tile");
    assert!(tiles.len() >= 2, "{text}");
    for [at, dur] in tiles {
        assert!(at + 0.001 >= begin && at + dur <= begin + took + 0.001, "tiles lie in the scene");
    }
}
