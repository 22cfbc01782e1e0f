//! Stage-specific instructions: discards, vertices, emission, barriers, interpolation.

use super::graph::Value;
use super::{CompileError, Lower};
use crate::declaration::SemanticName;
use crate::exec::program::{Access, Space, Uses};
use crate::exec::{InputPlace, OpCode, VertexPlace};
use crate::opcode::StageOpcode;
use crate::register::{Dimension, DstRegister, File, Indirect, SrcRegister};
use crate::shader::{Instruction, Processor};

/// An input at another place, with values as operands; becomes a [`crate::exec::program::InputAt`].
#[derive(Clone, Copy)]
pub(super) struct InputAtValues {
    pub(super) register: u16,
    pub(super) place: InputPlace,
    pub(super) at: [Value; 2],
    pub(super) plain: [Value; 4],
    /// The `Result` nodes.
    pub(super) results: [Value; 4],
}

impl InputAtValues {
    /// Returns all operands that exist.
    pub(super) fn operands(&self) -> impl Iterator<Item = Value> + use<> {
        self.at.into_iter().chain(self.plain).filter(|value| value.is_some())
    }
}

/// A register that may belong to one of several vertices.
#[derive(Clone, Copy)]
pub(super) struct Place {
    file: File,
    index: i32,
    indirect: Option<Indirect>,
    dimension: Option<Dimension>,
}

impl From<&SrcRegister> for Place {
    fn from(src: &SrcRegister) -> Place {
        let SrcRegister { file, index, indirect, dimension, .. } = *src;
        Place { file, index, indirect, dimension }
    }
}

impl From<&DstRegister> for Place {
    fn from(dst: &DstRegister) -> Place {
        Place::from(&dst.as_src())
    }
}

impl Lower<'_, '_> {
    /// Adds the nodes of a stage-specific instruction, and writes its result.
    pub(super) fn stage(
        &mut self,
        opcode: StageOpcode,
        instruction: &Instruction,
    ) -> Result<(), CompileError> {
        match opcode {
            // A discarded lane keeps running as a helper, so both opcodes are one op.
            StageOpcode::Kill | StageOpcode::Demote => {
                self.uses |= Uses::KILL;
                self.effect(OpCode::Kill, [Value::NONE; 3]).map(drop)
            }
            StageOpcode::KillIf => self.kill_if(instruction),
            StageOpcode::Emit => self.emission(OpCode::Emit, instruction),
            StageOpcode::Endprim => self.emission(OpCode::EndPrimitive, instruction),
            StageOpcode::Barrier => {
                self.uses |= Uses::BARRIERS;
                self.effect(OpCode::Barrier, [Value::NONE; 3]).map(drop)
            }
            // Memory accesses take effect in order, so there is nothing to do.
            StageOpcode::Membar => Ok(()),
            StageOpcode::InterpCentroid => self.interpolate(instruction, InputPlace::Centroid),
            StageOpcode::InterpSample => self.interpolate(instruction, InputPlace::Sample),
            StageOpcode::InterpOffset => self.interpolate(instruction, InputPlace::Offset),
        }
    }

    /// Adds an emission to the stream in the operand's x.
    fn emission(&mut self, code: OpCode, instruction: &Instruction) -> Result<(), CompileError> {
        let stream = self.source(instruction, 0, 0)?;
        self.effect(code, [stream, Value::NONE, Value::NONE]).map(drop)
    }

    /// Kills lanes with a component less than 0; tests each distinct value once.
    #[expect(clippy::indexing_slicing, reason = "components are 0 to 3")]
    fn kill_if(&mut self, instruction: &Instruction) -> Result<(), CompileError> {
        self.uses |= Uses::KILL;
        let mut values = [Value::NONE; 4];
        for component in 0..4 {
            let value = self.source(instruction, 0, component)?;
            if values.contains(&value) {
                continue;
            }
            values[component] = value;
            let constant = self.graph.constant_bits(value).filter(|_| self.optimize);
            let code = match constant.map(f32::from_bits) {
                Some(bits) if bits < 0.0 => OpCode::Kill,
                Some(_) => continue,
                None => OpCode::KillIf,
            };
            self.effect(code, [value, Value::NONE, Value::NONE])?;
        }
        Ok(())
    }

    /// Adds the evaluation of an input at another place in the pixel. Ignores the operand's
    /// swizzle, as the reference interpreter does, and its modifiers.
    fn interpolate(
        &mut self,
        instruction: &Instruction,
        place: InputPlace,
    ) -> Result<(), CompileError> {
        let src = instruction.src[0];
        if src.file != File::Input || src.indirect.is_some() || src.dimension.is_some() {
            return Err(self.bad_operand());
        }
        let register = u16::try_from(src.index).map_err(|_| self.bad_operand())?;
        let plain = self.each_component(instruction, |lower, component| {
            lower.read_direct(File::Input, src.index, component)
        })?;
        let mut at = [Value::NONE; 2];
        let coordinates = match place {
            InputPlace::Centroid => 0,
            InputPlace::Sample => 1,
            InputPlace::Offset => 2,
        };
        for (component, at) in at.iter_mut().enumerate().take(coordinates) {
            *at = self.source(instruction, 1, component)?;
        }
        self.uses |= Uses::INTERPOLATES;
        let results = self.table_op(OpCode::Interpolate, self.tables.inputs_at.len())?;
        self.tables.inputs_at.try_push(InputAtValues { register, place, at, plain, results })?;
        self.write(instruction, 0, results)
    }

    /// Returns the place of a per-vertex or per-patch register.
    pub(super) fn vertex_place(&self, place: Place) -> Option<VertexPlace> {
        use Processor::*;
        let per_vertex = place.dimension.is_some();
        match (self.shader.processor(), place.file) {
            (Geometry | TessControl | TessEval, File::Input) if per_vertex => {
                Some(VertexPlace::Input)
            }
            (TessControl, File::Output) if per_vertex => Some(VertexPlace::Output),
            (TessControl, File::Output) => {
                let range = self.declared_array(place.file, place.index, place.indirect);
                let name = range.and_then(|range| range.semantic).map(|semantic| semantic.name);
                let patch = matches!(
                    name,
                    Some(SemanticName::Patch | SemanticName::TessOuter | SemanticName::TessInner)
                );
                Some(if patch { VertexPlace::Patch } else { VertexPlace::OwnOutput })
            }
            _ => None,
        }
    }

    /// Reads a component of a per-vertex register.
    pub(super) fn load_vertex(
        &mut self,
        of: VertexPlace,
        place: Place,
        component: usize,
    ) -> Result<Value, CompileError> {
        let (access, [register, vertex]) = self.vertex_access(of, place, component)?;
        let operands = [register, vertex, Value::NONE];
        // Inputs have the same value at every read.
        match of {
            VertexPlace::Input => self.graph.op(OpCode::LoadVertex, access, operands),
            _ => self.graph.effect(OpCode::LoadVertex, access, operands),
        }
    }

    pub(super) fn store_vertex(
        &mut self,
        of: VertexPlace,
        place: Place,
        component: usize,
        value: Value,
    ) -> Result<(), CompileError> {
        let (access, [register, vertex]) = self.vertex_access(of, place, component)?;
        self.graph.effect(OpCode::StoreVertex, access, [register, vertex, value])?;
        Ok(())
    }

    /// Returns the access, and the computed parts of register and vertex.
    fn vertex_access(
        &mut self,
        of: VertexPlace,
        place: Place,
        component: usize,
    ) -> Result<(u16, [Value; 2]), CompileError> {
        let computed = [place.indirect, place.dimension.and_then(|it| it.indirect)];
        let mut values = [Value::NONE; 2];
        for (value, indirect) in values.iter_mut().zip(computed) {
            *value = match indirect {
                Some(indirect) => self.address(&indirect)?,
                None => self.graph.constant(0)?,
            };
        }
        let vertex = place.dimension.map_or(0, |dimension| dimension.index);
        let space = Space::Vertices { place: of, vertex };
        let access = Access { space, index: place.index, component: component as u8 };
        Ok((self.access(access)?, values))
    }
}
