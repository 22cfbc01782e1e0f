//! `Format`: the enum, its names, its numbers, and its properties.

mod alias;
mod class;
mod compact;
mod derive;
mod desc;
mod name;
mod table;

use crate::index::at;

pub use desc::{Block, Channel, ChannelKind, ColorSpace, Description, Layout, Packing, Swizzle};

use compact::Compact;
use table::for_each_format;

/// Makes a description from the part of a table row after the colon.
macro_rules! describe {
    ($format:expr, $name:expr) => { Description::plain($format, $name) };
    ($format:expr, $name:expr, Empty) => { Description::empty($format) };
    ($format:expr, $name:expr, Packed($packing:ident)) => {
        Description::packed($format, $name, Packing::$packing)
    };
    ($format:expr, $name:expr, $layout:ident(
        $width:literal x $height:literal $(x $depth:literal)?, $bytes:literal, $letters:literal
    )) => {
        Description::blocks(
            $format,
            $name,
            Layout::$layout,
            Block { width: $width, height: $height, depth: 1 $(* $depth)?, bytes: $bytes },
            $letters,
        )
    };
}

/// Returns the name of a row: the given name, or the variant respelled.
macro_rules! name_of {
    ($variant:ident, $name:literal) => {
        $name
    };
    ($variant:ident) => {{
        const LEN: usize = name::spelled_len(stringify!($variant));
        const NAME: [u8; LEN] = name::spell(stringify!($variant));
        name::ascii(&NAME)
    }};
}

/// Returns the wire number of a row; [`NO_NUMBER`] if it has none.
macro_rules! number_of {
    () => {
        NO_NUMBER
    };
    ($number:literal) => {
        $number
    };
}

macro_rules! define_formats {
    ($($variant:ident $(= $number:literal)? $(as $name:literal)?
       $(: $layout:ident $(($($argument:tt)*))?)?;)*) => {
        /// A pixel format (manual, chapter "Formats").
        ///
        /// `PIPE_FORMAT_B5G6R5_UNORM` is `Format::B5G6R5Unorm`. The discriminant of a variant is
        /// its index in [`Format::ALL`] and may change; [`Format::number`] is the number of the
        /// virgl protocol.
        ///
        /// # Examples
        /// ```
        /// use gallium_formats::Format;
        ///
        /// let format = Format::B5G6R5Unorm;
        /// assert_eq!((format.block_bytes(), format.has_alpha()), (2, false));
        /// let mut texel = [0; 2];
        /// format.store_rgba_f32([1.0, 0.5, 0.0, 1.0], &mut texel);
        /// assert_eq!(u16::from_le_bytes(texel), 31 << 11 | 32 << 5);
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[repr(u16)]
        #[expect(non_camel_case_types, reason = "an underscore separates samples or planes")]
        #[expect(missing_docs, reason = "the name is the documentation, by the naming rules")]
        pub enum Format {
            #[default]
            $($variant,)*
        }

        impl Format {
            /// Every format, in the order of the enum.
            pub const ALL: &'static [Format] = &[$(Format::$variant),*];
        }

        const COUNT: usize = Format::ALL.len();

        #[cfg(feature = "names")]
        static NAMES: [&str; COUNT] = [$(name_of!($variant $(, $name)?)),*];

        static NUMBERS: [u16; COUNT] = [$(number_of!($($number)?)),*];

        /// Used at compile time only: programs contain [`COMPACT`].
        const DESCRIPTIONS: [Description; COUNT] = [$(describe!(
            Format::$variant,
            name_of!($variant $(, $name)?)
            $(, $layout $(($($argument)*))?)?
        )),*];
    };
}

/// Entry of [`NUMBERS`] for formats without a number in the protocol.
const NO_NUMBER: u16 = u16::MAX;

for_each_format!(define_formats);

static COMPACT: Compact<COUNT> = Compact::new(&DESCRIPTIONS);

#[cfg(feature = "names")]
impl Format {
    /// Returns Gallium's name without `PIPE_FORMAT_`, such as `B5G6R5_UNORM`.
    #[expect(clippy::indexing_slicing, reason = "there is a name for every format")]
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// Returns the format with a given name, with or without `PIPE_FORMAT_`, in upper case.
    /// [Aliases](Format::ALIASES) are accepted, too.
    ///
    /// # Examples
    /// ```
    /// use gallium_formats::Format;
    /// assert_eq!(Format::from_name("B5G6R5_UNORM"), Some(Format::B5G6R5Unorm));
    /// assert_eq!(Format::from_name("PIPE_FORMAT_Z16_UNORM"), Some(Format::Z16Unorm));
    /// assert_eq!(Format::from_name("B5G6R5"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Format> {
        let name = name.strip_prefix("PIPE_FORMAT_").unwrap_or(name);
        match NAMES.iter().position(|known| *known == name) {
            Some(index) => Format::ALL.get(index).copied(),
            None => Format::ALIASES.iter().find(|(alias, _)| *alias == name).map(|alias| alias.1),
        }
    }
}

impl Format {
    /// Returns the format's number in the virgl protocol; `None` if it has none.
    ///
    /// # Source
    /// virglrenderer's `virgl_hw.h`, as spoken by Mesa 22.3.
    #[expect(clippy::indexing_slicing, reason = "there is a number for every format")]
    pub const fn number(self) -> Option<u16> {
        match NUMBERS[self as usize] {
            NO_NUMBER => None,
            number => Some(number),
        }
    }

    /// Returns the format with a given number in the virgl protocol.
    pub fn from_number(number: u16) -> Option<Format> {
        if number == NO_NUMBER {
            return None;
        }
        let index = NUMBERS.iter().position(|known| *known == number)?;
        Format::ALL.get(index).copied()
    }

    /// Returns the description: block, channels, swizzle and colour space.
    ///
    /// Each call assembles the description in about a hundred instructions; keep the result for
    /// repeated use.
    pub const fn desc(self) -> Description {
        COMPACT.desc(self)
    }

    /// Returns the layout of the block.
    pub const fn layout(self) -> Layout {
        COMPACT.layout(self)
    }

    /// Returns the meaning of the components.
    pub const fn colorspace(self) -> ColorSpace {
        COMPACT.colorspace(self)
    }

    /// Returns the format that differs only in the sRGB curve. ETC1 has no sRGB format; it shares
    /// that of ETC2, which can read ETC1. If several formats qualify, the nearest in the list is
    /// returned.
    pub(crate) fn other_space(self) -> Option<Format> {
        let same =
            |format: &Format| COMPACT.differ_in_curve(self, *format) && self.is_castable(*format);
        let distance = |format: &Format| (*format as u16).abs_diff(self as u16);
        Format::ALL.iter().copied().filter(same).min_by_key(distance)
    }

    /// Returns the size of a block: one texel, or the texels that are compressed together.
    pub const fn block(self) -> Block {
        COMPACT.block(self)
    }

    /// Returns the size of a block in bytes. For most formats a block is one texel.
    pub const fn block_bytes(self) -> usize {
        self.block().bytes as usize
    }

    /// Returns the size in bytes of a row of `width` texels without padding. A partial last block
    /// counts as a whole one.
    pub const fn row_bytes(self, width: usize) -> usize {
        let block = self.block();
        width.div_ceil(block.width as usize) * block.bytes as usize
    }

    /// Returns true if a block is one texel of independent channels.
    pub const fn is_plain(self) -> bool {
        matches!(self.layout(), Layout::Plain) && self.block().width == 1
    }

    /// Returns true if single texels can be read and written: in plain and packed formats.
    pub const fn is_texel(self) -> bool {
        self.is_plain() || matches!(self.layout(), Layout::Packed(_))
    }

    /// Returns true if texels are compressed in blocks.
    pub const fn is_compressed(self) -> bool {
        use Layout::{Astc, Atc, Bptc, Etc, Fxt1, Latc, Rgtc, S3tc};
        matches!(self.layout(), S3tc | Rgtc | Latc | Bptc | Etc | Astc | Atc | Fxt1)
    }

    /// Returns true if the components are luma and chroma.
    pub const fn is_yuv(self) -> bool {
        matches!(self.colorspace(), ColorSpace::Yuv)
    }

    /// Returns true if the sRGB curve encodes red, green and blue.
    pub const fn is_srgb(self) -> bool {
        matches!(self.colorspace(), ColorSpace::Srgb)
    }

    /// Returns true if the format has depth or stencil instead of colour.
    pub const fn is_depth_or_stencil(self) -> bool {
        matches!(self.colorspace(), ColorSpace::Zs)
    }

    /// Returns true if the format has depth.
    pub const fn has_depth(self) -> bool {
        self.desc().depth_channel().is_some()
    }

    /// Returns true if the format has stencil.
    pub const fn has_stencil(self) -> bool {
        self.desc().stencil_channel().is_some()
    }

    /// Returns true if the format has both depth and stencil.
    pub const fn is_depth_and_stencil(self) -> bool {
        self.has_depth() && self.has_stencil()
    }

    /// Returns true if the format stores alpha.
    pub const fn has_alpha(self) -> bool {
        let desc = self.desc();
        !self.is_depth_or_stencil() && desc.swizzle[3].channel().is_some()
    }

    /// Returns true if the format stores alpha and no colour.
    pub const fn is_alpha(self) -> bool {
        let [r, g, b, a] = self.desc().swizzle;
        matches!((r, g, b), (Swizzle::Zero, Swizzle::Zero, Swizzle::Zero)) && a.channel().is_some()
    }

    /// Returns true if one value gives red, green and blue, and alpha is another value or constant.
    pub const fn is_luminance(self) -> bool {
        matches!(
            self.desc().swizzle,
            [Swizzle::X, Swizzle::X, Swizzle::X, Swizzle::One | Swizzle::Y]
                | [Swizzle::Y, Swizzle::Y, Swizzle::Y, Swizzle::X]
        )
    }

    /// Returns true if one value gives all four components.
    pub const fn is_intensity(self) -> bool {
        matches!(self.desc().swizzle, [Swizzle::X, Swizzle::X, Swizzle::X, Swizzle::X])
    }

    /// Returns true if shaders read integers: pure-integer colours, or stencil without depth.
    pub const fn is_pure_integer(self) -> bool {
        self.desc().is_pure_integer()
    }

    /// Returns true if shaders read unsigned integers.
    pub const fn is_pure_uint(self) -> bool {
        self.is_pure_integer() && self.has_kind(ChannelKind::Unsigned)
    }

    /// Returns true if shaders read signed integers.
    pub const fn is_pure_sint(self) -> bool {
        self.is_pure_integer() && self.has_kind(ChannelKind::Signed)
    }

    /// Returns true if every stored component is unsigned and normalised.
    pub const fn is_unorm(self) -> bool {
        self.is_normalized(ChannelKind::Unsigned)
    }

    /// Returns true if every stored component is signed and normalised.
    pub const fn is_snorm(self) -> bool {
        self.is_normalized(ChannelKind::Signed)
    }

    /// Returns true if a stored component is a float.
    pub const fn is_float(self) -> bool {
        self.has_kind(ChannelKind::Float)
    }

    const fn has_kind(self, kind: ChannelKind) -> bool {
        let channels = &self.desc().channels;
        let mut i = 0;
        while i < channels.len() {
            if at(channels, i).kind as u8 == kind as u8 {
                return true;
            }
            i += 1;
        }
        false
    }

    const fn is_normalized(self, kind: ChannelKind) -> bool {
        let channels = &self.desc().channels;
        let mut found = false;
        let mut i = 0;
        while i < channels.len() {
            let channel = at(channels, i);
            if !matches!(channel.kind, ChannelKind::Void) {
                if channel.kind as u8 != kind as u8 || !channel.normalized {
                    return false;
                }
                found = true;
            }
            i += 1;
        }
        found
    }
}

/// Prints Gallium's name; without the feature `names`, the discriminant after a `#`.
impl core::fmt::Display for Format {
    #[cfg(feature = "names")]
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }

    #[cfg(not(feature = "names"))]
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("#")?;
        core::fmt::Display::fmt(&(*self as u16), f)
    }
}

/// Prints the same text as [`Display`](core::fmt::Display): a second table of names would cost a
/// small board 10 KB.
impl core::fmt::Debug for Format {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(self, f)
    }
}

#[cfg(feature = "names")]
impl core::str::FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        Format::from_name(name).ok_or(UnknownFormat)
    }
}

/// The error of parsing a name that no format has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[error("no such pixel format")]
pub struct UnknownFormat;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_descriptions_are_the_whole_ones() {
        for (format, whole) in Format::ALL.iter().zip(&DESCRIPTIONS) {
            assert_eq!(format.desc(), *whole);
            assert_eq!(format.layout(), whole.layout, "{format}");
            assert_eq!(format.colorspace(), whole.colorspace, "{format}");
            assert_eq!(format.block(), whole.block, "{format}");
        }
        // The README states this size.
        assert!(size_of_val(&COMPACT) < 2048, "{}", size_of_val(&COMPACT));
    }
}
