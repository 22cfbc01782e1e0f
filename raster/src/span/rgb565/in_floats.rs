//! Colours and texels in floats, for triangles that integer planes cannot hold: steep ones, and
//! ones with a large change of w. The pixels equal the general path's. A pixel takes about four
//! times as long as in integer planes.

use super::setup::{MAX, Setup};
use super::shade::masked;
use super::{Component, Texels};
use crate::features::GOURAUD_ALONE;
use crate::lanes::{floor, quantise};
use crate::span::float_planes::FloatPlanes;

/// The planes of a triangle's red, green and blue, or of its texture coordinates.
pub(super) struct FloatRows<'t> {
    planes: FloatPlanes<3>,
    texels: Option<&'t Texels<'t>>,
}

impl<'t> FloatRows<'t> {
    /// Derives the planes of the coordinates of `texels`, or of the colour. `w` is 1/w of the
    /// corners.
    #[cold]
    #[inline(never)]
    pub(super) fn new(
        setup: &Setup<'_, '_>,
        texels: Option<&'t Texels<'t>>,
        w: [f32; 3],
    ) -> FloatRows<'t> {
        // Without textures the linker leaves their code out.
        let texels = texels.filter(|_| !GOURAUD_ALONE);
        let planes = setup.float_planes(w, 3, |index| match texels {
            None => (setup.channel(index), setup.is_in_perspective(index)),
            Some(texels) => {
                let varying = if index == 0 { texels.s } else { texels.t };
                let values = setup.component(Component::Varying(varying));
                (values, setup.attributes.is_perspective(varying))
            }
        });
        FloatRows { planes, texels }
    }

    /// Writes the pixels of a row; `from` is the first pixel's column and row, relative to the
    /// region's first pixel.
    #[cold]
    #[inline(never)]
    pub(super) fn row(&self, pixels: &mut [u16], from: (i32, i32)) {
        let (y, first) = self.planes.row(from);
        for (x, pixel) in (first..).zip(pixels) {
            let values = self.planes.values(x as f32, y);
            *pixel = match self.texels {
                Some(texels) if !GOURAUD_ALONE => texels.nearest(values),
                _ => color(values),
            };
        }
    }
}

/// Packs a colour.
#[inline(always)]
fn color(values: impl Iterator<Item = f32>) -> u16 {
    let mut word = 0;
    for ((value, max), bits) in values.zip(MAX).zip([5, 6, 5]) {
        word = word << bits | quantise(value, max);
    }
    word as u16
}

impl Texels<'_> {
    /// Returns the texel at coordinates in textures.
    #[inline(always)]
    fn nearest(&self, coordinates: impl Iterator<Item = f32>) -> u16 {
        let mut index = 0;
        let axes = [(0, self.log2_width), (self.log2_width, self.log2_height)];
        for ((shift, log2_size), coordinate) in axes.into_iter().zip(coordinates) {
            let size = 1u32 << log2_size;
            let fraction = coordinate - floor(coordinate).0;
            // The fraction of a tiny negative coordinate rounds to 1, which means the last texel.
            let texel = (floor(fraction * size as f32).1 as u32).min(size - 1);
            index |= texel << shift;
        }
        masked(self.texels, index as usize)
    }
}
