//! Puts the memory map where the linker looks, and asks for the linker scripts.

use std::{env, fs, path::PathBuf};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut memory = include_str!("memory.x").to_owned();
    if env::var_os("CARGO_FEATURE_SAMPLES").is_some() {
        // Programs that lane code runs are nested deeper.
        memory = memory.replace("40K - 10K", "44K - 12K").replace("10K", "12K");
    }
    fs::write(out.join("memory.x"), memory).expect("OUT_DIR can be written");
    // Handlers of the chip's interrupts: there are none.
    fs::write(out.join("device.x"), "").expect("OUT_DIR can be written");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed=memory.x");
    println!("cargo:rerun-if-changed=build.rs");
    // The host's linker, which `cargo check` never reaches, has no such scripts.
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        println!("cargo:rustc-link-arg-bins=-Tlink.x");
    }
}
