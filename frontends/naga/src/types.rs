//! Types: registers and words that a value takes, and the places of its parts in memory.

use naga::proc::IndexableLength;
use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, TypeInner, VectorSize};

/// A part of a value that takes one register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Leaf {
    /// Its place from the start of the value, in bytes.
    pub(crate) offset: u32,
    /// The number of components.
    pub(crate) size: u8,
    /// The components are halves in memory.
    pub(crate) halves: bool,
}

impl Leaf {
    fn new(offset: u32, size: u8, scalar: Scalar, layout: Layout) -> Leaf {
        Leaf { offset, size, halves: component_bytes(scalar, layout) == 2 }
    }
}

/// The layout of a value in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Layout {
    /// As the host sees it: offsets and strides of the module.
    Host,
    /// Word after word, for memory that the host does not see; a bool and a half are words.
    Packed,
}

/// The registers and words of each type, saturated; arrays of unknown size count as one element.
pub(crate) struct Types {
    registers: Vec<u32>,
    words: Vec<u32>,
}

/// Returns the sum of members, or the product with a count, without overflow.
fn sum(values: impl Iterator<Item = u32>) -> u32 {
    values.fold(0, u32::saturating_add)
}

/// Returns the number of elements of an array; 1 for those without a fixed number.
pub(crate) fn array_count(module: &Module, size: ArraySize) -> u32 {
    // A number that an `override` gives is resolved here.
    match size.resolve(module.to_ctx()) {
        Ok(IndexableLength::Known(count)) => count,
        Ok(IndexableLength::Dynamic) | Err(_) => 1,
    }
}

/// Returns true for `f16`.
pub(crate) fn is_half(scalar: Scalar) -> bool {
    scalar == Scalar::F16
}

/// Returns the bytes from a component to the next.
pub(crate) fn component_bytes(scalar: Scalar, layout: Layout) -> u32 {
    if layout == Layout::Host && is_half(scalar) { 2 } else { 4 }
}

/// Returns the bytes from a column to the next.
pub(crate) fn column_stride(rows: VectorSize, scalar: Scalar, layout: Layout) -> u32 {
    let bytes = component_bytes(scalar, layout);
    match (layout, rows) {
        (Layout::Packed, _) => bytes * rows as u32,
        (Layout::Host, VectorSize::Bi) => bytes * 2,
        (Layout::Host, VectorSize::Tri | VectorSize::Quad) => bytes * 4,
    }
}

impl Types {
    pub(crate) fn new(module: &Module) -> Types {
        let mut types = Types { registers: Vec::new(), words: Vec::new() };
        for (_, ty) in module.types.iter() {
            let (registers, words) = match ty.inner {
                TypeInner::Scalar(_) | TypeInner::Atomic(_) => (1, 1),
                TypeInner::Vector { size, .. } => (1, size as u32),
                TypeInner::Matrix { columns, rows, .. } => {
                    (columns as u32, columns as u32 * rows as u32)
                }
                TypeInner::Array { base, size, .. } => {
                    let count = array_count(module, size);
                    let (registers, words) = (types.registers(base), types.words(base));
                    (registers.saturating_mul(count), words.saturating_mul(count))
                }
                TypeInner::Struct { ref members, .. } => (
                    sum(members.iter().map(|member| types.registers(member.ty))),
                    sum(members.iter().map(|member| types.words(member.ty))),
                ),
                _ => (0, 0),
            };
            types.registers.push(registers);
            types.words.push(words);
        }
        types
    }

    /// Returns the registers that a value of the type takes.
    pub(crate) fn registers(&self, ty: Handle<naga::Type>) -> u32 {
        self.registers.get(ty.index()).copied().unwrap_or(0)
    }

    /// Returns the words that a value of the type takes when packed.
    pub(crate) fn words(&self, ty: Handle<naga::Type>) -> u32 {
        self.words.get(ty.index()).copied().unwrap_or(0)
    }

    /// Returns the bytes from an element of an array to the next.
    pub(crate) fn array_stride(
        &self,
        base: Handle<naga::Type>,
        stride: u32,
        layout: Layout,
    ) -> u32 {
        match layout {
            Layout::Host => stride,
            Layout::Packed => self.words(base).saturating_mul(4),
        }
    }

    /// Returns the place of a struct's member, in bytes.
    pub(crate) fn member_offset(
        &self,
        members: &[naga::StructMember],
        index: usize,
        layout: Layout,
    ) -> u32 {
        match layout {
            Layout::Host => members.get(index).map_or(0, |member| member.offset),
            Layout::Packed => {
                let before = members.iter().take(index).map(|member| self.words(member.ty));
                sum(before).saturating_mul(4)
            }
        }
    }

    /// Lists the registers of a value of `inner` at `offset` bytes. Check the number of registers
    /// before.
    pub(crate) fn leaves(
        &self,
        module: &Module,
        inner: &TypeInner,
        layout: Layout,
        offset: u32,
        leaves: &mut Vec<Leaf>,
    ) {
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                leaves.push(Leaf::new(offset, 1, scalar, layout));
            }
            TypeInner::Vector { size, scalar } => {
                leaves.push(Leaf::new(offset, size as u8, scalar, layout));
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                for column in 0..columns as u32 {
                    let stride = column_stride(rows, scalar, layout);
                    let offset = offset.saturating_add(column * stride);
                    leaves.push(Leaf::new(offset, rows as u8, scalar, layout));
                }
            }
            TypeInner::Array { base, size, stride } => {
                let stride = self.array_stride(base, stride, layout);
                for element in 0..array_count(module, size) {
                    let offset = offset.saturating_add(element.saturating_mul(stride));
                    self.leaves(module, &module.types[base].inner, layout, offset, leaves);
                }
            }
            TypeInner::Struct { ref members, .. } => {
                for (index, member) in members.iter().enumerate() {
                    let offset = offset.saturating_add(self.member_offset(members, index, layout));
                    self.leaves(module, &module.types[member.ty].inner, layout, offset, leaves);
                }
            }
            _ => {}
        }
    }
}

/// Returns the number of components of a scalar or vector, else 0.
pub(crate) fn components(inner: &TypeInner) -> u8 {
    match *inner {
        TypeInner::Scalar(_) | TypeInner::Atomic(_) => 1,
        TypeInner::Vector { size, .. } => size as u8,
        _ => 0,
    }
}

/// Returns the kind of a scalar, or of the scalars that a vector or matrix is made of.
pub(crate) fn scalar_kind(inner: &TypeInner) -> Option<ScalarKind> {
    inner.scalar().map(|scalar| scalar.kind)
}
