//! Shaders that a viewer edits: TGSI or WGSL.

use anyhow::{Result, bail};
use naga_frontend::naga::ShaderStage;
use naga_frontend::{Module, Options};
use pipe_core::ShaderType;

use crate::shaders;

/// Returns the TGSI text of a shader in TGSI or WGSL: a text that begins with the name of a processor
/// (`VERT`, `FRAG` …) is TGSI.
///
/// # Errors
/// The text is no shader of the stage; WGSL has none or several entry points of the stage.
pub fn of_stage(text: &str, stage: ShaderType) -> Result<String> {
    let first = text.split_whitespace().next().unwrap_or("");
    let is_tgsi = ["VERT", "FRAG", "GEOM", "TESS_CTRL", "TESS_EVAL", "COMP"].contains(&first);
    if is_tgsi {
        if shaders::parse(text)?.processor() != stage.processor() {
            bail!("the text is not of the stage {stage:?}");
        }
        return Ok(text.to_owned());
    }
    let wanted = match stage {
        ShaderType::Vertex => ShaderStage::Vertex,
        ShaderType::Fragment => ShaderStage::Fragment,
        ShaderType::Compute => ShaderStage::Compute,
        _ => bail!(
            "the text does not begin with a TGSI processor such as VERT or FRAG, and WGSL has no \
             {stage:?} shaders"
        ),
    };
    let module = Module::wgsl(text, "shader.wgsl")?;
    let entries = module.entry_points().filter(|(_, stage)| *stage == wanted);
    let entries: Vec<&str> = entries.map(|(name, _)| name).collect();
    let [entry] = entries[..] else {
        bail!(
            "the WGSL has {} entry points of the stage {stage:?}: leave exactly one",
            entries.len()
        );
    };
    Ok(module.translate_stage(wanted, entry, &Options::default())?.shader.to_string())
}
