//! Float capabilities of a screen.

use super::caps;

caps! {
    /// What `Screen::get_paramf` answers. `PIPE_CAPF_*`.
    pub enum CapF: f32 {
        /// The minimum width of a regular line.
        MinLineWidth = "PIPE_CAPF_MIN_LINE_WIDTH", 1.0;
        /// The minimum width of a smoothed line.
        MinLineWidthAa = "PIPE_CAPF_MIN_LINE_WIDTH_AA", 1.0;
        /// The maximum width of a regular line.
        MaxLineWidth = "PIPE_CAPF_MAX_LINE_WIDTH", 1.0;
        /// The maximum width of a smoothed line.
        MaxLineWidthAa = "PIPE_CAPF_MAX_LINE_WIDTH_AA", 1.0;
        /// The line width is rounded to a multiple of this number.
        LineWidthGranularity = "PIPE_CAPF_LINE_WIDTH_GRANULARITY", 0.125;
        /// The minimum width and height of a point.
        MinPointSize = "PIPE_CAPF_MIN_POINT_SIZE", 1.0;
        /// The minimum width and height of a smoothed point.
        MinPointSizeAa = "PIPE_CAPF_MIN_POINT_SIZE_AA", 1.0;
        /// The maximum width and height of a point.
        MaxPointSize = "PIPE_CAPF_MAX_POINT_SIZE", 1.0;
        /// The maximum width and height of a smoothed point.
        MaxPointSizeAa = "PIPE_CAPF_MAX_POINT_SIZE_AA", 1.0;
        /// The point size is rounded to a multiple of this number.
        PointSizeGranularity = "PIPE_CAPF_POINT_SIZE_GRANULARITY", 0.125;
        /// The maximum level of anisotropy that can be applied to anisotropically filtered textures.
        MaxTextureAnisotropy = "PIPE_CAPF_MAX_TEXTURE_ANISOTROPY", 1.0;
        /// The maximum LOD bias that may be applied to filtered textures.
        MaxTextureLodBias = "PIPE_CAPF_MAX_TEXTURE_LOD_BIAS", 2.0;
        /// The minimum conservative rasterization dilation.
        MinConservativeRasterDilate = "PIPE_CAPF_MIN_CONSERVATIVE_RASTER_DILATE", 0.0;
        /// The maximum conservative rasterization dilation.
        MaxConservativeRasterDilate = "PIPE_CAPF_MAX_CONSERVATIVE_RASTER_DILATE", 0.0;
        /// The conservative rasterization dilation granularity for values relative to the minimum
        /// dilation.
        ConservativeRasterDilateGranularity = "PIPE_CAPF_CONSERVATIVE_RASTER_DILATE_GRANULARITY", 0.0;
    }
}
