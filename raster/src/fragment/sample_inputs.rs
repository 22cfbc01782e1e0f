//! The inputs of pixels with several samples: window positions and system values at a sample.

use tgsi::exec::Lanes;

use super::samples::SampleLanes;
use super::{Current, Fragments, Quads, range};
use crate::fixed::{SUBPIXEL_ONE, depth_to_f32};
use crate::profile::Profile;
use crate::scene::SampleValue;
use crate::scene::SpecialKind;
use crate::setup;
use crate::setup::SampleRule;

impl<P: Profile> Fragments<'_, '_, '_, '_, P> {
    /// Sets the inputs that depend on the sample, except varyings, in the lanes `from..to`.
    #[inline(always)]
    pub(super) fn sample_inputs(&mut self, (from, to): (usize, usize)) {
        let Some(Current { record, program: Some(program), .. }) = &**self.current else { return };
        let samples = *record.samples.rule();
        if samples.count == 1 {
            return;
        }
        let lanes = &self.quads.samples;
        let up = if program.properties.origin_lower_left() { -1.0 } else { 1.0 };
        for input in range(&self.inputs.scene.special, record.special) {
            for (component, row) in input.rows.iter().enumerate() {
                let Some(row) = row.index().and_then(|row| self.registers.rows.get_mut(row)) else {
                    continue;
                };
                let Some(values) = row.as_mut_slice().get_mut(from..to) else { continue };
                match input.kind {
                    // The plane's value is the sample's already.
                    SpecialKind::Position
                        if component == 2 && self.unclamped.get().is_some_and(Option::is_some) => {}
                    SpecialKind::Position => {
                        if let Some(sample) = lanes.current() {
                            let [x, y] = samples.offset(sample).map(pixels);
                            let z = lanes.z.get(sample).and_then(|z| z.as_slice().get(from..to));
                            let z = z.unwrap_or(&[]);
                            place_position(component, [x, up * y], z, values);
                        }
                    }
                    SpecialKind::Sample(value) => {
                        if let Some(value) = value.get() {
                            sample_value(*value, component, samples, lanes, from, values);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Converts subpixels to pixels.
#[inline(always)]
pub(super) fn pixels(subpixels: i32) -> f32 {
    subpixels as f32 / SUBPIXEL_ONE as f32
}

/// Moves the coordinates of the lanes `from..to` to the sample that is shaded, and derives the
/// centroids' coordinates. `perspective` is the plane of 1/w.
#[inline(always)]
pub(super) fn move_coordinates<R: Lanes>(
    current: &Current<'_>,
    quads: &mut Quads<R>,
    perspective: &setup::Plane,
    (from, to): (usize, usize),
) {
    let samples = *current.record.samples.rule();
    if samples.count == 1 {
        return;
    }
    if let Some(sample) = quads.samples.current() {
        quads.coordinates.displace(samples.offset(sample).map(pixels), from, to);
    }
    if let Some(centroids) = quads.centroids.get_mut()
        && current.varyings.iter().any(|varying| varying.centroid.is_set())
    {
        *centroids = quads.coordinates;
        for lane in from..to {
            if let Some(offset) = quads.samples.centroid(lane, samples) {
                centroids.displace(offset, lane, lane + 1);
            }
        }
        if current.record.perspective {
            centroids.perspective(perspective, from..to);
        }
    }
}

/// Moves a component of a window position from the pixel's centre to a sample; `z` are its depths,
/// Q2.30.
fn place_position(component: usize, [x, y]: [f32; 2], z: &[u32], values: &mut [u32]) {
    match component {
        0 | 1 => {
            let offset = if component == 0 { x } else { y };
            for value in values {
                *value = (f32::from_bits(*value) + offset).to_bits();
            }
        }
        2 => {
            for (value, z) in values.iter_mut().zip(z) {
                *value = depth_to_f32(*z as i32).to_bits();
            }
        }
        _ => {}
    }
}

/// Sets a component of a sample's system value in the lanes from `from` on.
fn sample_value<R: Lanes>(
    value: SampleValue,
    component: usize,
    samples: SampleRule,
    lanes: &SampleLanes<R>,
    from: usize,
    values: &mut [u32],
) {
    let sample = lanes.current().unwrap_or(0);
    match (value, component) {
        (SampleValue::Id, 0) => values.fill(sample as u32),
        (SampleValue::Position, 0 | 1) => {
            let offset = lanes.current().map_or([0; 2], |sample| samples.offset(sample));
            let [x, y] = offset;
            values.fill((0.5 + pixels(if component == 0 { x } else { y })).to_bits());
        }
        // The manual: "If MSAA is not enabled, the value is (1, 0, 0, 0)".
        (SampleValue::Mask, 0) if samples.centered => values.fill(1),
        (SampleValue::Mask, 0) => {
            for (lane, value) in (from..).zip(values) {
                *value = lanes.of_lane(lane);
            }
        }
        (SampleValue::Id | SampleValue::Position | SampleValue::Mask, _) => values.fill(0),
    }
}
