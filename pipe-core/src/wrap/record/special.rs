//! The recording context: calls that need special treatment.

use core::ops::Range;

use super::answer::Answer;
use super::calls::number;
use super::panel::Watched;
use super::picture::{PictureDigest, Rows, mapped};
use super::recorder::{Open, Record};
use super::values::{write_code, write_compute, write_list};
use crate::context::PresentSource;
use crate::error::PipeError;
use crate::flags::FlushFlags;
use crate::handle::{FenceHandle, ResourceHandle, ShaderHandle, SurfaceHandle, TransferHandle};
use crate::panel::{Area, TilePanel};
use crate::region::Region;
use crate::shader::{ComputeState, ShaderState, ShaderType};
use crate::state::FramebufferState;
use crate::surface::SurfaceTemplate;
use crate::transfer::{MapFlags, Transfer};
use crate::wire::{Wire, Writer};

fn write_picture(picture: Option<PictureDigest>, out: &mut Writer<'_>) {
    picture.map(|digest| digest.0).write(out);
}

impl<'m> Record<'_, 'm> {
    pub(super) fn shader_created(
        &mut self,
        stage: ShaderType,
        state: &ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        let answer = self.inner.get().create_shader_state(stage, state);
        let mut out = Writer::new(self.memory);
        stage.write(&mut out);
        write_code(&state.source, &mut out);
        state.stream_output.stride.write(&mut out);
        write_list(state.stream_output.outputs, &mut out);
        Answer::write(&answer, &mut out);
        self.send(number::CREATE_SHADER_STATE, &out);
        answer
    }

    pub(super) fn compute_created(
        &mut self,
        state: &ComputeState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        let answer = self.inner.get().create_compute_state(state);
        let mut out = Writer::new(self.memory);
        write_compute(state, &mut out);
        Answer::write(&answer, &mut out);
        self.send(number::CREATE_COMPUTE_STATE, &out);
        answer
    }

    pub(super) fn global_bound(
        &mut self,
        first: usize,
        resources: &[Option<ResourceHandle>],
        addresses: &mut [u64],
    ) -> Result<(), PipeError> {
        let mut out = Writer::new(self.memory);
        first.write(&mut out);
        write_list(resources, &mut out);
        write_list(addresses, &mut out);
        let answer = self.inner.get().set_global_binding(first, resources, addresses);
        Answer::write(&answer, &mut out);
        write_list(addresses, &mut out);
        self.send(number::SET_GLOBAL_BINDING, &out);
        answer
    }

    pub(super) fn framebuffer_set(&mut self, state: &FramebufferState) -> Result<(), PipeError> {
        let answer = self.inner.get().set_framebuffer_state(state);
        if answer.is_ok() {
            self.attachments.bound(state);
        }
        let mut out = Writer::new(self.memory);
        state.write(&mut out);
        Answer::write(&answer, &mut out);
        self.send(number::SET_FRAMEBUFFER_STATE, &out);
        answer
    }

    pub(super) fn surface_created(
        &mut self,
        resource: ResourceHandle,
        template: &SurfaceTemplate,
    ) -> Result<SurfaceHandle, PipeError> {
        let answer = self.inner.get().create_surface(resource, template);
        if let Ok(surface) = answer {
            self.attachments.created(surface, resource, template);
        }
        let mut out = Writer::new(self.memory);
        Wire::write(&resource, &mut out);
        template.write(&mut out);
        Answer::write(&answer, &mut out);
        self.send(number::CREATE_SURFACE, &out);
        answer
    }

    pub(super) fn surface_gone(&mut self, surface: SurfaceHandle) -> Result<(), PipeError> {
        let answer = self.inner.get().surface_destroy(surface);
        self.attachments.destroyed(surface);
        let mut out = Writer::new(self.memory);
        Wire::write(&surface, &mut out);
        Answer::write(&answer, &mut out);
        self.send(number::SURFACE_DESTROY, &out);
        answer
    }

    pub(super) fn flushed(&mut self, flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        self.write_persistent();
        let answer = self.inner.get().flush(flags);
        let picture = match answer {
            Ok(_) => self.attachments.picture(self.screen, self.inner.get()),
            Err(_) => None,
        };
        let mut out = Writer::new(self.memory);
        flags.write(&mut out);
        Answer::write(&answer, &mut out);
        write_picture(picture, &mut out);
        self.send(number::FLUSH, &out);
        answer
    }

    pub(super) fn presented(
        &mut self,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let mut panel = Watched::new(panel);
        let answer = self.inner.get().present(source, &mut panel);
        let picture = answer.is_ok().then_some(panel.digest);
        let mut out = Writer::new(self.memory);
        source.write(&mut out);
        Answer::write(&answer, &mut out);
        write_picture(picture, &mut out);
        self.send(number::PRESENT, &out);
        answer
    }

    pub(super) fn rows_presented(
        &mut self,
        source: PresentSource,
        rows: Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let mut panel = Watched::new(panel);
        let mut out = Writer::new(self.memory);
        source.write(&mut out);
        (rows.start, rows.end).write(&mut out);
        let answer = self.inner.get().present_rows(source, rows, &mut panel);
        Answer::write(&answer, &mut out);
        write_picture(answer.is_ok().then_some(panel.digest), &mut out);
        self.send(number::PRESENT_ROWS, &out);
        answer
    }

    pub(super) fn tile_presented(
        &mut self,
        source: PresentSource,
        index: u32,
        pixels: &mut [u8],
    ) -> Result<Option<Area>, PipeError> {
        let answer = self.inner.get().present_tile(source, index, pixels);
        let mut out = Writer::new(self.memory);
        source.write(&mut out);
        Wire::write(&index, &mut out);
        pixels.len().write(&mut out);
        // Another profile has different tiles, so the trace records only that a tile was requested.
        Answer::write(&answer.as_ref().map(|_| ()).map_err(|error| *error), &mut out);
        self.send(number::PRESENT_TILE, &out);
        answer
    }

    pub(super) fn mapped(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
    ) -> Result<Transfer, PipeError> {
        self.open.try_reserve(1)?;
        self.write_persistent();
        let answer = self.inner.get().transfer_map(resource, level, usage, region);
        let mut out = Writer::new(self.memory);
        Wire::write(&resource, &mut out);
        Wire::write(&level, &mut out);
        usage.write(&mut out);
        region.write(&mut out);
        Answer::write(&answer.as_ref().map(|map| map.handle).map_err(|error| *error), &mut out);
        if let Ok(transfer) = &answer {
            let rows = Rows::of(self.screen, resource, region, transfer);
            let digest = mapped(self.inner.get(), transfer.handle, rows);
            write_picture(digest.filter(|_| usage.contains(MapFlags::READ)), &mut out);
            if let (Some(rows), Some(written)) = (rows, digest) {
                let open = Open { transfer: transfer.handle, usage, rows, written };
                // There is room for one.
                let _ = self.open.push_within_capacity(open);
            }
        }
        self.send(number::TRANSFER_MAP, &out);
        answer
    }

    /// Writes the bytes of an open transfer if the CPU may have written them: `always`, or if they
    /// differ from the bytes in the trace.
    fn write_mapped(&mut self, index: usize, always: bool) {
        let Some(open) = self.open.get_mut(index) else { return };
        let Ok(bytes) = self.inner.get().transfer_bytes(open.transfer) else { return };
        let digest = open.rows.digest(bytes);
        if !always && digest == open.written {
            return;
        }
        open.written = digest;
        let mut out = Writer::new(self.memory);
        Wire::write(&open.transfer, &mut out);
        out.number(open.rows.extent.iter().product::<usize>() as u64);
        for row in open.rows.rows(bytes) {
            out.raw(row);
        }
        self.send(number::TRANSFER_WRITE, &out);
    }

    /// Writes CPU changes to memory that stays mapped while the driver works.
    pub(super) fn write_persistent(&mut self) {
        for index in 0..self.open.len() {
            let persistent = MapFlags::PERSISTENT | MapFlags::WRITE;
            if self.open.get(index).is_some_and(|open| open.usage.contains(persistent)) {
                self.write_mapped(index, false);
            }
        }
    }

    fn position(&self, transfer: TransferHandle) -> Option<usize> {
        self.open.iter().position(|open| open.transfer == transfer)
    }

    pub(super) fn region_flushed(
        &mut self,
        transfer: TransferHandle,
        region: &Region,
    ) -> Result<(), PipeError> {
        if let Some(index) = self.position(transfer) {
            self.write_mapped(index, true);
        }
        let answer = self.inner.get().transfer_flush_region(transfer, region);
        let mut out = Writer::new(self.memory);
        Wire::write(&transfer, &mut out);
        region.write(&mut out);
        Answer::write(&answer, &mut out);
        self.send(number::TRANSFER_FLUSH_REGION, &out);
        answer
    }

    pub(super) fn unmapped(&mut self, transfer: TransferHandle) -> Result<(), PipeError> {
        if let Some(index) = self.position(transfer) {
            let usage = self.open.get(index).map_or(MapFlags::empty(), |open| open.usage);
            if usage.contains(MapFlags::WRITE) && !usage.contains(MapFlags::FLUSH_EXPLICIT) {
                self.write_mapped(index, true);
            }
            self.open.swap_remove(index);
        }
        let answer = self.inner.get().transfer_unmap(transfer);
        let mut out = Writer::new(self.memory);
        Wire::write(&transfer, &mut out);
        Answer::write(&answer, &mut out);
        self.send(number::TRANSFER_UNMAP, &out);
        answer
    }
}
