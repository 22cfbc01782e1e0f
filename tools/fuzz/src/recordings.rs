//! Untrusted recordings: listing one, and playing one within a budget and a quota, does no harm,
//! whatever it contains.

use std::fmt::Write as _;

use os_shim::budget::WorkBudget;
use os_shim::memory::Quota;
use os_shim::{Memory, Os, System};
use pipe_core::wrap::record::{Calls, Player};
use raster::AnyProfile;

/// Maximum number of bytes that a recording may allocate.
const QUOTA: usize = 48 << 20;

/// Maximum units of work per call.
const WORK: u64 = 1 << 16;

/// Counts the bytes of a text.
struct Length(usize);

impl std::fmt::Write for Length {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

/// Describes the calls of a recording without playing them, like `cargo xtask inspect`.
fn list(recording: &[u8], memory: Memory<'_>) {
    let Ok(mut calls) = Calls::new(recording) else { return };
    let mut length = Length(0);
    while let Ok(Some(call)) = calls.read() {
        assert!(!call.name.is_empty());
        // A damaged call is described up to the damage.
        let _ = call.describe(memory, &mut |name, value| {
            assert!(!name.is_empty());
            let _ = write!(length, "{value:?}");
        });
    }
    // The arguments are read from the recording: no small recording has a long description.
    assert!(length.0 <= 4096 + 1024 * recording.len(), "{} bytes of text", length.0);
}

/// Lists a recording, and plays it on a screen that does not check arguments, like
/// `cargo xtask replay`.
pub fn run(recording: &[u8]) {
    let system = System::new();
    let quota = Quota::new(Memory::new(&system), QUOTA);
    let memory = Memory::new(&quota);
    list(recording, memory);
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
