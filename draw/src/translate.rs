//! Translates vertices from one layout to another: attributes move, and change their format.
//!
//! A driver that draws only one layout, or a frontend that wants packed vertices, translates them
//! first. [`Pipeline`](crate::Pipeline) reads attributes of any format in place. Both follow the
//! same rules for addresses, instances and bytes outside buffers.

use crate::attribute::{Instance, Source, is_attribute};
use crate::state::VertexBytes;
use formats::{Description, Format};
use pipe_core::VertexElement;

/// An attribute's source, and its place and format in the written vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// The attribute in the vertex buffers.
    pub input: VertexElement,
    /// The format of the written attribute.
    pub format: Format,
    /// The attribute's byte offset in a written vertex.
    pub offset: usize,
}

/// An attribute that cannot be translated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum TranslateError {
    /// A format that [attributes](crate::is_attribute) cannot have.
    #[error("attribute {attribute}: a format that attributes cannot have")]
    Format {
        /// The number of the attribute.
        attribute: usize,
    },
    /// Only one of the two formats is of pure integers, or one is signed and the other is not.
    #[error("attribute {attribute}: integers become no floats, nor the other way round")]
    Kind {
        /// The number of the attribute.
        attribute: usize,
    },
    /// The attribute reaches beyond the end of a written vertex.
    #[error("attribute {attribute}: no room in a vertex of {stride} bytes")]
    Room {
        /// The number of the attribute.
        attribute: usize,
        /// Bytes of a written vertex.
        stride: usize,
    },
}

/// Writes vertices in the layout of a list of attributes.
///
/// ```
/// use formats::Format;
/// use gallium_draw::translate::{Attribute, Translate};
/// use gallium_draw::{Instance, VertexBytes};
/// use pipe_core::VertexElement;
///
/// // Bytes from 0 to 255 become halves from 0 to 1, after a word that is not written.
/// let attributes = [Attribute {
///     input: VertexElement::per_vertex(0, Format::R8G8Unorm),
///     format: Format::R16G16Float,
///     offset: 4,
/// }];
/// let translate = Translate::new(&attributes, 8)?;
/// let buffer = VertexBytes { bytes: &[0, 255, 255, 0], stride: 2 };
/// let mut out = [0xee; 16];
/// let count = translate.run(&[buffer], [1, 0, 1], Instance::default(), &mut out);
/// assert_eq!(count, 2, "there is room for two");
/// assert_eq!(out[..8], [0xee, 0xee, 0xee, 0xee, 0x00, 0x3c, 0x00, 0x00]);
/// assert_eq!(out[8..], [0xee, 0xee, 0xee, 0xee, 0x00, 0x00, 0x00, 0x3c]);
/// # Ok::<(), gallium_draw::translate::TranslateError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Translate<'a> {
    attributes: &'a [Attribute],
    /// Bytes of a written vertex.
    stride: usize,
}

impl<'a> Translate<'a> {
    /// Makes a translator that writes vertices of `stride` bytes.
    ///
    /// Colours and other normalised values become floats or other normalised values. Integers are
    /// clamped to the range of the new integer format. Components missing from the old format are
    /// 0, and 1 in w.
    ///
    /// # Errors
    /// See [`TranslateError`].
    pub fn new(attributes: &'a [Attribute], stride: usize) -> Result<Self, TranslateError> {
        for (attribute, &Attribute { input, format, offset }) in attributes.iter().enumerate() {
            let from = input.src_format;
            if !(is_attribute(from) && is_attribute(format)) {
                return Err(TranslateError::Format { attribute });
            }
            let kind = |format: Format| (format.is_pure_uint(), format.is_pure_sint());
            if kind(from) != kind(format) {
                return Err(TranslateError::Kind { attribute });
            }
            if offset.checked_add(format.block_bytes()).is_none_or(|end| end > stride) {
                return Err(TranslateError::Room { attribute, stride });
            }
        }
        Ok(Translate { attributes, stride })
    }

    /// Writes the given vertices of an instance to `out`, one after the other, until `out` is full;
    /// returns their number.
    ///
    /// `vertices` are vertex numbers: a range, or indices with their bias added. Bytes between
    /// attributes do not change. Attributes that are not wholly inside their buffers read as zeros.
    pub fn run(
        &self,
        buffers: &[VertexBytes<'_>],
        vertices: impl IntoIterator<Item = u32>,
        instance: Instance,
        out: &mut [u8],
    ) -> usize {
        let mut count = 0;
        for (vertex, out) in vertices.into_iter().zip(out.chunks_exact_mut(self.stride.max(1))) {
            for attribute in self.attributes {
                attribute.write(buffers, vertex, instance, out);
            }
            count += 1;
        }
        count
    }
}

impl Attribute {
    /// Writes one vertex's attribute to the vertex `out`.
    fn write(&self, buffers: &[VertexBytes<'_>], vertex: u32, instance: Instance, out: &mut [u8]) {
        let Attribute { input, format, offset } = self;
        let source = Source::new(input, buffers);
        let index = instance.index(input.instance_divisor).unwrap_or(vertex);
        let Some(out) = out.get_mut(*offset..).and_then(|out| out.get_mut(..format.block_bytes()))
        else {
            return;
        };
        if input.src_format == *format {
            let bytes = source.bytes(format.block_bytes(), index);
            out.iter_mut().zip(bytes).for_each(|(out, byte)| *out = *byte);
            return;
        }
        let texel = |desc: &Description| source.texel(desc, index);
        format.store_rgba_bits(texel(&input.src_format.desc()), out);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    fn attribute(from: Format, to: Format, offset: usize) -> Attribute {
        Attribute { input: VertexElement::per_vertex(0, from), format: to, offset }
    }

    #[test]
    fn what_cannot_be_translated_is_named() {
        let wanted = [
            (
                attribute(Format::Dxt1Rgb, Format::R32Float, 0),
                TranslateError::Format { attribute: 1 },
            ),
            (
                attribute(Format::R32Uint, Format::R32Float, 0),
                TranslateError::Kind { attribute: 1 },
            ),
            (attribute(Format::R32Uint, Format::R32Sint, 0), TranslateError::Kind { attribute: 1 }),
            (
                attribute(Format::R32Float, Format::R32Float, 5),
                TranslateError::Room { attribute: 1, stride: 8 },
            ),
            (
                attribute(Format::R32Float, Format::R32Float, usize::MAX),
                TranslateError::Room { attribute: 1, stride: 8 },
            ),
        ];
        let fine = attribute(Format::R8Unorm, Format::R8Unorm, 0);
        for (attribute, error) in wanted {
            assert_eq!(Translate::new(&[fine, attribute], 8).err(), Some(error));
        }
    }

    #[test]
    fn attributes_follow_their_own_index() {
        let per_instance = VertexElement {
            vertex_buffer_index: 1,
            instance_divisor: 2,
            ..VertexElement::per_vertex(1, Format::R8Uint)
        };
        let attributes = [
            attribute(Format::R8Unorm, Format::R32Float, 0),
            Attribute { input: per_instance, format: Format::R16Uint, offset: 4 },
        ];
        let translate = Translate::new(&attributes, 6).expect("both can be translated");
        let buffers = [
            VertexBytes { bytes: &[0, 51, 255], stride: 1 },
            VertexBytes { bytes: &[0, 7, 0, 8, 0, 9], stride: 2 },
        ];
        let mut out = [0; 24];
        // Instance 3 of a divisor of 2 is the second value after the first instance's.
        let instance = Instance { number: 3, first: 1 };
        assert_eq!(translate.run(&buffers, [2, 1, 0, 3], instance, &mut out), 4);
        let floats = |at: usize| f32::from_le_bytes(*out[at..].first_chunk().expect("four bytes"));
        // Vertex 3 is beyond the end.
        assert_eq!([0, 6, 12, 18].map(floats), [1.0, 0.2, 0.0, 0.0]);
        assert!([4, 10, 16, 22].iter().all(|at| out[*at..*at + 2] == [9, 0]));
    }

    /// Formats of up to 32 bits lose nothing on the way to 32-bit floats or integers and back.
    #[test]
    fn wide_formats_keep_everything() {
        let bytes: Vec<u8> = (0..16u8).map(|i| i.wrapping_mul(37)).collect();
        let mut formats = 0;
        for &format in Format::ALL.iter().filter(|format| is_attribute(**format)) {
            let wide = match (format.is_pure_uint(), format.is_pure_sint()) {
                (true, _) => Format::R32G32B32A32Uint,
                (_, true) => Format::R32G32B32A32Sint,
                _ => Format::R32G32B32A32Float,
            };
            let size = format.block_bytes();
            // Floats hold 24 bits of a channel.
            let is_wide = matches!(format, Format::R32Unorm) || format.is_depth_or_stencil();
            let is_exact = format.is_unorm() || format.is_pure_integer();
            if size > 4 || is_wide || !is_exact || format.is_srgb() {
                continue;
            }
            let out = attribute(format, wide, 0);
            let back = attribute(wide, format, 0);
            let mut middle = [0; 16];
            let buffer = VertexBytes { bytes: &bytes, stride: 0 };
            let translate = Translate::new(core::slice::from_ref(&out), 16).expect("widens");
            translate.run(&[buffer], [0], Instance::default(), &mut middle);
            let mut end = [0; 16];
            let buffer = VertexBytes { bytes: &middle, stride: 0 };
            let translate = Translate::new(core::slice::from_ref(&back), size).expect("narrows");
            translate.run(&[buffer], [0], Instance::default(), &mut end[..size]);
            let value = |bytes: &[u8]| format.fetch_rgba_bits(&bytes[..size]);
            assert_eq!(value(&end), value(&bytes), "{format:?}");
            formats += 1;
        }
        assert!(formats > 20, "{formats}");
    }
}
