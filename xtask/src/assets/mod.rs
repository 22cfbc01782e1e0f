//! `cargo xtask assets`: converts the sources in `assets/` to the bytes that scenes include.

mod cache;
mod decimate;
mod emit;
mod mesh;
mod obj;
mod texture;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Deserialize;

use crate::picture::Picture;
use emit::{Attributes, Files};
use mesh::{Mesh, Projection};
use texture::TexelFormat;

/// Converts meshes (OBJ) and textures (PNG) to the data that firmware includes.
#[derive(Args)]
pub struct Options {
    /// Write nothing; fail if the committed files differ from the conversion of the sources.
    #[arg(long)]
    pub check: bool,
    /// Convert these files instead of the recipe's, each to `<folder>/<name>.*`.
    pub files: Vec<PathBuf>,
    /// With files: the folder to write to.
    #[arg(long, default_value = "target/assets")]
    pub out: PathBuf,
    /// With files: the maximum number of triangles per mesh.
    #[arg(long)]
    pub triangles: Option<usize>,
    /// With files: compute texture coordinates: spherical or cylindrical.
    #[arg(long)]
    pub uv: Option<String>,
    /// With files: convert meshes unchanged, with the attributes they have.
    #[arg(long)]
    pub exact: bool,
    /// With files: width and height of a texture.
    #[arg(long, default_value_t = 128)]
    pub size: u32,
    /// With files: texel format of a texture.
    #[arg(long, default_value = "B5G6R5_UNORM")]
    pub format: String,
}

impl Options {
    /// Returns the options of `cargo xtask test`: compare, write nothing.
    pub fn check() -> Options {
        Options {
            check: true,
            files: Vec::new(),
            out: PathBuf::new(),
            triangles: None,
            uv: None,
            exact: false,
            size: 0,
            format: String::new(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recipe {
    #[serde(default)]
    mesh: Vec<MeshRecipe>,
    #[serde(default)]
    texture: Vec<TextureRecipe>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MeshRecipe {
    name: String,
    source: PathBuf,
    uv: Option<String>,
    repeat: Option<f32>,
    triangles: Option<usize>,
    angle: Option<f32>,
    #[serde(default)]
    exact: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextureRecipe {
    name: String,
    source: PathBuf,
    size: u32,
    format: String,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    if !options.files.is_empty() {
        return convert_files(options);
    }
    let root = crate::shell::root();
    let files = bake_recipe(&root.join("assets"))?;
    if options.check {
        return check(&root, &files);
    }
    for (path, bytes) in &files {
        write(&root.join(path), bytes)?;
    }
    Ok(())
}

/// Compares the committed files with the conversion of the sources.
fn check(root: &Path, files: &Files) -> Result<()> {
    let stale: Vec<&str> = files
        .iter()
        .filter(|(path, bytes)| fs::read(root.join(path)).ok().as_ref() != Some(bytes))
        .map(|(path, _)| path.as_str())
        .collect();
    if !stale.is_empty() {
        bail!("not what assets/ gives: {}; run `cargo xtask assets`", stale.join(", "));
    }
    println!("{} files are what assets/ gives", files.len());
    Ok(())
}

/// Returns all files of the recipe, by path within the workspace.
fn bake_recipe(folder: &Path) -> Result<Files> {
    let path = folder.join("assets.toml");
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let recipe: Recipe =
        toml::from_str(&text).with_context(|| format!("{}: not a recipe", path.display()))?;
    let mut baked = Files::new();
    let mut rust = String::from(emit::RUST_HEAD);
    let mut take = |(files, text): (Files, String)| {
        baked.extend(
            files.into_iter().map(|(name, bytes)| (format!("boards/scenes/data/{name}"), bytes)),
        );
        rust.push_str(&text);
    };
    for recipe in &recipe.mesh {
        let path = folder.join(&recipe.source);
        take(bake_mesh(&path, &read(&path)?, recipe)?);
    }
    for recipe in &recipe.texture {
        let path = folder.join(&recipe.source);
        take(bake_texture(&path, &read(&path)?, recipe)?);
    }
    baked.push(("boards/scenes/src/data.rs".into(), rust.into_bytes()));
    Ok(baked)
}

fn convert_files(options: &Options) -> Result<()> {
    for path in &options.files {
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("asset");
        // The name becomes a Rust identifier.
        let keep = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let name: String = name.chars().map(keep).collect();
        let (files, rust) = convert(&name, path, &read(path)?, options)?;
        for (name, bytes) in &files {
            write(&options.out.join(name), bytes)?;
        }
        write(&options.out.join(format!("{name}.rs")), rust.as_bytes())?;
    }
    Ok(())
}

/// Converts the bytes of a file, an OBJ or a PNG according to the suffix of its path. Returns the
/// converted files and the Rust that includes them.
///
/// # Errors
/// The bytes are not such a file, or an option makes no sense.
pub fn convert(
    name: &str,
    path: &Path,
    bytes: &[u8],
    options: &Options,
) -> Result<(Files, String)> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension.map(str::to_lowercase).as_deref() {
        Some("obj") => {
            let recipe = MeshRecipe {
                name: name.to_owned(),
                source: path.to_owned(),
                uv: options.uv.clone(),
                repeat: None,
                triangles: options.triangles,
                angle: None,
                exact: options.exact,
            };
            bake_mesh(path, bytes, &recipe)
        }
        Some("png") => {
            let recipe = TextureRecipe {
                name: name.to_owned(),
                source: path.to_owned(),
                size: options.size,
                format: options.format.clone(),
            };
            bake_texture(path, bytes, &recipe)
        }
        _ => bail!("{}: expected a file that ends in .obj or .png", path.display()),
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn bake_mesh(path: &Path, bytes: &[u8], recipe: &MeshRecipe) -> Result<(Files, String)> {
    let in_file = || path.display().to_string();
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let line = bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
            bail!("{}: line {line}: not text, expected UTF-8", path.display());
        }
    };
    let mut soup = obj::parse(text).with_context(in_file)?;
    if !soup.patches.is_empty() {
        soup.normalise_scale();
        return emit::patches(&recipe.name, &soup).with_context(in_file);
    }
    if recipe.exact {
        let corners = || soup.triangles.iter().flatten();
        let has = Attributes {
            normal: corners().all(|corner| corner.normal.is_some()),
            uv: corners().all(|corner| corner.uv.is_some()),
            color: soup.colors.len() == soup.positions.len(),
        };
        return emit::mesh(&recipe.name, &soup.index(), has).with_context(in_file);
    }
    soup.weld();
    if soup.triangles.is_empty() {
        bail!("{}: no triangle with an area", path.display());
    }
    if let Some(target) = recipe.triangles.filter(|&target| target < soup.triangles.len()) {
        decimate::decimate(&mut soup, target);
    }
    soup.normalise_scale();
    soup.smooth_normals(recipe.angle.unwrap_or(180.0));
    let projection = match recipe.uv.as_deref() {
        None => None,
        Some("spherical") => Some(Projection::Spherical),
        Some("cylindrical") => Some(Projection::Cylindrical),
        Some(other) => bail!("uv `{other}`, expected spherical or cylindrical"),
    };
    if let Some(projection) = projection {
        soup.project_uv(projection, recipe.repeat.unwrap_or(1.0));
    }
    let has_uv = soup.triangles.iter().flatten().all(|corner| corner.uv.is_some());
    let mut mesh: Mesh = soup.index();
    let before = cache::miss_rate(&mesh, 16);
    cache::optimise(&mut mesh);
    println!(
        "{}: {} vertices, {} triangles, {:.2} vertices shaded a triangle (was {before:.2})",
        recipe.name,
        mesh.vertices.len(),
        mesh.triangles.len(),
        cache::miss_rate(&mesh, 16)
    );
    let has = Attributes { normal: true, uv: has_uv, color: false };
    emit::mesh(&recipe.name, &mesh, has).with_context(in_file)
}

fn bake_texture(path: &Path, bytes: &[u8], recipe: &TextureRecipe) -> Result<(Files, String)> {
    let format = TexelFormat::from_name(&recipe.format)?;
    let picture =
        Picture::decode(bytes).with_context(|| format!("{}: not a usable PNG", path.display()))?;
    let texture =
        texture::bake(&picture, recipe.size, format).with_context(|| path.display().to_string())?;
    println!("{}: {} levels, {} bytes", recipe.name, texture.levels, texture.texels.len());
    Ok(emit::texture(&recipe.name, texture, format))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {} ({} bytes)", path.display(), bytes.len());
    Ok(())
}
