//! The calls of a context, each passed on and written as one line.

use formats::Format;

use super::{Line, Shown, Trace, brief_list};
use crate::blit::BlitInfo;
use crate::color::ColorUnion;
use crate::context::*;
use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount};
use crate::error::PipeError;
use crate::flags::{BarrierFlags, ClearFlags, FlushFlags, ResetStatus, TextureBarrierFlags};
use crate::handle::*;
use crate::panel::{Area, TilePanel};
use crate::query::{QueryResult, QueryType, QueryValueType, RenderConditionMode};
use crate::region::Region;
use crate::shader::{ComputeState, GridInfo, ShaderState, ShaderType};
use crate::state::*;
use crate::surface::{ImageAccess, ImageView, SamplerViewTemplate, ShaderBuffer, SurfaceTemplate};
use crate::transfer::{MapFlags, Transfer};
use crate::wrap::calls::*;

/// Selects the form of a written argument: the short form of its kind, or in full.
macro_rules! shown {
    ($value:ident) => {
        Shown::Full(&$value)
    };
    ($value:ident brief) => {
        Shown::Brief($value)
    };
    ($value:ident each) => {
        Shown::List(&|f| brief_list(f, $value))
    };
    ($value:ident data) => {
        Shown::Bytes($value.len())
    };
    ($value:ident panel) => {
        Shown::Full(&"panel")
    };
    ($value:ident $how:ident) => {
        Shown::Full(&$value)
    };
}

/// Passes on and writes a call.
macro_rules! pass_on {
    ($self:ident $method:ident $( $argument:ident $($how:ident)? ),*) => {{
        let outcome = $self.inner.get().$method($($argument),*);
        let arguments: &[(&'static str, Shown<'_>)] =
            &[$( (stringify!($argument), shown!($argument $($how)?)), )*];
        let line = Line { method: stringify!($method), arguments, outcome: &outcome };
        $self.sink.line(format_args!("{line}"));
        outcome
    }};
}

/// Defines methods that pass on and write their call, from a list of calls.
macro_rules! listed {
    ([] $(
        $number:literal $method:ident( $($argument:ident: $how:ident $ty:ty),* $(,)? ) -> $result:ty;
    )*) => { $(
        fn $method(&mut self $(, $argument: parameter!($how $ty))*) -> $result {
            pass_on!(self $method $($argument $how),*)
        }
    )* };
}

/// Defines methods that pass on and write their call, for calls that no list has.
macro_rules! traced {
    ($(
        fn $method:ident($( $argument:ident: $ty:ty $(; $how:ident)? ),* $(,)?)
        $( -> $result:ty )?;
    )+) => { $(
        fn $method(&mut self $(, $argument: $ty)*) $( -> $result )? {
            pass_on!(self $method $($argument $($how)?),*)
        }
    )+ };
}

impl<'m> Context<'m> for Trace<'_, 'm> {}

impl<'m> CsoState<'m> for Trace<'_, 'm> {
    cso_calls!(listed);

    traced! {
        fn create_shader_state(stage: ShaderType, state: &ShaderState<'_, 'm>)
            -> Result<ShaderHandle, PipeError>;
    }
}

impl ResourceBinding for Trace<'_, '_> {
    binding_calls!(listed);

    traced! {
        fn set_framebuffer_state(state: &FramebufferState; brief) -> Result<(), PipeError>;
    }
}

impl Parameters for Trace<'_, '_> {
    parameter_calls!(listed);

    #[cfg(feature = "diagnostics")]
    fn set_debug_callback(&mut self, callback: Option<crate::diagnostics::DebugCallback>) {
        // Its address would differ from run to run.
        let set = callback.is_some();
        self.sink.line(format_args!("set_debug_callback(callback: {set})"));
        self.inner.get().set_debug_callback(callback);
    }

    fn get_sample_position(&self, sample_count: u8, sample_index: u8) -> [f32; 2] {
        // Not written: the call changes nothing, and `&self` does not reach the sink's context.
        self.inner.get_ref().get_sample_position(sample_count, sample_index)
    }
}

impl SamplerViews for Trace<'_, '_> {
    view_calls!(listed);
}

impl ShaderResources for Trace<'_, '_> {
    shader_resource_calls!(listed);
}

impl Surfaces for Trace<'_, '_> {
    traced! {
        fn create_surface(resource: ResourceHandle, template: &SurfaceTemplate)
            -> Result<SurfaceHandle, PipeError>;
        fn surface_destroy(surface: SurfaceHandle) -> Result<(), PipeError>;
    }
}

impl StreamOutputs for Trace<'_, '_> {
    stream_output_calls!(listed);
}

impl Clearing for Trace<'_, '_> {
    clearing_calls!(listed);
}

impl Drawing for Trace<'_, '_> {
    drawing_calls!(listed);

    fn warnings(&self) -> crate::Warnings {
        self.inner.get_ref().warnings()
    }

    fn primitives_drawn(&self) -> Option<u64> {
        self.inner.get_ref().primitives_drawn()
    }

    fn primitives_culled(&self) -> Option<u64> {
        self.inner.get_ref().primitives_culled()
    }

    #[cfg(feature = "desktop")]
    traced! {
        fn draw_vertex_state(
            state: VertexStateHandle,
            info: &crate::DrawVertexStateInfo,
            draws: &[DrawStartCount]; each,
        ) -> Result<(), PipeError>;
    }
}

impl Queries for Trace<'_, '_> {
    query_calls!(listed);
}

impl RenderCondition for Trace<'_, '_> {
    condition_calls!(listed);
}

impl Flushing for Trace<'_, '_> {
    flushing_calls!(listed);

    traced! {
        fn flush(flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError>;
        fn present(source: PresentSource, panel: &mut dyn TilePanel; panel)
            -> Result<(), PipeError>;
        fn present_tile(source: PresentSource, index: u32, pixels: &mut [u8]; data)
            -> Result<Option<Area>, PipeError>;
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

    fn present_rows(
        &mut self,
        source: PresentSource,
        rows: core::ops::Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let outcome = self.inner.get().present_rows(source, rows.clone(), panel);
        let arguments: &[(&'static str, Shown<'_>)] =
            &[("source", shown!(source)), ("rows", shown!(rows)), ("panel", shown!(panel panel))];
        let line = Line { method: "present_rows", arguments, outcome: &outcome };
        self.sink.line(format_args!("{line}"));
        outcome
    }
}

impl Fences for Trace<'_, '_> {
    fence_calls!(listed);
}

impl Blitting for Trace<'_, '_> {
    blitting_calls!(listed);
}

impl Transfers for Trace<'_, '_> {
    transfer_calls!(listed);

    traced! {
        fn transfer_map(
            resource: ResourceHandle,
            level: u32,
            usage: MapFlags,
            region: &Region; brief,
        ) -> Result<Transfer, PipeError>;
        fn transfer_flush_region(transfer: TransferHandle, region: &Region; brief)
            -> Result<(), PipeError>;
        fn transfer_unmap(transfer: TransferHandle) -> Result<(), PipeError>;
    }

    fn transfer_bytes(&mut self, transfer: TransferHandle) -> Result<&mut [u8], PipeError> {
        let result = self.inner.get().transfer_bytes(transfer);
        match &result {
            Ok(bytes) => {
                let count = bytes.len();
                self.sink
                    .line(format_args!("transfer_bytes(transfer: {transfer:?}) = {count} bytes"));
            }
            Err(error) => {
                self.sink.line(format_args!("transfer_bytes(transfer: {transfer:?}) ! {error}"));
            }
        }
        result
    }
}

impl<'m> Compute<'m> for Trace<'_, 'm> {
    compute_calls!(listed);

    traced! {
        fn create_compute_state(state: &ComputeState<'_, 'm>) -> Result<ShaderHandle, PipeError>;
    }

    fn set_global_binding(
        &mut self,
        first: usize,
        resources: &[Option<ResourceHandle>],
        addresses: &mut [u64],
    ) -> Result<(), PipeError> {
        // Addresses are not written: they are specific to the driver, and differ from run to run.
        let outcome = self.inner.get().set_global_binding(first, resources, addresses);
        let arguments = [("first", Shown::Full(&first)), ("resources", Shown::Full(&resources))];
        let line = Line { method: "set_global_binding", arguments: &arguments, outcome: &outcome };
        self.sink.line(format_args!("{line}"));
        outcome
    }

    #[cfg(feature = "desktop")]
    traced! {
        fn set_compute_resources(start: usize, surfaces: &[Option<SurfaceHandle>])
            -> Result<(), PipeError>;
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

impl DeviceReset for Trace<'_, '_> {
    traced! {
        fn get_device_reset_status() -> ResetStatus;
    }

    #[cfg(feature = "budget")]
    fn set_device_reset_callback(&mut self, callback: Option<ResetCallback>) {
        // Its address would differ from run to run.
        let set = callback.is_some();
        self.sink.line(format_args!("set_device_reset_callback(callback: {set})"));
        self.inner.get().set_device_reset_callback(callback);
    }
}

impl Bindless for Trace<'_, '_> {
    bindless_calls!(listed);
}
