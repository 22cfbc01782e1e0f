//! Firmware composed when it is built: an icosahedron, lit per vertex, depth-tested.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod board;
mod mesh;
#[cfg(not(target_os = "none"))]
use board::start::main;

use core::mem::MaybeUninit;

use os_shim::{Bump, Memory};
use pipe_core::{PipeError, TilePanel};
use raster::Tiny;
use raster::direct::{Direct, VertexShader, View};

use mesh::{CORNERS, FACES};

/// Turns the mesh by an angle with this cosine and sine; views it from 3 units away, lit from
/// above.
struct Lit(f32, f32);

impl VertexShader for Lit {
    type Vertex = [f32; 3];

    fn shade(&self, [x, y, z]: &[f32; 3]) -> [[f32; 4]; 2] {
        let Lit(cos, sin) = *self;
        let (x, z) = (x * cos + z * sin, z * cos - x * sin);
        // The corners of a ball are its normals.
        let light = (0.3 * x + 0.8 * y - 0.5 * z).max(0.1);
        let w = z + 3.0;
        [[1.8 * x, 2.4 * y, 1.5 * w - 2.5, w], [light, 0.6 * light, 0.2 * light, 1.0]]
    }
}

fn draw<P: TilePanel>(panel: &mut P, heap: &mut [MaybeUninit<u8>]) -> Result<(), PipeError> {
    let view = View { cull_clockwise: true, ..View::of(64, 48) };
    let heap = Bump::new(heap);
    let mut direct = Direct::<Tiny>::new(Memory::new(&heap), &view, 4096)?;
    direct.clear(0x0010);
    direct.draw(&Lit(0.9, 0.436), &CORNERS, &FACES)?;
    direct.present(panel)
}
