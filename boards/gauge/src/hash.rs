//! A display that keeps a hash of its picture.

use gallium::prelude::*;

/// The hash of a picture of [`SIDE`](crate::SIDE)² pixels of two bytes: the sum of each byte plus 1,
/// times its place, mixed with a constant. It does not depend on the order of the tiles.
pub struct Hash(pub u32);

impl TilePanel for Hash {
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        _height: u32,
        _format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        for (row, bytes) in (y..).zip(pixels.chunks(stride_bytes)) {
            let first = (row * crate::SIDE + x) * 2;
            for (place, byte) in (first..first + width * 2).zip(bytes) {
                let mixed = (u32::from(*byte) + 1).wrapping_mul(place ^ 0x9e37_79b9);
                self.0 = self.0.wrapping_add(mixed);
            }
        }
        Ok(())
    }
}
