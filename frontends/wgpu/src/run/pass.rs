//! Render passes: attachments, clears, resolves.

use pipe_core::{
    BlendColor, BlitInfo, BlitSurface, ClearFlags, ColorUnion, FramebufferState, PipeError, Region,
    ScissorState, StencilRef, TexFilter, ViewportState,
};
use wgpu_hal::AttachmentOps;

use crate::command::{ColorAttachment, RenderPass};
use crate::formats;
use crate::run::Run;
use crate::run::draw::Inputs;
use crate::state;
use crate::texture::TextureView;

/// Returns the size as pixels of a framebuffer.
fn pixels(size: u32) -> u16 {
    u16::try_from(size).unwrap_or(u16::MAX)
}

/// Returns the viewport of a rectangle: y points up in clip space and down in the target, z goes
/// from 0 to 1.
pub(crate) fn viewport(x: f32, y: f32, width: f32, height: f32, depth: [f32; 2]) -> ViewportState {
    let [near, far] = depth;
    ViewportState {
        scale: [width / 2.0, height / -2.0, far - near],
        translate: [x + width / 2.0, y + height / 2.0, near],
        ..ViewportState::default()
    }
}

impl<'c> Run<'c> {
    pub(super) fn begin_render(&mut self, pass: &'c RenderPass) -> Result<(), PipeError> {
        if let Some(it) = &pass.timestamps {
            self.maybe_timestamp(&it.set, it.beginning)?;
        }
        self.pass = Some(pass);
        self.bindings.begin(false);
        self.inputs = Inputs::default();
        self.pipeline = None;
        self.set_attachments(pass)?;
        self.clear_attachments(pass)?;
        let (width, height) = (pass.width as f32, pass.height as f32);
        let whole = viewport(0.0, 0.0, width, height, [0.0, 1.0]);
        self.set_viewport(&whole)?;
        let (maxx, maxy) = (pixels(pass.width), pixels(pass.height));
        self.context.set_scissor_states(0, &[ScissorState { minx: 0, miny: 0, maxx, maxy }])?;
        self.set_stencil_reference(0);
        self.context.set_blend_color(&BlendColor::default());
        Ok(())
    }

    /// Sets the viewport. Depth buffers of 16 bits get the nearest depths.
    pub(super) fn set_viewport(&mut self, viewport: &ViewportState) -> Result<(), PipeError> {
        let mut viewport = *viewport;
        let depth = self.pass.and_then(|pass| pass.depth.as_ref());
        if let Some(map) = depth.and_then(|depth| formats::depth_map(depth.view.format())) {
            let ([.., scale], [.., translate]) = (&mut viewport.scale, &mut viewport.translate);
            (*scale, *translate) = (*scale * map.scale, map.apply(*translate));
        }
        self.context.set_viewport_states(0, &[viewport])
    }

    fn set_attachments(&mut self, pass: &RenderPass) -> Result<(), PipeError> {
        let mut framebuffer = FramebufferState {
            width: pixels(pass.width),
            height: pixels(pass.height),
            ..FramebufferState::default()
        };
        for (slot, color) in framebuffer.cbufs.iter_mut().zip(&pass.colors) {
            let Some(color) = color else { continue };
            *slot = Some(match color.slice {
                None => color.view.surface(self.context)?,
                Some(slice) => {
                    let surface = color.view.layer_surface(self.context, slice)?;
                    self.slices.push(surface);
                    surface
                }
            });
        }
        if let Some(depth) = &pass.depth {
            framebuffer.zsbuf = Some(depth.view.surface(self.context)?);
        }
        if framebuffer.attachments().next().is_none() {
            framebuffer.samples = u8::try_from(pass.samples).unwrap_or(1);
        }
        self.context.set_framebuffer_state(&framebuffer)
    }

    fn clear_attachments(&mut self, pass: &RenderPass) -> Result<(), PipeError> {
        for (index, color) in pass.colors.iter().enumerate() {
            let Some(color) = color else { continue };
            if color.ops.contains(AttachmentOps::LOAD_CLEAR) {
                let value = state::clear_color(color.clear, color.view.format());
                self.context.clear(ClearFlags::color(index), None, &value, 0.0, 0)?;
            }
        }
        let Some(depth) = &pass.depth else { return Ok(()) };
        let format = depth.view.format();
        let mut flags = ClearFlags::empty();
        flags.set(
            ClearFlags::DEPTH,
            format.has_depth_aspect() && depth.depth_ops.contains(AttachmentOps::LOAD_CLEAR),
        );
        flags.set(
            ClearFlags::STENCIL,
            format.has_stencil_aspect() && depth.stencil_ops.contains(AttachmentOps::LOAD_CLEAR),
        );
        if flags.is_empty() {
            return Ok(());
        }
        let value = formats::depth_map(format).map_or(depth.depth, |map| map.apply(depth.depth));
        let (value, stencil) = (value.into(), depth.stencil as u8);
        self.context.clear(flags, None, &ColorUnion::default(), value, stencil)
    }

    pub(super) fn set_stencil_reference(&mut self, value: u8) {
        self.context.set_stencil_ref(StencilRef { ref_value: [value; 2] });
    }

    pub(super) fn end_render(&mut self) -> Result<(), PipeError> {
        self.unbind()?;
        let Some(pass) = self.pass.take() else { return Ok(()) };
        for color in pass.colors.iter().flatten() {
            if let Some(target) = &color.resolve {
                self.resolve(pass, color, target)?;
            }
        }
        if !self.slices.is_empty() {
            self.context.set_framebuffer_state(&FramebufferState::default())?;
            for surface in std::mem::take(&mut self.slices) {
                self.context.surface_destroy(surface)?;
            }
        }
        match &pass.timestamps {
            Some(it) => self.maybe_timestamp(&it.set, it.end),
            None => Ok(()),
        }
    }

    /// Averages the samples of an attachment.
    fn resolve(
        &mut self,
        pass: &RenderPass,
        color: &ColorAttachment,
        target: &TextureView,
    ) -> Result<(), PipeError> {
        let surface = |view: &TextureView| BlitSurface {
            resource: view.texture().resource(),
            level: view.level(),
            region: Region {
                z: i32::try_from(view.layer()).unwrap_or(i32::MAX),
                ..Region::whole(pass.width, pass.height, 1)
            },
            format: formats::texture(view.format()).unwrap_or_default(),
        };
        let info = BlitInfo::new(surface(target), surface(&color.view), TexFilter::Nearest);
        self.context.blit(&info)
    }
}
