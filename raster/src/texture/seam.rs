//! Seamless cube maps: texels beyond a face's edge come from its neighbours.

use tgsi::exec::{Lanes, Mask};

use super::cube::across;
use super::{Coordinates, Level, Sampler};
use crate::lanes::{each_lane, float, lane_of, lanes_where, set_lane};

impl Sampler<'_> {
    /// Fetches the colours at (x, y, z) for a filter, and compares them if the sampler compares. In
    /// seamless cube maps, x and y may be one texel outside the face z.
    ///
    /// * `fetch`: fetches the colours at rows of texel indices within faces.
    pub(super) fn corner_colors<R: Lanes>(
        &self,
        level: &Level<'_>,
        index: [&R; 3],
        at: &Coordinates<'_, R>,
        mask: Mask,
        mut fetch: impl FnMut([&R; 3], &mut [R; 4]),
        out: &mut [R; 4],
    ) {
        let size = level.width.clamp(1, 1 << 20);
        let [x, y, z] = index.map(|row| row.as_slice());
        // As an unsigned number the index -1 is the largest.
        let outside = |row: &[u32]| row.iter().fold(false, |any, &i| any | (i >= size));
        if !self.seamless() || !outside(x) && !outside(y) {
            fetch(index, out);
            self.compare(at, out);
            return;
        }
        let beyond = [x, y].map(|row| lanes_where(R::COUNT, |lane| lane_of(row, lane) >= size));
        let mut sources = [index.map(|row| *row); 3];
        each_lane((beyond[0] | beyond[1]) & mask, R::COUNT, |lane| {
            let [x, y, z] = [x, y, z].map(|row| lane_of(row, lane));
            let texels = self.sources(size as i32, [x as i32, y as i32], z);
            for (rows, texel) in sources.iter_mut().zip(texels) {
                for (row, index) in rows.iter_mut().zip(texel) {
                    set_lane(row.as_mut_slice(), lane, index);
                }
            }
        });
        let mut colors = [[R::ZERO; 4]; 3];
        // Only corners mix three texels.
        let corners = beyond[0] & beyond[1] & mask;
        let count = if corners == 0 { 1 } else { 3 };
        for (rows, color) in sources.iter().zip(&mut colors).take(count) {
            fetch(rows.each_ref(), color);
            self.compare(at, color);
        }
        let [a, b, c] = &colors;
        *out = *a;
        for (component, out) in out.iter_mut().enumerate().take(at.components()) {
            #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
            let [a, b, c] = [a, b, c].map(|color| color[component].as_slice());
            each_lane(corners, R::COUNT, |lane| {
                let sum = float(a, lane) + float(b, lane) + float(c, lane);
                set_lane(out.as_mut_slice(), lane, (sum * (1.0 / 3.0)).to_bits());
            });
        }
    }

    /// Returns the texels (x, y, layer) that replace the texel at (`x`, `y`) outside its face of
    /// `size` texels: their mean is the colour. Across an edge that is three times the neighbour's
    /// texel. Beyond a corner there is no texel, so the three texels that meet there are used.
    fn sources(&self, size: i32, [x, y]: [i32; 2], layer: u32) -> [[u32; 3]; 3] {
        let face = layer.saturating_sub(self.view.first_layer) % 6;
        let cube = layer.saturating_sub(face);
        let texel = |(face, x, y): (u32, i32, i32)| [x as u32, y as u32, cube + face];
        let (inside_x, inside_y) = (x.clamp(0, size - 1), y.clamp(0, size - 1));
        if x != inside_x && y != inside_y {
            [
                texel((face, inside_x, inside_y)),
                texel(across(face, x, inside_y, size)),
                texel(across(face, inside_x, y, size)),
            ]
        } else {
            [texel(across(face, x, y, size)); 3]
        }
    }
}
