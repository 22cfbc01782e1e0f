//! Index buffers: 8, 16 and 32-bit indices from bytes. Indices beyond the end read as 0.

/// An index buffer's bytes, from its first index on.
///
/// ```
/// use gallium_draw::IndexBytes;
/// let indices = IndexBytes { bytes: &[7, 0, 3, 0, 9, 0], size: 2 };
/// assert_eq!([indices.get(0), indices.get(2), indices.get(3)], [7, 9, 0]);
/// // The range of vertices that indices 1 and 2 need.
/// assert_eq!(indices.bounds(1, 2, None), Some((3, 9)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct IndexBytes<'a> {
    /// Little-endian indices, one after the other, of any alignment.
    pub bytes: &'a [u8],
    /// Bytes per index: 1, 2 or 4.
    pub size: u8,
}

impl<'a> IndexBytes<'a> {
    /// Returns index number `position`; 0 beyond the end, or if `size` is not 1, 2 or 4.
    #[inline(always)]
    pub fn get(&self, position: u64) -> u32 {
        match self.size {
            1 => self.read::<1>(position).map_or(0, |[a]| u32::from(a)),
            2 => self.read(position).map_or(0, |b| u32::from(u16::from_le_bytes(b))),
            4 => self.read(position).map_or(0, u32::from_le_bytes),
            _ => 0,
        }
    }

    /// Returns an endless stream of the indices from number `start` on: 0 beyond the buffer's end.
    pub(crate) fn from(&self, start: u32) -> Indices<'a> {
        let size = usize::from(self.size);
        let begin = (start as usize).checked_mul(size);
        let bytes = begin.and_then(|begin| self.bytes.get(begin..)).unwrap_or(&[]);
        Indices { bytes, size, counted: 0, step: 0 }
    }

    #[inline(always)]
    fn read<const N: usize>(&self, position: u64) -> Option<[u8; N]> {
        // `position` has at most 33 bits, so the product cannot overflow.
        let start = usize::try_from(position.checked_mul(N as u64)?).ok()?;
        self.bytes.get(start..)?.first_chunk().copied()
    }

    /// Returns the smallest and the largest of `count` indices from number `start` on, ignoring
    /// indices equal to `restart`; `None` if none is left.
    ///
    /// Reads all these indices. Callers that copy or upload vertices need the bounds; the pipeline
    /// does not.
    pub fn bounds(&self, start: u32, count: u32, restart: Option<u32>) -> Option<(u32, u32)> {
        (0..u64::from(count))
            .map(|i| self.get(u64::from(start) + i))
            .filter(|&index| Some(index) != restart)
            .fold(None, |bounds, index| match bounds {
                None => Some((index, index)),
                Some((low, high)) => Some((index.min(low), index.max(high))),
            })
    }
}

/// Reads indices one by one.
#[derive(Clone, Copy)]
pub(crate) struct Indices<'a> {
    bytes: &'a [u8],
    size: usize,
    /// The next index, if there is no index buffer.
    counted: u32,
    /// The step from one counted index to the next: 1 without an index buffer, else 0.
    step: u32,
}

impl Indices<'static> {
    /// Counts `start`, `start + 1`, … for draws without an index buffer.
    pub(crate) fn counted(start: u32) -> Self {
        Indices { bytes: &[], size: 0, counted: start, step: 1 }
    }
}

impl Indices<'_> {
    /// Returns the next three indices.
    #[inline(always)]
    pub(crate) fn three(&mut self) -> [u32; 3] {
        match self.size {
            0 => {
                let (first, step) = (self.counted, self.step);
                let second = first.wrapping_add(step);
                let third = second.wrapping_add(step);
                self.counted = third.wrapping_add(step);
                return [first, second, third];
            }
            2 => {
                if let Some((&[a, b, c, d, e, f], rest)) = self.bytes.split_first_chunk() {
                    self.bytes = rest;
                    let index = |bytes| u32::from(u16::from_le_bytes(bytes));
                    return [index([a, b]), index([c, d]), index([e, f])];
                }
            }
            4 => {
                if let Some((three, rest)) = self.bytes.split_first_chunk::<12>()
                    && let [a, b, c] = three.as_chunks().0
                {
                    self.bytes = rest;
                    return [*a, *b, *c].map(u32::from_le_bytes);
                }
            }
            _ => {}
        }
        [self.take(), self.take(), self.take()]
    }

    /// Returns the next index.
    #[inline(never)]
    pub(crate) fn take(&mut self) -> u32 {
        // Less than one index may be left at the end; it is never consumed.
        let Some((index, rest)) = self.bytes.split_at_checked(self.size) else { return 0 };
        self.bytes = rest;
        match *index {
            [a] => u32::from(a),
            [a, b] => u32::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => {
                let index = self.counted;
                self.counted = index.wrapping_add(self.step);
                index
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_size_little_endian() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 0x80];
        let get = |size, position| IndexBytes { bytes: &bytes, size }.get(position);
        assert_eq!([get(1, 0), get(1, 7), get(1, 8)], [1, 0x80, 0]);
        assert_eq!([get(2, 0), get(2, 3), get(2, 4)], [0x0201, 0x8007, 0]);
        assert_eq!([get(4, 0), get(4, 1), get(4, 2)], [0x0403_0201, 0x8007_0605, 0]);
        assert_eq!(get(4, u64::from(u32::MAX) * 2), 0);
        assert_eq!(get(3, 0), 0);
    }

    #[test]
    fn a_cut_index_is_no_index() {
        assert_eq!(IndexBytes { bytes: &[9, 9, 9], size: 2 }.get(1), 0);
    }

    #[test]
    fn one_after_the_other_is_what_each_is() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 0x80, 9];
        for size in 0..=5 {
            let indices = IndexBytes { bytes: &bytes, size };
            for start in [0, 1, 3, 9, u32::MAX] {
                let (mut run, mut threes) = (indices.from(start), indices.from(start));
                for position in 0..12 {
                    assert_eq!(run.take(), indices.get(u64::from(start) + position), "{size}");
                }
                for position in 0..4 {
                    let at = |i| indices.get(u64::from(start) + 3 * position + i);
                    assert_eq!(threes.three(), [at(0), at(1), at(2)], "{size}");
                }
            }
        }
    }

    #[test]
    fn bounds_leave_the_restart_index_out() {
        let bytes = [7, 255, 3, 9];
        let indices = IndexBytes { bytes: &bytes, size: 1 };
        assert_eq!(indices.bounds(0, 4, Some(255)), Some((3, 9)));
        assert_eq!(indices.bounds(0, 4, None), Some((3, 255)));
        assert_eq!(indices.bounds(1, 1, Some(255)), None);
        assert_eq!(indices.bounds(0, 0, None), None);
    }
}
