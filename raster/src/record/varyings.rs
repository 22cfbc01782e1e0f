//! The inputs of a fragment program: outputs of the last vertex stage, or values from the
//! rasterizer.

use draw::Stages;
use os_shim::memory::OutOfMemory;
use pipe_core::RasterizerState;
use tgsi::declaration::Location;
use tgsi::declaration::{Interpolate, Semantic, SemanticName};
use tgsi::program::SystemValue;
use tgsi::program::{Input, Program, Row};
use tgsi::shader::Processor;

use crate::features::{Case, OfSamples, Only, STAGES, STATE_CHECKS, STROKES};
use crate::profile::Profile;
use crate::scene::SampleValue;
use crate::scene::{Scene, Special, SpecialKind, UNWRITTEN, Varying, VaryingMode};
use crate::setup::SampleRule;

/// A draw's inputs, as ranges (first, count) of the scene's tables.
pub(super) struct Inputs {
    pub(super) varyings: (u32, u32),
    pub(super) special: (u32, u32),
    /// Set if any input needs 1/w.
    pub(super) perspective: bool,
    /// The varying with a point's size.
    pub(super) point_size: Option<u32>,
}

/// The programs and state that determine a draw's inputs.
pub(super) struct InputState<'a> {
    /// The fragment program.
    pub(super) program: Option<&'a Program<'a>>,
    /// The program of the last vertex stage.
    pub(super) last: &'a Program<'a>,
    /// The output with each primitive's number, if Draw counts them.
    pub(super) number: Option<u16>,
    pub(super) rasterizer: &'a RasterizerState,
    pub(super) samples: OfSamples<SampleRule>,
}

/// Returns a varying that has the same value on a whole primitive.
fn flat(output: u16, row: Row) -> Varying {
    Varying {
        source: Varying::source(output.min(254) as u8, 0),
        mode: VaryingMode::Flat,
        sprite: false,
        centroid: Only::new(false),
        row,
    }
}

impl InputState<'_> {
    /// Records the inputs and system values of the program, and the size of points if vertices have
    /// one.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn record<P: Profile>(
        &self,
        scene: &mut Scene<'_, P>,
    ) -> Result<Inputs, OutOfMemory> {
        let first_special = scene.special.len() as u32;
        let first_varying = scene.varyings.len() as u32;
        let mut perspective = false;
        for input in self.program.map_or(&[][..], |program| program.inputs) {
            perspective |= self.record_input(scene, input)?;
        }
        let values = self.program.filter(|_| STATE_CHECKS);
        for value in values.map_or(&[][..], |program| program.system_values) {
            perspective |= self.record_system_value(scene, value)?;
        }
        let mut point_size = None;
        let size = self.last.outputs.iter().find(|o| o.semantic.name == SemanticName::PointSize);
        if let Some(output) = size.filter(|_| STROKES && self.rasterizer.point_size_per_vertex) {
            point_size = Some(scene.varyings.len() as u32 - first_varying);
            scene.varyings.try_push(flat(output.register, Row::NONE))?;
        }
        Ok(Inputs {
            varyings: (first_varying, scene.varyings.len() as u32 - first_varying),
            special: (first_special, scene.special.len() as u32 - first_special),
            perspective,
            point_size,
        })
    }

    /// Records an input; returns true if it needs 1/w.
    #[inline(always)]
    fn record_input<P: Profile>(
        &self,
        scene: &mut Scene<'_, P>,
        input: &Input,
    ) -> Result<bool, OutOfMemory> {
        let sprite = STROKES && is_sprite(input, self.rasterizer);
        let counted = self.number.filter(|_| input.semantic.name == SemanticName::PrimitiveId);
        let route = match counted {
            Some(register) => Route::Output(register.min(254) as u8),
            None => route(input, self.last, self.rasterizer, sprite),
        };
        let output = match route {
            Route::Special(kind) => {
                scene.special.try_push(Special { kind, rows: input.rows })?;
                return Ok(kind == SpecialKind::Position);
            }
            Route::Output(output) => output,
        };
        let mode = mode(input, self.rasterizer.flatshade);
        let centroid = self.samples.rule().has_centroids() && input.location == Location::Centroid;
        let mut perspective = false;
        for (component, &row) in input.rows.iter().enumerate() {
            if row != Row::NONE {
                perspective |= mode == VaryingMode::Perspective;
                let source = Varying::source(output, component as u8);
                scene.varyings.try_push(Varying {
                    source,
                    mode,
                    sprite,
                    centroid: Only::new(centroid),
                    row,
                })?;
            }
        }
        Ok(perspective)
    }

    /// Records a system value; returns true if it needs 1/w.
    fn record_system_value<P: Profile>(
        &self,
        scene: &mut Scene<'_, P>,
        value: &SystemValue,
    ) -> Result<bool, OutOfMemory> {
        let name = value.semantic.name;
        if let Some(value_of_sample) = SampleValue::of_system_value(name).and_then(Case::new)
            && self.samples.rule().count > 1
        {
            let kind = SpecialKind::Sample(value_of_sample);
            scene.special.try_push(Special { kind, rows: value.rows })?;
            return Ok(false);
        }
        let written = self.last.outputs.iter().find(|output| output.semantic.name == name);
        let written = written.map(|output| output.register);
        let counted = self.number.filter(|_| name == SemanticName::PrimitiveId);
        let chosen = matches!(
            name,
            SemanticName::PrimitiveId | SemanticName::Layer | SemanticName::ViewportIndex
        );
        if let Some(output) = written.filter(|_| STAGES && chosen).or(counted) {
            scene.varyings.try_push(flat(output, value.rows[0]))?;
            return Ok(false);
        }
        // `Shader::new` rejects system values that have no kind.
        let Some(kind) = SpecialKind::of_system_value(name) else { return Ok(false) };
        scene.special.try_push(Special { kind, rows: value.rows })?;
        Ok(kind == SpecialKind::Position)
    }
}

/// Returns the output register for each primitive's number, one past the outputs of `last`. Returns
/// `None` unless `fragment` reads the number and `last` does not write it.
pub(crate) fn number_register(last: &Program<'_>, fragment: Option<&Program<'_>>) -> Option<u16> {
    let number = SemanticName::PrimitiveId;
    let fragment = fragment.filter(|_| STAGES)?;
    let is_read = fragment.inputs.iter().any(|input| input.semantic.name == number)
        || fragment.system_values.iter().any(|value| value.semantic.name == number);
    // A geometry shader that does not write the number leaves it undefined.
    let makes_none = last.processor != Processor::Geometry
        && !last.outputs.iter().any(|output| output.semantic.name == number);
    (is_read && makes_none).then(|| Stages::number_register(last))
}

/// Returns the interpolation of an input over a primitive.
fn mode(input: &Input, flatshade: bool) -> VaryingMode {
    match input.interpolate {
        Interpolate::Constant => VaryingMode::Flat,
        Interpolate::Color if flatshade => VaryingMode::Flat,
        Interpolate::Linear => VaryingMode::Linear,
        Interpolate::Color | Interpolate::Perspective => VaryingMode::Perspective,
    }
}

/// Returns true if points replace an input by the position within the point.
fn is_sprite(input: &Input, rasterizer: &RasterizerState) -> bool {
    match input.semantic.name {
        SemanticName::PointCoord => true,
        SemanticName::TexCoord => {
            rasterizer.sprite_coord_enable.checked_shr(input.semantic.index.into()).unwrap_or(0) & 1
                != 0
        }
        _ => false,
    }
}

/// The source of a fragment input.
enum Route {
    /// A register of the last vertex stage.
    Output(u8),
    Special(SpecialKind),
}

/// Finds the output of the last vertex stage with an input's semantic, or its substitute.
fn route(input: &Input, last: &Program<'_>, rasterizer: &RasterizerState, sprite: bool) -> Route {
    match input.semantic.name {
        SemanticName::Position => return Route::Special(SpecialKind::Position),
        SemanticName::Face => return Route::Special(SpecialKind::Face),
        _ => {}
    }
    let find = |semantic| last.outputs.iter().find(|output| output.semantic == semantic);
    let mut written = find(input.semantic);
    if input.semantic.name == SemanticName::Color && rasterizer.light_twoside {
        // A program that writes only a back colour leaves the front colour undefined.
        written = written.or(find(Semantic::new(SemanticName::BackColor, input.semantic.index)));
    }
    match written {
        Some(output) => Route::Output(output.register.min(254) as u8),
        None if sprite => Route::Output(UNWRITTEN),
        // (0, 0, 0, 1), like a vertex attribute without a buffer. So LAYER and VIEWPORT_INDEX read
        // 0 if primitives do not select them.
        None => Route::Special(SpecialKind::Constant([0, 0, 0, 1.0f32.to_bits()])),
    }
}
