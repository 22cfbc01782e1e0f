//! The samples of a draw's pixels.

use pipe_core::{ConservativeRasterMode, RasterizerState};
use tgsi::declaration::{Location, SemanticName};
use tgsi::exec::MemorySpace;
use tgsi::program::{Program, Uses};
use tgsi::shader::Property;

use crate::features::{ES2, SAMPLES};
use crate::frame::Framebuffer;
use crate::setup::{MaskRead, SamplePlaces, SampleRule};
use crate::state::Bound;

/// Derives the samples of a draw with fragment program `program`.
pub(super) fn rule(
    bound: &Bound<'_>,
    framebuffer: &Framebuffer,
    rasterizer: &RasterizerState,
    program: Option<&Program<'_>>,
) -> SampleRule {
    let count = framebuffer.samples();
    let centered = count == 1 || !rasterizer.multisample;
    let asked = bound.min_samples.get().is_some_and(|samples| *samples > 1)
        || rasterizer.force_persample_interp;
    let fetches = program.is_some_and(fetches_color);
    // Each sample has a separate colour to fetch, even if all samples lie at the centre.
    let per_sample =
        count > 1 && (fetches || !centered && (asked || program.is_some_and(names_sample)));
    let interpolates = program.is_some_and(|program| program.uses.contains(Uses::INTERPOLATES));
    SampleRule {
        count,
        mask: bound.sample_mask & u32::MAX >> (32 - count),
        centered,
        by_pixel: is_conservative(rasterizer),
        places: SamplePlaces::new(
            count,
            bound.sample_places.get().map_or(&[], |places| places.as_slice()),
        ),
        per_sample,
        mask_read: program.and_then(mask_read),
        alone: per_sample || interpolates,
    }
}

/// Returns the samples that count as covered for a program that reads the mask, or an input at a centroid: a
/// centroid lies within the primitive, whatever depth and stencil say (manual, TGSI,
/// "TGSI_SEMANTIC_SAMPLEMASK" and "FS_POST_DEPTH_COVERAGE"; OpenGL 4.6, chapter 14.3.1).
fn mask_read(program: &Program<'_>) -> Option<MaskRead> {
    let mut values = program.system_values.iter();
    let reads = values.any(|value| value.semantic.name == SemanticName::SampleMask)
        || program.inputs.iter().any(|input| input.location == Location::Centroid)
        || program.uses.contains(Uses::INTERPOLATES);
    let passed = program.properties.is_set(Property::FsPostDepthCoverage);
    reads.then_some(if passed { MaskRead::Passed } else { MaskRead::Covered })
}

/// Returns true if a program must run once per sample: it reads the sample's number or position, or
/// an input at each sample (OpenGL 4.6, chapter 14.3.1.1).
fn names_sample(program: &Program<'_>) -> bool {
    let inputs = program.inputs.iter().any(|input| input.location == Location::Sample);
    inputs
        || program.system_values.iter().any(|value| {
            matches!(value.semantic.name, SemanticName::SampleId | SemanticName::SamplePosition)
        })
}

/// Returns true if a program reads the current colour of its pixel.
fn fetches_color(program: &Program<'_>) -> bool {
    program.memory.iter().any(|access| access.space == MemorySpace::ColorBuffer)
}

/// Returns true if primitives cover all pixels that they touch.
fn is_conservative(rasterizer: &RasterizerState) -> bool {
    ES2 && rasterizer.conservative_raster_mode != ConservativeRasterMode::Off
}

/// Returns the state that determines the shapes of primitives. Samples smooth their edges, so with
/// multisampling a line is an exact rectangle, a point an exact square, and a polygon not smooth
/// (OpenGL 4.6, chapters 14.4.3, 14.5.4 and 14.6.6).
pub(super) fn shapes(rasterizer: &RasterizerState, framebuffer: &Framebuffer) -> RasterizerState {
    if !SAMPLES {
        return *rasterizer;
    }
    if framebuffer.samples() == 1 || !rasterizer.multisample {
        return RasterizerState { multisample: false, ..*rasterizer };
    }
    RasterizerState {
        line_smooth: false,
        line_rectangular: true,
        point_smooth: false,
        point_quad_rasterization: true,
        poly_smooth: false,
        ..*rasterizer
    }
}
