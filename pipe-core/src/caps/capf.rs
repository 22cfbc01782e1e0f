//! Float capabilities of a screen.

use super::caps;

caps! {
    /// A float capability for [`Screen::get_paramf`](crate::Screen::get_paramf); sizes are in
    /// pixels. `PIPE_CAPF_*` of the manual's chapter "Screen".
    pub enum CapF: f32 {
        /// Least width of a line that is not smoothed.
        MinLineWidth = "PIPE_CAPF_MIN_LINE_WIDTH", 1.0;
        /// Least width of a smoothed line.
        MinLineWidthAa = "PIPE_CAPF_MIN_LINE_WIDTH_AA", 1.0;
        /// Greatest width of a line that is not smoothed.
        MaxLineWidth = "PIPE_CAPF_MAX_LINE_WIDTH", 1.0;
        /// Greatest width of a smoothed line.
        MaxLineWidthAa = "PIPE_CAPF_MAX_LINE_WIDTH_AA", 1.0;
        /// Step of line widths: a width is rounded to a multiple of it.
        LineWidthGranularity = "PIPE_CAPF_LINE_WIDTH_GRANULARITY", 0.125;
        /// Least size of a point that is not smoothed.
        MinPointSize = "PIPE_CAPF_MIN_POINT_SIZE", 1.0;
        /// Least size of a smoothed point.
        MinPointSizeAa = "PIPE_CAPF_MIN_POINT_SIZE_AA", 1.0;
        /// Greatest size of a point that is not smoothed.
        MaxPointSize = "PIPE_CAPF_MAX_POINT_SIZE", 1.0;
        /// Greatest size of a smoothed point.
        MaxPointSizeAa = "PIPE_CAPF_MAX_POINT_SIZE_AA", 1.0;
        /// Step of point sizes: a size is rounded to a multiple of it.
        PointSizeGranularity = "PIPE_CAPF_POINT_SIZE_GRANULARITY", 0.125;
        /// Greatest `max_anisotropy` of a sampler: the ratio of a footprint's sides.
        MaxTextureAnisotropy = "PIPE_CAPF_MAX_TEXTURE_ANISOTROPY", 1.0;
        /// Greatest magnitude of a sampler's `lod_bias`, in levels.
        MaxTextureLodBias = "PIPE_CAPF_MAX_TEXTURE_LOD_BIAS", 2.0;
        /// Least `conservative_raster_dilate`.
        MinConservativeRasterDilate = "PIPE_CAPF_MIN_CONSERVATIVE_RASTER_DILATE", 0.0;
        /// Greatest `conservative_raster_dilate`.
        MaxConservativeRasterDilate = "PIPE_CAPF_MAX_CONSERVATIVE_RASTER_DILATE", 0.0;
        /// Step of `conservative_raster_dilate`, counted from the least value.
        ConservativeRasterDilateGranularity = "PIPE_CAPF_CONSERVATIVE_RASTER_DILATE_GRANULARITY", 0.0;
    }
}
