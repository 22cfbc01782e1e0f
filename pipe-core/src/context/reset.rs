//! Device resets and bindless handles (manual, chapter Context).

use super::unsupported;
use crate::error::PipeError;
use crate::flags::ResetStatus;
use crate::handle::{SamplerHandle, SamplerViewHandle};
use crate::surface::{ImageAccess, ImageView};

/// Reports of device resets.
pub trait DeviceReset {
    /// Returns the reset that happened since the last call, if any.
    fn get_device_reset_status(&mut self) -> ResetStatus {
        ResetStatus::NoReset
    }

    /// Sets the callback for resets. The call that detects a reset calls it.
    /// [`get_device_reset_status`](Self::get_device_reset_status) does not report these resets
    /// again; with `None` it reports all resets.
    #[cfg(feature = "budget")]
    fn set_device_reset_callback(&mut self, callback: Option<ResetCallback>) {
        let _ = callback;
    }
}

/// A function that is called for resets. `pipe_device_reset_callback`.
#[derive(Clone, Copy, Debug)]
pub struct ResetCallback {
    /// Called with `data`.
    pub call: fn(data: usize, status: ResetStatus),
    /// A number that the caller chooses.
    pub data: usize,
}

/// Textures and images named by 64-bit handles in shaders (cap `BindlessTexture`).
pub trait Bindless {
    /// Creates a handle of a view with a sampler.
    ///
    /// # Errors
    /// A handle is stale, or [`PipeError::Unsupported`].
    fn create_texture_handle(
        &mut self,
        view: SamplerViewHandle,
        sampler: SamplerHandle,
    ) -> Result<u64, PipeError> {
        let _ = (view, sampler);
        unsupported("bindless textures")
    }

    /// Deletes a texture's handle.
    ///
    /// # Errors
    /// There is no such handle, or [`PipeError::Unsupported`].
    fn delete_texture_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        let _ = handle;
        unsupported("bindless textures")
    }

    /// Allows or forbids shaders to use a texture's handle.
    ///
    /// # Errors
    /// There is no such handle, or [`PipeError::Unsupported`].
    fn make_texture_handle_resident(
        &mut self,
        handle: u64,
        resident: bool,
    ) -> Result<(), PipeError> {
        let _ = (handle, resident);
        unsupported("bindless textures")
    }

    /// Creates a handle of an image.
    ///
    /// # Errors
    /// The resource is stale, or [`PipeError::Unsupported`].
    fn create_image_handle(&mut self, image: &ImageView) -> Result<u64, PipeError> {
        let _ = image;
        unsupported("bindless images")
    }

    /// Deletes an image's handle.
    ///
    /// # Errors
    /// There is no such handle, or [`PipeError::Unsupported`].
    fn delete_image_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        let _ = handle;
        unsupported("bindless images")
    }

    /// Allows or forbids shaders to use an image's handle.
    ///
    /// # Errors
    /// There is no such handle, or [`PipeError::Unsupported`].
    fn make_image_handle_resident(
        &mut self,
        handle: u64,
        access: ImageAccess,
        resident: bool,
    ) -> Result<(), PipeError> {
        let _ = (handle, access, resident);
        unsupported("bindless images")
    }
}
