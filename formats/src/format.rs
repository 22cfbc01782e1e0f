//! `Format`: the enum, its names and numbers, and the questions it answers.

use crate::block::Codec;
use crate::compact::Compact;
use crate::desc::{Block, ChannelKind, ColorSpace, Description, Layout, Packing, Swizzle};
use crate::name;
use crate::table::for_each_format;

/// What stands after the colon of a row of the table, as a description.
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

/// The name of a row: the one given, or else the variant's, respelled.
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

/// The wire number of a row, or [`NO_NUMBER`].
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
        /// A pixel format.
        ///
        /// `PIPE_FORMAT_B5G6R5_UNORM` is `Format::B5G6R5Unorm`. The numeric value of a variant is
        /// its place in [`Format::ALL`] and may change; [`Format::number`] is the protocol's.
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

        /// For the compiler alone: [`COMPACT`] is what gets into a program.
        const DESCRIPTIONS: [Description; COUNT] = [$(describe!(
            Format::$variant,
            name_of!($variant $(, $name)?)
            $(, $layout $(($($argument)*))?)?
        )),*];
    };
}

/// In [`NUMBERS`]: the protocol has no number for the format.
const NO_NUMBER: u16 = u16::MAX;

for_each_format!(define_formats);

static COMPACT: Compact<COUNT> = Compact::new(&DESCRIPTIONS);

#[cfg(feature = "names")]
impl Format {
    /// Gallium's name without `PIPE_FORMAT_`, such as `B5G6R5_UNORM`.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// The format called `name`, with or without `PIPE_FORMAT_`, in upper case as Gallium has it.
    /// [Aliases](Format::ALIASES) are names, too.
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
    /// The number that stands for the format in the virgl protocol, if there is one.
    ///
    /// # Source
    /// virglrenderer's `virgl_hw.h`, as spoken by Mesa 22.3.
    pub const fn number(self) -> Option<u16> {
        match NUMBERS[self as usize] {
            NO_NUMBER => None,
            number => Some(number),
        }
    }

    /// The format that the virgl protocol calls `number`.
    pub fn from_number(number: u16) -> Option<Format> {
        if number == NO_NUMBER {
            return None;
        }
        let index = NUMBERS.iter().position(|known| *known == number)?;
        Format::ALL.get(index).copied()
    }

    /// Block, channels, swizzle and colour space.
    ///
    /// It is put together at each call, in some hundred instructions; keep it where it is needed
    /// often.
    pub const fn desc(self) -> Description {
        COMPACT.desc(self)
    }

    /// How the block is laid out.
    pub const fn layout(self) -> Layout {
        COMPACT.layout(self)
    }

    /// What the components mean.
    pub const fn colorspace(self) -> ColorSpace {
        COMPACT.colorspace(self)
    }

    /// The format that differs in the sRGB curve alone. ETC1, which ETC2 reads, has none of its
    /// own: of several, the nearest in the list is meant.
    pub(crate) fn other_space(self) -> Option<Format> {
        let same =
            |format: &Format| COMPACT.differ_in_curve(self, *format) && self.is_castable(*format);
        let distance = |format: &Format| (*format as u16).abs_diff(self as u16);
        Format::ALL.iter().copied().filter(same).min_by_key(distance)
    }

    /// The block: a texel, or the box of texels that is compressed together.
    pub const fn block(self) -> Block {
        COMPACT.block(self)
    }

    /// Bytes in a block; of a texel, when a block is one texel.
    pub const fn block_bytes(self) -> usize {
        self.block().bytes as usize
    }

    /// Bytes of a tight row of `width` texels, the last block filled up.
    pub const fn row_bytes(self, width: usize) -> usize {
        let block = self.block();
        width.div_ceil(block.width as usize) * block.bytes as usize
    }

    /// Whether a block is one texel of independent channels.
    pub const fn is_plain(self) -> bool {
        matches!(self.layout(), Layout::Plain) && self.block().width == 1
    }

    /// Whether one texel can be read and written: plain and packed formats.
    pub const fn is_texel(self) -> bool {
        self.is_plain() || matches!(self.layout(), Layout::Packed(_))
    }

    /// Whether this build can unpack the format's rectangles: it depends on the cargo features of
    /// compressed families and `video`. Planar formats are read by `planar` alone.
    pub fn can_unpack(self) -> bool {
        self.is_texel() || Codec::of(&self.desc()).is_some()
    }

    /// Whether this build can pack the format's rectangles.
    pub fn can_pack(self) -> bool {
        self.is_texel() || Codec::of(&self.desc()).is_some_and(|codec| codec.encodes())
    }

    /// Whether texels are compressed in blocks.
    pub const fn is_compressed(self) -> bool {
        use Layout::{Astc, Atc, Bptc, Etc, Fxt1, Latc, Rgtc, S3tc};
        matches!(self.layout(), S3tc | Rgtc | Latc | Bptc | Etc | Astc | Atc | Fxt1)
    }

    /// Whether the components are luma and chroma.
    pub const fn is_yuv(self) -> bool {
        matches!(self.colorspace(), ColorSpace::Yuv)
    }

    /// Whether red, green and blue are encoded by the sRGB curve.
    pub const fn is_srgb(self) -> bool {
        matches!(self.colorspace(), ColorSpace::Srgb)
    }

    /// Whether there is depth or stencil instead of colour.
    pub const fn is_depth_or_stencil(self) -> bool {
        matches!(self.colorspace(), ColorSpace::Zs)
    }

    /// Whether there is depth.
    pub const fn has_depth(self) -> bool {
        self.desc().depth_channel().is_some()
    }

    /// Whether there is stencil.
    pub const fn has_stencil(self) -> bool {
        self.desc().stencil_channel().is_some()
    }

    /// Whether there is both depth and stencil.
    pub const fn is_depth_and_stencil(self) -> bool {
        self.has_depth() && self.has_stencil()
    }

    /// Whether alpha is stored.
    pub const fn has_alpha(self) -> bool {
        let desc = self.desc();
        !self.is_depth_or_stencil() && desc.swizzle[3].channel().is_some()
    }

    /// Whether alpha is all there is.
    pub const fn is_alpha(self) -> bool {
        let [r, g, b, a] = self.desc().swizzle;
        matches!((r, g, b), (Swizzle::Zero, Swizzle::Zero, Swizzle::Zero)) && a.channel().is_some()
    }

    /// Whether red, green and blue are one value and alpha is another or none.
    pub const fn is_luminance(self) -> bool {
        matches!(
            self.desc().swizzle,
            [Swizzle::X, Swizzle::X, Swizzle::X, Swizzle::One | Swizzle::Y]
                | [Swizzle::Y, Swizzle::Y, Swizzle::Y, Swizzle::X]
        )
    }

    /// Whether one value is all four components.
    pub const fn is_intensity(self) -> bool {
        matches!(self.desc().swizzle, [Swizzle::X, Swizzle::X, Swizzle::X, Swizzle::X])
    }

    /// Whether colours are integers in shaders (or, of stencil alone, its values).
    pub const fn is_pure_integer(self) -> bool {
        self.desc().is_pure_integer()
    }

    /// Whether colours are unsigned integers in shaders.
    pub const fn is_pure_uint(self) -> bool {
        self.is_pure_integer() && self.has_kind(ChannelKind::Unsigned)
    }

    /// Whether colours are signed integers in shaders.
    pub const fn is_pure_sint(self) -> bool {
        self.is_pure_integer() && self.has_kind(ChannelKind::Signed)
    }

    /// Whether every stored component is an unsigned normalised number.
    pub const fn is_unorm(self) -> bool {
        self.is_normalized(ChannelKind::Unsigned)
    }

    /// Whether every stored component is a signed normalised number.
    pub const fn is_snorm(self) -> bool {
        self.is_normalized(ChannelKind::Signed)
    }

    /// Whether a stored component is a float.
    pub const fn is_float(self) -> bool {
        self.has_kind(ChannelKind::Float)
    }

    const fn has_kind(self, kind: ChannelKind) -> bool {
        let channels = &self.desc().channels;
        let mut i = 0;
        while i < channels.len() {
            if channels[i].kind as u8 == kind as u8 {
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
            if !matches!(channels[i].kind, ChannelKind::Void) {
                if channels[i].kind as u8 != kind as u8 || !channels[i].normalized {
                    return false;
                }
                found = true;
            }
            i += 1;
        }
        found
    }
}

/// Gallium's name; without the feature `names` the numeric value after a `#`.
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

/// As [`Display`](core::fmt::Display): a second table of names would cost a small board 10 KB.
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

/// No format has this name.
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
        // What the README says of flash.
        assert!(size_of_val(&COMPACT) < 2048, "{}", size_of_val(&COMPACT));
    }
}
