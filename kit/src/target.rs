//! Targets: the picture that draws go to.

use pipe_core::context::{Clearing, Flushing, Parameters, ResourceBinding, Surfaces};
use pipe_core::{
    Bind, ClearFlags, ColorUnion, Format, FramebufferState, PipeError, ResourceHandle,
    ResourceTemplate, SamplerState, SamplerViewTemplate, Screen, SurfaceTemplate, TilePanel,
    ViewportState,
};

use crate::device::Device;
use crate::texture::Texture;

/// A picture with its depth buffer, and the viewport that covers it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Target {
    /// The picture.
    pub color: ResourceHandle,
    /// The surfaces that draws go to.
    pub framebuffer: FramebufferState,
    /// The whole picture, y up. Change it for pictures side by side.
    pub viewport: ViewportState,
}

impl Target {
    /// Creates a streamed target of `width`×`height` pixels: it has no memory, and
    /// [`present`](Self::present) sends it to a display tile by tile. With a depth format it has a
    /// streamed depth buffer, which exists in a tile only.
    ///
    /// # Errors
    /// Out of memory; a size or a format that the driver lacks.
    pub fn panel<'m>(
        device: &mut impl Device<'m>,
        format: Format,
        depth: Option<Format>,
        [width, height]: [u32; 2],
    ) -> Result<Self, PipeError> {
        let color = ResourceTemplate::streamed(format, width, height);
        let depth = depth.map(|format| ResourceTemplate::streamed_depth(format, width, height));
        Self::of(device, &color, depth)
    }

    /// Creates a target with memory of the device, and the texture that shows it.
    ///
    /// # Errors
    /// Out of memory; a size, a format or a filter that the driver lacks; `gallium-raster` without
    /// the feature `memory-surfaces`.
    pub fn texture<'m>(
        device: &mut impl Device<'m>,
        format: Format,
        depth: Option<Format>,
        [width, height]: [u32; 2],
        sampler: &SamplerState,
    ) -> Result<(Self, Texture), PipeError> {
        let bind = Bind::RENDER_TARGET.union(Bind::SAMPLER_VIEW);
        let color = ResourceTemplate::texture_2d(format, width, height, bind);
        let depth = depth
            .map(|format| ResourceTemplate::texture_2d(format, width, height, Bind::DEPTH_STENCIL));
        let target = Self::of(device, &color, depth)?;
        let view = SamplerViewTemplate::whole(&color);
        Ok((target, Texture::of(device, target.color, &view, sampler)?))
    }

    fn of<'m>(
        device: &mut impl Device<'m>,
        color: &ResourceTemplate,
        depth: Option<ResourceTemplate>,
    ) -> Result<Self, PipeError> {
        let (width, height) = (color.width0 as u16, color.height0 as u16);
        if [width, height].map(u32::from) != [color.width0, color.height0] {
            let (value, limit) = (color.width0.max(color.height0), u16::MAX);
            let what = "a side of the target";
            return Err(PipeError::OutOfRange { what, value: value.into(), limit: limit.into() });
        }
        let (screen, context) = device.parts();
        let resource = screen.resource_create(color)?;
        let surface = context.create_surface(resource, &SurfaceTemplate::of(color.format))?;
        let mut zsbuf = None;
        if let Some(depth) = depth {
            let resource = screen.resource_create(&depth)?;
            zsbuf = Some(context.create_surface(resource, &SurfaceTemplate::of(depth.format))?);
        }
        Ok(Target {
            color: resource,
            framebuffer: FramebufferState::single(width, height, surface, zsbuf),
            viewport: ViewportState::y_up(color.width0, color.height0),
        })
    }

    /// Begins a picture: binds the target and its viewport, fills it with a colour (red, green,
    /// blue, alpha from 0 to 1), and sets depth to 1, the farthest.
    ///
    /// # Errors
    /// The errors of `set_framebuffer_state` and `clear`.
    pub fn begin<'m>(
        &self,
        device: &mut impl Device<'m>,
        color: [f32; 4],
    ) -> Result<(), PipeError> {
        self.bind(device)?;
        let depth = match self.framebuffer.zsbuf {
            Some(_) => ClearFlags::DEPTH,
            None => ClearFlags::empty(),
        };
        let buffers = ClearFlags::COLOR0.union(depth);
        device.context().clear(buffers, None, &ColorUnion::float(color), 1.0, 0)
    }

    /// Binds the target and its viewport, and keeps the picture.
    ///
    /// # Errors
    /// The errors of `set_framebuffer_state`.
    pub fn bind<'m>(&self, device: &mut impl Device<'m>) -> Result<(), PipeError> {
        let context = device.context();
        context.set_framebuffer_state(&self.framebuffer)?;
        context.set_viewport_states(0, &[self.viewport])
    }

    /// Sends the picture to a display. A streamed target is drawn now, tile by tile.
    ///
    /// # Errors
    /// The errors of `present`: the scene buffer is too small, or the display fails.
    pub fn present<'m>(
        &self,
        device: &mut impl Device<'m>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        device.context().present(self.color.into(), panel)
    }
}
