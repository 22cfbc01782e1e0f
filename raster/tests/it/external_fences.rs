//! Fences from outside the device, and exported fences of flushes (manual, "Fences").

#[cfg(feature = "threads")]
use std::time::{Duration, Instant};

use crate::common::*;
use gallium_raster::{Profile, Small};
use os_shim::sharing::{Event, ExternalFence};
use os_shim::{Box, Memory, Os, unsize_box};
use pipe_core::{Cap, FenceFdType, FenceHandle, FlushFlags, PipeError, PrimType, Screen as _};

fn boxed(event: &Event) -> Box<'_, dyn ExternalFence + '_> {
    unsize_box!(Box::try_new_in(event, Memory::system()).unwrap())
}

fn draw<'m, P: Profile>(setup: &mut Setup<'_, 'm>, screen: &gallium_raster::Screen<'m, P>) {
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.upload(screen, &corners.map(|(x, y)| vertex(x, y, 0.0, RED))).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
}

/// Returns an exportable fence of draws that are not flushed yet.
fn pending<'m, P: Profile>(
    setup: &mut Setup<'_, 'm>,
    screen: &gallium_raster::Screen<'m, P>,
) -> FenceHandle {
    draw(setup, screen);
    let flags = FlushFlags::DEFERRED | FlushFlags::FENCE_FD;
    setup.context.flush(flags).unwrap().expect("a fence")
}

#[test]
fn a_flush_signals_whom_its_fence_was_handed_to() {
    let (event, late, orphan) = (Event::new(), Event::new(), Event::new());
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let fence = pending(&mut setup, &screen);
    screen.fence_get_fd(fence, boxed(&event)).unwrap();
    let gone = pending(&mut setup, &screen);
    screen.fence_get_fd(gone, boxed(&orphan)).unwrap();
    screen.fence_destroy(gone).unwrap();
    assert_eq!(screen.fence_destroy(gone), Err(PipeError::stale(gone)));
    assert_eq!(screen.fence_finish(None, gone, 0), Err(PipeError::stale(gone)));
    assert!(!event.wait(0) && !orphan.wait(0));
    setup.context.flush(FlushFlags::empty()).unwrap();
    assert!(event.wait(0));
    assert!(orphan.wait(0), "whoever has the descriptor waits for the work, not for the handle");
    screen.fence_get_fd(fence, boxed(&late)).unwrap();
    assert!(late.wait(0), "it is signalled already");
    screen.fence_destroy(fence).unwrap();
    let stale = screen.fence_get_fd(fence, boxed(&late));
    assert_eq!(stale, Err(PipeError::stale(fence)));
}

#[test]
fn a_context_waits_for_others() {
    let event = Event::new();
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let fence = screen.create_fence_fd(boxed(&event), FenceFdType::NativeSync).unwrap();
    assert_eq!(screen.fence_finish(None, fence, 1_000_000), Ok(false));
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| setup.context.fence_server_sync(fence));
        assert_eq!(screen.fence_finish(None, fence, 1_000_000), Ok(false));
        event.signal();
        assert_eq!(waiter.join().expect("no panic"), Ok(()));
    });
    // The fence stays signalled, and only its external event may signal it.
    assert_eq!(screen.fence_finish(None, fence, 0), Ok(true));
    let signalled = setup.context.fence_server_signal(fence);
    assert!(matches!(signalled, Err(PipeError::Unsupported(_))), "{signalled:?}");
    let handed_on = screen.fence_get_fd(fence, boxed(&event));
    assert!(matches!(handed_on, Err(PipeError::Unsupported(_))), "{handed_on:?}");
    screen.fence_destroy(fence).unwrap();
    assert_eq!(setup.context.fence_server_sync(fence), Err(PipeError::stale(fence)));
}

/// Two contexts pass a picture back and forth; each wait resets its fence.
#[test]
fn reusable_fences_are_handed_to_and_fro() {
    let (drawn, seen) = (Event::new(), Event::new());
    let screen = screen::<Small>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::FenceSignal), 1);
    let [drawn, seen] = [&drawn, &seen]
        .map(|event| screen.create_fence_fd(boxed(event), FenceFdType::Syncobj).unwrap());
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let mut other = Setup::new(&screen, Options::default()).unwrap();
    let picture = setup.color;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..3 {
                draw(&mut setup, &screen);
                // The signal flushes the draws before it.
                setup.context.fence_server_signal(drawn).unwrap();
                setup.context.fence_server_sync(seen).unwrap();
                setup.clear(BLACK, 1.0).unwrap();
            }
        });
        for _ in 0..3 {
            other.context.fence_server_sync(drawn).unwrap();
            assert_eq!(other.read(picture).unwrap(), [255, 0, 0, 255].repeat(256));
            other.context.fence_server_signal(seen).unwrap();
        }
    });
    for fence in [drawn, seen] {
        assert_eq!(screen.fence_finish(None, fence, 0), Ok(false), "the waits took it");
    }
}

#[cfg(feature = "desktop")]
#[test]
fn a_wait_for_nobody_can_be_stopped() {
    use gallium_raster::{Config, Screen};
    use os_shim::budget::WorkBudget;
    let (event, budget) = (Event::new(), WorkBudget::new());
    budget.grant(u64::MAX);
    let screen = Screen::<Small>::with_budget(Os::host(), Config::default(), &budget);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let fence = screen.create_fence_fd(boxed(&event), FenceFdType::NativeSync).unwrap();
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| setup.context.fence_server_sync(fence));
        assert!(!event.wait(5_000_000));
        budget.cancel();
        let stopped = waiter.join().expect("no panic");
        assert!(matches!(stopped, Err(PipeError::Stopped(_))), "{stopped:?}");
    });
}

/// A wait ends at its timeout or at the flush, whichever comes first.
#[cfg(feature = "threads")]
#[test]
fn waits_take_their_time_and_no_longer() {
    const SHORT: Duration = Duration::from_millis(30);
    const LONG: Duration = Duration::from_secs(600);
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let fence = pending(&mut setup, &screen);
    let wait = |time: Duration| {
        let start = Instant::now();
        let signalled = screen.fence_finish(None, fence, time.as_nanos() as u64).unwrap();
        (signalled, start.elapsed())
    };
    std::thread::scope(|scope| {
        let patient = scope.spawn(|| wait(LONG));
        let (signalled, took) = wait(SHORT);
        assert!(!signalled && took >= SHORT, "{took:?}");
        assert!(!patient.is_finished());
        setup.context.flush(FlushFlags::empty()).unwrap();
        let (signalled, took) = patient.join().expect("no panic");
        assert!(signalled && took < LONG, "{took:?}");
    });
    // The fence is signalled, so a wait returns at once.
    assert!(wait(LONG).0);
}

/// Eventfds serve as fences of other processes.
#[cfg(target_os = "linux")]
#[test]
fn a_descriptor_can_be_read_when_the_flush_is_done() {
    use os_shim::sharing::EventFd;
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let fence = pending(&mut setup, &screen);
    let ours = EventFd::new().unwrap();
    let theirs = EventFd::from(ours.try_clone().unwrap());
    let port = Box::try_new_in(ours, Memory::system()).unwrap();
    screen.fence_get_fd(fence, unsize_box!(port)).unwrap();
    assert!(!theirs.wait(0));
    setup.context.flush(FlushFlags::empty()).unwrap();
    assert!(theirs.wait(0));
}
