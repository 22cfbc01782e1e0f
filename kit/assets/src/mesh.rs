//! Meshes: from a soup to the bytes of vertices and indices.

use std::path::Path;

use formats::Format;

use crate::error::{Error, Result};
use crate::soup::{Mesh, Projection, Soup, Vertex};
use crate::{cache, decimate, gltf, obj};

/// The place and the size of a mesh.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Placement {
    /// As in the file: the origin and the unit of the file.
    #[default]
    Keep,
    /// The middle of the bounding box at the origin, the farthest vertex at distance 1.
    Unit,
}

/// The origin of normals.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Normals {
    /// The file's normals; corners without one get the mean of the faces around them that share
    /// their smoothing group and meet at no more than this angle, in degrees.
    File(f32),
    /// New normals: as for corners without one.
    Smooth(f32),
    /// New normals: those of the faces.
    Flat,
    /// The file's normals; a mesh of a file without them has none.
    FileOnly,
}

/// The format of positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PositionFormat {
    /// Three floats: 12 bytes.
    #[default]
    Float,
    /// Three 16-bit integers and padding: 8 bytes, with one scale for the whole mesh. The map back
    /// to the mesh's own unit is part of the result.
    Snorm16,
}

/// The format of normals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NormalFormat {
    /// Three 16-bit integers and padding: 8 bytes.
    #[default]
    Snorm16,
    /// Three floats: 12 bytes, and no conversion per vertex.
    Float,
    /// Three bytes and padding: 4 bytes. `gallium-raster` needs the feature `all-formats`.
    Snorm8,
}

/// The format of texture coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UvFormat {
    /// Two floats: 8 bytes.
    #[default]
    Float,
    /// Two 16-bit integers from 0 to 1: 4 bytes. `gallium-raster` needs the feature `all-formats`.
    Unorm16,
}

/// The format of colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ColorFormat {
    /// Four bytes.
    #[default]
    Unorm8,
    /// Four floats: 16 bytes, and no conversion per vertex.
    Float,
}

/// Whether vertices have an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Keep<F> {
    /// If the file, or another option, gives it to all corners.
    #[default]
    Auto,
    /// Always, in this format. It is an error if the mesh lacks it.
    Always(F),
    /// If the mesh has it, in this format.
    As(F),
    /// Never.
    Never,
}

/// The size of indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IndexSize {
    /// 16 bits if they suffice, otherwise 32.
    #[default]
    Auto,
    /// 8 bits: up to 256 vertices.
    Bits8,
    /// 16 bits: up to 65,536 vertices.
    Bits16,
    /// 32 bits.
    Bits32,
}

/// The options of a mesh.
#[derive(Clone, PartialEq, Debug)]
pub struct MeshOptions {
    /// Place and size.
    pub placement: Placement,
    /// The origin of normals.
    pub normals: Normals,
    /// New texture coordinates, by a projection that repeats the texture this many times.
    pub project: Option<(Projection, f32)>,
    /// Turns v over: OBJ counts it from the bottom, and textures begin at the top. Ignored for glTF,
    /// which counts from the top.
    pub flip_v: bool,
    /// The greatest number of triangles; the mesh is decimated to it, which drops the file's
    /// normals, texture coordinates and colours.
    pub triangles: Option<usize>,
    /// Orders triangles for a small cache of vertices.
    pub optimise: bool,
    /// The format of positions.
    pub position: PositionFormat,
    /// Normals.
    pub normal: Keep<NormalFormat>,
    /// Texture coordinates.
    pub uv: Keep<UvFormat>,
    /// Colours.
    pub color: Keep<ColorFormat>,
    /// The size of indices.
    pub index: IndexSize,
}

impl Default for MeshOptions {
    /// Returns the options that keep the file's place, normals, texture coordinates and colours.
    fn default() -> Self {
        MeshOptions {
            placement: Placement::Keep,
            normals: Normals::File(180.0),
            project: None,
            flip_v: true,
            triangles: None,
            optimise: true,
            position: PositionFormat::Float,
            normal: Keep::Auto,
            uv: Keep::Auto,
            color: Keep::Auto,
            index: IndexSize::Auto,
        }
    }
}

impl MeshOptions {
    /// Returns the options that convert a file as it is: its order, its numbers, and the attributes
    /// that it has.
    pub fn exact() -> Self {
        let normals = Normals::FileOnly;
        MeshOptions { normals, flip_v: false, optimise: false, ..Self::default() }
    }
}

/// An attribute of a vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The position.
    Position,
    /// The normal.
    Normal,
    /// The texture coordinate.
    TexCoord,
    /// The colour.
    Color,
}

/// A converted mesh.
#[derive(Clone, PartialEq, Debug)]
pub struct MeshBytes {
    /// The vertices.
    pub vertices: Vec<u8>,
    /// Bytes of a vertex.
    pub stride: usize,
    /// The attributes: kind, offset in bytes, format.
    pub attributes: Vec<(Kind, usize, Format)>,
    /// The indices, little-endian.
    pub indices: Vec<u8>,
    /// Bytes of an index.
    pub index_bytes: usize,
    /// Number of vertices.
    pub vertex_count: usize,
    /// Number of indices.
    pub index_count: usize,
    /// The scale and the middle of quantised positions: a position of the mesh is the stored one
    /// times the scale, plus the middle. `None` for positions as they are.
    pub quantised: Option<(f32, [f32; 3])>,
    /// Vertices shaded per triangle with a cache of 16 vertices: in the file's order, and now.
    pub shaded: [f64; 2],
}

/// Reads a mesh file; its bytes are OBJ, glTF or GLB by the suffix of its path.
///
/// # Errors
/// Another suffix, or a fault in the file, with its place.
pub fn read(path: &Path, bytes: &[u8]) -> Result<Soup> {
    let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
    let error = |what: String| Error { path: path.to_owned(), what };
    match suffix.to_ascii_lowercase().as_str() {
        "obj" => {
            let text = str::from_utf8(bytes).map_err(|fault| {
                let before = bytes.get(..fault.valid_up_to()).unwrap_or_default();
                let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
                error(format!("line {line}: not text, expected UTF-8"))
            })?;
            obj::parse(text).map_err(|fault| error(fault.to_string()))
        }
        "gltf" | "glb" => gltf::parse(bytes, path).map_err(error),
        _ => Err(error(format!("a mesh of kind `{suffix}`, expected obj, gltf or glb"))),
    }
}

/// Converts the bytes of a mesh file.
///
/// # Errors
/// See [`read`]; options that the mesh does not allow.
pub fn convert(path: &Path, bytes: &[u8], options: &MeshOptions) -> Result<MeshBytes> {
    let mut soup = read(path, bytes)?;
    let error = |what: String| Error { path: path.to_owned(), what };
    let is_obj = path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("obj"));
    if soup.triangles.is_empty() {
        return Err(error("patches, expected triangles or polygons".into()));
    }
    if is_obj && options.flip_v {
        soup.uvs.iter_mut().for_each(|uv| uv[1] = 1.0 - uv[1]);
    }
    shape(&mut soup, options).map_err(error)?;
    let mut mesh = soup.index();
    let before = cache::miss_rate(&mesh, 16);
    if options.optimise {
        cache::optimise(&mut mesh);
    }
    let corners = || soup.triangles.iter().flatten();
    let has = Has {
        normal: corners().all(|corner| corner.normal.is_some()),
        uv: corners().all(|corner| corner.uv.is_some()),
        color: corners().all(|corner| corner.color.is_some()),
    };
    let shaded = [before, cache::miss_rate(&mesh, 16)];
    pack(&mesh, &has, options).map(|bytes| MeshBytes { shaded, ..bytes }).map_err(error)
}

/// Welds, decimates, places, and computes normals and texture coordinates.
fn shape(soup: &mut Soup, options: &MeshOptions) -> std::result::Result<(), String> {
    let has_normals = soup.triangles.iter().flatten().all(|corner| corner.normal.is_some());
    let decimated = options.triangles.filter(|&target| target < soup.triangles.len());
    if matches!(options.normals, Normals::Smooth(_) | Normals::Flat) {
        soup.triangles.iter_mut().flatten().for_each(|corner| corner.normal = None);
    }
    let angle = match options.normals {
        Normals::FileOnly => None,
        Normals::File(_) if has_normals && decimated.is_none() => None,
        Normals::File(angle) | Normals::Smooth(angle) => Some(angle),
        Normals::Flat => Some(0.0),
    };
    let angle = angle.filter(|_| options.normal != Keep::Never);
    if angle.is_some() || decimated.is_some() || options.project.is_some() {
        soup.weld();
        if soup.triangles.is_empty() {
            return Err("no triangle with an area".into());
        }
    }
    if let Some(target) = decimated {
        decimate::decimate(soup, target);
    }
    if options.placement == Placement::Unit {
        soup.normalise_scale();
    }
    if options.normals == Normals::Flat {
        soup.groups.iter_mut().for_each(|group| *group = 0);
    }
    if let Some(angle) = angle {
        soup.smooth_normals(angle);
    }
    if let Some((projection, repeat)) = options.project {
        soup.project_uv(projection, repeat);
    }
    Ok(())
}

/// The attributes that all corners have.
struct Has {
    normal: bool,
    uv: bool,
    color: bool,
}

/// Returns the format of an attribute; `None` if vertices do not get it.
fn kept<F: Default + Copy>(
    keep: Keep<F>,
    has: bool,
    what: &str,
) -> std::result::Result<Option<F>, String> {
    match keep {
        Keep::Auto => Ok(has.then(F::default)),
        Keep::As(format) => Ok(has.then_some(format)),
        Keep::Never => Ok(None),
        Keep::Always(format) if has => Ok(Some(format)),
        Keep::Always(_) => Err(format!("not every corner has {what}, and the options ask for it")),
    }
}

fn pack(mesh: &Mesh, has: &Has, options: &MeshOptions) -> std::result::Result<MeshBytes, String> {
    let normal = kept(options.normal, has.normal, "a normal")?;
    let uv = kept(options.uv, has.uv, "a texture coordinate")?;
    let color = kept(options.color, has.color, "a colour")?;
    let (mut attributes, mut stride) = (Vec::new(), 0);
    let mut add = |kind, format: Format, bytes: usize| {
        attributes.push((kind, stride, format));
        stride += bytes;
    };
    match options.position {
        PositionFormat::Float => add(Kind::Position, Format::R32G32B32Float, 12),
        PositionFormat::Snorm16 => add(Kind::Position, Format::R16G16B16A16Snorm, 8),
    }
    match normal {
        Some(NormalFormat::Snorm16) => add(Kind::Normal, Format::R16G16B16A16Snorm, 8),
        Some(NormalFormat::Float) => add(Kind::Normal, Format::R32G32B32Float, 12),
        Some(NormalFormat::Snorm8) => add(Kind::Normal, Format::R8G8B8A8Snorm, 4),
        None => {}
    }
    match uv {
        Some(UvFormat::Float) => add(Kind::TexCoord, Format::R32G32Float, 8),
        Some(UvFormat::Unorm16) => add(Kind::TexCoord, Format::R16G16Unorm, 4),
        None => {}
    }
    match color {
        Some(ColorFormat::Unorm8) => add(Kind::Color, Format::R8G8B8A8Unorm, 4),
        Some(ColorFormat::Float) => add(Kind::Color, Format::R32G32B32A32Float, 16),
        None => {}
    }
    let quantised = (options.position == PositionFormat::Snorm16).then(|| bounds(mesh));
    let mut vertices = Vec::with_capacity(mesh.vertices.len() * stride);
    for Vertex { position, normal: at_normal, uv: at_uv, color: at_color } in &mesh.vertices {
        match quantised {
            None => floats(&mut vertices, position),
            Some((scale, middle)) => {
                let stored = [0, 1, 2].map(|axis| (position[axis] - middle[axis]) / scale);
                shorts(&mut vertices, stored);
            }
        }
        match normal {
            Some(NormalFormat::Snorm16) => shorts(&mut vertices, *at_normal),
            Some(NormalFormat::Float) => floats(&mut vertices, at_normal),
            Some(NormalFormat::Snorm8) => {
                let byte = |x: f32| rounded(x.clamp(-1.0, 1.0) * 127.0) as i8 as u8;
                let [x, y, z] = at_normal.map(byte);
                vertices.extend([x, y, z, 0]);
            }
            None => {}
        }
        match uv {
            Some(UvFormat::Float) => floats(&mut vertices, at_uv),
            Some(UvFormat::Unorm16) => {
                if at_uv.iter().any(|x| !(0.0..=1.0).contains(x)) {
                    let [u, v] = at_uv;
                    return Err(format!(
                        "the texture coordinate ({u}, {v}) is outside of 0 to 1; store floats"
                    ));
                }
                for x in at_uv {
                    vertices.extend((rounded(x * 65535.0) as u16).to_le_bytes());
                }
            }
            None => {}
        }
        match color {
            Some(ColorFormat::Unorm8) => {
                vertices.extend(at_color.map(|x| rounded(x.clamp(0.0, 1.0) * 255.0) as u8));
            }
            Some(ColorFormat::Float) => floats(&mut vertices, at_color),
            None => {}
        }
    }
    let (indices, index_bytes) = pack_indices(mesh, options.index)?;
    Ok(MeshBytes {
        vertices,
        stride,
        attributes,
        index_bytes,
        vertex_count: mesh.vertices.len(),
        index_count: mesh.triangles.len() * 3,
        indices,
        quantised,
        shaded: [0.0; 2],
    })
}

fn pack_indices(mesh: &Mesh, size: IndexSize) -> std::result::Result<(Vec<u8>, usize), String> {
    let count = mesh.vertices.len();
    let bytes = match size {
        IndexSize::Auto if count <= 1 << 16 => 2,
        IndexSize::Auto | IndexSize::Bits32 => 4,
        IndexSize::Bits8 => 1,
        IndexSize::Bits16 => 2,
    };
    if bytes < 4 && count > 1 << (8 * bytes) {
        let (bits, most) = (8 * bytes, 1 << (8 * bytes));
        return Err(format!(
            "{count} vertices, expected at most {most} for {bits}-bit indices; \
             set `triangles` to decimate the mesh, or take larger indices"
        ));
    }
    let all = mesh.triangles.iter().flatten();
    Ok((all.flat_map(|index| index.to_le_bytes().into_iter().take(bytes)).collect(), bytes))
}

/// Returns half the longest side of the bounding box, and its middle.
fn bounds(mesh: &Mesh) -> (f32, [f32; 3]) {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for vertex in &mesh.vertices {
        low = [0, 1, 2].map(|axis| low[axis].min(vertex.position[axis]));
        high = [0, 1, 2].map(|axis| high[axis].max(vertex.position[axis]));
    }
    let half = |axis: usize| (high[axis] - low[axis]) * 0.5;
    let scale = half(0).max(half(1)).max(half(2));
    let middle = [0, 1, 2].map(|axis| (low[axis] + high[axis]) * 0.5);
    (if scale > 0.0 { scale } else { 1.0 }, middle)
}

/// Rounds to the nearest integer, halves upwards.
fn rounded(x: f32) -> f32 {
    libm::floorf(x + 0.5)
}

fn floats(bytes: &mut Vec<u8>, values: &[f32]) {
    values.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
}

/// Appends three numbers from -1 to 1 as 16-bit integers, and 0.
fn shorts(bytes: &mut Vec<u8>, values: [f32; 3]) {
    let [x, y, z] = values.map(|x| rounded(x.clamp(-1.0, 1.0) * 32767.0) as i16);
    [x, y, z, 0].iter().for_each(|x| bytes.extend(x.to_le_bytes()));
}
