//! Means of texels of 16 bits on RGB565, stored or blended: pictures, letters and needles. A pixel
//! takes one pass, in words of 32 bits.
//!
//! ```text
//!   coordinate in texels, less a half, Q13.18 ──► the texel, 11-bit weights of the next ones
//!     ──► four weights with a sum of 2¹¹ ──► two words of channels, 16 bits apart: their mean
//!     ──► steps of the target with 10 fraction bits ──► alpha with 11 ──► the pixel
//! ```
//!
//! Products of 5 bits and a weight fill half of a word, so that one multiplication weighs two
//! channels. A weight is rounded to 2⁻¹², three times. A pixel lies within 0.6 steps of the exact
//! value.

use super::bilinear::Fine;
use super::blend::Blend;
use super::channel::ChannelLayout;
use super::planes::Plane64;
use super::texels::{Axis, Texels};
use super::{Generic, Product};
use crate::features::{SPANS_ALL_TARGETS, SPANS_BILINEAR};
use crate::lanes::UnormLayout;
use crate::output::Parts;
use pipe_core::surface::Swizzle;

/// True if the build has this path.
pub(super) const SPRITES: bool = SPANS_BILINEAR && SPANS_ALL_TARGETS;

/// The bits of a weight.
const BITS: u32 = 11;

/// Half of the sum of all weights.
const HALF: u32 = 1 << (BITS - 1);

/// The fraction bits of a coordinate.
const FRACTION: u32 = 18;

/// The least fraction bits of coordinates before their conversion: then they fit.
const LEAST_FRACTION: u32 = 16;

/// The draws that take this path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sprite {
    /// RGB565, stored.
    Opaque,
    /// Four channels of 4 bits, blended by their alpha.
    Nibbles,
    /// A grey and an alpha of 8 bits, blended by the alpha.
    Grey,
}

/// The place of each component in a texel of 16 bits: its lowest bit, its largest integer.
type Places = [(u32, u32); 4];
const RGB565: Places = [(11, 31), (5, 63), (0, 31), (0, 0)];
const NIBBLES: Places = [(8, 15), (4, 15), (0, 15), (12, 15)];
const GREY: Places = [(0, 255), (0, 255), (0, 255), (8, 255)];

/// Returns true if the components of a format are at these places.
fn is_at(layout: &UnormLayout, places: &Places) -> bool {
    let mut components = places.iter().enumerate();
    layout.bytes == 2
        && components.all(|(component, &(shift, max))| {
            let (its_shift, its_max, _) = layout.channel(component);
            max == its_max && (max == 0 || shift == its_shift)
        })
}

impl Sprite {
    /// Returns the path of a draw, if it has one. `layout` is the texture's.
    pub(super) fn of(
        layout: &UnormLayout,
        channels: &[ChannelLayout; 4],
        color: &[Product; 4],
        target: &Parts<'_>,
        blend: Option<&Blend>,
    ) -> Option<Sprite> {
        let sprite = match blend {
            None if is_at(layout, &RGB565) => Sprite::Opaque,
            Some(blend) if !blend.is_over() => return None,
            Some(_) if is_at(layout, &NIBBLES) => Sprite::Nibbles,
            Some(_) if is_at(layout, &GREY) => Sprite::Grey,
            _ => return None,
        };
        let mut components = color.iter().zip(channels).zip(Swizzle::IDENTITY).enumerate();
        let is_texel = components.all(|(component, ((product, channel), identity))| {
            (component == 3 && blend.is_none())
                || (product.is_texel()
                    && product.texel == Some(*channel)
                    && *channel == ChannelLayout::of(layout, identity))
        });
        (is_texel && target.writable.is_none() && is_at(target.layout, &RGB565)).then_some(sprite)
    }
}

/// Texels of 16 bits in a loop over pixels.
trait Texel {
    /// The bits of alpha. A pixel with none of them in its texels stays as it is.
    const ALPHA: u32;

    /// Splits a texel into two words with one channel, or two channels 16 bits apart.
    fn split(texel: u32) -> [u32; 2];

    /// Returns a pixel from the words' means, times 2¹¹, and the pixel's old value.
    fn pixel(means: [u32; 2], old: u32) -> u32;
}

/// [`Sprite::Opaque`]: blue with red, and green.
struct Opaque;

impl Texel for Opaque {
    const ALPHA: u32 = 0;

    #[inline(always)]
    fn split(texel: u32) -> [u32; 2] {
        [(texel | texel << 5) & 0x1f_001f, texel >> 5 & 63]
    }

    #[inline(always)]
    fn pixel([first, second]: [u32; 2], _: u32) -> u32 {
        let blue_red = first.wrapping_add(HALF << 16 | HALF);
        let green = second.wrapping_add(HALF) >> BITS;
        blue_red >> 16 & 0xf800 | green << 5 | blue_red >> BITS & 31
    }
}

/// [`Sprite::Nibbles`]: blue with green, and red with alpha.
struct Nibbles;

impl Texel for Nibbles {
    const ALPHA: u32 = 0xf000;

    #[inline(always)]
    fn split(texel: u32) -> [u32; 2] {
        [(texel | texel << 12) & 0xf_000f, (texel >> 8 | texel << 4) & 0xf_000f]
    }

    #[inline(always)]
    fn pixel([first, second]: [u32; 2], old: u32) -> u32 {
        // Half of 31/15 is 529 / 2⁹, half of 63/15 is 4301 / 2¹¹; 1/15 is 4369 / 2¹⁶.
        let red = ((second & 0xffff) * 529) >> 9;
        let green = ((first >> 16) * 4301) >> 11;
        let blue = ((first & 0xffff) * 529) >> 9;
        over([red, green, blue], ((second >> 16) * 4369 + (1 << 15)) >> 16, old)
    }
}

/// [`Sprite::Grey`]: grey, and alpha.
struct Grey;

impl Texel for Grey {
    const ALPHA: u32 = 0xff00;

    #[inline(always)]
    fn split(texel: u32) -> [u32; 2] {
        [texel & 255, texel >> 8]
    }

    #[inline(always)]
    fn pixel([grey, alpha]: [u32; 2], old: u32) -> u32 {
        // Half of 31/255 is 3984 / 2¹⁶, half of 63/255 is 4048 / 2¹⁵; 1/255 is 257 / 2¹⁶.
        let few = (grey * 3984) >> 16;
        over([few, (grey * 4048) >> 15, few], (alpha * 257 + (1 << 15)) >> 16, old)
    }
}

/// Blends a colour over a pixel of RGB565. Channels are in the pixel's steps, times 2¹⁰, and alpha
/// is at most 2¹¹.
#[inline(always)]
fn over([red, green, blue]: [u32; 3], alpha: u32, old: u32) -> u32 {
    let channel = |new: u32, old: u32| {
        let change = (new.wrapping_sub(old << 10) as i32).wrapping_mul(alpha as i32);
        (old << 21).wrapping_add(change as u32).wrapping_add(1 << 20) >> 21
    };
    channel(red, old >> 11) << 11 | channel(green, old >> 5 & 63) << 5 | channel(blue, old & 31)
}

/// Returns a word's mean of four texels.
#[inline(always)]
fn mean([a, b, c, d]: [u32; 4], [w, x, y, z]: [u32; 4]) -> u32 {
    a.wrapping_mul(w)
        .wrapping_add(b.wrapping_mul(x))
        .wrapping_add(c.wrapping_mul(y))
        .wrapping_add(d.wrapping_mul(z))
}

/// Returns the weights of four texels from the weights of the second texels along s and t.
#[inline(always)]
fn weights(s: u32, t: u32) -> [u32; 4] {
    let both = (s * t + HALF) >> BITS;
    [(1 << BITS) + both - s - t, s - both, t - both, both]
}

/// A coordinate along a row: texels from the middle of the first, and its step.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: i32,
    step: i32,
}

impl Place {
    /// Returns the coordinate at the start of a row, which has at most 64 pixels. `None` if it lies 4,096 texels away or
    /// more, or a step has 64 texels or more: the words do not hold the row then.
    fn new(plane: &Plane64, fraction: u32, from: (i32, i32)) -> Option<Place> {
        let shift = fraction.saturating_add(32 - FRACTION) & 63;
        let half = 1i64 << (shift.saturating_sub(1) & 63);
        let below = |value: i64, limit: i32| {
            i32::try_from(value).ok().filter(|value| value.unsigned_abs() < limit.unsigned_abs())
        };
        let at = below(plane.at(from.0, from.1) >> shift, 4096 << FRACTION)?;
        let step = below(plane.dx.wrapping_add(half) >> shift, 64 << FRACTION)?;
        // Moved half a texel to the left, and half a step of a weight to the right.
        let middle = (1 << (FRACTION - BITS - 1)) - (1 << (FRACTION - 1));
        Some(Place { at: at.wrapping_add(middle), step })
    }

    /// Returns the texel.
    #[inline(always)]
    fn texel(self) -> u32 {
        (self.at >> FRACTION) as u32
    }

    /// Returns the weight of the next texel.
    #[inline(always)]
    fn weight(self) -> u32 {
        (self.at >> (FRACTION - BITS)) as u32 & ((1 << BITS) - 1)
    }

    /// Steps to the next pixel.
    #[inline(always)]
    fn step(&mut self) {
        self.at = self.at.wrapping_add(self.step);
    }
}

/// Texels in words, with what a row needs of their axes.
struct Image<'a> {
    words: &'a [u16],
    pitch: usize,
    axes: &'a [Axis; 2],
}

impl Image<'_> {
    /// Returns a texel, the texel behind it, and the two below.
    #[inline(always)]
    fn four(&self, at: usize) -> Option<[u32; 4]> {
        let rest = self.words.get(at..)?;
        let &[a, b] = rest.first_chunk()?;
        let &[c, d] = rest.get(self.pitch..)?.first_chunk()?;
        Some([a.into(), b.into(), c.into(), d.into()])
    }

    /// Returns the four texels from one that may be at an edge.
    #[cold]
    #[inline(never)]
    fn at_edge(&self, s: u32, t: u32) -> [u32; 4] {
        let [columns, rows] = self.axes;
        let ([left, right], [top, bottom]) = (columns.pair(s as i32), rows.pair(t as i32));
        [(top, left), (top, right), (bottom, left), (bottom, right)].map(|(row, column)| {
            let at = (row as usize).wrapping_mul(self.pitch).wrapping_add(column as usize);
            self.words.get(at).map_or(0, |texel| u32::from(*texel))
        })
    }

    /// Paints a row of pixels.
    #[inline(never)]
    fn paint<T: Texel>(&self, [mut s, mut t]: [Place; 2], pixels: &mut [u16]) {
        let [columns, rows] = [self.axes[0].last(), self.axes[1].last()];
        for pixel in pixels {
            let (u, v) = (s.texel(), t.texel());
            let [a, b, c, d] = if u < columns && v < rows {
                let at = (v as usize).wrapping_mul(self.pitch).wrapping_add(u as usize);
                let Some(texels) = self.four(at) else { break };
                texels
            } else {
                self.at_edge(u, v)
            };
            if T::ALPHA == 0 || (a | b | c | d) & T::ALPHA != 0 {
                let weights = weights(s.weight(), t.weight());
                // Not `map`: arrays of words go through memory.
                let (a, b, c, d) = (T::split(a), T::split(b), T::split(c), T::split(d));
                let means = [
                    mean([a[0], b[0], c[0], d[0]], weights),
                    mean([a[1], b[1], c[1], d[1]], weights),
                ];
                *pixel = T::pixel(means, u32::from(*pixel)) as u16;
            }
            s.step();
            t.step();
        }
    }
}

impl<const IN_FLOATS: bool> Generic<'_, IN_FLOATS> {
    /// Paints a row of pixels from `from` of the region on; `false` if it must take the passes.
    pub(super) fn sprite_row(
        &self,
        fine: &Fine,
        [s_fraction, t_fraction]: [u32; 2],
        from: (i32, i32),
        pixels: &mut [u8],
    ) -> bool {
        let (Some(sprite), Some(texture)) = (self.sprite, &self.texture) else { return false };
        let Texels { bytes, stride, axes, .. } = &texture.texels;
        let fits = fine.w.is_none() && s_fraction.min(t_fraction) >= LEAST_FRACTION;
        let (Ok(words), Ok(pixels)) =
            (bytemuck::try_cast_slice(bytes), bytemuck::try_cast_slice_mut(pixels))
        else {
            return false;
        };
        if !fits {
            return false;
        }
        let [s, t] = &fine.coordinates;
        let (Some(s), Some(t)) = (Place::new(s, s_fraction, from), Place::new(t, t_fraction, from))
        else {
            return false;
        };
        let image = Image { words, pitch: stride / 2, axes };
        match sprite {
            Sprite::Opaque => image.paint::<Opaque>([s, t], pixels),
            Sprite::Nibbles => image.paint::<Nibbles>([s, t], pixels),
            Sprite::Grey => image.paint::<Grey>([s, t], pixels),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Returns a component of a texel or pixel, from 0 to 1.
    fn component(word: u32, (shift, max): (u32, u32)) -> f64 {
        f64::from(word >> shift & max) / f64::from(max)
    }

    /// Compares random pixels with the exact mean, blended exactly.
    fn compare<T: Texel>(places: &Places) {
        let blended = T::ALPHA != 0;
        let mut random = Random(7);
        let mut worst = 0.0f64;
        for _ in 0..200_000 {
            let bits = random.bits();
            let texels = [0; 4].map(|_: u32| match random.bits() >> 29 {
                0 => 0,
                1 => 0xffff,
                _ => random.bits() >> 16,
            });
            let (s, t) = (bits & 0xf_ffff, random.bits() >> 12);
            let rounded = |at: u32| (at + (1 << 8)) >> 9;
            if rounded(s) >> BITS != 0 || rounded(t) >> BITS != 0 {
                continue;
            }
            let old = random.bits() >> 16;
            let weights = weights(rounded(s), rounded(t));
            assert_eq!(weights.iter().sum::<u32>(), 1 << BITS);
            let means =
                [0, 1].map(|word: usize| mean(texels.map(|it| T::split(it)[word]), weights));
            let pixel = T::pixel(means, old);
            let (s, t) = (f64::from(s) / f64::from(1 << 20), f64::from(t) / f64::from(1 << 20));
            let exact = |place: (u32, u32)| {
                let [a, b, c, d] = texels.map(|texel| component(texel, place));
                (a * (1.0 - s) + b * s) * (1.0 - t) + (c * (1.0 - s) + d * s) * t
            };
            let alpha = if blended { exact(places[3]) } else { 1.0 };
            for (place, from) in RGB565.iter().zip(places).take(3) {
                let exact = exact(*from) * alpha + component(old, *place) * (1.0 - alpha);
                let error = (component(pixel, *place) - exact).abs() * f64::from(place.1);
                worst = worst.max(error);
            }
        }
        assert!(worst <= 0.6, "{worst}");
    }

    #[test]
    fn pixels_are_within_six_tenths_of_a_step() {
        compare::<Opaque>(&RGB565);
        compare::<Nibbles>(&NIBBLES);
        compare::<Grey>(&GREY);
    }

    #[test]
    fn weights_are_never_negative_and_sum_to_one() {
        for s in 0..1 << BITS {
            for t in (0..1 << BITS).step_by(7).chain([(1 << BITS) - 1]) {
                let all = weights(s, t);
                assert_eq!(all.iter().sum::<u32>(), 1 << BITS, "{s} {t}");
                assert!(all.iter().all(|weight| *weight <= 1 << BITS), "{s} {t}");
            }
        }
    }

    /// Returns the pixel of four equal texels.
    fn mean_of_equal<T: Texel>(texel: u32, weights: [u32; 4], old: u32) -> u32 {
        T::pixel(T::split(texel).map(|word| mean([word; 4], weights)), old)
    }

    /// A texel in its middle, and four equal texels, give their nearest pixel; without alpha the
    /// pixel stays.
    #[test]
    fn equal_texels_are_exact() {
        for texel in (0..=0xffffu32).step_by(3).chain([0xffff]) {
            for weights in [weights(0, 0), weights(1234, 77)] {
                assert_eq!(mean_of_equal::<Opaque>(texel, weights, 0x1234), texel);
                let opaque = mean_of_equal::<Nibbles>(texel, weights, 0x8421);
                let alpha = texel >> 12;
                for (place, from) in RGB565.iter().zip(NIBBLES).take(3) {
                    let exact = if alpha == 15 { component(texel, from) } else { continue };
                    let nearest = (exact * f64::from(place.1)).round() as u32;
                    assert_eq!(opaque >> place.0 & place.1, nearest, "{texel:#x}");
                }
                if alpha == 0 {
                    assert_eq!(opaque, 0x8421);
                }
            }
        }
    }

    /// Beyond 4,096 texels, and with steps of 64 texels, rows take the exact path.
    #[test]
    fn rows_that_words_cannot_hold_are_refused() {
        let place = |texels: i64, step: i64| {
            let plane = Plane64::of_row(texels << 48, step << 48);
            Place::new(&plane, 16, (0, 0)).is_some()
        };
        assert!(place(4095, 0) && place(-4095, 63));
        assert!(!place(4096, 0) && !place(-4096, 0) && !place(0, 64) && !place(0, -64));
        assert!(!place(8192 + 100, 0) && !place(0, 8192));
    }
}
