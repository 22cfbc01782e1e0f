//! Meshes with indices that evict each other from Draw's vertex cache, against the same meshes
//! without indices.

use crate::common::*;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::PrimType;

in_all_profiles! {
    colliding_indices_draw_what_no_indices_draw
}

/// The number of vertices of a mesh: more than fit in the cache of any profile.
const VERTICES: u16 = 4096;

/// Computes Draw's multiplicative hash. The cache of `half` vertices per half uses its upper bits.
fn entry(index: u16, half: u32) -> u32 {
    let entries = (4 * half).next_power_of_two();
    u32::from(index).wrapping_mul(0x9e37_79b1) >> (32 - entries.trailing_zeros())
}

/// Returns triangles for halves of `half` vertices. The last triangles before a half is full have
/// two known vertices and a new one that shares a table entry with one of the two.
fn mesh(half: u16, random: &mut Random) -> Vec<u16> {
    let mut indices: Vec<u16> = (0..half - 3).collect();
    indices.truncate(indices.len() / 3 * 3);
    let mut newest = indices.len() as u16;
    while indices.len() < 6 * usize::from(half) {
        let known = newest - 1 - random.between(0.0, 3.0) as u16;
        let twin = (newest..VERTICES).find(|&i| entry(i, half.into()) == entry(known, half.into()));
        let Some(twin) = twin else { break };
        indices.extend([twin, known, known - 1]);
        indices.extend([newest, newest + 1, twin]);
        newest += 2;
    }
    indices
}

fn colliding_indices_draw_what_no_indices_draw<P: Profile>() {
    let mut random = Random(1);
    let vertices: Vec<Vertex> = (0..VERTICES)
        .map(|_| {
            let mut component = || random.between(0.0, 1.0);
            let color = [component(), component(), component(), 1.0];
            vertex(component() * 2.0 - 1.0, component() * 2.0 - 1.0, 0.0, color)
        })
        .collect();
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    for half in [16, 24, 32, 48, 64, 96, 128, 256, 512, 1024] {
        let indices = mesh(half, &mut random);
        let expanded: Vec<_> = indices.iter().map(|&i| vertices[usize::from(i)]).collect();
        let mut picture = |vertices: &[Vertex], indices: Option<&[u16]>| {
            setup.clear(BLACK, 1.0).unwrap();
            setup.upload(&screen, vertices).unwrap();
            match indices {
                Some(indices) => setup.draw_indexed(PrimType::Triangles, indices).unwrap(),
                None => setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap(),
            }
            setup.pixels().unwrap()
        };
        let indexed = picture(&vertices, Some(&indices));
        assert_eq!(indexed, picture(&expanded, None), "halves of {half}");
    }
}
