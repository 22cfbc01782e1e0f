//! User files that become meshes and textures of firmware: any bytes are converted or refused.

use std::path::Path;

use gallium_assets::{
    Format, IndexSize, Keep, MeshOptions, Normals, Placement, PositionFormat, Projection,
    TextureOptions, UvFormat, mesh, texture,
};

/// Maximum number of triangles in a mesh; larger meshes are decimated.
const TRIANGLES: usize = 12;

/// Width and height of a texture, in texels.
const SIZE: u32 = 8;

/// Converts the bytes after the first as a mesh or a texture. The first byte selects the
/// conversion.
pub fn run(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let bit = |index: u8| choice >> index & 1 != 0;
    if bit(0) || bytes.starts_with(b"{") || bytes.starts_with(b"glTF") {
        let path = if bit(0) { "asset.obj" } else { "asset.gltf" };
        let start = if bit(4) { MeshOptions::exact() } else { MeshOptions::default() };
        let options = MeshOptions {
            placement: if bit(5) { Placement::Unit } else { Placement::Keep },
            normals: if bit(6) { Normals::Flat } else { start.normals },
            project: bit(2).then_some((
                if bit(3) { Projection::Cylindrical } else { Projection::Spherical },
                2.0,
            )),
            triangles: bit(1).then_some(TRIANGLES),
            position: if bit(7) { PositionFormat::Snorm16 } else { PositionFormat::Float },
            uv: if bit(7) { Keep::As(UvFormat::Unorm16) } else { Keep::Auto },
            index: if bit(7) { IndexSize::Bits8 } else { IndexSize::Auto },
            ..start
        };
        match mesh::convert(Path::new(path), bytes, &options) {
            Ok(mesh) => {
                assert_eq!(mesh.vertices.len(), mesh.vertex_count * mesh.stride);
                assert_eq!(mesh.indices.len(), mesh.index_count * mesh.index_bytes);
                let indices = mesh.indices.chunks(mesh.index_bytes);
                let value = |index: &[u8]| {
                    index.iter().rev().fold(0, |sum, it| sum << 8 | usize::from(*it))
                };
                assert!(indices.map(value).all(|index| index < mesh.vertex_count));
            }
            Err(error) => assert!(!error.what.is_empty()),
        }
        return;
    }
    let formats = [
        Format::B5G6R5Unorm,
        Format::R8G8B8A8Unorm,
        Format::L8Unorm,
        // No colours.
        Format::Z16Unorm,
    ];
    let options = TextureOptions {
        size: bit(2).then_some([SIZE, SIZE / 2]),
        mips: bit(3),
        premultiply: bit(4),
        shades: bit(1).then_some(4),
        palette: (bit(7) && !bit(4)).then_some(5),
        mask: bit(7) && bit(4),
        ..TextureOptions::of(formats[usize::from(choice >> 5 & 3)])
    };
    match texture::convert(Path::new("asset.png"), bytes, &options) {
        Ok(texture) => assert!(!texture.texels.is_empty()),
        Err(error) => assert!(!error.what.is_empty()),
    }
}
