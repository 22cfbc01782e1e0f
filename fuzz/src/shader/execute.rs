//! Whatever compiles runs to an end, optimised or not, at any width, and both do the same.
//!
//! The text is followed, after a NUL, by words for the inputs and constants.

use os_shim::Memory;
use tgsi::compile::{CompileOptions, Listing, compile};
use tgsi::exec::{self, Batch, ExecError, Lanes, NoResources};
use tgsi::program::Program;
use tgsi::shader::Shader;
use tgsi::text;

/// Turns of loops, all together.
const BUDGET: u32 = 500;

/// Compiles a shader, optimised and not, and runs it to an end at two widths. Words for its inputs
/// and constants follow the text after a NUL.
pub fn run(data: &[u8]) {
    let end = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
    let (source, words) = data.split_at(end);
    let Ok(source) = core::str::from_utf8(source) else { return };
    let memory = Memory::system();
    let Ok(shader) = text::parse(source, memory) else { return };
    for optimize in [true, false] {
        run_both(&shader, optimize, words);
    }
}

fn run_both(shader: &Shader<'_>, optimize: bool, words: &[u8]) {
    let options = CompileOptions { optimize, loop_budget: BUDGET, ..CompileOptions::DEFAULT };
    let compiled = match compile(shader, &options, Memory::system()) {
        Ok(compiled) => compiled,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let program = compiled.program();
    program.validate().expect("what the compiler makes is well formed");
    // Much memory and time is no mistake, but finds none either.
    if program.rows > 4096 || program.body.len() > 4096 {
        return;
    }
    assert!(!Listing(&program).to_string().is_empty());
    run_lanes::<[u32; 4]>(&program, words);
    run_lanes::<[u32; 16]>(&program, words);
}

fn run_lanes<R: Lanes>(program: &Program<'_>, words: &[u8]) {
    let mut rows = vec![R::splat(0x7FC0_1234); usize::from(program.rows)];
    let constants = [words, words];
    exec::prepare(program, &mut rows, &constants).expect("well formed");
    let inputs = program.inputs.iter().map(|input| input.rows);
    let values = program.system_values.iter().map(|value| value.rows);
    let mut bytes = words.iter().copied().cycle();
    for row in inputs.chain(values).flatten().filter_map(|row| row.index()) {
        for lane in rows[row].as_mut_slice() {
            *lane = u32::from_le_bytes(std::array::from_fn(|_| bytes.next().unwrap_or(0)));
        }
    }
    let mut batch = Batch::new::<R>(program, 0b1011_0111);
    while !batch.finished() {
        match exec::resume(program, &mut batch, &mut rows, &constants, &mut NoResources) {
            Ok(()) => {}
            Err(ExecError::Budget { limit }) => return assert_eq!(limit, BUDGET),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(batch.live() & !0b1011_0111, 0);
}
