//! Bindless handles.

use pipe_core::context::Bindless;
#[cfg(feature = "desktop")]
use pipe_core::{ImageAccess, ImageView, PipeError, SamplerHandle, SamplerViewHandle};

use crate::context::Context;
use crate::profile::Profile;
#[cfg(feature = "desktop")]
use crate::state::{image_slot, object};

#[cfg(not(feature = "desktop"))]
impl<P: Profile> Bindless for Context<'_, '_, P> {}

#[cfg(feature = "desktop")]
impl<P: Profile> Bindless for Context<'_, '_, P> {
    fn create_texture_handle(
        &mut self,
        view: SamplerViewHandle,
        sampler: SamplerHandle,
    ) -> Result<u64, PipeError> {
        let objects = &mut self.state.objects;
        let view = *object(&objects.views, view)?;
        let sampler = *object(&objects.samplers, sampler)?;
        objects.handles.add_texture(self.renderer.device, view, sampler)
    }

    fn delete_texture_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        let resource = self.state.objects.handles.delete_texture(handle)?;
        self.renderer.let_go(&mut self.state, resource)
    }

    fn make_texture_handle_resident(
        &mut self,
        handle: u64,
        resident: bool,
    ) -> Result<(), PipeError> {
        self.state.objects.handles.set_texture_resident(handle, resident)?;
        self.touch();
        Ok(())
    }

    fn create_image_handle(&mut self, image: &ImageView) -> Result<u64, PipeError> {
        let device = self.renderer.device;
        // Residency sets the access.
        let image = image_slot(device, &ImageView { access: ImageAccess::empty(), ..*image })?;
        self.state.objects.handles.add_image(device, image)
    }

    fn delete_image_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        let resource = self.state.objects.handles.delete_image(handle)?;
        self.renderer.let_go(&mut self.state, resource)
    }

    fn make_image_handle_resident(
        &mut self,
        handle: u64,
        access: ImageAccess,
        resident: bool,
    ) -> Result<(), PipeError> {
        let device = self.renderer.device;
        self.state.objects.handles.set_image_resident(device, handle, access, resident)
    }
}
