//! ETC1 and ETC2: red, green, blue in 64 bits, big-endian, codes column by column.
//!
//! ETC2 adds three modes, coded by colour differences that overflow in ETC1. An ETC2 decoder can
//! read ETC1.
//!
//! # Source
//! OpenGL ES 3.2, appendix C.1.

use super::{Bytes, Texels, eac, halves};
use crate::format::Description;
use crate::index::{at, each};

/// The encoding of alpha.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// No alpha.
    Opaque,
    /// One bit: a texel's code may mean transparent.
    Punchthrough,
    /// A block of EAC.
    Alpha,
}

impl Kind {
    pub(super) fn of(desc: &Description) -> Kind {
        match (desc.channel_count, desc.block.bytes) {
            (4, 8) => Kind::Punchthrough,
            (4, _) => Kind::Alpha,
            _ => Kind::Opaque,
        }
    }
}

/// The small and the large modifier of each table.
const MODIFIERS: [[i32; 2]; 8] =
    [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];

/// Distances of the modes T and H.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

type Color = [i32; 3];

/// Returns `bits` bits of `word` from bit `low` up.
const fn field(word: u64, low: u32, bits: u32) -> i32 {
    (word >> low) as i32 & ((1 << bits) - 1)
}

/// Repeats the high bits of a channel of 4 to 7 bits.
const fn widen(value: i32, bits: u32) -> i32 {
    value << (8 - bits) | value >> (2 * bits - 8)
}

fn shifted(color: Color, by: i32) -> Color {
    color.map(|x| (x + by).clamp(0, 255))
}

/// Returns the code of texel `i`, row by row: 0 to 3.
fn code(word: u64, i: usize) -> usize {
    let at = 4 * (i % 4) + i / 4;
    (word >> (16 + at) & 1) as usize * 2 + (word >> at & 1) as usize
}

/// The mode of a block.
enum Mode {
    /// Two halves, each of a base colour and a table.
    Halves([Color; 2]),
    /// Four colours for the whole block.
    Paint([Color; 4]),
    /// A plane per channel: its values at the origin, to the right, and below.
    Planar([Color; 3]),
}

/// Reads the mode of a block. `individual` is the block's bit for individual mode, which
/// punch-through blocks do not have.
fn mode(word: u64, individual: bool) -> Mode {
    if individual {
        let base = |low: u32| [56, 48, 40].map(|at| widen(field(word, at + low, 4), 4));
        return Mode::Halves([base(4), base(0)]);
    }
    let first = [59, 51, 43].map(|at| field(word, at, 5));
    // Three bits in two's complement.
    let second: Color = each(first, [56, 48, 40], |first, low| {
        let difference = field(word, low, 3);
        first + (difference ^ 4) - 4
    });
    let outside = |x: i32| !(0..32).contains(&x);
    if outside(second[0]) {
        paint_t(word)
    } else if outside(second[1]) {
        paint_h(word)
    } else if outside(second[2]) {
        planar(word)
    } else {
        Mode::Halves([first.map(|x| widen(x, 5)), second.map(|x| widen(x, 5))])
    }
}

fn paint_t(word: u64) -> Mode {
    let first =
        [field(word, 59, 2) << 2 | field(word, 56, 2), field(word, 52, 4), field(word, 48, 4)];
    let second = [field(word, 44, 4), field(word, 40, 4), field(word, 36, 4)];
    let [first, second] = [first, second].map(|color| color.map(|x| widen(x, 4)));
    let distance = at(&DISTANCES, (field(word, 34, 2) << 1 | field(word, 32, 1)) as usize);
    Mode::Paint([first, shifted(second, distance), second, shifted(second, -distance)])
}

fn paint_h(word: u64) -> Mode {
    let first = [
        field(word, 59, 4),
        field(word, 56, 3) << 1 | field(word, 52, 1),
        field(word, 51, 1) << 3 | field(word, 47, 3),
    ];
    let second = [field(word, 43, 4), field(word, 39, 4), field(word, 35, 4)];
    let order = |[r, g, b]: Color| r << 8 | g << 4 | b;
    let index = field(word, 34, 1) << 2 | field(word, 32, 1) << 1;
    let index = index | (order(first) >= order(second)) as i32;
    let distance = at(&DISTANCES, index as usize);
    let [first, second] = [first, second].map(|color| color.map(|x| widen(x, 4)));
    Mode::Paint([
        shifted(first, distance),
        shifted(first, -distance),
        shifted(second, distance),
        shifted(second, -distance),
    ])
}

fn planar(word: u64) -> Mode {
    let origin = [
        field(word, 57, 6),
        field(word, 56, 1) << 6 | field(word, 49, 6),
        field(word, 48, 1) << 5 | field(word, 43, 2) << 3 | field(word, 39, 3),
    ];
    let right =
        [field(word, 34, 5) << 1 | field(word, 32, 1), field(word, 25, 7), field(word, 19, 6)];
    let down = [field(word, 13, 6), field(word, 6, 7), field(word, 0, 6)];
    let wide = |[r, g, b]: Color| [widen(r, 6), widen(g, 7), widen(b, 6)];
    Mode::Planar([wide(origin), wide(right), wide(down)])
}

/// Decodes 16 texels.
pub(super) fn decode(kind: Kind, block: &Bytes, texels: &mut Texels) {
    let [low, high] = halves(block);
    let word = u64::from_be_bytes(if kind == Kind::Alpha { high } else { low });
    let bit = field(word, 33, 1) != 0;
    // In punch-through blocks, the bit of the differential mode means that the block is opaque.
    let punched = kind == Kind::Punchthrough && !bit;
    let mode = mode(word, kind != Kind::Punchthrough && !bit);
    let flipped = field(word, 32, 1) != 0;
    for (i, texel) in texels.iter_mut().take(16).enumerate() {
        let (x, y) = (i as i32 % 4, i as i32 / 4);
        let code = code(word, i);
        let clear = punched && code == 2 && !matches!(mode, Mode::Planar(_));
        let color = match &mode {
            Mode::Halves(bases) => {
                let half = (if flipped { y } else { x } >= 2) as usize;
                let table = field(word, if half == 0 { 37 } else { 34 }, 3);
                let table = at(&MODIFIERS, table as usize);
                // In a block with transparent texels the small modifiers are 0.
                let size = if code & 1 == 0 && punched { 0 } else { at(&table, code) };
                shifted(at(bases, half), if code >= 2 { -size } else { size })
            }
            Mode::Paint(colors) => at(colors, code),
            Mode::Planar([origin, right, down]) => {
                let ends = each(*right, *down, |right, down| (right, down));
                each(*origin, ends, |origin, (right, down)| {
                    let sum = x * (right - origin) + y * (down - origin);
                    ((sum + 4 * origin + 2) >> 2).clamp(0, 255)
                })
            }
        };
        let [r, g, b] = if clear { [0; 3] } else { color.map(|x| x as u16) };
        *texel = [r, g, b, if clear { 0 } else { 255 }];
    }
    if kind == Kind::Alpha {
        eac::alpha(low, texels);
    }
}
