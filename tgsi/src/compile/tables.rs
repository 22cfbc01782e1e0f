//! Operands of ops with more operands than an op can hold.

use super::CompileError;
use super::Lower;
use super::graph::{NodeKind, Value};
use super::memory::MemoryValues;
use super::stages::InputAtValues;
use super::steps::Limit;
use super::texture::SampleValues;
use super::wide::WideValues;
use crate::exec::{MemoryKind, OpCode};
use os_shim::Vec;
use os_shim::memory::Memory;

/// The table entries; such ops name their entry by `aux`.
pub(super) struct Tables<'m> {
    pub(super) samples: Vec<'m, SampleValues>,
    pub(super) wides: Vec<'m, WideValues>,
    pub(super) memory: Vec<'m, MemoryValues>,
    pub(super) inputs_at: Vec<'m, InputAtValues>,
}

impl<'m> Tables<'m> {
    pub(super) fn new(memory: Memory<'m>) -> Self {
        Tables {
            samples: Vec::new_in(memory),
            wides: Vec::new_in(memory),
            memory: Vec::new_in(memory),
            inputs_at: Vec::new_in(memory),
        }
    }

    /// Calls `each` with the operands of an op in the tables.
    #[inline(always)]
    pub(super) fn for_each(&self, code: OpCode, aux: u16, mut each: impl FnMut(Value)) {
        let at = usize::from(aux);
        match code {
            OpCode::Sample => {
                self.samples.get(at).iter().flat_map(|it| it.operands()).for_each(each)
            }
            OpCode::Wide => self.wides.get(at).iter().flat_map(|it| it.operands()).for_each(each),
            OpCode::Memory => {
                self.memory.get(at).iter().flat_map(|it| it.operands()).for_each(each)
            }
            OpCode::Interpolate => {
                self.inputs_at.get(at).iter().flat_map(|it| it.operands()).for_each(&mut each);
            }
            _ => {}
        }
    }

    /// Returns true if a memory access changes memory.
    pub(super) fn writes(&self, aux: u16) -> bool {
        let kind = self.memory.get(usize::from(aux)).map(|it| it.access.kind);
        matches!(kind, Some(MemoryKind::Store | MemoryKind::Atomic(_)))
    }
}

impl Lower<'_, '_> {
    /// Adds an op with operands in a table; returns its first `N` results.
    pub(super) fn table_op<const N: usize>(
        &mut self,
        code: OpCode,
        at: usize,
    ) -> Result<[Value; N], CompileError> {
        let at = u16::try_from(at).map_err(|_| CompileError::TooLarge { limit: Limit::Table })?;
        let node = self.graph.effect(code, at, [Value::NONE; 3])?;
        let mut results = [Value::NONE; N];
        for (component, result) in results.iter_mut().enumerate() {
            *result = self.graph.source(NodeKind::Result, node.0, component as u16)?;
        }
        Ok(results)
    }
}
