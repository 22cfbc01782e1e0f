//! The watch over clients. It stops the commands of clients that hung up and commands that take too
//! long. When no place is free, it disconnects a client that only rests.
//!
//! A client's thread may spend any time in a draw. Between tiles, batches and iterations of loops
//! it asks its budget whether to go on. The watch, a separate thread, stops the budget.

use std::collections::HashMap;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use os_shim::budget::{Budget, Stopped, WorkBudget};
use os_shim::threads::{Inline, Threads};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::diary::{Diary, Holds};
use crate::peer::{Peer, PeerId, Place};
use crate::processor::{self, ProcessorTime};
use crate::turns::{Turn, Turns};

/// The time between two looks at the clients, even if there are none.
const LOOK: Duration = Duration::from_millis(20);
const IDLE_LOOK: Duration = Duration::from_millis(100);

/// The rest after which a client that has sent nothing yet makes room for another client of its
/// program. Clients normally send a greeting as soon as they are connected.
const SILENCE: Duration = Duration::from_secs(1);

/// The state of a client that the watch sees: the budget of the client's commands, which lets other
/// clients go first, and the threads that draw for the client.
#[derive(Debug)]
pub struct Activity {
    /// The budget of its commands.
    pub budget: WorkBudget,
    /// Its time on processors.
    pub processor: &'static ProcessorTime,
    /// Its turn at the driver.
    pub turn: &'static Turn,
    /// The number of draws that the current command may finish. The command has the time of each.
    draws: AtomicU64,
    /// The number of its [`Holds`] value.
    holds: AtomicU8,
    /// The diary that `holds` is written to, in a process that serves one client.
    diary: OnceLock<Diary>,
    /// The threads that draw for the client, in addition to its own thread.
    pool: OnceLock<Pool>,
}

impl Activity {
    /// Returns the activity of a client that has sent nothing yet. The parts that other threads use
    /// live as long as the program.
    pub fn new(turns: &'static Turns) -> Self {
        Activity {
            budget: WorkBudget::new(),
            processor: Box::leak(Box::default()),
            turn: Box::leak(Box::new(Turn::new(turns))),
            draws: AtomicU64::new(1),
            holds: AtomicU8::new(Holds::Nothing as u8),
            diary: OnceLock::new(),
            pool: OnceLock::new(),
        }
    }

    /// Sets `pool` as the threads that draw for the client, and returns the threads to use.
    pub fn threads(&'static self, pool: &'static dyn Threads) -> &'static dyn Threads {
        self.pool.get_or_init(|| Pool(pool));
        self
    }

    /// Resets the activity for the next client. Called on the thread of that client.
    pub fn renew(&self, peer: &Arc<Peer>) {
        self.budget.renew();
        self.processor.renew();
        self.turn.renew(&peer.drawn);
        self.set_holds(Holds::Nothing);
    }

    /// Begins a command that may take `units` of work and the time of `draws` draws.
    pub fn grant(&self, units: u64, draws: u64) {
        self.draws.store(draws, Relaxed);
        self.budget.grant(units);
    }

    /// Returns the number of draws that the current command may finish.
    pub fn draws(&self) -> u64 {
        self.draws.load(Relaxed)
    }

    /// Also writes the client's [`Holds`] value to `diary` from now on.
    pub fn keep(&self, diary: Diary) {
        let _ = self.diary.set(diary);
    }

    /// Stores the client's current [`Holds`] value.
    pub fn set_holds(&self, holds: Holds) {
        let before = self.holds.swap(holds as u8, Relaxed);
        if let Some(diary) = self.diary.get().filter(|_| before != holds as u8) {
            diary.write(holds);
        }
    }

    /// Returns the client's [`Holds`] value.
    pub fn holds(&self) -> Holds {
        Holds::from_number(self.holds.load(Relaxed))
    }
}

impl Budget for Activity {
    #[inline]
    fn spend(&self, units: u64) -> Result<(), Stopped> {
        self.budget.spend(units)?;
        if self.turn.turns().are_shared() {
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
        // While clients wait for turns, each client that has a turn uses one processor only.
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

/// The place where a client is served.
#[derive(Debug)]
pub enum Served {
    /// Not served yet: its thread has not begun.
    Soon,
    /// In this process.
    Here(&'static Activity),
    /// In a separate process, which keeps a diary.
    Apart(Diary),
}

/// A client under watch.
#[derive(Debug)]
struct Watched {
    stream: UnixStream,
    place: Arc<Place>,
    served: Served,
    /// The command at the last look, the time since it is seen, and the processor time at that
    /// moment.
    command: u64,
    since: Instant,
    processor: u64,
}

impl Watched {
    /// Notes the client's command. Stops the command if the client's threads ran for longer than
    /// `longest` times the number of draws that it may finish.
    fn look(&mut self, now: Instant, longest: Option<Duration>) {
        let Served::Here(activity) = self.served else { return };
        let (command, processor) = (activity.budget.command(), activity.processor.now_ns());
        if command != self.command {
            (self.command, self.since, self.processor) = (command, now, processor);
        }
        let taken = Duration::from_nanos(processor.saturating_sub(self.processor));
        let draws = u32::try_from(activity.draws()).unwrap_or(u32::MAX);
        if longest.is_some_and(|longest| taken > longest.saturating_mul(draws)) {
            // Between commands this has no effect: the next command gets a new grant.
            activity.budget.stop(self.command, Stopped::Time);
        }
    }

    /// Returns the client's [`Holds`] value and the time for which it has rested. Returns `None` if
    /// that is not known.
    fn rest(&mut self, now: Instant) -> Option<(Holds, Duration)> {
        self.look(now, None);
        match &self.served {
            Served::Soon => None,
            Served::Here(activity) => Some((activity.holds(), now - self.since)),
            Served::Apart(diary) => diary.read(),
        }
    }

    /// Stops the client's commands.
    fn cancel(&self) {
        if let Served::Here(activity) = self.served {
            activity.budget.cancel();
        }
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

    /// Watches a client until [`remove`](Self::remove). At first the watch looks only for its
    /// hang-up.
    ///
    /// # Errors
    /// The system has no more open files.
    pub fn add(&self, number: u64, stream: &UnixStream, place: &Arc<Place>) -> std::io::Result<()> {
        let (stream, place, since) = (stream.try_clone()?, Arc::clone(place), Instant::now());
        let client =
            Watched { stream, place, served: Served::Soon, command: 0, since, processor: 0 };
        self.lock().insert(number, client);
        Ok(())
    }

    /// Starts to watch the commands of a client.
    pub fn begin(&self, number: u64, served: Served) {
        let mut clients = self.lock();
        let Some(client) = clients.get_mut(&number) else { return };
        if let Served::Here(activity) = served {
            client.command = activity.budget.command();
            client.processor = activity.processor.now_ns();
        }
        (client.since, client.served) = (Instant::now(), served);
    }

    /// Ends the watch over a client.
    pub fn remove(&self, number: u64) {
        self.lock().remove(&number);
    }

    /// Cancels the commands of all clients and disconnects them.
    pub fn cancel_all(&self) {
        for client in self.lock().values() {
            client.cancel();
            // The client may be gone already.
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

    /// Looks at every client once. Cancels clients that hung up and frees their places. Stops
    /// commands that ran for longer than `longest` times the number of draws that they may finish.
    pub fn look(&self, longest: Option<Duration>) {
        let now = Instant::now();
        processor::look();
        for client in self.lock().values_mut() {
            if has_hung_up(&client.stream) {
                client.cancel();
                client.place.free();
            }
            client.look(now, longest);
        }
    }

    /// Disconnects the client that has rested longest, among clients that hold little and have
    /// rested for at least `idle`, and returns its number. Such a client loses next to nothing if
    /// it connects again. With `own`, only connections of that program are candidates, and a
    /// connection that has sent nothing yet is one after a second.
    pub fn make_room(&self, idle: Duration, own: Option<PeerId>) -> Option<u64> {
        let now = Instant::now();
        let mut clients = self.lock();
        let resting = clients.iter_mut().filter_map(|(number, client)| {
            let (holds, rested) = client.rest(now).filter(|_| !is_asked(&client.stream))?;
            let idle =
                if own.is_some() && holds == Holds::Nothing { idle.min(SILENCE) } else { idle };
            let is_own = own.is_none_or(|own| client.place.id() == own);
            (is_own && holds != Holds::Much && rested >= idle).then_some((rested, *number))
        });
        let (_, number) = resting.max()?;
        let client = clients.remove(&number)?;
        client.cancel();
        client.place.free();
        // Ends the client's thread, which waits for a message.
        let _ = client.stream.shutdown(std::net::Shutdown::Both);
        Some(number)
    }
}

/// Returns true if messages wait in a socket. On a busy machine, a client may have sent a message
/// long before its thread reads it.
fn is_asked(stream: &UnixStream) -> bool {
    let mut files = [PollFd::new(stream, PollFlags::IN)];
    poll(&mut files, Some(&Timespec::default()))
        .is_ok_and(|_| files.iter().any(|file| file.revents().contains(PollFlags::IN)))
}

/// Returns true if the other end of a socket is closed. A client that only shut down its sending
/// side still listens.
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
        let (theirs, activity, ..) = add_of(watch, number, &Places::new(1, &TURNS), 1);
        (theirs, activity)
    }

    /// Adds a client of a program; see [`add`].
    fn add_of(
        watch: &Watch,
        number: u64,
        places: &Arc<Places>,
        process: i32,
    ) -> (UnixStream, &'static Activity, Arc<Place>, UnixStream) {
        let (ours, theirs) = UnixStream::pair().expect("sockets");
        let activity: &'static Activity = Box::leak(Box::new(Activity::new(&TURNS)));
        activity.processor.renew();
        let place = places.take(PeerId::Process(process), &Files::new(10)).expect("a place");
        watch.add(number, &ours, &place).expect("a copy of the socket");
        watch.begin(number, Served::Here(activity));
        (theirs, activity, place, ours)
    }

    #[test]
    fn the_longest_idle_client_that_holds_nothing_makes_room() {
        let watch = Watch::default();
        let clients: Vec<_> = (1..=3).map(|number| add(&watch, number)).collect();
        clients[0].1.set_holds(Holds::Much);
        clients[1].1.set_holds(Holds::Little);
        assert_eq!(watch.make_room(IDLE, None), None, "they rest for too short");
        std::thread::sleep(Duration::from_millis(2));
        // The second client is at another command now.
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
        std::io::Write::write_all(&mut &silent.0, &[0]).expect("room in the socket");
        assert_eq!(watch.make_room(IDLE, own), None, "it has spoken; nobody has read it yet");
        silent.3.set_nonblocking(true).expect("a socket");
        std::io::Read::read_exact(&mut &silent.3, &mut [0]).expect("what it said");
        assert_eq!(watch.make_room(IDLE, own), Some(1), "it has not greeted for a second");
        assert_eq!(watch.make_room(IDLE, own), None, "the second one may rest for longer");
        assert_eq!(watch.make_room(SILENCE, own), Some(2));
        drop(silent);
    }

    #[test]
    fn a_place_is_free_at_the_hang_up() {
        let (watch, places) = (Watch::default(), Places::new(1, &TURNS));
        let (theirs, _, place, _) = add_of(&watch, 1, &places, 1);
        let again = || places.take(PeerId::Process(2), &Files::new(10));
        assert!(again().is_err());
        drop(theirs);
        watch.look(None);
        assert!(again().is_ok(), "the client's commands may still run");
        drop(place);
    }

    #[test]
    fn a_client_that_hangs_up_before_it_is_served_frees_its_place() {
        let (watch, places) = (Watch::default(), Places::new(1, &TURNS));
        let (ours, theirs) = UnixStream::pair().expect("sockets");
        let take = || places.take(PeerId::Process(1), &Files::new(10));
        let place = take().expect("a place");
        watch.add(1, &ours, &place).expect("a copy of the socket");
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(watch.make_room(Duration::ZERO, None), None, "it does not rest: it waits");
        drop(theirs);
        watch.look(None);
        assert!(take().is_ok());
    }

    #[test]
    fn a_client_of_a_process_of_its_own_makes_room_by_what_its_diary_says() {
        let (watch, places) = (Watch::default(), Places::new(2, &TURNS));
        let (ours, mut theirs) = UnixStream::pair().expect("sockets");
        let place = places.take(PeerId::Process(1), &Files::new(10)).expect("a place");
        watch.add(1, &ours, &place).expect("a copy of the socket");
        let diary = Diary::new().expect("a file");
        watch.begin(1, Served::Apart(diary.try_clone().expect("a copy")));
        let activity = Activity::new(&TURNS);
        activity.keep(diary);
        activity.set_holds(Holds::Much);
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(watch.make_room(Duration::ZERO, None), None);
        activity.set_holds(Holds::Little);
        assert_eq!(watch.make_room(IDLE, None), None, "it was busy just now");
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(watch.make_room(Duration::from_millis(1), None), Some(1));
        assert_eq!(std::io::Read::read(&mut theirs, &mut [0]).expect("the end"), 0);
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
