//! Elements, members and components, of pointers and of values.

use naga::{AddressSpace, Expression, GlobalVariable, Handle, LocalVariable, TypeInner};
use tgsi::opcode::Opcode;
use tgsi::register::SrcRegister;

use crate::code::{component, mask, temporary};
use crate::error::Result;
use crate::place::{Component, Place, Registers, Root, Shape, Term};
use crate::translator::{Operand, Translator, Value};
use crate::types::{array_count, column_stride, component_bytes};

/// The components of a register that are read.
#[derive(Clone, Copy)]
pub(crate) enum Read {
    /// The first so many.
    Components(u8),
    /// One of them.
    Component(u8),
}

/// An index into a composite.
#[derive(Clone, Copy)]
enum Index {
    Fixed(u32),
    Computed(SrcRegister),
}

impl Translator<'_> {
    /// Returns the place that a pointer points to.
    pub(crate) fn place(&mut self, handle: Handle<Expression>) -> Result<Place> {
        match self.operand(handle)? {
            Operand::Place(place) => Ok(place),
            Operand::Value(_) | Operand::Resource(_) => {
                Err(self.code.refuse("a value is used as a pointer"))
            }
        }
    }

    /// Returns the registers of a `function` or `private` variable.
    pub(crate) fn variable(&mut self, ty: Handle<naga::Type>) -> Place {
        let count = self.types.registers(ty);
        let first = self.code.temporaries(count);
        Place::new(Root::Registers(Registers { first, count }), 0, ty)
    }

    pub(crate) fn local_variable(&mut self, handle: Handle<LocalVariable>) -> Result<Operand> {
        let local = self.frame()?.locals.get(handle.index()).cloned().flatten();
        let place = local.ok_or_else(|| self.code.refuse("a variable that is not there"))?;
        Ok(Operand::Place(place))
    }

    /// Returns the place of a global variable, or the resource that it is.
    pub(crate) fn global_variable(&mut self, handle: Handle<GlobalVariable>) -> Result<Operand> {
        let global = &self.module.global_variables[handle];
        let root = match global.space {
            AddressSpace::Handle => return Ok(Operand::Resource(handle)),
            AddressSpace::Private => {
                let place = self.privates.get(&handle).cloned();
                let refusal = self.code.refuse("a private variable that is not there");
                return place.map(Operand::Place).ok_or(refusal);
            }
            AddressSpace::WorkGroup => {
                let offset = self.shared.get(&handle).copied().unwrap_or(0);
                return Ok(Operand::Place(Place::new(Root::Shared, offset, global.ty)));
            }
            AddressSpace::Uniform | AddressSpace::Immediate => {
                Root::Uniform(self.slots.of(self.module, handle)?)
            }
            AddressSpace::Storage { .. } => Root::Storage(self.slots.of(self.module, handle)?),
            AddressSpace::Function
            | AddressSpace::TaskPayload
            | AddressSpace::RayPayload
            | AddressSpace::IncomingRayPayload => {
                return Err(self.code.refuse("mesh and ray stages are not supported"));
            }
        };
        if matches!(self.module.types[global.ty].inner, TypeInner::BindingArray { .. }) {
            return Err(self.code.refuse("arrays of bindings are not supported"));
        }
        Ok(Operand::Place(Place::new(root, 0, global.ty)))
    }

    pub(crate) fn access(
        &mut self,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Result<Operand> {
        if let Some(fixed) = self.known_index(self.type_of(base)?, index) {
            return self.step(base, Index::Fixed(fixed));
        }
        let index = self.single(index)?;
        let index = match self.constant(index) {
            Some(fixed) => Index::Fixed(fixed),
            None => Index::Computed(index),
        };
        self.step(base, index)
    }

    pub(crate) fn access_index(&mut self, base: Handle<Expression>, index: u32) -> Result<Operand> {
        self.step(base, Index::Fixed(index))
    }

    fn step(&mut self, base: Handle<Expression>, index: Index) -> Result<Operand> {
        match self.operand(base)? {
            Operand::Place(place) => self.step_place(place, index).map(Operand::Place),
            Operand::Value(value) => {
                let inner = self.type_of(base)?;
                self.step_value(inner, value, index).map(Operand::Value)
            }
            Operand::Resource(_) => Err(self.code.refuse("arrays of bindings are not supported")),
        }
    }

    /// Returns an element of a value.
    fn step_value(&mut self, inner: &TypeInner, value: Value, index: Index) -> Result<Value> {
        let element = match *inner {
            TypeInner::Vector { size, .. } => {
                let vector = value.first().copied().unwrap_or(SrcRegister::NULL);
                return Ok(vec![match index {
                    Index::Fixed(at) => component(vector, at.min(size as u32 - 1) as usize),
                    Index::Computed(at) => self.pick(size as u32, vector, at),
                }]);
            }
            TypeInner::Matrix { .. } => 1,
            TypeInner::Array { base, .. } => self.types.registers(base),
            TypeInner::Struct { ref members, .. } => {
                let Index::Fixed(index) = index else {
                    return Err(self.code.refuse("a struct is indexed at run time"));
                };
                let registers = |member: &naga::StructMember| self.types.registers(member.ty);
                let first: u32 = members.iter().take(index as usize).map(registers).sum();
                let count = members.get(index as usize).map_or(0, registers);
                return Ok(part(&value, first, count));
            }
            _ => return Err(self.code.refuse("a value without elements is indexed")),
        };
        match index {
            Index::Fixed(at) => Ok(part(&value, at.saturating_mul(element), element)),
            Index::Computed(at) => {
                // Spilled, as registers are indexed only in arrays.
                let count = value.len() as u32;
                let first = self.code.temporaries(count);
                for (at, &src) in value.iter().enumerate() {
                    let dst = temporary(first + at as u32);
                    self.code.emit(Opcode::Mov, Some(dst), &[src]);
                }
                let root = Registers { first, count };
                let terms = vec![Term { index: at, stride: element }];
                let read = Read::Components(4);
                Ok((0..element).map(|at| self.load_register(root, at, &terms, read)).collect())
            }
        }
    }

    /// Chooses the component of a vector that `index` has.
    pub(crate) fn pick(
        &mut self,
        size: u32,
        vector: SrcRegister,
        index: SrcRegister,
    ) -> SrcRegister {
        let mut picked = component(vector, 0);
        for at in 1..size {
            let number = self.int(at);
            let here = self.op(Opcode::Useq, 1, &[index, number]);
            picked = self.choose(1, here, component(vector, at as usize), picked);
        }
        picked
    }

    /// Returns the place of an element.
    fn step_place(&mut self, mut place: Place, index: Index) -> Result<Place> {
        let in_registers = matches!(place.root, Root::Registers(_));
        let layout = place.root.layout();
        let inner = place.shape.inner(self.module);
        // The distance to the next element, in registers or bytes; 0 for components of registers.
        let (stride, count, shape) = match inner {
            TypeInner::Array { base, size, stride } => {
                let stride = match in_registers {
                    true => self.types.registers(base),
                    false => self.types.array_stride(base, stride, layout),
                };
                (stride, array_count(self.module, size), Shape::Type(base))
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let stride = if in_registers { 1 } else { column_stride(rows, scalar, layout) };
                (stride, columns as u32, Shape::Vector(rows, scalar))
            }
            TypeInner::Vector { size, scalar } => {
                let stride = if in_registers { 0 } else { component_bytes(scalar, layout) };
                (stride, size as u32, Shape::Scalar(scalar))
            }
            TypeInner::Struct { ref members, .. } => {
                let Index::Fixed(index) = index else {
                    return Err(self.code.refuse("a struct is indexed at run time"));
                };
                let at = index as usize;
                let offset = match in_registers {
                    true => members.iter().take(at).map(|it| self.types.registers(it.ty)).sum(),
                    false => self.types.member_offset(members, at, layout),
                };
                place.offset = place.offset.saturating_add(offset);
                if let Some(member) = members.get(at) {
                    place.shape = Shape::Type(member.ty);
                }
                return Ok(place);
            }
            _ => return Err(self.code.refuse("a pointer to something without elements")),
        };
        place.shape = shape;
        if stride == 0 && in_registers && matches!(shape, Shape::Scalar(_)) {
            place.component = match index {
                Index::Fixed(at) => Component::Fixed(at.min(count - 1) as u8),
                Index::Computed(at) => Component::Computed(at),
            };
            return Ok(place);
        }
        // An index must not reach other variables of the workgroup, or other parts of a variable in registers. Beyond
        // the whole of such a variable, registers hold nothing.
        let is_bounded = match place.root {
            Root::Shared => true,
            Root::Registers(whole) => stride.saturating_mul(count) != whole.count,
            Root::Uniform(_) | Root::Storage(_) => false,
        };
        let last = count.saturating_sub(1);
        match index {
            Index::Fixed(at) => {
                let at = if is_bounded { at.min(last) } else { at };
                place.offset = place.offset.wrapping_add(at.wrapping_mul(stride));
            }
            Index::Computed(mut index) => {
                if is_bounded {
                    let last = self.int(last);
                    index = self.op(Opcode::Umin, 1, &[index, last]);
                }
                place.terms.push(Term { index, stride });
            }
        }
        Ok(place)
    }

    /// Returns `Σ index·stride / unit`, or nothing if all indices are fixed.
    pub(crate) fn sum(&mut self, terms: &[Term], unit: u32) -> Option<SrcRegister> {
        let mut sum: Option<SrcRegister> = None;
        for term in terms {
            let stride = term.stride / unit;
            let factor = self.int(stride);
            sum = Some(match sum {
                Some(sum) => self.op(Opcode::Umad, 1, &[term.index, factor, sum]),
                None if stride == 1 => term.index,
                None => self.op(Opcode::Umul, 1, &[term.index, factor]),
            });
        }
        sum
    }

    /// Reads register `offset` of a variable, counted on by computed indices.
    pub(crate) fn load_register(
        &mut self,
        root: Registers,
        offset: u32,
        terms: &[Term],
        read: Read,
    ) -> SrcRegister {
        let mut src = temporary(root.first.wrapping_add(offset)).as_src();
        match self.sum(terms, 1) {
            None if offset >= root.count => return self.int(0),
            None => {}
            Some(index) => {
                let id = self.code.array(root.first, root.count);
                let indirect = self.address(index, id);
                src = src.indexed(indirect);
            }
        }
        match read {
            Read::Components(size) => self.copy(size, src),
            Read::Component(at) => self.copy(1, component(src, at.into())),
        }
    }

    /// Writes components of register `offset` of a variable.
    pub(crate) fn store_register(
        &mut self,
        root: Registers,
        offset: u32,
        terms: &[Term],
        written: tgsi::register::WriteMask,
        value: SrcRegister,
    ) {
        let mut register = temporary(root.first.wrapping_add(offset)).masked(written);
        match self.sum(terms, 1) {
            None if offset >= root.count => return,
            None => {}
            Some(index) => {
                let id = self.code.array(root.first, root.count);
                let indirect = self.address(index, id);
                register = register.indexed(indirect);
            }
        }
        self.code.emit(Opcode::Mov, Some(register), &[value]);
    }

    /// Writes the component that `index` has, of a register of `size` components.
    pub(crate) fn store_component(
        &mut self,
        root: Registers,
        place: &Place,
        size: u8,
        index: SrcRegister,
        value: SrcRegister,
    ) {
        let read = Read::Components(size);
        let old = self.load_register(root, place.offset, &place.terms, read);
        let words: Vec<u32> = (0..u32::from(size)).collect();
        let numbers = self.code.vector(false, &words);
        let here = self.op(Opcode::Useq, size, &[index, numbers]);
        let new = self.choose(size, here, value, old);
        self.store_register(root, place.offset, &place.terms, mask(size), new);
    }
}

/// Returns registers of a value.
fn part(value: &Value, first: u32, count: u32) -> Value {
    let first = first as usize;
    value.get(first..first.saturating_add(count as usize)).map(<[_]>::to_vec).unwrap_or_default()
}
