//! Constant state objects and shaders.

use os_shim::Vec;
use pipe_core::context::CsoState;
use pipe_core::limits::{MAX_ATTRIBS, MAX_SAMPLERS};
use pipe_core::{
    BlendHandle, BlendState, DepthStencilAlphaHandle, DepthStencilAlphaState, PipeError,
    RasterizerHandle, RasterizerState, SamplerHandle, SamplerState, ShaderHandle, ShaderState,
    ShaderType, VertexElement, VertexElementsHandle,
};

use crate::context::Context;
use crate::device::pool_error;
use crate::features::{ALL_FORMATS, STAGES, TEXTURES};
use crate::profile::Profile;
use crate::report::Features;
use crate::resource::NO_TEXTURES;
use crate::shader::Shader;
use crate::state::unsupported::Needs;
use crate::state::{check, has_stage, object, set_range, unsupported};

/// Implements the three methods of a kind of object that is plain data.
macro_rules! objects {
    ($($create:ident, $bind:ident, $delete:ident: $pool:ident, $bound:ident, $state:ty, $handle:ident;)+) => { $(
        fn $create(&mut self, state: &$state) -> Result<$handle, PipeError> {
            self.graphics()?;
            self.renderer.device.note_refusal(unsupported::$bound(state))?;
            self.renderer.device.note_used(|| state.needs());
            self.state.objects.$pool.insert(*state).map($handle::new).map_err(pool_error)
        }

        fn $bind(&mut self, handle: Option<$handle>) -> Result<(), PipeError> {
            check(&self.state.objects.$pool, handle)?;
            self.state.bound.$bound = handle.map($handle::raw);
            self.touch();
            Ok(())
        }

        fn $delete(&mut self, handle: $handle) -> Result<(), PipeError> {
            object(&self.state.objects.$pool, handle)?;
            if self.state.bound.$bound == Some(handle.raw()) {
                self.$bind(None)?;
            }
            self.state.objects.$pool.remove(handle.raw());
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
        self.renderer.device.note_refusal(unsupported::sampler(state))?;
        self.state.objects.samplers.insert(*state).map(SamplerHandle::new).map_err(pool_error)
    }

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
            check(&self.state.objects.samplers, *handle)?;
        }
        let Some(samplers) = self.state.bound.samplers.get_mut(stage) else {
            return if handles.iter().all(Option::is_none) {
                Ok(())
            } else {
                Err(PipeError::Unsupported("samplers of this stage"))
            };
        };
        let handles = handles.iter().map(|handle| handle.map(SamplerHandle::raw));
        set_range(samplers, start, handles)?;
        self.touch();
        Ok(())
    }

    fn delete_sampler_state(&mut self, handle: SamplerHandle) -> Result<(), PipeError> {
        object(&self.state.objects.samplers, handle)?;
        for bound in self.state.bound.samplers.iter_mut().flat_map(|samplers| samplers.iter_mut()) {
            bound.take_if(|bound| *bound == handle.raw());
        }
        self.touch();
        self.state.objects.samplers.remove(handle.raw());
        Ok(())
    }

    fn create_vertex_elements_state(
        &mut self,
        elements: &[VertexElement],
    ) -> Result<VertexElementsHandle, PipeError> {
        self.graphics()?;
        unsupported::vertex_elements(elements)?;
        let is_common = |element: &VertexElement| {
            !element.dual_slot && draw::is_common_attribute(element.src_format)
        };
        self.renderer.device.note_used(|| match elements.iter().all(is_common) {
            true => Features::empty(),
            false => Features::ALL_FORMATS,
        });
        let mut inputs = Vec::new_in(self.renderer.device.os.memory);
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
            inputs = Vec::try_from_slice_in(elements, self.renderer.device.os.memory)?;
        }
        self.state
            .objects
            .elements
            .insert(inputs)
            .map(VertexElementsHandle::new)
            .map_err(pool_error)
    }

    fn bind_vertex_elements_state(
        &mut self,
        handle: Option<VertexElementsHandle>,
    ) -> Result<(), PipeError> {
        check(&self.state.objects.elements, handle)?;
        self.state.bound.elements = handle.map(VertexElementsHandle::raw);
        Ok(())
    }

    fn delete_vertex_elements_state(
        &mut self,
        handle: VertexElementsHandle,
    ) -> Result<(), PipeError> {
        object(&self.state.objects.elements, handle)?;
        self.state.bound.elements.take_if(|bound| *bound == handle.raw());
        self.state.objects.elements.remove(handle.raw());
        Ok(())
    }

    fn create_shader_state(
        &mut self,
        stage: ShaderType,
        state: &ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        if !has_stage(stage) {
            return Err(PipeError::Unsupported("shaders of this stage"));
        }
        if stage != ShaderType::Compute {
            self.graphics()?;
        }
        if !STAGES && !state.stream_output.outputs.is_empty() {
            return Err(PipeError::Unsupported("stream output"));
        }
        let streams = if STAGES { 4 } else { 1 };
        let beyond = state.stream_output.outputs.iter().any(|output| output.stream >= streams);
        if STAGES && beyond {
            return Err(PipeError::Unsupported("as many vertex streams"));
        }
        let device = self.renderer.device;
        let shader = Shader::new(&state.source, device.generator, device.debug, device.os)?;
        device.note_used(|| crate::shader::needs(&shader.program()));
        self.renderer.add_shader(&mut self.state, stage, shader, &state.stream_output)
    }

    fn bind_shader_state(
        &mut self,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError> {
        let Some(bound) = self.state.bound.shaders.get_mut(stage) else {
            return match handle {
                Some(_) => Err(PipeError::Unsupported("shaders of this stage")),
                None => Ok(()),
            };
        };
        if let Some(handle) = handle {
            let shader = object(&self.state.objects.shaders, handle)?;
            if shader.program().processor != stage.processor() {
                return Err(PipeError::Invalid("the shader has another stage"));
            }
        }
        *bound = handle.map(ShaderHandle::raw);
        self.touch();
        Ok(())
    }

    fn delete_shader_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        self.renderer.delete_shader(&mut self.state, handle)
    }
}
