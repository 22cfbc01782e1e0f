//! The screen: the part of a device that its contexts share (manual, chapter "Screen").

use formats::Format;
use os_shim::Box;

use crate::caps::{Cap, CapF, ComputeCap, ShaderCap};
use crate::context::Context;
use crate::error::PipeError;
use crate::flags::ContextFlags;
use crate::handle::{FenceHandle, ResourceHandle};
use crate::resource::{Bind, ResourceTemplate, TextureTarget};
use crate::shader::ShaderType;
#[cfg(feature = "desktop")]
use crate::{
    context::unsupported,
    desktop::VertexStateTemplate,
    handle::{MemoryObjectHandle, VertexStateHandle},
    sharing::{FenceFdType, WinsysHandle, WinsysHandleType},
};
#[cfg(feature = "desktop")]
use os_shim::sharing::{ExternalFence, SharedMemory};

/// A device: reports capabilities, owns resources and fences, creates contexts. `pipe_screen`.
///
/// All methods may be called from any thread, even while other threads use contexts of the screen.
/// `'m` is the lifetime of the screen's memory.
///
/// ```
/// use gallium_pipe_core::wrap::NullScreen;
/// use gallium_pipe_core::*;
/// use os_shim::Memory;
///
/// fn upload<'m>(screen: &dyn Screen<'m>) -> Result<(), PipeError> {
///     assert!(screen.get_param(Cap::MaxTexture2dSize) >= 64);
///     let template = ResourceTemplate::texture_2d(Format::L8Unorm, 2, 2, Bind::SAMPLER_VIEW);
///     let texture = screen.resource_create(&template)?;
///     let region = template.level_region(0).ok_or(PipeError::Invalid("level 0"))?;
///
///     let mut context = screen.context_create(ContextFlags::empty())?;
///     let texels = [0, 255, 255, 0];
///     context.texture_subdata(texture, 0, MapFlags::WRITE, &region, &texels, 2, 4)?;
///     context.flush(FlushFlags::empty())?;
///     drop(context);
///     screen.resource_destroy(texture)
/// }
///
/// upload(&NullScreen::new(Memory::system()))?; // or any driver's screen
/// # Ok::<(), PipeError>(())
/// ```
pub trait Screen<'m>: Sync {
    /// Returns the name of the device, for display.
    fn get_name(&self) -> &str;

    /// Returns the vendor of the driver.
    fn get_vendor(&self) -> &str {
        "gallium"
    }

    /// Returns the vendor of the device.
    fn get_device_vendor(&self) -> &str {
        self.get_vendor()
    }

    /// Returns an integer or boolean capability; by default [`Cap::default_value`].
    fn get_param(&self, cap: Cap) -> i32 {
        cap.default_value()
    }

    /// Returns a float capability; by default [`CapF::default_value`].
    fn get_paramf(&self, cap: CapF) -> f32 {
        cap.default_value()
    }

    /// Returns a capability of one shader stage; by default [`ShaderCap::default_value`].
    fn get_shader_param(&self, stage: ShaderType, cap: ShaderCap) -> i32 {
        cap.default_value(stage)
    }

    /// Returns a capability of compute programs, with a scalar in the first element; by default
    /// [`ComputeCap::default_value`].
    fn get_compute_param(&self, cap: ComputeCap) -> [u64; 3] {
        cap.default_value()
    }

    /// Returns true if resources of this format, target and sample counts support all uses in
    /// `bind` at once.
    ///
    /// Sample counts of 0 and 1 mean one sample. `Format::None` with `RENDER_TARGET` queries
    /// framebuffers without attachments.
    fn is_format_supported(
        &self,
        format: Format,
        target: TextureTarget,
        sample_count: u8,
        storage_sample_count: u8,
        bind: Bind,
    ) -> bool;

    /// Returns true if [`resource_create`](Self::resource_create) would accept the template, if
    /// memory allows.
    fn can_create_resource(&self, template: &ResourceTemplate) -> bool {
        template.validate().is_ok()
    }

    /// Creates a resource. Its contents are zero.
    ///
    /// # Errors
    /// [`PipeError::Resource`]: the template is not valid, [`PipeError::UnsupportedFormat`],
    /// [`PipeError::OutOfMemory`].
    fn resource_create(&self, template: &ResourceTemplate) -> Result<ResourceHandle, PipeError>;

    /// Creates a resource over user memory, which the driver reads in place: textures and meshes in
    /// flash. It cannot be written. `memory` has the layout of
    /// [`Layout::of`](crate::layout::Layout::of).
    ///
    /// As for [`resource_create`](Self::resource_create); [`PipeError::Invalid`] if the memory is
    /// too small; [`PipeError::Unsupported`].
    fn resource_from_user_memory(
        &self,
        template: &ResourceTemplate,
        memory: &'m [u8],
    ) -> Result<ResourceHandle, PipeError> {
        let _ = (template, memory);
        Err(PipeError::Unsupported("resources in user memory"))
    }

    /// Destroys a resource's handle. The contents stay until no view, binding or pending draw uses
    /// them.
    ///
    /// # Errors
    /// The handle is stale.
    fn resource_destroy(&self, resource: ResourceHandle) -> Result<(), PipeError>;

    /// Returns the template that a resource was created from.
    ///
    /// # Errors
    /// The handle is stale.
    fn resource_template(&self, resource: ResourceHandle) -> Result<ResourceTemplate, PipeError>;

    /// Announces that the contents of a resource were changed from outside, so that the driver
    /// reads them again.
    ///
    /// # Errors
    /// The handle is stale; [`PipeError::Invalid`]: the imported memory is gone.
    fn resource_changed(&self, resource: ResourceHandle) -> Result<(), PipeError> {
        self.resource_template(resource).map(|_| ())
    }

    /// Creates a memory object from memory outside of the device, which may be shared with other
    /// devices and processes: any file, including files in RAM ([`os_shim::sharing`]). `memory` is
    /// dropped when the object and all resources over it are gone.
    ///
    /// # Errors
    /// [`PipeError::OutOfMemory`], or [`PipeError::Unsupported`] (cap `Memobj`).
    #[cfg(feature = "desktop")]
    fn memobj_create_from_handle(
        &self,
        memory: Box<'m, dyn SharedMemory + 'm>,
    ) -> Result<MemoryObjectHandle, PipeError> {
        drop(memory);
        unsupported("memory objects")
    }

    /// Destroys a memory object's handle. Resources over it stay.
    ///
    /// # Errors
    /// The handle is stale.
    #[cfg(feature = "desktop")]
    fn memobj_destroy(&self, memory: MemoryObjectHandle) -> Result<(), PipeError> {
        Err(PipeError::stale(memory))
    }

    /// Creates a resource over imported memory, from `offset` bytes on, in the layout of
    /// [`Layout::of`](crate::layout::Layout::of).
    ///
    /// It keeps the contents of the memory. Other processes may write the memory at any time, so
    /// the driver draws with a copy: [`resource_changed`](Self::resource_changed) copies in, and
    /// [`flush_resource`](crate::context::Flushing::flush_resource) copies out.
    ///
    /// # Errors
    /// As for [`resource_create`](Self::resource_create); [`PipeError::OutOfRange`]: the resource
    /// ends beyond the memory; [`PipeError::Invalid`]: the memory is gone.
    #[cfg(feature = "desktop")]
    fn resource_from_memobj(
        &self,
        template: &ResourceTemplate,
        memory: MemoryObjectHandle,
        offset: u64,
    ) -> Result<ResourceHandle, PipeError> {
        let _ = (template, offset);
        Err(PipeError::stale(memory))
    }

    /// Returns a name of a resource for [`resource_from_handle`](Self::resource_from_handle). With
    /// a context, flushes its draws first.
    ///
    /// # Errors
    /// The handle is stale; [`PipeError::Unsupported`] for names of this kind; errors of a flush.
    #[cfg(feature = "desktop")]
    fn resource_get_handle(
        &self,
        context: Option<&mut dyn Context<'m>>,
        resource: ResourceHandle,
        kind: WinsysHandleType,
    ) -> Result<WinsysHandle, PipeError> {
        let _ = (context, resource, kind);
        unsupported("names of resources")
    }

    /// Returns a handle of the resource with this name. Destroy it like any handle; the resource
    /// stays until all of its handles are destroyed.
    ///
    /// # Errors
    /// [`PipeError::Invalid`]: no resource has this name, or its size, format or layout differ from
    /// `template`; [`PipeError::Unsupported`] for names of this kind.
    #[cfg(feature = "desktop")]
    fn resource_from_handle(
        &self,
        template: &ResourceTemplate,
        name: &WinsysHandle,
    ) -> Result<ResourceHandle, PipeError> {
        let _ = (template, name);
        unsupported("names of resources")
    }

    /// Creates a fence from a fence outside of the device. In Gallium this is a call of the
    /// context.
    ///
    /// # Errors
    /// [`PipeError::OutOfMemory`], or [`PipeError::Unsupported`].
    #[cfg(feature = "desktop")]
    fn create_fence_fd(
        &self,
        fence: Box<'m, dyn ExternalFence + 'm>,
        kind: FenceFdType,
    ) -> Result<FenceHandle, PipeError> {
        let _ = kind;
        drop(fence);
        unsupported("fences from outside")
    }

    /// Signals `to` when a fence of a flush is signalled, or at once if it already is. In Gallium
    /// the driver creates the descriptor; here the caller does, of the kind that the system has.
    ///
    /// # Errors
    /// The handle is stale; [`PipeError::Unsupported`]: the fence is an external one itself.
    #[cfg(feature = "desktop")]
    fn fence_get_fd(
        &self,
        fence: FenceHandle,
        to: Box<'m, dyn ExternalFence + 'm>,
    ) -> Result<(), PipeError> {
        let _ = fence;
        drop(to);
        unsupported("fences for others")
    }

    /// Creates a vertex state, which holds its buffers.
    ///
    /// # Errors
    /// A buffer's handle is stale; [`PipeError::Invalid`]: [`VertexStateTemplate::fault`];
    /// [`PipeError::OutOfMemory`], or [`PipeError::Unsupported`] (cap `DrawVertexState`).
    #[cfg(feature = "desktop")]
    fn create_vertex_state(
        &self,
        template: &VertexStateTemplate<'_>,
    ) -> Result<VertexStateHandle, PipeError> {
        let _ = template;
        unsupported("vertex states")
    }

    /// Destroys a vertex state.
    ///
    /// # Errors
    /// The handle is stale.
    #[cfg(feature = "desktop")]
    fn vertex_state_destroy(&self, state: VertexStateHandle) -> Result<(), PipeError> {
        Err(PipeError::stale(state))
    }

    /// Returns width, height and depth in texels of a page of sparse textures; `None` if such
    /// textures cannot be sparse. [`resource_commit`](crate::context::Transfers::resource_commit)
    /// takes whole pages.
    ///
    /// Levels smaller than a page in some direction, and all levels after them, are the mip tail. A
    /// commit of one whole level of the tail commits all of them, for the same layers.
    #[cfg(feature = "desktop")]
    fn get_sparse_texture_virtual_page_size(
        &self,
        target: TextureTarget,
        multi_sample: bool,
        format: Format,
    ) -> Option<[u32; 3]> {
        let _ = (target, multi_sample, format);
        None
    }

    /// Returns true if compute programs copy such a box faster than
    /// [`resource_copy_region`](crate::context::Blitting::resource_copy_region) and blits do. `cpu`
    /// is true if the copy is for the CPU.
    #[cfg(feature = "desktop")]
    fn is_compute_copy_faster(&self, from: Format, to: Format, size: [u32; 3], cpu: bool) -> bool {
        let _ = (from, to, size, cpu);
        false
    }

    /// Returns the numbers of pixels, across and down, with separate sample locations in
    /// [`set_sample_locations`](crate::context::Parameters::set_sample_locations). The pattern
    /// repeats after them.
    #[cfg(feature = "desktop")]
    fn get_sample_pixel_grid(&self, sample_count: u8) -> [u32; 2] {
        let _ = sample_count;
        [1, 1]
    }

    /// Returns whether a format supports the layout of a DRM modifier (cap `Dmabuf`): `None` if
    /// not; otherwise true if only for external textures.
    #[cfg(feature = "desktop")]
    fn is_dmabuf_modifier_supported(&self, modifier: u64, format: Format) -> Option<bool> {
        let _ = (modifier, format);
        None
    }

    /// Returns the memory of the device; `None` if the driver knows no limit.
    #[cfg(feature = "diagnostics")]
    fn query_memory_info(&self) -> Option<crate::diagnostics::MemoryInfo> {
        None
    }

    /// Returns the UUID of the device; devices with equal output have equal UUIDs.
    #[cfg(feature = "diagnostics")]
    fn get_device_uuid(&self) -> [u8; 16] {
        crate::diagnostics::uuid_of(self.get_name())
    }

    /// Returns the UUID of the driver; builds with compatible memory formats have equal UUIDs.
    #[cfg(feature = "diagnostics")]
    fn get_driver_uuid(&self) -> [u8; 16] {
        crate::diagnostics::uuid_of(self.get_vendor())
    }

    /// Returns the driver-specific queries. The position of a query is its index in
    /// [`create_query`](crate::context::Queries::create_query).
    #[cfg(feature = "desktop")]
    fn get_driver_query_info(&self) -> &[crate::DriverQueryInfo] {
        &[]
    }

    /// Returns the groups of the driver's queries.
    #[cfg(feature = "desktop")]
    fn get_driver_query_group_info(&self) -> &[crate::DriverQueryGroupInfo] {
        &[]
    }

    /// Returns the time on the clock of timestamp queries, in nanoseconds; 0 without a clock.
    fn get_timestamp(&self) -> u64 {
        0
    }

    /// Waits for a fence, at most `timeout_ns` nanoseconds, and returns true if it is signalled.
    /// With the context of a deferred flush, that context is flushed first.
    ///
    /// # Errors
    /// The handle is stale.
    fn fence_finish(
        &self,
        context: Option<&mut dyn Context<'m>>,
        fence: FenceHandle,
        timeout_ns: u64,
    ) -> Result<bool, PipeError> {
        let _ = (context, timeout_ns);
        Err(PipeError::stale(fence))
    }

    /// Destroys a fence's handle. Call it once per flush that returned the handle.
    ///
    /// # Errors
    /// The handle is stale.
    fn fence_destroy(&self, fence: FenceHandle) -> Result<(), PipeError> {
        Err(PipeError::stale(fence))
    }

    /// Creates a context.
    ///
    /// # Errors
    /// [`PipeError::OutOfMemory`], or [`PipeError::Unsupported`] because of the flags.
    fn context_create<'s>(
        &'s self,
        flags: ContextFlags,
    ) -> Result<Box<'s, dyn Context<'m> + 's>, PipeError>
    where
        'm: 's;
}
