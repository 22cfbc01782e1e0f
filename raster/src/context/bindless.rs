//! Bindless handles: textures and images that shaders name by numbers.
//!
//! A screen uses each number once, so a number names nothing if its handle was deleted or belongs
//! to another context.

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
    /// Deleted ones stay for a while, as they would leave a gap that others have to close.
    is_deleted: bool,
    it: T,
}

/// Handles of a kind, in the order of their numbers.
#[derive(Debug)]
struct List<'m, T> {
    named: Vec<'m, Named<T>>,
    /// The number of those that are deleted: less than half of them.
    deleted: usize,
}

impl<'m, T> List<'m, T> {
    fn new_in(memory: Memory<'m>) -> Self {
        List { named: Vec::new_in(memory), deleted: 0 }
    }

    /// Returns what is not deleted.
    fn iter(&self) -> impl Iterator<Item = &Named<T>> {
        self.named.iter().filter(|named| !named.is_deleted)
    }

    /// Returns what a handle names.
    fn find(&mut self, handle: u64) -> Result<&mut Named<T>, PipeError> {
        let place = self.named.binary_search_by_key(&handle, |named| named.number.into()).ok();
        let named = place.and_then(|place| self.named.get_mut(place));
        let named = named.filter(|named| !named.is_deleted);
        named.ok_or(PipeError::Invalid("not a bindless handle of this context"))
    }

    /// Adds a handle that is not resident, for which there is room.
    fn add(&mut self, number: u32, it: T) {
        let named = Named { number, is_resident: false, is_deleted: false, it };
        let _ = self.named.push_within_capacity(named);
    }

    /// Deletes a handle; returns what it named.
    fn delete(&mut self, handle: u64) -> Result<T, PipeError>
    where
        T: Copy,
    {
        let named = self.find(handle)?;
        (named.is_deleted, named.is_resident) = (true, false);
        let it = named.it;
        self.deleted += 1;
        if self.deleted > self.named.len() / 2 {
            self.named.retain(|named| !named.is_deleted);
            self.deleted = 0;
        }
        Ok(it)
    }
}

/// The handles of a context.
#[derive(Debug)]
pub(super) struct Handles<'m> {
    textures: List<'m, Texture>,
    images: List<'m, BoundSlot>,
}

impl<'m> Handles<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        Handles { textures: List::new_in(memory), images: List::new_in(memory) }
    }

    /// Returns the resources that handles hold.
    pub(super) fn held(&self) -> impl Iterator<Item = RawHandle> {
        let textures = self.textures.iter().map(|texture| texture.it.view.resource);
        textures.chain(self.images.iter().map(|image| image.it.resource))
    }

    /// Returns the views of resident textures.
    pub(super) fn views(&self) -> impl Iterator<Item = &View> {
        let resident = self.textures.iter().filter(|texture| texture.is_resident);
        resident.map(|texture| &texture.it.view)
    }

    /// Appends the resident textures in the order of their numbers.
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
                #[cfg(feature = "es2")]
                sampler_unit: unit,
                resource,
                view: view.state,
                sampler,
            })?;
        }
        Ok(())
    }

    /// Appends the resident images for a stage. If `writes` is true, the stage's program may write
    /// to them.
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
    /// Takes a number that no handle of the screen has used, and adds a holder to the resource.
    fn number_holding(&self, resource: RawHandle) -> Result<u32, PipeError> {
        let shared = &mut *self.device.shared.lock();
        let number = shared.next_handle;
        let after = number.checked_add(1).filter(|next| *next < 1 << 31);
        shared.next_handle = after.ok_or(PipeError::Unsupported("more bindless handles"))?;
        hold(&mut shared.resources, resource);
        Ok(number)
    }

    /// Flushes draws that use a deleted handle, and releases its resource.
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
        self.objects.handles.textures.named.try_reserve(1)?;
        let number = self.number_holding(view.resource)?;
        self.objects.handles.textures.add(number, Texture { view, sampler });
        Ok(number.into())
    }

    fn delete_texture_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        let texture = self.objects.handles.textures.delete(handle)?;
        self.let_go(texture.view.resource)
    }

    fn make_texture_handle_resident(
        &mut self,
        handle: u64,
        resident: bool,
    ) -> Result<(), PipeError> {
        self.objects.handles.textures.find(handle)?.is_resident = resident;
        self.touch();
        Ok(())
    }

    fn create_image_handle(&mut self, image: &ImageView) -> Result<u64, PipeError> {
        // Residency sets the access.
        let it = self.image_slot(&ImageView { access: ImageAccess::empty(), ..*image })?;
        self.objects.handles.images.named.try_reserve(1)?;
        let number = self.number_holding(it.resource)?;
        self.objects.handles.images.add(number, it);
        Ok(number.into())
    }

    fn delete_image_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        let image = self.objects.handles.images.delete(handle)?;
        self.let_go(image.resource)
    }

    fn make_image_handle_resident(
        &mut self,
        handle: u64,
        access: ImageAccess,
        resident: bool,
    ) -> Result<(), PipeError> {
        let image = self.objects.handles.images.find(handle)?;
        let writes = resident && access.contains(ImageAccess::WRITE);
        if writes {
            let resources = &self.device.shared.lock().resources;
            if !resources.get(image.it.resource).is_some_and(crate::resource::Resource::is_writable)
            {
                return Err(PipeError::Unsupported("writing to user memory"));
            }
        }
        (image.is_resident, image.it.is_writable) = (resident, writes);
        Ok(())
    }
}
