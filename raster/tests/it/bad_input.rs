//! Every error of a frontend is reported with its cause, and the context goes on.

use crate::common::*;
use formats::Format;
use gallium_raster::Small;
use os_shim::Os;
use pipe_core::{
    Bind, DrawInfo, DrawStartCount, IndexBuffer, MapFlags, PipeError, PrimType, Region,
    ResourceError, ResourceTemplate, SamplerViewRange, SamplerViewTemplate, Screen as _,
    ShaderState, SurfaceTemplate, TextureTarget, VertexBuffer,
};

/// A pixel of less than a byte has no address in a tile. Panels pack their tiles.
#[test]
fn targets_have_at_least_a_byte_a_pixel() {
    let screen = screen::<Small>(Os::host(), 0);
    let streamed = Bind::RENDER_TARGET | Bind::DISPLAY_TARGET;
    let has =
        |format, bind| screen.is_format_supported(format, TextureTarget::Texture2D, 1, 1, bind);
    assert!(has(Format::L8Unorm, streamed));
    for format in [Format::R1Unorm, Format::L1Unorm, Format::L2Unorm, Format::L4Unorm] {
        for bind in [Bind::RENDER_TARGET, Bind::DISPLAY_TARGET, Bind::BLENDABLE, streamed] {
            assert!(!has(format, bind), "{format:?} {bind:?}");
        }
        let refused = screen.resource_create(&ResourceTemplate::streamed(format, 128, 64));
        assert!(matches!(refused, Err(PipeError::UnsupportedFormat { .. })), "{format:?}");
    }
}

#[test]
fn resources_that_cannot_be() {
    let screen = screen::<Small>(Os::host(), 0);
    let texture = |width, height| {
        ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, width, height, Bind::SAMPLER_VIEW)
    };
    assert_eq!(
        screen.resource_create(&texture(0, 4)),
        Err(PipeError::Resource(ResourceError::Zero("width0")))
    );
    assert_eq!(
        screen.resource_create(&texture(4, 4096)),
        Err(PipeError::OutOfRange { what: "height0", value: 4096, limit: 2048 })
    );
    assert!(matches!(
        screen.resource_create(&texture(u32::MAX, u32::MAX)),
        Err(PipeError::Resource(ResourceError::TooLarge { .. }))
    ));
    assert!(matches!(
        screen.resource_create(&ResourceTemplate::texture_2d(
            Format::Z16Unorm,
            4,
            4,
            Bind::RENDER_TARGET
        )),
        Err(PipeError::UnsupportedFormat { format: Format::Z16Unorm, .. })
    ));
    static BYTES: [u8; 15] = [0; 15];
    assert_eq!(
        screen.resource_from_user_memory(&texture(2, 2), &BYTES),
        Err(PipeError::OutOfRange { what: "the template's size in bytes", value: 16, limit: 15 })
    );
}

#[test]
fn handles_that_name_nothing() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let buffer =
        screen.resource_create(&ResourceTemplate::buffer(64, Bind::VERTEX_BUFFER)).unwrap();
    screen.resource_destroy(buffer).unwrap();
    let stale = |result: Result<(), PipeError>| {
        assert!(
            matches!(result, Err(PipeError::StaleHandle { kind: "resource", .. })),
            "{result:?}"
        );
    };
    stale(screen.resource_destroy(buffer));
    stale(setup.context.buffer_subdata(buffer, MapFlags::WRITE, 0, &[0; 4]));
    let binding = VertexBuffer { resource: buffer, stride: 16, buffer_offset: 0 };
    stale(setup.context.set_vertex_buffers(0, &[Some(binding)]));
    let index = IndexBuffer::resource(buffer, 2);
    stale(setup.context.draw_vbo(
        &DrawInfo::indexed(PrimType::Triangles, index),
        None,
        &[DrawStartCount::count(3)],
    ));
    let template = SurfaceTemplate::of(Format::R8G8B8A8Unorm);
    stale(setup.context.create_surface(buffer, &template).map(|_| ()));
}

#[test]
fn boxes_that_leave_their_level() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let color = setup.color;
    for region in [
        Region::rect(0, 0, 17, 1),
        Region::rect(16, 16, 1, 1),
        Region { x: -1, ..Region::rect(0, 0, 1, 1) },
        Region { width: -1, ..Region::rect(4, 4, 1, 1) },
        Region { z: 1, ..Region::rect(0, 0, 1, 1) },
        Region { x: i32::MAX, width: i32::MAX, ..Region::rect(0, 0, 1, 1) },
    ] {
        let result = setup.context.transfer_map(color, 0, MapFlags::READ, &region);
        assert_eq!(
            result,
            Err(PipeError::RegionOutOfRange { region, size: [16, 16, 1] }),
            "{region:?}"
        );
        let result = setup.context.resource_copy_region(color, 0, 0, 0, 0, color, 0, &region);
        assert_eq!(result, Err(PipeError::RegionOutOfRange { region, size: [16, 16, 1] }));
    }
    let region = Region::rect(0, 0, 1, 1);
    assert!(setup.context.transfer_map(color, 1, MapFlags::READ, &region).is_err());
    let result = setup.context.texture_subdata(color, 0, MapFlags::WRITE, &region, &[0; 3], 4, 4);
    assert_eq!(result, Err(PipeError::Invalid("the data is smaller than the box")));
    let template = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 4, 4, Bind::SAMPLER_VIEW);
    let texture = screen.resource_create(&template).unwrap();
    let view = SamplerViewTemplate {
        range: SamplerViewRange::Texture {
            first_level: 0,
            last_level: 1,
            first_layer: 0,
            last_layer: 0,
        },
        ..SamplerViewTemplate::whole(&template)
    };
    assert!(setup.context.create_sampler_view(texture, &view).is_err());
}

#[test]
fn shaders_that_are_wrong() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let bad = "FRAG\nDCL OUT[0], COLOR\nMOW OUT[0], IN[0]\nEND";
    let error = setup.context.create_fs_state(&ShaderState::text(bad));
    assert!(matches!(error, Err(PipeError::ShaderSyntax { line: 3, column: 1, .. })), "{error:?}");
    let swapped = setup.context.create_vs_state(&ShaderState::text(COLOR));
    assert_eq!(swapped, Err(PipeError::Invalid("the shader has another stage")));
}

#[test]
fn vertices_and_indices_that_are_not_there_read_as_zero() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&screen, &[vertex(0.0, 0.0, 0.0, RED)]).unwrap();
    setup.draw(PrimType::Triangles, 3000).unwrap();
    setup.draw_indexed(PrimType::Triangles, &[60000, 1, 2, 65535, 0, 0]).unwrap();
    assert!(setup.pixels().unwrap().chunks(4).all(|pixel| pixel == [0, 0, 0, 255]));
}

#[test]
fn slots_and_sizes_beyond_all_limits() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let range = |result: Result<(), PipeError>| {
        assert!(matches!(result, Err(PipeError::OutOfRange { .. })), "{result:?}");
    };
    let stage = pipe_core::ShaderType::Fragment;
    range(setup.context.bind_sampler_states(stage, usize::MAX, &[None]));
    range(setup.context.set_sampler_views(stage, usize::MAX, &[None]));
    range(setup.context.set_vertex_buffers(usize::MAX, &[None]));
    range(setup.context.set_constant_buffer(stage, usize::MAX, None));
    range(setup.context.set_viewport_states(16, &[Default::default()]));
    range(setup.context.set_viewport_states(1, &[Default::default(); 16]));
    for point_size in [f32::MAX, f32::NAN, -1.0] {
        setup.rasterizer(&pipe_core::RasterizerState { point_size, ..rasterizer() }).unwrap();
        setup.upload(&screen, &[vertex(0.0, 0.0, 0.0, RED)]).unwrap();
        setup.draw(PrimType::Points, 1).unwrap();
    }
    setup.pixels().unwrap();
}

/// A context releases the resources it holds when it is dropped.
#[test]
fn a_dropped_context_leaves_nothing_behind() {
    let memory = os_shim::System::new();
    let os = Os { memory: os_shim::Memory::new(&memory), ..Os::host() };
    let screen = screen::<Small>(os, 0);
    let template = ResourceTemplate::buffer(64, Bind::VERTEX_BUFFER);
    let buffer = screen.resource_create(&template).unwrap();
    let before = os.memory.usage().allocations;
    let mut context = screen.context_create(Default::default()).unwrap();
    context.transfer_map(buffer, 0, MapFlags::READ, &Region::bytes(0, 64)).unwrap();
    let binding = VertexBuffer { resource: buffer, stride: 16, buffer_offset: 0 };
    context.set_vertex_buffers(0, &[Some(binding)]).unwrap();
    screen.resource_destroy(buffer).unwrap();
    drop(context);
    assert!(os.memory.usage().allocations < before, "the buffer is gone too");
}
