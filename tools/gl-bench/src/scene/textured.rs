//! A mipmapped texture with a trilinear filter.

use anyhow::{Result, anyhow};
use glow::HasContext;

use super::layers::Layers;
use crate::surface::Surface;

/// Width and height of the texture's level 0, in texels.
const SIZE: i32 = 512;

const FRAGMENT: &str = "
uniform sampler2D image;
varying vec2 t;
void main() { gl_FragColor = texture2D(image, t); }";

/// Creates the scene.
///
/// # Errors
/// A shader does not compile, or the driver creates no texture.
pub(super) fn scene(surface: &Surface) -> Result<Layers> {
    texture(surface)?;
    Layers::new(surface, FRAGMENT, 8, 1.0)
}

/// Creates and binds a texture of rings and squares.
fn texture(surface: &Surface) -> Result<()> {
    let texels: Vec<u8> = (0..SIZE * SIZE)
        .flat_map(|i| {
            let (x, y) = (i % SIZE, i / SIZE);
            let (dx, dy) = (x - SIZE / 2, y - SIZE / 2);
            let ring = ((dx * dx + dy * dy) / 256) as u8;
            [ring, (x ^ y) as u8, if (x / 32 + y / 32) % 2 == 0 { 220 } else { 60 }, 255]
        })
        .collect();
    let gl = &surface.gl;
    // SAFETY: the context is current; the slice holds SIZE × SIZE texels of four bytes.
    unsafe {
        let texture = gl.create_texture().map_err(|error| anyhow!(error))?;
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        gl.tex_image_2d(
            glow::TEXTURE_2D,
            0,
            glow::RGBA as i32,
            SIZE,
            SIZE,
            0,
            glow::RGBA,
            glow::UNSIGNED_BYTE,
            glow::PixelUnpackData::Slice(Some(&texels)),
        );
        gl.generate_mipmap(glow::TEXTURE_2D);
        let trilinear = glow::LINEAR_MIPMAP_LINEAR as i32;
        gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_MIN_FILTER, trilinear);
        gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_MAG_FILTER, glow::LINEAR as i32);
    }
    Ok(())
}
