//! Programs with machine code generated at run time: the traits between a code generator and the
//! callers of programs.
//!
//! Generated code replaces only runs of arithmetic ops. In the new body each such run is one
//! [`Segment`](super::OpCode::Segment) op. The interpreter runs this body like any other; it calls
//! [`Resources::segment`](super::Resources::segment) for the segments and runs the remaining ops
//! itself.

use super::lanes::Mask;
use super::program::{Op, Program};
use core::fmt::Debug;
use os_shim::{Box, Memory};

/// The number of lanes per row that code is generated for.
pub const GENERATED_LANES: usize = 64;

/// A generator of machine code.
pub trait Generate: Sync + Debug {
    /// Returns a place for a program's code, or `None` if the program gets no code. The code itself
    /// may be made much later. It counts against the limit of `memory`.
    fn generate<'m>(
        &self,
        program: &Program<'_>,
        memory: Memory<'m>,
    ) -> Option<Box<'m, dyn Generated + 'm>>;
}

/// The code of one program, for rows of [`GENERATED_LANES`] lanes.
pub trait Generated: Send + Sync + Debug {
    /// Returns the body to run in place of the program's body; `None` while the program has not run
    /// often enough to profit from code. Call it once per batch.
    ///
    /// * `program`: the program that was passed to [`Generate::generate`].
    fn body(&self, program: &Program<'_>) -> Option<&[Op]>;

    /// Runs a segment of that body on a register file, for the lanes of `exec`. Returns the units
    /// of work that it took (see [`Resources::stopped`](super::Resources::stopped)), or `None` if
    /// there is no such segment or the file is too small.
    fn run(&self, segment: u16, rows: &mut [u32], exec: Mask) -> Option<u32>;
}
