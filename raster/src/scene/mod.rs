//! The scene: the draws and primitives since the last flush, sorted by tile.
//!
//! A draw appends compact primitives to the bins of the tiles that they touch. A flush, a full
//! arena or a dependency rasterizes the tiles one by one (`crate::frame`). The arena bounds the
//! memory.

mod arena;
mod binning;
mod bins;
mod primitive;
pub(crate) mod recognised;
mod record;
#[cfg(feature = "workers")]
mod recording;
mod sink;
mod vertex;

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use pipe_core::PipeError;

pub(crate) use arena::{Arena, Full};
pub(crate) use binning::{BinningState, PackedTile};
pub(crate) use bins::{Bins, TileAddress};
pub(crate) use primitive::{Kind, Primitive};
pub(crate) use record::{
    Clear, ConstantBlock, DrawRecord, MAX_CONSTANT_BLOCKS, Special, SpecialKind, UNWRITTEN,
    Varying, VaryingMode, ViewportClip,
};

pub(crate) use record::SampleValue;
#[cfg(feature = "workers")]
pub(crate) use recording::{Recording, RecordingSink, RecordingState};
pub(crate) use sink::Viewports;
pub(crate) use sink::{NO_STROKES, SceneSink};
pub(crate) use vertex::PACKED_VARYINGS;
pub(crate) use vertex::PackedVertex;
pub(crate) use vertex::Vertex;
use vertex::VertexLayout;
pub(crate) use vertex::{WideVertex, is_channel};

use crate::features::{MEMORY_SURFACES, STAGES, TEXTURES};
use crate::output::ColorState;
use crate::profile::{Profile, SceneId};
use crate::resource::TextureBinding;
use crate::setup::Bounds;

/// The draws, primitives and clears since the last flush.
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
    /// The clear that precedes all draws, if there is one.
    pub(crate) initial: Option<Clear>,
    /// Set once something was binned.
    pub(crate) has_work: bool,
    /// Words beyond the arena that a frame needs if it cannot be drawn in parts.
    pub(crate) spilled: usize,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) layers: u32,
    /// The layer into which primitives are binned.
    pub(crate) layer: u32,
}

impl<'m, P: Profile> Scene<'m, P> {
    /// Makes an empty scene and allocates its arena of `bytes` bytes.
    pub(crate) fn new(bytes: usize, memory: Memory<'m>) -> Result<Self, OutOfMemory> {
        Ok(Scene {
            arena: Arena::new(bytes / 4, <P::Id as SceneId>::MAX, memory)?,
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
            layers: 1,
            layer: 0,
        })
    }

    /// Sets the framebuffer's size and layers; the scene must be empty.
    pub(crate) fn resize(
        &mut self,
        width: u32,
        height: u32,
        layers: u32,
    ) -> Result<(), OutOfMemory> {
        self.bins.resize(width, height, layers)?;
        (self.width, self.height, self.layers) = (width, height, layers);
        Ok(())
    }

    /// Returns the textures of all draws.
    #[inline(always)]
    pub(crate) fn textures(&self) -> &[TextureBinding] {
        if TEXTURES { &self.textures } else { &[] }
    }

    /// Returns true if there is nothing to rasterize.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_work && self.initial.is_none()
    }

    /// Empties the scene and keeps its memory.
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

    /// Reserves words of the arena; returns the first.
    pub(crate) fn reserve(&mut self, words: usize) -> Result<usize, Full> {
        self.arena.reserve(words)
    }

    /// Drops a frame that does not fit and cannot be drawn in parts, and keeps the record of one
    /// draw. The rest of the frame is only measured.
    pub(crate) fn spill(&mut self, draw: u32) {
        let words = self.spilled + self.arena.used();
        self.keep_only(draw);
        self.spilled = words.saturating_sub(self.arena.used());
    }

    /// Returns the error for a frame that does not fit and cannot be drawn in parts, with the bytes
    /// that the frame needs.
    pub(crate) fn too_small(&self) -> PipeError {
        let capacity = self.arena.capacity() * 4;
        let needed = (self.spilled + self.arena.used()) * 4;
        PipeError::SceneFull { capacity, needed: needed.max(capacity + 4) }
    }

    /// Returns the number of varyings of a draw's vertices.
    #[inline(always)]
    pub(crate) fn varying_count(&self, draw: u32) -> usize {
        self.draws.get(draw as usize).map_or(0, |draw| draw.varyings.1 as usize)
    }

    /// Empties the scene but keeps the record of one draw, which becomes the first.
    pub(crate) fn keep_only(&mut self, draw: u32) {
        let draw = draw as usize;
        if draw >= self.draws.len() {
            return self.reset();
        }
        // Swaps disjoint parts, which needs no `memmove`, so that small firmware can leave it out.
        if let Some((first, others)) = self.draws.split_first_mut()
            && let Some(kept) = draw.checked_sub(1).and_then(|at| others.get_mut(at))
        {
            core::mem::swap(first, kept);
        }
        self.draws.truncate(1);
        self.arena.clear();
        let Scene { arena, draws, varyings, special, constants, color, textures, .. } = self;
        // If the frame is only measured, records may refer to words that are gone.
        if MEMORY_SURFACES && let Some(record) = draws.first_mut() {
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
            if let Some(windows) = record.windows.get_mut() {
                windows.at = arena.move_down(windows.at as usize, windows.words as usize) as u32;
            }
        }
        self.bins.clear();
        self.clears.clear();
        self.initial = None;
        self.has_work = false;
    }

    /// Clears the framebuffer. A clear of the whole framebuffer before all draws becomes the
    /// initial clear; other clears are binned in order.
    pub(crate) fn clear(&mut self, clear: &Clear) -> Result<(), ClearError> {
        if !self.has_work && clear.part().is_none() {
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
        let all = clear.part().unwrap_or(all);
        for layer in 0..if STAGES { self.layers } else { 1 } {
            self.layer = layer;
            self.bin(&entry, false, &all.tiles::<P>(), &[]).map_err(|Full| ClearError::Full)?;
        }
        Ok(())
    }
}

/// Moves a range of a table to the table's front and drops all other entries.
fn keep_range<T: Copy>(table: &mut Vec<'_, T>, range: &mut (u32, u32)) {
    let (first, count) = (range.0 as usize, range.1 as usize);
    if arena::move_down(table, first, count, 0) {
        table.truncate(count);
    }
    range.0 = 0;
}

/// The reason why a clear was not recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClearError {
    /// The arena is full: rasterize and try again.
    Full,
    /// No memory for the record.
    Memory(OutOfMemory),
}
