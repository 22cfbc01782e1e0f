//! Turns at the driver. As many clients draw at a time as there are processors. Clients with short
//! messages go first, and among them the client of the program that has drawn least.
//!
//! The system's scheduler would treat all clients alike: among a hundred busy clients, a client
//! with a small draw would get one slice in a hundred for each of its messages. Here it gets a turn
//! as soon as one of the busy clients asks its budget whether to go on, which is every few
//! milliseconds. The time of a turn is charged to the client's program, so further connections gain
//! a program nothing. Every fourth turn goes to the program that has drawn least, even if its
//! message is long.
//!
//! We count processor time, so a client loses nothing when the machine runs other programs. The
//! count is a virtual time: the [`floor`](State::floor) rises with each turn, so a program that has
//! not drawn for a while has no more credit than a new program.
//!
//! A process that serves one client [asks](crate::asks) the server for turns.

use std::cell::Cell;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use os_shim::clock::{Clock, ThreadClock};

use crate::asks::{self, Asks, Message};

/// The time for which a client draws before it makes way for a client that has drawn less.
const SLICE: Duration = Duration::from_millis(4);

/// The unit of the time that a message has taken. Messages that have taken fewer steps go first.
/// Messages that have taken [`LONG`] steps are treated alike.
const STEP: Duration = Duration::from_millis(8);
const LONG: u64 = 8;

/// Turns in a row that go to messages of few steps.
const ROW: u32 = 3;

/// The time after which a turn is given although no client has made way. Commands that do not ask
/// their budgets, such as the compilation of a shader, hold a turn for longer.
const PATIENCE: Duration = Duration::from_millis(20);

/// The time after which a process that sends nothing loses its turn. A client that has taken over its
/// process may keep silent for ever.
const SILENCE: Duration = Duration::from_secs(1);

/// The turns of all clients.
#[derive(Debug)]
pub struct Turns {
    /// Number of clients that wait; read without the lock.
    waiting: AtomicUsize,
    state: Mutex<State>,
    /// The server that gives the turns, in a process that serves one client.
    server: OnceLock<Asks>,
}

#[derive(Debug)]
struct State {
    /// The number of clients that may have a turn at a time.
    limit: usize,
    /// The number of clients that have a turn.
    going: usize,
    /// The virtual time, in nanoseconds, at which the last turn was given.
    floor: u64,
    /// The greatest virtual time of a program.
    ceiling: u64,
    /// Number of clients that have waited so far.
    waited: u64,
    /// The clients that wait, at most one per place.
    queue: Vec<Waiter>,
    /// The number of turns in a row that went to the message with the fewest steps.
    row: u32,
    /// The time of the last turn that a waiting client got.
    given: Option<Instant>,
}

/// A client that waits for a turn.
#[derive(Debug)]
struct Waiter {
    /// The steps that its message has taken.
    steps: u64,
    /// The virtual time until which its program has drawn.
    time: u64,
    number: u64,
    turn: &'static Turn,
}

/// The virtual time, in nanoseconds, until which a program has drawn.
#[derive(Debug, Default)]
pub struct Drawn(pub AtomicU64);

/// The turn of one client.
#[derive(Debug)]
pub struct Turn {
    turns: &'static Turns,
    /// The client's program.
    program: Mutex<Option<Arc<Drawn>>>,
    /// The client has its turn.
    goes: Mutex<bool>,
    given: Condvar,
    /// The client waits in the middle of a command. Its workers wait, too.
    is_paused: AtomicBool,
    /// Nanoseconds that the client's message has taken.
    used: AtomicU64,
    /// Nanoseconds that the client has drawn since its process last asked for a turn.
    unasked: AtomicU64,
    /// The process has a turn that its server gave.
    is_given: AtomicBool,
}

/// The begin of a turn, or of a slice of it.
#[derive(Clone, Copy, Debug)]
struct Slice {
    at: Instant,
    /// Nanoseconds that the thread had run by then.
    ran: u64,
}

impl Slice {
    /// Begins a slice of the calling thread.
    fn begin() -> Self {
        Slice { at: Instant::now(), ran: ran() }
    }

    /// Returns the time that the calling thread has run since the begin.
    fn time(&self) -> Duration {
        Duration::from_nanos(ran().saturating_sub(self.ran))
    }
}

/// Returns the nanoseconds that the calling thread has run.
fn ran() -> u64 {
    ThreadClock::current().now_ns()
}

thread_local! {
    /// The slice, if the calling thread belongs to a client that has its turn.
    static SINCE: Cell<Option<Slice>> = const { Cell::new(None) };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a time in nanoseconds.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Turns {
    /// Returns turns for `limit` clients at a time.
    pub const fn new(limit: usize) -> Self {
        let state = State {
            limit,
            going: 0,
            floor: 0,
            ceiling: 0,
            waited: 0,
            queue: Vec::new(),
            row: 0,
            given: None,
        };
        Turns { waiting: AtomicUsize::new(0), state: Mutex::new(state), server: OnceLock::new() }
    }

    /// Asks a server for turns from now on.
    pub fn ask(&self, server: Asks) {
        let _ = self.server.set(server);
    }

    /// Returns true if clients that draw must [make way](Turn::make_way) from time to time.
    #[inline]
    pub fn are_shared(&self) -> bool {
        self.are_awaited() || self.server.get().is_some()
    }

    /// Returns true if clients wait for a turn.
    #[inline]
    pub fn are_awaited(&self) -> bool {
        self.waiting.load(Relaxed) > 0
    }

    /// Returns the current virtual time. A program that has drawn less begins at this time.
    pub fn now(&self) -> u64 {
        lock(&self.state).floor
    }

    /// Gives a turn beyond the limit if no client has made way for a long time.
    pub fn look(&self) {
        let mut state = lock(&self.state);
        if state.given.is_none_or(|given| given.elapsed() >= PATIENCE) {
            state.give();
        }
        self.count(&state);
    }

    /// Gives turns to all clients from now on: the server stops and cancels their commands.
    pub fn open(&self) {
        let mut state = lock(&self.state);
        state.limit = usize::MAX;
        state.fill();
        self.count(&state);
    }

    fn count(&self, state: &State) {
        // A process knows from its server whether clients wait.
        if self.server.get().is_none() {
            self.waiting.store(state.queue.len(), Relaxed);
        }
    }
}

impl State {
    /// Returns true if the next turn goes to the program that has drawn least, even if its message
    /// is long.
    fn is_fair(&self) -> bool {
        self.row >= ROW
    }

    /// Returns the place in the queue of the client that is next.
    fn next(&self) -> Option<usize> {
        let key = |waiter: &Waiter| match self.is_fair() {
            true => (0, waiter.time, waiter.number),
            false => (waiter.steps, waiter.time, waiter.number),
        };
        let keys = self.queue.iter().map(key).enumerate();
        keys.min_by_key(|(_, key)| *key).map(|(index, _)| index)
    }

    /// Gives a turn to the client that is next.
    fn give(&mut self) {
        let Some(next) = self.next() else { return };
        let Waiter { time, turn, .. } = self.queue.swap_remove(next);
        self.row = if self.is_fair() { 0 } else { self.row.saturating_add(1) };
        self.floor = self.floor.max(time);
        self.going = self.going.saturating_add(1);
        self.given = Some(Instant::now());
        *lock(&turn.goes) = true;
        turn.is_paused.store(false, Relaxed);
        turn.given.notify_all();
    }

    /// Gives turns up to the limit.
    fn fill(&mut self) {
        while self.going < self.limit && !self.queue.is_empty() {
            self.give();
        }
    }

    /// Queues a client of a program that has drawn until `time`.
    fn push(&mut self, time: u64, turn: &'static Turn) {
        if self.queue.is_empty() {
            // Patience begins with the first that waits.
            self.given = Some(Instant::now());
        }
        self.waited = self.waited.wrapping_add(1);
        *lock(&turn.goes) = false;
        self.queue.push(Waiter { steps: turn.steps(), time, number: self.waited, turn });
    }

    /// Ends a turn.
    fn end(&mut self) {
        self.going = self.going.saturating_sub(1);
        self.fill();
        if self.going == 0 {
            self.floor = self.ceiling;
        }
    }
}

impl Turn {
    /// Returns the turn of a client that has sent nothing yet.
    pub const fn new(turns: &'static Turns) -> Self {
        Turn {
            turns,
            program: Mutex::new(None),
            goes: Mutex::new(false),
            given: Condvar::new(),
            is_paused: AtomicBool::new(false),
            used: AtomicU64::new(0),
            unasked: AtomicU64::new(0),
            is_given: AtomicBool::new(false),
        }
    }

    /// Resets the turn for a client of another program.
    pub fn renew(&self, program: &Arc<Drawn>) {
        *lock(&self.program) = Some(Arc::clone(program));
    }

    /// Returns the set of turns that this turn belongs to.
    pub const fn turns(&self) -> &'static Turns {
        self.turns
    }

    /// Charges the program for `time` of drawing; returns the virtual time until which it has
    /// drawn.
    fn charge(&self, state: &mut State, time: Duration) -> u64 {
        let program = lock(&self.program);
        let before = program.as_ref().map_or(0, |program| program.0.load(Relaxed));
        let time = nanoseconds(time);
        self.used.fetch_add(time, Relaxed);
        let drawn = before.max(state.floor).saturating_add(time);
        if let Some(program) = &*program {
            program.0.store(drawn, Relaxed);
        }
        state.ceiling = state.ceiling.max(drawn);
        drawn
    }

    /// Begins a message.
    pub fn begin(&self) {
        self.used.store(0, Relaxed);
    }

    /// Returns the number of steps that the message has taken, at most [`LONG`].
    fn steps(&self) -> u64 {
        (self.used.load(Relaxed) / nanoseconds(STEP).max(1)).min(LONG)
    }

    /// Waits for a turn; [`leave`](Self::leave) ends it.
    pub fn take(&'static self) {
        if let Some(server) = self.turns.server.get() {
            if self.unasked.load(Relaxed) >= nanoseconds(SLICE) {
                self.ask(server);
            }
            return SINCE.set(Some(Slice::begin()));
        }
        let mut state = lock(&self.turns.state);
        if state.going < state.limit && state.queue.is_empty() {
            state.going = state.going.saturating_add(1);
        } else {
            let time = self.charge(&mut state, Duration::ZERO);
            state.push(time, self);
            self.turns.count(&state);
            drop(state);
            self.wait();
        }
        SINCE.set(Some(Slice::begin()));
    }

    /// Ends the turn of the calling thread, if it has one.
    pub fn leave(&self) {
        let Some(since) = SINCE.take() else { return };
        if let Some(server) = self.turns.server.get() {
            self.count(since.time());
            if self.is_given.swap(false, Relaxed) {
                // Without a server, the process ends soon.
                let _ = server.leave();
            }
            return;
        }
        self.end(since.time());
    }

    /// Ends a turn that took `time` since it was last charged.
    fn end(&self, time: Duration) {
        let mut state = lock(&self.turns.state);
        self.charge(&mut state, time);
        state.end();
        self.turns.count(&state);
    }

    /// Counts `time` of drawing in a process that asks a server for turns.
    fn count(&self, time: Duration) {
        let time = nanoseconds(time);
        self.used.fetch_add(time, Relaxed);
        self.unasked.fetch_add(time, Relaxed);
    }

    /// Waits for a turn from the server. Workers wait, too.
    #[cold]
    fn ask(&self, server: &Asks) {
        *lock(&self.goes) = false;
        self.is_paused.store(true, Relaxed);
        // Without a server, the process ends soon.
        let is_awaited = server.ask(self.steps()).unwrap_or(false);
        self.turns.waiting.store(is_awaited.into(), Relaxed);
        self.unasked.store(0, Relaxed);
        self.is_given.store(true, Relaxed);
        *lock(&self.goes) = true;
        self.is_paused.store(false, Relaxed);
        self.given.notify_all();
    }

    /// Answers the asks of a client's process until the process ends.
    pub fn answer(&'static self, process: &UnixStream) {
        // A process without a turn may wait for its client for as long as it likes.
        while let Some(message) = asks::next(process, SINCE.get().map(|_| SILENCE)) {
            match message {
                Message::Ask(steps) => {
                    self.take_apart(steps);
                    if asks::give(process, self.turns.are_awaited()).is_err() {
                        break;
                    }
                }
                Message::Leave | Message::Silence => self.leave_apart(),
            }
        }
        self.leave_apart();
    }

    /// Waits for a turn, or for the next slice of a turn, of a client's process. The client's
    /// message has taken `steps` steps.
    fn take_apart(&'static self, steps: u64) {
        self.used.store(nanoseconds(STEP).saturating_mul(steps), Relaxed);
        let Some(since) = SINCE.get() else {
            // The process has drawn for a slice before it asked.
            self.charge(&mut lock(&self.turns.state), SLICE);
            return self.take();
        };
        self.hand_on(since.at.elapsed());
    }

    /// Ends the turn of a client's process, if it has one.
    fn leave_apart(&self) {
        if let Some(since) = SINCE.take() {
            self.end(since.at.elapsed());
        }
    }

    /// Runs `run`, which waits for the client, without the turn.
    pub fn outside<R>(&'static self, run: impl FnOnce() -> R) -> R {
        let had_turn = SINCE.get().is_some();
        self.leave();
        let result = run();
        if had_turn {
            self.take();
        }
        result
    }

    /// Makes way for a client that has drawn less, at the end of a slice. Workers wait as long as
    /// their client does. Called in the middle of commands, while clients wait.
    #[cold]
    pub fn make_way(&'static self) {
        let Some(since) = SINCE.get() else {
            let mut goes = lock(&self.goes);
            while self.is_paused.load(Relaxed) && !*goes {
                goes = self.given.wait(goes).unwrap_or_else(PoisonError::into_inner);
            }
            return;
        };
        if since.at.elapsed() < SLICE {
            return;
        }
        let time = since.time();
        if time < SLICE {
            // The system let other threads run meanwhile. There is no need to read the time again
            // soon.
            SINCE.set(Some(Slice { at: Instant::now(), ..since }));
            return;
        }
        match self.turns.server.get() {
            Some(server) => {
                self.count(time);
                self.ask(server);
                SINCE.set(Some(Slice::begin()));
            }
            None => self.hand_on(time),
        }
    }

    /// Charges a slice of `time`, and lets the next client go first if it has drawn less.
    fn hand_on(&'static self, time: Duration) {
        let mut state = lock(&self.turns.state);
        let drawn = self.charge(&mut state, time);
        let next = state.next().and_then(|index| state.queue.get(index));
        let makes_way = next.is_some_and(|next| match state.is_fair() {
            true => next.time < drawn,
            false => (next.steps, next.time) < (self.steps(), drawn),
        });
        if makes_way {
            // The next client goes in place of this client. If more clients than the limit have turns, nobody does: the
            // turn that `look` gave beyond the limit ends here.
            state.going = state.going.saturating_sub(1);
            state.fill();
            state.push(drawn, self);
            self.is_paused.store(true, Relaxed);
            self.turns.count(&state);
            drop(state);
            self.wait();
        }
        SINCE.set(Some(Slice::begin()));
    }

    fn wait(&self) {
        let mut goes = lock(&self.goes);
        while !*goes {
            goes = self.given.wait(goes).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};

    use super::*;

    /// Returns the turn of a client of a program.
    fn turn(turns: &'static Turns, peer: &Arc<Drawn>) -> &'static Turn {
        let turn: &'static Turn = Box::leak(Box::new(Turn::new(turns)));
        turn.renew(peer);
        turn
    }

    fn peer() -> Arc<Drawn> {
        Arc::default()
    }

    /// Returns a turn with a message that has taken `steps` steps.
    fn after(turns: &'static Turns, steps: u64) -> &'static Turn {
        let turn = turn(turns, &peer());
        turn.used.store(steps * nanoseconds(STEP), Relaxed);
        turn
    }

    /// Gives a turn; returns the place in `turns` of the client that got it.
    fn given(state: &mut State, turns: &[&'static Turn]) -> Option<usize> {
        state.give();
        let place = turns.iter().position(|turn| *lock(&turn.goes))?;
        *lock(&turns[place].goes) = false;
        Some(place)
    }

    #[test]
    fn who_draws_little_goes_first_whatever_many_others_do() {
        static TURNS: Turns = Turns::new(2);
        let mut turns: Vec<_> = (0..50).map(|_| after(&TURNS, LONG)).collect();
        turns.push(after(&TURNS, 1));
        let mut state = lock(&TURNS.state);
        for (time, turn) in (1000..).zip(&turns[..50]) {
            state.push(time, turn);
        }
        // This client came last, and its program has drawn most.
        state.push(2000, turns[50]);
        assert_eq!(given(&mut state, &turns), Some(50));
        // Among messages with the same number of steps, the program that has drawn least is next.
        assert_eq!(given(&mut state, &turns), Some(0));
        assert_eq!((state.going, state.queue.len()), (2, 49));
    }

    /// Short messages, one after the other, leave every fourth turn to long messages.
    #[test]
    fn long_messages_go_on_beside_short_ones() {
        static TURNS: Turns = Turns::new(1);
        let turns = [after(&TURNS, LONG), after(&TURNS, 0), after(&TURNS, 0)];
        let mut state = lock(&TURNS.state);
        state.push(10, turns[0]);
        state.push(20, turns[1]);
        state.push(30, turns[2]);
        let mut order = Vec::new();
        for round in 1..=8 {
            let place = given(&mut state, &turns).expect("one waits");
            order.push(place);
            // The client queues again, and has drawn since.
            state.push(100 * round, turns[place]);
        }
        assert_eq!(order.iter().filter(|place| **place == 0).count(), 2, "{order:?}");
        assert_eq!((order[3], order[7]), (0, 0), "{order:?}");
    }

    #[test]
    fn connections_of_one_program_share_its_time() {
        static TURNS: Turns = Turns::new(1);
        let greedy = peer();
        let [one, other] = [0, 1].map(|_| turn(&TURNS, &greedy));
        let modest = turn(&TURNS, &peer());
        let mut state = lock(&TURNS.state);
        let drawn = one.charge(&mut state, SLICE);
        assert_eq!(drawn, nanoseconds(SLICE));
        assert_eq!(other.charge(&mut state, Duration::ZERO), drawn);
        assert_eq!(other.charge(&mut state, SLICE), 2 * drawn);
        assert_eq!(modest.charge(&mut state, Duration::ZERO), 0);
        // A program that comes later has no credit for the time before.
        state.floor = drawn;
        assert_eq!(modest.charge(&mut state, SLICE), 2 * drawn);
    }

    #[test]
    fn a_turn_is_given_beside_one_that_does_not_ask() {
        static TURNS: Turns = Turns::new(1);
        let stuck = turn(&TURNS, &peer());
        stuck.take();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let other = turn(&TURNS, &peer());
                other.take();
                other.leave();
            });
            while !other.is_finished() {
                TURNS.look();
                std::thread::sleep(PATIENCE / 4);
            }
        });
        stuck.leave();
        assert_eq!(lock(&TURNS.state).going, 0);
    }

    #[test]
    fn a_turn_beyond_the_limit_ends_with_its_slice() {
        static TURNS: Turns = Turns::new(1);
        let [one, other, third] = [0, 1, 2].map(|_| turn(&TURNS, &peer()));
        one.take();
        {
            let mut state = lock(&TURNS.state);
            state.push(0, other);
            // Patience has ended.
            state.give();
            state.push(0, third);
            assert_eq!((state.going, state.queue.len()), (2, 1));
        }
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| one.hand_on(SLICE));
            while lock(&TURNS.state).queue.len() < 2 {
                std::thread::yield_now();
            }
            assert_eq!(lock(&TURNS.state).going, 1);
            // Both that wait go in turn.
            other.end(SLICE);
            third.end(SLICE);
            waits.join().expect("the first client goes on");
        });
        assert_eq!(lock(&TURNS.state).going, 1);
    }

    #[test]
    fn a_client_waits_for_nobody_outside_of_its_turn() {
        static TURNS: Turns = Turns::new(1);
        let (one, other) = (turn(&TURNS, &peer()), turn(&TURNS, &peer()));
        one.take();
        one.outside(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    other.take();
                    other.leave();
                });
            });
        });
        assert!(SINCE.get().is_some(), "it has its turn again");
        one.leave();
        one.leave();
        assert_eq!(lock(&TURNS.state).going, 0);
    }

    /// Returns both ends of a socket, with a limit of the time that a read may take.
    fn pair(longest: Duration) -> (UnixStream, UnixStream) {
        let (ours, theirs) = UnixStream::pair().expect("sockets");
        ours.set_read_timeout(Some(longest)).expect("a time");
        theirs.set_read_timeout(Some(longest)).expect("a time");
        (ours, theirs)
    }

    fn receive(mut from: &UnixStream) -> std::io::Result<u8> {
        let mut byte = [0];
        from.read_exact(&mut byte).map(|()| byte[0])
    }

    fn send(mut to: &UnixStream, byte: u8) {
        to.write_all(&[byte]).expect("room in the socket");
    }

    /// There is one turn. The process with the short message gets it from the process with the long
    /// message, which gets it back.
    #[test]
    fn processes_take_turns() {
        static TURNS: Turns = Turns::new(1);
        const SHORT: Duration = Duration::from_millis(50);
        let long = pair(Duration::from_secs(10));
        let short = pair(Duration::from_secs(10));
        std::thread::scope(|scope| {
            let ends = [long.0, short.0].map(|end| {
                end.set_read_timeout(None).expect("any time");
                end
            });
            for end in ends {
                scope.spawn(move || turn(&TURNS, &peer()).answer(&end));
            }
            let (long, short) = (long.1, short.1);
            send(&long, LONG as u8);
            assert_eq!(receive(&long).expect("a turn"), 0, "no other client waits");
            send(&short, 0);
            short.set_read_timeout(Some(SHORT)).expect("a time");
            let waits = receive(&short).expect_err("the only turn is taken").kind();
            assert!(matches!(waits, ErrorKind::WouldBlock | ErrorKind::TimedOut), "{waits}");
            short.set_read_timeout(None).expect("any time");
            send(&long, LONG as u8);
            assert_eq!(receive(&short).expect("a turn"), 1, "the other one waits");
            long.set_read_timeout(Some(SHORT)).expect("a time");
            assert!(receive(&long).is_err(), "the other one has the turn");
            long.set_read_timeout(None).expect("any time");
            send(&short, u8::MAX);
            receive(&long).expect("its turn again");
            // A process that ends gives its turn back, too.
            drop(long);
            send(&short, 1);
            receive(&short).expect("a turn");
        });
        assert!(!TURNS.are_awaited());
    }

    /// There is one turn. A process that has it sends nothing more, and the other process gets it.
    #[test]
    fn a_silent_process_loses_its_turn() {
        static TURNS: Turns = Turns::new(1);
        let silent = pair(Duration::from_secs(10));
        let other = pair(Duration::from_secs(10));
        std::thread::scope(|scope| {
            for end in [silent.0, other.0] {
                scope.spawn(move || turn(&TURNS, &peer()).answer(&end));
            }
            let (silent, other) = (silent.1, other.1);
            send(&silent, 0);
            receive(&silent).expect("a turn");
            send(&other, 0);
            receive(&other).expect("the turn of the silent process");
            // It takes part again when it asks.
            send(&other, u8::MAX);
            send(&silent, LONG as u8);
            receive(&silent).expect("a turn");
        });
        assert_eq!(lock(&TURNS.state).going, 0);
    }

    /// A process asks once it has drawn for a slice, and not before.
    #[test]
    fn a_process_asks_after_a_slice() {
        static TURNS: Turns = Turns::new(1);
        let (server, process) = pair(Duration::from_secs(10));
        TURNS.ask(Asks::from_file(process.into()));
        let draw = || {
            let since = ThreadClock::current().now_ns();
            while ThreadClock::current().now_ns() - since < nanoseconds(SLICE) {}
        };
        let turn = turn(&TURNS, &peer());
        turn.begin();
        turn.take();
        turn.make_way();
        turn.leave();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                turn.take();
                draw();
                turn.make_way();
                assert!(TURNS.are_awaited(), "the server said so");
                turn.leave();
                turn.take();
                draw();
                turn.leave();
                // What was drawn without a turn counts for the next message.
                turn.begin();
                turn.take();
                assert!(!TURNS.are_awaited());
                turn.leave();
            });
            assert_eq!(receive(&server).expect("an ask"), 0, "less than a step");
            send(&server, 1);
            assert_eq!(receive(&server).expect("the end of a turn"), u8::MAX);
            assert_eq!(receive(&server).expect("an ask"), 0, "a new message");
            send(&server, 0);
            assert_eq!(receive(&server).expect("the end of a turn"), u8::MAX);
        });
        server.set_nonblocking(true).expect("a socket");
        assert!(receive(&server).is_err(), "no more asks");
    }
}
