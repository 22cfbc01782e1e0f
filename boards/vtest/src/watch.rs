//! The watch over clients: commands of those that have gone, and commands that take too long, are
//! stopped; when no more clients may connect, one that only rests makes room.
//!
//! A client's thread may be deep in a draw for any time. It asks its budget between tiles, batches
//! and turns of loops whether to go on; the watch, a thread of its own, is who says no.

use std::collections::HashMap;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use os_shim::budget::{Budget, Stopped, WorkBudget};
use os_shim::threads::{Inline, Threads};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::peer::{Peer, PeerId, Place};
use crate::processor::{self, ProcessorTime};
use crate::turns::{Turn, Turns};

/// The time between two looks at all clients, and at none.
const LOOK: Duration = Duration::from_millis(20);
const IDLE_LOOK: Duration = Duration::from_millis(100);

/// The rest after which a client that has said nothing yet makes room for others of its program:
/// clients greet as soon as they are connected.
const SILENCE: Duration = Duration::from_secs(1);

/// What a client loses with its connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Nothing: it has said nothing yet.
    Nothing,
    /// A few small resources, and no context.
    Little,
    /// Contexts or more resources; or it is at a message.
    Much,
}

/// The state of a client that the watch sees. It is the budget of the client's commands, which lets
/// other clients go first, and the threads that draw for it.
#[derive(Debug)]
pub struct Activity {
    /// The budget of its commands.
    pub budget: WorkBudget,
    /// Its time on processors.
    pub processor: &'static ProcessorTime,
    /// Its turn at the driver.
    pub turn: &'static Turn,
    /// The number of draws that the command at hand may finish: its time is that of each.
    draws: AtomicU64,
    /// The number of what it holds.
    holds: AtomicU8,
    /// The threads that draw for it, beside its own.
    pool: OnceLock<Pool>,
}

impl Activity {
    /// Returns the activity of a client that has said nothing yet. Parts of it, which other threads
    /// see, live as long as the program.
    pub fn new(turns: &'static Turns) -> Self {
        Activity {
            budget: WorkBudget::new(),
            processor: Box::leak(Box::default()),
            turn: Box::leak(Box::new(Turn::new(turns))),
            draws: AtomicU64::new(1),
            holds: AtomicU8::new(0),
            pool: OnceLock::new(),
        }
    }

    /// Returns the threads that draw for the client, which are those of `pool`.
    pub fn threads(&'static self, pool: &'static dyn Threads) -> &'static dyn Threads {
        self.pool.get_or_init(|| Pool(pool));
        self
    }

    /// Begins again, for the next client, on the thread of that.
    pub fn renew(&self, peer: &Arc<Peer>) {
        self.budget.renew();
        self.processor.renew();
        self.turn.renew(&peer.drawn);
        self.set_holds(Holds::Nothing);
    }

    /// Begins a command that may take `units` of work and the time of so many draws.
    pub fn grant(&self, units: u64, draws: u64) {
        self.draws.store(draws, Relaxed);
        self.budget.grant(units);
    }

    /// Returns the number of draws that the command at hand may finish.
    pub fn draws(&self) -> u64 {
        self.draws.load(Relaxed)
    }

    /// Notes what the client holds now.
    pub fn set_holds(&self, holds: Holds) {
        self.holds.store(holds as u8, Relaxed);
    }

    /// Returns what the client holds.
    pub fn holds(&self) -> Holds {
        match self.holds.load(Relaxed) {
            0 => Holds::Nothing,
            1 => Holds::Little,
            _ => Holds::Much,
        }
    }
}

impl Budget for Activity {
    #[inline]
    fn spend(&self, units: u64) -> Result<(), Stopped> {
        self.budget.spend(units)?;
        if self.turn.turns().are_awaited() {
            self.turn.make_way();
            return self.budget.spend(0);
        }
        Ok(())
    }
}

/// Threads that draw for one client after another.
#[derive(Clone, Copy)]
struct Pool(&'static dyn Threads);

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pool").field(&self.0.count()).finish()
    }
}

impl Threads for Activity {
    fn count(&self) -> usize {
        self.pool.get().map_or(1, |pool| pool.0.count())
    }

    fn parallel(&self, tasks: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        // While clients wait, each one that has a turn has a processor, and no more.
        let pool = self.pool.get().filter(|_| !self.turn.turns().are_awaited());
        let Some(pool) = pool else { return Inline.parallel(tasks, run) };
        pool.0.parallel(tasks, &|worker, task| {
            // The first worker is the client's own thread.
            if worker > 0 {
                self.processor.is_served();
            }
            run(worker, task);
        });
    }
}

/// A client under watch.
#[derive(Debug)]
struct Watched {
    stream: UnixStream,
    activity: &'static Activity,
    place: Arc<Place>,
    /// The command that it was at, since when, and the processor time until then.
    command: u64,
    since: Instant,
    processor: u64,
}

impl Watched {
    /// Returns the time for which the client has been at the same command, or has rested after it.
    fn unchanged(&mut self, now: Instant) -> Duration {
        let command = self.activity.budget.command();
        if command != self.command {
            (self.command, self.since) = (command, now);
            self.processor = self.activity.processor.now_ns();
        }
        now - self.since
    }

    /// Returns the processor time that the command at hand has taken, as far as looks have seen it.
    fn taken(&self) -> Duration {
        let now = self.activity.processor.now_ns();
        Duration::from_nanos(now.saturating_sub(self.processor))
    }
}

/// The clients under watch, by their numbers.
#[derive(Debug, Default)]
pub struct Watch {
    clients: Mutex<HashMap<u64, Watched>>,
}

impl Watch {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Watched>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches a client until [`remove`](Self::remove).
    ///
    /// # Errors
    /// The system has no more open files.
    pub fn add(
        &self,
        number: u64,
        stream: &UnixStream,
        activity: &'static Activity,
        place: &Arc<Place>,
    ) -> std::io::Result<()> {
        let (command, since) = (activity.budget.command(), Instant::now());
        let stream = stream.try_clone()?;
        let processor = activity.processor.now_ns();
        let client =
            Watched { stream, activity, place: Arc::clone(place), command, since, processor };
        self.lock().insert(number, client);
        Ok(())
    }

    /// Ends the watch over a client.
    pub fn remove(&self, number: u64) {
        self.lock().remove(&number);
    }

    /// Cancels the commands of all clients and disconnects them.
    pub fn cancel_all(&self) {
        for client in self.lock().values() {
            client.activity.budget.cancel();
            // It may be gone already.
            let _ = client.stream.shutdown(std::net::Shutdown::Both);
        }
    }

    /// Looks at the clients again and again until `stopping` is set; see [`look`](Self::look).
    pub fn run(&self, stopping: &AtomicBool, longest: Option<Duration>, turns: &Turns) {
        while !stopping.load(SeqCst) {
            self.look(longest);
            turns.look();
            let idle = self.lock().is_empty();
            thread::sleep(if idle { IDLE_LOOK } else { LOOK });
        }
    }

    /// Looks at every client once: cancels those that hung up and frees their places, and stops
    /// commands whose threads ran for more than `longest`, for each draw that they may finish.
    pub fn look(&self, longest: Option<Duration>) {
        let now = Instant::now();
        processor::look();
        for client in self.lock().values_mut() {
            if has_hung_up(&client.stream) {
                client.activity.budget.cancel();
                client.place.free();
            }
            client.unchanged(now);
            let draws = u32::try_from(client.activity.draws()).unwrap_or(u32::MAX);
            if longest.is_some_and(|longest| client.taken() > longest.saturating_mul(draws)) {
                // Between commands this has no effect: the next one is granted anew.
                client.activity.budget.stop(client.command, Stopped::Time);
            }
        }
    }

    /// Disconnects the client that has rested longest, and returns its number, if it has rested for
    /// `idle` or longer and holds little: it loses next to nothing that connecting again does not
    /// bring back. For another connection of the program `own`, one of its own connections goes; one
    /// that has said nothing yet goes after a second.
    pub fn make_room(&self, idle: Duration, own: Option<PeerId>) -> Option<u64> {
        let now = Instant::now();
        let mut clients = self.lock();
        let resting = clients.iter_mut().filter_map(|(number, client)| {
            let holds = client.activity.holds();
            let rested = client.unchanged(now);
            let idle =
                if own.is_some() && holds == Holds::Nothing { idle.min(SILENCE) } else { idle };
            let is_own = own.is_none_or(|own| client.place.id() == own);
            (is_own && holds != Holds::Much && rested >= idle).then_some((rested, *number))
        });
        let (_, number) = resting.max()?;
        let client = clients.remove(&number)?;
        client.activity.budget.cancel();
        client.place.free();
        // Its thread, which waits for a message, ends.
        let _ = client.stream.shutdown(std::net::Shutdown::Both);
        Some(number)
    }
}

/// Returns true if the other end of a socket is closed. A client that only ended its own messages
/// still listens.
fn has_hung_up(stream: &UnixStream) -> bool {
    let mut files = [PollFd::new(stream, PollFlags::empty())];
    let hung_up = PollFlags::HUP | PollFlags::ERR;
    poll(&mut files, Some(&Timespec::default()))
        .is_ok_and(|_| files.iter().any(|file| file.revents().intersects(hung_up)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;
    use crate::peer::Places;
    use os_shim::clock::{Clock, ThreadClock};

    const IDLE: Duration = Duration::from_secs(60);
    static TURNS: Turns = Turns::new(1);

    fn watched() -> (Watch, UnixStream, &'static WorkBudget) {
        let watch = Watch::default();
        let (theirs, activity) = add(&watch, 1);
        activity.budget.grant(10);
        (watch, theirs, &activity.budget)
    }

    /// Adds a client; returns its end of the connection, and its activity.
    fn add(watch: &Watch, number: u64) -> (UnixStream, &'static Activity) {
        let (theirs, activity, _) = add_of(watch, number, &Places::new(1, &TURNS), 1);
        (theirs, activity)
    }

    /// Adds a client of a program; see [`add`].
    fn add_of(
        watch: &Watch,
        number: u64,
        places: &Arc<Places>,
        process: i32,
    ) -> (UnixStream, &'static Activity, Arc<Place>) {
        let (ours, theirs) = UnixStream::pair().expect("sockets");
        let activity: &'static Activity = Box::leak(Box::new(Activity::new(&TURNS)));
        activity.processor.renew();
        let place = places.take(PeerId::Process(process), &Files::new(10)).expect("a place");
        watch.add(number, &ours, activity, &place).expect("a copy of the socket");
        (theirs, activity, place)
    }

    #[test]
    fn the_longest_idle_client_that_holds_nothing_makes_room() {
        let watch = Watch::default();
        let clients: Vec<_> = (1..=3).map(|number| add(&watch, number)).collect();
        clients[0].1.set_holds(Holds::Much);
        clients[1].1.set_holds(Holds::Little);
        assert_eq!(watch.make_room(IDLE, None), None, "they rest for too short");
        std::thread::sleep(Duration::from_millis(2));
        // The second one is at another command now.
        clients[1].1.budget.grant(10);
        assert_eq!(watch.make_room(Duration::ZERO, None), Some(3));
        let mut closed = &clients[2].0;
        assert_eq!(std::io::Read::read(&mut closed, &mut [0]).expect("the end"), 0);
        assert_eq!(
            watch.make_room(Duration::from_millis(1), None),
            None,
            "the second was busy just now"
        );
        assert_eq!(watch.make_room(Duration::ZERO, None), Some(2));
        assert_eq!(watch.make_room(Duration::ZERO, None), None, "the first holds something");
    }

    #[test]
    fn a_program_makes_room_for_itself() {
        let (watch, places) = (Watch::default(), Places::new(10, &TURNS));
        let silent = add_of(&watch, 1, &places, 1);
        let holder = add_of(&watch, 2, &places, 1);
        let _other = add_of(&watch, 3, &places, 2);
        holder.1.set_holds(Holds::Little);
        let own = Some(PeerId::Process(1));
        assert_eq!(watch.make_room(IDLE, own), None);
        std::thread::sleep(SILENCE);
        assert_eq!(watch.make_room(IDLE, Some(PeerId::Process(3))), None);
        assert_eq!(watch.make_room(IDLE, own), Some(1), "it has not greeted for a second");
        assert_eq!(watch.make_room(IDLE, own), None, "the second one may rest for longer");
        assert_eq!(watch.make_room(SILENCE, own), Some(2));
        drop(silent);
    }

    #[test]
    fn a_place_is_free_at_the_hang_up() {
        let (watch, places) = (Watch::default(), Places::new(1, &TURNS));
        let (theirs, _, place) = add_of(&watch, 1, &places, 1);
        let again = || places.take(PeerId::Process(2), &Files::new(10));
        assert!(again().is_err());
        drop(theirs);
        watch.look(None);
        assert!(again().is_ok(), "the client's commands may still run");
        drop(place);
    }

    #[test]
    fn a_command_of_a_client_that_hung_up_is_cancelled() {
        let (watch, theirs, budget) = watched();
        watch.look(None);
        assert_eq!(budget.spend(1), Ok(()));
        theirs.shutdown(std::net::Shutdown::Write).expect("half-closed");
        watch.look(None);
        assert_eq!(budget.spend(1), Ok(()), "the client still reads");
        drop(theirs);
        watch.look(None);
        assert_eq!(budget.spend(1), Err(Stopped::Cancelled));
    }

    /// Keeps the calling thread busy.
    fn work(time: Duration) {
        let clock = ThreadClock::current();
        let end = clock.now_ns() + time.as_nanos() as u64;
        while clock.now_ns() < end {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn a_command_that_runs_for_too_long_is_stopped_and_the_next_one_is_not() {
        let (watch, _theirs, budget) = watched();
        watch.look(Some(Duration::from_millis(1)));
        assert_eq!(budget.spend(1), Ok(()), "seen for the first time");
        work(Duration::from_millis(2));
        watch.look(Some(IDLE));
        assert_eq!(budget.spend(1), Ok(()));
        watch.look(Some(Duration::from_millis(1)));
        assert_eq!(budget.spend(1), Err(Stopped::Time));
        budget.grant(10);
        watch.look(Some(Duration::from_millis(1)));
        assert_eq!(budget.spend(1), Ok(()));
        // Time passes on a machine under load, but the command does not run.
        std::thread::sleep(Duration::from_millis(20));
        watch.look(Some(Duration::from_millis(10)));
        assert_eq!(budget.spend(1), Ok(()));
    }

    #[test]
    fn a_command_that_finishes_draws_has_the_time_of_each() {
        let watch = Watch::default();
        let (_theirs, activity) = add(&watch, 1);
        activity.grant(10, 3);
        let longest = Some(Duration::from_millis(20));
        watch.look(longest);
        work(Duration::from_millis(30));
        watch.look(longest);
        assert_eq!(activity.spend(1), Ok(()));
        work(Duration::from_millis(40));
        watch.look(longest);
        assert_eq!(activity.spend(1), Err(Stopped::Time));
    }

    #[test]
    fn the_end_of_the_server_cancels_all() {
        let (watch, _theirs, budget) = watched();
        watch.cancel_all();
        budget.grant(10);
        assert_eq!(budget.spend(1), Err(Stopped::Cancelled));
        watch.remove(1);
    }
}
