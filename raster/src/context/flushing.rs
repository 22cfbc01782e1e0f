//! `flush` and `present`.

use core::ops::Range;

#[cfg(feature = "pull")]
use pipe_core::Area;
#[cfg(feature = "es2")]
use pipe_core::BarrierFlags;
use pipe_core::auxiliary::PART_ROWS;
use pipe_core::context::{Flushing, PresentSource};
use pipe_core::{
    FenceHandle, FlushFlags, PipeError, ResourceHandle, SurfaceRange, TextureBarrierFlags,
    TilePanel,
};

use super::fences::wants_deferred;
use super::{Context, object};
use crate::debug::Phase;
use crate::device::{Claim, is_readable, resource};
use crate::features::{BUFFER_SURFACES, FLIGHTS, MEMORY_SURFACES};
#[cfg(feature = "pull")]
use crate::frame::LentTile;
use crate::frame::{NO_MEMORY_SURFACES, Part};
use crate::profile::Profile;

impl<P: Profile> Context<'_, '_, P> {
    /// Returns true if draws go to this streamed surface.
    fn streams(&self, handle: ResourceHandle) -> bool {
        self.framebuffer.is_streamed() && self.framebuffer.uses(handle.raw())
    }

    /// Rasterizes the draws so far, unless a panel will ask for them, and signals the fences of
    /// that work.
    ///
    /// # Errors
    /// The errors of a flush.
    pub(super) fn finish_work(&mut self) -> Result<(), PipeError> {
        self.begin()?;
        if self.framebuffer.is_streamed() {
            return Ok(());
        }
        let flushed = self.flush_scene();
        self.note_stop(flushed)?;
        self.signal_fences();
        Ok(())
    }

    /// Rasterizes the draws so far as [`finish_work`](Self::finish_work) does, but in the
    /// background if there is one.
    ///
    /// # Errors
    /// The errors of a flush.
    fn start_work(&mut self) -> Result<(), PipeError> {
        self.begin()?;
        if self.framebuffer.is_streamed() {
            return Ok(());
        }
        let flushed = self.start_scene();
        self.note_stop(flushed)
    }

    /// Copies a resource to its imported memory, if it has any.
    ///
    /// # Errors
    /// The handle is stale; the memory no longer exists.
    #[cfg(feature = "desktop")]
    fn give_copy(&self, handle: ResourceHandle) -> Result<(), PipeError> {
        let shared = self.device.lock_when(|resources| is_readable(resources, handle.raw()))?;
        resource(&shared.resources, handle)?.give_copy()
    }

    /// Checks that the source of a partial present is streamed.
    ///
    /// # Errors
    /// The source is a surface, or a resource that is not the streamed one that draws go to.
    fn check_streams(&self, source: PresentSource) -> Result<(), PipeError> {
        let PresentSource::Resource(handle) = source else {
            return Err(PipeError::Unsupported(
                "presenting a part of a surface (name its resource)",
            ));
        };
        if self.streams(handle) { Ok(()) } else { Err(PipeError::Unbound("the streamed surface")) }
    }
}

impl<P: Profile> Flushing for Context<'_, '_, P> {
    /// Rasterizes the draws so far. Scenes for streamed surfaces wait for
    /// [`present`](Self::present).
    ///
    /// Without `DEFERRED` and `ASYNC`, all work is done when the call returns, and its fence is
    /// signalled. With `ASYNC` this is also true unless the screen has a background. Every flush
    /// returns a fence if the build has fences. Flushes with signalled fences share one.
    fn flush(&mut self, flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        if wants_deferred(flags)? {
            self.begin()?;
        } else if FLIGHTS && flags.contains(FlushFlags::ASYNC) {
            self.start_work()?;
        } else {
            self.finish_work()?;
        }
        self.fence(flags)
    }

    /// Rasterizes the draws to a resource, and copies it to its imported memory, if it has any.
    #[cfg(feature = "es2")]
    fn flush_resource(&mut self, handle: ResourceHandle) -> Result<(), PipeError> {
        resource(&self.device.shared.lock().resources, handle)?;
        self.begin()?;
        let flushed = if self.streams(handle) { Ok(()) } else { self.flush_if_used(handle.raw()) };
        self.note_stop(flushed)?;
        #[cfg(feature = "desktop")]
        self.give_copy(handle)?;
        Ok(())
    }

    /// Drops a frame of a streamed surface that will not be presented.
    fn invalidate_resource(&mut self, handle: ResourceHandle) -> Result<(), PipeError> {
        resource(&self.device.shared.lock().resources, handle)?;
        if self.streams(handle) {
            self.drop_scene();
        }
        Ok(())
    }

    #[cfg(feature = "desktop")]
    fn is_resource_referenced(
        &self,
        resource: ResourceHandle,
        level: u32,
        layer: u32,
    ) -> Result<pipe_core::Referenced, PipeError> {
        self.scene_references(resource, level, layer)
    }

    // Kept out of line, so that `cargo xtask size` finds it in an image.
    #[inline(never)]
    fn present(
        &mut self,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        self.begin()?;
        let (handle, level, layer) = match source {
            PresentSource::Resource(resource) => (resource, 0, 0),
            PresentSource::Surface(surface) => {
                let surface = object(&self.objects.surfaces, surface)?;
                let (level, layer) = match surface.template.range {
                    SurfaceRange::Texture { level, first_layer, .. } => (level, first_layer),
                    SurfaceRange::Buffer { .. } if BUFFER_SURFACES => {
                        return Err(PipeError::Unsupported("presenting a surface of a buffer"));
                    }
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
            let shown = self.stream(panel, Part::rows(0..height));
            return self.note_stop(shown);
        }
        if !MEMORY_SURFACES {
            return Err(NO_MEMORY_SURFACES);
        }
        let flushed = self.flush_if_used(handle.raw());
        self.note_stop(flushed)?;
        let shown = handle.raw();
        let mut claim =
            Claim::when(self.device, self.take_loans(), |resources| is_readable(resources, shown))?;
        let source = resource(claim.resources(), handle)?;
        if source.samples() > 1 {
            return Err(PipeError::Unsupported("presenting several samples (blit them to one)"));
        }
        let format = source.template.format;
        let Some(place) = source.place(level).copied() else {
            return Err(PipeError::Invalid("a level that is not there"));
        };
        claim.lend(|loans, resources| loans.lend(resources, shown, level..=level))?;
        let bytes = claim.inputs().bytes(shown, level);
        let start = (layer as usize).checked_mul(place.layer_stride);
        let pixels = start.and_then(|start| bytes.get(start..)?.get(..place.layer_stride));
        let pixels = pixels.ok_or(PipeError::Invalid("a layer that is not there"))?;
        let _watch = self.device.timer().start(Phase::Presenting);
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
        self.check_streams(source)?;
        self.begin()?;
        let shown = self.stream(panel, Part::rows(rows));
        self.note_stop(shown)
    }

    #[cfg(feature = "pull")]
    fn present_tile(
        &mut self,
        source: PresentSource,
        index: u32,
        pixels: &mut [u8],
    ) -> Result<Option<Area>, PipeError> {
        self.check_streams(source)?;
        let Some(part) = Part::tile::<P>(&self.framebuffer, index) else {
            self.drop_scene();
            self.signal_fences();
            self.release_workers();
            return Ok(None);
        };
        self.begin()?;
        let limit = pixels.len() as u64;
        let mut lent = LentTile::new(pixels);
        let drawn = self.stream(&mut lent, part);
        if let Some(bytes) = lent.missing {
            let what = "the bytes of a tile";
            return Err(PipeError::OutOfRange { what, value: bytes as u64, limit });
        }
        self.note_stop(drawn).map(|()| lent.area)
    }

    #[cfg(feature = "desktop")]
    fn dump_debug_state(&self, out: &mut dyn core::fmt::Write) -> core::fmt::Result {
        self.dump(out)
    }

    #[cfg(feature = "desktop")]
    fn emit_string_marker(&mut self, marker: &str) {
        self.diagnostics.mark(marker);
    }

    fn texture_barrier(&mut self, flags: TextureBarrierFlags) {
        // Framebuffer fetches see earlier draws anyway. Errors come with the next flush.
        if flags.contains(TextureBarrierFlags::SAMPLER) {
            let _ = self.finish_work();
        }
    }

    /// Makes the CPU's writes to persistent maps visible to commands. Shader writes are visible to
    /// every later command without a barrier. An error comes with the next call that reads
    /// resources.
    #[cfg(feature = "es2")]
    fn memory_barrier(&mut self, flags: BarrierFlags) {
        if flags.contains(BarrierFlags::MAPPED_BUFFER) {
            let _ = self.hand_over();
        }
    }
}
