//! The means of a level's samples, for a resolve.

use formats::Format;
use os_shim::Vec;
use os_shim::memory::Memory;
use pipe_core::PipeError;

use crate::budget::Work;
use crate::features::Only;
use crate::lanes::{Level, means};

/// A level of one sample: the means of another level's samples.
pub(crate) struct Means<'m> {
    bytes: Vec<'m, u8>,
    size: [u32; 3],
    row_stride: usize,
}

impl<'m> Means<'m> {
    /// Averages the samples of a level in `format`.
    ///
    /// # Errors
    /// Out of memory; [`PipeError::Stopped`].
    pub(crate) fn of(
        level: &Level<'_>,
        format: Format,
        work: Work<'_>,
        memory: Memory<'m>,
    ) -> Result<Self, PipeError> {
        let size = [level.width, level.height, level.depth];
        let row_stride = level.width as usize * format.block_bytes();
        let rows = level.height as usize * level.depth as usize;
        let mut bytes = Vec::try_filled_in(0, row_stride * rows, memory)?;
        let samples = level.samples() as usize;
        // The rows of all layers follow each other. Each row has the rows of its samples in turn.
        let sources = level.bytes.chunks_exact((row_stride * samples).max(1));
        for (row, planes) in bytes.chunks_exact_mut(row_stride.max(1)).zip(sources) {
            work.spend(1)?;
            means(format, planes, row_stride, samples, row);
        }
        Ok(Means { bytes, size, row_stride })
    }

    /// Returns the level.
    pub(crate) fn level(&self) -> Level<'_> {
        let [width, height, depth] = self.size;
        Level {
            bytes: &self.bytes,
            width,
            height,
            depth,
            row_stride: self.row_stride,
            layer_stride: self.row_stride * height as usize,
            samples: Only::new(1),
        }
    }
}
