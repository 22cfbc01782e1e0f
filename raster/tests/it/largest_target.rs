//! Targets of the largest width and height that a texture can have: drawn to their last column and
//! row.

use crate::common::*;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::PrimType;

in_all_profiles! {
    every_pixel_of_the_largest_targets
}

fn every_pixel_of_the_largest_targets<P: Profile>() {
    for (width, height) in [(P::MAX_TEXTURE_SIZE, 2), (2, P::MAX_TEXTURE_SIZE)] {
        let screen = screen::<P>(Os::host(), 0);
        let mut setup =
            Setup::new(&screen, Options { width, height, ..Options::default() }).unwrap();
        setup.clear(BLUE, 1.0).unwrap();
        // Extends beyond the viewport on all sides, so that the guard band cuts it.
        let corners = [[-5.0, -5.0], [9.0, -5.0], [-5.0, 9.0]];
        setup.upload(&screen, &corners.map(|[x, y]| vertex(x, y, 0.0, RED))).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        let pixels = setup.pixels().unwrap();
        let missed = pixels.chunks_exact(4).filter(|pixel| **pixel != [255, 0, 0, 255]).count();
        assert_eq!(missed, 0, "{width}x{height}");
    }
}
