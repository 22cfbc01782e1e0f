//! Profiles: lane width, tile size and limits, chosen when the firmware is compiled.
//!
//! Pixels do not depend on the profile: every profile draws the same picture, bit for bit.

use core::fmt::Debug;
use tgsi::exec::Lanes;

use crate::features::SMALL_CODE;

/// A scene's reference to a word of its arena: `u16` where scenes stay under 256 KiB.
pub trait SceneId: Copy + Default + Send + Sync + Debug + 'static {
    /// Bytes of an id.
    const BYTES: usize;
    /// The largest word that an id can name.
    const MAX: usize;
    /// Ids in a 32-bit word.
    const PER_WORD: usize = 4 / Self::BYTES;

    /// Returns the id of a word, which is at most [`MAX`](Self::MAX).
    fn new(word: usize) -> Self;

    /// Returns the word that the id names.
    fn word(self) -> usize;
}

impl SceneId for u16 {
    const BYTES: usize = 2;
    const MAX: usize = u16::MAX as usize;

    #[inline(always)]
    fn new(word: usize) -> Self {
        word as u16
    }

    #[inline(always)]
    fn word(self) -> usize {
        self.into()
    }
}

impl SceneId for u32 {
    const BYTES: usize = 4;
    const MAX: usize = u32::MAX as usize;

    #[inline(always)]
    fn new(word: usize) -> Self {
        word as u32
    }

    #[inline(always)]
    fn word(self) -> usize {
        self as usize
    }
}

/// The greatest width of a tile in pixels.
pub const MAX_TILE_WIDTH: u32 = 64;

/// The greatest height of a tile in pixels: 64, or 32 on 32-bit targets, where spans keep less data
/// per row.
pub const MAX_TILE_HEIGHT: u32 = if SMALL_CODE { 32 } else { 64 };

/// The sizes that a driver is compiled with.
pub trait Profile: Send + Sync + Debug + 'static {
    /// A row of lanes: one value per invocation that a shader runs at once.
    type Row: Lanes;
    /// The reference from primitives to vertices, and from bins to primitives.
    type Id: SceneId;
    /// Width of a tile in pixels, a multiple of [`crate::fixed::BLOCK`] up to [`MAX_TILE_WIDTH`].
    ///
    /// Each row of a tile costs the integer spans some work, so wide tiles are faster than square
    /// ones.
    const TILE_WIDTH: u32;
    /// Height of a tile in pixels, a multiple of [`crate::fixed::BLOCK`] up to [`MAX_TILE_HEIGHT`].
    const TILE_HEIGHT: u32;
    /// The pixels of a tile.
    const TILE_PIXELS: u32 = Self::TILE_WIDTH * Self::TILE_HEIGHT;
    /// Most colour buffers of a framebuffer.
    const MAX_COLOR_BUFFERS: usize;
    /// Largest width and height of a texture or surface, in texels.
    const MAX_TEXTURE_SIZE: u32;
    /// Vertices that share a post-transform cache in Draw.
    const SEGMENT_VERTICES: usize;
    /// Bytes of a context's scene buffer if the configuration names none.
    const SCENE_BYTES: usize;
    /// Words of one chunk of a tile's bin.
    const CHUNK_WORDS: usize;
    /// The name `Screen::get_name` reports.
    const NAME: &'static str;
}

/// Quads (2×2 pixels) that a batch of `R` lanes holds.
#[inline(always)]
pub(crate) const fn quads_per_batch<R: Lanes>() -> usize {
    R::COUNT / 4
}

/// Most quads in a batch of any profile.
pub(crate) const MAX_QUADS: usize = 16;

/// For the smallest boards: 4 lanes, 16×16 tiles.
#[derive(Clone, Copy, Debug)]
pub struct Tiny;

impl Profile for Tiny {
    type Row = [u32; 4];
    type Id = u16;
    const TILE_WIDTH: u32 = 16;
    const TILE_HEIGHT: u32 = 16;
    const MAX_COLOR_BUFFERS: usize = 4;
    const MAX_TEXTURE_SIZE: u32 = 2048;
    const SEGMENT_VERTICES: usize = 32;
    const SCENE_BYTES: usize = 16 * 1024;
    const CHUNK_WORDS: usize = 4;
    const NAME: &'static str = "gallium raster (tiny)";
}

/// For boards with a panel: 16 lanes, 64×16 tiles.
#[derive(Clone, Copy, Debug)]
pub struct Small;

impl Profile for Small {
    type Row = [u32; 16];
    type Id = u16;
    const TILE_WIDTH: u32 = 64;
    const TILE_HEIGHT: u32 = 16;
    const MAX_COLOR_BUFFERS: usize = 4;
    const MAX_TEXTURE_SIZE: u32 = 2048;
    const SEGMENT_VERTICES: usize = 32;
    const SCENE_BYTES: usize = 36 * 1024;
    const CHUNK_WORDS: usize = 4;
    const NAME: &'static str = "gallium raster (small)";
}

/// For desktops: 64 lanes, 64×64 tiles (64×32 on 32-bit targets).
#[derive(Clone, Copy, Debug)]
pub struct Host;

impl Profile for Host {
    type Row = [u32; 64];
    type Id = u32;
    const TILE_WIDTH: u32 = MAX_TILE_WIDTH;
    const TILE_HEIGHT: u32 = MAX_TILE_HEIGHT;
    const MAX_COLOR_BUFFERS: usize = 8;
    const MAX_TEXTURE_SIZE: u32 = 16384;
    const SEGMENT_VERTICES: usize = 1024;
    const SCENE_BYTES: usize = 8 * 1024 * 1024;
    const CHUNK_WORDS: usize = 16;
    const NAME: &'static str = "gallium raster (host)";
}
