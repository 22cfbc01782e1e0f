//! Measures the depth of the stack: fills it with a pattern, and later finds the lowest word that
//! has changed.

use core::ptr;

unsafe extern "C" {
    /// Lowest address of the stack (memory.x).
    static mut _stack_low: u32;
    /// The address after the highest one.
    pub(crate) static mut _stack_start: u32;
}

const PAINT: u32 = 0x5aa5_c33c;

/// Bytes below the stack pointer to leave unpainted, because [`paint`] itself pushes there.
const MARGIN_BYTES: usize = 128;

/// Fills the free part of the stack with the pattern.
#[inline(never)]
pub fn paint() {
    // On any architecture, the address of a local is as good as the stack pointer.
    let here = 0u32;
    let mut word = &raw mut _stack_low;
    let end = (&raw const here as usize).saturating_sub(MARGIN_BYTES);
    while (word as usize) < end {
        // SAFETY: nothing is stored between the bottom of the stack and its pointer.
        unsafe {
            ptr::write_volatile(word, PAINT);
            word = word.add(1);
        }
    }
}

/// Returns the maximum depth of the stack since [`paint`], in bytes.
pub fn high_water() -> usize {
    let mut word = (&raw const _stack_low).cast::<u32>();
    let end = (&raw const _stack_start).cast::<u32>();
    while word < end {
        // SAFETY: `word` is aligned and within the stack; any bits are a valid u32.
        unsafe {
            if ptr::read_volatile(word) != PAINT {
                break;
            }
            word = word.add(1);
        }
    }
    end as usize - word as usize
}
