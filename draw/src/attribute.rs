//! An attribute in its buffer: its address, its bytes, its value.
//!
//! Addresses come from unchecked indices. An attribute that is not wholly inside its buffer reads
//! as if all its bytes were 0.

use crate::features::ALL_FORMATS;
use crate::state::VertexBytes;
use formats::{Description, Format, Layout};
use os_shim::math::{snorm16, unorm8};
use pipe_core::VertexElement;

/// Bytes of the largest attribute: four doubles.
const MAX_ATTRIBUTE: usize = 32;

/// The bytes of an attribute outside its buffer.
pub(crate) static ZEROS: [u8; MAX_ATTRIBUTE] = [0; MAX_ATTRIBUTE];

/// The bits of 1.0.
pub(crate) const ONE: u32 = 0x3f80_0000;

/// Returns true if vertex fetch has a loop for a format. Such attributes do not need the feature
/// `all-formats`.
pub fn is_common_attribute(format: Format) -> bool {
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

/// Decodes an attribute of a format with a loop to the bits of four floats.
fn decoded(format: Format, texel: &[u8]) -> [u32; 4] {
    let mut rgba = [0, 0, 0, ONE];
    match format {
        Format::R8G8B8A8Unorm | Format::B8G8R8A8Unorm => {
            for (value, byte) in rgba.iter_mut().zip(texel) {
                *value = unorm8((*byte).into()).to_bits();
            }
            if format == Format::B8G8R8A8Unorm {
                rgba.swap(0, 2);
            }
        }
        Format::R16G16B16A16Snorm => {
            for (value, bytes) in rgba.iter_mut().zip(texel.as_chunks().0) {
                *value = snorm16(i16::from_le_bytes(*bytes)).to_bits();
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

/// Returns true if vertex attributes can have a format.
///
/// With the feature `all-formats` these are the plain and packed formats of up to 32 bytes. Without
/// it, they are one to four 32-bit floats, `R8G8B8A8Unorm`, `B8G8R8A8Unorm` and
/// `R16G16B16A16Snorm`. A draw with any other format fails with
/// [`DrawError::VertexFormat`](crate::DrawError::VertexFormat).
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

/// Returns the first element with an unsupported attribute format, and the format, if there is one.
pub(crate) fn unsupported(elements: &[VertexElement]) -> Option<(usize, Format)> {
    let formats = elements.iter().map(|element| element.src_format);
    formats.enumerate().find(|(_, format)| {
        if !ALL_FORMATS {
            return !is_common_attribute(*format);
        }
        let desc = format.desc();
        let bytes = usize::from(desc.block.bytes);
        !matches!(desc.layout, Layout::Plain | Layout::Packed(_))
            || desc.block.width != 1
            || bytes == 0
            || bytes > MAX_ATTRIBUTE
    })
}

/// An instance of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Instance {
    /// The instance's number, counted from 0.
    pub number: u32,
    /// The draw's `start_instance`.
    pub first: u32,
}

impl Instance {
    /// Returns the index at which attributes with a divisor are read; `None` for a divisor of 0,
    /// because such attributes are read at the vertex's index.
    #[inline(always)]
    pub(crate) fn index(&self, divisor: u32) -> Option<u32> {
        let step = self.number.checked_div(divisor)?;
        Some(self.first.wrapping_add(step))
    }
}

/// One attribute in its buffer.
pub(crate) struct Source<'a> {
    /// The bytes from the first vertex's attribute on.
    bytes: &'a [u8],
    stride: u32,
}

impl<'a> Source<'a> {
    #[inline(always)]
    pub(crate) fn new(element: &VertexElement, buffers: &[VertexBytes<'a>]) -> Self {
        let buffer = buffers.get(usize::from(element.vertex_buffer_index));
        let VertexBytes { bytes, stride } = buffer.copied().unwrap_or_default();
        let bytes = bytes.get(element.src_offset as usize..).unwrap_or(&[]);
        Source { bytes, stride }
    }

    /// Returns the bytes from the attribute of vertex `index` on, if it begins inside the buffer.
    #[inline(always)]
    pub(crate) fn from(&self, index: u32) -> Option<&'a [u8]> {
        let start = u64::from(index) * u64::from(self.stride);
        self.bytes.get(usize::try_from(start).ok()?..)
    }

    /// Returns the `size` bytes of one vertex's attribute. Returns zeros if the attribute is not
    /// wholly inside its buffer, and no bytes if `size` exceeds the largest attribute.
    #[inline(always)]
    pub(crate) fn bytes(&self, size: usize, index: u32) -> &'a [u8] {
        let bytes = self.from(index).and_then(|bytes| bytes.get(..size));
        bytes.or(ZEROS.get(..size)).unwrap_or(&[])
    }

    /// Reads one vertex's attribute, of any format.
    pub(crate) fn texel(&self, desc: &Description, index: u32) -> [u32; 4] {
        let texel = self.bytes(desc.block.bytes.into(), index);
        if texel.is_empty() {
            return [0, 0, 0, ONE];
        }
        if !ALL_FORMATS {
            return decoded(desc.format, texel);
        }
        desc.fetch_rgba_bits(texel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_loop_is_decoded_alike() {
        let bytes: [u8; 16] = core::array::from_fn(|index| (index * 37 + 11) as u8 & 0x7f);
        let mut count = 0;
        for &format in Format::ALL.iter().filter(|format| is_common_attribute(**format)) {
            let texel = &bytes[..usize::from(format.desc().block.bytes)];
            assert_eq!(decoded(format, texel), format.fetch_rgba_bits(texel), "{format:?}");
            count += 1;
        }
        assert_eq!(count, 7);
    }
}
