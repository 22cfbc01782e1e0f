//! Copies and blits.

use pipe_core::context::Blitting;
#[cfg(feature = "es2")]
use pipe_core::{BlitInfo, PipeError, Region, ResourceHandle};

use crate::context::Context;
use crate::profile::Profile;
#[cfg(feature = "es2")]
use crate::report::Features;

#[cfg(not(feature = "es2"))]
impl<P: Profile> Blitting for Context<'_, '_, P> {}

#[cfg(feature = "es2")]
impl<P: Profile> Blitting for Context<'_, '_, P> {
    /// Copies texels unchanged. Formats must have blocks of the same size.
    ///
    /// # Errors
    /// A box that leaves its level; blocks of different sizes; user memory or a streamed surface as
    /// the destination; out of memory for one row, if both ends are one resource; work beyond the
    /// budget.
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
        self.renderer.device.note_used(|| Features::ES2);
        let to = [dst_x, dst_y, dst_z];
        self.renderer.copy_region(
            &mut self.state,
            (dst, dst_level),
            to,
            (src, src_level),
            src_region,
        )
    }

    /// Scales, mirrors, converts and masks. Stencil takes the nearest texel.
    ///
    /// # Errors
    /// Layers that do not exist; formats with another texel size than the resources; user memory or
    /// a streamed surface as the destination; out of memory for a copy of the source level, if both
    /// ends are one level.
    fn blit(&mut self, info: &BlitInfo) -> Result<(), PipeError> {
        self.renderer.device.note_used(|| Features::ES2);
        self.graphics()?;
        self.begin()?;
        if info.render_condition_enable && !self.condition_holds()? {
            return Ok(());
        }
        let result = self.renderer.blit_in_windows(&mut self.state, info);
        self.note_stop(result)
    }
}
