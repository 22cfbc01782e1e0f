//! Fast paths agree with the plain one: lanes and rectangles equal single texels, bit for bit.

use gallium_formats::{
    Error, Format, Rect, convert, lanes, pack_rgba_f32, pack_rgba_u8, unpack_rgba_f32,
    unpack_rgba_u8,
};
use proptest::prelude::*;

/// Not a multiple of a batch, so that tails are tested.
const LANES: usize = 21;

/// The largest texel.
const MAX_BYTES: usize = 32;

fn texels() -> impl Strategy<Value = Format> {
    let texels: Vec<_> = Format::ALL.iter().copied().filter(|format| format.is_texel()).collect();
    proptest::sample::select(texels)
}

/// Floats of all magnitudes, most of them near interesting values.
fn float() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => 0f32..1.0,
        2 => -2f32..2.0,
        1 => -70000f32..70000.0,
        1 => (0u32..=255).prop_map(|code| code as f32 / 255.0),
        1 => (0u32..=510).prop_map(|code| code as f32 / 510.0),
        1 => any::<u32>().prop_map(f32::from_bits),
        1 => proptest::sample::select(vec![
            0.0, -0.0, 1.0, -1.0, 0.5, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX,
            f32::MIN_POSITIVE, 1e-40, 65504.0, 65519.9, 65520.0, 65024.0, 65408.0, 6.1e-5, 6e-8,
        ]),
    ]
}

/// Compares two results. NaNs may have different bits.
fn same(a: u32, b: u32, integers: bool) -> bool {
    let nan = |x: u32| f32::from_bits(x).is_nan();
    a == b || (!integers && nan(a) && nan(b))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn lanes_unpack_as_texels_are_fetched(
        format in texels(),
        bytes in prop::collection::vec(any::<u8>(), LANES * MAX_BYTES),
    ) {
        let size = format.block_bytes();
        let mut words = vec![0; LANES * lanes::words_per_texel(format)];
        lanes::load(format, &bytes[..LANES * size], &mut words);
        let mut rgba = [[7; LANES]; 4];
        lanes::unpack(format, &words, rgba.each_mut().map(|lanes| &mut lanes[..]));
        for (lane, texel) in bytes.chunks_exact(size).take(LANES).enumerate() {
            let expected = format.fetch_rgba_bits(texel);
            for component in 0..4 {
                prop_assert!(
                    same(rgba[component][lane], expected[component], format.is_pure_integer()),
                    "{} lane {} component {}: {:#x}, not {:#x}",
                    format, lane, component, rgba[component][lane], expected[component]
                );
            }
        }
    }

    #[test]
    fn lanes_pack_as_texels_are_stored(
        format in texels(),
        floats in prop::collection::vec(float(), LANES * 4),
        integers in prop::collection::vec(prop_oneof![any::<u32>(), 0u32..300, !300u32..=!0], LANES * 4),
    ) {
        let size = format.block_bytes();
        let bits = |i: usize| {
            if format.is_pure_integer() { integers[i] } else { floats[i].to_bits() }
        };
        let rgba: [[u32; LANES]; 4] =
            core::array::from_fn(|component| core::array::from_fn(|lane| bits(component * LANES + lane)));
        let mut words = vec![0xdead_beef; LANES * lanes::words_per_texel(format)];
        lanes::pack(format, rgba.each_ref().map(|lanes| &lanes[..]), &mut words);
        let mut bytes = vec![0xaa; LANES * size];
        lanes::store(format, &words, &mut bytes);
        for (lane, texel) in bytes.chunks_exact(size).enumerate() {
            let mut expected = [0x55; MAX_BYTES];
            let color = core::array::from_fn(|component| rgba[component][lane]);
            format.store_rgba_bits(color, &mut expected[..size]);
            prop_assert_eq!(texel, &expected[..size], "{} {:?}", format, color.map(f32::from_bits));
        }
    }

    #[test]
    fn rectangles_are_texels_in_rows(
        format in texels(),
        bytes in prop::collection::vec(any::<u8>(), 3 * (LANES + 1) * MAX_BYTES),
        floats in prop::collection::vec(float(), 3 * 4 * LANES),
    ) {
        let size = format.block_bytes();
        // Both sides have padding at the ends of rows, which must stay unchanged.
        let (stride, pixels) = (LANES * size + 5, LANES + 2);
        let mut unpacked = vec![[9.0; 4]; 3 * pixels];
        let (dst, src) = (Rect::new(&mut unpacked[..], pixels), Rect::new(&bytes[..], stride));
        unpack_rgba_f32(format, dst, src, [LANES, 3]).unwrap();
        for y in 0..3 {
            for x in 0..pixels {
                let got = unpacked[y * pixels + x];
                let expected = if x < LANES {
                    format.fetch_rgba_f32(&bytes[y * stride + x * size..][..size])
                } else {
                    [9.0; 4]
                };
                for (a, b) in got.into_iter().zip(expected) {
                    prop_assert!(same(a.to_bits(), b.to_bits(), false), "{} {:?}", format, (x, y));
                }
            }
        }
        let colors: Vec<[f32; 4]> = floats.as_chunks().0.to_vec();
        let mut packed = vec![0xaa; 3 * stride];
        let (dst, src) = (Rect::new(&mut packed[..], stride), Rect::new(&colors[..], LANES));
        pack_rgba_f32(format, dst, src, [LANES, 3]).unwrap();
        let mut expected = vec![0xaa; 3 * stride];
        for (i, &color) in colors.iter().enumerate() {
            let at = i / LANES * stride + i % LANES * size;
            format.store_rgba_f32(color, &mut expected[at..at + size]);
        }
        prop_assert_eq!(packed, expected, "{}", format);
    }

    #[test]
    fn conversion_goes_by_value(
        (dst, src) in (texels(), texels()),
        bytes in prop::collection::vec(any::<u8>(), 2 * LANES * MAX_BYTES),
    ) {
        let (to, from) = (dst.block_bytes(), src.block_bytes());
        let mut converted = vec![0xaa; 2 * LANES * to];
        let result = convert(
            dst,
            Rect::new(&mut converted, LANES * to),
            src,
            Rect::new(&bytes, LANES * from),
            [LANES, 2],
        );
        if dst.is_pure_integer() != src.is_pure_integer() {
            prop_assert_eq!(result, Err(Error::Incompatible { from: src, to: dst }));
            return Ok(());
        }
        prop_assert_eq!(result, Ok(()));
        for (got, texel) in converted.chunks_exact(to).zip(bytes.chunks_exact(from)) {
            let mut expected = vec![0x55; to];
            let mut rgba = src.fetch_rgba_bits(texel);
            for x in &mut rgba {
                if src.is_pure_sint() && dst.is_pure_uint() {
                    *x = (*x as i32).max(0) as u32;
                } else if src.is_pure_uint() && dst.is_pure_sint() {
                    *x = (*x).min(i32::MAX as u32);
                }
            }
            if dst == src {
                expected.copy_from_slice(texel);
            } else {
                dst.store_rgba_bits(rgba, &mut expected);
            }
            prop_assert_eq!(got, &expected[..], "{} to {}: {:x?}", src, dst, texel);
        }
    }
}

/// Every value of a byte channel through the integer loops, in every pair of formats.
#[test]
fn integer_loops_agree_with_the_numbers() {
    let unorm = |format: &&Format| {
        let desc = format.desc();
        format.is_plain()
            && format.is_unorm()
            && !format.is_srgb()
            && !format.is_depth_or_stencil()
            && desc.channels.iter().all(|channel| channel.bits <= 8)
    };
    let formats: Vec<_> = Format::ALL.iter().filter(unorm).copied().collect();
    let bytes = |format: &&Format| format.desc().channels.iter().all(|c| matches!(c.bits, 0 | 8));
    for &src in formats.iter().filter(bytes) {
        let size = src.block_bytes();
        // Each channel takes every value; the other channels have different values.
        let texels: Vec<u8> =
            (0..=255u8).flat_map(|v| [v, !v, v.rotate_left(3), v ^ 0x5a]).collect();
        let texels = &texels[..256 * size];
        let mut pixels = [[0; 4]; 256];
        unpack_rgba_u8(src, Rect::new(&mut pixels, 256), Rect::new(texels, 256 * size), [256, 1])
            .unwrap();
        for (pixel, texel) in pixels.iter().zip(texels.chunks_exact(size)) {
            assert_eq!(*pixel, src.fetch_rgba_u8(texel), "{src} {texel:?}");
        }
        for &dst in &formats {
            let to = dst.block_bytes();
            let mut converted = vec![0; 256 * to];
            convert(
                dst,
                Rect::new(&mut converted, 256 * to),
                src,
                Rect::new(texels, 256 * size),
                [256, 1],
            )
            .unwrap();
            if dst == src {
                assert_eq!(converted, texels);
                continue;
            }
            for (got, texel) in converted.chunks_exact(to).zip(texels.chunks_exact(size)) {
                let mut expected = [0; 4];
                dst.store_rgba_f32(src.fetch_rgba_f32(texel), &mut expected[..to]);
                assert_eq!(got, &expected[..to], "{src} to {dst}: {texel:?}");
            }
        }
    }
}

#[test]
fn small_buffers_and_other_layouts_are_errors() {
    use Format as F;
    let mut pixels = [[0.0; 4]; 4];
    let mut bytes = [0; 16];
    // Two rows of two texels, 12 bytes apart: the last row ends at 12 + 8.
    assert_eq!(
        unpack_rgba_f32(F::R8G8B8A8Unorm, Rect::new(&mut pixels, 2), Rect::new(&bytes, 12), [2, 2]),
        Err(Error::SourceTooSmall { needed: 20, got: 16 })
    );
    assert_eq!(
        unpack_rgba_f32(F::R8G8B8A8Unorm, Rect::new(&mut pixels, 3), Rect::new(&bytes, 8), [2, 2]),
        Err(Error::DestinationTooSmall { needed: 5, got: 4 })
    );
    assert_eq!(
        pack_rgba_f32(
            F::R8G8B8A8Unorm,
            Rect::new(&mut bytes, usize::MAX),
            Rect::new(&pixels, 2),
            [2, 2]
        ),
        Err(Error::DestinationTooSmall { needed: usize::MAX, got: 16 })
    );
    assert_eq!(
        pack_rgba_u8(
            F::R8G8B8A8Unorm,
            Rect::new(&mut bytes, 16),
            Rect::new(&[[0; 4]; 3], 2),
            [2, 2]
        ),
        Err(Error::SourceTooSmall { needed: 4, got: 3 })
    );
    for format in [F::None, F::Nv12, F::Astc_3x3x3] {
        assert_eq!(
            unpack_rgba_f32(format, Rect::new(&mut pixels, 2), Rect::new(&bytes, 8), [2, 2]),
            Err(Error::Unsupported(format))
        );
        assert_eq!(
            convert(F::R8Unorm, Rect::new(&mut [0; 4], 2), format, Rect::new(&bytes, 8), [2, 2]),
            Err(Error::Unsupported(format))
        );
    }
    assert_eq!(
        unpack_rgba_u8(F::R8Uint, Rect::new(&mut [[0; 4]; 1], 1), Rect::new(&bytes, 1), [1, 1]),
        Err(Error::Unsupported(F::R8Uint))
    );
    // Empty rectangles succeed.
    assert_eq!(
        unpack_rgba_f32(F::R8Unorm, Rect::new(&mut [], 0), Rect::new(&[], 0), [0, 9]),
        Ok(())
    );
    assert_eq!(
        unpack_rgba_f32(F::R8Unorm, Rect::new(&mut [], 0), Rect::new(&[], 0), [9, 0]),
        Ok(())
    );
}
