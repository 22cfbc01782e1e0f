//! Vertex fetch: attributes from bytes to lanes.
//!
//! Addresses come from unchecked indices. An attribute that is not wholly inside its buffer reads as
//! if all its bytes were 0.

use crate::features::ALL_FORMATS;
use crate::state::{DrawState, VertexBytes};
use core::cell::Cell;
use formats::{Description, Format, Layout};
use pipe_core::VertexElement;
use tgsi::exec::Lanes;
use tgsi::program::Row;

/// Bytes of the largest attribute: four doubles.
const MAX_ATTRIBUTE: usize = 32;

/// The bytes of an attribute outside its buffer.
static ZEROS: [u8; MAX_ATTRIBUTE] = [0; MAX_ATTRIBUTE];

/// The bits of 1.0.
const ONE: u32 = 0x3f80_0000;

/// Tells if [`Source::gather`] has a loop for a format.
fn has_loop(format: Format) -> bool {
    use Format::*;
    matches!(
        format,
        R32Float
            | R32G32Float
            | R32G32B32Float
            | R32G32B32A32Float
            | R8G8B8A8Unorm
            | B8G8R8A8Unorm
            | R16G16B16A16Snorm
    )
}

/// Decodes an attribute of a format that has a loop, to the bits of four floats.
fn decoded(format: Format, texel: &[u8]) -> [u32; 4] {
    let mut rgba = [0, 0, 0, ONE];
    match format {
        Format::R8G8B8A8Unorm | Format::B8G8R8A8Unorm => {
            for (value, byte) in rgba.iter_mut().zip(texel) {
                *value = (f32::from(*byte) / 255.0).to_bits();
            }
            if format == Format::B8G8R8A8Unorm {
                rgba.swap(0, 2);
            }
        }
        Format::R16G16B16A16Snorm => {
            for (value, bytes) in rgba.iter_mut().zip(texel.as_chunks().0) {
                *value = (f32::from(i16::from_le_bytes(*bytes).max(-32767)) / 32767.0).to_bits();
            }
        }
        _ => {
            for (value, bytes) in rgba.iter_mut().zip(texel.as_chunks().0) {
                *value = u32::from_le_bytes(*bytes);
            }
        }
    }
    rgba
}

/// Tells if vertex attributes can have a format.
///
/// With the feature `all-formats` these are the plain and packed ones of up to 32 bytes; without it,
/// one to four 32-bit floats, `R8G8B8A8Unorm`, `B8G8R8A8Unorm` and `R16G16B16A16Snorm`. A draw with
/// any other fails with [`DrawError::VertexFormat`](crate::DrawError::VertexFormat).
///
/// ```
/// use formats::Format;
/// assert!(gallium_draw::is_attribute(Format::R32G32B32Float));
/// assert!(!gallium_draw::is_attribute(Format::Dxt1Rgb));
/// ```
pub fn is_attribute(format: Format) -> bool {
    let element = VertexElement::per_vertex(0, format);
    unsupported(&[element]).is_none()
}

/// Returns the first element whose format attributes cannot have, if there is one.
pub(crate) fn unsupported(elements: &[VertexElement]) -> Option<usize> {
    elements.iter().position(|element| {
        let desc = element.src_format.desc();
        let bytes = usize::from(desc.block.bytes);
        !(ALL_FORMATS || has_loop(element.src_format))
            || !matches!(desc.layout, Layout::Plain | Layout::Packed(_))
            || desc.block.width != 1
            || bytes == 0
            || bytes > MAX_ATTRIBUTE
    })
}

/// The instance that a batch belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Instance {
    /// Counted from 0.
    pub(crate) number: u32,
    /// The draw's `start_instance`.
    pub(crate) first: u32,
}

/// Fills the rows of the vertex shader's inputs for the vertices `indices`, one a lane.
///
/// Components that the program does not read go to `spare`.
#[inline(always)]
pub(crate) fn fetch<R: Lanes>(
    state: &DrawState<'_>,
    instance: Instance,
    indices: &[u32],
    rows: &mut [R],
    spare: &Cell<R>,
) {
    let rows = Cell::from_mut(rows).as_slice_of_cells();
    // `Row::NONE` is beyond all rows: it needs no check of its own.
    let rows = rows.get(..usize::from(Row::NONE.0)).unwrap_or(rows);
    for input in state.program.inputs {
        let lanes = |row: Row| rows.get(usize::from(row.0)).unwrap_or(spare);
        let [x, y, z, w] = input.rows;
        let to = [lanes(x), lanes(y), lanes(z), lanes(w)];
        let Some(element) = state.elements.get(usize::from(input.register)) else {
            constant([0, 0, 0, ONE], to);
            continue;
        };
        let source = Source::new(element, state.vertex_buffers);
        if let Some(step) = instance.number.checked_div(element.instance_divisor) {
            let index = instance.first.wrapping_add(step);
            constant(source.texel(&element.src_format.desc(), index), to);
        } else {
            source.gather(element.src_format, indices, to);
        }
    }
}

/// Fills all lanes with one value.
#[inline(never)]
fn constant<R: Lanes>(value: [u32; 4], to: [&Cell<R>; 4]) {
    for (row, value) in to.iter().zip(value) {
        R::as_cells(row).iter().for_each(|lane| lane.set(value));
    }
}

/// Returns the bytes of an attribute outside its buffer.
#[cold]
#[inline(never)]
fn absent<const N: usize>() -> &'static [u8; N] {
    ZEROS.first_chunk().unwrap_or(&[0; N])
}

/// One attribute in its buffer.
struct Source<'a> {
    /// From the first vertex's attribute on.
    bytes: &'a [u8],
    stride: u32,
}

impl<'a> Source<'a> {
    #[inline(always)]
    fn new(element: &VertexElement, buffers: &[VertexBytes<'a>]) -> Self {
        let buffer = buffers.get(usize::from(element.vertex_buffer_index));
        let VertexBytes { bytes, stride } = buffer.copied().unwrap_or_default();
        let bytes = bytes.get(element.src_offset as usize..).unwrap_or(&[]);
        Source { bytes, stride }
    }

    /// Returns the bytes from the attribute of vertex `index` on, if it begins inside the buffer.
    #[inline(always)]
    fn from(&self, index: u32) -> Option<&'a [u8]> {
        let start = u64::from(index) * u64::from(self.stride);
        self.bytes.get(usize::try_from(start).ok()?..)
    }

    /// Reads one vertex's attribute, of any format.
    fn texel(&self, desc: &Description, index: u32) -> [u32; 4] {
        let size = usize::from(desc.block.bytes);
        let texel = self.from(index).and_then(|bytes| bytes.get(..size));
        let texel = texel.or(ZEROS.get(..size)).unwrap_or(&[]);
        if texel.is_empty() {
            return [0, 0, 0, ONE];
        }
        if !ALL_FORMATS {
            return decoded(desc.format, texel);
        }
        desc.fetch_rgba_bits(texel)
    }

    /// Reads one attribute a lane. The common formats have loops of their own.
    #[inline(always)]
    fn gather<R: Lanes>(&self, format: Format, indices: &[u32], to: [&Cell<R>; 4]) {
        let word = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
        let unorm = |byte: u8| (f32::from(byte) / 255.0).to_bits();
        let snorm = |low: u8, high: u8| {
            let integer = i16::from_le_bytes([low, high]).max(-32767);
            (f32::from(integer) / 32767.0).to_bits()
        };
        match format {
            Format::R32Float => self.each(indices, to, |x| [word(x), 0, 0, ONE]),
            Format::R32G32Float => {
                self.each(indices, to, |texel: &[u8; 8]| match texel.as_chunks().0 {
                    [x, y] => [word(x), word(y), 0, ONE],
                    _ => [0; 4],
                });
            }
            Format::R32G32B32Float => {
                self.each(indices, to, |texel: &[u8; 12]| match texel.as_chunks().0 {
                    [x, y, z] => [word(x), word(y), word(z), ONE],
                    _ => [0; 4],
                });
            }
            Format::R32G32B32A32Float => {
                self.each(indices, to, |texel: &[u8; 16]| match texel.as_chunks().0 {
                    [x, y, z, w] => [word(x), word(y), word(z), word(w)],
                    _ => [0; 4],
                });
            }
            Format::R8G8B8A8Unorm => {
                self.each(indices, to, |&[r, g, b, a]| [unorm(r), unorm(g), unorm(b), unorm(a)]);
            }
            Format::B8G8R8A8Unorm => {
                self.each(indices, to, |&[b, g, r, a]| [unorm(r), unorm(g), unorm(b), unorm(a)]);
            }
            Format::R16G16B16A16Snorm => {
                self.each(indices, to, |&[a, b, c, d, e, f, g, h]| {
                    [snorm(a, b), snorm(c, d), snorm(e, f), snorm(g, h)]
                });
            }
            _ if !ALL_FORMATS => {}
            _ => self.any(&format.desc(), indices, to),
        }
    }

    /// Reads attributes of `N` bytes, decoded by `convert`.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    fn each<const N: usize, R: Lanes>(
        &self,
        indices: &[u32],
        to: [&Cell<R>; 4],
        convert: impl Fn(&[u8; N]) -> [u32; 4],
    ) {
        let [x, y, z, w] = to;
        let (xs, ys, zs, ws) = (R::as_cells(x), R::as_cells(y), R::as_cells(z), R::as_cells(w));
        for ((((&index, x), y), z), w) in indices.iter().zip(xs).zip(ys).zip(zs).zip(ws) {
            let texel = self.from(index).and_then(|bytes| bytes.first_chunk());
            // Not `unwrap_or`: a branch that is never taken is shorter than a choice.
            let value = convert(match texel {
                Some(texel) => texel,
                None => absent(),
            });
            x.set(value[0]);
            y.set(value[1]);
            z.set(value[2]);
            w.set(value[3]);
        }
    }

    /// Reads attributes of any format.
    #[inline(never)]
    fn any<R: Lanes>(&self, desc: &Description, indices: &[u32], to: [&Cell<R>; 4]) {
        for (lane, &index) in indices.iter().enumerate() {
            for (row, value) in to.iter().zip(self.texel(desc, index)) {
                if let Some(at) = R::as_cells(row).get(lane) {
                    at.set(value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_loop_is_decoded_alike() {
        let bytes: [u8; 16] = core::array::from_fn(|index| (index * 37 + 11) as u8 & 0x7f);
        let mut count = 0;
        for &format in Format::ALL.iter().filter(|format| has_loop(**format)) {
            let texel = &bytes[..usize::from(format.desc().block.bytes)];
            assert_eq!(decoded(format, texel), format.fetch_rgba_bits(texel), "{format:?}");
            count += 1;
        }
        assert_eq!(count, 7);
    }
}
