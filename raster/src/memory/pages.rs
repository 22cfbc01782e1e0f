//! The pages of a sparse level, as shader memory needs them.

/// The bytes of a page.
pub(crate) const PAGE_BYTES: usize = 1 << 16;

/// The grid of pages over a level's bytes. A page is a box of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PageGrid {
    /// Bytes from one row of the level to the next.
    row_stride: usize,
    /// Bytes from one slice or layer to the next.
    layer_stride: usize,
    /// Bytes per row of a page, rows per page, and slices or layers per page.
    page: [usize; 3],
    /// The number of pages across and down.
    counts: [usize; 2],
}

impl PageGrid {
    /// The pages of a buffer: one row.
    pub(crate) const BUFFER: PageGrid = PageGrid {
        row_stride: usize::MAX,
        layer_stride: usize::MAX,
        page: [PAGE_BYTES, 1, 1],
        counts: [usize::MAX / PAGE_BYTES + 1, 1],
    };

    /// Returns the grid over layers with `rows` rows of blocks.
    ///
    /// * `page`: bytes of a row, rows and layers of a page, not 0.
    /// * `stride`: bytes of a row of the level, not 0.
    pub(crate) fn new(page: [usize; 3], stride: usize, rows: usize) -> Self {
        PageGrid {
            row_stride: stride,
            layer_stride: stride * rows,
            page,
            counts: [stride.div_ceil(page[0]), rows.div_ceil(page[1])],
        }
    }

    /// Returns the numbers of pages across, down, and over `layers` layers.
    pub(crate) fn counts(self, layers: usize) -> [usize; 3] {
        [self.counts[0], self.counts[1], layers.div_ceil(self.page[2])]
    }

    /// Returns the number of the page at a column, row and layer of pages.
    #[inline(always)]
    pub(crate) fn number(self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    /// Returns the page of byte `at`, and the end, in bytes, of that page's part of the row.
    #[inline(always)]
    pub(crate) fn page_of(self, at: usize) -> (usize, usize) {
        let [width, rows, layers] = self.page;
        let (layer, rest) = (at / self.layer_stride, at % self.layer_stride);
        let (row, x) = (rest / self.row_stride, rest % self.row_stride);
        let column = x / width;
        let end = (column + 1).saturating_mul(width).min(self.row_stride);
        (self.number([column, row / rows, layer / layers]), (at - x).saturating_add(end))
    }
}

/// The pages of a level that have memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageMap<'a> {
    bits: &'a [u32],
    grid: PageGrid,
}

impl<'a> PageMap<'a> {
    /// Makes a map from these bits, one bit per page.
    pub(crate) fn new(bits: &'a [u32], grid: PageGrid) -> Self {
        PageMap { bits, grid }
    }

    /// Returns true if a page has memory.
    #[inline(always)]
    pub(crate) fn has_page(self, page: usize) -> bool {
        self.bits.get(page / 32).is_some_and(|word| word >> (page % 32) & 1 != 0)
    }

    /// Returns true if the page of byte `at` has memory.
    #[inline(always)]
    pub(crate) fn has(self, at: usize) -> bool {
        self.has_page(self.grid.page_of(at).0)
    }
}
