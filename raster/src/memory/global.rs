//! Global memory: buffers in one 32-bit address space; compute programs compute the addresses
//! (manual, chapter Context, "Compute kernel execution").
//!
//! Each slot has a window of addresses. The window at 0 is unused, so no buffer has address 0.

use tgsi::exec::{Lanes, Mask, MemoryRequest};

use super::ShaderMemory;

/// Bits of an address within its window.
const WINDOW_BITS: u32 = 27;

/// Bytes of a window, and so the largest buffer of global memory.
pub(crate) const WINDOW_BYTES: u32 = 1 << WINDOW_BITS;

/// Slots of global memory: all windows except the first.
pub(crate) const MAX_GLOBALS: usize = (1 << (u32::BITS - WINDOW_BITS)) - 1;

/// Returns the address of a slot's first byte.
pub(crate) fn address(slot: usize) -> u64 {
    (slot as u64 + 1) << WINDOW_BITS
}

impl ShaderMemory<'_> {
    /// Executes a request slot by slot, because its lanes may address several slots.
    #[inline(never)]
    pub(super) fn access_globals<R: Lanes>(self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        let addresses = request.address[0].as_slice();
        let window = |lane: usize| addresses.get(lane).map_or(0, |at| at >> WINDOW_BITS);
        let mut offsets = R::ZERO;
        for (offset, at) in offsets.as_mut_slice().iter_mut().zip(addresses) {
            *offset = at & (WINDOW_BYTES - 1);
        }
        let mut left = request.live;
        while left != 0 {
            let wanted = window(left.trailing_zeros() as usize);
            let here = request.lanes().filter(|&lane| window(lane) == wanted);
            let live = here.fold(0, |lanes: Mask, lane| lanes | 1 << lane);
            left &= !live;
            // The window at 0 has no slot.
            let Some(unit) = wanted.checked_sub(1) else { continue };
            let [_, y, z, w] = request.address;
            let address = [&offsets, y, z, w];
            let mut part = [R::ZERO; 4];
            self.access_slot(&MemoryRequest { unit, address, live, ..*request }, &mut part);
            for (row, part) in out.iter_mut().zip(&part) {
                let words = row.as_mut_slice().iter_mut().zip(part.as_slice()).enumerate();
                for (_, (word, part)) in words.filter(|(lane, _)| live >> lane & 1 != 0) {
                    *word = *part;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_fill_the_addresses_of_32_bits() {
        assert_eq!(address(0), 0x800_0000);
        assert_eq!(address(MAX_GLOBALS), 1 << 32);
        assert_eq!((MAX_GLOBALS, WINDOW_BYTES), (31, 128 << 20));
    }
}
