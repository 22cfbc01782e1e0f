//! A pixel's colour from its accumulators: the innermost step of every span.

use super::Texels;

/// A colour of `N` accumulators.
pub(super) trait Shade<const N: usize>: Copy {
    /// The target's word.
    fn color(self, at: &[i32; N]) -> u16;
}

/// One colour.
#[derive(Clone, Copy)]
pub(super) struct Constant(pub(super) u16);

impl Shade<0> for Constant {
    #[inline(always)]
    fn color(self, _: &[i32; 0]) -> u16 {
        self.0
    }
}

/// Packs 565 channels, limited to their range.
#[inline(always)]
fn pack(r: i32, g: i32, b: i32) -> u16 {
    ((b.clamp(0, 31) | g.clamp(0, 63) << 5) | r.clamp(0, 31) << 11) as u16
}

/// Red, green and blue in Q8.24 of their steps.
#[derive(Clone, Copy)]
pub(super) struct Gouraud;

impl Shade<3> for Gouraud {
    #[inline(always)]
    fn color(self, at: &[i32; 3]) -> u16 {
        pack(at[0] >> 24, at[1] >> 24, at[2] >> 24)
    }
}

/// `2⁵⁶ / w` for w in Q2.30 from 1/16 to 1: an integer division and a Newton step, good to 2⁻²⁶.
#[inline(always)]
pub(super) fn reciprocal(w: i32) -> i32 {
    // 2⁴⁴ / w within 2⁻¹⁴ of itself. (Never a division by 0: the lowest bit makes no difference.)
    let rough = u32::MAX / ((w >> 12) as u32 | 1);
    // rough * w - 2⁴⁴ is below 2³¹, so it is the low word.
    let error = rough.wrapping_mul(w as u32) as i32;
    ((rough << 12) as i32).wrapping_sub(high(rough as i32, error))
}

/// The upper word of a product.
#[inline(always)]
fn high(a: i32, b: i32) -> i32 {
    ((i64::from(a) * i64::from(b)) >> 32) as i32
}

/// [`Gouraud`] over 1/w in Q2.30.
#[derive(Clone, Copy)]
pub(super) struct GouraudW;

impl Shade<4> for GouraudW {
    #[inline(always)]
    fn color(self, at: &[i32; 4]) -> u16 {
        // Q8.24 times 2²⁶, less 32 bits: 18 fraction bits.
        let w = reciprocal(at[3]);
        pack(high(at[0], w) >> 18, high(at[1], w) >> 18, high(at[2], w) >> 18)
    }
}

/// The texel under coordinates that wrap at 2³².
#[derive(Clone, Copy)]
pub(super) struct Nearest<'a> {
    texels: &'a [u16],
    shift_s: u32,
    shift_t: u32,
    log2_width: u32,
}

impl<'a> Nearest<'a> {
    pub(super) fn of(texels: &Texels<'a>) -> Nearest<'a> {
        Nearest {
            texels: texels.texels,
            // A texture one texel wide has no coordinate: the mask of a shift by 32.
            shift_s: (32 - texels.log2_width).min(31),
            shift_t: (32 - texels.log2_height).min(31),
            log2_width: texels.log2_width,
        }
    }
}

impl Shade<2> for Nearest<'_> {
    #[inline(always)]
    fn color(self, at: &[i32; 2]) -> u16 {
        let (s, t) = (at[0] as u32 >> self.shift_s, at[1] as u32 >> self.shift_t);
        self.texels.get((t << self.log2_width | s) as usize).copied().unwrap_or(0)
    }
}

/// The texel under coordinates in Q16.16 over 1/w in Q2.30.
#[derive(Clone, Copy)]
pub(super) struct NearestW<'a> {
    texels: &'a [u16],
    mask_s: i32,
    mask_t: i32,
    log2_width: u32,
}

impl<'a> NearestW<'a> {
    pub(super) fn of(texels: &Texels<'a>) -> NearestW<'a> {
        NearestW {
            texels: texels.texels,
            mask_s: ((1 << texels.log2_width) - 1) << 10,
            mask_t: ((1 << texels.log2_height) - 1) << 10,
            log2_width: texels.log2_width,
        }
    }
}

impl Shade<3> for NearestW<'_> {
    #[inline(always)]
    fn color(self, at: &[i32; 3]) -> u16 {
        let w = reciprocal(at[2]);
        // Q16.16 times 2²⁶, less 32 bits: 10 fraction bits.
        let (s, t) = (high(at[0], w) & self.mask_s, high(at[1], w) & self.mask_t);
        let index = (t << self.log2_width | s) as u32 >> 10;
        self.texels.get(index as usize).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocals_are_good_to_twenty_six_bits() {
        let mut w = 1i64 << 30;
        while w >= 1 << 26 {
            let exact = (1u64 << 56) as f64 / w as f64;
            let error = (f64::from(reciprocal(w as i32)) - exact).abs() / exact;
            assert!(error < 1.0 / f64::from(1 << 26), "{w:#x}: {error:e}");
            w = w * 4093 / 4096 - 7;
        }
    }

    #[test]
    fn channels_are_limited() {
        assert_eq!(pack(31, 63, 31), 0xffff);
        assert_eq!(pack(32, -1, 40), 0xf81f);
        assert_eq!(Gouraud.color(&[1 << 24, 2 << 24, 3 << 24]), 1 << 11 | 2 << 5 | 3);
        // The same over 1/w of one half.
        assert_eq!(GouraudW.color(&[1 << 23, 1 << 24, 0, 1 << 29]), 1 << 11 | 2 << 5);
    }
}
