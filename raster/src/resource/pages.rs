//! The pages of a sparse buffer: those that have memory, and those that read as 0 and swallow writes.
//!
//! A buffer's bytes are one allocation, zeros at first, which hosts back by memory where it is
//! written. Pages without memory are zeros between calls: whoever writes the bytes of a resource
//! drops what went there, and shader memory asks for each word.

use core::ops::Range;

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

use crate::memory::{PAGE_BYTES, PageMap};

/// The pages of a buffer, a bit each that is set where there is memory.
#[derive(Debug)]
pub(crate) struct Pages<'m>(Vec<'m, u32>);

impl<'m> Pages<'m> {
    /// Returns the pages of a buffer of so many bytes, all without memory.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn of(size: usize, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        Vec::try_zeros_in(size.div_ceil(32 * PAGE_BYTES), memory).map(Pages)
    }

    /// Returns the pages to ask.
    pub(crate) fn map(&self) -> PageMap<'_> {
        PageMap::new(&self.0)
    }

    /// Gives memory to pages, or takes it away.
    pub(super) fn set(&mut self, pages: Range<usize>, has_memory: bool) {
        for page in pages {
            if let Some(word) = self.0.get_mut(page / 32) {
                let bit = 1 << (page % 32);
                *word = if has_memory { *word | bit } else { *word & !bit };
            }
        }
    }

    /// Writes zeros over those of the `range` of a buffer's bytes that have no memory.
    pub(super) fn clear_absent(&self, bytes: &mut [u8], range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let end = (at / PAGE_BYTES + 1).saturating_mul(PAGE_BYTES).min(range.end);
            if !self.map().has(at) {
                bytes.get_mut(at..end.min(bytes.len())).unwrap_or(&mut []).fill(0);
            }
            at = end;
        }
    }
}
