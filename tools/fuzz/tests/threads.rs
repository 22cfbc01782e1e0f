//! Several threads draw: workers of one screen, contexts of one screen, clients of one server.
//!
//! `GALLIUM_RACES=1 cargo xtask test tsan` runs these under ThreadSanitizer.

mod common;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;

use common::random;
use gallium_fuzz::{api, session};
use os_shim::threads::{Background, BackgroundThread, Errand, Job, Later, Pool};
use os_shim::{Memory, Os};
use pipe_core::{
    Bind, ClearFlags, ColorUnion, ContextFlags, FlushFlags, Format, FramebufferState,
    ResourceTemplate, Screen as _, SurfaceTemplate,
};
use raster::{Config, Host, Screen, Small};

/// Width and height in pixels: enough tiles for many workers.
const SIDE: u32 = 300;

#[test]
fn many_workers_draw_the_picture_of_one() {
    let pool = Pool::new(4);
    let os = |threads| Os { threads, ..Os::host() };
    let one = Screen::<Host>::new(os(&os_shim::threads::Inline), Config::default());
    let expected = api::control_picture(&one, SIDE).expect("a picture");
    let four = Screen::<Host>::new(os(&pool), Config { scene_bytes: 4096 });
    for _ in 0..8 {
        assert!(api::control_picture(&four, SIDE).expect("a picture") == expected);
    }
}

#[test]
fn contexts_of_one_screen_draw_at_the_same_time() {
    let pool = Pool::new(2);
    let expected = api::control_picture(&screen(&pool), SIDE).expect("a picture");
    draw_at_the_same_time(&screen(&pool), &expected);
    // The same while a background thread runs the flushes.
    thread::scope(|scope| {
        let thread = BackgroundThread::start_in(scope, "flushes").expect("a thread");
        let screen = screen(&pool).with_background(thread).expect("memory");
        draw_at_the_same_time(&screen, &expected);
    });
}

fn screen(pool: &Pool) -> Screen<'_, Small> {
    Screen::new(Os { threads: pool, ..Os::host() }, Config::default())
}

fn draw_at_the_same_time(screen: &Screen<'_, Small>, expected: &[u8]) {
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..8 {
                    assert!(api::control_picture(screen, SIDE).expect("a picture") == expected);
                }
            });
        }
    });
}

/// A device without a clock waits for a fence as long as it is told to, not for ever.
#[test]
fn a_wait_for_a_fence_ends_though_the_clock_stands_still() {
    let screen = Screen::<Small>::new(Os::bare(Memory::system()), Config::default());
    let mut context = screen.context_create(ContextFlags::empty()).expect("a context");
    let format = Format::R8G8B8A8Unorm;
    let template = ResourceTemplate::texture_2d(format, 64, 64, Bind::RENDER_TARGET);
    let target = screen.resource_create(&template).expect("a target");
    let surface = context.create_surface(target, &SurfaceTemplate::of(format)).expect("a surface");
    let framebuffer = FramebufferState::single(64, 64, surface, None);
    context.set_framebuffer_state(&framebuffer).expect("a framebuffer");
    let color = ColorUnion::float([1.0; 4]);
    context.clear(ClearFlags::COLOR0, None, &color, 0.0, 0).expect("a clear");
    let fence = context.flush(FlushFlags::DEFERRED).expect("a flush").expect("a fence");
    assert_eq!(screen.fence_finish(None, fence, 1_000_000), Ok(false));
    context.flush(FlushFlags::empty()).expect("a flush");
    assert_eq!(screen.fence_finish(None, fence, 1_000_000), Ok(true));
}

/// A thread that counts the flushes it takes, and may nap before each.
struct Counted<'j> {
    thread: BackgroundThread<'j>,
    taken: &'j AtomicU32,
    naps: bool,
}

impl<'j> Background<'j> for Counted<'j> {
    fn take(&self, errand: Errand<'j>) {
        self.taken.fetch_add(1, Relaxed);
        if self.naps {
            Later::new().start(Nap, &self.thread);
        }
        self.thread.take(errand);
    }
}

/// Does nothing for a while.
struct Nap;

impl Job for Nap {
    fn run(&mut self) {
        thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// Random calls of several contexts draw the same pictures if a background thread runs the flushes.
#[test]
fn flushes_in_the_background_change_nothing() {
    let pool = Pool::new(2);
    let os = Os { threads: &pool, ..Os::bare(Memory::system()) };
    let (taken, mut compared) = (AtomicU32::new(0), 0);
    for seed in 0..sequences() {
        let bytes = random(seed, 1500);
        let (now, later) = (api::Watched::default(), api::Watched::default());
        let wanted = api::left_by(os, None::<BackgroundThread<'_>>, &now, &bytes);
        let left = thread::scope(|scope| {
            let thread = BackgroundThread::start_in(scope, "flushes").expect("a thread");
            let background = Counted { thread, taken: &taken, naps: seed % 2 == 0 };
            api::left_by(os, Some(background), &later, &bytes)
        });
        if let (Some(wanted), Some(left)) = (wanted, left) {
            assert!(left == wanted, "seed {seed}");
            compared += 1;
        }
    }
    let taken = taken.into_inner();
    println!("{compared} sequences compared, {taken} flushes in the background");
    assert!(compared > 50 && taken > 20, "{compared} compared, {taken} in the background");
}

/// Returns the number of random sequences to try.
fn sequences() -> u64 {
    let given = std::env::var("GALLIUM_RANDOM_INPUTS").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(100)
}

#[test]
fn clients_of_one_server_draw_at_the_same_time() {
    let server = session::Server::new(Memory::system());
    let sessions = ["triangle", "textured", "varied"].map(|name| {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/session");
        std::fs::read(folder.join(name)).expect("a session")
    });
    thread::scope(|scope| {
        for session in &sessions {
            scope.spawn(|| {
                for _ in 0..8 {
                    server.session(session).expect("a session that is served");
                }
            });
        }
    });
    server.check();
}
