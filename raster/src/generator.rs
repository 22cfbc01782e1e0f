//! The machine-code generator for programs that are compiled at run time, if the device has one,
//! and the code it makes.

#[cfg(feature = "compile")]
use tgsi::exec::{GENERATED_LANES, Lanes, Mask};
use tgsi::program::Program;

/// The generator of machine code, if there is one.
#[cfg(feature = "compile")]
pub(crate) type Generator<'m> = Option<&'m dyn tgsi::exec::Generate>;
/// No generator: the feature `compile` is disabled.
#[cfg(not(feature = "compile"))]
pub(crate) type Generator<'m> = core::marker::PhantomData<&'m ()>;

/// The machine code of a program. It may still have to be made.
#[cfg(feature = "compile")]
pub(crate) type Code<'a> = Option<&'a dyn tgsi::exec::Generated>;
/// No machine code: the feature `compile` is disabled.
#[cfg(not(feature = "compile"))]
pub(crate) type Code<'a> = core::marker::PhantomData<&'a ()>;

/// Makes the program run its generated code. `batches` batches are about to run. Returns false
/// while there is no code.
#[cfg(feature = "compile")]
#[inline(always)]
pub(crate) fn enter<'a, R: Lanes>(code: Code<'a>, program: &mut Program<'a>, batches: u32) -> bool {
    let Some(code) = code.filter(|_| R::COUNT == GENERATED_LANES) else { return false };
    // A program gets code after it has run often enough, so this asks once per batch.
    let Some(body) = (0..batches).find_map(|_| code.body(program)) else { return false };
    program.body = body;
    true
}

/// Returns false: there is no code.
#[cfg(not(feature = "compile"))]
#[inline(always)]
#[expect(clippy::extra_unused_type_parameters, reason = "code has lanes")]
pub(crate) fn enter<'a, R>(_: Code<'a>, _: &mut Program<'a>, _: u32) -> bool {
    false
}

/// Runs a segment of the code for the lanes of `exec`. Returns its units of work, or `None` if the
/// code has no such segment.
#[cfg(feature = "compile")]
#[inline(always)]
pub(crate) fn run<R: Lanes>(
    code: Code<'_>,
    segment: u16,
    rows: &mut [R],
    exec: Mask,
) -> Option<u32> {
    code?.run(segment, R::as_words_mut(rows), exec)
}
