//! Batches: the quads that are shaded together, one invocation a lane.

use tgsi::exec::{Lanes, Mask};

use crate::lanes::QuadPosition;
use crate::profile::{MAX_QUADS, quads_per_batch};

/// Quads of one draw, in the order of their primitives.
///
/// Lane `4 q + i` is pixel `i` of quad `q`: (0,0), (1,0), (0,1), (1,1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch<R: Lanes> {
    /// The quads' places within the tile.
    pub(crate) quads: [QuadPosition; MAX_QUADS],
    pub(crate) count: usize,
    /// The lanes that are covered and not yet rejected.
    pub(crate) mask: Mask,
    /// Lanes of front-facing primitives.
    pub(crate) front: Mask,
    /// Depth, Q2.30, of every lane.
    pub(crate) z: R,
    /// The share of its pixel that each lane's primitive covers (f32, 0 to 1), which scales alpha;
    /// for draws with smooth lines or points.
    pub(crate) edge_coverage: R,
}

impl<R: Lanes> Batch<R> {
    /// No quads.
    pub(crate) const EMPTY: Self = Batch {
        quads: [QuadPosition { x: 0, y: 0 }; MAX_QUADS],
        count: 0,
        mask: 0,
        front: 0,
        z: R::ZERO,
        edge_coverage: R::ZERO,
    };

    /// Returns whether another quad does not fit.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.count >= quads_per_batch::<R>()
    }

    /// Adds a quad: its covered pixels (4 bits) and their depths.
    #[inline(always)]
    pub(crate) fn push(&mut self, quad: QuadPosition, covered: u32, front: bool, z: [u32; 4]) {
        let lane = self.count * 4;
        if let Some(slot) = self.quads.get_mut(self.count) {
            *slot = quad;
        }
        if let Some(lanes) = self.z.as_mut_slice().get_mut(lane..lane + 4) {
            lanes.copy_from_slice(&z);
        }
        self.mask |= (covered as Mask) << lane;
        self.front |= if front { 0xf << lane } else { 0 };
        self.count += 1;
    }

    /// Sets the edge coverage of the last quad.
    #[inline(always)]
    pub(crate) fn set_edge_coverage(&mut self, coverage: [u32; 4]) {
        let quad = self.count.wrapping_sub(1);
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

    /// Returns the quads in use.
    #[inline(always)]
    pub(crate) fn quads(&self) -> &[QuadPosition] {
        self.quads.get(..self.count).unwrap_or(&[])
    }

    /// Empties the batch.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.count = 0;
        self.mask = 0;
        self.front = 0;
    }
}

/// A set of a tile's quads, a bit each.
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

    /// Adds a quad.
    #[inline(always)]
    pub(crate) fn insert(&mut self, quad: QuadPosition) {
        let (row, bit) = Self::place(quad);
        self.0[row] |= bit;
    }

    /// Returns whether a quad is in the set.
    #[inline(always)]
    pub(crate) fn contains(&self, quad: QuadPosition) -> bool {
        let (row, bit) = Self::place(quad);
        self.0[row] & bit != 0
    }

    /// Removes every quad in the rows of these quads.
    #[inline(always)]
    pub(crate) fn remove_rows(&mut self, quads: &[QuadPosition]) {
        for quad in quads {
            self.0[Self::place(*quad).0] = 0;
        }
    }
}
