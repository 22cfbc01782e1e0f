//! Transfers: access of the CPU to resources (manual, chapter Context, "Transfers").

use super::unsupported;
use crate::error::PipeError;
use crate::handle::{ResourceHandle, TransferHandle};
use crate::region::Region;
use crate::transfer::{MapFlags, Transfer};

/// Maps of resources, and writes without a map.
pub trait Transfers {
    /// Maps a box of a level for the CPU. A map that reads waits for pending draws.
    ///
    /// Of several samples it shows one: their mean, or the first one of depth, stencil and integers. What
    /// the CPU writes goes to all samples.
    ///
    /// # Errors
    /// The handle is stale, the box is not within the level, the resource has no storage,
    /// [`PipeError::NotReady`] with `DONTBLOCK`, [`PipeError::OutOfMemory`], or
    /// [`PipeError::Unsupported`] (`DIRECTLY` of what is not plain memory;
    /// `PERSISTENT` and `COHERENT` without the cap `BufferMapPersistentCoherent`).
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

    /// Returns the bytes of an open transfer: the box's first block comes first, and the strides of
    /// the [`Transfer`] separate rows and layers.
    ///
    /// # Errors
    /// The handle is stale; [`PipeError::Busy`]: another context's CPU has the resource's memory.
    fn transfer_bytes(&mut self, transfer: TransferHandle) -> Result<&mut [u8], PipeError> {
        Err(PipeError::stale(transfer))
    }

    /// Marks a region as written, in a transfer mapped with `FLUSH_EXPLICIT`. `region` is relative
    /// to the transfer's box.
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

    /// Ends a transfer and writes back the bytes that the CPU wrote.
    ///
    /// # Errors
    /// The handle is stale.
    fn transfer_unmap(&mut self, transfer: TransferHandle) -> Result<(), PipeError> {
        Err(PipeError::stale(transfer))
    }

    /// Writes `data` to a buffer from `offset` bytes on.
    ///
    /// # Errors
    /// Those of a map, a write and an unmap.
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

    /// Writes `data` to a box of a level. Rows of blocks lie `stride` bytes apart in `data`, layers
    /// `layer_stride` bytes.
    ///
    /// # Errors
    /// Those of a map, a write and an unmap; [`PipeError::Invalid`] when `data` is too short.
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

    /// Commits memory to a box of a level of a sparse resource, or takes it away: bytes of a buffer in
    /// pages of the cap `SparseBufferPageSize`, texels in pages of
    /// `Screen::get_sparse_texture_virtual_page_size`. The edges of the resource cut the last pages. What
    /// has no memory reads as 0 and is not written.
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
