//! Constant state objects: create, bind, delete.

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
/// `create_*` fails when memory runs out ([`PipeError::OutOfMemory`]) or the state is beyond
/// the driver; `bind_*` with `None` unbinds; `delete_*` of a bound object unbinds it first.
/// A handle of a deleted object is [`PipeError::StaleHandle`] everywhere.
pub trait CsoState<'m> {
    /// Makes a blend state object.
    ///
    /// # Errors
    /// See the trait.
    fn create_blend_state(&mut self, state: &BlendState) -> Result<BlendHandle, PipeError>;
    /// Uses a blend state from the next draw on.
    ///
    /// # Errors
    /// The handle is stale.
    fn bind_blend_state(&mut self, handle: Option<BlendHandle>) -> Result<(), PipeError>;
    /// Destroys a blend state object.
    ///
    /// # Errors
    /// The handle is stale.
    fn delete_blend_state(&mut self, handle: BlendHandle) -> Result<(), PipeError>;

    /// Makes a depth, stencil and alpha state object.
    ///
    /// # Errors
    /// See the trait.
    fn create_depth_stencil_alpha_state(
        &mut self,
        state: &DepthStencilAlphaState,
    ) -> Result<DepthStencilAlphaHandle, PipeError>;
    /// Uses a depth, stencil and alpha state from the next draw on.
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

    /// Makes a rasterizer state object.
    ///
    /// # Errors
    /// See the trait.
    fn create_rasterizer_state(
        &mut self,
        state: &RasterizerState,
    ) -> Result<RasterizerHandle, PipeError>;
    /// Uses a rasterizer state from the next draw on.
    ///
    /// # Errors
    /// The handle is stale.
    fn bind_rasterizer_state(&mut self, handle: Option<RasterizerHandle>) -> Result<(), PipeError>;
    /// Destroys a rasterizer state object.
    ///
    /// # Errors
    /// The handle is stale.
    fn delete_rasterizer_state(&mut self, handle: RasterizerHandle) -> Result<(), PipeError>;

    /// Makes a sampler state object.
    ///
    /// # Errors
    /// See the trait.
    fn create_sampler_state(&mut self, state: &SamplerState) -> Result<SamplerHandle, PipeError>;
    /// Uses samplers in slots `start..` of a stage from the next draw on; `None` unbinds a
    /// slot, other slots stay.
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

    /// Makes a vertex elements object: element i is input i of the vertex shader.
    ///
    /// # Errors
    /// See the trait; [`PipeError::OutOfRange`] for more than `MAX_ATTRIBS` elements.
    fn create_vertex_elements_state(
        &mut self,
        elements: &[VertexElement],
    ) -> Result<VertexElementsHandle, PipeError>;
    /// Uses vertex elements from the next draw on.
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

    /// Makes a shader of any stage but compute. `create_vs_state`, `create_fs_state` and so on
    /// in Gallium.
    ///
    /// # Errors
    /// See the trait; [`PipeError::Shader`] when the code is not a shader of this stage,
    /// [`PipeError::Unsupported`] for a stage the driver does not have.
    fn create_shader_state(
        &mut self,
        stage: ShaderType,
        state: &ShaderState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError>;
    /// Uses a shader from the next draw on.
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

    /// Makes a vertex shader.
    ///
    /// # Errors
    /// As [`create_shader_state`](Self::create_shader_state).
    fn create_vs_state(&mut self, state: &ShaderState<'_, 'm>) -> Result<ShaderHandle, PipeError> {
        self.create_shader_state(ShaderType::Vertex, state)
    }
    /// Makes a fragment shader.
    ///
    /// # Errors
    /// As [`create_shader_state`](Self::create_shader_state).
    fn create_fs_state(&mut self, state: &ShaderState<'_, 'm>) -> Result<ShaderHandle, PipeError> {
        self.create_shader_state(ShaderType::Fragment, state)
    }
    /// Uses a vertex shader from the next draw on.
    ///
    /// # Errors
    /// As [`bind_shader_state`](Self::bind_shader_state).
    fn bind_vs_state(&mut self, handle: Option<ShaderHandle>) -> Result<(), PipeError> {
        self.bind_shader_state(ShaderType::Vertex, handle)
    }
    /// Uses a fragment shader from the next draw on.
    ///
    /// # Errors
    /// As [`bind_shader_state`](Self::bind_shader_state).
    fn bind_fs_state(&mut self, handle: Option<ShaderHandle>) -> Result<(), PipeError> {
        self.bind_shader_state(ShaderType::Fragment, handle)
    }

    /// Tells that these stages will be used together, so the driver can prepare.
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

    /// Sets constants of buffer 0 that the driver may build into the bound shader.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`]: nothing is lost, the constants are in the buffer too.
    fn set_inlinable_constants(
        &mut self,
        stage: ShaderType,
        values: &[u32],
    ) -> Result<(), PipeError> {
        let _ = (stage, values);
        unsupported("inlinable constants")
    }
}
