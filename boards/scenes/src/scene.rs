//! The scenes, one row per scene.

use bytemuck::Zeroable;
use tgsi::program::Program;

use crate::asset::{CHECKER, Kind, Mesh, QUAD, Texture};
#[cfg(feature = "tessellation")]
use crate::data::TEAPOT_PATCHES;
use crate::data::{
    BABOON, BABOON_GREY, BUNNY, BUNNY_SMALL, CUBE, TEAPOT, TEAPOT_SMALL, TORUS, TRIANGLES,
};
#[cfg(feature = "compute")]
use crate::life;
use crate::matrix::{Mat4, normalize};
#[cfg(feature = "tessellation")]
use crate::patch_shaders;
use crate::shaders;

/// The filter of a scene's texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    /// The nearest texel of level 0.
    Nearest,
    /// Bilinear within level 0.
    Bilinear,
    /// Bilinear within two levels, and linear between them.
    Trilinear,
}

/// The rotation of the model and the position of the camera.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct View {
    /// Rotation of the model about its axis, in turns.
    pub turns: f32,
    /// Elevation of the camera, in turns.
    pub tilt: f32,
    /// The camera's distance as a multiple of the scene's distance; 1 for the golden images.
    pub distance: f32,
    /// Width over height of the picture.
    pub aspect: f32,
}

impl View {
    /// Returns the view of frame `frame` of a turntable that turns once in `frames` frames.
    pub fn turntable(frame: u32, frames: u32, aspect: f32) -> View {
        View { turns: frame as f32 / frames.max(1) as f32, tilt: 0.05, distance: 1.0, aspect }
    }
}

/// Constant buffer 0 of all shaders. The evaluation shader of patches reads it as `CONST[0..8]`.
pub use crate::shaders::lit_vertex::Constants;

/// A scene: mesh, shaders, texture and fixed state.
pub struct Scene {
    /// The name on command lines and in file names.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// The mesh; `None` for a scene that only clears.
    pub mesh: Option<&'static Mesh>,
    /// A mesh with less detail for pictures of at most [`SMALL_HEIGHT`] rows.
    pub small: Option<&'static Mesh>,
    /// The mesh's attributes that the vertex shader reads, `IN[0]` first.
    pub inputs: &'static [Kind],
    /// The vertex shader.
    pub vertex: &'static Program<'static>,
    /// The fragment shader.
    pub fragment: &'static Program<'static>,
    /// The texture of unit 0, and its filter.
    pub texture: Option<(&'static Texture, Filter)>,
    /// Enables the depth test (`Less`) and the clear of depth.
    pub depth: bool,
    /// Culls faces that are clockwise on the screen.
    pub cull: bool,
    /// The division of the patches, if the mesh consists of control points.
    #[cfg(feature = "tessellation")]
    pub patches: Option<Patches>,
    /// Samples per pixel.
    #[cfg(feature = "samples")]
    pub samples: u8,
    /// True if the scene draws the cells that a grid computes, instead of a mesh.
    #[cfg(feature = "compute")]
    pub cells: bool,
    /// The clear colour: red, green, blue, alpha.
    pub background: [f32; 4],
    /// Fills constant buffer 0 of both shaders.
    pub constants: fn(&View) -> Constants,
    /// Size of the scene buffer in bytes (`raster::Config::scene_bytes`) on a board that streams
    /// the scene: the vertices and binned primitives of a frame. A larger frame is drawn in several
    /// parts.
    pub scene_bytes: usize,
}

/// The division of a scene's patches.
#[cfg(feature = "tessellation")]
#[derive(Clone, Copy)]
pub struct Patches {
    /// Control points per patch.
    pub size: u8,
    /// The number of parts of each edge, and of the inside in both directions.
    pub level: f32,
    /// The tessellation evaluation shader.
    pub evaluation: &'static Program<'static>,
}

/// The maximum height of a picture, in pixels, for which scenes use their mesh with less detail.
pub const SMALL_HEIGHT: u16 = 240;

impl Scene {
    /// Returns the mesh for a picture of `height` rows.
    pub fn mesh_for(&self, height: u16) -> Option<&'static Mesh> {
        self.small.filter(|_| height <= SMALL_HEIGHT).or(self.mesh)
    }
}

/// The demo's scenes.
pub static DEMOS: [&Scene; 3] = [&BUNNY_VERTEX, &BUNNY_PIXEL, &TEAPOT_SCENE];

/// The measuring scenes S1 to S5, for which we know counts of other renderers for microcontrollers.
pub static MEASURED: [&Scene; 5] = [&S1, &S2, &S3, &S4, &S5];

/// Every scene: the demo's, the grey displays', full-screen quads that each measure one operation,
/// a clipped scene, the measuring scenes.
pub static ALL: &[&Scene] = &[
    &BUNNY_VERTEX,
    &BUNNY_PIXEL,
    &TEAPOT_SCENE,
    &TEAPOT_GREY,
    &CLEAR,
    &FILL,
    &GOURAUD,
    &NEAREST,
    &BILINEAR,
    &NEAR,
    &S1,
    &S2,
    &S3,
    &S4,
    &S5,
    #[cfg(feature = "tessellation")]
    &TEAPOT_PATCHES_SCENE,
    #[cfg(feature = "tessellation")]
    &TEAPOT_PATCHES_NATIVE,
    #[cfg(feature = "samples")]
    &S4_SAMPLES,
    #[cfg(feature = "samples")]
    &TEAPOT_GREY_SAMPLES,
    #[cfg(feature = "compute")]
    &LIFE,
];

/// Returns the scene with this name.
pub fn find(name: &str) -> Option<&'static Scene> {
    ALL.iter().copied().find(|scene| scene.name == name)
}

const DUSK: [f32; 4] = [0.09, 0.11, 0.16, 1.0];
const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

static BUNNY_VERTEX: Scene = Scene {
    name: "bunny-vertex",
    about: "the Stanford bunny, lit per vertex",
    mesh: Some(&BUNNY),
    small: Some(&BUNNY_SMALL),
    inputs: &[Kind::Position, Kind::Normal],
    vertex: &shaders::LIT_VERTEX,
    fragment: &shaders::COLOR_FRAGMENT,
    texture: None,
    depth: true,
    cull: true,
    #[cfg(feature = "tessellation")]
    patches: None,
    #[cfg(feature = "samples")]
    samples: 1,
    #[cfg(feature = "compute")]
    cells: false,
    background: DUSK,
    constants: |view| lit(view, 2.7),
    scene_bytes: 39 * 1024,
};

static BUNNY_PIXEL: Scene = Scene {
    name: "bunny-pixel",
    about: "the Stanford bunny, lit per pixel",
    vertex: &shaders::NORMAL_VERTEX,
    fragment: &shaders::LIT_FRAGMENT,
    ..BUNNY_VERTEX
};

static TEAPOT_SCENE: Scene = Scene {
    name: "teapot",
    about: "the Utah teapot in a baboon's skin: perspective-correct, trilinear, lit per vertex",
    mesh: Some(&TEAPOT),
    small: None,
    inputs: &[Kind::Position, Kind::Normal, Kind::TexCoord],
    vertex: &shaders::TEXTURED_VERTEX,
    fragment: &shaders::TEXTURED_FRAGMENT,
    texture: Some((&BABOON, Filter::Trilinear)),
    // The teapot is an open surface: its inside is visible around the lid.
    cull: false,
    constants: |view| lit(view, 2.5),
    ..BUNNY_VERTEX
};

/// A scene for grey displays and little memory.
pub static TEAPOT_GREY: Scene = Scene {
    name: "teapot-grey",
    about: "the Utah teapot with fewer triangles in a grey skin: nearest texel, lit per vertex",
    mesh: Some(&TEAPOT_SMALL),
    texture: Some((&BABOON_GREY, Filter::Nearest)),
    constants: |view| lit(view, 2.1),
    background: BLACK,
    scene_bytes: 18 * 1024,
    ..TEAPOT_SCENE
};

/// [`TEAPOT_GREY`] with 4 samples per pixel.
#[cfg(feature = "samples")]
pub static TEAPOT_GREY_SAMPLES: Scene = Scene {
    name: "teapot-grey-samples",
    about: "the grey teapot in 4 samples a pixel",
    samples: 4,
    ..TEAPOT_GREY
};

#[cfg(feature = "tessellation")]
static TEAPOT_PATCHES_SCENE: Scene = Scene {
    name: "teapot-patches",
    about: "the Utah teapot as Newell's 32 bicubic patches, each divided into 4×4, lit per vertex",
    mesh: Some(&TEAPOT_PATCHES),
    small: None,
    inputs: &[Kind::Position],
    vertex: &patch_shaders::CONTROL_POINT_VERTEX,
    // The teapot is an open surface.
    cull: false,
    patches: Some(Patches { size: 16, level: 4.0, evaluation: &patch_shaders::BICUBIC_EVALUATION }),
    constants: |view| lit(view, 2.5),
    scene_bytes: 23_808,
    ..BUNNY_VERTEX
};

/// The teapot of patches, with machine code.
#[cfg(feature = "tessellation")]
static TEAPOT_PATCHES_NATIVE: Scene = Scene {
    name: "teapot-patches-native",
    about: "the teapot of patches, by machine code",
    patches: Some(Patches {
        size: 16,
        level: 4.0,
        evaluation: &patch_shaders::BICUBIC_EVALUATION_NATIVE,
    }),
    ..TEAPOT_PATCHES_SCENE
};

static CLEAR: Scene =
    Scene { name: "clear", about: "colour and depth cleared, nothing drawn", mesh: None, ..FILL };

static FILL: Scene = Scene {
    name: "fill",
    about: "one colour over the whole screen",
    mesh: Some(&QUAD),
    small: None,
    inputs: &[Kind::Position],
    vertex: &shaders::FLAT_VERTEX,
    fragment: &shaders::FLAT_FRAGMENT,
    texture: None,
    depth: false,
    cull: false,
    #[cfg(feature = "tessellation")]
    patches: None,
    #[cfg(feature = "samples")]
    samples: 1,
    #[cfg(feature = "compute")]
    cells: false,
    background: BLACK,
    constants: flat,
    scene_bytes: 39 * 1024,
};

static GOURAUD: Scene = Scene {
    name: "gouraud",
    about: "four corner colours over the whole screen, depth-tested",
    inputs: &[Kind::Position, Kind::Color],
    vertex: &shaders::GOURAUD_VERTEX,
    fragment: &shaders::COLOR_FRAGMENT,
    depth: true,
    ..FILL
};

static NEAREST: Scene = Scene {
    name: "nearest",
    about: "the baboon over the whole screen, nearest texel, depth-tested",
    inputs: &[Kind::Position, Kind::TexCoord],
    vertex: &shaders::UV_VERTEX,
    fragment: &shaders::TEXEL_FRAGMENT,
    texture: Some((&BABOON, Filter::Nearest)),
    ..GOURAUD
};

static BILINEAR: Scene = Scene {
    name: "bilinear",
    about: "the baboon over the whole screen, bilinear, depth-tested",
    texture: Some((&BABOON, Filter::Bilinear)),
    ..NEAREST
};

static S1: Scene =
    Scene { name: "S1", about: "measuring scene: a gouraud quad over the screen", ..GOURAUD };

static S2: Scene = Scene {
    name: "S2",
    about: "measuring scene: a 64×64 texture over the screen, nearest texel",
    texture: Some((&CHECKER, Filter::Nearest)),
    ..NEAREST
};

/// The measuring scene S3: a textured cube, nearest texel.
pub static S3: Scene = Scene {
    name: "S3",
    about: "measuring scene: a cube with a 64×64 texture, nearest texel, in perspective",
    mesh: Some(&CUBE),
    vertex: &shaders::MODEL_UV_VERTEX,
    cull: true,
    constants: |_| measured(1.505_555_5, 3.05),
    ..S2
};

static S4: Scene = Scene {
    name: "S4",
    about: "measuring scene: a torus of 1,024 triangles, lit per vertex",
    mesh: Some(&TORUS),
    inputs: &[Kind::Position, Kind::Normal],
    vertex: &shaders::DIFFUSE_VERTEX,
    fragment: &shaders::COLOR_FRAGMENT,
    texture: None,
    constants: |_| measured(1.444_444_4, 3.0),
    ..S3
};

#[cfg(feature = "samples")]
static S4_SAMPLES: Scene = Scene {
    name: "S4-samples",
    about: "the torus of S4 in 4 samples a pixel",
    samples: 4,
    scene_bytes: 26 * 1024,
    ..S4
};

#[cfg(feature = "compute")]
static LIFE: Scene = Scene {
    name: "life",
    about: "Conway's game of life on a torus of 32×24 cells, computed by grids",
    mesh: None,
    inputs: &[],
    vertex: &life::CELL_VERTEX,
    fragment: &shaders::COLOR_FRAGMENT,
    cells: true,
    background: DUSK,
    scene_bytes: 26 * 1024,
    ..FILL
};

static NEAR: Scene = Scene {
    name: "near",
    about: "the torus from so near that the near plane cuts it",
    constants: |_| measured(-0.755_555_6, 1.2),
    ..S4
};

static S5: Scene = Scene {
    name: "S5",
    about: "measuring scene: 1,000 triangles of 50 pixels",
    mesh: Some(&TRIANGLES),
    cull: true,
    // No two triangles share a vertex.
    scene_bytes: 44_608,
    ..GOURAUD
};

/// Returns the constants for a camera `distance` in front of the model's centre: vertical field of
/// view 60°, near 1, far 10, 4:3; clip z is `-11/9 z + z0`. The light is the same as in S4.
fn measured(z0: f32, distance: f32) -> Constants {
    let light = normalize([0.3, 0.5, 0.8]);
    let base = [0.9, 0.5, 0.25];
    Constants {
        matrix: [
            [1.299_038, 0.0, 0.0, 0.0],
            [0.0, 1.732_050_8, 0.0, 0.0],
            [0.0, 0.0, -1.222_222_2, -1.0],
            [0.0, 0.0, z0, distance],
        ],
        light,
        ambient: base.map(|it| 0.2 * it),
        diffuse: base.map(|it| 0.8 * it),
        ..Constants::zeroed()
    }
}

/// Returns constants that begin with a colour.
fn flat(_: &View) -> Constants {
    let mut constants = Constants::zeroed();
    constants.matrix[0] = [0.9, 0.5, 0.25, 1.0];
    constants
}

/// Returns the constants for a model that turns about y; the camera looks at its centre from
/// `distance`.
///
/// The directions to the light and to half-way between light and eye are in model space, so that
/// normals need no matrix.
fn lit(view: &View, distance: f32) -> Constants {
    let turn = Mat4::rotation_y(view.turns);
    let world = Mat4::rotation_x(view.tilt).mul(&turn);
    let camera = Mat4::translation([0.0, 0.0, -distance * view.distance]);
    // A vertical field of view of 45 degrees: 1 / tan(22.5 degrees).
    let projection = Mat4::perspective(2.414_213_7, view.aspect, 0.5, 10.0);
    let light = normalize([-0.4, 0.7, 0.6]);
    // The eye is far enough away to count as a single direction.
    let half = normalize([light[0], light[1], light[2] + 1.0]);
    Constants {
        matrix: projection.mul(&camera).mul(&world).0,
        light: world.back(light),
        half: world.back(half),
        ambient: [0.20, 0.17, 0.16],
        diffuse: [0.72, 0.52, 0.38],
        specular: [0.35, 0.35, 0.35],
        ..Constants::zeroed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for (index, scene) in ALL.iter().enumerate() {
            let first = ALL.iter().position(|other| other.name == scene.name);
            assert_eq!(first, Some(index), "{}", scene.name);
            assert!(find(scene.name).is_some());
        }
        assert!(find("").is_none());
    }

    #[test]
    fn every_input_is_in_its_mesh() {
        for scene in ALL {
            for mesh in scene.mesh.iter().chain(&scene.small) {
                for kind in scene.inputs {
                    assert!(mesh.attribute(*kind).is_some(), "{}: {kind:?}", scene.name);
                }
            }
            let inputs = scene.vertex.inputs.iter().map(|input| input.register as usize + 1).max();
            let fetched = scene.inputs.len();
            // A cell is a vertex with one attribute, in the buffer that the grid writes.
            #[cfg(feature = "compute")]
            let fetched = fetched + usize::from(scene.cells);
            assert!(inputs.unwrap_or(0) <= fetched, "{}", scene.name);
        }
    }

    #[test]
    fn the_model_stays_in_sight() {
        for frame in 0..16 {
            let view = View::turntable(frame, 16, 4.0 / 3.0);
            for (scene, mesh) in [(&BUNNY_VERTEX, &BUNNY), (&TEAPOT_SCENE, &TEAPOT)] {
                let matrix = Mat4((scene.constants)(&view).matrix);
                for vertex in mesh.vertices.chunks_exact(mesh.stride as usize) {
                    let at = |i: usize| {
                        f32::from_le_bytes([0, 1, 2, 3].map(|byte| vertex[i * 4 + byte]))
                    };
                    let [x, y, z, w] = matrix.transform([at(0), at(1), at(2), 1.0]);
                    let seen = x.abs() <= w && y.abs() <= w && z.abs() <= w;
                    assert!(seen, "{} frame {frame}: {x} {y} {z} {w}", scene.name);
                }
            }
        }
    }
}
