//! Every profile draws the same bits, in memory or streamed, with one or several threads.

use gallium_bench::screens;
use gallium_host::render::BOARD;
use os_shim::{Memory, Os};
use raster::AnyProfile;
use scenes::{ALL, Surface, View};

#[test]
fn profiles_threads_and_streaming_do_not_change_a_pixel() {
    let view = View::turntable(5, 36, BOARD.aspect());
    let streamed = Surface { streamed: true, ..BOARD };
    for scene in ALL {
        let bare = Os::bare(Memory::system());
        let expected = screens::frame(AnyProfile::Host, bare, &BOARD, scene, &view).unwrap();
        let colours = expected.pixels.iter().collect::<std::collections::HashSet<_>>().len();
        assert_eq!(colours > 1, !["clear", "fill"].contains(&scene.name), "{}", scene.name);
        for (profile, os, surface) in [
            (AnyProfile::Host, Os::host(), BOARD),
            (AnyProfile::Small, bare, BOARD),
            (AnyProfile::Small, bare, streamed),
            (AnyProfile::Tiny, Os::host(), BOARD),
        ] {
            let picture = screens::frame(profile, os, &surface, scene, &view).unwrap();
            assert!(
                picture == expected,
                "{}: {profile:?}, {} threads, streamed: {}",
                scene.name,
                os.threads.count(),
                surface.streamed
            );
        }
    }
}
