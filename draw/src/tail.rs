//! The end of the chain after any last stage: captures primitives of shaded vertices, then clips
//! and culls them and passes them to the sink.

use crate::assemble::Primitive;
use crate::error::DrawError;
use crate::features::STREAM_OUTPUT;
#[cfg(feature = "stages")]
use crate::outcode;
use crate::primitive::{PrimitiveProcessor, PrimitiveState};
#[cfg(feature = "stages")]
use crate::shade::VertexTransform;
use crate::sink::PrimitiveSink;
#[cfg(feature = "stages")]
use crate::state::DrawState;
use crate::statistics::Statistics;
use crate::vertex::{Slot, SlotIndex};
#[cfg(feature = "stages")]
use pipe_core::limits::MAX_VIEWPORTS;

/// The sink of a draw, and the state that all its primitives share.
pub(crate) struct Tail<'r, S> {
    /// Read if primitives choose their viewport.
    #[cfg(feature = "stages")]
    pub(crate) draw_state: &'r DrawState<'r>,
    pub(crate) state: &'r mut PrimitiveState,
    /// Set if primitives end after capture.
    pub(crate) discards: bool,
    pub(crate) sink: &'r mut S,
    pub(crate) statistics: Statistics,
    /// The number of pixels that the current line strip has advanced in its stipple pattern.
    pub(crate) stippled: u32,
}

/// A block of shaded vertices.
pub(crate) struct Shaded<'v> {
    pub(crate) slots: &'v mut [Slot],
    /// The slots' outputs, one stride of registers per slot.
    pub(crate) outputs: &'v mut [[f32; 4]],
    /// Room for one more vertex's outputs; its length is the stride.
    pub(crate) scratch: &'v mut [[f32; 4]],
}

impl Shaded<'_> {
    /// Returns the outputs of a slot's vertex; none for a slot number out of range.
    #[inline(always)]
    fn outputs(&self, slot: SlotIndex) -> &[[f32; 4]] {
        let stride = self.scratch.len();
        let start = usize::from(slot) * stride;
        self.outputs.get(start..start + stride).unwrap_or(&[])
    }
}

impl<S: PrimitiveSink> Tail<'_, S> {
    /// Captures primitives of stream 0 and passes them to the sink, in order. `ids` are their
    /// numbers, which are read if a fragment shader needs them.
    ///
    /// # Errors
    /// The sink failed, or has no room for a single primitive.
    #[inline(always)]
    pub(crate) fn primitives(
        &mut self,
        shaded: Shaded<'_>,
        primitives: &[Primitive<SlotIndex>],
        ids: &[u32],
    ) -> Result<(), DrawError<S::Error>> {
        self.statistics.primitives += primitives.len() as u64;
        if STREAM_OUTPUT && self.sink.captures() {
            for primitive in primitives {
                self.capture(0, &shaded, primitive);
            }
        }
        if self.discards {
            return Ok(());
        }
        self.statistics.c_invocations += primitives.len() as u64;
        #[cfg(feature = "stages")]
        if self.state.targets.is_some() {
            return self.one_by_one(shaded, primitives, ids);
        }
        #[cfg(not(feature = "stages"))]
        let _ = ids;
        self.processor(shaded).primitives(primitives)
    }

    /// Passes the outputs of a primitive's vertices to the sink's stream output.
    pub(crate) fn capture(
        &mut self,
        stream: u8,
        shaded: &Shaded<'_>,
        primitive: &Primitive<SlotIndex>,
    ) {
        let vertices = primitive.vertices.map(|slot| shaded.outputs(slot));
        self.sink.capture(stream, vertices.get(..primitive.count.into()).unwrap_or(&[]));
    }

    /// Captures a primitive of a stream above 0. Such a primitive is never drawn.
    #[cfg(feature = "stages")]
    pub(crate) fn capture_only(
        &mut self,
        stream: u8,
        shaded: &Shaded<'_>,
        primitive: &Primitive<SlotIndex>,
    ) {
        let above = usize::from(stream).wrapping_sub(1);
        if let Some(count) = self.statistics.stages.other_streams.get_mut(above) {
            *count += 1;
        }
        if STREAM_OUTPUT && self.sink.captures() {
            self.capture(stream, shaded, primitive);
        }
    }

    #[inline(always)]
    fn processor<'t>(&'t mut self, shaded: Shaded<'t>) -> PrimitiveProcessor<'t, S> {
        PrimitiveProcessor {
            state: self.state,
            slots: shaded.slots,
            outputs: shaded.outputs,
            scratch: shaded.scratch,
            sink: self.sink,
            statistics: &mut self.statistics,
            stippled: &mut self.stippled,
        }
    }

    /// Passes primitives to the sink that choose their layer and viewport, or have a number.
    #[cfg(feature = "stages")]
    #[inline(never)]
    fn one_by_one(
        &mut self,
        mut shaded: Shaded<'_>,
        primitives: &[Primitive<SlotIndex>],
        ids: &[u32],
    ) -> Result<(), DrawError<S::Error>> {
        let ids = ids.iter().copied().chain(core::iter::repeat(0));
        for (primitive, id) in primitives.iter().zip(ids) {
            let Some(targets) = self.state.targets else { continue };
            let provoking = primitive.vertices.get(usize::from(primitive.provoking));
            let provoking = shaded.outputs(provoking.copied().unwrap_or(0));
            let number = |register: Option<u16>| {
                let output = register.and_then(|register| provoking.get(usize::from(register)));
                output.map_or(0, |output| output[0].to_bits())
            };
            let (layer, viewport) = (number(targets.layer), number(targets.viewport));
            let viewport = if viewport < MAX_VIEWPORTS as u32 { viewport } else { 0 };
            self.enter_viewport(viewport as usize);
            if targets.viewport.is_some() || targets.number.is_some() {
                self.take_again(&mut shaded, primitive, id);
            }
            self.sink.select(layer, viewport);
            let Shaded { slots, outputs, scratch } = &mut shaded;
            self.processor(Shaded { slots, outputs, scratch })
                .primitives(core::slice::from_ref(primitive))?;
        }
        Ok(())
    }

    /// Selects the viewport that primitives are projected to.
    #[cfg(feature = "stages")]
    fn enter_viewport(&mut self, viewport: usize) {
        let Some(targets) = self.state.targets.as_mut() else { return };
        if core::mem::replace(&mut targets.current, viewport) != viewport {
            let position = self.state.transform.position as u16;
            self.state.transform =
                VertexTransform::new(self.draw_state, viewport, position, targets.guard_band);
        }
    }

    /// Prepares vertices to be passed again: projects them to the primitive's viewport, and writes
    /// its number to their outputs.
    #[cfg(feature = "stages")]
    fn take_again(&self, shaded: &mut Shaded<'_>, primitive: &Primitive<SlotIndex>, id: u32) {
        let Some(targets) = &self.state.targets else { return };
        let stride = shaded.scratch.len();
        for slot in primitive.vertices {
            let start = usize::from(slot) * stride;
            let (Some(outputs), Some(slot)) = (
                shaded.outputs.get_mut(start..start + stride),
                shaded.slots.get_mut(usize::from(slot)),
            ) else {
                continue;
            };
            if let Some(register) = targets.number
                && let Some(output) = outputs.get_mut(usize::from(register))
            {
                *output = [f32::from_bits(id), 0.0, 0.0, 0.0];
            }
            if targets.viewport.is_some() {
                *slot = self.state.transform.project(outputs);
            }
            slot.code &= !outcode::HANDED_OVER;
        }
    }
}
