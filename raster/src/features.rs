//! Cargo features as constants: the one place that names each feature.
//!
//! Code of a disabled feature is type-checked and then dropped as unreachable. A `cfg` attribute is
//! used only where a type, a field or a dependency is missing too.

/// `fragments`: any fragment program runs. Without it, a draw that spans do not recognise is
/// refused.
pub(crate) const FRAGMENTS: bool = cfg!(feature = "fragments");

/// `desktop`: fragment programs read the current colour of their pixel.
pub(crate) const FRAMEBUFFER_FETCH: bool = cfg!(feature = "desktop");

/// `interpreter`: programs that have no machine code run too.
pub(crate) const INTERPRETER: bool = cfg!(feature = "interpreter");

/// `textures`: programs sample textures.
pub(crate) const TEXTURES: bool = cfg!(feature = "textures");

/// Colours may be blended, masked and combined by logic operations, and alpha-tested. The RGB565
/// kernel only replaces pixels.
pub(crate) const BLENDS: bool = cfg!(any(feature = "fragments", feature = "spans-generic"));

/// `memory-surfaces`: draws go to textures, which may be presented. Without it, every surface is
/// streamed.
pub(crate) const MEMORY_SURFACES: bool = cfg!(feature = "memory-surfaces");

/// Resources may own memory, because a feature writes to it.
pub(crate) const OWN_MEMORY: bool =
    cfg!(any(feature = "memory-surfaces", feature = "es2", feature = "stages"));

/// `primitive-types`: draws may have primitives other than lists of triangles.
pub(crate) const PRIMITIVE_TYPES: bool = cfg!(feature = "primitive-types");

/// `primitive-types`: the user's clip planes, clip and cull distances.
pub(crate) const USER_CLIP_PLANES: bool = cfg!(feature = "primitive-types");

/// Colours are RGB565 texels only and depth has 16 bits: only the RGB565 kernel draws and samples,
/// and no other texels are moved or cleared.
pub(crate) const RGB565_ALONE: bool = cfg!(all(
    feature = "spans-565",
    not(any(feature = "fragments", feature = "spans-generic", feature = "es2"))
));

/// Depth buffers have 16 bits of depth and nothing else.
pub(crate) const Z16_ALONE: bool = RGB565_ALONE && !STENCIL;

/// Textures have one of the two drawable formats, and no other memory is shown.
pub(crate) const TWO_FORMATS: bool = Z16_ALONE && !MEMORY_SURFACES;

/// Draws may have points and lines, as primitives or from polygon modes.
pub(crate) const STROKES: bool = cfg!(any(feature = "fragments", feature = "stages"));

/// `es2`: vertex programs sample textures.
pub(crate) const VERTEX_TEXTURES: bool = cfg!(feature = "es2");

/// `samples`: pixels may have several samples.
pub(crate) const SAMPLES: bool = cfg!(feature = "samples");

/// `desktop`: lookups follow the longer side of their footprint.
pub(crate) const ANISOTROPY: bool = cfg!(feature = "desktop");

/// `stages`: more stages may follow the vertex shader, surfaces may have layers, and primitives may
/// choose their layer and viewport.
pub(crate) const STAGES: bool = cfg!(feature = "stages");

/// `stages`: geometry shaders run.
pub(crate) const GEOMETRY_SHADERS: bool = cfg!(feature = "stages");

/// `stages`: tessellation shaders run.
pub(crate) const TESSELLATION: bool = cfg!(feature = "stages");

/// `shader-memory`: programs load from and store to buffers, images and counters.
pub(crate) const SHADER_MEMORY: bool = cfg!(feature = "shader-memory");

/// `desktop`: programs name textures and images by handles.
pub(crate) const BINDLESS: bool = cfg!(feature = "desktop");

/// `desktop`: each page of a buffer or texture may or may not have memory.
pub(crate) const SPARSE: bool = cfg!(feature = "desktop");

/// `shader-memory`: compute programs run.
pub(crate) const COMPUTE: bool = cfg!(feature = "shader-memory");

/// `desktop`: compute programs access buffers by address.
pub(crate) const GLOBAL_MEMORY: bool = cfg!(feature = "desktop");

/// `desktop`: each invocation of a compute program has private memory.
pub(crate) const PRIVATE_MEMORY: bool = cfg!(feature = "desktop");

/// `desktop`: fragments are tested by rectangles.
pub(crate) const WINDOW_RECTANGLES: bool = cfg!(feature = "desktop");

/// `workers`: a frame is rasterized by as many workers as `os_shim::Threads` has.
pub(crate) const WORKERS: bool = cfg!(feature = "workers");

/// `all-formats`: texels may have other formats than up to 32 bits of unsigned normalised channels.
pub(crate) const ALL_FORMATS: bool = cfg!(feature = "all-formats");

/// `es2`: textures may be other than 2D, looked up by more than filtering, and sampled
/// with the sampler of another unit. Without it, only 2D textures can be made.
pub(crate) const TEXTURE_TARGETS: bool = cfg!(feature = "es2");

/// `es2`: stencil tests, depth bounds and float depth. Without it, depth tests use integers
/// only.
pub(crate) const STENCIL: bool = cfg!(feature = "es2");

/// `es2`: two-sided colour, polygon modes, depth offset, stipples, smooth edges,
/// conservative rasterization.
pub(crate) const PRIMITIVE_EFFECTS: bool = cfg!(feature = "es2");

/// `spans-generic`: integer spans have the generic kernel, on targets of one byte.
#[cfg(spans)]
pub(crate) const SPANS_GENERIC: bool = cfg!(feature = "spans-generic");

/// `spans-bilinear`: the generic kernel filters bilinearly.
#[cfg(spans)]
pub(crate) const SPANS_BILINEAR: bool = cfg!(feature = "spans-bilinear");

/// `spans-small`: the RGB565 kernel has a separate loop for small triangles.
#[cfg(feature = "spans-565")]
pub(crate) const SPANS_SMALL: bool = cfg!(feature = "spans-small");

/// `spans-filtered`: the RGB565 kernel averages texels, and multiplies the mean by a colour.
#[cfg(spans)]
pub(crate) const SPANS_FILTERED: bool = cfg!(feature = "spans-filtered");

/// `spans-all`: the generic kernel draws to all targets with channels of up to 8 bits.
#[cfg(feature = "spans-generic")]
pub(crate) const SPANS_ALL_TARGETS: bool = cfg!(feature = "spans-all");

/// `stages`: the vertices of the last vertex stage are written to buffers.
pub(crate) const STREAM_OUTPUT: bool = cfg!(feature = "stages");

/// `es2`: occlusion, timestamp and statistics queries.
pub(crate) const QUERIES: bool = cfg!(feature = "es2");

/// `es2`: resources can be mapped, written, copied and blitted.
pub(crate) const TRANSFERS: bool = cfg!(feature = "es2");

/// Draws may go to the elements of a buffer, as one row of pixels.
pub(crate) const BUFFER_SURFACES: bool = cfg!(all(
    feature = "memory-surfaces",
    feature = "fragments",
    feature = "all-formats",
    feature = "es2"
));

/// `desktop`: work is bounded and can be stopped.
pub(crate) const BUDGET: bool = cfg!(feature = "desktop");

/// `es2`: clears of rectangles, surfaces, textures and buffers.
pub(crate) const CLEARS: bool = cfg!(feature = "es2");

/// `threads` and `desktop`: a flush may return before its work is done.
pub(crate) const FLIGHTS: bool = cfg!(flights);

/// `desktop`: maps of buffers have the alignment that OpenGL requires.
pub(crate) const MAP_BUFFER_ALIGNMENT: usize =
    if cfg!(feature = "desktop") { pipe_core::limits::MAP_BUFFER_ALIGNMENT } else { 1 };

/// `desktop`: driver queries, and memory and fences from outside of the device.
pub(crate) const DESKTOP: bool = cfg!(feature = "desktop");

/// `desktop`: the driver reads the option `RASTER_DEBUG`.
pub(crate) const DEBUG: bool = cfg!(feature = "desktop");

/// `compile`: shaders come as text or tokens, from frontends that are unknown when the driver is
/// built, so errors name each member that the driver lacks. Without it, errors name a group of
/// members.
pub(crate) const STATE_CHECKS: bool = cfg!(feature = "compile");

/// Code size matters on 32-bit targets: pixels of all sizes share a loop there.
pub(crate) const SMALL_CODE: bool = cfg!(target_pointer_width = "32");

/// `gouraud-alone`: the RGB565 kernel paints what `direct` draws, and nothing else.
#[cfg(feature = "spans-565")]
pub(crate) const GOURAUD_ALONE: bool = cfg!(feature = "gouraud-alone");

/// Vertices of clipped and narrow triangles take the values of the triangle's planes at their
/// snapped positions. The 16-bit colour and depth of `gouraud-alone` show little difference, so it
/// skips this.
pub(crate) const TRUE_PLANES: bool = !cfg!(feature = "gouraud-alone");

/// `fragments`: planes of thin triangles keep all digits. Integer spans show little difference.
pub(crate) const THIN_PLANES: bool = cfg!(feature = "fragments");
