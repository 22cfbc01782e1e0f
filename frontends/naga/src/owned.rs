//! The shorthand for hosts: from WGSL to the tokens that a context takes.

use crate::error::{Error, ErrorKind};
use crate::interface::Interface;
use crate::module::{Module, Options, Translation};

/// A shader in the form that a context takes, with its interface.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnedShader {
    tokens: Vec<u32>,
    /// Slots, formats, sizes.
    pub interface: Interface,
}

impl OwnedShader {
    /// Returns the code as binary tokens: `pipe_core::ShaderState::tokens` takes them.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }
}

impl TryFrom<Translation> for OwnedShader {
    type Error = Error;

    fn try_from(translation: Translation) -> Result<OwnedShader, Error> {
        let tokens = tgsi::token::encode(&translation.shader, os_shim::Memory::system())
            .map_err(|error| Error::plain(ErrorKind::Unsupported, error.to_string()))?;
        Ok(OwnedShader { tokens: tokens.to_vec(), interface: translation.interface })
    }
}

/// Translates an entry point of WGSL for a context.
///
/// # Errors
/// As [`Module::wgsl`] and [`Module::translate`].
///
/// # Examples
/// ```
/// let shader = gallium_naga::shader(
///     "struct Light { color: vec3f, intensity: f32 }
///      @group(0) @binding(2) var<uniform> light: Light;
///      @fragment fn fs(@location(0) albedo: vec3f) -> @location(0) vec4f {
///          return vec4f(albedo * light.color * light.intensity, 1);
///      }",
///     "fs",
/// )?;
/// assert_eq!(shader.interface.resource(0, 2).unwrap().slot, 0);
/// // `context.create_fs_state(&ShaderState::tokens(shader.tokens()))`
/// # Ok::<(), gallium_naga::Error>(())
/// ```
pub fn shader(wgsl: &str, entry: &str) -> Result<OwnedShader, Error> {
    Module::wgsl(wgsl, "shader.wgsl")?.translate(entry, &Options::default())?.try_into()
}
