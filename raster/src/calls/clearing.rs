//! Clears of the framebuffer, surfaces, texels and bytes.

use pipe_core::context::Clearing;
use pipe_core::{ClearFlags, ColorUnion, PipeError, ScissorState};
#[cfg(feature = "es2")]
use pipe_core::{Region, ResourceHandle, SurfaceHandle};

#[cfg(feature = "es2")]
use crate::clear;
use crate::context::Context;
use crate::profile::Profile;
#[cfg(feature = "es2")]
use crate::report::Features;
use crate::scene::Clear;

impl<P: Profile> Clearing for Context<'_, '_, P> {
    fn clear(
        &mut self,
        buffers: ClearFlags,
        scissor: Option<&ScissorState>,
        color: &ColorUnion,
        depth: f64,
        stencil: u8,
    ) -> Result<(), PipeError> {
        self.graphics()?;
        self.begin()?;
        if !self.condition_holds()? {
            return Ok(());
        }
        let mut clear = Clear {
            depth: buffers.contains(ClearFlags::DEPTH).then_some(depth as f32),
            stencil: buffers.contains(ClearFlags::STENCIL).then_some(stencil),
            ..Clear::default()
        };
        for (index, value) in clear.color.iter_mut().enumerate() {
            if buffers.contains(ClearFlags::color(index)) {
                clear.color_buffers |= 1 << index;
                *value = color.bits;
            }
        }
        self.renderer.clear(&mut self.state, clear, scissor)
    }

    #[cfg(feature = "es2")]
    fn clear_render_target(
        &mut self,
        surface: SurfaceHandle,
        color: &ColorUnion,
        region: &Region,
        render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        self.renderer.device.note_used(|| Features::ES2);
        self.graphics()?;
        self.begin()?;
        if render_condition_enabled && !self.condition_holds()? {
            return Ok(());
        }
        let bits = color.bits;
        let cleared =
            self.renderer.clear_surface(&mut self.state, surface, region, |target, rect| {
                clear::color(target, bits, rect)
            });
        self.note_stop(cleared)
    }

    #[cfg(feature = "es2")]
    fn clear_depth_stencil(
        &mut self,
        surface: SurfaceHandle,
        buffers: ClearFlags,
        depth: f64,
        stencil: u8,
        region: &Region,
        render_condition_enabled: bool,
    ) -> Result<(), PipeError> {
        self.renderer.device.note_used(|| Features::ES2);
        self.graphics()?;
        self.begin()?;
        if render_condition_enabled && !self.condition_holds()? {
            return Ok(());
        }
        let depth = buffers.contains(ClearFlags::DEPTH).then_some(depth as f32);
        let stencil = buffers.contains(ClearFlags::STENCIL).then_some(stencil);
        let cleared =
            self.renderer.clear_surface(&mut self.state, surface, region, |target, rect| {
                clear::depth_stencil(target, depth, stencil, rect);
            });
        self.note_stop(cleared)
    }

    #[cfg(feature = "es2")]
    fn clear_texture(
        &mut self,
        handle: ResourceHandle,
        level: u32,
        region: &Region,
        texel: &[u8],
    ) -> Result<(), PipeError> {
        self.renderer.device.note_used(|| Features::ES2);
        self.begin()?;
        let cleared = self.renderer.fill_texture(&mut self.state, handle, level, region, texel);
        self.note_stop(cleared)
    }

    #[cfg(feature = "es2")]
    fn clear_buffer(
        &mut self,
        handle: ResourceHandle,
        offset: u32,
        size: u32,
        value: &[u8],
    ) -> Result<(), PipeError> {
        self.renderer.device.note_used(|| Features::ES2);
        if value.is_empty() || !(size as usize).is_multiple_of(value.len()) {
            return Err(PipeError::Invalid("the clear's size is not a multiple of the value's"));
        }
        self.begin()?;
        let cleared = self.renderer.fill_buffer(&mut self.state, handle, offset, size, value);
        self.note_stop(cleared)
    }
}
