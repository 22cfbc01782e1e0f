//! `flush`, which has nothing to do, and `present`.
//!
//! A streamed surface has memory in this driver. It is cleared to zeros after its frame is shown.
//! Each row is a tile.

use core::ops::Range;
use std::sync::Arc;

use pipe_core::auxiliary::PART_ROWS;
use pipe_core::context::{Flushing, PresentSource};
use pipe_core::{
    Area, FenceHandle, FlushFlags, ImageRange, PipeError, Referenced, ResourceHandle, TilePanel,
};

use super::{Context, object};
use crate::output::store_color;
use crate::resource::Resource;
use crate::target::Target;

/// A picture to show: one layer of a resource.
struct Shown<'m> {
    resource: Arc<Resource<'m>>,
    target: Target<'m>,
}

impl Shown<'_> {
    /// Returns the bytes of a row; of several samples, the mean.
    fn row(&self, y: u32) -> std::vec::Vec<u8> {
        let target = &self.target;
        let (format, count) = (target.format, target.samples());
        let mut row = std::vec::Vec::new();
        for x in 0..target.width {
            let mut texel = target.load(x, y);
            if count > 1 && !format.is_pure_integer() {
                let mut sum = [0.0f64; 4];
                for sample in 0..count {
                    let color = format.fetch_rgba_f32(&target.plane(sample).load(x, y));
                    for (sum, component) in sum.iter_mut().zip(color) {
                        *sum += f64::from(component) / f64::from(count);
                    }
                }
                let mean = sum.map(|component| (component as f32).to_bits());
                texel = store_color(format, mean, pipe_core::ColorMask::RGBA, &texel);
            }
            row.extend_from_slice(&texel[..format.block_bytes()]);
        }
        row
    }
}

impl<'m> Context<'_, 'm> {
    /// Returns the picture that a source names.
    fn shown(&self, source: PresentSource) -> Result<Shown<'m>, PipeError> {
        let (handle, level, layer) = match source {
            PresentSource::Resource(handle) => (handle, 0, 0),
            PresentSource::Surface(surface) => {
                let image = object(&self.objects.surfaces, surface)?.image;
                match image.range {
                    ImageRange::Texture { level, first_layer, .. } => {
                        (image.resource, level, first_layer)
                    }
                    ImageRange::Buffer { .. } => (image.resource, 0, 0),
                }
            }
        };
        let resource = self.device.resource(handle)?;
        let is_streamed = resource.template.is_streamed();
        if is_streamed && !self.streamed().any(|bound| Arc::ptr_eq(&bound, &resource)) {
            return Err(PipeError::Unbound("the streamed surface"));
        }
        if !is_streamed && resource.template.samples() > 1 {
            let what = "presenting several samples (blit them to one)";
            return Err(PipeError::Unsupported(what));
        }
        let format = resource.template.format;
        let target = Target::new(&resource, level, layer, format);
        let target = target.ok_or(PipeError::Invalid("the level or layer does not exist"))?;
        Ok(Shown { resource, target })
    }

    /// Returns the streamed picture that a source names.
    fn shown_stream(&self, source: PresentSource) -> Result<Shown<'m>, PipeError> {
        if matches!(source, PresentSource::Surface(_)) {
            let what = "presenting a part of a surface (name its resource)";
            return Err(PipeError::Unsupported(what));
        }
        let shown = self.shown(source)?;
        if shown.resource.template.is_streamed() {
            return Ok(shown);
        }
        Err(PipeError::Unbound("the streamed surface"))
    }

    /// Iterates over the streamed resources that are attached.
    fn streamed(&self) -> impl Iterator<Item = Arc<Resource<'m>>> {
        let framebuffer = &self.bound.framebuffer;
        let targets = framebuffer.color.iter().chain([&framebuffer.depth]).flatten();
        let resources = targets.map(|target| target.resource().clone());
        resources.filter(|resource| resource.template.is_streamed())
    }

    /// Fills the attached streamed surfaces with zeros: a frame, or a part of it, has ended.
    fn end_frame(&self) -> Result<(), PipeError> {
        self.streamed().try_for_each(|resource| resource.write(|bytes| bytes.fill(0)))
    }

    /// Shows rows of a picture. Each row is a tile.
    fn show(
        shown: &Shown<'m>,
        rows: Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let Target { width, height, format, .. } = shown.target;
        if rows.start == 0 {
            panel.begin(width, height)?;
        }
        for y in rows.clone() {
            let mut row = shown.row(y);
            let stride = row.len();
            if shown.resource.template.is_streamed() {
                panel.overlay(Area { x: 0, y, width, height: 1 }, format, &mut row, stride);
            }
            panel.tile(0, y, width, 1, format, &row, stride)?;
        }
        if rows.end == height {
            panel.finish()?;
        }
        Ok(())
    }
}

impl Flushing for Context<'_, '_> {
    fn flush(&mut self, _flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        Ok(None)
    }

    /// Returns empty flags: no work is ever pending.
    fn is_resource_referenced(
        &self,
        resource: ResourceHandle,
        _level: u32,
        _layer: u32,
    ) -> Result<Referenced, PipeError> {
        self.device.resource(resource).map(|_| Referenced::empty())
    }

    /// Drops a frame of a streamed surface that will not be presented.
    fn invalidate_resource(&mut self, handle: ResourceHandle) -> Result<(), PipeError> {
        let resource = self.device.resource(handle)?;
        match resource.template.is_streamed() {
            true => resource.write(|bytes| bytes.fill(0)),
            false => Ok(()),
        }
    }

    fn present(
        &mut self,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let shown = self.shown(source)?;
        let result = Self::show(&shown, 0..shown.target.height, panel);
        if shown.resource.template.is_streamed() {
            self.end_frame()?;
        }
        result
    }

    fn present_rows(
        &mut self,
        source: PresentSource,
        rows: Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let shown = self.shown_stream(source)?;
        let height = shown.target.height;
        let ends = rows.end == height || rows.end.is_multiple_of(PART_ROWS);
        if rows.end > height || rows.is_empty() || !ends || !rows.start.is_multiple_of(PART_ROWS) {
            return Err(PipeError::Invalid("the rows are not part of a frame"));
        }
        let result = Self::show(&shown, rows, panel);
        self.end_frame()?;
        result
    }

    fn present_tile(
        &mut self,
        source: PresentSource,
        index: u32,
        pixels: &mut [u8],
    ) -> Result<Option<Area>, PipeError> {
        let shown = self.shown_stream(source)?;
        if index >= shown.target.height {
            return self.end_frame().map(|()| None);
        }
        let row = shown.row(index);
        let limit = pixels.len() as u64;
        let Some(tile) = pixels.get_mut(..row.len()) else {
            let what = "the bytes of a tile";
            return Err(PipeError::OutOfRange { what, value: row.len() as u64, limit });
        };
        tile.copy_from_slice(&row);
        Ok(Some(Area { x: 0, y: index, width: shown.target.width, height: 1 }))
    }
}
