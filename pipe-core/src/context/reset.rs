//! Device resets and bindless handles.

use super::unsupported;
use crate::error::PipeError;
use crate::flags::ResetStatus;
use crate::handle::{SamplerHandle, SamplerViewHandle};
use crate::surface::{ImageAccess, ImageView};

/// Whether the device still stands.
pub trait DeviceReset {
    /// Whether a reset happened since the last call.
    fn get_device_reset_status(&mut self) -> ResetStatus {
        ResetStatus::NoReset
    }
}

/// Textures and images that shaders name by 64-bit numbers (cap `BindlessTexture`).
pub trait Bindless {
    /// A number for a view and sampler.
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

    /// Ends a texture's number.
    ///
    /// # Errors
    /// It is not one, or [`PipeError::Unsupported`].
    fn delete_texture_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        let _ = handle;
        unsupported("bindless textures")
    }

    /// Lets shaders use a texture's number, or no longer.
    ///
    /// # Errors
    /// It is not one, or [`PipeError::Unsupported`].
    fn make_texture_handle_resident(
        &mut self,
        handle: u64,
        resident: bool,
    ) -> Result<(), PipeError> {
        let _ = (handle, resident);
        unsupported("bindless textures")
    }

    /// A number for an image.
    ///
    /// # Errors
    /// The resource is stale, or [`PipeError::Unsupported`].
    fn create_image_handle(&mut self, image: &ImageView) -> Result<u64, PipeError> {
        let _ = image;
        unsupported("bindless images")
    }

    /// Ends an image's number.
    ///
    /// # Errors
    /// It is not one, or [`PipeError::Unsupported`].
    fn delete_image_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        let _ = handle;
        unsupported("bindless images")
    }

    /// Lets shaders use an image's number, or no longer.
    ///
    /// # Errors
    /// It is not one, or [`PipeError::Unsupported`].
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
