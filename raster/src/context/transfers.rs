//! Transfers: data into and out of resources, through a copy of the mapped box.
//!
//! Bytes of resources sit behind the screen's lock, so a map is a copy: in when it is made (unless
//! its flags discard the contents), out when it is unmapped or flushed. `buffer_subdata` and
//! `texture_subdata` write in place, without a copy. Persistent maps are copied each time that the
//! CPU looks at them and when the context goes on: see [`mapped`](super::mapped).

use os_shim::Vec;
use os_shim::pool::RawHandle;
use pipe_core::context::Transfers;
use pipe_core::layout::holds;
use pipe_core::{MapFlags, PipeError, Region, ResourceHandle, Transfer, TransferHandle};

use super::mapped::Persistent;
use super::{Context, object};
use crate::device::{hold, is_idle, is_readable, pool_error, release, resource, resource_mut};
use crate::profile::Profile;
use crate::resource::Resource;

/// A mapped box.
#[derive(Debug)]
pub(super) struct OpenTransfer<'m> {
    pub(super) resource: ResourceHandle,
    pub(super) level: u32,
    pub(super) usage: MapFlags,
    pub(super) region: Region,
    pub(super) place: BoxPlace,
    pub(super) bytes: Vec<'m, u8>,
    /// Set if the resource may be drawn with while it is mapped.
    pub(super) persistent: Option<Persistent<'m>>,
}

/// The bytes of a level that a box covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxPlace {
    pub(super) start: usize,
    pub(super) row: usize,
    pub(super) rows: usize,
    pub(super) layers: usize,
    pub(super) row_stride: usize,
    pub(super) layer_stride: usize,
}

impl OpenTransfer<'_> {
    /// The resource it holds.
    pub(super) fn resource(&self) -> RawHandle {
        self.resource.raw()
    }
}

impl BoxPlace {
    /// Returns the number of rows of texels.
    pub(super) fn rows(&self) -> u64 {
        self.rows as u64 * self.layers as u64
    }

    /// Finds a box in a level, with all samples of its texels.
    ///
    /// # Errors
    /// No such level; a box that leaves it, or is not on whole blocks.
    pub(super) fn of(
        resource: &Resource<'_>,
        level: u32,
        region: &Region,
    ) -> Result<BoxPlace, PipeError> {
        let Some(place) = resource.place(level) else {
            return Err(PipeError::OutOfRange {
                what: "level",
                value: level.into(),
                limit: resource.template.last_level.into(),
            });
        };
        let size = [place.width, place.height, place.layers];
        PipeError::within(region, size)?;
        let block = resource.template.format.block();
        let (width, height) = (block.width as usize, block.height as usize);
        let [x, y, z] = [region.x, region.y, region.z].map(|value| value as usize);
        let [w, h, d] = [region.width, region.height, region.depth].map(|value| value as usize);
        if x % width != 0 || y % height != 0 {
            return Err(PipeError::Invalid("a box that does not start at a block"));
        }
        // The rows of all planes lie under each other.
        let samples = resource.samples() as usize;
        Ok(BoxPlace {
            start: z * place.layer_stride
                + y / height * place.row_stride
                + x / width * block.bytes as usize,
            row: w.div_ceil(width) * block.bytes as usize,
            rows: h.div_ceil(height) * samples,
            layers: d,
            row_stride: place.row_stride / samples,
            layer_stride: place.layer_stride,
        })
    }

    /// Returns the range from its first byte to its last.
    pub(super) fn bytes(self) -> core::ops::Range<usize> {
        let last = self.rows.saturating_sub(1) * self.row_stride
            + self.layers.saturating_sub(1) * self.layer_stride;
        self.start..self.start + last + self.row
    }

    /// Bytes of one row.
    pub(super) fn row_bytes(self) -> usize {
        self.row
    }

    /// Its rows, layer by layer: layer, row, first byte.
    pub(super) fn row_starts(self) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..self.layers).flat_map(move |layer| {
            (0..self.rows).map(move |row| {
                (layer, row, self.start + layer * self.layer_stride + row * self.row_stride)
            })
        })
    }
}

/// Refuses a resource of several samples, whose texels have no place of their own in a box.
fn refuse_samples(resource: &Resource<'_>) -> Result<(), PipeError> {
    if resource.samples() > 1 {
        return Err(PipeError::Unsupported(
            "transfers of several samples (blit to or from a texture of one)",
        ));
    }
    Ok(())
}

/// Copies rows between two boxes of the same extent.
pub(super) fn copy_rows(
    place: BoxPlace,
    stride: usize,
    layer_stride: usize,
    mut copy: impl FnMut(core::ops::Range<usize>, core::ops::Range<usize>),
) {
    for (layer, row, at) in place.row_starts() {
        let packed = layer * layer_stride + row * stride;
        copy(at..at + place.row, packed..packed + place.row);
    }
}

impl<P: Profile> Transfers for Context<'_, '_, P> {
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
        self.begin()?;
        self.settle(handle.raw(), usage)?;
        let waits = !usage.contains(MapFlags::DONTBLOCK);
        let mut shared =
            self.device.lock_when(|resources| !waits || is_readable(resources, handle.raw()));
        if !is_readable(&shared.resources, handle.raw()) {
            return Err(PipeError::NotReady);
        }
        let mapped = resource(&shared.resources, handle)?;
        if usage.contains(MapFlags::WRITE) && !mapped.is_writable() {
            return Err(PipeError::Unsupported("writing to user memory"));
        }
        if mapped.is_streamed() {
            return Err(PipeError::Unsupported("mapping a streamed surface"));
        }
        refuse_samples(mapped)?;
        let place = BoxPlace::of(mapped, level, region)?;
        let size = place.row * place.rows * place.layers;
        let mut bytes = Vec::try_with_capacity_in(size, self.os.memory)?;
        let discards = MapFlags::DISCARD_RANGE | MapFlags::DISCARD_WHOLE_RESOURCE;
        if !usage.intersects(discards) {
            let source = mapped.bytes(level);
            for (.., at) in place.row_starts() {
                bytes.try_extend_from_slice(source.get(at..at + place.row).unwrap_or(&[]))?;
            }
        }
        // Discarded texels read as 0.
        bytes.try_resize(size, 0)?;
        let persistent = Persistent::of(usage, mapped.template.flags, &bytes)?;
        self.persistent_maps += u32::from(persistent.is_some());
        let region = *region;
        let transfer =
            OpenTransfer { resource: handle, level, usage, region, place, bytes, persistent };
        let transfer = self.transfers.insert(transfer).map_err(pool_error)?;
        hold(&mut shared.resources, handle.raw());
        Ok(Transfer {
            handle: TransferHandle::new(transfer),
            stride: place.row,
            layer_stride: place.row * place.rows,
        })
    }

    fn transfer_bytes(&mut self, handle: TransferHandle) -> Result<&mut [u8], PipeError> {
        self.look_at(handle)?;
        let transfer = self.transfers.get_mut(handle.raw());
        transfer.map(|open| &mut open.bytes[..]).ok_or_else(|| PipeError::stale(handle))
    }

    fn transfer_flush_region(
        &mut self,
        handle: TransferHandle,
        region: &Region,
    ) -> Result<(), PipeError> {
        let transfer = object(&self.transfers, handle)?;
        let mapped = &transfer.region;
        let size = [mapped.width, mapped.height, mapped.depth].map(|value| value.max(0) as u32);
        PipeError::within(region, size)?;
        if transfer.usage.contains(MapFlags::WRITE) {
            self.write_back(handle, region)?;
        }
        Ok(())
    }

    fn transfer_unmap(&mut self, handle: TransferHandle) -> Result<(), PipeError> {
        object(&self.transfers, handle)?;
        // A persistent map was copied out whenever the CPU had looked at it.
        let handed_over = self.hand_over();
        let OpenTransfer { usage, region, ref persistent, .. } = *object(&self.transfers, handle)?;
        let is_persistent = persistent.is_some();
        self.persistent_maps -= u32::from(is_persistent);
        let result = if is_persistent {
            handed_over
        } else if usage.contains(MapFlags::WRITE) && !usage.contains(MapFlags::FLUSH_EXPLICIT) {
            self.write_back(handle, &Region { x: 0, y: 0, z: 0, ..region })
        } else {
            Ok(())
        };
        if let Some(transfer) = self.transfers.remove(handle.raw()) {
            release(&mut self.device.shared.lock().resources, transfer.resource.raw());
        }
        result
    }

    fn buffer_subdata(
        &mut self,
        handle: ResourceHandle,
        usage: MapFlags,
        offset: u32,
        data: &[u8],
    ) -> Result<(), PipeError> {
        let size = u32::try_from(data.len())
            .map_err(|_| PipeError::Invalid("more data than a buffer holds"))?;
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
        let place = {
            let shared = self.device.shared.lock();
            let written = resource(&shared.resources, handle)?;
            refuse_samples(written)?;
            BoxPlace::of(written, level, region)?
        };
        if !holds(data.len(), [place.row, place.rows, place.layers], stride, layer_stride) {
            return Err(PipeError::Invalid("less data than the box has"));
        }
        self.begin()?;
        self.settle(handle.raw(), usage)?;
        let mut shared = self.device.lock_when(|resources| is_idle(resources, handle.raw()));
        let written = resource_mut(&mut shared.resources, handle)?;
        let bytes = written.bytes_mut(level)?;
        copy_rows(place, stride, layer_stride, |to, from| {
            if let (Some(from), Some(to)) = (data.get(from), bytes.get_mut(to)) {
                to.copy_from_slice(from);
            }
        });
        written.drop_absent(level, place.bytes());
        drop(shared);
        // It may be a constant buffer.
        self.touch();
        Ok(())
    }

    #[cfg(feature = "sparse")]
    fn resource_commit(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        region: &Region,
        commit: bool,
    ) -> Result<(), PipeError> {
        self.commit(resource, level, region, commit)
    }
}
