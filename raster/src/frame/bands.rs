//! Bands: the rows of tiles of surfaces with memory, which workers claim and draw in place.

use os_shim::sync::Mutex;
use os_shim::threads::Threads;

use super::framebuffer::{ATTACHMENTS, Framebuffer};
use super::{Pass, Worker};
use crate::features::WORKERS;
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
}

/// Rows of tiles that nobody has claimed yet.
pub(super) struct Bands<'t> {
    /// The rows of each attachment that are not claimed.
    pub(super) rest: [Option<&'t mut [u8]>; ATTACHMENTS],
    pub(super) next: u32,
}

impl<'t> Bands<'t> {
    /// Splits off the next band.
    pub(super) fn claim(&mut self, framebuffer: &Framebuffer, tile: u32) -> Option<Band<'t>> {
        let row = self.next;
        if row * tile >= framebuffer.height {
            return None;
        }
        self.next += 1;
        let mut band = [const { None }; ATTACHMENTS];
        for ((rest, band), attachment) in
            self.rest.iter_mut().zip(&mut band).zip(&framebuffer.attachments)
        {
            if let (Some(bytes), Some(attachment)) = (rest.take(), attachment) {
                let (head, tail) =
                    bytes.split_at_mut((attachment.stride * tile as usize).min(bytes.len()));
                (*band, *rest) = (Some(head), Some(tail));
            }
        }
        Some(Band { layer: TileAddress::LAYER, row, bytes: band })
    }
}

/// Draws all bands: one after another, or as many at a time as there are workers.
pub(super) fn draw_all<'a, 'm, P: Profile>(
    pass: &'a Pass<'a, 'm, P>,
    mut bands: Bands<'_>,
    workers: &mut [Mutex<Worker<'m, P>>],
    threads: &dyn Threads,
) {
    let framebuffer = pass.framebuffer;
    if let ([worker], false) = (&mut *workers, WORKERS) {
        while let Some(band) = bands.claim(framebuffer, P::TILE) {
            draw_band(pass, worker.get_mut(), band);
        }
    } else if WORKERS {
        let bands = Mutex::new(bands);
        let workers = &*workers;
        threads.parallel(workers.len().min(threads.count().max(1)), &|worker, _| {
            let Some(worker) = workers.get(worker) else { return };
            let mut worker = worker.lock();
            loop {
                let claimed = bands.lock().claim(framebuffer, P::TILE);
                let Some(band) = claimed else { return };
                draw_band(pass, &mut worker, band);
            }
        });
    }
}

/// Draws the tiles of one band, but those without a clear or an entry.
fn draw_band<'a, 'm, P: Profile>(
    pass: &'a Pass<'a, 'm, P>,
    worker: &mut Worker<'m, P>,
    mut band: Band<'_>,
) {
    let mut current = None;
    let scene = pass.inputs.scene;
    for column in 0..scene.bins.columns() {
        let tile = band.tile(column);
        if pass.inputs.work.is_stopped() {
            return;
        }
        if scene.initial.is_some() || !scene.bins.is_empty(tile) {
            worker.draw_tile(pass, &mut current, &mut band.bytes, tile, &mut |_| ());
        }
    }
}
