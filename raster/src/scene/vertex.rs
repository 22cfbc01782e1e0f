//! A vertex in the scene: whole words, or packed words where packing is lossless.
//!
//! | form | when | words |
//! |---|---|---|
//! | wide | always | x and form, y, z, 1/w, varyings |
//! | short | w is 1, x and y within ± 1024 pixels, 0 ≤ z < 2 | x and form, y, z, varyings |
//! | packed | also, the first 3 varyings are 8-bit channels | x, y, z with these, other varyings |
//!
//! Each varying takes one word, but the three channels of a packed vertex fill spare bits. Reading
//! returns the written bits in every form, so pixels do not depend on the form. Only scenes with
//! 16-bit ids pack, because these are the scenes in little memory.

use draw::sink::WindowVertex;
use os_shim::Vec;

use super::{Arena, Full, Varying};
use crate::profile::SceneId;
use crate::setup::{Point, PointRule, Position};

/// Words of a wide vertex before its varyings.
const WIDE_WORDS: usize = 4;
/// Words of a short or packed vertex before its varyings.
const SHORT_WORDS: usize = 3;
/// Varyings that take no separate words in a packed vertex.
pub(crate) const PACKED_VARYINGS: usize = 3;

/// The form, in the two lowest bits of the first word. Bit 0 is set in the short forms. Bit 1 is
/// set if all of the first [`PACKED_VARYINGS`] are known to be numbers from 0 to 1: in a wide
/// vertex if they are, in a short one if they are packed.
const FORM: u32 = 3;
const WIDE: u32 = 0;
const WIDE_COLOR: u32 = 2;
const SHORT: u32 = 1;
const PACKED: u32 = 3;

/// Returns true if this is the first word of a wide vertex.
#[inline(always)]
fn is_wide(first: u32) -> bool {
    first & 1 == 0
}

/// Returns true if these bits are a float from 0 to 1; -0 is not.
#[inline(always)]
pub(crate) fn is_channel(bits: u32) -> bool {
    // The bits of non-negative floats are ordered like the floats; the bits of negative ones are
    // greater.
    bits <= 1.0f32.to_bits()
}

/// The lowest bit of a Q11.8 position in a word of the short forms. A packed vertex uses the bits
/// below. Word 0: the form, the third byte's low 3 bits, the first byte. Word 1: the second byte,
/// the third byte's high 5 bits.
const PLACE_SHIFT: u32 = 13;

/// Returns the float of an 8-bit channel, computed as vertex fetch does.
#[inline(always)]
fn from_byte(byte: u32) -> f32 {
    os_shim::math::unorm8(byte)
}

/// Returns channel `index` of a packed vertex that begins with these words.
#[inline(always)]
fn channel([a, b]: [u32; 2], index: usize) -> f32 {
    from_byte(match index {
        0 => a >> 5 & 0xff,
        1 => b & 0xff,
        _ => (b >> 8 & 0x1f) << 3 | a >> 2 & 7,
    })
}

/// Returns the 8-bit channel that equals a float exactly, if there is one.
#[inline(always)]
fn to_byte(value: f32) -> Option<u32> {
    // 1.5 * 2^23; floats of this size are integers. If the value is not a channel, the low bits are
    // some other byte, and the comparison fails.
    let byte = (value * 255.0 + 12_582_912.0).to_bits() & 0xff;
    (from_byte(byte).to_bits() == value.to_bits()).then_some(byte)
}

/// The outputs that the vertices of a draw keep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VertexLayout {
    /// The range in the scene's varyings.
    first: usize,
    count: usize,
    /// The first output kept, if the first three are consecutive outputs, like the channels of a
    /// colour.
    run: usize,
}

impl VertexLayout {
    /// Returns the layout of the range of `varyings` from `first` on.
    pub(crate) fn new(varyings: &[Varying], (first, count): (u32, u32)) -> VertexLayout {
        let (first, count) = (first as usize, count as usize);
        let mut layout = VertexLayout { first, count, run: usize::MAX };
        if let [a, b, c, ..] = layout.of(varyings)
            && b.source == a.source + 1
            && c.source == b.source + 1
        {
            layout.run = a.source.into();
        }
        layout
    }

    /// Returns the number of varyings.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns the draw's part of all `varyings`.
    #[inline(always)]
    pub(super) fn of<'a>(&self, varyings: &'a [Varying]) -> &'a [Varying] {
        let from = varyings.get(self.first..);
        from.and_then(|from| from.get(..self.count)).unwrap_or(&[])
    }

    /// Returns the first varyings as bytes, if all of them are exactly 8-bit channels.
    #[inline(always)]
    fn bytes(
        &self,
        outputs: &[[f32; 4]],
        varyings: &Vec<'_, Varying>,
    ) -> Option<[u32; PACKED_VARYINGS]> {
        let run = outputs.as_flattened().get(self.run..).and_then(<[f32]>::first_chunk);
        match run {
            Some(&[a, b, c]) => Some([to_byte(a)?, to_byte(b)?, to_byte(c)?]),
            None => self.scattered(outputs, varyings),
        }
    }

    /// Returns the bytes of varyings that are not consecutive outputs.
    #[inline(never)]
    fn scattered(
        &self,
        outputs: &[[f32; 4]],
        varyings: &Vec<'_, Varying>,
    ) -> Option<[u32; PACKED_VARYINGS]> {
        let mut bytes = [0; PACKED_VARYINGS];
        let varyings: &[Varying; PACKED_VARYINGS] = self.of(varyings).first_chunk()?;
        for (byte, varying) in bytes.iter_mut().zip(varyings) {
            *byte = to_byte(varying.of(outputs))?;
        }
        Some(bytes)
    }
}

/// A stored vertex: the arena's words from its first on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex<'a> {
    words: &'a [u32],
}

impl<'a> Vertex<'a> {
    /// Makes a vertex from the words that begin with it.
    #[inline(always)]
    pub(crate) fn new(words: &'a [u32]) -> Vertex<'a> {
        Vertex { words }
    }

    /// Stores a vertex and the `varyings` that its draw keeps; returns its index.
    #[inline(always)]
    pub(crate) fn store<I: SceneId>(
        arena: &mut Arena<'_>,
        vertex: &WindowVertex<'_>,
        layout: &VertexLayout,
        varyings: &Vec<'_, Varying>,
    ) -> Result<u32, Full> {
        // ± 1024 pixels.
        const NEAR: i32 = 1 << (31 - PLACE_SHIFT);
        // The number of varyings without a separate word.
        let mut packed = 0;
        // The first word, if the vertex is wide.
        let mut wide = None;
        let (x, y, z) = (vertex.x, vertex.y, vertex.z.to_bits());
        let far = (x.wrapping_add(NEAR) | y.wrapping_add(NEAR)) as u32 >> (32 - PLACE_SHIFT);
        let (at, words) =
            if I::BYTES > 2 || vertex.rcp_w.to_bits() != 1.0f32.to_bits() || far | z >> 30 != 0 {
                let (at, words) = arena.take(WIDE_WORDS + layout.count)?;
                let Some((head, rest)) = words.split_first_chunk_mut() else { return Err(Full) };
                *head = [(x << 2) as u32 | WIDE, y as u32, z, vertex.rcp_w.to_bits()];
                let [first, ..] = head;
                wide = Some(first);
                (at, rest)
            } else {
                let mut head = [(x << PLACE_SHIFT) as u32, (y << PLACE_SHIFT) as u32, z];
                match layout.bytes(vertex.outputs, varyings) {
                    Some([a, b, c]) => {
                        head[0] |= a << 5 | (c & 7) << 2 | PACKED;
                        head[1] |= c >> 3 << 8 | b;
                        packed = PACKED_VARYINGS;
                    }
                    None => head[0] |= SHORT,
                }
                let (at, words) = arena.take(SHORT_WORDS + layout.count - packed)?;
                let Some((to, rest)) = words.split_first_chunk_mut() else { return Err(Full) };
                *to = head;
                (at, rest)
            };
        if !words.is_empty() {
            let varyings = layout.of(varyings).get(packed..).unwrap_or(&[]);
            for (word, varying) in words.iter_mut().zip(varyings) {
                *word = varying.of(vertex.outputs).to_bits();
            }
            if let Some(first) = wide
                && let Some(varyings) = words.first_chunk::<PACKED_VARYINGS>()
                && varyings.iter().all(|bits| is_channel(*bits))
            {
                *first |= WIDE_COLOR;
            }
        }
        Ok(at as u32)
    }

    /// Returns the vertex with this id.
    #[inline(always)]
    pub(crate) fn at(arena: &'a Arena<'_>, id: u32) -> Vertex<'a> {
        Vertex::new(arena.from(id as usize))
    }

    /// Returns the number of words of the vertex, in a draw with `varyings` varyings.
    #[inline(always)]
    pub(crate) fn size(self, varyings: usize) -> usize {
        match self.words.first().map_or(WIDE, |first| first & FORM) {
            WIDE | WIDE_COLOR => WIDE_WORDS + varyings,
            SHORT => SHORT_WORDS + varyings,
            _ => SHORT_WORDS + varyings.saturating_sub(PACKED_VARYINGS),
        }
    }

    /// Returns window x and y, Q24.8.
    #[inline(always)]
    pub(crate) fn place(self) -> [i32; 2] {
        let &[x, y, ..] = self.words else { return [0; 2] };
        if is_wide(x) {
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
        if is_wide(first) {
            rcp_w = self.words.get(3).map_or(1.0, |bits| f32::from_bits(*bits));
        }
        Position { x, y, z: f32::from_bits(z), rcp_w }
    }

    /// Returns a varying of the vertex.
    #[inline(always)]
    pub(crate) fn varying(self, index: usize) -> f32 {
        let &[a, b, ..] = self.words else { return 0.0 };
        let at = match a & FORM {
            WIDE | WIDE_COLOR => WIDE_WORDS + index,
            SHORT => SHORT_WORDS + index,
            // Constant indices: the compiler then knows the bits of each channel.
            _ => match index {
                0 => return channel([a, b], 0),
                1 => return channel([a, b], 1),
                2 => return channel([a, b], 2),
                _ => index,
            },
        };
        self.words.get(at).map_or(0.0, |bits| f32::from_bits(*bits))
    }

    /// Returns the bits of the varyings, followed by later words of the arena; `None` for a packed
    /// vertex.
    #[inline(always)]
    pub(crate) fn varyings(self) -> Option<&'a [u32]> {
        match self.words.first()? & FORM {
            WIDE | WIDE_COLOR => self.words.get(WIDE_WORDS..),
            SHORT => self.words.get(SHORT_WORDS..),
            _ => None,
        }
    }

    /// Returns the point that a draw with this rule makes of the vertex.
    pub(crate) fn point(self, rule: &PointRule) -> Point {
        rule.at(self.place(), rule.varying.map(|at| self.varying(at as usize)))
    }

    /// Returns the vertex's words, if it is packed.
    #[inline(always)]
    fn packed(self) -> Option<PackedVertex> {
        PackedVertex::of(self.words.first_chunk()?)
    }

    /// Returns the first three varyings. Varyings that the draw does not have are arbitrary.
    #[inline(always)]
    pub(crate) fn first_varyings(self) -> [f32; PACKED_VARYINGS] {
        if let Some(packed) = self.packed() {
            return packed.channels();
        }
        let at = match *self.words {
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

/// The words of a packed vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedVertex {
    x: u32,
    y: u32,
    /// The bits of the vertex's depth.
    pub(crate) z: u32,
}

impl PackedVertex {
    /// Returns the vertex with this id, if it is packed.
    #[inline(always)]
    pub(crate) fn at(arena: &Arena<'_>, id: u32) -> Option<PackedVertex> {
        PackedVertex::of(arena.get(id as usize, SHORT_WORDS).first_chunk()?)
    }

    #[inline(always)]
    fn of(&[x, y, z]: &[u32; SHORT_WORDS]) -> Option<PackedVertex> {
        (x & FORM == PACKED).then_some(PackedVertex { x, y, z })
    }

    /// Returns window x and y, Q24.8.
    #[inline(always)]
    pub(crate) fn place(self) -> [i32; 2] {
        [self.x as i32 >> PLACE_SHIFT, self.y as i32 >> PLACE_SHIFT]
    }

    /// Returns the first varyings: 8-bit channels, and so from 0 to 1.
    #[inline(always)]
    pub(crate) fn channels(self) -> [f32; PACKED_VARYINGS] {
        let words = [self.x, self.y];
        [channel(words, 0), channel(words, 1), channel(words, 2)]
    }
}

/// The words of a wide vertex. Its first varyings are numbers from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideVertex<'a> {
    words: &'a [u32; WIDE_WORDS + PACKED_VARYINGS],
}

impl<'a> WideVertex<'a> {
    /// Returns three vertices of the arena if all have this form.
    #[inline(always)]
    pub(crate) fn three(arena: &'a Arena<'_>, [a, b, c]: [u32; 3]) -> Option<[WideVertex<'a>; 3]> {
        let at = |id: u32| arena.get(id as usize, WIDE_WORDS + PACKED_VARYINGS).first_chunk();
        let (a, b, c) = (at(a)?, at(b)?, at(c)?);
        let [first, second, third] = [a[0], b[0], c[0]];
        // Comparing arrays would be a call.
        let forms = first & second & third & WIDE_COLOR | (first | second | third) & 1;
        (forms == WIDE_COLOR).then_some([a, b, c].map(|words| WideVertex { words }))
    }

    /// Returns window x and y, Q24.8.
    #[inline(always)]
    pub(crate) fn place(self) -> [i32; 2] {
        [self.words[0] as i32 >> 2, self.words[1] as i32]
    }

    /// Returns the bits of the vertex's depth.
    #[inline(always)]
    pub(crate) fn z(self) -> u32 {
        self.words[2]
    }

    /// Returns 1 / clip w.
    #[inline(always)]
    pub(crate) fn rcp_w(self) -> f32 {
        f32::from_bits(self.words[3])
    }

    /// Returns the first varyings.
    #[inline(always)]
    pub(crate) fn channels(self) -> [f32; PACKED_VARYINGS] {
        let [_, _, _, _, a, b, c] = *self.words;
        [f32::from_bits(a), f32::from_bits(b), f32::from_bits(c)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::VaryingMode;
    use os_shim::memory::Memory;
    use tgsi::program::Row;

    fn store<I: SceneId>(arena: &mut Arena<'_>, vertex: WindowVertex<'_>, values: [f32; 4]) -> u32 {
        let varying = |component| Varying {
            source: Varying::source(1, component),
            mode: VaryingMode::Linear,
            sprite: false,
            centroid: crate::features::Only::new(false),
            row: Row::NONE,
        };
        let vertex = WindowVertex { outputs: &[[9.0; 4], values], ..vertex };
        let mut varyings = Vec::new_in(Memory::system());
        [0, 1, 2, 3].into_iter().for_each(|i| varyings.try_push(varying(i)).unwrap());
        let layout = VertexLayout::new(&varyings, (0, 4));
        assert_eq!(layout.run, 4);
        let at = Vertex::store::<I>(arena, &vertex, &layout, &varyings).unwrap();
        // The order of outputs must not change the stored words.
        let words = arena.from(at as usize).to_vec();
        arena.clear();
        let layout = VertexLayout { run: usize::MAX, ..layout };
        assert_eq!(Vertex::store::<I>(arena, &vertex, &layout, &varyings), Ok(at));
        assert_eq!(arena.from(at as usize), words);
        at
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
            for (store, wanted) in [store::<u16>, store::<u32>].into_iter().zip(words) {
                let mut arena = Arena::new(16, usize::MAX, Memory::system()).unwrap();
                let at = store(&mut arena, vertex, varyings);
                let size = arena.used() - at as usize;
                assert_eq!(size, wanted, "{vertex:?} {varyings:?}");
                let back = Vertex::at(&arena, at);
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
            let mut arena = Arena::new(16, usize::MAX, Memory::system()).unwrap();
            let at = store::<u16>(&mut arena, vertex, [value, 1.0 - value.round(), value, value]);
            assert_eq!(arena.used() - at as usize, 4, "{byte}");
            let last = Vertex::at(&arena, at);
            assert_eq!(last.first_varyings(), [value, 1.0 - value.round(), value]);
            assert_eq!((last.position().z, last.position().rcp_w), (0.5, 1.0));
        }
    }
}
