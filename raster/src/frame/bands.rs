//! Bands: rows of tiles of surfaces with memory. Workers claim bands and draw them in place.

use os_shim::sync::Mutex;
use os_shim::threads::Threads;

use super::clear::TileClear;
use super::framebuffer::{ATTACHMENTS, Framebuffer};
use super::worker::{tile_area, tile_target};
use super::{Pass, Worker};
use crate::debug::Phase;
use crate::features::{SMALL_CODE, STAGES, WORKERS};
use crate::lanes::TileTargets;
use crate::profile::Profile;
use crate::scene::TileAddress;

/// A row of tiles, and the bytes of each attachment that it covers.
pub(super) struct Band<'t> {
    pub(super) layer: u32,
    pub(super) row: u32,
    pub(super) bytes: [Option<&'t mut [u8]>; ATTACHMENTS],
}

impl Band<'_> {
    /// Returns the address of a tile of the band.
    pub(super) fn tile(&self, column: u32) -> TileAddress {
        TileAddress { layer: self.layer, column, row: self.row }
    }

    /// Returns the targets with memory for `count` tiles from `first` on.
    fn targets<P: Profile>(
        &mut self,
        framebuffer: &Framebuffer,
        first: TileAddress,
        count: u32,
    ) -> TileTargets<'_> {
        let area = tile_area::<P>(framebuffer, first);
        let width = (count.saturating_mul(P::TILE_WIDTH)).min(framebuffer.width - area.x);
        let samples = framebuffer.samples();
        let mut targets = TileTargets::none();
        for (index, (bytes, attachment)) in
            self.bytes.iter_mut().zip(&framebuffer.attachments).enumerate()
        {
            let Some(attachment) = attachment.as_ref().filter(|it| !it.is_streamed()) else {
                continue;
            };
            let (bytes, size) = (bytes.as_deref_mut(), (width, area.height));
            let target = tile_target::<P>(attachment, bytes, first.column, size, samples);
            match targets.color.get_mut(index) {
                Some(slot) => *slot = target,
                None => targets.depth = target,
            }
        }
        targets
    }
}

/// The bands that no worker has claimed yet.
pub(super) struct Bands<'t> {
    /// The unclaimed rows of each attachment: this layer's and all later layers'.
    rest: [Option<&'t mut [u8]>; ATTACHMENTS],
    layer: u32,
    row: u32,
}

impl<'t> Bands<'t> {
    /// Begins with the first layer of each attachment's bytes.
    pub(super) fn new(attachments: [Option<&'t mut [u8]>; ATTACHMENTS]) -> Self {
        Bands { rest: attachments, layer: 0, row: 0 }
    }

    /// Splits off the next band.
    pub(super) fn claim(&mut self, framebuffer: &Framebuffer, tile: u32) -> Option<Band<'t>> {
        if STAGES && self.row * tile >= framebuffer.height && self.row > 0 {
            self.skip_rows(framebuffer, tile);
            (self.layer, self.row) = (self.layer + 1, 0);
        }
        let (layer, row) = (self.layer, self.row);
        if row * tile >= framebuffer.height || layer >= framebuffer.layers() {
            return None;
        }
        self.row += 1;
        let mut band = [const { None }; ATTACHMENTS];
        for ((rest, band), attachment) in
            self.rest.iter_mut().zip(&mut band).zip(&framebuffer.attachments)
        {
            if let (Some(bytes), Some(attachment)) = (rest.take(), attachment) {
                let mut count = (attachment.stride * tile as usize).min(bytes.len());
                if STAGES {
                    // The next layer's rows follow the last row of this layer.
                    let above = attachment.stride * (row * tile) as usize;
                    count = count.min(attachment.layer_stride.saturating_sub(above));
                }
                let (head, tail) = bytes.split_at_mut(count);
                (*band, *rest) = (Some(head), Some(tail));
            }
        }
        Some(Band { layer, row, bytes: band })
    }

    /// Skips the bytes below the framebuffer's last row of tiles, up to the next layer.
    fn skip_rows(&mut self, framebuffer: &Framebuffer, tile: u32) {
        for (rest, attachment) in self.rest.iter_mut().zip(&framebuffer.attachments) {
            let (Some(bytes), Some(attachment)) = (rest.take(), attachment) else { continue };
            // The last layer's band ends at the end of the attachment.
            let claimed = attachment.stride * (self.row * tile) as usize;
            let skipped = attachment.layer_stride.saturating_sub(claimed).min(bytes.len());
            *rest = bytes.get_mut(skipped..);
        }
    }
}

/// Bytes that are cleared ahead of drawing: about half of a core's second-level cache.
const CLEARED_AHEAD: usize = 512 << 10;

/// Draws all bands over the clear `cleared`: one after another, or as many at a time as there are
/// workers.
pub(super) fn draw_all<'a, 'm, P: Profile>(
    pass: &'a Pass<'a, 'm, P>,
    cleared: Option<&TileClear>,
    mut bands: Bands<'_>,
    workers: &mut [Mutex<Worker<'m, P>>],
    threads: &dyn Threads,
) {
    let framebuffer = pass.framebuffer;
    if let ([worker], false) = (&mut *workers, WORKERS) {
        while let Some(band) = bands.claim(framebuffer, P::TILE_HEIGHT) {
            draw_band(pass, cleared, worker.get_mut(), band);
        }
    } else if WORKERS {
        let bands = Mutex::new(bands);
        let workers = &*workers;
        threads.parallel(workers.len().min(threads.count().max(1)), &|worker, _| {
            let Some(worker) = workers.get(worker) else { return };
            let mut worker = worker.lock();
            loop {
                let claimed = bands.lock().claim(framebuffer, P::TILE_HEIGHT);
                let Some(band) = claimed else { return };
                draw_band(pass, cleared, &mut worker, band);
            }
        });
    }
}

/// Draws the tiles of one band over the clear `cleared`. Skips tiles without a clear or an entry.
fn draw_band<'a, 'm, P: Profile>(
    pass: &'a Pass<'a, 'm, P>,
    cleared: Option<&TileClear>,
    worker: &mut Worker<'m, P>,
    mut band: Band<'_>,
) {
    let mut current = None;
    let scene = pass.inputs.scene;
    let run = tiles_cleared_ahead::<P>(pass.framebuffer);
    for column in 0..scene.bins.columns() {
        let tile = band.tile(column);
        if pass.inputs.work.is_stopped() {
            return;
        }
        if !SMALL_CODE
            && column % run == 0
            && let Some(cleared) = cleared
        {
            let _watch = pass.inputs.timer.start(Phase::Clearing);
            let targets = &mut band.targets::<P>(pass.framebuffer, tile, run);
            cleared.fill(targets, pass.framebuffer.samples());
        }
        if pass.cleared.is_some() || !scene.bins.is_empty(tile) {
            worker.draw_tile(pass, &mut current, &mut band.bytes, tile, &mut |_| ());
        }
    }
}

/// Returns the number of tiles of a band to clear at once, before the first of them is drawn.
///
/// Clearing long rows is several times as fast as clearing the rows of one tile, where each row
/// lies in another page.
fn tiles_cleared_ahead<P: Profile>(framebuffer: &Framebuffer) -> u32 {
    let attachments = framebuffer.attachments.iter().flatten();
    let pixel: usize = attachments.map(|attachment| attachment.pixel).sum();
    let tile = (P::TILE_PIXELS * framebuffer.samples()) as usize * pixel;
    (CLEARED_AHEAD / tile.max(1)).max(1) as u32
}
