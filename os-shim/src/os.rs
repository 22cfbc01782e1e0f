//! The handle to all services that a pipeline needs from its platform.

use crate::clock::{Clock, NoClock};
use crate::memory::Memory;
#[cfg(feature = "std")]
use crate::options::{Environment, bool_option, names};
use crate::options::{NoOptions, Options};
use crate::threads::{Inline, Threads};
use core::fmt;

/// The platform services of a pipeline: memory, threads, options, clock. Copy it freely.
///
/// A board fills in the parts it has, starting from [`Os::bare`]:
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
    /// The memory that everything is allocated from.
    pub memory: Memory<'m>,
    /// The workers that rasterize tiles.
    pub threads: &'m dyn Threads,
    /// The run-time options.
    pub options: &'m dyn Options,
    /// The clock of timestamps.
    pub clock: &'m dyn Clock,
}

impl<'m> Os<'m> {
    /// Returns an `Os` with memory only: one thread, no options, a clock that stays at 0.
    pub const fn bare(memory: Memory<'m>) -> Self {
        Os { memory, threads: &Inline, options: &NoOptions, clock: &NoClock }
    }
}

#[cfg(feature = "std")]
impl Os<'static> {
    /// Returns the `Os` of the hosted system: its memory, environment and clock. With the feature
    /// `threads` it has a pool of [`options::thread_count`](crate::options::thread_count) threads.
    pub fn host() -> Self {
        let os = Os {
            memory: Memory::system(),
            threads: crate::threads::host(),
            options: &Environment,
            clock: &crate::clock::HostClock,
        };
        os.dump_cpu();
        os
    }

    /// Prints the instruction set that loops use and the number of workers, if
    /// [`GALLIUM_DUMP_CPU`](names::GALLIUM_DUMP_CPU) is set. Call it if you build an `Os` from
    /// chosen parts; [`host`](Self::host) calls it already.
    pub fn dump_cpu(&self) {
        if bool_option(self.options, names::GALLIUM_DUMP_CPU, false) {
            let instruction_set = crate::simd::instruction_set();
            crate::log::say!("CPU: {}, {} workers", instruction_set, self.threads.count());
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
