//! Any bytes as a picture of any format: nothing panics, all functions that read agree, and
//! encoding decoded values loses nothing.

use formats::{
    Format, Rect, convert, depth, pack_rgba_f32, pack_rgba_i32, pack_rgba_u8, pack_rgba_u32,
    unpack_rgba_f32, unpack_rgba_i32, unpack_rgba_u8, unpack_rgba_u32,
};

/// The maximum width and height of a picture.
const SIDE: usize = 24;

/// Bytes per row, enough for any format.
const PITCH: usize = SIDE * 32;

/// A picture's bytes and shape.
#[derive(Clone, Copy)]
struct Picture<'a> {
    format: Format,
    bytes: &'a [u8],
    /// Stride in bytes: any number, including overlapping rows and excessive strides.
    stride: usize,
    width: usize,
    height: usize,
}

/// Reads bytes as a picture, converts it, and compares the functions that read.
pub fn run(data: &[u8]) {
    let Some((head, bytes)) = data.split_first_chunk::<8>() else { return };
    let pick = |low: u8, high: u8| {
        let index = u16::from_le_bytes([low, high]) as usize;
        Format::ALL[index % Format::ALL.len()]
    };
    let (format, other) = (pick(head[0], head[1]), pick(head[2], head[3]));
    let (width, height) = (head[4] as usize % (SIDE + 1), head[5] as usize % (SIDE + 1));
    let stride = u16::from_le_bytes([head[6], head[7]]) as usize % 1024;
    let picture = Picture { format, bytes, stride, width, height };
    if format.is_pure_integer() {
        integers_survive(picture);
    } else {
        let floats = ways_agree(picture);
        if let Some(floats) = floats.filter(|_| format.is_texel()) {
            floats_survive(picture, &floats);
        }
    }
    converts(picture, other);
}

/// Reads a picture as floats and as bytes, and compares both with each texel read alone. Returns
/// the floats if the format can be read.
fn ways_agree(picture: Picture<'_>) -> Option<Vec<[f32; 4]>> {
    let Picture { format, bytes, stride, width, height } = picture;
    let mut floats = vec![[0.0; 4]; SIDE * SIDE];
    let mut pixels = [[0; 4]; SIDE * SIDE];
    let read = unpack_rgba_f32(
        format,
        Rect::new(&mut floats, SIDE),
        Rect::new(bytes, stride),
        [width, height],
    );
    let narrow = unpack_rgba_u8(
        format,
        Rect::new(&mut pixels, SIDE),
        Rect::new(bytes, stride),
        [width, height],
    );
    assert_eq!(read, narrow);
    read.ok()?;
    let block = format.block();
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let (wide, high) = (block.width as usize, block.height as usize);
        let at = y / high * stride + x / wide * block.bytes as usize;
        let texel = format.fetch_rgba_f32_at(&bytes[at..], x % wide, y % high);
        let float = floats[y * SIDE + x];
        for (i, (a, b)) in texel.into_iter().zip(float).enumerate() {
            assert!(same(a, b), "{format} {i}: {a} alone, {b} in a rectangle");
            let byte = (a.clamp(0.0, 1.0) * 255.0).round_ties_even() as u8;
            assert!(pixels[y * SIDE + x][i].abs_diff(byte) <= 1, "{format}: {a}");
        }
    }
    Some(floats)
}

/// Returns true for equal bits, and for two NaNs.
fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// Encodes decoded floats and checks that decoding gives the same values again.
fn floats_survive(picture: Picture<'_>, floats: &[[f32; 4]]) {
    let Picture { format, width, height, .. } = picture;
    let mut encoded = [0; PITCH * SIDE];
    if pack_rgba_f32(
        format,
        Rect::new(&mut encoded, PITCH),
        Rect::new(floats, SIDE),
        [width, height],
    )
    .is_err()
    {
        return;
    }
    let mut again = vec![[0.0; 4]; SIDE * SIDE];
    unpack_rgba_f32(
        format,
        Rect::new(&mut again, SIDE),
        Rect::new(&encoded, PITCH),
        [width, height],
    )
    .expect("what is written can be read");
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let (before, after) = (floats[y * SIDE + x], again[y * SIDE + x]);
        let kept = before.into_iter().zip(after).all(|(a, b)| same(a, b));
        assert!(kept, "{format}: {before:?} is {after:?} after encoding and decoding");
    }
}

/// Reads integers, signed and unsigned, writes them, and checks that they are read again.
fn integers_survive(picture: Picture<'_>) {
    let Picture { format, bytes, stride, width, height } = picture;
    let mut read = [[0u32; 4]; SIDE * SIDE];
    let mut encoded = [0; PITCH * SIDE];
    if unpack_rgba_u32(
        format,
        Rect::new(&mut read, SIDE),
        Rect::new(bytes, stride),
        [width, height],
    )
    .is_ok()
    {
        let written = pack_rgba_u32(
            format,
            Rect::new(&mut encoded, PITCH),
            Rect::new(&read, SIDE),
            [width, height],
        );
        let mut again = [[0u32; 4]; SIDE * SIDE];
        let result = unpack_rgba_u32(
            format,
            Rect::new(&mut again, SIDE),
            Rect::new(&encoded, PITCH),
            [width, height],
        );
        assert!(written.is_err() || result.is_ok() && again == read, "{format}");
    }
    let mut read = [[0i32; 4]; SIDE * SIDE];
    if unpack_rgba_i32(
        format,
        Rect::new(&mut read, SIDE),
        Rect::new(bytes, stride),
        [width, height],
    )
    .is_ok()
    {
        let written = pack_rgba_i32(
            format,
            Rect::new(&mut encoded, PITCH),
            Rect::new(&read, SIDE),
            [width, height],
        );
        let mut again = [[0i32; 4]; SIDE * SIDE];
        let result = unpack_rgba_i32(
            format,
            Rect::new(&mut again, SIDE),
            Rect::new(&encoded, PITCH),
            [width, height],
        );
        assert!(written.is_err() || result.is_ok() && again == read, "{format}");
    }
}

/// Converts to another format, and to the same one, which copies the bytes. Also writes with a
/// stride that may be too small for the destination.
fn converts(picture: Picture<'_>, other: Format) {
    let Picture { format, bytes, stride, width, height } = picture;
    let mut out = [0; PITCH * SIDE];
    let _ = convert(
        other,
        Rect::new(&mut out, PITCH),
        format,
        Rect::new(bytes, stride),
        [width, height],
    );
    let _ = convert(
        other,
        Rect::new(&mut out, stride),
        format,
        Rect::new(bytes, stride),
        [width, height],
    );
    let floats = [[0.75; 4]; SIDE * SIDE];
    let _ = pack_rgba_f32(
        other,
        Rect::new(&mut out, stride),
        Rect::new(&floats, SIDE),
        [width, height],
    );
    let _ = pack_rgba_u8(
        other,
        Rect::new(&mut out, stride),
        Rect::new(&[[200; 4]; SIDE * SIDE], SIDE),
        [width, height],
    );
    if convert(
        format,
        Rect::new(&mut out, PITCH),
        format,
        Rect::new(bytes, stride),
        [width, height],
    )
    .is_ok()
    {
        let (row, rows) = (format.row_bytes(width), height.div_ceil(format.block().height.into()));
        for y in (0..rows).filter(|_| width > 0) {
            let (copy, from) = (&out[y * PITCH..][..row], &bytes[y * stride..][..row]);
            assert!(copy == from, "{format}: a copy");
        }
    }
    let mut z = [0.0; SIDE * SIDE];
    let _ = depth::unpack_z_f32(
        format,
        Rect::new(&mut z, SIDE),
        Rect::new(bytes, stride),
        [width, height],
    );
    let _ = depth::pack_z_f32(
        format,
        Rect::new(&mut out, stride),
        Rect::new(&z, SIDE),
        [width, height],
    );
    let mut stencil = [0; SIDE * SIDE];
    let _ = depth::unpack_s8(
        format,
        Rect::new(&mut stencil, SIDE),
        Rect::new(bytes, stride),
        [width, height],
    );
    let _ = depth::pack_s8(
        format,
        Rect::new(&mut out, stride),
        Rect::new(&stencil, SIDE),
        [width, height],
    );
}
