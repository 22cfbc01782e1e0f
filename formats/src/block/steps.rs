//! Eight steps between two endpoints, 3 bits per texel: the alpha of DXT5, and all of RGTC.
//!
//! If the first endpoint is greater, six steps lie between the two; else four, and the last two
//! codes are the ends of the range. Quotients are truncated toward zero, as in Gallium.

#[cfg(any(feature = "s3tc", feature = "atc"))]
use super::Texels;
use crate::index::at;

/// The ends of the range: 0 and 255, or -128 and 127.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) min: i32,
    pub(super) max: i32,
}

/// Bytes as they are.
pub(super) const UNSIGNED: Range = Range { min: 0, max: 255 };

/// Bytes in two's complement.
#[cfg(feature = "rgtc")]
pub(super) const SIGNED: Range = Range { min: -128, max: 127 };

impl Range {
    fn read(self, byte: u8) -> i32 {
        if self.min < 0 { byte as i8 as i32 } else { byte as i32 }
    }

    /// Returns the eight values.
    fn palette(self, first: i32, second: i32) -> [i32; 8] {
        let mut palette = [first, second, 0, 0, 0, 0, self.min, self.max];
        let last = if first > second { 7 } else { 5 };
        for (step, value) in (1..last).zip(palette.iter_mut().skip(2)) {
            *value = ((last - step) * first + step * second) / last;
        }
        palette
    }

    /// Decodes 8 bytes to 16 values, row by row.
    pub(super) fn decode(self, block: [u8; 8]) -> [u16; 16] {
        let palette = self.palette(self.read(block[0]), self.read(block[1]));
        let indices = u64::from_le_bytes(block) >> 16;
        core::array::from_fn(|i| at(&palette, (indices >> (3 * i)) as usize) as u16)
    }

    #[cfg(any(feature = "s3tc", feature = "rgtc"))]
    /// Returns the indices nearest to `values`, and the sum of the squares of their errors.
    fn fit(self, values: &[i32; 16], first: i32, second: i32) -> (u64, i32) {
        let palette = self.palette(first, second);
        let (mut indices, mut error) = (0, 0);
        for (i, value) in values.iter().enumerate() {
            let (mut best, mut least) = (0, i32::MAX);
            for (index, step) in palette.iter().enumerate() {
                let square = (step - value) * (step - value);
                if square < least {
                    (best, least) = (index as u64, square);
                }
            }
            indices |= best << (3 * i);
            error += least;
        }
        (indices, error)
    }

    #[cfg(any(feature = "s3tc", feature = "rgtc"))]
    /// Encodes 16 values. Takes the better of two palettes: six steps between the extremes, or four
    /// steps between the extremes of the values that are not an end of the range.
    pub(super) fn encode(self, codes: [u16; 16]) -> [u8; 8] {
        let values = codes.map(|code| code as i16 as i32);
        let extremes = |values: &mut dyn Iterator<Item = i32>| {
            values.fold((self.max, self.min), |(low, high), v| (v.min(low), v.max(high)))
        };
        let (low, high) = extremes(&mut values.iter().copied());
        let mut best = (high, low, self.fit(&values, high, low));
        let inner = |value: &i32| *value > self.min.max(-127) && *value < self.max;
        let (low, high) = extremes(&mut values.iter().copied().filter(inner));
        if best.2.1 > 0 && low <= high {
            let fit = self.fit(&values, low, high);
            if fit.1 < best.2.1 {
                best = (low, high, fit);
            }
        }
        // Moving the extremes inwards may reduce the total error of the values between them.
        let (high, low, _) = best;
        for inset in 1..=3 {
            let (first, second) =
                if high > low { (high - inset, low + inset) } else { (high + inset, low - inset) };
            // Six steps need the greater endpoint first, four need it second.
            if best.2.1 == 0 || (first > second) != (high > low) {
                break;
            }
            let fit = self.fit(&values, first, second);
            if fit.1 < best.2.1 {
                best = (first, second, fit);
            }
        }
        let (first, second, (indices, _)) = best;
        let mut block = (indices << 16).to_le_bytes();
        (block[0], block[1]) = (first as u8, second as u8);
        block
    }
}

/// Decodes alpha stored as eight steps.
#[cfg(any(feature = "s3tc", feature = "atc"))]
pub(super) fn alpha(block: [u8; 8], texels: &mut Texels) {
    for (texel, alpha) in texels.iter_mut().zip(UNSIGNED.decode(block)) {
        texel[3] = alpha;
    }
}

/// Decodes alpha stored as 4 bits per texel.
#[cfg(any(feature = "s3tc", feature = "atc"))]
pub(super) fn explicit(block: [u8; 8], texels: &mut Texels) {
    let word = u64::from_le_bytes(block);
    for (i, texel) in texels.iter_mut().take(16).enumerate() {
        texel[3] = (word >> (4 * i) & 15) as u16 * 17;
    }
}
