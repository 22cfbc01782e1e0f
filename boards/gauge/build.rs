//! Converts the mesh and the texture. Puts the memory map of the target's board into the linker's
//! search path, and passes the linker scripts.

use std::{env, fs, path::PathBuf};

use gallium_assets::{Builder, Error, Format, MeshOptions, Names, TextureOptions};

fn main() -> Result<(), Error> {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut assets = Builder::new(Names::gallium());
    assets.mesh("gear", "assets/gear.obj", &MeshOptions::default())?;
    assets.texture("needle", "assets/needle.png", &TextureOptions::of(Format::B4G4R4A4Unorm))?;
    assets.write(&out)?;

    let target = env::var("TARGET").expect("cargo sets TARGET");
    let map = match target.split('-').next() {
        Some("thumbv6m") => "rp2040.x",
        Some("thumbv8m.main") => "rp2350.x",
        _ => "f405.x",
    };
    println!("cargo:rustc-check-cfg=cfg(f405)");
    if map == "f405.x" {
        println!("cargo:rustc-cfg=f405");
    }
    fs::copy(map, out.join("memory.x")).expect("OUT_DIR can be written");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed={map}");
    println!("cargo:rerun-if-changed=build.rs");
    // The host's linker has no such scripts. (`cargo check` does not link at all.)
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        println!("cargo:rustc-link-arg-bins=-Tlink.x");
    }
    Ok(())
}
