//! Traces with data: a replay makes the same calls, and damaged traces give named errors.

use std::sync::Mutex;

use gallium_pipe_core::context::*;
use gallium_pipe_core::query::{QueryValueType, RenderConditionMode};
use gallium_pipe_core::wrap::record::{
    Calls, Effect, Player, RecordPort, RecordScreen, TraceError, with_texts,
};
use gallium_pipe_core::wrap::{NullScreen, TraceScreen, WriteSink};
use gallium_pipe_core::*;
use os_shim::Memory;

/// Records the calls of `make` on a driver without pictures.
fn recorded(make: impl FnOnce(&dyn Screen<'static>)) -> &'static [u8] {
    let memory = Memory::system();
    let bytes = Mutex::new(Vec::new());
    let sink = |call: &[u8]| bytes.lock().expect("no panic").extend_from_slice(call);
    let null = NullScreen::new(memory);
    make(&RecordScreen::new(&null, &sink, memory));
    bytes.into_inner().expect("no panic").leak()
}

/// Plays a trace on a screen to its end.
fn play(screen: &dyn Screen<'static>, trace: &'static [u8]) -> Result<u64, TraceError> {
    let mut player = Player::new(screen, trace, Memory::system())?;
    let mut calls = 0;
    while let Some(played) = player.step()? {
        assert!(played.is_same, "{played:?}");
        calls += 1;
        assert_eq!(played.index, calls);
    }
    Ok(calls)
}

/// Returns the text form of a trace.
fn text(trace: &'static [u8]) -> String {
    let (null, sink) = (NullScreen::new(Memory::system()), WriteSink::new(String::new()));
    play(&TraceScreen::new(&null, &sink, Memory::system()), trace).expect("a whole trace");
    sink.into_inner()
}

const VERTEX: &str = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";

/// Makes calls of every chapter, with arguments of every form.
fn many_calls(screen: &dyn Screen<'static>) -> Result<(), PipeError> {
    static TEXELS: [u8; 16] = [7; 16];
    let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
    let template = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 8, 8, bind);
    let color = screen.resource_create(&template)?;
    let buffer = screen.resource_create(&ResourceTemplate::buffer(64, Bind::VERTEX_BUFFER))?;
    let small = ResourceTemplate::texture_2d(Format::R8Unorm, 4, 4, Bind::SAMPLER_VIEW);
    let user = screen.resource_from_user_memory(&small, &TEXELS);
    let mut context = screen.context_create(ContextFlags::empty())?;
    let blend = BlendState::uniform(RenderTargetBlendState::alpha_blending());
    let blend = context.create_blend_state(&blend)?;
    context.bind_blend_state(Some(blend))?;
    let tests = DepthStencilAlphaState { alpha_ref_value: -0.5, ..Default::default() };
    let tests = context.create_depth_stencil_alpha_state(&tests)?;
    context.bind_depth_stencil_alpha_state(Some(tests))?;
    let rasterizer = RasterizerState { line_width: 2.5, scissor: true, ..Default::default() };
    let rasterizer = context.create_rasterizer_state(&rasterizer)?;
    context.bind_rasterizer_state(Some(rasterizer))?;
    let sampler = context.create_sampler_state(&SamplerState::default())?;
    context.bind_sampler_states(ShaderType::Fragment, 1, &[None, Some(sampler)])?;
    let elements = [VertexElement::per_vertex(4, Format::R32G32B32Float)];
    let elements = context.create_vertex_elements_state(&elements)?;
    context.bind_vertex_elements_state(Some(elements))?;
    let shader = context.create_shader_state(ShaderType::Vertex, &ShaderState::text(VERTEX))?;
    context.bind_shader_state(ShaderType::Vertex, Some(shader))?;
    let constants = Some(ConstantBuffer::User(&[1, 2, 3, 4]));
    context.set_constant_buffer(ShaderType::Vertex, 0, constants)?;
    let range = ConstantBuffer::Resource { resource: buffer, buffer_offset: 16, buffer_size: 32 };
    context.set_constant_buffer(ShaderType::Fragment, 1, Some(range))?;
    let vertices = VertexBuffer { resource: buffer, stride: 12, buffer_offset: 4 };
    context.set_vertex_buffers(1, &[Some(vertices), None])?;
    context.set_stencil_ref(StencilRef { ref_value: [1, 200] });
    context.set_blend_color(&BlendColor { color: [0.0, -1.0, f32::NAN, 1e30] });
    context.set_sample_mask(u32::MAX);
    context.set_scissor_states(0, &[ScissorState { minx: 1, ..Default::default() }])?;
    context.set_viewport_states(0, &[ViewportState::y_up(8, 8)])?;
    let view = SamplerViewTemplate::whole(&template);
    let view = context.create_sampler_view(color, &view)?;
    context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)])?;
    let surface = context.create_surface(color, &SurfaceTemplate::of(template.format))?;
    context.set_framebuffer_state(&FramebufferState::single(8, 8, surface, None))?;
    let scissor = ScissorState { maxx: 4, ..Default::default() };
    let red = ColorUnion::float([1.0, 0.0, 0.0, 1.0]);
    context.clear(ClearFlags::COLOR, Some(&scissor), &red, 0.25, 3)?;
    context.buffer_subdata(buffer, MapFlags::WRITE, 8, &[9; 24])?;
    let region = Region { x: 2, width: -2, ..Region::rect(0, 0, 2, 2) };
    let side = BlitSurface { resource: color, level: 0, region, format: template.format };
    let _ = context.blit(&BlitInfo::new(side, side, TexFilter::Linear));
    let part = DrawStartCount { start: 1, count: 3, index_bias: -7 };
    let indexed = DrawInfo::indexed(PrimType::TriangleStrip, IndexBuffer::user(&[0, 1, 2, 3], 1));
    context.draw_vbo(&indexed, None, &[part, part])?;
    let query = context.create_query(query::QueryType::OcclusionCounter, 0)?;
    context.begin_query(query)?;
    context.end_query(query)?;
    context.get_query_result(query, true)?;
    let _ = context.get_query_result_resource(query, true, QueryValueType::U64, None, buffer, 8);
    let _ = context.render_condition(Some(query), true, RenderConditionMode::NoWait);
    context.memory_barrier(BarrierFlags::all());
    context.emit_string_marker("grün");
    context.flush(FlushFlags::END_OF_FRAME)?;
    let stale = context.delete_blend_state(blend).and(context.delete_blend_state(blend));
    assert!(stale.is_err(), "it was deleted before");
    if let Ok(user) = user {
        screen.resource_destroy(user)?;
    }
    screen.resource_destroy(color)
}

/// Reads a number from the front of bytes, seven bits per byte.
fn number(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..).step_by(7) {
        let byte = *bytes.split_off_first().expect("the number goes on");
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

/// Returns the calls of a trace according to the format's description: number, context, arguments
/// and result.
fn calls(trace: &[u8]) -> Vec<(u64, u64, &[u8])> {
    let mut rest = trace.strip_prefix(b"GALTRACE").expect("the first bytes");
    assert_eq!(number(&mut rest), 1, "the version");
    let length = number(&mut rest) as usize;
    assert_eq!(rest.split_off(..length), Some(b"null".as_slice()));
    let mut calls = Vec::new();
    while !rest.is_empty() {
        let (call, context, length) = (number(&mut rest), number(&mut rest), number(&mut rest));
        calls.push((call, context, rest.split_off(..length as usize).expect("a whole call")));
    }
    calls
}

#[test]
fn a_played_trace_makes_the_same_calls() {
    let trace = recorded(|screen| many_calls(screen).expect("null accepts it"));
    let again = recorded(|screen| assert!(play(screen, trace).expect("a whole trace") > 40));
    // The player reads pictures with maps (163), which it unmaps (166).
    let mut again = calls(again);
    again.retain(|(call, ..)| ![163, 166].contains(call));
    assert_eq!(calls(trace), again);
}

#[test]
fn a_port_gets_the_same_bytes_in_pieces() {
    let whole = recorded(|screen| many_calls(screen).expect("null accepts it"));
    let (mut bytes, mut longest) = (Vec::new(), 0);
    {
        let port = RecordPort::new(|piece: &[u8]| {
            longest = longest.max(piece.len());
            bytes.extend_from_slice(piece);
        });
        let null = NullScreen::new(Memory::system());
        let screen = RecordScreen::new(&null, &port, Memory::system());
        many_calls(&screen).expect("null accepts it");
    }
    assert_eq!(bytes, whole);
    assert!(longest <= 64, "{longest}");
}

#[test]
fn a_port_needs_no_memory_for_calls() {
    static DATA: [u8; 100_000] = [7; 100_000];
    let mut room = [std::mem::MaybeUninit::uninit(); 256];
    let region = os_shim::Region::new(&mut room);
    let memory = Memory::new(&region);
    let mut bytes = Vec::new();
    let null = NullScreen::new(Memory::system());
    {
        let port = RecordPort::new(|piece: &[u8]| bytes.extend_from_slice(piece));
        let screen = RecordScreen::new(&null, &port, memory);
        let template = ResourceTemplate::buffer(100_000, Bind::VERTEX_BUFFER);
        screen.resource_from_user_memory(&template, &DATA).expect("null accepts it");
    }
    assert_eq!(memory.usage().peak, 0);
    assert_eq!(play(&null, bytes.leak()), Ok(1));
}

#[test]
fn calls_that_draw_end_with_their_instructions() {
    use std::sync::atomic::{AtomicU32, Ordering};
    /// Counts 5 instructions from one look to the next, beyond the highest number.
    fn counter() -> u32 {
        static NOW: AtomicU32 = AtomicU32::new(u32::MAX - 12);
        NOW.fetch_add(5, Ordering::Relaxed)
    }
    let mut bytes = Vec::new();
    let null = NullScreen::new(Memory::system());
    {
        let port = RecordPort::new(|piece: &[u8]| bytes.extend_from_slice(piece));
        let port = port.with_counter(counter);
        let screen = RecordScreen::new(&null, &port, Memory::system());
        many_calls(&screen).expect("null accepts it");
    }
    let trace: &'static [u8] = bytes.leak();
    let mut counted = Vec::new();
    let mut calls = Calls::new(trace).expect("a trace");
    while let Some(call) = calls.read().expect("a whole trace") {
        let mut take = |name: &'static str, value: &dyn std::fmt::Debug| {
            if name == "instructions" {
                counted.push((call.name, format!("{value:?}")));
            }
        };
        call.describe(Memory::system(), &mut take).expect("a whole call");
    }
    let five = |name| (name, String::from("5"));
    assert_eq!(counted, ["clear", "blit", "draw_vbo", "flush"].map(five));
    assert!(play(&null, trace).is_ok_and(|calls| calls > 40));
}

/// Returns a number in seven bits per byte.
fn seven_bits(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Returns the bytes of a call.
fn call(number: u64, context: u64, body: &[u8]) -> Vec<u8> {
    [seven_bits(number), seven_bits(context), seven_bits(body.len() as u64), body.to_vec()].concat()
}

#[test]
fn names_of_programs_become_their_texts() {
    const CREATE_SHADER_STATE: u64 = 29;
    let trace = recorded(|screen| many_calls(screen).expect("null accepts it"));
    let name = tgsi::program::SourceText::name_of(VERTEX.as_bytes());
    let mut named = b"GALTRACE\x01\x04null".to_vec();
    for (number, context, body) in calls(trace) {
        if number != CREATE_SHADER_STATE {
            named.extend(call(number, context, body));
            continue;
        }
        // The stage, 0 for a text, and the text.
        let text = [&[0, 0], &*seven_bits(VERTEX.len() as u64), VERTEX.as_bytes()].concat();
        let rest = body.strip_prefix(&*text).expect("it begins so");
        named.extend(call(number, context, &[&[0, 3], &*seven_bits(name), rest].concat()));
    }
    let mut resolved = Vec::new();
    let texts = [b"FRAG\nEND\n\0\0", VERTEX.as_bytes(), b"\0"].concat();
    let whole = with_texts(&named, &texts, &mut |bytes| resolved.extend_from_slice(bytes));
    assert_eq!((whole, &*resolved), (Ok(()), trace));

    let error = Err(TraceError::Program(name));
    assert_eq!(with_texts(&named, b"FRAG\nEND\n\0", &mut |_| ()), error);
    assert_eq!(with_texts(b"GIF89a", &texts, &mut |_| ()), Err(TraceError::NoTrace));
    let null = NullScreen::new(Memory::system());
    let message = play(&null, named.leak()).expect_err("it has no text").to_string();
    assert!(message.contains(&format!("program {name:016x}")) && message.ends_with("--elf"));
}

#[test]
fn text_on_demand() {
    let trace = recorded(|screen| many_calls(screen).expect("null accepts it"));
    let text = text(trace);
    for line in [
        "set_stencil_ref(reference: StencilRef { ref_value: [1, 200] })",
        "emit_string_marker(marker: \"grün\")",
        "draw_vbo(info: DrawInfo { mode: TriangleStrip, index: Some(IndexBuffer { source: 4 bytes, \
         size: 1 }) }, indirect: None, draws: [DrawStartCount { start: 1, count: 3, index_bias: -7 }, \
         DrawStartCount { start: 1, count: 3, index_bias: -7 }])",
    ] {
        assert!(text.lines().any(|known| known == line), "{line}\nnot in\n{text}");
    }
}

#[test]
fn the_effects_of_calls_are_known() {
    let (mut bindings, mut contents) = (Vec::new(), Vec::new());
    for number in 1..=200u8 {
        let mut trace = b"GALTRACE\x01\x04null".to_vec();
        // The number takes two bytes from 128 on. The context is 1, the body three zeros.
        trace.extend(if number < 128 { vec![number] } else { vec![number, 1] });
        trace.extend([1, 3, 0, 0, 0]);
        let Ok(Some(call)) = Calls::new(&trace).and_then(|mut calls| calls.read()) else {
            continue;
        };
        match call.effect() {
            Effect::Binding(_) => bindings.push(call.name),
            Effect::Contents => contents.push(call.name),
            Effect::Objects => {}
        }
    }
    let is_binding = |name: &&&str| name.starts_with("bind_") || name.starts_with("set_");
    assert_eq!(bindings.iter().filter(is_binding).count(), bindings.len(), "{bindings:?}");
    assert_eq!(bindings.len(), 28, "{bindings:?}");
    // Nothing is created, bound or destroyed.
    let lasting = ["create", "destroy", "delete", "bind", "set_", "commit", "resident", "fence"];
    let is_lasting = |name: &&&str| lasting.iter().any(|word| name.contains(word));
    assert_eq!(contents.iter().find(is_lasting), None);
    assert_eq!(contents.len(), 30, "{contents:?}");
}

#[test]
fn lasting_calls_alone_leave_the_same_bindings() {
    let set = |first: usize, values: &[f32], context: &mut dyn Context<'static>| {
        let viewport = |value: &f32| ViewportState { scale: [*value; 3], ..Default::default() };
        let viewports: Vec<_> = values.iter().map(viewport).collect();
        context.set_viewport_states(first, &viewports).expect("set");
    };
    let trace = recorded(|screen| {
        let mut context = screen.context_create(ContextFlags::empty()).expect("a context");
        set(0, &[1.0, 2.0], &mut *context);
        set(1, &[3.0], &mut *context);
        set(0, &[4.0, 5.0], &mut *context);
        context.set_sample_mask(6);
        set(1, &[7.0], &mut *context);
        context.set_sample_mask(8);
    });
    // The last of each name: two ranges of viewports, and the mask.
    let mut last = std::collections::BTreeMap::new();
    let mut calls = Calls::new(trace).expect("a trace");
    while let Some(call) = calls.read().expect("whole") {
        if let Effect::Binding(name) = call.effect() {
            last.insert((call.number, name), call.index);
        }
    }
    let null = NullScreen::new(Memory::system());
    let sink = WriteSink::new(String::new());
    let screen = TraceScreen::new(&null, &sink, Memory::system());
    let mut player = Player::new(&screen, trace, Memory::system()).expect("a trace");
    while let Some(call) = player.read().expect("whole") {
        let is_made = match call.effect() {
            Effect::Objects => true,
            Effect::Binding(_) => last.values().any(|index| *index == call.index),
            Effect::Contents => false,
        };
        if is_made {
            player.make(call).expect("made");
        }
    }
    assert_eq!(player.index(), 8, "the context and its end, and six bindings");
    drop(player);
    let text = sink.into_inner();
    let count = |what: &str| text.matches(what).count();
    assert_eq!([count("set_viewport_states("), count("set_sample_mask(")], [2, 1], "{text}");
    let places = ["4.0", "7.0", "8"].map(|value| text.find(value).expect("a value"));
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn writes_of_the_cpu_are_played() {
    let write = |screen: &dyn Screen<'static>| -> Result<[u8; 4], PipeError> {
        let buffer = screen.resource_create(&ResourceTemplate::buffer(8, Bind::CONSTANT_BUFFER))?;
        let mut context = screen.context_create(ContextFlags::empty())?;
        let region = Region::bytes(2, 4);
        let map = context.transfer_map(buffer, 0, MapFlags::WRITE, &region)?;
        context.transfer_bytes(map.handle)?.get_mut(..4).expect("four").copy_from_slice(b"abcd");
        context.transfer_unmap(map.handle)?;
        let map = context.transfer_map(buffer, 0, MapFlags::READ, &region)?;
        let read = *context.transfer_bytes(map.handle)?.first_chunk().expect("four");
        context.transfer_unmap(map.handle)?;
        Ok(read)
    };
    let mut read = [0; 4];
    let trace = recorded(|screen| read = write(screen).expect("null accepts it"));
    assert!(trace.windows(4).any(|bytes| bytes == b"abcd"), "the data is in the trace");
    let names: Vec<_> = {
        let null = NullScreen::new(Memory::system());
        let mut player = Player::new(&null, trace, Memory::system()).expect("a trace");
        std::iter::from_fn(|| player.step().expect("a whole trace")).map(|call| call.name).collect()
    };
    assert_eq!(
        names,
        [
            "resource_create",
            "context_create",
            "transfer_map",
            "a write of the CPU to mapped memory",
            "transfer_unmap",
            "transfer_map",
            "transfer_unmap",
            "context_destroy",
        ]
    );
}

#[test]
fn damage_is_named() {
    let null = NullScreen::new(Memory::system());
    let error = |trace: &[u8]| {
        let trace: &'static [u8] = trace.to_vec().leak();
        play(&null, trace).expect_err("it is damaged")
    };
    assert_eq!(error(b"GIF89a"), TraceError::NoTrace);
    assert_eq!(error(b"GALTRACE\x02\0"), TraceError::Version(2));
    assert_eq!(error(b"GALTRACE\x01\x05null"), TraceError::Truncated);
    assert_eq!(error(b"GALTRACE\x01\0\x63\0\0"), TraceError::Call(99));
    assert_eq!(error(b"GALTRACE\x01\0\x8d\x01\0\0"), TraceError::Call(141), "none of a screen");
    assert_eq!(error(b"GALTRACE\x01\0\x2a\x01\0"), TraceError::Context(1));
    assert_eq!(error(b"GALTRACE\x01\0\x09\0\0"), TraceError::Lost);
    let trace = recorded(|screen| many_calls(screen).expect("null accepts it"));
    for length in 0..trace.len() {
        // A cut between two calls leaves a whole, shorter trace.
        let short = trace.get(..length).expect("shorter");
        let played = play(&null, short);
        assert!(matches!(played, Ok(_) | Err(TraceError::Truncated | TraceError::NoTrace)));
    }
}

#[test]
fn wrong_bytes_harm_nobody() {
    let trace = recorded(|screen| many_calls(screen).expect("null accepts it"));
    for at in 8..trace.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut bytes = trace.to_vec();
            bytes[at] ^= change;
            let null = NullScreen::new(Memory::system());
            let Ok(mut player) = Player::new(&null, bytes.leak(), Memory::system()) else {
                continue;
            };
            // Each step takes bytes or ends, so this loop ends.
            while let Ok(Some(_)) = player.step() {}
        }
    }
}

#[cfg(feature = "std")]
#[test]
fn only_screens_that_draw_take_a_file() {
    use gallium_pipe_core::wrap::record::RecordFiles;
    let folder = std::env::temp_dir().join(format!("gallium-record-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for tests");
    let path = folder.join("calls");
    let memory = Memory::system();
    let files = RecordFiles::create(&path).expect("the folder is there");
    let null = NullScreen::new(memory);
    for draws in [false, true, false, true] {
        let file = files.file(memory);
        let screen = RecordScreen::new(&null, &file, memory);
        let mut context = screen.context_create(ContextFlags::empty()).expect("memory is there");
        if draws {
            let red = ColorUnion::float([1.0, 0.0, 0.0, 1.0]);
            context.clear(ClearFlags::COLOR, None, &red, 1.0, 0).expect("null accepts it");
        }
    }
    for name in ["calls", "calls.2"] {
        let trace = std::fs::read(folder.join(name)).expect("two screens drew").leak();
        assert_eq!(play(&null, trace), Ok(3), "context, clear, end");
    }
    assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 2);
    assert!(RecordFiles::create(&folder.join("none/calls")).is_err());
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

/// Recordings use the screen's memory until the first draw, and then the limit of all files. Beyond
/// either limit the screen keeps drawing, unrecorded.
#[cfg(feature = "std")]
#[test]
fn traces_end_at_their_limits() {
    use gallium_pipe_core::wrap::record::RecordFiles;
    use os_shim::memory::Quota;
    let folder = std::env::temp_dir().join(format!("gallium-record-limit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for tests");
    let files = RecordFiles::create(&folder.join("calls")).expect("the folder is there");
    let files = files.with_limit(3 << 20);
    let null = NullScreen::new(Memory::system());
    let quota = Quota::new(Memory::system(), 1 << 20);
    let draw = |names: usize, clears: usize| {
        let file = files.file(Memory::new(&quota));
        let screen = RecordScreen::new(&null, &file, Memory::system());
        let mut context = screen.context_create(ContextFlags::empty()).expect("memory is there");
        let text = "x".repeat(1 << 10);
        for _ in 0..names {
            context.emit_string_marker(&text);
        }
        for _ in 0..clears {
            let red = ColorUnion::float([1.0, 0.0, 0.0, 1.0]);
            context.clear(ClearFlags::COLOR, None, &red, 1.0, 0).expect("null accepts it");
        }
    };
    // The first screen never draws, and the second has no memory for waiting calls.
    draw(4000, 0);
    assert!(quota.usage().peak <= 1 << 20);
    draw(4000, 1);
    assert_eq!(quota.usage().used, 0);
    // The second of these is cut off, and the third has no room. Each file counts one megabyte.
    draw(0, 1);
    draw(0, 100_000);
    draw(0, 1);
    let sizes: Vec<_> = std::fs::read_dir(&folder)
        .expect("it is there")
        .map(|file| file.and_then(|file| file.metadata()).expect("a file").len())
        .collect();
    assert_eq!(sizes.len(), 2, "{sizes:?}");
    let bytes = sizes.iter().sum::<u64>();
    assert!(((1 << 20) - 1024..=1 << 20).contains(&bytes), "{sizes:?}");
    std::fs::remove_dir_all(&folder).expect("it is ours");
}
