//! Transfers: CPU access to resources (manual, chapter Context, "Transfers").

use super::unsupported;
use crate::error::PipeError;
use crate::handle::{ResourceHandle, TransferHandle};
use crate::region::Region;
use crate::transfer::{MapFlags, Transfer};

/// Maps of resources, and writes without a map.
pub trait Transfers {
    /// Maps a box of a level for the CPU. A map that reads waits for pending draws.
    ///
    /// A map of a multisampled resource shows one value per pixel: the mean of the samples, or the
    /// first sample for depth, stencil and integers. CPU writes go to all samples.
    ///
    /// # Errors
    /// The handle is stale, the box is not within the level, the resource has no storage,
    /// [`PipeError::NotReady`] with `DONTBLOCK`, [`PipeError::OutOfMemory`], or
    /// [`PipeError::Unsupported`] (`DIRECTLY` if the resource is not plain memory; `PERSISTENT` and
    /// `COHERENT` without the cap `BufferMapPersistentCoherent`).
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

    /// Returns the bytes of an open transfer. The box's first block comes first, and the strides of
    /// the [`Transfer`] separate rows and layers.
    ///
    /// For a buffer, the address of the first byte minus the map's offset is a multiple of the cap
    /// `MinMapBufferAlignment`.
    ///
    /// # Errors
    /// The handle is stale; [`PipeError::Busy`]: the CPU accesses the resource's memory through
    /// another context.
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
    /// As for a map, a write and an unmap.
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

    /// Writes `data` to a box of a level. In `data`, rows of blocks are `stride` bytes apart and
    /// layers are `layer_stride` bytes apart.
    ///
    /// # Errors
    /// As for a map, a write and an unmap; [`PipeError::Invalid`] if `data` is too short.
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

    /// Commits memory to a box of a level of a sparse resource, or removes it. Boxes consist of
    /// whole pages: for buffers pages of the cap `SparseBufferPageSize`, in bytes, for textures
    /// pages of `Screen::get_sparse_texture_virtual_page_size`, in texels. The edges of the
    /// resource cut the last pages. Parts without memory read as 0 and ignore writes.
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
