//! BPTC: BC7 and BC6H, decoded by `bcdec_rs`.

use super::{Bytes, Texels};
use crate::Format;

/// The two kinds of blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// BC7: red, green, blue, alpha in bytes.
    Color,
    /// BC6H: red, green, blue as 16-bit floats.
    Float {
        /// True if the floats have signs.
        signed: bool,
    },
}

impl Kind {
    pub(super) fn of(format: Format) -> Kind {
        match format {
            Format::BptcRgbFloat => Kind::Float { signed: true },
            Format::BptcRgbUfloat => Kind::Float { signed: false },
            _ => Kind::Color,
        }
    }
}

/// Decodes 16 texels.
pub(super) fn decode(kind: Kind, block: &Bytes, texels: &mut Texels) {
    match kind {
        Kind::Color => {
            let mut rgba = [0; 64];
            bcdec_rs::bc7(block, &mut rgba, 16);
            for (texel, rgba) in texels.iter_mut().zip(rgba.as_chunks::<4>().0) {
                *texel = rgba.map(u16::from);
            }
        }
        Kind::Float { signed } => {
            let mut rgb = [0; 48];
            bcdec_rs::bc6h_half(block, &mut rgb, 12, signed);
            for (texel, &[r, g, b]) in texels.iter_mut().zip(rgb.as_chunks::<3>().0) {
                *texel = [r, g, b, 0];
            }
        }
    }
}
