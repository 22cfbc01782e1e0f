//! Writes the demo's files: pictures and a turntable.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use indicatif::{ProgressBar, ProgressStyle};
use os_shim::{Memory, Os, System};
use pipe_core::{ContextFlags, Screen};
use scenes::{DEMOS, Scene, SceneRenderer, Surface, View};

use crate::picture::Picture;
use crate::render::{self, DEMO};

/// Frames per turn.
const FRAMES: u32 = 36;

/// Time and memory of one scene.
struct Figures {
    frame: Duration,
    peak: usize,
}

/// Writes a PNG of every demo scene and one GIF, and prints their times and memory.
///
/// # Errors
/// An error of the driver or the file system.
pub fn run(out: &Path) -> Result<()> {
    let view = View::turntable(2, FRAMES, DEMO.aspect());
    let threads = Os::host().threads.count();
    for scene in DEMOS {
        println!("{}: {}", scene.name, scene.about);
        let draw = |screen: &dyn Screen<'_>| render::frame(screen, &DEMO, scene, &view);
        let picture =
            render::with_screen(Os::host(), &DEMO, draw).with_context(|| scene.name.to_owned())?;
        let path = out.join(format!("{}.png", scene.name));
        picture.write(&path)?;
        println!("  {}", path.display());
        let figures = measure(scene)?;
        let triangles = scene.mesh.map_or(0, |mesh| mesh.triangles());
        let seconds = figures.frame.as_secs_f64();
        println!(
            "  {:.3} ms a frame of {}×{} on {threads} threads, {:.2} million triangles/s, \
             at most {} KiB of memory",
            seconds * 1e3,
            DEMO.width,
            DEMO.height,
            triangles as f64 / seconds / 1e6,
            figures.peak.div_ceil(1024)
        );
    }
    turntable(&out.join("turntable.gif"))
}

/// Returns the median time of a frame, and the peak memory use.
fn measure(scene: &'static Scene) -> Result<Figures> {
    let system = System::new();
    let os = Os { memory: Memory::new(&system), ..Os::host() };
    let mut times = Vec::new();
    render::with_screen(os, &DEMO, |screen| {
        let mut context = screen.context_create(ContextFlags::empty())?;
        let renderer = SceneRenderer::new(screen, &mut *context, &DEMO, scene)?;
        for frame in 0..FRAMES {
            let start = Instant::now();
            renderer.draw(&mut *context, &View::turntable(frame, FRAMES, DEMO.aspect()))?;
            renderer.flush(&mut *context)?;
            times.push(start.elapsed());
        }
        renderer.destroy(screen, &mut *context);
        Ok(())
    })?;
    times.sort();
    Ok(Figures { frame: times[times.len() / 2], peak: os.memory.usage().peak })
}

/// Writes one animation of the demo's scenes next to each other.
fn turntable(path: &Path) -> Result<()> {
    let surface = Surface { width: 240, height: 240, ..DEMO };
    let (width, height) = (surface.width * DEMOS.len() as u16, surface.height);
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    let mut encoder = gif::Encoder::new(std::io::BufWriter::new(file), width, height, &[])?;
    encoder.set_repeat(gif::Repeat::Infinite)?;
    let style = ProgressStyle::with_template("  {msg} {wide_bar} {pos}/{len}")?;
    let bar = ProgressBar::new(FRAMES.into()).with_style(style).with_message("turntable");
    render::with_screen(Os::host(), &surface, |screen| {
        let mut context = screen.context_create(ContextFlags::empty())?;
        let renderers =
            DEMOS.map(|scene| SceneRenderer::new(screen, &mut *context, &surface, scene));
        for frame in 0..FRAMES {
            let view = View::turntable(frame, FRAMES, surface.aspect());
            let mut wide = Picture::new(width.into(), height.into());
            for (index, renderer) in renderers.iter().enumerate() {
                let renderer = renderer.as_ref().map_err(|error| *error)?;
                let picture = render::draw(renderer, &mut *context, &surface, &view)?;
                paste(&mut wide, &picture, index * surface.width as usize);
            }
            let mut pixels = wide.pixels.concat();
            let mut image = gif::Frame::from_rgba_speed(width, height, &mut pixels, 10);
            // Hundredths of a second.
            image.delay = 6;
            encoder.write_frame(&image)?;
            bar.inc(1);
        }
        for renderer in renderers.into_iter().flatten() {
            renderer.destroy(screen, &mut *context);
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    println!("{} ({FRAMES} frames)", path.display());
    Ok(())
}

fn paste(wide: &mut Picture, picture: &Picture, x: usize) {
    let rows = wide.pixels.chunks_exact_mut(wide.width as usize);
    for (to, from) in rows.zip(picture.pixels.chunks_exact(picture.width as usize)) {
        to[x..x + from.len()].copy_from_slice(from);
    }
}
