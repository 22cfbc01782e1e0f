//! Puts the memory map into the linker's search path, and passes the linker scripts.

use std::{env, fs, path::PathBuf};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // Of the two chips, only the RP2350 has an FPU.
    let is_rp2350 = env::var("CARGO_CFG_TARGET_ABI").as_deref() == Ok("eabihf");
    let map = if is_rp2350 { "rp2350.x" } else { "rp2040.x" };
    fs::copy(map, out.join("memory.x")).expect("OUT_DIR can be written");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed={map}");
    println!("cargo:rerun-if-changed=build.rs");
    // The host's linker has no such scripts. (`cargo check` does not link at all.)
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        println!("cargo:rustc-link-arg-bins=-Tlink.x");
    }
}
