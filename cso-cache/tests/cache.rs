//! The cache over a driver that counts calls: the null driver behind a trace.

use gallium_cso_cache::{ConstantRange, CsoContext, Limits, Saved};
use os_shim::{FailAt, Memory, Region, System};
use pipe_core::context::*;
use pipe_core::query::RenderConditionMode;
use pipe_core::wrap::{NullContext, NullScreen, Trace, WriteSink};
use pipe_core::*;

/// Runs `calls` on a cache; returns the driver's trace of them, without the final deletions.
fn traced(limits: Limits, calls: impl FnOnce(&mut CsoContext<'_, '_>)) -> Vec<String> {
    let memory = Memory::system();
    let screen = NullScreen::new(memory);
    let mut null = NullContext::new(&screen);
    let sink = WriteSink::new(String::new());
    {
        let mut trace = Trace::new(&mut null, &sink);
        let mut cso = CsoContext::with_limits(&mut trace, memory, limits);
        calls(&mut cso);
        cso.context().emit_string_marker("end");
    }
    assert_eq!(null.object_count(), 0, "everything is deleted when the cache is dropped");
    let text = sink.into_inner();
    let end = text.find("emit_string_marker").expect("the marker");
    text[..end].lines().map(String::from).collect()
}

/// Returns the names of the calls.
fn names(lines: &[String]) -> Vec<&str> {
    lines.iter().map(|line| line.split('(').next().unwrap_or_default()).collect()
}

fn biased(lod_bias: f32) -> SamplerState {
    SamplerState { lod_bias, ..SamplerState::default() }
}

fn referring(alpha_ref_value: f32) -> DepthStencilAlphaState {
    DepthStencilAlphaState { alpha_ref_value, ..DepthStencilAlphaState::default() }
}

#[test]
fn duplicates_create_one_object_and_bind_once() {
    let lines = traced(Limits::default(), |cso| {
        for _ in 0..3 {
            cso.set_blend(&BlendState::default()).unwrap();
            cso.set_rasterizer(&RasterizerState::default()).unwrap();
            cso.set_depth_stencil_alpha(&referring(0.5)).unwrap();
            cso.set_vertex_elements(&[VertexElement::default()]).unwrap();
            cso.set_samplers(ShaderType::Fragment, &[Some(biased(1.0)), Some(biased(1.0))])
                .unwrap();
            let shader = ShaderState::text("VERT\nEND\n");
            cso.set_shader(ShaderType::Vertex, 7, &shader).unwrap();
            cso.set_sample_mask(3);
            cso.set_blend_color(BlendColor { color: [0.5; 4] });
        }
        assert_eq!(cso.object_count(), 6);
        let statistics = cso.statistics();
        assert_eq!((statistics.created, statistics.evicted), (6, 0));
        // Each of six kinds is found twice, and one of the samplers once more, then twice.
        assert_eq!(statistics.hits, 5 * 2 + 5);
        assert_eq!((statistics.sets, statistics.binds), (24, 8));
    });
    assert_eq!(
        names(&lines),
        [
            "create_blend_state",
            "bind_blend_state",
            "create_rasterizer_state",
            "bind_rasterizer_state",
            "create_depth_stencil_alpha_state",
            "bind_depth_stencil_alpha_state",
            "create_vertex_elements_state",
            "bind_vertex_elements_state",
            "create_sampler_state",
            "bind_sampler_states",
            "create_shader_state",
            "bind_shader_state",
            "set_sample_mask",
            "set_blend_color",
        ]
    );
}

#[test]
fn states_are_told_apart_by_their_bits() {
    traced(Limits::default(), |cso| {
        for reference in [0.0, -0.0, f32::NAN, 0.25, 0.0, f32::NAN] {
            cso.set_depth_stencil_alpha(&referring(reference)).unwrap();
        }
        assert_eq!(cso.statistics().created, 4);
        cso.set_vertex_elements(&[VertexElement::default()]).unwrap();
        cso.set_vertex_elements(&[VertexElement::default(); 2]).unwrap();
        cso.set_vertex_elements(&[]).unwrap();
        assert_eq!(cso.statistics().created, 7);
        let shader = ShaderState::text("");
        cso.set_shader(ShaderType::Vertex, 1, &shader).unwrap();
        cso.set_shader(ShaderType::Fragment, 1, &shader).unwrap();
        assert_eq!(cso.statistics().created, 9, "stages have their own keys");
    });
}

#[test]
fn switching_back_finds_the_old_object() {
    let lines = traced(Limits::default(), |cso| {
        for dither in [false, true, false] {
            cso.set_blend(&BlendState { dither, ..BlendState::default() }).unwrap();
        }
    });
    assert_eq!(
        lines,
        [
            "create_blend_state(state: BlendState) = blend#0.1",
            "bind_blend_state(handle: Some(blend#0.1))",
            "create_blend_state(state: BlendState { dither: true }) = blend#1.1",
            "bind_blend_state(handle: Some(blend#1.1))",
            "bind_blend_state(handle: Some(blend#0.1))",
        ]
    );
}

#[test]
fn eviction_bounds_the_number_of_objects() {
    let lines = traced(Limits::of(4), |cso| {
        for number in 0..1000 {
            cso.set_depth_stencil_alpha(&referring(number as f32)).unwrap();
            assert!(cso.object_count() <= 4);
        }
        let statistics = cso.statistics();
        assert_eq!((statistics.created, statistics.evicted), (1000, 996));
    });
    let deletes = names(&lines).iter().filter(|name| name.starts_with("delete")).count();
    assert_eq!(deletes, 996);
}

#[test]
fn bound_and_saved_objects_are_not_evicted() {
    traced(Limits::of(1), |cso| {
        cso.set_depth_stencil_alpha(&referring(-1.0)).unwrap();
        cso.save(Saved::DEPTH_STENCIL_ALPHA).unwrap();
        for number in 0..10 {
            cso.set_depth_stencil_alpha(&referring(number as f32)).unwrap();
        }
        // The saved object, the bound one, and one that was created while that was bound.
        assert!(cso.object_count() <= 3);
        let created = cso.statistics().created;
        cso.restore().unwrap();
        cso.set_depth_stencil_alpha(&referring(-1.0)).unwrap();
        assert_eq!(cso.statistics().created, created, "it is still there");
    });
    // More samplers at once than the limit: no sampler of a set evicts another one of the set.
    let lines = traced(Limits::of(2), |cso| {
        let samplers: Vec<_> = (0..8).map(|number| Some(biased(number as f32))).collect();
        cso.set_samplers(ShaderType::Fragment, &samplers).unwrap();
        assert_eq!((cso.object_count(), cso.statistics().evicted), (8, 0));
    });
    assert_eq!(lines.iter().filter(|line| line.contains(" ! ")).count(), 0);
}

#[test]
fn only_changed_slots_reach_the_driver() {
    let lines = traced(Limits::default(), |cso| {
        let states = [0.0, 1.0, 2.0, 3.0].map(|bias| Some(biased(bias)));
        cso.set_samplers(ShaderType::Fragment, &states).unwrap();
        let mut other = states;
        other[2] = Some(biased(0.0));
        cso.set_samplers(ShaderType::Fragment, &other).unwrap();
        cso.set_samplers(ShaderType::Fragment, &other[..2]).unwrap();
        let mut viewports = [ViewportState::default(); 3];
        cso.set_viewports(&viewports).unwrap();
        viewports[1] = ViewportState::y_up(4, 4);
        cso.set_viewports(&viewports).unwrap();
    });
    let binds: Vec<_> = lines.iter().filter(|line| !line.starts_with("create")).collect();
    assert_eq!(
        binds,
        [
            "bind_sampler_states(stage: Fragment, start: 0, handles: [Some(sampler#0.1), \
             Some(sampler#1.1), Some(sampler#2.1), Some(sampler#3.1)])",
            "bind_sampler_states(stage: Fragment, start: 2, handles: [Some(sampler#0.1)])",
            "bind_sampler_states(stage: Fragment, start: 2, handles: [None, None])",
            "set_viewport_states(start: 1, viewports: [ViewportState { scale: [2.0, -2.0, 0.5], \
             translate: [2.0, 2.0, 0.5] }])",
        ]
    );
}

#[test]
fn restore_restores_what_was_saved_and_nothing_else() {
    let lines = traced(Limits::default(), |cso| {
        let fs = ShaderState::text("FRAG\nEND\n");
        cso.set_blend(&BlendState::default()).unwrap();
        cso.set_rasterizer(&RasterizerState::default()).unwrap();
        cso.set_shader(ShaderType::Fragment, 1, &fs).unwrap();
        cso.set_stencil_ref(StencilRef { ref_value: [1, 1] });
        cso.set_viewports(&[ViewportState::y_up(8, 8)]).unwrap();

        cso.save(Saved::BLEND | Saved::FRAGMENT_SHADER | Saved::STENCIL_REF | Saved::VIEWPORTS)
            .unwrap();
        cso.context().mark();
        cso.set_blend(&BlendState { dither: true, ..BlendState::default() }).unwrap();
        cso.set_rasterizer(&RasterizerState { scissor: true, ..RasterizerState::default() })
            .unwrap();
        cso.set_shader(ShaderType::Fragment, 2, &fs).unwrap();
        cso.set_viewports(&[ViewportState::y_down(4, 4)]).unwrap();
        cso.context().mark();
        assert_eq!(cso.saves(), 1);
        cso.restore().unwrap();
        assert_eq!(cso.restore(), Err(PipeError::Invalid("there is no saved state to restore")));
    });
    let last = lines.iter().rposition(|line| line == "set_sample_mask(mask: 77)");
    let restored = &lines[last.expect("the marker") + 1..];
    assert_eq!(
        restored,
        [
            "bind_blend_state(handle: Some(blend#0.1))",
            "bind_shader_state(stage: Fragment, handle: Some(shader#0.1))",
            "set_viewport_states(start: 0, viewports: [ViewportState { scale: [4.0, -4.0, 0.5], \
             translate: [4.0, 4.0, 0.5] }])",
        ],
        "the rasterizer was not saved, the stencil reference did not change"
    );
}

/// Adds a recognisable line to the trace without a state change that matters.
trait Marker {
    fn mark(&mut self);
}

impl Marker for dyn Context<'_> + '_ {
    fn mark(&mut self) {
        self.set_sample_mask(77);
    }
}

#[test]
fn saves_nest() {
    let lines = traced(Limits::default(), |cso| {
        for mask in 1..4 {
            cso.set_sample_mask(mask);
            cso.save(Saved::SAMPLE_MASK).unwrap();
        }
        cso.set_sample_mask(9);
        for _ in 1..4 {
            cso.restore().unwrap();
        }
    });
    let masks = [1, 2, 3, 9, 3, 2, 1].map(|mask| format!("set_sample_mask(mask: {mask})"));
    assert_eq!(lines, masks);
}

/// Sets or unbinds the memory of every stage.
fn set_memory(
    cso: &mut CsoContext<'_, '_>,
    on: bool,
    resource: ResourceHandle,
    texture: ResourceHandle,
) {
    let shader_buffer = ShaderBuffer { resource, buffer_offset: 16, buffer_size: 32 };
    let image = ImageView {
        resource: texture,
        format: Format::R8G8B8A8Unorm,
        access: ImageAccess::READ,
        range: ImageRange::Texture {
            level: 0,
            first_layer: 0,
            last_layer: 0,
            single_layer_view: false,
        },
    };
    for stage in ShaderType::ALL {
        let constants = ConstantRange { resource, buffer_offset: 0, buffer_size: 64 };
        cso.set_constants(*stage, 3, on.then_some(constants)).unwrap();
        cso.set_shader_buffers(*stage, &[None, on.then_some(shader_buffer)], 2).unwrap();
        cso.set_shader_images(*stage, &[on.then_some(image)]).unwrap();
    }
    cso.set_hw_atomic_buffers(&[on.then_some(shader_buffer)]).unwrap();
}

#[test]
fn shaders_that_write_a_buffer_are_told_apart_from_those_that_read_it() {
    let memory = Memory::system();
    let screen = NullScreen::new(memory);
    let mut null = NullContext::new(&screen);
    let template = ResourceTemplate::buffer(64, Bind::SHADER_BUFFER);
    let resource = screen.resource_create(&template).unwrap();
    let sink = WriteSink::new(String::new());
    let mut trace = Trace::new(&mut null, &sink);
    let mut cso = CsoContext::new(&mut trace, memory);
    let buffer = |buffer_offset| ShaderBuffer { resource, buffer_offset, buffer_size: 16 };
    let both = [Some(buffer(0)), Some(buffer(16))];
    let stage = ShaderType::Fragment;
    cso.set_shader_buffers(stage, &both, 0b01).unwrap();
    cso.set_shader_buffers(stage, &both, 0b11).unwrap();
    let before = cso.statistics().binds;
    cso.set_shader_buffers(stage, &both, 0b11).unwrap();
    assert_eq!(cso.statistics().binds, before);
    drop(cso);
    drop(trace);
    // The second call sets slot 1 only, and its writable mask starts at that slot. The third
    // unbinds both.
    let lines = sink.into_inner();
    let ends: Vec<_> = lines
        .lines()
        .map(|line| {
            let start = line.split("start: ").nth(1).unwrap().chars().next().unwrap();
            (start, line.rsplit("writable: ").next().unwrap().to_owned())
        })
        .collect();
    assert_eq!(ends, [('0', "1)".into()), ('1', "1)".into()), ('0', "0)".into())]);
}

#[test]
fn every_kind_of_state_comes_back() {
    let memory = Memory::system();
    let screen = NullScreen::new(memory);
    let mut null = NullContext::new(&screen);
    let template = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 8, 8, Bind::RENDER_TARGET);
    let texture = screen.resource_create(&template).unwrap();
    let buffer = screen.resource_create(&ResourceTemplate::buffer(64, Bind::VERTEX_BUFFER));
    let buffer = buffer.unwrap();
    let surface = null.create_surface(texture, &SurfaceTemplate::of(template.format)).unwrap();
    let view = null.create_sampler_view(texture, &SamplerViewTemplate::whole(&template)).unwrap();
    let target = null.create_stream_output_target(buffer, 0, 64).unwrap();
    let query = null.create_query(QueryType::OcclusionCounter, 0).unwrap();
    let program = ComputeState {
        source: ShaderSource::Text(""),
        static_shared_mem: 0,
        req_private_mem: 0,
        req_input_mem: 0,
    };
    let program = null.create_compute_state(&program).unwrap();

    let sink = WriteSink::new(String::new());
    let mut trace = Trace::new(&mut null, &sink);
    let mut cso = CsoContext::new(&mut trace, memory);
    let set = |cso: &mut CsoContext<'_, '_>, on: bool| {
        let shader = ShaderState::text("");
        let some = u64::from(on);
        cso.set_blend(&BlendState { dither: on, ..BlendState::default() }).unwrap();
        cso.set_depth_stencil_alpha(&referring(some as f32)).unwrap();
        cso.set_rasterizer(&RasterizerState { scissor: on, ..RasterizerState::default() }).unwrap();
        cso.set_vertex_elements(&vec![VertexElement::default(); usize::from(on)]).unwrap();
        for stage in &ShaderType::ALL[..5] {
            cso.set_shader(*stage, some, &shader).unwrap();
            cso.set_samplers(*stage, &[Some(biased(some as f32))]).unwrap();
            cso.set_sampler_views(*stage, &[on.then_some(view)]).unwrap();
        }
        let framebuffer = FramebufferState::single(8, 8, surface, None);
        cso.set_framebuffer(&if on { framebuffer } else { FramebufferState::default() }).unwrap();
        cso.set_viewports(&[ViewportState::y_up(8 + u32::from(on), 8)]).unwrap();
        cso.set_scissors(&[ScissorState { minx: on.into(), ..ScissorState::default() }]).unwrap();
        let vertices = VertexBuffer { resource: buffer, stride: 4, buffer_offset: 0 };
        cso.set_vertex_buffers(&[on.then_some(vertices)]).unwrap();
        cso.set_stencil_ref(StencilRef { ref_value: [on.into(); 2] });
        cso.set_blend_color(BlendColor { color: [some as f32; 4] });
        let mut clip = ClipState::default();
        clip.ucp[0][0] = some as f32;
        cso.set_clip_state(clip);
        cso.set_sample_mask(some as u32);
        cso.set_min_samples(1 + u8::from(on));
        cso.set_stream_outputs(&[on.then_some(target)], &[None]).unwrap();
        cso.set_render_condition(on.then_some(query), false, RenderConditionMode::Wait).unwrap();
        set_memory(cso, on, buffer, texture);
        cso.set_compute(on.then_some(program)).unwrap();
        cso.set_polygon_stipple(PolyStipple { stipple: [some as u32; 32] });
        cso.set_tess_state(TessState {
            default_outer_level: [some as f32; 4],
            ..TessState::default()
        });
        cso.set_patch_vertices(3 + u8::from(on)).unwrap();
        cso.set_sample_locations(&vec![0x77; usize::from(on)]).unwrap();
        let windows = WindowRectangles { include: on, ..WindowRectangles::default() };
        cso.set_window_rectangles(&windows).unwrap();
    };
    set(&mut cso, true);
    cso.save(Saved::all()).unwrap();
    set(&mut cso, false);
    cso.restore().unwrap();
    let before = cso.statistics();
    set(&mut cso, true);
    let after = cso.statistics();
    assert_eq!(after.binds, before.binds, "everything is as it was saved");
    assert_eq!(after.created, before.created);

    // Other code used the context; everything is bound again, once.
    cso.rebind().unwrap();
    let rebound = cso.statistics();
    assert_eq!(
        rebound.binds - after.binds,
        4 + 5 * 3 + 4 + 7 + 6 * 3 + 7,
        "one call a kind and stage"
    );
    drop(cso);
    drop(trace);
    assert!(!sink.into_inner().contains(" ! "), "no call failed");
}

#[test]
fn dropping_and_destroying_release_all_handles() {
    let memory = Memory::system();
    let screen = NullScreen::new(memory);
    let mut null = NullContext::new(&screen);
    let mut cso = CsoContext::new(&mut null, memory);
    cso.set_blend(&BlendState::default()).unwrap();
    cso.set_samplers(ShaderType::Vertex, &[Some(biased(1.0)), None, Some(biased(2.0))]).unwrap();
    cso.save(Saved::all()).unwrap();
    assert_eq!(cso.destroy(), Ok(()));
    assert_eq!(null.object_count(), 0);
}

#[test]
fn a_failed_allocation_is_an_error_and_nothing_leaks() {
    let system = System::new();
    let memory = Memory::new(&system);
    let screen = NullScreen::new(Memory::system());
    for nth in 0.. {
        let failing = FailAt::new(memory, nth);
        let mut null = NullContext::new(&screen);
        let mut cso = CsoContext::with_limits(&mut null, Memory::new(&failing), Limits::of(2));
        let mut all = || {
            for number in 0..4 {
                cso.set_depth_stencil_alpha(&referring(number as f32))?;
                cso.set_vertex_elements(&[VertexElement::per_vertex(number, Format::R32Float)])?;
            }
            cso.save(Saved::all())
        };
        let result = all();
        let done = result.is_ok();
        if let Err(error) = result {
            assert!(matches!(error, PipeError::OutOfMemory { .. }), "{nth}: {error}");
            // The one failure is over, so the same calls succeed.
            assert_eq!(all(), Ok(()));
        }
        drop(cso);
        assert_eq!((null.object_count(), memory.usage().used), (0, 0), "after failure {nth}");
        if done {
            assert!(nth > 4, "something must have allocated");
            break;
        }
    }
}

#[test]
fn mistakes_are_errors() {
    traced(Limits::default(), |cso| {
        let shader = ShaderState::text("");
        assert_eq!(
            cso.set_shader(ShaderType::Compute, 1, &shader),
            Err(PipeError::Invalid("bind compute shaders in the context itself"))
        );
        let samplers = [None; 33];
        assert_eq!(
            cso.set_samplers(ShaderType::Vertex, &samplers),
            Err(PipeError::OutOfRange { what: "the number of samplers", value: 33, limit: 32 })
        );
        assert_eq!(
            cso.set_viewports(&[ViewportState::default(); 17]),
            Err(PipeError::OutOfRange { what: "the number of viewports", value: 17, limit: 16 })
        );
    });
}

/// All state that a helper changes to draw a quad.
const DRAWS: Saved = Saved::BLEND
    .union(Saved::DEPTH_STENCIL_ALPHA)
    .union(Saved::RASTERIZER)
    .union(Saved::VERTEX_ELEMENTS)
    .union(Saved::VERTEX_BUFFERS)
    .union(Saved::SAMPLERS)
    .union(Saved::SAMPLER_VIEWS)
    .union(Saved::CONSTANT_BUFFERS)
    .union(Saved::SHADERS)
    .union(Saved::FRAMEBUFFER)
    .union(Saved::VIEWPORTS)
    .union(Saved::SCISSORS);

#[test]
fn a_save_takes_memory_for_the_slots_that_were_set() {
    let mut bytes = vec![core::mem::MaybeUninit::uninit(); 1 << 16];
    let region = Region::new(&mut bytes);
    let memory = Memory::new(&region);
    let screen = NullScreen::new(Memory::system());
    let mut null = NullContext::new(&screen);
    let mut cso = CsoContext::new(&mut null, memory);
    let nothing = region.usage().used;
    assert_eq!(nothing, 0, "a cache of nothing takes no memory");
    cso.set_samplers(ShaderType::Fragment, &[Some(biased(1.0)), Some(biased(2.0))]).unwrap();
    cso.set_viewports(&[ViewportState::y_up(320, 240)]).unwrap();
    let save = |cso: &mut CsoContext<'_, '_>, what| {
        let before = region.usage().used;
        cso.save(what).unwrap();
        let taken = region.usage().used - before;
        cso.restore().unwrap();
        taken
    };
    let first = save(&mut cso, Saved::BLEND);
    // The stack keeps its room for one save, so from here on saves need memory for slots only.
    let handle = size_of::<Option<SamplerHandle>>();
    let slots = 2 * handle + size_of::<ViewportState>();
    assert_eq!(save(&mut cso, Saved::BLEND), 0);
    assert_eq!(save(&mut cso, DRAWS), slots);
    // A firmware's save, including the first entry of the stack: at most 4 KiB.
    assert!(first + slots <= 4096, "{first} + {slots}");
    assert!(size_of::<CsoContext<'_, '_>>() <= 4096, "{}", size_of::<CsoContext<'_, '_>>());
    println!("the context {}, a save {first}", size_of::<CsoContext<'_, '_>>());
}

#[test]
fn a_save_without_memory_saves_nothing() {
    let failing = FailAt::never(Memory::system());
    let memory = Memory::new(&failing);
    let screen = NullScreen::new(Memory::system());
    let mut null = NullContext::new(&screen);
    let mut cso = CsoContext::new(&mut null, memory);
    cso.set_viewports(&[ViewportState::y_up(320, 240)]).unwrap();
    let before = failing.requests();
    cso.save(DRAWS).unwrap();
    cso.restore().unwrap();
    // One request for the viewport and one for the stack entry. The stack entry stays: a second
    // save needs only the viewport.
    assert_eq!(failing.requests() - before, 2);
    failing.fail_after(0);
    assert!(matches!(cso.save(DRAWS), Err(PipeError::OutOfMemory { .. })));
    assert_eq!(cso.saves(), 0);
    cso.set_viewports(&[ViewportState::y_up(8, 8)]).unwrap();
}
