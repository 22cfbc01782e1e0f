//! A worker: the memory that one core uses to draw tiles, one at a time.

use core::alloc::Layout;
use core::marker::PhantomData;

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use pipe_core::Area;
use tgsi::exec::{Lanes, REGISTER_FILE_PADDING, register_file};

use super::Pass;
use super::clear::clear_in_tile;
use super::clear::clear_tile;
use super::framebuffer::{ATTACHMENTS, Attachment, DEPTH, Framebuffer};
use crate::debug::{Counter, Debug, Phase};
use crate::features::{ES2, Only, SAMPLES, SMALL_CODE, WORKERS};
use crate::fragment::{Currents, Fragments, PixelCounts, Quads, Registers};
use crate::lanes::{Target, TileTargets};
use crate::profile::Profile;
use crate::scene::{Arena, Kind, Primitive, TileAddress};
use crate::setup::Bounds;
use crate::setup::Plane;

/// The memory of one worker: lane rows, planes, and tiles of surfaces without memory.
#[derive(Debug)]
pub(crate) struct Worker<'m, P: Profile> {
    /// The words of the register file, before alignment.
    rows: Vec<'m, u32>,
    planes: Vec<'m, Plane>,
    /// The quads in progress, in an allocation of one element.
    quads: Vec<'m, Quads<P::Row>>,
    prepared: Option<u32>,
    /// One tile per attachment without memory, stored as words for alignment.
    tiles: [Vec<'m, u32>; ATTACHMENTS],
    pub(super) counts: PixelCounts,
    profile: PhantomData<P>,
}

/// Appends an empty state to a vector with reserved room. Kept out of line, so that the stack never
/// holds this state and a call of the allocator at the same time.
#[inline(never)]
fn push_none<R: Lanes>(quads: &mut Vec<'_, Quads<R>>) -> Result<(), OutOfMemory> {
    quads.try_push(Quads::none())
}

impl<'m, P: Profile> Worker<'m, P> {
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        Worker {
            rows: Vec::new_in(memory),
            planes: Vec::new_in(memory),
            quads: Vec::new_in(memory),
            prepared: None,
            tiles: core::array::from_fn(|_| Vec::new_in(memory)),
            counts: PixelCounts::default(),
            profile: PhantomData,
        }
    }

    /// Allocates room for programs of `rows` rows, for `planes` varyings, and for tiles of streamed
    /// surfaces. Skips attachment `lent`, because the panel lends its memory.
    #[inline(never)]
    pub(super) fn reserve(
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
            push_none(&mut self.quads)?;
        }
        self.quads.iter_mut().for_each(Quads::start_frame);
        let attachments = framebuffer.attachments.iter().enumerate();
        for (tile, (index, attachment)) in self.tiles.iter_mut().zip(attachments) {
            if let Some(attachment) = attachment
                && attachment.is_streamed()
                && lent != Some(index)
            {
                let pixels = P::TILE_PIXELS * framebuffer.samples();
                let words = (pixels as usize * attachment.pixel).div_ceil(4);
                if tile.len() < words {
                    tile.try_resize(words, 0)?;
                }
            }
        }
        self.prepared = None;
        Ok(())
    }

    /// Returns the blocks that [`reserve`](Self::reserve) requests of an empty worker, in order.
    pub(crate) fn blocks(
        rows: usize,
        planes: usize,
        framebuffer: &Framebuffer,
        lent: Option<usize>,
    ) -> impl Iterator<Item = Layout> + Clone {
        let words = rows.saturating_mul(P::Row::COUNT).saturating_add(REGISTER_FILE_PADDING);
        let pixels = P::TILE_PIXELS.saturating_mul(framebuffer.samples()) as usize;
        let attachments = framebuffer.attachments.iter().enumerate();
        let tiles = attachments.filter_map(move |(index, attachment)| {
            let attachment = attachment.filter(|attachment| attachment.is_streamed())?;
            let words = pixels.saturating_mul(attachment.pixel).div_ceil(4);
            if lent == Some(index) { None } else { Vec::<u32>::layout_for(words) }
        });
        let planes = (planes > 0).then(|| Vec::<Plane>::layout_for(planes)).flatten();
        let quads = Some(Layout::new::<Quads<P::Row>>());
        let fixed = [Vec::<u32>::layout_for(words), planes, quads];
        fixed.into_iter().flatten().chain(tiles)
    }

    /// Returns true if a frame has allocated the memory, and no frame has freed it.
    pub(crate) fn has_memory(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Frees the memory until the next scene.
    pub(crate) fn release(&mut self) {
        let memory = self.rows.memory();
        *self = Worker { counts: self.counts, ..Worker::new_in(memory) };
    }

    /// Draws one tile of a band, in place or in the worker's tile. Then passes it to `done`.
    #[inline(never)]
    pub(super) fn draw_tile<'a>(
        &mut self,
        pass: &'a Pass<'a, 'm, P>,
        current: &mut Currents<'a>,
        band: &mut [Option<&mut [u8]>; ATTACHMENTS],
        tile: TileRows,
        done: &mut dyn FnMut(&mut TileTargets<'_>),
    ) {
        let area = tile_area::<P>(pass.framebuffer, tile);
        let size = (area.width, area.height);
        let scene = pass.inputs.scene;
        let is_empty = scene.bins.is_empty(tile.address);
        let Worker { rows, planes, quads, prepared, tiles, counts, .. } = self;
        let samples = pass.framebuffer.samples();
        // In an empty tile all samples of a pixel are equal, so one sample per pixel is enough
        // unless an attachment keeps its samples.
        let kept = SAMPLES && pass.framebuffer.is_kept();
        let samples = if SAMPLES && is_empty && !kept { 1 } else { samples };
        let mut targets = TileTargets::none();
        let attachments = pass.framebuffer.attachments.iter().enumerate();
        for ((bytes, own), (index, attachment)) in band.iter_mut().zip(tiles).zip(attachments) {
            let Some(attachment) = attachment else { continue };
            let bytes = if attachment.is_streamed() {
                if is_empty && index == DEPTH {
                    // A streamed depth buffer is not shown.
                    continue;
                }
                // The memory is lent by the panel, or belongs to the worker.
                let bytes = bytes.as_deref_mut().unwrap_or(bytemuck::cast_slice_mut(own));
                if scene.initial.is_none() {
                    // The buffer still holds the previous tile.
                    bytes.fill(0);
                }
                Some(bytes)
            } else {
                bytes.as_deref_mut()
            };
            let target = tile_target::<P>(attachment, bytes, tile.address.column, size, samples);
            match targets.color.get_mut(index) {
                Some(slot) => *slot = target,
                None => targets.depth = target,
            }
        }
        let shading = Shading { rows, planes, quads: &mut *quads, prepared, counts };
        shading.draw(pass, current, &mut targets, tile, samples);
        if SAMPLES
            && let Some((index, attachment)) = pass.framebuffer.shown()
            && attachment.is_streamed()
            && let Some(Some(target)) = targets.color.get_mut(index)
        {
            let quads = quads.first();
            target.resolve(samples, |row| quads.map_or(u64::MAX, |quads| quads.spread_of(row)));
        }
        done(&mut targets);
    }

    /// Returns the worker's tile of attachment `index`.
    pub(super) fn tile(&mut self, index: usize) -> &mut [u8] {
        self.tiles.get_mut(index).map_or(&mut [], |tile| bytemuck::cast_slice_mut(tile))
    }
}

/// Primitives of a tile that are read from the scene before the first is drawn, on targets where
/// memory is far from the core. A tile's primitives lie apart, and this makes their loads overlap.
const AHEAD: usize = 16;

/// Reads the first word of each vertex of some primitives, to bring it into the caches.
#[inline(always)]
fn touch_vertices(arena: &Arena<'_>, primitives: &[Option<Primitive>]) {
    let first = |id: u32| arena.from(id as usize).first().copied().unwrap_or(0);
    let vertices = primitives.iter().flatten().flat_map(|primitive| primitive.vertices);
    // The compiler must not see that the words are unused.
    core::hint::black_box(vertices.fold(0, |all, id| all ^ first(id)));
}

/// A worker's memory without its tiles.
struct Shading<'w, R: Lanes> {
    rows: &'w mut [u32],
    planes: &'w mut [Plane],
    quads: &'w mut [Quads<R>],
    prepared: &'w mut Option<u32>,
    counts: &'w mut PixelCounts,
}

impl<R: Lanes> Shading<'_, R> {
    /// Draws one tile into `targets`.
    #[inline(never)]
    fn draw<'a, 'm, P: Profile<Row = R>>(
        self,
        pass: &'a Pass<'a, 'm, P>,
        current: &mut Currents<'a>,
        targets: &mut TileTargets<'_>,
        tile: TileRows,
        samples: u32,
    ) {
        let scene = pass.inputs.scene;
        if let Some(cleared) = pass.cleared {
            let _watch = pass.inputs.timer.start(Phase::Clearing);
            cleared.fill(targets, samples);
        }
        let is_drawn =
            !scene.bins.is_empty(tile.address) && !pass.inputs.timer.leaves_out(Debug::TOSS_TILES);
        let Some(quads) = self.quads.first_mut().filter(|_| is_drawn) else {
            return;
        };
        let registers = Registers {
            rows: register_file(self.rows),
            planes: self.planes,
            prepared: self.prepared,
        };
        let place = tile.bounds::<P>();
        let pixels = {
            let Area { width, height, .. } = tile_area::<P>(pass.framebuffer, tile);
            let (x1, y1) = (place.x0 + width as i32, place.y0 + height as i32);
            Bounds { x1, y1, ..place }
        };
        let mut fragments = Fragments::new(&pass.inputs, targets, registers, quads, current, place);
        let varyings = |draw| scene.varying_count(draw);
        let mut primitives = scene
            .bins
            .entries(tile.address, &scene.arena)
            .filter_map(|entry| Primitive::load::<P::Id>(&scene.arena, entry, varyings));
        let mut draw = |primitive: &Primitive| {
            if primitive.kind == Kind::Clear {
                let targets = fragments.targets();
                if let Some(clear) = scene.clears.get(primitive.vertices[0] as usize) {
                    match ES2 {
                        true => clear_in_tile(clear, targets, samples, &pixels),
                        false => clear_tile(clear, targets, samples),
                    }
                }
            } else {
                fragments.primitive(primitive);
            }
        };
        if SMALL_CODE {
            primitives.for_each(|primitive| draw(&primitive));
        } else {
            in_groups(&mut primitives, pass, &mut draw);
        }
        fragments.finish(pass.framebuffer.is_kept());
        pass.inputs.timer.count(Counter::Tiles, 1);
        pass.inputs.timer.count(Counter::Batches, fragments.batches.into());
        // If the budget refuses, the next tile sees it.
        fragments.work.count(1 + fragments.batches);
        let _ = fragments.work.take();
        if ES2 {
            *self.counts += fragments.counts;
        }
    }
}

/// Draws primitives in groups; touches the vertices of a group before.
#[inline(always)]
fn in_groups<P: Profile>(
    primitives: &mut impl Iterator<Item = Primitive>,
    pass: &Pass<'_, '_, P>,
    mut draw: impl FnMut(&Primitive),
) {
    let mut group = [const { None::<Primitive> }; AHEAD];
    loop {
        group.fill_with(|| primitives.next());
        // Asks the budget once per group: finding the pixels of smooth primitives takes long.
        if group[0].is_none() || pass.inputs.work.is_stopped() {
            return;
        }
        touch_vertices(&pass.inputs.scene.arena, &group);
        group.iter().flatten().for_each(&mut draw);
    }
}

/// Returns a tile's target within a band or in a worker's private buffer, with `samples` samples
/// per pixel.
pub(super) fn tile_target<'t, P: Profile>(
    attachment: &Attachment,
    bytes: Option<&'t mut [u8]>,
    column: u32,
    (width, height): (u32, u32),
    samples: u32,
) -> Option<Target<'t>> {
    let bytes = bytes?;
    let pixel = attachment.pixel;
    let (bytes, stride) = if attachment.is_streamed() {
        (bytes, (width * samples) as usize * pixel)
    } else {
        let start = (column * P::TILE_WIDTH) as usize * pixel;
        (bytes.get_mut(start..)?, attachment.stride)
    };
    Some(Target { bytes, stride, format: attachment.format, width, height })
}

/// A tile, or some rows of its pixels.
#[derive(Clone, Copy)]
pub(super) struct TileRows {
    pub(super) address: TileAddress,
    /// The first row from the tile's upper edge, and the number of rows; all without workers.
    pub(super) rows: Only<[u32; 2], { WORKERS as usize }>,
}

impl TileRows {
    /// Returns the first row from the tile's upper edge, and the number of rows.
    #[inline(always)]
    fn rows<P: Profile>(&self) -> [u32; 2] {
        self.rows.get().copied().unwrap_or([0, P::TILE_HEIGHT])
    }

    /// Returns the pixels; tiles at the right and lower edges reach over the framebuffer.
    #[inline(always)]
    fn bounds<P: Profile>(&self) -> Bounds {
        let [first, rows] = self.rows::<P>();
        let TileAddress { column, row, .. } = self.address;
        let (x, y) = (column * P::TILE_WIDTH, row * P::TILE_HEIGHT + first);
        let (x0, y0) = (x as i32, y as i32);
        Bounds { x0, y0, x1: x0 + P::TILE_WIDTH as i32, y1: y0 + rows as i32 }
    }
}

/// Returns the pixels of a tile. Tiles at the right and lower edges have fewer than the tile size.
pub(super) fn tile_area<P: Profile>(framebuffer: &Framebuffer, tile: TileRows) -> Area {
    let [first, rows] = tile.rows::<P>();
    let TileAddress { column, row, .. } = tile.address;
    let (x, y) = (column * P::TILE_WIDTH, row * P::TILE_HEIGHT + first);
    let width = P::TILE_WIDTH.min(framebuffer.width - x);
    let height = rows.min(framebuffer.height - y);
    Area { x, y, width, height }
}
