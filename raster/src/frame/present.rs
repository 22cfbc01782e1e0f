//! Presenting: tiles of a streamed surface, drawn in memory of a worker or of the panel and handed
//! to the panel in order.

use os_shim::sync::Mutex;
use os_shim::threads::Threads;
use pipe_core::{Area, PanelError, PipeError, TilePanel};

use super::bands::{Band, Bands};
use super::framebuffer::{ATTACHMENTS, Attachment};
use super::worker::{tile_area, tile_target};
use super::{Part, Pass, Worker};
use crate::debug::Phase;
use crate::features::{FRAGMENTS, WORKERS};
use crate::fragment::Currents;
use crate::lanes::TileTargets;
use crate::profile::Profile;

/// A panel, and the attachment that it shows.
struct Display<'p> {
    panel: &'p mut dyn TilePanel,
    /// The attachment's index in the framebuffer.
    index: usize,
    attachment: &'p Attachment,
}

/// Draws the tiles of a part of a frame and hands them to the panel, in order.
///
/// With one worker a tile is drawn in memory that the panel lends, if it lends any. With several
/// workers, each worker draws a tile in its private memory, and then the caller's thread shows
/// these tiles. So the panel need not support several cores.
pub(super) fn stream<'a, 'm, P: Profile>(
    pass: &'a Pass<'a, 'm, P>,
    bands: &mut Bands<'_>,
    workers: &mut [Mutex<Worker<'m, P>>],
    threads: &dyn Threads,
    panel: &mut dyn TilePanel,
    part: &Part,
) -> Result<(), PipeError> {
    let rows = &part.rows;
    let framebuffer = pass.framebuffer;
    let Some((index, attachment)) = framebuffer.shown() else { return Ok(()) };
    let mut current = Currents::default();
    if rows.start == 0 {
        let (width, height) = (framebuffer.width, framebuffer.height);
        PanelError::check_granularity(width, height, panel.granularity())?;
        panel.begin(framebuffer.width, framebuffer.height)?;
    }
    let mut display = Display { panel, index, attachment };
    while let Some(mut band) = bands.claim(framebuffer, P::TILE_HEIGHT) {
        pass.inputs.work.spend(0)?;
        if !rows.contains(&band.top) {
            continue;
        }
        match &mut *workers {
            [] => {}
            [worker] => {
                let worker = worker.get_mut();
                for column in part.columns(pass.inputs.scene.bins.columns()) {
                    show_one(pass, worker, &mut current, &mut band, column, &mut display)?;
                }
            }
            _ if !WORKERS => {}
            workers => show_many(pass, workers, threads, &mut band, &mut display)?,
        }
    }
    if rows.end == framebuffer.height {
        display.panel.finish()?;
    }
    Ok(())
}

/// Draws one tile, in the panel's memory or the worker's, and hands it to the panel.
fn show_one<'a, 'm, P: Profile>(
    pass: &'a Pass<'a, 'm, P>,
    worker: &mut Worker<'m, P>,
    current: &mut Currents<'a>,
    band: &mut Band<'_>,
    column: u32,
    display: &mut Display<'_>,
) -> Result<(), PipeError> {
    let tile = band.tile::<P>(column);
    let area = tile_area::<P>(pass.framebuffer, tile);
    let attachment = display.attachment;
    let bytes = (area.width * area.height) as usize * attachment.pixel;
    // Samples are drawn and resolved in the worker's memory.
    if pass.framebuffer.samples() == 1
        && let Some(lent) = display.panel.lend(bytes)?
    {
        // Only the general path stores pixels byte by byte.
        if !FRAGMENTS && attachment.pixel == 2 && !lent.as_ptr().addr().is_multiple_of(2) {
            return Err(PanelError::ALIGNMENT.into());
        }
        // The other attachments stay as they are for the next tile.
        let mut with_lent = band.bytes.each_mut().map(|bytes| bytes.as_deref_mut());
        if let Some(bytes) = with_lent.get_mut(display.index) {
            *bytes = Some(lent);
        }
        worker.draw_tile(pass, current, &mut with_lent, tile, &mut |_| ());
        display.panel.send(area, attachment.format)?;
        return Ok(());
    }
    let mut result = Ok(());
    worker.draw_tile(pass, current, &mut band.bytes, tile, &mut |targets| {
        let _watch = pass.inputs.timer.start(Phase::Presenting);
        result = display.show(targets, area);
    });
    Ok(result?)
}

/// Draws a row of tiles, as many at a time as there are workers.
#[inline(never)]
fn show_many<'a, 'm, P: Profile>(
    pass: &'a Pass<'a, 'm, P>,
    workers: &mut [Mutex<Worker<'m, P>>],
    threads: &dyn Threads,
    band: &mut Band<'_>,
    display: &mut Display<'_>,
) -> Result<(), PipeError> {
    // Attachments with memory are drawn to in place, by one worker at a time.
    let in_place = band.bytes.iter().any(Option::is_some);
    let columns = pass.inputs.scene.bins.columns();
    let mut next = 0;
    while next < columns {
        let count = if in_place { 1 } else { (workers.len() as u32).min(columns - next) };
        if in_place {
            let Some(worker) = workers.first_mut() else { return Ok(()) };
            let tile = band.tile::<P>(next);
            worker.get_mut().draw_tile(
                pass,
                &mut Currents::default(),
                &mut band.bytes,
                tile,
                &mut |_| (),
            );
        } else {
            let (workers, band) = (&*workers, &*band);
            threads.parallel(count as usize, &|_, task| {
                // The task's number selects the worker's memory, so that tiles are shown in order.
                let Some(worker) = workers.get(task) else { return };
                let mut none = [const { None }; ATTACHMENTS];
                let tile = band.tile::<P>(next + task as u32);
                worker.lock().draw_tile(
                    pass,
                    &mut Currents::default(),
                    &mut none,
                    tile,
                    &mut |_| (),
                );
            });
        }
        for (worker, column) in workers.iter_mut().zip(next..next + count) {
            let area = tile_area::<P>(pass.framebuffer, band.tile::<P>(column));
            let size = (area.width, area.height);
            let Display { index, attachment, .. } = *display;
            let own = match band.bytes.get_mut(index) {
                Some(Some(bytes)) if !attachment.is_streamed() => &mut **bytes,
                _ => worker.get_mut().tile(index),
            };
            let mut targets = TileTargets::none();
            if let Some(target) = targets.color.get_mut(index) {
                *target = tile_target::<P>(attachment, Some(own), column, size, 1);
            }
            let _watch = pass.inputs.timer.start(Phase::Presenting);
            display.show(&mut targets, area)?;
        }
        next += count;
    }
    Ok(())
}

impl Display<'_> {
    /// Hands the tile of the shown attachment to the panel.
    fn show(&mut self, targets: &mut TileTargets<'_>, area: Area) -> Result<(), PanelError> {
        let Some(Some(target)) = targets.color.get_mut(self.index) else { return Ok(()) };
        let rows = target.height.saturating_sub(1) as usize * target.stride;
        let end = rows + target.width as usize * self.attachment.pixel;
        let Some(pixels) = target.bytes.get_mut(..end) else { return Ok(()) };
        let Area { x, y, width, height } = area;
        self.panel.overlay(area, target.format, pixels, target.stride);
        self.panel.tile(x, y, width, height, target.format, pixels, target.stride)
    }
}
