//! Compute programs (manual, chapter Context, "Compute kernel execution").

use super::unsupported;
use crate::error::PipeError;
use crate::handle::{ResourceHandle, ShaderHandle};
use crate::shader::{ComputeState, GridInfo};

/// Compute programs over grids of invocations.
pub trait Compute<'m> {
    /// Creates a compute program.
    ///
    /// # Errors
    /// [`PipeError::Shader`], [`PipeError::OutOfMemory`], or [`PipeError::Unsupported`].
    fn create_compute_state(
        &mut self,
        state: &ComputeState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        let _ = state;
        unsupported("compute")
    }

    /// Binds a compute program for later launches; `None` unbinds.
    ///
    /// # Errors
    /// The handle is stale, or names a shader of another stage.
    fn bind_compute_state(&mut self, handle: Option<ShaderHandle>) -> Result<(), PipeError> {
        handle.map_or(Ok(()), |handle| Err(PipeError::stale(handle)))
    }

    /// Destroys a compute program.
    ///
    /// # Errors
    /// The handle is stale.
    fn delete_compute_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        Err(PipeError::stale(handle))
    }

    /// Returns facts about a compute program.
    ///
    /// # Errors
    /// The handle is stale, or names a shader of another stage.
    #[cfg(feature = "desktop")]
    fn get_compute_state_info(
        &self,
        handle: ShaderHandle,
    ) -> Result<crate::ComputeStateObjectInfo, PipeError> {
        Err(PipeError::stale(handle))
    }

    /// Binds surfaces as images that compute programs load and store, from slot `start` on; `None`
    /// unbinds. [`set_shader_images`](crate::context::ShaderResources::set_shader_images) binds the
    /// same slots.
    ///
    /// # Errors
    /// A surface is stale, or cannot be an image; [`PipeError::Unsupported`].
    #[cfg(feature = "desktop")]
    fn set_compute_resources(
        &mut self,
        start: usize,
        surfaces: &[Option<crate::SurfaceHandle>],
    ) -> Result<(), PipeError> {
        let _ = start;
        if surfaces.iter().all(Option::is_none) { Ok(()) } else { unsupported("compute") }
    }

    /// Maps buffers into global memory from slot `first` on; `None` unmaps. Each of `addresses`
    /// holds an offset in bytes; the call adds the buffer's address to it.
    ///
    /// # Errors
    /// A resource is stale, or [`PipeError::Unsupported`].
    fn set_global_binding(
        &mut self,
        first: usize,
        resources: &[Option<ResourceHandle>],
        addresses: &mut [u64],
    ) -> Result<(), PipeError> {
        let _ = (first, addresses);
        if resources.iter().all(Option::is_none) { Ok(()) } else { unsupported("global memory") }
    }

    /// Runs the bound program over a grid.
    ///
    /// # Errors
    /// No program is bound, the grid is beyond the driver's limits, no subroutine begins at `pc`,
    /// `input` has fewer bytes than the program requires, or [`PipeError::Unsupported`].
    fn launch_grid(&mut self, info: &GridInfo<'_>) -> Result<(), PipeError> {
        let _ = info;
        unsupported("compute")
    }

    /// Returns the number of invocations that run in lockstep for blocks of this size.
    fn get_compute_state_subgroup_size(&self, handle: ShaderHandle, block: [u32; 3]) -> u32 {
        let _ = (handle, block);
        1
    }
}
