//! Bilinear filtering in integers: the four texels around a place, and their mean.
//!
//! ```text
//!   coordinate in texels, less a half, to 12 bits after the point
//!     ──► along s and t: the indices of two texels, the weight of the second
//!     ──► four texels, four weights with a sum of 2²⁴ ──► a component: four products, a sum
//! ```
//!
//! A component of up to 8 bits and two weights of 12 bits fill a word, so only the weights along s
//! and t are rounded: to 2⁻¹³, which is at most a sixteenth of a step of the texture. Means lie
//! within a step of the general path's, and in the middle of a texel they equal that texel.

use super::channel::ChannelLayout;
use super::pixels::{COUNT, Row, over_w, times};
use super::planes::Plane64;
use super::texels::{Axis, Texels, word};
#[cfg(palettes)]
use crate::lanes::Indexed;
use crate::span::reciprocal::reciprocal;

/// 1 if bilinear filtering is compiled in, else 0, so that its buffers take no RAM.
pub(super) const SLOTS: usize = crate::features::SPANS_BILINEAR as usize;

/// The bits of a weight along an axis.
const BITS: u32 = 12;

/// The least fraction bits of coordinates: one more than a weight's, to round.
pub(super) const LEAST_FRACTION: i32 = BITS as i32 + 1;

/// A triangle's coordinates and 1/w.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fine {
    pub(super) coordinates: [Plane64; 2],
    pub(super) w: Option<Plane64>,
}

/// The four texels around each pixel of a row, and their weights.
#[derive(Debug)]
pub(super) struct Corners {
    /// The texels: first along s and t, second along s, then the two below. Before the loads, two
    /// indices along s and the weight of the second.
    texels: [[u32; 4]; COUNT],
    /// The texels' weights. Before the loads, two indices along t and the weight of the second.
    weights: [[u32; 4]; COUNT],
}

impl Corners {
    pub(super) const EMPTY: Corners = Corners { texels: [[0; 4]; COUNT], weights: [[0; 4]; COUNT] };

    /// Returns a component of the first pixel's mean.
    pub(super) fn first(&self, channel: &ChannelLayout) -> i32 {
        let [texels, ..] = &self.texels;
        let [weights, ..] = &self.weights;
        channel.scaled(mean(texels.map(|texel| channel.integer(texel)), weights))
    }

    /// Replaces a row with a component's means, or multiplies it by them if the row is `colored`.
    #[inline(never)]
    pub(super) fn multiply(
        &self,
        channel: &ChannelLayout,
        colored: bool,
        row: &mut Row,
        count: usize,
    ) {
        let channel = *channel;
        let means = self.texels.iter().zip(&self.weights).map(|(texels, weights)| {
            channel.scaled(mean(texels.map(|texel| channel.integer(texel)), weights))
        });
        let pixels = row.iter_mut().zip(means).take(count);
        if colored {
            pixels.for_each(|(value, mean)| *value = times(*value, mean));
        } else {
            pixels.for_each(|(value, mean)| *value = mean);
        }
    }
}

/// Returns the weighted mean of integers of up to 8 bits, in Q8.24.
#[inline(always)]
fn mean([a, b, c, d]: [u32; 4], weights: &[u32; 4]) -> u32 {
    let [w, x, y, z] = weights;
    a.wrapping_mul(*w)
        .wrapping_add(b.wrapping_mul(*x))
        .wrapping_add(c.wrapping_mul(*y))
        .wrapping_add(d.wrapping_mul(*z))
}

/// Returns the weights of four texels from the weights of the second texels along s and t.
#[inline(always)]
fn weights(s: u32, t: u32) -> [u32; 4] {
    let (both, s, t) = (s * t, s << BITS, t << BITS);
    [(1 << (2 * BITS)) + both - s - t, s - both, t - both, both]
}

/// Finds the texels along an axis for the pixels from `at` of the region on: two indices, and the
/// weight of the second.
#[inline(never)]
fn place(
    axis: &Axis,
    plane: &Plane64,
    fraction: u32,
    ws: Option<&Row>,
    at: (i32, i32),
    pixels: &mut [[u32; 4]],
) {
    let shift = fraction.saturating_sub(LEAST_FRACTION as u32);
    let (axis, at, dx) = (*axis, plane.at(at.0, at.1), plane.dx);
    match axis.mask() {
        Some(mask) => place_each(at, dx, shift, ws, pixels, |texel| {
            [texel as u32 & mask, texel.wrapping_add(1) as u32 & mask]
        }),
        None => place_each(at, dx, shift, ws, pixels, |texel| axis.pair(texel)),
    }
}

/// Does the work of [`place`] with the wrapping function `pair` of one kind of axis.
#[inline(always)]
fn place_each(
    at: i64,
    dx: i64,
    shift: u32,
    ws: Option<&Row>,
    pixels: &mut [[u32; 4]],
    pair: impl Fn(i32) -> [u32; 2],
) {
    let mut at = at;
    for (index, [first, second, weight, _]) in pixels.iter_mut().enumerate() {
        let texel = over_w(Plane64::whole(at), ws, index, shift);
        ([*first, *second], *weight) = between(texel, &pair);
        at = at.wrapping_add(dx);
    }
}

/// Returns two indices and the weight of the second, from texels with 13 fraction bits.
#[inline(always)]
fn between(texels: i32, pair: impl Fn(i32) -> [u32; 2]) -> ([u32; 2], u32) {
    // Rounded, and moved half a texel to the left.
    let texel = texels.wrapping_add(1 - (1 << BITS)) >> 1;
    (pair(texel >> BITS), texel as u32 & ((1 << BITS) - 1))
}

impl Texels<'_> {
    /// Looks up the four texels around coordinates in textures, for the first pixel of a row.
    #[cold]
    pub(super) fn look_around_at(&self, coordinates: [f32; 2], corners: &mut Corners) {
        let [texels, weights] = [&mut corners.texels, &mut corners.weights];
        for ((axis, coordinate), pixels) in self.axes.iter().zip(coordinates).zip([texels, weights])
        {
            let ([first, second], weight) = between(axis.fixed(coordinate), |at| axis.pair(at));
            if let Some(pixel) = pixels.first_mut() {
                *pixel = [first, second, weight, 0];
            }
        }
        self.load_all_around(corners, 1);
    }

    /// Looks up the four texels around each of `count` pixels from `at` of the region on. `ws`
    /// receives the pixels' w.
    pub(super) fn look_around(
        &self,
        fine: &Fine,
        [s, t]: [u32; 2],
        at: (i32, i32),
        count: usize,
        ws: &mut Row,
        corners: &mut Corners,
    ) {
        if let Some(plane) = &fine.w {
            let mut w_at = plane.at(at.0, at.1);
            for w in ws.iter_mut().take(count) {
                *w = reciprocal(Plane64::whole(w_at));
                w_at = w_at.wrapping_add(plane.dx);
            }
        }
        let ws = fine.w.is_some().then_some(&*ws);
        let [s_axis, t_axis] = &self.axes;
        let [s_plane, t_plane] = &fine.coordinates;
        place(s_axis, s_plane, s, ws, at, corners.texels.get_mut(..count).unwrap_or_default());
        place(t_axis, t_plane, t, ws, at, corners.weights.get_mut(..count).unwrap_or_default());
        self.load_all_around(corners, count);
    }

    /// Replaces indices with texels and weights.
    fn load_all_around(&self, corners: &mut Corners, count: usize) {
        #[cfg(palettes)]
        if let Some(indexed) = &self.indexed {
            return load_colors_around(indexed, corners, count);
        }
        match self.size {
            1 => self.load_around::<1>(corners, count),
            2 => self.load_around::<2>(corners, count),
            _ => self.load_around::<4>(corners, count),
        }
    }

    /// Replaces indices with texels and weights.
    #[inline(never)]
    fn load_around<const N: usize>(&self, corners: &mut Corners, count: usize) {
        let (words, pitch) = (self.bytes.as_chunks::<N>().0, self.stride / N);
        for (s, t) in corners.texels.iter_mut().zip(&mut corners.weights).take(count) {
            let ([left, right, s_weight, _], [top, bottom, t_weight, _]) = (*s, *t);
            let load = |row: usize, column: u32| {
                words.get(row.wrapping_add(column as usize)).map_or(0, word)
            };
            let row = |index: u32| (index as usize).wrapping_mul(pitch);
            let (top, bottom) = (row(top), row(bottom));
            *s = [load(top, left), load(top, right), load(bottom, left), load(bottom, right)];
            *t = weights(s_weight, t_weight);
        }
    }
}

/// Replaces the indices of texels with the colours that these select, and weights.
#[cfg(palettes)]
#[inline(never)]
fn load_colors_around(indexed: &Indexed<'_>, corners: &mut Corners, count: usize) {
    for (s, t) in corners.texels.iter_mut().zip(&mut corners.weights).take(count) {
        let ([left, right, s_weight, _], [top, bottom, t_weight, _]) = (*s, *t);
        let places = [(left, top), (right, top), (left, bottom), (right, bottom)];
        *s = places.map(|(x, y)| indexed.color(x, y));
        *t = weights(s_weight, t_weight);
    }
}

#[cfg(test)]
mod tests {
    use formats::Format;
    use pipe_core::surface::Swizzle;

    use super::*;
    use crate::lanes::UnormLayout;

    #[test]
    fn means_are_those_of_the_weights() {
        assert_eq!(weights(0, 0), [1 << 24, 0, 0, 0]);
        assert_eq!(mean([7, 255, 0, 3], &weights(0, 0)), 7 << 24);
        // Half way: (0 + 4 + 40 + 200) / 4.
        assert_eq!(mean([0, 4, 40, 200], &weights(2048, 2048)), 61 << 24);
        // A quarter of the way along s, three along t: 3, 1, 9 and 3 of 16.
        assert_eq!(mean([16, 32, 48, 64], &weights(1024, 3072)), 44 << 24);
        for (s, t) in [(0, 4095), (4095, 0), (4095, 4095), (1, 1), (1234, 2345)] {
            assert_eq!(mean([255; 4], &weights(s, t)), 255 << 24, "{s} {t}");
            let [a, b, c, d] = weights(s, t);
            assert_eq!([b + d, c + d, a + b + c + d], [s << 12, t << 12, 1 << 24]);
        }
    }

    #[test]
    fn means_of_equal_texels_are_the_texel() {
        for format in [
            Format::R8G8B8A8Unorm,
            Format::B8G8R8X8Unorm,
            Format::B5G6R5Unorm,
            Format::B4G4R4A4Unorm,
            Format::B5G5R5A1Unorm,
            Format::B2G3R3Unorm,
            Format::A8Unorm,
        ] {
            let layout = UnormLayout::of(format).unwrap();
            for swizzle in Swizzle::IDENTITY {
                let channel = ChannelLayout::of(&layout, swizzle);
                for byte in 0..256 {
                    let texel = byte * 0x0101_0101;
                    let scaled = channel.scaled(channel.integer(texel) << 24);
                    assert_eq!(scaled, channel.value(texel), "{format:?} {swizzle:?} {texel:#x}");
                }
            }
        }
    }
}
