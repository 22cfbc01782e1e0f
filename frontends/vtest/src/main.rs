//! The server's command line.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, clippy::expect_used)
)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use codegen::Generator;
use gallium_vtest::caps::GlVersion;
use gallium_vtest::client::{COMMAND_TIME, COMMAND_WORK, MAX_CLIENTS, Screens, Service};
use gallium_vtest::clock::MonotonicClock;
use gallium_vtest::diary::Diary;
use gallium_vtest::ending;
use gallium_vtest::files::{self, Files};
use gallium_vtest::frames::FrameDump;
use gallium_vtest::generators::Generators;
use gallium_vtest::isolate::{self, Program};
use gallium_vtest::log_rate::Limited;
use gallium_vtest::memory::ServerMemory;
use gallium_vtest::peer::{PeerId, Places};
use gallium_vtest::resource::Device;
use gallium_vtest::server::{DEFAULT_SOCKET, STACK_BYTES, Server, serve_client};
use gallium_vtest::watch::{Activity, Watch};
use inspect::serve_live::{LiveServer, watched};
use os_shim::memory::return_large_blocks;
use os_shim::options::{Environment, thread_count};
use os_shim::threads::{Inline, Pool, Threads};
use os_shim::{Memory, Os};
use pipe_core::Screen;
use pipe_core::wrap::CheckScreen;
use pipe_core::wrap::record::{RecordFiles, recorded};

/// The time that the clients' commands have to end after a signal. The system needs the rest of the
/// second to free gigabytes.
const GRACE: Duration = Duration::from_millis(400);

/// The default limit of the processor time of one command with `--isolate`.
const ISOLATED_TIME: Duration = Duration::from_secs(10);

/// The exit code if commands had not ended after [`GRACE`].
const CUT_OFF: i32 = 3;

/// Renders for OpenGL programs: Mesa's `virpipe` driver sends their commands to this server.
///
/// Start it, then, in another terminal:
///
///   LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=virpipe glxgears
///
/// Clients look for the server at /tmp/.virgl_test. `cargo xtask piglit` runs a test suite
/// against it.
///
/// SIGTERM and SIGINT end the server within a second. Its exit code is 0 if the clients' commands
/// had ended by then, 3 if some were cut off, 1 after an error, 2 for a wrong command line.
#[derive(Parser)]
#[command(name = "gallium-vtest", version, verbatim_doc_comment)]
struct Cli {
    /// Socket to listen on, for programs of this user alone; a dead socket there is replaced,
    /// other files are not. Mesa 22 always connects to the default; newer versions to
    /// $VTEST_SOCKET_NAME.
    #[arg(long, value_name = "PATH", env = "VTEST_SOCKET_NAME", default_value = DEFAULT_SOCKET)]
    socket: PathBuf,
    /// Number of threads that draw; 0: $GALLIUM_NUM_THREADS, or one for each processor.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// The newest version of OpenGL to announce; the driver's capabilities limit it too.
    #[arg(long, value_name = "VERSION", default_value = "4.6")]
    max_gl: GlVersion,
    /// Megabytes that one client may use: its resources, contexts, shaders and other objects,
    /// messages and shared memory; 2048 without this option, 256 with `--isolate`. A client that
    /// sends a larger message is disconnected; other commands that find no memory are skipped.
    #[arg(long, value_name = "MIB")]
    client_memory: Option<usize>,
    /// Megabytes that all clients together may use.
    #[arg(long, value_name = "MIB", default_value_t = 8192)]
    server_memory: usize,
    /// Number of clients that may be connected at a time. One program may connect a quarter of
    /// them, at least 8. When all places are taken, a further client replaces a client that holds
    /// next to nothing and has rested for --timeout: the one that has rested longest. A program
    /// that has its quarter replaces one of its own clients. If no place becomes free within a
    /// tenth of a second, the further client is disconnected. A client's place is free when it
    /// hangs up.
    #[arg(long, value_name = "N", default_value_t = MAX_CLIENTS)]
    clients: u64,
    /// Seconds for a client's first message, for the rest of a message that it has begun, and
    /// for taking an answer, before it is disconnected; 0: any time.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
    /// Seconds that a client may say nothing between two messages, before it is disconnected; 0:
    /// any time, as programs that wait for their user rest for hours.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    idle_time: u64,
    /// Seconds of processor time that one command of a client (a draw, a blit, a grid) may take, on
    /// all threads together; 60 without this option, 10 with `--isolate`; 0: any time. A command
    /// that has to finish earlier draws has the time of each of them, up to 16. A command that
    /// takes longer is stopped together with the draws that it has to finish. The third time, its
    /// client is disconnected.
    #[arg(long, value_name = "SECONDS")]
    command_time: Option<u64>,
    /// Units of work that one command may take, with the same rules as --command-time. A unit is a
    /// vertex, an op of a shader for a batch of 64 fragments, or a row of texels.
    #[arg(long, value_name = "UNITS", default_value_t = COMMAND_WORK)]
    command_work: u64,
    /// Serve each client from a separate process that can open no files, connect nowhere and start
    /// no programs: for untrusted clients. As many clients may connect as fit into the server's
    /// memory.
    #[arg(long, conflicts_with_all = ["dump_frames", "trace"])]
    isolate: bool,
    /// The number of the only client to serve, on standard input. `--isolate` starts processes with
    /// this option.
    #[arg(long, value_name = "NUMBER", hide = true)]
    only_client: Option<u64>,
    /// The number of the open file that the only client's diary is kept in.
    #[arg(long, value_name = "FILE", hide = true, requires = "only_client")]
    diary: Option<u32>,
    /// Interpret all shaders. Otherwise shaders that run often are compiled to machine code if the
    /// processor has AVX2; pixels are the same. Implied by `--isolate`.
    #[arg(long)]
    interpret: bool,
    /// The driver: `raster`, or `reference`, the plain driver that serves as a reference for tests.
    /// `reference` draws pixel by pixel, and nothing limits its work and memory: do not use it with
    /// untrusted clients.
    #[arg(long, value_enum, default_value_t = Driver::Raster, conflicts_with = "isolate")]
    driver: Driver,
    /// Level of the log on standard error: off, error, warn, info, debug or trace.
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    log: log::LevelFilter,
    /// Write a picture of every frame to this folder.
    #[arg(long, value_name = "DIR")]
    dump_frames: Option<PathBuf>,
    /// Write every call of the driver, with its data, to this file once a client draws. The calls
    /// of later clients that draw go to FILE.2, FILE.3 and so on. All files together have at most
    /// --server-memory bytes. `cargo xtask replay FILE` replays the trace.
    #[arg(long, value_name = "FILE", env = "GALLIUM_TRACE")]
    trace: Option<PathBuf>,
}

/// A driver of the server's clients.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Driver {
    /// The software rasterizer.
    Raster,
    /// The plain reference driver.
    Reference,
}

fn main() -> ExitCode {
    return_large_blocks();
    let cli = Cli::parse();
    if cli.only_client.is_some()
        && let Err(error) = isolate::drop_capabilities()
    {
        eprintln!("error: {error:#}");
        return ExitCode::FAILURE;
    }
    let log = env_logger::Builder::new()
        .filter_level(cli.log)
        // Real clients declare registers that they never use, in every shader.
        .filter_module("gallium_pipe_core::wrap", cli.log.min(log::LevelFilter::Error))
        .build();
    if let Err(error) = Limited::new(log, cli.log).init() {
        eprintln!("no log: {error}");
    }
    match run(&cli) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The threads that draw; they live as long as the program.
fn threads(count: usize) -> &'static dyn Threads {
    let available = || thread::available_parallelism().map_or(1, |count| count.get());
    match if count == 0 { thread_count(&Environment, available()) } else { count } {
        1 => &Inline,
        count => Box::leak(Box::new(Pool::new(count))),
    }
}

fn run(cli: &Cli) -> Result<ExitCode> {
    let os = Os {
        memory: Memory::system(),
        threads: threads(cli.threads),
        options: &Environment,
        clock: &MonotonicClock,
    };
    os.dump_cpu();
    let is_confined = cli.isolate || cli.only_client.is_some();
    let generators = (!cli.interpret && !is_confined).then(Generators::default);
    let trace = cli.trace.as_deref().map(|path| {
        let files = RecordFiles::create(path);
        let files = files.with_context(|| format!("cannot write {}", path.display()))?;
        Ok::<_, anyhow::Error>(files.with_limit((cli.server_memory as u64).saturating_mul(1 << 20)))
    });
    let trace = trace.transpose()?;
    let rbug = if is_confined { None } else { LiveServer::of_options(&Environment)? };
    if let Some(server) = &rbug {
        println!("GALLIUM_RBUG: {}", server.link());
    }
    let screens = Checked { driver: cli.driver, os, generators, trace, rbug };
    serve(cli, &screens, os.threads.count())
}

/// A factory of screens that check their arguments, may trace their calls, and may be inspected.
struct Checked {
    driver: Driver,
    os: Os<'static>,
    generators: Option<Generators>,
    trace: Option<RecordFiles>,
    rbug: Option<LiveServer>,
}

impl Checked {
    /// Calls `run` with the wrapped screen.
    fn wrapped(
        &self,
        screen: &dyn Screen<'static>,
        memory: Memory<'static>,
        run: &mut dyn FnMut(Device<'_>),
    ) {
        watched(self.rbug.as_ref(), screen, memory, |screen| {
            recorded(screen, self.trace.as_ref(), memory, |screen| {
                run(&CheckScreen::new(screen, memory));
            });
        });
    }
}

impl Screens for Checked {
    fn with(
        &self,
        memory: Memory<'static>,
        activity: &'static Activity,
        run: &mut dyn FnMut(Device<'_>),
    ) {
        let threads = activity.threads(self.os.threads);
        let os = Os { memory, threads, ..self.os };
        if self.driver == Driver::Reference {
            let screen = reference::Screen::new(os, reference::Config::default());
            return self.wrapped(&screen, memory, run);
        }
        let config = raster::Config::default();
        let mut serve = |generator: Option<&'static Generator>| {
            let generator = generator.map(|it| it as _);
            let screen = raster::Screen::boxed(os, config, activity, generator);
            self.wrapped(&*screen, memory, run);
        };
        match &self.generators {
            Some(generators) => generators.with(serve),
            None => serve(None),
        }
    }
}

fn serve(cli: &Cli, screens: &dyn Screens, threads: usize) -> Result<ExitCode> {
    if let Err(error) = files::raise_limit() {
        log::warn!("no more open files than before: {error}");
    }
    let bytes = |mib: usize| mib.saturating_mul(1 << 20);
    let memory = ServerMemory::new(Memory::system(), bytes(cli.server_memory));
    let mut service = Service::new(screens, memory, cli.max_gl);
    let client_memory = cli.client_memory.unwrap_or(if cli.isolate { 256 } else { 2048 });
    service.client_memory = bytes(client_memory);
    service.max_clients = cli.clients;
    if cli.isolate {
        // Processes cannot share unused memory, so each process gets the limit of one client.
        let fitting = cli.server_memory / client_memory.max(1);
        service.max_clients = cli.clients.min(fitting as u64);
    }
    if cli.only_client.is_some() {
        service.max_clients = 1;
    }
    service.files = Files::of_process(service.max_clients);
    let seconds = |count: u64| (count > 0).then(|| Duration::from_secs(count));
    service.timeout = seconds(cli.timeout);
    service.idle_time = seconds(cli.idle_time);
    let command_time = if cli.isolate { ISOLATED_TIME } else { COMMAND_TIME };
    // The plain driver cannot be stopped: its commands have no time limit.
    let is_bounded = cli.driver == Driver::Raster;
    service.command_time =
        cli.command_time.map_or(Some(command_time), seconds).filter(|_| is_bounded);
    service.command_work = cli.command_work;
    service.frames = cli.dump_frames.clone().map(FrameDump::new).transpose()?;
    if let Some(number) = cli.only_client {
        let diary = cli.diary.context("the process of a client has a diary")?;
        return serve_one(&service, number, isolate::diary(diary)?, threads);
    }
    let mut server = Server::bind(&cli.socket)?;
    if cli.isolate {
        server = server.with_processes(Program::own()?);
    }
    let mut signals = signal_hook::iterator::Signals::new([
        signal_hook::consts::SIGINT,
        signal_hook::consts::SIGTERM,
    ])?;
    let handle = signals.handle();
    let (serving, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let server = &server;
        scope.spawn(move || {
            if signals.forever().next().is_none() {
                return;
            }
            server.stop();
            if ended.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout) {
                log::warn!("commands of clients are cut off");
                server.remove_socket();
                std::process::exit(CUT_OFF);
            }
        });
        let served = server.serve(&service);
        drop(serving);
        handle.close();
        served.map(|()| ExitCode::SUCCESS)
    })
}

/// Confines the process and serves the client on standard input. Returns the exit code. It is
/// [`ending::TOLD`] if the client was disconnected and the log has the reason.
fn serve_one(service: &Service<'_>, number: u64, diary: Diary, threads: usize) -> Result<ExitCode> {
    let stream = isolate::stream()?;
    service.memory.turns().ask(isolate::asks()?);
    let places = Places::new(1, service.memory.turns());
    let place = places.take(PeerId::Process(0), &service.files).ok();
    let place = place.context("there is one place for one client")?;
    let (watch, done) = (Watch::default(), AtomicBool::new(false));
    watch.add(number, &stream, &place)?;
    let _ = service.diary.set(diary);
    let (confined, begin) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(|| watch.run(&done, service.command_time, service.memory.turns()));
        let (watch, done, stream, place) = (&watch, &done, &stream, &place);
        let serve = move || {
            // If the channel closes, the process could not be confined, and nothing is drawn.
            let served = begin.recv().map_or(Ok(()), |()| {
                let stopping = AtomicBool::new(false);
                serve_client(service, watch, &stopping, number, stream, place)
            });
            done.store(true, SeqCst);
            served
        };
        let client = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, serve)?;
        // All threads have started: no thread can start after this call.
        let is_confined = isolate::confine(service.client_memory, threads);
        match &is_confined {
            Ok(()) => confined.send(())?,
            Err(_) => drop(confined),
        }
        let served = client.join();
        is_confined?;
        match served {
            Ok(Ok(())) => return Ok(ExitCode::SUCCESS),
            Ok(Err(error)) if error.is_hangup() => return Ok(ExitCode::SUCCESS),
            Ok(Err(error)) => log::error!("client {number} is disconnected: {error}"),
            Err(_) => log::error!("client {number} is disconnected: this is our bug"),
        }
        Ok(ExitCode::from(ending::TOLD))
    })
}
