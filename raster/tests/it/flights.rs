//! Flushes that return before their work is done (manual, "flush": `PIPE_FLUSH_ASYNC`; "Fences").

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;

use crate::common::*;
use formats::Format;
use gallium_raster::{Config, Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use os_shim::budget::{Budget, Stopped, WorkBudget};
use os_shim::memory::{FailAt, Memory, Region as Heap, System};
use os_shim::threads::{Background, BackgroundThread, Errand, Inline, Pool};
use pipe_core::query::{QueryResult, QueryType};
use pipe_core::{
    Bind, BlitInfo, BlitSurface, ClearFlags, ColorUnion, DrawIndirect, DrawInfo, FlushFlags,
    FramebufferState, MapFlags, PipeError, PrimType, Region, ResetStatus, ResourceTemplate,
    SamplerViewTemplate, Screen as _, ShaderType, SurfaceRange, SurfaceTemplate, TexFilter,
};

in_all_profiles! {
    a_flush_returns_before_its_work_is_done
    results_and_order_are_those_of_flushes_that_wait
    every_request_for_memory_may_fail
}

/// Returns two workers, also on a machine with one core.
pub(crate) fn two_workers() -> Os<'static> {
    static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::new(2));
    Os { threads: &*POOL, ..Os::host() }
}

/// A background that runs its work only when the test tells it to.
#[derive(Clone, Default)]
pub(crate) struct Held(Arc<Mutex<Vec<Errand<'static>>>>);

impl Held {
    /// Runs the work it was given.
    pub(crate) fn run(&self) {
        let errands = std::mem::take(&mut *self.0.lock().unwrap());
        errands.iter().for_each(Errand::run);
    }

    /// Returns the number of waiting errands.
    pub(crate) fn waiting(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

impl Background<'static> for Held {
    fn take(&self, errand: Errand<'static>) {
        self.0.lock().unwrap().push(errand);
    }
}

/// A background that never runs anything: the call that needs a result first does the work.
pub(crate) struct Idle;

impl<'j> Background<'j> for Idle {
    fn take(&self, _: Errand<'j>) {}
}

pub(crate) fn in_background<P: Profile>(
    background: impl Background<'static> + 'static,
) -> Screen<'static, P> {
    Screen::new(two_workers(), Config::default()).with_background(background).unwrap()
}

/// Uploads a triangle over the whole target.
pub(crate) fn upload_whole<'m, P: Profile>(
    setup: &mut Setup<'_, 'm>,
    screen: &Screen<'m, P>,
    color: [f32; 4],
) {
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.upload(screen, &corners.map(|(x, y)| vertex(x, y, 0.0, color))).unwrap();
}

/// Flushes without waiting.
pub(crate) fn start<'m, P: Profile>(setup: &mut Setup<'_, 'm>, screen: &Screen<'m, P>) {
    let fence = setup.context.flush(FlushFlags::ASYNC).unwrap().expect("a fence");
    screen.fence_destroy(fence).unwrap();
}

pub(crate) fn draw_whole<'m, P: Profile>(
    setup: &mut Setup<'_, 'm>,
    screen: &Screen<'m, P>,
    color: [f32; 4],
) {
    upload_whole(setup, screen, color);
    setup.draw(PrimType::Triangles, 3).unwrap();
}

fn a_flush_returns_before_its_work_is_done<P: Profile>() {
    let held = Held::default();
    let screen = in_background::<P>(held.clone());
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    draw_whole(&mut setup, &screen, RED);
    let deferred = setup.context.flush(FlushFlags::DEFERRED).unwrap().expect("a fence");
    let fence = setup.context.flush(FlushFlags::ASYNC).unwrap().expect("a fence");
    // A flush without new work waits for the work in progress.
    let second = setup.context.flush(FlushFlags::ASYNC).unwrap().expect("a fence");
    for fence in [deferred, fence, second] {
        assert_eq!(screen.fence_finish(None, fence, 0), Ok(false));
        assert_eq!(screen.fence_finish(None, fence, 1000), Ok(false));
        assert_eq!(screen.fence_finish(Some(&mut *setup.context), fence, 0), Ok(false));
    }
    let map = |setup: &mut Setup<'_, '_>| {
        let usage = MapFlags::READ | MapFlags::DONTBLOCK;
        let transfer =
            setup.context.transfer_map(setup.color, 0, usage, &Region::whole(16, 16, 1))?;
        let bytes = setup.context.transfer_bytes(transfer.handle)?.to_vec();
        setup.context.transfer_unmap(transfer.handle).map(|()| bytes)
    };
    assert_eq!(map(&mut setup), Err(PipeError::NotReady));
    // The context continues to record, also for the surface that the flush still draws to.
    draw_whole(&mut setup, &screen, GREEN);
    assert_eq!(screen.fence_finish(None, fence, 0), Ok(false));
    held.run();
    for fence in [deferred, fence, second] {
        assert_eq!(screen.fence_finish(None, fence, 0), Ok(true));
        screen.fence_destroy(fence).unwrap();
    }
    assert_picture!(setup.text(), vec!["g".repeat(16); 16]);
    // A caller that waits without a timeout does the work, if no thread has begun it.
    draw_whole(&mut setup, &screen, BLUE);
    let fence = setup.context.flush(FlushFlags::ASYNC).unwrap().expect("a fence");
    assert_eq!(screen.fence_finish(Some(&mut *setup.context), fence, u64::MAX), Ok(true));
    assert_eq!(map(&mut setup).unwrap(), [0, 0, 255, 255].repeat(256));
    // Other flushes wait, and share a fence.
    draw_whole(&mut setup, &screen, RED);
    let fence = setup.context.flush(FlushFlags::END_OF_FRAME).unwrap().expect("a fence");
    assert_eq!(screen.fence_finish(None, fence, 0), Ok(true));
    assert_eq!(setup.context.flush(FlushFlags::empty()), Ok(Some(fence)));
    assert_eq!(map(&mut setup).unwrap(), [255, 0, 0, 255].repeat(256));
    held.run();
}

#[test]
fn one_worker_does_the_work_at_once() {
    let held = Held::default();
    let os = Os { threads: &Inline, ..Os::host() };
    let screen = Screen::<Small>::new(os, Config::default()).with_background(held.clone()).unwrap();
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    draw_whole(&mut setup, &screen, RED);
    let fence = setup.context.flush(FlushFlags::ASYNC).unwrap().expect("a fence");
    assert_eq!(screen.fence_finish(None, fence, 0), Ok(true));
    assert!(held.0.lock().unwrap().is_empty());
}

/// An unbounded budget that blocks all other threads while it is closed.
pub(crate) struct Gate {
    pub(crate) owner: thread::ThreadId,
    pub(crate) closed: AtomicBool,
    pub(crate) waiting: AtomicU32,
}

impl Budget for Gate {
    fn spend(&self, _: u64) -> Result<(), Stopped> {
        if self.closed.load(SeqCst) && thread::current().id() != self.owner {
            self.waiting.fetch_add(1, SeqCst);
            while self.closed.load(SeqCst) {
                thread::yield_now();
            }
        }
        Ok(())
    }
}

#[test]
fn a_thread_rasterizes_while_the_context_goes_on() {
    let (closed, waiting) = (AtomicBool::new(false), AtomicU32::new(0));
    let gate: &Gate = Box::leak(Box::new(Gate { owner: thread::current().id(), closed, waiting }));
    let screen = Screen::<Host>::with_budget(two_workers(), Config::default(), gate)
        .with_background(BackgroundThread::start("flushes").unwrap())
        .unwrap();
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    for color in [RED, GREEN, BLUE] {
        draw_whole(&mut setup, &screen, color);
        gate.waiting.store(0, SeqCst);
        gate.closed.store(true, SeqCst);
        let fence = setup.context.flush(FlushFlags::ASYNC).unwrap().expect("a fence");
        while gate.waiting.load(SeqCst) == 0 {
            thread::yield_now();
        }
        // A worker is in the middle of the work.
        assert_eq!(screen.fence_finish(None, fence, 0), Ok(false));
        // Meanwhile the next scene is recorded, for the same surface.
        draw_whole(&mut setup, &screen, WHITE);
        assert_eq!(screen.fence_finish(None, fence, 0), Ok(false));
        thread::scope(|scope| {
            let waiter = scope.spawn(|| screen.fence_finish(None, fence, u64::MAX));
            gate.closed.store(false, SeqCst);
            assert_eq!(waiter.join().expect("no panic"), Ok(true));
        });
        assert_picture!(setup.text(), vec!["w".repeat(16); 16]);
    }
}

/// Returns some triangles of random colours.
fn triangles(random: &mut Random, count: u32) -> Vec<Vertex> {
    let mut corner = || {
        let [x, y, z] = [(); 3].map(|()| random.between(-1.5, 1.5));
        vertex(x, y, z / 2.0, [random.next(), random.next(), random.next(), 1.0])
    };
    (0..3 * count).map(|_| corner()).collect()
}

/// Runs random calls chosen by `seed`; returns their results as bytes.
fn answers<P: Profile>(screen: &Screen<'_, P>, seed: u32) -> Vec<u8> {
    let mut random = Random(seed);
    let mut answers = Vec::new();
    let options = Options {
        width: 40,
        height: 40,
        depth: Some(Format::Z24UnormS8Uint),
        ..Options::default()
    };
    let mut setup = Setup::new(screen, options).unwrap();
    setup
        .depth_test(&pipe_core::DepthStencilAlphaState {
            depth_enabled: true,
            depth_writemask: true,
            depth_func: pipe_core::CompareFunc::Less,
            ..Default::default()
        })
        .unwrap();
    let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
    let template = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 40, 40, bind);
    let depth = setup.depth.unwrap();
    let zs = setup.context.create_surface(depth, &SurfaceTemplate::of(Format::Z24UnormS8Uint));
    let zs = zs.unwrap();
    let targets = [(); 2].map(|()| screen.resource_create(&template).unwrap());
    let framebuffers = targets.map(|target| {
        let surface = SurfaceTemplate::of(template.format);
        let surface = setup.context.create_surface(target, &surface).unwrap();
        FramebufferState::single(40, 40, surface, Some(zs))
    });
    let sampler = setup.context.create_sampler_state(&nearest()).unwrap();
    setup.context.bind_sampler_states(ShaderType::Fragment, 0, &[Some(sampler)]).unwrap();
    let views = targets.map(|target| {
        setup.context.create_sampler_view(target, &SamplerViewTemplate::whole(&template)).unwrap()
    });
    setup.context.set_framebuffer_state(&framebuffers[0]).unwrap();
    // The words of a draw, drawn as one pixel of a buffer.
    let bind = Bind::RENDER_TARGET | Bind::COMMAND_ARGS_BUFFER;
    let arguments = screen.resource_create(&ResourceTemplate::buffer(16, bind)).unwrap();
    let range = SurfaceRange::Buffer { first_element: 0, last_element: 0 };
    let surface = SurfaceTemplate { range, ..SurfaceTemplate::of(Format::R32G32B32A32Uint) };
    let surface = setup.context.create_surface(arguments, &surface).unwrap();
    let arguments_state = FramebufferState::single(1, 1, surface, None);
    let mut drawn = 0;
    let mut open = Vec::new();
    let query = setup.context.create_query(QueryType::OcclusionCounter, 0).unwrap();
    for _ in 0..120 {
        match (random.next() * 16.0) as u32 {
            0..=3 => {
                let count = 1 + (random.next() * 60.0) as u32;
                setup.upload(screen, &triangles(&mut random, count)).unwrap();
                setup.draw(PrimType::Triangles, 3 * count).unwrap();
            }
            4 | 5 => {
                let fence = setup.context.flush(FlushFlags::ASYNC).unwrap().expect("a fence");
                if random.next() < 0.3 {
                    setup.context.fence_server_sync(fence).unwrap();
                }
                screen.fence_destroy(fence).unwrap();
            }
            6 => {
                // Draws to the other target from here on, and may sample this one.
                setup.shaders(PASS, if random.next() < 0.7 { TEXEL } else { COLOR }).unwrap();
                setup
                    .context
                    .set_sampler_views(ShaderType::Fragment, 0, &[Some(views[drawn])])
                    .unwrap();
                drawn = 1 - drawn;
                setup.context.set_framebuffer_state(&framebuffers[drawn]).unwrap();
            }
            7 => answers.extend(setup.read(targets[0]).unwrap()),
            8 => answers.extend(setup.read(targets[1]).unwrap()),
            9 => {
                setup.context.begin_query(query).unwrap();
                setup.upload(screen, &triangles(&mut random, 5)).unwrap();
                setup.draw(PrimType::Triangles, 15).unwrap();
                setup.context.end_query(query).unwrap();
                let result = setup.context.get_query_result(query, true).unwrap();
                answers.extend(result.as_ref().map_or(0, QueryResult::as_u64).to_le_bytes());
            }
            10 => setup.clear([random.next(); 4], random.next().into()).unwrap(),
            11 => {
                let (to, from) = (targets[drawn], targets[1 - drawn]);
                let part = Region::whole(17, 9, 1);
                setup.context.resource_copy_region(to, 0, 3, 4, 0, from, 0, &part).unwrap();
            }
            12 => {
                // The CPU changes the memory directly.
                let usage = MapFlags::READ | MapFlags::WRITE | MapFlags::DIRECTLY;
                let part = Region::rect(3, (random.next() * 40.0) as u32, 30, 1);
                let target = random.of(&targets);
                let map = setup.context.transfer_map(target, 0, usage, &part).unwrap();
                let bytes = setup.context.transfer_bytes(map.handle).unwrap();
                answers.extend(&*bytes);
                bytes[..60].reverse();
                if random.next() < 0.5 {
                    setup.context.transfer_unmap(map.handle).unwrap();
                } else {
                    open.push(map.handle);
                }
            }
            13 => {
                // A clear writes the arguments of the next draw.
                let count = 3 * (1 + (random.next() * 20.0) as u32);
                setup.upload(screen, &triangles(&mut random, count)).unwrap();
                setup.context.set_framebuffer_state(&arguments_state).unwrap();
                let color = ColorUnion::uint([count, 1, 0, 0]);
                setup.context.clear(ClearFlags::COLOR0, None, &color, 1.0, 0).unwrap();
                setup.context.set_framebuffer_state(&framebuffers[drawn]).unwrap();
                let indirect = DrawIndirect::Buffer {
                    buffer: arguments,
                    offset: 0,
                    stride: 16,
                    draw_count: 1,
                    indirect_draw_count: None,
                };
                let info = DrawInfo::new(PrimType::Triangles);
                setup.context.draw_vbo(&info, Some(&indirect), &[]).unwrap();
            }
            14 => {
                let end = |resource, region| {
                    let format = template.format;
                    BlitSurface { resource, level: 0, region, format }
                };
                let (from, to) = (Region::rect(1, 2, 30, 20), Region::rect(20, 9, 11, 31));
                let (from, to) = (end(targets[drawn], from), end(targets[1 - drawn], to));
                let blit = BlitInfo::new(to, from, TexFilter::Linear);
                setup.context.blit(&blit).unwrap();
            }
            _ => {
                let texels = [(random.next() * 255.0) as u8; 4 * 64];
                let part = Region { x: 5, y: 7, ..Region::whole(8, 8, 1) };
                setup
                    .context
                    .texture_subdata(targets[0], 0, MapFlags::WRITE, &part, &texels, 32, 0)
                    .unwrap();
            }
        }
    }
    for map in open {
        setup.context.transfer_unmap(map).unwrap();
    }
    answers.extend(setup.read(targets[0]).unwrap());
    answers.extend(setup.read(targets[1]).unwrap());
    answers
}

fn results_and_order_are_those_of_flushes_that_wait<P: Profile>() {
    for seed in 0..12 {
        // The smaller scene overflows in the middle of draws.
        let config = Config { scene_bytes: [0, 8192][seed as usize % 2] };
        let wanted = answers(&Screen::<P>::new(two_workers(), config), seed);
        let idle = Screen::<P>::new(two_workers(), config).with_background(Idle).unwrap();
        assert!(answers(&idle, seed) == wanted, "seed {seed}: done by the call that waits");
        let thread = BackgroundThread::start("flushes").unwrap();
        let screen = Screen::<P>::new(two_workers(), config).with_background(thread).unwrap();
        assert!(answers(&screen, seed) == wanted, "seed {seed}: done by a thread");
    }
}

/// A scoped thread serves as background for a screen that borrows memory and a budget.
#[test]
fn a_thread_of_a_scope_works_for_screens_that_borrow() {
    let mut bytes = vec![core::mem::MaybeUninit::uninit(); 64 << 20];
    let heap = Heap::new(&mut bytes);
    let wanted = answers(&Screen::<Host>::new(two_workers(), Config::default()), 7);
    thread::scope(|scope| {
        let os = Os { memory: Memory::new(&heap), ..two_workers() };
        let thread = BackgroundThread::start_in(scope, "flushes").unwrap();
        let screen = Screen::<Host>::new(os, Config::default()).with_background(thread).unwrap();
        assert!(answers(&screen, 7) == wanted);
    });
    assert_eq!(Memory::new(&heap).usage().used, 0);
}

/// Another context's picture is seen as it was before or after one of the flushes.
#[test]
fn contexts_of_several_threads_share_textures() {
    let screen = in_background::<Host>(BackgroundThread::start("flushes").unwrap());
    crate::contexts::assert_seen_whole(&screen, 200, |painter| start(painter, &screen));
}

/// Two contexts each draw to the texture that the other samples, in scenes that overflow in the
/// middle of a draw. Both end.
#[test]
fn contexts_that_want_each_others_surfaces_end() {
    let thread = BackgroundThread::start("flushes").unwrap();
    let screen = Screen::<Host>::new(two_workers(), Config { scene_bytes: 16_384 });
    let screen = screen.with_background(thread).unwrap();
    let mut pair = [(); 2].map(|()| Setup::new(&screen, Options::default()).unwrap());
    let images = [pair[1].color, pair[0].color];
    for (setup, image) in pair.iter_mut().zip(images) {
        upload_whole(setup, &screen, [0.5, 0.5, 0.0, 1.0]);
        setup.shaders(PASS, TEXEL).unwrap();
        let view = SamplerViewTemplate::whole(&screen.resource_template(image).unwrap());
        setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
    }
    let screen = &screen;
    thread::scope(|scope| {
        for mut setup in pair {
            scope.spawn(move || {
                let indices = [0u16, 1, 2].repeat(200);
                for round in 0..50 {
                    setup.draw_indexed(PrimType::Triangles, &indices).unwrap();
                    if round % 3 > 0 {
                        start(&mut setup, screen);
                    }
                }
            });
        }
    });
}

#[test]
fn what_is_destroyed_under_way_ends_in_order() {
    let system: &'static System = Box::leak(Box::default());
    let os = Os { memory: Memory::new(system), ..two_workers() };
    let held = Held::default();
    let screen = Screen::<Small>::new(os, Config::default()).with_background(held.clone()).unwrap();
    let mut other = Setup::new(&screen, Options::default()).unwrap();
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let template = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 1, 1, Bind::SAMPLER_VIEW);
    let image = setup.image(&screen, &template, &[0, 255, 0, 255]).unwrap();
    setup.shaders(PASS, TEXEL).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    let view = setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
    draw_whole(&mut setup, &screen, [0.5, 0.5, 0.0, 1.0]);
    let fence = setup.context.flush(FlushFlags::ASYNC).unwrap().expect("a fence");
    // The texture, its view and the shader are destroyed, and then the context.
    setup.context.sampler_view_destroy(view).unwrap();
    screen.resource_destroy(image).unwrap();
    assert_eq!(screen.fence_finish(None, fence, 0), Ok(false));
    let color = setup.color;
    drop(setup);
    assert_eq!(screen.fence_finish(None, fence, 0), Ok(true));
    assert_eq!(other.read(color).unwrap(), [0, 255, 0, 255].repeat(256));
    // A destroyed target is still drawn to, and then freed.
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    draw_whole(&mut setup, &screen, RED);
    let unused = setup.context.flush(FlushFlags::ASYNC).unwrap().expect("a fence");
    screen.fence_destroy(unused).unwrap();
    setup.context.set_framebuffer_state(&FramebufferState::default()).unwrap();
    screen.resource_destroy(setup.color).unwrap();
    held.run();
    drop((setup, other));
    drop(screen);
    assert_eq!(system.usage().used, 0);
}

/// Returns a screen with a budget and a background.
fn bounded() -> (Screen<'static, Small>, Held, &'static WorkBudget) {
    let budget: &'static WorkBudget = Box::leak(Box::default());
    budget.grant(1_000_000);
    let held = Held::default();
    let screen = Screen::<Small>::with_budget(two_workers(), Config::default(), budget)
        .with_background(held.clone())
        .unwrap();
    (screen, held, budget)
}

#[test]
fn a_stop_comes_with_the_next_call_that_waits() {
    const STOPPED: PipeError = PipeError::Stopped(Stopped::Time);
    let (screen, held, budget) = bounded();
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    assert_picture!(setup.text(), vec![".".repeat(16); 16]);
    let stop = |setup: &mut Setup<'_, 'static>| {
        budget.grant(1_000_000);
        draw_whole(setup, &screen, RED);
        let fence = setup.context.flush(FlushFlags::ASYNC).unwrap().expect("a fence");
        budget.stop(budget.command(), Stopped::Time);
        held.run();
        budget.grant(1_000_000);
        assert_eq!(screen.fence_finish(None, fence, 0), Ok(true), "there is nothing to wait for");
    };
    stop(&mut setup);
    assert_eq!(setup.context.flush(FlushFlags::empty()), Err(STOPPED));
    assert_eq!(setup.context.get_device_reset_status(), ResetStatus::GuiltyContextReset);
    assert_eq!(setup.context.get_device_reset_status(), ResetStatus::NoReset);
    stop(&mut setup);
    assert_eq!(setup.read(setup.color), Err(STOPPED));
    assert_eq!(setup.context.get_device_reset_status(), ResetStatus::GuiltyContextReset);
    assert_eq!(setup.read(setup.color).unwrap(), [0, 0, 0, 255].repeat(256));
    stop(&mut setup);
    assert_eq!(setup.context.get_device_reset_status(), ResetStatus::GuiltyContextReset);
    draw_whole(&mut setup, &screen, GREEN);
    assert_picture!(setup.text(), vec!["g".repeat(16); 16]);
    // Work recorded after the stop is drawn.
    stop(&mut setup);
    draw_whole(&mut setup, &screen, BLUE);
    assert_eq!(setup.context.flush(FlushFlags::empty()), Err(STOPPED));
    assert_picture!(setup.text(), vec!["b".repeat(16); 16]);
}

/// A budget that counts its checks, and refuses once.
#[derive(Default)]
struct Once(AtomicU32);

impl Budget for Once {
    fn spend(&self, _: u64) -> Result<(), Stopped> {
        // 1 is the signal to refuse.
        match self.0.compare_exchange(1, 0, SeqCst, SeqCst) {
            Ok(_) => Err(Stopped::Work),
            Err(_) => Ok(()),
        }
    }
}

#[test]
fn a_budget_for_the_next_command_does_not_revive_what_is_under_way() {
    let once: &'static Once = Box::leak(Box::default());
    let held = Held::default();
    let screen = Screen::<Small>::with_budget(two_workers(), Config::default(), once)
        .with_background(held.clone())
        .unwrap();
    let options = Options { width: 256, height: 256, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    draw_whole(&mut setup, &screen, RED);
    start(&mut setup, &screen);
    once.0.store(1, SeqCst);
    held.run();
    let flushed = setup.context.flush(FlushFlags::empty());
    assert_eq!(flushed, Err(PipeError::Stopped(Stopped::Work)));
}

/// Draws in three flushes over a heap that may fail one request; returns the picture, and reads it
/// again if that fails.
fn two_flushes<P: Profile>(os: Os<'_>, recover: &dyn Fn()) -> Result<Vec<u8>, PipeError> {
    let screen = Screen::<P>::new(os, Config { scene_bytes: 4096 }).with_background(Idle)?;
    let options = Options { width: 40, height: 33, ..Options::default() };
    let mut setup = Setup::new(&screen, options)?;
    let mut random = Random(3);
    setup.upload(&screen, &triangles(&mut random, 30))?;
    for _ in 0..3 {
        setup.draw(PrimType::Triangles, 3)?;
        if let Some(fence) = setup.context.flush(FlushFlags::ASYNC)? {
            screen.fence_destroy(fence)?;
        }
    }
    // Everything is drawn, so nothing may be lost from here on.
    let mut pixels = setup.pixels();
    if pixels.is_err() {
        recover();
        pixels = setup.pixels();
        pixels.as_ref().expect("there is memory again");
    }
    pixels
}

fn every_request_for_memory_may_fail<P: Profile>() {
    let counting = FailAt::never(Memory::system());
    let os = Os { memory: Memory::new(&counting), ..two_workers() };
    let wanted = two_flushes::<P>(os, &|| ()).unwrap();
    let requests = counting.requests();
    assert!(requests > 30, "{requests}");
    let mut bytes = vec![core::mem::MaybeUninit::uninit(); 2 << 20];
    let heap = Heap::new(&mut bytes);
    let mut drawn = 0;
    for nth in 0..requests {
        let failing = FailAt::new(Memory::new(&heap), nth);
        let os = Os { memory: Memory::new(&failing), ..two_workers() };
        match two_flushes::<P>(os, &|| failing.fail_after(u64::MAX)) {
            Ok(pixels) => {
                assert!(pixels == wanted, "request {nth}");
                drawn += 1;
            }
            Err(error) => {
                assert!(matches!(error, PipeError::OutOfMemory { .. }), "{nth}: {error}");
            }
        }
        assert_eq!(Memory::new(&heap).usage().used, 0, "leak after request {nth}");
    }
    assert!(drawn > 0);
}

#[test]
fn a_scene_without_memory_is_drawn_when_there_is_some() {
    let mut bytes = vec![core::mem::MaybeUninit::uninit(); 2 << 20];
    let heap = Heap::new(&mut bytes);
    let memory = Memory::new(&heap);
    let os = Os { memory, ..two_workers() };
    let screen = Screen::<Small>::new(os, Config::default()).with_background(Idle).unwrap();
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    draw_whole(&mut setup, &screen, RED);
    let fence = setup.context.flush(FlushFlags::ASYNC).unwrap().expect("a fence");
    let mut full = Vec::new();
    for size in (0..20).rev().map(|bit| 1 << bit) {
        while let Ok(block) = os_shim::Vec::<u8>::try_with_capacity_in(size, memory) {
            full.push(block);
        }
    }
    for _ in 0..2 {
        let read = setup.read(setup.color);
        assert!(matches!(read, Err(PipeError::OutOfMemory { .. })), "{read:?}");
        let flushed = setup.context.flush(FlushFlags::empty());
        assert!(matches!(flushed, Err(PipeError::OutOfMemory { .. })), "{flushed:?}");
    }
    assert_eq!(screen.fence_finish(None, fence, u64::MAX), Ok(true), "no wait is for ever");
    drop(full);
    assert_picture!(setup.text(), vec!["r".repeat(16); 16]);
}

/// A flush in progress signals exported fences.
#[cfg(feature = "desktop")]
#[test]
fn others_hear_of_the_end() {
    use os_shim::sharing::{Event, ExternalFence};
    use os_shim::{Box, unsize_box};
    static EVENT: Event = Event::new();
    let held = Held::default();
    let screen = in_background::<Small>(held.clone());
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    draw_whole(&mut setup, &screen, RED);
    let flags = FlushFlags::ASYNC | FlushFlags::FENCE_FD;
    let fence = setup.context.flush(flags).unwrap().expect("a fence");
    let port = Box::try_new_in(&EVENT, Memory::system()).unwrap();
    screen.fence_get_fd(fence, unsize_box!(port)).unwrap();
    screen.fence_destroy(fence).unwrap();
    assert!(!EVENT.wait(0));
    held.run();
    assert!(EVENT.wait(0));
}
