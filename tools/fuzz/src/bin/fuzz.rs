//! The program that libFuzzer runs. The environment variable `GALLIUM_FUZZ_TARGET` names the
//! target.
//!
//! `cargo xtask fuzz` builds it, with coverage and sanitizers, and runs it.
#![no_main]

use std::sync::LazyLock;

use gallium_fuzz::Target;

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("GALLIUM_FUZZ_TARGET").unwrap_or_default();
    gallium_fuzz::target(&name).unwrap_or_else(|| {
        eprintln!("GALLIUM_FUZZ_TARGET is `{name}`, expected the name of a target");
        std::process::exit(2)
    })
});

libfuzzer_sys::fuzz_target!(|input: &[u8]| (TARGET.run)(input));
