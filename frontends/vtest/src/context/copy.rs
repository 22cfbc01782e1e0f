//! Copies, blits, clears of textures, uploads.

use pipe_core::*;

use super::objects::format;
use super::state::scissor;
use super::{CommandError, Done, Shared, SubContext};
use crate::reader::Reader;
use crate::transfer::{self, Place, Rows, region};

/// One end of a blit: resource, level, format, box.
fn blit_surface(reader: &mut Reader<'_>, shared: &Shared<'_>) -> Result<BlitSurface, CommandError> {
    let [name, level, number] = reader.words()?;
    let region = region(reader.words()?);
    let resource = shared.resources.find(name)?.handle()?;
    Ok(BlitSurface { resource, level, region, format: format(number)? })
}

impl<'s> SubContext<'s> {
    pub(super) fn blit(&mut self, mut reader: Reader<'_>, shared: &mut Shared<'s>) -> Done {
        let [flags, scissor_min, scissor_max] = reader.words()?;
        let dst = blit_surface(&mut reader, shared)?;
        let src = blit_surface(&mut reader, shared)?;
        let mut mask = BlitMask::from_bits_truncate(flags as u8);
        // Aspects that one of the ends lacks are not copied.
        if !(src.format.has_depth() && dst.format.has_depth()) {
            mask.remove(BlitMask::Z);
        }
        if !(src.format.has_stencil() && dst.format.has_stencil()) {
            mask.remove(BlitMask::S);
        }
        if src.format.is_depth_or_stencil() {
            mask.remove(BlitMask::RGBA);
        }
        if mask.is_empty() {
            return Ok(());
        }
        let exact = mask.contains(BlitMask::S) || src.format.is_pure_integer();
        let filter = TexFilter::from_number(flags >> 8 & 3).unwrap_or_default();
        let info = BlitInfo {
            dst,
            src,
            mask,
            filter: if exact { TexFilter::Nearest } else { filter },
            scissor: (flags >> 10 & 1 != 0).then(|| scissor(scissor_min, scissor_max)),
            window_rectangles: WindowRectangles::default(),
            render_condition_enable: flags >> 11 & 1 != 0,
            alpha_blend: flags >> 12 & 1 != 0,
            sample0_only: false,
        };
        self.work += 1;
        Ok(self.driver.blit(&info)?)
    }

    pub(super) fn resource_copy_region(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let [dst, dst_level, x, y, z] = reader.words()?;
        let [src, src_level] = reader.words()?;
        let region = region(reader.words()?);
        let dst = shared.resources.find(dst)?.handle()?;
        let src = shared.resources.find(src)?.handle()?;
        let driver = &mut *self.driver;
        Ok(driver.resource_copy_region(dst, dst_level, x, y, z, src, src_level, &region)?)
    }

    pub(super) fn clear_texture(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let [name, level] = reader.words()?;
        let region = region(reader.words()?);
        let resource = shared.resources.find(name)?;
        let size = resource.template()?.format.block_bytes();
        let texel = reader.take(4)?.get(..size);
        let texel = texel.ok_or(PipeError::Invalid("the texel is larger than 16 bytes"))?;
        Ok(self.driver.clear_texture(resource.handle()?, level, &region, texel)?)
    }

    /// Between shared memory and the resource, in place of a message of the socket.
    pub(super) fn transfer3d(&mut self, mut reader: Reader<'_>, shared: &mut Shared<'s>) -> Done {
        let [name, level, _usage, stride, layer_stride] = reader.words()?;
        let region = region(reader.words()?);
        let [offset, direction] = reader.words()?;
        let place = Place { level, region, stride, layer_stride, offset: offset.into() };
        let budget = shared.memory.budget();
        let resource = shared.resources.find(name)?;
        if direction == 2 {
            return Ok(transfer::download(&mut *self.driver, resource, &place, budget)?);
        }
        let scratch = &mut shared.scratch;
        Ok(transfer::upload(&mut *self.driver, resource, resource, &place, scratch, budget)?)
    }

    /// From the shared memory of one resource to another resource.
    pub(super) fn copy_transfer3d(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let [name, level, _usage, stride, layer_stride] = reader.words()?;
        let region = region(reader.words()?);
        let [staging, offset, _flags] = reader.words()?;
        let place = Place { level, region, stride, layer_stride, offset: offset.into() };
        let budget = shared.memory.budget();
        let target = shared.resources.find(name)?;
        let source = shared.resources.find(staging)?;
        let scratch = &mut shared.scratch;
        Ok(transfer::upload(&mut *self.driver, target, source, &place, scratch, budget)?)
    }

    pub(super) fn resource_inline_write(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let [name, level, _usage, stride, layer_stride] = reader.words()?;
        let region = region(reader.words()?);
        let target = shared.resources.find(name)?;
        let mut place = Place { level, region, stride, layer_stride, offset: 0 };
        if stride == 0 {
            // Rows follow each other, as long as they are.
            let extent = target.layout()?.extent(&region);
            let [row, rows, _] = extent.ok_or(PipeError::Invalid("the box has a negative size"))?;
            let small = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
            (place.stride, place.layer_stride) = (small(row), small(row.saturating_mul(rows)));
        }
        let rows = Rows::of(target, &place)?;
        Ok(transfer::write(&mut *self.driver, target, &place, &rows, reader.rest())?)
    }
}
