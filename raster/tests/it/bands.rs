//! Bands of many workers: pictures do not depend on the number of workers, although bands are lower
//! than a tile when there are many.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use os_shim::options::Table;
use os_shim::threads::{Inline, Pool, Threads};
use pipe_core::{CompareFunc, DepthStencilAlphaState, PrimType};

/// Draws random primitives of every size; returns colour and depth.
fn draw<P: Profile>(
    seed: u32,
    formats: (Format, Format),
    flags: &Table,
    threads: &dyn Threads,
) -> [Vec<u8>; 2] {
    let screen = screen::<P>(Os { options: flags, threads, ..Os::host() }, 0);
    let (format, depth) = (formats.0, Some(formats.1));
    // Neither size is a multiple of a tile's or of a band's.
    let size = Options { width: 150, height: 203, format, depth, ..Options::default() };
    let mut setup = Setup::new(&screen, size).unwrap();
    let mut test = DepthStencilAlphaState::depth(CompareFunc::LessEqual);
    test.depth_writemask = true;
    setup.depth_test(&test).unwrap();
    setup.clear([0.1, 0.2, 0.3, 1.0], 1.0).unwrap();
    let mut random = Random(seed);
    for _ in 0..40 {
        let mode = random.of(&[PrimType::Triangles, PrimType::Triangles, PrimType::Lines]);
        let reach = random.of(&[0.02, 0.2, 1.0, 4.0]);
        let middle = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
        let vertices: Vec<Vertex> = (0..12)
            .map(|_| {
                let [x, y] = middle.map(|middle| middle + random.between(-reach, reach));
                let color = [(); 4].map(|()| random.next());
                vertex(x, y, random.between(-0.9, 0.9), color)
            })
            .collect();
        setup.upload(&screen, &vertices).unwrap();
        setup.draw(mode, vertices.len() as u32).unwrap();
    }
    let color = setup.pixels().unwrap();
    let depth = setup.depth.unwrap();
    [color, setup.read(depth).unwrap()]
}

fn pictures_do_not_depend_on_workers<P: Profile>() {
    let pools = [2, 4, 8, 16].map(Pool::new);
    let kernels = [Table(&[]), Table(&[("RASTER_DEBUG", "nospans")])];
    let formats = [
        (Format::B5G6R5Unorm, Format::Z16Unorm),
        (Format::B8G8R8A8Unorm, Format::Z24X8Unorm),
        (Format::R32G32B32A32Float, Format::Z32Float),
    ];
    for (seed, flags) in (0..3).flat_map(|seed| kernels.iter().map(move |flags| (seed, flags))) {
        for formats in formats {
            let alone = draw::<P>(seed, formats, flags, &Inline);
            for pool in &pools {
                let shared = draw::<P>(seed, formats, flags, pool);
                let differ =
                    |of: usize| alone[of].iter().zip(&shared[of]).filter(|(a, b)| a != b).count();
                let count = pool.count();
                assert_eq!([differ(0), differ(1)], [0, 0], "{count} workers, {formats:?}, {seed}");
            }
        }
    }
}

in_all_profiles! { pictures_do_not_depend_on_workers }
