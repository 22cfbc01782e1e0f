//! Transfers: `transfer_map` copies a box out of a resource, and unmapping copies it back.

use std::sync::Arc;

use pipe_core::auxiliary::MapBytes;
use pipe_core::context::Transfers;
use pipe_core::layout::holds;
use pipe_core::limits::MAP_BUFFER_ALIGNMENT;
use pipe_core::{MapFlags, PipeError, Region, ResourceHandle, Transfer, TransferHandle};

use super::{Context, object, refuse};
use crate::resource::{Resource, Rows};

/// A mapped box.
#[derive(Debug)]
pub(super) struct OpenTransfer<'m> {
    resource: Arc<Resource<'m>>,
    level: u32,
    usage: MapFlags,
    region: Region,
    rows: Rows,
    /// The box's bytes, packed tightly.
    bytes: MapBytes<'m>,
}

impl OpenTransfer<'_> {
    /// Copies part of the bytes back to the resource; `part` is relative to the box.
    fn write_back(&self, part: &Region) -> Result<(), PipeError> {
        let (x, y, z) = (self.region.x + part.x, self.region.y + part.y, self.region.z + part.z);
        let rows = self.resource.rows(self.level, &Region { x, y, z, ..*part })?;
        let block = self.resource.template.format.block();
        let [x, y, z] = [part.x, part.y, part.z].map(|at| at as usize);
        let (stride, layer_stride) = (self.rows.row_bytes(), self.rows.layer_bytes());
        let first = z * layer_stride
            + y / usize::from(block.height) * stride
            + x / usize::from(block.width) * usize::from(block.bytes);
        let data = self.bytes.get(first..).unwrap_or(&[]);
        self.resource.write(|bytes| rows.unpack(bytes, data, stride, layer_stride))
    }
}

/// Refuses streamed resources and resources of several samples: a box has no place for samples.
fn refuse_samples(resource: &Resource<'_>) -> Result<(), PipeError> {
    refuse(resource.template.is_streamed(), "maps of streamed resources")?;
    let several = resource.template.samples() > 1;
    refuse(several, "transfers of several samples (blit to or from a texture of one)")
}

impl Transfers for Context<'_, '_> {
    fn transfer_map(
        &mut self,
        handle: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
    ) -> Result<Transfer, PipeError> {
        if let Some(contradiction) = usage.contradiction() {
            return Err(PipeError::Invalid(contradiction));
        }
        refuse(usage.contains(MapFlags::DIRECTLY), "DIRECTLY")?;
        refuse(usage.contains(MapFlags::PERSISTENT), "PERSISTENT")?;
        let resource = self.device.resource(handle)?;
        refuse_samples(&resource)?;
        let read_only = usage.contains(MapFlags::WRITE) && !resource.is_writable();
        refuse(read_only, "writing to user memory")?;
        let rows = resource.rows(level, region)?;
        let memory = self.device.os.memory;
        let packed = resource.read(|bytes| rows.pack(bytes, memory))?;
        let offset = region.x.max(0) as usize;
        let mut bytes = MapBytes::zeros(MAP_BUFFER_ALIGNMENT, offset, packed.len(), memory)?;
        bytes.copy_from_slice(&packed);
        let (stride, layer_stride) = (rows.row_bytes(), rows.layer_bytes());
        let open = OpenTransfer { resource, level, usage, region: *region, rows, bytes };
        let handle = TransferHandle::new(self.transfers.insert(open)?);
        Ok(Transfer { handle, stride, layer_stride })
    }

    fn transfer_bytes(&mut self, handle: TransferHandle) -> Result<&mut [u8], PipeError> {
        let open = self.transfers.get_mut(handle.raw());
        open.map(|open| &mut *open.bytes).ok_or_else(|| PipeError::stale(handle))
    }

    fn transfer_flush_region(
        &mut self,
        handle: TransferHandle,
        region: &Region,
    ) -> Result<(), PipeError> {
        let open = object(&self.transfers, handle)?;
        let size = [open.region.width, open.region.height, open.region.depth];
        let size = size.map(|side| side.max(0) as u32);
        PipeError::within(region, size)?;
        if open.usage.contains(MapFlags::WRITE) { open.write_back(region) } else { Ok(()) }
    }

    fn transfer_unmap(&mut self, handle: TransferHandle) -> Result<(), PipeError> {
        let open = self.transfers.remove(handle.raw()).ok_or_else(|| PipeError::stale(handle))?;
        let explicit = open.usage.contains(MapFlags::FLUSH_EXPLICIT);
        if open.usage.contains(MapFlags::WRITE) && !explicit {
            return open.write_back(&Region { x: 0, y: 0, z: 0, ..open.region });
        }
        Ok(())
    }

    fn buffer_subdata(
        &mut self,
        handle: ResourceHandle,
        usage: MapFlags,
        offset: u32,
        data: &[u8],
    ) -> Result<(), PipeError> {
        let size = u32::try_from(data.len())
            .map_err(|_| PipeError::Invalid("the data exceeds the buffer"))?;
        let region = Region::bytes(offset, size);
        self.texture_subdata(handle, 0, usage, &region, data, data.len(), data.len())
    }

    fn texture_subdata(
        &mut self,
        handle: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
        data: &[u8],
        stride: usize,
        layer_stride: usize,
    ) -> Result<(), PipeError> {
        refuse(usage.contains(MapFlags::DIRECTLY), "DIRECTLY")?;
        refuse(usage.contains(MapFlags::PERSISTENT), "PERSISTENT")?;
        let resource = self.device.resource(handle)?;
        refuse_samples(&resource)?;
        let rows = resource.rows(level, region)?;
        if !holds(data.len(), rows.extent(), stride, layer_stride) {
            return Err(PipeError::Invalid("the data is smaller than the box"));
        }
        resource.write(|bytes| rows.unpack(bytes, data, stride, layer_stride))
    }
}
