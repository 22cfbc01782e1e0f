//! The screen: the part of a device that contexts share.

use formats::Format;
use os_shim::Box;

use crate::caps::{Cap, CapF, ComputeCap, ShaderCap};
use crate::context::Context;
use crate::error::PipeError;
use crate::flags::ContextFlags;
use crate::handle::{FenceHandle, ResourceHandle};
use crate::resource::{Bind, ResourceTemplate, TextureTarget};
use crate::shader::ShaderType;

/// A device. `pipe_screen`.
///
/// Its methods may be called from any thread, also while its contexts are in use in others.
/// `'m` is the lifetime of the memory it was given.
pub trait Screen<'m>: Sync {
    /// What the device calls itself.
    fn get_name(&self) -> &str;

    /// Who made the driver.
    fn get_vendor(&self) -> &str {
        "gallium"
    }

    /// Who made the device.
    fn get_device_vendor(&self) -> &str {
        self.get_vendor()
    }

    /// An integer or boolean capability.
    fn get_param(&self, cap: Cap) -> i32 {
        cap.default_value()
    }

    /// A float capability.
    fn get_paramf(&self, cap: CapF) -> f32 {
        cap.default_value()
    }

    /// A capability of a shader stage.
    fn get_shader_param(&self, stage: ShaderType, cap: ShaderCap) -> i32 {
        cap.default_value(stage)
    }

    /// A capability of compute programs; scalars in the first element.
    fn get_compute_param(&self, cap: ComputeCap) -> [u64; 3] {
        cap.default_value()
    }

    /// Whether resources of this kind can be used in all the ways of `bind`.
    ///
    /// Sample counts of 0 and 1 are not multisampled; `Format::None` with `RENDER_TARGET` asks
    /// about framebuffers without attachments.
    fn is_format_supported(
        &self,
        format: Format,
        target: TextureTarget,
        sample_count: u8,
        storage_sample_count: u8,
        bind: Bind,
    ) -> bool;

    /// Whether a resource could be made, without making it.
    fn can_create_resource(&self, template: &ResourceTemplate) -> bool {
        template.validate().is_ok()
    }

    /// Makes a resource. Its contents are zero.
    ///
    /// # Errors
    /// [`PipeError::Resource`]: the template is not valid, [`PipeError::UnsupportedFormat`],
    /// [`PipeError::OutOfMemory`].
    fn resource_create(&self, template: &ResourceTemplate) -> Result<ResourceHandle, PipeError>;

    /// Makes a resource of the caller's memory, which is read in place: textures and meshes in
    /// flash. It cannot be written. Layout as [`crate::resource::layout::Layout::of`] has it.
    ///
    /// # Errors
    /// As [`resource_create`](Self::resource_create); [`PipeError::Invalid`] when the memory is
    /// too small; [`PipeError::Unsupported`].
    fn resource_from_user_memory(
        &self,
        template: &ResourceTemplate,
        memory: &'m [u8],
    ) -> Result<ResourceHandle, PipeError> {
        let _ = (template, memory);
        Err(PipeError::Unsupported("resources in user memory"))
    }

    /// Takes a resource's name away. Its contents go when nothing uses them any more.
    ///
    /// # Errors
    /// The handle is stale.
    fn resource_destroy(&self, resource: ResourceHandle) -> Result<(), PipeError>;

    /// What a resource was made from.
    ///
    /// # Errors
    /// The handle is stale.
    fn resource_template(&self, resource: ResourceHandle) -> Result<ResourceTemplate, PipeError>;

    /// Tells that a resource's contents were changed from outside.
    ///
    /// # Errors
    /// The handle is stale.
    fn resource_changed(&self, resource: ResourceHandle) -> Result<(), PipeError> {
        self.resource_template(resource).map(|_| ())
    }

    /// The time, in nanoseconds, on the clock of timestamp queries. 0 without a clock.
    fn get_timestamp(&self) -> u64 {
        0
    }

    /// Waits for a fence, at most `timeout_ns` nanoseconds; whether it is signalled. Given the
    /// context of a deferred flush, that is flushed first.
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

    /// Takes a fence's name away.
    ///
    /// # Errors
    /// The handle is stale.
    fn fence_destroy(&self, fence: FenceHandle) -> Result<(), PipeError> {
        Err(PipeError::stale(fence))
    }

    /// Makes a context.
    ///
    /// # Errors
    /// [`PipeError::OutOfMemory`], or [`PipeError::Unsupported`] by the flags.
    fn context_create<'s>(
        &'s self,
        flags: ContextFlags,
    ) -> Result<Box<'s, dyn Context<'m> + 's>, PipeError>
    where
        'm: 's;
}
