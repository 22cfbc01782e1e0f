//! Jumps: snapshots, the first pass, and what a jump has to bring along.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use formats::Format;
use gallium_inspect::answer::At;
use gallium_inspect::picture::{Picture, Texel};
use gallium_inspect::playback::{Alone, Recording as _};
use gallium_inspect::{Inspector, Limits, Session};
use os_shim::Os;
use os_shim::clock::Clock;
use pipe_core::query::{QueryType, RenderConditionMode};
use pipe_core::*;

use crate::scene::{Stage, draws, inspector, recorded, sampled, whole};

/// Opens a recording with a snapshot after every call, and waits for the end of the first pass.
fn prepared(trace: &'static [u8]) -> Inspector {
    let limits = Limits { interval: Duration::ZERO, prepares: true, ..Limits::default() };
    let inspector = Inspector::new(trace, limits).expect("a recording");
    let count = inspector.listing().count();
    assert!(inspector.wait_for(count, Duration::from_secs(60)), "the first pass ends");
    let progress = inspector.progress();
    assert_eq!((progress.played, progress.calls), (count, count));
    assert!(inspector.snapshots().0 > 1, "{:?}", inspector.snapshots());
    inspector
}

/// Returns a pixel of the first colour buffer, or one of its samples.
fn pixel(session: &mut Session<'_>, sample: Option<u32>) -> anyhow::Result<Texel> {
    let place = At { sample, ..At::default() }.place(session)?;
    Ok(Picture::at(session, &place)?.value(4, 4).expect("a pixel"))
}

fn color(inspector: &Inspector, call: u64) -> Texel {
    inspector.at(call, |session| pixel(session, None)).expect("a picture")
}

/// Draws with blending that adds 1/255 of red each.
fn adding(stage: &mut Stage<'_, '_>, count: u32) {
    stage.blend(RenderTargetBlendState::uniform(
        BlendFunc::Add,
        BlendFactor::One,
        BlendFactor::One,
    ));
    for _ in 0..count {
        stage.draw(&whole(0.0, [1.0 / 255.0, 0.0, 0.0, 0.0]));
    }
}

/// Makes a draw that is refused: its buffer of indices is destroyed.
fn refused(stage: &mut Stage<'_, '_>) {
    let template = ResourceTemplate::buffer(16, Bind::INDEX_BUFFER);
    let gone = stage.screen.resource_create(&template).expect("a buffer");
    stage.screen.resource_destroy(gone).expect("destroyed");
    let index = Some(IndexBuffer::resource(gone, 2));
    let info = DrawInfo { index, ..DrawInfo::new(PrimType::Triangles) };
    let refused = stage.context.draw_vbo(&info, None, &[DrawStartCount::count(3)]);
    refused.expect_err("a stale handle");
}

/// A clock that shows one millisecond more each time: so long takes each call of a recording.
struct Ticks(AtomicU64);

impl Clock for Ticks {
    fn now_ns(&self) -> u64 {
        self.0.fetch_add(1_000_000, Relaxed)
    }
}

/// Returns the first levels of all resources, by the calls that created them.
fn contents(session: &mut Session<'_>) -> anyhow::Result<Vec<(u64, Vec<u8>)>> {
    let mut live: Vec<_> = {
        let facts = session.facts().lock();
        facts.resources.iter().map(|(handle, (of, created))| (*created, *handle, *of)).collect()
    };
    live.sort_unstable_by_key(|(created, ..)| *created);
    let number = session.any_context()?;
    let read = |(created, resource, of): (u64, _, ResourceTemplate)| {
        let region = of.level_region(0).expect("a level");
        let bytes = session.with_context(number, |screen, context| {
            gallium_inspect::bytes::read(screen, context, resource, 0, &region)
        });
        Ok((created, bytes?))
    };
    live.into_iter().map(read).collect()
}

#[test]
fn a_jump_writes_into_the_resources_of_the_session() {
    let trace = recorded(Format::Z32Float, |stage| {
        stage.rasterizer(&RasterizerState { scissor: true, ..RasterizerState::default() });
        let all = ScissorState { minx: 0, miny: 0, maxx: 8, maxy: 8 };
        stage.context.set_scissor_states(0, &[all]).expect("set");
        stage.depth(&DepthStencilAlphaState::depth(CompareFunc::LessEqual));
        let template =
            ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 4, 4, Bind::SAMPLER_VIEW);
        let textures: [_; 2] =
            std::array::from_fn(|_| stage.screen.resource_create(&template).expect("a texture"));
        refused(stage);
        adding(stage, 4);
        for round in 1..5u8 {
            let (all, write, texels) = (Region::rect(0, 0, 4, 4), MapFlags::WRITE, [round; 64]);
            let written =
                stage.context.texture_subdata(textures[0], 0, write, &all, &texels, 16, 0);
            written.expect("written");
            adding(stage, 10);
            stage.draw(&whole(f32::from(round) * -0.1, [0.0; 4]));
        }
        refused(stage);
        // A jump reads none of these calls: they leave no objects.
        for round in 0..400u16 {
            let (minx, maxy) = (round % 8, round % 5 + 3);
            let scissor = ScissorState { minx, miny: 0, maxx: 8, maxy };
            stage.context.set_scissor_states(0, &[scissor]).expect("set");
            let info = DrawInfo::new(PrimType::Triangles);
            stage.context.draw_vbo(&info, None, &[DrawStartCount::count(3)]).expect("drawn");
        }
        adding(stage, 60);
    });
    let calls = draws(&inspector(trace));
    // The first refused draw, an early one, the second refused draw, and a late one.
    let (before, early, between, late) = (calls[0], calls[4], calls[49], calls[509]);
    let limits = Limits { interval: Duration::from_millis(60), ..Limits::default() };
    let clock = Box::leak(Box::new(Ticks(AtomicU64::new(0))));
    let jumping = Alone::new(trace, Os { clock, ..Os::host() }, limits).expect("a recording");
    let errors = move |session: &mut Session<'_>| {
        Ok([before, between].map(|call| session.error_of(call).is_some()))
    };
    assert_eq!(jumping.at(late, errors).expect("played"), [true, true], "leaves snapshots");
    assert_eq!(jumping.at(early, errors).expect("played"), [true, false], "begins again");
    assert_eq!(jumping.at(late, errors).expect("played"), [true, false], "jumps over a draw");
    let jumped = jumping.at(late, contents).expect("readable");
    let plain = inspector(trace).at(late, contents).expect("readable");
    assert!(jumped.len() > 100, "{} resources", jumped.len());
    assert_eq!(jumped, plain);
}

#[test]
fn pictures_after_jumps_are_those_of_playing() {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| adding(stage, 60));
    let inspector = prepared(trace);
    let calls = draws(&inspector);
    for round in [59, 3, 40, 39, 41, 0, 58, 20, 59] {
        let red = (round + 1) as f32 / 255.0;
        let expected = Texel::Float([red, 0.0, 0.0, 1.0]);
        assert_eq!(color(&inspector, calls[round]), expected, "after draw {round}");
    }
}

#[test]
fn a_jump_forward_leaves_out_the_calls_between() {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| {
        adding(stage, 20);
        refused(stage);
        adding(stage, 20);
    });
    let calls = draws(&inspector(trace));
    let (gone, last) = (calls[20], calls[40]);
    let error = move |session: &mut Session<'_>| Ok(session.error_of(gone).map(str::to_owned));
    // Without snapshots the call is made.
    let limits = Limits { interval: Duration::MAX, ..Limits::default() };
    let plain = Inspector::new(trace, limits).expect("a recording");
    assert!(plain.at(last, error).expect("played").is_some());
    let inspector = prepared(trace);
    assert_eq!(inspector.at(last, error).expect("played"), None, "the refused draw was played");
    assert_eq!(color(&inspector, last), Texel::Float([40.0 / 255.0, 0.0, 0.0, 1.0]));
}

#[test]
fn bindings_and_objects_are_those_of_playing() {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| {
        let text = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND\n";
        let first = stage.shader(ShaderType::Fragment, text);
        for round in 0..30u32 {
            let color = [round as f32 / 255.0, 0.0, 0.0, 1.0];
            let bytes: Vec<u8> = color.iter().flat_map(|it| it.to_le_bytes()).collect();
            let constants = Some(ConstantBuffer::User(&bytes));
            stage.context.set_constant_buffer(ShaderType::Fragment, 0, constants).expect("set");
            let far = ScissorState { minx: 0, miny: 0, maxx: 1, maxy: 1 };
            stage.context.set_scissor_states(1, &[far]).expect("set");
            stage.draw(&whole(0.0, [0.0; 4]));
            if round == 20 {
                // The shader's handle is used by another one from here on.
                stage.context.bind_shader_state(ShaderType::Fragment, None).expect("unbound");
                stage.context.delete_shader_state(first).expect("deleted");
                stage.shader(ShaderType::Fragment, &text.replace("MOV OUT[0]", "MOV OUT[0].xw"));
            }
        }
    });
    let inspector = prepared(trace);
    let calls = draws(&inspector);
    for round in [29, 2, 21, 10, 20, 28] {
        let expected = Texel::Float([round as f32 / 255.0, 0.0, 0.0, 1.0]);
        let found = color(&inspector, calls[round]);
        let Texel::Float([red, .., alpha]) = found else { panic!("{found:?}") };
        let Texel::Float([wanted, .., one]) = expected else { panic!("{expected:?}") };
        assert_eq!((red, alpha), (wanted, one), "after draw {round}");
        let state = |session: &mut Session<'_>| {
            let facts = session.facts().lock();
            let context = facts.contexts.values().next().expect("a context");
            let shader = context.shader(ShaderType::Fragment).expect("a shader").1.call;
            Ok((shader, context.scissors.clone(), context.vertex_buffers.clone()))
        };
        let jumped = inspector.at(calls[round], state).expect("played");
        let plain = crate::scene::inspector(trace).at(calls[round], state).expect("played");
        assert_eq!(jumped, plain, "after draw {round}");
    }
}

#[test]
fn a_condition_needs_the_result_of_its_query() {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| {
        // The query counts no sample: the triangle is outside.
        let query = stage.context.create_query(QueryType::OcclusionCounter, 0).expect("a query");
        stage.context.begin_query(query).expect("begun");
        stage.draw(&whole(0.0, [0.0; 4]).map(|mut corner| {
            corner[0] += 9.0;
            corner
        }));
        stage.context.end_query(query).expect("ended");
        adding(stage, 10);
        let mode = RenderConditionMode::Wait;
        stage.context.render_condition(Some(query), false, mode).expect("set");
        // Left out, because the query counted nothing.
        adding(stage, 5);
        stage.context.render_condition(None, false, mode).expect("unset");
        adding(stage, 10);
    });
    let ways: [fn(&'static [u8]) -> Inspector; 2] = [prepared, |trace| {
        let limits = Limits { interval: Duration::ZERO, ..Limits::default() };
        Inspector::new(trace, limits).expect("a recording")
    }];
    for open in ways {
        let inspector = open(trace);
        let calls = draws(&inspector);
        let red = |count: u32| Texel::Float([count as f32 / 255.0, 0.0, 0.0, 1.0]);
        for (draw, count) in [(10, 10), (25, 20), (5, 5), (13, 10), (25, 20), (16, 11)] {
            assert_eq!(color(&inspector, calls[draw]), red(count), "after draw {draw}");
        }
    }
}

#[test]
fn samples_depth_and_stencil_are_those_of_playing() {
    for depth_format in [Format::Z32FloatS8X24Uint, Format::Z32Float, Format::Z16Unorm] {
        let trace = sampled(depth_format, 4, |stage| {
            stage.rasterizer(&RasterizerState { multisample: true, ..RasterizerState::default() });
            let mut state = DepthStencilAlphaState::depth(CompareFunc::Less);
            if depth_format.has_stencil() {
                state.stencil[0] = StencilState {
                    enabled: true,
                    zpass_op: StencilOp::Incr,
                    ..StencilState::default()
                };
            }
            stage.depth(&state);
            for round in 0..12 {
                // Slanted triangles cover some samples of the pixel only.
                let x = 0.1 + round as f32 * 0.013;
                let z = 0.7 - round as f32 * 0.11;
                let corner = |x, y| [x, y, z, 1.0, round as f32 / 16.0, 0.3, z.abs(), 1.0];
                stage.draw(&[corner(x, -3.0), corner(x + 0.1, 5.0), corner(-7.0, 1.0)]);
            }
        });
        let jumping = prepared(trace);
        let calls = draws(&jumping);
        let values = |session: &mut Session<'_>| {
            let depth = {
                let facts = session.facts().lock();
                let context = facts.contexts.values().next().expect("a context");
                context.depth_buffer().expect("a depth buffer").0
            };
            let mut values = Vec::new();
            // A map of depth and stencil shows the first sample: reading samples changes no bit.
            let first = Picture::read(session, depth, 0, 0)?.value(4, 4);
            assert_eq!(Picture::of_sample(session, depth, 0, 0, Some(0))?.value(4, 4), first);
            for sample in 0..4 {
                values.push(pixel(session, Some(sample))?);
                let picture = Picture::of_sample(session, depth, 0, 0, Some(sample))?;
                values.push(picture.value(4, 4).expect("a depth"));
            }
            Ok(values)
        };
        for round in [11, 2, 7, 6, 10] {
            let jumped = jumping.at(calls[round], values).expect("values");
            let plain = inspector(trace).at(calls[round], values).expect("values");
            assert_eq!(jumped, plain, "{depth_format}, after draw {round}");
            assert!(jumped.iter().skip(2).any(|it| *it != jumped[0]), "samples differ");
        }
    }
}

#[test]
fn a_small_room_for_snapshots_is_enough_to_go_on() {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| adding(stage, 60));
    // Room for the contents of about three snapshots.
    let limits = Limits {
        interval: Duration::ZERO,
        prepares: true,
        snapshots: 1024,
        file: 1 << 20,
        ..Limits::default()
    };
    let inspector = Inspector::new(trace, limits).expect("a recording");
    let calls = draws(&inspector);
    for round in [59, 3, 40, 0, 58] {
        let expected = Texel::Float([(round + 1) as f32 / 255.0, 0.0, 0.0, 1.0]);
        assert_eq!(color(&inspector, calls[round]), expected, "after draw {round}");
    }
    let (_, memory, file) = inspector.snapshots();
    assert!(memory <= 1024 && file <= 1 << 20, "{memory} {file}");
}
