//! Transfers: data into and out of resources.
//!
//! Bytes of resources are behind the screen's lock. A map uses the resource's memory itself with
//! `DIRECTLY`, or if the box is contiguous and nothing else uses the resource: see
//! [`lent`](super::lent). Every other map is a copy. It is read when the map is made (unless its
//! flags discard the contents), and written when it is unmapped or flushed. `buffer_subdata` and
//! `texture_subdata` write in place, without a copy. Persistent maps are copied each time that the
//! CPU accesses them and when the context continues: see [`mapped`](super::mapped).
//!
//! A map of a multisampled resource shows one value per pixel: the mean of the samples, or the
//! first sample of depth, stencil and integers. Writes go to all samples.

use formats::Format;
use os_shim::pool::RawHandle;
use pipe_core::auxiliary::MapBytes;
use pipe_core::context::Transfers;
use pipe_core::layout::holds;
use pipe_core::{MapFlags, PipeError, Region, ResourceHandle, Transfer, TransferHandle};

use super::lent::maps_directly;
use super::mapped::Persistent;
use super::{Context, object};
use crate::device::{hold, is_idle, is_readable, pool_error, release, resource, resource_mut};
use crate::features::{FLIGHTS, MAP_BUFFER_ALIGNMENT, SAMPLES};
#[cfg(feature = "samples")]
use crate::lanes::means;
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
    /// The copy; empty if the CPU accesses the resource's memory itself.
    pub(super) bytes: MapBytes<'m>,
    pub(super) is_direct: bool,
    /// Set if the resource may be used in draws while it is mapped.
    pub(super) persistent: Option<Persistent<'m>>,
}

/// The bytes of a level that a box covers; for several samples, the bytes of the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxPlace {
    pub(super) start: usize,
    pub(super) row: usize,
    pub(super) rows: usize,
    pub(super) layers: usize,
    pub(super) row_stride: usize,
    pub(super) layer_stride: usize,
    samples: usize,
}

impl OpenTransfer<'_> {
    /// Returns the resource that the transfer holds.
    pub(super) fn resource(&self) -> RawHandle {
        self.resource.raw()
    }
}

impl BoxPlace {
    /// Returns the number of rows in the box.
    pub(super) fn rows(&self) -> u64 {
        self.rows as u64 * self.layers as u64
    }

    /// Finds a box in a level.
    ///
    /// # Errors
    /// No such level; a box that leaves it, or that does not consist of whole blocks.
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
        Ok(BoxPlace {
            start: z * place.layer_stride
                + y / height * place.row_stride
                + x / width * block.bytes as usize,
            row: w.div_ceil(width) * block.bytes as usize,
            rows: h.div_ceil(height),
            layers: d,
            row_stride: place.row_stride,
            layer_stride: place.layer_stride,
            samples: resource.samples() as usize,
        })
    }

    /// Returns the box with the rows of all samples, one below the other.
    pub(super) fn of_all_samples(self) -> BoxPlace {
        BoxPlace {
            rows: self.rows * self.samples,
            row_stride: self.plane_stride(),
            samples: 1,
            ..self
        }
    }

    /// Returns the number of bytes from a row to the same row of the next sample.
    fn plane_stride(&self) -> usize {
        if SAMPLES { self.row_stride / self.samples.max(1) } else { self.row_stride }
    }

    /// Returns true if the bytes of the box are contiguous.
    pub(super) fn is_one_piece(&self) -> bool {
        let rows = self.rows <= 1 || self.row == self.row_stride;
        rows && (self.layers <= 1 || self.row * self.rows == self.layer_stride)
    }

    /// Returns the range from the first byte of the box to its last.
    pub(super) fn bytes(self) -> core::ops::Range<usize> {
        let last = self.rows.saturating_sub(1) * self.row_stride
            + self.layers.saturating_sub(1) * self.layer_stride;
        let planes = self.samples.saturating_sub(1) * self.plane_stride();
        self.start..self.start + last + planes + self.row
    }

    /// Returns the number of bytes of one row.
    pub(super) fn row_bytes(self) -> usize {
        self.row
    }

    /// Returns the rows of the box, layer by layer: layer, row, first byte.
    pub(super) fn row_starts(self) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..self.layers).flat_map(move |layer| {
            (0..self.rows).map(move |row| {
                (layer, row, self.start + layer * self.layer_stride + row * self.row_stride)
            })
        })
    }
}

impl BoxPlace {
    /// Reads the texels of a box in `format` from its level's bytes to packed rows.
    pub(super) fn read(&self, format: Format, level: &[u8], packed: &mut [u8]) {
        copy_rows(*self, self.row, self.row * self.rows, |from, to| {
            let Some(to) = packed.get_mut(to) else { return };
            #[cfg(feature = "samples")]
            if self.samples > 1 && !format.is_pure_integer() && !format.is_depth_or_stencil() {
                let planes = level.get(from.start..).unwrap_or(&[]);
                return means(format, planes, self.plane_stride(), self.samples, to);
            }
            if let Some(from) = level.get(from) {
                to.copy_from_slice(from);
            }
        });
        #[cfg(not(feature = "samples"))]
        let _ = format;
    }

    /// Writes rows of texels, `stride` bytes apart, to all samples of the box in its level's bytes.
    pub(super) fn write(&self, level: &mut [u8], data: &[u8], stride: usize, layer_stride: usize) {
        copy_rows(*self, stride, layer_stride, |to, from| {
            let Some(from) = data.get(from) else { return };
            for sample in 0..self.samples {
                let start = to.start + sample * self.plane_stride();
                if let Some(to) = level.get_mut(start..start + self.row) {
                    to.copy_from_slice(from);
                }
            }
        });
    }
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
        // If a flush in flight holds the memory, the check below rejects such a map.
        if !FLIGHTS || !usage.contains(MapFlags::DONTBLOCK | MapFlags::UNSYNCHRONIZED) {
            self.settle(handle.raw(), usage)?;
        }
        let waits = !usage.contains(MapFlags::DONTBLOCK);
        let mut shared =
            self.device.lock_when(|resources| !waits || is_readable(resources, handle.raw()))?;
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
        let place = BoxPlace::of(mapped, level, region)?;
        let is_direct = maps_directly(mapped, usage, &place, shared.contexts <= 1)?;
        let mut bytes = MapBytes::none(self.os.memory);
        if !is_direct {
            // Discarded texels read as 0.
            let size = place.row * place.rows * place.layers;
            bytes = MapBytes::zeros(MAP_BUFFER_ALIGNMENT, place.start, size, self.os.memory)?;
            let discards = MapFlags::DISCARD_RANGE | MapFlags::DISCARD_WHOLE_RESOURCE;
            if !usage.intersects(discards) {
                place.read(mapped.template.format, mapped.bytes(level), &mut bytes);
            }
        }
        let persistent = Persistent::of(usage, mapped, &bytes, self.os.memory)?;
        let is_persistent = persistent.is_some();
        let transfer = OpenTransfer {
            resource: handle,
            level,
            usage,
            region: *region,
            place,
            bytes,
            is_direct,
            persistent,
        };
        let transfer = self.transfers.insert(transfer).map_err(pool_error)?;
        self.persistent_maps += u32::from(is_persistent);
        hold(&mut shared.resources, handle.raw());
        let (stride, layer_stride) = match is_direct {
            true => (place.row_stride, place.layer_stride),
            false => (place.row, place.row * place.rows),
        };
        Ok(Transfer { handle: TransferHandle::new(transfer), stride, layer_stride })
    }

    fn transfer_bytes(&mut self, handle: TransferHandle) -> Result<&mut [u8], PipeError> {
        if object(&self.transfers, handle)?.is_direct {
            return self.lend(handle);
        }
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
        let writes = transfer.usage.contains(MapFlags::WRITE) && !transfer.is_direct;
        self.take_lent_back();
        if writes { self.write_back(handle, region) } else { Ok(()) }
    }

    fn transfer_unmap(&mut self, handle: TransferHandle) -> Result<(), PipeError> {
        object(&self.transfers, handle)?;
        // A persistent map has been copied out after each access of the CPU.
        let handed_over = self.hand_over();
        let OpenTransfer { usage, region, ref persistent, is_direct, .. } =
            *object(&self.transfers, handle)?;
        let is_persistent = persistent.is_some();
        self.persistent_maps -= u32::from(is_persistent);
        let result = if is_persistent {
            handed_over
        } else if is_direct {
            Ok(())
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
            BoxPlace::of(resource(&shared.resources, handle)?, level, region)?
        };
        if !holds(data.len(), [place.row, place.rows, place.layers], stride, layer_stride) {
            return Err(PipeError::Invalid("less data than the box has"));
        }
        self.begin()?;
        self.settle(handle.raw(), usage)?;
        let mut shared = self.device.lock_when(|resources| is_idle(resources, handle.raw()))?;
        let written = resource_mut(&mut shared.resources, handle)?;
        let bytes = written.bytes_mut(level)?;
        place.write(bytes, data, stride, layer_stride);
        written.drop_absent(level, place.bytes());
        drop(shared);
        // The resource may be a constant buffer.
        self.touch();
        Ok(())
    }

    #[cfg(feature = "desktop")]
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
