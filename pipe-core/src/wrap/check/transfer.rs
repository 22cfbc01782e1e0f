//! Checks of transfers, copies, blits and presents.

use super::{Check, TransferLife, region_within, require};
use crate::blit::{BlitInfo, BlitMask, BlitSurface};
use crate::caps::Cap;
use crate::context::{Blitting, Flushing, PresentSource, Transfers};
use crate::error::PipeError;
use crate::flags::{BarrierFlags, FlushFlags, TextureBarrierFlags};
use crate::handle::*;
use crate::panel::{Area, TilePanel};
use crate::region::Region;
use crate::resource::layout::{Layout, holds};
use crate::resource::{Bind, ResourceFlags, ResourceTemplate};
use crate::state::TexFilter;
use crate::transfer::{MapFlags, Transfer};

/// Checks a map's flags against each other and against the resource's flags.
fn usage_allowed(template: &ResourceTemplate, usage: MapFlags) -> Result<(), PipeError> {
    if let Some(what) = usage.contradiction() {
        return Err(PipeError::Invalid(what));
    }
    let persistent = template.flags.contains(ResourceFlags::MAP_PERSISTENT);
    require(
        persistent || !usage.contains(MapFlags::PERSISTENT),
        "PERSISTENT on a resource without the flag MAP_PERSISTENT",
    )?;
    let coherent = template.flags.contains(ResourceFlags::MAP_COHERENT);
    require(
        coherent || !usage.contains(MapFlags::COHERENT),
        "COHERENT on a resource without the flag MAP_COHERENT",
    )
}

impl Check<'_, '_> {
    fn copy(
        &self,
        dst: ResourceHandle,
        dst_level: u32,
        dst_origin: [u32; 3],
        src: ResourceHandle,
        src_level: u32,
        src_region: &Region,
    ) -> Result<(), PipeError> {
        let src_template = self.level_region(src, src_level, src_region)?;
        let dst_template = self.template(dst)?;
        let (from, to) = (src_template.format, dst_template.format);
        require(
            src_template.is_buffer() == dst_template.is_buffer(),
            "a copy between a buffer and a texture",
        )?;
        require(from.block_bytes() == to.block_bytes(), "a copy between formats of another size")?;
        let other_blocks = from.block() != to.block();
        let cap = Cap::CopyBetweenCompressedAndPlainFormats;
        self.needs(other_blocks, cap, "copies between compressed and plain formats")?;
        require(
            src_template.samples() == dst_template.samples(),
            "a copy between sample counts; use a blit",
        )?;
        // The same number of blocks, in texels of the destination.
        let scaled = |length: i32, from: u8, to: u8| {
            (length as u32).div_ceil(from.into()).saturating_mul(to.into())
        };
        let (from, to) = (from.block(), to.block());
        let origin = dst_origin.map(|start| i32::try_from(start).unwrap_or(i32::MAX));
        let mut dst_region = Region {
            x: origin[0],
            y: origin[1],
            z: origin[2],
            ..Region::whole(
                scaled(src_region.width, from.width, to.width),
                scaled(src_region.height, from.height, to.height),
                src_region.depth as u32,
            )
        };
        // The level's edge cuts the last block.
        if let Some([width, height, _]) = dst_template.level_size(dst_level) {
            let cut = |start: i32, length: i32, block: u8, limit: u32| {
                let over =
                    i64::from(start).saturating_add(length.into()).saturating_sub(limit.into());
                let is_cut = (1..i64::from(block)).contains(&over);
                if is_cut { length.saturating_sub(over as i32) } else { length }
            };
            dst_region.width = cut(dst_region.x, dst_region.width, to.width, width);
            dst_region.height = cut(dst_region.y, dst_region.height, to.height, height);
        }
        require(!dst_template.is_streamed(), "a streamed resource has no storage")?;
        region_within(&dst_template, dst_level, &dst_region)?;
        let overlaps = src == dst && src_level == dst_level && src_region.overlaps(&dst_region);
        require(!overlaps, "a copy that overlaps itself")
    }

    fn blit_end(
        &self,
        end: &BlitSurface,
        mask: BlitMask,
        bind: Bind,
    ) -> Result<ResourceTemplate, PipeError> {
        let template = self.template(end.resource)?;
        let Some((upright, _)) = end.region.unflipped() else {
            let size = template.level_size(end.level).unwrap_or_default();
            return Err(PipeError::RegionOutOfRange { region: end.region, size });
        };
        require(!template.is_streamed(), "a streamed resource has no storage")?;
        require(!template.is_buffer(), "a blit of a buffer")?;
        let Some(size) = template.level_size(end.level) else {
            let (value, limit) = (end.level.into(), template.last_level.into());
            return Err(PipeError::OutOfRange { what: "the level", value, limit });
        };
        // Columns and rows may exceed the level, because frontends clip blits by the scissor.
        let layers = Region { x: 0, y: 0, width: 0, height: 0, ..upright };
        if !layers.is_within(size) {
            return Err(PipeError::RegionOutOfRange { region: end.region, size });
        }
        let color = mask.intersects(BlitMask::RGBA);
        let depth = mask.contains(BlitMask::Z);
        let stencil = mask.contains(BlitMask::S);
        require(
            !color || !end.format.is_depth_or_stencil(),
            "a blit of colours in a depth or stencil format",
        )?;
        require(!depth || end.format.has_depth(), "a blit of depth in a format without depth")?;
        require(
            !stencil || end.format.has_stencil(),
            "a blit of stencil in a format without stencil",
        )?;
        let same_size = end.format.block_bytes() == template.format.block_bytes();
        require(same_size, "a blit in a format of another size")?;
        let bind = if color || bind == Bind::SAMPLER_VIEW { bind } else { Bind::DEPTH_STENCIL };
        self.format_usable(end.format, &template, bind, "the source or destination of a blit")?;
        Ok(template)
    }

    /// Checks that the picture belongs to a display target; returns the driver's handle of the
    /// picture, and its resource.
    fn check_presented(
        &self,
        source: PresentSource,
    ) -> Result<(PresentSource, Option<ResourceHandle>), PipeError> {
        let (resource, driver) = match source {
            PresentSource::Resource(resource) => (Some(resource), source),
            PresentSource::Surface(surface) => (
                self.surfaces.get(surface).map(|known| known.0),
                PresentSource::Surface(self.owner.open(&self.surfaces, surface)?),
            ),
        };
        let Some(resource) = resource else { return Ok((driver, None)) };
        let bind = self.template(resource)?.bind;
        require(
            bind.contains(Bind::DISPLAY_TARGET),
            "presenting a resource without the bind flag DISPLAY_TARGET",
        )?;
        Ok((driver, Some(resource)))
    }
}

#[cfg(feature = "desktop")]
impl Check<'_, '_> {
    /// Checks that a box of a sparse texture consists of whole pages; the level's edge may cut
    /// pages.
    fn texture_pages(
        &self,
        template: &ResourceTemplate,
        level: u32,
        region: &Region,
    ) -> Result<(), PipeError> {
        let ResourceTemplate { target, format, .. } = *template;
        let samples = template.samples() > 1;
        let page = self.screen.get_sparse_texture_virtual_page_size(target, samples, format);
        let (Some(page), Some(size)) = (page, template.level_size(level)) else { return Ok(()) };
        let starts = [region.x, region.y, region.z];
        let sides = [region.width, region.height, region.depth];
        for (((start, side), page), size) in starts.into_iter().zip(sides).zip(page).zip(size) {
            let end = start.saturating_add(side).unsigned_abs();
            let is_page = |at: u32| at.checked_rem(page) == Some(0);
            let whole = is_page(start.unsigned_abs()) && (is_page(end) || end == size);
            require(whole, "the commit covers parts of pages")?;
        }
        Ok(())
    }
}

impl Flushing for Check<'_, '_> {
    fn flush(&mut self, flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        let both = FlushFlags::TOP_OF_PIPE | FlushFlags::BOTTOM_OF_PIPE;
        require(!flags.contains(both), "TOP_OF_PIPE together with BOTTOM_OF_PIPE")?;
        let fine = flags.intersects(both);
        require(
            !fine || flags.contains(FlushFlags::DEFERRED),
            "TOP_OF_PIPE or BOTTOM_OF_PIPE without DEFERRED",
        )?;
        self.note_end_of_picture();
        self.next().flush(flags)
    }

    fn flush_resource(&mut self, resource: ResourceHandle) -> Result<(), PipeError> {
        self.next().flush_resource(resource)
    }

    fn invalidate_resource(&mut self, resource: ResourceHandle) -> Result<(), PipeError> {
        let buffer = self.template(resource)?.is_buffer();
        self.needs(buffer, Cap::InvalidateBuffer, "invalidating buffers")?;
        self.next().invalidate_resource(resource)
    }

    fn present(
        &mut self,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let (source, resource) = self.check_presented(source)?;
        self.note_end_of_picture();
        self.next().present(source, panel)?;
        resource.into_iter().for_each(|resource| self.note_presented(resource));
        Ok(())
    }

    fn present_rows(
        &mut self,
        source: PresentSource,
        rows: core::ops::Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let (source, resource) = self.check_presented(source)?;
        let end = rows.end;
        self.note_end_of_picture();
        self.next().present_rows(source, rows, panel)?;
        let height = self.bound.framebuffer.height.into();
        for resource in resource.into_iter().filter(|_| end >= height) {
            self.note_presented(resource);
        }
        Ok(())
    }

    fn present_tile(
        &mut self,
        source: PresentSource,
        index: u32,
        pixels: &mut [u8],
    ) -> Result<Option<Area>, PipeError> {
        let (source, resource) = self.check_presented(source)?;
        self.note_end_of_picture();
        let shown = self.next().present_tile(source, index, pixels)?;
        for resource in resource.into_iter().filter(|_| shown.is_none()) {
            self.note_presented(resource);
        }
        Ok(shown)
    }

    fn texture_barrier(&mut self, flags: TextureBarrierFlags) {
        self.next().texture_barrier(flags);
    }

    fn memory_barrier(&mut self, flags: BarrierFlags) {
        self.next().memory_barrier(flags);
    }

    fn evaluate_depth_buffer(&mut self) {
        self.next().evaluate_depth_buffer();
    }

    #[cfg(feature = "desktop")]
    fn is_resource_referenced(
        &self,
        resource: ResourceHandle,
        level: u32,
        layer: u32,
    ) -> Result<crate::Referenced, PipeError> {
        let template = self.template(resource)?;
        let Some([_, _, layers]) = template.level_size(level) else {
            let (value, limit) = (level.into(), template.last_level.into());
            return Err(PipeError::OutOfRange { what: "the level", value, limit });
        };
        PipeError::at_most("the layer", layer.into(), layers.saturating_sub(1).into())?;
        self.inner.get_ref().is_resource_referenced(resource, level, layer)
    }

    #[cfg(feature = "diagnostics")]
    fn dump_debug_state(&self, out: &mut dyn core::fmt::Write) -> core::fmt::Result {
        self.inner.get_ref().dump_debug_state(out)
    }

    fn emit_string_marker(&mut self, marker: &str) {
        self.next().emit_string_marker(marker);
    }
}

impl Blitting for Check<'_, '_> {
    fn resource_copy_region(
        &mut self,
        dst: ResourceHandle,
        dst_level: u32,
        dst_x: u32,
        dst_y: u32,
        dst_z: u32,
        src: ResourceHandle,
        src_level: u32,
        src_region: &Region,
    ) -> Result<(), PipeError> {
        self.copy(dst, dst_level, [dst_x, dst_y, dst_z], src, src_level, src_region)?;
        let next = self.next();
        next.resource_copy_region(dst, dst_level, dst_x, dst_y, dst_z, src, src_level, src_region)?;
        self.note_written(dst);
        Ok(())
    }

    fn blit(&mut self, info: &BlitInfo) -> Result<(), PipeError> {
        require(!info.mask.is_empty(), "a blit that writes nothing")?;
        let color = info.mask.intersects(BlitMask::RGBA);
        let depth = info.mask.intersects(BlitMask::ZS);
        require(!(color && depth), "a blit of colours and depth at once")?;
        let stencil = info.mask.contains(BlitMask::S);
        require(!stencil || info.filter == TexFilter::Nearest, "a filtered blit of stencil")?;
        let (from, to) = (info.src.format, info.dst.format);
        require(
            depth || from.is_pure_integer() == to.is_pure_integer(),
            "a blit between integers and other numbers",
        )?;
        require(
            !from.is_pure_integer() || info.filter == TexFilter::Nearest,
            "a filtered blit of integers",
        )?;
        let rectangles = info.window_rectangles.count.into();
        let limit = self.limit(Cap::MaxWindowRectangles);
        PipeError::at_most("the number of window rectangles", rectangles, limit)?;
        let from = self.blit_end(&info.src, info.mask, Bind::SAMPLER_VIEW)?;
        let to = self.blit_end(&info.dst, info.mask, Bind::RENDER_TARGET)?;
        let resolves = depth && from.samples() > 1 && to.samples() == 1;
        self.needs(resolves, Cap::MultisampleZResolve, "resolves of depth")?;
        self.next().blit(info)?;
        self.note_written(info.dst.resource);
        Ok(())
    }
}

impl Transfers for Check<'_, '_> {
    fn transfer_map(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
    ) -> Result<Transfer, PipeError> {
        let template = self.level_region(resource, level, region)?;
        usage_allowed(&template, usage)?;
        let persistent =
            template.is_buffer() && usage.intersects(MapFlags::PERSISTENT | MapFlags::COHERENT);
        self.needs(persistent, Cap::BufferMapPersistentCoherent, "persistent maps of buffers")?;
        require(!region.is_empty(), "a transfer of an empty box")?;
        self.transfers.reserve()?;
        let mut transfer = self.next().transfer_map(resource, level, usage, region)?;
        transfer.handle = self.owner.seal(transfer.handle);
        self.transfers.note(transfer.handle, TransferLife { usage, region: *region })?;
        if usage.contains(MapFlags::WRITE) {
            self.note_written(resource);
        }
        Ok(transfer)
    }

    fn transfer_bytes(&mut self, transfer: TransferHandle) -> Result<&mut [u8], PipeError> {
        let transfer = self.owner.open(&self.transfers, transfer)?;
        self.inner.get().transfer_bytes(transfer)
    }

    fn transfer_flush_region(
        &mut self,
        transfer: TransferHandle,
        region: &Region,
    ) -> Result<(), PipeError> {
        if let Some(life) = self.transfers.get(transfer) {
            let explicit = life.usage.contains(MapFlags::FLUSH_EXPLICIT);
            require(explicit, "transfer_flush_region of a transfer without FLUSH_EXPLICIT")?;
            // Not negative: the map's region was checked.
            let Region { width, height, depth, .. } = life.region;
            let size = [width, height, depth].map(i32::unsigned_abs);
            PipeError::within(region, size)?;
        }
        let transfer = self.owner.open(&self.transfers, transfer)?;
        self.next().transfer_flush_region(transfer, region)
    }

    fn transfer_unmap(&mut self, transfer: TransferHandle) -> Result<(), PipeError> {
        let driver = self.owner.open(&self.transfers, transfer)?;
        self.next().transfer_unmap(driver)?;
        self.transfers.forget(transfer);
        Ok(())
    }

    fn buffer_subdata(
        &mut self,
        resource: ResourceHandle,
        usage: MapFlags,
        offset: u32,
        data: &[u8],
    ) -> Result<(), PipeError> {
        let template = self.buffer_range(resource, offset, data.len() as u64)?;
        usage_allowed(&template, usage | MapFlags::WRITE)?;
        self.next().buffer_subdata(resource, usage, offset, data)
    }

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
        let template = self.level_region(resource, level, region)?;
        require(!template.is_buffer(), "a buffer where a texture is needed")?;
        usage_allowed(&template, usage | MapFlags::WRITE)?;
        let extent = Layout::of(&template)?.extent(region);
        let fits = extent.is_some_and(|extent| holds(data.len(), extent, stride, layer_stride));
        require(fits, "data smaller than its region, or strides smaller than its rows")?;
        let next = self.next();
        next.texture_subdata(resource, level, usage, region, data, stride, layer_stride)?;
        self.note_written(resource);
        Ok(())
    }

    fn resource_commit(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        region: &Region,
        commit: bool,
    ) -> Result<(), PipeError> {
        let template = self.level_region(resource, level, region)?;
        let sparse = template.flags.contains(ResourceFlags::SPARSE);
        require(sparse, "the resource to commit is not sparse")?;
        let page = self.limit(Cap::SparseBufferPageSize);
        if template.is_buffer() && page > 0 {
            let page = i64::try_from(page).unwrap_or(i64::MAX);
            let end = i64::from(region.x).saturating_add(region.width.into());
            let is_page = |at: i64| at.checked_rem(page) == Some(0);
            let whole = is_page(end) || end == i64::from(template.width0);
            require(is_page(region.x.into()) && whole, "the commit covers parts of pages")?;
        }
        #[cfg(feature = "desktop")]
        if !template.is_buffer() {
            self.texture_pages(&template, level, region)?;
        }
        self.next().resource_commit(resource, level, region, commit)
    }
}
