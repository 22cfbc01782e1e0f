//! Presents a texture: hands its pixels to a panel.

use pipe_core::{PipeError, ResourceHandle, TilePanel};

use super::{Access, Renderer};
use crate::debug::Phase;
use crate::device::{is_readable, resource};
use crate::profile::Profile;
use crate::state::State;

impl<'m, P: Profile> Renderer<'_, 'm, P> {
    /// Hands a layer of a level in memory to a panel.
    ///
    /// # Errors
    /// A stale handle; no such level or layer; several samples; the panel's errors; the errors of a
    /// flush.
    #[inline(always)]
    pub(crate) fn present_level(
        &mut self,
        state: &mut State<'m>,
        handle: ResourceHandle,
        [level, layer]: [u32; 2],
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let flushed = self.flush_if_used(state, handle.raw());
        self.note_stop(state, flushed)?;
        let shown = handle.raw();
        let mut access = Access::claim(self.device, &mut state.loans, |resources| {
            is_readable(resources, shown)
        })?;
        let source = resource(access.resources(), handle)?;
        if source.samples() > 1 {
            return Err(PipeError::Unsupported("presenting several samples (blit them to one)"));
        }
        let format = source.template.format;
        let Some(place) = source.place(level).copied() else {
            return Err(PipeError::Invalid("the level does not exist"));
        };
        access.lend(|loans, resources| loans.lend(resources, shown, level..=level))?;
        let bytes = access.inputs().bytes(shown, level);
        let start = (layer as usize).checked_mul(place.layer_stride);
        let pixels = start.and_then(|start| bytes.get(start..)?.get(..place.layer_stride));
        let pixels = pixels.ok_or(PipeError::Invalid("the layer does not exist"))?;
        let _watch = self.device.timer().start(Phase::Presenting);
        panel.begin(place.width, place.height)?;
        panel.tile(0, 0, place.width, place.height, format, pixels, place.row_stride)?;
        panel.finish()?;
        Ok(())
    }
}
