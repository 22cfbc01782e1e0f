//! The textures and the memory that the programs of a stage can access beyond their registers.

use tgsi::exec::{MemoryRequest, Resources, SampleRequest};
use tgsi::shader::Processor;

use crate::memory::StageMemory;
use crate::texture::Textures;

/// The textures and the memory of one stage.
#[derive(Debug)]
pub(crate) struct Reach<'a, 'm> {
    pub(crate) textures: Textures<'m>,
    pub(crate) memory: StageMemory<'a, 'm>,
}

/// The stages up to the last one before the rasterizer. They run in turn.
#[derive(Debug)]
pub(crate) struct VertexReach<'r, 'a, 'm> {
    pub(crate) vertex: &'r Reach<'a, 'm>,
    pub(crate) control: &'r Reach<'a, 'm>,
    pub(crate) evaluation: &'r Reach<'a, 'm>,
    pub(crate) geometry: &'r Reach<'a, 'm>,
    /// The stage that is running.
    pub(crate) stage: Processor,
}

impl<'r, 'a, 'm> VertexReach<'r, 'a, 'm> {
    fn current(&self) -> &'r Reach<'a, 'm> {
        match self.stage {
            Processor::Geometry => self.geometry,
            Processor::TessControl => self.control,
            Processor::TessEval => self.evaluation,
            Processor::Vertex | Processor::Fragment | Processor::Compute => self.vertex,
        }
    }
}

impl Resources<[u32; 4]> for VertexReach<'_, '_, '_> {
    fn sample(&mut self, request: &SampleRequest<'_, [u32; 4]>, out: &mut [[u32; 4]; 4]) {
        self.current().textures.answer(0, request, out);
    }

    fn memory(&mut self, request: &MemoryRequest<'_, [u32; 4]>, out: &mut [[u32; 4]; 4]) {
        self.current().memory.answer(request, out);
    }

    fn enter_stage(&mut self, stage: Processor) {
        self.stage = stage;
    }
}
