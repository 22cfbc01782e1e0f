//! Optimised and unoptimised programs do the same, on shaders made at random.

mod common;

use common::{constant_buffer, run_all};
use proptest::prelude::*;
use std::fmt::Write;

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as u32) % below
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.next(from.len() as u32) as usize]
    }
}

const FLOAT_UNARY: &[&str] = &[
    "MOV", "FLR", "CEIL", "TRUNC", "ROUND", "FRC", "SSG", "RCP", "RSQ", "SQRT", "EX2", "LG2",
    "SIN", "COS", "LIT", "EXP", "LOG",
];
const FLOAT_BINARY: &[&str] = &[
    "ADD", "ADD", "MUL", "MUL", "DIV", "MIN", "MAX", "SLT", "SGE", "SEQ", "SGT", "SLE", "SNE",
    "POW", "DP2", "DP3", "DP4", "DST",
];
const FLOAT_TERNARY: &[&str] = &["MAD", "MAD", "LRP", "CMP", "FMA"];
const INT_UNARY: &[&str] =
    &["MOV", "INEG", "IABS", "ISSG", "NOT", "BREV", "POPC", "LSB", "IMSB", "UMSB"];
const INT_BINARY: &[&str] = &[
    "UADD", "UMUL", "IMUL_HI", "UMUL_HI", "IDIV", "UDIV", "MOD", "UMOD", "IMAX", "IMIN", "UMAX",
    "UMIN", "ISLT", "ISGE", "USLT", "USGE", "USEQ", "USNE", "AND", "OR", "XOR", "SHL", "ISHR",
    "USHR",
];
const INT_TERNARY: &[&str] = &["UMAD", "IBFE", "UBFE", "UCMP"];
const COMPARE: &[&str] = &["FSLT", "FSGE", "FSEQ", "FSNE"];

/// Writes shaders. Floats live in TEMP[0..4], integers in TEMP[5..9]: bits of NaNs, which may
/// differ, never become integers.
struct Writer {
    random: Random,
    text: String,
    loops: u32,
    counters: u32,
    returns: bool,
}

impl Writer {
    fn swizzle(&mut self) -> String {
        (0..4).map(|_| ['x', 'y', 'z', 'w'][self.random.next(4) as usize]).collect()
    }

    fn mask(&mut self) -> &'static str {
        ["", ".x", ".y", ".xy", ".yzw", ".zw", ".xz", ""][self.random.next(8) as usize]
    }

    fn source(&mut self, float: bool) -> String {
        let swizzle = self.swizzle();
        let base = if float { 0 } else { 5 };
        let register = match self.random.next(10) {
            0..5 => format!("TEMP[{}]", base + self.random.next(5)),
            5 => format!("IN[{}]", u32::from(!float)),
            6 => format!("CONST[{}]", self.random.next(4) + if float { 0 } else { 4 }),
            7 => format!("IMM[{}]", self.random.next(2) + if float { 0 } else { 2 }),
            8 if float => format!("TEMP[ADDR[0].x+{}](1)", 10 + self.random.next(5)),
            8 => format!("CONST[ADDR[0].x+{}]", 4 + self.random.next(5)),
            _ => format!("TEMP[{}]", if float { 10 + self.random.next(4) } else { base }),
        };
        match self.random.next(8) {
            0 => format!("-{register}.{swizzle}"),
            1 if float => format!("|{register}.{swizzle}|"),
            2 if float => format!("-|{register}.{swizzle}|"),
            _ => format!("{register}.{swizzle}"),
        }
    }

    fn destination(&mut self, float: bool) -> String {
        let mask = self.mask();
        let base = if float { 0 } else { 5 };
        match self.random.next(12) {
            0 => format!("OUT[{}]{mask}", u32::from(!float)),
            1 if float => format!("TEMP[ADDR[0].x+10](1){mask}"),
            2 if float => format!("TEMP[{}]{mask}", 10 + self.random.next(4)),
            _ => format!("TEMP[{}]{mask}", base + self.random.next(5)),
        }
    }

    fn arithmetic(&mut self) {
        let float = self.random.next(2) == 0;
        let saturate = if float && self.random.next(6) == 0 { "_SAT" } else { "" };
        let (opcode, sources) = match (self.random.next(12), float) {
            (0..3, true) => (self.random.pick(FLOAT_UNARY), vec![true]),
            (3..8, true) => (self.random.pick(FLOAT_BINARY), vec![true; 2]),
            (8..11, true) => (self.random.pick(FLOAT_TERNARY), vec![true; 3]),
            (11, true) => (self.random.pick(&["I2F", "U2F", "UP2H", "UP4UB"]), vec![false]),
            (0..3, false) => (self.random.pick(INT_UNARY), vec![false]),
            (3..8, false) => (self.random.pick(INT_BINARY), vec![false; 2]),
            (8..10, false) => (self.random.pick(INT_TERNARY), vec![false; 3]),
            (10, false) => (self.random.pick(&["F2I", "F2U", "ARL", "ARR"]), vec![true]),
            _ => (self.random.pick(COMPARE), vec![true; 2]),
        };
        let destination = self.destination(float);
        let sources: Vec<_> = sources.into_iter().map(|float| self.source(float)).collect();
        writeln!(self.text, "{opcode}{saturate} {destination}, {}", sources.join(", ")).unwrap();
    }

    fn block(&mut self, depth: u32, length: u32) {
        for _ in 0..1 + self.random.next(length) {
            match self.random.next(if depth < 3 { 16 } else { 12 }) {
                12 | 13 => self.branch(depth),
                14 => self.turns(depth),
                15 => self.switch(depth),
                11 if self.random.next(3) == 0 => {
                    let source = self.source(false);
                    writeln!(self.text, "AND ADDR[0].x, {source}, IMM[3].zzzz").unwrap();
                }
                10 if depth > 0 && self.random.next(4) == 0 => {
                    let source = self.source(true);
                    writeln!(self.text, "KILL_IF {source}").unwrap();
                }
                9 if depth > 0 && self.random.next(4) == 0 => self.leave(),
                _ => self.arithmetic(),
            }
        }
    }

    /// Something that ends this turn, loop or shader; what follows it is dead.
    fn leave(&mut self) {
        let word = match self.random.next(4) {
            0 | 1 if self.loops > 0 => "BRK",
            2 if self.loops > 0 => "CONT",
            3 if self.returns => "RET",
            _ => "KILL",
        };
        writeln!(self.text, "{word}").unwrap();
    }

    fn branch(&mut self, depth: u32) {
        let float = self.random.next(3) == 0;
        let condition = self.source(float);
        writeln!(self.text, "{} {condition}", if float { "IF" } else { "UIF" }).unwrap();
        self.block(depth + 1, 5);
        if self.random.next(2) == 0 {
            writeln!(self.text, "ELSE").unwrap();
            self.block(depth + 1, 5);
        }
        writeln!(self.text, "ENDIF").unwrap();
    }

    /// A loop that counts to 5 and stops, if nothing in it stops it before.
    fn turns(&mut self, depth: u32) {
        if self.counters == 4 {
            return;
        }
        let counter = format!("TEMP[{}]", 14 + self.counters);
        self.counters += 1;
        self.loops += 1;
        writeln!(
            self.text,
            "MOV {counter}.x, IMM[2].xxxx\nBGNLOOP\nISGE {counter}.y, {counter}.xxxx, IMM[3].wwww\n\
             UIF {counter}.yyyy\nBRK\nENDIF\nUADD {counter}.x, {counter}.xxxx, IMM[2].yyyy"
        )
        .unwrap();
        self.block(depth + 1, 6);
        writeln!(self.text, "ENDLOOP").unwrap();
        self.loops -= 1;
        self.counters -= 1;
    }

    fn switch(&mut self, depth: u32) {
        let source = self.source(false);
        writeln!(self.text, "AND TEMP[9].x, {source}, IMM[3].zzzz\nSWITCH TEMP[9].xxxx").unwrap();
        let default = self.random.next(4);
        for case in 0..3 {
            if case == default {
                writeln!(self.text, "DEFAULT").unwrap();
            } else {
                writeln!(self.text, "CASE IMM[2].{}", ["xxxx", "yyyy", "zzzz"][case as usize])
                    .unwrap();
            }
            // BRK here is the switch's.
            self.block(depth + 1, 3);
            if self.random.next(3) > 0 {
                writeln!(self.text, "BRK").unwrap();
            }
        }
        writeln!(self.text, "ENDSWITCH").unwrap();
    }
}

fn shader(seed: u64) -> String {
    let mut writer = Writer {
        random: Random(seed),
        text: String::new(),
        loops: 0,
        counters: 0,
        returns: seed.is_multiple_of(3),
    };
    writer.text += "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], GENERIC[1], CONSTANT\n\
        DCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\nDCL CONST[0..7]\nDCL TEMP[0..9]\n\
        DCL TEMP[10..13], ARRAY(1), LOCAL\nDCL TEMP[14..17]\nDCL ADDR[0]\n\
        IMM[0] FLT32 {0.0, 1.0, -2.5, 0.5}\nIMM[1] FLT32 {3.0, -1.0, 100.0, 0.1}\n\
        IMM[2] INT32 {0, 1, 2, -1}\nIMM[3] INT32 {31, -7, 3, 5}\n";
    // Results are seen through the outputs whatever happens.
    writer.block(0, 24);
    for at in 0..5 {
        writeln!(
            writer.text,
            "ADD OUT[0], OUT[0], TEMP[{at}]\nXOR OUT[1], OUT[1], TEMP[{}]",
            at + 5
        )
        .unwrap();
    }
    writer.text += "END\n";
    writer.text
}

fn check(seed: u64) {
    let source = shader(seed);
    let mut random = Random(seed ^ 0x5555);
    let floats = [0.0, -0.0, 1.0, -1.0, 0.3, 7.5, -123.4, 1e20, -1e-20, f32::INFINITY];
    let float = |random: &mut Random| floats[random.next(10) as usize].to_bits();
    let inputs: Vec<_> = (0..19)
        .map(|_| {
            let floats = std::array::from_fn(|_| float(&mut random));
            let integers = std::array::from_fn(|at| match at {
                0 => random.next(8).wrapping_sub(2),
                _ => random.next(u32::MAX),
            });
            vec![floats, integers]
        })
        .collect();
    let constants: Vec<f32> = (0..32)
        .map(|at| match at {
            0..16 => f32::from_bits(float(&mut random)),
            _ => f32::from_bits(random.next(40).wrapping_sub(8)),
        })
        .collect();
    run_all(&source, &inputs, &[&constant_buffer(&constants)]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn optimising_changes_nothing(seed: u64) {
        check(seed);
    }
}

/// The same for as many shaders as `RANDOM_SHADERS` says.
#[test]
fn optimising_changes_nothing_in_many_shaders() {
    let count = std::env::var("RANDOM_SHADERS").ok().and_then(|count| count.parse().ok());
    for seed in 0..count.unwrap_or(200) {
        check(seed);
    }
}
