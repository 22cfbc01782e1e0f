//! Copies between resources, and blits texel by texel.

use std::sync::Arc;

use formats::Format;
use pipe_core::context::Blitting;
use pipe_core::{
    BlitInfo, BlitMask, BlitSurface, ColorMask, PipeError, Region, ResourceHandle, TexFilter,
    TextureTarget,
};

use super::{Context, refuse};
use crate::output::{DepthStencilFormat, store_color};
use crate::resource::Resource;
use crate::target::Target;

impl Blitting for Context<'_, '_> {
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
        let (from, to) = (self.device.resource(src)?, self.device.resource(dst)?);
        if from.template.format.block() != to.template.format.block() {
            let format = to.template.format;
            let usage = "a copy between texels of different sizes";
            return Err(PipeError::UnsupportedFormat { format, usage });
        }
        if from.template.samples() != to.template.samples() {
            return Err(PipeError::Invalid("the copy's sample counts differ"));
        }
        let at = |value: u32| {
            i32::try_from(value)
                .map_err(|_| PipeError::Invalid("the place lies beyond every level"))
        };
        let dst_region = Region { x: at(dst_x)?, y: at(dst_y)?, z: at(dst_z)?, ..*src_region };
        let source = from.rows(src_level, src_region)?;
        let target = to.rows(dst_level, &dst_region)?;
        let memory = self.device.os.memory;
        let (stride, layer_stride) = (source.row_bytes(), source.layer_bytes());
        for (source, target) in from.planes(source).zip(to.planes(target)) {
            let packed = from.read(|bytes| source.pack(bytes, memory))?;
            to.write(|bytes| target.unpack(bytes, &packed, stride, layer_stride))?;
        }
        Ok(())
    }

    fn blit(&mut self, info: &BlitInfo) -> Result<(), PipeError> {
        let from = self.device.resource(info.src.resource)?;
        let to = self.device.resource(info.dst.resource)?;
        check_end(&from, &info.src)?;
        check_end(&to, &info.dst)?;
        refuse(!to.is_writable(), "writing to user memory")?;
        let samples = [from.template.samples(), to.template.samples()];
        if samples[0] != samples[1] && !samples.contains(&1) {
            return Err(PipeError::Invalid("the blit's sample counts differ"));
        }
        if info.render_condition_enable && !self.queries.condition_holds() {
            return Ok(());
        }
        let format = info.dst.format;
        if !format.is_texel() && !is_copy(info) {
            return Err(PipeError::UnsupportedFormat { format, usage: "a blit to" });
        }
        if is_copy(info) {
            let at = &info.dst.region;
            return self.resource_copy_region(
                info.dst.resource,
                info.dst.level,
                at.x as u32,
                at.y as u32,
                at.z as u32,
                info.src.resource,
                info.src.level,
                &info.src.region,
            );
        }
        // Copies the source first, in case the destination is the same level.
        let memory = self.device.os.memory;
        let copy = Arc::new(Resource::new(&from.template, memory)?);
        let bytes = from.copy(memory)?;
        copy.write(|to| to.copy_from_slice(&bytes))?;
        blit_box(info, &copy, &to)
    }
}

/// Returns true if a blit copies blocks unchanged, which block formats support, too.
fn is_copy(info: &BlitInfo) -> bool {
    let (src, dst) = (&info.src, &info.dst);
    let sizes = |region: &Region| [region.width, region.height, region.depth];
    let whole = if src.format.is_depth_or_stencil() { BlitMask::ZS } else { BlitMask::RGBA };
    src.format == dst.format
        && !src.format.is_texel()
        && info.mask == whole
        && sizes(&src.region) == sizes(&dst.region)
        && sizes(&src.region).iter().all(|size| *size >= 0)
        && info.scissor.is_none()
        && info.window_rectangles.count == 0
}

/// Checks that one end of a blit is there and that its format fits the resource.
fn check_end(resource: &Resource<'_>, end: &BlitSurface) -> Result<(), PipeError> {
    let Some(place) = resource.layout.level(end.level) else {
        return Err(PipeError::Invalid("the level does not exist"));
    };
    let size = [place.width, place.height, place.layers];
    let layers = |region: Region| Region { x: 0, y: 0, width: 0, height: 0, ..region };
    let upright = end.region.unflipped().map(|(region, _)| region);
    if !upright.is_some_and(|region| layers(region).is_within(size)) {
        return Err(PipeError::RegionOutOfRange { region: end.region, size });
    }
    let format = end.format;
    if format.block_bytes() != resource.template.format.block_bytes() || !format.can_unpack() {
        return Err(PipeError::UnsupportedFormat { format, usage: "a blit" });
    }
    Ok(())
}

/// Returns the source position, in texels, that corresponds to the centre of destination pixel
/// `pixel`. Each range is a start and a size; a negative size mirrors.
fn position(pixel: i32, dst: (i32, i32), src: (i32, i32)) -> f64 {
    let part = (f64::from(pixel) + 0.5 - f64::from(dst.0)) / f64::from(dst.1);
    f64::from(src.0) + part * f64::from(src.1)
}

/// Writes the pixels of the destination's box.
fn blit_box<'m>(
    info: &BlitInfo,
    from: &Arc<Resource<'m>>,
    to: &Arc<Resource<'m>>,
) -> Result<(), PipeError> {
    let (src, dst) = (&info.src.region, &info.dst.region);
    let Some((upright, _)) = dst.unflipped() else { return Ok(()) };
    let volume = from.template.target == TextureTarget::Texture3D && src.depth != dst.depth;
    let scaled = [src.width, src.height, src.depth] != [dst.width, dst.height, dst.depth];
    let depth_stencil = info.mask.intersects(BlitMask::ZS);
    let integer = info.src.format.is_pure_integer();
    let linear = info.filter == TexFilter::Linear && scaled && !integer;
    let samples = u32::from(from.template.samples());
    let averages = !info.sample0_only && !depth_stencil && !integer;
    for z in upright.z..upright.z + upright.depth {
        let Some(target) = Target::of_blit(to, &info.dst, z as u32) else { continue };
        let level = Region::whole(target.width, target.height, 1);
        let pixels = Region { z: 0, depth: 1, ..upright }.intersection(&level);
        for y in pixels.y..pixels.y + pixels.height {
            for x in pixels.x..pixels.x + pixels.width {
                let place = (x as u32, y as u32);
                if info.scissor.is_some_and(|scissor| !scissor.contains(place.0, place.1))
                    || !info.window_rectangles.keeps(place.0, place.1)
                {
                    continue;
                }
                let at = [
                    position(x, (dst.x, dst.width), (src.x, src.width)),
                    position(y, (dst.y, dst.height), (src.y, src.height)),
                    position(z, (dst.z, dst.depth), (src.z, src.depth)),
                ];
                for target in (0..target.samples()).map(|sample| target.plane(sample)) {
                    // Several samples become their mean or the first one; one sample goes to all.
                    let (first, count) = match (samples, target.samples()) {
                        (from, to) if from == to => (target.sample(), 1),
                        (from, _) => (0, if averages { from } else { 1 }),
                    };
                    let source = Source { from, end: &info.src, samples: first..first + count };
                    if depth_stencil {
                        source.write_depth_stencil(at, linear, info.mask, &target, place)?;
                    } else {
                        let color = source.mean(at, linear, volume);
                        write_color(info, color, &target, place)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// The source of a blit.
struct Source<'a, 'm> {
    from: &'a Arc<Resource<'m>>,
    end: &'a BlitSurface,
    /// The samples of a texel that are read.
    samples: core::ops::Range<u32>,
}

impl<'m> Source<'_, 'm> {
    /// Returns the layer at a sample, and the column and row nearest to a place. Places outside are
    /// clamped to the edge of the level.
    fn nearest(&self, [x, y, z]: [f64; 3], sample: u32) -> Option<(Target<'m>, u32, u32)> {
        let layers = self.from.layout.level(self.end.level)?.layers;
        let inside = |at: f64, size: u32| at.floor().clamp(0.0, f64::from(size - 1)) as u32;
        let target = Target::of_blit(self.from, self.end, inside(z, layers))?.plane(sample);
        let (x, y) = (inside(x, target.width), inside(y, target.height));
        Some((target, x, y))
    }

    /// Returns the texel nearest to a place, as shaders read it.
    fn texel(&self, at: [f64; 3], sample: u32) -> [u32; 4] {
        let Some((target, x, y)) = self.nearest(at, sample) else { return [0; 4] };
        let block = target.format.block();
        let texel = target.load(x, y);
        if target.format.is_pure_integer() {
            return target.format.fetch_rgba_bits(&texel);
        }
        let (x, y) =
            (x as usize % usize::from(block.width), y as usize % usize::from(block.height));
        target.format.fetch_rgba_f32_at(&texel, x, y).map(f32::to_bits)
    }

    /// Returns the colour at a place: the mean of several samples. With `linear` it is filtered,
    /// with `volume` also between slices.
    fn mean(&self, at: [f64; 3], linear: bool, volume: bool) -> [u32; 4] {
        let first = self.color(at, self.samples.start, linear, volume);
        if self.samples.len() == 1 {
            return first;
        }
        let mut sum = [0.0f64; 4];
        for sample in self.samples.clone() {
            let color = self.color(at, sample, linear, volume);
            for (sum, component) in sum.iter_mut().zip(color) {
                *sum += f64::from(f32::from_bits(component));
            }
        }
        sum.map(|sum| ((sum / self.samples.len() as f64) as f32).to_bits())
    }

    /// Returns the colour of one sample; see [`mean`](Self::mean).
    fn color(&self, at: [f64; 3], sample: u32, linear: bool, volume: bool) -> [u32; 4] {
        if !linear {
            return self.texel(at, sample);
        }
        let mut sum = [0.0f64; 4];
        for (place, weight) in corners(at, volume) {
            for (sum, texel) in sum.iter_mut().zip(self.texel(place, sample)) {
                *sum += weight * f64::from(f32::from_bits(texel));
            }
        }
        sum.map(|sum| (sum as f32).to_bits())
    }

    /// Copies depth, stencil or both from the texel nearest to a place. With `linear`, depth is the
    /// weighted mean of the texels around the place.
    fn write_depth_stencil(
        &self,
        at: [f64; 3],
        linear: bool,
        mask: BlitMask,
        target: &Target<'m>,
        (x, y): (u32, u32),
    ) -> Result<(), PipeError> {
        let Some((source, from_x, from_y)) = self.nearest(at, self.samples.start) else {
            return Ok(());
        };
        let formats =
            (DepthStencilFormat::of(source.format), DepthStencilFormat::of(target.format));
        let (Some(read), Some(written)) = formats else { return Ok(()) };
        let (from, mut to) = (source.load(from_x, from_y), target.load(x, y));
        if mask.contains(BlitMask::Z) && read.has_depth() {
            let mut depth = read.decode(read.depth(&from));
            if linear {
                let depths = corners(at, false).filter_map(|(place, weight)| {
                    let (source, x, y) = self.nearest(place, self.samples.start)?;
                    Some(weight * read.decode(read.depth(&source.load(x, y))))
                });
                depth = depths.sum();
            }
            written.set_depth(&mut to, written.encode(depth));
        }
        if mask.contains(BlitMask::S) && read.has_stencil() {
            written.set_stencil(&mut to, read.stencil(&from));
        }
        target.store(x, y, &to)
    }
}

/// Returns the places of the eight texels around a place, and their weights. Without `volume` only
/// four texels of one slice have a weight.
fn corners(at: [f64; 3], volume: bool) -> impl Iterator<Item = ([f64; 3], f64)> {
    (0..8).map(move |corner| {
        let (mut weight, mut place) = (1.0, at);
        for axis in 0..3 {
            let second = corner >> axis & 1 != 0;
            if axis == 2 && !volume {
                weight *= if second { 0.0 } else { 1.0 };
                continue;
            }
            let part = (at[axis] - 0.5) - (at[axis] - 0.5).floor();
            place[axis] = at[axis] - 0.5 + if second { 1.0 } else { 0.0 };
            weight *= if second { part } else { 1.0 - part };
        }
        (place, weight)
    })
}

/// Writes a colour with a blit's mask and blending.
fn write_color(
    info: &BlitInfo,
    mut color: [u32; 4],
    target: &Target<'_>,
    (x, y): (u32, u32),
) -> Result<(), PipeError> {
    let old = target.load(x, y);
    if info.alpha_blend && !target.format.is_pure_integer() {
        let alpha = f64::from(f32::from_bits(color[3]));
        let below = target.format.fetch_rgba_f32(&old);
        for (color, below) in color.iter_mut().zip(below) {
            let above = f64::from(f32::from_bits(*color));
            *color = ((above * alpha + f64::from(below) * (1.0 - alpha)) as f32).to_bits();
        }
    }
    let mask = ColorMask::from_bits_truncate(info.mask.bits());
    let new = store_color(target.format, converted(color, info), mask, &old);
    target.store(x, y, &new)
}

/// Converts a colour for the destination's format. Integers stay integers, clamped to the range
/// that the destination's sign allows.
fn converted(color: [u32; 4], info: &BlitInfo) -> [u32; 4] {
    let (src, dst): (Format, Format) = (info.src.format, info.dst.format);
    if src.is_pure_sint() && dst.is_pure_uint() {
        color.map(|component| (component as i32).max(0) as u32)
    } else if src.is_pure_uint() && dst.is_pure_sint() {
        color.map(|component| component.min(i32::MAX as u32))
    } else {
        color
    }
}
