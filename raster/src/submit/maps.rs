//! Copies mapped bytes between the CPU and a resource.
//!
//! The CPU accesses a map only through `transfer_bytes`, and this borrow ends before the next call
//! of the context. So a persistent map is copied in when the CPU asks for its bytes. Its changed
//! bytes are copied out at the context's next call that reads or writes resources, or by
//! `transfer_flush_region`. For this context the map is as coherent as shared memory. Other
//! contexts see the bytes after the copy. Unchanged bytes are not written.

use os_shim::pool::RawHandle;
use pipe_core::auxiliary::MapBytes;
use pipe_core::layout::holds;
use pipe_core::{MapFlags, PipeError, Region, ResourceHandle, Transfer, TransferHandle};

use super::Renderer;
use crate::device::{hold, is_idle, is_readable, pool_error, release, resource, resource_mut};
use crate::features::{FLIGHTS, MAP_BUFFER_ALIGNMENT};
use crate::profile::Profile;
use crate::state::{BoxPlace, Lent, OpenTransfer, Persistent, State, copy_rows, maps_directly};

/// Rows of texels, `stride` bytes apart.
#[derive(Clone, Copy)]
pub(crate) struct BoxData<'a> {
    pub(crate) data: &'a [u8],
    pub(crate) stride: usize,
    pub(crate) layer_stride: usize,
}

impl<'m, P: Profile> Renderer<'_, 'm, P> {
    /// Rasterizes pending draws that use a resource, so that the CPU may access it.
    ///
    /// # Errors
    /// [`PipeError::NotReady`]: draws are pending, and `DONTBLOCK` forbids waiting.
    pub(crate) fn settle(
        &mut self,
        state: &mut State<'m>,
        resource: RawHandle,
        usage: MapFlags,
    ) -> Result<(), PipeError> {
        let may_wait = usage & (MapFlags::DONTBLOCK | MapFlags::UNSYNCHRONIZED);
        if may_wait == MapFlags::DONTBLOCK {
            let is_under_way = self.flights.uses(resource) && !self.flights.is_over();
            if is_under_way || self.scene_uses(resource) {
                return Err(PipeError::NotReady);
            }
        }
        self.settle_access(state, resource, usage)
    }

    /// Rasterizes pending draws that use a resource. An `UNSYNCHRONIZED` access only waits for the
    /// flight that holds the memory.
    ///
    /// # Errors
    /// The errors of a flush.
    pub(crate) fn settle_access(
        &mut self,
        state: &mut State<'m>,
        resource: RawHandle,
        usage: MapFlags,
    ) -> Result<(), PipeError> {
        let settled = match usage.contains(MapFlags::UNSYNCHRONIZED) {
            true => self.finish_if_used(state, resource),
            false => self.flush_if_used(state, resource),
        };
        self.note_stop(state, settled)
    }

    /// Makes the writes of commands so far visible in a persistent map.
    ///
    /// # Errors
    /// The handle is stale; the errors of a flush.
    pub(crate) fn look_at(
        &mut self,
        state: &mut State<'m>,
        handle: TransferHandle,
    ) -> Result<(), PipeError> {
        let transfer = state.maps()?.get(handle)?;
        if transfer.persistent.is_none() {
            return Ok(());
        }
        let (mapped, usage) = (transfer.resource.raw(), transfer.usage);
        // Bytes that the CPU wrote and has not flushed yet stay as they are.
        let keeps = usage.contains(MapFlags::FLUSH_EXPLICIT);
        self.hand_over(state)?;
        self.settle(state, mapped, usage)?;
        let shared = self.device.lock_when(|resources| is_readable(resources, mapped))?;
        let Some(transfer) = state.maps_mut()?.open.get_mut(handle.raw()) else { return Ok(()) };
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
    #[inline(always)]
    pub(crate) fn hand_over(&mut self, state: &mut State<'m>) -> Result<(), PipeError> {
        match state.maps() {
            Ok(maps) if maps.persistent > 0 || maps.lent.is_some() => self.hand_over_maps(state),
            _ => Ok(()),
        }
    }

    #[inline(never)]
    fn hand_over_maps(&mut self, state: &mut State<'m>) -> Result<(), PipeError> {
        self.take_lent_back(state);
        let is_out = |transfer: &OpenTransfer<'_>| {
            transfer.persistent.as_ref().is_some_and(|persistent| persistent.is_out)
        };
        loop {
            let out = state.maps()?.open.iter().find(|(_, transfer)| is_out(transfer));
            let Some(handle) = out.map(|(handle, _)| handle) else { return Ok(()) };
            self.write_changes(state, handle)?;
            if let Some(transfer) = state.maps_mut()?.open.get_mut(handle)
                && let Some(persistent) = &mut transfer.persistent
            {
                persistent.is_out = false;
            }
        }
    }

    /// Copies the bytes that the CPU changed into their resource.
    fn write_changes(&mut self, state: &mut State<'m>, handle: RawHandle) -> Result<(), PipeError> {
        let Some(transfer) = state.maps()?.open.get(handle) else { return Ok(()) };
        let Some(Persistent { found: Some(found), .. }) = &transfer.persistent else {
            return Ok(());
        };
        if found[..] == transfer.bytes[..] {
            return Ok(());
        }
        let written = transfer.resource.raw();
        self.settle_access(state, written, transfer.usage)?;
        let Some(transfer) = state.maps()?.open.get(handle) else { return Ok(()) };
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
    pub(crate) fn write_back(
        &mut self,
        state: &mut State<'m>,
        handle: TransferHandle,
        part: &Region,
    ) -> Result<(), PipeError> {
        let transfer = state.maps()?.get(handle)?;
        self.settle_access(state, transfer.resource.raw(), transfer.usage)?;
        let transfer = state.maps()?.get(handle)?;
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

    /// Lends the memory that a transfer maps to the CPU.
    ///
    /// # Errors
    /// The handle is stale; the errors of a flush. [`PipeError::Busy`]: another context has mapped
    /// the resource directly, so its CPU holds the memory.
    pub(crate) fn lend<'a>(
        &mut self,
        state: &'a mut State<'m>,
        handle: TransferHandle,
    ) -> Result<&'a mut [u8], PipeError> {
        let open = state.maps()?.get(handle)?;
        let (resource, level, place) = (open.resource.raw(), open.level, open.place);
        let usage = open.usage;
        let writes = usage.contains(MapFlags::WRITE);
        if !state.maps()?.lent.as_ref().is_some_and(|lent| lent.is(resource, level, writes)) {
            self.take_lent_back(state);
            self.settle_access(state, resource, usage)?;
            state.maps_mut()?.lent = Some(Lent::take(self.device, resource, level, writes)?);
        }
        let lent = state.maps_mut()?.lent.as_mut().map_or(Default::default(), Lent::bytes);
        Ok(lent.get_mut(place.bytes()).unwrap_or_default())
    }

    /// Ends all maps when the context is dropped, and releases their resources.
    #[inline]
    pub(crate) fn end_maps(&mut self, state: &mut State<'m>) {
        self.take_lent_back(state);
        let Ok(maps) = state.maps() else { return };
        self.device.remove_context();
        let resources = &mut self.device.shared.lock().resources;
        maps.held().for_each(|handle| release(resources, handle));
    }

    /// Puts the level that the CPU holds back into its resource.
    #[inline]
    pub(crate) fn take_lent_back(&mut self, state: &mut State<'m>) {
        if let Ok(maps) = state.maps_mut()
            && let Some(lent) = maps.lent.take()
            && lent.put_back(self.device)
        {
            // The resource may be a constant buffer.
            self.touch();
        }
    }

    /// Maps a box of a resource.
    ///
    /// # Errors
    /// A stale handle; a box or a use that the resource does not allow; out of memory; the errors of
    /// a flush. [`PipeError::NotReady`], if the map must not wait.
    pub(crate) fn map(
        &mut self,
        state: &mut State<'m>,
        handle: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
    ) -> Result<Transfer, PipeError> {
        let device = self.device;
        self.begin(state)?;
        // If a flush in flight holds the memory, the check below rejects such a map.
        if !FLIGHTS || !usage.contains(MapFlags::DONTBLOCK | MapFlags::UNSYNCHRONIZED) {
            self.settle(state, handle.raw(), usage)?;
        }
        let waits = !usage.contains(MapFlags::DONTBLOCK);
        let mut shared =
            device.lock_when(|resources| !waits || is_readable(resources, handle.raw()))?;
        if !is_readable(&shared.resources, handle.raw()) {
            return Err(PipeError::NotReady);
        }
        let mapped = resource(&shared.resources, handle)?;
        if usage.contains(MapFlags::WRITE) && !mapped.is_writable() {
            return Err(PipeError::Unsupported("writing to user memory"));
        }
        if mapped.is_streamed() {
            return Err(PipeError::Unsupported("mapping a streamed surface"));
        }
        let place = BoxPlace::of(mapped, level, region)?;
        let is_direct = maps_directly(mapped, usage, &place, shared.contexts.number() <= 1)?;
        let mut bytes = MapBytes::none(device.os.memory);
        if !is_direct {
            // Discarded texels read as 0.
            let size = place.row * place.rows * place.layers;
            bytes = MapBytes::zeros(MAP_BUFFER_ALIGNMENT, place.start, size, device.os.memory)?;
            let discards = MapFlags::DISCARD_RANGE | MapFlags::DISCARD_WHOLE_RESOURCE;
            if !usage.intersects(discards) {
                place.read(mapped.template.format, mapped.bytes(level), &mut bytes);
            }
        }
        let persistent = Persistent::of(usage, mapped, &bytes, device.os.memory)?;
        let is_persistent = persistent.is_some();
        let transfer = OpenTransfer {
            resource: handle,
            level,
            usage,
            region: *region,
            place,
            bytes,
            is_direct,
            persistent,
        };
        let transfer = state.maps_mut()?.open.insert(transfer).map_err(pool_error)?;
        state.maps_mut()?.persistent += u32::from(is_persistent);
        hold(&mut shared.resources, handle.raw());
        let (stride, layer_stride) = match is_direct {
            true => (place.row_stride, place.layer_stride),
            false => (place.row, place.row * place.rows),
        };
        Ok(Transfer { handle: TransferHandle::new(transfer), stride, layer_stride })
    }

    /// Ends a map, and writes its bytes unless the CPU flushed them itself.
    ///
    /// # Errors
    /// The handle is stale; the errors of a flush.
    pub(crate) fn unmap(
        &mut self,
        state: &mut State<'m>,
        handle: TransferHandle,
    ) -> Result<(), PipeError> {
        state.maps()?.get(handle)?;
        // A persistent map has been copied out after each access of the CPU.
        let handed_over = self.hand_over(state);
        let OpenTransfer { usage, region, ref persistent, is_direct, .. } =
            *state.maps()?.get(handle)?;
        let is_persistent = persistent.is_some();
        state.maps_mut()?.persistent -= u32::from(is_persistent);
        let result = if is_persistent {
            handed_over
        } else if is_direct {
            Ok(())
        } else if usage.contains(MapFlags::WRITE) && !usage.contains(MapFlags::FLUSH_EXPLICIT) {
            self.write_back(state, handle, &Region { x: 0, y: 0, z: 0, ..region })
        } else {
            Ok(())
        };
        if let Some(transfer) = state.maps_mut()?.open.remove(handle.raw()) {
            release(&mut self.device.shared.lock().resources, transfer.resource.raw());
        }
        result
    }

    /// Writes rows of texels to a box of a resource.
    ///
    /// # Errors
    /// A stale handle; a box that the level lacks; too little data; the errors of a flush.
    pub(crate) fn write_box(
        &mut self,
        state: &mut State<'m>,
        (handle, level): (ResourceHandle, u32),
        usage: MapFlags,
        region: &Region,
        data: BoxData<'_>,
    ) -> Result<(), PipeError> {
        let place = {
            let shared = self.device.shared.lock();
            BoxPlace::of(resource(&shared.resources, handle)?, level, region)?
        };
        let BoxData { data, stride, layer_stride } = data;
        if !holds(data.len(), [place.row, place.rows, place.layers], stride, layer_stride) {
            return Err(PipeError::Invalid("the data is smaller than the box"));
        }
        self.begin(state)?;
        self.settle(state, handle.raw(), usage)?;
        let mut shared = self.device.lock_when(|resources| is_idle(resources, handle.raw()))?;
        let written = resource_mut(&mut shared.resources, handle)?;
        let bytes = written.bytes_mut(level)?;
        place.write(bytes, data, stride, layer_stride);
        written.drop_absent(level, place.bytes());
        drop(shared);
        // The resource may be a constant buffer.
        self.touch();
        Ok(())
    }

    /// Gives memory to the pages of a sparse resource that a region covers, or removes it.
    ///
    /// # Errors
    /// The handle is stale; a resource that is not sparse; parts of pages; the errors of a flush.
    #[cfg(feature = "desktop")]
    pub(crate) fn commit(
        &mut self,
        state: &mut State<'m>,
        (handle, level): (ResourceHandle, u32),
        region: &Region,
        commit: bool,
    ) -> Result<(), PipeError> {
        self.begin(state)?;
        let flushed = self.flush_if_used(state, handle.raw());
        self.note_stop(state, flushed)?;
        let mut shared = self.device.lock_when(|resources| is_idle(resources, handle.raw()))?;
        let sparse = resource_mut(&mut shared.resources, handle)?;
        sparse.commit(level, region, commit, self.device.os.memory)?;
        drop(shared);
        // The resource may be a constant buffer.
        self.touch();
        Ok(())
    }
}
