//! Vertex fetch: attributes from bytes to lanes.
//!
//! Addresses come from indices nobody has checked. An attribute that is not wholly inside its
//! buffer reads as if all its bytes were 0.

use crate::state::{DrawState, VertexBytes};
use formats::{Description, Format, Layout};
use pipe_core::VertexElement;
use tgsi::exec::Lanes;
use tgsi::program::Row;

/// Bytes of the largest attribute: four doubles.
const MAX_ATTRIBUTE: usize = 32;

/// Bits of 1.0.
const ONE: u32 = 0x3f80_0000;

/// The first element whose format attributes cannot have, if there is one.
pub(crate) fn unsupported(elements: &[VertexElement]) -> Option<usize> {
    elements.iter().position(|element| {
        let desc = element.src_format.desc();
        let bytes = usize::from(desc.block.bytes);
        !matches!(desc.layout, Layout::Plain | Layout::Packed(_))
            || desc.block.width != 1
            || bytes == 0
            || bytes > MAX_ATTRIBUTE
    })
}

/// Which instance a batch belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Instance {
    /// From 0 on.
    pub(crate) number: u32,
    /// The draw's `start_instance`.
    pub(crate) first: u32,
}

/// Fills the rows of the program's inputs for the vertices `indices`, one a lane.
#[inline(always)]
pub(crate) fn fetch<R: Lanes>(
    state: &DrawState<'_>,
    instance: Instance,
    indices: &R,
    count: usize,
    rows: &mut [R],
) {
    for input in state.program.inputs {
        let Some(element) = state.elements.get(usize::from(input.register)) else {
            constant([0, 0, 0, ONE], input.rows, rows);
            continue;
        };
        let source = Source::new(element, state.vertex_buffers);
        if let Some(step) = instance.number.checked_div(element.instance_divisor) {
            let index = instance.first.wrapping_add(step);
            constant(source.texel(index), input.rows, rows);
        } else {
            source.gather(indices, count, input.rows, rows);
        }
    }
}

/// The same value in all lanes.
fn constant<R: Lanes>(value: [u32; 4], to: [Row; 4], rows: &mut [R]) {
    for (row, value) in to.iter().zip(value) {
        if let Some(row) = row.index().and_then(|row| rows.get_mut(row)) {
            *row = R::splat(value);
        }
    }
}

/// One attribute in its buffer.
struct Source<'a> {
    bytes: &'a [u8],
    offset: usize,
    stride: usize,
    /// Up to which index attributes are inside; `None` if none is.
    last: Option<u32>,
    desc: Description,
    size: usize,
}

impl<'a> Source<'a> {
    fn new(element: &VertexElement, buffers: &[VertexBytes<'a>]) -> Self {
        let buffer = buffers.get(usize::from(element.vertex_buffer_index));
        let VertexBytes { bytes, stride } = buffer.copied().unwrap_or_default();
        let desc = element.src_format.desc();
        let size = usize::from(desc.block.bytes);
        let (offset, stride) = (element.src_offset as usize, stride as usize);
        let room = bytes.len().checked_sub(size).and_then(|room| room.checked_sub(offset));
        let last = room.map(|room| match stride {
            0 => u32::MAX,
            stride => u32::try_from(room / stride).unwrap_or(u32::MAX),
        });
        Source { bytes, offset, stride, last, desc, size }
    }

    /// `N` bytes, `skip` bytes into the attribute at `index`; zeros if it is not all there.
    #[inline(always)]
    fn read<const N: usize>(&self, index: u32, skip: usize) -> [u8; N] {
        // Inside means that the product fits: it is less than the buffer's length.
        match self.last {
            Some(last) if index <= last => self
                .bytes
                .get(self.offset + skip + index as usize * self.stride..)
                .and_then(|bytes| bytes.first_chunk())
                .copied()
                .unwrap_or([0; N]),
            _ => [0; N],
        }
    }

    /// Any format, one vertex.
    fn texel(&self, index: u32) -> [u32; 4] {
        let zeros = [0; MAX_ATTRIBUTE];
        let inside = self.last.is_some_and(|last| index <= last);
        let texel = match inside {
            true => self.bytes.get(self.offset + index as usize * self.stride..),
            false => Some(zeros.as_slice()),
        };
        let texel = texel.and_then(|texel| texel.get(..self.size)).unwrap_or(&[]);
        if texel.is_empty() {
            return [0, 0, 0, ONE];
        }
        self.desc.fetch_rgba_bits(texel)
    }

    /// Reads one attribute a lane. The common formats have loops of their own.
    #[inline(always)]
    fn gather<R: Lanes>(&self, indices: &R, count: usize, to: [Row; 4], rows: &mut [R]) {
        match self.desc.format {
            Format::R32Float => self.words::<1, R>(indices, to, rows),
            Format::R32G32Float => self.words::<2, R>(indices, to, rows),
            Format::R32G32B32Float => self.words::<3, R>(indices, to, rows),
            Format::R32G32B32A32Float => self.words::<4, R>(indices, to, rows),
            Format::R8G8B8A8Unorm => self.bytes([0, 1, 2, 3], indices, to, rows),
            Format::B8G8R8A8Unorm => self.bytes([2, 1, 0, 3], indices, to, rows),
            Format::R16G16B16A16Snorm => self.shorts(indices, to, rows),
            _ => {
                for (lane, &index) in indices.as_slice().iter().enumerate().take(count) {
                    let texel = self.texel(index);
                    for (row, value) in to.iter().zip(texel) {
                        let row = row.index().and_then(|row| rows.get_mut(row));
                        if let Some(at) = row.and_then(|row| row.as_mut_slice().get_mut(lane)) {
                            *at = value;
                        }
                    }
                }
            }
        }
    }

    /// `N` floats, the rest of (0, 0, 0, 1).
    #[inline(always)]
    fn words<const N: usize, R: Lanes>(&self, indices: &R, to: [Row; 4], rows: &mut [R]) {
        // A component at a time keeps one row in hand; the attribute's bytes stay in the cache.
        for (component, row) in to.iter().enumerate() {
            let Some(row) = row.index().and_then(|row| rows.get_mut(row)) else { continue };
            if component >= N {
                *row = R::splat(if component == 3 { ONE } else { 0 });
                continue;
            }
            for (value, &index) in row.as_mut_slice().iter_mut().zip(indices.as_slice()) {
                *value = u32::from_le_bytes(self.read(index, 4 * component));
            }
        }
    }

    /// Four signed 16-bit integers, 32767 being 1.0: packed normals.
    #[inline(always)]
    fn shorts<R: Lanes>(&self, indices: &R, to: [Row; 4], rows: &mut [R]) {
        for (component, row) in to.iter().enumerate() {
            let Some(row) = row.index().and_then(|row| rows.get_mut(row)) else { continue };
            for (value, &index) in row.as_mut_slice().iter_mut().zip(indices.as_slice()) {
                let integer = i16::from_le_bytes(self.read(index, 2 * component)).max(-32767);
                *value = (f32::from(integer) / 32767.0).to_bits();
            }
        }
    }

    /// Four bytes, 255 being 1.0; component `i` is byte `order[i]`.
    #[inline(always)]
    fn bytes<R: Lanes>(&self, order: [usize; 4], indices: &R, to: [Row; 4], rows: &mut [R]) {
        for (row, byte) in to.iter().zip(order) {
            let Some(row) = row.index().and_then(|row| rows.get_mut(row)) else { continue };
            for (value, &index) in row.as_mut_slice().iter_mut().zip(indices.as_slice()) {
                let [byte] = self.read(index, byte);
                *value = (f32::from(byte) / 255.0).to_bits();
            }
        }
    }
}
