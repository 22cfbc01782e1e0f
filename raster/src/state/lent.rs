//! A map without a copy: lends the memory of a resource to the CPU.
//!
//! The CPU accesses a map only through `transfer_bytes`, and this borrow ends before the next call
//! of the context. So a level is taken out of its resource when the CPU asks for its bytes. The
//! context's next call that reads or writes resources puts it back. For this context a map and its
//! resource are the same memory. Other contexts get [`PipeError::Busy`] while the level is out.

use os_shim::pool::RawHandle;
use pipe_core::{MapFlags, PipeError, ResourceFlags};

use super::transfers::BoxPlace;
use crate::device::{Device, is_idle};
use crate::resource::{LevelBytes, Resource};

/// A level that the CPU holds.
#[derive(Debug)]
pub(crate) struct Lent<'m> {
    resource: RawHandle,
    level: u32,
    bytes: LevelBytes<'m>,
    /// Set if the CPU may write.
    writes: bool,
}

/// Returns true if a map uses the memory of the resource itself: with `DIRECTLY`, or if nothing
/// else uses the resource and the box is contiguous. `is_alone` is true if the device has one
/// context.
///
/// # Errors
/// [`PipeError::Unsupported`]: `DIRECTLY` for a resource that is not plain memory, or for a
/// persistent map.
pub(crate) fn maps_directly(
    mapped: &Resource<'_>,
    usage: MapFlags,
    place: &BoxPlace,
    is_alone: bool,
) -> Result<bool, PipeError> {
    let sparse = mapped.template.flags.contains(ResourceFlags::SPARSE);
    let refusal = if mapped.samples() > 1 {
        Some("DIRECTLY of several samples (map a resolved copy)")
    } else if sparse {
        Some("DIRECTLY of a sparse resource (map a copy)")
    } else if !mapped.is_writable() {
        Some("DIRECTLY of user memory (map a copy)")
    } else if usage.contains(MapFlags::PERSISTENT) {
        Some("DIRECTLY of a persistent map (it is a copy)")
    } else {
        None
    };
    if usage.contains(MapFlags::DIRECTLY) {
        return refusal.map_or(Ok(true), |what| Err(PipeError::Unsupported(what)));
    }
    // With explicit flushes, only flushed parts are written.
    let copies = usage.contains(MapFlags::FLUSH_EXPLICIT);
    let used = !is_alone && !mapped.is_held_once();
    Ok(refusal.is_none() && !copies && !used && place.is_one_piece())
}

impl<'m> Lent<'m> {
    /// Takes a level out of its resource, for the CPU.
    ///
    /// # Errors
    /// [`PipeError::Busy`]: another context has mapped the resource directly, so its CPU holds the
    /// memory.
    pub(crate) fn take(
        device: &Device<'m>,
        resource: RawHandle,
        level: u32,
        writes: bool,
    ) -> Result<Self, PipeError> {
        let mut shared = device.lock_when(|resources| is_idle(resources, resource))?;
        let taken = shared.resources.get_mut(resource).and_then(|it| it.lend_level(level));
        let bytes = taken.ok_or(PipeError::Invalid("the mapped level has no memory"))?;
        let number = shared.lent.number() + 1;
        shared.lent.set(number);
        Ok(Lent { resource, level, bytes, writes })
    }

    /// Returns true if this is the level, lent with the same access.
    pub(crate) fn is(&self, resource: RawHandle, level: u32, writes: bool) -> bool {
        (self.resource, self.level, self.writes) == (resource, level, writes)
    }

    /// Returns the bytes of the level.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        self.bytes.as_mut_slice()
    }

    /// Puts the level back; returns true if the CPU may have written to it.
    pub(crate) fn put_back(self, device: &Device<'m>) -> bool {
        device.take_back(self.resource, self.level, self.bytes);
        self.writes
    }
}
