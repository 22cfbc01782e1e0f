//! Vertex states, and queries about programs and resources (manual, caps `DRAW_VERTEX_STATE`,
//! "get_compute_state_info", "is_resource_referenced").

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, Cap, DrawStartCount, DrawVertexStateInfo, FlushFlags, MapFlags, PipeError, PrimType,
    Referenced, ResourceHandle, ResourceTemplate, Screen as _, ShaderType, VertexBuffer,
    VertexElement, VertexStateTemplate,
};

in_all_profiles! {
    a_vertex_state_draws_and_binds_nothing
    pending_draws_reference_their_surfaces_and_textures
}

fn buffer<P: Profile>(
    screen: &gallium_raster::Screen<'_, P>,
    setup: &mut Setup<'_, '_>,
    bind: Bind,
    bytes: &[u8],
) -> ResourceHandle {
    let template = ResourceTemplate::buffer(bytes.len() as u32, bind);
    let buffer = screen.resource_create(&template).unwrap();
    setup.context.buffer_subdata(buffer, MapFlags::WRITE, 0, bytes).unwrap();
    buffer
}

fn a_vertex_state_draws_and_binds_nothing<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::DrawVertexState), 1);
    let options = Options { width: 4, height: 2, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    // A green picture is bound.
    let whole = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.upload(&screen, &whole.map(|(x, y)| vertex(x, y, 0.0, GREEN))).unwrap();

    // The state: attribute 0 is the position, 2 is an unused colour, 5 is the colour. The first
    // vertex has no index.
    let corner = |x: f32, y: f32| {
        let floats = [x, y, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0];
        floats.map(f32::to_le_bytes).concat()
    };
    let corners = [(9.0, 9.0), (-1.0, -1.0), (0.0, -1.0), (-1.0, 1.0), (0.0, 1.0)];
    let vertices = corners.map(|(x, y)| corner(x, y)).concat();
    let vertices = buffer(&screen, &mut setup, Bind::VERTEX_BUFFER, &vertices);
    let indices = [0u32, 1, 2, 2, 1, 3].map(u32::to_le_bytes).concat();
    let indices = buffer(&screen, &mut setup, Bind::INDEX_BUFFER, &indices);
    let elements =
        [0, 16, 32].map(|offset| VertexElement::per_vertex(offset, Format::R32G32B32A32Float));
    let template = VertexStateTemplate {
        buffer: VertexBuffer { resource: vertices, stride: 48, buffer_offset: 0 },
        elements: &elements,
        indices: Some(indices),
        full_velem_mask: 0b10_0101,
    };
    let state = screen.create_vertex_state(&template).unwrap();
    // The state keeps its buffers alive.
    screen.resource_destroy(vertices).unwrap();
    screen.resource_destroy(indices).unwrap();

    setup.clear(BLACK, 1.0).unwrap();
    let red = DrawVertexStateInfo { mode: PrimType::Triangles, partial_velem_mask: 0b10_0001 };
    let draw = DrawStartCount { index_bias: 1, ..DrawStartCount::count(6) };
    setup.context.draw_vertex_state(state, &red, &[draw]).unwrap();
    assert_picture!(setup.text(), ["rr..", "rr.."], "{}", P::NAME);
    let blue = DrawVertexStateInfo { partial_velem_mask: 0b101, ..red };
    setup.context.draw_vertex_state(state, &blue, &[draw]).unwrap();
    assert_picture!(setup.text(), ["bb..", "bb.."], "{}", P::NAME);
    // Previously bound elements and buffers are still bound.
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_picture!(setup.text(), ["gggg"; 2]);

    let lacks = DrawVertexStateInfo { partial_velem_mask: 0b10_0011, ..red };
    let refused = setup.context.draw_vertex_state(state, &lacks, &[draw]);
    assert!(matches!(refused, Err(PipeError::Invalid(_))), "{refused:?}");
    let few = screen.create_vertex_state(&VertexStateTemplate { full_velem_mask: 1, ..template });
    assert!(matches!(few, Err(PipeError::Invalid(_))), "{few:?}");
    let gone = screen.create_vertex_state(&template);
    assert!(matches!(gone, Err(PipeError::StaleHandle { .. })), "{gone:?}");
    screen.vertex_state_destroy(state).unwrap();
    assert_eq!(screen.vertex_state_destroy(state), Err(PipeError::stale(state)));
    let stale = setup.context.draw_vertex_state(state, &red, &[draw]);
    assert_eq!(stale, Err(PipeError::stale(state)));
}

fn pending_draws_reference_their_surfaces_and_textures<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let image = ResourceTemplate {
        last_level: 1,
        ..ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 2, 2, Bind::SAMPLER_VIEW)
    };
    let view = pipe_core::SamplerViewTemplate {
        range: pipe_core::SamplerViewRange::Texture {
            first_level: 1,
            last_level: 1,
            first_layer: 0,
            last_layer: 0,
        },
        ..pipe_core::SamplerViewTemplate::whole(&image)
    };
    let image = setup.image(&screen, &image, &[255; 16]).unwrap();
    setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
    setup.shaders(PASS, TEXEL).unwrap();
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.upload(&screen, &corners.map(|(x, y)| vertex(x, y, 0.0, RED))).unwrap();
    let (target, vertices) = (setup.color, setup.vertices.unwrap());
    let all = |setup: &Setup<'_, '_>| {
        [(target, 0), (image, 0), (image, 1), (vertices, 0)].map(|(resource, level)| {
            setup.context.is_resource_referenced(resource, level, 0).unwrap()
        })
    };
    let none = Referenced::empty();
    assert_eq!(all(&setup), [none; 4]);
    setup.draw(PrimType::Triangles, 3).unwrap();
    // Vertices were read when the draw was recorded.
    assert_eq!(all(&setup), [Referenced::all(), none, Referenced::FOR_READ, none]);
    setup.context.flush(FlushFlags::empty()).unwrap();
    assert_eq!(all(&setup), [none; 4]);
    screen.resource_destroy(image).unwrap();
    let stale = setup.context.is_resource_referenced(image, 0, 0);
    assert_eq!(stale, Err(PipeError::stale(image)));
}

#[test]
fn questions_of_a_screen() {
    let screen = screen::<Small>(Os::host(), 0);
    assert_eq!(screen.get_sample_pixel_grid(4), [1, 1]);
    let rgba = Format::R8G8B8A8Unorm;
    assert!(!screen.is_compute_copy_faster(rgba, rgba, [64, 64, 1], false));
    assert_eq!(screen.is_dmabuf_modifier_supported(0, rgba), None, "cap Dmabuf is 0");
    assert_eq!(screen.get_param(Cap::Dmabuf), 0);
}

/// Compute surfaces are images that programs load from and store to.
#[cfg(feature = "shader-memory")]
#[test]
fn compute_programs_tell_and_write_surfaces() {
    use pipe_core::{ComputeState, GridInfo, ShaderSource, SurfaceTemplate};
    let screen = screen::<Host>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let source = "COMP\nDCL SV[0], BLOCK_ID\nDCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR\n\
        IMM[0] FLT32 {0.0, 1.0, 0.0, 1.0}\nSTORE IMAGE[0], SV[0], IMM[0], 2D, \
        PIPE_FORMAT_R8G8B8A8_UNORM\nEND";
    let state = ComputeState {
        source: ShaderSource::Text(source),
        static_shared_mem: 0,
        req_private_mem: 0,
        req_input_mem: 0,
    };
    let program = setup.context.create_compute_state(&state).unwrap();
    let info = setup.context.get_compute_state_info(program).unwrap();
    let lanes = setup.context.get_compute_state_subgroup_size(program, [8, 8, 1]);
    assert_eq!((info.preferred_simd_size, info.simd_sizes), (lanes, lanes));
    assert_eq!(
        u64::from(info.max_threads),
        screen.get_compute_param(pipe_core::ComputeCap::MaxThreadsPerBlock)[0]
    );
    // Room for at least the three words of its place.
    assert!(info.private_memory >= 12 && info.private_memory % 4 == 0, "{info:?}");
    let vertex = setup.context.create_vs_state(&pipe_core::ShaderState::text(PASS)).unwrap();
    let other = setup.context.get_compute_state_info(vertex);
    assert!(matches!(other, Err(PipeError::Invalid(_))), "{other:?}");

    let bind = Bind::RENDER_TARGET | Bind::SHADER_IMAGE;
    let template = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 4, 2, bind);
    let image = screen.resource_create(&template).unwrap();
    let surface = SurfaceTemplate::of(Format::R8G8B8A8Unorm);
    let surface = setup.context.create_surface(image, &surface).unwrap();
    setup.context.set_compute_resources(0, &[Some(surface)]).unwrap();
    setup.context.bind_compute_state(Some(program)).unwrap();
    setup.context.launch_grid(&GridInfo { grid: [2, 1, 1], ..GridInfo::default() }).unwrap();
    setup.context.set_compute_resources(0, &[None]).unwrap();
    setup.context.launch_grid(&GridInfo { grid: [4, 2, 1], ..GridInfo::default() }).unwrap();
    setup.options = Options { width: 4, height: 2, ..Options::default() };
    let green = [0, 255, 0, 255];
    let wanted = [green, green, [0; 4], [0; 4], [0; 4], [0; 4], [0; 4], [0; 4]].concat();
    assert_eq!(
        setup.read(image).unwrap(),
        wanted,
        "the first launch wrote, the second had no image"
    );
    setup.context.surface_destroy(surface).unwrap();
    let stale = setup.context.set_compute_resources(0, &[Some(surface)]);
    assert_eq!(stale, Err(PipeError::stale(surface)));
}
