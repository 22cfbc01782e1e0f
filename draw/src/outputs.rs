//! Shaded outputs in memory: `stride` registers of four floats per vertex, vertex by vertex.

use core::slice::ChunksMut;
use tgsi::exec::Lanes;

/// One output register of a batch of vertices: the first of every `stride` registers.
pub(crate) struct OutputColumn<'a> {
    /// The registers from the first vertex's register on.
    pub(crate) outputs: &'a mut [[f32; 4]],
    /// Registers from one vertex to the next.
    pub(crate) stride: usize,
}

impl<'a> OutputColumn<'a> {
    /// Borrows the column for a shorter time.
    #[inline(always)]
    pub(crate) fn reborrow(&mut self) -> OutputColumn<'_> {
        OutputColumn { outputs: self.outputs, stride: self.stride }
    }

    /// Iterates over the vertices, as slices that begin with the vertex's register: stepping over
    /// slices is faster than stepping over registers.
    #[inline(always)]
    pub(crate) fn each(self) -> ChunksMut<'a, [f32; 4]> {
        self.outputs.chunks_mut(self.stride.max(1))
    }

    /// Writes the lanes of `rows` (x, y, z and w) to the vertices, as far as both exist.
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    #[cfg_attr(not(target_pointer_width = "32"), inline(always))]
    pub(crate) fn fill<R: Lanes>(self, rows: [&R; 4]) {
        // Not `map`: that compiles to a loop through memory.
        let [x, y, z, w] = rows;
        let (x, y, z, w) = (x.as_slice(), y.as_slice(), z.as_slice(), w.as_slice());
        for (vertex, (((&x, &y), &z), &w)) in self.each().zip(x.iter().zip(y).zip(z).zip(w)) {
            if let [output, ..] = vertex {
                *output = [x, y, z, w].map(f32::from_bits);
            }
        }
    }
}
