//! Handles of a context under the wrapper: handles of other contexts name no object.
//!
//! Drivers number the objects of each context from 0, so contexts return equal handles. The wrapper
//! returns the driver's handle with another generation: it adds a number that is unique to the
//! context. Subtracting another context's number gives a generation that the slot does not have,
//! unless the slot was reused some hundreds of times.

use os_shim::pool::{MAX_OBJECTS, RawHandle};
use os_shim::sync::Mutex;

use crate::error::PipeError;
use crate::handle::{Handle, Kind};
use crate::wrap::shadow::Shadow;

/// The number of generations of a slot: they run from 1 to this number.
const GENERATIONS: u32 = 4095;

/// The distance between the numbers of consecutive contexts: the golden section of `GENERATIONS`,
/// so that the numbers of a few contexts are far apart.
const STEP: u32 = 2531;

/// The number of the last context, less than `GENERATIONS`.
static LAST: Mutex<u32> = Mutex::new(0);

/// The number of the context that owns objects.
#[derive(Clone, Copy)]
pub(super) struct Owner(u32);

impl Owner {
    /// Returns the number of a new context.
    pub(super) fn next() -> Self {
        let mut last = LAST.lock();
        *last = last.wrapping_add(STEP) % GENERATIONS;
        Owner(*last)
    }

    /// Converts a driver's handle to the caller's handle.
    pub(super) fn seal<K>(self, driver: Handle<K>) -> Handle<K> {
        turn(driver, self.0)
    }

    /// Converts a caller's handle to the driver's handle.
    ///
    /// # Errors
    /// The handle names no live object of this context.
    pub(super) fn open<K: Kind, T>(
        self,
        known: &Shadow<'_, K, T>,
        handle: Handle<K>,
    ) -> Result<Handle<K>, PipeError> {
        match known.get(handle) {
            Some(_) => Ok(turn(handle, GENERATIONS.wrapping_sub(self.0))),
            None => Err(PipeError::stale(handle)),
        }
    }

    /// Converts an optional handle like [`open`](Self::open).
    pub(super) fn open_if<K: Kind, T>(
        self,
        known: &Shadow<'_, K, T>,
        handle: Option<Handle<K>>,
    ) -> Result<Option<Handle<K>>, PipeError> {
        handle.map(|handle| self.open(known, handle)).transpose()
    }

    /// Converts up to `N` handles like [`open`](Self::open).
    pub(super) fn open_all<const N: usize, K: Kind, T>(
        self,
        known: &Shadow<'_, K, T>,
        handles: &[Option<Handle<K>>],
    ) -> Result<heapless::Vec<Option<Handle<K>>, N>, PipeError> {
        PipeError::at_most("the number of handles", handles.len() as u64, N as u64)?;
        handles.iter().map(|handle| self.open_if(known, *handle)).collect()
    }
}

/// Returns the handle of the same slot with the generation advanced by `by`, wrapping around.
fn turn<K>(handle: Handle<K>, by: u32) -> Handle<K> {
    let raw = handle.raw();
    let from_0 = u32::from(raw.generation()).wrapping_sub(1).wrapping_add(by) % GENERATIONS;
    let generation = from_0.wrapping_add(1);
    let bits = generation.wrapping_mul(MAX_OBJECTS as u32) | raw.slot() as u32;
    RawHandle::from_bits(bits).map_or(handle, Handle::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::kinds;
    use os_shim::Memory;

    #[test]
    fn handles_turn_around_and_back() {
        for owner in [1, 2531, 4094].map(Owner) {
            for generation in [1, 2, 2000, 4094, 4095] {
                let raw = RawHandle::from_bits(generation << 20 | 5).unwrap();
                let driver = Handle::<kinds::Blend>::new(raw);
                let sealed = owner.seal(driver);
                assert_eq!(sealed.raw().slot(), 5);
                assert_ne!(sealed, driver);
                let mut known = Shadow::new(Memory::system());
                known.note(sealed, ()).unwrap();
                assert_eq!(owner.open(&known, sealed), Ok(driver));
                assert_eq!(owner.open(&known, driver), Err(PipeError::stale(driver)));
            }
        }
    }

    #[test]
    fn contexts_have_numbers_far_apart() {
        let numbers = [1, 2, 3, 4, 5, 6, 7, 8].map(|context| context * STEP % GENERATIONS);
        for (index, one) in numbers.iter().enumerate() {
            for other in numbers.iter().skip(index + 1) {
                let apart = one.abs_diff(*other);
                assert!(apart.min(GENERATIONS - apart) > 200, "{numbers:?}");
            }
        }
    }
}
