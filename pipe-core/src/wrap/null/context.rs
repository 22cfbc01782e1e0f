//! The null driver's context: pools of objects without contents, and binding.

use os_shim::pool::Pool;

use super::NullScreen;
use crate::auxiliary::MapBytes;
use crate::context::*;
use crate::error::PipeError;
use crate::handle::*;
use crate::query::QueryType;
use crate::screen::Screen;
use crate::shader::{ShaderState, ShaderType};
use crate::state::*;
use crate::surface::{ImageView, SamplerViewTemplate, ShaderBuffer, SurfaceTemplate};

/// A context of the null driver: it accepts every call with live handles.
///
/// ```
/// use gallium_pipe_core::wrap::{NullContext, NullScreen};
/// use gallium_pipe_core::{BlendState, context::CsoState};
/// # use os_shim::Memory;
/// let screen = NullScreen::new(Memory::system());
/// let mut context = NullContext::new(&screen);
/// let blend = context.create_blend_state(&BlendState::default())?;
/// assert_eq!(context.object_count(), 1);
/// context.delete_blend_state(blend)?;
/// assert!(context.bind_blend_state(Some(blend)).is_err(), "stale");
/// # Ok::<(), gallium_pipe_core::PipeError>(())
/// ```
pub struct NullContext<'s, 'm> {
    pub(super) screen: &'s NullScreen<'m>,
    pub(super) blends: Pool<'m, ()>,
    pub(super) depth_stencil_alphas: Pool<'m, ()>,
    pub(super) rasterizers: Pool<'m, ()>,
    pub(super) samplers: Pool<'m, ()>,
    pub(super) vertex_elements: Pool<'m, ()>,
    pub(super) shaders: Pool<'m, ShaderType>,
    pub(super) views: Pool<'m, ()>,
    pub(super) surfaces: Pool<'m, ResourceHandle>,
    pub(super) targets: Pool<'m, ()>,
    pub(super) queries: Pool<'m, QueryType>,
    /// The bytes of open transfers.
    pub(super) transfers: Pool<'m, MapBytes<'m>>,
    pub(super) bindless: Pool<'m, ()>,
}

/// Checks that the pool holds the handle's object.
pub(super) fn live<T, K: Kind>(pool: &Pool<'_, T>, handle: Handle<K>) -> Result<(), PipeError> {
    if pool.contains(handle.raw()) { Ok(()) } else { Err(PipeError::stale(handle)) }
}

/// Checks that the pool holds the objects of all given handles.
pub(super) fn all_live<T, K: Kind>(
    pool: &Pool<'_, T>,
    handles: &[Option<Handle<K>>],
) -> Result<(), PipeError> {
    handles.iter().flatten().try_for_each(|handle| live(pool, *handle))
}

/// Removes an object from its pool.
pub(super) fn remove<T, K: Kind>(
    pool: &mut Pool<'_, T>,
    handle: Handle<K>,
) -> Result<T, PipeError> {
    pool.remove(handle.raw()).ok_or(PipeError::stale(handle))
}

impl<'s, 'm> NullContext<'s, 'm> {
    /// Creates a context of `screen`, in the screen's memory.
    pub fn new(screen: &'s NullScreen<'m>) -> Self {
        let memory = screen.memory;
        Self {
            screen,
            blends: Pool::new_in(memory),
            depth_stencil_alphas: Pool::new_in(memory),
            rasterizers: Pool::new_in(memory),
            samplers: Pool::new_in(memory),
            vertex_elements: Pool::new_in(memory),
            shaders: Pool::new_in(memory),
            views: Pool::new_in(memory),
            surfaces: Pool::new_in(memory),
            targets: Pool::new_in(memory),
            queries: Pool::new_in(memory),
            transfers: Pool::new_in(memory),
            bindless: Pool::new_in(memory),
        }
    }

    /// Returns the number of objects in the context.
    pub fn object_count(&self) -> usize {
        let counts = [
            self.blends.len(),
            self.depth_stencil_alphas.len(),
            self.rasterizers.len(),
            self.samplers.len(),
            self.vertex_elements.len(),
            self.shaders.len(),
            self.views.len(),
            self.surfaces.len(),
            self.targets.len(),
            self.queries.len(),
            self.transfers.len(),
            self.bindless.len(),
        ];
        counts.into_iter().fold(0, usize::saturating_add)
    }

    pub(super) fn resource(&self, resource: ResourceHandle) -> Result<(), PipeError> {
        self.screen.resource_template(resource).map(|_| ())
    }

    pub(super) fn shader(
        &self,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        let Some(handle) = handle else { return Ok(()) };
        match self.shaders.get(handle.raw()) {
            None => Err(PipeError::stale(handle)),
            Some(made_for) if *made_for != stage => {
                Err(PipeError::Invalid("the shader has another stage"))
            }
            Some(_) => Ok(()),
        }
    }

    pub(super) fn bindless(&self, handle: u64) -> Result<os_shim::pool::RawHandle, PipeError> {
        u32::try_from(handle)
            .ok()
            .and_then(os_shim::pool::RawHandle::from_bits)
            .filter(|raw| self.bindless.contains(*raw))
            .ok_or(PipeError::Invalid("the value is not a bindless handle"))
    }
}

impl<'m> Context<'m> for NullContext<'_, 'm> {}

/// Defines create, bind and delete of a kind of state object without contents.
macro_rules! triplet {
    ($pool:ident, $state:ty, $handle:ty, $create:ident, $bind:ident, $delete:ident) => {
        fn $create(&mut self, _state: $state) -> Result<$handle, PipeError> {
            Ok(Handle::new(self.$pool.insert(())?))
        }
        fn $bind(&mut self, handle: Option<$handle>) -> Result<(), PipeError> {
            all_live(&self.$pool, &[handle])
        }
        fn $delete(&mut self, handle: $handle) -> Result<(), PipeError> {
            remove(&mut self.$pool, handle)
        }
    };
}

impl<'m> CsoState<'m> for NullContext<'_, 'm> {
    triplet!(
        blends,
        &BlendState,
        BlendHandle,
        create_blend_state,
        bind_blend_state,
        delete_blend_state
    );
    triplet!(
        depth_stencil_alphas,
        &DepthStencilAlphaState,
        DepthStencilAlphaHandle,
        create_depth_stencil_alpha_state,
        bind_depth_stencil_alpha_state,
        delete_depth_stencil_alpha_state
    );
    triplet!(
        rasterizers,
        &RasterizerState,
        RasterizerHandle,
        create_rasterizer_state,
        bind_rasterizer_state,
        delete_rasterizer_state
    );
    triplet!(
        vertex_elements,
        &[VertexElement],
        VertexElementsHandle,
        create_vertex_elements_state,
        bind_vertex_elements_state,
        delete_vertex_elements_state
    );

    fn create_sampler_state(&mut self, _state: &SamplerState) -> Result<SamplerHandle, PipeError> {
        Ok(Handle::new(self.samplers.insert(())?))
    }

    fn bind_sampler_states(
        &mut self,
        _stage: ShaderType,
        _start: usize,
        handles: &[Option<SamplerHandle>],
    ) -> Result<(), PipeError> {
        all_live(&self.samplers, handles)
    }

    fn delete_sampler_state(&mut self, handle: SamplerHandle) -> Result<(), PipeError> {
        remove(&mut self.samplers, handle)
    }

    fn create_shader_state(
        &mut self,
        stage: ShaderType,
        _state: &ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        Ok(Handle::new(self.shaders.insert(stage)?))
    }

    fn bind_shader_state(
        &mut self,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        self.shader(stage, handle)
    }

    fn delete_shader_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        remove(&mut self.shaders, handle).map(|_| ())
    }

    fn link_shader(
        &mut self,
        handles: &[Option<ShaderHandle>; ShaderType::COUNT],
    ) -> Result<(), PipeError> {
        all_live(&self.shaders, handles)
    }

    fn set_inlinable_constants(
        &mut self,
        _stage: ShaderType,
        _values: &[u32],
    ) -> Result<(), PipeError> {
        Ok(())
    }
}

impl ResourceBinding for NullContext<'_, '_> {
    fn set_constant_buffer(
        &mut self,
        _stage: ShaderType,
        _index: usize,
        buffer: Option<ConstantBuffer<'_>>,
    ) -> Result<(), PipeError> {
        match buffer {
            Some(ConstantBuffer::Resource { resource, .. }) => self.resource(resource),
            _ => Ok(()),
        }
    }

    fn set_framebuffer_state(&mut self, state: &FramebufferState) -> Result<(), PipeError> {
        state.attachments().try_for_each(|surface| live(&self.surfaces, surface))
    }

    fn set_vertex_buffers(
        &mut self,
        _start: usize,
        buffers: &[Option<VertexBuffer>],
    ) -> Result<(), PipeError> {
        buffers.iter().flatten().try_for_each(|buffer| self.resource(buffer.resource))
    }
}

impl Parameters for NullContext<'_, '_> {
    fn set_stencil_ref(&mut self, _reference: StencilRef) {}
    fn set_blend_color(&mut self, _color: &BlendColor) {}
    fn set_sample_mask(&mut self, _mask: u32) {}
    fn set_min_samples(&mut self, _samples: u8) {}
    fn set_clip_state(&mut self, _state: &ClipState) {}
    fn set_polygon_stipple(&mut self, _stipple: &PolyStipple) {}

    fn set_scissor_states(
        &mut self,
        _start: usize,
        _scissors: &[ScissorState],
    ) -> Result<(), PipeError> {
        Ok(())
    }

    fn set_viewport_states(
        &mut self,
        _start: usize,
        _viewports: &[ViewportState],
    ) -> Result<(), PipeError> {
        Ok(())
    }

    fn set_window_rectangles(&mut self, _rectangles: &WindowRectangles) -> Result<(), PipeError> {
        Ok(())
    }

    fn set_sample_locations(&mut self, _locations: &[u8]) -> Result<(), PipeError> {
        Ok(())
    }

    fn set_patch_vertices(&mut self, _vertices: u8) -> Result<(), PipeError> {
        Ok(())
    }
}

impl SamplerViews for NullContext<'_, '_> {
    fn create_sampler_view(
        &mut self,
        resource: ResourceHandle,
        _template: &SamplerViewTemplate,
    ) -> Result<SamplerViewHandle, PipeError> {
        self.resource(resource)?;
        Ok(Handle::new(self.views.insert(())?))
    }

    fn sampler_view_destroy(&mut self, view: SamplerViewHandle) -> Result<(), PipeError> {
        remove(&mut self.views, view)
    }

    fn set_sampler_views(
        &mut self,
        _stage: ShaderType,
        _start: usize,
        views: &[Option<SamplerViewHandle>],
    ) -> Result<(), PipeError> {
        all_live(&self.views, views)
    }

    fn generate_mipmap(
        &mut self,
        resource: ResourceHandle,
        _format: formats::Format,
        _base_level: u32,
        _last_level: u32,
        _first_layer: u32,
        _last_layer: u32,
    ) -> Result<(), PipeError> {
        self.resource(resource)
    }
}

impl ShaderResources for NullContext<'_, '_> {
    fn set_shader_buffers(
        &mut self,
        _stage: ShaderType,
        _start: usize,
        buffers: &[Option<ShaderBuffer>],
        _writable: u32,
    ) -> Result<(), PipeError> {
        buffers.iter().flatten().try_for_each(|buffer| self.resource(buffer.resource))
    }

    fn set_shader_images(
        &mut self,
        _stage: ShaderType,
        _start: usize,
        images: &[Option<ImageView>],
    ) -> Result<(), PipeError> {
        images.iter().flatten().try_for_each(|image| self.resource(image.resource))
    }

    fn set_hw_atomic_buffers(
        &mut self,
        _start: usize,
        buffers: &[Option<ShaderBuffer>],
    ) -> Result<(), PipeError> {
        buffers.iter().flatten().try_for_each(|buffer| self.resource(buffer.resource))
    }
}

impl Surfaces for NullContext<'_, '_> {
    fn create_surface(
        &mut self,
        resource: ResourceHandle,
        _template: &SurfaceTemplate,
    ) -> Result<SurfaceHandle, PipeError> {
        self.resource(resource)?;
        Ok(Handle::new(self.surfaces.insert(resource)?))
    }

    fn surface_destroy(&mut self, surface: SurfaceHandle) -> Result<(), PipeError> {
        remove(&mut self.surfaces, surface).map(|_| ())
    }
}

impl StreamOutputs for NullContext<'_, '_> {
    fn create_stream_output_target(
        &mut self,
        resource: ResourceHandle,
        _offset: u32,
        _size: u32,
    ) -> Result<StreamOutputTargetHandle, PipeError> {
        self.resource(resource)?;
        Ok(Handle::new(self.targets.insert(())?))
    }

    fn stream_output_target_destroy(
        &mut self,
        target: StreamOutputTargetHandle,
    ) -> Result<(), PipeError> {
        remove(&mut self.targets, target)
    }

    fn set_stream_output_targets(
        &mut self,
        targets: &[Option<StreamOutputTargetHandle>],
        _offsets: &[Option<u32>],
    ) -> Result<(), PipeError> {
        all_live(&self.targets, targets)
    }

    fn stream_output_target_offset(
        &mut self,
        target: StreamOutputTargetHandle,
    ) -> Result<u32, PipeError> {
        live(&self.targets, target).map(|()| 0)
    }
}
