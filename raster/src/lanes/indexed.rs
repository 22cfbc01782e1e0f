//! Texels that are indices into a palette.

use super::Level;

/// The indices of a level, of 1, 2, 4 or 8 bits, and the colours that they select. The first texel
/// of a byte is in its lowest bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indexed<'a> {
    /// The rows of indices, then the colours.
    bytes: &'a [u8],
    /// Bytes of a row.
    stride: usize,
    /// Bytes before the colours.
    colors: usize,
    /// Bits of an index.
    bits: u32,
    /// Bytes of a colour: 1, 2 or 4.
    size: u32,
}

impl<'a> Indexed<'a> {
    /// Returns the indices of a level, of `bits` bits, and its colours of `size` bytes.
    pub(crate) fn new(level: &Level<'a>, bits: u32, size: u32) -> Self {
        let colors = level.row_stride.wrapping_mul(level.height as usize);
        Indexed { bytes: level.bytes, stride: level.row_stride, colors, bits, size }
    }

    /// Returns the colour of a texel as a little-endian word; 0 outside the level.
    #[inline(never)]
    pub(crate) fn color(&self, x: u32, y: u32) -> u32 {
        let at = x.wrapping_mul(self.bits);
        let row = (y as usize).wrapping_mul(self.stride);
        let byte = self.bytes.get(row.wrapping_add(at as usize >> 3)).copied().unwrap_or(0);
        let index = u32::from(byte) >> (at & 7) & ((1 << self.bits) - 1);
        let start = self.colors.wrapping_add(index.wrapping_mul(self.size) as usize);
        match (self.size, self.bytes.get(start..).unwrap_or(&[])) {
            (4, &[a, b, c, d, ..]) => u32::from_le_bytes([a, b, c, d]),
            (2, &[a, b, ..]) => u16::from_le_bytes([a, b]).into(),
            (1, &[a, ..]) => a.into(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_of_all_sizes_select_their_colours() {
        // Three texels a row, two rows: indices 0, 1, 1 and 1, 0, 1, then colours of two bytes.
        let colors = [0x34, 0x12, 0x78, 0x56];
        for (bits, rows, stride) in [
            (1, &[0b110, 0b101][..], 1),
            (2, &[0b01_01_00, 0b01_00_01], 1),
            (4, &[0x10, 0x01, 0x01, 0x01], 2),
            (8, &[0, 1, 1, 1, 0, 1], 3),
        ] {
            let bytes = [rows, &colors].concat();
            let level = Level::texture_2d(&bytes, 3, 2, stride);
            let indexed = Indexed::new(&level, bits, 2);
            let row = |y| [0, 1, 2].map(|x| indexed.color(x, y));
            assert_eq!(row(0), [0x1234, 0x5678, 0x5678], "{bits} bits");
            assert_eq!(row(1), [0x5678, 0x1234, 0x5678], "{bits} bits");
            assert_eq!(indexed.color(0, 1 << 20), 0x1234, "outside, {bits} bits");
        }
    }
}
