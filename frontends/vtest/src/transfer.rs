//! Boxes of texels between a client's memory and the driver's resources.

use os_shim::budget::WorkBudget;
use pipe_core::{Context, MapFlags, PipeError, Region};

use crate::resource::Resource;

/// A box of a level, and the place of its bytes on the client's side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The level.
    pub level: u32,
    /// The box.
    pub region: Region,
    /// Bytes between rows; 0: the stride of the level.
    pub stride: u32,
    /// Bytes between layers; 0: the layer stride of the level.
    pub layer_stride: u32,
    /// Offset of the box's first byte.
    pub offset: u64,
}

/// Converts six words (x, y, z, width, height, depth) to a region.
pub fn region(words: [u32; 6]) -> Region {
    let [x, y, z, width, height, depth] = words.map(|word| word as i32);
    Region { x, y, z, width, height, depth }
}

/// Rows of a box in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// Bytes of a row.
    pub row: usize,
    /// Rows of a layer.
    pub rows: usize,
    /// Layers.
    pub layers: usize,
    /// Bytes between rows.
    pub stride: usize,
    /// Bytes between layers.
    pub layer_stride: usize,
}

impl Rows {
    /// The rows of `place` in `resource`.
    ///
    /// # Errors
    /// The box is empty or not within the level; strides shorter than rows.
    pub fn of(resource: &Resource<'_>, place: &Place) -> Result<Self, PipeError> {
        let level = *resource.level(place.level)?;
        let size = [level.width, level.height, level.layers];
        if !place.region.is_within(size) || place.region.is_empty() {
            return Err(PipeError::RegionOutOfRange { region: place.region, size });
        }
        let outside = PipeError::RegionOutOfRange { region: place.region, size };
        let [row, rows, layers] = resource.layout()?.extent(&place.region).ok_or(outside)?;
        let or = |given: u32, natural: usize| if given == 0 { natural } else { given as usize };
        let stride = or(place.stride, level.row_stride);
        let layer_stride = or(place.layer_stride, level.layer_stride);
        let rows = Rows { row, rows, layers, stride, layer_stride };
        let overlap = (rows.rows > 1 && stride < row)
            || (rows.layers > 1
                && stride
                    .checked_mul(rows.rows - 1)
                    .and_then(|last| last.checked_add(row))
                    .is_none_or(|layer| layer_stride < layer));
        if overlap { Err(PipeError::Invalid("the stride is shorter than a row")) } else { Ok(rows) }
    }

    /// Returns the number of bytes from the first byte to the last byte, gaps included, or `None`
    /// on overflow.
    pub fn span(&self) -> Option<usize> {
        let layers = self.layer_stride.checked_mul(self.layers.checked_sub(1)?)?;
        let rows = self.stride.checked_mul(self.rows.checked_sub(1)?)?;
        layers.checked_add(rows)?.checked_add(self.row)
    }
}

/// The largest span in bytes that one transfer may have. No level of a texture is larger.
const MAX_SPAN: usize = 1 << 31;

/// Returns the number of bytes from the first to the last byte of a box.
fn span(rows: &Rows) -> Result<usize, PipeError> {
    let span = rows.span().filter(|span| *span <= MAX_SPAN);
    span.ok_or(PipeError::Invalid("the box is too large to copy"))
}

/// Copies from the client's memory to the driver, from `source`'s shared memory to `target`, until
/// `budget` is stopped.
///
/// # Errors
/// The box is not within the level or the memory; the driver's; the budget's.
pub fn upload(
    driver: &mut dyn Context<'static>,
    target: &Resource<'_>,
    source: &Resource<'_>,
    place: &Place,
    scratch: &mut os_shim::Vec<'static, u8>,
    budget: &WorkBudget,
) -> Result<(), PipeError> {
    let rows = Rows::of(target, place)?;
    let memory = source.memory()?;
    let end = place.offset.saturating_add(span(&rows)? as u64);
    PipeError::at_most("the end of the shared bytes", end, memory.size())?;
    for piece in pieces(target, place, &rows, WRITTEN)? {
        check(budget)?;
        scratch.try_resize(span(&piece.rows)?, 0)?;
        if !memory.read(place.offset + piece.start as u64, scratch) {
            return Err(PipeError::Invalid("cannot read the shared memory"));
        }
        let part = Place { region: piece.region, ..*place };
        write(driver, target, &part, &piece.rows, scratch)?;
    }
    Ok(())
}

/// Checks that the command was not stopped.
///
/// # Errors
/// The command was stopped; the error has the reason.
pub fn check(budget: &WorkBudget) -> Result<(), PipeError> {
    budget.stopped().map_or(Ok(()), |reason| Err(reason.into()))
}

/// Copies `bytes`, in the layout `rows`, to the driver.
///
/// # Errors
/// Too few bytes; the driver's.
pub fn write(
    driver: &mut dyn Context<'static>,
    target: &Resource<'_>,
    place: &Place,
    rows: &Rows,
    bytes: &[u8],
) -> Result<(), PipeError> {
    let handle = target.handle()?;
    if target.template()?.is_buffer() {
        let bytes = bytes
            .get(..rows.row)
            .ok_or(PipeError::Invalid("the data does not have the size of the box"))?;
        return driver.buffer_subdata(handle, MapFlags::WRITE, place.region.x as u32, bytes);
    }
    driver.texture_subdata(
        handle,
        place.level,
        MapFlags::WRITE,
        &place.region,
        bytes,
        rows.stride,
        rows.layer_stride,
    )
}

/// Bytes of a box that are mapped at once, unless one row has more. The driver copies the bytes
/// that it maps. A copy of this size stays in a core's cache and in pages that the allocator keeps.
const READ: usize = 1 << 16;

/// Bytes of a box that are written at once, unless one row has more.
const WRITTEN: usize = 1 << 20;

/// A part of a box: bytes of a buffer, or rows of one layer.
struct Piece {
    region: Region,
    rows: Rows,
    /// Offset of the piece's first byte from the box's first byte, on the client's side.
    start: usize,
}

/// Splits a box into pieces of about `size` bytes, in order of their starts. `rows` must not be
/// empty.
fn pieces(
    resource: &Resource<'_>,
    place: &Place,
    rows: &Rows,
    size: usize,
) -> Result<impl Iterator<Item = Piece>, PipeError> {
    let template = resource.template()?;
    let (block, is_buffer) = (template.format.block(), template.is_buffer());
    let (region, rows) = (place.region, *rows);
    let (end, step) = match is_buffer {
        true => (rows.row, size),
        false => (rows.rows, (size / rows.row.max(1)).clamp(1, rows.rows)),
    };
    let part = move |layer: usize, first: usize| {
        let count = step.min(end - first);
        if is_buffer {
            let rows = Rows { row: count, rows: 1, layers: 1, stride: count, layer_stride: count };
            let region = Region::bytes(region.x as u32 + first as u32, count as u32);
            return Piece { region, rows, start: first };
        }
        let (height, depth) = (i32::from(block.height), i32::from(block.depth));
        let (y, z) = (first as i32 * height, layer as i32 * depth);
        let region = Region {
            y: region.y + y,
            z: region.z + z,
            height: (count as i32 * height).min(region.height - y),
            depth: depth.min(region.depth - z),
            ..region
        };
        let start = layer * rows.layer_stride + first * rows.stride;
        Piece { region, rows: Rows { rows: count, layers: 1, ..rows }, start }
    };
    let layers = if is_buffer { 1 } else { rows.layers };
    Ok((0..layers)
        .flat_map(move |layer| (0..end).step_by(step).map(move |first| part(layer, first))))
}

/// Passes the rows of a box to `take`, one or several at a time, in order of their offsets. Offsets
/// count from the box's first byte on the client's side.
///
/// # Errors
/// The box is not within the level; the driver's; the first error of `take`, which ends the copy.
pub fn read(
    driver: &mut dyn Context<'static>,
    source: &Resource<'_>,
    place: &Place,
    mut take: impl FnMut(usize, &[u8]) -> Result<(), PipeError>,
) -> Result<(), PipeError> {
    let rows = Rows::of(source, place)?;
    span(&rows)?;
    for piece in pieces(source, place, &rows, READ)? {
        read_piece(driver, source, place.level, &piece.region, &piece.rows, |offset, bytes| {
            take(piece.start + offset, bytes)
        })?;
    }
    Ok(())
}

/// Maps a box of one layer and passes its rows to `take`.
fn read_piece(
    driver: &mut dyn Context<'static>,
    source: &Resource<'_>,
    level: u32,
    region: &Region,
    rows: &Rows,
    mut take: impl FnMut(usize, &[u8]) -> Result<(), PipeError>,
) -> Result<(), PipeError> {
    let transfer = driver.transfer_map(source.handle()?, level, MapFlags::READ, region)?;
    let taken = driver.transfer_bytes(transfer.handle).and_then(|bytes| {
        let whole = rows.stride == transfer.stride && rows.row == rows.stride;
        if let (true, Some(bytes)) = (whole, rows.span().and_then(|span| bytes.get(..span))) {
            return take(0, bytes);
        }
        for row in 0..rows.rows {
            let from = row * transfer.stride;
            if let Some(bytes) = bytes.get(from..from + rows.row) {
                take(row * rows.stride, bytes)?;
            }
        }
        Ok(())
    });
    driver.transfer_unmap(transfer.handle)?;
    taken
}

/// Copies from the driver to the shared memory, until `budget` is stopped.
///
/// # Errors
/// The box is not within the level or the memory; the driver's; the budget's.
pub fn download(
    driver: &mut dyn Context<'static>,
    source: &Resource<'_>,
    place: &Place,
    budget: &WorkBudget,
) -> Result<(), PipeError> {
    let memory = source.memory()?;
    let end = place.offset.saturating_add(span(&Rows::of(source, place)?)? as u64);
    PipeError::at_most("the end of the shared bytes", end, memory.size())?;
    read(driver, source, place, |offset, bytes| {
        check(budget)?;
        match memory.write(place.offset + offset as u64, bytes) {
            true => Ok(()),
            false => Err(PipeError::Invalid("cannot write the shared memory")),
        }
    })
}
