//! ASTC, two-dimensional, low dynamic range (LDR): blocks of 4×4 to 12×12 texels in 128 bits.
//!
//! A block holds a small grid of weights (from the highest bit down) and colour endpoints (from low
//! bits up), both as integer sequences ([`ise`]). A block has up to four partitions, each with two
//! endpoints; a hash of the texel's position chooses the partition. The decoder returns bytes, as
//! `EXT_texture_compression_astc_decode_mode` allows. Illegal blocks and blocks of high dynamic
//! range (HDR) decode to magenta.
//!
//! # Source
//! Khronos Data Format Specification 1.3, chapter 23.

mod endpoints;
mod ise;

use super::{Bytes, Codes, Texels};
use crate::format::{Block, Description};
use crate::index::at;
use ise::Range;

/// The colour of an illegal block: magenta.
const ERROR: Codes = [255, 0, 255, 255];

/// Number of weights in the largest grid, both planes together.
const MAX_WEIGHTS: usize = 64;

/// The grid of weights, as the block mode describes it.
struct Grid {
    width: usize,
    height: usize,
    dual: bool,
    range: Range,
}

impl Grid {
    fn count(&self) -> usize {
        self.width * self.height * (1 + self.dual as usize)
    }

    fn bits(&self) -> usize {
        self.range.bits(self.count())
    }

    /// Returns the grid of an 11-bit block mode; `None` if the mode is illegal in `block`.
    fn of(mode: u32, block: Block) -> Option<Grid> {
        let bit = |at: u32| mode >> at & 1;
        let two = |at: u32| (mode >> at & 3) as usize;
        let (a, b) = (two(5), two(7));
        let (mut dual, mut high) = (bit(10) != 0, bit(9) != 0);
        let (width, height, level) = if two(0) != 0 {
            let (width, height) = match two(2) {
                0 => (b + 4, a + 2),
                1 => (b + 8, a + 2),
                2 => (a + 2, b + 8),
                _ if bit(8) == 0 => (a + 2, (b & 1) + 6),
                _ => ((b & 1) + 2, a + 2),
            };
            (width, height, bit(4) | bit(0) << 1 | bit(1) << 2)
        } else {
            let (width, height) = match b {
                _ if two(2) == 0 => return None,
                0 => (12, a + 2),
                1 => (a + 2, 12),
                2 => {
                    (dual, high) = (false, false);
                    (a + 6, two(9) + 6)
                }
                _ if a == 0 => (6, 10),
                _ if a == 1 => (10, 6),
                _ => return None,
            };
            (width, height, bit(4) | bit(2) << 1 | bit(3) << 2)
        };
        let range = Range::of_weights(level, high)?;
        let grid = Grid { width, height, dual, range };
        let fits = width <= block.width as usize && height <= block.height as usize;
        let legal = fits && grid.count() <= MAX_WEIGHTS && (24..=96).contains(&grid.bits());
        legal.then_some(grid)
    }

    /// Returns the weight of a plane, 0 to 64, at texel (`x`, `y`) of `block`: interpolated between
    /// four weights of the grid.
    fn weight(
        &self,
        weights: &[u8; MAX_WEIGHTS],
        block: Block,
        x: u32,
        y: u32,
        plane: usize,
    ) -> i32 {
        let place = |at: u32, texels: u8, cells: usize| {
            let texels = texels as u32;
            let step = (1024 + texels / 2) / (texels - 1).max(1);
            (step * at * (cells as u32 - 1) + 32) >> 6
        };
        let (gx, gy) = (place(x, block.width, self.width), place(y, block.height, self.height));
        let (fx, fy) = ((gx & 15) as i32, (gy & 15) as i32);
        let (left, top) = ((gx >> 4) as usize, (gy >> 4) as usize);
        let planes = 1 + self.dual as usize;
        let at = |x: usize, y: usize| {
            // Beyond the last weight the interpolation factor is 0, so any value will do.
            let cell = (y * self.width + x) * planes + plane;
            weights.get(cell).copied().unwrap_or(0) as i32
        };
        let both = (fx * fy + 8) >> 4;
        let sum = at(left, top) * (16 - fx - fy + both)
            + at(left + 1, top) * (fx - both)
            + at(left, top + 1) * (fy - both)
            + at(left + 1, top + 1) * both;
        (sum + 8) >> 4
    }
}

/// A parsed block.
struct Parsed {
    grid: Grid,
    weights: [u8; MAX_WEIGHTS],
    partitions: u32,
    seed: u32,
    /// Two endpoints for each partition; `None` for high dynamic range (HDR).
    ends: [Option<[[i32; 4]; 2]>; 4],
    /// The component that uses the second plane of weights.
    second: Option<usize>,
}

/// Returns `bits` bits from bit `low` up.
const fn field(word: u128, low: usize, bits: usize) -> u32 {
    (word >> low) as u32 & ((1u32 << bits) - 1)
}

impl Parsed {
    fn of(word: u128, block: Block) -> Option<Parsed> {
        let grid = Grid::of(field(word, 0, 11), block)?;
        let partitions = field(word, 11, 2) + 1;
        if grid.dual && partitions == 4 {
            return None;
        }
        // The fields below the weights, from high bits down.
        let mut top = 128 - grid.bits();
        let (seed, modes, start) = if partitions == 1 {
            (0, [field(word, 13, 4); 4], 17)
        } else {
            let low = field(word, 23, 6);
            let extra = if low & 3 == 0 { 0 } else { 3 * partitions as usize - 4 };
            top -= extra;
            let bits = low | field(word, top, extra) << 6;
            (field(word, 13, 10), endpoint_modes(bits, partitions), 29)
        };
        let second = grid.dual.then(|| {
            top -= 2;
            field(word, top, 2) as usize
        });
        let modes = modes.get(..partitions as usize)?;
        let count = modes.iter().map(|mode| (*mode as usize / 4 + 1) * 2).sum::<usize>();
        if count > 18 {
            return None;
        }
        let range = Range::of_colors(count, top.checked_sub(start)?)?;
        let mut values = [0; 18];
        range.colors(word >> start, values.get_mut(..count)?);
        let mut ends = [None; 4];
        let mut rest = &values[..];
        for (ends, &mode) in ends.iter_mut().zip(modes) {
            *ends = endpoints::decode(mode, rest);
            rest = rest.get((mode as usize / 4 + 1) * 2..).unwrap_or(&[]);
        }
        let mut weights = [0; MAX_WEIGHTS];
        grid.range.weights(word.reverse_bits(), weights.get_mut(..grid.count())?);
        Some(Parsed { grid, weights, partitions, seed, ends, second })
    }

    fn texel(&self, block: Block, x: u32, y: u32) -> Codes {
        let small = (block.width as u32) * (block.height as u32) < 31;
        let partition = partition(self.seed, x, y, self.partitions, small);
        let Some([low, high]) = at(&self.ends, partition) else { return ERROR };
        let weight = |plane| self.grid.weight(&self.weights, block, x, y, plane);
        let first = weight(0);
        let second = if self.grid.dual { weight(1) } else { first };
        core::array::from_fn(|i| {
            let weight = if self.second == Some(i) { second } else { first };
            let wide = |x: i32| x << 8 | 0x80;
            let (low, high) = (wide(at(&low, i)), wide(at(&high, i)));
            ((low * (64 - weight) + high * weight + 32) >> 14) as u16
        })
    }
}

/// Returns the endpoint mode of each of several partitions.
fn endpoint_modes(bits: u32, partitions: u32) -> [u32; 4] {
    let class = bits & 3;
    if class == 0 {
        return [bits >> 2 & 15; 4];
    }
    core::array::from_fn(|i| {
        let i = i as u32;
        let higher = bits >> (2 + i) & 1;
        let mode = bits >> (2 + partitions + 2 * i) & 3;
        (class - 1 + higher) << 2 | mode
    })
}

/// Returns a hash of the partition's number. Each output bit depends on all input bits.
const fn hash(mut p: u32) -> u32 {
    p ^= p >> 15;
    p = p.wrapping_sub(p << 17);
    p = p.wrapping_add(p << 7);
    p = p.wrapping_add(p << 4);
    p ^= p >> 5;
    p = p.wrapping_add(p << 16);
    p ^= p >> 7;
    p ^= p >> 3;
    p ^= p << 6;
    p ^ p >> 17
}

/// Returns the partition of a texel: the greatest of up to four slanted saw-tooth waves.
fn partition(seed: u32, x: u32, y: u32, count: u32, small: bool) -> usize {
    if count == 1 {
        return 0;
    }
    let (x, y) = if small { (2 * x, 2 * y) } else { (x, y) };
    let seed = seed + (count - 1) * 1024;
    let random = hash(seed);
    let a = if seed & 2 != 0 { 4 } else { 5 };
    let b = if count == 3 { 6 } else { 5 };
    let (first, second) = if seed & 1 != 0 { (a, b) } else { (b, a) };
    let slope = |at: u32, shift: u32| {
        let nibble = random >> at & 15;
        (nibble * nibble) >> shift
    };
    let wave = |at: u32, offset: u32| {
        (slope(at, first) * x + slope(at + 4, second) * y + (random >> offset)) & 63
    };
    let waves = [
        wave(0, 14),
        wave(8, 10),
        if count < 3 { 0 } else { wave(16, 6) },
        if count < 4 { 0 } else { wave(24, 2) },
    ];
    // If waves are equal, the first one wins.
    (1..4).fold(0, |best, i| if at(&waves, i) > at(&waves, best) { i } else { best })
}

/// Decodes a block of one colour.
fn void_extent(word: u128) -> Codes {
    let extent = |at: usize| field(word, 12 + 13 * at, 13);
    let extents: [u32; 4] = core::array::from_fn(extent);
    let none = extents == [0x1fff; 4];
    let ordered = extents[0] < extents[1] && extents[2] < extents[3];
    let high_range = field(word, 9, 1) != 0;
    if high_range || field(word, 10, 2) != 3 || !(none || ordered) {
        return ERROR;
    }
    core::array::from_fn(|i| field(word, 64 + 16 * i, 16) as u16 >> 8)
}

/// Decodes a block.
pub(super) fn decode(desc: &Description, block: &Bytes, texels: &mut Texels) {
    let word = u128::from_le_bytes(*block);
    let (wide, high) = (desc.block.width as usize, desc.block.height as usize);
    let Some(texels) = texels.get_mut(..wide * high) else { return };
    if field(word, 0, 9) == 0x1fc {
        texels.fill(void_extent(word));
        return;
    }
    let Some(parsed) = Parsed::of(word, desc.block) else {
        texels.fill(ERROR);
        return;
    };
    for (i, texel) in texels.iter_mut().enumerate() {
        *texel = parsed.texel(desc.block, (i % wide) as u32, (i / wide) as u32);
    }
}
