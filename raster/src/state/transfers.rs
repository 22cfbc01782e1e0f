//! Mapped boxes of resources, and the bytes that they cover.
//!
//! Bytes of resources are behind the screen's lock. A map uses the resource's memory itself with
//! `DIRECTLY`, or if the box is contiguous and nothing else uses the resource: see
//! [`lent`](super::lent). Every other map is a copy. It is read when the map is made (unless its
//! flags discard the contents), and written when it is unmapped or flushed. `buffer_subdata` and
//! `texture_subdata` write in place, without a copy. Persistent maps are copied each time that the
//! CPU accesses them and when the context continues: see `submit::maps`.
//!
//! A map of a multisampled resource shows one value per pixel: the mean of the samples, or the
//! first sample of depth, stencil and integers. Writes go to all samples.

use formats::Format;
use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::auxiliary::MapBytes;
use pipe_core::{MapFlags, PipeError, Region, ResourceFlags, ResourceHandle, TransferHandle};

use super::lent::Lent;
use super::object;
use crate::features::SAMPLES;
use crate::lanes::means;
use crate::resource::Resource;

/// The maps of a context.
#[derive(Debug)]
pub(crate) struct Maps<'m> {
    pub(crate) open: Pool<'m, OpenTransfer<'m>>,
    /// The number of persistent maps.
    pub(crate) persistent: u32,
    /// The level that the CPU holds.
    pub(crate) lent: Option<Lent<'m>>,
}

impl<'m> Maps<'m> {
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        Maps { open: Pool::new_in(memory), persistent: 0, lent: None }
    }

    /// Returns an open map.
    ///
    /// # Errors
    /// The handle is stale.
    pub(crate) fn get(&self, handle: TransferHandle) -> Result<&OpenTransfer<'m>, PipeError> {
        object(&self.open, handle)
    }

    /// Returns the resources that maps hold.
    pub(crate) fn held(&self) -> impl Iterator<Item = RawHandle> {
        self.open.iter().map(|(_, transfer)| transfer.resource.raw())
    }
}

/// A mapped box.
#[derive(Debug)]
pub(crate) struct OpenTransfer<'m> {
    pub(crate) resource: ResourceHandle,
    pub(crate) level: u32,
    pub(crate) usage: MapFlags,
    pub(crate) region: Region,
    pub(crate) place: BoxPlace,
    /// The copy; empty if the CPU accesses the resource's memory itself.
    pub(crate) bytes: MapBytes<'m>,
    pub(crate) is_direct: bool,
    /// Set if the resource may be used in draws while it is mapped.
    pub(crate) persistent: Option<Persistent<'m>>,
}

/// The bytes of a level that a box covers; for several samples, the bytes of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxPlace {
    pub(crate) start: usize,
    pub(crate) row: usize,
    pub(crate) rows: usize,
    pub(crate) layers: usize,
    pub(crate) row_stride: usize,
    pub(crate) layer_stride: usize,
    pub(crate) samples: usize,
}

impl BoxPlace {
    /// Returns the number of rows in the box.
    pub(crate) fn rows(&self) -> u64 {
        self.rows as u64 * self.layers as u64
    }

    /// Finds a box in a level.
    ///
    /// # Errors
    /// No such level; a box that leaves it, or that does not consist of whole blocks.
    pub(crate) fn of(
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
            return Err(PipeError::Invalid("the box does not start at a block"));
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
    pub(crate) fn of_all_samples(self) -> BoxPlace {
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
    pub(crate) fn is_one_piece(&self) -> bool {
        let rows = self.rows <= 1 || self.row == self.row_stride;
        rows && (self.layers <= 1 || self.row * self.rows == self.layer_stride)
    }

    /// Returns the range from the first byte of the box to its last.
    pub(crate) fn bytes(self) -> core::ops::Range<usize> {
        let last = self.rows.saturating_sub(1) * self.row_stride
            + self.layers.saturating_sub(1) * self.layer_stride;
        let planes = self.samples.saturating_sub(1) * self.plane_stride();
        self.start..self.start + last + planes + self.row
    }

    /// Returns the number of bytes of one row.
    pub(crate) fn row_bytes(self) -> usize {
        self.row
    }

    /// Returns the rows of the box, layer by layer: layer, row, first byte.
    pub(crate) fn row_starts(self) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..self.layers).flat_map(move |layer| {
            (0..self.rows).map(move |row| {
                (layer, row, self.start + layer * self.layer_stride + row * self.row_stride)
            })
        })
    }
}

impl BoxPlace {
    /// Reads the texels of a box in `format` from its level's bytes to packed rows.
    pub(crate) fn read(&self, format: Format, level: &[u8], packed: &mut [u8]) {
        copy_rows(*self, self.row, self.row * self.rows, |from, to| {
            let Some(to) = packed.get_mut(to) else { return };
            if SAMPLES
                && self.samples > 1
                && !format.is_pure_integer()
                && !format.is_depth_or_stencil()
            {
                let planes = level.get(from.start..).unwrap_or(&[]);
                return means(format, planes, self.plane_stride(), self.samples, to);
            }
            if let Some(from) = level.get(from) {
                to.copy_from_slice(from);
            }
        });
    }

    /// Writes rows of texels, `stride` bytes apart, to all samples of the box in its level's bytes.
    pub(crate) fn write(&self, level: &mut [u8], data: &[u8], stride: usize, layer_stride: usize) {
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
pub(crate) fn copy_rows(
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

/// The state of a persistent map.
#[derive(Debug)]
pub(crate) struct Persistent<'m> {
    /// The bytes before the CPU wrote; `None` if it does not write, or flushes explicitly.
    pub(crate) found: Option<Vec<'m, u8>>,
    /// Set if the CPU may have changed bytes since.
    pub(crate) is_out: bool,
}

impl<'m> Persistent<'m> {
    /// Returns the state of a new map of a resource; `None` if it is not persistent.
    ///
    /// # Errors
    /// The resource's flags do not allow such maps; several samples; out of memory.
    pub(crate) fn of(
        usage: MapFlags,
        mapped: &Resource<'_>,
        bytes: &[u8],
        memory: Memory<'m>,
    ) -> Result<Option<Self>, PipeError> {
        if !usage.contains(MapFlags::PERSISTENT) {
            return Ok(None);
        }
        if mapped.samples() > 1 {
            return Err(PipeError::Unsupported("persistent maps of several samples"));
        }
        let flags = mapped.template.flags;
        let coherent = usage.contains(MapFlags::COHERENT);
        if !flags.contains(ResourceFlags::MAP_PERSISTENT)
            || (coherent && !flags.contains(ResourceFlags::MAP_COHERENT))
        {
            return Err(PipeError::Invalid(
                "a persistent map needs MAP_PERSISTENT on the resource",
            ));
        }
        let writes = usage.contains(MapFlags::WRITE) && !usage.contains(MapFlags::FLUSH_EXPLICIT);
        let found = match writes {
            true => Some(Vec::try_from_slice_in(bytes, memory)?),
            false => None,
        };
        Ok(Some(Persistent { found, is_out: false }))
    }
}

impl OpenTransfer<'_> {
    /// Copies the texels of the box, in `format`, from its level's bytes to the map.
    pub(crate) fn read(&mut self, format: Format, level: &[u8]) {
        let OpenTransfer { place, bytes, persistent, .. } = self;
        place.read(format, level, bytes);
        if let Some(Persistent { found: Some(found), .. }) = persistent {
            found.copy_from_slice(bytes);
        }
    }
}
