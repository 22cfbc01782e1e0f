//! The vertex cache: which vertices wait to be shaded, and which shaded ones are still here.
//!
//! Slots come in two halves. New vertices fill one half while the other keeps what was shaded
//! before, for later primitives to find. When the half is full, its vertices are shaded together,
//! its primitives go on, and the halves change places:
//!
//! ```text
//!   half 0  [ a b c d e f g h ]  shaded, can be found     half 0  [ k l . . . . . . ]  filling
//!   half 1  [ i j . . . . . . ]  filling                  half 1  [ i j ... ]  shaded, can be found
//! ```
//!
//! So lanes are full, a vertex is shaded once as long as its uses stay within a half's distance,
//! and a primitive never waits for a slot. Primitives refer to slots of either half.

use crate::assemble::Primitive;
use crate::sink::VertexId;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

/// One vertex: what it was made from, and where it is in the window once it is shaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The vertex's index, bias added.
    pub(crate) index: u32,
    /// Which planes it lies outside of, and flags: see [`crate::code`].
    pub(crate) code: u32,
    /// Where it is in the window; meaningless outside a clip plane.
    pub(crate) window: Window,
    /// The sink's name for it, once it has one (`code` says).
    pub(crate) id: VertexId,
}

/// A place in the window.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Window {
    /// Q24.8.
    pub(crate) x: i32,
    /// Q24.8.
    pub(crate) y: i32,
    pub(crate) z: f32,
    pub(crate) rcp_w: f32,
}

/// A vertex's slot.
pub(crate) type SlotIndex = u16;

/// Slots, the table that finds them, and the primitives that wait for them.
pub(crate) struct Segment<'m> {
    pub(crate) slots: Vec<'m, Slot>,
    /// Direct-mapped by the index's hash; an entry may be stale, so a find is always checked.
    table: Vec<'m, SlotIndex>,
    /// Takes a hash down to an entry of the table.
    shift: u32,
    primitives: Vec<'m, Primitive<SlotIndex>>,
    /// Slots in a half.
    half: usize,
    /// Where the filling half begins: 0 or `half`.
    base: usize,
    /// How many of the filling half's slots are taken, and how many of those are shaded.
    filled: usize,
    shaded: usize,
    /// How many of the other half's slots can be found.
    previous: usize,
}

impl<'m> Segment<'m> {
    /// Allocates for `half` new vertices at a time (at least 3, at most 16384).
    pub(crate) fn new(memory: Memory<'m>, half: usize) -> Result<Self, OutOfMemory> {
        let half = half.clamp(3, 1 << 14);
        let origin = Window { x: 0, y: 0, z: 0.0, rcp_w: 0.0 };
        let empty = Slot { index: 0, code: 0, window: origin, id: VertexId(0) };
        let mut slots = Vec::new_in(memory);
        slots.try_resize(2 * half, empty)?;
        let mut table = Vec::new_in(memory);
        // Twice as many entries as slots keeps most finds apart.
        table.try_resize((4 * half).next_power_of_two(), 0)?;
        let shift = 32 - table.len().trailing_zeros();
        // A mesh has up to two triangles a vertex.
        let primitives = Vec::try_with_capacity_in(2 * half, memory)?;
        Ok(Segment {
            slots,
            table,
            shift,
            primitives,
            half,
            base: 0,
            filled: 0,
            shaded: 0,
            previous: 0,
        })
    }

    /// Slots in both halves.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Forgets all vertices: another instance or another draw begins.
    pub(crate) fn clear(&mut self) {
        (self.filled, self.shaded, self.previous) = (0, 0, 0);
        self.primitives.clear();
    }

    /// Adds a primitive, with slots for those of its vertices that have none.
    ///
    /// `false` when there is no room: shade, draw, [`advance`](Self::advance), then add it again.
    #[inline]
    pub(crate) fn add(&mut self, primitive: Primitive<u32>) -> bool {
        let count = usize::from(primitive.count);
        // Whether the vertices fit is only known at the end; a slot too many is no harm.
        if self.filled + count > self.half || self.primitives.len() == self.primitives.capacity() {
            let found = |&v: &u32| self.find(v).is_some();
            let all_found = primitive.vertices.iter().take(count).all(found);
            if !all_found || self.primitives.len() == self.primitives.capacity() {
                return false;
            }
        }
        let [a, b, c] = primitive.vertices;
        let first = self.slot_of(a);
        let second = if count > 1 { self.slot_of(b) } else { first };
        let third = if count > 2 { self.slot_of(c) } else { second };
        let slots = Primitive {
            vertices: [first, second, third],
            count: primitive.count,
            provoking: primitive.provoking,
            edges: primitive.edges,
        };
        self.primitives.push_within_capacity(slots).is_ok()
    }

    /// All slots, and the primitives that wait.
    pub(crate) fn parts(&mut self) -> (&mut [Slot], &[Primitive<SlotIndex>]) {
        (&mut self.slots, &self.primitives)
    }

    /// The slots that wait to be shaded.
    pub(crate) fn unshaded(&self) -> core::ops::Range<usize> {
        self.base + self.shaded..self.base + self.filled
    }

    /// All waiting slots are shaded and all waiting primitives drawn.
    pub(crate) fn advance(&mut self) {
        self.primitives.clear();
        self.shaded = self.filled;
        // A half with room left goes on filling: it was the primitives that had none.
        if self.filled + 3 > self.half {
            self.previous = self.filled;
            self.base = self.half - self.base;
            (self.filled, self.shaded) = (0, 0);
        }
    }

    #[inline(always)]
    fn entry(&self, index: u32) -> usize {
        // Fibonacci hashing: runs of indices spread evenly, and so do rows of a grid.
        (index.wrapping_mul(0x9e37_79b1) >> self.shift) as usize
    }

    /// Whether `slot` holds a vertex of this draw.
    #[inline(always)]
    fn live(&self, slot: usize) -> bool {
        let filling = slot.wrapping_sub(self.base);
        let other = slot.wrapping_sub(self.half - self.base);
        filling < self.filled || other < self.previous
    }

    #[inline(always)]
    fn find(&self, index: u32) -> Option<SlotIndex> {
        let slot = *self.table.get(self.entry(index))?;
        let holds = self.slots.get(usize::from(slot))?.index == index;
        (holds && self.live(usize::from(slot))).then_some(slot)
    }

    /// Finds `index`, or gives it the next slot. The caller has seen to it that there is one.
    #[inline(always)]
    fn slot_of(&mut self, index: u32) -> SlotIndex {
        if let Some(slot) = self.find(index) {
            return slot;
        }
        let place = self.base + self.filled;
        debug_assert!(self.filled < self.half, "no room in the segment");
        self.filled += 1;
        let entry = self.entry(index);
        if let (Some(slot), Some(entry)) = (self.slots.get_mut(place), self.table.get_mut(entry)) {
            slot.index = index;
            slot.code = 0;
            *entry = place as SlotIndex;
        }
        place as SlotIndex
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(half: usize) -> Segment<'static> {
        Segment::new(Memory::system(), half).expect("the host has memory")
    }

    #[test]
    fn shared_vertices_have_one_slot() {
        let mut s = segment(8);
        assert!(s.add(Primitive::triangle(10, 11, 12, 0)));
        assert!(s.add(Primitive::triangle(12, 11, 13, 0)));
        assert_eq!(s.unshaded(), 0..4);
        assert_eq!(s.primitives[0].vertices, [0, 1, 2]);
        assert_eq!(s.primitives[1].vertices, [2, 1, 3]);
    }

    #[test]
    fn the_previous_half_is_found_and_the_one_before_is_not() {
        let mut s = segment(4);
        assert!(s.add(Primitive::triangle(0, 1, 2, 0)));
        assert!(!s.add(Primitive::triangle(3, 4, 5, 0)));
        s.advance();
        assert_eq!(s.unshaded(), 4..4);
        assert!(s.add(Primitive::triangle(2, 1, 3, 0)));
        assert_eq!(s.primitives[0].vertices, [2, 1, 4], "0, 1 and 2 are still there");
        assert!(s.add(Primitive::triangle(4, 5, 6, 0)));
        assert!(!s.add(Primitive::triangle(7, 8, 9, 0)));
        s.advance();
        assert_eq!(s.unshaded(), 0..0);
        assert!(s.add(Primitive::triangle(3, 0, 1, 0)));
        assert_eq!(s.primitives[0].vertices, [4, 0, 1], "0 and 1 are shaded again");
        assert_eq!(s.unshaded(), 0..2);
    }

    #[test]
    fn a_primitive_of_known_vertices_needs_no_room() {
        let mut s = segment(3);
        assert!(s.add(Primitive::triangle(0, 1, 2, 0)));
        assert!(s.add(Primitive::triangle(2, 1, 0, 0)));
        assert!(!s.add(Primitive::triangle(2, 1, 3, 0)));
    }

    #[test]
    fn full_of_primitives_keeps_its_vertices() {
        let mut s = segment(16);
        let t = Primitive::triangle(0, 1, 2, 0);
        let mut added = 0;
        while s.add(t) {
            added += 1;
        }
        assert_eq!(added, 32);
        assert_eq!(s.unshaded(), 0..3);
        s.advance();
        assert!(s.add(t));
        assert_eq!(s.unshaded(), 3..3, "nothing to shade twice");
    }

    #[test]
    fn clear_forgets() {
        let mut s = segment(8);
        assert!(s.add(Primitive::point(5)));
        s.clear();
        assert!(s.primitives.is_empty());
        assert!(s.add(Primitive::point(5)));
        assert_eq!(s.unshaded(), 0..1);
    }
}
