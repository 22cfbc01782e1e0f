//! Limits of memory and connections, for one client and for the server.

use std::io::{Read, Write};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use gallium_vtest::caps::GlVersion;
use gallium_vtest::client::Service;
use gallium_vtest::error::ClientError;
use gallium_vtest::files::Files;
use gallium_vtest::frames::FrameDump;
use gallium_vtest::link::Link;
use gallium_vtest::memory::ServerMemory;
use gallium_vtest::peer::Peer;
use gallium_vtest::replay::Replay;
use gallium_vtest::server::Server;
use os_shim::{Memory, System};

use crate::connection::{self, INLINE};
use crate::socket::Folder;
use crate::stream::{Stream, bytes, format, kind};

const MIB: usize = 1 << 20;

/// Runs a function with a service of limited clients, and the heap behind it.
fn with_limits<R>(
    client: usize,
    server: usize,
    run: impl FnOnce(&Service<'_>, &'static System) -> R,
) -> R {
    let system: &'static System = Box::leak(Box::new(System::new()));
    let memory = ServerMemory::new(Memory::new(system), server);
    let mut service = Service::new(&INLINE, memory, GlVersion(21));
    service.client_memory = client;
    run(&service, system)
}

/// Returns the bytes of a message.
fn message(command: u32, words: &[u32]) -> Vec<u8> {
    bytes(&[&[words.len() as u32, command], words].concat())
}

/// A message that makes resource 1, a buffer.
fn buffer(size: u32) -> Vec<u8> {
    message(2, &[1, 0, format::R8_UNORM, 0x10, size, 1, 1, 1, 0, 0])
}

fn serve(service: &Service<'_>, session: &[u8]) -> Result<(), ClientError> {
    let served = service.client(1, |client| client.serve(&mut Replay::new(session)));
    served.expect("a screen")
}

#[test]
fn contexts_count_against_the_clients_memory() {
    let mut stream = Stream::default();
    for number in 1..=64 {
        stream.context(number);
    }
    with_limits(32 * MIB, usize::MAX, |service, system| {
        serve(service, &message(6, &stream.0)).expect("refused contexts do not disconnect");
        let usage = system.usage();
        assert!(usage.peak <= 32 * MIB, "{usage:?}");
        assert_eq!(usage.used, 0);
    });
}

#[test]
fn objects_count_against_the_clients_memory() {
    let mut stream = Stream::default();
    for name in 1..20_000 {
        stream.create(kind::BLEND, &[name, 0, 0, 0xf << 27, 0, 0, 0, 0, 0, 0, 0]);
    }
    with_limits(8 * MIB, usize::MAX, |service, system| {
        serve(service, &message(6, &stream.0)).expect("refused objects do not disconnect");
        assert!(system.usage().peak <= 8 * MIB);
        assert_eq!(system.usage().used, 0);
    });
}

#[test]
fn half_sent_texts_count_before_they_come() {
    let mut stream = Stream::default();
    stream.context(1);
    for name in 1..=4 {
        stream.create(kind::SHADER, &[name, 1, 16 << 20, 300, 0, 0x2020_2020]);
    }
    with_limits(48 * MIB, usize::MAX, |service, system| {
        let session = message(6, &stream.0);
        let served = service.client(1, |client| {
            client.serve(&mut Replay::new(&session)).expect("a refused shader does not disconnect");
            client.refusals()
        });
        assert_eq!(served, Some(1), "64 MiB of text");
        assert!(system.usage().peak <= 48 * MIB);
    });
}

/// A client that forgets the answers, and counts them.
struct Sink<'a> {
    requests: Replay<'a>,
    answered: usize,
    longest: usize,
}

impl Link for Sink<'_> {
    fn begin(&mut self) -> std::io::Result<bool> {
        self.requests.begin()
    }

    fn receive(&mut self, bytes: &mut [u8]) -> std::io::Result<()> {
        self.requests.receive(bytes)
    }

    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.answered += bytes.len();
        self.longest = self.longest.max(bytes.len());
        Ok(())
    }

    fn send_file(&mut self, file: BorrowedFd<'_>) -> std::io::Result<()> {
        self.requests.send_file(file)
    }
}

#[test]
fn answers_of_any_size_are_sent_in_pieces() {
    let size = 256 * MIB;
    // Four bytes, and zeros for the rest that the client asked for.
    let mut session = buffer(4);
    session.extend(message(4, &[1, 0, 0, 0, 0, 0, 0, 4, 1, 1, size as u32]));
    with_limits(16 * MIB, usize::MAX, |service, system| {
        let mut sink = Sink { requests: Replay::new(&session), answered: 0, longest: 0 };
        let served = service.client(1, |client| client.serve(&mut sink));
        assert!(matches!(served, Some(Ok(()))), "{served:?}");
        assert_eq!(sink.answered, size);
        assert!(sink.longest <= MIB, "{}", sink.longest);
        assert!(system.usage().peak <= 16 * MIB);
    });
}

#[test]
fn a_resource_of_more_than_half_the_memory_is_read() {
    // 24 MiB. A second whole copy would not fit in addition to the context.
    let size = 24 * MIB as u32;
    let mut session = buffer(size);
    let first = size - 5;
    session.extend(bytes(&[13, 5, 1, 0, 0, 0, first, 0, 0, 5, 1, 1, 5]));
    session.extend([1, 2, 3, 4, 5]);
    session.extend(message(4, &[1, 0, 0, 0, 0, 0, 0, size, 1, 1, size]));
    with_limits(44 * MIB, usize::MAX, |service, _| {
        let mut replay = Replay::new(&session);
        let served = service.client(1, |client| client.serve(&mut replay));
        assert!(matches!(served, Some(Ok(()))), "{served:?}");
        assert_eq!(replay.answers.len(), size as usize);
        assert_eq!(replay.answers[first as usize..], [1, 2, 3, 4, 5]);
        assert!(replay.answers[..first as usize].iter().all(|byte| *byte == 0));
    });
}

/// A client that falls silent in the middle of a message; `silent` runs at that moment.
struct HalfSent<'a> {
    requests: Replay<'a>,
    silent: &'a mut dyn FnMut(),
}

impl Link for HalfSent<'_> {
    fn begin(&mut self) -> std::io::Result<bool> {
        self.requests.begin()
    }

    fn receive(&mut self, bytes: &mut [u8]) -> std::io::Result<()> {
        let received = self.requests.receive(bytes);
        if received.is_err() {
            (self.silent)();
        }
        received
    }

    fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.requests.send(bytes)
    }

    fn send_file(&mut self, file: BorrowedFd<'_>) -> std::io::Result<()> {
        self.requests.send_file(file)
    }
}

#[test]
fn a_half_sent_message_holds_at_most_twice_what_has_come() {
    // The header of a stream of 1 MiB, the first kilobytes of it, and silence.
    for sent in [0, 16 << 10, 20 << 10, 300 << 10, 1000 << 10] {
        let mut session = bytes(&[1 << 18, 6]);
        session.resize(session.len() + sent, 0);
        with_limits(16 * MIB, usize::MAX, |service, _| {
            let idle = service.memory.used();
            let mut held = 0;
            let served = service.client(1, |client| {
                let before = service.memory.used();
                let mut silent = || held = service.memory.used() - before;
                let requests = Replay::new(&session);
                client.serve(&mut HalfSent { requests, silent: &mut silent })
            });
            assert!(matches!(served, Some(Err(ClientError::Io(_)))), "{served:?}");
            assert!((sent..=(2 * sent).max(16 << 10)).contains(&held), "{sent}: {held}");
            assert_eq!(service.memory.used(), idle);
        });
    }
}

#[test]
fn stated_sizes_leave_the_servers_memory_to_others() {
    // A transfer of 30 MiB without any bytes, while another client uses as much.
    let half_sent = bytes(&[11, 5, 1, 0, 0, 0, 0, 0, 0, 4, 1, 1, 30 << 20]);
    with_limits(32 * MIB, 48 * MIB, |service, _| {
        let mut beside = None;
        let served = service.client(1, |client| {
            let mut silent = || beside = Some(serve(service, &buffer(30 << 20)));
            let requests = Replay::new(&half_sent);
            client.serve(&mut HalfSent { requests, silent: &mut silent })
        });
        assert!(matches!(served, Some(Err(ClientError::Io(_)))), "{served:?}");
        beside.expect("the client fell silent").expect("30 of 48 MiB");
        // More than a client may ever have is refused at once.
        let too_much = bytes(&[11, 5, 1, 0, 0, 0, 0, 0, 0, 4, 1, 1, 33 << 20]);
        let error = serve(service, &too_much).expect_err("33 of 32 MiB").to_string();
        assert!(error.starts_with("a message: ") && error.contains("--client-memory"), "{error}");
    });
}

#[test]
fn all_clients_together_have_a_limit_that_is_named() {
    with_limits(40 * MIB, 48 * MIB, |service, _| {
        let session = buffer(30 << 20);
        let refusals = || {
            let served = service.client(2, |client| {
                client.serve(&mut Replay::new(&session)).expect("refused or not, it lives");
                client.refusals()
            });
            served.expect("a screen")
        };
        let beside = service.client(1, |first| {
            first.serve(&mut Replay::new(&session)).expect("within both limits");
            // A message can also exceed the limit of all clients.
            let put = bytes(&[11, 5, 1, 0, 0, 0, 0, 0, 0, 4, 1, 1, 18 << 20]);
            let error =
                serve(service, &[put, vec![0; 18 << 20]].concat()).expect_err("more than 48 MiB");
            assert!(error.to_string().contains("--server-memory"), "{error}");
            refusals()
        });
        assert_eq!(beside, Some(1), "60 MiB of 48");
        assert_eq!(refusals(), 0, "the first has gone");
    });
}

/// Texels that the client and the driver both hold count once.
#[test]
fn a_texture_with_shared_memory_counts_once() {
    let texture = |name: u32| {
        let size = 1024 * 1024 * 4;
        message(12, &[name, 2, format::R8G8B8A8_UNORM, 8, 1024, 1024, 1, 1, 0, 0, size])
    };
    let session: Vec<u8> = (1..=8).flat_map(texture).collect();
    with_limits(28 * MIB, usize::MAX, |service, _| {
        let mut replay = Replay::new(&session);
        let refused = service.client(1, |client| {
            client.serve(&mut replay).expect("refused or not, it lives");
            client.refusals()
        });
        // Six textures of 4 MiB. The byte for a refused texture comes without a file.
        assert_eq!((replay.files, replay.answers.len(), refused), (6, 2, Some(1)));
    });
}

/// A program that has used its share of files stays connected, and other programs get their files.
#[test]
fn open_files_are_shared_out_among_programs() {
    let buffers = |count: u32| -> Vec<u8> {
        let buffer = |name| message(12, &[name, 0, format::R8_UNORM, 0x10, 4, 1, 1, 1, 0, 0, 4]);
        (1..=count).flat_map(buffer).collect()
    };
    connection::with_service(Memory::system(), |mut service| {
        service.files = Files::new(80);
        let (one, other) = (Peer::new(&service.files), Peer::new(&service.files));
        let (one, other) = (Arc::new(one), Arc::new(other));
        let files = |peer, count, then: &mut dyn FnMut()| {
            let session = buffers(count);
            let mut replay = Replay::new(&session);
            let served = service.client_of(peer, 1, |client| {
                client.serve(&mut replay).expect("it lives");
                then();
            });
            served.expect("a screen");
            replay.files
        };
        let mut beside = [0; 2];
        let flood = files(&one, 100, &mut || {
            beside = [files(&one, 10, &mut || {}), files(&other, 10, &mut || {})];
        });
        // h = 3 (3 (80 - h) - h): 56 of 80. The program's other connections and other programs get
        // their files.
        assert_eq!((flood, beside), (56, [4, 10]));
        assert_eq!(files(&one, 30, &mut || {}), 30, "its files are free again");
    });
}

/// Sends bytes and a ping; waits for the answer to the ping.
fn send(stream: &mut UnixStream, bytes: &[u8]) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time-out");
    stream.write_all(&[bytes, &message(10, &[])].concat())?;
    stream.read_exact(&mut [0; 8])
}

/// Stops a server at its end, also after a panic: threads that serve are waited for.
struct Stop<'s>(&'s Server);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Runs a server for one client in the folder `name`, and runs a function at the same time. The
/// client may rest for `timeout`.
fn with_one_client(name: &str, timeout: Duration, run: impl FnOnce(&dyn Fn() -> UnixStream)) {
    with_one_client_and(name, timeout, |_| {}, run);
}

/// Runs a function like [`with_one_client`], after `change` has changed the server's service.
fn with_one_client_and(
    name: &str,
    timeout: Duration,
    change: impl FnOnce(&mut Service<'_>),
    run: impl FnOnce(&dyn Fn() -> UnixStream),
) {
    let folder = Folder::new(name);
    let path = folder.path("socket");
    let memory = ServerMemory::new(Memory::system(), usize::MAX);
    let mut service = Service::new(&INLINE, memory, GlVersion(21));
    service.max_clients = 1;
    service.timeout = Some(timeout);
    change(&mut service);
    let server = Server::bind(&path).expect("a socket");
    std::thread::scope(|scope| {
        scope.spawn(|| server.serve(&service).expect("served"));
        let _stop = Stop(&server);
        run(&|| UnixStream::connect(&path).expect("the server"));
    });
}

#[test]
fn connections_beyond_the_limit_are_closed_at_once() {
    with_one_client("refused", Duration::from_secs(20), |connect| {
        let mut first = connect();
        send(&mut first, &[]).expect("an answer");
        assert!(send(&mut connect(), &[]).is_err(), "refused");
        send(&mut first, &[]).expect("the first client does not notice");
    });
}

/// A client that hangs up frees its place after a moment. A connection in the meantime waits for
/// it.
#[test]
fn a_connection_waits_for_the_place_of_one_that_goes() {
    let change = |service: &mut Service<'_>| service.patience = Duration::from_secs(20);
    with_one_client_and("goes", Duration::from_secs(20), change, |connect| {
        let mut first = connect();
        send(&mut first, &[]).expect("an answer");
        let [mut second, third] = [connect(), connect()];
        // Waiting connections do not disturb the client.
        std::thread::sleep(Duration::from_millis(200));
        send(&mut first, &[]).expect("the first client does not notice");
        drop((first, third));
        send(&mut second, &[]).expect("the place of the first");
    });
}

/// The place of a connection is free once the client has seen its end.
#[test]
fn a_place_is_free_when_the_client_sees_the_end() {
    let change = |service: &mut Service<'_>| service.patience = Duration::ZERO;
    with_one_client_and("again", Duration::from_secs(20), change, |connect| {
        for round in 0..100 {
            let mut client = connect();
            send(&mut client, &[]).unwrap_or_else(|error| panic!("round {round}: {error}"));
            client.shutdown(std::net::Shutdown::Write).expect("half-closed");
            assert_eq!(client.read(&mut [0]).expect("the end"), 0);
        }
    });
}

#[test]
fn a_client_that_only_rests_makes_room() {
    let timeout = Duration::from_millis(400);
    with_one_client("rests", timeout, |connect| {
        let mut first = connect();
        send(&mut first, &[]).expect("an answer");
        std::thread::sleep(timeout * 2);
        let mut second = connect();
        send(&mut second, &buffer(4)).expect("the place of the first");
        assert!(send(&mut first, &[]).is_err(), "disconnected");
        std::thread::sleep(timeout * 2);
        let mut third = connect();
        let mut context = Stream::default();
        context.context(1);
        send(&mut third, &message(6, &context.0)).expect("the second one held next to nothing");
        assert!(send(&mut second, &[]).is_err(), "disconnected");
        std::thread::sleep(timeout * 2);
        assert!(send(&mut connect(), &[]).is_err(), "the third one has a context");
        send(&mut third, &[]).expect("the third client does not notice");
    });
}

#[test]
fn pictures_of_frames_count_against_the_clients_memory() {
    let folder = Folder::new("pictures");
    let dumped = |memory: usize| {
        let path = folder.path(&memory.to_string());
        let pictures = path.clone();
        let memory = ServerMemory::new(Memory::system(), memory);
        let mut service = Service::new(&INLINE, memory, GlVersion(21));
        service.frames = Some(FrameDump::new(pictures).expect("a folder"));
        let (w, h) = (2048, 1024);
        let mut stream = Stream::default();
        stream.context(1).draw_to(1, 1, format::R8G8B8A8_UNORM).draw(4, 0);
        let texture = message(2, &[1, 2, format::R8G8B8A8_UNORM, 0xa, w, h, 1, 1, 0, 0]);
        serve(&service, &[texture, message(6, &stream.0)].concat()).expect("it lives");
        std::fs::read_dir(&path).expect("a folder").count()
    };
    // The texture has 8 MiB. Its picture needs 24 MiB more.
    assert_eq!((dumped(64 * MIB), dumped(24 * MIB)), (1, 0));
}
