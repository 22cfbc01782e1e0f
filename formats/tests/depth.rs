//! Depth and stencil texels: where the bits are, and that each part leaves the other alone.

use gallium_formats::depth::{
    DepthLayout, pack_s8, pack_z_f32, pack_z_unorm32, unpack_s8, unpack_z_f32, unpack_z_unorm32,
};
use gallium_formats::{Error, Format};

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
        // What a part is written over: everything set, so that what is kept shows.
        let mut over = vec![0xff; texel.len()];
        match depth {
            Some((unorm, number)) => {
                unpack_z_unorm32(format, &mut z, texel).unwrap();
                unpack_z_f32(format, &mut f, texel).unwrap();
                assert_eq!((z, f), ([unorm], [number]), "{format}");
                pack_z_unorm32(format, &mut over, &z).unwrap();
                let by_unorm = over.clone();
                over.fill(0xff);
                pack_z_f32(format, &mut over, &f).unwrap();
                assert_eq!(over, by_unorm, "{format}");
            }
            None => {
                let unsupported = Err(Error::Unsupported(format));
                assert_eq!(unpack_z_unorm32(format, &mut z, texel), unsupported);
                assert_eq!(unpack_z_f32(format, &mut f, texel), unsupported);
                assert_eq!(pack_z_unorm32(format, &mut over, &z), unsupported);
                assert_eq!(pack_z_f32(format, &mut over, &f), unsupported);
            }
        }
        match stencil {
            Some(stencil) => {
                unpack_s8(format, &mut s, texel).unwrap();
                assert_eq!(s, [stencil], "{format}");
                pack_s8(format, &mut over, &s).unwrap();
            }
            None => {
                assert_eq!(unpack_s8(format, &mut s, texel), Err(Error::Unsupported(format)));
                assert_eq!(pack_s8(format, &mut over, &s), Err(Error::Unsupported(format)));
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
            // 24 bits are more than a float below 1 can tell apart only in part: the nearest of
            // 2^24 values is exact, of 2^32 it is not.
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
        unpack_z_f32(Format::Z24X8Unorm, &mut [0.0; 3], &[0; 11]),
        Err(Error::SourceTooSmall { needed: 12, got: 11 })
    );
    assert_eq!(
        pack_s8(Format::Z24UnormS8Uint, &mut [0; 11], &[0; 3]),
        Err(Error::DestinationTooSmall { needed: 12, got: 11 })
    );
    let mut row = [0; 6];
    pack_z_f32(Format::Z16Unorm, &mut row, &[0.0, 1.0, f32::NAN]).unwrap();
    assert_eq!(row, [0, 0, 0xff, 0xff, 0, 0]);
    assert!(DepthLayout::new(Format::R16Unorm).is_none());
}
