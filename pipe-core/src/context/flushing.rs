//! Flushes, barriers, presenting (manual, chapter Context, "Flushing").

use core::ops::Range;

use super::unsupported;
use crate::error::PipeError;
use crate::flags::{BarrierFlags, FlushFlags, TextureBarrierFlags};
use crate::handle::{FenceHandle, ResourceHandle, SurfaceHandle};
use crate::panel::{Area, TilePanel};

/// The picture that is presented.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PresentSource {
    /// Level 0 of a display target.
    Resource(ResourceHandle),
    /// The first layer of a surface.
    Surface(SurfaceHandle),
}

impl From<ResourceHandle> for PresentSource {
    fn from(resource: ResourceHandle) -> Self {
        Self::Resource(resource)
    }
}

impl From<SurfaceHandle> for PresentSource {
    fn from(surface: SurfaceHandle) -> Self {
        Self::Surface(surface)
    }
}

/// Starts pending work, and orders it.
pub trait Flushing {
    /// Starts all pending work. Returns a fence of it, whatever the flags, if the driver has fences.
    /// `Screen::fence_destroy` ends its handle. Flushes may return the same handle: each returned handle
    /// is destroyed once.
    ///
    /// # Errors
    /// [`PipeError::OutOfMemory`] or [`PipeError::DeviceLost`] from the work itself.
    fn flush(&mut self, flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError>;

    /// Makes the contents of a resource visible to users outside of the screen.
    ///
    /// # Errors
    /// The handle is stale; [`PipeError::Invalid`]: the memory of others is gone.
    fn flush_resource(&mut self, resource: ResourceHandle) -> Result<(), PipeError> {
        let _ = resource;
        Ok(())
    }

    /// Discards the contents of a resource, which the caller no longer needs.
    ///
    /// # Errors
    /// The handle is stale.
    fn invalidate_resource(&mut self, resource: ResourceHandle) -> Result<(), PipeError> {
        let _ = resource;
        Ok(())
    }

    /// Returns the use of a level's layer by commands that this context has taken and not done yet: a map
    /// would wait for them. A driver that does not know says both.
    ///
    /// # Errors
    /// The handle is stale.
    #[cfg(feature = "desktop")]
    fn is_resource_referenced(
        &self,
        resource: ResourceHandle,
        level: u32,
        layer: u32,
    ) -> Result<crate::Referenced, PipeError> {
        let _ = (resource, level, layer);
        Ok(crate::Referenced::all())
    }

    /// Ours: finishes a picture and hands it to a display, tile by tile.
    ///
    /// A streamed resource is drawn now, each tile in the same small memory, and holds nothing
    /// afterwards; other resources are flushed and copied out.
    ///
    /// # Errors
    /// The handle is stale or no display target, the panel's error, or
    /// [`PipeError::Unsupported`].
    fn present(
        &mut self,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let _ = (source, panel);
        unsupported("presenting")
    }

    /// Ours: presents some rows of a frame of a streamed resource that exceeds the driver's memory:
    /// the caller draws the frame several times, limited to some rows by the scissor, and presents
    /// these rows. `rows` begin and end at multiples of 64 or at the surface's end, and parts
    /// follow each other from the first row to the last. [`Bands`](crate::Bands) does all that.
    ///
    /// # Errors
    /// Those of `present`; rows that cannot be a part; a resource that is not streamed.
    fn present_rows(
        &mut self,
        source: PresentSource,
        rows: Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let _ = (source, rows, panel);
        unsupported("presenting in parts")
    }

    /// Ours: draws tile `index` of a frame of a streamed resource into `pixels`, its rows without gaps, and
    /// returns its rectangle. Tiles are counted from 0, in the order that `present` has; they may be
    /// drawn in any order and again. Past the last one the frame ends, and the result is `None`.
    ///
    /// It is `present` for callers that send tiles themselves, as tasks do that must not block.
    /// [`Tiles`](crate::Tiles) counts for them. What is drawn between two calls belongs to the frame.
    ///
    /// # Errors
    /// Those of `present`; a tile of more bytes than `pixels` has; a resource that is not streamed.
    /// But for [`PipeError::SceneFull`], the frame is still there.
    fn present_tile(
        &mut self,
        source: PresentSource,
        index: u32,
        pixels: &mut [u8],
    ) -> Result<Option<Area>, PipeError> {
        let _ = (source, index, pixels);
        unsupported("presenting tile by tile")
    }

    /// Makes earlier draws visible to lookups in the textures they drew to, and to framebuffer
    /// fetches.
    fn texture_barrier(&mut self, flags: TextureBarrierFlags) {
        let _ = flags;
    }

    /// Makes writes of shaders visible to the given accesses of later commands.
    fn memory_barrier(&mut self, flags: BarrierFlags) {
        let _ = flags;
    }

    /// Decompresses the depth buffer for the current sample locations; a hint.
    fn evaluate_depth_buffer(&mut self) {}

    /// Writes the state of the context for people to read.
    ///
    /// # Errors
    /// The writer's.
    #[cfg(feature = "diagnostics")]
    fn dump_debug_state(&self, out: &mut dyn core::fmt::Write) -> core::fmt::Result {
        out.write_str("this driver has nothing to say\n")
    }

    /// Leaves a note for debuggers in the stream of commands.
    fn emit_string_marker(&mut self, marker: &str) {
        let _ = marker;
    }
}
