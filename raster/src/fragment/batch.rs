//! Batches: the quads that are shaded together, one invocation per lane.

use core::ops::Range;

use tgsi::exec::{Lanes, Mask, all_lanes};

use crate::lanes::{
    QuadPosition, QuadPositions, STAMP, quads_with_mask, stamp_quads, stamps_per_batch,
};
use crate::profile::{MAX_QUADS, quads_per_batch};

/// Quads of one draw.
///
/// Lane `4 q + i` is pixel `i` of quad `q`: (0,0), (1,0), (0,1), (1,1). Stamps (16 neighbouring
/// pixels, four quads) fill a batch from the back, packed quads from the front. The lanes between
/// the two are not in `mask`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch<R: Lanes> {
    /// The quads' places within the tile.
    pub(crate) quads: [QuadPosition; MAX_QUADS],
    stamps: usize,
    packed: usize,
    /// The numbers of stamps and packed quads that [`take_fresh`](Self::take_fresh) has returned.
    taken: (usize, usize),
    /// The lanes that are covered and not yet rejected.
    pub(crate) mask: Mask,
    /// Lanes of front-facing primitives.
    pub(crate) front: Mask,
    /// Depth, Q2.30, of every lane.
    pub(crate) z: R,
    /// The share of its pixel that each lane's primitive covers (f32, 0 to 1), which scales alpha;
    /// for draws with smooth primitives.
    pub(crate) edge_coverage: R,
}

impl<R: Lanes> Batch<R> {
    /// No quads.
    pub(crate) const EMPTY: Self = Batch {
        quads: [QuadPosition { x: 0, y: 0 }; MAX_QUADS],
        stamps: 0,
        packed: 0,
        taken: (0, 0),
        mask: 0,
        front: 0,
        z: R::ZERO,
        edge_coverage: R::ZERO,
    };

    /// Returns true if the batch has no quads.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.stamps() + self.packed == 0
    }

    /// Returns true if `quads` more quads do not fit.
    #[inline(always)]
    pub(crate) fn lacks(&self, quads: usize) -> bool {
        4 * self.stamps() + self.packed + quads > quads_per_batch::<R>()
    }

    /// Adds a packed quad, which must fit: its covered pixels (4 bits) and their depths.
    #[inline(always)]
    pub(crate) fn push(&mut self, quad: QuadPosition, covered: u32, front: bool, z: [u32; 4]) {
        let lane = self.packed * 4;
        if let Some(slot) = self.quads.get_mut(self.packed) {
            *slot = quad;
        }
        if let Some(lanes) = self.z.as_mut_slice().get_mut(lane..lane + 4) {
            lanes.copy_from_slice(&z);
        }
        self.mask |= (covered as Mask) << lane;
        self.front |= if front { 0xf << lane } else { 0 };
        self.packed += 1;
    }

    /// Adds the quads of a stamp that have covered pixels; the batch must have room for four quads.
    /// Takes the stamp's first pixel, its covered lanes (16 bits) and their depths. The loop has no
    /// branch per quad, because a predictor cannot guess which quads an edge leaves empty.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the masks keep both places below 4")]
    pub(crate) fn push_quads(
        &mut self,
        first: QuadPosition,
        covered: u32,
        front: bool,
        z: &[u32; STAMP],
    ) {
        let places = self.quads.get_mut(self.packed..).and_then(|places| places.first_chunk_mut());
        let lanes = self.z.as_mut_slice().get_mut(4 * self.packed..);
        let lanes = lanes.and_then(|lanes| lanes.first_chunk_mut::<STAMP>());
        let (Some(places), Some(lanes)): (Option<&mut [QuadPosition; 4]>, _) = (places, lanes)
        else {
            return;
        };
        let (lanes, _) = lanes.as_chunks_mut::<4>();
        let (mut count, mut bits) = (0, 0);
        for ((_, quad, pixels), z) in
            quads_with_mask(&stamp_quads(first), covered.into()).zip(z.as_chunks::<4>().0)
        {
            // The next quad overwrites an empty one. At most three quads come before the last.
            (places[count & 3], lanes[count & 3]) = (quad, *z);
            bits |= pixels << (4 * count as u32);
            count += usize::from(pixels != 0);
        }
        let lane = 4 * self.packed;
        self.mask |= Mask::from(bits) << lane;
        let added = !(Mask::MAX << (4 * count));
        self.front |= if front { added << lane } else { 0 };
        self.packed += count;
    }

    /// Adds a stamp, which must fit: its first pixel, its covered lanes (16 bits) and their depths.
    #[inline(always)]
    pub(crate) fn push_stamp(
        &mut self,
        first: QuadPosition,
        covered: u32,
        front: bool,
        z: &[u32; STAMP],
    ) {
        self.stamps += 1;
        let stamp = stamps_per_batch::<R>().wrapping_sub(self.stamps);
        let lane = stamp.wrapping_mul(STAMP);
        if let Some(quads) = self.quads.as_chunks_mut::<4>().0.get_mut(stamp) {
            *quads = stamp_quads(first);
        }
        if let Some(lanes) = self.z.as_mut_slice().as_chunks_mut::<STAMP>().0.get_mut(stamp) {
            *lanes = *z;
        }
        self.mask |= (covered as Mask) << lane;
        self.front |= if front { 0xffff << lane } else { 0 };
    }

    /// Fills the batch, which must be empty, with fully covered stamps. They lie next to each
    /// other, from `first` to the right.
    #[inline(always)]
    pub(crate) fn fill_with_stamps(&mut self, first: QuadPosition, front: bool) {
        let places = self.quads.as_chunks_mut::<4>().0.iter_mut().take(stamps_per_batch::<R>());
        for (quads, right) in places.zip((0..).step_by(4)) {
            *quads = stamp_quads(QuadPosition { x: first.x.wrapping_add(right), ..first });
        }
        self.stamps = stamps_per_batch::<R>();
        self.mask = all_lanes::<R>();
        self.front = if front { self.mask } else { 0 };
    }

    /// Sets the depths of all lanes, stamp by stamp: the depth of the stamp's first pixel plus the
    /// lane's offset. The first stamp's first depth is `corner`; each next stamp adds `right`.
    #[inline(always)]
    pub(crate) fn set_depths(&mut self, mut corner: i32, right: i32, offsets: &[i32; STAMP]) {
        for stamp in self.z.as_mut_slice().as_chunks_mut::<STAMP>().0 {
            for (z, offset) in stamp.iter_mut().zip(offsets) {
                *z = corner.wrapping_add(*offset) as u32;
            }
            corner = corner.wrapping_add(right);
        }
    }

    /// Sets the edge coverage of the last packed quad.
    #[inline(always)]
    pub(crate) fn set_edge_coverage(&mut self, coverage: [u32; 4]) {
        let quad = self.packed.wrapping_sub(1);
        if let Some(lanes) = self.edge_coverage.as_mut_slice().as_chunks_mut::<4>().0.get_mut(quad)
        {
            *lanes = coverage;
        }
    }

    /// Returns the edge coverage of a quad.
    #[inline(always)]
    pub(crate) fn edge_coverage(&self, quad: usize) -> [u32; 4] {
        self.edge_coverage.as_slice().as_chunks::<4>().0.get(quad).copied().unwrap_or_default()
    }

    /// Returns the depths of a quad, Q2.30.
    #[inline(always)]
    pub(crate) fn depths(&self, quad: usize) -> [u32; 4] {
        match self.z.as_slice().get(quad * 4..quad * 4 + 4) {
            Some(&[a, b, c, d]) => [a, b, c, d],
            _ => [0; 4],
        }
    }

    /// Returns the pixel of a lane, within the tile.
    pub(crate) fn pixel(&self, lane: usize) -> [u32; 2] {
        let quad = self.quads.get(lane / 4).copied().unwrap_or_default();
        [u32::from(quad.x) + (lane as u32 & 1), u32::from(quad.y) + (lane as u32 >> 1 & 1)]
    }

    /// Returns the number of stamps.
    #[inline(always)]
    fn stamps(&self) -> usize {
        if stamps_per_batch::<R>() > 0 { self.stamps } else { 0 }
    }

    /// Returns the number of packed quads.
    #[inline(always)]
    pub(crate) fn packed(&self) -> usize {
        self.packed
    }

    /// Returns the quads up to the last that is in use.
    #[inline(always)]
    pub(crate) fn quads(&self) -> &[QuadPosition] {
        let end = if self.stamps() > 0 { quads_per_batch::<R>() } else { self.packed };
        self.quads.get(..end).unwrap_or(&[])
    }

    /// Returns the places of the quads in use.
    #[inline(always)]
    pub(crate) fn positions(&self) -> QuadPositions<'_> {
        QuadPositions { quads: self.quads(), stamps: self.stamps() }
    }

    /// Returns true if quads were added since the last call of [`take_fresh`](Self::take_fresh).
    #[inline(always)]
    pub(crate) fn has_fresh(&self) -> bool {
        self.taken != (self.stamps(), self.packed)
    }

    /// Returns the quads that were added since the last call of [`take_fresh`](Self::take_fresh),
    /// first the stamps' quads, then the packed quads.
    #[inline(always)]
    fn fresh(&self) -> [Range<usize>; 2] {
        let (stamps, packed) = self.taken;
        let end = quads_per_batch::<R>();
        [end - 4 * self.stamps()..end - 4 * stamps, packed..self.packed]
    }

    /// Returns the [`fresh`](Self::fresh) quads and marks them as taken.
    #[inline(always)]
    pub(crate) fn take_fresh(&mut self) -> [Range<usize>; 2] {
        let fresh = self.fresh();
        self.taken = (self.stamps(), self.packed);
        fresh
    }

    /// Returns all quads in use, first the stamps' quads, then the packed quads.
    pub(crate) fn all(&self) -> [Range<usize>; 2] {
        let end = quads_per_batch::<R>();
        [end - 4 * self.stamps()..end, 0..self.packed]
    }

    /// Returns the first lane of the last packed quad.
    #[inline(always)]
    pub(crate) fn last_packed_lane(&self) -> usize {
        4 * self.packed.saturating_sub(1)
    }

    /// Returns the first lane of the last stamp.
    #[inline(always)]
    pub(crate) fn last_stamp_lane(&self) -> usize {
        R::COUNT - STAMP * self.stamps()
    }

    /// Empties the batch.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        (self.stamps, self.packed, self.taken) = (0, 0, (0, 0));
        self.mask = 0;
        self.front = 0;
    }
}

/// A set of a tile's quads, one bit per quad.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuadSet([u32; 32]);

impl QuadSet {
    /// No quad.
    pub(crate) const EMPTY: Self = QuadSet([0; 32]);

    #[inline(always)]
    fn place(quad: QuadPosition) -> (usize, u32) {
        // At most 32 × 32 quads in a tile.
        ((quad.y as usize / 2) & 31, 1 << ((quad.x / 2) & 31))
    }

    /// Adds the fresh quads of a batch.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "`place` and the masks keep rows below 32")]
    pub(crate) fn insert_fresh<R: Lanes>(&mut self, batch: &Batch<R>) {
        let [stamps, packed] = batch.fresh();
        for quad in batch.quads.get(packed).unwrap_or(&[]) {
            let (row, bit) = Self::place(*quad);
            self.0[row] |= bit;
        }
        if stamps_per_batch::<R>() > 0 {
            for quad in batch.quads.get(stamps).unwrap_or(&[]).iter().step_by(4) {
                let (row, bit) = Self::place(*quad);
                self.0[row] |= bit | bit << 1;
                self.0[(row + 1) & 31] |= bit | bit << 1;
            }
        }
    }

    /// Returns whether a quad is in the set.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "`place` and the masks keep rows below 32")]
    pub(crate) fn contains(&self, quad: QuadPosition) -> bool {
        let (row, bit) = Self::place(quad);
        self.0[row] & bit != 0
    }

    /// Returns true if a quad of a stamp is in the set.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "`place` and the masks keep rows below 32")]
    pub(crate) fn contains_stamp(&self, first: QuadPosition) -> bool {
        let (row, bit) = Self::place(first);
        (self.0[row] | self.0[(row + 1) & 31]) & (bit | bit << 1) != 0
    }

    /// Removes the quads of a batch, and perhaps more; the set must hold no quads of other batches.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "`place` and the masks keep rows below 32")]
    pub(crate) fn remove<R: Lanes>(&mut self, batch: &Batch<R>) {
        if stamps_per_batch::<R>() > 0 {
            *self = Self::EMPTY;
            return;
        }
        for quad in batch.quads() {
            self.0[Self::place(*quad).0] = 0;
        }
    }
}
