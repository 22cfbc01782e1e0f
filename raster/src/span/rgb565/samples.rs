//! Triangles on pixels of several samples: a plane of colour and depth each.
//!
//! A triangle is set up once and painted sample by sample. Coverage, depth and colour of a sample are
//! those of its place, where depths and channels stay in their range; the general path shades such a
//! pixel once, at its centre. OpenGL 4.6 leaves the choice: samples may share a fragment's data, and data
//! may be evaluated anywhere in the pixel (chapter 14.3.1).

use super::setup::Setup;
use super::shade::{Gouraud, GouraudW, Shade, fill};
use super::small::{Small, are_deep, channels, paint_words, planes};
use super::tile::{Alike, Scanlines, Tile};
use super::{Rgb565, Rules};
use crate::features::GOURAUD_ALONE;
use crate::lanes::TileTargets;
use crate::scene::Vertex;
use crate::scene::recognised::DepthTest;
use crate::setup::{Bounds, Gradient, Plane32, area};
use crate::span::runs::Runs;
use crate::span::{Corners, Scratch, Window};

/// The extent of triangles whose rows are solved in 32 bits, Q24.8.
const SMALL: i32 = 1 << 14;

/// The colours of a triangle, from a window's first pixel on.
enum Colors {
    Flat(u16),
    Linear([Plane32; 3]),
    InPerspective([Plane32; 4]),
}

impl Rgb565<'_> {
    /// Paints the samples of a tile that a triangle covers; `false` if it must take the general path,
    /// before any plane is painted.
    #[inline(never)]
    pub(super) fn samples(
        &self,
        corners: &Corners<'_>,
        rules: &Rules,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        self.direct() && self.small_samples(corners, rules, window, scratch, targets)
            || self.any_samples(corners, rules, window, scratch, targets)
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
        let Some(small) = self.read_small(corners) else { return false };
        let Small { points, area, depths, values } = &small;
        let gradient = Gradient::of_small(points, *area, rules.fill.center());
        let [a, b, c] = depths.map(f32::from_bits);
        let depth = gradient.plane(a, b, c);
        let Some(channels) = channels(values, &gradient, &depth) else { return false };
        if !(are_deep(*depths) && self.nearer()) {
            return false;
        }
        let Scratch { runs, cleared_depth, .. } = scratch;
        let TileTargets { color: [Some(color), ..], depth: Some(depth), .. } = targets else {
            return false;
        };
        let (Some(mut color), Some(mut depth)) = (Scanlines::of(color), Scanlines::of(depth))
        else {
            return false;
        };
        let Some(Alike { color, depth, stride }) = color.with_depth(&mut depth) else {
            return false;
        };
        let samples = rules.samples;
        let plane = stride / samples.count.max(1) as usize;
        for sample in samples.written() {
            let offset = samples.offset(sample);
            let mut region = window.clip;
            if !runs.solve_small(&moved(points, offset), *area > 0, rules.fill, &mut region) {
                continue;
            }
            let (first, rows) = (region.y0 - window.tile.y0, region.y1 - region.y0);
            cleared_depth.touch_rows(first as usize, rows as usize);
            let planes = planes(&channels.map(|plane| plane.beside(offset)))
                .map(|plane| plane.moved(region.x0 - gradient.x, region.y0 - gradient.y));
            let from = plane * sample..;
            let (Some(color), Some(depth)) = (color.get_mut(from.clone()), depth.get_mut(from))
            else {
                break;
            };
            paint(Alike { color, depth, stride }, runs, &window.tile, &region, &planes);
        }
        true
    }

    /// Paints a triangle of any size; `false` if it must take the general path.
    fn any_samples(
        &self,
        corners: &Corners<'_>,
        rules: &Rules,
        window: &Window,
        Scratch { runs, cleared_depth, .. }: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        let v = corners.vertices().map(Vertex::position);
        let points = v.map(|v| [v.x, v.y]);
        let area = area(&points);
        if area == 0 {
            return true;
        }
        let (clip, samples) = (&window.clip, rules.samples);
        let gradient = Gradient::with_area(&points, area, rules.fill.center());
        let mut setup = Setup::new(self, corners, &gradient, clip, v.map(|v| v.rcp_w));
        let Some(colors) = Colors::of(&mut setup) else { return false };
        let mut depth = Plane32::default();
        if GOURAUD_ALONE || self.depth != DepthTest::None {
            let [a, b, c] = v.map(|v| v.z);
            depth = gradient.fixed_depth(&gradient.plane(a, b, c)).from(clip.x0, clip.y0);
        }
        for sample in samples.written() {
            let offset = samples.offset(sample);
            let (points, mut region) = (moved(&points, offset), *clip);
            let solved = if is_within(&points, SMALL) {
                runs.solve_small(&points, area > 0, rules.fill, &mut region)
            } else {
                runs.solve(&points, area > 0, rules.fill, &mut region)
            };
            if !solved {
                continue;
            }
            let place = (sample, samples.count);
            let Some(mut tile) = Tile::of_plane(targets, &window.tile, self.depth, place) else {
                return false;
            };
            let (right, down) = (region.x0 - clip.x0, region.y0 - clip.y0);
            let there = |plane: Plane32| plane.beside(offset).moved(right, down);
            let (runs, z) = (&*runs, &there(depth));
            match colors {
                Colors::Flat(color) => {
                    tile.paint(runs, cleared_depth, &region, z, &mut |pixels, _| {
                        fill(pixels, color)
                    })
                }
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
    /// Derives the colours of a triangle; `None` where integer planes cannot hold them.
    fn of(setup: &mut Setup<'_, '_>) -> Option<Colors> {
        if let Some(color) = setup.constant() {
            return Some(Colors::Flat(color));
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

/// Paints a plane of a small triangle. A function of its own, so that its loops have all registers.
#[inline(never)]
fn paint(alike: Alike<'_>, runs: &Runs, tile: &Bounds, region: &Bounds, planes: &[Plane32; 3]) {
    paint_words(alike, runs, tile, region, planes);
}

/// Returns a triangle's corners as samples at `offset` from the pixels' centres see them.
#[inline(always)]
fn moved(points: &[[i32; 2]; 3], [x, y]: [i32; 2]) -> [[i32; 2]; 3] {
    points.map(|point| [point[0] - x, point[1] - y])
}

/// Returns true if the corners lie within `extent` of each other, along both axes.
#[inline(always)]
fn is_within([a, b, c]: &[[i32; 2]; 3], extent: i32) -> bool {
    (0..2).all(|axis| {
        let [a, b, c] = [a, b, c].map(|point| point.get(axis).copied().unwrap_or(0));
        a.max(b).max(c) - a.min(b).min(c) < extent
    })
}
