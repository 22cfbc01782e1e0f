//! The resources of a block's invocations: textures, memory, the block's shared memory, each
//! invocation's private memory, and the arguments of the launch.

use pipe_core::PipeError;
use tgsi::exec::{Lanes, MemoryRequest, MemorySpace, Resources, SampleRequest};

use super::Grid;
use super::private::PrivateMemory;
use crate::features::DESKTOP;
use crate::resource::StageResources;

/// The resources of a block.
pub(super) struct BlockResources<'g, 'b> {
    textures: StageResources<'g>,
    arguments: &'g [u8],
    shared: &'b mut [u8],
    /// The `PRIVATE` memory of the batches that wait at barriers, or of one batch.
    private: &'b mut [u8],
    /// Bytes of one invocation's private memory.
    private_size: usize,
    /// The running batch, among the batches with memory in `private`.
    batch: usize,
}

impl<'g, 'b> BlockResources<'g, 'b> {
    pub(super) fn new(grid: &Grid<'g>, shared: &'b mut [u8], private: &'b mut [u8]) -> Self {
        BlockResources {
            textures: grid.textures,
            arguments: grid.arguments,
            shared,
            private,
            private_size: grid.private,
            batch: 0,
        }
    }

    /// Counts units of work; returns true if the block must stop.
    pub(super) fn stops_after(&mut self, units: u32) -> bool {
        self.textures.work.stops_after(units)
    }

    /// Charges the block's work to the budget.
    pub(super) fn end(&mut self) -> Result<(), PipeError> {
        self.textures.work.take()
    }

    /// Fills the `PRIVATE` memory with zeros.
    pub(super) fn clear_private(&mut self) {
        if DESKTOP {
            self.private.fill(0);
        }
    }

    /// Returns the `PRIVATE` memory of the running batch.
    fn private<R: Lanes>(&mut self) -> PrivateMemory<'_> {
        let size = self.private_size;
        let of_batch = self.private.chunks_exact_mut((size * R::COUNT).max(1)).nth(self.batch);
        PrivateMemory { bytes: of_batch.unwrap_or(&mut []), size }
    }
}

impl<R: Lanes> Resources<R> for BlockResources<'_, '_> {
    fn enter_batch(&mut self, batch: usize) {
        self.batch = batch;
    }

    fn stopped(&mut self, units: u32) -> bool {
        Resources::<R>::stopped(&mut self.textures, units)
    }

    #[cfg(feature = "shader-memory")]
    fn clock(&mut self) -> u64 {
        Resources::<R>::clock(&mut self.textures)
    }

    #[cfg(feature = "compile")]
    fn segment(&mut self, segment: u16, rows: &mut [R], exec: tgsi::exec::Mask) -> Option<u32> {
        self.textures.segment(segment, rows, exec)
    }

    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        self.textures.sample(request, out);
    }

    fn memory(&mut self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        match request.space {
            MemorySpace::Shared => request.access(self.shared, out),
            MemorySpace::Private if DESKTOP => self.private::<R>().access(request, out),
            MemorySpace::Arguments => request.read(self.arguments, out),
            _ => self.textures.memory(request, out),
        }
    }
}
