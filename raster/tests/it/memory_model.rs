//! Random programs of loads, stores and atomics against a plain sequential model of memory.

use core::fmt::Write as _;

use gallium_raster::{Config, Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use os_shim::threads::Inline;
use tgsi::exec::{AtomicCode, Lanes};

use crate::common::Random;
use crate::compute::Machine;

in_all_profiles! {
    one_worker_keeps_the_order
    several_workers_lose_no_change
}

/// Words of the buffer that the programs access.
const WORDS: u32 = 24;
const BLOCK: u32 = 24;
const BLOCKS: u32 = 6;

/// Opcodes with two operands, and their changes.
const ATOMICS: [(&str, AtomicCode); 11] = [
    ("ATOMUADD", AtomicCode::Add),
    ("ATOMXCHG", AtomicCode::Exchange),
    ("ATOMAND", AtomicCode::And),
    ("ATOMOR", AtomicCode::Or),
    ("ATOMXOR", AtomicCode::Xor),
    ("ATOMUMIN", AtomicCode::UnsignedMin),
    ("ATOMUMAX", AtomicCode::UnsignedMax),
    ("ATOMIMIN", AtomicCode::SignedMin),
    ("ATOMIMAX", AtomicCode::SignedMax),
    ("ATOMINC_WRAP", AtomicCode::IncrementWrap),
    ("ATOMDEC_WRAP", AtomicCode::DecrementWrap),
];

/// An access at word (`scale` · invocation + `offset`) mod `modulus`, which may be out of range.
#[derive(Clone, Copy, Debug)]
struct Access {
    kind: Kind,
    scale: u32,
    offset: u32,
    modulus: u32,
}

/// The effect of an access on memory and on the invocation's word.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The invocation's word becomes 31 times itself plus the loaded word.
    Load,
    /// The invocation's word is stored.
    Store,
    /// `ATOMICS[n]` changes memory by the invocation's word. That word becomes the old value
    /// exclusive-or itself.
    Atomic(usize),
    /// As `Atomic`, but the invocation's word does not change.
    Change(usize),
    /// The invocation's word is stored if memory holds the invocation's number.
    CompareExchange,
}

fn number(random: &mut Random, below: u32) -> u32 {
    (random.next() * below as f32) as u32
}

fn access(random: &mut Random, kind: Kind) -> Access {
    let (scale, offset) = (number(random, 9), number(random, 40));
    Access { kind, scale, offset, modulus: 1 + number(random, WORDS + 4) }
}

/// Returns the text of a program. Each invocation's word begins as its number and ends in buffer 1.
fn text(accesses: &[Access]) -> String {
    let mut text = String::from(invocation!(
        "DCL BUFFER[0]\nDCL BUFFER[1]\nDCL TEMP[0..3]\nIMM[0] UINT32 {4, 31, 0, 0}\n"
    ));
    for (at, access) in accesses.iter().enumerate() {
        let Access { scale, offset, modulus, .. } = access;
        writeln!(text, "IMM[{}] UINT32 {{{scale}, {offset}, {modulus}, 0}}", at + 1).unwrap();
    }
    text += "UMAD TEMP[0].x, SV[1].xxxx, SV[2].xxxx, SV[0].xxxx\nMOV TEMP[1].x, TEMP[0].xxxx\n";
    for (at, access) in accesses.iter().enumerate() {
        let imm = at + 1;
        write!(
            text,
            "UMAD TEMP[2].x, TEMP[0].xxxx, IMM[{imm}].xxxx, IMM[{imm}].yyyy\n\
            UMOD TEMP[2].x, TEMP[2].xxxx, IMM[{imm}].zzzz\n\
            UMUL TEMP[2].x, TEMP[2].xxxx, IMM[0].xxxx\n"
        )
        .unwrap();
        let (address, word) = ("TEMP[2].xxxx", "TEMP[1].xxxx");
        match access.kind {
            Kind::Load => {
                writeln!(text, "LOAD TEMP[3].x, BUFFER[0], {address}").unwrap();
                text += "UMAD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy, TEMP[3].xxxx\n";
            }
            Kind::Store => writeln!(text, "STORE BUFFER[0].x, {address}, {word}").unwrap(),
            Kind::Atomic(code) => {
                let name = ATOMICS[code].0;
                writeln!(text, "{name} TEMP[3].x, BUFFER[0], {address}, {word}").unwrap();
                text += "XOR TEMP[1].x, TEMP[1].xxxx, TEMP[3].xxxx\n";
            }
            Kind::Change(code) => {
                let name = ATOMICS[code].0;
                writeln!(text, "{name} TEMP[3].x, BUFFER[0], {address}, {word}").unwrap();
            }
            Kind::CompareExchange => {
                let operands = format!("{address}, TEMP[0].xxxx, {word}");
                writeln!(text, "ATOMCAS TEMP[3].x, BUFFER[0], {operands}").unwrap();
                text += "XOR TEMP[1].x, TEMP[1].xxxx, TEMP[3].xxxx\n";
            }
        }
    }
    text + "UMUL TEMP[2].x, TEMP[0].xxxx, IMM[0].xxxx\n\
        STORE BUFFER[1].x, TEMP[2].xxxx, TEMP[1].xxxx\nEND\n"
}

/// Performs one access of one invocation.
fn step(access: &Access, memory: &mut [u32], invocation: u32, word: &mut u32) {
    let Access { kind, scale, offset, modulus } = *access;
    let place = memory.get_mut(((invocation * scale + offset) % modulus) as usize);
    let old = place.as_ref().map_or(0, |place| **place);
    let set = |value| {
        if let Some(place) = place {
            *place = value;
        }
    };
    match kind {
        Kind::Load => *word = word.wrapping_mul(31).wrapping_add(old),
        Kind::Store => set(*word),
        Kind::Atomic(code) => {
            set(ATOMICS[code].1.apply(old, *word, 0));
            *word ^= old;
        }
        Kind::Change(code) => set(ATOMICS[code].1.apply(old, *word, 0)),
        Kind::CompareExchange => {
            if old == invocation {
                set(*word);
            }
            *word ^= old;
        }
    }
}

/// Runs the model: block by block, in each block batch by batch of lanes, in each batch access by
/// access, in each access lane by lane. Returns the buffer, and the words of the invocations.
fn model(accesses: &[Access], lanes: u32, memory: &[u32]) -> [Vec<u32>; 2] {
    let mut memory = memory.to_vec();
    let mut words: Vec<u32> = (0..BLOCK * BLOCKS).collect();
    for block in words.clone().chunks(BLOCK as usize) {
        for batch in block.chunks(lanes as usize) {
            for access in accesses {
                for invocation in batch {
                    let word = &mut words[*invocation as usize];
                    step(access, &mut memory, *invocation, word);
                }
            }
        }
    }
    [memory, words]
}

/// Returns both buffers after a program ran.
fn run<P: Profile>(os: Os<'static>, accesses: &[Access], memory: &[u32]) -> [Vec<u32>; 2] {
    let screen = Screen::<P>::new(os, Config::default());
    let count = BLOCK * BLOCKS;
    let mut machine = Machine::new(&screen, &[memory, &vec![0; count as usize]]);
    machine.program(&text(accesses), 0);
    machine.launch([BLOCK, 1, 1], [BLOCKS, 1, 1]);
    [machine.words(0, WORDS), machine.words(1, count)]
}

fn one_worker_keeps_the_order<P: Profile>() {
    let mut random = Random(18);
    for program in 0..40 {
        let accesses: Vec<Access> = (0..1 + number(&mut random, 12))
            .map(|_| {
                let kind = match number(&mut random, 6) {
                    0 | 1 => Kind::Load,
                    2 => Kind::Store,
                    3 => Kind::CompareExchange,
                    _ => Kind::Atomic(number(&mut random, ATOMICS.len() as u32) as usize),
                };
                access(&mut random, kind)
            })
            .collect();
        let memory: Vec<u32> = (0..WORDS).map(|_| number(&mut random, 200)).collect();
        let os = Os { threads: &Inline, ..Os::host() };
        let expected = model(&accesses, P::Row::COUNT as u32, &memory);
        assert_eq!(run::<P>(os, &accesses, &memory), expected, "program {program}: {accesses:?}");
    }
}

fn several_workers_lose_no_change<P: Profile>() {
    let mut random = Random(81);
    // Changes that commute, one kind per program: every atomic except exchanges and counters that
    // wrap around.
    for code in [0, 2, 3, 4, 5, 6, 7, 8] {
        let accesses: Vec<Access> =
            (0..8).map(|_| access(&mut random, Kind::Change(code))).collect();
        let memory: Vec<u32> = (0..WORDS).map(|_| number(&mut random, 1 << 20)).collect();
        let [expected, _] = model(&accesses, P::Row::COUNT as u32, &memory);
        let [buffer, _] = run::<P>(Os::host(), &accesses, &memory);
        assert_eq!(buffer, expected, "{}", ATOMICS[code].0);
    }
}
