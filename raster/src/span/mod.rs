//! Integer spans: the common fragment programs and states, a row of pixels at a time.
//!
//! ```text
//!   program + state ──recognise──► Recognised (in the draw's record)
//!   + constants, textures ───────► Painter    (once a draw and worker)
//!   + a triangle ──► integer planes ──► blocks ──► rows [left, right) ──► depth, colour, store
//! ```
//!
//! A recogniser looks at what a program computes, not at how it is written: each component of its
//! colour must be a constant, an input, or the texel of one lookup. Then a pixel is a few integer
//! additions, a shift and a store, in the target's own words. Positions, coverage and depth are
//! the general path's, bit for bit; colours and texture coordinates are fixed point:
//!
//! | what | how | against the general path |
//! |---|---|---|
//! | constant, flat | packed once a triangle | the same |
//! | interpolated | Q8.24 of the channel's steps, in 32-bit planes | a step of the target in the rare pixel whose value lies within 2⁻¹⁸ of a tie |
//! | on small triangles | red and blue in 16 bits each of a word, from the triangle's reference pixel | a step where the value lies within 2⁻⁶ of a tie |
//! | on wide triangles | the same over 32 pixels of the picture's grid in 16 bits, two pixels a word | a step where the value lies within 2⁻⁷ of a tie |
//! | nearly linear | as interpolated, where that is within an eighth of a step of the exact value | a step in the pixels that this puts on a tie's other side |
//! | in perspective | numerators as above over a Q2.30 denominator, one integer division a pixel and a Newton step | the same, within 2⁻⁸ of a tie |
//! | nearest texel | coordinates to 2⁻²⁶ of the texture; in perspective 2⁻¹⁶ of a texel; of small textures, where w changes at most 4-fold, 2⁻¹⁴ of the coordinate | the neighbouring texel where the coordinate lies that close to its edge |
//! | mean of four texels | the same coordinates, planes in 64 bits, weights to 2⁻¹³ | a step where the value lies within a sixteenth of a step of 8 bits of a tie; more in slivers and thousands of texels from the first, where the general path's floats are further off |
//!
//! What is recognised, by feature:
//!
//! | | `spans-565` | `spans-generic` | `spans-all` |
//! |---|---|---|---|
//! | targets | RGB565 | one byte a pixel | channels of up to 8 bits |
//! | a component of the colour | a constant, a varying, or the texel's | the product of one of each, in any order | as `spans-generic` |
//! | textures, nearest | RGB565 that repeats, powers of two | channels of up to 8 bits, any size, wrapped but to a border | as `spans-generic` |
//! | textures, linear | none | with `spans-bilinear`: the same, but `CLAMP` and `MIRROR_CLAMP`, which show the border; both filters linear, and no mip filter | as `spans-generic` with `spans-bilinear` |
//! | blending | none | all but a second colour's and saturated factors | as `spans-generic` |
//! | alpha test, colour masks | none | all | all |
//! | depth | none, 16 bits | none, 16, 24, 32 bits | as `spans-generic` |
//!
//! Any other program or state takes the general path; without the feature `fragments` it is an
//! error of `draw_vbo`. A triangle that is not for this (too steep for 32 bits, values beyond ±4 or
//! not numbers, means of texels some 2¹⁵ from the first, or w changes more than 16-fold over it, in
//! the stages 8-fold where the greatest 1/w is a power of two) says so and does likewise; then the
//! error is that of the `flush` or `present` that meets it, and the other triangles are drawn. None
//! of this depends on tiles or on the profile, so every profile draws the same pixels.

mod farthest;
mod paint;
mod recognise;
mod rows;
mod setup;
mod shade;
mod small;
#[cfg(feature = "spans-generic")]
mod stages;

pub(crate) use recognise::{can_draw_to, recognise};

use tgsi::exec::Lanes;

use self::farthest::Farthest;
use self::paint::{Fresh, Ink, Plane32, Tile};
use self::rows::Runs;
use self::setup::Setup;
use self::shade::{Gouraud, GouraudPairs, GouraudW, Nearest, NearestSmallW, NearestW, Shade, fill};
use crate::depth::Occlusion;
use crate::features::SPANS_565;
use crate::fixed::SUBPIXEL_BITS;
use crate::lanes::TileTargets;
#[cfg(feature = "spans-generic")]
use crate::output::ColorState;
use crate::resource::Sampler;
use crate::scene::recognised::{DepthTest, Recognised, Source, Texture};
use crate::scene::{Arena, DrawRecord, PACKED_VARYINGS, Varying, VaryingMode, Vertex};
use crate::setup::{Bounds, Gradient, area};

/// A triangle's vertices.
pub(crate) struct Corners<'a> {
    pub(crate) arena: &'a Arena<'a>,
    /// Where they are.
    pub(crate) ids: [u32; 3],
    /// The one that flat varyings come from.
    pub(crate) flat: usize,
}

impl<'a> Corners<'a> {
    #[inline(always)]
    fn vertices(&self) -> [Vertex<'a>; 3] {
        let [a, b, c] = self.ids;
        [Vertex::at(self.arena, a), Vertex::at(self.arena, b), Vertex::at(self.arena, c)]
    }

    /// The first varyings of each: there are seldom more.
    #[inline(never)]
    fn first_varyings(&self) -> [[f32; PACKED_VARYINGS]; 3] {
        self.vertices().map(Vertex::first_varyings)
    }
}

/// Where a triangle is painted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// The tile's pixels.
    pub(crate) tile: Bounds,
    /// Those that the draw may change.
    pub(crate) clip: Bounds,
}

/// What painting keeps over a tile.
#[derive(Debug)]
pub(crate) struct Scratch {
    runs: Runs,
    fresh: Fresh,
    pub(crate) farthest: Farthest,
    #[cfg(feature = "spans-generic")]
    rows: stages::Rows,
}

impl Scratch {
    /// Before the first tile.
    pub(crate) const EMPTY: Scratch = Scratch {
        runs: Runs::EMPTY,
        fresh: Fresh::ALL_TOUCHED,
        farthest: Farthest::UNKNOWN,
        #[cfg(feature = "spans-generic")]
        rows: stages::Rows::EMPTY,
    };

    /// Begins a tile that was cleared to `depth`, if it was.
    pub(crate) fn start(&mut self, depth: Option<f32>) {
        self.fresh.start(depth);
        self.farthest = Farthest::UNKNOWN;
    }

    /// Something other than spans draws to the tile.
    pub(crate) fn touch(&mut self) {
        self.fresh.forget();
    }

    /// Something other than a draw writes to the tile.
    pub(crate) fn forget(&mut self) {
        self.fresh.forget();
        self.farthest = Farthest::UNKNOWN;
    }
}

/// A colour component of a draw, its constants known.
#[derive(Clone, Copy, Debug)]
enum Component {
    Constant(f32),
    Varying(usize),
}

/// Texels to look up.
#[derive(Clone, Copy, Debug)]
struct Texels<'a> {
    texels: &'a [u16],
    log2_width: u32,
    log2_height: u32,
    /// The varyings that are the coordinates.
    s: usize,
    t: usize,
}

/// What a draw's triangles are painted with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Painter<'a> {
    color: [Component; 3],
    texture: Option<Texels<'a>>,
    depth: DepthTest,
    /// Whether that is [`DepthTest::NEARER`].
    nearer: bool,
    varyings: &'a [Varying],
    occlusion: Occlusion,
    /// Whether any varying is in perspective.
    perspective: bool,
    /// Whether the colour is the same all over a triangle.
    flat: bool,
    /// Whether the colour is the first three varyings as they are.
    direct: bool,
    /// Draws it in stages, where it is not for the loops of 565.
    #[cfg(feature = "spans-generic")]
    stages: Option<stages::Draw<'a>>,
}

/// Triangles this wide (Q24.8) are worth pairs of pixels.
const WIDE: i32 = 64 << SUBPIXEL_BITS;

impl<'a> Painter<'a> {
    /// For a draw whose constants are in `rows`. `None`: its texture is not for this.
    pub(crate) fn new<R: Lanes>(
        span: &Recognised,
        varyings: &'a [Varying],
        rows: &[R],
        samplers: &[Sampler<'a>],
        record: &DrawRecord,
        #[cfg(feature = "spans-generic")] target: Option<&'a ColorState>,
    ) -> Option<Painter<'a>> {
        let perspective = varyings.iter().any(|v| v.mode == VaryingMode::Perspective);
        let mut occlusion = record.depth.occlusion();
        // Pixels that the alpha test drops hide nothing.
        occlusion.hides &= record.alpha.is_none();
        let Some(depth) = span.plain.filter(|_| SPANS_565) else {
            #[cfg(feature = "spans-generic")]
            return Some(Painter {
                color: [Component::Constant(0.0); 3],
                texture: None,
                depth: DepthTest::None,
                nearer: false,
                varyings,
                occlusion,
                perspective,
                flat: false,
                direct: false,
                stages: Some(stages::Draw::new(span, record, varyings, rows, samplers, target?)?),
            });
            #[cfg(not(feature = "spans-generic"))]
            return None;
        };
        let [r, g, b, _] = span.color;
        let color = [r, g, b].map(|Source { varying, uniform, .. }| match varying {
            None => {
                let lanes = uniform.index().and_then(|row| rows.get(row));
                let bits = lanes.and_then(|lanes| lanes.as_slice().first()).copied();
                Component::Constant(f32::from_bits(bits.unwrap_or(0)))
            }
            Some(index) => Component::Varying(index.into()),
        });
        let texture = match span.texture {
            None => None,
            Some(Texture { binding, s, t, .. }) => {
                let level = samplers.get(usize::from(binding))?.base()?;
                let texels: &[u16] = bytemuck::try_cast_slice(level.bytes).ok()?;
                let whole = level.row_stride == 2 * level.width as usize;
                let texels = texels.get(..(level.width * level.height) as usize)?;
                let sizes = level.width.is_power_of_two() && level.height.is_power_of_two();
                if !whole || !sizes || level.width * level.height > 1 << 20 {
                    return None;
                }
                Some(Texels {
                    texels,
                    log2_width: level.width.trailing_zeros(),
                    log2_height: level.height.trailing_zeros(),
                    s: s.into(),
                    t: t.into(),
                })
            }
        };
        let mode = |index: usize| varyings.get(index).map_or(VaryingMode::Flat, |v| v.mode);
        let flat = color.into_iter().all(|component| match component {
            Component::Constant(_) => true,
            Component::Varying(index) => mode(index) == VaryingMode::Flat,
        });
        let direct = texture.is_none()
            && color.into_iter().enumerate().all(|(at, component)| {
                matches!(component, Component::Varying(index) if index == at)
                    && mode(at) != VaryingMode::Flat
            });
        Some(Painter {
            color,
            texture,
            depth,
            nearer: depth == DepthTest::NEARER,
            varyings,
            occlusion,
            perspective,
            flat,
            direct,
            #[cfg(feature = "spans-generic")]
            stages: None,
        })
    }

    /// Whether its pixels have a depth that matters.
    #[inline(always)]
    fn is_depth_tested(&self, _record: &DrawRecord) -> bool {
        #[cfg(feature = "spans-generic")]
        if self.stages.is_some() {
            return !_record.depth.is_none();
        }
        self.depth != DepthTest::None
    }

    /// Paints what a triangle covers of a tile; `false` if it must be drawn the general way.
    ///
    /// The scratch is the tile's.
    #[inline(always)]
    pub(crate) fn triangle(
        &self,
        corners: &Corners<'_>,
        record: &DrawRecord,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        SPANS_565 && self.direct && self.small(corners, record, window, scratch, targets)
            || self.any(corners, record, window, scratch, targets)
    }

    #[inline(never)]
    fn any(
        &self,
        corners: &Corners<'_>,
        record: &DrawRecord,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        let v = corners.vertices().map(Vertex::position);
        let points = v.map(|v| [v.x, v.y]);
        let area = area(&points);
        let (tile, mut region) = (&window.tile, window.clip);
        if area == 0 || !scratch.runs.solve(&points, area > 0, record.rule, &mut region) {
            return true;
        }
        let gradient = Gradient::with_area(&points, area, record.rule.center());
        let mut z = Plane32::default();
        if self.is_depth_tested(record) {
            let depth = gradient.plane(v[0].z, v[1].z, v[2].z);
            if self.occlusion.hidden && scratch.farthest.hides(&depth, &gradient, &region) {
                return true;
            }
            let plane = gradient.fixed_depth(&depth).from(region.x0, region.y0);
            z = Plane32 { value: plane.value, dx: plane.dx, dy: plane.dy };
            if self.occlusion.hides
                && (region.x0, region.y0) == (tile.x0, tile.y0)
                && let Some(Some(target)) = targets.color.first()
            {
                scratch.farthest.cover(&scratch.runs, &region, &z, target);
            }
        }
        let mut at = Setup {
            painter: self,
            corners,
            first: None,
            gradient,
            right: region.x0 - gradient.x,
            down: region.y0 - gradient.y,
            w: v.map(|v| v.rcp_w),
        };
        #[cfg(feature = "spans-generic")]
        if let Some(stages) = &self.stages {
            at.read();
            let place = (tile.x0, tile.y0);
            return stages.triangle(&at, &points, record, scratch, &region, place, &z, targets);
        }
        if !SPANS_565 {
            return false;
        }
        let Scratch { runs, fresh, .. } = scratch;
        let Some(mut tile) = Tile::new(targets, tile, self.depth) else { return false };
        if let Some(color) = at.constant() {
            tile.paint(runs, fresh, &region, &z, &mut |pixels, _| fill(pixels, color));
            return true;
        }
        let mut linear = at.is_linear();
        if !linear {
            at.read();
            linear = self.texture.is_none() && at.is_nearly_linear();
            if !linear && !at.normalise_w() {
                return false;
            }
        }
        at.read();
        let mut paint = |shade: Ink<'_>| {
            tile.paint(runs, fresh, &region, &z, shade);
            true
        };
        if let Some(texels) = &self.texture {
            if linear {
                let (Some(planes), Some(nearest)) = (at.texture(texels), Nearest::of(texels))
                else {
                    return false;
                };
                return paint(&mut |pixels, from| nearest.row(pixels, from, &planes));
            }
            let Some((planes, small)) = at.texture_w(texels) else { return false };
            if small {
                let nearest = NearestSmallW::of(texels);
                return paint(&mut move |pixels, from| nearest.row(pixels, from, &planes));
            }
            let nearest = NearestW::of(texels);
            return paint(&mut |pixels, from| nearest.row(pixels, from, &planes));
        }
        let Some(planes) = at.color(linear) else { return false };
        if !linear {
            return paint(&mut |pixels, from| GouraudW.row(pixels, from, &planes));
        }
        let [rgb @ .., _] = &planes;
        let [left, right] = [i32::min, i32::max].map(|of| of(of(v[0].x, v[1].x), v[2].x));
        if right - left >= WIDE && at.stays_in_range() {
            let pairs = GouraudPairs::new(rgb, region.x0);
            paint(&mut |pixels, from| pairs.row(pixels, from))
        } else {
            paint(&mut |pixels, from| Gouraud.row(pixels, from, rgb))
        }
    }
}
