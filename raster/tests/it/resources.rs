//! Transfers, copies, clears, textures, several colour buffers, and queries, through the contract.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small};
use os_shim::Os;
use os_shim::memory::{Memory, Quota};
use pipe_core::{
    Bind, Cap, ClearFlags, ColorUnion, DepthStencilAlphaState, DrawInfo, DrawStartCount,
    FlushFlags, FramebufferState, MapFlags, PipeError, PrimType, QueryResult, QueryType, Region,
    ResourceTemplate, SamplerViewRange, SamplerViewTemplate, Screen as _, ShaderType, SurfaceRange,
    SurfaceTemplate, TextureTarget,
};

const RGBA8: Format = Format::R8G8B8A8Unorm;

fn texture(width: u32, height: u32) -> ResourceTemplate {
    let bind = Bind::SAMPLER_VIEW | Bind::RENDER_TARGET;
    ResourceTemplate::texture_2d(RGBA8, width, height, bind)
}

#[test]
fn resources_can_be_created_as_large_as_the_caps_and_the_heap_allow() {
    let screen = screen::<Host>(Os::host(), 0);
    let largest = screen.get_param(Cap::MaxTextureMb);
    assert_eq!((largest, screen.get_param(Cap::MaxTexture2dSize)), (1024, 16384));
    // 2²⁸ texels of 4 bytes are 2¹⁰ MiB. None of these textures is created.
    let big = texture(16384, 16384);
    assert!(screen.can_create_resource(&big));
    let too_big = ResourceTemplate { format: Format::R32G32B32A32Float, ..big };
    assert!(!screen.can_create_resource(&too_big));
    let made = screen.resource_create(&too_big);
    let limit = "the texture's size in MiB";
    assert_eq!(made, Err(PipeError::OutOfRange { what: limit, value: 4096, limit: 1024 }));
    let target = TextureTarget::Texture2DArray;
    assert!(!screen.can_create_resource(&ResourceTemplate { target, array_size: 2048, ..too_big }));
    let past = ResourceTemplate { last_level: 1, ..big };
    assert!(!screen.can_create_resource(&past));

    // A heap of 1 MiB: the free part of it is the limit.
    let quota = Quota::new(Memory::system(), 1 << 20);
    let heap = Os { memory: Memory::new(&quota), ..Os::host() };
    let small = gallium_raster::Screen::<Small>::new(heap, gallium_raster::Config::default());
    for (side, fits) in [(600, false), (360, true), (400, false), (300, true)] {
        assert_eq!(small.can_create_resource(&texture(side, side)), fits, "{side}");
        assert_eq!(small.resource_create(&texture(side, side)).is_ok(), fits, "{side}");
    }
}

#[test]
fn a_mapped_box_is_its_texels_and_no_others() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let image = screen.resource_create(&texture(4, 3)).unwrap();
    let texels: Vec<u8> = (0..48).collect();
    let whole = Region::whole(4, 3, 1);
    setup.context.texture_subdata(image, 0, MapFlags::WRITE, &whole, &texels, 16, 48).unwrap();

    let part = Region::rect(1, 1, 2, 2);
    let map = setup.context.transfer_map(image, 0, MapFlags::READ, &part).unwrap();
    assert_eq!((map.stride, map.layer_stride), (8, 16));
    let bytes = setup.context.transfer_bytes(map.handle).unwrap().to_vec();
    let wanted: Vec<u8> = (20..28).chain(36..44).collect();
    assert_eq!(bytes, wanted);
    setup.context.transfer_unmap(map.handle).unwrap();
    assert!(matches!(
        setup.context.transfer_bytes(map.handle),
        Err(PipeError::StaleHandle { kind: "transfer", .. })
    ));

    let usage = MapFlags::WRITE | MapFlags::DISCARD_RANGE;
    let map = setup.context.transfer_map(image, 0, usage, &part).unwrap();
    setup.context.transfer_bytes(map.handle).unwrap().fill(0xee);
    setup.context.transfer_unmap(map.handle).unwrap();
    let map = setup.context.transfer_map(image, 0, MapFlags::READ, &whole).unwrap();
    let bytes = setup.context.transfer_bytes(map.handle).unwrap();
    for (at, byte) in bytes.iter().enumerate() {
        let (x, y) = (at / 4 % 4, at / 16);
        let inside = (1..3).contains(&x) && (1..3).contains(&y);
        assert_eq!(*byte, if inside { 0xee } else { at as u8 }, "{x} {y}");
    }
}

/// Texels outside the flushed parts keep their values, in every row and layer.
#[test]
fn an_explicit_flush_writes_its_part_alone() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let template =
        ResourceTemplate { target: TextureTarget::Texture2DArray, array_size: 3, ..texture(6, 5) };
    let image = screen.resource_create(&template).unwrap();
    let usage = MapFlags::WRITE | MapFlags::FLUSH_EXPLICIT;
    // The box is columns 1 to 5, rows 1 to 4, layers 1 and 2; within it, two parts are flushed.
    let mapped = Region { z: 1, depth: 2, ..Region::rect(1, 1, 5, 4) };
    let parts =
        [Region { z: 0, ..Region::rect(1, 2, 2, 2) }, Region { z: 1, ..Region::rect(4, 0, 1, 1) }];
    let map = setup.context.transfer_map(image, 0, usage, &mapped).unwrap();
    setup.context.transfer_bytes(map.handle).unwrap().fill(7);
    for part in &parts {
        setup.context.transfer_flush_region(map.handle, part).unwrap();
    }
    setup.context.transfer_unmap(map.handle).unwrap();

    let whole = Region::whole(6, 5, 3);
    let map = setup.context.transfer_map(image, 0, MapFlags::READ, &whole).unwrap();
    let bytes = setup.context.transfer_bytes(map.handle).unwrap();
    for (at, texel) in bytes.chunks(4).enumerate() {
        let place = (at % 6, at / 6 % 5, at / 30);
        let flushed = matches!(place, (2 | 3, 3 | 4, 1) | (5, 1, 2));
        assert_eq!(texel, [if flushed { 7 } else { 0 }; 4], "{place:?}");
    }
}

#[test]
fn an_explicit_flush_writes_and_an_unmap_does_not() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let template = ResourceTemplate::buffer(8, Bind::VERTEX_BUFFER);
    let buffer = screen.resource_create(&template).unwrap();
    let usage = MapFlags::WRITE | MapFlags::FLUSH_EXPLICIT;
    let read = |setup: &mut Setup<'_, '_>| {
        let whole = Region::bytes(0, 8);
        let map = setup.context.transfer_map(buffer, 0, MapFlags::READ, &whole).unwrap();
        let bytes = setup.context.transfer_bytes(map.handle).unwrap().to_vec();
        setup.context.transfer_unmap(map.handle).unwrap();
        bytes
    };
    let map = setup.context.transfer_map(buffer, 0, usage, &Region::bytes(2, 4)).unwrap();
    setup.context.transfer_bytes(map.handle).unwrap().fill(7);
    setup.context.transfer_unmap(map.handle).unwrap();
    assert_eq!(read(&mut setup), [0; 8]);
    let map = setup.context.transfer_map(buffer, 0, usage, &Region::bytes(2, 4)).unwrap();
    setup.context.transfer_bytes(map.handle).unwrap().fill(7);
    setup.context.transfer_flush_region(map.handle, &Region::bytes(0, 4)).unwrap();
    setup.context.transfer_unmap(map.handle).unwrap();
    assert_eq!(read(&mut setup), [0, 0, 7, 7, 7, 7, 0, 0]);
}

#[test]
fn copies_between_and_within_resources() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let (a, b) = (
        screen.resource_create(&texture(4, 4)).unwrap(),
        screen.resource_create(&texture(4, 4)).unwrap(),
    );
    let texels: Vec<u8> = (0..64).collect();
    let whole = Region::whole(4, 4, 1);
    let write = MapFlags::WRITE;
    setup.context.texture_subdata(a, 0, write, &whole, &texels, 16, 64).unwrap();
    let part = Region::rect(0, 1, 2, 2);
    setup.context.resource_copy_region(b, 0, 2, 0, 0, a, 0, &part).unwrap();
    // Within one level, without overlap.
    setup.context.resource_copy_region(a, 0, 2, 2, 0, a, 0, &Region::rect(0, 0, 2, 2)).unwrap();
    let read = |setup: &mut Setup<'_, '_>, image| {
        let map = setup.context.transfer_map(image, 0, MapFlags::READ, &whole).unwrap();
        let bytes = setup.context.transfer_bytes(map.handle).unwrap().to_vec();
        setup.context.transfer_unmap(map.handle).unwrap();
        bytes.chunks(4).map(|texel| texel[0]).collect::<Vec<u8>>()
    };
    assert_eq!(read(&mut setup, b), [0, 0, 16, 20, 0, 0, 32, 36, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(read(&mut setup, a), [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 0, 4, 48, 52, 16, 20]);
    let other = ResourceTemplate::texture_2d(Format::B5G6R5Unorm, 4, 4, Bind::SAMPLER_VIEW);
    let other = screen.resource_create(&other).unwrap();
    let refused = setup.context.resource_copy_region(other, 0, 0, 0, 0, a, 0, &part);
    assert!(matches!(refused, Err(PipeError::UnsupportedFormat { .. })), "{refused:?}");
}

#[test]
fn clears_of_parts() {
    let screen = screen::<Small>(Os::host(), 0);
    let depth = Some(Format::Z24UnormS8Uint);
    let options = Options { width: 4, height: 2, depth, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.clear(BLACK, 0.5).unwrap();
    let zs = setup.depth.unwrap();
    let surface =
        setup.context.create_surface(zs, &SurfaceTemplate::of(Format::Z24UnormS8Uint)).unwrap();
    let right = Region::rect(2, 0, 2, 2);
    setup.context.clear_depth_stencil(surface, ClearFlags::STENCIL, 0.0, 9, &right, false).unwrap();
    setup.context.clear_depth_stencil(surface, ClearFlags::DEPTH, 1.0, 0, &right, false).unwrap();
    // Depth is the low 24 bits, stencil the high 8.
    let words: Vec<u32> = setup
        .read(zs)
        .unwrap()
        .chunks(4)
        .map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()))
        .collect();
    let row = [0x0080_0000, 0x0080_0000, 0x09ff_ffff, 0x09ff_ffff];
    assert_eq!(words, [row, row].concat());

    let color = setup.context.create_surface(setup.color, &SurfaceTemplate::of(RGBA8)).unwrap();
    let red = ColorUnion::float(RED);
    setup.context.clear_render_target(color, &red, &Region::rect(1, 1, 2, 1), false).unwrap();
    assert_picture!(setup.text(), ["....", ".rr."]);
    let texel = [0, 255, 0, 255];
    setup.context.clear_texture(setup.color, 0, &Region::rect(0, 0, 1, 2), &texel).unwrap();
    assert_picture!(setup.text(), ["g...", "grr."]);

    let buffer = screen.resource_create(&ResourceTemplate::buffer(8, Bind::VERTEX_BUFFER)).unwrap();
    setup.context.clear_buffer(buffer, 2, 4, &[1, 2]).unwrap();
    let map = setup.context.transfer_map(buffer, 0, MapFlags::READ, &Region::bytes(0, 8)).unwrap();
    assert_eq!(setup.context.transfer_bytes(map.handle).unwrap(), [0, 0, 1, 2, 1, 2, 0, 0]);
    assert!(setup.context.clear_buffer(buffer, 0, 3, &[1, 2]).is_err());
    assert!(setup.context.clear_buffer(buffer, 6, 4, &[1, 2]).is_err());
}

/// Tries the sizes of values that OpenGL and OpenCL have, also at offsets that are not multiples of the size.
#[test]
fn a_buffer_is_filled_with_values_of_any_size() {
    const SIZE: usize = 1000;
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let template = ResourceTemplate::buffer(SIZE as u32, Bind::VERTEX_BUFFER);
    for length in [1, 2, 3, 4, 8, 12, 16, 20, 128] {
        for start in [0, 4, 5, 8] {
            let buffer = screen.resource_create(&template).unwrap();
            let value: Vec<u8> = (1..=length).collect();
            let end = start + (SIZE - start - 7) / value.len() * value.len();
            let size = (end - start) as u32;
            setup.context.clear_buffer(buffer, start as u32, size, &value).unwrap();
            let whole = Region::bytes(0, SIZE as u32);
            let map = setup.context.transfer_map(buffer, 0, MapFlags::READ, &whole).unwrap();
            for (at, byte) in setup.context.transfer_bytes(map.handle).unwrap().iter().enumerate() {
                let inside = (start..end).contains(&at);
                let expected = if inside { ((at - start) % value.len()) as u8 + 1 } else { 0 };
                assert_eq!(*byte, expected, "byte {at} of a fill by {length} bytes from {start}");
            }
            setup.context.transfer_unmap(map.handle).unwrap();
        }
    }
}

/// Returns a square over the whole target with texture coordinates as its colours, row 0 first.
fn square() -> [Vertex; 4] {
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(x, y): (f32, f32)| vertex(x, y, 0.0, [x * 0.5 + 0.5, y * 0.5 + 0.5, 0.0, 0.0]))
}

#[test]
fn a_texture_is_shown_texel_by_texel() {
    static TEXELS: [u8; 16] = [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255];
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup =
        Setup::new(&screen, Options { width: 4, height: 4, ..Options::default() }).unwrap();
    let template = ResourceTemplate::texture_2d(RGBA8, 2, 2, Bind::SAMPLER_VIEW);
    let image = screen.resource_from_user_memory(&template, &TEXELS).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
    // The view keeps the texture alive after its handle is destroyed.
    screen.resource_destroy(image).unwrap();
    setup.shaders(PASS, TEXEL).unwrap();
    setup.upload(&screen, &square()).unwrap();
    setup.draw(PrimType::TriangleFan, 4).unwrap();
    assert_picture!(setup.text(), ["rrgg", "rrgg", "bbww", "bbww"]);
}

/// Draws each level from the level above it, as mipmaps are made.
#[test]
fn one_level_is_drawn_while_another_is_sampled() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup =
        Setup::new(&screen, Options { width: 4, height: 4, ..Options::default() }).unwrap();
    let template = texture(4, 4).mipmapped();
    let image = screen.resource_create(&template).unwrap();
    let green: Vec<u8> = [0, 255, 0, 255].repeat(16);
    let whole = Region::whole(4, 4, 1);
    setup.context.texture_subdata(image, 0, MapFlags::WRITE, &whole, &green, 16, 64).unwrap();
    setup.shaders(PASS, TEXEL).unwrap();
    setup.upload(&screen, &square()).unwrap();
    for level in 1..3 {
        let (first_layer, last_layer) = (0, 0);
        let range = SurfaceRange::Texture { level, first_layer, last_layer };
        let surface = SurfaceTemplate { range, ..SurfaceTemplate::of(RGBA8) };
        let surface = setup.context.create_surface(image, &surface).unwrap();
        let size = 4 >> level;
        setup
            .context
            .set_framebuffer_state(&FramebufferState::single(size, size, surface, None))
            .unwrap();
        let viewport = pipe_core::ViewportState::y_down(size.into(), size.into());
        setup.context.set_viewport_states(0, &[viewport]).unwrap();
        let range = SamplerViewRange::Texture {
            first_level: level - 1,
            last_level: level - 1,
            first_layer,
            last_layer,
        };
        let view = SamplerViewTemplate { range, ..SamplerViewTemplate::whole(&template) };
        setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
        setup.draw(PrimType::TriangleFan, 4).unwrap();
    }
    setup.context.flush(FlushFlags::empty()).unwrap();
    let one = Region::whole(1, 1, 1);
    let map = setup.context.transfer_map(image, 2, MapFlags::READ, &one).unwrap();
    assert_eq!(setup.context.transfer_bytes(map.handle).unwrap(), [0, 255, 0, 255]);
}

/// Draws to every colour buffer of a profile, each with its own colour.
fn colour_buffers<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup =
        Setup::new(&screen, Options { width: 4, height: 4, ..Options::default() }).unwrap();
    let count = P::MAX_COLOR_BUFFERS;
    let mut state = FramebufferState { width: 4, height: 4, ..FramebufferState::default() };
    let mut images = Vec::new();
    let mut shader = String::from("FRAG\n");
    for index in 0..count {
        let image = screen.resource_create(&texture(4, 4)).unwrap();
        images.push(image);
        let surface = setup.context.create_surface(image, &SurfaceTemplate::of(RGBA8)).unwrap();
        state.cbufs[index] = Some(surface);
        shader += &format!("DCL OUT[{index}], COLOR[{index}]\n");
    }
    for index in 0..count {
        let value = index as f32 / 255.0;
        shader += &format!("IMM[{index}] FLT32 {{{value:.9}, 0.0, 1.0, 1.0}}\n");
    }
    for index in 0..count {
        shader += &format!("MOV OUT[{index}], IMM[{index}]\n");
    }
    shader += "END";
    setup.context.set_framebuffer_state(&state).unwrap();
    setup.shaders(PASS, &shader).unwrap();
    setup.upload(&screen, &square()).unwrap();
    setup.draw(PrimType::TriangleFan, 4).unwrap();
    for (index, image) in images.into_iter().enumerate() {
        let pixels = setup.read(image).unwrap();
        assert!(pixels.chunks(4).all(|pixel| pixel == [index as u8, 0, 255, 255]), "{index}");
    }
    if count < 8 {
        state.cbufs[count] = state.cbufs[0];
        let refused = setup.context.set_framebuffer_state(&state);
        assert!(matches!(refused, Err(PipeError::OutOfRange { .. })), "{refused:?}");
    }
}

#[test]
fn four_colour_buffers_on_small() {
    assert_eq!(Small::MAX_COLOR_BUFFERS, 4);
    colour_buffers::<Small>();
}

#[test]
fn eight_colour_buffers_on_hosts() {
    assert_eq!(Host::MAX_COLOR_BUFFERS, 8);
    colour_buffers::<Host>();
}

#[test]
fn queries_count_what_passes() {
    let screen = screen::<Small>(Os::host(), 0);
    let depth = Some(Format::Z16Unorm);
    let mut setup =
        Setup::new(&screen, Options { width: 8, height: 8, depth, ..Options::default() }).unwrap();
    setup.depth_test(&DepthStencilAlphaState::depth(pipe_core::CompareFunc::Less)).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, &square()).unwrap();
    let samples = setup.context.create_query(QueryType::OcclusionCounter, 0).unwrap();
    let triangles = setup.context.create_query(QueryType::PrimitivesGenerated, 0).unwrap();
    let mut counts = Vec::new();
    for _ in 0..2 {
        setup.context.begin_query(samples).unwrap();
        setup.context.begin_query(triangles).unwrap();
        let fan = DrawInfo::new(PrimType::TriangleFan);
        setup.context.draw_vbo(&fan, None, &[DrawStartCount::count(4)]).unwrap();
        setup.context.end_query(triangles).unwrap();
        setup.context.end_query(samples).unwrap();
        counts.push((
            setup.context.get_query_result(samples, true).unwrap(),
            setup.context.get_query_result(triangles, true).unwrap(),
        ));
    }
    // All 64 pixels pass; then none, because the second draw is as near as the first, not nearer.
    let (two, of) = (Some(QueryResult::U64(2)), |count| Some(QueryResult::U64(count)));
    assert_eq!(counts, [(of(64), two), (of(0), two)]);
    assert!(setup.context.end_query(samples).is_err());
}
