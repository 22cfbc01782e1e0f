//! Solids: a cube and a square as constants; spheres, cylinders, tori and grids in memory that the
//! caller gives.
//!
//! Faces are counter-clockwise seen from outside, normals are unit vectors, texture coordinates
//! are from 0 to 1 with v down.

use glam::{Vec2, Vec3};
use pipe_core::{Format, PipeError};

use crate::mesh::{Layout, MeshData};

/// Position, normal, texture coordinate.
pub type SolidVertex = [f32; 8];

/// The layout of [`SolidVertex`].
pub const LAYOUT: Layout = Layout::positions(32, Format::R32G32B32Float)
    .normal(12, Format::R32G32B32Float)
    .uv(24, Format::R32G32Float);

/// The vertices of [`cube`].
#[expect(clippy::indexing_slicing, reason = "evaluated when this crate is compiled")]
static CUBE: [SolidVertex; 24] = {
    let mut vertices = [[0.0; 8]; 24];
    let mut at = 0;
    while at < 24 {
        let (axis, side) = (at / 8, if at % 8 < 4 { 1.0 } else { -1.0 });
        let u = if at % 4 == 1 || at % 4 == 2 { 1.0 } else { -1.0 };
        let v = if at % 4 >= 2 { 1.0 } else { -1.0 };
        vertices[at][axis] = side;
        vertices[at][(axis + 1) % 3] = u * side;
        vertices[at][(axis + 2) % 3] = v;
        vertices[at][3 + axis] = side;
        vertices[at][6] = 0.5 + u * 0.5;
        vertices[at][7] = 0.5 - v * 0.5;
        at += 1;
    }
    vertices
};

/// The indices of [`cube`].
#[expect(clippy::indexing_slicing, reason = "evaluated when this crate is compiled")]
static CUBE_INDICES: [u16; 36] = {
    let mut indices = [0; 36];
    let mut at = 0;
    while at < 36 {
        indices[at] = (at / 6 * 4 + [0, 1, 2, 0, 2, 3][at % 6]) as u16;
        at += 1;
    }
    indices
};

/// The vertices of [`square`].
static SQUARE: [SolidVertex; 4] = [
    [-1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0],
    [1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0],
    [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
];

/// The indices of [`square`].
static SQUARE_INDICES: [u16; 6] = [0, 1, 2, 0, 2, 3];

/// Returns the cube from -1 to 1 in all axes: 24 vertices, 12 triangles, the whole texture on each
/// face.
pub fn cube() -> MeshData<'static> {
    MeshData::of(&CUBE, LAYOUT, &CUBE_INDICES)
}

/// Returns the square from -1 to 1 in x and y, which faces z.
pub fn square() -> MeshData<'static> {
    MeshData::of(&SQUARE, LAYOUT, &SQUARE_INDICES)
}

/// Returns the numbers of vertices and of indices of a grid of `columns`×`rows` cells: the sizes of
/// the arrays for every function of this module with columns and rows.
///
/// ```
/// use gallium_kit::solids;
/// const SIZE: [usize; 2] = solids::grid_size(16, 8);
/// static mut VERTICES: [solids::SolidVertex; SIZE[0]] = [[0.0; 8]; SIZE[0]];
/// assert_eq!(SIZE, [153, 768]);
/// ```
pub const fn grid_size(columns: u16, rows: u16) -> [usize; 2] {
    [(columns as usize + 1) * (rows as usize + 1), columns as usize * rows as usize * 6]
}

/// Fills the memory with a grid of cells; `place` returns position and normal at u and v, both 0 to
/// 1. With v downwards and u to the right, the grid faces the viewer.
///
/// # Errors
/// The memory is smaller than [`grid_size`], or the grid has more than 65,536 vertices or no cell.
pub fn grid<'a>(
    vertices: &'a mut [SolidVertex],
    indices: &'a mut [u16],
    columns: u16,
    rows: u16,
    mut place: impl FnMut(f32, f32) -> (Vec3, Vec3),
) -> Result<MeshData<'a>, PipeError> {
    let [vertex_count, index_count] = grid_size(columns, rows);
    if columns == 0 || rows == 0 {
        return Err(PipeError::Invalid("a solid without columns or rows"));
    }
    PipeError::at_most("the number of vertices of a solid", vertex_count as u64, 1 << 16)?;
    let small = |what, value: usize, limit: usize| PipeError::OutOfRange {
        what,
        value: value as u64,
        limit: limit as u64,
    };
    let there = vertices.len();
    let what = "the number of vertices of a solid (`grid_size`)";
    let vertices = vertices.get_mut(..vertex_count).ok_or(small(what, vertex_count, there))?;
    let there = indices.len();
    let what = "the number of indices of a solid (`grid_size`)";
    let indices = indices.get_mut(..index_count).ok_or(small(what, index_count, there))?;
    let width = usize::from(columns) + 1;
    for (row, line) in vertices.chunks_mut(width).enumerate() {
        let v = row as f32 / f32::from(rows);
        for (column, vertex) in line.iter_mut().enumerate() {
            let u = column as f32 / f32::from(columns);
            let (position, normal) = place(u, v);
            let ([x, y, z], [a, b, c]) = (position.to_array(), normal.to_array());
            *vertex = [x, y, z, a, b, c, u, v];
        }
    }
    for (cell, corners) in indices.as_chunks_mut::<6>().0.iter_mut().enumerate() {
        let (row, column) = (cell / usize::from(columns), cell % usize::from(columns));
        let upper = row * width + column;
        let lower = upper + width;
        // All are below 65,536.
        *corners = [upper, lower, lower + 1, upper, lower + 1, upper + 1].map(|it| it as u16);
    }
    Ok(MeshData::of(vertices, LAYOUT, indices))
}

/// Fills the memory with a plane from -1 to 1 in x and z, which faces y: a floor of cells.
///
/// # Errors
/// See [`grid`].
pub fn plane<'a>(
    vertices: &'a mut [SolidVertex],
    indices: &'a mut [u16],
    columns: u16,
    rows: u16,
) -> Result<MeshData<'a>, PipeError> {
    grid(vertices, indices, columns, rows, |u, v| {
        (Vec3::new(2.0 * u - 1.0, 0.0, 2.0 * v - 1.0), Vec3::Y)
    })
}

/// Fills the memory with a sphere of radius 1: columns about y, rows from the upper pole down.
///
/// # Errors
/// See [`grid`].
pub fn sphere<'a>(
    vertices: &'a mut [SolidVertex],
    indices: &'a mut [u16],
    columns: u16,
    rows: u16,
) -> Result<MeshData<'a>, PipeError> {
    grid(vertices, indices, columns, rows, |u, v| {
        let (around, down) = (turn(u), turn(0.5 * v));
        let normal = Vec3::new(down.y * around.y, down.x, down.y * around.x);
        (normal, normal)
    })
}

/// Fills the memory with the side of a cylinder of radius 1, from -1 to 1 in y. It has no caps.
///
/// # Errors
/// See [`grid`].
pub fn cylinder<'a>(
    vertices: &'a mut [SolidVertex],
    indices: &'a mut [u16],
    columns: u16,
    rows: u16,
) -> Result<MeshData<'a>, PipeError> {
    grid(vertices, indices, columns, rows, |u, v| {
        let around = turn(u);
        let normal = Vec3::new(around.y, 0.0, around.x);
        (normal.with_y(1.0 - 2.0 * v), normal)
    })
}

/// Fills the memory with a torus about y: the ring has radius 1, its tube the radius `tube`.
///
/// # Errors
/// See [`grid`].
pub fn torus<'a>(
    vertices: &'a mut [SolidVertex],
    indices: &'a mut [u16],
    columns: u16,
    rows: u16,
    tube: f32,
) -> Result<MeshData<'a>, PipeError> {
    grid(vertices, indices, columns, rows, |u, v| {
        let (around, across) = (turn(u), turn(v));
        let out = Vec3::new(around.y, 0.0, around.x);
        let normal = out * across.y + Vec3::Y * across.x;
        (out + normal * tube, normal)
    })
}

/// Returns cosine and sine of an angle in turns.
fn turn(turns: f32) -> Vec2 {
    Vec2::from_angle(turns * core::f32::consts::TAU)
}
