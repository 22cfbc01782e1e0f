//! Relations between formats: linear and sRGB, casts of views, byte copies.

use super::Format;
use super::desc::{ChannelKind, ColorSpace, Description, Layout};
use crate::index::at;

impl Format {
    /// Returns the linear format for an sRGB format, and any other format unchanged.
    pub fn to_linear(self) -> Format {
        if self.is_srgb() { self.other_space().unwrap_or(self) } else { self }
    }

    /// Returns the format with red, green and blue encoded by the sRGB curve. An sRGB format is
    /// returned unchanged; the result is `None` if there is no sRGB variant.
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

    /// Returns true if a view of a resource of this format may have format `other`: the components
    /// must have the same order and sizes (manual, chapter Context, "Sampler Views"). Padding may
    /// be seen as alpha.
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

    /// Returns true if the bytes of a texel of this format mean the same colour in format `dst`, as
    /// the manual requires of `resource_copy_region`.
    ///
    /// Components that `dst` lacks may be lost; this format must store the components that `dst`
    /// has.
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

/// Returns a number that distinguishes S3TC formats of the same layout and block size.
fn s3tc_kind(format: Format) -> u8 {
    match format {
        Format::Dxt3Rgba | Format::Dxt3Srgba | Format::AtcRgbaExplicit => 1,
        _ => 0,
    }
}

/// Returns true if a channel has the same bits in both formats and feeds the same components.
/// Padding may stand for any components.
fn same_place(a: &Description, b: &Description, channel: usize) -> bool {
    let (x, y) = (at(&a.channels, channel), at(&b.channels, channel));
    let components = |desc: &Description| desc.swizzle.map(|from| from.channel() == Some(channel));
    (x.bits, x.shift) == (y.bits, y.shift)
        && (a.colorspace == ColorSpace::Zs) == (b.colorspace == ColorSpace::Zs)
        && (components(a) == components(b)
            || x.kind == ChannelKind::Void
            || y.kind == ChannelKind::Void)
}
