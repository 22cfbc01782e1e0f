//! Work split into tasks, on the caller's thread, a pool of threads, or a second core; and
//! background jobs.

#[cfg(feature = "threads")]
mod background;
#[cfg(feature = "threads")]
mod pool;
#[cfg(feature = "second-core")]
mod second_core;

#[cfg(feature = "threads")]
pub use background::{Background, BackgroundThread, Errand, Job, Later};
#[cfg(feature = "threads")]
pub use pool::Pool;
#[cfg(feature = "second-core")]
pub use second_core::SecondCore;

/// An executor of independent tasks.
///
/// Implementations keep this protocol, and users' data depends on it. Each task from 0 to `tasks` -
/// 1 runs exactly once. All tasks have ended when `parallel` returns. Within one call, no two tasks
/// run at the same time under one worker number, so a worker's scratch data needs no lock. A panic
/// in a task reaches the caller of `parallel` after the other workers have stopped; tasks not begun
/// by then may be skipped.
pub trait Threads: Sync {
    /// Returns the number of workers, including the caller's thread; at least 1.
    fn count(&self) -> usize;

    /// Runs `run(worker, task)` for every `task` below `tasks`, in any order, with `worker`
    /// below [`Threads::count`].
    fn parallel(&self, tasks: usize, run: &(dyn Fn(usize, usize) + Sync));
}

/// Runs all tasks on the caller's thread, in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inline;

impl Threads for Inline {
    fn count(&self) -> usize {
        1
    }

    fn parallel(&self, tasks: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        for task in 0..tasks {
            run(0, task);
        }
    }
}

/// Returns the pool of [`Os::host`](crate::Os::host), one for the process, started on first use.
#[cfg(all(feature = "std", feature = "threads"))]
pub(crate) fn host() -> &'static dyn Threads {
    use std::sync::OnceLock;
    static POOL: OnceLock<Pool> = OnceLock::new();
    let available = || std::thread::available_parallelism().map_or(1, |count| count.get());
    POOL.get_or_init(|| {
        Pool::new(crate::options::thread_count(&crate::options::Environment, available()))
    })
}

/// Returns the caller's thread, for [`Os::host`](crate::Os::host).
#[cfg(all(feature = "std", not(feature = "threads")))]
pub(crate) fn host() -> &'static dyn Threads {
    &Inline
}

/// Tests of the protocol that every implementation keeps.
#[cfg(test)]
pub(crate) mod check {
    use super::Threads;
    use core::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::vec::Vec;

    /// Runs several numbers of tasks. Asserts that each task ran once and that each worker ran one
    /// task at a time.
    pub(crate) fn keeps_the_protocol(threads: &dyn Threads) {
        for tasks in [0, 1, 2, 3, 7, 64, if cfg!(miri) { 65 } else { 1000 }] {
            let ran: Vec<_> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
            let busy: Vec<_> = (0..threads.count()).map(|_| AtomicUsize::new(0)).collect();
            threads.parallel(tasks, &|worker, task| {
                assert_eq!(busy[worker].fetch_add(1, SeqCst), 0, "worker {worker} is shared");
                ran[task].fetch_add(1, SeqCst);
                assert_eq!(busy[worker].fetch_sub(1, SeqCst), 1);
            });
            assert!(ran.iter().all(|count| count.load(SeqCst) == 1), "{tasks} tasks");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::RefCell;
    use std::sync::Mutex;
    use std::vec::Vec;

    #[test]
    fn inline_keeps_the_protocol() {
        check::keeps_the_protocol(&Inline);
    }

    #[test]
    fn inline_goes_in_order() {
        let order = Mutex::new(RefCell::new(Vec::new()));
        Inline.parallel(4, &|worker, task| {
            order.lock().unwrap().borrow_mut().push((worker, task));
        });
        assert_eq!(order.into_inner().unwrap().into_inner(), [(0, 0), (0, 1), (0, 2), (0, 3)]);
    }
}
