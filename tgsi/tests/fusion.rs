//! Two ops become one if the first has no other use, divisions by powers of two become cheaper, and
//! nothing else changes.

mod common;

use common::{compiled, run_all};
use gallium_tgsi::exec::OpCode::{self, *};

const HEAD: &str = "VERT\nDCL IN[0..3]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL TEMP[0..2]\n\
    DCL CONST[0..1]\n";

fn ops(body: &str) -> Vec<OpCode> {
    let compiled = compiled(&format!("{HEAD}{body}\nEND\n"), true);
    compiled.program().body.iter().map(|op| op.code).collect::<Vec<_>>()
}

#[test]
fn pairs_become_one() {
    for (body, expected) in [
        ("DP2 OUT[0].x, IN[0], IN[1]", &[Dot2][..]),
        ("DP3 OUT[0].x, IN[0], IN[1]", &[Dot2, Mad]),
        ("DP4 TEMP[0].x, IN[0], IN[1]\nMAX OUT[0].x, TEMP[0], IN[2]", &[Dot2, Mad, MadMax]),
        ("MAD TEMP[0].x, IN[0], IN[1], IN[2]\nMIN OUT[0].x, TEMP[0], IN[3]", &[MadMin]),
        // The order decides which of two zeros wins.
        ("MAD TEMP[0].x, IN[0], IN[1], IN[2]\nMIN OUT[0].x, IN[3], TEMP[0]", &[Mad, Min]),
        ("MAD_SAT OUT[0].x, IN[0], IN[1], IN[2]", &[MadSaturate]),
        ("MAD TEMP[0].x, IN[0], IN[1], IN[2]\nADD OUT[0].x, IN[3], TEMP[0]", &[MadAdd]),
        ("LRP OUT[0].x, IN[0], IN[1], IN[2]", &[SubMad]),
        ("MUL TEMP[0].x, IN[0], IN[1]\nADD OUT[0].x, TEMP[0], IN[2]", &[Mad]),
        ("MUL TEMP[0].x, IN[0], IN[1]\nADD OUT[0].x, IN[2], TEMP[0]", &[Mad]),
        (
            "MUL TEMP[0].x, IN[0], IN[1]\nMUL TEMP[1].x, IN[2], IN[3]\nADD OUT[0].x, TEMP[0], TEMP[1]",
            &[Dot2],
        ),
        (
            "MUL TEMP[0].x, IN[0], IN[1]\nADD TEMP[0].x, TEMP[0], IN[2]\nMAX OUT[0].x, TEMP[0], IN[3]",
            &[MadMax],
        ),
        ("UMUL TEMP[0].x, IN[0], IN[1]\nUADD OUT[0].x, TEMP[0], IN[2]", &[Umad]),
        ("ADD TEMP[0].x, IN[0], -IN[1]\nMUL OUT[0].x, IN[2], TEMP[0]", &[SubMul]),
        ("FSLT TEMP[0].x, IN[0], IN[1]\nUCMP OUT[0].x, TEMP[0], IN[2], IN[3]", &[SelectLess]),
        ("FSGE TEMP[0].x, IN[0], IN[1]\nUCMP OUT[0].x, TEMP[0], IN[2], IN[3]", &[SelectNotLess]),
        // A value with a second use is not fused away.
        (
            "MUL TEMP[0].x, IN[0], IN[1]\nMAD OUT[0].x, IN[2], IN[3], TEMP[0]\nMOV OUT[1].x, TEMP[0]",
            &[Mul, Mad],
        ),
        // A value of the preamble is not fused into the body.
        ("MUL TEMP[0].x, CONST[0], CONST[1]\nMAD OUT[0].x, IN[2], IN[3], TEMP[0]", &[Mad]),
    ] {
        assert_eq!(ops(body), expected, "{body}");
    }
}

#[test]
fn divisions_by_powers_of_two_keep_their_bits() {
    let head = format!(
        "{HEAD}IMM[0] FLT32 {{ 16.0, -0.25, 3.0, 1.7014118e38 }}\nIMM[1] UINT32 {{ 32, 1, 24, 2147483648 }}\n"
    );
    for (body, expected) in [
        ("DIV OUT[0].x, IN[0], IMM[0].xxxx", Mul),
        ("DIV OUT[0].x, IN[0], IMM[0].yyyy", Mul),
        ("DIV OUT[0].x, IN[0], IMM[0].zzzz", Div),
        // The reciprocal of 2^127 is subnormal.
        ("DIV OUT[0].x, IN[0], IMM[0].wwww", Div),
        ("UDIV OUT[0].x, IN[0], IMM[1].xxxx", Ushr),
        ("UMOD OUT[0].x, IN[0], IMM[1].xxxx", And),
        ("UMOD OUT[0].x, IN[0], IMM[1].zzzz", Umod),
        ("UDIV OUT[0].x, IN[0], IMM[1].wwww", Ushr),
    ] {
        let source = format!("{head}{body}\nEND\n");
        let compiled = compiled(&source, true);
        let codes: Vec<OpCode> = compiled.program().body.iter().map(|op| op.code).collect();
        assert_eq!(codes, [expected], "{body}");
        let special = [0.0, -0.0, 1.0, f32::NAN, f32::NEG_INFINITY, 1e-45, 1.1e-38, 0.1, -3.4e38];
        let inputs: Vec<_> = special.map(|it: f32| vec![[it.to_bits(); 4]; 4]).into();
        // `run_all` compares with the unoptimised program.
        assert!(run_all(&source, &inputs, &[]).iter().all(Option::is_some));
    }
}

#[test]
fn variables_of_loops_are_read_before_they_change() {
    // The product uses the old value, which changes between the product and its use.
    let source = format!(
        "{HEAD}DCL TEMP[3..5]\nIMM[0] FLT32 {{2.0, 1.0, 4.0, 0.0}}\nMOV TEMP[0].x, IMM[0].yyyy\n\
         MOV TEMP[2].x, IMM[0].wwww\nBGNLOOP\nMUL TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\n\
         FSGE TEMP[3].x, TEMP[0].xxxx, IN[1].xxxx\nMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx\nUIF TEMP[3].xxxx\nBRK\nENDIF\n\
         MAD TEMP[2].x, TEMP[0].xxxx, IMM[0].zzzz, TEMP[1].xxxx\nENDLOOP\nADD OUT[0].x, TEMP[2].xxxx, TEMP[1].xxxx\nEND\n"
    );
    let lane = |x: f32, limit: f32| vec![[x.to_bits(); 4], [limit.to_bits(); 4], [0; 4], [0; 4]];
    // Limit 1: the loop ends at once, 0 + 1·x. Limit 4: after 1, 2: last sum 4·4 + 2x, last product
    // 4x.
    let inputs = [lane(3.0, 1.0), lane(5.0, 4.0), lane(1.0, 2.0)];
    let results = run_all(&source, &inputs, &[]);
    let got: Vec<f32> =
        results.into_iter().map(|lane| f32::from_bits(lane.unwrap()[0][0])).collect();
    assert_eq!(got, [3.0, 16.0 + 10.0 + 20.0, 8.0 + 1.0 + 2.0]);
}

#[test]
fn a_value_less_its_fraction_is_its_floor() {
    let body = "FRC TEMP[0], IN[0]\nADD OUT[0], IN[0], -TEMP[0]\nFRC TEMP[1], IN[1]\n\
        ADD OUT[1], -TEMP[1], IN[1]";
    less_fractions_are_floors(body);
    let body = "IMM[0] FLT32 {-1.0, 0.0, 0.0, 0.0}\nFRC TEMP[0], IN[0]\n\
        MAD OUT[0], TEMP[0], IMM[0].xxxx, IN[0]\nFRC TEMP[1], IN[1]\n\
        MAD OUT[1], IMM[0].xxxx, TEMP[1], IN[1]";
    less_fractions_are_floors(body);
}

fn less_fractions_are_floors(body: &str) {
    let bits = |values: [f32; 4]| values.map(f32::to_bits);
    let inputs = [vec![
        bits([f32::INFINITY, f32::NEG_INFINITY, 2.75, -2.75]),
        bits([1e30, -1e-10, -0.5, 7.0]),
        [0; 4],
        [0; 4],
    ]];
    let results = run_all(&format!("{HEAD}{body}\nEND\n"), &inputs, &[]);
    let got = results[0].as_ref().unwrap().iter().map(|register| register.map(f32::from_bits));
    // The floors of the inputs, by IEEE 754.
    let floors = [[f32::INFINITY, f32::NEG_INFINITY, 2.0, -3.0], [1e30, -1.0, -1.0, 7.0]];
    assert_eq!(got.take(2).collect::<Vec<_>>(), floors);
}

#[test]
fn roundings_and_special_values_stay() {
    let first = "DP4 OUT[0].x, IN[0], IN[1]\nMAD TEMP[0].x, IN[0], IN[1], IN[2]\nMAX OUT[0].y, TEMP[0].xxxx, IN[3]\n\
        LRP OUT[0].z, IN[0], IN[1], IN[2]\nFSLT TEMP[1].x, IN[0], IN[1]\nUCMP OUT[0].w, TEMP[1].xxxx, IN[2], IN[3]\n\
        MAD_SAT OUT[1].x, IN[1], IN[2], IN[3]\nMAD TEMP[2].y, IN[0], IN[1], IN[2]\nADD OUT[1].y, TEMP[2], IN[3]\n\
        ADD TEMP[2].z, IN[0], -IN[1]\nMUL OUT[1].z, TEMP[2], IN[2]\nMAD TEMP[2].w, IN[0], IN[1], IN[2]\nMIN OUT[1].w, TEMP[2], IN[3]";
    let second = "MUL TEMP[0], IN[0], IN[1]\nADD OUT[0], IN[2], TEMP[0]\nMUL TEMP[1], IN[1], IN[2]\n\
        MUL TEMP[2], IN[3], IN[0]\nADD OUT[1], TEMP[1], TEMP[2]";
    let special = [0.0, -0.0, 1.0, f32::NAN, f32::INFINITY, 1e-45, 16_777_217.0, 0.1, -3.4e38];
    let mut inputs = Vec::new();
    for at in 0..200usize {
        let value = |k: usize| special[(at * (2 * k + 3) + k * k) % special.len()].to_bits();
        inputs.push((0..4).map(|r| [0, 1, 2, 3].map(|c| value(4 * r + c))).collect());
    }
    for body in [first, second] {
        // `run_all` compares with the unoptimised program.
        let results = run_all(&format!("{HEAD}{body}\nEND\n"), &inputs, &[]);
        assert_eq!(results.len(), 200);
        assert!(results.iter().all(Option::is_some));
    }
}
