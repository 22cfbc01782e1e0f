//! The state of a translation, and the helpers that every part of it uses.

use std::collections::HashMap;

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    Expression, Function, GlobalVariable, Handle, Literal, LocalVariable, Module, TypeInner,
};
use tgsi::opcode::Opcode;
use tgsi::register::{DstRegister, File, Indirect, SrcRegister};

use crate::code::{Code, Subroutine, component, mask, temporary};
use crate::declarations::Declarations;
use crate::error::Result;
use crate::place::Place;
use crate::slots::Slots;
use crate::types::Types;

/// A value: the registers of its type in order, one `SrcRegister` each. A scalar is in every
/// component of its operand. Operands carry no modifiers, so that any opcode may read them.
pub(crate) type Value = Vec<SrcRegister>;

/// The meaning of an expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Operand {
    Value(Value),
    /// A pointer.
    Place(Place),
    /// A texture, sampler or storage texture.
    Resource(Handle<GlobalVariable>),
}

/// A function that is being translated.
pub(crate) struct Frame<'a> {
    pub(crate) function: &'a Function,
    pub(crate) info: &'a FunctionInfo,
    /// The meaning of each expression, once it is evaluated.
    pub(crate) operands: Vec<Option<Operand>>,
    pub(crate) arguments: Vec<Operand>,
    pub(crate) locals: Vec<Option<Place>>,
    /// The values of variables, where loops are written out and the values are known here.
    pub(crate) known: HashMap<Handle<LocalVariable>, Literal>,
    /// The known values of expressions, at the place where they were evaluated.
    pub(crate) literals: HashMap<Handle<Expression>, Literal>,
    /// The register of the result; `None` in the entry point, which writes outputs.
    pub(crate) result: Option<u32>,
    /// Temporaries that are free again.
    free: Vec<u32>,
    /// The temporaries of each open block.
    scopes: Vec<Vec<u32>>,
    /// Statement blocks that are open.
    pub(crate) depth: usize,
}

impl<'a> Frame<'a> {
    pub(crate) fn new(
        function: &'a Function,
        info: &'a FunctionInfo,
        arguments: Vec<Operand>,
        result: Option<u32>,
    ) -> Frame<'a> {
        Frame {
            function,
            info,
            operands: vec![None; function.expressions.len()],
            arguments,
            locals: vec![None; function.local_variables.len()],
            known: HashMap::new(),
            literals: HashMap::new(),
            result,
            free: Vec::new(),
            scopes: vec![Vec::new()],
            depth: 0,
        }
    }
}

/// A function for particular pointers and resources: calls with the same share a subroutine.
pub(crate) type InstanceKey = (Handle<Function>, Vec<Option<Operand>>);

/// A translated function.
#[derive(Clone)]
pub(crate) struct Instance {
    pub(crate) subroutine: Subroutine,
    /// The temporaries of the arguments that are values.
    pub(crate) arguments: Vec<u32>,
    /// The temporaries of the result.
    pub(crate) result: u32,
}

/// The state of a translation.
pub(crate) struct Translator<'a> {
    pub(crate) module: &'a Module,
    pub(crate) info: &'a ModuleInfo,
    pub(crate) types: Types,
    pub(crate) slots: &'a Slots,
    pub(crate) code: Code,
    pub(crate) declarations: Declarations,
    pub(crate) privates: HashMap<Handle<GlobalVariable>, Place>,
    /// The byte at which each workgroup variable begins.
    pub(crate) shared: HashMap<Handle<GlobalVariable>, u32>,
    /// The bytes of workgroup memory.
    pub(crate) shared_bytes: u32,
    pub(crate) block_size: [u32; 3],
    /// The number of clip distances is declared.
    pub(crate) clips: bool,
    pub(crate) frames: Vec<Frame<'a>>,
    pub(crate) instances: HashMap<InstanceKey, Instance>,
    /// The expressions that loops with a known number of turns may still be written out to.
    pub(crate) unroll: usize,
    /// The values of variables are followed, because loops may be written out.
    pub(crate) unrolls: bool,
    /// The scale and the offset that depth is mapped with.
    pub(crate) depth_map: Option<(f32, f32)>,
    /// Values of global expressions.
    pub(crate) globals: HashMap<Handle<Expression>, Value>,
}

impl<'a> Translator<'a> {
    pub(crate) fn new(
        module: &'a Module,
        info: &'a ModuleInfo,
        slots: &'a Slots,
        declarations: Declarations,
        unroll: usize,
    ) -> Self {
        Translator {
            module,
            info,
            types: Types::new(module),
            slots,
            code: Code::new(),
            declarations,
            privates: HashMap::new(),
            shared: HashMap::new(),
            shared_bytes: 0,
            block_size: [1; 3],
            clips: false,
            frames: Vec::new(),
            instances: HashMap::new(),
            unroll,
            unrolls: unroll != 0,
            depth_map: None,
            globals: HashMap::new(),
        }
    }

    /// Returns the function being translated.
    pub(crate) fn frame(&self) -> Result<&Frame<'a>> {
        self.frames.last().ok_or_else(|| self.code.refuse("an expression outside any function"))
    }

    pub(crate) fn frame_mut(&mut self) -> Result<&mut Frame<'a>> {
        let refusal = self.code.refuse("an expression outside any function");
        self.frames.last_mut().ok_or(refusal)
    }

    /// Returns the type of an expression of the present function.
    pub(crate) fn type_of(&self, expression: Handle<Expression>) -> Result<&'a TypeInner> {
        Ok(self.frame()?.info[expression].ty.inner_with(&self.module.types))
    }

    /// Begins a block: temporaries made from here on are free after it.
    pub(crate) fn open_scope(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.scopes.push(Vec::new());
        }
    }

    pub(crate) fn close_scope(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            let scope = frame.scopes.pop().unwrap_or_default();
            frame.free.extend(scope);
        }
    }

    /// Returns a temporary of the present block.
    pub(crate) fn temporary(&mut self) -> DstRegister {
        let free = self.frames.last_mut().and_then(|frame| frame.free.pop());
        let index = free.unwrap_or_else(|| self.code.temporaries(1));
        if let Some(scope) = self.frames.last_mut().and_then(|frame| frame.scopes.last_mut()) {
            scope.push(index);
        }
        temporary(index)
    }

    /// Returns a temporary's first `size` components as a value.
    pub(crate) fn read(&self, register: DstRegister, size: u8) -> SrcRegister {
        let src = register.as_src();
        if size == 1 { src.x() } else { src }
    }

    /// Adds an instruction that computes each of `size` components from its sources.
    pub(crate) fn op(&mut self, opcode: Opcode, size: u8, srcs: &[SrcRegister]) -> SrcRegister {
        let dst = self.temporary();
        self.code.emit(opcode, Some(dst.masked(mask(size))), srcs);
        self.read(dst, size)
    }

    /// Adds an instruction for each component, of an opcode that reads the first component only.
    pub(crate) fn each(&mut self, opcode: Opcode, size: u8, srcs: &[SrcRegister]) -> SrcRegister {
        let dst = self.temporary();
        for at in 0..usize::from(size) {
            let srcs: Vec<SrcRegister> = srcs.iter().map(|src| component(*src, at)).collect();
            let one = tgsi::register::WriteMask::from_bits_truncate(1 << at);
            self.code.emit(opcode, Some(dst.masked(one)), &srcs);
        }
        self.read(dst, size)
    }

    pub(crate) fn add(&mut self, size: u8, a: SrcRegister, b: SrcRegister) -> SrcRegister {
        self.op(Opcode::Add, size, &[a, b])
    }

    pub(crate) fn sub(&mut self, size: u8, a: SrcRegister, b: SrcRegister) -> SrcRegister {
        self.op(Opcode::Add, size, &[a, b.neg()])
    }

    pub(crate) fn mul(&mut self, size: u8, a: SrcRegister, b: SrcRegister) -> SrcRegister {
        self.op(Opcode::Mul, size, &[a, b])
    }

    pub(crate) fn mad(
        &mut self,
        size: u8,
        a: SrcRegister,
        b: SrcRegister,
        c: SrcRegister,
    ) -> SrcRegister {
        self.op(Opcode::Mad, size, &[a, b, c])
    }

    /// Chooses by the mask `condition`.
    pub(crate) fn choose(
        &mut self,
        size: u8,
        condition: SrcRegister,
        accept: SrcRegister,
        reject: SrcRegister,
    ) -> SrcRegister {
        self.op(Opcode::Ucmp, size, &[condition, accept, reject])
    }

    /// Returns a float in every component.
    pub(crate) fn float(&mut self, value: f32) -> SrcRegister {
        self.code.word(true, value.to_bits())
    }

    /// Returns an integer in every component.
    pub(crate) fn int(&mut self, value: u32) -> SrcRegister {
        self.code.word(false, value)
    }

    /// Copies a register's first `size` components to a new temporary.
    pub(crate) fn copy(&mut self, size: u8, src: SrcRegister) -> SrcRegister {
        self.op(Opcode::Mov, size, &[src])
    }

    /// Puts components together: one operand for each.
    pub(crate) fn gather(&mut self, components: &[SrcRegister]) -> SrcRegister {
        let views: Option<Vec<u32>> = components.iter().map(|it| self.constant(*it)).collect();
        if let Some(words) = views {
            let float = components.first().is_some_and(|it| self.code.is_float(*it));
            return self.code.vector(float, &words);
        }
        if let Some(view) = common_view(components) {
            return view;
        }
        let dst = self.temporary();
        for (at, src) in components.iter().enumerate() {
            let one = tgsi::register::WriteMask::from_bits_truncate(1 << at);
            self.code.emit(Opcode::Mov, Some(dst.masked(one)), &[src.x()]);
        }
        self.read(dst, components.len() as u8)
    }

    /// Returns the first component of an immediate.
    pub(crate) fn constant(&self, src: SrcRegister) -> Option<u32> {
        let plain = src.file == File::Immediate && !src.negate && !src.absolute;
        plain.then(|| self.code.immediate(src)).flatten()
    }

    /// Puts an index into the address register; returns the operand that uses it.
    pub(crate) fn address(&mut self, index: SrcRegister, array: u16) -> Indirect {
        let dst = DstRegister::new(File::Address, 0).masked(mask(1));
        self.declarations.addresses = 1;
        self.code.emit(Opcode::Uarl, Some(dst), &[index]);
        Indirect { array_id: array, ..Indirect::address(0) }
    }
}

/// Returns the components as a view of the one register that they all lie in.
fn common_view(components: &[SrcRegister]) -> Option<SrcRegister> {
    let first = *components.first()?;
    let mut view = first;
    for (at, slot) in view.swizzle.iter_mut().enumerate() {
        let part = components.get(at.min(components.len().saturating_sub(1)))?;
        let same = SrcRegister { swizzle: first.swizzle, ..*part } == first;
        *slot = *part.swizzle.first().filter(|_| same)?;
    }
    Some(view)
}
