//! The data that a fragment program can access beyond its registers: textures, memory, the colour
//! of the pixel being shaded, and inputs at other places in the pixel.

use tgsi::exec::{
    InputPlace, InterpolateRequest, MemoryRequest, MemorySpace, RENDER_TARGET, Resources,
    SampleKind, SampleRequest,
};
use tgsi::program::Program;

use super::inputs::{Lanes, QuadPixels};
use super::{Painter, Primitive};
use crate::setup::PIXEL;

/// The resources of a program that shades a quad.
pub(super) struct FragmentReach<'r, 'p, 'a, 'm, C> {
    pub(super) painter: &'r Painter<'p, 'a, 'm, C>,
    pub(super) program: &'r Program<'r>,
    pub(super) primitive: &'r Primitive,
    pub(super) quad: &'r QuadPixels,
}

impl<C> FragmentReach<'_, '_, '_, '_, C> {
    /// Returns the place (Q24.8) at which a lane requests an input.
    fn place(&self, request: &InterpolateRequest<'_, Lanes<u32>>, lane: usize) -> [i32; 2] {
        let [x, y] = self.quad.pixels[lane];
        let center = self.painter.rule.center(x, y);
        let samples = &self.painter.state.samples;
        match request.place {
            InputPlace::Sample => samples.beside(center, request.at[0][lane]),
            InputPlace::Centroid => {
                let covered = self.painter.state.inside(self.quad)[lane];
                let whole = covered == 0 || covered == samples.mask;
                if whole { center } else { samples.beside(center, covered.trailing_zeros()) }
            }
            // Offsets have at least four fraction bits (OpenGL 4.6, table 23.59): here eight.
            InputPlace::Offset => [0, 1].map(|axis: usize| {
                let pixels = f64::from(f32::from_bits(request.at[axis][lane]));
                center[axis] + (pixels * f64::from(PIXEL)).round_ties_even() as i32
            }),
        }
    }

    /// Returns the colour of the pixel, or of the shaded sample, in colour buffer `number`.
    fn color(&self, number: usize, lane: usize) -> [u32; 4] {
        let target = self.painter.state.color.get(number).and_then(Option::as_ref);
        let Some(target) = target else { return [0; 4] };
        let target = target.of_layer(self.painter.layer).plane(self.quad.sample.unwrap_or(0));
        let [x, y] = self.quad.pixels[lane];
        if x < 0 || y < 0 || x as u32 >= target.width || y as u32 >= target.height {
            return [0; 4];
        }
        let texel = target.load(x as u32, y as u32);
        if target.format.is_pure_integer() {
            return target.format.fetch_rgba_bits(&texel);
        }
        target.format.fetch_rgba_f32(&texel).map(f32::to_bits)
    }
}

impl<C> Resources<Lanes<u32>> for FragmentReach<'_, '_, '_, '_, C> {
    fn sample(&mut self, request: &SampleRequest<'_, Lanes<u32>>, out: &mut [Lanes<u32>; 4]) {
        if request.view != u32::from(RENDER_TARGET) {
            let textures = &self.painter.shaded.reach.textures;
            return textures.answer(self.primitive.number, request, out);
        }
        let samples = &self.painter.state.samples;
        for lane in 0..4 {
            let number = request.lod.map_or(0, |row| row[lane]);
            match request.kind {
                SampleKind::SampleCount => out[0][lane] = samples.count,
                SampleKind::SamplePosition => {
                    let place = samples.beside([PIXEL / 2; 2], number);
                    for (row, at) in out.iter_mut().zip(place) {
                        row[lane] = (at as f32 / PIXEL as f32).to_bits();
                    }
                }
                _ => {}
            }
        }
    }

    fn memory(&mut self, request: &MemoryRequest<'_, Lanes<u32>>, out: &mut [Lanes<u32>; 4]) {
        if request.space != MemorySpace::ColorBuffer {
            return self.painter.shaded.reach.memory.answer(request, out);
        }
        for lane in request.lanes() {
            let color = self.color(request.unit as usize, lane);
            for (row, component) in out.iter_mut().zip(color) {
                row[lane] = component;
            }
        }
    }

    fn interpolate(
        &mut self,
        request: &InterpolateRequest<'_, Lanes<u32>>,
        out: &mut [Lanes<u32>; 4],
    ) {
        let mut inputs = self.program.inputs.iter();
        let Some(input) = inputs.find(|input| input.register == request.register) else { return };
        if self.painter.is_special(input) {
            return;
        }
        for lane in 0..4 {
            let place = self.place(request, lane);
            let value = self.painter.varying(input, self.primitive, place);
            for (row, component) in out.iter_mut().zip(value) {
                row[lane] = component;
            }
        }
    }
}
