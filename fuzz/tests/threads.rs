//! Threads that draw: workers of one screen, contexts of one screen, clients of one server.
//!
//! `GALLIUM_RACES=1 cargo xtask test tsan` runs these under ThreadSanitizer.

use std::thread;

use gallium_fuzz::{api, session};
use os_shim::threads::Pool;
use os_shim::{Memory, Os};
use raster::{Config, Host, Screen, Small};

/// Pixels of a side: tiles for many workers.
const SIDE: u32 = 300;

#[test]
fn many_workers_draw_the_picture_of_one() {
    let pool = Pool::new(4);
    let os = |threads| Os { threads, ..Os::host() };
    let one = Screen::<Host>::new(os(&os_shim::threads::Inline), Config::default());
    let expected = api::control_picture(&one, SIDE).expect("a picture");
    let four = Screen::<Host>::new(os(&pool), Config { scene_bytes: 4096 });
    for _ in 0..8 {
        assert!(api::control_picture(&four, SIDE).expect("a picture") == expected);
    }
}

#[test]
fn contexts_of_one_screen_draw_at_the_same_time() {
    let pool = Pool::new(2);
    let screen = Screen::<Small>::new(Os { threads: &pool, ..Os::host() }, Config::default());
    let expected = api::control_picture(&screen, SIDE).expect("a picture");
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..8 {
                    assert!(api::control_picture(&screen, SIDE).expect("a picture") == expected);
                }
            });
        }
    });
}

#[test]
fn clients_of_one_server_draw_at_the_same_time() {
    let server = session::Server::new(Memory::system());
    let sessions = ["triangle", "textured", "varied"].map(|name| {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/session");
        std::fs::read(folder.join(name)).expect("a session")
    });
    thread::scope(|scope| {
        for session in &sessions {
            scope.spawn(|| {
                for _ in 0..8 {
                    server.session(session).expect("a session that is served");
                }
            });
        }
    });
    server.check();
}
