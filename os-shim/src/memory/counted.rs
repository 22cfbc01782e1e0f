//! Bytes that come from elsewhere and count as a heap's.

use super::Memory;

/// Bytes that are no block of a heap, such as pages from the system, and count against its limit
/// until this value is dropped: see [`Memory::count`].
///
/// ```
/// use gallium_os_shim::memory::Quota;
/// use gallium_os_shim::{Memory, OutOfMemory};
///
/// let quota = Quota::new(Memory::system(), 1000);
/// let pages = Memory::new(&quota).count(900)?;
/// assert_eq!(Memory::new(&quota).count(101).err(), Some(OutOfMemory { requested: 101 }));
/// drop(pages);
/// assert_eq!(quota.usage().used, 0);
/// # Ok::<(), OutOfMemory>(())
/// ```
#[derive(Debug)]
pub struct Counted<'m> {
    pub(super) memory: Memory<'m>,
    pub(super) bytes: usize,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.memory.0.uncount(self.bytes);
    }
}
