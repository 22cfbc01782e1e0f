//! Texels at integer coordinates: wrapping, and loads of nearest texels.

use os_shim::math::to_i32;
use pipe_core::state::TexWrap;

#[cfg(palettes)]
use crate::lanes::Indexed;
use crate::lanes::{Level, clamp, floor};

/// The fraction bits of [`Axis::fixed`].
pub(super) const FINE: u32 = 13;

/// The wrapping of coordinates along an axis of a texture to indices.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Axis {
    size: i32,
    /// The number of texels after which the texture repeats; 0 if it does not repeat.
    period: i32,
    /// True if texels left of the first one mirror those right of it.
    mirrors: bool,
    /// 2³¹ divided by the period.
    reciprocal: i32,
}

impl Axis {
    /// Derives an axis of `size` texels; `None` if lookups can show the border, which `linear`
    /// lookups do in more modes.
    pub(super) fn new(wrap: TexWrap, linear: bool, size: u32) -> Option<Axis> {
        let size = i32::try_from(size).ok().filter(|size| (1..1 << 14).contains(size))?;
        let (period, mirrors) = match wrap {
            TexWrap::Repeat => (size, false),
            TexWrap::Clamp | TexWrap::MirrorClamp if linear => return None,
            TexWrap::Clamp | TexWrap::ClampToEdge => (0, false),
            TexWrap::MirrorRepeat => (2 * size, true),
            TexWrap::MirrorClamp | TexWrap::MirrorClampToEdge => (0, true),
            TexWrap::ClampToBorder | TexWrap::MirrorClampToBorder => return None,
        };
        let reciprocal = (1u32 << 31).checked_div(period as u32).unwrap_or(0) as i32;
        Some(Axis { size, period, mirrors, reciprocal })
    }

    /// Returns an axis of 2 to the power of `log2` texels that repeats. `log2` is below 14.
    pub(super) const fn repeating(log2: u32) -> Axis {
        let size = 1 << log2;
        Axis { size, period: size, mirrors: false, reciprocal: ((1u32 << 31) >> log2) as i32 }
    }

    /// Returns the factor from coordinates to texels, and the number of bits that it adds to a
    /// coordinate.
    pub(super) fn scale(&self) -> (i64, i32) {
        (self.size.into(), 32 - (self.size - 1).leading_zeros() as i32)
    }

    /// Converts a coordinate in textures to texels in Q18.13, in the first period of an axis that
    /// repeats.
    pub(super) fn fixed(&self, coordinate: f32) -> i32 {
        /// Beyond it, an axis without a period shows its last texel.
        const FAR: f32 = 32_768.0;
        let texels = match self.period {
            0 => clamp(coordinate * self.size as f32, -FAR, FAR),
            period => {
                let turns = if self.mirrors { coordinate * 0.5 } else { coordinate };
                (turns - floor(turns).0) * period as f32
            }
        };
        to_i32(texels * (1 << FINE) as f32)
    }

    /// Returns the index of the texel at a coordinate in textures.
    pub(super) fn index_at(&self, coordinate: f32) -> u32 {
        self.folded(self.fixed(coordinate) >> FINE)
    }

    /// Returns the index of the last texel.
    #[inline(always)]
    pub(super) fn last(&self) -> u32 {
        (self.size - 1) as u32
    }

    /// Returns the mask that wraps an index, if the axis repeats by a power of two; otherwise
    /// `None`.
    pub(super) fn mask(&self) -> Option<u32> {
        let repeats = self.period.count_ones() == 1 && !self.mirrors;
        repeats.then_some(self.period.wrapping_sub(1) as u32)
    }

    /// Returns the index of the texel `at` texels from the first.
    #[inline(always)]
    pub(super) fn index(&self, at: i32) -> u32 {
        self.folded(self.reduced(at))
    }

    /// Returns the index of the texel `at` texels from the first, and the index of its right
    /// neighbour.
    #[inline(always)]
    pub(super) fn pair(&self, at: i32) -> [u32; 2] {
        let first = self.reduced(at);
        let next = if first + 1 == self.period { 0 } else { first + 1 };
        [self.folded(first), self.folded(next)]
    }

    /// Moves a place into the first period; does nothing on an axis without a period.
    #[inline(always)]
    fn reduced(&self, at: i32) -> i32 {
        let mut at = at;
        if self.period & (self.period - 1) == 0 {
            // A power of two, or 0: then the mask keeps all bits.
            at &= self.period - 1;
        } else {
            // The quotient is exact or off by one.
            let times = ((i64::from(at) * i64::from(self.reciprocal)) >> 31) as i32;
            at -= times * self.period;
            at += if at < 0 { self.period } else { 0 };
            at -= if at >= self.period { self.period } else { 0 };
        }
        at
    }

    /// Returns the index of the texel at a place in the first period.
    #[inline(always)]
    fn folded(&self, at: i32) -> u32 {
        let mut at = at;
        if self.mirrors {
            if self.period != 0 {
                at = at.min(self.period - 1 - at);
            } else if at < 0 {
                at = -1 - at;
            }
        }
        at.min(self.size - 1).max(0) as u32
    }
}

/// A level of a texture, ready for lookups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texels<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) stride: usize,
    /// Bytes of a texel: 1, 2 or 4.
    pub(super) size: u32,
    /// True if lookups take the mean of four texels.
    pub(super) linear: bool,
    pub(super) axes: [Axis; 2],
    /// The colours, if the bytes are indices into a palette.
    #[cfg(palettes)]
    pub(super) indexed: Option<Indexed<'a>>,
}

impl<'a> Texels<'a> {
    /// Prepares a level with texels of `size` bytes; `None` if lookups can show the border.
    pub(super) fn new(
        level: &Level<'a>,
        size: u32,
        [s, t]: [TexWrap; 2],
        linear: bool,
    ) -> Option<Texels<'a>> {
        let axes = [Axis::new(s, linear, level.width)?, Axis::new(t, linear, level.height)?];
        Some(Texels::of(level.bytes, level.row_stride, size, linear, axes))
    }

    #[inline(always)]
    const fn of(
        bytes: &'a [u8],
        stride: usize,
        size: u32,
        linear: bool,
        axes: [Axis; 2],
    ) -> Texels<'a> {
        Texels {
            bytes,
            stride,
            size,
            linear,
            axes,
            #[cfg(palettes)]
            indexed: None,
        }
    }

    /// Returns a level of texels of 2 bytes that repeats, without gaps between rows. Its sides are
    /// 2 to the powers of `log2`, which are below 14.
    pub(super) const fn repeating(bytes: &'a [u8], log2: [u32; 2], linear: bool) -> Texels<'a> {
        let [s, t] = log2;
        Texels::of(bytes, 2 << s, 2, linear, [Axis::repeating(s), Axis::repeating(t)])
    }

    /// Returns true if the bytes are indices into a palette.
    pub(super) fn has_palette(&self) -> bool {
        #[cfg(palettes)]
        if self.indexed.is_some() {
            return true;
        }
        false
    }

    /// Returns true if rows are a whole number of texels apart.
    pub(super) fn is_whole(&self) -> bool {
        self.has_palette() || self.stride.is_multiple_of(self.size as usize)
    }

    /// Returns the texel at coordinates in textures.
    pub(super) fn nearest(&self, [s, t]: [f32; 2]) -> u32 {
        let [columns, rows] = &self.axes;
        self.load(columns.index_at(s), rows.index_at(t))
    }

    /// Returns a texel; 0 outside the level.
    #[inline(always)]
    pub(super) fn load(&self, s: u32, t: u32) -> u32 {
        #[cfg(palettes)]
        if let Some(indexed) = &self.indexed {
            return indexed.color(s, t);
        }
        let start = (t as usize).wrapping_mul(self.stride).wrapping_add((s * self.size) as usize);
        let rest = self.bytes.get(start..).unwrap_or(&[]);
        match self.size {
            1 => rest.first_chunk::<1>().map_or(0, word),
            2 => rest.first_chunk::<2>().map_or(0, word),
            _ => rest.first_chunk::<4>().map_or(0, word),
        }
    }
}

/// Returns the little-endian word of 1, 2 or 4 bytes. Copies of such short slices may become calls.
#[inline(always)]
pub(super) fn word<const N: usize>(bytes: &[u8; N]) -> u32 {
    match *bytes.as_slice() {
        [a] => a.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the index of the texel `at` texels from the first of `size`, by OpenGL 4.6 §8.14.2.
    fn wrapped(wrap: TexWrap, at: i64, size: i64) -> i64 {
        match wrap {
            TexWrap::Repeat => at.rem_euclid(size),
            TexWrap::MirrorRepeat => {
                let place = at.rem_euclid(2 * size);
                if place < size { place } else { 2 * size - 1 - place }
            }
            TexWrap::MirrorClampToEdge => (if at < 0 { -1 - at } else { at }).min(size - 1),
            TexWrap::ClampToEdge => at.clamp(0, size - 1),
            TexWrap::Clamp
            | TexWrap::ClampToBorder
            | TexWrap::MirrorClamp
            | TexWrap::MirrorClampToBorder => panic!("{wrap:?} shows the border"),
        }
    }

    #[test]
    fn axes_of_powers_of_two_repeat() {
        for log2 in 0..14 {
            let axis = Axis::new(TexWrap::Repeat, true, 1 << log2);
            assert_eq!(axis, Some(Axis::repeating(log2)));
        }
    }

    #[test]
    fn wrapped_indices_are_those_of_opengl() {
        use TexWrap::{ClampToEdge, MirrorClampToEdge, MirrorRepeat, Repeat};
        for wrap in [Repeat, MirrorRepeat, ClampToEdge, MirrorClampToEdge] {
            for size in [1, 2, 3, 5, 7, 8, 13, 100, 640, 1 << 13, (1 << 14) - 1] {
                let axis = Axis::new(wrap, true, size).unwrap();
                let near = -300..300;
                let far = [-1 << 29, -12_345_678, 9_999_999, (1 << 29) + 1];
                for at in near.chain(far) {
                    let [first, next] =
                        [at, at + 1].map(|at| wrapped(wrap, at.into(), size.into()) as u32);
                    assert_eq!(axis.index(at), first, "{wrap:?} {size} {at}");
                    assert_eq!(axis.pair(at), [first, next], "{wrap:?} {size} {at}");
                    if let Some(mask) = axis.mask() {
                        assert_eq!(at as u32 & mask, first, "{wrap:?} {size} {at}");
                    }
                }
            }
        }
    }
}
