//! Grids: runs the blocks of a compute launch one after the other, and the invocations of a block
//! four lanes at a time.

use os_shim::Vec;
use os_shim::memory::Memory;
use pipe_core::PipeError;
use tgsi::declaration::SemanticName;
use tgsi::exec::{self, Batch, Mask, MemoryRequest, MemorySpace, Resources, SampleRequest};
use tgsi::program::Program;

use crate::memory::Access;
use crate::reach::Reach;

/// Invocations per batch of lanes.
pub(crate) const LANES: u32 = 4;

/// A launch.
pub(crate) struct Grid<'g, 'a, 'm> {
    pub(crate) program: Program<'g>,
    pub(crate) constants: &'g [&'g [u8]],
    pub(crate) reach: &'g Reach<'a, 'm>,
    /// The contents of `INPUT` memory.
    pub(crate) input: &'g [u8],
    /// Bytes that the invocations of a block share.
    pub(crate) shared: u32,
    /// Bytes of private memory per invocation.
    pub(crate) private: u32,
    /// The number of dimensions, for programs that read it.
    pub(crate) dimensions: u32,
    /// Invocations along each axis, in a block and in the last block (0: the same).
    pub(crate) block: [u32; 3],
    pub(crate) last_block: [u32; 3],
    /// The number of blocks and the number of the first one, along each axis.
    pub(crate) blocks: [u32; 3],
    pub(crate) base: [u32; 3],
}

impl Grid<'_, '_, '_> {
    /// Runs all blocks, along x first, and returns the number of invocations.
    ///
    /// # Errors
    /// The program cannot be run, or out of memory.
    pub(crate) fn run(&self, memory: Memory<'_>) -> Result<u64, PipeError> {
        let mut invocations = 0;
        let [width, height, depth] = self.blocks;
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    invocations += u64::from(self.block([x, y, z], memory)?);
                }
            }
        }
        Ok(invocations)
    }

    /// Runs the block at `place` and returns the number of its invocations.
    fn block(&self, place: [u32; 3], memory: Memory<'_>) -> Result<u32, PipeError> {
        let size: [u32; 3] = core::array::from_fn(|axis| {
            let is_last = place[axis] + 1 == self.blocks[axis];
            match self.last_block[axis] {
                last if is_last && last != 0 => last,
                _ => self.block[axis],
            }
        });
        let count: u32 = size.iter().product();
        let batches = count.div_ceil(LANES) as usize;
        let file = usize::from(self.program.rows);
        let mut rows: Vec<'_, [u32; 4]> = Vec::new_in(memory);
        rows.try_resize(file * batches, [0; 4])?;
        let mut states = Vec::new_in(memory);
        for batch in 0..batches {
            let rows = rows.get_mut(batch * file..(batch + 1) * file).unwrap_or(&mut []);
            exec::prepare(&self.program, rows, self.constants).map_err(|_| NOT_RUN)?;
            let first = batch as u32 * LANES;
            let mut live: Mask = 0;
            for lane in 0..LANES.min(count - first) {
                live |= 1 << lane;
                self.system_values(place, size, first + lane, lane as usize, rows);
            }
            states.try_push(Batch::new::<[u32; 4]>(&self.program, live))?;
        }
        let mut shared = Vec::new_in(memory);
        shared.try_resize(self.shared as usize, 0)?;
        let mut private = Vec::new_in(memory);
        private.try_resize(self.private as usize * count as usize, 0)?;
        let mut resources = BlockReach { grid: self, shared, private, batch: 0 };
        exec::run_group(&self.program, &mut states, &mut rows, self.constants, &mut resources)
            .map_err(|_| NOT_RUN)?;
        Ok(count)
    }

    /// Fills the system values of one invocation (manual, TGSI, "Declaration Semantic").
    fn system_values(
        &self,
        place: [u32; 3],
        size: [u32; 3],
        invocation: u32,
        lane: usize,
        rows: &mut [[u32; 4]],
    ) {
        let [width, height, _] = size;
        for value in self.program.system_values {
            let words = match value.semantic.name {
                SemanticName::GridSize => self.blocks,
                SemanticName::BlockId => {
                    core::array::from_fn(|axis| self.base[axis].wrapping_add(place[axis]))
                }
                SemanticName::BlockSize => size,
                SemanticName::ThreadId => {
                    [invocation % width, invocation / width % height, invocation / (width * height)]
                }
                SemanticName::WorkDim => [self.dimensions, 0, 0],
                _ => [0; 3],
            };
            for (row, word) in value.rows.iter().zip(words) {
                if let Some(row) = row.index().and_then(|row| rows.get_mut(row)) {
                    row[lane] = word;
                }
            }
        }
    }
}

const NOT_RUN: PipeError = PipeError::Invalid("the compute program cannot run");

/// The memory and textures that the invocations of a block can access.
struct BlockReach<'b, 'g, 'a, 'm> {
    grid: &'b Grid<'g, 'a, 'm>,
    shared: Vec<'b, u8>,
    /// The private memory of all invocations.
    private: Vec<'b, u8>,
    /// The batch that makes the request.
    batch: usize,
}

impl Resources<[u32; 4]> for BlockReach<'_, '_, '_, '_> {
    fn sample(&mut self, request: &SampleRequest<'_, [u32; 4]>, out: &mut [[u32; 4]; 4]) {
        self.grid.reach.textures.answer(0, request, out);
    }

    fn memory(&mut self, request: &MemoryRequest<'_, [u32; 4]>, out: &mut [[u32; 4]; 4]) {
        for lane in request.lanes() {
            let access = Access::of(request, lane);
            let result = match request.space {
                MemorySpace::Shared => access.of_words(&mut self.shared),
                MemorySpace::Private => {
                    let size = self.grid.private as usize;
                    let start = (self.batch * LANES as usize + lane) * size;
                    access.of_words(self.private.get_mut(start..start + size).unwrap_or(&mut []))
                }
                // Writes to arguments are lost.
                MemorySpace::Arguments => access.of_words(&mut self.grid.input.to_vec()),
                _ => return self.grid.reach.memory.answer(request, out),
            };
            for (row, word) in out.iter_mut().zip(result) {
                row[lane] = word;
            }
        }
    }

    fn enter_batch(&mut self, batch: usize) {
        self.batch = batch;
    }
}
