//! A client's end of a connection to a server in the same process.

use std::collections::HashMap;
use std::fs::File;
use std::io::{IoSliceMut, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::thread;

use gallium_vtest::caps::GlVersion;
use gallium_vtest::client::Service;
use gallium_vtest::error::ClientError;
use gallium_vtest::link::{Socket, Times};
use gallium_vtest::memory::ServerMemory;
use gallium_vtest::replay::Inline;
use os_shim::{Memory, Os};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

/// A client's end.
pub struct Connection {
    stream: UnixStream,
    /// Memory shared with the server, by resource.
    pub memories: HashMap<u32, File>,
}

/// The end of the server's side.
#[derive(Debug)]
pub struct Ended {
    pub result: Result<(), ClientError>,
    /// Kinds of things that were refused.
    pub refusals: usize,
}

/// Screens with the profile's scene buffer.
pub const INLINE: Inline = Inline { scene_bytes: 0, generator: None };

/// Runs a function with a service that gives `memory` to all its clients.
pub fn with_service<R>(memory: Memory<'static>, run: impl FnOnce(Service<'_>) -> R) -> R {
    run(Service::new(&INLINE, ServerMemory::new(memory, usize::MAX), GlVersion(21)))
}

/// Runs `client` against a new server.
pub fn serve<R>(client: impl FnOnce(&mut Connection) -> R) -> (R, Ended) {
    with_service(Os::host().memory, |service| serve_by(&service, client))
}

/// Runs `client` against a server of this service.
pub fn serve_by<R>(service: &Service<'_>, client: impl FnOnce(&mut Connection) -> R) -> (R, Ended) {
    let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    thread::scope(|scope| {
        let served = scope.spawn(|| {
            let ended = service.client(1, |client| {
                let mut socket = Socket::new(&theirs, Times::default()).expect("a socket");
                let result = client.serve(&mut socket);
                theirs.shutdown(std::net::Shutdown::Both).ok();
                Ended { result, refusals: client.refusals() }
            });
            ended.expect("a screen")
        });
        let mut connection = Connection { stream: ours, memories: HashMap::new() };
        let value = client(&mut connection);
        drop(connection);
        (value, served.join().expect("the server does not panic"))
    })
}

impl Connection {
    /// Sends bytes; the server may have hung up.
    pub fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Sends a message of words.
    pub fn message(&mut self, command: u32, words: &[u32]) -> bool {
        let mut bytes = Vec::new();
        for word in [words.len() as u32, command].iter().chain(words) {
            bytes.extend(word.to_le_bytes());
        }
        self.send(&bytes)
    }

    /// Receives that many bytes.
    pub fn receive(&mut self, count: usize) -> Vec<u8> {
        self.try_receive(count).expect("the server answers")
    }

    /// Receives that many bytes, if the server sends them.
    pub fn try_receive(&mut self, count: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; count];
        self.stream.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Receives words.
    pub fn words<const N: usize>(&mut self) -> [u32; N] {
        let bytes = self.receive(4 * N);
        let mut words = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        core::array::from_fn(|_| words.next().expect("as many as asked for"))
    }

    /// Waits until everything sent is done.
    pub fn wait(&mut self) {
        self.message(7, &[0, 1]);
        assert_eq!(self.words(), [1, 7, 0]);
    }

    /// Receives the file that is shared for `resource`.
    pub fn receive_file(&mut self, resource: u32) {
        assert!(self.try_receive_file(resource), "a file");
    }

    /// Receives the file that is shared for `resource`; returns false if the server sends none.
    pub fn try_receive_file(&mut self, resource: u32) -> bool {
        let mut byte = [1];
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut data = [IoSliceMut::new(&mut byte)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        let got = recvmsg(self.stream.as_fd(), &mut data, &mut control, flags).expect("a message");
        assert_eq!((got.bytes, byte), (1, [0]));
        let file = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut files) => files.next(),
            _ => None,
        });
        let file = file.map(|file| self.memories.insert(resource, file.into()));
        file.is_some()
    }
}
