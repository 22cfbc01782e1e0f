//! Texture sampling: views and sampler states in, rows of colours out.
//!
//! A [`Sampler`] is derived once per draw from a view and a sampler state; it holds everything that
//! does not depend on the lane. Then, for every batch:
//!
//! ```text
//!   coordinates ──(cube: project)──► λ ──► groups of lanes with the same levels   lod, mip
//!        for each level: wrap to texel indices and weights                        wrap
//!                        fetch and decode texels, or the border colour            loads, fetch
//!                        compare (shadow), mix                                    nearest, linear
//!   mix the levels, apply the view's swizzle
//! ```
//!
//! All arithmetic is f32 add, subtract, multiply and (cube maps, logarithms) divide in a fixed
//! order, so results are the same bit for bit on every machine and for every lane width. No texture
//! or shader makes sampling panic: texels outside a level's bytes read 0.
//!
//! With the feature `desktop` a lookup may follow the longer side of its footprint
//! (`anisotropy`). Lookups in multisampled textures fetch single samples. Compressed blocks are
//! decoded whole, once per batch.

mod anisotropy;
mod blocks;
mod compare;
#[cfg(any(feature = "fragments", feature = "es2"))]
mod cost;
mod cube;
#[cfg(any(feature = "fragments", feature = "es2"))]
mod direct;
#[cfg(all(test, any(feature = "fragments", feature = "es2")))]
mod direct_tests;
mod fetch;
mod gather;
mod linear;
mod loads;
mod lod;
mod mip;
mod nearest;
mod plain;
mod query;
mod samples;
mod seam;
#[cfg(test)]
mod tests;
#[cfg(not(any(feature = "fragments", feature = "es2")))]
mod unfiltered;
mod wrap;

use formats::{ChannelKind, ColorSpace, Description, Format};
use pipe_core::resource::TextureTarget;
use pipe_core::state::{ReductionMode, SamplerState, TexCompare, TexFilter, TexMipFilter, TexWrap};
use pipe_core::surface::Swizzle;
use tgsi::exec::{Lanes, SampleKind, SampleRequest};

use self::fetch::Texel;
use self::lod::Choice;
pub(crate) use self::lod::LodRule;
use self::wrap::Wrap;
use crate::features::{ALL_FORMATS, Case, DESKTOP, ES2, OfDesktop, Only};
use crate::lanes::Indexed;
use crate::lanes::UnormLayout;
use crate::lanes::{Comparison, clamp, stamps_per_batch};

pub(crate) use self::anisotropy::MAX_ANISOTROPY;
#[cfg(not(any(feature = "fragments", feature = "es2")))]
pub(crate) use self::unfiltered::Unfiltered;
pub(crate) use crate::lanes::Level;

/// A sampler view: a range of a texture's levels and layers, read in a format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureView<'a> {
    /// The format that texels are decoded in; may differ from the resource's.
    pub format: Format,
    /// The texture's shape.
    pub target: TextureTarget,
    /// The source of each component of a result.
    pub swizzle: [Swizzle; 4],
    /// The view's `first_level` to `last_level`.
    pub levels: &'a [Level<'a>],
    /// The first array layer (for cubes: face) that the view shows.
    pub first_layer: u32,
    /// The last array layer that the view shows.
    pub last_layer: u32,
}

/// The number of a texture's coordinates, and the kind of its layers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    dims: usize,
    array: bool,
    cube: bool,
}

impl Shape {
    fn of(target: TextureTarget) -> Shape {
        let (dims, array, cube) = match target {
            TextureTarget::Buffer | TextureTarget::Texture1D => (1, false, false),
            TextureTarget::Texture1DArray => (1, true, false),
            TextureTarget::Texture2D | TextureTarget::Rect => (2, false, false),
            TextureTarget::Texture2DArray => (2, true, false),
            TextureTarget::Texture3D => (3, false, false),
            TextureTarget::Cube => (2, false, true),
            TextureTarget::CubeArray => (2, true, true),
        };
        Shape { dims, array, cube }
    }

    #[inline(always)]
    fn dims(self) -> usize {
        if ES2 { self.dims } else { 2 }
    }

    #[inline(always)]
    fn array(self) -> bool {
        ES2 && self.array
    }

    #[inline(always)]
    fn cube(self) -> bool {
        ES2 && self.cube
    }
}

/// The source of a component of the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    Component(usize),
    Constant(u32),
}

impl Source {
    /// Returns the source of a component that a swizzle selects.
    #[inline(always)]
    fn of(swizzle: Swizzle, integer: bool) -> Source {
        match swizzle {
            Swizzle::X => Source::Component(0),
            Swizzle::Y => Source::Component(1),
            Swizzle::Z => Source::Component(2),
            Swizzle::W => Source::Component(3),
            Swizzle::One if integer => Source::Constant(1),
            Swizzle::One => Source::Constant(1.0f32.to_bits()),
            Swizzle::Zero | Swizzle::None => Source::Constant(0),
        }
    }
}

/// A view and a sampler state, derived for a draw.
#[derive(Clone, Copy)]
pub(crate) struct Sampler<'a> {
    view: TextureView<'a>,
    shape: Shape,
    texel: Texel,
    swizzle: [Source; 4],
    identity: bool,
    nearest: [Wrap; 3],
    linear: [Wrap; 3],
    normalized: bool,
    seamless: bool,
    has_border: bool,
    border: [u32; 4],
    reduction: ReductionMode,
    /// Set if linear filtering may take its fast path.
    plain_bilinear: bool,
    rule: LodRule,
    /// Greatest ratio of the sides of a footprint; 0 and 1: lookups are isotropic.
    anisotropy: OfDesktop<u8>,
    constant: Option<(Choice, f32)>,
    /// The factors from coordinates to texels of the base level.
    scale: [f32; 3],
    compares: bool,
    comparison: Comparison,
    /// Set if the format stores depth as fixed point, so that references are clamped.
    fixed_point: bool,
}

/// The coordinates of a batch, the same for every level.
struct Coordinates<'a, R> {
    coord: [&'a R; 3],
    /// Index of the layer within a level.
    layer: &'a R,
    offset: [i8; 3],
    /// Set if the lookup compares.
    reference: Option<&'a R>,
}

impl<'a> Sampler<'a> {
    /// Derives a sampler of `view` with `state`.
    pub(crate) fn new(view: &TextureView<'a>, state: &SamplerState) -> Sampler<'a> {
        let shape = Shape::of(view.target);
        let texel = Texel::of(view.format, view.levels);
        let integer = view.format.is_pure_integer();
        let seamless = shape.cube() && state.seamless_cube_map;
        // Seamless cube maps ignore wrap modes (OpenGL 4.6, section 8.15): s or t is exactly 1 on a
        // tie between faces, and `REPEAT` would wrap it to the opposite edge.
        let modes = if seamless {
            [TexWrap::ClampToEdge; 3]
        } else {
            [state.wrap_s, state.wrap_t, state.wrap_r]
        };
        let mut rule = LodRule::new(state, view.levels.len());
        if integer {
            // Integers cannot be mixed, neither within a level nor between two.
            (rule.min, rule.mag) = (TexFilter::Nearest, TexFilter::Nearest);
            if rule.mip == TexMipFilter::Linear {
                rule.mip = TexMipFilter::Nearest;
            }
        }
        let compares = state.compare_mode == TexCompare::RToTexture;
        let nearest = modes.map(Wrap::nearest);
        let linear = modes.map(Wrap::linear);
        let uses =
            |wraps: &[Wrap; 3]| wraps.iter().take(shape.dims()).any(|wrap| wrap.has_border());
        let normalized = state.normalized_coords && view.target != TextureTarget::Rect;
        let base = view.levels.first().copied().unwrap_or_default();
        let scale = [base.width, base.height, base.depth]
            .map(|size| if normalized { size as f32 } else { 1.0 });
        let desc = view.format.desc();
        Sampler {
            view: *view,
            shape,
            texel,
            swizzle: view.swizzle.map(|swizzle| Source::of(swizzle, integer)),
            identity: keeps_components(view),
            nearest,
            linear,
            normalized,
            seamless,
            has_border: uses(&nearest) || uses(&linear),
            border: border(view.format, state.border_color.bits),
            reduction: state.reduction_mode,
            plain_bilinear: shape.dims() <= 2
                && !seamless
                && !compares
                && state.reduction_mode == ReductionMode::WeightedAverage,
            rule,
            anisotropy: Only::new(state.max_anisotropy),
            constant: rule.constant(),
            scale,
            compares,
            comparison: Comparison::new(state.compare_func),
            fixed_point: desc.colorspace == ColorSpace::Zs
                && desc.depth_channel().is_some_and(|channel| channel.kind != ChannelKind::Float),
        }
    }

    /// Returns the first level that the view shows.
    pub(crate) fn base(&self) -> Option<&Level<'a>> {
        self.view.levels.first()
    }

    /// Returns the levels that the view shows, and the rule that chooses among them.
    pub(crate) fn mip_levels(&self) -> Option<(&'a [Level<'a>], LodRule)> {
        Some((self.view.levels, self.rule))
    }

    /// Returns the layout of unsigned normalised texels; `None` for other formats.
    pub(crate) fn layout(&self) -> Option<&UnormLayout> {
        match &self.texel {
            Texel::Unorm(layout) => Some(layout),
            Texel::Indices(palette) => palette.get().map(|(_, layout)| layout),
            Texel::Planes(..) | Texel::Single(_) => None,
            Texel::Blocks(_) => None,
        }
    }

    /// Returns the sampler of a view of a palette with indices of so many bits, if there are any.
    pub(crate) fn with_indices(mut self, index_bits: Option<u32>) -> Sampler<'a> {
        let layout = UnormLayout::of(self.view.format);
        if let (Some(bits), Some(layout)) = (index_bits, layout)
            && let Some(palette) = Case::new((bits, layout))
        {
            self.texel = Texel::Indices(palette);
        }
        self
    }

    /// Returns the colours that the first level's indices select, if its texels are indices.
    pub(crate) fn indexed(&self) -> Option<Indexed<'a>> {
        match &self.texel {
            Texel::Indices(palette) => {
                let &(bits, layout) = palette.get()?;
                Some(Indexed::new(self.base()?, bits, layout.bytes))
            }
            _ => None,
        }
    }

    /// Returns true if linear filters reach over a cube's edges.
    #[inline(always)]
    fn seamless(&self) -> bool {
        ES2 && self.seamless
    }

    /// Samples a batch: writes four rows, f32 bits or integers by the view's format. Lanes outside
    /// `request.live` are unspecified.
    pub(crate) fn sample<R: Lanes>(&self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        if self.view.levels.is_empty() {
            *out = [R::ZERO; 4];
            return;
        }
        match request.kind {
            SampleKind::Fetch | SampleKind::SizeQuery | SampleKind::LodQuery if !ES2 => {
                *out = [R::ZERO; 4];
                return;
            }
            SampleKind::Fetch => return self.fetch(request, out),
            SampleKind::SizeQuery => return self.size(request, out),
            SampleKind::LodQuery => return self.lod_query(request, out),
            SampleKind::SampleCount => {
                out[0] = R::splat(self.samples());
                return;
            }
            SampleKind::SamplePosition => return self.sample_position(request, out),
            SampleKind::Implicit
            | SampleKind::Bias
            | SampleKind::Lod
            | SampleKind::Gradient
            | SampleKind::Gather => {}
        }
        match request.compare {
            Some(row) if self.compares && self.fixed_point => {
                let mut clamped = R::ZERO;
                compare::clamp_reference(row.as_slice(), clamped.as_mut_slice());
                self.compared(request, Some(&clamped), out);
            }
            row => self.compared(request, row.filter(|_| self.compares), out),
        }
    }

    /// Samples with the reference of a comparison, if the lookup compares.
    fn compared<R: Lanes>(
        &self,
        request: &SampleRequest<'_, R>,
        reference: Option<&R>,
        out: &mut [R; 4],
    ) {
        let mut layer = R::ZERO;
        self.layers(request, &mut layer);
        let (coord, offset) = (request.coord, request.offset);
        if self.shape.cube() {
            let [mut s, mut t] = [R::ZERO; 2];
            cube::place(coord, [&mut s, &mut t], &mut layer);
            let at = Coordinates { coord: [&s, &t, &t], layer: &layer, offset, reference };
            self.filtered(request, &at, out);
        } else {
            let at = Coordinates { coord, layer: &layer, offset, reference };
            self.filtered(request, &at, out);
        }
    }

    /// Gathers or filters texels, after coordinates are projected and the layer is known.
    fn filtered<R: Lanes>(
        &self,
        request: &SampleRequest<'_, R>,
        at: &Coordinates<'_, R>,
        out: &mut [R; 4],
    ) {
        if ES2 && request.kind == SampleKind::Gather {
            // Gathering selects the component through the swizzle, so the result is not swizzled
            // again.
            if let Some(base) = self.view.levels.first() {
                self.gather(base, at, request.component, request.live, out);
            }
            return;
        }
        if DESKTOP && self.is_anisotropic(request.kind) {
            self.anisotropic(request, at, out);
            return self.swizzled(out);
        }
        self.mipmapped(at, request.live, |lambda| self.lambda(request, lambda), out);
        if stamps_per_batch::<R>() > 0 && at.reference.is_some() && self.keeps_comparisons() {
            return;
        }
        self.swizzled(out);
    }

    /// Returns true if the view's swizzle does not change the outcome of a comparison, (red, red,
    /// red, 1).
    fn keeps_comparisons(&self) -> bool {
        let [color @ .., alpha] = self.swizzle;
        color.iter().all(|source| matches!(source, Source::Component(0..=2)))
            && (alpha == Source::Component(3) || alpha == Source::Constant(1.0f32.to_bits()))
    }

    /// Applies the view's swizzle.
    #[expect(clippy::indexing_slicing, reason = "the mask keeps the component below 4")]
    fn swizzled<R: Lanes>(&self, out: &mut [R; 4]) {
        if self.identity {
            return;
        }
        let color = *out;
        for (out, source) in out.iter_mut().zip(self.swizzle) {
            *out = match source {
                Source::Component(component) => color[component & 3],
                Source::Constant(bits) => R::splat(bits),
            };
        }
    }
}

/// Returns true if the view's swizzle does not change the components of the format's texels.
fn keeps_components(view: &TextureView<'_>) -> bool {
    if !ALL_FORMATS || view.format.is_pure_integer() {
        return view.swizzle == Swizzle::IDENTITY;
    }
    let stored = view.format.desc().color_swizzle();
    let sources = view.swizzle.iter().zip(Swizzle::IDENTITY).zip(stored);
    sources.into_iter().all(|((&source, own), stored)| {
        source == own || source == Swizzle::One && stored == formats::Swizzle::One
    })
}

/// Converts the border colour to a colour that `format` can store: clamps it to the format's range,
/// and fills missing components as in the format's texels.
fn border(format: Format, bits: [u32; 4]) -> [u32; 4] {
    let desc = format.desc();
    if format.is_pure_integer() {
        return bits;
    }
    let [r, g, b, a] = bits;
    [
        border_component(&desc, 0, r),
        border_component(&desc, 1, g),
        border_component(&desc, 2, b),
        border_component(&desc, 3, a),
    ]
}

#[inline(never)]
#[expect(clippy::indexing_slicing, reason = "components and channels are 0 to 3")]
fn border_component(desc: &Description, component: usize, bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    let source = desc.color_swizzle()[component];
    let value = match source.channel() {
        Some(index) => match (desc.channels[index].kind, desc.channels[index].normalized) {
            (ChannelKind::Unsigned, true) => clamp(value, 0.0, 1.0),
            (ChannelKind::Signed, true) => clamp(value, -1.0, 1.0),
            _ => value,
        },
        None if source == formats::Swizzle::One => 1.0,
        None => 0.0,
    };
    value.to_bits()
}
