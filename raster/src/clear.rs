//! Clears: one value over rectangles of texels.

use formats::Format;
use formats::depth::DepthLayout;
use os_shim::simd::vectorize;

use crate::features::{ALL_FORMATS, ES2, RGB565_ALONE, SMALL_CODE, Z16_ALONE};
use crate::fixed::depth_from_f32;
use crate::lanes::Target;
use crate::lanes::{UnormLayout, quantise};

/// A texel of up to 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texel {
    bytes: [u8; 16],
    size: usize,
}

impl Texel {
    /// Packs a colour's texel: `bits` are f32, or integers for pure-integer formats.
    pub(crate) fn color(format: Format, bits: [u32; 4]) -> Texel {
        if RGB565_ALONE {
            let channel = |bits, max| quantise(f32::from_bits(bits), max);
            let [r, g, b, _] = bits;
            let word = channel(r, 31.0) << 11 | channel(g, 63.0) << 5 | channel(b, 31.0);
            return Texel::from_bytes(&(word as u16).to_le_bytes());
        }
        let mut texel = Texel { bytes: [0; 16], size: format.block_bytes().min(16) };
        if ALL_FORMATS {
            format.store_rgba_bits(bits, &mut texel.bytes);
        } else if let Some(layout) = UnormLayout::of(format) {
            let mut texels = [0; 4];
            layout.pack(bits.map(|bits| [bits; 4]).each_ref(), &mut texels);
            let [word, ..] = texels;
            texel.bytes[..4].copy_from_slice(&word.to_le_bytes());
        }
        texel
    }

    /// Makes a texel from its bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Texel {
        let mut texel = Texel { bytes: [0; 16], size: bytes.len().min(16) };
        texel.bytes.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        texel
    }

    /// Returns the texel's size in bytes.
    #[inline(always)]
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Fills a row with the texel.
    #[inline]
    pub(crate) fn fill(&self, row: &mut [u8]) {
        match self.size {
            // Common sizes have loops that compile to memsets of words.
            1 => row.fill(self.bytes[0]),
            2 => fill::<2>(row, &self.bytes),
            4 => fill::<4>(row, &self.bytes),
            // Without these features no format has another size.
            _ if !ALL_FORMATS && !ES2 => {}
            8 => fill::<8>(row, &self.bytes),
            size => {
                let Some(texel) = self.bytes.get(..size.max(1)) else { return };
                for slot in row.chunks_exact_mut(texel.len()) {
                    slot.copy_from_slice(texel);
                }
            }
        }
    }
}

#[inline(always)]
fn fill<const N: usize>(row: &mut [u8], texel: &[u8; 16]) {
    let Some(&value) = texel.first_chunk::<N>() else { return };
    // Writes thirty-two words at a time, in rows that begin at a word boundary.
    let Ok(words) = bytemuck::try_cast_slice_mut::<u8, u32>(row) else {
        row.as_chunks_mut::<N>().0.fill(value);
        return;
    };
    let mut pair = [0; 8];
    for texel in pair.as_chunks_mut::<N>().0 {
        *texel = value;
    }
    let pair = u64::from_le_bytes(pair);
    let pair = [pair as u32, (pair >> 32) as u32];
    let (chunks, rest) = words.as_chunks_mut::<32>();
    let mut pattern = [0; 32];
    pattern.as_chunks_mut().0.fill(pair);
    vectorize(
        #[inline(always)]
        || {
            for chunk in chunks {
                if SMALL_CODE {
                    // Stores two registers in turn.
                    chunk.as_chunks_mut().0.fill(pair);
                } else {
                    // Copies the pattern, which compiles to vector stores.
                    *chunk = pattern;
                }
            }
        },
    );
    for (word, value) in rest.iter_mut().zip(pair.into_iter().cycle()) {
        *word = value;
    }
}

/// Returns the rows of a rectangle of texels.
pub(crate) fn rows<'t>(
    target: &'t mut Target<'_>,
    x: u32,
    y: u32,
    width: u32,
    height: u32,
) -> impl Iterator<Item = &'t mut [u8]> {
    let pixel = if Z16_ALONE { 2 } else { target.format.block_bytes() };
    let (start, end) = (x as usize * pixel, (x + width) as usize * pixel);
    target
        .bytes
        .chunks_mut(target.stride.max(1))
        .skip(y as usize)
        .take(height as usize)
        .filter_map(move |row| row.get_mut(start..end))
}

/// Clears a rectangle of a colour buffer.
pub(crate) fn color(target: &mut Target<'_>, bits: [u32; 4], rect: [u32; 4]) {
    let texel = Texel::color(target.format, bits);
    let [x, y, width, height] = rect;
    fill_rect(&texel, target, x, y, width, height);
}

/// Fills a rectangle with a texel.
pub(crate) fn fill_rect(
    texel: &Texel,
    target: &mut Target<'_>,
    x: u32,
    y: u32,
    width: u32,
    height: u32,
) {
    if (x, y) == (0, 0)
        && width as usize * texel.size == target.stride
        && let Some(bytes) = target.bytes.get_mut(..height as usize * target.stride)
    {
        // The rectangle's rows have no gaps between them, for example in a worker's private tile.
        return texel.fill(bytes);
    }
    rows(target, x, y, width, height).for_each(|row| texel.fill(row));
}

/// Returns the 16-bit texel of a depth, for builds where all depth buffers have 16 bits.
pub(crate) fn depth_texel(depth: f32) -> Texel {
    Texel::from_bytes(&((depth_from_f32(depth) >> 16) as u16).to_le_bytes())
}

/// Returns true if these values replace every component of the format.
pub(crate) fn is_whole(format: Format, depth: Option<f32>, stencil: Option<u8>) -> bool {
    match Z16_ALONE {
        true => depth.is_some(),
        false => {
            (depth.is_some() || !format.has_depth()) && (stencil.is_some() || !format.has_stencil())
        }
    }
}

/// Clears depth, stencil or both of a rectangle.
pub(crate) fn depth_stencil(
    target: &mut Target<'_>,
    depth: Option<f32>,
    stencil: Option<u8>,
    rect: [u32; 4],
) {
    let format = target.format;
    if Z16_ALONE {
        let Some(depth) = depth else { return };
        let [x, y, width, height] = rect;
        fill_rect(&depth_texel(depth), target, x, y, width, height);
        return;
    }
    let Some(layout) = DepthLayout::new(format) else { return };
    let depth = depth.filter(|_| format.has_depth());
    let stencil = stencil.filter(|_| format.has_stencil());
    let set = |texel: &mut [u8]| {
        if let Some(depth) = depth {
            if ES2 && layout.depth.is_some_and(|depth| depth.float) {
                layout.set_z_f32(texel, depth);
            } else {
                // Drawing converts depth the same way, so a fragment at the clear depth compares
                // equal.
                layout.set_z_unorm32(texel, depth_from_f32(depth));
            }
        }
        if let Some(stencil) = stencil {
            layout.set_stencil(texel, stencil);
        }
    };
    let [x, y, width, height] = rect;
    let whole = is_whole(format, depth, stencil);
    if !ES2 && depth.is_none() {
        return;
    }
    // Without the feature `es2`, formats have only depth.
    if whole || !ES2 {
        let mut bytes = [0; 8];
        let Some(texel) = bytes.get_mut(..format.block_bytes()) else { return };
        set(texel);
        let texel = Texel::from_bytes(texel);
        fill_rect(&texel, target, x, y, width, height);
    } else {
        // Bits that differ between the two packed texels belong to the other component, and stay.
        let (mut low, mut high) = ([0; 8], [0xff; 8]);
        for word in [&mut low, &mut high] {
            set(word.get_mut(..format.block_bytes()).unwrap_or_default());
        }
        let value = u64::from_le_bytes(low);
        let keep = value ^ u64::from_le_bytes(high);
        for row in rows(target, x, y, width, height) {
            if format.block_bytes() == 4 {
                for texel in row.as_chunks_mut().0 {
                    let word = u32::from_le_bytes(*texel) & keep as u32 | value as u32;
                    *texel = word.to_le_bytes();
                }
            } else {
                for texel in row.as_chunks_mut().0 {
                    *texel = (u64::from_le_bytes(*texel) & keep | value).to_le_bytes();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_and_nothing_else() {
        let mut bytes = [0u8; 4 * 2 * 3];
        let mut target = Target {
            bytes: &mut bytes,
            stride: 8,
            format: Format::B5G6R5Unorm,
            width: 4,
            height: 3,
        };
        // Red is 0xf800.
        let red = [1.0f32, 0.0, 0.0, 1.0].map(f32::to_bits);
        color(&mut target, red, [1, 1, 2, 1]);
        let wanted = [0, 0, 0, 0, 0, 0xf800, 0xf800, 0, 0, 0, 0, 0u16];
        assert_eq!(bytes, *bytemuck::cast_slice::<u16, u8>(&wanted));
    }

    #[test]
    fn depth_and_stencil_apart() {
        let mut bytes = [0x12u8; 8];
        let mut target = Target {
            bytes: &mut bytes,
            stride: 8,
            format: Format::Z24UnormS8Uint,
            width: 2,
            height: 1,
        };
        depth_stencil(&mut target, Some(1.0), None, [0, 0, 1, 1]);
        depth_stencil(&mut target, None, Some(7), [1, 0, 1, 1]);
        assert_eq!(bytes, [0xff, 0xff, 0xff, 0x12, 0x12, 0x12, 0x12, 7]);
    }
}
