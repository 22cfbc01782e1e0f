//! Several contexts of one screen, each used by a separate thread.

use crate::common::*;
use formats::Format;
use gallium_raster::{Config, Host, Screen};
use os_shim::Os;
use os_shim::budget::{Stopped, WorkBudget};
use os_shim::threads::Inline;
use pipe_core::{
    Bind, FlushFlags, PipeError, PrimType, ResourceHandle, ResourceTemplate, SamplerViewTemplate,
    Screen as _, ShaderType, SurfaceTemplate,
};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

const ROUNDS: usize = 200;
const FORMAT: Format = Format::R8G8B8A8Unorm;

/// Uploads a triangle over the whole target, of one colour or with texture coordinates instead of
/// it.
fn upload_whole<'m>(setup: &mut Setup<'_, 'm>, screen: &Screen<'m, Host>, color: [f32; 4]) {
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.upload(screen, &corners.map(|(x, y)| vertex(x, y, 0.0, color))).unwrap();
}

fn one_worker() -> Os<'static> {
    Os { threads: &Inline, ..Os::host() }
}

/// Makes a context that shows the middle texel of `image` everywhere.
fn shower<'s, 'm>(screen: &'s Screen<'m, Host>, image: ResourceHandle) -> Setup<'s, 'm> {
    let mut setup = Setup::new(screen, Options::default()).unwrap();
    upload_whole(&mut setup, screen, [0.5, 0.5, 0.0, 1.0]);
    setup.shaders(PASS, TEXEL).unwrap();
    let view = SamplerViewTemplate::whole(&screen.resource_template(image).unwrap());
    setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
    setup
}

#[test]
fn contexts_share_what_they_read() {
    let screen = Screen::<Host>::new(one_worker(), Config::default());
    let mut first = Setup::new(&screen, Options::default()).unwrap();
    let template = ResourceTemplate::texture_2d(FORMAT, 1, 1, Bind::SAMPLER_VIEW);
    let image = first.image(&screen, &template, &[255, 0, 0, 255]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let mut setup = shower(&screen, image);
            scope.spawn(move || {
                for _ in 0..ROUNDS {
                    setup.clear(BLACK, 1.0).unwrap();
                    setup.draw(PrimType::Triangles, 3).unwrap();
                    assert_eq!(setup.pixels().unwrap(), [255, 0, 0, 255].repeat(256));
                }
            });
        }
    });
}

/// Another context's picture is seen as it was before or after one of the draws.
#[test]
fn no_draw_is_seen_in_part() {
    let screen = Screen::<Host>::new(one_worker(), Config::default());
    assert_seen_whole(&screen, ROUNDS, |painter| {
        painter.context.flush(FlushFlags::empty()).unwrap();
    });
}

/// Clears a picture to blue and red in turn, and flushes it, while two threads show it. They must
/// see whole pictures.
pub(crate) fn assert_seen_whole<'s, 'm>(
    screen: &'s Screen<'m, Host>,
    rounds: usize,
    mut flush: impl FnMut(&mut Setup<'s, 'm>),
) {
    let mut painter = Setup::new(screen, Options::default()).unwrap();
    let image = painter.color;
    painter.clear(RED, 1.0).unwrap();
    painter.context.flush(FlushFlags::empty()).unwrap();
    let mut showers = [shower(screen, image), shower(screen, image)];
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for setup in &mut showers {
            let done = &done;
            scope.spawn(move || {
                while !done.load(SeqCst) {
                    setup.draw(PrimType::Triangles, 3).unwrap();
                    let pixels = setup.pixels().unwrap();
                    let shown = [pixels[0], pixels[1], pixels[2], pixels[3]];
                    assert!([[255, 0, 0, 255], [0, 0, 255, 255]].contains(&shown), "{shown:?}");
                    assert_eq!(pixels, shown.repeat(256));
                }
            });
        }
        for round in 0..rounds {
            painter.clear(if round % 2 == 0 { BLUE } else { RED }, 1.0).unwrap();
            flush(&mut painter);
        }
        done.store(true, SeqCst);
    });
}

/// Two contexts each draw to the texture that the other samples, in scenes that overflow in the
/// middle of a draw. Their pixels are unspecified, but both end.
#[test]
fn contexts_that_want_each_others_surfaces_end() {
    let screen = Screen::<Host>::new(one_worker(), Config { scene_bytes: 16_384 });
    let mut pair = [(); 2].map(|()| Setup::new(&screen, Options::default()).unwrap());
    let images = [pair[0].color, pair[1].color];
    for (setup, image) in pair.iter_mut().zip([images[1], images[0]]) {
        upload_whole(setup, &screen, [0.5, 0.5, 0.0, 1.0]);
        setup.shaders(PASS, TEXEL).unwrap();
        let view = SamplerViewTemplate::whole(&screen.resource_template(image).unwrap());
        setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
    }
    std::thread::scope(|scope| {
        for mut setup in pair {
            scope.spawn(move || {
                let indices = [0u16, 1, 2].repeat(200);
                for _ in 0..ROUNDS / 4 {
                    setup.draw_indexed(PrimType::Triangles, &indices).unwrap();
                    setup.context.flush(FlushFlags::empty()).unwrap();
                }
            });
        }
    });
}

/// An endless draw does not block another context.
#[test]
fn a_long_draw_holds_nobody_up() {
    const ENDLESS: &str = "FRAG
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] FLT32 { 0.0, 1.0, 1000000.0, 0.0 }
MOV TEMP[0], IMM[0].xxxx
BGNLOOP
  ADD TEMP[0].x, TEMP[0], IMM[0].yyyy
  SGE TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz
  IF TEMP[0].yyyy
    BRK
  ENDIF
ENDLOOP
MOV OUT[0], TEMP[0]
END";
    let budget = WorkBudget::new();
    budget.grant(u64::MAX);
    let screen = Screen::<Host>::with_budget(one_worker(), Config::default(), &budget);
    let options = Options { width: 512, height: 512, ..Options::default() };
    let mut long = Setup::new(&screen, options).unwrap();
    upload_whole(&mut long, &screen, RED);
    long.shaders(PASS, ENDLESS).unwrap();
    let mut short = Setup::new(&screen, Options::default()).unwrap();
    upload_whole(&mut short, &screen, GREEN);
    let surface = short.context.create_surface(short.color, &SurfaceTemplate::of(FORMAT)).unwrap();
    std::thread::scope(|scope| {
        let drawn = scope.spawn(|| {
            // 4,096 batches of a million iterations: hours.
            long.draw(PrimType::Triangles, 3)?;
            long.context.flush(FlushFlags::empty())
        });
        for _ in 0..20 {
            short.clear(BLACK, 1.0).unwrap();
            short.draw(PrimType::Triangles, 3).unwrap();
            assert_eq!(short.pixels().unwrap(), [0, 255, 0, 255].repeat(256));
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        short.context.surface_destroy(surface).unwrap();
        budget.stop(budget.command(), Stopped::Cancelled);
        assert_eq!(drawn.join().unwrap(), Err(PipeError::Stopped(Stopped::Cancelled)));
    });
}
