//! A block: its registers, its shared memory, and its invocations in batches.

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use tgsi::declaration::SemanticName;
use tgsi::exec::{
    self, Batch, ExecError, Lanes, Mask, REGISTER_FILE_PADDING, all_lanes, register_file,
};
use tgsi::program::{Program, Uses};

use super::Grid;
use super::resources::BlockResources;
use crate::features::DESKTOP;
use crate::generator;

/// The memory that a worker runs blocks in, one after the other.
#[derive(Debug)]
pub(crate) struct BlockMemory<'m> {
    /// The words of one register file, or of one per waiting batch, before they are aligned.
    rows: Vec<'m, u32>,
    /// The words of the block's shared memory.
    shared: Vec<'m, u32>,
    /// The words of the `PRIVATE` memory of one batch, or of each batch that waits at barriers.
    private: Vec<'m, u32>,
    /// The batches of a program with barriers.
    batches: Vec<'m, Batch>,
    /// Set once the rows hold the program's constants.
    is_prepared: bool,
}

impl<'m> BlockMemory<'m> {
    pub(super) fn new_in(memory: Memory<'m>) -> Self {
        BlockMemory {
            rows: Vec::new_in(memory),
            shared: Vec::new_in(memory),
            private: Vec::new_in(memory),
            batches: Vec::new_in(memory),
            is_prepared: false,
        }
    }

    /// Allocates room for a block of a grid.
    pub(super) fn reserve<R: Lanes>(&mut self, grid: &Grid<'_>) -> Result<(), OutOfMemory> {
        let files = files::<R>(grid);
        let rows = usize::from(grid.program.rows).max(1);
        let words = files * rows * R::COUNT + REGISTER_FILE_PADDING;
        if self.rows.len() < words {
            self.rows.try_resize(words, 0)?;
        }
        let shared = grid.shared.div_ceil(4);
        if self.shared.len() < shared {
            self.shared.try_resize(shared, 0)?;
        }
        let private = (files * R::COUNT * grid.private).div_ceil(4);
        if DESKTOP && self.private.len() < private {
            self.private.try_resize(private, 0)?;
        }
        self.batches.clear();
        self.batches.try_reserve_exact(files)?;
        self.is_prepared = false;
        Ok(())
    }

    /// Runs the block at `place` in the grid.
    ///
    /// # Errors
    /// The program's errors; the budget's refusal.
    pub(super) fn run<R: Lanes>(
        &mut self,
        grid: &Grid<'_>,
        place: [u32; 3],
    ) -> Result<(), ExecError> {
        let block = Block::new(grid, place);
        let batches = block.batches::<R>();
        let mut program = grid.program;
        generator::enter::<R>(grid.textures.code, &mut program, 1);
        let size = usize::from(program.rows).max(1);
        let rows = register_file::<R>(&mut self.rows);
        if !self.is_prepared {
            for rows in rows.chunks_exact_mut(size).take(files::<R>(grid)) {
                if grid.textures.work.is_stopped() {
                    return Err(ExecError::Stopped);
                }
                exec::prepare(&program, rows, grid.constants)?;
            }
            self.is_prepared = true;
        }
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.shared);
        let shared = bytes.get_mut(..grid.shared).unwrap_or(&mut []);
        shared.fill(0);
        let private: &mut [u8] = bytemuck::cast_slice_mut(&mut self.private);
        let used = files::<R>(grid) * R::COUNT * grid.private;
        let private = private.get_mut(..used).unwrap_or(&mut []);
        let mut resources = BlockResources::new(grid, shared, private);
        let cleared = (R::COUNT * grid.private / CLEARED_BYTES) as u32;
        if resources.stops_after(1 + batches.saturating_mul(1 + cleared)) {
            return Err(ExecError::Stopped);
        }
        if !program.uses.contains(Uses::BARRIERS) {
            for batch in 0..batches {
                resources.clear_private();
                let live = block.fill(&program, batch, rows);
                exec::run(&program, rows, live, grid.constants, &mut resources)?;
            }
            return resources.end().map_err(|_| ExecError::Stopped);
        }
        resources.clear_private();
        self.batches.clear();
        for (batch, rows) in (0..batches).zip(rows.chunks_exact_mut(size)) {
            let live = block.fill(&program, batch, rows);
            let _ = self.batches.push_within_capacity(Batch::new::<R>(&program, live));
        }
        exec::run_group(&program, &mut self.batches, rows, grid.constants, &mut resources)?;
        resources.end().map_err(|_| ExecError::Stopped)
    }
}

/// Bytes of `PRIVATE` memory that one unit of work clears.
const CLEARED_BYTES: usize = 4096;

/// Returns the number of register files that a worker needs: one per batch that waits at barriers.
fn files<R: Lanes>(grid: &Grid<'_>) -> usize {
    let invocations: u32 = grid.block.iter().product();
    match grid.program.uses.contains(Uses::BARRIERS) {
        true => invocations.div_ceil(R::COUNT as u32) as usize,
        false => 1,
    }
}

/// The numbers of a block and its invocations.
struct Block {
    size: [u32; 3],
    number: [u32; 3],
    blocks: [u32; 3],
    work_dim: u32,
}

impl Block {
    fn new(grid: &Grid<'_>, place: [u32; 3]) -> Block {
        let mut block = Block {
            size: grid.block,
            number: grid.base,
            blocks: grid.blocks,
            work_dim: grid.work_dim,
        };
        let axes = block.size.iter_mut().zip(&mut block.number).zip(place);
        for (((size, number), place), (blocks, last)) in
            axes.zip(grid.blocks.into_iter().zip(grid.last_block))
        {
            *number = number.wrapping_add(place);
            if place + 1 == blocks && last != 0 {
                *size = last;
            }
        }
        block
    }

    fn invocations(&self) -> u32 {
        self.size.iter().product()
    }

    fn batches<R: Lanes>(&self) -> u32 {
        self.invocations().div_ceil(R::COUNT as u32)
    }

    /// Fills the system values of a batch; returns its lanes.
    fn fill<R: Lanes>(&self, program: &Program<'_>, batch: u32, rows: &mut [R]) -> Mask {
        let first = batch * R::COUNT as u32;
        for value in program.system_values {
            let same = match value.semantic.name {
                SemanticName::GridSize => Some(self.blocks),
                SemanticName::BlockId => Some(self.number),
                SemanticName::BlockSize => Some(self.size),
                SemanticName::WorkDim => Some([self.work_dim, 0, 0]),
                _ => None,
            };
            for (axis, row) in value.rows.into_iter().take(3).enumerate() {
                let Some(row) = row.index().and_then(|row| rows.get_mut(row)) else { continue };
                match same.as_ref().and_then(|same| same.get(axis)) {
                    Some(same) => *row = R::splat(*same),
                    None => self.fill_thread_ids(first, axis, row),
                }
            }
        }
        let lanes = self.invocations().saturating_sub(first);
        if lanes < Mask::BITS { all_lanes::<R>() & !(Mask::MAX << lanes) } else { all_lanes::<R>() }
    }

    /// Fills a row with invocation numbers along an axis, from invocation `first` on.
    fn fill_thread_ids<R: Lanes>(&self, first: u32, axis: usize, row: &mut R) {
        let [width, height, _] = self.size.map(|size| size.max(1));
        for (lane, id) in (first..).zip(row.as_mut_slice()) {
            *id = match axis {
                0 => lane % width,
                1 => lane / width % height,
                _ => lane / width / height,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invocations_are_numbered_along_x_first() {
        let block = Block { size: [3, 2, 2], number: [0; 3], blocks: [1; 3], work_dim: 3 };
        let ids = |first, axis| {
            let mut row = [0; 4];
            block.fill_thread_ids(first, axis, &mut row);
            row
        };
        assert_eq!((ids(0, 0), ids(4, 0)), ([0, 1, 2, 0], [1, 2, 0, 1]));
        assert_eq!((ids(0, 1), ids(4, 1)), ([0, 0, 0, 1], [1, 1, 0, 0]));
        assert_eq!((ids(0, 2), ids(4, 2)), ([0; 4], [0, 0, 1, 1]));
        assert_eq!((block.invocations(), block.batches::<[u32; 4]>()), (12, 3));
    }
}
