//! Everything a client may send: messages, command streams, shaders, transfers.
//!
//! The corpus holds whole sessions (`tests/it/sessions.rs` writes them); recordings of real
//! clients with inline transfers (`*.v0.vtest`) are good seeds, too.

#![no_main]

use std::sync::OnceLock;

use gallium_vtest::caps::GlVersion;
use gallium_vtest::client::{Screens, Service};
use gallium_vtest::memory::ServerMemory;
use gallium_vtest::replay::Replay;
use gallium_vtest::resource::Device;
use os_shim::budget::WorkBudget;
use os_shim::{Memory, Os};
use pipe_core::wrap::CheckScreen;

libfuzzer_sys::fuzz_target!(|session: &[u8]| {
    // Quotas live as long as the program, and so does the service that keeps them.
    static SERVICE: OnceLock<Service<'static>> = OnceLock::new();
    let service = SERVICE.get_or_init(service);
    // An error is the right answer to most of it; a panic never is.
    let _ = service.client(1, |client| client.serve(&mut Replay::new(session)));
});

struct Small;

impl Screens for Small {
    fn with(
        &self,
        memory: Memory<'static>,
        budget: &'static WorkBudget,
        run: &mut dyn FnMut(Device<'_>),
    ) {
        let os = Os { memory, threads: &os_shim::threads::Inline, ..Os::host() };
        let config = raster::Config { scene_bytes: 1 << 18 };
        let screen = raster::Screen::<raster::Host>::with_budget(os, config, budget);
        run(&CheckScreen::new(&screen, memory));
    }
}

fn service() -> Service<'static> {
    let memory = ServerMemory::new(Memory::system(), 64 << 20);
    let mut service = Service::new(&Small, memory, GlVersion(33));
    service.client_memory = 16 << 20;
    service.command_work = 1 << 16;
    service
}
