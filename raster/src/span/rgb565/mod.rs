//! The RGB565 kernel: opaque colours and nearest texels, with a 16-bit depth test or none.
//!
//! ```text
//!   a triangle ─┬─ small, interpolated ─► small.rs: one function from vertices to pixels
//!               └─ any other ──► setup.rs: planes ──► tile.rs: row depth ──► shade.rs: row colours
//! ```
//!
//! `filtered.rs` computes colours that are means of texels, `samples.rs` draws to planes of
//! samples, and `program.rs` calls the pixel functions of programs. In builds without the general
//! path, `in_floats.rs` paints the triangles that integer planes cannot hold.
//!
//! Every kind of colour has its own loop in `shade.rs`. A row calls it through a pointer, because
//! one call per row costs less than a branch per pixel.

#[cfg(feature = "spans-565")]
mod composed;
mod filtered;
mod in_floats;
pub(super) mod kept;
pub(super) mod program;
mod sample_rows;
mod samples;
mod setup;
mod shade;
mod small;
mod tile;
pub(super) mod whole_pixels;

use formats::Format;
use pipe_core::state::TexWrap;
use pipe_core::surface::Swizzle;
use tgsi::exec::Lanes;

use self::filtered::{Filter, FilteredRows};
use self::in_floats::FloatRows;
use self::program::{PixelProgram, ProgramRows};
use self::setup::Setup;
use self::shade::{Gouraud, GouraudPairs, GouraudW, Nearest, NearestSmallW, NearestW, Shade, fill};
use self::tile::{RowShader, Tile};
use super::cleared_depth::ClearedDepthTracker;
use super::recognise::Candidate;
use super::runs::Runs;
use super::{Corners, DrawInputs, PaintTriangle, Scratch, SpanKernel, TileTriangle, Window};
use crate::depth::Occlusion;
use crate::features::{
    ARMV6M, Case, GOURAUD_ALONE, OfSamples, Only, SPANS_FILTERED, SPANS_PROGRAMS, SPANS_SMALL,
    TEXTURES,
};
use crate::lanes::TileTargets;
use crate::output::ColorState;
use crate::resource::{TextureBinding, ViewState};
use crate::scene::recognised::{DepthTest, Kernel, Lookup, Recognised, Source};
use crate::scene::{DrawRecord, Varying, VaryingMode};
use crate::setup::SampleRule;
use crate::setup::{Bounds, FillRule, Plane32};

/// The format of the kernel's targets.
const TARGET: Format = Format::B5G6R5Unorm;

impl SpanKernel for Rgb565<'_> {
    fn is_target(format: Format) -> bool {
        format == TARGET
    }

    /// Takes an opaque colour, or the texel of an RGB565 texture that repeats. A mean of several
    /// texels may be multiplied by a colour.
    #[inline(always)]
    fn takes(
        Candidate { record, target, color, lookup, textures, varyings, .. }: &Candidate<'_>,
    ) -> Option<Kernel> {
        let depth = depth_test(record, target)?;
        let fits = !super::is_mixed(varyings) && takes_color(*color, *lookup, textures);
        Case::new(depth).filter(|_| fits).map(Kernel::Rgb565)
    }
}

/// Returns true if the kernel computes a colour.
#[inline(always)]
fn takes_color(color: [Source; 3], lookup: Option<&Lookup>, textures: &[TextureBinding]) -> bool {
    match lookup {
        None => color.into_iter().all(Source::is_single),
        Some(Lookup { binding, wrap, linear, swizzle, .. }) => {
            let binding = textures.get(usize::from(*binding));
            binding.is_some_and(|binding| takes_texels(&binding.view))
                && (!linear || SPANS_FILTERED)
                && *swizzle == Swizzle::IDENTITY
                && *wrap == [TexWrap::Repeat; 2]
                && (0..).zip(color).all(|(component, source)| {
                    let factor = Source { texel: None, ..source };
                    source.texel == Some(component)
                        && (factor == Source::ONE || (*linear && factor.is_single()))
                })
        }
    }
}

/// Returns true if the kernel finds texels of a view: RGB565, with sides that are powers of two,
/// rows without gaps, and at most 2²⁰ texels.
fn takes_texels(view: &ViewState) -> bool {
    let [width, height] = view.sides;
    view.format == TARGET
        && view.packed
        && width.is_power_of_two()
        && height.is_power_of_two()
        && width.trailing_zeros() + height.trailing_zeros() <= 20
}

/// Returns the depth test of a draw if the kernel takes its state: an opaque colour on RGB565,
/// tested before it is computed. `None`: the draw is for another kernel.
pub(super) fn depth_test(record: &DrawRecord, target: &ColorState) -> Option<DepthTest> {
    if !target.replaces()
        || target.format != TARGET
        || record.alpha.is_some()
        || !record.early_depth
    {
        return None;
    }
    match record.depth.plain16() {
        Some((func, write)) => Some(DepthTest::Z16(func, write)),
        None => record.depth.is_none().then_some(DepthTest::None),
    }
}

/// A colour component of a draw, with known constants.
#[derive(Clone, Copy, Debug)]
enum Component {
    Constant(f32),
    Varying(usize),
}

/// A texture with sides that are powers of two, and rows without gaps.
#[derive(Clone, Copy, Debug)]
struct Texels<'a> {
    texels: &'a [u16],
    log2_width: u32,
    log2_height: u32,
    /// The varyings that give the coordinates.
    s: usize,
    t: usize,
}

impl<'a> Texels<'a> {
    /// Finds a draw's texels: one black texel if the level is being drawn to.
    fn of<R: Lanes>(
        Lookup { binding, s, t, .. }: Lookup,
        inputs: &DrawInputs<'a, '_, R>,
    ) -> Option<Texels<'a>> {
        let level = inputs.samplers.get(usize::from(binding))?.base()?;
        let texels: &[u16] = bytemuck::try_cast_slice(level.bytes).unwrap_or(&[]);
        let [log2_width, log2_height] = match texels {
            [] => [0; 2],
            _ => [level.width, level.height].map(u32::trailing_zeros),
        };
        Some(Texels {
            texels: if texels.is_empty() { &[0] } else { texels },
            log2_width,
            log2_height,
            s: s.into(),
            t: t.into(),
        })
    }
}

/// The colours, the texture and the tests of a draw.
///
/// With the feature `gouraud-alone` only `Rgb565::of_colors(DepthTest::NEARER)` exists, so that the
/// flash holds no code for other draws.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rgb565<'a> {
    color: [Component; 3],
    /// The function that computes the colour. If it is set, `color` and `texture` are not read.
    program: Only<Option<PixelProgram>, { SPANS_PROGRAMS as usize }>,
    /// The texture that gives the colour: its nearest texel.
    texture: Option<Texels<'a>>,
    /// The texture with means that are multiplied by the colour.
    filter: Only<Option<Filter<'a>>, { SPANS_FILTERED as usize }>,
    depth: DepthTest,
    /// True if `depth` is [`DepthTest::NEARER`].
    nearer: bool,
    varyings: &'a [Varying],
    occlusion: Occlusion,
    /// True if any varying is in perspective.
    perspective: bool,
    /// True if all pixels of a triangle have one colour.
    flat: bool,
    /// True if the colour is the first three varyings, in their order, and they are not flat.
    direct: bool,
}

/// The rules for painting triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) fill: FillRule,
    /// Set if triangles that integer planes cannot hold are painted in floats, not left to the
    /// general path.
    pub(crate) in_floats: bool,
    /// The samples of a pixel.
    pub(crate) samples: OfSamples<SampleRule>,
}

impl Rgb565<'_> {
    /// Returns true if the depth test is [`DepthTest::NEARER`].
    #[inline(always)]
    fn nearer(&self) -> bool {
        GOURAUD_ALONE || self.nearer
    }

    /// Returns the texture; `None` if the colour is not its texel.
    #[inline(always)]
    fn texture(&self) -> Option<&Texels<'_>> {
        if GOURAUD_ALONE || !TEXTURES { None } else { self.texture.as_ref() }
    }

    /// Returns true if any varying is in perspective.
    #[inline(always)]
    fn perspective(&self) -> bool {
        GOURAUD_ALONE || self.perspective
    }

    /// Returns true if planes of large triangles are kept: nearest texels, or interpolated colours.
    #[inline(always)]
    fn keeps_planes(&self) -> bool {
        let is_filtered = matches!(self.filter.get(), Some(Some(_)));
        let calls = matches!(self.program.get(), Some(Some(_)));
        !is_filtered && !calls && (self.texture().is_some() || !self.flat())
    }

    /// Returns true if all pixels of a triangle have one colour.
    #[inline(always)]
    fn flat(&self) -> bool {
        !GOURAUD_ALONE && self.flat
    }

    /// Returns true if the colour is the first three varyings, in their order, and they are not
    /// flat.
    #[inline(always)]
    fn direct(&self) -> bool {
        GOURAUD_ALONE || self.direct
    }
}

impl<'a> Rgb565<'a> {
    /// Makes the kernel for a draw; `None` if it has no texture.
    pub(super) fn new<R: Lanes>(
        span: &Recognised,
        depth: DepthTest,
        inputs: &DrawInputs<'a, '_, R>,
    ) -> Option<Rgb565<'a>> {
        let [r, g, b, _] = span.color;
        let color = [r, g, b].map(|Source { varying, uniform, .. }| match varying {
            None => Component::Constant(inputs.uniform(uniform).unwrap_or(1.0)),
            Some(index) => Component::Varying(index.into()),
        });
        let filter = match span.lookup.filter(|lookup| SPANS_FILTERED && lookup.linear) {
            None => None,
            Some(lookup) => Some(Filter::of(lookup, color, inputs)?),
        };
        let texture = match span.lookup.filter(|lookup| TEXTURES && !lookup.linear) {
            None => None,
            Some(lookup) => Some(Texels::of(lookup, inputs)?),
        };
        let flat = color.into_iter().all(|component| match component {
            Component::Constant(_) => true,
            Component::Varying(index) => inputs.mode(index) == VaryingMode::Flat,
        });
        let direct = span.lookup.is_none()
            && color.into_iter().enumerate().all(|(at, component)| {
                matches!(component, Component::Varying(index) if index == at)
                    && inputs.mode(at) != VaryingMode::Flat
            });
        Some(Rgb565 {
            color,
            program: match span.kernel {
                Kernel::Rgb565Calls(_) => Only::new(Some(PixelProgram::new(inputs)?)),
                _ => Only::new(None),
            },
            texture,
            filter: Only::new(filter),
            depth,
            nearer: depth == DepthTest::NEARER,
            varyings: inputs.varyings,
            occlusion: inputs.occlusion(),
            perspective: inputs.is_perspective(),
            flat,
            direct,
        })
    }
}

impl Rgb565<'_> {
    /// Paints the pixels of a tile that a triangle covers; `false` if it must take the general
    /// path.
    #[inline(always)]
    pub(crate) fn triangle(
        &self,
        corners: &Corners<'_>,
        rules: Rules,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        if rules.samples.rule().count > 1 {
            return self.samples(corners, &rules, window, scratch, targets);
        }
        SPANS_SMALL && self.direct() && self.small(corners, rules.fill, window, scratch, targets)
            || self.any(corners, rules, window, scratch, targets)
    }

    /// Paints a triangle of any size; `false` if it must take the general path.
    #[inline(never)]
    fn any(
        &self,
        corners: &Corners<'_>,
        rules: Rules,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        if ARMV6M
            && self.keeps_planes()
            && self.large(corners, rules, window, scratch, targets).is_some()
        {
            return true;
        }
        self.solve_and_paint(corners, &rules, window, scratch, targets)
    }
}

impl PaintTriangle for Rgb565<'_> {
    type State = Rules;

    #[inline(always)]
    fn rule(rules: &Rules) -> FillRule {
        rules.fill
    }

    #[inline(always)]
    fn depth(&self, _: &Rules) -> (&Occlusion, bool) {
        (&self.occlusion, GOURAUD_ALONE || self.depth != DepthTest::None)
    }

    #[inline(always)]
    fn paint(
        &self,
        &TileTriangle { points, w, gradient, region, z, .. }: &TileTriangle<'_>,
        corners: &Corners<'_>,
        rules: &Rules,
        window: &Window,
        Scratch { runs, cleared_depth, .. }: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        let mut setup = Setup::new(self, corners, gradient, region, w);
        let Some(mut tile) = Tile::new(targets, &window.tile, self.depth) else { return false };
        let mut rows = TileRows { tile: &mut tile, runs, cleared_depth, region, z };
        if let Some(Some(program)) = self.program.get() {
            setup.attributes.read();
            let colors = ProgramRows::new(program, &setup, w);
            return rows.paint(&mut |pixels, from| colors.row(pixels, from));
        }
        if let Some(Some(filter)) = self.filter.get() {
            setup.attributes.read();
            let Some(texels) = FilteredRows::new(filter, &setup, w, region.x0) else {
                return false;
            };
            return rows.paint(&mut |pixels, from| texels.row(pixels, from));
        }
        if let Some(color) = setup.constant() {
            return rows.flat(color);
        }
        let (mut linear, mut fits) = (setup.is_linear(), true);
        if !linear {
            setup.attributes.read();
            linear = self.texture().is_none() && setup.is_nearly_linear();
            fits = linear || setup.normalise_w();
        }
        setup.attributes.read();
        let texels = self.texture();
        let painted = fits
            && match texels {
                Some(texels) => rows.texels(&setup, texels, linear),
                None => rows.gouraud(&setup, points, linear),
            };
        painted || rules.in_floats && rows.in_floats(&setup, texels, w)
    }
}

/// The rows of a triangle in a tile, ready for colours.
struct TileRows<'s, 't> {
    tile: &'s mut Tile<'t>,
    runs: &'s Runs,
    cleared_depth: &'s mut ClearedDepthTracker,
    region: &'s Bounds,
    z: &'s Plane32,
}

impl TileRows<'_, '_> {
    #[inline(always)]
    fn paint(&mut self, shade: RowShader<'_>) -> bool {
        self.tile.paint(self.runs, self.cleared_depth, self.region, self.z, shade)
    }

    /// Paints one colour.
    #[inline(always)]
    fn flat(&mut self, color: u16) -> bool {
        self.paint(&mut |pixels, _| fill(pixels, color))
    }

    /// Paints nearest texels; `false` if the triangle must take the general path.
    #[inline(always)]
    fn texels(&mut self, setup: &Setup<'_, '_>, texels: &Texels<'_>, linear: bool) -> bool {
        if linear {
            let (Some(planes), Some(nearest)) = (setup.texture(texels), Nearest::of(texels)) else {
                return false;
            };
            return self.paint(&mut |pixels, from| nearest.row(pixels, from, &planes));
        }
        let Some((planes, small)) = setup.texture_w(texels) else { return false };
        self.texels_w(texels, &planes, small)
    }

    /// Paints nearest texels in perspective, with planes of [`NearestSmallW`] or [`NearestW`].
    #[inline(always)]
    fn texels_w(&mut self, texels: &Texels<'_>, &planes: &[Plane32; 3], small: bool) -> bool {
        if small {
            let nearest = NearestSmallW::of(texels);
            return self.paint(&mut move |pixels, from| nearest.row(pixels, from, &planes));
        }
        let nearest = NearestW::of(texels);
        self.paint(&mut |pixels, from| nearest.row(pixels, from, &planes))
    }

    /// Paints colours or texels that integer planes cannot hold.
    #[inline(always)]
    fn in_floats(
        &mut self,
        setup: &Setup<'_, '_>,
        texels: Option<&Texels<'_>>,
        w: [f32; 3],
    ) -> bool {
        let floats = FloatRows::new(setup, texels, w);
        self.paint(&mut |pixels, from| floats.row(pixels, from))
    }

    /// Paints interpolated colours; `false` if the triangle's planes do not fit integers.
    #[inline(always)]
    fn gouraud(&mut self, setup: &Setup<'_, '_>, points: &[[i32; 2]; 3], linear: bool) -> bool {
        let Some(planes) = setup.color(linear) else { return false };
        if !linear {
            return self.paint(&mut |pixels, from| GouraudW.row(pixels, from, &planes));
        }
        let [rgb @ .., _] = &planes;
        self.colors(rgb, setup.is_in_pairs(points))
    }

    /// Paints colours that need no division.
    #[inline(always)]
    fn colors(&mut self, planes: &[Plane32; 3], in_pairs: bool) -> bool {
        if in_pairs {
            let pairs = GouraudPairs::new(planes, self.region.x0);
            self.paint(&mut |pixels, from| pairs.row(pixels, from))
        } else {
            self.paint(&mut |pixels, from| Gouraud.row(pixels, from, planes))
        }
    }
}
