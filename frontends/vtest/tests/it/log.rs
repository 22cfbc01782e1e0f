//! The log of the server's program.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use crate::hangup::{start_with_log, terminate};
use crate::socket::Folder;
use crate::stream::{Stream, bytes, format};

/// Runs a server that logs into a file. Returns the log.
fn logged(name: &str, options: &[&str], run: impl FnOnce(&dyn Fn() -> UnixStream)) -> String {
    let folder = Folder::new(name);
    let log = std::fs::File::create(folder.path("log")).expect("a file");
    let (server, first) = start_with_log(&folder, options, log.into());
    drop(first);
    run(&|| UnixStream::connect(folder.path("socket")).expect("the server"));
    assert_eq!(terminate(server).0, Some(0));
    std::fs::read_to_string(folder.path("log")).expect("a log")
}

#[test]
fn strangers_names_are_escaped_and_hang_ups_are_no_errors() {
    let text = logged("names", &["--log", "info"], |connect| {
        let mut client = connect();
        let name = b"a\x1b]0;title\x07b\n[ERROR] fake\0";
        client.write_all(&bytes(&[name.len() as u32, 8])).expect("sent");
        client.write_all(name).expect("sent");
        // Four bytes, and zeros for the rest of an answer. The client reads none of it.
        client
            .write_all(&bytes(&[10, 2, 1, 0, format::R8_UNORM, 0x10, 4, 1, 1, 1, 0, 0]))
            .expect("sent");
        client.write_all(&bytes(&[11, 4, 1, 0, 0, 0, 0, 0, 0, 4, 1, 1, 1 << 26])).expect("sent");
        client.read_exact(&mut [0; 8]).expect("the begin of an answer");
        drop(client);
        // The next client is served. The log of the first client is written by then, or soon.
        let mut next = connect();
        next.write_all(&bytes(&[0, 10])).expect("sent");
        next.read_exact(&mut [0; 8]).expect("an answer");
        std::thread::sleep(std::time::Duration::from_millis(500));
    });
    assert!(text.contains(r#"is "a\u{1b}]0;title\u{7}b\n[ERROR] fake""#), "{text}");
    assert!(text.contains("client 2 has gone"), "{text}");
    assert!(!text.contains("disconnected"), "{text}");
}

#[test]
fn clients_that_come_again_do_not_fill_the_log() {
    let text = logged("flood", &[], |connect| {
        for _ in 0..60 {
            let mut stream = Stream::default();
            stream.context(1);
            // Every kind of command, of nonsense.
            for number in (4..28).chain(31..53) {
                stream.command(number, 0, &[u32::MAX; 40]);
            }
            let mut client = connect();
            client.write_all(&bytes(&[stream.0.len() as u32, 6])).expect("sent");
            client.write_all(&bytes(&stream.0)).expect("sent");
            client.write_all(&bytes(&[0, 10])).expect("sent");
            // The stream may end the connection.
            let _ = client.read_exact(&mut [0; 8]);
        }
    });
    // Each second allows 2 KiB in addition to the burst of 64 KiB. Line ends are included.
    assert!((30 << 10..110 << 10).contains(&text.len()), "{} bytes", text.len());
}
