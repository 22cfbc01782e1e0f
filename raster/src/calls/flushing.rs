//! `flush` and `present`.

use core::ops::Range;

use pipe_core::Area;
#[cfg(feature = "es2")]
use pipe_core::BarrierFlags;
use pipe_core::auxiliary::PART_ROWS;
use pipe_core::context::{Flushing, PresentSource};
use pipe_core::{
    FenceHandle, FlushFlags, PipeError, ResourceHandle, SurfaceRange, TextureBarrierFlags,
    TilePanel,
};

use crate::context::Context;
use crate::features::{BUFFER_SURFACES, DESKTOP, FLIGHTS, MEMORY_SURFACES};
use crate::frame::LentTile;
use crate::frame::{NO_MEMORY_SURFACES, Part};
use crate::profile::Profile;
use crate::state::object;

impl<P: Profile> Context<'_, '_, P> {
    /// Returns true if draws go to this streamed surface.
    fn streams(&self, handle: ResourceHandle) -> bool {
        self.renderer.framebuffer.is_streamed() && self.renderer.framebuffer.uses(handle.raw())
    }

    /// Rasterizes the draws so far, unless a panel will ask for them, and signals the fences of
    /// that work.
    ///
    /// # Errors
    /// The errors of a flush.
    pub(super) fn finish_work(&mut self) -> Result<(), PipeError> {
        self.begin()?;
        if self.renderer.framebuffer.is_streamed() {
            return Ok(());
        }
        let flushed = self.renderer.flush_scene(&mut self.state);
        self.note_stop(flushed)?;
        self.state.fences.signal(self.renderer.device);
        Ok(())
    }

    /// Rasterizes the draws so far as [`finish_work`](Self::finish_work) does, but in the
    /// background if there is one.
    ///
    /// # Errors
    /// The errors of a flush.
    fn start_work(&mut self) -> Result<(), PipeError> {
        self.begin()?;
        if self.renderer.framebuffer.is_streamed() {
            return Ok(());
        }
        let flushed = self.renderer.start_scene(&mut self.state);
        self.note_stop(flushed)
    }

    /// Returns the fence of all work so far, and signals the fences of finished work.
    ///
    /// # Errors
    /// Out of memory.
    #[cfg(feature = "desktop")]
    fn fence(&mut self, flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        let Context { state, renderer } = self;
        let device = renderer.device;
        if renderer.scene.is_empty() {
            state.fences.signal(device);
            return Ok(Some(FenceHandle::new(renderer.fence_of_flight()?)));
        }
        // Fences of pending work are signalled together, so flushes that leave work for a panel
        // share one.
        if !flags.contains(FlushFlags::DEFERRED)
            && let Some(fence) = state.fences.share_last(device)
        {
            return Ok(Some(FenceHandle::new(fence)));
        }
        Ok(Some(FenceHandle::new(state.fences.add(device)?)))
    }

    /// Returns no fence.
    ///
    /// # Errors
    /// None.
    #[cfg(not(feature = "desktop"))]
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the feature the context has fences")]
    fn fence(&mut self, _: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        Ok(None)
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
        if DESKTOP && flags.contains(FlushFlags::DEFERRED) {
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
        self.renderer.device.check_resource(handle)?;
        self.begin()?;
        let flushed = if self.streams(handle) {
            Ok(())
        } else {
            self.renderer.flush_if_used(&mut self.state, handle.raw())
        };
        self.note_stop(flushed)?;
        #[cfg(feature = "desktop")]
        self.renderer.device.give_copy(handle)?;
        Ok(())
    }

    /// Drops a frame of a streamed surface that will not be presented.
    fn invalidate_resource(&mut self, handle: ResourceHandle) -> Result<(), PipeError> {
        self.renderer.device.check_resource(handle)?;
        if self.streams(handle) {
            self.renderer.drop_scene();
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
        self.renderer.references(resource, level, layer)
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
                let surface = object(&self.state.objects.surfaces, surface)?;
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
        if self.renderer.device.is_streamed(handle)? {
            if !self.renderer.framebuffer.uses(handle.raw()) {
                return Err(PipeError::Unbound("the streamed surface"));
            }
            let height = self.renderer.framebuffer.height;
            let shown = self.renderer.stream(&mut self.state, panel, Part::rows(0..height));
            return self.note_stop(shown);
        }
        if !MEMORY_SURFACES {
            return Err(NO_MEMORY_SURFACES);
        }
        self.renderer.present_level(&mut self.state, handle, [level, layer], panel)
    }

    fn present_rows(
        &mut self,
        source: PresentSource,
        rows: Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let height = self.renderer.framebuffer.height;
        let ends = rows.end == height || rows.end.is_multiple_of(PART_ROWS);
        if rows.end > height || rows.is_empty() || !ends || !rows.start.is_multiple_of(PART_ROWS) {
            return Err(PipeError::Invalid("the rows are not part of a frame"));
        }
        self.check_streams(source)?;
        self.begin()?;
        let shown = self.renderer.stream(&mut self.state, panel, Part::rows(rows));
        self.note_stop(shown)
    }

    fn present_tile(
        &mut self,
        source: PresentSource,
        index: u32,
        pixels: &mut [u8],
    ) -> Result<Option<Area>, PipeError> {
        self.check_streams(source)?;
        let Some(part) = Part::tile::<P>(&self.renderer.framebuffer, index) else {
            self.renderer.drop_scene();
            self.state.fences.signal(self.renderer.device);
            self.renderer.release_workers();
            return Ok(None);
        };
        self.begin()?;
        let limit = pixels.len() as u64;
        let mut lent = LentTile::new(pixels);
        let drawn = self.renderer.stream(&mut self.state, &mut lent, part);
        if let Some(bytes) = lent.missing {
            let what = "the bytes of a tile";
            return Err(PipeError::OutOfRange { what, value: bytes as u64, limit });
        }
        self.note_stop(drawn).map(|()| lent.area)
    }

    #[cfg(feature = "desktop")]
    fn dump_debug_state(&self, out: &mut dyn core::fmt::Write) -> core::fmt::Result {
        self.renderer.dump(&self.state, out)
    }

    #[cfg(feature = "desktop")]
    fn emit_string_marker(&mut self, marker: &str) {
        self.state.diagnostics.mark(marker);
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
            let _ = self.renderer.hand_over(&mut self.state);
        }
    }
}
