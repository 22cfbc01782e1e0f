//! User files that become meshes and textures of firmware: any bytes are converted or refused.

use std::path::{Path, PathBuf};

use xtask::assets::{self, Options};

/// Maximum number of triangles in a mesh; larger meshes are decimated.
const TRIANGLES: usize = 12;

/// Width and height of a texture, in texels.
const SIZE: u32 = 8;

/// Converts the bytes after the first as a mesh or a texture. The first byte selects the
/// conversion.
pub fn run(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let bit = |index: u8| choice >> index & 1 != 0;
    let path = Path::new(if bit(0) { "asset.obj" } else { "asset.png" });
    let formats = ["B5G6R5_UNORM", "R8G8B8A8_UNORM", "L8_UNORM", "no format"];
    let projections = [None, None, Some("spherical"), Some("cylindrical")];
    let options = Options {
        check: false,
        files: Vec::new(),
        out: PathBuf::new(),
        triangles: bit(1).then_some(TRIANGLES),
        uv: projections[usize::from(choice >> 2 & 3)].map(String::from),
        exact: bit(4),
        size: SIZE,
        format: formats[usize::from(choice >> 5 & 3)].to_owned(),
    };
    match assets::convert("asset", path, bytes, &options) {
        Ok((files, rust)) => assert!(!files.is_empty() && !rust.is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
