//! Checks that the list of formats is complete, and that names, numbers and descriptions are right.

use gallium_formats::{
    Block, ChannelKind, ColorSpace, Format, Layout, Packing, Swizzle,
    Swizzle::{None as No, One, W, X, Y, Z, Zero},
};

/// One name per line, followed by the number if there is one.
const NAMES: &str = include_str!("names.txt");

fn names() -> impl Iterator<Item = (&'static str, Option<u16>)> {
    NAMES.lines().filter(|line| !line.starts_with('#')).map(|line| match line.split_once(' ') {
        Some((name, number)) => (name, Some(number.parse().unwrap())),
        None => (line, None),
    })
}

#[test]
fn every_name_is_there_with_its_number() {
    for (name, number) in names() {
        let format = Format::from_name(name).unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(format.name(), name);
        assert_eq!(name.parse(), Ok(format));
        if format != Format::None {
            assert_eq!(format.number(), number, "{name}");
        }
        if let Some(number) = number {
            assert_eq!(Format::from_number(number), Some(format));
        }
    }
    assert_eq!(Format::from_number(0), Some(Format::None));
    assert_eq!(Format::from_number(68), None);
    assert_eq!(Format::from_number(u16::MAX), None);
    assert_eq!(Format::from_name("R8_UNORM_"), None);
    assert_eq!(Format::from_name(""), None);
}

#[test]
fn names_and_numbers_are_unique() {
    let mut names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), Format::ALL.len());
    let mut numbers: Vec<_> = Format::ALL.iter().filter_map(|format| format.number()).collect();
    let count = numbers.len();
    numbers.sort();
    numbers.dedup();
    assert_eq!(numbers.len(), count);
}

#[test]
fn formats_are_in_the_order_of_their_values() {
    for (index, &format) in Format::ALL.iter().enumerate() {
        assert_eq!(format as usize, index);
        assert_eq!(format.desc().format, format);
    }
    assert_eq!(Format::default(), Format::None);
    assert_eq!(format!("{} {:?}", Format::Z16Unorm, Format::Z16Unorm), "Z16_UNORM Z16_UNORM");
}

#[test]
fn channels_fill_plain_blocks() {
    for &format in Format::ALL {
        let desc = format.desc();
        if !format.is_texel() {
            continue;
        }
        let mut shift = 0;
        for (index, channel) in desc.channels.iter().enumerate() {
            if index < desc.channel_count as usize {
                assert_eq!(channel.shift as usize, shift, "{format}");
                assert!(channel.bits > 0, "{format}");
                shift += channel.bits as usize;
            } else {
                assert_eq!((channel.bits, channel.kind), (0, ChannelKind::Void), "{format}");
            }
        }
        assert_eq!(shift, 8 * format.block_bytes(), "{format}");
        assert_eq!(format.block(), Block { width: 1, height: 1, depth: 1, ..format.block() });
        // Lanes rely on no channel lying across two words.
        let across = |c: &gallium_formats::Channel| c.bits <= 32 && c.shift % 32 + c.bits > 32;
        assert!(!desc.channels.iter().any(across), "{format}");
    }
}

#[test]
fn swizzles_follow_the_letters() {
    for (format, swizzle) in [
        (Format::R8Unorm, [X, Zero, Zero, One]),
        (Format::B8G8R8A8Unorm, [Z, Y, X, W]),
        (Format::A8R8G8B8Unorm, [Y, Z, W, X]),
        (Format::X8B8G8R8Unorm, [W, Z, Y, One]),
        (Format::B8G8R8X8Unorm, [Z, Y, X, One]),
        (Format::L8A8Unorm, [X, X, X, Y]),
        (Format::I8Unorm, [X, X, X, X]),
        (Format::A8Unorm, [Zero, Zero, Zero, X]),
        (Format::A4R4Unorm, [Y, Zero, Zero, X]),
        (Format::G16R16Unorm, [Y, X, Zero, One]),
        // Depth, then stencil.
        (Format::Z24UnormS8Uint, [X, Y, No, No]),
        (Format::S8UintZ24Unorm, [Y, X, No, No]),
        (Format::Z16Unorm, [X, No, No, No]),
        (Format::S8Uint, [No, X, No, No]),
        (Format::X24S8Uint, [No, Y, No, No]),
        (Format::X32_S8X24Uint, [No, Y, No, No]),
        // Blocks.
        (Format::Dxt1Rgb, [X, Y, Z, One]),
        (Format::Rgtc2Unorm, [X, Y, Zero, One]),
        (Format::Latc2Snorm, [X, X, X, Y]),
    ] {
        assert_eq!(format.desc().swizzle, swizzle, "{format}");
    }
}

#[test]
fn blocks_have_the_sizes_of_the_specifications() {
    for (format, width, height, depth, bytes) in [
        (Format::None, 1, 1, 1, 0),
        (Format::Z32FloatS8X24Uint, 1, 1, 1, 8),
        (Format::Z16UnormS8Uint, 1, 1, 1, 3),
        (Format::R64G64B64A64Float, 1, 1, 1, 32),
        (Format::R1Unorm, 8, 1, 1, 1),
        (Format::Yuyv, 2, 1, 1, 4),
        (Format::R8G8_B8G8Unorm, 2, 1, 1, 4),
        (Format::Dxt1Rgba, 4, 4, 1, 8),
        (Format::Dxt5Srgba, 4, 4, 1, 16),
        (Format::Rgtc1Snorm, 4, 4, 1, 8),
        (Format::Latc2Unorm, 4, 4, 1, 16),
        (Format::BptcRgbUfloat, 4, 4, 1, 16),
        (Format::Etc1Rgb8, 4, 4, 1, 8),
        (Format::Etc2Rgb8A1, 4, 4, 1, 8),
        (Format::Etc2Rgba8, 4, 4, 1, 16),
        (Format::Etc2_R11Unorm, 4, 4, 1, 8),
        (Format::Etc2Rg11Snorm, 4, 4, 1, 16),
        (Format::Fxt1Rgb, 8, 4, 1, 16),
        (Format::AtcRgb, 4, 4, 1, 8),
        (Format::AtcRgbaExplicit, 4, 4, 1, 16),
        (Format::Astc_10x6, 10, 6, 1, 16),
        (Format::Astc_5x5x4Srgb, 5, 5, 4, 16),
        (Format::Nv12, 2, 2, 1, 6),
    ] {
        assert_eq!(format.block(), Block { width, height, depth, bytes }, "{format}");
    }
    assert_eq!(Format::B5G6R5Unorm.row_bytes(7), 14);
    assert_eq!(Format::Dxt1Rgb.row_bytes(7), 16);
    assert_eq!(Format::R1Unorm.row_bytes(9), 2);
}

#[test]
fn predicates() {
    let have = |predicate: fn(Format) -> bool, yes: &[Format], no: &[Format]| {
        for &format in yes {
            assert!(predicate(format), "{format} is");
        }
        for &format in no {
            assert!(!predicate(format), "{format} is not");
        }
    };
    use Format as F;
    have(Format::is_srgb, &[F::R8G8B8A8Srgb, F::Dxt1Srgb, F::Astc_4x4Srgb], &[F::R8Unorm]);
    have(
        Format::is_pure_integer,
        &[F::R8Uint, F::R32G32Sint, F::S8Uint, F::X24S8Uint, F::R8G8B8X8Uint],
        &[F::R8Uscaled, F::Z24UnormS8Uint, F::Z32FloatS8X24Uint, F::R8Unorm],
    );
    have(Format::is_pure_uint, &[F::R8Uint, F::R8G8B8X8Uint], &[F::R8Sint, F::R8Uscaled]);
    have(Format::is_pure_sint, &[F::R8Sint, F::R8G8B8X8Sint], &[F::R8Uint, F::R8Snorm]);
    have(Format::is_depth_or_stencil, &[F::Z16Unorm, F::S8Uint, F::X24S8Uint], &[F::R16Unorm]);
    have(Format::has_depth, &[F::Z16Unorm, F::X8Z24Unorm], &[F::S8Uint, F::X24S8Uint]);
    have(Format::has_stencil, &[F::S8Uint, F::Z24UnormS8Uint, F::S8X24Uint], &[F::Z24X8Unorm]);
    have(Format::is_depth_and_stencil, &[F::Z32FloatS8X24Uint], &[F::Z16Unorm, F::S8Uint]);
    have(
        Format::has_alpha,
        &[F::A8Unorm, F::I8Unorm, F::B5G5R5A1Unorm, F::Dxt1Rgba],
        &[F::L8Unorm, F::B8G8R8X8Unorm, F::Dxt1Rgb, F::Z16Unorm],
    );
    have(Format::is_alpha, &[F::A8Unorm, F::A32Float], &[F::L8A8Unorm, F::R8A8Unorm]);
    have(
        Format::is_luminance,
        &[F::L8Unorm, F::L4A4Unorm, F::Latc1Unorm],
        &[F::I8Unorm, F::R8Unorm],
    );
    have(Format::is_intensity, &[F::I8Unorm, F::I32Float], &[F::L8Unorm]);
    have(
        Format::is_unorm,
        &[F::B5G6R5Unorm, F::R8G8B8A8Srgb, F::Dxt5Rgba],
        &[F::R8Snorm, F::R8Uint],
    );
    have(Format::is_snorm, &[F::R8G8Snorm], &[F::R5SG5SB6UNorm]);
    have(Format::is_float, &[F::R16Float, F::Z32Float, F::R11G11B10Float], &[F::R32Unorm]);
    have(Format::is_compressed, &[F::Etc1Rgb8, F::Rgtc1Unorm], &[F::Uyvy, F::Nv12, F::R8Unorm]);
    have(
        Format::is_yuv,
        &[F::Uyvy, F::Nv12, F::Y8Unorm],
        &[F::R8G8_B8G8Unorm, F::R8_G8B8_420Unorm],
    );
    have(Format::is_texel, &[F::R8Unorm, F::R9G9B9E5Float], &[F::None, F::R1Unorm, F::Dxt1Rgb]);
}

#[test]
fn packed_layouts_are_marked() {
    for (format, packing) in [
        (Format::R11G11B10Float, Packing::Float111110),
        (Format::R9G9B9E5Float, Packing::SharedExponent),
        (Format::R8G8BxSnorm, Packing::UnitVector),
    ] {
        assert_eq!(format.desc().layout, Layout::Packed(packing));
        assert!(!format.is_plain());
    }
    let desc = Format::R5SG5SB6UNorm.desc();
    assert_eq!(desc.channels.map(|c| c.kind as u8), {
        use ChannelKind::{Signed, Unsigned, Void};
        [Signed as u8, Signed as u8, Unsigned as u8, Void as u8]
    });
    assert_eq!(Format::Z16Unorm.desc().colorspace, ColorSpace::Zs);
    assert_eq!(Swizzle::W.channel(), Some(3));
}

/// Checks the 35 names of `format-names.txt` that alias another format in host byte order.
#[test]
fn aliases_are_the_integers_of_the_host() {
    let mut count = 0;
    for &(name, format) in Format::ALIASES {
        assert_eq!(Format::from_name(name), Some(format));
        count += 1;
        // Letters, then the digits of the widths: the first letter is in the lowest bits.
        let (letters, kind) = name.split_once('_').unwrap();
        let at = letters.find(|c: char| c.is_ascii_digit()).unwrap();
        let bits = if letters.ends_with("16") { 16 } else { 8 };
        let mut order: Vec<char> = letters[..at].chars().collect();
        assert_eq!(letters[at..], order.iter().map(|_| bits.to_string()).collect::<String>());
        if cfg!(target_endian = "big") {
            order.reverse();
        }
        let array: String = order.iter().map(|letter| format!("{letter}{bits}")).collect();
        assert_eq!(format.name(), format!("{array}_{kind}"), "{name}");
    }
    assert_eq!(count, 35);
    assert_eq!(Format::Rg88Unorm, Format::from_name("PIPE_FORMAT_RG88_UNORM").unwrap());
}

#[test]
fn linear_and_srgb_come_in_pairs() {
    for &format in Format::ALL {
        let linear = format.to_linear();
        assert!(!linear.is_srgb(), "{format}");
        if format.is_srgb() {
            assert_eq!(linear.to_srgb(), Some(format), "{format}: {linear}");
            // The names differ only in the word for the colour space.
            let name = format.name();
            let expected = [
                name.replace("_SRGBA", "_RGBA_UNORM"),
                name.replace("SRGB8", "RGB8").replace("SRGBA8", "RGBA8"),
                name.replace("_SRGB", "_RGB"),
                name.replace("_SRGB", "_UNORM"),
                name.replace("_SRGB", ""),
            ];
            assert!(expected.contains(&linear.name().to_owned()), "{format}: {linear}");
        } else {
            assert_eq!(linear, format);
        }
    }
    assert_eq!(Format::Etc1Rgb8.to_srgb(), Some(Format::Etc2Srgb8));
    for none in [Format::R8Snorm, Format::R8Uint, Format::Z16Unorm, Format::Nv12, Format::None] {
        assert_eq!(none.to_srgb(), None, "{none}");
    }
}

#[test]
fn casts_keep_order_and_sizes() {
    use Format as F;
    for (a, b, castable) in [
        (F::R8G8B8A8Unorm, F::R8G8B8A8Srgb, true),
        (F::R8G8B8A8Unorm, F::R8G8B8A8Sint, true),
        (F::R8G8B8A8Unorm, F::R8G8B8X8Unorm, true),
        (F::R8G8B8A8Unorm, F::B8G8R8A8Unorm, false),
        (F::R8G8B8A8Unorm, F::R16G16Unorm, false),
        (F::R32Float, F::R32Uint, true),
        (F::R32Float, F::L32Float, false),
        (F::Z24UnormS8Uint, F::X24S8Uint, true),
        (F::Z24UnormS8Uint, F::R8G8B8A8Unorm, false),
        (F::Z32Float, F::R32Float, false),
        (F::Dxt1Rgb, F::Dxt1Srgba, true),
        (F::Dxt3Rgba, F::Dxt5Rgba, false),
        (F::Dxt5Rgba, F::Dxt5Srgba, true),
        (F::Rgtc1Unorm, F::Rgtc1Snorm, true),
        (F::Rgtc1Unorm, F::Latc1Unorm, false),
        (F::BptcRgbaUnorm, F::BptcSrgba, true),
        (F::BptcRgbaUnorm, F::BptcRgbFloat, false),
        (F::Astc_8x8, F::Astc_8x8Srgb, true),
        (F::Astc_8x8, F::Astc_8x6, false),
        (F::R11G11B10Float, F::R9G9B9E5Float, false),
        (F::Nv12, F::Nv21, false),
        (F::Nv12, F::Nv12, true),
    ] {
        assert_eq!(a.is_castable(b), castable, "{a} {b}");
        assert_eq!(b.is_castable(a), castable, "{b} {a}");
    }
    for (src, dst, copies) in [
        (F::R8G8B8A8Unorm, F::R8G8B8X8Unorm, true),
        (F::R8G8B8X8Unorm, F::R8G8B8A8Unorm, false),
        (F::R8G8B8A8Unorm, F::R8G8B8A8Srgb, false),
        (F::R8G8B8A8Unorm, F::R8G8B8A8Snorm, false),
        (F::Z24UnormS8Uint, F::Z24X8Unorm, true),
        (F::Z24X8Unorm, F::Z24UnormS8Uint, false),
        (F::Dxt1Rgba, F::Dxt1Rgb, true),
        (F::Dxt1Rgb, F::Dxt1Rgba, false),
        (F::Uyvy, F::Uyvy, true),
    ] {
        assert_eq!(src.copies_as(dst), copies, "{src} to {dst}");
    }
}
