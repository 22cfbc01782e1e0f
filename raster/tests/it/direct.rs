//! The pipeline composed at build time draws the same pixels as the driver.

use gallium_raster::direct::{Direct, VertexShader, View};
use gallium_raster::{Profile, Small, Tiny};
use os_shim::{Memory, Os};
use pipe_core::{
    CompareFunc, DepthStencilAlphaState, Face, Format, PipeError, PrimType, RasterizerState,
    ShaderType, ViewportState,
};

use crate::common::*;

const WIDTH: u16 = 150;
const HEIGHT: u16 = 110;

/// The shader of [`Lit`] in TGSI, operation by operation.
const LIT: &str = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL CONST[0..5]
DCL TEMP[0..1]
IMM[0] FLT32 { 0.125, 0.0, 0.0, 0.0 }
MUL TEMP[0], CONST[0], IN[0].xxxx
MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
ADD OUT[0], TEMP[0], CONST[3]
MUL TEMP[1].x, CONST[4].xxxx, IN[1].xxxx
MAD TEMP[1].x, CONST[4].yyyy, IN[1].yyyy, TEMP[1].xxxx
MAD TEMP[1].x, CONST[4].zzzz, IN[1].zzzz, TEMP[1].xxxx
MAX TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx
MUL OUT[1], CONST[5], TEMP[1].xxxx
END";

/// A matrix by columns, the direction of light, the colour.
type Constants = [[f32; 4]; 6];

struct Lit(Constants);

impl VertexShader for Lit {
    type Vertex = Vertex;

    fn shade(&self, Vertex { position: p, color: n }: &Vertex) -> [[f32; 4]; 2] {
        let [a, b, c, d, light, color] = &self.0;
        let clip = core::array::from_fn(|i| c[i] * p[2] + (b[i] * p[1] + a[i] * p[0]) + d[i]);
        let shade = light[2] * n[2] + (light[1] * n[1] + light[0] * n[0]);
        [clip, color.map(|channel| channel * shade.max(0.125))]
    }
}

/// A torus about the y axis, and its triangles, counter-clockwise from outside.
fn torus(around: u16, across: u16) -> (Vec<Vertex>, Vec<u16>) {
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for i in 0..around {
        let u = core::f32::consts::TAU * f32::from(i) / f32::from(around);
        for j in 0..across {
            let v = core::f32::consts::TAU * f32::from(j) / f32::from(across);
            let normal = [u.cos() * v.cos(), v.sin(), u.sin() * v.cos(), 0.0];
            let center = [0.7 * u.cos(), 0.0, 0.7 * u.sin()];
            let [x, y, z] = [0, 1, 2].map(|k| center[k] + 0.35 * normal[k]);
            vertices.push(Vertex { position: [x, y, z, 1.0], color: normal });
            let (i1, j1) = ((i + 1) % around, (j + 1) % across);
            let [a, b, c, d] = [(i, j), (i1, j), (i1, j1), (i, j1)].map(|(i, j)| i * across + j);
            indices.extend([a, c, b, a, d, c]);
        }
    }
    (vertices, indices)
}

/// Returns constants to look at the torus from above, from `distance`, in perspective.
fn constants(angle: f32, distance: f32) -> Constants {
    let (s, c) = angle.sin_cos();
    let (near, far) = (0.25, 8.0);
    let (a, b) = ((far + near) / (far - near), -2.0 * far * near / (far - near));
    [
        [1.2, 0.0, 0.0, 0.0],
        [0.0, 1.6 * c, -a * s, -s],
        [0.0, 1.6 * s, a * c, c],
        [0.0, 0.0, a * distance + b, distance],
        [0.3, -0.7, -0.6, 0.0],
        [1.0, 0.75, 0.4, 1.0],
    ]
}

/// Returns the driver's picture of three tori, culled or not.
fn driver<P: Profile>(scenes: &[Constants], cull: bool) -> Vec<u8> {
    let (width, height) = (WIDTH.into(), HEIGHT.into());
    let screen = screen::<P>(Os::host(), 1 << 18);
    let options = Options {
        width,
        height,
        format: Format::B5G6R5Unorm,
        depth: Some(Format::Z16Unorm),
        streamed: true,
        ..Options::default()
    };
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.context.set_viewport_states(0, &[ViewportState::y_up(width, height)]).unwrap();
    let cull_face = if cull { Face::Back } else { Face::None };
    setup.rasterizer(&RasterizerState { cull_face, front_ccw: true, ..rasterizer() }).unwrap();
    let nearer = DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func: CompareFunc::Less,
        ..Default::default()
    };
    setup.depth_test(&nearer).unwrap();
    setup.shaders(LIT, COLOR).unwrap();
    let (vertices, indices) = torus(40, 24);
    setup.upload(&screen, &vertices).unwrap();
    setup.clear([0.0, 0.0, 1.0, 1.0], 1.0).unwrap();
    for constants in scenes {
        setup.constants(ShaderType::Vertex, constants.as_flattened()).unwrap();
        setup.draw_indexed(PrimType::Triangles, &indices).unwrap();
    }
    setup.pixels().unwrap()
}

fn picture() -> Picture {
    Picture::new(&Options {
        width: WIDTH.into(),
        height: HEIGHT.into(),
        format: Format::B5G6R5Unorm,
        ..Options::default()
    })
}

/// Returns the composed pipeline's picture of them.
fn direct<P: Profile>(scenes: &[Constants], cull_clockwise: bool) -> Vec<u8> {
    let view = View { cull_clockwise, ..View::of(WIDTH, HEIGHT) };
    // A scene of 16-bit ids holds at most 256 KiB.
    let mut direct = Direct::<P>::new(Memory::system(), &view, 1 << 18).unwrap();
    direct.clear(0x001f);
    let (vertices, indices) = torus(40, 24);
    // Frames do not affect each other.
    for _ in 0..2 {
        for constants in scenes {
            direct.draw(&Lit(*constants), &vertices, &indices).unwrap();
        }
        let mut picture = picture();
        direct.present(&mut picture).unwrap();
        assert!(picture.seen.iter().all(|count| *count == 1), "every pixel comes once");
        if scenes.len() != 1 {
            return picture.bytes;
        }
    }
    let mut picture = picture();
    direct.draw(&Lit(scenes[0]), &vertices, &indices).unwrap();
    direct.present(&mut picture).unwrap();
    picture.bytes
}

fn the_pixels_are_the_drivers<P: Profile>() {
    let far = [constants(0.5, 2.5)];
    // The eye is within the torus' reach: the near plane cuts it.
    let near = [constants(0.9, 0.8)];
    let several = [constants(0.2, 3.0), constants(1.3, 2.0), constants(-0.6, 4.0)];
    for scenes in [&far[..], &near[..], &several[..]] {
        for cull in [false, true] {
            let expected = driver::<P>(scenes, cull);
            let colors: std::collections::HashSet<_> = expected.chunks(2).collect();
            assert!(colors.len() > 25, "{} colours", colors.len());
            assert!(direct::<P>(scenes, cull) == expected, "{} tori, {cull}", scenes.len());
        }
    }
}

#[test]
fn the_pixels_are_the_drivers_in_all_profiles() {
    the_pixels_are_the_drivers::<Tiny>();
    the_pixels_are_the_drivers::<Small>();
    the_pixels_are_the_drivers::<gallium_raster::Host>();
}

fn shown(direct: &mut Direct<'_, Tiny>) -> Vec<u8> {
    let mut picture = picture();
    direct.present(&mut picture).unwrap();
    picture.bytes
}

#[test]
fn what_no_vertex_has_is_left_out() {
    let mut direct = Direct::<Tiny>::new(Memory::system(), &View::of(WIDTH, HEIGHT), 4096).unwrap();
    let mut corners: Vec<Vertex> =
        [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| vertex(x, y, 0.0, RED)).into();
    let mut identity = [[0.0; 4]; 6];
    for (i, column) in identity.iter_mut().enumerate().take(3) {
        column[i] = 1.0;
    }
    identity[3][3] = 1.0;
    identity[5] = WHITE;
    let black = shown(&mut direct);
    direct.draw(&Lit(identity), &corners, &[0, 1, 9, 2, 1]).unwrap();
    direct.draw(&Lit(identity), &[], &[0, 1, 2]).unwrap();
    corners[0].position[1] = f32::NAN;
    direct.draw(&Lit(identity), &corners, &[0, 1, 2]).unwrap();
    assert_eq!(shown(&mut direct), black);
    corners[0].position[1] = -1.0;
    direct.draw(&Lit(identity), &corners, &[0, 1, 2, 0]).unwrap();
    // White times the least light, 0.125: 4 of 31, 8 of 63, 4 of 31.
    assert!(shown(&mut direct).chunks(2).all(|pixel| pixel == 0x2104u16.to_le_bytes()));
}

#[test]
fn too_little_memory_and_views_without_pixels_are_errors() {
    let view = View::of(WIDTH, HEIGHT);
    let (vertices, indices) = torus(40, 24);
    let mut direct = Direct::<Tiny>::new(Memory::system(), &view, 4096).unwrap();
    let error = direct.draw(&Lit(constants(0.5, 2.5)), &vertices, &indices).unwrap_err();
    assert!(matches!(error, PipeError::SceneFull { capacity: 4096, .. }), "{error}");
    // The frame can be shown, and the next one drawn.
    shown(&mut direct);
    direct.draw(&Lit(constants(0.5, 2.5)), &vertices, &indices[..30]).unwrap();
    for view in [View::of(0, 10), View::of(10, 0), View::of(4000, 1)] {
        assert!(Direct::<Tiny>::new(Memory::system(), &view, 4096).is_err());
    }
    let mut bytes = [core::mem::MaybeUninit::uninit(); 2048];
    let region = os_shim::Region::new(&mut bytes);
    let error = Direct::<Tiny>::new(Memory::new(&region), &view, 4096).err();
    assert!(matches!(error, Some(PipeError::OutOfMemory { .. })), "{error:?}");
}
