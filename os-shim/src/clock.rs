//! The time, for timestamps and reports; no pixel depends on it.

/// A clock that never runs backwards.
pub trait Clock: Sync {
    /// Returns the time in nanoseconds since a start that the clock chooses.
    fn now_ns(&self) -> u64;
}

/// A clock that always returns 0, for boards without a timer.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClock;

impl Clock for NoClock {
    fn now_ns(&self) -> u64 {
        0
    }
}

/// A clock that a function reads, such as a board's timer.
#[derive(Clone, Copy, Debug)]
pub struct FnClock<F = fn() -> u64>(pub F);

impl<F: Fn() -> u64 + Sync> Clock for FnClock<F> {
    fn now_ns(&self) -> u64 {
        (self.0)()
    }
}

/// The hosted system's monotonic clock; it starts when it is first read.
#[cfg(any(feature = "std", test))]
#[derive(Clone, Copy, Debug, Default)]
pub struct HostClock;

#[cfg(any(feature = "std", test))]
impl Clock for HostClock {
    fn now_ns(&self) -> u64 {
        use std::sync::OnceLock;
        use std::time::Instant;
        static START: OnceLock<Instant> = OnceLock::new();
        let elapsed = START.get_or_init(Instant::now).elapsed();
        u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
    }
}

/// The processor time of one thread, readable from every thread of the process. On systems without
/// such a clock it is [`HostClock`].
///
/// ```
/// use gallium_os_shim::clock::{Clock, ThreadClock};
///
/// let mine = ThreadClock::current();
/// let before = mine.now_ns();
/// std::thread::sleep(std::time::Duration::from_millis(20));
/// assert!(mine.now_ns() - before < 20_000_000, "a thread that sleeps takes no time");
/// ```
#[cfg(any(feature = "std", test))]
#[derive(Clone, Copy, Debug)]
pub struct ThreadClock {
    #[cfg(target_os = "linux")]
    id: Option<core::ffi::c_int>,
}

#[cfg(all(any(feature = "std", test), target_os = "linux"))]
#[expect(unsafe_code, reason = "asks the system for the clock of a thread")]
mod thread_time {
    use core::ffi::{c_int, c_long, c_ulong};

    /// The system's `timespec`.
    #[repr(C)]
    struct Time {
        seconds: c_long,
        nanoseconds: c_long,
    }

    unsafe extern "C" {
        fn pthread_self() -> c_ulong;
        fn pthread_getcpuclockid(thread: c_ulong, clock: *mut c_int) -> c_int;
        fn clock_gettime(clock: c_int, time: *mut Time) -> c_int;
    }

    /// Returns the id of the calling thread's clock.
    pub(super) fn own_clock() -> Option<c_int> {
        let mut id = 0;
        // SAFETY: the calling thread is alive, and `id` is a place to write to.
        let error = unsafe { pthread_getcpuclockid(pthread_self(), &raw mut id) };
        (error == 0).then_some(id)
    }

    /// Reads a clock; `None` if its thread has ended.
    pub(super) fn read(id: c_int) -> Option<u64> {
        let mut time = Time { seconds: 0, nanoseconds: 0 };
        // SAFETY: any id is valid, as the system checks it; `time` is a place to write to.
        let error = unsafe { clock_gettime(id, &raw mut time) };
        let (seconds, rest) = (u64::try_from(time.seconds), u64::try_from(time.nanoseconds));
        let ns = seconds.ok()?.saturating_mul(1_000_000_000).saturating_add(rest.ok()?);
        (error == 0).then_some(ns)
    }
}

#[cfg(any(feature = "std", test))]
impl ThreadClock {
    /// Returns the clock of the calling thread.
    pub fn current() -> Self {
        ThreadClock {
            #[cfg(target_os = "linux")]
            id: thread_time::own_clock(),
        }
    }
}

#[cfg(any(feature = "std", test))]
impl Clock for ThreadClock {
    /// Returns the nanoseconds that the thread has run on a processor; 0 after the thread has
    /// ended.
    fn now_ns(&self) -> u64 {
        #[cfg(target_os = "linux")]
        if let Some(id) = self.id {
            return thread_time::read(id).unwrap_or(0);
        }
        HostClock.now_ns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn clocks_tell_their_time() {
        assert_eq!(NoClock.now_ns(), 0);
        assert_eq!(FnClock(|| 42).now_ns(), 42);
        let start = HostClock.now_ns();
        std::thread::sleep(Duration::from_millis(2));
        assert!(HostClock.now_ns() - start >= 2_000_000);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no clocks of threads")]
    fn the_time_of_a_thread_is_read_by_others() {
        use std::sync::mpsc;
        let (tell, told) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let worker = std::thread::spawn(move || {
            let mine = ThreadClock::current();
            while mine.now_ns() < 20_000_000 {
                core::hint::spin_loop();
            }
            tell.send(mine).unwrap();
            let _ = ended.recv();
        });
        let theirs = told.recv().unwrap();
        let first = theirs.now_ns();
        assert!(first >= 20_000_000, "{first}");
        std::thread::sleep(Duration::from_millis(20));
        // The thread waits now.
        assert!(theirs.now_ns() - first < 20_000_000);
        drop(end);
        worker.join().unwrap();
    }
}
