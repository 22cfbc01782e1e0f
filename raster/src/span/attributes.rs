//! The values of a triangle's corners.

use crate::scene::{Arena, PACKED_VARYINGS, Varying, VaryingMode, Vertex};

/// A triangle's vertices.
pub(crate) struct Corners<'a> {
    pub(crate) arena: &'a Arena<'a>,
    /// The vertices' places in the arena.
    pub(crate) ids: [u32; 3],
    /// The index of the provoking vertex, which gives flat varyings their values.
    pub(crate) flat: usize,
}

impl<'a> Corners<'a> {
    #[inline(always)]
    pub(super) fn vertices(&self) -> [Vertex<'a>; 3] {
        let [a, b, c] = self.ids;
        [Vertex::at(self.arena, a), Vertex::at(self.arena, b), Vertex::at(self.arena, c)]
    }

    /// Reads the first varyings of each corner; few draws have more.
    #[inline(never)]
    pub(super) fn first_varyings(&self) -> [[f32; PACKED_VARYINGS]; 3] {
        self.vertices().map(Vertex::first_varyings)
    }
}

/// The varyings of a triangle's corners.
pub(super) struct Attributes<'s> {
    corners: &'s Corners<'s>,
    varyings: &'s [Varying],
    /// The first varyings of each corner, once [`read`](Self::read).
    pub(super) first: Option<[[f32; PACKED_VARYINGS]; 3]>,
}

impl<'s> Attributes<'s> {
    #[inline(always)]
    pub(super) fn new(corners: &'s Corners<'s>, varyings: &'s [Varying]) -> Attributes<'s> {
        Attributes { corners, varyings, first: None }
    }

    /// Reads the first varyings.
    #[inline(always)]
    pub(super) fn read(&mut self) {
        if self.first.is_none() {
            self.first = Some(self.corners.first_varyings());
        }
    }

    /// Returns a varying's values at the three corners, without regard to its mode.
    #[inline(always)]
    fn values(&self, index: usize) -> [f32; 3] {
        if let Some([a, b, c]) = &self.first
            && let (Some(a), Some(b), Some(c)) = (a.get(index), b.get(index), c.get(index))
        {
            return [*a, *b, *c];
        }
        self.unread(index)
    }

    /// Reads a varying that is not among the first ones.
    #[inline(never)]
    fn unread(&self, index: usize) -> [f32; 3] {
        self.corners.vertices().map(|vertex| vertex.varying(index))
    }

    #[inline(always)]
    fn mode(&self, varying: usize) -> VaryingMode {
        self.varyings.get(varying).map_or(VaryingMode::Flat, |varying| varying.mode)
    }

    /// Returns true if a varying is in perspective.
    pub(super) fn is_perspective(&self, varying: usize) -> bool {
        self.mode(varying) == VaryingMode::Perspective
    }

    /// Returns a varying's values at the three corners according to its mode: a flat varying has
    /// the provoking vertex's value at all three.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the remainder is below 3")]
    pub(super) fn varying(&self, index: usize) -> [f32; 3] {
        let values = self.values(index);
        match self.mode(index) {
            VaryingMode::Flat => [values[self.corners.flat % 3]; 3],
            VaryingMode::Linear | VaryingMode::Perspective => values,
        }
    }
}
