//! Blits.

use os_shim::Vec;
use pipe_core::layout::LevelLayout;
use pipe_core::resource::TextureTarget;
use pipe_core::{
    BlitInfo, BlitMask, BlitSurface, PipeError, Region, ResourceHandle, ScissorState,
    WindowRectangles,
};

use super::copy::copied;
use super::{Access, Renderer};
use crate::blit::Means;
use crate::blit::{Axis, Layer};
use crate::budget::Work;
use crate::device::{is_idle, is_readable, resource};
use crate::features::SAMPLES;
use crate::lanes::{Level, Target};
use crate::profile::Profile;
use crate::resource::Resource;
use crate::setup::Bounds;
use crate::state::State;

impl<'m, P: Profile> Renderer<'_, 'm, P> {
    /// Blits the pixels that window rectangles keep, regardless of the render condition.
    ///
    /// # Errors
    /// Ends that do not exist or do not fit; out of memory; the errors of a flush.
    pub(crate) fn blit_in_windows(
        &mut self,
        state: &mut State<'m>,
        info: &BlitInfo,
    ) -> Result<(), PipeError> {
        let windows = &info.window_rectangles;
        PipeError::at_most("window rectangles", windows.count.into(), MAX_WINDOWS as u64)?;
        if windows.as_slice().is_empty() && !windows.include {
            return self.blit_now(state, info);
        }
        // Checks everything before writing anything.
        self.check_blit(info)?;
        let Some((whole, _)) = info.dst.region.unflipped() else { return Ok(()) };
        let (columns, rows) = (
            stops(windows, [whole.x, whole.width], |window| [window.minx, window.maxx]),
            stops(windows, [whole.y, whole.height], |window| [window.miny, window.maxy]),
        );
        // Between two stops all pixels are kept, or all are rejected.
        for (&miny, &maxy) in rows.iter().zip(rows.iter().skip(1)) {
            for (&minx, &maxx) in columns.iter().zip(columns.iter().skip(1)) {
                let mut part = ScissorState { minx, miny, maxx, maxy };
                if minx == maxx || miny == maxy || !windows.keeps(minx.into(), miny.into()) {
                    continue;
                }
                if let Some(scissor) = &info.scissor {
                    part.minx = minx.max(scissor.minx);
                    part.miny = miny.max(scissor.miny);
                    part.maxx = maxx.min(scissor.maxx).max(part.minx);
                    part.maxy = maxy.min(scissor.maxy).max(part.miny);
                }
                let window_rectangles = WindowRectangles::default();
                let part = BlitInfo { scissor: Some(part), window_rectangles, ..*info };
                self.blit_now(state, &part)?;
            }
        }
        Ok(())
    }

    /// Blits, regardless of the render condition and the window rectangles.
    pub(super) fn blit_now(
        &mut self,
        state: &mut State<'m>,
        info: &BlitInfo,
    ) -> Result<(), PipeError> {
        let (src, dst) = (&info.src, &info.dst);
        let ends = self.check_blit(info)?;
        if let Some([x, y, z]) = plain_copy(info)
            && ends.are_within
            && ends.samples[0] == ends.samples[1]
        {
            let (from, to) = ((src.resource, src.level), (dst.resource, dst.level));
            return self.copy_region(state, to, [x, y, z], from, &src.region);
        }
        if !dst.format.is_texel() {
            return Err(PipeError::UnsupportedFormat { format: dst.format, usage: "a blit to" });
        }
        let from = (src.resource, src.level);
        self.between_levels(
            state,
            from,
            (dst.resource, dst.level),
            |renderer, end, place, bytes| {
                renderer.blit_samples(info, ends, end.0, &end.1, place, bytes)
            },
        )
    }

    /// Runs `write` with a level to read (and its texture's target) and the bytes of a level to
    /// write. If both are one level, `write` reads a copy.
    ///
    /// # Errors
    /// No such level; out of memory for the copy; the errors of a flush and of `write`.
    pub(super) fn between_levels(
        &mut self,
        state: &mut State<'m>,
        (src, src_level): (ResourceHandle, u32),
        (dst, dst_level): (ResourceHandle, u32),
        write: impl FnOnce(
            &Self,
            (TextureTarget, Level<'_>),
            &LevelLayout,
            &mut [u8],
        ) -> Result<(), PipeError>,
    ) -> Result<(), PipeError> {
        self.flush_if_used(state, src.raw())?;
        self.flush_if_used(state, dst.raw())?;
        let (from, to) = (src.raw(), dst.raw());
        let device = self.device;
        let mut access = Access::claim(device, &mut state.loans, |resources| {
            is_readable(resources, from) && is_idle(resources, to)
        })?;
        let target = resource(access.resources(), src)?.template.target;
        let Some(place) = resource(access.resources(), dst)?.place(dst_level).copied() else {
            return Err(PipeError::Invalid("the level does not exist"));
        };
        // The level to write is taken out, so that the other can be read. If both are one level, it
        // is copied.
        let mut copy = Vec::new_in(device.os.memory);
        if from == to && src_level == dst_level {
            let bytes = resource(access.resources(), src)?.bytes(src_level);
            copy = copied(bytes, device.work, device.os.memory)?;
        }
        if !access.take_level(to, dst_level) {
            return Ok(());
        }
        // The call changes bytes from here on, and a constant buffer may be among them.
        self.touch();
        access.lend(|loans, resources| loans.lend(resources, from, src_level..=src_level))?;
        let (inputs, bytes) = access.inputs_and_level();
        let level = inputs.level(from, src_level).unwrap_or_default();
        let read = if copy.is_empty() { level.bytes } else { &copy };
        write(self, (target, Level { bytes: read, ..level }), &place, bytes)?;
        drop(access);
        device.work.spend(0)
    }

    /// Blits to every sample of the destination level, which has its `bytes` at `place`. The source
    /// is a level of a texture of the target `source`.
    fn blit_samples(
        &self,
        info: &BlitInfo,
        ends: Ends,
        source: TextureTarget,
        level: &Level<'_>,
        place: &LevelLayout,
        bytes: &mut [u8],
    ) -> Result<(), PipeError> {
        let means;
        let level = if SAMPLES && ends.averages(info) {
            let samples = ends.samples[0];
            let first = plane(level, 0, samples);
            let (stride, work) = (level.row_stride / samples as usize, self.device.work);
            let mut resolved = ends.samples[1] == 1;
            if resolved {
                blit_layers(info, source, &first, place, bytes, work, |layer, level, target| {
                    resolved &= layer.resolve(level, info.src.format, target, stride);
                });
            }
            if resolved {
                return Ok(());
            }
            means = Means::of(level, info.src.format, self.device.work, self.device.os.memory)?;
            &means.level()
        } else {
            level
        };
        for sample in 0..ends.samples[1] {
            // A single-sampled source goes to all samples. In other cases the first sample
            // represents its pixel.
            let read = if ends.samples[0] == ends.samples[1] { sample } else { 0 };
            let level = plane(level, read, ends.samples[0]);
            let start = place.row_stride / ends.samples[1] as usize * sample as usize;
            let bytes = bytes.get_mut(start..).unwrap_or(&mut []);
            let work = self.device.work;
            blit_layers(info, source, &level, place, bytes, work, |layer, level, target| {
                if info.mask.intersects(BlitMask::ZS) {
                    layer.depth_stencil(level, info.src.format, target);
                } else {
                    layer.color::<P::Row>(level, info.src.format, target);
                }
            });
        }
        Ok(())
    }

    /// Checks both ends of a blit.
    pub(super) fn check_blit(&self, info: &BlitInfo) -> Result<Ends, PipeError> {
        let (src, dst) = (&info.src, &info.dst);
        let shared = self.device.shared.lock();
        let (from, to) = (
            resource(&shared.resources, src.resource)?,
            resource(&shared.resources, dst.resource)?,
        );
        check_end(from, src)?;
        check_end(to, dst)?;
        if !to.is_writable() || to.is_streamed() || from.is_streamed() {
            return Err(PipeError::Unsupported("blits of streamed or to user memory"));
        }
        let samples = [from.samples(), to.samples()];
        if samples[0] != samples[1] && !samples.contains(&1) {
            return Err(PipeError::Invalid("the blit's sample counts differ"));
        }
        let are_within = [(from, src), (to, dst)].iter().all(|(resource, end)| {
            resource.place(end.level).is_some_and(|place| {
                end.region.is_within([place.width, place.height, place.layers])
            })
        });
        Ok(Ends { are_within, samples })
    }
}

/// Properties of the two ends of a blit, source first.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    /// Set if both regions lie within their levels.
    are_within: bool,
    /// The samples per pixel of both ends: equal, or 1 at one end.
    samples: [u32; 2],
}

impl Ends {
    /// Returns true if pixels of the destination are averages of the source's samples.
    fn averages(&self, info: &BlitInfo) -> bool {
        self.samples[0] > self.samples[1]
            && !info.sample0_only
            && !info.mask.intersects(BlitMask::ZS)
            && !info.src.format.is_pure_integer()
    }
}

/// The largest number of window rectangles of a blit.
const MAX_WINDOWS: usize = pipe_core::limits::MAX_WINDOW_RECTANGLES;

/// Returns the ordered positions along one axis at which window rectangles begin or end, within a
/// destination of (start, size) pixels.
fn stops(
    windows: &WindowRectangles,
    [start, size]: [i32; 2],
    sides: impl Fn(&ScissorState) -> [u16; 2],
) -> heapless::Vec<u16, { 2 * MAX_WINDOWS + 2 }> {
    let place = |at: i32| at.clamp(0, u16::MAX.into()) as u16;
    let (first, last) = (place(start), place(start.saturating_add(size)));
    let inner = windows.as_slice().iter().flat_map(&sides).map(|at| at.clamp(first, last));
    let mut stops: heapless::Vec<_, _> = [first, last].into_iter().chain(inner).collect();
    stops.sort_unstable();
    stops
}

/// Returns the level of one sample out of `samples`.
fn plane<'a>(level: &Level<'a>, sample: u32, samples: u32) -> Level<'a> {
    let start = level.row_stride / samples as usize * sample as usize;
    Level { bytes: level.bytes.get(start..).unwrap_or(&[]), ..*level }
}

/// Checks that one end of a blit exists and that its format fits the resource.
fn check_end(resource: &Resource<'_>, end: &BlitSurface) -> Result<(), PipeError> {
    let Some(place) = resource.place(end.level) else {
        return Err(PipeError::Invalid("the level does not exist"));
    };
    let size = [place.width, place.height, place.layers];
    let layers = |region: Region| Region { x: 0, y: 0, width: 0, height: 0, ..region };
    let upright = end.region.unflipped().map(|(region, _)| region);
    if !upright.is_some_and(|region| layers(region).is_within(size)) {
        return Err(PipeError::RegionOutOfRange { region: end.region, size });
    }
    if end.format.block_bytes() != resource.template.format.block_bytes()
        || !end.format.can_unpack()
    {
        return Err(PipeError::UnsupportedFormat { format: end.format, usage: "a blit" });
    }
    Ok(())
}

/// Returns the destination's corner if a blit copies texels unchanged.
fn plain_copy(info: &BlitInfo) -> Option<[u32; 3]> {
    let (src, dst) = (&info.src, &info.dst);
    let whole = match src.format {
        format if !format.is_depth_or_stencil() => info.mask == BlitMask::RGBA,
        format => {
            info.mask.contains(BlitMask::Z) == format.has_depth()
                && info.mask.contains(BlitMask::S) == format.has_stencil()
        }
    };
    let sizes = |region: &Region| [region.width, region.height, region.depth];
    let same = src.format == dst.format
        && whole
        && sizes(&src.region) == sizes(&dst.region)
        && sizes(&src.region).iter().all(|&size| size >= 0)
        && info.scissor.is_none()
        && !info.alpha_blend
        && (src.resource, src.level) != (dst.resource, dst.level);
    let at = [dst.region.x, dst.region.y, dst.region.z];
    same.then(|| at.map(|at| at as u32))
}

/// Blits layer by layer. The destination level has its `bytes` at `place`. The source is a `level`
/// of a texture of the target `source`.
fn blit_layers(
    info: &BlitInfo,
    source: TextureTarget,
    level: &Level<'_>,
    place: &LevelLayout,
    bytes: &mut [u8],
    work: Work<'_>,
    mut each: impl FnMut(&Layer<'_>, &Level<'_>, &mut Target<'_>),
) {
    let (src, dst) = (&info.src.region, &info.dst.region);
    let Some((upright, _)) = dst.unflipped() else { return };
    let bounds = blit_bounds(info, &upright, [place.width, place.height]);
    // Layers need a first and a last pixel.
    if bounds.is_empty() {
        return;
    }
    let slices = Axis::new((src.z, src.depth), (dst.z, dst.depth));
    // Only scaled 3D textures are filtered between slices.
    let volume = source == TextureTarget::Texture3D
        && !slices.is_plain()
        && !info.mask.intersects(BlitMask::ZS);
    for z in upright.z..upright.z.saturating_add(upright.depth) {
        let mut slice = *level;
        if !volume {
            let start = slices.nearest(z) as usize * level.layer_stride;
            slice.bytes = level.bytes.get(start..).unwrap_or(&[]);
            slice.depth = 1;
        }
        let layer = Layer {
            x: Axis::new((src.x, src.width), (dst.x, dst.width)),
            y: Axis::new((src.y, src.height), (dst.y, dst.height)),
            z: Layer::slice(&slices, z, info.filter),
            bounds,
            mask: info.mask,
            filter: info.filter,
            alpha_blend: info.alpha_blend,
            work,
        };
        let start = z as usize * place.layer_stride;
        let Some(bytes) = bytes.get_mut(start..) else { return };
        let mut target = Target {
            bytes,
            stride: place.row_stride,
            format: info.dst.format,
            width: place.width,
            height: place.height,
        };
        each(&layer, &slice, &mut target);
    }
}

/// Returns the destination pixels that a blit writes: its region, cut to the level and the scissor.
fn blit_bounds(info: &BlitInfo, upright: &Region, [width, height]: [u32; 2]) -> Bounds {
    let bounds = Bounds {
        x0: upright.x,
        y0: upright.y,
        x1: upright.x.saturating_add(upright.width),
        y1: upright.y.saturating_add(upright.height),
    };
    let level = Bounds { x0: 0, y0: 0, x1: width as i32, y1: height as i32 };
    let bounds = bounds.intersect(&level);
    let Some(scissor) = &info.scissor else { return bounds };
    bounds.intersect(&Bounds {
        x0: scissor.minx.into(),
        y0: scissor.miny.into(),
        x1: scissor.maxx.into(),
        y1: scissor.maxy.into(),
    })
}
