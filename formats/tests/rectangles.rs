//! Rectangles of every kind of format: blocks at edges, encoders, integers, video, bits.

mod common;

use common::Random;
use gallium_formats::{
    Error, Format, Rect, convert, pack_rgba_f32, pack_rgba_i32, pack_rgba_u8, pack_rgba_u32,
    unpack_rgba_f32, unpack_rgba_i32, unpack_rgba_u8, unpack_rgba_u32,
};

fn of_blocks() -> impl Iterator<Item = Format> {
    Format::ALL.iter().copied().filter(|format| !format.is_texel() && format.can_unpack())
}

#[test]
fn all_formats_but_planes_and_volumes_can_be_read() {
    use gallium_formats::Layout::{Empty, Planar};
    for &format in Format::ALL {
        let described_only = matches!(format.layout(), Empty | Planar) || format.block().depth > 1;
        assert_eq!(format.can_unpack(), !described_only, "{format}");
    }
    assert_eq!(of_blocks().count(), 14 * 2 + 8 + 4 + 4 + 4 + 11 + 2 + 3 + 6 + 10 + 4);
    let written = of_blocks().filter(|format| format.can_pack()).count();
    assert_eq!(written, 8 + 4 + 4 + 6 + 10 + 4);
}

#[test]
fn rectangles_of_blocks_end_anywhere() {
    let mut random = Random::new(1);
    for format in of_blocks() {
        let block = format.block();
        let (wide, high) = (block.width as usize, block.height as usize);
        let (width, height) = (2 * wide + wide.div_ceil(2), high + high.div_ceil(2));
        // Padding at the end of rows is not read or written.
        let stride = 3 * block.bytes as usize + 5;
        let src = random.bytes(stride + 3 * block.bytes as usize);
        let mut pixels = vec![[9.0; 4]; (width + 1) * height];
        unpack_rgba_f32(
            format,
            Rect::new(&mut pixels, width + 1),
            Rect::new(&src, stride),
            [width, height],
        )
        .unwrap();
        let mut bytes = vec![[9; 4]; (width + 1) * height];
        unpack_rgba_u8(
            format,
            Rect::new(&mut bytes, width + 1),
            Rect::new(&src, stride),
            [width, height],
        )
        .unwrap();
        for y in 0..height {
            for x in 0..width + 1 {
                let (got, byte) = (pixels[y * (width + 1) + x], bytes[y * (width + 1) + x]);
                if x == width {
                    assert_eq!((got, byte), ([9.0; 4], [9; 4]), "{format}");
                    continue;
                }
                let at = y / high * stride + x / wide * block.bytes as usize;
                let expected = format.fetch_rgba_f32_at(&src[at..], x % wide, y % high);
                assert_eq!(got.map(f32::to_bits), expected.map(f32::to_bits), "{format} {x} {y}");
                let narrow = expected.map(|x| (x.clamp(0.0, 1.0) * 255.0).round_ties_even() as u8);
                assert_eq!(byte, narrow, "{format} {x} {y}");
            }
        }
        // Conversion to texels is the same.
        let mut texels = vec![0; width * height * 16];
        let float = Format::R32G32B32A32Float;
        convert(
            float,
            Rect::new(&mut texels, width * 16),
            format,
            Rect::new(&src, stride),
            [width, height],
        )
        .unwrap();
        for (texel, y) in texels.chunks(16 * width).zip(0..) {
            for (texel, x) in texel.chunks(16).zip(0..) {
                let expected = pixels[y * (width + 1) + x];
                assert_eq!(
                    float.fetch_rgba_f32(texel).map(f32::to_bits),
                    expected.map(f32::to_bits)
                );
            }
        }
        // Buffers are checked in whole blocks.
        let short = &src[..src.len() - 1];
        assert_eq!(
            unpack_rgba_f32(
                format,
                Rect::new(&mut pixels, width + 1),
                Rect::new(short, stride),
                [width, height]
            ),
            Err(Error::SourceTooSmall { needed: src.len(), got: short.len() })
        );
    }
}

/// A picture with gradients, an edge and noise.
fn picture(width: usize, height: usize) -> Vec<[u8; 4]> {
    let mut random = Random::new(3);
    (0..width * height)
        .map(|i| {
            let (x, y) = (i % width, i / width);
            let noise = (random.word() % 9) as usize;
            let edge = if x + y > (width + height) / 2 { 60 } else { 0 };
            [
                (x * 180 / width + edge + noise) as u8,
                (y * 180 / height + edge + noise) as u8,
                ((x + y) * 90 / height) as u8,
                (255 - y * 255 / height) as u8,
            ]
        })
        .collect()
}

/// Returns the mean square error of the first `components`, in decibels below 255.
fn psnr(a: &[[u8; 4]], b: &[[u8; 4]], components: std::ops::Range<usize>) -> f64 {
    let square = |a: u8, b: u8| (a as f64 - b as f64).powi(2);
    let pairs =
        a.iter().zip(b).flat_map(|(a, b)| a[components.clone()].iter().zip(&b[components.clone()]));
    let sum: f64 = pairs.map(|(a, b)| square(*a, *b)).sum();
    let count = a.len() * components.len();
    10.0 * (255.0 * 255.0 * count as f64 / sum.max(1e-9)).log10()
}

fn through(format: Format, picture: &[[u8; 4]], width: usize, height: usize) -> Vec<[u8; 4]> {
    let block = format.block();
    let stride = format.row_bytes(width);
    let mut bytes = vec![0; stride * height.div_ceil(block.height as usize)];
    pack_rgba_u8(format, Rect::new(&mut bytes, stride), Rect::new(picture, width), [width, height])
        .unwrap();
    let mut back = vec![[0; 4]; width * height];
    unpack_rgba_u8(format, Rect::new(&mut back, width), Rect::new(&bytes, stride), [width, height])
        .unwrap();
    back
}

#[test]
fn encoders_keep_the_picture() {
    let (width, height) = (62, 45);
    let picture = picture(width, height);
    for (format, components, least) in [
        (Format::Dxt1Rgb, 0..3, 38.0),
        (Format::Dxt3Rgba, 0..3, 38.0),
        (Format::Dxt5Rgba, 0..3, 38.0),
        (Format::Dxt3Rgba, 3..4, 34.0),
        (Format::Dxt5Rgba, 3..4, 50.0),
        (Format::Rgtc1Unorm, 0..1, 47.0),
        (Format::Rgtc2Unorm, 0..2, 47.0),
        (Format::Latc2Unorm, 3..4, 50.0),
    ] {
        let back = through(format, &picture, width, height);
        let quality = psnr(&picture, &back, components.clone());
        println!("{format} {components:?}: {quality:.1} dB");
        assert!(quality > least, "{format}: {quality:.1} dB");
    }
}

#[test]
fn blocks_of_one_colour_are_nearly_exact() {
    let mut random = Random::new(5);
    for _ in 0..300 {
        let color: [u8; 4] = random.bytes(4).try_into().unwrap();
        let back = through(Format::Dxt5Rgba, &[color; 16], 4, 4);
        assert_eq!(back, [back[0]; 16]);
        // A third of 5 bits: steps of about 2.7; the alpha is a whole endpoint.
        let near = (0..3).all(|i| back[0][i].abs_diff(color[i]) <= 2);
        assert!(near && back[0][3] == color[3], "{color:?} {:?}", back[0]);
        assert_eq!(
            through(Format::Rgtc2Unorm, &[color; 16], 4, 4),
            [[color[0], color[1], 0, 255]; 16]
        );
    }
}

#[test]
fn two_colours_that_the_format_has_are_exact() {
    let (red, blue) = ([255, 0, 0, 255], [0, 0, 255, 255]);
    let block: [[u8; 4]; 16] = core::array::from_fn(|i| if i % 3 == 0 { red } else { blue });
    for format in [Format::Dxt1Rgb, Format::Dxt1Rgba, Format::Dxt3Rgba, Format::Dxt5Rgba] {
        assert_eq!(through(format, &block, 4, 4), block, "{format}");
    }
    // Transparent texels are black and do not affect the opaque texels.
    let holes: [[u8; 4]; 16] =
        core::array::from_fn(|i| if i % 5 == 0 { [90, 80, 70, 0] } else { block[i] });
    let back = through(Format::Dxt1Rgba, &holes, 4, 4);
    for (i, texel) in back.iter().enumerate() {
        assert_eq!(*texel, if i % 5 == 0 { [0; 4] } else { block[i] });
    }
    assert_eq!(through(Format::Dxt1Rgba, &[[9, 9, 9, 0]; 16], 4, 4), [[0; 4]; 16]);
}

#[test]
fn encoding_what_was_decoded_changes_little() {
    // Random endpoints in both orders; all values lie on one palette.
    let mut random = Random::new(8);
    for format in [Format::Rgtc1Unorm, Format::Rgtc1Snorm] {
        let mut worst: f32 = 0.0;
        for _ in 0..2000 {
            let block = random.bytes(8);
            let mut pixels = [[0.0; 4]; 16];
            unpack_rgba_f32(format, Rect::new(&mut pixels, 4), Rect::new(&block, 8), [4, 4])
                .unwrap();
            let mut again = [0; 8];
            pack_rgba_f32(format, Rect::new(&mut again, 8), Rect::new(&pixels, 4), [4, 4]).unwrap();
            let mut back = [[0.0; 4]; 16];
            unpack_rgba_f32(format, Rect::new(&mut back, 4), Rect::new(&again, 8), [4, 4]).unwrap();
            for (a, b) in pixels.iter().zip(&back) {
                worst = worst.max((a[0] - b[0]).abs());
            }
        }
        // Half a step of the widest palette: 1/14 of the range of 1 or 2.
        let step = if format == Format::Rgtc1Unorm { 1.0 / 14.0 } else { 2.0 / 14.0 };
        assert!(worst <= step + 0.01, "{format}: {worst}");
    }
}

#[test]
fn integers_keep_their_value_and_are_clamped() {
    let src = [[0, 1, 300, u32::MAX], [7, 128, 255, 0x8000_0000]];
    let mut bytes = [0xaa; 8];
    pack_rgba_u32(Format::R8G8B8A8Uint, Rect::new(&mut bytes, 4), Rect::new(&src, 1), [1, 2])
        .unwrap();
    assert_eq!(bytes, [0, 1, 255, 255, 7, 128, 255, 255]);
    pack_rgba_u32(Format::R8G8B8A8Sint, Rect::new(&mut bytes, 4), Rect::new(&src, 1), [1, 2])
        .unwrap();
    assert_eq!(bytes, [0, 1, 127, 127, 7, 127, 127, 127]);
    let signed = [[-1, 1, 300, i32::MIN], [-129, -128, 127, i32::MAX]];
    pack_rgba_i32(Format::R8G8B8A8Sint, Rect::new(&mut bytes, 8), Rect::new(&signed, 2), [2, 1])
        .unwrap();
    assert_eq!(bytes, [0xff, 1, 127, 0x80, 0x80, 0x80, 127, 127]);
    let mut ints = [[0; 4]; 2];
    unpack_rgba_i32(Format::R8G8B8A8Sint, Rect::new(&mut ints, 2), Rect::new(&bytes, 8), [2, 1])
        .unwrap();
    assert_eq!(ints, [[-1, 1, 127, -128], [-128, -128, 127, 127]]);
    let mut words = [[0; 4]; 2];
    unpack_rgba_u32(Format::R8G8B8A8Sint, Rect::new(&mut words, 2), Rect::new(&bytes, 8), [2, 1])
        .unwrap();
    assert_eq!(words, [[0, 1, 127, 0], [0, 0, 127, 127]]);
    pack_rgba_i32(Format::R8G8B8A8Uint, Rect::new(&mut bytes, 8), Rect::new(&signed, 2), [2, 1])
        .unwrap();
    assert_eq!(bytes, [0, 1, 255, 0, 0, 0, 127, 255]);
    let wide = 0xffff_fff0u32.to_le_bytes();
    unpack_rgba_i32(Format::R32Uint, Rect::new(&mut ints, 1), Rect::new(&wide, 4), [1, 1]).unwrap();
    assert_eq!(ints[0], [i32::MAX, 0, 0, 1]);
    unpack_rgba_u32(Format::R32Uint, Rect::new(&mut words, 1), Rect::new(&wide, 4), [1, 1])
        .unwrap();
    assert_eq!(words[0], [0xffff_fff0, 0, 0, 1]);
    for format in [Format::R8Unorm, Format::Dxt1Rgb, Format::Z24UnormS8Uint] {
        let unsupported = Err(Error::Unsupported(format));
        assert_eq!(
            unpack_rgba_u32(format, Rect::new(&mut words, 1), Rect::new(&[0; 8], 8), [1, 1]),
            unsupported
        );
        assert_eq!(
            pack_rgba_i32(format, Rect::new(&mut [0; 8], 8), Rect::new(&ints, 1), [1, 1]),
            unsupported
        );
    }
}

#[test]
fn bits_start_with_the_lowest() {
    let mut pixels = [[0; 4]; 12];
    unpack_rgba_u8(
        Format::R1Unorm,
        Rect::new(&mut pixels, 12),
        Rect::new(&[0b0000_0101, 0b1000], 2),
        [12, 1],
    )
    .unwrap();
    let reds = pixels.map(|pixel| pixel[0]);
    assert_eq!(reds, [255, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 255]);
    assert_eq!(pixels[0], [255, 0, 0, 255]);
    unpack_rgba_u8(Format::L4Unorm, Rect::new(&mut pixels, 3), Rect::new(&[0xf1, 0x07], 2), [3, 1])
        .unwrap();
    assert_eq!(pixels[..3], [[17, 17, 17, 255], [255; 4], [119, 119, 119, 255]]);
    unpack_rgba_u8(
        Format::L2Unorm,
        Rect::new(&mut pixels, 4),
        Rect::new(&[0b11_10_01_00], 1),
        [4, 1],
    )
    .unwrap();
    assert_eq!(pixels[..4].iter().map(|p| p[0]).collect::<Vec<_>>(), [0, 85, 170, 255]);
    // Every byte survives; the last byte is padded with three copies of the last texel.
    for format in [Format::R1Unorm, Format::L1Unorm, Format::L2Unorm, Format::L4Unorm] {
        let bytes: Vec<u8> = (0..=255).collect();
        let width = 256 * format.block().width as usize;
        let mut pixels = vec![[0; 4]; width];
        unpack_rgba_u8(format, Rect::new(&mut pixels, width), Rect::new(&bytes, 256), [width, 1])
            .unwrap();
        let mut again = vec![0; 256];
        pack_rgba_u8(format, Rect::new(&mut again, 256), Rect::new(&pixels, width), [width, 1])
            .unwrap();
        assert_eq!(again, bytes, "{format}");
    }
    let mut one = [0];
    pack_rgba_u8(
        Format::L1Unorm,
        Rect::new(&mut one, 1),
        Rect::new(&[[0; 4], [255; 4]], 2),
        [2, 1],
    )
    .unwrap();
    assert_eq!(one, [0b1111_1110]);
}

#[test]
fn subsampled_texels_share() {
    let colors = |format: Format, block: [u8; 4]| {
        let mut pixels = [[0; 4]; 2];
        unpack_rgba_u8(format, Rect::new(&mut pixels, 2), Rect::new(&block, 4), [2, 1]).unwrap();
        pixels.map(|[r, g, b, _]| [r, g, b])
    };
    assert_eq!(colors(Format::R8G8_B8G8Unorm, [1, 2, 3, 4]), [[1, 2, 3], [1, 4, 3]]);
    assert_eq!(colors(Format::G8R8_G8B8Unorm, [1, 2, 3, 4]), [[2, 1, 4], [2, 3, 4]]);
    assert_eq!(colors(Format::R8G8_R8B8Unorm, [1, 2, 3, 4]), [[1, 2, 4], [3, 2, 4]]);
    assert_eq!(colors(Format::G8R8_B8R8Unorm, [1, 2, 3, 4]), [[2, 1, 3], [4, 1, 3]]);
    // The shared sample is the mean.
    let mut block = [0; 4];
    let two = [[10, 20, 30, 255], [13, 40, 31, 255]];
    pack_rgba_u8(Format::R8G8_B8G8Unorm, Rect::new(&mut block, 4), Rect::new(&two, 2), [2, 1])
        .unwrap();
    assert_eq!(block, [12, 20, 31, 40]);
}

#[test]
fn yuv_by_the_matrix_of_bt601() {
    let color = |format: Format, block: &[u8], x| {
        format.fetch_rgba_f32_at(block, x, 0).map(|x| (x * 255.0).round() as u8)
    };
    // Black, white, and the primary colours of 8-bit studio range.
    for (yuv, rgb) in [
        ([16, 128, 128], [0, 0, 0]),
        ([235, 128, 128], [255, 255, 255]),
        // 1.164 · 65 + 1.596 · 112 = 254.4; green and blue are below 0 or near it.
        ([81, 90, 240], [254, 0, 0]),
        ([145, 54, 34], [0, 255, 1]),
        ([41, 240, 110], [0, 0, 255]),
    ] {
        let [y, u, v] = yuv;
        let near = |a: [u8; 4]| (0..3).all(|i| a[i].abs_diff(rgb[i]) <= 1) && a[3] == 255;
        let ten = |x: u8| ((x as u16) << 8).to_le_bytes();
        let words = |samples: &[u8]| samples.iter().flat_map(|x| ten(*x)).collect::<Vec<u8>>();
        for (format, block, x) in [
            (Format::Yuyv, vec![0, u, y, v], 1),
            (Format::Uyvy, vec![u, y, v, 0], 0),
            (Format::Ayuv, vec![v, u, y, 255], 0),
            (Format::Xyuv, vec![v, u, y, 7], 0),
            (Format::Y210, words(&[0, u, y, v]), 1),
            (Format::Y212, words(&[y, u, 0, v]), 0),
            (Format::Y216, words(&[y, u, 0, v]), 0),
        ] {
            let got = color(format, &block, x);
            assert!(near(got), "{format} {yuv:?}: {got:?}");
        }
        let [y, u, v] = yuv.map(|x| x as u32 * 4);
        let got = color(Format::Y410, &(u | y << 10 | v << 20 | 3 << 30).to_le_bytes(), 0);
        assert!(near(got), "Y410 {got:?}");
    }
    assert_eq!(color(Format::Ayuv, &[128, 128, 16, 51], 0), [0, 0, 0, 51]);
    assert_eq!(color(Format::Y8Unorm, &[235], 0), [255, 255, 255, 255]);
    let alpha = [0, 0x80, 0, 0x10, 0, 0x80, 0x33, 0x33];
    assert_eq!(color(Format::Y416, &alpha, 0), [0, 0, 0, 51]);
}

#[test]
fn yuv_survives_its_own_conversion() {
    // Colours inside the cube: luma and chroma come back within a code.
    let inside: Vec<[u8; 4]> = (0..=255u8).map(|i| [i, 255 - i, i / 2 + 40, 255]).collect();
    for format in Format::ALL.iter().filter(|format| format.is_yuv() && format.can_pack()) {
        if matches!(format, Format::Y8Unorm | Format::Y8_400Unorm) {
            continue;
        }
        // Each colour twice, so that sharing samples loses nothing.
        let pixels: Vec<[u8; 4]> = inside.iter().flat_map(|color| [*color; 2]).collect();
        let back = through(*format, &pixels, pixels.len(), 1);
        for (a, b) in pixels.iter().zip(&back) {
            let near = (0..3).all(|i| a[i].abs_diff(b[i]) <= 3) && b[3] == 255;
            assert!(near, "{format}: {a:?} {b:?}");
        }
    }
}

#[test]
fn blocks_convert_to_blocks() {
    let picture = picture(23, 17);
    let (width, height) = (23, 17);
    let mut dxt = vec![0; 6 * 5 * 16];
    pack_rgba_u8(
        Format::Dxt5Rgba,
        Rect::new(&mut dxt, 6 * 16),
        Rect::new(&picture, width),
        [width, height],
    )
    .unwrap();
    let mut decoded = vec![[0; 4]; width * height];
    unpack_rgba_u8(
        Format::Dxt5Rgba,
        Rect::new(&mut decoded, width),
        Rect::new(&dxt, 6 * 16),
        [width, height],
    )
    .unwrap();
    // Conversion to bits in two steps through pixels, and directly.
    let stride = Format::L4Unorm.row_bytes(width);
    let (mut direct, mut pixels) = (vec![0; stride * height], vec![0; stride * height]);
    convert(
        Format::L4Unorm,
        Rect::new(&mut direct, stride),
        Format::Dxt5Rgba,
        Rect::new(&dxt, 6 * 16),
        [width, height],
    )
    .unwrap();
    pack_rgba_u8(
        Format::L4Unorm,
        Rect::new(&mut pixels, stride),
        Rect::new(&decoded, width),
        [width, height],
    )
    .unwrap();
    assert_eq!(direct, pixels);
    // Formats without an encoder, and pure-integer formats, are errors.
    let to = |format| {
        convert(
            format,
            Rect::new(&mut [0; 4096], 512),
            Format::Dxt5Rgba,
            Rect::new(&dxt, 96),
            [8, 8],
        )
    };
    assert_eq!(to(Format::Astc_4x4), Err(Error::Unsupported(Format::Astc_4x4)));
    assert_eq!(to(Format::Nv12), Err(Error::Unsupported(Format::Nv12)));
    assert_eq!(
        to(Format::R8Uint),
        Err(Error::Incompatible { from: Format::Dxt5Rgba, to: Format::R8Uint })
    );
    // If both formats are the same, any format is copied.
    let mut copy = vec![0; dxt.len()];
    convert(
        Format::Dxt5Rgba,
        Rect::new(&mut copy, 96),
        Format::Dxt5Rgba,
        Rect::new(&dxt, 96),
        [width, height],
    )
    .unwrap();
    assert_eq!(copy, dxt);
}

#[test]
fn panels_have_their_bits_where_they_want_them() {
    use gallium_formats::grey::{self, Panel};
    // A row of white, black, grey 128, black; luma of pure green is 149, of red 77, of blue 29.
    let row = [[255; 4], [0, 0, 0, 255], [128, 128, 128, 0], [0; 4], [0, 255, 0, 0]];
    for (panel, expected) in [
        (Panel::Grey4High, &[0xf0, 0x80, 0x90][..]),
        (Panel::Grey4Low, &[0x0f, 0x08, 0x09]),
        (Panel::Grey2High, &[0b11_00_10_00, 0b10_00_00_00]),
        (Panel::Grey2Low, &[0b00_10_00_11, 0b10]),
        (Panel::Mono1High, &[0b1010_1000]),
        (Panel::Mono1Low, &[0b0001_0101]),
        (Panel::MonoPages, &[1, 0, 1, 0, 1]),
    ] {
        let mut bytes = [0x55; 5];
        grey::pack(panel, Rect::new(&mut bytes, 5), Rect::new(&row, 5), [5, 1]).unwrap();
        assert_eq!(bytes[..expected.len()], *expected, "{panel:?}");
    }
    assert_eq!(grey::luma([255, 0, 0]), 77);
    assert_eq!(grey::luma([0, 0, 255]), 29);
    // Pages: row 9 is bit 1 of the second page.
    let mut pixels = [[0, 0, 0, 255]; 30];
    pixels[9 * 3 + 1] = [255; 4];
    let mut pages = [0x55; 7];
    grey::pack(Panel::MonoPages, Rect::new(&mut pages, 4), Rect::new(&pixels, 3), [3, 10]).unwrap();
    assert_eq!(pages, [0, 0, 0, 0x55, 0, 2, 0]);
    // All bytes come back.
    let mut random = Random::new(12);
    for panel in [
        Panel::Grey4High,
        Panel::Grey4Low,
        Panel::Grey2High,
        Panel::Grey2Low,
        Panel::Mono1High,
        Panel::Mono1Low,
        Panel::MonoPages,
    ] {
        let (wide, high) = panel.block();
        let bytes = random.bytes(4 * 3);
        let (width, height) = (4 * wide, 3 * high);
        let mut pixels = vec![[0; 4]; width * height];
        grey::unpack(panel, Rect::new(&mut pixels, width), Rect::new(&bytes, 4), [width, height])
            .unwrap();
        let mut again = vec![0; 12];
        grey::pack(panel, Rect::new(&mut again, 4), Rect::new(&pixels, width), [width, height])
            .unwrap();
        assert_eq!(again, bytes, "{panel:?}");
        assert_eq!(
            grey::pack(
                panel,
                Rect::new(&mut again[..11], 4),
                Rect::new(&pixels, width),
                [width, height]
            ),
            Err(Error::DestinationTooSmall { needed: 12, got: 11 })
        );
    }
}

#[test]
fn planes_are_read_as_colours() {
    use gallium_formats::{Layout, planar, yuv};
    // Two by two pixels of luma 50, 100, 150, 200, chroma 90 and 160.
    let luma = [50, 100, 150, 200];
    let expected = luma.map(|y| yuv::to_rgb([y as f32, 90.0, 160.0]));
    let wide = |bytes: &[u8]| bytes.iter().flat_map(|b| [0, *b]).collect::<Vec<u8>>();
    let tens = |samples: &[u32]| {
        let word = |s: &[u32]| s.iter().zip(0..).fold(0, |w, (s, i)| w | (s * 4) << (10 * i));
        samples.chunks(3).flat_map(|s| word(s).to_le_bytes()).collect::<Vec<u8>>()
    };
    let y = &luma[..];
    let check = |format: Format, planes: &[(&[u8], usize)]| {
        let mut pixels = [[0.0; 4]; 4];
        let planes: Vec<_> =
            planes.iter().map(|&(bytes, stride)| Rect::new(bytes, stride)).collect();
        planar::unpack_rgba_f32(format, Rect::new(&mut pixels, 2), &planes, [2, 2]).unwrap();
        for (pixel, [r, g, b]) in pixels.iter().zip(expected) {
            assert_eq!(*pixel, [r, g, b, 1.0], "{format}");
        }
    };
    check(Format::Iyuv, &[(y, 2), (&[90], 1), (&[160], 1)]);
    check(Format::Yv12, &[(y, 2), (&[160], 1), (&[90], 1)]);
    check(Format::Nv12, &[(y, 2), (&[90, 160], 2)]);
    check(Format::Nv21, &[(y, 2), (&[160, 90], 2)]);
    check(Format::Yv16, &[(y, 2), (&[160, 160], 1), (&[90, 90], 1)]);
    check(Format::Y8_U8V8_422Unorm, &[(y, 2), (&[90, 160, 90, 160], 2)]);
    check(Format::Y8_U8_V8_444Unorm, &[(y, 2), (&[90; 4], 2), (&[160; 4], 2)]);
    check(Format::P010, &[(&wide(y), 4), (&wide(&[90, 160]), 4)]);
    check(Format::Y16_U16_V16_420Unorm, &[(&wide(y), 4), (&wide(&[90]), 2), (&wide(&[160]), 2)]);
    let rows = [tens(&[50, 100]), tens(&[150, 200])].concat();
    check(Format::P030, &[(&rows, 4), (&tens(&[90, 160]), 4)]);
    // Planes of red, green and blue are copied.
    let mut pixels = [[0; 4]; 4];
    planar::unpack_rgba_u8(
        Format::G8_B8_R8_420Unorm,
        Rect::new(&mut pixels, 2),
        &[Rect::new(y, 2), Rect::new(&[1], 1), Rect::new(&[2], 1)],
        [2, 2],
    )
    .unwrap();
    assert_eq!(pixels, luma.map(|g| [2, g, 1, 255]));
    // Planes cover the block of every planar format, and nothing else has any.
    for &format in Format::ALL {
        let block = format.block();
        let planes = format.planes();
        assert_eq!(planes.is_empty(), format.layout() != Layout::Planar, "{format}");
        if format == Format::P030 || planes.is_empty() {
            continue;
        }
        let bytes: usize = planes
            .iter()
            .map(|plane| {
                let (_, rows) = plane.size(block.width.into(), block.height.into());
                plane.row_bytes(block.width.into()) * rows
            })
            .sum();
        assert_eq!(bytes, format.block_bytes(), "{format}");
    }
    let short = [Rect::new(&luma[..], 2), Rect::new(&[90][..], 2)];
    assert_eq!(
        planar::unpack_rgba_u8(Format::Nv12, Rect::new(&mut pixels, 2), &short, [2, 2]),
        Err(Error::SourceTooSmall { needed: 2, got: 1 })
    );
}
