//! Clip planes, and outcodes: one bit per plane that a vertex lies outside of.
//!
//! Bits 0 to 14 belong to the planes that cut, in the order that clipping applies them. The bits
//! above only reject primitives, or are flags.

use crate::features::USER_CLIP_PLANES;

/// Outside the near plane.
pub(crate) const NEAR: u32 = 1 << 0;
/// Outside the far plane.
pub(crate) const FAR: u32 = 1 << 1;
/// Clip w is not a positive, normal number: the vertex is level with the eye or behind it.
pub(crate) const W: u32 = 1 << 2;
/// Window x below the guard band; the three bits above are x beyond it, y below, y beyond.
pub(crate) const GUARD: u32 = 1 << 3;
/// Number of planes with coefficients ([`Plane`]): near, far, w and the guard band's four.
pub(crate) const PLANES: usize = 7;
/// Outside the first user plane; the next seven bits are the other user planes.
pub(crate) const USER: u32 = 1 << PLANES;
/// Number of planes that cut.
pub(crate) const CUTTING: usize = PLANES + if USER_CLIP_PLANES { 8 } else { 0 };
/// The bits of all planes that cut.
pub(crate) const CUT: u32 = (1 << CUTTING) - 1;

/// x < -w; the three bits above are x > w, y < -w, y > w.
pub(crate) const FRUSTUM: u32 = 1 << 15;
/// All four sides of the frustum.
pub(crate) const FRUSTUM_ALL: u32 = 15 * FRUSTUM;
/// The first cull distance is negative or NaN; the next seven bits are the other cull distances.
pub(crate) const CULL: u32 = 1 << 19;
/// The position has a NaN or an infinity: no primitive can use the vertex.
pub(crate) const INVALID: u32 = 1 << 28;
/// The sink's vertex has the back face's colours.
pub(crate) const BACK: u32 = 1 << 30;
/// The sink has received this vertex.
pub(crate) const HANDED_OVER: u32 = 1 << 31;
/// The bits that reject a primitive if all its vertices have one of them in common.
pub(crate) const REJECT: u32 = (1 << 29) - 1;

/// A clip plane: inside where `scale * p[axis] + w * p.w + offset >= 0`, for a clip position `p`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Plane {
    /// 0 to 3 for x, y, z and w.
    pub(crate) axis: usize,
    pub(crate) scale: f32,
    pub(crate) w: f32,
    pub(crate) offset: f32,
}

impl Plane {
    /// Returns the distance of `p` from the plane, in the unit of the plane's coefficients;
    /// negative outside.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the mask keeps the axis below 4")]
    pub(crate) fn distance(&self, p: &[f32; 4]) -> f32 {
        // `Projection::code` computes outcodes with the same operations, so the signs agree.
        self.scale * p[self.axis & 3] + self.w * p[3] + self.offset
    }
}
