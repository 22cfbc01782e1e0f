//! Samples of multisampled textures: fetches single samples, returns their number and places.

use tgsi::exec::{Lanes, SampleRequest};

use super::Level;
use super::Sampler;
use super::lod::{Choice, in_groups};
use crate::lanes::map;
use crate::setup::sample_place;

impl Sampler<'_> {
    /// Returns the number of samples of a texel.
    pub(super) fn samples(&self) -> u32 {
        self.view.levels.first().map_or(1, Level::samples)
    }

    /// Writes the place in its pixel, 0 to 1, of sample `request.lod`, or the centre for a sample
    /// that does not exist.
    pub(super) fn sample_position<R: Lanes>(
        &self,
        request: &SampleRequest<'_, R>,
        out: &mut [R; 4],
    ) {
        let [x, y, ..] = out;
        let lanes = x.as_mut_slice().iter_mut().zip(y.as_mut_slice());
        for (lane, (x, y)) in lanes.enumerate() {
            let sample = request.lod.and_then(|lod| lod.as_slice().get(lane)).copied().unwrap_or(0);
            let place = sample_place(self.samples(), sample as usize);
            let [px, py] = place.map(|place| 0.5 + f32::from(place) / 16.0);
            (*x, *y) = (px.to_bits(), py.to_bits());
        }
    }

    /// Fetches sample `request.lod` of the texels at integer coordinates. Coordinates, layer and
    /// sample are clamped to the view.
    pub(super) fn fetch_samples<R: Lanes>(
        &self,
        level: &Level<'_>,
        request: &SampleRequest<'_, R>,
        out: &mut [R; 4],
    ) {
        let last = level.samples() as i32 - 1;
        let mut keys = R::splat(Choice::of_level(0).key());
        if let Some(samples) = request.lod {
            map(samples.as_slice(), keys.as_mut_slice(), |sample| {
                Choice::of_level((sample as i32).clamp(0, last) as u32).key()
            });
        }
        in_groups(&keys, request.live, out, |choice, group, color| {
            let start = level.row_stride / level.samples() as usize * choice.level as usize;
            let plane = Level { bytes: level.bytes.get(start..).unwrap_or(&[]), ..*level };
            let index = self.texel_indices(&plane, request);
            self.colors(&plane, index.each_ref(), group, color);
        });
        self.swizzled(out);
    }
}
