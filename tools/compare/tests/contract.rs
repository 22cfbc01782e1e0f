//! The contract on every driver: the same calls have the same outcome.

use cso_cache::CsoContext;
use gallium_compare::driver;
use gallium_compare::render::{render, trace};
use gallium_compare::scene::Scene;
use os_shim::{Memory, Os};
use pipe_core::context::Context;
use pipe_core::wrap::CheckScreen;
use pipe_core::*;

/// Makes a driver's screen.
type Factory = fn() -> Box<dyn Screen<'static>>;

const DRIVERS: [(&str, Factory); 4] = [
    ("reference", || Box::new(reference::Screen::new(Os::host(), reference::Config::default()))),
    ("tiny", || driver(0)),
    ("small", || driver(1)),
    ("host", || driver(2)),
];

/// Runs a test on a checked context of every driver.
fn on_each(test: impl Fn(&str, &dyn Screen<'static>, &mut dyn Context<'static>)) {
    for (name, make) in DRIVERS {
        let driver = make();
        let screen = CheckScreen::new(&*driver, Memory::system());
        let mut context = screen.context_create(ContextFlags::empty()).expect(name);
        test(name, &screen, &mut *context);
    }
}

const WIDE: Region = Region { x: 0, y: 0, z: 0, width: 4, height: 2, depth: 1 };

fn texture(screen: &dyn Screen<'static>, bind: Bind) -> ResourceHandle {
    let template = ResourceTemplate::texture_2d(Format::R8G8Unorm, 4, 2, bind);
    screen.resource_create(&template).expect("every driver has the format")
}

fn read(context: &mut dyn Context<'static>, resource: ResourceHandle) -> Vec<u8> {
    let map = context.transfer_map(resource, 0, MapFlags::READ, &WIDE).expect("it is there");
    let bytes = context.transfer_bytes(map.handle).expect("it is open").to_vec();
    context.transfer_unmap(map.handle).expect("it is open");
    bytes
}

#[test]
fn new_resources_are_zero_and_keep_what_is_written() {
    on_each(|name, screen, context| {
        let image = texture(screen, Bind::SAMPLER_VIEW);
        assert_eq!(read(context, image), [0; 16], "{name}");
        let column = Region { x: 1, width: 1, ..WIDE };
        let data = [1, 2, 9, 9, 3, 4];
        let written = context.texture_subdata(image, 0, MapFlags::WRITE, &column, &data, 4, 0);
        assert_eq!(written, Ok(()), "{name}");
        let expected = [0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0];
        assert_eq!(read(context, image), expected, "{name}");
    });
}

#[test]
fn boxes_are_copied_and_cleared() {
    on_each(|name, screen, context| {
        let (from, to) = (texture(screen, Bind::SAMPLER_VIEW), texture(screen, Bind::SAMPLER_VIEW));
        let data: Vec<u8> = (0..16).collect();
        context.texture_subdata(from, 0, MapFlags::WRITE, &WIDE, &data, 8, 16).expect(name);
        let part = Region { x: 2, y: 0, width: 2, height: 1, ..WIDE };
        context.resource_copy_region(to, 0, 0, 1, 0, from, 0, &part).expect(name);
        assert_eq!(read(context, to), [0, 0, 0, 0, 0, 0, 0, 0, 4, 5, 6, 7, 0, 0, 0, 0], "{name}");
        context.clear_texture(to, 0, &part, &[7, 8]).expect(name);
        assert_eq!(read(context, to), [0, 0, 0, 0, 7, 8, 7, 8, 4, 5, 6, 7, 0, 0, 0, 0], "{name}");
        let outside = Region { x: 3, ..part };
        assert!(context.clear_texture(to, 0, &outside, &[7, 8]).is_err(), "{name}");
    });
}

#[test]
fn surfaces_are_cleared_within_their_rectangle() {
    on_each(|name, screen, context| {
        let image = texture(screen, Bind::RENDER_TARGET);
        let template = SurfaceTemplate::of(Format::R8G8Unorm);
        let surface = context.create_surface(image, &template).expect(name);
        let color = ColorUnion::float([1.0, 0.2, 0.0, 0.0]);
        let corner = Region { x: 3, y: 1, width: 1, height: 1, ..WIDE };
        context.clear_render_target(surface, &color, &corner, false).expect(name);
        let mut expected = [0; 16];
        expected[14..].copy_from_slice(&[255, 51]);
        assert_eq!(read(context, image), expected, "{name}");
    });
}

#[test]
fn a_view_keeps_a_destroyed_resource_and_handles_go_stale() {
    on_each(|name, screen, context| {
        let image = texture(screen, Bind::SAMPLER_VIEW);
        let template = screen.resource_template(image).expect(name);
        let view = SamplerViewTemplate::whole(&template);
        let view = context.create_sampler_view(image, &view).expect(name);
        context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)]).expect(name);
        assert_eq!(screen.resource_destroy(image), Ok(()), "{name}");
        assert_eq!(screen.resource_destroy(image), Err(PipeError::stale(image)), "{name}");
        assert_eq!(context.sampler_view_destroy(view), Ok(()), "{name}");
        let gone = context.set_sampler_views(ShaderType::Fragment, 0, &[Some(view)]);
        assert_eq!(gone, Err(PipeError::stale(view)), "{name}");
    });
}

#[test]
fn deleting_a_bound_object_unbinds_it() {
    on_each(|name, _, context| {
        let blend = context.create_blend_state(&BlendState::default()).expect(name);
        context.bind_blend_state(Some(blend)).expect(name);
        assert_eq!(context.delete_blend_state(blend), Ok(()), "{name}");
        assert_eq!(context.bind_blend_state(Some(blend)), Err(PipeError::stale(blend)), "{name}");
        let sampler = context.create_sampler_state(&SamplerState::default()).expect(name);
        context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(sampler)]).expect(name);
        assert_eq!(context.delete_sampler_state(sampler), Ok(()), "{name}");
        let elements = context.create_vertex_elements_state(&[]).expect(name);
        context.bind_vertex_elements_state(Some(elements)).expect(name);
        assert_eq!(context.delete_vertex_elements_state(elements), Ok(()), "{name}");
        let source = "FRAG\nDCL OUT[0], COLOR\nEND\n";
        let state = ShaderState::text(source);
        let shader = context.create_shader_state(ShaderType::Fragment, &state).expect(name);
        context.bind_shader_state(ShaderType::Fragment, Some(shader)).expect(name);
        assert_eq!(context.delete_shader_state(shader), Ok(()), "{name}");
    });
}

#[test]
fn the_cache_creates_one_object_a_state() {
    for (name, make) in DRIVERS {
        let driver = make();
        let context = driver.context_create(ContextFlags::empty()).expect(name);
        let mut cso = CsoContext::new(context, Memory::system());
        for _ in 0..3 {
            cso.set_blend(&BlendState::default()).expect(name);
            cso.set_rasterizer(&RasterizerState::default()).expect(name);
            cso.set_depth_stencil_alpha(&DepthStencilAlphaState::default()).expect(name);
        }
        assert_eq!((cso.object_count(), cso.statistics().hits), (3, 6), "{name}");
        assert_eq!(cso.destroy(), Ok(()), "{name}: nothing is left over");
    }
}

#[test]
fn traces_of_a_scene_are_alike() {
    for seed in 1..20 {
        let traces = DRIVERS.map(|(_, make)| {
            let driver = make();
            // All drivers draw the scene with the first driver's formats.
            let scene = Scene::random(seed, &*DRIVERS[0].1());
            assert!(render(&*driver, &scene).is_ok(), "seed {seed}");
            trace(&*make(), &scene)
        });
        for (trace, (name, _)) in traces.iter().zip(DRIVERS) {
            assert_eq!(*trace, traces[0], "{name}, seed {seed}");
        }
    }
}
