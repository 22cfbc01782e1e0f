//! Memory and fences outside of a device, which other devices and processes use too.
//!
//! Nobody may borrow bytes that a stranger can write at any moment, so such memory is only ever copied from
//! and to. On a host any file is such memory, one in RAM as well (`memfd_create`, `/dev/shm`), and `EventFd`
//! (feature `event-fds`) is such a fence; both cross to other processes as file descriptors.

use core::fmt;
#[cfg(feature = "std")]
use core::time::Duration;

/// Memory outside of a device.
pub trait SharedMemory: Send + Sync {
    /// Returns its size in bytes.
    fn size(&self) -> u64;

    /// Copies bytes from `offset` on.
    ///
    /// # Errors
    /// The memory ends before, or is gone; then `bytes` may be written in part.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Gone>;

    /// Copies `bytes` to `offset` and on.
    ///
    /// # Errors
    /// The memory is gone, or cannot be written; then it may be written in part.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), Gone>;
}

/// The error of shared memory that cannot be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gone;

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("shared memory is gone, or smaller than it was")
    }
}

impl core::error::Error for Gone {}

impl<T: SharedMemory + ?Sized> SharedMemory for &T {
    fn size(&self) -> u64 {
        (**self).size()
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Gone> {
        (**self).read_at(offset, bytes)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), Gone> {
        (**self).write_at(offset, bytes)
    }
}

#[cfg(all(feature = "std", unix))]
impl SharedMemory for std::fs::File {
    fn size(&self) -> u64 {
        self.metadata().map_or(0, |metadata| metadata.len())
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Gone> {
        std::os::unix::fs::FileExt::read_exact_at(self, bytes, offset).map_err(|_| Gone)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), Gone> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, offset).map_err(|_| Gone)
    }
}

/// A fence outside of a device.
pub trait ExternalFence: Send + Sync {
    /// Signals it, without waiting for anybody.
    fn signal(&self);

    /// Waits until it is signalled, at most `timeout_ns` nanoseconds, `u64::MAX` for ever; returns true if it
    /// is signalled.
    fn wait(&self, timeout_ns: u64) -> bool;

    /// Makes it unsignalled again.
    fn reset(&self);
}

impl<T: ExternalFence + ?Sized> ExternalFence for &T {
    fn signal(&self) {
        (**self).signal();
    }

    fn wait(&self, timeout_ns: u64) -> bool {
        (**self).wait(timeout_ns)
    }

    fn reset(&self) {
        (**self).reset();
    }
}

/// A fence between the devices of one process.
///
/// ```
/// use gallium_os_shim::sharing::{Event, ExternalFence};
///
/// let event = Event::new();
/// assert!(!event.wait(0));
/// event.signal();
/// assert!(event.wait(u64::MAX));
/// ```
#[cfg(feature = "std")]
#[derive(Debug, Default)]
pub struct Event {
    signalled: std::sync::Mutex<bool>,
    changed: std::sync::Condvar,
}

#[cfg(feature = "std")]
impl Event {
    /// Returns an event that is not signalled.
    pub const fn new() -> Self {
        Event { signalled: std::sync::Mutex::new(false), changed: std::sync::Condvar::new() }
    }

    fn set(&self, signalled: bool) {
        let mut guard = self.signalled.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *guard = signalled;
        drop(guard);
        self.changed.notify_all();
    }
}

#[cfg(feature = "std")]
impl ExternalFence for Event {
    fn signal(&self) {
        self.set(true);
    }

    fn wait(&self, timeout_ns: u64) -> bool {
        let guard = self.signalled.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let timeout = Duration::from_nanos(timeout_ns);
        let waited = self.changed.wait_timeout_while(guard, timeout, |signalled| !*signalled);
        *waited.unwrap_or_else(std::sync::PoisonError::into_inner).0
    }

    fn reset(&self) {
        self.set(false);
    }
}

/// A fence that other processes can wait for and signal: an eventfd of Linux, signalled while its descriptor
/// can be read.
///
/// ```
/// use gallium_os_shim::sharing::{EventFd, ExternalFence};
///
/// let ours = EventFd::new()?;
/// let theirs = EventFd::from(ours.try_clone()?);
/// ours.signal();
/// assert!(theirs.wait(0));
/// theirs.reset();
/// assert!(!ours.wait(1_000_000));
/// # Ok::<(), std::io::Error>(())
/// ```
#[cfg(all(feature = "event-fds", target_os = "linux"))]
#[derive(Debug)]
pub struct EventFd(std::os::fd::OwnedFd);

#[cfg(all(feature = "event-fds", target_os = "linux"))]
impl EventFd {
    /// Makes one that is not signalled.
    ///
    /// # Errors
    /// The system's, when it has no descriptor left.
    pub fn new() -> std::io::Result<Self> {
        use rustix::event::{EventfdFlags, eventfd};
        Ok(EventFd(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Returns another descriptor of the fence, to hand on.
    ///
    /// # Errors
    /// The system's, when it has no descriptor left.
    pub fn try_clone(&self) -> std::io::Result<std::os::fd::OwnedFd> {
        self.0.try_clone()
    }
}

/// Takes a descriptor that was handed over. One that is no eventfd is never signalled, or never reset.
#[cfg(all(feature = "event-fds", target_os = "linux"))]
impl From<std::os::fd::OwnedFd> for EventFd {
    fn from(fd: std::os::fd::OwnedFd) -> Self {
        EventFd(fd)
    }
}

#[cfg(all(feature = "event-fds", target_os = "linux"))]
impl ExternalFence for EventFd {
    fn signal(&self) {
        // It fails only where the counter is full: then it is signalled.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }

    fn wait(&self, timeout_ns: u64) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let end = std::time::Instant::now().checked_add(Duration::from_nanos(timeout_ns));
        loop {
            let left = end.map(|end| end.saturating_duration_since(std::time::Instant::now()));
            let left = left.and_then(|left| Timespec::try_from(left).ok());
            let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut fds, left.as_ref()) {
                Ok(count) => return count > 0,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return false,
            }
        }
    }

    fn reset(&self) {
        // It blocks if whoever made the descriptor wanted it to; so it is read only while it can be.
        if self.wait(0) {
            let _ = rustix::io::read(&self.0, &mut [0u8; 8]);
        }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;

    fn ping_pong(ping: &dyn ExternalFence, pong: &dyn ExternalFence) {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..3 {
                    assert!(ping.wait(u64::MAX));
                    ping.reset();
                    pong.signal();
                }
            });
            for _ in 0..3 {
                assert!(!pong.wait(0));
                ping.signal();
                assert!(pong.wait(u64::MAX));
                pong.reset();
            }
        });
        assert!(!ping.wait(1000) && !pong.wait(1000));
    }

    #[test]
    fn events_synchronize_threads() {
        ping_pong(&Event::new(), &Event::new());
    }

    #[cfg(all(feature = "event-fds", target_os = "linux"))]
    #[test]
    fn eventfds_synchronize_threads() {
        let [ping, pong] = [(); 2].map(|()| EventFd::new().expect("a descriptor"));
        ping_pong(&ping, &pong);
    }

    #[cfg(unix)]
    #[test]
    fn files_are_memory_until_they_shrink() {
        let path =
            std::env::temp_dir().join(std::format!("gallium-sharing-{}", std::process::id()));
        let options = std::fs::File::options().read(true).write(true).create_new(true).clone();
        let ours = options.open(&path).expect("a new file");
        let theirs = std::fs::File::open(&path).expect("the file");
        std::fs::remove_file(&path).expect("the file");
        ours.set_len(8).expect("a size");
        assert_eq!(SharedMemory::size(&theirs), 8);
        SharedMemory::write_at(&ours, 3, &[1, 2]).expect("room");
        let mut bytes = [9; 4];
        SharedMemory::read_at(&theirs, 2, &mut bytes).expect("bytes");
        assert_eq!(bytes, [0, 1, 2, 0]);
        assert_eq!(SharedMemory::write_at(&theirs, 0, &[1]), Err(Gone), "opened to read");
        ours.set_len(4).expect("a size");
        assert_eq!(SharedMemory::read_at(&theirs, 2, &mut bytes), Err(Gone));
    }
}
