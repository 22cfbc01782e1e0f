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
pub(crate) use vertex::{Head, Vertex};

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

    /// Appends an entry to the bins of every tile in `bounds` that is not wholly outside one of
    /// `edges`.
    pub(crate) fn bin(
        &mut self,
        entry: &Primitive,
        bounds: &Bounds,
        edges: &[Edge],
    ) -> Result<(), Full> {
        let tiles = bounds.tiles(P::TILE);
        // All tiles or none: an entry in some of its bins only would be drawn twice when the
        // arena is full and the primitive comes again.
        let count = (tiles.x1 - tiles.x0) as usize * (tiles.y1 - tiles.y0) as usize;
        let room = self.arena.room(<P::Id as SceneId>::MAX);
        if room < count * P::CHUNK_WORDS + 4 && room < self.needed(&tiles, edges) {
            return Err(Full);
        }
        let varyings = self.varying_count(entry.draw);
        let stored = entry.store::<P::Id>(&mut self.arena, varyings)?;
        self.has_work = true;
        if tiles.is_one() {
            return self.bins.push(tiles.x0 as u32, tiles.y0 as u32, stored, &mut self.arena);
        }
        for row in tiles.y0..tiles.y1 {
            for column in tiles.x0..tiles.x1 {
                if touches(column, row, P::TILE, edges) {
                    self.bins.push(column as u32, row as u32, stored, &mut self.arena)?;
                }
            }
        }
        Ok(())
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
        self.bin(&entry, &all, &[]).map_err(|Full| ClearError::Full)
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
