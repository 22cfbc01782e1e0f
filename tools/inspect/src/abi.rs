//! The functions that an exported page calls.

use std::cell::RefCell;

use anyhow::{Result, bail};
use os_shim::clock::Clock;
use os_shim::{Memory, Os};

use crate::desk::{Desk, Reply};
use crate::playback::Alone;
use crate::session::Limits;

/// The driver's memory and that of snapshots. The engine has 4 GiB, and the recording is in it, too.
const LIMITS: (usize, usize) = (2 << 30, 256 << 20);

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Returns the time in milliseconds.
    safe fn now() -> f64;
}

/// The page's clock.
struct PageClock;

impl Clock for PageClock {
    fn now_ns(&self) -> u64 {
        (now() * 1e6) as u64
    }
}

thread_local! {
    static DESK: RefCell<Option<Desk<Alone>>> = const { RefCell::new(None) };
}

/// Reads the recording in the request. The answer is empty, or the reason why it cannot be read.
#[unsafe(no_mangle)]
extern "C" fn open() -> usize {
    web::reply(|recording| match opened(recording) {
        Ok(desk) => {
            DESK.set(Some(desk));
            Vec::new()
        }
        Err(error) => format!("{error:#}").into_bytes(),
    })
}

fn opened(recording: Vec<u8>) -> Result<Desk<Alone>> {
    if DESK.with_borrow(Option::is_some) {
        bail!("the engine has a recording already");
    }
    let os = Os { clock: &PageClock, ..Os::bare(Memory::system()) };
    let (memory, snapshots) = LIMITS;
    let limits = Limits { memory, snapshots, ..Limits::default() };
    Ok(Desk::new(Alone::new(recording.leak(), os, limits)?))
}

/// Answers the address in the request: the status in two bytes, and the contents.
#[unsafe(no_mangle)]
extern "C" fn run() -> usize {
    web::reply(|address| {
        let address = String::from_utf8_lossy(&address);
        let reply = DESK.with_borrow(|desk| match desk {
            Some(desk) => desk.reply(&address),
            None => Reply::refused(409, "the engine has no recording"),
        });
        let mut answer = reply.status.to_le_bytes().to_vec();
        answer.extend(reply.bytes);
        answer
    })
}
