//! Orders triangles for a small vertex cache, and vertices by first use.
//!
//! Forsyth's linear-speed optimisation: each step takes the triangle with the highest score of its
//! vertices. Recently used vertices score high, and so do vertices with few triangles left.

use crate::soup::Mesh;

/// The cache size to optimise for. Larger caches profit, too.
const CACHE: usize = 16;

fn score(position: Option<usize>, remaining: usize) -> f32 {
    if remaining == 0 {
        return -1.0;
    }
    let recent = match position {
        None => 0.0,
        // Vertices of the last triangle have a fixed score, or strips would turn on the spot.
        Some(0..3) => 0.75,
        Some(place) => {
            let left = 1.0 - (place - 3) as f32 / (CACHE - 3) as f32;
            left * left.sqrt()
        }
    };
    recent + 2.0 / (remaining as f32).sqrt()
}

/// Reorders triangles for the cache, unless the file's order is better. Then orders vertices by
/// first use.
pub fn optimise(mesh: &mut Mesh) {
    let before = miss_rate(mesh, CACHE);
    let triangles = mesh.triangles.clone();
    order_triangles(mesh);
    if miss_rate(mesh, CACHE) > before {
        mesh.triangles = triangles;
    }
    order_vertices(mesh);
}

fn order_triangles(mesh: &mut Mesh) {
    let mut users = vec![Vec::new(); mesh.vertices.len()];
    for (id, triangle) in mesh.triangles.iter().enumerate() {
        for &vertex in triangle {
            users[vertex as usize].push(id);
        }
    }
    let mut vertex_score: Vec<f32> = users.iter().map(|list| score(None, list.len())).collect();
    let sum = |scores: &[f32], t: &[u32; 3]| t.iter().map(|&v| scores[v as usize]).sum::<f32>();
    let mut triangle_score: Vec<f32> =
        mesh.triangles.iter().map(|t| sum(&vertex_score, t)).collect();
    let mut done = vec![false; mesh.triangles.len()];
    let mut cache: Vec<u32> = Vec::new();
    let mut order = Vec::with_capacity(mesh.triangles.len());
    let mut next = None;
    while order.len() < mesh.triangles.len() {
        let id = next.unwrap_or_else(|| best(0..done.len(), &done, &triangle_score).unwrap_or(0));
        done[id] = true;
        let triangle = mesh.triangles[id];
        order.push(triangle);
        for vertex in triangle {
            users[vertex as usize].retain(|&user| user != id);
        }
        let mut touched: Vec<u32> = triangle.to_vec();
        touched.extend(cache.iter().filter(|vertex| !triangle.contains(vertex)));
        for (place, &vertex) in touched.iter().enumerate() {
            let place = (place < CACHE).then_some(place);
            vertex_score[vertex as usize] = score(place, users[vertex as usize].len());
        }
        let around = || touched.iter().flat_map(|&vertex| users[vertex as usize].iter().copied());
        for user in around() {
            triangle_score[user] = sum(&vertex_score, &mesh.triangles[user]);
        }
        next = best(around(), &done, &triangle_score);
        touched.truncate(CACHE);
        cache = touched;
    }
    mesh.triangles = order;
}

/// Returns the best triangle not yet taken; the first of equals, so that the order is reproducible.
fn best(ids: impl Iterator<Item = usize>, done: &[bool], scores: &[f32]) -> Option<usize> {
    ids.filter(|&id| !done[id]).fold(None, |best: Option<usize>, id| match best {
        Some(held)
            if (scores[held], std::cmp::Reverse(held)) >= (scores[id], std::cmp::Reverse(id)) =>
        {
            best
        }
        _ => Some(id),
    })
}

fn order_vertices(mesh: &mut Mesh) {
    let mut renamed = vec![None; mesh.vertices.len()];
    let mut vertices = Vec::with_capacity(mesh.vertices.len());
    for index in mesh.triangles.iter_mut().flatten() {
        let old = *index as usize;
        *index = *renamed[old].get_or_insert_with(|| {
            vertices.push(mesh.vertices[old]);
            vertices.len() as u32 - 1
        });
    }
    mesh.vertices = vertices;
}

/// Returns the number of vertices shaded per triangle with a first-in first-out cache of `size`
/// entries.
pub fn miss_rate(mesh: &Mesh, size: usize) -> f64 {
    let mut cache = std::collections::VecDeque::new();
    let mut misses = 0;
    for index in mesh.triangles.iter().flatten() {
        if !cache.contains(index) {
            misses += 1;
            cache.push_back(*index);
            if cache.len() > size {
                cache.pop_front();
            }
        }
    }
    misses as f64 / mesh.triangles.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soup::Vertex;

    /// Returns a grid of `n` by `n` quads with its triangles in an order that defeats a cache.
    fn shuffled_grid(n: u32) -> Mesh {
        let vertex = |i: u32| Vertex {
            position: [(i % (n + 1)) as f32, (i / (n + 1)) as f32, 0.0],
            normal: [0.0, 0.0, 1.0],
            uv: [0.0; 2],
            color: [0.0; 4],
        };
        let mut triangles = Vec::new();
        for quad in 0..n * n {
            let quad = quad * 7919 % (n * n);
            let i = quad / n * (n + 1) + quad % n;
            triangles.push([i, i + 1, i + n + 1]);
            triangles.push([i + 1, i + n + 2, i + n + 1]);
        }
        Mesh { vertices: (0..(n + 1) * (n + 1)).map(vertex).collect(), triangles }
    }

    fn canonical(mesh: &Mesh) -> Vec<[[u32; 3]; 3]> {
        let bits = |i: u32| mesh.vertices[i as usize].position.map(f32::to_bits);
        let mut all: Vec<_> = mesh.triangles.iter().map(|t| t.map(bits)).collect();
        all.sort();
        all
    }

    #[test]
    fn keeps_every_triangle_and_its_winding_and_misses_less() {
        let mut mesh = shuffled_grid(20);
        let (before, triangles) = (miss_rate(&mesh, 16), canonical(&mesh));
        optimise(&mut mesh);
        assert_eq!(canonical(&mesh), triangles);
        let after = miss_rate(&mesh, 16);
        assert!(before > 1.5 && after < 0.85, "{before} to {after}");
        // Vertices are numbered in the order of their first use.
        let mut fresh = 0;
        for &index in mesh.triangles.iter().flatten() {
            assert!(index <= fresh);
            fresh = fresh.max(index + 1);
        }
    }
}
