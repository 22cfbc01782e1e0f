//! Constant state objects: create, bind, delete (manual, chapter CSO).

use super::unsupported;
use crate::error::PipeError;
use crate::handle::{
    BlendHandle, DepthStencilAlphaHandle, RasterizerHandle, SamplerHandle, ShaderHandle,
    VertexElementsHandle,
};
use crate::shader::{ShaderState, ShaderType};
use crate::state::{
    BlendState, DepthStencilAlphaState, RasterizerState, SamplerState, VertexElement,
};

/// State filled out once, checked and precomputed at creation, bound by handle.
///
/// `create_*` fails when memory runs out ([`PipeError::OutOfMemory`]) or the driver lacks what the
/// state asks for; `bind_*` holds from the next draw on, and with `None` unbinds; `delete_*` of a
/// bound object unbinds it first. The handle of a deleted object is [`PipeError::StaleHandle`]
/// everywhere.
pub trait CsoState<'m> {
    /// Creates a blend state object.
    ///
    /// # Errors
    /// See the trait.
    fn create_blend_state(&mut self, state: &BlendState) -> Result<BlendHandle, PipeError>;
    /// Binds a blend state.
    ///
    /// # Errors
    /// The handle is stale.
    fn bind_blend_state(&mut self, handle: Option<BlendHandle>) -> Result<(), PipeError>;
    /// Destroys a blend state object.
    ///
    /// # Errors
    /// The handle is stale.
    fn delete_blend_state(&mut self, handle: BlendHandle) -> Result<(), PipeError>;

    /// Creates a depth, stencil and alpha state object.
    ///
    /// # Errors
    /// See the trait.
    fn create_depth_stencil_alpha_state(
        &mut self,
        state: &DepthStencilAlphaState,
    ) -> Result<DepthStencilAlphaHandle, PipeError>;
    /// Binds a depth, stencil and alpha state.
    ///
    /// # Errors
    /// The handle is stale.
    fn bind_depth_stencil_alpha_state(
        &mut self,
        handle: Option<DepthStencilAlphaHandle>,
    ) -> Result<(), PipeError>;
    /// Destroys a depth, stencil and alpha state object.
    ///
    /// # Errors
    /// The handle is stale.
    fn delete_depth_stencil_alpha_state(
        &mut self,
        handle: DepthStencilAlphaHandle,
    ) -> Result<(), PipeError>;

    /// Creates a rasterizer state object.
    ///
    /// # Errors
    /// See the trait.
    fn create_rasterizer_state(
        &mut self,
        state: &RasterizerState,
    ) -> Result<RasterizerHandle, PipeError>;
    /// Binds a rasterizer state.
    ///
    /// # Errors
    /// The handle is stale.
    fn bind_rasterizer_state(&mut self, handle: Option<RasterizerHandle>) -> Result<(), PipeError>;
    /// Destroys a rasterizer state object.
    ///
    /// # Errors
    /// The handle is stale.
    fn delete_rasterizer_state(&mut self, handle: RasterizerHandle) -> Result<(), PipeError>;

    /// Creates a sampler state object.
    ///
    /// # Errors
    /// See the trait.
    fn create_sampler_state(&mut self, state: &SamplerState) -> Result<SamplerHandle, PipeError>;
    /// Binds samplers to slots `start..` of a stage; `None` unbinds a slot, other slots stay.
    ///
    /// # Errors
    /// A handle is stale, or a slot is beyond `MAX_SAMPLERS`; then nothing changes.
    fn bind_sampler_states(
        &mut self,
        stage: ShaderType,
        start: usize,
        handles: &[Option<SamplerHandle>],
    ) -> Result<(), PipeError>;
    /// Destroys a sampler state object.
    ///
    /// # Errors
    /// The handle is stale.
    fn delete_sampler_state(&mut self, handle: SamplerHandle) -> Result<(), PipeError>;

    /// Creates a vertex elements object: element i feeds input i of the vertex shader.
    ///
    /// # Errors
    /// See the trait; [`PipeError::OutOfRange`] for more than `MAX_ATTRIBS` elements.
    fn create_vertex_elements_state(
        &mut self,
        elements: &[VertexElement],
    ) -> Result<VertexElementsHandle, PipeError>;
    /// Binds vertex elements.
    ///
    /// # Errors
    /// The handle is stale.
    fn bind_vertex_elements_state(
        &mut self,
        handle: Option<VertexElementsHandle>,
    ) -> Result<(), PipeError>;
    /// Destroys a vertex elements object.
    ///
    /// # Errors
    /// The handle is stale.
    fn delete_vertex_elements_state(
        &mut self,
        handle: VertexElementsHandle,
    ) -> Result<(), PipeError>;

    /// Creates a shader of any stage but compute: Gallium's `create_vs_state`, `create_fs_state`
    /// and so on.
    ///
    /// # Errors
    /// See the trait; [`PipeError::Shader`] when the code is no shader of this stage,
    /// [`PipeError::Unsupported`] for a stage the driver lacks.
    fn create_shader_state(
        &mut self,
        stage: ShaderType,
        state: &ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError>;
    /// Binds a shader.
    ///
    /// # Errors
    /// The handle is stale, or names a shader of another stage.
    fn bind_shader_state(
        &mut self,
        stage: ShaderType,
        handle: Option<ShaderHandle>,
    ) -> Result<(), PipeError>;
    /// Destroys a shader.
    ///
    /// # Errors
    /// The handle is stale.
    fn delete_shader_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError>;

    /// Creates a vertex shader.
    ///
    /// # Errors
    /// As [`create_shader_state`](Self::create_shader_state).
    fn create_vs_state(&mut self, state: &ShaderState<'_, 'm>) -> Result<ShaderHandle, PipeError> {
        self.create_shader_state(ShaderType::Vertex, state)
    }
    /// Creates a fragment shader.
    ///
    /// # Errors
    /// As [`create_shader_state`](Self::create_shader_state).
    fn create_fs_state(&mut self, state: &ShaderState<'_, 'm>) -> Result<ShaderHandle, PipeError> {
        self.create_shader_state(ShaderType::Fragment, state)
    }
    /// Binds a vertex shader.
    ///
    /// # Errors
    /// As [`bind_shader_state`](Self::bind_shader_state).
    fn bind_vs_state(&mut self, handle: Option<ShaderHandle>) -> Result<(), PipeError> {
        self.bind_shader_state(ShaderType::Vertex, handle)
    }
    /// Binds a fragment shader.
    ///
    /// # Errors
    /// As [`bind_shader_state`](Self::bind_shader_state).
    fn bind_fs_state(&mut self, handle: Option<ShaderHandle>) -> Result<(), PipeError> {
        self.bind_shader_state(ShaderType::Fragment, handle)
    }

    /// Announces that these shaders, one per stage, will be used together, so that the driver can
    /// prepare.
    ///
    /// # Errors
    /// A handle is stale. Drivers without linking accept anything.
    fn link_shader(
        &mut self,
        handles: &[Option<ShaderHandle>; ShaderType::COUNT],
    ) -> Result<(), PipeError> {
        let _ = handles;
        Ok(())
    }

    /// Sets 32-bit constants of buffer 0 that the driver may build into the bound shader.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`]: nothing is lost, because the constants are in the buffer too.
    fn set_inlinable_constants(
        &mut self,
        stage: ShaderType,
        values: &[u32],
    ) -> Result<(), PipeError> {
        let _ = (stage, values);
        unsupported("inlinable constants")
    }
}
