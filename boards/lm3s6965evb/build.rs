//! Puts the memory map into the linker's search path, and passes the linker scripts.

use std::{env, fs, path::PathBuf};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut memory = include_str!("memory.x").to_owned();
    if env::var_os("CARGO_FEATURE_SAMPLES").is_some() {
        // Samples need a larger heap.
        memory = memory.replace("40K - 10K", "44K - 10K");
    }
    fs::write(out.join("memory.x"), memory).expect("OUT_DIR can be written");
    // There are no handlers of the chip's interrupts.
    fs::write(out.join("device.x"), "").expect("OUT_DIR can be written");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed=memory.x");
    println!("cargo:rerun-if-changed=build.rs");
    // The host's linker has no such scripts. (`cargo check` does not link at all.)
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        println!("cargo:rustc-link-arg-bins=-Tlink.x");
    }
}
