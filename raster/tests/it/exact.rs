//! Triangles that clipping cuts, slivers, and their exact solution in homogeneous coordinates.
//!
//! The corners' clip positions are the columns of a matrix. Its inverse maps a pixel to each
//! corner's share over w. Everything is solved in doubles, from positions before clipping and
//! snapping.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use crate::common::*;

/// Pixels along a side of the target.
pub const SIDE: usize = 96;

pub type Corners = [[f32; 4]; 3];

/// Returns the vertices of a triangle; the values are their colours' first components.
pub fn vertices(corners: &Corners, values: [[f32; 2]; 3]) -> Vec<Vertex> {
    let vertices = corners.iter().zip(values);
    vertices.map(|(&position, [u, v])| Vertex { position, color: [u, v, 0.0, 1.0] }).collect()
}

/// The exact solution of a triangle.
pub struct Exact {
    /// Each corner's share over w, as coefficients of x, y and 1 in pixels.
    shares: [[f64; 3]; 3],
    corners: [[f64; 4]; 3],
    values: [[f64; 2]; 3],
}

impl Exact {
    pub fn new(corners: &Corners, values: &[[f32; 2]; 3]) -> Option<Exact> {
        let corners = corners.map(|corner| corner.map(f64::from));
        let half = SIDE as f64 / 2.0;
        // In pixels times w.
        let [a, b, c] = corners.map(|[x, y, _, w]| [(x + w) * half, (y + w) * half, w]);
        let cross = |p: [f64; 3], q: [f64; 3]| {
            [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
        };
        let shares = [cross(b, c), cross(c, a), cross(a, b)];
        let det: f64 = shares[0].iter().zip(a).map(|(x, y)| x * y).sum();
        if det == 0.0 {
            return None;
        }
        let shares = shares.map(|share| share.map(|number| number / det));
        Some(Exact { shares, corners, values: values.map(|v| v.map(f64::from)) })
    }

    /// Returns each corner's share over w at a place.
    fn at(&self, x: f64, y: f64) -> [f64; 3] {
        self.shares.map(|[right, down, first]| right * x + down * y + first)
    }

    pub fn rcp_w(&self, x: f64, y: f64) -> f64 {
        self.at(x, y).iter().sum()
    }

    /// Returns depth in normalised device coordinates.
    pub fn z(&self, x: f64, y: f64) -> f64 {
        self.at(x, y).iter().zip(self.corners).map(|(share, corner)| share * corner[2]).sum()
    }

    pub fn value(&self, index: usize, x: f64, y: f64) -> f64 {
        let shares = self.at(x, y);
        let sum: f64 = shares.iter().zip(self.values).map(|(s, v)| s * v[index]).sum();
        sum / shares.iter().sum::<f64>()
    }

    /// Returns how far inside all edges and planes a place lies, in pixels.
    pub fn margin(&self, x: f64, y: f64, clips_z: bool) -> f64 {
        let distance = |[right, down, first]: [f64; 3]| {
            let length = right.hypot(down);
            let at = right * x + down * y + first;
            if length == 0.0 { at.signum() * f64::INFINITY } else { at / length }
        };
        let mut z = [0.0; 3];
        for (share, corner) in self.shares.iter().zip(self.corners) {
            z.iter_mut().zip(share).for_each(|(sum, number)| *sum += number * corner[2]);
        }
        let mut margin = self.shares.map(distance).into_iter().fold(f64::INFINITY, f64::min);
        // w is positive.
        let mut w = [0.0; 3];
        for share in self.shares {
            w.iter_mut().zip(share).for_each(|(sum, number)| *sum += number);
        }
        margin = margin.min(distance(w));
        if clips_z {
            margin = margin.min(distance([z[0], z[1], z[2] + 1.0]));
            margin = margin.min(distance([-z[0], -z[1], 1.0 - z[2]]));
        }
        margin
    }
}

/// Kinds of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// In perspective, cut by the near plane.
    Near,
    /// In perspective, cut by the far plane.
    Far,
    /// Cut by one of the two planes or both, without perspective.
    Both,
    /// Corners behind the eye, at w = 0, far out, and on planes.
    Anywhere,
    /// Narrower than half a pixel: a part of a visible triangle.
    Sliver,
    /// Like `Sliver`, without perspective.
    FlatSliver,
    /// A part of a triangle that the near plane cuts.
    CutSliver,
}

pub const KINDS: [Kind; 7] = [
    Kind::Near,
    Kind::Far,
    Kind::Both,
    Kind::Anywhere,
    Kind::Sliver,
    Kind::FlatSliver,
    Kind::CutSliver,
];

/// A corner's clip position, and its values.
pub type Corner = ([f32; 4], [f32; 2]);

/// Returns a part of a triangle that is a sliver; `None` for a short sliver.
fn sliver(random: &mut Random, whole: [Corner; 3]) -> Option<[Corner; 3]> {
    let mix = |weights: [f64; 3]| -> Corner {
        let sum = |of: &dyn Fn(&Corner) -> f32| {
            let products =
                weights.iter().zip(&whole).map(|(weight, corner)| weight * f64::from(of(corner)));
            products.sum::<f64>() as f32
        };
        (
            core::array::from_fn(|i| sum(&|corner| corner.0[i])),
            core::array::from_fn(|i| sum(&|corner| corner.1[i])),
        )
    };
    let mut weights = || {
        let [a, b] = [(); 2].map(|()| f64::from(random.next()));
        let (a, b) = if a + b > 1.0 { (1.0 - a, 1.0 - b) } else { (a, b) };
        [a, b, 1.0 - a - b]
    };
    let (a, b, beside) = (weights(), weights(), weights());
    let along = f64::from(random.next());
    let at = |share: f64| -> [f64; 3] {
        core::array::from_fn(|i| {
            let on = a[i] + (b[i] - a[i]) * along;
            on + (beside[i] - on) * share
        })
    };
    // The sliver's width in pixels.
    let width = f64::from(random.between(0.03, 0.4));
    let place = |corner: Corner| {
        let [x, y, _, w] = corner.0.map(f64::from);
        [x / w, y / w].map(|x| x * SIDE as f64 / 2.0)
    };
    let ([ax, ay], [bx, by]) = (place(mix(a)), place(mix(b)));
    let distance = |[x, y]: [f64; 2]| {
        (((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / (bx - ax).hypot(by - ay)).abs()
    };
    let far = distance(place(mix(at(0.01)))) * 100.0;
    let long = (bx - ax).hypot(by - ay) > 48.0;
    long.then(|| [mix(a), mix(b), mix(at(width / far))])
}

impl Kind {
    fn corners(self, random: &mut Random) -> Option<[Corner; 3]> {
        let mut between = |low, high| random.between(low, high);
        // The eye looks along z, from a near plane at 1 to a far one at 10.
        let seen = |[x, y, z]: [f32; 3]| [x, y, (z * 11.0 - 20.0) / 9.0, z];
        let positions = match self {
            Kind::Near | Kind::CutSliver => {
                [[-2.0, 1.0], [0.0, 3.0], [1.2, 4.0]].map(|[low, high]| {
                    let z = between(low, high);
                    seen([between(-3.0, 3.0), between(-3.0, 3.0), z])
                })
            }
            Kind::Sliver => [[1.0, 3.0], [1.0, 6.0], [1.0, 9.0]].map(|[low, high]| {
                let z = between(low, high);
                seen([between(-1.2, 1.2) * z, between(-1.2, 1.2) * z, z])
            }),
            Kind::Far => [[2.0, 9.0], [5.0, 30.0], [9.0, 40.0]].map(|[low, high]| {
                let z = between(low, high);
                seen([between(-1.5, 1.5) * z, between(-1.5, 1.5) * z, z])
            }),
            Kind::FlatSliver => {
                [(); 3].map(|()| [between(-1.2, 1.2), between(-1.2, 1.2), between(-0.9, 0.9), 1.0])
            }
            Kind::Both => {
                [(); 3].map(|()| [between(-1.5, 1.5), between(-1.5, 1.5), between(-2.5, 2.5), 1.0])
            }
            Kind::Anywhere => {
                let mut corners = [(); 3].map(|()| {
                    let size = random.of(&[1.0, 3.0, 30.0]);
                    let w = random.of(&[1.0, 0.5, -1.0, 2.0, 0.01, 5.0]) * random.between(0.5, 2.0);
                    let mut to = || {
                        // Nearly a normal distribution.
                        let sum: f32 = (0..4).map(|_| random.between(-1.0, 1.0)).sum();
                        sum * size
                    };
                    [to(), to(), to() * 0.3, w]
                });
                let which = random.of(&[0usize, 1, 2]);
                match random.of(&[0, 1, 2, 3, 4]) {
                    0 => corners[which][3] = 0.0,
                    1 => {
                        corners[0][0] = corners[0][3];
                        corners[0][1] = corners[0][3];
                        corners[1][0] = -corners[1][3];
                    }
                    _ => {}
                }
                corners
            }
        };
        let corners =
            positions.map(|position| (position, [(); 2].map(|()| random.between(-1.0, 1.0))));
        match self {
            Kind::Near | Kind::Far | Kind::Both | Kind::Anywhere => Some(corners),
            Kind::Sliver | Kind::FlatSliver | Kind::CutSliver => sliver(random, corners),
        }
    }

    /// Returns true if the triangle is of this kind: cut by its planes, or a sliver.
    pub fn is_meant(self, corners: &Corners) -> bool {
        let outside = |[.., z, w]: &[f32; 4]| z.abs() > *w;
        let cut = corners.iter().any(outside);
        match self {
            Kind::Near | Kind::Far | Kind::Both | Kind::Anywhere | Kind::CutSliver => cut,
            Kind::Sliver | Kind::FlatSliver => !cut,
        }
    }

    pub fn triangles(self, count: usize) -> impl Iterator<Item = (Corners, [[f32; 2]; 3])> {
        let mut random = Random(17 + self as u32);
        let all = core::iter::repeat_with(move || {
            let corners = self.corners(&mut random)?;
            Some((corners.map(|corner| corner.0), corners.map(|corner| corner.1)))
        });
        all.flatten().filter(move |(corners, _)| self.is_meant(corners)).take(count)
    }
}
