//! The whole API: sequences of valid and invalid calls of a screen and its contexts.
//!
//! No sequence may cause a panic, a read out of bounds, a leak or unbounded work. A context created
//! afterwards must draw the same control picture as a fresh screen.

mod blits;
mod control;
mod draws;
mod objects;
mod parameters;
mod resources;
mod shaders;
mod sharing;
mod states;
mod world;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use os_shim::budget::{Budget, Stopped, WorkBudget};
use os_shim::memory::Quota;
use os_shim::threads::Background;
use os_shim::{Memory, Os, System};
use pipe_core::wrap::CheckScreen;
use pipe_core::wrap::record::RecordScreen;
use pipe_core::{PipeError, Screen};

use raster::AnyProfile;

use crate::Input;
pub use control::picture as control_picture;
pub(crate) use shaders::{CHAINS, SHADERS};
use world::World;

/// Maximum number of bytes that a sequence may allocate.
const QUOTA: usize = 48 << 20;

/// Maximum units of work per call. Beyond it calls are refused, so that every input ends.
const WORK: u64 = 1 << 16;

/// Width and height of the control picture, in pixels.
const CONTROL_SIDE: u32 = 24;

/// Maximum number of calls in a sequence.
const MOST_CALLS: usize = 96;

/// A call, or a few calls that belong together, with arguments read from an input.
type Call = fn(&mut World<'_, '_>, &mut Input<'_>);

/// All calls, chapter by chapter.
const CALLS: [&[Call]; 7] = [
    draws::CALLS,
    resources::CALLS,
    objects::CALLS,
    parameters::CALLS,
    blits::CALLS,
    world::CALLS,
    sharing::CALLS,
];

/// Runs a sequence of calls through the wrapper that checks arguments, like frontends that accept
/// untrusted data.
pub fn checked(bytes: &[u8]) {
    within_quota(bytes, true);
}

/// Runs a sequence of calls on the driver itself.
pub fn unchecked(bytes: &[u8]) {
    within_quota(bytes, false);
}

fn within_quota(bytes: &[u8], check: bool) {
    let system = System::new();
    let quota = Quota::new(Memory::new(&system), QUOTA);
    run_in(Memory::new(&quota), bytes, check);
    assert_eq!(system.usage().used, 0, "the screen left memory behind");
}

/// Runs a sequence of calls on a driver. Allocations from `memory` may fail. With `check`, calls go
/// through the wrapper that checks arguments.
pub fn run_in(memory: Memory<'_>, bytes: &[u8], check: bool) {
    let mut input = Input::new(bytes);
    let config = raster::Config { scene_bytes: input.pick(&[1024, 4096, 1 << 16]) };
    let os = Os { clock: Os::host().clock, ..Os::bare(memory) };
    let work = WorkBudget::new();
    let profile = AnyProfile::ALL[input.below(3)];
    let screen = match crate::generator() {
        Some(generator) => profile.screen_with_code(os, config, &work, generator),
        None => profile.screen_with_budget(os, config, &work),
    };
    if check {
        sequence(&CheckScreen::new(&*screen, os.memory), &work, &mut input);
    } else {
        sequence(&*screen, &work, &mut input);
    }
}

/// Runs a sequence of calls on a driver with workers and, if one is given, a background. Returns
/// the bytes of the resources that are left, or `None` if a call was stopped.
pub fn left_by<'m>(
    os: Os<'m>,
    background: Option<impl Background<'m> + 'm>,
    work: &'m Watched,
    bytes: &[u8],
) -> Option<Vec<Vec<u8>>> {
    let mut input = Input::new(bytes);
    let config = raster::Config { scene_bytes: input.pick(&[1024, 4096, 1 << 16]) };
    let mut screen = raster::Screen::<raster::Small>::with_budget(os, config, work);
    if let Some(background) = background {
        screen = screen.with_background(background).expect("memory");
    }
    let (left, _) = calls(&screen, &work.budget, &mut input, true);
    (!work.has_refused.load(Relaxed)).then_some(left)
}

/// A work budget that records refusals.
#[derive(Default)]
pub struct Watched {
    budget: WorkBudget,
    has_refused: AtomicBool,
}

impl Budget for Watched {
    fn spend(&self, units: u64) -> Result<(), Stopped> {
        let spent = self.budget.spend(units);
        self.has_refused.fetch_or(spent.is_err(), Relaxed);
        spent
    }
}

/// Makes a sequence of calls on the driver of computers; returns what worked that only the API has.
pub fn reached(bytes: &[u8]) -> BTreeSet<&'static str> {
    let system = System::new();
    let quota = Quota::new(Memory::new(&system), QUOTA);
    let work = WorkBudget::new();
    let config = raster::Config { scene_bytes: 4096 };
    let os = Os { clock: Os::host().clock, ..Os::bare(Memory::new(&quota)) };
    let screen = AnyProfile::Host.screen_with_budget(os, config, &work);
    calls(&*screen, &work, &mut Input::new(bytes), false).1
}

/// Returns the recording of a sequence of calls on a driver whose memory is a quota.
pub fn recorded(bytes: &[u8]) -> Vec<u8> {
    let system = System::new();
    let quota = Quota::new(Memory::new(&system), QUOTA);
    let memory = Memory::new(&quota);
    let recording = Mutex::new(Vec::new());
    let sink = |bytes: &[u8]| recording.lock().expect("no panic").extend_from_slice(bytes);
    let work = WorkBudget::new();
    let config = raster::Config { scene_bytes: 4096 };
    let screen = AnyProfile::Host.screen_with_budget(Os::bare(memory), config, &work);
    calls(&RecordScreen::new(&*screen, &sink, memory), &work, &mut Input::new(bytes), false);
    recording.into_inner().expect("no panic")
}

/// Draws the control picture, makes the calls, and draws the control picture again.
fn sequence<'m>(screen: &dyn Screen<'m>, work: &WorkBudget, input: &mut Input<'_>) {
    let before = control(screen, work);
    calls(screen, work, input, false);
    assert!(control(screen, work) == before, "the control picture changed");
}

/// Draws the control picture. If memory failed, it draws the picture again.
fn control(screen: &dyn Screen<'_>, work: &WorkBudget) -> Vec<u8> {
    work.grant(WORK);
    match control::picture(screen, CONTROL_SIDE) {
        Err(PipeError::OutOfMemory { .. }) => control::picture(screen, CONTROL_SIDE),
        other => other,
    }
    .expect("the screen draws, whatever was called before")
}

/// Makes the calls that an input describes. If what they do is compared, maps wait for commands, and the bytes of
/// the resources that are left are returned; and what worked that only the API has.
fn calls<'m>(
    screen: &dyn Screen<'m>,
    work: &WorkBudget,
    input: &mut Input<'_>,
    compares: bool,
) -> (Vec<Vec<u8>>, BTreeSet<&'static str>) {
    work.grant(WORK);
    let Ok(mut world) = World::new(screen, input) else { return Default::default() };
    world.compares = compares;
    for _ in 0..MOST_CALLS {
        if input.is_empty() {
            break;
        }
        work.grant(WORK);
        let chapter = input.pick(&CALLS);
        input.pick(chapter)(&mut world, input);
    }
    work.grant(WORK);
    let left = if compares { world.left() } else { Vec::new() };
    let reached = std::mem::take(&mut world.reached);
    world.end();
    (left, reached)
}
