//! Reduces the number of triangles: edge collapse by quadric error (Garland and Heckbert, 1997).
//!
//! A collapse keeps one of the edge's two positions, so it adds no positions. It is refused if it
//! would turn a face over or join two sheets of the surface (the link condition).

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

use crate::soup::{Corner, DEFAULT_GROUP, Soup};

/// The squared distance to a set of planes: a symmetric 4×4 matrix, upper half.
#[derive(Clone, Copy, Default)]
struct Quadric([f64; 10]);

impl Quadric {
    fn of_plane([a, b, c]: [f64; 3], d: f64, weight: f64) -> Quadric {
        let m = [a * a, a * b, a * c, a * d, b * b, b * c, b * d, c * c, c * d, d * d];
        Quadric(m.map(|x| x * weight))
    }

    fn add(&mut self, other: &Quadric) {
        for (x, y) in self.0.iter_mut().zip(other.0) {
            *x += y;
        }
    }

    fn error(&self, [x, y, z]: [f64; 3]) -> f64 {
        let [aa, ab, ac, ad, bb, bc, bd, cc, cd, dd] = self.0;
        aa * x * x
            + bb * y * y
            + cc * z * z
            + dd
            + 2.0 * (ab * x * y + ac * x * z + bc * y * z + ad * x + bd * y + cd * z)
    }
}

/// A collapse in the queue.
#[derive(PartialEq)]
struct Candidate {
    error: f64,
    from: u32,
    into: u32,
    /// The versions of both ends at that time; a candidate with older versions is stale.
    versions: [u32; 2],
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap returns its largest element: the smallest error, then the lowest ids.
        let key = |c: &Candidate| (c.from, c.into);
        other.error.total_cmp(&self.error).then_with(|| key(other).cmp(&key(self)))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Work {
    points: Vec<[f64; 3]>,
    faces: Vec<Option<[u32; 3]>>,
    users: Vec<BTreeSet<usize>>,
    quadrics: Vec<Quadric>,
    versions: Vec<u32>,
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Collapses edges until at most `target` triangles are left, or no edge can be collapsed.
///
/// Drops the normals, texture coordinates, colours and smoothing groups of the file, because they
/// belong to corners that move.
pub fn decimate(soup: &mut Soup, target: usize) {
    let mut work = Work::new(soup);
    let mut left = soup.triangles.len();
    let mut queue: BinaryHeap<Candidate> = BinaryHeap::new();
    for (a, b) in work.edges() {
        queue.extend(work.candidate(a, b));
    }
    while left > target
        && let Some(candidate) = queue.pop()
    {
        let ends = [candidate.from, candidate.into];
        if ends.map(|v| work.versions[v as usize]) != candidate.versions || !work.allowed(ends) {
            continue;
        }
        left -= work.collapse(ends);
        for other in work.neighbours(candidate.into) {
            queue.extend(work.candidate(candidate.into, other));
        }
    }
    let corner = |position: u32| Corner { position, uv: None, normal: None, color: None };
    soup.triangles = work.faces.iter().flatten().map(|face| face.map(corner)).collect();
    soup.groups = vec![DEFAULT_GROUP; soup.triangles.len()];
    soup.normals.clear();
    soup.uvs.clear();
}

impl Work {
    fn new(soup: &Soup) -> Work {
        let points: Vec<[f64; 3]> = soup.positions.iter().map(|p| p.map(f64::from)).collect();
        let faces: Vec<Option<[u32; 3]>> =
            soup.triangles.iter().map(|t| Some(t.map(|corner| corner.position))).collect();
        let mut work = Work {
            users: vec![BTreeSet::new(); points.len()],
            quadrics: vec![Quadric::default(); points.len()],
            versions: vec![0; points.len()],
            points,
            faces,
        };
        for (id, face) in work.faces.iter().enumerate() {
            for &vertex in face.iter().flatten() {
                work.users[vertex as usize].insert(id);
            }
        }
        for face in work.faces.iter().flatten() {
            let normal = normal(face.map(|v| work.points[v as usize]));
            let area = dot(normal, normal).sqrt();
            if area > 0.0 {
                let unit = normal.map(|x| x / area);
                let d = -dot(unit, work.points[face[0] as usize]);
                let plane = Quadric::of_plane(unit, d, area);
                face.iter().for_each(|&v| work.quadrics[v as usize].add(&plane));
            }
        }
        work.hold_borders();
        work
    }

    /// Adds a heavy plane perpendicular to the face at each edge with one face only, so that
    /// borders stay in place.
    fn hold_borders(&mut self) {
        for (a, b) in self.edges() {
            let shared: Vec<usize> =
                self.users[a as usize].intersection(&self.users[b as usize]).copied().collect();
            let &[only] = shared.as_slice() else { continue };
            let Some(face) = self.faces[only] else { continue };
            let along = sub(self.points[b as usize], self.points[a as usize]);
            let across = cross(along, normal(face.map(|v| self.points[v as usize])));
            let length = dot(across, across).sqrt();
            if length > 0.0 {
                let unit = across.map(|x| x / length);
                let d = -dot(unit, self.points[a as usize]);
                let plane = Quadric::of_plane(unit, d, 100.0 * dot(along, along));
                self.quadrics[a as usize].add(&plane);
                self.quadrics[b as usize].add(&plane);
            }
        }
    }

    fn edges(&self) -> BTreeSet<(u32, u32)> {
        let sides = |[a, b, c]: [u32; 3]| [(a, b), (b, c), (c, a)];
        let sorted = |(a, b): (u32, u32)| (a.min(b), a.max(b));
        self.faces.iter().flatten().flat_map(|face| sides(*face).map(sorted)).collect()
    }

    fn neighbours(&self, vertex: u32) -> BTreeSet<u32> {
        let faces = self.users[vertex as usize].iter().filter_map(|&id| self.faces[id]);
        faces.flatten().filter(|&other| other != vertex).collect()
    }

    /// Returns the cheaper of the two collapses of an edge.
    fn candidate(&self, a: u32, b: u32) -> Option<Candidate> {
        let mut quadric = self.quadrics[a as usize];
        quadric.add(&self.quadrics[b as usize]);
        [(a, b), (b, a)]
            .into_iter()
            .map(|(from, into)| Candidate {
                error: quadric.error(self.points[into as usize]),
                from,
                into,
                versions: [from, into].map(|v| self.versions[v as usize]),
            })
            .max()
    }

    fn allowed(&self, [from, into]: [u32; 2]) -> bool {
        let shared = self.users[from as usize].intersection(&self.users[into as usize]).count();
        let common = self.neighbours(from).intersection(&self.neighbours(into)).count();
        shared > 0
            && common == shared
            && !self.turns_over(from, into)
            && !self.folds_flat(from, into)
    }

    /// Returns true if a moved face would coincide with an existing one, as when a tetrahedron
    /// collapses.
    fn folds_flat(&self, from: u32, into: u32) -> bool {
        let sorted = |mut face: [u32; 3]| {
            face.sort();
            face
        };
        let of = |v: u32| self.users[v as usize].iter().filter_map(|&id| self.faces[id]);
        let there: BTreeSet<[u32; 3]> = of(into).map(sorted).collect();
        let moved = |face: [u32; 3]| sorted(face.map(|v| if v == from { into } else { v }));
        of(from).filter(|face| !face.contains(&into)).any(|face| there.contains(&moved(face)))
    }

    fn turns_over(&self, from: u32, into: u32) -> bool {
        let faces = self.users[from as usize].iter().filter_map(|&id| self.faces[id]);
        faces.filter(|face| !face.contains(&into)).any(|face| {
            let before = normal(face.map(|v| self.points[v as usize]));
            let moved = face.map(|v| self.points[if v == from { into } else { v } as usize]);
            let after = normal(moved);
            // More than about 75 degrees off counts as turned.
            dot(before, after) <= 0.25 * (dot(before, before) * dot(after, after)).sqrt()
        })
    }

    /// Moves every face of `from` to `into`; returns the number of faces removed.
    fn collapse(&mut self, [from, into]: [u32; 2]) -> usize {
        let mut gone = 0;
        for id in std::mem::take(&mut self.users[from as usize]) {
            let Some(face) = self.faces[id] else { continue };
            if face.contains(&into) {
                self.faces[id] = None;
                gone += 1;
                for vertex in face {
                    self.users[vertex as usize].remove(&id);
                }
            } else {
                self.faces[id] = Some(face.map(|v| if v == from { into } else { v }));
                self.users[into as usize].insert(id);
            }
        }
        let absorbed = self.quadrics[from as usize];
        self.quadrics[into as usize].add(&absorbed);
        self.versions[from as usize] += 1;
        self.versions[into as usize] += 1;
        gone
    }
}

fn normal([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    cross(sub(b, a), sub(c, a))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a flat square of `n` by `n` quads.
    fn plate(n: u32) -> Soup {
        let mut soup = Soup::default();
        let corner = |position: u32| Corner { position, uv: None, normal: None, color: None };
        for i in 0..(n + 1) * (n + 1) {
            soup.positions.push([(i % (n + 1)) as f32, (i / (n + 1)) as f32, 0.0]);
        }
        for quad in 0..n * n {
            let i = quad / n * (n + 1) + quad % n;
            soup.push([i, i + 1, i + n + 1].map(corner), DEFAULT_GROUP);
            soup.push([i + 1, i + n + 2, i + n + 1].map(corner), DEFAULT_GROUP);
        }
        soup
    }

    #[test]
    fn a_plate_keeps_its_area_and_its_side() {
        let mut soup = plate(8);
        decimate(&mut soup, 8);
        assert!(soup.triangles.len() <= 8, "{}", soup.triangles.len());
        let mut doubled = 0.0;
        for triangle in &soup.triangles {
            let [x, y, z] =
                normal(triangle.map(|c| soup.positions[c.position as usize].map(f64::from)));
            assert!(x == 0.0 && y == 0.0 && z > 0.0);
            doubled += z;
        }
        assert_eq!(doubled, 128.0);
    }

    #[test]
    fn a_closed_surface_stays_closed() {
        let mut soup = crate::soup::tests::octahedron();
        soup.weld();
        // A tetrahedron is the smallest closed surface.
        decimate(&mut soup, 0);
        assert!((4..8).contains(&soup.triangles.len()));
        let mut directed = BTreeSet::new();
        for triangle in &soup.triangles {
            let [a, b, c] = triangle.map(|corner| corner.position);
            for edge in [(a, b), (b, c), (c, a)] {
                assert!(directed.insert(edge), "two faces on one side of {edge:?}");
            }
        }
        assert!(directed.iter().all(|&(a, b)| directed.contains(&(b, a))));
    }
}
