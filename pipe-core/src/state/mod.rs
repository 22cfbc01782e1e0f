//! State of a context: the constant state objects and the parameters of draws.
//!
//! [`blend`], [`depth_stencil_alpha`], [`rasterizer`], [`sampler`] and [`vertex`] are constant
//! state objects (manual, chapter CSO): a frontend fills one out, creates an object from it in a
//! context, and binds the object by its handle. The other modules hold small state that changes
//! often, so it is set by value. `Default` is the initial state of OpenGL unless a member documents
//! another default.

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
