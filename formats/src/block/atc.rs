//! ATC: AMD's variant of S3TC. The first endpoint has 555 bits, and its highest bit is a mode.
//!
//! # Source
//! AMD_compressed_ATC_texture names the formats only; existing decoders agree on the layout. In one
//! mode the inner colours are at 3/8 and 5/8. In the other mode the first two colours are black and
//! the first endpoint minus a quarter of the second.

use super::{Bytes, Texels, halves, steps};
use crate::Format;
use crate::index::{at, each};

/// The encoding of alpha.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// No alpha.
    Opaque,
    /// 4 bits of alpha per texel.
    Explicit,
    /// Eight steps of alpha.
    Steps,
}

impl Kind {
    pub(super) fn of(format: Format) -> Kind {
        match format {
            Format::AtcRgb => Kind::Opaque,
            Format::AtcRgbaExplicit => Kind::Explicit,
            _ => Kind::Steps,
        }
    }
}

fn palette(word: u64) -> [[i32; 3]; 4] {
    let five = |at: u32| {
        let v = (word >> at) as i32 & 31;
        v << 3 | v >> 2
    };
    let six = (word >> 21) as i32 & 63;
    let first = [five(10), five(5), five(0)];
    let last = [five(27), six << 2 | six >> 4, five(16)];
    let mix = |m: i32, n: i32| each(first, last, |a, b| (m * a + n * b) / 8);
    if word & 0x8000 == 0 {
        [first, mix(5, 3), mix(3, 5), last]
    } else {
        let less = each(first, last, |a, b| (a - b / 4).max(0));
        [[0; 3], less, first, last]
    }
}

/// Decodes 16 texels.
pub(super) fn decode(kind: Kind, block: &Bytes, texels: &mut Texels) {
    let [low, high] = halves(block);
    let word = u64::from_le_bytes(if kind == Kind::Opaque { low } else { high });
    let palette = palette(word);
    for (i, texel) in texels.iter_mut().take(16).enumerate() {
        let [r, g, b] = at(&palette, (word >> (32 + 2 * i)) as usize).map(|x| x as u16);
        *texel = [r, g, b, 255];
    }
    match kind {
        Kind::Opaque => {}
        Kind::Explicit => steps::explicit(low, texels),
        Kind::Steps => steps::alpha(low, texels),
    }
}
