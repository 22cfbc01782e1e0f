//! The recording context: calls that are written without special treatment.

use os_shim::Vec;

use super::answer::Answer;
use super::calls::*;
use super::picture::{Attachments, PictureDigest, Rows};
use super::{Out, values::write_list, write_instructions};
use crate::blit::BlitInfo;
use crate::color::ColorUnion;
use crate::context::*;
use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount};
use crate::error::PipeError;
use crate::flags::ResetStatus;
use crate::flags::{BarrierFlags, ClearFlags, TextureBarrierFlags};
use crate::handle::*;
use crate::query::{QueryResult, QueryType, QueryValueType, RenderConditionMode};
use crate::region::Region;
use crate::screen::Screen;
use crate::shader::{GridInfo, ShaderType};
use crate::state::*;
use crate::surface::{ImageAccess, ImageView, SamplerViewTemplate, ShaderBuffer};
use crate::transfer::MapFlags;
use crate::wire::{Wire, Writer};
use crate::wrap::calls::*;
use formats::Format;

/// An open transfer.
pub(super) struct Open {
    pub(super) transfer: TransferHandle,
    pub(super) usage: MapFlags,
    pub(super) rows: Rows,
    /// The digest of the bytes that are in the trace.
    pub(super) written: PictureDigest,
}

/// A context that writes the calls it passes on, with their data.
/// [`RecordScreen`](super::RecordScreen) creates it.
pub struct Record<'c, 'm> {
    pub(super) inner: ContextRef<'c, 'm>,
    pub(super) screen: &'c dyn Screen<'m>,
    pub(super) out: Out<'c>,
    /// The number of the context in the trace.
    pub(super) number: u64,
    pub(super) attachments: Attachments<'c>,
    pub(super) open: Vec<'c, Open>,
}

impl<'c, 'm> Record<'c, 'm> {
    pub(super) fn new(
        context: impl Into<ContextRef<'c, 'm>>,
        screen: &'c dyn Screen<'m>,
        out: Out<'c>,
        number: u64,
    ) -> Self {
        Self {
            inner: context.into(),
            screen,
            out,
            number,
            attachments: Attachments::new(out.memory),
            open: Vec::new_in(out.memory),
        }
    }

    /// Writes a call.
    pub(super) fn send(&self, number: u64, body: &dyn Fn(&mut Writer<'_>)) {
        self.out.call(number, self.number, body);
    }

    /// Writes CPU changes to persistently mapped memory, before a call that may read them.
    fn before(&mut self, number: u64) {
        if !works(number) {
            return;
        }
        self.attachments.is_drawn_to = true;
        self.write_persistent();
    }
}

impl Drop for Record<'_, '_> {
    fn drop(&mut self) {
        self.send(number::CONTEXT_DESTROY, &|_| ());
    }
}

/// Writes an argument.
macro_rules! put {
    (val $argument:ident $out:ident) => {
        Wire::write(&$argument, $out)
    };
    (refs $argument:ident $out:ident) => {
        Wire::write($argument, $out)
    };
    (brief $argument:ident $out:ident) => {
        Wire::write($argument, $out)
    };
    (opt $argument:ident $out:ident) => {
        Wire::write(&$argument.copied(), $out)
    };
    (list $argument:ident $out:ident) => {
        write_list($argument, $out)
    };
    (each $argument:ident $out:ident) => {
        write_list($argument, $out)
    };
    (bytes $argument:ident $out:ident) => {
        $out.bytes($argument)
    };
    (data $argument:ident $out:ident) => {
        $out.bytes($argument)
    };
}

/// Defines methods that pass on and write their call.
macro_rules! recorded {
    ([] $(
        $number:literal $method:ident( $($argument:ident: $how:ident $ty:ty),* $(,)? ) -> $result:ty;
    )*) => { $(
        fn $method(&mut self $(, $argument: parameter!($how $ty))*) -> $result {
            self.before($number);
            let begun = self.out.begin($number);
            let answer = self.inner.get().$method($($argument),*);
            let count = self.out.since(begun);
            self.send($number, &|out: &mut Writer<'_>| {
                $( put!($how $argument out); )*
                Answer::write(&answer, out);
                write_instructions(count, out);
            });
            answer
        }
    )* };
}

impl<'m> Context<'m> for Record<'_, 'm> {}

impl<'m> CsoState<'m> for Record<'_, 'm> {
    cso_calls!(recorded);

    fn create_shader_state(
        &mut self,
        stage: ShaderType,
        state: &crate::shader::ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        self.shader_created(stage, state)
    }
}

impl ResourceBinding for Record<'_, '_> {
    binding_calls!(recorded);

    fn set_framebuffer_state(&mut self, state: &FramebufferState) -> Result<(), PipeError> {
        self.framebuffer_set(state)
    }
}

impl Parameters for Record<'_, '_> {
    parameter_calls!(recorded);

    #[cfg(feature = "diagnostics")]
    fn set_debug_callback(&mut self, callback: Option<crate::diagnostics::DebugCallback>) {
        // A function of the traced program, which does not exist when the trace is played.
        self.inner.get().set_debug_callback(callback);
    }

    fn get_sample_position(&self, sample_count: u8, sample_index: u8) -> [f32; 2] {
        self.inner.get_ref().get_sample_position(sample_count, sample_index)
    }
}

impl SamplerViews for Record<'_, '_> {
    view_calls!(recorded);
}

impl ShaderResources for Record<'_, '_> {
    shader_resource_calls!(recorded);
}

impl Surfaces for Record<'_, '_> {
    fn create_surface(
        &mut self,
        resource: ResourceHandle,
        template: &crate::surface::SurfaceTemplate,
    ) -> Result<SurfaceHandle, PipeError> {
        self.surface_created(resource, template)
    }

    fn surface_destroy(&mut self, surface: SurfaceHandle) -> Result<(), PipeError> {
        self.surface_gone(surface)
    }
}

impl StreamOutputs for Record<'_, '_> {
    stream_output_calls!(recorded);
}

impl Clearing for Record<'_, '_> {
    clearing_calls!(recorded);
}

impl Drawing for Record<'_, '_> {
    fn warnings(&self) -> crate::Warnings {
        self.inner.get_ref().warnings()
    }

    fn primitives_drawn(&self) -> Option<u64> {
        self.inner.get_ref().primitives_drawn()
    }

    fn primitives_culled(&self) -> Option<u64> {
        self.inner.get_ref().primitives_culled()
    }

    drawing_calls!(recorded);
}

impl Queries for Record<'_, '_> {
    query_calls!(recorded);
}

impl RenderCondition for Record<'_, '_> {
    condition_calls!(recorded);
}

impl Flushing for Record<'_, '_> {
    flushing_calls!(recorded);

    fn flush(&mut self, flags: crate::flags::FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        self.flushed(flags)
    }

    fn present(
        &mut self,
        source: PresentSource,
        panel: &mut dyn crate::panel::TilePanel,
    ) -> Result<(), PipeError> {
        self.presented(source, panel)
    }

    fn present_rows(
        &mut self,
        source: PresentSource,
        rows: core::ops::Range<u32>,
        panel: &mut dyn crate::panel::TilePanel,
    ) -> Result<(), PipeError> {
        self.rows_presented(source, rows, panel)
    }

    fn present_tile(
        &mut self,
        source: PresentSource,
        index: u32,
        pixels: &mut [u8],
    ) -> Result<Option<crate::panel::Area>, PipeError> {
        self.tile_presented(source, index, pixels)
    }

    #[cfg(feature = "desktop")]
    fn is_resource_referenced(
        &self,
        resource: ResourceHandle,
        level: u32,
        layer: u32,
    ) -> Result<crate::Referenced, PipeError> {
        self.inner.get_ref().is_resource_referenced(resource, level, layer)
    }

    #[cfg(feature = "diagnostics")]
    fn dump_debug_state(&self, out: &mut dyn core::fmt::Write) -> core::fmt::Result {
        self.inner.get_ref().dump_debug_state(out)
    }
}

impl Fences for Record<'_, '_> {
    fence_calls!(recorded);
}

impl Blitting for Record<'_, '_> {
    blitting_calls!(recorded);
}

impl Transfers for Record<'_, '_> {
    transfer_calls!(recorded);

    fn transfer_map(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
    ) -> Result<crate::transfer::Transfer, PipeError> {
        self.mapped(resource, level, usage, region)
    }

    fn transfer_bytes(&mut self, transfer: TransferHandle) -> Result<&mut [u8], PipeError> {
        self.inner.get().transfer_bytes(transfer)
    }

    fn transfer_flush_region(
        &mut self,
        transfer: TransferHandle,
        region: &Region,
    ) -> Result<(), PipeError> {
        self.region_flushed(transfer, region)
    }

    fn transfer_unmap(&mut self, transfer: TransferHandle) -> Result<(), PipeError> {
        self.unmapped(transfer)
    }
}

impl<'m> Compute<'m> for Record<'_, 'm> {
    compute_calls!(recorded);

    fn create_compute_state(
        &mut self,
        state: &crate::shader::ComputeState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        self.compute_created(state)
    }

    fn set_global_binding(
        &mut self,
        first: usize,
        resources: &[Option<ResourceHandle>],
        addresses: &mut [u64],
    ) -> Result<(), PipeError> {
        self.global_bound(first, resources, addresses)
    }

    #[cfg(feature = "desktop")]
    fn get_compute_state_info(
        &self,
        handle: ShaderHandle,
    ) -> Result<crate::ComputeStateObjectInfo, PipeError> {
        self.inner.get_ref().get_compute_state_info(handle)
    }

    fn get_compute_state_subgroup_size(&self, handle: ShaderHandle, block: [u32; 3]) -> u32 {
        self.inner.get_ref().get_compute_state_subgroup_size(handle, block)
    }
}

impl DeviceReset for Record<'_, '_> {
    fn get_device_reset_status(&mut self) -> ResetStatus {
        self.inner.get().get_device_reset_status()
    }

    #[cfg(feature = "budget")]
    fn set_device_reset_callback(&mut self, callback: Option<ResetCallback>) {
        self.inner.get().set_device_reset_callback(callback);
    }
}

impl Bindless for Record<'_, '_> {
    bindless_calls!(recorded);
}
