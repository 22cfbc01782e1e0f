//! A vertex in the scene: whole words, or packed where that loses nothing.
//!
//! | form | when | words |
//! |---|---|---|
//! | wide | always | x and form, y, z, 1/w, then a word a varying |
//! | short | w is 1, the place within ± 1024 pixels, depth not negative and below 2 | x and form, y, z, then a word a varying |
//! | packed | also the first three varyings are channels of 8 bits, to the last bit | x, y, z with those in between, then a word a varying for the rest |
//!
//! Reading gives back the bits that were written whatever the form, so pixels do not depend on
//! it. Only scenes with 16-bit ids pack: they are the ones in little memory.

use draw::sink::WindowVertex;

use super::Arena;
use crate::profile::SceneId;
use crate::setup::Position;

/// Words of a wide vertex before its varyings.
const WIDE_WORDS: usize = 4;
/// Words of the others.
const SHORT_WORDS: usize = 3;
/// Varyings that take no words of their own in a packed vertex.
pub(crate) const PACKED_VARYINGS: usize = 3;

/// The form, in the first word's lowest bits.
const FORM: u32 = 3;
const WIDE: u32 = 0;
const SHORT: u32 = 1;
const PACKED: u32 = 3;

/// Where Q11.8 positions start in a word of the short forms. Below, in a packed vertex:
/// word 0 has the form, the third byte's low 3 bits, the first byte; word 1 the second byte and
/// the third's high 5 bits.
const PLACE_SHIFT: u32 = 13;

/// The number that an 8-bit channel stands for, as fetching one computes it.
#[inline(always)]
fn from_byte(byte: u32) -> f32 {
    byte as f32 / 255.0
}

/// How a vertex is stored: its first words, and how many varyings are in them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    words: [u32; WIDE_WORDS],
    count: usize,
    varyings: usize,
}

impl Head {
    /// For a vertex with these varyings, of which only the first few are looked at.
    #[inline]
    pub(crate) fn of<I: SceneId>(
        vertex: &WindowVertex<'_>,
        varyings: impl Iterator<Item = f32>,
    ) -> Head {
        let (x, y, z) = (vertex.x, vertex.y, vertex.z.to_bits());
        let rcp_w = vertex.rcp_w.to_bits();
        let near = |at: i32| at << PLACE_SHIFT >> PLACE_SHIFT == at;
        if I::BYTES > 2 || rcp_w != 1.0f32.to_bits() || z >> 30 != 0 || !near(x) || !near(y) {
            let words = [(x << 2) as u32 | WIDE, y as u32, z, rcp_w];
            return Head { words, count: WIDE_WORDS, varyings: 0 };
        }
        let (x, y) = ((x << PLACE_SHIFT) as u32, (y << PLACE_SHIFT) as u32);
        let (mut bytes, mut count) = ([0; PACKED_VARYINGS], 0);
        for (byte, value) in bytes.iter_mut().zip(varyings) {
            // `as` saturates and takes NaN to 0.
            *byte = (value * 255.0 + 0.5) as u32;
            if from_byte(*byte).to_bits() != value.to_bits() || *byte > 255 {
                return Head { words: [x | SHORT, y, z, 0], count: SHORT_WORDS, varyings: 0 };
            }
            count += 1;
        }
        let [a, b, c] = bytes;
        let words = [x | a << 5 | (c & 7) << 2 | PACKED, y | c >> 3 << 8 | b, z, 0];
        Head { words, count: SHORT_WORDS, varyings: count }
    }

    /// The vertex's first words.
    #[inline(always)]
    pub(crate) fn words(&self) -> &[u32] {
        self.words.get(..self.count).unwrap_or(&[])
    }

    /// Writes them to as many words. Not a copy of a slice: that is a call, for three or four.
    #[inline(always)]
    pub(crate) fn store(&self, to: &mut [u32]) {
        let [x, y, z, w] = self.words;
        match to {
            [a, b, c] => (*a, *b, *c) = (x, y, z),
            [a, b, c, d] => (*a, *b, *c, *d) = (x, y, z, w),
            _ => {}
        }
    }

    /// Varyings that are in them.
    #[inline(always)]
    pub(crate) fn varyings(&self) -> usize {
        self.varyings
    }
}

/// A stored vertex: the words of the arena from its first on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex<'a> {
    words: &'a [u32],
}

impl<'a> Vertex<'a> {
    /// One whose first words these are.
    #[inline(always)]
    pub(crate) fn new(words: &'a [u32]) -> Vertex<'a> {
        Vertex { words }
    }

    /// One in the arena.
    #[inline(always)]
    pub(crate) fn at(arena: &'a Arena<'_>, id: u32) -> Vertex<'a> {
        Vertex::new(arena.from(id as usize))
    }

    /// Words it takes, in a draw with so many varyings.
    #[inline(always)]
    pub(crate) fn size(self, varyings: usize) -> usize {
        match self.words.first().map_or(WIDE, |first| first & FORM) {
            WIDE => WIDE_WORDS + varyings,
            SHORT => SHORT_WORDS + varyings,
            _ => SHORT_WORDS + varyings.saturating_sub(PACKED_VARYINGS),
        }
    }

    /// Window x and y, Q24.8.
    #[inline(always)]
    pub(crate) fn place(self) -> [i32; 2] {
        let &[x, y, ..] = self.words else { return [0; 2] };
        if x & FORM == WIDE {
            [x as i32 >> 2, y as i32]
        } else {
            [x as i32 >> PLACE_SHIFT, y as i32 >> PLACE_SHIFT]
        }
    }

    #[inline(always)]
    pub(crate) fn position(self) -> Position {
        let &[first, _, z, ..] = self.words else { return Position::default() };
        let [x, y] = self.place();
        let mut rcp_w = 1.0;
        if first & FORM == WIDE {
            rcp_w = self.words.get(3).map_or(1.0, |bits| f32::from_bits(*bits));
        }
        Position { x, y, z: f32::from_bits(z), rcp_w }
    }

    /// One of its draw's varyings.
    #[inline(always)]
    pub(crate) fn varying(self, index: usize) -> f32 {
        let &[a, b, ..] = self.words else { return 0.0 };
        let at = match a & FORM {
            WIDE => WIDE_WORDS + index,
            SHORT => SHORT_WORDS + index,
            _ => match index {
                0 => return from_byte(a >> 5 & 0xff),
                1 => return from_byte(b & 0xff),
                2 => return from_byte((b >> 8 & 0x1f) << 3 | a >> 2 & 7),
                _ => index,
            },
        };
        self.words.get(at).map_or(0.0, |bits| f32::from_bits(*bits))
    }

    /// The first three varyings; those that its draw does not have may be anything.
    #[cfg(feature = "spans")]
    #[inline(always)]
    pub(crate) fn first_varyings(self) -> [f32; PACKED_VARYINGS] {
        let at = match *self.words {
            [a, b, ..] if a & FORM == PACKED => {
                let c = (b >> 8 & 0x1f) << 3 | a >> 2 & 7;
                return [from_byte(a >> 5 & 0xff), from_byte(b & 0xff), from_byte(c)];
            }
            [a, ..] if a & FORM == SHORT => SHORT_WORDS,
            _ => WIDE_WORDS,
        };
        let rest = self.words.get(at..).unwrap_or(&[]);
        match *rest {
            [a, b, c, ..] => [a, b, c].map(f32::from_bits),
            _ => [0, 1, 2].map(|i| rest.get(i).map_or(0.0, |bits: &u32| f32::from_bits(*bits))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use os_shim::memory::Memory;
    use std::vec::Vec;

    fn store<I: SceneId>(vertex: &WindowVertex<'_>, varyings: &[f32]) -> (usize, Vec<u32>) {
        let head = Head::of::<I>(vertex, varyings.iter().copied());
        let mut words = head.words().to_vec();
        words.extend(varyings[head.varyings()..].iter().map(|value| value.to_bits()));
        (words.len(), words)
    }

    #[test]
    fn every_form_comes_back_to_the_last_bit() {
        let exact = [0.0, 1.0, 7.0 / 255.0, 128.0 / 255.0];
        let negative_zero = [-0.0, 0.5, 0.25, 3.0];
        let nan = [f32::from_bits(0x7fc0_0001), 1.0, 0.0, 0.0];
        let edge = 1024 * 256;
        for (x, y, z, rcp_w, varyings, words) in [
            // Packed: three words, and one for the fourth varying.
            (0, 0, 0.0, 1.0, exact, [4, 8]),
            (edge - 1, -edge, 1.999_999_9, 1.0, exact, [4, 8]),
            (-1, 80_000, f32::MIN_POSITIVE, 1.0, exact, [4, 8]),
            // Short: the varyings are not bytes.
            (5, 6, 1.0, 1.0, negative_zero, [7, 8]),
            (5, 6, 1.0, 1.0, nan, [7, 8]),
            (5, 6, 1.0, 1.0, [1.0, 0.0, 0.5, 1.0], [7, 8]),
            (5, 6, 1.0, 1.0, [1.0, 0.0, 256.0 / 255.0, 1.0], [7, 8]),
            // Wide: too far, too deep, in perspective.
            (edge, 0, 0.5, 1.0, exact, [8, 8]),
            (0, -edge - 1, 0.5, 1.0, exact, [8, 8]),
            (-(1 << 22), 1 << 22, 0.5, 1.0, exact, [8, 8]),
            (0, 0, 2.0, 1.0, exact, [8, 8]),
            (0, 0, -0.0, 1.0, exact, [8, 8]),
            (0, 0, f32::NAN, 1.0, exact, [8, 8]),
            (0, 0, 0.5, 0.999_999_94, exact, [8, 8]),
            (0, 0, 0.5, -1.0, exact, [8, 8]),
        ] {
            let vertex = WindowVertex { x, y, z, rcp_w, outputs: &[] };
            for ((size, stored), wanted) in
                [store::<u16>(&vertex, &varyings), store::<u32>(&vertex, &varyings)]
                    .into_iter()
                    .zip(words)
            {
                assert_eq!(size, wanted, "{vertex:?} {varyings:?}");
                let mut arena = Arena::new(16, Memory::system()).unwrap();
                let at = arena.reserve(size, usize::MAX).unwrap();
                arena.get_mut(at, size).copy_from_slice(&stored);
                let back = Vertex::at(&arena, at as u32);
                assert_eq!(back.size(varyings.len()), size);
                let place = back.position();
                assert_eq!((place.x, place.y, back.place()), (x, y, [x, y]));
                assert_eq!(
                    (place.z.to_bits(), place.rcp_w.to_bits()),
                    (z.to_bits(), rcp_w.to_bits())
                );
                let bits = varyings.map(f32::to_bits);
                assert_eq!([0, 1, 2, 3].map(|i| back.varying(i).to_bits()), bits);
                assert_eq!(back.first_varyings().map(f32::to_bits), bits[..3]);
            }
        }
    }

    #[test]
    fn every_channel_of_eight_bits_is_packed() {
        for byte in 0..=255u16 {
            let value = f32::from(byte) / 255.0;
            let vertex = WindowVertex { x: 1, y: -1, z: 0.5, rcp_w: 1.0, outputs: &[] };
            let (size, words) = store::<u16>(&vertex, &[value, 1.0 - value.round(), value]);
            assert_eq!(size, 3, "{byte}");
            let last = Vertex::new(&words);
            assert_eq!(last.first_varyings(), [value, 1.0 - value.round(), value]);
            assert_eq!((last.position().z, last.position().rcp_w), (0.5, 1.0));
        }
    }
}
