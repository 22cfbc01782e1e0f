//! One quad: shading, then tests and stores, pixel by pixel.

use os_shim::Vec;
use pipe_core::PipeError;
use tgsi::declaration::SemanticName;
use tgsi::exec;
use tgsi::program::{Program, Row};

use super::fragment_reach::FragmentReach;
use super::inputs::{Lanes, QuadPixels};
use super::{Painter, Primitive};
use crate::nudge::Nudged;
use crate::output::ColorOutput;
use crate::reach::Reach;
use crate::setup::Samples;

/// The fragment shader's registers, and the memory and textures that it can access.
pub(crate) struct Shaded<'p, 'a, 'm> {
    pub(crate) rows: Vec<'m, Lanes<u32>>,
    pub(crate) reach: &'p Reach<'a, 'm>,
}

/// The values that a fragment shader wrote for one pixel; `None` where it wrote none.
#[derive(Clone, Copy, Debug, Default)]
struct Fragment {
    color: [Option<[u32; 4]>; 8],
    depth: Option<f32>,
    stencil: Option<u8>,
    sample_mask: Option<u32>,
}

impl<C> Painter<'_, '_, '_, C> {
    /// Paints the covered pixels of a quad; its upper left pixel is (`x`, `y`).
    pub(super) fn quad(
        &mut self,
        primitive: &Primitive,
        [x, y]: [i32; 2],
        covered: Lanes<u32>,
    ) -> Result<(), PipeError> {
        let pixels = [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]];
        let mut quad = QuadPixels { pixels, covered, coverage: covered, sample: None };
        let early = self.state.fragment.is_some_and(|p| p.properties.early_depth_stencil());
        if early {
            for (covered, pixel) in quad.covered.iter_mut().zip(pixels) {
                for sample in Samples::of(*covered) {
                    let fragment = Fragment::default();
                    if !self.depth_stencil(primitive, (pixel, sample), &fragment)? {
                        *covered &= !(1 << sample);
                    }
                }
            }
        }
        let Samples { mask, per_sample, .. } = self.state.samples;
        if !per_sample {
            return self.fragments(primitive, &quad, early);
        }
        for sample in Samples::of(mask) {
            let [covered, coverage] =
                [quad.covered, quad.coverage].map(|set| set.map(|set| set & 1 << sample));
            let quad = QuadPixels { covered, coverage, sample: Some(sample), ..quad };
            self.fragments(primitive, &quad, early)?;
        }
        Ok(())
    }

    /// Shades the covered pixels of a quad and writes their samples. If `early` is set, depth and
    /// stencil were tested before.
    fn fragments(
        &mut self,
        primitive: &Primitive,
        quad: &QuadPixels,
        early: bool,
    ) -> Result<(), PipeError> {
        let state = self.state;
        let mut live = quad.covered.map(|covered| covered != 0);
        if live == [false; 4] {
            return Ok(());
        }
        let mut fragments = [Fragment::default(); 4];
        if let Some(program) = &state.fragment {
            self.counts.shaded += live.iter().filter(|live| **live).count() as u64;
            let alive = self.shade(program, primitive, quad, live)?;
            for (lane, (live, fragment)) in live.iter_mut().zip(&mut fragments).enumerate() {
                *live = *live && alive >> lane & 1 != 0;
                *fragment = self.results(program, lane);
            }
        }
        for (lane, (live, fragment)) in live.into_iter().zip(&fragments).enumerate() {
            for sample in Samples::of(if live { quad.covered[lane] } else { 0 }) {
                let at = (quad.pixels[lane], sample);
                if self.keeps(primitive, at, fragment)
                    && (early || self.depth_stencil(primitive, at, fragment)?)
                {
                    self.counts.passed += 1;
                    self.store(primitive, at, fragment)?;
                }
            }
        }
        Ok(())
    }

    /// Runs the fragment shader and returns the lanes that it did not kill.
    fn shade(
        &mut self,
        program: &Program<'_>,
        primitive: &Primitive,
        quad: &QuadPixels,
        live: Lanes<bool>,
    ) -> Result<exec::Mask, PipeError> {
        let mut rows =
            core::mem::replace(&mut self.shaded.rows, Vec::new_in(self.vertices.memory()));
        self.inputs(program, primitive, quad, &mut rows);
        let mask = live.iter().rev().fold(0, |mask, live| mask << 1 | exec::Mask::from(*live));
        let mut reach = FragmentReach { painter: self, program, primitive, quad };
        let result = exec::run(program, &mut rows, mask, self.state.constants, &mut reach);
        self.shaded.rows = rows;
        result.map_err(|_| PipeError::Invalid("the fragment shader cannot run"))
    }

    /// Returns the values that the program wrote in a lane.
    fn results(&self, program: &Program<'_>, lane: usize) -> Fragment {
        let word = |row: Row| {
            let row = self.shaded.rows.get(row.index()?)?;
            row.get(lane).copied()
        };
        let mut fragment = Fragment::default();
        for output in program.outputs {
            let rows = output.rows;
            match output.semantic.name {
                SemanticName::Color => {
                    let slot = fragment.color.get_mut(usize::from(output.semantic.index));
                    if let Some(slot) = slot.filter(|_| rows != [Row::NONE; 4]) {
                        *slot = Some(rows.map(|row| word(row).unwrap_or(0)));
                    }
                }
                SemanticName::Position => fragment.depth = word(rows[2]).map(f32::from_bits),
                SemanticName::Stencil => fragment.stencil = word(rows[1]).map(|word| word as u8),
                SemanticName::SampleMask => fragment.sample_mask = word(rows[0]),
                _ => {}
            }
        }
        fragment
    }

    /// Returns true if a sample of a fragment passes the sample mask, alpha-to-coverage and the
    /// alpha test.
    fn keeps(
        &self,
        primitive: &Primitive,
        (pixel, sample): ([i32; 2], u32),
        fragment: &Fragment,
    ) -> bool {
        let state = self.state;
        let rasterizer = &state.rasterizer;
        let counts = rasterizer.multisample || !rasterizer.no_ms_sample_mask_out;
        if counts && fragment.sample_mask.is_some_and(|mask| mask >> sample & 1 == 0) {
            return false;
        }
        let color = fragment.color[0].unwrap_or_default();
        let mut alpha = f32::from_bits(color[3]);
        if rasterizer.clamp_fragment_color {
            alpha = clamped(alpha);
        }
        let alpha = f64::from(alpha) + state.nudge.of(Nudged::Alpha, primitive.number);
        // A single sample is covered if alpha is at least one half. Of several samples, each is
        // covered if alpha exceeds the sample's threshold. With dithering the threshold differs
        // from pixel to pixel.
        let share = |part: f64| (f64::from(sample) + part) / f64::from(state.samples.count);
        let covers = if state.blend.alpha_to_coverage_dither {
            alpha > share(state.nudge.threshold(dither(pixel)))
        } else if state.samples.count == 1 {
            alpha >= 0.5
        } else {
            alpha > share(0.0)
        };
        let covered = !state.blend.alpha_to_coverage || covers;
        covered && state.alpha.is_none_or(|(func, reference)| func.passes(alpha, reference.into()))
    }

    /// Tests depth and stencil of one sample of a pixel and updates them.
    fn depth_stencil(
        &self,
        primitive: &Primitive,
        ([x, y], sample): ([i32; 2], u32),
        fragment: &Fragment,
    ) -> Result<bool, PipeError> {
        let Some((target, test)) = &self.state.depth else { return Ok(true) };
        let depth = match fragment.depth {
            Some(depth) => {
                let nudge = self.state.nudge.of(Nudged::Depth, primitive.number);
                self.limited_depth(f64::from(depth) + nudge)
            }
            None => {
                let place = self.state.samples.beside(self.rule.center(x, y), sample);
                self.depth(primitive, place)
            }
        };
        let (target, x, y) = (target.of_layer(self.layer).plane(sample), x as u32, y as u32);
        let mut texel = target.load(x, y);
        let passes = test.test(&mut texel, depth, fragment.stencil, primitive.front);
        target.store(x, y, &texel)?;
        Ok(passes)
    }

    /// Writes a fragment to one sample of a pixel in the colour buffers.
    fn store(
        &self,
        primitive: &Primitive,
        ([x, y], sample): ([i32; 2], u32),
        fragment: &Fragment,
    ) -> Result<(), PipeError> {
        let state = self.state;
        let broadcast =
            state.fragment.is_some_and(|program| program.properties.color0_writes_all_cbufs());
        for (index, target) in state.color.iter().enumerate() {
            let Some(target) = target else { continue };
            let target = target.of_layer(self.layer).plane(sample);
            let source = if broadcast { 0 } else { index };
            let Some(mut color) = fragment.color[source] else { continue };
            let mut second =
                fragment.color[1].filter(|_| index == 0 && state.blend.is_dual_source());
            let integer = target.format.is_pure_integer();
            if state.rasterizer.clamp_fragment_color && !integer {
                let all =
                    |color: [u32; 4]| color.map(|bits| clamped(f32::from_bits(bits)).to_bits());
                (color, second) = (all(color), second.map(all));
            }
            if let Some(falloff) = primitive.falloff.filter(|_| !integer) {
                let coverage = falloff.at(self.rule.center(x, y));
                let alpha = f64::from(f32::from_bits(color[3])) * coverage;
                color[3] = (alpha as f32).to_bits();
            }
            let (blend, constant, format) = (&state.blend, &state.blend_color, target.format);
            let output = ColorOutput { blend, constant, index, format };
            let old = target.load(x as u32, y as u32);
            target.store(x as u32, y as u32, &output.combine(color, second, &old))?;
        }
        Ok(())
    }
}

/// Returns a dithered threshold within a sample's share; it repeats every 2×2 pixels.
fn dither([x, y]: [i32; 2]) -> f64 {
    let parts = [0.125, 0.625, 0.875, 0.375];
    parts[(2 * (y & 1) + (x & 1)) as usize]
}

/// Returns a component clamped to 0 to 1; 0 for a NaN.
fn clamped(component: f32) -> f32 {
    component.max(0.0).min(1.0)
}
