//! Digests of pictures, and the attachments that show pictures.

use core::fmt;

use os_shim::Memory;

use crate::context::Context;
use crate::error::PipeError;
use crate::handle::{ResourceHandle, SurfaceHandle, TransferHandle, kinds};
use crate::region::Region;
use crate::resource::ResourceTemplate;
use crate::resource::layout::Layout;
use crate::screen::Screen;
use crate::state::FramebufferState;
use crate::surface::{SurfaceRange, SurfaceTemplate};
use crate::transfer::{MapFlags, Transfer};
use crate::wrap::shadow::Shadow;

/// A digest of a picture: the sum over all texels of a hash of texel and position. The sum does not
/// depend on the order of tiles.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct PictureDigest(pub u64);

impl fmt::Debug for PictureDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Display for PictureDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl PictureDigest {
    /// Adds a row of texels of `size` bytes each. The first texel is at (`x`, `y`).
    pub fn row(&mut self, x: u32, y: u32, size: usize, bytes: &[u8]) {
        for (column, texel) in (x..).zip(bytes.chunks(size.max(1))) {
            let mut hash = u64::from(y) << 32 | u64::from(column);
            for byte in texel {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
            }
            // Fold the upper bits, which depend on every byte, into the lower ones.
            hash ^= hash >> 32;
            self.0 = self.0.wrapping_add(hash.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
    }
}

/// The rows of a mapped box.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    /// Bytes per row, rows per layer, number of layers.
    pub(super) extent: [usize; 3],
    stride: usize,
    layer_stride: usize,
    texel: usize,
}

impl Rows {
    /// Returns the rows of an open transfer of a box; `None` if the resource is gone.
    pub(super) fn of<'m>(
        screen: &dyn Screen<'m>,
        resource: ResourceHandle,
        region: &Region,
        transfer: &Transfer,
    ) -> Option<Self> {
        let template = screen.resource_template(resource).ok()?;
        let extent = Layout::of(&template).ok()?.extent(region)?;
        Some(Self {
            extent,
            stride: transfer.stride,
            layer_stride: transfer.layer_stride,
            texel: template.format.block_bytes(),
        })
    }

    /// Returns the offset of each row, layer by layer.
    fn offsets(self) -> impl Iterator<Item = usize> {
        let [_, rows, layers] = self.extent;
        (0..layers).flat_map(move |layer| {
            (0..rows).map(move |row| {
                layer
                    .saturating_mul(self.layer_stride)
                    .saturating_add(row.saturating_mul(self.stride))
            })
        })
    }

    /// Returns the bytes of each row.
    pub(super) fn rows(self, bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        self.offsets().filter_map(move |offset| bytes.get(offset..)?.get(..self.extent[0]))
    }

    /// Writes tightly packed rows to the mapped bytes.
    pub(super) fn fill(self, bytes: &mut [u8], packed: &[u8]) {
        for (offset, row) in self.offsets().zip(packed.chunks(self.extent[0].max(1))) {
            if let Some(to) = bytes.get_mut(offset..).and_then(|rest| rest.get_mut(..row.len())) {
                to.copy_from_slice(row);
            }
        }
    }

    pub(super) fn digest(self, bytes: &[u8]) -> PictureDigest {
        let mut digest = PictureDigest::default();
        for (y, row) in (0..).zip(self.rows(bytes)) {
            digest.row(0, y, self.texel, row);
        }
        digest
    }
}

/// Returns the digest of an open transfer's bytes.
pub(super) fn mapped<'m>(
    context: &mut (dyn Context<'m> + '_),
    transfer: TransferHandle,
    rows: Option<Rows>,
) -> Option<PictureDigest> {
    let bytes = context.transfer_bytes(transfer).ok()?;
    Some(rows?.digest(bytes))
}

/// Number of rows that are read at a time; boards have little memory.
const BAND: i32 = 16;

/// Passes the rows of a surface's first layer to `take`, from the top, each with its number.
///
/// # Errors
/// As for maps; the surface belongs to a buffer, or exceeds its resource.
pub fn read_surface<'m>(
    screen: &(dyn Screen<'m> + '_),
    context: &mut (dyn Context<'m> + '_),
    resource: ResourceHandle,
    template: &SurfaceTemplate,
    mut take: impl FnMut(u32, &ResourceTemplate, &[u8]),
) -> Result<(), PipeError> {
    let (&SurfaceRange::Texture { level, first_layer, .. }, of) =
        (&template.range, screen.resource_template(resource)?)
    else {
        return Err(PipeError::Unsupported("pictures of buffers"));
    };
    let whole =
        of.level_region(level).ok_or(PipeError::Invalid("the surface has no such level"))?;
    let mut y = 0;
    while y < whole.height {
        let z = i32::try_from(first_layer).unwrap_or(i32::MAX);
        let height = BAND.min(whole.height.saturating_sub(y));
        let region = Region { y, z, height, depth: 1, ..whole };
        let transfer = context.transfer_map(resource, level, MapFlags::READ, &region)?;
        let rows = Rows::of(screen, resource, &region, &transfer);
        let read = context.transfer_bytes(transfer.handle).map(|bytes| {
            let rows = rows.into_iter().flat_map(|rows| rows.rows(bytes));
            for (row, bytes) in (y.unsigned_abs()..).zip(rows) {
                take(row, &of, bytes);
            }
        });
        context.transfer_unmap(transfer.handle)?;
        read?;
        y = y.saturating_add(BAND);
    }
    Ok(())
}

/// The bound colour buffer, and whether it was drawn to since its last picture.
pub(super) struct Attachments<'c> {
    surfaces: Shadow<'c, kinds::Surface, (ResourceHandle, SurfaceTemplate)>,
    color: Option<(ResourceHandle, SurfaceTemplate)>,
    pub(super) is_drawn_to: bool,
}

impl<'c> Attachments<'c> {
    pub(super) const fn new(memory: Memory<'c>) -> Self {
        Self { surfaces: Shadow::new(memory), color: None, is_drawn_to: false }
    }

    /// Records a new surface. Without memory for the record, the surface has no pictures.
    pub(super) fn created(
        &mut self,
        surface: SurfaceHandle,
        resource: ResourceHandle,
        template: &SurfaceTemplate,
    ) {
        let _ = self.surfaces.note(surface, (resource, *template));
    }

    pub(super) fn destroyed(&mut self, surface: SurfaceHandle) {
        self.surfaces.forget(surface);
    }

    pub(super) fn bound(&mut self, state: &FramebufferState) {
        let first = state.cbufs.first().copied().flatten();
        self.color = first.and_then(|surface| self.surfaces.get(surface).copied());
    }

    /// Returns the resource and the template of colour buffer 0.
    pub(super) const fn color(&self) -> Option<(ResourceHandle, SurfaceTemplate)> {
        self.color
    }

    /// Returns the digest of colour buffer 0 if it was drawn to since the last digest.
    pub(super) fn picture<'m>(
        &mut self,
        screen: &(dyn Screen<'m> + '_),
        context: &mut (dyn Context<'m> + '_),
    ) -> Option<PictureDigest> {
        let (resource, template) = self.color.filter(|_| self.is_drawn_to)?;
        self.is_drawn_to = false;
        let mut digest = PictureDigest::default();
        let add = |y, of: &ResourceTemplate, row: &[u8]| {
            digest.row(0, y, of.format.block_bytes(), row);
        };
        read_surface(screen, context, resource, &template, add).ok()?;
        Some(digest)
    }
}
