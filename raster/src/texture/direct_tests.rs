//! Direct lookups against the general path, which four lanes take.
#![allow(clippy::needless_update, reason = "other features add fields to levels")]

use std::vec;
use std::vec::Vec;

use formats::Format;
use pipe_core::resource::TextureTarget;
use pipe_core::state::{CompareFunc, SamplerState, TexCompare, TexFilter, TexWrap};
use pipe_core::surface::Swizzle;
use tgsi::exec::{SampleKind, SampleRequest};
use tgsi::program::{Row, Sample};

use super::{Level, Sampler, TextureView};

/// The rows of a register file with s in row 1 and t in row 3.
const S: Row = Row(1);
const T: Row = Row(3);

fn lookup(dst: [Row; 4], offset: [i8; 3]) -> Sample {
    Sample {
        view: 0,
        sampler: 0,
        view_row: Row::NONE,
        sampler_row: Row::NONE,
        target: tgsi::shader::TextureTarget::Texture2D,
        kind: SampleKind::Implicit,
        coord: [S, T, Row::NONE],
        layer: Row::NONE,
        compare: Row::NONE,
        lod: Row::NONE,
        ddx: [Row::NONE; 3],
        ddy: [Row::NONE; 3],
        offset,
        offset_rows: [Row::NONE; 3],
        component: 0,
        component_row: Row::NONE,
        dst,
    }
}

/// Returns the colours of all quads, sampled one quad at a time.
fn quads(sampler: &Sampler<'_>, [s, t]: [&[u32; 64]; 2], offset: [i8; 3]) -> [[u32; 64]; 4] {
    quads_compared(sampler, [s, t], None, offset)
}

/// Returns the colours of all quads, sampled one quad at a time, and compared with a reference if
/// there is one.
fn quads_compared(
    sampler: &Sampler<'_>,
    [s, t]: [&[u32; 64]; 2],
    reference: Option<&[u32; 64]>,
    offset: [i8; 3],
) -> [[u32; 64]; 4] {
    let mut all = [[0; 64]; 4];
    for (quad, (s, t)) in s.as_chunks::<4>().0.iter().zip(t.as_chunks::<4>().0).enumerate() {
        let reference = reference.map(|row| &row.as_chunks::<4>().0[quad]);
        let zero = [0; 4];
        let mut out = [[0; 4]; 4];
        let request = SampleRequest {
            view: 0,
            sampler: 0,
            target: tgsi::shader::TextureTarget::Texture2D,
            kind: SampleKind::Implicit,
            coord: [s, t, &zero],
            layer: None,
            compare: reference,
            lod: None,
            ddx: [&zero; 3],
            ddy: [&zero; 3],
            offset,
            component: 0,
            live: 0b1111,
        };
        sampler.sample(&request, &mut out);
        for (all, out) in all.iter_mut().zip(out) {
            all[4 * quad..][..4].copy_from_slice(&out);
        }
    }
    all
}

/// Coordinates of eight by eight pixels in quads, from `first` on, `step` images apart.
fn coordinates(first: f32, step: f32, skew: f32) -> [[u32; 64]; 2] {
    let place = |lane: usize| {
        let (quad, x, y) = (lane / 4, lane & 1, lane >> 1 & 1);
        ((2 * (quad % 4) + x) as f32, (2 * (quad / 4) + y) as f32)
    };
    let s = core::array::from_fn(|lane| {
        let (x, y) = place(lane);
        (first + step * x + skew * y).to_bits()
    });
    let t = core::array::from_fn(|lane| {
        let (x, y) = place(lane);
        (first + step * y - skew * x).to_bits()
    });
    [s, t]
}

#[test]
fn direct_lookups_are_those_of_four_lanes() {
    let formats =
        [Format::R8Unorm, Format::B5G6R5Unorm, Format::R8G8B8Unorm, Format::R8G8B8A8Unorm];
    let wraps = [TexWrap::Repeat, TexWrap::ClampToEdge, TexWrap::MirrorRepeat];
    // Several texels per pixel, one, a part of one, and rotated.
    let places = [
        coordinates(-0.3, 0.11, 0.0),
        coordinates(0.02, 1.0 / 24.0, 0.0),
        coordinates(0.5, 0.004, 0.0),
        coordinates(0.9, 0.03, 0.013),
    ];
    let mut direct = 0;
    for format in formats {
        let texel = format.block_bytes();
        // Rows with one extra byte are not a whole number of texels apart, except for texels of 1
        // byte.
        for (size, stride) in [(24, 24 * texel), (24, 24 * texel + 1), (2, 2 * texel), (1, texel)] {
            let bytes: Vec<u8> =
                (0..size * stride).map(|byte| (byte * 37 + byte / 5) as u8).collect();
            let level = Level {
                bytes: &bytes,
                width: size as u32,
                height: size as u32,
                depth: 1,
                row_stride: stride,
                layer_stride: bytes.len(),
                ..Level::default()
            };
            let levels = [level];
            let view = TextureView {
                format,
                target: TextureTarget::Texture2D,
                swizzle: Swizzle::IDENTITY,
                levels: &levels,
                first_layer: 0,
                last_layer: 0,
            };
            for wrap in wraps {
                for filter in [TexFilter::Nearest, TexFilter::Linear] {
                    let state = SamplerState {
                        min_img_filter: filter,
                        mag_img_filter: filter,
                        ..SamplerState::wrapping(wrap)
                    };
                    let sampler = Sampler::new(&view, &state);
                    for ([s, t], offset) in places.iter().zip([[0; 3], [1, -2, 0], [0; 3], [0; 3]])
                    {
                        let wanted = quads(&sampler, [s, t], offset);
                        for dst in [[5, 6, 7, 0], [3, 1, 0, u16::MAX], [u16::MAX, 2, u16::MAX, 4]] {
                            let mut rows = vec![[7; 64]; 8];
                            (rows[1], rows[3]) = (*s, *t);
                            let sample = lookup(dst.map(Row), offset);
                            if !sampler.sample_rows(&sample, &mut rows) {
                                assert_eq!((rows[1], rows[3]), (*s, *t), "nothing is written");
                                assert!(
                                    filter == TexFilter::Linear || stride % texel != 0,
                                    "{format:?} {wrap:?}"
                                );
                                continue;
                            }
                            direct += 1;
                            for (dst, wanted) in dst.into_iter().zip(&wanted) {
                                let found = rows.get(usize::from(dst)).unwrap_or(wanted);
                                assert_eq!(
                                    found, wanted,
                                    "{format:?} {wrap:?} {filter:?} {stride}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
    // Rows are whole texels apart in 13 levels. There all nearest lookups are direct, and some
    // linear ones.
    assert!(direct > 13 * 3 * 4 * 3, "{direct}");
}

#[test]
fn lookups_that_are_not_direct_are_left_to_the_general_way() {
    let bytes = [9; 16];
    let level = Level {
        bytes: &bytes,
        width: 2,
        height: 2,
        depth: 1,
        row_stride: 8,
        layer_stride: 16,
        ..Level::default()
    };
    let levels = [level];
    let view = TextureView {
        format: Format::R8G8B8A8Unorm,
        target: TextureTarget::Texture2D,
        swizzle: Swizzle::IDENTITY,
        levels: &levels,
        first_layer: 0,
        last_layer: 0,
    };
    let state = SamplerState::wrapping(TexWrap::Repeat);
    let sample = lookup([5, 6, 7, 0].map(Row), [0; 3]);
    let is_done = |view: &TextureView<'_>, state: &SamplerState, sample: &Sample| {
        let mut rows = vec![[0; 64]; 8];
        let is_done = Sampler::new(view, state).sample_rows(sample, &mut rows);
        assert!(is_done || rows.iter().flatten().all(|bits| *bits == 0), "nothing is written");
        is_done
    };
    assert!(is_done(&view, &state, &sample));
    let border = SamplerState::wrapping(TexWrap::ClampToBorder);
    assert!(!is_done(&view, &border, &sample));
    let swizzled = TextureView { swizzle: [Swizzle::Y; 4], ..view };
    assert!(!is_done(&swizzled, &state, &sample));
    let fetch = Sample { kind: SampleKind::Fetch, ..sample };
    assert!(!is_done(&view, &state, &fetch));
    // The register file has only eight rows.
    let outside = Sample { dst: [5, 6, 7, 8].map(Row), ..sample };
    assert!(!is_done(&view, &state, &outside));
    assert!(!is_done(&TextureView { levels: &[], ..view }, &state, &sample));
}

#[test]
fn direct_comparisons_are_those_of_four_lanes() {
    const REFERENCE: Row = Row(2);
    let formats = [
        Format::Z16Unorm,
        Format::Z24UnormS8Uint,
        Format::X8Z24Unorm,
        Format::Z32Unorm,
        Format::Z32Float,
    ];
    let places = [coordinates(0.2, 0.08, 0.0), coordinates(0.3, 0.02, 0.007)];
    // From below 0 to above 1, including the exact depths of some texels.
    let reference: [u32; 64] = core::array::from_fn(|lane| ((lane as f32 - 8.0) / 48.0).to_bits());
    let [x, y, z, w] = Swizzle::IDENTITY;
    let swizzles = [[x, y, z, w], [x, x, x, Swizzle::One], [Swizzle::One, x, y, z]];
    let mut direct = 0;
    for format in formats {
        let texel = format.block_bytes();
        let depth = |at: usize| (at * 7 % 48) as f32 / 48.0;
        let bytes: Vec<u8> = (0..24 * 24)
            .flat_map(|at| {
                let word = match format {
                    Format::Z32Float => depth(at).to_bits(),
                    _ => (f64::from(depth(at)) * f64::from(u32::MAX)) as u32,
                };
                // In some formats depth is in the lower bits: any bits are a valid texel.
                word.to_le_bytes().into_iter().skip(4 - texel).collect::<Vec<_>>()
            })
            .collect();
        let level = Level {
            bytes: &bytes,
            width: 24,
            height: 24,
            depth: 1,
            row_stride: 24 * texel,
            layer_stride: bytes.len(),
            ..Level::default()
        };
        let levels = [level];
        for (number, swizzle) in swizzles.into_iter().enumerate() {
            let view = TextureView {
                format,
                target: TextureTarget::Texture2D,
                swizzle,
                levels: &levels,
                first_layer: 0,
                last_layer: 0,
            };
            for func in [CompareFunc::LessEqual, CompareFunc::Greater, CompareFunc::Equal] {
                let state = SamplerState {
                    min_img_filter: TexFilter::Linear,
                    mag_img_filter: TexFilter::Linear,
                    compare_mode: TexCompare::RToTexture,
                    compare_func: func,
                    ..SamplerState::wrapping(TexWrap::ClampToEdge)
                };
                let sampler = Sampler::new(&view, &state);
                for ([s, t], offset) in places.iter().zip([[0; 3], [1, -2, 0]]) {
                    let wanted = quads_compared(&sampler, [s, t], Some(&reference), offset);
                    let mut rows = vec![[7; 64]; 8];
                    (rows[1], rows[2], rows[3]) = (*s, reference, *t);
                    let dst = [5, 2, u16::MAX, 0].map(Row);
                    let sample = Sample { compare: REFERENCE, ..lookup(dst, offset) };
                    if !sampler.sample_rows(&sample, &mut rows) {
                        assert_eq!(number, 2, "{format:?} {func:?}");
                        assert_eq!((rows[1], rows[2], rows[5]), (*s, reference, [7; 64]));
                        continue;
                    }
                    direct += 1;
                    let found = [rows[5], rows[2], wanted[2], rows[0]];
                    assert_eq!(found, wanted, "{format:?} {func:?} {swizzle:?}");
                }
            }
        }
    }
    assert_eq!(direct, 5 * 2 * 3 * 2);
}
