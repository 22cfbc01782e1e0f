//! Textures with pairs of texels that share samples, as from cameras.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, BlitInfo, BlitSurface, MapFlags, PrimType, Region, ResourceHandle, ResourceTemplate,
    SamplerState, SamplerViewTemplate, Screen as _, ShaderType, TexFilter, TextureTarget,
};

in_all_profiles! {
    texels_of_pairs_are_fetched_from_every_level
    pairs_are_filtered_as_texels
    pairs_are_mapped_written_and_copied
}

/// The byte offsets, within a pair, of a texel's three samples: for the first texel and for the
/// second.
type Places = [[usize; 3]; 2];

/// Luma, chroma blue, chroma red; or red, green, blue.
const FORMATS: [(Format, Places); 6] = [
    (Format::Yuyv, [[0, 1, 3], [2, 1, 3]]),
    (Format::Uyvy, [[1, 0, 2], [3, 0, 2]]),
    (Format::R8G8_B8G8Unorm, [[0, 1, 2], [0, 3, 2]]),
    (Format::G8R8_G8B8Unorm, [[1, 0, 3], [1, 2, 3]]),
    (Format::R8G8_R8B8Unorm, [[0, 1, 3], [2, 1, 3]]),
    (Format::G8R8_B8R8Unorm, [[1, 0, 2], [3, 0, 2]]),
];

/// Returns width and height of a level: odd columns, so that the last pair is half used.
fn size(level: u32) -> (usize, usize) {
    [(5, 3), (2, 1), (1, 1)][level as usize]
}

/// Returns the bytes of a level: whole pairs.
fn bytes(level: u32) -> Vec<u8> {
    let (width, height) = size(level);
    let mut random = Random(7 + level);
    (0..width.div_ceil(2) * 4 * height).map(|_| random.between(0.0, 256.0) as u8).collect()
}

/// Returns a texel's colour, by BT.601 in studio range if the samples are luma and chroma.
fn texel(format: Format, places: Places, level: u32, x: usize, y: usize) -> [f64; 4] {
    let bytes = bytes(level);
    let pair = 4 * (y * size(level).0.div_ceil(2) + x / 2);
    let [a, b, c] = places[x % 2].map(|place| f64::from(bytes[pair + place]));
    let rgb = match format {
        Format::Yuyv | Format::Uyvy => {
            let (y, u, v) = (1.164 * (a - 16.0), b - 128.0, c - 128.0);
            [y + 1.596 * v, y - 0.391 * u - 0.813 * v, y + 2.018 * u]
        }
        _ => [a, b, c],
    };
    let [r, g, b] = rgb.map(|value| (value / 255.0).clamp(0.0, 1.0));
    [r, g, b, 1.0]
}

fn template(format: Format) -> ResourceTemplate {
    let template = ResourceTemplate::texture_2d(format, 5, 3, Bind::SAMPLER_VIEW);
    ResourceTemplate { last_level: 2, ..template }
}

/// Makes a texture with all its levels.
fn image<P: Profile>(
    screen: &gallium_raster::Screen<'static, P>,
    setup: &mut Setup<'_, 'static>,
    format: Format,
) -> ResourceHandle {
    let image = screen.resource_create(&template(format)).unwrap();
    for level in 0..3 {
        let (width, height) = size(level);
        let region = Region::whole(width as u32, height as u32, 1);
        let stride = width.div_ceil(2) * 4;
        let (bytes, usage) = (bytes(level), MapFlags::WRITE);
        setup.context.texture_subdata(image, level, usage, &region, &bytes, stride, 0).unwrap();
    }
    image
}

/// Makes a float target with one pixel per texel.
fn setup<'s, P: Profile>(screen: &'s gallium_raster::Screen<'static, P>) -> Setup<'s, 'static> {
    let format = Format::R32G32B32A32Float;
    let options = Options { width: 5, height: 3, format, ..Options::default() };
    Setup::new(screen, options).unwrap()
}

/// Draws with a program that ends with a lookup at `CONST[0]`, or at the pixel in `TEMP[0]`.
fn draw<P: Profile>(
    screen: &gallium_raster::Screen<'static, P>,
    setup: &mut Setup<'_, 'static>,
    constants: &[f32],
    lookup: &str,
) -> Vec<f32> {
    let text = format!(
        "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\n\
        DCL SVIEW[0], 2D, FLOAT\nDCL CONST[0]\nDCL TEMP[0]\nF2I TEMP[0].xy, IN[0]\n\
        MOV TEMP[0].w, CONST[0].xxxx\n{lookup} OUT[0], {}, SAMP[0], 2D\nEND",
        if lookup == "TXF" { "TEMP[0]" } else { "CONST[0]" }
    );
    setup.shaders(PASS, &text).unwrap();
    setup.constants(ShaderType::Fragment, constants).unwrap();
    let corner = |x, y| vertex(x, y, 0.0, WHITE);
    setup.upload(screen, &[corner(-1.0, -1.0), corner(3.0, -1.0), corner(-1.0, 3.0)]).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    bytemuck::cast_slice(&setup.pixels().unwrap()).to_vec()
}

fn assert_near(found: &[f32], wanted: [f64; 4], what: &str) {
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((f64::from(*found) - wanted).abs() < 1e-5, "{what}: {found}, not {wanted}");
    }
}

fn texels_of_pairs_are_fetched_from_every_level<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for (format, places) in FORMATS {
        let is_there = |target, bind| screen.is_format_supported(format, target, 1, 1, bind);
        assert!(is_there(TextureTarget::Texture2D, Bind::SAMPLER_VIEW), "{format:?}");
        assert!(!is_there(TextureTarget::Texture2D, Bind::RENDER_TARGET), "{format:?}");
        assert!(!is_there(TextureTarget::Buffer, Bind::SAMPLER_VIEW), "{format:?}");
        let mut setup = setup(&screen);
        let image = image(&screen, &mut setup, format);
        let view = SamplerViewTemplate::whole(&template(format));
        setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
        for level in 0..3 {
            let constants = [f32::from_bits(level), 0.0, 0.0, 0.0];
            let pixels = draw(&screen, &mut setup, &constants, "TXF");
            let (width, height) = size(level);
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let wanted = texel(format, places, level, x, y);
                let what = format!("{} {format:?} level {level} at {x}, {y}", P::NAME);
                assert_near(&pixels[4 * (y * 5 + x)..], wanted, &what);
            }
        }
    }
}

fn pairs_are_filtered_as_texels<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for (format, places) in FORMATS {
        let mut setup = setup(&screen);
        let image = image(&screen, &mut setup, format);
        let view = SamplerViewTemplate::whole(&template(format));
        let at = |x: usize, y: usize| texel(format, places, 0, x, y);
        // The nearest texel, also in the last column.
        setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
        for (x, y) in [(0, 0), (3, 1), (4, 2)] {
            let place = [(x as f32 + 0.4) / 5.0, (y as f32 + 0.6) / 3.0, 0.0, 0.0];
            let pixels = draw(&screen, &mut setup, &place, "TEX");
            assert_near(&pixels, at(x, y), &format!("{} {format:?} {x}, {y}", P::NAME));
        }
        // A quarter of the way from column 1 to 2, which belong to two pairs, and half way between
        // rows.
        let filter = TexFilter::Linear;
        let linear = SamplerState { min_img_filter: filter, mag_img_filter: filter, ..nearest() };
        setup.texture(ShaderType::Fragment, image, &view, &linear).unwrap();
        let pixels = draw(&screen, &mut setup, &[1.75 / 5.0, 1.0 / 3.0, 0.0, 0.0], "TEX");
        let wanted = [0, 1, 2, 3].map(|channel| {
            let row = |y| 0.75 * at(1, y)[channel] + 0.25 * at(2, y)[channel];
            (row(0) + row(1)) / 2.0
        });
        assert_near(&pixels, wanted, &format!("{} {format:?} filtered", P::NAME));
    }
}

/// Reads a region of level 0, row by row.
fn read(setup: &mut Setup<'_, '_>, image: ResourceHandle, region: &Region) -> Vec<u8> {
    let map = setup.context.transfer_map(image, 0, MapFlags::READ, region).unwrap();
    let bytes = setup.context.transfer_bytes(map.handle).unwrap();
    let row = (region.width as usize).div_ceil(2) * 4;
    let rows = (0..region.height as usize).flat_map(|y| &bytes[y * map.stride..][..row]);
    let rows = rows.copied().collect();
    setup.context.transfer_unmap(map.handle).unwrap();
    rows
}

fn pairs_are_mapped_written_and_copied<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let (format, places) = FORMATS[0];
    let mut setup = setup(&screen);
    let first = image(&screen, &mut setup, format);
    let whole = Region::whole(5, 3, 1);
    assert_eq!(read(&mut setup, first, &whole), bytes(0), "{}", P::NAME);
    // The last pair and a half of the second row.
    let end = Region::rect(2, 1, 3, 1);
    assert_eq!(read(&mut setup, first, &end), bytes(0)[16..24], "{}", P::NAME);
    // A map must begin with a pair.
    let odd = setup.context.transfer_map(first, 0, MapFlags::READ, &Region::rect(1, 0, 2, 1));
    assert!(odd.is_err(), "{} {odd:?}", P::NAME);
    // Copies these texels to another texture; the rest stays 0.
    let second = screen.resource_create(&template(format)).unwrap();
    setup.context.resource_copy_region(second, 0, 2, 2, 0, first, 0, &end).unwrap();
    let mut wanted = vec![0; 36];
    wanted[28..36].copy_from_slice(&bytes(0)[16..24]);
    assert_eq!(read(&mut setup, second, &whole), wanted, "{}", P::NAME);
    // A write through a map.
    let map = setup.context.transfer_map(second, 0, MapFlags::WRITE, &Region::rect(0, 0, 2, 1));
    let map = map.unwrap().handle;
    setup.context.transfer_bytes(map).unwrap()[..4].copy_from_slice(&[235, 128, 16, 128]);
    setup.context.transfer_unmap(map).unwrap();
    let view = SamplerViewTemplate::whole(&template(format));
    setup.texture(ShaderType::Fragment, second, &view, &nearest()).unwrap();
    let pixels = draw(&screen, &mut setup, &[0.0; 4], "TXF");
    // White is 254.9 of 255 in this matrix: 1.164 · 219.
    let white = 1.164 * 219.0 / 255.0;
    assert_near(&pixels, [white, white, white, 1.0], "white");
    assert_near(&pixels[4..], [0.0, 0.0, 0.0, 1.0], "black");
    // A blit to a colour target.
    let target = ResourceTemplate::texture_2d(Format::R32G32B32A32Float, 5, 3, Bind::RENDER_TARGET);
    let target = screen.resource_create(&target).unwrap();
    let end = |resource, format| BlitSurface { resource, level: 0, region: whole, format };
    let to = end(target, Format::R32G32B32A32Float);
    let blit = BlitInfo::new(to, end(first, format), TexFilter::Nearest);
    setup.context.blit(&blit).unwrap();
    let pixels = setup.read(target).unwrap();
    let pixels: &[f32] = bytemuck::cast_slice(&pixels);
    for (x, y) in (0..3).flat_map(|y| (0..5).map(move |x| (x, y))) {
        let wanted = texel(format, places, 0, x, y);
        assert_near(&pixels[4 * (y * 5 + x)..], wanted, &format!("{} blit {x}, {y}", P::NAME));
    }
}
