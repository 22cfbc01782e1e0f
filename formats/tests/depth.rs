//! Depth and stencil texels: the position of the bits, and that writing one part keeps the other.

mod common;

use common::Random;
use gallium_formats::depth::{
    DepthLayout, pack_s8, pack_z_f32, pack_z_unorm32, unpack_s8, unpack_z_f32, unpack_z_unorm32,
};
use gallium_formats::{Error, Format, Rect};

/// A texel, its depth as 32-bit unorm and as a number, and its stencil.
type Case = (Format, &'static [u8], Option<(u32, f32)>, Option<u8>);

const CASES: &[Case] = &[
    (Format::Z16Unorm, &[0x33, 0x33], Some((0x3333_3333, 0.2)), None),
    (Format::Z16UnormS8Uint, &[0xff, 0xff, 7], Some((!0, 1.0)), Some(7)),
    (Format::Z24X8Unorm, &[0x33, 0x33, 0x33, 0], Some((0x3333_3333, 0.2)), None),
    (Format::X8Z24Unorm, &[0, 0x33, 0x33, 0x33], Some((0x3333_3333, 0.2)), None),
    (Format::Z24UnormS8Uint, &[0, 0, 0x80, 7], Some((0x8000_0080, 0.500_000_03)), Some(7)),
    (Format::S8UintZ24Unorm, &[7, 0xff, 0xff, 0xff], Some((!0, 1.0)), Some(7)),
    (Format::Z32Unorm, &[0xff; 4], Some((!0, 1.0)), None),
    // 0.5 is 2147483647.5 of 2^32 - 1; the tie goes to even.
    (Format::Z32Float, &[0, 0, 0, 0x3f], Some((0x8000_0000, 0.5)), None),
    (Format::Z32FloatS8X24Uint, &[0, 0, 0x80, 0x3f, 7, 0, 0, 0], Some((!0, 1.0)), Some(7)),
    (Format::S8Uint, &[7], None, Some(7)),
    (Format::X24S8Uint, &[0, 0, 0, 7], None, Some(7)),
    (Format::S8X24Uint, &[7, 0, 0, 0], None, Some(7)),
    (Format::X32_S8X24Uint, &[0, 0, 0, 0, 7, 0, 0, 0], None, Some(7)),
];

#[test]
fn all_depth_formats_are_here() {
    let count = Format::ALL.iter().filter(|format| format.is_depth_or_stencil()).count();
    assert_eq!(CASES.len(), count);
}

#[test]
fn parts_are_read_and_written_in_their_place() {
    for &(format, texel, depth, stencil) in CASES {
        let mut z = [1];
        let mut f = [9.0];
        let mut s = [9];
        // Each part is written over set bits, which shows the bits that are kept.
        let mut over = vec![0xff; texel.len()];
        match depth {
            Some((unorm, number)) => {
                unpack_z_unorm32(
                    format,
                    Rect::new(&mut z, 1),
                    Rect::new(texel, texel.len()),
                    [1, 1],
                )
                .unwrap();
                unpack_z_f32(format, Rect::new(&mut f, 1), Rect::new(texel, texel.len()), [1, 1])
                    .unwrap();
                assert_eq!((z, f), ([unorm], [number]), "{format}");
                pack_z_unorm32(format, Rect::new(&mut over, texel.len()), Rect::new(&z, 1), [1, 1])
                    .unwrap();
                let by_unorm = over.clone();
                over.fill(0xff);
                pack_z_f32(format, Rect::new(&mut over, texel.len()), Rect::new(&f, 1), [1, 1])
                    .unwrap();
                assert_eq!(over, by_unorm, "{format}");
            }
            None => {
                let unsupported = Err(Error::Unsupported(format));
                assert_eq!(
                    unpack_z_unorm32(
                        format,
                        Rect::new(&mut z, 1),
                        Rect::new(texel, texel.len()),
                        [1, 1]
                    ),
                    unsupported
                );
                assert_eq!(
                    unpack_z_f32(
                        format,
                        Rect::new(&mut f, 1),
                        Rect::new(texel, texel.len()),
                        [1, 1]
                    ),
                    unsupported
                );
                assert_eq!(
                    pack_z_unorm32(
                        format,
                        Rect::new(&mut over, texel.len()),
                        Rect::new(&z, 1),
                        [1, 1]
                    ),
                    unsupported
                );
                assert_eq!(
                    pack_z_f32(format, Rect::new(&mut over, texel.len()), Rect::new(&f, 1), [1, 1]),
                    unsupported
                );
            }
        }
        match stencil {
            Some(stencil) => {
                unpack_s8(format, Rect::new(&mut s, 1), Rect::new(texel, texel.len()), [1, 1])
                    .unwrap();
                assert_eq!(s, [stencil], "{format}");
                pack_s8(format, Rect::new(&mut over, texel.len()), Rect::new(&s, 1), [1, 1])
                    .unwrap();
            }
            None => {
                assert_eq!(
                    unpack_s8(format, Rect::new(&mut s, 1), Rect::new(texel, texel.len()), [1, 1]),
                    Err(Error::Unsupported(format))
                );
                assert_eq!(
                    pack_s8(format, Rect::new(&mut over, texel.len()), Rect::new(&s, 1), [1, 1]),
                    Err(Error::Unsupported(format))
                );
            }
        }
        // Padding is kept, too: it was set before.
        let padding = match format {
            Format::Z24X8Unorm => 0xff00_0000u64,
            Format::X8Z24Unorm => 0xff,
            Format::X24S8Uint => 0xff_ffff,
            Format::S8X24Uint => 0xffff_ff00,
            Format::Z32FloatS8X24Uint => 0xffff_ff00_0000_0000,
            Format::X32_S8X24Uint => 0xffff_ff00_ffff_ffff,
            _ => 0,
        };
        let expected: Vec<u8> =
            texel.iter().zip(padding.to_le_bytes()).map(|(a, b)| a | b).collect();
        assert_eq!(over, expected, "{format}");
    }
}

#[test]
fn narrowing_keeps_what_widening_gave() {
    for format in [Format::Z16Unorm, Format::Z24X8Unorm, Format::X8Z24Unorm, Format::Z32Unorm] {
        let bits = DepthLayout::new(format).unwrap().depth.unwrap();
        let max = u32::MAX >> (32 - bits.bits);
        for value in (0..=max).step_by(65_521).chain(0..9).chain([max / 2, max / 2 + 1, max]) {
            let word = value << bits.shift;
            assert_eq!(bits.with_unorm32(0, bits.to_unorm32(word)), word, "{format}");
            // Every depth of up to 24 bits survives the conversion to `f32` and back; most depths
            // of 32 bits do not.
            if bits.bits < 32 {
                assert_eq!(bits.with_f32(0, bits.to_f32(word)), word, "{format}");
            }
        }
        assert_eq!(bits.to_unorm32(max << bits.shift), u32::MAX);
        assert_eq!(bits.to_f32(max << bits.shift), 1.0);
    }
}

#[test]
fn order_of_depth_survives_narrowing() {
    let bits = DepthLayout::new(Format::Z16Unorm).unwrap().depth.unwrap();
    let mut last = 0;
    for z in (0..=u32::MAX).step_by(4099) {
        let narrow = bits.with_unorm32(0, z);
        assert!(narrow >= last);
        last = narrow;
    }
    assert_eq!(last, 0xffff);
}

#[test]
fn rows_must_fit() {
    assert_eq!(
        unpack_z_f32(
            Format::Z24X8Unorm,
            Rect::new(&mut [0.0; 3], 3),
            Rect::new(&[0; 11], 12),
            [3, 1]
        ),
        Err(Error::SourceTooSmall { needed: 12, got: 11 })
    );
    assert_eq!(
        pack_s8(Format::Z24UnormS8Uint, Rect::new(&mut [0; 11], 12), Rect::new(&[0; 3], 3), [3, 1]),
        Err(Error::DestinationTooSmall { needed: 12, got: 11 })
    );
    let mut row = [0; 6];
    pack_z_f32(
        Format::Z16Unorm,
        Rect::new(&mut row, 6),
        Rect::new(&[0.0, 1.0, f32::NAN], 3),
        [3, 1],
    )
    .unwrap();
    assert_eq!(row, [0, 0, 0xff, 0xff, 0, 0]);
    assert!(DepthLayout::new(Format::R16Unorm).is_none());
}

#[test]
fn rectangles_are_texels_in_rows() {
    let mut random = Random::new(2);
    let (width, height) = (13, 3);
    for &(format, ..) in CASES {
        let layout = DepthLayout::new(format).unwrap();
        let size = layout.bytes as usize;
        let stride = width * size + 3;
        let mut bytes = random.bytes(stride * height);
        let texel = |x: usize, y: usize| y * stride + x * size..y * stride + (x + 1) * size;
        let mut floats = vec![9.0; (width + 1) * height];
        let mut unorms = vec![9; (width + 1) * height];
        let mut stencils = vec![9; (width + 1) * height];
        let wide = width + 1;
        if layout.depth.is_some() {
            unpack_z_f32(
                format,
                Rect::new(&mut floats, wide),
                Rect::new(&bytes, stride),
                [width, height],
            )
            .unwrap();
            unpack_z_unorm32(
                format,
                Rect::new(&mut unorms, wide),
                Rect::new(&bytes, stride),
                [width, height],
            )
            .unwrap();
        }
        if layout.stencil.is_some() {
            unpack_s8(
                format,
                Rect::new(&mut stencils, wide),
                Rect::new(&bytes, stride),
                [width, height],
            )
            .unwrap();
        }
        for (x, y) in (0..height).flat_map(|y| (0..wide).map(move |x| (x, y))) {
            let at = y * wide + x;
            let (float, unorm, stencil) = if x < width {
                let texel = &bytes[texel(x, y)];
                (layout.z_f32(texel), layout.z_unorm32(texel), layout.stencil(texel))
            } else {
                (9.0, 9, 9)
            };
            if layout.depth.is_some() {
                assert_eq!(floats[at].to_bits(), float.to_bits(), "{format}");
                assert_eq!(unorms[at], unorm, "{format}");
            }
            if layout.stencil.is_some() {
                assert_eq!(stencils[at], stencil, "{format}");
            }
        }
        // Writes other values over the existing ones.
        let z: Vec<u32> = (0..wide * height).map(|_| random.word() as u32).collect();
        let f: Vec<f32> = z.iter().map(|z| (*z as f64 / u32::MAX as f64) as f32).collect();
        let s: Vec<u8> = z.iter().map(|z| *z as u8).collect();
        let before = bytes.clone();
        let check = |after: &[u8], set: &dyn Fn(&mut [u8], usize)| {
            let mut expected = before.clone();
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                set(&mut expected[texel(x, y)], y * wide + x);
            }
            assert_eq!(after, expected, "{format}");
        };
        if layout.depth.is_some() {
            pack_z_unorm32(
                format,
                Rect::new(&mut bytes, stride),
                Rect::new(&z, wide),
                [width, height],
            )
            .unwrap();
            check(&bytes, &|texel, i| layout.set_z_unorm32(texel, z[i]));
            bytes.copy_from_slice(&before);
            pack_z_f32(format, Rect::new(&mut bytes, stride), Rect::new(&f, wide), [width, height])
                .unwrap();
            check(&bytes, &|texel, i| layout.set_z_f32(texel, f[i]));
            bytes.copy_from_slice(&before);
        }
        if layout.stencil.is_some() {
            pack_s8(format, Rect::new(&mut bytes, stride), Rect::new(&s, wide), [width, height])
                .unwrap();
            check(&bytes, &|texel, i| layout.set_stencil(texel, s[i]));
        }
    }
}
