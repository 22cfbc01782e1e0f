//! The properties of compute programs that are not in their code.

use os_shim::Vec;
use os_shim::memory::Memory;
use os_shim::pool::RawHandle;

use super::entries::Entries;

/// The compute programs of a context.
#[derive(Debug)]
pub(crate) struct ComputePrograms<'m>(Vec<'m, ComputeProgram<'m>>);

/// The properties of a compute program that are not in its code.
#[derive(Debug)]
pub(crate) struct ComputeProgram<'m> {
    pub(crate) shader: RawHandle,
    /// Bytes of `SHARED` memory of a block.
    pub(crate) shared: u32,
    /// Bytes of `PRIVATE` memory of one invocation.
    pub(crate) private: u32,
    /// Bytes of `INPUT` memory.
    pub(crate) input: u32,
    pub(crate) entries: Entries<'m>,
}

impl<'m> ComputePrograms<'m> {
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        ComputePrograms(Vec::new_in(memory))
    }

    /// Makes room for one more program.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn try_reserve(&mut self) -> Result<(), os_shim::memory::OutOfMemory> {
        self.0.try_reserve(1)
    }

    /// Adds a program, for which there is room.
    pub(crate) fn add(&mut self, program: ComputeProgram<'m>) {
        let _ = self.0.push_within_capacity(program);
    }

    /// Removes a shader's program.
    pub(crate) fn remove(&mut self, shader: RawHandle) -> Option<ComputeProgram<'m>> {
        let at = self.0.iter().position(|program| program.shader == shader)?;
        Some(self.0.swap_remove(at))
    }

    /// Returns the properties of a program.
    pub(crate) fn get(&self, shader: RawHandle) -> Option<&ComputeProgram<'m>> {
        self.0.iter().find(|program| program.shader == shader)
    }

    /// Returns the entry points of a program.
    #[cfg(feature = "compile")]
    pub(crate) fn entries(&mut self, shader: RawHandle) -> Option<&mut Entries<'m>> {
        let mut programs = self.0.iter_mut();
        programs.find(|program| program.shader == shader).map(|program| &mut program.entries)
    }
}
