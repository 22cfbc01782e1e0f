//! The socket server: one thread per client, and a stop on request.

use std::fs::Permissions;
use std::io::{ErrorKind, IsTerminal};
use std::net::Shutdown;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;

use crate::client::Service;
use crate::diary::Diary;
use crate::ending::Ending;
use crate::error::ClientError;
use crate::isolate::{self, Program};
use crate::link::{Socket, Times};
use crate::newcomers::{Newcomer, Newcomers};
use crate::peer::{Full, Place, Places};
use crate::stats::Stats;
use crate::watch::{Served, Watch};

/// The socket that clients connect to by default.
pub const DEFAULT_SOCKET: &str = "/tmp/.virgl_test";

/// Stack size of a client's thread, in bytes: shaders may nest deeply.
pub const STACK_BYTES: usize = 16 << 20;

/// The number of connections that may wait for the server to accept them. The system refuses
/// further clients that do not wait. Two hundred clients at once were refused on a busy machine.
const BACKLOG: i32 = 1024;

/// The time after which connections that wait for a place ask again.
const RETRY: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };

/// Device and inode of a file.
type FileIdentity = (u64, u64);

/// Returns the identity of the file at `path`, without following links, or `None` if there is no
/// file.
fn identity(path: &Path) -> Option<FileIdentity> {
    let file = std::fs::symlink_metadata(path).ok()?;
    Some((file.dev(), file.ino()))
}

/// Removes the socket at `path` if no process listens on it.
///
/// # Errors
/// A server listens on `path`; the file is no socket; the system's.
fn remove_dead_socket(path: &Path) -> Result<()> {
    let shown = path.display();
    let kind = match std::fs::symlink_metadata(path) {
        Ok(file) => file.file_type(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("cannot look at {shown}")),
    };
    if !kind.is_socket() {
        let what = match kind {
            kind if kind.is_symlink() => "a symbolic link",
            kind if kind.is_dir() => "a folder",
            kind if kind.is_file() => "a regular file",
            _ => "a special file",
        };
        bail!("{shown} is {what}, not a socket; remove it or choose another path with --socket");
    }
    match UnixStream::connect(path) {
        Ok(_) => bail!("another server listens on {shown}; choose another path with --socket"),
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path).with_context(|| format!("cannot replace {shown}"))
        }
        Err(error) => Err(error).with_context(|| format!("cannot tell if {shown} is in use")),
    }
}

/// Returns a socket that listens on `path`, with mode 0600 before anybody can connect.
fn listen(path: &Path) -> Result<UnixListener> {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
    let (family, kind) = (AddressFamily::UNIX, SocketType::STREAM);
    let socket = rustix::net::socket_with(family, kind, SocketFlags::CLOEXEC, None)?;
    rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    rustix::net::listen(&socket, BACKLOG)?;
    Ok(socket.into())
}

/// A listening socket.
#[derive(Debug)]
pub struct Server {
    path: PathBuf,
    /// The identity of the socket's file. Another file may replace it while the server runs.
    file: Option<FileIdentity>,
    listener: UnixListener,
    stopping: AtomicBool,
    /// The program that serves each client in a separate process; `None`: threads of this process
    /// serve the clients.
    program: Option<Program>,
    /// The clients, to stop their commands and to wake their threads at the end.
    watch: Watch,
}

impl Server {
    /// Listens on `path` with a socket that only its owner may connect to. A socket without a
    /// listening process is replaced.
    ///
    /// # Errors
    /// Another server listens on `path`; `path` is a file or link, which is kept; the system's.
    pub fn bind(path: &Path) -> Result<Self> {
        remove_dead_socket(path)?;
        let listener =
            listen(path).with_context(|| format!("cannot listen on {}", path.display()))?;
        Ok(Server {
            path: path.to_owned(),
            file: identity(path),
            listener,
            stopping: AtomicBool::new(false),
            program: None,
            watch: Watch::default(),
        })
    }

    /// Serves each client from a separate process that runs `program`.
    #[must_use]
    pub fn with_processes(self, program: Program) -> Self {
        Server { program: Some(program), ..self }
    }

    /// Ends [`serve`](Self::serve): clients are disconnected.
    pub fn stop(&self) {
        self.stopping.store(true, SeqCst);
        self.watch.cancel_all();
        // Wakes the listener.
        let _ = UnixStream::connect(&self.path);
    }

    /// Serves clients until [`stop`](Self::stop) is called and the last of them has gone.
    ///
    /// # Errors
    /// The listener's.
    pub fn serve(&self, service: &Service<'_>) -> Result<()> {
        let mut number = 0;
        let places = Places::new(service.max_clients, service.memory.turns());
        thread::scope(|scope| {
            scope.spawn(|| {
                let turns = service.memory.turns();
                self.watch.run(&self.stopping, service.command_time, turns);
                // Clients that wait for a turn end, too.
                turns.open();
            });
            if std::io::stderr().is_terminal() {
                scope.spawn(|| self.report(service));
            }
            let mut newcomers = Newcomers::default();
            while !self.stopping.load(SeqCst) {
                let wait = if newcomers.is_empty() { None } else { Some(&RETRY) };
                match self.arrival(wait) {
                    Ok(Some(newcomer)) => newcomers.push(newcomer),
                    Ok(None) => {}
                    Err(error) => {
                        // Usually too many open files: the other clients are served on.
                        log::error!("a client could not be taken: {error}");
                        thread::sleep(Duration::from_millis(50));
                    }
                }
                if self.stopping.load(SeqCst) {
                    break;
                }
                let place = |newcomer: &Newcomer| self.place(newcomer, &places, service);
                for (newcomer, place) in newcomers.admit(service.patience, place) {
                    // Dropping a connection closes it.
                    match place {
                        Ok(place) => {
                            number += 1;
                            self.begin(scope, number, newcomer.stream, place, service);
                        }
                        Err(error) => log::error!("a client is refused: {error:#}"),
                    }
                }
            }
        });
        self.remove_socket();
        Ok(())
    }

    /// Starts the thread of a client. The watch sees the client from now on.
    fn begin<'scope>(
        &'scope self,
        scope: &'scope thread::Scope<'scope, '_>,
        number: u64,
        stream: UnixStream,
        place: Arc<Place>,
        service: &'scope Service<'_>,
    ) {
        if let Err(error) = self.watch.add(number, &stream, &place) {
            return log::error!("client {number}: no watch: {error}");
        }
        Stats::add(&service.stats.clients, 1);
        let client = thread::Builder::new()
            .name(format!("client-{number}"))
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, move || self.client(number, &stream, &place, service));
        if let Err(error) = client {
            self.watch.remove(number);
            Stats::take(&service.stats.clients, 1);
            log::error!("client {number}: no thread: {error}");
        }
    }

    /// Waits for a connection; `None` if none arrives within `time`.
    ///
    /// # Errors
    /// The system's.
    fn arrival(&self, time: Option<&Timespec>) -> std::io::Result<Option<Newcomer>> {
        let mut files = [PollFd::new(&self.listener, PollFlags::IN)];
        if retry_on_intr(|| poll(&mut files, time))? == 0 {
            return Ok(None);
        }
        Newcomer::new(self.listener.accept()?.0).map(Some)
    }

    /// Returns a place for a new connection. May disconnect a resting client to free a place.
    ///
    /// # Errors
    /// All places are taken, or the program uses its whole share of the places.
    fn place(
        &self,
        newcomer: &Newcomer,
        places: &Arc<Places>,
        service: &Service<'_>,
    ) -> Result<Arc<Place>> {
        let id = newcomer.id;
        let take = || places.take(id, &service.files);
        if let Ok(place) = take() {
            return Ok(place);
        }
        // Some clients may have hung up just now.
        self.watch.look(service.command_time);
        let own = match take() {
            Ok(place) => return Ok(place),
            Err(Full::Server) => None,
            Err(Full::Peer(_)) => Some(id),
        };
        if let Some(number) = service.timeout.and_then(|idle| self.watch.make_room(idle, own)) {
            log::warn!(
                "client {number} is disconnected to make room for another one (--clients): \
                 it rested, and held next to nothing"
            );
        }
        take().map_err(|full| match full {
            Full::Server => anyhow!("{} are connected (--clients)", service.max_clients),
            Full::Peer(count) => {
                anyhow!(
                    "its program has {count} connections, those that hung up just now among them; \
                     its share is a quarter of all places (--clients)"
                )
            }
        })
    }

    /// Removes the socket's file, unless another file has replaced it.
    pub fn remove_socket(&self) {
        if self.file.is_some() && identity(&self.path) == self.file {
            // The file may be gone already.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    fn client(&self, number: u64, stream: &UnixStream, place: &Arc<Place>, service: &Service<'_>) {
        let stats = &service.stats;
        Stats::add(&stats.connections, 1);
        let served = catch_unwind(AssertUnwindSafe(|| match &self.program {
            None => serve_client(service, &self.watch, &self.stopping, number, stream, place),
            Some(program) => self.serve_apart(program, number, stream, place, service),
        }));
        match served {
            Ok(Ok(())) => log::info!("client {number} has gone"),
            Ok(Err(_)) if self.stopping.load(SeqCst) => {}
            Ok(Err(ClientError::Process(ending))) if ending.is_told() => {
                log::info!("client {number} has gone: {ending}");
            }
            Ok(Err(error)) if error.is_hangup() => log::info!("client {number} has gone: {error}"),
            Ok(Err(error)) => log::error!("client {number} is disconnected: {error}"),
            Err(_) => log::error!("client {number} is disconnected: this is our bug"),
        }
        // After a panic the client is still under watch.
        self.watch.remove(number);
        // A client that sees the end may connect again at once.
        place.free();
        // The client's copy is closed. Shut the socket down even if other copies are open.
        let _ = stream.shutdown(Shutdown::Both);
        Stats::take(&stats.clients, 1);
    }

    /// Serves a client from a separate process.
    fn serve_apart(
        &self,
        program: &Program,
        number: u64,
        stream: &UnixStream,
        place: &Place,
        service: &Service<'_>,
    ) -> Result<(), ClientError> {
        if self.stopping.load(SeqCst) {
            return Ok(());
        }
        // The process watches its client. This server watches for the client's end and its rests.
        let diary = Diary::new()?;
        let (asks, to_server) = UnixStream::pair()?;
        let mut process = program.start(number, stream, &diary, to_server)?;
        self.watch.begin(number, Served::Apart(diary));
        // The process has its memory itself.
        let ended = service.memory.client(place.peer(), 0, |memory| {
            let turn = memory.activity().turn;
            thread::scope(|scope| {
                // The thread ends with the process, which has the only other end of the socket.
                let answers = thread::Builder::new().name(format!("turns-{number}"));
                let answers = answers.spawn_scoped(scope, || turn.answer(&asks));
                if answers.is_err() {
                    process.kill()?;
                }
                let ended = isolate::wait(&mut process, stream);
                answers.and(ended)
            })
        });
        match ended? {
            Some(status) if !status.success() => Err(ClientError::Process(Ending(status))),
            Some(_) => Ok(()),
            None => {
                log::info!("the process of client {number} outlived it and was killed");
                Ok(())
            }
        }
    }

    /// Keeps a line on the terminal up to date.
    fn report(&self, service: &Service<'_>) {
        let stats = &service.stats;
        let (mut frames, mut draws, mut since) = (0, 0, Instant::now());
        while !self.stopping.load(SeqCst) {
            thread::sleep(Duration::from_millis(500));
            let (now_frames, now_draws) = (Stats::get(&stats.frames), Stats::get(&stats.draws));
            let seconds = since.elapsed().as_secs_f64().max(1e-3);
            let rate = |now: u64, before: u64| (now - before) as f64 / seconds;
            eprint!(
                "\r\x1b[K{} of {} clients   {:.0} frames/s   {:.0} draws/s   {} MiB",
                Stats::get(&stats.clients),
                Stats::get(&stats.connections),
                rate(now_frames, frames),
                rate(now_draws, draws),
                service.memory.used() >> 20,
            );
            (frames, draws, since) = (now_frames, now_draws, Instant::now());
        }
        eprintln!();
    }
}

/// Serves a client that `watch` has added, on a separate screen.
///
/// # Errors
/// See [`ClientError`].
pub fn serve_client(
    service: &Service<'_>,
    watch: &Watch,
    stopping: &AtomicBool,
    number: u64,
    stream: &UnixStream,
    place: &Arc<Place>,
) -> Result<(), ClientError> {
    let times = Times { message: service.timeout, idle: service.idle_time };
    let mut socket = Socket::new(stream, times)?;
    let served = service.client_of(place.peer(), number, |client| {
        watch.begin(number, Served::Here(client.activity()));
        if let Some(diary) = &service.diary.get() {
            client.activity().keep(diary.try_clone()?);
        }
        // If the server stopped before this line, `cancel_all` has missed the client.
        match stopping.load(SeqCst) {
            true => Ok(()),
            false => client.serve(&mut socket),
        }
    });
    watch.remove(number);
    served.unwrap_or(Ok(()))
}
