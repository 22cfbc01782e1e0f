//! Meshes and textures: bytes in flash and the description of their layout.

use formats::Format;

/// Bytes aligned for 32-bit loads.
#[repr(C, align(4))]
pub(crate) struct Aligned<B: ?Sized>(pub(crate) B);

/// The meaning of a vertex attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Position in model space.
    Position,
    /// Unit normal.
    Normal,
    /// Colour.
    Color,
    /// Texture coordinate.
    TexCoord,
}

/// One attribute of a vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// The meaning.
    pub kind: Kind,
    /// Offset within the vertex, in bytes.
    pub offset: u32,
    /// Storage format.
    pub format: Format,
}

pub(crate) const fn attribute(kind: Kind, offset: u32, format: Format) -> Attribute {
    Attribute { kind, offset, format }
}

/// An indexed list of triangles, or of patches.
#[derive(Clone, Copy, Debug)]
pub struct Mesh {
    /// The vertices, `stride` bytes each.
    pub vertices: &'static [u8],
    /// Bytes from one vertex to the next.
    pub stride: u32,
    /// The attributes of a vertex.
    pub attributes: &'static [Attribute],
    /// Indices, `u16` little-endian: three per triangle, or one per control point of patches.
    pub indices: &'static [u8],
    /// Number of indices.
    pub index_count: u32,
}

impl Mesh {
    /// Returns the attribute with this meaning.
    pub fn attribute(&self, kind: Kind) -> Option<&'static Attribute> {
        self.attributes.iter().find(|attribute| attribute.kind == kind)
    }

    /// Returns the number of triangles.
    pub fn triangles(&self) -> u32 {
        self.index_count / 3
    }
}

/// A square texture with its whole mip chain, or only its first level.
#[derive(Clone, Copy, Debug)]
pub struct Texture {
    /// Levels one after the other, rows without padding, top row first.
    pub texels: &'static [u8],
    /// Texel format.
    pub format: Format,
    /// Width and height of level 0, in texels.
    pub size: u32,
    /// Number of mip levels.
    pub levels: u32,
}

/// A quad that covers the screen. Each corner has a position in clip space (w = 1, z = 0.5), a
/// colour and a texture coordinate.
pub static QUAD: Mesh = Mesh {
    vertices: &QUAD_VERTICES.0,
    stride: 24,
    attributes: &[
        attribute(Kind::Position, 0, Format::R32G32B32Float),
        attribute(Kind::Color, 12, Format::R8G8B8A8Unorm),
        attribute(Kind::TexCoord, 16, Format::R32G32Float),
    ],
    indices: &QUAD_INDICES.0,
    index_count: 6,
};

/// A checkerboard with squares of 8 texels: blue 5 or 31 of 31, red increases to the right, green
/// downwards.
pub static CHECKER: Texture =
    Texture { texels: &CHECKER_TEXELS.0, format: Format::B5G6R5Unorm, size: 64, levels: 1 };

static CHECKER_TEXELS: Aligned<[u8; 64 * 64 * 2]> = Aligned(checker_texels());

const fn checker_texels() -> [u8; 64 * 64 * 2] {
    let mut bytes = [0; 64 * 64 * 2];
    let mut at = 0;
    while at < 64 * 64 {
        let (x, y) = (at as u16 % 64, at as u16 / 64);
        let blue = if (x ^ y) & 8 == 0 { 5 } else { 31 };
        let texel = (x / 2) << 11 | y << 5 | blue;
        [bytes[2 * at], bytes[2 * at + 1]] = texel.to_le_bytes();
        at += 1;
    }
    bytes
}

static QUAD_VERTICES: Aligned<[u8; 96]> = Aligned(quad_vertices());
static QUAD_INDICES: Aligned<[u8; 12]> = Aligned([0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 3, 0]);

const fn quad_vertices() -> [u8; 96] {
    // x, y, red, green, blue, u, v: counter-clockwise from the lower left.
    const CORNERS: [([f32; 2], [u8; 3], [f32; 2]); 4] = [
        ([-1.0, -1.0], [255, 0, 0], [0.0, 1.0]),
        ([1.0, -1.0], [0, 255, 0], [1.0, 1.0]),
        ([1.0, 1.0], [0, 0, 255], [1.0, 0.0]),
        ([-1.0, 1.0], [255, 255, 255], [0.0, 0.0]),
    ];
    let mut bytes = [0; 96];
    let mut corner = 0;
    while corner < 4 {
        let (position, color, uv) = CORNERS[corner];
        let words = [
            position[0].to_le_bytes(),
            position[1].to_le_bytes(),
            0.5f32.to_le_bytes(),
            [color[0], color[1], color[2], 255],
            uv[0].to_le_bytes(),
            uv[1].to_le_bytes(),
        ];
        let mut byte = 0;
        while byte < 24 {
            bytes[corner * 24 + byte] = words[byte / 4][byte % 4];
            byte += 1;
        }
        corner += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data;

    #[test]
    fn meshes_are_consistent() {
        for mesh in
            [&QUAD, &data::BUNNY, &data::TEAPOT, &data::CUBE, &data::TORUS, &data::TRIANGLES]
        {
            assert_eq!(mesh.indices.len(), mesh.index_count as usize * 2);
            assert_eq!(mesh.index_count % 3, 0);
            assert_eq!(mesh.vertices.len() % mesh.stride as usize, 0);
            assert_eq!(mesh.vertices.as_ptr().align_offset(4), 0);
            let count = mesh.vertices.len() / mesh.stride as usize;
            for index in mesh.indices.chunks_exact(2) {
                assert!((u16::from_le_bytes([index[0], index[1]]) as usize) < count);
            }
            for attribute in mesh.attributes {
                let end = attribute.offset as usize + attribute.format.block_bytes();
                assert!(end <= mesh.stride as usize, "{attribute:?}");
            }
        }
    }

    #[test]
    fn the_checker_s_corners() {
        let texel = |x: usize, y: usize| {
            let at = 2 * (64 * y + x);
            u16::from_le_bytes([CHECKER.texels[at], CHECKER.texels[at + 1]])
        };
        assert_eq!((texel(0, 0), texel(2, 0), texel(8, 0)), (5, 2053, 8223));
        assert_eq!((texel(0, 1), texel(63, 63)), (37, 65509));
    }

    #[test]
    fn the_texture_holds_its_mip_chain() {
        let texture = &data::BABOON;
        let texels: u32 = (0..texture.levels).map(|level| (texture.size >> level).pow(2)).sum();
        assert_eq!(texture.texels.len(), texels as usize * texture.format.block_bytes());
    }
}
