//! Facts about shaders that draws are checked with.

use os_shim::memory::OutOfMemory;
use tgsi::declaration::{Semantic, SemanticName};
use tgsi::program::{ConstantSource, Program};
use tgsi::register::File;
use tgsi::scan::ShaderInfo;
use tgsi::shader::Shader;

use crate::limits::MAX_CONSTANT_BUFFERS;
use crate::shader::ShaderType;

/// A set of varyings, one bit per semantic.
type Varyings = u128;

/// The facts about a shader.
#[derive(Clone, Copy)]
pub(super) struct ShaderFacts {
    pub(super) stage: ShaderType,
    /// The number of its inputs.
    pub(super) inputs: usize,
    /// The bytes of each constant buffer that it reads or declares.
    pub(super) constants: [u32; MAX_CONSTANT_BUFFERS],
    /// The units of samplers that it uses, one bit per unit.
    pub(super) samplers: u32,
    /// The units of views that it uses, one bit per unit.
    pub(super) views: u32,
    /// The varyings that it reads.
    pub(super) reads: Varyings,
    /// The varyings that it writes.
    pub(super) writes: Varyings,
}

impl ShaderFacts {
    /// Returns the facts of a shader that reads nothing.
    pub(super) fn none(stage: ShaderType) -> ShaderFacts {
        ShaderFacts {
            stage,
            inputs: 0,
            constants: [0; MAX_CONSTANT_BUFFERS],
            samplers: 0,
            views: 0,
            reads: 0,
            writes: 0,
        }
    }

    /// Returns the facts of a compiled program.
    pub(super) fn of_program(stage: ShaderType, program: &Program<'_>) -> ShaderFacts {
        let mut facts = ShaderFacts { inputs: program.inputs.len(), ..ShaderFacts::none(stage) };
        for constant in program.constants {
            if let ConstantSource::Buffer { buffer, word } = constant.source {
                facts.reads_constants(buffer.into(), u32::from(word).saturating_add(1));
            }
        }
        for used in program.samplers {
            facts.samplers |= bit(used.unit);
            facts.views |= bit(used.view);
        }
        for input in program.inputs {
            facts.reads |= varying(input.semantic);
        }
        for output in program.outputs {
            facts.writes |= varying(output.semantic);
        }
        facts
    }

    /// Returns the facts of a shader's text or tokens.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn of_shader(
        stage: ShaderType,
        shader: &Shader<'_>,
    ) -> Result<ShaderFacts, OutOfMemory> {
        let info = ShaderInfo::new(shader)?;
        let mut facts = ShaderFacts {
            inputs: info.inputs.len(),
            samplers: info.samplers,
            views: info.samplers,
            ..ShaderFacts::none(stage)
        };
        for declared in shader.declarations().iter().filter(|it| it.file == File::Constant) {
            let words = u32::from(declared.last).saturating_add(1).saturating_mul(4);
            facts.reads_constants(declared.dimension.unwrap_or(0).into(), words);
        }
        for input in info.inputs.iter().filter(|input| !input.mask.is_empty()) {
            facts.reads |= varying(input.semantic);
        }
        for output in info.outputs.iter() {
            facts.writes |= varying(output.semantic);
        }
        Ok(facts)
    }

    fn reads_constants(&mut self, buffer: usize, words: u32) {
        if let Some(bytes) = self.constants.get_mut(buffer) {
            *bytes = words.saturating_mul(4).max(*bytes);
        }
    }
}

/// Returns the bit of a unit; 0 for units beyond a word.
fn bit(unit: u8) -> u32 {
    1u32.checked_shl(unit.into()).unwrap_or(0)
}

/// Returns the bit of a varying; 0 for semantics that other things than shaders give a value, and
/// for indices that no driver has.
fn varying(semantic: Semantic) -> Varyings {
    let (first, count) = match semantic.name {
        SemanticName::Generic => (0, 64),
        SemanticName::TexCoord => (64, 8),
        // The colour of a back face stands for the colour of a front face.
        SemanticName::Color | SemanticName::BackColor => (72, 2),
        SemanticName::Fog => (74, 1),
        _ => (75, 0),
    };
    let at: u32 = semantic.index.into();
    if at < count { 1u128.checked_shl(at.saturating_add(first)).unwrap_or(0) } else { 0 }
}

/// The varyings that a point sprite's coordinates may replace.
pub(super) const SPRITES: Varyings = (1 << 72) - 1;
