//! Puts the memory map where the linker looks, and asks for the linker scripts.

use std::{env, fs, path::PathBuf};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut memory = include_str!("memory.x").to_owned();
    if env::var_os("CARGO_FEATURE_FAILURES").is_some() {
        // Two frames' objects live on the stack there; the chip has 4 MB, and nobody counts.
        memory = memory.replace("10160", "32K").replace("LENGTH = 64K", "LENGTH = 96K");
    }
    if env::var_os("CARGO_FEATURE_REPLAY").is_some() {
        // Traces are of programs of any size: all of the chip's 4 MB, 128 KB of them for the stack.
        memory = memory.replace("10160", "128K").replace("64K - 10240", "4M - 128K");
    }
    if env::var_os("CARGO_FEATURE_TESSELLATION").is_some() {
        // The stages of patches are nested deeper; the heap is smaller by as much.
        memory = memory.replace("10160", "16304").replace("64K - 10240", "64K - 16384");
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
        if env::var_os("CARGO_FEATURE_CHIP_LOG").is_some() {
            println!("cargo:rustc-link-arg-bins=-Tdefmt.x");
        }
    }
}
