//! A second core that polls a mailbox for work.
//!
//! Critical sections guard the mailbox, so cores need no compare-and-swap: the two Cortex-M0+ of an
//! RP2040 work too. The `critical-section` implementation must hold off both cores, as rp2040-hal's
//! does with a hardware spinlock; an implementation for single cores does not work. With the
//! feature `spin` a spin lock guards the mailbox, and no `critical-section` implementation is
//! needed.

#![expect(unsafe_code, reason = "lends a borrow to another core, which stack frames cannot show")]

use super::{Inline, Threads};
use crate::sync::Section;
use core::fmt;
use core::ptr::NonNull;

/// Two workers: the core that calls `parallel` and the one that runs [`SecondCore::serve`].
///
/// ```no_run
/// use gallium_os_shim::threads::SecondCore;
///
/// static CORES: SecondCore = SecondCore::new();
///
/// fn second_core_main() -> ! {
///     CORES.serve()
/// }
/// // First core: Os { threads: &CORES, ..Os::bare(memory) }
/// ```
/// While the second core does not poll, the first core does all the work alone. The cores claim the
/// tasks of a call one by one, so a slow tile on one core does not hold up the other.
pub struct SecondCore(Section<Mailbox>);

#[derive(Clone, Copy)]
struct Mailbox {
    /// The next task to claim from the posted or running job.
    next: usize,
    /// A job that the second core has not taken yet.
    posted: Option<Job>,
    /// True while a call of `parallel` runs; further calls then run inline.
    in_use: bool,
    /// True while the second core runs a job.
    busy: bool,
    /// True if the second core's last job panicked, where panics unwind.
    panicked: bool,
}

/// The task function of the running call of `parallel`.
#[derive(Clone, Copy)]
struct Job {
    /// A borrow with its lifetime erased: the true lifetime is the one of the `run` passed to
    /// `parallel`; see there.
    run: NonNull<dyn Fn(usize, usize) + Sync>,
    tasks: usize,
}

// SAFETY: the target of `run` is `Sync`, so another core may call it. `parallel` shows that the
// target still exists then.
unsafe impl Send for Job {}

impl SecondCore {
    /// Returns two workers with an empty mailbox.
    pub const fn new() -> Self {
        let mailbox =
            Mailbox { next: 0, posted: None, in_use: false, busy: false, panicked: false };
        SecondCore(Section::new(mailbox))
    }

    /// Reads and changes the mailbox in one section. `change` takes a few instructions and calls no
    /// function of this file.
    fn with<O>(&self, change: impl FnOnce(&mut Mailbox) -> O) -> O {
        // SAFETY: no `change` of this file uses the mailbox a second time.
        unsafe { self.0.with(change) }
    }

    /// Runs the second core's main loop. At most one core at a time may be in `serve` or
    /// [`SecondCore::poll`].
    pub fn serve(&self) -> ! {
        loop {
            if !self.poll() {
                core::hint::spin_loop();
            }
        }
    }

    /// Runs the posted job, if any, and returns true if there was one. For second cores that also
    /// have other work.
    pub fn poll(&self) -> bool {
        let posted = self.with(|mailbox| {
            let job = mailbox.posted.take();
            mailbox.busy |= job.is_some();
            job
        });
        let Some(job) = posted else { return false };
        let mut ending = Ending { cores: self, panicked: true };
        // SAFETY: `posted` still had the job, so its `parallel` had not reached its end, which
        // takes the job out in a critical section. From then on `busy` keeps `parallel` from
        // returning. The section above set `busy`, and only `ending` resets it.
        let run = unsafe { job.run.as_ref() };
        self.claim(1, job.tasks, run);
        ending.panicked = false;
        true
    }

    /// Claims and runs tasks until none are left.
    fn claim(&self, worker: usize, tasks: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        loop {
            let task = self.with(|mailbox| {
                let task = mailbox.next;
                mailbox.next = task.saturating_add(1);
                task
            });
            if task >= tasks {
                break;
            }
            run(worker, task);
        }
    }
}

impl SecondCore {
    /// Makes all remaining tasks count as claimed, after a panic.
    fn leave_out_the_rest(&self) {
        self.with(|mailbox| mailbox.next = usize::MAX);
    }

    /// Takes the job back, or waits until the second core has finished it, and ends the call.
    /// Returns true if the second core panicked.
    fn withdraw(&self) -> bool {
        loop {
            let ended = self.with(|mailbox| {
                mailbox.posted = None;
                mailbox.in_use &= mailbox.busy;
                (!mailbox.busy).then_some(mailbox.panicked)
            });
            if let Some(panicked) = ended {
                return panicked;
            }
            core::hint::spin_loop();
        }
    }
}

impl Threads for SecondCore {
    fn count(&self) -> usize {
        2
    }

    fn parallel(&self, tasks: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        let job = Job { run: erase(run), tasks };
        let posted = self.with(|mailbox| {
            let free = !mailbox.in_use && tasks > 1;
            if free {
                *mailbox = Mailbox {
                    next: 0,
                    posted: Some(job),
                    in_use: true,
                    panicked: false,
                    ..*mailbox
                };
            }
            free
        });
        if !posted {
            return Inline.parallel(tasks, run);
        }
        // From here on the second core may call `run`. `withdraw` ends that before this function
        // returns or unwinds, and so before the borrow of `run` can end.
        let unwinding = Withdraw(self);
        self.claim(0, tasks, run);
        core::mem::forget(unwinding);
        let panicked = self.withdraw();
        assert!(!panicked, "a task panicked on the second core");
    }
}

/// Erases a borrow's lifetime; the caller must respect it instead.
fn erase<'a>(run: &'a (dyn Fn(usize, usize) + Sync + 'a)) -> NonNull<dyn Fn(usize, usize) + Sync> {
    let run: NonNull<dyn Fn(usize, usize) + Sync + 'a> = NonNull::from(run);
    // SAFETY: the types differ in a lifetime only, and a pointer promises nothing about it.
    unsafe { core::mem::transmute(run) }
}

/// Withdraws the job when a task panics on the first core.
struct Withdraw<'c>(&'c SecondCore);

impl Drop for Withdraw<'_> {
    fn drop(&mut self) {
        self.0.leave_out_the_rest();
        self.0.withdraw();
    }
}

/// Reports the end of the second core's job, even after a panic.
struct Ending<'c> {
    cores: &'c SecondCore,
    panicked: bool,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if self.panicked {
            self.cores.leave_out_the_rest();
        }
        self.cores.with(|mailbox| {
            mailbox.panicked = self.panicked;
            mailbox.busy = false;
        });
    }
}

impl Default for SecondCore {
    fn default() -> Self {
        SecondCore::new()
    }
}

impl fmt::Debug for SecondCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecondCore").field("busy", &self.with(|mailbox| mailbox.busy)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Runs `first` while a thread acts as the second core; returns the number of jobs that this
    /// thread ran.
    fn with_second_core(cores: &SecondCore, first: impl FnOnce()) -> usize {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let mut jobs = 0;
                while !stop.load(SeqCst) {
                    match catch_unwind(AssertUnwindSafe(|| cores.poll())) {
                        Ok(true) | Err(_) => jobs += 1,
                        Ok(false) => std::thread::yield_now(),
                    }
                }
                jobs
            });
            let ended = catch_unwind(AssertUnwindSafe(first));
            stop.store(true, SeqCst);
            let jobs = second.join().unwrap();
            assert!(ended.is_ok());
            jobs
        })
    }

    #[test]
    fn alone_it_does_all_the_work() {
        check::keeps_the_protocol(&SecondCore::new());
    }

    #[test]
    fn keeps_the_protocol_with_two() {
        let cores = SecondCore::new();
        with_second_core(&cores, || {
            for _ in 0..if cfg!(miri) { 1 } else { 20 } {
                check::keeps_the_protocol(&cores);
            }
        });
    }

    #[test]
    fn both_cores_work() {
        let cores = SecondCore::new();
        let both = std::sync::Barrier::new(2);
        let jobs = with_second_core(&cores, || {
            // Waits forever if one core runs both tasks in turn.
            cores.parallel(2, &|_, _| {
                both.wait();
            });
        });
        assert_eq!(jobs, 1);
    }

    #[test]
    fn short_borrows_are_over_when_it_returns() {
        let cores = SecondCore::new();
        with_second_core(&cores, || {
            let rounds = if cfg!(miri) { 20 } else { 5_000 };
            for round in 0..rounds {
                // A local of this frame, which ends with the round.
                let sum = AtomicUsize::new(0);
                cores.parallel(3, &|_, task| {
                    sum.fetch_add(round + task, SeqCst);
                });
                assert_eq!(sum.into_inner(), 3 * round + 3);
            }
        });
    }

    #[test]
    fn nested_calls_run_inline() {
        let cores = SecondCore::new();
        let ran = AtomicUsize::new(0);
        with_second_core(&cores, || {
            cores.parallel(4, &|_, _| {
                cores.parallel(4, &|worker, _| {
                    assert_eq!(worker, 0);
                    ran.fetch_add(1, SeqCst);
                });
            });
        });
        assert_eq!(ran.into_inner(), 16);
    }

    #[test]
    fn panics_on_either_core_reach_the_caller() {
        let cores = SecondCore::new();
        with_second_core(&cores, || {
            for bad in [0, 1] {
                let both = std::sync::Barrier::new(2);
                let panicked = catch_unwind(AssertUnwindSafe(|| {
                    cores.parallel(2, &|worker, _| {
                        both.wait();
                        assert_ne!(worker, bad, "on purpose");
                    });
                }));
                assert!(panicked.is_err());
                check::keeps_the_protocol(&cores);
            }
        });
    }
}
