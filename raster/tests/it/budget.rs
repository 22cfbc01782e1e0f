//! Budgets: every command ends, with an error that gives the reason, and the context goes on.

use crate::common::*;
use formats::Format;
use gallium_raster::{Config, Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use os_shim::budget::{Stopped, WorkBudget};
use pipe_core::{
    Bind, BlitInfo, BlitSurface, DrawIndirect, DrawInfo, DrawStartCount, FlushFlags, IndexBuffer,
    MapFlags, PipeError, PrimType, Region, ResourceTemplate, Screen as _, TexFilter,
};
use std::time::Duration;

/// A loop of a million iterations for every pixel.
const LOOP: &str = "FRAG
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 { 0.0, 1.0, 1000000.0, 0.0 }
MOV TEMP[0], IMM[0].xxxx
BGNLOOP
  SGE TEMP[1], TEMP[0], IMM[0].zzzz
  IF TEMP[1].xxxx
    BRK
  ENDIF
  ADD TEMP[0], TEMP[0], IMM[0].yyyy
ENDLOOP
MOV OUT[0], IN[0]
END";

const STOPPED_WORK: Result<(), PipeError> = Err(PipeError::Stopped(Stopped::Work));

fn limited<P: Profile>(budget: &WorkBudget) -> Screen<'_, P> {
    Screen::with_budget(Os::host(), Config::default(), budget)
}

/// Uploads a red triangle over the lower left half of the target.
fn upload_half<'m, P: Profile>(setup: &mut Setup<'_, 'm>, screen: &Screen<'m, P>) {
    let corners = [(-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    setup.upload(screen, &corners.map(|(x, y)| vertex(x, y, 0.0, RED))).unwrap();
}

/// Draws the control picture within a new budget and checks it.
fn assert_goes_on(setup: &mut Setup<'_, '_>, budget: &WorkBudget) {
    budget.grant(100_000);
    setup.shaders(PASS, COLOR).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    let text = setup.text();
    // Pixel centres on the diagonal do not belong to this triangle.
    for (y, row) in text.iter().enumerate() {
        assert_eq!(*row, format!("{}{}", "r".repeat(y), ".".repeat(text.len() - y)));
    }
}

#[test]
fn counts_in_buffers_are_bounded_like_others() {
    let budget = WorkBudget::new();
    let screen = limited::<Small>(&budget);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    upload_half(&mut setup, &screen);
    let template = ResourceTemplate::buffer(16, Bind::COMMAND_ARGS_BUFFER);
    let buffer = screen.resource_create(&template).unwrap();
    let draw = DrawIndirect::Buffer {
        buffer,
        offset: 0,
        stride: 16,
        draw_count: 1,
        indirect_draw_count: None,
    };
    for [count, instances] in [[u32::MAX, 1], [3, u32::MAX], [u32::MAX; 2], [0, u32::MAX]] {
        let words = [count, instances, 0, 0];
        let bytes = bytemuck::cast_slice(&words);
        setup.context.buffer_subdata(buffer, MapFlags::WRITE, 0, bytes).unwrap();
        budget.grant(1 << 20);
        let info = DrawInfo::new(PrimType::Triangles);
        assert_eq!(setup.context.draw_vbo(&info, Some(&draw), &[]), STOPPED_WORK, "{words:?}");
        assert_goes_on(&mut setup, &budget);
    }
}

/// Loops are stopped in the middle of a batch: this one has a million iterations.
fn loops_are_stopped<P: Profile>() {
    let budget = WorkBudget::new();
    let screen = limited::<P>(&budget);
    let options = Options { width: 64, height: 64, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    upload_half(&mut setup, &screen);
    setup.shaders(PASS, LOOP).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    budget.grant(100_000);
    setup.draw(PrimType::Triangles, 3).unwrap();
    let flushed = setup.context.flush(FlushFlags::empty());
    assert_eq!(flushed.map(|_| ()), STOPPED_WORK);
    assert_goes_on(&mut setup, &budget);
}

in_all_profiles! { loops_are_stopped every_budget_ends_in_a_picture_or_a_reason }

/// Returns a program of `count` additions, without a loop to count.
fn straight(count: usize) -> String {
    let steps = "ADD TEMP[0], TEMP[0], IN[0]\n".repeat(count);
    format!(
        "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nDCL TEMP[0]\n\
         MOV TEMP[0], IN[0]\n{steps}MOV OUT[0], TEMP[0]\nEND"
    )
}

/// A straight program costs its length: half of 64 by 64 pixels is at least 32 batches of 64.
#[test]
fn straight_programs_are_stopped() {
    const OPS: u64 = 4 * 1000;
    let budget = WorkBudget::new();
    let screen = limited::<Host>(&budget);
    let options = Options { width: 64, height: 64, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    upload_half(&mut setup, &screen);
    for (units, expected) in [(32 * OPS / 2, STOPPED_WORK), (50 * OPS, Ok(()))] {
        budget.grant(1 << 30);
        setup.shaders(PASS, &straight(1000)).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        budget.grant(units);
        setup.draw(PrimType::Triangles, 3).unwrap();
        assert_eq!(setup.context.flush(FlushFlags::empty()).map(|_| ()), expected, "{units}");
        assert_goes_on(&mut setup, &budget);
    }
}

/// Draws, with loops in the vertex shader and a scene that overflows, then a blit. With any budget,
/// the next command works.
fn every_budget_ends_in_a_picture_or_a_reason<P: Profile>() {
    let budget = WorkBudget::new();
    let os = Os { threads: &os_shim::threads::Inline, ..Os::host() };
    let screen = Screen::<P>::with_budget(os, Config { scene_bytes: 4096 }, &budget);
    budget.grant(100_000);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    upload_half(&mut setup, &screen);
    let other = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 7, 5, Bind::RENDER_TARGET);
    let other = screen.resource_create(&other).unwrap();
    let mut units = 0;
    loop {
        budget.grant(units);
        let mut frame = || {
            setup.clear(BLACK, 1.0)?;
            let info = DrawInfo { instance_count: 40, ..DrawInfo::new(PrimType::Triangles) };
            setup.context.draw_vbo(&info, None, &[DrawStartCount::count(3)])?;
            setup.context.flush(FlushFlags::empty())?;
            let end = |resource, width, height| BlitSurface {
                resource,
                level: 0,
                region: Region::rect(0, 0, width, height),
                format: Format::R8G8B8A8Unorm,
            };
            let ends = (end(other, 7, 5), end(setup.color, 16, 16));
            setup.context.blit(&BlitInfo::new(ends.0, ends.1, TexFilter::Linear))
        };
        let drawn = frame();
        assert_goes_on(&mut setup, &budget);
        match drawn {
            Ok(()) => break,
            Err(PipeError::Stopped(Stopped::Work)) => units += 1 + units / 32,
            Err(error) => panic!("with {units} units: {error}"),
        }
    }
    // 120 vertices, and at most a few thousand batches of four pixels.
    assert!((120..20_000).contains(&units), "{units} units are enough");
}

#[test]
fn another_thread_stops_a_draw_that_draws_nothing() {
    let budget = WorkBudget::new();
    let screen = limited::<Host>(&budget);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    upload_half(&mut setup, &screen);
    // Instances without vertices; and indices that all restart a strip.
    let restarts = vec![u16::MAX; 1 << 20];
    let index = IndexBuffer::user(bytemuck::cast_slice(&restarts), 2);
    let instances = DrawInfo { instance_count: u32::MAX, ..DrawInfo::new(PrimType::Triangles) };
    let strips = DrawInfo {
        primitive_restart: true,
        restart_index: u16::MAX.into(),
        instance_count: 1 << 16,
        ..DrawInfo::indexed(PrimType::TriangleStrip, index)
    };
    for (info, count) in [(instances, 0), (strips, 1 << 20)] {
        budget.grant(u64::MAX);
        let command = budget.command();
        let stopped = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                budget.stop(command, Stopped::Time);
            });
            setup.context.draw_vbo(&info, None, &[DrawStartCount::count(count)])
        });
        assert_eq!(stopped, Err(PipeError::Stopped(Stopped::Time)));
        assert_goes_on(&mut setup, &budget);
    }
}

/// Presenting stops between tiles, and the next frame is whole.
#[test]
fn a_streamed_frame_is_stopped() {
    let budget = WorkBudget::new();
    let screen = limited::<Tiny>(&budget);
    let options = Options { streamed: true, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    upload_half(&mut setup, &screen);
    setup.clear(BLACK, 1.0).unwrap();
    budget.grant(3);
    setup.draw(PrimType::Triangles, 3).unwrap();
    budget.cancel();
    let stopped = setup.pixels().map(|_| ());
    assert_eq!(stopped, Err(PipeError::Stopped(Stopped::Cancelled)));
    budget.renew();
    assert_goes_on(&mut setup, &budget);
}
