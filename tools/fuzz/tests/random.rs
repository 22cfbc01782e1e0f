//! Random inputs, the same every time, for the targets that read choices from their input.
//!
//! `GALLIUM_RANDOM_INPUTS=10000` tries that many inputs per target, on any compiler.

mod common;

use std::collections::BTreeMap;
use std::panic::catch_unwind;

use common::random;
use gallium_fuzz::{api, recordings, session, target};

/// Returns the number of inputs to try.
fn inputs() -> u64 {
    let given = std::env::var("GALLIUM_RANDOM_INPUTS").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(150)
}

/// Sessions of well-formed commands reach the driver: few of their connections end early.
#[test]
fn clients_with_whole_commands_stay_connected() {
    let mut early = Vec::new();
    for seed in 0..inputs() {
        if let Err(error) = session::played(&random(seed, 1500)) {
            early.push(error.to_string());
        }
    }
    let share = early.len() as u64 * 100 / inputs();
    println!("{} of {} sessions ended early: {early:#?}", early.len(), inputs());
    assert!(share < 5, "{share} % of the sessions ended early: {early:#?}");
}

/// Recordings of random calls with bytes changed, removed and duplicated: most reach the driver.
#[test]
fn damaged_recordings_do_no_harm() {
    let mut failed = Vec::new();
    for seed in 0..inputs() {
        let mut recording = api::recorded(&random(seed, 600));
        let choices = random(seed ^ 0x5a5a, 64);
        for change in choices.chunks_exact(8).take(usize::from(choices[0]) % 8) {
            let at = usize::from(u16::from_le_bytes([change[1], change[2]])) % recording.len();
            match change[0] % 4 {
                0 => recording[at] = change[3],
                1 => recording[at] ^= 1 << (change[3] % 8),
                2 => drop(
                    recording.drain(at..(at + usize::from(change[3] % 16)).min(recording.len())),
                ),
                _ => {
                    let end = (at + usize::from(change[3])).min(recording.len());
                    let part = recording[at..end].to_vec();
                    recording.splice(at..at, part);
                }
            }
        }
        if catch_unwind(|| recordings::run(&recording)).is_err() {
            failed.push(seed);
        }
    }
    assert!(failed.is_empty(), "seeds {failed:?}");
}

/// Sequences of calls get to all that no client of a socket can ask for.
#[test]
fn random_calls_reach_what_only_the_api_has() {
    let mut reached: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..inputs() {
        for what in api::reached(&random(seed, 1500)) {
            *reached.entry(what).or_default() += 1;
        }
    }
    println!("{reached:#?}");
    let wanted = [
        "a grid on global memory",
        "a grid on shared memory",
        "a persistent map",
        "a sparse texture",
        "a texture handle",
        "a vertex state",
        "an image handle",
        "fence for others",
        "fence from outside",
        "global memory",
        "memory object",
        "pages of a sparse buffer",
        "pages of a sparse texture",
        "resource of a memory object",
        "resource of a name",
        "the end of a texture handle",
        "the end of an image handle",
    ];
    assert!(reached.keys().eq(wanted.iter()), "{reached:#?}");
}

#[test]
fn random_inputs_do_no_harm() {
    let mut failed = Vec::new();
    for name in ["api", "api-checked", "assets", "formats", "session"] {
        let run = target(name).expect("a target").run;
        for seed in 0..inputs() {
            if catch_unwind(|| run(&random(seed, 1500))).is_err() {
                failed.push(format!("{name}, seed {seed}"));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
