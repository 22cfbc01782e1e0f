//! Interpolation: fragment inputs from planes, straight into the program's rows.

use core::array::from_fn;
use core::ops::Range;

use tgsi::exec::{Lanes, Mask};
use tgsi::shader::Properties;

use super::batch::Batch;
use crate::features::SMALL_CODE;
use crate::fixed::depth_to_f32;
use crate::lanes::{QuadPosition, STAMP, STAMP_X, STAMP_Y};
use crate::scene::{Special, SpecialKind, Varying, VaryingMode};
use crate::setup::Plane;

/// The place of a batch's tile, and the reference pixel of its primitive's planes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// The tile's first pixel.
    pub(crate) tile_x: i32,
    pub(crate) tile_y: i32,
    /// The planes' reference pixel.
    pub(crate) x: i32,
    pub(crate) y: i32,
}

/// The planes of a primitive's values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planes<'a> {
    pub(crate) origin: &'a Origin,
    /// 1/w, if any input needs it.
    pub(crate) rcp_w: Option<&'a Plane>,
    pub(crate) varyings: &'a [Varying],
    /// A plane for each varying.
    pub(crate) planes: &'a [Plane],
}

/// A program's convention for pixel coordinates: `FS_COORD_ORIGIN` and `FS_COORD_PIXEL_CENTER`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PixelCoordinates {
    /// The offset of a pixel's centre from whole pixels: 0.5, or 0.
    center: f32,
    /// The surface's last row, if rows are counted from below.
    last_row: Option<i32>,
}

impl PixelCoordinates {
    /// Derives the convention of a program that draws to a surface of `height` rows.
    pub(crate) fn of(properties: &Properties, height: u32) -> PixelCoordinates {
        PixelCoordinates {
            center: if properties.pixel_center_integer() { 0.0 } else { 0.5 },
            last_row: properties.origin_lower_left().then_some(height as i32 - 1),
        }
    }

    #[inline(always)]
    fn row(self, row: i32) -> i32 {
        self.last_row.map_or(row, |last| last - row)
    }
}

/// Pixel coordinates of some lanes, from the planes' reference pixel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coordinates<R: Lanes> {
    x: R,
    y: R,
    /// The reciprocal of the interpolated 1/w, if any input needs it.
    w: R,
}

impl<R: Lanes> Coordinates<R> {
    pub(crate) const EMPTY: Self = Coordinates { x: R::ZERO, y: R::ZERO, w: R::ZERO };

    /// Sets the lanes of the quads `places`, which belong to stamps.
    #[inline(always)]
    pub(crate) fn place_stamps(&mut self, batch: &Batch<R>, places: Range<usize>, origin: &Origin) {
        let lanes = places.start * 4..places.end * 4;
        let (Some(xs), Some(ys), Some(quads)) = (
            self.x.as_mut_slice().get_mut(lanes.clone()),
            self.y.as_mut_slice().get_mut(lanes),
            batch.quads.get(places),
        ) else {
            return;
        };
        let stamps = xs.as_chunks_mut::<STAMP>().0.iter_mut().zip(ys.as_chunks_mut::<STAMP>().0);
        for ((x, y), [first, ..]) in stamps.zip(quads.as_chunks::<4>().0) {
            // Sums of small integers are exact.
            let left = (origin.tile_x + first.x as i32 - origin.x) as f32;
            let top = (origin.tile_y + first.y as i32 - origin.y) as f32;
            for (((x, y), right), down) in x.iter_mut().zip(y).zip(STAMP_X).zip(STAMP_Y) {
                *x = (left + right as f32).to_bits();
                *y = (top + down as f32).to_bits();
            }
        }
    }

    /// Sets the lanes of the quads `places`.
    #[inline(always)]
    pub(crate) fn place(&mut self, batch: &Batch<R>, places: Range<usize>, origin: &Origin) {
        let xs = self.x.as_mut_slice().chunks_exact_mut(4).skip(places.start);
        let ys = self.y.as_mut_slice().chunks_exact_mut(4).skip(places.start);
        let quads = batch.quads.get(places).unwrap_or(&[]);
        for ((quad, x), y) in quads.iter().zip(xs).zip(ys) {
            let left = (origin.tile_x + quad.x as i32 - origin.x) as f32;
            let top = (origin.tile_y + quad.y as i32 - origin.y) as f32;
            let (right, bottom) = (left + 1.0, top + 1.0);
            x.copy_from_slice(&[left, right, left, right].map(f32::to_bits));
            y.copy_from_slice(&[top, top, bottom, bottom].map(f32::to_bits));
        }
    }

    /// Sets the coordinates and the varyings of the packed quads `quads`, four at a time. Coordinates stay in registers
    /// from one varying to the next: vectors that were stored quad by quad take long to load. Returns the last quads,
    /// if fewer than four have a place.
    #[inline(always)]
    pub(crate) fn fours(
        &mut self,
        batch: &Batch<R>,
        mut quads: Range<usize>,
        planes: &Planes<'_>,
        rows: &mut [R],
    ) -> Range<usize> {
        let constant = planes.rcp_w.filter(|plane| plane.dadx == 0.0 && plane.dady == 0.0);
        let constant = constant.map(|plane| 1.0 / plane.a);
        while !quads.is_empty()
            && let Some(places) = batch.quads.get(quads.start..).and_then(|it| it.first_chunk())
        {
            let count = quads.len().min(4);
            let lanes = quads.start * 4..(quads.start + count) * 4;
            let [x, y] = coordinates(places, planes.origin);
            put(&mut self.x, lanes.clone(), x);
            put(&mut self.y, lanes.clone(), y);
            let mut w = [0.0; STAMP];
            if let Some(plane) = planes.rcp_w {
                w = match constant {
                    Some(w) => [w; STAMP],
                    None => along16(plane, &x, &y).map(|rcp_w| 1.0 / rcp_w),
                };
                put(&mut self.w, lanes.clone(), w);
            }
            for (varying, plane) in planes.varyings.iter().zip(planes.planes) {
                let Some(row) = varying.row.index().and_then(|row| rows.get_mut(row)) else {
                    continue;
                };
                let values = match varying.mode {
                    VaryingMode::Flat if !varying.sprite => [plane.a; STAMP],
                    VaryingMode::Flat | VaryingMode::Linear => along16(plane, &x, &y),
                    VaryingMode::Perspective => product(&along16(plane, &x, &y), &w),
                };
                put(row, lanes.clone(), values);
            }
            quads.start += count;
        }
        quads
    }

    /// Moves lanes `from..to` by an offset in pixels.
    pub(crate) fn displace(&mut self, [dx, dy]: [f32; 2], from: usize, to: usize) {
        for (row, offset) in [(&mut self.x, dx), (&mut self.y, dy)] {
            for value in row.as_mut_slice().get_mut(from..to).unwrap_or(&mut []) {
                *value = (f32::from_bits(*value) + offset).to_bits();
            }
        }
    }

    /// Sets w in some lanes from the plane of 1/w.
    #[inline(always)]
    pub(crate) fn perspective(&mut self, plane: &Plane, lanes: Range<usize>) {
        let Coordinates { x, y, w } = self;
        let (Some(x), Some(y), Some(w)) = (
            x.as_slice().get(lanes.clone()),
            y.as_slice().get(lanes.clone()),
            w.as_mut_slice().get_mut(lanes),
        ) else {
            return;
        };
        if SMALL_CODE {
            return reciprocals(plane, x, y, w);
        }
        if plane.dadx == 0.0 && plane.dady == 0.0 {
            // 1/w is constant, as in most flat pictures: one division serves all lanes.
            return w.fill((1.0 / plane.a).to_bits());
        }
        let (x, y, w) =
            (x.as_chunks::<STAMP>(), y.as_chunks::<STAMP>(), w.as_chunks_mut::<STAMP>());
        for ((x, y), w) in x.0.iter().zip(y.0).zip(w.0) {
            reciprocals(plane, x, y, w);
        }
        let (x, y, w) =
            (x.1.as_chunks::<4>().0, y.1.as_chunks::<4>().0, w.1.as_chunks_mut::<4>().0);
        for ((x, y), w) in x.iter().zip(y).zip(w) {
            reciprocals(plane, x, y, w);
        }
    }

    /// Sets some lanes of a varying's row. `PACKED`: the lanes are packed quads, usually few.
    #[inline(always)]
    pub(crate) fn varying<const PACKED: bool>(
        &self,
        varying: &Varying,
        plane: &Plane,
        rows: &mut [R],
        lanes: Range<usize>,
    ) {
        let Some(row) = varying.row.index().and_then(|row| rows.get_mut(row)) else { return };
        self.evaluate::<PACKED>(varying, plane, row, lanes);
    }

    /// Sets some lanes of a varying's values. `PACKED`: the lanes are packed quads, usually few.
    #[inline(always)]
    pub(crate) fn evaluate<const PACKED: bool>(
        &self,
        varying: &Varying,
        plane: &Plane,
        row: &mut R,
        lanes: Range<usize>,
    ) {
        let (Some(x), Some(y), Some(w), Some(row)) = (
            self.x.as_slice().get(lanes.clone()),
            self.y.as_slice().get(lanes.clone()),
            self.w.as_slice().get(lanes.clone()),
            row.as_mut_slice().get_mut(lanes),
        ) else {
            return;
        };
        if SMALL_CODE || !PACKED {
            return values(varying, plane, [x, y, w], row);
        }
        // Four quads at a time, then quad by quad: no loop has a remainder of single lanes.
        let (x, y) = (x.as_chunks::<STAMP>(), y.as_chunks::<STAMP>());
        let (w, row) = (w.as_chunks::<STAMP>(), row.as_chunks_mut::<STAMP>());
        for (((x, y), w), row) in x.0.iter().zip(y.0).zip(w.0).zip(row.0) {
            values(varying, plane, [x, y, w], row);
        }
        let (x, y) = (x.1.as_chunks::<4>().0, y.1.as_chunks::<4>().0);
        let (w, row) = (w.1.as_chunks::<4>().0, row.1.as_chunks_mut::<4>().0);
        for (((x, y), w), row) in x.iter().zip(y).zip(w).zip(row) {
            values(varying, plane, [x, y, w], row);
        }
    }
}

/// Returns the coordinates of four quads' pixels.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "a lane divided by 4 is below 4")]
fn coordinates(quads: &[QuadPosition; 4], origin: &Origin) -> [[f32; STAMP]; 2] {
    let left = quads.map(|quad| origin.tile_x + quad.x as i32 - origin.x);
    let top = quads.map(|quad| origin.tile_y + quad.y as i32 - origin.y);
    // Sums of small integers are exact.
    [
        from_fn(|lane| (left[lane / 4] + (lane & 1) as i32) as f32),
        from_fn(|lane| (top[lane / 4] + (lane >> 1 & 1) as i32) as f32),
    ]
}

/// Returns a plane's values at 16 places.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "all arrays have 16 lanes")]
fn along16(plane: &Plane, x: &[f32; STAMP], y: &[f32; STAMP]) -> [f32; STAMP] {
    from_fn(|lane| at(plane, x[lane].to_bits(), y[lane].to_bits()))
}

/// Returns the products of 16 lanes.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "all arrays have 16 lanes")]
fn product(a: &[f32; STAMP], b: &[f32; STAMP]) -> [f32; STAMP] {
    from_fn(|lane| a[lane] * b[lane])
}

/// Sets up to 16 lanes of a row to the first of `values`.
#[inline(always)]
fn put<R: Lanes>(row: &mut R, lanes: Range<usize>, values: [f32; STAMP]) {
    let Some(lanes) = row.as_mut_slice().get_mut(lanes) else { return };
    let values = values.map(f32::to_bits);
    if let Some(all) = lanes.first_chunk_mut() {
        *all = values;
        return;
    }
    for (quad, values) in lanes.as_chunks_mut::<4>().0.iter_mut().zip(values.as_chunks::<4>().0) {
        *quad = *values;
    }
}

/// Computes the reciprocals `w` of a plane's values at places (x, y).
#[inline(always)]
fn reciprocals(plane: &Plane, x: &[u32], y: &[u32], w: &mut [u32]) {
    for ((x, y), w) in x.iter().zip(y).zip(w) {
        *w = (1.0 / at(plane, *x, *y)).to_bits();
    }
}

/// Sets a varying's values at places (x, y) of its plane, with the reciprocals w of 1/w there.
#[inline(always)]
fn values(varying: &Varying, plane: &Plane, [x, y, w]: [&[u32]; 3], row: &mut [u32]) {
    match varying.mode {
        // A sprite's coordinate changes over its point, even if the varying is flat.
        VaryingMode::Flat if !varying.sprite => row.fill(plane.a.to_bits()),
        VaryingMode::Flat | VaryingMode::Linear => {
            for ((x, y), value) in x.iter().zip(y).zip(row) {
                *value = at(plane, *x, *y).to_bits();
            }
        }
        VaryingMode::Perspective => {
            for (((x, y), w), value) in x.iter().zip(y).zip(w).zip(row) {
                *value = (at(plane, *x, *y) * f32::from_bits(*w)).to_bits();
            }
        }
    }
}

#[inline(always)]
fn at(plane: &Plane, x: u32, y: u32) -> f32 {
    plane.a + plane.dadx * f32::from_bits(x) + plane.dady * f32::from_bits(y)
}

/// Sets the lanes from `from` on: 1.0 for pixels of the front, -1.0 for those of the back, and 0 in
/// components other than the first.
#[inline(always)]
fn faces(front: Mask, from: usize, component: usize, lanes: &mut [u32]) {
    for (lane, value) in lanes.iter_mut().enumerate() {
        let face = if front >> (from + lane) & 1 != 0 { 1.0f32 } else { -1.0 };
        *value = if component == 0 { face.to_bits() } else { 0 };
    }
}

/// Sets lanes `from..to` to a plane's values.
#[inline(always)]
fn along<R: Lanes>(
    plane: &Plane,
    coordinates: &Coordinates<R>,
    (from, to): (usize, usize),
    lanes: &mut [u32],
) {
    let x = coordinates.x.as_slice().get(from..to).unwrap_or(&[]);
    let y = coordinates.y.as_slice().get(from..to).unwrap_or(&[]);
    for ((value, x), y) in lanes.iter_mut().zip(x).zip(y) {
        *value = at(plane, *x, *y).to_bits();
    }
}

/// Sets the rows of an input that is not a varying, in lanes `from..to`. Positions have the depth of
/// the plane `unclamped`, if there is one, and otherwise the batch's.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one call, all of it plain data")]
pub(crate) fn special<R: Lanes>(
    input: &Special,
    batch: &Batch<R>,
    origin: &Origin,
    pixels: PixelCoordinates,
    coordinates: &Coordinates<R>,
    rcp_w: &Plane,
    unclamped: Option<&Plane>,
    rows: &mut [R],
    (from, to): (usize, usize),
) {
    for (component, row) in input.rows.iter().enumerate() {
        let Some(row) = row.index().and_then(|row| rows.get_mut(row)) else { continue };
        let Some(lanes) = row.as_mut_slice().get_mut(from..to) else { continue };
        match (input.kind, component) {
            // Set by `sample_inputs`.
            (SpecialKind::Sample(_), _) => {}
            #[expect(clippy::indexing_slicing, reason = "the mask keeps the component below 4")]
            (SpecialKind::Constant(bits), _) => lanes.fill(bits[component & 3]),
            (SpecialKind::Face, _) => {
                faces(batch.front, from, component, lanes);
            }
            (SpecialKind::FrontMask(_) | SpecialKind::HelperMask(_), 0) => {
                let helpers = matches!(input.kind, SpecialKind::HelperMask(_));
                let mask = if helpers { !batch.mask } else { batch.front };
                for (lane, value) in lanes.iter_mut().enumerate() {
                    *value = if mask >> (from + lane) & 1 != 0 { u32::MAX } else { 0 };
                }
            }
            (SpecialKind::FrontMask(_), 3) => lanes.fill(1),
            (SpecialKind::FrontMask(_) | SpecialKind::HelperMask(_), _) => lanes.fill(0),
            (SpecialKind::Position, 0 | 1) => {
                for (lane, value) in lanes.iter_mut().enumerate() {
                    let lane = from + lane;
                    let Some(quad) = batch.quads.get(lane / 4) else { continue };
                    let pixel = if component == 0 {
                        origin.tile_x + quad.x as i32 + (lane & 1) as i32
                    } else {
                        pixels.row(origin.tile_y + quad.y as i32 + (lane >> 1 & 1) as i32)
                    };
                    *value = (pixel as f32 + pixels.center).to_bits();
                }
            }
            (SpecialKind::Position, 2) => match unclamped {
                Some(plane) => along(plane, coordinates, (from, to), lanes),
                None => {
                    let z = batch.z.as_slice().get(from..to).unwrap_or(&[]);
                    for (value, z) in lanes.iter_mut().zip(z) {
                        *value = depth_to_f32(*z as i32).to_bits();
                    }
                }
            },
            (SpecialKind::Position, _) => along(rcp_w, coordinates, (from, to), lanes),
        }
    }
}
