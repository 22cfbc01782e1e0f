//! The processor time of clients: of each client's thread, and of the threads that draw for it.
//!
//! A command's time is the time that its threads ran, so that a machine under load stops no more
//! commands than an idle one. A client's thread has a clock that the watch reads. Workers serve one
//! client after another: each notes which one it serves, and the watch adds the time that a worker
//! ran since its last look to the client that the worker serves then.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use os_shim::clock::{Clock, ThreadClock};

/// The processor time of one client.
#[derive(Debug, Default)]
pub struct ProcessorTime {
    /// The clock of the client's thread.
    own: Mutex<Option<ThreadClock>>,
    /// Nanoseconds of the workers.
    workers: AtomicU64,
}

/// A thread that draws for one client after another.
#[derive(Debug)]
struct Worker {
    clock: ThreadClock,
    /// The client that the worker serves, or served last.
    serves: Mutex<Option<&'static ProcessorTime>>,
    /// Nanoseconds that were added to clients.
    seen: AtomicU64,
}

/// All workers of the process, which live as long as it does.
static WORKERS: Mutex<Vec<&'static Worker>> = Mutex::new(Vec::new());

thread_local! {
    static THIS: OnceCell<&'static Worker> = const { OnceCell::new() };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker {
    /// Adds the calling thread to the workers.
    fn register() -> &'static Self {
        let clock = ThreadClock::current();
        let seen = AtomicU64::new(clock.now_ns());
        let worker = Box::leak(Box::new(Worker { clock, serves: Mutex::new(None), seen }));
        lock(&WORKERS).push(worker);
        worker
    }
}

impl ProcessorTime {
    /// Returns the time of a client without threads.
    pub const fn new() -> Self {
        ProcessorTime { own: Mutex::new(None), workers: AtomicU64::new(0) }
    }

    /// Begins again: the calling thread is the client's.
    pub fn renew(&self) {
        *lock(&self.own) = Some(ThreadClock::current());
        self.workers.store(0, Relaxed);
    }

    /// Notes that the calling thread, a worker, serves this client from now on.
    pub fn is_served(&'static self) {
        THIS.with(|this| *lock(&this.get_or_init(Worker::register).serves) = Some(self));
    }

    /// Returns the nanoseconds that the client's threads have run, up to the last
    /// [`look`] for the threads of workers.
    pub fn now_ns(&self) -> u64 {
        let own = lock(&self.own).map_or(0, |clock| clock.now_ns());
        own.saturating_add(self.workers.load(Relaxed))
    }
}

/// Adds the time that workers ran since the last look to the clients that they serve.
pub fn look() {
    for worker in lock(&WORKERS).iter() {
        let now = worker.clock.now_ns();
        let ran = now.saturating_sub(worker.seen.swap(now, Relaxed));
        if let Some(client) = *lock(&worker.serves) {
            client.workers.fetch_add(ran, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_workers_counts_for_the_client_they_serve() {
        let new = || -> &'static ProcessorTime { Box::leak(Box::default()) };
        let (one, other) = (new(), new());
        let run = |client: &'static ProcessorTime| {
            client.is_served();
            let clock = ThreadClock::current();
            let end = clock.now_ns() + 20_000_000;
            while clock.now_ns() < end {
                std::hint::spin_loop();
            }
            look();
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                run(one);
                run(other);
                run(one);
            });
        });
        assert!(one.now_ns() >= 40_000_000, "{one:?}");
        assert!((20_000_000..40_000_000).contains(&other.now_ns()), "{other:?}");
    }

    #[test]
    fn the_time_of_a_thread_that_waits_does_not_count() {
        let time = ProcessorTime::new();
        time.renew();
        let before = time.now_ns();
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert!(time.now_ns() - before < 30_000_000);
    }
}
