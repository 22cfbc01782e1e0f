//! Integer spans: common fragment programs and states, drawn a row of pixels at a time.
//!
//! ```text
//!   program + state ──recognise──► Recognised (in the draw's record)
//!   + constants, textures ───────► Painter    (once per draw and worker): one of the kernels
//!   + a triangle ──► integer planes ──► blocks ──► rows [left, right) ──► depth, colour, store
//! ```
//!
//! Two kernels paint rows. `rgb565/` paints opaque colours and nearest texels on RGB565, with one
//! loop per kind of colour. `generic/` paints everything else, in passes over 16 pixels at a time.
//! They share the coverage of rows (`runs.rs`; `sample_runs.rs` for four samples), the corners'
//! values (`attributes.rs`), and the known depth of a tile (`cleared_depth.rs`,
//! `tile_max_depth.rs`).
//!
//! The recogniser follows values, not a program's text: each component of the colour must be a
//! constant, an input, or the texel of one lookup. Then a pixel takes a few integer additions, a
//! shift and a store, in the target's own words. Positions, coverage and depth equal the general
//! path's, bit for bit. Colours and texture coordinates are fixed point:
//!
//! | value | format | difference from the general path |
//! |---|---|---|
//! | constant, flat | packed once per triangle | none |
//! | interpolated | Q8.24 of the channel's steps, in 32-bit planes | a step of the target in the rare pixel with a value within 2⁻¹⁸ of a tie |
//! | on small triangles | red and blue in 16 bits each of a word, from the triangle's reference pixel | a step where the value lies within 2⁻⁵ of a tie |
//! | on wide triangles | each channel in 16 bits over 32 pixels of the picture's grid, two pixels per word | a step where the value lies within 2⁻⁷ of a tie |
//! | nearly linear | as interpolated, if that is within a quarter of a step of the exact value | a step in the pixels that this moves to a tie's other side |
//! | in perspective | numerators as interpolated, over a Q2.30 denominator: one integer division and one Newton step per pixel | a step where the value lies within 2⁻⁸ of a tie |
//! | nearest texel | coordinates to 2⁻²⁶ of the texture; in perspective 2⁻¹⁶ of a texel; for small textures on triangles where w changes at most 4-fold, 2⁻¹⁴ of the coordinate | the neighbouring texel where the coordinate lies that close to its edge |
//! | mean of four texels | coordinates in planes of 64 bits, weights to 2⁻¹³ | a step where the value lies within a sixteenth of a step of 8 bits of a tie; more in slivers and thousands of texels from the first, where the general path's floats are less exact |
//! | mean of four texels of 16 bits without a colour, stored or blended in RGB565 | coordinates in Q13.18 along a row, weights to 2⁻¹² | a step where the value lies within a tenth of a step of a tie |
//! | mean of texels in the RGB565 kernel | coordinates in floats; without perspective and colour Q15.16, stepped over 64 pixels; colours to 2⁻¹⁶, weights to 2⁻⁸ along an axis and between levels, one λ for four pixels in a row | a step where these move a value over a tie; more where texels of neighbouring levels differ by more |
//!
//! `docs/features.md` has the table of the draws that each kernel takes. `recognise.rs` decides, from
//! program, state, target and texture: a draw that the RGB565 kernel does not take is left to the
//! generic kernel, then to the general path. Without the feature `fragments` there is no general
//! path, and `draw_vbo` refuses the draw.
//!
//! On targets with several samples (`samples`) the RGB565 kernel takes constant and interpolated
//! colours, one plane per sample. All other draws to such targets take the general path.
//!
//! With `spans-programs` the RGB565 kernel also takes any program that has a pixel function
//! (`tgsi!(pixel; …)`). It runs in floats and draws the same pixels as the general path.
//!
//! Integer planes do not hold every triangle of such a draw: not triangles that are too steep for
//! 32 bits, have values beyond ±4 or NaN, have means of texels some 2¹⁵ from the first, or have w
//! change more than 16-fold (8-fold in the generic kernel, if the greatest 1/w is a power of two).
//! A kernel hands these triangles to the general path, or paints them in floats (`float_planes.rs`)
//! in builds without it. None of this depends on tiles or on the profile, so every profile draws
//! the same pixels.

mod attributes;
mod cleared_depth;
mod float_planes;
mod generic;
mod reciprocal;
mod recognise;
mod rgb565;
mod runs;
mod sample_runs;
mod tile_max_depth;

use self::recognise::Candidate;
pub(crate) use self::recognise::recognise;

use formats::Format;
use tgsi::exec::Lanes;
use tgsi::program::Program;
use tgsi::program::Row;

pub(crate) use self::attributes::Corners;
use self::cleared_depth::ClearedDepthTracker;
pub(crate) use self::generic::Generic;
use self::rgb565::kept::KeptTriangles;
use self::rgb565::whole_pixels::WholePixels;
pub(crate) use self::rgb565::{Rgb565, Rules};
use self::runs::Runs;
use self::sample_runs::SampleRuns;
use self::tile_max_depth::TileMaxDepth;
use crate::depth::Occlusion;
use crate::features::{
    ARMV6M, Case, FRAGMENTS, Only, SAMPLES, SPANS_565, SPANS_GENERIC, SPANS_PROGRAMS,
};
use crate::lanes::TileTargets;
use crate::output::ColorState;
use crate::resource::Sampler;
use crate::scene::recognised::{Kernel, Recognised};
use crate::scene::{DrawRecord, Varying, VaryingMode, Vertex};
use crate::setup::{Bounds, FillRule, Gradient, Plane32, area};

/// The pixels of a tile where a draw's triangles are painted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// The tile's pixels.
    pub(crate) tile: Bounds,
    /// The pixels that the draw may change.
    pub(crate) clip: Bounds,
}

/// A worker's memory for painting a tile.
#[derive(Debug)]
pub(crate) struct Scratch {
    runs: Runs,
    sample_runs: SampleRuns,
    whole: WholePixels,
    cleared_depth: ClearedDepthTracker,
    kept: Only<KeptTriangles, { ARMV6M as usize }>,
    pub(crate) max_depth: TileMaxDepth,
    row: Only<generic::RowBuffers, { SPANS_GENERIC as usize }>,
}

impl Scratch {
    /// Returns the memory before the first tile. A constant takes less code, but its bytes are in the
    /// flash: too many where there are kept triangles or rows.
    pub(crate) fn new() -> Scratch {
        macro_rules! scratch {
            ($kept:expr) => {
                Scratch {
                    runs: Runs::EMPTY,
                    sample_runs: SampleRuns::EMPTY,
                    whole: WholePixels::NONE,
                    cleared_depth: ClearedDepthTracker::ALL_TOUCHED,
                    kept: $kept,
                    max_depth: TileMaxDepth::UNKNOWN,
                    row: Only::of([const { generic::RowBuffers::EMPTY }; _]),
                }
            };
        }
        if ARMV6M || SPANS_GENERIC {
            scratch!(Only::with(KeptTriangles::new))
        } else {
            const { scratch!(Only::of([const { KeptTriangles::new() }; _])) }
        }
    }

    /// Begins a tile. `depth` is the depth that it was cleared to, `None` if it was not cleared;
    /// `color` is true if colour was cleared too.
    pub(crate) fn start(&mut self, depth: Option<f32>, color: bool) {
        if SPANS_565 {
            self.cleared_depth.start(depth);
        }
        if SPANS_565 && SAMPLES {
            self.whole.start(color && depth.is_some());
        }
        self.max_depth = TileMaxDepth::UNKNOWN;
    }

    /// Records that triangles of another frame follow.
    pub(crate) fn start_frame(&mut self) {
        if let Some(kept) = self.kept.get_mut() {
            kept.start_frame();
        }
    }

    /// Writes the samples of whole pixels in an area to their planes, for code that reads or draws
    /// to the planes.
    #[inline(always)]
    pub(crate) fn spread(&mut self, targets: &mut TileTargets<'_>, tile: &Bounds, area: &Bounds) {
        if SPANS_565 && SAMPLES {
            self.whole.spread(targets, tile, area);
            self.cleared_depth.forget();
        }
    }

    /// Returns the pixels of a row where samples may differ, one bit per pixel.
    pub(crate) fn spread_of(&self, row: usize) -> u64 {
        if SPANS_565 { self.whole.spread_of(row) } else { u64::MAX }
    }

    /// Records that the general path draws to the tile.
    pub(crate) fn touch(&mut self) {
        if SPANS_565 {
            self.cleared_depth.forget();
        }
    }

    /// Records that depth in the tile may have any value: after a clear, or a draw that writes
    /// farther depth.
    pub(crate) fn forget(&mut self) {
        self.touch();
        self.max_depth = TileMaxDepth::UNKNOWN;
    }
}

/// A draw's inputs, ready in a worker.
pub(crate) struct DrawInputs<'a, 'r, R> {
    pub(crate) record: &'r DrawRecord,
    pub(crate) varyings: &'a [Varying],
    /// The program's registers; its constants are in them.
    pub(crate) rows: &'r [R],
    pub(crate) program: Only<Option<&'r Program<'a>>, { SPANS_PROGRAMS as usize }>,
    pub(crate) samplers: &'r [Sampler<'a>],
    pub(crate) target: Option<&'a ColorState>,
}

impl<R: Lanes> DrawInputs<'_, '_, R> {
    /// Returns a constant of the draw; `None` if there is no such row.
    fn uniform(&self, row: Row) -> Option<f32> {
        let lanes = row.index().and_then(|row| self.rows.get(row))?;
        lanes.as_slice().first().map(|bits| f32::from_bits(*bits))
    }

    /// Returns the mode of a varying.
    fn mode(&self, varying: usize) -> VaryingMode {
        self.varyings.get(varying).map_or(VaryingMode::Flat, |varying| varying.mode)
    }

    /// Returns true if any varying is in perspective.
    fn is_perspective(&self) -> bool {
        self.varyings.iter().any(|varying| varying.mode == VaryingMode::Perspective)
    }

    /// Returns the draw's effect on the tile's greatest depth.
    fn occlusion(&self) -> Occlusion {
        let mut occlusion = self.record.depth.occlusion();
        // Pixels that the alpha test drops hide nothing.
        occlusion.hides &= self.record.alpha.is_none();
        occlusion
    }
}

/// Returns true if some varyings are in perspective and others change linearly over the screen.
fn is_mixed(varyings: &[Varying]) -> bool {
    let has = |mode| varyings.iter().any(|varying| varying.mode == mode);
    has(VaryingMode::Perspective) && has(VaryingMode::Linear)
}

/// The kernel that paints a draw's triangles, with the draw's constants and textures.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "a worker has one, and keeps it in place")]
pub(crate) enum Painter<'a> {
    Rgb565(Case<Rgb565<'a>, { SPANS_565 as usize }>),
    Generic(Case<Generic<'a>, { SPANS_GENERIC as usize }>),
}

impl<'a> Painter<'a> {
    /// Makes the kernel that a draw was recognised for; `None` if its texture or constants do not
    /// fit.
    pub(crate) fn new<R: Lanes>(
        span: &Recognised,
        inputs: &DrawInputs<'a, '_, R>,
    ) -> Option<Painter<'a>> {
        let depth = match &span.kernel {
            Kernel::Generic(_) => {
                return Case::new(Generic::new(span, inputs)?).map(Painter::Generic);
            }
            Kernel::Rgb565(depth) => depth.get(),
            Kernel::Rgb565Calls(depth) => depth.get(),
        };
        Case::new(Rgb565::new(span, *depth?, inputs)?).map(Painter::Rgb565)
    }

    /// Paints the pixels of a tile that a triangle covers; `false` if it must take the general
    /// path.
    ///
    /// `scratch` must be the tile's.
    #[inline(always)]
    pub(crate) fn triangle(
        &self,
        corners: &Corners<'_>,
        record: &DrawRecord,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        match self {
            Painter::Rgb565(kernel) => {
                let rules =
                    Rules { fill: record.rule, in_floats: !FRAGMENTS, samples: record.samples };
                kernel
                    .get()
                    .is_some_and(|kernel| kernel.triangle(corners, rules, window, scratch, targets))
            }
            Painter::Generic(kernel) => kernel.get().is_some_and(|kernel| {
                kernel.triangle(corners, record.rule, window, scratch, targets)
            }),
        }
    }
}

/// The part of a triangle in a tile; the scratch memory holds its rows.
struct TileTriangle<'v> {
    /// The corners, Q24.8.
    points: &'v [[i32; 2]; 3],
    /// 1/w of the corners.
    w: [f32; 3],
    /// The corners' depths.
    depths: [f32; 3],
    gradient: &'v Gradient,
    /// The rows that the triangle reaches.
    region: &'v Bounds,
    /// Depth from the region's first pixel on, Q2.30; 0 without a depth test.
    z: &'v Plane32,
}

/// A kernel: the draws that it takes. How it paints a triangle is in [`PaintTriangle`].
trait SpanKernel: PaintTriangle {
    /// Returns true if the kernel draws to targets of the format.
    fn is_target(format: Format) -> bool;

    /// Returns the kernel with its choices if it takes a draw; `None` if the draw is for another
    /// kernel or for the general path.
    fn takes(draw: &Candidate<'_>) -> Option<Kernel>;
}

/// Offers a draw to the kernels in turn; returns the first that takes it.
#[inline(always)]
fn kernel_for(draw: &Candidate<'_>) -> Option<Kernel> {
    let kernel = if SPANS_565 { Rgb565::takes(draw) } else { None };
    kernel.or_else(|| if SPANS_GENERIC { <Generic<'_>>::takes(draw) } else { None })
}

/// Returns true if a kernel draws to targets of a format.
pub(crate) fn can_draw_to(format: Format) -> bool {
    SPANS_565 && Rgb565::is_target(format) || SPANS_GENERIC && <Generic<'_>>::is_target(format)
}

/// Paints the part of a triangle in a tile; each kernel implements it.
trait PaintTriangle {
    /// The part of a draw's state that the kernel does not hold.
    type State;

    /// Returns the draw's fill rule.
    fn rule(state: &Self::State) -> FillRule;

    /// Returns the draw's effect on the tile's greatest depth, and true if the draw tests depth.
    fn depth(&self, state: &Self::State) -> (&Occlusion, bool);

    /// Paints a part that has covered rows; `false` if it must take the general path.
    fn paint(
        &self,
        triangle: &TileTriangle<'_>,
        corners: &Corners<'_>,
        state: &Self::State,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool;

    /// Solves a triangle's rows in a tile and paints them; `false` if it must take the general
    /// path.
    ///
    /// The part is passed to the kernel by reference: returning it would copy it, in 70
    /// instructions.
    #[inline(always)]
    fn solve_and_paint(
        &self,
        corners: &Corners<'_>,
        state: &Self::State,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        let v = corners.vertices().map(Vertex::position);
        let points = v.map(|v| [v.x, v.y]);
        let (area, rule) = (area(&points), Self::rule(state));
        let (tile, mut region) = (&window.tile, window.clip);
        if area == 0 || !scratch.runs.solve(&points, area > 0, rule, &mut region) {
            return true;
        }
        let gradient = Gradient::with_area(&points, area, rule.center());
        let mut z = Plane32::default();
        let (occlusion, tests_depth) = self.depth(state);
        if tests_depth {
            let depth = gradient.plane(v[0].z, v[1].z, v[2].z);
            if occlusion.hidden && scratch.max_depth.hides(&depth, &gradient, &region) {
                return true;
            }
            z = gradient.fixed_depth(&depth).from(region.x0, region.y0);
            if occlusion.hides
                && (region.x0, region.y0) == (tile.x0, tile.y0)
                && let Some(Some(target)) = targets.color.first()
            {
                scratch.max_depth.cover(&scratch.runs, &region, &z, target);
            }
        }
        let triangle = TileTriangle {
            points: &points,
            w: v.map(|v| v.rcp_w),
            depths: v.map(|v| v.z),
            gradient: &gradient,
            region: &region,
            z: &z,
        };
        self.paint(&triangle, corners, state, window, scratch, targets)
    }
}
