//! A client that replays recorded messages, and screens to serve it: for tests, fuzzing and
//! recordings.

use std::io::{Error, ErrorKind};
use std::os::fd::BorrowedFd;

use codegen::Generator;
use os_shim::{Memory, Os};
use pipe_core::wrap::CheckScreen;

use crate::client::Screens;
use crate::link::Link;
use crate::resource::Device;
use crate::watch::Activity;

/// A recorded client: its requests, and the server's answers.
#[derive(Debug, Default)]
pub struct Replay<'a> {
    /// Bytes to send to the server.
    pub requests: &'a [u8],
    /// The server's answers.
    pub answers: Vec<u8>,
    /// Files the server sent.
    pub files: usize,
}

impl<'a> Replay<'a> {
    /// Returns a client that sends `requests` and then hangs up.
    pub const fn new(requests: &'a [u8]) -> Self {
        Replay { requests, answers: Vec::new(), files: 0 }
    }
}

impl Link for Replay<'_> {
    fn begin(&mut self) -> std::io::Result<bool> {
        Ok(!self.requests.is_empty())
    }

    fn receive(&mut self, bytes: &mut [u8]) -> std::io::Result<()> {
        let (taken, rest) = self
            .requests
            .split_at_checked(bytes.len())
            .ok_or_else(|| Error::from(ErrorKind::UnexpectedEof))?;
        bytes.copy_from_slice(taken);
        self.requests = rest;
        Ok(())
    }

    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.answers.extend_from_slice(bytes);
        Ok(())
    }

    fn send_file(&mut self, _file: BorrowedFd<'_>) -> std::io::Result<()> {
        self.files += 1;
        Ok(())
    }
}

/// Screens of the host's driver that draw on the client's thread and check the arguments of calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inline {
    /// Bytes of a context's scene buffer; 0 selects the profile's default.
    pub scene_bytes: usize,
    /// The generator of machine code. With `None`, all shaders are interpreted.
    pub generator: Option<&'static Generator>,
}

impl Screens for Inline {
    fn with(
        &self,
        memory: Memory<'static>,
        activity: &'static Activity,
        run: &mut dyn FnMut(Device<'_>),
    ) {
        let os = Os { memory, threads: &os_shim::threads::Inline, ..Os::host() };
        let config = raster::Config { scene_bytes: self.scene_bytes };
        let screen = raster::Screen::boxed(os, config, activity, self.generator.map(|it| it as _));
        run(&CheckScreen::new(&*screen, memory));
    }
}
