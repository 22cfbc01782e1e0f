//! A driver that accepts every call and draws nothing.
//!
//! It shows that the contract works without a rasterizer, measures the cost of frontends, and is a
//! starting point for new drivers. Handles are checked: a handle of a destroyed or unknown object
//! is [`PipeError::StaleHandle`]. Resources have no contents; maps read zeros.

mod calls;
mod context;

pub use context::NullContext;

use formats::Format;
use os_shim::pool::Pool;
use os_shim::sync::Mutex;
use os_shim::{Box, Memory};

use crate::caps::{Cap, ShaderCap};
use crate::context::Context;
use crate::error::PipeError;
use crate::flags::ContextFlags;
use crate::handle::{FenceHandle, Handle, ResourceHandle};
use crate::limits;
use crate::resource::layout::Layout;
use crate::resource::{Bind, ResourceTemplate, TextureTarget};
use crate::screen::Screen;
use crate::shader::ShaderType;
#[cfg(feature = "desktop")]
use crate::{MemoryObjectHandle, VertexStateHandle, VertexStateTemplate};
#[cfg(feature = "desktop")]
use os_shim::sharing::SharedMemory;

/// The objects behind the screen's lock.
struct Objects<'m> {
    resources: Pool<'m, ResourceTemplate>,
    fences: Pool<'m, ()>,
    #[cfg(feature = "desktop")]
    memory_objects: Pool<'m, Box<'m, dyn SharedMemory + 'm>>,
    #[cfg(feature = "desktop")]
    vertex_states: Pool<'m, ()>,
}

/// A screen of the null driver.
///
/// ```
/// use gallium_pipe_core::{Bind, Format, ResourceTemplate, Screen, wrap::NullScreen};
/// # use os_shim::Memory;
/// let screen = NullScreen::new(Memory::system());
/// let template = ResourceTemplate::texture_2d(Format::B5G6R5Unorm, 320, 240, Bind::RENDER_TARGET);
/// let resource = screen.resource_create(&template)?;
/// assert_eq!(screen.resource_template(resource)?, template);
/// screen.resource_destroy(resource)?;
/// assert!(screen.resource_destroy(resource).is_err());
/// # Ok::<(), gallium_pipe_core::PipeError>(())
/// ```
pub struct NullScreen<'m> {
    memory: Memory<'m>,
    objects: Mutex<Objects<'m>>,
}

impl<'m> NullScreen<'m> {
    /// Creates a screen that keeps its objects in `memory`.
    pub const fn new(memory: Memory<'m>) -> Self {
        let objects = Objects {
            resources: Pool::new_in(memory),
            fences: Pool::new_in(memory),
            #[cfg(feature = "desktop")]
            memory_objects: Pool::new_in(memory),
            #[cfg(feature = "desktop")]
            vertex_states: Pool::new_in(memory),
        };
        Self { memory, objects: Mutex::new(objects) }
    }

    /// Returns the number of resources that exist.
    pub fn resource_count(&self) -> usize {
        self.objects.lock().resources.len()
    }

    fn fence_create(&self) -> Result<FenceHandle, PipeError> {
        Ok(Handle::new(self.objects.lock().fences.insert(())?))
    }

    #[cfg(feature = "desktop")]
    fn check_vertex_state(&self, state: VertexStateHandle) -> Result<(), PipeError> {
        if self.objects.lock().vertex_states.contains(state.raw()) {
            Ok(())
        } else {
            Err(PipeError::stale(state))
        }
    }

    fn check_fence(&self, fence: FenceHandle) -> Result<(), PipeError> {
        if self.objects.lock().fences.contains(fence.raw()) {
            Ok(())
        } else {
            Err(PipeError::stale(fence))
        }
    }
}

impl<'m> Screen<'m> for NullScreen<'m> {
    fn get_name(&self) -> &str {
        "null"
    }

    /// Returns the contract's maximum for limits, and the default for all other caps.
    fn get_param(&self, cap: Cap) -> i32 {
        use Cap::*;
        match cap {
            NpotTextures | OcclusionQuery | QueryTimeElapsed | QueryTimestamp => 1,
            QueryPipelineStatistics | QuerySoOverflow | TextureShadowMap => 1,
            IndepBlendEnable | IndepBlendFunc | PrimitiveRestart | StartInstance => 1,
            VertexElementInstanceDivisor | DepthClipDisable | DepthClipDisableSeparate => 1,
            ClipHalfz | PolygonOffsetClamp | PolygonOffsetUnitsUnscaled | DepthBoundsTest => 1,
            ClearTexture | ClearScissored | GenerateMipmap | Compute | DrawIndirect => 1,
            MultiDrawIndirect | MultiDrawIndirectParams | BindlessTexture | FenceSignal => 1,
            StreamOutputPauseResume | QueryBufferObject | ConditionalRenderInverted => 1,
            ResourceFromUserMemory | BufferMapPersistentCoherent | SamplerViewTarget => 1,
            PolygonModeFillRectangle | ProgrammableSampleLocations | PointSprite => 1,
            MixedColorbufferFormats | MixedFramebufferSizes | FramebufferNoAttachment => 1,
            ConservativeRasterPostSnapTriangles | ConservativeRasterPreSnapTriangles => 1,
            QuadsFollowProvokingVertexConvention | PrimitiveRestartForPatches => 1,
            VsLayerViewport | TesLayerViewport | ForcePersampleInterp | TileRasterOrder => 1,
            MaxDualSourceRenderTargets => 1,
            Memobj | DrawVertexState => i32::from(cfg!(feature = "desktop")),
            MaxRenderTargets => limits::MAX_COLOR_BUFS as i32,
            MaxViewports => limits::MAX_VIEWPORTS as i32,
            MaxStreamOutputBuffers => limits::MAX_SO_BUFFERS as i32,
            MaxVertexStreams => limits::MAX_VERTEX_STREAMS as i32,
            MaxVertexBuffers => limits::MAX_ATTRIBS as i32,
            MaxWindowRectangles => limits::MAX_WINDOW_RECTANGLES as i32,
            MaxTexture2dSize => limits::MAX_TEXTURE_SIZE as i32,
            MaxTextureArrayLayers => limits::MAX_TEXTURE_LAYERS as i32,
            MaxTexture3dLevels | MaxTextureCubeLevels => limits::MAX_TEXTURE_LEVELS as i32,
            SupportedPrimModes | SupportedPrimModesWithRestart => 0x7fff,
            SparseBufferPageSize => 65536,
            _ => cap.default_value(),
        }
    }

    fn get_shader_param(&self, _stage: ShaderType, cap: ShaderCap) -> i32 {
        match cap {
            ShaderCap::MaxConstBuffers => limits::MAX_CONSTANT_BUFFERS as i32,
            ShaderCap::MaxTextureSamplers => limits::MAX_SAMPLERS as i32,
            ShaderCap::MaxSamplerViews => limits::MAX_SHADER_SAMPLER_VIEWS as i32,
            ShaderCap::MaxShaderBuffers => limits::MAX_SHADER_BUFFERS as i32,
            ShaderCap::MaxShaderImages => limits::MAX_SHADER_IMAGES as i32,
            ShaderCap::MaxHwAtomicCounterBuffers => limits::MAX_HW_ATOMIC_BUFFERS as i32,
            // Every stage exists, with the defaults of the vertex stage.
            cap => cap.default_value(ShaderType::Vertex),
        }
    }

    fn get_compute_param(&self, cap: crate::caps::ComputeCap) -> [u64; 3] {
        use crate::caps::ComputeCap::*;
        match cap {
            GridDimension => [3, 0, 0],
            MaxGridSize => [65535; 3],
            MaxBlockSize => [1024, 1024, 64],
            MaxThreadsPerBlock => [1024, 0, 0],
            cap => cap.default_value(),
        }
    }

    fn is_format_supported(
        &self,
        format: Format,
        _target: TextureTarget,
        sample_count: u8,
        storage_sample_count: u8,
        bind: Bind,
    ) -> bool {
        let color = Bind::RENDER_TARGET | Bind::BLENDABLE | Bind::DISPLAY_TARGET;
        let fits = if format.is_depth_or_stencil() {
            !bind.intersects(color)
        } else {
            !bind.contains(Bind::DEPTH_STENCIL)
        };
        fits && sample_count <= limits::MAX_SAMPLES && storage_sample_count <= sample_count.max(1)
    }

    fn resource_create(&self, template: &ResourceTemplate) -> Result<ResourceHandle, PipeError> {
        template.validate()?;
        Ok(Handle::new(self.objects.lock().resources.insert(*template)?))
    }

    fn resource_from_user_memory(
        &self,
        template: &ResourceTemplate,
        memory: &'m [u8],
    ) -> Result<ResourceHandle, PipeError> {
        if memory.len() < Layout::of(template)?.total() {
            return Err(PipeError::Invalid("the memory is smaller than the resource"));
        }
        self.resource_create(template)
    }

    fn resource_destroy(&self, resource: ResourceHandle) -> Result<(), PipeError> {
        let removed = self.objects.lock().resources.remove(resource.raw());
        removed.map(|_| ()).ok_or(PipeError::stale(resource))
    }

    fn resource_template(&self, resource: ResourceHandle) -> Result<ResourceTemplate, PipeError> {
        let objects = self.objects.lock();
        objects.resources.get(resource.raw()).copied().ok_or(PipeError::stale(resource))
    }

    /// Creates an object that is never read, because resources have no contents.
    #[cfg(feature = "desktop")]
    fn memobj_create_from_handle(
        &self,
        memory: Box<'m, dyn SharedMemory + 'm>,
    ) -> Result<MemoryObjectHandle, PipeError> {
        Ok(Handle::new(self.objects.lock().memory_objects.insert(memory)?))
    }

    #[cfg(feature = "desktop")]
    fn memobj_destroy(&self, memory: MemoryObjectHandle) -> Result<(), PipeError> {
        let removed = self.objects.lock().memory_objects.remove(memory.raw());
        removed.map(drop).ok_or(PipeError::stale(memory))
    }

    #[cfg(feature = "desktop")]
    fn resource_from_memobj(
        &self,
        template: &ResourceTemplate,
        memory: MemoryObjectHandle,
        offset: u64,
    ) -> Result<ResourceHandle, PipeError> {
        let size = {
            let objects = self.objects.lock();
            let found = objects.memory_objects.get(memory.raw());
            found.ok_or(PipeError::stale(memory))?.size()
        };
        let end = offset.saturating_add(Layout::of(template)?.total() as u64);
        PipeError::at_most("the resource's end in the memory", end, size)?;
        self.resource_create(template)
    }

    #[cfg(feature = "desktop")]
    fn create_vertex_state(
        &self,
        template: &VertexStateTemplate<'_>,
    ) -> Result<VertexStateHandle, PipeError> {
        for buffer in [Some(template.buffer.resource), template.indices].into_iter().flatten() {
            self.resource_template(buffer)?;
        }
        Ok(Handle::new(self.objects.lock().vertex_states.insert(())?))
    }

    #[cfg(feature = "desktop")]
    fn vertex_state_destroy(&self, state: VertexStateHandle) -> Result<(), PipeError> {
        let removed = self.objects.lock().vertex_states.remove(state.raw());
        removed.ok_or(PipeError::stale(state))
    }

    fn fence_finish(
        &self,
        _context: Option<&mut dyn Context<'m>>,
        fence: FenceHandle,
        _timeout_ns: u64,
    ) -> Result<bool, PipeError> {
        self.check_fence(fence).map(|()| true)
    }

    fn fence_destroy(&self, fence: FenceHandle) -> Result<(), PipeError> {
        let removed = self.objects.lock().fences.remove(fence.raw());
        removed.ok_or(PipeError::stale(fence))
    }

    fn context_create<'s>(
        &'s self,
        _flags: ContextFlags,
    ) -> Result<Box<'s, dyn Context<'m> + 's>, PipeError>
    where
        'm: 's,
    {
        let context = Box::try_new_in(NullContext::new(self), self.memory)?;
        Ok(os_shim::unsize_box!(context))
    }
}
