//! Generated mipmaps: means of four texels, computed by hand, and means over areas of odd sizes,
//! computed by integrals.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, Cap, MapFlags, PipeError, Region, ResourceHandle, ResourceTemplate, Screen as _,
    TextureTarget,
};

in_all_profiles! {
    levels_are_means_of_the_level_above
    the_third_texel_of_an_odd_row_counts
    odd_sizes_are_means_of_areas
    odd_sizes_of_srgb_are_averaged_as_light
    odd_levels_that_cannot_be_written_are_refused
    layers_outside_of_the_range_stay
    slices_of_volumes_are_averaged_too
    srgb_is_averaged_in_linear_light
    wrong_mipmaps_are_refused
}

fn template(format: Format, size: [u32; 3], target: TextureTarget) -> ResourceTemplate {
    let [width, height, layers] = size;
    let levels = width.max(height).ilog2();
    let base = ResourceTemplate::texture_2d(format, width, height, Bind::SAMPLER_VIEW);
    let (depth0, array_size) = match target {
        TextureTarget::Texture3D => (layers, 1),
        _ => (1, layers),
    };
    ResourceTemplate { target, depth0, array_size, last_level: levels, ..base }
}

/// Returns the bytes of a level.
fn level(setup: &mut Setup<'_, '_>, image: ResourceHandle, level: u32, size: [u32; 3]) -> Vec<u8> {
    let whole = Region::whole(size[0], size[1], size[2]);
    let map = setup.context.transfer_map(image, level, MapFlags::READ, &whole).unwrap();
    let bytes = setup.context.transfer_bytes(map.handle).unwrap().to_vec();
    setup.context.transfer_unmap(map.handle).unwrap();
    bytes
}

fn write(setup: &mut Setup<'_, '_>, image: ResourceHandle, size: [u32; 3], texels: &[u8]) {
    let whole = Region::whole(size[0], size[1], size[2]);
    let layer = texels.len() / size[2] as usize;
    let row = layer / size[1] as usize;
    setup.context.texture_subdata(image, 0, MapFlags::WRITE, &whole, texels, row, layer).unwrap();
}

fn levels_are_means_of_the_level_above<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::GenerateMipmap), 1);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let size = [4, 4, 1];
    let template = template(Format::R8Unorm, size, TextureTarget::Texture2D);
    let image = screen.resource_create(&template).unwrap();
    let texels = [
        0, 4, 100, 100, //
        8, 12, 100, 104, //
        255, 255, 0, 0, //
        255, 255, 0, 200,
    ];
    write(&mut setup, image, size, &texels);
    setup.context.generate_mipmap(image, Format::R8Unorm, 0, 2, 0, 0).unwrap();
    assert_eq!(level(&mut setup, image, 1, [2, 2, 1]), [6, 101, 255, 50]);
    assert_eq!(level(&mut setup, image, 2, [1, 1, 1]), [103]);
    assert_eq!(level(&mut setup, image, 0, size), texels);
    // From level 1 on: level 1 itself does not change.
    let place = Region::whole(2, 2, 1);
    setup.context.texture_subdata(image, 1, MapFlags::WRITE, &place, &[8; 4], 2, 4).unwrap();
    setup.context.generate_mipmap(image, Format::R8Unorm, 1, 2, 0, 0).unwrap();
    assert_eq!(level(&mut setup, image, 2, [1, 1, 1]), [8]);
}

fn the_third_texel_of_an_odd_row_counts<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let size = [3, 1, 1];
    let image =
        screen.resource_create(&template(Format::R8Unorm, size, TextureTarget::Texture2D)).unwrap();
    write(&mut setup, image, size, &[0, 0, 255]);
    setup.context.generate_mipmap(image, Format::R8Unorm, 0, 1, 0, 0).unwrap();
    // 255 / 3.
    assert_eq!(level(&mut setup, image, 1, [1, 1, 1]), [85]);
}

/// Returns the part of texel `texel` that lies in pixel `pixel` of `pixels`, over an axis of
/// `texels`.
fn overlap(texels: u32, pixels: u32, texel: u32, pixel: u32) -> f64 {
    let scale = f64::from(texels) / f64::from(pixels);
    let (from, to) = (f64::from(pixel) * scale, f64::from(pixel + 1) * scale);
    (to.min(f64::from(texel + 1)) - from.max(f64::from(texel))).max(0.0) / scale
}

/// Returns the means over areas of a level of bytes.
fn areas(from: [u32; 3], to: [u32; 3], texels: &[u8]) -> Vec<f64> {
    let mut means = Vec::new();
    for z in 0..to[2] {
        for y in 0..to[1] {
            for x in 0..to[0] {
                let mut mean = 0.0;
                for (at, texel) in texels.iter().enumerate() {
                    let at = at as u32;
                    let place = [at % from[0], at / from[0] % from[1], at / from[0] / from[1]];
                    let pixel = [x, y, z];
                    let parts =
                        (0..3).map(|axis| overlap(from[axis], to[axis], place[axis], pixel[axis]));
                    mean += parts.product::<f64>() * f64::from(*texel);
                }
                means.push(mean);
            }
        }
    }
    means
}

fn odd_sizes_are_means_of_areas<P: Profile>() {
    use TextureTarget::*;
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    for (target, size) in [
        (Texture1D, [7, 1, 1]),
        (Texture1DArray, [5, 1, 3]),
        (Texture2D, [5, 3, 1]),
        (Texture2D, [6, 7, 1]),
        (Texture2D, [13, 4, 1]),
        (Texture2DArray, [3, 9, 2]),
        (Cube, [7, 7, 6]),
        (CubeArray, [3, 3, 12]),
        (Texture3D, [5, 3, 3]),
        (Texture3D, [4, 4, 7]),
        (Texture3D, [3, 2, 2]),
    ] {
        let image = template(Format::R8Unorm, size, target);
        let last_level = image.last_level;
        let image = screen.resource_create(&image).unwrap();
        let mut random = Random(size[0] * 100 + size[1]);
        let count = size.iter().product::<u32>();
        let mut above: Vec<u8> = (0..count).map(|_| (random.next() * 256.0) as u8).collect();
        write(&mut setup, image, size, &above);
        let last_layer = if target == Texture3D { 0 } else { size[2] - 1 };
        let format = Format::R8Unorm;
        setup.context.generate_mipmap(image, format, 0, last_level, 0, last_layer).unwrap();
        let mut from = size;
        for number in 1..=last_level {
            let half = |size: u32| (size / 2).max(1);
            let depth = if target == Texture3D { half(from[2]) } else { from[2] };
            let to = [half(from[0]), half(from[1]), depth];
            let bytes = level(&mut setup, image, number, to);
            for (byte, mean) in bytes.iter().zip(areas(from, to, &above)) {
                let error = (f64::from(*byte) - mean).abs();
                assert!(error < 0.501, "{target:?} {size:?} level {number}: {byte} for {mean}");
            }
            (above, from) = (bytes, to);
        }
    }
}

fn odd_sizes_of_srgb_are_averaged_as_light<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let (format, size) = (Format::R8G8B8A8Srgb, [3, 1, 1]);
    let image = screen.resource_create(&template(format, size, TextureTarget::Texture2D)).unwrap();
    write(&mut setup, image, size, &[0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0]);
    setup.context.generate_mipmap(image, format, 0, 1, 0, 0).unwrap();
    // A third of the light is 1.055 * (1 / 3)^(1 / 2.4) - 0.055 = 0.6125, 156.2 of 255; alpha is
    // linear.
    assert_eq!(level(&mut setup, image, 1, [1, 1, 1]), [156, 156, 156, 85]);
}

fn odd_levels_that_cannot_be_written_are_refused<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let image = template(Format::R8Unorm, [3, 3, 1], TextureTarget::Texture2D);
    let image = screen.resource_from_user_memory(&image, &[0; 10]).unwrap();
    let refused = setup.context.generate_mipmap(image, Format::R8Unorm, 0, 1, 0, 0);
    assert!(matches!(refused, Err(PipeError::Unsupported(_))), "{refused:?}");
}

fn layers_outside_of_the_range_stay<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let size = [2, 2, 4];
    let template = template(Format::R8Unorm, size, TextureTarget::Texture2DArray);
    let image = screen.resource_create(&template).unwrap();
    let texels: Vec<u8> = (0..4).flat_map(|layer| [10 * layer + 1; 4]).collect();
    write(&mut setup, image, size, &texels);
    setup.context.generate_mipmap(image, Format::R8Unorm, 0, 1, 1, 2).unwrap();
    assert_eq!(level(&mut setup, image, 1, [1, 1, 4]), [0, 11, 21, 0]);
}

fn slices_of_volumes_are_averaged_too<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let size = [2, 2, 4];
    let template = template(Format::R8Unorm, size, TextureTarget::Texture3D);
    let image = screen.resource_create(&template).unwrap();
    let texels: Vec<u8> = [10, 20, 100, 140].iter().flat_map(|value| [*value; 4]).collect();
    write(&mut setup, image, size, &texels);
    setup.context.generate_mipmap(image, Format::R8Unorm, 0, 1, 0, 0).unwrap();
    assert_eq!(level(&mut setup, image, 1, [1, 1, 2]), [15, 120]);
}

fn srgb_is_averaged_in_linear_light<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let format = Format::R8G8B8A8Srgb;
    let size = [2, 2, 1];
    let template = template(format, size, TextureTarget::Texture2D);
    let image = screen.resource_create(&template).unwrap();
    let (black, white) = ([0, 0, 0, 0], [255, 255, 255, 255]);
    write(&mut setup, image, size, &[black, white, white, black].concat());
    setup.context.generate_mipmap(image, format, 0, 1, 0, 0).unwrap();
    // Half of the light is 1.055 * 0.5^(1 / 2.4) - 0.055 = 0.7354 (sRGB's formula), 187.5 of 255;
    // alpha is linear.
    let texel = level(&mut setup, image, 1, [1, 1, 1]);
    assert!(texel[..3].iter().all(|channel| (187..=188).contains(channel)), "{texel:?}");
    assert!((127..=128).contains(&texel[3]), "{texel:?}");
}

fn wrong_mipmaps_are_refused<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let format = Format::R8Unorm;
    let image = template(format, [4, 4, 1], TextureTarget::Texture2D);
    let image = screen.resource_create(&image).unwrap();
    let mut refused = |image, format, last_level, last_layer| {
        setup.context.generate_mipmap(image, format, 0, last_level, 0, last_layer).unwrap_err()
    };
    assert!(matches!(refused(image, format, 3, 0), PipeError::OutOfRange { .. }));
    assert!(matches!(refused(image, format, 2, 1), PipeError::OutOfRange { .. }));
    let integers = refused(image, Format::R8Uint, 2, 0);
    assert!(matches!(integers, PipeError::UnsupportedFormat { .. }), "{integers}");
    let wide = refused(image, Format::R8G8B8A8Unorm, 2, 0);
    assert!(matches!(wide, PipeError::UnsupportedFormat { .. }), "{wide}");
    let buffer = screen.resource_create(&ResourceTemplate::buffer(4, Bind::VERTEX_BUFFER)).unwrap();
    assert_eq!(refused(buffer, format, 0, 0), PipeError::Unsupported("mipmaps of this target"));
    screen.resource_destroy(buffer).unwrap();
    assert!(matches!(refused(buffer, format, 0, 0), PipeError::StaleHandle { .. }));
}
