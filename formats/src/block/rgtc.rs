//! RGTC and LATC: one or two channels of eight steps each.

use super::steps::{Range, SIGNED, UNSIGNED};
use super::{Bytes, Texels, texel};
use crate::format::{ChannelKind, Description};
use crate::index::{at, at_mut};

const fn range(desc: &Description) -> Range {
    if matches!(desc.channels[0].kind, ChannelKind::Signed) { SIGNED } else { UNSIGNED }
}

/// Decodes 16 texels.
pub(super) fn decode(desc: &Description, block: &Bytes, texels: &mut Texels) {
    for (channel, half) in block.as_chunks().0.iter().take(desc.channel_count.into()).enumerate() {
        for (texel, code) in texels.iter_mut().zip(range(desc).decode(*half)) {
            *at_mut(texel, channel) = code;
        }
    }
}

/// Encodes 16 texels.
pub(super) fn encode(desc: &Description, texels: &Texels) -> Bytes {
    let mut block = [0; 16];
    let halves = block.as_chunks_mut().0;
    for (channel, half) in halves.iter_mut().take(desc.channel_count.into()).enumerate() {
        *half = range(desc).encode(core::array::from_fn(|i| at(&texel(texels, i), channel)));
    }
    block
}
