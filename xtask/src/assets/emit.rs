//! The Rust of `boards/scenes`, with the types that this crate has for meshes and textures.

use anyhow::{Context, Result, ensure};
use gallium_assets::soup::Soup;
use gallium_assets::{Format, Kind, MeshBytes, TextureBytes};

/// Files to write, by name within the data folder.
pub type Files = Vec<(String, Vec<u8>)>;

/// The head of the generated module.
pub const RUST_HEAD: &str = "\
//! Meshes and textures, as `cargo xtask assets` baked them. Generated: do not edit.

use formats::Format;

use crate::asset::{Aligned, Kind, Mesh, Texture, attribute};
";

/// Returns the two files of a mesh of patches, and its `static`s in Rust.
pub fn patches(name: &str, soup: &Soup) -> Result<(Files, String)> {
    let (points, patches) = (soup.positions.len(), soup.patches.len());
    ensure!(points <= 1 << 16, "mesh `{name}` has {points} control points, expected at most 65536");
    let indices = soup.patches.iter().flatten();
    let mesh = MeshBytes {
        vertices: soup.positions.iter().flatten().flat_map(|x| x.to_le_bytes()).collect(),
        stride: 12,
        attributes: vec![(Kind::Position, 0, Format::R32G32B32Float)],
        indices: indices.flat_map(|&index| (index as u16).to_le_bytes()).collect(),
        index_bytes: 2,
        vertex_count: points,
        index_count: patches * 16,
        quantised: None,
        shaded: [0.0; 2],
    };
    list(name, &format!("{points} control points, {patches} patches"), mesh)
}

/// Returns a mesh's two files, and its `static`s in Rust.
pub fn mesh(name: &str, mesh: MeshBytes) -> Result<(Files, String)> {
    let counted = format!("{} vertices, {} triangles", mesh.vertex_count, mesh.index_count / 3);
    list(name, &counted, mesh)
}

/// Returns the files of vertices and of 16-bit indices, and the Rust that includes them.
fn list(name: &str, counted: &str, mesh: MeshBytes) -> Result<(Files, String)> {
    let MeshBytes { vertices, stride, indices, index_bytes, index_count, .. } = mesh;
    ensure!(
        index_bytes == 2,
        "mesh `{name}` has {} vertices, expected at most 65536 (16-bit indices); \
         set `triangles` to decimate it",
        mesh.vertex_count
    );
    let upper = name.to_uppercase();
    let mut attributes = String::new();
    for (kind, offset, format) in mesh.attributes {
        let format = variant(format).context("a format without a variant")?;
        let row = format!("        attribute(Kind::{kind:?}, {offset}, Format::{format}),\n");
        attributes.push_str(&row);
    }
    let rust = format!(
        "\nstatic {upper}_VERTICES: Aligned<[u8; {vertex_bytes}]> =\n    \
         Aligned(*include_bytes!(\"../data/{name}.vertices\"));\n\
         static {upper}_INDICES: Aligned<[u8; {index_bytes}]> =\n    \
         Aligned(*include_bytes!(\"../data/{name}.indices\"));\n\n\
         /// {counted}.\n\
         pub static {upper}: Mesh = Mesh {{\n    \
         vertices: &{upper}_VERTICES.0,\n    \
         stride: {stride},\n    \
         attributes: &[\n{attributes}    ],\n    \
         indices: &{upper}_INDICES.0,\n    \
         index_count: {index_count},\n\
         }};\n",
        vertex_bytes = vertices.len(),
        index_bytes = indices.len(),
    );
    let files = vec![(format!("{name}.vertices"), vertices), (format!("{name}.indices"), indices)];
    Ok((files, rust))
}

/// Returns the variants of the formats that scenes use.
fn variant(format: Format) -> Option<&'static str> {
    Some(match format {
        Format::R32G32B32Float => "R32G32B32Float",
        Format::R16G16B16A16Snorm => "R16G16B16A16Snorm",
        Format::R32G32Float => "R32G32Float",
        Format::R8G8B8A8Unorm => "R8G8B8A8Unorm",
        Format::B5G6R5Unorm => "B5G6R5Unorm",
        Format::L8Unorm => "L8Unorm",
        _ => return None,
    })
}

/// Returns a square texture's file, and its `static`s in Rust.
pub fn texture(name: &str, texture: TextureBytes) -> Result<(Files, String)> {
    let upper = name.to_uppercase();
    let TextureBytes { width: size, levels, texels, format, .. } = texture;
    let rust = format!(
        "\nstatic {upper}_TEXELS: Aligned<[u8; {bytes}]> =\n    \
         Aligned(*include_bytes!(\"../data/{name}.texels\"));\n\n\
         /// {size}×{size} texels, {levels} levels.\n\
         pub static {upper}: Texture = Texture {{\n    \
         texels: &{upper}_TEXELS.0,\n    \
         format: Format::{variant},\n    \
         size: {size},\n    \
         levels: {levels},\n\
         }};\n",
        bytes = texels.len(),
        variant = variant(format).context("a texel format that scenes do not use")?,
    );
    Ok((vec![(format!("{name}.texels"), texels)], rust))
}
