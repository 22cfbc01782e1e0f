//! The state of one measurement.

use formats::Format;
use pipe_core::{
    BlendState, ClipState, DepthStencilAlphaState, PrimType, RasterizerState, SamplerState,
    ScissorState, Swizzle, TextureTarget,
};

/// Width and height of the target, in pixels.
pub(super) const EDGE: u16 = 256;

/// Everything that a measurement binds and draws.
#[derive(Clone)]
pub(super) struct Setup {
    /// The colour buffer's format.
    pub(super) target: Format,
    /// The depth buffer's format.
    pub(super) depth: Option<Format>,
    pub(super) blend: BlendState,
    pub(super) tests: DepthStencilAlphaState,
    pub(super) rasterizer: RasterizerState,
    pub(super) clip: ClipState,
    pub(super) scissor: Option<ScissorState>,
    pub(super) texture: Option<Texture>,
    pub(super) mesh: Mesh,
    /// The format of the second attribute.
    pub(super) attribute: Format,
    pub(super) vertex: String,
    pub(super) fragment: String,
}

/// A texture and its sampler.
#[derive(Clone)]
pub(super) struct Texture {
    pub(super) format: Format,
    pub(super) target: TextureTarget,
    /// Width, height and depth in texels; 1 for dimensions that the target lacks.
    pub(super) size: [u32; 3],
    pub(super) layers: u32,
    pub(super) mipmapped: bool,
    pub(super) swizzle: [Swizzle; 4],
    pub(super) sampler: SamplerState,
}

/// The vertices of a draw.
#[derive(Clone)]
pub(super) struct Mesh {
    pub(super) mode: PrimType,
    /// Clip coordinates of each vertex.
    pub(super) positions: Vec<[f32; 4]>,
    /// The second attribute of each vertex.
    pub(super) attributes: Vec<[f32; 4]>,
    /// The number of pixels or vertices to divide the time by.
    pub(super) work: f64,
}

impl Mesh {
    /// Returns the whole target; the second attribute runs from `low` to `high` across corners.
    pub(super) fn rectangle(low: [f32; 4], high: [f32; 4]) -> Mesh {
        let corners = [[0, 0], [1, 0], [0, 1], [1, 1]];
        let at = |[x, y]: [usize; 2]| {
            let side = [x, y, x, x];
            core::array::from_fn(|i| if side[i] == 0 { low[i] } else { high[i] })
        };
        Mesh {
            mode: PrimType::TriangleStrip,
            positions: corners
                .map(|[x, y]| [x as f32 * 2.0 - 1.0, y as f32 * 2.0 - 1.0, 0.0, 1.0])
                .to_vec(),
            attributes: corners.map(at).to_vec(),
            work: f64::from(EDGE) * f64::from(EDGE),
        }
    }
}

/// Passes on the position and one attribute.
const PASS: &str = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END";

/// Outputs the attribute.
const SHOW: &str = "FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END";

impl Default for Setup {
    /// Returns a rectangle of interpolated colour over an RGBA8 target.
    fn default() -> Self {
        Setup {
            target: Format::R8G8B8A8Unorm,
            depth: None,
            blend: BlendState::default(),
            tests: DepthStencilAlphaState::default(),
            rasterizer: RasterizerState {
                half_pixel_center: true,
                depth_clip_near: true,
                depth_clip_far: true,
                ..RasterizerState::default()
            },
            clip: ClipState::default(),
            scissor: None,
            texture: None,
            mesh: Mesh::rectangle([0.1, 0.2, 0.3, 0.4], [0.9, 0.8, 0.7, 0.6]),
            attribute: Format::R32G32B32A32Float,
            vertex: PASS.into(),
            fragment: SHOW.into(),
        }
    }
}
