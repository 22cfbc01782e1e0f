//! Loads and stores through pointers, sizes of buffers, atomics.

use naga::{AtomicFunction, Expression, Handle, ScalarKind, TypeInner};
use tgsi::opcode::Opcode;
use tgsi::register::{DstRegister, File, SrcRegister, Swizzle, WriteMask};

use crate::access::Read;
use crate::code::mask;
use crate::error::Result;
use crate::place::{Component, Place, Root, Shape};
use crate::translator::{Operand, Translator, Value};
use crate::types::{Layout, Leaf};

impl Translator<'_> {
    /// Lists the registers of the value at a place.
    fn leaves(&self, place: &Place, layout: Layout) -> Result<Vec<Leaf>> {
        if let Shape::Type(ty) = place.shape {
            self.check_size(ty)?;
        }
        let mut leaves = Vec::new();
        let inner = place.shape.inner(self.module);
        self.types.leaves(self.module, &inner, layout, 0, &mut leaves);
        Ok(leaves)
    }

    /// Reads the value that a pointer points to.
    pub(crate) fn load(&mut self, place: &Place) -> Result<Value> {
        let leaves = self.leaves(place, place.root.layout())?;
        let mut value = Value::new();
        for (at, leaf) in (0u32..).zip(leaves) {
            value.push(match place.root {
                Root::Registers(root) => {
                    let offset = place.offset.wrapping_add(at);
                    let read = match place.component {
                        Component::Whole => Read::Components(leaf.size),
                        Component::Fixed(number) => Read::Component(number),
                        Component::Computed(_) => Read::Components(4),
                    };
                    let register = self.load_register(root, offset, &place.terms, read);
                    match place.component {
                        Component::Whole | Component::Fixed(_) => register,
                        Component::Computed(index) => self.pick(4, register, index),
                    }
                }
                Root::Uniform(slot) => self.load_uniform(slot, place, leaf),
                Root::Storage(_) | Root::Shared => {
                    let memory = self.memory_register(place.root).as_src();
                    self.load_memory(memory, place, leaf)
                }
            });
        }
        Ok(value)
    }

    /// Reads a part of a place in memory.
    fn load_memory(&mut self, memory: SrcRegister, place: &Place, leaf: Leaf) -> SrcRegister {
        let address = self.byte_address(place, leaf.offset);
        let dst = self.temporary();
        let written = dst.masked(mask(leaf.size));
        self.code.access(Opcode::Load, written, &[memory, address], leaf.halves);
        self.read(dst, leaf.size)
    }

    /// Reads a part of a constant buffer.
    fn load_uniform(&mut self, slot: u8, place: &Place, leaf: Leaf) -> SrcRegister {
        let byte = place.offset.wrapping_add(leaf.offset);
        let (register, first) = (byte / 16, (byte % 16 / 4) as usize);
        let fits = first + usize::from(leaf.size) <= 4 && byte < 1 << 16;
        let whole_registers = place.terms.iter().all(|term| term.stride % 16 == 0);
        if !fits || !whole_registers || leaf.halves {
            let buffer = SrcRegister::new(File::ConstantBuffer, slot.into());
            return self.load_memory(buffer, place, leaf);
        }
        let mut src = SrcRegister::new(File::Constant, register as i32);
        if slot != 0 {
            src = src.in_dimension(tgsi::register::Dimension::literal(slot.into()));
        }
        let last = first + usize::from(leaf.size) - 1;
        let order = [0, 1, 2, 3].map(|at| Swizzle::from_bits((first + at).min(last) as u32));
        src = src.swizzled(order);
        match self.sum(&place.terms, 16) {
            // Constants do not change: users read the buffer.
            None => src,
            Some(index) => {
                let indirect = self.address(index, 0);
                self.copy(leaf.size, src.indexed(indirect))
            }
        }
    }

    /// Returns the byte address of a part of a place in memory.
    fn byte_address(&mut self, place: &Place, offset: u32) -> SrcRegister {
        let fixed = self.int(place.offset.wrapping_add(offset));
        match self.sum(&place.terms, 1) {
            Some(index) if self.constant(fixed) == Some(0) => index,
            Some(index) => self.op(Opcode::Uadd, 1, &[index, fixed]),
            None => fixed,
        }
    }

    /// Returns the buffer or memory that a root names.
    fn memory_register(&mut self, root: Root) -> DstRegister {
        match root {
            Root::Storage(slot) => DstRegister::new(File::Buffer, slot.into()),
            _ => {
                self.declarations.shared_memory();
                DstRegister::new(File::Memory, 0)
            }
        }
    }

    /// Writes a value through a pointer.
    pub(crate) fn store(&mut self, place: &Place, value: &Value) -> Result<()> {
        let leaves = self.leaves(place, place.root.layout())?;
        for ((at, leaf), &src) in (0u32..).zip(leaves).zip(value) {
            match place.root {
                Root::Registers(root) => {
                    let offset = place.offset.wrapping_add(at);
                    let written = match place.component {
                        Component::Whole => mask(leaf.size),
                        Component::Fixed(number) => WriteMask::from_bits_truncate(1 << number),
                        Component::Computed(index) => {
                            self.store_component(root, place, 4, index, src);
                            continue;
                        }
                    };
                    self.store_register(root, offset, &place.terms, written, src);
                }
                Root::Storage(_) | Root::Shared => {
                    let address = self.byte_address(place, leaf.offset);
                    let memory = self.memory_register(place.root).masked(mask(leaf.size));
                    self.code.access(Opcode::Store, memory, &[address, src], leaf.halves);
                }
                Root::Uniform(_) => return Err(self.code.refuse("a uniform is written")),
            }
        }
        Ok(())
    }

    /// Returns the number of elements of a runtime-sized array.
    pub(crate) fn array_length(&mut self, pointer: Handle<Expression>) -> Result<SrcRegister> {
        let place = self.place(pointer)?;
        let (Root::Storage(_), TypeInner::Array { stride, .. }) =
            (place.root, place.shape.inner(self.module))
        else {
            return Err(self.code.refuse("the length of something other than a storage array"));
        };
        let buffer = self.memory_register(place.root).as_src();
        let size = self.op(Opcode::Resq, 1, &[buffer]);
        let start = self.byte_address(&place, 0);
        // A binding that ends before the array has no element of it.
        let end = self.op(Opcode::Umax, 1, &[size, start]);
        let start = self.op(Opcode::Ineg, 1, &[start]);
        let bytes = self.op(Opcode::Uadd, 1, &[end, start]);
        let stride = self.int(stride.max(1));
        Ok(self.op(Opcode::Udiv, 1, &[bytes, stride]))
    }

    /// Adds an atomic operation on a pointer.
    pub(crate) fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        fun: AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Result<()> {
        let place = self.place(pointer)?;
        if !matches!(place.root, Root::Storage(_) | Root::Shared) {
            return Err(self.code.refuse("an atomic outside storage and workgroup memory"));
        }
        let kind = match place.shape.inner(self.module) {
            TypeInner::Atomic(scalar) | TypeInner::Scalar(scalar) => Some(scalar),
            _ => None,
        };
        if kind.is_none_or(|it| it.width != 4) {
            return Err(self.code.refuse("64-bit atomics are not supported"));
        }
        let address = self.byte_address(&place, 0);
        let memory = self.memory_register(place.root).as_src();
        let operand = self.single(value)?;
        let signed = kind.is_some_and(|it| it.kind == ScalarKind::Sint);
        let float = kind.is_some_and(|it| it.kind == ScalarKind::Float);
        let old = self.atomic_operation(memory, address, fun, operand, signed, float)?;
        let Some(result) = result else { return Ok(()) };
        let AtomicFunction::Exchange { compare: Some(compare) } = fun else {
            return self.set(result, Operand::Value(vec![old]));
        };
        let compare = self.single(compare)?;
        let exchanged = self.op(Opcode::Useq, 1, &[old, compare]);
        self.set(result, Operand::Value(vec![old, exchanged]))
    }

    /// Adds an atomic operation; returns the value before it.
    pub(crate) fn atomic_operation(
        &mut self,
        memory: SrcRegister,
        address: SrcRegister,
        fun: AtomicFunction,
        operand: SrcRegister,
        signed: bool,
        float: bool,
    ) -> Result<SrcRegister> {
        let opcode = match fun {
            AtomicFunction::Add | AtomicFunction::Subtract if float => Opcode::Atomfadd,
            AtomicFunction::Add | AtomicFunction::Subtract => Opcode::Atomuadd,
            AtomicFunction::And => Opcode::Atomand,
            AtomicFunction::ExclusiveOr => Opcode::Atomxor,
            AtomicFunction::InclusiveOr => Opcode::Atomor,
            AtomicFunction::Min if signed => Opcode::Atomimin,
            AtomicFunction::Min => Opcode::Atomumin,
            AtomicFunction::Max if signed => Opcode::Atomimax,
            AtomicFunction::Max => Opcode::Atomumax,
            AtomicFunction::Exchange { compare: None } => Opcode::Atomxchg,
            AtomicFunction::Exchange { compare: Some(compare) } => {
                let compare = self.single(compare)?;
                return Ok(self.op(Opcode::Atomcas, 1, &[memory, address, compare, operand]));
            }
        };
        let operand = match fun {
            AtomicFunction::Subtract if float => self.copy(1, operand.neg()),
            AtomicFunction::Subtract => self.op(Opcode::Ineg, 1, &[operand]),
            _ => operand,
        };
        Ok(self.op(opcode, 1, &[memory, address, operand]))
    }
}
