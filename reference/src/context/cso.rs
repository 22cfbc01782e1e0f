//! Constant state objects: create, bind, delete.

use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::context::CsoState;
use pipe_core::{
    BlendHandle, BlendState, DepthStencilAlphaHandle, DepthStencilAlphaState, PipeError,
    RasterizerHandle, RasterizerState, SamplerHandle, SamplerState, ShaderHandle, ShaderState,
    ShaderType, VertexElement, VertexElementsHandle,
};

use super::views::{Surface, View};
use super::{Context, bind_range, object, refuse};
use crate::shader::Shader;
use crate::texture::MAX_ANISOTROPY;

/// The objects of a context.
#[derive(Debug)]
pub(super) struct Objects<'m> {
    pub(super) blends: Pool<'m, BlendState>,
    pub(super) depth_stencil_alphas: Pool<'m, DepthStencilAlphaState>,
    pub(super) rasterizers: Pool<'m, RasterizerState>,
    pub(super) samplers: Pool<'m, SamplerState>,
    pub(super) elements: Pool<'m, Vec<'m, VertexElement>>,
    pub(super) shaders: Pool<'m, Shader<'m>>,
    pub(super) views: Pool<'m, View<'m>>,
    pub(super) surfaces: Pool<'m, Surface<'m>>,
}

impl<'m> Objects<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        Objects {
            blends: Pool::new_in(memory),
            depth_stencil_alphas: Pool::new_in(memory),
            rasterizers: Pool::new_in(memory),
            samplers: Pool::new_in(memory),
            elements: Pool::new_in(memory),
            shaders: Pool::new_in(memory),
            views: Pool::new_in(memory),
            surfaces: Pool::new_in(memory),
        }
    }
}

/// Accepts every state: the driver can draw with all of them.
fn accept<T>(_: &T) -> Result<(), PipeError> {
    Ok(())
}

/// Returns an error for members of a rasterizer state that the driver lacks.
fn check_rasterizer(state: &RasterizerState) -> Result<(), PipeError> {
    let precise = state.subpixel_precision_x | state.subpixel_precision_y != 0;
    refuse(precise, "subpixel_precision_x and _y")?;
    refuse(state.tile_raster_order_fixed, "tile_raster_order_fixed")
}

/// Unbinds a deleted object from all slots.
fn unbind(bound: &mut [Option<RawHandle>], deleted: RawHandle) {
    for slot in bound {
        *slot = slot.filter(|slot| *slot != deleted);
    }
}

macro_rules! objects {
    ($(
        $create:ident, $bind:ident, $delete:ident:
        $pool:ident, $bound:ident, $state:ty, $handle:ident, $check:ident;
    )+) => { $(
        fn $create(&mut self, state: &$state) -> Result<$handle, PipeError> {
            $check(state)?;
            Ok($handle::new(self.objects.$pool.insert(*state)?))
        }

        fn $bind(&mut self, handle: Option<$handle>) -> Result<(), PipeError> {
            let mut slot = [None];
            bind_range(stringify!($bound), &self.objects.$pool, &mut slot, 0, &[handle])?;
            [self.bound.$bound] = slot;
            Ok(())
        }

        fn $delete(&mut self, handle: $handle) -> Result<(), PipeError> {
            object(&self.objects.$pool, handle)?;
            unbind(core::slice::from_mut(&mut self.bound.$bound), handle.raw());
            self.objects.$pool.remove(handle.raw());
            Ok(())
        }
    )+ };
}

impl<'m> CsoState<'m> for Context<'_, 'm> {
    objects! {
        create_blend_state, bind_blend_state, delete_blend_state:
            blends, blend, BlendState, BlendHandle, accept;
        create_depth_stencil_alpha_state, bind_depth_stencil_alpha_state,
        delete_depth_stencil_alpha_state:
            depth_stencil_alphas, depth_stencil_alpha, DepthStencilAlphaState,
            DepthStencilAlphaHandle, accept;
        create_rasterizer_state, bind_rasterizer_state, delete_rasterizer_state:
            rasterizers, rasterizer, RasterizerState, RasterizerHandle, check_rasterizer;
    }

    fn create_sampler_state(&mut self, state: &SamplerState) -> Result<SamplerHandle, PipeError> {
        PipeError::at_most("max_anisotropy", state.max_anisotropy.into(), MAX_ANISOTROPY.into())?;
        Ok(SamplerHandle::new(self.objects.samplers.insert(*state)?))
    }

    fn bind_sampler_states(
        &mut self,
        stage: ShaderType,
        start: usize,
        handles: &[Option<SamplerHandle>],
    ) -> Result<(), PipeError> {
        let slots = &mut self.bound.stages[stage].samplers;
        bind_range("samplers", &self.objects.samplers, slots, start, handles)
    }

    fn delete_sampler_state(&mut self, handle: SamplerHandle) -> Result<(), PipeError> {
        object(&self.objects.samplers, handle)?;
        for stage in &mut self.bound.stages.0 {
            unbind(&mut stage.samplers, handle.raw());
        }
        self.objects.samplers.remove(handle.raw());
        Ok(())
    }

    fn create_vertex_elements_state(
        &mut self,
        elements: &[VertexElement],
    ) -> Result<VertexElementsHandle, PipeError> {
        let mut inputs = Vec::new_in(self.device.os.memory);
        for element in elements {
            inputs.try_extend(element.inputs())?;
        }
        Ok(VertexElementsHandle::new(self.objects.elements.insert(inputs)?))
    }

    fn bind_vertex_elements_state(
        &mut self,
        handle: Option<VertexElementsHandle>,
    ) -> Result<(), PipeError> {
        let mut slot = [None];
        bind_range("elements", &self.objects.elements, &mut slot, 0, &[handle])?;
        [self.bound.elements] = slot;
        Ok(())
    }

    fn delete_vertex_elements_state(
        &mut self,
        handle: VertexElementsHandle,
    ) -> Result<(), PipeError> {
        object(&self.objects.elements, handle)?;
        unbind(core::slice::from_mut(&mut self.bound.elements), handle.raw());
        self.objects.elements.remove(handle.raw());
        Ok(())
    }

    fn create_shader_state(
        &mut self,
        stage: ShaderType,
        state: &ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        let shader = Shader::new(stage, state, self.device.os.memory)?;
        Ok(ShaderHandle::new(self.objects.shaders.insert(shader)?))
    }

    fn bind_shader_state(
        &mut self,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        if let Some(handle) = handle {
            let shader = object(&self.objects.shaders, handle)?;
            if shader.program().processor != stage.processor() {
                return Err(PipeError::Invalid("the shader has another stage"));
            }
        }
        self.bound.stages[stage].shader = handle.map(ShaderHandle::raw);
        Ok(())
    }

    fn delete_shader_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        object(&self.objects.shaders, handle)?;
        for stage in &mut self.bound.stages.0 {
            unbind(core::slice::from_mut(&mut stage.shader), handle.raw());
        }
        self.objects.shaders.remove(handle.raw());
        Ok(())
    }
}
