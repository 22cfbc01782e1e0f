//! The pages of a sparse buffer, as shader memory asks for them.

/// The bytes of a page.
pub(crate) const PAGE_BYTES: usize = 1 << 16;

/// The pages of a buffer, to ask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageMap<'a>(&'a [u32]);

impl<'a> PageMap<'a> {
    /// Returns the pages of these bits, one a page.
    pub(crate) fn new(bits: &'a [u32]) -> Self {
        PageMap(bits)
    }

    /// Returns true if the page of byte `at` has memory.
    #[inline(always)]
    pub(crate) fn has(self, at: usize) -> bool {
        let page = at / PAGE_BYTES;
        self.0.get(page / 32).is_some_and(|word| word >> (page % 32) & 1 != 0)
    }
}
