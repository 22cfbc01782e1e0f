//! Rows of test tables: an instruction, its operands, its result.

use super::{is_nan, run_all};

pub(crate) const NAN: f32 = f32::NAN;
pub(crate) const INF: f32 = f32::INFINITY;
pub(crate) const TINY: f32 = 1e-45;
pub(crate) const MIN: i32 = i32::MIN;
pub(crate) const ALL: u32 = u32::MAX;

/// One operand or result: four components.
pub(crate) type Vec4 = [u32; 4];

pub(crate) fn f(x: f32, y: f32, z: f32, w: f32) -> Vec4 {
    [x, y, z, w].map(f32::to_bits)
}

pub(crate) fn i(x: i32, y: i32, z: i32, w: i32) -> Vec4 {
    [x, y, z, w].map(|value| value as u32)
}

pub(crate) fn u(x: u32, y: u32, z: u32, w: u32) -> Vec4 {
    [x, y, z, w]
}

/// Runs `instruction`, which reads `A`, `B`, `C` and `D` and writes `R`, with operands from inputs
/// and then from immediates.
#[track_caller]
pub(crate) fn check(instruction: &str, operands: &[Vec4], expected: Vec4) {
    let names = ["A", "B", "C", "D"];
    let inputs = |text: &str| {
        names.iter().enumerate().fold(text.replace('R', "OUT[0]"), |text, (at, name)| {
            text.replace(&format!("${name}"), &format!("IN[{at}]"))
        })
    };
    let immediates = |text: &str| {
        names.iter().enumerate().fold(text.replace('R', "OUT[0]"), |text, (at, name)| {
            text.replace(&format!("${name}"), &format!("IMM[{at}]"))
        })
    };
    let mut declared = String::new();
    for operand in operands {
        declared += &format!(
            "IMM UINT32 {{{}, {}, {}, {}}}\n",
            operand[0], operand[1], operand[2], operand[3]
        );
    }
    // The opcode's letters must not be replaced as operands.
    let (opcode, rest) = instruction.split_once(' ').unwrap_or((instruction, ""));
    for rest in [inputs(rest), immediates(rest)] {
        let source = format!(
            "VERT\nDCL IN[0..3]\nDCL OUT[0], POSITION\nDCL ADDR[0]\n{declared}{opcode} {rest}\nEND\n"
        );
        let mut registers = operands.to_vec();
        registers.resize(4, [0; 4]);
        // Other lanes have other operands; the test checks only the first lane.
        let mut lanes = vec![registers.clone(), registers.clone()];
        lanes.extend((0..5).map(|lane| vec![[0x4049_0FDB ^ lane; 4]; 4]));
        lanes.push(registers);
        let results = run_all(&source, &lanes, &[]);
        for lane in [0, 1, 7] {
            let result = results[lane].as_ref().expect("nothing is killed")[0];
            let same = |(a, b): (&u32, &u32)| a == b || (is_nan(*a) && is_nan(*b));
            assert!(
                result.iter().zip(&expected).all(same),
                "{opcode} {rest} of {operands:x?}: {result:x?} = {:?}, expected {expected:x?} = {:?}",
                result.map(f32::from_bits),
                expected.map(f32::from_bits)
            );
        }
    }
}

#[track_caller]
pub(crate) fn unary(opcode: &str, a: Vec4, expected: Vec4) {
    check(&format!("{opcode} R, $A"), &[a], expected);
}

#[track_caller]
pub(crate) fn binary(opcode: &str, a: Vec4, b: Vec4, expected: Vec4) {
    check(&format!("{opcode} R, $A, $B"), &[a, b], expected);
}

#[track_caller]
pub(crate) fn ternary(opcode: &str, a: Vec4, b: Vec4, c: Vec4, expected: Vec4) {
    check(&format!("{opcode} R, $A, $B, $C"), &[a, b, c], expected);
}
