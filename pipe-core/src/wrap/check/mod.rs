//! A wrapper that checks every call before it passes it on.
//!
//! Argument validation exists once, here, so that drivers need not repeat it. Put this wrapper
//! above a driver if the caller's data is not trusted, or while you develop a frontend. It checks
//! the requirements of the contract and of the screen's caps: ranges, boxes, formats, shaders,
//! contradictory state, and state that a draw lacks. The driver itself checks that handles name
//! live objects, in every build.
//!
//! A refused call has no effect. The wrapper keeps little data: sizes and kinds of objects, and the
//! bound handles.

mod binding;
mod doubts;
mod draw;
mod facts;
mod owner;
mod rules;
mod state;
mod transfer;
mod vertices;

use formats::Format;
use os_shim::{Box, Memory};

use crate::caps::{Cap, ShaderCap};
use crate::context::*;
use crate::error::PipeError;
use crate::flags::{ContextFlags, ResetStatus};
use crate::handle::*;
use crate::limits::{
    MAX_ATTRIBS, MAX_CONSTANT_BUFFERS, MAX_SAMPLERS, MAX_SO_BUFFERS, MAX_VERTEX_STREAMS,
};
use crate::query::QueryType;
use crate::region::Region;
use crate::resource::{Bind, ResourceFlags, ResourceTemplate, TextureTarget};
use crate::screen::Screen;
use crate::shader::{PerStage, ShaderType};
use crate::state::{FramebufferState, VertexBuffer, VertexElement};
use crate::surface::{ImageAccess, ImageView, SurfaceTemplate};
use crate::transfer::MapFlags;
use crate::warnings::Warnings;

use self::doubts::{DepthFacts, FrameFacts, PictureFacts, RasterizerFacts};
use self::facts::ShaderFacts;
use self::owner::Owner;
use self::rules::{Rule, rule};
use super::screen::{caps_passed_on, queries_passed_on};
use super::shadow::Shadow;
#[cfg(feature = "desktop")]
use crate::{FenceFdType, VertexStateTemplate, WinsysHandle, WinsysHandleType};
#[cfg(feature = "desktop")]
use os_shim::sharing::{ExternalFence, SharedMemory};

/// The vertex elements of one object.
type Elements = heapless::Vec<VertexElement, MAX_ATTRIBS>;

/// The state of a query.
#[derive(Clone, Copy)]
struct QueryLife {
    kind: QueryType,
    running: bool,
    ended: bool,
}

/// The arguments of a transfer's map.
#[derive(Clone, Copy)]
struct TransferLife {
    usage: MapFlags,
    region: Region,
}

/// The bound handles that draws need.
#[derive(Default)]
struct Bound {
    blend: Option<BlendHandle>,
    depth_stencil_alpha: Option<DepthStencilAlphaHandle>,
    rasterizer: Option<RasterizerHandle>,
    elements: Option<VertexElementsHandle>,
    shaders: PerStage<Option<ShaderHandle>>,
    vertex_buffers: [Option<VertexBuffer>; MAX_ATTRIBS],
    /// The bytes of each constant buffer.
    constants: PerStage<[Option<u32>; MAX_CONSTANT_BUFFERS]>,
    framebuffer: FramebufferState,
    samplers: PerStage<[Option<SamplerHandle>; MAX_SAMPLERS]>,
    views: PerStage<[Option<SamplerViewHandle>; MAX_SAMPLERS]>,
    has_viewport: bool,
    patch_vertices: u8,
    targets: [Option<StreamOutputTargetHandle>; MAX_SO_BUFFERS],
}

/// The members of a sampler state that depend on the formats of views.
#[derive(Clone, Copy)]
struct SamplerFacts {
    /// True if any filter is linear.
    linear: bool,
}

/// A context that checks the calls it passes on.
///
/// A call that the contract allows but that shows nothing is not an error: it is logged once, with
/// the fix, and appears in [`Drawing::warnings`].
///
/// ```
/// use gallium_pipe_core::wrap::{Check, NullContext, NullScreen};
/// use gallium_pipe_core::{Context, DrawInfo, DrawStartCount, PipeError, PrimType};
/// use gallium_pipe_core::context::Drawing;
/// # use os_shim::Memory;
/// let memory = Memory::system();
/// let screen = NullScreen::new(memory);
/// let mut context = NullContext::new(&screen);
/// let mut checked = Check::new(&mut context, &screen, memory);
/// let info = DrawInfo::new(PrimType::Triangles);
/// let draw = checked.draw_vbo(&info, None, &[DrawStartCount::count(3)]);
/// assert_eq!(draw, Err(PipeError::Unbound("a framebuffer")));
/// ```
pub struct Check<'c, 'm> {
    inner: ContextRef<'c, 'm>,
    screen: &'c dyn Screen<'m>,
    memory: Memory<'c>,
    bound: Bound,
    warnings: Warnings,
    frame: FrameFacts,
    picture: PictureFacts,
    owner: Owner,
    blends: Shadow<'c, kinds::Blend, ()>,
    samplers: Shadow<'c, kinds::Sampler, SamplerFacts>,
    /// The formats of sampler views.
    views: Shadow<'c, kinds::SamplerView, Format>,
    elements: Shadow<'c, kinds::VertexElements, Elements>,
    rasterizers: Shadow<'c, kinds::Rasterizer, RasterizerFacts>,
    depth_tests: Shadow<'c, kinds::DepthStencilAlpha, DepthFacts>,
    /// The resources with texels that were cleared or written, other than by draws.
    written: Shadow<'c, kinds::Resource, ()>,
    shaders: Shadow<'c, kinds::Shader, ShaderFacts>,
    surfaces: Shadow<'c, kinds::Surface, (ResourceHandle, SurfaceTemplate, [u32; 3], u8)>,
    targets: Shadow<'c, kinds::StreamOutputTarget, ()>,
    queries: Shadow<'c, kinds::Query, QueryLife>,
    transfers: Shadow<'c, kinds::Transfer, TransferLife>,
}

impl<'c, 'm> Check<'c, 'm> {
    /// Creates a checker for a context of `screen`, borrowed or owned. `memory` holds facts about
    /// its objects.
    pub fn new(
        context: impl Into<ContextRef<'c, 'm>>,
        screen: &'c dyn Screen<'m>,
        memory: Memory<'c>,
    ) -> Self {
        Self {
            inner: context.into(),
            screen,
            memory,
            bound: Bound::default(),
            owner: Owner::next(),
            blends: Shadow::new(memory),
            samplers: Shadow::new(memory),
            views: Shadow::new(memory),
            elements: Shadow::new(memory),
            rasterizers: Shadow::new(memory),
            depth_tests: Shadow::new(memory),
            written: Shadow::new(memory),
            warnings: Warnings::empty(),
            frame: FrameFacts::default(),
            picture: PictureFacts::default(),
            shaders: Shadow::new(memory),
            surfaces: Shadow::new(memory),
            targets: Shadow::new(memory),
            queries: Shadow::new(memory),
            transfers: Shadow::new(memory),
        }
    }

    #[inline]
    fn next(&mut self) -> &mut (dyn Context<'m> + 'c) {
        self.inner.get()
    }

    fn template(&self, resource: ResourceHandle) -> Result<ResourceTemplate, PipeError> {
        self.screen.resource_template(resource)
    }

    fn cap(&self, cap: Cap) -> i32 {
        self.screen.get_param(cap)
    }

    /// Returns a cap that is a limit; negative values count as 0.
    fn limit(&self, cap: Cap) -> u64 {
        self.cap(cap).max(0).unsigned_abs().into()
    }

    /// Checks that no cap is 0 that `uses` reports as needed.
    fn demands(&self, uses: impl Fn(Rule) -> bool) -> Result<(), PipeError> {
        demands(self.screen, uses)
    }

    /// Checks that the cap is not 0 if `wanted`; `what` names the feature in the error.
    fn needs(&self, wanted: bool, cap: Cap, what: &'static str) -> Result<(), PipeError> {
        if wanted && self.cap(cap) == 0 { Err(PipeError::Unsupported(what)) } else { Ok(()) }
    }

    /// Returns the number of vertex streams: 1 if the driver announces none.
    fn vertex_streams(&self) -> usize {
        (self.cap(Cap::MaxVertexStreams).max(1) as usize).min(MAX_VERTEX_STREAMS)
    }

    fn stage_limit(&self, stage: ShaderType, cap: ShaderCap) -> u64 {
        self.screen.get_shader_param(stage, cap).max(0).unsigned_abs().into()
    }

    /// Checks that bytes `offset..offset + size` are within a buffer, and returns its template.
    fn buffer_range(
        &self,
        resource: ResourceHandle,
        offset: u32,
        size: u64,
    ) -> Result<ResourceTemplate, PipeError> {
        let template = self.template(resource)?;
        require(template.is_buffer(), "a texture where a buffer is needed")?;
        let end = u64::from(offset).saturating_add(size);
        PipeError::at_most("the end of the range", end, template.width0.into())?;
        Ok(template)
    }

    /// Checks a box against a level of a resource with storage, and returns the resource's
    /// template.
    fn level_region(
        &self,
        resource: ResourceHandle,
        level: u32,
        region: &Region,
    ) -> Result<ResourceTemplate, PipeError> {
        let template = self.template(resource)?;
        require(!template.is_streamed(), "a streamed resource has no storage")?;
        region_within(&template, level, region)?;
        Ok(template)
    }

    /// Checks that the driver's list has a query at this position.
    #[cfg(feature = "desktop")]
    fn driver_query(&self, index: u32) -> Result<(), PipeError> {
        let known = self.screen.get_driver_query_info().get(index as usize).is_some();
        if known { Ok(()) } else { Err(PipeError::Unsupported("a driver query of this number")) }
    }

    /// Refuses driver-specific queries.
    #[cfg(not(feature = "desktop"))]
    fn driver_query(&self, _: u32) -> Result<(), PipeError> {
        Err(PipeError::Unsupported("driver queries (the feature `desktop` has them)"))
    }

    fn format_usable(
        &self,
        format: Format,
        template: &ResourceTemplate,
        bind: Bind,
        usage: &'static str,
    ) -> Result<(), PipeError> {
        let supported = self.screen.is_format_supported(
            format,
            template.target,
            template.nr_samples,
            template.nr_storage_samples,
            bind,
        );
        if supported { Ok(()) } else { Err(PipeError::UnsupportedFormat { format, usage }) }
    }
}

/// Checks that no cap of a screen is 0 that `uses` reports as needed.
fn demands<'m>(screen: &dyn Screen<'m>, uses: impl Fn(Rule) -> bool) -> Result<(), PipeError> {
    for cap in Cap::ALL {
        let (rule, what) = rule(*cap);
        if uses(rule) && screen.get_param(*cap) == 0 {
            return Err(PipeError::Unsupported(what));
        }
    }
    Ok(())
}

/// Returns true if the driver lacks what a call asked for.
fn is_lack(error: &PipeError) -> bool {
    matches!(error, PipeError::Unsupported(_) | PipeError::UnsupportedFormat { .. })
}

/// Returns the error for a call that caps do not promise: the driver's own error if it refuses the
/// call for the same reason, because it names what helps; otherwise `ours`.
fn hinted<T>(ours: PipeError, of_driver: &Result<T, PipeError>) -> PipeError {
    of_driver.as_ref().err().filter(|error| is_lack(error)).copied().unwrap_or(ours)
}

/// Checks a condition; `what` is the error message.
fn require(condition: bool, what: &'static str) -> Result<(), PipeError> {
    if condition { Ok(()) } else { Err(PipeError::Invalid(what)) }
}

/// Checks that slots `start..start + count` are below `limit`.
fn slots(what: &'static str, start: usize, count: usize, limit: usize) -> Result<(), PipeError> {
    PipeError::at_most(what, start.saturating_add(count) as u64, limit as u64)
}

/// Checks that the box lies within the level, at whole blocks, and without negative sides.
fn region_within(
    template: &ResourceTemplate,
    level: u32,
    region: &Region,
) -> Result<(), PipeError> {
    let Some(size) = template.level_size(level) else {
        let (value, limit) = (level.into(), template.last_level.into());
        return Err(PipeError::OutOfRange { what: "the level", value, limit });
    };
    PipeError::within(region, size)?;
    let block = template.format.block();
    require(
        region.is_block_aligned([block.width.into(), block.height.into()], size),
        "a region that cuts blocks",
    )
}

/// Checks that no value is NaN or infinite.
fn finite(what: &'static str, values: &[f32]) -> Result<(), PipeError> {
    require(values.iter().all(|value| value.is_finite()), what)
}

/// Returns true if blocks of both formats have the same size in texels and in bytes.
fn same_blocks(a: Format, b: Format) -> bool {
    a.block() == b.block()
}

impl<'m> Context<'m> for Check<'_, 'm> {}

impl Fences for Check<'_, '_> {
    fn fence_server_sync(&mut self, fence: FenceHandle) -> Result<(), PipeError> {
        self.next().fence_server_sync(fence)
    }

    fn fence_server_signal(&mut self, fence: FenceHandle) -> Result<(), PipeError> {
        self.needs(true, Cap::FenceSignal, "signalling fences")?;
        self.next().fence_server_signal(fence)
    }
}

impl DeviceReset for Check<'_, '_> {
    fn get_device_reset_status(&mut self) -> ResetStatus {
        self.next().get_device_reset_status()
    }

    #[cfg(feature = "budget")]
    fn set_device_reset_callback(&mut self, callback: Option<crate::context::ResetCallback>) {
        self.next().set_device_reset_callback(callback);
    }
}

impl Bindless for Check<'_, '_> {
    fn create_texture_handle(
        &mut self,
        view: SamplerViewHandle,
        sampler: SamplerHandle,
    ) -> Result<u64, PipeError> {
        self.needs(true, Cap::BindlessTexture, "bindless textures")?;
        let view = self.owner.open(&self.views, view)?;
        let sampler = self.owner.open(&self.samplers, sampler)?;
        self.next().create_texture_handle(view, sampler)
    }

    fn delete_texture_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        self.next().delete_texture_handle(handle)
    }

    fn make_texture_handle_resident(
        &mut self,
        handle: u64,
        resident: bool,
    ) -> Result<(), PipeError> {
        self.next().make_texture_handle_resident(handle, resident)
    }

    fn create_image_handle(&mut self, image: &ImageView) -> Result<u64, PipeError> {
        self.needs(true, Cap::BindlessTexture, "bindless images")?;
        self.image(image)?;
        self.next().create_image_handle(image)
    }

    fn delete_image_handle(&mut self, handle: u64) -> Result<(), PipeError> {
        self.next().delete_image_handle(handle)
    }

    fn make_image_handle_resident(
        &mut self,
        handle: u64,
        access: ImageAccess,
        resident: bool,
    ) -> Result<(), PipeError> {
        self.next().make_image_handle_resident(handle, access, resident)
    }
}

/// A screen that checks templates; its contexts check calls.
///
/// ```
/// use gallium_pipe_core::wrap::{CheckScreen, NullScreen};
/// use gallium_pipe_core::{Bind, Format, PipeError, ResourceTemplate, Screen};
/// # use os_shim::Memory;
/// let memory = Memory::system();
/// let driver = NullScreen::new(memory);
/// let screen = CheckScreen::new(&driver, memory);
/// let depth = ResourceTemplate::texture_2d(Format::Z16Unorm, 64, 64, Bind::RENDER_TARGET);
/// let refused = screen.resource_create(&depth);
/// assert!(matches!(refused, Err(PipeError::UnsupportedFormat { .. })));
/// ```
pub struct CheckScreen<'c, 'm> {
    inner: &'c dyn Screen<'m>,
    memory: Memory<'c>,
}

impl<'c, 'm> CheckScreen<'c, 'm> {
    /// Checks a screen; `memory` holds the wrappers of its contexts.
    pub fn new(screen: &'c dyn Screen<'m>, memory: Memory<'c>) -> Self {
        Self { inner: screen, memory }
    }

    fn creatable(&self, template: &ResourceTemplate) -> Result<(), PipeError> {
        template.validate()?;
        // A buffer's format is nominal, because every use of a buffer has a separate format.
        // The driver checks palettes: the resource's format is that of indices.
        let supported = template.is_buffer()
            || template.flags.contains(ResourceFlags::PALETTE)
            || self.inner.is_format_supported(
                template.format,
                template.target,
                template.nr_samples,
                template.nr_storage_samples,
                template.bind,
            );
        let format = template.format;
        if !supported {
            return Err(PipeError::UnsupportedFormat { format, usage: "this kind of resource" });
        }
        demands(self.inner, |rule| matches!(rule, Rule::Resource(uses) if uses(template)))?;
        let apart = ResourceFlags::STREAMED.union(ResourceFlags::SPARSE);
        if !template.is_buffer() && !template.flags.intersects(apart) {
            let bytes = crate::resource::layout::Layout::of(template)?.total() as u64;
            let most = self.inner.get_param(Cap::MaxTextureMb).max(0).unsigned_abs();
            PipeError::at_most("the texture's size in MiB", bytes.div_ceil(1 << 20), most.into())?;
        }
        let texels = |cap| self.inner.get_param(cap).max(0).unsigned_abs();
        let levels = |cap| 1u32.checked_shl(texels(cap).saturating_sub(1)).unwrap_or(u32::MAX);
        let longest = template.width0.max(template.height0).max(template.depth0);
        let limit = match template.target {
            TextureTarget::Buffer => u32::MAX,
            TextureTarget::Texture3D => levels(Cap::MaxTexture3dLevels),
            TextureTarget::Cube | TextureTarget::CubeArray => levels(Cap::MaxTextureCubeLevels),
            _ => texels(Cap::MaxTexture2dSize),
        };
        PipeError::at_most("the longest side", longest.into(), limit.into())?;
        let layers = match template.target {
            TextureTarget::Texture1DArray | TextureTarget::Texture2DArray => template.array_size,
            TextureTarget::CubeArray => template.array_size / 6,
            _ => return Ok(()),
        };
        PipeError::at_most("layers", layers.into(), texels(Cap::MaxTextureArrayLayers).into())
    }
}

impl<'m> Screen<'m> for CheckScreen<'_, 'm> {
    queries_passed_on!();
    caps_passed_on!();

    fn get_param(&self, cap: Cap) -> i32 {
        self.inner.get_param(cap)
    }

    fn can_create_resource(&self, template: &ResourceTemplate) -> bool {
        self.creatable(template).is_ok() && self.inner.can_create_resource(template)
    }

    fn resource_create(&self, template: &ResourceTemplate) -> Result<ResourceHandle, PipeError> {
        let Err(error) = self.creatable(template) else {
            return self.inner.resource_create(template);
        };
        if !is_lack(&error) {
            return Err(error);
        }
        let made = self.inner.resource_create(template);
        let error = hinted(error, &made);
        if let Ok(made) = made {
            self.inner.resource_destroy(made)?;
        }
        Err(error)
    }

    fn resource_from_user_memory(
        &self,
        template: &ResourceTemplate,
        memory: &'m [u8],
    ) -> Result<ResourceHandle, PipeError> {
        if let Err(error) = self.creatable(template) {
            if !is_lack(&error) {
                return Err(error);
            }
            let made = self.inner.resource_from_user_memory(template, memory);
            let error = hinted(error, &made);
            if let Ok(made) = made {
                self.inner.resource_destroy(made)?;
            }
            return Err(error);
        }
        let cap = |cap| self.inner.get_param(cap) != 0;
        if !cap(Cap::ResourceFromUserMemory) && !cap(Cap::ResourceFromUserMemoryComputeOnly) {
            return Err(PipeError::Unsupported("resources of user memory"));
        }
        let needed = crate::resource::layout::Layout::of(template)?.total();
        require(memory.len() >= needed, "the memory is smaller than the resource")?;
        self.inner.resource_from_user_memory(template, memory)
    }

    fn resource_destroy(&self, resource: ResourceHandle) -> Result<(), PipeError> {
        self.inner.resource_destroy(resource)
    }

    fn resource_changed(&self, resource: ResourceHandle) -> Result<(), PipeError> {
        self.inner.resource_changed(resource)
    }

    #[cfg(feature = "desktop")]
    fn memobj_create_from_handle(
        &self,
        memory: Box<'m, dyn SharedMemory + 'm>,
    ) -> Result<MemoryObjectHandle, PipeError> {
        if self.inner.get_param(Cap::Memobj) == 0 {
            return Err(PipeError::Unsupported("memory objects"));
        }
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
        self.creatable(template)?;
        self.inner.resource_from_memobj(template, memory, offset)
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
        self.creatable(template)?;
        let fits = name.format == template.format && name.modifier == WinsysHandle::LINEAR;
        require(fits, "the name of a resource of another format or layout")?;
        self.inner.resource_from_handle(template, name)
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
        if self.inner.get_param(Cap::DrawVertexState) == 0 {
            return Err(PipeError::Unsupported("vertex states"));
        }
        template.fault().map_or(Ok(()), |fault| Err(PipeError::Invalid(fault)))?;
        for buffer in [Some(template.buffer.resource), template.indices].into_iter().flatten() {
            let is_buffer = self.inner.resource_template(buffer)?.is_buffer();
            require(is_buffer, "a texture where a buffer is needed")?;
        }
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
        let lacks = |flag, cap| flags.contains(flag) && self.inner.get_param(cap) == 0;
        if !flags.contains(ContextFlags::COMPUTE_ONLY) && self.inner.get_param(Cap::Graphics) == 0 {
            return Err(PipeError::Unsupported("contexts that draw"));
        }
        if lacks(ContextFlags::COMPUTE_ONLY, Cap::Compute) {
            return Err(PipeError::Unsupported("COMPUTE_ONLY contexts"));
        }
        if lacks(ContextFlags::PROTECTED, Cap::DeviceProtectedContent) {
            return Err(PipeError::Unsupported("PROTECTED contexts"));
        }
        // This wrapper implements the flag itself.
        let made = self.inner.context_create(flags.difference(ContextFlags::DEBUG))?;
        let check = Box::try_new_in(Check::new(made, self.inner, self.memory), self.memory)?;
        Ok(os_shim::unsize_box!(check))
    }
}
