//! Data races and undefined behaviour: tests under ThreadSanitizer and Miri.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::sanitizer::{self, Sanitizer};
use crate::{shell, toolchain};

/// Features of os-shim that have threads or unsafe code.
const FEATURES: &str = "std,threads,second-core";

/// Rooms of os-shim that have unsafe code or threads, and are interpreted within minutes.
const ROOMS: [&str; 8] =
    ["boxed::", "budget::", "memory::", "pool::", "shared::", "sync::", "threads::", "vec::"];

/// Tests of those rooms that are left out: rayon's own unsafe code breaks the rules of borrows that
/// Miri holds it to, Stacked Borrows in its queues and Tree Borrows in its scopes. The pool over it
/// has none, and ThreadSanitizer runs it.
const LEFT_OUT: &str = "threads::pool::";

/// Options of Miri: tests read clocks, and what they leak is not looked for.
const MIRI_FLAGS: &str = "-Zmiri-disable-isolation -Zmiri-ignore-leaks";

/// The command that installs Miri.
pub const MIRI_HINT: &str = "rustup toolchain install nightly --component miri,rust-src";

/// Checks that this machine has ThreadSanitizer.
///
/// # Errors
/// It has not; the error says how to install what is missing.
pub fn is_possible() -> Result<()> {
    sanitizer::cargo("test", Sanitizer::Thread).map(drop)
}

/// Runs the tests of threads under ThreadSanitizer: os-shim's pools and locks, and what draws with
/// several workers, contexts and clients. Returns the number of tests that passed.
///
/// # Errors
/// A race, a failing test, a sanitizer that is missing.
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
        // The documentation's and the interpreter's stack frames are large under the sanitizer.
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
    // An interpreted test takes a thousand times as long.
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
