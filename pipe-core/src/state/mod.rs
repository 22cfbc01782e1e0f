//! State: what a context draws with.
//!
//! [`blend`], [`depth_stencil_alpha`], [`rasterizer`], [`sampler`] and [`vertex`] are constant
//! state objects: filled out, handed to a context, and bound by handle from then on. The others
//! are small and change often, so they are set by value. `Default` is the state nothing was
//! done to, as OpenGL starts with, unless a field says otherwise.

pub mod blend;
pub mod compare;
pub mod depth_stencil_alpha;
pub mod framebuffer;
pub mod parameters;
pub mod rasterizer;
pub mod sampler;
pub mod vertex;
pub mod viewport;

pub use blend::{BlendFactor, BlendFunc, BlendState, ColorMask, LogicOp, RenderTargetBlendState};
pub use compare::CompareFunc;
pub use depth_stencil_alpha::{DepthStencilAlphaState, StencilOp, StencilState};
pub use framebuffer::FramebufferState;
pub use parameters::{BlendColor, ClipState, PolyStipple, StencilRef, TessState, WindowRectangles};
pub use rasterizer::{ConservativeRasterMode, Face, PolygonMode, RasterizerState, SpriteCoordMode};
pub use sampler::{ReductionMode, SamplerState, TexCompare, TexFilter, TexMipFilter, TexWrap};
pub use vertex::{VertexBuffer, VertexElement};
pub use viewport::{ScissorState, ViewportState, ViewportSwizzle};
