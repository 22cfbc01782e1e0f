//! Instructions that read other lanes or depend on the lane.

use super::graph::{NodeKind, Value};
use super::{CompileError, Lower};
use crate::declaration::SemanticName;
use crate::exec::{LaneMask, OpCode};
use crate::opcode::LaneOpcode;
use crate::shader::Instruction;

impl Lower<'_, '_> {
    /// Adds the nodes of a cross-lane instruction, and writes its result.
    pub(super) fn lane(
        &mut self,
        opcode: LaneOpcode,
        instruction: &Instruction,
    ) -> Result<(), CompileError> {
        match opcode {
            LaneOpcode::VoteAny => self.lanes(instruction, OpCode::VoteAny),
            LaneOpcode::VoteAll => self.lanes(instruction, OpCode::VoteAll),
            LaneOpcode::VoteEq => self.lanes(instruction, OpCode::VoteEqual),
            LaneOpcode::ReadFirst => self.lanes(instruction, OpCode::ReadFirst),
            LaneOpcode::ReadInvoc => self.read_invocation(instruction),
            LaneOpcode::Ballot => {
                let operands = [self.source(instruction, 0, 0)?, Value::NONE, Value::NONE];
                let low = self.effect(OpCode::BallotLow, operands)?;
                let high = self.effect(OpCode::BallotHigh, operands)?;
                self.write_pair(instruction, low, high)
            }
            LaneOpcode::ReadHelper => {
                let helper = self.effect(OpCode::ReadHelper, [Value::NONE; 3])?;
                self.write(instruction, 0, [helper; 4])
            }
            LaneOpcode::Clock => {
                let high = self.graph.source(NodeKind::MaskRow, 0, 0)?;
                let low = self.effect(OpCode::Clock, [Value::NONE, high, Value::NONE])?;
                self.write_pair(instruction, low, high)
            }
        }
    }

    /// Returns a component of a system value that depends only on the lane, computed where it is
    /// read. Returns `None` for system values that the program's caller fills. A batch is a
    /// subgroup. Masks have 64 bits, in xy.
    pub(super) fn subgroup_value(
        &mut self,
        name: SemanticName,
        component: usize,
    ) -> Result<Option<Value>, CompileError> {
        let (code, mask) = match name {
            SemanticName::SubgroupSize => (OpCode::LaneCount, None),
            SemanticName::SubgroupInvocation => (OpCode::LaneNumber, None),
            SemanticName::SubgroupEqMask => (OpCode::LaneMask, Some(LaneMask::SELF)),
            SemanticName::SubgroupGeMask => {
                (OpCode::LaneMask, Some(LaneMask::SELF | LaneMask::ABOVE))
            }
            SemanticName::SubgroupGtMask => (OpCode::LaneMask, Some(LaneMask::ABOVE)),
            SemanticName::SubgroupLeMask => {
                (OpCode::LaneMask, Some(LaneMask::BELOW | LaneMask::SELF))
            }
            SemanticName::SubgroupLtMask => (OpCode::LaneMask, Some(LaneMask::BELOW)),
            _ => return Ok(None),
        };
        let aux = match (mask, component) {
            (None, 0) => LaneMask::empty(),
            (Some(mask), 0) => mask,
            (Some(mask), 1) => mask | LaneMask::HIGH,
            _ => return self.graph.constant(0).map(Some),
        };
        self.graph.op(code, aux.bits(), [Value::NONE; 3]).map(Some)
    }

    /// Writes a 64-bit value to xy and to zw.
    fn write_pair(
        &mut self,
        instruction: &Instruction,
        low: Value,
        high: Value,
    ) -> Result<(), CompileError> {
        self.write(instruction, 0, [low, high, low, high])
    }

    /// Computes each component from the same component of the running lanes.
    fn lanes(&mut self, instruction: &Instruction, code: OpCode) -> Result<(), CompileError> {
        let values = self.each_component(instruction, |lower, component| {
            let value = lower.source(instruction, 0, component)?;
            lower.effect(code, [value, Value::NONE, Value::NONE])
        })?;
        self.write(instruction, 0, values)
    }

    fn read_invocation(&mut self, instruction: &Instruction) -> Result<(), CompileError> {
        let invocation = self.source(instruction, 1, 0)?;
        let values = self.each_component(instruction, |lower, component| {
            let value = lower.source(instruction, 0, component)?;
            lower.effect(OpCode::ReadInvocation, [value, invocation, Value::NONE])
        })?;
        self.write(instruction, 0, values)
    }
}
