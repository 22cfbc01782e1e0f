//! Vertex fetch: attributes from bytes to lanes.

use crate::attribute::{Instance, ONE, Source, ZEROS};
use crate::features::ALL_FORMATS;
use crate::state::DrawState;
use core::cell::Cell;
use formats::{Description, Format};
use os_shim::math;
use tgsi::exec::Lanes;
use tgsi::program::Row;

/// Fills the rows of the vertex shader's inputs for the vertices in `indices`, one vertex per lane.
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
    // `Row::NONE` is beyond all rows, so it needs no separate check.
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
        if let Some(index) = instance.index(element.instance_divisor) {
            if ALL_FORMATS {
                constant(source.texel(&element.src_format.desc(), index), to);
            } else {
                // Lanes that all read one vertex need no separate code.
                source.gather(element.src_format, R::splat(index).as_slice(), to);
            }
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

impl Source<'_> {
    /// Reads one attribute per lane. The common formats have specialised loops.
    #[inline(always)]
    fn gather<R: Lanes>(&self, format: Format, indices: &[u32], to: [&Cell<R>; 4]) {
        let word = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
        let unorm = |byte: u8| math::unorm8(byte.into()).to_bits();
        let snorm = |low: u8, high: u8| math::snorm16(i16::from_le_bytes([low, high])).to_bits();
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
            // Not `unwrap_or`: a branch that is never taken is shorter than a selection.
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
