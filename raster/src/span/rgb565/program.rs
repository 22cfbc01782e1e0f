//! Colours from a fragment program's pixel function (`tgsi!(pixel; …)`), in floats.
//!
//! The function computes the same as lane code, from the same inputs as the general path, so the
//! pixels equal the general path's, bit for bit.

use tgsi::exec::Lanes;
use tgsi::exec::native::{PIXEL_INPUTS, Pixel};
use tgsi::program::{Program, Row};

use super::setup::{MAX, Setup};
use crate::lanes::quantise;
use crate::scene::Varying;
use crate::span::DrawInputs;
use crate::span::float_planes::FloatPlanes;

/// The most rows of a program.
const MAX_ROWS: usize = 64;

/// The most varyings of a draw.
const MAX_VARYINGS: usize = 8;

/// Returns the places of a draw's varyings among the inputs of a program's [`Pixel`]; `None` if the
/// program has no pixel function, or is too large.
fn places(program: &Program<'_>, varyings: &[Varying]) -> Option<[u8; MAX_VARYINGS]> {
    let fits = program.native.pixel.is_some()
        && usize::from(program.rows) <= MAX_ROWS
        && varyings.len() <= MAX_VARYINGS;
    let mut places = [0; MAX_VARYINGS];
    for (place, varying) in places.iter_mut().zip(varyings).filter(|_| fits) {
        let rows = program.inputs.iter().flat_map(|input| input.rows);
        let at = rows.take(PIXEL_INPUTS).position(|row| row == varying.row && row != Row::NONE)?;
        *place = at as u8;
    }
    fits.then_some(places)
}

/// Returns true if the program's pixel function takes a draw with these varyings.
pub(in crate::span) fn takes(program: &Program<'_>, varyings: &[Varying]) -> bool {
    places(program, varyings).is_some()
}

/// A program that is called for each pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct PixelProgram {
    run: Pixel,
    /// One lane of the program's rows, with the constants of the draw.
    rows: [u32; MAX_ROWS],
    /// The places of the draw's varyings among the function's inputs.
    places: [u8; MAX_VARYINGS],
}

impl PixelProgram {
    /// Takes the program and the constants of a draw; `None` if it has no pixel function.
    pub(super) fn new<R: Lanes>(inputs: &DrawInputs<'_, '_, R>) -> Option<PixelProgram> {
        let program = (*inputs.program.get()?)?;
        let (run, places) = (program.native.pixel?, places(program, inputs.varyings)?);
        let mut rows = [0; MAX_ROWS];
        for (word, lanes) in rows.iter_mut().zip(inputs.rows) {
            *word = lanes.as_slice().first().copied().unwrap_or(0);
        }
        Some(PixelProgram { run, rows, places })
    }
}

/// A program's inputs over a triangle.
pub(super) struct ProgramRows<'p> {
    program: &'p PixelProgram,
    planes: FloatPlanes<MAX_VARYINGS>,
    /// The number of varyings.
    count: usize,
}

impl<'p> ProgramRows<'p> {
    /// Derives the planes; `w` is 1/w of the corners.
    #[inline(never)]
    pub(super) fn new(
        program: &'p PixelProgram,
        setup: &Setup<'_, '_>,
        w: [f32; 3],
    ) -> ProgramRows<'p> {
        let (count, attributes) = (setup.varyings(), &setup.attributes);
        let planes = setup.float_planes(w, count, |index| {
            (attributes.varying(index), attributes.is_perspective(index))
        });
        ProgramRows { program, planes, count }
    }

    /// Writes the colours of pixels in a row; `from` is the first pixel's column and row, relative
    /// to the region's first pixel.
    #[inline(never)]
    pub(super) fn row(&self, pixels: &mut [u16], from: (i32, i32)) {
        let PixelProgram { run, rows, places } = self.program;
        let places = places.get(..self.count).unwrap_or(&[]);
        let mut inputs = [0; PIXEL_INPUTS];
        let (y, first) = self.planes.row(from);
        for (x, pixel) in (first..).zip(pixels) {
            for (place, value) in places.iter().zip(self.planes.values(x as f32, y)) {
                if let Some(input) = inputs.get_mut(usize::from(*place)) {
                    *input = value.to_bits();
                }
            }
            let [r, g, b, _] = run(rows, &inputs);
            let channel = |bits, max| quantise(f32::from_bits(bits), max);
            *pixel =
                (channel(r, MAX[0]) << 11 | channel(g, MAX[1]) << 5 | channel(b, MAX[2])) as u16;
        }
    }
}
