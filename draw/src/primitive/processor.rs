//! The state of a draw and the vertices of a segment, which all steps share.

use super::cull::Cull;
use super::effects::{Effects, VertexVariant};
use crate::shade::VertexTransform;
use crate::state::OutputModes;
use crate::statistics::Statistics;
use crate::vertex::{Slot, SlotIndex};

/// The part of a draw's state that primitives depend on. Derived once per draw.
pub(crate) struct PrimitiveState {
    pub(crate) transform: VertexTransform,
    pub(crate) cull: Cull,
    pub(crate) modes: OutputModes,
    /// Set if the rasterizer clips points as squares, instead of Draw by their centre.
    pub(crate) point_tri_clip: bool,
    /// Two-sided colour, outlines, depth offset and line stipple; `None` if the draw has none.
    pub(crate) effects: Option<Effects>,
    /// The outputs that select a primitive's target; `None` if all primitives go to layer 0 and
    /// viewport 0.
    #[cfg(feature = "stages")]
    pub(crate) targets: Option<Targets>,
}

/// The provoking vertex's output registers that select a primitive's target.
#[cfg(feature = "stages")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Targets {
    /// The layer, an integer in x.
    pub(crate) layer: Option<u16>,
    /// The viewport, an integer in x.
    pub(crate) viewport: Option<u16>,
    /// Receives the primitive's number.
    pub(crate) number: Option<u16>,
    /// The viewport that the transform currently maps to.
    pub(crate) current: usize,
    /// The guard band, in pixels.
    pub(crate) guard_band: u32,
}

impl PrimitiveState {
    /// Changes a vertex's outputs to the outputs of its variant.
    #[inline]
    pub(super) fn apply_variant(&self, outputs: &mut [[f32; 4]], variant: VertexVariant) {
        if let Some(effects) = &self.effects {
            effects.apply_variant(outputs, variant);
        }
    }
}

/// Passes one segment's primitives to the sink.
pub(crate) struct PrimitiveProcessor<'s, S> {
    pub(crate) state: &'s PrimitiveState,
    pub(crate) slots: &'s mut [Slot],
    /// The slots' outputs, one stride of registers per slot.
    pub(crate) outputs: &'s [[f32; 4]],
    /// Room for one more vertex's outputs; its length is the stride.
    pub(crate) scratch: &'s mut [[f32; 4]],
    pub(crate) sink: &'s mut S,
    pub(crate) statistics: &'s mut Statistics,
    /// The number of pixels that the current line strip has advanced in its stipple pattern.
    #[cfg_attr(
        not(feature = "primitive-effects"),
        expect(dead_code, reason = "stippled lines count them")
    )]
    pub(crate) stippled: &'s mut u32,
}

impl<S> PrimitiveProcessor<'_, S> {
    /// Returns a slot's vertex, or an invalid one for a slot number out of range.
    #[inline(always)]
    pub(super) fn slot(&self, slot: SlotIndex) -> &Slot {
        self.slots.get(usize::from(slot)).unwrap_or(&Slot::INVALID)
    }

    /// Returns a slot's outputs; none for a slot number out of range.
    #[inline(always)]
    pub(super) fn outputs(&self, slot: SlotIndex) -> &[[f32; 4]] {
        let stride = self.scratch.len();
        let start = usize::from(slot) * stride;
        self.outputs.get(start..start + stride).unwrap_or(&[])
    }

    /// Returns the position that the shader wrote for a slot's vertex.
    #[inline(always)]
    pub(super) fn written_position(&self, slot: SlotIndex) -> Option<&[f32; 4]> {
        self.outputs(slot).get(self.state.transform.position)
    }
}
