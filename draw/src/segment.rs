//! The vertex cache: slots of vertices that wait to be shaded, and of shaded vertices that
//! primitives can still find.
//!
//! Slots come in two halves. New vertices fill one half, while the other half keeps the vertices
//! shaded before, for later primitives to find. When the filling half is full, its vertices are
//! shaded together, its primitives are drawn, and the halves swap roles:
//!
//! ```text
//!   half 0  [ a b c d e f g h ]  shaded, can be found     half 0  [ k l . . . . . . ]  filling
//!   half 1  [ i j . . . . . . ]  filling                  half 1  [ i j ... ] shaded, can be found
//! ```
//!
//! So lanes are full. A vertex is shaded once, as long as its uses are less than a half apart, and
//! a primitive never waits for a slot. Primitives may refer to slots of both halves.
//!
//! A hash table with one entry per place maps a vertex's index to its slot. A new vertex overwrites
//! the entry of an earlier vertex with the same place. The earlier vertex can then no longer be
//! found, but its slot stays valid for the primitives that refer to it.

use crate::assemble::Primitive;
use crate::index::Indices;
use crate::vertex::{Slot, SlotIndex};
use core::alloc::Layout;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

/// An empty table entry: slots never reach `u16::MAX`.
const NOWHERE: SlotIndex = SlotIndex::MAX;

/// Slots, the table that finds them, and the primitives that wait for them.
pub(crate) struct Segment<'m> {
    pub(crate) slots: Vec<'m, Slot>,
    /// The vertex index of each slot, bias added.
    pub(crate) indices: Vec<'m, u32>,
    /// Direct-mapped by the index's hash. An entry may refer to a slot that has another vertex now,
    /// but never to a vertex of another draw.
    table: Vec<'m, SlotIndex>,
    /// The right shift that reduces a 32-bit hash to the number of a table entry.
    shift: u32,
    primitives: Vec<'m, Primitive<SlotIndex>>,
    /// The number of slots in a half.
    half: usize,
    /// The filling half's next free slot.
    next: usize,
    /// The end of the filling half.
    end: usize,
    /// The first slot of the filling half that waits to be shaded; `next` if none does.
    shaded: usize,
    /// Set if the other half has vertices of this draw, too.
    both: bool,
}

impl<'m> Segment<'m> {
    /// Allocates slots for `half` new vertices at a time (clamped to 3–16384).
    pub(crate) fn new(memory: Memory<'m>, half: usize) -> Result<Self, OutOfMemory> {
        let half = half.clamp(3, 1 << 14);
        let mut slots = Vec::new_in(memory);
        slots.try_resize(2 * half, Slot::INVALID)?;
        let mut indices = Vec::new_in(memory);
        indices.try_resize(2 * half, 0)?;
        let mut table = Vec::new_in(memory);
        // With twice as many entries as slots, few vertices collide.
        table.try_resize((4 * half).next_power_of_two(), NOWHERE)?;
        let shift = 32 - table.len().trailing_zeros();
        // A mesh has up to two triangles per vertex.
        let primitives = Vec::try_with_capacity_in(2 * half, memory)?;
        Ok(Segment {
            slots,
            indices,
            table,
            shift,
            primitives,
            half,
            next: 0,
            end: half,
            shaded: 0,
            both: false,
        })
    }

    /// Returns the blocks that [`new`](Self::new) requests, in order.
    pub(crate) fn blocks(half: usize) -> [Option<Layout>; 4] {
        let half = half.clamp(3, 1 << 14);
        [
            Vec::<Slot>::layout_for(2 * half),
            Vec::<u32>::layout_for(2 * half),
            Vec::<SlotIndex>::layout_for((4 * half).next_power_of_two()),
            Vec::<Primitive<SlotIndex>>::layout_for(2 * half),
        ]
    }

    /// Returns the number of slots in both halves.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Forgets all vertices, for another instance or another draw.
    pub(crate) fn clear(&mut self) {
        let base = self.end - self.half;
        let used = if self.both { 0..2 * self.half } else { base..self.next };
        // Resets the entries of all vertices of this draw, so that none is found again.
        for &index in self.indices.get(used).unwrap_or(&[]) {
            if let Some(entry) = self.table.get_mut(entry(index, self.shift)) {
                *entry = NOWHERE;
            }
        }
        (self.next, self.shaded, self.both) = (base, base, false);
        self.primitives.clear();
    }

    /// Returns true if there is room for a primitive and `count` new vertices.
    #[inline(always)]
    fn has_room(&self, count: usize) -> bool {
        self.next + count <= self.end && self.primitives.len() < self.primitives.capacity()
    }

    /// Adds a primitive, and slots for its new vertices.
    ///
    /// Returns `false` if there is no room: shade, draw, [`advance`](Self::advance), then add it
    /// again.
    pub(crate) fn add(&mut self, primitive: Primitive<u32>) -> bool {
        if !self.has_room(primitive.count.into()) {
            return self.add_last(primitive);
        }
        let slots = self.slots_of(primitive.vertices);
        self.primitives.push_within_capacity(primitive.over(slots)).is_ok()
    }

    /// Adds a list's triangles until `count` is 0; returns the first triangle without room.
    ///
    /// All triangles get the provoking vertex and edges of `triangle`.
    #[inline(never)]
    pub(crate) fn add_triangles(
        &mut self,
        indices: &mut Indices<'_>,
        bias: u32,
        count: &mut u32,
        triangle: Primitive<u32>,
    ) -> Option<Primitive<u32>> {
        // Locals stay in registers: a store to a slot might change the target of a reference.
        let mut run = *indices;
        let mut left = *count;
        let mut waiting = None;
        while left > 0 {
            left -= 1;
            // Not `map`: that compiles to a loop through memory.
            let [a, b, c] = run.three();
            let [a, b, c] = [a.wrapping_add(bias), b.wrapping_add(bias), c.wrapping_add(bias)];
            if self.has_room(3) {
                let slots = self.slots_of([a, b, c]);
                let added = self.primitives.push_within_capacity(triangle.over(slots)).is_ok();
                debug_assert!(added, "there was room");
            } else if !self.add_last(triangle.over([a, b, c])) {
                waiting = Some(triangle.over([a, b, c]));
                break;
            }
        }
        (*indices, *count) = (run, left);
        waiting
    }

    /// Adds a primitive if there may be fewer free slots than it has vertices. Returns `false`, and
    /// takes no slot, if there is no room.
    ///
    /// Finds all known vertices before it adds a new one, so it takes exactly as many slots as
    /// vertices are missing. A known vertex that loses its table entry to a new one still has its
    /// slot.
    #[cold]
    #[inline(never)]
    fn add_last(&mut self, primitive: Primitive<u32>) -> bool {
        let finder = self.finder();
        let known = primitive.vertices.map(|vertex| finder.find(vertex));
        let missing = known.iter().filter(|slot| slot.is_none()).count();
        if !self.has_room(missing) {
            return false;
        }
        let mut finder = self.finder();
        let mut slots = [0; 3];
        for ((slot, known), vertex) in slots.iter_mut().zip(known).zip(primitive.vertices) {
            *slot = match known {
                Some(known) => known,
                None => finder.slot_of(vertex),
            };
        }
        self.next = finder.next;
        self.primitives.push_within_capacity(primitive.over(slots)).is_ok()
    }

    /// Returns the slots of a primitive's vertices. New vertices get free slots.
    ///
    /// There must be [room](Self::has_room) for as many vertices as differ: a new vertex may take
    /// the table entry of a known one, which then gets a free slot, too. A vertex that repeats the
    /// vertex before it is always found.
    #[inline(always)]
    fn slots_of(&mut self, vertices: [u32; 3]) -> [SlotIndex; 3] {
        let mut finder = self.finder();
        let [a, b, c] = vertices;
        let slots = [finder.slot_of(a), finder.slot_of(b), finder.slot_of(c)];
        self.next = finder.next;
        slots
    }

    /// Makes sure that a half has room for the vertices of a group.
    #[cfg(feature = "stages")]
    pub(crate) fn hold_groups_of(&mut self, size: usize) -> Result<(), OutOfMemory> {
        if self.half < size {
            *self = Segment::new(self.slots.memory(), size)?;
        }
        Ok(())
    }

    /// Returns true if there is room for `size` new vertices.
    #[cfg(feature = "stages")]
    pub(crate) fn has_room_for_group(&self, size: usize) -> bool {
        self.next + size <= self.end
    }

    /// Calls `each` with the slots of a group's vertices, in order. There must be
    /// [room](Self::has_room_for_group) for all of them.
    #[cfg(feature = "stages")]
    pub(crate) fn add_group(&mut self, vertices: &[u32], mut each: impl FnMut(SlotIndex)) {
        let mut finder = self.finder();
        vertices.iter().for_each(|vertex| each(finder.slot_of(*vertex)));
        self.next = finder.next;
    }

    /// Returns all slots, and the primitives that wait to be drawn.
    pub(crate) fn parts(&mut self) -> (&mut [Slot], &[Primitive<SlotIndex>]) {
        (&mut self.slots, &self.primitives)
    }

    /// Returns the range of slots that wait to be shaded.
    pub(crate) fn unshaded(&self) -> core::ops::Range<usize> {
        self.shaded..self.next
    }

    /// Marks all waiting slots as shaded and all waiting primitives, of at most `size` vertices, as
    /// drawn.
    #[inline(always)]
    pub(crate) fn advance(&mut self, size: usize) {
        self.primitives.clear();
        // A half with free slots continues to fill: then the list of primitives was full instead.
        if self.next + size > self.end {
            self.next = if self.end == self.half { self.half } else { 0 };
            self.end = self.next + self.half;
            self.both = true;
        }
        self.shaded = self.next;
    }

    #[inline(always)]
    fn finder(&mut self) -> Finder<'_> {
        Finder {
            indices: &mut self.indices,
            table: &mut self.table,
            shift: self.shift,
            next: self.next,
            end: self.end,
        }
    }
}

/// Finds slots and assigns free ones. It borrows a [`Segment`]'s fields one by one, so that they
/// stay in registers.
struct Finder<'s> {
    indices: &'s mut [u32],
    table: &'s mut [SlotIndex],
    shift: u32,
    next: usize,
    end: usize,
}

impl Finder<'_> {
    /// Returns the slot of the vertex `index` if its table entry refers to one.
    fn find(&self, index: u32) -> Option<SlotIndex> {
        let slot = *self.table.get(entry(index, self.shift))?;
        holds(self.indices, slot, index, self.next, self.end).then_some(slot)
    }

    /// Finds `index`, or assigns it the next free slot. There must be a free slot.
    #[inline(always)]
    fn slot_of(&mut self, index: u32) -> SlotIndex {
        let Some(entry) = self.table.get_mut(entry(index, self.shift)) else { return 0 };
        if holds(self.indices, *entry, index, self.next, self.end) {
            return *entry;
        }
        let place = self.next;
        debug_assert!(place < self.end, "no room in the segment");
        *entry = place as SlotIndex;
        if let Some(own) = self.indices.get_mut(place) {
            *own = index;
        }
        self.next += 1;
        place as SlotIndex
    }
}

/// Returns true if `slot` has the vertex `index`; the slots `next..end` of the filling half are
/// free.
#[inline(always)]
fn holds(indices: &[u32], slot: SlotIndex, index: u32, next: usize, end: usize) -> bool {
    let slot = usize::from(slot);
    indices.get(slot) == Some(&index) && slot.wrapping_sub(next) >= end - next
}

/// Returns the entry number of an index in a table of 2^(32 - `shift`) entries.
#[inline(always)]
fn entry(index: u32, shift: u32) -> usize {
    // Fibonacci hashing spreads runs of indices evenly, and also rows of a grid.
    (index.wrapping_mul(0x9e37_79b1) >> (shift & 31)) as usize
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use proptest::prelude::*;

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
        s.advance(3);
        assert_eq!(s.unshaded(), 4..4);
        assert!(s.add(Primitive::triangle(2, 1, 3, 0)));
        assert_eq!(s.primitives[0].vertices, [2, 1, 4], "0, 1 and 2 are still there");
        assert!(s.add(Primitive::triangle(4, 5, 6, 0)));
        assert!(!s.add(Primitive::triangle(7, 8, 9, 0)));
        s.advance(3);
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
        s.advance(3);
        assert!(s.add(t));
        assert_eq!(s.unshaded(), 3..3, "nothing to shade twice");
    }

    /// A draw finds only its own vertices, each as it was added, after any earlier draws.
    #[test]
    fn draws_do_not_see_each_other() {
        let mut s = segment(5);
        let mut number = 1u32;
        for draw in 0..400 {
            s.clear();
            // The vertex that each slot was assigned in this draw.
            let mut given = [None; 10];
            for _ in 0..draw % 23 {
                let v = [0; 3].map(|_| {
                    number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    number >> 28
                });
                let t = Primitive::triangle(v[0], v[1], v[2], 0);
                if !s.add(t) {
                    s.unshaded().for_each(|slot| given[slot] = Some(s.indices[slot]));
                    s.advance(3);
                    assert!(s.add(t));
                }
                s.unshaded().for_each(|slot| given[slot] = Some(s.indices[slot]));
                let slots = s.primitives.last().expect("just added").vertices;
                assert_eq!(slots.map(|slot| given[usize::from(slot)]), v.map(Some));
            }
        }
    }

    /// Returns indices that share table entries, about two per entry, enough for three halves.
    fn colliding(s: &Segment<'_>) -> std::vec::Vec<u32> {
        let used = s.half * 5 / 4;
        (0..).filter(|&index| entry(index, s.shift) < used).take(3 * s.half).collect()
    }

    #[test]
    fn a_known_vertex_that_loses_its_entry_keeps_its_slot() {
        let mut s = segment(4);
        assert!(s.add(Primitive::triangle(0, 1, 2, 0)));
        let twin = (3..).find(|&v| entry(v, s.shift) == entry(1, s.shift)).expect("many are");
        assert!(s.add(Primitive::triangle(twin, 1, 2, 0)), "one vertex is new, one slot is free");
        assert_eq!(s.primitives[1].vertices, [3, 1, 2]);
        assert_eq!(s.unshaded(), 0..4);
        assert!(!s.add(Primitive::triangle(twin, 1, 2, 0)), "1 is not found any more");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        /// Adds triangles, lines and points of colliding indices, one by one or as a list. When
        /// they are drawn, each of their slots was shaded as the requested vertex.
        #[test]
        fn every_slot_has_its_vertex_when_it_is_drawn(
            half in 3usize..70,
            picks in prop::collection::vec(any::<prop::sample::Index>(), 0..600),
            count in 1u8..=3,
            as_list: bool,
        ) {
            let mut s = segment(half);
            let pool = colliding(&s);
            let count = if as_list { 3 } else { count };
            let stream: std::vec::Vec<u32> = picks.iter().map(|pick| *pick.get(&pool)).collect();
            let wanted: std::vec::Vec<[u32; 3]> = stream
                .chunks_exact(count.into())
                .map(|v| core::array::from_fn(|k| v[k.min(v.len() - 1)]))
                .collect();
            let bytes: std::vec::Vec<u8> = stream.iter().flat_map(|v| v.to_le_bytes()).collect();
            let mut list = crate::index::IndexBytes { bytes: &bytes, size: 4 }.from(0);
            let mut left = wanted.len() as u32;
            let mut shaded = std::vec![None; s.len()];
            let mut drawn = std::vec::Vec::new();
            let mut waiting = None;
            while left > 0 || waiting.is_some() {
                let before = (left, waiting);
                if as_list {
                    if let Some(waiting) = waiting.take() {
                        prop_assert!(s.add(waiting), "an empty half has room for any primitive");
                    }
                    let any = Primitive::triangle(0, 0, 0, 0);
                    waiting = s.add_triangles(&mut list, 0, &mut left, any);
                } else {
                    for vertices in &wanted[wanted.len() - left as usize..] {
                        if !s.add(Primitive { vertices: *vertices, count, provoking: 0, edges: 0 }) {
                            break;
                        }
                        left -= 1;
                    }
                }
                prop_assert!((left, waiting) != before, "an empty half has room for any primitive");
                let unshaded = s.unshaded();
                prop_assert!(unshaded.end <= s.end && unshaded.len() <= half);
                unshaded.for_each(|slot| shaded[slot] = Some(s.indices[slot]));
                for primitive in s.primitives.iter() {
                    drawn.push(primitive.vertices.map(|slot| shaded[usize::from(slot)]));
                }
                s.advance(3);
            }
            let wanted: std::vec::Vec<_> = wanted.iter().map(|v| v.map(Some)).collect();
            prop_assert_eq!(drawn, wanted);
        }
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
