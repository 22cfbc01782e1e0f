//! The scenes. Each scene stresses one part of a driver and has its own file.

mod arithmetic;
mod color_buffers;
mod cube_layers;
mod draw_calls;
mod gouraud;
mod grid_particles;
mod histogram;
mod instanced;
mod layers;
mod lines_points;
mod matrix_product;
mod overdraw;
mod particles;
mod radix_sort;
mod shaders;
mod shadow;
mod sprites;
mod stencil_volumes;
mod tessellated;
mod textured;
mod transparency;
mod turned;
mod wireframe;

use anyhow::Result;
use glow::HasContext;

use self::turned::{PASS, Turned};
use crate::mesh::Mesh;
use crate::program::{FLAT, SHADED};
use crate::surface::Surface;

/// The scenes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Kind {
    /// Eight layers over the whole surface in one colour.
    Fill,
    /// Eight layers over the whole surface, with a trilinear texture of 512×512.
    Textured,
    /// A torus of 20,000 triangles, lit per pixel.
    Lit,
    /// A sheet of 200,000 triangles of a few pixels each, depth-tested.
    SmallTriangles,
    /// A sheet of a million triangles smaller than a pixel, depth-tested.
    SubpixelTriangles,
    /// Sixteen blended layers over the whole surface.
    Overdraw,
    /// Eight intersecting layers of interpolated colour, depth-tested.
    Gouraud,
    /// A torus that casts its shadow on a plane: a depth map of 512×512, with four comparisons per
    /// pixel.
    Shadow,
    /// A loop of 64 iterations of arithmetic per pixel.
    Arithmetic,
    /// Four layers over the whole surface, written to four colour buffers.
    ColorBuffers,
    /// Twelve closed meshes counted into the stencil buffer, separately for front and back faces.
    StencilVolumes,
    /// 4,000 boxes in one instanced draw, depth-tested.
    Instanced,
    /// 10,000 draws of two triangles with a constant changed before each.
    DrawCalls,
    /// 2,000 lines 5 pixels wide and 3,000 points of 12 pixels.
    LinesPoints,
    /// 50 new shaders per frame, each with a small rectangle: the time to a first frame.
    Shaders,
    /// The small triangles through a geometry shader that passes them on unchanged.
    PassThrough,
    /// A torus of 20,000 triangles with edges marked by a geometry shader.
    Wireframe,
    /// 200,000 points that a geometry shader turns into squares.
    Sprites,
    /// A sphere of 60 patches, displaced and divided into half a million triangles.
    Tessellated,
    /// A torus drawn to the six faces of a cube map in one pass, and a cube that shows the map.
    CubeLayers,
    /// 100,000 points that a vertex shader moves from one buffer to another and that are then
    /// drawn.
    Particles,
    /// 200,000 points moved by a compute grid in the same buffer that they are drawn from.
    GridParticles,
    /// A histogram of a million words, counted by atomics.
    Histogram,
    /// A radix sort of a million keys.
    RadixSort,
    /// The product of two matrices of 512×512, with shared memory.
    MatrixProduct,
    /// Eight transparent layers in any order, with lists of fragments linked by image atomics.
    Transparency,
    /// The layers of gouraud with four samples per pixel.
    GouraudSamples,
    /// The lit torus with four samples per pixel.
    LitSamples,
    /// The small triangles with four samples per pixel.
    SmallTrianglesSamples,
    /// The textured layers with four samples per pixel.
    TexturedSamples,
}

/// A scene with its objects created and bound.
pub(crate) trait Scene {
    /// Draws frame `frame` over a cleared surface, without waiting for it.
    ///
    /// # Errors
    /// A shader that does not compile.
    fn draw(&self, surface: &Surface, frame: u32) -> Result<()>;
}

impl Kind {
    /// Returns the number of colour buffers that the scene draws to.
    pub(crate) fn color_buffers(self) -> u32 {
        if self == Kind::ColorBuffers { 4 } else { 1 }
    }

    /// Returns the number of samples per pixel.
    pub(crate) fn samples(self) -> i32 {
        use Kind::{GouraudSamples, LitSamples, SmallTrianglesSamples, TexturedSamples};
        match self {
            GouraudSamples | LitSamples | SmallTrianglesSamples | TexturedSamples => 4,
            _ => 1,
        }
    }

    /// Returns true if the scene needs a context of the core profile. In other profiles, some
    /// drivers do not tessellate or do not let shaders write memory.
    pub(crate) fn is_core(self) -> bool {
        use Kind::{GridParticles, Histogram, MatrixProduct, RadixSort, Tessellated, Transparency};
        let computes = matches!(self, GridParticles | Histogram | RadixSort | MatrixProduct);
        computes || matches!(self, Tessellated | Transparency)
    }

    /// Creates the objects of the scene and binds them.
    ///
    /// # Errors
    /// A shader that does not compile, with the driver's log; an OpenGL error.
    pub(crate) fn scene(self, surface: &Surface) -> Result<Box<dyn Scene>> {
        let turned = |mesh, fragment| Turned::new(surface, mesh, fragment).map(Box::new);
        let scene: Box<dyn Scene> = match self {
            Kind::Fill => Box::new(layers::Layers::new(surface, FLAT, 8, 1.0)?),
            Kind::Textured | Kind::TexturedSamples => Box::new(textured::scene(surface)?),
            Kind::Lit | Kind::LitSamples => turned(&Mesh::torus(200, 50), turned::LIT)?,
            Kind::SmallTriangles | Kind::SmallTrianglesSamples => {
                turned(&Mesh::sheet(400, 250), SHADED)?
            }
            Kind::SubpixelTriangles => turned(&Mesh::sheet(1000, 500), SHADED)?,
            Kind::Overdraw => Box::new(overdraw::scene(surface)?),
            Kind::Gouraud | Kind::GouraudSamples => Box::new(gouraud::Gouraud::new(surface)?),
            Kind::Shadow => Box::new(shadow::Shadow::new(surface)?),
            Kind::Arithmetic => Box::new(arithmetic::Arithmetic::new(surface)?),
            Kind::ColorBuffers => Box::new(color_buffers::scene(surface)?),
            Kind::StencilVolumes => Box::new(stencil_volumes::StencilVolumes::new(surface)?),
            Kind::Instanced => Box::new(instanced::Instanced::new(surface)?),
            Kind::DrawCalls => Box::new(draw_calls::DrawCalls::new(surface)?),
            Kind::LinesPoints => Box::new(lines_points::LinesPoints::new(surface)?),
            Kind::Shaders => Box::new(shaders::Shaders::new(surface)?),
            Kind::PassThrough => {
                Box::new(Turned::with_geometry(surface, &Mesh::sheet(400, 250), &PASS)?)
            }
            Kind::Wireframe => Box::new(wireframe::scene(surface)?),
            Kind::Sprites => Box::new(sprites::Sprites::new(surface)?),
            Kind::Tessellated => Box::new(tessellated::Tessellated::new(surface)?),
            Kind::CubeLayers => Box::new(cube_layers::CubeLayers::new(surface)?),
            Kind::Particles => Box::new(particles::Particles::new(surface)?),
            Kind::GridParticles => Box::new(grid_particles::GridParticles::new(surface)?),
            Kind::Histogram => Box::new(histogram::Histogram::new(surface)?),
            Kind::RadixSort => Box::new(radix_sort::RadixSort::new(surface)?),
            Kind::MatrixProduct => Box::new(matrix_product::MatrixProduct::new(surface)?),
            Kind::Transparency => Box::new(transparency::Transparency::new(surface)?),
        };
        surface.check()?;
        Ok(scene)
    }
}

/// Clears the surface, draws a scene's frame, and averages the samples of its pixels.
///
/// # Errors
/// Like [`Scene::draw`]; or an OpenGL error.
pub(crate) fn frame(scene: &dyn Scene, surface: &Surface, frame: u32) -> Result<()> {
    // SAFETY: the context is current.
    unsafe {
        surface.gl.clear_color(0.1, 0.15, 0.25, 1.0);
        surface.gl.clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT);
    }
    scene.draw(surface, frame)?;
    surface.resolve();
    surface.check()
}

/// Returns the angle of frame `frame`, in radians.
fn angle(frame: u32) -> f32 {
    0.02 * frame as f32
}

/// Returns the centre of one of `cells` cells that divide the range from -1 to 1.
fn center(cell: u32, cells: f32) -> f32 {
    (2.0 * cell as f32 + 1.0) / cells - 1.0
}
