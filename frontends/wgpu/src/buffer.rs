//! Buffers.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Write as _};
use std::sync::Arc;

use pipe_core::{Bind, PipeError, ResourceHandle, ResourceTemplate};
use wgpu_hal::{BufferBinding, BufferDescriptor, DeviceError};
use wgpu_types::BufferUses;

use crate::machine::{Garbage, Machine};
use crate::memory::HostMemory;

/// Where the bytes of a buffer are.
#[derive(Debug)]
pub(crate) enum Storage {
    /// A mappable buffer.
    Host(HostMemory),
    /// A resource of the driver.
    Device(ResourceHandle),
}

/// A buffer of wgpu-hal.
#[derive(Clone)]
pub struct Buffer(Arc<Shared>);

struct Shared {
    storage: Storage,
    size: u32,
    machine: Arc<Machine>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Storage::Device(handle) = self.storage {
            self.machine.discard(Garbage::Resource(handle));
        }
    }
}

/// Returns the bindings of a resource for these uses.
fn bind(uses: BufferUses) -> Bind {
    let mut bind = Bind::empty();
    for (flag, is_used) in [
        (Bind::VERTEX_BUFFER, uses.contains(BufferUses::VERTEX)),
        (Bind::INDEX_BUFFER, uses.contains(BufferUses::INDEX)),
        (Bind::CONSTANT_BUFFER, uses.contains(BufferUses::UNIFORM)),
        (
            Bind::SHADER_BUFFER,
            uses.intersects(BufferUses::STORAGE_READ_ONLY | BufferUses::STORAGE_READ_WRITE),
        ),
        (Bind::COMMAND_ARGS_BUFFER, uses.contains(BufferUses::INDIRECT)),
        (Bind::QUERY_BUFFER, uses.contains(BufferUses::QUERY_RESOLVE)),
    ] {
        bind.set(flag, is_used);
    }
    bind
}

impl Buffer {
    pub(crate) fn new(
        machine: &Arc<Machine>,
        desc: &BufferDescriptor<'_>,
    ) -> Result<Buffer, DeviceError> {
        machine.check()?;
        // Transfers count bytes as `i32`.
        let size = i32::try_from(desc.size).map_err(|_| DeviceError::OutOfMemory)?;
        let size = size.max(4).unsigned_abs();
        let mappable = BufferUses::MAP_READ | BufferUses::MAP_WRITE;
        let copies = BufferUses::COPY_SRC | BufferUses::COPY_DST;
        let is_host = desc.usage.intersects(mappable) && (mappable | copies).contains(desc.usage);
        let storage = if is_host {
            Storage::Host(HostMemory::new(machine, size as usize)?)
        } else {
            let template = ResourceTemplate::buffer(size, bind(desc.usage));
            Storage::Device(machine.create(|screen, _| screen.resource_create(&template))?)
        };
        Ok(Buffer(Arc::new(Shared { storage, size, machine: Arc::clone(machine) })))
    }

    pub(crate) fn storage(&self) -> &Storage {
        &self.0.storage
    }

    /// Returns the size in bytes.
    pub(crate) fn size(&self) -> u32 {
        self.0.size
    }

    /// Returns the resource of a buffer that is bound.
    pub(crate) fn resource(&self) -> Result<ResourceHandle, PipeError> {
        match self.0.storage {
            Storage::Device(handle) => Ok(handle),
            Storage::Host(_) => Err(PipeError::Invalid("a mappable buffer that is bound")),
        }
    }

    /// Returns the buffer of a binding.
    ///
    /// wgpu-hal keeps this member to itself, and offers no way around but `Debug`: it prints the
    /// member, and a buffer that is printed meanwhile leaves itself here.
    pub(crate) fn of(binding: &BufferBinding<'_, Buffer>) -> Option<Buffer> {
        IS_ASKED.set(true);
        // The error that ends the printing.
        let _ = write!(Nowhere, "{binding:?}");
        IS_ASKED.set(false);
        FOUND.take()
    }

    /// Returns offset and size of a binding in bytes, within the buffer.
    pub(crate) fn range(&self, binding: &BufferBinding<'_, Buffer>) -> (u32, u32) {
        let offset = u32::try_from(binding.offset).unwrap_or(u32::MAX).min(self.size());
        let rest = self.size().saturating_sub(offset);
        let size = binding.size.map_or(rest, |size| u32::try_from(size.get()).unwrap_or(u32::MAX));
        (offset, size.min(rest))
    }
}

thread_local! {
    static IS_ASKED: Cell<bool> = const { Cell::new(false) };
    static FOUND: RefCell<Option<Buffer>> = const { RefCell::new(None) };
}

/// A writer that discards its input.
struct Nowhere;

impl fmt::Write for Nowhere {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if IS_ASKED.get() {
            FOUND.set(Some(self.clone()));
            return Err(fmt::Error);
        }
        write!(f, "Buffer({} bytes)", self.0.size)
    }
}
