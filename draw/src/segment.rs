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
use crate::index::Indices;
use crate::sink::VertexId;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

/// One vertex: where it is in the window once it is shaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
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

/// An entry of the table without a slot: there are not so many.
const NOWHERE: SlotIndex = SlotIndex::MAX;

/// Slots, the table that finds them, and the primitives that wait for them.
pub(crate) struct Segment<'m> {
    pub(crate) slots: Vec<'m, Slot>,
    /// What the slots' vertices are made from: their indices, bias added.
    pub(crate) indices: Vec<'m, u32>,
    /// Direct-mapped by the index's hash. An entry may be of a slot that has another vertex now, but
    /// never of a vertex of another draw.
    table: Vec<'m, SlotIndex>,
    /// Takes a hash down to an entry of the table.
    shift: u32,
    primitives: Vec<'m, Primitive<SlotIndex>>,
    /// Slots in a half.
    half: usize,
    /// The next slot of the filling half to be taken, and where that half ends.
    next: usize,
    end: usize,
    /// The first slot of the filling half that waits to be shaded; `next` if none does.
    shaded: usize,
    /// Whether the other half has vertices of this draw, too.
    both: bool,
}

impl<'m> Segment<'m> {
    /// Allocates for `half` new vertices at a time (at least 3, at most 16384).
    pub(crate) fn new(memory: Memory<'m>, half: usize) -> Result<Self, OutOfMemory> {
        let half = half.clamp(3, 1 << 14);
        let origin = Window { x: 0, y: 0, z: 0.0, rcp_w: 0.0 };
        let empty = Slot { code: 0, window: origin, id: VertexId(0) };
        let mut slots = Vec::new_in(memory);
        slots.try_resize(2 * half, empty)?;
        let mut indices = Vec::new_in(memory);
        indices.try_resize(2 * half, 0)?;
        let mut table = Vec::new_in(memory);
        // Twice as many entries as slots keeps most finds apart.
        table.try_resize((4 * half).next_power_of_two(), NOWHERE)?;
        let shift = 32 - table.len().trailing_zeros();
        // A mesh has up to two triangles a vertex.
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

    /// Slots in both halves.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Forgets all vertices: another instance or another draw begins.
    pub(crate) fn clear(&mut self) {
        let base = self.end - self.half;
        let used = if self.both { 0..2 * self.half } else { base..self.next };
        // No entry is left that leads to the vertex that its slot has now.
        for &index in self.indices.get(used).unwrap_or(&[]) {
            if let Some(entry) = self.table.get_mut(entry(index, self.shift)) {
                *entry = NOWHERE;
            }
        }
        (self.next, self.shaded, self.both) = (base, base, false);
        self.primitives.clear();
    }

    /// Whether `count` more vertices and a primitive have room.
    #[inline(always)]
    fn has_room(&self, count: usize) -> bool {
        self.next + count <= self.end && self.primitives.len() < self.primitives.capacity()
    }

    /// Adds a primitive, with slots for those of its vertices that have none.
    ///
    /// `false` when there is no room: shade, draw, [`advance`](Self::advance), then add it again.
    pub(crate) fn add(&mut self, primitive: Primitive<u32>) -> bool {
        let vertices = primitive.vertices.iter().take(usize::from(primitive.count));
        // Whether the vertices fit is only known at the end; a slot too many is no harm.
        if !self.has_room(vertices.len()) {
            let open = self.open();
            let known = vertices.copied().all(|v| open.knows(v));
            if !self.has_room(0) || !known {
                return false;
            }
        }
        // What repeats the last vertex finds it.
        let mut open = self.open();
        let slots = primitive.vertices.map(|v| open.slot_of(v));
        self.next = open.next;
        self.primitives.push_within_capacity(primitive.over(slots)).is_ok()
    }

    /// Adds a list's triangles until `count` is 0 or there is no room for the next.
    ///
    /// `triangle` is any of them: what is said of its vertices is said of theirs.
    #[inline(never)]
    pub(crate) fn add_triangles(
        &mut self,
        indices: &mut Indices<'_>,
        bias: u32,
        count: &mut u32,
        triangle: Primitive<u32>,
    ) {
        // In hand, not in memory that each store might change.
        let mut run = *indices;
        let mut left = *count;
        while left > 0 {
            if !self.has_room(3) && !self.fits(&run, bias) {
                break;
            }
            left -= 1;
            let [a, b, c] = run.three();
            let [a, b, c] = [a.wrapping_add(bias), b.wrapping_add(bias), c.wrapping_add(bias)];
            let mut open = self.open();
            let slots = [open.slot_of(a), open.slot_of(b), open.slot_of(c)];
            self.next = open.next;
            let added = self.primitives.push_within_capacity(triangle.over(slots)).is_ok();
            debug_assert!(added, "there was room");
        }
        (*indices, *count) = (run, left);
    }

    /// Whether there is room for the next triangle: some of its vertices may be known.
    #[cold]
    #[inline(never)]
    fn fits(&mut self, indices: &Indices<'_>, bias: u32) -> bool {
        let mut ahead = *indices;
        let open = self.open();
        let new = ahead.three().iter().filter(|v| !open.knows(v.wrapping_add(bias))).count();
        self.has_room(new)
    }

    /// All slots, and the primitives that wait.
    pub(crate) fn parts(&mut self) -> (&mut [Slot], &[Primitive<SlotIndex>]) {
        (&mut self.slots, &self.primitives)
    }

    /// The slots that wait to be shaded.
    pub(crate) fn unshaded(&self) -> core::ops::Range<usize> {
        self.shaded..self.next
    }

    /// All waiting slots are shaded and all waiting primitives drawn.
    pub(crate) fn advance(&mut self) {
        self.primitives.clear();
        // A half with room left goes on filling: it was the primitives that had none.
        if self.next + 3 > self.end {
            self.next = if self.end == self.half { self.half } else { 0 };
            self.end = self.next + self.half;
            self.both = true;
        }
        self.shaded = self.next;
    }

    #[inline(always)]
    fn open(&mut self) -> Open<'_> {
        Open {
            indices: &mut self.indices,
            table: &mut self.table,
            shift: self.shift,
            next: self.next,
            end: self.end,
        }
    }
}

/// What finds slots and gives them away.
struct Open<'s> {
    indices: &'s mut [u32],
    table: &'s mut [SlotIndex],
    shift: u32,
    next: usize,
    end: usize,
}

impl Open<'_> {
    /// Whether `index` has a slot.
    fn knows(&self, index: u32) -> bool {
        let entry = self.table.get(entry(index, self.shift));
        entry.is_some_and(|&slot| holds(self.indices, slot, index, self.next, self.end))
    }

    /// Finds `index`, or gives it the next slot. The caller has seen to it that there is one.
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

/// Whether `slot` has the vertex `index`; `next..end` is what is void of the filling half.
#[inline(always)]
fn holds(indices: &[u32], slot: SlotIndex, index: u32, next: usize, end: usize) -> bool {
    let slot = usize::from(slot);
    indices.get(slot) == Some(&index) && slot.wrapping_sub(next) >= end - next
}

/// Where in a table of 2^(32 - `shift`) entries an index belongs.
#[inline(always)]
fn entry(index: u32, shift: u32) -> usize {
    // Fibonacci hashing: runs of indices spread evenly, and so do rows of a grid.
    (index.wrapping_mul(0x9e37_79b1) >> (shift & 31)) as usize
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

    /// Whatever was drawn before, a draw finds its own vertices only, each as it was added.
    #[test]
    fn draws_do_not_see_each_other() {
        let mut s = segment(5);
        let mut number = 1u32;
        for draw in 0..400 {
            s.clear();
            // What each slot was given in this draw, and whether it was since voided.
            let mut given = [None; 10];
            for _ in 0..draw % 23 {
                let v = [0; 3].map(|_| {
                    number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    number >> 28
                });
                let t = Primitive::triangle(v[0], v[1], v[2], 0);
                if !s.add(t) {
                    s.unshaded().for_each(|slot| given[slot] = Some(s.indices[slot]));
                    s.advance();
                    assert!(s.add(t));
                }
                s.unshaded().for_each(|slot| given[slot] = Some(s.indices[slot]));
                let slots = s.primitives.last().expect("just added").vertices;
                assert_eq!(slots.map(|slot| given[usize::from(slot)]), v.map(Some));
            }
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
