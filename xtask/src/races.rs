//! Finds data races and undefined behaviour: runs tests under ThreadSanitizer and Miri.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::sanitizer::{self, Sanitizer};
use crate::{shell, toolchain};

/// Features of os-shim with threads or unsafe code.
const FEATURES: &str = "std,threads,second-core";

/// Rooms of os-shim with unsafe code or threads that Miri runs within minutes.
const ROOMS: [&str; 8] =
    ["boxed::", "budget::", "memory::", "pool::", "shared::", "sync::", "threads::", "vec::"];

/// Tests of those rooms to skip. The unsafe code of rayon violates the borrow rules that Miri
/// checks: Stacked Borrows in its queues and Tree Borrows in its scopes. Our pool on top of rayon
/// has no unsafe code, and ThreadSanitizer tests it.
const LEFT_OUT: &str = "threads::pool::";

/// Options of Miri: tests read clocks, and leaks are not checked.
const MIRI_FLAGS: &str = "-Zmiri-disable-isolation -Zmiri-ignore-leaks";

/// The command that installs Miri.
pub const MIRI_HINT: &str = "rustup toolchain install nightly --component miri,rust-src";

/// Checks that this machine has ThreadSanitizer.
///
/// # Errors
/// ThreadSanitizer is missing; the error describes how to install it.
pub fn is_possible() -> Result<()> {
    sanitizer::cargo("test", Sanitizer::Thread).map(drop)
}

/// Runs the tests of threads under ThreadSanitizer: os-shim's pools and locks, and drawing with
/// several workers, contexts and clients. Returns the number of tests that passed.
///
/// # Errors
/// There is a race, a test fails, or the sanitizer is missing.
pub fn thread_sanitizer() -> Result<usize> {
    let tests: [&[&str]; 2] = [
        &["--package", "gallium-os-shim", "--features", FEATURES, "--lib"],
        &["--package", "gallium-fuzz", "--test", "threads"],
    ];
    let mut passed = 0;
    for arguments in tests {
        let mut cargo = sanitizer::cargo("test", Sanitizer::Thread)?;
        cargo.args(arguments);
        cargo.env("TSAN_OPTIONS", "halt_on_error=1 allocator_may_return_null=1");
        // Under the sanitizer, doc tests and the interpreter have large stack frames.
        passed += count(cargo.env("RUST_MIN_STACK", "16777216"))?;
    }
    Ok(passed)
}

/// Returns `cargo miri` of the nightly toolchain, if it is installed.
pub fn miri() -> Option<Command> {
    toolchain::installed("nightly", &["miri"])
}

/// Runs the tests of os-shim's rooms with unsafe code under Miri; returns the number that passed.
///
/// # Errors
/// Undefined behaviour, or a failing test.
pub fn interpreted(mut miri: Command) -> Result<usize> {
    miri.args(["test", "--package", "gallium-os-shim", "--features", FEATURES, "--lib"]);
    miri.arg("--target-dir").arg(shell::target_dir().join("miri"));
    // Under Miri a test takes a thousand times as long.
    miri.env("PROPTEST_CASES", "4");
    miri.arg("--").args(ROOMS).args(["--skip", LEFT_OUT]);
    count(miri.env("MIRIFLAGS", MIRI_FLAGS))
}

/// Runs tests and returns the number that passed.
fn count(command: &mut Command) -> Result<usize> {
    let output = shell::output(command)?;
    let passed = crate::test::count_passed(&String::from_utf8_lossy(&output.stdout));
    ensure!(passed > 0, "no test ran");
    Ok(passed)
}
