//! A shaded vertex, as stored in the segment and referred to by primitives.

use crate::outcode;
use crate::sink::VertexId;

/// The number of a [`Slot`] in its segment.
pub(crate) type SlotIndex = u16;

/// A vertex: its outcode and its window position, once it is shaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The planes that the vertex lies outside of, and flags: see [`crate::outcode`].
    pub(crate) code: u32,
    /// The window position; meaningless outside a clip plane.
    pub(crate) window: Window,
    /// The sink's id of the vertex, valid while `code` has [`outcode::HANDED_OVER`].
    pub(crate) id: VertexId,
}

impl Slot {
    /// A vertex that no primitive can use.
    pub(crate) const INVALID: Slot = Slot {
        code: outcode::INVALID,
        window: Window { x: 0, y: 0, z: 0.0, rcp_w: 0.0 },
        id: VertexId(0),
    };
}

/// A position in the window.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Window {
    /// Q24.8, to the right.
    pub(crate) x: i32,
    /// Q24.8, row 0 first.
    pub(crate) y: i32,
    /// Depth from the viewport transform.
    pub(crate) z: f32,
    /// 1 / clip w.
    pub(crate) rcp_w: f32,
}
