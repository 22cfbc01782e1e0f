//! `PRIVATE` memory: bytes that only one invocation can access (manual, chapter Context, "Compute
//! kernel execution").

use tgsi::exec::{Lanes, Mask, MemoryKind, MemoryRequest, Storage};

/// Maximum size of the `PRIVATE` memory of one invocation, in bytes.
pub(crate) const MAX_PRIVATE: u32 = if crate::features::DESKTOP { 1 << 16 } else { 0 };

/// Bits of a place within a lane's memory: the bits of [`MAX_PRIVATE`] and one more, so that the
/// last component of an access does not reach the next lane.
const PLACE_BITS: u32 = 17;

/// The memory of the invocations of a batch, lane after lane.
pub(super) struct PrivateMemory<'b> {
    pub(super) bytes: &'b mut [u8],
    /// Bytes of one invocation's memory.
    pub(super) size: usize,
}

impl PrivateMemory<'_> {
    /// Performs each lane's request on the lane's own bytes.
    #[inline(never)]
    pub(super) fn access<R: Lanes>(&mut self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        if request.kind == MemoryKind::Size {
            // Every invocation has the same size, so lane 0's bytes give it.
            return request.read(self.bytes.get(..self.size).unwrap_or(&[]), out);
        }
        // If the last component of a load does not fit, every component is 0.
        let words = match request.kind {
            MemoryKind::Load => u8::BITS - (request.mask & 15).leading_zeros(),
            _ => 1,
        };
        let last = self.size.checked_sub(4 * words as usize);
        let mut places = R::splat(u32::MAX);
        let addresses = request.address[0].as_slice();
        for ((lane, place), at) in (0u32..).zip(places.as_mut_slice()).zip(addresses) {
            if last.is_some_and(|last| *at as usize <= last) {
                *place = lane << PLACE_BITS | at;
            }
        }
        let [_, y, z, w] = request.address;
        let storage = PrivateMemory { bytes: self.bytes, size: self.size };
        MemoryRequest { address: [&places, y, z, w], ..*request }.access_storage(storage, out);
    }

    /// Returns the byte offset of the word at a place; `None` if the word ends beyond the lane's
    /// memory.
    #[inline(always)]
    fn word(&self, place: usize) -> Option<usize> {
        let (lane, at) = (place >> PLACE_BITS, place & ((1 << PLACE_BITS) - 1));
        let fits = at.checked_add(4)? <= self.size && lane < Mask::BITS as usize;
        fits.then(|| lane * self.size + at)
    }
}

impl Storage for PrivateMemory<'_> {
    fn size(&self) -> usize {
        // Places that do not fit were removed before.
        usize::MAX
    }

    #[inline(always)]
    fn load(&self, place: usize) -> Option<u32> {
        let word = self.bytes.get(self.word(place)?..)?.first_chunk()?;
        Some(u32::from_le_bytes(*word))
    }

    #[inline(always)]
    fn store(&mut self, place: usize, word: u32) {
        let at = self.word(place);
        let slot = at.and_then(|at| self.bytes.get_mut(at..)?.first_chunk_mut());
        if let Some(slot) = slot {
            *slot = word.to_le_bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_lanes_do_not_overlap() {
        let mut bytes = [0; 3 * 8];
        let memory = PrivateMemory { bytes: &mut bytes, size: 8 };
        let place = |lane: usize, at: usize| lane << PLACE_BITS | at;
        assert_eq!(memory.word(place(0, 4)), Some(4));
        assert_eq!(memory.word(place(2, 4)), Some(20));
        assert_eq!((memory.word(place(0, 5)), memory.word(place(1, 8))), (None, None));
        assert_eq!(memory.word(u32::MAX as usize), None);
        assert!(MAX_PRIVATE as usize + 12 < 1 << PLACE_BITS);
    }
}
