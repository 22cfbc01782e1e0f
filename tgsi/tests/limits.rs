//! The compiler's work is bounded for every shader: sweeps of shaders designed to be slow, counted
//! in the compiler's steps.

mod common;

use common::nasty::NASTY;
use gallium_tgsi::compile::{CompileError, CompileOptions, Limit, compile};
use gallium_tgsi::shader::Shader;
use gallium_tgsi::text::{self, ParseOptions, TextError};
use os_shim::Memory;
use os_shim::options::Table;

/// Sizes of the sweep. Work that is quadratic in the size grows by 64 from one size to the next.
const SIZES: [usize; 3] = [64, 512, 4096];

fn parsed(text: &str) -> Shader<'static> {
    text::parse(text, Memory::system()).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the steps that a shader takes within a budget, or the limit that it exceeds.
fn steps(shader: &Shader<'_>, optimize: bool, steps: u32) -> Result<u32, Limit> {
    let options = CompileOptions { optimize, steps, ..CompileOptions::DEFAULT };
    match compile(shader, &options, Memory::system()) {
        Ok(compiled) => Ok(compiled.steps()),
        Err(CompileError::TooLarge { limit }) => Err(limit),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn every_nasty_shader_keeps_to_the_budget() {
    let budget = CompileOptions::DEFAULT.steps;
    for (name, make) in NASTY {
        for size in SIZES {
            let shader = parsed(&make(size));
            for optimize in [true, false] {
                let Ok(taken) = steps(&shader, optimize, budget) else { continue };
                let case = format!("{name}, {size}, {optimize}");
                assert!(taken <= budget, "{case}: {taken}");
                // At least one step per instruction.
                assert!(taken as usize >= shader.declarations().len(), "{case}: {taken}");
                assert_eq!(steps(&shader, optimize, taken), Ok(taken), "{case}");
                assert_eq!(steps(&shader, optimize, taken - 1), Err(Limit::Steps), "{case}");
            }
        }
    }
}

/// Work that grows faster than the text must reach the budget. This shows that the loops behind
/// this growth are charged.
#[test]
fn work_beyond_the_text_is_charged() {
    let beyond = [
        ("calls that double thirty times", 30),
        ("loops that each look through the same subroutines", 4096),
        ("calls that skip a dead branch", 4096),
        ("breaks that take many variables along", 4096),
        ("loops after each other around many values", 8192),
        ("branches within each other over many variables", 16384),
        ("cases that fall through with many variables", 4096),
        ("switches within each other", 16384),
        ("outputs declared many times", 4096),
    ];
    for (name, size) in beyond {
        let (_, make) = NASTY.iter().find(|(known, _)| *known == name).unwrap();
        let taken = steps(&parsed(&make(size)), true, CompileOptions::DEFAULT.steps);
        assert_eq!(taken, Err(Limit::Steps), "{name}");
    }
}

/// Shaders with work proportional to their text take a bounded number of steps per byte.
#[test]
fn ordinary_work_is_proportional_to_the_text() {
    let ordinary = [
        "a loop that calls many subroutines",
        "a loop that rotates its variables",
        "a chain of else and if",
        "branches after each other",
        "many temporaries",
        "many immediates",
        "calls of 32 levels",
        "long arithmetic",
        "many lookups",
        "many 64-bit operations",
    ];
    for (name, make) in NASTY.iter().filter(|(name, _)| ordinary.contains(name)) {
        for size in SIZES {
            let text = make(size);
            let taken = steps(&parsed(&text), true, CompileOptions::DEFAULT.steps);
            let bound = 8 * text.len() as u32 + 1000;
            assert!(taken.is_ok_and(|taken| taken <= bound), "{name}, {size}: {taken:?}");
        }
    }
}

#[test]
fn errors_name_the_limit() {
    let error = |name: &str, size: usize| {
        let (_, make) = NASTY.iter().find(|(known, _)| *known == name).unwrap();
        let shader = parsed(&make(size));
        compile(&shader, &CompileOptions::DEFAULT, Memory::system()).unwrap_err().to_string()
    };
    assert_eq!(
        error("calls that double thirty times", 30),
        "cannot compile a shader that takes more than the compiler's budget of steps"
    );
    assert_eq!(
        error("loops within each other", 4096),
        "cannot compile a shader of more than 1048576 values"
    );
    assert_eq!(
        error("a loop that rotates its variables", 16384),
        "cannot compile a shader that needs more than 65534 rows of registers"
    );
    assert_eq!(
        error("many 64-bit operations", 22000),
        "cannot compile a shader with more than 65536 lookups or accesses of one kind"
    );
    assert_eq!(
        error("calls of 32 levels", 16384),
        "cannot compile a shader of more than 65535 ops"
    );
    let nested = |opener: &str, closer: &str, depth: usize| {
        let body = opener.repeat(depth) + &closer.repeat(depth);
        let shader = parsed(&format!("FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\n{body}END\n"));
        compile(&shader, &CompileOptions::DEFAULT, Memory::system()).map(drop)
    };
    assert_eq!(nested("IF IN[0].xxxx\n", "ENDIF\n", 255), Ok(()));
    let error = nested("IF IN[0].xxxx\n", "ENDIF\n", 256).unwrap_err().to_string();
    assert_eq!(error, "line 258, column 1: IF is nested deeper than 256 levels");
}

#[test]
fn texts_are_bounded() {
    let memory = Memory::system();
    let limit = ParseOptions::DEFAULT.max_bytes;
    assert_eq!(limit, 1 << 20);
    let text = |length: usize| {
        let frame = "FRAG\n\nEND\n";
        format!("FRAG\n{}\nEND\n", " ".repeat(length - frame.len()))
    };
    assert!(text::parse(&text(limit), memory).is_ok());
    let too_long = TextError::TooLong { bytes: limit + 1, limit };
    assert_eq!(text::parse(&text(limit + 1), memory).unwrap_err(), too_long);
    assert_eq!(
        too_long.to_string(),
        "a text of 1048577 bytes, more than the 1048576 that the parser accepts"
    );
    let wider = ParseOptions::from_options(&Table(&[("TGSI_MAX_TEXT", "2000000")]));
    assert_eq!(wider, ParseOptions { max_bytes: 2_000_000 });
    assert!(text::parse_with(&text(2_000_000), &wider, memory).is_ok());
    assert!(text::parse_with(&text(2_000_001), &wider, memory).is_err());
    assert_eq!(ParseOptions::from_options(&Table(&[])), ParseOptions::DEFAULT);
}
