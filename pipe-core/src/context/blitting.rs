//! Copies between resources (manual, chapter Context, "Blitting").

use super::unsupported;
use crate::blit::BlitInfo;
use crate::error::PipeError;
use crate::handle::ResourceHandle;
use crate::region::Region;

/// Copies between resources. They do not depend on bound state, and run in order with draws.
pub trait Blitting {
    /// Copies the bytes of a box between resources of the same format, or of formats with blocks of
    /// the same size.
    ///
    /// Positions are in texels, z in slices or layers. Source and destination may be one resource,
    /// but must not overlap.
    ///
    /// # Errors
    /// A handle is stale, a box leaves its level, or the formats are not compatible.
    #[allow(clippy::too_many_arguments)]
    fn resource_copy_region(
        &mut self,
        dst: ResourceHandle,
        dst_level: u32,
        dst_x: u32,
        dst_y: u32,
        dst_z: u32,
        src: ResourceHandle,
        src_level: u32,
        src_region: &Region,
    ) -> Result<(), PipeError> {
        let _ = (dst, dst_level, dst_x, dst_y, dst_z, src, src_level, src_region);
        unsupported("copies between resources")
    }

    /// Copies with scaling, conversion, mirroring, resolving and clipping.
    ///
    /// Destination pixels outside of the level are skipped; source texels outside of it repeat the
    /// edge.
    ///
    /// # Errors
    /// A handle is stale, a box has layers that do not exist, or [`PipeError::Unsupported`].
    fn blit(&mut self, info: &BlitInfo) -> Result<(), PipeError> {
        let _ = info;
        unsupported("blits")
    }
}
