//! Random inputs, the same every time, through the targets whose inputs are choices.
//!
//! `GALLIUM_RANDOM_INPUTS=10000` tries as many of each target, on any compiler.

mod common;

use std::panic::catch_unwind;

use common::random;
use gallium_fuzz::{session, target};

/// Returns the number of inputs to try.
fn inputs() -> u64 {
    let given = std::env::var("GALLIUM_RANDOM_INPUTS").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(150)
}

/// Sessions of whole commands reach the driver: few of their connections end early.
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
