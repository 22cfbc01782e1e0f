//! Compressed blocks against other decoders, on random and hand-made blocks.

mod common;

use common::Random;
use gallium_formats::{Format, Rect};

/// A decoder of `texture2ddecoder`: words of B, G, R, A bytes.
type Theirs = fn(&[u8], &mut [u32]);

/// Returns the texels of a block by another decoder; `None` if it panics (some do on illegal
/// blocks).
fn theirs(decode: Theirs, block: &[u8], count: usize) -> Option<Vec<[u8; 4]>> {
    let words = std::panic::catch_unwind(|| {
        let mut words = vec![0; count];
        decode(block, &mut words);
        words
    });
    let rgba = |word: &u32| {
        let [b, g, r, a] = word.to_le_bytes();
        [r, g, b, a]
    };
    Some(words.ok()?.iter().map(rgba).collect())
}

/// Returns the texels of a block by this crate.
fn ours(format: Format, block: &[u8]) -> Vec<[u8; 4]> {
    let size = format.block();
    let (width, height) = (size.width as usize, size.height as usize);
    let mut pixels = vec![[0; 4]; width * height];
    gallium_formats::unpack_rgba_u8(
        format,
        Rect::new(&mut pixels, width),
        Rect::new(block, 0),
        [width, height],
    )
    .unwrap();
    pixels
}

/// Compares the texels of random blocks; `same` compares a pair: ours, theirs, the block.
fn compare(
    format: Format,
    decode: Theirs,
    blocks: usize,
    same: impl Fn([u8; 4], [u8; 4], &[u8]) -> bool,
) {
    let mut random = Random::new(format as u64 + 1);
    let size = format.block();
    let count = size.width as usize * size.height as usize;
    let mut compared = 0;
    for _ in 0..blocks {
        let block = random.bytes(size.bytes as usize);
        let Some(theirs) = theirs(decode, &block, count) else { continue };
        compared += 1;
        let pairs = ours(format, &block).into_iter().zip(theirs);
        for (i, (a, b)) in pairs.enumerate() {
            assert!(same(a, b, &block), "{format} {block:02x?}: texel {i} is {a:?}, not {b:?}");
        }
    }
    assert!(compared > blocks / 2, "{format}: the other decoder panicked too often");
}

fn exact(a: [u8; 4], b: [u8; 4], _: &[u8]) -> bool {
    a == b
}

#[test]
fn s3tc_is_that_of_another_decoder() {
    compare(Format::Dxt1Rgb, texture2ddecoder::decode_bc1_block, 5000, exact);
    compare(Format::Dxt1Rgba, texture2ddecoder::decode_bc1a_block, 5000, exact);
    // That decoder applies the three-colour mode to DXT3 and DXT5, which always have four colours.
    let four = |a: [u8; 4], b: [u8; 4], block: &[u8]| {
        let end = |at: usize| u16::from_le_bytes([block[at], block[at + 1]]);
        end(8) <= end(10) || a == b
    };
    compare(Format::Dxt5Rgba, texture2ddecoder::decode_bc3_block, 5000, four);
    compare(Format::Dxt3Rgba, texture2ddecoder::decode_bc2_block, 5000, four);
}

/// Compares with a decoder that rounds, while this crate and most decoders truncate.
#[test]
fn s3tc_and_rgtc_are_near_a_decoder_that_rounds() {
    type Decoder = fn(&[u8], &mut [u8], usize);
    let mut random = Random::new(7);
    let decoders: [(Format, Decoder); 3] = [
        (Format::Dxt1Rgba, bcdec_rs::bc1),
        (Format::Dxt3Rgba, bcdec_rs::bc2),
        (Format::Dxt5Rgba, bcdec_rs::bc3),
    ];
    for _ in 0..5000 {
        let mut block = random.bytes(16);
        for (format, decode) in decoders {
            let mut rounded = [0; 64];
            decode(&block, &mut rounded, 16);
            for (a, b) in ours(format, &block).iter().zip(rounded.as_chunks::<4>().0) {
                assert!(
                    a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 1),
                    "{format} {block:02x?}: {a:?}, not {b:?}"
                );
            }
        }
        // That decoder treats an end of -128 as -127.
        for end in [0, 1, 8, 9] {
            block[end] |= (block[end] == 0x80) as u8;
        }
        for (format, signed) in [(Format::Rgtc2Unorm, false), (Format::Rgtc2Snorm, true)] {
            let mut rounded = [0.0; 32];
            bcdec_rs::bc5_float(&block, &mut rounded, 8, signed);
            for (i, b) in rounded.as_chunks::<2>().0.iter().enumerate() {
                let a = format.fetch_rgba_f32_at(&block, i % 4, i / 4);
                let near = |a: f32, b: f32| {
                    (a - b).abs() <= if signed { 1.01 / 127.0 } else { 1.01 / 255.0 }
                };
                assert!(near(a[0], b[0]) && near(a[1], b[1]), "{format} {block:02x?} {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn s3tc_by_hand() {
    // Red and blue ends: codes 0, 1, 2, 3 in the first row.
    let four = [0x00, 0xf8, 0x1f, 0x00, 0b1110_0100, 0, 0, 0];
    assert_eq!(
        ours(Format::Dxt1Rgb, &four)[..5],
        [
            [255, 0, 0, 255],
            [0, 0, 255, 255],
            [170, 0, 85, 255],
            [85, 0, 170, 255],
            [255, 0, 0, 255]
        ]
    );
    // The lesser end first: three colours and black, which is transparent in RGBA only.
    let three = [0x1f, 0x00, 0x00, 0xf8, 0b1110_0100, 0, 0, 0];
    assert_eq!(ours(Format::Dxt1Rgb, &three)[2..4], [[127, 0, 127, 255], [0, 0, 0, 255]]);
    assert_eq!(ours(Format::Dxt1Rgba, &three)[2..4], [[127, 0, 127, 255], [0, 0, 0, 0]]);
    // The same colours have four codes in DXT3; alpha is 4 bits, low texels first.
    let mut explicit = vec![0x50, 0xfa, 0, 0, 0, 0, 0, 0];
    explicit.extend(three);
    assert_eq!(
        ours(Format::Dxt3Rgba, &explicit)[..4],
        [[0, 0, 255, 0], [255, 0, 0, 85], [85, 0, 170, 170], [170, 0, 85, 255]]
    );
    // DXT5: 240 to 100 in sevenths, and 100 to 240 in fifths with 0 and 255.
    let mut steps = vec![240, 100, 0b10_001_000, 0, 0, 0, 0, 0];
    steps.extend(three);
    let alphas = |block: &[u8]| -> Vec<u8> {
        ours(Format::Dxt5Rgba, block)[..3].iter().map(|texel| texel[3]).collect()
    };
    assert_eq!(alphas(&steps), [240, 100, 220]);
    steps[..5].copy_from_slice(&[100, 240, 0b10_111_110, 0, 0]);
    assert_eq!(alphas(&steps), [0, 255, 128]);
}

#[test]
fn srgb_blocks_are_decoded_to_linear() {
    // 5 bits of 16 are 132 of 255.
    let block = [0x10, 0x84, 0x10, 0x84, 0, 0, 0, 0];
    let [linear] = [Format::Dxt1Rgb.fetch_rgba_f32_at(&block, 0, 0)];
    assert_eq!(linear, [132.0 / 255.0, 130.0 / 255.0, 132.0 / 255.0, 1.0]);
    let curved = Format::Dxt1Srgb.fetch_rgba_f32_at(&block, 3, 3);
    let expected = [132, 130, 132].map(gallium_formats::srgb::decode);
    assert_eq!(curved[..3], expected);
    // Alpha is never curved.
    let mut alpha = [0; 16];
    alpha[..8].fill(0x77);
    assert_eq!(Format::Dxt3Srgba.fetch_rgba_f32_at(&alpha, 0, 0)[3], 119.0 / 255.0);
}

#[test]
fn rgtc_by_hand() {
    // Signed: 127 to -127 in sevenths, truncated toward zero: 90.7, 54.4, 18.1.
    let block = [127, 0x81, 0b11_010_001, 0b0100, 0, 0, 0, 0];
    let at = |x| Format::Rgtc1Snorm.fetch_rgba_f32_at(&block, x, 0)[0] * 127.0;
    let values: Vec<i32> = (0..4).map(|x| at(x).round() as i32).collect();
    assert_eq!(values, [-127, 90, 54, 90]);
    // -128 is -1, too; the lesser end first has the ends of the range as codes 6 and 7.
    let block = [0x80, 0x10, 0b10_111_110, 0, 0, 0, 0, 0];
    let at = |x| Format::Rgtc1Snorm.fetch_rgba_f32_at(&block, x, 0)[0];
    assert_eq!([at(0), at(1), at(3)], [-1.0, 1.0, -1.0]);
    // (4 · -128 + 16) / 5 = -99.2.
    assert_eq!(at(2), -99.0 / 127.0);
    // LATC sends the channels to luminance and alpha.
    let block = [51, 51, 0, 0, 0, 0, 0, 0, 102, 102, 0, 0, 0, 0, 0, 0];
    assert_eq!(Format::Latc2Unorm.fetch_rgba_f32_at(&block, 1, 1), [0.2, 0.2, 0.2, 0.4]);
    assert_eq!(Format::Latc1Unorm.fetch_rgba_f32_at(&block[..8], 1, 1), [0.2, 0.2, 0.2, 1.0]);
    assert_eq!(Format::Rgtc2Unorm.fetch_rgba_f32_at(&block, 1, 1), [0.2, 0.4, 0.0, 1.0]);
}

#[test]
fn bc7_is_that_of_another_decoder() {
    compare(Format::BptcRgbaUnorm, texture2ddecoder::decode_bc7_block, 4000, exact);
}

/// Records of 112 bytes: a random block (16 bytes), its texels decoded as unsigned (48 bytes of
/// red, green, blue) and as signed (48 bytes). Pillow 13 decoded them, without `bcdec`, clamped to
/// 0 to 1 and converted to 8 bits. A third decoder is needed: `texture2ddecoder` reads some modes
/// wrong.
const BC6H: &[u8] = include_bytes!("bc6h.bin");

/// Without signs, each component must agree with at least one of two other decoders, because
/// `texture2ddecoder` differs from both in some modes. With signs the three decoders differ
/// pairwise in a few blocks (random endpoints overflow, and negative numbers are clamped or not),
/// so a share of the components may differ.
#[test]
fn bc6h_is_that_of_other_decoders() {
    let formats: [(Format, Theirs); 2] = [
        (Format::BptcRgbUfloat, texture2ddecoder::decode_bc6_block_unsigned),
        (Format::BptcRgbFloat, texture2ddecoder::decode_bc6_block_signed),
    ];
    let (mut agree, mut alone) = (0, 0);
    for record in BC6H.chunks_exact(112) {
        let (block, expected) = record.split_at(16);
        for ((format, decode), pillow) in formats.into_iter().zip(expected.chunks_exact(48)) {
            let third = theirs(decode, block, 16);
            for (i, a) in ours(format, block).into_iter().enumerate() {
                for (component, a) in a.into_iter().take(3).enumerate() {
                    let near = |b: u8| a.abs_diff(b) <= 1;
                    let first = near(pillow[3 * i + component]);
                    let second = third.as_ref().is_some_and(|third| near(third[i][component]));
                    // Negative components are 0 here, and differ between the other decoders.
                    let exact = format.fetch_rgba_f32_at(block, i % 4, i / 4)[component];
                    let same = first || second || exact < 0.0;
                    let signed = format == Format::BptcRgbFloat;
                    assert!(same || signed, "{format} {block:02x?}: texel {i} is {a}");
                    alone += !same as usize;
                    agree += (first && second) as usize;
                }
            }
        }
    }
    println!("{alone} of {} differ from both, {agree} agree with both", 160 * 96);
    assert!(alone < 160 * 48 / 40, "{alone} components differ from both others");
    assert!(agree > 160 * 96 / 2, "only {agree} components of all three are the same");
}

#[test]
fn etc_is_that_of_another_decoder() {
    compare(Format::Etc2Rgb8, texture2ddecoder::decode_etc2_rgb_block, 5000, exact);
    compare(Format::Etc2Rgba8, texture2ddecoder::decode_etc2_rgba8_block, 5000, exact);
    compare(Format::Etc2Rgb8A1, texture2ddecoder::decode_etc2_rgba1_block, 5000, |a, b, _| {
        a == b || (a[3], b[3]) == (0, 0)
    });
    // Differences that overflow select modes of ETC2.
    let legal = |block: &[u8]| {
        let sum = |byte: u8| (byte >> 3) as i32 + ((byte & 7) as i32 ^ 4) - 4;
        block[3] & 2 == 0 || block[..3].iter().all(|&byte| (0..32).contains(&sum(byte)))
    };
    compare(Format::Etc1Rgb8, texture2ddecoder::decode_etc1_block, 5000, |a, b, block| {
        !legal(block) || a == b
    });
}

#[test]
fn eac_has_the_modifiers_of_another_decoder() {
    // That decoder reads the codes of R11 in the wrong order, but the codes of alpha correctly: a
    // block with base 128 and multiplier 1 shows the modifiers.
    let mut random = Random::new(11);
    for _ in 0..5000 {
        let block = random.bytes(16);
        for (half, component) in [(&block[..8], 0), (&block[8..], 1)] {
            let mut alpha = vec![128, half[1] & 15 | 16];
            alpha.extend(&half[2..]);
            let mut words = [0; 16];
            texture2ddecoder::decode_etc2_a8_block(&alpha, &mut words);
            for (i, word) in words.iter().enumerate() {
                let modifier = (word >> 24) as i32 - 128;
                let step = modifier * if half[1] < 16 { 1 } else { (half[1] >> 4) as i32 * 8 };
                let unsigned = (half[0] as i32 * 8 + 4 + step).clamp(0, 2047) as f32 / 2047.0;
                let base = (half[0] as i8 as i32).max(-127);
                let signed = (base * 8 + step).clamp(-1023, 1023) as f32 / 1023.0;
                let at = |format: Format| format.fetch_rgba_f32_at(&block, i % 4, i / 4)[component];
                assert_eq!(at(Format::Etc2Rg11Unorm), unsigned, "{block:02x?} {i}");
                assert_eq!(at(Format::Etc2Rg11Snorm), signed, "{block:02x?} {i}");
            }
        }
    }
}

#[test]
fn eac_by_hand() {
    // Base 128, multiplier 2, table 13: modifiers -1, -2, -3, -10, 0, 1, 2, 9. Codes run down.
    let block = [128, 0x2d, 0b1110_1110, 0, 0, 0, 0, 0];
    let at = |y| Format::Etc2_R11Unorm.fetch_rgba_f32_at(&block, 0, y)[0];
    let code = |code: i32| code as f32 / 2047.0;
    // 128·8 + 4 + modifier·2·8.
    assert_eq!([at(0), at(1), at(2)], [code(1028 + 144), code(1028 - 160), code(1028)]);
    // Signed: the base is -128, which counts as -127; a multiplier of 0 counts as 1/8.
    let block = [0x80, 0x0d, 0b1110_1110, 0, 0, 0, 0, 0];
    let at = |y| Format::Etc2_R11Snorm.fetch_rgba_f32_at(&block, 0, y)[0];
    assert_eq!([at(0), at(1), at(2)], [-1007.0 / 1023.0, -1.0, -1016.0 / 1023.0]);
}

#[test]
fn atc_is_that_of_another_decoder() {
    // In the other mode, that decoder subtracts before it divides, and wraps around.
    let plain = |a: [u8; 4], b: [u8; 4], block: &[u8]| block[block.len() - 7] & 0x80 != 0 || a == b;
    compare(Format::AtcRgb, texture2ddecoder::decode_atc_rgb4_block, 5000, plain);
    compare(Format::AtcRgbaInterpolated, texture2ddecoder::decode_atc_rgba8_block, 5000, plain);
    // Black, less a quarter, first, last: first is 555 red 31, last 565 with red 16, green 63.
    let block = [0x00, 0xfc, 0xe0, 0x87, 0b1110_0100, 0, 0, 0];
    assert_eq!(
        ours(Format::AtcRgb, &block)[..4],
        [[0, 0, 0, 255], [255 - 132 / 4, 0, 0, 255], [255, 0, 0, 255], [132, 255, 0, 255]]
    );
    let mut explicit = vec![0x21, 0x43, 0, 0, 0, 0, 0, 0];
    explicit.extend(block);
    let alphas: Vec<u8> =
        ours(Format::AtcRgbaExplicit, &explicit)[..4].iter().map(|texel| texel[3]).collect();
    assert_eq!(alphas, [17, 34, 51, 68]);
}

/// The colour of illegal blocks and of blocks of high dynamic range: magenta.
const ERROR: [u8; 4] = [255, 0, 255, 255];

#[test]
fn astc_is_that_of_another_decoder() {
    macro_rules! sizes {
        ($($format:ident $decode:ident $w:literal $h:literal;)*) => {$({
            let decode: Theirs = |block, out| texture2ddecoder::decode_astc_block(block, $w, $h, out);
            astc(Format::$format, decode);
        })*};
    }
    sizes! {
        Astc_4x4 a 4 4; Astc_5x4 a 5 4; Astc_5x5 a 5 5; Astc_6x5 a 6 5; Astc_6x6 a 6 6;
        Astc_8x5 a 8 5; Astc_8x6 a 8 6; Astc_8x8 a 8 8; Astc_10x5 a 10 5; Astc_10x6 a 10 6;
        Astc_10x8 a 10 8; Astc_10x10 a 10 10; Astc_12x10 a 12 10; Astc_12x12 a 12 12;
    }
}

fn astc(format: Format, decode: Theirs) {
    let mut random = Random::new(format as u64);
    let size = format.block();
    let count = size.width as usize * size.height as usize;
    let mut compared = 0;
    // Few random blocks are legal.
    while compared < 300 * count {
        let block = random.bytes(16);
        let ours = ours(format, &block);
        if ours.iter().all(|texel| *texel == ERROR) {
            continue;
        }
        // That decoder accepts illegal blocks.
        let Some(theirs) = theirs(decode, &block, count) else { continue };
        for (i, (a, b)) in ours.into_iter().zip(theirs).enumerate() {
            if a != ERROR {
                compared += 1;
                // The last rounding, to 8 bits, is not the same.
                let near = (0..4).all(|i| a[i].abs_diff(b[i]) <= 1);
                assert!(near, "{format} {block:02x?}: texel {i} is {a:?}, not {b:?}");
            }
        }
    }
}

#[test]
fn astc_by_hand() {
    // A void extent without bounds: the high bytes of four words.
    let mut block = [0xff; 16];
    block[0] = 0xfc;
    block[1] = 0xfd;
    block[8..].copy_from_slice(&[0x34, 0x12, 0xff, 0xff, 0, 0, 0, 0x80]);
    assert_eq!(ours(Format::Astc_6x5, &block), [[0x12, 0xff, 0, 0x80]; 30]);
    // A void extent of high dynamic range, and a reserved block mode.
    block[1] = 0xff;
    assert_eq!(ours(Format::Astc_6x5, &block), [ERROR; 30]);
    assert_eq!(ours(Format::Astc_4x4, &[0; 16]), [ERROR; 16]);
}

/// Returns the bits of an FXT1 block, from a list of (first bit, value).
fn fxt1(fields: &[(u32, u128)]) -> [u8; 16] {
    fields.iter().fold(0, |word, &(low, value)| word | value << low).to_le_bytes()
}

#[test]
fn fxt1_by_hand() {
    let (red, green, blue) = (31 << 10, 31 << 5, 31);
    // CC_HI: seven steps from red to blue, and clear; texel 16 is the first of the right half.
    let block = fxt1(&[(3, 3), (6, 6), (9, 7), (48, 1), (96, red), (111, blue)]);
    let texels = ours(Format::Fxt1Rgba, &block);
    assert_eq!(
        texels[..5],
        // The middle of 255 and 0 is 127.5, rounded up; a sixth of 255 is 42.5.
        [[255, 0, 0, 255], [128, 0, 128, 255], [0, 0, 255, 255], [0; 4], [213, 0, 43, 255]]
    );
    // RGB has no alpha.
    assert_eq!(ours(Format::Fxt1Rgb, &block)[3], [0, 0, 0, 255]);
    // CC_CHROMA: four colours.
    let block = fxt1(&[
        (2, 1),
        (4, 2),
        (6, 3),
        (32, 1),
        (64, red),
        (79, green),
        (94, blue),
        (109, 0x7fff),
        (125, 2),
    ]);
    assert_eq!(
        ours(Format::Fxt1Rgba, &block)[..5],
        [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255; 4], [0, 255, 0, 255]]
    );
    // CC_ALPHA without steps: colours with alpha, 3 is clear.
    let block = fxt1(&[(2, 1), (6, 3), (64, red), (79, green), (109, 31), (114, 15), (125, 3)]);
    assert_eq!(
        ours(Format::Fxt1Rgba, &block)[..4],
        [[255, 0, 0, 255], [0, 255, 0, 123], [255, 0, 0, 255], [0; 4]]
    );
    // With steps: the left half from colour 0 to 1, the right from 2 to 1.
    let block =
        fxt1(&[(2, 1), (32, 3), (34, 1), (64, red), (79, green), (94, blue), (124, 1), (125, 3)]);
    let texels = ours(Format::Fxt1Rgba, &block);
    assert_eq!(texels[..2], [[255, 0, 0, 0], [170, 85, 0, 0]]);
    assert_eq!(texels[4..6], [[0, 255, 0, 0], [0, 85, 170, 0]]);
    // CC_MIXED: greens have 6 bits; the first's lowest is flipped by the first code's high bit.
    let block = fxt1(&[(0, 2), (2, 1), (64, 0), (79, 31 << 5), (125, 1), (127, 1)]);
    let texels = ours(Format::Fxt1Rgba, &block);
    // Ends: green 0b000000 (1 ^ 1), and 63. The steps are thirds.
    assert_eq!(texels[..3], [[0, 170, 0, 255], [0, 85, 0, 255], [0, 0, 0, 255]]);
    // With clear texels: three steps.
    let block = fxt1(&[(0, 1), (2, 2), (4, 3), (64, red), (79, blue), (124, 1), (127, 1)]);
    assert_eq!(
        ours(Format::Fxt1Rgba, &block)[..4],
        [[127, 0, 127, 255], [0, 0, 255, 255], [0; 4], [255, 0, 0, 255]]
    );
}
