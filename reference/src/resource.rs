//! Resources: a template, a linear layout and bytes.

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::sync::Mutex;
use pipe_core::layout::Layout;
use pipe_core::{PipeError, Region, ResourceTemplate};

/// A buffer or texture. Handles, views, surfaces and bindings share it with `Arc`, so its bytes
/// live until all of them are gone.
#[derive(Debug)]
pub(crate) struct Resource<'m> {
    pub(crate) template: ResourceTemplate,
    pub(crate) layout: Layout,
    contents: Contents<'m>,
}

#[derive(Debug)]
enum Contents<'m> {
    /// The driver's memory.
    Own(Mutex<Vec<'m, u8>>),
    /// The frontend's memory, which is only read.
    User(&'m [u8]),
}

impl<'m> Resource<'m> {
    /// Allocates a resource filled with zeros.
    ///
    /// # Errors
    /// [`PipeError::Resource`]: the template is not valid; [`PipeError::OutOfMemory`].
    pub(crate) fn new(template: &ResourceTemplate, memory: Memory<'m>) -> Result<Self, PipeError> {
        let layout = Layout::of(template)?;
        let bytes = Vec::try_filled_in(0, layout.total(), memory)?;
        Ok(Resource { template: *template, layout, contents: Contents::Own(Mutex::new(bytes)) })
    }

    /// Wraps the frontend's bytes.
    ///
    /// # Errors
    /// [`PipeError::Resource`]: the template is not valid; [`PipeError::Invalid`]: too few bytes.
    pub(crate) fn from_user(
        template: &ResourceTemplate,
        bytes: &'m [u8],
    ) -> Result<Self, PipeError> {
        let layout = Layout::of(template)?;
        let Some(bytes) = bytes.get(..layout.total()) else {
            return Err(PipeError::Invalid("the user memory is smaller than the template"));
        };
        Ok(Resource { template: *template, layout, contents: Contents::User(bytes) })
    }

    /// Returns true if transfers and draws may write the bytes.
    pub(crate) fn is_writable(&self) -> bool {
        matches!(self.contents, Contents::Own(_))
    }

    /// Calls `read` with the bytes of all levels.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&[u8]) -> T) -> T {
        match &self.contents {
            Contents::Own(bytes) => read(&bytes.lock()),
            Contents::User(bytes) => read(bytes),
        }
    }

    /// Calls `write` with the bytes of all levels.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`]: the bytes are the frontend's.
    pub(crate) fn write<T>(&self, write: impl FnOnce(&mut [u8]) -> T) -> Result<T, PipeError> {
        match &self.contents {
            Contents::Own(bytes) => Ok(write(&mut bytes.lock())),
            Contents::User(_) => Err(PipeError::Unsupported("writing to user memory")),
        }
    }

    /// Returns a copy of the bytes of all levels.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn copy(&self, memory: Memory<'m>) -> Result<Vec<'m, u8>, OutOfMemory> {
        self.read(|bytes| Vec::try_from_slice_in(bytes, memory))
    }

    /// Returns the rows of a box for each sample, given the rows for the first sample.
    pub(crate) fn planes(&self, rows: Rows) -> impl Iterator<Item = Rows> {
        let (samples, stride) = (self.template.samples(), self.layout.sample_stride());
        let start = move |sample: u8| rows.start + usize::from(sample) * stride;
        (0..samples).map(move |sample| Rows { start: start(sample), ..rows })
    }

    /// Returns the rows of bytes of a box, for the first sample.
    ///
    /// # Errors
    /// [`PipeError::OutOfRange`]: no such level; [`PipeError::RegionOutOfRange`]: the box leaves
    /// it; [`PipeError::Invalid`]: the box does not start at a block.
    pub(crate) fn rows(&self, level: u32, region: &Region) -> Result<Rows, PipeError> {
        let Some(place) = self.layout.level(level).copied() else {
            let (value, limit) = (level.into(), self.template.last_level.into());
            return Err(PipeError::OutOfRange { what: "level", value, limit });
        };
        let size = [place.width, place.height, place.layers];
        PipeError::within(region, size)?;
        let block = self.template.format.block();
        let (width, height) = (i32::from(block.width), i32::from(block.height));
        if region.x % width != 0 || region.y % height != 0 {
            return Err(PipeError::Invalid("the box does not start at a block"));
        }
        let extent = self.layout.extent(region).unwrap_or_default();
        let origin = [region.x, region.y, region.z].map(|at| at as usize);
        let start = place.offset
            + origin[2] * place.layer_stride
            + origin[1] / usize::from(block.height) * place.row_stride
            + origin[0] / usize::from(block.width) * usize::from(block.bytes);
        Ok(Rows { start, extent, row_stride: place.row_stride, layer_stride: place.layer_stride })
    }
}

/// The bytes of a box within a resource: rows of equal length, layer by layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    start: usize,
    /// Bytes in a row, number of rows, number of layers.
    extent: [usize; 3],
    row_stride: usize,
    layer_stride: usize,
}

impl Rows {
    /// Returns the size of a row in bytes.
    pub(crate) fn row_bytes(&self) -> usize {
        self.extent[0]
    }

    /// Returns the size of a layer in bytes, with its rows packed tightly.
    pub(crate) fn layer_bytes(&self) -> usize {
        self.extent[0] * self.extent[1]
    }

    /// Returns the size of the box in bytes, with rows and layers packed tightly.
    pub(crate) fn total(&self) -> usize {
        self.layer_bytes() * self.extent[2]
    }

    /// Returns the bytes per row, the rows per layer and the number of layers.
    pub(crate) fn extent(&self) -> [usize; 3] {
        self.extent
    }

    /// Iterates over the rows, layer by layer. The items are: layer, row, range of bytes in the
    /// resource.
    pub(crate) fn iter(self) -> impl Iterator<Item = (usize, usize, core::ops::Range<usize>)> {
        let [row_bytes, rows, layers] = self.extent;
        (0..layers).flat_map(move |layer| {
            (0..rows).map(move |row| {
                let start = self.start + layer * self.layer_stride + row * self.row_stride;
                (layer, row, start..start + row_bytes)
            })
        })
    }

    /// Copies the box out of `bytes`, packed tightly.
    pub(crate) fn pack<'m>(
        self,
        bytes: &[u8],
        memory: Memory<'m>,
    ) -> Result<Vec<'m, u8>, OutOfMemory> {
        let mut packed = Vec::try_with_capacity_in(self.total(), memory)?;
        for (.., range) in self.iter() {
            packed.try_extend_from_slice(bytes.get(range).unwrap_or(&[]))?;
        }
        Ok(packed)
    }

    /// Copies rows that lie `stride` and `layer_stride` bytes apart in `data` to the box in
    /// `bytes`.
    pub(crate) fn unpack(self, bytes: &mut [u8], data: &[u8], stride: usize, layer_stride: usize) {
        for (layer, row, range) in self.iter() {
            let from = layer * layer_stride + row * stride;
            if let (Some(to), Some(from)) =
                (bytes.get_mut(range), data.get(from..from + self.row_bytes()))
            {
                to.copy_from_slice(from);
            }
        }
    }
}
