//! What matters: which nodes have an effect in the end, and where values are used last.

use super::graph::{Graph, Node, NodeKind, Value};
use super::tables::Tables;
use super::{CompileError, Lower};
use crate::exec::OpCode;
use crate::program::Row;
use crate::register::File;
use os_shim::Vec;

/// After the last node.
pub(super) const FOREVER: u32 = u32::MAX;
/// Not used.
const NEVER: u32 = 0;

/// What is known of each node.
#[derive(Clone, Copy)]
pub(super) struct Info {
    pub(super) live: bool,
    /// The node that uses it last, or the end of the loop that does; [`FOREVER`] if it is an
    /// output, or a uniform value that the body uses.
    pub(super) last_use: u32,
    /// Its row, kept after it is free again.
    pub(super) row: Row,
    /// The index of its op in the body.
    pub(super) place: u16,
}

/// Calls `each` with every operand of a node, those in tables included.
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

/// The values that outputs have in the end.
pub(super) fn for_each_output(lower: &Lower<'_, '_>, mut each: impl FnMut(Value)) {
    let declarations = lower.shader.declarations().iter();
    for range in declarations.filter(|range| range.file == File::Output) {
        for index in range.first..=range.last {
            for component in 0..4 {
                let variable = lower.variable(File::Output, index.into(), component);
                let value = variable.map_or(Value::NONE, |at| lower.variables.get(at));
                if value.is_some() {
                    each(value);
                }
            }
        }
    }
}

/// Finds out about every node; fuses nodes on the way.
pub(super) fn analyse<'m>(lower: &mut Lower<'_, 'm>) -> Result<Vec<'m, Info>, CompileError> {
    let count = lower.graph.nodes.len();
    let unknown = Info { live: !lower.optimize, last_use: NEVER, row: Row::NONE, place: 0 };
    let mut info = Vec::try_filled_in(unknown, count, lower.memory)?;
    if lower.optimize {
        mark_live(lower, &mut info);
        super::fuse::fuse(lower, &mut info)?;
    }
    let lower = &*lower;
    mark_uses(lower, &mut info)?;
    for_each_output(lower, |value| {
        if let Some(info) = info.get_mut(value.index()) {
            info.last_use = FOREVER;
        }
    });
    Ok(info)
}

/// Whether a node does something even if nobody looks at its value.
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
        OpCode::Memory => tables.writes(node.aux),
        // What is moved into a phi matters if the phi does; into an array, always.
        OpCode::Update => graph.node(node.b).is_some_and(|target| target.kind == NodeKind::Fixed),
        _ => true,
    }
}

fn mark_live(lower: &Lower<'_, '_>, info: &mut [Info]) {
    let nodes = &lower.graph.nodes;
    let mark = |info: &mut [Info], value: Value| {
        if let Some(info) = info.get_mut(value.index()) {
            info.live = true;
        }
    };
    for_each_output(lower, |value| mark(info, value));
    let has_phis = nodes.iter().any(|node| node.kind == NodeKind::Phi);
    loop {
        let mut again = false;
        for (at, node) in nodes.iter().enumerate().rev() {
            let is_update = node.is_op(OpCode::Update);
            let was = info.get(at).is_some_and(|info| info.live);
            let target = info.get(node.b.index()).is_some_and(|info| info.live);
            let live =
                was || has_effect(&lower.graph, &lower.tables, node) || (is_update && target);
            if !live {
                continue;
            }
            // A phi is used before it is updated: updates met earlier must be looked at again.
            again |= !was && is_update;
            mark(info, Value(at as u32));
            for_each_operand(node, &lower.tables, |value| {
                let phi = nodes.get(value.index()).is_some_and(|node| node.kind == NodeKind::Phi);
                again |= phi && !info.get(value.index()).is_some_and(|info| info.live);
                mark(info, value);
            });
        }
        if !again || !has_phis {
            return;
        }
    }
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
            loops.try_push((at, loop_end(nodes, at)))?;
        } else if node.is_op(OpCode::EndLoop) {
            loops.pop();
        }
        for_each_operand(node, &lower.tables, |value| {
            let operand = nodes.get(value.index());
            let mut use_at = at;
            if operand.is_some_and(|operand| operand.uniform) {
                use_at = if node.uniform { at } else { FOREVER };
            } else if !loops.is_empty() {
                // What comes from outside a loop is used again in its next turn; inputs always do.
                let kind = operand.map(|operand| operand.kind);
                let is_source = matches!(kind, Some(NodeKind::Input | NodeKind::SystemValue));
                let outermost = loops.iter().find(|(start, _)| value.0 < *start || is_source);
                use_at = outermost.map_or(at, |&(_, end)| end);
            }
            if let Some(info) = info.get_mut(value.index()) {
                info.last_use = info.last_use.max(use_at);
            }
        });
    }
    Ok(())
}

/// The end of the loop that begins at node `start`.
fn loop_end(nodes: &[Node], start: u32) -> u32 {
    let later = nodes.iter().enumerate().skip(start as usize);
    let mut ends = later.filter(|(_, node)| node.is_op(OpCode::EndLoop));
    ends.find(|(_, node)| node.target == Value(start)).map_or(FOREVER, |(at, _)| at as u32)
}
