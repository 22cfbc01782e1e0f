//! The depth, stencil and alpha tests (manual, chapter CSO, "Depth, Stencil, & Alpha").

use crate::key::state_object;
use crate::numbered::numbered;
use crate::state::compare::CompareFunc;

numbered! {
    /// An operation on the stencil value of a pixel. `PIPE_STENCIL_OP_*`.
    #[derive(Default)]
    pub enum StencilOp {
        /// Keeps the value.
        #[default]
        Keep = 0,
        /// Sets 0.
        Zero = 1,
        /// Sets the reference value.
        Replace = 2,
        /// Adds 1, up to 255.
        Incr = 3,
        /// Subtracts 1, down to 0.
        Decr = 4,
        /// Adds 1; 255 becomes 0.
        IncrWrap = 5,
        /// Subtracts 1; 0 becomes 255.
        DecrWrap = 6,
        /// Flips all bits.
        Invert = 7,
    }
}

impl StencilOp {
    /// Returns the new value of `stored`, before `writemask` applies.
    #[inline(always)]
    pub const fn apply(self, stored: u8, reference: u8) -> u8 {
        match self {
            Self::Keep => stored,
            Self::Zero => 0,
            Self::Replace => reference,
            Self::Incr => stored.saturating_add(1),
            Self::Decr => stored.saturating_sub(1),
            Self::IncrWrap => stored.wrapping_add(1),
            Self::DecrWrap => stored.wrapping_sub(1),
            Self::Invert => !stored,
        }
    }
}

/// The stencil test of one face. The default is off and changes nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StencilState {
    /// Turns the test on. In the second of two states: gives back faces a separate state.
    pub enabled: bool,
    /// The comparison of the reference (left) with the stored value (right), both ANDed with
    /// `valuemask`.
    pub func: CompareFunc,
    /// The operation if the stencil test fails.
    pub fail_op: StencilOp,
    /// The operation if the stencil and depth tests pass.
    pub zpass_op: StencilOp,
    /// The operation if the stencil test passes and the depth test fails.
    pub zfail_op: StencilOp,
    /// Bits of reference and stored value that are compared.
    pub valuemask: u8,
    /// Bits of the stored value that may change.
    pub writemask: u8,
}

impl Default for StencilState {
    fn default() -> Self {
        Self {
            enabled: false,
            func: CompareFunc::Always,
            fail_op: StencilOp::Keep,
            zpass_op: StencilOp::Keep,
            zfail_op: StencilOp::Keep,
            valuemask: 0xff,
            writemask: 0xff,
        }
    }
}

state_object!(StencilState { enabled, func, fail_op, zpass_op, zfail_op, valuemask, writemask });

/// State of the tests after the fragment shader, in the order alpha, stencil, depth.
/// `pipe_depth_stencil_alpha_state`. By default all are off.
///
/// ```
/// use gallium_pipe_core::{CompareFunc, DepthStencilAlphaState};
///
/// let state = DepthStencilAlphaState::depth(CompareFunc::Less);
/// assert!(state.writes_depth() && !state.writes_stencil());
/// let decal = DepthStencilAlphaState { depth_writemask: false, ..state };
/// assert!(!decal.writes_depth());
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct DepthStencilAlphaState {
    /// Turns the depth test on.
    pub depth_enabled: bool,
    /// Lets passing fragments write their depth; only if the depth test is on.
    pub depth_writemask: bool,
    /// The comparison of the fragment's depth (left) with the stored depth (right).
    pub depth_func: CompareFunc,
    /// Turns the bounds test on: a fragment passes if the *stored* depth is within the bounds.
    pub depth_bounds_test: bool,
    /// Least stored depth that passes the bounds test, 0 to 1.
    pub depth_bounds_min: f32,
    /// Greatest stored depth that passes the bounds test, 0 to 1.
    pub depth_bounds_max: f32,
    /// The stencil test of front faces. The second state applies to back faces if its `enabled` is
    /// set.
    pub stencil: [StencilState; 2],
    /// Turns the alpha test on.
    pub alpha_enabled: bool,
    /// The comparison of the alpha of render target 0 (left) with `alpha_ref_value` (right).
    pub alpha_func: CompareFunc,
    /// Reference value of the alpha test, 0 to 1.
    pub alpha_ref_value: f32,
}

state_object!(DepthStencilAlphaState {
    depth_enabled,
    depth_writemask,
    depth_func,
    depth_bounds_test,
    depth_bounds_min,
    depth_bounds_max,
    stencil,
    alpha_enabled,
    alpha_func,
    alpha_ref_value,
});

impl DepthStencilAlphaState {
    /// Returns a depth test by `func` that writes depth; stencil and alpha test are off.
    pub fn depth(func: CompareFunc) -> Self {
        Self { depth_enabled: true, depth_writemask: true, depth_func: func, ..Self::default() }
    }

    /// Returns the stencil state of a face: the second state for a back face if it is enabled,
    /// otherwise the first.
    pub const fn stencil_of(&self, front: bool) -> &StencilState {
        if front || !self.stencil[1].enabled { &self.stencil[0] } else { &self.stencil[1] }
    }

    /// Returns true if a draw can change depth.
    pub const fn writes_depth(&self) -> bool {
        self.depth_enabled && self.depth_writemask
    }

    /// Returns true if a draw can change stencil values.
    pub fn writes_stencil(&self) -> bool {
        let writes = |stencil: &StencilState| {
            let ops = [stencil.fail_op, stencil.zpass_op, stencil.zfail_op];
            stencil.writemask != 0 && ops.iter().any(|op| *op != StencilOp::Keep)
        };
        self.stencil[0].enabled && (writes(self.stencil_of(true)) || writes(self.stencil_of(false)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stencil_operations() {
        for (op, stored, expected) in [
            (StencilOp::Keep, 7, 7),
            (StencilOp::Zero, 7, 0),
            (StencilOp::Replace, 7, 0x55),
            (StencilOp::Incr, 254, 255),
            (StencilOp::Incr, 255, 255),
            (StencilOp::Decr, 0, 0),
            (StencilOp::IncrWrap, 255, 0),
            (StencilOp::DecrWrap, 0, 255),
            (StencilOp::Invert, 0x0f, 0xf0),
        ] {
            assert_eq!(op.apply(stored, 0x55), expected, "{op:?} of {stored}");
        }
        for op in StencilOp::ALL {
            assert_eq!(StencilOp::from_number(op.number()), Some(*op));
        }
        assert_eq!(StencilOp::from_number(8), None);
    }

    #[test]
    fn back_faces_share_the_front_state_unless_enabled() {
        let mut state = DepthStencilAlphaState::default();
        state.stencil[1].writemask = 1;
        assert_eq!(state.stencil_of(false), &state.stencil[0]);
        state.stencil[1].enabled = true;
        assert_eq!(state.stencil_of(false).writemask, 1);
        assert_eq!(state.stencil_of(true).writemask, 0xff);
    }

    #[test]
    fn writes_are_seen() {
        let mut state = DepthStencilAlphaState::depth(CompareFunc::Less);
        assert!(state.writes_depth() && !state.writes_stencil());
        state.depth_enabled = false;
        assert!(!state.writes_depth());
        state.stencil[0].zfail_op = StencilOp::Invert;
        assert!(!state.writes_stencil(), "the test is off");
        state.stencil[0].enabled = true;
        assert!(state.writes_stencil());
        state.stencil[0].writemask = 0;
        assert!(!state.writes_stencil());
    }
}
