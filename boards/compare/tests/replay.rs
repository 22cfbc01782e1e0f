//! Traces play to the same pictures on every profile and number of threads.

use std::sync::Mutex;

use gallium_compare::render::render;
use gallium_compare::replay::{Driver, Play, beside, pictures};
use gallium_compare::scene::Scene;
use os_shim::Memory;
use pipe_core::wrap::record::RecordScreen;

/// Records a random scene, drawn by the host's profile.
fn recorded(seed: u64) -> &'static [u8] {
    let bytes = Mutex::new(Vec::new());
    let sink = |call: &[u8]| bytes.lock().expect("no panic").extend_from_slice(call);
    let driver = Driver::Host.screen(1);
    let scene = Scene::random(seed, &*driver);
    // A refused scene is a trace too: it ends with the refusal.
    let _ = render(&RecordScreen::new(&*driver, &sink, Memory::system()), &scene);
    bytes.into_inner().expect("no panic").leak()
}

fn play(trace: &'static [u8], driver: Driver, threads: usize) -> Play<'static> {
    Play { trace, driver, threads, pictures: None, text: false }
}

#[test]
fn every_profile_shows_the_traced_pictures() {
    let mut shown = 0;
    for seed in 1..=12 {
        let trace = recorded(seed);
        shown += pictures(trace).expect("a whole trace").len();
        for (driver, threads) in
            [(Driver::Host, 1), (Driver::Host, 3), (Driver::Small, 1), (Driver::Tiny, 2)]
        {
            let difference = play(trace, driver, threads).run(None).expect("a whole trace");
            assert_eq!(difference, None, "seed {seed} on {driver:?}, {threads} threads");
        }
    }
    assert!(shown >= 8, "most scenes are drawn: {shown}");
}

#[test]
fn the_first_call_that_differs_is_named() {
    let (trace, other) = (recorded(1), recorded(2));
    let others = pictures(other).expect("a whole trace");
    let found = play(trace, Driver::Host, 1).run(Some(&others)).expect("a whole trace");
    let found = found.expect("another scene has other pictures");
    assert_eq!(found.call.name, "flush");
    assert!(found.to_string().contains("the other trace has"), "{found}");
}

#[test]
fn drivers_are_compared_draw_by_draw() {
    let trace = recorded(1);
    let alike = beside(&play(trace, Driver::Host, 1), Driver::Tiny, 0).expect("a whole trace");
    assert_eq!(alike, None);
}
