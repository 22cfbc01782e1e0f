//! Everything a client may send: messages, command streams, shaders, transfers.
//!
//! The corpus holds whole sessions (`tests/it/sessions.rs` writes them); recordings of real
//! clients with inline transfers (`*.v0.vtest`) are good seeds, too.

#![no_main]

use gallium_vtest::caps::GlVersion;
use gallium_vtest::client::{Client, Service};
use gallium_vtest::replay::Replay;
use os_shim::Os;
use pipe_core::wrap::CheckScreen;

libfuzzer_sys::fuzz_target!(|session: &[u8]| {
    let os = Os { threads: &os_shim::threads::Inline, ..Os::host() };
    let screen = raster::Screen::<raster::Host>::new(os, raster::Config { scene_bytes: 1 << 18 });
    let checked = CheckScreen::new(&screen, os.memory);
    let mut service = Service::new(&checked, GlVersion(33));
    service.memory_limit = 16 << 20;
    service.draw_limit = 1 << 12;
    // An error is the right answer to most of it; a panic never is.
    let _ = Client::new(&service, 1).serve(&mut Replay::new(session));
});
