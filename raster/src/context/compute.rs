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
use super::entries::Entries;
use super::record::add_textures;
#[cfg(feature = "desktop")]
use super::shader_resources::checked;
use crate::device::{Claim, is_readable, resource};
use crate::grid::{BlockMemory, Grid, MAX_BLOCK, MAX_INPUT, MAX_PRIVATE, MAX_SHARED};
use crate::memory::ShaderMemory;
#[cfg(feature = "desktop")]
use crate::memory::{MAX_GLOBALS, WINDOW_BYTES, address};
use crate::profile::Profile;
#[cfg(feature = "desktop")]
use crate::resource::MemoryView;
use crate::resource::{Inputs, Levels, TextureBinding, Textures};

/// The context's compute state.
#[derive(Debug)]
pub(super) struct ComputeMemory<'m> {
    workers: Vec<'m, Mutex<BlockMemory<'m>>>,
    pub(super) programs: Vec<'m, ComputeProgram<'m>>,
}

/// The properties of a compute program that are not in its code.
#[derive(Debug)]
pub(super) struct ComputeProgram<'m> {
    pub(super) shader: RawHandle,
    /// Bytes of `SHARED` memory of a block.
    shared: u32,
    /// Bytes of `PRIVATE` memory of one invocation.
    private: u32,
    /// Bytes of `INPUT` memory.
    input: u32,
    pub(super) entries: Entries<'m>,
}

impl<'m> ComputeMemory<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        ComputeMemory { workers: Vec::new_in(memory), programs: Vec::new_in(memory) }
    }

    /// Returns the properties of a program.
    fn program(&self, shader: RawHandle) -> Option<&ComputeProgram<'m>> {
        self.programs.iter().find(|program| program.shader == shader)
    }
}

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
        self.compute.programs.try_reserve(1)?;
        let entries = Entries::of(&source, self.os)?;
        let shader = ShaderState { source, stream_output: StreamOutputInfo::NONE };
        let handle = self.create_shader_state(ShaderType::Compute, &shader)?;
        let shader = handle.raw();
        let program = ComputeProgram { shader, shared, private, input, entries };
        let _ = self.compute.programs.push_within_capacity(program);
        Ok(handle)
    }

    fn bind_compute_state(&mut self, handle: Option<ShaderHandle>) -> Result<(), PipeError> {
        self.bind_shader_state(ShaderType::Compute, handle)
    }

    fn delete_compute_state(&mut self, handle: ShaderHandle) -> Result<(), PipeError> {
        self.delete_shader_state(handle)?;
        let mut programs = self.compute.programs.iter();
        if let Some(at) = programs.position(|program| program.shader == handle.raw()) {
            let program = self.compute.programs.swap_remove(at);
            self.remove_entries(program.entries);
        }
        Ok(())
    }

    fn launch_grid(&mut self, info: &GridInfo<'_>) -> Result<(), PipeError> {
        self.begin()?;
        let shader = self.bound.shader(GRID).ok_or(PipeError::Unbound("compute shader"))?;
        check_blocks(info)?;
        let program = self.compute.program(shader);
        let [shared, private, input] =
            program.map_or([0; 3], |it| [it.shared, it.private, it.input]);
        let shared = shared.saturating_add(info.variable_shared_mem);
        PipeError::at_most("bytes that a block shares", shared.into(), MAX_SHARED.into())?;
        let input = info.input.get(..input as usize).ok_or(PipeError::Invalid(
            "a launch with fewer bytes of INPUT memory than its program requires",
        ))?;
        let entry = self.entry(shader, info.pc)?;
        if !self.condition_holds()? {
            return Ok(());
        }
        let blocks = self.blocks(info)?;
        if blocks.contains(&0) {
            return Ok(());
        }
        let needs = Needs { input, shared: shared as usize, private: private as usize };
        // An entry is the bound program while it runs.
        let program = self.replace_program(entry);
        let result = self.launch(info, blocks, needs);
        self.replace_program(program);
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
        let private = self.compute.program(handle.raw()).map_or(0, |program| program.private);
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

/// The memory that a launch needs in addition to its resources.
#[derive(Clone, Copy)]
struct Needs<'i> {
    /// The contents of `INPUT` memory.
    input: &'i [u8],
    /// Bytes of `SHARED` memory of a block.
    shared: usize,
    /// Bytes of `PRIVATE` memory of one invocation.
    private: usize,
}

/// Checks the number of dimensions and the sizes of blocks.
fn check_blocks(info: &GridInfo<'_>) -> Result<(), PipeError> {
    if !matches!(info.work_dim, 1..=3) {
        return Err(PipeError::Invalid("a grid of no dimensions, or of more than three"));
    }
    let sizes = info.block.into_iter().zip(info.last_block);
    if sizes.clone().any(|(size, last)| size == 0 || last > size) {
        return Err(PipeError::Invalid("a block without invocations, or a last block beyond it"));
    }
    let invocations = sizes.fold(1, |all: u64, (size, _)| all.saturating_mul(size.into()));
    PipeError::at_most("invocations of a block", invocations, MAX_BLOCK.into())
}

/// Returns the number of invocations of a grid. Last blocks may be smaller.
fn invocations(info: &GridInfo<'_>, blocks: [u32; 3]) -> u64 {
    let axes = blocks.into_iter().zip(info.block.into_iter().zip(info.last_block));
    axes.fold(1, |product: u64, (blocks, (size, last))| {
        let last = if last == 0 { size } else { last };
        let whole = u64::from(blocks.saturating_sub(1)) * u64::from(size);
        product.saturating_mul(whole + u64::from(last))
    })
}

impl<'m, P: Profile> Context<'_, 'm, P> {
    /// Returns the number of blocks along each dimension, which may be stored in a buffer.
    fn blocks(&mut self, info: &GridInfo<'_>) -> Result<[u32; 3], PipeError> {
        let Some((buffer, offset)) = info.indirect else { return Ok(info.grid) };
        self.flush_if_used(buffer.raw())?;
        let shared = self.device.lock_when(|resources| is_readable(resources, buffer.raw()))?;
        let bytes = resource(&shared.resources, buffer)?.bytes(0);
        let word =
            |axis: usize| DrawIndirect::word(bytes, (offset as usize).saturating_add(4 * axis));
        Ok([word(0), word(1), word(2)])
    }

    /// Binds a compute program's shader; returns the shader that was bound before.
    fn replace_program(&mut self, shader: RawHandle) -> RawHandle {
        let bound = self.bound.shaders.get_mut(GRID);
        bound.and_then(|bound| bound.replace(shader)).unwrap_or(shader)
    }

    /// Returns the resources in the constant buffers of compute programs.
    fn grid_constants(&self) -> impl Iterator<Item = RawHandle> {
        self.bound.constants.get(GRID).into_iter().flatten().filter_map(|slot| match slot {
            Constants::Resource { resource, .. } => Some(*resource),
            _ => None,
        })
    }

    /// Runs the bound program over a grid, and claims all memory that it reads and writes.
    fn launch(
        &mut self,
        info: &GridInfo<'_>,
        blocks: [u32; 3],
        needs: Needs<'_>,
    ) -> Result<(), PipeError> {
        let heap = self.os.memory;
        let memory = self.memory_bindings(GRID..GRID + 1)?;
        let mut textures = Vec::new_in(heap);
        if let Some(shader) = self.objects.shader(self.bound.shader(GRID)) {
            let program = shader.program();
            add_textures(&mut textures, &self.objects, &self.bound, GRID, &program)?;
        }
        let uses = |uses: &dyn Fn(RawHandle) -> bool| {
            let used = memory.resources().chain(textures.iter().map(|binding| binding.resource));
            used.chain(self.grid_constants()).any(uses)
        };
        if uses(&|resource| self.scene_uses(resource)) {
            self.flush_scene()?;
        } else if uses(&|resource| self.flights.uses(resource)) {
            self.finish()?;
        }
        let mut written = memory.room(heap)?;
        let loans = self.take_loans();
        let mut claim = Claim::when(self.device, loans, |resources| {
            memory.is_ready(resources)
                && textures.iter().all(|binding| is_readable(resources, binding.resource))
                && self.grid_constants().all(|resource| is_readable(resources, resource))
        })?;
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
            self.run_grid(info, blocks, needs, &textures, memory, claim.inputs())
        });
        written.put_back(claim.resources());
        self.loans = claim.end();
        result
    }

    /// Runs the bound program over a grid, with these resources.
    fn run_grid(
        &mut self,
        info: &GridInfo<'_>,
        blocks: [u32; 3],
        needs: Needs<'_>,
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
            arguments: needs.input,
            shared: needs.shared,
            private: needs.private,
            work_dim: info.work_dim.into(),
            block: info.block,
            last_block: info.last_block,
            blocks,
            base: info.grid_base,
        };
        grid.reserve::<P::Row>(&mut compute.workers, os.threads, os.memory)?;
        grid.run::<P::Row>(&compute.workers, os.threads)
    }
}
