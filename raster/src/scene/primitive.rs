//! A binned primitive: three vertex references and a word of facts.

use super::arena::{Arena, Full};
use crate::profile::SceneId;

/// What a bin entry is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Triangle,
    Line,
    Point,
    /// Not a primitive: a clear of the whole framebuffer between draws; vertex 0 is its index.
    Clear,
}

/// One entry of the bins.
///
/// Stored in two words where ids are `u16` (id0 id1, id2 meta), in four where they are `u32`.
/// Meta: kind in bits 0–1, front facing in bit 2, provoking vertex in bits 3–4, draw from bit 5.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Primitive {
    pub(crate) kind: Kind,
    pub(crate) front: bool,
    pub(crate) provoking: u8,
    pub(crate) draw: u32,
    pub(crate) vertices: [u32; 3],
}

const DRAW_SHIFT: u32 = 5;

impl Primitive {
    /// Draws that entries with ids of type `I` can tell apart.
    pub(crate) const fn max_draws<I: SceneId>() -> usize {
        if I::BYTES == 2 { 1 << (16 - DRAW_SHIFT) } else { 1 << (32 - DRAW_SHIFT) }
    }

    /// Stores the entry and returns where.
    #[inline]
    pub(crate) fn store<I: SceneId>(&self, arena: &mut Arena<'_>) -> Result<u32, Full> {
        let meta = self.kind as u32
            | u32::from(self.front) << 2
            | u32::from(self.provoking) << 3
            | self.draw << DRAW_SHIFT;
        let [a, b, c] = self.vertices;
        if I::BYTES == 2 {
            let at = arena.reserve(2, I::MAX)?;
            if let [first, second] = arena.get_mut(at, 2) {
                *first = a | b << 16;
                *second = c | meta << 16;
            }
            Ok(at as u32)
        } else {
            let at = arena.reserve(4, I::MAX)?;
            if let [first, second, third, fourth] = arena.get_mut(at, 4) {
                (*first, *second, *third, *fourth) = (a, b, c, meta);
            }
            Ok(at as u32)
        }
    }

    /// Reads the entry at `at`.
    #[inline]
    pub(crate) fn load<I: SceneId>(arena: &Arena<'_>, at: u32) -> Option<Primitive> {
        let (vertices, meta) = if I::BYTES == 2 {
            let &[first, second, ..] = arena.from(at as usize) else { return None };
            ([first & 0xffff, first >> 16, second & 0xffff], second >> 16)
        } else {
            let &[a, b, c, meta, ..] = arena.from(at as usize) else { return None };
            ([a, b, c], meta)
        };
        let kind = match meta & 3 {
            0 => Kind::Triangle,
            1 => Kind::Line,
            2 => Kind::Point,
            _ => Kind::Clear,
        };
        let (front, provoking) = (meta & 4 != 0, (meta >> 3 & 3) as u8);
        Some(Primitive { kind, front, provoking, draw: meta >> DRAW_SHIFT, vertices })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use os_shim::memory::Memory;

    fn round_trip<I: SceneId>(draw: u32) {
        let mut arena = Arena::new(64, Memory::system()).unwrap();
        for (kind, front, provoking) in [
            (Kind::Triangle, true, 2),
            (Kind::Line, false, 1),
            (Kind::Point, true, 0),
            (Kind::Clear, false, 0),
        ] {
            let entry = Primitive { kind, front, provoking, draw, vertices: [1, 0xfffe, 77] };
            let at = entry.store::<I>(&mut arena).unwrap();
            assert_eq!(Primitive::load::<I>(&arena, at), Some(entry));
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
        let mut arena = Arena::new(4, Memory::system()).unwrap();
        let entry = Primitive {
            kind: Kind::Point,
            front: true,
            provoking: 0,
            draw: 0,
            vertices: [1, 2, 3],
        };
        assert!(entry.store::<u16>(&mut arena).is_ok());
        assert_eq!(entry.store::<u16>(&mut arena), Err(Full));
    }
}
