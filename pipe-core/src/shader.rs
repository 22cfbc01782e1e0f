//! Shaders as a context takes them.

use core::fmt;

use tgsi::program::Program;

use crate::limits::MAX_SO_BUFFERS;
use crate::numbered::numbered;

numbered! {
    /// A shader stage. `PIPE_SHADER_*`; numbers are the virgl wire's.
    pub enum ShaderType {
        /// Once a vertex.
        Vertex = 0,
        /// Once a fragment.
        Fragment = 1,
        /// Once a primitive.
        Geometry = 2,
        /// Once a vertex of an output patch.
        TessCtrl = 3,
        /// Once a tessellated vertex.
        TessEval = 4,
        /// Once a grid element.
        Compute = 5,
    }
}

impl ShaderType {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// The stage as TGSI names it.
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

/// A shader's code, in one of the forms it may come in.
#[derive(Clone, Copy)]
pub enum ShaderSource<'t, 'm> {
    /// TGSI text; read before the call returns.
    Text(&'t str),
    /// TGSI binary tokens; read before the call returns.
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
                write!(f, "program of {} ops", program.preamble.len() + program.body.len())
            }
        }
    }
}

/// `pipe_shader_state`.
#[derive(Clone, Copy, Debug)]
pub struct ShaderState<'t, 'm> {
    /// The code.
    pub source: ShaderSource<'t, 'm>,
    /// What goes to stream output; of the last vertex stage only.
    pub stream_output: StreamOutputInfo<'t>,
}

impl<'t, 'm> ShaderState<'t, 'm> {
    /// A shader from TGSI text, without stream output.
    pub const fn text(text: &'t str) -> Self {
        Self { source: ShaderSource::Text(text), stream_output: StreamOutputInfo::NONE }
    }

    /// A compiled shader, without stream output.
    pub const fn program(program: &'m Program<'m>) -> Self {
        Self { source: ShaderSource::Program(program), stream_output: StreamOutputInfo::NONE }
    }
}

/// One shader output that goes to a stream output buffer. `pipe_stream_output`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct StreamOutput {
    /// The `OUT` register.
    pub register_index: u8,
    /// The first component written.
    pub start_component: u8,
    /// How many components.
    pub num_components: u8,
    /// The buffer.
    pub output_buffer: u8,
    /// Where in a vertex's record, in words.
    pub dst_offset: u16,
    /// The vertex stream it is of.
    pub stream: u8,
}

/// `pipe_stream_output_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StreamOutputInfo<'t> {
    /// The size of a vertex's record in each buffer, in words.
    pub stride: [u16; MAX_SO_BUFFERS],
    /// The outputs.
    pub outputs: &'t [StreamOutput],
}

impl StreamOutputInfo<'_> {
    /// Nothing is streamed.
    pub const NONE: Self = Self { stride: [0; MAX_SO_BUFFERS], outputs: &[] };
}

/// `pipe_compute_state`.
#[derive(Clone, Copy, Debug)]
pub struct ComputeState<'t, 'm> {
    /// The code.
    pub source: ShaderSource<'t, 'm>,
    /// Memory shared by a block, in bytes (`LOCAL`).
    pub static_shared_mem: u32,
    /// Memory of one invocation, in bytes (`PRIVATE`).
    pub req_private_mem: u32,
    /// Memory initialised at launch, in bytes (`INPUT`).
    pub req_input_mem: u32,
}

/// `pipe_grid_info`: what one dispatch runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GridInfo<'a> {
    /// Where in the program to start.
    pub pc: u32,
    /// What `INPUT` memory holds.
    pub input: &'a [u8],
    /// Dimensions used, 1 to 3.
    pub work_dim: u8,
    /// Invocations of a block, by dimension.
    pub block: [u32; 3],
    /// Invocations of the last block; 0: like the others.
    pub last_block: [u32; 3],
    /// Blocks, by dimension.
    pub grid: [u32; 3],
    /// The first block's number, by dimension.
    pub grid_base: [u32; 3],
    /// Shared memory a block beyond what the program asks for, in bytes.
    pub variable_shared_mem: u32,
    /// A buffer and byte offset of three words that replace `grid`.
    pub indirect: Option<(crate::handle::ResourceHandle, u32)>,
}

impl Default for GridInfo<'_> {
    /// One block of one invocation.
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
