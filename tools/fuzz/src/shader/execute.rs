//! Every shader that compiles runs to an end: optimised or not, at any width, interpreted and as
//! machine code.
//!
//! After the text follow a NUL and words for the inputs and constants.

use os_shim::Memory;
use tgsi::compile::{CompileOptions, Listing, compile};
use tgsi::exec::{
    self, Batch, ExecError, GENERATED_LANES, Generate, Generated, Lanes, Mask, NoResources,
    Resources,
};
use tgsi::program::Program;
use tgsi::shader::Shader;
use tgsi::text;

/// Maximum number of loop iterations of a program.
const BUDGET: u32 = 500;

/// Compiles a shader, optimised and not, and runs it to an end at two widths. After the text follow
/// a NUL and words for its inputs and constants.
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
    // Using much memory and time is no error, but would slow down the search.
    if program.rows > 4096 || program.body.len() > 4096 {
        return;
    }
    assert!(!Listing(&program).to_string().is_empty());
    run_lanes::<[u32; 4]>(&program, words);
    run_lanes::<[u32; 16]>(&program, words);
    run_code(&program, words);
}

/// Number of rows after the program's rows.
const BEYOND: usize = 4;

/// Runs a program as machine code and checks that the code does not write beyond its rows.
fn run_code(program: &Program<'_>, words: &[u8]) {
    let memory = Memory::system();
    let Some(code) = crate::generator().and_then(|it| it.generate(program, memory)) else { return };
    let Some(body) = code.body(program) else { return };
    let program = Program { body, ..*program };
    program.validate().expect("a body that calls code is well formed");
    let count = usize::from(program.rows);
    let canary = [0x5EED_CAFE; GENERATED_LANES];
    let mut rows = vec![canary; count + BEYOND];
    let constants = [words, words];
    exec::prepare(&program, &mut rows, &constants).expect("well formed");
    fill(&program, &mut rows, words);
    match exec::run(&program, &mut rows, 0x0123_4567_89AB_CDEF, &constants, &mut WithCode(&*code)) {
        Ok(_) | Err(ExecError::Budget { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    assert!(rows[count..].iter().all(|row| *row == canary), "code wrote beyond its rows");
}

/// The resources of a program: only its machine code.
struct WithCode<'a>(&'a dyn Generated);

impl Resources<[u32; GENERATED_LANES]> for WithCode<'_> {
    fn segment(
        &mut self,
        segment: u16,
        rows: &mut [[u32; GENERATED_LANES]],
        exec: Mask,
    ) -> Option<u32> {
        self.0.run(segment, rows.as_flattened_mut(), exec)
    }
}

/// Fills the rows of inputs and system values.
fn fill<R: Lanes>(program: &Program<'_>, rows: &mut [R], words: &[u8]) {
    let inputs = program.inputs.iter().map(|input| input.rows);
    let values = program.system_values.iter().map(|value| value.rows);
    let mut bytes = words.iter().copied().cycle();
    for row in inputs.chain(values).flatten().filter_map(|row| row.index()) {
        for lane in rows[row].as_mut_slice() {
            *lane = u32::from_le_bytes(std::array::from_fn(|_| bytes.next().unwrap_or(0)));
        }
    }
}

fn run_lanes<R: Lanes>(program: &Program<'_>, words: &[u8]) {
    let mut rows = vec![R::splat(0x7FC0_1234); usize::from(program.rows)];
    let constants = [words, words];
    exec::prepare(program, &mut rows, &constants).expect("well formed");
    fill(program, &mut rows, words);
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
