//! Texture lookups of the SAMPLE family: views and samplers are separate, and views define their
//! shape.

use super::graph::Value;
use super::texture::{SampleValues, layer_component};
use super::{CompileError, Lower};
use crate::declaration::DeclarationKind;
use crate::exec::program::{SamplerUse, Uses};
use crate::exec::{RENDER_TARGET, SampleKind};
use crate::opcode::SampleOpcode;
use crate::register::{File, SrcRegister};
use crate::shader::{Instruction, TextureTarget};

/// Maps an opcode to its kind of lookup, and to the numbers of its view and sampler sources.
const fn kind_of(opcode: SampleOpcode) -> (SampleKind, usize, Option<usize>) {
    use SampleOpcode::*;
    match opcode {
        Sample | SampleC => (SampleKind::Implicit, 1, Some(2)),
        SampleB => (SampleKind::Bias, 1, Some(2)),
        SampleL | SampleCLz => (SampleKind::Lod, 1, Some(2)),
        SampleD => (SampleKind::Gradient, 1, Some(2)),
        Gather4 => (SampleKind::Gather, 1, Some(2)),
        Lod => (SampleKind::LodQuery, 1, Some(2)),
        SampleI | SampleIMs => (SampleKind::Fetch, 1, None),
        Sviewinfo => (SampleKind::SizeQuery, 1, None),
        SamplePos => (SampleKind::SamplePosition, 0, None),
        SampleInfo => (SampleKind::SampleCount, 0, None),
    }
}

/// Returns the comparing form of a shape.
const fn compared(target: TextureTarget) -> TextureTarget {
    use TextureTarget::*;
    match target {
        Texture1D => Shadow1D,
        Texture2D => Shadow2D,
        Rect => ShadowRect,
        Array1D => ShadowArray1D,
        Array2D => ShadowArray2D,
        Cube => ShadowCube,
        CubeArray => ShadowCubeArray,
        other => other,
    }
}

impl Lower<'_, '_> {
    /// Adds the nodes of a lookup of the SAMPLE family, and writes its result.
    #[expect(
        clippy::indexing_slicing,
        reason = "components are 0 to 3, and targets have at most three dimensions"
    )]
    pub(super) fn sample(
        &mut self,
        opcode: SampleOpcode,
        instruction: &Instruction,
    ) -> Result<(), CompileError> {
        let (kind, view, sampler) = kind_of(opcode);
        let view = *instruction.src.get(view).ok_or(self.bad_operand())?;
        let sampler = sampler.and_then(|at| instruction.src.get(at)).copied();
        let mut sample = self.view_and_sampler(opcode, kind, &view, sampler.as_ref())?;
        self.sample_operands(opcode, instruction, &mut sample)?;
        if let Some(offset) = instruction.texture.and_then(|it| it.offsets().first().copied()) {
            self.offset(&mut sample, &offset)?;
        }
        self.without_quads(&mut sample);
        self.uses |= Uses::TEXTURES;
        let results = self.lookup(sample)?;
        // The view's swizzle applies to all results except sizes.
        let results = match kind {
            SampleKind::SizeQuery => results,
            _ => view.swizzle.map(|component| results[component.index()]),
        };
        self.write(instruction, 0, results)
    }

    fn view_and_sampler(
        &mut self,
        opcode: SampleOpcode,
        kind: SampleKind,
        view: &SrcRegister,
        sampler: Option<&SrcRegister>,
    ) -> Result<SampleValues, CompileError> {
        if view.file != File::SamplerView {
            // Sample queries may also name the render target.
            return match kind {
                SampleKind::SampleCount | SampleKind::SamplePosition => {
                    Ok(SampleValues::new(RENDER_TARGET, TextureTarget::Msaa2D, kind))
                }
                _ => Err(self.bad_operand()),
            };
        }
        let range = self.declared_array(File::SamplerView, view.index, view.indirect);
        let target = match range.map(|range| range.kind) {
            Some(DeclarationKind::SamplerView { target, .. }) => target,
            _ => return Err(self.bad_operand()),
        };
        let compares = matches!(opcode, SampleOpcode::SampleC | SampleOpcode::SampleCLz);
        let target = if compares { compared(target) } else { target };
        let slot = u8::try_from(view.index).map_err(|_| self.bad_operand())?;
        let mut sample = SampleValues::new(slot.into(), target, kind);
        if let Some(indirect) = view.indirect {
            sample.view_value = self.address(&indirect)?;
        }
        let mut unit = slot;
        match sampler {
            Some(sampler) if sampler.file == File::Sampler => {
                unit = u8::try_from(sampler.index).map_err(|_| self.bad_operand())?;
                sample.sampler = unit.into();
                sample.sampler_value = match sampler.indirect {
                    same if same == view.indirect => sample.view_value,
                    Some(indirect) => self.address(&indirect)?,
                    None => Value::NONE,
                };
            }
            Some(_) => return Err(self.bad_operand()),
            // Lookups without a sampler use the view's number.
            None => sample.sampler_value = sample.view_value,
        }
        self.uses_sampler(SamplerUse { unit, view: slot, target })?;
        Ok(sample)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "components are 0 to 3, and targets have at most three dimensions"
    )]
    fn sample_operands(
        &mut self,
        opcode: SampleOpcode,
        instruction: &Instruction,
        sample: &mut SampleValues,
    ) -> Result<(), CompileError> {
        match sample.kind {
            SampleKind::SampleCount => return Ok(()),
            SampleKind::SizeQuery => {
                sample.lod = self.source(instruction, 0, 0)?;
                return Ok(());
            }
            SampleKind::SamplePosition => {
                sample.lod = self.source(instruction, 1, 0)?;
                return Ok(());
            }
            _ => {}
        }
        let target = sample.target;
        for component in 0..target.dimensions() {
            sample.coord[component] = self.source(instruction, 0, component)?;
        }
        if let Some(component) = layer_component(target) {
            sample.layer = self.source(instruction, 0, component)?;
        }
        match opcode {
            SampleOpcode::SampleI if target != TextureTarget::Buffer => {
                sample.lod = self.source(instruction, 0, 3)?;
            }
            SampleOpcode::SampleIMs => sample.lod = self.source(instruction, 2, 0)?,
            SampleOpcode::SampleB | SampleOpcode::SampleL => {
                sample.lod = self.source(instruction, 3, 0)?;
            }
            SampleOpcode::SampleC | SampleOpcode::SampleCLz => {
                sample.compare = self.source(instruction, 3, 0)?;
            }
            SampleOpcode::SampleD => {
                for component in 0..target.dimensions() {
                    sample.ddx[component] = self.source(instruction, 3, component)?;
                    sample.ddy[component] = self.source(instruction, 4, component)?;
                }
            }
            // These opcodes have only coordinate, view and sampler.
            SampleOpcode::Sample
            | SampleOpcode::SampleI
            | SampleOpcode::Gather4
            | SampleOpcode::Lod
            | SampleOpcode::Sviewinfo
            | SampleOpcode::SamplePos
            | SampleOpcode::SampleInfo => {}
        }
        Ok(())
    }
}
