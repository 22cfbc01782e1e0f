//! The pipeline composed at build time draws the same pixels as the driver.

#[cfg(feature = "spans-filtered")]
use gallium_raster::direct::Linear;
use gallium_raster::direct::{
    B4G4R4A4, Blended, Color, Depth, Direct, Either, Image, Nearer, Nearest, NoDepth, Paint,
    Tested, Texel, VertexShader, View,
};
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::{Memory, Os};
use pipe_core::{
    Bind, BlendState, CompareFunc, DepthStencilAlphaState, Face, Format, PipeError, PrimType,
    RasterizerState, RenderTargetBlendState, ResourceTemplate, SamplerState, SamplerViewTemplate,
    ShaderType, TexFilter, ViewportState,
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

/// A mesh: vertices and indices.
type Mesh = (Vec<Vertex>, Vec<u16>);

/// The state of the driver that a paint stands for.
#[derive(Clone, Copy)]
struct State {
    fragment: &'static str,
    /// The format of the image's texels, and the filter.
    texels: (Format, TexFilter),
    /// The comparison, and true if depth is written.
    depth: Option<(CompareFunc, bool)>,
    blends: bool,
}

impl State {
    const COLOR: State = State {
        fragment: COLOR,
        texels: (Format::B5G6R5Unorm, TexFilter::Nearest),
        depth: Some((CompareFunc::Less, true)),
        blends: false,
    };
}

/// A draw: its constants, its state, and the number of its image.
type Draw = (Constants, State, usize);

/// Returns the driver's picture of draws of a mesh, culled or not.
fn driver<P: Profile>(vertex: &str, mesh: &Mesh, draws: &[Draw], cull: bool) -> Vec<u8> {
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
    setup.upload(&screen, &mesh.0).unwrap();
    setup.clear([0.0, 0.0, 1.0, 1.0], 1.0).unwrap();
    for (constants, state, image) in draws {
        let State { fragment, texels: (format, filter), depth, blends } = *state;
        let test = depth.map(|(depth_func, depth_writemask)| DepthStencilAlphaState {
            depth_enabled: true,
            depth_writemask,
            depth_func,
            ..Default::default()
        });
        setup.depth_test(&test.unwrap_or_default()).unwrap();
        let over = RenderTargetBlendState::alpha_blending();
        setup.blend(&if blends { BlendState::uniform(over) } else { Default::default() }).unwrap();
        setup.shaders(vertex, fragment).unwrap();
        let template = ResourceTemplate::texture_2d(format, 16, 8, Bind::SAMPLER_VIEW);
        let texels = &images()[*image];
        let image = setup.image(&screen, &template, bytemuck::cast_slice(texels)).unwrap();
        let view = SamplerViewTemplate::whole(&template);
        let sampler = SamplerState { min_img_filter: filter, mag_img_filter: filter, ..nearest() };
        setup.texture(ShaderType::Fragment, image, &view, &sampler).unwrap();
        setup.constants(ShaderType::Vertex, constants.as_flattened()).unwrap();
        setup.draw_indexed(PrimType::Triangles, &mesh.1).unwrap();
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
            let draws: Vec<_> = scenes.iter().map(|scene| (*scene, State::COLOR, 0)).collect();
            let expected = driver::<P>(LIT, &torus(40, 24), &draws, cull);
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
    the_pixels_are_the_drivers::<Host>();
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

/// The shader of [`Draped`] in TGSI, operation by operation.
const DRAPED: &str = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL CONST[0..5]
DCL TEMP[0]
MUL TEMP[0], CONST[0], IN[0].xxxx
MAD TEMP[0], CONST[1], IN[0].yyyy, TEMP[0]
MAD TEMP[0], CONST[2], IN[0].zzzz, TEMP[0]
ADD OUT[0], TEMP[0], CONST[3]
MUL OUT[1], IN[1], CONST[4]
END";

/// The nearest texel.
const PLAIN: &str = "FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
TEX OUT[0], IN[0], SAMP[0], 2D
END";

/// A texel times light.
#[cfg(feature = "spans-filtered")]
const LIT_TEXEL: &str = "FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
MUL OUT[0], TEMP[0], IN[0].zzzz
END";

/// A texture around the torus; the constants at 4 scale the coordinates and the light.
struct Draped(Constants);

impl VertexShader for Draped {
    type Vertex = Vertex;

    fn shade(&self, Vertex { position: p, color }: &Vertex) -> [[f32; 4]; 2] {
        let [a, b, c, d, scale, _] = &self.0;
        let clip = core::array::from_fn(|i| c[i] * p[2] + (b[i] * p[1] + a[i] * p[0]) + d[i]);
        [clip, core::array::from_fn(|i| color[i] * scale[i])]
    }
}

/// A torus as [`torus`] makes it; its colours are places around and across it, light, and alpha.
fn draped() -> (Vec<Vertex>, Vec<u16>) {
    let (around, across) = (40, 24);
    let (mut vertices, indices) = torus(around, across);
    for (at, vertex) in (0..).zip(&mut vertices) {
        let [_, up, ..] = vertex.color;
        let (i, j) = (at / across, at % across);
        let alpha = 0.5 - 0.4375 * up;
        vertex.color = [f32::from(i) / 10.0, f32::from(j) / 12.0, 0.6 + 0.375 * up, alpha];
    }
    (vertices, indices)
}

/// Two images of 16 × 8 texels: each texel of one has its own colour.
fn images() -> [Vec<u16>; 2] {
    let first = (0..128u32).map(|at| (at * 0x1f3d) as u16);
    let second = (0..128u32).map(|at| if (at / 16 + at) % 2 == 0 { 0xffe0 } else { 0x8000 });
    [first.collect(), second.collect()]
}

/// Returns the composed pipeline's picture of draws of the draped torus.
fn direct_draped<P: Profile, K: Paint>(draws: &[(Constants, K)]) -> Vec<u8> {
    let view = View::of(WIDTH, HEIGHT);
    let [(_, first), ..] = draws else { panic!("no draw") };
    let mut direct = Direct::<P, K>::with(Memory::system(), &view, 1 << 18, *first).unwrap();
    direct.clear(0x001f);
    let (vertices, indices) = draped();
    let mut picture = picture();
    // Frames do not affect each other.
    for _ in 0..2 {
        for (constants, paint) in draws {
            direct.paint(*paint).unwrap();
            direct.draw(&Draped(*constants), &vertices, &indices).unwrap();
        }
        direct.present(&mut picture).unwrap();
    }
    picture.bytes
}

/// The images that three draws show in turn.
const IMAGES: [usize; 3] = [0, 1, 0];

/// Asserts that a paint of images draws tori as the driver does in a state; returns the picture.
fn is_the_drivers<'t, P: Profile, K: Paint, F: Texel>(
    images: &[Image<'t, F>; 2],
    paint: impl Fn(Image<'t, F>) -> K,
    state: State,
) -> Vec<u8> {
    let scenes = draped_scenes().into_iter().zip(IMAGES);
    let draws: Vec<_> = scenes.clone().map(|(scene, image)| (scene, state, image)).collect();
    let expected = driver::<P>(DRAPED, &draped(), &draws, false);
    let draws: Vec<_> = scenes.map(|(scene, image)| (scene, paint(images[image]))).collect();
    assert!(direct_draped::<P, K>(&draws) == expected, "{:?} {:?}", state.texels, state.depth);
    expected
}

/// Three tori, one of them cut by the near plane.
fn draped_scenes() -> [Constants; 3] {
    [constants(0.2, 3.0), constants(0.9, 0.8), constants(-0.6, 2.2)].map(|mut constants| {
        constants[4] = [1.0; 4];
        constants
    })
}

/// Returns the number of different pixels.
fn colors(picture: &[u8]) -> usize {
    picture.chunks(2).collect::<std::collections::HashSet<_>>().len()
}

fn texels_are_the_drivers<P: Profile>() {
    let texels = images();
    let images = texels.each_ref().map(|texels| Image::new(texels, 16, 8).unwrap());
    let state = State { fragment: PLAIN, ..State::COLOR };
    let nearer = is_the_drivers::<P, _, _>(&images, Nearest::<Nearer>::of, state);
    assert!(colors(&nearer) > 100, "{} colours", colors(&nearer));
    let state = State { depth: None, ..state };
    let later = is_the_drivers::<P, _, _>(&images, Nearest::<NoDepth>::of, state);
    assert_ne!(later, nearer, "depth matters in this picture");
}

#[cfg(feature = "spans-filtered")]
fn means_are_the_drivers<P: Profile>() {
    let texels = images();
    let images = texels.each_ref().map(|texels| Image::new(texels, 16, 8).unwrap());
    let texels = (Format::B5G6R5Unorm, TexFilter::Linear);
    let state = State { fragment: LIT_TEXEL, texels, ..State::COLOR };
    let nearer = is_the_drivers::<P, _, _>(&images, Linear::<Nearer>::of, state);
    assert!(colors(&nearer) > 1000, "{} colours", colors(&nearer));
    let state = State { depth: None, ..state };
    is_the_drivers::<P, _, _>(&images, Linear::<NoDepth>::of, state);
}

/// A texel, its alpha times the vertex's.
#[cfg(feature = "spans-all")]
const FADED: &str = "FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
MOV OUT[0].xyz, TEMP[0]
MUL OUT[0].w, TEMP[0].wwww, IN[0].wwww
END";

/// The same, and the colour times light.
#[cfg(feature = "spans-all")]
const LIT_AND_FADED: &str = "FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
MUL OUT[0].xyz, TEMP[0], IN[0].zzzz
MUL OUT[0].w, TEMP[0].wwww, IN[0].wwww
END";

/// The four values as a colour.
#[cfg(feature = "spans-all")]
const VALUES: &str = "FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END";

#[cfg(feature = "spans-all")]
fn blended_pixels_are_the_drivers<P: Profile>() {
    let texels = images();
    let opaque = texels.each_ref().map(|texels| Image::new(texels, 16, 8).unwrap());
    let clear = texels.each_ref().map(|texels| Image::with_alpha(texels, 16, 8).unwrap());
    let (rgb, rgba) = (Format::B5G6R5Unorm, Format::B4G4R4A4Unorm);
    let tested = Some((CompareFunc::Less, false));
    let over = State { fragment: FADED, depth: tested, blends: true, ..State::COLOR };

    let paint = |image| Blended::of(Nearest::<Tested>::of(image));
    is_the_drivers::<P, _, _>(&opaque, paint, over);
    let state = State { texels: (rgba, TexFilter::Nearest), ..over };
    let paint = |image| Blended::of(Nearest::<Tested, B4G4R4A4>::of(image));
    let faded = is_the_drivers::<P, _, _>(&clear, paint, state);
    assert!(colors(&faded) > 1000, "{} colours", colors(&faded));
    let state = State { depth: Some((CompareFunc::Less, true)), ..state };
    let paint = |image| Blended::of(Nearest::<Nearer, B4G4R4A4>::of(image));
    assert_ne!(is_the_drivers::<P, _, _>(&clear, paint, state), faded, "a test writes depth");

    let lit = State { fragment: LIT_AND_FADED, texels: (rgb, TexFilter::Linear), ..over };
    let paint = |image| Blended::of(Linear::<Tested>::of(image));
    is_the_drivers::<P, _, _>(&opaque, paint, lit);
    let state = State { texels: (rgba, TexFilter::Linear), depth: None, ..lit };
    let paint = |image| Blended::of(Linear::<NoDepth, B4G4R4A4>::of(image));
    is_the_drivers::<P, _, _>(&clear, paint, state);

    let state = State { fragment: VALUES, ..over };
    is_the_drivers::<P, _, _>(&opaque, |_| Blended::of(Color::<Tested>::default()), state);
}

/// Glass after solid things, in one frame, with the depth test between them.
#[cfg(feature = "spans-all")]
fn glass_over_solid_things_is_the_drivers<P: Profile>() {
    type Paints<'t> = Either<Nearest<'t>, Blended<Nearest<'t, Tested, B4G4R4A4>>>;
    let [solid, clear] = images();
    let scenes = draped_scenes();
    let solid_paint = Either::First(Nearest::of(Image::new(&solid, 16, 8).unwrap()));
    let clear_paint = Blended::of(Nearest::of(Image::with_alpha(&clear, 16, 8).unwrap()));
    let paints: [Paints<'_>; 2] = [solid_paint, Either::Second(clear_paint)];
    let texels = (Format::B4G4R4A4Unorm, TexFilter::Nearest);
    let tested = Some((CompareFunc::Less, false));
    let state = State { fragment: PLAIN, ..State::COLOR };
    let states = [state, State { fragment: FADED, texels, depth: tested, blends: true }];
    // The second solid torus is drawn after glass: kernels alternate in a tile.
    let order = [(scenes[0], 0), (scenes[2], 1), (scenes[1], 0), (scenes[2], 1)];
    let draws = order.map(|(scene, kind)| (scene, states[kind], kind));
    let expected = driver::<P>(DRAPED, &draped(), &draws, false);
    let draws = order.map(|(scene, kind)| (scene, paints[kind]));
    assert!(direct_draped::<P, _>(&draws) == expected);
}

in_all_profiles! { texels_are_the_drivers }
#[cfg(feature = "spans-filtered")]
in_all_profiles! { means_are_the_drivers }
#[cfg(feature = "spans-all")]
in_all_profiles! { blended_pixels_are_the_drivers glass_over_solid_things_is_the_drivers }

/// A test of a program's own: equal depth passes, too.
#[derive(Clone, Copy)]
struct NotFarther;

impl Depth for NotFarther {
    const FUNC: Option<CompareFunc> = Some(CompareFunc::LessEqual);
}

/// Returns the word at the middle of a picture of two triangles over everything, red and then
/// green, at these depths in clip space.
fn two_triangles<D: Depth>(depths: [f32; 2]) -> u16 {
    let view = View::of(WIDTH, HEIGHT);
    let mut direct =
        Direct::<Tiny, Color<D>>::with(Memory::system(), &view, 4096, Color::default()).unwrap();
    let mut identity = [[0.0; 4]; 6];
    for (i, column) in identity.iter_mut().enumerate().take(4) {
        column[i] = 1.0;
    }
    identity[4] = [1.0; 4];
    for (z, color) in depths.into_iter().zip([RED, GREEN]) {
        let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| vertex(x, y, z, color));
        direct.draw(&Draped(identity), &corners, &[0, 1, 2]).unwrap();
    }
    let mut picture = picture();
    direct.present(&mut picture).unwrap();
    let at = (usize::from(HEIGHT / 2) * usize::from(WIDTH) + usize::from(WIDTH / 2)) * 2;
    u16::from_le_bytes([picture.bytes[at], picture.bytes[at + 1]])
}

#[test]
fn a_type_chooses_the_depth_test() {
    let (red, green) = (0xf800, 0x07e0);
    for (depths, nearer, not_farther, none) in [
        ([0.5, 0.0], green, green, green),
        ([0.0, 0.0], red, green, green),
        ([0.0, 0.5], red, red, green),
    ] {
        assert_eq!(two_triangles::<Nearer>(depths), nearer, "{depths:?}");
        assert_eq!(two_triangles::<NotFarther>(depths), not_farther, "{depths:?}");
        assert_eq!(two_triangles::<NoDepth>(depths), none, "{depths:?}");
    }
}

#[test]
fn images_that_do_not_repeat_by_powers_of_two_are_refused() {
    let texels = vec![0; 256];
    assert!(Image::new(&texels, 16, 16).is_ok());
    for (width, height) in [(12, 16), (16, 0), (32, 16)] {
        let error = Image::new(&texels, width, height).unwrap_err();
        assert!(matches!(error, PipeError::Invalid(_)), "{error}");
    }
    let error = Image::new(&texels, 1 << 16, 1 << 16).unwrap_err();
    let largest =
        PipeError::OutOfRange { what: "texels of an image", value: 1 << 32, limit: 1 << 20 };
    assert_eq!(error, largest);
    let error = Image::new(&vec![0; 1 << 14], 1 << 14, 1).unwrap_err();
    let largest =
        PipeError::OutOfRange { what: "texels of an image's side", value: 1 << 14, limit: 1 << 13 };
    assert_eq!(error, largest);
}
