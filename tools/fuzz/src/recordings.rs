//! Untrusted recordings: playing one within a budget and a quota does no harm, whatever it
//! contains.

use os_shim::budget::WorkBudget;
use os_shim::memory::Quota;
use os_shim::{Memory, Os, System};
use pipe_core::wrap::record::Player;
use raster::AnyProfile;

/// Maximum number of bytes that a recording may allocate.
const QUOTA: usize = 48 << 20;

/// Maximum units of work per call.
const WORK: u64 = 1 << 16;

/// Plays a recording on a screen that does not check arguments, like `cargo xtask replay`.
pub fn run(recording: &[u8]) {
    let system = System::new();
    let quota = Quota::new(Memory::new(&system), QUOTA);
    let memory = Memory::new(&quota);
    let work = WorkBudget::new();
    {
        let os = Os::bare(memory);
        let config = raster::Config { scene_bytes: 4096 };
        let screen = match crate::generator() {
            Some(generator) => AnyProfile::Host.screen_with_code(os, config, &work, generator),
            None => AnyProfile::Host.screen_with_budget(os, config, &work),
        };
        let Ok(mut player) = Player::new(&*screen, recording, memory) else { return };
        let step = |player: &mut Player<'_, '_>| {
            work.grant(WORK);
            player.step()
        };
        while let Ok(Some(played)) = step(&mut player) {
            assert!(!played.name.is_empty());
        }
        work.grant(WORK);
    }
    assert_eq!(system.usage().used, 0, "the screen left memory behind");
}
