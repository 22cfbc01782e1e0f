//! `NEAREST`: one texel per lane.

use tgsi::exec::{Lanes, Mask};

use super::compare::complete;
use super::{Coordinates, Level, Sampler};

impl Sampler<'_> {
    /// Fetches the texel of `level` under each lane of `mask`, and compares it if the sampler
    /// compares.
    #[expect(clippy::indexing_slicing, reason = "axes are below the three of dims()")]
    pub(super) fn nearest<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
        mask: Mask,
        out: &mut [R; 4],
    ) {
        if self.plain_nearest(level, at, out) {
            return;
        }
        let mut index = [R::ZERO, R::ZERO, *at.layer];
        let sizes = [level.width, level.height, level.depth];
        for axis in 0..self.shape.dims() {
            self.nearest[axis]
                .axis(sizes[axis], self.normalized, i32::from(at.offset[axis]))
                .nearest(at.coord[axis].as_slice(), index[axis].as_mut_slice());
        }
        self.colors(level, [&index[0], &index[1], &index[2]], mask, out);
        self.compare(at, out);
        complete(at, out);
    }
}
