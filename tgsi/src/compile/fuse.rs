//! Fuses two ops into one if the result of the first has no other use.
//!
//! The value between the two stays in machine registers instead of a row, and one dispatch is
//! saved. The arithmetic is the same, in the same order, with the same roundings. A fused op may
//! fuse again: `a·b + c·d` is two products and a sum, then a product and a `Mad`, then `Dot2`.

use super::graph::{Graph, Node, NodeKind, Value};
use super::live::{self, Info};
use super::{CompileError, Lower};
use crate::exec::OpCode;
use os_shim::Vec;

/// The facts that decide whether a node may be computed at its use.
#[derive(Clone, Copy)]
struct Place {
    uses: u32,
    /// The number of earlier nodes that may change a variable or are jump targets.
    epoch: u32,
}

/// Replaces pairs of ops by fused ops.
pub(super) fn fuse(lower: &mut Lower<'_, '_>, info: &mut [Info]) -> Result<(), CompileError> {
    let places = places(lower, info)?;
    for at in 0..lower.graph.nodes.len() {
        if !info.get(at).is_some_and(|info| info.live) {
            continue;
        }
        while let Some(&node) = lower.graph.nodes.get(at).filter(|it| it.kind == NodeKind::Op) {
            let found = Finder { graph: &lower.graph, places: &places, user: &node, at };
            let Some((fused, gone)) = found.fused() else { break };
            if let Some(slot) = lower.graph.nodes.get_mut(at) {
                *slot = fused;
            }
            if let Some(info) = info.get_mut(gone.index()) {
                info.live = false;
            }
        }
    }
    Ok(())
}

fn places<'m>(lower: &Lower<'_, 'm>, info: &[Info]) -> Result<Vec<'m, Place>, CompileError> {
    let nodes = &lower.graph.nodes;
    let unknown = Place { uses: 0, epoch: 0 };
    let mut places = Vec::try_filled_in(unknown, nodes.len(), lower.memory)?;
    let mut epoch = 0;
    let count = |places: &mut Vec<'m, Place>, value: Value| {
        if let Some(place) = places.get_mut(value.index()) {
            place.uses += 1;
        }
    };
    for (at, node) in nodes.iter().enumerate() {
        if !info.get(at).is_some_and(|info| info.live) {
            continue;
        }
        let pure = node.is_pure() || node.kind == NodeKind::Result;
        epoch += u32::from(!pure);
        if let Some(place) = places.get_mut(at) {
            place.epoch = epoch;
        }
        live::for_each_operand(node, &lower.tables, |value| count(&mut places, value));
    }
    live::for_each_output(lower, |value| count(&mut places, value))?;
    Ok(places)
}

struct Finder<'a, 'm> {
    graph: &'a Graph<'m>,
    places: &'a [Place],
    user: &'a Node,
    at: usize,
}

impl Finder<'_, '_> {
    /// Returns the operands of `value`'s node, if it is this op, is used only here, and has the
    /// same result if computed here.
    fn only(&self, value: Value, code: OpCode) -> Option<[Value; 3]> {
        let node = self.graph.node(value).filter(|node| node.is_op(code))?;
        let place = self.places.get(value.index())?;
        let here = self.places.get(self.at)?;
        let alone = place.uses == 1 && place.epoch == here.epoch;
        (alone && node.uniform == self.user.uniform).then_some([node.a, node.b, node.c])
    }

    /// As `only`, for either factor or summand; returns the other operand last.
    fn either(&self, code: OpCode) -> Option<([Value; 3], Value)> {
        let Node { a, b, .. } = *self.user;
        let first = self.only(a, code).map(|operands| (operands, b));
        first.or_else(|| Some((self.only(b, code)?, a)))
    }

    /// Returns the fused op and the node that it replaces.
    fn fused(&self) -> Option<(Node, Value)> {
        let Node { code, a, b, c, .. } = *self.user;
        let (code, operands) = match code {
            OpCode::Mad => self.product_and_sum()?,
            OpCode::Add => match self.either(OpCode::Mad) {
                Some(([x, y, z], other)) => (OpCode::MadAdd, [x, y, z, other]),
                None => self.product_added(OpCode::Mul, OpCode::Mad)?,
            },
            OpCode::Uadd => self.product_added(OpCode::Umul, OpCode::Umad)?,
            OpCode::Mul => {
                let ([x, y, _], other) = self.either(OpCode::Sub)?;
                (OpCode::SubMul, [x, y, other, Value::NONE])
            }
            // For zeros of different signs the second operand may win, so keep the order.
            OpCode::Min => {
                let [x, y, z] = self.only(a, OpCode::Mad)?;
                (OpCode::MadMin, [x, y, z, b])
            }
            OpCode::Max => {
                let [x, y, z] = self.only(a, OpCode::Mad)?;
                (OpCode::MadMax, [x, y, z, b])
            }
            OpCode::Saturate => {
                let [x, y, z] = self.only(a, OpCode::Mad)?;
                (OpCode::MadSaturate, [x, y, z, Value::NONE])
            }
            OpCode::Ucmp => match self.only(a, OpCode::Fslt) {
                Some([x, y, _]) => (OpCode::SelectLess, [x, y, b, c]),
                None => {
                    let [x, y, _] = self.only(a, OpCode::Fsge)?;
                    (OpCode::SelectNotLess, [x, y, b, c])
                }
            },
            _ => return None,
        };
        let gone = self.user.operands().into_iter().find(|value| !operands.contains(value))?;
        let [a, b, c, d] = operands;
        Some((Node { code, a, b, c, d, ..*self.user }, gone))
    }

    /// Returns a product added to another value.
    fn product_added(&self, product: OpCode, fused: OpCode) -> Option<(OpCode, [Value; 4])> {
        let ([x, y, _], other) = self.either(product)?;
        Some((fused, [x, y, other, Value::NONE]))
    }

    /// Returns a product added to a product, or a product with a difference added to a value.
    fn product_and_sum(&self) -> Option<(OpCode, [Value; 4])> {
        let Node { a, b, c, .. } = *self.user;
        if let Some([x, y, _]) = self.only(c, OpCode::Mul) {
            return Some((OpCode::Dot2, [a, b, x, y]));
        }
        let ([x, y, _], other) = self.either(OpCode::Sub)?;
        Some((OpCode::SubMad, [x, y, other, c]))
    }
}
