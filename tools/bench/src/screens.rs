//! Screens of any profile.

use std::sync::LazyLock;

use anyhow::{Context as _, Result, anyhow};
use gallium_host::picture::Picture;
use gallium_host::render::{self, config, traced};
use inspect::serve_live::{LiveServer, watched};
use os_shim::options::Environment;
use os_shim::{Memory, Os};
use pipe_core::Screen;
use raster::AnyProfile;
use scenes::{Scene, Surface, View};

/// Creates a screen of a profile for a surface and passes it to `run`. If `GALLIUM_TRACE` asks for
/// it, the calls are recorded; if `GALLIUM_RBUG` asks for it, a page shows and holds them.
///
/// # Errors
/// An error of the driver or of `run`, a trace cannot be written, or the page cannot be served.
pub fn with_screen<'m, R>(
    profile: AnyProfile,
    os: Os<'m>,
    surface: &Surface,
    run: impl FnOnce(&dyn Screen<'m>) -> Result<R>,
) -> Result<R> {
    let server = RBUG.as_ref().map_err(|error| anyhow!("{error:#}"))?;
    let screen = profile.screen(os, config(surface));
    watched(server.as_ref(), &*screen, Memory::system(), |screen| traced(screen, run))
}

/// The server that `GALLIUM_RBUG` opens. Its link is printed.
static RBUG: LazyLock<Result<Option<LiveServer>>> = LazyLock::new(|| {
    let server = LiveServer::of_options(&Environment)?;
    if let Some(server) = &server {
        println!("GALLIUM_RBUG: {}", server.link());
    }
    Ok(server)
});

/// Draws one frame with a profile.
///
/// # Errors
/// Any error of the driver.
pub fn frame(
    profile: AnyProfile,
    os: Os<'_>,
    surface: &Surface,
    scene: &'static Scene,
    view: &View,
) -> Result<Picture> {
    with_screen(profile, os, surface, |screen| render::frame(screen, surface, scene, view))
        .with_context(|| format!("{}, {} profile", scene.name, profile.name()))
}
