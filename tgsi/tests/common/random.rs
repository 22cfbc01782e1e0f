//! Random shaders with results that do not depend on how they are run.
//!
//! Registers have types, so that bits of NaNs, which may differ, never become integers: floats in
//! TEMP[0..4] and the array TEMP[10..13], integers in TEMP[5..9], doubles in TEMP[18..20], long
//! integers in TEMP[21..23]. At the end all of them are outputs.

#![allow(dead_code, reason = "each test file uses its part")]

use super::common::{Registers, constant_buffer, run_batch};
use gallium_tgsi::compile::{CompileOptions, compile};
use gallium_tgsi::exec::{Lanes, Resources, SampleRequest};
use gallium_tgsi::opcode::{Flags, Mode, Opcode, Type};
use gallium_tgsi::program::Program;
use gallium_tgsi::text;
use os_shim::Memory;
use std::fmt::Write;
use std::sync::OnceLock;

/// Quiet and signalling NaNs, the smallest and largest denormal and normal floats, infinities, and
/// values near the ends of the integer ranges.
const NASTY_FLOATS: [u32; 26] = [
    0x7FC0_0000,
    0xFFC0_0000,
    0x7F80_0001,
    0xFF80_0001,
    0x7FFF_FFFF,
    0x7FC1_2345,
    0xFFE5_4321,
    1,
    0x8000_0001,
    0x007F_FFFF,
    0x807F_FFFF,
    0x0080_0000,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x4F00_0000,
    0xCF00_0000,
    0x4EFF_FFFF,
    0xCF00_0001,
    0x4F80_0000,
    0x4F7F_FFFF,
    0x3F00_0000,
    0x4B00_0001,
    0x3F7F_FFFF,
    0xBF00_0001,
];

/// The ends of the ranges of integers and shifts, and floats that are NaNs or infinite.
const NASTY_INTEGERS: [u32; 20] = [
    0,
    1,
    !0,
    0x8000_0000,
    0x7FFF_FFFF,
    0x8000_0001,
    31,
    32,
    33,
    63,
    64,
    0xFFFF_FFE0,
    2,
    3,
    0xFFFF_FFFE,
    0xFFFF,
    0x1_0000,
    0x7F80_0000,
    0xFF80_0001,
    255,
];

/// Generates numbers from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self, below: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as u32) % below
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.next(from.len() as u32) as usize]
    }
}

/// The type of a register's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Float,
    Int,
    Double,
    Long,
}

impl Class {
    fn of(kind: Type) -> Option<Class> {
        match kind {
            Type::Float => Some(Class::Float),
            Type::Int | Type::Uint => Some(Class::Int),
            Type::Double => Some(Class::Double),
            Type::Int64 | Type::Uint64 => Some(Class::Long),
            Type::Unit => None,
        }
    }

    /// Returns the first of its temporaries, and their number.
    fn registers(self) -> (u32, u32) {
        match self {
            Class::Float => (0, 5),
            Class::Int => (5, 5),
            Class::Double => (18, 3),
            Class::Long => (21, 3),
        }
    }
}

/// Returns the types of the outputs' values.
pub(crate) fn outputs() -> Vec<Class> {
    let counts = [
        (Class::Float, 5),
        (Class::Int, 5),
        (Class::Float, 4),
        (Class::Double, 3),
        (Class::Long, 3),
    ];
    counts.into_iter().flat_map(|(class, count)| [class].repeat(count)).collect()
}

/// Returns the opcodes that compute values from values, lane by lane.
fn arithmetic() -> &'static [Opcode] {
    static FOUND: OnceLock<Vec<Opcode>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let all = Opcode::ALL.iter().copied();
        all.filter(|&opcode| is_arithmetic(opcode) && compiles(opcode)).collect()
    })
}

fn is_arithmetic(opcode: Opcode) -> bool {
    use Opcode::*;
    let info = opcode.info();
    let values = info.dst.iter().chain(info.src).all(|&kind| Class::of(kind).is_some());
    // Halves keep bits of NaNs; the remaining opcodes depend on other lanes.
    let special = matches!(
        opcode,
        Pk2h | ReadInvoc
            | ReadFirst
            | ReadHelper
            | VoteAny
            | VoteAll
            | VoteEq
            | Ddx
            | Ddy
            | DdxFine
            | DdyFine
    );
    values
        && !info.dst.is_empty()
        && info.mode != Mode::Other
        && info.flags == Flags::NONE
        && !special
}

fn compiles(opcode: Opcode) -> bool {
    let operands = opcode.dst_count() + opcode.src_count();
    let operands = vec!["TEMP[0]"; operands].join(", ");
    let text = format!("VERT\nDCL TEMP[0]\n{opcode} {operands}\nEND");
    let shader = text::parse(&text, Memory::system()).expect("the text is right");
    compile(&shader, &CompileOptions::DEFAULT, Memory::system()).is_ok()
}

/// Writes a shader.
struct Writer {
    random: Random,
    text: String,
    /// The number of instructions so far.
    count: usize,
    loops: u32,
    /// The loop counters in use, and the end of the available ones.
    counters: std::ops::Range<u32>,
    returns: bool,
    /// Subroutines that may be called.
    subroutines: std::ops::Range<u32>,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.count += 1;
        self.text += line;
        self.text += "\n";
    }

    fn swizzle(&mut self) -> String {
        (0..4).map(|_| self.random.pick(&['x', 'y', 'z', 'w'])).collect()
    }

    fn source(&mut self, class: Class) -> String {
        let swizzle = self.swizzle();
        let (first, count) = class.registers();
        let own = format!("TEMP[{}]", first + self.random.next(count));
        let register = match (class, self.random.next(10)) {
            (_, 0..5) => own,
            (Class::Float, 5) => "IN[0]".into(),
            (Class::Int, 5) => "IN[1]".into(),
            (Class::Float, 6) => format!("CONST[{}]", self.random.next(4)),
            (Class::Int, 6) => format!("CONST[{}]", 4 + self.random.next(4)),
            (Class::Float, 7) => format!("IMM[{}]", self.random.next(2)),
            (Class::Int, 7) => format!("IMM[{}]", 2 + self.random.next(2)),
            (Class::Double, 5..8) => "IMM[4]".into(),
            (Class::Long, 5..8) => "IMM[5]".into(),
            (Class::Float, 8) => format!("TEMP[ADDR[0].x+{}](1)", 10 + self.random.next(5)),
            (Class::Int, 8) => format!("CONST[ADDR[0].x+{}]", 4 + self.random.next(5)),
            (Class::Float, _) => format!("TEMP[{}]", 10 + self.random.next(4)),
            _ => own,
        };
        match (class, self.random.next(8)) {
            (Class::Double | Class::Long, _) => {
                let pairs = ["xyzw", "xyxy", "zwzw", "zwxy"];
                format!("{register}.{}", self.random.pick(&pairs))
            }
            (_, 0) => format!("-{register}.{swizzle}"),
            (Class::Float, 1) => format!("|{register}.{swizzle}|"),
            (Class::Float, 2) => format!("-|{register}.{swizzle}|"),
            _ => format!("{register}.{swizzle}"),
        }
    }

    fn destination(&mut self, class: Class) -> String {
        let masks: &[&str] = match class {
            Class::Float | Class::Int => &["", ".x", ".y", ".xy", ".yzw", ".zw", ".xz", ""],
            Class::Double | Class::Long => &["", ".xy", ".zw"],
        };
        let mask = self.random.pick(masks);
        let (first, count) = class.registers();
        match self.random.next(12) {
            1 if class == Class::Float => format!("TEMP[ADDR[0].x+10](1){mask}"),
            2 if class == Class::Float => format!("TEMP[{}]{mask}", 10 + self.random.next(4)),
            _ => format!("TEMP[{}]{mask}", first + self.random.next(count)),
        }
    }

    fn arithmetic(&mut self) {
        let opcode = match self.random.next(8) {
            0 => self.random.pick(&[
                Opcode::Mad,
                Opcode::Add,
                Opcode::Mul,
                Opcode::Mov,
                Opcode::Uadd,
            ]),
            _ => self.random.pick(arithmetic()),
        };
        if opcode == Opcode::Mov && self.random.next(2) == 0 {
            let class = self.random.pick(&[Class::Int, Class::Double, Class::Long]);
            // Without modifiers, because MOV's modifiers are for floats.
            let (first, count) = class.registers();
            let from = first + self.random.next(count);
            let to = first + self.random.next(count);
            return self.line(&format!("MOV TEMP[{to}], TEMP[{from}]"));
        }
        let info = opcode.info();
        let class = |kind: &Type| Class::of(*kind).expect("a value");
        let classes: Vec<Class> = info.dst.iter().map(class).collect();
        let floats = matches!(classes[0], Class::Float | Class::Double);
        let saturate = if floats && self.random.next(6) == 0 { "_SAT" } else { "" };
        let precise = if floats && self.random.next(6) == 0 { "_PRECISE" } else { "" };
        let mut operands: Vec<String> =
            classes.into_iter().map(|class| self.destination(class)).collect();
        operands
            .extend(info.src.iter().map(class).map(|class| self.source(class)).collect::<Vec<_>>());
        self.line(&format!("{opcode}{saturate}{precise} {}", operands.join(", ")));
    }

    fn texture(&mut self) {
        let destination = self.destination(Class::Float);
        let opcode = self.random.pick(&["TEX", "TXP", "TXB", "TXL", "TXF", "TXD"]);
        let class = if opcode == "TXF" { Class::Int } else { Class::Float };
        let count = if opcode == "TXD" { 3 } else { 1 };
        let sources: Vec<String> = (0..count).map(|_| self.source(class)).collect();
        self.line(&format!("{opcode} {destination}, {}, SAMP[0], 2D", sources.join(", ")));
    }

    fn block(&mut self, depth: u32, length: u32) {
        for _ in 0..1 + self.random.next(length) {
            match self.random.next(if depth < 3 { 20 } else { 16 }) {
                16 | 17 => self.branch(depth),
                18 => self.turns(depth),
                19 => self.switch(depth),
                15 if self.random.next(3) == 0 => {
                    let source = self.source(Class::Int);
                    self.line(&format!("AND ADDR[0].x, {source}, IMM[3].zzzz"));
                }
                14 if depth > 0 && self.random.next(4) == 0 => {
                    let source = self.source(Class::Float);
                    self.line(&format!("KILL_IF {source}"));
                }
                13 if depth > 0 && self.random.next(4) == 0 => self.leave(),
                12 if self.random.next(3) == 0 => self.texture(),
                11 if !self.subroutines.is_empty() && self.random.next(4) == 0 => {
                    let all = self.subroutines.clone();
                    let which = all.start + self.random.next(all.end - all.start);
                    self.line(&format!("CAL :@{which}@"));
                }
                10 if depth == 0
                    && self.loops == 0
                    && !self.returns
                    && self.random.next(3) == 0 =>
                {
                    // All lanes run here.
                    let opcode = self.random.pick(&["DDX", "DDY", "DDX_FINE", "DDY_FINE"]);
                    let (to, from) = (self.destination(Class::Float), self.source(Class::Float));
                    self.line(&format!("{opcode} {to}, {from}"));
                }
                _ => self.arithmetic(),
            }
        }
    }

    /// Adds an instruction that ends this turn, loop or shader; the code after it is dead.
    fn leave(&mut self) {
        let word = match self.random.next(4) {
            0 | 1 if self.loops > 0 => "BRK",
            2 if self.loops > 0 => "CONT",
            3 if self.returns => "RET",
            _ => "KILL",
        };
        self.line(word);
    }

    fn branch(&mut self, depth: u32) {
        let float = self.random.next(3) == 0;
        let condition = self.source(if float { Class::Float } else { Class::Int });
        self.line(&format!("{} {condition}", if float { "IF" } else { "UIF" }));
        self.block(depth + 1, 5);
        if self.random.next(2) == 0 {
            self.line("ELSE");
            self.block(depth + 1, 5);
        }
        self.line("ENDIF");
    }

    /// Adds a loop that counts to 5, unless its body leaves it earlier.
    fn turns(&mut self, depth: u32) {
        let Some(counter) = self.counters.next() else { return };
        let register = format!("TEMP[{}]", 14 + counter);
        self.loops += 1;
        for line in [
            &format!("MOV {register}.x, IMM[2].xxxx"),
            "BGNLOOP",
            &format!("ISGE {register}.y, {register}.xxxx, IMM[3].wwww"),
            &format!("UIF {register}.yyyy"),
            "BRK",
            "ENDIF",
            &format!("UADD {register}.x, {register}.xxxx, IMM[2].yyyy"),
        ] {
            self.line(line);
        }
        self.block(depth + 1, 6);
        self.line("ENDLOOP");
        self.loops -= 1;
        self.counters.start = counter;
    }

    fn switch(&mut self, depth: u32) {
        let source = self.source(Class::Int);
        self.line(&format!("AND TEMP[9].x, {source}, IMM[3].zzzz"));
        self.line("SWITCH TEMP[9].xxxx");
        let default = self.random.next(4);
        for case in 0..3 {
            if case == default {
                self.line("DEFAULT");
            } else {
                self.line(&format!("CASE IMM[2].{}", ["xxxx", "yyyy", "zzzz"][case as usize]));
            }
            // A BRK in here belongs to the switch.
            self.block(depth + 1, 3);
            if self.random.next(3) > 0 {
                self.line("BRK");
            }
        }
        self.line("ENDSWITCH");
    }
}

/// Returns the shader of a seed, without its stage.
pub(crate) fn shader(seed: u64) -> String {
    let returns = seed.is_multiple_of(3);
    let mut writer = Writer {
        random: Random(seed),
        text: String::new(),
        count: 0,
        loops: 0,
        counters: 0..2,
        returns,
        subroutines: 0..2,
    };
    writer.block(0, 24);
    for output in 0..20 {
        let register = if output < 14 { output } else { output + 4 };
        writer.line(&format!("MOV OUT[{output}], TEMP[{register}]"));
    }
    writer.line("END");
    let mut begins = Vec::new();
    for subroutine in 0..2 {
        begins.push(writer.count);
        writer.line("BGNSUB");
        // A subroutine may be called in a loop: its own loop must not use the caller's counter.
        writer.counters = 2 + subroutine..3 + subroutine;
        writer.subroutines = subroutine + 1..2;
        writer.returns = true;
        writer.block(1, 8);
        writer.line("ENDSUB");
    }
    let mut text = String::from(
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL IN[1], GENERIC[1], CONSTANT\n\
         DCL OUT[0..19], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL CONST[0..7]\n\
         DCL TEMP[0..9]\nDCL TEMP[10..13], ARRAY(1), LOCAL\nDCL TEMP[14..23]\nDCL ADDR[0]\n\
         IMM[0] FLT32 {0.0, 1.0, -2.5, 0.5}\nIMM[1] FLT32 {3.0, -1.0, 100.0, 0.1}\n\
         IMM[2] INT32 {0, 1, 2, -1}\nIMM[3] INT32 {31, -7, 3, 5}\n\
         IMM[4] FLT64 {1.5, -0.375}\nIMM[5] INT64 {-5, 4294967299}\n",
    );
    for (at, begin) in begins.iter().enumerate() {
        writer.text = writer.text.replace(&format!(":@{at}@"), &format!(":{begin}"));
    }
    write!(text, "{}", writer.text).expect("strings take all");
    text
}

/// Textures that compute formulas of coordinates and levels.
pub(crate) struct Formula;

impl<R: Lanes> Resources<R> for Formula {
    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let of = |row: &R, lane: usize| f32::from_bits(row.as_slice()[lane]);
        for lane in (0..R::COUNT).filter(|lane| request.live >> lane & 1 != 0) {
            let [s, t, _] = request.coord.map(|row| of(row, lane));
            let lod = request.lod.map_or(0.25, |row| of(row, lane));
            let texel = [s * 0.5, t + of(request.ddx[0], lane), lod, of(request.ddy[1], lane) - s];
            for (out, value) in out.iter_mut().zip(texel) {
                out.as_mut_slice()[lane] = value.to_bits();
            }
        }
    }
}

/// Runs all invocations, in batches; `None` stands for a killed invocation.
pub(crate) fn run_width<R: Lanes>(
    program: &Program<'_>,
    inputs: &[Registers],
    constants: &[&[u8]],
) -> Vec<Option<Registers>> {
    let batches = inputs.chunks(R::COUNT).flat_map(|batch| {
        let live = if batch.len() == 64 { !0 } else { (1 << batch.len()) - 1 };
        let results = run_batch::<R>(program, batch, live, constants, &mut Formula);
        let lanes = results.lanes.into_iter().take(batch.len()).enumerate();
        lanes.map(move |(lane, registers)| (results.alive >> lane & 1 != 0).then_some(registers))
    });
    batches.collect()
}

/// Compares bits; in floats all NaNs are equal.
pub(crate) fn same(class: Class, a: &[u32; 4], b: &[u32; 4]) -> bool {
    let nan = |bits: u32| f32::from_bits(bits).is_nan();
    let wide = |pair: [u32; 2]| f64::from_bits(u64::from(pair[0]) | u64::from(pair[1]) << 32);
    match class {
        Class::Float => a.iter().zip(b).all(|(&a, &b)| a == b || (nan(a) && nan(b))),
        Class::Double => [0, 2].into_iter().all(|at| {
            let (a, b) = ([a[at], a[at + 1]], [b[at], b[at + 1]]);
            a == b || (wide(a).is_nan() && wide(b).is_nan())
        }),
        Class::Int | Class::Long => a == b,
    }
}

pub(crate) fn inputs(seed: u64) -> (Vec<Registers>, Vec<u8>) {
    let mut random = Random(seed ^ 0x5555);
    let floats = [0.0, -0.0, 1.0, -1.0, 0.3, 7.5, -123.4, 1e20, -1e-20, f32::INFINITY];
    // Every second program also gets values at the ends of ranges.
    let is_nasty = seed % 2 == 1;
    let float = |random: &mut Random| match is_nasty && random.next(3) > 0 {
        true => random.pick(&NASTY_FLOATS),
        false => random.pick(&floats).to_bits(),
    };
    let inputs = (0..19)
        .map(|_| {
            let floats = std::array::from_fn(|_| float(&mut random));
            let integers = std::array::from_fn(|at| match at {
                0 if !is_nasty || random.next(2) == 0 => random.next(8).wrapping_sub(2),
                _ if is_nasty && random.next(4) > 0 => random.pick(&NASTY_INTEGERS),
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
    (inputs, constant_buffer(&constants))
}
