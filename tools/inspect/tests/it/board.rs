//! Recordings of boards: targets without memory, which the inspector keeps as textures.

use std::sync::Mutex;

use formats::Format;
use gallium_inspect::answer::At;
use gallium_inspect::picture::{Picture, Texel};
use os_shim::{Memory, Os};
use pipe_core::wrap::record::{Player, RecordScreen};
use pipe_core::*;
use raster::{AnyProfile, Config};

use crate::scene::{FRAGMENT, Stage, VERTEX, inspector, whole};

const WIDTH: u32 = 70;
const HEIGHT: u32 = 100;

/// A display that takes everything.
struct Sink;

impl TilePanel for Sink {
    fn tile(
        &mut self,
        _: u32,
        _: u32,
        _: u32,
        _: u32,
        _: Format,
        _: &[u8],
        _: usize,
    ) -> Result<(), PanelError> {
        Ok(())
    }
}

/// Draws a slanted green triangle on a red picture.
fn draw(stage: &mut Stage<'_, '_>) {
    let all = ClearFlags::COLOR0 | ClearFlags::DEPTH;
    stage.context.clear(all, None, &ColorUnion::default(), 1.0, 0).expect("cleared");
    stage.draw(&whole(0.0, [1.0, 0.0, 0.0, 1.0]));
    let corner = |x, y| [x, y, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
    stage.draw(&[corner(-1.0, -1.0), corner(0.9, -0.7), corner(-0.8, 0.5)]);
}

/// Records frames on a target in RGB565, as a board with the profile `Small` draws them.
fn recorded(
    template: ResourceTemplate,
    frames: impl FnOnce(&mut Stage<'_, '_>, ResourceHandle),
) -> &'static [u8] {
    let bytes = Mutex::new(Vec::new());
    let sink = |call: &[u8]| bytes.lock().expect("no panic").extend_from_slice(call);
    let driver = AnyProfile::Small.screen(Os::host(), Config::default());
    let screen = RecordScreen::new(&*driver, &sink, Memory::system());
    {
        let mut context = screen.context_create(ContextFlags::empty()).expect("a context");
        let target = screen.resource_create(&template).expect("a target");
        let of = SurfaceTemplate::of(template.format);
        let color = context.create_surface(target, &of).expect("a surface");
        let size = [WIDTH as u16, HEIGHT as u16];
        let framebuffer = FramebufferState::single(size[0], size[1], color, None);
        context.set_framebuffer_state(&framebuffer).expect("bound");
        context.set_viewport_states(0, &[ViewportState::y_down(WIDTH, HEIGHT)]).expect("set");
        let elements = [
            VertexElement::per_vertex(0, Format::R32G32B32A32Float),
            VertexElement::per_vertex(16, Format::R32G32B32A32Float),
        ];
        let elements = context.create_vertex_elements_state(&elements).expect("elements");
        context.bind_vertex_elements_state(Some(elements)).expect("bound");
        let mut stage = Stage { screen: &screen, context: &mut *context };
        stage.shader(ShaderType::Vertex, VERTEX);
        stage.shader(ShaderType::Fragment, FRAGMENT);
        stage.rasterizer(&RasterizerState {
            multisample: template.samples() > 1,
            ..RasterizerState::default()
        });
        frames(&mut stage, target);
    }
    bytes.into_inner().expect("no panic").leak()
}

/// Asserts that no call has another result than on the board, and returns a pixel at the last draw.
fn same(trace: &'static [u8], x: usize, y: usize) -> Texel {
    let inspector = inspector(trace);
    let count = inspector.listing().count();
    let last = crate::scene::draws(&inspector).pop().expect("a draw");
    let pixel = inspector.at(last, move |session| {
        let place = At::default().place(session)?;
        Ok(Picture::at(session, &place)?.value(x, y).expect("a pixel"))
    });
    let errors = inspector.at(count, move |session| {
        let of = |call| session.error_of(call).map(|error| format!("call {call}: {error}"));
        Ok((1..=count).filter_map(of).collect::<Vec<_>>())
    });
    assert_eq!(errors.expect("played"), [""; 0]);
    pixel.expect("a picture")
}

const GREEN: Texel = Texel::Float([0.0, 1.0, 0.0, 1.0]);
const RED: Texel = Texel::Float([1.0, 0.0, 0.0, 1.0]);

#[test]
fn a_present_is_the_boards() {
    for samples in [0, 4] {
        let mut template = ResourceTemplate::streamed(Format::B5G6R5Unorm, WIDTH, HEIGHT);
        template.nr_samples = samples;
        let trace = recorded(template, |stage, target| {
            for _ in 0..2 {
                draw(stage);
                stage.context.present(target.into(), &mut Sink).expect("presented");
            }
        });
        assert_eq!(same(trace, 4, 4), GREEN, "{samples} samples");
        assert_eq!(same(trace, 60, 90), RED, "{samples} samples");
    }
}

#[test]
fn parts_of_a_frame_are_the_boards() {
    let template = ResourceTemplate::streamed(Format::B5G6R5Unorm, WIDTH, HEIGHT);
    let trace = recorded(template, |stage, target| {
        for rows in [0..64, 64..HEIGHT] {
            draw(stage);
            stage.context.present_rows(target.into(), rows, &mut Sink).expect("presented");
        }
        draw(stage);
        let mut pixels = [0; 32 * 32 * 2];
        for index in 0.. {
            let tile = stage.context.present_tile(target.into(), index, &mut pixels);
            if tile.expect("presented").is_none() {
                break;
            }
        }
    });
    assert_eq!(same(trace, 4, 4), GREEN);
}

#[test]
fn a_recording_compares_the_pixels_of_presented_textures() {
    let bind = Bind::RENDER_TARGET | Bind::DISPLAY_TARGET;
    let template = ResourceTemplate::texture_2d(Format::B5G6R5Unorm, WIDTH, HEIGHT, bind);
    let trace = recorded(template, |stage, target| {
        draw(stage);
        stage.context.present(target.into(), &mut Sink).expect("presented");
        stage.draw(&whole(0.0, [0.0, 0.0, 1.0, 1.0]));
        stage.context.present(target.into(), &mut Sink).expect("presented");
    });
    same(trace, 4, 4);
    let driver = AnyProfile::Host.screen(Os::host(), Config::default());
    let mut player = Player::new(&*driver, trace, Memory::system()).expect("a recording");
    let mut pictures = Vec::new();
    while let Some(played) = player.step().expect("played") {
        assert!(played.is_same, "{played:?}");
        pictures.extend(played.picture);
    }
    let [first, second] = pictures[..] else { panic!("{pictures:?}") };
    assert!(first[0] == first[1] && second[0] == second[1] && first != second, "{pictures:?}");
}
