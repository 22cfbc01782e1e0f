//! Tile by tile: the second half of a frame.
//!
//! Surfaces with memory are split into bands, one row of tiles each; workers claim bands and draw
//! in place. Streamed surfaces have no memory: each tile is drawn in a worker's own buffer and
//! handed to the panel, then the buffer is used again.

use core::marker::PhantomData;
use core::ops::Range;
use os_shim::Vec;

use os_shim::memory::{Memory, OutOfMemory};
use os_shim::pool::{Pool, RawHandle};
use os_shim::sync::Mutex;
use os_shim::threads::Threads;

use formats::Format;
use pipe_core::{Area, PanelError, PipeError, TilePanel};
use tgsi::exec::{Lanes, REGISTER_FILE_PADDING, register_file};

use super::{Kind, Primitive, Scene};
use crate::clear::{self, TileClear};
use crate::features::WORKERS;
use crate::fragment::{Current, Fragments, Pass, Quads, Registers};
use crate::lanes::{Target, TileTargets};
use crate::profile::Profile;
use crate::resource::{Levels, Resource, Sampler};
use crate::setup::Plane;
use crate::shader::Shader;

/// Colour buffers and, last, the depth buffer.
pub(crate) const ATTACHMENTS: usize = 9;
const DEPTH: usize = 8;

/// A surface that is drawn to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Attachment {
    pub(crate) resource: RawHandle,
    pub(crate) level: u32,
    /// Where the layer starts in the level's bytes, and its size. Streamed: 0, 0.
    pub(crate) offset: usize,
    pub(crate) bytes: usize,
    pub(crate) stride: usize,
    pub(crate) format: Format,
    /// Bytes of a pixel.
    pub(crate) pixel: usize,
    /// No memory behind it.
    pub(crate) streamed: bool,
}

/// What a scene is drawn to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Framebuffer {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Colour buffers, and depth at the end.
    pub(crate) attachments: [Option<Attachment>; ATTACHMENTS],
}

impl Framebuffer {
    pub(crate) fn color(&self) -> &[Option<Attachment>] {
        &self.attachments[..DEPTH]
    }

    pub(crate) fn depth(&self) -> Option<&Attachment> {
        self.attachments[DEPTH].as_ref()
    }

    /// Whether tiles must go to a panel.
    pub(crate) fn is_streamed(&self) -> bool {
        self.color().iter().flatten().any(|attachment| attachment.streamed)
    }

    /// Which attachment a panel is shown.
    fn shown(&self) -> Option<usize> {
        self.color().iter().position(Option::is_some)
    }

    /// Whether it draws to the resource.
    pub(crate) fn uses(&self, resource: RawHandle) -> bool {
        self.attachments.iter().flatten().any(|attachment| attachment.resource == resource)
    }
}

/// What one worker needs: rows, planes, and tiles of surfaces without memory.
#[derive(Debug)]
pub(crate) struct Worker<'m, P: Profile> {
    /// The words of the register file, before it is aligned.
    rows: Vec<'m, u32>,
    planes: Vec<'m, Plane>,
    /// One, once there is room for a scene.
    quads: Vec<'m, Quads<P::Row>>,
    prepared: Option<u32>,
    /// In words, to begin at one.
    tiles: [Vec<'m, u32>; ATTACHMENTS],
    samples_passed: u64,
    /// Something could not be drawn.
    refused: bool,
    profile: PhantomData<P>,
}

impl<'m, P: Profile> Worker<'m, P> {
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        Worker {
            rows: Vec::new_in(memory),
            planes: Vec::new_in(memory),
            quads: Vec::new_in(memory),
            prepared: None,
            tiles: core::array::from_fn(|_| Vec::new_in(memory)),
            samples_passed: 0,
            refused: false,
            profile: PhantomData,
        }
    }

    /// Makes room for a scene; the panel has memory of its own for attachment `lent`.
    #[inline(never)]
    pub(crate) fn reserve(
        &mut self,
        rows: usize,
        planes: usize,
        framebuffer: &Framebuffer,
        lent: Option<usize>,
    ) -> Result<(), OutOfMemory> {
        let words = rows * P::Row::COUNT + REGISTER_FILE_PADDING;
        if self.rows.len() < words {
            self.rows.try_resize(words, 0)?;
        }
        if self.planes.len() < planes {
            self.planes.try_resize(planes, Plane::default())?;
        }
        if self.quads.is_empty() {
            self.quads.try_reserve_exact(1)?;
            self.quads.try_push(Quads::none())?;
        }
        let attachments = framebuffer.attachments.iter().enumerate();
        for (tile, (index, attachment)) in self.tiles.iter_mut().zip(attachments) {
            if let Some(attachment) = attachment
                && attachment.streamed
                && lent != Some(index)
            {
                let words = ((P::TILE * P::TILE) as usize * attachment.pixel).div_ceil(4);
                if tile.len() < words {
                    tile.try_resize(words, 0)?;
                }
            }
        }
        self.prepared = None;
        Ok(())
    }

    /// Whether something could not be drawn since this was asked last.
    pub(crate) fn has_refused(&mut self) -> bool {
        core::mem::take(&mut self.refused)
    }

    /// Gives its memory back, until the next scene.
    pub(crate) fn release(&mut self) {
        let memory = self.rows.memory();
        *self = Worker { samples_passed: self.samples_passed, ..Worker::new_in(memory) };
    }
}

/// What a worker shades with.
struct Shading<'w, R: Lanes> {
    rows: &'w mut [u32],
    planes: &'w mut [Plane],
    quads: &'w mut [Quads<R>],
    prepared: &'w mut Option<u32>,
    samples_passed: &'w mut u64,
    refused: &'w mut bool,
}

impl<R: Lanes> Shading<'_, R> {
    /// Draws one tile into `targets`.
    #[inline(never)]
    fn draw<'a, 'm, P: Profile<Row = R>>(
        self,
        pass: &'a Pass<'a, 'm, P>,
        current: &mut Option<Current<'a>>,
        targets: &mut TileTargets<'_>,
        column: u32,
        row: u32,
    ) {
        let scene = pass.scene;
        if let Some(cleared) = pass.cleared {
            cleared.fill(targets);
        }
        let Some(quads) = self.quads.first_mut().filter(|_| !scene.bins.is_empty(column, row))
        else {
            return;
        };
        let registers = Registers {
            rows: register_file(self.rows),
            planes: self.planes,
            prepared: self.prepared,
        };
        let (x, y) = ((column * P::TILE) as i32, (row * P::TILE) as i32);
        let mut fragments = Fragments::new(pass, targets, registers, quads, current, x, y);
        for entry in scene.bins.entries(column, row, &scene.arena) {
            let varyings = |draw| scene.varying_count(draw);
            let primitive = Primitive::load::<P::Id>(&scene.arena, entry, varyings);
            let Some(primitive) = primitive else { continue };
            if primitive.kind == Kind::Clear {
                let targets = fragments.targets();
                if let Some(clear) = scene.clears.get(primitive.vertices[0] as usize) {
                    clear::tile(clear, targets);
                }
            } else {
                fragments.primitive(&primitive);
            }
        }
        fragments.finish();
        *self.samples_passed += fragments.samples_passed;
        *self.refused |= fragments.refused;
    }
}

/// Rows of tiles that nobody has claimed yet.
struct Bands<'t> {
    /// What is left of each attachment.
    rest: [Option<&'t mut [u8]>; ATTACHMENTS],
    next: u32,
}

impl<'t> Bands<'t> {
    /// Splits off the next band: its row and its bytes.
    fn claim(
        &mut self,
        framebuffer: &Framebuffer,
        tile: u32,
    ) -> Option<(u32, [Option<&'t mut [u8]>; ATTACHMENTS])> {
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
        Some((row, band))
    }
}

/// Finds the bytes of the attachments in the levels taken out of their resources.
#[inline(never)]
fn attach<'t>(
    framebuffer: &Framebuffer,
    taken: &'t mut [Taken<'_>],
) -> [Option<&'t mut [u8]>; ATTACHMENTS] {
    let mut found = [const { None }; ATTACHMENTS];
    for level in taken {
        // Several layers of one level may be attached: split in the order they lie.
        let mut order: heapless::Vec<(usize, usize, usize), ATTACHMENTS> = heapless::Vec::new();
        for (index, attachment) in framebuffer.attachments.iter().enumerate() {
            if let Some(attachment) = attachment
                && (attachment.resource, attachment.level) == (level.resource, level.level)
                && !attachment.streamed
            {
                let entry = (attachment.offset, attachment.bytes, index);
                let at = order.iter().position(|other| *other > entry).unwrap_or(order.len());
                let _ = order.insert(at, entry);
            }
        }
        let mut rest: &mut [u8] = &mut level.bytes;
        let mut base = 0;
        for &(offset, bytes, index) in &order {
            // A layer attached twice is drawn to once.
            let Some(skip) = offset.checked_sub(base) else { continue };
            if skip + bytes > rest.len() {
                continue;
            }
            let (layer, tail) = rest.split_at_mut(skip).1.split_at_mut(bytes);
            found[index] = Some(layer);
            (rest, base) = (tail, offset + bytes);
        }
    }
    found
}

/// A level taken out of its resource while it is drawn to, so that others can be sampled.
#[derive(Debug)]
struct Taken<'m> {
    resource: RawHandle,
    level: u32,
    bytes: Vec<'m, u8>,
}

/// The memory of a framebuffer's surfaces, out of the pool of resources.
#[derive(Debug)]
pub(crate) struct Targets<'m> {
    taken: heapless::Vec<Taken<'m>, ATTACHMENTS>,
}

impl<'m> Targets<'m> {
    /// Takes the levels that are drawn to; until they are put back they read as empty.
    pub(crate) fn take(
        framebuffer: &Framebuffer,
        resources: &mut Pool<'m, Resource<'m>>,
    ) -> Targets<'m> {
        let mut taken: heapless::Vec<Taken<'m>, ATTACHMENTS> = heapless::Vec::new();
        for attachment in framebuffer.attachments.iter().flatten() {
            let (resource, level) = (attachment.resource, attachment.level);
            if attachment.streamed
                || taken.iter().any(|taken| (taken.resource, taken.level) == (resource, level))
            {
                continue;
            }
            if let Some(bytes) = resources.get_mut(resource).and_then(|r| r.take_level(level)) {
                let _ = taken.push(Taken { resource, level, bytes });
            }
        }
        Targets { taken }
    }

    /// Puts them back.
    pub(crate) fn put_back(self, resources: &mut Pool<'m, Resource<'m>>) {
        for level in self.taken {
            if let Some(resource) = resources.get_mut(level.resource) {
                resource.put_level(level.level, level.bytes);
            }
        }
    }
}

/// The target a tile draws to within a band, or in a worker's own buffer.
fn tile_target<'t, P: Profile>(
    attachment: &Attachment,
    bytes: Option<&'t mut [u8]>,
    column: u32,
    (width, height): (u32, u32),
) -> Option<Target<'t>> {
    let bytes = bytes?;
    let pixel = attachment.pixel;
    let (bytes, stride) = if attachment.streamed {
        (bytes, width as usize * pixel)
    } else {
        let start = (column * P::TILE) as usize * pixel;
        (bytes.get_mut(start..)?, attachment.stride)
    };
    Some(Target { bytes, stride, format: attachment.format, width, height })
}

/// Draws a scene and puts the finished tiles where they belong.
///
/// Returns the samples that passed in draws that count them.
#[expect(clippy::too_many_arguments, reason = "everything a frame is made of")]
pub(crate) fn rasterize<'m, P: Profile>(
    scene: &Scene<'m, P>,
    framebuffer: &Framebuffer,
    shaders: &Pool<'m, Shader<'m>>,
    resources: &Pool<'m, Resource<'m>>,
    targets: &mut Targets<'m>,
    workers: &mut [Mutex<Worker<'m, P>>],
    threads: &dyn Threads,
    mut panel: Option<(&mut dyn TilePanel, Range<u32>)>,
) -> Result<u64, PipeError> {
    let rows = scene
        .draws
        .iter()
        .filter_map(|draw| shaders.get(draw.shader?))
        .map(|shader| shader.program().rows as usize)
        .max()
        .unwrap_or(0);
    let planes = scene.draws.iter().map(|draw| draw.varyings.1 as usize).max().unwrap_or(0);
    let mut lent = None;
    if let ([_], Some((panel, _))) = (&*workers, &mut panel)
        && panel.lend(0)?.is_some()
    {
        lent = framebuffer.shown();
    }
    for worker in workers.iter_mut() {
        let worker = worker.get_mut();
        worker.reserve(rows, planes, framebuffer, lent)?;
        worker.samples_passed = 0;
    }

    // What is needed of memory is allocated before anything is moved.
    let memory = scene.textures.memory();
    let units = scene.textures.len();
    let mut levels = Levels::with_room_for(&scene.textures, memory)?;
    let mut samplers: Vec<'m, Sampler<'_>> = Vec::try_with_capacity_in(units, memory)?;
    levels.find(&scene.textures, resources);
    levels.samplers(&scene.textures, &mut samplers);

    let formats = framebuffer
        .attachments
        .each_ref()
        .map(|attachment| attachment.as_ref().map_or(Format::None, |attachment| attachment.format));
    let cleared;
    let mut pass = Pass { scene, framebuffer, shaders, samplers: &samplers, cleared: None };
    if let Some(initial) = &scene.initial {
        cleared = TileClear::new(initial, &formats);
        pass.cleared = Some(&cleared);
    }
    let mut bands = Bands { rest: attach(framebuffer, &mut targets.taken), next: 0 };
    let result = match panel {
        Some((panel, rows)) => stream(&pass, &mut bands, workers, threads, panel, rows),
        None => {
            if let ([worker], false) = (&mut *workers, WORKERS) {
                while let Some((row, band)) = bands.claim(framebuffer, P::TILE) {
                    draw_band(&pass, worker.get_mut(), row, band);
                }
            } else if WORKERS {
                let bands = Mutex::new(bands);
                let workers = &*workers;
                threads.parallel(workers.len().min(threads.count().max(1)), &|worker, _| {
                    let Some(worker) = workers.get(worker) else { return };
                    let mut worker = worker.lock();
                    loop {
                        let claimed = bands.lock().claim(framebuffer, P::TILE);
                        let Some((row, band)) = claimed else { return };
                        draw_band(&pass, &mut worker, row, band);
                    }
                });
            }
            Ok(())
        }
    };
    result?;
    Ok(workers.iter_mut().map(|worker| worker.get_mut().samples_passed).sum())
}

/// Where a tile is, and its size, less at the right and lower edge.
fn tile_area<P: Profile>(framebuffer: &Framebuffer, column: u32, row: u32) -> Area {
    let (x, y) = (column * P::TILE, row * P::TILE);
    let (width, height) = (P::TILE.min(framebuffer.width - x), P::TILE.min(framebuffer.height - y));
    Area { x, y, width, height }
}

/// Draws one tile of a band, in place or in the worker's own tile; then `done` sees it.
#[inline(never)]
fn draw_tile<'a, 'm, P: Profile>(
    pass: &'a Pass<'a, 'm, P>,
    worker: &mut Worker<'m, P>,
    current: &mut Option<Current<'a>>,
    band: &mut [Option<&mut [u8]>; ATTACHMENTS],
    (column, row): (u32, u32),
    done: &mut dyn FnMut(&mut TileTargets<'_>),
) {
    let area = tile_area::<P>(pass.framebuffer, column, row);
    let size = (area.width, area.height);
    let is_empty = pass.scene.bins.is_empty(column, row);
    let Worker { rows, planes, quads, prepared, tiles, samples_passed, refused, .. } = worker;
    let mut targets = TileTargets::none();
    let attachments = pass.framebuffer.attachments.iter().enumerate();
    for ((bytes, own), (index, attachment)) in band.iter_mut().zip(tiles).zip(attachments) {
        let Some(attachment) = attachment else { continue };
        let bytes = if attachment.streamed {
            if is_empty && index == DEPTH {
                // Nobody ever sees it.
                continue;
            }
            // Lent by the panel, or the worker's own.
            let bytes = bytes.as_deref_mut().unwrap_or(bytemuck::cast_slice_mut(own));
            if pass.scene.initial.is_none() {
                // What the tile before left behind is nothing to start from.
                bytes.fill(0);
            }
            Some(bytes)
        } else {
            bytes.as_deref_mut()
        };
        let target = tile_target::<P>(attachment, bytes, column, size);
        match targets.color.get_mut(index) {
            Some(slot) => *slot = target,
            None => targets.depth = target,
        }
    }
    let shading = Shading { rows, planes, quads, prepared, samples_passed, refused };
    shading.draw(pass, current, &mut targets, column, row);
    done(&mut targets);
}

/// Draws the tiles of one band that have anything to draw.
fn draw_band<'a, 'm, P: Profile>(
    pass: &'a Pass<'a, 'm, P>,
    worker: &mut Worker<'m, P>,
    row: u32,
    mut band: [Option<&mut [u8]>; ATTACHMENTS],
) {
    let mut current = None;
    for column in 0..pass.scene.bins.columns() {
        if pass.scene.initial.is_some() || !pass.scene.bins.is_empty(column, row) {
            draw_tile(pass, worker, &mut current, &mut band, (column, row), &mut |_| ());
        }
    }
}

/// Draws all tiles of some rows and hands them to the panel, in order.
///
/// With one worker a tile is drawn in the memory that the panel lends, if it does. With more, as
/// many tiles as there are workers are drawn at a time, each in its worker's memory, and then shown
/// by the caller's thread: the panel need not know of other cores.
fn stream<'a, 'm, P: Profile>(
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
                for column in 0..pass.scene.bins.columns() {
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
        draw_tile(pass, worker, current, &mut with_lent, (column, row), &mut |_| ());
        panel.send(area, attachment.format)?;
        return Ok(());
    }
    let mut result = Ok(());
    draw_tile(pass, worker, current, band, (column, row), &mut |targets| {
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
    let columns = pass.scene.bins.columns();
    let mut next = 0;
    while next < columns {
        let count = if in_place { 1 } else { (workers.len() as u32).min(columns - next) };
        if in_place {
            let Some(worker) = workers.first_mut() else { return Ok(()) };
            draw_tile(pass, worker.get_mut(), &mut None, band, (next, row), &mut |_| ());
        } else {
            let workers = &*workers;
            threads.parallel(count as usize, &|_, task| {
                // The task's number picks the memory, so that tiles are shown in order.
                let Some(worker) = workers.get(task) else { return };
                let mut none = [const { None }; ATTACHMENTS];
                let column = next + task as u32;
                let mut worker = worker.lock();
                draw_tile(pass, &mut worker, &mut None, &mut none, (column, row), &mut |_| ());
            });
        }
        for (worker, column) in workers.iter_mut().zip(next..next + count) {
            let area = tile_area::<P>(pass.framebuffer, column, row);
            let size = (area.width, area.height);
            let Some(attachment) = &pass.framebuffer.attachments[shown] else { return Ok(()) };
            let own = match &mut band[shown] {
                Some(bytes) if !attachment.streamed => &mut **bytes,
                _ => bytemuck::cast_slice_mut(&mut worker.get_mut().tiles[shown]),
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
