//! Calls as C makes them: pictures and refusals.

use std::ffi::{CStr, c_void};
use std::ptr::{from_mut, from_ref, null, null_mut};

use gallium_c::calls::device::*;
use gallium_c::calls::errors::*;
use gallium_c::calls::material::*;
use gallium_c::calls::matrix::*;
use gallium_c::calls::mesh::*;
use gallium_c::calls::pipeline::*;
use gallium_c::calls::sprites::*;
use gallium_c::calls::target::*;
use gallium_c::calls::texture::*;
use gallium_c::data::*;
use gallium_c::error::Code;

const SIDE: u32 = 32;
const BLACK: Color = Color { red: 0.0, green: 0.0, blue: 0.0, alpha: 1.0 };
const RED: Color = Color { red: 1.0, ..BLACK };

/// The calls that this build has. Other builds refuse them by name.
const SHADERS: bool = cfg!(feature = "shaders");
const SPRITES: bool = cfg!(any(feature = "textured", feature = "grey", feature = "any"));

/// Returns memory that lives as long as the program.
fn memory() -> &'static mut [u8] {
    vec![0; 1 << 17].leak()
}

/// Calls a create function, and returns the object.
#[track_caller]
fn made<T>(create: impl FnOnce(*mut *mut T) -> Code) -> *mut T {
    let mut object = null_mut();
    assert_eq!(create(&raw mut object), Code::None);
    object
}

type Device = *mut gallium_c::Gallium;

fn device() -> Device {
    let memory = memory();
    let (start, bytes) = (memory.as_mut_ptr().cast(), memory.len());
    // SAFETY: the memory is leaked.
    made(|out| unsafe { gallium_create(start, bytes, 4096, out) })
}

fn target(device: Device) -> *mut gallium_c::Target {
    let (format, depth) = (Format::Rgb565 as u32, Depth::Bits16 as u32);
    // SAFETY: pointers of this library.
    made(|out| unsafe { gallium_target_create(device, format, depth, SIDE, SIDE, out) })
}

/// A display in memory, and its lent buffer.
struct Picture {
    pixels: Vec<u16>,
    buffer: Vec<u16>,
    lent: usize,
}

impl Picture {
    fn new() -> Self {
        Picture { pixels: vec![0; (SIDE * SIDE) as usize], buffer: Vec::new(), lent: 0 }
    }

    fn panel(&mut self) -> Panel {
        Panel { user: from_mut(self).cast(), tile: Some(take), lend: None }
    }

    fn at(&self, x: u32, y: u32) -> u16 {
        self.pixels[(y * SIDE + x) as usize]
    }
}

unsafe extern "C" fn take(user: *mut c_void, tile: *const Tile) -> i32 {
    // SAFETY: the panel's user is a picture, and the tile is the library's.
    let (picture, tile) = unsafe { (&mut *user.cast::<Picture>(), &*tile) };
    assert_eq!(tile.format, Format::Rgb565 as u32);
    for y in 0..tile.height {
        for x in 0..tile.width {
            let place = y as usize * tile.stride_bytes + x as usize * 2;
            // SAFETY: the place is in the tile.
            let pixel = unsafe { tile.pixels.byte_add(place).cast::<u16>().read() };
            picture.pixels[((tile.y + y) * SIDE + tile.x + x) as usize] = pixel;
        }
    }
    0
}

unsafe extern "C" fn lend(user: *mut c_void, bytes: usize) -> *mut c_void {
    // SAFETY: the panel's user is a picture.
    let picture = unsafe { &mut *user.cast::<Picture>() };
    picture.buffer.resize(bytes.div_ceil(2), 0);
    picture.lent += 1;
    picture.buffer.as_mut_ptr().cast()
}

#[test]
fn a_square_covers_its_half_of_the_picture() {
    for lends in [false, true] {
        let device = device();
        let target = target(device);
        // SAFETY: pointers of this library and of this function.
        unsafe {
            let mesh = made(|out| gallium_mesh_square(device, out));
            let surface = Surface::Flat as u32;
            let red = made(|out| gallium_material_plain(device, mesh, surface, RED, out));
            let view = gallium_view_of(gallium_identity());
            // -1 to 0 in x, -1 to 1 in y.
            let model = gallium_multiply(
                gallium_translation(Vec3 { x: -0.5, y: 0.0, z: 0.0 }),
                gallium_scaling(Vec3 { x: 0.5, y: 1.0, z: 1.0 }),
            );
            assert_eq!(gallium_begin(device, target, BLACK), Code::None);
            assert_eq!(gallium_draw(device, red, mesh, &view, &model), Code::None);
            let mut picture = Picture::new();
            let mut panel = picture.panel();
            panel.lend = lends.then_some(lend);
            assert_eq!(gallium_present(device, target, &panel), Code::None);
            for (x, y) in [(0, 0), (15, 31), (7, 16)] {
                assert_eq!((picture.at(x, y), picture.at(x + 16, y)), (0xF800, 0), "{x}, {y}");
            }
            assert_eq!(picture.lent > 0, lends);
        }
    }
}

#[test]
fn a_triangle_of_c_arrays_has_its_colour() {
    // A big triangle over the whole picture: place, then colour.
    let vertices: &'static [[f32; 2]; 3] = &[[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];
    let device = device();
    let target = target(device);
    let none = Attribute { offset: 0, format: VertexFormat::None as u32 };
    let position = Attribute { offset: 0, format: VertexFormat::Float2 as u32 };
    let layout = Layout { stride: 8, position, normal: none, uv: none, color: none };
    let data = MeshData {
        vertices: from_ref(vertices).cast(),
        vertex_bytes: 24,
        layout,
        indices: null(),
        index_bytes: 24,
        index_size: 0,
    };
    // SAFETY: pointers of this library and of this function.
    unsafe {
        let mesh = made(|out| gallium_mesh_create(device, &data, out));
        let surface = Surface::Flat as u32;
        let paint = made(|out| gallium_material_plain(device, mesh, surface, BLACK, out));
        let blue = Color { blue: 1.0, ..BLACK };
        assert_eq!(gallium_material_set_color(device, paint, blue), Code::None);
        let (view, model) = (gallium_view_of(gallium_identity()), gallium_identity());
        assert_eq!(gallium_begin(device, target, RED), Code::None);
        assert_eq!(gallium_draw(device, paint, mesh, &view, &model), Code::None);
        let mut picture = Picture::new();
        assert_eq!(gallium_present(device, target, &picture.panel()), Code::None);
        assert!(picture.pixels.iter().all(|pixel| *pixel == 0x001F));
        // The mesh has no normals, and the cube has another layout.
        let mut other = null_mut();
        let lit = gallium_material_lit(device, mesh, surface, RED, &raw mut other);
        assert_eq!((lit, other.is_null()), (Code::WrongLayout, true));
        let cube = made(|out| gallium_mesh_cube(device, out));
        assert_eq!(gallium_draw(device, paint, cube, &view, &model), Code::WrongLayout);
        // Formats and sizes of indices that do not exist.
        let mut out = null_mut();
        let odd = MeshData { indices: data.vertices, index_size: 3, ..data };
        assert_eq!(gallium_mesh_create(device, &odd, &raw mut out), Code::Invalid);
        let odd = MeshData { indices: data.vertices, index_size: 257, ..data };
        assert_eq!(gallium_mesh_create(device, &odd, &raw mut out), Code::Invalid);
        let unknown = Attribute { offset: 0, format: 8 };
        let odd = MeshData { layout: Layout { normal: unknown, ..layout }, ..data };
        assert_eq!(gallium_mesh_create(device, &odd, &raw mut out), Code::UnknownValue);
        let odd = MeshData { layout: Layout { position: none, ..layout }, ..data };
        assert_eq!(gallium_mesh_create(device, &odd, &raw mut out), Code::WrongLayout);
        let odd = MeshData { vertices: null(), ..data };
        assert_eq!(gallium_mesh_create(device, &odd, &raw mut out), Code::NullPointer);
        let odd = MeshData { vertex_bytes: usize::MAX, ..data };
        assert_eq!(gallium_mesh_create(device, &odd, &raw mut out), Code::OutOfRange);
        assert!(out.is_null());
    }
}

#[test]
fn a_texture_has_its_texels() {
    let texels: &'static [u16; 2] = &[0xF800, 0x07E0];
    // The same two as indices of a bit, the first in the lowest one, and a palette.
    let indices: &'static [u8; 5] = &[0b10, 0x00, 0xF8, 0xE0, 0x07];
    let device = device();
    let target = target(device);
    let data = TextureData {
        texels: from_ref(texels).cast(),
        bytes: 4,
        format: Format::Rgb565 as u32,
        width: 2,
        height: 1,
        levels: 1,
        palette: 0,
    };
    let indexed = TextureData {
        texels: from_ref(indices).cast(),
        bytes: 5,
        format: Format::Grey1 as u32,
        palette: Format::Rgb565 as u32,
        ..data
    };
    let (nearest, repeat) = (Filter::Nearest as u32, Wrap::Repeat as u32);
    // SAFETY: pointers of this library and of this function.
    unsafe {
        let mesh = made(|out| gallium_mesh_square(device, out));
        let surface = Surface::Flat as u32;
        let create = |data, out| gallium_texture_create(device, data, nearest, repeat, out);
        let texture = made(|out| create(&data, out));
        let paint = made(|out| gallium_material_textured(device, mesh, surface, texture, out));
        let (view, model) = (gallium_view_of(gallium_identity()), gallium_identity());
        for data in [data, indexed] {
            let mut texture = null_mut();
            if create(&data, &raw mut texture) == Code::Unsupported {
                assert!(data.palette != 0 && !cfg!(feature = "textured"));
                continue;
            }
            assert_eq!(gallium_material_set_texture(device, paint, texture), Code::None);
            assert_eq!(gallium_begin(device, target, BLACK), Code::None);
            assert_eq!(gallium_draw(device, paint, mesh, &view, &model), Code::None);
            let mut picture = Picture::new();
            assert_eq!(gallium_present(device, target, &picture.panel()), Code::None);
            assert_eq!((picture.at(3, 5), picture.at(28, 20)), (0xF800, 0x07E0));
        }
        let mut out = null_mut();
        for (odd, code) in [
            (TextureData { levels: 0, ..data }, Code::Invalid),
            (TextureData { format: 0, ..data }, Code::UnknownValue),
            (TextureData { palette: 99, ..indexed }, Code::UnknownValue),
            (TextureData { texels: null(), ..data }, Code::NullPointer),
        ] {
            let error = gallium_texture_create(device, &odd, nearest, repeat, &raw mut out);
            assert_eq!(error, code);
        }
        let short = TextureData { height: 2, ..data };
        assert_ne!(
            gallium_texture_create(device, &short, nearest, repeat, &raw mut out),
            Code::None
        );
        let error = gallium_texture_create(device, &data, 4, repeat, &raw mut out);
        assert_eq!(error, Code::UnknownValue);
        let error = gallium_texture_create(device, &data, nearest, 3, &raw mut out);
        assert_eq!(error, Code::UnknownValue);
        let plain = made(|out| gallium_material_plain(device, mesh, surface, RED, out));
        assert_eq!(gallium_material_set_texture(device, plain, texture), Code::Invalid);
        assert_eq!(gallium_material_set_texture(device, paint, texture), Code::None);
        assert!(out.is_null());
    }
}

#[test]
fn wrong_pointers_and_numbers_are_refused() {
    let first = device();
    let target = target(first);
    // SAFETY: pointers of this library and of this function, null, or refused before they are used.
    unsafe {
        let memory = memory();
        let start = memory.as_mut_ptr().cast();
        let mut out = null_mut();
        assert_eq!(gallium_create(null_mut(), 4096, 0, &raw mut out), Code::NullPointer);
        assert_eq!(gallium_create(start, 4096, 0, null_mut()), Code::NullPointer);
        assert_eq!(gallium_create(start, usize::MAX, 0, &raw mut out), Code::OutOfRange);
        for bytes in [0, 1, 100, 2000] {
            assert_eq!(gallium_create(start, bytes, 4096, &raw mut out), Code::OutOfMemory);
        }
        assert!(out.is_null());

        assert_eq!(gallium_begin(null_mut(), target, BLACK), Code::NullPointer);
        assert_eq!(gallium_begin(first, null(), BLACK), Code::NullPointer);
        // An object of another type, of another device, and an odd address.
        assert_eq!(gallium_begin(first, first.cast(), BLACK), Code::WrongObject);
        assert_eq!(gallium_begin(target.cast(), target, BLACK), Code::WrongObject);
        assert_eq!(gallium_begin(device(), target, BLACK), Code::WrongObject);
        assert_eq!(gallium_begin(first, target.byte_add(1), BLACK), Code::WrongObject);

        let mut made = null_mut();
        for (format, depth, code) in [
            (0, 1, Code::UnknownValue),
            (1, 3, Code::UnknownValue),
            (u32::MAX, 1, Code::UnknownValue),
        ] {
            let error = gallium_target_create(first, format, depth, 8, 8, &raw mut made);
            assert_eq!(error, code);
        }
        let error = gallium_target_create(first, 1, 1, 1 << 20, 8, &raw mut made);
        assert_ne!(error, Code::None);
        assert_eq!(gallium_target_create(first, 1, 1, 8, 8, null_mut()), Code::NullPointer);

        let cube = self::made(|out| gallium_mesh_cube(first, out));
        let mut paint = null_mut();
        let error = gallium_material_lit(first, cube, 5, RED, &raw mut paint);
        assert_eq!(error, Code::UnknownValue);
        let mut solid = null_mut();
        assert_eq!(gallium_mesh_sphere(first, 0, 4, &raw mut solid), Code::Invalid);
        assert_eq!(gallium_mesh_sphere(first, 999, 999, &raw mut solid), Code::OutOfRange);
        assert_eq!(gallium_mesh_sphere(first, 200, 200, &raw mut solid), Code::OutOfMemory);

        let panel = Panel { user: null_mut(), tile: None, lend: None };
        assert_eq!(gallium_present(first, target, &panel), Code::NullPointer);
        assert_eq!(gallium_present(first, target, null()), Code::NullPointer);
    }
}

#[test]
fn errors_of_a_panel_come_back_with_their_number() {
    unsafe extern "C" fn fail(_: *mut c_void, _: *const Tile) -> i32 {
        77
    }
    let device = device();
    let target = target(device);
    // SAFETY: pointers of this library and of this function.
    unsafe {
        let mut text = [1; 256];
        assert_eq!(gallium_error_details(device, text.as_mut_ptr(), text.len()), Code::None);
        assert_eq!(CStr::from_ptr(text.as_ptr()), c"");
        assert_eq!(gallium_begin(device, target, BLACK), Code::None);
        let panel = Panel { user: null_mut(), tile: Some(fail), lend: None };
        assert_eq!(gallium_present(device, target, &panel), Code::Panel);
        assert_eq!(gallium_error_details(device, text.as_mut_ptr(), text.len()), Code::None);
        let all = match cfg!(feature = "details") {
            true => c"panel: display error 77",
            false => CStr::from_ptr(gallium_error_text(Code::Panel as i32)),
        };
        assert_eq!(CStr::from_ptr(text.as_ptr()), all);
        assert_eq!(gallium_error_details(device, text.as_mut_ptr(), 6), Code::None);
        assert_eq!(CStr::from_ptr(text.as_ptr()).to_bytes(), &all.to_bytes()[..5]);
        assert_eq!(gallium_error_details(device, text.as_mut_ptr(), 0), Code::OutOfRange);
        assert_eq!(gallium_error_details(device, null_mut(), 9), Code::NullPointer);
    }
}

#[test]
fn a_panel_cannot_call_the_device_that_presents() {
    struct Again {
        device: Device,
        answer: Code,
    }
    unsafe extern "C" fn again(user: *mut c_void, _: *const Tile) -> i32 {
        // SAFETY: the user is an `Again`.
        let again = unsafe { &mut *user.cast::<Again>() };
        // SAFETY: pointers of this library and of this function.
        again.answer = unsafe { gallium_memory_peak(again.device, &mut 0) };
        0
    }
    let device = device();
    let target = target(device);
    let mut user = Again { device, answer: Code::None };
    // SAFETY: pointers of this library and of this function.
    unsafe {
        assert_eq!(gallium_begin(device, target, BLACK), Code::None);
        let panel = Panel { user: (&raw mut user).cast(), tile: Some(again), lend: None };
        assert_eq!(gallium_present(device, target, &panel), Code::None);
        assert_eq!(user.answer, Code::Busy);
        let mut peak = 0;
        assert_eq!(gallium_memory_peak(device, &raw mut peak), Code::None);
        assert!(peak > 4096 && peak < 1 << 17, "{peak}");
    }
}

#[test]
fn every_code_has_a_text_of_two_parts() {
    let text = |code| {
        // SAFETY: the text is never null and stays.
        unsafe { CStr::from_ptr(gallium_error_text(code)) }.to_str().unwrap()
    };
    assert_eq!(text(0), "the call succeeded");
    for code in 1..=13 {
        let (happened, to_do) = text(code).split_once(": ").unwrap();
        assert!(happened.len() > 10 && to_do.len() > 10, "{code}");
        assert_ne!(text(code), text(-1));
    }
    assert_eq!(text(14), text(-1));
    assert_eq!(text(i32::MIN), text(-1));
}

#[test]
fn maps_are_those_of_opengl() {
    let place = |map: Mat4, [x, y, z]: [f32; 3]| {
        let row =
            |row: usize| map.m[row] * x + map.m[row + 4] * y + map.m[row + 8] * z + map.m[row + 12];
        [row(0), row(1), row(2), row(3)]
    };
    let close = |a: [f32; 4], b: [f32; 4]| {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?}, expected {b:?}");
    };
    let quarter = core::f32::consts::FRAC_PI_2;
    close(place(gallium_rotation_x(quarter), [0.0, 1.0, 0.0]), [0.0, 0.0, 1.0, 1.0]);
    close(place(gallium_rotation_y(quarter), [0.0, 0.0, 1.0]), [1.0, 0.0, 0.0, 1.0]);
    close(place(gallium_rotation_z(quarter), [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0, 1.0]);
    let axis = Vec3 { x: 0.0, y: 5.0, z: 0.0 };
    close(place(gallium_rotation(axis, quarter), [0.0, 0.0, 1.0]), [1.0, 0.0, 0.0, 1.0]);
    // The near plane is at -1, the far plane at 1, after the division by w.
    let lens = gallium_frustum(1.0, 0.5, 2.0, 8.0);
    close(place(lens, [1.0, 0.5, -2.0]), [2.0, 2.0, -2.0, 2.0]);
    close(place(lens, [0.0, 0.0, -8.0]), [0.0, 0.0, 8.0, 8.0]);
    let wide = gallium_perspective(quarter, 2.0, 2.0, 8.0);
    close(place(wide, [4.0, 2.0, -2.0]), [2.0, 2.0, -2.0, 2.0]);
    let flat = gallium_orthographic(4.0, 2.0, 1.0, 3.0);
    close(place(flat, [4.0, -2.0, -3.0]), [1.0, -1.0, 1.0, 1.0]);
    let eye = Vec3 { x: 0.0, y: 0.0, z: 4.0 };
    let center = Vec3 { x: 0.0, y: 0.0, z: 0.0 };
    close(place(gallium_look_at(eye, center), [1.0, 2.0, 0.0]), [1.0, 2.0, -4.0, 1.0]);
    let fog = gallium_fog_between(center, 2.0, 4.0);
    assert_eq!((fog.scale * 2.0 + fog.offset, fog.scale * 4.0 + fog.offset), (1.0, 0.0));
}

/// Returns the words of a shader of `examples/hill.h`.
fn words(name: &str) -> Vec<u16> {
    let header = include_str!("../examples/hill.h");
    let (_, rest) = header.split_once(&format!("{name}_words[] = {{")).unwrap();
    let (words, _) = rest.split_once('}').unwrap();
    words.split(',').filter_map(|word| word.trim().parse().ok()).collect()
}

fn shader(words: &[u16]) -> Shader {
    Shader { words: words.as_ptr(), count: words.len() }
}

/// The uniform buffer of `examples/hill.wgsl`, for a plane that is not lifted.
fn hill(clip: Mat4, green: [f32; 3]) -> [f32; 28] {
    let mut all = [0.0; 28];
    all[..16].copy_from_slice(&clip.m);
    // The summit is far away, so that every corner has the colour of the foot.
    all[16..19].copy_from_slice(&[1e9, 0.0, 0.0]);
    all[20..23].copy_from_slice(&green);
    all
}

#[test]
fn shaders_of_a_header_draw() {
    let (vertex, fragment) = (words("hill_vs"), words("hill_fs"));
    let device = device();
    let target = target(device);
    // SAFETY: pointers of this library and of this function.
    unsafe {
        // The plane faces y; the map turns y to z.
        let mesh = made(|out| gallium_mesh_plane(device, 2, 2, out));
        let clip = gallium_rotation_x(core::f32::consts::FRAC_PI_2);
        let (vs, fs) = (shader(&vertex), shader(&fragment));
        let surface = Surface::Flat as u32;
        let create = |out| gallium_pipeline_create(device, mesh, surface, &vs, &fs, out);
        if !SHADERS {
            assert_eq!(create(&mut null_mut()), Code::Unsupported);
            return;
        }
        let pipeline = made(create);
        assert_eq!(gallium_begin(device, target, BLACK), Code::None);
        let constants = hill(clip, [0.0, 1.0, 0.0]);
        let bytes = size_of_val(&constants);
        let draw = |constants: *const f32, bytes| {
            gallium_pipeline_draw(device, pipeline, mesh, null(), constants.cast(), bytes)
        };
        // Too few constants, and none.
        assert_eq!(draw(constants.as_ptr(), bytes - 8), Code::Invalid);
        assert_eq!(draw(null(), 0), Code::Invalid);
        assert_eq!(draw(null(), 4), Code::NullPointer);
        assert_eq!(draw(constants.as_ptr(), bytes), Code::None);
        let mut picture = Picture::new();
        assert_eq!(gallium_present(device, target, &picture.panel()), Code::None);
        for (x, y) in [(0, 0), (31, 31), (16, 3)] {
            assert_eq!(picture.at(x, y), 0x07E0, "{x}, {y}");
        }
    }
}

#[test]
fn words_that_are_no_shader_are_refused() {
    let (vertex, fragment) = (words("hill_vs"), words("hill_fs"));
    let device = device();
    // SAFETY: pointers of this library and of this function.
    unsafe {
        let mesh = made(|out| gallium_mesh_square(device, out));
        let create = |vertex: &[u16], fragment: &[u16]| {
            let (vs, fs, mut out) = (shader(vertex), shader(fragment), null_mut());
            gallium_pipeline_create(device, mesh, Surface::Flat as u32, &vs, &fs, &raw mut out)
        };
        if !SHADERS {
            assert_eq!(create(&vertex, &fragment), Code::Unsupported);
            return;
        }
        assert_eq!(create(&vertex, &fragment), Code::None);
        // Cut, longer, another version, no shader.
        for end in [0, 1, 2, 5, 18, 40, vertex.len() - 1] {
            assert_eq!(create(&vertex[..end], &fragment), Code::WrongShader, "{end}");
        }
        let longer = [&vertex[..], &[0]].concat();
        assert_eq!(create(&longer, &fragment), Code::WrongShader);
        let mut other = vertex.clone();
        other[1] += 1;
        assert_eq!(create(&other, &fragment), Code::WrongShader);
        // The stages are exchanged.
        assert_ne!(create(&fragment, &vertex), Code::None);
        // Any wrong word is an error or another shader, never a fault.
        for at in 0..vertex.len() {
            let mut wrong = vertex.clone();
            wrong[at] = 0xFFFF;
            let code = create(&wrong, &fragment);
            let expected = [
                Code::None,
                Code::WrongShader,
                Code::WrongLayout,
                Code::Invalid,
                Code::Refused,
                Code::Unsupported,
                Code::OutOfRange,
                Code::OutOfMemory,
            ];
            assert!(expected.contains(&code), "{at}: {code:?}");
            // The memory of refused shaders is kept: begin again before it is used up.
            if code == Code::OutOfMemory {
                return;
            }
        }
    }
}

#[test]
fn sprites_cover_their_pixels() {
    // Red, green; blue, white.
    static TEXELS: [u16; 4] = [0xF800, 0x07E0, 0x001F, 0xFFFF];
    let data = TextureData {
        texels: TEXELS.as_ptr().cast(),
        bytes: 8,
        format: Format::Rgb565 as u32,
        width: 2,
        height: 2,
        levels: 1,
        palette: 0,
    };
    let (nearest, clamp) = (Filter::Nearest as u32, Wrap::ClampToEdge as u32);
    let device = device();
    let target = target(device);
    let at = |x, y| Vec2 { x, y };
    // SAFETY: pointers of this library and of this function.
    unsafe {
        let texture = made(|out| gallium_texture_create(device, &data, nearest, clamp, out));
        let create = |out| gallium_sprites_create(device, Surface::Overlay as u32, out);
        if !SPRITES {
            assert_eq!(create(&mut null_mut()), Code::Unsupported);
            return;
        }
        let sprites = made(create);
        // Twenty sprites of one pixel in a row, more than a draw has, and one of 8×8 pixels.
        let size = at(SIDE as f32, SIDE as f32);
        let mut list: Vec<Sprite> = (0..20)
            .map(|x| {
                let mut sprite = gallium_sprite_pixels(at(x as f32, 0.0), at(1.0, 1.0), size);
                (sprite.uv, sprite.uv_size) = (at(0.0, 0.5), at(0.5, 0.5));
                sprite
            })
            .collect();
        list.push(gallium_sprite_pixels(at(8.0, 16.0), at(8.0, 8.0), size));
        assert_eq!(gallium_begin(device, target, BLACK), Code::None);
        let draw = |list: *const Sprite, count| {
            gallium_sprites_draw(device, sprites, texture, list, count)
        };
        assert_eq!(draw(null(), 1), Code::NullPointer);
        assert_eq!(draw(null(), 0), Code::None);
        assert_eq!(draw(list.as_ptr(), list.len()), Code::None);
        let mut picture = Picture::new();
        assert_eq!(gallium_present(device, target, &picture.panel()), Code::None);
        for x in 0..32 {
            assert_eq!(picture.at(x, 0), if x < 20 { 0x001F } else { 0 }, "{x}");
        }
        let corners = [(8, 16), (15, 16), (8, 23), (15, 23)];
        for ((x, y), color) in corners.into_iter().zip(TEXELS) {
            assert_eq!(picture.at(x, y), color, "{x}, {y}");
        }
        for (x, y) in [(7, 16), (16, 16), (8, 15), (8, 24)] {
            assert_eq!(picture.at(x, y), 0, "{x}, {y}");
        }
    }
}
