//! Checks every bit pattern of every 8- and 16-bit texel against a second parser of format names.
//!
//! The oracle below does not use the crate's descriptions: it splits the name as text, and computes
//! in `f64`.

use gallium_formats::{ColorSpace, Format};

/// A channel as written in the name.
struct Channel {
    letter: char,
    bits: u32,
    shift: u32,
    sign: Option<char>,
}

/// Splits `R5SG5SB6U_NORM` or `B5G6R5_UNORM` into channels and type.
fn split(name: &str) -> (Vec<Channel>, &str) {
    let (letters, kind) = name.split_once('_').unwrap();
    let mut channels = Vec::new();
    let mut shift = 0;
    let mut rest = letters;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[1..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let bits = rest[..digits].parse().unwrap();
        rest = &rest[digits..];
        let sign = if kind == "NORM" { rest.chars().next() } else { None };
        rest = &rest[sign.map_or(0, char::len_utf8)..];
        channels.push(Channel { letter, bits, shift, sign });
        shift += bits;
    }
    (channels, kind)
}

fn srgb(x: f64) -> f64 {
    if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// Returns the number that the `bits` low bits of `value` represent.
fn number(value: u32, bits: u32, kind: &str, sign: Option<char>) -> f64 {
    let unsigned = value as f64;
    let signed =
        if value >> (bits - 1) == 1 { unsigned - 2f64.powi(bits as i32) } else { unsigned };
    let max = 2f64.powi(bits as i32) - 1.0;
    let max_signed = 2f64.powi(bits as i32 - 1) - 1.0;
    match (kind, sign) {
        ("UNORM", _) | ("NORM", Some('U')) => unsigned / max,
        ("SNORM", _) | ("NORM", Some('S')) => (signed / max_signed).max(-1.0),
        ("USCALED" | "UINT", _) => unsigned,
        ("SSCALED" | "SINT", _) => signed,
        ("FLOAT", _) => half::f16::from_bits(value as u16).to_f64(),
        ("SRGB", _) if bits == 8 => srgb(unsigned / max),
        // 5 and 6 bits stand for the nearest of 256 codes.
        ("SRGB", _) => srgb((unsigned / max * 255.0).round() / 255.0),
        _ => panic!("{kind}"),
    }
}

/// Returns the colour of a texel.
fn oracle(name: &str, texel: u32) -> [f32; 4] {
    let (channels, kind) = split(name);
    let mut rgba = [0.0, 0.0, 0.0, 1.0];
    for Channel { letter, bits, shift, sign } in channels {
        let value = (texel >> shift) & ((1u32 << bits) - 1);
        let kind = if kind == "SRGB" && letter == 'A' { "UNORM" } else { kind };
        let x = number(value, bits, kind, sign) as f32;
        match letter {
            'R' => rgba[0] = x,
            'G' => rgba[1] = x,
            'B' => rgba[2] = x,
            'A' => rgba[3] = x,
            'L' => rgba[..3].fill(x),
            'I' | 'S' => rgba.fill(x),
            'Z' => rgba[..3].fill(x),
            'X' => {}
            _ => panic!("{letter}"),
        }
    }
    rgba
}

/// Returns the bits of a texel that a store can restore.
fn stored_bits(name: &str) -> u32 {
    let (channels, _) = split(name);
    channels
        .iter()
        .filter(|channel| channel.letter != 'X')
        .fold(0, |mask, channel| mask | ((1u32 << channel.bits) - 1) << channel.shift)
}

/// Returns the formats of one or two bytes per texel.
fn small_formats() -> impl Iterator<Item = Format> {
    let small = |format: &Format| format.is_plain() && matches!(format.block_bytes(), 1 | 2);
    Format::ALL.iter().copied().filter(small)
}

fn patterns(format: Format) -> std::ops::Range<u32> {
    0..1 << (8 * format.block_bytes())
}

fn store(format: Format, rgba: [f32; 4]) -> u32 {
    let mut texel = [0; 4];
    format.store_rgba_f32(rgba, &mut texel[..format.block_bytes()]);
    u32::from_le_bytes(texel)
}

fn fetch(format: Format, texel: u32) -> [f32; 4] {
    format.fetch_rgba_f32(&texel.to_le_bytes()[..format.block_bytes()])
}

#[test]
fn there_are_many_small_formats() {
    assert!(small_formats().count() > 80, "{}", small_formats().count());
}

#[test]
fn every_pattern_has_the_value_of_the_formula() {
    for format in small_formats() {
        for texel in patterns(format) {
            let expected = oracle(format.name(), texel);
            let got = fetch(format, texel);
            // Compares bits, except that the two zeros are equal, and so are all NaNs.
            let same = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
            assert!(
                got.iter().zip(&expected).all(same),
                "{format} {texel:#06x}: {got:?}, not {expected:?}"
            );
        }
    }
}

#[test]
fn every_pattern_survives_fetch_and_store() {
    for format in small_formats() {
        let mask = stored_bits(format.name());
        for texel in patterns(format) {
            let rgba = fetch(format, texel);
            let back = store(format, rgba);
            if back != texel & mask {
                // Only if two patterns have one meaning: the lowest signed value, and NaNs.
                let again = fetch(format, back);
                let nan = rgba.iter().any(|x| x.is_nan()) && again.iter().any(|x| x.is_nan());
                let lowest = rgba.contains(&-1.0) && again == rgba;
                assert!(nan || lowest, "{format} {texel:#06x} came back as {back:#06x}");
            }
        }
    }
}

#[test]
fn integers_survive_exactly() {
    for format in small_formats().filter(|format| format.is_pure_integer()) {
        let mask = stored_bits(format.name());
        let bytes = format.block_bytes();
        for texel in patterns(format) {
            let rgba = format.fetch_rgba_bits(&texel.to_le_bytes()[..bytes]);
            let mut back = [0; 4];
            format.store_rgba_bits(rgba, &mut back[..bytes]);
            assert_eq!(u32::from_le_bytes(back), texel & mask, "{format} {rgba:?}");
        }
    }
}

#[test]
fn eight_bit_components_are_rounded_from_the_numbers() {
    for format in small_formats().filter(|format| !format.is_pure_integer()) {
        for texel in patterns(format) {
            let bytes = &texel.to_le_bytes()[..format.block_bytes()];
            let expected = oracle(format.name(), texel)
                .map(|x| (x.clamp(0.0, 1.0) as f64 * 255.0).round_ties_even() as u8);
            assert_eq!(format.fetch_rgba_u8(bytes), expected, "{format} {texel:#06x}");
        }
    }
}

/// The code nearest to a linear intensity, by the formula.
fn encode(x: f64) -> f64 {
    let y = if x <= 0.0031308 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    y.clamp(0.0, 1.0) * 255.0
}

#[test]
fn srgb_is_encoded_to_the_nearest_code() {
    let mut last = 0;
    // Every 997th float from 0 to 1; where the code changes, the exact step is searched below.
    for bits in (0..=1f32.to_bits()).step_by(997) {
        let x = f32::from_bits(bits);
        let code = gallium_formats::srgb::encode(x);
        assert!((encode(x as f64) - code as f64).abs() <= 0.5 + 1e-6, "{x}: {code}");
        if code != last {
            assert_eq!(code, last + 1);
            // Bisect the step: the code changes exactly where the formula passes a half.
            let (mut below, mut above) = (bits - 997, bits);
            while above - below > 1 {
                let middle = (below + above) / 2;
                if gallium_formats::srgb::encode(f32::from_bits(middle)) == code {
                    above = middle;
                } else {
                    below = middle;
                }
            }
            // A tie between codes is an exact point of the decoding formula, which defines sRGB.
            let tie = srgb((code as f64 - 0.5) / 255.0);
            assert!((f32::from_bits(below) as f64) < tie, "{code}");
            assert!(f32::from_bits(above) as f64 >= tie, "{code}");
        }
        last = code;
    }
    assert_eq!(last, 255);
}

#[test]
fn every_srgb_format_has_alpha_linear() {
    for &format in Format::ALL {
        if format.desc().colorspace == ColorSpace::Srgb && format.is_plain() && format.has_alpha() {
            let mut texel = [0; 4];
            format.store_rgba_f32([0.0, 0.0, 0.0, 0.2], &mut texel[..format.block_bytes()]);
            assert_eq!(texel.iter().filter(|&&byte| byte == 51).count(), 1, "{format}");
        }
    }
}
