//! Copies between buffers and textures.

use pipe_core::{MapFlags, PipeError, Region, ResourceHandle};
use wgpu_hal::{
    BufferCopy, BufferTextureCopy, CopyExtent, FormatAspects, TextureCopy, TextureCopyBase,
};
use wgpu_types::TextureAspect;

use crate::buffer::{Buffer, Storage};
use crate::formats::{self, AspectBytes};
use crate::run::Run;
use crate::texture::Texture;

/// Returns a number of bytes as the driver counts them.
fn bytes(count: u64) -> Result<u32, PipeError> {
    u32::try_from(count).map_err(|_| PipeError::OutOfRange {
        what: "a position in a buffer",
        value: count,
        limit: u32::MAX.into(),
    })
}

/// Returns the aspect that a copy names.
fn aspect(aspects: FormatAspects) -> TextureAspect {
    match aspects {
        FormatAspects::DEPTH => TextureAspect::DepthOnly,
        FormatAspects::STENCIL => TextureAspect::StencilOnly,
        _ => TextureAspect::All,
    }
}

/// Returns the part of a level that a copy names. Blocks may reach beyond the level.
fn region(texture: &Texture, base: &TextureCopyBase, size: &CopyExtent) -> Region {
    let [width, height, depth] = texture.template().level_size(base.mip_level).unwrap_or([0; 3]);
    let origin = &base.origin;
    let z = base.array_layer.saturating_add(origin.z);
    let side = |start: u32, length: u32, limit: u32| length.min(limit.saturating_sub(start));
    Region {
        z: i32::try_from(z).unwrap_or(i32::MAX),
        depth: i32::try_from(side(z, size.depth, depth)).unwrap_or(0),
        ..Region::rect(
            origin.x,
            origin.y,
            side(origin.x, size.width, width),
            side(origin.y, size.height, height),
        )
    }
}

/// Rows of texels in a buffer.
#[derive(Clone, Copy)]
struct Rows {
    /// Bytes of a row.
    row: usize,
    /// Bytes from a row to the next.
    stride: usize,
    /// Rows of a layer.
    rows: usize,
    /// Bytes from a layer to the next.
    layer_stride: usize,
    layers: usize,
}

impl Rows {
    /// Returns the rows of a copy: `texel` bytes per block in the buffer.
    fn of(texture: &Texture, copy: &BufferTextureCopy, region: &Region, texel: usize) -> Rows {
        let (block_width, block_height) = texture.format().block_dimensions();
        let blocks = |size: i32, block: u32| size.unsigned_abs().div_ceil(block.max(1)) as usize;
        let row = blocks(region.width, block_width).saturating_mul(texel);
        let rows = blocks(region.height, block_height);
        let layout = &copy.buffer_layout;
        let stride = layout.bytes_per_row.map_or(row, |stride| stride as usize);
        let rows_per_image = layout.rows_per_image.map_or(rows, |rows| rows as usize);
        let layer_stride = stride.saturating_mul(rows_per_image);
        let layers = region.depth.unsigned_abs() as usize;
        Rows { row, stride, rows, layer_stride, layers }
    }

    /// Returns the bytes from the first to the last texel.
    fn size(&self) -> usize {
        if self.row == 0 || self.rows == 0 || self.layers == 0 {
            return 0;
        }
        let layers = self.layer_stride.saturating_mul(self.layers.saturating_sub(1));
        let rows = self.stride.saturating_mul(self.rows.saturating_sub(1));
        layers.saturating_add(rows).saturating_add(self.row)
    }

    /// Calls `each` with layer and row, and the row's place from the first texel on.
    fn each(
        &self,
        mut each: impl FnMut(usize, usize, usize) -> Result<(), PipeError>,
    ) -> Result<(), PipeError> {
        for layer in 0..self.layers {
            for row in 0..self.rows {
                let at = layer.saturating_mul(self.layer_stride);
                each(layer, row, at.saturating_add(row.saturating_mul(self.stride)))?;
            }
        }
        Ok(())
    }
}

/// The error of a range beyond a buffer: wgpu-core checks before.
const BEYOND: PipeError = PipeError::Invalid("a copy beyond the end of a buffer");

/// Copies as many bytes as both have.
fn copy_bytes(to: &mut [u8], from: &[u8]) {
    let count = to.len().min(from.len());
    if let (Some(to), Some(from)) = (to.get_mut(..count), from.get(..count)) {
        to.copy_from_slice(from);
    }
}

impl Run<'_> {
    /// Returns bytes of a buffer.
    pub(super) fn read(
        &mut self,
        buffer: &Buffer,
        offset: u32,
        size: u32,
    ) -> Result<Vec<u8>, PipeError> {
        match buffer.storage() {
            Storage::Host(memory) => {
                let range = offset as usize..(offset as usize).saturating_add(size as usize);
                memory.lock().get(range).map(<[u8]>::to_vec).ok_or(BEYOND)
            }
            &Storage::Device(resource) => {
                let mut bytes = Vec::new();
                let region = Region::bytes(offset, size);
                self.with_map(resource, 0, MapFlags::READ, &region, |mapped, _, _| {
                    bytes.extend_from_slice(mapped.get(..size as usize).unwrap_or(mapped));
                })?;
                Ok(bytes)
            }
        }
    }

    /// Writes bytes to a buffer.
    pub(super) fn write(
        &mut self,
        buffer: &Buffer,
        offset: u32,
        data: &[u8],
    ) -> Result<(), PipeError> {
        match buffer.storage() {
            Storage::Host(memory) => {
                let offset = offset as usize;
                let range = offset..offset.saturating_add(data.len());
                let mut bytes = memory.lock();
                bytes.get_mut(range).ok_or(BEYOND)?.copy_from_slice(data);
                Ok(())
            }
            &Storage::Device(resource) => {
                self.context.buffer_subdata(resource, MapFlags::WRITE, offset, data)
            }
        }
    }

    /// Maps a part of a level while `run` has its bytes, the bytes from row to row, and those from
    /// layer to layer.
    fn with_map(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        flags: MapFlags,
        region: &Region,
        run: impl FnOnce(&mut [u8], usize, usize),
    ) -> Result<(), PipeError> {
        let transfer = self.context.transfer_map(resource, level, flags, region)?;
        let result = self.context.transfer_bytes(transfer.handle).map(|bytes| {
            run(bytes, transfer.stride, transfer.layer_stride);
        });
        self.context.transfer_unmap(transfer.handle)?;
        result
    }

    /// Calls `each` with the number and the bytes of each row of a texture's first level.
    #[cfg(feature = "window")]
    pub(crate) fn texels(
        &mut self,
        texture: &Texture,
        mut each: impl FnMut(usize, &[u8]),
    ) -> Result<(), PipeError> {
        let [width, height, _] = texture.template().level_size(0).unwrap_or_default();
        let region = Region::rect(0, 0, width, height);
        self.with_map(texture.resource(), 0, MapFlags::READ, &region, |mapped, stride, _| {
            for (y, row) in mapped.chunks(stride.max(1)).take(height as usize).enumerate() {
                each(y, row);
            }
        })
    }

    pub(super) fn clear_buffer(
        &mut self,
        buffer: &Buffer,
        offset: u32,
        size: u32,
    ) -> Result<(), PipeError> {
        match buffer.storage() {
            Storage::Host(memory) => {
                let range = offset as usize..(offset as usize).saturating_add(size as usize);
                memory.lock().get_mut(range).ok_or(BEYOND)?.fill(0);
                Ok(())
            }
            &Storage::Device(resource) if size > 0 => {
                self.context.clear_buffer(resource, offset, size, &[0; 4])
            }
            Storage::Device(_) => Ok(()),
        }
    }

    pub(super) fn copy_buffer(
        &mut self,
        src: &Buffer,
        dst: &Buffer,
        copy: &BufferCopy,
    ) -> Result<(), PipeError> {
        let (from, to) = (bytes(copy.src_offset)?, bytes(copy.dst_offset)?);
        let size = bytes(copy.size.get())?;
        match (src.storage(), dst.storage()) {
            (&Storage::Device(source), &Storage::Device(target)) => {
                let region = Region::bytes(from, size);
                self.context.resource_copy_region(target, 0, to, 0, 0, source, 0, &region)
            }
            (Storage::Host(memory), &Storage::Device(target)) => {
                let memory = memory.lock();
                let range = from as usize..(from as usize).saturating_add(size as usize);
                let data = memory.get(range).ok_or(BEYOND)?;
                self.context.buffer_subdata(target, MapFlags::WRITE, to, data)
            }
            (&Storage::Device(source), Storage::Host(memory)) => {
                let mut memory = memory.lock();
                let range = to as usize..(to as usize).saturating_add(size as usize);
                let target = memory.get_mut(range).ok_or(BEYOND)?;
                let region = Region::bytes(from, size);
                self.with_map(source, 0, MapFlags::READ, &region, |mapped, _, _| {
                    copy_bytes(target, mapped);
                })
            }
            (Storage::Host(_), Storage::Host(_)) => {
                let data = self.read(src, from, size)?;
                self.write(dst, to, &data)
            }
        }
    }

    pub(super) fn copy_texture(
        &mut self,
        src: &Texture,
        dst: &Texture,
        copy: &TextureCopy,
    ) -> Result<(), PipeError> {
        let from = region(src, &copy.src_base, &copy.size);
        let to = region(dst, &copy.dst_base, &copy.size);
        if (from.width, from.height) != (to.width, to.height) {
            // Blocks reach beyond one of the levels. Both parts have the same number of blocks.
            let (mut blocks, mut strides) = (Vec::new(), (0, 0));
            let level = copy.src_base.mip_level;
            let flags = MapFlags::READ;
            self.with_map(src.resource(), level, flags, &from, |mapped, stride, layer_stride| {
                blocks.extend_from_slice(mapped);
                strides = (stride, layer_stride);
            })?;
            return self.context.texture_subdata(
                dst.resource(),
                copy.dst_base.mip_level,
                MapFlags::WRITE,
                &to,
                &blocks,
                strides.0,
                strides.1,
            );
        }
        let at = [to.x, to.y, to.z].map(i32::unsigned_abs);
        let [x, y, z] = at;
        self.context.resource_copy_region(
            dst.resource(),
            copy.dst_base.mip_level,
            x,
            y,
            z,
            src.resource(),
            copy.src_base.mip_level,
            &from,
        )
    }

    /// Copies a buffer to a texture.
    pub(super) fn upload(
        &mut self,
        src: &Buffer,
        dst: &Texture,
        copy: &BufferTextureCopy,
    ) -> Result<(), PipeError> {
        let region = region(dst, &copy.texture_base, &copy.size);
        let part = formats::aspect(dst.format(), aspect(copy.texture_base.aspect));
        let texel = part.map_or(dst.template().format.block_bytes(), |part| part.size);
        let rows = Rows::of(dst, copy, &region, texel);
        if rows.size() == 0 {
            return Ok(());
        }
        let offset = bytes(copy.buffer_layout.offset)?;
        let level = copy.texture_base.mip_level;
        match src.storage() {
            Storage::Host(memory) => {
                let memory = memory.lock();
                let offset = offset as usize;
                let range = offset..offset.saturating_add(rows.size());
                let data = memory.get(range).ok_or(BEYOND)?;
                self.write_texels(dst, level, &region, part, rows, data)
            }
            Storage::Device(_) => {
                let data = self.read(src, offset, bytes(rows.size() as u64)?)?;
                self.write_texels(dst, level, &region, part, rows, &data)
            }
        }
    }

    fn write_texels(
        &mut self,
        dst: &Texture,
        level: u32,
        region: &Region,
        part: Option<AspectBytes>,
        rows: Rows,
        data: &[u8],
    ) -> Result<(), PipeError> {
        let resource = dst.resource();
        let Some(part) = part else {
            return self.context.texture_subdata(
                resource,
                level,
                MapFlags::WRITE,
                region,
                data,
                rows.stride,
                rows.layer_stride,
            );
        };
        // The other aspect keeps its bytes.
        let flags = MapFlags::READ | MapFlags::WRITE;
        self.with_map(resource, level, flags, region, |mapped, stride, layer_stride| {
            let _ = rows.each(|layer, row, at| {
                let start = layer.saturating_mul(layer_stride);
                let start = start.saturating_add(row.saturating_mul(stride));
                let texels = mapped.get_mut(start..).unwrap_or_default();
                let values = data.get(at..).unwrap_or_default();
                let values = values.get(..rows.row).unwrap_or(values);
                for (texel, value) in
                    texels.chunks_exact_mut(part.texel).zip(values.chunks_exact(part.size))
                {
                    let end = part.start.saturating_add(part.size);
                    if let Some(bytes) = texel.get_mut(part.start..end) {
                        bytes.copy_from_slice(value);
                    }
                }
                Ok(())
            });
        })
    }

    /// Copies a texture to a buffer.
    pub(super) fn download(
        &mut self,
        src: &Texture,
        dst: &Buffer,
        copy: &BufferTextureCopy,
    ) -> Result<(), PipeError> {
        let region = region(src, &copy.texture_base, &copy.size);
        let part = formats::aspect(src.format(), aspect(copy.texture_base.aspect));
        let stored = src.template().format.block_bytes();
        let part = part.unwrap_or(AspectBytes { texel: stored, start: 0, size: stored });
        let rows = Rows::of(src, copy, &region, part.size);
        if rows.size() == 0 {
            return Ok(());
        }
        let offset = bytes(copy.buffer_layout.offset)?;
        let level = copy.texture_base.mip_level;
        if let Storage::Host(memory) = dst.storage() {
            let mut memory = memory.lock();
            let target = memory.get_mut(offset as usize..).ok_or(BEYOND)?;
            return self.read_texels(src, level, &region, part, rows, target);
        }
        // The bytes between the rows of the buffer stay.
        let packed_rows =
            Rows { stride: rows.row, layer_stride: rows.row.saturating_mul(rows.rows), ..rows };
        let mut packed = vec![0; packed_rows.size()];
        self.read_texels(src, level, &region, part, packed_rows, &mut packed)?;
        if rows.size() == packed.len() {
            return self.write(dst, offset, &packed);
        }
        let mut sources = packed.chunks_exact(rows.row.max(1));
        rows.each(|_, _, at| {
            let Some(row) = sources.next() else { return Ok(()) };
            self.write(dst, offset.saturating_add(bytes(at as u64)?), row)
        })
    }

    /// Copies texels to rows of `target`.
    fn read_texels(
        &mut self,
        src: &Texture,
        level: u32,
        region: &Region,
        part: AspectBytes,
        rows: Rows,
        target: &mut [u8],
    ) -> Result<(), PipeError> {
        let flags = MapFlags::READ;
        self.with_map(src.resource(), level, flags, region, |mapped, stride, layer_stride| {
            let _ = rows.each(|layer, row, at| {
                let start = layer.saturating_mul(layer_stride);
                let start = start.saturating_add(row.saturating_mul(stride));
                let texels = mapped.get(start..).unwrap_or_default();
                let end = at.saturating_add(rows.row);
                let target = target.get_mut(at..end).unwrap_or_default();
                if part.size == part.texel {
                    copy_bytes(target, texels);
                    return Ok(());
                }
                for (value, texel) in
                    target.chunks_exact_mut(part.size).zip(texels.chunks_exact(part.texel))
                {
                    let end = part.start.saturating_add(part.size);
                    if let Some(bytes) = texel.get(part.start..end) {
                        value.copy_from_slice(bytes);
                    }
                }
                Ok(())
            });
        })
    }
}
