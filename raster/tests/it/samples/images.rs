//! Multisampled images: loads and stores access one sample.

use super::*;
use gallium_raster::{Host, Small, Tiny};
use os_shim::Os;
use pipe_core::{ImageAccess, ImageRange, ImageView};

in_all_profiles! {
    samples_are_stored_and_loaded_one_by_one
    drawn_samples_are_loaded
    arrays_have_samples_in_every_layer
}

/// Returns a program that accesses image 0 at its end, with the pixel in `TEMP[0].xy`, the sample
/// in `TEMP[0].w`, and in `TEMP[1].x` the number x + 32 y + 1024 `CONST[0].y`.
fn program(shape: &str, format: &str, accesses: &str) -> String {
    format!(
        "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\n\
        DCL IMAGE[0], {shape}, {format}, WR\nDCL CONST[0]\nDCL TEMP[0..1]\n\
        IMM[0] FLT32 {{32.0, 1024.0, 0.0, 0.0}}\nF2I TEMP[0].xy, IN[0]\n\
        MOV TEMP[0].zw, CONST[0].zzzx\nFLR TEMP[1].xy, IN[0]\n\
        MAD TEMP[1].x, TEMP[1].yyyy, IMM[0].xxxx, TEMP[1].xxxx\n\
        MAD TEMP[1].x, CONST[0].yyyy, IMM[0].yyyy, TEMP[1].xxxx\n{accesses}\nEND"
    )
}

/// Binds the layers of an image, for reads and writes.
fn bind(setup: &mut Setup<'_, '_>, resource: ResourceHandle, format: Format, last_layer: u32) {
    let range =
        ImageRange::Texture { level: 0, first_layer: 0, last_layer, single_layer_view: false };
    let view = ImageView { resource, format, access: ImageAccess::READ_WRITE, range };
    setup.context.set_shader_images(ShaderType::Fragment, 0, &[Some(view)]).unwrap();
}

/// Draws over all pixels, with the number of a sample and of a layer as constants.
fn cover<'m, P: Profile>(
    screen: &Screen<'m, P>,
    setup: &mut Setup<'_, 'm>,
    text: &str,
    (sample, layer): (u32, u32),
) -> Vec<u8> {
    setup.shaders(PASS, text).unwrap();
    let constants = [f32::from_bits(sample), sample as f32, f32::from_bits(layer), 0.0];
    setup.constants(ShaderType::Fragment, &constants).unwrap();
    setup.upload(screen, &rectangle(WHOLE, 0.0, WHITE)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    setup.pixels().unwrap()
}

/// Returns the number of each pixel for a sample.
fn numbers(sample: u32) -> Vec<f32> {
    (0..SIZE * SIZE).map(|pixel| (pixel + 1024 * sample) as f32).collect()
}

/// Returns a setup with a target of one sample per pixel.
fn single<'s, 'm, P: Profile>(screen: &'s Screen<'m, P>, format: Format) -> Setup<'s, 'm> {
    let options = Options { width: SIZE, height: SIZE, format, ..Options::default() };
    Setup::new(screen, options).unwrap()
}

fn samples_are_stored_and_loaded_one_by_one<P: Profile>() {
    let format = Format::R32Float;
    let name = "PIPE_FORMAT_R32_FLOAT";
    let store = format!("STORE IMAGE[0], TEMP[0], TEMP[1].xxxx, 2D_MSAA, {name}");
    let load = format!("LOAD OUT[0], IMAGE[0], TEMP[0], 2D_MSAA, {name}");
    let [store, load] = [store, load].map(|access| program("2D_MSAA", name, &access));
    for count in [2, 4, 8, 16] {
        let screen = screen::<P>(Os::host(), 0);
        let bind_as = Bind::SHADER_IMAGE | Bind::SAMPLER_VIEW;
        let target = pipe_core::TextureTarget::Texture2D;
        assert!(screen.is_format_supported(format, target, count, count, bind_as));
        let image = screen.resource_create(&template(format, count, bind_as)).unwrap();
        let mut setup = single(&screen, format);
        bind(&mut setup, image, format, 0);
        for sample in 0..u32::from(count) {
            cover(&screen, &mut setup, &store, (sample, 0));
        }
        // These samples do not exist.
        cover(&screen, &mut setup, &store, (count.into(), 0));
        cover(&screen, &mut setup, &store, (u32::MAX, 0));
        for sample in 0..u32::from(count) {
            let found = cover(&screen, &mut setup, &load, (sample, 0));
            let found: &[f32] = bytemuck::cast_slice(&found);
            assert_eq!(found, numbers(sample), "{} {sample} of {count}", P::NAME);
        }
        let beyond = cover(&screen, &mut setup, &load, (count.into(), 0));
        assert!(beyond.iter().all(|byte| *byte == 0), "{}", P::NAME);
        // A texture of the same bytes.
        setup.color = image;
        for index in 0..count.into() {
            let found = super::sample(&screen, &mut setup, index);
            let found: &[f32] = bytemuck::cast_slice(&found);
            assert_eq!(found, numbers(index as u32), "{} {index} of {count}", P::NAME);
        }
    }
}

fn drawn_samples_are_loaded<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut drawn = setup(&screen, 4);
    let color = {
        let bind = Bind::RENDER_TARGET | Bind::SHADER_IMAGE;
        screen.resource_create(&template(COLOR_FORMAT, 4, bind)).unwrap()
    };
    let surface = drawn.context.create_surface(color, &SurfaceTemplate::of(COLOR_FORMAT)).unwrap();
    let state = FramebufferState::single(SIZE as u16, SIZE as u16, surface, None);
    drawn.context.set_framebuffer_state(&state).unwrap();
    drawn.color = color;
    draw_scene(&screen, &mut drawn, &BlendState::default(), None, &triangles(3, 20));
    drawn.context.flush(Default::default()).unwrap();
    let name = "PIPE_FORMAT_R8G8B8A8_UNORM";
    let load = format!("LOAD OUT[0], IMAGE[0], TEMP[0], 2D_MSAA, {name}");
    let load = program("2D_MSAA", name, &load);
    let mut setup = single(&screen, COLOR_FORMAT);
    bind(&mut setup, color, COLOR_FORMAT, 0);
    let mut seen = Vec::new();
    for index in 0..4 {
        let loaded = cover(&screen, &mut setup, &load, (index, 0));
        assert_eq!(loaded, super::sample(&screen, &mut drawn, index as usize), "{}", P::NAME);
        seen.push(loaded);
    }
    assert!(seen.iter().skip(1).all(|other| *other != seen[0]), "edges differ by sample");
}

fn arrays_have_samples_in_every_layer<P: Profile>() {
    let format = Format::R32Float;
    let name = "PIPE_FORMAT_R32_FLOAT";
    let shape = "2D_ARRAY_MSAA";
    let screen = screen::<P>(Os::host(), 0);
    let template = ResourceTemplate {
        target: pipe_core::TextureTarget::Texture2DArray,
        array_size: 3,
        ..template(format, 4, Bind::SHADER_IMAGE)
    };
    let image = screen.resource_create(&template).unwrap();
    let mut setup = single(&screen, format);
    bind(&mut setup, image, format, 2);
    let store = format!("STORE IMAGE[0], TEMP[0], TEMP[1].xxxx, {shape}, {name}");
    let store = program(shape, name, &store);
    let load = program(shape, name, &format!("LOAD OUT[0], IMAGE[0], TEMP[0], {shape}, {name}"));
    cover(&screen, &mut setup, &store, (3, 1));
    cover(&screen, &mut setup, &store, (2, 2));
    for (place, wanted) in [((3, 1), 3), ((2, 2), 2)] {
        let found = cover(&screen, &mut setup, &load, place);
        assert_eq!(bytemuck::cast_slice::<u8, f32>(&found), numbers(wanted), "{}", P::NAME);
    }
    for place in [(3, 0), (3, 2), (2, 1), (0, 1), (2, 3)] {
        let found = cover(&screen, &mut setup, &load, place);
        assert!(found.iter().all(|byte| *byte == 0), "{} {place:?}", P::NAME);
    }
    // Width, height, layers and samples.
    let size = format!(
        "RESQ TEMP[0], IMAGE[0], {shape}\nI2F TEMP[0], TEMP[0]\n\
        MAD TEMP[0].x, TEMP[0].wwww, IMM[0].yyyy, TEMP[0].zzzz\nMOV OUT[0], TEMP[0].xxxx"
    );
    let found = cover(&screen, &mut setup, &program(shape, name, &size), (0, 0));
    let found: &[f32] = bytemuck::cast_slice(&found);
    assert!(found.iter().all(|value| *value == 4.0 * 1024.0 + 3.0), "{}", P::NAME);
}
