//! The resources of a block's invocations: textures, memory, the memory that the block shares, and
//! the arguments of the launch.

use tgsi::exec::{Lanes, MemoryRequest, MemorySpace, Resources, SampleRequest};

use super::Grid;
use crate::resource::Textures;

/// The resources of a block.
pub(super) struct BlockResources<'g, 'b> {
    textures: Textures<'g>,
    arguments: &'g [u8],
    shared: &'b mut [u8],
}

impl<'g, 'b> BlockResources<'g, 'b> {
    pub(super) fn new(grid: &Grid<'g>, shared: &'b mut [u8]) -> Self {
        BlockResources { textures: grid.textures, arguments: grid.arguments, shared }
    }
}

impl<R: Lanes> Resources<R> for BlockResources<'_, '_> {
    fn stopped(&mut self, turns: u32) -> bool {
        Resources::<R>::stopped(&mut self.textures, turns)
    }

    #[cfg(feature = "shader-memory")]
    fn clock(&mut self) -> u64 {
        Resources::<R>::clock(&mut self.textures)
    }

    #[cfg(feature = "generated")]
    fn segment(&mut self, segment: u16, rows: &mut [R], exec: tgsi::exec::Mask) -> bool {
        self.textures.segment(segment, rows, exec)
    }

    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        self.textures.sample(request, out);
    }

    fn memory(&mut self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        match request.space {
            MemorySpace::Shared => request.access(self.shared, out),
            MemorySpace::Arguments => request.read(self.arguments, out),
            _ => self.textures.memory(request, out),
        }
    }
}
