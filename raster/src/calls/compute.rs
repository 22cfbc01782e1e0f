//! Compute programs, and launches of grids.

use pipe_core::context::{Compute, CsoState};
use pipe_core::{
    ComputeState, GridInfo, PipeError, ShaderHandle, ShaderState, ShaderType, StreamOutputInfo,
};
#[cfg(feature = "desktop")]
use pipe_core::{context::ShaderResources, limits::MAX_SHADER_IMAGES};

use crate::context::Context;
use crate::grid::{MAX_BLOCK, MAX_INPUT, MAX_PRIVATE, MAX_SHARED};
#[cfg(feature = "desktop")]
use crate::memory::{MAX_GLOBALS, WINDOW_BYTES, address};
use crate::profile::Profile;
#[cfg(feature = "desktop")]
use crate::resource::MemoryView;
use crate::state::{ComputeProgram, Entries};
#[cfg(feature = "desktop")]
use crate::state::{checked, object, slot};
use crate::submit::Needs;

impl<'m, P: Profile> Compute<'m> for Context<'_, 'm, P> {
    fn create_compute_state(
        &mut self,
        state: &ComputeState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        let ComputeState { source, static_shared_mem: shared, .. } = *state;
        let (private, input) = (state.req_private_mem, state.req_input_mem);
        PipeError::at_most("bytes that a block shares", shared.into(), MAX_SHARED.into())?;
        PipeError::at_most("bytes of PRIVATE memory", private.into(), MAX_PRIVATE.into())?;
        PipeError::at_most("bytes of INPUT memory", input.into(), MAX_INPUT.into())?;
        self.state.programs.try_reserve()?;
        let entries = Entries::of(&source, self.renderer.device.os)?;
        let shader = ShaderState { source, stream_output: StreamOutputInfo::NONE };
        let handle = self.create_shader_state(ShaderType::Compute, &shader)?;
        let shader = handle.raw();
        self.state.programs.add(ComputeProgram { shader, shared, private, input, entries });
        Ok(handle)
    }

    fn bind_compute_state(&mut self, handle: Option<ShaderHandle>) -> Result<(), PipeError> {
        self.bind_shader_state(ShaderType::Compute, handle)
    }

    fn delete_compute_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        self.delete_shader_state(handle)?;
        if let Some(program) = self.state.programs.remove(handle.raw()) {
            self.renderer.remove_entries(&mut self.state, program.entries);
        }
        Ok(())
    }

    fn launch_grid(&mut self, info: &GridInfo<'_>) -> Result<(), PipeError> {
        self.begin()?;
        let shader = self.state.bound.shader(ShaderType::Compute);
        let shader = shader.ok_or(PipeError::Unbound("compute shader"))?;
        check_blocks(info)?;
        let program = self.state.programs.get(shader);
        let [shared, private, input] =
            program.map_or([0; 3], |it| [it.shared, it.private, it.input]);
        let shared = shared.saturating_add(info.variable_shared_mem);
        PipeError::at_most("bytes that a block shares", shared.into(), MAX_SHARED.into())?;
        let input = info
            .input
            .get(..input as usize)
            .ok_or(PipeError::Invalid("the launch has less INPUT memory than its program needs"))?;
        let entry = self.renderer.entry(&mut self.state, shader, info.pc)?;
        if !self.condition_holds()? {
            return Ok(());
        }
        let blocks = self.renderer.blocks(&mut self.state, info)?;
        if blocks.contains(&0) {
            return Ok(());
        }
        let needs = Needs { input, shared: shared as usize, private: private as usize };
        let launched = self.renderer.launch(&mut self.state, entry, info, blocks, needs);
        self.note_stop(launched)
    }

    #[cfg(feature = "desktop")]
    fn get_compute_state_info(
        &self,
        handle: ShaderHandle,
    ) -> Result<pipe_core::ComputeStateObjectInfo, PipeError> {
        let program = object(&self.state.objects.shaders, handle)?.program();
        if program.processor != ShaderType::Compute.processor() {
            return Err(PipeError::Invalid("the shader has another stage"));
        }
        let lanes = self.get_compute_state_subgroup_size(handle, [1; 3]);
        let private = self.state.programs.get(handle.raw()).map_or(0, |program| program.private);
        Ok(pipe_core::ComputeStateObjectInfo {
            max_threads: MAX_BLOCK,
            preferred_simd_size: lanes,
            simd_sizes: lanes,
            // A row has one word per invocation.
            private_memory: u32::from(program.rows) * 4 + private,
        })
    }

    #[cfg(feature = "desktop")]
    fn set_compute_resources(
        &mut self,
        start: usize,
        surfaces: &[Option<pipe_core::SurfaceHandle>],
    ) -> Result<(), PipeError> {
        PipeError::at_most("compute resources", surfaces.len() as u64, MAX_SHADER_IMAGES as u64)?;
        let images =
            surfaces.iter().map(|it| it.map(|it| self.state.objects.image_of(it)).transpose());
        let images = images.collect::<Result<heapless::Vec<_, MAX_SHADER_IMAGES>, _>>()?;
        self.set_shader_images(ShaderType::Compute, start, &images)
    }

    #[cfg(feature = "desktop")]
    fn set_global_binding(
        &mut self,
        first: usize,
        resources: &[Option<pipe_core::ResourceHandle>],
        addresses: &mut [u64],
    ) -> Result<(), PipeError> {
        if addresses.len() < resources.len() {
            return Err(PipeError::Invalid("there are fewer addresses than buffers"));
        }
        let device = self.renderer.device;
        let new = checked::<_, MAX_GLOBALS>(resources, first, |_, resource| {
            slot(device, *resource, true, |resource| {
                let size = resource.template.width0;
                if !resource.template.is_buffer() {
                    return Err(PipeError::Invalid("the global memory is a texture"));
                }
                PipeError::at_most(
                    "bytes of a buffer of global memory",
                    size.into(),
                    WINDOW_BYTES.into(),
                )?;
                Ok(MemoryView::Buffer { offset: 0, size })
            })
        })?;
        self.state.memory.set(device, first, &new, |memory| Some(&mut memory.globals))?;
        for ((slot, bound), offset) in (first..).zip(&new).zip(addresses) {
            if bound.is_some() {
                *offset = offset.wrapping_add(address(slot));
            }
        }
        Ok(())
    }

    fn get_compute_state_subgroup_size(&self, _: ShaderHandle, _: [u32; 3]) -> u32 {
        tgsi::exec::all_lanes::<P::Row>().count_ones()
    }
}

/// Checks the number of dimensions and the sizes of blocks.
fn check_blocks(info: &GridInfo<'_>) -> Result<(), PipeError> {
    if !matches!(info.work_dim, 1..=3) {
        return Err(PipeError::Invalid("the grid has no dimensions, or more than three"));
    }
    let sizes = info.block.into_iter().zip(info.last_block);
    if sizes.clone().any(|(size, last)| size == 0 || last > size) {
        return Err(PipeError::Invalid("the block has no invocations, or last_block exceeds it"));
    }
    let invocations = sizes.fold(1, |all: u64, (size, _)| all.saturating_mul(size.into()));
    PipeError::at_most("invocations of a block", invocations, MAX_BLOCK.into())
}
