//! Requests of a running program on pixels with several samples: the number and the places of
//! samples, and inputs evaluated elsewhere in the pixel.

use tgsi::exec::{InputPlace, InterpolateRequest, Lanes, SampleKind, SampleRequest};
use tgsi::program::{Input, Row};

use super::interpolate::Coordinates;
use super::sample_inputs::pixels;
use super::samples::SampleLanes;
use crate::lanes::Target;
use crate::scene::Varying;
use crate::setup::{self, SampleRule};

/// The answers to a program that asks about samples, or for inputs elsewhere in the pixel.
#[derive(Clone, Copy)]
pub(super) struct InputsAt<'a, R: Lanes> {
    pub(super) samples: &'a SampleRule,
    pub(super) lanes: &'a SampleLanes<R>,
    /// The program's inputs and the draw's varyings. Then, of the one primitive in the batch, the
    /// planes of the varyings and of 1/w.
    pub(super) inputs: &'a [Input],
    pub(super) varyings: &'a [Varying],
    pub(super) planes: &'a [setup::Plane],
    pub(super) perspective: &'a setup::Plane,
    /// The pixels' centres, or the places of the sample that is shaded.
    pub(super) coordinates: &'a Coordinates<R>,
}

impl<R: Lanes> InputsAt<'_, R> {
    /// Returns the plane of a target from which the program reads its own pixel.
    pub(super) fn plane<'t>(&self, target: &'t mut Target<'_>) -> Target<'t> {
        target.plane(self.lanes.current().unwrap_or(0), self.samples.count)
    }

    /// Answers a question about the samples of the render target: their number, or the place of one
    /// sample.
    pub(super) fn describe_target(&self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let [x, y, ..] = out;
        match (request.kind, request.lod) {
            (SampleKind::SampleCount, _) => *x = R::splat(self.samples.count),
            (SampleKind::SamplePosition, Some(index)) => {
                let lanes = x.as_mut_slice().iter_mut().zip(y.as_mut_slice());
                for ((x, y), index) in lanes.zip(index.as_slice()) {
                    let place = self.samples.places.place(*index as usize);
                    let [px, py] = place.map(|place| 0.5 + f32::from(place) / 16.0);
                    (*x, *y) = (px.to_bits(), py.to_bits());
                }
            }
            _ => {}
        }
    }

    /// Evaluates an input elsewhere in the pixel; flat inputs keep their values.
    pub(super) fn interpolate(&self, request: &InterpolateRequest<'_, R>, out: &mut [R; 4]) {
        let input = self.inputs.iter().find(|input| input.register == request.register);
        let Some(input) = input else { return };
        let mut places = *self.coordinates;
        if let Some(sample) = self.lanes.current() {
            // Back to the centre: the program counts offsets from there.
            let [x, y] = self.samples.offset(sample).map(pixels);
            places.displace([-x, -y], 0, R::COUNT);
        }
        let [at_x, at_y] = request.at.map(|row| row.as_slice());
        for (lane, (&at_x, &at_y)) in at_x.iter().zip(at_y).enumerate() {
            let offset = match request.place {
                InputPlace::Offset => [at_x, at_y].map(f32::from_bits),
                InputPlace::Sample => self.samples.offset(at_x as usize).map(pixels),
                InputPlace::Centroid => {
                    self.lanes.shaded_centroid(lane, *self.samples).unwrap_or_default()
                }
            };
            places.displace(offset, lane, lane + 1);
        }
        places.perspective(self.perspective, 0..R::COUNT);
        for (varying, plane) in self.varyings.iter().zip(self.planes) {
            let component = input.rows.iter().position(|row| *row == varying.row);
            if let Some(out) = component.and_then(|component| out.get_mut(component))
                && varying.row != Row::NONE
            {
                places.evaluate::<false>(varying, plane, out, 0..R::COUNT);
            }
        }
    }
}
