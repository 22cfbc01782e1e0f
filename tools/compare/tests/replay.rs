//! Traces play to the same pictures with every profile and number of threads.

use std::sync::Mutex;

use gallium_compare::frames;
use gallium_compare::render::render;
use gallium_compare::replay::{Driver, Limits, Play, beside, pictures};
use gallium_compare::scene::Scene;
use os_shim::Memory;
use pipe_core::wrap::record::RecordScreen;

/// Records a random scene drawn with the host's profile.
fn recorded(seed: u64) -> &'static [u8] {
    let bytes = Mutex::new(Vec::new());
    let sink = |call: &[u8]| bytes.lock().expect("no panic").extend_from_slice(call);
    let driver = Driver::Host.stage(1, Limits::NONE).screen;
    let scene = Scene::random(seed, &*driver);
    // A refused scene is a trace, too: it ends with the refusal.
    let _ = render(&RecordScreen::new(&*driver, &sink, Memory::system()), &scene);
    bytes.into_inner().expect("no panic").leak()
}

fn play(trace: &'static [u8], driver: Driver, threads: usize) -> Play<'static> {
    Play { trace, driver, threads, pictures: None, text: false, limits: Limits::DEFAULT }
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

#[test]
fn a_board_s_frames_are_compared_with_the_host_s() {
    let trace = recorded(1);
    let mut host = frames::play(trace, Driver::Small).expect("a whole trace");
    // Tiles come in another order, which must not change the picture.
    let tiny = frames::play(trace, Driver::Tiny).expect("a whole trace");
    let (difference, alike) = frames::compare(&tiny, &host).expect("whole frames");
    assert_eq!((difference, alike > 0), (None, true));
    // The last byte of the last row is followed by a record for the frame's end and one for the
    // end.
    let size = host.len();
    host[size - 11] ^= 1;
    let (difference, _) = frames::compare(&tiny, &host).expect("whole frames");
    let difference = difference.expect("a byte differs");
    assert!(difference.contains("they differ at ("), "{difference}");
    let cut = frames::compare(&host[..size - 5], &tiny).expect_err("no end");
    assert_eq!(cut.to_string(), "the board did not play the trace to its end");
    for size in [1, 5, 12] {
        assert!(frames::compare(&host[..size], &tiny).is_err(), "{size} bytes");
    }
    let refused = b"X\x07\0\0\0\x03\0\0\0whyZ\x07\0\0\0";
    let (difference, _) = frames::compare(refused, b"Z\x07\0\0\0").expect("whole frames");
    let wanted = "call 7: the board alone refuses call 7, why";
    assert_eq!(difference.as_deref(), Some(wanted));
}

#[test]
fn a_trace_takes_no_more_than_its_limits() {
    let trace = recorded(1);
    let within = |limits| {
        let play = Play { limits, ..play(trace, Driver::Host, 1) };
        match play.run(None) {
            Ok(difference) => difference.map(|difference| difference.to_string()),
            Err(error) => Some(format!("{error:#}")),
        }
    };
    assert_eq!(within(Limits::DEFAULT), None);
    for limits in
        [Limits { work: 1, ..Limits::DEFAULT }, Limits { memory: 1 << 20, ..Limits::DEFAULT }]
    {
        let refused = within(limits).expect("it is refused");
        assert!(refused.contains("--unlimited"), "{refused}");
    }
}
