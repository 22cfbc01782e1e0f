//! A draw's record: the state that its pixels need, derived once per draw.

use os_shim::pool::RawHandle;
use pipe_core::CompareFunc;
use tgsi::declaration::SemanticName;
use tgsi::program::Row;

use super::Kind;
use super::recognised::Recognised;
use crate::depth::DepthStencil;
use crate::features::{
    Case, ES2, OfDesktop, OfEs2, OfSamples, Only, SAMPLES, SMALL_CODE, SPANS, STAGES, STATE_CHECKS,
};
use crate::setup::AreaRule;
use crate::setup::SampleRule;
use crate::setup::{Bounds, FillRule, LineRule, Point, PointRule, Shape};

/// The interpolation of a varying over a primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VaryingMode {
    /// The provoking vertex's value.
    Flat,
    /// Linear in window space.
    Linear,
    /// Linear in clip space: perspective-correct.
    Perspective,
}

/// One scalar that goes from vertices to fragments: one word per vertex in the scene.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Varying {
    /// The output of the last vertex stage times 4, plus the component.
    pub(crate) source: u16,
    pub(crate) mode: VaryingMode,
    /// Set if points replace it by a component of the position within the point.
    pub(crate) sprite: bool,
    /// Set if the varying is evaluated at a covered sample in partly covered pixels.
    pub(crate) centroid: OfSamples<bool>,
    /// The fragment program's row for the varying; none for a point's size, which only the
    /// rasterizer reads.
    pub(crate) row: Row,
}

impl Varying {
    /// A varying in perspective without a row, as the kernels of [`direct`](crate::direct) have them.
    pub(crate) const PERSPECTIVE: Varying = Varying {
        source: 0,
        mode: VaryingMode::Perspective,
        sprite: false,
        centroid: OfSamples::new(false),
        row: Row::NONE,
    };

    /// Returns the source for a component of an output.
    pub(crate) const fn source(output: u8, component: u8) -> u16 {
        (output as u16) << 2 | (component & 3) as u16
    }

    /// Returns the varying's component, 0 to 3.
    #[inline(always)]
    pub(crate) fn component(&self) -> u8 {
        self.source as u8 & 3
    }

    /// Returns the varying's value at a vertex with these outputs.
    #[inline(always)]
    pub(crate) fn of(&self, outputs: &[[f32; 4]]) -> f32 {
        match outputs.as_flattened().get(usize::from(self.source)) {
            Some(value) => *value,
            None => self.unwritten(),
        }
    }

    /// Returns the varying's component of (0, 0, 0, 1), for a vertex without this output.
    #[cold]
    #[inline(never)]
    fn unwritten(&self) -> f32 {
        if self.component() == 3 { 1.0 } else { 0.0 }
    }
}

/// The output number of a varying that the vertex stage does not write; it reads as (0, 0, 0, 1).
pub(crate) const UNWRITTEN: u8 = u8::MAX;

/// A fragment input or system value that is not a varying.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum SpecialKind {
    /// Window x, y, z, 1/w.
    Position,
    /// +1.0 front, -1.0 back, in x.
    Face,
    /// All ones in x on front faces, 0 on back faces; 1 in w.
    FrontMask(Case<(), { STATE_CHECKS as usize }>),
    /// All ones in x in helper invocations: lanes of a quad that the primitive does not cover.
    HelperMask(Case<(), { STATE_CHECKS as usize }>),
    /// Fixed values, the same in all lanes.
    Constant([u32; 4]),
    /// A value of the shaded sample, or of the pixel's samples.
    Sample(Case<SampleValue, { (SAMPLES && STATE_CHECKS) as usize }>),
}

/// A system value of multisampled pixels (manual, TGSI, "Declaration Semantic").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SampleValue {
    /// The sample's number, in x.
    Id,
    /// The sample's position in its pixel, 0 to 1, in x and y.
    Position,
    /// The covered samples in x, one bit per sample; only the current sample in per-sample shading.
    Mask,
}

impl SampleValue {
    /// Returns the sample value of a system value; `None` if samples do not change it.
    pub(crate) const fn of_system_value(name: SemanticName) -> Option<SampleValue> {
        Some(match name {
            SemanticName::SampleId => SampleValue::Id,
            SemanticName::SamplePosition => SampleValue::Position,
            SemanticName::SampleMask => SampleValue::Mask,
            _ => return None,
        })
    }
}

impl SpecialKind {
    /// Returns a fragment shader's system value for one sample, when no vertex stage writes layer,
    /// viewport and primitive number; `None` if the driver has none (manual, TGSI, "Declaration
    /// Semantic").
    pub(crate) const fn of_system_value(name: SemanticName) -> Option<SpecialKind> {
        const HALF: u32 = 0.5f32.to_bits();
        Some(match name {
            SemanticName::Position => SpecialKind::Position,
            SemanticName::Face => match Case::new(()) {
                Some(case) => SpecialKind::FrontMask(case),
                None => return None,
            },
            SemanticName::HelperInvocation => match Case::new(()) {
                Some(case) => SpecialKind::HelperMask(case),
                None => return None,
            },
            SemanticName::SampleId | SemanticName::Layer | SemanticName::ViewportIndex => {
                SpecialKind::Constant([0; 4])
            }
            SemanticName::PrimitiveId if STAGES => SpecialKind::Constant([0; 4]),
            SemanticName::SamplePosition => SpecialKind::Constant([HALF, HALF, 0, 0]),
            SemanticName::SampleMask => SpecialKind::Constant([1, 0, 0, 0]),
            _ => return None,
        })
    }
}

/// A fragment input or system value that is not a varying, and its rows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Special {
    pub(crate) kind: SpecialKind,
    pub(crate) rows: [Row; 4],
}

/// A run of words in the arena: a copy of a constant buffer, or the polygon stipple.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ConstantBlock {
    /// The index of the first word.
    pub(crate) at: u32,
    /// The number of words.
    pub(crate) words: u32,
}

/// The number of constant buffers that a program may use.
pub(crate) const MAX_CONSTANT_BLOCKS: usize = 16;

/// The pixels and depths to which primitives of a viewport are confined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewportClip {
    /// The bounds of triangles and lines: framebuffer, scissor and the viewport's sides.
    pub(crate) all: Bounds,
    /// The bounds of points, which may extend beyond the viewport.
    pub(crate) points: Bounds,
    /// The least and the greatest depth of fragments, Q2.30, if depths are clamped. The clamp
    /// includes depths that the program writes.
    pub(crate) depth_range: Option<[i32; 2]>,
}

impl ViewportClip {
    /// Returns the pixels to which a kind of primitive is confined.
    #[inline(always)]
    pub(crate) fn of(&self, kind: Kind) -> &Bounds {
        if kind == Kind::Point { &self.points } else { &self.all }
    }
}

/// The state of a draw that its pixels need.
#[derive(Clone)]
pub(crate) struct DrawRecord {
    /// The fragment shader, in its context's pool.
    pub(crate) shader: Option<RawHandle>,
    /// Ranges of the scene's tables: first, count.
    pub(crate) varyings: (u32, u32),
    pub(crate) special: (u32, u32),
    pub(crate) textures: (u32, u32),
    pub(crate) constants: (u32, u32),
    pub(crate) color: (u32, u32),
    /// The pixels and depths of the first viewport.
    pub(crate) clip: ViewportClip,
    pub(crate) rule: FillRule,
    pub(crate) area: OfEs2<AreaRule>,
    pub(crate) line: LineRule,
    pub(crate) point: PointRule,
    /// Set if points' t grows upwards.
    pub(crate) sprite_from_below: bool,
    /// The polygon stipple's 32 rows; no words without a stipple.
    pub(crate) stipple: ConstantBlock,
    /// Set if any input needs 1/w.
    pub(crate) perspective: bool,
    /// Set if depth and stencil are tested before shading.
    pub(crate) early_depth: bool,
    pub(crate) depth: DepthStencil,
    pub(crate) alpha: Option<(CompareFunc, f32)>,
    /// Set if alpha determines whether a sample is covered.
    pub(crate) alpha_to_coverage: bool,
    /// Set if alpha to coverage is dithered over neighbouring pixels.
    pub(crate) dithers_coverage: OfSamples<bool>,
    /// Set if colours are clamped to 0…1 before the alpha test.
    pub(crate) clamp_color: bool,
    /// Set if the program's sample mask applies.
    pub(crate) sample_mask_counts: bool,
    /// Set if the second colour output is a blend factor of the first buffer.
    pub(crate) dual_source: bool,
    /// Set if the first colour output goes to all buffers.
    pub(crate) broadcast: bool,
    /// The integer kernel that draws the triangles, if one does.
    pub(crate) span: Only<Option<Recognised>, { SPANS as usize }>,
    /// Set if a running query counts pixels.
    pub(crate) counts_pixels: bool,
    pub(crate) samples: OfSamples<SampleRule>,
    /// The window rectangles in the layout of [`crate::tile::keep_windows`]; no words without a
    /// test.
    pub(crate) windows: OfDesktop<ConstantBlock>,
}

impl core::fmt::Debug for DrawRecord {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("DrawRecord").field("shader", &self.shader).finish_non_exhaustive()
    }
}

impl DrawRecord {
    /// Returns the record for primitives of another viewport.
    pub(crate) fn in_viewport(&self, clip: &ViewportClip) -> DrawRecord {
        DrawRecord { clip: *clip, ..self.clone() }
    }

    /// Returns true if spans draw its triangles (except triangles that are too steep).
    pub(crate) fn is_for_spans(&self) -> bool {
        self.span.get().is_some_and(Option::is_some)
    }

    /// Returns true if its primitives may cover pixels in part.
    #[inline(always)]
    pub(crate) fn is_smooth(&self) -> bool {
        ES2 && (self.area.rule().smooth || self.line.smooth || self.point.smooth)
    }

    /// Returns the distance from a pixel's centre, along both axes, within which a triangle may
    /// cover the pixel, in Q24.8.
    pub(super) fn reach(&self) -> i32 {
        self.samples.rule().reach() + self.area.rule().reach()
    }

    /// Returns the shape of a triangle; `None` if it covers no pixel.
    #[inline(always)]
    pub(crate) fn triangle(&self, corners: [[i32; 2]; 3], front: bool) -> Option<Shape> {
        if ES2 && !self.area.rule().is_plain() {
            return self.area.rule().triangle(corners, front, self.rule);
        }
        Shape::triangle(corners, self.rule)
    }

    /// Returns the shape of a line; `None` if it covers no pixel.
    #[inline(always)]
    pub(crate) fn line(&self, a: [i32; 2], b: [i32; 2]) -> Option<Shape> {
        let shape = self.line.shape(a, b, self.rule);
        if ES2 { shape.map(|shape| self.area.rule().stroke(shape)) } else { shape }
    }

    /// Returns the shape of a point.
    #[inline(always)]
    pub(crate) fn point(&self, point: &Point) -> Shape {
        let at_centers = self.samples.rule().count == 1 && !self.area.rule().is_conservative();
        if !SMALL_CODE && at_centers {
            return point.box_shape(self.rule);
        }
        let shape = point.shape(self.rule);
        if ES2 { self.area.rule().stroke(shape) } else { shape }
    }
}

/// A clear of the framebuffer.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Clear {
    /// The colour buffers to clear, one bit per buffer.
    pub(crate) color_buffers: u8,
    /// Bits of the four components: f32, or integers for pure-integer formats.
    pub(crate) color: [[u32; 4]; 8],
    pub(crate) depth: Option<f32>,
    pub(crate) stencil: Option<u8>,
    /// The cleared pixels, if they are not the whole framebuffer.
    pub(crate) part: OfEs2<Option<Bounds>>,
}

impl Clear {
    /// Returns the cleared pixels, if they are not the whole framebuffer.
    #[inline(always)]
    pub(crate) fn part(&self) -> Option<Bounds> {
        self.part.get().copied().flatten()
    }

    /// Adds a later clear, which wins where both clear. Both clear the whole framebuffer.
    pub(crate) fn merge(&mut self, later: &Clear) {
        for (index, (color, later_color)) in self.color.iter_mut().zip(later.color).enumerate() {
            if later.color_buffers >> index & 1 != 0 {
                *color = later_color;
            }
        }
        self.color_buffers |= later.color_buffers;
        self.depth = later.depth.or(self.depth);
        self.stencil = later.stencil.or(self.stencil);
    }
}
