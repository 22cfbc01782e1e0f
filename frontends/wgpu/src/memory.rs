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
