//! Texels computed by hand from the definitions of the formats: bytes, and the colour they
//! represent.

use gallium_formats::{Format, srgb};

/// A format, the little-endian texel, and its colour. Fetch returns the colour, store the texel.
const BOTH_WAYS: &[(Format, u128, [f32; 4])] = {
    use Format as F;
    &[
        // Packed words: the first channel is in the low bits.
        (F::B5G6R5Unorm, 0xf800, [1.0, 0.0, 0.0, 1.0]),
        (F::B5G6R5Unorm, 0x07e0, [0.0, 1.0, 0.0, 1.0]),
        (F::B5G6R5Unorm, 0x001f, [0.0, 0.0, 1.0, 1.0]),
        (F::R5G6B5Unorm, 0xf800, [0.0, 0.0, 1.0, 1.0]),
        (F::B5G5R5A1Unorm, 0x8000, [0.0, 0.0, 0.0, 1.0]),
        (F::B5G5R5A1Unorm, 0x7c00, [1.0, 0.0, 0.0, 0.0]),
        (F::B5G5R5X1Unorm, 0x7c00, [1.0, 0.0, 0.0, 1.0]),
        (F::B4G4R4A4Unorm, 0x3f00, [1.0, 0.0, 0.0, 0.2]),
        (F::A4R4G4B4Unorm, 0xf003, [0.0, 0.0, 1.0, 0.2]),
        (F::B2G3R3Unorm, 0xe0, [1.0, 0.0, 0.0, 1.0]),
        (F::B2G3R3Unorm, 0x03, [0.0, 0.0, 1.0, 1.0]),
        (F::R3G3B2Unorm, 0x07, [1.0, 0.0, 0.0, 1.0]),
        (F::R10G10B10A2Unorm, 0x4000_03ff, [1.0, 0.0, 0.0, 1.0 / 3.0]),
        (F::B10G10R10A2Unorm, 0xc000_03ff, [0.0, 0.0, 1.0, 1.0]),
        (F::A2B10G10R10Unorm, 0xffc0_0001, [1.0, 0.0, 0.0, 1.0 / 3.0]),
        // 2-bit signed: 1 is 1, -1 is -1.
        (F::R10G10B10A2Snorm, 0xc000_0201, [-1.0, 0.0, 0.0, -1.0]),
        (F::R10G10B10A2Sscaled, 0x8000_03ff, [-1.0, 0.0, 0.0, -2.0]),
        (F::R10G10B10A2Uscaled, 0xc00f_fc07, [7.0, 1023.0, 0.0, 3.0]),
        // Bytes in the order of the name.
        (F::R8G8B8A8Unorm, 0x3300_00ff, [1.0, 0.0, 0.0, 0.2]),
        (F::B8G8R8A8Unorm, 0x3300_00ff, [0.0, 0.0, 1.0, 0.2]),
        (F::A8B8G8R8Unorm, 0xff00_0033, [1.0, 0.0, 0.0, 0.2]),
        (F::A8R8G8B8Unorm, 0xff00_0033, [0.0, 0.0, 1.0, 0.2]),
        (F::X8R8G8B8Unorm, 0xff00_0000, [0.0, 0.0, 1.0, 1.0]),
        (F::B8G8R8X8Unorm, 0x00ff_0000, [1.0, 0.0, 0.0, 1.0]),
        (F::B8G8R8Unorm, 0x33_0000, [0.2, 0.0, 0.0, 1.0]),
        (F::G8R8Unorm, 0xff33, [1.0, 0.2, 0.0, 1.0]),
        (F::R8Snorm, 0x81, [-1.0, 0.0, 0.0, 1.0]),
        (F::R8G8Snorm, 0x7f81, [-1.0, 1.0, 0.0, 1.0]),
        (F::R8G8B8A8Sscaled, 0x7fff_8001, [1.0, -128.0, -1.0, 127.0]),
        // Table 3.5 of the manual.
        (F::L8Unorm, 0x33, [0.2, 0.2, 0.2, 1.0]),
        (F::A8Unorm, 0x33, [0.0, 0.0, 0.0, 0.2]),
        (F::I8Unorm, 0x33, [0.2, 0.2, 0.2, 0.2]),
        (F::L8A8Unorm, 0xff33, [0.2, 0.2, 0.2, 1.0]),
        (F::L4A4Unorm, 0xf3, [0.2, 0.2, 0.2, 1.0]),
        (F::A4R4Unorm, 0xf3, [1.0, 0.0, 0.0, 0.2]),
        (F::R8A8Unorm, 0x33ff, [1.0, 0.0, 0.0, 0.2]),
        (F::L16Float, 0x3800, [0.5, 0.5, 0.5, 1.0]),
        // Wider channels.
        (F::R16G16Unorm, 0x3333_ffff, [1.0, 0.2, 0.0, 1.0]),
        (F::R16G16B16Sscaled, 0x7fff_8000_ffff, [-1.0, -32768.0, 32767.0, 1.0]),
        (F::R16G16B16A16Float, 0x3c00_c000_7bff_0001, [5.960_464_5e-8, 65504.0, -2.0, 1.0]),
        (F::R32Unorm, 0xffff_ffff, [1.0, 0.0, 0.0, 1.0]),
        (F::R32G32Float, 0xc020_0000_3f80_0000, [1.0, -2.5, 0.0, 1.0]),
        (F::R32G32Fixed, 0xffff_8000_0001_8000, [1.5, -0.5, 0.0, 1.0]),
        (F::R64G64Float, 0xc004_0000_0000_0000_3ff0_0000_0000_0000, [1.0, -2.5, 0.0, 1.0]),
        (F::R16G16B16X16Float, 0x0000_3c00_3c00_3800, [0.5, 1.0, 1.0, 1.0]),
        // A sign per channel.
        (F::R5SG5SB6UNorm, 0xfdf1, [-1.0, 1.0, 1.0, 1.0]),
        (F::R8SG8SB8UX8UNorm, 0x00ff_7f81, [-1.0, 1.0, 1.0, 1.0]),
        // 11-bit floats: 1.0 is exponent 15, 6 mantissa bits; the 10-bit one has 5.
        (F::R11G11B10Float, 15 << 6, [1.0, 0.0, 0.0, 1.0]),
        (F::R11G11B10Float, (15 << 6) << 11, [0.0, 1.0, 0.0, 1.0]),
        (F::R11G11B10Float, (15 << 5) << 22, [0.0, 0.0, 1.0, 1.0]),
        // The largest: 1.984375 · 2^15 and 1.96875 · 2^15. The smallest: 2^-20, 2^-19.
        (F::R11G11B10Float, 0x7bf | 1 << 11 | 0x3df << 22, [65024.0, 9.536_743e-7, 64512.0, 1.0]),
        (F::R11G11B10Float, 1 << 22, [0.0, 0.0, 1.907_348_6e-6, 1.0]),
        // mantissa · 2^(exponent - 24): 1 is 256 · 2^(16-24).
        (F::R9G9B9E5Float, 256 | 128 << 9 | 64 << 18 | 16 << 27, [1.0, 0.5, 0.25, 1.0]),
        (F::R9G9B9E5Float, 511 | 31 << 27, [65408.0, 0.0, 0.0, 1.0]),
        (F::R9G9B9E5Float, 1, [5.960_464_5e-8, 0.0, 0.0, 1.0]),
        // Depth as a colour.
        (F::Z16Unorm, 0x3333, [0.2, 0.2, 0.2, 1.0]),
        (F::Z24X8Unorm, 0x33_3333, [0.2, 0.2, 0.2, 1.0]),
        (F::X8Z24Unorm, 0x3333_3300, [0.2, 0.2, 0.2, 1.0]),
        (F::Z32Float, 0x3f00_0000, [0.5, 0.5, 0.5, 1.0]),
        (F::Z24UnormS8UintAsR8G8B8A8, 0x3300_00ff, [1.0, 0.0, 0.0, 0.2]),
    ]
};

fn fetch(format: Format, texel: u128) -> [f32; 4] {
    format.fetch_rgba_f32(&texel.to_le_bytes()[..format.block_bytes()])
}

fn store(format: Format, rgba: [f32; 4]) -> u128 {
    let mut texel = [0; 16];
    format.store_rgba_f32(rgba, &mut texel[..format.block_bytes()]);
    u128::from_le_bytes(texel)
}

#[test]
fn texels_and_colours_correspond() {
    for &(format, texel, rgba) in BOTH_WAYS {
        assert_eq!(fetch(format, texel), rgba, "fetch {format} {texel:#x}");
        assert_eq!(store(format, rgba), texel, "store {format} {rgba:?}");
    }
}

#[test]
fn integers_are_extended_and_clamped() {
    use Format as F;
    let minus = |x: i32| x as u32;
    let cases: &[(Format, u128, [u32; 4])] = &[
        (F::R8Uint, 0xff, [255, 0, 0, 1]),
        (F::R8Sint, 0xff, [minus(-1), 0, 0, 1]),
        (F::R8G8B8A8Sint, 0x7f80_01ff, [minus(-1), 1, minus(-128), 127]),
        (F::B10G10R10A2Uint, 0xc000_0001, [0, 0, 1, 3]),
        (F::R10G10B10A2Sint, 0xc000_0200, [minus(-512), 0, 0, minus(-1)]),
        (F::R16G16Sint, 0x7fff_8000, [minus(-32768), 32767, 0, 1]),
        (F::R32G32Uint, 0xffff_ffff_8000_0000, [0x8000_0000, 0xffff_ffff, 0, 1]),
        (F::A8Uint, 0x07, [0, 0, 0, 7]),
        (F::I16Sint, 0xfffe, [minus(-2); 4]),
        (F::L8A8Uint, 0x0201, [1, 1, 1, 2]),
        (F::R8G8B8X8Uint, 0x0003_0201, [1, 2, 3, 1]),
        (F::S8Uint, 0x07, [7; 4]),
        (F::X24S8Uint, 0x0700_0000, [7; 4]),
        (F::S8X24Uint, 0x0000_0007, [7; 4]),
        (F::X32_S8X24Uint, 0x07_0000_0000, [7; 4]),
        (F::R64Sint, 0xffff_ffff_ffff_ffff, [minus(-1), 0, 0, 1]),
    ];
    for &(format, texel, rgba) in cases {
        let bytes = format.block_bytes();
        assert_eq!(format.fetch_rgba_bits(&texel.to_le_bytes()[..bytes]), rgba, "fetch {format}");
        let mut stored = [0; 16];
        format.store_rgba_bits(rgba, &mut stored[..bytes]);
        assert_eq!(u128::from_le_bytes(stored), texel, "store {format}");
    }
    // Values out of range are clamped.
    for (format, rgba, texel) in [
        (F::R8G8Uint, [256, 1000, 0, 0], [255, 255]),
        (F::R8G8Sint, [128, minus(-129), 0, 0], [127, 0x80]),
        (F::R5G6B5Uint, [32, 64, 32, 0], [0xff, 0xff]),
    ] {
        let mut stored = [0; 2];
        format.store_rgba_bits(rgba, &mut stored);
        assert_eq!(stored, texel, "{format} {rgba:?}");
    }
}

#[test]
fn storing_clamps_and_rounds_to_even() {
    use Format as F;
    let nan = f32::NAN;
    let inf = f32::INFINITY;
    for (format, red, texel) in [
        (F::R8Unorm, -1.0, 0),
        (F::R8Unorm, 2.0, 255),
        (F::R8Unorm, nan, 0),
        (F::R8Unorm, inf, 255),
        (F::R8Unorm, -inf, 0),
        // 127.5 and 32767.5 are ties.
        (F::R8Unorm, 0.5, 128),
        (F::R16Unorm, 0.5, 0x8000),
        (F::R32Unorm, 0.5, 0x8000_0000),
        (F::R32Unorm, 1.0, 0xffff_ffff),
        (F::R32Unorm, 1e-10, 0),
        // 2^-32 · (2^32 - 1) rounds to 1, 2^-33 · (2^32 - 1) is just below a half.
        (F::R32Unorm, 2f32.powi(-32), 1),
        (F::R32Unorm, 2f32.powi(-33), 0),
        (F::R8Snorm, -2.0, 0x81),
        (F::R8Snorm, 2.0, 0x7f),
        (F::R8Snorm, nan, 0),
        // 63.5, both ways.
        (F::R8Snorm, 0.5, 64),
        (F::R8Snorm, -0.5, 256 - 64),
        (F::R32Snorm, -1.0, 0x8000_0001),
        (F::R32Snorm, 1.0, 0x7fff_ffff),
        (F::R8Uscaled, 2.5, 2),
        (F::R8Uscaled, 3.5, 4),
        (F::R8Uscaled, 300.0, 255),
        (F::R8Sscaled, -2.5, 0xfe),
        (F::R8Sscaled, -300.0, 0x80),
        (F::R8Sscaled, nan, 0),
        (F::R32Uscaled, 4294967296.0, 0xffff_ffff),
        (F::R32Sscaled, -inf, 0x8000_0000),
        (F::R32Fixed, 40000.0, 0x7fff_ffff),
        (F::R32Fixed, nan, 0),
        // Half a unit in the last place of 2048 and above goes to even; 65520 is out of range.
        (F::R16Float, 2049.0, 0x6800),
        (F::R16Float, 2051.0, 0x6802),
        (F::R16Float, 65519.0, 0x7bff),
        (F::R16Float, 65520.0, 0x7c00),
        (F::R16Float, -inf, 0xfc00),
        (F::R16Float, 2f32.powi(-25), 0),
        (F::R16Float, 2f32.powi(-25) * 1.5, 1),
        (F::R11G11B10Float, -1.0, 0),
        (F::R11G11B10Float, 1e6, 0x7bf),
        (F::R11G11B10Float, inf, 0x7c0),
        (F::R11G11B10Float, 1.0 + 1.0 / 128.0, 15 << 6),
        (F::R11G11B10Float, 1.0 + 3.0 / 128.0, 15 << 6 | 2),
        (F::R9G9B9E5Float, -1.0, 0),
        (F::R9G9B9E5Float, nan, 0),
        (F::R9G9B9E5Float, 1e9, 511 | 31 << 27),
        // 511.5 of the mantissa rounds up to 512, which is the next exponent.
        (F::R9G9B9E5Float, 511.5 / 256.0, 256 | 17 << 27),
        (F::Z16Unorm, 0.5, 0x8000),
        (F::Z24X8Unorm, 0.5, 0x80_0000),
        (F::Z24X8Unorm, 1.0, 0xff_ffff),
        (F::R8Srgb, 2.0, 255),
        (F::R8Srgb, nan, 0),
    ] {
        assert_eq!(store(format, [red, 0.0, 0.0, 0.0]), texel, "{format} of {red}");
    }
    // A NaN stays a NaN if the format can represent it.
    assert!(fetch(F::R16Float, store(F::R16Float, [nan; 4]))[0].is_nan());
    let [r, g, b, _] = fetch(F::R11G11B10Float, store(F::R11G11B10Float, [nan; 4]));
    assert!(r.is_nan() && g.is_nan() && b.is_nan());
}

#[test]
fn lowest_signed_values_are_minus_one() {
    assert_eq!(fetch(Format::R8Snorm, 0x80)[0], -1.0);
    assert_eq!(fetch(Format::R16Snorm, 0x8000)[0], -1.0);
    assert_eq!(fetch(Format::R32Snorm, 0x8000_0000)[0], -1.0);
    assert_eq!(fetch(Format::R10G10B10A2Snorm, 2 << 30)[3], -1.0);
}

#[test]
fn srgb_is_known_at_known_places() {
    // IEC 61966-2-1: code 188 is the nearest to half intensity; alpha is linear.
    assert_eq!(store(Format::R8G8B8A8Srgb, [0.5, 0.0, 1.0, 0.5]), 0x80ff_00bc);
    // Up to code 10 the curve is a straight line of 12.92.
    assert_eq!(fetch(Format::R8Srgb, 10)[0], (10.0 / 255.0 / 12.92) as f32);
    assert_eq!(fetch(Format::L8A8Srgb, 0x33ff), [1.0, 1.0, 1.0, 0.2]);
    assert_eq!((srgb::decode_u8(188), srgb::encode_u8(128)), (128, 188));
}

#[test]
fn unit_vectors_get_their_third_component() {
    assert_eq!(fetch(Format::R8G8BxSnorm, 0x0000), [0.0, 0.0, 1.0, 1.0]);
    assert_eq!(fetch(Format::R8G8BxSnorm, 0x7f00), [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(fetch(Format::R8G8BxSnorm, 0x7f7f), [1.0, 1.0, 0.0, 1.0]);
}

#[test]
fn bytes_have_the_orders_of_the_names() {
    assert_eq!(Format::B8G8R8A8Unorm.fetch_rgba_u8(&[1, 2, 3, 4]), [3, 2, 1, 4]);
    assert_eq!(Format::X8B8G8R8Unorm.fetch_rgba_u8(&[1, 2, 3, 4]), [4, 3, 2, 255]);
    let mut texel = [9; 4];
    Format::B8G8R8X8Unorm.store_rgba_u8([1, 2, 3, 4], &mut texel);
    assert_eq!(texel, [3, 2, 1, 0]);
}
