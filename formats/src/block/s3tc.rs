//! S3TC: DXT1, DXT3, DXT5.
//!
//! # Source
//! EXT_texture_compression_s3tc. Endpoints of 5 and 6 bits are widened by repeating their high
//! bits, and thirds and halves are truncated, as Gallium's own decoder does.

use super::steps::{self, UNSIGNED};
use super::{Bytes, Texels, halves, s3tc_fit, texel};
use crate::Format;
use crate::index::{at, each};

/// The encoding of alpha.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// No alpha: the fourth code of three colours is black.
    Opaque,
    /// The fourth code of three colours is black and transparent.
    Transparent,
    /// 4 bits of alpha per texel.
    Explicit,
    /// Eight steps of alpha.
    Steps,
}

impl Kind {
    pub(super) fn of(format: Format) -> Kind {
        match format {
            Format::Dxt1Rgb | Format::Dxt1Srgb => Kind::Opaque,
            Format::Dxt1Rgba | Format::Dxt1Srgba => Kind::Transparent,
            Format::Dxt3Rgba | Format::Dxt3Srgba => Kind::Explicit,
            _ => Kind::Steps,
        }
    }

    fn has_alpha_block(self) -> bool {
        matches!(self, Kind::Explicit | Kind::Steps)
    }
}

/// Widens a 565 colour to 8 bits per channel.
pub(super) const fn widen(color: u16) -> [i32; 3] {
    let (r, g, b) = (color as i32 >> 11, color as i32 >> 5 & 63, color as i32 & 31);
    [r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2]
}

/// Returns the colours of the four codes. With `three`, the last colour is black.
pub(super) fn palette(first: u16, second: u16, three: bool) -> [[i32; 3]; 4] {
    let (a, b) = (widen(first), widen(second));
    let mix = |m: i32, n: i32| each(a, b, |a, b| (m * a + n * b) / (m + n));
    if three { [a, b, mix(1, 1), [0; 3]] } else { [a, b, mix(2, 1), mix(1, 2)] }
}

/// Decodes 16 texels.
pub(super) fn decode(kind: Kind, block: &Bytes, texels: &mut Texels) {
    let [low, high] = halves(block);
    let colors: [u8; 8] = if kind.has_alpha_block() { high } else { low };
    let word = u64::from_le_bytes(colors);
    let (first, second) = (word as u16, (word >> 16) as u16);
    // DXT3 and DXT5 always have four colours.
    let three = first <= second && !kind.has_alpha_block();
    let palette = palette(first, second, three);
    for (i, texel) in texels.iter_mut().take(16).enumerate() {
        let code = (word >> (32 + 2 * i) & 3) as usize;
        let [r, g, b] = at(&palette, code).map(|x| x as u16);
        let clear = three && code == 3 && kind == Kind::Transparent;
        *texel = [r, g, b, if clear { 0 } else { 255 }];
    }
    match kind {
        Kind::Explicit => steps::explicit(low, texels),
        Kind::Steps => steps::alpha(low, texels),
        Kind::Opaque | Kind::Transparent => {}
    }
}

/// Encodes 16 texels. In DXT1 with alpha, texels with an alpha below one half become transparent.
pub(super) fn encode(kind: Kind, texels: &Texels) -> Bytes {
    let color = |i: usize| {
        let [r, g, b, _] = texel(texels, i).map(i32::from);
        [r, g, b]
    };
    let clear = |i: usize| kind == Kind::Transparent && texel(texels, i)[3] < 128;
    let colors: [_; 16] = core::array::from_fn(|i| (!clear(i)).then(|| color(i)));
    let colors = s3tc_fit::fit(&colors, kind.has_alpha_block()).to_le_bytes();
    let alpha = match kind {
        Kind::Explicit => {
            let nibble = |i: usize| (texel(texels, i)[3] as u64 * 15 + 127) / 255;
            (0..16).fold(0, |word, i| word | nibble(i) << (4 * i)).to_le_bytes()
        }
        Kind::Steps => UNSIGNED.encode(core::array::from_fn(|i| texel(texels, i)[3])),
        Kind::Opaque | Kind::Transparent => colors,
    };
    let [low, high] = [alpha, colors].map(|half| u64::from_le_bytes(half) as u128);
    (low | high << 64).to_le_bytes()
}
