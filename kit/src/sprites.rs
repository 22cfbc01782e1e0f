//! Sprites: textured rectangles, many per draw.

use glam::{Vec2, Vec4};
use pipe_core::{DrawInfo, Format, IndexBuffer, PipeError, PrimType, VertexBuffer};
use tgsi::program::Program;

use crate::device::Device;
use crate::material::set_constants;
use crate::mesh::{self, Layout, Mesh, MeshData};
use crate::pipeline::{Pipeline, PipelineState, Surface};
use crate::shaders;
use crate::texture::Texture;

/// The number of sprites that one draw shows. More sprites take more draws.
pub const SPRITES_PER_DRAW: usize = 16;

/// A textured rectangle. Places are in clip space: x and y from -1 to 1, y up.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprite {
    /// The centre.
    pub center: Vec2,
    /// From the centre to the middle of the right edge.
    pub right: Vec2,
    /// From the centre to the middle of the upper edge.
    pub up: Vec2,
    /// The upper left corner of the part of the texture, 0 to 1.
    pub uv: Vec2,
    /// The size of that part. A negative size mirrors it.
    pub uv_size: Vec2,
    /// The depth, -1 (nearest) to 1.
    pub depth: f32,
    /// The factor of the texels, for [`Sprites::tinted`]: red, green, blue, alpha.
    pub color: Vec4,
}

impl Default for Sprite {
    /// Returns a sprite that fills the picture with the whole texture.
    fn default() -> Self {
        Sprite {
            center: Vec2::ZERO,
            right: Vec2::X,
            up: Vec2::Y,
            uv: Vec2::ZERO,
            uv_size: Vec2::ONE,
            depth: 0.0,
            color: Vec4::ONE,
        }
    }
}

impl Sprite {
    /// Returns an upright sprite with half its width and half its height, in clip space. A negative
    /// half width mirrors it.
    pub fn new(center: Vec2, half: Vec2) -> Self {
        let (right, up) = (Vec2::new(half.x, 0.0), Vec2::new(0.0, half.y));
        Sprite { center, right, up, ..Self::default() }
    }

    /// Returns a sprite turned about its centre, counter-clockwise by an angle in radians, as it
    /// appears on a square picture.
    pub fn turned(center: Vec2, half: Vec2, angle: f32) -> Self {
        let axis = Vec2::from_angle(angle);
        Sprite { center, right: axis * half.x, up: axis.perp() * half.y, ..Self::default() }
    }

    /// Returns the upright sprite of a rectangle in pixels, x right and y down, on a picture of
    /// `size` pixels.
    pub fn pixels(corner: Vec2, sides: Vec2, size: Vec2) -> Self {
        let scale = Vec2::new(2.0, -2.0) / size;
        let center = (corner + sides * 0.5) * scale + Vec2::new(-1.0, 1.0);
        Self::new(center, sides / size)
    }

    /// Returns the sprite with another part of its texture: corner and size, 0 to 1.
    #[must_use]
    pub fn with_part(self, uv: Vec2, uv_size: Vec2) -> Self {
        Sprite { uv, uv_size, ..self }
    }

    /// Returns the four constants of a sprite.
    fn constants(&self) -> [Vec4; 4] {
        let pair = |a: Vec2, b: Vec2| Vec4::new(a.x, a.y, b.x, b.y);
        [
            pair(self.right, self.up),
            pair(self.center, self.uv),
            pair(self.uv_size, Vec2::new(self.depth, 0.0)),
            self.color,
        ]
    }
}

/// The corners of the sprites of a draw: x, y, and the sprite's number times four.
#[expect(clippy::indexing_slicing, reason = "evaluated when this crate is compiled")]
static CORNERS: [[f32; 3]; SPRITES_PER_DRAW * 4] = {
    let mut corners = [[0.0; 3]; SPRITES_PER_DRAW * 4];
    let mut at = 0;
    while at < corners.len() {
        // Half a constant more, so that the conversion to an integer gives the number on every
        // machine.
        corners[at] = [(at % 2) as f32, (at / 2 % 2) as f32, (at / 4 * 4) as f32 + 0.5];
        at += 1;
    }
    corners
};

/// The corners of a single sprite.
static SINGLE_CORNERS: [[f32; 3]; 4] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];

/// Two triangles of a single sprite.
static SINGLE_INDICES: [u8; 6] = [2, 3, 0, 0, 3, 1];

/// Two triangles per sprite, counter-clockwise.
#[expect(clippy::indexing_slicing, reason = "evaluated when this crate is compiled")]
static INDICES: [u8; SPRITES_PER_DRAW * 6] = {
    let mut indices = [0; SPRITES_PER_DRAW * 6];
    let mut at = 0;
    while at < indices.len() {
        indices[at] = (at / 6 * 4 + [2, 3, 0, 0, 3, 1][at % 6]) as u8;
        at += 1;
    }
    indices
};

/// A pipeline that draws sprites of one texture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprites<'m> {
    /// The shaders and state objects.
    pub pipeline: Pipeline,
    /// The corners of the sprites of a draw.
    corners: VertexBuffer,
    /// Six for each sprite of a draw.
    indices: &'m [u8],
}

/// The shaders and the corners of [`Sprites`].
struct Kind {
    programs: [&'static Program<'static>; 2],
    corners: &'static [[f32; 3]],
    indices: &'static [u8],
}

impl<'m> Sprites<'m> {
    /// Creates a pipeline that shows texels.
    ///
    /// # Errors
    /// See [`Pipeline::new`] and [`Mesh::new`].
    pub fn new(device: &mut impl Device<'m>, surface: &Surface) -> Result<Self, PipeError> {
        let programs = [&shaders::SPRITES, &shaders::TEXEL];
        Self::of(device, surface, &Kind { programs, corners: &CORNERS, indices: &INDICES })
    }

    /// Creates a pipeline that shows texels times the colour of the sprite.
    ///
    /// # Errors
    /// See [`Pipeline::new`] and [`Mesh::new`].
    pub fn tinted(device: &mut impl Device<'m>, surface: &Surface) -> Result<Self, PipeError> {
        let programs = [&shaders::TINTED_SPRITES, &shaders::TEXEL_TIMES_COLOR];
        Self::of(device, surface, &Kind { programs, corners: &CORNERS, indices: &INDICES })
    }

    /// Creates a pipeline that shows texels, one sprite per draw: for a few sprites, in 2 KB less
    /// flash than [`new`](Self::new).
    ///
    /// # Errors
    /// See [`Pipeline::new`] and [`Mesh::new`].
    pub fn single(device: &mut impl Device<'m>, surface: &Surface) -> Result<Self, PipeError> {
        let programs = [&shaders::SPRITE, &shaders::TEXEL];
        let (corners, indices) = (&SINGLE_CORNERS, &SINGLE_INDICES);
        Self::of(device, surface, &Kind { programs, corners, indices })
    }

    fn of(device: &mut impl Device<'m>, surface: &Surface, kind: &Kind) -> Result<Self, PipeError> {
        let layout = Layout::positions(12, Format::R32G32B32Float);
        let vertices = bytemuck::cast_slice(kind.corners);
        let mesh = Mesh::new(
            device,
            &MeshData { vertices, layout, indices: kind.indices, index_bytes: 1 },
        )?;
        let [vertex, fragment] = kind.programs;
        let state = PipelineState { vertex, fragment, elements: &[layout.position], surface };
        let pipeline = Pipeline::new(device, &state)?;
        Ok(Sprites { pipeline, corners: mesh.buffer, indices: kind.indices })
    }

    /// Returns the same shaders and corners with other blending, tests and culling.
    ///
    /// # Errors
    /// See [`Pipeline::new`].
    pub fn with_surface(
        self,
        device: &mut impl Device<'m>,
        surface: &Surface,
    ) -> Result<Self, PipeError> {
        Ok(Sprites { pipeline: self.pipeline.with_surface(device, surface)?, ..self })
    }

    /// Draws sprites of a texture, the first one first.
    ///
    /// # Errors
    /// The errors of the driver's calls.
    pub fn draw(
        &self,
        device: &mut impl Device<'m>,
        texture: &Texture,
        sprites: &[Sprite],
    ) -> Result<(), PipeError> {
        self.pipeline.bind(device)?;
        texture.bind(device, 0)?;
        let index = Some(IndexBuffer::user(self.indices, 1));
        let info = DrawInfo { index, ..DrawInfo::new(PrimType::Triangles) };
        let per_draw = (self.indices.len() / 6).clamp(1, SPRITES_PER_DRAW);
        for sprites in sprites.chunks(per_draw) {
            let mut constants = [[Vec4::ZERO; 4]; SPRITES_PER_DRAW];
            for (constants, sprite) in constants.iter_mut().zip(sprites) {
                *constants = sprite.constants();
            }
            let used = constants.get(..sprites.len()).unwrap_or(&[]);
            set_constants(device, Some(used.as_flattened()))?;
            let count = sprites.len() as u32 * 6;
            mesh::draw(device, self.corners, &info, count)?;
        }
        Ok(())
    }
}
