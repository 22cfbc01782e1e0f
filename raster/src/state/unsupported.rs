//! Members of state objects that this driver does not implement, rejected by name.
//!
//! A member that cannot change a pixel is accepted. `dither` is the driver's choice, and this
//! driver stores the nearest colour (manual, CSO, "Blend"). `border_color` is read in the view's
//! format, regardless of `border_color_format` (manual, CSO, "Sampler"). Dilation belongs to
//! conservative rasterization.
//!
//! Builds without the feature `compile` name a group of members instead of one member, to save
//! flash.

use pipe_core::{
    BlendState, ColorMask, ConservativeRasterMode, DepthStencilAlphaState, PipeError, PolygonMode,
    RasterizerState, SamplerState, VertexElement,
};

use crate::features::{
    ALL_FORMATS, BLENDS, DESKTOP, ES2, FRAGMENTS, PRIMITIVE_TYPES, SAMPLES, STATE_CHECKS,
};
use crate::report::Features;
use crate::setup::MAX_DILATION;
use crate::shader::NO_USER_CLIP_PLANES;

/// Returns the error that names a member, if `asked`. Without the feature `compile` the error names
/// the group of members that firmware leaves out.
#[inline(always)]
pub(crate) fn refuse(asked: bool, member: &'static str) -> Result<(), PipeError> {
    if !asked {
        return Ok(());
    }
    Err(PipeError::Unsupported(if STATE_CHECKS { member } else { LEFT_OUT }))
}

/// The error text for members that builds without the feature `compile` lack, except
/// [`NO_EFFECTS`].
const LEFT_OUT: &str = "depth bounds, anisotropy, dual_slot, view_mask or dithered coverage";

/// The error for rasterizer state that builds without the feature `compile` lack.
const NO_EFFECTS: PipeError =
    PipeError::Unsupported("rasterizer state of `es2`, `fragments` or `samples`");

/// State that may need `es2`.
pub(crate) trait Needs {
    /// Returns `es2`, if the state needs it.
    fn needs(&self) -> Features;
}

impl Needs for BlendState {
    fn needs(&self) -> Features {
        Features::empty()
    }
}

impl Needs for DepthStencilAlphaState {
    fn needs(&self) -> Features {
        let stencil = self.stencil.iter().any(|face| face.enabled);
        if stencil || self.depth_bounds_test { Features::ES2 } else { Features::empty() }
    }
}

impl Needs for RasterizerState {
    fn needs(&self) -> Features {
        if has_effects(self) { Features::ES2 } else { Features::empty() }
    }
}

pub(crate) fn blend(state: &BlendState) -> Result<(), PipeError> {
    if !BLENDS {
        let target = state.target(0);
        let blends = target.blend_enable || state.logicop_enable || state.alpha_to_coverage;
        let whole = target.colormask == ColorMask::default();
        return if blends || !whole { Err(NO_BLENDS) } else { Ok(()) };
    }
    let dithers = state.alpha_to_coverage && state.alpha_to_coverage_dither;
    refuse(!SAMPLES && dithers, "alpha_to_coverage_dither (the feature samples is off)")
}

/// The error for state that the RGB565 kernel leaves out.
const NO_BLENDS: PipeError = PipeError::Unsupported(
    "blends, colour masks and alpha tests (the features `spans-all` and `fragments` have them)",
);

pub(crate) fn depth_stencil_alpha(state: &DepthStencilAlphaState) -> Result<(), PipeError> {
    if !BLENDS && state.alpha_enabled {
        return Err(NO_BLENDS);
    }
    refuse(!ES2 && state.depth_bounds_test, "depth_bounds_test")
}

/// Returns true for the members that `es2` has.
#[inline(always)]
fn has_effects(state: &RasterizerState) -> bool {
    // Joins the bits without branches: the code is one load and one `or` per member.
    let conservative = state.conservative_raster_mode != ConservativeRasterMode::Off;
    let filled = (state.fill_front == PolygonMode::Fill) & (state.fill_back == PolygonMode::Fill);
    conservative
        | !filled
        | state.light_twoside
        | state.offset_tri
        | state.offset_line
        | state.offset_point
        | state.poly_stipple_enable
        | state.line_stipple_enable
        | state.line_smooth
        | state.point_smooth
        | state.poly_smooth
}

pub(crate) fn rasterizer(state: &RasterizerState) -> Result<(), PipeError> {
    if !PRIMITIVE_TYPES && state.clip_plane_enable != 0 {
        return Err(NO_USER_CLIP_PLANES);
    }
    let conservative = state.conservative_raster_mode != ConservativeRasterMode::Off;
    let effects = has_effects(state);
    let precise = state.subpixel_precision_x | state.subpixel_precision_y != 0;
    let rectangles = (state.fill_front == PolygonMode::FillRectangle)
        | (state.fill_back == PolygonMode::FillRectangle);
    let areas = conservative | state.poly_smooth | rectangles;
    let dilates = conservative && !(0.0..=MAX_DILATION).contains(&state.conservative_raster_dilate);
    if !STATE_CHECKS {
        let lacks = !ES2 & effects
            | ES2 & dilates
            | !FRAGMENTS & areas
            | !SAMPLES & state.force_persample_interp
            | precise
            | state.tile_raster_order_fixed;
        return if lacks { Err(NO_EFFECTS) } else { Ok(()) };
    }
    refuse(!SAMPLES && state.force_persample_interp, "force_persample_interp")?;
    refuse(dilates, "conservative_raster_dilate of more than 0.75")?;
    refuse(precise, "subpixel_precision_x and _y")?;
    refuse(state.tile_raster_order_fixed, "tile_raster_order_fixed")?;
    refuse(!FRAGMENTS && areas, "smooth, conservative and rectangular areas (fragments is off)")?;
    refuse(!ES2 && effects, "effects of primitives (es2 is off)")
}

pub(crate) fn sampler(state: &SamplerState) -> Result<(), PipeError> {
    refuse(!DESKTOP && state.max_anisotropy > 1, "max_anisotropy above 1 (anisotropy is off)")
}

pub(crate) fn vertex_elements(elements: &[VertexElement]) -> Result<(), PipeError> {
    let splits = elements.iter().any(|element| element.dual_slot);
    refuse(!ALL_FORMATS && splits, "dual_slot (the feature all-formats is off)")
}
