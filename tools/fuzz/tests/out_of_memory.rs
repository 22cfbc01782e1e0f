//! Lets the n-th allocation fail, for every n, in sequences of calls and in sessions: no panic, no
//! leak, and later pictures are drawn as usual.
//!
//! `GALLIUM_SHARED` names a folder; its subfolder `captures` is swept, too. `GALLIUM_SESSIONS`
//! names a folder of recorded sessions (`*.v0.vtest`). In each of them `GALLIUM_SESSION_REQUESTS`
//! (20) allocations fail, spread evenly.

mod common;

use std::path::{Path, PathBuf};

use common::random;
use gallium_fuzz::{api, session};
use os_shim::System;
use os_shim::memory::{FailAt, Memory};

/// The suffix of recorded sessions with inline transfers.
const RECORDED: &str = ".v0.vtest";

/// Number of sequences of calls to sweep.
const SEQUENCES: u64 = 10;

#[test]
fn every_request_of_ten_sequences_of_calls() {
    for seed in 0..SEQUENCES {
        let bytes = random(seed, 900);
        let check = seed % 2 == 0;
        let mut nth = 0;
        loop {
            let system = System::new();
            let failing = FailAt::new(Memory::new(&system), nth);
            api::run_in(Memory::new(&failing), &bytes, check);
            assert_eq!(system.usage().used, 0, "sequence {seed}: request {nth} leaks");
            if !failing.failed() {
                break;
            }
            nth += 1;
        }
        println!("sequence {seed}: {nth} requests");
        assert!(nth > 50, "sequence {seed}: only {nth} requests");
    }
}

/// Serves a session, lets its allocation number `nth` fail, and checks the server. Returns true if
/// the session made that many allocations.
fn fail(session: &[u8], nth: u64) -> bool {
    let (failing, server) = server();
    failing.fail_after(nth);
    let _ = server.session(session);
    let failed = failing.failed();
    failing.fail_after(u64::MAX);
    server.check();
    failed
}

/// Returns the number of allocations that a session makes.
fn requests(session: &[u8]) -> u64 {
    let (counting, server) = server();
    counting.fail_after(u64::MAX);
    let _ = server.session(session);
    counting.requests()
}

/// Returns a server with a desktop's limits, and its heap.
fn server() -> (&'static FailAt<'static>, session::Server) {
    // Drivers of a server keep their heap for the lifetime of the program.
    let heap: &'static FailAt<'_> = Box::leak(Box::new(FailAt::never(Memory::system())));
    (heap, session::Server::with_limits(Memory::new(heap), 512 << 20, 1 << 32))
}

/// Lets each allocation of a session fail in turn; returns their number.
fn sweep(name: &str, session: &[u8]) -> u64 {
    let count = (0..).take_while(|nth| fail(session, *nth)).count() as u64;
    println!("{name}: {count} requests");
    count
}

/// Lets `sample` allocations of a session fail, including the first; returns the number of all.
fn sample(name: &str, session: &[u8], sample: u64) -> u64 {
    let count = requests(session);
    let step = (count / sample).max(1);
    let failed = (0..count).step_by(step as usize).filter(|nth| fail(session, *nth)).count();
    println!("{name}: {failed} of {count} requests");
    failed as u64
}

/// Returns the paths in a folder with a given suffix.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with(end)).collect();
    paths.sort();
    paths
}

#[test]
fn every_request_of_sessions() {
    let mut paths = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/session"), "");
    if let Some(shared) = std::env::var_os("GALLIUM_SHARED") {
        paths.extend(files(&Path::new(&shared).join("captures"), RECORDED));
    }
    let read = |path: &PathBuf| std::fs::read(path).expect("a session");
    let requests: u64 =
        paths.iter().map(|path| sweep(&path.display().to_string(), &read(path))).sum();
    assert!(requests > 300, "only {requests} requests");
}

#[test]
fn some_requests_of_long_sessions() {
    let number = |name| std::env::var(name).ok()?.parse::<u64>().ok();
    let each = number("GALLIUM_SESSION_REQUESTS").unwrap_or(20).max(1);
    let folder = std::env::var_os("GALLIUM_SESSIONS").map(PathBuf::from);
    let recorded = folder.map(|folder| files(&folder, RECORDED)).unwrap_or_default();
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/session/varied");
    let paths = recorded.iter().chain([&committed]);
    let failed: u64 = paths
        .map(|path| {
            sample(&path.display().to_string(), &std::fs::read(path).expect("a session"), each)
        })
        .sum();
    println!("{failed} requests of {} sessions failed", recorded.len() + 1);
    assert!(failed >= each, "only {failed} requests failed");
}
