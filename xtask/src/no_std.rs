//! Proves that the libraries need neither `std` nor `alloc`, by linking them on a target without
//! these.
//!
//! Building a library would not show that it uses `alloc`. We therefore link all of them into a
//! static library with a panic handler and no global allocator. The compiler refuses it if any
//! crate needs an allocator.

use std::fs;

use anyhow::{Context, Result};

use crate::{layers, shell, toolchain};

/// The smallest core. No crate has other code with `alloc` for another core, and the boards' firmware, which has no
/// allocator either, links on the others.
pub const TARGET: &str = "thumbv6m-none-eabi";

/// Builds the proof.
///
/// # Errors
/// A crate needs `std` or `alloc`.
pub fn prove() -> Result<()> {
    let folder = shell::target_dir().join("no-std-proof");
    let root = shell::root();
    fs::create_dir_all(folder.join("src"))
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let mut manifest = String::from(
        "[package]\nname = \"no-std-proof\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         [lib]\ncrate-type = [\"staticlib\"]\n[workspace]\n[profile.dev]\npanic = \"abort\"\n\
         [dependencies]\n",
    );
    let mut source = String::from("#![no_std]\n");
    for package in layers::device_packages() {
        let path = root.join(layers::folder(package).unwrap_or_default());
        manifest.push_str(&format!("{package} = {{ path = {:?} }}\n", path.display().to_string()));
        source.push_str(&format!("extern crate {};\n", package.replace('-', "_")));
    }
    source.push_str(
        "#[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! {\n    loop {}\n}\n",
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::write(folder.join("src/lib.rs"), source)?;
    // The same versions as in our lock file.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut cargo = toolchain::cargo("build", TARGET)?;
    cargo.arg("--manifest-path").arg(folder.join("Cargo.toml"));
    cargo.arg("--target-dir").arg(shell::target_dir().join("no-std"));
    shell::output(&mut cargo).map(drop)
}
