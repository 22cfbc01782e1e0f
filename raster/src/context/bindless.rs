//! Bindless handles: textures and images that shaders name by numbers.
//!
//! A screen gives each number once, so that one whose handle was deleted, or is another context's,
//! names nothing.

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::RawHandle;
use pipe_core::context::Bindless;
use pipe_core::{
    ImageAccess, ImageView, PipeError, SamplerHandle, SamplerState, SamplerViewHandle,
};
use tgsi::exec::MemorySpace;

use super::cso::View;
use super::shader_resources::BoundSlot;
use super::{Context, object};
use crate::device::{hold, release};
use crate::profile::Profile;
use crate::resource::{MemoryBinding, MemoryBindings, TextureBinding};

/// A view with its sampler.
#[derive(Clone, Copy, Debug)]
struct Texture {
    view: View,
    sampler: SamplerState,
}

/// A texture or an image that shaders name by a number.
#[derive(Debug)]
struct Named<T> {
    number: u32,
    is_resident: bool,
    it: T,
}

/// Handles of a kind, in the order of their numbers.
type List<'m, T> = Vec<'m, Named<T>>;

/// The handles of a context.
#[derive(Debug)]
pub(super) struct Handles<'m> {
    textures: List<'m, Texture>,
    images: List<'m, BoundSlot>,
}

/// Returns the place of a handle.
fn find<T>(list: &List<'_, T>, handle: u64) -> Result<usize, PipeError> {
    let place = list.binary_search_by_key(&handle, |named| named.number.into());
    place.map_err(|_| PipeError::Invalid("not a bindless handle of this context"))
}

/// Allows or forbids shaders to use a handle; returns what it names.
fn set_resident<'a, T>(
    list: &'a mut List<'_, T>,
    handle: u64,
    is_resident: bool,
) -> Result<&'a mut T, PipeError> {
    let place = find(list, handle)?;
    let named = list.get_mut(place).ok_or(PipeError::Invalid("not a bindless handle"))?;
    named.is_resident = is_resident;
    Ok(&mut named.it)
}

impl<'m> Handles<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        Handles { textures: Vec::new_in(memory), images: Vec::new_in(memory) }
    }

    /// The resources that handles hold.
    pub(super) fn held(&self) -> impl Iterator<Item = RawHandle> {
        let textures = self.textures.iter().map(|texture| texture.it.view.resource);
        textures.chain(self.images.iter().map(|image| image.it.resource))
    }

    /// The views of resident textures.
    pub(super) fn views(&self) -> impl Iterator<Item = &View> {
        let resident = self.textures.iter().filter(|texture| texture.is_resident);
        resident.map(|texture| &texture.it.view)
    }

    /// Appends the resident textures, in the order of their numbers.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn add_textures(
        &self,
        textures: &mut Vec<'_, TextureBinding>,
    ) -> Result<(), OutOfMemory> {
        for texture in self.textures.iter().filter(|texture| texture.is_resident) {
            let Texture { view, sampler } = texture.it;
            let (unit, resource) = (texture.number, view.resource);
            textures.try_push(TextureBinding {
                unit,
                #[cfg(feature = "texture-targets")]
                sampler_unit: unit,
                resource,
                view: view.state,
                sampler,
            })?;
        }
        Ok(())
    }

    /// Appends the resident images for a stage, whose program may write them if it `writes`.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn add_images(
        &self,
        stage: usize,
        writes: bool,
        bindings: &mut MemoryBindings<'m>,
    ) -> Result<(), OutOfMemory> {
        for image in self.images.iter().filter(|image| image.is_resident) {
            let BoundSlot { resource, view, is_writable } = image.it;
            let (space, unit) = (MemorySpace::Image, image.number);
            let is_written = writes && is_writable;
            bindings.push(MemoryBinding { stage, space, unit, resource, view, is_written })?;
        }
        Ok(())
    }
}

impl<'m, P: Profile> Context<'_, 'm, P> {
    /// Takes a number that no handle of the screen has had; the resource has a holder more.
    fn number_holding(&self, resource: RawHandle) -> Result<u32, PipeError> {
        let shared = &mut *self.device.shared.lock();
        let number = shared.next_handle;
        let after = number.checked_add(1).filter(|next| *next < 1 << 31);
        shared.next_handle = after.ok_or(PipeError::Unsupported("more bindless handles"))?;
        hold(&mut shared.resources, resource);
        Ok(number)
    }

    /// Draws what used a handle that was deleted, and lets its resource go.
    fn let_go(&mut self, resource: RawHandle) -> Result<(), PipeError> {
        let flushed = self.flush_if_used(resource);
        release(&mut self.device.shared.lock().resources, resource);
        self.touch();
        flushed
    }
}

impl<P: Profile> Bindless for Context<'_, '_, P> {
    fn create_texture_handle(
        &mut self,
        view: SamplerViewHandle,
        sampler: SamplerHandle,
    ) -> Result<u64, PipeError> {
        let view = *object(&self.objects.views, view)?;
        let sampler = *object(&self.objects.samplers, sampler)?;
        self.objects.handles.textures.try_reserve(1)?;
        let number = self.number_holding(view.resource)?;
        let named = Named { number, is_resident: false, it: Texture { view, sampler } };
        let _ = self.objects.handles.textures.push_within_capacity(named);
        Ok(number.into())
    }

    fn delete_texture_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        let place = find(&self.objects.handles.textures, handle)?;
        let texture = self.objects.handles.textures.remove(place);
        self.let_go(texture.it.view.resource)
    }

    fn make_texture_handle_resident(
        &mut self,
        handle: u64,
        resident: bool,
    ) -> Result<(), PipeError> {
        set_resident(&mut self.objects.handles.textures, handle, resident)?;
        self.touch();
        Ok(())
    }

    fn create_image_handle(&mut self, image: &ImageView) -> Result<u64, PipeError> {
        // Residency says how it is accessed.
        let it = self.image_slot(&ImageView { access: ImageAccess::empty(), ..*image })?;
        self.objects.handles.images.try_reserve(1)?;
        let number = self.number_holding(it.resource)?;
        let named = Named { number, is_resident: false, it };
        let _ = self.objects.handles.images.push_within_capacity(named);
        Ok(number.into())
    }

    fn delete_image_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        let place = find(&self.objects.handles.images, handle)?;
        let image = self.objects.handles.images.remove(place);
        self.let_go(image.it.resource)
    }

    fn make_image_handle_resident(
        &mut self,
        handle: u64,
        access: ImageAccess,
        resident: bool,
    ) -> Result<(), PipeError> {
        let place = find(&self.objects.handles.images, handle)?;
        let image = self.objects.handles.images.get(place).map(|image| image.it.resource);
        let writes = resident && access.contains(ImageAccess::WRITE);
        if writes {
            let resources = &self.device.shared.lock().resources;
            let resource = image.and_then(|image| resources.get(image));
            if !resource.is_some_and(crate::resource::Resource::is_writable) {
                return Err(PipeError::Unsupported("writing to user memory"));
            }
        }
        set_resident(&mut self.objects.handles.images, handle, resident)?.is_writable = writes;
        Ok(())
    }
}
