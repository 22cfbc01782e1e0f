//! Seamless cube maps: texels beyond a face's edge come from its neighbours.
//!
//! Only linear filters near edges get here, a lane at a time.

use tgsi::exec::{Lanes, Mask};

use super::cube::across;
use super::{Coordinates, Level, Sampler};
use crate::lanes::{each_lane, float};

impl Sampler<'_> {
    /// Fetches the colours at (x, y) of cube faces z, where x and y may be one texel outside the
    /// face; compared where the sampler compares.
    pub(super) fn seam_colors<R: Lanes>(
        &self,
        level: &Level<'_>,
        [x, y, z]: [&R; 3],
        at: &Coordinates<'_, R>,
        mask: Mask,
        out: &mut [R; 4],
    ) {
        each_lane(mask, R::COUNT, |lane| {
            let place = [x.as_slice()[lane] as i32, y.as_slice()[lane] as i32];
            let reference = at.reference.map(|row| float(row.as_slice(), lane));
            let color = self.seam_texel(level, place, z.as_slice()[lane], reference);
            for (row, component) in out.iter_mut().zip(color) {
                row.as_mut_slice()[lane] = component.to_bits();
            }
        });
    }

    fn seam_texel(
        &self,
        level: &Level<'_>,
        [x, y]: [i32; 2],
        layer: u32,
        reference: Option<f32>,
    ) -> [f32; 4] {
        let size = level.width.clamp(1, 1 << 20) as i32;
        let face = layer.saturating_sub(self.view.first_layer) % 6;
        let cube = layer.saturating_sub(face);
        let value = |(face, x, y): (u32, i32, i32)| {
            let texel = self.texel(level, x as u32, y as u32, cube + face).map(f32::from_bits);
            match reference {
                Some(reference) => self.compared(reference, texel[0]),
                None => texel,
            }
        };
        let (inside_x, inside_y) = (x.clamp(0, size - 1), y.clamp(0, size - 1));
        match (x == inside_x, y == inside_y) {
            (true, true) => value((face, x, y)),
            (true, false) | (false, true) => value(across(face, x, y, size)),
            // No texel lies beyond a corner: the mean of the three that meet there.
            (false, false) => {
                let a = value((face, inside_x, inside_y));
                let b = value(across(face, x, inside_y, size));
                let c = value(across(face, inside_x, y, size));
                core::array::from_fn(|i| (a[i] + b[i] + c[i]) * (1.0 / 3.0))
            }
        }
    }
}
