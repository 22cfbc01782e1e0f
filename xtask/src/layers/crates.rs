//! Checks the dependencies between the crates, read from the manifests.
//!
//! The table is "The house" of ARCHITECTURE.md: a crate depends on the crates listed for it, and on
//! no other crate of this workspace. Below `boards/` every crate is `no_std` and uses neither
//! `alloc` nor unsafe code. Exceptions are the crates for hosts, and the unsafe code of os-shim.

use std::path::Path;

use anyhow::{Context, Result};

use crate::shell;

/// A crate of the house.
struct Floor {
    folder: &'static str,
    package: &'static str,
    below: &'static [&'static str],
}

const fn floor(
    folder: &'static str,
    package: &'static str,
    below: &'static [&'static str],
) -> Floor {
    Floor { folder, package, below }
}

const OS: &str = "gallium-os-shim";
const FORMATS: &str = "gallium-formats";
const TGSI: &str = "gallium-tgsi";
const PIPE: &str = "gallium-pipe-core";
const DRAW: &str = "gallium-draw";
const EMIT: &str = "gallium-tgsi-emit";
const MACROS: &str = "gallium-tgsi-macros";

/// The crates, ground floor first.
const HOUSE: &[Floor] = &[
    floor("os-shim", OS, &[]),
    floor("formats", FORMATS, &[OS]),
    floor("tgsi", TGSI, &[OS]),
    floor("tgsi/emit", EMIT, &[TGSI]),
    floor("tgsi/macros", MACROS, &[OS, TGSI, EMIT]),
    floor("codegen", CODEGEN, &[OS, TGSI]),
    floor("pipe-core", PIPE, &[OS, FORMATS, TGSI]),
    floor("draw", DRAW, &[OS, FORMATS, TGSI, PIPE]),
    floor("raster", RASTER, &[OS, FORMATS, TGSI, PIPE, DRAW]),
    floor("reference", REFERENCE, &[OS, FORMATS, TGSI, PIPE, DRAW]),
    floor("cso-cache", "gallium-cso-cache", &[OS, PIPE]),
    floor("frontends/naga", NAGA, &[OS, FORMATS, TGSI]),
    floor("frontends/naga/macros", WGSL, &[OS, TGSI, EMIT, NAGA]),
    floor("kit", KIT, &[OS, FORMATS, TGSI, MACROS, PIPE, RASTER]),
    floor("kit/assets", ASSETS, &[OS, FORMATS]),
    floor("kit/gallium", FACADE, &[OS, FORMATS, TGSI, MACROS, PIPE, RASTER, KIT]),
    floor("boards/scenes", SCENES, &[OS, FORMATS, TGSI, MACROS, WGSL, PIPE]),
];

const RASTER: &str = "gallium-raster";

const KIT: &str = "gallium-kit";
const FACADE: &str = "gallium";
const ASSETS: &str = "gallium-assets";

const REFERENCE: &str = "gallium-reference";

const NAGA: &str = "gallium-naga";
const WGSL: &str = "gallium-wgsl";

const SCENES: &str = "gallium-scenes";

const CODEGEN: &str = "gallium-codegen";

/// The code that emulated boards share; for libraries it counts as a board.
const SUPPORT: &str = "gallium-board-support";

/// The server for OpenGL programs: it uses the house as a board does.
const VTEST: &str = "frontends/vtest";

/// The wgpu adapter for hosts: it uses the house as a board does.
const WGPU: &str = "frontends/wgpu";

/// The C API: it uses the house as a program does, and has `unsafe` code for C's pointers.
const C_API: &str = "kit/c";

/// Runs shaders in every way: tests of the crates that translate shading languages may use it.
const RANDOM: &str = "gallium-wgsl-random";

/// The inspector: it shows running programs of the front ends.
const INSPECT: &str = "gallium-inspect";

/// The estimate of a shader's cost: `cargo xtask wgsl dump` prints it.
const COST: &str = "gallium-cost";

/// The folder of the programs for people who work with the crates. They may use every crate.
const TOOLS: &str = "tools/";

/// Returns true if a member that is not in the house may stand in its folder.
fn outside(member: &str) -> bool {
    member.starts_with("boards/")
        || member.starts_with(TOOLS)
        || [C_API, VTEST, WGPU, "xtask"].contains(&member)
}

/// Crates for hosts, which use `std`: proc macros and what they expand to run in the compiler, the plain driver is no
/// firmware, machine code is made at run time for hosts, and shading languages are translated there.
const HOSTED: &[&str] = &[EMIT, MACROS, REFERENCE, CODEGEN, NAGA, WGSL, ASSETS];

/// Returns true if a package is in the house. Tests of libraries may use these packages.
fn in_house(package: &str) -> bool {
    HOUSE.iter().any(|floor| floor.package == package)
}

/// Checks every member of the workspace. Returns their number, and one line for each dependency
/// that points up.
///
/// # Errors
/// A manifest or `lib.rs` cannot be read.
pub fn check(root: &Path) -> Result<(usize, Vec<String>)> {
    let (workspace, members) = workspace(root)?;
    let mut wrong = Vec::new();
    for member in &members {
        wrong.extend(check_member(root, member, &workspace)?);
    }
    Ok((members.len(), wrong))
}

/// Reads the workspace's manifest; returns it and the folders of its members.
fn workspace(root: &Path) -> Result<(toml::Table, Vec<String>)> {
    let workspace = manifest(&root.join("Cargo.toml"))?;
    let members = strings(&workspace["workspace"]["members"]);
    Ok((workspace, members))
}

/// Returns the folders of the workspace's members.
///
/// # Errors
/// The workspace's manifest cannot be read.
pub fn members() -> Result<Vec<String>> {
    workspace(&shell::root()).map(|(_, members)| members)
}

fn manifest(path: &Path) -> Result<toml::Table> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    text.parse().with_context(|| path.display().to_string())
}

fn strings(value: &toml::Value) -> Vec<String> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| item.as_str().map(String::from)).collect()
}

/// Returns one line for each error in a member.
fn check_member(root: &Path, member: &str, workspace: &toml::Table) -> Result<Vec<String>> {
    let manifest = manifest(&root.join(member).join("Cargo.toml"))?;
    let package = manifest["package"]["name"].as_str().unwrap_or_default().to_owned();
    let floor = HOUSE.iter().find(|floor| floor.folder == member);
    if floor.is_none() && !outside(member) {
        return Ok(vec![format!("{member}: not in the house (xtask/src/layers/crates.rs)")]);
    }
    let mut wrong = Vec::new();
    for section in ["dependencies", "build-dependencies", "dev-dependencies"] {
        for dependency in dependencies(&manifest, section, workspace) {
            // A package's tests may enable its features.
            let is_itself = section == "dev-dependencies" && dependency == package;
            let is_live = [VTEST, WGPU].contains(&member) && dependency == INSPECT;
            let is_estimate = member == "xtask" && dependency == COST;
            let is_free = member.starts_with(TOOLS) || is_itself || is_live || is_estimate;
            if !is_free && !allowed(floor, section, &dependency) {
                wrong.push(format!("{member}: {section} on {dependency} points up"));
            }
        }
    }
    if let Some(floor) = floor.filter(|floor| !HOSTED.contains(&floor.package)) {
        if floor.package != package {
            wrong.push(format!("{member}: package {package}, expected {}", floor.package));
        }
        wrong.extend(check_source(root, member)?);
    }
    Ok(wrong)
}

/// Returns the packages of this workspace in a section of a manifest.
fn dependencies(manifest: &toml::Table, section: &str, workspace: &toml::Table) -> Vec<String> {
    let shared = &workspace["workspace"]["dependencies"];
    let mut tables: Vec<&toml::Value> = manifest.get(section).into_iter().collect();
    if let Some(targets) = manifest.get("target").and_then(toml::Value::as_table) {
        tables.extend(targets.values().filter_map(|target| target.get(section)));
    }
    let names = tables.into_iter().filter_map(toml::Value::as_table).flatten();
    names
        .map(|(key, entry)| {
            let renamed = |value: &toml::Value| {
                value.get("package").and_then(toml::Value::as_str).map(String::from)
            };
            renamed(entry)
                .or_else(|| shared.get(key).and_then(renamed))
                .unwrap_or_else(|| key.clone())
        })
        .filter(|package| {
            package.starts_with("gallium-") || package == FACADE || package == "xtask"
        })
        .collect()
}

fn allowed(floor: Option<&Floor>, section: &str, dependency: &str) -> bool {
    match floor {
        Some(floor) if section == "dependencies" => floor.below.contains(&dependency),
        // Tests may use other crates of the house, never a board.
        Some(floor) if dependency == RANDOM => [NAGA, WGSL].contains(&floor.package),
        Some(_) => in_house(dependency) && dependency != SCENES,
        // Boards and xtask use the house, and no board.
        None => in_house(dependency) || dependency == SUPPORT,
    }
}

/// Checks the attributes in the first lines of every library.
fn check_source(root: &Path, member: &str) -> Result<Vec<String>> {
    let path = root.join(member).join("src/lib.rs");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let mut wrong = Vec::new();
    if !text.contains("#![no_std]") {
        wrong.push(format!("{member}: lib.rs without #![no_std]"));
    }
    if text.contains("extern crate alloc") {
        wrong.push(format!("{member}: extern crate alloc"));
    }
    if member != "os-shim" && !text.contains("#![forbid(unsafe_code)]") {
        wrong.push(format!("{member}: lib.rs without #![forbid(unsafe_code)]"));
    }
    Ok(wrong)
}

/// Returns the packages of the libraries that run on a board, ground floor first.
pub fn device_packages() -> Vec<&'static str> {
    HOUSE
        .iter()
        .map(|floor| floor.package)
        .filter(|package| !HOSTED.contains(package) && *package != SCENES)
        .collect()
}

/// Returns the packages that firmware and its build scripts depend on, ground floor first: the
/// libraries of [`device_packages`], and the crates that run when it is built.
pub fn firmware_packages() -> Vec<&'static str> {
    let at_build = [EMIT, MACROS, ASSETS];
    let devices = device_packages();
    let packages = HOUSE.iter().map(|floor| floor.package);
    packages.filter(|it| devices.contains(it) || at_build.contains(it)).collect()
}

/// Returns the folder of a package in the house.
pub fn folder(package: &str) -> Option<&'static str> {
    HOUSE.iter().find(|floor| floor.package == package).map(|floor| floor.folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed_in(member: &str, section: &str, dependency: &str) -> bool {
        allowed(HOUSE.iter().find(|f| f.folder == member), section, dependency)
    }

    #[test]
    fn arrows_point_down_only() {
        assert!(allowed_in("draw", "dependencies", TGSI));
        assert!(!allowed_in("draw", "dependencies", "gallium-raster"));
        assert!(!allowed_in("tgsi", "dependencies", FORMATS));
        assert!(!allowed_in("tgsi", "dependencies", MACROS));
        assert!(allowed_in("tgsi", "dev-dependencies", MACROS));
        assert!(!allowed_in("raster", "dev-dependencies", SCENES));
        assert!(!allowed_in("cso-cache", "dependencies", "gallium-raster"));
        assert!(allowed_in("boards/host", "dependencies", "gallium-raster"));
        assert!(!allowed_in("boards/host", "dependencies", "gallium-mps2-an386"));
        assert!(allowed_in("boards/mps2-an386", "dependencies", SUPPORT));
        assert!(!allowed_in("raster", "dependencies", SUPPORT));
        assert!(allowed_in("xtask", "dependencies", TGSI));
        assert!(!allowed_in("xtask", "dependencies", "gallium-host"));
    }

    #[test]
    fn a_renamed_dependency_is_seen() {
        let workspace: toml::Table =
            "[workspace.dependencies]\nraster = { package = \"gallium-raster\" }".parse().unwrap();
        let manifest: toml::Table = "[dependencies]\nraster.workspace = true\nlibm = \"1\"\n\
             d = { package = \"gallium-draw\", path = \"x\" }\n\
             [target.'cfg(unix)'.dependencies]\ngallium-tgsi = \"1\""
            .parse()
            .unwrap();
        let mut found = dependencies(&manifest, "dependencies", &workspace);
        found.sort();
        assert_eq!(found, ["gallium-draw", "gallium-raster", "gallium-tgsi"]);
    }

    #[test]
    fn the_house_is_ordered() {
        for (index, floor) in HOUSE.iter().enumerate() {
            for below in floor.below {
                assert!(HOUSE[..index].iter().any(|other| other.package == *below));
            }
        }
    }
}
