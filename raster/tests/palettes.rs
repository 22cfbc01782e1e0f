//! Textures of indices into a palette, and sprites with alpha: in the integer kernels and the general
//! path, or refused by name.
//!
//! Run it with the features of each kind of firmware: xtask/src/test/mod.rs lists them.

#[macro_use]
#[path = "it/common.rs"]
mod common;

use common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, BlendState, PipeError, PrimType, RenderTargetBlendState, ResourceFlags, ResourceTemplate,
    SamplerState, SamplerViewTemplate, Screen as _, ShaderType, TexFilter, TexWrap, ViewportState,
};

in_all_profiles! {
    indices_of_all_sizes_show_their_colours
    means_are_those_of_colours
    sprites_with_alpha_are_blended
    what_is_no_palette_is_refused
}

/// True if the general path draws what the kernels do not.
const ALL: bool = cfg!(all(feature = "fragments", feature = "es2", feature = "all-formats"));

/// True if the build has palettes.
const PALETTES: bool = ALL || cfg!(feature = "spans-all");

const WIDTH: u32 = 19;
const HEIGHT: u32 = 6;

/// Returns the template of indices of so many bits.
fn indices(bits: u32, [width, height]: [u32; 2]) -> ResourceTemplate {
    let format = match bits {
        1 => Format::L1Unorm,
        2 => Format::L2Unorm,
        4 => Format::L4Unorm,
        _ => Format::L8Unorm,
    };
    let plain = ResourceTemplate::texture_2d(format, width, height, Bind::SAMPLER_VIEW);
    ResourceTemplate { flags: ResourceFlags::PALETTE, ..plain }
}

/// Packs rows of indices: the first texel of a byte is in its lowest bits.
fn packed(bits: u32, rows: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for row in rows {
        let start = bytes.len();
        bytes.resize(start + row.len().div_ceil(8 / bits as usize), 0);
        for (x, index) in row.iter().enumerate() {
            let at = x * bits as usize;
            bytes[start + at / 8] |= index << (at % 8);
        }
    }
    bytes
}

/// Returns the index of a texel.
fn index(bits: u32, x: u32, y: u32) -> u8 {
    ((x * 7 + y * 29 + x * y) % (1 << bits)) as u8
}

/// Returns a colour's bytes, different for each index.
fn color(format: Format, index: u8) -> Vec<u8> {
    let word = u32::from(index).wrapping_mul(0x0102_0a05).wrapping_add(0x5713_2209);
    word.to_le_bytes()[..format.block_bytes()].to_vec()
}

/// Makes a frame of this size and clears it to this grey. A quad with a texture covers it.
fn frame<'s, P: Profile>(
    screen: &'s gallium_raster::Screen<'static, P>,
    format: Format,
    grey: f32,
) -> Setup<'s, 'static> {
    let options = Options { width: WIDTH, height: HEIGHT, format, ..Options::default() };
    let mut setup = Setup::new(screen, options).unwrap();
    setup.context.set_viewport_states(0, &[ViewportState::y_up(WIDTH, HEIGHT)]).unwrap();
    setup.shaders(PASS, TEXEL).unwrap();
    setup.clear([grey; 4], 1.0).unwrap();
    // Texel (0, 0) is in the upper left corner. All weights w are 2.
    let corner = |x: f32, y: f32| Vertex {
        position: [2.0 * x, 2.0 * y, 0.0, 2.0],
        color: [(x + 1.0) / 2.0, (1.0 - y) / 2.0, 0.0, 1.0],
    };
    let [a, b, c, d] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0)];
    setup.upload(screen, &[a, b, c, c, b, d]).unwrap();
    setup
}

/// Makes and binds a texture over bytes in user memory.
fn bind<P: Profile>(
    screen: &gallium_raster::Screen<'static, P>,
    setup: &mut Setup<'_, 'static>,
    template: &ResourceTemplate,
    bytes: Vec<u8>,
    colors: Format,
    sampler: &SamplerState,
) -> Result<(), PipeError> {
    let image = screen.resource_from_user_memory(template, bytes.leak())?;
    let mut view = SamplerViewTemplate::whole(template);
    view.format = colors;
    setup.texture(ShaderType::Fragment, image, &view, sampler).map(|_| ())
}

fn clamped() -> SamplerState {
    let wrap = TexWrap::ClampToEdge;
    SamplerState { wrap_s: wrap, wrap_t: wrap, ..nearest() }
}

/// Returns the pixel of a target that has this colour, by `formats` alone.
fn stored(target: Format, from: Format, bytes: &[u8]) -> Vec<u8> {
    let mut pixel = vec![0; target.block_bytes()];
    target.store_rgba_f32(from.fetch_rgba_f32(bytes), &mut pixel);
    pixel
}

/// Each pixel shows one texel: it has the texel's colour.
fn indices_of_all_sizes_show_their_colours<P: Profile>() {
    const COLORS: [Format; 4] =
        [Format::B5G6R5Unorm, Format::B4G4R4A4Unorm, Format::L8Unorm, Format::R8G8B8A8Unorm];
    for (bits, colors) in [1, 2, 4, 8].into_iter().flat_map(|bits| COLORS.map(|it| (bits, it))) {
        let screen = screen::<P>(Os::host(), 0);
        let rows: Vec<Vec<u8>> =
            (0..HEIGHT).map(|y| (0..WIDTH).map(|x| index(bits, x, y)).collect()).collect();
        let mut bytes = packed(bits, &rows);
        bytes.extend((0..1u32 << bits).flat_map(|index| color(colors, index as u8)));
        let template = indices(bits, [WIDTH, HEIGHT]);
        if !PALETTES {
            let refused = screen.resource_from_user_memory(&template, bytes.leak());
            assert!(matches!(refused, Err(PipeError::Unsupported(_))), "{refused:?}");
            assert!(!screen.can_create_resource(&template));
            continue;
        }
        for target in [Format::B5G6R5Unorm, Format::L8Unorm] {
            let mut setup = frame(&screen, target, 0.0);
            bind(&screen, &mut setup, &template, bytes.clone(), colors, &clamped()).unwrap();
            setup.draw(PrimType::Triangles, 6).unwrap();
            let texels = rows.iter().flatten();
            let expected: Vec<u8> =
                texels.flat_map(|index| stored(target, colors, &color(colors, *index))).collect();
            assert!(setup.pixels().unwrap() == expected, "{bits} bits of {colors:?} on {target:?}");
        }
    }
}

/// A texture of two columns, its filter half way between them: indices 0 and 15, and the mean is
/// that of their colours, not the colour of the mean index.
fn means_are_those_of_colours<P: Profile>() {
    if !PALETTES {
        return;
    }
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = frame(&screen, Format::B5G6R5Unorm, 0.0);
    let mut bytes = vec![0xf0];
    for index in 0..16 {
        let grey = if index == 0 { 200 } else { 255 - index * 17 };
        bytes.extend([grey, grey, grey, 255]);
    }
    let filter = TexFilter::Linear;
    let linear = SamplerState { min_img_filter: filter, mag_img_filter: filter, ..clamped() };
    let colors = Format::R8G8B8A8Unorm;
    bind(&screen, &mut setup, &indices(4, [2, 1]), bytes, colors, &linear).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let pixels = setup.pixels().unwrap();
    for (x, pixel) in pixels.chunks(2).take(WIDTH as usize).enumerate() {
        // Texel centres are at a quarter and three quarters of the width.
        let place = ((x as f64 + 0.5) / f64::from(WIDTH) * 2.0 - 0.5).clamp(0.0, 1.0);
        let exact = 200.0 * (1.0 - place) / 255.0 * 63.0;
        let green = u16::from_le_bytes([pixel[0], pixel[1]]) >> 5 & 63;
        assert!((f64::from(green) - exact).abs() < 1.0, "pixel {x}: {green}, {exact}");
    }
}

/// A sprite of three texels over grey 0.5: clear, half covered, covered.
fn sprites_with_alpha_are_blended<P: Profile>() {
    if !ALL && cfg!(not(feature = "spans-all")) {
        return;
    }
    let word = |texel: u16| texel.to_le_bytes();
    let [clear, white] = [0, 0xffff].map(word);
    // White of 8 of 15 in B4G4R4A4, alpha in the highest bits; of 128 of 255 in L8A8.
    let half = [0x8fff, 0x80ff].map(word);
    let plain = |format| ResourceTemplate::texture_2d(format, 3, 1, Bind::SAMPLER_VIEW);
    let (four, eight) = (Format::B4G4R4A4Unorm, Format::L8A8Unorm);
    let mask = [&[0b100u8][..], &clear, &white].concat();
    for (template, bytes, colors, alphas) in [
        (plain(four), [clear, half[0], white].concat(), four, [0.0, 8.0 / 15.0, 1.0]),
        (plain(eight), [clear, half[1], white].concat(), eight, [0.0, 128.0 / 255.0, 1.0]),
        (indices(1, [3, 1]), mask, four, [0.0, 0.0, 1.0]),
    ] {
        // Without `all-formats` both paths have these formats, too.
        let screen = screen::<P>(Os::host(), 0);
        let mut setup = frame(&screen, Format::B5G6R5Unorm, 0.5);
        setup.blend(&BlendState::uniform(RenderTargetBlendState::alpha_blending())).unwrap();
        bind(&screen, &mut setup, &template, bytes, colors, &clamped()).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        let pixels = setup.pixels().unwrap();
        for (x, pixel) in pixels.chunks(2).take(WIDTH as usize).enumerate() {
            let alpha: f64 = alphas[(2 * x + 1) * 3 / (2 * WIDTH as usize)];
            // Grey 0.5 is stored as 32 of 63.
            let exact = alpha * 63.0 + (1.0 - alpha) * 32.0;
            let green = u16::from_le_bytes([pixel[0], pixel[1]]) >> 5 & 63;
            assert!((f64::from(green) - exact).abs() <= 0.51, "{colors:?} {x}: {green}, {exact}");
        }
    }
}

fn what_is_no_palette_is_refused<P: Profile>() {
    if !PALETTES {
        return;
    }
    let screen = screen::<P>(Os::host(), 0);
    let good = indices(4, [4, 4]);
    // 8 bytes of indices, 16 colours.
    let bytes: &'static [u8] = vec![0; 8 + 16 * 4].leak();
    assert!(screen.can_create_resource(&good));
    for wrong in [
        ResourceTemplate { last_level: 1, ..good },
        ResourceTemplate { format: Format::R8Unorm, ..good },
        ResourceTemplate { bind: Bind::SAMPLER_VIEW | Bind::RENDER_TARGET, ..good },
    ] {
        let refused = screen.resource_from_user_memory(&wrong, bytes);
        assert!(matches!(refused, Err(PipeError::Unsupported(_))), "{wrong:?}: {refused:?}");
    }
    let refused = screen.resource_create(&good);
    let named =
        matches!(&refused, Err(PipeError::Unsupported(what)) if what.contains("user memory"));
    assert!(named, "{refused:?}");

    let mut setup = frame(&screen, Format::B5G6R5Unorm, 0.0);
    let mut view = |bytes: &'static [u8], format| {
        let image = screen.resource_from_user_memory(&good, bytes).unwrap();
        let mut view = SamplerViewTemplate::whole(&good);
        view.format = format;
        setup.context.create_sampler_view(image, &view)
    };
    assert!(view(bytes, Format::R8G8B8A8Unorm).is_ok());
    let short = view(&bytes[..8 + 16 * 4 - 1], Format::R8G8B8A8Unorm).err();
    let expected = PipeError::OutOfRange {
        what: "the palette's size in bytes",
        value: 16 * 4,
        limit: 16 * 4 - 1,
    };
    assert_eq!(short, Some(expected));
    assert!(view(&bytes[..8 + 16 * 4 - 1], Format::B5G6R5Unorm).is_ok());
    let float = view(bytes, Format::R32Float);
    assert!(matches!(float, Err(PipeError::UnsupportedFormat { .. })), "{float:?}");
}
