//! Conway's game of life: the programs, and the objects that compute and draw the cells.
//!
//! A cell is a word that is also a vertex: column, row, 255 if it is alive, 0.

use formats::Format;
use pipe_core::{
    Bind, ComputeState, Context, DrawInfo, DrawStartCount, GridInfo, PipeError, PrimType,
    ResourceHandle, ResourceTemplate, Screen, ShaderBuffer, ShaderHandle, ShaderSource, ShaderType,
    VertexBuffer, VertexElement, VertexElementsHandle,
};
use tgsi_macros::tgsi;

/// Columns and rows of the torus.
const COLUMNS: u32 = 32;
const ROWS: u32 = 24;
const BYTES: u32 = COLUMNS * ROWS * 4;

/// The width of a cell's square, in pixels.
pub(crate) const POINT_SIZE: f32 = 8.0;

/// The generation of the first frame; each further frame of a turn of 36 shows the next generation.
const FIRST: u32 = 1;
const FRAMES: u32 = 36;

tgsi! {
    /// Computes the first generation: three bits of a product of the cell's number decide.
    static SEED: COMP
    DCL SV[0], THREAD_ID
    DCL SV[1], BLOCK_ID
    DCL BUFFER[1]
    DCL TEMP[0..1]
    IMM[0] UINT32 { 32, 4, 2654435761, 29 }
    IMM[1] UINT32 { 3, 16711680, 256, 0 }
    UMAD TEMP[0].x, SV[1].yyyy, IMM[0].xxxx, SV[0].xxxx
    UMUL TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz
    USHR TEMP[0].y, TEMP[0].yyyy, IMM[0].wwww
    USLT TEMP[0].y, TEMP[0].yyyy, IMM[1].xxxx
    AND TEMP[0].y, TEMP[0].yyyy, IMM[1].yyyy
    UMAD TEMP[0].z, SV[1].yyyy, IMM[1].zzzz, SV[0].xxxx
    OR TEMP[0].y, TEMP[0].yyyy, TEMP[0].zzzz
    UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
    STORE BUFFER[1].x, TEMP[0].xxxx, TEMP[0].yyyy
    END
}

tgsi! {
    /// Computes the next generation. `TEMP[0]` has the addresses of the columns left, here and
    /// right, `TEMP[1]` the addresses of the rows above, here and below, `TEMP[2].x` the number of
    /// living neighbours.
    static STEP: COMP
    DCL SV[0], THREAD_ID
    DCL SV[1], BLOCK_ID
    DCL BUFFER[0]
    DCL BUFFER[1]
    DCL TEMP[0..6]
    IMM[0] UINT32 { 31, 0, 1, 4 }
    IMM[1] UINT32 { 23, 0, 1, 24 }
    IMM[2] UINT32 { 128, 16, 1, 256 }
    IMM[3] UINT32 { 3, 16711680, 65535, 2 }
    UADD TEMP[0].xyz, SV[0].xxxx, IMM[0]
    AND TEMP[0].xyz, TEMP[0], IMM[0].xxxx
    UMUL TEMP[0].xyz, TEMP[0], IMM[0].wwww
    UADD TEMP[1].xyz, SV[1].yyyy, IMM[1]
    UMOD TEMP[1].xyz, TEMP[1], IMM[1].wwww
    UMUL TEMP[1].xyz, TEMP[1], IMM[2].xxxx
    UADD TEMP[3].xyz, TEMP[0], TEMP[1].xxxx
    UADD TEMP[4].xyz, TEMP[0], TEMP[1].yyyy
    UADD TEMP[5].xyz, TEMP[0], TEMP[1].zzzz
    LOAD TEMP[2].x, BUFFER[0], TEMP[3].xxxx
    USHR TEMP[2].x, TEMP[2].xxxx, IMM[2].yyyy
    AND TEMP[2].x, TEMP[2].xxxx, IMM[2].zzzz
    LOAD TEMP[6].x, BUFFER[0], TEMP[3].yyyy
    USHR TEMP[6].x, TEMP[6].xxxx, IMM[2].yyyy
    AND TEMP[6].x, TEMP[6].xxxx, IMM[2].zzzz
    UADD TEMP[2].x, TEMP[2].xxxx, TEMP[6].xxxx
    LOAD TEMP[6].x, BUFFER[0], TEMP[3].zzzz
    USHR TEMP[6].x, TEMP[6].xxxx, IMM[2].yyyy
    AND TEMP[6].x, TEMP[6].xxxx, IMM[2].zzzz
    UADD TEMP[2].x, TEMP[2].xxxx, TEMP[6].xxxx
    LOAD TEMP[6].x, BUFFER[0], TEMP[4].xxxx
    USHR TEMP[6].x, TEMP[6].xxxx, IMM[2].yyyy
    AND TEMP[6].x, TEMP[6].xxxx, IMM[2].zzzz
    UADD TEMP[2].x, TEMP[2].xxxx, TEMP[6].xxxx
    LOAD TEMP[6].x, BUFFER[0], TEMP[4].zzzz
    USHR TEMP[6].x, TEMP[6].xxxx, IMM[2].yyyy
    AND TEMP[6].x, TEMP[6].xxxx, IMM[2].zzzz
    UADD TEMP[2].x, TEMP[2].xxxx, TEMP[6].xxxx
    LOAD TEMP[6].x, BUFFER[0], TEMP[5].xxxx
    USHR TEMP[6].x, TEMP[6].xxxx, IMM[2].yyyy
    AND TEMP[6].x, TEMP[6].xxxx, IMM[2].zzzz
    UADD TEMP[2].x, TEMP[2].xxxx, TEMP[6].xxxx
    LOAD TEMP[6].x, BUFFER[0], TEMP[5].yyyy
    USHR TEMP[6].x, TEMP[6].xxxx, IMM[2].yyyy
    AND TEMP[6].x, TEMP[6].xxxx, IMM[2].zzzz
    UADD TEMP[2].x, TEMP[2].xxxx, TEMP[6].xxxx
    LOAD TEMP[6].x, BUFFER[0], TEMP[5].zzzz
    USHR TEMP[6].x, TEMP[6].xxxx, IMM[2].yyyy
    AND TEMP[6].x, TEMP[6].xxxx, IMM[2].zzzz
    UADD TEMP[2].x, TEMP[2].xxxx, TEMP[6].xxxx
    LOAD TEMP[6].x, BUFFER[0], TEMP[4].yyyy
    AND TEMP[6].y, TEMP[6].xxxx, IMM[3].zzzz
    USHR TEMP[6].x, TEMP[6].xxxx, IMM[2].yyyy
    AND TEMP[6].x, TEMP[6].xxxx, IMM[2].zzzz
    OR TEMP[2].x, TEMP[2].xxxx, TEMP[6].xxxx
    USEQ TEMP[2].x, TEMP[2].xxxx, IMM[3].xxxx
    AND TEMP[2].x, TEMP[2].xxxx, IMM[3].yyyy
    OR TEMP[2].x, TEMP[2].xxxx, TEMP[6].yyyy
    STORE BUFFER[1].x, TEMP[4].yyyy, TEMP[2].xxxx
    END
}

tgsi! {
    /// The centre of a cell; beyond the far plane if it is dead. Row and column determine the
    /// colour.
    pub(crate) static CELL_VERTEX: VERT
    DCL IN[0]
    DCL OUT[0], POSITION
    DCL OUT[1].xyz, GENERIC[0]
    DCL TEMP[0]
    IMM[0] FLT32 { 15.9375, -21.25, -0.96875, 0.9583333 }
    IMM[1] FLT32 { -2.0, 2.0, 0.0, 1.0 }
    IMM[2] FLT32 { 4.0, 8.0, 0.3, 0.9 }
    MAD OUT[0].xy, IN[0], IMM[0], IMM[0].zwww
    MAD OUT[0].z, IN[0].zzzz, IMM[1].xxxx, IMM[1].yyyy
    MOV OUT[0].w, IMM[1].wwww
    MAD OUT[1].x, IN[0].xxxx, IMM[2].xxxx, IMM[2].zzzz
    MAD OUT[1].y, IN[0].yyyy, IMM[2].yyyy, IMM[2].zzzz
    MOV OUT[1].z, IMM[2].wwww
    END
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
