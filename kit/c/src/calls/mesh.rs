//! Meshes: of C's vertices, and solids.

use core::mem::MaybeUninit;

use gallium::kit::{self, solids};
use gallium::os_shim::{Box, Memory, Vec};
use gallium::pipe_core::PipeError;

use super::{device, mesh_data, place, reference};
use crate::data::MeshData;
use crate::error::{Code, Fault};
use crate::object::{Gallium, Mesh, Raster, answer, hand_over};

/// Creates a mesh over its vertices and indices, which are not copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_mesh_create(
    gallium: *mut Gallium,
    data: *const MeshData,
    mesh: *mut *mut Mesh,
) -> Code {
    // SAFETY: null or valid, as the header demands; so are vertices and indices.
    let (device, data, mesh) = unsafe {
        let data = reference(data).and_then(|data| mesh_data(data));
        (device(gallium), data, place(mesh))
    };
    answer(device, |raster| make(raster, &data?, mesh?))
}

/// Creates the cube from -1 to 1 in all axes, with normals and texture coordinates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_mesh_cube(gallium: *mut Gallium, mesh: *mut *mut Mesh) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, mesh) = unsafe { (device(gallium), place(mesh)) };
    answer(device, |raster| make(raster, &solids::cube(), mesh?))
}

/// Creates the square from -1 to 1 in x and y, which faces z, with normals and texture coordinates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_mesh_square(gallium: *mut Gallium, mesh: *mut *mut Mesh) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, mesh) = unsafe { (device(gallium), place(mesh)) };
    answer(device, |raster| make(raster, &solids::square(), mesh?))
}

/// Creates a plane from -1 to 1 in x and z, which faces y, of `columns` times `rows` cells.
///
/// Vertices and indices of this mesh and of the next ones are in memory of the `gallium`: 32 bytes
/// for each of (columns + 1) times (rows + 1) vertices, and 12 bytes per cell.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_mesh_plane(
    gallium: *mut Gallium,
    columns: u16,
    rows: u16,
    mesh: *mut *mut Mesh,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, mesh) = unsafe { (device(gallium), place(mesh)) };
    answer(device, |raster| {
        let (vertices, indices) = grid(raster.memory, columns, rows)?;
        make(raster, &solids::plane(vertices, indices, columns, rows)?, mesh?)
    })
}

/// Creates a sphere of radius 1: columns about y, rows from the upper pole down.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_mesh_sphere(
    gallium: *mut Gallium,
    columns: u16,
    rows: u16,
    mesh: *mut *mut Mesh,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, mesh) = unsafe { (device(gallium), place(mesh)) };
    answer(device, |raster| {
        let (vertices, indices) = grid(raster.memory, columns, rows)?;
        make(raster, &solids::sphere(vertices, indices, columns, rows)?, mesh?)
    })
}

/// Creates the side of a cylinder of radius 1, from -1 to 1 in y. It has no caps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_mesh_cylinder(
    gallium: *mut Gallium,
    columns: u16,
    rows: u16,
    mesh: *mut *mut Mesh,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, mesh) = unsafe { (device(gallium), place(mesh)) };
    answer(device, |raster| {
        let (vertices, indices) = grid(raster.memory, columns, rows)?;
        make(raster, &solids::cylinder(vertices, indices, columns, rows)?, mesh?)
    })
}

/// Creates a torus about y: the ring has radius 1, its tube the radius `tube`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_mesh_torus(
    gallium: *mut Gallium,
    columns: u16,
    rows: u16,
    tube: f32,
    mesh: *mut *mut Mesh,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, mesh) = unsafe { (device(gallium), place(mesh)) };
    answer(device, |raster| {
        let (vertices, indices) = grid(raster.memory, columns, rows)?;
        make(raster, &solids::torus(vertices, indices, columns, rows, tube)?, mesh?)
    })
}

fn make(
    raster: &mut Raster,
    data: &kit::MeshData<'static>,
    place: &mut MaybeUninit<*mut Mesh>,
) -> Result<(), Fault> {
    let made = kit::Mesh::new(raster, data)?;
    Ok(hand_over(raster.memory, made, place)?)
}

/// The vertices and indices of a grid.
type Grid = (&'static mut [solids::SolidVertex], &'static mut [u16]);

/// Allocates the vertices and indices of a grid.
fn grid(memory: Memory<'static>, columns: u16, rows: u16) -> Result<Grid, PipeError> {
    let [vertices, indices] = solids::grid_size(columns, rows);
    PipeError::at_most("the number of vertices of a solid", vertices as u64, 1 << 16)?;
    let vertices = Vec::try_filled_in([0.0; 8], vertices, memory)?;
    let indices = Vec::try_filled_in(0, indices, memory)?;
    let vertices = Box::leak(Box::try_new_in(vertices, memory)?);
    let indices = Box::leak(Box::try_new_in(indices, memory)?);
    Ok((vertices, indices))
}
