//! Installs Mesa's drivers and a virtual display, or names the packages.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::shell;

/// The files that name lavapipe to the Vulkan loader; the machine has one of them.
pub const LAVAPIPE_FILES: [&str; 4] = [
    "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
    "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json",
    "/usr/share/vulkan/icd.d/lvp_icd.json",
    "/usr/local/share/vulkan/icd.d/lvp_icd.x86_64.json",
];

/// Folders of shared libraries.
const LIBRARIES: [&str; 4] =
    ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];

/// Returns the Debian packages that are missing: lavapipe and the Vulkan loader; with `gl` Mesa's EGL,
/// otherwise a display for a window.
fn missing(gl: bool) -> Vec<&'static str> {
    let library = |name: &str| LIBRARIES.iter().any(|folder| Path::new(folder).join(name).exists());
    let lavapipe = LAVAPIPE_FILES.iter().map(PathBuf::from).any(|file| file.exists());
    let mut packages = Vec::new();
    let mut need = |present: bool, package| {
        if !present {
            packages.push(package);
        }
    };
    need(lavapipe, "mesa-vulkan-drivers");
    need(library("libvulkan.so.1"), "libvulkan1");
    if gl {
        need(library("libEGL.so.1"), "libegl1");
        need(library("libEGL_mesa.so.0"), "libegl-mesa0");
        need(library("dri/swrast_dri.so"), "libgl1-mesa-dri");
    } else {
        need(shell::on_path("Xvfb"), "xvfb");
        // What winit loads.
        need(library("libX11-xcb.so.1"), "libx11-xcb1");
        need(library("libXcursor.so.1"), "libxcursor1");
        need(library("libXi.so.6"), "libxi6");
        need(library("libxkbcommon-x11.so.0"), "libxkbcommon-x11-0");
    }
    packages
}

/// Makes sure that the packages are installed.
///
/// # Errors
/// Some are missing and cannot be installed; the error names the command.
pub fn need(gl: bool) -> Result<()> {
    let packages = missing(gl);
    if packages.is_empty() {
        return Ok(());
    }
    let advice = format!("packages are missing; sudo apt-get install -y {}", packages.join(" "));
    shell::apt_install(&packages).with_context(|| advice.clone())?;
    ensure!(missing(gl).is_empty(), "{advice}");
    Ok(())
}
