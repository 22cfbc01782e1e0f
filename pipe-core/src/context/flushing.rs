//! Getting things done: flushes, barriers, presenting.

use core::ops::Range;

use super::unsupported;
use crate::error::PipeError;
use crate::flags::{BarrierFlags, FlushFlags, TextureBarrierFlags};
use crate::handle::{FenceHandle, ResourceHandle, SurfaceHandle};
use crate::panel::TilePanel;

/// What is presented.
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

/// Flushing.
pub trait Flushing {
    /// Starts all work handed over so far. A fence is returned if the driver has fences and
    /// the flags ask for one, or it costs nothing.
    ///
    /// # Errors
    /// [`PipeError::OutOfMemory`] or [`PipeError::DeviceLost`] from the work itself.
    fn flush(&mut self, flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError>;

    /// Makes a resource ready for users outside of the screen.
    ///
    /// # Errors
    /// The handle is stale.
    fn flush_resource(&mut self, resource: ResourceHandle) -> Result<(), PipeError> {
        let _ = resource;
        Ok(())
    }

    /// Declares that a resource's contents are no longer needed.
    ///
    /// # Errors
    /// The handle is stale.
    fn invalidate_resource(&mut self, resource: ResourceHandle) -> Result<(), PipeError> {
        let _ = resource;
        Ok(())
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

    /// Ours: a part of [`present`](Self::present), for a frame of a streamed resource that is too
    /// large to be kept whole: draw it several times, confined to some rows by the scissor, and
    /// present those. `rows` must begin and end at multiples of 64 or at the surface's end, and
    /// follow each other from the first to the last. [`Bands`](crate::Bands) does all that.
    ///
    /// # Errors
    /// As `present`; rows that cannot be a part; a resource that is not streamed.
    fn present_rows(
        &mut self,
        source: PresentSource,
        rows: Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let _ = (source, rows, panel);
        unsupported("presenting in parts")
    }

    /// Lets textures see what was drawn to them.
    fn texture_barrier(&mut self, flags: TextureBarrierFlags) {
        let _ = flags;
    }

    /// Lets later commands see what shaders wrote.
    fn memory_barrier(&mut self, flags: BarrierFlags) {
        let _ = flags;
    }

    /// Decompresses the depth buffer for the current sample locations; a hint.
    fn evaluate_depth_buffer(&mut self) {}

    /// Leaves a note in the command stream, for debuggers.
    fn emit_string_marker(&mut self, marker: &str) {
        let _ = marker;
    }
}
