//! A live window: arrow keys orbit, page up and down zoom, space changes the scene.

use std::time::Instant;

use anyhow::{Context as _, Result};
use minifb::{Key, KeyRepeat, Window, WindowOptions};
use pipe_core::{Context, ContextFlags, Screen};
use scenes::{DEMOS, SceneRenderer, View};

use crate::render::{self, DEMO};

/// Turns per second while an arrow key is held.
const SPEED: f32 = 0.25;

/// Opens the window and draws on the screen until it is closed or escape is pressed.
///
/// # Errors
/// There is no display, or an error of the driver.
pub fn run<'m>(screen: &dyn Screen<'m>) -> Result<()> {
    let (width, height) = (DEMO.width.into(), DEMO.height.into());
    let mut window = Window::new("Gallium", width, height, WindowOptions::default())
        .context("cannot open a window (is there a display? DISPLAY says which)")?;
    window.set_target_fps(60);
    println!("arrow keys orbit, page up and down zoom, space changes the scene, escape ends");
    let mut context = screen.context_create(ContextFlags::empty())?;
    show(&mut window, screen, &mut *context)
}

fn show<'m>(
    window: &mut Window,
    screen: &dyn Screen<'m>,
    context: &mut dyn Context<'m>,
) -> Result<()> {
    let mut current = 0;
    let mut renderer = SceneRenderer::new(screen, context, &DEMO, DEMOS[current])?;
    let mut view = View::turntable(0, 1, DEMO.aspect());
    let mut pixels = Vec::new();
    let mut last = Instant::now();
    while window.is_open() && !window.is_key_down(Key::Escape) {
        if window.is_key_pressed(Key::Space, KeyRepeat::No) {
            renderer.destroy(screen, context);
            current = (current + 1) % DEMOS.len();
            renderer = SceneRenderer::new(screen, context, &DEMO, DEMOS[current])?;
        }
        let step = last.elapsed().as_secs_f32();
        last = Instant::now();
        orbit(&mut view, window, step);
        let start = Instant::now();
        renderer.draw(context, &view)?;
        renderer.flush(context)?;
        let millis = start.elapsed().as_secs_f64() * 1e3;
        window.set_title(&format!("Gallium: {}, {millis:.2} ms a frame", DEMOS[current].name));
        let picture = render::read(&renderer, context, &DEMO)?;
        pixels.clear();
        pixels.extend(picture.pixels.iter().map(|&[r, g, b, _]| u32::from_be_bytes([0, r, g, b])));
        window.update_with_buffer(&pixels, DEMO.width.into(), DEMO.height.into())?;
    }
    renderer.destroy(screen, context);
    Ok(())
}

/// Moves the camera according to the pressed keys.
fn orbit(view: &mut View, window: &Window, seconds: f32) {
    let held = |key| if window.is_key_down(key) { seconds } else { 0.0 };
    view.turns += (held(Key::Right) - held(Key::Left)) * SPEED;
    view.tilt += (held(Key::Down) - held(Key::Up)) * SPEED;
    view.tilt = view.tilt.clamp(-0.25, 0.25);
    let zoom = 1.0 + held(Key::PageDown) - held(Key::PageUp);
    view.distance = (view.distance * zoom).clamp(0.5, 3.0);
}
