//! Structs and enums of the header, and the kit's values from them.
//!
//! Enums arrive as `u32`: C may pass any number, and compilers disagree about the size of enums.

use core::ffi::c_void;

use gallium::glam;
use gallium::kit;
use gallium::pipe_core::{self, SamplerState, TexWrap, VertexElement};

use crate::error::Code;

/// Gives an enum of the header the driver's value of each constant.
macro_rules! choice {
    ($name:ident: $value:ty { $($variant:ident => $driver:expr,)* }) => {
        impl $name {
            /// Returns the driver's value of a number from C.
            pub(crate) fn of(number: u32) -> Result<$value, Code> {
                $(if number == $name::$variant as u32 {
                    return Ok($driver);
                })*
                Err(Code::UnknownValue)
            }
        }
    };
}

/// Formats of targets and textures. In memory, the first channel of a name comes first in bytes;
/// 16-bit pixels are little-endian.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// 16 bits: red in the upper five, green in six, blue in the lower five.
    Rgb565 = 1,
    /// 8 bits each of red, green, blue, alpha.
    Rgba8 = 2,
    /// 8 bits each of blue, green, red, alpha.
    Bgra8 = 3,
    /// 8 bits of grey, or an index into a palette.
    Grey8 = 4,
    /// 4 bits each: alpha in the upper four, then red, green, blue. For textures.
    Argb4 = 5,
    /// 1 bit of grey, or an index into a palette. For textures, in this and the next two formats;
    /// the first texel of a byte is in its lowest bits.
    Grey1 = 6,
    /// 2 bits of grey, or an index into a palette.
    Grey2 = 7,
    /// 4 bits of grey, or an index into a palette.
    Grey4 = 8,
}

choice! {
    Format: pipe_core::Format {
        Rgb565 => pipe_core::Format::B5G6R5Unorm,
        Rgba8 => pipe_core::Format::R8G8B8A8Unorm,
        Bgra8 => pipe_core::Format::B8G8R8A8Unorm,
        Grey8 => pipe_core::Format::L8Unorm,
        Argb4 => pipe_core::Format::B4G4R4A4Unorm,
        Grey1 => pipe_core::Format::L1Unorm,
        Grey2 => pipe_core::Format::L2Unorm,
        Grey4 => pipe_core::Format::L4Unorm,
    }
}

impl Format {
    /// Returns the number of a driver's format; 0 if the header does not have it.
    pub(crate) fn number(format: pipe_core::Format) -> u32 {
        match format {
            pipe_core::Format::B5G6R5Unorm => Format::Rgb565 as u32,
            pipe_core::Format::R8G8B8A8Unorm => Format::Rgba8 as u32,
            pipe_core::Format::B8G8R8A8Unorm => Format::Bgra8 as u32,
            pipe_core::Format::L8Unorm => Format::Grey8 as u32,
            _ => 0,
        }
    }
}

/// Depth buffers of targets.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// No depth buffer: later draws cover earlier ones.
    None = 0,
    /// 16 bits.
    Bits16 = 1,
    /// 32 bits.
    Bits32 = 2,
}

choice! {
    Depth: Option<pipe_core::Format> {
        None => None,
        Bits16 => Some(pipe_core::Format::Z16Unorm),
        Bits32 => Some(pipe_core::Format::Z32Unorm),
    }
}

/// Formats of a vertex's attributes.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VertexFormat {
    /// The vertices do not have the attribute.
    None = 0,
    /// Two floats.
    Float2 = 1,
    /// Three floats.
    Float3 = 2,
    /// Four floats.
    Float4 = 3,
    /// Four unsigned bytes, 0 to 255 for 0 to 1.
    Unorm8x4 = 4,
    /// Four signed bytes, -127 to 127 for -1 to 1.
    Snorm8x4 = 5,
    /// Two unsigned 16-bit integers, 0 to 65535 for 0 to 1.
    Unorm16x2 = 6,
    /// Four signed 16-bit integers, -32767 to 32767 for -1 to 1.
    Snorm16x4 = 7,
}

choice! {
    VertexFormat: Option<pipe_core::Format> {
        None => None,
        Float2 => Some(pipe_core::Format::R32G32Float),
        Float3 => Some(pipe_core::Format::R32G32B32Float),
        Float4 => Some(pipe_core::Format::R32G32B32A32Float),
        Unorm8x4 => Some(pipe_core::Format::R8G8B8A8Unorm),
        Snorm8x4 => Some(pipe_core::Format::R8G8B8A8Snorm),
        Unorm16x2 => Some(pipe_core::Format::R16G16Unorm),
        Snorm16x4 => Some(pipe_core::Format::R16G16B16A16Snorm),
    }
}

/// Blending, depth test and culling of a material.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Surface {
    /// Closed bodies: nearer depth wins, back faces are culled. Front faces are counter-clockwise.
    Solid = 0,
    /// Thin things: nearer depth wins, both faces are drawn.
    Sheet = 1,
    /// Glass: alpha blending, tests depth and does not write it. Draw it after the opaque things.
    Glass = 2,
    /// 2D pictures: alpha blending, no depth.
    Overlay = 3,
    /// Backgrounds: no blending, no depth, both faces.
    Flat = 4,
}

choice! {
    Surface: kit::Surface {
        Solid => kit::Surface::solid(),
        Sheet => kit::Surface::sheet(),
        Glass => kit::Surface::glass(),
        Overlay => kit::Surface::overlay(),
        Flat => kit::Surface::flat(),
    }
}

/// Filters of textures.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    /// The nearest texel of the first level.
    Nearest = 0,
    /// The mean of four texels of the first level.
    Bilinear = 1,
    /// The nearest texel of the nearest level.
    NearestLevel = 2,
    /// The mean of four texels in each of two levels.
    Trilinear = 3,
}

choice! {
    Filter: fn(TexWrap) -> SamplerState {
        Nearest => kit::nearest,
        Bilinear => kit::bilinear,
        NearestLevel => kit::nearest_level,
        Trilinear => kit::trilinear,
    }
}

/// Texels outside of a texture.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    /// The texture repeats.
    Repeat = 0,
    /// The texels of the edge continue.
    ClampToEdge = 1,
    /// The texture repeats, mirrored every second time.
    MirrorRepeat = 2,
}

choice! {
    Wrap: TexWrap {
        Repeat => TexWrap::Repeat,
        ClampToEdge => TexWrap::ClampToEdge,
        MirrorRepeat => TexWrap::MirrorRepeat,
    }
}

/// A place or a direction on the picture.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vec2 {
    /// To the right.
    pub x: f32,
    /// Upwards; downwards in pixels and in textures.
    pub y: f32,
}

impl From<Vec2> for glam::Vec2 {
    fn from(it: Vec2) -> Self {
        glam::Vec2::new(it.x, it.y)
    }
}

impl From<glam::Vec2> for Vec2 {
    fn from(it: glam::Vec2) -> Self {
        Vec2 { x: it.x, y: it.y }
    }
}

/// A place or a direction.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vec3 {
    /// To the right.
    pub x: f32,
    /// Upwards.
    pub y: f32,
    /// Towards the viewer.
    pub z: f32,
}

impl From<Vec3> for glam::Vec3 {
    fn from(it: Vec3) -> Self {
        glam::Vec3::new(it.x, it.y, it.z)
    }
}

impl From<glam::Vec3> for Vec3 {
    fn from(it: glam::Vec3) -> Self {
        Vec3 { x: it.x, y: it.y, z: it.z }
    }
}

/// A colour; each part is from 0 to 1.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Color {
    /// Red.
    pub red: f32,
    /// Green.
    pub green: f32,
    /// Blue.
    pub blue: f32,
    /// Alpha: 1 is opaque.
    pub alpha: f32,
}

impl From<glam::Vec4> for Color {
    fn from(it: glam::Vec4) -> Self {
        Color { red: it.x, green: it.y, blue: it.z, alpha: it.w }
    }
}

impl From<Color> for glam::Vec4 {
    fn from(it: Color) -> Self {
        glam::Vec4::new(it.red, it.green, it.blue, it.alpha)
    }
}

/// A map of places: four columns, one after the other, as in OpenGL.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mat4 {
    /// The elements: the first column is 0 to 3, the last one, where the origin goes, is 12 to 15.
    pub m: [f32; 16],
}

impl From<Mat4> for glam::Mat4 {
    fn from(it: Mat4) -> Self {
        bytemuck::cast(it.m)
    }
}

impl From<glam::Mat4> for Mat4 {
    fn from(it: glam::Mat4) -> Self {
        Mat4 { m: bytemuck::cast(it) }
    }
}

/// A point light.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lamp {
    /// The place in the world.
    pub position: Vec3,
    /// The colour: red, green, blue. 1 lights a white face at full brightness at distance 0.
    pub color: Vec3,
    /// The distance at which the light ends.
    pub reach: f32,
}

/// Fog: colours change to the fog's colour with the distance along the view.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fog {
    /// The colour: red, green, blue.
    pub color: Vec3,
    /// The share of a thing's own colour is `scale` times distance plus `offset`, from 0 to 1.
    pub scale: f32,
    /// See `scale`. No fog: scale 0, offset 1.
    pub offset: f32,
}

impl From<Fog> for kit::Fog {
    fn from(it: Fog) -> Self {
        kit::Fog { color: it.color.into(), scale: it.scale, offset: it.offset }
    }
}

impl From<kit::Fog> for Fog {
    fn from(it: kit::Fog) -> Self {
        Fog { color: it.color.into(), scale: it.scale, offset: it.offset }
    }
}

/// The camera, light and fog of a picture. Make it with `gallium_view_of`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct View {
    /// The map from the world to clip space: a projection times a view.
    pub clip_from_world: Mat4,
    /// The direction to the sun, with the sun's brightness as length, usually 1.
    pub sun: Vec3,
    /// The least brightness of a face in the sun's light, 0 to 1.
    pub ambient: f32,
    /// The lamp, which `gallium_material_lamplit` shows.
    pub lamp: Lamp,
    /// The fog, which `gallium_material_lit_fogged` and `gallium_material_lamplit` show.
    pub fog: Fog,
}

impl From<&View> for kit::View {
    fn from(it: &View) -> Self {
        let Lamp { position, color, reach } = it.lamp;
        let lamp = kit::Lamp { position: position.into(), color: color.into(), reach };
        kit::View {
            camera: kit::Camera { clip_from_world: it.clip_from_world.into() },
            light: kit::Light { sun: it.sun.into(), ambient: it.ambient, lamp },
            fog: it.fog.into(),
        }
    }
}

impl From<kit::View> for View {
    fn from(it: kit::View) -> Self {
        let kit::Lamp { position, color, reach } = it.light.lamp;
        View {
            clip_from_world: it.camera.clip_from_world.into(),
            sun: it.light.sun.into(),
            ambient: it.light.ambient,
            lamp: Lamp { position: position.into(), color: color.into(), reach },
            fog: it.fog.into(),
        }
    }
}

/// The place and format of an attribute in a vertex.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// Bytes from the begin of the vertex.
    pub offset: u32,
    /// A constant of `gallium_vertex_format`.
    pub format: u32,
}

impl Attribute {
    fn element(self) -> Result<Option<VertexElement>, Code> {
        let format = VertexFormat::of(self.format)?;
        Ok(format.map(|format| VertexElement::per_vertex(self.offset, format)))
    }
}

/// The attributes of a vertex. Attributes that are 0 do not exist.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Bytes from one vertex to the next.
    pub stride: u32,
    /// The position in model space, which every vertex has.
    pub position: Attribute,
    /// The unit normal.
    pub normal: Attribute,
    /// The texture coordinate.
    pub uv: Attribute,
    /// The colour.
    pub color: Attribute,
}

impl Layout {
    pub(crate) fn checked(&self) -> Result<kit::Layout, Code> {
        Ok(kit::Layout {
            stride: self.stride,
            position: self.position.element()?.ok_or(Code::WrongLayout)?,
            normal: self.normal.element()?,
            uv: self.uv.element()?,
            color: self.color.element()?,
        })
    }
}

/// A mesh in memory that stays, usually flash: a list of triangles.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MeshData {
    /// The vertices.
    pub vertices: *const c_void,
    /// Bytes of all vertices.
    pub vertex_bytes: usize,
    /// The attributes of a vertex.
    pub layout: Layout,
    /// The indices; null if triangles are made of the vertices in order.
    pub indices: *const c_void,
    /// Bytes of all indices.
    pub index_bytes: usize,
    /// Bytes of an index: 1, 2 or 4; any value without indices.
    pub index_size: u32,
}

/// A texture in memory that stays, usually flash.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TextureData {
    /// The levels one after the other, top row first; then the palette. A row begins with a byte.
    pub texels: *const c_void,
    /// Bytes of all levels and of the palette.
    pub bytes: usize,
    /// A constant of `gallium_format`.
    pub format: u32,
    /// Width of the first level, in texels.
    pub width: u32,
    /// Height of the first level, in texels.
    pub height: u32,
    /// Number of levels, at least 1.
    pub levels: u32,
    /// 0 without a palette. Otherwise the texels are grey values that count as indices, there is one
    /// level, 2, 4, 16 or 256 colours follow it, and this is their constant of `gallium_format`. Needs
    /// an archive with the feature `textured`.
    pub palette: u32,
}

/// A textured rectangle. Make it with `gallium_sprite_of`, `gallium_sprite_turned` or
/// `gallium_sprite_pixels`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprite {
    /// The centre in clip space.
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
    /// The factor of the texels for `gallium_sprites_create_tinted`.
    pub color: Color,
}

impl From<&Sprite> for kit::Sprite {
    fn from(it: &Sprite) -> Self {
        let &Sprite { center, right, up, uv, uv_size, depth, color } = it;
        kit::Sprite {
            center: center.into(),
            right: right.into(),
            up: up.into(),
            uv: uv.into(),
            uv_size: uv_size.into(),
            depth,
            color: color.into(),
        }
    }
}

impl From<kit::Sprite> for Sprite {
    fn from(it: kit::Sprite) -> Self {
        let kit::Sprite { center, right, up, uv, uv_size, depth, color } = it;
        Sprite {
            center: center.into(),
            right: right.into(),
            up: up.into(),
            uv: uv.into(),
            uv_size: uv_size.into(),
            depth,
            color: color.into(),
        }
    }
}

/// A compiled shader: `cargo xtask wgsl --c` and `cargo xtask tgsi --c` write constants of this type
/// into headers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Shader {
    /// The words.
    pub words: *const u16,
    /// Their number.
    pub count: usize,
}

/// A finished part of a picture.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// First column on the display.
    pub x: u32,
    /// First row on the display, counted downwards.
    pub y: u32,
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// The pixels, top row first.
    pub pixels: *const c_void,
    /// Bytes from one row to the next.
    pub stride_bytes: usize,
    /// The target's constant of `gallium_format`.
    pub format: u32,
}

/// A display that receives a picture tile by tile.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Panel {
    /// Passed to the functions as it is; may be null.
    pub user: *mut c_void,
    /// Takes a tile. Each pixel of the picture comes exactly once, in tiles of any order. Returns 0,
    /// or an error number from 1 on, which ends the picture.
    ///
    /// The pixels are in memory of `lend`, or in memory that the driver uses again after the call.
    pub tile: Option<unsafe extern "C" fn(user: *mut c_void, tile: *const Tile) -> i32>,
    /// Lends memory of at least `bytes` bytes for the next tile, at an even address. With two
    /// buffers alternately, one is sent while the next one is drawn. May be null, and may return
    /// null: then the driver draws in memory of the `gallium`.
    pub lend: Option<unsafe extern "C" fn(user: *mut c_void, bytes: usize) -> *mut c_void>,
}
