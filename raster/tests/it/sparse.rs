//! Sparse buffers: pages without memory read as 0 and ignore writes, from the CPU and from shaders.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, Cap, ConstantBuffer, ImageAccess, ImageRange, ImageView, MapFlags, PipeError, PrimType,
    Region, ResourceFlags, ResourceHandle, ResourceTemplate, Screen as _, ShaderBuffer,
    ShaderSource, ShaderState, ShaderType, StreamOutput, StreamOutputInfo,
};

in_all_profiles! {
    the_cpu_writes_pages_that_have_memory
    memory_comes_and_goes
    shaders_write_pages_that_have_memory
    images_write_pages_that_have_memory
    vertices_are_streamed_to_pages_that_have_memory
    constants_without_memory_are_zeros
    calls_refuse_parts_of_pages
}

const PAGE: u32 = 1 << 16;
/// Two pages and a part of one.
const SIZE: u32 = 2 * PAGE + 256;
const WRITE: MapFlags = MapFlags::WRITE;

fn template() -> ResourceTemplate {
    let bind = Bind::SHADER_BUFFER
        | Bind::SHADER_IMAGE
        | Bind::CONSTANT_BUFFER
        | Bind::STREAM_OUTPUT
        | Bind::VERTEX_BUFFER;
    ResourceTemplate { flags: ResourceFlags::SPARSE, ..ResourceTemplate::buffer(SIZE, bind) }
}

/// Makes a sparse buffer with memory in the second page only.
fn buffer<P: Profile>(screen: &Screen<'_, P>, setup: &mut Setup<'_, '_>) -> ResourceHandle {
    let buffer = screen.resource_create(&template()).unwrap();
    setup.context.resource_commit(buffer, 0, &Region::bytes(PAGE, PAGE), true).unwrap();
    buffer
}

/// Checks that the second page holds `byte`, and every other page 0.
fn check(setup: &mut Setup<'_, '_>, buffer: ResourceHandle, byte: u8, what: &str) {
    let bytes = setup.bytes(buffer, SIZE);
    let (before, rest) = bytes.split_at(PAGE as usize);
    let (page, after) = rest.split_at(PAGE as usize);
    assert!(before.iter().chain(after).all(|it| *it == 0), "{what}: a page without memory");
    assert!(page.iter().all(|it| *it == byte), "{what}: the page that has memory");
}

fn the_cpu_writes_pages_that_have_memory<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::SparseBufferPageSize), PAGE as i32);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let buffer = buffer(&screen, &mut setup);
    check(&mut setup, buffer, 0, "new");
    let all = |byte| vec![byte; SIZE as usize];
    setup.context.buffer_subdata(buffer, WRITE, 0, &all(1)).unwrap();
    check(&mut setup, buffer, 1, "buffer_subdata");
    setup.context.clear_buffer(buffer, 0, SIZE, &[2]).unwrap();
    check(&mut setup, buffer, 2, "clear_buffer");
    let whole = Region::bytes(0, SIZE);
    setup.context.clear_texture(buffer, 0, &whole, &[3; 16]).unwrap();
    check(&mut setup, buffer, 3, "clear_texture");
    for usage in [WRITE, WRITE | MapFlags::FLUSH_EXPLICIT] {
        let byte = usage.bits() as u8 & 63 | 64;
        let map = setup.context.transfer_map(buffer, 0, usage, &whole).unwrap();
        setup.context.transfer_bytes(map.handle).unwrap().fill(byte);
        if usage.contains(MapFlags::FLUSH_EXPLICIT) {
            setup.context.transfer_flush_region(map.handle, &whole).unwrap();
        }
        setup.context.transfer_unmap(map.handle).unwrap();
        check(&mut setup, buffer, byte, "a map");
    }
    let plain = screen.resource_create(&ResourceTemplate::buffer(SIZE, Bind::VERTEX_BUFFER));
    let plain = plain.unwrap();
    setup.context.buffer_subdata(plain, WRITE, 0, &all(7)).unwrap();
    setup.context.resource_copy_region(buffer, 0, 0, 0, 0, plain, 0, &whole).unwrap();
    check(&mut setup, buffer, 7, "a copy");
    let there = Region::bytes(PAGE, PAGE);
    setup.context.resource_copy_region(buffer, 0, 0, 0, 0, buffer, 0, &there).unwrap();
    check(&mut setup, buffer, 7, "a copy within the buffer");
    // A persistent map.
    let flags = ResourceFlags::SPARSE | ResourceFlags::MAP_PERSISTENT;
    let persistent = ResourceTemplate { flags, ..template() };
    let buffer = screen.resource_create(&persistent).unwrap();
    setup.context.resource_commit(buffer, 0, &Region::bytes(PAGE, PAGE), true).unwrap();
    let usage = WRITE | MapFlags::READ | MapFlags::PERSISTENT;
    let map = setup.context.transfer_map(buffer, 0, usage, &whole).unwrap();
    setup.context.transfer_bytes(map.handle).unwrap().fill(9);
    check(&mut setup, buffer, 9, "a persistent map");
    setup.context.transfer_unmap(map.handle).unwrap();
    check(&mut setup, buffer, 9, "after a persistent map");
}

fn memory_comes_and_goes<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let buffer = buffer(&screen, &mut setup);
    let (page, whole) = (Region::bytes(PAGE, PAGE), Region::bytes(0, SIZE));
    setup.context.buffer_subdata(buffer, WRITE, 0, &vec![5; SIZE as usize]).unwrap();
    // A page that already has memory keeps its bytes.
    setup.context.resource_commit(buffer, 0, &page, true).unwrap();
    check(&mut setup, buffer, 5, "committed twice");
    for _ in 0..2 {
        setup.context.resource_commit(buffer, 0, &page, false).unwrap();
        check(&mut setup, buffer, 0, "without memory");
    }
    setup.context.resource_commit(buffer, 0, &page, true).unwrap();
    check(&mut setup, buffer, 0, "what was there is gone");
    // The last page is only a part of a page.
    setup.context.resource_commit(buffer, 0, &whole, true).unwrap();
    setup.context.clear_buffer(buffer, 0, SIZE, &[6]).unwrap();
    assert!(setup.bytes(buffer, SIZE).iter().all(|byte| *byte == 6));
    setup.context.resource_commit(buffer, 0, &Region::bytes(2 * PAGE, 256), false).unwrap();
    setup.context.resource_commit(buffer, 0, &Region::bytes(0, PAGE), false).unwrap();
    check(&mut setup, buffer, 6, "the first and the last taken away");
}

/// Covers a target of 16×16 pixels.
fn cover<P: Profile>(screen: &Screen<'static, P>, setup: &mut Setup<'_, 'static>) {
    let corner = |x, y| vertex(x, y, 0.0, WHITE);
    setup.upload(screen, &[corner(-1.0, -1.0), corner(3.0, -1.0), corner(-1.0, 3.0)]).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
}

/// Puts the number of the pixel in TEMP[0].x: x + 16 y.
const NUMBER: &str = "DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL TEMP[0..2]
IMM[0] UINT32 {16, 65408, 4, 1}
IMM[1] FLT32 {0.00392156862, 0.0, 0.0, 0.0}
F2U TEMP[0].xy, IN[0]
UMAD TEMP[0].x, TEMP[0].yyyy, IMM[0].xxxx, TEMP[0].xxxx
";

fn shaders_write_pages_that_have_memory<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let buffer = buffer(&screen, &mut setup);
    // The 256 words at the page's start: atomics, a store to the next page, and the words read
    // back.
    let text = format!(
        "FRAG\nDCL BUFFER[0]\n{NUMBER}UMAD TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz, IMM[0].yyyy
ATOMUADD TEMP[1].x, BUFFER[0], TEMP[0].yyyy, IMM[0].wwww
LOAD TEMP[1].x, BUFFER[0], TEMP[0].yyyy
UADD TEMP[0].z, TEMP[0].yyyy, IMM[0].yyyy
STORE BUFFER[0].x, TEMP[0].zzzz, IMM[0].xxxx
U2F TEMP[1].x, TEMP[1].xxxx
MUL OUT[0], TEMP[1].xxxx, IMM[1].xxxx
END"
    );
    setup.shaders(PASS, &text).unwrap();
    let view = ShaderBuffer { resource: buffer, buffer_offset: 0, buffer_size: SIZE };
    setup.context.set_shader_buffers(ShaderType::Fragment, 0, &[Some(view)], 1).unwrap();
    cover(&screen, &mut setup);
    let shown = setup.pixels().unwrap();
    let bytes = setup.bytes(buffer, SIZE);
    let word = |at: u32| {
        let at = at as usize;
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    };
    for number in 0..256 {
        let at = 65408 + 4 * number;
        let counted = u32::from(at >= PAGE);
        assert_eq!(word(at), counted, "word {number}");
        assert_eq!(u32::from(shown[4 * number as usize]), counted, "pixel {number}");
        // Stores begin 256 bytes before the end of the page. Stores beyond the buffer are ignored.
        let stored = at + 65408;
        let wanted = if stored < 2 * PAGE { 16 } else { 0 };
        assert!(stored >= SIZE || word(stored) == wanted, "store {number}");
    }
    // Newly committed memory is zero.
    setup.context.resource_commit(buffer, 0, &Region::bytes(0, PAGE), true).unwrap();
    assert!(setup.bytes(buffer, PAGE).iter().all(|byte| *byte == 0));
}

fn images_write_pages_that_have_memory<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let buffer = buffer(&screen, &mut setup);
    let text = format!(
        "FRAG\nDCL IMAGE[0], BUFFER, PIPE_FORMAT_R32_UINT, WR\n{NUMBER}
STORE IMAGE[0], TEMP[0], IMM[0].xxxx, BUFFER, PIPE_FORMAT_R32_UINT
LOAD TEMP[1].x, IMAGE[0], TEMP[0], BUFFER, PIPE_FORMAT_R32_UINT
U2F TEMP[1].x, TEMP[1].xxxx
MUL OUT[0], TEMP[1].xxxx, IMM[1].xxxx
END"
    );
    setup.shaders(PASS, &text).unwrap();
    // Half of the texels lie in the first page.
    let range = ImageRange::Buffer { offset: PAGE - 512, size: 1024 };
    let format = Format::R32Uint;
    let view = ImageView { resource: buffer, format, access: ImageAccess::READ_WRITE, range };
    setup.context.set_shader_images(ShaderType::Fragment, 0, &[Some(view)]).unwrap();
    cover(&screen, &mut setup);
    let shown: Vec<u8> = setup.pixels().unwrap().chunks(4).map(|pixel| pixel[0]).collect();
    assert_eq!(shown, [[0; 128], [16; 128]].concat());
    let bytes = setup.bytes(buffer, PAGE + 512);
    let (absent, there) = bytes.split_at(PAGE as usize);
    assert!(absent.iter().all(|byte| *byte == 0));
    assert!(there.chunks(4).all(|word| word == [16, 0, 0, 0]));
}

fn vertices_are_streamed_to_pages_that_have_memory<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let buffer = buffer(&screen, &mut setup);
    let outputs = [StreamOutput {
        register_index: 1,
        start_component: 0,
        num_components: 4,
        output_buffer: 0,
        dst_offset: 0,
        stream: 0,
    }];
    let stream_output = StreamOutputInfo { stride: [4, 0, 0, 0], outputs: &outputs };
    let state = ShaderState { source: ShaderSource::Text(PASS), stream_output };
    let shader = setup.context.create_vs_state(&state).unwrap();
    setup.context.bind_vs_state(Some(shader)).unwrap();
    // Three vertices: one at the end of each page, one between, one beyond.
    let target = setup.context.create_stream_output_target(buffer, PAGE - 16, 48).unwrap();
    setup.context.set_stream_output_targets(&[Some(target)], &[Some(0)]).unwrap();
    cover(&screen, &mut setup);
    let bytes = setup.bytes(buffer, PAGE + 64);
    let words: &[f32] = bytemuck::cast_slice(&bytes[PAGE as usize - 16..]);
    assert_eq!(words, [[0.0; 4], WHITE, WHITE, [0.0; 4], [0.0; 4]].concat());
}

fn constants_without_memory_are_zeros<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let buffer = buffer(&screen, &mut setup);
    let fragment = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND";
    setup.shaders(PASS, fragment).unwrap();
    let green: &[u8] = bytemuck::cast_slice(&GREEN);
    for (offset, wanted) in [(0, '.'), (PAGE, 'g'), (2 * PAGE, '.')] {
        setup.context.buffer_subdata(buffer, WRITE, offset, green).unwrap();
        let range =
            ConstantBuffer::Resource { resource: buffer, buffer_offset: offset, buffer_size: 16 };
        setup.context.set_constant_buffer(ShaderType::Fragment, 0, Some(range)).unwrap();
        cover(&screen, &mut setup);
        assert_eq!(setup.text()[0], String::from(wanted).repeat(16), "at {offset}");
    }
    // Constants in a page that loses its memory.
    let range = ConstantBuffer::Resource { resource: buffer, buffer_offset: PAGE, buffer_size: 16 };
    setup.context.set_constant_buffer(ShaderType::Fragment, 0, Some(range)).unwrap();
    cover(&screen, &mut setup);
    setup.context.resource_commit(buffer, 0, &Region::bytes(PAGE, PAGE), false).unwrap();
    assert_eq!(setup.text()[0], "g".repeat(16), "drawn before");
    cover(&screen, &mut setup);
    assert_eq!(setup.text()[0], ".".repeat(16), "drawn after");
}

fn calls_refuse_parts_of_pages<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let buffer = buffer(&screen, &mut setup);
    let parts = Err(PipeError::Invalid("the commit covers parts of pages"));
    for (start, size) in [(16, PAGE - 16), (0, PAGE - 1), (PAGE / 2, PAGE), (2 * PAGE, 255)] {
        let region = Region::bytes(start, size);
        assert_eq!(setup.context.resource_commit(buffer, 0, &region, true), parts);
    }
    let beyond = setup.context.resource_commit(buffer, 0, &Region::bytes(0, SIZE + PAGE), true);
    assert!(matches!(beyond, Err(PipeError::RegionOutOfRange { .. })), "{beyond:?}");
    let level = setup.context.resource_commit(buffer, 1, &Region::bytes(0, PAGE), true);
    assert!(matches!(level, Err(PipeError::OutOfRange { .. })), "{level:?}");
    let plain = screen.resource_create(&ResourceTemplate::buffer(SIZE, Bind::VERTEX_BUFFER));
    let refused = setup.context.resource_commit(plain.unwrap(), 0, &Region::bytes(0, PAGE), true);
    let wanted = PipeError::Invalid("the resource to commit is not sparse");
    assert_eq!(refused, Err(wanted));
    screen.resource_destroy(buffer).unwrap();
    let stale = setup.context.resource_commit(buffer, 0, &Region::bytes(0, PAGE), true);
    assert!(matches!(stale, Err(PipeError::StaleHandle { .. })), "{stale:?}");
    let user = screen.resource_from_user_memory(
        &ResourceTemplate { bind: Bind::VERTEX_BUFFER, ..template() },
        Box::leak(vec![0; SIZE as usize].into_boxed_slice()),
    );
    assert_eq!(user, Err(PipeError::Unsupported("SPARSE user memory")));
}
