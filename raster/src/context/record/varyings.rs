//! The inputs of a fragment program: outputs of the last vertex stage, or values from the
//! rasterizer.

use os_shim::memory::OutOfMemory;
use pipe_core::RasterizerState;
#[cfg(feature = "samples")]
use tgsi::declaration::Location;
use tgsi::declaration::{Interpolate, Semantic, SemanticName};
use tgsi::program::{Input, Program, Row};

#[cfg(feature = "compile")]
use crate::features::STAGES;
use crate::features::STROKES;
use crate::profile::Profile;
#[cfg(all(feature = "samples", feature = "compile"))]
use crate::scene::SampleValue;
use crate::scene::{Scene, Special, SpecialKind, UNWRITTEN, Varying, VaryingMode};

#[cfg(feature = "samples")]
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

/// Records the inputs and system values of `program`, and the size of points if vertices have one.
/// `number` is the output with each primitive's number, if Draw counts them.
pub(super) fn record_inputs<P: Profile>(
    scene: &mut Scene<'_, P>,
    program: Option<&Program<'_>>,
    last: &Program<'_>,
    number: Option<u16>,
    rasterizer: &RasterizerState,
    #[cfg(feature = "samples")] samples: SampleRule,
) -> Result<Inputs, OutOfMemory> {
    let first_special = scene.special.len() as u32;
    let first_varying = scene.varyings.len() as u32;
    let mut perspective = false;
    for input in program.map_or(&[][..], |program| program.inputs) {
        let sprite = STROKES && is_sprite(input, rasterizer);
        let counted = number.filter(|_| input.semantic.name == SemanticName::PrimitiveId);
        let route = match counted {
            Some(register) => Route::Output(register.min(254) as u8),
            None => route(input, last, rasterizer, sprite),
        };
        match route {
            Route::Special(kind) => {
                perspective |= kind == SpecialKind::Position;
                scene.special.try_push(Special { kind, rows: input.rows })?;
            }
            Route::Output(output) => {
                let mode = mode(input, rasterizer.flatshade);
                #[cfg(feature = "samples")]
                let centroid = samples.has_centroids() && input.location == Location::Centroid;
                for (component, &row) in input.rows.iter().enumerate() {
                    if row != Row::NONE {
                        perspective |= mode == VaryingMode::Perspective;
                        let source = Varying::source(output, component as u8);
                        scene.varyings.try_push(Varying {
                            source,
                            mode,
                            sprite,
                            #[cfg(feature = "samples")]
                            centroid,
                            row,
                        })?;
                    }
                }
            }
        }
    }
    #[cfg(feature = "compile")]
    for value in program.map_or(&[][..], |program| program.system_values) {
        let name = value.semantic.name;
        #[cfg(feature = "samples")]
        if let Some(value_of_sample) = SampleValue::of_system_value(name)
            && samples.count > 1
        {
            let kind = SpecialKind::Sample(value_of_sample);
            scene.special.try_push(Special { kind, rows: value.rows })?;
            continue;
        }
        let written = last.outputs.iter().find(|output| output.semantic.name == name);
        let written = written.map(|output| output.register);
        let counted = number.filter(|_| name == SemanticName::PrimitiveId);
        let chosen = matches!(
            name,
            SemanticName::PrimitiveId | SemanticName::Layer | SemanticName::ViewportIndex
        );
        if let Some(output) = written.filter(|_| STAGES && chosen).or(counted) {
            scene.varyings.try_push(Varying {
                source: Varying::source(output.min(254) as u8, 0),
                mode: VaryingMode::Flat,
                sprite: false,
                #[cfg(feature = "samples")]
                centroid: false,
                row: value.rows[0],
            })?;
        } else if let Some(kind) = SpecialKind::of_system_value(name) {
            // `Shader::new` rejects system values that have no kind.
            perspective |= kind == SpecialKind::Position;
            scene.special.try_push(Special { kind, rows: value.rows })?;
        }
    }
    let mut point_size = None;
    let size = last.outputs.iter().find(|o| o.semantic.name == SemanticName::PointSize);
    if let Some(output) = size.filter(|_| STROKES && rasterizer.point_size_per_vertex) {
        point_size = Some(scene.varyings.len() as u32 - first_varying);
        scene.varyings.try_push(Varying {
            source: Varying::source(output.register.min(254) as u8, 0),
            mode: VaryingMode::Flat,
            sprite: false,
            #[cfg(feature = "samples")]
            centroid: false,
            row: Row::NONE,
        })?;
    }
    Ok(Inputs {
        varyings: (first_varying, scene.varyings.len() as u32 - first_varying),
        special: (first_special, scene.special.len() as u32 - first_special),
        perspective,
        point_size,
    })
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
