//! The wrappers around the calls of desktop frontends.
#![cfg(feature = "desktop")]

use gallium_pipe_core::wrap::record::RecordScreen;
use gallium_pipe_core::wrap::{CheckScreen, NullScreen, TraceScreen, WriteSink};
use gallium_pipe_core::*;
use os_shim::sharing::{Gone, SharedMemory};
use os_shim::{Box, Memory, unsize_box};

/// Memory of 100 bytes that is never read.
struct Hundred;

impl SharedMemory for Hundred {
    fn size(&self) -> u64 {
        100
    }
    fn read_at(&self, _: u64, _: &mut [u8]) -> Result<(), Gone> {
        Err(Gone)
    }
    fn write_at(&self, _: u64, _: &[u8]) -> Result<(), Gone> {
        Err(Gone)
    }
}

fn hundred() -> Box<'static, dyn SharedMemory> {
    unsize_box!(Box::try_new_in(Hundred, Memory::system()).unwrap())
}

fn state(resource: ResourceHandle, elements: &[VertexElement]) -> VertexStateTemplate<'_> {
    VertexStateTemplate {
        buffer: VertexBuffer { resource, stride: 16, buffer_offset: 0 },
        elements,
        indices: None,
        full_velem_mask: 1,
    }
}

#[test]
fn a_trace_has_what_changes_and_no_questions() {
    let (memory, sink) = (Memory::system(), WriteSink::new(String::new()));
    let driver = NullScreen::new(memory);
    let screen = TraceScreen::new(&driver, &sink, memory);
    let object = screen.memobj_create_from_handle(hundred()).unwrap();
    let buffer = ResourceTemplate::buffer(64, Bind::VERTEX_BUFFER);
    let resource = screen.resource_from_memobj(&buffer, object, 36).unwrap();
    screen.memobj_destroy(object).unwrap();
    let elements = [VertexElement::default()];
    let vertices = screen.create_vertex_state(&state(resource, &elements)).unwrap();
    let mut context = screen.context_create(ContextFlags::empty()).unwrap();
    assert_eq!(context.is_resource_referenced(resource, 0, 0), Ok(Referenced::empty()));
    assert_eq!(screen.get_sample_pixel_grid(4), [1, 1]);
    let info = DrawVertexStateInfo { mode: PrimType::Points, partial_velem_mask: 1 };
    context.draw_vertex_state(vertices, &info, &[]).unwrap();
    drop(context);
    screen.vertex_state_destroy(vertices).unwrap();
    assert_eq!(screen.vertex_state_destroy(vertices), Err(PipeError::stale(vertices)));

    let trace = sink.into_inner();
    let calls: Vec<&str> = trace.lines().collect();
    assert_eq!(calls[0], "memobj_create_from_handle(memory: 100 bytes) = memory_object#0.1");
    let (from, rest) = calls[1].split_once("memory: ").unwrap();
    assert!(from.starts_with("resource_from_memobj(template: ResourceTemplate {"), "{from}");
    assert_eq!(rest, "memory_object#0.1, offset: 36) = resource#0.1");
    assert_eq!(calls[2], "memobj_destroy(memory: memory_object#0.1)");
    assert!(
        calls[3].starts_with("create_vertex_state(") && calls[3].ends_with("= vertex_state#0.1")
    );
    assert_eq!(calls[4], "context_create(flags: 0)");
    assert_eq!(
        calls[5],
        "draw_vertex_state(state: vertex_state#0.1, info: DrawVertexStateInfo { mode: Points, \
         partial_velem_mask: 1 }, draws: [])"
    );
    assert_eq!(calls[6], "vertex_state_destroy(state: vertex_state#0.1)");
    assert!(calls[7].contains("! stale handle vertex_state#0.1"), "{}", calls[7]);
    assert_eq!(calls.len(), 8);
}

#[test]
fn check_refuses_what_contradicts_itself() {
    let memory = Memory::system();
    let driver = NullScreen::new(memory);
    let screen = CheckScreen::new(&driver, memory);
    let object = screen.memobj_create_from_handle(hundred()).unwrap();
    let buffer = ResourceTemplate::buffer(64, Bind::VERTEX_BUFFER);
    let beyond = screen.resource_from_memobj(&buffer, object, 37);
    let what = "the resource's end in the memory";
    assert_eq!(beyond, Err(PipeError::OutOfRange { what, value: 101, limit: 100 }));
    let texture = ResourceTemplate::texture_2d(Format::R8Unorm, 4, 4, Bind::SAMPLER_VIEW);
    let texture = screen.resource_create(&texture).unwrap();
    let elements = [VertexElement::default()];
    let of_texture = screen.create_vertex_state(&state(texture, &elements));
    assert!(matches!(of_texture, Err(PipeError::Invalid(_))), "{of_texture:?}");
    let buffer = screen.resource_create(&buffer).unwrap();
    let few = screen.create_vertex_state(&state(buffer, &[]));
    assert!(matches!(few, Err(PipeError::Invalid(_))), "{few:?}");
    let vertices = screen.create_vertex_state(&state(buffer, &elements)).unwrap();

    let mut context = screen.context_create(ContextFlags::empty()).unwrap();
    let info = DrawVertexStateInfo { mode: PrimType::Points, partial_velem_mask: 1 };
    let draw = context.draw_vertex_state(vertices, &info, &[]);
    assert_eq!(draw, Err(PipeError::Unbound("a framebuffer")));
    let level = context.is_resource_referenced(texture, 1, 0);
    assert!(matches!(level, Err(PipeError::OutOfRange { .. })), "{level:?}");
    let layer = context.is_resource_referenced(texture, 0, 1);
    assert!(matches!(layer, Err(PipeError::OutOfRange { .. })), "{layer:?}");
    // The null driver has no driver-specific queries.
    let query = context.create_query(QueryType::DriverSpecific, 0);
    assert!(matches!(query, Err(PipeError::Unsupported(_))), "{query:?}");
}

#[test]
fn a_recorder_refuses_what_a_trace_cannot_bring_back() {
    let memory = Memory::system();
    let driver = NullScreen::new(memory);
    let sink = |_: &[u8]| ();
    let screen = RecordScreen::new(&driver, &sink, memory);
    for cap in [Cap::Memobj, Cap::FenceSignal, Cap::DrawVertexState] {
        assert_eq!((driver.get_param(cap), screen.get_param(cap)), (1, 0), "{cap:?}");
    }
    let object = screen.memobj_create_from_handle(hundred());
    assert!(matches!(object, Err(PipeError::Unsupported(_))), "{object:?}");
    let buffer = ResourceTemplate::buffer(64, Bind::VERTEX_BUFFER);
    let buffer = screen.resource_create(&buffer).unwrap();
    let vertices = screen.create_vertex_state(&state(buffer, &[VertexElement::default()]));
    assert!(matches!(vertices, Err(PipeError::Unsupported(_))), "{vertices:?}");
}
