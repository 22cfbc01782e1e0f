//! The recording context: calls that need special treatment.

use core::ops::Range;

use os_shim::Vec;

use super::answer::Answer;
use super::calls::number;
use super::panel::Watched;
use super::picture::{PictureDigest, Rows, mapped};
use super::recorder::{Open, Record};
use super::values::{write_code, write_compute, write_list};
use super::write_instructions;
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
        self.send(number::CREATE_SHADER_STATE, &|out| {
            stage.write(out);
            write_code(&state.source, out);
            state.stream_output.stride.write(out);
            write_list(state.stream_output.outputs, out);
            Answer::write(&answer, out);
        });
        answer
    }

    pub(super) fn compute_created(
        &mut self,
        state: &ComputeState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        let answer = self.inner.get().create_compute_state(state);
        self.send(number::CREATE_COMPUTE_STATE, &|out| {
            write_compute(state, out);
            Answer::write(&answer, out);
        });
        answer
    }

    pub(super) fn global_bound(
        &mut self,
        first: usize,
        resources: &[Option<ResourceHandle>],
        addresses: &mut [u64],
    ) -> Result<(), PipeError> {
        let mut asked = Vec::new_in(self.out.memory);
        asked.try_extend_from_slice(addresses)?;
        let answer = self.inner.get().set_global_binding(first, resources, addresses);
        let addresses = &*addresses;
        self.send(number::SET_GLOBAL_BINDING, &|out| {
            first.write(out);
            write_list(resources, out);
            write_list(&asked, out);
            Answer::write(&answer, out);
            write_list(addresses, out);
        });
        answer
    }

    pub(super) fn framebuffer_set(&mut self, state: &FramebufferState) -> Result<(), PipeError> {
        let answer = self.inner.get().set_framebuffer_state(state);
        if answer.is_ok() {
            self.attachments.bound(state);
        }
        self.send(number::SET_FRAMEBUFFER_STATE, &|out| {
            state.write(out);
            Answer::write(&answer, out);
        });
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
        self.send(number::CREATE_SURFACE, &|out| {
            Wire::write(&resource, out);
            template.write(out);
            Answer::write(&answer, out);
        });
        answer
    }

    pub(super) fn surface_gone(&mut self, surface: SurfaceHandle) -> Result<(), PipeError> {
        let answer = self.inner.get().surface_destroy(surface);
        self.attachments.destroyed(surface);
        self.send(number::SURFACE_DESTROY, &|out| {
            Wire::write(&surface, out);
            Answer::write(&answer, out);
        });
        answer
    }

    pub(super) fn flushed(&mut self, flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        self.write_persistent();
        let begun = self.out.begin(number::FLUSH);
        let answer = self.inner.get().flush(flags);
        let count = self.out.since(begun);
        let picture = match answer {
            Ok(_) => self.attachments.picture(self.screen, self.inner.get()),
            Err(_) => None,
        };
        self.send(number::FLUSH, &|out| {
            flags.write(out);
            Answer::write(&answer, out);
            write_picture(picture, out);
            write_instructions(count, out);
        });
        answer
    }

    pub(super) fn presented(
        &mut self,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let begun = self.out.begin(number::PRESENT);
        let mut panel = Watched::new(panel, begun.and(Some(self.out)));
        let answer = self.inner.get().present(source, &mut panel);
        let count = panel.without(self.out.since(begun));
        let picture = answer.is_ok().then_some(panel.digest);
        self.send(number::PRESENT, &|out| {
            source.write(out);
            Answer::write(&answer, out);
            write_picture(picture, out);
            write_instructions(count, out);
        });
        answer
    }

    pub(super) fn rows_presented(
        &mut self,
        source: PresentSource,
        rows: Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let asked = (rows.start, rows.end);
        let begun = self.out.begin(number::PRESENT_ROWS);
        let mut panel = Watched::new(panel, begun.and(Some(self.out)));
        let answer = self.inner.get().present_rows(source, rows, &mut panel);
        let count = panel.without(self.out.since(begun));
        let picture = answer.is_ok().then_some(panel.digest);
        self.send(number::PRESENT_ROWS, &|out| {
            source.write(out);
            asked.write(out);
            Answer::write(&answer, out);
            write_picture(picture, out);
            write_instructions(count, out);
        });
        answer
    }

    pub(super) fn tile_presented(
        &mut self,
        source: PresentSource,
        index: u32,
        pixels: &mut [u8],
    ) -> Result<Option<Area>, PipeError> {
        let begun = self.out.begin(number::PRESENT_TILE);
        let answer = self.inner.get().present_tile(source, index, pixels);
        let count = self.out.since(begun);
        let size = pixels.len();
        self.send(number::PRESENT_TILE, &|out| {
            source.write(out);
            Wire::write(&index, out);
            size.write(out);
            // Another profile has different tiles, so the trace records only that a tile was requested.
            Answer::write(&answer.as_ref().map(|_| ()).map_err(|error| *error), out);
            if count.is_some() {
                write_picture(None, out);
            }
            write_instructions(count, out);
        });
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
        let mut digest = None;
        if let Ok(transfer) = &answer {
            let rows = Rows::of(self.screen, resource, region, transfer);
            digest = mapped(self.inner.get(), transfer.handle, rows);
            if let (Some(rows), Some(written)) = (rows, digest) {
                let open = Open { transfer: transfer.handle, usage, rows, written };
                // There is room for one.
                let _ = self.open.push_within_capacity(open);
            }
        }
        let handle = answer.as_ref().map(|map| map.handle).map_err(|error| *error);
        self.send(number::TRANSFER_MAP, &|out| {
            Wire::write(&resource, out);
            Wire::write(&level, out);
            usage.write(out);
            region.write(out);
            Answer::write(&handle, out);
            if handle.is_ok() {
                write_picture(digest.filter(|_| usage.contains(MapFlags::READ)), out);
            }
        });
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
        let (open, bytes) = (&*open, &*bytes);
        self.out.call(number::TRANSFER_WRITE, self.number, &|out| {
            Wire::write(&open.transfer, out);
            out.number(open.rows.extent.iter().product::<usize>() as u64);
            for row in open.rows.rows(bytes) {
                out.raw(row);
            }
        });
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
        self.send(number::TRANSFER_FLUSH_REGION, &|out| {
            Wire::write(&transfer, out);
            region.write(out);
            Answer::write(&answer, out);
        });
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
        self.send(number::TRANSFER_UNMAP, &|out| {
            Wire::write(&transfer, out);
            Answer::write(&answer, out);
        });
        answer
    }
}
