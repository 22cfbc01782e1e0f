//! Places: where a pointer points to.

use naga::{Handle, Scalar, Type, TypeInner, VectorSize};
use tgsi::register::SrcRegister;

use crate::types::Layout;

/// The registers of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Registers {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// The memory that a place lies in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Root {
    /// Temporaries of a `function` or `private` variable. Offsets are in registers.
    Registers(Registers),
    /// A constant buffer.
    Uniform(u8),
    /// A shader buffer.
    Storage(u8),
    /// Memory of the workgroup.
    Shared,
}

impl Root {
    /// Returns how values lie in the memory.
    pub(crate) fn layout(self) -> Layout {
        match self {
            Root::Shared => Layout::Packed,
            Root::Registers(_) | Root::Uniform(_) | Root::Storage(_) => Layout::Host,
        }
    }
}

/// The type of a pointer's target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Shape {
    Type(Handle<Type>),
    /// A column of a matrix.
    Vector(VectorSize, Scalar),
    /// A component.
    Scalar(Scalar),
}

impl Shape {
    /// Returns the type.
    pub(crate) fn inner(self, module: &naga::Module) -> TypeInner {
        match self {
            Shape::Type(ty) => module.types[ty].inner.clone(),
            Shape::Vector(size, scalar) => TypeInner::Vector { size, scalar },
            Shape::Scalar(scalar) => TypeInner::Scalar(scalar),
        }
    }
}

/// The component of a register that a pointer into a vector points to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Component {
    Whole,
    Fixed(u8),
    Computed(SrcRegister),
}

/// An index that the shader computes, and the distance from an element to the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Term {
    pub(crate) index: SrcRegister,
    /// In registers or bytes, as the root has it.
    pub(crate) stride: u32,
}

/// A pointer's target: `offset + Σ index·stride` from the start of a variable.
///
/// Two equal places are the same place only at one moment, as registers change.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    pub(crate) root: Root,
    pub(crate) offset: u32,
    pub(crate) terms: Vec<Term>,
    pub(crate) component: Component,
    pub(crate) shape: Shape,
}

impl Place {
    /// Returns the start of a variable.
    pub(crate) fn new(root: Root, offset: u32, ty: Handle<Type>) -> Place {
        let shape = Shape::Type(ty);
        Place { root, offset, terms: Vec::new(), component: Component::Whole, shape }
    }
}
