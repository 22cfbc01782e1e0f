//! Shaders for contexts: stages, code, stream output, compute grids.

use core::fmt;
use core::ops::{Index, IndexMut};

use tgsi::program::Program;

use crate::limits::MAX_SO_BUFFERS;
use crate::numbered::numbered;

numbered! {
    /// A shader stage. `PIPE_SHADER_*`; numbers are the virgl wire's.
    pub enum ShaderType {
        /// Runs once per vertex.
        Vertex = 0,
        /// Runs once per fragment (or once per sample, see `set_min_samples`).
        Fragment = 1,
        /// Runs once per primitive.
        Geometry = 2,
        /// Runs once per vertex of an output patch.
        TessCtrl = 3,
        /// Runs once per vertex of a tessellated patch.
        TessEval = 4,
        /// Runs once per element of a grid.
        Compute = 5,
    }
}

impl ShaderType {
    /// Number of stages.
    pub const COUNT: usize = Self::ALL.len();

    /// Returns the TGSI processor of the stage.
    pub const fn processor(self) -> tgsi::shader::Processor {
        use tgsi::shader::Processor;
        match self {
            Self::Vertex => Processor::Vertex,
            Self::Fragment => Processor::Fragment,
            Self::Geometry => Processor::Geometry,
            Self::TessCtrl => Processor::TessControl,
            Self::TessEval => Processor::TessEval,
            Self::Compute => Processor::Compute,
        }
    }
}

/// One value per shader stage, indexed by the stage.
///
/// ```
/// use gallium_pipe_core::{PerStage, ShaderType};
///
/// let mut bound = PerStage::<Option<u32>>::default();
/// bound[ShaderType::Fragment] = Some(7);
/// assert_eq!(bound[ShaderType::Vertex], None);
/// assert_eq!(bound.0.iter().flatten().count(), 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PerStage<T>(pub [T; ShaderType::COUNT]);

impl<T> Index<ShaderType> for PerStage<T> {
    type Output = T;

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the stages' numbers are 0 to COUNT - 1")]
    fn index(&self, stage: ShaderType) -> &T {
        &self.0[stage as usize]
    }
}

impl<T> IndexMut<ShaderType> for PerStage<T> {
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the stages' numbers are 0 to COUNT - 1")]
    fn index_mut(&mut self, stage: ShaderType) -> &mut T {
        &mut self.0[stage as usize]
    }
}

/// The code of a shader, in one of three forms.
#[derive(Clone, Copy)]
pub enum ShaderSource<'t, 'm> {
    /// TGSI text, read before the call returns.
    Text(&'t str),
    /// TGSI binary tokens, read before the call returns.
    Tokens(&'t [u32]),
    /// A compiled program, such as `tgsi!` places in flash; used in place.
    Program(&'m Program<'m>),
}

impl fmt::Debug for ShaderSource<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Self::Tokens(tokens) => write!(f, "{} tokens", tokens.len()),
            Self::Program(program) => {
                write!(
                    f,
                    "program of {} ops",
                    program.preamble.len().saturating_add(program.body.len())
                )
            }
        }
    }
}

/// A shader to create: code, and the outputs that are streamed. `pipe_shader_state`.
#[derive(Clone, Copy, Debug)]
pub struct ShaderState<'t, 'm> {
    /// The code.
    pub source: ShaderSource<'t, 'm>,
    /// The outputs for stream output; used only in the last vertex stage.
    pub stream_output: StreamOutputInfo<'t>,
}

impl<'t, 'm> ShaderState<'t, 'm> {
    /// Returns a shader of TGSI text, without stream output.
    pub const fn text(text: &'t str) -> Self {
        Self { source: ShaderSource::Text(text), stream_output: StreamOutputInfo::NONE }
    }

    /// Returns a shader of binary tokens, without stream output.
    pub const fn tokens(tokens: &'t [u32]) -> Self {
        Self { source: ShaderSource::Tokens(tokens), stream_output: StreamOutputInfo::NONE }
    }

    /// Returns a shader of a compiled program, without stream output.
    pub const fn program(program: &'m Program<'m>) -> Self {
        Self { source: ShaderSource::Program(program), stream_output: StreamOutputInfo::NONE }
    }
}

/// One shader output for a stream output buffer. `pipe_stream_output`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct StreamOutput {
    /// Index of the `OUT` register.
    pub register_index: u8,
    /// First component that is written, 0 to 3.
    pub start_component: u8,
    /// Number of components that are written.
    pub num_components: u8,
    /// Index of the stream output target.
    pub output_buffer: u8,
    /// Offset in a vertex's record, in 32-bit words.
    pub dst_offset: u16,
    /// Vertex stream that the output belongs to.
    pub stream: u8,
}

/// The layout of stream output. `pipe_stream_output_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StreamOutputInfo<'t> {
    /// Size of a vertex's record in each target, in 32-bit words.
    pub stride: [u16; MAX_SO_BUFFERS],
    /// The outputs that are streamed.
    pub outputs: &'t [StreamOutput],
}

impl StreamOutputInfo<'_> {
    /// No stream output.
    pub const NONE: Self = Self { stride: [0; MAX_SO_BUFFERS], outputs: &[] };
}

/// A compute program to create. `pipe_compute_state`.
#[derive(Clone, Copy, Debug)]
pub struct ComputeState<'t, 'm> {
    /// The code.
    pub source: ShaderSource<'t, 'm>,
    /// Size of the memory that a block shares (`LOCAL`), in bytes.
    pub static_shared_mem: u32,
    /// Size of the memory of one invocation (`PRIVATE`), in bytes. Accesses beyond it read 0 and write
    /// nothing.
    pub req_private_mem: u32,
    /// Size of the memory initialised at launch (`INPUT`), in bytes. Accesses beyond it read 0.
    pub req_input_mem: u32,
}

/// The grid that one launch runs. `pipe_grid_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GridInfo<'a> {
    /// The instruction of the program to start at: 0, or the label of a subroutine (the index of
    /// its `BGNSUB`). The program ends where the subroutine returns.
    pub pc: u32,
    /// Contents of `INPUT` memory, at least as many bytes as the program requires.
    pub input: &'a [u8],
    /// Number of dimensions used, 1 to 3.
    pub work_dim: u8,
    /// Number of invocations of a block, by dimension.
    pub block: [u32; 3],
    /// Number of invocations of the last block, by dimension; 0 means the number in `block`.
    pub last_block: [u32; 3],
    /// Number of blocks, by dimension.
    pub grid: [u32; 3],
    /// Number of the first block, by dimension.
    pub grid_base: [u32; 3],
    /// Size of the memory that a block shares in addition to the program's, in bytes.
    pub variable_shared_mem: u32,
    /// A buffer and an offset in bytes: three little-endian words there replace `grid`.
    pub indirect: Option<(crate::handle::ResourceHandle, u32)>,
}

impl Default for GridInfo<'_> {
    /// Returns one block of one invocation.
    fn default() -> Self {
        Self {
            pc: 0,
            input: &[],
            work_dim: 3,
            block: [1; 3],
            last_block: [0; 3],
            grid: [1; 3],
            grid_base: [0; 3],
            variable_shared_mem: 0,
            indirect: None,
        }
    }
}
