//! Sparse textures: pages of texels without memory read as 0 and ignore writes.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, BlitInfo, BlitSurface, Cap, ClearFlags, ColorUnion, FramebufferState, ImageAccess,
    ImageRange, ImageView, MapFlags, PipeError, PrimType, Region, ResourceFlags, ResourceHandle,
    ResourceTemplate, SamplerViewTemplate, Screen as _, ShaderType, SurfaceTemplate, TexFilter,
    TextureTarget, ViewportState,
};

in_all_profiles! {
    the_cpu_writes_texels_that_have_memory
    draws_and_clears_keep_texels_that_have_memory
    shaders_write_texels_that_have_memory
    lookups_without_memory_read_zeros
    layers_slices_and_faces_have_their_pages
    small_levels_have_memory_together
    commits_of_parts_of_pages_are_refused
}

#[cfg(feature = "desktop")]
in_all_profiles! { pages_are_of_standard_shapes }

/// The side of a page of four-byte texels.
const PAGE: u32 = 128;
/// Two pages across, and one and a part of one down.
const WIDTH: u32 = 256;
const HEIGHT: u32 = 160;
const FORMAT: Format = Format::R8G8B8A8Unorm;
const WRITE: MapFlags = MapFlags::WRITE;

fn template() -> ResourceTemplate {
    let bind = Bind::SAMPLER_VIEW | Bind::RENDER_TARGET | Bind::SHADER_IMAGE;
    let template = ResourceTemplate::texture_2d(FORMAT, WIDTH, HEIGHT, bind);
    ResourceTemplate { flags: ResourceFlags::SPARSE, ..template }
}

fn page(x: u32, y: u32) -> Region {
    let height = (HEIGHT - y * PAGE).min(PAGE);
    Region::rect(x * PAGE, y * PAGE, PAGE, height)
}

/// Makes a texture with memory in the upper right and the lower left page.
fn texture<P: Profile>(screen: &Screen<'_, P>, setup: &mut Setup<'_, '_>) -> ResourceHandle {
    let texture = screen.resource_create(&template()).unwrap();
    for (x, y) in [(1, 0), (0, 1)] {
        setup.context.resource_commit(texture, 0, &page(x, y), true).unwrap();
    }
    texture
}

fn has_memory(x: u32, y: u32) -> bool {
    (x / PAGE, y / PAGE) == (1, 0) || (x / PAGE, y / PAGE) == (0, 1)
}

fn whole() -> Region {
    Region::whole(WIDTH, HEIGHT, 1)
}

/// Reads a box of a level.
fn read(setup: &mut Setup<'_, '_>, at: (ResourceHandle, u32), region: &Region) -> Vec<u8> {
    let map = setup.context.transfer_map(at.0, at.1, MapFlags::READ, region).unwrap();
    let bytes = setup.context.transfer_bytes(map.handle).unwrap();
    let row = 4 * region.width as usize;
    let mut rows = Vec::new();
    for z in 0..region.depth as usize {
        for y in 0..region.height as usize {
            rows.extend(&bytes[z * map.layer_stride + y * map.stride..][..row]);
        }
    }
    setup.context.transfer_unmap(map.handle).unwrap();
    rows
}

/// Checks that texels with memory are `byte`, and all other texels 0.
fn check(setup: &mut Setup<'_, '_>, texture: ResourceHandle, byte: u8, what: &str) {
    let bytes = read(setup, (texture, 0), &whole());
    for (number, texel) in bytes.chunks(4).enumerate() {
        let (x, y) = (number as u32 % WIDTH, number as u32 / WIDTH);
        let wanted = if has_memory(x, y) { byte } else { 0 };
        assert!(texel.iter().all(|it| *it == wanted), "{what}: {texel:?} at {x}, {y}");
    }
}

fn the_cpu_writes_texels_that_have_memory<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    assert!(screen.get_param(Cap::MaxSparseTextureSize) >= WIDTH as i32);
    assert!(screen.can_create_resource(&template()));
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let texture = texture(&screen, &mut setup);
    check(&mut setup, texture, 0, "new");
    let all = |byte| vec![byte; (4 * WIDTH * HEIGHT) as usize];
    let stride = 4 * WIDTH as usize;
    setup.context.texture_subdata(texture, 0, WRITE, &whole(), &all(1), stride, 0).unwrap();
    check(&mut setup, texture, 1, "texture_subdata");
    setup.context.clear_texture(texture, 0, &whole(), &[2; 4]).unwrap();
    check(&mut setup, texture, 2, "clear_texture");
    let map = setup.context.transfer_map(texture, 0, WRITE, &whole()).unwrap();
    setup.context.transfer_bytes(map.handle).unwrap().fill(3);
    setup.context.transfer_unmap(map.handle).unwrap();
    check(&mut setup, texture, 3, "a map");
    let plain = ResourceTemplate { flags: ResourceFlags::empty(), ..template() };
    let plain = screen.resource_create(&plain).unwrap();
    setup.context.texture_subdata(plain, 0, WRITE, &whole(), &all(4), stride, 0).unwrap();
    setup.context.resource_copy_region(texture, 0, 0, 0, 0, plain, 0, &whole()).unwrap();
    check(&mut setup, texture, 4, "a copy");
    // Upside down, so that it is not a copy.
    setup.context.clear_texture(plain, 0, &whole(), &[5; 4]).unwrap();
    let end = |resource, region| BlitSurface { resource, level: 0, region, format: FORMAT };
    let flipped = Region { y: HEIGHT as i32, height: -(HEIGHT as i32), ..whole() };
    let blit = BlitInfo::new(end(texture, whole()), end(plain, flipped), TexFilter::Nearest);
    setup.context.blit(&blit).unwrap();
    check(&mut setup, texture, 5, "a blit");
    // Committing memory again keeps its texels; decommitting loses them.
    setup.context.resource_commit(texture, 0, &page(1, 0), true).unwrap();
    check(&mut setup, texture, 5, "committed twice");
    for (x, y) in [(1, 0), (0, 1)] {
        setup.context.resource_commit(texture, 0, &page(x, y), false).unwrap();
        setup.context.resource_commit(texture, 0, &page(x, y), false).unwrap();
    }
    check(&mut setup, texture, 0, "without memory");
    setup.context.resource_commit(texture, 0, &page(1, 0), true).unwrap();
    setup.context.resource_commit(texture, 0, &page(0, 1), true).unwrap();
    check(&mut setup, texture, 0, "memory that came later");
    // All pages at once.
    setup.context.resource_commit(texture, 0, &whole(), true).unwrap();
    setup.context.clear_texture(texture, 0, &whole(), &[6; 4]).unwrap();
    assert!(read(&mut setup, (texture, 0), &whole()).iter().all(|byte| *byte == 6));
}

/// Sets a texture as the framebuffer.
fn target(setup: &mut Setup<'_, '_>, texture: ResourceHandle) {
    let surface = setup.context.create_surface(texture, &SurfaceTemplate::of(FORMAT)).unwrap();
    let state = FramebufferState::single(WIDTH as u16, HEIGHT as u16, surface, None);
    setup.context.set_framebuffer_state(&state).unwrap();
    setup.context.set_viewport_states(0, &[ViewportState::y_down(WIDTH, HEIGHT)]).unwrap();
}

/// Covers the framebuffer.
fn cover<'m, P: Profile>(screen: &Screen<'m, P>, setup: &mut Setup<'_, 'm>) {
    let corner = |x, y| vertex(x, y, 0.0, WHITE);
    setup.upload(screen, &[corner(-1.0, -1.0), corner(3.0, -1.0), corner(-1.0, 3.0)]).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
}

fn draws_and_clears_keep_texels_that_have_memory<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let texture = texture(&screen, &mut setup);
    target(&mut setup, texture);
    let seven = ColorUnion::float([7.0 / 255.0; 4]);
    setup.context.clear(ClearFlags::COLOR0, None, &seven, 1.0, 0).unwrap();
    check(&mut setup, texture, 7, "a clear");
    cover(&screen, &mut setup);
    check(&mut setup, texture, 255, "the draw was stopped");
    let surface = setup.context.create_surface(texture, &SurfaceTemplate::of(FORMAT)).unwrap();
    setup.context.clear_render_target(surface, &seven, &whole(), false).unwrap();
    check(&mut setup, texture, 7, "a clear of a surface");
}

fn shaders_write_texels_that_have_memory<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let texture = texture(&screen, &mut setup);
    let plain = ResourceTemplate { flags: ResourceFlags::empty(), ..template() };
    let plain = screen.resource_create(&plain).unwrap();
    target(&mut setup, plain);
    let format = Format::R32Uint;
    let range =
        ImageRange::Texture { level: 0, first_layer: 0, last_layer: 0, single_layer_view: false };
    let access = ImageAccess::READ_WRITE;
    let view = ImageView { resource: texture, format, access, range };
    setup.context.set_shader_images(ShaderType::Fragment, 0, &[Some(view)]).unwrap();
    // Stores 0x08080808 in each texel, and shows what an atomic and a load see.
    let text = "FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL TEMP[0..2]
IMM[0] UINT32 {134744071, 1, 134744072, 0}
IMM[1] FLT32 {1.0, 0.0, 0.0, 0.0}
F2U TEMP[0].xy, IN[0]
STORE IMAGE[0], TEMP[0], IMM[0].xxxx, 2D, PIPE_FORMAT_R32_UINT
ATOMUADD TEMP[1].x, IMAGE[0], TEMP[0], IMM[0].yyyy, 2D, PIPE_FORMAT_R32_UINT
LOAD TEMP[2].x, IMAGE[0], TEMP[0], 2D, PIPE_FORMAT_R32_UINT
USEQ TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx
USEQ TEMP[2].x, TEMP[2].xxxx, IMM[0].zzzz
AND TEMP[1].x, TEMP[1].xxxx, TEMP[2].xxxx
AND OUT[0], TEMP[1].xxxx, IMM[1].xxxx
END";
    setup.shaders(PASS, text).unwrap();
    cover(&screen, &mut setup);
    let shown = read(&mut setup, (plain, 0), &whole());
    for (number, texel) in shown.chunks(4).enumerate() {
        let (x, y) = (number as u32 % WIDTH, number as u32 / WIDTH);
        assert_eq!(texel[0] == 255, has_memory(x, y), "{} {x}, {y}", P::NAME);
    }
    check(&mut setup, texture, 8, "stores");
    setup.context.resource_commit(texture, 0, &whole(), true).unwrap();
    check(&mut setup, texture, 8, "after stores to pages without memory");
}

fn lookups_without_memory_read_zeros<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let texture = texture(&screen, &mut setup);
    setup.context.clear_texture(texture, 0, &whole(), &[255; 4]).unwrap();
    let view = SamplerViewTemplate::whole(&template());
    setup.texture(ShaderType::Fragment, texture, &view, &nearest()).unwrap();
    setup.shaders(PASS, TEXEL).unwrap();
    let corner = |x: f32, y: f32| {
        vertex(x, y, 0.0, [(x + 1.0) / 2.0, (y + 1.0) / 2.0 * 256.0 / 160.0, 0.0, 1.0])
    };
    setup.upload(&screen, &[corner(-1.0, -1.0), corner(3.0, -1.0), corner(-1.0, 3.0)]).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    // 16 texels per pixel: eight columns and rows per page; the texture repeats after ten rows.
    let pixels = setup.pixels().unwrap();
    for (number, pixel) in pixels.chunks(4).enumerate() {
        let (x, y) = (number as u32 % 16 * 16, number as u32 / 16 % 10 * 16);
        let wanted = if has_memory(x, y) { [255; 4] } else { [0; 4] };
        assert_eq!(pixel, wanted, "{} {x}, {y}", P::NAME);
    }
}

fn layers_slices_and_faces_have_their_pages<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let bind = Bind::SAMPLER_VIEW;
    for (target, layers, [width, height, depth]) in [
        (TextureTarget::Texture2DArray, 3, [128, 128, 1]),
        (TextureTarget::Cube, 6, [128, 128, 1]),
        (TextureTarget::CubeArray, 12, [128, 128, 1]),
        (TextureTarget::Texture3D, 48, [32, 32, 16]),
    ] {
        let is_volume = target == TextureTarget::Texture3D;
        let template = ResourceTemplate {
            target,
            width0: 2 * width,
            height0: 2 * width,
            depth0: if is_volume { layers as _ } else { 1 },
            array_size: if is_volume { 1 } else { layers as _ },
            bind,
            ..template()
        };
        let texture = screen.resource_create(&template).unwrap();
        let whole = Region::whole(2 * width, 2 * height, layers);
        // The lower left page of the second layer or of the second slab of slices.
        let one = Region {
            x: 0,
            y: height as i32,
            z: depth as i32,
            width: width as i32,
            height: height as i32,
            depth: depth as i32,
        };
        setup.context.resource_commit(texture, 0, &one, true).unwrap();
        setup.context.clear_texture(texture, 0, &whole, &[9; 4]).unwrap();
        let bytes = read(&mut setup, (texture, 0), &whole);
        for (number, texel) in bytes.chunks(4).enumerate() {
            let (row, x) = (number as u32 / (2 * width), number as u32 % (2 * width));
            let (z, y) = (row / (2 * height), row % (2 * height));
            let there = x < width && y >= height && z / depth == 1;
            assert_eq!(texel, [9 * u8::from(there); 4], "{} {target:?} {x} {y} {z}", P::NAME);
        }
    }
}

fn small_levels_have_memory_together<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    // 256×256 with two layers: level 2 is the first smaller than a page.
    let template = ResourceTemplate {
        target: TextureTarget::Texture2DArray,
        height0: 256,
        array_size: 2,
        last_level: 8,
        bind: Bind::SAMPLER_VIEW,
        ..template()
    };
    let texture = screen.resource_create(&template).unwrap();
    let layer = |size: u32, z: i32| Region { z, ..Region::rect(0, 0, size, size) };
    // Committing level 4 of the second layer commits levels 2 to 8 of that layer.
    setup.context.resource_commit(texture, 4, &layer(16, 1), true).unwrap();
    for level in 0..=8 {
        let size = 256 >> level;
        setup
            .context
            .clear_texture(texture, level, &Region::whole(size, size, 2), &[3; 4])
            .unwrap();
        for z in 0..2 {
            let wanted = if level >= 2 && z == 1 { 3 } else { 0 };
            let bytes = read(&mut setup, (texture, level), &layer(size, z));
            assert!(
                bytes.iter().all(|byte| *byte == wanted),
                "{} level {level} layer {z}",
                P::NAME
            );
        }
    }
    setup.context.resource_commit(texture, 8, &layer(1, 1), false).unwrap();
    for level in 2..=8 {
        let size = 256 >> level;
        let bytes = read(&mut setup, (texture, level), &layer(size, 1));
        assert!(bytes.iter().all(|byte| *byte == 0), "{} level {level}", P::NAME);
    }
    let part = setup.context.resource_commit(texture, 2, &Region::rect(0, 0, 32, 64), true);
    assert!(part.is_err(), "{} {part:?}", P::NAME);
}

fn commits_of_parts_of_pages_are_refused<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let texture = texture(&screen, &mut setup);
    let parts = Err(PipeError::Invalid("the commit covers parts of pages"));
    for (x, y, width, height) in
        [(1, 0, 127, 128), (0, 0, 64, 128), (0, 0, 128, 129), (0, 64, 128, 96)]
    {
        let region = Region::rect(x, y, width, height);
        assert_eq!(setup.context.resource_commit(texture, 0, &region, true), parts, "{region:?}");
    }
    let beyond = Region::rect(0, 0, WIDTH, HEIGHT + 96);
    assert!(setup.context.resource_commit(texture, 0, &beyond, true).is_err());
    assert!(setup.context.resource_commit(texture, 1, &page(0, 0), true).is_err());
    check(&mut setup, texture, 0, "nothing changed");
    // Textures that cannot have pages.
    let refused = |template: ResourceTemplate| {
        assert!(!screen.can_create_resource(&template));
        assert!(matches!(screen.resource_create(&template), Err(PipeError::Unsupported(_))));
    };
    let bind = Bind::SAMPLER_VIEW;
    refused(ResourceTemplate { target: TextureTarget::Texture1D, height0: 1, bind, ..template() });
    refused(ResourceTemplate { format: Format::R32G32B32Float, bind, ..template() });
    #[cfg(feature = "samples")]
    refused(ResourceTemplate { nr_samples: 4, bind: Bind::RENDER_TARGET, ..template() });
}

/// Vulkan 1.3, "Standard Sparse Image Block Shapes", single sample.
#[cfg(feature = "desktop")]
fn pages_are_of_standard_shapes<P: Profile>() {
    use TextureTarget::*;
    let screen = screen::<P>(Os::host(), 0);
    let size = |target, format| screen.get_sparse_texture_virtual_page_size(target, false, format);
    for (format, flat, volume) in [
        (Format::R8Unorm, [256, 256, 1], [64, 32, 32]),
        (Format::B5G6R5Unorm, [256, 128, 1], [32, 32, 32]),
        (Format::R8G8B8A8Unorm, [128, 128, 1], [32, 32, 16]),
        (Format::R16G16B16A16Float, [128, 64, 1], [32, 16, 16]),
        (Format::R32G32B32A32Float, [64, 64, 1], [16, 16, 16]),
    ] {
        for target in [Texture2D, Texture2DArray, Cube, CubeArray, Rect] {
            assert_eq!(size(target, format), Some(flat), "{format:?} {target:?}");
        }
        assert_eq!(size(Texture3D, format), Some(volume), "{format:?}");
        assert_eq!(size(Texture1D, format), None);
        assert_eq!(screen.get_sparse_texture_virtual_page_size(Texture2D, true, format), None);
    }
    // In blocks: 128×64 of 8 bytes, 64×64 of 16.
    assert_eq!(size(Texture2D, Format::Dxt1Rgba), Some([512, 256, 1]));
    assert_eq!(size(Texture2D, Format::Dxt5Rgba), Some([256, 256, 1]));
    assert_eq!(size(Texture2D, Format::R32G32B32Float), None);
}
