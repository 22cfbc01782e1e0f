//! Polygons to triangles.

use earcut::Earcut;

/// Returns the triangles of a polygon, as places in its list of corners, with the polygon's winding.
///
/// A convex polygon becomes a fan from its first corner. A concave one is cut by its ears, in the
/// plane that it faces; corners should be near a plane, and edges must not cross.
pub(crate) fn triangles(corners: &[[f32; 3]]) -> Vec<[usize; 3]> {
    let fan = || (1..corners.len().saturating_sub(1)).map(|at| [0, at, at + 1]).collect();
    if corners.len() <= 3 {
        return fan();
    }
    let flat = flatten(corners);
    let turn = |[a, b, c]: [usize; 3]| {
        let [a, b, c] = [a, b, c].map(|at| flat[at]);
        (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
    };
    let count = corners.len();
    let is_convex = (0..count).all(|at| turn([at, (at + 1) % count, (at + 2) % count]) >= 0.0);
    if is_convex {
        return fan();
    }
    let mut cut: Vec<usize> = Vec::new();
    Earcut::new().earcut(flat.iter().copied(), &[], &mut cut);
    let triangles: Vec<[usize; 3]> = cut.as_chunks().0.to_vec();
    if triangles.is_empty() {
        return fan();
    }
    let upright = |[a, b, c]: [usize; 3]| if turn([a, b, c]) < 0.0 { [a, c, b] } else { [a, b, c] };
    triangles.into_iter().map(upright).collect()
}

/// Returns the corners in 2D, seen from the side that the polygon faces: counter-clockwise.
fn flatten(corners: &[[f32; 3]]) -> Vec<[f64; 2]> {
    let points: Vec<[f64; 3]> = corners.iter().map(|it| it.map(f64::from)).collect();
    // Newell's normal: twice the area of the polygon's shadow on each plane of two axes.
    let mut normal = [0.0; 3];
    for (at, a) in points.iter().enumerate() {
        let b = points[(at + 1) % points.len()];
        for (axis, sum) in normal.iter_mut().enumerate() {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            *sum += a[u] * b[v] - b[u] * a[v];
        }
    }
    let widest = |a: &usize, b: &usize| normal[*a].abs().total_cmp(&normal[*b].abs());
    let axis = (0..3).max_by(widest).unwrap_or(2);
    let (mut u, mut v) = ((axis + 1) % 3, (axis + 2) % 3);
    if normal[axis] < 0.0 {
        (u, v) = (v, u);
    }
    points.iter().map(|point| [point[u], point[v]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the areas of the triangles in the plane of x and z, seen from y.
    fn areas(corners: &[[f32; 3]]) -> Vec<f32> {
        let area = |[a, b, c]: [usize; 3]| {
            let [a, b, c] = [a, b, c].map(|at| corners[at]);
            ((b[2] - a[2]) * (c[0] - a[0]) - (c[2] - a[2]) * (b[0] - a[0])) / 2.0
        };
        triangles(corners).into_iter().map(area).collect()
    }

    #[test]
    fn a_convex_polygon_is_a_fan() {
        let square = [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [2.0, 0.0, 2.0], [2.0, 0.0, 0.0]];
        assert_eq!(triangles(&square), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(areas(&square), [2.0, 2.0]);
        assert_eq!(triangles(&square[..2]), [[0; 3]; 0]);
    }

    #[test]
    fn a_gear_face_keeps_its_area_from_both_sides() {
        // Teeth of a gear in the plane of x and z: every second corner lies inwards.
        let gear: Vec<[f32; 3]> = (0..40)
            .map(|at| {
                let (sin, cos) = (at as f32 * core::f32::consts::TAU / 40.0).sin_cos();
                let radius = if at % 2 == 0 { 1.0 } else { 0.5 };
                [radius * sin, 3.0, radius * cos]
            })
            .collect();
        // Each of 40 triangles with the centre has half the product of the radii and the sine.
        let expected = 40.0 * 0.5 * 1.0 * 0.5 * (core::f32::consts::TAU / 40.0).sin();
        let front = areas(&gear);
        assert_eq!(front.len(), 38);
        assert!(front.iter().all(|area| *area > 0.0), "{front:?}");
        assert!((front.iter().sum::<f32>() - expected).abs() < 1e-4);
        let turned: Vec<[f32; 3]> = gear.iter().rev().copied().collect();
        let back = areas(&turned);
        assert!(back.iter().all(|area| *area < 0.0), "{back:?}");
        assert!((back.iter().sum::<f32>() + expected).abs() < 1e-4);
    }
}
