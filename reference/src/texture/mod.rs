//! Lookups in textures, one lane after the other, in `f64`.

mod anisotropy;
mod cube;
mod filter;
mod lod;
mod query;
mod wrap;

use std::sync::Arc;

use formats::Format;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use pipe_core::layout::Layout;
use pipe_core::limits::MAX_SAMPLERS;
use pipe_core::{
    SamplerState, SamplerViewRange, SamplerViewTemplate, Swizzle, TexCompare, TexFilter,
    TextureTarget,
};
use tgsi::exec::{SampleKind, SampleRequest};

pub(crate) use self::anisotropy::MAX_ANISOTROPY;
use crate::nudge::{Nudge, Nudged};
use crate::resource::Resource;
use crate::setup::standard_place;

/// A view bound to a slot, with a copy of its resource's bytes.
#[derive(Debug)]
pub(crate) struct BoundView<'m> {
    slot: u32,
    bytes: Vec<'m, u8>,
    layout: Layout,
    /// The number of samples of a texel.
    samples: u32,
    view: SamplerViewTemplate,
}

impl<'m> BoundView<'m> {
    /// Copies a resource's bytes.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn new(
        slot: u32,
        resource: &Arc<Resource<'m>>,
        view: &SamplerViewTemplate,
        memory: Memory<'m>,
    ) -> Result<Self, OutOfMemory> {
        let bytes = resource.copy(memory)?;
        let samples = resource.template.samples().into();
        Ok(BoundView { slot, bytes, layout: resource.layout, samples, view: *view })
    }
}

/// A view combined with a sampler.
#[derive(Clone, Copy, Debug)]
struct Texture<'t> {
    bytes: &'t [u8],
    layout: &'t Layout,
    /// The number of samples of a texel.
    samples: u32,
    view: SamplerViewTemplate,
    sampler: SamplerState,
}

/// The textures of one stage.
#[derive(Debug)]
pub(crate) struct Textures<'m> {
    pub(crate) views: Vec<'m, BoundView<'m>>,
    /// The samplers by slot; the default state if none is bound.
    pub(crate) samplers: [SamplerState; MAX_SAMPLERS],
    pub(crate) nudge: Nudge,
    /// True if lanes are the pixels of a quad; otherwise implicit levels of detail are 0.
    pub(crate) derivatives: bool,
}

/// The dimensions of a level: width, height, and slices or layers.
type Size = [u32; 3];

/// The shape of a view.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Number of coordinates within an image.
    dimensions: usize,
    array: bool,
    cube: bool,
}

/// A place to look up: the coordinates within an image, and the layer in the resource.
#[derive(Clone, Copy, Debug)]
struct Place {
    coordinates: [f64; 3],
    layer: u32,
    /// Added to texel indices.
    offset: [i32; 3],
    /// The value to compare texels with.
    reference: Option<f64>,
}

impl Texture<'_> {
    fn shape(&self) -> Shape {
        let (dimensions, array, cube) = match self.view.target {
            TextureTarget::Buffer | TextureTarget::Texture1D => (1, false, false),
            TextureTarget::Texture1DArray => (1, true, false),
            TextureTarget::Texture2D | TextureTarget::Rect => (2, false, false),
            TextureTarget::Texture2DArray => (2, true, false),
            TextureTarget::Texture3D => (3, false, false),
            TextureTarget::Cube => (2, false, true),
            TextureTarget::CubeArray => (2, true, true),
        };
        Shape { dimensions, array, cube }
    }

    /// Returns the number of levels of the view.
    fn levels(&self) -> u32 {
        match self.view.range {
            SamplerViewRange::Texture { first_level, last_level, .. } => {
                last_level - first_level + 1
            }
            SamplerViewRange::Buffer { .. } => 1,
        }
    }

    /// Returns the first and the last layer of the view.
    fn layers(&self) -> (u32, u32) {
        match self.view.range {
            SamplerViewRange::Texture { first_layer, last_layer, .. } => (first_layer, last_layer),
            SamplerViewRange::Buffer { .. } => (0, 0),
        }
    }

    /// Returns the size of a level of the view; zeros if there is no such level.
    fn size(&self, level: u32) -> Size {
        match self.view.range {
            SamplerViewRange::Texture { first_level, .. } if level < self.levels() => {
                let place = self.layout.level(first_level + level);
                place.map_or([0; 3], |place| [place.width, place.height, place.layers])
            }
            SamplerViewRange::Buffer { offset, size } if level == 0 => {
                let bytes = (self.bytes.len() as u32).saturating_sub(offset).min(size);
                [bytes / self.view.format.block_bytes().max(1) as u32, 1, 1]
            }
            _ => [0; 3],
        }
    }

    /// Returns a texel of a level of the view, as shaders read it, before the view's swizzle; zeros
    /// if it is outside.
    fn texel(&self, level: u32, place: [u32; 3]) -> [u32; 4] {
        self.sample_of_texel(level, place, 0)
    }

    /// Returns one sample of a texel; see [`texel`](Self::texel).
    fn sample_of_texel(&self, level: u32, [x, y, z]: [u32; 3], sample: u32) -> [u32; 4] {
        let format = self.view.format;
        let block = format.block();
        let start = match self.view.range {
            SamplerViewRange::Texture { first_level, .. } => {
                let plane = sample as usize * self.layout.sample_stride();
                self.layout.offset(first_level + level, x, y, z).map(|start| plane + start)
            }
            SamplerViewRange::Buffer { offset, .. } => {
                Some(offset as usize + x as usize * format.block_bytes())
            }
        };
        let end = |start: usize| start.checked_add(format.block_bytes());
        let Some(bytes) = start.and_then(|start| self.bytes.get(start..end(start)?)) else {
            return [0; 4];
        };
        if format.is_pure_integer() {
            return format.fetch_rgba_bits(bytes);
        }
        let (x, y) =
            (x as usize % usize::from(block.width), y as usize % usize::from(block.height));
        format.fetch_rgba_f32_at(bytes, x, y).map(f32::to_bits)
    }

    fn is_integer(&self) -> bool {
        self.view.format.is_pure_integer()
    }

    fn compares(&self) -> bool {
        self.sampler.compare_mode == TexCompare::RToTexture
    }

    /// Returns the filter to use for an image: integers are not filtered.
    fn filter(&self, filter: TexFilter) -> TexFilter {
        if self.is_integer() { TexFilter::Nearest } else { filter }
    }

    /// Applies the view's swizzle.
    fn swizzled(&self, texel: [u32; 4]) -> [u32; 4] {
        self.view.swizzle.map(|swizzle| self.component(texel, swizzle))
    }

    fn component(&self, texel: [u32; 4], swizzle: Swizzle) -> u32 {
        match swizzle {
            Swizzle::X => texel[0],
            Swizzle::Y => texel[1],
            Swizzle::Z => texel[2],
            Swizzle::W => texel[3],
            Swizzle::One if self.is_integer() => 1,
            Swizzle::One => 1.0f32.to_bits(),
            Swizzle::Zero | Swizzle::None => 0,
        }
    }
}

/// One lane of a request.
#[derive(Clone, Copy, Debug)]
struct Lookup {
    coordinates: [f64; 3],
    /// The coordinates of the quad's lanes: upper row, then lower row, each from the left.
    quad: [[f64; 3]; 4],
    gradients: [[f64; 3]; 2],
    layer: f64,
    /// Integer coordinates, for texel fetches.
    texel: [i32; 3],
    texel_layer: i32,
    compare: Option<f64>,
    lod: Option<f64>,
    level: i32,
}

impl Lookup {
    fn of(request: &SampleRequest<'_, [u32; 4]>, lane: usize) -> Lookup {
        let float = |row: &[u32; 4], lane: usize| f64::from(f32::from_bits(row[lane]));
        let three = |rows: [&[u32; 4]; 3], lane: usize| rows.map(|row| float(row, lane));
        let coord = request.coord;
        Lookup {
            coordinates: three(coord, lane),
            quad: [0, 1, 2, 3].map(|lane| three(coord, lane)),
            gradients: [three(request.ddx, lane), three(request.ddy, lane)],
            layer: request.layer.map_or(0.0, |row| float(row, lane)),
            texel: coord.map(|row| row[lane] as i32),
            texel_layer: request.layer.map_or(0, |row| row[lane] as i32),
            compare: request.compare.map(|row| float(row, lane)),
            lod: request.lod.map(|row| float(row, lane)),
            level: request.lod.map_or(0, |row| row[lane] as i32),
        }
    }
}

impl Textures<'_> {
    /// Answers a request of the program that shades primitive `primitive`, lane by lane.
    pub(crate) fn answer(
        &self,
        primitive: u32,
        request: &SampleRequest<'_, [u32; 4]>,
        out: &mut [[u32; 4]; 4],
    ) {
        let view = self.views.iter().find(|view| view.slot == request.view);
        let sampler = self.samplers.get(request.sampler as usize).copied().unwrap_or_default();
        for lane in (0..4).filter(|lane| request.live >> lane & 1 != 0) {
            let value = match view {
                Some(BoundView { bytes, layout, samples, view, .. }) => {
                    let (samples, view) = (*samples, *view);
                    let texture = Texture { bytes, layout, samples, view, sampler };
                    self.look_up(primitive, &texture, request, lane)
                }
                // An unbound slot reads opaque black, like an incomplete texture.
                None => [0, 0, 0, 1.0f32.to_bits()],
            };
            for (row, component) in out.iter_mut().zip(value) {
                row[lane] = component;
            }
        }
    }

    fn look_up(
        &self,
        primitive: u32,
        texture: &Texture<'_>,
        request: &SampleRequest<'_, [u32; 4]>,
        lane: usize,
    ) -> [u32; 4] {
        let lookup = Lookup::of(request, lane);
        let offset = request.offset.map(i32::from);
        match request.kind {
            SampleKind::Fetch => texture.fetch(&lookup, offset),
            SampleKind::SizeQuery => texture.size_query(&lookup),
            SampleKind::LodQuery => {
                texture.lod_query(self.lambda(primitive, texture, request, &lookup))
            }
            SampleKind::SampleCount => [texture.samples, 0, 0, 0],
            SampleKind::SamplePosition => {
                let place = standard_place(texture.samples, lookup.level as usize);
                let [x, y] = place.map(|sixteenths| (f32::from(sixteenths) / 16.0).to_bits());
                [x, y, 0, 0]
            }
            SampleKind::Gather => {
                let place = self.place(primitive, texture, &lookup, offset);
                texture.gather(&place, request.component)
            }
            SampleKind::Implicit | SampleKind::Bias | SampleKind::Lod | SampleKind::Gradient => {
                let moved = self.nudge.of(Nudged::Ratio, primitive);
                let steps = self.steps(texture, request.kind, &lookup);
                let footprint =
                    steps.and_then(|steps| texture.footprint(request.kind, &lookup, steps, moved));
                let Some(footprint) = footprint else {
                    let place = self.place(primitive, texture, &lookup, offset);
                    let lambda = self.lambda(primitive, texture, request, &lookup);
                    return texture.swizzled(texture.bits(texture.sample(&place, lambda)));
                };
                let given = if request.kind == SampleKind::Bias { lookup.lod } else { None };
                let lambda =
                    footprint.lambda + given.unwrap_or(0.0) + self.bias(primitive, texture);
                let mut sum = [0.0; 4];
                for lookup in footprint.lookups(&lookup) {
                    let place = self.place(primitive, texture, &lookup, offset);
                    for (sum, color) in sum.iter_mut().zip(texture.sample(&place, lambda)) {
                        *sum += color / f64::from(footprint.count);
                    }
                }
                texture.swizzled(texture.bits(sum))
            }
        }
    }

    /// Returns the place of a lookup, moved by the nudge.
    fn place(
        &self,
        primitive: u32,
        texture: &Texture<'_>,
        lookup: &Lookup,
        offset: [i32; 3],
    ) -> Place {
        let shape = texture.shape();
        let (first, last) = texture.layers();
        let count = last - first + 1;
        let mut coordinates = lookup.coordinates;
        let mut face = 0;
        if shape.cube {
            let (found, s, t) = cube::project(coordinates);
            face = found;
            coordinates = [s, t, 0.0];
        }
        let size = texture.size(0);
        for (axis, coordinate) in coordinates.iter_mut().enumerate() {
            let unit = if texture.is_normalized() { f64::from(size[axis].max(1)) } else { 1.0 };
            *coordinate += self.nudge.of(Nudged::Coordinate(axis), primitive) / unit;
        }
        let step = if shape.cube { 6 } else { 1 };
        let layer = match shape.array {
            true => step * wrap::layer(lookup.layer, (count / step).max(1)),
            false => 0,
        };
        let fixed = texture.is_fixed_point_depth();
        let reference = lookup.compare.filter(|_| texture.compares());
        let reference = reference.map(|r| if fixed { r.max(0.0).min(1.0) } else { r });
        Place { coordinates, layer: first + layer + face, offset, reference }
    }

    /// Returns the level of detail of a lookup, with bias and before clamping.
    fn lambda(
        &self,
        primitive: u32,
        texture: &Texture<'_>,
        request: &SampleRequest<'_, [u32; 4]>,
        lookup: &Lookup,
    ) -> f64 {
        let given = lookup.lod.unwrap_or(0.0);
        let lambda = match request.kind {
            SampleKind::Lod => given,
            SampleKind::Gradient => texture.lambda(lookup.coordinates, lookup.gradients),
            SampleKind::Bias if self.derivatives => texture.implicit_lambda(lookup) + given,
            SampleKind::Bias => given,
            _ if self.derivatives => texture.implicit_lambda(lookup),
            _ => 0.0,
        };
        lambda + self.bias(primitive, texture)
    }

    /// Returns the sampler's bias, moved by the nudge.
    fn bias(&self, primitive: u32, texture: &Texture<'_>) -> f64 {
        f64::from(texture.sampler.lod_bias) + self.nudge.of(Nudged::Lod, primitive)
    }

    /// Returns the changes of the coordinates from a pixel to the next one right and to the next
    /// one down; `None` if lanes are not pixels.
    fn steps(
        &self,
        texture: &Texture<'_>,
        kind: SampleKind,
        lookup: &Lookup,
    ) -> Option<[[f64; 3]; 2]> {
        match kind {
            SampleKind::Gradient => Some(lookup.gradients),
            _ => self.derivatives.then(|| texture.quad_steps(lookup)),
        }
    }
}

impl Texture<'_> {
    /// Returns true if coordinates are normalized, that is, not in texels.
    fn is_normalized(&self) -> bool {
        self.sampler.normalized_coords && self.view.target != TextureTarget::Rect
    }

    /// Returns true if the texels are fixed-point depths. References are then clamped to their
    /// range.
    fn is_fixed_point_depth(&self) -> bool {
        let format: Format = self.view.format;
        let channel = format.desc().depth_channel();
        channel.is_some_and(|channel| channel.kind != formats::ChannelKind::Float)
    }
}
