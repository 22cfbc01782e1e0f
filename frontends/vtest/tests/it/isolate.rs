//! Clients in separate processes.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::hangup::{start, start_with_log, terminate};
use crate::sessions;
use crate::socket::Folder;
use crate::stream::{Stream, bytes};

/// Returns the child processes of a process.
fn children(parent: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{parent}/task")).expect("a running process");
    tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok())
        .flat_map(|list| list.split_whitespace().map(str::parse).collect::<Vec<_>>())
        .map(|child| child.expect("a process number"))
        .collect()
}

fn greet(client: &mut UnixStream) -> std::io::Result<()> {
    client.write_all(&bytes(&[0, 10]))?;
    client.read_exact(&mut [0; 8])
}

#[test]
fn clients_of_their_own_processes_draw_and_die_alone() {
    let folder = Folder::new("isolate");
    let (server, mut first) = start(&folder, &["--isolate", "--client-memory", "64"]);
    greet(&mut first).expect("an answer");
    let [process] = children(server.id())[..] else { panic!("one client, one process") };
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    assert!(status.contains("Seccomp:\t2"), "{status}");
    assert!(status.contains("CapPrm:\t0000000000000000"), "{status}");
    let limits = std::fs::read_to_string(format!("/proc/{process}/limits")).expect("a process");
    let limit = |name| {
        let line = limits.lines().find_map(|line| line.strip_prefix(name)).expect("a limit");
        line.split_whitespace().next().expect("a number").parse::<u64>().ok()
    };
    assert!(limit("Max address space").is_some(), "{limits}");
    assert_eq!(limit("Max processes"), Some(0));
    assert_eq!(limit("Max file size"), Some(64 << 20));
    let environment = std::fs::read(format!("/proc/{process}/environ")).expect("a process");
    let variables = environment.split(|byte| *byte == 0).filter(|variable| !variable.is_empty());
    assert!(variables.into_iter().all(|variable| variable.starts_with(b"GALLIUM_")));

    // The whole session: shaders, objects, a draw, transfers.
    let mut second = UnixStream::connect(folder.path("socket")).expect("a second client");
    second.write_all(&sessions::triangle()).expect("sent");
    let mut answers = vec![0; sessions::triangle_answers().len()];
    second.read_exact(&mut answers).expect("answers");
    assert_eq!(answers, sessions::triangle_answers());

    let pid = Pid::from_raw(process.cast_signed()).expect("a process");
    kill_process(pid, Signal::KILL).expect("a signal");
    assert_eq!(first.read(&mut [0; 8]).expect("the end"), 0, "the first client is gone");
    greet(&mut second).expect("the second goes on");
    let mut third = UnixStream::connect(folder.path("socket")).expect("a third client");
    greet(&mut third).expect("and others come");
    let id = server.id();
    assert_eq!(terminate(server).0, Some(0));
    assert!(!std::path::Path::new(&format!("/proc/{id}")).exists());
}

#[test]
fn the_log_says_why_a_process_ended_and_what_to_do() {
    let folder = Folder::new("isolate-log");
    let log = std::fs::File::create(folder.path("log")).expect("a file");
    let (server, mut killed) = start_with_log(&folder, &["--isolate"], log.into());
    greet(&mut killed).expect("an answer");
    let [process] = children(server.id())[..] else { panic!("one client, one process") };
    let pid = Pid::from_raw(process.cast_signed()).expect("a process");
    kill_process(pid, Signal::KILL).expect("a signal");
    assert_eq!(killed.read(&mut [0; 8]).expect("the end"), 0);
    let mut wrong = UnixStream::connect(folder.path("socket")).expect("a second client");
    // A message that the protocol does not have.
    wrong.write_all(&bytes(&[0, 99])).expect("sent");
    assert_eq!(wrong.read(&mut [0; 8]).expect("the end"), 0);
    assert_eq!(terminate(server).0, Some(0));

    let text = std::fs::read_to_string(folder.path("log")).expect("a log");
    let about =
        |client: &str| text.lines().filter(|line| line.contains(client)).collect::<Vec<_>>();
    let [killed] = about("client 1 is")[..] else { panic!("one line: {text}") };
    assert!(killed.contains("SIGKILL") && killed.contains("--server-memory"), "{killed}");
    // The client's process logged the reason; the server adds nothing.
    let [wrong] = about("client 2")[..] else { panic!("one line: {text}") };
    assert!(wrong.contains("client 2 is disconnected: protocol"), "{wrong}");
    assert!(!text.contains("exit status"), "{text}");
}

#[test]
fn no_more_processes_than_the_servers_memory_holds() {
    let folder = Folder::new("isolate-many");
    let options = ["--isolate", "--client-memory", "64", "--server-memory", "128"];
    let (server, mut first) = start(&folder, &options);
    greet(&mut first).expect("an answer");
    let mut second = UnixStream::connect(folder.path("socket")).expect("a second client");
    greet(&mut second).expect("an answer");
    let mut third = UnixStream::connect(folder.path("socket")).expect("accepted, and closed");
    assert!(greet(&mut third).is_err());
    greet(&mut first).expect("an answer");
    assert_eq!(terminate(server).0, Some(0));
}

/// The server reads in a process's diary that its client rests and holds next to nothing.
#[test]
fn clients_of_processes_make_room() {
    let folder = Folder::new("isolate-room");
    let options = ["--isolate", "--clients", "1", "--timeout", "1"];
    let (server, mut first) = start(&folder, &options);
    greet(&mut first).expect("an answer");
    let mut second = loop {
        std::thread::sleep(Duration::from_millis(200));
        let mut second = UnixStream::connect(folder.path("socket")).expect("accepted");
        if greet(&mut second).is_ok() {
            break second;
        }
    };
    assert_eq!(first.read(&mut [0; 8]).expect("the end"), 0, "it made room");
    let mut context = Stream::default();
    context.context(1);
    let message = [bytes(&[context.0.len() as u32, 6]), bytes(&context.0)].concat();
    second.write_all(&message).expect("sent");
    std::thread::sleep(Duration::from_secs(2));
    let mut third = UnixStream::connect(folder.path("socket")).expect("accepted, and closed");
    assert!(greet(&mut third).is_err(), "the second one has a context");
    greet(&mut second).expect("an answer");
    assert_eq!(terminate(server).0, Some(0));
}

#[test]
fn a_process_that_outlives_its_client_is_killed() {
    let folder = Folder::new("isolate-afterlife");
    let (server, mut client) = start(&folder, &["--isolate"]);
    greet(&mut client).expect("an answer");
    let [process] = children(server.id())[..] else { panic!("one client, one process") };
    // Stop the process, so that it cannot react to the hang-up.
    let pid = Pid::from_raw(process.cast_signed()).expect("a process");
    kill_process(pid, Signal::STOP).expect("a signal");
    drop(client);
    let hung_up = Instant::now();
    while !children(server.id()).is_empty() {
        assert!(hung_up.elapsed() < Duration::from_secs(20), "it lives on");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(hung_up.elapsed() >= Duration::from_secs(1), "{:?}", hung_up.elapsed());
    assert_eq!(terminate(server).0, Some(0));
}
