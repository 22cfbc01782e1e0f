//! Compute programs, and memory that programs of all stages load from and store to.

use pipe_core::Screen as _;
use pipe_core::*;

use crate::bench::{Bench, VS, WHITE, screen, vertex};

fn launch(bench: &mut Bench<'_>, text: &str, shared: u32, info: &GridInfo<'_>) {
    let source = ShaderSource::Text(text);
    let state =
        ComputeState { source, static_shared_mem: shared, req_private_mem: 0, req_input_mem: 0 };
    let program = bench.context.create_compute_state(&state).unwrap();
    bench.context.bind_compute_state(Some(program)).unwrap();
    bench.context.launch_grid(info).unwrap();
}

fn bind(bench: &mut Bench<'_>, stage: ShaderType, resource: ResourceHandle, buffer_size: u32) {
    let buffer = ShaderBuffer { resource, buffer_offset: 0, buffer_size };
    bench.context.set_shader_buffers(stage, 0, &[Some(buffer)], 1).unwrap();
}

/// Each invocation writes its number to shared memory, waits, and stores the number of the
/// invocation at the mirrored position.
const REVERSE: &str = "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 6\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\n\
    PROPERTY CS_FIXED_BLOCK_DEPTH 1\nDCL SV[0], THREAD_ID\nDCL SV[1], BLOCK_ID\n\
    DCL MEMORY[0], SHARED\nDCL BUFFER[0]\nDCL TEMP[0..2]\nIMM[0] UINT32 { 4, 5, 24, 100 }\n\
    UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\nUMUL TEMP[1].x, SV[1].xxxx, IMM[0].wwww\n\
    UADD TEMP[1].x, TEMP[1].xxxx, SV[0].xxxx\nSTORE MEMORY[0].x, TEMP[0].xxxx, TEMP[1].xxxx\n\
    BARRIER\nUADD TEMP[2].x, IMM[0].yyyy, -SV[0].xxxx\nUMUL TEMP[2].x, TEMP[2].xxxx, IMM[0].xxxx\n\
    LOAD TEMP[1].x, MEMORY[0], TEMP[2].xxxx\nUMAD TEMP[0].x, SV[1].xxxx, IMM[0].zzzz, TEMP[0].xxxx\n\
    STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1].xxxx\nEND";

#[test]
fn a_block_shares_memory_across_a_barrier() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    let buffer = bench.buffer(&[0; 13]);
    bind(&mut bench, ShaderType::Compute, buffer, 52);
    let info = GridInfo { block: [6, 1, 1], grid: [2, 1, 1], ..GridInfo::default() };
    launch(&mut bench, REVERSE, 24, &info);
    let wanted = [5, 4, 3, 2, 1, 0, 105, 104, 103, 102, 101, 100, 0];
    assert_eq!(bench.words(buffer), wanted);
}

/// Adds one to a word in global memory. The kernel's argument is the address of the word.
const COUNT: &str = "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 1\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\n\
    PROPERTY CS_FIXED_BLOCK_DEPTH 1\nDCL MEMORY[0], INPUT\nDCL MEMORY[1], GLOBAL\nDCL TEMP[0..1]\n\
    IMM[0] UINT32 { 0, 1, 0, 0 }\nLOAD TEMP[0].x, MEMORY[0], IMM[0].xxxx\n\
    ATOMUADD TEMP[1].x, MEMORY[1], TEMP[0].xxxx, IMM[0].yyyy\nEND";

#[test]
fn global_memory_is_at_its_addresses() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    let buffers = [bench.buffer(&[7; 2]), bench.buffer(&[7; 2])];
    let mut addresses = [4, 0];
    bench.context.set_global_binding(3, &buffers.map(Some), &mut addresses).unwrap();
    let input = (addresses[0] as u32).to_le_bytes();
    let info = GridInfo { input: &input, grid: [3, 2, 1], ..GridInfo::default() };
    launch(&mut bench, COUNT, 0, &info);
    assert_eq!(bench.words(buffers[0]), [7, 13]);
    assert_eq!(bench.words(buffers[1]), [7, 7]);
}

/// Counts fragments, and stores white at each fragment's position in an image.
const MARK: &str = "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL BUFFER[0]\n\
    DCL IMAGE[0], 2D, PIPE_FORMAT_R8_UNORM, WR\nDCL TEMP[0..1]\nIMM[0] UINT32 { 0, 1, 0, 0 }\n\
    IMM[1] FLT32 { 1.0, 0.0, 0.0, 0.0 }\nATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\n\
    F2I TEMP[1], IN[0]\nSTORE IMAGE[0], TEMP[1], IMM[1].xxxx, 2D\nMOV OUT[0], IMM[1].yyyy\nEND";

#[test]
fn fragments_count_and_store_texels() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    bench.shaders(VS, MARK);
    let counter = bench.buffer(&[0; 2]);
    bind(&mut bench, ShaderType::Fragment, counter, 8);
    let template = ResourceTemplate::texture_2d(Format::R8Unorm, 4, 4, Bind::SHADER_IMAGE);
    let image = screen.resource_create(&template).unwrap();
    let single_layer_view = false;
    let range = ImageRange::Texture { level: 0, first_layer: 0, last_layer: 0, single_layer_view };
    let access = ImageAccess::READ_WRITE;
    let view = ImageView { resource: image, format: Format::R8Unorm, access, range };
    bench.context.set_shader_images(ShaderType::Fragment, 0, &[Some(view)]).unwrap();
    let corners = [(0.0, 0.0), (2.0, 0.0), (0.0, 3.0), (2.0, 3.0)];
    bench.draw(PrimType::TriangleStrip, &corners.map(|(x, y)| vertex(x, y, 0.5, WHITE)));
    assert_eq!(bench.words(counter), [6, 0], "helpers do not count");
    #[rustfmt::skip]
    assert_eq!(bench.read(image), [
        255, 255, 0, 0,
        255, 255, 0, 0,
        255, 255, 0, 0,
        0, 0, 0, 0,
    ]);
}

/// Adds a quarter to the pixel.
const ADD: &str = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 { 0.25, 0.0, 0.0, 0.0 }\n\
    FBFETCH TEMP[0], OUT[0]\nADD OUT[0], TEMP[0], IMM[0].xxxx\nEND";

#[test]
fn a_program_fetches_the_colour_of_its_pixel() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    bench.shaders(VS, ADD);
    // Two squares that overlap in one pixel.
    let square = |x: f32, y: f32| {
        [(0.0, 0.0), (2.0, 0.0), (0.0, 2.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]
            .map(|(right, down)| vertex(x + right, y + down, 0.5, WHITE))
    };
    bench.draw(PrimType::Triangles, &[square(0.0, 0.0), square(1.0, 1.0)].concat());
    #[rustfmt::skip]
    assert_eq!(bench.picture(), [
        64, 64, 0, 0,
        64, 128, 64, 0,
        0, 64, 64, 0,
        0, 0, 0, 0,
    ]);
}
