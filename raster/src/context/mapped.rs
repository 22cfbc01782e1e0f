//! Copies mapped bytes between the CPU and a resource.
//!
//! The CPU accesses a map only through `transfer_bytes`, and this borrow ends before the next call
//! of the context. So a persistent map is copied in when the CPU asks for its bytes. Its changed
//! bytes are copied out at the context's next call that reads or writes resources, or by
//! `transfer_flush_region`. For this context the map is as coherent as shared memory. Other
//! contexts see the bytes after the copy. Unchanged bytes are not written.

use formats::Format;
use os_shim::pool::RawHandle;
use os_shim::{Memory, Vec};
use pipe_core::{MapFlags, PipeError, Region, ResourceFlags, TransferHandle};

use super::transfers::{BoxPlace, OpenTransfer, copy_rows};
use super::{Context, object};
use crate::device::{is_idle, is_readable};
use crate::profile::Profile;
use crate::resource::Resource;

/// The state of a persistent map.
#[derive(Debug)]
pub(super) struct Persistent<'m> {
    /// The bytes before the CPU wrote; `None` if it does not write, or flushes explicitly.
    found: Option<Vec<'m, u8>>,
    /// Set if the CPU may have changed bytes since.
    is_out: bool,
}

impl<'m> Persistent<'m> {
    /// Returns the state of a new map of a resource; `None` if it is not persistent.
    ///
    /// # Errors
    /// The resource's flags do not allow such maps; several samples; out of memory.
    pub(super) fn of(
        usage: MapFlags,
        mapped: &Resource<'_>,
        bytes: &[u8],
        memory: Memory<'m>,
    ) -> Result<Option<Self>, PipeError> {
        if !usage.contains(MapFlags::PERSISTENT) {
            return Ok(None);
        }
        if mapped.samples() > 1 {
            return Err(PipeError::Unsupported("persistent maps of several samples"));
        }
        let flags = mapped.template.flags;
        let coherent = usage.contains(MapFlags::COHERENT);
        if !flags.contains(ResourceFlags::MAP_PERSISTENT)
            || (coherent && !flags.contains(ResourceFlags::MAP_COHERENT))
        {
            return Err(PipeError::Invalid("a persistent map of a resource without its flag"));
        }
        let writes = usage.contains(MapFlags::WRITE) && !usage.contains(MapFlags::FLUSH_EXPLICIT);
        let found = match writes {
            true => Some(Vec::try_from_slice_in(bytes, memory)?),
            false => None,
        };
        Ok(Some(Persistent { found, is_out: false }))
    }
}

impl OpenTransfer<'_> {
    /// Copies the texels of the box, in `format`, from its level's bytes.
    fn read(&mut self, format: Format, level: &[u8]) {
        let OpenTransfer { place, bytes, persistent, .. } = self;
        place.read(format, level, bytes);
        if let Some(Persistent { found: Some(found), .. }) = persistent {
            found.copy_from_slice(bytes);
        }
    }
}

impl<P: Profile> Context<'_, '_, P> {
    /// Rasterizes pending draws that use a resource, so that the CPU may access it.
    ///
    /// # Errors
    /// [`PipeError::NotReady`]: draws are pending, and `DONTBLOCK` forbids waiting.
    pub(super) fn settle(&mut self, resource: RawHandle, usage: MapFlags) -> Result<(), PipeError> {
        let may_wait = usage & (MapFlags::DONTBLOCK | MapFlags::UNSYNCHRONIZED);
        if may_wait == MapFlags::DONTBLOCK {
            let is_under_way = self.flights.uses(resource) && !self.flights.is_over();
            if is_under_way || self.scene_uses(resource) {
                return Err(PipeError::NotReady);
            }
        }
        self.settle_access(resource, usage)
    }

    /// Rasterizes pending draws that use a resource. An `UNSYNCHRONIZED` access only waits for the
    /// flight that holds the memory.
    ///
    /// # Errors
    /// The errors of a flush.
    pub(super) fn settle_access(
        &mut self,
        resource: RawHandle,
        usage: MapFlags,
    ) -> Result<(), PipeError> {
        let settled = match usage.contains(MapFlags::UNSYNCHRONIZED) {
            true => self.finish_if_used(resource),
            false => self.flush_if_used(resource),
        };
        self.note_stop(settled)
    }

    /// Makes the writes of commands so far visible in a persistent map.
    ///
    /// # Errors
    /// The handle is stale; the errors of a flush.
    pub(super) fn look_at(&mut self, handle: TransferHandle) -> Result<(), PipeError> {
        let transfer = object(&self.transfers, handle)?;
        if transfer.persistent.is_none() {
            return Ok(());
        }
        let (mapped, usage) = (transfer.resource.raw(), transfer.usage);
        // Bytes that the CPU wrote and has not flushed yet stay as they are.
        let keeps = usage.contains(MapFlags::FLUSH_EXPLICIT);
        self.hand_over()?;
        self.settle(mapped, usage)?;
        let shared = self.device.lock_when(|resources| is_readable(resources, mapped))?;
        let Some(transfer) = self.transfers.get_mut(handle.raw()) else { return Ok(()) };
        if let Some(resource) = shared.resources.get(mapped).filter(|_| !keeps) {
            transfer.read(resource.template.format, resource.bytes(transfer.level));
        }
        if let Some(persistent) = &mut transfer.persistent {
            persistent.is_out = true;
        }
        Ok(())
    }

    /// Makes the CPU's writes so far, to direct and persistent maps, visible to commands.
    ///
    /// # Errors
    /// The errors of a flush.
    #[inline]
    pub(super) fn hand_over(&mut self) -> Result<(), PipeError> {
        if self.persistent_maps == 0 && self.lent.is_none() {
            Ok(())
        } else {
            self.hand_over_maps()
        }
    }

    #[inline(never)]
    fn hand_over_maps(&mut self) -> Result<(), PipeError> {
        self.take_lent_back();
        let is_out = |transfer: &OpenTransfer<'_>| {
            transfer.persistent.as_ref().is_some_and(|persistent| persistent.is_out)
        };
        loop {
            let out = self.transfers.iter().find(|(_, transfer)| is_out(transfer));
            let Some(handle) = out.map(|(handle, _)| handle) else { return Ok(()) };
            self.write_changes(handle)?;
            if let Some(transfer) = self.transfers.get_mut(handle)
                && let Some(persistent) = &mut transfer.persistent
            {
                persistent.is_out = false;
            }
        }
    }

    /// Copies the bytes that the CPU changed into their resource.
    fn write_changes(&mut self, handle: RawHandle) -> Result<(), PipeError> {
        let Some(transfer) = self.transfers.get(handle) else { return Ok(()) };
        let Some(Persistent { found: Some(found), .. }) = &transfer.persistent else {
            return Ok(());
        };
        if found[..] == transfer.bytes[..] {
            return Ok(());
        }
        let written = transfer.resource.raw();
        self.settle_access(written, transfer.usage)?;
        let Some(transfer) = self.transfers.get(handle) else { return Ok(()) };
        let Some(Persistent { found: Some(found), .. }) = &transfer.persistent else {
            return Ok(());
        };
        let mut shared = self.device.lock_when(|resources| is_idle(resources, written))?;
        if let Some(resource) = shared.resources.get_mut(written) {
            let (place, bytes) = (transfer.place, &transfer.bytes);
            let target = resource.bytes_mut(transfer.level)?;
            copy_rows(place, place.row, place.row * place.rows, |to, from| {
                let now = bytes.get(from.clone()).unwrap_or(&[]);
                let before = found.get(from).unwrap_or(&[]);
                let target = target.get_mut(to).unwrap_or(&mut []);
                for ((target, now), before) in target.iter_mut().zip(now).zip(before) {
                    if now != before {
                        *target = *now;
                    }
                }
            });
            resource.drop_absent(transfer.level, place.bytes());
        }
        drop(shared);
        self.touch();
        Ok(())
    }

    /// Copies a part of a transfer's bytes into its resource. `part` is relative to the transfer's
    /// box.
    pub(super) fn write_back(
        &mut self,
        handle: TransferHandle,
        part: &Region,
    ) -> Result<(), PipeError> {
        let transfer = object(&self.transfers, handle)?;
        self.settle_access(transfer.resource.raw(), transfer.usage)?;
        let transfer = object(&self.transfers, handle)?;
        let (mapped, stride) = (&transfer.region, transfer.place.row);
        let layer_stride = stride * transfer.place.rows;
        let written = transfer.resource.raw();
        let mut shared = self.device.lock_when(|resources| is_idle(resources, written))?;
        // If the resource is destroyed meanwhile, the transfer still holds it, and writing is
        // harmless.
        if let Some(resource) = shared.resources.get_mut(written) {
            let (x, y, z) = (mapped.x + part.x, mapped.y + part.y, mapped.z + part.z);
            let place = BoxPlace::of(resource, transfer.level, &Region { x, y, z, ..*part })?;
            let block = resource.template.format.block();
            let [x, y, z] = [part.x, part.y, part.z].map(|value| value as usize);
            let first = z * layer_stride
                + y / block.height as usize * stride
                + x / block.width as usize * block.bytes as usize;
            let source = transfer.bytes.get(first..).unwrap_or(&[]);
            place.write(resource.bytes_mut(transfer.level)?, source, stride, layer_stride);
            resource.drop_absent(transfer.level, place.bytes());
        }
        drop(shared);
        self.touch();
        Ok(())
    }
}
