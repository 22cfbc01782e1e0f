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

/// Rounds floats to halves by the code of an instruction set; compares with the values of PK2H.
fn check_halves(instructions: Instructions) {
    let Some(generator) = Generator::with(instructions) else { return };
    let generator = generator.after(0);
    let source = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL TEMP[0..1]\n\
        PK2H TEMP[0].x, IN[0].xyyy\nUP2H TEMP[1].xy, TEMP[0].xxxx\n\
        PK2H TEMP[0].x, IN[0].zwww\nUP2H TEMP[1].zw, TEMP[0].xxxx\nMOV OUT[0], TEMP[1]\nEND\n";
    let compiled = compiled(source, true);
    let program = compiled.program();
    assert!(program.body.iter().any(|op| op.code == OpCode::RoundHalf));
    let code = generator.generate(&program, Memory::system()).expect("it has arithmetic");
    let body = code.body(&program).expect("it has a segment");
    let with_code = Program { body, ..program };
    // Every 4,099th pattern, and the floats around the middles of halves.
    let spread = (0..=u32::MAX).step_by(4099);
    let middles = (0..0x7C00u32).flat_map(|half| {
        let middle = (tgsi::math::f16_to_f32(half) + tgsi::math::f16_to_f32(half + 1)) / 2.0;
        [middle, middle.next_up(), -middle.next_down(), -middle].map(f32::to_bits)
    });
    let words: Vec<u32> = spread.chain(middles).collect();
    for rows in words.as_chunks::<4>().0.chunks(64) {
        let inputs: Vec<Registers> = rows.iter().map(|row| vec![*row]).collect();
        let got = run_batch(&with_code, &inputs, !0, &[], &mut WithCode(&*code));
        for (row, lane) in rows.iter().zip(got.lanes) {
            let expected = row
                .map(|bits| tgsi::math::f32_to_f16(f32::from_bits(bits)))
                .map(tgsi::math::f16_to_f32);
            for (got, expected) in lane[0].map(f32::from_bits).into_iter().zip(expected) {
                let same =
                    got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
                assert!(same, "{row:x?}: {got}, not {expected}");
            }
        }
    }
}

#[test]
fn avx2_code_rounds_to_halves() {
    check_halves(Instructions::Avx2);
}

#[test]
fn avx512_code_rounds_to_halves() {
    check_halves(Instructions::Avx512);
}
