//! A fixed part of the random programs, without Mesa; and the judges themselves.

use gallium_wgsl_random::ast::Program;
use gallium_wgsl_random::evaluate::Expected;
use gallium_wgsl_random::generate::program;
use gallium_wgsl_random::judge::{Verdict, judge};
use gallium_wgsl_random::print::wgsl;
use gallium_wgsl_random::shrink::shrink;

#[test]
fn the_executor_agrees_with_the_evaluator() {
    let mut stages = [0; 3];
    for seed in 1..=150 {
        let random = program(seed);
        stages[random.stage as usize] += 1;
        let verdict = judge(&random, None);
        assert_eq!(verdict, Verdict::Same, "seed {seed}: {verdict}\n{}", wgsl(&random));
    }
    assert!(stages.iter().all(|&count| count > 20), "{stages:?}");
}

#[test]
fn seeds_make_different_programs_and_always_the_same() {
    assert_eq!(wgsl(&program(7)), wgsl(&program(7)));
    assert_ne!(wgsl(&program(7)), wgsl(&program(8)));
}

#[test]
fn the_programs_use_what_wgsl_has() {
    let texts: String = (1..=600).map(|seed| wgsl(&program(seed))).collect();
    for word in [
        "switch ",
        "continuing ",
        "break if",
        "while ",
        "for (",
        "ptr<function",
        "continue;",
        "return",
        "workgroupBarrier",
        "atomicAdd",
        "atomicMin",
        "insertBits",
        "pack4x8snorm",
        "unpack2x16float",
        "dot4I8Packed",
        "frexp",
        "modf",
        "ldexp",
        "transpose",
        "determinant",
        "cross",
        "reflect",
        "faceForward",
        "select(",
        "bitcast<",
        "smoothstep",
        "atan2",
        "asinh",
        " % ",
        " >> ",
        "array<",
        "vec3<bool>",
        "mat4x3f",
        "const C",
        "var<workgroup>",
    ] {
        assert!(texts.contains(word), "{word}");
    }
}

#[test]
fn results_are_accepted_within_their_error() {
    assert!(Expected::Bits(5).accepts(5));
    assert!(!Expected::Bits(0).accepts(1 << 31));
    // The sign of 0 does not count, NaN is no float.
    assert!(Expected::Float(0.0).accepts(1 << 31));
    assert!(!Expected::Float(1.0).accepts(1f32.next_up().to_bits()));
    assert!(!Expected::Float(f32::NAN).accepts(f32::NAN.to_bits()));
    assert!(Expected::Near(1.0, 0.25).accepts(1.25f32.to_bits()));
    assert!(!Expected::Near(1.0, 0.25).accepts(1.5f32.to_bits()));
    assert!(!Expected::Near(1.0, 0.25).accepts(f32::NAN.to_bits()));
}

#[test]
fn programs_shrink_while_they_fail() {
    let fails = |candidate: &Program| wgsl(candidate).contains("for (");
    let with_loop = (1..200).map(program).find(|it| fails(it)).expect("some program has a loop");
    let smallest = shrink(&with_loop, fails);
    assert!(fails(&smallest));
    assert!(wgsl(&smallest).len() * 2 < wgsl(&with_loop).len());
}
