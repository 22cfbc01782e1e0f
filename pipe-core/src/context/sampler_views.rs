//! How textures are bound to shader stages.

use super::unsupported;
use crate::error::PipeError;
use crate::handle::{ResourceHandle, SamplerViewHandle};
use crate::shader::ShaderType;
use crate::surface::SamplerViewTemplate;

/// Views of resources for sampling.
///
/// A view keeps its resource alive: destroying the resource takes its name away, its contents
/// go with the last view.
pub trait SamplerViews {
    /// Makes a view.
    ///
    /// # Errors
    /// The resource is stale, or the template names levels, layers or a format it cannot be
    /// seen with; [`PipeError::OutOfMemory`].
    fn create_sampler_view(
        &mut self,
        resource: ResourceHandle,
        template: &SamplerViewTemplate,
    ) -> Result<SamplerViewHandle, PipeError>;

    /// Destroys a view. Slots it is bound to become empty.
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

    /// Fills levels `base_level + 1..=last_level` of some layers from `base_level`.
    ///
    /// # Errors
    /// [`PipeError::Unsupported`]: for this driver, target or format.
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
