//! Streams that no client would send: the sender gets an error, and no other client notices.

use gallium_vtest::client::Service;
use gallium_vtest::replay::Replay;
use os_shim::Os;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::stream::{CONSTANT, bytes};
use crate::{connection, sessions};

/// A screen for hostile clients: little memory, short draws.
fn with_service<R>(run: impl FnOnce(&Service<'_>) -> R) -> R {
    connection::with_service(Os::host().memory, |mut service| {
        service.client_memory = 32 << 20;
        service.command_work = 1 << 16;
        run(&service)
    })
}

/// Returns the answers that a well-behaved client gets.
fn control(service: &Service<'_>) -> Vec<u8> {
    let session = sessions::triangle();
    let mut replay = Replay::new(&session);
    let served = service.client(2, |client| client.serve(&mut replay));
    assert!(matches!(served, Some(Ok(()))), "{served:?}");
    replay.answers
}

/// A change to a session.
#[derive(Clone, Debug)]
enum Damage {
    /// A word becomes another one.
    Replace(Index, u32),
    /// A bit flips.
    Flip(Index, u8),
    /// Words go.
    Remove(Index, Index),
    /// Words come twice.
    Repeat(Index, Index),
    /// A word becomes a copy of another word of the session.
    Copy(Index, Index),
    /// The session ends.
    Truncate(Index),
}

/// Numbers that programs stumble over.
fn awkward() -> impl Strategy<Value = u32> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(u32::MAX),
        Just(i32::MAX as u32),
        Just(1 << 31),
        Just(0xffff),
        Just(f32::NAN.to_bits()),
        Just(f32::INFINITY.to_bits()),
        Just(1e38f32.to_bits()),
        0u32..64,
        any::<u32>(),
    ]
}

fn damage() -> impl Strategy<Value = Damage> {
    use Damage::*;
    prop_oneof![
        4 => (any::<Index>(), awkward()).prop_map(|(at, word)| Replace(at, word)),
        3 => (any::<Index>(), any::<u8>()).prop_map(|(at, bit)| Flip(at, bit)),
        1 => (any::<Index>(), any::<Index>()).prop_map(|(at, count)| Remove(at, count)),
        1 => (any::<Index>(), any::<Index>()).prop_map(|(at, count)| Repeat(at, count)),
        2 => (any::<Index>(), any::<Index>()).prop_map(|(at, from)| Copy(at, from)),
        1 => any::<Index>().prop_map(Truncate),
    ]
}

fn apply(words: &mut Vec<u32>, damage: &Damage) {
    if words.is_empty() {
        return;
    }
    let length = words.len();
    match damage {
        Damage::Replace(at, word) => *at.get_mut(words) = *word,
        Damage::Flip(at, bit) => *at.get_mut(words) ^= 1 << (bit % 32),
        Damage::Remove(at, count) => {
            let start = at.index(length);
            words.drain(start..(start + 1 + count.index(8)).min(length));
        }
        Damage::Repeat(at, count) => {
            let start = at.index(length);
            let copy = words[start..(start + 1 + count.index(32)).min(length)].to_vec();
            words.splice(start..start, copy);
        }
        Damage::Copy(at, from) => {
            let word = *from.get(words);
            *at.get_mut(words) = word;
        }
        Damage::Truncate(at) => words.truncate(at.index(length)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Serving a damaged session ends, and the next client gets the right answers.
    #[test]
    fn damaged_sessions_harm_nobody_else(
        which in any::<Index>(),
        damages in proptest::collection::vec(damage(), 1..6),
    ) {
        let all = sessions::all();
        let mut words = which.get(&all).clone();
        for damage in &damages {
            apply(&mut words, damage);
        }
        with_service(|service| {
            let session = bytes(&words);
            // An error may occur, but it concerns only this client.
            let _ = service.client(1, |client| client.serve(&mut Replay::new(&session)));
            assert_eq!(control(service), sessions::triangle_answers());
        });
    }

    /// Shader text of the right letters in a wrong order.
    #[test]
    fn damaged_shaders_are_refused(at in any::<Index>(), letter in 0u8..128) {
        let mut text = CONSTANT.as_bytes().to_vec();
        *at.get_mut(&mut text) = letter;
        let text = String::from_utf8(text).expect("ASCII");
        with_service(|service| {
            let session = sessions::triangle_with(&text);
            let served = service.client(1, |client| client.serve(&mut Replay::new(&session)));
            let lives = matches!(served, Some(Ok(())));
            assert!(lives, "a shader is not worth a disconnection: {served:?}");
        });
    }
}

/// Clients connect and hang up, and leave no memory in use.
#[test]
fn a_thousand_clients_leave_nothing_behind() {
    let rounds: usize =
        std::env::var("GALLIUM_SOAK").ok().and_then(|count| count.parse().ok()).unwrap_or(40);
    // A separate heap for this test, to count the bytes left in use.
    let system: &'static os_shim::System = Box::leak(Box::new(os_shim::System::new()));
    let files = || std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let mut after_first = None;
    connection::with_service(os_shim::Memory::new(system), |service| {
        for round in 0..rounds {
            assert_eq!(control(&service), sessions::triangle_answers(), "client {round}");
            let usage = system.usage();
            let left = (usage.used, usage.allocations, files());
            assert_eq!(*after_first.get_or_insert(left), left, "after client {round}");
        }
    });
}
