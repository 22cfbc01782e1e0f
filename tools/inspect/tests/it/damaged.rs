//! Damaged and hostile recordings, and sessions that go back.

use std::time::Duration;

use formats::Format;
use gallium_inspect::answer::{At, state};
use gallium_inspect::picture::{Picture, Texel};
use gallium_inspect::{Inspector, Limits};

use crate::scene::{Stage, draws, inspector, recorded, whole};

fn two_draws(stage: &mut Stage<'_, '_>) {
    stage.draw(&whole(0.0, [1.0, 0.0, 0.0, 1.0]));
    stage.draw(&whole(0.0, [0.0, 1.0, 0.0, 1.0]));
}

#[test]
fn the_end_of_a_damaged_recording_is_explained() {
    let trace = recorded(Format::Z24UnormS8Uint, two_draws);
    let whole = inspector(trace).listing().count();
    let cut = inspector(&trace[..trace.len() - 1]);
    assert_eq!(cut.listing().count(), whole - 1);
    let end = cut.listing().end().expect("an end");
    assert!(end.starts_with(&format!("the recording ends within call {whole}")), "{end}");
    let error = |bytes: &'static [u8]| {
        Inspector::new(bytes, Limits::default()).err().expect("no recording").to_string()
    };
    assert_eq!(error(b"hello"), "this is no trace: it does not begin with GALTRACE");
    assert!(error(b"GALTRACE\x63").contains("version 99"), "{}", error(b"GALTRACE\x63"));
}

/// A generator of numbers.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % below.max(1)
    }
}

#[test]
fn mutated_recordings_give_errors_and_no_panics() {
    let trace = recorded(Format::Z24UnormS8Uint, two_draws);
    let limits = Limits { memory: 64 << 20, work: 1 << 26, ..Limits::default() };
    let mut random = Random(7);
    let mut played = 0;
    for _ in 0..400 {
        let mut bytes = trace.to_vec();
        for _ in 0..=random.next(3) {
            let at = random.next(bytes.len());
            bytes[at] = random.next(256) as u8;
        }
        let Ok(inspector) = Inspector::new(bytes.leak(), limits) else { continue };
        let listing = inspector.listing();
        let count = listing.count();
        if count == 0 {
            continue;
        }
        assert!(!listing.describe(1, count).expect("calls").is_empty());
        // A worker that panics answers with the error that it has ended.
        let answer = inspector.at(count, |session| Ok(state(session).call));
        match answer {
            Ok(_) => played += 1,
            Err(error) => {
                let error = format!("{error:#}");
                assert!(!error.contains("worker has ended"), "{error}");
            }
        }
    }
    assert!(played > 50, "{played} of 400 recordings play to their ends");
}

#[test]
fn sessions_go_back_and_snapshots_change_nothing() {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| {
        for green in 0..20 {
            stage.draw(&whole(0.0, [1.0, green as f32 / 255.0, 0.0, 1.0]));
        }
    });
    // A snapshot after every call.
    let limits = Limits { interval: Duration::ZERO, ..Limits::default() };
    let inspector = Inspector::new(trace, limits).expect("a recording");
    let calls = draws(&inspector);
    for round in [19, 3, 18, 0, 11, 10] {
        let value = inspector.at(calls[round], |session| {
            let place = At::default().place(session)?;
            Ok(Picture::read(session, place.resource, 0, 0)?.value(4, 4))
        });
        let expected = Texel::Float([1.0, round as f32 / 255.0, 0.0, 1.0]);
        assert_eq!(value.expect("a picture"), Some(expected), "after draw {round}");
    }
}
