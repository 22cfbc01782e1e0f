//! Connects Mesa's virpipe driver to a separate server: `gallium-vtest` or `virgl_test_server`.
//!
//! Mesa 22 has the path of the socket compiled in. For it, programs get a copy of the driver, with
//! the path replaced by one of the same length. Newer versions read `VTEST_SOCKET_NAME`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use crate::shell;

/// The socket path compiled into Mesa 22.
const DEFAULT_SOCKET: &str = "/tmp/.virgl_test";
/// The file with the software drivers.
const DRIVER: &str = "swrast_dri.so";
/// Folders where distributions install it.
const FOLDERS: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu/dri",
    "/usr/lib/aarch64-linux-gnu/dri",
    "/usr/lib64/dri",
    "/usr/lib/dri",
];

/// A socket for a server and its clients.
pub struct Virpipe {
    /// The path that the server listens at.
    pub socket: PathBuf,
    /// The folder with the patched copy of the driver, if Mesa needs one.
    folder: Option<PathBuf>,
}

impl Virpipe {
    /// Creates a new socket path, and a driver that connects to it.
    ///
    /// # Errors
    /// The machine has no such driver, or a folder cannot be written.
    pub fn new() -> Result<Virpipe> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = std::process::id() << 8 | COUNT.fetch_add(1, Ordering::Relaxed) & 0xff;
        let name = format!("/tmp/.vt{number:08x}");
        let driver = FOLDERS.iter().map(|folder| Path::new(folder).join(DRIVER));
        let driver = driver
            .into_iter()
            .find(|path| path.exists())
            .context("no Mesa software driver; on Debian: apt-get install libgl1-mesa-dri")?;
        let mut bytes = fs::read(&driver)?;
        let mut socket = Virpipe { socket: PathBuf::from(&name), folder: None };
        if contains(&bytes, b"VTEST_SOCKET_NAME").is_none()
            && let Some(at) = contains(&bytes, DEFAULT_SOCKET.as_bytes())
        {
            ensure!(name.len() == DEFAULT_SOCKET.len(), "a socket's path of another length");
            bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
            let folder = shell::target_dir().join("mesa").join(format!("{number:08x}"));
            fs::create_dir_all(&folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
            fs::write(folder.join(DRIVER), bytes)?;
            socket.folder = Some(folder);
        }
        Ok(socket)
    }

    /// Sets the environment for a program that draws through the socket.
    pub fn apply(&self, command: &mut Command) {
        command.env("LIBGL_ALWAYS_SOFTWARE", "1").env("GALLIUM_DRIVER", "virpipe");
        command.env("VTEST_SOCKET_NAME", &self.socket);
        if let Some(folder) = &self.folder {
            command.env("LIBGL_DRIVERS_PATH", folder);
        }
    }
}

impl Drop for Virpipe {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.socket);
        if let Some(folder) = &self.folder {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// The command that starts a server.
#[derive(Clone)]
pub struct ServerCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments, except the socket.
    pub arguments: Vec<String>,
    /// The option that names the socket's path.
    pub socket_option: &'static str,
    /// Additional environment variables.
    pub environment: Vec<(&'static str, String)>,
}

impl ServerCommand {
    /// Returns the command of a `gallium-vtest`.
    pub fn vtest(program: PathBuf, arguments: Vec<String>) -> ServerCommand {
        ServerCommand { program, arguments, socket_option: "--socket", environment: Vec::new() }
    }
}

/// A running server. It ends when dropped.
pub struct Server {
    /// The socket of its clients.
    pub virpipe: Virpipe,
    command: ServerCommand,
    log: PathBuf,
    process: Option<Child>,
}

impl Server {
    /// Starts a server and waits until it listens. Its output is appended to `log`.
    ///
    /// # Errors
    /// Like [`Virpipe::new`], or the server does not start.
    pub fn new(command: ServerCommand, log: PathBuf) -> Result<Self> {
        let mut server = Server { virpipe: Virpipe::new()?, command, log, process: None };
        server.start()?;
        Ok(server)
    }

    fn start(&mut self) -> Result<()> {
        let log = File::options().create(true).append(true).open(&self.log)?;
        let mut command = Command::new(&self.command.program);
        let socket = self.virpipe.socket.display();
        command.arg(format!("{}={socket}", self.command.socket_option));
        command.args(&self.command.arguments).envs(self.command.environment.iter().cloned());
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        self.process = Some(command.spawn().context("cannot start the server")?);
        let start = Instant::now();
        while !self.virpipe.socket.exists() {
            if !self.is_alive() || start.elapsed() > Duration::from_secs(10) {
                bail!("the server does not listen; see {}", self.log.display());
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Returns the id of the server's process.
    pub fn id(&self) -> Option<u32> {
        self.process.as_ref().map(Child::id)
    }

    /// Returns true while the server runs.
    pub fn is_alive(&mut self) -> bool {
        self.process.as_mut().is_some_and(|process| matches!(process.try_wait(), Ok(None)))
    }

    /// Ends the server, and starts a new one on the same socket.
    ///
    /// # Errors
    /// The new server does not start.
    pub fn restart(&mut self) -> Result<()> {
        self.stop();
        self.start()
    }

    fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
        let _ = fs::remove_file(&self.virpipe.socket);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Returns the offset at which `part` begins in `bytes`.
fn contains(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}
