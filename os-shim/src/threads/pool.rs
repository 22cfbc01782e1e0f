//! A pool of threads, on rayon. Its threads stay alive between calls.

use super::{Inline, Threads};
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The caller's thread, and threads that wait for work.
pub struct Pool {
    /// The workers other than the caller; `None` if there are none.
    others: Option<ThreadPool>,
    count: usize,
    /// The number of these workers that no call has claimed.
    idle: AtomicUsize,
}

impl Pool {
    /// Starts a pool of `count` workers: the caller's thread and `count` - 1 further threads. If
    /// the system refuses to start them, the caller's thread works alone.
    pub fn new(count: usize) -> Self {
        let name = |number: usize| std::format!("gallium-{}", number.wrapping_add(1));
        let start =
            |others| ThreadPoolBuilder::new().num_threads(others).thread_name(name).build().ok();
        match count.checked_sub(1).filter(|&others| others > 0).and_then(start) {
            Some(others) => {
                let idle = AtomicUsize::new(others.current_num_threads());
                Pool { others: Some(others), count, idle }
            }
            None => Pool { others: None, count: 1, idle: AtomicUsize::new(0) },
        }
    }

    /// Claims up to `most` idle workers and returns their number. A call uses only workers that it
    /// has claimed, so it never waits for workers that another call occupies.
    fn claim(&self, most: usize) -> usize {
        let rest = |idle: usize| Some(idle.saturating_sub(most));
        let idle = self.idle.fetch_update(Relaxed, Relaxed, rest).unwrap_or(0);
        idle.min(most)
    }
}

impl Threads for Pool {
    fn count(&self) -> usize {
        self.count
    }

    fn parallel(&self, tasks: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        let Some(others) = self.others.as_ref().filter(|_| tasks > 1) else {
            return Inline.parallel(tasks, run);
        };
        // A worker claims the next task when it is free: the work of tiles differs too much to
        // distribute it beforehand. `Relaxed` suffices, because the scope orders all other
        // accesses.
        let next = AtomicUsize::new(0);
        let next = &next;
        let work = move |worker| {
            loop {
                let task = next.fetch_add(1, Relaxed);
                if task >= tasks {
                    break;
                }
                // After a panic no further task begins, because the caller will discard the
                // results.
                let stop = StopOnPanic(next, tasks);
                run(worker, task);
                core::mem::forget(stop);
            }
        };
        let claimed = self.claim(tasks.saturating_sub(1));
        if claimed == 0 {
            return Inline.parallel(tasks, run);
        }
        others.in_place_scope(|scope| {
            for worker in 1..=claimed {
                let claim = Claim(&self.idle);
                scope.spawn(move |_| {
                    let _returned = claim;
                    work(worker);
                });
            }
            work(0);
        });
    }
}

/// Workers that a call has claimed. They are returned when this is dropped, also after a panic.
struct Claim<'p>(&'p AtomicUsize);

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// Makes all tasks count as claimed when dropped, which happens only during a panic.
struct StopOnPanic<'s>(&'s AtomicUsize, usize);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        self.0.store(self.1, Relaxed);
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("count", &self.count).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;

    #[test]
    fn keeps_the_protocol() {
        for count in [0, 1, 2, 3, 8] {
            let pool = Pool::new(count);
            assert_eq!(pool.count(), count.max(1));
            check::keeps_the_protocol(&pool);
        }
    }

    #[test]
    fn workers_run_at_the_same_time() {
        let both = Barrier::new(2);
        // Waits forever if one thread runs both tasks in turn.
        Pool::new(2).parallel(2, &|_, _| {
            both.wait();
        });
    }

    #[test]
    fn calls_from_several_threads_do_not_mix() {
        let pool = Pool::new(3);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| check::keeps_the_protocol(&pool));
            }
        });
    }

    #[test]
    fn a_call_does_not_wait_for_workers_that_another_call_occupies() {
        let pool = Pool::new(2);
        let (busy, done) = (Barrier::new(3), Barrier::new(3));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                pool.parallel(2, &|_, _| {
                    busy.wait();
                    done.wait();
                });
            });
            busy.wait();
            // Both workers of the first call are blocked until this call has returned.
            check::keeps_the_protocol(&pool);
            done.wait();
        });
        assert_eq!(pool.idle.into_inner(), 1);
    }

    #[test]
    fn nested_calls_end() {
        let pool = Pool::new(2);
        let ran = AtomicUsize::new(0);
        pool.parallel(4, &|_, _| {
            pool.parallel(4, &|_, _| {
                ran.fetch_add(1, Relaxed);
            });
        });
        assert_eq!(ran.into_inner(), 16);
    }

    #[test]
    fn panics_reach_the_caller_and_the_pool_lives_on() {
        let pool = Pool::new(3);
        for bad in [0, 5, 99] {
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                pool.parallel(100, &|_, task| assert_ne!(task, bad, "on purpose"));
            }));
            assert!(panicked.is_err());
            check::keeps_the_protocol(&pool);
        }
    }
}
