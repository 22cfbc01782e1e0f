//! Triangles on targets with software floats: keeps their planes from tile to tile.
//!
//! A triangle that reaches several tiles has the same planes in all of them: they start from the
//! triangle's own reference pixel, and are moved to a tile in integers. In a frame, the places of
//! the vertices in the scene identify a triangle.

use super::setup::Setup;
use super::tile::Tile;
use super::{Rgb565, Rules, TileRows};
use crate::features::KEEPS_MORE;
use crate::lanes::TileTargets;
use crate::scene::Vertex;
use crate::setup::{Bounds, FillRule, FixedPlane, Gradient, Plane, Plane32, area};
use crate::span::{Corners, PaintTriangle, Scratch, Window};

/// The number of large triangles that are kept: a convex mesh of few large faces shows no more at a
/// time.
const COUNT: usize = 6;

/// The number of small triangles that are kept: those in two rows of tiles of a mesh with some
/// hundred triangles. A power of two, or 0.
const SMALL: usize = if KEEPS_MORE { 64 } else { 0 };

/// A triangle's planes, from its reference pixel on.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// The frame, and the vertices.
    frame: u32,
    ids: [u32; 3],
    gradient: Gradient,
    depth: Plane,
    z: FixedPlane,
    planes: LargePlanes,
}

/// Three planes of a large triangle.
#[derive(Clone, Copy, Debug)]
enum LargePlanes {
    /// Coordinates over w and 1/w; true if they are planes for small textures.
    Texture([Plane32; 3], bool),
    /// Red, green and blue; true if they are painted in pairs of pixels.
    Color([Plane32; 3], bool),
}

/// A small triangle's planes, from the pixel of its first corner on: depth, green, and blue over
/// red.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptSmall {
    frame: u32,
    /// The vertices, as [`key`](Self::key) returns them.
    key: [u16; 3],
    pub(super) clockwise: bool,
    /// True if no pixel's depth is rounded to below 0.
    pub(super) deep: bool,
    pub(super) planes: [Plane32; 3],
}

impl KeptSmall {
    const NONE: KeptSmall = KeptSmall {
        frame: 0,
        key: [0; 3],
        clockwise: false,
        deep: false,
        planes: [Plane32 { value: 0, dx: 0, dy: 0 }; 3],
    };

    /// Returns vertices in few bytes; `None` if they do not fit, as in a large scene.
    #[inline(always)]
    fn key([a, b, c]: [u32; 3]) -> Option<[u16; 3]> {
        ((a | b | c) >> 16 == 0).then_some([a as u16, b as u16, c as u16])
    }
}

/// The triangles of a frame with kept planes. The newest replaces the oldest.
#[derive(Debug)]
pub(in crate::span) struct KeptTriangles {
    /// The frame that the next triangles belong to.
    frame: u32,
    kept: [Option<Kept>; COUNT],
    next: usize,
    small: [KeptSmall; SMALL],
}

impl KeptTriangles {
    pub(in crate::span) const fn new() -> KeptTriangles {
        KeptTriangles { frame: 1, kept: [None; COUNT], next: 0, small: [KeptSmall::NONE; SMALL] }
    }

    /// Begins a frame: the triangles kept so far are not found any more.
    pub(in crate::span) fn start_frame(&mut self) {
        self.frame = self.frame.wrapping_add(1);
    }

    /// Returns the index of the slot of a small triangle. Vertices lie some words apart.
    fn slot([a, b, c]: [u32; 3]) -> usize {
        (a.wrapping_add(b).wrapping_add(c) >> 2) as usize & SMALL.wrapping_sub(1)
    }

    /// Returns the planes of a small triangle.
    pub(super) fn find_small(&self, ids: [u32; 3]) -> Option<&KeptSmall> {
        let kept = self.small.get(Self::slot(ids))?;
        (kept.frame == self.frame && Some(kept.key) == KeptSmall::key(ids)).then_some(kept)
    }

    /// Keeps the planes of a small triangle.
    pub(super) fn keep_small(
        &mut self,
        ids: [u32; 3],
        clockwise: bool,
        deep: bool,
        planes: [Plane32; 3],
    ) {
        let frame = self.frame;
        if let Some(key) = KeptSmall::key(ids)
            && let Some(slot) = self.small.get_mut(Self::slot(ids))
        {
            *slot = KeptSmall { frame, key, clockwise, deep, planes };
        }
    }

    fn find(&self, ids: [u32; 3]) -> Option<Kept> {
        let is_this = |kept: &&Kept| kept.ids == ids && kept.frame == self.frame;
        self.kept.iter().flatten().find(is_this).copied()
    }

    fn keep(&mut self, kept: Kept) {
        let frame = self.frame;
        if let Some(slot) = self.kept.get_mut(self.next) {
            *slot = Some(Kept { frame, ..kept });
        }
        self.next = (self.next + 1) % COUNT;
    }
}

impl Rgb565<'_> {
    /// Paints a textured triangle in perspective, or one with colours that need no division; `None`
    /// if the triangle is of another kind, or its planes do not fit.
    pub(super) fn large(
        &self,
        corners: &Corners<'_>,
        rules: Rules,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> Option<()> {
        let points = corners.vertices().map(Vertex::position).map(|v| [v.x, v.y]);
        let (area, mut region) = (area(&points), window.clip);
        if area == 0 || !scratch.runs.solve(&points, area > 0, rules.fill, &mut region) {
            return Some(());
        }
        let kept = match scratch.kept.get().and_then(|kept| kept.find(corners.ids)) {
            Some(kept) => kept,
            None => {
                let kept = self.derive(corners, &points, area, rules.fill)?;
                if let Some(all) = scratch.kept.get_mut() {
                    all.keep(kept);
                }
                kept
            }
        };
        let Kept { gradient, depth, z, planes, .. } = kept;
        let (occlusion, tests_depth) = self.depth(&rules);
        let mut z_here = Plane32::default();
        if tests_depth {
            if occlusion.hidden && scratch.max_depth.hides(&depth, &gradient, &region) {
                return Some(());
            }
            z_here = z.from(region.x0, region.y0);
            let tile = &window.tile;
            if occlusion.hides
                && (region.x0, region.y0) == (tile.x0, tile.y0)
                && let Some(Some(target)) = targets.color.first()
            {
                scratch.max_depth.cover(&scratch.runs, &region, &z_here, target);
            }
        }
        let mut tile = Tile::new(targets, &window.tile, self.depth)?;
        let Scratch { runs, cleared_depth, .. } = scratch;
        let mut rows =
            TileRows { tile: &mut tile, runs, cleared_depth, region: &region, z: &z_here };
        let (right, down) = (region.x0 - gradient.x, region.y0 - gradient.y);
        let here = |planes: [Plane32; 3]| planes.map(|plane| plane.moved(right, down));
        match planes {
            LargePlanes::Texture(planes, small) => {
                rows.texels_w(self.texture()?, &here(planes), small);
            }
            LargePlanes::Color(planes, in_pairs) => {
                rows.colors(&here(planes), in_pairs);
            }
        }
        Some(())
    }

    /// Derives a triangle's planes; `None` if the texture needs no division or the colours one, or
    /// the planes do not fit.
    #[inline(never)]
    fn derive(
        &self,
        corners: &Corners<'_>,
        points: &[[i32; 2]; 3],
        area: i64,
        rule: FillRule,
    ) -> Option<Kept> {
        let vertices = corners.vertices().map(Vertex::position);
        let gradient = Gradient::with_area(points, area, rule.center());
        let [a, b, c] = vertices.map(|vertex| vertex.z);
        let depth = gradient.plane(a, b, c);
        let z = gradient.fixed_depth(&depth);
        let reference = Bounds { x0: gradient.x, y0: gradient.y, x1: gradient.x, y1: gradient.y };
        let w = vertices.map(|vertex| vertex.rcp_w);
        let mut setup = Setup::new(self, corners, &gradient, &reference, w);
        let linear = setup.is_linear();
        setup.attributes.read();
        let planes = match self.texture() {
            Some(texels) => {
                if linear || !setup.normalise_w() {
                    return None;
                }
                let (planes, small) = setup.texture_w(texels)?;
                LargePlanes::Texture(planes, small)
            }
            None if linear || setup.is_nearly_linear() => {
                let [red, green, blue, _] = setup.color(true)?;
                LargePlanes::Color([red, green, blue], setup.is_in_pairs(points))
            }
            None => return None,
        };
        Some(Kept { frame: 0, ids: corners.ids, gradient, depth, z, planes })
    }
}
