//! Textured triangles on targets with software floats: keeps the planes of a triangle from tile to
//! tile.
//!
//! A large triangle reaches many tiles, and its planes are the same in all of them: they start from
//! the triangle's own reference pixel, and are moved to a tile in integers.

use super::setup::Setup;
use super::tile::Tile;
use super::{Rgb565, Rules, TileRows};
use crate::lanes::TileTargets;
use crate::scene::Vertex;
use crate::setup::{Bounds, FillRule, FixedPlane, Gradient, Plane, Plane32, area};
use crate::span::{Corners, PaintTriangle, Scratch, Window};

/// The number of triangles that are kept: a convex mesh of few large faces shows no more at a time.
const COUNT: usize = 6;

/// A triangle's planes, from its reference pixel on.
#[derive(Clone, Copy, Debug)]
struct Kept {
    ids: [u32; 3],
    gradient: Gradient,
    depth: Plane,
    z: FixedPlane,
    /// Coordinates over w and 1/w, and true if they are planes for small textures.
    texture: ([Plane32; 3], bool),
}

/// The triangles of one draw with kept planes. The newest replaces the oldest.
#[derive(Debug)]
pub(in crate::span) struct KeptTriangles {
    kept: [Option<Kept>; COUNT],
    next: usize,
}

impl KeptTriangles {
    pub(in crate::span) const EMPTY: KeptTriangles = KeptTriangles { kept: [None; COUNT], next: 0 };

    fn find(&self, ids: [u32; 3]) -> Option<Kept> {
        self.kept.iter().flatten().find(|kept| kept.ids == ids).copied()
    }

    fn keep(&mut self, kept: Kept) {
        if let Some(slot) = self.kept.get_mut(self.next) {
            *slot = Some(kept);
        }
        self.next = (self.next + 1) % COUNT;
    }
}

impl Rgb565<'_> {
    /// Paints a textured triangle in perspective; `None` if the triangle is of another kind, or its
    /// planes do not fit.
    pub(super) fn textured(
        &self,
        corners: &Corners<'_>,
        rules: Rules,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> Option<()> {
        let texels = self.texture()?;
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
        let Kept { gradient, depth, z, texture: (planes, small), .. } = kept;
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
        rows.texels_w(texels, &planes.map(|plane| plane.moved(right, down)), small);
        Some(())
    }

    /// Derives a triangle's planes; `None` if the texture needs no division, or the planes do not
    /// fit.
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
        if setup.is_linear() || !setup.normalise_w() {
            return None;
        }
        setup.attributes.read();
        let texture = setup.texture_w(self.texture()?)?;
        Some(Kept { ids: corners.ids, gradient, depth, z, texture })
    }
}
