//! Sharing with other devices and processes: memory objects, names of resources, fences.

use os_shim::Box;
use os_shim::pool::RawHandle;
use os_shim::shared::Shared;
use os_shim::sharing::SharedMemory;
use pipe_core::{
    MemoryObjectHandle, PipeError, ResourceHandle, ResourceTemplate, WinsysHandle, WinsysHandleType,
};

use super::Screen;
use super::supported::is_palette;
use crate::device::{is_idle, pool_error, resource, resource_mut};
use crate::profile::Profile;
use crate::resource::{Outside, Resource};

/// Rejects kinds of names that this device does not make.
///
/// # Errors
/// File descriptors are not supported.
fn check_kind(kind: WinsysHandleType) -> Result<(), PipeError> {
    match kind {
        WinsysHandleType::Shared | WinsysHandleType::Kms => Ok(()),
        WinsysHandleType::Fd => Err(PipeError::Unsupported(
            "file descriptors of resources (make a memory object of the file)",
        )),
    }
}

impl<'m, P: Profile> Screen<'m, P> {
    /// Makes a memory object.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn hold_outside(
        &self,
        memory: Box<'m, dyn SharedMemory + 'm>,
    ) -> Result<MemoryObjectHandle, PipeError> {
        let memory = Shared::try_new_in(memory, self.device.os.memory)?;
        let made =
            self.device.shared.lock().desktop.memory_objects.insert(memory).map_err(pool_error)?;
        Ok(MemoryObjectHandle::new(made))
    }

    /// Destroys the handle of a memory object.
    ///
    /// # Errors
    /// The handle is stale.
    pub(super) fn release_outside(&self, handle: MemoryObjectHandle) -> Result<(), PipeError> {
        let removed = self.device.shared.lock().desktop.memory_objects.remove(handle.raw());
        removed.map(drop).ok_or(PipeError::stale(handle))
    }

    /// Makes a resource over a memory object.
    ///
    /// # Errors
    /// The handle is stale; the errors of [`Resource::from_outside`].
    pub(super) fn insert_outside(
        &self,
        template: &ResourceTemplate,
        handle: MemoryObjectHandle,
        offset: u64,
    ) -> Result<ResourceHandle, PipeError> {
        template.validate()?;
        self.check_template(template)?;
        if is_palette(template) {
            return Err(PipeError::Unsupported("a palette outside of user memory"));
        }
        let memory = {
            let shared = self.device.shared.lock();
            let found = shared.desktop.memory_objects.get(handle.raw()).cloned();
            found.ok_or(PipeError::stale(handle))?
        };
        let outside = Outside { memory, offset };
        self.insert(Resource::from_outside(template, outside, self.device.os.memory)?)
    }

    /// Waits until the resource is unused, then reads its imported memory again.
    ///
    /// # Errors
    /// The handle is stale; the memory no longer exists.
    pub(super) fn take_copy(&self, handle: ResourceHandle) -> Result<(), PipeError> {
        let mut shared = self.device.lock_when(|resources| is_idle(resources, handle.raw()))?;
        resource_mut(&mut shared.resources, handle)?.take_copy()
    }

    /// Returns the name of a resource.
    ///
    /// # Errors
    /// The handle is stale; an unsupported kind of name.
    pub(super) fn name_of(
        &self,
        handle: ResourceHandle,
        kind: WinsysHandleType,
    ) -> Result<WinsysHandle, PipeError> {
        check_kind(kind)?;
        let shared = self.device.shared.lock();
        let named = resource(&shared.resources, handle)?;
        let stride = named.place(0).map_or(0, |place| place.row_stride);
        Ok(WinsysHandle {
            kind,
            handle: handle.raw().to_bits().into(),
            stride,
            offset: named.outside.as_ref().map_or(0, |outside| outside.offset),
            format: named.template.format,
            modifier: WinsysHandle::LINEAR,
        })
    }

    /// Finds the resource that has a name, and counts another handle of it.
    ///
    /// # Errors
    /// No resource has the name, or it does not match the template; an unsupported kind of name.
    pub(super) fn find_named(
        &self,
        template: &ResourceTemplate,
        name: &WinsysHandle,
    ) -> Result<ResourceHandle, PipeError> {
        const UNKNOWN: PipeError = PipeError::Invalid("no resource has this name");
        check_kind(name.kind)?;
        let bits = u32::try_from(name.handle).ok().and_then(RawHandle::from_bits);
        let handle = ResourceHandle::new(bits.ok_or(UNKNOWN)?);
        let mut shared = self.device.shared.lock();
        let named = resource_mut(&mut shared.resources, handle).map_err(|_| UNKNOWN)?;
        let format = name.format == template.format && name.modifier == WinsysHandle::LINEAR;
        if !format || !named.matches(template) {
            return Err(PipeError::Invalid("the named resource has another template"));
        }
        if let Some(others) = named.other_names.get_mut() {
            *others = others.saturating_add(1);
        }
        Ok(handle)
    }
}
