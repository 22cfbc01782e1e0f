//! Conway's game of life: the programs, and the objects that compute and draw the cells.
//!
//! A cell is a word that is also a vertex: column, row, 255 if it is alive, 0.

use formats::Format;
use pipe_core::{
    Bind, ComputeState, Context, DrawInfo, DrawStartCount, GridInfo, PipeError, PrimType,
    ResourceHandle, ResourceTemplate, Screen, ShaderBuffer, ShaderHandle, ShaderSource, ShaderType,
    VertexBuffer, VertexElement, VertexElementsHandle,
};
use wgsl::wgsl;

/// Columns and rows of the torus.
const COLUMNS: u32 = 32;
const ROWS: u32 = 24;
const BYTES: u32 = COLUMNS * ROWS * 4;

/// The width of a cell's square, in pixels.
pub(crate) const POINT_SIZE: f32 = 8.0;

/// The generation of the first frame; each further frame of a turn of 36 shows the next generation.
const FIRST: u32 = 1;
const FRAMES: u32 = 36;

wgsl! {
    /// Computes the first generation.
    static SEED: "shaders/life.wgsl" => seed;

    /// Computes the next generation.
    static STEP: "shaders/life.wgsl" => step;

    /// The centre of a cell; beyond the far plane if it is dead.
    pub(crate) static CELL_VERTEX: "shaders/life.wgsl" => cell_vertex;
}

/// The objects of the cells.
pub(crate) struct Life {
    /// The generation to draw, and the generation to compute.
    cells: [Option<ResourceHandle>; 2],
    seed: Option<ShaderHandle>,
    step: Option<ShaderHandle>,
}

impl Life {
    pub(crate) const NONE: Life = Life { cells: [None; 2], seed: None, step: None };

    /// Creates the objects. Objects created before an error are kept for [`Life::destroy`].
    pub(crate) fn build<'m>(
        &mut self,
        screen: &(impl Screen<'m> + ?Sized),
        context: &mut (impl Context<'m> + ?Sized),
    ) -> Result<VertexElementsHandle, PipeError> {
        for cells in &mut self.cells {
            let bind = Bind::SHADER_BUFFER | Bind::VERTEX_BUFFER;
            *cells = Some(screen.resource_create(&ResourceTemplate::buffer(BYTES, bind))?);
        }
        for (slot, program) in [(&mut self.seed, &SEED), (&mut self.step, &STEP)] {
            let state = ComputeState {
                source: ShaderSource::Program(program),
                static_shared_mem: 0,
                req_private_mem: 0,
                req_input_mem: 0,
            };
            *slot = Some(context.create_compute_state(&state)?);
        }
        context.create_vertex_elements_state(&[VertexElement::per_vertex(0, Format::R8G8B8A8Unorm)])
    }

    /// Computes the generation for a turntable's position, in turns, from the first generation on;
    /// returns its cells.
    pub(crate) fn compute<'m>(
        &self,
        context: &mut (impl Context<'m> + ?Sized),
        turns: f32,
    ) -> Result<Option<ResourceHandle>, PipeError> {
        let [mut now, mut next] = self.cells;
        let mut program = self.seed;
        let frame = (turns * FRAMES as f32 + 0.5) as u32 % FRAMES;
        for _ in 0..=FIRST + frame {
            let views = [now, next].map(|cells| {
                cells.map(|resource| ShaderBuffer {
                    resource,
                    buffer_offset: 0,
                    buffer_size: BYTES,
                })
            });
            context.set_shader_buffers(ShaderType::Compute, 0, &views, 0b10)?;
            context.bind_compute_state(program)?;
            let grid =
                GridInfo { block: [COLUMNS, 1, 1], grid: [1, ROWS, 1], ..GridInfo::default() };
            context.launch_grid(&grid)?;
            (now, next) = (next, now);
            program = self.step;
        }
        context.bind_compute_state(None)?;
        context.set_shader_buffers(ShaderType::Compute, 0, &[None; 2], 0)?;
        Ok(now)
    }

    /// Draws the cells, one point per cell.
    pub(crate) fn draw<'m>(
        context: &mut (impl Context<'m> + ?Sized),
        cells: ResourceHandle,
    ) -> Result<(), PipeError> {
        let buffer = VertexBuffer { resource: cells, stride: 4, buffer_offset: 0 };
        context.set_vertex_buffers(0, &[Some(buffer)])?;
        let count = DrawStartCount::count(COLUMNS * ROWS);
        context.draw_vbo(&DrawInfo::new(PrimType::Points), None, &[count])
    }

    /// Destroys the objects, which must not be bound.
    pub(crate) fn destroy<'m>(
        &self,
        screen: &(impl Screen<'m> + ?Sized),
        context: &mut (impl Context<'m> + ?Sized),
    ) {
        let _ = context.bind_compute_state(None);
        let _ = context.set_shader_buffers(ShaderType::Compute, 0, &[None; 2], 0);
        for program in [self.seed, self.step].into_iter().flatten() {
            let _ = context.delete_compute_state(program);
        }
        for cells in self.cells.into_iter().flatten() {
            let _ = screen.resource_destroy(cells);
        }
    }
}
