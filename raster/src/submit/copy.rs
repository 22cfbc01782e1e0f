//! Copies of texels without conversion.

use os_shim::Vec;
use os_shim::memory::Memory;
use pipe_core::{PipeError, Region, ResourceHandle};

use super::Renderer;
use crate::budget::{PIECE, Work};
use crate::device::{is_idle, is_readable, resource, resource_mut};
use crate::profile::Profile;
use crate::resource::Resource;
use crate::state::{BoxPlace, State};

impl<'m, P: Profile> Renderer<'_, 'm, P> {
    /// Copies a box of a level to (x, y, z) of the same or another level.
    ///
    /// # Errors
    /// The errors of [`resource_copy_region`](pipe_core::context::Blitting::resource_copy_region).
    pub(crate) fn copy_region(
        &mut self,
        state: &mut State<'m>,
        (dst, dst_level): (ResourceHandle, u32),
        [x, y, z]: [u32; 3],
        (src, src_level): (ResourceHandle, u32),
        src_region: &Region,
    ) -> Result<(), PipeError> {
        let at = |value: u32| {
            i32::try_from(value)
                .map_err(|_| PipeError::Invalid("the place lies beyond every level"))
        };
        let dst_region = Region { x: at(x)?, y: at(y)?, z: at(z)?, ..*src_region };
        let (from, to) = {
            let shared = self.device.shared.lock();
            let (from, to) = (resource(&shared.resources, src)?, resource(&shared.resources, dst)?);
            check_copy(from, to)?;
            let dst_region = in_texels_of(to, dst_level, &dst_region, from);
            (
                BoxPlace::of(from, src_level, src_region)?.of_all_samples(),
                BoxPlace::of(to, dst_level, &dst_region)?.of_all_samples(),
            )
        };
        self.begin(state)?;
        let flushed = self.flush_if_used(state, src.raw());
        let flushed = flushed.and_then(|()| self.flush_if_used(state, dst.raw()));
        self.note_stop(state, flushed)?;
        let spent = self.device.work.spend(from.rows());
        self.note_stop(state, spent)?;
        let mut shared = self.device.lock_when(|resources| {
            is_readable(resources, src.raw()) && is_idle(resources, dst.raw())
        })?;
        let resources = &mut shared.resources;
        let work = self.device.work;
        // The level to write is taken out, so that the other can be read.
        let written = resource_mut(resources, dst)?;
        if src == dst && src_level == dst_level {
            let piece = Vec::try_filled_in(0, from.row_bytes().min(PIECE), self.device.os.memory)?;
            copy_within(written.bytes_mut(dst_level)?, &from, &to, piece, work);
            written.drop_absent(dst_level, to.bytes());
        } else if let Some(mut bytes) = written.take_level(dst_level) {
            if let Ok(source) = resource(resources, src) {
                copy_rows(source.bytes(src_level), bytes.as_mut_slice(), &from, &to, work);
            }
            let written = resource_mut(resources, dst)?;
            written.put_level(dst_level, bytes);
            written.drop_absent(dst_level, to.bytes());
        }
        drop(shared);
        self.touch();
        self.note_stop(state, work.spend(0))
    }
}

/// Checks that texels can be copied unchanged from one resource to another.
fn check_copy(from: &Resource<'_>, to: &Resource<'_>) -> Result<(), PipeError> {
    if from.template.format.block_bytes() != to.template.format.block_bytes() {
        return Err(PipeError::UnsupportedFormat {
            format: to.template.format,
            usage: "a copy between texels of different sizes",
        });
    }
    if from.samples() != to.samples() {
        return Err(PipeError::Invalid("the copy's sample counts differ"));
    }
    if !to.is_writable() || to.is_streamed() || from.is_streamed() {
        return Err(PipeError::Unsupported("copies of streamed or to user memory"));
    }
    Ok(())
}

/// Converts a region of `from` to a region of `to` with the same number of blocks. The level's
/// edges cut the last blocks.
fn in_texels_of(to: &Resource<'_>, level: u32, region: &Region, from: &Resource<'_>) -> Region {
    let (from, own) = (from.template.format.block(), to.template.format.block());
    if from == own {
        return *region;
    }
    let [width, height, _] = to.template.level_size(level).unwrap_or_default();
    let scaled = |length: i32, from: u8, own: u8, start: i32, end: u32| {
        let texels = length.unsigned_abs().div_ceil(from.into()).saturating_mul(own.into());
        // Cuts the region at the level's edge within the last block. A region with more blocks
        // stays too large.
        let cut = end.next_multiple_of(own.into()) - end;
        let left = i64::from(end) - i64::from(start);
        let texels = i64::from(texels);
        let beyond = texels > left && texels <= left + i64::from(cut);
        i32::try_from(if beyond { left } else { texels }).unwrap_or(i32::MAX)
    };
    Region {
        width: scaled(region.width, from.width, own.width, region.x, width),
        height: scaled(region.height, from.height, own.height, region.y, height),
        ..*region
    }
}

/// Returns a copy of a level's bytes.
///
/// # Errors
/// Out of memory; [`PipeError::Stopped`].
pub(super) fn copied<'m>(
    bytes: &[u8],
    work: Work<'_>,
    memory: Memory<'m>,
) -> Result<Vec<'m, u8>, PipeError> {
    let mut copy = Vec::try_with_capacity_in(bytes.len(), memory)?;
    for piece in bytes.chunks(PIECE) {
        work.spend(1)?;
        copy.try_extend_from_slice(piece)?;
    }
    Ok(copy)
}

/// Copies a box of rows within one level, through the buffer `piece`.
fn copy_within(
    bytes: &mut [u8],
    from: &BoxPlace,
    to: &BoxPlace,
    mut piece: Vec<'_, u8>,
    work: Work<'_>,
) {
    let (row, step) = (from.row_bytes(), piece.len().max(1));
    for ((.., start), (.., end)) in from.row_starts().zip(to.row_starts()) {
        let count = row.div_ceil(step);
        for number in 0..count {
            if work.is_stopped() {
                return;
            }
            // A piece must be read before it is overwritten: if a row moves to a higher address,
            // its last piece goes first.
            let at = if end > start { count - 1 - number } else { number } * step;
            let size = step.min(row - at);
            let Some(source) = bytes.get(start + at..).and_then(|rest| rest.get(..size)) else {
                continue;
            };
            let Some(between) = piece.get_mut(..size) else { continue };
            between.copy_from_slice(source);
            if let Some(target) = bytes.get_mut(end + at..).and_then(|rest| rest.get_mut(..size)) {
                target.copy_from_slice(between);
            }
        }
    }
}

/// Copies a box of rows from one level to another.
fn copy_rows(source: &[u8], target: &mut [u8], from: &BoxPlace, to: &BoxPlace, work: Work<'_>) {
    let row = from.row_bytes();
    for ((.., start), (.., end)) in from.row_starts().zip(to.row_starts()) {
        for at in (0..row).step_by(PIECE) {
            if work.is_stopped() {
                return;
            }
            let size = PIECE.min(row - at);
            let source = source.get(start + at..).and_then(|rest| rest.get(..size));
            let target = target.get_mut(end + at..).and_then(|rest| rest.get_mut(..size));
            if let (Some(source), Some(target)) = (source, target) {
                target.copy_from_slice(source);
            }
        }
    }
}
