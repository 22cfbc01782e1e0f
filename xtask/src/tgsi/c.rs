//! `cargo xtask tgsi --c`: shaders as a C header.

use std::path::Path;

use anyhow::{Result, bail};
use os_shim::Memory;
use tgsi::compile::{CompileOptions, compile};
use tgsi::shader::Position;
use tgsi::text;

use super::check;
use super::source::File;
use crate::c_shader::Header;

/// Makes the header of a file's shaders. One shader has the name of the file, several have their
/// numbers after it, from 0.
///
/// # Errors
/// A file that cannot be read; a shader that is not valid, or that the C API cannot draw with.
pub fn header(path: &Path) -> Result<Header> {
    let (file, memory) = (File::read(path)?, Memory::system());
    let shaders = file.shaders();
    let mut header = Header::new("tgsi", path);
    for source in &shaders {
        let shader = match text::parse(source.text, memory) {
            Ok(shader) => shader,
            Err(error) => bail!("{}", check::syntax(*source, &error)),
        };
        let compiled = match compile(&shader, &CompileOptions::DEFAULT, memory) {
            Ok(compiled) => compiled,
            Err(error) => {
                let at = error.position().unwrap_or(Position::NONE);
                bail!("{}", source.note("error", at, error))
            }
        };
        let number = if shaders.len() == 1 { String::new() } else { source.number.to_string() };
        let name = header.name(&number);
        header.shader(&name, &compiled.program())?;
    }
    Ok(header)
}
