//! Commands during a flush in progress: commands that read its results, maps, other contexts,
//! sparse pages.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread;

use crate::common::*;
use crate::flights::{
    Gate, Held, Idle, draw_whole, in_background, start, two_workers, upload_whole,
};
use formats::Format;
use gallium_raster::{Config, Host, Profile, Screen, Small, Tiny};
use os_shim::threads::BackgroundThread;
use pipe_core::query::{QueryType, QueryValueType};
use pipe_core::{
    Bind, BlitInfo, BlitSurface, ClearFlags, ColorUnion, ComputeState, ConstantBuffer,
    DrawIndirect, DrawInfo, DrawStartCount, FlushFlags, FramebufferState, GridInfo, IndexBuffer,
    MapFlags, PipeError, PrimType, QueryResult, Referenced, Region, ResourceFlags, ResourceHandle,
    ResourceTemplate, SamplerViewTemplate, ScissorState, Screen as _, ShaderBuffer, ShaderSource,
    ShaderState, ShaderType, StreamOutput, StreamOutputInfo, SurfaceRange, SurfaceTemplate,
    TexFilter, VertexBuffer, ViewportState,
};

in_all_profiles! {
    commands_read_what_a_flush_under_way_draws
    maps_wait_for_a_flush_under_way
    no_flush_starts_without_its_memory
    layers_of_resources_are_referenced_until_they_are_drawn
    pixels_beyond_the_framebuffer_are_cleared_in_order
    pages_are_committed_in_order
    times_are_those_of_the_end
}

/// A row of 16 pixels.
fn row() -> Options {
    Options { height: 1, ..Options::default() }
}

/// Words in a buffer that a flush in progress draws.
struct Drawn<'a, 's, 'm, P: Profile> {
    setup: &'a mut Setup<'s, 'm>,
    screen: &'s Screen<'m, P>,
    buffer: ResourceHandle,
    words: u32,
}

impl<'m, P: Profile> Drawn<'_, '_, 'm, P> {
    /// Draws a point for each of the first eight pixels: red, or green from the fifth on.
    fn upload_points(&mut self) {
        let at = |i: usize| (i as f32 + 0.5) / 8.0 - 1.0;
        let color = |i| if i < 4 { RED } else { GREEN };
        let points: Vec<Vertex> = (0..8).map(|i| vertex(at(i), 0.0, 0.0, color(i))).collect();
        self.setup.upload(self.screen, &points).unwrap();
    }

    fn all(&self) -> Region {
        Region::bytes(0, 4 * self.words)
    }

    fn other(&mut self, bind: Bind) -> ResourceHandle {
        let template = ResourceTemplate::buffer(4 * self.words, bind);
        self.screen.resource_create(&template).unwrap()
    }
}

/// Draws words to a new buffer in the background and returns to the old framebuffer. `use_them`
/// then reads or writes the words.
fn with_words<P: Profile>(
    words: &[u32],
    use_them: impl FnOnce(&mut Drawn<'_, '_, 'static, P>) -> String,
    wanted: &str,
) {
    let held = Held::default();
    let screen = in_background::<P>(held.clone());
    let mut setup = Setup::new(&screen, row()).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.context.flush(FlushFlags::empty()).unwrap();
    let color = SurfaceTemplate::of(setup.options.format);
    let color = setup.context.create_surface(setup.color, &color).unwrap();
    let count = words.len() as u32;
    let bind = Bind::RENDER_TARGET
        | Bind::SAMPLER_VIEW
        | Bind::VERTEX_BUFFER
        | Bind::INDEX_BUFFER
        | Bind::CONSTANT_BUFFER
        | Bind::STREAM_OUTPUT
        | Bind::SHADER_BUFFER
        | Bind::COMMAND_ARGS_BUFFER
        | Bind::QUERY_BUFFER;
    let buffer = screen.resource_create(&ResourceTemplate::buffer(4 * count, bind)).unwrap();
    let range = SurfaceRange::Buffer { first_element: 0, last_element: count - 1 };
    let surface = SurfaceTemplate { range, ..SurfaceTemplate::of(Format::R32Uint) };
    let surface = setup.context.create_surface(buffer, &surface).unwrap();
    let state = FramebufferState::single(count as u16, 1, surface, None);
    setup.context.set_framebuffer_state(&state).unwrap();
    for (at, word) in (0..).zip(words) {
        let part = ScissorState { minx: at, miny: 0, maxx: at + 1, maxy: 1 };
        let value = ColorUnion::uint([*word, 0, 0, 0]);
        setup.context.clear(ClearFlags::COLOR0, Some(&part), &value, 1.0, 0).unwrap();
    }
    let state = FramebufferState::single(16, 1, color, None);
    setup.context.set_framebuffer_state(&state).unwrap();
    assert_eq!(held.waiting(), 1, "the words are drawn in the background");
    let mut drawn = Drawn { setup: &mut setup, screen: &screen, buffer, words: count };
    assert_eq!(use_them(&mut drawn), wanted);
    held.run();
}

/// Returns the picture.
fn picture<P: Profile>(drawn: &mut Drawn<'_, '_, 'static, P>) -> String {
    drawn.setup.text()[0].clone()
}

fn numbers(bytes: &[u8]) -> String {
    let words = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
    words.map(|word| word.to_string()).collect::<Vec<_>>().join(" ")
}

fn commands_read_what_a_flush_under_way_draws<P: Profile>() {
    // Two points from the fourth on.
    with_words::<P>(
        &[2, 1, 3, 0],
        |it| {
            it.upload_points();
            let indirect = DrawIndirect::Buffer {
                buffer: it.buffer,
                offset: 0,
                stride: 16,
                draw_count: 1,
                indirect_draw_count: None,
            };
            let info = DrawInfo::new(PrimType::Points);
            it.setup.context.draw_vbo(&info, Some(&indirect), &[]).unwrap();
            picture(it)
        },
        "...rg...........",
    );
    // The last word allows one draw of the two that another buffer describes.
    with_words::<P>(
        &[7, 1],
        |it| {
            it.upload_points();
            let template = ResourceTemplate::buffer(32, Bind::COMMAND_ARGS_BUFFER);
            let arguments = it.screen.resource_create(&template).unwrap();
            let words: [u32; 8] = [1, 1, 2, 0, 1, 1, 6, 0];
            let bytes = bytemuck::cast_slice(&words);
            it.setup.context.buffer_subdata(arguments, MapFlags::WRITE, 0, bytes).unwrap();
            let indirect = DrawIndirect::Buffer {
                buffer: arguments,
                offset: 0,
                stride: 16,
                draw_count: 2,
                indirect_draw_count: Some((it.buffer, 4)),
            };
            let info = DrawInfo::new(PrimType::Points);
            it.setup.context.draw_vbo(&info, Some(&indirect), &[]).unwrap();
            picture(it)
        },
        "..r.............",
    );
    // A blue point in the second pixel.
    let point = vertex(1.5 / 8.0 - 1.0, 0.0, 0.0, BLUE);
    with_words::<P>(
        bytemuck::cast_slice(&[point]),
        |it| {
            let binding = VertexBuffer { resource: it.buffer, stride: 32, buffer_offset: 0 };
            it.setup.context.set_vertex_buffers(0, &[Some(binding)]).unwrap();
            it.setup.draw(PrimType::Points, 1).unwrap();
            picture(it)
        },
        ".b..............",
    );
    with_words::<P>(
        &[6, 0, 5],
        |it| {
            it.upload_points();
            let info = DrawInfo {
                index: Some(IndexBuffer::resource(it.buffer, 4)),
                ..DrawInfo::new(PrimType::Points)
            };
            it.setup.context.draw_vbo(&info, None, &[DrawStartCount::count(3)]).unwrap();
            picture(it)
        },
        "r....gg.........",
    );
    const CONSTANT: &str = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND";
    with_words::<P>(
        &[0, 1.0f32.to_bits(), 0, 1.0f32.to_bits()],
        |it| {
            upload_whole(it.setup, it.screen, RED);
            it.setup.shaders(PASS, CONSTANT).unwrap();
            let constants =
                ConstantBuffer::Resource { resource: it.buffer, buffer_offset: 0, buffer_size: 16 };
            let stage = ShaderType::Fragment;
            it.setup.context.set_constant_buffer(stage, 0, Some(constants)).unwrap();
            it.setup.draw(PrimType::Triangles, 3).unwrap();
            picture(it)
        },
        "gggggggggggggggg",
    );
    // A texel of all ones, as a texture.
    const TEXEL_OF_BUFFER: &str = "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\n\
        DCL SVIEW[0], BUFFER, FLOAT\nIMM[0] INT32 {1, 0, 0, 0}\n\
        TXF OUT[0], IMM[0].xyyy, SAMP[0], BUFFER\nEND";
    for stage in [ShaderType::Fragment, ShaderType::Vertex] {
        with_words::<P>(
            &[0, 0xffff_ffff],
            |it| {
                upload_whole(it.setup, it.screen, RED);
                let (vertex, fragment) = match stage {
                    ShaderType::Fragment => (PASS.to_string(), TEXEL_OF_BUFFER),
                    _ => {
                        let declared = PASS.replace(
                            "DCL OUT[0]",
                            "DCL SAMP[0]\nDCL SVIEW[0], BUFFER, FLOAT\n\
                             IMM[0] INT32 {1, 0, 0, 0}\nDCL OUT[0]",
                        );
                        let lookup = "TXF OUT[1], IMM[0].xyyy, SAMP[0], BUFFER";
                        (declared.replace("MOV OUT[1], IN[1]", lookup), COLOR)
                    }
                };
                it.setup.shaders(&vertex, fragment).unwrap();
                let template = it.screen.resource_template(it.buffer).unwrap();
                let view = SamplerViewTemplate {
                    format: Format::R8G8B8A8Unorm,
                    ..SamplerViewTemplate::whole(&template)
                };
                it.setup.texture(stage, it.buffer, &view, &nearest()).unwrap();
                it.setup.draw(PrimType::Triangles, 3).unwrap();
                picture(it)
            },
            "wwwwwwwwwwwwwwww",
        );
    }
    for (word, wanted) in [(0, "................"), (9, "bbbbbbbbbbbbbbbb")] {
        with_words::<P>(
            &[0, word],
            |it| {
                upload_whole(it.setup, it.screen, BLUE);
                it.setup.context.render_condition_mem(it.buffer, 4, false).unwrap();
                it.setup.draw(PrimType::Triangles, 3).unwrap();
                picture(it)
            },
            wanted,
        );
        with_words::<P>(
            &[0, word],
            |it| {
                it.setup.context.render_condition_mem(it.buffer, 4, false).unwrap();
                it.setup.clear(BLUE, 1.0).unwrap();
                picture(it)
            },
            wanted,
        );
    }
    // Three blocks count in the last word, which the flush set to 40.
    const COUNT: &str = "COMP\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {12, 1, 0, 0}\n\
        ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\nEND";
    with_words::<P>(
        &[3, 1, 1, 40],
        |it| {
            let state = ComputeState {
                source: ShaderSource::Text(COUNT),
                static_shared_mem: 0,
                req_private_mem: 0,
                req_input_mem: 0,
            };
            let program = it.setup.context.create_compute_state(&state).unwrap();
            it.setup.context.bind_compute_state(Some(program)).unwrap();
            let whole = ShaderBuffer { resource: it.buffer, buffer_offset: 0, buffer_size: 16 };
            let stage = ShaderType::Compute;
            it.setup.context.set_shader_buffers(stage, 0, &[Some(whole)], !0).unwrap();
            let indirect = Some((it.buffer, 0));
            let info = GridInfo { block: [1, 1, 1], indirect, ..GridInfo::default() };
            it.setup.context.launch_grid(&info).unwrap();
            numbers(&it.setup.bytes(it.buffer, 16))
        },
        "3 1 1 43",
    );
    with_words::<P>(
        &[5, 6],
        |it| {
            let (to, from, all) = (it.other(Bind::VERTEX_BUFFER), it.buffer, it.all());
            it.setup.context.resource_copy_region(to, 0, 0, 0, 0, from, 0, &all).unwrap();
            numbers(&it.setup.bytes(to, 8))
        },
        "5 6",
    );
    // A command that writes the buffer comes after the flush that draws to it.
    with_words::<P>(
        &[5, 6, 7],
        |it| {
            let from = it.other(Bind::VERTEX_BUFFER);
            let (to, one) = (it.buffer, Region::bytes(0, 4));
            it.setup.context.resource_copy_region(to, 0, 4, 0, 0, from, 0, &one).unwrap();
            numbers(&it.setup.bytes(to, 12))
        },
        "5 0 7",
    );
    with_words::<P>(
        &[5, 6, 7],
        |it| {
            it.setup.context.clear_buffer(it.buffer, 8, 4, &[1, 0, 0, 0]).unwrap();
            numbers(&it.setup.bytes(it.buffer, 12))
        },
        "5 6 1",
    );
    with_words::<P>(
        &[5, 6, 7],
        |it| {
            let query = it.setup.context.create_query(QueryType::PrimitivesGenerated, 0).unwrap();
            it.setup.context.begin_query(query).unwrap();
            it.setup.context.end_query(query).unwrap();
            let word = QueryValueType::U32;
            it.setup
                .context
                .get_query_result_resource(query, true, word, Some(0), it.buffer, 4)
                .unwrap();
            numbers(&it.setup.bytes(it.buffer, 12))
        },
        "5 0 7",
    );
    with_words::<P>(
        &[5, 6, 7],
        |it| {
            let outputs = [StreamOutput {
                register_index: 1,
                start_component: 0,
                num_components: 1,
                output_buffer: 0,
                dst_offset: 0,
                stream: 0,
            }];
            let stream_output = StreamOutputInfo { stride: [1, 0, 0, 0], outputs: &outputs };
            let state = ShaderState { source: ShaderSource::Text(PASS), stream_output };
            let shader = it.setup.context.create_vs_state(&state).unwrap();
            it.setup.context.bind_vs_state(Some(shader)).unwrap();
            it.upload_points();
            let target = it.setup.context.create_stream_output_target(it.buffer, 4, 4).unwrap();
            it.setup.context.set_stream_output_targets(&[Some(target)], &[Some(0)]).unwrap();
            it.setup.draw(PrimType::Points, 1).unwrap();
            it.setup.context.set_stream_output_targets(&[], &[]).unwrap();
            numbers(&it.setup.bytes(it.buffer, 12))
        },
        &format!("5 {} 7", 1.0f32.to_bits()),
    );
}

/// Maps a level; returns its bytes.
fn mapped(
    setup: &mut Setup<'_, '_>,
    resource: ResourceHandle,
    usage: MapFlags,
) -> Result<Vec<u8>, PipeError> {
    let whole = Region::whole(setup.options.width, setup.options.height, 1);
    let map = setup.context.transfer_map(resource, 0, usage, &whole)?;
    let bytes = setup.context.transfer_bytes(map.handle).map(|bytes| bytes.to_vec());
    setup.context.transfer_unmap(map.handle)?;
    bytes
}

fn maps_wait_for_a_flush_under_way<P: Profile>() {
    let (direct, apart) = (MapFlags::DIRECTLY, MapFlags::WRITE | MapFlags::UNSYNCHRONIZED);
    let read = MapFlags::READ;
    let held = Held::default();
    let screen = in_background::<P>(held.clone());
    let mut setup = Setup::new(&screen, row()).unwrap();
    let color = setup.color;
    for usage in [read, read | direct, apart | MapFlags::FLUSH_EXPLICIT, apart | direct] {
        for wanted in [RED, GREEN] {
            draw_whole(&mut setup, &screen, wanted);
            start(&mut setup, &screen);
            assert_eq!(held.waiting(), 1);
            let blocked = mapped(&mut setup, color, usage | MapFlags::DONTBLOCK);
            assert_eq!(blocked, Err(PipeError::NotReady), "{usage:?}");
            let pixel = wanted.map(|value| value as u8 * 255);
            assert_eq!(mapped(&mut setup, color, usage).unwrap(), pixel.repeat(16), "{usage:?}");
            held.run();
        }
    }
    // A map that exists already.
    let whole = Region::whole(16, 1, 1);
    for usage in [read | MapFlags::WRITE | direct, direct | apart] {
        let map = setup.context.transfer_map(color, 0, usage, &whole).unwrap();
        setup.context.transfer_bytes(map.handle).unwrap().fill(0);
        draw_whole(&mut setup, &screen, BLUE);
        start(&mut setup, &screen);
        assert_eq!(held.waiting(), 1);
        let bytes = setup.context.transfer_bytes(map.handle).unwrap();
        assert_eq!(bytes, [0, 0, 255, 255].repeat(16));
        bytes[..4].copy_from_slice(&[255, 255, 0, 255]);
        // The CPU's memory is returned before the next flush starts.
        start(&mut setup, &screen);
        assert_picture!(setup.text(), ["ybbbbbbbbbbbbbbb"]);
        setup.context.transfer_unmap(map.handle).unwrap();
        held.run();
    }
    // A texture that a flush in progress reads.
    let template = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 1, 1, Bind::SAMPLER_VIEW);
    let image = setup.image(&screen, &template, &[255, 0, 0, 255]).unwrap();
    setup.shaders(PASS, TEXEL).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
    for usage in [MapFlags::empty(), direct, MapFlags::DISCARD_RANGE] {
        setup.clear(BLACK, 1.0).unwrap();
        draw_whole(&mut setup, &screen, [0.5, 0.5, 0.0, 1.0]);
        start(&mut setup, &screen);
        assert_eq!(held.waiting(), 1);
        let (usage, texel) = (MapFlags::WRITE | usage, Region::whole(1, 1, 1));
        let map = setup.context.transfer_map(image, 0, usage, &texel).unwrap();
        setup.context.transfer_bytes(map.handle).unwrap().copy_from_slice(&[0, 255, 0, 255]);
        setup.context.transfer_unmap(map.handle).unwrap();
        // The earlier flush shows the earlier texel.
        assert_picture!(setup.text(), ["r".repeat(16)], "{usage:?}");
        setup.draw(PrimType::Triangles, 3).unwrap();
        assert_picture!(setup.text(), ["g".repeat(16)], "{usage:?}");
        let texel = Region::whole(1, 1, 1);
        setup.context.clear_texture(image, 0, &texel, &[255, 0, 0, 255]).unwrap();
        held.run();
    }
}

fn no_flush_starts_without_its_memory<P: Profile>() {
    let held = Held::default();
    let screen = in_background::<P>(held.clone());
    let mut other = Setup::new(&screen, row()).unwrap();
    let mut setup = Setup::new(&screen, row()).unwrap();
    let template = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 1, 1, Bind::SAMPLER_VIEW);
    let image = setup.image(&screen, &template, &[0, 255, 0, 255]).unwrap();
    let second = Setup::new(&screen, row()).unwrap().color;
    let surface = SurfaceTemplate::of(setup.options.format);
    let [first, second] =
        [setup.color, second].map(|it| setup.context.create_surface(it, &surface).unwrap());
    let [first, second] = [first, second].map(|it| FramebufferState::single(16, 1, it, None));
    setup.shaders(PASS, TEXEL).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
    let color = setup.color;
    for (lent, width) in [(color, 16), (image, 1)] {
        setup.clear(BLACK, 1.0).unwrap();
        draw_whole(&mut setup, &screen, [0.5, 0.5, 0.0, 1.0]);
        let usage = MapFlags::READ | MapFlags::DIRECTLY;
        let whole = Region::whole(width, 1, 1);
        let map = other.context.transfer_map(lent, 0, usage, &whole).unwrap();
        other.context.transfer_bytes(map.handle).unwrap();
        // The other context has mapped the memory for the CPU.
        for flags in [FlushFlags::ASYNC, FlushFlags::empty(), FlushFlags::ASYNC] {
            let refused = setup.context.flush(flags);
            assert!(matches!(refused, Err(PipeError::Busy(_))), "{refused:?}");
        }
        let refused = setup.context.set_framebuffer_state(&second);
        assert!(matches!(refused, Err(PipeError::Busy(_))), "{refused:?}");
        assert_eq!(held.waiting(), 0, "nothing has started");
        other.context.transfer_unmap(map.handle).unwrap();
        // Nothing was lost, and everything goes on.
        let fence = setup.context.flush(FlushFlags::ASYNC).unwrap().expect("a fence");
        assert_eq!(held.waiting(), 1);
        assert_eq!(screen.fence_finish(None, fence, 0), Ok(false));
        setup.context.set_framebuffer_state(&second).unwrap();
        setup.context.set_framebuffer_state(&first).unwrap();
        held.run();
        assert_eq!(screen.fence_finish(None, fence, 0), Ok(true));
        assert_picture!(setup.text(), ["g".repeat(16)]);
    }
}

fn layers_of_resources_are_referenced_until_they_are_drawn<P: Profile>() {
    let held = Held::default();
    let screen = in_background::<P>(held.clone());
    let mut setup = Setup::new(&screen, row()).unwrap();
    let template = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 1, 1, Bind::SAMPLER_VIEW);
    let image = setup.image(&screen, &template, &[0, 255, 0, 255]).unwrap();
    let unused = setup.image(&screen, &template, &[0, 255, 0, 255]).unwrap();
    setup.shaders(PASS, TEXEL).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
    draw_whole(&mut setup, &screen, [0.5, 0.5, 0.0, 1.0]);
    let color = setup.color;
    let references = |setup: &Setup<'_, '_>| {
        [color, image, unused].map(|it| setup.context.is_resource_referenced(it, 0, 0).unwrap())
    };
    let wanted = [Referenced::all(), Referenced::FOR_READ, Referenced::empty()];
    assert_eq!(references(&setup), wanted, "not flushed");
    start(&mut setup, &screen);
    assert_eq!(references(&setup), wanted, "under way");
    held.run();
    assert_eq!(references(&setup), [Referenced::empty(); 3], "drawn");
}

fn pixels_beyond_the_framebuffer_are_cleared_in_order<P: Profile>() {
    let screen = in_background::<P>(Idle);
    let mut setup = Setup::new(&screen, row()).unwrap();
    let surface = SurfaceTemplate::of(setup.options.format);
    let surface = setup.context.create_surface(setup.color, &surface).unwrap();
    draw_whole(&mut setup, &screen, RED);
    // Draws the left half alone; a clear covers the whole surface.
    let half = FramebufferState::single(8, 1, surface, None);
    setup.context.set_framebuffer_state(&half).unwrap();
    setup.clear(BLUE, 1.0).unwrap();
    assert_picture!(setup.text(), ["b".repeat(16)]);
}

fn pages_are_committed_in_order<P: Profile>() {
    let screen = in_background::<P>(Idle);
    let mut setup = Setup::new(&screen, row()).unwrap();
    // A page has 128 × 128 texels of four bytes.
    let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
    let template = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 256, 128, bind);
    let template = ResourceTemplate { flags: ResourceFlags::SPARSE, ..template };
    let texture = screen.resource_create(&template).unwrap();
    let [left, right] = [0, 128].map(|x| Region::rect(x, 0, 128, 128));
    let surface = setup.context.create_surface(texture, &SurfaceTemplate::of(template.format));
    let state = FramebufferState::single(256, 128, surface.unwrap(), None);
    setup.context.set_framebuffer_state(&state).unwrap();
    setup.context.set_viewport_states(0, &[ViewportState::y_down(256, 128)]).unwrap();
    let middle = |setup: &mut Setup<'_, '_>| {
        let part = Region::rect(127, 0, 2, 1);
        let map = setup.context.transfer_map(texture, 0, MapFlags::READ, &part).unwrap();
        let bytes = setup.context.transfer_bytes(map.handle).unwrap().to_vec();
        setup.context.transfer_unmap(map.handle).unwrap();
        bytes
    };
    setup.context.resource_commit(texture, 0, &left, true).unwrap();
    draw_whole(&mut setup, &screen, RED);
    start(&mut setup, &screen);
    // Pixels drawn without memory are lost, because they were drawn before the commit.
    setup.context.resource_commit(texture, 0, &right, true).unwrap();
    assert_eq!(middle(&mut setup), [255, 0, 0, 255, 0, 0, 0, 0]);
    draw_whole(&mut setup, &screen, GREEN);
    start(&mut setup, &screen);
    setup.context.resource_commit(texture, 0, &left, false).unwrap();
    assert_eq!(middle(&mut setup), [0, 0, 0, 0, 0, 255, 0, 255]);
    // The flush draws to a level without pages at its end.
    draw_whole(&mut setup, &screen, BLUE);
    start(&mut setup, &screen);
    assert_eq!(middle(&mut setup), [0, 0, 0, 0, 0, 0, 255, 255]);
}

fn times_are_those_of_the_end<P: Profile>() {
    let held = Held::default();
    let screen = in_background::<P>(held.clone());
    let mut setup = Setup::new(&screen, row()).unwrap();
    for kind in [QueryType::Timestamp, QueryType::TimeElapsed] {
        let query = setup.context.create_query(kind, 0).unwrap();
        if kind == QueryType::TimeElapsed {
            setup.context.begin_query(query).unwrap();
        }
        draw_whole(&mut setup, &screen, RED);
        let fence = setup.context.flush(FlushFlags::ASYNC).unwrap().expect("a fence");
        assert_eq!(screen.fence_finish(None, fence, 0), Ok(false));
        setup.context.end_query(query).unwrap();
        assert_eq!(screen.fence_finish(None, fence, 0), Ok(true), "{kind:?}: the work is done");
        let result = setup.context.get_query_result(query, false).unwrap();
        assert!(result.is_some_and(|it| it.as_u64() > 0), "{kind:?}");
        held.run();
    }
    // Statistics of a draw that was flushed meanwhile.
    let query = setup.context.create_query(QueryType::OcclusionCounter, 0).unwrap();
    setup.context.begin_query(query).unwrap();
    for _ in 0..2 {
        draw_whole(&mut setup, &screen, RED);
        start(&mut setup, &screen);
    }
    setup.context.end_query(query).unwrap();
    let result = setup.context.get_query_result(query, false).unwrap();
    assert_eq!(result, Some(QueryResult::U64(32)));
    held.run();
}

/// A map of another context waits for the flush in progress.
#[test]
fn another_context_maps_what_a_flush_has_drawn() {
    let (closed, waiting) = (AtomicBool::new(false), AtomicU32::new(0));
    let gate: &Gate = Box::leak(Box::new(Gate { owner: thread::current().id(), closed, waiting }));
    let screen = Screen::<Small>::with_budget(two_workers(), Config::default(), gate)
        .with_background(BackgroundThread::start("flushes").unwrap())
        .unwrap();
    let mut setup = Setup::new(&screen, row()).unwrap();
    let color = setup.color;
    for (usage, wanted) in [(MapFlags::empty(), RED), (MapFlags::DIRECTLY, GREEN)] {
        draw_whole(&mut setup, &screen, wanted);
        gate.waiting.store(0, SeqCst);
        gate.closed.store(true, SeqCst);
        start(&mut setup, &screen);
        while gate.waiting.load(SeqCst) == 0 {
            thread::yield_now();
        }
        let pixels = thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut other = Setup::new(&screen, row()).unwrap();
                let usage = MapFlags::READ | usage;
                let blocked = mapped(&mut other, color, usage | MapFlags::DONTBLOCK);
                assert_eq!(blocked, Err(PipeError::NotReady));
                mapped(&mut other, color, usage)
            });
            thread::sleep(std::time::Duration::from_millis(20));
            assert!(!reader.is_finished());
            gate.closed.store(false, SeqCst);
            reader.join().expect("no panic")
        });
        let pixel = wanted.map(|value| value as u8 * 255);
        assert_eq!(pixels.unwrap(), pixel.repeat(16));
    }
}

/// A blit reads the surface that a flush in progress draws.
#[test]
fn blits_come_after_what_is_under_way() {
    let held = Held::default();
    let screen = in_background::<Host>(held.clone());
    let mut setup = Setup::new(&screen, row()).unwrap();
    let template = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 16, 1, Bind::RENDER_TARGET);
    let to = screen.resource_create(&template).unwrap();
    draw_whole(&mut setup, &screen, RED);
    start(&mut setup, &screen);
    assert_eq!(held.waiting(), 1);
    let format = template.format;
    let end = |resource, region| BlitSurface { resource, level: 0, region, format };
    let whole = Region::whole(16, 1, 1);
    let mirrored = Region { x: 16, width: -16, ..whole };
    let blit = BlitInfo::new(end(to, whole), end(setup.color, mirrored), TexFilter::Nearest);
    setup.context.blit(&blit).unwrap();
    assert_eq!(setup.read(to).unwrap(), [255, 0, 0, 255].repeat(16));
}
