//! Gives some random scenes several samples per pixel.

use formats::Format;
use pipe_core::*;

use crate::rng::Rng;
use crate::scene::Scene;
use crate::shaders::{Location, Work};

/// Gives a third of the scenes several samples per pixel, if buffers of their formats support them.
/// These random choices come after all earlier ones, so that the scenes without them stay the same.
pub(crate) fn scatter(scene: &mut Scene, rng: &mut Rng, screen: &dyn Screen<'_>) {
    if !rng.one_in(3) {
        return;
    }
    let samples = rng.pick(&[2, 4, 4, 8, 16]);
    let fits = |format: Format, bind: Bind| {
        let bind = bind | sampled(format);
        screen.is_format_supported(format, TextureTarget::Texture2D, samples, samples, bind)
    };
    let colors = scene.colors.iter().all(|format| fits(*format, Bind::RENDER_TARGET));
    if !colors || !scene.depth.is_none_or(|format| fits(format, Bind::DEPTH_STENCIL)) {
        return;
    }
    scene.samples = samples;
    let integer = scene.colors[0].is_pure_integer();
    for draw in &mut scene.draws {
        draw.rasterizer.multisample = !rng.one_in(6);
        draw.rasterizer.force_persample_interp = rng.one_in(12);
        draw.rasterizer.no_ms_sample_mask_out = rng.one_in(2);
        if rng.one_in(5) {
            draw.sample_mask = rng.bits() as u32;
        }
        if rng.one_in(5) {
            draw.min_samples = rng.pick(&[2, samples]);
        }
        if rng.one_in(6) {
            draw.fragment.location = Location::Sample;
        }
        if draw.blend.logicop_enable || integer {
            continue;
        }
        if rng.one_in(5) {
            draw.blend.alpha_to_coverage = true;
        }
        if rng.one_in(6) {
            draw.fragment.work = rng.pick(&[Work::SampleMask, Work::SampleNumber]);
            draw.texture = None;
        }
    }
}

/// Returns the binding to read the samples of a buffer one by one; empty for stencil.
pub(crate) fn sampled(format: Format) -> Bind {
    let stencil = format.is_depth_or_stencil() && !format.has_depth();
    if stencil { Bind::empty() } else { Bind::SAMPLER_VIEW }
}

/// Returns a program that writes one sample of a buffer to a buffer of `format`. A constant selects
/// the sample.
pub(crate) fn fetch(format: Format) -> String {
    let kind = match format {
        format if format.is_pure_sint() => "SINT",
        format if format.is_pure_uint() => "UINT",
        _ => "FLOAT",
    };
    format!(
        "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\n\
         DCL SVIEW[0], 2D_MSAA, {kind}\nDCL CONST[0]\nDCL TEMP[0]\nF2I TEMP[0].xy, IN[0].xyyy\n\
         F2I TEMP[0].w, CONST[0].xxxx\nTXF OUT[0], TEMP[0], SAMP[0], 2D_MSAA\nEND\n"
    )
}
