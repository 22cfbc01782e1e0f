//! Memory and fences outside of a device, shared with other devices and processes.
//!
//! Another process may write such memory at any moment, so no code may borrow its bytes: the only
//! operations are copies from and to it. On a host any file can be such memory, including files in
//! RAM (`memfd_create`, `/dev/shm`). `EventFd` (feature `event-fds`) is such a fence. Both cross to
//! other processes as file descriptors.

use core::fmt;
#[cfg(feature = "std")]
use core::time::Duration;

/// Memory outside of a device.
pub trait SharedMemory: Send + Sync {
    /// Returns the size in bytes.
    fn size(&self) -> u64;

    /// Copies from `offset` on to `bytes`.
    ///
    /// # Errors
    /// The memory ends earlier, or is gone; `bytes` may then be written in part.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Gone>;

    /// Copies `bytes` to `offset` and the bytes after it.
    ///
    /// # Errors
    /// The memory is gone or cannot be written; it may then be written in part.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), Gone>;
}

/// The error of shared memory that cannot be accessed.
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
    /// Signals the fence, without blocking.
    fn signal(&self);

    /// Waits at most `timeout_ns` nanoseconds (`u64::MAX`: forever) until the fence is signalled;
    /// returns true if it is signalled.
    fn wait(&self, timeout_ns: u64) -> bool;

    /// Resets the fence to unsignalled.
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

/// A fence that other processes can wait for and signal: a Linux eventfd, signalled while its
/// descriptor is readable.
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
    /// Creates a fence that is not signalled.
    ///
    /// # Errors
    /// The system's error, if it has no descriptor left.
    pub fn new() -> std::io::Result<Self> {
        use rustix::event::{EventfdFlags, eventfd};
        Ok(EventFd(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Returns another descriptor of the fence, to pass to another process.
    ///
    /// # Errors
    /// The system's error, if it has no descriptor left.
    pub fn try_clone(&self) -> std::io::Result<std::os::fd::OwnedFd> {
        self.0.try_clone()
    }
}

/// Takes a descriptor received from another process. A descriptor that is not an eventfd is never
/// signalled, or never reset.
#[cfg(all(feature = "event-fds", target_os = "linux"))]
impl From<std::os::fd::OwnedFd> for EventFd {
    fn from(fd: std::os::fd::OwnedFd) -> Self {
        EventFd(fd)
    }
}

#[cfg(all(feature = "event-fds", target_os = "linux"))]
impl ExternalFence for EventFd {
    fn signal(&self) {
        // The write fails only if the counter is full: the fence is then signalled already.
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
        // The read blocks if the creator of the descriptor made it blocking; so read only if it is
        // readable.
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
