//! Outcodes: the bits that say which planes a vertex lies outside of.
//!
//! Bits 0 to 14 are the planes that cut, in the order they are applied; the rest only reject, or
//! are flags.

/// Outside the near plane.
pub(crate) const NEAR: u32 = 1 << 0;
/// Outside the far plane.
pub(crate) const FAR: u32 = 1 << 1;
/// Clip w is not a positive, normal number: the vertex is beside or behind the eye.
pub(crate) const W: u32 = 1 << 2;
/// Window x below the guard band; the three bits above are x beyond it, y below, y beyond.
pub(crate) const GUARD: u32 = 1 << 3;
/// Planes given by coefficients: near, far, w and the guard band's four.
pub(crate) const PLANES: usize = 7;
/// The first user plane's bit; the next seven belong to the others.
pub(crate) const USER: u32 = 1 << PLANES;
/// Planes that cut.
pub(crate) const CUTTING: usize = PLANES + 8;
/// All bits of planes that cut.
pub(crate) const CUT: u32 = (1 << CUTTING) - 1;

/// x < -w; the three bits above are x > w, y < -w, y > w.
pub(crate) const FRUSTUM: u32 = 1 << 15;
/// All four sides of the frustum.
pub(crate) const FRUSTUM_ALL: u32 = 15 * FRUSTUM;
/// The first cull distance is negative or not a number; the next seven bits are the others.
pub(crate) const CULL: u32 = 1 << 19;
/// The position has a NaN or an infinity: no primitive can use it.
pub(crate) const INVALID: u32 = 1 << 28;
/// The sink's vertex has the colours of its back face.
pub(crate) const BACK: u32 = 1 << 30;
/// The sink has this vertex.
pub(crate) const SENT: u32 = 1 << 31;
/// The bits that can reject a primitive when all its vertices have one in common.
pub(crate) const REJECT: u32 = (1 << 29) - 1;
