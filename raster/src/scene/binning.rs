//! Binning: stores vertices and primitives in the scene, and finds the tiles that a primitive
//! touches.

use core::ops::Range;

use draw::sink::WindowVertex;

use super::DrawRecord;
use super::{Bounds, Full, Primitive, Scene, TileAddress, Varying, Vertex, VertexLayout};
use crate::features::{ES2, OfSamples, Only, SAMPLES};
use crate::fixed::{SUBPIXEL_BITS, SUBPIXEL_ONE};
use crate::profile::Profile;
use crate::setup::{Edge, FillRule, Shape};

impl<P: Profile> Scene<'_, P> {
    /// Stores the outputs of a vertex that its draw keeps; returns the vertex's id, the index of
    /// its first word in the arena.
    #[inline(always)]
    pub(crate) fn vertex(
        &mut self,
        draw: &BinningState,
        vertex: &WindowVertex<'_>,
    ) -> Result<u32, Full> {
        Vertex::store::<P::Id>(&mut self.arena, vertex, &draw.layout, &self.varyings)
    }

    /// Appends an entry to the bins of all `tiles` except tiles that lie wholly outside one of
    /// `edges`. For `in_row`, see [`Primitive::store`].
    #[inline(never)]
    pub(crate) fn bin(
        &mut self,
        entry: &Primitive,
        in_row: bool,
        tiles: &Bounds,
        edges: &[Edge],
    ) -> Result<(), Full> {
        // Bins all tiles or none. An entry in only some of its bins would be drawn twice: the
        // primitive comes again after the full arena is rasterized.
        let count = (tiles.x1 - tiles.x0) as usize * (tiles.y1 - tiles.y0) as usize;
        let room = self.arena.room();
        if room < count * P::CHUNK_WORDS + 4 && room < self.needed(tiles, edges) {
            return Err(Full);
        }
        self.has_work = true;
        let stored = entry.store::<P::Id>(&mut self.arena, in_row)?;
        for row in tiles.y0..tiles.y1 {
            for column in touched::<P>(tiles, row, edges) {
                let (column, row) = (column as u32, row as u32);
                let bin = self.bins.index(TileAddress { layer: self.layer, column, row });
                self.bins.push(bin, stored, &mut self.arena)?;
            }
        }
        Ok(())
    }

    /// Appends a triangle to the bins of a row or a column of tiles. For `in_row`, see
    /// [`Primitive::store`].
    #[inline(always)]
    pub(crate) fn bin_in_line(
        &mut self,
        triangle: impl Fn() -> Primitive,
        in_row: bool,
        (first, last): (PackedTile, PackedTile),
    ) -> Result<(), Full> {
        let (count, step) = first.line_to(last, self.bins.columns());
        if self.arena.room() < (count as usize + 1) * P::CHUNK_WORDS + 4 {
            // Some tiles may need no new chunk: `bin` counts exactly.
            return self.bin(&triangle(), in_row, &PackedTile::bounds(first, last), &[]);
        }
        self.has_work = true;
        let stored = triangle().store::<P::Id>(&mut self.arena, in_row)?;
        let (column, row) = (first.column(), first.row());
        let mut bin = self.bins.index(TileAddress { layer: self.layer, column, row });
        for _ in 0..count + 1 {
            self.bins.push(bin, stored, &mut self.arena)?;
            bin += step;
        }
        Ok(())
    }

    /// Returns the words that an entry in these tiles needs.
    #[cold]
    #[inline(never)]
    fn needed(&self, tiles: &Bounds, edges: &[Edge]) -> usize {
        let mut words = 4;
        for row in tiles.y0..tiles.y1 {
            for column in touched::<P>(tiles, row, edges) {
                let needs = self.bins.needs_chunk(TileAddress {
                    layer: self.layer,
                    column: column as u32,
                    row: row as u32,
                });
                words += if needs { P::CHUNK_WORDS } else { 0 };
            }
        }
        words
    }
}

/// A tile's column and row, 16 bits each, in one word. One word stays in a register; two would not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedTile(u32);

impl PackedTile {
    /// Returns the tile of a pixel of the framebuffer.
    #[inline(always)]
    pub(crate) fn of_pixel<P: Profile>(x: i32, y: i32) -> PackedTile {
        let (column, row) = (x as u32 / P::TILE_WIDTH, y as u32 / P::TILE_HEIGHT);
        PackedTile(row << 16 | column)
    }

    /// Returns the tile's column.
    #[inline(always)]
    pub(crate) fn column(self) -> u32 {
        self.0 & 0xffff
    }

    /// Returns the tile's row.
    #[inline(always)]
    pub(crate) fn row(self) -> u32 {
        self.0 >> 16
    }

    /// Returns the number of steps to a tile in the same row or column, and the distance between
    /// the bins of two neighbours on this line. A row has `columns` bins.
    #[inline(always)]
    fn line_to(self, last: PackedTile, columns: u32) -> (u32, u32) {
        // The tiles differ either in row or in column, so one half of the difference is 0.
        let steps = last.0 - self.0;
        if steps < 1 << 16 { (steps, 1) } else { (steps >> 16, columns) }
    }

    /// Returns the rectangle of tiles from `first` to `last`.
    pub(crate) fn bounds(first: PackedTile, last: PackedTile) -> Bounds {
        Bounds {
            x0: first.column() as i32,
            y0: first.row() as i32,
            x1: last.column() as i32 + 1,
            y1: last.row() as i32 + 1,
        }
    }
}

/// The tiles that a triangle may touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileRange {
    /// The upper left and the lower right tile of the range.
    pub(super) first: PackedTile,
    pub(super) last: PackedTile,
    /// Set if the triangle touches every tile of the range.
    pub(super) fills: bool,
}

/// The part of a draw's record that every vertex and triangle needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BinningState {
    /// The varyings that the draw's vertices keep.
    pub(crate) layout: VertexLayout,
    /// The column and row of the first pixel that triangles may change.
    pub(crate) first_pixel: [i32; 2],
    /// The column and row of the last pixel that triangles may change.
    pub(crate) last_pixel: [i32; 2],
    pub(crate) rule: FillRule,
    /// The rule's [centre](FillRule::center).
    pub(crate) center: i32,
    /// The distance from a pixel's centre within which a triangle may cover the pixel, Q24.8; 0 if
    /// the centre is the only sample.
    pub(crate) reach: Only<i32, { (SAMPLES || ES2) as usize }>,
    /// Set if samples lie outside of the pixel centres.
    sampled: OfSamples<bool>,
}

impl BinningState {
    /// Returns the shape for binning: the primitive's shape, widened by the reach of samples.
    #[inline(always)]
    pub(super) fn grown(&self, shape: Shape) -> Shape {
        if self.sampled.is_set() {
            return shape.widened();
        }
        shape
    }

    /// Returns the tiles that a triangle may touch; `None` if it covers no pixel that the draw may
    /// change.
    #[inline(always)]
    pub(crate) fn extent<P: Profile>(&self, corners: [[i32; 2]; 3]) -> Option<TileRange> {
        let BinningState { first_pixel, last_pixel, center, .. } = self;
        // Computes `FillRule::first_pixel` and `last_pixel` with the centre in a register.
        let reach = self.reach.get().copied().unwrap_or(0);
        let (before, after) = (center + reach, center - reach);
        let first_at = |position: i32| (position - before + (SUBPIXEL_ONE - 1)) >> SUBPIXEL_BITS;
        let last_at = |position: i32| (position - after) >> SUBPIXEL_BITS;
        let [[ax, ay], [bx, by], [cx, cy]] = corners;
        // In a frame that is drawn in parts, most triangles lie above or below the part.
        let low_y = first_at(ay.min(by).min(cy));
        let high_y = last_at(ay.max(by).max(cy));
        if low_y > last_pixel[1] || high_y < first_pixel[1] {
            return None;
        }
        let low_x = first_at(ax.min(bx).min(cx));
        let high_x = last_at(ax.max(bx).max(cx));
        let (x0, y0) = (low_x.max(first_pixel[0]), low_y.max(first_pixel[1]));
        let (x1, y1) = (high_x.min(last_pixel[0]), high_y.min(last_pixel[1]));
        if x0 > x1 || y0 > y1 {
            return None;
        }
        let first = PackedTile::of_pixel::<P>(x0, y0);
        let last = PackedTile::of_pixel::<P>(x1, y1);
        // A triangle touches all tiles of its range if they lie in one row or column, unless the
        // clip has cut the range in the other direction. Most small triangles lie in one tile and
        // count as touching it.
        let fills = first == last
            || first.row() == last.row() && low_y == y0 && high_y == y1
            || first.column() == last.column() && low_x == x0 && high_x == x1;
        Some(TileRange { first, last, fills })
    }

    /// Confines triangles to the pixels of a viewport.
    pub(crate) fn confine(&mut self, clip: &Bounds) {
        self.first_pixel = [clip.x0, clip.y0];
        self.last_pixel = [clip.x1 - 1, clip.y1 - 1];
    }

    /// Derives the state from a draw of the scene. If the draw does not exist, the state covers no
    /// pixel.
    pub(crate) fn new<P: Profile>(scene: &Scene<'_, P>, draw: u32) -> BinningState {
        let record = scene.draws.get(draw as usize);
        let varyings = record.map_or((0, 0), |record| record.varyings);
        let clip = record.map_or(Bounds::default(), |record| record.clip.all);
        let rule = record.map_or(FillRule::default(), |record| record.rule);
        BinningState {
            reach: Only::with(|| record.map_or(0, DrawRecord::reach)),
            sampled: Only::with(|| record.is_some_and(|record| record.samples.rule().reach() != 0)),
            ..BinningState::of(&scene.varyings, varyings, &clip, rule)
        }
    }

    /// Makes the state from the range of a draw's varyings in `table`, the pixels that its
    /// triangles may change, and its fill rule.
    pub(crate) fn of(
        table: &[Varying],
        varyings: (u32, u32),
        clip: &Bounds,
        rule: FillRule,
    ) -> BinningState {
        BinningState {
            layout: VertexLayout::new(table, varyings),
            first_pixel: [clip.x0, clip.y0],
            last_pixel: [clip.x1 - 1, clip.y1 - 1],
            rule,
            center: rule.center(),
            reach: Only::new(0),
            sampled: Only::new(false),
        }
    }
}

/// Returns the columns of `tiles` in a row, without the tiles that lie wholly outside one of `edges`.
#[inline(never)]
fn touched<P: Profile>(tiles: &Bounds, row: i32, edges: &[Edge]) -> Range<i32> {
    let (width, height) = (P::TILE_WIDTH as i32, P::TILE_HEIGHT as i32);
    let (mut first, mut last) = (tiles.x0, tiles.x1);
    for edge in edges {
        // An edge leaves out tiles at one end of the row.
        let mut value = edge.value(first * width, row * height) + edge.rise(width - 1, height - 1);
        let step = i64::from(edge.step_x) * i64::from(width);
        if step < 0 {
            let mut end = first;
            while end < last && value >= 0 {
                (end, value) = (end + 1, value + step);
            }
            last = end;
        } else {
            while first < last && value < 0 {
                (first, value) = (first + 1, value + step);
            }
        }
    }
    first..last
}
