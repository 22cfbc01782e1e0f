//! The pictures of every scene in every way to draw it on a host. `cargo xtask golden` compares them.

use std::path::Path;

use anyhow::Result;
use gallium_host::render::BOARD;
use os_shim::Os;
use raster::AnyProfile;
use scenes::{ALL, Surface, View};

use crate::screens;

/// Draws every scene like the boards do, in every variant of the host.
///
/// # Errors
/// An error of the driver or the file system.
pub fn run(out: &Path) -> Result<()> {
    let view = View::turntable(0, 36, BOARD.aspect());
    let streamed = Surface { streamed: true, ..BOARD };
    for (way, profile, surface) in [
        ("host", AnyProfile::Host, BOARD),
        ("small", AnyProfile::Small, BOARD),
        ("tiny", AnyProfile::Tiny, BOARD),
        ("small-streamed", AnyProfile::Small, streamed),
    ] {
        for scene in ALL {
            let picture = screens::frame(profile, Os::host(), &surface, scene, &view)?;
            picture.write(&out.join(way).join(format!("{}.png", scene.name)))?;
        }
    }
    Ok(())
}
