//! Means of samples: the pixels of a resolve.
//!
//! Colours are averaged as linear numbers: sRGB formats are decoded first and encoded afterwards
//! (OpenGL 4.6, chapter 18.3.1). For integer formats the first sample is the result.

use formats::{ChannelKind, ColorSpace, Format, Layout};
use os_shim::simd::vectorize;

use super::UnormLayout;
use crate::features::ALL_FORMATS;

/// The largest texel, in bytes.
const TEXEL: usize = 16;

/// Averages texels into `out`. The texels of sample `s` begin at byte `s * stride`, and each sample
/// has as many bytes as `out`.
pub(crate) fn means(format: Format, bytes: &[u8], stride: usize, samples: usize, out: &mut [u8]) {
    if !has_plain_bytes(format) {
        return texel_means(format, bytes, stride, samples, out);
    }
    vectorize(
        #[inline(always)]
        || match samples {
            2 => byte_means::<2>(bytes, stride, out),
            4 => byte_means::<4>(bytes, stride, out),
            8 => byte_means::<8>(bytes, stride, out),
            16 => byte_means::<16>(bytes, stride, out),
            _ => texel_means(format, bytes, stride, samples, out),
        },
    );
}

/// Returns true if each byte of a texel is a linear channel, so that bytes can be averaged.
fn has_plain_bytes(format: Format) -> bool {
    let desc = format.desc();
    desc.layout == Layout::Plain
        && desc.colorspace == ColorSpace::Rgb
        && desc.channels.iter().all(|channel| match channel.kind {
            ChannelKind::Void => matches!(channel.bits, 0 | 8),
            ChannelKind::Unsigned => channel.normalized && channel.bits == 8,
            ChannelKind::Signed | ChannelKind::Fixed | ChannelKind::Float => false,
        })
}

/// Averages RGB565 texels, rounded to nearest: `samples` rows, a power of two up to 16, into the
/// first row.
pub(super) fn means_565(rows: &mut [u16], samples: usize) {
    let row = rows.len() / samples.max(1);
    let (first, others) = rows.split_at_mut(row);
    let mut others = others.chunks_exact(row.max(1));
    if samples == 4
        && let (Some(b), Some(c), Some(d)) = (others.next(), others.next(), others.next())
    {
        return means_of_four(first, [b, c, d]);
    }
    for (x, out) in first.iter_mut().enumerate() {
        let texels = others.clone().filter_map(|row| row.get(x));
        *out = joined(texels.fold(apart(*out), |sum, x| sum + apart(*x)), samples as u32);
    }
}

/// Averages RGB565 texels as [`means_565`] does, but only the texels with their bit set.
pub(super) fn some_means_565(rows: &mut [u16], samples: usize, texels: u64) {
    let row = rows.len() / samples.max(1);
    let texels = texels & !u64::MAX.checked_shl(row as u32).unwrap_or(0);
    for (from, mut texels) in [(0, texels as u32), (32, (texels >> 32) as u32)] {
        while texels != 0 {
            let x = from + texels.trailing_zeros() as usize;
            texels &= texels - 1;
            let mut sum = 0;
            let mut word = x;
            while let Some(texel) = rows.get(word) {
                sum += apart(*texel);
                word += row;
            }
            if let Some(first) = rows.get_mut(x) {
                *first = joined(sum, samples as u32);
            }
        }
    }
}

/// Averages texels with three other samples. Most samples are alike, so two texels are compared at
/// once.
fn means_of_four(first: &mut [u16], others: [&[u16]; 3]) {
    let mean = |a, b, c, d| joined(apart(a) + apart(b) + apart(c) + apart(d), 4);
    let [b, c, d] = others;
    let pairs = |texels| bytemuck::try_cast_slice::<u16, u32>(texels);
    if let (Ok(b), Ok(c), Ok(d)) = (pairs(b), pairs(c), pairs(d))
        && let Ok(first) = bytemuck::try_cast_slice_mut::<u16, u32>(first)
    {
        for (((a, b), c), d) in first.iter_mut().zip(b).zip(c).zip(d) {
            if (*a ^ *b) | (*a ^ *c) | (*a ^ *d) != 0 {
                let half = |at: u32| {
                    let [a, b, c, d] = [*a, *b, *c, *d].map(|pair| (pair >> at) as u16);
                    u32::from(mean(a, b, c, d)) << at
                };
                *a = half(0) | half(16);
            }
        }
        return;
    }
    for (((a, b), c), d) in first.iter_mut().zip(b).zip(c).zip(d) {
        *a = mean(*a, *b, *c, *d);
    }
}

/// Blue and red in the lower half of a word, green in the upper: each has four free bits above it.
const APART: u32 = 0x07e0_f81f;

/// Moves the channels of an RGB565 texel apart.
#[inline(always)]
fn apart(texel: u16) -> u32 {
    (u32::from(texel) << 16 | u32::from(texel)) & APART
}

/// Returns the mean of `texels` texels, a power of two, from their sum.
#[inline(always)]
fn joined(sum: u32, texels: u32) -> u16 {
    const ONE: u32 = 1 << 21 | 1 << 11 | 1;
    let mean = (sum + ONE * (texels / 2)) >> (texels.trailing_zeros() & 31) & APART;
    (mean | mean >> 16) as u16
}

/// Averages bytes, rounded to nearest.
#[inline(always)]
fn byte_means<const N: usize>(bytes: &[u8], stride: usize, out: &mut [u8]) {
    const CHUNK: usize = 64;
    let mean = |sum: u16| (sum / N as u16) as u8;
    let (chunks, rest) = out.as_chunks_mut::<CHUNK>();
    let whole = chunks.len() * CHUNK;
    for (index, out) in chunks.iter_mut().enumerate() {
        let mut sums = [N as u16 / 2; CHUNK];
        for sample in 0..N {
            let chunk = bytes.get(sample * stride + index * CHUNK..).and_then(<[u8]>::first_chunk);
            let Some(chunk): Option<&[u8; CHUNK]> = chunk else { return };
            for (sum, byte) in sums.iter_mut().zip(chunk) {
                *sum += u16::from(*byte);
            }
        }
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = mean(sum);
        }
    }
    for (index, out) in rest.iter_mut().enumerate() {
        let bytes = (0..N).filter_map(|sample| bytes.get(sample * stride + whole + index));
        *out = mean(bytes.fold(N as u16 / 2, |sum, byte| sum + u16::from(*byte)));
    }
}

/// Averages texels one by one.
fn texel_means(format: Format, bytes: &[u8], stride: usize, samples: usize, out: &mut [u8]) {
    let size = format.block_bytes().clamp(1, TEXEL);
    let layout = UnormLayout::of(format);
    for (index, out) in out.chunks_exact_mut(size).enumerate() {
        let texels = (0..samples).filter_map(|sample| {
            let start = sample * stride + index * size;
            bytes.get(start..start + size)
        });
        if let Some(layout) = &layout {
            let words = texels.map(|texel| {
                let mut word = [0; 4];
                word.iter_mut().zip(texel).for_each(|(to, from)| *to = *from);
                u32::from_le_bytes(word)
            });
            let mean = layout.mean(words, samples as u32).to_le_bytes();
            out.iter_mut().zip(mean).for_each(|(to, from)| *to = from);
        } else if ALL_FORMATS && !format.is_pure_integer() {
            let mut sum = [0.0; 4];
            for texel in texels {
                for (sum, value) in sum.iter_mut().zip(format.fetch_rgba_f32(texel)) {
                    *sum += value;
                }
            }
            format.store_rgba_f32(sum.map(|sum| sum / samples as f32), out);
        } else if let Some(first) = bytes.get(index * size..(index + 1) * size) {
            out.copy_from_slice(first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_rows_of_any_length_are_rounded_to_nearest() {
        for (samples, length) in [(2, 64), (4, 67), (4, 200), (8, 5), (16, 129)] {
            let stride = length + 3;
            let bytes: std::vec::Vec<u8> =
                (0..samples * stride).map(|at| ((at * at * 31) >> 3) as u8).collect();
            let mut out = std::vec![0; length];
            means(Format::R8Unorm, &bytes, stride, samples, &mut out);
            for (at, mean) in out.iter().enumerate() {
                let sum: usize =
                    (0..samples).map(|sample| bytes[sample * stride + at] as usize).sum();
                let exact = sum as f64 / samples as f64;
                assert_eq!(f64::from(*mean), (exact + 0.5).floor(), "{samples} samples, byte {at}");
            }
        }
    }

    #[test]
    fn channels_of_any_width_are_rounded_to_nearest() {
        // Red of 31, 0, 0 and 1: 8; green of 63, 63, 0 and 0: 31.5, so 32.
        let texels = [31 << 11 | 63 << 5, 63 << 5, 0, 1u16 << 11];
        let bytes: std::vec::Vec<u8> =
            texels.iter().flat_map(|texel| texel.to_le_bytes()).collect();
        let mut mean = [0; 2];
        means(Format::B5G6R5Unorm, &bytes, 2, 4, &mut mean);
        assert_eq!(u16::from_le_bytes(mean), 8 << 11 | 32 << 5);
    }

    #[test]
    fn words_of_565_and_texels_agree() {
        // Rows of 63 texels are not whole words.
        for (samples, row) in [(2, 64), (4, 64), (4, 63), (8, 64), (16, 64)] {
            let mut rows: std::vec::Vec<u16> =
                (0..samples * row).map(|at| ((at as u32 * 40_503) >> 3) as u16).collect();
            // A quarter of the texels are alike in all samples.
            for sample in 1..samples {
                rows.copy_within(..row / 4, sample * row);
            }
            let mut by_texels = std::vec![0u16; row];
            let out = bytemuck::cast_slice_mut(&mut by_texels);
            texel_means(Format::B5G6R5Unorm, bytemuck::cast_slice(&rows), 2 * row, samples, out);
            means_565(&mut rows, samples);
            assert_eq!(rows[..row], by_texels, "{samples} samples of {row} texels");
        }
    }

    #[test]
    fn bytes_and_texels_agree() {
        let bytes: std::vec::Vec<u8> = (0..4 * 80u32).map(|at| (at * 97 % 251) as u8).collect();
        let (mut by_bytes, mut by_texels) = ([0; 80], [0; 80]);
        byte_means::<4>(&bytes, 80, &mut by_bytes);
        texel_means(Format::R8G8B8A8Unorm, &bytes, 80, 4, &mut by_texels);
        assert_eq!(by_bytes, by_texels);
    }

    #[cfg(feature = "all-formats")]
    #[test]
    fn srgb_is_averaged_as_light() {
        let mut mean = [0; 4];
        means(Format::R8G8B8A8Srgb, &[255, 0, 188, 255, 0, 0, 188, 255], 4, 2, &mut mean);
        assert_eq!(mean, [188, 0, 188, 255]);
    }
}
