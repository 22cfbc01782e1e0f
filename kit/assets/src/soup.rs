//! A polygon soup, and its conversion to an indexed mesh: weld, normals, texture coordinates, scale.
//!
//! All arithmetic is `+ - * /`, `sqrt` and `libm`, so that the bytes are the same on every machine.

use std::collections::HashMap;

/// One corner of a triangle: indices into the arrays of a [`Soup`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corner {
    /// The position.
    pub position: u32,
    /// The texture coordinate, if the file has one.
    pub uv: Option<u32>,
    /// The normal, if the file has one.
    pub normal: Option<u32>,
    /// The colour, if the file has one.
    pub color: Option<u32>,
}

/// The smoothing group of triangles without one: they share normals with each other.
pub const DEFAULT_GROUP: u32 = 1;

/// The contents of a mesh file. Each attribute has a separate index.
#[derive(Clone, Debug, Default)]
pub struct Soup {
    /// Positions.
    pub positions: Vec<[f32; 3]>,
    /// Texture coordinates.
    pub uvs: Vec<[f32; 2]>,
    /// Normals.
    pub normals: Vec<[f32; 3]>,
    /// Colours: red, green, blue, alpha from 0 to 1.
    pub colors: Vec<[f32; 4]>,
    /// Triangles.
    pub triangles: Vec<[Corner; 3]>,
    /// The smoothing group of each triangle; 0: its edges are sharp.
    pub groups: Vec<u32>,
    /// The positions of bicubic Bézier patches, row by row.
    pub patches: Vec<[u32; 16]>,
}

/// A vertex with all its attributes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// Position in model space.
    pub position: [f32; 3],
    /// Unit normal.
    pub normal: [f32; 3],
    /// Texture coordinate; 0 if the mesh has none.
    pub uv: [f32; 2],
    /// Colour: red, green, blue, alpha; 0 if the mesh has none.
    pub color: [f32; 4],
}

/// An indexed triangle list; every index is within `vertices`.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Vertices.
    pub vertices: Vec<Vertex>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
}

/// A projection that generates texture coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Longitude about y, and latitude.
    Spherical,
    /// Longitude about y, and height.
    Cylindrical,
}

/// Returns `a` - `b`.
pub(crate) fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Returns the dot product.
pub(crate) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the cross product.
pub(crate) fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn normalize(a: [f32; 3]) -> Option<[f32; 3]> {
    let length = dot(a, a).sqrt();
    (length > 0.0).then(|| a.map(|x| x / length))
}

impl Soup {
    /// Merges equal positions and drops triangles without area.
    pub fn weld(&mut self) {
        let mut seen = HashMap::new();
        let mut kept = Vec::new();
        let mut renamed = Vec::with_capacity(self.positions.len());
        for position in &self.positions {
            // `+ 0.0` gives -0 and 0 the same key.
            let key = position.map(|x| (x + 0.0).to_bits());
            let id = *seen.entry(key).or_insert_with(|| {
                kept.push(*position);
                kept.len() as u32 - 1
            });
            renamed.push(id);
        }
        self.positions = kept;
        for corner in self.triangles.iter_mut().flatten() {
            corner.position = renamed[corner.position as usize];
        }
        let positions = &self.positions;
        let kept: Vec<bool> = self
            .triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.map(|corner| positions[corner.position as usize]);
                let normal = cross(sub(b, a), sub(c, a));
                dot(normal, normal) > 0.0
            })
            .collect();
        let mut keep = kept.iter();
        self.triangles.retain(|_| keep.next() == Some(&true));
        let mut keep = kept.iter();
        self.groups.retain(|_| keep.next() == Some(&true));
    }

    /// Adds a triangle of a smoothing group.
    pub fn push(&mut self, triangle: [Corner; 3], group: u32) {
        self.triangles.push(triangle);
        self.groups.push(group);
    }

    /// Moves the middle of the bounding box to the origin and the farthest vertex to distance 1.
    pub fn normalise_scale(&mut self) {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for position in &self.positions {
            for axis in 0..3 {
                low[axis] = low[axis].min(position[axis]);
                high[axis] = high[axis].max(position[axis]);
            }
        }
        let centre = [0, 1, 2].map(|axis| (low[axis] + high[axis]) * 0.5);
        let mut farthest = 0.0f32;
        for position in &mut self.positions {
            *position = sub(*position, centre);
            farthest = farthest.max(dot(*position, *position));
        }
        let scale = if farthest > 0.0 { 1.0 / farthest.sqrt() } else { 1.0 };
        for position in &mut self.positions {
            *position = position.map(|x| x * scale);
        }
    }

    /// Sets the normal of corners without one to the sum of the faces around the position, weighted
    /// by angle. Faces that meet at more than `sharp_degrees`, faces of different smoothing groups
    /// and faces of group 0 do not share a normal.
    pub fn smooth_normals(&mut self, sharp_degrees: f32) {
        let cos_sharp = libm::cosf(sharp_degrees.to_radians());
        let faces: Vec<[f32; 3]> = self
            .triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.map(|corner| self.positions[corner.position as usize]);
                normalize(cross(sub(b, a), sub(c, a))).unwrap_or([0.0, 1.0, 0.0])
            })
            .collect();
        let mut around = vec![Vec::new(); self.positions.len()];
        for (face, triangle) in self.triangles.iter().enumerate() {
            for corner in 0..3 {
                let weight = self.angle(triangle, corner);
                around[triangle[corner].position as usize].push((face, weight));
            }
        }
        let groups = &self.groups;
        let group = |face: usize| groups.get(face).copied().unwrap_or(DEFAULT_GROUP);
        let share = |a: usize, b: usize| a == b || (group(a) != 0 && group(a) == group(b));
        let mut seen: HashMap<[u32; 3], u32> = HashMap::new();
        for (face, triangle) in self.triangles.iter_mut().enumerate() {
            for corner in triangle.iter_mut().filter(|corner| corner.normal.is_none()) {
                let mut sum = [0.0f32; 3];
                for &(other, weight) in &around[corner.position as usize] {
                    if share(face, other) && dot(faces[face], faces[other]) >= cos_sharp {
                        sum = [0, 1, 2].map(|axis| sum[axis] + faces[other][axis] * weight);
                    }
                }
                let normal = normalize(sum).unwrap_or(faces[face]);
                let normals = &mut self.normals;
                let id = *seen.entry(normal.map(f32::to_bits)).or_insert_with(|| {
                    normals.push(normal);
                    normals.len() as u32 - 1
                });
                corner.normal = Some(id);
            }
        }
    }

    fn angle(&self, triangle: &[Corner; 3], corner: usize) -> f32 {
        let at = |i: usize| self.positions[triangle[(corner + i) % 3].position as usize];
        let (to_next, to_last) = (normalize(sub(at(1), at(0))), normalize(sub(at(2), at(0))));
        match (to_next, to_last) {
            (Some(a), Some(b)) => libm::acosf(dot(a, b).clamp(-1.0, 1.0)),
            _ => 0.0,
        }
    }

    /// Computes a texture coordinate for every corner, and cuts the mesh where longitude wraps, at
    /// -z.
    ///
    /// The texture repeats `repeat` times around the mesh; the middle of one repetition is at +z.
    pub fn project_uv(&mut self, projection: Projection, repeat: f32) {
        let low = self.positions.iter().map(|p| p[1]).fold(f32::INFINITY, f32::min);
        let high = self.positions.iter().map(|p| p[1]).fold(f32::NEG_INFINITY, f32::max);
        let height = if high > low { high - low } else { 1.0 };
        let turn = core::f32::consts::TAU;
        let mut triangles = std::mem::take(&mut self.triangles);
        for triangle in &mut triangles {
            let at = triangle.map(|corner| self.positions[corner.position as usize]);
            let on_axis = at.map(|p| p[0] * p[0] + p[2] * p[2] < 1e-8);
            let mut u = at.map(|p| libm::atan2f(p[0], p[2]) / turn + 0.5);
            // In a triangle across the seam, the small longitudes move up by one turn.
            let widest = |u: [f32; 3], skip: [bool; 3]| {
                let used = || (0..3).filter(|&i| !skip[i]).map(|i| u[i]);
                used().fold(f32::NEG_INFINITY, f32::max) - used().fold(f32::INFINITY, f32::min)
            };
            if widest(u, on_axis) > 0.5 {
                u = u.map(|u| if u < 0.5 { u + 1.0 } else { u });
            }
            // A pole has no longitude: take the mean of its neighbours.
            for pole in (0..3).filter(|&i| on_axis[i]) {
                u[pole] = (u[(pole + 1) % 3] + u[(pole + 2) % 3]) * 0.5;
            }
            for (i, corner) in triangle.iter_mut().enumerate() {
                let p = at[i];
                let v = match projection {
                    Projection::Cylindrical => (high - p[1]) / height,
                    Projection::Spherical => {
                        let radius = dot(p, p).sqrt();
                        let cosine = if radius > 0.0 { p[1] / radius } else { 0.0 };
                        libm::acosf(cosine.clamp(-1.0, 1.0)) / (turn * 0.5)
                    }
                };
                self.uvs.push([(u[i] - 0.5) * repeat + 0.5, v]);
                corner.uv = Some(self.uvs.len() as u32 - 1);
            }
        }
        self.triangles = triangles;
    }

    /// Creates one index per vertex. Corners that agree in every attribute share a vertex.
    pub fn index(&self) -> Mesh {
        let mut mesh = Mesh::default();
        let mut seen: HashMap<[u32; 12], u32> = HashMap::new();
        for triangle in &self.triangles {
            let indices = triangle.map(|corner| {
                let vertex = Vertex {
                    position: self.positions[corner.position as usize],
                    normal: corner.normal.map_or([0.0; 3], |i| self.normals[i as usize]),
                    uv: corner.uv.map_or([0.0; 2], |i| self.uvs[i as usize]),
                    color: corner.color.map_or([0.0; 4], |i| self.colors[i as usize]),
                };
                let [x, y, z] = vertex.position.map(f32::to_bits);
                let [nx, ny, nz] = vertex.normal.map(f32::to_bits);
                let [u, v] = vertex.uv.map(f32::to_bits);
                let [r, g, b, a] = vertex.color.map(f32::to_bits);
                *seen.entry([x, y, z, nx, ny, nz, u, v, r, g, b, a]).or_insert_with(|| {
                    mesh.vertices.push(vertex);
                    mesh.vertices.len() as u32 - 1
                })
            });
            mesh.triangles.push(indices);
        }
        mesh
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn corner(position: u32) -> Corner {
        Corner { position, uv: None, normal: None, color: None }
    }

    /// Returns an octahedron: outward faces counter-clockwise, separate corners for each face.
    pub(crate) fn octahedron() -> Soup {
        let mut soup = Soup::default();
        for (x, y, z) in [(1, 1, 1), (-1, 1, -1), (-1, -1, 1), (1, -1, -1)]
            .into_iter()
            .flat_map(|(x, y, z)| [(x, y, z), (-x, -y, -z)])
        {
            let (px, py, pz) = ([x as f32, 0.0, 0.0], [0.0, y as f32, 0.0], [0.0, 0.0, z as f32]);
            let first = soup.positions.len() as u32;
            // Each mirrored axis reverses the order.
            if x * y * z > 0 {
                soup.positions.extend([px, py, pz]);
            } else {
                soup.positions.extend([px, pz, py]);
            }
            soup.push([corner(first), corner(first + 1), corner(first + 2)], DEFAULT_GROUP);
        }
        soup
    }

    #[test]
    fn weld_merges_corners_and_drops_slivers() {
        let mut soup = octahedron();
        soup.push([corner(0), corner(0), corner(1)], DEFAULT_GROUP);
        soup.weld();
        assert_eq!((soup.positions.len(), soup.triangles.len()), (6, 8));
    }

    #[test]
    fn an_octahedron_has_radial_normals() {
        let mut soup = octahedron();
        soup.weld();
        soup.smooth_normals(180.0);
        let mesh = soup.index();
        assert_eq!(mesh.vertices.len(), 6);
        for vertex in &mesh.vertices {
            assert!(dot(vertex.position, vertex.normal) > 0.9999, "{vertex:?}");
        }
    }

    #[test]
    fn sharp_edges_split_vertices() {
        let mut soup = octahedron();
        soup.weld();
        // The faces of an octahedron meet at 70.5 degrees.
        soup.smooth_normals(60.0);
        assert_eq!(soup.index().vertices.len(), 24);
    }

    #[test]
    fn scale_puts_the_farthest_vertex_at_one() {
        let mut soup = octahedron();
        for position in &mut soup.positions {
            *position = [position[0] * 4.0 + 10.0, position[1] * 2.0, position[2]];
        }
        soup.normalise_scale();
        let far = soup.positions.iter().map(|p| dot(*p, *p)).fold(0.0, f32::max);
        assert_eq!(far, 1.0);
        assert!(
            soup.positions.contains(&[1.0, 0.0, 0.0]) && soup.positions.contains(&[0.0, -0.5, 0.0])
        );
    }

    #[test]
    fn no_triangle_spans_half_the_texture() {
        let mut soup = octahedron();
        soup.weld();
        soup.project_uv(Projection::Spherical, 1.0);
        for triangle in &soup.triangles {
            let uv = triangle.map(|corner| soup.uvs[corner.uv.unwrap() as usize]);
            let u = uv.map(|uv| uv[0]);
            let span =
                u.iter().fold(0.0f32, |m, x| m.max(*x)) - u.iter().fold(9.0f32, |m, x| m.min(*x));
            assert!(span <= 0.25 + 1e-6, "{u:?}");
        }
    }
}
