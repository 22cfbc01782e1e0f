//! Launches of grids: the claim, and the run of the bound program.

use os_shim::Vec;
use os_shim::pool::RawHandle;
use pipe_core::{DrawIndirect, GridInfo, PipeError, ShaderType};

use super::{Access, Renderer};
use crate::device::{is_readable, resource};
use crate::features::FLIGHTS;
use crate::grid::Grid;
use crate::memory::ShaderMemory;
use crate::profile::Profile;
use crate::record::{add_textures, stage_constants};
use crate::resource::{Inputs, Levels, Loans, MemoryBindings, StageResources, TextureBinding};
use crate::state::{Bindings, State};

/// The memory that a launch needs in addition to its resources.
#[derive(Clone, Copy)]
pub(crate) struct Needs<'i> {
    /// The contents of `INPUT` memory.
    pub(crate) input: &'i [u8],
    /// Bytes of `SHARED` memory of a block.
    pub(crate) shared: usize,
    /// Bytes of `PRIVATE` memory of one invocation.
    pub(crate) private: usize,
}

/// The resources that a launch reads other than as shader memory.
struct Reads<'a, 'm> {
    bindings: Bindings<'a, 'm>,
    textures: &'a [TextureBinding],
}

impl<'m> Reads<'_, 'm> {
    /// Returns the resources in constant buffers.
    fn constants(&self) -> impl Iterator<Item = RawHandle> {
        self.bindings.bound.constant_resources(ShaderType::Compute)
    }

    /// Returns the resources of textures and constant buffers.
    fn resources(&self) -> impl Iterator<Item = RawHandle> {
        self.textures.iter().map(|binding| binding.resource).chain(self.constants())
    }
}

impl<'s, 'm, P: Profile> Renderer<'s, 'm, P> {
    /// Returns the number of blocks along each dimension, which may be stored in a buffer.
    ///
    /// # Errors
    /// A stale handle; the errors of a flush.
    pub(crate) fn blocks(
        &mut self,
        state: &mut State<'m>,
        info: &GridInfo<'_>,
    ) -> Result<[u32; 3], PipeError> {
        let Some((buffer, offset)) = info.indirect else { return Ok(info.grid) };
        self.flush_if_used(state, buffer.raw())?;
        let shared = self.device.lock_when(|resources| is_readable(resources, buffer.raw()))?;
        let bytes = resource(&shared.resources, buffer)?.bytes(0);
        let word =
            |axis: usize| DrawIndirect::word(bytes, (offset as usize).saturating_add(4 * axis));
        Ok([word(0), word(1), word(2)])
    }

    /// Runs a compute program over a grid of `blocks`, and counts its invocations.
    ///
    /// # Errors
    /// Out of memory; [`PipeError::Busy`] and [`PipeError::Stopped`].
    pub(crate) fn launch(
        &mut self,
        state: &mut State<'m>,
        program: RawHandle,
        info: &GridInfo<'_>,
        blocks: [u32; 3],
        needs: Needs<'_>,
    ) -> Result<(), PipeError> {
        // An entry is the bound program while it runs.
        let bound = replace_program(state, program);
        let launched = self.launch_bound(state, info, blocks, needs);
        replace_program(state, bound);
        if launched.is_ok() {
            state.queries.add_grid(invocations(info, blocks));
        }
        launched
    }

    /// Runs the bound program over a grid, and claims all memory that it reads and writes.
    fn launch_bound(
        &mut self,
        state: &mut State<'m>,
        info: &GridInfo<'_>,
        blocks: [u32; 3],
        needs: Needs<'_>,
    ) -> Result<(), PipeError> {
        let memory = state.memory_bindings(&[ShaderType::Compute], self.device.os.memory)?;
        let bindings = state.bindings();
        let mut textures = Vec::new_in(self.device.os.memory);
        if let Some(program) = bindings.program(ShaderType::Compute) {
            add_textures(&mut textures, bindings, ShaderType::Compute, &program)?;
        }
        let reads = Reads { bindings, textures: &textures };
        let pends = memory.resources().chain(reads.resources()).any(|it| self.scene_uses(it));
        let flies =
            FLIGHTS && memory.resources().chain(reads.resources()).any(|it| self.flights.uses(it));
        if pends {
            self.flush_scene(state)?;
        } else if flies {
            self.finish(state)?;
        }
        let State { objects, bound, loans, .. } = state;
        let bindings = Bindings { objects, bound };
        let reads = Reads { bindings, textures: &textures };
        let mut access = self.access_grid(loans, &memory, &reads)?;
        access.work(&memory, |granted| {
            let memory = granted.memory.for_stage(ShaderType::Compute);
            self.run_grid(info, blocks, needs, &reads, memory, granted.claim.inputs())
        })
    }

    /// Claims the memory that a launch reads and writes.
    ///
    /// # Errors
    /// Out of memory; [`PipeError::Busy`] and [`PipeError::Stopped`].
    fn access_grid<'a>(
        &self,
        loans: &'a mut Loans<'m>,
        memory: &MemoryBindings<'m>,
        reads: &Reads<'_, 'm>,
    ) -> Result<Access<'a, 's, 'm>, PipeError> {
        let mut access = Access::claim(self.device, loans, |resources| {
            memory.is_ready(resources) && reads.resources().all(|it| is_readable(resources, it))
        })?;
        access.take_memory(memory, |resource| reads.resources().any(|read| read == resource))?;
        access.lend(|loans, resources| {
            memory.lend(loans, resources)?;
            loans.lend_textures(resources, reads.textures)?;
            reads.constants().try_for_each(|handle| loans.lend(resources, handle, 0..=0))
        })?;
        Ok(access)
    }

    /// Runs the bound program over a grid, with these resources.
    fn run_grid(
        &mut self,
        info: &GridInfo<'_>,
        blocks: [u32; 3],
        needs: Needs<'_>,
        reads: &Reads<'_, 'm>,
        memory: ShaderMemory<'_>,
        inputs: Inputs<'_, 'm>,
    ) -> Result<(), PipeError> {
        let (os, work) = (self.device.os, self.device.work);
        let bindings = reads.textures;
        let Some(shader) = reads.bindings.shader(ShaderType::Compute) else { return Ok(()) };
        let levels = Levels::of(bindings, inputs, os.memory)?;
        let samplers = levels.samplers(bindings, os.memory)?;
        let code = shader.code();
        let grid = Grid {
            program: shader.program(),
            constants: &stage_constants(reads.bindings.bound, ShaderType::Compute, inputs),
            textures: StageResources { bindings, samplers: &samplers, memory, work, code },
            arguments: needs.input,
            shared: needs.shared,
            private: needs.private,
            work_dim: info.work_dim.into(),
            block: info.block,
            last_block: info.last_block,
            blocks,
            base: info.grid_base,
        };
        grid.reserve::<P::Row>(&mut self.block_workers, os.threads, os.memory)?;
        grid.run::<P::Row>(&self.block_workers, os.threads, self.device.timer())
    }
}

/// Binds a compute program's shader; returns the shader that was bound before.
fn replace_program(state: &mut State<'_>, shader: RawHandle) -> RawHandle {
    let bound = state.bound.shaders.get_mut(ShaderType::Compute);
    bound.and_then(|bound| bound.replace(shader)).unwrap_or(shader)
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
