//! Lets the n-th allocation fail, for every n: an error, no leak, and the same frame afterwards.

use gallium_bench::screens;
use gallium_host::picture::Picture;
use gallium_host::render::{self, BOARD};
use os_shim::{FailAt, Memory, Os, System};
use pipe_core::{Context, ContextFlags, PipeError, Screen};
use raster::AnyProfile;
use scenes::{DEMOS, Scene, SceneRenderer, Surface, View};

/// Small enough to draw it hundreds of times; the code paths are the same.
const SURFACE: Surface = Surface { width: 96, height: 64, ..BOARD };

fn draw_once<'m>(
    screen: &dyn Screen<'m>,
    context: &mut dyn Context<'m>,
    surface: &Surface,
    scene: &'static Scene,
) -> anyhow::Result<Picture> {
    let view = View::turntable(3, 36, surface.aspect());
    let renderer = SceneRenderer::new(screen, context, surface, scene)?;
    let picture = render::draw(&renderer, context, surface, &view);
    renderer.destroy(screen, context);
    picture
}

/// Draws twice with the `nth` allocation failing. Checks the error, the pictures and the memory;
/// returns true if there were that many allocations.
fn fails_cleanly(nth: u64, surface: &Surface, scene: &'static Scene, expected: &Picture) -> bool {
    let system = System::new();
    let memory = Memory::new(&system);
    let failing = FailAt::new(memory, nth);
    let os = Os::bare(Memory::new(&failing));
    let mut came = false;
    screens::with_screen(AnyProfile::Small, os, surface, |screen| {
        let mut check = |result: anyhow::Result<Picture>| match result {
            Ok(picture) => assert_eq!(&picture, expected, "{}: request {nth}", scene.name),
            Err(error) => {
                let error = error.downcast::<PipeError>().expect("the driver's error");
                let memory = matches!(error, PipeError::OutOfMemory { .. });
                assert!(memory, "{}: request {nth}: {error}", scene.name);
                assert!(!came, "{}: request {nth} failed twice", scene.name);
                came = true;
            }
        };
        let mut context = match screen.context_create(ContextFlags::empty()) {
            Ok(context) => context,
            Err(error) => {
                check(Err(error.into()));
                screen.context_create(ContextFlags::empty())?
            }
        };
        check(draw_once(screen, &mut *context, surface, scene));
        check(draw_once(screen, &mut *context, surface, scene));
        Ok(())
    })
    .expect("memory fails once");
    assert_eq!(memory.usage().used, 0, "{}: request {nth} leaks", scene.name);
    came
}

fn every_request(surface: &Surface) {
    for scene in DEMOS {
        let view = View::turntable(3, 36, surface.aspect());
        let expected =
            screens::frame(AnyProfile::Small, Os::host(), surface, scene, &view).unwrap();
        let mut nth = 0;
        while fails_cleanly(nth, surface, scene, &expected) {
            nth += 1;
        }
        assert!(nth > 10, "{}: only {nth} requests failed", scene.name);
    }
}

#[test]
fn in_memory() {
    every_request(&SURFACE);
}

#[test]
fn streamed() {
    every_request(&Surface { streamed: true, ..SURFACE });
}
