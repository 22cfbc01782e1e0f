//! Texture lookups of the TEX family. The last source names unit and view, or with two brackets,
//! `SAMP[view][unit]`, the two apart: no other opcode gathers comparisons from a view of another
//! number. Here are the components of coordinates by target, of the other sources
//! by opcode.

use super::graph::Value;
use super::{CompileError, Lower};
use crate::exec::program::{SamplerUse, Uses};
use crate::exec::{HANDLE, OpCode, SampleKind};
use crate::opcode::TextureOpcode;
use crate::register::File;
use crate::shader::{Instruction, Processor, TextureOffset, TextureTarget};

/// A lookup with values as operands; becomes a [`crate::exec::program::Sample`].
#[derive(Clone, Copy)]
pub(super) struct SampleValues {
    pub(super) view: u16,
    pub(super) sampler: u16,
    pub(super) view_value: Value,
    pub(super) sampler_value: Value,
    pub(super) target: TextureTarget,
    pub(super) kind: SampleKind,
    pub(super) coord: [Value; 3],
    pub(super) layer: Value,
    pub(super) compare: Value,
    pub(super) lod: Value,
    pub(super) ddx: [Value; 3],
    pub(super) ddy: [Value; 3],
    pub(super) offset: [i8; 3],
    pub(super) offset_values: [Value; 3],
    pub(super) component: u8,
    pub(super) component_value: Value,
    /// The `Result` nodes.
    pub(super) results: [Value; 4],
}

impl SampleValues {
    pub(super) const fn new(unit: u16, target: TextureTarget, kind: SampleKind) -> Self {
        SampleValues {
            view: unit,
            sampler: unit,
            view_value: Value::NONE,
            sampler_value: Value::NONE,
            target,
            kind,
            coord: [Value::NONE; 3],
            layer: Value::NONE,
            compare: Value::NONE,
            lod: Value::NONE,
            ddx: [Value::NONE; 3],
            ddy: [Value::NONE; 3],
            offset: [0; 3],
            offset_values: [Value::NONE; 3],
            component: 0,
            component_value: Value::NONE,
            results: [Value::NONE; 4],
        }
    }

    /// Returns all operands that exist.
    pub(super) fn operands(&self) -> impl Iterator<Item = Value> {
        let units = [self.view_value, self.sampler_value];
        let single = [self.layer, self.compare, self.lod, self.component_value];
        let triples = [self.coord, self.ddx, self.ddy, self.offset_values];
        let all = units.into_iter().chain(single).chain(triples.into_iter().flatten());
        all.filter(|value| value.is_some())
    }
}

/// Returns the component that holds the array layer.
pub(super) const fn layer_component(target: TextureTarget) -> Option<usize> {
    if target.is_array() { Some(target.dimensions()) } else { None }
}

/// Returns the component that holds the reference value; `SHADOWCUBEARRAY` has it in the next
/// source.
const fn compare_component(target: TextureTarget) -> Option<usize> {
    match target {
        TextureTarget::Shadow1D
        | TextureTarget::Shadow2D
        | TextureTarget::ShadowRect
        | TextureTarget::ShadowArray1D => Some(2),
        TextureTarget::ShadowArray2D | TextureTarget::ShadowCube => Some(3),
        _ => None,
    }
}

/// Maps an opcode to its kind of lookup.
const fn kind_of(opcode: TextureOpcode) -> SampleKind {
    use TextureOpcode::*;
    match opcode {
        Tex | Tex2 | Txp => SampleKind::Implicit,
        Txb | Txb2 => SampleKind::Bias,
        Txl | Txl2 | TexLz => SampleKind::Lod,
        Txd => SampleKind::Gradient,
        Txf | TxfLz => SampleKind::Fetch,
        Tg4 => SampleKind::Gather,
        Lodq => SampleKind::LodQuery,
        Txq => SampleKind::SizeQuery,
        Txqs => SampleKind::SampleCount,
    }
}

impl Lower<'_, '_> {
    /// Adds the nodes of a lookup of the TEX family, and writes its result.
    #[expect(
        clippy::indexing_slicing,
        reason = "components are 0 to 3, and targets have at most three dimensions"
    )]
    pub(super) fn texture(
        &mut self,
        opcode: TextureOpcode,
        instruction: &Instruction,
    ) -> Result<(), CompileError> {
        let kind = kind_of(opcode);
        let Some(texture) = instruction.texture else { return Err(self.bad_operand()) };
        if texture.target == TextureTarget::Unknown {
            return Err(self.bad_operand());
        }
        let mut sample = self.sampler(instruction, texture.target, kind)?;
        self.coordinates(opcode, instruction, &mut sample)?;
        self.extras(opcode, instruction, &mut sample)?;
        self.without_quads(&mut sample);
        self.uses |= Uses::TEXTURES;
        let mut results = [Value::NONE; 4];
        match texture.offsets() {
            // A gather may read each of its four texels at a different offset.
            [x, y, z, w] if kind == SampleKind::Gather => {
                for (component, offset) in [x, y, z, w].into_iter().enumerate() {
                    let mut texel = sample;
                    self.offset(&mut texel, offset)?;
                    results[component] = self.lookup(texel)?[component];
                }
            }
            offsets => {
                if let Some(offset) = offsets.first() {
                    self.offset(&mut sample, offset)?;
                }
                results = self.lookup(sample)?;
            }
        }
        self.write(instruction, 0, results)
    }

    /// Reads the last source, which names the unit or holds a handle.
    fn sampler(
        &mut self,
        instruction: &Instruction,
        target: TextureTarget,
        kind: SampleKind,
    ) -> Result<SampleValues, CompileError> {
        let Some(src) = instruction.srcs().last() else { return Err(self.bad_operand()) };
        match src.file {
            File::Sampler => {}
            File::Temporary | File::Constant | File::Immediate | File::Input => {
                self.uses |= Uses::BINDLESS;
                let mut sample = SampleValues::new(HANDLE, target, kind);
                sample.view_value = self.plain_source(src, 0)?;
                sample.sampler_value = sample.view_value;
                return Ok(sample);
            }
            _ => return Err(self.bad_operand()),
        }
        let unit = u8::try_from(src.index).map_err(|_| self.bad_operand())?;
        let mut sample = SampleValues::new(unit.into(), target, kind);
        if let Some(view) = src.dimension {
            // `SAMP[view][unit]`: view and unit apart.
            let view = u8::try_from(view.index).map_err(|_| self.bad_operand())?;
            if src.dimension.is_some_and(|it| it.indirect.is_some()) || src.indirect.is_some() {
                return Err(self.bad_operand());
            }
            sample.view = view.into();
            self.uses_sampler(SamplerUse { unit, view, target })?;
            return Ok(sample);
        }
        self.uses_sampler(SamplerUse { unit, view: unit, target })?;
        if let Some(indirect) = src.indirect {
            sample.view_value = self.address(&indirect)?;
            sample.sampler_value = sample.view_value;
            // The computed index may select any unit of the array.
            let range = self.declared_array(File::Sampler, src.index, src.indirect);
            for unit in range.iter().flat_map(|range| range.first..=range.last) {
                let unit = u8::try_from(unit).map_err(|_| self.bad_operand())?;
                self.uses_sampler(SamplerUse { unit, view: unit, target })?;
            }
        }
        Ok(sample)
    }

    pub(super) fn uses_sampler(&mut self, used: SamplerUse) -> Result<(), CompileError> {
        self.graph.steps.note_search(self.samplers.len());
        if !self.samplers.contains(&used) {
            self.samplers.try_push(used)?;
        }
        Ok(())
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "components are 0 to 3, and targets have at most three dimensions"
    )]
    fn coordinates(
        &mut self,
        opcode: TextureOpcode,
        instruction: &Instruction,
        sample: &mut SampleValues,
    ) -> Result<(), CompileError> {
        match sample.kind {
            SampleKind::SampleCount => return Ok(()),
            SampleKind::SizeQuery => {
                sample.lod = self.source(instruction, 0, 0)?;
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
        if sample.kind == SampleKind::Fetch {
            let has_level = target != TextureTarget::Buffer && opcode == TextureOpcode::Txf;
            if has_level {
                sample.lod = self.source(instruction, 0, 3)?;
            }
            return Ok(());
        }
        if let Some(component) = compare_component(target) {
            sample.compare = self.source(instruction, 0, component)?;
        }
        if opcode == TextureOpcode::Txp {
            let projector = self.source(instruction, 0, 3)?;
            for coord in sample.coord.iter_mut().chain([&mut sample.compare]) {
                if coord.is_some() {
                    *coord = self.graph.binary(OpCode::Div, *coord, projector)?;
                }
            }
        }
        Ok(())
    }

    /// Reads bias, level, reference value, derivatives and component from the remaining sources.
    #[expect(
        clippy::indexing_slicing,
        reason = "components are 0 to 3, and targets have at most three dimensions"
    )]
    fn extras(
        &mut self,
        opcode: TextureOpcode,
        instruction: &Instruction,
        sample: &mut SampleValues,
    ) -> Result<(), CompileError> {
        let compare_outside = sample.target == TextureTarget::ShadowCubeArray;
        match opcode {
            TextureOpcode::Txb | TextureOpcode::Txl => {
                sample.lod = self.source(instruction, 0, 3)?
            }
            TextureOpcode::Tex2 if compare_outside => {
                sample.compare = self.source(instruction, 1, 0)?
            }
            TextureOpcode::Txb2 | TextureOpcode::Txl2 if compare_outside => {
                sample.compare = self.source(instruction, 1, 0)?;
                sample.lod = self.source(instruction, 1, 1)?;
            }
            TextureOpcode::Txb2 | TextureOpcode::Txl2 => {
                sample.lod = self.source(instruction, 1, 0)?
            }
            TextureOpcode::Txd => {
                for component in 0..sample.target.dimensions() {
                    sample.ddx[component] = self.source(instruction, 1, component)?;
                    sample.ddy[component] = self.source(instruction, 2, component)?;
                }
            }
            TextureOpcode::Tg4 if compare_outside => {
                sample.compare = self.source(instruction, 1, 0)?
            }
            TextureOpcode::Tg4 if !sample.target.is_shadow() => {
                let component = self.source(instruction, 1, 0)?;
                match self.graph.constant_bits(component) {
                    Some(bits) => sample.component = (bits & 3) as u8,
                    None => sample.component_value = component,
                }
            }
            // These opcodes have only the coordinate and the unit.
            TextureOpcode::Tex
            | TextureOpcode::Tex2
            | TextureOpcode::Txp
            | TextureOpcode::TexLz
            | TextureOpcode::Txf
            | TextureOpcode::TxfLz
            | TextureOpcode::Tg4
            | TextureOpcode::Lodq
            | TextureOpcode::Txq
            | TextureOpcode::Txqs => {}
        }
        Ok(())
    }

    /// Replaces implicit levels of detail by level 0 outside of fragment programs, which alone have
    /// quads.
    pub(super) fn without_quads(&mut self, sample: &mut SampleValues) {
        let implicit =
            matches!(sample.kind, SampleKind::Implicit | SampleKind::Bias | SampleKind::LodQuery);
        if !implicit {
            return;
        }
        if self.shader.processor() == Processor::Fragment {
            self.uses |= Uses::DERIVATIVES;
        } else if sample.kind != SampleKind::LodQuery {
            sample.kind = SampleKind::Lod;
        }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "components are 0 to 3, and targets have at most three dimensions"
    )]
    pub(super) fn offset(
        &mut self,
        sample: &mut SampleValues,
        offset: &TextureOffset,
    ) -> Result<(), CompileError> {
        for axis in 0..sample.target.dimensions().min(3) {
            let component = offset.swizzle[axis].index();
            let value = self.read_direct(offset.file, offset.index.into(), component)?;
            match self.graph.constant_bits(value) {
                Some(bits) => sample.offset[axis] = bits as i8,
                None => sample.offset_values[axis] = value,
            }
        }
        Ok(())
    }

    /// Adds the lookup; returns its four results.
    pub(super) fn lookup(&mut self, mut sample: SampleValues) -> Result<[Value; 4], CompileError> {
        sample.results = self.table_op(OpCode::Sample, self.tables.samples.len())?;
        self.tables.samples.try_push(sample)?;
        Ok(sample.results)
    }
}
