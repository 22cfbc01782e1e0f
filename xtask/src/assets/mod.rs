//! `cargo xtask assets`: converts the sources in `assets/` to the bytes that scenes include, and
//! other files to bytes that firmware includes. gallium-assets has the conversions.

mod emit;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use gallium_assets::{
    Builder, Format, MeshOptions, Names, Normals, Placement, Projection, TextureOptions, mesh,
    texture,
};
use serde::Deserialize;

use emit::Files;

/// Converts meshes (OBJ, glTF, GLB) and textures (PNG, JPEG, BMP) to the data that firmware
/// includes. From another folder: `cargo run --manifest-path PATH/Cargo.toml --package xtask --
/// assets FILES`.
#[derive(Args)]
pub struct Options {
    /// Write nothing; fail if the committed files differ from the conversion of the sources.
    #[arg(long)]
    pub check: bool,
    /// Convert these files instead of the recipe's, to the folder's `assets.rs` and the files that it
    /// includes.
    pub files: Vec<PathBuf>,
    /// With files: the folder to write to.
    #[arg(long, default_value = "target/assets")]
    pub out: PathBuf,
    /// With files: the crates that `assets.rs` uses: gallium, kit (gallium-kit and gallium-formats)
    /// or plain (none).
    #[arg(long, default_value = "gallium")]
    pub names: String,
    /// With files: the maximum number of triangles per mesh.
    #[arg(long)]
    pub triangles: Option<usize>,
    /// With files: compute texture coordinates: spherical or cylindrical.
    #[arg(long)]
    pub uv: Option<String>,
    /// With files: compute normals, smooth up to this angle between faces, in degrees.
    #[arg(long)]
    pub angle: Option<f32>,
    /// With files: move a mesh to the origin and scale it to radius 1.
    #[arg(long)]
    pub unit: bool,
    /// With files: convert meshes unchanged, with the attributes they have.
    #[arg(long)]
    pub exact: bool,
    /// With files: width and height of a texture, such as 64 or 64x16; the picture's by default.
    #[arg(long)]
    pub size: Option<String>,
    /// With files: texel format of a texture.
    #[arg(long, default_value = "B5G6R5_UNORM")]
    pub format: String,
    /// With files: add the levels of textures down to one texel.
    #[arg(long)]
    pub mips: bool,
    /// With files: reduce textures to a palette of at most so many colours.
    #[arg(long)]
    pub palette: Option<usize>,
    /// With files: reduce textures to a bit per texel, covered where alpha is at least half.
    #[arg(long)]
    pub mask: bool,
}

impl Options {
    /// Returns the options of `cargo xtask test`: compare, write nothing.
    pub fn check() -> Options {
        Options {
            check: true,
            files: Vec::new(),
            out: PathBuf::new(),
            names: String::new(),
            triangles: None,
            uv: None,
            angle: None,
            unit: false,
            exact: false,
            size: None,
            format: String::new(),
            mips: false,
            palette: None,
            mask: false,
        }
    }

    fn mesh(&self) -> Result<MeshOptions> {
        let start = if self.exact { MeshOptions::exact() } else { MeshOptions::default() };
        Ok(MeshOptions {
            placement: if self.unit { Placement::Unit } else { Placement::Keep },
            normals: self.angle.map_or(start.normals, Normals::Smooth),
            project: projection(self.uv.as_deref())?.map(|projection| (projection, 1.0)),
            triangles: self.triangles,
            ..start
        })
    }

    fn texture(&self) -> Result<TextureOptions> {
        Ok(TextureOptions {
            size: self.size.as_deref().map(sides).transpose()?,
            mips: self.mips,
            palette: self.palette,
            mask: self.mask,
            ..TextureOptions::of(format(&self.format)?)
        })
    }

    fn names(&self) -> Result<Names> {
        Ok(match self.names.as_str() {
            "gallium" => Names::gallium(),
            "kit" => Names::kit(),
            "plain" => Names::Plain,
            other => bail!("names `{other}`, expected gallium, kit or plain"),
        })
    }
}

/// Parses `64` or `64x16`.
fn sides(text: &str) -> Result<[u32; 2]> {
    let (width, height) = text.split_once(['x', '×']).unwrap_or((text, text));
    let side = |text: &str| text.parse().ok();
    let size = side(width)
        .zip(side(height))
        .with_context(|| format!("size `{text}`, expected 64 or 64x16"))?;
    Ok([size.0, size.1])
}

fn format(name: &str) -> Result<Format> {
    Format::from_name(name)
        .with_context(|| format!("no format is called `{name}`; see `cargo xtask formats`"))
}

fn projection(name: Option<&str>) -> Result<Option<Projection>> {
    Ok(match name {
        None => None,
        Some("spherical") => Some(Projection::Spherical),
        Some("cylindrical") => Some(Projection::Cylindrical),
        Some(other) => bail!("uv `{other}`, expected spherical or cylindrical"),
    })
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
        take(bake_mesh(&folder.join(&recipe.source), recipe)?);
    }
    for recipe in &recipe.texture {
        take(bake_texture(&folder.join(&recipe.source), recipe)?);
    }
    baked.push(("boards/scenes/src/data.rs".into(), rust.into_bytes()));
    Ok(baked)
}

fn convert_files(options: &Options) -> Result<()> {
    let mut builder = Builder::new(options.names()?);
    for path in &options.files {
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("asset");
        // The name becomes a Rust identifier.
        let keep = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let name: String = name.chars().map(keep).collect();
        let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
        match suffix.to_ascii_lowercase().as_str() {
            "obj" | "gltf" | "glb" => builder.mesh(&name, path, &options.mesh()?)?,
            "png" | "jpg" | "jpeg" | "bmp" => builder.texture(&name, path, &options.texture()?)?,
            _ => bail!(
                "{}: expected a file that ends in .obj, .gltf, .glb, .png, .jpg or .bmp",
                path.display()
            ),
        };
    }
    builder.report().iter().for_each(|line| println!("{line}"));
    let (files, rust) = builder.into_files();
    for (name, bytes) in &files {
        write(&options.out.join(name), bytes)?;
    }
    write(&options.out.join("assets.rs"), rust.as_bytes())
}

fn bake_mesh(path: &Path, recipe: &MeshRecipe) -> Result<(Files, String)> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut soup = mesh::read(path, &bytes)?;
    if !soup.patches.is_empty() {
        soup.normalise_scale();
        return emit::patches(&recipe.name, &soup);
    }
    let projection = projection(recipe.uv.as_deref())?;
    let options = match recipe.exact {
        true => MeshOptions::exact(),
        false => MeshOptions {
            placement: Placement::Unit,
            normals: Normals::File(recipe.angle.unwrap_or(180.0)),
            project: projection.map(|projection| (projection, recipe.repeat.unwrap_or(1.0))),
            flip_v: false,
            triangles: recipe.triangles,
            ..MeshOptions::default()
        },
    };
    let converted = mesh::convert(path, &bytes, &options)?;
    println!(
        "{}: {} vertices, {} triangles, {:.2} vertices shaded per triangle (was {:.2})",
        recipe.name,
        converted.vertex_count,
        converted.index_count / 3,
        converted.shaded[1],
        converted.shaded[0]
    );
    emit::mesh(&recipe.name, converted)
}

fn bake_texture(path: &Path, recipe: &TextureRecipe) -> Result<(Files, String)> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let size = recipe.size;
    ensure!(size.is_power_of_two(), "{}: size {size}, expected a power of two", recipe.name);
    let format = format(&recipe.format)?;
    let options =
        TextureOptions { size: Some([size; 2]), mips: true, ..TextureOptions::of(format) };
    let converted = texture::convert(path, &bytes, &options)?;
    println!("{}: {} levels, {} bytes", recipe.name, converted.levels, converted.texels.len());
    emit::texture(&recipe.name, converted)
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
