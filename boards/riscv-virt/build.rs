//! Puts the memory map where the linker looks, and asks for the linker scripts.

use std::{env, fs, path::PathBuf};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // Two cores have a stack each, and the second one draws tiles of its own.
    let two = env::var_os("CARGO_FEATURE_TWO_HARTS").is_some();
    let (harts, data_kib) = if two { ("2", "92K") } else { ("1", "56K") };
    let memory = include_str!("memory.x").replace("{harts}", harts).replace("{data}", data_kib);
    fs::write(out.join("memory.x"), memory).expect("OUT_DIR can be written");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed=memory.x");
    println!("cargo:rerun-if-changed=build.rs");
    // The host's linker, which `cargo check` never reaches, has no such scripts.
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        println!("cargo:rustc-link-arg-bins=-Tmemory.x");
        println!("cargo:rustc-link-arg-bins=-Tlink.x");
    }
}
