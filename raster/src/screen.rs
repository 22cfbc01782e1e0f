//! The screen: what contexts share, and what the driver can do.

use formats::Format;
use os_shim::pool::{Pool, RawHandle};
use os_shim::sync::Mutex;
use os_shim::{Box, Os};
use pipe_core::context::Context as PipeContext;
use pipe_core::{
    Bind, Cap, CapF, ContextFlags, PipeError, ResourceHandle, ResourceTemplate, ShaderCap,
    ShaderType, TextureTarget,
};

use crate::caps;
use crate::context::Context;
use crate::debug::Debug;
use crate::depth;
use crate::features::{ALL_FORMATS, FRAGMENTS, TEXTURE_TARGETS};
use crate::lanes::UnormLayout;
use crate::profile::Profile;
use crate::resource::Resource;
#[cfg(spans)]
use crate::span::can_draw_to as spans_draw_to;

/// What a driver is made with, besides its profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// Bytes of each context's scene buffer; 0 is the profile's own number. A frame that does not
    /// fit is drawn in several passes, or, on a streamed surface, refused.
    pub scene_bytes: usize,
}

/// What contexts share, behind one lock.
#[derive(Debug)]
pub(crate) struct Shared<'m> {
    pub(crate) resources: Pool<'m, Resource<'m>>,
}

/// A software device.
///
/// # Examples
/// ```
/// use gallium_raster::{Config, Screen, Small};
/// use os_shim::Os;
/// use pipe_core::{Bind, ResourceTemplate, Screen as _};
///
/// let screen = Screen::<Small>::new(Os::host(), Config::default());
/// let template = ResourceTemplate::texture_2d(
///     formats::Format::B5G6R5Unorm, 320, 240, Bind::RENDER_TARGET,
/// );
/// let surface = screen.resource_create(&template)?;
/// assert_eq!(screen.resource_template(surface)?.width0, 320);
/// # Ok::<(), pipe_core::PipeError>(())
/// ```
#[derive(Debug)]
pub struct Screen<'m, P: Profile> {
    pub(crate) os: Os<'m>,
    pub(crate) config: Config,
    pub(crate) debug: Debug,
    pub(crate) shared: Mutex<Shared<'m>>,
    profile: core::marker::PhantomData<P>,
}

impl<'m, P: Profile> Screen<'m, P> {
    /// A device in these surroundings. Allocates nothing yet.
    pub fn new(os: Os<'m>, config: Config) -> Self {
        let shared = Mutex::new(Shared { resources: Pool::new_in(os.memory) });
        let debug = Debug::read(os.options);
        Screen { os, config, debug, shared, profile: core::marker::PhantomData }
    }

    /// A context of this device's own type, without a box around it.
    ///
    /// # Errors
    /// Out of memory for the scene, Draw's buffers or the workers' registers.
    pub fn context(&self) -> Result<Context<'_, 'm, P>, PipeError> {
        Ok(Context::new(self, Context::parts(self)?))
    }

    fn check_size(&self, template: &ResourceTemplate) -> Result<(), PipeError> {
        if template.target == TextureTarget::Buffer {
            return Ok(());
        }
        if !has_target(template.target) {
            return Err(PipeError::Unsupported("textures of this target"));
        }
        for (what, size) in [("width0", template.width0), ("height0", template.height0)] {
            PipeError::at_most(what, size.into(), P::MAX_TEXTURE_SIZE.into())?;
        }
        if !supported(template.format, template.bind) {
            return Err(PipeError::UnsupportedFormat {
                format: template.format,
                usage: "the template's bindings",
            });
        }
        Ok(())
    }

    fn insert(&self, resource: Resource<'m>) -> Result<ResourceHandle, PipeError> {
        let raw = self.shared.lock().resources.insert(resource).map_err(pool_error)?;
        Ok(ResourceHandle::new(raw))
    }
}

/// A pool's refusal as the contract's error.
pub(crate) fn pool_error(error: os_shim::pool::PoolError) -> PipeError {
    match error {
        os_shim::pool::PoolError::OutOfMemory(error) => error.into(),
        _ => PipeError::Unsupported("more objects than handles can name"),
    }
}

/// The resource that a handle names, if its user has not destroyed it.
pub(crate) fn resource<'a, 'm>(
    resources: &'a Pool<'m, Resource<'m>>,
    handle: ResourceHandle,
) -> Result<&'a Resource<'m>, PipeError> {
    resources
        .get(handle.raw())
        .filter(|resource| resource.named)
        .ok_or_else(|| PipeError::stale(handle))
}

/// Like [`resource`], to change it.
pub(crate) fn resource_mut<'a, 'm>(
    resources: &'a mut Pool<'m, Resource<'m>>,
    handle: ResourceHandle,
) -> Result<&'a mut Resource<'m>, PipeError> {
    resources
        .get_mut(handle.raw())
        .filter(|resource| resource.named)
        .ok_or_else(|| PipeError::stale(handle))
}

/// Adds a holder to a resource.
pub(crate) fn hold<'m>(resources: &mut Pool<'m, Resource<'m>>, handle: RawHandle) {
    if let Some(resource) = resources.get_mut(handle) {
        resource.hold();
    }
}

/// Takes a holder from a resource, and frees it if it was the last.
pub(crate) fn release<'m>(resources: &mut Pool<'m, Resource<'m>>, handle: RawHandle) {
    if resources.get_mut(handle).is_some_and(Resource::release) {
        resources.remove(handle);
    }
}

/// Whether textures have this target.
fn has_target(target: TextureTarget) -> bool {
    use TextureTarget::*;
    TEXTURE_TARGETS || matches!(target, Buffer | Texture2D | Rect)
}

/// The uses that need a colour drawn or sampled.
const COLOR: Bind = Bind::RENDER_TARGET
    .union(Bind::BLENDABLE)
    .union(Bind::SAMPLER_VIEW)
    .union(Bind::DISPLAY_TARGET)
    .union(Bind::SCANOUT);

/// Whether colours of the format can be drawn and sampled.
fn has_color(format: Format) -> bool {
    ALL_FORMATS || UnormLayout::of(format).is_some()
}

/// Whether colours of the format can be drawn: by spans alone, if there is nothing else.
fn has_target_color(format: Format) -> bool {
    FRAGMENTS || spans_draw_to(format)
}

/// Whether spans draw to targets of the format: there are none.
#[cfg(not(spans))]
fn spans_draw_to(_: Format) -> bool {
    false
}

/// Whether a format can be bound so.
fn supported(format: Format, bind: Bind) -> bool {
    if format == Format::None {
        return false;
    }
    if format.is_depth_or_stencil() {
        if !depth::is_supported(format) {
            return false;
        }
    } else if bind.intersects(COLOR) && !has_color(format) {
        return false;
    }
    let color = format.is_texel() && !format.is_depth_or_stencil() && format.block_bytes() <= 16;
    let drawn = color && has_target_color(format);
    if bind.intersects(Bind::RENDER_TARGET | Bind::BLENDABLE) && !drawn {
        return false;
    }
    // The depth buffer of a streamed surface is streamed with it.
    let depth = bind.contains(Bind::DEPTH_STENCIL) && format.is_depth_or_stencil();
    if bind.intersects(Bind::DISPLAY_TARGET | Bind::SCANOUT) && !color && !depth {
        return false;
    }
    if bind.contains(Bind::BLENDABLE) && format.is_pure_integer() {
        return false;
    }
    if bind.contains(Bind::DEPTH_STENCIL) && !format.is_depth_or_stencil() {
        return false;
    }
    if bind.contains(Bind::SAMPLER_VIEW) && !format.can_unpack() {
        return false;
    }
    if bind.contains(Bind::VERTEX_BUFFER) && !(color && draw::is_attribute(format)) {
        return false;
    }
    !bind.intersects(Bind::SHADER_IMAGE)
}

impl<'m, P: Profile> pipe_core::Screen<'m> for Screen<'m, P> {
    fn get_name(&self) -> &str {
        P::NAME
    }

    fn get_param(&self, cap: Cap) -> i32 {
        caps::param::<P>(cap)
    }

    fn get_paramf(&self, cap: CapF) -> f32 {
        caps::paramf(cap)
    }

    fn get_shader_param(&self, stage: ShaderType, cap: ShaderCap) -> i32 {
        caps::shader_param(stage, cap)
    }

    fn is_format_supported(
        &self,
        format: Format,
        target: TextureTarget,
        sample_count: u8,
        storage_sample_count: u8,
        bind: Bind,
    ) -> bool {
        sample_count <= 1
            && storage_sample_count <= 1
            && has_target(target)
            && supported(format, bind)
    }

    fn can_create_resource(&self, template: &ResourceTemplate) -> bool {
        template.validate().is_ok() && template.samples() == 1 && self.check_size(template).is_ok()
    }

    fn resource_create(&self, template: &ResourceTemplate) -> Result<ResourceHandle, PipeError> {
        template.validate()?;
        self.check_size(template)?;
        self.insert(Resource::new(template, self.os.memory)?)
    }

    fn resource_from_user_memory(
        &self,
        template: &ResourceTemplate,
        memory: &'m [u8],
    ) -> Result<ResourceHandle, PipeError> {
        template.validate()?;
        self.check_size(template)?;
        let drawn_to = Bind::RENDER_TARGET | Bind::DEPTH_STENCIL | Bind::STREAM_OUTPUT;
        if template.bind.intersects(drawn_to) {
            return Err(PipeError::Unsupported("drawing to user memory"));
        }
        self.insert(Resource::from_user(template, memory, self.os.memory)?)
    }

    fn resource_destroy(&self, handle: ResourceHandle) -> Result<(), PipeError> {
        let mut shared = self.shared.lock();
        resource_mut(&mut shared.resources, handle)?.named = false;
        release(&mut shared.resources, handle.raw());
        Ok(())
    }

    fn resource_template(&self, handle: ResourceHandle) -> Result<ResourceTemplate, PipeError> {
        resource(&self.shared.lock().resources, handle).map(|resource| resource.template)
    }

    fn get_timestamp(&self) -> u64 {
        self.os.clock.now_ns()
    }

    fn context_create<'s>(
        &'s self,
        _flags: ContextFlags,
    ) -> Result<Box<'s, dyn PipeContext<'m> + 's>, PipeError>
    where
        'm: 's,
    {
        let parts = Context::parts(self)?;
        let context = Box::try_new_in(Context::new(self, parts), self.os.memory)?;
        Ok(os_shim::unsize_box!(context))
    }
}
