//! A binned primitive: three vertex ids and a word of properties.

use super::Vertex;
use super::arena::{Arena, Full};
use crate::profile::SceneId;

/// The kind of a bin entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Triangle,
    Line,
    Point,
    /// A clear of the whole framebuffer between draws; vertex 0 is the index of the clear.
    Clear,
}

/// One entry of the bins.
///
/// With `u32` ids an entry takes four words. With `u16` ids it takes two (id0 meta, id1 id2), or
/// only the first if its triangle's vertices are adjacent in the arena.
///
/// Meta: class in bits 0–1, front facing in bit 2, draw from bit 5. Bits 3–4 are the provoking
/// vertex of triangles and the kind of other entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Primitive {
    pub(crate) kind: Kind,
    pub(crate) front: bool,
    /// The provoking vertex, 0 to 2; 2 for lines, points and clears.
    pub(crate) provoking: u8,
    pub(crate) draw: u32,
    pub(crate) vertices: [u32; 3],
}

const DRAW_SHIFT: u32 = 5;

/// A triangle.
const TRIANGLE: u32 = 0;
/// A triangle with three adjacent vertices in the arena.
const ROW: u32 = 1;
/// A line, a point or a clear.
const OTHER: u32 = 2;
const CLASS: u32 = 3;

impl Primitive {
    /// Returns the number of draws that entries with ids of type `I` can distinguish.
    pub(crate) const fn max_draws<I: SceneId>() -> usize {
        if I::BYTES == 2 { 1 << (16 - DRAW_SHIFT) } else { 1 << (32 - DRAW_SHIFT) }
    }

    /// Stores the entry and returns its index. `in_row` is true if its vertices are adjacent in the
    /// arena, in order.
    #[inline(always)]
    pub(crate) fn store<I: SceneId>(
        &self,
        arena: &mut Arena<'_>,
        in_row: bool,
    ) -> Result<u32, Full> {
        let (class, detail) = match self.kind {
            Kind::Triangle if I::BYTES == 2 && in_row => (ROW, u32::from(self.provoking)),
            Kind::Triangle => (TRIANGLE, u32::from(self.provoking)),
            Kind::Line => (OTHER, 0),
            Kind::Point => (OTHER, 1),
            Kind::Clear => (OTHER, 2),
        };
        let meta = class | u32::from(self.front) << 2 | detail << 3 | self.draw << DRAW_SHIFT;
        let [a, b, c] = self.vertices;
        let count = match (I::BYTES, class) {
            (2, ROW) => 1,
            (2, _) => 2,
            _ => 4,
        };
        let (at, words) = arena.take(count)?;
        // Copying a slice would be a call, for one or two words.
        match words {
            [first] => *first = a | meta << 16,
            [first, second] => (*first, *second) = (a | meta << 16, b | c << 16),
            [first, second, third, fourth] => {
                (*first, *second, *third, *fourth) = (a, meta, b, c);
            }
            _ => {}
        }
        Ok(at as u32)
    }

    /// Returns true if the vertices are adjacent in the arena, in order. Their draw has `varyings`
    /// varyings.
    #[inline(always)]
    pub(crate) fn is_in_row<I: SceneId>(&self, arena: &Arena<'_>, varyings: usize) -> bool {
        let [a, b, c] = self.vertices;
        I::BYTES == 2 && after(arena, a, varyings) == b && after(arena, b, varyings) == c
    }

    /// Reads the entry at `at`; `varyings` returns the number of varyings of a draw.
    #[inline]
    pub(crate) fn load<I: SceneId>(
        arena: &Arena<'_>,
        at: u32,
        varyings: impl FnOnce(u32) -> usize,
    ) -> Option<Primitive> {
        let word = |index| arena.from(at as usize + index).first().copied();
        let first = word(0)?;
        let (a, meta) =
            if I::BYTES == 2 { (first & 0xffff, first >> 16) } else { (first, word(1)?) };
        let detail = meta >> 3 & 3;
        let (kind, provoking) = match (meta & CLASS, detail) {
            (TRIANGLE | ROW, provoking) => (Kind::Triangle, provoking as u8),
            (_, 0) => (Kind::Line, 2),
            (_, 1) => (Kind::Point, 2),
            _ => (Kind::Clear, 2),
        };
        let (front, draw) = (meta & 4 != 0, meta >> DRAW_SHIFT);
        let vertices = if I::BYTES > 2 {
            [a, word(2)?, word(3)?]
        } else if meta & CLASS == ROW {
            let varyings = varyings(draw);
            let b = after(arena, a, varyings);
            [a, b, after(arena, b, varyings)]
        } else {
            let second = word(1)?;
            [a, second & 0xffff, second >> 16]
        };
        Some(Primitive { kind, front, provoking, draw, vertices })
    }
}

/// Returns the id of the word that follows a vertex.
#[inline(always)]
fn after(arena: &Arena<'_>, id: u32, varyings: usize) -> u32 {
    id + Vertex::at(arena, id).size(varyings) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use os_shim::memory::Memory;

    fn round_trip<I: SceneId>(draw: u32) {
        let mut arena = Arena::new(64, usize::MAX, Memory::system()).unwrap();
        for (kind, front, provoking) in [
            (Kind::Triangle, true, 2),
            (Kind::Triangle, false, 0),
            (Kind::Line, false, 2),
            (Kind::Point, true, 2),
            (Kind::Clear, false, 2),
        ] {
            let entry = Primitive { kind, front, provoking, draw, vertices: [1, 0xfffe, 77] };
            let at = entry.store::<I>(&mut arena, false).unwrap();
            assert_eq!(Primitive::load::<I>(&arena, at, |_| 3), Some(entry));
        }
    }

    #[test]
    fn entries_come_back() {
        round_trip::<u16>(2047);
        round_trip::<u32>(123_456);
        assert_eq!(Primitive::max_draws::<u16>(), 2048);
    }

    #[test]
    fn a_full_arena_says_so() {
        let mut arena = Arena::new(4, usize::MAX, Memory::system()).unwrap();
        let entry = Primitive {
            kind: Kind::Point,
            front: true,
            provoking: 0,
            draw: 0,
            vertices: [1, 2, 3],
        };
        assert!(entry.store::<u16>(&mut arena, false).is_ok());
        assert_eq!(entry.store::<u16>(&mut arena, false), Err(Full));
    }

    #[test]
    fn vertices_in_a_row_need_no_ids_but_the_first() {
        // The arena's stale words read as wide vertices: four words and two varyings, so six words
        // each.
        let mut arena = Arena::new(64, usize::MAX, Memory::system()).unwrap();
        let first = arena.reserve(18).unwrap() as u32;
        for (vertices, words) in [
            ([first, first + 6, first + 12], 1),
            ([first + 6, first + 12, first], 2),
            ([first, first + 6, first + 6], 2),
        ] {
            let (kind, front, provoking) = (Kind::Triangle, true, 1);
            let entry = Primitive { kind, front, provoking, draw: 9, vertices };
            let before = arena.used();
            let in_row = entry.is_in_row::<u16>(&arena, 2);
            let at = entry.store::<u16>(&mut arena, in_row).unwrap();
            assert_eq!(arena.used() - before, words);
            let varyings = |draw| if draw == 9 { 2 } else { 0 };
            assert_eq!(Primitive::load::<u16>(&arena, at, varyings), Some(entry));
        }
    }
}
