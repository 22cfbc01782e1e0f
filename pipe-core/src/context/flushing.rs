//! Flushes, barriers, presentation (manual, chapter Context, "Flushing").

use core::ops::Range;

use super::unsupported;
use crate::error::PipeError;
use crate::flags::{BarrierFlags, FlushFlags, TextureBarrierFlags};
use crate::handle::{FenceHandle, ResourceHandle, SurfaceHandle};
use crate::panel::{Area, TilePanel};

/// The picture to present.
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
    /// Starts all pending work. Returns a fence for it, whatever the flags are, if the driver has
    /// fences. `Screen::fence_destroy` destroys the returned handle. Flushes may return the same
    /// handle: destroy it once per flush that returned it.
    ///
    /// # Errors
    /// [`PipeError::OutOfMemory`] or [`PipeError::DeviceLost`] from the work itself.
    fn flush(&mut self, flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError>;

    /// Makes the contents of a resource visible outside of the screen.
    ///
    /// # Errors
    /// The handle is stale; [`PipeError::Invalid`]: the imported memory is gone.
    fn flush_resource(&mut self, resource: ResourceHandle) -> Result<(), PipeError> {
        let _ = resource;
        Ok(())
    }

    /// Discards the contents of a resource that the caller no longer needs.
    ///
    /// # Errors
    /// The handle is stale.
    fn invalidate_resource(&mut self, resource: ResourceHandle) -> Result<(), PipeError> {
        let _ = resource;
        Ok(())
    }

    /// Returns how unfinished commands of this context use a layer of a level. A map would wait for
    /// these commands. A driver without this knowledge reports reads and writes.
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

    /// Ours: finishes a picture and presents it on a display, tile by tile.
    ///
    /// A streamed resource is drawn now, tile by tile in the same small memory, and holds nothing
    /// afterwards. Other resources are flushed and copied out.
    ///
    /// # Errors
    /// The handle is stale or not a display target, the panel's error, or
    /// [`PipeError::Unsupported`].
    fn present(
        &mut self,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let _ = (source, panel);
        unsupported("presenting")
    }

    /// Ours: presents some rows of a frame of a streamed resource that exceeds the driver's memory.
    /// The caller draws the frame several times, limited to some rows by the scissor, and presents
    /// these rows. `rows` must begin and end at multiples of 64 or at the surface's end, and parts
    /// must follow each other from the first row to the last. [`Bands`](crate::Bands) does this for
    /// you.
    ///
    /// # Errors
    /// As for `present`; the rows cannot be a part; the resource is not streamed.
    fn present_rows(
        &mut self,
        source: PresentSource,
        rows: Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let _ = (source, rows, panel);
        unsupported("presenting in parts")
    }

    /// Ours: draws tile `index` of a frame of a streamed resource into `pixels`, with its rows
    /// tightly packed, and returns its rectangle. Tiles count from 0, in the order of `present`.
    /// They may be drawn in any order and more than once. An `index` beyond the last tile ends the
    /// frame and returns `None`.
    ///
    /// Use it instead of `present` if you send tiles yourself, for example in tasks that must not
    /// block. [`Tiles`](crate::Tiles) counts the tiles. Draws between two calls belong to the
    /// frame.
    ///
    /// # Errors
    /// As for `present`; the tile is larger than `pixels`; the resource is not streamed. The frame
    /// is kept, except after [`PipeError::SceneFull`].
    fn present_tile(
        &mut self,
        source: PresentSource,
        index: u32,
        pixels: &mut [u8],
    ) -> Result<Option<Area>, PipeError> {
        let _ = (source, index, pixels);
        unsupported("presenting tile by tile")
    }

    /// Makes earlier draws visible to lookups in the textures that they drew to, and to framebuffer
    /// fetches.
    fn texture_barrier(&mut self, flags: TextureBarrierFlags) {
        let _ = flags;
    }

    /// Makes shader writes visible to the given accesses of later commands.
    fn memory_barrier(&mut self, flags: BarrierFlags) {
        let _ = flags;
    }

    /// Decompresses the depth buffer for the current sample locations; a hint.
    fn evaluate_depth_buffer(&mut self) {}

    /// Prints the state of the context for developers.
    ///
    /// # Errors
    /// The writer's error.
    #[cfg(feature = "diagnostics")]
    fn dump_debug_state(&self, out: &mut dyn core::fmt::Write) -> core::fmt::Result {
        out.write_str("this driver has nothing to say\n")
    }

    /// Adds a note for debuggers to the command stream.
    fn emit_string_marker(&mut self, marker: &str) {
        let _ = marker;
    }
}
