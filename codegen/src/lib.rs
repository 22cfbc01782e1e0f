//! Machine code at run time for lane programs, on x86-64 hosts with AVX2 or AVX-512.
//!
//! The interpreter of [`tgsi::exec`] dispatches an op once a batch, and each op reads and writes rows of
//! 64 lanes in memory. Code generated here runs a whole *segment*, arithmetic ops without a branch or a
//! lookup between them, on eight or sixteen lanes at a time, and keeps their values in vector registers from op to
//! op. Control flow, textures, memory and the functions that take many instructions stay with the
//! interpreter, which calls a segment as one op. Lanes get the same bits either way: code is made of
//! the operations that [`tgsi::exec::scalar`] is made of, in the same order, and nothing is fused. Of NaNs
//! only that they are NaNs is promised: signs and payloads may differ.
//!
//! | module | |
//! |---|---|
//! | `segments` | the segments of a program's body, and the body that calls them |
//! | `registers` | which rows are in registers |
//! | `recipe` | the ops that code is made for, and the instructions they consist of |
//! | `emit` | the instructions of an op at hand |
//! | `assembler` | instructions to bytes |
//! | `arena` | memory that is writable, then executable, never both |
//! | `executable` | the code of a program in it, and calls of it |
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

/// The batches that a program runs interpreted before code is made for it: making code takes about
/// as long as it saves in so many.
const BATCHES_BEFORE_CODE: u32 = 1000;

/// A generator for the machine it was made on.
///
/// Clones share the memory that their programs' code lies in, at most 64 MiB; programs beyond it are
/// interpreted. Give strangers a generator each.
#[derive(Clone, Debug)]
#[cfg_attr(not(all(unix, target_arch = "x86_64")), expect(dead_code, reason = "none is made"))]
pub struct Generator {
    #[cfg(all(unix, target_arch = "x86_64"))]
    arena: std::sync::Arc<arena::Arena>,
    instructions: Instructions,
    batches_before_code: u32,
}

impl Generator {
    /// Returns a generator of the machine's widest instructions; `None` if it has none of them. It
    /// makes a program's code when the program has run often enough for code to pay.
    pub fn new() -> Option<Generator> {
        Generator::with(Instructions::Avx512).or_else(|| Generator::with(Instructions::Avx2))
    }

    /// Returns a generator of these instructions; `None` if the machine lacks them.
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

    /// Returns `None`: code is made for x86-64 only.
    #[cfg(not(all(unix, target_arch = "x86_64")))]
    pub fn with(_: Instructions) -> Option<Generator> {
        None
    }

    /// Makes a program's code after so many batches: 0 is at once, for tests and measurements.
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
        let code = code::Lazy::new(arena, self.instructions, self.batches_before_code, memory);
        Some(os_shim::unsize_box!(Box::try_new_in(code, memory).ok()?))
    }
}

#[cfg(not(all(unix, target_arch = "x86_64")))]
impl Generate for Generator {
    fn generate<'m>(&self, _: &Program<'_>, _: Memory<'m>) -> Option<Box<'m, dyn Generated + 'm>> {
        None
    }
}
