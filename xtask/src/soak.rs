//! `cargo xtask soak`: connects clients to a vtest server for minutes; no resources may be left
//! behind.

use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::fuzz::corpus;
use crate::shell;

/// Lets clients come to a vtest server and go, and compares its memory, files, threads and
/// mappings before and after.
///
/// A client finishes, hangs up in the middle of a message, or sends a damaged session. The sessions
/// are in `tools/fuzz/corpus/session`.
#[derive(Args)]
pub struct Options {
    /// Minutes to run.
    #[arg(long, default_value_t = 5)]
    minutes: u64,
    /// Number of clients at the same time.
    #[arg(long, default_value_t = 8)]
    clients: u64,
    /// Repeats the clients' choices of another run with this number.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Time for the server to grow to its usual size, before the first measurement.
const WARM_UP: Duration = Duration::from_secs(20);

/// Time that a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Megabytes that a client may use.
const CLIENT_MEMORY: u64 = 64;

/// Growth in KiB that caches of the allocator may explain.
const SLACK: u64 = 16 << 10;

/// Mappings more that arenas of the allocator may explain.
const MAPPINGS: usize = 64;

/// The session that draws the same picture for every client.
const CONTROL: &str = "triangle";

/// The server's use of resources while no client is connected.
#[derive(Clone, Copy, Debug)]
struct Usage {
    /// Resident memory in KiB.
    resident: u64,
    files: usize,
    threads: usize,
    /// Ranges of its address space.
    mappings: usize,
}

/// The number of clients by their end.
#[derive(Default)]
struct Tally {
    finished: AtomicU64,
    cut: AtomicU64,
    damaged: AtomicU64,
}

/// A server on a socket in the folder of build products. It is killed when the value is dropped.
struct Server {
    process: Child,
    socket: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// The server grew, ended, or gave a client a wrong picture.
pub fn run(options: &Options) -> Result<()> {
    let server = Server::start(options.clients)?;
    let sessions = sessions()?;
    let control =
        sessions.iter().find(|(name, _)| name == CONTROL).context("no control session")?;
    let expected = server.converse(&control.1)?;
    ensure!(expected.len() > 256, "the control session has no picture");
    let tally = Tally::default();
    let rounds = |time: Duration, seed: u64| {
        let end = Instant::now() + time;
        thread::scope(|scope| {
            let clients: Vec<_> = (0..options.clients)
                .map(|client| {
                    let mut random = Random::new(seed ^ client << 32);
                    let (server, sessions, tally, expected) =
                        (&server, &sessions, &tally, &expected);
                    scope.spawn(move || -> Result<()> {
                        while Instant::now() < end {
                            server.visit(sessions, expected, &mut random, tally)?;
                        }
                        Ok(())
                    })
                })
                .collect();
            clients.into_iter().try_for_each(|client| match client.join() {
                Ok(result) => result,
                Err(_) => anyhow::bail!("a client panicked"),
            })
        })
    };
    rounds(WARM_UP, options.seed)?;
    let before = server.usage()?;
    println!("after {} s: {before:?}", WARM_UP.as_secs());
    let mut after = before;
    for minute in 1..=options.minutes {
        rounds(Duration::from_secs(60), options.seed + minute)?;
        after = server.usage()?;
        println!("after {minute} minutes: {after:?}");
    }
    println!(
        "clients: {} finished, {} hung up, {} damaged",
        tally.finished.load(Relaxed),
        tally.cut.load(Relaxed),
        tally.damaged.load(Relaxed)
    );
    ensure!(server.converse(&control.1)? == expected, "the picture at the end is wrong");
    let allowed = before.resident + before.resident / 10 + SLACK;
    ensure!(after.resident <= allowed, "the server grew: {before:?}, then {after:?}");
    ensure!(after.files <= before.files, "files stay open: {before:?}, then {after:?}");
    ensure!(after.threads <= before.threads, "threads stay: {before:?}, then {after:?}");
    let allowed = before.mappings + MAPPINGS;
    ensure!(after.mappings <= allowed, "mappings stay: {before:?}, then {after:?}");
    Ok(())
}

/// Returns the sessions of the corpus, by name.
fn sessions() -> Result<Vec<(String, Vec<u8>)>> {
    let named = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, fs::read(&path).with_context(|| path.display().to_string())?))
    };
    corpus::inputs(&corpus::committed("session"))?.into_iter().map(named).collect()
}

impl Server {
    /// Builds the server, starts it for so many clients at a time, and waits until it listens.
    fn start(clients: u64) -> Result<Server> {
        shell::output(shell::cargo().args(["build", "--release", "--package", "gallium-vtest"]))?;
        let socket = shell::target_dir().join(format!("soak-{}.socket", std::process::id()));
        let mut command = shell::command(shell::target_dir().join("release/gallium-vtest"));
        command.arg("--socket").arg(&socket).stdin(Stdio::null());
        // Each client has what it may take, and so have those that hung up and are not at their end.
        let memory = CLIENT_MEMORY * clients.max(4) * 2;
        command.args(["--client-memory", &CLIENT_MEMORY.to_string()]);
        command.args(["--server-memory", &memory.to_string(), "--log", "error"]);
        let process = command.spawn().with_context(|| shell::line(&command))?;
        let server = Server { process, socket };
        let patience = Instant::now() + PATIENCE;
        while UnixStream::connect(&server.socket).is_err() {
            ensure!(Instant::now() < patience, "the server does not listen");
            thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }

    fn connect(&self) -> Result<UnixStream> {
        let stream = UnixStream::connect(&self.socket).context("the server has gone")?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(stream)
    }

    /// Sends a session and returns all answers.
    fn converse(&self, session: &[u8]) -> Result<Vec<u8>> {
        let mut stream = self.connect()?;
        let mut answers = Vec::new();
        stream.write_all(session)?;
        stream.shutdown(Shutdown::Write)?;
        stream.read_to_end(&mut answers)?;
        Ok(answers)
    }

    /// Acts as a client that behaves, hangs up early, or sends a damaged session.
    fn visit(
        &self,
        sessions: &[(String, Vec<u8>)],
        expected: &[u8],
        random: &mut Random,
        tally: &Tally,
    ) -> Result<()> {
        let (name, session) = &sessions[random.below(sessions.len())];
        match random.below(4) {
            0 => {
                // The server may have hung up first.
                let _ = self.connect()?.write_all(&session[..random.below(session.len())]);
                tally.cut.fetch_add(1, Relaxed);
            }
            1 => {
                let mut session = session.clone();
                let at = random.below(session.len());
                session[at] ^= 1 << random.below(8);
                let _ = self.converse(&session);
                tally.damaged.fetch_add(1, Relaxed);
            }
            _ => {
                let answers = self.converse(session)?;
                ensure!(
                    name != CONTROL || answers == expected,
                    "a wrong picture: {} bytes of {}",
                    answers.len(),
                    expected.len()
                );
                tally.finished.fetch_add(1, Relaxed);
            }
        }
        Ok(())
    }

    /// Measures the server after its clients have gone.
    fn usage(&self) -> Result<Usage> {
        thread::sleep(Duration::from_secs(3));
        let folder = Path::new("/proc").join(self.process.id().to_string());
        let status = fs::read_to_string(folder.join("status")).context("the server has gone")?;
        let resident = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok())
            .context("no VmRSS")?;
        let count = |name: &str| fs::read_dir(folder.join(name)).map(Iterator::count);
        let mappings = fs::read_to_string(folder.join("maps"))?.lines().count();
        Ok(Usage { resident, files: count("fd")?, threads: count("task")?, mappings })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_file(&self.socket);
    }
}

/// A generator of random numbers (xorshift, Marsaglia 2003).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `count`, or 0.
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % count.max(1)
    }
}
