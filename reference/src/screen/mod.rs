//! The screen: resources, contexts, and the answers to what the driver can do.

mod caps;
mod supported;

use std::sync::Arc;

use formats::Format;
use os_shim::Box;
use pipe_core::context::Context as PipeContext;
use pipe_core::{
    Bind, Cap, CapF, ComputeCap, ContextFlags, PipeError, ResourceFlags, ResourceHandle,
    ResourceTemplate, ShaderCap, ShaderType, TextureTarget,
};

pub(crate) use self::supported::is_supported;
use crate::context::Context;
use crate::device::{Config, Device};
use crate::resource::Resource;

/// The plain software device.
///
/// # Examples
/// ```
/// use gallium_reference::{Config, Screen};
/// use os_shim::Os;
/// use pipe_core::{Bind, Format, ResourceTemplate, Screen as _};
///
/// let screen = Screen::new(Os::host(), Config::default());
/// let template = ResourceTemplate::texture_2d(Format::R8Unorm, 4, 4, Bind::SAMPLER_VIEW);
/// let texture = screen.resource_create(&template)?;
/// assert_eq!(screen.resource_template(texture)?.width0, 4);
/// # Ok::<(), pipe_core::PipeError>(())
/// ```
#[derive(Debug)]
pub struct Screen<'m> {
    device: Device<'m>,
}

impl<'m> Screen<'m> {
    /// Makes a device without resources.
    pub fn new(os: os_shim::Os<'m>, config: Config) -> Self {
        Screen { device: Device::new(os, config) }
    }
}

/// Returns an error for templates of resources that the driver does not support.
fn check_template(template: &ResourceTemplate) -> Result<(), PipeError> {
    template.validate()?;
    let &ResourceTemplate { target, format, bind, flags, .. } = template;
    if flags.contains(ResourceFlags::SPARSE) {
        return Err(PipeError::Unsupported("SPARSE resources"));
    }
    if flags.contains(ResourceFlags::PALETTE) {
        return Err(PipeError::Unsupported("PALETTE resources"));
    }
    if target != TextureTarget::Buffer {
        for (what, size) in [("width0", template.width0), ("height0", template.height0)] {
            PipeError::at_most(what, size.into(), caps::MAX_TEXTURE_SIZE.into())?;
        }
    }
    if template.samples() > 1 && !supported::fits_samples(format, target, template.samples()) {
        return Err(PipeError::Unsupported("as many samples of this format or target"));
    }
    if template.storage_samples() != template.samples() {
        return Err(PipeError::Unsupported("fewer stored samples than samples"));
    }
    let supported = match target {
        // The format of a buffer is nominal: each use names its own.
        TextureTarget::Buffer => supported::BUFFER.contains(bind),
        _ => is_supported(format, target, bind),
    };
    if !supported {
        return Err(PipeError::UnsupportedFormat { format, usage: "the template's bindings" });
    }
    Ok(())
}

impl<'m> pipe_core::Screen<'m> for Screen<'m> {
    fn get_name(&self) -> &str {
        "gallium reference"
    }

    fn get_param(&self, cap: Cap) -> i32 {
        caps::param(cap)
    }

    fn get_paramf(&self, cap: CapF) -> f32 {
        caps::paramf(cap)
    }

    fn get_shader_param(&self, stage: ShaderType, cap: ShaderCap) -> i32 {
        caps::shader_param(stage, cap)
    }

    fn get_compute_param(&self, cap: ComputeCap) -> [u64; 3] {
        caps::compute_param(cap)
    }

    fn is_format_supported(
        &self,
        format: Format,
        target: TextureTarget,
        sample_count: u8,
        storage_sample_count: u8,
        bind: Bind,
    ) -> bool {
        let samples = sample_count.max(1);
        (storage_sample_count == 0 || storage_sample_count == samples)
            && (samples == 1 || supported::fits_samples(format, target, samples))
            && is_supported(format, target, bind)
    }

    fn can_create_resource(&self, template: &ResourceTemplate) -> bool {
        check_template(template).is_ok()
    }

    fn resource_create(&self, template: &ResourceTemplate) -> Result<ResourceHandle, PipeError> {
        check_template(template)?;
        self.device.insert(Resource::new(template, self.device.os.memory)?)
    }

    fn resource_from_user_memory(
        &self,
        template: &ResourceTemplate,
        memory: &'m [u8],
    ) -> Result<ResourceHandle, PipeError> {
        check_template(template)?;
        let drawn_to = Bind::RENDER_TARGET | Bind::DEPTH_STENCIL | Bind::STREAM_OUTPUT;
        if template.bind.intersects(drawn_to) {
            return Err(PipeError::Unsupported("drawing to user memory"));
        }
        self.device.insert(Resource::from_user(template, memory)?)
    }

    fn resource_destroy(&self, handle: ResourceHandle) -> Result<(), PipeError> {
        let removed: Option<Arc<Resource<'m>>> = self.device.resources.lock().remove(handle.raw());
        removed.map(|_| ()).ok_or_else(|| PipeError::stale(handle))
    }

    fn resource_template(&self, handle: ResourceHandle) -> Result<ResourceTemplate, PipeError> {
        self.device.resource(handle).map(|resource| resource.template)
    }

    fn get_timestamp(&self) -> u64 {
        self.device.os.clock.now_ns()
    }

    fn context_create<'s>(
        &'s self,
        _flags: ContextFlags,
    ) -> Result<Box<'s, dyn PipeContext<'m> + 's>, PipeError>
    where
        'm: 's,
    {
        let context = Box::try_new_in(Context::new(&self.device), self.device.os.memory)?;
        Ok(os_shim::unsize_box!(context))
    }
}
