//! The stencil test of one face.

use pipe_core::state::{StencilOp, StencilState};

use crate::lanes::Comparison;

/// A face's stencil state with its reference value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub(super) func: Comparison,
    pub(super) valuemask: u8,
    pub(super) reference: u8,
    pub(super) writemask: u8,
    pub(super) fail: StencilOp,
    pub(super) zfail: StencilOp,
    pub(super) zpass: StencilOp,
}

impl Face {
    pub(super) fn new(state: &StencilState, reference: u8) -> Face {
        Face {
            func: Comparison::new(state.func),
            valuemask: state.valuemask,
            reference,
            writemask: state.writemask,
            fail: state.fail_op,
            zfail: state.zfail_op,
            zpass: state.zpass_op,
        }
    }

    /// Returns true if the test can change the buffer.
    pub(super) fn writes(&self) -> bool {
        let ops = [self.fail, self.zfail, self.zpass];
        self.writemask != 0 && ops.iter().any(|op| *op != StencilOp::Keep)
    }

    /// Returns the outcome of `reference FUNC stored`, both under the value mask.
    #[inline(always)]
    pub(super) fn passes(&self, reference: u8, stored: u8) -> bool {
        self.func.passes(reference & self.valuemask, stored & self.valuemask)
    }

    /// Returns the value to store, from the outcomes of the stencil and the depth test.
    #[inline(always)]
    pub(super) fn result(
        &self,
        reference: u8,
        stored: u8,
        stencil_passed: bool,
        depth_passed: bool,
    ) -> u8 {
        let op = match (stencil_passed, depth_passed) {
            (false, _) => self.fail,
            (true, false) => self.zfail,
            (true, true) => self.zpass,
        };
        let new = op.apply(stored, reference);
        (new & self.writemask) | (stored & !self.writemask)
    }
}
