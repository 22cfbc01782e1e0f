//! The n-th request for memory fails, for every n, in sequences of calls and in sessions: no panic,
//! no leak, and what comes afterwards is drawn as ever.
//!
//! `GALLIUM_SHARED` names a folder whose `captures` are swept too.

mod common;

use common::random;
use gallium_fuzz::{api, session};
use os_shim::System;
use os_shim::memory::{FailAt, Memory};

/// Sequences of calls that are swept.
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

/// Lets each request of a session fail; returns their number.
fn sweep(name: &str, session: &[u8]) -> u64 {
    let mut nth = 0;
    loop {
        // Drivers of a server hold their heap for the lifetime of the program.
        let failing: &'static FailAt<'_> = Box::leak(Box::new(FailAt::never(Memory::system())));
        let server = session::Server::new(Memory::new(failing));
        failing.fail_after(nth);
        let _ = server.session(session);
        let failed = failing.failed();
        failing.fail_after(u64::MAX);
        server.check();
        if !failed {
            println!("{name}: {nth} requests");
            return nth;
        }
        nth += 1;
    }
}

#[test]
fn every_request_of_sessions() {
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/session")];
    if let Some(shared) = std::env::var_os("GALLIUM_SHARED") {
        folders.push(std::path::PathBuf::from(shared).join("captures"));
    }
    let mut requests = 0;
    for folder in folders {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.display().to_string();
            if !name.contains("/session/") && !name.ends_with(".v0.vtest") {
                continue;
            }
            requests += sweep(&name, &std::fs::read(&path).expect("a session"));
        }
    }
    assert!(requests > 300, "only {requests} requests");
}
