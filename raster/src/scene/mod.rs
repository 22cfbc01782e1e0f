//! The scene: what was drawn since the last flush, sorted by tile.
//!
//! A draw appends compact primitives to the bins of the tiles they touch; a flush, a full arena or
//! a dependency rasterizes the tiles one by one (`rasterize.rs`). Memory is bounded by the arena.

mod arena;
mod bins;
mod primitive;
pub(crate) mod rasterize;
mod record;
mod samplers;
mod vertex;

use draw::sink::WindowVertex;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use pipe_core::PipeError;

pub(crate) use arena::{Arena, Full};
pub(crate) use bins::Bins;
pub(crate) use primitive::{Kind, Primitive};
pub(crate) use record::{
    Clear, ConstantBlock, DrawRecord, MAX_CONSTANT_BLOCKS, Special, SpecialKind, TextureBinding,
    UNWRITTEN, Varying, VaryingMode,
};

pub(crate) use samplers::{Levels, Sampler, Textures};
#[cfg(feature = "spans")]
pub(crate) use vertex::PACKED_VARYINGS;
pub(crate) use vertex::Vertex;

use crate::output::ColorState;
use crate::profile::{Profile, SceneId};
use crate::setup::{Bounds, Edge};

/// What was drawn since the last flush.
pub(crate) struct Scene<'m, P: Profile> {
    pub(crate) arena: Arena<'m>,
    pub(crate) bins: Bins<'m, P>,
    pub(crate) draws: Vec<'m, DrawRecord>,
    pub(crate) varyings: Vec<'m, Varying>,
    pub(crate) special: Vec<'m, Special>,
    pub(crate) constants: Vec<'m, ConstantBlock>,
    pub(crate) color: Vec<'m, ColorState>,
    pub(crate) textures: Vec<'m, TextureBinding>,
    pub(crate) clears: Vec<'m, Clear>,
    /// The clear that comes before all draws, if there is one.
    pub(crate) initial: Option<Clear>,
    /// The last three vertices that lie one after another, and where the last ends.
    row: [u32; 4],
    /// Whether anything was binned.
    pub(crate) has_work: bool,
    /// Words of a frame that cannot be drawn in parts for which there was no room.
    pub(crate) spilled: usize,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl<'m, P: Profile> Scene<'m, P> {
    /// An empty scene over an arena of `bytes` bytes.
    pub(crate) fn new(bytes: usize, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        Ok(Scene {
            arena: Arena::new(bytes / 4, memory)?,
            bins: Bins::new_in(memory),
            draws: Vec::new_in(memory),
            varyings: Vec::new_in(memory),
            special: Vec::new_in(memory),
            constants: Vec::new_in(memory),
            color: Vec::new_in(memory),
            textures: Vec::new_in(memory),
            clears: Vec::new_in(memory),
            initial: None,
            row: [0; 4],
            has_work: false,
            spilled: 0,
            width: 0,
            height: 0,
        })
    }

    /// Sets the framebuffer's size; the scene must be empty.
    pub(crate) fn resize(&mut self, width: u32, height: u32) -> Result<(), OutOfMemory> {
        self.bins.resize(width, height)?;
        (self.width, self.height) = (width, height);
        Ok(())
    }

    /// Whether there is anything to rasterize.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_work && self.initial.is_none()
    }

    /// Forgets what was drawn, keeping the memory.
    pub(crate) fn reset(&mut self) {
        self.arena.clear();
        self.row = [0; 4];
        self.bins.clear();
        self.draws.clear();
        self.varyings.clear();
        self.special.clear();
        self.constants.clear();
        self.color.clear();
        self.textures.clear();
        self.clears.clear();
        self.initial = None;
        self.has_work = false;
        self.spilled = 0;
    }

    /// Reserves words of the arena.
    pub(crate) fn reserve(&mut self, words: usize) -> Result<usize, Full> {
        self.arena.reserve(words, <P::Id as SceneId>::MAX)
    }

    /// Drops what was drawn of a frame that does not fit and cannot be drawn in parts, but for one
    /// draw's record: the rest of the frame is only measured.
    pub(crate) fn spill(&mut self, draw: u32) {
        let words = self.spilled + self.arena.used();
        self.keep_only(draw);
        self.spilled = words.saturating_sub(self.arena.used());
    }

    /// The error for a frame that does not fit and cannot be drawn in parts: what it needs.
    pub(crate) fn too_small(&self) -> PipeError {
        let capacity = self.arena.capacity() * 4;
        let needed = (self.spilled + self.arena.used()) * 4;
        PipeError::SceneFull { capacity, needed: needed.max(capacity + 4) }
    }

    /// How many varyings a draw's vertices have.
    #[inline(always)]
    pub(crate) fn varying_count(&self, draw: u32) -> usize {
        self.draws.get(draw as usize).map_or(0, |draw| draw.varyings.1 as usize)
    }

    /// Forgets what was drawn, but for the record of one draw, which becomes the first.
    pub(crate) fn keep_only(&mut self, draw: u32) {
        let draw = draw as usize;
        if draw >= self.draws.len() {
            return self.reset();
        }
        self.draws.swap(0, draw);
        self.draws.truncate(1);
        self.arena.clear();
        self.row = [0; 4];
        let Scene { arena, draws, varyings, special, constants, color, textures, .. } = self;
        if let Some(record) = draws.first_mut() {
            keep_range(varyings, &mut record.varyings);
            keep_range(special, &mut record.special);
            keep_range(constants, &mut record.constants);
            keep_range(color, &mut record.color);
            keep_range(textures, &mut record.textures);
            for block in constants.iter_mut() {
                block.at = arena.move_down(block.at as usize, block.words as usize) as u32;
            }
            let stipple = &mut record.stipple;
            stipple.at = arena.move_down(stipple.at as usize, stipple.words as usize) as u32;
        }
        self.bins.clear();
        self.clears.clear();
        self.initial = None;
        self.has_work = false;
    }

    /// Stores a vertex of a draw, and returns where.
    #[inline(always)]
    pub(crate) fn vertex(&mut self, draw: u32, vertex: &WindowVertex<'_>) -> Result<u32, Full> {
        let Some(record) = self.draws.get(draw as usize) else { return Ok(0) };
        let (first, count) = record.varyings;
        let varyings = self.varyings.get(first as usize..(first + count) as usize).unwrap_or(&[]);
        let at = Vertex::store::<P::Id>(&mut self.arena, vertex, varyings)?;
        let [_, a, b, end] = self.row;
        let (a, b) = if end == at { (a, b) } else { (0, 0) };
        self.row = [a, b, at, self.arena.used() as u32];
        Ok(at)
    }

    /// Appends an entry to the bins of every one of `tiles` that is not wholly outside one of
    /// `edges`.
    #[inline(never)]
    pub(crate) fn bin(
        &mut self,
        entry: &Primitive,
        tiles: &Bounds,
        edges: &[Edge],
    ) -> Result<(), Full> {
        // All tiles or none: an entry in some of its bins only would be drawn twice when the
        // arena is full and the primitive comes again.
        let count = (tiles.x1 - tiles.x0) as usize * (tiles.y1 - tiles.y0) as usize;
        let stored = self.store(entry, count * P::CHUNK_WORDS, tiles, edges)?;
        for row in tiles.y0..tiles.y1 {
            for column in tiles.x0..tiles.x1 {
                if touches(column, row, P::TILE, edges) {
                    self.bins.push(column as u32, row as u32, stored, &mut self.arena)?;
                }
            }
        }
        Ok(())
    }

    /// Appends an entry to the bin of the first of `tiles`.
    #[inline(never)]
    pub(crate) fn bin_in_one(&mut self, entry: &Primitive, tiles: &Bounds) -> Result<(), Full> {
        let stored = self.store(entry, P::CHUNK_WORDS, tiles, &[])?;
        self.bins.push(tiles.x0 as u32, tiles.y0 as u32, stored, &mut self.arena)
    }

    /// Stores an entry, if there is also room for what its bins need: at most so many words.
    #[inline(always)]
    fn store(
        &mut self,
        entry: &Primitive,
        most: usize,
        tiles: &Bounds,
        edges: &[Edge],
    ) -> Result<u32, Full> {
        let room = self.arena.room(<P::Id as SceneId>::MAX);
        if room < most + 4 && room < self.needed(tiles, edges) {
            return Err(Full);
        }
        // Not a comparison of arrays: that is a call.
        let ([a, b, c], row) = (entry.vertices, &self.row);
        let in_row = (a ^ row[0]) | (b ^ row[1]) | (c ^ row[2]) == 0;
        self.has_work = true;
        entry.store::<P::Id>(&mut self.arena, in_row)
    }

    /// Words that an entry in these tiles takes.
    #[cold]
    #[inline(never)]
    fn needed(&self, tiles: &Bounds, edges: &[Edge]) -> usize {
        let mut words = 4;
        for row in tiles.y0..tiles.y1 {
            for column in tiles.x0..tiles.x1 {
                let needs = touches(column, row, P::TILE, edges)
                    && self.bins.needs_chunk(column as u32, row as u32);
                words += if needs { P::CHUNK_WORDS } else { 0 };
            }
        }
        words
    }

    /// Clears the framebuffer: before everything, or in order with what was drawn.
    pub(crate) fn clear(&mut self, clear: &Clear) -> Result<(), ClearError> {
        if !self.has_work {
            match &mut self.initial {
                Some(initial) => initial.merge(clear),
                none => *none = Some(*clear),
            }
            return Ok(());
        }
        let index = self.clears.len() as u32;
        if index as usize > <P::Id as SceneId>::MAX {
            return Err(ClearError::Full);
        }
        self.clears.try_push(*clear).map_err(ClearError::Memory)?;
        let entry = Primitive {
            kind: Kind::Clear,
            front: false,
            provoking: 2,
            draw: 0,
            vertices: [index, 0, 0],
        };
        let all = Bounds { x0: 0, y0: 0, x1: self.width as i32, y1: self.height as i32 };
        self.bin(&entry, &all.tiles(P::TILE), &[]).map_err(|Full| ClearError::Full)
    }
}

/// Whether a tile of `size` pixels is not wholly outside one of `edges`.
fn touches(column: i32, row: i32, size: u32, edges: &[Edge]) -> bool {
    let (x, y) = (column * size as i32, row * size as i32);
    edges.iter().all(|edge| edge.value(x, y) + edge.rise(size as i32 - 1) >= 0)
}

/// Moves a range of a table to its front and drops the rest.
fn keep_range<T: Copy>(table: &mut Vec<'_, T>, range: &mut (u32, u32)) {
    let (first, count) = (range.0 as usize, range.1 as usize);
    if first + count <= table.len() {
        table.copy_within(first..first + count, 0);
        table.truncate(count);
    }
    range.0 = 0;
}

/// Why a clear was not recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClearError {
    /// Rasterize and try again.
    Full,
    /// No memory for the record.
    Memory(OutOfMemory),
}
