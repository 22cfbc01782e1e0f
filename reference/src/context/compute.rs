//! Compute programs, and launches of grids.

use pipe_core::context::{Compute, CsoState, ShaderResources};
use pipe_core::{
    ComputeState, DrawIndirect, GridInfo, ImageView, PipeError, ResourceHandle, ShaderHandle,
    ShaderState, ShaderType, StreamOutputInfo, SurfaceHandle,
};

use super::drawing::{constants_of, reach};
use super::{Context, object, refuse};
use crate::grid::{Grid, LANES};
use crate::memory::{WINDOW, global_address};

/// The maximum number of invocations in a block.
pub(crate) const MAX_BLOCK: u32 = 1024;
/// The maximum number of bytes that a block shares.
pub(crate) const MAX_SHARED: u32 = 32 << 10;
/// Number of slots of global memory: as many as 32-bit addresses allow.
pub(crate) const MAX_GLOBALS: usize = ((1 << 32) / WINDOW) as usize - 1;

impl<'m> Compute<'m> for Context<'_, 'm> {
    fn create_compute_state(
        &mut self,
        state: &ComputeState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        let shared = state.static_shared_mem;
        PipeError::at_most("bytes that a block shares", shared.into(), MAX_SHARED.into())?;
        let shader = ShaderState { source: state.source, stream_output: StreamOutputInfo::NONE };
        let handle = self.create_shader_state(ShaderType::Compute, &shader)?;
        if let Some(shader) = self.objects.shaders.get_mut(handle.raw()) {
            (shader.shared, shader.private) = (shared, state.req_private_mem);
        }
        Ok(handle)
    }

    fn bind_compute_state(&mut self, handle: Option<ShaderHandle>) -> Result<(), PipeError> {
        self.bind_shader_state(ShaderType::Compute, handle)
    }

    fn delete_compute_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        self.delete_shader_state(handle)
    }

    fn get_compute_state_info(
        &self,
        handle: ShaderHandle,
    ) -> Result<pipe_core::ComputeStateObjectInfo, PipeError> {
        let shader = object(&self.objects.shaders, handle)?;
        if shader.program().processor != ShaderType::Compute.processor() {
            return Err(PipeError::Invalid("the shader has another stage"));
        }
        Ok(pipe_core::ComputeStateObjectInfo {
            max_threads: MAX_BLOCK,
            preferred_simd_size: LANES,
            simd_sizes: LANES,
            private_memory: shader.private,
        })
    }

    fn set_compute_resources(
        &mut self,
        start: usize,
        surfaces: &[Option<SurfaceHandle>],
    ) -> Result<(), PipeError> {
        let image = |surface: &Option<SurfaceHandle>| -> Result<Option<ImageView>, PipeError> {
            let Some(surface) = surface else { return Ok(None) };
            object(&self.objects.surfaces, *surface).map(|surface| Some(surface.image))
        };
        let images = surfaces.iter().map(image).collect::<Result<std::vec::Vec<_>, _>>()?;
        self.set_shader_images(ShaderType::Compute, start, &images)
    }

    fn set_global_binding(
        &mut self,
        first: usize,
        resources: &[Option<ResourceHandle>],
        addresses: &mut [u64],
    ) -> Result<(), PipeError> {
        let end = first.saturating_add(resources.len()) as u64;
        PipeError::at_most("slots of global memory", end, MAX_GLOBALS as u64)?;
        if addresses.len() < resources.len() {
            return Err(PipeError::Invalid("there are fewer addresses than buffers"));
        }
        let mut bound = std::vec::Vec::new();
        for handle in resources {
            let range = handle.map(|handle| {
                let size = self.device.resource(handle)?.template.width0;
                PipeError::at_most("bytes of a buffer of global memory", size.into(), WINDOW)?;
                self.buffer_range(handle, 0, size, true)
            });
            bound.push(range.transpose()?);
        }
        let slots = self.bound.globals.iter_mut().enumerate().skip(first);
        for (((slot, place), range), address) in slots.zip(bound).zip(addresses) {
            if range.is_some() {
                *address = address.wrapping_add(global_address(slot));
            }
            *place = range;
        }
        Ok(())
    }

    fn launch_grid(&mut self, info: &GridInfo<'_>) -> Result<(), PipeError> {
        refuse(info.pc != 0, "pc")?;
        let Context { device, objects, bound, queries, .. } = self;
        let shader = bound.stages[ShaderType::Compute].shader;
        let shader = shader.and_then(|shader| objects.shaders.get(shader));
        let shader = shader.ok_or(PipeError::Unbound("compute shader"))?;
        let mut invocations = 1u64;
        for (size, last) in info.block.into_iter().zip(info.last_block) {
            if size == 0 || last > size {
                let what = "the block has no invocations, or last_block exceeds it";
                return Err(PipeError::Invalid(what));
            }
            invocations = invocations.saturating_mul(size.into());
        }
        PipeError::at_most("invocations of a block", invocations, MAX_BLOCK.into())?;
        let shared = shader.shared.saturating_add(info.variable_shared_mem);
        PipeError::at_most("bytes that a block shares", shared.into(), MAX_SHARED.into())?;
        if !queries.condition_holds() {
            return Ok(());
        }
        let blocks = match info.indirect {
            None => info.grid,
            Some((buffer, offset)) => device.resource(buffer)?.read(|bytes| {
                [0, 4, 8].map(|at| DrawIndirect::word(bytes, (offset as usize).saturating_add(at)))
            }),
        };
        let copies = constants_of(bound, ShaderType::Compute, device)?;
        let constants: std::vec::Vec<&[u8]> = copies.iter().map(|copy| copy.as_slice()).collect();
        let reach = reach(objects, bound, ShaderType::Compute, device)?;
        let grid = Grid {
            program: shader.program(),
            constants: &constants,
            reach: &reach,
            input: info.input,
            shared,
            private: shader.private,
            dimensions: info.work_dim.into(),
            block: info.block,
            last_block: info.last_block,
            blocks,
            base: info.grid_base,
        };
        let cs_invocations = grid.run(device.os.memory)?;
        queries.add(&draw::Counters { cs_invocations, ..Default::default() });
        Ok(())
    }

    fn get_compute_state_subgroup_size(&self, _: ShaderHandle, _: [u32; 3]) -> u32 {
        LANES
    }
}
