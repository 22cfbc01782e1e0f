//! Jobs that another thread runs after the call that starts them has returned.
//!
//! Everything that a job borrows lives at least for `'j`, and the thread that runs jobs lives
//! within `'j`. The lifetimes prove that no job outlives the data it uses, without a guard that
//! must be dropped. So the jobs of a hosted system own their data or borrow it for `'static`. Jobs
//! that borrow for less need a scoped thread.

use core::fmt;
use std::any::Any;
use std::boxed::Box;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::string::String;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

/// A unit of work that runs once and keeps its results.
pub trait Job: Send {
    /// Does the work.
    fn run(&mut self);
}

/// An executor of jobs that may live as long as `'j`.
pub trait Background<'j>: Send + Sync {
    /// Runs an errand in finite time, in another thread, after all errands taken before. It may run
    /// after the call has returned.
    fn take(&self, errand: Errand<'j>);
}

impl<'j, B: Background<'j> + ?Sized> Background<'j> for &B {
    fn take(&self, errand: Errand<'j>) {
        (**self).take(errand);
    }
}

/// A job to run, unless another thread has run it by then.
pub struct Errand<'j>(Arc<dyn Place + 'j>);

impl Errand<'_> {
    /// Runs the job. A panic of the job stays in its [`Later`].
    pub fn run(&self) {
        self.0.run();
    }
}

impl fmt::Debug for Errand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Errand").finish_non_exhaustive()
    }
}

/// The place of a job, with the job's type erased.
trait Place: Send + Sync {
    /// Runs the job that waits here, if there is one.
    fn run(&self);
}

/// The state of a place.
enum State<J> {
    Empty,
    /// The job waits for a thread.
    Waiting(J),
    Running,
    Done(J),
    Panicked(Box<dyn Any + Send>),
}

struct Slot<J> {
    state: Mutex<State<J>>,
    done: Condvar,
}

impl<J> Slot<J> {
    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<J: Job> Place for Slot<J> {
    fn run(&self) {
        let mut state = self.lock();
        let mut job = match core::mem::replace(&mut *state, State::Running) {
            State::Waiting(job) => job,
            other => {
                *state = other;
                return;
            }
        };
        drop(state);
        let ran = catch_unwind(AssertUnwindSafe(move || {
            job.run();
            job
        }));
        *self.lock() = match ran {
            Ok(job) => State::Done(job),
            Err(panic) => State::Panicked(panic),
        };
        self.done.notify_all();
    }
}

/// A job that runs later: in a background thread, or in the thread that needs the result first.
///
/// ```
/// use gallium_os_shim::threads::{BackgroundThread, Job, Later};
///
/// struct Sum(Vec<u64>, u64);
///
/// impl Job for Sum {
///     fn run(&mut self) {
///         self.1 = self.0.iter().sum();
///     }
/// }
///
/// let thread = BackgroundThread::start("sums")?;
/// let mut later = Later::new();
/// later.start(Sum(vec![1, 2, 3], 0), &thread);
/// assert_eq!(later.finish().map(|job| job.1), Some(6));
/// assert!(later.finish().is_none());
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Later<J>(Arc<Slot<J>>);

impl<J: Job> Later<J> {
    /// Returns a place without a job.
    pub fn new() -> Self {
        Later(Arc::new(Slot { state: Mutex::new(State::Empty), done: Condvar::new() }))
    }

    /// Starts a job in the background. First finishes and drops an earlier job that was not taken
    /// by [`finish`](Self::finish).
    pub fn start<'j>(&mut self, job: J, background: &dyn Background<'j>)
    where
        J: 'j,
    {
        drop(self.finish());
        *self.0.lock() = State::Waiting(job);
        background.take(Errand(Arc::<Slot<J>>::clone(&self.0)));
    }

    /// Returns true unless a job waits or runs.
    pub fn is_done(&self) -> bool {
        !matches!(&*self.0.lock(), State::Waiting(_) | State::Running)
    }

    /// Returns the job after it has run; `None` if there is none. If no thread has begun the job,
    /// runs it in the calling thread.
    ///
    /// # Panics
    /// If the job panicked, with the job's panic.
    pub fn finish(&mut self) -> Option<J> {
        match self.take() {
            State::Done(job) => Some(job),
            State::Panicked(panic) => resume_unwind(panic),
            State::Empty | State::Waiting(_) | State::Running => None,
        }
    }

    /// Returns the job after it has run, like [`finish`](Self::finish), but `None` if it panicked.
    /// For destructors.
    pub fn finish_quietly(&mut self) -> Option<J> {
        match self.take() {
            State::Done(job) => Some(job),
            _ => None,
        }
    }

    /// Waits until no job waits or runs; empties the place and returns its previous state.
    fn take(&self) -> State<J> {
        self.0.run();
        let mut state = self.0.lock();
        while let State::Running = &*state {
            state = self.0.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        core::mem::replace(&mut *state, State::Empty)
    }
}

impl<J: Job> Default for Later<J> {
    fn default() -> Self {
        Self::new()
    }
}

impl<J> fmt::Debug for Later<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Later").finish_non_exhaustive()
    }
}

/// A thread that runs jobs, one after another. After this is dropped, the thread finishes its jobs
/// and ends.
pub struct BackgroundThread<'j>(Sender<Errand<'j>>);

impl BackgroundThread<'static> {
    /// Starts a thread with this name.
    ///
    /// # Errors
    /// The system's error, if it refuses the thread.
    pub fn start(name: &str) -> std::io::Result<Self> {
        let (errands, taken) = channel();
        thread::Builder::new().name(String::from(name)).spawn(move || serve(&taken))?;
        Ok(BackgroundThread(errands))
    }
}

impl<'scope> BackgroundThread<'scope> {
    /// Starts a thread with this name in a scope, for jobs that borrow from outside the scope.
    ///
    /// # Errors
    /// The system's error, if it refuses the thread.
    pub fn start_in(scope: &'scope Scope<'scope, '_>, name: &str) -> std::io::Result<Self> {
        let (errands, taken) = channel();
        thread::Builder::new()
            .name(String::from(name))
            .spawn_scoped(scope, move || serve(&taken))?;
        Ok(BackgroundThread(errands))
    }
}

/// Runs errands until all senders are dropped.
fn serve(errands: &Receiver<Errand<'_>>) {
    errands.iter().for_each(|errand| errand.run());
}

impl<'j> Background<'j> for BackgroundThread<'j> {
    fn take(&self, errand: Errand<'j>) {
        // The thread runs as long as `self` exists. If it does not, the job runs here.
        if let Err(refused) = self.0.send(errand) {
            refused.0.run();
        }
    }
}

impl fmt::Debug for BackgroundThread<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackgroundThread").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::sync::Barrier;
    use std::vec::Vec;

    /// A job that records the thread that ran it, after it has met other threads at two barriers.
    struct Meet<'b> {
        barriers: [&'b Barrier; 2],
        ran: Option<thread::ThreadId>,
    }

    impl Job for Meet<'_> {
        fn run(&mut self) {
            for barrier in self.barriers {
                barrier.wait();
            }
            self.ran = Some(thread::current().id());
        }
    }

    #[test]
    fn a_job_runs_after_the_call_that_started_it() {
        let [begun, end] = [(); 2].map(|()| Barrier::new(2));
        thread::scope(|scope| {
            let thread = BackgroundThread::start_in(scope, "jobs").expect("a thread");
            let mut later = Later::new();
            for _ in 0..3 {
                later.start(Meet { barriers: [&begun, &end], ran: None }, &thread);
                begun.wait();
                assert!(!later.is_done());
                end.wait();
                let ran = later.finish().expect("a job").ran;
                assert!(ran.is_some() && ran != Some(thread::current().id()));
                assert!(later.is_done() && later.finish().is_none());
            }
        });
    }

    /// A background that keeps errands without running them.
    struct Lazy<'j>(Mutex<Vec<Errand<'j>>>);

    impl<'j> Background<'j> for Lazy<'j> {
        fn take(&self, errand: Errand<'j>) {
            self.0.lock().expect("no panic").push(errand);
        }
    }

    struct Count<'c>(&'c AtomicUsize);

    impl Job for Count<'_> {
        fn run(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }

    #[test]
    fn the_thread_that_needs_a_job_first_runs_it_once() {
        let count = AtomicUsize::new(0);
        let lazy = Lazy(Mutex::new(Vec::new()));
        let mut later = Later::new();
        later.start(Count(&count), &&lazy);
        assert!(!later.is_done());
        assert!(later.finish().is_some());
        assert_eq!(count.load(SeqCst), 1);
        let errands = core::mem::take(&mut *lazy.0.lock().expect("no panic"));
        errands.iter().for_each(Errand::run);
        assert_eq!(count.load(SeqCst), 1, "the errand comes late");
        later.start(Count(&count), &lazy);
        later.start(Count(&count), &lazy);
        assert_eq!(count.load(SeqCst), 2, "the first was finished");
        errands.iter().for_each(Errand::run);
        assert_eq!((count.load(SeqCst), later.is_done()), (3, true));
    }

    struct Panic;

    impl Job for Panic {
        fn run(&mut self) {
            panic!("on purpose");
        }
    }

    #[test]
    fn a_panic_reaches_the_thread_that_finishes_and_the_other_lives_on() {
        let thread = BackgroundThread::start("jobs").expect("a thread");
        let mut later = Later::new();
        for _ in 0..2 {
            later.start(Panic, &thread);
            while !later.is_done() {
                thread::yield_now();
            }
            assert!(catch_unwind(AssertUnwindSafe(|| later.finish())).is_err());
            assert!(later.finish().is_none());
            later.start(Panic, &thread);
            assert!(later.finish_quietly().is_none() && later.finish().is_none());
        }
    }
}
