//! Machine code at run time for lane programs, on x86-64 hosts with AVX2 or AVX-512.
//!
//! The interpreter of [`tgsi::exec`] dispatches each op once per batch, and each op reads and
//! writes rows of 64 lanes in memory. This crate compiles *segments*: runs of arithmetic ops
//! without a branch or a lookup between them. A segment's code takes eight or sixteen lanes at a
//! time through all its ops and keeps values in vector registers from op to op. Control flow,
//! textures, memory accesses and functions that need many instructions stay with the interpreter,
//! which calls a segment as one op. Lanes get the same bits in both cases: code uses the operations
//! of [`tgsi::exec::scalar`], in the same order, and fuses nothing. The exception is NaNs: a NaN
//! stays a NaN, but its sign and payload may differ.
//!
//! | module | |
//! |---|---|
//! | `segments` | the segments of a program's body, and the body that calls them |
//! | `registers` | assigns rows to vector registers |
//! | `recipe` | the ops that code is made for, and the instructions they consist of |
//! | `emit` | the instructions of one op |
//! | `assembler` | encodes instructions as bytes |
//! | `arena` | memory that is writable, then executable, never both |
//! | `executable` | the code of a program in that memory, and calls of it |
//!
//! ```
//! # use gallium_codegen::Generator;
//! # use os_shim::Memory;
//! # use tgsi::{compile::*, exec::{self, *}, text};
//! let memory = Memory::system();
//! let text = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMAD OUT[0], IN[0], IN[0], IN[0]\nEND";
//! let compiled = compile(&text::parse(text, memory)?, &CompileOptions::DEFAULT, memory)?;
//! let program = compiled.program();
//!
//! let Some(generator) = Generator::new() else { return Ok(()) };
//! let code = generator.after(0).generate(&program, memory).expect("a fragment program gets code");
//! let body = code.body(&program).expect("it is made at once");
//! assert!(body.iter().any(|op| op.code == OpCode::Segment));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, clippy::expect_used)
)]

#[cfg(all(unix, target_arch = "x86_64"))]
mod arena;
#[cfg(all(unix, target_arch = "x86_64"))]
mod assembler;
#[cfg(all(unix, target_arch = "x86_64"))]
mod code;
#[cfg(all(unix, target_arch = "x86_64"))]
mod emit;
#[cfg(all(unix, target_arch = "x86_64"))]
mod executable;
mod instructions;
#[cfg(all(unix, target_arch = "x86_64"))]
mod recipe;
#[cfg(all(unix, target_arch = "x86_64"))]
mod registers;
#[cfg(all(unix, target_arch = "x86_64"))]
mod segments;

pub use instructions::Instructions;
use os_shim::{Box, Memory};
use tgsi::exec::{Generate, Generated};
use tgsi::program::Program;

/// The number of batches that a program runs interpreted before it is compiled. Compiling takes
/// about as long as code saves in this many batches.
#[cfg(all(unix, target_arch = "x86_64"))]
const BATCHES_BEFORE_CODE: u32 = 1000;

/// The turns that a batch is assumed to take through a program's loops.
#[cfg(all(unix, target_arch = "x86_64"))]
const TURNS_OF_LOOPS: u32 = 64;

/// A generator for the machine it was made on.
/// Clones share the memory that their programs' code lies in, at most 64 MiB. Programs beyond that
/// limit are interpreted. Give each untrusted client a separate generator.
#[derive(Clone, Debug)]
#[cfg_attr(not(all(unix, target_arch = "x86_64")), expect(dead_code, reason = "none is made"))]
pub struct Generator {
    #[cfg(all(unix, target_arch = "x86_64"))]
    arena: std::sync::Arc<arena::Arena>,
    instructions: Instructions,
    batches_before_code: u32,
}

impl Generator {
    /// Returns a generator for the machine's widest vector instructions; `None` if it has neither
    /// AVX2 nor AVX-512. The generator compiles a program after the program has run often enough to
    /// profit from it.
    pub fn new() -> Option<Generator> {
        Generator::with(Instructions::Avx512).or_else(|| Generator::with(Instructions::Avx2))
    }

    /// Returns a generator for these instructions; `None` if the machine lacks them.
    #[cfg(all(unix, target_arch = "x86_64"))]
    pub fn with(instructions: Instructions) -> Option<Generator> {
        let available = match instructions {
            Instructions::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            Instructions::Avx512 => std::arch::is_x86_feature_detected!("avx512f"),
        };
        available.then(|| Generator {
            arena: std::sync::Arc::default(),
            instructions,
            batches_before_code: BATCHES_BEFORE_CODE,
        })
    }

    /// Returns `None`: code is generated for x86-64 only.
    #[cfg(not(all(unix, target_arch = "x86_64")))]
    pub fn with(_: Instructions) -> Option<Generator> {
        None
    }

    /// Sets the number of batches after which a program without loops is compiled; one with loops is
    /// compiled earlier. Use 0, at once, for tests and measurements.
    #[must_use]
    pub fn after(self, batches: u32) -> Generator {
        Generator { batches_before_code: batches, ..self }
    }
}

#[cfg(all(unix, target_arch = "x86_64"))]
impl Generate for Generator {
    fn generate<'m>(
        &self,
        program: &Program<'_>,
        memory: Memory<'m>,
    ) -> Option<Box<'m, dyn Generated + 'm>> {
        if !segments::can_have_code(program) {
            return None;
        }
        let arena = std::sync::Arc::clone(&self.arena);
        let has_loop = program.body.iter().any(|op| op.code == tgsi::exec::OpCode::EndLoop);
        let batches = self.batches_before_code / if has_loop { TURNS_OF_LOOPS } else { 1 };
        let code = code::Lazy::new(arena, self.instructions, batches, memory);
        Some(os_shim::unsize_box!(Box::try_new_in(code, memory).ok()?))
    }
}

#[cfg(not(all(unix, target_arch = "x86_64")))]
impl Generate for Generator {
    fn generate<'m>(&self, _: &Program<'_>, _: Memory<'m>) -> Option<Box<'m, dyn Generated + 'm>> {
        None
    }
}
