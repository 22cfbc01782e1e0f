//! Memory of mappable buffers.
//!
//! WebGPU lets a mappable buffer take part in copies only. So it needs no resource of the driver: it
//! is a slice, and the pointer to the slice is the mapping.

use std::fmt;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use wgpu_hal::DeviceError;

use crate::machine::{Machine, Reserved};

/// The bytes of a mappable buffer.
///
/// A pointer from [`map`](HostMemory::map) is valid until the next call of any method, except that
/// several maps may follow each other: wgpu-core submits no commands that use a mapped buffer.
pub(crate) struct HostMemory {
    bytes: Mutex<Vec<u8>>,
    _counted: Reserved,
}

impl fmt::Debug for HostMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostMemory")
    }
}

impl HostMemory {
    /// Allocates `size` bytes, all 0.
    pub(crate) fn new(machine: &Machine, size: usize) -> Result<HostMemory, DeviceError> {
        let counted = machine.reserve(size)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|_| DeviceError::OutOfMemory)?;
        bytes.resize(size, 0);
        Ok(HostMemory { bytes: Mutex::new(bytes), _counted: counted })
    }

    /// Returns the bytes. Commands run one at a time, so nothing else holds them for long.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a pointer to a range of the bytes; `None` if the range is not within them.
    pub(crate) fn map(&self, range: Range<u64>) -> Option<NonNull<u8>> {
        let range = usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?;
        NonNull::new(self.lock().get_mut(range)?.as_mut_ptr())
    }
}

#[cfg(test)]
#[expect(unsafe_code, reason = "wgpu uses pointers to mapped bytes as these tests do")]
mod tests {
    use super::*;
    use crate::options::Options;

    const SIZE: usize = 4096;

    fn memory(limit: Option<usize>, size: usize) -> Result<HostMemory, DeviceError> {
        let options = Options { threads: 1, interpret: true, memory: limit, ..Options::default() };
        HostMemory::new(&Machine::new(&options).unwrap(), size)
    }

    #[test]
    fn maps_and_commands_see_the_same_bytes() {
        let memory = memory(None, SIZE).unwrap();
        let map = memory.map(4..8).unwrap();
        // SAFETY: the range has 4 bytes, and no method is called meanwhile.
        unsafe { map.write_bytes(7, 4) };
        assert_eq!(memory.lock()[..10], [0, 0, 0, 0, 7, 7, 7, 7, 0, 0]);
        memory.lock()[8] = 9;
        let map = memory.map(6..9).unwrap();
        // SAFETY: as above.
        assert_eq!(unsafe { map.cast::<[u8; 3]>().read() }, [7, 7, 9]);
    }

    #[test]
    fn ranges_beyond_the_bytes_are_not_mapped() {
        let memory = memory(None, SIZE).unwrap();
        assert!(memory.map(0..SIZE as u64 + 1).is_none());
        assert!(memory.map(u64::MAX - 1..u64::MAX).is_none());
        assert!(memory.map(SIZE as u64..SIZE as u64).is_some());
    }

    #[test]
    fn bytes_count_against_the_limit() {
        assert!(matches!(memory(Some(64 << 20), 65 << 20), Err(DeviceError::OutOfMemory)));
    }
}
