//! Solids: their volumes, and which way their faces look.

use std::f64::consts::PI;

use gallium_kit::MeshData;
use gallium_kit::solids::{self, SolidVertex, grid_size};
use pipe_core::PipeError;

/// Returns six times the volume that the triangles enclose with the origin, after checks of each
/// triangle: its corners' normals are unit vectors, and it faces where they point.
fn volume(data: &MeshData<'_>) -> f64 {
    let vertices: &[SolidVertex] = bytemuck::cast_slice(data.vertices);
    let indices: &[u16] = bytemuck::cast_slice(data.indices);
    let mut sum = 0.0;
    for triangle in indices.as_chunks::<3>().0 {
        let corners = triangle.map(|index| vertices[usize::from(index)].map(f64::from));
        let [a, b, c] = corners.map(|it| [it[0], it[1], it[2]]);
        let sub = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let face = cross(sub(b, a), sub(c, a));
        sum += dot(a, cross(b, c));
        for corner in corners {
            let normal = [corner[3], corner[4], corner[5]];
            assert!((dot(normal, normal) - 1.0).abs() < 1e-5, "{normal:?}");
            // Triangles at poles have no area.
            let area = dot(face, face).sqrt();
            assert!(area < 1e-6 || dot(face, normal) > 0.5 * area, "{corners:?}");
            assert!((0.0..=1.0).contains(&corner[6]) && (0.0..=1.0).contains(&corner[7]));
        }
    }
    sum / 6.0
}

#[test]
fn constant_solids_face_outwards() {
    assert_eq!(volume(&solids::cube()), 8.0);
    assert_eq!(volume(&solids::square()), 0.0);
    assert_eq!((solids::cube().vertices.len(), solids::cube().indices.len()), (24 * 32, 72));
}

#[test]
fn made_solids_have_their_volumes() -> Result<(), PipeError> {
    let [vertex_count, index_count] = grid_size(48, 32);
    let (mut vertices, mut indices) = (vec![[0.0; 8]; vertex_count], vec![0; index_count]);
    let sphere = volume(&solids::sphere(&mut vertices, &mut indices, 48, 32)?);
    assert!((sphere / (4.0 / 3.0 * PI) - 1.0).abs() < 0.01, "{sphere}");
    // Without caps, the pyramids from the origin to the side are two thirds of the cylinder.
    let cylinder = volume(&solids::cylinder(&mut vertices, &mut indices, 48, 32)?);
    assert!((cylinder / (2.0 * PI * 2.0 / 3.0) - 1.0).abs() < 0.01, "{cylinder}");
    let torus = volume(&solids::torus(&mut vertices, &mut indices, 48, 32, 0.25)?);
    assert!((torus / (2.0 * PI * PI * 0.0625) - 1.0).abs() < 0.02, "{torus}");
    let plane = solids::plane(&mut vertices, &mut indices, 48, 32)?;
    assert_eq!(volume(&plane), 0.0);
    assert_eq!(plane.vertices.len(), vertex_count * 32);
    Ok(())
}

#[test]
fn memory_that_is_too_small_is_an_error() {
    let mut few = [[0.0; 8]; 8];
    let error = solids::sphere(&mut few, &mut [0; 24], 2, 2).unwrap_err();
    let text = "the number of vertices of a solid (`grid_size`) is 9, the limit is 8";
    assert_eq!(error.to_string(), text);
    let mut enough = [[0.0; 8]; 9];
    let error = solids::sphere(&mut enough, &mut [0; 23], 2, 2).unwrap_err();
    assert!(error.to_string().ends_with("is 24, the limit is 23"), "{error}");
    assert!(solids::plane(&mut [], &mut [], 0, 4).is_err());
    assert!(solids::plane(&mut [], &mut [], 65_000, 65_000).is_err());
}
