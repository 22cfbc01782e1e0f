//! How texels are chosen and filtered.

use formats::Format;

use crate::color::ColorUnion;
use crate::key::state_object;
use crate::numbered::numbered;

numbered! {
    /// What happens to a coordinate outside the texture. `PIPE_TEX_WRAP_*`.
    #[derive(Default)]
    pub enum TexWrap {
        /// The texture repeats.
        #[default]
        Repeat = 0,
        /// Clamped to 0…1 before scaling to texels (legacy `GL_CLAMP`): linear filtering blends
        /// half of the border colour in at the edges.
        Clamp = 1,
        /// The edge texels continue; the border colour is never sampled.
        ClampToEdge = 2,
        /// The border colour begins right outside.
        ClampToBorder = 3,
        /// The texture repeats, every other time mirrored.
        MirrorRepeat = 4,
        /// Mirrored once at 0, then `Clamp`.
        MirrorClamp = 5,
        /// Mirrored once at 0, then `ClampToEdge`.
        MirrorClampToEdge = 6,
        /// Mirrored once at 0, then `ClampToBorder`.
        MirrorClampToBorder = 7,
    }

    /// How one level is sampled. `PIPE_TEX_FILTER_*`.
    #[derive(Default)]
    pub enum TexFilter {
        /// The texel the coordinate is in.
        #[default]
        Nearest = 0,
        /// The weighted mean of the two, four or eight nearest.
        Linear = 1,
    }

    /// How levels are chosen. `PIPE_TEX_MIPFILTER_*`.
    #[derive(Default)]
    pub enum TexMipFilter {
        /// The level nearest to the level of detail.
        Nearest = 0,
        /// The two levels around it, weighted.
        Linear = 1,
        /// The first level only.
        #[default]
        None = 2,
    }

    /// Whether sampling compares (shadow maps). `PIPE_TEX_COMPARE_*`.
    #[derive(Default)]
    pub enum TexCompare {
        /// It does not.
        #[default]
        None = 0,
        /// The result is the outcome of comparing the coordinate's R with the texel.
        RToTexture = 1,
    }

    /// How the texels of a filter footprint are reduced to one. `PIPE_TEX_REDUCTION_*`.
    #[derive(Default)]
    pub enum ReductionMode {
        /// By weights.
        #[default]
        WeightedAverage = 0,
        /// The least of them, by component.
        Min = 1,
        /// The greatest of them, by component.
        Max = 2,
    }
}

impl TexWrap {
    /// Whether it may be used with unnormalized coordinates.
    pub const fn allows_unnormalized(self) -> bool {
        matches!(self, Self::Clamp | Self::ClampToEdge | Self::ClampToBorder)
    }

    /// Whether it can sample the border colour.
    pub const fn uses_border(self) -> bool {
        use TexWrap::*;
        matches!(self, Clamp | ClampToBorder | MirrorClamp | MirrorClampToBorder)
    }
}

/// `pipe_sampler_state`.
///
/// The default repeats in all directions, takes the nearest texel of the first level and does
/// not compare; `max_lod` is OpenGL's 1000.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SamplerState {
    /// Wrap mode of the S coordinate.
    pub wrap_s: TexWrap,
    /// Wrap mode of the T coordinate.
    pub wrap_t: TexWrap,
    /// Wrap mode of the R coordinate.
    pub wrap_r: TexWrap,
    /// Filter within a level when the texture is made smaller.
    pub min_img_filter: TexFilter,
    /// Filter between levels.
    pub min_mip_filter: TexMipFilter,
    /// Filter within a level when the texture is made larger.
    pub mag_img_filter: TexFilter,
    /// Whether the result is a comparison.
    pub compare_mode: TexCompare,
    /// The comparison: R coordinate against texel.
    pub compare_func: crate::state::CompareFunc,
    /// Whether coordinates are scaled by the texture's size; else they count texels, and only
    /// the wrap modes of [`TexWrap::allows_unnormalized`] may be used.
    pub normalized_coords: bool,
    /// The longest side of an anisotropic footprint, in texels; 0 is off.
    pub max_anisotropy: u8,
    /// Whether linear filters cross the edges of cube faces.
    pub seamless_cube_map: bool,
    /// How the footprint is reduced.
    pub reduction_mode: ReductionMode,
    /// Added to the level of detail.
    pub lod_bias: f32,
    /// The least level of detail, after the bias; 0 is the view's first level.
    pub min_lod: f32,
    /// The greatest level of detail, after the bias.
    pub max_lod: f32,
    /// The colour outside the texture; floats or integers as the view's format is.
    pub border_color: ColorUnion,
    /// Whether `border_color` holds integers.
    pub border_color_is_integer: bool,
    /// The format the border colour was made for, or `None` when not known.
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
    /// The same wrap mode in all directions.
    pub fn wrapping(wrap: TexWrap) -> Self {
        Self { wrap_s: wrap, wrap_t: wrap, wrap_r: wrap, ..Self::default() }
    }

    /// Linear filtering within and between levels.
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
