//! Clients that hang up, send slowly or draw without end, and the end of the server.

use std::io::{Read, Write};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gallium_vtest::error::ClientError;
use gallium_vtest::link::{Link, Socket, Times};
use gallium_vtest::replay::Replay;
use gallium_vtest::stats::Stats;
use os_shim::Os;
use os_shim::budget::WorkBudget;
use rustix::process::{Pid, Signal, kill_process};

use crate::connection::with_service;
use crate::sessions;
use crate::socket::Folder;
use crate::stream::{CONSTANT, RED, SIZE, Stream, TRIANGLE, bytes, format};

const TIMEOUT: Duration = Duration::from_millis(300);

/// Serves one client with a timeout and returns the result. `client` drives the other end of the
/// socket.
fn served(client: impl FnOnce(&mut UnixStream) + Send) -> Result<(), ClientError> {
    served_within(Times { message: Some(TIMEOUT), idle: None }, client)
}

fn served_within(
    times: Times,
    client: impl FnOnce(&mut UnixStream) + Send,
) -> Result<(), ClientError> {
    let (mut ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            client(&mut ours);
            // Until the server hangs up.
            let _ = ours.read_to_end(&mut Vec::new());
        });
        with_service(Os::host().memory, |service| {
            let mut socket = Socket::new(&theirs, times).expect("a socket");
            let served = service.client(1, |client| client.serve(&mut socket));
            theirs.shutdown(std::net::Shutdown::Both).ok();
            served.expect("a screen")
        })
    })
}

fn assert_timed_out(result: Result<(), ClientError>, what: &str) {
    let error = result.expect_err(what).to_string();
    assert!(error.contains(what) && error.contains("--timeout"), "{error}");
}

#[test]
fn silence_and_half_sent_messages_time_out() {
    assert_timed_out(served(|_| {}), "the client said nothing");
    let rest = "the client did not send the rest of a message";
    assert_timed_out(served(|client| client.write_all(&[1, 0, 0]).expect("sent")), rest);
    let half = bytes(&[1000, 6, 0, 0]);
    assert_timed_out(served(|client| client.write_all(&half).expect("sent")), rest);
    let drip = |client: &mut UnixStream| {
        client.write_all(&half).expect("sent");
        while client.write_all(&[0]).is_ok() {
            std::thread::sleep(TIMEOUT / 6);
        }
    };
    assert_timed_out(served(drip), rest);
}

#[test]
fn an_answer_that_nobody_takes_times_out() {
    let buffer = bytes(&[10, 2, 1, 0, format::R8_UNORM, 0x10, 4, 1, 1, 1, 0, 0]);
    let get = bytes(&[11, 4, 1, 0, 0, 0, 0, 0, 0, 4, 1, 1, 1 << 26]);
    let (mut ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    ours.write_all(&[buffer, get].concat()).expect("sent");
    let served = with_service(Os::host().memory, |service| {
        let times = Times { message: Some(TIMEOUT), idle: None };
        let mut socket = Socket::new(&theirs, times).expect("a socket");
        service.client(1, |client| client.serve(&mut socket))
    });
    assert_timed_out(served.expect("a screen"), "the client did not take its answer");
}

#[test]
fn a_client_may_rest_between_messages() {
    let result = served(|client| {
        for _ in 0..2 {
            client.write_all(&bytes(&[0, 10])).expect("sent");
            client.read_exact(&mut [0; 8]).expect("an answer");
            std::thread::sleep(TIMEOUT * 3);
        }
        client.shutdown(std::net::Shutdown::Write).expect("hung up");
    });
    assert!(result.is_ok(), "{result:?}");
}

#[test]
fn a_client_that_rests_beyond_the_idle_time_is_disconnected() {
    let ping = |client: &mut UnixStream| {
        client.write_all(&bytes(&[0, 10])).expect("sent");
        client.read_exact(&mut [0; 8]).expect("an answer");
    };
    for message in [None, Some(TIMEOUT / 3)] {
        let start = Instant::now();
        let times = Times { message, idle: Some(TIMEOUT) };
        let error = served_within(times, ping).expect_err("it rests for ever").to_string();
        assert!(error.contains("--idle-time"), "{error}");
        assert!(start.elapsed() >= TIMEOUT, "{:?}", start.elapsed());
    }
    // A message may take longer than a rest.
    let times = Times { message: Some(20 * TIMEOUT), idle: Some(TIMEOUT / 6) };
    let slow = served_within(times, |client| {
        client.write_all(&bytes(&[0])).expect("sent");
        std::thread::sleep(TIMEOUT);
        client.write_all(&bytes(&[10])).expect("sent");
        client.shutdown(std::net::Shutdown::Write).expect("hung up");
    });
    assert!(slow.is_ok(), "{slow:?}");
}

/// A client that cancels its commands once it has sent some bytes.
struct Leaver<'a> {
    requests: Replay<'a>,
    /// Bytes to send before the cancel.
    rest: usize,
    budget: Option<&'static WorkBudget>,
}

impl Link for Leaver<'_> {
    fn begin(&mut self) -> std::io::Result<bool> {
        self.requests.begin()
    }

    fn receive(&mut self, bytes: &mut [u8]) -> std::io::Result<()> {
        self.rest = self.rest.saturating_sub(bytes.len());
        if let (0, Some(budget)) = (self.rest, self.budget) {
            budget.cancel();
        }
        self.requests.receive(bytes)
    }

    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.requests.send(bytes)
    }

    fn send_file(&mut self, file: BorrowedFd<'_>) -> std::io::Result<()> {
        self.requests.send_file(file)
    }
}

#[test]
fn what_a_client_queued_is_dropped_when_it_hangs_up() {
    let session = sessions::triangle();
    let draws = |rest| {
        with_service(Os::host().memory, |service| {
            let requests = Replay::new(&session);
            let mut link = Leaver { requests, rest, budget: None };
            let served = service.client(1, |client| {
                link.budget = Some(&client.activity().budget);
                client.serve(&mut link)
            });
            assert!(matches!(served, Some(Ok(()))), "{served:?}");
            (Stats::get(&service.stats.draws), link.requests.answers.len())
        })
    };
    assert_eq!(draws(usize::MAX), (1, sessions::triangle_answers().len()));
    // The greeting, 12 bytes, was answered; the stream was not run to its end.
    assert_eq!(draws(13), (0, 12));
}

/// A fragment shader that takes minutes. Its loop depends on the pixel's position, because a loop
/// over constants alone runs once per draw.
const SLOW: &str = "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\nDCL OUT[0], COLOR\nDCL CONST[0]\n\
                    DCL IN[0], POSITION, LINEAR\n\
                    DCL TEMP[0..1]\nIMM[0] FLT32 { 0.0, 1.0, 900000.0, 0.0 }\n\
                    0: MUL TEMP[0], IN[0], IMM[0].xxxx\n1: BGNLOOP\n2: SGE TEMP[1], TEMP[0], IMM[0].zzzz\n\
                    3: IF TEMP[1].xxxx\n4: BRK\n5: ENDIF\n6: ADD TEMP[0], TEMP[0], IMM[0].yyyy\n\
                    7: ENDLOOP\n8: MOV OUT[0], CONST[0]\n9: END\n";

/// Starts the server's program on a socket and waits until it listens.
pub fn start(folder: &Folder, options: &[&str]) -> (Child, UnixStream) {
    start_with_log(folder, options, Stdio::null())
}

/// Starts the server with its log in a file, or nowhere; see [`start`].
pub fn start_with_log(folder: &Folder, options: &[&str], log: Stdio) -> (Child, UnixStream) {
    let path = folder.path("socket");
    let mut child = Command::new(env!("CARGO_BIN_EXE_gallium-vtest"))
        .args(["--threads", "1", "--socket"])
        .arg(&path)
        .args(options)
        .stderr(log)
        .spawn()
        .expect("the server");
    let deadline = Instant::now() + Duration::from_secs(30);
    while Instant::now() < deadline {
        if let Ok(stream) = UnixStream::connect(&path) {
            return (child, stream);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    panic!("the server does not listen: {:?}", child.wait());
}

/// Ends the server with a signal. Returns its exit code and the time until it ended.
pub fn terminate(mut child: Child) -> (Option<i32>, Duration) {
    let started = Instant::now();
    let pid = Pid::from_raw(child.id().cast_signed()).expect("a process");
    kill_process(pid, Signal::TERM).expect("a signal");
    let status = child.wait().expect("the server ends");
    (status.code(), started.elapsed())
}

#[test]
fn a_signal_ends_an_idle_server_with_success() {
    let folder = Folder::new("idle");
    let (child, mut client) = start(&folder, &[]);
    client.write_all(&bytes(&[0, 10])).expect("sent");
    client.read_exact(&mut [0; 8]).expect("an answer");
    assert_eq!(terminate(child).0, Some(0));
    assert!(!folder.path("socket").exists());
}

/// Returns a session that draws for minutes: 8 times 512×512 pixels of 900,000 turns each.
fn endless() -> Vec<u8> {
    let target = [10, 2, 1, 2, format::R8G8B8A8_UNORM, 0xa, 512, 512, 1, 1, 0, 0];
    let vertices = [10, 2, 2, 0, format::R8_UNORM, 0x10, 48, 1, 1, 1, 0, 0];
    let put = [11 + 12, 5, 2, 0, 48, 48, 0, 0, 0, 48, 1, 1, 48];
    let mut stream = Stream::default();
    let size = [512.0f32 / 2.0; 2].map(f32::to_bits);
    let half = 0.5f32.to_bits();
    stream.triangle(SLOW, RED);
    stream.command(4, 0, &[0, size[0], size[1], half, size[0], size[1], half]);
    for _ in 0..SIZE {
        stream.draw(4, 3);
    }
    let mut session = bytes(&[1, 11, 0]);
    session.extend(bytes(&target));
    session.extend(bytes(&vertices));
    session.extend(bytes(&put));
    session.extend(bytes(&TRIANGLE.map(f32::to_bits)));
    session.extend(bytes(&[stream.0.len() as u32, 6]));
    session.extend(bytes(&stream.0));
    session
}

#[test]
fn a_signal_ends_the_server_whatever_runs() {
    let folder = Folder::new("busy");
    let (child, mut client) = start(&folder, &[]);
    client.write_all(&endless()).expect("sent");
    client.read_exact(&mut [0; 12]).expect("a version");
    std::thread::sleep(Duration::from_millis(500));
    let (code, took) = terminate(child);
    // The driver stops the draw in time. The bound is wide, because the machine may be under load.
    assert!(matches!(code, Some(0 | 3)), "{code:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(!folder.path("socket").exists());
}

/// Returns a session with a greeting and `count` streams. Each stream draws for minutes.
fn endless_streams(count: usize) -> Vec<u8> {
    let session = endless();
    // Each further stream has only the eight draws, because the state stays set.
    let mut stream = Stream::default();
    for _ in 0..SIZE {
        stream.draw(4, 3);
    }
    let more = bytes(&[&[stream.0.len() as u32, 6], &stream.0[..]].concat());
    [session, more.repeat(count - 1)].concat()
}

#[test]
fn a_command_that_takes_too_long_is_stopped_and_its_client_lives_as_others_do() {
    let folder = Folder::new("endless");
    let (child, mut client) = start(&folder, &["--command-time", "1"]);
    client.write_all(&endless()).expect("sent");
    client.read_exact(&mut [0; 12]).expect("a version");
    let mut other = UnixStream::connect(folder.path("socket")).expect("another client");
    let greet = |client: &mut UnixStream| {
        client.write_all(&bytes(&[0, 10])).expect("sent");
        client.read_exact(&mut [0; 8]).expect("an answer");
    };
    greet(&mut other);
    // Without the limit, this would take hours. The eight draws have a second each.
    let started = Instant::now();
    greet(&mut client);
    assert!(started.elapsed() > Duration::from_secs(4), "{:?}", started.elapsed());
    greet(&mut other);
    assert_eq!(terminate(child).0, Some(0));
}

#[test]
fn commands_of_too_much_work_are_dropped_and_the_third_disconnects() {
    let served = |streams| {
        with_service(Os::host().memory, |mut service| {
            service.command_work = 1 << 20;
            let session = endless_streams(streams);
            let served = service.client(1, |client| client.serve(&mut Replay::new(&session)));
            served.expect("a screen")
        })
    };
    served(2).expect("it goes on after two");
    // Eight draws, and the clear.
    assert_eq!(
        served(3).expect_err("endless").to_string(),
        "drawing of a stream's commands was stopped: it takes more than 8388608 units of work; if \
         the client should have more, start the server with a larger --command-work (0: any)"
    );
}

/// A draw that the driver defers is charged as a draw, even if another command executes it.
#[test]
fn the_end_of_a_stream_may_take_what_its_draws_may_take() {
    const DRAWS: u64 = 6;
    // No integer kernel takes a position, and it differs between fragments, so that the general path
    // counts its batches.
    let fragment = CONSTANT
        .replace("DCL OUT[0]", "DCL IN[0], POSITION, LINEAR\nDCL OUT[0]")
        .replace("MOV OUT[0], CONST[0]", "MOV OUT[0], IN[0]");
    let mut stream = Stream::default();
    stream.triangle(&fragment, RED);
    for _ in 0..DRAWS {
        stream.draw(4, 3);
    }
    let put = [11 + 12, 5, 2, 0, 48, 48, 0, 0, 0, 48, 1, 1, 48];
    let session = [
        bytes(&[1, 11, 0]),
        bytes(&[10, 2, 1, 2, format::R8G8B8A8_UNORM, 0xa, 512, 512, 1, 1, 0, 0]),
        bytes(&[10, 2, 2, 0, format::R8_UNORM, 0x10, 48, 1, 1, 1, 0, 0]),
        bytes(&put),
        bytes(&TRIANGLE.map(f32::to_bits)),
    ];
    let mut session = session.concat();
    let size = [512.0f32 / 2.0; 2].map(f32::to_bits);
    let half = 0.5f32.to_bits();
    stream.command(4, 0, &[0, size[0], size[1], half, size[0], size[1], half]);
    let mut last = Stream::default();
    for _ in 0..DRAWS {
        last.draw(4, 3);
    }
    for stream in [stream, last] {
        session.extend(bytes(&[&[stream.0.len() as u32, 6], &stream.0[..]].concat()));
    }
    let stopped = |units| {
        with_service(Os::host().memory, |mut service| {
            service.command_work = units;
            let served = service.client(1, |client| {
                // The third stop disconnects.
                let _ = client.serve(&mut Replay::new(&session));
                client.stops()
            });
            served.expect("a screen")
        })
    };
    let enough = (0..32).map(|bits| 1 << bits).find(|units| stopped(*units) == 0);
    let enough = enough.expect("a budget");
    // Half of a 512×512 target has 2048 batches of 64 fragments. A draw runs at least one
    // instruction per batch. All draws together take at least six times as much.
    assert!(enough <= 8 * 2048, "{enough}");
    assert!(stopped(2048 / 4) > 0);
}
