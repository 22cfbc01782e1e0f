//! Shaders and state objects as one value.

use pipe_core::context::CsoState;
use pipe_core::{
    BlendHandle, BlendState, CompareFunc, DepthStencilAlphaHandle, DepthStencilAlphaState, Face,
    PipeError, RasterizerHandle, RasterizerState, RenderTargetBlendState, ShaderHandle,
    ShaderState, VertexElement, VertexElementsHandle,
};
use tgsi::program::Program;

use crate::device::Device;

/// The state that draws have besides their shaders and vertices. State that is `None` is disabled.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Surface {
    /// Blending; `None` replaces the pixels.
    pub blend: Option<BlendState>,
    /// Depth, stencil and alpha tests; with `None` every fragment passes and no depth is written.
    pub depth: Option<DepthStencilAlphaState>,
    /// Culling and the further rules for primitives; `None` draws both faces.
    pub rasterizer: Option<RasterizerState>,
}

impl Surface {
    /// Returns the state of closed bodies: nearer depth wins, back faces are culled.
    ///
    /// Front faces are counter-clockwise.
    pub fn solid() -> Self {
        Surface { rasterizer: Some(outside()), ..Self::sheet() }
    }

    /// Returns the state of thin things: nearer depth wins, both faces are drawn.
    pub fn sheet() -> Self {
        let depth = Some(DepthStencilAlphaState::depth(CompareFunc::Less));
        Surface { depth, ..Self::default() }
    }

    /// Returns the state of glass: alpha blending, tests depth and does not write it. Draw it after
    /// the opaque things, farthest first.
    pub fn glass() -> Self {
        let depth = DepthStencilAlphaState {
            depth_writemask: false,
            ..DepthStencilAlphaState::depth(CompareFunc::Less)
        };
        Surface { depth: Some(depth), ..Self::overlay() }
    }

    /// Returns the state of 2D pictures: alpha blending, no depth.
    pub fn overlay() -> Self {
        let blend = BlendState::uniform(RenderTargetBlendState::alpha_blending());
        Surface { blend: Some(blend), ..Self::default() }
    }

    /// Returns the state of backgrounds: no blending, no depth, both faces.
    pub fn flat() -> Self {
        Self::default()
    }
}

/// Returns the rasterizer state that culls back faces.
fn outside() -> RasterizerState {
    RasterizerState { cull_face: Face::Back, ..RasterizerState::default() }
}

/// The description of a [`Pipeline`].
///
/// The lifetime `'m` is that of the device's memory, and the programs are used in place.
#[derive(Clone, Copy)]
pub struct PipelineState<'a, 'm> {
    /// The vertex shader.
    pub vertex: &'m Program<'m>,
    /// The fragment shader.
    pub fragment: &'m Program<'m>,
    /// The places of the vertex shader's inputs in a vertex.
    pub elements: &'a [VertexElement],
    /// Blending, tests and culling.
    pub surface: &'a Surface,
}

/// The shaders and state objects of draws.
///
/// The handles are public: `Pipeline { blend: glass.blend, ..opaque }` shares objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pipeline {
    /// The vertex shader.
    pub vertex: ShaderHandle,
    /// The fragment shader.
    pub fragment: ShaderHandle,
    /// The vertex elements.
    pub elements: VertexElementsHandle,
    /// The blend state.
    pub blend: Option<BlendHandle>,
    /// The depth, stencil and alpha state.
    pub depth: Option<DepthStencilAlphaHandle>,
    /// The rasterizer state.
    pub rasterizer: Option<RasterizerHandle>,
}

impl Pipeline {
    /// Creates the objects of a pipeline.
    ///
    /// # Errors
    /// Out of memory, or the driver lacks what a shader or a state asks for. The objects that the
    /// call made before the error live as long as the context.
    pub fn new<'m>(
        device: &mut impl Device<'m>,
        state: &PipelineState<'_, 'm>,
    ) -> Result<Self, PipeError> {
        let context = device.context();
        let pipeline = Pipeline {
            vertex: context.create_vs_state(&ShaderState::program(state.vertex))?,
            fragment: context.create_fs_state(&ShaderState::program(state.fragment))?,
            elements: context.create_vertex_elements_state(state.elements)?,
            blend: None,
            depth: None,
            rasterizer: None,
        };
        pipeline.with_surface(device, state.surface)
    }

    /// Returns the pipeline with new objects for blending, tests and culling.
    ///
    /// # Errors
    /// See [`new`](Self::new).
    pub fn with_surface<'m>(
        self,
        device: &mut impl Device<'m>,
        surface: &Surface,
    ) -> Result<Self, PipeError> {
        let context = device.context();
        let Surface { blend, depth, rasterizer } = surface;
        let blend = blend.as_ref().map(|it| context.create_blend_state(it)).transpose()?;
        let depth =
            depth.as_ref().map(|it| context.create_depth_stencil_alpha_state(it)).transpose()?;
        let rasterizer =
            rasterizer.as_ref().map(|it| context.create_rasterizer_state(it)).transpose()?;
        Ok(Pipeline { blend, depth, rasterizer, ..self })
    }

    /// Binds all objects for the next draws.
    ///
    /// # Errors
    /// An object was deleted.
    pub fn bind<'m>(&self, device: &mut impl Device<'m>) -> Result<(), PipeError> {
        let context = device.context();
        context.bind_vs_state(Some(self.vertex))?;
        context.bind_fs_state(Some(self.fragment))?;
        context.bind_vertex_elements_state(Some(self.elements))?;
        context.bind_blend_state(self.blend)?;
        context.bind_depth_stencil_alpha_state(self.depth)?;
        context.bind_rasterizer_state(self.rasterizer)
    }
}
