//! Shader buffers, images and atomic counters.

use pipe_core::context::ShaderResources;
#[cfg(feature = "shader-memory")]
use pipe_core::{
    ImageView, PipeError, ShaderBuffer, ShaderType,
    limits::{MAX_HW_ATOMIC_BUFFERS, MAX_SHADER_BUFFERS, MAX_SHADER_IMAGES},
};

use crate::context::Context;
use crate::profile::Profile;
#[cfg(feature = "shader-memory")]
use crate::report::Features;
#[cfg(feature = "shader-memory")]
use crate::state::{buffer_slot, checked, image_slot};

#[cfg(not(feature = "shader-memory"))]
impl<P: Profile> ShaderResources for Context<'_, '_, P> {}

#[cfg(feature = "shader-memory")]
impl<P: Profile> ShaderResources for Context<'_, '_, P> {
    fn set_shader_buffers(
        &mut self,
        stage: ShaderType,
        start: usize,
        buffers: &[Option<ShaderBuffer>],
        writable: u32,
    ) -> Result<(), PipeError> {
        let device = self.renderer.device;
        device.note_used(|| used(buffers));
        let new = checked::<_, MAX_SHADER_BUFFERS>(buffers, start, |index, buffer| {
            buffer_slot(device, buffer, writable >> (index & 31) & 1 != 0)
        })?;
        self.state.memory.set(device, start, &new, |memory| memory.buffers.get_mut(stage))
    }

    fn set_shader_images(
        &mut self,
        stage: ShaderType,
        start: usize,
        images: &[Option<ImageView>],
    ) -> Result<(), PipeError> {
        let device = self.renderer.device;
        device.note_used(|| used(images));
        let new =
            checked::<_, MAX_SHADER_IMAGES>(images, start, |_, image| image_slot(device, image))?;
        self.state.memory.set(device, start, &new, |memory| memory.images.get_mut(stage))
    }

    fn set_hw_atomic_buffers(
        &mut self,
        start: usize,
        buffers: &[Option<ShaderBuffer>],
    ) -> Result<(), PipeError> {
        let device = self.renderer.device;
        device.note_used(|| used(buffers));
        let new = checked::<_, MAX_HW_ATOMIC_BUFFERS>(buffers, start, |_, buffer| {
            buffer_slot(device, buffer, true)
        })?;
        self.state.memory.set(device, start, &new, |memory| Some(&mut memory.counters))
    }
}

/// Returns the feature that a call uses which binds something.
#[cfg(feature = "shader-memory")]
fn used<T>(bound: &[Option<T>]) -> Features {
    if bound.iter().any(Option::is_some) { Features::SHADER_MEMORY } else { Features::empty() }
}
