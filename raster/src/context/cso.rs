//! Constant state objects, stored as created and derived once per draw.

use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::{Pool, RawHandle};
use pipe_core::context::CsoState;
use pipe_core::limits::{MAX_ATTRIBS, MAX_SAMPLERS};
use pipe_core::{
    BlendHandle, BlendState, DepthStencilAlphaHandle, DepthStencilAlphaState, PipeError,
    RasterizerHandle, RasterizerState, SamplerHandle, SamplerState, ShaderHandle, ShaderState,
    ShaderType, StreamOutputInfo, SurfaceTemplate, VertexElement, VertexElementsHandle,
};

use super::binding::{set_range, stage_index};
use super::bindless::Handles;
use super::flights::{Shaders, no_shaders};
use super::{Context, check, object, unsupported};
use crate::device::pool_error;
use crate::features::{ALL_FORMATS, GEOMETRY_SHADERS, STREAM_OUTPUT, TEXTURES};
use crate::profile::Profile;
use crate::resource::{NO_TEXTURES, ViewState};
use crate::shader::Shader;

/// A view of a resource to sample from.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) resource: RawHandle,
    pub(super) state: ViewState,
}

/// A view of a resource to draw to.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceObject {
    pub(super) resource: RawHandle,
    pub(super) template: SurfaceTemplate,
}

/// The context's objects.
#[derive(Debug)]
pub(super) struct Objects<'m> {
    pub(super) blends: Pool<'m, BlendState>,
    pub(super) depth_stencil_alphas: Pool<'m, DepthStencilAlphaState>,
    pub(super) rasterizers: Pool<'m, RasterizerState>,
    pub(super) samplers: Pool<'m, SamplerState>,
    pub(super) elements: Pool<'m, Vec<'m, VertexElement>>,
    pub(super) shaders: Shaders<'m>,
    pub(super) views: Pool<'m, View>,
    pub(super) surfaces: Pool<'m, SurfaceObject>,
    pub(super) handles: Handles<'m>,
}

impl<'m> Objects<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        Objects {
            blends: Pool::new_in(memory),
            depth_stencil_alphas: Pool::new_in(memory),
            rasterizers: Pool::new_in(memory),
            samplers: Pool::new_in(memory),
            elements: Pool::new_in(memory),
            shaders: no_shaders(memory),
            views: Pool::new_in(memory),
            surfaces: Pool::new_in(memory),
            handles: Handles::new_in(memory),
        }
    }

    /// Returns the shader of a bound handle.
    pub(super) fn shader(&self, bound: Option<RawHandle>) -> Option<&Shader<'m>> {
        self.shaders.get(bound?)
    }

    /// Returns the resources that views, surfaces and handles hold.
    pub(super) fn held(&self) -> impl Iterator<Item = RawHandle> {
        let views = self.views.iter().map(|(_, view)| view.resource);
        let surfaces = self.surfaces.iter().map(|(_, surface)| surface.resource);
        views.chain(surfaces).chain(self.handles.held())
    }
}

/// Implements the three methods of a kind of object that is plain data.
macro_rules! objects {
    ($($create:ident, $bind:ident, $delete:ident: $pool:ident, $bound:ident, $state:ty, $handle:ident;)+) => { $(
        fn $create(&mut self, state: &$state) -> Result<$handle, PipeError> {
            self.graphics()?;
            unsupported::$bound(state)?;
            self.objects.$pool.insert(*state).map($handle::new).map_err(pool_error)
        }

        fn $bind(&mut self, handle: Option<$handle>) -> Result<(), PipeError> {
            check(&self.objects.$pool, handle)?;
            self.bound.$bound = handle.map($handle::raw);
            self.touch();
            Ok(())
        }

        fn $delete(&mut self, handle: $handle) -> Result<(), PipeError> {
            object(&self.objects.$pool, handle)?;
            if self.bound.$bound == Some(handle.raw()) {
                self.$bind(None)?;
            }
            self.objects.$pool.remove(handle.raw());
            Ok(())
        }
    )+ };
}

impl<'m, P: Profile> CsoState<'m> for Context<'_, 'm, P> {
    objects! {
        create_blend_state, bind_blend_state, delete_blend_state:
            blends, blend, BlendState, BlendHandle;
        create_depth_stencil_alpha_state, bind_depth_stencil_alpha_state,
        delete_depth_stencil_alpha_state:
            depth_stencil_alphas, depth_stencil_alpha, DepthStencilAlphaState,
            DepthStencilAlphaHandle;
        create_rasterizer_state, bind_rasterizer_state, delete_rasterizer_state:
            rasterizers, rasterizer, RasterizerState, RasterizerHandle;
    }

    fn create_sampler_state(&mut self, state: &SamplerState) -> Result<SamplerHandle, PipeError> {
        if !TEXTURES {
            return Err(NO_TEXTURES);
        }
        unsupported::sampler(state)?;
        self.objects.samplers.insert(*state).map(SamplerHandle::new).map_err(pool_error)
    }

    #[expect(clippy::indexing_slicing, reason = "`stage_index` returns the arrays' indices")]
    fn bind_sampler_states(
        &mut self,
        stage: ShaderType,
        start: usize,
        handles: &[Option<SamplerHandle>],
    ) -> Result<(), PipeError> {
        if !TEXTURES {
            return if handles.iter().all(Option::is_none) { Ok(()) } else { Err(NO_TEXTURES) };
        }
        let end = start.saturating_add(handles.len()) as u64;
        PipeError::at_most("samplers", end, MAX_SAMPLERS as u64)?;
        for handle in handles {
            check(&self.objects.samplers, *handle)?;
        }
        let Some(stage) = stage_index(stage) else {
            return if handles.iter().all(Option::is_none) {
                Ok(())
            } else {
                Err(PipeError::Unsupported("samplers of this stage"))
            };
        };
        let handles = handles.iter().map(|handle| handle.map(SamplerHandle::raw));
        set_range(&mut self.bound.samplers[stage], start, handles)?;
        self.touch();
        Ok(())
    }

    fn delete_sampler_state(&mut self, handle: SamplerHandle) -> Result<(), PipeError> {
        object(&self.objects.samplers, handle)?;
        for bound in self.bound.samplers.iter_mut().flatten() {
            bound.take_if(|bound| *bound == handle.raw());
        }
        self.touch();
        self.objects.samplers.remove(handle.raw());
        Ok(())
    }

    fn create_vertex_elements_state(
        &mut self,
        elements: &[VertexElement],
    ) -> Result<VertexElementsHandle, PipeError> {
        self.graphics()?;
        unsupported::vertex_elements(elements)?;
        let mut inputs = Vec::new_in(self.os.memory);
        if ALL_FORMATS {
            for element in elements {
                inputs.try_extend(element.inputs())?;
            }
            PipeError::at_most(
                "inputs of vertex elements",
                inputs.len() as u64,
                MAX_ATTRIBS as u64,
            )?;
        } else {
            inputs = Vec::try_from_slice_in(elements, self.os.memory)?;
        }
        self.objects.elements.insert(inputs).map(VertexElementsHandle::new).map_err(pool_error)
    }

    fn bind_vertex_elements_state(
        &mut self,
        handle: Option<VertexElementsHandle>,
    ) -> Result<(), PipeError> {
        check(&self.objects.elements, handle)?;
        self.bound.elements = handle.map(VertexElementsHandle::raw);
        Ok(())
    }

    fn delete_vertex_elements_state(
        &mut self,
        handle: VertexElementsHandle,
    ) -> Result<(), PipeError> {
        object(&self.objects.elements, handle)?;
        self.bound.elements.take_if(|bound| *bound == handle.raw());
        self.objects.elements.remove(handle.raw());
        Ok(())
    }

    fn create_shader_state(
        &mut self,
        stage: ShaderType,
        state: &ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        if stage_index(stage).is_none() {
            return Err(PipeError::Unsupported("shaders of this stage"));
        }
        if stage != ShaderType::Compute {
            self.graphics()?;
        }
        if !STREAM_OUTPUT && !state.stream_output.outputs.is_empty() {
            return Err(PipeError::Unsupported("stream output"));
        }
        let streams = if GEOMETRY_SHADERS { 4 } else { 1 };
        let beyond = state.stream_output.outputs.iter().any(|output| output.stream >= streams);
        if STREAM_OUTPUT && beyond {
            return Err(PipeError::Unsupported("as many vertex streams"));
        }
        let shader = Shader::new(&state.source, self.device.generator, self.device.debug, self.os)?;
        self.add_shader(stage, shader, &state.stream_output)
    }

    fn bind_shader_state(
        &mut self,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        let Some(index) = stage_index(stage) else {
            return match handle {
                Some(_) => Err(PipeError::Unsupported("shaders of this stage")),
                None => Ok(()),
            };
        };
        if let Some(handle) = handle {
            let shader = object(&self.objects.shaders, handle)?;
            if shader.program().processor != stage.processor() {
                return Err(PipeError::Invalid("a shader of another stage"));
            }
        }
        if let Some(bound) = self.bound.shaders.get_mut(index) {
            *bound = handle.map(ShaderHandle::raw);
        }
        self.touch();
        Ok(())
    }

    fn delete_shader_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        object(&self.objects.shaders, handle)?;
        self.shaders_mut()?;
        for bound in &mut self.bound.shaders {
            bound.take_if(|bound| *bound == handle.raw());
        }
        self.touch();
        // Draws that are not rasterized yet still need the shader.
        if self.scene.draws.iter().any(|draw| draw.shader == Some(handle.raw())) {
            self.settle_scene()?;
        }
        self.shaders_mut()?.remove(handle.raw());
        self.streams.remove_shader(handle.raw());
        Ok(())
    }
}

impl<'m, P: Profile> Context<'_, 'm, P> {
    /// Checks a shader and makes an object of it.
    ///
    /// # Errors
    /// A shader of another stage, or one that these lanes cannot run; out of memory.
    pub(super) fn add_shader(
        &mut self,
        stage: ShaderType,
        shader: Shader<'m>,
        stream_output: &StreamOutputInfo<'_>,
    ) -> Result<ShaderHandle, PipeError> {
        if shader.program().processor != stage.processor() {
            return Err(PipeError::Invalid("a shader of another stage"));
        }
        shader.check_lanes::<P::Row>()?;
        let program = shader.program();
        self.diagnostics.shader(format_args!(
            "{stage:?} shader: {} ops, {} rows",
            program.preamble.len() + program.body.len(),
            program.rows
        ));
        let raw = self.shaders_mut()?.insert(shader).map_err(pool_error)?;
        if let Err(error) = self.streams.add_shader(raw, stream_output) {
            self.shaders_mut()?.remove(raw);
            return Err(error.into());
        }
        Ok(ShaderHandle::new(raw))
    }
}
