//! Converts meshes and textures to the bytes that firmware includes, and to the Rust that includes
//! them.

use anyhow::{Result, ensure};

use super::mesh::{Mesh, Soup};
use super::texture::{TexelFormat, Texture};

/// Files to write, by name within the data folder.
pub type Files = Vec<(String, Vec<u8>)>;

/// The attributes of a vertex after its position (3×f32), in this order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attributes {
    /// 4×snorm16, the fourth is padding.
    pub normal: bool,
    /// 2×f32.
    pub uv: bool,
    /// 4×unorm8, the fourth is 255.
    pub color: bool,
}

impl Attributes {
    /// Returns kind, format and size in bytes of each attribute, as the Rust source names them.
    fn rows(self) -> impl Iterator<Item = (&'static str, &'static str, usize)> {
        let rows = [
            (true, ("Position", "R32G32B32Float", 12)),
            (self.normal, ("Normal", "R16G16B16A16Snorm", 8)),
            (self.uv, ("TexCoord", "R32G32Float", 8)),
            (self.color, ("Color", "R8G8B8A8Unorm", 4)),
        ];
        rows.into_iter().filter(|row| row.0).map(|row| row.1)
    }

    fn stride(self) -> usize {
        self.rows().map(|(_, _, bytes)| bytes).sum()
    }
}

/// Returns a mesh's two files, and its `static`s in Rust.
pub fn mesh(name: &str, mesh: &Mesh, has: Attributes) -> Result<(Files, String)> {
    check_indices(name, mesh.vertices.len())?;
    let mut vertices = Vec::with_capacity(mesh.vertices.len() * has.stride());
    for vertex in &mesh.vertices {
        vertex.position.iter().for_each(|x| vertices.extend_from_slice(&x.to_le_bytes()));
        if has.normal {
            let [x, y, z] = vertex.normal.map(snorm16);
            [x, y, z, 0].iter().for_each(|x| vertices.extend_from_slice(&x.to_le_bytes()));
        }
        if has.uv {
            vertex.uv.iter().for_each(|x| vertices.extend_from_slice(&x.to_le_bytes()));
        }
        if has.color {
            vertices.extend_from_slice(&vertex.color);
            vertices.push(255);
        }
    }
    let indices: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
    let counted = format!("{} vertices, {} triangles", mesh.vertices.len(), mesh.triangles.len());
    Ok(list(name, &counted, vertices, &indices, has))
}

/// Returns the two files of a mesh of patches, and its `static`s in Rust.
pub fn patches(name: &str, soup: &Soup) -> Result<(Files, String)> {
    check_indices(name, soup.positions.len())?;
    let vertices = soup.positions.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    let indices: Vec<u32> = soup.patches.iter().flatten().copied().collect();
    let counted =
        format!("{} control points, {} patches", soup.positions.len(), soup.patches.len());
    Ok(list(name, &counted, vertices, &indices, Attributes::default()))
}

fn check_indices(name: &str, vertices: usize) -> Result<()> {
    ensure!(
        vertices <= u16::MAX as usize + 1,
        "mesh `{name}` has {vertices} vertices, expected at most 65536 (16-bit indices); \
         set `triangles` to decimate it"
    );
    Ok(())
}

/// Returns the files of vertices and of 16-bit indices, and the Rust that includes them.
fn list(
    name: &str,
    counted: &str,
    vertices: Vec<u8>,
    indices: &[u32],
    has: Attributes,
) -> (Files, String) {
    let index_count = indices.len();
    let indices: Vec<u8> = indices.iter().flat_map(|&i| (i as u16).to_le_bytes()).collect();
    let upper = name.to_uppercase();
    let mut offset = 0;
    let mut attributes = String::new();
    for (kind, format, bytes) in has.rows() {
        let row = format!("        attribute(Kind::{kind}, {offset}, Format::{format}),\n");
        attributes.push_str(&row);
        offset += bytes;
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
        stride = has.stride(),
    );
    let files = vec![(format!("{name}.vertices"), vertices), (format!("{name}.indices"), indices)];
    (files, rust)
}

/// Returns `x * 32767`, rounded to the nearest.
fn snorm16(x: f32) -> i16 {
    libm::floorf(x.clamp(-1.0, 1.0) * 32767.0 + 0.5) as i16
}

/// Returns a texture's file, and its `static`s in Rust.
pub fn texture(name: &str, texture: Texture, format: TexelFormat) -> (Files, String) {
    let upper = name.to_uppercase();
    let Texture { size, levels, texels } = texture;
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
        variant = format.variant(),
    );
    (vec![(format!("{name}.texels"), texels)], rust)
}

/// The head of the generated module.
pub const RUST_HEAD: &str = "\
//! Meshes and textures, as `cargo xtask assets` baked them. Generated: do not edit.

use formats::Format;

use crate::asset::{Aligned, Kind, Mesh, Texture, attribute};
";

#[cfg(test)]
mod tests {
    use super::super::mesh::Vertex;
    use super::*;

    #[test]
    fn a_vertex_is_position_normal_uv() {
        let vertex = Vertex {
            position: [1.0, 0.0, -2.0],
            normal: [0.0, -1.0, 1.0],
            uv: [0.5, 0.25],
            color: [1, 2, 3],
        };
        let tiny = Mesh { vertices: vec![vertex], triangles: vec![[0, 0, 0]] };
        let (files, rust) =
            mesh("dot", &tiny, Attributes { normal: true, uv: true, color: true }).unwrap();
        let words = |a: f32| a.to_le_bytes();
        let expected: Vec<u8> = [words(1.0), words(0.0), words(-2.0)]
            .into_iter()
            .chain([
                [0, 0, 0x01, 0x80],
                [0xff, 0x7f, 0, 0],
                words(0.5),
                words(0.25),
                [1, 2, 3, 255],
            ])
            .flatten()
            .collect();
        assert_eq!(files[0], ("dot.vertices".into(), expected));
        assert_eq!(files[1], ("dot.indices".into(), vec![0; 6]));
        assert!(
            rust.contains("pub static DOT: Mesh") && rust.contains("attribute(Kind::TexCoord, 20")
        );
    }

    #[test]
    fn too_many_vertices_for_16_bits_is_an_error() {
        let vertex = Vertex { position: [0.0; 3], normal: [0.0; 3], uv: [0.0; 2], color: [0; 3] };
        let big = Mesh { vertices: vec![vertex; 65537], triangles: vec![[0, 1, 2]] };
        assert!(
            mesh("big", &big, Attributes::default())
                .unwrap_err()
                .to_string()
                .contains("65537 vertices")
        );
    }
}
