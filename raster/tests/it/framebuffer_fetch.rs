//! Framebuffer fetch: programs that read the current colour of their pixel.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{Cap, PrimType, Screen};

in_all_profiles! {
    a_program_reads_what_primitives_before_its_own_left
}

/// Adds (0.25, 0.5, 0, 1) to the pixel.
const ADD: &str = "FRAG
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 {0.25, 0.5, 0.0, 1.0}
FBFETCH TEMP[0], OUT[0]
ADD OUT[0], TEMP[0], IMM[0]
END";

fn a_program_reads_what_primitives_before_its_own_left<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::Fbfetch), screen.get_param(Cap::MaxRenderTargets));
    let corner = |x, y| vertex(x, y, 0.0, WHITE);
    let [a, b, c, d] =
        [corner(-1.0, -1.0), corner(3.0, -1.0), corner(-1.0, 3.0), corner(-1.0, 1.0)];
    // One triangle covers the target, another triangle of the same draw its left half.
    let vertices = [a, b, c, a, corner(0.0, -1.0), d, d, corner(0.0, -1.0), corner(0.0, 1.0)];
    for (format, once, twice) in [
        // 0.25 and 0.5 are 64 and 128 of 255; 64/255 + 0.25 is 128, 128/255 + 0.5 more than 1.
        (Format::R8G8B8A8Unorm, [64, 128, 0, 255], [128, 255, 0, 255]),
        (Format::B8G8R8A8Unorm, [0, 128, 64, 255], [0, 255, 128, 255]),
    ] {
        let options = Options { width: 8, height: 4, format, ..Options::default() };
        let mut setup = Setup::new(&screen, options).unwrap();
        setup.shaders(PASS, ADD).unwrap();
        setup.clear([0.0; 4], 1.0).unwrap();
        setup.upload(&screen, &vertices).unwrap();
        setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap();
        let pixels = setup.pixels().unwrap();
        let row: Vec<&[u8]> = pixels[..8 * 4].chunks(4).collect();
        assert_eq!(row[..4], [twice.as_slice(); 4], "{format:?}");
        assert_eq!(row[4..], [once.as_slice(); 4], "{format:?}");
    }
    // Floats are read back unchanged.
    let format = Format::R32G32B32A32Float;
    let options = Options { width: 4, height: 4, format, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.shaders(PASS, ADD).unwrap();
    setup.clear([-2.0, 3.0, 1.0 / 3.0, 0.0], 1.0).unwrap();
    setup.upload(&screen, &[a, b, c]).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    let pixels = setup.pixels().unwrap();
    let first: Vec<f32> =
        pixels[..16].chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
    assert_eq!(first, [-1.75, 3.5, 1.0 / 3.0, 1.0]);
}
