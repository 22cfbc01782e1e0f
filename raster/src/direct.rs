//! A pipeline that is composed when the firmware is built: no screen, no state objects, no handles.
//!
//! It uses the driver's scene, set-up, span kernel and Draw's clipping, so it draws the same
//! pixels. Types replace the state that other programs choose at run time:
//!
//! | type | choices |
//! |---|---|
//! | [`VertexShader`] | yours, in Rust: a position, and values that are interpolated |
//! | [`Paint`] | [`Color`]: the values are the colour; [`Nearest`], [`Linear`]: they are coordinates in an [`Image`]; [`Blended`]: one of these, translucent; [`Either`]: two paints in a frame |
//! | [`Depth`] | [`Nearer`]: nearer triangles win; [`Tested`]: and leave the depth; [`NoDepth`]: later triangles win; or yours |
//!
//! The target is RGB565 and is streamed tile by tile. A 16-bit depth buffer exists for one tile
//! only.
//!
//! ```
//! use formats::Format;
//! use gallium_raster::direct::{Direct, VertexShader, View};
//! use gallium_raster::Tiny;
//! use os_shim::Memory;
//! use pipe_core::{PanelError, TilePanel};
//!
//! struct Plain;
//!
//! impl VertexShader for Plain {
//!     type Vertex = [[f32; 3]; 2];
//!
//!     fn shade(&self, [[x, y, z], [r, g, b]]: &Self::Vertex) -> [[f32; 4]; 2] {
//!         [[*x, *y, *z, 1.0], [*r, *g, *b, 1.0]]
//!     }
//! }
//!
//! /// Takes the pixels, little-endian words.
//! struct Panel(Vec<u16>);
//!
//! impl TilePanel for Panel {
//!     fn tile(
//!         &mut self, x: u32, y: u32, width: u32, height: u32, _: Format, pixels: &[u8], stride: usize,
//!     ) -> Result<(), PanelError> {
//!         for row in 0..height as usize {
//!             for column in 0..width as usize {
//!                 let at = row * stride + 2 * column;
//!                 let word = u16::from_le_bytes([pixels[at], pixels[at + 1]]);
//!                 self.0[(y as usize + row) * 32 + x as usize + column] = word;
//!             }
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let mut direct = Direct::<Tiny>::new(Memory::system(), &View::of(32, 16), 4096)?;
//! direct.clear(0x001f);
//! let red = [1.0, 0.0, 0.0];
//! let corners = [[[-1.0, -1.0, 0.0], red], [[3.0, -1.0, 0.0], red], [[-1.0, 3.0, 0.0], red]];
//! direct.draw(&Plain, &corners, &[0, 1, 2])?;
//! let mut panel = Panel(vec![0; 32 * 16]);
//! direct.present(&mut panel)?;
//! assert!(panel.0.iter().all(|pixel| *pixel == 0xf800));
//! # Ok::<(), pipe_core::PipeError>(())
//! ```

use core::marker::PhantomData;

use draw::direct::DirectPipeline;
pub use draw::direct::VertexShader;
use draw::limits::{Limits, MAX_GUARD_BAND};
use formats::Format;
use os_shim::Vec;
use os_shim::memory::Memory;
use pipe_core::{Area, CompareFunc, Face, PipeError, RasterizerState, TilePanel, ViewportState};
use tgsi::program::Row;

use crate::debug::{Phase, Timer};
use crate::features::{
    Case, GOURAUD_ALONE, Only, SPANS_ALL_TARGETS, SPANS_FILTERED, SPANS_GENERIC, TEXTURES,
};
use crate::lanes::{Level, Target, TileTargets, UnormLayout};
use crate::profile::Profile;
use crate::scene::Viewports;
use crate::scene::recognised::DepthTest;
use crate::scene::{BinningState, Primitive, Scene, SceneSink, TileAddress, Varying, VaryingMode};
use crate::setup::{Bounds, FillRule};
use crate::span::{Corners, Generic, Rgb565, Rules, Scratch, Window};

/// The format of pixels.
const FORMAT: Format = Format::B5G6R5Unorm;
/// Bytes of a pixel.
const PIXEL: usize = 2;
/// The values that are interpolated. Only blended paints use the fourth one.
const VALUES: usize = if SPANS_ALL_TARGETS { 4 } else { 3 };
/// Returns the words in a tile of a profile; a word has two pixels.
const fn tile_words<P: Profile>() -> usize {
    P::TILE_PIXELS as usize / 2
}

/// The display's size and the triangles to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    /// Columns of pixels.
    pub width: u16,
    /// Rows of pixels.
    pub height: u16,
    /// Drops triangles with corners that run clockwise on the display.
    pub cull_clockwise: bool,
}

impl View {
    /// Returns the view of a display, with y up in clip space, that shows both sides of triangles.
    pub const fn of(width: u16, height: u16) -> View {
        View { width, height, cull_clockwise: false }
    }
}

/// A depth test on 16 bits of depth, which start at 1.
pub trait Depth: Copy {
    /// The comparison of a pixel's depth with the stored depth. `None`: no depth is tested or
    /// stored, and its memory is saved.
    const FUNC: Option<CompareFunc>;

    /// True if a pixel that passes stores its depth.
    const WRITES: bool = true;
}

/// Nearer triangles win.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Nearer;

impl Depth for Nearer {
    const FUNC: Option<CompareFunc> = Some(CompareFunc::Less);
}

/// Nearer triangles win, and the stored depth stays: for [`Blended`] triangles after solid ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tested;

impl Depth for Tested {
    const FUNC: Option<CompareFunc> = Some(CompareFunc::Less);
    const WRITES: bool = false;
}

/// Later triangles win.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoDepth;

impl Depth for NoDepth {
    const FUNC: Option<CompareFunc> = None;
}

/// Returns the kernel's test of a type.
const fn depth_test<D: Depth>() -> DepthTest {
    match D::FUNC {
        None => DepthTest::None,
        Some(func) => DepthTest::Z16(func, D::WRITES),
    }
}

/// How pixels get their colours from the values that a [`VertexShader`] returns after the position.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not paint",
    note = "`Color`, `Nearest` and `Linear` do, with `Image`s of `B5G6R5`; `Blended` of these three, with any `Image`; and `Either`"
)]
pub trait Paint: Copy {
    /// The depth test.
    type Depth: Depth;

    /// Returns the code that paints pixels.
    fn brush(&self) -> Brush<'_>;
}

/// The code that paints pixels. Only this crate's [`Paint`]s make one.
#[derive(Debug)]
pub struct Brush<'a>(Held<'a>);

/// A kernel; a constant one is not copied.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a tile has one, on the stack")]
enum Held<'a> {
    Constant(&'static Rgb565<'static>),
    Own(Rgb565<'a>),
    Blended(Case<Generic<'a, true>, { SPANS_GENERIC as usize }>),
}

impl<'a> Brush<'a> {
    /// Makes the brush of a kernel that blends.
    #[inline(always)]
    fn blended(kernel: Generic<'a, true>) -> Brush<'a> {
        // `Blended::EXISTS` leaves no other case.
        let solid = const { &Rgb565::of_colors(DepthTest::None) };
        Brush(Case::new(kernel).map_or(Held::Constant(solid), Held::Blended))
    }

    /// Paints the pixels of a tile that a triangle covers; returns false if the target does not
    /// suit the kernel.
    #[inline(always)]
    fn triangle(
        &self,
        corners: &Corners<'_>,
        rules: Rules,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        let kernel = match &self.0 {
            Held::Constant(kernel) => kernel,
            Held::Own(kernel) => kernel,
            Held::Blended(kernel) => {
                return kernel.get().is_some_and(|kernel| {
                    kernel.paint_triangle(corners, rules.fill, window, scratch, targets)
                });
            }
        };
        kernel.triangle(corners, rules, window, scratch, targets)
    }
}

/// Interpolated colours: the values are red, green and blue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Color<D: Depth = Nearer>(PhantomData<D>);

impl<D: Depth> Default for Color<D> {
    fn default() -> Self {
        Color(PhantomData)
    }
}

impl<D: Depth> Paint for Color<D> {
    type Depth = D;

    #[inline(always)]
    fn brush(&self) -> Brush<'_> {
        const {
            let is_nearer = matches!(depth_test::<D>(), DepthTest::NEARER);
            assert!(
                !GOURAUD_ALONE || is_nearer,
                "`gouraud-alone` of gallium-raster has this code for `Nearer` only"
            );
        }
        Brush(Held::Constant(const { &Rgb565::of_colors(depth_test::<D>()) }))
    }
}

/// The format of an [`Image`]: words of 16 bits.
pub trait Texel: Copy {
    /// False: the words are [`B5G6R5`]. True: they are [`B4G4R4A4`].
    const HAS_ALPHA: bool;
}

/// RGB565: red in the five highest bits, then six of green.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct B5G6R5;

impl Texel for B5G6R5 {
    const HAS_ALPHA: bool = false;
}

/// Four bits for alpha, the highest, red, green and blue, for [`Blended`] paints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct B4G4R4A4;

impl Texel for B4G4R4A4 {
    const HAS_ALPHA: bool = true;
}

/// Returns the layout of a format.
const fn layout<F: Texel>() -> &'static UnormLayout {
    if F::HAS_ALPHA { &UnormLayout::B4G4R4A4 } else { &UnormLayout::B5G6R5 }
}

/// A texture that repeats.
#[derive(Clone, Copy, Debug)]
pub struct Image<'t, F: Texel = B5G6R5> {
    texels: &'t [u16],
    log2: [u32; 2],
    format: PhantomData<F>,
}

/// The most texels of an [`Image`].
const MAX_TEXELS: u64 = 1 << 20;
/// The most texels of its side.
const MAX_SIDE: u64 = 1 << 13;

impl<'t> Image<'t> {
    /// Takes `width` × `height` texels of RGB565, row by row; (0, 0) in coordinates is the first texel's corner,
    /// (1, 1) the end.
    ///
    /// # Errors
    /// A side is not a power of two, or is longer than 8,192; more than 2²⁰ texels; `texels` has too few.
    pub fn new(texels: &'t [u16], width: u32, height: u32) -> Result<Self, PipeError> {
        Self::of(texels, width, height)
    }
}

impl<'t> Image<'t, B4G4R4A4> {
    /// Takes texels with alpha, as [`new`](Image::new) takes texels without.
    ///
    /// # Errors
    /// See [`new`](Image::new).
    pub fn with_alpha(texels: &'t [u16], width: u32, height: u32) -> Result<Self, PipeError> {
        Self::of(texels, width, height)
    }
}

impl<'t, F: Texel> Image<'t, F> {
    fn of(texels: &'t [u16], width: u32, height: u32) -> Result<Self, PipeError> {
        if !width.is_power_of_two() || !height.is_power_of_two() {
            return Err(PipeError::Invalid("the sides of an image are not powers of two"));
        }
        let count = u64::from(width) * u64::from(height);
        PipeError::at_most("texels of an image", count, MAX_TEXELS)?;
        PipeError::at_most("texels of an image's side", width.max(height).into(), MAX_SIDE)?;
        let Some(texels) = texels.get(..count as usize) else {
            return Err(PipeError::Invalid("the slice has fewer texels than the image"));
        };
        let log2 = [width, height].map(u32::trailing_zeros);
        Ok(Image { texels, log2, format: PhantomData })
    }
}

/// Nearest texels: the first two values are the coordinates, the third is not used.
///
/// ```
/// use gallium_raster::Tiny;
/// use gallium_raster::direct::{Direct, Image, Nearest, VertexShader, View};
/// use os_shim::Memory;
///
/// /// Shows the image four times in both directions.
/// struct Tiles;
///
/// impl VertexShader for Tiles {
///     type Vertex = [f32; 2];
///
///     fn shade(&self, &[x, y]: &[f32; 2]) -> [[f32; 4]; 2] {
///         [[x, y, 0.0, 1.0], [2.0 * x, 2.0 * y, 0.0, 0.0]]
///     }
/// }
///
/// static FLAG: [u16; 4] = [0xf800, 0xf800, 0x001f, 0x001f];
///
/// let flag = Nearest::of(Image::new(&FLAG, 2, 2)?);
/// let view = View::of(32, 16);
/// let mut direct = Direct::<Tiny, Nearest<'_>>::with(Memory::system(), &view, 4096, flag)?;
/// direct.draw(&Tiles, &[[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]], &[0, 1, 2])?;
/// # Ok::<(), pipe_core::PipeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Nearest<'t, D: Depth = Nearer, F: Texel = B5G6R5> {
    image: Image<'t, F>,
    depth: PhantomData<D>,
}

impl<'t, D: Depth, F: Texel> Nearest<'t, D, F> {
    /// Paints texels of an image.
    pub fn of(image: Image<'t, F>) -> Self {
        Nearest { image, depth: PhantomData }
    }
}

impl<D: Depth> Paint for Nearest<'_, D> {
    type Depth = D;

    #[inline(always)]
    fn brush(&self) -> Brush<'_> {
        const {
            assert!(TEXTURES, "`direct::Nearest` needs the feature `textures` of gallium-raster");
            assert!(!GOURAUD_ALONE, "`gouraud-alone` of gallium-raster leaves textures out");
        }
        let Image { texels, log2, .. } = self.image;
        Brush(Held::Own(Rgb565::of_texels(depth_test::<D>(), texels, log2)))
    }
}

/// Means of the four nearest texels (bilinear): the first two values are the coordinates, the third multiplies
/// the texel, for instance with light.
#[derive(Clone, Copy, Debug)]
pub struct Linear<'t, D: Depth = Nearer, F: Texel = B5G6R5> {
    image: Image<'t, F>,
    levels: [Level<'t>; 1],
    depth: PhantomData<D>,
}

impl<'t, D: Depth, F: Texel> Linear<'t, D, F> {
    /// Paints means of texels of an image.
    pub fn of(image: Image<'t, F>) -> Self {
        let bytes: &[u8] = bytemuck::cast_slice(image.texels);
        let [width, height] = image.log2.map(|log2| 1 << log2);
        let level = Level {
            bytes,
            width,
            height,
            depth: 1,
            row_stride: width as usize * PIXEL,
            layer_stride: bytes.len(),
            ..Level::default()
        };
        Linear { image, levels: [level], depth: PhantomData }
    }
}

impl<D: Depth> Paint for Linear<'_, D> {
    type Depth = D;

    #[inline(always)]
    fn brush(&self) -> Brush<'_> {
        const {
            assert!(
                SPANS_FILTERED,
                "`direct::Linear` needs the feature `spans-filtered` of gallium-raster"
            );
            assert!(!GOURAUD_ALONE, "`gouraud-alone` of gallium-raster leaves textures out");
        }
        Brush(Held::Own(Rgb565::of_means(depth_test::<D>(), &self.levels)))
    }
}

/// A paint that is laid over the picture by its alpha: colour · alpha + picture · (1 - alpha).
///
/// Alpha is the fourth value; with an image it is the texel's alpha times the fourth value. Draw
/// blended triangles after solid ones, the farthest first. A driver that blends with `SrcAlpha` and
/// `InvSrcAlpha` draws the same pixels.
///
/// Both kinds of triangles in a frame, with [`Either`]:
///
/// ```
/// # #[cfg(feature = "spans-all")]
/// # fn main() -> Result<(), pipe_core::PipeError> {
/// use gallium_raster::Tiny;
/// use gallium_raster::direct::{Blended, Color, Direct, Either, Tested, VertexShader, View};
/// use os_shim::Memory;
///
/// /// Fills the picture with a colour, at a depth.
/// struct Fill(f32, [f32; 4]);
///
/// impl VertexShader for Fill {
///     type Vertex = [f32; 2];
///
///     fn shade(&self, &[x, y]: &[f32; 2]) -> [[f32; 4]; 2] {
///         [[x, y, self.0, 1.0], self.1]
///     }
/// }
///
/// type Paints = Either<Color, Blended<Color<Tested>>>;
///
/// let (solid, glass) = (Paints::First(Color::default()), Paints::Second(Blended::default()));
/// let view = View::of(32, 16);
/// let mut direct = Direct::<Tiny, Paints>::with(Memory::system(), &view, 4096, solid)?;
/// let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];
/// direct.draw(&Fill(0.5, [1.0, 0.0, 0.0, 1.0]), &corners, &[0, 1, 2])?;
/// direct.paint(glass)?;
/// direct.draw(&Fill(0.0, [0.0, 0.0, 1.0, 0.25]), &corners, &[0, 1, 2])?;
/// # Ok(()) }
/// # #[cfg(not(feature = "spans-all"))]
/// # fn main() {}
/// ```
///
/// An image with alpha is not painted without `Blended`:
///
/// ```compile_fail,E0277
/// use gallium_raster::Tiny;
/// use gallium_raster::direct::{B4G4R4A4, Direct, Image, Nearer, Nearest, View};
/// # use os_shim::Memory;
/// type Sprite = Nearest<'static, Nearer, B4G4R4A4>;
/// # fn start(paint: Sprite) -> Result<(), pipe_core::PipeError> {
/// let direct = Direct::<Tiny, Sprite>::with(Memory::system(), &View::of(32, 16), 4096, paint)?;
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Blended<K>(K);

impl<K> Blended<K> {
    /// Fails to compile if the build has no code for it.
    const EXISTS: () = {
        assert!(
            SPANS_ALL_TARGETS,
            "`direct::Blended` needs the feature `spans-all` of gallium-raster"
        );
        assert!(!GOURAUD_ALONE, "`gouraud-alone` of gallium-raster leaves blending out");
    };

    /// Makes a paint translucent.
    pub fn of(paint: K) -> Self {
        Blended(paint)
    }
}

impl<D: Depth> Paint for Blended<Color<D>> {
    type Depth = D;

    #[inline(always)]
    fn brush(&self) -> Brush<'_> {
        let () = Self::EXISTS;
        Brush::blended(const { Generic::of_colors(depth_test::<D>()) })
    }
}

impl<D: Depth, F: Texel> Paint for Blended<Nearest<'_, D, F>> {
    type Depth = D;

    #[inline(always)]
    fn brush(&self) -> Brush<'_> {
        let () = Self::EXISTS;
        Brush::blended(self.0.image.blended(depth_test::<D>(), false))
    }
}

impl<D: Depth, F: Texel> Paint for Blended<Linear<'_, D, F>> {
    type Depth = D;

    #[inline(always)]
    fn brush(&self) -> Brush<'_> {
        let () = Self::EXISTS;
        Brush::blended(self.0.image.blended(depth_test::<D>(), true))
    }
}

impl<'t, F: Texel> Image<'t, F> {
    /// Returns the kernel that blends texels, or means of them.
    fn blended(&self, depth: DepthTest, linear: bool) -> Generic<'t, true> {
        let bytes = bytemuck::cast_slice(self.texels);
        Generic::of_texels(depth, layout::<F>(), bytes, self.log2, linear)
    }
}

/// Two kinds of paint in a frame, for instance solid and [`Blended`] ones. Nest it for more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Either<A, B> {
    /// The first kind.
    First(A),
    /// The second kind. It may test depth only if the first kind does.
    Second(B),
}

impl<A: Paint, B: Paint> Paint for Either<A, B> {
    type Depth = A::Depth;

    #[inline(always)]
    fn brush(&self) -> Brush<'_> {
        const {
            assert!(
                <A::Depth as Depth>::FUNC.is_some() || <B::Depth as Depth>::FUNC.is_none(),
                "the first paint of `direct::Either` has `NoDepth`, and the second one tests depth"
            );
        }
        match self {
            Either::First(paint) => paint.brush(),
            Either::Second(paint) => paint.brush(),
        }
    }
}

/// The pipeline, with its memory.
pub struct Direct<'m, P: Profile, K: Paint = Color> {
    vertices: DirectPipeline<'m>,
    scene: Scene<'m, P>,
    binning: BinningState,
    paint: K,
    /// The paints of the frame, in the order of [`paint`](Self::paint); draws use the last. Empty
    /// if paints [are all one](Self::IS_ONE).
    paints: Vec<'m, K>,
    /// The tile's colours and depths, stored as words for alignment.
    color: Vec<'m, u32>,
    depth: Vec<'m, u32>,
    scratch: Scratch,
    /// The colour that each frame starts with.
    cleared: u16,
    profile: PhantomData<P>,
}

/// OpenGL's rules: pixel centres lie at half-integer coordinates.
const RULE: FillRule = FillRule { half_pixel_center: true, bottom_edge: false };

impl<'m, P: Profile> Direct<'m, P> {
    /// Makes a pipeline of interpolated colours, where nearer triangles win: [`with`](Self::with) `Color`.
    ///
    /// # Errors
    /// See [`with`](Self::with).
    pub fn new(memory: Memory<'m>, view: &View, scene_bytes: usize) -> Result<Self, PipeError> {
        Self::with(memory, view, scene_bytes, Color(PhantomData))
    }
}

impl<'m, P: Profile, K: Paint> Direct<'m, P, K> {
    /// True if paints have no data.
    const IS_ONE: bool = size_of::<K>() == 0;

    /// Makes a pipeline and allocates its memory: `scene_bytes` for the triangles of a frame, a tile of colours and
    /// one of depth if depth is tested, and the vertices in flight. It draws with `paint` until another is set.
    ///
    /// # Errors
    /// Out of memory; a view without pixels, or larger than the profile's largest texture.
    pub fn with(
        memory: Memory<'m>,
        view: &View,
        scene_bytes: usize,
        paint: K,
    ) -> Result<Self, PipeError> {
        let (width, height) = (u32::from(view.width), u32::from(view.height));
        if width == 0 || height == 0 {
            return Err(PipeError::Invalid("the view has no pixels"));
        }
        let largest = width.max(height);
        PipeError::at_most("the view's side", largest.into(), P::MAX_TEXTURE_SIZE.into())?;
        let rasterizer = RasterizerState {
            cull_face: if view.cull_clockwise { Face::Back } else { Face::None },
            front_ccw: true,
            ..RasterizerState::default()
        };
        let limits =
            Limits { segment_vertices: P::SEGMENT_VERTICES as u16, guard_band: MAX_GUARD_BAND };
        let viewport = ViewportState::y_up(width, height);
        let vertices = DirectPipeline::new(memory, limits, &viewport, &rasterizer)?;
        let mut scene = Scene::new(scene_bytes, memory)?;
        scene.resize(width, height, 1)?;
        for component in 0..VALUES as u8 {
            scene.varyings.try_push(Varying {
                source: Varying::source(1, component),
                mode: VaryingMode::Perspective,
                sprite: false,
                centroid: Only::new(false),
                row: Row::NONE,
            })?;
        }
        let clip = Bounds { x0: 0, y0: 0, x1: width as i32, y1: height as i32 };
        let binning = BinningState::of(&scene.varyings, (0, VALUES as u32), &clip, RULE);
        let mut color = Vec::new_in(memory);
        color.try_resize(tile_words::<P>(), 0)?;
        let mut depth = Vec::new_in(memory);
        if <K::Depth as Depth>::FUNC.is_some() {
            depth.try_resize(tile_words::<P>(), 0)?;
        }
        let mut paints = Vec::new_in(memory);
        if !Self::IS_ONE {
            paints.try_push(paint)?;
        }
        let scratch = Scratch::new();
        Ok(Direct {
            vertices,
            scene,
            binning,
            paint,
            paints,
            color,
            depth,
            scratch,
            cleared: 0,
            profile: PhantomData,
        })
    }

    /// Sets the background colour, a word of RGB565, from the next frame on.
    pub fn clear(&mut self, color: u16) {
        self.cleared = color;
    }

    /// Sets the paint of the draws that follow, also in the next frames.
    ///
    /// # Errors
    /// Out of memory; more paints in a frame than the profile's bins tell apart (2,047 with ids of 16 bits).
    pub fn paint(&mut self, paint: K) -> Result<(), PipeError> {
        if !Self::IS_ONE {
            let most = Primitive::max_draws::<P::Id>() - 1;
            PipeError::at_most("paints of a frame", self.paints.len() as u64, most as u64)?;
            self.paints.try_push(paint)?;
        }
        self.paint = paint;
        Ok(())
    }

    /// Draws triangles into the frame; three `indices` make a triangle.
    ///
    /// Skips triangles that have an index beyond `vertices`, or a NaN or an infinity in a position.
    ///
    /// # Errors
    /// [`PipeError::SceneFull`]: the frame's triangles need more than the scene's bytes. Triangles
    /// recorded before that stay in the frame.
    pub fn draw<V: VertexShader>(
        &mut self,
        shader: &V,
        vertices: &[V::Vertex],
        indices: &[u16],
    ) -> Result<(), PipeError> {
        let mut sink = SceneSink {
            scene: &mut self.scene,
            draw: self.paints.len().saturating_sub(1) as u32,
            binning: self.binning,
            make_room: |scene: &mut Scene<'m, P>, _| Err(scene.too_small()),
            capture: None::<fn(u8, &[&[[f32; 4]]])>,
            culled: Only::default(),
            watch: Timer::OFF.start(Phase::Primitives),
            viewports: Only::with(|| Viewports::new(&[])),
        };
        self.vertices.run(shader, vertices, indices, &mut sink)?;
        Ok(())
    }

    /// Rasterizes the frame, hands its tiles to the panel, and begins the next frame. If the panel
    /// lends memory, tiles are drawn there.
    ///
    /// # Errors
    /// The panel's errors. [`PipeError::Invalid`]: the panel lends memory that is not aligned to 2
    /// bytes, so its triangles are not drawn.
    pub fn present<T: TilePanel + ?Sized>(&mut self, panel: &mut T) -> Result<(), PipeError> {
        let (width, height) = (self.scene.width, self.scene.height);
        let shown = self.show(panel, width, height);
        // The tables of varyings stay valid.
        self.scene.arena.clear();
        self.scene.bins.clear();
        if !Self::IS_ONE {
            self.paints.clear();
            // There is room: there was one.
            self.paints.try_push(self.paint)?;
        }
        if shown? {
            Ok(())
        } else {
            Err(PipeError::Invalid("the panel's memory is not aligned to 2 bytes"))
        }
    }

    /// Rasterizes and shows all tiles; returns true if all lent memory was aligned.
    fn show<T: TilePanel + ?Sized>(
        &mut self,
        panel: &mut T,
        width: u32,
        height: u32,
    ) -> Result<bool, PipeError> {
        let mut complete = true;
        self.scratch.start_frame();
        panel.begin(width, height)?;
        for row in 0..height.div_ceil(P::TILE_HEIGHT) {
            for column in 0..width.div_ceil(P::TILE_WIDTH) {
                let (x, y) = (column * P::TILE_WIDTH, row * P::TILE_HEIGHT);
                let (width, height) =
                    (P::TILE_WIDTH.min(width - x), P::TILE_HEIGHT.min(height - y));
                let area = Area { x, y, width, height };
                let tile = TileAddress { layer: 0, column, row };
                let stride = width as usize * PIXEL;
                let bytes = stride * height as usize;
                if let Some(lent) = panel.lend(bytes)? {
                    let lent = lent.get_mut(..bytes).ok_or(SHORT)?;
                    complete &= self.tile(tile, area, Some(lent));
                    panel.send(area, FORMAT)?;
                    continue;
                }
                complete &= self.tile(tile, area, None);
                let pixels = bytemuck::cast_slice_mut(&mut self.color);
                let pixels = pixels.get_mut(..bytes).ok_or(SHORT)?;
                panel.overlay(area, FORMAT, pixels, stride);
                panel.tile(x, y, width, height, FORMAT, pixels, stride)?;
            }
        }
        panel.finish()?;
        Ok(complete)
    }

    /// Draws a tile in the pipeline's memory or in memory lent by the panel. Returns true if it
    /// drew every triangle, which needs memory aligned to words.
    fn tile(&mut self, tile: TileAddress, area: Area, lent: Option<&mut [u8]>) -> bool {
        let Area { x, y, width, height } = area;
        let Direct { scene, binning, paint, paints, color, depth, scratch, cleared, .. } = self;
        let color = match lent {
            Some(lent) => lent,
            None => bytemuck::cast_slice_mut(color),
        };
        match bytemuck::try_cast_slice_mut::<u8, u16>(color) {
            Ok(words) => words.fill(*cleared),
            // The kernel refuses unaligned memory.
            Err(_) => color.fill(0),
        }
        depth.fill(u32::MAX);
        let tests_depth = <K::Depth as Depth>::FUNC.is_some();
        scratch.start(tests_depth.then_some(1.0), true);
        let target = |bytes, format| {
            Some(Target { bytes, stride: width as usize * PIXEL, format, width, height })
        };
        let mut targets = TileTargets::none();
        let [first, ..] = &mut targets.color;
        *first = target(color, FORMAT);
        if tests_depth {
            targets.depth = target(bytemuck::cast_slice_mut(depth), Format::Z16Unorm);
        }
        let (x, y) = (x as i32, y as i32);
        let pixels = Bounds { x0: x, y0: y, x1: x + width as i32, y1: y + height as i32 };
        let window = Window { tile: pixels, clip: pixels };
        let rules = Rules {
            fill: binning.rule,
            in_floats: true,
            samples: Only::new(crate::setup::SampleRule::ONE),
        };
        let mut complete = true;
        let mut current = Self::IS_ONE.then(|| (0, paint.brush()));
        for entry in scene.bins.entries(tile, &scene.arena) {
            let primitive = Primitive::load::<P::Id>(&scene.arena, entry, |_| VALUES);
            let Some(Primitive { vertices, provoking, draw, .. }) = primitive else { continue };
            if !Self::IS_ONE && current.as_ref().is_none_or(|(last, _)| *last != draw) {
                current = paints.get(draw as usize).map(|paint| (draw, paint.brush()));
            }
            let Some((_, brush)) = &current else { continue };
            let corners = Corners { arena: &scene.arena, ids: vertices, flat: provoking.into() };
            complete &= brush.triangle(&corners, rules, &window, scratch, &mut targets);
        }
        complete
    }
}

/// The error for a panel that lends less memory than requested.
const SHORT: PipeError = PipeError::Invalid("the panel lends too few bytes for a tile");
