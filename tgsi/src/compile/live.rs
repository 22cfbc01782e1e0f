//! Liveness: the nodes that an output or effect depends on, and the last use of each value.

use super::graph::{Graph, Node, NodeKind, Value};
use super::tables::Tables;
use super::{CompileError, Lower};
use crate::exec::OpCode;
use crate::exec::program::Row;
use crate::register::File;
use os_shim::Vec;

/// Stands for a use after the last node.
pub(super) const FOREVER: u32 = u32::MAX;
/// Stands for no use.
const NEVER: u32 = 0;

/// The facts about a node that emission needs.
#[derive(Clone, Copy)]
pub(super) struct Info {
    pub(super) live: bool,
    /// True if it is in the list of values that are kept until the end of a loop.
    pub(super) kept: bool,
    /// The node that uses it last, or the end of the loop that contains this node. [`FOREVER`] if
    /// it is an output, or a uniform value that the body uses.
    pub(super) last_use: u32,
    /// Its row, even after the row is free again.
    pub(super) row: Row,
    /// The index of its op in the body.
    pub(super) place: u16,
}

/// Calls `each` with every operand of a node, including operands in tables.
#[inline(always)]
pub(super) fn for_each_operand(node: &Node, tables: &Tables<'_>, mut each: impl FnMut(Value)) {
    for operand in node.operands() {
        if operand.is_some() {
            each(operand);
        }
    }
    if node.kind == NodeKind::Op {
        tables.for_each(node.code, node.aux, each);
    }
}

/// Calls `each` with the final value of every output.
pub(super) fn for_each_output(
    lower: &Lower<'_, '_>,
    mut each: impl FnMut(Value),
) -> Result<(), CompileError> {
    let declarations = lower.shader.declarations().iter();
    for range in declarations.filter(|range| range.file == File::Output) {
        for index in range.first..=range.last {
            lower.charge(4)?;
            for component in 0..4 {
                let variable = lower.variable(File::Output, index.into(), component);
                let value = variable.map_or(Value::NONE, |at| lower.variables.get(at));
                if value.is_some() {
                    each(value);
                }
            }
        }
    }
    Ok(())
}

/// Analyses every node, and fuses nodes on the way.
pub(super) fn analyse<'m>(lower: &mut Lower<'_, 'm>) -> Result<Vec<'m, Info>, CompileError> {
    let count = lower.graph.nodes.len();
    let unknown =
        Info { live: !lower.optimize, kept: false, last_use: NEVER, row: Row::NONE, place: 0 };
    let mut info = Vec::try_filled_in(unknown, count, lower.memory)?;
    if lower.optimize {
        mark_live(lower, &mut info)?;
        super::fuse::fuse(lower, &mut info)?;
    }
    let lower = &*lower;
    mark_uses(lower, &mut info)?;
    for_each_output(lower, |value| {
        if let Some(info) = info.get_mut(value.index()) {
            info.last_use = FOREVER;
        }
    })?;
    Ok(info)
}

/// Returns true if a node has an effect beyond its value.
fn has_effect(graph: &Graph<'_>, tables: &Tables<'_>, node: &Node) -> bool {
    if node.kind != NodeKind::Op || node.code.operands().is_some() {
        return false;
    }
    match node.code {
        OpCode::Ddx | OpCode::Ddy | OpCode::DdxFine | OpCode::DdyFine => false,
        OpCode::Select | OpCode::Gather | OpCode::Sample => false,
        OpCode::Wide | OpCode::Interpolate | OpCode::LoadVertex => false,
        OpCode::VoteAny | OpCode::VoteAll | OpCode::VoteEqual => false,
        OpCode::BallotLow | OpCode::BallotHigh => false,
        OpCode::ReadFirst | OpCode::ReadInvocation | OpCode::ReadHelper => false,
        OpCode::LaneCount | OpCode::LaneNumber | OpCode::LaneMask => false,
        OpCode::Memory => tables.writes(node.aux),
        // A move into a phi is live if the phi is; a move into an array always is.
        OpCode::Update => graph.node(node.b).is_some_and(|target| target.kind == NodeKind::Fixed),
        _ => true,
    }
}

/// Marks the nodes that an output or an effect depends on.
fn mark_live(lower: &Lower<'_, '_>, info: &mut [Info]) -> Result<(), CompileError> {
    let nodes = &lower.graph.nodes;
    let updates = phi_updates(lower)?;
    let mut found: Vec<'_, Value> = Vec::new_in(lower.memory);
    let mut failed = Ok(());
    let mut mark = |found: &mut Vec<'_, Value>, value: Value| {
        if let Some(info) = info.get_mut(value.index())
            && !core::mem::replace(&mut info.live, true)
            && failed.is_ok()
        {
            failed = found.try_push(value);
        }
    };
    for_each_output(lower, |value| mark(&mut found, value))?;
    for (at, node) in nodes.iter().enumerate() {
        if has_effect(&lower.graph, &lower.tables, node) {
            mark(&mut found, Value(at as u32));
        }
        // Each node is found once, so this loop is one more pass over all nodes.
        while let Some(value) = found.pop() {
            let Some(node) = nodes.get(value.index()) else { continue };
            for_each_operand(node, &lower.tables, |operand| mark(&mut found, operand));
            if node.kind == NodeKind::Phi {
                let first = updates.partition_point(|&(phi, _)| phi < value);
                let own = updates.iter().skip(first).take_while(|&&(phi, _)| phi == value);
                own.for_each(|&(_, update)| mark(&mut found, update));
            }
        }
    }
    Ok(failed?)
}

/// Returns the moves into phis, sorted: pairs of a phi and the node of a move.
fn phi_updates<'m>(lower: &Lower<'_, 'm>) -> Result<Vec<'m, (Value, Value)>, CompileError> {
    let mut updates = Vec::new_in(lower.memory);
    for (at, node) in lower.graph.nodes.iter().enumerate() {
        if node.is_op(OpCode::Update) {
            updates.try_push((node.b, Value(at as u32)))?;
        }
    }
    updates.sort_unstable();
    Ok(updates)
}

fn mark_uses(lower: &Lower<'_, '_>, info: &mut [Info]) -> Result<(), CompileError> {
    let nodes = &lower.graph.nodes;
    let mut loops: Vec<'_, (u32, u32)> = Vec::new_in(lower.memory);
    for (at, node) in nodes.iter().enumerate() {
        let at = at as u32;
        if !info.get(at as usize).is_some_and(|info| info.live) {
            continue;
        }
        if node.is_op(OpCode::Loop) {
            let end = if node.target.is_some() { node.target.0 } else { FOREVER };
            loops.try_push((at, end))?;
        } else if node.is_op(OpCode::EndLoop) {
            loops.pop();
        }
        for_each_operand(node, &lower.tables, |value| {
            let operand = nodes.get(value.index());
            let mut use_at = at;
            if operand.is_some_and(|operand| operand.uniform) {
                use_at = if node.uniform { at } else { FOREVER };
            } else if !loops.is_empty() {
                // A value from outside the loop is used again in the next turn; inputs come from
                // outside.
                let kind = operand.map(|operand| operand.kind);
                let is_source = matches!(kind, Some(NodeKind::Input | NodeKind::SystemValue));
                let inside = loops.partition_point(|&(start, _)| start <= value.0);
                let outermost = loops.get(if is_source { 0 } else { inside });
                use_at = outermost.map_or(at, |&(_, end)| end);
            }
            if let Some(info) = info.get_mut(value.index()) {
                info.last_use = info.last_use.max(use_at);
            }
        });
    }
    Ok(())
}
