//! Rectangles in memory: checked once, then accessed row by row.

use crate::Error;
use crate::simd::vectorize;

/// A rectangle in memory: its data, and the distance of its rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rect<S> {
    /// Bytes or pixels, row by row.
    pub data: S,
    /// Elements of `data` from the start of a row to the start of the next.
    pub stride: usize,
}

impl<S> Rect<S> {
    /// Returns the rectangle with rows `stride` elements apart.
    pub const fn new(data: S, stride: usize) -> Rect<S> {
        Rect { data, stride }
    }
}

/// The rows of a rectangle, in a slice that was checked to be long enough.
#[derive(Clone, Copy)]
pub(crate) struct Rows<S> {
    elements: S,
    /// Elements from one row to the next.
    stride: usize,
    /// Number of elements in a row.
    row: usize,
    count: usize,
}

impl<S> Rows<S> {
    /// Returns the number of elements that the slice must have.
    fn needed(&self) -> usize {
        if self.count == 0 || self.row == 0 {
            return 0;
        }
        (self.count - 1).saturating_mul(self.stride).saturating_add(self.row)
    }
}

impl<'a, T> Rows<&'a [T]> {
    /// Returns `count` rows of `row` elements to read.
    ///
    /// # Errors
    /// [`Error::SourceTooSmall`].
    pub(crate) fn source(src: Rect<&'a [T]>, row: usize, count: usize) -> Result<Self, Error> {
        let Rect { data: elements, stride } = src;
        let rows = Rows { elements, stride, row, count };
        let (needed, got) = (rows.needed(), elements.len());
        if got < needed { Err(Error::SourceTooSmall { needed, got }) } else { Ok(rows) }
    }

    /// Returns row `y`; an empty slice beyond the last row.
    #[inline(always)]
    pub(crate) fn row(&self, y: usize) -> &'a [T] {
        let rest = self.elements.get(y.wrapping_mul(self.stride)..);
        rest.and_then(|rest| rest.get(..self.row)).unwrap_or(&[])
    }
}

impl<'a, T> Rows<&'a mut [T]> {
    /// Returns `count` rows of `row` elements to write.
    ///
    /// # Errors
    /// [`Error::DestinationTooSmall`].
    pub(crate) fn destination(
        dst: Rect<&'a mut [T]>,
        row: usize,
        count: usize,
    ) -> Result<Self, Error> {
        let Rect { data: elements, stride } = dst;
        let rows = Rows { elements, stride, row, count };
        let (needed, got) = (rows.needed(), rows.elements.len());
        if got < needed { Err(Error::DestinationTooSmall { needed, got }) } else { Ok(rows) }
    }

    /// Returns row `y`; an empty slice beyond the last row.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, y: usize) -> &mut [T] {
        let rest = self.elements.get_mut(y.wrapping_mul(self.stride)..);
        rest.and_then(|rest| rest.get_mut(..self.row)).unwrap_or(&mut [])
    }

    /// Calls `each` with every row and the same row of `src`.
    #[inline(always)]
    pub(crate) fn fill_from<S>(mut self, src: Rows<&[S]>, mut each: impl FnMut(&mut [T], &[S])) {
        if self.row == 0 {
            return;
        }
        for y in 0..self.count {
            let (dst, src) = (self.row_mut(y), src.row(y));
            vectorize(
                #[inline(always)]
                || each(dst, src),
            );
        }
    }
}
