//! Entry points of compute programs: subroutines at which launches can start.

use os_shim::pool::RawHandle;
use os_shim::{Os, Vec};
use pipe_core::{PipeError, ShaderSource};
use tgsi::opcode::Opcode;
use tgsi::shader;

use crate::shader::parse;

/// The entry points of a compute program except its first instruction.
#[derive(Debug)]
pub(crate) struct Entries<'m> {
    /// The program, if it has subroutines.
    pub(crate) code: Option<shader::Shader<'m>>,
    /// The compiled entries: instruction and shader.
    pub(crate) compiled: Vec<'m, (u32, RawHandle)>,
}

impl<'m> Entries<'m> {
    /// Returns the entry points of a program. None of them is compiled yet.
    ///
    /// # Errors
    /// The errors of [`parse`].
    pub(crate) fn of(source: &ShaderSource<'_, 'm>, os: Os<'m>) -> Result<Self, PipeError> {
        let code = parse(source, os)?.filter(|code| {
            let mut instructions = code.instructions().iter();
            instructions.any(|instruction| instruction.opcode == Opcode::Bgnsub)
        });
        Ok(Entries { code, compiled: Vec::new_in(os.memory) })
    }
}
