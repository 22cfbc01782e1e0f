//! Entry points of compute programs: subroutines at which launches can start.

use os_shim::pool::RawHandle;
use os_shim::{Os, Vec};
use pipe_core::{PipeError, ShaderSource, ShaderType, StreamOutputInfo};
use tgsi::opcode::Opcode;
use tgsi::shader;

use super::Context;
use crate::profile::Profile;
use crate::shader::{Shader, parse};

/// The error for a `pc` at which no subroutine begins.
const NO_ENTRY: PipeError =
    PipeError::Invalid("a pc at which no subroutine of the compute program begins");

/// The entry points of a compute program except its first instruction.
#[derive(Debug)]
pub(super) struct Entries<'m> {
    /// The program, if it has subroutines.
    code: Option<shader::Shader<'m>>,
    /// The compiled entries: instruction and shader.
    compiled: Vec<'m, (u32, RawHandle)>,
}

impl<'m> Entries<'m> {
    /// Returns the entry points of a program. None of them is compiled yet.
    ///
    /// # Errors
    /// The errors of [`parse`].
    pub(super) fn of(source: &ShaderSource<'_, 'm>, os: Os<'m>) -> Result<Self, PipeError> {
        let code = parse(source, os)?.filter(|code| {
            let mut instructions = code.instructions().iter();
            instructions.any(|instruction| instruction.opcode == Opcode::Bgnsub)
        });
        Ok(Entries { code, compiled: Vec::new_in(os.memory) })
    }
}

impl<'m, P: Profile> Context<'_, 'm, P> {
    /// Returns the shader that runs a compute program from the instruction `pc` on. The first
    /// launch at a subroutine compiles it.
    ///
    /// # Errors
    /// No subroutine begins there, or it does not compile; out of memory.
    pub(super) fn entry(&mut self, shader: RawHandle, pc: u32) -> Result<RawHandle, PipeError> {
        if pc == 0 {
            return Ok(shader);
        }
        let entries = self.entries(shader).ok_or(NO_ENTRY)?;
        if let Some((_, entry)) = entries.compiled.iter().find(|(entry, _)| *entry == pc) {
            return Ok(*entry);
        }
        entries.compiled.try_reserve(1)?;
        let (generator, debug, os) = (self.device.generator, self.device.debug, self.os);
        let code =
            self.entries(shader).and_then(|entries| entries.code.as_ref()).ok_or(NO_ENTRY)?;
        let compiled = Shader::of(code, pc, generator, debug, os)?;
        let none = StreamOutputInfo::NONE;
        let entry = self.add_shader(ShaderType::Compute, compiled, &none)?.raw();
        if let Some(entries) = self.entries(shader) {
            let _ = entries.compiled.push_within_capacity((pc, entry));
        }
        Ok(entry)
    }

    /// Removes the shaders of a program's entries.
    pub(super) fn remove_entries(&mut self, entries: Entries<'m>) {
        for (_, entry) in entries.compiled.iter() {
            // The program is removed, so no flush in flight uses the entries.
            if let Ok(shaders) = self.shaders_mut() {
                shaders.remove(*entry);
            }
            self.streams.remove_shader(*entry);
        }
    }

    fn entries(&mut self, shader: RawHandle) -> Option<&mut Entries<'m>> {
        let mut programs = self.compute.programs.iter_mut();
        programs.find(|program| program.shader == shader).map(|program| &mut program.entries)
    }
}
