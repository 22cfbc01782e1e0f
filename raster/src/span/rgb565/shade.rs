//! The colours of rows: the innermost loops.

use super::Texels;
use crate::features::ARMV6M;
use crate::setup::Plane32;
use crate::span::reciprocal::{Quotient, high, high_short, reciprocal};

/// A colour computed from `N` accumulators.
pub(super) trait Shade<const N: usize>: Copy {
    /// Returns the target word.
    fn color(self, at: &[i32; N]) -> u16;

    /// Paints pixels in a row; the first is at (`x`, `y`) of the region.
    #[inline(always)]
    fn row(self, pixels: &mut [u16], from: (i32, i32), planes: &[Plane32; N]) {
        self.each(pixels, from, planes);
    }

    /// Paints pixels in a row, one by one.
    #[inline(always)]
    fn each(self, pixels: &mut [u16], (x, y): (i32, i32), planes: &[Plane32; N]) {
        let mut at = planes.each_ref().map(|plane| plane.at(x, y));
        // Not unrolled: the sums of several pixels take more registers than a Cortex-M has.
        for pixel in pixels {
            *pixel = self.color(&at);
            for (at, plane) in at.iter_mut().zip(planes) {
                *at = at.wrapping_add(plane.dx);
            }
        }
    }
}

/// Fills pixels with one value, sixteen at a time.
#[inline(always)]
pub(super) fn fill(pixels: &mut [u16], value: u16) {
    if ARMV6M {
        // Words need alignment there: a copy of eight pixels would be a call.
        return pixels.fill(value);
    }
    let (sixteens, rest) = pixels.as_chunks_mut::<16>();
    // Copied as words at any alignment.
    let word = u32::from(value) << 16 | u32::from(value);
    for sixteen in sixteens {
        *sixteen = bytemuck::cast([word; 8]);
    }
    for pixel in rest {
        *pixel = value;
    }
}

/// Returns the texel of an index. The number of texels is a power of two, so a mask keeps the index
/// among them.
#[inline(always)]
pub(super) fn masked(texels: &[u16], index: usize) -> u16 {
    let index = index & texels.len().wrapping_sub(1);
    // Without texels any word will do except a constant: filling a row with it would be a call.
    texels.get(index).copied().unwrap_or(index as u16)
}

/// Packs 565 channels, clamped to their range.
#[inline(always)]
fn pack(r: i32, g: i32, b: i32) -> u16 {
    ((b.clamp(0, 31) | g.clamp(0, 63) << 5) | r.clamp(0, 31) << 11) as u16
}

/// Interpolated red, green and blue, in Q8.24 of their steps.
#[derive(Clone, Copy)]
pub(super) struct Gouraud;

impl Shade<3> for Gouraud {
    #[inline(always)]
    fn color(self, at: &[i32; 3]) -> u16 {
        pack(at[0] >> 24, at[1] >> 24, at[2] >> 24)
    }
}

/// Interpolated colours of small triangles with channels that stay in their range: green in Q8.24,
/// and blue over red in one word, both in Q5.11.
#[derive(Clone, Copy)]
pub(super) struct GouraudSmall;

impl Shade<2> for GouraudSmall {
    #[inline(always)]
    fn color(self, at: &[i32; 2]) -> u16 {
        let both = at[1] as u32;
        (both & 0xf800 | both >> 27) as u16 | ((at[0] >> 24).clamp(0, 63) << 5) as u16
    }
}

/// The fraction bits of Q8.24 that the accumulators of [`pairs`] drop.
const SHORT: [u32; 3] = [13, 14, 13];

/// log2 of the number of pixels over which [`pairs`] accumulates rounding errors, from the middle
/// to both ends.
const STRETCH: i32 = 5;

/// [`Gouraud`] for wide triangles with channels that stay in their range: 16 bits per channel and
/// two pixels per word. Sums start again at each stretch of the picture's grid, so they do not
/// depend on tiles.
pub(super) struct GouraudPairs {
    /// The channels in the middle of the stretch where the region begins, plus the half that
    /// rounds.
    middle: [i32; 3],
    /// The steps to the next stretch, and to the next row.
    along: [i32; 3],
    down: [i32; 3],
    /// The step to the next pixel, and the step of two pixels in both halves of a word.
    steps: [i32; 3],
    twice: [u32; 3],
    /// The region's first column in its stretch.
    left: i32,
}

impl GouraudPairs {
    const LENGTH: i32 = 1 << STRETCH;

    /// Prepares rows of a region; `left` is the region's first column in the picture.
    #[expect(clippy::indexing_slicing, reason = "the numbers of channels are 0 to 2")]
    pub(super) fn new(planes: &[Plane32; 3], left: i32) -> GouraudPairs {
        let left = left & (Self::LENGTH - 1);
        let mut this = GouraudPairs {
            middle: [0; 3],
            along: planes.map(|plane| plane.dx << STRETCH),
            down: planes.map(|plane| plane.dy),
            steps: [0; 3],
            twice: [0; 3],
            left,
        };
        for (i, plane) in planes.iter().enumerate() {
            let half = 1 << (SHORT[i] - 1);
            this.middle[i] = plane.at(Self::LENGTH / 2 - left, 0).wrapping_add(half);
            this.steps[i] = plane.dx.wrapping_add(half) >> SHORT[i];
            this.twice[i] = (this.steps[i] as u32).wrapping_mul(0x2_0002);
        }
        this
    }

    /// Paints pixels in a row; the first is at (`x`, `y`) of the region.
    #[inline(always)]
    pub(super) fn row(&self, pixels: &mut [u16], (x, y): (i32, i32)) {
        let column = self.left + x;
        if (column & (Self::LENGTH - 1)) + pixels.len() as i32 <= Self::LENGTH {
            return self.stretch(pixels, column, y);
        }
        self.stretches(pixels, column, y);
    }

    /// Paints pixels of several stretches.
    #[inline(never)]
    fn stretches(&self, pixels: &mut [u16], mut column: i32, y: i32) {
        let mut rest = pixels;
        while !rest.is_empty() {
            let length = Self::LENGTH - (column & (Self::LENGTH - 1));
            let (now, later) = rest.split_at_mut(rest.len().min(length as usize));
            self.stretch(now, column, y);
            (rest, column) = (later, column + length);
        }
    }

    /// Paints pixels of one stretch; `column` counts from the beginning of the first.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the numbers of channels are 0 to 2")]
    fn stretch(&self, pixels: &mut [u16], column: i32, y: i32) {
        let (stretch, from) = (column >> STRETCH, column & (Self::LENGTH - 1));
        let mut both = [0; 3];
        // A map of an array would be compiled to a separate function.
        for (i, both) in both.iter_mut().enumerate() {
            let at = self.middle[i].wrapping_add(self.along[i].wrapping_mul(stretch));
            let at = at.wrapping_add(self.down[i].wrapping_mul(y));
            let first = (at >> SHORT[i]) + self.steps[i] * (from - Self::LENGTH / 2);
            *both = first as u32 & 0xffff | (first.wrapping_add(self.steps[i]) as u32) << 16;
        }
        pairs(pixels, &both, &self.twice);
    }
}

/// Paints pixels from channels in Q5.11, Q6.10 and Q5.11, with two pixels in each word. While a sum
/// stays in its half of a word, one addition serves both. Kept out of line, so that the loop has
/// all registers.
#[inline(never)]
#[expect(clippy::indexing_slicing, reason = "the numbers of channels are 0 to 2")]
fn pairs(pixels: &mut [u16], both: &[u32; 3], twice: &[u32; 3]) {
    let mut both = *both;
    let (pairs, rest) = pixels.as_chunks_mut::<2>();
    for pair in pairs {
        let colors = packed(both);
        *pair = [colors as u16, (colors >> 16) as u16];
        both = [0, 1, 2].map(|i: usize| both[i].wrapping_add(twice[i]));
    }
    if let [pixel] = rest {
        *pixel = packed(both) as u16;
    }
}

/// Packs two pixels from channels in Q5.11, Q6.10 and Q5.11.
#[inline(always)]
fn packed([r, g, b]: [u32; 3]) -> u32 {
    r & 0xf800_f800 | (g & 0xfc00_fc00) >> 5 | (b & 0xf800_f800) >> 11
}

/// [`Gouraud`] over 1/w in Q2.30.
#[derive(Clone, Copy)]
pub(super) struct GouraudW;

impl Shade<4> for GouraudW {
    #[inline(always)]
    fn color(self, at: &[i32; 4]) -> u16 {
        // Q8.24 times 2²⁶, without 32 bits: 18 fraction bits.
        let w = reciprocal(at[3]);
        pack(high(at[0], w) >> 18, high(at[1], w) >> 18, high(at[2], w) >> 18)
    }
}

/// The texel at coordinates that wrap at 2³².
#[derive(Clone, Copy)]
pub(super) struct Nearest<'a> {
    /// The texels. Their number is a power of two.
    texels: &'a [u16],
    width: u32,
    shift_s: u32,
    shift_t: u32,
}

impl<'a> Nearest<'a> {
    /// Prepares lookups; `None` if a side is one texel, because a coordinate would have no bits.
    pub(super) fn of(texels: &Texels<'a>) -> Option<Nearest<'a>> {
        let shift = |log2_size: u32| (1..32).contains(&log2_size).then(|| 32 - log2_size);
        Some(Nearest {
            texels: texels.texels,
            width: 1 << texels.log2_width,
            shift_s: shift(texels.log2_width)?,
            shift_t: shift(texels.log2_height)?,
        })
    }
}

impl Shade<2> for Nearest<'_> {
    #[inline(always)]
    fn color(self, at: &[i32; 2]) -> u16 {
        let (s, t) = (at[0] as u32 >> (self.shift_s & 31), at[1] as u32 >> (self.shift_t & 31));
        let index = t.wrapping_mul(self.width).wrapping_add(s) as usize;
        masked(self.texels, index)
    }
}

/// The texel at coordinates in Q16.16 over 1/w in Q2.30.
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
        // Q16.16 times 2²⁶, without 32 bits: 10 fraction bits.
        let (s, t) = (high(at[0], w) & self.mask_s, high(at[1], w) & self.mask_t);
        let index = ((t << self.log2_width | s) as u32 >> 10) as usize;
        masked(self.texels, index)
    }
}

/// [`NearestW`] for small textures on triangles with little change of w: t is multiplied by the
/// texture's width beforehand, and a division without a Newton step is exact enough.
#[derive(Clone, Copy)]
pub(super) struct NearestSmallW<'a> {
    texels: &'a [u16],
    /// The mask of t's bits in an index, and of all bits above them.
    rows: i32,
}

impl<'a> NearestSmallW<'a> {
    /// 1.0 in the fixed point of coordinates.
    pub(super) const SCALE: f32 = (1 << 17) as f32;
    /// The limit of coordinates, including t times the width: 30 bits with their fraction.
    pub(super) const REACH: f32 = (1 << 13) as f32;
    /// The least w. Divisor and quotient then have 15 to 17 bits.
    pub(super) const LEAST_W: f32 = 0.25;

    pub(super) fn of(texels: &Texels<'a>) -> NearestSmallW<'a> {
        NearestSmallW { texels: texels.texels, rows: -1 << texels.log2_width }
    }
}

impl NearestSmallW<'_> {
    /// Returns the divisor of a pixel: 1/w in Q15.17. The lowest bit keeps it from being 0.
    #[inline(always)]
    fn divisor(w: i32) -> u32 {
        (w >> 13) as u32 | 1
    }

    /// Returns the dividend: 2³² - width, near enough to 2³², and already in a register. Divided by
    /// Q15.17, it makes the upper word of a product whole texels.
    #[inline(always)]
    fn dividend(self) -> u32 {
        self.rows as u32
    }

    /// Returns the texel at coordinates over 1/w (30 bits); `w` is the quotient that equals w (17
    /// bits).
    #[inline(always)]
    fn texel(self, s: i32, t: i32, w: i32) -> u16 {
        let (s, t) = (high_short(s, w), high_short(t, w));
        // The bits of t above those of s. The mask of the index drops the bits above the texture's.
        let index = (s ^ (s ^ t) & self.rows) as usize;
        masked(self.texels, index)
    }

    /// Paints pixels in a row as [`each`](Shade::each) does, and derives each quotient from the one
    /// before.
    #[inline(always)]
    fn follow(self, pixels: &mut [u16], (x, y): (i32, i32), [s, t, w]: &[Plane32; 3]) {
        let (mut at_s, mut at_t, mut at_w) = (s.at(x, y), t.at(x, y), w.at(x, y));
        let next = Self::divisor(at_w.wrapping_add(w.dx));
        let mut quotient = Quotient::new(self.dividend(), Self::divisor(at_w), next);
        for pixel in pixels {
            let of = quotient.of(Self::divisor(at_w));
            *pixel = self.texel(at_s, at_t, of as i32);
            at_s = at_s.wrapping_add(s.dx);
            at_t = at_t.wrapping_add(t.dx);
            at_w = at_w.wrapping_add(w.dx);
        }
    }
}

impl Shade<3> for NearestSmallW<'_> {
    #[inline(always)]
    fn color(self, &[s, t, w]: &[i32; 3]) -> u16 {
        self.texel(s, t, (self.dividend() / Self::divisor(w)) as i32)
    }

    #[inline(always)]
    fn row(self, pixels: &mut [u16], from: (i32, i32), planes: &[Plane32; 3]) {
        // Divisors are at least 2¹⁵. A step of 2⁷ changes a quotient by at most 2⁻⁸ of it, and
        // changes that change by less than four, apart from the divisors' lowest bits.
        let slow = planes[2].dx.unsigned_abs() < 1 << 20;
        if ARMV6M && slow {
            self.follow(pixels, from, planes);
        } else {
            self.each(pixels, from, planes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_limited() {
        assert_eq!(pack(31, 63, 31), 0xffff);
        assert_eq!(pack(32, -1, 40), 0xf81f);
        assert_eq!(Gouraud.color(&[1 << 24, 2 << 24, 3 << 24]), 1 << 11 | 2 << 5 | 3);
        // The same colour over 1/w of one half.
        assert_eq!(GouraudW.color(&[1 << 23, 1 << 24, 0, 1 << 29]), 1 << 11 | 2 << 5);
    }

    #[test]
    fn pairs_are_what_single_pixels_are() {
        // From one end of each range to the other and back, including the half that rounds.
        for (from, to) in
            [([0; 3], [31, 63, 31]), ([31, 0, 16], [0, 63, 16]), ([31, 63, 31], [0; 3])]
        {
            let value = |x: i32| (x << 24) + (1 << 23);
            let planes = [0, 1, 2].map(|i: usize| Plane32 {
                value: value(from[i]),
                dx: (value(to[i]) - value(from[i])) / 89,
                dy: 0,
            });
            for (x, length) in [(0, 90), (1, 89), (31, 2), (17, 33), (63, 1), (60, 30)] {
                for left in 0..32 {
                    let (mut one, mut two) = ([0; 90], [0; 90]);
                    Gouraud.row(&mut one[..length], (x, 0), &planes);
                    GouraudPairs::new(&planes, left).row(&mut two[..length], (x, 0));
                    for (one, two) in one.into_iter().zip(two) {
                        let parts = |x: u16| [x >> 11, x >> 5 & 63, x & 31];
                        for (one, two) in parts(one).into_iter().zip(parts(two)) {
                            assert!(one.abs_diff(two) <= 1, "{from:?} to {to:?}, {left}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_word_of_two_channels_is_what_single_channels_are() {
        // Up and down, in steps that do and do not carry.
        for (from, to) in
            [([0; 3], [31, 63, 31]), ([31, 0, 16], [0, 63, 17]), ([5, 63, 31], [6, 0, 0])]
        {
            let value = |x: i32| (x << 24) + (1 << 23);
            let planes = [0, 1, 2].map(|i: usize| Plane32 {
                value: value(from[i]),
                dx: (value(to[i]) - value(from[i])) / 32,
                dy: 0,
            });
            let word = |[red, _, blue]: [i32; 3]| (red >> 13) + (blue >> 13 << 16);
            let both = Plane32 {
                value: word(planes.map(|plane| plane.value)),
                dx: word(planes.map(|plane| plane.dx + (1 << 12))),
                dy: 0,
            };
            let (mut one, mut two) = ([0; 33], [0; 33]);
            Gouraud.row(&mut one, (0, 0), &planes);
            GouraudSmall.row(&mut two, (0, 0), &[planes[1], both]);
            for (one, two) in one.into_iter().zip(two) {
                assert_eq!(one >> 5 & 63, two >> 5 & 63);
                assert!((one >> 11).abs_diff(two >> 11) <= 1 && (one & 31).abs_diff(two & 31) <= 1);
            }
        }
    }

    #[test]
    fn small_textures_are_found_within_a_few_hundredths_of_a_texel() {
        let texels: [u16; 4096] = core::array::from_fn(|i| i as u16);
        let texels = Texels { texels: &texels, log2_width: 6, log2_height: 6, s: 0, t: 1 };
        let nearest = NearestSmallW::of(&texels);
        for w in (1 << 28..=1 << 30).step_by(9_999_991) {
            let scale = w as f64 / f64::from(1 << 30) * f64::from(NearestSmallW::SCALE);
            for texel in 0..64 {
                for off in [0.005, 0.5, 0.995] {
                    let s = f64::from(texel) + off;
                    let t = f64::from(63 - texel) + 1.0 - off;
                    let at = [s * scale, t * 64.0 * scale, 0.0].map(|x| x as i32);
                    let expected = (63 - texel) << 6 | texel;
                    assert_eq!(
                        nearest.color(&[at[0], at[1], w]),
                        expected as u16,
                        "{s} {t} {w:#x}"
                    );
                }
            }
        }
    }

    #[test]
    fn quotients_that_follow_each_other_find_the_same_texels() {
        let texels: [u16; 4096] = core::array::from_fn(|i| i as u16);
        let texels = Texels { texels: &texels, log2_width: 6, log2_height: 6, s: 0, t: 1 };
        let nearest = NearestSmallW::of(&texels);
        let plane = |value: i32, dx: i32| Plane32 { value, dx, dy: 0 };
        for (w, dw) in
            [(1 << 28, (1 << 20) - 1), (1 << 30, 1 - (1 << 20)), (9 << 26, 333), (1 << 29, 0)]
        {
            let planes = [plane(1 << 20, 77_777), plane(1 << 26, 1_234_567), plane(w, dw)];
            let (mut one, mut two) = ([0; 64], [0; 64]);
            nearest.each(&mut one, (0, 0), &planes);
            nearest.follow(&mut two, (0, 0), &planes);
            assert_eq!(one, two, "{w:#x} {dw}");
            assert!(one.iter().any(|texel| *texel != one[0]));
        }
    }

    #[test]
    fn texels_are_found() {
        let texels: [u16; 4096] = core::array::from_fn(|i| i as u16);
        for (log2_width, log2_height) in [(6, 6), (4, 8), (11, 1), (1, 8), (5, 7), (8, 4)] {
            let texels = &texels[..1 << (log2_width + log2_height)];
            let texels = Texels { texels, log2_width, log2_height, s: 0, t: 1 };
            let nearest = Nearest::of(&texels).unwrap();
            for (x, y) in [(0u64, 0u64), (1, 1), (63, 63), (200, 100), (2047, 255), (31, 127)] {
                let (x, y) = (x & ((1 << log2_width) - 1), y & ((1 << log2_height) - 1));
                // At the texel's middle.
                let at = |x: u64, size: u32| ((2 * x + 1) << 31 >> size) as u32 as i32;
                let color = nearest.color(&[at(x, log2_width), at(y, log2_height)]);
                assert_eq!(color, (y << log2_width | x) as u16, "{log2_width} {log2_height}");
            }
        }
        let thin = Texels { texels: &texels, log2_width: 12, log2_height: 0, s: 0, t: 1 };
        assert!(Nearest::of(&thin).is_none());
    }
}
