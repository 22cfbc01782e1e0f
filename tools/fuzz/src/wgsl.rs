//! WGSL text: it is refused, or becomes a program that the checker and the compiler take. Random
//! programs with known results: the executor has these results.

use naga_frontend::{Module, Options};
use os_shim::Memory;
use tgsi::compile::{CompileError, CompileOptions, compile};
use tgsi::{sanity, text};
use wgsl_random::choices::Choices;
use wgsl_random::generate::generate;
use wgsl_random::judge::{Verdict, judge};
use wgsl_random::print::wgsl;

/// Translates every entry point of a text.
pub fn run(input: &[u8]) {
    let Ok(source) = std::str::from_utf8(input) else { return };
    let Ok(module) = Module::wgsl(source, "fuzz.wgsl") else { return };
    for (name, stage) in module.entry_points() {
        let Ok(translation) = module.translate_stage(stage, name, &Options::default()) else {
            continue;
        };
        let (shader, memory) = (&translation.shader, Memory::system());
        let summary = sanity::check(shader, &mut |_| {}).expect("there is memory");
        assert_eq!(summary.first_error, None, "{shader}");
        let parsed = text::parse(&shader.to_string(), memory).expect("what is printed is read");
        assert_eq!(parsed, *shader);
        let options = CompileOptions { steps: 1 << 20, ..CompileOptions::DEFAULT };
        match compile(shader, &options, memory) {
            Ok(compiled) => compiled.program().validate().expect("the program is well formed"),
            // A text may ask for more than the compiler gives.
            Err(CompileError::TooLarge { .. } | CompileError::Depth { .. }) => {}
            Err(error) => panic!("{error}\n{shader}"),
        }
    }
}

/// Runs the program that the generator makes of these choices. Each byte is a choice; all choices after
/// the last byte are 0.
pub fn programs(input: &[u8]) {
    let mut bytes = input.iter();
    let mut choose = |limit: u32| {
        let mut next = || bytes.next().map_or(0, |byte| u32::from(*byte));
        if limit <= 256 { next() % limit } else { (next() << 8 | next()) % limit }
    };
    let program = generate(&mut Choices(&mut choose));
    match judge(&program, None) {
        Verdict::Same | Verdict::Undefined(_) => {}
        verdict => panic!("{verdict}\n{}", wgsl(&program)),
    }
}
