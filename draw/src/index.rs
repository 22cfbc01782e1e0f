//! Index buffers: 8, 16 and 32-bit indices from bytes, in bounds whatever they say.

/// An index buffer's bytes, from its first index on.
#[derive(Clone, Copy, Debug)]
pub struct IndexBytes<'a> {
    /// Little-endian indices, one after the other; no alignment is asked for.
    pub bytes: &'a [u8],
    /// Bytes an index: 1, 2 or 4.
    pub size: u8,
}

impl IndexBytes<'_> {
    /// Index number `position`; 0 beyond the end, or if `size` is none of 1, 2, 4.
    #[inline(always)]
    pub fn get(&self, position: u64) -> u32 {
        match self.size {
            1 => self.read::<1>(position).map_or(0, |[a]| u32::from(a)),
            2 => self.read(position).map_or(0, |b| u32::from(u16::from_le_bytes(b))),
            4 => self.read(position).map_or(0, u32::from_le_bytes),
            _ => 0,
        }
    }

    #[inline(always)]
    fn read<const N: usize>(&self, position: u64) -> Option<[u8; N]> {
        // `position` has at most 33 bits, so the product cannot overflow.
        let start = usize::try_from(position.checked_mul(N as u64)?).ok()?;
        self.bytes.get(start..)?.first_chunk().copied()
    }

    /// The smallest and largest of `count` indices from `start` on, `restart` left out.
    ///
    /// `None` when nothing is left. Costs a pass over the indices: for whoever must copy or
    /// upload the vertices in between; the pipeline itself needs no bounds.
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
    fn bounds_leave_the_restart_index_out() {
        let bytes = [7, 255, 3, 9];
        let indices = IndexBytes { bytes: &bytes, size: 1 };
        assert_eq!(indices.bounds(0, 4, Some(255)), Some((3, 9)));
        assert_eq!(indices.bounds(0, 4, None), Some((3, 255)));
        assert_eq!(indices.bounds(1, 1, Some(255)), None);
        assert_eq!(indices.bounds(0, 0, None), None);
    }
}
