//! Compares conversions of a 640×480 picture: this crate, `memcpy` and other crates, in one run.
//!
//! Run it with `cargo bench -p gallium-formats`. A group is one conversion; a bench in it is one
//! implementation.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gallium_formats::{Format, Rect, convert, depth, grey, lanes, unpack_rgba_f32, unpack_rgba_u8};

const WIDTH: usize = 640;
const HEIGHT: usize = 480;
const PIXELS: usize = WIDTH * HEIGHT;

/// Bytes without a pattern.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// Converts the whole picture between two formats.
fn ours(dst_format: Format, dst: &mut [u8], src_format: Format, src: &[u8]) {
    let (to, from) = (dst_format.row_bytes(WIDTH), src_format.row_bytes(WIDTH));
    convert(dst_format, Rect::new(dst, to), src_format, Rect::new(src, from), [WIDTH, HEIGHT])
        .unwrap();
}

/// Another implementation of a conversion: its name, and the loop from bytes to bytes.
type Other<'a> = (&'a str, &'a dyn Fn(&[u8], &mut [u8]));

/// Runs a group of benchmarks: our conversion, then the conversions of other crates.
fn group(
    c: &mut Criterion,
    name: &str,
    dst_format: Format,
    src_format: Format,
    others: &[Other<'_>],
) {
    let src = noise(src_format.row_bytes(WIDTH) * HEIGHT);
    let mut dst = vec![0; dst_format.row_bytes(WIDTH) * HEIGHT];
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(PIXELS as u64));
    group.bench_function(BenchmarkId::from_parameter("this crate"), |b| {
        b.iter(|| ours(dst_format, black_box(&mut dst), src_format, black_box(&src)));
    });
    for (name, other) in others {
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| other(black_box(&src), black_box(&mut dst)));
        });
    }
    group.finish();
}

fn image_of(src: &[u8]) -> image::RgbaImage {
    image::RgbaImage::from_raw(WIDTH as u32, HEIGHT as u32, src.to_vec()).unwrap()
}

fn pairs(c: &mut Criterion) {
    use Format as F;
    let copy = |src: &[u8], dst: &mut [u8]| {
        let len = dst.len().min(src.len());
        dst[..len].copy_from_slice(&src[..len]);
    };
    let copy: Other<'_> = ("memcpy", &copy);
    group(
        c,
        "RGBA8 to BGRA8",
        F::B8G8R8A8Unorm,
        F::R8G8B8A8Unorm,
        &[copy, ("garb", &|src, dst| garb::bytes::rgba_to_bgra(src, dst).unwrap())],
    );
    group(c, "RGBA8 to ARGB8", F::A8R8G8B8Unorm, F::R8G8B8A8Unorm, &[copy]);
    group(c, "RGBA8 to RGBX8", F::R8G8B8X8Unorm, F::R8G8B8A8Unorm, &[copy]);
    group(
        c,
        "RGBA8 to 565",
        F::B5G6R5Unorm,
        F::R8G8B8A8Unorm,
        &[
            ("garb (truncates)", &|src, dst| garb::bytes::rgba_to_rgb565(src, dst).unwrap()),
            ("rgb565", &|src, dst| {
                for (to, &[r, g, b, _]) in dst.as_chunks_mut().0.iter_mut().zip(src.as_chunks().0) {
                    *to = rgb565::Rgb565::from_rgb888_components(r, g, b).to_rgb565_le();
                }
            }),
            ("embedded-graphics", &|src, dst| {
                use embedded_graphics_core::pixelcolor::raw::{RawData, RawU16};
                use embedded_graphics_core::pixelcolor::{Rgb565, Rgb888};
                for (to, &[r, g, b, _]) in dst.as_chunks_mut().0.iter_mut().zip(src.as_chunks().0) {
                    let color = Rgb565::from(Rgb888::new(r, g, b));
                    *to = RawU16::from(color).into_inner().to_le_bytes();
                }
            }),
        ],
    );
    group(
        c,
        "565 to RGBA8",
        F::R8G8B8A8Unorm,
        F::B5G6R5Unorm,
        &[("garb", &|src, dst| garb::bytes::rgb565_to_rgba(src, dst).unwrap())],
    );
    let rgba = image_of(&noise(4 * PIXELS));
    group(
        c,
        "RGBA8 to RGB8",
        F::R8G8B8Unorm,
        F::R8G8B8A8Unorm,
        &[
            ("garb", &|src, dst| garb::bytes::rgba_to_rgb(src, dst).unwrap()),
            ("image (allocates)", &|_, _| {
                let rgb: image::RgbImage = image::buffer::ConvertBuffer::convert(&rgba);
                black_box(rgb);
            }),
        ],
    );
    let rgb = image::RgbImage::from_raw(WIDTH as u32, HEIGHT as u32, noise(3 * PIXELS)).unwrap();
    group(
        c,
        "RGB8 to RGBA8",
        F::R8G8B8A8Unorm,
        F::R8G8B8Unorm,
        &[
            ("garb", &|src, dst| garb::bytes::rgb_to_rgba(src, dst).unwrap()),
            ("image (allocates)", &|_, _| {
                let rgba: image::RgbaImage = image::buffer::ConvertBuffer::convert(&rgb);
                black_box(rgba);
            }),
        ],
    );
    group(
        c,
        "RGBA8 to RGBA32F",
        F::R32G32B32A32Float,
        F::R8G8B8A8Unorm,
        &[("image (allocates)", &|_, _| {
            let floats: image::Rgba32FImage = image::buffer::ConvertBuffer::convert(&rgba);
            black_box(floats);
        })],
    );
    group(c, "RGBA8 to RGBA16F", F::R16G16B16A16Float, F::R8G8B8A8Unorm, &[]);
    group(c, "RGBA32F to RGBA8", F::R8G8B8A8Unorm, F::R32G32B32A32Float, &[]);
    group(
        c,
        "L8 to RGBA8",
        F::R8G8B8A8Unorm,
        F::L8Unorm,
        &[("garb", &|src, dst| garb::bytes::gray_to_rgba(src, dst).unwrap())],
    );
    group(c, "L4 to RGBA8", F::R8G8B8A8Unorm, F::L4Unorm, &[]);
    group(c, "RGBA8 to L4", F::L4Unorm, F::R8G8B8A8Unorm, &[]);
    group(
        c,
        "DXT1 to RGBA8",
        F::R8G8B8A8Unorm,
        F::Dxt1Rgb,
        &[("texture2ddecoder", &|src, dst| {
            let mut words = vec![0; PIXELS];
            texture2ddecoder::decode_bc1(src, WIDTH, HEIGHT, &mut words).unwrap();
            dst[0] = words[0] as u8;
        })],
    );
}

/// Entry points other than `convert`.
fn parts(c: &mut Criterion) {
    let bytes = noise(8 * PIXELS);
    let mut group = c.benchmark_group("parts");
    group.throughput(Throughput::Elements(PIXELS as u64));
    let mut pixels = vec![[0u8; 4]; PIXELS];
    let mut floats = vec![[0f32; 4]; PIXELS];
    for format in [Format::B8G8R8A8Unorm, Format::B5G6R5Unorm, Format::L8Unorm, Format::L1Unorm] {
        let stride = format.row_bytes(WIDTH);
        group.bench_function(BenchmarkId::new("unpack_rgba_u8", format), |b| {
            b.iter(|| {
                unpack_rgba_u8(
                    format,
                    Rect::new(&mut pixels, WIDTH),
                    Rect::new(&bytes, stride),
                    [WIDTH, HEIGHT],
                )
                .unwrap();
            });
        });
        group.bench_function(BenchmarkId::new("unpack_rgba_f32", format), |b| {
            b.iter(|| {
                unpack_rgba_f32(
                    format,
                    Rect::new(&mut floats, WIDTH),
                    Rect::new(&bytes, stride),
                    [WIDTH, HEIGHT],
                )
                .unwrap();
            });
        });
    }
    let mut z = vec![0f32; PIXELS];
    for format in [Format::Z16Unorm, Format::Z24UnormS8Uint, Format::Z32Float] {
        let stride = format.row_bytes(WIDTH);
        group.bench_function(BenchmarkId::new("unpack_z_f32", format), |b| {
            b.iter(|| {
                depth::unpack_z_f32(
                    format,
                    Rect::new(&mut z, WIDTH),
                    Rect::new(&bytes, stride),
                    [WIDTH, HEIGHT],
                )
                .unwrap();
            });
        });
    }
    let mut panel = vec![0; PIXELS / 2];
    for kind in [grey::Panel::Grey4High, grey::Panel::Mono1High, grey::Panel::MonoPages] {
        let stride = WIDTH / kind.block().0;
        group.bench_function(BenchmarkId::new("grey::pack", format!("{kind:?}")), |b| {
            b.iter(|| {
                grey::pack(
                    kind,
                    Rect::new(&mut panel, stride),
                    Rect::new(&pixels, WIDTH),
                    [WIDTH, HEIGHT],
                )
                .unwrap()
            });
        });
    }
    let mut words = [0x1234_5678; 64];
    let mut rgba = [[0x3f00_0000u32; 64]; 4];
    group.throughput(Throughput::Elements(64));
    for format in [Format::B5G6R5Unorm, Format::B8G8R8A8Unorm] {
        let (packer, unpacker) = (lanes::Packer::new(format), lanes::Unpacker::new(format));
        group.bench_function(BenchmarkId::new("lanes, unpack", format), |b| {
            b.iter(|| {
                unpacker.unpack(black_box(&words), rgba.each_mut().map(|lanes| &mut lanes[..]));
            });
        });
        group.bench_function(BenchmarkId::new("lanes, pack", format), |b| {
            b.iter(|| packer.pack(black_box(&rgba).each_ref().map(|lanes| &lanes[..]), &mut words));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500));
    targets = pairs, parts
}
criterion_main!(benches);
