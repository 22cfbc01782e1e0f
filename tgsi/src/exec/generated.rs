//! Programs whose arithmetic is machine code made at run time: what a code generator offers, and
//! what those who run programs need of it.
//!
//! Generated code stands for runs of arithmetic ops only. A body in which each such run is one
//! [`Segment`](super::OpCode::Segment) op goes through the interpreter as any other, which asks
//! [`Resources::segment`](super::Resources::segment) for the segments and does all else itself.

use super::lanes::Mask;
use super::program::{Op, Program};
use core::fmt::Debug;
use os_shim::{Box, Memory};

/// The lanes of the rows that code is generated for.
pub const GENERATED_LANES: usize = 64;

/// A generator of machine code.
pub trait Generate: Sync + Debug {
    /// Returns the place for a program's code, which may be made much later; `None` if the program
    /// gets none. Code counts against the limit of `memory`.
    fn generate<'m>(
        &self,
        program: &Program<'_>,
        memory: Memory<'m>,
    ) -> Option<Box<'m, dyn Generated + 'm>>;
}

/// The code of one program, for rows of [`GENERATED_LANES`] lanes.
pub trait Generated: Send + Sync + Debug {
    /// Returns the body to run in place of the program's own; `None` while the program has run too
    /// seldom for code to pay. Ask once a batch.
    ///
    /// * `program`: the program that the place was made for.
    fn body(&self, program: &Program<'_>) -> Option<&[Op]>;

    /// Runs a segment of that body on a register file, for the lanes of `exec`; returns the units of work
    /// that it took (see [`Resources::stopped`](super::Resources::stopped)), or `None` if there is no such
    /// segment or the file is too small.
    fn run(&self, segment: u16, rows: &mut [u32], exec: Mask) -> Option<u32>;
}
