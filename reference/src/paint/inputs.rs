//! The inputs of the fragment shader at the four pixels of a quad.

use pipe_core::SpriteCoordMode;
use tgsi::declaration::{Interpolate, Location, Semantic, SemanticName};
use tgsi::program::{Input, Program};
use tgsi::shader::{Properties, Property};

use super::{PaintState, Painter, Primitive, Vertex};
use crate::nudge::Nudged;
use crate::setup::PIXEL;

/// The four pixels of a quad: left and right of the upper row, left and right of the lower one.
pub(super) type Lanes<T> = [T; 4];

/// The pixels of a quad, with the data that inputs need.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuadPixels {
    /// Columns and rows, one pixel per lane.
    pub(super) pixels: Lanes<[i32; 2]>,
    /// The samples to shade, one bit per sample.
    pub(super) covered: Lanes<u32>,
    /// The samples that the primitive covers, one bit per sample. Includes samples that failed
    /// early tests.
    pub(super) coverage: Lanes<u32>,
    /// The sample to shade, if the shader runs per sample.
    pub(super) sample: Option<u32>,
}

const ONE: u32 = 1.0f32.to_bits();

impl PaintState<'_, '_> {
    /// Returns the samples that count as covered for the program's mask and centroids: samples that
    /// failed early tests count, unless `FS_POST_DEPTH_COVERAGE` is set.
    pub(super) fn inside(&self, quad: &QuadPixels) -> Lanes<u32> {
        let properties = self.fragment.map(|program| program.properties);
        match properties {
            Some(properties) if properties.is_set(Property::FsPostDepthCoverage) => quad.covered,
            _ => quad.coverage,
        }
    }
}

impl<C> Painter<'_, '_, '_, C> {
    /// Fills the registers of the fragment program's inputs and system values.
    pub(super) fn inputs(
        &self,
        program: &Program<'_>,
        primitive: &Primitive,
        quad: &QuadPixels,
        rows: &mut [Lanes<u32>],
    ) {
        let all = program
            .inputs
            .iter()
            .map(|input| (input.rows, self.input(input, primitive, quad)))
            .chain(program.system_values.iter().map(|value| {
                (value.rows, self.system_value(value.semantic.name, primitive, quad))
            }));
        for (targets, values) in all {
            for (component, row) in targets.iter().enumerate() {
                if let Some(row) = row.index().and_then(|row| rows.get_mut(row)) {
                    *row = values.map(|value| value[component]);
                }
            }
        }
    }

    /// Returns true if the rasterizer provides an input: position and facing.
    pub(super) fn is_special(&self, input: &Input) -> bool {
        matches!(input.semantic.name, SemanticName::Position | SemanticName::Face)
    }

    /// Returns the four components of an input at the four pixels.
    fn input(&self, input: &Input, primitive: &Primitive, quad: &QuadPixels) -> Lanes<[u32; 4]> {
        match input.semantic.name {
            SemanticName::Position => self.position(primitive, quad),
            SemanticName::Face => {
                let facing = if primitive.front { 1.0f32 } else { -1.0 };
                [[facing.to_bits(), 0, 0, ONE]; 4]
            }
            _ => [0, 1, 2, 3].map(|lane: usize| {
                self.varying(input, primitive, self.place(quad, lane, input.location))
            }),
        }
    }

    /// Returns the four components of an interpolated input at a place (Q24.8).
    pub(super) fn varying(
        &self,
        input: &Input,
        primitive: &Primitive,
        place: [i32; 2],
    ) -> [u32; 4] {
        match primitive.sprite.filter(|_| self.is_sprite(input.semantic)) {
            Some((center, size)) => self.sprite(place, center, size, primitive.number),
            None => self.input_at(input, primitive, place),
        }
    }

    /// Returns the four components of an input that the last vertex stage writes, at a place
    /// (Q24.8).
    fn input_at(&self, input: &Input, primitive: &Primitive, place: [i32; 2]) -> [u32; 4] {
        let Some(register) = self.source(input.semantic) else { return [0, 0, 0, ONE] };
        let flat = match input.interpolate {
            Interpolate::Constant => true,
            Interpolate::Color => self.state.rasterizer.flatshade,
            Interpolate::Linear | Interpolate::Perspective => false,
        };
        let value = |vertex: &Vertex| {
            self.outputs(vertex).get(register).copied().unwrap_or([0.0, 0.0, 0.0, 1.0])
        };
        if flat {
            return value(&primitive.provoking).map(f32::to_bits);
        }
        let perspective = input.interpolate != Interpolate::Linear;
        let weights = primitive.weights.at(place);
        // The factor of each vertex: 1/w for perspective. `sum` is then the interpolated 1/w.
        let shares = primitive.vertices.map(|v| if perspective { v.rcp_w } else { 1.0 });
        let sum: f64 = weights.iter().zip(shares).map(|(weight, share)| weight * share).sum();
        let terms = primitive.weights.terms(place);
        core::array::from_fn(|component| {
            let (mut total, mut greatest) = (0.0, 0.0f64);
            for ((vertex, weight), share) in primitive.vertices.iter().zip(weights).zip(shares) {
                let value = f64::from(value(vertex)[component]) * share / sum;
                total += weight * value;
                greatest = greatest.max(value.abs());
            }
            let number = Nudged::Plane { register, component };
            let terms = greatest * terms;
            total += self.state.nudge.of_terms(number, primitive.number, terms);
            (total as f32).to_bits()
        })
    }

    /// Returns the place (Q24.8) of an input: the shaded sample, if there is one, or the pixel's
    /// centre. A centroid input uses the first covered sample if the pixel is partly covered.
    pub(super) fn place(&self, quad: &QuadPixels, lane: usize, location: Location) -> [i32; 2] {
        let ([x, y], covered) = (quad.pixels[lane], self.state.inside(quad)[lane]);
        let (samples, center) = (&self.state.samples, self.rule.center(x, y));
        let in_part = covered != 0 && covered != samples.mask;
        let centroid =
            (location == Location::Centroid && in_part).then(|| covered.trailing_zeros());
        match quad.sample.or(centroid) {
            Some(sample) => samples.beside(center, sample),
            None => center,
        }
    }

    /// Returns the last vertex stage's output register that provides an input; `None` if none is
    /// written.
    fn source(&self, semantic: Semantic) -> Option<usize> {
        if let (SemanticName::PrimitiveId, Some(number)) = (semantic.name, self.state.number) {
            return Some(number.into());
        }
        let outputs = self.state.vertex.outputs;
        let find = |semantic| outputs.iter().find(|output| output.semantic == semantic);
        let mut found = find(semantic);
        if semantic.name == SemanticName::Color && self.state.rasterizer.light_twoside {
            // If a shader writes both colours, Draw has moved the back colour to the front
            // register.
            found = found.or(find(Semantic::new(SemanticName::BackColor, semantic.index)));
        }
        found.map(|output| usize::from(output.register))
    }

    /// Returns true if points replace an input by the position within the point.
    fn is_sprite(&self, semantic: Semantic) -> bool {
        let enabled = self.state.rasterizer.sprite_coord_enable;
        match semantic.name {
            SemanticName::PointCoord => true,
            SemanticName::TexCoord => {
                enabled.checked_shr(semantic.index.into()).unwrap_or(0) & 1 != 0
            }
            _ => false,
        }
    }

    /// Returns the sprite coordinates (s, t, 0, 1) of a place (OpenGL 4.6, section 14.4). Primitive
    /// `number` is the point.
    fn sprite(&self, at: [i32; 2], center: [i32; 2], size: f64, number: u32) -> [u32; 4] {
        let part = |axis: usize| {
            0.5 + f64::from(at[axis] - center[axis])
                / f64::from(PIXEL)
                / size.max(f64::MIN_POSITIVE)
                + self.state.nudge.of(Nudged::Sprite(axis), number)
        };
        let from_below = self.state.rasterizer.sprite_coord_mode == SpriteCoordMode::LowerLeft;
        let t = if from_below { 1.0 - part(1) } else { part(1) };
        [(part(0) as f32).to_bits(), (t as f32).to_bits(), 0, ONE]
    }

    /// Returns window x, y, z and 1/w, in the convention that the program declares.
    fn position(&self, primitive: &Primitive, quad: &QuadPixels) -> Lanes<[u32; 4]> {
        let program = self.state.fragment;
        let properties = program.map_or(&Properties::NONE, |program| program.properties);
        let center = if properties.pixel_center_integer() { 0.0 } else { 0.5 };
        let last = self.state.height as i32 - 1;
        [0, 1, 2, 3].map(|lane: usize| {
            let [x, y] = quad.pixels[lane];
            let row = if properties.origin_lower_left() { last - y } else { y };
            let place = self.place(quad, lane, Location::Center);
            let [right, down] = [0, 1].map(|axis: usize| {
                f64::from(place[axis] - self.rule.center(x, y)[axis]) / f64::from(PIXEL)
            });
            let down = if properties.origin_lower_left() { -down } else { down };
            let depth = self.depth(primitive, place).clamp(0.0, 1.0);
            let weights = primitive.weights.at(place);
            let vertices = primitive.vertices.iter().zip(weights);
            let rcp_w: f64 = vertices.map(|(vertex, weight)| vertex.rcp_w * weight).sum();
            let position =
                [f64::from(x) + center + right, f64::from(row) + center + down, depth, rcp_w];
            position.map(|value| (value as f32).to_bits())
        })
    }

    /// Returns a system value at the four pixels (manual, TGSI, "Declaration Semantic").
    fn system_value(
        &self,
        name: SemanticName,
        primitive: &Primitive,
        quad: &QuadPixels,
    ) -> Lanes<[u32; 4]> {
        let mask = |set: bool| if set { u32::MAX } else { 0 };
        match name {
            SemanticName::Position => self.position(primitive, quad),
            SemanticName::Face => [[mask(primitive.front), 0, 0, ONE]; 4],
            SemanticName::HelperInvocation => {
                quad.covered.map(|covered| [mask(covered == 0), 0, 0, 0])
            }
            SemanticName::SampleId => [[quad.sample.unwrap_or(0), 0, 0, 0]; 4],
            SemanticName::SamplePosition => {
                let samples = &self.state.samples;
                let middle = [PIXEL / 2; 2];
                let place = quad.sample.map_or(middle, |sample| samples.beside(middle, sample));
                let [x, y] = place.map(|at| (at as f32 / PIXEL as f32).to_bits());
                [[x, y, 0, 0]; 4]
            }
            // "If MSAA is not enabled, the value is (1, 0, 0, 0)."
            SemanticName::SampleMask if self.state.samples.centered => [[1, 0, 0, 0]; 4],
            SemanticName::SampleMask => self.state.inside(quad).map(|mask| [mask, 0, 0, 0]),
            // Layer, viewport and number of the primitive; 0 where no stage writes them.
            name => {
                let register = self.source(Semantic::new(name, 0));
                let outputs = self.outputs(&primitive.provoking);
                let value = register.and_then(|register| outputs.get(register));
                [[value.map_or(0, |value| value[0].to_bits()), 0, 0, 0]; 4]
            }
        }
    }
}
