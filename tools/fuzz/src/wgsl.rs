//! WGSL text: it is refused, or becomes a program that the checker and the compiler take.

use naga_frontend::{Module, Options};
use os_shim::Memory;
use tgsi::compile::{CompileError, CompileOptions, compile};
use tgsi::{sanity, text};

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
