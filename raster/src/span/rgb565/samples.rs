//! Triangles on pixels with several samples: each sample has a plane of colour and depth.
//!
//! A triangle is set up once. Coverage and depth of a sample are computed at the sample's place. A
//! pixel with all four samples covered has one colour, computed at the middle of the samples'
//! places. Otherwise each sample's colour is computed at its own place, if channels stay in their
//! range. OpenGL 4.6 allows both: samples may share a fragment's data, and data may be evaluated
//! anywhere in the pixel (chapter 14.3.1).
//!
//! `sample_rows.rs` handles four samples with the most common depth test. All other cases are
//! painted plane by plane.

use super::sample_rows::{self, Rows, paint};
use super::setup::Setup;
use super::shade::{Gouraud, GouraudSmall, GouraudW, Shade};
use super::small::{Small, channels, over, packed_channels};
use super::tile::{Alike, Tile};
use super::whole_pixels::Owner;
use super::{Rgb565, Rules};
use crate::features::GOURAUD_ALONE;
use crate::lanes::TileTargets;
use crate::scene::Vertex;
use crate::scene::recognised::DepthTest;
use crate::setup::{Bounds, Gradient, Plane32, SampleRule, area};
use crate::span::sample_runs::LANES;
use crate::span::{Corners, Scratch, Window};

/// The largest extent of a triangle with rows solved in 32 bits, Q24.8.
const SMALL: i32 = 1 << 14;

/// The precision of depth in the planes of small triangles.
const MARGIN: f32 = 1.0 / 1024.0;

/// The colours of a triangle, from a window's first pixel on.
#[derive(Clone, Copy)]
enum Colors {
    Linear([Plane32; 3]),
    InPerspective([Plane32; 4]),
}

impl Rgb565<'_> {
    /// Paints the samples of a tile that a triangle covers; `false`, before any plane is painted,
    /// if it must take the general path.
    #[inline(never)]
    pub(super) fn samples(
        &self,
        corners: &Corners<'_>,
        rules: &Rules,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        self.direct()
            && self.takes_four(rules)
            && self.small_samples(corners, rules, window, scratch, targets)
            || self.any_samples(corners, rules, window, scratch, targets)
    }

    /// Returns true if `sample_rows.rs` paints a draw's triangles.
    #[inline(always)]
    fn takes_four(&self, Rules { samples, .. }: &Rules) -> bool {
        let samples = samples.rule();
        self.nearer() && samples.count as usize == LANES && !samples.mask & 0xf == 0
    }

    /// Paints a small triangle, as [`small`](Self::small) does; `false` if it is not small.
    fn small_samples(
        &self,
        corners: &Corners<'_>,
        rules: &Rules,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        let Some(Small { points, area, depths, values }) = self.read_small(corners) else {
            return false;
        };
        let gradient = Gradient::of_small(&points, area, rules.fill.center());
        let [a, b, c] = depths.map(f32::from_bits);
        let depth = gradient.plane(a, b, c);
        let Some([z, channels @ ..]) = channels(&values, &gradient, &depth) else { return false };
        let (four, mut region) = (Four::of(*rules.samples.rule()), window.clip);
        let runs = &mut scratch.sample_runs;
        if !runs.solve_small(&points, area > 0, rules.fill, &four.offsets, &mut region) {
            return true;
        }
        let z = z.moved(window.tile.x0 - gradient.x, window.tile.y0 - gradient.y);
        let to = [region.x0 - gradient.x, region.y0 - gradient.y];
        let sample_rows::Colors { planes, steps } = four.colors(&channels);
        let colors = sample_rows::Colors {
            planes: packed_channels(&planes).map(|plane| plane.moved(to[0], to[1])),
            steps: steps.map(|[red, green, blue]| [green, over(red, blue)]),
        };
        let cleared = scratch.cleared_depth.depth as f32 / 65_536.0;
        let before = [a, b, c].iter().all(|z| (MARGIN..cleared - MARGIN).contains(z));
        let owner = four.owner(z);
        scratch.paint(GouraudSmall, targets, &window.tile, &region, (owner, before), &colors)
    }

    /// Paints a triangle of any size; `false` if it must take the general path.
    fn any_samples(
        &self,
        corners: &Corners<'_>,
        rules: &Rules,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        let v = corners.vertices().map(Vertex::position);
        let points = v.map(|v| [v.x, v.y]);
        let area = area(&points);
        if area == 0 {
            return true;
        }
        let Window { clip, tile } = window;
        let (four, mut region) = (Four::of(*rules.samples.rule()), *clip);
        let takes_four = self.takes_four(rules);
        if takes_four {
            let (clockwise, offsets) = (area > 0, &four.offsets);
            let Scratch { runs, sample_runs, .. } = &mut *scratch;
            if !is_within(&points, SMALL) {
                sample_runs.solve(runs, &points, clockwise, rules.fill, offsets, &region);
            } else if !sample_runs.solve_small(&points, clockwise, rules.fill, offsets, &mut region)
            {
                return true;
            }
        }
        let gradient = Gradient::with_area(&points, area, rules.fill.center());
        let mut setup = Setup::new(self, corners, &gradient, clip, v.map(|v| v.rcp_w));
        let Some(colors) = Colors::of(&mut setup) else {
            // Colours that do not fit integers belong to slivers, which seldom cover a sample.
            let (rows, columns) = (region.y1 - region.y0, region.x1 - region.x0);
            return takes_four && scratch.sample_runs.are_empty(rows, columns);
        };
        let mut z = Plane32::default();
        if GOURAUD_ALONE || self.depth != DepthTest::None {
            let [a, b, c] = v.map(|v| v.z);
            z = gradient.fixed_depth(&gradient.plane(a, b, c)).from(clip.x0, clip.y0);
        }
        if !takes_four {
            scratch.spread(targets, tile, clip);
            return self.planes(&points, area > 0, &z, &colors, rules, window, scratch, targets);
        }
        let owner = four.owner(z.moved(tile.x0 - clip.x0, tile.y0 - clip.y0));
        let down = region.y0 - clip.y0;
        match &colors {
            Colors::Linear(planes) => {
                let mut colors = four.colors(planes);
                colors.planes = colors.planes.map(|plane| plane.moved(0, down));
                scratch.paint(Gouraud, targets, tile, &region, (owner, false), &colors)
            }
            Colors::InPerspective(planes) => {
                let mut colors = four.colors(planes);
                colors.planes = colors.planes.map(|plane| plane.moved(0, down));
                scratch.paint(GouraudW, targets, tile, &region, (owner, false), &colors)
            }
        }
    }

    /// Paints a triangle with any depth test, plane by plane; `false` if it must take the general
    /// path.
    #[expect(clippy::too_many_arguments, reason = "the parts of a triangle and those of a tile")]
    #[inline(never)]
    fn planes(
        &self,
        points: &[[i32; 2]; 3],
        clockwise: bool,
        z: &Plane32,
        colors: &Colors,
        rules: &Rules,
        window: &Window,
        Scratch { runs, cleared_depth, .. }: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        let (clip, samples) = (&window.clip, *rules.samples.rule());
        for sample in samples.written() {
            let offset = samples.offset(sample);
            let mut region = *clip;
            let points = points.map(|[x, y]| [x - offset[0], y - offset[1]]);
            if !runs.solve(&points, clockwise, rules.fill, &mut region) {
                continue;
            }
            let place = (sample, samples.count);
            let Some(mut tile) = Tile::of_plane(targets, &window.tile, self.depth, place) else {
                return false;
            };
            let there = |plane: Plane32| plane.beside(offset).moved(0, region.y0 - clip.y0);
            let (runs, z) = (&*runs, &there(*z));
            match *colors {
                Colors::Linear(planes) => {
                    let planes = planes.map(there);
                    tile.paint(runs, cleared_depth, &region, z, &mut |pixels, from| {
                        Gouraud.row(pixels, from, &planes);
                    })
                }
                Colors::InPerspective(planes) => {
                    let planes = planes.map(there);
                    tile.paint(runs, cleared_depth, &region, z, &mut |pixels, from| {
                        GouraudW.row(pixels, from, &planes);
                    })
                }
            };
        }
        true
    }
}

impl Colors {
    /// Derives the colours of a triangle; `None` if integer planes cannot hold them.
    fn of(setup: &mut Setup<'_, '_>) -> Option<Colors> {
        if let Some(color) = setup.constant() {
            let channels = [color >> 11, color >> 5 & 63, color & 31];
            let plane = |channel| Plane32 { value: i32::from(channel) << 24, dx: 0, dy: 0 };
            return Some(Colors::Linear(channels.map(plane)));
        }
        setup.attributes.read();
        if setup.is_linear() || setup.is_nearly_linear() {
            let [planes @ .., _] = setup.color(true)?;
            return Some(Colors::Linear(planes));
        }
        if !setup.normalise_w() {
            return None;
        }
        setup.color(false).map(Colors::InPerspective)
    }
}

impl Scratch {
    /// Paints the rows that a triangle covers; `false` if the targets are not aligned words with
    /// the same strides.
    #[inline(always)]
    fn paint<const N: usize>(
        &mut self,
        shade: impl Shade<N>,
        targets: &mut TileTargets<'_>,
        tile: &Bounds,
        region: &Bounds,
        (owner, is_before): (Owner, bool),
        colors: &sample_rows::Colors<N>,
    ) -> bool {
        let Some(mut planes) = Alike::of(targets) else { return false };
        let [x, y] = [region.x0 - tile.x0, region.y0 - tile.y0].map(|at| at as usize);
        let runs = self.sample_runs.rows(region.y1 - region.y0);
        self.cleared_depth.touch_rows(y, runs.len());
        let [a, b, c, d] = owner.steps;
        let steps = [a.min(b).min(c.min(d)), a.max(b).max(c.max(d))];
        let width = (region.x1 - region.x0) as u8;
        let rows =
            Rows { is_before, runs, x, y, width, owner, steps, cleared: self.cleared_depth.depth };
        paint(shade, &mut planes, &mut self.whole, &rows, colors);
        true
    }
}

/// Four samples of a pixel.
struct Four {
    /// The samples' offsets from the pixel's centre, Q24.8.
    offsets: [[i32; 2]; LANES],
    /// The middle of the samples' places. It lies in every triangle that covers all four.
    middle: [i32; 2],
}

impl Four {
    #[inline(always)]
    fn of(rule: SampleRule) -> Four {
        let mut offsets = [[0; 2]; LANES];
        for (sample, offset) in offsets.iter_mut().enumerate() {
            *offset = rule.offset(sample);
        }
        let [a, b, c, d] = offsets;
        // Offsets are multiples of 16.
        let middle = [(a[0] + b[0] + c[0] + d[0]) >> 2, (a[1] + b[1] + c[1] + d[1]) >> 2];
        Four { offsets, middle }
    }

    /// Returns the owner with this depth from the tile's first pixel on.
    #[inline(always)]
    fn owner(&self, depth: Plane32) -> Owner {
        let mut steps = [0; LANES];
        for (step, offset) in steps.iter_mut().zip(self.offsets) {
            *step = depth.step(offset);
        }
        Owner { depth, steps }
    }

    /// Returns the colours from channel planes, from the planes' first pixel on.
    #[inline(always)]
    fn colors<const N: usize>(&self, planes: &[Plane32; N]) -> sample_rows::Colors<N> {
        let mut colors = sample_rows::Colors { planes: *planes, steps: [[0; N]; LANES] };
        for (channel, plane) in colors.planes.iter_mut().enumerate() {
            for (steps, [x, y]) in colors.steps.iter_mut().zip(self.offsets) {
                if let Some(step) = steps.get_mut(channel) {
                    *step = plane.step([x - self.middle[0], y - self.middle[1]]);
                }
            }
            *plane = plane.beside(self.middle);
        }
        colors
    }
}

/// Returns true if the corners lie within `extent` of each other, along both axes.
#[inline(always)]
fn is_within([a, b, c]: &[[i32; 2]; 3], extent: i32) -> bool {
    (0..2).all(|axis| {
        let [a, b, c] = [a, b, c].map(|point| point.get(axis).copied().unwrap_or(0));
        a.max(b).max(c) - a.min(b).min(c) < extent
    })
}
