//! Bytes from elsewhere that count against a heap's limit.

use super::Memory;

/// Bytes that are not a block of a heap, such as pages from the system. They count against the
/// heap's limit until this value is dropped: see [`Memory::count`].
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
