//! Cargo features as constants: the one place that names each feature.
//!
//! Code of a disabled feature is type-checked and then dropped as unreachable. A `cfg` attribute is
//! used only where a type, a field or a dependency is missing too.

/// `fragments`: any fragment program runs. Without it, a draw that spans do not recognise is
/// refused.
pub(crate) const FRAGMENTS: bool = cfg!(feature = "fragments");

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

/// `primitive-types`: draws may have primitives other than lists of triangles, and the user's clip
/// planes, clip and cull distances.
pub(crate) const PRIMITIVE_TYPES: bool = cfg!(feature = "primitive-types");

/// Colours are RGB565 texels only and depth has 16 bits: only the RGB565 kernel draws and samples,
/// and no other texels are moved or cleared.
pub(crate) const RGB565_ALONE: bool = cfg!(all(
    feature = "spans-565",
    not(any(feature = "fragments", feature = "spans-generic", feature = "es2"))
));

/// Depth buffers have 16 bits of depth and nothing else.
pub(crate) const Z16_ALONE: bool = RGB565_ALONE && !ES2;

/// Textures have one of the two drawable formats, and no other memory is shown.
pub(crate) const TWO_FORMATS: bool = Z16_ALONE && !MEMORY_SURFACES;

/// Draws may have points and lines, as primitives or from polygon modes.
pub(crate) const STROKES: bool = cfg!(any(feature = "fragments", feature = "stages"));

/// `es2`: what OpenGL ES 2 has and small firmware leaves out. Vertex programs sample textures.
/// Textures may be other than 2D, looked up by more than filtering, and sampled with the sampler of
/// another unit. Depth tests use stencil, depth bounds and float depth. Primitives have two-sided
/// colour, polygon modes, depth offset, stipples and smooth edges. Resources can be mapped, written,
/// copied, blitted and cleared in parts, and queries count.
pub(crate) const ES2: bool = cfg!(feature = "es2");

/// Textures may be indices into a palette.
pub(crate) const PALETTES: bool = cfg!(palettes);

/// `samples`: pixels may have several samples.
pub(crate) const SAMPLES: bool = cfg!(feature = "samples");

/// `stages`: tessellation and geometry shaders run, surfaces may have layers, primitives may choose
/// their layer and viewport, and vertices of the last vertex stage are written to buffers.
pub(crate) const STAGES: bool = cfg!(feature = "stages");

/// `shader-memory`: programs load from and store to buffers, images and counters, and compute
/// programs run.
pub(crate) const SHADER_MEMORY: bool = cfg!(feature = "shader-memory");

/// `workers`: a frame is rasterized by as many workers as `os_shim::Threads` has.
pub(crate) const WORKERS: bool = cfg!(feature = "workers");

/// `all-formats`: texels may have other formats than up to 32 bits of unsigned normalised channels.
pub(crate) const ALL_FORMATS: bool = cfg!(feature = "all-formats");

/// A kernel of integer spans exists.
pub(crate) const SPANS: bool = SPANS_565 || SPANS_GENERIC;

/// `spans-565`: integer spans have the RGB565 kernel.
pub(crate) const SPANS_565: bool = cfg!(feature = "spans-565");

/// `spans-programs`: the RGB565 kernel calls programs' pixel functions.
pub(crate) const SPANS_PROGRAMS: bool = cfg!(feature = "spans-programs");

/// `spans-generic`: integer spans have the generic kernel, on targets of one byte.
pub(crate) const SPANS_GENERIC: bool = cfg!(feature = "spans-generic");

/// `spans-bilinear`: the generic kernel filters bilinearly.
pub(crate) const SPANS_BILINEAR: bool = cfg!(feature = "spans-bilinear");

/// `spans-small`: the RGB565 kernel has a separate loop for small triangles.
pub(crate) const SPANS_SMALL: bool = cfg!(feature = "spans-small");

/// `spans-filtered`: the RGB565 kernel averages texels, and multiplies the mean by a colour.
pub(crate) const SPANS_FILTERED: bool = cfg!(feature = "spans-filtered");

/// `spans-all`: the generic kernel draws to all targets with channels of up to 8 bits.
pub(crate) const SPANS_ALL_TARGETS: bool = cfg!(feature = "spans-all");

/// Draws may go to the elements of a buffer, as one row of pixels.
pub(crate) const BUFFER_SURFACES: bool = cfg!(all(
    feature = "memory-surfaces",
    feature = "fragments",
    feature = "all-formats",
    feature = "es2"
));

/// `threads` and `desktop`: a flush may return before its work is done.
pub(crate) const FLIGHTS: bool = cfg!(flights);

/// `desktop`: maps of buffers have the alignment that OpenGL requires.
pub(crate) const MAP_BUFFER_ALIGNMENT: usize =
    if cfg!(feature = "desktop") { pipe_core::limits::MAP_BUFFER_ALIGNMENT } else { 1 };

/// `desktop`: what frontends of desktops call. Work is bounded and can be stopped. Fragment programs
/// read the current colour of their pixel. Lookups follow the longer side of their footprint.
/// Programs name textures and images by handles, and access buffers by address. Pages of resources
/// may or may not have memory. There are window rectangles, driver queries, memory and fences from
/// outside of the device, and the option `RASTER_DEBUG`.
pub(crate) const DESKTOP: bool = cfg!(feature = "desktop");

/// `compile`: shaders come as text or tokens, from frontends that are unknown when the driver is
/// built, so errors name each member that the driver lacks. Without it, errors name a group of
/// members.
pub(crate) const STATE_CHECKS: bool = cfg!(feature = "compile");

/// Code size matters on 32-bit targets: pixels of all sizes share a loop there.
pub(crate) const SMALL_CODE: bool = cfg!(target_pointer_width = "32");

/// `gouraud-alone`: the RGB565 kernel paints what `direct` draws, and nothing else.
pub(crate) const GOURAUD_ALONE: bool = cfg!(feature = "gouraud-alone");

/// Vertices of clipped and narrow triangles take the values of the triangle's planes at their
/// snapped positions. The 16-bit colour and depth of `gouraud-alone` show little difference, so it
/// skips this.
pub(crate) const TRUE_PLANES: bool = !cfg!(feature = "gouraud-alone");

/// `fragments`: planes of triangles that are much longer than wide keep the digits that cancel in
/// them. Without the general path, the difference shows only in depth of 24 and 32 bits, which the
/// generic kernel then derives from integers.
pub(crate) const SHEARS: bool = FRAGMENTS && TRUE_PLANES;

/// Cores like the Cortex-M0, without an FPU, a division and long products.
pub(crate) const ARMV6M: bool = cfg!(armv6m);

/// `spans-all` on a slow core: workers keep two draws, and planes of small triangles, from tile to tile. They take 4 KB,
/// which firmware for all kinds of draws has.
pub(crate) const KEEPS_MORE: bool = ARMV6M && SPANS_ALL_TARGETS;

/// `compile`: programs that are compiled at run time may get machine code.
pub(crate) const GENERATED: bool = cfg!(feature = "compile");

/// `check`: contexts that check their calls, and count the primitives drawn.
pub(crate) const CHECK: bool = cfg!(feature = "check");

/// A value that only builds with a feature have: `N` is 1 with the feature and 0 without it.
/// Without the feature it takes no memory, and the code that uses it is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Only<T, const N: usize>([T; N]);

/// A value that only builds with `es2` have.
pub(crate) type OfEs2<T> = Only<T, { ES2 as usize }>;

/// A value that only builds with `desktop` have.
pub(crate) type OfDesktop<T> = Only<T, { DESKTOP as usize }>;

/// A value that only builds with `stages` have.
pub(crate) type OfStages<T> = Only<T, { STAGES as usize }>;

/// A value that only builds with `samples` have.
pub(crate) type OfSamples<T> = Only<T, { SAMPLES as usize }>;

impl<T, const N: usize> Only<T, N> {
    /// Makes the value from copies of a constant.
    #[inline(always)]
    pub(crate) const fn of(values: [T; N]) -> Self {
        Only(values)
    }

    #[inline(always)]
    pub(crate) const fn new(value: T) -> Self
    where
        T: Copy,
    {
        Only([value; N])
    }

    /// Makes the value with a function, if the build has it.
    #[inline(always)]
    pub(crate) fn with(mut make: impl FnMut() -> T) -> Self {
        Only(core::array::from_fn(|_| make()))
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.first()
    }

    /// Returns the value, once.
    #[inline(always)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.first_mut()
    }

    /// Replaces the value.
    #[inline(always)]
    pub(crate) fn set(&mut self, value: T) {
        if let Some(place) = self.0.first_mut() {
            *place = value;
        }
    }
}

impl<const N: usize> Only<u32, N> {
    /// Returns the value; 0 in builds without it.
    #[inline(always)]
    pub(crate) fn number(&self) -> u32 {
        self.0.first().copied().unwrap_or(0)
    }
}

impl<const N: usize> Only<bool, N> {
    /// Returns the value; false in builds without it.
    #[inline(always)]
    pub(crate) fn is_set(&self) -> bool {
        self.0.first() == Some(&true)
    }
}

impl<T: Copy + Default, const N: usize> Default for Only<T, N> {
    #[inline(always)]
    fn default() -> Self {
        Only::new(T::default())
    }
}

/// A value that only builds with `shader-memory` have.
pub(crate) type OfMemory<T> = Only<T, { SHADER_MEMORY as usize }>;

/// A value that only builds with `check` have.
pub(crate) type OfCheck<T> = Only<T, { CHECK as usize }>;

/// The payload of an enum's variant that only builds with a feature have: `N` is 1 with the feature
/// and 0 without it. Without it nothing can make the payload, so the variant takes no memory, and
/// the code that matches it is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Case<T, const N: usize>([T; N], <Count<N> as Proof>::Type)
where
    Count<N>: Proof;

impl<T, const N: usize> Case<T, N>
where
    Count<N>: Proof,
{
    /// Makes the payload; `None` in builds without the feature.
    #[inline(always)]
    pub(crate) const fn new(value: T) -> Option<Self>
    where
        T: Copy,
    {
        match Count::<N>::PROOF {
            Some(proof) => Some(Case([value; N], proof)),
            None => None,
        }
    }

    /// Makes the payload with a function; `None` in builds without the feature.
    #[inline(always)]
    pub(crate) fn with(mut make: impl FnMut() -> T) -> Option<Self> {
        Count::<N>::PROOF.map(|proof| Case(core::array::from_fn(|_| make()), proof))
    }

    /// Returns the payload.
    #[inline(always)]
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.first()
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.first_mut()
    }
}

/// The number of features that a value needs and the build has, 0 or 1.
pub(crate) struct Count<const N: usize>;

/// A type that has a value only if a count is not 0.
pub(crate) trait Proof {
    type Type: Copy + Eq + core::fmt::Debug;

    const PROOF: Option<Self::Type>;
}

impl Proof for Count<0> {
    type Type = core::convert::Infallible;

    const PROOF: Option<core::convert::Infallible> = None;
}

impl Proof for Count<1> {
    type Type = ();

    const PROOF: Option<()> = Some(());
}
