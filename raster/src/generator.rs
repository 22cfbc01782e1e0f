//! The maker of machine code for programs that come at run time, if the device has one, and the code
//! that it made for a program.

#[cfg(feature = "generated")]
use tgsi::exec::{GENERATED_LANES, Lanes, Mask};
#[cfg(feature = "generated")]
use tgsi::program::Program;

/// The maker of machine code.
#[cfg(feature = "generated")]
pub(crate) type Generator<'m> = Option<&'m dyn tgsi::exec::Generate>;
/// No machine code is made.
#[cfg(not(feature = "generated"))]
pub(crate) type Generator<'m> = core::marker::PhantomData<&'m ()>;

/// The machine code of a program, or its place before it is made.
#[cfg(feature = "generated")]
pub(crate) type Code<'a> = Option<&'a dyn tgsi::exec::Generated>;
/// No machine code is made.
#[cfg(not(feature = "generated"))]
pub(crate) type Code<'a> = core::marker::PhantomData<&'a ()>;

/// Gives the program, of which `batches` are about to run, the body that calls its code; returns false
/// while there is no code.
#[cfg(feature = "generated")]
#[inline(always)]
pub(crate) fn enter<'a, R: Lanes>(code: Code<'a>, program: &mut Program<'a>, batches: u32) -> bool {
    let Some(code) = code.filter(|_| R::COUNT == GENERATED_LANES) else { return false };
    // A program that has run often enough gets code: it is asked for once a batch.
    let Some(body) = (0..batches).find_map(|_| code.body(program)) else { return false };
    program.body = body;
    true
}

/// Runs a segment of the code for the lanes of `exec`; returns its units of work, or `None` if there is no
/// such segment.
#[cfg(feature = "generated")]
#[inline(always)]
pub(crate) fn run<R: Lanes>(
    code: Code<'_>,
    segment: u16,
    rows: &mut [R],
    exec: Mask,
) -> Option<u32> {
    code?.run(segment, R::as_words_mut(rows), exec)
}
