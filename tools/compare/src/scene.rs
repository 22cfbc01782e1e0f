//! Scenes: all inputs of a comparison as plain data, which can be shrunk.

use formats::Format;
use pipe_core::{
    Bind, BlendColor, BlendState, ClipState, DepthStencilAlphaState, PolyStipple, PrimType,
    RasterizerState, ResourceTemplate, SamplerState, ScissorState, StencilRef, Swizzle,
    TextureTarget, ViewportState, WindowRectangles,
};

use crate::kernel::Kernel;
use crate::shaders::{Fragment, Work};
use crate::stages::Stages;

/// A framebuffer and the draws to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Scene {
    /// In pixels.
    pub width: u16,
    /// In pixels.
    pub height: u16,
    /// The formats of the colour buffers, 1 to 8.
    pub colors: Vec<Format>,
    /// The format of the depth and stencil buffer, if there is one.
    pub depth: Option<Format>,
    /// The colour that all colour buffers are cleared to.
    pub clear_color: [f32; 4],
    /// The depth that the depth buffer is cleared to.
    pub clear_depth: f32,
    /// The value that the stencil buffer is cleared to.
    pub clear_stencil: u8,
    /// The number of samples per pixel.
    pub samples: u8,
    /// The number of layers of the buffers.
    pub layers: u8,
    /// True if the colour buffer is streamed and becomes visible when it is presented.
    pub streamed: bool,
    /// A compute kernel that runs before the draws.
    pub kernel: Option<Kernel>,
    /// The draws, in order.
    pub draws: Vec<Draw>,
}

/// One draw and its state.
#[derive(Clone, PartialEq, Debug)]
pub struct Draw {
    /// The blend state.
    pub blend: BlendState,
    /// The blend colour.
    pub blend_color: BlendColor,
    /// The depth, stencil and alpha state.
    pub tests: DepthStencilAlphaState,
    /// The reference values of the stencil test.
    pub stencil_ref: StencilRef,
    /// The rasterizer state.
    pub rasterizer: RasterizerState,
    /// The viewport.
    pub viewport: ViewportState,
    /// The scissor.
    pub scissor: ScissorState,
    /// The polygon stipple.
    pub stipple: PolyStipple,
    /// The user clip planes.
    pub clip: ClipState,
    /// The texture of unit 0, if the shader uses one.
    pub texture: Option<Texture>,
    /// The fragment shader.
    pub fragment: Fragment,
    /// Constants of the fragment shader: a colour.
    pub constant: [f32; 4],
    /// The samples to write, one bit per sample.
    pub sample_mask: u32,
    /// The minimum number of samples per pixel for which the shader runs.
    pub min_samples: u8,
    /// The primitives.
    pub mode: PrimType,
    /// The vertices.
    pub vertices: Vec<Vertex>,
    /// 16-bit indices; `None`: vertices in order.
    pub indices: Option<Vec<u16>>,
    /// The index that restarts strips.
    pub restart: Option<u16>,
    /// The number of instances.
    pub instances: u32,
    /// The stages between the vertices and the rasterizer.
    pub stages: Stages,
    /// Viewport 1, which primitives can select.
    pub second_viewport: ViewportState,
    /// The scissor of viewport 1.
    pub second_scissor: ScissorState,
    /// The window rectangles.
    pub windows: WindowRectangles,
    /// The positions of samples; `None`: the standard positions.
    pub sample_places: Option<[u8; 16]>,
}

/// A texture, its view and its sampler.
#[derive(Clone, PartialEq, Debug)]
pub struct Texture {
    /// The shape.
    pub target: TextureTarget,
    /// The format.
    pub format: Format,
    /// Width, height, and depth or layers, in texels.
    pub size: [u32; 3],
    /// Number of levels.
    pub levels: u32,
    /// The first level of the view.
    pub first_level: u32,
    /// The view's swizzle.
    pub swizzle: [Swizzle; 4],
    /// The sampler.
    pub sampler: SamplerState,
    /// Chooses the texels.
    pub seed: u64,
}

/// A vertex.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vertex {
    /// Position in clip space.
    pub position: [f32; 4],
    /// Colour.
    pub color: [f32; 4],
    /// Texture coordinates.
    pub texcoord: [f32; 4],
    /// Point size, in pixels.
    pub size: f32,
}

impl Vertex {
    /// Returns the attributes in order: 13 floats.
    pub fn words(&self) -> [f32; Self::WORDS] {
        let mut words = [self.size; Self::WORDS];
        let attributes = self.position.iter().chain(&self.color).chain(&self.texcoord);
        for (word, value) in words.iter_mut().zip(attributes) {
            *word = *value;
        }
        words
    }

    /// Number of floats per vertex.
    pub const WORDS: usize = 13;
}

impl Texture {
    /// Returns the number of faces or layers of the resource, and its number of slices.
    pub fn layers_and_depth(&self) -> (u32, u32) {
        use TextureTarget::*;
        match self.target {
            Buffer | Texture1D | Texture2D | Rect => (1, 1),
            Texture3D => (1, self.size[2]),
            Cube => (6, 1),
            CubeArray => (6 * self.size[2], 1),
            Texture1DArray | Texture2DArray => (self.size[2], 1),
        }
    }

    /// Returns true if coordinates are in texels.
    pub fn is_unnormalized(&self) -> bool {
        self.target == TextureTarget::Rect || !self.sampler.normalized_coords
    }
}

impl Scene {
    /// Returns a buffer of the scene's size with one sample.
    pub(crate) fn buffer(&self, format: Format, bind: Bind) -> ResourceTemplate {
        ResourceTemplate::texture_2d(format, self.width.into(), self.height.into(), bind)
    }
}

impl Draw {
    /// Returns true if colours depend on the colour buffer: the draw blends, or the shader fetches.
    pub fn blends(&self) -> bool {
        self.fragment.work == Work::Fetch
            || !self.blend.logicop_enable
                && (0..pipe_core::limits::MAX_COLOR_BUFS)
                    .any(|index| self.blend.target(index).blend_enable)
    }

    /// Returns true if lines or points may be smooth.
    pub fn is_smooth(&self) -> bool {
        self.rasterizer.line_smooth || self.rasterizer.point_smooth
    }

    /// Returns an upper bound of the number of primitives that overlap at a pixel.
    pub fn layers(&self) -> usize {
        let is_plain = self.stages.tessellation.is_none() && self.stages.geometry.is_none();
        if !is_plain || self.instances > 1 {
            return 8;
        }
        let count = self.indices.as_ref().map_or(self.vertices.len(), Vec::len) as u32;
        (self.mode.decomposed_primitives(count, 0) as usize).clamp(1, 8)
    }
}
