//! Entry points of compute programs: subroutines at which launches can start. Without the feature
//! `compile` programs start at their first instruction.

use os_shim::Os;
#[cfg(feature = "compile")]
use os_shim::{Vec, pool::RawHandle};
use pipe_core::{PipeError, ShaderSource};
#[cfg(feature = "compile")]
use tgsi::{opcode::Opcode, shader};

#[cfg(feature = "compile")]
use crate::shader::parse;

/// The entry points of a compute program except its first instruction.
#[cfg(feature = "compile")]
#[derive(Debug)]
pub(crate) struct Entries<'m> {
    /// The program, if it has subroutines.
    pub(crate) code: Option<shader::Shader<'m>>,
    /// The compiled entries: instruction and shader.
    pub(crate) compiled: Vec<'m, (u32, RawHandle)>,
}

#[cfg(feature = "compile")]
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

/// No entry points.
#[cfg(not(feature = "compile"))]
#[derive(Debug)]
pub(crate) struct Entries<'m>(core::marker::PhantomData<&'m ()>);

#[cfg(not(feature = "compile"))]
impl<'m> Entries<'m> {
    #[inline(always)]
    pub(crate) fn of(_: &ShaderSource<'_, 'm>, _: Os<'m>) -> Result<Self, PipeError> {
        Ok(Entries(core::marker::PhantomData))
    }
}
