//! A map without a copy: lends the memory of a resource to the CPU.
//!
//! The CPU accesses a map only through `transfer_bytes`, and this borrow ends before the next call
//! of the context. So a level is taken out of its resource when the CPU asks for its bytes. The
//! context's next call that reads or writes resources puts it back. For this context a map and its
//! resource are the same memory. Other contexts get [`PipeError::Busy`] while the level is out.

use pipe_core::{MapFlags, PipeError, ResourceFlags, TransferHandle};

use os_shim::pool::RawHandle;

use super::transfers::BoxPlace;
use super::{Context, object};
use crate::device::is_idle;
use crate::profile::Profile;
use crate::resource::{LevelBytes, Resource};

/// A level that the CPU holds.
#[derive(Debug)]
pub(super) struct Lent<'m> {
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
pub(super) fn maps_directly(
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

impl<P: Profile> Context<'_, '_, P> {
    /// Lends the memory that a transfer maps to the CPU.
    ///
    /// # Errors
    /// The handle is stale; the errors of a flush. [`PipeError::Busy`]: another context has mapped
    /// the resource directly, so its CPU holds the memory.
    pub(super) fn lend(&mut self, handle: TransferHandle) -> Result<&mut [u8], PipeError> {
        let open = object(&self.transfers, handle)?;
        let (resource, level, place) = (open.resource.raw(), open.level, open.place);
        let usage = open.usage;
        let writes = usage.contains(MapFlags::WRITE);
        let has_it =
            |lent: &Lent<'_>| (lent.resource, lent.level, lent.writes) == (resource, level, writes);
        if !self.lent.as_ref().is_some_and(has_it) {
            self.take_lent_back();
            self.settle_access(resource, usage)?;
            let mut shared = self.device.lock_when(|resources| is_idle(resources, resource))?;
            let taken = shared.resources.get_mut(resource).and_then(|it| it.lend_level(level));
            let bytes = taken.ok_or(PipeError::Invalid("a map of a level without memory"))?;
            shared.lent += 1;
            drop(shared);
            self.lent = Some(Lent { resource, level, bytes, writes });
        }
        let lent = self.lent.as_mut().map_or(Default::default(), |lent| lent.bytes.as_mut_slice());
        Ok(lent.get_mut(place.bytes()).unwrap_or_default())
    }

    /// Puts the level that the CPU holds back into its resource.
    pub(super) fn take_lent_back(&mut self) {
        let Some(Lent { resource, level, bytes, writes }) = self.lent.take() else { return };
        self.device.take_back(resource, level, bytes);
        if writes {
            // The resource may be a constant buffer.
            self.touch();
        }
    }
}
