//! Generated mipmaps: means of four texels, computed by hand.

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

/// Bytes of a level.
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
    // From level 1 on: level 1 stays as it is.
    let place = Region::whole(2, 2, 1);
    setup.context.texture_subdata(image, 1, MapFlags::WRITE, &place, &[8; 4], 2, 4).unwrap();
    setup.context.generate_mipmap(image, Format::R8Unorm, 1, 2, 0, 0).unwrap();
    assert_eq!(level(&mut setup, image, 2, [1, 1, 1]), [8]);
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
