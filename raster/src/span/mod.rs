//! Integer spans: the common fragment programs and states, a row of pixels at a time.
//!
//! ```text
//!   program + state ──recognise──► Recognised (in the draw's record)
//!   + constants, textures ───────► Painter    (once a draw and worker)
//!   + a triangle ──► integer planes ──► blocks ──► rows [left, right) ──► depth, colour, store
//! ```
//!
//! A recogniser looks at what a program computes, not at how it is written: each component of its
//! colour must be a constant, an input, or the texel of one lookup. Then a pixel is a few integer
//! additions, a shift and a store, in the target's own words. Positions, coverage and depth are
//! the general path's, bit for bit; colours and texture coordinates are fixed point:
//!
//! | what | how | against the general path |
//! |---|---|---|
//! | constant, flat | packed once a triangle | the same |
//! | interpolated | Q8.24 of the channel's steps, in 32-bit planes | a step of the target in the rare pixel whose value lies within 2⁻¹⁸ of a tie |
//! | nearly linear | as interpolated, where that is within an eighth of a step of the exact value | a step in the pixels that this puts on a tie's other side |
//! | in perspective | numerators as above over a Q2.30 denominator, one integer division a pixel and a Newton step | the same, within 2⁻⁸ of a tie |
//! | nearest texel | coordinates to 2⁻²⁶ of the texture; in perspective 2⁻¹⁶ of a texel | the neighbouring texel where the coordinate lies that close to its edge |
//!
//! A triangle that is not for this (too steep for 32 bits, or w changes more than 16-fold over
//! it) says so and takes the general path. None of this depends on tiles or on the profile, so
//! every profile draws the same pixels.

mod paint;
mod recognise;
mod rows;
mod shade;

pub(crate) use recognise::{Recognised, recognise};

use pipe_core::CompareFunc;
use tgsi::exec::Lanes;

use self::paint::{Fresh, Plane32, Tile};
use self::recognise::Factor;
use self::rows::Runs;
use self::shade::{Constant, Gouraud, GouraudW, Nearest, NearestW};
use crate::fragment::{TileTargets, position};
use crate::scene::{DrawRecord, POSITION_WORDS, Varying, VaryingMode};
use crate::setup::{Bounds, Gradient, to_i64};
use crate::texture::Sampler;

/// A triangle's vertices as the scene keeps them.
pub(crate) struct Corners<'a> {
    pub(crate) v: [&'a [u32]; 3],
    /// The one that flat varyings come from.
    pub(crate) flat: usize,
}

impl Corners<'_> {
    /// A varying at the three corners.
    fn values(&self, index: usize) -> [f32; 3] {
        self.v.map(|words| words.get(POSITION_WORDS + index).map_or(0.0, |x| f32::from_bits(*x)))
    }
}

/// What painting keeps over a tile.
#[derive(Debug)]
pub(crate) struct Scratch {
    runs: Runs,
    fresh: Fresh,
}

impl Scratch {
    /// For a tile that was cleared to `depth`, if it was.
    pub(crate) fn new(depth: Option<f32>) -> Scratch {
        Scratch { runs: Runs::EMPTY, fresh: Fresh::cleared(depth) }
    }

    /// Something other than spans draws to the tile.
    pub(crate) fn forget(&mut self) {
        self.fresh.forget();
    }
}

/// Depth tests that spans make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DepthTest {
    None,
    /// On 16 bits; the flag says whether depth is written.
    Z16(CompareFunc, bool),
}

/// A colour component of a draw, its constants known.
#[derive(Clone, Copy, Debug)]
enum Component {
    Constant(f32),
    Varying(usize),
}

/// Texels to look up.
#[derive(Clone, Copy, Debug)]
struct Texels<'a> {
    texels: &'a [u16],
    log2_width: u32,
    log2_height: u32,
    /// The varyings that are the coordinates.
    s: usize,
    t: usize,
}

/// What a draw's triangles are painted with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Painter<'a> {
    color: [Component; 3],
    texture: Option<Texels<'a>>,
    depth: DepthTest,
    varyings: &'a [Varying],
    /// Whether any varying is in perspective.
    perspective: bool,
    /// Whether the colour is the same all over a triangle.
    flat: bool,
}

/// Steps of the 565 channels: largest value of each.
const MAX: [f32; 3] = [31.0, 63.0, 31.0];

/// How much w may change over a triangle that is painted in perspective.
const MAX_W_RATIO: f32 = 16.0;

impl<'a> Painter<'a> {
    /// For a draw whose constants are in `rows`. `None`: its texture is not for this.
    pub(crate) fn new<R: Lanes>(
        span: &Recognised,
        varyings: &'a [Varying],
        rows: &[R],
        samplers: &[Sampler<'a>],
    ) -> Option<Painter<'a>> {
        let color = span.color.map(|factor| match factor {
            Factor::Uniform(row) => {
                let lanes = row.index().and_then(|row| rows.get(row));
                let bits = lanes.and_then(|lanes| lanes.as_slice().first()).copied();
                Component::Constant(f32::from_bits(bits.unwrap_or(0)))
            }
            Factor::Varying(index) => Component::Varying(index.into()),
        });
        let texture = match span.texture {
            None => None,
            Some(texture) => {
                let level = samplers.get(usize::from(texture.binding))?.base()?;
                let texels: &[u16] = bytemuck::try_cast_slice(level.bytes).ok()?;
                let whole = level.row_stride == 2 * level.width as usize
                    && texels.len() >= (level.width * level.height) as usize;
                let sizes = level.width.is_power_of_two() && level.height.is_power_of_two();
                if !whole || !sizes || level.width * level.height > 1 << 20 {
                    return None;
                }
                Some(Texels {
                    texels,
                    log2_width: level.width.trailing_zeros(),
                    log2_height: level.height.trailing_zeros(),
                    s: texture.s.into(),
                    t: texture.t.into(),
                })
            }
        };
        let mode = |index: usize| varyings.get(index).map_or(VaryingMode::Flat, |v| v.mode);
        let perspective = varyings.iter().any(|v| v.mode == VaryingMode::Perspective);
        let flat = color.into_iter().all(|component| match component {
            Component::Constant(_) => true,
            Component::Varying(index) => mode(index) == VaryingMode::Flat,
        });
        Some(Painter { color, texture, depth: span.depth, varyings, perspective, flat })
    }

    /// Paints what a triangle covers of a tile; `false` if it must be drawn the general way.
    ///
    /// The scratch is the tile's.
    #[inline(never)]
    pub(crate) fn triangle(
        &self,
        corners: &Corners<'_>,
        record: &DrawRecord,
        tile: &Bounds,
        Scratch { runs, fresh }: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        let v = corners.v.map(position);
        let points = v.map(|v| [v.x, v.y]);
        let region = Bounds::around(&points, record.rule).intersect(&tile.intersect(&record.clip));
        if region.is_empty() || !runs.solve(&points, record.rule, &region) {
            return true;
        }
        let Some(mut tile) = Tile::new(targets, tile, self.depth) else { return false };
        let gradient = Gradient::triangle(&v, record.rule.center());
        let z = gradient.depth(v[0].z, v[1].z, v[2].z).from(region.x0, region.y0);
        let z = &Plane32 { value: z.value, dx: z.dx, dy: z.dy };
        let mut at = Setup {
            painter: self,
            corners,
            gradient,
            right: region.x0 - gradient.x,
            down: region.y0 - gradient.y,
            w: v.map(|v| v.rcp_w),
        };
        let linear = at.is_linear() || (self.texture.is_none() && at.is_nearly_linear());
        if !linear && !at.normalise_w() {
            return false;
        }
        if let Some(texels) = &self.texture {
            return match (linear, at.texture(texels, linear)) {
                (_, None) => false,
                (true, Some([s, t, _])) => {
                    tile.paint(runs, fresh, &region, z, &[s, t], &Nearest::of(texels));
                    true
                }
                (false, Some(planes)) => {
                    tile.paint(runs, fresh, &region, z, &planes, &NearestW::of(texels));
                    true
                }
            };
        }
        if let Some(color) = at.constant() {
            tile.paint(runs, fresh, &region, z, &[], &Constant(color));
            return true;
        }
        match (linear, at.color(linear)) {
            (_, None) => return false,
            (true, Some([r, g, b, _])) => tile.paint(runs, fresh, &region, z, &[r, g, b], &Gouraud),
            (false, Some(planes)) => tile.paint(runs, fresh, &region, z, &planes, &GouraudW),
        }
        true
    }
}

/// The least and the greatest of three.
#[inline(always)]
fn range([a, b, c]: [f32; 3]) -> [f32; 2] {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    [if c < low { c } else { low }, if c > high { c } else { high }]
}

/// From a triangle's vertex values to integer planes.
struct Setup<'s, 'a> {
    painter: &'s Painter<'a>,
    corners: &'s Corners<'s>,
    gradient: Gradient,
    /// From the gradient's reference pixel to the region's first.
    right: i32,
    down: i32,
    /// 1/w of the corners.
    w: [f32; 3],
}

impl Setup<'_, '_> {
    #[inline(always)]
    fn mode(&self, varying: usize) -> VaryingMode {
        self.painter.varyings.get(varying).map_or(VaryingMode::Flat, |varying| varying.mode)
    }

    /// Whether no input needs a division at the pixel.
    fn is_linear(&self) -> bool {
        let [a, b, c] = self.w;
        (a == b && b == c) || !self.painter.perspective
    }

    /// Whether colours that are interpolated without a division are as good: within an eighth of a
    /// step of the target.
    ///
    /// Along an edge whose ends have values `d` apart, and w in a ratio of `r`, the two differ by
    /// at most `d (r - 1) / 4`.
    #[inline(always)]
    fn is_nearly_linear(&self) -> bool {
        let [low, high] = range(self.w);
        // Written so that what is not a number is not linear.
        let mut nearly = low > 0.0;
        for (component, max) in self.painter.color.into_iter().zip(MAX) {
            let [least, most] = range(self.component(component));
            nearly &= (most - least) * max * (high - low) <= 0.5 * low;
        }
        nearly
    }

    /// Scales 1/w so that its greatest value is 1; `false` if it changes too much.
    fn normalise_w(&mut self) -> bool {
        let [least, most] = range(self.w);
        let scale = 1.0 / most;
        self.w = self.w.map(|w| w * scale);
        least > 0.0 && most < least * MAX_W_RATIO
    }

    /// A component at the corners.
    #[inline(always)]
    fn component(&self, component: Component) -> [f32; 3] {
        match component {
            Component::Constant(value) => [value; 3],
            Component::Varying(index) => {
                let values = self.corners.values(index);
                match self.mode(index) {
                    VaryingMode::Flat => [values[self.corners.flat % 3]; 3],
                    _ => values,
                }
            }
        }
    }

    /// The colour, packed, if it is the same everywhere.
    fn constant(&self) -> Option<u16> {
        if !self.painter.flat {
            return None;
        }
        let [r, g, b] = self.painter.color.map(|component| self.component(component)[0]);
        let channel = |x, max| crate::texture::unorm::quantise(x, max);
        Some((channel(r, MAX[0]) << 11 | channel(g, MAX[1]) << 5 | channel(b, MAX[2])) as u16)
    }

    /// The planes of the colour's channels in Q8.24, rounding included, and of 1/w in Q2.30.
    #[inline(always)]
    fn color(&self, linear: bool) -> Option<[Plane32; 4]> {
        let [r, g, b] = self.painter.color;
        let (r, g, b) = (
            self.channel(r, MAX[0], linear)?,
            self.channel(g, MAX[1], linear)?,
            self.channel(b, MAX[2], linear)?,
        );
        let w = if linear { r } else { self.plane(self.w, (1 << 30) as f32)? };
        Some([r, g, b, w])
    }

    #[inline(never)]
    fn channel(&self, component: Component, max: f32, linear: bool) -> Option<Plane32> {
        const SCALE: f32 = (1 << 24) as f32;
        // Half a step, so that the shift at the pixel rounds.
        let mut values = self.component(component).map(|value| value * max + 0.5);
        if !linear {
            values = [0, 1, 2].map(|i: usize| values[i] * self.w[i]);
        }
        self.plane(values, SCALE)
    }

    /// The planes of texture coordinates, and of 1/w.
    #[inline(always)]
    fn texture(&self, texels: &Texels<'_>, linear: bool) -> Option<[Plane32; 3]> {
        let mut planes = [Plane32::default(); 3];
        let axes = [(texels.s, texels.log2_width), (texels.t, texels.log2_height)];
        for (plane, (varying, log2_size)) in planes.iter_mut().zip(axes) {
            let mut values = self.component(Component::Varying(varying));
            if linear {
                *plane = self.wrapping_plane(values)?;
                continue;
            }
            // Whole repeats make no difference but to the range.
            let first = os_shim::math::floor(values[0]);
            let size = (1u32 << log2_size) as f32;
            values = values.map(|value| (value - first) * size);
            // Not a number is not below the bound, and ends here as well.
            if !values.iter().all(|value| value.abs() < 16_384.0) {
                return None;
            }
            values = [0, 1, 2].map(|i: usize| values[i] * self.w[i]);
            *plane = self.plane(values, 65_536.0)?;
        }
        if !linear {
            planes[2] = self.plane(self.w, (1 << 30) as f32)?;
        }
        Some(planes)
    }

    /// The plane through the corners' values; `scale` is the integer for 1.0. `None` where it is
    /// too steep for 32 bits.
    #[inline(always)]
    fn plane(&self, v: [f32; 3], scale: f32) -> Option<Plane32> {
        let plane = self.gradient.plane(v[0], v[1], v[2]);
        // Casts saturate, which is then seen to be steep.
        let (dx, dy) = ((plane.dadx * scale) as i32, (plane.dady * scale) as i32);
        let a = (plane.a * scale) as i32;
        // The two top bits differ in what is 2³⁰ and more.
        let steep = (dx ^ dx << 1) | (dy ^ dy << 1);
        (steep >= 0 && a.unsigned_abs() < i32::MAX as u32).then(|| self.moved_to_region(a, dx, dy))
    }

    /// The plane of a coordinate whose fraction is the whole word.
    #[inline(always)]
    fn wrapping_plane(&self, v: [f32; 3]) -> Option<Plane32> {
        let plane = self.gradient.plane(v[0], v[1], v[2]);
        // Not a number is not near.
        let near = |x: f32| x.abs() < 1024.0;
        if !(near(plane.a) && near(plane.dadx) && near(plane.dady)) {
            return None;
        }
        let [a, dx, dy] =
            [plane.a, plane.dadx, plane.dady].map(|x| to_i64(x * 4_294_967_296.0) as i32);
        Some(self.moved_to_region(a, dx, dy))
    }

    /// A plane from the reference pixel, as one from the region's first.
    #[inline(always)]
    fn moved_to_region(&self, a: i32, dx: i32, dy: i32) -> Plane32 {
        let (right, down) = (dx.wrapping_mul(self.right), dy.wrapping_mul(self.down));
        Plane32 { value: a.wrapping_add(right).wrapping_add(down), dx, dy }
    }
}
