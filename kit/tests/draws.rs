//! Draws by the kit, against pixels computed by hand or in `f64`.

use std::mem::MaybeUninit;
use std::sync::Mutex;

use gallium_kit::glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use gallium_kit::{
    Backdrop, BackdropCorner, Camera, Device, Fog, Lamp, Layout, Light, Material, Mesh, MeshData,
    Raster, SPRITES_PER_DRAW, Sprite, Sprites, Surface, Target, Texture, TextureData, Transform,
    View, bilinear, frustum, nearest, orthographic, perspective, solids,
};
use os_shim::{Memory, Os};
use pipe_core::context::{Flushing, Transfers};
use pipe_core::wrap::record::{Player, RecordPort};
use pipe_core::{
    ContextFlags, FlushFlags, Format, MapFlags, PanelError, PipeError, Region, SamplerState,
    TexWrap, TilePanel,
};
use raster::{Config, Context, Screen, Small};

const SIDE: u32 = 32;
const RGBA: Format = Format::R8G8B8A8Unorm;
const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

type Pair<'a, 's> = (&'a Screen<'static, Small>, &'a mut Context<'s, 'static, Small>);

/// A picture of `SIDE`² pixels, upper row first.
struct Picture(Vec<[u8; 4]>);

impl Picture {
    fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.0[(y * SIDE + x) as usize]
    }

    /// Asserts that a pixel is within one step of red, green and blue from 0 to 1.
    #[track_caller]
    fn assert_close(&self, x: u32, y: u32, expected: [f64; 3]) {
        let pixel = self.at(x, y);
        for (got, expected) in pixel.iter().zip(expected) {
            let off = (f64::from(*got) - expected.clamp(0.0, 1.0) * 255.0).abs();
            assert!(off <= 1.01, "({x}, {y}): {pixel:?}, expected {expected}");
        }
    }
}

fn target(
    device: &mut Pair<'_, '_>,
    sampler: &SamplerState,
) -> Result<(Target, Texture), PipeError> {
    Target::texture(device, RGBA, Some(Format::Z16Unorm), [SIDE, SIDE], sampler)
}

/// Returns the picture that `draw` makes on black.
fn picture(
    draw: impl FnOnce(&mut Pair<'_, '_>, &Target) -> Result<(), PipeError>,
) -> Result<Picture, PipeError> {
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut context = screen.boxed_context(ContextFlags::empty())?;
    let device = &mut (&screen, &mut *context);
    let (target, _) = target(device, &nearest(TexWrap::ClampToEdge))?;
    target.begin(device, BLACK)?;
    draw(device, &target)?;
    let context = device.context();
    context.flush(FlushFlags::END_OF_FRAME)?;
    let transfer =
        context.transfer_map(target.color, 0, MapFlags::READ, &Region::whole(SIDE, SIDE, 1))?;
    let pixels = context.transfer_bytes(transfer.handle)?.as_chunks().0.to_vec();
    context.transfer_unmap(transfer.handle)?;
    Ok(Picture(pixels))
}

fn flat() -> View {
    View::from(Camera::CLIP_SPACE)
}

const RED: Vec4 = Vec4::new(1.0, 0.0, 0.0, 1.0);
const GOLD: Vec4 = Vec4::new(0.8, 0.6, 0.25, 1.0);

#[test]
fn a_lit_face_has_the_cosine_of_the_light() -> Result<(), PipeError> {
    for degrees in [0.0f64, 30.0, 60.0, 85.0, 120.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let sun = Vec3::new(sin as f32, 0.0, cos as f32);
        // Turned and scaled, the square still faces z.
        let model =
            Transform { rotation: Quat::from_rotation_z(0.5), scale: 3.0, ..Transform::default() };
        let lit = picture(|device, _| {
            let square = Mesh::new(device, &solids::square())?;
            let gold = Material::lit(device, &square.layout, &Surface::solid(), GOLD)?;
            let view = View { light: Light { sun, ambient: 0.25, ..Light::default() }, ..flat() };
            gold.draw(device, &square, &view, &model.matrix())
        })?;
        let light = cos.max(0.25);
        lit.assert_close(16, 16, [0.8 * light, 0.6 * light, 0.25 * light]);
    }
    Ok(())
}

#[test]
fn colours_of_vertices_are_lit() -> Result<(), PipeError> {
    // Position, normal, colour: a triangle that covers the picture.
    static CORNERS: [[f32; 9]; 3] = [
        [-1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.5, 1.0, 0.25],
        [3.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.5, 1.0, 0.25],
        [-1.0, 3.0, 0.0, 0.0, 0.0, 1.0, 0.5, 1.0, 0.25],
    ];
    let layout = Layout::positions(36, Format::R32G32B32Float)
        .normal(12, Format::R32G32B32Float)
        .color(24, Format::R32G32B32Float);
    let data = MeshData::of(&CORNERS, layout, &[]);
    let view = View { light: Light { sun: Vec3::Z * 0.5, ..Light::default() }, ..flat() };
    let plain = picture(|device, _| {
        let mesh = Mesh::new(device, &data)?;
        assert_eq!(mesh.count, 3);
        let paint = Material::colored(device, &mesh.layout, &Surface::flat())?;
        paint.draw(device, &mesh, &view, &Mat4::IDENTITY)
    })?;
    plain.assert_close(5, 20, [0.5, 1.0, 0.25]);
    let lit = picture(|device, _| {
        let mesh = Mesh::new(device, &data)?;
        let paint = Material::colored_lit(device, &mesh.layout, &Surface::flat())?;
        paint.draw(device, &mesh, &view, &Mat4::IDENTITY)
    })?;
    lit.assert_close(5, 20, [0.25, 0.5, 0.125]);
    Ok(())
}

#[test]
fn a_backdrop_is_in_clip_space_whatever_the_view() -> Result<(), PipeError> {
    static CORNERS: [[f32; 5]; 3] =
        [[-1.0, -1.0, 1.0, 0.0, 0.0], [3.0, -1.0, 1.0, 0.0, 0.0], [-1.0, 3.0, 0.0, 0.0, 1.0]];
    let shown = picture(|device, _| {
        let layout = Layout::positions(20, Format::R32G32Float).color(8, Format::R32G32B32Float);
        let mesh = Mesh::new(device, &MeshData::of(&CORNERS, layout, &[0, 1, 2]))?;
        let sky = Material::backdrop(device, &mesh.layout, &Surface::flat())?;
        let lens = perspective(0.8, 1.0, 1.0, 10.0);
        let view = View::from(Camera::look_at(lens, Vec3::new(0.0, 0.0, 5.0), Vec3::ZERO));
        sky.draw(device, &mesh, &view, &Mat4::from_rotation_y(1.0))
    })?;
    // The colour is linear in y: from red at -1 to blue at 3.
    for (x, y) in [(0, 0), (31, 0), (16, 16), (0, 31), (31, 31)] {
        let blue = (1.0 - (f64::from(y) + 0.5) / 16.0 + 1.0) / 4.0;
        shown.assert_close(x, y, [1.0 - blue, 0.0, blue]);
    }
    Ok(())
}

#[test]
fn a_gradient_fills_the_picture_from_below_to_above() -> Result<(), PipeError> {
    static CORNERS: [BackdropCorner; 4] = Backdrop::gradient([1.0, 0.5, 0.0], [0.0, 0.5, 1.0]);
    let shown = picture(|device, _| Backdrop::new(device, &CORNERS)?.draw(device))?;
    for (x, y) in [(0, 0), (31, 0), (16, 16), (0, 31), (31, 31)] {
        let below = (f64::from(y) + 0.5) / 32.0;
        shown.assert_close(x, y, [below, 0.5, 1.0 - below]);
    }
    Ok(())
}

#[test]
fn fog_hides_what_is_far() -> Result<(), PipeError> {
    let fog = Fog::between(Vec3::new(0.2, 0.4, 0.6), 2.0, 6.0);
    for (distance, own) in [(1.5f32, 1.0), (3.0, 0.75), (5.0, 0.25), (7.0, 0.0)] {
        let fogged = picture(|device, _| {
            let square = Mesh::new(device, &solids::square())?;
            let white = Material::lit_fogged(device, &square.layout, &Surface::solid(), Vec4::ONE)?;
            let lens = perspective(0.2, 1.0, 1.0, 10.0);
            let light = Light { sun: Vec3::Z, ..Light::default() };
            let view = View { camera: Camera::new(lens, Mat4::IDENTITY), light, fog };
            let model = Mat4::from_translation(Vec3::new(0.0, 0.0, -distance));
            white.draw(device, &square, &view, &model)
        })?;
        fogged.assert_close(16, 16, [0.2, 0.4, 0.6].map(|fog| own + (1.0 - own) * fog));
    }
    Ok(())
}

#[test]
fn a_lamp_lights_each_vertex_by_angle_and_distance() -> Result<(), PipeError> {
    let lamp =
        Lamp { position: Vec3::new(0.5, 0.5, 1.5), color: Vec3::new(1.0, 0.5, 0.0), reach: 4.0 };
    let light = Light { sun: Vec3::ZERO, ambient: 0.1, lamp };
    // The square has sides of 2 in the world, and of 1 in its model.
    static HALF: [[f32; 8]; 4] = [
        [-0.5, -0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        [0.5, -0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        [0.5, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        [-0.5, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    ];
    static INDICES: [u16; 6] = [0, 1, 2, 0, 2, 3];
    let lit = picture(|device, _| {
        let square = Mesh::new(device, &MeshData::of(&HALF, solids::LAYOUT, &INDICES))?;
        let white = Material::lamplit(device, &square.layout, &Surface::solid(), Vec4::ONE)?;
        let model = Mat4::from_scale(Vec3::splat(2.0));
        white.draw(device, &square, &View { light, ..flat() }, &model)
    })?;
    let at = |x: f64, y: f64| {
        let to = [0.5 - x, 0.5 - y, 1.5];
        let squared: f64 = to.iter().map(|it| it * it).sum();
        to[2] / squared.sqrt() * (1.0 - squared / 16.0).max(0.0)
    };
    // On the diagonal between two corners: the pixel's centre is half a pixel beyond the middle.
    let share = 0.5 + 0.5 / 32.0;
    let middle = at(-1.0, -1.0) * (1.0 - share) + at(1.0, 1.0) * share;
    lit.assert_close(16, 15, [0.1 + middle, 0.1 + middle / 2.0, 0.1]);
    // A sixteenth of the square from its corners: between three corners of a triangle.
    let s = 0.5 / 16.0 / 2.0;
    let corner = at(1.0, -1.0) * (1.0 - 2.0 * s) + s * (at(-1.0, -1.0) + at(1.0, 1.0));
    lit.assert_close(31, 31, [0.1 + corner, 0.1 + corner / 2.0, 0.1]);
    Ok(())
}

/// Four texels: red and green above blue and white.
static TEXELS: [u8; 16] = [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255];
const FOUR: TextureData<'static> = TextureData::of(&TEXELS, RGBA, [2, 2]);

#[test]
fn a_texture_is_upright_and_tinted() -> Result<(), PipeError> {
    let sampler = nearest(TexWrap::ClampToEdge);
    let shown = picture(|device, _| {
        let square = Mesh::new(device, &solids::square())?;
        let texture = Texture::new(device, &FOUR, &sampler)?;
        let paint = Material::textured(device, &square.layout, &Surface::solid(), texture)?;
        paint.draw(device, &square, &flat(), &Mat4::IDENTITY)
    })?;
    assert_eq!([shown.at(5, 5), shown.at(25, 5)], [[255, 0, 0, 255], [0, 255, 0, 255]]);
    assert_eq!([shown.at(5, 25), shown.at(25, 25)], [[0, 0, 255, 255], [255; 4]]);
    let half = Vec4::new(0.5, 0.25, 1.0, 1.0);
    let tinted = picture(|device, _| {
        let square = Mesh::new(device, &solids::square())?;
        let texture = Texture::new(device, &FOUR, &sampler)?;
        let surface = &Surface::solid();
        let paint = Material::textured_tinted(device, &square.layout, surface, texture, half)?;
        paint.draw(device, &square, &flat(), &Mat4::IDENTITY)
    })?;
    tinted.assert_close(25, 25, [0.5, 0.25, 1.0]);
    tinted.assert_close(25, 5, [0.0, 0.25, 0.0]);
    let lit = picture(|device, _| {
        let square = Mesh::new(device, &solids::square())?;
        let texture = Texture::new(device, &FOUR, &sampler)?;
        let surface = &Surface::solid();
        let paint = Material::textured_lit(device, &square.layout, surface, texture, half)?;
        let light = Light { sun: Vec3::Z * 0.5, ..Light::default() };
        paint.draw(device, &square, &View { light, ..flat() }, &Mat4::IDENTITY)
    })?;
    lit.assert_close(25, 25, [0.25, 0.125, 0.5]);
    Ok(())
}

#[test]
fn indices_show_the_colours_of_their_palette() -> Result<(), PipeError> {
    // The four texels as indices of two bits, a row in a byte: 2 and 3 above 1 and 0.
    static BYTES: [u8; 2 + 16] =
        [0b1110, 0b0001, 255, 255, 255, 255, 0, 0, 255, 255, 255, 0, 0, 255, 0, 255, 0, 255];
    let data =
        TextureData { palette: Some(RGBA), ..TextureData::of(&BYTES, Format::L2Unorm, [2, 2]) };
    let [indexed, plain] = [data, FOUR].map(|data| {
        picture(|device, _| {
            let texture = Texture::new(device, &data, &nearest(TexWrap::ClampToEdge))?;
            let square = Mesh::new(device, &solids::square())?;
            let paint = Material::textured(device, &square.layout, &Surface::flat(), texture)?;
            paint.draw(device, &square, &flat(), &Mat4::IDENTITY)
        })
    });
    assert!(indexed?.0 == plain?.0);
    Ok(())
}

#[test]
fn light_selects_one_of_sixteen_brightnesses() -> Result<(), PipeError> {
    // One texel per brightness: red is its number times 16.
    static SHADES: [u8; 64] = {
        let mut texels = [0; 64];
        let mut at = 0;
        while at < 64 {
            texels[at] = (at * 4) as u8;
            at += 4;
        }
        texels
    };
    let data = TextureData::of(&SHADES, RGBA, [1, 16]);
    for cosine in [-0.5f64, 0.0, 0.3, 0.72, 1.0] {
        let sun = Vec3::new((1.0 - cosine * cosine).sqrt() as f32, 0.0, cosine as f32);
        let shaded = picture(|device, _| {
            let square = Mesh::new(device, &solids::square())?;
            let texture = Texture::new(device, &data, &nearest(TexWrap::Repeat))?;
            let paint = Material::shaded(device, &square.layout, &Surface::solid(), texture)?;
            let light = Light { sun, ambient: 0.25, ..Light::default() };
            paint.draw(device, &square, &View { light, ..flat() }, &Mat4::IDENTITY)
        })?;
        let number = (cosine.max(0.0) * 11.9 + 4.0).floor();
        assert_eq!(shaded.at(16, 16)[0], number as u8 * 16, "{cosine}");
    }
    Ok(())
}

#[test]
fn sprites_fill_their_rectangles_in_more_than_one_draw() -> Result<(), PipeError> {
    // Sprites of 4×4 pixels: 36 of them take three draws.
    let count = 6 * 6;
    assert!(count > 2 * SPRITES_PER_DRAW);
    let size = Vec2::splat(SIDE as f32);
    let all: Vec<Sprite> = (0..count)
        .map(|at| {
            let corner = Vec2::new((at % 6) as f32, (at / 6) as f32) * 5.0 + 1.0;
            let texel = Vec2::new((at % 2) as f32, (at / 6 % 2) as f32) * 0.5;
            let sprite = Sprite::pixels(corner, Vec2::splat(4.0), size);
            let color = Vec4::new(0.5, 1.0, 1.0, 1.0);
            Sprite { color, ..sprite.with_part(texel, Vec2::splat(0.5)) }
        })
        .collect();
    let texels = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255; 4]];
    for (tinted, single) in [(false, false), (true, false), (false, true)] {
        let shown = picture(|device, _| {
            let texture = Texture::new(device, &FOUR, &nearest(TexWrap::ClampToEdge))?;
            let sprites = match (tinted, single) {
                (_, true) => Sprites::single(device, &Surface::overlay())?,
                (false, _) => Sprites::new(device, &Surface::overlay())?,
                (true, _) => Sprites::tinted(device, &Surface::overlay())?,
            };
            sprites.draw(device, &texture, &all)
        })?;
        for (x, y) in (0..SIDE * SIDE).map(|at| (at % SIDE, at / SIDE)) {
            let inside = |at: u32| (1..31).contains(&at) && (at - 1) % 5 < 4;
            let texel = (x.saturating_sub(1) / 5 % 2 + 2 * (y.saturating_sub(1) / 5 % 2)) as usize;
            let expected = match inside(x) && inside(y) {
                true => texels[texel],
                false => [0, 0, 0, 255],
            };
            let mut expected = expected.map(|channel| f64::from(channel) / 255.0);
            if tinted {
                expected[0] /= 2.0;
            }
            shown.assert_close(x, y, [expected[0], expected[1], expected[2]]);
        }
    }
    Ok(())
}

#[test]
fn a_turned_sprite_turns_counter_clockwise() -> Result<(), PipeError> {
    let turned = |angle| {
        picture(|device, _| {
            let texture = Texture::new(device, &FOUR, &nearest(TexWrap::ClampToEdge))?;
            let sprites = Sprites::new(device, &Surface::flat())?;
            let sprite = Sprite::turned(Vec2::ZERO, Vec2::splat(0.9), angle);
            sprites.draw(device, &texture, &[sprite])
        })
    };
    let [upright, quarter] = [turned(0.0)?, turned(core::f32::consts::FRAC_PI_2)?];
    assert_eq!(upright.at(8, 8), [255, 0, 0, 255]);
    // Red moves from the upper left to the lower left corner.
    assert_eq!(quarter.at(8, 24), [255, 0, 0, 255]);
    assert_eq!(quarter.at(8, 8), [0, 255, 0, 255]);
    Ok(())
}

#[test]
fn blended_sprites_are_between_the_colours() -> Result<(), PipeError> {
    static HALF: [u8; 4] = [255, 255, 255, 128];
    let data = TextureData::of(&HALF, RGBA, [1, 1]);
    let mixed = picture(|device, target| {
        target.begin(device, [0.0, 1.0, 0.0, 1.0])?;
        let texture = Texture::new(device, &data, &bilinear(TexWrap::ClampToEdge))?;
        let sprites = Sprites::new(device, &Surface::overlay())?;
        sprites.draw(device, &texture, &[Sprite::new(Vec2::ZERO, Vec2::splat(0.5))])
    })?;
    mixed.assert_close(16, 16, [128.0 / 255.0, 1.0, 128.0 / 255.0]);
    mixed.assert_close(2, 2, [0.0, 1.0, 0.0]);
    Ok(())
}

#[test]
fn a_picture_of_a_second_camera_is_a_texture() -> Result<(), PipeError> {
    let shown = picture(|device, main| {
        let sampler = nearest(TexWrap::ClampToEdge);
        let (mirror, image) = target(device, &sampler)?;
        let square = Mesh::new(device, &solids::square())?;
        let red = Material::plain(device, &square.layout, &Surface::solid(), RED)?;
        // From behind, the left half of the picture is red; a front view would show nothing there.
        mirror.begin(device, [0.0, 0.0, 1.0, 1.0])?;
        let lens = orthographic(Vec2::ONE, 1.0, 5.0);
        let behind = View::from(Camera::look_at(lens, Vec3::new(0.0, 0.0, -3.0), Vec3::ZERO));
        // Turned about y, the square faces the second camera.
        let model = Mat4::from_translation(Vec3::X) * Mat4::from_rotation_y(core::f32::consts::PI);
        red.draw(device, &square, &behind, &model)?;
        main.begin(device, BLACK)?;
        let paint = Material::textured(device, &square.layout, &Surface::solid(), image)?;
        paint.draw(device, &square, &flat(), &Mat4::IDENTITY)
    })?;
    assert_eq!((shown.at(7, 16), shown.at(24, 16)), ([255, 0, 0, 255], [0, 0, 255, 255]));
    Ok(())
}

#[test]
fn nearer_things_hide_farther_ones_and_backs_are_culled() -> Result<(), PipeError> {
    let view = {
        let lens = perspective(0.8, 1.0, 1.0, 10.0);
        View::from(Camera::look_at(lens, Vec3::new(0.0, 0.0, 5.0), Vec3::ZERO))
    };
    let shown = picture(|device, _| {
        let square = Mesh::new(device, &solids::square())?;
        let red = Material::plain(device, &square.layout, &Surface::solid(), RED)?;
        let gold = red.with_color(GOLD);
        red.draw(device, &square, &view, &Mat4::from_translation(Vec3::Z))?;
        gold.draw(device, &square, &view, &Mat4::IDENTITY)?;
        // Its back is nearest of all.
        let back = Mat4::from_translation(Vec3::Z * 2.0) * Mat4::from_rotation_y(3.0);
        gold.draw(device, &square, &view, &back)
    })?;
    assert_eq!(shown.at(16, 16), [255, 0, 0, 255]);
    Ok(())
}

#[test]
fn what_a_mesh_lacks_is_an_error() -> Result<(), PipeError> {
    let outcome = picture(|device, _| {
        let layout = Layout::positions(12, Format::R32G32B32Float);
        let error = Material::lit(device, &layout, &Surface::solid(), RED).unwrap_err();
        assert_eq!(
            error.to_string(),
            "not bound: the normals of the mesh, which this material needs,"
        );
        let error = Material::colored(device, &layout, &Surface::solid()).unwrap_err();
        assert!(error.to_string().contains("colours of the mesh"));
        let none = MeshData { layout: Layout { stride: 0, ..layout }, ..solids::cube() };
        assert!(matches!(Mesh::new(device, &none), Err(PipeError::Invalid(_))));
        let odd = MeshData { index_bytes: 3, ..solids::cube() };
        assert!(matches!(Mesh::new(device, &odd), Err(PipeError::Invalid(_))));
        let short = TextureData { width: 3, ..FOUR };
        assert!(Texture::new(device, &short, &nearest(TexWrap::Repeat)).is_err());
        Ok(())
    });
    outcome.map(drop)
}

#[test]
fn cameras_project_as_opengl_does() {
    let project = |camera: Camera, point: Vec3| {
        let clip = camera.clip_from_world * point.extend(1.0);
        [clip.x / clip.w, clip.y / clip.w, clip.z / clip.w]
    };
    let close =
        |a: [f32; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5);
    let eye = Vec3::new(0.0, 0.0, 4.0);
    let camera = Camera::look_at(frustum(Vec2::ONE, 2.0, 6.0), eye, Vec3::ZERO);
    // At distance 2 of the near plane, the half width 1 is the edge; distance 6 is the far plane.
    assert!(close(project(camera, Vec3::new(1.0, -1.0, 2.0)), [1.0, -1.0, -1.0]));
    assert!(close(project(camera, Vec3::new(0.0, 3.0, -2.0)), [0.0, 1.0, 1.0]));
    let view = Camera::look_at(perspective(1.2, 1.5, 2.0, 6.0), eye, Vec3::ZERO);
    let edge = 4.0 * (0.6f64).tan();
    assert!(close(project(view, Vec3::new(1.5, 1.0, 0.0)), [1.0 / edge, 1.0 / edge, 0.5]));
    let pixels = Camera::pixels(320.0, 240.0);
    assert!(close(project(pixels, Vec3::new(0.0, 240.0, 0.0)), [-1.0, -1.0, 0.0]));
    assert!(close(project(pixels, Vec3::new(80.0, 0.0, 1.0)), [-0.5, 1.0, -1.0]));
}

/// A display that keeps RGB565 pixels, from the upper left.
#[derive(PartialEq, Debug)]
struct Display(Vec<u16>);

impl TilePanel for Display {
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        _: u32,
        _: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        for (y, row) in (y..).zip(pixels.chunks(stride_bytes)) {
            for (x, pixel) in (x..x + width).zip(row.as_chunks().0) {
                self.0[(y * SIDE + x) as usize] = u16::from_le_bytes(*pixel);
            }
        }
        Ok(())
    }
}

/// Draws a cube on a panel.
fn shown(device: &mut impl Device<'static>) -> Result<Display, PipeError> {
    let (color, depth) = (Format::B5G6R5Unorm, Some(Format::Z16Unorm));
    let panel = Target::panel(device, color, depth, [SIDE; 2])?;
    let cube = Mesh::new(device, &solids::cube())?;
    let red = Vec4::new(1.0, 0.0, 0.0, 1.0);
    let paint = Material::plain(device, &cube.layout, &Surface::solid(), red)?;
    let lens = frustum(Vec2::ONE, 2.0, 8.0);
    let view = View::from(Camera::look_at(lens, Vec3::new(0.0, 1.0, 4.0), Vec3::ZERO));
    panel.begin(device, BLACK)?;
    paint.draw(device, &cube, &view, &Mat4::IDENTITY)?;
    let mut display = Display(vec![0; (SIDE * SIDE) as usize]);
    panel.present(device, &mut display)?;
    Ok(display)
}

#[test]
fn a_recorded_driver_draws_the_same_and_its_recording_plays() -> Result<(), PipeError> {
    static RECORDING: Mutex<Vec<u8>> = Mutex::new(Vec::new());
    static PORT: RecordPort<fn(&[u8])> =
        RecordPort::new(|bytes| RECORDING.lock().unwrap().extend_from_slice(bytes));
    let driver = || {
        let heap = vec![MaybeUninit::uninit(); 256 << 10];
        Raster::<Small>::new(heap.leak(), 4096)
    };
    let plain = shown(&mut driver()?)?;
    assert_eq!((plain.0[0], plain.0[(SIDE * SIDE / 2 + SIDE / 2) as usize]), (0, 31 << 11));
    let recorded = shown(&mut driver()?.recorded(&PORT)?)?;
    assert_eq!(recorded, plain);

    let recording = RECORDING.lock().unwrap().clone().leak();
    let screen = Screen::<Small>::new(Os::host(), Config::default());
    let mut player = Player::new(&screen, recording, Memory::system()).unwrap();
    let mut display = Display(vec![0; plain.0.len()]);
    let mut frames = 0;
    while let Some(played) = player.step_on(&mut display).unwrap() {
        assert!(played.is_same, "{played:?}");
        frames += usize::from(played.is_frame);
    }
    assert_eq!((frames, display), (1, plain));
    Ok(())
}
