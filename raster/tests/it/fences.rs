//! Fences of flushes (manual, "Flushing" and "Fences").

use crate::common::*;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{FlushFlags, PipeError, PrimType, Screen as _};

in_all_profiles! {
    a_flush_that_is_not_deferred_is_done
    every_flush_has_a_fence
    a_deferred_flush_waits_for_somebody_who_waits
    fences_of_other_contexts
}

fn draw<'m, P: Profile>(setup: &mut Setup<'_, 'm>, screen: &gallium_raster::Screen<'m, P>) {
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.upload(screen, &corners.map(|(x, y)| vertex(x, y, 0.0, RED))).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
}

fn a_flush_that_is_not_deferred_is_done<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    draw(&mut setup, &screen);
    for flags in [FlushFlags::HINT_FINISH, FlushFlags::ASYNC] {
        let fence = setup.context.flush(flags).unwrap().expect("a fence was asked for");
        assert_eq!(screen.fence_finish(None, fence, 0), Ok(true));
        screen.fence_destroy(fence).unwrap();
        assert_eq!(screen.fence_finish(None, fence, 0), Err(PipeError::stale(fence)));
        assert_eq!(screen.fence_destroy(fence), Err(PipeError::stale(fence)));
        assert_eq!(setup.context.fence_server_sync(fence), Err(PipeError::stale(fence)));
    }
    #[cfg(not(feature = "desktop"))]
    {
        let exported = setup.context.flush(FlushFlags::FENCE_FD | FlushFlags::DEFERRED);
        assert!(matches!(exported, Err(PipeError::Unsupported(_))), "{exported:?}");
    }
}

fn every_flush_has_a_fence<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let all = [
        FlushFlags::empty(),
        FlushFlags::END_OF_FRAME,
        FlushFlags::ASYNC,
        FlushFlags::HINT_FINISH,
        FlushFlags::DEFERRED,
        FlushFlags::DEFERRED | FlushFlags::TOP_OF_PIPE,
        FlushFlags::DEFERRED | FlushFlags::BOTTOM_OF_PIPE,
    ];
    let mut fences = Vec::new();
    for flags in all {
        draw(&mut setup, &screen);
        let fence = setup.context.flush(flags).unwrap().expect("a fence from every flush");
        let deferred = flags.contains(FlushFlags::DEFERRED);
        assert_eq!(screen.fence_finish(None, fence, 0), Ok(!deferred), "{flags:?}");
        fences.push(fence);
    }
    setup.context.flush(FlushFlags::empty()).unwrap().expect("a fence without flags");
    // Each handle that a flush returned is destroyed once.
    for fence in fences {
        assert_eq!(screen.fence_finish(None, fence, 0), Ok(true));
        assert_eq!(screen.fence_destroy(fence), Ok(()));
    }
    // A streamed scene is pending work until a panel asks for it.
    let streamed = Options { streamed: true, ..Options::default() };
    let mut setup = Setup::new(&screen, streamed).unwrap();
    draw(&mut setup, &screen);
    let fence = setup.context.flush(FlushFlags::empty()).unwrap().expect("a fence");
    assert_eq!(screen.fence_finish(None, fence, 0), Ok(false));
}

fn a_deferred_flush_waits_for_somebody_who_waits<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    draw(&mut setup, &screen);
    let fence = setup.context.flush(FlushFlags::DEFERRED).unwrap().expect("a fence");
    // The context is never flushed, so the wait times out.
    assert_eq!(screen.fence_finish(None, fence, 0), Ok(false));
    assert_eq!(screen.fence_finish(None, fence, 1_000_000), Ok(false));
    assert_eq!(screen.fence_finish(Some(&mut *setup.context), fence, 0), Ok(true));
    assert_picture!(setup.text(), vec!["r".repeat(16); 16]);
    // Any flush of the context signals its fences, and a fence stays signalled.
    draw(&mut setup, &screen);
    let next = setup.context.flush(FlushFlags::DEFERRED).unwrap().expect("a fence");
    assert_eq!(screen.fence_finish(None, next, 0), Ok(false));
    assert_eq!(screen.fence_finish(None, fence, 0), Ok(true));
    setup.context.flush(FlushFlags::empty()).unwrap();
    assert_eq!(screen.fence_finish(None, next, 0), Ok(true));
    // The flush that would signal a destroyed fence still works.
    draw(&mut setup, &screen);
    let gone = setup.context.flush(FlushFlags::DEFERRED).unwrap().expect("a fence");
    screen.fence_destroy(gone).unwrap();
    setup.context.flush(FlushFlags::empty()).unwrap();
}

fn fences_of_other_contexts<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let mut other = Setup::new(&screen, Options::default()).unwrap();
    draw(&mut setup, &screen);
    let fence = setup.context.flush(FlushFlags::DEFERRED).unwrap().expect("a fence");
    assert_eq!(other.context.fence_server_sync(fence), Err(PipeError::NotReady));
    setup.context.fence_server_sync(fence).expect("its own context flushes");
    other.context.fence_server_sync(fence).expect("it is signalled");
    let signalled = other.context.fence_server_signal(fence);
    assert!(matches!(signalled, Err(PipeError::Unsupported(_))), "{signalled:?}");
    // The work of a dropped context is never done, so a wait for its fence ends.
    draw(&mut setup, &screen);
    let fence = setup.context.flush(FlushFlags::DEFERRED).unwrap().expect("a fence");
    assert_eq!(screen.fence_finish(None, fence, 0), Ok(false));
    drop(setup);
    assert_eq!(screen.fence_finish(None, fence, u64::MAX), Ok(true));
}

/// One thread waits while another flushes.
#[cfg(feature = "threads")]
#[test]
fn a_thread_waits_for_the_flush_of_another() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    draw(&mut setup, &screen);
    let fence = setup.context.flush(FlushFlags::DEFERRED).unwrap().expect("a fence");
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| screen.fence_finish(None, fence, u64::MAX));
        setup.context.flush(FlushFlags::empty()).unwrap();
        assert_eq!(waiter.join().expect("no panic"), Ok(true));
    });
}
