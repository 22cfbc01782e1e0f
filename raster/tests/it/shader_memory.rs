//! Memory that draws' shaders write: buffers, images, counters.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, CompareFunc, DepthStencilAlphaState, FramebufferState, ImageAccess, ImageRange,
    ImageView, MapFlags, PrimType, ResourceHandle, ResourceTemplate, Screen as _, ShaderBuffer,
    ShaderType,
};

in_all_profiles! {
    every_fragment_writes_once
    tests_come_first_where_asked
    fragments_store_texels
    a_draw_samples_what_the_last_stored
    vertices_write_buffers
    counters_are_of_all_stages
    framebuffers_need_no_attachment
    constants_lie_beside_memory_that_the_draw_writes
    a_draw_samples_texels_beside_those_it_stores
}

/// An odd size, so that quads at the edges have helper invocations.
const SIZE: (u32, u32) = (37, 21);

fn options(depth: Option<Format>) -> Options {
    Options { width: SIZE.0, height: SIZE.1, depth, ..Options::default() }
}

/// Returns a triangle that covers the target at a depth.
fn cover(z: f32) -> [Vertex; 3] {
    [vertex(-1.0, -1.0, z, WHITE), vertex(3.0, -1.0, z, WHITE), vertex(-1.0, 3.0, z, WHITE)]
}

/// Counts fragments in word 1 of buffer 0.
const COUNT: &str = "FRAG
DCL OUT[0], COLOR
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {4, 1, 0, 0}
ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
MOV OUT[0], IMM[0].zzzz
END";

/// Makes a buffer of words and binds it to slot 0 of a stage.
fn buffer<P: Profile>(
    screen: &gallium_raster::Screen<'static, P>,
    setup: &mut Setup<'_, 'static>,
    stage: ShaderType,
    words: u32,
) -> ResourceHandle {
    let template = ResourceTemplate::buffer(4 * words, Bind::SHADER_BUFFER);
    let resource = screen.resource_create(&template).unwrap();
    let view = ShaderBuffer { resource, buffer_offset: 0, buffer_size: 4 * words };
    setup.context.set_shader_buffers(stage, 0, &[Some(view)], 1).unwrap();
    resource
}

fn words(setup: &mut Setup<'_, '_>, buffer: ResourceHandle, count: u32) -> Vec<u32> {
    let region = pipe_core::Region::bytes(0, 4 * count);
    let transfer = setup.context.transfer_map(buffer, 0, MapFlags::READ, &region).unwrap();
    let bytes = setup.context.transfer_bytes(transfer.handle).unwrap();
    let words = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    setup.context.transfer_unmap(transfer.handle).unwrap();
    words
}

fn every_fragment_writes_once<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options(None)).unwrap();
    setup.shaders(PASS, COUNT).unwrap();
    let counts = buffer(&screen, &mut setup, ShaderType::Fragment, 3);
    setup.upload(&screen, &cover(0.0)).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_eq!(words(&mut setup, counts, 3), [0, SIZE.0 * SIZE.1, 0]);
    // Two triangles that share an edge cover each pixel once.
    let corner = |x, y| vertex(x, y, 0.0, WHITE);
    let strip = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0)];
    setup.upload(&screen, &strip).unwrap();
    setup.draw(PrimType::TriangleStrip, 4).unwrap();
    assert_eq!(words(&mut setup, counts, 3), [0, 2 * SIZE.0 * SIZE.1, 0]);
}

fn tests_come_first_where_asked<P: Profile>() {
    let early = COUNT.replace("FRAG\n", "FRAG\nPROPERTY FS_EARLY_DEPTH_STENCIL 1\n");
    for (text, expected) in [(COUNT, SIZE.0 * SIZE.1), (early.as_str(), 0)] {
        let screen = screen::<P>(Os::host(), 0);
        let mut setup = Setup::new(&screen, options(Some(Format::Z16Unorm))).unwrap();
        setup.shaders(PASS, text).unwrap();
        let less = DepthStencilAlphaState {
            depth_enabled: true,
            depth_func: CompareFunc::Less,
            ..DepthStencilAlphaState::default()
        };
        setup.depth_test(&less).unwrap();
        setup.clear([0.0; 4], 0.25).unwrap();
        let counts = buffer(&screen, &mut setup, ShaderType::Fragment, 2);
        setup.upload(&screen, &cover(0.5)).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        assert_eq!(words(&mut setup, counts, 2), [0, expected]);
    }
}

/// Stores the pixel's number, x + 256 y, in image 0.
const NUMBER: &str = "FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL TEMP[0..1]
IMM[0] UINT32 {256, 0, 0, 0}
F2U TEMP[0].xy, IN[0]
UMAD TEMP[1], TEMP[0].yyyy, IMM[0].xxxx, TEMP[0].xxxx
STORE IMAGE[0], TEMP[0], TEMP[1], 2D, PIPE_FORMAT_R32_UINT
MOV OUT[0], IMM[0].yyyy
END";

/// Makes an image of the target's size and binds it to slot 0 of the fragment stage.
fn image<P: Profile>(
    screen: &gallium_raster::Screen<'static, P>,
    setup: &mut Setup<'_, 'static>,
    format: Format,
) -> ResourceHandle {
    let bind = Bind::SHADER_IMAGE | Bind::SAMPLER_VIEW;
    let template = ResourceTemplate::texture_2d(format, SIZE.0, SIZE.1, bind);
    let resource = screen.resource_create(&template).unwrap();
    let range =
        ImageRange::Texture { level: 0, first_layer: 0, last_layer: 0, single_layer_view: false };
    let view = ImageView { resource, format, access: ImageAccess::READ_WRITE, range };
    setup.context.set_shader_images(ShaderType::Fragment, 0, &[Some(view)]).unwrap();
    resource
}

fn fragments_store_texels<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    for format in [Format::R32Uint, Format::R16Uint] {
        let mut setup = Setup::new(&screen, options(None)).unwrap();
        setup.shaders(PASS, NUMBER).unwrap();
        let stored = image(&screen, &mut setup, format);
        setup.upload(&screen, &cover(0.0)).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        let bytes = setup.read(stored).unwrap();
        for (at, texel) in bytes.chunks(format.block_bytes()).enumerate() {
            let (x, y) = (at as u32 % SIZE.0, at as u32 / SIZE.0);
            let number = (x + 256 * y).to_le_bytes();
            assert_eq!(texel, &number[..texel.len()], "{format:?} at {x}, {y}");
        }
    }
}

fn a_draw_samples_what_the_last_stored<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options(None)).unwrap();
    let store = "FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR
DCL TEMP[0]
IMM[0] FLT32 {0.0, 1.0, 0.0, 1.0}
F2U TEMP[0].xy, IN[0]
STORE IMAGE[0], TEMP[0], IMM[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM
MOV OUT[0], IMM[0].xxxx
END";
    setup.shaders(PASS, store).unwrap();
    let stored = image(&screen, &mut setup, Format::R8G8B8A8Unorm);
    setup.upload(&screen, &cover(0.0)).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    let template = screen.resource_template(stored).unwrap();
    let view = pipe_core::SamplerViewTemplate::whole(&template);
    setup.texture(ShaderType::Fragment, stored, &view, &nearest()).unwrap();
    setup.shaders(PASS, TEXEL).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    let green = "g".repeat(SIZE.0 as usize);
    assert_picture!(setup.text(), vec![green; SIZE.1 as usize]);
}

fn vertices_write_buffers<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options(None)).unwrap();
    let vertex = "VERT
DCL IN[0]
DCL SV[0], VERTEXID
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {4, 7, 0, 0}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
UADD TEMP[0].y, SV[0].xxxx, IMM[0].yyyy
STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[0].yyyy
MOV OUT[0], IN[0]
MOV OUT[1], IN[0].wwww
END";
    setup.shaders(vertex, COLOR).unwrap();
    let written = buffer(&screen, &mut setup, ShaderType::Vertex, 4);
    setup.upload(&screen, &cover(0.0)).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_eq!(words(&mut setup, written, 4), [7, 8, 9, 0]);
}

fn counters_are_of_all_stages<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options(None)).unwrap();
    let fragment = "FRAG
DCL OUT[0], COLOR
DCL HWATOMIC[0][0..1]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 0, 0}
ATOMUADD TEMP[0].x, HWATOMIC[0][1], IMM[0].xxxx, IMM[0].yyyy
MOV OUT[0], IMM[0].xxxx
END";
    setup.shaders(PASS, fragment).unwrap();
    let template = ResourceTemplate::buffer(8, Bind::SHADER_BUFFER);
    let resource = screen.resource_create(&template).unwrap();
    let view = ShaderBuffer { resource, buffer_offset: 0, buffer_size: 8 };
    setup.context.set_hw_atomic_buffers(0, &[Some(view)]).unwrap();
    setup.upload(&screen, &cover(0.0)).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_eq!(words(&mut setup, resource, 2), [0, SIZE.0 * SIZE.1]);
}

fn framebuffers_need_no_attachment<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options(None)).unwrap();
    setup.shaders(PASS, COUNT).unwrap();
    let counts = buffer(&screen, &mut setup, ShaderType::Fragment, 2);
    setup.upload(&screen, &cover(0.0)).unwrap();
    let state = FramebufferState { width: 20, height: 10, ..FramebufferState::default() };
    setup.context.set_framebuffer_state(&state).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    // The viewport still covers the previous, larger target.
    assert_eq!(words(&mut setup, counts, 2), [0, 200]);
}

/// One buffer holds the constants of a draw and the words that it writes.
fn constants_lie_beside_memory_that_the_draw_writes<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options(None)).unwrap();
    let program = "FRAG
DCL OUT[0], COLOR
DCL CONST[0]
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 0, 0}
ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
MOV OUT[0], CONST[0]
END";
    setup.shaders(PASS, program).unwrap();
    let bind = Bind::SHADER_BUFFER | Bind::CONSTANT_BUFFER;
    let resource = screen.resource_create(&ResourceTemplate::buffer(64, bind)).unwrap();
    let green = bytemuck::cast_slice(&GREEN);
    setup.context.buffer_subdata(resource, MapFlags::WRITE, 0, green).unwrap();
    let memory = ShaderBuffer { resource, buffer_offset: 32, buffer_size: 32 };
    setup.context.set_shader_buffers(ShaderType::Fragment, 0, &[Some(memory)], 1).unwrap();
    let constants =
        pipe_core::ConstantBuffer::Resource { resource, buffer_offset: 0, buffer_size: 16 };
    setup.context.set_constant_buffer(ShaderType::Fragment, 0, Some(constants)).unwrap();
    setup.upload(&screen, &cover(0.0)).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_picture!(setup.text(), vec!["g".repeat(SIZE.0 as usize); SIZE.1 as usize]);
    let [red, green, blue, alpha] = GREEN.map(f32::to_bits);
    let wanted = [red, green, blue, alpha, 0, 0, 0, 0, 2 * SIZE.0 * SIZE.1, 0];
    assert_eq!(words(&mut setup, resource, 10), wanted);
}

/// A texel that the draw does not store is sampled unchanged. The next draw sees the stored texel.
fn a_draw_samples_texels_beside_those_it_stores<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options(None)).unwrap();
    let program = "FRAG
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR
IMM[0] FLT32 {0.25, 0.5, 0.0, 1.0}
IMM[1] UINT32 {1, 0, 0, 0}
STORE IMAGE[0], IMM[1], IMM[0].zzww, 2D, PIPE_FORMAT_R8G8B8A8_UNORM
TEX OUT[0], IMM[0], SAMP[0], 2D
END";
    setup.shaders(PASS, program).unwrap();
    let format = Format::R8G8B8A8Unorm;
    let bind = Bind::SAMPLER_VIEW | Bind::SHADER_IMAGE;
    let template = ResourceTemplate::texture_2d(format, 2, 1, bind);
    let resource = setup.image(&screen, &template, &[255, 0, 0, 255, 0, 0, 0, 0]).unwrap();
    let view = pipe_core::SamplerViewTemplate::whole(&template);
    setup.texture(ShaderType::Fragment, resource, &view, &nearest()).unwrap();
    let range =
        ImageRange::Texture { level: 0, first_layer: 0, last_layer: 0, single_layer_view: false };
    let image = ImageView { resource, format, access: ImageAccess::WRITE, range };
    setup.context.set_shader_images(ShaderType::Fragment, 0, &[Some(image)]).unwrap();
    setup.upload(&screen, &cover(0.0)).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_picture!(setup.text(), vec!["r".repeat(SIZE.0 as usize); SIZE.1 as usize]);
    setup.shaders(PASS, &program.replace("0.25", "0.75")).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_picture!(setup.text(), vec!["b".repeat(SIZE.0 as usize); SIZE.1 as usize]);
}
