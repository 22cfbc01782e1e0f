//! Sampling against formulas written separately, in f64, and against cases computed by hand.
#![allow(clippy::needless_update, reason = "other features add fields to levels")]

use std::vec::Vec;

use formats::Format;
use pipe_core::ColorUnion;
use pipe_core::resource::TextureTarget;
use pipe_core::state::{CompareFunc, ReductionMode, SamplerState, TexCompare};
use pipe_core::state::{TexFilter, TexMipFilter, TexWrap};
use pipe_core::surface::Swizzle;
use tgsi::exec::{Lanes, SampleKind, SampleRequest};

use super::{Level, Sampler, TextureView};
use crate::random::Random;

/// Returns a request with only coordinates set.
fn request<'a, R: Lanes>(kind: SampleKind, coord: [&'a R; 3]) -> SampleRequest<'a, R> {
    SampleRequest {
        view: 0,
        sampler: 0,
        target: tgsi::shader::TextureTarget::Texture2D,
        kind,
        coord,
        layer: None,
        compare: None,
        lod: None,
        ddx: coord,
        ddy: coord,
        offset: [0; 3],
        component: 0,
        live: tgsi::exec::all_lanes::<R>(),
    }
}

/// Returns a row of four equal floats.
fn splat(value: f32) -> [u32; 4] {
    [value.to_bits(); 4]
}

/// Returns the first lane of a result.
fn first(rgba: &[[u32; 4]; 4]) -> [f32; 4] {
    [0, 1, 2, 3].map(|c| f32::from_bits(rgba[c][0]))
}

/// Returns a view of `levels` with default swizzle and all layers.
fn view<'a>(format: Format, target: TextureTarget, levels: &'a [Level<'a>]) -> TextureView<'a> {
    let last_layer = levels.first().map_or(0, |level| level.depth.saturating_sub(1));
    TextureView { format, target, swizzle: Swizzle::IDENTITY, levels, first_layer: 0, last_layer }
}

/// Returns a level of densely packed texels.
fn level(bytes: &[u8], texel: usize, [width, height, depth]: [u32; 3]) -> Level<'_> {
    let row_stride = width as usize * texel;
    let layer_stride = row_stride * height as usize;
    Level { bytes, width, height, depth, row_stride, layer_stride, ..Level::default() }
}

/// Returns the sampler state with this wrap mode and filter, without mipmaps.
fn filter(wrap: TexWrap, filter: TexFilter) -> SamplerState {
    SamplerState { min_img_filter: filter, mag_img_filter: filter, ..SamplerState::wrapping(wrap) }
}

/// Samples at (s, t, r) with `kind`, in all four lanes.
fn sample_at(sampler: &Sampler<'_>, kind: SampleKind, at: [f32; 3]) -> [f32; 4] {
    let rows = at.map(splat);
    let mut out = [[0; 4]; 4];
    sampler.sample(&request(kind, [&rows[0], &rows[1], &rows[2]]), &mut out);
    first(&out)
}

/// Returns the texel index that OpenGL 4.6 §8.14.2 (table 8.20) and EXT_texture_mirror_clamp give
/// for integer coordinate `i`; `None` is the border.
fn wrap_index(mode: TexWrap, i: i64, n: i64) -> Option<i64> {
    let mirror = |a: i64| if a >= 0 { a } else { -(1 + a) };
    let inside = |i: i64| (0..n).contains(&i).then_some(i);
    match mode {
        TexWrap::Repeat => Some(i.rem_euclid(n)),
        TexWrap::ClampToEdge => Some(i.clamp(0, n - 1)),
        TexWrap::Clamp | TexWrap::ClampToBorder => inside(i),
        TexWrap::MirrorRepeat => Some((n - 1) - mirror(i.rem_euclid(2 * n) - n)),
        TexWrap::MirrorClampToEdge => Some(mirror(i).clamp(0, n - 1)),
        TexWrap::MirrorClamp | TexWrap::MirrorClampToBorder => inside(mirror(i)),
    }
}

/// Filters one axis in f64.
fn axis_reference(mode: TexWrap, linear: bool, s: f64, texels: &[f64], border: f64) -> f64 {
    let n = texels.len() as i64;
    let s = match mode {
        TexWrap::Clamp => s.clamp(0.0, 1.0),
        TexWrap::MirrorClamp => s.clamp(-1.0, 1.0),
        _ => s,
    };
    let at = |i: i64| wrap_index(mode, i, n).map_or(border, |i| texels[i as usize]);
    let u = s * n as f64;
    if linear {
        let i = (u - 0.5).floor();
        let w = u - 0.5 - i;
        at(i as i64) * (1.0 - w) + at(i as i64 + 1) * w
    } else if matches!(mode, TexWrap::Clamp | TexWrap::MirrorClamp) {
        // The far edge of the clamped range belongs to the last texel.
        let i = u.floor() as i64;
        let i = if i < 0 { -(1 + i) } else { i };
        texels[i.min(n - 1) as usize]
    } else {
        at(u.floor() as i64)
    }
}

#[test]
fn every_wrap_mode_follows_the_specification() {
    const BYTES: [u8; 8] = [10, 200, 30, 160, 90, 250, 0, 120];
    let border = 0.6;
    for (&mode, n) in TexWrap::ALL.iter().flat_map(|mode| [1, 4, 5, 8].map(|n| (mode, n))) {
        let levels = [level(&BYTES, 1, [n, 1, 1])];
        let texels: Vec<f64> = BYTES[..n as usize].iter().map(|&b| b as f64 / 255.0).collect();
        for linear in [false, true] {
            let kind = if linear { TexFilter::Linear } else { TexFilter::Nearest };
            let mut state = filter(mode, kind);
            state.border_color = [border as f32; 4].into();
            let sampler =
                Sampler::new(&view(Format::R8Unorm, TextureTarget::Texture1D, &levels), &state);
            for step in -400..400 {
                // Never on a boundary between texels, where rounding decides.
                let s = step as f64 / 128.0 + 1.0 / 512.0;
                let got = sample_at(&sampler, SampleKind::Implicit, [s as f32, 0.0, 0.0])[0];
                let want = axis_reference(mode, linear, s, &texels, border);
                assert!(
                    (got as f64 - want).abs() < 2e-6,
                    "{mode:?} {kind:?} n {n} s {s}: {got} {want}"
                );
            }
        }
    }
}

#[test]
fn edges_of_the_range_by_hand() {
    // Texels 0, 1/3, 2/3, 1 and a border of 0.5.
    let levels = [level(&[0, 85, 170, 255], 1, [4, 1, 1])];
    let view = view(Format::R8Unorm, TextureTarget::Texture1D, &levels);
    let cases = [
        // mode, s, nearest, linear
        (TexWrap::Repeat, 0.0, 0.0, 0.5),
        (TexWrap::Repeat, 1.0, 0.0, 0.5),
        (TexWrap::Repeat, -1e-9, 1.0, 0.5),
        (TexWrap::Clamp, 0.0, 0.0, 0.25),
        (TexWrap::Clamp, 1.0, 1.0, 0.75),
        (TexWrap::Clamp, 9.0, 1.0, 0.75),
        (TexWrap::ClampToEdge, -3.0, 0.0, 0.0),
        (TexWrap::ClampToEdge, 1.0, 1.0, 1.0),
        (TexWrap::ClampToBorder, -0.01, 0.5, 0.27),
        (TexWrap::ClampToBorder, 1.0, 0.5, 0.75),
        (TexWrap::ClampToBorder, 1.125, 0.5, 0.5),
        (TexWrap::MirrorRepeat, 1.0, 1.0, 1.0),
        (TexWrap::MirrorRepeat, 2.0, 0.0, 0.0),
        (TexWrap::MirrorClampToEdge, -1.0, 1.0, 1.0),
        (TexWrap::MirrorClampToEdge, 0.0, 0.0, 0.0),
        (TexWrap::MirrorClamp, -1.0, 1.0, 0.75),
        (TexWrap::MirrorClampToBorder, -1.125, 0.5, 0.5),
        (TexWrap::MirrorClampToBorder, 0.0, 0.0, 0.0),
    ];
    for (mode, s, nearest, linear) in cases {
        for (kind, want) in [(TexFilter::Nearest, nearest), (TexFilter::Linear, linear)] {
            let mut state = filter(mode, kind);
            state.border_color = [0.5; 4].into();
            let sampler = Sampler::new(&view, &state);
            let got = sample_at(&sampler, SampleKind::Implicit, [s, 0.0, 0.0])[0];
            assert!((got - want).abs() < 1e-6, "{mode:?} {kind:?} at {s}: {got}, want {want}");
        }
    }
}

#[test]
fn a_midpoint_of_two_texels_and_of_four() {
    let bytes: Vec<u8> =
        [[0, 0, 0, 255], [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]].concat();
    let levels = [level(&bytes, 4, [2, 2, 1])];
    let view = view(Format::R8G8B8A8Unorm, TextureTarget::Texture2D, &levels);
    let sampler = Sampler::new(&view, &filter(TexWrap::ClampToEdge, TexFilter::Linear));
    let at = |s, t| sample_at(&sampler, SampleKind::Implicit, [s, t, 0.0]);
    assert_eq!(at(0.25, 0.25), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(at(0.5, 0.25), [0.5, 0.0, 0.0, 1.0]);
    assert_eq!(at(0.5, 0.5), [0.25, 0.25, 0.25, 1.0]);
    assert_eq!(at(0.75, 0.75), [0.0, 0.0, 1.0, 1.0]);
}

/// Returns a texture of 16×8 texels of pseudo-random bytes.
fn noise(texel: usize) -> Vec<u8> {
    let mut random = Random(12345);
    (0..16 * 8 * texel).map(|_| (random.bits() >> 24) as u8).collect()
}

#[test]
fn bilinear_of_many_formats_matches_f64() {
    let formats = [
        Format::R8G8B8A8Unorm,
        Format::B8G8R8A8Unorm,
        Format::B5G6R5Unorm,
        Format::L8Unorm,
        Format::R16Unorm,
        Format::R8G8B8Unorm,
        Format::R8G8B8Snorm,
        Format::R8G8B8Srgb,
        Format::R16G16B16Unorm,
        Format::R16G16B16A16Snorm,
        Format::R8G8B8A8Snorm,
        Format::R32Float,
        Format::R8G8B8A8Srgb,
    ];
    for format in formats {
        let size = format.block_bytes();
        let bytes = if format == Format::R32Float {
            (0..128).flat_map(|i| ((i * 37 % 101) as f32 * 0.25).to_le_bytes()).collect()
        } else {
            noise(size)
        };
        let levels = [level(&bytes, size, [16, 8, 1])];
        let view = view(format, TextureTarget::Texture2D, &levels);
        for mode in [TexWrap::Repeat, TexWrap::ClampToEdge, TexWrap::MirrorRepeat] {
            let sampler = Sampler::new(&view, &filter(mode, TexFilter::Linear));
            for k in 0..200 {
                let (s, t) = (k as f32 * 0.037 - 3.1, k as f32 * 0.021 - 1.7);
                let got = sample_at(&sampler, SampleKind::Implicit, [s, t, 0.0]);
                let (u, v) = (s as f64 * 16.0 - 0.5, t as f64 * 8.0 - 0.5);
                let (i, j) = (u.floor() as i64, v.floor() as i64);
                let (a, b) = (u - u.floor(), v - v.floor());
                for (c, got) in got.into_iter().enumerate() {
                    let texel = |x: i64, y: i64| {
                        let x = wrap_index(mode, x, 16).expect("no border") as usize;
                        let y = wrap_index(mode, y, 8).expect("no border") as usize;
                        format.fetch_rgba_f32(&bytes[(y * 16 + x) * size..][..size])[c] as f64
                    };
                    let want = (texel(i, j) * (1.0 - a) + texel(i + 1, j) * a) * (1.0 - b)
                        + (texel(i, j + 1) * (1.0 - a) + texel(i + 1, j + 1) * a) * b;
                    let scale = if format == Format::R32Float { 25.0 } else { 1.0 };
                    assert!(
                        (got as f64 - want).abs() < 8e-6 * scale,
                        "{format:?} {mode:?} ({s}, {t})[{c}]: {got} {want}"
                    );
                }
            }
        }
    }
}

#[test]
fn texels_of_three_bytes_filter_to_the_bits_of_texels_with_padding() {
    let packed = noise(3);
    let padded: Vec<u8> =
        packed.as_chunks::<3>().0.iter().flat_map(|&[r, g, b]| [r, g, b, 77]).collect();
    let sample = |format: Format, bytes: &[u8], at: [f32; 3]| {
        let levels = [level(bytes, format.block_bytes(), [16, 8, 1])];
        let view = view(format, TextureTarget::Texture2D, &levels);
        let sampler = Sampler::new(&view, &filter(TexWrap::Repeat, TexFilter::Linear));
        sample_at(&sampler, SampleKind::Implicit, at)
    };
    for k in 0..200 {
        let at = [k as f32 * 0.037 - 3.1, k as f32 * 0.021 - 1.7, 0.0];
        let three = sample(Format::R8G8B8Unorm, &packed, at);
        assert_eq!(three, sample(Format::R8G8B8X8Unorm, &padded, at), "{at:?}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_lanes() {
    let bytes = noise(4);
    let levels = [level(&bytes, 4, [16, 8, 1]), level(&bytes, 4, [8, 4, 1])];
    let view = view(Format::R8G8B8A8Unorm, TextureTarget::Texture2D, &levels);
    let sampler = Sampler::new(&view, &SamplerState::trilinear(TexWrap::Repeat));
    let s: [u32; 64] = core::array::from_fn(|i| ((i * i) as f32 * 0.0031).to_bits());
    let t: [u32; 64] = core::array::from_fn(|i| (i as f32 * 0.017).to_bits());
    let mut wide = [[0u32; 64]; 4];
    sampler.sample(&request(SampleKind::Implicit, [&s, &t, &t]), &mut wide);
    fn narrow<const N: usize>(
        sampler: &Sampler<'_>,
        s: &[u32; 64],
        t: &[u32; 64],
        c: usize,
    ) -> Vec<u32>
    where
        [u32; N]: tgsi::exec::Lanes,
    {
        let rows = s.as_chunks::<N>().0.iter().zip(t.as_chunks::<N>().0);
        rows.flat_map(|(s, t)| {
            let mut out = [[0; N]; 4];
            sampler.sample(&request(SampleKind::Implicit, [s, t, t]), &mut out);
            out[c]
        })
        .collect()
    }
    for (c, wide) in wide.iter().enumerate() {
        assert_eq!(narrow::<4>(&sampler, &s, &t, c), wide);
        assert_eq!(narrow::<16>(&sampler, &s, &t, c), wide);
    }
}

/// Returns four levels, 8×8 to 1×1, of the greys 10, 20, 30 and 40.
fn pyramid() -> [Vec<u8>; 4] {
    [0, 1, 2, 3].map(|level: usize| std::vec![10 * (level as u8 + 1); 64 >> (2 * level)])
}

fn pyramid_levels(bytes: &[Vec<u8>; 4]) -> [Level<'_>; 4] {
    [0, 1, 2, 3].map(|i| level(&bytes[i], 1, [8 >> i, 8 >> i, 1]))
}

/// Returns the grey of a lookup. Neighbouring pixels are `dx` and `dy` texels apart.
fn grey(sampler: &Sampler<'_>, dx: [f32; 2], dy: [f32; 2]) -> f32 {
    let s = [0.4, 0.4 + dx[0] / 8.0, 0.4 + dy[0] / 8.0, 0.5].map(f32::to_bits);
    let t = [0.4, 0.4 + dx[1] / 8.0, 0.4 + dy[1] / 8.0, 0.5].map(f32::to_bits);
    let mut out = [[0; 4]; 4];
    sampler.sample(&request(SampleKind::Implicit, [&s, &t, &t]), &mut out);
    // The whole quad reads with the same level of detail.
    assert!(out[0].iter().all(|&lane| lane == out[0][0]));
    f32::from_bits(out[0][0]) * 255.0
}

#[test]
fn levels_follow_the_distance_between_pixels() {
    let bytes = pyramid();
    let levels = pyramid_levels(&bytes);
    let view = view(Format::L8Unorm, TextureTarget::Texture2D, &levels);
    let state = |mip| SamplerState { min_mip_filter: mip, ..SamplerState::default() };
    let near = |got: f32, want: f64| {
        assert!((got as f64 - want).abs() < 1e-3, "{got}, want {want}");
    };

    let linear = Sampler::new(&view, &state(TexMipFilter::Linear));
    near(grey(&linear, [0.5, 0.0], [0.0, 0.5]), 10.0);
    near(grey(&linear, [1.0, 0.0], [0.0, 1.0]), 10.0);
    near(grey(&linear, [2.0, 0.0], [0.0, 1.0]), 20.0);
    near(grey(&linear, [0.0, 1.0], [3.0, 0.0]), 10.0 + 10.0 * 3f64.log2());
    // The vector's length, not its longer component: |(3, 4)| = 5.
    near(grey(&linear, [3.0, 4.0], [0.0, 1.0]), 10.0 + 10.0 * 5f64.log2());
    near(grey(&linear, [100.0, 0.0], [0.0, 100.0]), 40.0);

    let nearest = Sampler::new(&view, &state(TexMipFilter::Nearest));
    near(grey(&nearest, [1.4, 0.0], [0.0, 1.0]), 10.0); // λ 0.485
    near(grey(&nearest, [1.42, 0.0], [0.0, 1.0]), 20.0); // λ 0.506
    near(grey(&nearest, [5.6, 0.0], [0.0, 1.0]), 30.0); // λ 2.485
    near(grey(&nearest, [5.7, 0.0], [0.0, 1.0]), 40.0); // λ 2.511

    let none = Sampler::new(&view, &state(TexMipFilter::None));
    near(grey(&none, [8.0, 0.0], [0.0, 1.0]), 10.0);

    let biased =
        Sampler::new(&view, &SamplerState { lod_bias: 1.5, ..state(TexMipFilter::Linear) });
    near(grey(&biased, [1.0, 0.0], [0.0, 1.0]), 25.0);
    let bounded = SamplerState { min_lod: 0.25, max_lod: 1.75, ..state(TexMipFilter::Linear) };
    let bounded = Sampler::new(&view, &bounded);
    near(grey(&bounded, [0.1, 0.0], [0.0, 0.1]), 12.5);
    near(grey(&bounded, [8.0, 0.0], [0.0, 1.0]), 27.5);
    let fixed = SamplerState { min_lod: 2.0, max_lod: 2.0, ..state(TexMipFilter::Linear) };
    near(grey(&Sampler::new(&view, &fixed), [0.1, 0.0], [0.0, 0.1]), 30.0);
}

#[test]
fn minification_and_magnification_have_their_own_filters() {
    // One level of two texels, 0 and 255: linear is 127.5 half way, nearest is not.
    let levels = [level(&[0, 255], 1, [2, 1, 1])];
    let view = view(Format::L8Unorm, TextureTarget::Texture2D, &levels);
    let state = SamplerState {
        min_img_filter: TexFilter::Linear,
        mag_img_filter: TexFilter::Nearest,
        ..SamplerState::wrapping(TexWrap::ClampToEdge)
    };
    let sampler = Sampler::new(&view, &state);
    let lookup = |step: f32| {
        let s = [0.5, 0.5 + step / 2.0, 0.5, 0.5].map(f32::to_bits);
        let mut out = [[0; 4]; 4];
        sampler.sample(&request(SampleKind::Implicit, [&s, &s, &s]), &mut out);
        f32::from_bits(out[0][0])
    };
    // t varies with s, over one texel in height: half as much as in width.
    assert_eq!(lookup(0.5), 1.0, "magnified: the second texel");
    assert_eq!(lookup(4.0), 0.5, "minified: both");
}

#[test]
fn explicit_levels_biases_and_gradients() {
    let bytes = pyramid();
    let levels = pyramid_levels(&bytes);
    let view = view(Format::L8Unorm, TextureTarget::Texture2D, &levels);
    let state = SamplerState { min_mip_filter: TexMipFilter::Linear, ..SamplerState::default() };
    let sampler = Sampler::new(&view, &state);
    let s = splat(0.4);
    let mut out = [[0; 4]; 4];
    // One level per lane: lanes of different levels in one batch.
    let lod = [0.0f32, 1.0, 2.5, 7.0].map(f32::to_bits);
    let explicit = SampleRequest { lod: Some(&lod), ..request(SampleKind::Lod, [&s, &s, &s]) };
    sampler.sample(&explicit, &mut out);
    let greys = out[0].map(|bits| (f32::from_bits(bits) * 255.0 * 1000.0).round() / 1000.0);
    assert_eq!(greys, [10.0, 20.0, 35.0, 40.0]);

    // A step of 2 texels in x (λ 1) with a bias per lane.
    let x = [0.4f32, 0.4 + 2.0 / 8.0, 0.4, 0.4 + 2.0 / 8.0].map(f32::to_bits);
    let bias = [0.0f32, 0.5, -0.5, 1.0].map(f32::to_bits);
    let biased = SampleRequest { lod: Some(&bias), ..request(SampleKind::Bias, [&x, &s, &s]) };
    sampler.sample(&biased, &mut out);
    let want = [20.0, 25.0, 15.0, 30.0];
    for (got, want) in out[0].iter().zip(want) {
        assert!((f32::from_bits(*got) * 255.0 - want).abs() < 1e-3);
    }

    let ddx = [0.0f32, 1.0 / 8.0, 2.0 / 8.0, 0.0].map(f32::to_bits);
    let ddy = [0.0f32, 0.0, 0.0, 4.0 / 8.0].map(f32::to_bits);
    let zero = splat(0.0);
    let gradient = SampleRequest {
        ddx: [&ddx, &zero, &zero],
        ddy: [&zero, &ddy, &zero],
        ..request(SampleKind::Gradient, [&s, &s, &s])
    };
    sampler.sample(&gradient, &mut out);
    let greys = out[0].map(|bits| (f32::from_bits(bits) * 255.0 * 1000.0).round() / 1000.0);
    assert_eq!(greys, [10.0, 10.0, 20.0, 30.0]);
}

#[test]
fn the_logarithm_is_exact_at_powers_of_two_and_close_elsewhere() {
    for exponent in -126..=127 {
        let x = f32::from_bits(((exponent + 127) as u32) << 23);
        assert_eq!(super::lod::log2(x), exponent as f32);
    }
    for step in 1..40_000 {
        let x = step as f32 * 0.001_7;
        let error = super::lod::log2(x) as f64 - (x as f64).log2();
        assert!(error.abs() < 1.5e-6, "log2({x}) is off by {error:e}");
    }
    assert_eq!(super::lod::log2(f32::INFINITY), 128.0);
    assert!(super::lod::log2(0.0) <= -126.0);
}

#[test]
fn coordinates_in_texels() {
    let levels = [level(&[0, 51, 102, 153, 204, 255], 1, [3, 2, 1])];
    let rect = view(Format::L8Unorm, TextureTarget::Rect, &levels);
    let state =
        |kind| SamplerState { normalized_coords: false, ..filter(TexWrap::ClampToEdge, kind) };
    let sampler = Sampler::new(&rect, &state(TexFilter::Nearest));
    let at = |s, t| sample_at(&sampler, SampleKind::Implicit, [s, t, 0.0])[0];
    assert_eq!([at(0.5, 0.5), at(2.5, 0.5), at(1.5, 1.5), at(9.0, 9.0)], [0.0, 0.4, 0.8, 1.0]);
    let sampler = Sampler::new(&rect, &state(TexFilter::Linear));
    let got = sample_at(&sampler, SampleKind::Implicit, [1.0, 1.0, 0.0])[0];
    assert!((got - (0.0 + 0.2 + 0.6 + 0.8) / 4.0).abs() < 1e-6);
}

#[test]
fn border_colours_are_what_the_format_could_hold() {
    let levels = [level(&[0; 64], 1, [1, 1, 1])];
    let border = [2.0, -1.0, 0.25, 0.5];
    for (format, want) in [
        (Format::R8G8B8A8Unorm, [1.0, 0.0, 0.25, 0.5]),
        (Format::B5G6R5Unorm, [1.0, 0.0, 0.25, 1.0]),
        (Format::R8Unorm, [1.0, 0.0, 0.0, 1.0]),
        (Format::R8G8B8A8Snorm, [1.0, -1.0, 0.25, 0.5]),
        (Format::R32G32B32A32Float, border),
    ] {
        let view = view(format, TextureTarget::Texture2D, &levels);
        let mut state = filter(TexWrap::ClampToBorder, TexFilter::Nearest);
        state.border_color = border.into();
        let sampler = Sampler::new(&view, &state);
        let got = sample_at(&sampler, SampleKind::Implicit, [-1.0, 0.5, 0.0]);
        assert_eq!(got, want, "{format:?}");
    }
}

#[test]
fn swizzles_pick_components_and_constants() {
    let levels = [level(&[0, 51, 102, 255], 4, [1, 1, 1])];
    let mut view = view(Format::R8G8B8A8Unorm, TextureTarget::Texture2D, &levels);
    view.swizzle = [Swizzle::Z, Swizzle::One, Swizzle::X, Swizzle::Y];
    let sampler = Sampler::new(&view, &SamplerState::default());
    assert_eq!(sample_at(&sampler, SampleKind::Implicit, [0.5; 3]), [0.4, 1.0, 0.0, 0.2]);
    view.swizzle = [Swizzle::W, Swizzle::Zero, Swizzle::Zero, Swizzle::Zero];
    let sampler = Sampler::new(&view, &SamplerState::default());
    assert_eq!(sample_at(&sampler, SampleKind::Implicit, [0.5; 3]), [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn array_layers_round_and_stay_in_the_view() {
    let levels = [level(&[0, 51, 102, 153, 204], 1, [1, 1, 5])];
    let mut view = view(Format::L8Unorm, TextureTarget::Texture2DArray, &levels);
    (view.first_layer, view.last_layer) = (1, 3);
    let sampler = Sampler::new(&view, &SamplerState::default());
    let s = splat(0.5);
    let mut out = [[0; 4]; 4];
    for (layers, want) in [
        ([0.0f32, 0.49, 0.5, 1.4], [0.2, 0.2, 0.4, 0.4]),
        ([-7.0, 1e30, f32::NAN, 2.0], [0.2, 0.6, 0.2, 0.6]),
    ] {
        let layer = layers.map(f32::to_bits);
        let array =
            SampleRequest { layer: Some(&layer), ..request(SampleKind::Implicit, [&s, &s, &s]) };
        sampler.sample(&array, &mut out);
        assert_eq!(out[0].map(f32::from_bits), want);
    }
}

#[test]
fn three_dimensions_mix_eight_texels() {
    let bytes = [0, 32, 64, 96, 128, 160, 192, 224];
    let levels = [level(&bytes, 1, [2, 2, 2])];
    let view = view(Format::L8Unorm, TextureTarget::Texture3D, &levels);
    let sampler = Sampler::new(&view, &filter(TexWrap::ClampToEdge, TexFilter::Linear));
    let at = |r| sample_at(&sampler, SampleKind::Implicit, [0.5, 0.5, r])[0] * 255.0;
    assert!((at(0.25) - 48.0).abs() < 1e-4);
    assert!((at(0.5) - 112.0).abs() < 1e-4);
    assert!((at(1.0) - 176.0).abs() < 1e-4);
    let nearest = Sampler::new(&view, &filter(TexWrap::ClampToEdge, TexFilter::Nearest));
    let got = sample_at(&nearest, SampleKind::Implicit, [0.9, 0.1, 0.9])[0] * 255.0;
    assert!((got - 160.0).abs() < 1e-4);
}

/// Returns a cube of 2×2 faces; texel (x, y) of face f is 40·f + 10·y + 5·x.
fn cube_bytes() -> Vec<u8> {
    (0..24u8).map(|i| 40 * (i / 4) + 10 * (i / 2 % 2) + 5 * (i % 2)).collect()
}

#[test]
fn cube_maps_pick_faces_and_join_at_the_seams() {
    let bytes = cube_bytes();
    let levels = [level(&bytes, 1, [2, 2, 6])];
    let view = view(Format::L8Unorm, TextureTarget::Cube, &levels);
    let nearest = Sampler::new(&view, &filter(TexWrap::ClampToEdge, TexFilter::Nearest));
    let grey = |sampler: &Sampler<'_>, at| {
        (sample_at(sampler, SampleKind::Implicit, at)[0] * 255.0 * 100.0).round() / 100.0
    };
    // Face +Z: s is x, t is -y.
    assert_eq!(grey(&nearest, [-0.5, 0.5, 1.0]), 160.0);
    assert_eq!(grey(&nearest, [0.5, 0.5, 1.0]), 165.0);
    assert_eq!(grey(&nearest, [-0.5, -0.5, 1.0]), 170.0);
    // Face +X: s is -z; face -Y: t is -z.
    assert_eq!(grey(&nearest, [1.0, 0.5, 0.5]), 0.0);
    assert_eq!(grey(&nearest, [1.0, 0.5, -0.5]), 5.0);
    assert_eq!(grey(&nearest, [-0.5, -1.0, 0.5]), 120.0);

    // On the edge between +Z and +X, at y of the upper texel row, a seamless filter gives the
    // mean of the two texels that touch there: +Z (1, 0) = 165 and +X (0, 0) = 0.
    let mut state = filter(TexWrap::ClampToEdge, TexFilter::Linear);
    let edge = [1.0, 0.5, 1.0];
    assert_eq!(grey(&Sampler::new(&view, &state), edge), 0.0);
    state.seamless_cube_map = true;
    let seamless = Sampler::new(&view, &state);
    assert_eq!(grey(&seamless, edge), 82.5);
    // At a corner, the mean of the three texels that meet: +X (0, 0), +Y (1, 1), +Z (1, 0).
    let corner = grey(&seamless, [1.0, 1.0, 1.0]);
    let three = (0.0 + (80.0 + 15.0) + 165.0) / 3.0;
    // The four texels of the filter: +X (0, 0), two neighbours, and the mean for the missing one.
    assert!((corner - three).abs() < 0.02, "{corner} {three}");
}

#[test]
fn seamless_cube_maps_ignore_wrap_modes() {
    let bytes = cube_bytes();
    let levels = [level(&bytes, 1, [2, 2, 6])];
    let view = view(Format::L8Unorm, TextureTarget::Cube, &levels);
    for &wrap in TexWrap::ALL {
        let mut state = filter(wrap, TexFilter::Nearest);
        state.seamless_cube_map = true;
        let sampler = Sampler::new(&view, &state);
        let grey = |at| (sample_at(&sampler, SampleKind::Implicit, at)[0] * 255.0).round();
        // A tie between +X and -Z belongs to +X, where s is exactly 1: texel (1, 0) is the nearest.
        assert_eq!(grey([1.0, 0.5, -1.0]), 5.0, "{wrap:?}");
        // A tie between +X and -Y, where t is exactly 1: texel (0, 1).
        assert_eq!(grey([1.0, -1.0, 0.5]), 10.0, "{wrap:?}");
    }
}

#[test]
fn cube_arrays_pick_whole_cubes() {
    let bytes: Vec<u8> = (0..12u8).map(|face| face * 20).collect();
    let levels = [level(&bytes, 1, [1, 1, 12])];
    let view = view(Format::L8Unorm, TextureTarget::CubeArray, &levels);
    let sampler = Sampler::new(&view, &SamplerState::default());
    let (x, zero) = (splat(0.0), splat(0.0));
    let z = splat(-1.0); // face 5
    let layer = [0.0f32, 1.0, 5.0, 0.6].map(f32::to_bits);
    let mut out = [[0; 4]; 4];
    let array =
        SampleRequest { layer: Some(&layer), ..request(SampleKind::Implicit, [&x, &zero, &z]) };
    sampler.sample(&array, &mut out);
    let greys = out[0].map(|bits| (f32::from_bits(bits) * 255.0).round());
    assert_eq!(greys, [100.0, 220.0, 220.0, 220.0]);
}

#[test]
fn fetches_clamp_to_the_view() {
    let bytes = pyramid();
    let mut texels = bytes[0].clone();
    texels[8 + 2] = 77;
    let mut levels = pyramid_levels(&bytes);
    levels[0] = level(&texels, 1, [8, 8, 1]);
    let view = view(Format::L8Unorm, TextureTarget::Texture2D, &levels);
    let sampler = Sampler::new(&view, &SamplerState::default());
    let x = [2u32, -5i32 as u32, 1, 100];
    let y = [1u32, 0, 1, u32::MAX];
    let lod = [0u32, 1, 0, 9];
    let mut out = [[0; 4]; 4];
    let fetch = SampleRequest {
        lod: Some(&lod),
        offset: [0, 0, 0],
        ..request(SampleKind::Fetch, [&x, &y, &y])
    };
    sampler.sample(&fetch, &mut out);
    let greys = out[0].map(|bits| (f32::from_bits(bits) * 255.0).round());
    assert_eq!(greys, [77.0, 20.0, 10.0, 40.0]);
    let fetch = SampleRequest { offset: [1, 0, 0], ..fetch };
    sampler.sample(&fetch, &mut out);
    assert_eq!((f32::from_bits(out[0][2]) * 255.0).round(), 77.0);
}

#[test]
fn integers_come_as_they_are() {
    let bytes: Vec<u8> = [-3i32, 70000, 5, 9].iter().flat_map(|v| v.to_le_bytes()).collect();
    let levels = [level(&bytes, 16, [1, 1, 1])];
    let mut view = view(Format::R32G32B32A32Sint, TextureTarget::Texture2D, &levels);
    view.swizzle = [Swizzle::X, Swizzle::Y, Swizzle::One, Swizzle::W];
    let sampler = Sampler::new(&view, &SamplerState::trilinear(TexWrap::Repeat));
    let (s, mut out) = (splat(0.3), [[0; 4]; 4]);
    sampler.sample(&request(SampleKind::Implicit, [&s, &s, &s]), &mut out);
    assert_eq!([0, 1, 2, 3].map(|c| out[c][0] as i32), [-3, 70000, 1, 9]);
}

#[test]
fn sizes_of_levels() {
    let none: &[u8] = &[];
    let levels = [
        Level {
            bytes: none,
            width: 8,
            height: 4,
            depth: 12,
            row_stride: 0,
            layer_stride: 0,
            ..Level::default()
        },
        Level {
            bytes: none,
            width: 4,
            height: 2,
            depth: 6,
            row_stride: 0,
            layer_stride: 0,
            ..Level::default()
        },
    ];
    let lod = [0u32, 1, 2, u32::MAX];
    for (target, want) in [
        (TextureTarget::Texture1D, [[8, 0, 0], [4, 0, 0]]),
        (TextureTarget::Texture1DArray, [[8, 12, 0], [4, 12, 0]]),
        (TextureTarget::Texture2D, [[8, 4, 0], [4, 2, 0]]),
        (TextureTarget::Texture2DArray, [[8, 4, 12], [4, 2, 12]]),
        (TextureTarget::Texture3D, [[8, 4, 12], [4, 2, 6]]),
        (TextureTarget::Cube, [[8, 4, 0], [4, 2, 0]]),
        (TextureTarget::CubeArray, [[8, 4, 2], [4, 2, 2]]),
    ] {
        let view = view(Format::L8Unorm, target, &levels);
        let sampler = Sampler::new(&view, &SamplerState::default());
        let mut out = [[7; 4]; 4];
        let query = SampleRequest { lod: Some(&lod), ..request(SampleKind::SizeQuery, [&lod; 3]) };
        sampler.sample(&query, &mut out);
        for lane in 0..4 {
            let size = want.get(lane).copied().unwrap_or([0; 3]);
            let got = out.map(|row| row[lane]);
            assert_eq!(got, [size[0], size[1], size[2], 2], "{target:?} level {lane}");
        }
    }
}

#[test]
fn lod_queries_report_the_level_and_lambda() {
    let bytes = pyramid();
    let levels = pyramid_levels(&bytes);
    let view = view(Format::L8Unorm, TextureTarget::Texture2D, &levels);
    let s = [0.0f32, 0.375, 0.0, 0.375].map(f32::to_bits); // three texels a pixel
    let zero = splat(0.0);
    let lambda = 3f64.log2();
    for (mip, state_max, accessed) in [
        (TexMipFilter::None, 1000.0, 0.0),
        (TexMipFilter::Nearest, 1000.0, 2.0),
        (TexMipFilter::Linear, 1000.0, lambda),
        (TexMipFilter::Linear, 1.25, 1.25),
    ] {
        let state =
            SamplerState { min_mip_filter: mip, max_lod: state_max, ..SamplerState::default() };
        let mut out = [[9; 4]; 4];
        let sampler = Sampler::new(&view, &state);
        sampler.sample(&request(SampleKind::LodQuery, [&s, &zero, &zero]), &mut out);
        let got = first(&out);
        assert!((got[0] as f64 - accessed).abs() < 1e-5, "{mip:?}: {got:?}");
        assert!((got[1] as f64 - lambda).abs() < 1e-5);
        assert_eq!((got[2], got[3]), (0.0, 0.0));
    }
}

#[test]
fn gathers_go_round_from_the_lower_left() {
    let bytes: Vec<u8> = (0..9u8).flat_map(|i| [i * 20, 255 - i * 20, 0, 255]).collect();
    let levels = [level(&bytes, 4, [3, 3, 1])];
    let mut view = view(Format::R8G8B8A8Unorm, TextureTarget::Texture2D, &levels);
    let s = splat(0.5);
    let t = splat(0.34);
    let gather = |view: &TextureView<'_>, component| {
        let state = filter(TexWrap::ClampToEdge, TexFilter::Nearest);
        let mut out = [[0; 4]; 4];
        let gather = SampleRequest { component, ..request(SampleKind::Gather, [&s, &t, &t]) };
        Sampler::new(view, &state).sample(&gather, &mut out);
        first(&out).map(|value| (value * 255.0).round() as i32)
    };
    // u = 0.5·3 - 0.5 = 1: texels 1 and 2; v = 0.34·3 - 0.5 = 0.52: rows 0 and 1.
    assert_eq!(gather(&view, 0), [4 * 20, 5 * 20, 2 * 20, 20]);
    assert_eq!(gather(&view, 1), [175, 155, 215, 235]);
    view.swizzle = [Swizzle::Y, Swizzle::X, Swizzle::One, Swizzle::Zero];
    assert_eq!(gather(&view, 1), [4 * 20, 5 * 20, 2 * 20, 20]);
    assert_eq!(gather(&view, 2), [255; 4]);
}

#[test]
fn gathers_take_neighbours_of_the_image_before_it_is_wrapped() {
    const BYTES: [u8; 4] = [10, 60, 110, 160];
    let levels = [level(&BYTES, 4, [4, 1, 1])];
    let view = view(Format::R8Unorm, TextureTarget::Texture2D, &levels);
    for &mode in TexWrap::ALL {
        let state = SamplerState {
            wrap_t: TexWrap::ClampToEdge,
            border_color: ColorUnion::float([1.0; 4]),
            ..filter(mode, TexFilter::Nearest)
        };
        let sampler = Sampler::new(&view, &state);
        let texel = |i| wrap_index(mode, i, 4).map_or(255, |i| i32::from(BYTES[i as usize]));
        // Quarters of texels, including centres and edges, up to four images away.
        for quarters in -64..=64 {
            let s = quarters as f32 / 16.0;
            let limited = match mode {
                TexWrap::Clamp => s.clamp(0.0, 1.0),
                TexWrap::MirrorClamp => s.clamp(-1.0, 1.0),
                _ => s,
            };
            let i = (limited * 4.0 - 0.5).floor() as i64;
            let gathered = sample_at(&sampler, SampleKind::Gather, [s, 0.5, 0.5]);
            let found = gathered.map(|value| (value * 255.0).round() as i32);
            let (left, right) = (texel(i), texel(i + 1));
            assert_eq!(found, [left, right, right, left], "{mode:?} at {s}");
        }
    }
}

#[test]
fn shadow_lookups_compare_before_they_filter() {
    let depths: Vec<u8> = [0.2f32, 0.4, 0.6, 0.8].iter().flat_map(|z| z.to_le_bytes()).collect();
    let levels = [level(&depths, 4, [2, 2, 1])];
    let view = view(Format::Z32Float, TextureTarget::Texture2D, &levels);
    let half = splat(0.5);
    let lookup = |kind, func, reference: f32| {
        let state = SamplerState {
            compare_mode: TexCompare::RToTexture,
            compare_func: func,
            ..filter(TexWrap::ClampToEdge, kind)
        };
        let reference = splat(reference);
        let mut out = [[0; 4]; 4];
        let shadow = SampleRequest {
            compare: Some(&reference),
            ..request(SampleKind::Implicit, [&half, &half, &half])
        };
        Sampler::new(&view, &state).sample(&shadow, &mut out);
        first(&out)
    };
    // The reference is on the left: 0.5 <= texel holds for two of four texels.
    assert_eq!(lookup(TexFilter::Linear, CompareFunc::LessEqual, 0.5), [0.5, 0.5, 0.5, 1.0]);
    assert_eq!(lookup(TexFilter::Linear, CompareFunc::Greater, 0.3), [0.25, 0.25, 0.25, 1.0]);
    // (½, ½) is in the last texel, 0.8.
    assert_eq!(lookup(TexFilter::Nearest, CompareFunc::Less, 0.5), [1.0, 1.0, 1.0, 1.0]);
    assert_eq!(lookup(TexFilter::Nearest, CompareFunc::Less, 0.9), [0.0, 0.0, 0.0, 1.0]);
    // Float depth: the reference is not clamped.
    assert_eq!(lookup(TexFilter::Nearest, CompareFunc::Greater, 7.0), [1.0, 1.0, 1.0, 1.0]);
}

/// Wide batches take their own path for comparisons.
#[test]
fn comparisons_of_many_lanes_are_those_of_few() {
    let bytes = noise(16);
    let numbers: Vec<f32> = bytes.iter().map(|&byte| f32::from(byte) / 100.0 - 0.7).collect();
    let row = |from: usize| -> [u32; 64] {
        core::array::from_fn(|lane| numbers[(from + 5 * lane) % numbers.len()].to_bits())
    };
    let (s, t, reference) = (row(0), row(17), row(40));
    let formats = Format::ALL.iter().filter(|format| format.desc().depth_channel().is_some());
    for (&format, &func) in formats.flat_map(|f| CompareFunc::ALL.iter().map(move |c| (f, c))) {
        let levels = [level(&bytes, format.block_bytes(), [4, 4, 1])];
        for wrap in [TexWrap::ClampToEdge, TexWrap::Repeat, TexWrap::ClampToBorder] {
            for target in [TextureTarget::Texture1D, TextureTarget::Texture2D] {
                let state = SamplerState {
                    compare_mode: TexCompare::RToTexture,
                    compare_func: func,
                    ..filter(wrap, TexFilter::Linear)
                };
                let sampler = Sampler::new(&view(format, target, &levels), &state);
                let mut many = [[0; 64]; 4];
                let compare = Some(&reference);
                let shadow =
                    SampleRequest { compare, ..request(SampleKind::Implicit, [&s, &t, &t]) };
                sampler.sample(&shadow, &mut many);
                for quad in 0..16 {
                    let few = |row: &[u32; 64]| -> [u32; 4] {
                        core::array::from_fn(|lane| row[4 * quad + lane])
                    };
                    let (s, t, reference) = (few(&s), few(&t), few(&reference));
                    let mut out = [[0; 4]; 4];
                    let compare = Some(&reference);
                    let shadow =
                        SampleRequest { compare, ..request(SampleKind::Implicit, [&s, &t, &t]) };
                    sampler.sample(&shadow, &mut out);
                    assert_eq!(many.each_ref().map(few), out, "{format:?} {func:?} {wrap:?}");
                }
            }
        }
    }
}

#[test]
fn references_are_clamped_for_fixed_point_depth() {
    let levels = [level(&[0xff, 0xff], 2, [1, 1, 1])];
    let view = view(Format::Z16Unorm, TextureTarget::Texture2D, &levels);
    let state = SamplerState {
        compare_mode: TexCompare::RToTexture,
        compare_func: CompareFunc::LessEqual,
        ..SamplerState::default()
    };
    let (half, reference) = (splat(0.5), splat(1.5));
    let mut out = [[0; 4]; 4];
    let shadow = SampleRequest {
        compare: Some(&reference),
        ..request(SampleKind::Implicit, [&half, &half, &half])
    };
    Sampler::new(&view, &state).sample(&shadow, &mut out);
    assert_eq!(first(&out), [1.0; 4]);
}

#[test]
fn offsets_are_added_before_wrapping() {
    let levels = [level(&[0, 51, 102, 153], 1, [4, 1, 1])];
    let view = view(Format::L8Unorm, TextureTarget::Texture2D, &levels);
    let s = splat(0.875); // texel 3
    for (mode, offset, want) in [
        (TexWrap::Repeat, 1, 0.0),
        (TexWrap::Repeat, -5, 0.4),
        (TexWrap::ClampToEdge, 1, 0.6),
        (TexWrap::ClampToEdge, -2, 0.2),
        (TexWrap::MirrorRepeat, 2, 0.4),
        (TexWrap::MirrorClampToEdge, -5, 0.2),
    ] {
        for kind in [TexFilter::Nearest, TexFilter::Linear] {
            let mut out = [[0; 4]; 4];
            let moved = SampleRequest {
                offset: [offset, 0, 0],
                ..request(SampleKind::Implicit, [&s, &s, &s])
            };
            Sampler::new(&view, &filter(mode, kind)).sample(&moved, &mut out);
            let got = first(&out)[0];
            assert!((got - want).abs() < 1e-6, "{mode:?} {offset} {kind:?}: {got}");
        }
    }
}

#[test]
fn reductions_take_the_least_and_the_greatest() {
    let levels = [level(&[40, 10, 200, 90], 1, [2, 2, 1])];
    let view = view(Format::L8Unorm, TextureTarget::Texture2D, &levels);
    for (mode, want) in [(ReductionMode::Min, 10.0), (ReductionMode::Max, 200.0)] {
        let state = SamplerState {
            reduction_mode: mode,
            ..filter(TexWrap::ClampToEdge, TexFilter::Linear)
        };
        let got = sample_at(&Sampler::new(&view, &state), SampleKind::Implicit, [0.5; 3])[0];
        assert_eq!((got * 255.0).round(), want);
    }
}

#[test]
fn nothing_a_shader_or_a_texture_holds_panics() {
    let values = [f32::NAN, f32::INFINITY, -f32::INFINITY, 1e30, -1e30, 3e9, -3e9, 0.0];
    let bytes = [1u8; 40];
    let sizes = [[0, 0, 0], [1, 1, 1], [3, 2, 6], [u32::MAX, u32::MAX, u32::MAX]];
    let targets = [
        TextureTarget::Buffer,
        TextureTarget::Texture1D,
        TextureTarget::Texture2D,
        TextureTarget::Texture3D,
        TextureTarget::Cube,
        TextureTarget::Rect,
        TextureTarget::Texture1DArray,
        TextureTarget::Texture2DArray,
        TextureTarget::CubeArray,
    ];
    let kinds = [
        SampleKind::Implicit,
        SampleKind::Bias,
        SampleKind::Lod,
        SampleKind::Gradient,
        SampleKind::Fetch,
        SampleKind::Gather,
        SampleKind::LodQuery,
        SampleKind::SizeQuery,
    ];
    let rows: [[u32; 4]; 3] =
        [0, 1, 2].map(|k| [0, 1, 2, 3].map(|i| values[(3 * k + i * 5) % 8].to_bits()));
    for (size, strides) in sizes.into_iter().flat_map(|size| [0, 3, usize::MAX].map(|s| (size, s)))
    {
        let one = Level {
            bytes: &bytes,
            width: size[0],
            height: size[1],
            depth: size[2],
            row_stride: strides,
            layer_stride: strides,
            ..Level::default()
        };
        let levels = [one, Level::default(), one];
        for (target, &wrap) in
            targets.iter().flat_map(|t| TexWrap::ALL.iter().map(move |w| (*t, w)))
        {
            for format in
                [Format::R8G8B8A8Unorm, Format::Z24UnormS8Uint, Format::R32Uint, Format::None]
            {
                let mut view = view(format, target, &levels);
                view.last_layer = u32::MAX;
                for seamless_cube_map in [false, true] {
                    let state = SamplerState {
                        compare_mode: if seamless_cube_map {
                            TexCompare::RToTexture
                        } else {
                            TexCompare::None
                        },
                        seamless_cube_map,
                        lod_bias: f32::NAN,
                        max_lod: f32::INFINITY,
                        ..SamplerState::trilinear(wrap)
                    };
                    let sampler = Sampler::new(&view, &state);
                    for kind in kinds {
                        let request = SampleRequest {
                            layer: Some(&rows[0]),
                            compare: Some(&rows[1]),
                            lod: Some(&rows[2]),
                            offset: [-128, 127, 1],
                            component: 255,
                            live: u64::MAX,
                            ..request(kind, [&rows[0], &rows[1], &rows[2]])
                        };
                        let mut out = [[0; 4]; 4];
                        sampler.sample(&request, &mut out);
                    }
                }
            }
        }
    }
    // Without levels: a missing view reads 0.
    let none = Sampler::new(
        &view(Format::R8Unorm, TextureTarget::Texture2D, &[]),
        &SamplerState::default(),
    );
    assert_eq!(sample_at(&none, SampleKind::Implicit, [0.5; 3]), [0.0; 4]);
}

#[test]
fn every_format_reads_as_its_texels() {
    let bytes = noise(32);
    let mut checked = 0;
    for &format in Format::ALL {
        let block = format.desc().block;
        if !format.is_texel() || (block.width, block.height) != (1, 1) {
            continue;
        }
        checked += 1;
        let size = format.block_bytes();
        let levels = [level(&bytes, size, [16, 8, 1])];
        let view = view(format, TextureTarget::Texture2D, &levels);
        let sampler = Sampler::new(&view, &SamplerState::default());
        let s: [u32; 16] = core::array::from_fn(|x| ((x as f32 + 0.5) / 16.0).to_bits());
        for y in 0..8usize {
            let t = [((y as f32 + 0.5) / 8.0).to_bits(); 16];
            let mut out = [[0; 16]; 4];
            sampler.sample(&request(SampleKind::Implicit, [&s, &t, &t]), &mut out);
            for x in 0..16 {
                let want = format.fetch_rgba_bits(&bytes[(y * 16 + x) * size..][..size]);
                assert_eq!([0, 1, 2, 3].map(|c| out[c][x]), want, "{format:?} ({x}, {y})");
            }
        }
    }
    assert!(checked > 100, "only {checked} formats");
}

#[test]
fn every_format_of_blocks_reads_as_its_texels() {
    // Blocks of random bits from all families. 36 texels each way have more blocks than a cache has
    // columns.
    const EDGE: usize = 36;
    let mut checked = 0;
    for &format in Format::ALL {
        let block = format.block();
        let (width, height) = (usize::from(block.width), usize::from(block.height));
        if width * height == 1 || !format.can_unpack() {
            continue;
        }
        checked += 1;
        let (size, columns) = (usize::from(block.bytes), EDGE.div_ceil(width));
        let bytes: Vec<u8> =
            noise(32).into_iter().cycle().take(columns * EDGE.div_ceil(height) * size).collect();
        let edge = EDGE as u32;
        let levels = [Level {
            bytes: &bytes,
            width: edge,
            height: edge,
            depth: 1,
            row_stride: columns * size,
            layer_stride: bytes.len(),
            ..Level::default()
        }];
        let texel = |x: usize, y: usize| {
            let at = (y / height * columns + x / width) * size;
            format.fetch_rgba_f32_at(&bytes[at..][..size], x % width, y % height).map(f32::to_bits)
        };
        let view = view(format, TextureTarget::Texture2D, &levels);
        for kind in [TexFilter::Nearest, TexFilter::Linear] {
            let sampler = Sampler::new(&view, &filter(TexWrap::Repeat, kind));
            for y in 0..EDGE {
                // At the centres of texels, filters weigh all other texels with 0.
                let s: [u32; 64] = core::array::from_fn(|lane| {
                    (((lane % EDGE) as f32 + 0.5) / edge as f32).to_bits()
                });
                let t = [((y as f32 + 0.5) / edge as f32).to_bits(); 64];
                let mut out = [[0; 64]; 4];
                sampler.sample(&request(SampleKind::Implicit, [&s, &t, &t]), &mut out);
                let lane = |x: usize| [0, 1, 2, 3].map(|c| out[c][x]);
                for (want, got) in (0..EDGE).map(|x| (texel(x, y), lane(x))) {
                    let close = |(want, got): (u32, u32)| {
                        let (want, got) = (f32::from_bits(want), f32::from_bits(got));
                        (want - got).abs() <= 1e-4 * want.abs().max(1.0)
                    };
                    let right = match kind {
                        TexFilter::Nearest => want == got,
                        // Some random floats are infinite.
                        TexFilter::Linear => {
                            format.is_float() || want.into_iter().zip(got).all(close)
                        }
                    };
                    assert!(right, "{format:?} {kind:?} row {y}: {want:?} {got:?}");
                }
            }
        }
    }
    assert!(checked >= 4, "only {checked} formats");
}

#[test]
fn strides_that_are_not_whole_texels_are_honoured() {
    // Rows of two 16-bit texels, 5 bytes apart.
    let bytes = [0xff, 0xff, 0, 0, 9, 0, 0, 0xff, 0xff, 9];
    let levels = [Level::texture_2d(&bytes, 2, 2, 5)];
    let view = view(Format::R16Unorm, TextureTarget::Texture2D, &levels);
    let sampler = Sampler::new(&view, &SamplerState::default());
    let at = |s, t| sample_at(&sampler, SampleKind::Implicit, [s, t, 0.0])[0];
    assert_eq!([at(0.2, 0.2), at(0.7, 0.2), at(0.2, 0.7), at(0.7, 0.7)], [1.0, 0.0, 0.0, 1.0]);
}

/// EXT_texture_filter_anisotropic: the level is that of the footprint's shorter side, within the
/// limit of the ratio.
#[cfg(feature = "desktop")]
#[test]
fn footprints_choose_levels_by_their_shorter_side() {
    let bytes = pyramid();
    let levels = pyramid_levels(&bytes);
    let view = view(Format::L8Unorm, TextureTarget::Texture2D, &levels);
    let state = |most| SamplerState {
        min_mip_filter: TexMipFilter::Linear,
        max_anisotropy: most,
        ..SamplerState::trilinear(TexWrap::Repeat)
    };
    let level = |most, dx, dy| grey(&Sampler::new(&view, &state(most)), dx, dy);
    let near = |got: f32, want: f64| {
        assert!((f64::from(got) - want).abs() < 1e-3, "{got}, want {want}");
    };
    // 4 by 1 texels: λ is log2(4 / 4) with a ratio of 4, log2(4 / 2) with 2, log2(4) without.
    near(level(4, [4.0, 0.0], [0.0, 1.0]), 10.0);
    near(level(16, [4.0, 0.0], [0.0, 1.0]), 10.0);
    near(level(2, [4.0, 0.0], [0.0, 1.0]), 20.0);
    near(level(1, [4.0, 0.0], [0.0, 1.0]), 30.0);
    near(level(0, [4.0, 0.0], [0.0, 1.0]), 30.0);
    // Steps swapped; 8 by 2; a fractional ratio is rounded up: 5 / 2 takes 3.
    near(level(4, [0.0, 1.0], [4.0, 0.0]), 10.0);
    near(level(4, [8.0, 0.0], [0.0, 2.0]), 20.0);
    near(level(4, [3.0, 4.0], [0.0, 2.0]), 10.0 + 10.0 * (5f64 / 3.0).log2());
    // As wide as high, and no wider than a texel.
    near(level(16, [2.0, 0.0], [0.0, 2.0]), 20.0);
    near(level(16, [1.0, 0.0], [0.0, 0.001]), 10.0);
}

/// The mean of bilinear lookups in `f64`, at i / (N + 1) of the longer step.
#[cfg(feature = "desktop")]
#[test]
fn footprints_are_means_along_their_longer_side() {
    let texels = noise(1);
    let levels = [level(&texels, 1, [16, 8, 1])];
    let view = view(Format::L8Unorm, TextureTarget::Texture2D, &levels);
    let bilinear = |s: f64, t: f64| {
        let rows: Vec<f64> = (0..8)
            .map(|row| {
                let row: Vec<_> =
                    texels[16 * row..][..16].iter().map(|texel| f64::from(*texel)).collect();
                axis_reference(TexWrap::Repeat, true, s, &row, 0.0)
            })
            .collect();
        axis_reference(TexWrap::Repeat, true, t, &rows, 0.0)
    };
    // Steps in texels, and the number of lookups with a ratio of up to 8.
    for (dx, dy, count) in [
        ([8.0f32, 0.0], [0.0f32, 1.0], 8),
        ([0.0, 1.0], [8.0, 0.0], 8),
        ([3.0, 4.0], [0.5, 0.0], 5),
        ([0.25, 0.0], [0.0, 2.5], 3),
        ([30.0, 0.0], [0.0, 1.0], 8),
        ([2.0, 0.0], [0.0, 2.0], 1),
        ([f32::NAN, 0.0], [0.0, 1.0], 1),
    ] {
        let state =
            SamplerState { max_anisotropy: 8, ..filter(TexWrap::Repeat, TexFilter::Linear) };
        let sampler = Sampler::new(&view, &state);
        let (s, t) = (0.37f32, 0.61f32);
        let long = if dy[0].hypot(dy[1]) > dx[0].hypot(dx[1]) { dy } else { dx };
        let mut wanted = 0.0;
        for index in 1..=count {
            let way = f64::from(index) / f64::from(count + 1) - 0.5;
            let way = if count == 1 { 0.0 } else { way };
            let [u, v] = long.map(|step| if step.is_nan() { 0.0 } else { f64::from(step) * way });
            wanted += bilinear(f64::from(s) + u / 16.0, f64::from(t) + v / 8.0) / f64::from(count);
        }
        let rows = [s, t, 0.0].map(splat);
        let [ddx, ddy] = [dx, dy].map(|step| [splat(step[0] / 16.0), splat(step[1] / 8.0)]);
        let zero = splat(0.0);
        let mut out = [[0; 4]; 4];
        let gradient = SampleRequest {
            ddx: [&ddx[0], &ddx[1], &zero],
            ddy: [&ddy[0], &ddy[1], &zero],
            ..request(SampleKind::Gradient, [&rows[0], &rows[1], &rows[2]])
        };
        sampler.sample(&gradient, &mut out);
        let got = f64::from(first(&out)[0]) * 255.0;
        assert!((got - wanted).abs() < 0.01, "{dx:?} {dy:?}: {got}, not {wanted}");
    }
}

/// Returns the texel of a repeating axis at a place, filtered in `f64`.
#[cfg(feature = "desktop")]
fn repeated(place: f64, texels: &[f64]) -> f64 {
    axis_reference(TexWrap::Repeat, true, place, texels, 0.0)
}

/// Returns the number of lookups for steps of these lengths in texels, with ratios of up to 8.
#[cfg(feature = "desktop")]
fn lookups(x: f64, y: f64) -> i32 {
    let (long, short) = (x.max(y), x.min(y));
    if long > 1.0 { (long / short).min(long).min(8.0).ceil() as i32 } else { 1 }
}

/// Samples at a place with explicit steps.
#[cfg(feature = "desktop")]
fn along_steps(sampler: &Sampler<'_>, at: [f64; 3], steps: [[f64; 3]; 2]) -> f64 {
    let rows = at.map(|value| splat(value as f32));
    let [dx, dy] = steps.map(|step| step.map(|value| splat(value as f32)));
    let gradient = SampleRequest {
        ddx: dx.each_ref(),
        ddy: dy.each_ref(),
        ..request(SampleKind::Gradient, rows.each_ref())
    };
    let mut out = [[0; 4]; 4];
    sampler.sample(&gradient, &mut out);
    f64::from(first(&out)[0]) * 255.0
}

/// Lines and volumes: the mean of lookups along the longer step, each filtered in `f64`.
#[cfg(feature = "desktop")]
#[test]
fn footprints_in_lines_and_volumes_are_means_too() {
    const SIZE: [usize; 3] = [8, 4, 4];
    let texels = noise(1);
    let value = |x: usize, y: usize, z: usize| f64::from(texels[(z * 4 + y) * 8 + x]);
    let volume = |[s, t, r]: [f64; 3]| {
        let slices: Vec<f64> = (0..SIZE[2])
            .map(|z| {
                let rows = (0..SIZE[1]).map(|y| {
                    let row: Vec<f64> = (0..SIZE[0]).map(|x| value(x, y, z)).collect();
                    repeated(s, &row)
                });
                repeated(t, &rows.collect::<Vec<f64>>())
            })
            .collect();
        repeated(r, &slices)
    };
    let line = |[s, ..]: [f64; 3]| {
        let row: Vec<f64> = (0..SIZE[0]).map(|x| value(x, 0, 0)).collect();
        repeated(s, &row)
    };
    let state = SamplerState { max_anisotropy: 8, ..filter(TexWrap::Repeat, TexFilter::Linear) };
    let at = [0.37, 0.61, 0.23];
    let check = |dims: usize, steps: [[f64; 3]; 2]| {
        let [width, height, depth] = SIZE;
        let size =
            if dims == 1 { [width as u32, 1, 1] } else { [width, height, depth].map(|n| n as u32) };
        let levels = [level(&texels, 1, size)];
        let target = if dims == 1 { TextureTarget::Texture1D } else { TextureTarget::Texture3D };
        let sampler = Sampler::new(&view(Format::L8Unorm, target, &levels), &state);
        // Steps in texels.
        let coordinates =
            steps.map(|step| [0, 1, 2].map(|axis| step[axis] / f64::from(size[axis])));
        let length = |step: [f64; 3]| step.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [x, y] = steps.map(length);
        let count = lookups(x, y);
        let long = if y > x { coordinates[1] } else { coordinates[0] };
        let wanted = (1..=count).map(|index| {
            let way = f64::from(index) / f64::from(count + 1) - 0.5;
            let place = [0, 1, 2].map(|axis| at[axis] + way * long[axis]);
            if dims == 1 { line(place) } else { volume(place) }
        });
        let wanted = wanted.sum::<f64>() / f64::from(count);
        let got = along_steps(&sampler, at, coordinates);
        assert!((got - wanted).abs() < 0.01, "{dims} {steps:?}: {got}, not {wanted}");
        count
    };
    let counts = [
        check(3, [[0.0, 0.0, 6.0], [1.0, 0.0, 0.0]]),
        check(3, [[1.0, 0.0, 0.0], [2.0, 3.0, 1.5]]),
        check(3, [[2.0, 0.0, 0.0], [0.0, 0.0, 2.0]]),
        check(1, [[5.0, 0.0, 0.0], [1.0, 0.0, 0.0]]),
        check(1, [[0.25, 0.0, 0.0], [3.5, 0.0, 0.0]]),
    ];
    assert_eq!(counts, [6, 4, 1, 5, 4]);
}

/// Returns six faces of 8×8 pseudo-random texels.
#[cfg(feature = "desktop")]
fn faces() -> Vec<u8> {
    (0..384u32).map(|texel| (texel.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect()
}

/// On a face the lookups lie along the step projected to the face's plane.
#[cfg(feature = "desktop")]
#[test]
fn footprints_on_faces_of_cubes_are_means_along_their_plane() {
    let texels = faces();
    let levels = [level(&texels, 1, [8, 8, 6])];
    let view = view(Format::L8Unorm, TextureTarget::Cube, &levels);
    let state =
        SamplerState { max_anisotropy: 8, ..filter(TexWrap::ClampToEdge, TexFilter::Linear) };
    let sampler = Sampler::new(&view, &state);
    // OpenGL 4.6, table 8.19: axis and sign of s, of t and of the major axis.
    type Axis = (usize, f64);
    const FACES: [[Axis; 3]; 6] = [
        [(2, -1.0), (1, -1.0), (0, 1.0)],
        [(2, 1.0), (1, -1.0), (0, -1.0)],
        [(0, 1.0), (2, 1.0), (1, 1.0)],
        [(0, 1.0), (2, -1.0), (1, -1.0)],
        [(0, 1.0), (1, -1.0), (2, 1.0)],
        [(0, -1.0), (1, -1.0), (2, -1.0)],
    ];
    for (number, axes) in FACES.iter().enumerate() {
        let bilinear = |[s, t]: [f64; 2]| {
            let rows: Vec<f64> = (0..8)
                .map(|row| {
                    let texels = &texels[64 * number + 8 * row..][..8];
                    let row: Vec<f64> = texels.iter().map(|texel| f64::from(*texel)).collect();
                    axis_reference(TexWrap::ClampToEdge, true, s, &row, 0.0)
                })
                .collect();
            axis_reference(TexWrap::ClampToEdge, true, t, &rows, 0.0)
        };
        // Returns a vector with these components along s, t and the major axis.
        let vector = |components: [f64; 3]| {
            let mut vector = [0.0; 3];
            for ((axis, sign), component) in axes.iter().zip(components) {
                vector[*axis] = sign * component;
            }
            vector
        };
        // A direction of length 3 along the major axis, with its steps.
        let at = [0.3, -0.6, 3.0];
        for steps in [
            [[2.0, 0.0, 0.0], [0.0, 0.75, 0.0]],
            [[0.1, 0.2, 0.0], [0.6, 1.8, -0.2]],
            [[1.5, 0.5, 0.5], [0.0, 0.75, 0.3]],
        ] {
            // d(s) = d(½ sc / ma), in texels of 8.
            let plane = steps.map(|step: [f64; 3]| {
                [0, 1].map(|axis| 0.5 * (step[axis] * at[2] - at[axis] * step[2]) / (at[2] * at[2]))
            });
            let [x, y] = plane.map(|[s, t]| 8.0 * s.hypot(t));
            let count = lookups(x, y);
            assert!(count > 1, "{x} {y}");
            let long = if y > x { plane[1] } else { plane[0] };
            let wanted = (1..=count).map(|index| {
                let way = f64::from(index) / f64::from(count + 1) - 0.5;
                bilinear([0, 1].map(|axis| 0.5 * at[axis] / at[2] + 0.5 + way * long[axis]))
            });
            let wanted = wanted.sum::<f64>() / f64::from(count);
            let got = along_steps(&sampler, vector(at), steps.map(vector));
            assert!((got - wanted).abs() < 0.01, "face {number} {steps:?}: {got}, not {wanted}");
        }
    }
}

/// Lookups beyond a face's edge read the neighbouring face, with and without seams, in every cube
/// of an array. Every quad has its own footprint.
#[cfg(feature = "desktop")]
#[test]
fn footprints_reach_over_the_edges_of_faces() {
    // Two cubes with faces of one value each.
    let texels: Vec<u8> = (0..12u8).flat_map(|face| [10 * face + 5; 64]).collect();
    let levels = [level(&texels, 1, [8, 8, 12])];
    let view = view(Format::L8Unorm, TextureTarget::CubeArray, &levels);
    for seamless_cube_map in [false, true] {
        let state = SamplerState {
            max_anisotropy: 8,
            seamless_cube_map,
            ..filter(TexWrap::ClampToEdge, TexFilter::Linear)
        };
        let sampler = Sampler::new(&view, &state);
        // Near the edge between +Z and +X. The step of 2 is 8 texels. The lookups lie at -7/18,
        // -5/18, … of the step from 0.9: beyond 1 are the ones at 1/18, 3/18, 5/18 and 7/18 (1.01,
        // 1.23, 1.46, 1.68).
        let rows = [0.9, 0.1, 1.0].map(splat);
        let (step, other) = ([2.0, 0.0, 0.0].map(splat), [0.0, 0.25, 0.0].map(splat));
        for cube in 0..2 {
            let layer = splat(cube as f32);
            let lookup = SampleRequest {
                layer: Some(&layer),
                ddx: step.each_ref(),
                ddy: other.each_ref(),
                ..request(SampleKind::Gradient, rows.each_ref())
            };
            let mut out = [[0; 4]; 4];
            sampler.sample(&lookup, &mut out);
            let got = f64::from(first(&out)[0]) * 255.0 - 60.0 * f64::from(cube);
            // Positions (i / 9 - 1/2) of the eight lookups; a place within half a texel of the edge
            // mixes.
            let places = (1..=8).map(|i| 0.9 + 2.0 * (f64::from(i) / 9.0 - 0.5));
            let face = |x: f64| if x > 1.0 { 5.0 } else { 45.0 };
            let value = |x: f64| {
                // The distance to the edge in texels, with 8 texels from -1 to 1, on the face that
                // holds the place.
                let on_face = if x > 1.0 { 1.0 / x } else { x };
                let texels = (1.0 - on_face) * 4.0;
                if !seamless_cube_map || texels >= 0.5 {
                    return face(x);
                }
                let weight = 0.5 - texels;
                let other = 50.0 - face(x);
                face(x) * (1.0 - weight) + other * weight
            };
            let wanted = places.map(value).sum::<f64>() / 8.0;
            assert!((got - wanted).abs() < 0.01, "{seamless_cube_map} {cube}: {got}, not {wanted}");
        }
    }
}

/// Implicit and explicit derivatives give the same footprint.
#[cfg(feature = "desktop")]
#[test]
fn footprints_in_cubes_come_from_quads_too() {
    let texels = faces();
    let levels = [level(&texels, 1, [8, 8, 6])];
    let view = view(Format::L8Unorm, TextureTarget::Cube, &levels);
    let state =
        SamplerState { max_anisotropy: 8, ..filter(TexWrap::ClampToEdge, TexFilter::Linear) };
    let sampler = Sampler::new(&view, &state);
    // Steps of (1.5, 0, 0) in x and (0, 0.125, 0) in y: 6 and half a texel.
    let row = |values: [f32; 4]| values.map(f32::to_bits);
    let x = row([-0.75, 0.75, -0.75, 0.75]);
    let y = row([0.0, 0.0, 0.125, 0.125]);
    let z = row([1.0; 4]);
    let mut out = [[0; 4]; 4];
    sampler.sample(&request(SampleKind::Implicit, [&x, &y, &z]), &mut out);
    for (lane, got) in out[0].iter().enumerate() {
        let at = [x, y, z].map(|row| f64::from(f32::from_bits(row[lane])));
        let wanted = along_steps(&sampler, at, [[1.5, 0.0, 0.0], [0.0, 0.125, 0.0]]);
        let isotropic = sample_at(&sampler, SampleKind::Lod, at.map(|value| value as f32))[0];
        let got = f64::from(f32::from_bits(*got)) * 255.0;
        assert!((got - wanted).abs() < 1e-3, "lane {lane}: {got}, not {wanted}");
        assert!((got - f64::from(isotropic) * 255.0).abs() > 0.1, "lane {lane} is one lookup");
    }
}
