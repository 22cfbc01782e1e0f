//! The bytes of a map that is a copy.

use core::ops::{Deref, DerefMut};

use os_shim::{Memory, OutOfMemory, Vec};

/// Bytes for a driver's map, with the alignment of the cap `MinMapBufferAlignment`: the address of
/// the first byte minus the map's offset in its buffer is a multiple of the alignment.
///
/// ```
/// use gallium_pipe_core::auxiliary::MapBytes;
/// # use os_shim::{Memory, OutOfMemory};
/// let bytes = MapBytes::zeros(64, 100, 20, Memory::system())?;
/// assert_eq!((bytes.as_ptr().addr() - 100) % 64, 0);
/// assert_eq!(bytes.len(), 20);
/// # Ok::<(), OutOfMemory>(())
/// ```
#[derive(Debug)]
pub struct MapBytes<'m> {
    /// Bytes before the map, its bytes, and bytes after it.
    bytes: Vec<'m, u8>,
    first: usize,
    size: usize,
}

impl<'m> MapBytes<'m> {
    /// Returns no bytes. Allocates nothing.
    pub const fn none(memory: Memory<'m>) -> Self {
        MapBytes { bytes: Vec::new_in(memory), first: 0, size: 0 }
    }

    /// Returns `size` zeros for a map from the byte `offset` of its buffer on. `alignment` is a
    /// power of two.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    #[inline]
    pub fn zeros(
        alignment: usize,
        offset: usize,
        size: usize,
        memory: Memory<'m>,
    ) -> Result<Self, OutOfMemory> {
        let mask = alignment.saturating_sub(1);
        let bytes = Vec::try_filled_in(0, size.saturating_add(mask), memory)?;
        let first = offset.wrapping_sub(bytes.as_ptr().addr()) & mask;
        Ok(MapBytes { bytes, first, size })
    }
}

impl Deref for MapBytes<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.bytes.get(self.first..).and_then(|bytes| bytes.get(..self.size)).unwrap_or(&[])
    }
}

impl DerefMut for MapBytes<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        let bytes = self.bytes.get_mut(self.first..);
        bytes.and_then(|bytes| bytes.get_mut(..self.size)).unwrap_or(&mut [])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_of_a_buffer_are_aligned_like_the_buffer() {
        for alignment in [1, 4, 64, 256] {
            for (offset, size) in [(0, 1), (1, 50), (63, 2), (64, 64), (100, 0), (1 << 20, 3000)] {
                let mut bytes =
                    MapBytes::zeros(alignment, offset, size, Memory::system()).expect("room");
                assert_eq!(bytes.as_ptr().addr().wrapping_sub(offset) % alignment, 0);
                assert_eq!((bytes.len(), bytes.iter().all(|byte| *byte == 0)), (size, true));
                bytes.fill(1);
            }
        }
    }

    #[test]
    fn sizes_beyond_memory_are_errors() {
        assert!(MapBytes::zeros(64, 0, usize::MAX, Memory::system()).is_err());
    }
}
