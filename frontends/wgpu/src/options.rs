//! The settings of an instance.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of [`instance_with`](crate::instance_with). Pixels do not depend on them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The number of threads that draw. 0 means the environment variable `GALLIUM_NUM_THREADS`, or
    /// else one thread per processor.
    pub threads: usize,
    /// The most bytes that the resources and shaders of one device may take. A creation beyond it
    /// fails with wgpu's out-of-memory error. `None` means what the system has.
    pub memory: Option<usize>,
    /// The longest time of one command: a draw, a dispatch or a copy. A command that takes longer
    /// is stopped, and its device is lost.
    pub command_time: Duration,
    /// Interprets all shaders. Otherwise shaders that run often become machine code, on x86-64
    /// processors with AVX2.
    pub interpret: bool,
    /// Writes the calls of every device to this file, for `cargo xtask replay`. Later devices write
    /// to the same name with a dot and a number.
    pub trace: Option<PathBuf>,
    /// Serves a page that shows the process's devices and holds them at their draws, on this loopback
    /// address; port 0 takes a free one. Its link is printed to standard error. `None` means what the
    /// environment variable `GALLIUM_RBUG` says: `true`, or an address. The first device opens the page, and
    /// [`command_time`](Self::command_time) does not count for devices on it. Needs the feature `rbug`.
    pub rbug: Option<SocketAddr>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: 0,
            memory: None,
            command_time: Duration::from_secs(60),
            interpret: false,
            trace: None,
            rbug: None,
        }
    }
}
