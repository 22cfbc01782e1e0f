//! Fragments: quads in, shaded and blended pixels out, for one tile.
//!
//! ```text
//!  block of coverage → candidates → early depth → batch → interpolate → shade
//!                                                             → alpha, late depth → output
//! ```
//!
//! Quads of several primitives of a draw share a batch, so small triangles fill the lanes too.
//! A batch never holds one pixel twice: where primitives overlap, it is shaded first.

mod batch;
mod finish;
mod interpolate;

use os_shim::pool::Pool;
use os_shim::simd;
use tgsi::exec::{self, Lanes, Mask};
use tgsi::program::Program;

use crate::depth;
use crate::features::{FRAGMENTS, PRIMITIVE_EFFECTS};
use crate::fixed::{BLOCK, DEPTH_BITS, SUBPIXEL_ONE};
use crate::lanes::{QuadPosition, TileTargets};
use crate::profile::Profile;
use crate::resource::{Sampler, Textures};
use crate::scene::{
    ConstantBlock, DrawRecord, Kind, Primitive, Scene, Varying, VaryingMode, Vertex,
};
use crate::setup::{BlockPlane, Bounds, Falloff, Gradient, Plane, Point, Shape};
use crate::shader::Shader;
#[cfg(spans)]
use crate::span::{Corners, Painter, Scratch, Window};
use crate::tile::{Coverage, walk};
use batch::{Batch, QuadSet};
pub(crate) use finish::tests_early;
use finish::{Results, unorm32, write};
use interpolate::{Coordinates, Origin, PixelCoordinates};

/// A scene and the objects that its draws refer to; shared by all workers.
pub(crate) struct Inputs<'a, 'm, P: Profile> {
    pub(crate) scene: &'a Scene<'m, P>,
    pub(crate) shaders: &'a Pool<'m, Shader<'m>>,
    /// Ready samplers, one for each of the scene's texture bindings.
    pub(crate) samplers: &'a [Sampler<'a>],
}

/// The rows and planes one worker shades with.
#[derive(Debug)]
pub(crate) struct Registers<'w, R> {
    pub(crate) rows: &'w mut [R],
    pub(crate) planes: &'w mut [Plane],
    /// The draw whose constants are in the rows.
    pub(crate) prepared: &'w mut Option<u32>,
}

/// Quads on their way through a tile: too much for a board's stack.
#[derive(Debug)]
pub(crate) struct Quads<R: Lanes> {
    /// Quads of the primitive at hand that have not met the depth buffer.
    candidates: Batch<R>,
    batch: Batch<R>,
    /// Quads in the batch from earlier primitives.
    earlier: QuadSet,
    coordinates: Coordinates<R>,
    #[cfg(spans)]
    scratch: Scratch,
}

impl<R: Lanes> Quads<R> {
    /// Between tiles.
    pub(crate) fn none() -> Self {
        Quads {
            candidates: Batch::EMPTY,
            batch: Batch::EMPTY,
            earlier: QuadSet::EMPTY,
            coordinates: Coordinates::EMPTY,
            #[cfg(spans)]
            scratch: Scratch::EMPTY,
        }
    }
}

/// The draw that is being shaded. A worker keeps it from tile to tile.
pub(crate) struct Current<'a> {
    index: u32,
    record: &'a DrawRecord,
    program: Option<Program<'a>>,
    /// Draws its triangles, where that can be done in integers.
    #[cfg(spans)]
    painter: Option<Painter<'a>>,
    varyings: &'a [Varying],
    textures: Textures<'a>,
    constants: [&'a [u8]; crate::scene::MAX_CONSTANT_BLOCKS],
    results: Results,
}

/// Shades one tile.
pub(crate) struct Fragments<'a, 't, 'w, 'm, P: Profile> {
    inputs: &'a Inputs<'a, 'm, P>,
    targets: &'w mut TileTargets<'t>,
    registers: Registers<'w, P::Row>,
    current: &'w mut Option<Current<'a>>,
    /// Empty before and after the tile.
    quads: &'w mut Quads<P::Row>,
    /// Quads in the batch whose inputs are interpolated.
    interpolated: usize,
    origin: Origin,
    /// What spans paint.
    #[cfg(spans)]
    window: Window,
    front: bool,
    /// 1/w as shaders read it, and as attributes are divided by it.
    rcp_w: Plane,
    perspective: Plane,
    /// The primitive's depth, where an integer plane cannot hold it.
    steep: Option<Plane>,
    /// The rim of the primitive, if it is smooth.
    rim: Option<Falloff>,
    /// Whether quads need a look at depth bounds or the rim.
    unusual: bool,
    /// The polygon stipple, if the primitive has one.
    stipple: &'a [u32],
    /// Samples that passed all tests, of draws that count them.
    pub(crate) samples_passed: u64,
    /// Something is neither for spans nor, without the feature `fragments`, for what comes after.
    pub(crate) refused: bool,
}

impl<'a, 't, 'w, 'm, P: Profile> Fragments<'a, 't, 'w, 'm, P> {
    /// For the tile whose first pixel is (`x`, `y`).
    pub(crate) fn new(
        inputs: &'a Inputs<'a, 'm, P>,
        targets: &'w mut TileTargets<'t>,
        registers: Registers<'w, P::Row>,
        quads: &'w mut Quads<P::Row>,
        current: &'w mut Option<Current<'a>>,
        x: i32,
        y: i32,
    ) -> Self {
        #[cfg(spans)]
        {
            let cleared = inputs.scene.initial.as_ref().and_then(|clear| clear.depth);
            quads.scratch.start(cleared);
        }
        #[cfg(spans)]
        let tile = tile::<P>(x, y);
        #[cfg(spans)]
        let clip = current.as_ref().map_or(tile, |current| tile.intersect(&current.record.clip));
        Fragments {
            inputs,
            targets,
            registers,
            current,
            quads,
            interpolated: 0,
            origin: Origin { tile_x: x, tile_y: y, x: 0, y: 0 },
            #[cfg(spans)]
            window: Window { tile, clip },
            front: true,
            rcp_w: Plane::default(),
            perspective: Plane::default(),
            steep: None,
            rim: None,
            unusual: false,
            stipple: &[],
            samples_passed: 0,
            refused: false,
        }
    }

    /// Draws what is still in the batch.
    pub(crate) fn finish(&mut self) {
        self.shade();
    }

    /// Gives back the targets for a clear; what was drawn is in them.
    pub(crate) fn targets(&mut self) -> &mut TileTargets<'t> {
        self.shade();
        #[cfg(spans)]
        self.quads.scratch.forget();
        self.targets
    }

    /// Draws what a primitive covers of the tile.
    #[inline(always)]
    pub(crate) fn primitive(&mut self, primitive: &Primitive) {
        if self.current.as_ref().is_none_or(|current| current.index != primitive.draw) {
            self.shade();
            self.select(primitive.draw);
        }
        #[cfg(spans)]
        if primitive.kind == Kind::Triangle && self.span(primitive) {
            return;
        }
        self.general(primitive);
    }

    /// Draws a triangle in spans; `false` if it must be drawn the general way.
    #[cfg(spans)]
    #[inline(always)]
    fn span(&mut self, primitive: &Primitive) -> bool {
        if self.current.as_ref().is_none_or(|current| current.painter.is_none()) {
            return false;
        }
        if self.quads.batch.count > 0 {
            // Of a primitive before, which was not for spans.
            self.shade();
        }
        let Some(Current { painter: Some(painter), record, .. }) = &*self.current else {
            return false;
        };
        let corners = Corners {
            arena: &self.inputs.scene.arena,
            ids: primitive.vertices,
            flat: primitive.provoking.into(),
        };
        painter.triangle(&corners, record, &self.window, &mut self.quads.scratch, self.targets)
    }

    /// Draws what a primitive covers of the tile quad by quad. (A function of its own, which leaves
    /// the registers to the loop over primitives that are drawn in spans.)
    #[inline(never)]
    fn general(&mut self, primitive: &Primitive) {
        let Some(current) = &*self.current else { return };
        let record = current.record;
        let arena = &self.inputs.scene.arena;
        let [v0, v1, v2] = primitive.vertices.map(|id| Vertex::at(arena, id));
        if !FRAGMENTS {
            #[cfg(spans)]
            self.quads.scratch.forget();
            self.refused = true;
            return;
        }
        let center = record.rule.center();
        (self.rim, self.stipple) = (None, &[]);
        let mut point = None;
        let (shape, gradient) = match primitive.kind {
            Kind::Triangle => {
                let v = [v0.position(), v1.position(), v2.position()];
                let Some(shape) = Shape::triangle(v.map(|v| [v.x, v.y]), record.rule) else {
                    return;
                };
                let ConstantBlock { at, words } = record.stipple;
                self.stipple = arena.get(at as usize, words as usize);
                (shape, Gradient::triangle(&v, center))
            }
            Kind::Line => {
                let v = [v0.position(), v1.position()];
                let ends = v.map(|v| [v.x, v.y]);
                let Some(shape) = record.line.shape(ends[0], ends[1], record.rule) else { return };
                self.rim = record.line.smooth.then(|| record.line.coverage(ends[0], ends[1]));
                (shape, Gradient::line(&v, center))
            }
            Kind::Point => {
                let at = v0.point(&record.point);
                point = Some(at);
                self.rim = record.point.smooth.then(|| at.coverage());
                (at.shape(record.rule), Gradient::point(&v0.position(), center))
            }
            Kind::Clear => return,
        };
        // Lines and points have a vertex more, for their flat attributes.
        let flat = [v0, v1, v2][primitive.provoking as usize % 3];
        // Vertices a kind does not have repeat the first: their differences vanish.
        let (v1, v2) = match primitive.kind {
            Kind::Triangle => (v1, v2),
            Kind::Line => (v1, v0),
            _ => (v0, v0),
        };
        let z = [v0, v1, v2].map(|v| v.position().z);
        // Where planes do not clip, depths may be anything.
        let fits = z.iter().all(|z| (-1.5..=1.5).contains(z));
        self.unusual = !fits || record.depth_range.is_some() || self.rim.is_some();
        let depth = gradient.plane(z[0], z[1], z[2]);
        let tile = tile::<P>(self.origin.tile_x, self.origin.tile_y);
        let clip = tile.intersect(record.clip(primitive.kind));
        #[cfg(spans)]
        {
            let region = clip.intersect(&shape.bounds);
            let tests = record.early_depth && !self.unusual && record.depth.occlusion().hidden;
            if tests && self.quads.scratch.farthest.hides(&depth, &gradient, &region) {
                return;
            }
            self.quads.scratch.touch();
        }
        self.planes(primitive, &gradient, [v0, v1, v2], flat, point);
        self.steep = (!fits).then_some(depth);
        let depth = gradient.fixed_depth(&depth);
        walk(&shape, &clip, |x, y, coverage| self.block(x, y, coverage, depth.from(x, y)));
        self.test_candidates();
        self.interpolate();
    }

    /// Makes a draw the current one and its constants those in the rows.
    #[inline(never)]
    fn select(&mut self, index: u32) {
        let scene = self.inputs.scene;
        *self.current = None;
        let Some(record) = scene.draws.get(index as usize) else { return };
        let program =
            record.shader.and_then(|shader| self.inputs.shaders.get(shader)).map(Shader::program);
        let mut constants: [&[u8]; crate::scene::MAX_CONSTANT_BLOCKS] = [&[]; _];
        for (bytes, block) in constants.iter_mut().zip(range(&scene.constants, record.constants)) {
            *bytes = block_bytes(scene, block);
        }
        let results = program.as_ref().map_or(Results::NONE, Results::of);
        if let Some(program) = &program
            && *self.registers.prepared != Some(index)
        {
            *self.registers.prepared = None;
            if exec::prepare(program, self.registers.rows, &constants).is_err() {
                return;
            }
            *self.registers.prepared = Some(index);
        }
        let samplers = range(self.inputs.samplers, record.textures);
        #[cfg(spans)]
        if record.depth.occlusion().spoils {
            self.quads.scratch.forget();
        }
        #[cfg(spans)]
        let painter = record.span.as_ref().and_then(|span| {
            let varyings = range(&scene.varyings, record.varyings);
            Painter::new(
                span,
                varyings,
                self.registers.rows,
                samplers,
                record,
                #[cfg(feature = "spans-generic")]
                range(&scene.color, record.color).first(),
            )
        });
        #[cfg(spans)]
        {
            self.window.clip = self.window.tile.intersect(&record.clip);
        }
        *self.current = Some(Current {
            index,
            record,
            #[cfg(spans)]
            painter,
            program,
            varyings: range(&scene.varyings, record.varyings),
            textures: Textures { bindings: range(&scene.textures, record.textures), samplers },
            constants,
            results,
        });
    }

    /// Sets up the planes of a primitive's varyings.
    fn planes(
        &mut self,
        primitive: &Primitive,
        gradient: &Gradient,
        v: [Vertex<'_>; 3],
        flat: Vertex<'_>,
        point: Option<Point>,
    ) {
        let Some(current) = &*self.current else { return };
        (self.origin.x, self.origin.y) = (gradient.x, gradient.y);
        self.front = primitive.front;
        let mut w = v.map(|v| v.position().rcp_w);
        self.rcp_w = gradient.plane(w[0], w[1], w[2]);
        self.perspective = self.rcp_w;
        if point.is_some() {
            // Nothing is in perspective: the same everywhere, or the place within the point.
            w = [1.0; 3];
            self.perspective = Plane { a: 1.0, dadx: 0.0, dady: 0.0 };
        }
        let center = current.record.rule.center();
        let from_below = current.record.sprite_from_below;
        let values = current.varyings.iter().enumerate();
        for ((at, varying), plane) in values.zip(self.registers.planes.iter_mut()) {
            if let Some(point) = point.filter(|_| varying.sprite) {
                *plane = sprite(&point, varying.component(), from_below, gradient, center);
                continue;
            }
            let value = |vertex: usize| v[vertex].varying(at);
            *plane = match varying.mode {
                VaryingMode::Flat => Plane { a: flat.varying(at), dadx: 0.0, dady: 0.0 },
                VaryingMode::Linear => gradient.plane(value(0), value(1), value(2)),
                VaryingMode::Perspective => {
                    gradient.plane(value(0) * w[0], value(1) * w[1], value(2) * w[2])
                }
            };
        }
        for quad in self.quads.batch.quads() {
            self.quads.earlier.insert(*quad);
        }
    }

    /// Takes the covered quads of one block.
    #[inline(always)]
    fn block(&mut self, x: i32, y: i32, coverage: &Coverage, depth: BlockPlane) {
        let (left, top) = (x - self.origin.tile_x, y - self.origin.tile_y);
        let stippled;
        let mut coverage = coverage;
        if PRIMITIVE_EFFECTS && !self.stipple.is_empty() {
            stippled = stipple(coverage, self.stipple, x, y);
            coverage = &stippled;
        }
        for row in 0..BLOCK as usize / 2 {
            let (upper, lower) = (coverage[2 * row] as u32, coverage[2 * row + 1] as u32);
            let mut covered = upper | lower;
            if covered == 0 {
                continue;
            }
            let row_z = depth.value.wrapping_add(depth.dy.wrapping_mul(2 * row as i32));
            while covered != 0 {
                let column = covered.trailing_zeros() & !1;
                covered &= !(3 << column);
                let mut pixels = upper >> column & 3 | (lower >> column & 3) << 2;
                let z = row_z.wrapping_add(depth.dx.wrapping_mul(column as i32));
                let right = z.wrapping_add(depth.dx);
                let mut z = [z, right, z.wrapping_add(depth.dy), right.wrapping_add(depth.dy)];
                let mut rim = [0; 4];
                if self.unusual {
                    let (px, py) = (x + column as i32, y + 2 * row as i32);
                    z = self.limited_depth(z, px, py);
                    rim = self.rim_coverage(px, py);
                    // What is not covered at all is no fragment.
                    for (pixel, _) in rim.iter().enumerate().filter(|(_, rim)| **rim == 0) {
                        pixels &= !(1 << pixel);
                    }
                    if pixels == 0 {
                        continue;
                    }
                }
                if self.quads.candidates.is_full() {
                    self.test_candidates();
                }
                let quad = QuadPosition {
                    x: (left + column as i32) as u16,
                    y: (top + 2 * row as i32) as u16,
                };
                self.quads.candidates.push(quad, pixels, self.front, z.map(|z| z as u32));
                if self.unusual {
                    self.quads.candidates.cover(rim);
                }
            }
        }
    }

    /// A quad's depths within the bounds that clamping has.
    #[cold]
    fn limited_depth(&self, z: [i32; 4], x: i32, y: i32) -> [i32; 4] {
        const ONE: i32 = 1 << DEPTH_BITS;
        let range = self.current.as_ref().and_then(|current| current.record.depth_range);
        let [low, high] = range.unwrap_or([i32::MIN, i32::MAX]);
        core::array::from_fn(|pixel| {
            let z = match &self.steep {
                Some(plane) => {
                    let (x, y) = (x + (pixel as i32 & 1), y + (pixel as i32 >> 1));
                    let (x, y) = ((x - self.origin.x) as f32, (y - self.origin.y) as f32);
                    let z = plane.a + plane.dadx * x + plane.dady * y;
                    // `as` saturates and takes NaN to 0.
                    (z.clamp(0.0, 1.0) * ONE as f32) as i32
                }
                None => z[pixel],
            };
            z.clamp(low, high)
        })
    }

    /// How much of a quad's pixels the primitive covers.
    #[cold]
    fn rim_coverage(&self, x: i32, y: i32) -> [u32; 4] {
        let Some(rim) = self.rim.filter(|_| PRIMITIVE_EFFECTS) else {
            return [1.0f32.to_bits(); 4];
        };
        let center = self.current.as_ref().map_or(0, |current| current.record.rule.center());
        let center = center as f32 / SUBPIXEL_ONE as f32;
        core::array::from_fn(|pixel| {
            let (x, y) = (x + (pixel as i32 & 1), y + (pixel as i32 >> 1));
            rim.at(x as f32 + center, y as f32 + center).to_bits()
        })
    }

    /// Moves the candidates that pass early depth into the batch.
    #[inline(never)]
    fn test_candidates(&mut self) {
        if self.quads.candidates.count == 0 {
            return;
        }
        if let Some(current) = &*self.current
            && current.record.early_depth
            && let Some(target) = &mut self.targets.depth
        {
            let candidates = &mut self.quads.candidates;
            simd::vectorize(
                #[inline(always)]
                || {
                    candidates.mask = depth::test(
                        &current.record.depth,
                        target,
                        candidates.quads(),
                        &unorm32(&candidates.z),
                        candidates.mask,
                        candidates.front,
                    );
                },
            );
        }
        let smooth = self.current.as_ref().is_some_and(|current| current.record.is_smooth());
        for index in 0..self.quads.candidates.count {
            let pixels = (self.quads.candidates.mask >> (index * 4) & 0xf) as u32;
            if pixels == 0 {
                continue;
            }
            let quad = self.quads.candidates.quads[index];
            if self.quads.batch.is_full() || self.quads.earlier.contains(quad) {
                self.shade();
            }
            let z = self.quads.candidates.depths(index);
            self.quads.batch.push(quad, pixels, self.front, z);
            if smooth {
                let whole = [1.0f32.to_bits(); 4];
                let rim = self.rim.map_or(whole, |_| self.quads.candidates.covered(index));
                self.quads.batch.cover(rim);
            }
        }
        self.quads.candidates.clear();
    }

    /// Interpolates the inputs of the quads that came since the last time.
    fn interpolate(&mut self) {
        if FRAGMENTS && self.interpolated < self.quads.batch.count {
            simd::vectorize(
                #[inline(always)]
                || self.interpolate_inline(),
            );
        }
    }

    #[inline(always)]
    fn interpolate_inline(&mut self) {
        let (from, to) = (self.interpolated, self.quads.batch.count);
        self.interpolated = to;
        let Some(Current { record, varyings, program: Some(program), .. }) = &*self.current else {
            return;
        };
        let lanes = (from * 4, to * 4);
        self.quads.coordinates.place(&self.quads.batch, from, &self.origin);
        if record.perspective {
            self.quads.coordinates.perspective(&self.perspective, lanes.0, lanes.1);
        }
        for (varying, plane) in varyings.iter().zip(self.registers.planes.iter()) {
            let rows = &mut *self.registers.rows;
            self.quads.coordinates.varying(varying, plane, rows, lanes.0, lanes.1);
        }
        let height = self.inputs.scene.height;
        let pixels = PixelCoordinates::of(&program.properties, height);
        for input in range(&self.inputs.scene.special, record.special) {
            interpolate::special(
                input,
                &self.quads.batch,
                &self.origin,
                pixels,
                &self.quads.coordinates,
                &self.rcp_w,
                self.registers.rows,
                lanes,
            );
        }
    }

    /// Shades the batch and writes its pixels.
    #[inline(always)]
    fn shade(&mut self) {
        if FRAGMENTS && self.quads.batch.count > 0 {
            self.shade_batch();
        }
    }

    // The steps are functions of their own, so that none has the others' locals below it on the
    // stack: a program that samples is where it is deepest.
    #[inline(never)]
    fn shade_batch(&mut self) {
        self.interpolate();
        let mask = self.run_program();
        self.write_pixels(mask);
        self.quads.earlier.remove_rows(self.quads.batch.quads());
        self.quads.batch.clear();
        self.interpolated = 0;
    }

    /// Runs the draw's program on the batch; the lanes that it leaves.
    #[inline(never)]
    fn run_program(&mut self) -> Mask {
        let mask = self.quads.batch.mask;
        let Some(Current { program: Some(program), textures, constants, .. }) = &*self.current
        else {
            return mask;
        };
        let (rows, mut textures) = (&mut *self.registers.rows, *textures);
        let left = simd::vectorize(
            #[inline(always)]
            || exec::run(program, rows, mask, constants, &mut textures),
        );
        // A program that exceeds its loop budget draws nothing.
        left.unwrap_or(0) & mask
    }

    /// Writes the batch's pixels that pass the tests that are left.
    #[inline(never)]
    fn write_pixels(&mut self, mask: Mask) {
        let Some(current) = &*self.current else { return };
        let states = range(&self.inputs.scene.color, current.record.color);
        let (batch, rows, targets) = (&self.quads.batch, &*self.registers.rows, &mut *self.targets);
        let survivors = simd::vectorize(
            #[inline(always)]
            || write(current, states, batch, rows, targets, mask),
        );
        if current.record.count_samples {
            self.samples_passed += u64::from(survivors.count_ones());
        }
    }
}

/// The pixels of the tile whose first is (`x`, `y`).
#[inline(always)]
fn tile<P: Profile>(x: i32, y: i32) -> Bounds {
    Bounds { x0: x, y0: y, x1: x + P::TILE as i32, y1: y + P::TILE as i32 }
}

/// What a polygon stipple leaves of a block's coverage; (`x`, `y`) is its first pixel.
fn stipple(coverage: &Coverage, rows: &[u32], x: i32, y: i32) -> Coverage {
    core::array::from_fn(|row| {
        let pattern = rows.get((y as usize + row) & 31).copied().unwrap_or(u32::MAX);
        // The leftmost pixel is the pattern's highest bit and the coverage's lowest.
        coverage[row] & (pattern.reverse_bits() >> (x & 31)) as u16
    })
}

/// The plane of a component of the place within a point: (s, t, 0, 1), s and t from 0 to 1.
fn sprite(
    point: &Point,
    component: u8,
    from_below: bool,
    gradient: &Gradient,
    center: i32,
) -> Plane {
    let axis = usize::from(component & 1);
    if component > 1 || point.size == 0 {
        let a = if component == 3 { 1.0 } else { 0.0 };
        return Plane { a, dadx: 0.0, dady: 0.0 };
    }
    let reference = [gradient.x, gradient.y][axis] * SUBPIXEL_ONE + center;
    let from = reference - (point.center[axis] - point.size / 2);
    let (mut a, mut step) =
        (from as f32 / point.size as f32, SUBPIXEL_ONE as f32 / point.size as f32);
    if axis == 1 && from_below {
        (a, step) = (1.0 - a, -step);
    }
    if axis == 0 { Plane { a, dadx: step, dady: 0.0 } } else { Plane { a, dadx: 0.0, dady: step } }
}

/// A range of a scene's table.
fn range<T>(table: &[T], (first, count): (u32, u32)) -> &[T] {
    let end = first.saturating_add(count) as usize;
    table.get(first as usize..end).unwrap_or(&[])
}

/// The bytes of a constant buffer's copy.
fn block_bytes<'a, P: Profile>(scene: &'a Scene<'_, P>, block: &ConstantBlock) -> &'a [u8] {
    bytemuck::cast_slice(scene.arena.get(block.at as usize, block.words as usize))
}
