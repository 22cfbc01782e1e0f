//! How resources become attachments.

use crate::error::PipeError;
use crate::handle::{ResourceHandle, SurfaceHandle};
use crate::surface::SurfaceTemplate;

/// Views of resources for rendering. A surface keeps its resource alive.
pub trait Surfaces {
    /// Makes a surface.
    ///
    /// # Errors
    /// The resource is stale, or the template names a level, layers or a format it cannot be
    /// drawn to with; [`PipeError::OutOfMemory`].
    fn create_surface(
        &mut self,
        resource: ResourceHandle,
        template: &SurfaceTemplate,
    ) -> Result<SurfaceHandle, PipeError>;

    /// Destroys a surface. If it is attached, what was drawn to it so far is kept, and later
    /// draws treat the attachment as missing.
    ///
    /// # Errors
    /// The handle is stale.
    fn surface_destroy(&mut self, surface: SurfaceHandle) -> Result<(), PipeError>;
}
