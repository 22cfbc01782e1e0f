//! Maps of multisampled textures (manual, "Transfers"): reads are resolved, writes go to all
//! samples.

use super::*;
use gallium_raster::{Host, Small, Tiny};
use os_shim::Os;
use pipe_core::{MapFlags, PipeError, ResourceFlags, TextureTarget};

in_all_profiles! {
    reads_are_means_of_samples
    depth_is_that_of_the_first_sample
    writes_go_to_all_samples
    a_box_of_layers
}

const RED_BYTES: [u8; 4] = [255, 0, 0, 255];

/// Draws red left of x = 10.5 on black: two of four samples of column 10 lie left of it.
fn half_covered<'s, 'm, P: Profile>(screen: &'s Screen<'m, P>) -> Setup<'s, 'm> {
    let mut setup = setup(screen, 4);
    setup.clear(BLACK, 1.0).unwrap();
    let edge = [0.0, 0.0, 10.5, SIZE as f32];
    setup.upload(screen, &rectangle(edge, 0.0, RED)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    setup
}

fn map(
    setup: &mut Setup<'_, '_>,
    resource: ResourceHandle,
    usage: MapFlags,
    place: Region,
    change: impl FnOnce(&mut [u8]),
) {
    let map = setup.context.transfer_map(resource, 0, usage, &place).unwrap();
    assert_eq!(map.stride, 4 * place.width as usize);
    change(setup.context.transfer_bytes(map.handle).unwrap());
    setup.context.transfer_unmap(map.handle).unwrap();
}

fn reads_are_means_of_samples<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = half_covered(&screen);
    let color = setup.color;
    let place = Region::rect(9, 3, 3, 2);
    let whole = Region::whole(SIZE, SIZE, 1);
    for usage in [MapFlags::READ, MapFlags::READ | MapFlags::WRITE, MapFlags::WRITE] {
        // Half of 255 is 127.5.
        let row = [RED_BYTES, [128, 0, 0, 255], [0, 0, 0, 255]].concat();
        map(&mut setup, color, usage, place, |bytes| {
            assert_eq!(bytes, [row.clone(), row].concat());
        });
    }
    map(&mut setup, color, MapFlags::READ, whole, |bytes| {
        for (at, pixel) in bytes.chunks(4).enumerate() {
            let wanted = [255, 128, 0][(at % SIZE as usize).clamp(9, 11) - 9];
            assert_eq!(pixel, [wanted, 0, 0, 255], "pixel {at}");
        }
    });
}

fn depth_is_that_of_the_first_sample<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    let nearer = DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func: pipe_core::CompareFunc::Less,
        ..DepthStencilAlphaState::default()
    };
    setup.depth_test(&nearer).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    // The near plane, z = -1, is depth 0. The first sample lies at x = 0.375, the second at 0.875.
    let edge = [0.0, 0.0, 10.5, SIZE as f32];
    setup.upload(&screen, &rectangle(edge, -1.0, RED)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let edge = [0.0, 0.0, 20.25, SIZE as f32];
    setup.upload(&screen, &rectangle(edge, -1.0, RED)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let depth = setup.depth.unwrap();
    map(&mut setup, depth, MapFlags::READ, Region::rect(0, 7, SIZE, 1), |bytes| {
        for (x, texel) in bytes.chunks(4).enumerate() {
            // The sample of column 20 at 0.375 lies right of 0.25.
            let wanted = if x < 20 { [0; 4] } else { [255, 255, 255, 0] };
            assert_eq!(texel, wanted, "column {x}");
        }
    });
    map(&mut setup, depth, MapFlags::WRITE, Region::rect(30, 7, 2, 1), |bytes| {
        bytes.copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
    });
    map(&mut setup, depth, MapFlags::READ, Region::rect(29, 7, 3, 1), |bytes| {
        assert_eq!(bytes, [255, 255, 255, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    });
}

fn writes_go_to_all_samples<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let written = [[10, 20, 30, 40], [50, 60, 70, 80]].concat();
    let place = Region::rect(10, 4, 2, 1);
    let at = (4 * SIZE + 10) as usize * 4;
    for kind in 0..5 {
        let mut setup = half_covered(&screen);
        let color = setup.color;
        let write = |bytes: &mut [u8]| bytes.copy_from_slice(&written);
        match kind {
            0 => map(&mut setup, color, MapFlags::WRITE, place, write),
            1 => map(&mut setup, color, MapFlags::READ | MapFlags::WRITE, place, write),
            2 => {
                let discard = MapFlags::WRITE | MapFlags::DISCARD_RANGE;
                map(&mut setup, color, discard, place, write);
            }
            3 => {
                let write = MapFlags::WRITE;
                let written = &written[..];
                setup.context.texture_subdata(color, 0, write, &place, written, 8, 8).unwrap();
            }
            _ => {
                // In a larger map, only the flushed part is written.
                let usage = MapFlags::WRITE | MapFlags::FLUSH_EXPLICIT;
                let larger = Region::rect(8, 3, 8, 4);
                let map = setup.context.transfer_map(color, 0, usage, &larger).unwrap();
                let bytes = setup.context.transfer_bytes(map.handle).unwrap();
                bytes.fill(99);
                bytes[map.stride + 8..][..8].copy_from_slice(&written);
                let flushed = Region::rect(2, 1, 2, 1);
                setup.context.transfer_flush_region(map.handle, &flushed).unwrap();
                setup.context.transfer_unmap(map.handle).unwrap();
            }
        }
        for index in 0..4 {
            let pixels = sample(&screen, &mut setup, index);
            assert_eq!(pixels[at..at + 8], written, "way {kind}, sample {index}");
            assert_eq!(pixels[at - 4..at], RED_BYTES, "way {kind}, sample {index}");
            assert_eq!(pixels[at + 8..at + 12], [0, 0, 0, 255], "way {kind}, sample {index}");
            // The samples of the pixel below still differ: the ones left of 10.5 are red.
            let below = at + SIZE as usize * 4;
            let red = pixels[below] == 255;
            assert_eq!(red, [true, false, true, false][index], "way {kind}, sample {index}");
        }
    }
    let flags = ResourceFlags::MAP_PERSISTENT | ResourceFlags::MAP_COHERENT;
    let template = ResourceTemplate { flags, ..template(COLOR_FORMAT, 4, Bind::empty()) };
    let mut setup = setup(&screen, 4);
    let image = screen.resource_create(&template).unwrap();
    let usage = MapFlags::READ | MapFlags::PERSISTENT;
    let refused = setup.context.transfer_map(image, 0, usage, &place);
    assert!(matches!(refused, Err(PipeError::Unsupported(_))), "{refused:?}");
}

fn a_box_of_layers<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = setup(&screen, 4);
    let template = ResourceTemplate {
        target: TextureTarget::Texture2DArray,
        array_size: 3,
        width0: 5,
        height0: 4,
        ..template(COLOR_FORMAT, 4, Bind::empty())
    };
    let image = screen.resource_create(&template).unwrap();
    let place = Region { z: 1, depth: 2, ..Region::rect(1, 2, 3, 2) };
    let texels: Vec<u8> = (1..=48).collect();
    map(&mut setup, image, MapFlags::WRITE, place, |bytes| bytes.copy_from_slice(&texels));
    map(&mut setup, image, MapFlags::READ, place, |bytes| assert_eq!(bytes, texels));
    let all = Region::whole(5, 4, 3);
    map(&mut setup, image, MapFlags::READ, all, |bytes| {
        let sum: u32 = bytes.iter().map(|byte| u32::from(*byte)).sum();
        // Nothing outside the box was written.
        assert_eq!(sum, 48 * 49 / 2);
        // Texel (1, 2) of layer 1.
        assert_eq!(bytes[((4 + 2) * 5 + 1) * 4], 1);
    });
}
