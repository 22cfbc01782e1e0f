//! Depth and stencil: texels, and the tests of fragments.
//!
//! Depth is compared in the buffer's representation: an integer of its width, or the bits of a
//! float. Depth is not negative, so the bits of floats have the same order as integers.

use formats::Format;
use formats::depth::DepthLayout;
use pipe_core::{CompareFunc, DepthStencilAlphaState, StencilRef};

use crate::target::Texel;

/// A depth and stencil format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DepthStencilFormat {
    layout: DepthLayout,
    stencil: bool,
}

impl DepthStencilFormat {
    /// Returns the format's layout; `None` if it has neither depth nor stencil.
    pub(crate) fn of(format: Format) -> Option<Self> {
        let layout = DepthLayout::new(format)?;
        Some(DepthStencilFormat { layout, stencil: format.has_stencil() })
    }

    /// Returns true if texels have depth.
    pub(crate) fn has_depth(&self) -> bool {
        self.layout.depth.is_some()
    }

    /// Returns true if texels have stencil.
    pub(crate) fn has_stencil(&self) -> bool {
        self.stencil
    }

    fn is_float(&self) -> bool {
        self.layout.depth.is_some_and(|depth| depth.float)
    }

    fn bits(&self) -> u32 {
        self.layout.depth.map_or(32, |depth| u32::from(depth.bits))
    }

    /// Converts a depth, clamped to 0 to 1, to the nearest value in the buffer's representation
    /// (OpenGL 4.6, section 2.3.5). NaN becomes 0.
    pub(crate) fn encode(&self, depth: f64) -> u32 {
        let depth = if depth > 0.0 { depth.min(1.0) } else { 0.0 };
        if self.is_float() {
            return (depth as f32).to_bits();
        }
        let greatest = f64::from(u32::MAX >> (32 - self.bits()));
        (depth * greatest).round_ties_even() as u32
    }

    /// Converts a value in the buffer's representation to a depth, 0 to 1.
    pub(crate) fn decode(&self, stored: u32) -> f64 {
        if self.is_float() {
            return f32::from_bits(stored).into();
        }
        f64::from(stored) / f64::from(u32::MAX >> (32 - self.bits()))
    }

    /// Returns a texel's depth in the buffer's representation.
    pub(crate) fn depth(&self, texel: &Texel) -> u32 {
        if self.is_float() {
            return self.layout.z_f32(texel).to_bits();
        }
        self.layout.z_unorm32(texel) >> (32 - self.bits())
    }

    /// Replaces a texel's depth, given in the buffer's representation.
    pub(crate) fn set_depth(&self, texel: &mut Texel, stored: u32) {
        if self.is_float() {
            self.layout.set_z_f32(texel, f32::from_bits(stored));
        } else {
            self.layout.set_z_unorm32(texel, stored << (32 - self.bits()));
        }
    }

    /// Returns a texel's stencil value.
    pub(crate) fn stencil(&self, texel: &Texel) -> u8 {
        self.layout.stencil(texel)
    }

    /// Replaces a texel's stencil value.
    pub(crate) fn set_stencil(&self, texel: &mut Texel, value: u8) {
        self.layout.set_stencil(texel, value);
    }
}

/// The tests of a draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DepthStencilTest {
    pub(crate) state: DepthStencilAlphaState,
    pub(crate) reference: StencilRef,
    pub(crate) format: DepthStencilFormat,
}

impl DepthStencilTest {
    /// Tests a fragment in the order depth bounds, stencil, depth; updates the texel and returns
    /// true if the fragment passes. `exported` is the stencil reference that the shader wrote.
    pub(crate) fn test(
        &self,
        texel: &mut Texel,
        depth: f64,
        exported: Option<u8>,
        front: bool,
    ) -> bool {
        let DepthStencilTest { state, format, .. } = self;
        let old = format.depth(texel);
        if state.depth_bounds_test && format.has_depth() {
            let least = format.encode(state.depth_bounds_min.into());
            let greatest = format.encode(state.depth_bounds_max.into());
            if old < least || old > greatest {
                return false;
            }
        }
        let tests_stencil = state.stencil[0].enabled && format.has_stencil();
        let face = state.stencil_of(front);
        let reference = self.reference.of(front, state.stencil[1].enabled);
        let reference = exported.unwrap_or(reference);
        let stored = format.stencil(texel);
        let update = |op: pipe_core::StencilOp, texel: &mut Texel| {
            if tests_stencil {
                let new = op.apply(stored, reference);
                let kept = stored & !face.writemask;
                format.set_stencil(texel, new & face.writemask | kept);
            }
        };
        if tests_stencil && !face.func.passes(reference & face.valuemask, stored & face.valuemask) {
            update(face.fail_op, texel);
            return false;
        }
        let new = format.encode(depth);
        let tests_depth = state.depth_enabled && format.has_depth();
        let func = if tests_depth { state.depth_func } else { CompareFunc::Always };
        if !func.passes(new, old) {
            update(face.zfail_op, texel);
            return false;
        }
        update(face.zpass_op, texel);
        if tests_depth && state.depth_writemask {
            format.set_depth(texel, new);
        }
        true
    }
}
