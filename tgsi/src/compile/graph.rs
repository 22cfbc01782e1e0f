//! Graph of scalar values in the order of their computation, simplified during construction.
//!
//! A node is one scalar operation, one source of a value, or one step of control flow. A value is
//! named by its node. Every value is computed once, except *phis* and *mask rows*. These are
//! variables: lanes that leave a loop or branch move their values into them.
//!
//! A value is not computed twice while its first computation is in reach (`open_scope` and
//! `close_scope` follow the branches). Constants are folded with the executor's arithmetic. Nothing
//! is rearranged, so results match the shader as written.

use super::steps::{Limit, NODE_STEPS, Steps};
use super::{CompileError, MAX_NODES};
use crate::exec::OpCode;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};

/// A value: the index of its node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Value(pub(super) u32);

impl Value {
    /// No value: a missing operand, or a variable that was never written.
    pub(super) const NONE: Value = Value(u32::MAX);

    pub(super) fn is_some(self) -> bool {
        self != Value::NONE
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kinds of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodeKind {
    /// The op in `code`.
    Op,
    /// The bits in `a`.
    Constant,
    /// Word `b` of constant buffer `a`.
    Uniform,
    /// Component `aux` of input register `a`.
    Input,
    /// Component `aux` of system value `a`.
    SystemValue,
    /// A variable that starts as `a`.
    Phi,
    /// A variable that holds a mask.
    MaskRow,
    /// Row `a` of a register array.
    Fixed,
    /// Component `aux` of the lookup `a`.
    Result,
    /// A removed node.
    Nop,
}

/// A node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) code: OpCode,
    pub(super) aux: u16,
    /// True if the value is the same in every lane of a draw: computed before the first batch.
    pub(super) uniform: bool,
    pub(super) a: Value,
    pub(super) b: Value,
    pub(super) c: Value,
    /// The fourth operand, used only by ops that `fuse` makes.
    pub(super) d: Value,
    /// The target node of a jump.
    pub(super) target: Value,
}

impl Node {
    pub(super) const fn new(kind: NodeKind, code: OpCode, aux: u16, operands: [Value; 3]) -> Node {
        let [a, b, c] = operands;
        Node { kind, code, aux, uniform: false, a, b, c, d: Value::NONE, target: Value::NONE }
    }

    /// Returns true if the node has no effect except its value, so that lanes that do not need it
    /// may compute it.
    pub(super) fn is_pure(&self) -> bool {
        match self.kind {
            NodeKind::Op => self.code.operands().is_some() || self.code == OpCode::Select,
            NodeKind::Constant
            | NodeKind::Uniform
            | NodeKind::Input
            | NodeKind::SystemValue
            | NodeKind::Fixed => true,
            NodeKind::Nop | NodeKind::MaskRow => true,
            NodeKind::Phi | NodeKind::Result => false,
        }
    }

    /// Returns the operands that are values; missing ones are `NONE`.
    #[inline]
    pub(super) fn operands(&self) -> [Value; 4] {
        match self.kind {
            NodeKind::Op => [self.a, self.b, self.c, self.d],
            NodeKind::Phi | NodeKind::Result => [self.a, Value::NONE, Value::NONE, Value::NONE],
            _ => [Value::NONE; 4],
        }
    }

    /// Returns true if the node is this op.
    #[inline]
    pub(super) fn is_op(&self, code: OpCode) -> bool {
        self.kind == NodeKind::Op && self.code == code
    }
}

/// The most ops in a preamble. The preamble runs without asking whether work may continue. Further
/// ops stay in the body, which asks at intervals.
const MAX_PREAMBLE: usize = 4096;

/// An empty slot of the table.
const EMPTY: u32 = u32::MAX;
/// A slot with a node that is out of reach.
const REMOVED: u32 = u32::MAX - 1;

pub(super) struct Graph<'m> {
    pub(super) nodes: Vec<'m, Node>,
    /// The index of the instruction that added each node.
    pub(super) origins: Vec<'m, u32>,
    /// The index of the present instruction.
    pub(super) origin: u32,
    optimize: bool,
    /// Hash table of nodes with open addressing; its length is a power of two.
    table: Vec<'m, u32>,
    used: usize,
    /// Slots filled since scopes were opened; they are emptied when the scopes close.
    scoped: Vec<'m, u32>,
    /// The number of ops that run once per draw.
    pub(super) in_preamble: usize,
    pub(super) steps: Steps,
}

impl<'m> Graph<'m> {
    /// Returns an empty graph.
    ///
    /// * `expected`: the approximate number of nodes.
    pub(super) fn new(
        expected: usize,
        optimize: bool,
        steps: Steps,
        memory: Memory<'m>,
    ) -> Result<Graph<'m>, OutOfMemory> {
        let slots = (expected * 2).next_power_of_two().clamp(64, 1 << 16);
        let table = Vec::try_filled_in(EMPTY, slots, memory)?;
        let nodes = Vec::try_with_capacity_in(expected, memory)?;
        let origins = Vec::try_with_capacity_in(expected, memory)?;
        let scoped = Vec::try_with_capacity_in(expected, memory)?;
        let (used, in_preamble, origin) = (0, 0, 0);
        Ok(Graph { nodes, origins, origin, optimize, table, used, scoped, in_preamble, steps })
    }

    pub(super) fn node(&self, value: Value) -> Option<&Node> {
        self.nodes.get(value.index())
    }

    /// Returns the bits of a constant.
    pub(super) fn constant_bits(&self, value: Value) -> Option<u32> {
        self.node(value).filter(|node| node.kind == NodeKind::Constant).map(|node| node.a.0)
    }

    /// Adds a node without simplification.
    pub(super) fn push(&mut self, node: Node) -> Result<Value, CompileError> {
        let value = Value(self.nodes.len() as u32);
        if self.nodes.len() >= MAX_NODES {
            return Err(CompileError::TooLarge { limit: Limit::Values });
        }
        self.steps.charge(NODE_STEPS)?;
        self.nodes.try_push(node)?;
        self.origins.try_push(self.origin)?;
        Ok(value)
    }

    /// Returns an equal node in reach, or adds this one.
    fn intern(&mut self, node: Node) -> Result<Value, CompileError> {
        if !self.optimize {
            return self.push(node);
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(&node) as usize & mask;
        let mut reusable = None;
        loop {
            match self.table.get(slot).copied().unwrap_or(EMPTY) {
                EMPTY => break,
                REMOVED => reusable = reusable.or(Some(slot)),
                found if self.nodes.get(found as usize) == Some(&node) => return Ok(Value(found)),
                _ => {}
            }
            slot = (slot + 1) & mask;
            self.steps.note(1);
        }
        let value = self.push(node)?;
        // In a nearly full table, some common values stay unshared; the code is still correct.
        if reusable.is_some() || self.used * 4 < self.table.len() * 3 {
            self.used += usize::from(reusable.is_none());
            let slot = reusable.unwrap_or(slot);
            if let Some(place) = self.table.get_mut(slot) {
                *place = value.0;
            }
            if !node.uniform {
                self.scoped.try_push(slot as u32)?;
            }
        }
        Ok(value)
    }

    /// Opens a scope: values made in it are not reused after it closes.
    pub(super) fn open_scope(&self) -> usize {
        self.scoped.len()
    }

    /// Closes a scope: forgets the values made since it opened, except uniform ones.
    pub(super) fn close_scope(&mut self, scope: usize) {
        while self.scoped.len() > scope {
            let Some(slot) = self.scoped.pop() else { return };
            if let Some(place) = self.table.get_mut(slot as usize) {
                *place = REMOVED;
            }
        }
    }

    pub(super) fn constant(&mut self, bits: u32) -> Result<Value, CompileError> {
        let mut node = leaf(NodeKind::Constant, Value(bits), 0);
        node.uniform = true;
        self.intern(node)
    }

    pub(super) fn float(&mut self, value: f32) -> Result<Value, CompileError> {
        self.constant(value.to_bits())
    }

    pub(super) fn uniform(&mut self, buffer: u8, word: u16) -> Result<Value, CompileError> {
        let mut node = leaf(NodeKind::Uniform, Value(buffer.into()), 0);
        node.b = Value(word.into());
        node.uniform = true;
        self.intern(node)
    }

    /// Adds a source of values: an input, system value or fixed row.
    pub(super) fn source(
        &mut self,
        kind: NodeKind,
        at: u32,
        aux: u16,
    ) -> Result<Value, CompileError> {
        self.push(leaf(kind, Value(at), aux))
    }

    /// Adds an op that has effects beyond its value, or depends on more than its operands.
    pub(super) fn effect(
        &mut self,
        code: OpCode,
        aux: u16,
        operands: [Value; 3],
    ) -> Result<Value, CompileError> {
        self.push(Node::new(NodeKind::Op, code, aux, operands))
    }

    /// Adds an op that depends only on its operands, or finds an equal one.
    pub(super) fn op(
        &mut self,
        code: OpCode,
        aux: u16,
        operands: [Value; 3],
    ) -> Result<Value, CompileError> {
        let mut node = Node::new(NodeKind::Op, code, aux, operands);
        if !self.optimize {
            return self.push(node);
        }
        let mut present = operands.iter().filter(|value| value.is_some());
        let movable = code.operands().is_some() || code == OpCode::Gather;
        node.uniform = movable
            && present.all(|&value| self.node(value).is_some_and(|operand| operand.uniform));
        if node.uniform {
            let bits = operands
                .map(|value| if value.is_some() { self.constant_bits(value) } else { Some(0) });
            if let [Some(a), Some(b), Some(c)] = bits
                && let Some(result) = code.evaluate(a, b, c)
            {
                return self.constant(result);
            }
        }
        node.uniform &= self.has_room_in_preamble();
        let nodes = self.nodes.len();
        let value = self.intern(node)?;
        self.in_preamble += usize::from(node.uniform && self.nodes.len() > nodes);
        Ok(value)
    }

    /// Returns true if another op may run once per draw.
    pub(super) fn has_room_in_preamble(&self) -> bool {
        self.in_preamble < MAX_PREAMBLE
    }

    pub(super) fn unary(&mut self, code: OpCode, a: Value) -> Result<Value, CompileError> {
        if self.optimize
            && let Some(simpler) = self.simplify_unary(code, a)
        {
            return match simpler {
                Ok(value) => Ok(value),
                Err((code, a)) => self.op(code, 0, [a, Value::NONE, Value::NONE]),
            };
        }
        self.op(code, 0, [a, Value::NONE, Value::NONE])
    }

    pub(super) fn binary(
        &mut self,
        code: OpCode,
        a: Value,
        b: Value,
    ) -> Result<Value, CompileError> {
        if self.optimize
            && let Some(value) = self.simplify_binary(code, a, b)
        {
            return Ok(value);
        }
        if self.optimize
            && let Some((code, bits)) = self.constant_bits(b).and_then(|bits| cheaper(code, bits))
        {
            let b = self.constant(bits)?;
            return self.binary(code, a, b);
        }
        self.op(code, 0, [a, b, Value::NONE])
    }

    pub(super) fn ternary(
        &mut self,
        code: OpCode,
        operands: [Value; 3],
    ) -> Result<Value, CompileError> {
        if self.optimize {
            let [a, b, c] = operands;
            match code {
                OpCode::Ucmp => match self.constant_bits(a) {
                    Some(0) => return Ok(c),
                    Some(_) => return Ok(b),
                    None if b == c => return Ok(b),
                    None => {}
                },
                OpCode::Cmp if b == c => return Ok(b),
                OpCode::Mad if self.constant_bits(a) == Some(ONE) => {
                    return self.binary(OpCode::Add, b, c);
                }
                OpCode::Mad if self.constant_bits(b) == Some(ONE) => {
                    return self.binary(OpCode::Add, a, c);
                }
                _ => {}
            }
        }
        self.op(code, 0, operands)
    }

    /// Simplifies a unary op. `Ok` is an existing value, as for a repeated sign change. `Err` is an
    /// equivalent op.
    fn simplify_unary(&self, code: OpCode, a: Value) -> Option<Result<Value, (OpCode, Value)>> {
        if code == OpCode::Mov {
            return Some(Ok(a));
        }
        let inner = self.node(a).filter(|node| node.kind == NodeKind::Op)?;
        match (code, inner.code) {
            (OpCode::Neg, OpCode::Neg)
            | (OpCode::Ineg, OpCode::Ineg)
            | (OpCode::Not, OpCode::Not) => Some(Ok(inner.a)),
            (OpCode::Abs, OpCode::Abs) | (OpCode::Saturate, OpCode::Saturate) => Some(Ok(a)),
            (OpCode::Abs, OpCode::Neg) => Some(Err((OpCode::Abs, inner.a))),
            (OpCode::UnpackLowHalf, OpCode::PackHalves) => Some(Err((OpCode::RoundHalf, inner.a))),
            (OpCode::UnpackHighHalf, OpCode::PackHalves) => Some(Err((OpCode::RoundHalf, inner.b))),
            _ => None,
        }
    }

    /// Returns the operand that the op returns unchanged, bit for bit (except signalling NaNs).
    fn simplify_binary(&self, code: OpCode, a: Value, b: Value) -> Option<Value> {
        let (left, right) = (self.constant_bits(a), self.constant_bits(b));
        match code {
            OpCode::Mul | OpCode::Div if right == Some(ONE) => Some(a),
            OpCode::Mul if left == Some(ONE) => Some(b),
            // Not +0: adding +0 turns -0 into +0.
            OpCode::Add if right == Some(MINUS_ZERO) => Some(a),
            OpCode::Add if left == Some(MINUS_ZERO) => Some(b),
            OpCode::Sub if right == Some(0) => Some(a),
            OpCode::Uadd | OpCode::Or | OpCode::Xor if left == Some(0) => Some(b),
            OpCode::Uadd | OpCode::Usub | OpCode::Or | OpCode::Xor if right == Some(0) => Some(a),
            OpCode::Shl | OpCode::Ushr | OpCode::Ishr if right == Some(0) => Some(a),
            OpCode::Umul if left == Some(1) => Some(b),
            OpCode::Umul if right == Some(1) => Some(a),
            OpCode::And if left == Some(!0) => Some(b),
            OpCode::And if right == Some(!0) => Some(a),
            OpCode::And
            | OpCode::Or
            | OpCode::Imin
            | OpCode::Imax
            | OpCode::Umin
            | OpCode::Umax
                if a == b =>
            {
                Some(a)
            }
            _ => None,
        }
    }

    /// Returns true if `value` is the fraction of `whole`, or of an equal constant or input.
    pub(super) fn is_fraction(&self, value: Value, whole: Value) -> bool {
        let (Some(node), Some(whole_node)) = (self.node(value), self.node(whole)) else {
            return false;
        };
        let never_changes = matches!(
            whole_node.kind,
            NodeKind::Constant | NodeKind::Uniform | NodeKind::Input | NodeKind::SystemValue
        );
        node.kind == NodeKind::Op
            && node.code == OpCode::Fract
            && (node.a == whole || never_changes && self.node(node.a) == Some(whole_node))
    }

    /// Returns the operand of `value` if `value` is a sign change by `code`.
    pub(super) fn negated(&self, value: Value, code: OpCode) -> Option<Value> {
        let node = self.node(value)?;
        (node.kind == NodeKind::Op && node.code == code).then_some(node.a)
    }
}

const ONE: u32 = 1f32.to_bits();
const MINUS_ZERO: u32 = (-0f32).to_bits();

/// Returns a cheaper op and its second operand for a division by a power of two, with the same
/// result.
fn cheaper(code: OpCode, divisor: u32) -> Option<(OpCode, u32)> {
    let exponent = divisor >> 23 & 0xff;
    match code {
        // The reciprocal is exact and normal.
        OpCode::Div if divisor << 9 == 0 && matches!(exponent, 1..=253) && exponent != 127 => {
            Some((OpCode::Mul, divisor & 1 << 31 | (254 - exponent) << 23))
        }
        OpCode::Udiv if divisor.is_power_of_two() => Some((OpCode::Ushr, divisor.ilog2())),
        OpCode::Umod if divisor.is_power_of_two() => Some((OpCode::And, divisor - 1)),
        _ => None,
    }
}

const fn leaf(kind: NodeKind, a: Value, aux: u16) -> Node {
    Node::new(kind, OpCode::Mov, aux, [a, Value::NONE, Value::NONE])
}

fn hash(node: &Node) -> u32 {
    // Multiplies by an odd number, then folds down the top bits, which depend on all input bits.
    let mut hash = u32::from(node.code as u8) << 8 | node.kind as u32 | u32::from(node.aux) << 16;
    for word in [node.a.0, node.b.0, node.c.0] {
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B1);
    }
    hash ^ hash >> 15
}
