//! The parts of this tree that users copy: the published crates, and the firmware templates.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::{board, layers, shell, toolchain};

/// The firmware templates, each with the core of its chip.
pub const COPIED: [(&str, &str); 3] = [
    ("starter", "thumbv7m-none-eabi"),
    ("pico", "thumbv6m-none-eabi"),
    ("gauge", "thumbv6m-none-eabi"),
];

/// Packages the crates that boards and their build scripts depend on, against each other's packages. Nothing is built,
/// because the tests build all crates in place.
///
/// # Errors
/// A crate cannot be published: its manifest is incomplete, or it depends on an unpublished crate.
pub fn package() -> Result<usize> {
    let mut cargo = shell::cargo();
    cargo.args(["package", "--no-verify", "--allow-dirty", "--target-dir"]);
    cargo.arg(shell::target_dir().join("package"));
    let packages = layers::firmware_packages();
    for package in &packages {
        cargo.args(["--package", package]);
    }
    shell::output(&mut cargo)?;
    Ok(packages.len())
}

/// Copies a firmware's folder out of the workspace, changes its dependencies to this tree, and
/// builds it there with its own profile. The driver is less optimised, because another step checks the size.
///
/// # Errors
/// The build fails.
pub fn copy_and_build(board: &str, target: &str) -> Result<()> {
    let from = shell::root().join("boards").join(board);
    let folder = shell::target_dir().join("copied").join(board);
    copy(&from, &folder)?;
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)
        .with_context(|| format!("cannot read {}", manifest.display()))?;
    let text = text.replace("path = \"../../", &format!("path = \"{}/", shell::root().display()));
    fs::write(&manifest, text + "\n[workspace]\n")?;
    // The same versions as in our lock file.
    fs::copy(shell::root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut cargo = toolchain::firmware_alone("build", target)?;
    board::quickly(&mut cargo, "firmware");
    cargo.arg("--target-dir").arg(shell::target_dir().join("copied/target")).current_dir(&folder);
    shell::output(&mut cargo).map(drop)
}

/// Copies a folder and its contents.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)
                .with_context(|| format!("cannot write {}", target.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_copied_inherits_nothing() {
        for (board, _) in COPIED {
            let path = shell::root().join("boards").join(board).join("Cargo.toml");
            let text = fs::read_to_string(&path).unwrap();
            assert!(!text.contains("workspace"), "{}", path.display());
        }
    }

    /// Both folders are copied as they are, so each has the board support of a Pico. They do not drift
    /// apart: the gauge's is the cube's with other imports.
    #[test]
    fn the_gauge_has_the_board_support_of_the_pico() {
        let read =
            |path: &str| fs::read_to_string(shell::root().join("boards").join(path)).unwrap();
        let drop = |text: String, dropped: &[&str]| -> Vec<String> {
            let kept = |line: &&str| {
                !line.starts_with("use ") && !dropped.iter().any(|part| line.contains(part))
            };
            text.lines().filter(kept).map(str::to_owned).collect()
        };
        for file in ["chip.rs", "display.rs"] {
            let [cube, gauge] =
                ["pico/src/", "gauge/src/pico/"].map(|folder| read(&[folder, file].concat()));
            assert_eq!(drop(cube, &[]), drop(gauge, &[]));
        }
        for map in ["rp2040.x", "rp2350.x"] {
            let [cube, gauge] = ["pico/", "gauge/"].map(|folder| read(&[folder, map].concat()));
            assert_eq!(cube, gauge);
        }
        let cube = drop(read("pico/src/main.rs"), &["#!", "cfg(", "enderer", "soft_floats"]);
        let gauge =
            drop(read("gauge/src/pico/mod.rs"), &["TILE_BYTES: usize", "Bytes of a tile", "auge"]);
        let squeezed = |lines: Vec<String>| -> Vec<String> {
            lines.into_iter().filter(|line| !line.is_empty()).collect()
        };
        assert_eq!(squeezed(cube), squeezed(gauge));
    }

    #[test]
    fn the_pico_is_short() {
        // Its own lines of code: without blank lines, comments, models and shaders.
        let folder = shell::root().join("boards/pico/src");
        let lines: usize = ["main.rs", "display.rs"]
            .iter()
            .map(|file| fs::read_to_string(folder.join(file)).unwrap())
            .map(|text| {
                let code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
                text.lines().filter(code).count()
            })
            .sum();
        assert!(lines <= 150, "{lines} lines");
    }
}
