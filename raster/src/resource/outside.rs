//! Resources over imported memory. Their levels are a copy, which is read in and written back on
//! request.

use os_shim::Box;
use os_shim::memory::Memory;
use os_shim::shared::Shared;
use os_shim::sharing::{Gone, SharedMemory};
use pipe_core::{PipeError, ResourceTemplate};

use super::{Resource, Storage};

/// Imported memory, referenced by memory objects and imported resources.
pub(crate) type OutsideMemory<'m> = Shared<'m, Box<'m, dyn SharedMemory + 'm>>;

/// The place of a resource in imported memory.
pub(crate) struct Outside<'m> {
    pub(crate) memory: OutsideMemory<'m>,
    /// Byte offset of level 0 in the memory.
    pub(crate) offset: u64,
}

impl core::fmt::Debug for Outside<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Outside").field("offset", &self.offset).finish_non_exhaustive()
    }
}

fn gone(Gone: Gone) -> PipeError {
    PipeError::Invalid("the shared memory is gone, or cannot be written")
}

impl<'m> Resource<'m> {
    /// Makes a resource over imported memory, and reads a copy of it.
    ///
    /// # Errors
    /// An invalid template; several samples; the resource ends beyond the memory; out of memory.
    pub(crate) fn from_outside(
        template: &ResourceTemplate,
        outside: Outside<'m>,
        memory: Memory<'m>,
    ) -> Result<Self, PipeError> {
        let layout = Resource::layout(template)?;
        if template.is_streamed() || template.samples() > 1 {
            return Err(PipeError::Unsupported("this kind of resource over memory of others"));
        }
        let size = layout.total() as u64;
        let end = outside.offset.saturating_add(size);
        PipeError::at_most("the resource's end in the memory", end, outside.memory.size())?;
        let mut resource = Resource::new(template, &layout, memory)?;
        resource.outside = Some(outside);
        resource.take_copy()?;
        Ok(resource)
    }

    /// Reads the levels from imported memory, if the resource has any.
    ///
    /// # Errors
    /// The memory no longer exists.
    pub(crate) fn take_copy(&mut self) -> Result<(), PipeError> {
        let (Some(Outside { memory, offset }), Storage::Own) = (&self.outside, self.storage) else {
            return Ok(());
        };
        for level in self.levels.iter_mut() {
            let at = offset.saturating_add(level.place.offset as u64);
            memory.read_at(at, level.bytes.as_mut_slice()).map_err(gone)?;
        }
        Ok(())
    }

    /// Writes the levels to imported memory, if the resource has any.
    ///
    /// # Errors
    /// The memory no longer exists.
    pub(crate) fn give_copy(&self) -> Result<(), PipeError> {
        let Some(Outside { memory, offset }) = &self.outside else { return Ok(()) };
        for level in self.levels.iter() {
            let at = offset.saturating_add(level.place.offset as u64);
            memory.write_at(at, level.bytes.as_slice()).map_err(gone)?;
        }
        Ok(())
    }

    /// Returns true if the resource fits a template and was made for all its bindings.
    pub(crate) fn matches(&self, template: &ResourceTemplate) -> bool {
        let own = &self.template;
        let asked =
            ResourceTemplate { bind: own.bind, usage: own.usage, flags: own.flags, ..*template };
        asked == *own && own.bind.contains(template.bind)
    }
}
