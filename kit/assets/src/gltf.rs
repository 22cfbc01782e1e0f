//! Reads glTF 2.0 (`.gltf` with data or with files in its folder, and `.glb`): all triangles of the scene,
//! at the places that their nodes give them.

use std::path::Path;

use base64::Engine;
use gltf::buffer::Source;
use gltf::mesh::Mode;
use gltf::{Document, Gltf, Node};

use crate::soup::{Corner, DEFAULT_GROUP, Soup, cross, dot};

/// The greatest depth of nodes within nodes.
const MAX_DEPTH: usize = 64;

/// The greatest number of corners of a file.
const MAX_CORNERS: usize = 1 << 24;

/// Reads the triangles of a file. `path` is the place of files that it names.
///
/// Materials, skins, animations and morph targets are ignored.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Soup, String> {
    let file = Gltf::from_slice(bytes).map_err(|error| format!("not glTF 2.0: {error}"))?;
    let version = &file.as_json().asset.version;
    if !version.starts_with("2.") {
        return Err(format!("not glTF 2.0: version {version}"));
    }
    let buffers = buffers(&file, path)?;
    let mut soup = Soup::default();
    let document: &Document = &file.document;
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let scene = scene.ok_or("no scene, expected one with a mesh")?;
    for node in scene.nodes() {
        add_node(&mut soup, &node, &IDENTITY, &buffers, 0)?;
    }
    if soup.triangles.is_empty() {
        return Err("no triangle in the scene, expected a mesh of triangles".into());
    }
    Ok(soup)
}

/// Returns the bytes of each buffer: of the file itself, of a `data:` URI, or of a file in its folder.
fn buffers(file: &Gltf, path: &Path) -> Result<Vec<Vec<u8>>, String> {
    let read = |buffer: gltf::Buffer<'_>| {
        let bytes = match buffer.source() {
            Source::Bin => file.blob.clone().ok_or("a buffer without bytes in the file")?,
            Source::Uri(uri) => match uri.strip_prefix("data:") {
                Some(data) => {
                    let (_, text) = data
                        .split_once(";base64,")
                        .ok_or("a buffer whose `data:` URI is not base64")?;
                    let decoded = base64::engine::general_purpose::STANDARD.decode(text);
                    decoded.map_err(|error| format!("a buffer's base64: {error}"))?
                }
                None => {
                    // A name, not a way out of the folder.
                    let is_plain =
                        !uri.contains(':') && !uri.split(['/', '\\']).any(|it| it == "..");
                    if !is_plain || uri.starts_with('/') {
                        return Err(format!("the buffer `{uri}` is not in the file's folder"));
                    }
                    let file = path.parent().unwrap_or(Path::new("")).join(uri);
                    std::fs::read(&file)
                        .map_err(|error| format!("the buffer {}: {error}", file.display()))?
                }
            },
        };
        if bytes.len() < buffer.length() {
            let (there, needed) = (bytes.len(), buffer.length());
            return Err(format!("a buffer has {there} bytes, expected {needed}"));
        }
        Ok(bytes)
    };
    file.buffers().map(read).collect()
}

/// The columns of a map.
type Matrix = [[f32; 4]; 4];

const IDENTITY: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    b.map(|column| [0, 1, 2, 3].map(|row| (0..4).map(|at| a[at][row] * column[at]).sum::<f32>()))
}

fn add_node(
    soup: &mut Soup,
    node: &Node<'_>,
    parent: &Matrix,
    buffers: &[Vec<u8>],
    depth: usize,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("nodes are nested more than {MAX_DEPTH} deep"));
    }
    let place = times(parent, &node.transform().matrix());
    if let Some(mesh) = node.mesh() {
        for primitive in mesh.primitives() {
            let named = || format!("mesh `{}`", mesh.name().unwrap_or("without a name"));
            add_primitive(soup, &primitive, &place, buffers)
                .map_err(|what| format!("{}: {what}", named()))?;
        }
    }
    node.children().try_for_each(|child| add_node(soup, &child, &place, buffers, depth + 1))
}

fn add_primitive(
    soup: &mut Soup,
    primitive: &gltf::Primitive<'_>,
    place: &Matrix,
    buffers: &[Vec<u8>],
) -> Result<(), String> {
    // Points and lines have no surface.
    if !matches!(primitive.mode(), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
        return Ok(());
    }
    for (name, accessor) in primitive.attributes() {
        check_accessor(&accessor, buffers).map_err(|what| format!("{name:?}: {what}"))?;
    }
    if let Some(accessor) = primitive.indices() {
        check_accessor(&accessor, buffers).map_err(|what| format!("indices: {what}"))?;
    }
    let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
    let positions = reader.read_positions().ok_or("a primitive without positions")?;
    let axes = [0, 1, 2].map(|at| [place[at][0], place[at][1], place[at][2]]);
    let moved = |p: [f32; 3], w: f32| {
        [0, 1, 2].map(|row| (0..3).map(|at| axes[at][row] * p[at]).sum::<f32>() + place[3][row] * w)
    };
    // A mirrored model has its faces turned over.
    let mirrored = dot(cross(axes[0], axes[1]), axes[2]) < 0.0;
    // Normals go by the cofactors of the map: the inverse, transposed, without the determinant.
    let sign = if mirrored { -1.0 } else { 1.0 };
    let cofactors = [cross(axes[1], axes[2]), cross(axes[2], axes[0]), cross(axes[0], axes[1])];
    let turned = |n: [f32; 3]| {
        let sum =
            [0, 1, 2].map(|row| (0..3).map(|at| cofactors[at][row] * n[at]).sum::<f32>() * sign);
        let length = dot(sum, sum).sqrt();
        if length > 0.0 { sum.map(|x| x / length) } else { [0.0, 1.0, 0.0] }
    };
    let first = [soup.positions.len(), soup.uvs.len(), soup.normals.len(), soup.colors.len()]
        .map(|len| len as u32);
    let finite = |values: &[f32]| match values.iter().all(|value| value.is_finite()) {
        true => Ok(()),
        false => Err(format!("{values:?}, expected finite numbers")),
    };
    for position in positions {
        finite(&position)?;
        soup.positions.push(moved(position, 1.0));
    }
    let count = soup.positions.len() as u32 - first[0];
    if let Some(uvs) = reader.read_tex_coords(0) {
        soup.uvs.extend(uvs.into_f32());
    }
    if let Some(normals) = reader.read_normals() {
        soup.normals.extend(normals.map(turned));
    }
    if let Some(colors) = reader.read_colors(0) {
        soup.colors.extend(colors.into_rgba_f32());
    }
    for (there, first, what) in [
        (soup.uvs.len() as u32, first[1], "texture coordinates"),
        (soup.normals.len() as u32, first[2], "normals"),
        (soup.colors.len() as u32, first[3], "colours"),
    ] {
        let there = there - first;
        if there != 0 && there != count {
            return Err(format!("{there} {what} for {count} positions"));
        }
    }
    for values in &soup.uvs[first[1] as usize..] {
        finite(values)?;
    }
    let has = [
        soup.uvs.len() as u32 > first[1],
        soup.normals.len() as u32 > first[2],
        soup.colors.len() as u32 > first[3],
    ];
    let corner = |index: u32| {
        if index >= count {
            return Err(format!("index {index} of {count} vertices"));
        }
        Ok(Corner {
            position: first[0] + index,
            uv: has[0].then_some(first[1] + index),
            normal: has[1].then_some(first[2] + index),
            color: has[2].then_some(first[3] + index),
        })
    };
    let indices: Vec<u32> = match reader.read_indices() {
        Some(indices) => indices.into_u32().collect(),
        None => (0..count).collect(),
    };
    if soup.triangles.len() * 3 + indices.len() > MAX_CORNERS {
        return Err(format!("more than {MAX_CORNERS} corners"));
    }
    for triangle in triangles(primitive.mode(), &indices) {
        let [a, b, c] = triangle.map(corner);
        let (a, b, c) = (a?, b?, c?);
        soup.push(if mirrored { [a, c, b] } else { [a, b, c] }, DEFAULT_GROUP);
    }
    Ok(())
}

/// Returns the triangles of a list, a strip or a fan.
fn triangles(mode: Mode, indices: &[u32]) -> Vec<[u32; 3]> {
    match mode {
        Mode::TriangleStrip => (0..indices.len().saturating_sub(2))
            .map(|at| {
                let [a, b, c] = [indices[at], indices[at + 1], indices[at + 2]];
                if at % 2 == 0 { [a, b, c] } else { [b, a, c] }
            })
            .collect(),
        Mode::TriangleFan => (1..indices.len().saturating_sub(1))
            .map(|at| [indices[0], indices[at], indices[at + 1]])
            .collect(),
        _ => indices.as_chunks().0.to_vec(),
    }
}

/// Checks that an accessor's values are within its buffer: the reader relies on it.
fn check_accessor(accessor: &gltf::Accessor<'_>, buffers: &[Vec<u8>]) -> Result<(), String> {
    if accessor.count() > MAX_CORNERS {
        return Err(format!("{} values, expected at most {MAX_CORNERS}", accessor.count()));
    }
    if accessor.sparse().is_some() {
        return Err("a sparse accessor, expected plain values; export without morph targets".into());
    }
    let Some(view) = accessor.view() else { return Ok(()) };
    let bytes = buffers.get(view.buffer().index()).map_or(0, Vec::len);
    let size = accessor.size();
    let stride = view.stride().unwrap_or(size);
    let last = accessor.count().saturating_sub(1).saturating_mul(stride);
    let end = last.saturating_add(size).saturating_add(accessor.offset());
    let view_end = view.offset().saturating_add(view.length());
    if end > view.length() || view_end > bytes || stride < size {
        return Err(format!(
            "{} values of {size} bytes, {stride} bytes apart, leave their view of {} bytes in {bytes}",
            accessor.count(),
            view.length()
        ));
    }
    Ok(())
}
