//! Bindless handles: textures and images that shaders name by numbers.
//!
//! A screen uses each number once, so a number names nothing if its handle was deleted or belongs
//! to another context.

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::RawHandle;
use pipe_core::{ImageAccess, PipeError, SamplerState, ShaderType};
use tgsi::exec::MemorySpace;

use super::objects::View;
use super::shader_memory::BoundSlot;
use crate::device::{Device, hold};
use crate::features::{OfDesktop, Only};
use crate::resource::{MemoryBinding, MemoryBindings, Resource, TextureBinding};

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
        named.ok_or(PipeError::Invalid("the value is not a bindless handle of this context"))
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
pub(crate) struct Handles<'m> {
    textures: OfDesktop<List<'m, Texture>>,
    images: OfDesktop<List<'m, BoundSlot>>,
}

impl<'m> Handles<'m> {
    #[inline(always)]
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        Handles {
            textures: Only::with(|| List::new_in(memory)),
            images: Only::with(|| List::new_in(memory)),
        }
    }

    /// Returns the resources that handles hold.
    #[inline(always)]
    pub(crate) fn held(&self) -> impl Iterator<Item = RawHandle> {
        let textures = self.textures.iter().flat_map(List::iter);
        let images = self.images.iter().flat_map(List::iter).map(|image| image.it.resource);
        textures.map(|texture| texture.it.view.resource).chain(images)
    }

    /// Returns the views of resident textures.
    #[inline(always)]
    pub(crate) fn views(&self) -> impl Iterator<Item = &View> {
        let textures = self.textures.iter().flat_map(List::iter);
        let resident = textures.filter(|texture| texture.is_resident);
        resident.map(|texture| &texture.it.view)
    }

    /// Appends the resident textures in the order of their numbers.
    ///
    /// # Errors
    /// Out of memory.
    #[inline(always)]
    pub(crate) fn add_textures(
        &self,
        textures: &mut Vec<'_, TextureBinding>,
    ) -> Result<(), OutOfMemory> {
        for texture in
            self.textures.iter().flat_map(List::iter).filter(|texture| texture.is_resident)
        {
            let Texture { view, sampler } = texture.it;
            let (unit, resource) = (texture.number, view.resource);
            textures.try_push(TextureBinding {
                unit,
                sampler_unit: Only::new(unit),
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
    #[inline(always)]
    pub(crate) fn add_images(
        &self,
        stage: ShaderType,
        writes: bool,
        bindings: &mut MemoryBindings<'m>,
    ) -> Result<(), OutOfMemory> {
        for image in self.images.iter().flat_map(List::iter).filter(|image| image.is_resident) {
            let BoundSlot { resource, view, is_writable } = image.it;
            let (space, unit) = (MemorySpace::Image, image.number);
            let is_written = writes && is_writable;
            bindings.push(MemoryBinding { stage, space, unit, resource, view, is_written })?;
        }
        Ok(())
    }
}

/// The error of builds without handles.
const NONE: PipeError = PipeError::Unsupported("bindless handles");

#[cfg(feature = "desktop")]
impl<'m> Handles<'m> {
    fn textures(&mut self) -> Result<&mut List<'m, Texture>, PipeError> {
        self.textures.get_mut().ok_or(NONE)
    }

    fn images(&mut self) -> Result<&mut List<'m, BoundSlot>, PipeError> {
        self.images.get_mut().ok_or(NONE)
    }

    /// Adds a texture; returns its number.
    ///
    /// # Errors
    /// Out of memory, or of numbers.
    pub(crate) fn add_texture(
        &mut self,
        device: &Device<'m>,
        view: View,
        sampler: SamplerState,
    ) -> Result<u64, PipeError> {
        self.textures()?.named.try_reserve(1)?;
        let number = number_holding(device, view.resource)?;
        self.textures()?.add(number, Texture { view, sampler });
        Ok(number.into())
    }

    /// Adds an image; returns its number.
    ///
    /// # Errors
    /// Out of memory, or of numbers.
    pub(crate) fn add_image(
        &mut self,
        device: &Device<'m>,
        image: BoundSlot,
    ) -> Result<u64, PipeError> {
        self.images()?.named.try_reserve(1)?;
        let number = number_holding(device, image.resource)?;
        self.images()?.add(number, image);
        Ok(number.into())
    }

    /// Deletes a texture; returns its resource, which the caller releases.
    ///
    /// # Errors
    /// No such texture.
    pub(crate) fn delete_texture(&mut self, handle: u64) -> Result<RawHandle, PipeError> {
        Ok(self.textures()?.delete(handle)?.view.resource)
    }

    /// Deletes an image; returns its resource, which the caller releases.
    ///
    /// # Errors
    /// No such image.
    pub(crate) fn delete_image(&mut self, handle: u64) -> Result<RawHandle, PipeError> {
        Ok(self.images()?.delete(handle)?.resource)
    }

    /// Makes a texture resident, or not.
    ///
    /// # Errors
    /// No such texture.
    pub(crate) fn set_texture_resident(
        &mut self,
        handle: u64,
        resident: bool,
    ) -> Result<(), PipeError> {
        self.textures()?.find(handle)?.is_resident = resident;
        Ok(())
    }

    /// Makes an image resident with this access, or not.
    ///
    /// # Errors
    /// No such image; writes to user memory.
    pub(crate) fn set_image_resident(
        &mut self,
        device: &Device<'m>,
        handle: u64,
        access: ImageAccess,
        resident: bool,
    ) -> Result<(), PipeError> {
        let image = self.images()?.find(handle)?;
        let writes = resident && access.contains(ImageAccess::WRITE);
        if writes {
            let resources = &device.shared.lock().resources;
            if !resources.get(image.it.resource).is_some_and(Resource::is_writable) {
                return Err(PipeError::Unsupported("writing to user memory"));
            }
        }
        (image.is_resident, image.it.is_writable) = (resident, writes);
        Ok(())
    }
}

/// Takes a number that no handle of the screen has used, and adds a holder to the resource.
#[cfg(feature = "desktop")]
fn number_holding(device: &Device<'_>, resource: RawHandle) -> Result<u32, PipeError> {
    let shared = &mut *device.shared.lock();
    let number = shared.desktop.next_handle;
    let after = number.checked_add(1).filter(|next| *next < 1 << 31);
    shared.desktop.next_handle = after.ok_or(PipeError::Unsupported("more bindless handles"))?;
    hold(&mut shared.resources, resource);
    Ok(number)
}
