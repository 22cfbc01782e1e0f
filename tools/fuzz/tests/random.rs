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

/// Mutations of one recording before the next one is recorded.
const MUTATIONS: u64 = 8;

/// Changes, removes or doubles bytes of a recording, as `choices` say.
fn mutate(recording: &mut Vec<u8>, choices: &[u8]) {
    for change in choices.chunks_exact(8) {
        if recording.is_empty() {
            return;
        }
        let at = usize::from(u16::from_le_bytes([change[1], change[2]])) % recording.len();
        match change[0] % 4 {
            0 => recording[at] = change[3],
            1 => recording[at] ^= 1 << (change[3] % 8),
            2 => {
                let end = (at + usize::from(change[3] % 16)).min(recording.len());
                drop(recording.drain(at..end));
            }
            _ => {
                let end = (at + usize::from(change[3])).min(recording.len());
                let part = recording[at..end].to_vec();
                recording.splice(at..at, part);
            }
        }
    }
}

/// Recordings of random calls with bytes changed, removed and duplicated: most reach the driver.
///
/// `GALLIUM_RANDOM_FIRST=500000` begins with that input, so that several processes share the work.
#[test]
fn damaged_recordings_do_no_harm() {
    let given = std::env::var("GALLIUM_RANDOM_FIRST").ok();
    let first: u64 = given.and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut failed = Vec::new();
    let mut whole = Vec::new();
    for seed in first..first + inputs() {
        if whole.is_empty() || seed.is_multiple_of(MUTATIONS) {
            whole = api::recorded(&random(seed / MUTATIONS, 600));
        }
        let mut recording = whole.clone();
        let choices = random(seed ^ 0x5a5a, 64);
        mutate(&mut recording, &choices[..usize::from(choices[0] % 8) * 8]);
        if catch_unwind(|| recordings::run(&recording)).is_err() {
            println!("seed {seed}");
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
