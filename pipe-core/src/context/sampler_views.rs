//! Sampler views and mipmaps (manual, chapter Context, "Sampler Views").

use super::unsupported;
use crate::error::PipeError;
use crate::handle::{ResourceHandle, SamplerViewHandle};
use crate::shader::ShaderType;
use crate::surface::SamplerViewTemplate;

/// Views of resources that shaders sample.
///
/// A view keeps its resource's contents: `resource_destroy` ends only the handle, until the last
/// view is destroyed.
pub trait SamplerViews {
    /// Creates a view of a resource.
    ///
    /// [`PipeError::OutOfMemory`]; or the resource is stale, lacks the template's levels or layers,
    /// or cannot be viewed in its format.
    fn create_sampler_view(
        &mut self,
        resource: ResourceHandle,
        template: &SamplerViewTemplate,
    ) -> Result<SamplerViewHandle, PipeError>;

    /// Destroys a view. Slots with this view become empty.
    ///
    /// # Errors
    /// The handle is stale.
    fn sampler_view_destroy(&mut self, view: SamplerViewHandle) -> Result<(), PipeError>;

    /// Binds views to slots `start..` of a stage; `None` unbinds a slot, other slots stay.
    ///
    /// # Errors
    /// A handle is stale, or a slot is beyond `MAX_SHADER_SAMPLER_VIEWS`; then nothing changes.
    fn set_sampler_views(
        &mut self,
        stage: ShaderType,
        start: usize,
        views: &[Option<SamplerViewHandle>],
    ) -> Result<(), PipeError>;

    /// Fills levels `base_level + 1..=last_level` of layers `first_layer..=last_layer`, each from
    /// the level above, read in `format`.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`] for the driver, the target or the format.
    fn generate_mipmap(
        &mut self,
        resource: ResourceHandle,
        format: formats::Format,
        base_level: u32,
        last_level: u32,
        first_layer: u32,
        last_layer: u32,
    ) -> Result<(), PipeError> {
        let _ = (resource, format, base_level, last_level, first_layer, last_layer);
        unsupported("mipmap generation")
    }
}
