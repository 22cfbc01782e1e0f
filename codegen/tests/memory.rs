//! Generated code counts against the limit of the memory that holds the program.

#![cfg(target_arch = "x86_64")]

use gallium_codegen::Generator;
use os_shim::Memory;
use os_shim::memory::Quota;
use tgsi::compile::{CompileOptions, compile};
use tgsi::exec::Generate;

const SHADER: &str = "FRAG\n\
    DCL IN[0], GENERIC[0], PERSPECTIVE\n\
    DCL OUT[0], COLOR\n\
    MAD OUT[0], IN[0], IN[0], IN[0]\n\
    END";

#[test]
fn code_is_counted_while_it_lives_and_refused_beyond_the_limit() {
    let Some(generator) = Generator::new().map(|generator| generator.after(0)) else { return };
    let shader = tgsi::text::parse(SHADER, Memory::system()).expect("a shader");
    let compiled = compile(&shader, &CompileOptions::DEFAULT, Memory::system()).expect("a program");
    let program = compiled.program();
    // The system gives at least one page.
    let page = 4096;
    for (limit, is_made) in [(1 << 20, true), (page, false)] {
        let quota = Quota::new(Memory::system(), limit);
        let code = generator.generate(&program, Memory::new(&quota)).expect("a place");
        let before = quota.usage().used;
        assert_eq!(code.body(&program).is_some(), is_made);
        assert_eq!(quota.usage().used > before + page, is_made);
        drop(code);
        assert_eq!(quota.usage().used, 0);
    }
}
