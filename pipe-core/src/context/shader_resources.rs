//! Shader buffers and images (manual, chapter Context, "Shader Resources").

use super::unsupported;
use crate::error::PipeError;
use crate::shader::ShaderType;
use crate::surface::{ImageView, ShaderBuffer};

/// Memory that shaders load from and store to without samplers: no filters, no wrapping.
pub trait ShaderResources {
    /// Binds buffers to slots `start..` of a stage; `None` unbinds a slot, other slots stay. Bit i
    /// of `writable` is set if the shader writes `buffers[i]`.
    ///
    /// # Errors
    /// A resource is stale, its range exceeds it, a slot is beyond `MAX_SHADER_BUFFERS`, or
    /// [`PipeError::Unsupported`] for anything except unbinding.
    fn set_shader_buffers(
        &mut self,
        stage: ShaderType,
        start: usize,
        buffers: &[Option<ShaderBuffer>],
        writable: u32,
    ) -> Result<(), PipeError> {
        let _ = (stage, start, writable);
        none_or_unsupported(buffers, "shader buffers")
    }

    /// Binds images to slots `start..` of a stage; `None` unbinds a slot, other slots stay.
    ///
    /// # Errors
    /// As for [`set_shader_buffers`](Self::set_shader_buffers).
    fn set_shader_images(
        &mut self,
        stage: ShaderType,
        start: usize,
        images: &[Option<ImageView>],
    ) -> Result<(), PipeError> {
        let _ = (stage, start);
        none_or_unsupported(images, "shader images")
    }

    /// Binds buffers of hardware atomic counters to slots `start..`.
    ///
    /// # Errors
    /// As for [`set_shader_buffers`](Self::set_shader_buffers).
    fn set_hw_atomic_buffers(
        &mut self,
        start: usize,
        buffers: &[Option<ShaderBuffer>],
    ) -> Result<(), PipeError> {
        let _ = start;
        none_or_unsupported(buffers, "hardware atomic buffers")
    }
}

/// Accepts empty slots: unbinding works in every driver.
fn none_or_unsupported<T>(slots: &[Option<T>], what: &'static str) -> Result<(), PipeError> {
    if slots.iter().all(Option::is_none) { Ok(()) } else { unsupported(what) }
}
