//! Surfaces: resources as attachments (manual, chapter Context, "Surfaces").

use crate::error::PipeError;
use crate::handle::{ResourceHandle, SurfaceHandle};
use crate::surface::SurfaceTemplate;

/// Views of resources to render to. A surface keeps its resource's contents.
pub trait Surfaces {
    /// Creates a surface of a resource.
    ///
    /// [`PipeError::OutOfMemory`]; or the resource is stale, lacks the template's level or layers,
    /// or cannot be drawn to in its format.
    fn create_surface(
        &mut self,
        resource: ResourceHandle,
        template: &SurfaceTemplate,
    ) -> Result<SurfaceHandle, PipeError>;

    /// Destroys a surface. If it is attached, the results of earlier draws are kept, and later
    /// draws treat the attachment as missing.
    ///
    /// # Errors
    /// The handle is stale.
    fn surface_destroy(&mut self, surface: SurfaceHandle) -> Result<(), PipeError>;
}
