//! Meshes and textures, as `cargo xtask assets` baked them. Generated: do not edit.

use formats::Format;

use crate::asset::{Aligned, Kind, Mesh, Texture, attribute};

static BUNNY_VERTICES: Aligned<[u8; 36780]> =
    Aligned(*include_bytes!("../data/bunny.vertices"));
static BUNNY_INDICES: Aligned<[u8; 22044]> =
    Aligned(*include_bytes!("../data/bunny.indices"));

/// 1839 vertices, 3674 triangles.
pub static BUNNY: Mesh = Mesh {
    vertices: &BUNNY_VERTICES.0,
    stride: 20,
    attributes: &[
        attribute(Kind::Position, 0, Format::R32G32B32Float),
        attribute(Kind::Normal, 12, Format::R16G16B16A16Snorm),
    ],
    indices: &BUNNY_INDICES.0,
    index_count: 11022,
};

static BUNNY_SMALL_VERTICES: Aligned<[u8; 26040]> =
    Aligned(*include_bytes!("../data/bunny_small.vertices"));
static BUNNY_SMALL_INDICES: Aligned<[u8; 15600]> =
    Aligned(*include_bytes!("../data/bunny_small.indices"));

/// 1302 vertices, 2600 triangles.
pub static BUNNY_SMALL: Mesh = Mesh {
    vertices: &BUNNY_SMALL_VERTICES.0,
    stride: 20,
    attributes: &[
        attribute(Kind::Position, 0, Format::R32G32B32Float),
        attribute(Kind::Normal, 12, Format::R16G16B16A16Snorm),
    ],
    indices: &BUNNY_SMALL_INDICES.0,
    index_count: 7800,
};

static TEAPOT_VERTICES: Aligned<[u8; 15708]> =
    Aligned(*include_bytes!("../data/teapot.vertices"));
static TEAPOT_INDICES: Aligned<[u8; 5952]> =
    Aligned(*include_bytes!("../data/teapot.indices"));

/// 561 vertices, 992 triangles.
pub static TEAPOT: Mesh = Mesh {
    vertices: &TEAPOT_VERTICES.0,
    stride: 28,
    attributes: &[
        attribute(Kind::Position, 0, Format::R32G32B32Float),
        attribute(Kind::Normal, 12, Format::R16G16B16A16Snorm),
        attribute(Kind::TexCoord, 20, Format::R32G32Float),
    ],
    indices: &TEAPOT_INDICES.0,
    index_count: 2976,
};

static CUBE_VERTICES: Aligned<[u8; 400]> =
    Aligned(*include_bytes!("../data/cube.vertices"));
static CUBE_INDICES: Aligned<[u8; 72]> =
    Aligned(*include_bytes!("../data/cube.indices"));

/// 20 vertices, 12 triangles.
pub static CUBE: Mesh = Mesh {
    vertices: &CUBE_VERTICES.0,
    stride: 20,
    attributes: &[
        attribute(Kind::Position, 0, Format::R32G32B32Float),
        attribute(Kind::TexCoord, 12, Format::R32G32Float),
    ],
    indices: &CUBE_INDICES.0,
    index_count: 36,
};

static TORUS_VERTICES: Aligned<[u8; 10240]> =
    Aligned(*include_bytes!("../data/torus.vertices"));
static TORUS_INDICES: Aligned<[u8; 6144]> =
    Aligned(*include_bytes!("../data/torus.indices"));

/// 512 vertices, 1024 triangles.
pub static TORUS: Mesh = Mesh {
    vertices: &TORUS_VERTICES.0,
    stride: 20,
    attributes: &[
        attribute(Kind::Position, 0, Format::R32G32B32Float),
        attribute(Kind::Normal, 12, Format::R16G16B16A16Snorm),
    ],
    indices: &TORUS_INDICES.0,
    index_count: 3072,
};

static TRIANGLES_VERTICES: Aligned<[u8; 48000]> =
    Aligned(*include_bytes!("../data/triangles.vertices"));
static TRIANGLES_INDICES: Aligned<[u8; 6000]> =
    Aligned(*include_bytes!("../data/triangles.indices"));

/// 3000 vertices, 1000 triangles.
pub static TRIANGLES: Mesh = Mesh {
    vertices: &TRIANGLES_VERTICES.0,
    stride: 16,
    attributes: &[
        attribute(Kind::Position, 0, Format::R32G32B32Float),
        attribute(Kind::Color, 12, Format::R8G8B8A8Unorm),
    ],
    indices: &TRIANGLES_INDICES.0,
    index_count: 3000,
};

static TEAPOT_SMALL_VERTICES: Aligned<[u8; 9884]> =
    Aligned(*include_bytes!("../data/teapot_small.vertices"));
static TEAPOT_SMALL_INDICES: Aligned<[u8; 3594]> =
    Aligned(*include_bytes!("../data/teapot_small.indices"));

/// 353 vertices, 599 triangles.
pub static TEAPOT_SMALL: Mesh = Mesh {
    vertices: &TEAPOT_SMALL_VERTICES.0,
    stride: 28,
    attributes: &[
        attribute(Kind::Position, 0, Format::R32G32B32Float),
        attribute(Kind::Normal, 12, Format::R16G16B16A16Snorm),
        attribute(Kind::TexCoord, 20, Format::R32G32Float),
    ],
    indices: &TEAPOT_SMALL_INDICES.0,
    index_count: 1797,
};

static TEAPOT_PATCHES_VERTICES: Aligned<[u8; 3480]> =
    Aligned(*include_bytes!("../data/teapot_patches.vertices"));
static TEAPOT_PATCHES_INDICES: Aligned<[u8; 1024]> =
    Aligned(*include_bytes!("../data/teapot_patches.indices"));

/// 290 control points, 32 patches.
pub static TEAPOT_PATCHES: Mesh = Mesh {
    vertices: &TEAPOT_PATCHES_VERTICES.0,
    stride: 12,
    attributes: &[
        attribute(Kind::Position, 0, Format::R32G32B32Float),
    ],
    indices: &TEAPOT_PATCHES_INDICES.0,
    index_count: 512,
};

static BABOON_GREY_TEXELS: Aligned<[u8; 1365]> =
    Aligned(*include_bytes!("../data/baboon_grey.texels"));

/// 32×32 texels, 6 levels.
pub static BABOON_GREY: Texture = Texture {
    texels: &BABOON_GREY_TEXELS.0,
    format: Format::L8Unorm,
    size: 32,
    levels: 6,
};

static BABOON_TEXELS: Aligned<[u8; 43690]> =
    Aligned(*include_bytes!("../data/baboon.texels"));

/// 128×128 texels, 8 levels.
pub static BABOON: Texture = Texture {
    texels: &BABOON_TEXELS.0,
    format: Format::B5G6R5Unorm,
    size: 128,
    levels: 8,
};
