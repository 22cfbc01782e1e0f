//! Bands: rows of tiles of surfaces with memory. Workers claim bands and draw them in place.

use os_shim::sync::Mutex;
use os_shim::threads::Threads;

use super::clear::TileClear;
use super::framebuffer::{ATTACHMENTS, Framebuffer};
use super::worker::{TileRows, tile_area, tile_target};
use super::{Pass, Worker};
use crate::debug::Phase;
use crate::features::{Only, SMALL_CODE, STAGES, WORKERS};
use crate::fixed::BLOCK;
use crate::fragment::Currents;
use crate::lanes::TileTargets;
use crate::profile::Profile;
use crate::scene::TileAddress;

/// A row of tiles, or some of its rows of pixels, and the bytes of each attachment that it covers.
pub(super) struct Band<'t> {
    pub(super) layer: u32,
    /// The first row of pixels.
    pub(super) top: u32,
    /// The rows of pixels; those of a tile without workers.
    height: Only<u32, { WORKERS as usize }>,
    pub(super) bytes: [Option<&'t mut [u8]>; ATTACHMENTS],
}

impl Band<'_> {
    /// Returns the part of a tile that lies in the band.
    pub(super) fn tile<P: Profile>(&self, column: u32) -> TileRows {
        let (row, first) = (self.top / P::TILE_HEIGHT, self.top % P::TILE_HEIGHT);
        let rows = Only::with(|| [first, self.height.get().copied().unwrap_or(P::TILE_HEIGHT)]);
        TileRows { address: TileAddress { layer: self.layer, column, row }, rows }
    }

    /// Returns the targets with memory for `count` tiles from `first` on.
    fn targets<P: Profile>(
        &mut self,
        framebuffer: &Framebuffer,
        first: TileRows,
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
            let target = tile_target::<P>(attachment, bytes, first.address.column, size, samples);
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
    /// The first unclaimed row of pixels of the layer.
    top: u32,
}

impl<'t> Bands<'t> {
    /// Begins with the first layer of each attachment's bytes.
    pub(super) fn new(attachments: [Option<&'t mut [u8]>; ATTACHMENTS]) -> Self {
        Bands { rest: attachments, layer: 0, top: 0 }
    }

    /// Splits off the next band, of `height` rows of pixels: those of a tile, or a part of them that
    /// divides a tile.
    pub(super) fn claim(&mut self, framebuffer: &Framebuffer, height: u32) -> Option<Band<'t>> {
        if STAGES && self.top >= framebuffer.height && self.top > 0 {
            self.skip_rows(framebuffer);
            (self.layer, self.top) = (self.layer + 1, 0);
        }
        let (layer, top) = (self.layer, self.top);
        if top >= framebuffer.height || layer >= framebuffer.layers() {
            return None;
        }
        self.top += height;
        let mut band = [const { None }; ATTACHMENTS];
        for ((rest, band), attachment) in
            self.rest.iter_mut().zip(&mut band).zip(&framebuffer.attachments)
        {
            if let (Some(bytes), Some(attachment)) = (rest.take(), attachment) {
                let mut count = (attachment.stride * height as usize).min(bytes.len());
                if STAGES {
                    // The next layer's rows follow the last row of this layer.
                    let above = attachment.stride * top as usize;
                    count = count.min(attachment.layer_stride.saturating_sub(above));
                }
                let (head, tail) = bytes.split_at_mut(count);
                (*band, *rest) = (Some(head), Some(tail));
            }
        }
        Some(Band { layer, top, height: Only::new(height), bytes: band })
    }

    /// Skips the bytes below the framebuffer's last row of tiles, up to the next layer.
    fn skip_rows(&mut self, framebuffer: &Framebuffer) {
        for (rest, attachment) in self.rest.iter_mut().zip(&framebuffer.attachments) {
            let (Some(bytes), Some(attachment)) = (rest.take(), attachment) else { continue };
            // The last layer's band ends at the end of the attachment.
            let claimed = attachment.stride * self.top as usize;
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
        let tasks = workers.len().min(threads.count().max(1));
        let height = band_height::<P>(framebuffer, tasks as u32);
        threads.parallel(tasks, &|worker, _| {
            let Some(worker) = workers.get(worker) else { return };
            let mut worker = worker.lock();
            loop {
                let claimed = bands.lock().claim(framebuffer, height);
                let Some(band) = claimed else { return };
                draw_band(pass, cleared, &mut worker, band);
            }
        });
    }
}

/// The bands that each worker should find, so that no worker waits long for the last one.
const BANDS_PER_WORKER: u32 = 3;

/// Returns the rows of pixels of a band. With many workers and few rows of tiles, bands are a half
/// or a quarter of a tile high. A primitive is set up once per band that it touches, so bands are
/// no lower than needed.
fn band_height<P: Profile>(framebuffer: &Framebuffer, workers: u32) -> u32 {
    let wanted = workers.saturating_mul(BANDS_PER_WORKER);
    let bands = |height: u32| framebuffer.height.div_ceil(height) * framebuffer.layers().max(1);
    let mut height = P::TILE_HEIGHT;
    while workers > 1 && height > BLOCK && height > P::TILE_HEIGHT / 4 && bands(height) < wanted {
        height /= 2;
    }
    height
}

/// Draws the tiles of one band over the clear `cleared`. Skips tiles without a clear or an entry.
fn draw_band<'a, 'm, P: Profile>(
    pass: &'a Pass<'a, 'm, P>,
    cleared: Option<&TileClear>,
    worker: &mut Worker<'m, P>,
    mut band: Band<'_>,
) {
    let _watch = pass.inputs.timer.named("band", Phase::Waiting);
    let mut current = Currents::default();
    let scene = pass.inputs.scene;
    let run = tiles_cleared_ahead::<P>(pass.framebuffer);
    for column in 0..scene.bins.columns() {
        let tile = band.tile::<P>(column);
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
        if pass.cleared.is_some() || !scene.bins.is_empty(tile.address) {
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
