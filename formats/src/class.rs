//! Which formats go together: linear and sRGB, casts of views, copies of bytes.

use crate::desc::{ChannelKind, ColorSpace, Description, Layout};
use crate::format::Format;

impl Format {
    /// The format without the sRGB curve; the format itself if it has none.
    pub fn to_linear(self) -> Format {
        if self.is_srgb() { self.other_space().unwrap_or(self) } else { self }
    }

    /// The format with red, green and blue encoded by the sRGB curve, if there is one; the format
    /// itself if it is one.
    ///
    /// # Examples
    /// ```
    /// use gallium_formats::Format;
    /// assert_eq!(Format::B8G8R8A8Unorm.to_srgb(), Some(Format::B8G8R8A8Srgb));
    /// assert_eq!(Format::R16Unorm.to_srgb(), None);
    /// ```
    pub fn to_srgb(self) -> Option<Format> {
        if self.is_srgb() {
            return Some(self);
        }
        (self.colorspace() == ColorSpace::Rgb).then(|| self.other_space()).flatten()
    }

    /// Whether a view of a resource of this format may have format `other`: components of the
    /// same order and sizes, by the manual's chapter on sampler views. Padding may be alpha.
    pub fn is_castable(self, other: Format) -> bool {
        let (a, b) = (self.desc(), other.desc());
        if self == other {
            return true;
        }
        if a.block != b.block || a.layout != b.layout {
            return false;
        }
        match a.layout {
            Layout::Empty | Layout::Packed(_) => false,
            Layout::Plain => (0..4).all(|channel| same_place(&a, &b, channel)),
            Layout::S3tc | Layout::Atc => s3tc_kind(self) == s3tc_kind(other),
            Layout::Bptc => self.is_float() == other.is_float(),
            Layout::Rgtc | Layout::Latc | Layout::Etc => a.channel_count == b.channel_count,
            Layout::Astc | Layout::Fxt1 => true,
            Layout::Subsampled | Layout::PackedYuv | Layout::Planar => false,
        }
    }

    /// Whether the bytes of a texel of this format, copied into one of format `dst`, are the same
    /// colour: what the manual demands of `resource_copy_region`.
    ///
    /// Components that `dst` does not have may be lost; what it has must be there.
    pub fn copies_as(self, dst: Format) -> bool {
        let (from, to) = (self.desc(), dst.desc());
        if self == dst {
            return true;
        }
        if !self.is_castable(dst) || from.colorspace != to.colorspace {
            return false;
        }
        let of_blocks = !matches!(from.layout, Layout::Plain);
        to.channels.iter().zip(from.channels).all(|(to, from)| {
            to.kind == ChannelKind::Void
                || (to.kind == from.kind
                    && to.normalized == from.normalized
                    && to.pure_integer == from.pure_integer)
        }) && (!of_blocks || from.channel_count >= to.channel_count)
    }
}

/// What tells apart formats of one layout and block size.
fn s3tc_kind(format: Format) -> u8 {
    match format {
        Format::Dxt3Rgba | Format::Dxt3Srgba | Format::AtcRgbaExplicit => 1,
        _ => 0,
    }
}

/// Whether a channel has the same bits, and the same components if both have any.
fn same_place(a: &Description, b: &Description, channel: usize) -> bool {
    let (x, y) = (a.channels[channel], b.channels[channel]);
    let components = |desc: &Description| desc.swizzle.map(|from| from.channel() == Some(channel));
    (x.bits, x.shift) == (y.bits, y.shift)
        && (a.colorspace == ColorSpace::Zs) == (b.colorspace == ColorSpace::Zs)
        && (components(a) == components(b)
            || x.kind == ChannelKind::Void
            || y.kind == ChannelKind::Void)
}
