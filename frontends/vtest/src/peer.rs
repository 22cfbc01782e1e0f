//! The programs at the other ends of connections, and their places in the server.
//!
//! The server grants each program a quarter of the places and a share of the open files. All
//! connections of the program use this share, so further connections gain the program nothing.

use std::collections::HashMap;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::files::{FileShare, Files};
use crate::turns::{Drawn, Turns};

/// The part of all places that one program may take.
const SHARE: u64 = 4;

/// The number of connections that are served per place. A connection that hung up gives its place
/// back, but is served until its commands have stopped.
const SERVED: u64 = 4;

/// The number of places that a program may take even if a quarter of all places is less.
const LEAST_SHARE: u64 = 8;

/// The identity of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PeerId {
    /// A process of the server's own user.
    Process(i32),
    /// All processes of another user.
    User(u32),
}

impl PeerId {
    /// Returns the program that connected a socket.
    ///
    /// # Errors
    /// The system's.
    pub fn of(stream: &UnixStream) -> std::io::Result<Self> {
        let peer = rustix::net::sockopt::socket_peercred(stream)?;
        Ok(match peer.uid == rustix::process::geteuid() {
            true => PeerId::Process(peer.pid.as_raw_pid()),
            false => PeerId::User(peer.uid.as_raw()),
        })
    }
}

/// The share of one program in the server's resources. All connections of the program use it.
#[derive(Debug)]
pub struct Peer {
    /// The program's open files.
    pub files: Arc<FileShare>,
    /// The virtual time, in nanoseconds, until which the program has drawn; see [`crate::turns`].
    pub drawn: Arc<Drawn>,
}

impl Peer {
    /// Returns the shares of a new program.
    pub fn new(files: &Arc<Files>) -> Self {
        Peer { files: files.share(), drawn: Arc::default() }
    }
}

/// A program, and the places that it takes.
#[derive(Debug)]
struct Entry {
    peer: Arc<Peer>,
    places: u64,
    /// The program's connections that are served, including connections that hung up.
    served: u64,
}

impl Entry {
    /// Returns true if no connection uses the program's shares.
    fn is_unused(&self) -> bool {
        Arc::strong_count(&self.peer) == 1
    }
}

/// The programs that are connected, or were a short while ago.
#[derive(Debug, Default)]
struct Table {
    entries: HashMap<PeerId, Entry>,
    /// Places that are taken.
    taken: u64,
    /// Connections that are served, including connections that hung up.
    served: u64,
}

/// The places of a server.
#[derive(Debug)]
pub struct Places {
    limit: u64,
    turns: &'static Turns,
    table: Mutex<Table>,
}

/// The reason why a connection gets no place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    /// All places are taken.
    Server,
    /// The program uses its whole share. The value is the number of its connections, including
    /// connections that hung up.
    Peer(u64),
}

/// The place of one connection, from the connect to the hang-up.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    id: PeerId,
    peer: Arc<Peer>,
    is_free: AtomicBool,
}

impl Places {
    /// Returns `limit` places for programs that take `turns` at drawing.
    pub fn new(limit: u64, turns: &'static Turns) -> Arc<Self> {
        Arc::new(Places { limit, turns, table: Mutex::default() })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of places that one program may take.
    pub fn share(&self) -> u64 {
        self.limit.div_ceil(SHARE).max(LEAST_SHARE)
    }

    /// Takes a place for a connection of a program. `files` are the open files of the server.
    ///
    /// # Errors
    /// No place is free for this program.
    pub fn take(self: &Arc<Self>, id: PeerId, files: &Arc<Files>) -> Result<Arc<Place>, Full> {
        let (share, now) = (self.share(), self.turns.now());
        let mut table = self.table();
        // The table keeps a program that has gone until a new program would have the same right to
        // draw.
        table
            .entries
            .retain(|_, entry| !entry.is_unused() || entry.peer.drawn.0.load(Relaxed) > now);
        if table.taken >= self.limit || table.served >= self.limit.saturating_mul(SERVED) {
            return Err(Full::Server);
        }
        let new = || Entry { peer: Arc::new(Peer::new(files)), places: 0, served: 0 };
        let entry = table.entries.entry(id).or_insert_with(new);
        if entry.places >= share || entry.served >= share.saturating_mul(SERVED) {
            return Err(Full::Peer(entry.served));
        }
        entry.places = entry.places.saturating_add(1);
        entry.served = entry.served.saturating_add(1);
        let peer = Arc::clone(&entry.peer);
        table.taken = table.taken.saturating_add(1);
        table.served = table.served.saturating_add(1);
        drop(table);
        Ok(Arc::new(Place { places: Arc::clone(self), id, peer, is_free: AtomicBool::new(false) }))
    }
}

impl Place {
    /// Returns the program that took the place.
    pub fn id(&self) -> PeerId {
        self.id
    }

    /// Returns the shares of the program that took the place.
    pub fn peer(&self) -> &Arc<Peer> {
        &self.peer
    }

    /// Frees the place for other connections. This connection may still be served for a while.
    pub fn free(&self) {
        if self.is_free.swap(true, SeqCst) {
            return;
        }
        let mut table = self.places.table();
        table.taken = table.taken.saturating_sub(1);
        if let Some(entry) = table.entries.get_mut(&self.id) {
            entry.places = entry.places.saturating_sub(1);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.free();
        let mut table = self.places.table();
        table.served = table.served.saturating_sub(1);
        if let Some(entry) = table.entries.get_mut(&self.id) {
            entry.served = entry.served.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static TURNS: Turns = Turns::new(1);
    const ONE: PeerId = PeerId::Process(1);
    const TWO: PeerId = PeerId::Process(2);

    #[test]
    fn a_program_has_a_quarter_of_the_places() {
        let (places, files) = (Places::new(40, &TURNS), Files::new(100));
        let mut taken: Vec<_> =
            (0..10).map(|_| places.take(ONE, &files).expect("its share")).collect();
        assert_eq!(places.take(ONE, &files).err(), Some(Full::Peer(10)));
        let other = places.take(TWO, &files).expect("places of others");
        assert!(!Arc::ptr_eq(other.peer(), taken[0].peer()));
        assert!(Arc::ptr_eq(taken[1].peer(), taken[0].peer()));
        // A place is free at the hang-up, though the connection is still served.
        taken[0].free();
        taken[0].free();
        let one_more = places.take(ONE, &files).expect("the place that is free");
        assert_eq!(places.take(ONE, &files).err(), Some(Full::Peer(11)));
        taken.clear();
        one_more.peer().drawn.0.store(1, Relaxed);
        drop((one_more, other));
        // The second program is forgotten, as it has not drawn.
        drop(places.take(PeerId::User(5), &files));
        let table = places.table();
        assert!(table.entries.contains_key(&ONE) && !table.entries.contains_key(&TWO));
        assert_eq!((table.taken, table.served), (0, 0));
    }

    #[test]
    fn a_program_that_hangs_up_again_and_again_leaves_the_others_their_places() {
        let (places, files) = (Places::new(40, &TURNS), Files::new(100));
        let leave = || places.take(ONE, &files).inspect(|place| place.free());
        let mut ghosts: Vec<_> = (0..40).map(|_| leave().expect("its share")).collect();
        assert_eq!(leave().err(), Some(Full::Peer(40)));
        assert!(places.take(TWO, &files).is_ok());
        ghosts.pop();
        assert!(leave().is_ok());
    }

    #[test]
    fn few_places_are_not_shared_and_all_have_an_end() {
        let (places, files) = (Places::new(3, &TURNS), Files::new(100));
        let taken: Vec<_> = (0..3).map(|_| places.take(ONE, &files).expect("a place")).collect();
        assert_eq!(places.take(TWO, &files).err(), Some(Full::Server));
        // Connections that hung up and are still served are limited, too.
        taken.iter().for_each(|place| place.free());
        let leave = || places.take(TWO, &files).inspect(|place| place.free());
        let again: Vec<_> = (0..9).map(|_| leave().expect("a place")).collect();
        assert_eq!(places.take(ONE, &files).err(), Some(Full::Server));
        drop((taken, again));
        assert!(places.take(ONE, &files).is_ok());
    }
}
