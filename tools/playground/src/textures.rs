//! Textures that are computed: integers only, so that they are alike everywhere.

use serde::Deserialize;

/// The side of the first level, in texels.
pub(crate) const SIDE: usize = 128;
/// The number of levels.
pub(crate) const LEVELS: u32 = 8;

/// A texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    /// Squares in many colours, so that each place looks different.
    Checker,
    /// Bricks in mortar.
    Bricks,
    /// Veins.
    Marble,
    /// Red along u, green along v.
    Gradient,
    /// White.
    White,
}

type Texel = [u8; 4];

/// Returns a number that looks random for a place.
fn hash(x: u32, y: u32) -> u32 {
    let mut it = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca6b);
    it ^= it >> 15;
    it = it.wrapping_mul(0x2c1b_3c6d);
    it ^ it >> 13
}

/// Returns smooth noise, 0 to 255, with a period of `SIDE`; `cell` texels have one value.
fn noise(x: u32, y: u32, cell: u32) -> u32 {
    let count = SIDE as u32 / cell;
    let value = |x: u32, y: u32| hash(x % count + cell, y % count) & 255;
    let (column, row) = (x / cell, y / cell);
    let (right, down) = (x % cell, y % cell);
    let mix = |a: u32, b: u32, part: u32| (a * (cell - part) + b * part) / cell;
    let upper = mix(value(column, row), value(column + 1, row), right);
    let lower = mix(value(column, row + 1), value(column + 1, row + 1), right);
    mix(upper, lower, down)
}

/// Returns a colour between two.
fn mixed(a: [u32; 3], b: [u32; 3], part: u32) -> Texel {
    let part = part.min(255);
    let [red, green, blue] = [0, 1, 2].map(|at| {
        let of = |color: [u32; 3]| color.get(at).copied().unwrap_or(0);
        ((of(a) * (255 - part) + of(b) * part) / 255) as u8
    });
    [red, green, blue, 255]
}

impl Pattern {
    fn texel(self, x: u32, y: u32) -> Texel {
        match self {
            Self::Checker => {
                let (column, row) = (x / 16, y / 16);
                let tint = [60 + column * 24, 90 + row * 18, 220 - column * 14];
                let part = if (column + row).is_multiple_of(2) { 0 } else { 200 };
                mixed(tint, [245, 242, 232], part)
            }
            Self::Bricks => {
                let row = y / 16;
                let shifted = (x + row % 2 * 16) % SIDE as u32;
                let (right, down) = (shifted % 32, y % 16);
                let grain = noise(x, y, 4) / 4;
                if right < 2 || down < 2 {
                    return mixed([150, 146, 138], [190, 186, 178], grain * 3);
                }
                let tone = hash(shifted / 32, row) & 127;
                mixed([120, 52, 40], [196, 98, 66], tone + grain)
            }
            Self::Marble => {
                let wave = noise(x, y, 32) * 2 + noise(x, y, 16) + noise(x, y, 8) / 2;
                let place = (wave + x * 4) % 256;
                let vein = if place < 128 { place } else { 255 - place } * 2;
                mixed([58, 74, 92], [236, 234, 228], 255 - (255 - vein) * (255 - vein) / 255)
            }
            Self::Gradient => [(x * 2) as u8, (y * 2) as u8, 96, 255],
            Self::White => [255; 4],
        }
    }

    /// Returns the texels of all levels, RGBA. A texel of a smaller level is the mean of four.
    pub(crate) fn texels(self) -> Vec<u8> {
        let mut level: Vec<Texel> = Vec::new();
        for y in 0..SIDE as u32 {
            level.extend((0..SIDE as u32).map(|x| self.texel(x, y)));
        }
        let mut bytes = level.as_flattened().to_vec();
        let mut side = SIDE;
        while side > 1 {
            let rows: Vec<&[Texel]> = level.chunks(side).collect();
            let mut smaller = Vec::new();
            for pair in rows.chunks_exact(2) {
                let [upper, lower] = pair else { continue };
                for (a, b) in upper.as_chunks::<2>().0.iter().zip(lower.as_chunks::<2>().0) {
                    let four = [a[0], a[1], b[0], b[1]];
                    smaller.push([0, 1, 2, 3].map(|at| {
                        let of = |it: &Texel| it.get(at).copied().map_or(0, u32::from);
                        (four.iter().map(of).sum::<u32>().div_ceil(4)).min(255) as u8
                    }));
                }
            }
            level = smaller;
            bytes.extend(level.as_flattened());
            side /= 2;
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_has_all_levels() {
        // 128² + 64² + … + 1: a third of 4⁸ - 1.
        let texels = (0..LEVELS).map(|level| (SIDE >> level).pow(2)).sum::<usize>();
        assert_eq!(texels, (4usize.pow(LEVELS) - 1) / 3);
        assert_eq!(Pattern::White.texels(), vec![255; texels * 4]);
        assert_eq!(Pattern::Gradient.texels().len(), texels * 4);
        assert_eq!(Pattern::Gradient.texel(64, 32), [128, 64, 96, 255]);
    }
}
