//! Upper bounds of the contract: sizes of arrays that drivers and frontends share.
//!
//! A driver may support less, as its caps announce, but never more.

/// The alignment of mapped buffers that drivers announce, in bytes; OpenGL requires as much.
pub const MAP_BUFFER_ALIGNMENT: usize = 64;
/// Colour buffers of a framebuffer (`PIPE_MAX_COLOR_BUFS`).
pub const MAX_COLOR_BUFS: usize = 8;
/// Viewports, and scissors with them (`PIPE_MAX_VIEWPORTS`).
pub const MAX_VIEWPORTS: usize = 16;
/// Vertex elements and vertex buffers (`PIPE_MAX_ATTRIBS`).
pub const MAX_ATTRIBS: usize = 32;
/// Constant buffers of one shader stage (`PIPE_MAX_CONSTANT_BUFFERS`).
pub const MAX_CONSTANT_BUFFERS: usize = 32;
/// Samplers of one shader stage (`PIPE_MAX_SAMPLERS`).
pub const MAX_SAMPLERS: usize = 32;
/// Sampler views of one shader stage (`PIPE_MAX_SHADER_SAMPLER_VIEWS`).
pub const MAX_SHADER_SAMPLER_VIEWS: usize = 128;
/// Shader buffers of one shader stage (`PIPE_MAX_SHADER_BUFFERS`).
pub const MAX_SHADER_BUFFERS: usize = 32;
/// Shader images of one shader stage (`PIPE_MAX_SHADER_IMAGES`).
pub const MAX_SHADER_IMAGES: usize = 64;
/// Hardware atomic counter buffers (`PIPE_MAX_HW_ATOMIC_BUFFERS`).
pub const MAX_HW_ATOMIC_BUFFERS: usize = 32;
/// Stream output buffers (`PIPE_MAX_SO_BUFFERS`).
pub const MAX_SO_BUFFERS: usize = 4;
/// Outputs a shader may stream (`PIPE_MAX_SO_OUTPUTS`).
pub const MAX_SO_OUTPUTS: usize = 64;
/// Vertex streams of a geometry shader.
pub const MAX_VERTEX_STREAMS: usize = 4;
/// User clip planes and clip distances (`PIPE_MAX_CLIP_PLANES`).
pub const MAX_CLIP_PLANES: usize = 8;
/// Mipmap levels of a texture (`PIPE_MAX_TEXTURE_LEVELS`); 16 levels start at 32768 texels.
pub const MAX_TEXTURE_LEVELS: usize = 16;
/// The longest side of a texture, in texels: level 0 of [`MAX_TEXTURE_LEVELS`] levels.
pub const MAX_TEXTURE_SIZE: u32 = 1 << (MAX_TEXTURE_LEVELS - 1);
/// Layers of an array texture; layer numbers are 16 bits in surfaces and views.
pub const MAX_TEXTURE_LAYERS: u32 = 1 << 15;
/// Samples of a pixel.
pub const MAX_SAMPLES: u8 = 32;
/// Window rectangles (`PIPE_MAX_WINDOW_RECTANGLES`).
pub const MAX_WINDOW_RECTANGLES: usize = 8;
/// Vertices of an input patch.
pub const MAX_PATCH_VERTICES: u8 = 32;
/// Vertex stride, in bytes (OpenGL's `MAX_VERTEX_ATTRIB_STRIDE` minimum).
pub const MAX_VERTEX_STRIDE: u32 = 2048;
