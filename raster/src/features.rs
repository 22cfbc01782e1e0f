//! The cargo features as constants, so that each has one home.
//!
//! Code of a feature that is off is type-checked and then dropped as unreachable. A `cfg` attribute
//! stands only where a type, a field or a dependency is missing too.

/// `fragments`: any fragment program runs; without, a draw that spans do not recognise is refused.
pub(crate) const FRAGMENTS: bool = cfg!(feature = "fragments");

/// `framebuffer-fetch`: fragment programs read the colour of their own pixel.
pub(crate) const FRAMEBUFFER_FETCH: bool = cfg!(feature = "framebuffer-fetch");

/// `interpreter`: programs without machine code of their own run.
pub(crate) const INTERPRETER: bool = cfg!(feature = "interpreter");

/// `textures`: programs sample textures.
pub(crate) const TEXTURES: bool = cfg!(feature = "textures");

/// Colours may be blended, masked and combined by logic operations, and tested by their alpha: the
/// kernel of RGB565 replaces pixels and nothing else.
pub(crate) const BLENDS: bool = cfg!(any(feature = "fragments", feature = "spans-generic"));

/// `memory-surfaces`: draws go to textures, which may be presented; without, every surface is streamed.
pub(crate) const MEMORY_SURFACES: bool = cfg!(feature = "memory-surfaces");

/// Resources may have memory of their own: a feature writes to it.
pub(crate) const OWN_MEMORY: bool = cfg!(any(
    feature = "memory-surfaces",
    feature = "transfers",
    feature = "clears",
    feature = "stream-output"
));

/// `primitive-types`: draws may have other primitives than lists of triangles.
pub(crate) const PRIMITIVE_TYPES: bool = cfg!(feature = "primitive-types");

/// `user-clip-planes`: the user's clip planes, clip and cull distances.
pub(crate) const USER_CLIP_PLANES: bool = cfg!(feature = "user-clip-planes");

/// Colours are texels of RGB565 and nothing else, and depth has 16 bits: only the kernel of RGB565
/// draws and samples, and nothing moves or clears other texels.
pub(crate) const RGB565_ALONE: bool = cfg!(all(
    feature = "spans-565",
    not(any(
        feature = "fragments",
        feature = "spans-generic",
        feature = "vertex-textures",
        feature = "transfers",
        feature = "clears"
    ))
));

/// Depth has 16 bits and nothing beside it.
pub(crate) const Z16_ALONE: bool = RGB565_ALONE && !STENCIL;

/// Textures are of the two formats that are drawn, without memory of which anything else is shown.
pub(crate) const TWO_FORMATS: bool = Z16_ALONE && !MEMORY_SURFACES;

/// Draws may have points and lines, of their own or of polygons.
pub(crate) const STROKES: bool = cfg!(any(feature = "fragments", feature = "stages"));

/// `vertex-textures`: vertex programs sample textures.
pub(crate) const VERTEX_TEXTURES: bool = cfg!(feature = "vertex-textures");

/// `samples`: pixels may have several samples.
pub(crate) const SAMPLES: bool = cfg!(feature = "samples");

/// `anisotropy`: lookups follow the longer side of their footprint.
pub(crate) const ANISOTROPY: bool = cfg!(feature = "anisotropy");

/// `stages`: stages follow the vertex shader, surfaces have layers, and primitives choose layer and
/// viewport.
pub(crate) const STAGES: bool = cfg!(feature = "stages");

/// `geometry-shaders`: geometry shaders run.
pub(crate) const GEOMETRY_SHADERS: bool = cfg!(feature = "geometry-shaders");

/// `tessellation`: tessellation shaders run.
pub(crate) const TESSELLATION: bool = cfg!(feature = "tessellation");

/// `shader-memory`: programs load from and store to buffers, images and counters.
pub(crate) const SHADER_MEMORY: bool = cfg!(feature = "shader-memory");

/// `bindless`: programs name textures and images by handles.
pub(crate) const BINDLESS: bool = cfg!(feature = "bindless");

/// `sparse`: pages of buffers and textures have memory or not.
pub(crate) const SPARSE: bool = cfg!(feature = "sparse");

/// `compute`: compute programs run.
pub(crate) const COMPUTE: bool = cfg!(feature = "compute");

/// `compute` and `desktop`: compute programs reach buffers by addresses.
pub(crate) const GLOBAL_MEMORY: bool = cfg!(all(feature = "compute", feature = "desktop"));

/// `compute` and `desktop`: invocations of compute programs have memory that no other invocation reaches.
pub(crate) const PRIVATE_MEMORY: bool = cfg!(all(feature = "compute", feature = "desktop"));

/// `window-rectangles`: fragments are tested by rectangles.
pub(crate) const WINDOW_RECTANGLES: bool = cfg!(feature = "window-rectangles");

/// `workers`: a frame is rasterized by as many workers as `os_shim::Threads` has.
pub(crate) const WORKERS: bool = cfg!(feature = "workers");

/// `all-formats`: texels may be other than unsigned normalised channels in up to 32 bits.
pub(crate) const ALL_FORMATS: bool = cfg!(feature = "all-formats");

/// `texture-targets`: textures may be other than 2D, looked up by more than filtering, and with the
/// sampler of another unit. Without, no other texture can be made.
pub(crate) const TEXTURE_TARGETS: bool = cfg!(feature = "texture-targets");

/// `stencil`: stencil tests, depth bounds and float depth; without, depth tests on integers alone.
pub(crate) const STENCIL: bool = cfg!(feature = "stencil");

/// `primitive-effects`: two-sided colour, polygon modes, depth offset, stipples, smooth edges,
/// conservative rasterization.
pub(crate) const PRIMITIVE_EFFECTS: bool = cfg!(feature = "primitive-effects");

/// `spans-generic`: integer spans have the generic kernel, on targets of one byte.
#[cfg(spans)]
pub(crate) const SPANS_GENERIC: bool = cfg!(feature = "spans-generic");

/// `spans-bilinear`: the generic kernel filters bilinearly.
#[cfg(spans)]
pub(crate) const SPANS_BILINEAR: bool = cfg!(feature = "spans-bilinear");

/// `spans-small`: the kernel of RGB565 has a way of its own for small triangles.
#[cfg(feature = "spans-565")]
pub(crate) const SPANS_SMALL: bool = cfg!(feature = "spans-small");

/// `spans-filtered`: the kernel of RGB565 takes means of texels, and their products with a colour.
#[cfg(spans)]
pub(crate) const SPANS_FILTERED: bool = cfg!(feature = "spans-filtered");

/// `spans-all`: the generic kernel draws to all targets of channels of up to 8 bits.
#[cfg(feature = "spans-generic")]
pub(crate) const SPANS_ALL_TARGETS: bool = cfg!(feature = "spans-all");

/// `stream-output`: the vertices of the last vertex stage go to buffers.
pub(crate) const STREAM_OUTPUT: bool = cfg!(feature = "stream-output");

/// `queries`: occlusion, timestamp and statistics queries.
pub(crate) const QUERIES: bool = cfg!(feature = "queries");

/// `transfers`: resources are mapped, written, copied and blitted.
pub(crate) const TRANSFERS: bool = cfg!(feature = "transfers");

/// Elements of buffers are drawn to as a row of pixels.
pub(crate) const BUFFER_SURFACES: bool = cfg!(all(
    feature = "memory-surfaces",
    feature = "fragments",
    feature = "all-formats",
    feature = "transfers"
));

/// `budget`: work is bounded and can be stopped.
pub(crate) const BUDGET: bool = cfg!(feature = "budget");

/// `clears`: clears of rectangles, surfaces, textures and buffers.
pub(crate) const CLEARS: bool = cfg!(feature = "clears");

/// `threads` and `fences`: a flush may return before its work is done.
pub(crate) const FLIGHTS: bool = cfg!(flights);

/// `desktop`: driver queries, memory and fences of others.
pub(crate) const DESKTOP: bool = cfg!(feature = "desktop");

/// `debug`: the option `RASTER_DEBUG` is read.
pub(crate) const DEBUG: bool = cfg!(feature = "debug");

/// `compile`: shaders come as text or tokens, from frontends that are not known when the driver is
/// built, so errors name each member that the driver lacks. Without, they name a group of members.
pub(crate) const STATE_CHECKS: bool = cfg!(feature = "compile");

/// Flash counts on 32-bit targets: pixels of all sizes share a loop there.
pub(crate) const SMALL_CODE: bool = cfg!(target_pointer_width = "32");

/// `gouraud-alone`: the RGB565 kernel paints what `direct` draws, and nothing else.
#[cfg(feature = "spans-565")]
pub(crate) const GOURAUD_ALONE: bool = cfg!(feature = "gouraud-alone");

/// Vertices of clipped and narrow triangles have the values that their triangle has where they are snapped to.
/// What `gouraud-alone` draws, 16 bits of colour and of depth, shows little of it.
pub(crate) const TRUE_PLANES: bool = !cfg!(feature = "gouraud-alone");
