//! Sampling of textures: wrapping, filtering, comparison (manual, chapter CSO, "Sampler").

use formats::Format;

use crate::color::ColorUnion;
use crate::key::state_object;
use crate::numbered::numbered;

numbered! {
    /// The rule for coordinates outside of the texture. `PIPE_TEX_WRAP_*`.
    #[derive(Default)]
    pub enum TexWrap {
        /// Repeats the texture.
        #[default]
        Repeat = 0,
        /// Clamps to 0…1 before scaling to texels (legacy `GL_CLAMP`): at the edges, linear filters
        /// blend in half of the border colour.
        Clamp = 1,
        /// Repeats the edge texels; never reads the border colour.
        ClampToEdge = 2,
        /// Reads the border colour directly outside of the edge.
        ClampToBorder = 3,
        /// Repeats the texture, mirrored every second time.
        MirrorRepeat = 4,
        /// Mirrors once at 0, then works like `Clamp`.
        MirrorClamp = 5,
        /// Mirrors once at 0, then works like `ClampToEdge`.
        MirrorClampToEdge = 6,
        /// Mirrors once at 0, then works like `ClampToBorder`.
        MirrorClampToBorder = 7,
    }

    /// The filter within one level. `PIPE_TEX_FILTER_*`.
    #[derive(Default)]
    pub enum TexFilter {
        /// Takes the texel that contains the coordinate.
        #[default]
        Nearest = 0,
        /// Takes the weighted mean of the nearest texels: two in 1D, four in 2D, eight in 3D.
        Linear = 1,
    }

    /// The selection of levels. `PIPE_TEX_MIPFILTER_*`.
    #[derive(Default)]
    pub enum TexMipFilter {
        /// Takes the level nearest to the level of detail.
        Nearest = 0,
        /// Takes the weighted mean of the two levels around the level of detail.
        Linear = 1,
        /// Takes the view's first level.
        #[default]
        None = 2,
    }

    /// Comparison of texels (shadow maps). `PIPE_TEX_COMPARE_*`.
    #[derive(Default)]
    pub enum TexCompare {
        /// Does not compare: the result is the texel.
        #[default]
        None = 0,
        /// Compares the coordinate's R with the texel: the result is 0 or 1, filtered after the
        /// comparison.
        RToTexture = 1,
    }

    /// The reduction of a filter's texels to one value. `PIPE_TEX_REDUCTION_*`.
    #[derive(Default)]
    pub enum ReductionMode {
        /// Takes the mean, by the filter's weights.
        #[default]
        WeightedAverage = 0,
        /// Takes the least value, component by component.
        Min = 1,
        /// Takes the greatest value, component by component.
        Max = 2,
    }
}

impl TexWrap {
    /// Returns true if the mode may be used with unnormalized coordinates.
    pub const fn allows_unnormalized(self) -> bool {
        matches!(self, Self::Clamp | Self::ClampToEdge | Self::ClampToBorder)
    }

    /// Returns true if the mode can read the border colour.
    pub const fn uses_border(self) -> bool {
        use TexWrap::*;
        matches!(self, Clamp | ClampToBorder | MirrorClamp | MirrorClampToBorder)
    }
}

/// State of a sampler. `pipe_sampler_state`.
///
/// The default repeats in all directions, takes the nearest texel of the view's first level and
/// does not compare; `max_lod` is OpenGL's 1000.
///
/// ```
/// use gallium_pipe_core::{SamplerState, TexMipFilter, TexWrap};
///
/// let state = SamplerState::trilinear(TexWrap::ClampToEdge);
/// assert_eq!(state.min_mip_filter, TexMipFilter::Linear);
/// let sharper = SamplerState { lod_bias: -0.5, ..state };
/// assert_eq!(sharper.wrap_r, TexWrap::ClampToEdge);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SamplerState {
    /// Wrap mode of the S coordinate.
    pub wrap_s: TexWrap,
    /// Wrap mode of the T coordinate.
    pub wrap_t: TexWrap,
    /// Wrap mode of the R coordinate.
    pub wrap_r: TexWrap,
    /// Filter within a level if the texture is minified (level of detail above 0).
    pub min_img_filter: TexFilter,
    /// Filter between levels if the texture is minified.
    pub min_mip_filter: TexMipFilter,
    /// Filter within a level if the texture is magnified.
    pub mag_img_filter: TexFilter,
    /// Enables comparison with a reference value.
    pub compare_mode: TexCompare,
    /// The comparison of the coordinate's R (left) with the texel (right).
    pub compare_func: crate::state::CompareFunc,
    /// Scales coordinates by the texture's size. Otherwise they count texels, and only the wrap
    /// modes of [`TexWrap::allows_unnormalized`] may be used.
    pub normalized_coords: bool,
    /// Greatest ratio of the sides of an anisotropic footprint; 0 and 1: isotropic. Above 1 it
    /// needs the cap `AnisotropicFilter`, and is at most `MaxTextureAnisotropy`.
    pub max_anisotropy: u8,
    /// Lets linear filters cross the edges of cube faces.
    pub seamless_cube_map: bool,
    /// The reduction of a filter's texels to one value.
    pub reduction_mode: ReductionMode,
    /// Added to the level of detail, in levels.
    pub lod_bias: f32,
    /// Least level of detail, after the bias; 0 is the view's first level.
    pub min_lod: f32,
    /// Greatest level of detail, after the bias.
    pub max_lod: f32,
    /// The colour outside of the texture: floats, or integers if the view's format is integer.
    pub border_color: ColorUnion,
    /// True if `border_color` holds integers. A hint: drivers use the view's format, unless they
    /// set the cap `TextureBorderColorQuirk`.
    pub border_color_is_integer: bool,
    /// The format of the border colour; `Format::None` if unknown. A hint: drivers use the view's
    /// format, unless they set the cap `TextureBorderColorQuirk`.
    pub border_color_format: Format,
}

impl Default for SamplerState {
    fn default() -> Self {
        Self {
            wrap_s: TexWrap::Repeat,
            wrap_t: TexWrap::Repeat,
            wrap_r: TexWrap::Repeat,
            min_img_filter: TexFilter::Nearest,
            min_mip_filter: TexMipFilter::None,
            mag_img_filter: TexFilter::Nearest,
            compare_mode: TexCompare::None,
            compare_func: crate::state::CompareFunc::Always,
            normalized_coords: true,
            max_anisotropy: 0,
            seamless_cube_map: false,
            reduction_mode: ReductionMode::WeightedAverage,
            lod_bias: 0.0,
            min_lod: 0.0,
            max_lod: 1000.0,
            border_color: ColorUnion::default(),
            border_color_is_integer: false,
            border_color_format: Format::None,
        }
    }
}

state_object!(SamplerState {
    wrap_s,
    wrap_t,
    wrap_r,
    min_img_filter,
    min_mip_filter,
    mag_img_filter,
    compare_mode,
    compare_func,
    normalized_coords,
    max_anisotropy,
    seamless_cube_map,
    reduction_mode,
    lod_bias,
    min_lod,
    max_lod,
    border_color,
    border_color_is_integer,
    border_color_format,
});

impl SamplerState {
    /// Returns the default state with one wrap mode in all directions.
    pub fn wrapping(wrap: TexWrap) -> Self {
        Self { wrap_s: wrap, wrap_t: wrap, wrap_r: wrap, ..Self::default() }
    }

    /// Returns linear filtering within and between levels, with one wrap mode in all directions.
    pub fn trilinear(wrap: TexWrap) -> Self {
        Self {
            min_img_filter: TexFilter::Linear,
            min_mip_filter: TexMipFilter::Linear,
            mag_img_filter: TexFilter::Linear,
            ..Self::wrapping(wrap)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_wire_s() {
        for wrap in TexWrap::ALL {
            assert_eq!(TexWrap::from_number(wrap.number()), Some(*wrap));
        }
        assert_eq!(TexWrap::from_number(8), None);
        assert_eq!(TexMipFilter::from_number(2), Some(TexMipFilter::None));
        assert_eq!(TexFilter::from_number(1), Some(TexFilter::Linear));
        assert_eq!(TexCompare::from_number(1), Some(TexCompare::RToTexture));
    }

    #[test]
    fn only_clamps_go_without_normalization() {
        let allowed: [bool; 8] = [false, true, true, true, false, false, false, false];
        for (wrap, allowed) in TexWrap::ALL.iter().zip(allowed) {
            assert_eq!(wrap.allows_unnormalized(), allowed, "{wrap:?}");
        }
    }
}
