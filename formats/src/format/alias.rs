//! Formats named by the bit order of a host integer, such as `RGBA8888_UNORM`.
//!
//! By the manual's chapter 6, `XYZW8888` is a 32-bit integer in host endianness with X in the
//! lowest bits. On a little-endian machine it is the array format X8Y8Z8W8, on a big-endian one
//! W8Z8Y8X8.

use super::Format;
#[cfg(feature = "names")]
use super::name;

macro_rules! aliases {
    ($($alias:ident: $little:ident, $big:ident;)*) => {
        /// Aliases in host endianness.
        #[expect(non_upper_case_globals, reason = "named like the variants they stand for")]
        impl Format {
            $(
                #[doc = concat!("`", stringify!($little), "`, or `", stringify!($big), "` on big-endian machines.")]
                pub const $alias: Format =
                    if cfg!(target_endian = "little") { Format::$little } else { Format::$big };
            )*

            /// The name of every alias, and the format it stands for on this machine.
            #[cfg(feature = "names")]
            pub const ALIASES: &'static [(&'static str, Format)] = &[$((
                {
                    const LEN: usize = name::spelled_len(stringify!($alias));
                    const NAME: [u8; LEN] = name::spell(stringify!($alias));
                    name::ascii(&NAME)
                },
                Format::$alias,
            )),*];
        }
    };
}

aliases! {
    Rgba8888Unorm: R8G8B8A8Unorm, A8B8G8R8Unorm;
    Rgbx8888Unorm: R8G8B8X8Unorm, X8B8G8R8Unorm;
    Bgra8888Unorm: B8G8R8A8Unorm, A8R8G8B8Unorm;
    Bgrx8888Unorm: B8G8R8X8Unorm, X8R8G8B8Unorm;
    Argb8888Unorm: A8R8G8B8Unorm, B8G8R8A8Unorm;
    Xrgb8888Unorm: X8R8G8B8Unorm, B8G8R8X8Unorm;
    Abgr8888Unorm: A8B8G8R8Unorm, R8G8B8A8Unorm;
    Xbgr8888Unorm: X8B8G8R8Unorm, R8G8B8X8Unorm;
    Rgba8888Snorm: R8G8B8A8Snorm, A8B8G8R8Snorm;
    Rgbx8888Snorm: R8G8B8X8Snorm, X8B8G8R8Snorm;
    Abgr8888Snorm: A8B8G8R8Snorm, R8G8B8A8Snorm;
    Xbgr8888Snorm: X8B8G8R8Snorm, R8G8B8X8Snorm;
    Rgba8888Srgb: R8G8B8A8Srgb, A8B8G8R8Srgb;
    Rgbx8888Srgb: R8G8B8X8Srgb, X8B8G8R8Srgb;
    Bgra8888Srgb: B8G8R8A8Srgb, A8R8G8B8Srgb;
    Bgrx8888Srgb: B8G8R8X8Srgb, X8R8G8B8Srgb;
    Argb8888Srgb: A8R8G8B8Srgb, B8G8R8A8Srgb;
    Xrgb8888Srgb: X8R8G8B8Srgb, B8G8R8X8Srgb;
    Abgr8888Srgb: A8B8G8R8Srgb, R8G8B8A8Srgb;
    Xbgr8888Srgb: X8B8G8R8Srgb, R8G8B8X8Srgb;
    Rgba8888Uscaled: R8G8B8A8Uscaled, A8B8G8R8Uscaled;
    Rgba8888Sscaled: R8G8B8A8Sscaled, A8B8G8R8Sscaled;
    Rgba8888Uint: R8G8B8A8Uint, A8B8G8R8Uint;
    Bgra8888Uint: B8G8R8A8Uint, A8R8G8B8Uint;
    Argb8888Uint: A8R8G8B8Uint, B8G8R8A8Uint;
    Abgr8888Uint: A8B8G8R8Uint, R8G8B8A8Uint;
    Rgba8888Sint: R8G8B8A8Sint, A8B8G8R8Sint;
    Rg88Unorm: R8G8Unorm, G8R8Unorm;
    Gr88Unorm: G8R8Unorm, R8G8Unorm;
    Rg88Snorm: R8G8Snorm, G8R8Snorm;
    Gr88Snorm: G8R8Snorm, R8G8Snorm;
    Rg1616Unorm: R16G16Unorm, G16R16Unorm;
    Gr1616Unorm: G16R16Unorm, R16G16Unorm;
    Rg1616Snorm: R16G16Snorm, G16R16Snorm;
    Gr1616Snorm: G16R16Snorm, R16G16Snorm;
}
