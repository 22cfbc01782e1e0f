//! A wrapper made from a few overridden calls: a [`Layer`] stands between a caller and a context.
//!
//! [`Layer`] has a method for each call of a context, with the context as the first argument. Each
//! default makes the call. A layer overrides the calls that it watches, changes or drops.
//! [`LayerScreen`] puts a layer on each context that a screen creates.

use core::ops::Range;

use formats::Format;
use os_shim::sync::Mutex;
use os_shim::{Box, Memory};

use super::calls::*;
use super::screen::{caps_passed_on, queries_passed_on};
use crate::blit::BlitInfo;
use crate::caps::Cap;
use crate::color::ColorUnion;
use crate::context::*;
use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount};
use crate::error::PipeError;
use crate::flags::{
    BarrierFlags, ClearFlags, ContextFlags, FlushFlags, ResetStatus, TextureBarrierFlags,
};
use crate::handle::*;
use crate::panel::{Area, TilePanel};
use crate::query::{QueryResult, QueryType, QueryValueType, RenderConditionMode};
use crate::region::Region;
use crate::resource::ResourceTemplate;
use crate::screen::Screen;
use crate::shader::{ComputeState, GridInfo, ShaderState, ShaderType};
use crate::state::*;
use crate::surface::{ImageAccess, ImageView, SamplerViewTemplate, ShaderBuffer, SurfaceTemplate};
use crate::transfer::{MapFlags, Transfer};
#[cfg(feature = "desktop")]
use crate::{
    FenceFdType, VertexStateTemplate, WinsysHandle, WinsysHandleType, desktop::DrawVertexStateInfo,
};
#[cfg(feature = "desktop")]
use os_shim::sharing::{ExternalFence, SharedMemory};

/// Defines methods that make their call on `inner`, from a list of calls.
macro_rules! made_on_inner {
    ([$chapter:ident] $(
        $number:literal $method:ident( $($argument:ident: $how:ident $ty:ty),* $(,)? ) -> $result:ty;
    )*) => { $(
        #[doc = concat!("Makes the call `", stringify!($method), "`.")]
        fn $method(
            &mut self,
            inner: &mut (dyn Context<'m> + '_)
            $(, $argument: parameter!($how $ty))*
        ) -> $result {
            inner.$method($($argument),*)
        }
    )* };
}

/// The calls of one context, with the context that they are for. Each default makes the call.
///
/// ```
/// use gallium_pipe_core::context::{Context, Parameters};
/// use gallium_pipe_core::wrap::{Layer, Layered, NullContext, NullScreen};
/// use os_shim::Memory;
///
/// /// Inverts the sample mask.
/// struct Inverted;
///
/// impl<'m> Layer<'m> for Inverted {
///     fn set_sample_mask(&mut self, inner: &mut (dyn Context<'m> + '_), mask: u32) {
///         inner.set_sample_mask(!mask);
///     }
/// }
/// let screen = NullScreen::new(Memory::system());
/// let mut context = NullContext::new(&screen);
/// Layered::new(&mut context, Inverted).set_sample_mask(1);
/// ```
#[allow(clippy::too_many_arguments, reason = "these are the arguments of Gallium's calls")]
pub trait Layer<'m> {
    all_calls!(made_on_inner);

    /// Makes the call `create_shader_state`.
    fn create_shader_state(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        stage: ShaderType,
        state: &ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        inner.create_shader_state(stage, state)
    }

    /// Makes the call `create_compute_state`.
    fn create_compute_state(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        state: &ComputeState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        inner.create_compute_state(state)
    }

    /// Makes the call `set_framebuffer_state`.
    fn set_framebuffer_state(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        state: &FramebufferState,
    ) -> Result<(), PipeError> {
        inner.set_framebuffer_state(state)
    }

    /// Makes the call `create_surface`.
    fn create_surface(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        resource: ResourceHandle,
        template: &SurfaceTemplate,
    ) -> Result<SurfaceHandle, PipeError> {
        inner.create_surface(resource, template)
    }

    /// Makes the call `surface_destroy`.
    fn surface_destroy(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        surface: SurfaceHandle,
    ) -> Result<(), PipeError> {
        inner.surface_destroy(surface)
    }

    /// Makes the call `draw_vertex_state`.
    #[cfg(feature = "desktop")]
    fn draw_vertex_state(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        state: VertexStateHandle,
        info: &DrawVertexStateInfo,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        inner.draw_vertex_state(state, info, draws)
    }

    /// Makes the call `flush`.
    fn flush(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        flags: FlushFlags,
    ) -> Result<Option<FenceHandle>, PipeError> {
        inner.flush(flags)
    }

    /// Makes the call `present`.
    fn present(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        inner.present(source, panel)
    }

    /// Makes the call `present_rows`.
    fn present_rows(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        source: PresentSource,
        rows: Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        inner.present_rows(source, rows, panel)
    }

    /// Makes the call `present_tile`.
    fn present_tile(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        source: PresentSource,
        index: u32,
        pixels: &mut [u8],
    ) -> Result<Option<Area>, PipeError> {
        inner.present_tile(source, index, pixels)
    }

    /// Makes the call `transfer_map`.
    fn transfer_map(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        resource: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
    ) -> Result<Transfer, PipeError> {
        inner.transfer_map(resource, level, usage, region)
    }

    /// Makes the call `transfer_flush_region`.
    fn transfer_flush_region(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        transfer: TransferHandle,
        region: &Region,
    ) -> Result<(), PipeError> {
        inner.transfer_flush_region(transfer, region)
    }

    /// Makes the call `transfer_unmap`.
    fn transfer_unmap(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        transfer: TransferHandle,
    ) -> Result<(), PipeError> {
        inner.transfer_unmap(transfer)
    }

    /// Makes the call `set_global_binding`.
    fn set_global_binding(
        &mut self,
        inner: &mut (dyn Context<'m> + '_),
        first: usize,
        resources: &[Option<ResourceHandle>],
        addresses: &mut [u64],
    ) -> Result<(), PipeError> {
        inner.set_global_binding(first, resources, addresses)
    }
}

/// A context under a layer.
pub struct Layered<'c, 'm, L> {
    inner: ContextRef<'c, 'm>,
    layer: L,
}

impl<'c, 'm, L: Layer<'m>> Layered<'c, 'm, L> {
    /// Puts a layer on a context, borrowed or owned.
    pub fn new(context: impl Into<ContextRef<'c, 'm>>, layer: L) -> Self {
        Self { inner: context.into(), layer }
    }

    /// Returns the layer.
    pub const fn layer(&self) -> &L {
        &self.layer
    }
}

/// Defines methods that make their call through the layer, from a list of calls.
macro_rules! through_layer {
    ([] $(
        $number:literal $method:ident( $($argument:ident: $how:ident $ty:ty),* $(,)? ) -> $result:ty;
    )*) => { $(
        fn $method(&mut self $(, $argument: parameter!($how $ty))*) -> $result {
            self.layer.$method(self.inner.get() $(, $argument)*)
        }
    )* };
}

impl<'m, L: Layer<'m> + Send> Context<'m> for Layered<'_, 'm, L> {}

impl<'m, L: Layer<'m>> CsoState<'m> for Layered<'_, 'm, L> {
    cso_calls!(through_layer);

    fn create_shader_state(
        &mut self,
        stage: ShaderType,
        state: &ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        self.layer.create_shader_state(self.inner.get(), stage, state)
    }
}

impl<'m, L: Layer<'m>> ResourceBinding for Layered<'_, 'm, L> {
    binding_calls!(through_layer);

    fn set_framebuffer_state(&mut self, state: &FramebufferState) -> Result<(), PipeError> {
        self.layer.set_framebuffer_state(self.inner.get(), state)
    }
}

impl<'m, L: Layer<'m>> Parameters for Layered<'_, 'm, L> {
    parameter_calls!(through_layer);

    #[cfg(feature = "diagnostics")]
    fn set_debug_callback(&mut self, callback: Option<crate::diagnostics::DebugCallback>) {
        self.inner.get().set_debug_callback(callback);
    }

    fn get_sample_position(&self, sample_count: u8, sample_index: u8) -> [f32; 2] {
        self.inner.get_ref().get_sample_position(sample_count, sample_index)
    }
}

impl<'m, L: Layer<'m>> SamplerViews for Layered<'_, 'm, L> {
    view_calls!(through_layer);
}

impl<'m, L: Layer<'m>> ShaderResources for Layered<'_, 'm, L> {
    shader_resource_calls!(through_layer);
}

impl<'m, L: Layer<'m>> Surfaces for Layered<'_, 'm, L> {
    fn create_surface(
        &mut self,
        resource: ResourceHandle,
        template: &SurfaceTemplate,
    ) -> Result<SurfaceHandle, PipeError> {
        self.layer.create_surface(self.inner.get(), resource, template)
    }

    fn surface_destroy(&mut self, surface: SurfaceHandle) -> Result<(), PipeError> {
        self.layer.surface_destroy(self.inner.get(), surface)
    }
}

impl<'m, L: Layer<'m>> StreamOutputs for Layered<'_, 'm, L> {
    stream_output_calls!(through_layer);
}

impl<'m, L: Layer<'m>> Clearing for Layered<'_, 'm, L> {
    clearing_calls!(through_layer);
}

impl<'m, L: Layer<'m>> Drawing for Layered<'_, 'm, L> {
    drawing_calls!(through_layer);

    #[cfg(feature = "desktop")]
    fn draw_vertex_state(
        &mut self,
        state: VertexStateHandle,
        info: &DrawVertexStateInfo,
        draws: &[DrawStartCount],
    ) -> Result<(), PipeError> {
        self.layer.draw_vertex_state(self.inner.get(), state, info, draws)
    }

    fn warnings(&self) -> crate::Warnings {
        self.inner.get_ref().warnings()
    }

    fn primitives_drawn(&self) -> Option<u64> {
        self.inner.get_ref().primitives_drawn()
    }
}

impl<'m, L: Layer<'m>> Queries for Layered<'_, 'm, L> {
    query_calls!(through_layer);
}

impl<'m, L: Layer<'m>> RenderCondition for Layered<'_, 'm, L> {
    condition_calls!(through_layer);
}

impl<'m, L: Layer<'m>> Flushing for Layered<'_, 'm, L> {
    flushing_calls!(through_layer);

    fn flush(&mut self, flags: FlushFlags) -> Result<Option<FenceHandle>, PipeError> {
        self.layer.flush(self.inner.get(), flags)
    }

    fn present(
        &mut self,
        source: PresentSource,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        self.layer.present(self.inner.get(), source, panel)
    }

    fn present_rows(
        &mut self,
        source: PresentSource,
        rows: Range<u32>,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        self.layer.present_rows(self.inner.get(), source, rows, panel)
    }

    fn present_tile(
        &mut self,
        source: PresentSource,
        index: u32,
        pixels: &mut [u8],
    ) -> Result<Option<Area>, PipeError> {
        self.layer.present_tile(self.inner.get(), source, index, pixels)
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

impl<'m, L: Layer<'m>> Fences for Layered<'_, 'm, L> {
    fence_calls!(through_layer);
}

impl<'m, L: Layer<'m>> Blitting for Layered<'_, 'm, L> {
    blitting_calls!(through_layer);
}

impl<'m, L: Layer<'m>> Transfers for Layered<'_, 'm, L> {
    transfer_calls!(through_layer);

    fn transfer_map(
        &mut self,
        resource: ResourceHandle,
        level: u32,
        usage: MapFlags,
        region: &Region,
    ) -> Result<Transfer, PipeError> {
        self.layer.transfer_map(self.inner.get(), resource, level, usage, region)
    }

    fn transfer_bytes(&mut self, transfer: TransferHandle) -> Result<&mut [u8], PipeError> {
        self.inner.get().transfer_bytes(transfer)
    }

    fn transfer_flush_region(
        &mut self,
        transfer: TransferHandle,
        region: &Region,
    ) -> Result<(), PipeError> {
        self.layer.transfer_flush_region(self.inner.get(), transfer, region)
    }

    fn transfer_unmap(&mut self, transfer: TransferHandle) -> Result<(), PipeError> {
        self.layer.transfer_unmap(self.inner.get(), transfer)
    }
}

impl<'m, L: Layer<'m>> Compute<'m> for Layered<'_, 'm, L> {
    compute_calls!(through_layer);

    fn create_compute_state(
        &mut self,
        state: &ComputeState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        self.layer.create_compute_state(self.inner.get(), state)
    }

    fn set_global_binding(
        &mut self,
        first: usize,
        resources: &[Option<ResourceHandle>],
        addresses: &mut [u64],
    ) -> Result<(), PipeError> {
        self.layer.set_global_binding(self.inner.get(), first, resources, addresses)
    }

    #[cfg(feature = "desktop")]
    fn get_compute_state_info(
        &self,
        handle: ShaderHandle,
    ) -> Result<crate::ComputeStateObjectInfo, PipeError> {
        self.inner.get_ref().get_compute_state_info(handle)
    }

    #[cfg(feature = "desktop")]
    fn set_compute_resources(
        &mut self,
        start: usize,
        surfaces: &[Option<SurfaceHandle>],
    ) -> Result<(), PipeError> {
        self.inner.get().set_compute_resources(start, surfaces)
    }

    fn get_compute_state_subgroup_size(&self, handle: ShaderHandle, block: [u32; 3]) -> u32 {
        self.inner.get_ref().get_compute_state_subgroup_size(handle, block)
    }
}

impl<'m, L: Layer<'m>> DeviceReset for Layered<'_, 'm, L> {
    fn get_device_reset_status(&mut self) -> ResetStatus {
        self.inner.get().get_device_reset_status()
    }

    #[cfg(feature = "budget")]
    fn set_device_reset_callback(&mut self, callback: Option<ResetCallback>) {
        self.inner.get().set_device_reset_callback(callback);
    }
}

impl<'m, L: Layer<'m>> Bindless for Layered<'_, 'm, L> {
    bindless_calls!(through_layer);
}

/// The layers of a screen's contexts.
pub trait Layers<'m>: Sync {
    /// The layer of one context.
    type Layer: Layer<'m> + Send + 'static;

    /// Creates the layer of a new context. `number` counts contexts from 1.
    fn layer(&self, number: u64) -> Self::Layer;

    /// Returns false while calls are not the program's: contexts that are created meanwhile get no
    /// layer and no number.
    fn is_watching(&self) -> bool {
        true
    }

    /// Returns the template that the driver gets for a resource.
    fn template(&self, asked: &ResourceTemplate) -> ResourceTemplate {
        *asked
    }

    /// Learns that a resource was created.
    fn created(&self, resource: ResourceHandle, template: &ResourceTemplate) {
        let _ = (resource, template);
    }

    /// Learns that a resource was destroyed.
    fn destroyed(&self, resource: ResourceHandle) {
        let _ = resource;
    }
}

/// A screen that puts a layer on each of its contexts.
pub struct LayerScreen<'c, 'm, S> {
    inner: &'c dyn Screen<'m>,
    layers: &'c S,
    memory: Memory<'c>,
    /// The number of the last context.
    contexts: Mutex<u64>,
}

impl<'c, 'm, S: Layers<'m>> LayerScreen<'c, 'm, S> {
    /// Puts layers on the contexts of a screen; `memory` holds the wrappers of contexts.
    pub fn new(screen: &'c dyn Screen<'m>, layers: &'c S, memory: Memory<'c>) -> Self {
        Self { inner: screen, layers, memory, contexts: Mutex::new(0) }
    }

    /// Passes the result of a call that creates a resource to the layers.
    fn created(
        &self,
        made: Result<ResourceHandle, PipeError>,
        template: &ResourceTemplate,
    ) -> Result<ResourceHandle, PipeError> {
        made.inspect(|resource| self.layers.created(*resource, template))
    }
}

impl<'m, S: Layers<'m>> Screen<'m> for LayerScreen<'_, 'm, S> {
    queries_passed_on!();
    caps_passed_on!();

    fn get_param(&self, cap: Cap) -> i32 {
        self.inner.get_param(cap)
    }

    fn can_create_resource(&self, template: &ResourceTemplate) -> bool {
        self.inner.can_create_resource(template)
    }

    fn resource_create(&self, template: &ResourceTemplate) -> Result<ResourceHandle, PipeError> {
        let template = self.layers.template(template);
        self.created(self.inner.resource_create(&template), &template)
    }

    fn resource_from_user_memory(
        &self,
        template: &ResourceTemplate,
        memory: &'m [u8],
    ) -> Result<ResourceHandle, PipeError> {
        self.created(self.inner.resource_from_user_memory(template, memory), template)
    }

    fn resource_destroy(&self, resource: ResourceHandle) -> Result<(), PipeError> {
        let gone = self.inner.resource_destroy(resource);
        gone.inspect(|()| self.layers.destroyed(resource))
    }

    fn resource_changed(&self, resource: ResourceHandle) -> Result<(), PipeError> {
        self.inner.resource_changed(resource)
    }

    #[cfg(feature = "desktop")]
    fn memobj_create_from_handle(
        &self,
        memory: Box<'m, dyn SharedMemory + 'm>,
    ) -> Result<MemoryObjectHandle, PipeError> {
        self.inner.memobj_create_from_handle(memory)
    }

    #[cfg(feature = "desktop")]
    fn memobj_destroy(&self, memory: MemoryObjectHandle) -> Result<(), PipeError> {
        self.inner.memobj_destroy(memory)
    }

    #[cfg(feature = "desktop")]
    fn resource_from_memobj(
        &self,
        template: &ResourceTemplate,
        memory: MemoryObjectHandle,
        offset: u64,
    ) -> Result<ResourceHandle, PipeError> {
        self.created(self.inner.resource_from_memobj(template, memory, offset), template)
    }

    #[cfg(feature = "desktop")]
    fn resource_get_handle(
        &self,
        context: Option<&mut dyn Context<'m>>,
        resource: ResourceHandle,
        kind: WinsysHandleType,
    ) -> Result<WinsysHandle, PipeError> {
        self.inner.resource_get_handle(context, resource, kind)
    }

    #[cfg(feature = "desktop")]
    fn resource_from_handle(
        &self,
        template: &ResourceTemplate,
        name: &WinsysHandle,
    ) -> Result<ResourceHandle, PipeError> {
        self.created(self.inner.resource_from_handle(template, name), template)
    }

    #[cfg(feature = "desktop")]
    fn create_fence_fd(
        &self,
        fence: Box<'m, dyn ExternalFence + 'm>,
        kind: FenceFdType,
    ) -> Result<FenceHandle, PipeError> {
        self.inner.create_fence_fd(fence, kind)
    }

    #[cfg(feature = "desktop")]
    fn fence_get_fd(
        &self,
        fence: FenceHandle,
        to: Box<'m, dyn ExternalFence + 'm>,
    ) -> Result<(), PipeError> {
        self.inner.fence_get_fd(fence, to)
    }

    #[cfg(feature = "desktop")]
    fn create_vertex_state(
        &self,
        template: &VertexStateTemplate<'_>,
    ) -> Result<VertexStateHandle, PipeError> {
        self.inner.create_vertex_state(template)
    }

    #[cfg(feature = "desktop")]
    fn vertex_state_destroy(&self, state: VertexStateHandle) -> Result<(), PipeError> {
        self.inner.vertex_state_destroy(state)
    }

    fn fence_finish(
        &self,
        context: Option<&mut dyn Context<'m>>,
        fence: FenceHandle,
        timeout_ns: u64,
    ) -> Result<bool, PipeError> {
        self.inner.fence_finish(context, fence, timeout_ns)
    }

    fn fence_destroy(&self, fence: FenceHandle) -> Result<(), PipeError> {
        self.inner.fence_destroy(fence)
    }

    fn context_create<'s>(
        &'s self,
        flags: ContextFlags,
    ) -> Result<Box<'s, dyn Context<'m> + 's>, PipeError>
    where
        'm: 's,
    {
        let made = self.inner.context_create(flags)?;
        if !self.layers.is_watching() {
            return Ok(made);
        }
        let number = {
            let mut contexts = self.contexts.lock();
            *contexts = contexts.saturating_add(1);
            *contexts
        };
        let layered = Box::try_new_in(Layered::new(made, self.layers.layer(number)), self.memory)?;
        Ok(os_shim::unsize_box!(layered))
    }
}
