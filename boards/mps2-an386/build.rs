//! Puts the memory map into the linker's search path, and passes the linker scripts.
//!
//! The target selects the image of the MPS2: AN505 for Armv8-M (Cortex-M33), otherwise AN386.

use std::{env, fs, path::PathBuf};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut memory = include_str!("memory.x").to_owned();
    println!("cargo:rustc-check-cfg=cfg(an505)");
    if env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv8m.main")) {
        println!("cargo:rustc-cfg=an505");
        // The secure addresses of its memories, each of 4 MB.
        memory = memory.replace("0x00000000", "0x10000000").replace("0x20000000", "0x38000000");
    }
    if env::var_os("CARGO_FEATURE_FAILURES").is_some() {
        // In this build the objects of two frames are on the stack. The chip has 4 MB, and this
        // build has no budget.
        memory = memory.replace("10160", "32K").replace("LENGTH = 64K", "LENGTH = 96K");
    }
    if env::var_os("CARGO_FEATURE_REPLAY").is_some() {
        // Traces are of programs of any size: use all of the chip's 4 MB, with a stack of 128 KB.
        memory = memory.replace("10160", "128K").replace("64K - 10240", "4M - 128K");
    }
    if env::var_os("CARGO_FEATURE_TESSELLATION").is_some() {
        // The stages of patches need a deeper stack; the heap is smaller by the same amount.
        memory = memory.replace("10160", "16304").replace("64K - 10240", "64K - 16384");
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
        if env::var_os("CARGO_FEATURE_CHIP_LOG").is_some() {
            println!("cargo:rustc-link-arg-bins=-Tdefmt.x");
        }
    }
}
