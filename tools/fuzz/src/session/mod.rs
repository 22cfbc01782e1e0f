//! vtest clients: sessions of arbitrary bytes, and sessions of well-formed commands.
//!
//! Whatever a client sends, its connection either ends or continues. The next client gets the same
//! picture as from a fresh server, and no memory stays in use.

mod commands;
mod grammar;
mod raw;

pub use commands::{played, run as commands};
pub use raw::run as raw;

use std::sync::OnceLock;

use gallium_vtest::caps::GlVersion;
use gallium_vtest::client::Service;
use gallium_vtest::error::ClientError;
use gallium_vtest::memory::ServerMemory;
use gallium_vtest::replay::{Inline, Replay};
use os_shim::Memory;

/// A session that draws a triangle and reads it back.
const CONTROL: &[u8] = include_bytes!("../../corpus/session/triangle");

/// Returns screens with a small scene buffer. Their shaders become machine code immediately.
fn screens() -> &'static Inline {
    static SCREENS: OnceLock<Inline> = OnceLock::new();
    SCREENS.get_or_init(|| Inline { scene_bytes: 1 << 18, generator: crate::generator() })
}

/// A server in this process, and its answers to the control session.
pub struct Server {
    service: Service<'static>,
    control: Vec<u8>,
    /// Bytes in use while no client is connected.
    used: usize,
}

impl Server {
    /// Returns a server that ends commands soon. Each client can allocate 16 MiB from `memory`.
    pub fn new(memory: Memory<'static>) -> Self {
        Server::with_limits(memory, 16 << 20, 1 << 16)
    }

    /// Returns a server with limits. Each client can allocate `bytes` from `memory`, and a command
    /// may take `work` units.
    pub fn with_limits(memory: Memory<'static>, bytes: usize, work: u64) -> Self {
        let memory = ServerMemory::new(memory, 4 * bytes);
        let mut service = Service::new(screens(), memory, GlVersion(33));
        service.client_memory = bytes;
        service.command_work = work;
        let mut server = Server { service, control: Vec::new(), used: 0 };
        server.control = server.answers();
        server.used = server.service.memory.used();
        server
    }

    /// Returns the answers to the control session.
    fn answers(&self) -> Vec<u8> {
        let mut replay = Replay::new(CONTROL);
        let served = self.service.client(2, |client| client.serve(&mut replay));
        assert!(matches!(served, Some(Ok(()))), "the control session: {served:?}");
        replay.answers
    }

    /// Serves a session and returns how its connection ended.
    ///
    /// # Errors
    /// The client was disconnected.
    pub fn session(&self, session: &[u8]) -> Result<(), ClientError> {
        let served = self.service.client(1, |client| client.serve(&mut Replay::new(session)));
        served.expect("the service runs each client")
    }

    /// Panics if former clients left memory behind or changed the picture of the next client.
    pub fn check(&self) {
        assert_eq!(self.service.memory.used(), self.used, "a client left memory behind");
        assert!(self.answers() == self.control, "the control picture changed");
    }
}

/// Serves a session, then checks the server; returns how the connection ended.
fn serve(session: &[u8]) -> Result<(), ClientError> {
    // Quotas live as long as the program, and so does the service that holds them.
    static SERVER: OnceLock<Server> = OnceLock::new();
    let server = SERVER.get_or_init(|| Server::new(Memory::system()));
    let served = server.session(session);
    server.check();
    served
}
