//! Compute programs, and launches of grids.

use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::RawHandle;
use os_shim::sync::Mutex;
use pipe_core::context::{Compute, CsoState};
use pipe_core::{
    ComputeState, DrawIndirect, GridInfo, PipeError, ShaderHandle, ShaderState, ShaderType,
    StreamOutputInfo,
};

use super::Context;
use super::binding::{Constants, GRID};
use super::drawing::stage_constants;
use super::record::add_textures;
#[cfg(feature = "desktop")]
use super::shader_resources::checked;
use super::unsupported::refuse;
use crate::device::{Claim, is_readable, resource};
use crate::grid::{BlockMemory, Grid, MAX_BLOCK, MAX_SHARED};
use crate::memory::ShaderMemory;
#[cfg(feature = "desktop")]
use crate::memory::{MAX_GLOBALS, WINDOW_BYTES, address};
use crate::profile::Profile;
#[cfg(feature = "desktop")]
use crate::resource::MemoryView;
use crate::resource::{Inputs, Levels, TextureBinding, Textures};

/// The context's part of compute.
#[derive(Debug)]
pub(super) struct ComputeMemory<'m> {
    workers: Vec<'m, Mutex<BlockMemory<'m>>>,
    /// The bytes that blocks of a program share.
    shared: Vec<'m, (RawHandle, u32)>,
}

impl<'m> ComputeMemory<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        ComputeMemory { workers: Vec::new_in(memory), shared: Vec::new_in(memory) }
    }

    /// Returns the bytes that blocks of a program share.
    fn shared(&self, shader: RawHandle) -> u32 {
        let of_shader = self.shared.iter().find(|(handle, _)| *handle == shader);
        of_shader.map_or(0, |(_, bytes)| *bytes)
    }
}

impl<'m, P: Profile> Compute<'m> for Context<'_, 'm, P> {
    fn create_compute_state(
        &mut self,
        state: &ComputeState<'_, 'm>,
    ) -> Result<ShaderHandle, PipeError> {
        let shared = state.static_shared_mem;
        PipeError::at_most("bytes that a block shares", shared.into(), MAX_SHARED.into())?;
        self.compute.shared.try_reserve(1)?;
        let shader = ShaderState { source: state.source, stream_output: StreamOutputInfo::NONE };
        let handle = self.create_shader_state(ShaderType::Compute, &shader)?;
        let _ = self.compute.shared.push_within_capacity((handle.raw(), shared));
        Ok(handle)
    }

    fn bind_compute_state(&mut self, handle: Option<ShaderHandle>) -> Result<(), PipeError> {
        self.bind_shader_state(ShaderType::Compute, handle)
    }

    fn delete_compute_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        self.delete_shader_state(handle)?;
        self.compute.shared.retain(|(shader, _)| *shader != handle.raw());
        Ok(())
    }

    fn launch_grid(&mut self, info: &GridInfo<'_>) -> Result<(), PipeError> {
        refuse(info.pc != 0, "pc")?;
        self.begin()?;
        let shader = self.bound.shader(GRID).ok_or(PipeError::Unbound("compute shader"))?;
        check_blocks(info)?;
        let shared = self.compute.shared(shader).saturating_add(info.variable_shared_mem);
        PipeError::at_most("bytes that a block shares", shared.into(), MAX_SHARED.into())?;
        if !self.condition_holds() {
            return Ok(());
        }
        let blocks = self.blocks(info)?;
        if blocks.contains(&0) {
            return Ok(());
        }
        let result = self.launch(info, blocks, shared);
        if result.is_ok() {
            self.queries.add_grid(invocations(info, blocks));
        }
        self.note_stop(result)
    }

    #[cfg(feature = "desktop")]
    fn get_compute_state_info(
        &self,
        handle: ShaderHandle,
    ) -> Result<pipe_core::ComputeStateObjectInfo, PipeError> {
        let program = super::object(&self.objects.shaders, handle)?.program();
        if program.processor != ShaderType::Compute.processor() {
            return Err(PipeError::Invalid("a shader of another stage"));
        }
        let lanes = self.get_compute_state_subgroup_size(handle, [1; 3]);
        Ok(pipe_core::ComputeStateObjectInfo {
            max_threads: MAX_BLOCK,
            preferred_simd_size: lanes,
            simd_sizes: lanes,
            // A row has a word for each invocation.
            private_memory: u32::from(program.rows) * 4,
        })
    }

    #[cfg(feature = "desktop")]
    fn set_compute_resources(
        &mut self,
        start: usize,
        surfaces: &[Option<pipe_core::SurfaceHandle>],
    ) -> Result<(), PipeError> {
        use pipe_core::context::ShaderResources;
        const MOST: usize = pipe_core::limits::MAX_SHADER_IMAGES;
        PipeError::at_most("compute resources", surfaces.len() as u64, MOST as u64)?;
        let images = surfaces.iter().map(|it| it.map(|it| self.image_of(it)).transpose());
        let images = images.collect::<Result<heapless::Vec<_, MOST>, _>>()?;
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
            return Err(PipeError::Invalid("fewer addresses than buffers of global memory"));
        }
        let new = checked::<_, MAX_GLOBALS>(resources, first, |_, resource| {
            self.slot(*resource, true, |resource| {
                let size = resource.template.width0;
                if !resource.template.is_buffer() {
                    return Err(PipeError::Invalid("global memory that is a texture"));
                }
                PipeError::at_most(
                    "bytes of a buffer of global memory",
                    size.into(),
                    WINDOW_BYTES.into(),
                )?;
                Ok(MemoryView::Buffer { offset: 0, size })
            })
        })?;
        self.set_slots(first, &new, |memory| Some(&mut memory.globals))?;
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

/// Checks the sizes of blocks.
fn check_blocks(info: &GridInfo<'_>) -> Result<(), PipeError> {
    let sizes = info.block.into_iter().zip(info.last_block);
    if sizes.clone().any(|(size, last)| size == 0 || last > size) {
        return Err(PipeError::Invalid("a block without invocations, or a last block beyond it"));
    }
    let invocations = sizes.fold(1, |all: u64, (size, _)| all.saturating_mul(size.into()));
    PipeError::at_most("invocations of a block", invocations, MAX_BLOCK.into())
}

/// Returns the number of invocations of a grid; last blocks may be smaller.
fn invocations(info: &GridInfo<'_>, blocks: [u32; 3]) -> u64 {
    let axes = blocks.into_iter().zip(info.block.into_iter().zip(info.last_block));
    axes.fold(1, |product: u64, (blocks, (size, last))| {
        let last = if last == 0 { size } else { last };
        let whole = u64::from(blocks.saturating_sub(1)) * u64::from(size);
        product.saturating_mul(whole + u64::from(last))
    })
}

impl<'m, P: Profile> Context<'_, 'm, P> {
    /// Returns the number of blocks by dimension, which may lie in a buffer.
    fn blocks(&mut self, info: &GridInfo<'_>) -> Result<[u32; 3], PipeError> {
        let Some((buffer, offset)) = info.indirect else { return Ok(info.grid) };
        self.flush_if_used(buffer.raw())?;
        let shared = self.device.lock_when(|resources| is_readable(resources, buffer.raw()));
        let bytes = resource(&shared.resources, buffer)?.bytes(0);
        let word =
            |axis: usize| DrawIndirect::word(bytes, (offset as usize).saturating_add(4 * axis));
        Ok([word(0), word(1), word(2)])
    }

    /// Returns the resources of the constant buffers of compute programs.
    fn grid_constants(&self) -> impl Iterator<Item = RawHandle> {
        self.bound.constants.get(GRID).into_iter().flatten().filter_map(|slot| match slot {
            Constants::Resource { resource, .. } => Some(*resource),
            _ => None,
        })
    }

    /// Runs the bound program over a grid, with all that it reads and writes claimed.
    fn launch(
        &mut self,
        info: &GridInfo<'_>,
        blocks: [u32; 3],
        shared: u32,
    ) -> Result<(), PipeError> {
        let heap = self.os.memory;
        let memory = self.memory_bindings(GRID..GRID + 1)?;
        let mut textures = Vec::new_in(heap);
        if let Some(shader) = self.objects.shader(self.bound.shader(GRID)) {
            let program = shader.program();
            add_textures(&mut textures, &self.objects, &self.bound, GRID, &program)?;
        }
        let conflicts = {
            let used = memory.resources().chain(textures.iter().map(|binding| binding.resource));
            used.chain(self.grid_constants()).any(|resource| self.scene_uses(resource))
        };
        if conflicts {
            self.flush_scene()?;
        }
        let mut written = memory.room(heap)?;
        let loans = self.take_loans();
        let mut claim = Claim::when(self.device, loans, |resources| {
            memory.is_ready(resources)
                && textures.iter().all(|binding| is_readable(resources, binding.resource))
                && self.grid_constants().all(|resource| is_readable(resources, resource))
        });
        let work = self.device.work;
        let held = memory.take(&mut written, claim.resources(), work, heap, |resource| {
            textures.iter().any(|binding| binding.resource == resource)
                || self.grid_constants().any(|constants| constants == resource)
        });
        let lent = held.and_then(|()| {
            Ok(claim.lend(|loans, resources| {
                memory.lend(loans, resources)?;
                loans.lend_textures(resources, &textures)?;
                self.grid_constants().try_for_each(|handle| loans.lend(resources, handle, 0..=0))
            })?)
        });
        let slots = lent.and_then(|()| Ok(memory.slots(&mut written, claim.inputs(), heap)?));
        let result = slots.and_then(|slots| {
            let memory = slots.memory().for_stage(GRID);
            self.run_grid(info, blocks, shared, &textures, memory, claim.inputs())
        });
        written.put_back(claim.resources());
        self.loans = claim.end();
        result
    }

    /// Runs the bound program over a grid, on these resources.
    fn run_grid(
        &mut self,
        info: &GridInfo<'_>,
        blocks: [u32; 3],
        shared: u32,
        bindings: &[TextureBinding],
        memory: ShaderMemory<'_>,
        inputs: Inputs<'_, 'm>,
    ) -> Result<(), PipeError> {
        let Context { objects, bound, compute, os, device, .. } = self;
        let Some(shader) = objects.shader(bound.shader(GRID)) else { return Ok(()) };
        let mut levels = Levels::with_room_for(bindings, os.memory)?;
        let mut samplers = Vec::try_with_capacity_in(bindings.len(), os.memory)?;
        levels.find(bindings, inputs);
        levels.samplers(bindings, &mut samplers);
        let work = device.work;
        let grid = Grid {
            program: shader.program(),
            constants: &stage_constants(bound, GRID, inputs),
            textures: Textures { bindings, samplers: &samplers, memory, work, code: shader.code() },
            arguments: info.input,
            shared: shared as usize,
            block: info.block,
            last_block: info.last_block,
            blocks,
            base: info.grid_base,
        };
        grid.reserve::<P::Row>(&mut compute.workers, os.threads, os.memory)?;
        grid.run::<P::Row>(&compute.workers, os.threads)
    }
}
