//! A command that exceeds its budget resets its context, which reports the reset once (manual,
//! "Device resets").

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use crate::common::*;
use gallium_raster::{Config, Screen, Small};
use os_shim::Os;
use os_shim::budget::{Stopped, WorkBudget};
use pipe_core::context::ResetCallback;
use pipe_core::{
    Cap, ClearFlags, ColorUnion, ContextFlags, DrawInfo, DrawStartCount, FlushFlags, PipeError,
    PrimType, ResetStatus, Screen as _,
};

/// Draws with an empty budget.
fn overrun(setup: &mut Setup<'_, '_>, budget: &WorkBudget) {
    budget.grant(0);
    let info = DrawInfo::new(PrimType::Triangles);
    let drawn = setup.context.draw_vbo(&info, None, &[DrawStartCount::count(3)]);
    assert_eq!(drawn, Err(PipeError::Stopped(Stopped::Work)));
    budget.grant(1_000_000);
}

fn ready<'s, 'm>(screen: &'s Screen<'m, Small>, budget: &WorkBudget) -> Setup<'s, 'm> {
    budget.grant(1_000_000);
    let mut setup = Setup::new(screen, Options::default()).unwrap();
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.upload(screen, &corners.map(|(x, y)| vertex(x, y, 0.0, RED))).unwrap();
    setup
}

#[test]
fn the_context_that_overran_says_so_once_and_goes_on() {
    let budget = WorkBudget::new();
    let screen = Screen::<Small>::with_budget(Os::host(), Config::default(), &budget);
    assert_eq!(screen.get_param(Cap::DeviceResetStatusQuery), 1);
    let mut setup = ready(&screen, &budget);
    let mut other = ready(&screen, &budget);
    assert_eq!(setup.context.get_device_reset_status(), ResetStatus::NoReset);
    overrun(&mut setup, &budget);
    assert_eq!(other.context.get_device_reset_status(), ResetStatus::NoReset);
    assert_eq!(setup.context.get_device_reset_status(), ResetStatus::GuiltyContextReset);
    assert_eq!(setup.context.get_device_reset_status(), ResetStatus::NoReset);
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert_picture!(setup.text(), vec!["r".repeat(16); 16]);
    // An error other than an exceeded budget is not a reset.
    setup.context.bind_vs_state(None).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap_err();
    assert_eq!(setup.context.get_device_reset_status(), ResetStatus::NoReset);
}

static TOLD: AtomicU32 = AtomicU32::new(0);

#[test]
fn a_callback_is_told_instead() {
    let budget = WorkBudget::new();
    let screen = Screen::<Small>::with_budget(Os::host(), Config::default(), &budget);
    let mut setup = ready(&screen, &budget);
    let call = |data: usize, status: ResetStatus| {
        assert_eq!((data, status), (42, ResetStatus::GuiltyContextReset));
        TOLD.fetch_add(1, SeqCst);
    };
    setup.context.set_device_reset_callback(Some(ResetCallback { call, data: 42 }));
    overrun(&mut setup, &budget);
    assert_eq!(TOLD.load(SeqCst), 1, "within the call");
    assert_eq!(setup.context.get_device_reset_status(), ResetStatus::NoReset);
    setup.context.set_device_reset_callback(None);
    overrun(&mut setup, &budget);
    assert_eq!(TOLD.load(SeqCst), 1);
    assert_eq!(setup.context.get_device_reset_status(), ResetStatus::GuiltyContextReset);
}

#[test]
fn a_context_can_ask_to_be_lost() {
    let budget = WorkBudget::new();
    let screen = Screen::<Small>::with_budget(Os::host(), Config::default(), &budget);
    budget.grant(1_000_000);
    let mut context = screen.context_create(ContextFlags::LOSE_CONTEXT_ON_RESET).unwrap();
    let setup = ready(&screen, &budget);
    let clear = |context: &mut dyn pipe_core::Context<'_>| {
        context.clear(ClearFlags::COLOR0, None, &ColorUnion::default(), 1.0, 0)
    };
    let buffer = setup.vertices.unwrap();
    let copy = |context: &mut dyn pipe_core::Context<'_>| {
        let region = pipe_core::Region::bytes(0, 16);
        context.resource_copy_region(buffer, 0, 32, 0, 0, buffer, 0, &region)
    };
    copy(&mut *context).unwrap();
    budget.grant(0);
    assert_eq!(copy(&mut *context), Err(PipeError::Stopped(Stopped::Work)));
    budget.grant(1_000_000);
    assert_eq!(context.get_device_reset_status(), ResetStatus::GuiltyContextReset);
    assert_eq!(copy(&mut *context), Err(PipeError::DeviceLost));
    assert_eq!(clear(&mut *context), Err(PipeError::DeviceLost));
    assert_eq!(context.flush(FlushFlags::empty()), Err(PipeError::DeviceLost));
    let map = context.transfer_map(
        buffer,
        0,
        pipe_core::MapFlags::READ,
        &pipe_core::Region::bytes(0, 16),
    );
    assert_eq!(map, Err(PipeError::DeviceLost));
    assert_eq!(context.get_device_reset_status(), ResetStatus::NoReset);
}

/// With `RASTER_DEBUG=resets` the context prints its state on standard error, once per reset. The
/// test runs itself in a second process to read that output.
#[cfg(feature = "desktop")]
#[test]
fn the_state_is_printed_where_a_budget_stops_a_command() {
    use std::env;
    use std::process::Command;
    const CHILD: &str = "GALLIUM_TEST_OVERRUNS";
    if env::var_os(CHILD).is_some() {
        let budget = WorkBudget::new();
        let screen = Screen::<Small>::with_budget(Os::host(), Config::default(), &budget);
        let mut setup = ready(&screen, &budget);
        setup.context.emit_string_marker(&"long ".repeat(10_000));
        overrun(&mut setup, &budget);
        overrun(&mut setup, &budget);
        // An error other than an exceeded budget prints nothing.
        setup.context.bind_vs_state(None).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap_err();
        return;
    }
    let printed = |flags| {
        let name = "resets::the_state_is_printed_where_a_budget_stops_a_command";
        let mut child = Command::new(env::current_exe().unwrap());
        child.args(["--exact", name, "--nocapture"]).env(CHILD, "1").env("RASTER_DEBUG", flags);
        let output = child.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let text = printed("resets");
    let dumps: Vec<_> = text.split("device reset: ").skip(1).collect();
    assert_eq!(dumps.len(), 2, "{text}");
    for dump in dumps {
        assert!(dump.len() < 5000, "{dump}");
        for words in ["framebuffer: 16x16", "Vertex program:", "markers: 1, the last \"long long"] {
            assert!(dump.contains(words), "no {words} in {dump}");
        }
    }
    assert!(!printed("").contains("device reset"));
}
