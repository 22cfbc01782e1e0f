//! Getting data into and out of resources.

use super::unsupported;
use crate::error::PipeError;
use crate::handle::{ResourceHandle, TransferHandle};
use crate::region::Region;
use crate::transfer::{MapFlags, Transfer};

/// Maps, and writes without maps.
pub trait Transfers {
    /// Opens a box of a level to the CPU. Reading waits for drawing.
    ///
    /// # Errors
    /// The handle is stale, the box is not within the level, the resource has no storage,
    /// [`PipeError::NotReady`] with `DONTBLOCK`, [`PipeError::OutOfMemory`], or
    /// [`PipeError::Unsupported`] (`DIRECTLY`, `PERSISTENT` and `COHERENT` without the caps).
    fn transfer_map(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
    ) -> Result<Transfer, PipeError> {
        let _ = (resource, level, usage, region);
        unsupported("mapping resources")
    }

    /// The bytes of an open transfer: the box's first block first, rows and layers as far apart
    /// as the transfer says.
    ///
    /// # Errors
    /// The handle is stale.
    fn transfer_bytes(&mut self, transfer: TransferHandle) -> Result<&mut [u8], PipeError> {
        Err(PipeError::stale(transfer))
    }

    /// Declares a part written, of a transfer opened with `FLUSH_EXPLICIT`. `region` counts from
    /// the transfer's box.
    ///
    /// # Errors
    /// The handle is stale.
    fn transfer_flush_region(
        &mut self,
        transfer: TransferHandle,
        region: &Region,
    ) -> Result<(), PipeError> {
        let _ = region;
        Err(PipeError::stale(transfer))
    }

    /// Ends a transfer and writes back what was written.
    ///
    /// # Errors
    /// The handle is stale.
    fn transfer_unmap(&mut self, transfer: TransferHandle) -> Result<(), PipeError> {
        Err(PipeError::stale(transfer))
    }

    /// Writes `data` to a buffer at `offset`.
    ///
    /// # Errors
    /// As a map, write and unmap.
    fn buffer_subdata(
        &mut self,
        resource: ResourceHandle,
        usage: MapFlags,
        offset: u32,
        data: &[u8],
    ) -> Result<(), PipeError> {
        let _ = (resource, usage, offset, data);
        unsupported("writing to buffers")
    }

    /// Writes `data` to a box of a level; `stride` and `layer_stride` are the data's, in bytes.
    ///
    /// # Errors
    /// As a map, write and unmap; [`PipeError::Invalid`] when `data` is too short.
    #[allow(clippy::too_many_arguments)]
    fn texture_subdata(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
        data: &[u8],
        stride: usize,
        layer_stride: usize,
    ) -> Result<(), PipeError> {
        let _ = (resource, level, usage, region, data, stride, layer_stride);
        unsupported("writing to textures")
    }

    /// Commits or uncommits memory of a sparse resource.
    ///
    /// # Errors
    /// The handle is stale, or [`PipeError::Unsupported`].
    fn resource_commit(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        region: &Region,
        commit: bool,
    ) -> Result<(), PipeError> {
        let _ = (resource, level, region, commit);
        unsupported("sparse resources")
    }
}
