//! Presenting: tiles of a streamed surface, drawn in a worker's or the panel's own memory and handed
//! to the panel in order.

use core::ops::Range;

use os_shim::sync::Mutex;
use os_shim::threads::Threads;
use pipe_core::{Area, PanelError, PipeError, TilePanel};

use super::bands::Bands;
use super::framebuffer::ATTACHMENTS;
use super::worker::{tile_area, tile_target};
use super::{Pass, Worker};
use crate::features::WORKERS;
use crate::fragment::Current;
use crate::lanes::TileTargets;
use crate::profile::Profile;

/// Draws all tiles of some rows and hands them to the panel, in order.
///
/// With one worker a tile is drawn in the memory that the panel lends, if it does. With more, as
/// many tiles as there are workers are drawn at a time, each in its worker's memory, and then shown
/// by the caller's thread: the panel need not know of other cores.
pub(super) fn stream<'a, 'm, P: Profile>(
    pass: &'a Pass<'a, 'm, P>,
    bands: &mut Bands<'_>,
    workers: &mut [Mutex<Worker<'m, P>>],
    threads: &dyn Threads,
    panel: &mut dyn TilePanel,
    rows: Range<u32>,
) -> Result<(), PipeError> {
    let Some(shown) = pass.framebuffer.shown() else { return Ok(()) };
    let mut current = None;
    if rows.start == 0 {
        panel.begin(pass.framebuffer.width, pass.framebuffer.height)?;
    }
    while let Some((row, mut band)) = bands.claim(pass.framebuffer, P::TILE) {
        if !rows.contains(&(row * P::TILE)) {
            continue;
        }
        match &mut *workers {
            [] => {}
            [worker] => {
                let worker = worker.get_mut();
                for column in 0..pass.inputs.scene.bins.columns() {
                    show_one(pass, worker, &mut current, &mut band, (column, row), shown, panel)?;
                }
            }
            _ if !WORKERS => {}
            workers => {
                show_many(pass, workers, threads, &mut band, row, shown, panel)?;
            }
        }
    }
    if rows.end == pass.framebuffer.height {
        panel.finish()?;
    }
    Ok(())
}

/// Draws one tile, in the panel's memory or the worker's, and hands it to the panel.
fn show_one<'a, 'm, P: Profile>(
    pass: &'a Pass<'a, 'm, P>,
    worker: &mut Worker<'m, P>,
    current: &mut Option<Current<'a>>,
    band: &mut [Option<&mut [u8]>; ATTACHMENTS],
    (column, row): (u32, u32),
    shown: usize,
    panel: &mut dyn TilePanel,
) -> Result<(), PipeError> {
    let area = tile_area::<P>(pass.framebuffer, column, row);
    let Some(attachment) = &pass.framebuffer.attachments[shown] else { return Ok(()) };
    let bytes = (area.width * area.height) as usize * attachment.pixel;
    if let Some(lent) = panel.lend(bytes)? {
        // The other attachments stay as they are for the next tile.
        let mut with_lent = band.each_mut().map(|bytes| bytes.as_deref_mut());
        with_lent[shown] = Some(lent);
        worker.draw_tile(pass, current, &mut with_lent, (column, row), &mut |_| ());
        panel.send(area, attachment.format)?;
        return Ok(());
    }
    let mut result = Ok(());
    worker.draw_tile(pass, current, band, (column, row), &mut |targets| {
        result = show(targets, shown, attachment.pixel, panel, area);
    });
    Ok(result?)
}

/// Draws a row of tiles, as many at a time as there are workers.
#[inline(never)]
fn show_many<'a, 'm, P: Profile>(
    pass: &'a Pass<'a, 'm, P>,
    workers: &mut [Mutex<Worker<'m, P>>],
    threads: &dyn Threads,
    band: &mut [Option<&mut [u8]>; ATTACHMENTS],
    row: u32,
    shown: usize,
    panel: &mut dyn TilePanel,
) -> Result<(), PipeError> {
    // Attachments with memory of their own are drawn to in place, by one worker at a time.
    let in_place = band.iter().any(Option::is_some);
    let columns = pass.inputs.scene.bins.columns();
    let mut next = 0;
    while next < columns {
        let count = if in_place { 1 } else { (workers.len() as u32).min(columns - next) };
        if in_place {
            let Some(worker) = workers.first_mut() else { return Ok(()) };
            worker.get_mut().draw_tile(pass, &mut None, band, (next, row), &mut |_| ());
        } else {
            let workers = &*workers;
            threads.parallel(count as usize, &|_, task| {
                // The task's number picks the memory, so that tiles are shown in order.
                let Some(worker) = workers.get(task) else { return };
                let mut none = [const { None }; ATTACHMENTS];
                let column = next + task as u32;
                let mut worker = worker.lock();
                worker.draw_tile(pass, &mut None, &mut none, (column, row), &mut |_| ());
            });
        }
        for (worker, column) in workers.iter_mut().zip(next..next + count) {
            let area = tile_area::<P>(pass.framebuffer, column, row);
            let size = (area.width, area.height);
            let Some(attachment) = &pass.framebuffer.attachments[shown] else { return Ok(()) };
            let own = match &mut band[shown] {
                Some(bytes) if !attachment.streamed => &mut **bytes,
                _ => worker.get_mut().tile(shown),
            };
            let mut targets = TileTargets::none();
            targets.color[shown] = tile_target::<P>(attachment, Some(own), column, size);
            show(&mut targets, shown, attachment.pixel, panel, area)?;
        }
        next += count;
    }
    Ok(())
}

/// Hands the shown colour buffer's tile, of so many bytes a pixel, to the panel.
fn show(
    targets: &mut TileTargets<'_>,
    shown: usize,
    pixel: usize,
    panel: &mut dyn TilePanel,
    area: Area,
) -> Result<(), PanelError> {
    let Some(Some(target)) = targets.color.get_mut(shown) else { return Ok(()) };
    let rows = target.height.saturating_sub(1) as usize * target.stride;
    let end = rows + target.width as usize * pixel;
    let Some(pixels) = target.bytes.get_mut(..end) else { return Ok(()) };
    let Area { x, y, width, height } = area;
    panel.overlay(area, target.format, pixels, target.stride);
    panel.tile(x, y, width, height, target.format, pixels, target.stride)
}
