//! The handle that carries all of it.

use crate::clock::{Clock, NoClock};
use crate::memory::Memory;
use crate::options::{NoOptions, Options};
use crate::threads::{Inline, Threads};
use core::fmt;

/// What a pipeline is given of its surroundings. Copy it freely.
///
/// A board fills in what it has, starting from [`Os::bare`]:
/// ```
/// use gallium_os_shim::{Memory, Os, Region, clock::FnClock};
/// # use core::mem::MaybeUninit;
/// # let mut bytes = [MaybeUninit::uninit(); 1024];
/// # fn ticks_in_ns() -> u64 { 0 }
/// let region = Region::new(&mut bytes);
/// let os = Os { clock: &FnClock(ticks_in_ns), ..Os::bare(Memory::new(&region)) };
/// assert_eq!(os.threads.count(), 1);
/// ```
#[derive(Clone, Copy)]
pub struct Os<'m> {
    /// Where everything is allocated.
    pub memory: Memory<'m>,
    /// Who rasterizes tiles.
    pub threads: &'m dyn Threads,
    /// Run-time options.
    pub options: &'m dyn Options,
    /// The time.
    pub clock: &'m dyn Clock,
}

impl<'m> Os<'m> {
    /// Memory and nothing else: one thread, no options, no clock.
    pub const fn bare(memory: Memory<'m>) -> Self {
        Os { memory, threads: &Inline, options: &NoOptions, clock: &NoClock }
    }
}

#[cfg(feature = "std")]
impl Os<'static> {
    /// The hosted system: its memory, environment and clock; with the feature `threads`, a pool
    /// of as many threads as [`options::thread_count`](crate::options::thread_count) says.
    pub fn host() -> Self {
        Os {
            memory: Memory::system(),
            threads: crate::threads::host(),
            options: &crate::options::Environment,
            clock: &crate::clock::HostClock,
        }
    }
}

impl fmt::Debug for Os<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Os")
            .field("memory", &self.memory)
            .field("threads", &self.threads.count())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(feature = "std")]
    #[test]
    fn a_hosted_os_works() {
        let os = Os::host();
        assert!(os.threads.count() >= 1);
        assert_eq!(crate::Vec::try_from_slice_in(&[1, 2], os.memory).unwrap(), [1, 2]);
        assert!(std::format!("{os:?}").starts_with("Os { memory: Memory(Usage { used: "));
    }

    #[test]
    fn a_bare_os_has_nothing_but_memory() {
        let os = Os::bare(Memory::system());
        let mut asked = false;
        os.options.with("PATH", &mut |_| asked = true);
        assert!(!asked);
        assert_eq!((os.threads.count(), os.clock.now_ns()), (1, 0));
    }
}
