//! Generated code gives the interpreter's bits, on random shaders of every opcode.
//! `GALLIUM_RANDOM_PROGRAMS=100000` sets the number of shaders.

#![cfg(target_arch = "x86_64")]

extern crate tgsi as gallium_tgsi;

#[path = "../../tgsi/tests/common/mod.rs"]
mod common;
#[path = "../../tgsi/tests/common/random.rs"]
mod random;

use common::{Registers, compiled, run_batch};
use gallium_codegen::{Generator, Instructions};
use os_shim::Memory;
use random::{Formula, same};
use tgsi::exec::{Generate, Generated, Lanes, Mask, OpCode, Resources, SampleRequest};
use tgsi::program::Program;

/// The resources of a batch for a program with code.
struct WithCode<'a>(&'a dyn Generated);

impl Resources<[u32; 64]> for WithCode<'_> {
    fn sample(&mut self, request: &SampleRequest<'_, [u32; 64]>, out: &mut [[u32; 64]; 4]) {
        Formula.sample(request, out);
    }

    fn segment(&mut self, segment: u16, rows: &mut [[u32; 64]], exec: Mask) -> Option<u32> {
        self.0.run(segment, Lanes::as_words_mut(rows), exec)
    }
}

/// Compares a shader's results with and without code; returns the number of its segments.
fn check(seed: u64, generator: &Generator) -> usize {
    let source = random::shader(seed);
    let (inputs, constants) = random::inputs(seed);
    // Nineteen invocations, repeated, so that each appears at different places of a quad.
    let inputs: Vec<Registers> = inputs.into_iter().cycle().take(64).collect();
    let constants: &[&[u8]] = &[&constants];
    let mut segments = 0;
    for optimize in [true, false] {
        let compiled = compiled(&source, optimize);
        let program = compiled.program();
        // A few programs are too long to get code.
        let Some(code) = generator.generate(&program, Memory::system()) else { continue };
        let Some(body) = code.body(&program) else { continue };
        segments += body.iter().filter(|op| op.code == OpCode::Segment).count();
        let with_code = Program { body, ..program };
        with_code.validate().expect("the body that calls segments is well formed");
        for live in [!0, 0x0123_4567_89AB_CDEF, 1 << 63] {
            let expected = run_batch(&program, &inputs, live, constants, &mut WithCode(&*code));
            let got = run_batch(&with_code, &inputs, live, constants, &mut WithCode(&*code));
            assert_eq!(got.alive, expected.alive, "seed {seed}: killed\n{source}");
            let lanes = got.lanes.iter().zip(&expected.lanes).enumerate();
            for (lane, (got, expected)) in lanes.filter(|(lane, _)| got.alive >> lane & 1 != 0) {
                for (output, class) in random::outputs().into_iter().enumerate() {
                    let (got, expected) = (got[output], expected[output]);
                    assert!(
                        same(class, &got, &expected),
                        "seed {seed}, lane {lane}, optimize: {optimize}, live {live:x}, \
                         OUT[{output}]: {got:x?}, not {expected:x?}\n{source}"
                    );
                }
            }
        }
    }
    segments
}

fn check_many(instructions: Instructions) {
    let Some(generator) = Generator::with(instructions) else { return };
    let count = std::env::var("GALLIUM_RANDOM_PROGRAMS").ok();
    let count = count.and_then(|text| text.parse::<u64>().ok()).unwrap_or(400);
    let generator = generator.after(0);
    let segments: usize = (0..count).map(|seed| check(seed, &generator)).sum();
    // Without segments, nothing would have been compared.
    assert!(segments as u64 > count);
}

#[test]
fn avx2_code_gives_the_interpreters_bits() {
    check_many(Instructions::Avx2);
}

#[test]
fn avx512_code_gives_the_interpreters_bits() {
    check_many(Instructions::Avx512);
}
