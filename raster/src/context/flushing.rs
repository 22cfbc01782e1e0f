//! Getting things done: flush, and present to a display.

use core::ops::Range;

use pipe_core::auxiliary::PART_ROWS;
use pipe_core::context::{Flushing, PresentSource};
use pipe_core::{
    FenceHandle, FlushFlags, PipeError, ResourceHandle, SurfaceRange, TextureBarrierFlags,
    TilePanel,
};

use super::{Context, object};
use crate::device::{Claim, is_readable, resource};
use crate::profile::Profile;

impl<P: Profile> Flushing for Context<'_, '_, P> {
    /// Rasterizes what was drawn. Scenes for streamed surfaces wait for [`present`](Self::present).
    ///
    /// Returns no fence: when it returns, everything is done.
    fn flush(&mut self, _flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        if !self.framebuffer.is_streamed() {
            self.flush_scene()?;
        }
        Ok(None)
    }

    /// Drops a frame of a streamed surface that will not be presented.
    fn invalidate_resource(&mut self, handle: ResourceHandle) -> Result<(), PipeError> {
        resource(&self.device.shared.lock().resources, handle)?;
        if self.framebuffer.is_streamed() && self.framebuffer.uses(handle.raw()) {
            self.scene.reset();
            self.touch();
        }
        Ok(())
    }

    fn present(
        &mut self,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let (handle, level, layer) = match source {
            PresentSource::Resource(resource) => (resource, 0, 0),
            PresentSource::Surface(surface) => {
                let surface = object(&self.objects.surfaces, surface)?;
                let (level, layer) = match surface.template.range {
                    SurfaceRange::Texture { level, first_layer, .. } => (level, first_layer),
                    SurfaceRange::Buffer { .. } => (0, 0),
                };
                (ResourceHandle::new(surface.resource), level, layer)
            }
        };
        let streamed = {
            let shared = self.device.shared.lock();
            let shown = shared.resources.get(handle.raw());
            shown.ok_or_else(|| PipeError::stale(handle))?.is_streamed()
        };
        if streamed {
            if !self.framebuffer.uses(handle.raw()) {
                return Err(PipeError::Unbound("the streamed surface"));
            }
            let height = self.framebuffer.height;
            return self.stream(panel, 0..height);
        }
        self.flush_if_used(handle.raw())?;
        let shown = handle.raw();
        let mut claim =
            Claim::when(self.device, self.take_loans(), |resources| is_readable(resources, shown));
        let source = resource(claim.resources(), handle)?;
        let format = source.template.format;
        let Some(place) = source.place(level).copied() else {
            return Err(PipeError::Invalid("a level that is not there"));
        };
        claim.lend(|loans, resources| loans.lend(resources, shown, level..=level))?;
        let bytes = claim.inputs().bytes(shown, level);
        let start = (layer as usize).checked_mul(place.layer_stride);
        let pixels = start.and_then(|start| bytes.get(start..)?.get(..place.layer_stride));
        let pixels = pixels.ok_or(PipeError::Invalid("a layer that is not there"))?;
        panel.begin(place.width, place.height)?;
        panel.tile(0, 0, place.width, place.height, format, pixels, place.row_stride)?;
        panel.finish()?;
        self.loans = claim.end();
        Ok(())
    }

    fn present_rows(
        &mut self,
        source: PresentSource,
        rows: Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let height = self.framebuffer.height;
        let ends = rows.end == height || rows.end.is_multiple_of(PART_ROWS);
        if rows.end > height || rows.is_empty() || !ends || !rows.start.is_multiple_of(PART_ROWS) {
            return Err(PipeError::Invalid("rows that are no part of a frame"));
        }
        let PresentSource::Resource(handle) = source else {
            return Err(PipeError::Unsupported("presenting a part of a surface"));
        };
        if !self.framebuffer.is_streamed() || !self.framebuffer.uses(handle.raw()) {
            return Err(PipeError::Unbound("the streamed surface"));
        }
        self.stream(panel, rows)
    }

    fn texture_barrier(&mut self, _flags: TextureBarrierFlags) {
        // Later draws sample the result of earlier ones; errors come with the next flush.
        let _ = self.flush(FlushFlags::empty());
    }
}
