//! The same cube with gallium-kit. `--features kit` builds the firmware with it.

use core::mem::MaybeUninit;

use formats::Format;
use gallium_kit::glam::{Mat4, Vec2, Vec3, Vec4};
use gallium_kit::{
    Camera, Fog, Light, Material, Mesh, MeshData, Raster, Surface, Target, Texture, TextureData,
    View, frustum, nearest, solids,
};
use pipe_core::{Area, Overlay, PipeError, TexWrap, TilePanel};
use raster::Small;

use crate::{SIDE, TEXT, model, text};

/// Everything that draws, in one struct.
pub struct Renderer {
    driver: Raster<Small>,
    display: Target,
    cube: Mesh<'static>,
    paint: Material,
    /// Cosine and sine of the cube's angle.
    turn: [f32; 2],
}

impl Renderer {
    /// Creates the driver in `heap`, and all objects.
    pub fn new(heap: &'static mut [MaybeUninit<u8>]) -> Result<Renderer, PipeError> {
        let mut driver = Raster::new(heap, 4096)?;
        let (color, depth) = (Format::B5G6R5Unorm, Some(Format::Z16Unorm));
        let display = Target::panel(&mut driver, color, depth, [SIDE; 2])?;
        let cube = MeshData::of(&model::VERTICES, solids::LAYOUT, &model::INDICES);
        let cube = Mesh::new(&mut driver, &cube)?;
        let ([width, height], texels) = (model::TEXTURE_SIZE, bytemuck::cast_slice(&model::TEXELS));
        let data = TextureData::of(texels, color, [width, height]);
        let texture = Texture::new(&mut driver, &data, &nearest(TexWrap::Repeat))?;
        let paint = Material::shaded(&mut driver, &cube.layout, &Surface::solid(), texture)?;
        Ok(Renderer { driver, display, cube, paint, turn: [1.0, 0.0] })
    }

    /// Draws a frame, and turns the cube.
    pub fn frame(&mut self, panel: &mut dyn TilePanel) -> Result<(), PipeError> {
        let eye = Mat4::from_translation(Vec3::new(0.0, 0.0, -4.0));
        let camera = Camera::new(frustum(Vec2::ONE, 2.0, 6.0), eye);
        let light = Light { sun: Vec3::new(0.4, 0.7, 0.59), ambient: 0.25, ..Light::default() };
        self.display.begin(&mut self.driver, [0.05, 0.07, 0.15, 1.0])?;
        let view = View { camera, light, fog: Fog::NONE };
        self.paint.draw(&mut self.driver, &self.cube, &view, &place(self.turn))?;
        self.turn = model::step(self.turn);
        let bounds = Area { x: 6, y: 4, width: 6 * TEXT.len() as u32, height: 10 };
        self.display.present(&mut self.driver, &mut Overlay { panel, bounds, draw: text })
    }
}

/// Returns the cube's rotation: about the y axis, then by half a radian about the x axis.
fn place([cos, sin]: [f32; 2]) -> Mat4 {
    let (c, s) = (0.877_582_55, 0.479_425_55);
    let columns = [[cos, s * sin, -c * sin], [0.0, c, s], [sin, -s * cos, c * cos]];
    let [x, y, z] = columns.map(|column| Vec3::from(column).extend(0.0));
    Mat4::from_cols(x, y, z, Vec4::W)
}
