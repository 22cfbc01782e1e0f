//! Single texels: fetch and store, in every plain or packed format.

use crate::block::Codec;
use crate::format::{Description, Layout, Packing};
use crate::{Format, channel, lanes, packed, plain};

/// Appends alpha 1 to red, green and blue.
fn opaque([r, g, b]: [f32; 3]) -> [f32; 4] {
    [r, g, b, 1.0]
}

/// Access to one texel. Missing components read as (0, 0, 0, 1). Bytes missing at the end of
/// `texel` read as 0 and are not written.
///
/// Formats of blocks (compressed, subsampled, less than a byte a texel: not [`Format::is_texel`])
/// read the first texel of the block and write nothing; the methods `*_at` read the other texels.
/// Formats that this build cannot decode read as (0, 0, 0, 0).
///
/// [`Description`] has these methods, too, for callers with many texels.
impl Format {
    /// Reads a texel as red, green, blue and alpha. Values of sRGB formats are converted to linear;
    /// pure integers are returned unchanged.
    ///
    /// # Examples
    /// ```
    /// use gallium_formats::Format;
    /// let red = 0xf800u16.to_le_bytes();
    /// assert_eq!(Format::B5G6R5Unorm.fetch_rgba_f32(&red), [1.0, 0.0, 0.0, 1.0]);
    /// ```
    pub fn fetch_rgba_f32(self, texel: &[u8]) -> [f32; 4] {
        self.desc().fetch_rgba_f32(texel)
    }

    /// Reads texel (`x`, `y`) of a block, counted from the block's corner, like
    /// [`fetch_rgba_f32`](Self::fetch_rgba_f32).
    ///
    /// # Examples
    /// ```
    /// use gallium_formats::Format;
    /// // Eight texels of a bit each; the first is in the lowest bit.
    /// assert_eq!(Format::R1Unorm.fetch_rgba_f32_at(&[0b0000_0010], 1, 0), [1.0, 0.0, 0.0, 1.0]);
    /// ```
    pub fn fetch_rgba_f32_at(self, block: &[u8], x: usize, y: usize) -> [f32; 4] {
        self.desc().fetch_rgba_f32_at(block, x, y)
    }

    /// Reads a texel as red, green, blue and alpha, 255 for 1.0. Values of sRGB formats are
    /// converted to linear.
    pub fn fetch_rgba_u8(self, texel: &[u8]) -> [u8; 4] {
        self.desc().fetch_rgba_u8(texel)
    }

    /// Reads a texel as shaders hold it: sign-extended integers where the format is pure integer,
    /// otherwise the bits of `f32`.
    pub fn fetch_rgba_bits(self, texel: &[u8]) -> [u32; 4] {
        self.desc().fetch_rgba_bits(texel)
    }

    /// Writes a texel, each component clamped to the format's range and rounded to the nearest;
    /// linear values are encoded where the format is sRGB. Padding becomes 0.
    ///
    /// Luminance, intensity and depth are written from red; stencil becomes 0.
    pub fn store_rgba_f32(self, rgba: [f32; 4], texel: &mut [u8]) {
        self.desc().store_rgba_f32(rgba, texel);
    }

    /// Writes a texel from 8-bit components, 255 for 1.0.
    pub fn store_rgba_u8(self, rgba: [u8; 4], texel: &mut [u8]) {
        self.desc().store_rgba_u8(rgba, texel);
    }

    /// Writes a texel from values as shaders hold them: integers clamped to the range where the
    /// format is pure integer (as `i32` where it is signed), otherwise the bits of `f32`.
    pub fn store_rgba_bits(self, rgba: [u32; 4], texel: &mut [u8]) {
        self.desc().store_rgba_bits(rgba, texel);
    }
}

/// Access to one texel of the format described; see [`Format`]'s methods.
impl Description {
    /// Reads a texel; see [`Format::fetch_rgba_f32`].
    pub fn fetch_rgba_f32(&self, texel: &[u8]) -> [f32; 4] {
        match self.layout {
            Layout::Plain if self.block.width == 1 => plain::fetch_f32(self, texel),
            Layout::Packed(packing) => {
                let word = lanes::word(texel);
                opaque(match packing {
                    Packing::Float111110 => packed::unpack_r11g11b10(word),
                    Packing::SharedExponent => packed::unpack_r9g9b9e5(word),
                    Packing::UnitVector => packed::unpack_unit_vector(word),
                })
            }
            _ => self.fetch_rgba_f32_at(texel, 0, 0),
        }
    }

    /// Reads a texel of a block; see [`Format::fetch_rgba_f32_at`].
    pub fn fetch_rgba_f32_at(&self, block: &[u8], x: usize, y: usize) -> [f32; 4] {
        match Codec::of(self) {
            Some(codec) => codec.fetch(block, x, y),
            None if self.format.is_texel() => self.fetch_rgba_f32(block),
            None => [0.0; 4],
        }
    }

    /// Reads a texel in 8 bits; see [`Format::fetch_rgba_u8`].
    pub fn fetch_rgba_u8(&self, texel: &[u8]) -> [u8; 4] {
        self.fetch_rgba_f32(texel).map(|x| channel::f32_to_unorm16(x, 255.0) as u8)
    }

    /// Reads a texel as shaders hold it; see [`Format::fetch_rgba_bits`].
    pub fn fetch_rgba_bits(&self, texel: &[u8]) -> [u32; 4] {
        if self.is_pure_integer() {
            plain::fetch_int(self, texel)
        } else {
            self.fetch_rgba_f32(texel).map(f32::to_bits)
        }
    }

    /// Writes a texel; see [`Format::store_rgba_f32`].
    pub fn store_rgba_f32(&self, rgba: [f32; 4], texel: &mut [u8]) {
        match self.layout {
            Layout::Plain if self.block.width == 1 => plain::store_f32(self, rgba, texel),
            Layout::Packed(packing) => {
                let [r, g, b, _] = rgba;
                let word = match packing {
                    Packing::Float111110 => packed::pack_r11g11b10([r, g, b]),
                    Packing::SharedExponent => packed::pack_r9g9b9e5([r, g, b]),
                    Packing::UnitVector => packed::pack_unit_vector([r, g, b]),
                };
                lanes::put_word(word, texel);
            }
            _ => {}
        }
    }

    /// Writes a texel from 8 bits; see [`Format::store_rgba_u8`].
    pub fn store_rgba_u8(&self, rgba: [u8; 4], texel: &mut [u8]) {
        self.store_rgba_f32(rgba.map(|x| channel::unorm_to_f32(x as u32, 8)), texel);
    }

    /// Writes a texel from values as shaders hold them; see [`Format::store_rgba_bits`].
    pub fn store_rgba_bits(&self, rgba: [u32; 4], texel: &mut [u8]) {
        if self.is_pure_integer() {
            plain::store_int(self, rgba, texel);
        } else {
            self.store_rgba_f32(rgba.map(f32::from_bits), texel);
        }
    }
}
