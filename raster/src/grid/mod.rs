//! Grids: the blocks of a compute launch, which workers claim, and the invocations of a block, one
//! per lane.

mod block;
mod private;
mod resources;

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use os_shim::sync::Mutex;
use os_shim::threads::Threads;
use pipe_core::PipeError;
use tgsi::exec::{ExecError, Lanes};
use tgsi::program::Program;

use crate::debug::{Phase, Timer};
use crate::resource::StageResources;

pub(crate) use self::block::BlockMemory;
pub(crate) use self::private::MAX_PRIVATE;

/// The most invocations of a block.
pub(crate) const MAX_BLOCK: u32 = 1024;
/// The most bytes of a block's shared memory.
pub(crate) const MAX_SHARED: u32 = 32 << 10;
/// The most bytes of `INPUT` memory.
pub(crate) const MAX_INPUT: u32 = 4096;

/// The most blocks that a worker claims at a time.
const MAX_CLAIM: u64 = 64;

/// A launch: a program, its resources, and the numbers of its invocations.
pub(crate) struct Grid<'g> {
    pub(crate) program: Program<'g>,
    pub(crate) constants: &'g [&'g [u8]],
    /// Textures, memory, and the work that the launch may do.
    pub(crate) textures: StageResources<'g>,
    /// The contents of `INPUT` memory.
    pub(crate) arguments: &'g [u8],
    /// Bytes of a block's shared memory.
    pub(crate) shared: usize,
    /// Bytes of one invocation's `PRIVATE` memory.
    pub(crate) private: usize,
    /// The number of dimensions that the launch uses.
    pub(crate) work_dim: u32,
    /// By dimension: the invocations of a block, the invocations of the last block, and the blocks.
    pub(crate) block: [u32; 3],
    pub(crate) last_block: [u32; 3],
    pub(crate) blocks: [u32; 3],
    /// The number of the first block.
    pub(crate) base: [u32; 3],
}

/// The blocks that no worker has claimed.
struct Claims {
    next: u64,
    /// The reason why the launch ended early.
    error: Option<PipeError>,
}

impl Grid<'_> {
    /// Returns the number of blocks.
    fn count(&self) -> u64 {
        let [x, y, z] = self.blocks.map(u64::from);
        x.saturating_mul(y).saturating_mul(z)
    }

    /// Fills `workers` with one entry per thread of the caller, each with room for a block.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn reserve<'m, R: Lanes>(
        &self,
        workers: &mut Vec<'m, Mutex<BlockMemory<'m>>>,
        threads: &dyn Threads,
        memory: Memory<'m>,
    ) -> Result<(), OutOfMemory> {
        let count = (threads.count().max(1) as u64).min(self.count().max(1)) as usize;
        while workers.len() < count {
            workers.try_push(Mutex::new(BlockMemory::new_in(memory)))?;
        }
        workers.iter_mut().try_for_each(|worker| worker.get_mut().reserve::<R>(self))
    }

    /// Runs all blocks, in any order.
    ///
    /// # Errors
    /// `Stopped`, or a program's error. Blocks that have not begun are then not run.
    pub(crate) fn run<R: Lanes>(
        &self,
        workers: &[Mutex<BlockMemory<'_>>],
        threads: &dyn Threads,
        timer: Timer<'_>,
    ) -> Result<(), PipeError> {
        let _watch = timer.named("grid", Phase::Waiting);
        let count = self.count();
        let tasks = (workers.len() as u64).min(count) as usize;
        let size = (count / (16 * workers.len().max(1) as u64)).clamp(1, MAX_CLAIM);
        let claims = Mutex::new(Claims { next: 0, error: None });
        threads.parallel(tasks, &|worker, _| {
            let Some(worker) = workers.get(worker) else { return };
            let mut worker = worker.lock();
            loop {
                let _watch = timer.start(Phase::Computing);
                let first = {
                    let mut claims = claims.lock();
                    let first = claims.next;
                    if claims.error.is_some() || first >= count {
                        return;
                    }
                    claims.next = first.saturating_add(size);
                    first
                };
                for number in first..first.saturating_add(size).min(count) {
                    if let Err(error) = self.run_block::<R>(&mut worker, number) {
                        claims.lock().error = Some(error);
                        return;
                    }
                }
            }
        });
        claims.into_inner().error.map_or(Ok(()), Err)
    }

    fn run_block<R: Lanes>(
        &self,
        worker: &mut BlockMemory<'_>,
        number: u64,
    ) -> Result<(), PipeError> {
        let [x, y, _] = self.blocks.map(u64::from);
        let (row, column) = (number / x.max(1), number % x.max(1));
        let place = [column as u32, (row % y.max(1)) as u32, (row / y.max(1)) as u32];
        let run = worker.run::<R>(self, place);
        run.map_err(|error| match (error, self.textures.work.spend(0)) {
            (_, Err(stopped)) => stopped,
            (ExecError::Budget { .. }, _) => {
                PipeError::Invalid("the compute program's loops take too many turns")
            }
            _ => PipeError::Invalid("the compute program cannot run"),
        })
    }
}
