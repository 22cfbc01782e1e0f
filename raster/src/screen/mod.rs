//! The screen: creates resources and contexts, and reports caps.

#[cfg(feature = "any-profile")]
mod any_profile;
#[cfg(all(feature = "std", feature = "desktop", feature = "compile"))]
mod boxed;
mod caps;
#[cfg(feature = "desktop")]
mod sharing;
mod supported;

use core::alloc::Layout as BlockLayout;

use formats::Format;
#[cfg(feature = "desktop")]
use os_shim::sharing::{ExternalFence, SharedMemory};
#[cfg(flights)]
use os_shim::threads::Background;
use os_shim::{Box, Os};
use pipe_core::context::Context as PipeContext;
use pipe_core::layout::Layout;
use pipe_core::{
    Bind, Cap, CapF, ContextFlags, PipeError, ResourceFlags, ResourceHandle, ResourceTemplate,
    ShaderCap, ShaderType, TextureTarget,
};
#[cfg(feature = "desktop")]
use pipe_core::{
    FenceFdType, MemoryObjectHandle, VertexStateHandle, VertexStateTemplate, WinsysHandle,
    WinsysHandleType,
};
#[cfg(feature = "desktop")]
use pipe_core::{FenceHandle, FlushFlags};

#[cfg(feature = "any-profile")]
pub use self::any_profile::AnyProfile;
use self::supported::{
    check_palette, draws_without_attachments, fits_samples, has_bindings, has_target, is_palette,
    is_supported,
};
use crate::context::Context;
use crate::device::{Config, Device, Lendable, pool_error, release, resource, resource_mut};
use crate::features::{
    CHECK, DESKTOP, OWN_MEMORY, PALETTES, SHADER_MEMORY, STATE_CHECKS, TEXTURES,
};
use crate::frame::NO_MEMORY_SURFACES;
use crate::profile::Profile;
#[cfg(feature = "desktop")]
use crate::resource::page_size;
use crate::resource::{NO_TEXTURES, Resource, can_be_sparse};
use crate::submit::{Launch, Parts, check_context};

/// Flags of contexts that the driver, or this build of it, does not support. Priorities and
/// `PREFER_THREADED` are hints and change nothing here.
const LACKING_FLAGS: ContextFlags = ContextFlags::PROTECTED
    .union(ContextFlags::DEBUG)
    .union(if SHADER_MEMORY { ContextFlags::empty() } else { ContextFlags::COMPUTE_ONLY });

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
pub struct Screen<'m, P: Profile> {
    device: Lendable<'m, Device<'m>>,
    #[cfg(flights)]
    background: Option<Box<'m, dyn Background<'m> + 'm>>,
    profile: core::marker::PhantomData<P>,
}

impl<P: Profile> core::fmt::Debug for Screen<'_, P> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Screen").field("device", &self.device).finish_non_exhaustive()
    }
}

impl<'m, P: Profile> Screen<'m, P> {
    /// Makes a device. It allocates nothing until a resource or a context is made.
    pub fn new(os: Os<'m>, config: Config) -> Self {
        Self::of(Device::new(os, config))
    }

    #[inline(always)]
    fn of(device: Device<'m>) -> Self {
        Screen {
            device: Lendable::Own(device),
            #[cfg(flights)]
            background: None,
            profile: core::marker::PhantomData,
        }
    }

    /// Makes a device that spends the work of its draws, clears and blits from `budget`. When the
    /// budget refuses, the command ends with [`PipeError::Stopped`].
    ///
    /// A stopped command leaves any part of its result in its surfaces, and draws since the last
    /// flush may be lost with it. Everything else stays as it was, and later commands work within a
    /// new budget.
    #[cfg(feature = "desktop")]
    pub fn with_budget(
        os: Os<'m>,
        config: Config,
        budget: &'m dyn os_shim::budget::Budget,
    ) -> Self {
        let mut device = Device::new(os, config);
        device.work = device.work.within(budget);
        Self::of(device)
    }

    /// Makes `generator` compile shaders that are created from now on as text or tokens to machine
    /// code, where it can. Pixels stay the same.
    #[cfg(feature = "compile")]
    #[must_use]
    pub fn with_generator(mut self, generator: &'m dyn tgsi::exec::Generate) -> Self {
        // Only flights of contexts hold the device, and a context borrows the screen, so it cannot
        // move here.
        if let Some(device) = self.device.get_mut() {
            device.generator = Some(generator);
        }
        self
    }

    /// Lets `background` finish the work of a flush or of a framebuffer after the call has
    /// returned. A flush with `ASYNC` and a change of the framebuffer return early; fences are
    /// signalled when the work is done. Results stay the same. A device with one worker ignores
    /// `background`.
    ///
    /// If the budget refuses the background work, the flush in progress ends. The next call that
    /// waits for it returns the error.
    ///
    /// # Errors
    /// Out of memory.
    ///
    /// # Examples
    /// ```
    /// use gallium_raster::{Config, Host, Screen};
    /// use os_shim::{Os, threads::BackgroundThread};
    /// use pipe_core::{ContextFlags, FlushFlags, Screen as _};
    ///
    /// let thread = BackgroundThread::start("flushes")?;
    /// let screen = Screen::<Host>::new(Os::host(), Config::default()).with_background(thread)?;
    /// let mut context = screen.context_create(ContextFlags::empty())?;
    /// let fence = context.flush(FlushFlags::ASYNC)?.expect("a fence was asked for");
    /// assert_eq!(screen.fence_finish(None, fence, u64::MAX), Ok(true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(flights)]
    pub fn with_background(
        mut self,
        background: impl Background<'m> + 'm,
    ) -> Result<Self, PipeError> {
        let os = self.device.os;
        if os.threads.count() > 1 {
            self.device = self.device.into_lent(os.memory)?;
            self.background = Some(os_shim::unsize_box!(Box::try_new_in(background, os.memory)?));
        }
        Ok(self)
    }

    /// Returns the means to return early from flushes of a context, if the screen has a background.
    #[cfg(flights)]
    fn launch(&self) -> Launch<'_, 'm> {
        match (&self.background, &self.device) {
            (Some(background), Lendable::Lent(device)) => Some((&**background, device.clone())),
            _ => None,
        }
    }

    /// Returns nothing: contexts finish their work themselves.
    #[cfg(not(flights))]
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "with the features it has a background")]
    fn launch(&self) -> Launch<'_, 'm> {
        core::marker::PhantomData
    }

    /// Makes a context of this device's concrete type, without a box around it.
    ///
    /// With the concrete type the linker removes unused calls. Behind `dyn Context` all calls stay
    /// in the program.
    ///
    /// # Errors
    /// Out of memory for the scene, Draw's buffers or the workers' registers.
    pub fn context(&self) -> Result<Context<'_, 'm, P>, PipeError> {
        Ok(Context::new(&self.device, Parts::new(&self.device)?, self.launch()))
    }

    /// Makes a context of this device's concrete type, boxed in the device's memory: see
    /// [`context`](Self::context).
    ///
    /// With the feature `check` the type is a [`Check`](pipe_core::wrap::Check), which checks every
    /// call and reports draws that show nothing.
    ///
    /// # Errors
    /// The errors of [`context`](Self::context); flags that this build does not support. `DEBUG` is
    /// one of them: the feature `check` decides whether calls to this type of context are checked.
    #[cfg(not(feature = "check"))]
    #[inline(always)]
    pub fn boxed_context(
        &self,
        flags: ContextFlags,
    ) -> Result<Box<'_, Context<'_, 'm, P>>, PipeError> {
        self.plain_context(flags)
    }

    /// Makes a context that checks every call and reports draws that show nothing, boxed in the
    /// device's memory. Without the feature `check` it is the driver's own context.
    ///
    /// # Errors
    /// The errors of [`context`](Self::context); flags that this build does not support.
    #[cfg(feature = "check")]
    pub fn boxed_context(
        &self,
        flags: ContextFlags,
    ) -> Result<Box<'_, crate::checked::Context<'_, 'm, P>>, PipeError> {
        let plain: Box<'_, dyn PipeContext<'m> + '_> =
            os_shim::unsize_box!(self.plain_context(flags)?);
        let memory = self.device.os.memory;
        Ok(Box::try_new_in(pipe_core::wrap::Check::new(plain, self, memory), memory)?)
    }

    /// Returns the features that draws used so far, that refused calls named, and that are linked in
    /// vain. Print it after a frame of a host run with the firmware's features:
    ///
    /// ```ignore
    /// print!("{}", screen.feature_report());
    /// ```
    #[cfg(feature = "check")]
    pub fn feature_report(&self) -> crate::FeatureReport {
        self.device.report.get().map_or_else(Default::default, |report| *report.lock())
    }

    // Kept out of line, so that the context, which moves into the box, is not on the caller's
    // stack.
    #[inline(never)]
    fn plain_context(&self, flags: ContextFlags) -> Result<Box<'_, Context<'_, 'm, P>>, PipeError> {
        if flags.intersects(LACKING_FLAGS) {
            return Err(PipeError::Unsupported("PROTECTED, COMPUTE_ONLY or DEBUG contexts"));
        }
        if CHECK {
            check_context::<P>(&self.device, BlockLayout::new::<Context<'_, '_, P>>())?;
        }
        let parts = Parts::<P>::new(&self.device)?;
        let mut context = Box::try_new_in(
            Context::new(&self.device, parts, self.launch()),
            self.device.os.memory,
        )?;
        context.set_flags(flags);
        Ok(context)
    }

    /// Checks that a texture with memory is not larger than the caps say. On a board the heap is
    /// the tighter limit.
    fn check_size(&self, template: &ResourceTemplate, layout: &Layout) -> Result<(), PipeError> {
        let apart = ResourceFlags::STREAMED.union(ResourceFlags::SPARSE);
        if !STATE_CHECKS || template.is_buffer() || template.flags.intersects(apart) {
            return Ok(());
        }
        let mebibytes = (layout.total() as u64).div_ceil(1 << 20);
        let most = caps::param::<P>(Cap::MaxTextureMb).max(0).unsigned_abs();
        PipeError::at_most("the texture's size in MiB", mebibytes, most.into())
    }

    fn check_template(&self, template: &ResourceTemplate) -> Result<(), PipeError> {
        let &ResourceTemplate { target, format, bind, .. } = template;
        let is_refused = !DESKTOP || !can_be_sparse(template);
        let sparse = if is_refused { ResourceFlags::SPARSE } else { ResourceFlags::empty() };
        let palette = if PALETTES { ResourceFlags::empty() } else { ResourceFlags::PALETTE };
        let refused = sparse.union(palette).union(ResourceFlags::ENCRYPTED);
        if template.flags.intersects(refused) {
            let has = |flag| (STATE_CHECKS || CHECK) && template.flags & refused == flag;
            return Err(PipeError::Unsupported(if has(ResourceFlags::SPARSE) {
                "SPARSE resources of this target, format or binding (without `desktop` of any)"
            } else if has(ResourceFlags::PALETTE) {
                "palettes (the feature `spans-all` has them)"
            } else {
                "ENCRYPTED, SPARSE or PALETTE"
            }));
        }
        if !TEXTURES && bind.contains(Bind::SAMPLER_VIEW) {
            return Err(NO_TEXTURES);
        }
        let supported = if target == TextureTarget::Buffer {
            // The format of a buffer is nominal: each use of the buffer names a format.
            !STATE_CHECKS || has_bindings(target, bind)
        } else {
            if !has_target(target) {
                return Err(PipeError::Unsupported("textures of this target"));
            }
            for (what, size) in [("width0", template.width0), ("height0", template.height0)] {
                PipeError::at_most(what, size.into(), P::MAX_TEXTURE_SIZE.into())?;
            }
            if is_palette(template) {
                return check_palette(template);
            }
            if template.samples() > 1 && !fits_samples(format, target, template.samples(), bind) {
                return Err(PipeError::Unsupported("as many samples of this format or target"));
            }
            is_supported(format, target, bind)
        };
        if !supported {
            let usage = "the template's bindings (features `all-formats`, `fragments` and spans add formats)";
            return Err(PipeError::UnsupportedFormat { format, usage });
        }
        Ok(())
    }

    /// Flushes a context for a caller that waits for its fence, if the work has not begun or the
    /// caller waits without a timeout. In the second case the context does the work that no thread
    /// has begun.
    ///
    /// # Errors
    /// The errors of the flush.
    #[cfg(feature = "desktop")]
    fn flush_for(
        &self,
        context: &mut dyn PipeContext<'m>,
        fence: FenceHandle,
        timeout_ns: u64,
    ) -> Result<(), PipeError> {
        let for_ever = timeout_ns == u64::MAX;
        #[cfg(flights)]
        if !for_ever && self.device.is_under_way(fence)? {
            return Ok(());
        }
        let _ = fence;
        let flags = if for_ever { FlushFlags::empty() } else { FlushFlags::ASYNC };
        if let Some(unused) = context.flush(flags)? {
            // A wrapper may have other handles, and an unused fence does no harm.
            let _ = self.device.destroy_fence(unused);
        }
        Ok(())
    }

    fn insert(&self, resource: Resource<'m>) -> Result<ResourceHandle, PipeError> {
        let raw = self.device.shared.lock().resources.insert(resource).map_err(pool_error)?;
        Ok(ResourceHandle::new(raw))
    }
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

    #[cfg(feature = "shader-memory")]
    fn get_compute_param(&self, cap: pipe_core::ComputeCap) -> [u64; 3] {
        caps::compute_param::<P>(cap, self.device.os.threads.count())
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
        let stored = storage_sample_count == 0 || storage_sample_count == samples;
        if STATE_CHECKS && format == Format::None {
            return stored && draws_without_attachments(target, samples, bind);
        }
        stored
            && (samples == 1 || fits_samples(format, target, samples, bind))
            && has_target(target)
            && is_supported(format, target, bind)
    }

    #[cfg(feature = "desktop")]
    fn get_sparse_texture_virtual_page_size(
        &self,
        target: TextureTarget,
        multi_sample: bool,
        format: Format,
    ) -> Option<[u32; 3]> {
        if multi_sample { None } else { page_size(target, format) }
    }

    fn can_create_resource(&self, template: &ResourceTemplate) -> bool {
        let Ok(layout) = Resource::layout(template) else { return false };
        let memory = self.device.os.memory.usage();
        let left = memory.capacity.map_or(usize::MAX, |all| all.saturating_sub(memory.used));
        // Pages of sparse resources get memory later.
        let is_sparse = template.flags.contains(ResourceFlags::SPARSE);
        let stored = if template.is_streamed() || is_sparse { 0 } else { layout.total() };
        template.validate().is_ok()
            && stored <= left
            && (OWN_MEMORY || template.is_streamed() || is_palette(template))
            && self.check_template(template).is_ok()
            && self.check_size(template, &layout).is_ok()
    }

    fn resource_create(&self, template: &ResourceTemplate) -> Result<ResourceHandle, PipeError> {
        let layout = Resource::layout(template)?;
        self.device.note_refusal(self.check_template(template))?;
        self.device.note_used(|| supported::needs(template));
        self.check_size(template, &layout)?;
        if is_palette(template) {
            return Err(PipeError::Unsupported(
                "a palette outside of user memory (resource_from_user_memory takes it)",
            ));
        }
        if !OWN_MEMORY && !template.is_streamed() {
            return self.device.note_refusal(Err(NO_MEMORY_SURFACES));
        }
        self.insert(Resource::new(template, &layout, self.device.os.memory)?)
    }

    fn resource_from_user_memory(
        &self,
        template: &ResourceTemplate,
        memory: &'m [u8],
    ) -> Result<ResourceHandle, PipeError> {
        let layout = Resource::layout(template)?;
        self.device.note_refusal(self.check_template(template))?;
        self.device.note_used(|| supported::needs(template));
        let drawn_to = Bind::RENDER_TARGET | Bind::DEPTH_STENCIL | Bind::STREAM_OUTPUT;
        if template.bind.intersects(drawn_to) {
            return Err(PipeError::Unsupported("drawing to user memory"));
        }
        if DESKTOP && template.flags.contains(ResourceFlags::SPARSE) {
            return Err(PipeError::Unsupported("SPARSE user memory"));
        }
        self.insert(Resource::from_user(template, &layout, memory, self.device.os.memory)?)
    }

    fn resource_destroy(&self, handle: ResourceHandle) -> Result<(), PipeError> {
        let mut shared = self.device.shared.lock();
        let destroyed = resource_mut(&mut shared.resources, handle)?;
        if let Some(others) = destroyed.other_names.get_mut()
            && *others > 0
        {
            *others -= 1;
            return Ok(());
        }
        destroyed.named = false;
        release(&mut shared.resources, handle.raw());
        Ok(())
    }

    fn resource_template(&self, handle: ResourceHandle) -> Result<ResourceTemplate, PipeError> {
        resource(&self.device.shared.lock().resources, handle).map(|resource| resource.template)
    }

    #[cfg(feature = "desktop")]
    fn resource_changed(&self, handle: ResourceHandle) -> Result<(), PipeError> {
        self.take_copy(handle)
    }

    #[cfg(feature = "desktop")]
    fn memobj_create_from_handle(
        &self,
        memory: Box<'m, dyn SharedMemory + 'm>,
    ) -> Result<MemoryObjectHandle, PipeError> {
        self.hold_outside(memory)
    }

    #[cfg(feature = "desktop")]
    fn memobj_destroy(&self, memory: MemoryObjectHandle) -> Result<(), PipeError> {
        self.release_outside(memory)
    }

    #[cfg(feature = "desktop")]
    fn resource_from_memobj(
        &self,
        template: &ResourceTemplate,
        memory: MemoryObjectHandle,
        offset: u64,
    ) -> Result<ResourceHandle, PipeError> {
        self.insert_outside(template, memory, offset)
    }

    #[cfg(feature = "desktop")]
    fn resource_get_handle(
        &self,
        context: Option<&mut dyn PipeContext<'m>>,
        resource: ResourceHandle,
        kind: WinsysHandleType,
    ) -> Result<WinsysHandle, PipeError> {
        let name = self.name_of(resource, kind)?;
        if let Some(context) = context {
            context.flush_resource(resource)?;
        }
        Ok(name)
    }

    #[cfg(feature = "desktop")]
    fn resource_from_handle(
        &self,
        template: &ResourceTemplate,
        name: &WinsysHandle,
    ) -> Result<ResourceHandle, PipeError> {
        self.find_named(template, name)
    }

    #[cfg(feature = "desktop")]
    fn create_fence_fd(
        &self,
        fence: Box<'m, dyn ExternalFence + 'm>,
        kind: FenceFdType,
    ) -> Result<FenceHandle, PipeError> {
        self.device.insert_external_fence(fence, kind)
    }

    #[cfg(feature = "desktop")]
    fn fence_get_fd(
        &self,
        fence: FenceHandle,
        to: Box<'m, dyn ExternalFence + 'm>,
    ) -> Result<(), PipeError> {
        self.device.export_fence(fence, to)
    }

    #[cfg(feature = "desktop")]
    fn create_vertex_state(
        &self,
        template: &VertexStateTemplate<'_>,
    ) -> Result<VertexStateHandle, PipeError> {
        self.device.insert_vertex_state(template)
    }

    #[cfg(feature = "desktop")]
    fn vertex_state_destroy(&self, state: VertexStateHandle) -> Result<(), PipeError> {
        self.device.remove_vertex_state(state)
    }

    #[cfg(feature = "desktop")]
    fn query_memory_info(&self) -> Option<pipe_core::diagnostics::MemoryInfo> {
        let usage = self.device.os.memory.usage();
        let (total, kib) = (usage.capacity?, |bytes: usize| bytes as u64 / 1024);
        Some(pipe_core::diagnostics::MemoryInfo {
            total_device_memory: kib(total),
            avail_device_memory: kib(total.saturating_sub(usage.used)),
            ..Default::default()
        })
    }

    /// Returns the UUID of the profile's name: pixels depend on nothing else.
    #[cfg(feature = "desktop")]
    fn get_device_uuid(&self) -> [u8; 16] {
        pipe_core::diagnostics::uuid_of(P::NAME)
    }

    /// Returns the UUID of the driver's version.
    #[cfg(feature = "desktop")]
    fn get_driver_uuid(&self) -> [u8; 16] {
        let version = concat!("gallium raster ", env!("CARGO_PKG_VERSION"));
        pipe_core::diagnostics::uuid_of(version)
    }

    #[cfg(feature = "desktop")]
    fn get_driver_query_info(&self) -> &[pipe_core::DriverQueryInfo] {
        &crate::state::DRIVER_QUERIES
    }

    #[cfg(feature = "desktop")]
    fn get_driver_query_group_info(&self) -> &[pipe_core::DriverQueryGroupInfo] {
        &crate::state::DRIVER_QUERY_GROUPS
    }

    fn get_timestamp(&self) -> u64 {
        self.device.os.clock.now_ns()
    }

    #[cfg(feature = "desktop")]
    fn fence_finish(
        &self,
        context: Option<&mut dyn PipeContext<'m>>,
        fence: FenceHandle,
        timeout_ns: u64,
    ) -> Result<bool, PipeError> {
        if let Some(context) = context
            && !self.device.is_signalled(fence)?
        {
            self.flush_for(context, fence, timeout_ns)?;
        }
        self.device.wait_for(fence, timeout_ns)
    }

    #[cfg(feature = "desktop")]
    fn fence_destroy(&self, fence: FenceHandle) -> Result<(), PipeError> {
        self.device.destroy_fence(fence)
    }

    fn context_create<'s>(
        &'s self,
        flags: ContextFlags,
    ) -> Result<Box<'s, dyn PipeContext<'m> + 's>, PipeError>
    where
        'm: 's,
    {
        if DESKTOP && flags.contains(ContextFlags::DEBUG) {
            let plain = self.plain_context(flags.difference(ContextFlags::DEBUG))?;
            let plain: Box<'s, dyn PipeContext<'m> + 's> = os_shim::unsize_box!(plain);
            let memory = self.device.os.memory;
            let checked = pipe_core::wrap::Check::new(plain, self, memory);
            return Ok(os_shim::unsize_box!(Box::try_new_in(checked, memory)?));
        }
        Ok(os_shim::unsize_box!(self.plain_context(flags)?))
    }
}
