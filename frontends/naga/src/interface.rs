//! The interface of an entry point: what the host binds, feeds and reads.

use formats::Format;
use naga::valid::FunctionInfo;
use naga::{
    AddressSpace, ArraySize, Binding, EntryPoint, GlobalVariable, Handle, ImageClass, Module,
    ScalarKind, StorageAccess, Type, TypeInner,
};
use tgsi::declaration::{ImageFormat, Interpolation, ReturnType, Semantic};
use tgsi::shader::{Processor, TextureTarget};

use crate::entry::{interpolation, output_semantic};
use crate::error::{Refusal, Result};
use crate::slots::{SlotKind, Slots};
use crate::texture::{returns, target};
use crate::types::{Layout, array_count, column_stride, components, is_half};

/// The scalars that values are made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// `i32`.
    Int,
    /// `u32`.
    Uint,
    /// `f32`.
    Float,
    /// `f16`.
    Half,
}

impl Scalar {
    /// Returns the bytes that a number takes in buffers.
    pub const fn bytes(self) -> u32 {
        match self {
            Scalar::Int | Scalar::Uint | Scalar::Float => 4,
            Scalar::Half => 2,
        }
    }
}

/// The type of a value in a buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemberType {
    /// One number.
    Scalar(Scalar),
    /// An atomic number.
    Atomic(Scalar),
    /// Numbers without a gap.
    Vector {
        /// The number of components, 2 to 4.
        size: u8,
        /// Their type.
        scalar: Scalar,
    },
    /// Columns of floats.
    Matrix {
        /// The number of columns, 2 to 4.
        columns: u8,
        /// The number of rows, 2 to 4.
        rows: u8,
        /// The type of the components: floats or halves.
        scalar: Scalar,
        /// Bytes from a column to the next.
        stride: u32,
    },
    /// Elements.
    Array {
        /// Their type.
        element: Box<MemberType>,
        /// Their number; `None` for an array that ends where its buffer does.
        count: Option<u32>,
        /// Bytes from an element to the next.
        stride: u32,
    },
    /// Members with names.
    Struct {
        /// The struct's name in the source.
        name: String,
        /// Its members, in order.
        members: Vec<Member>,
        /// The size in bytes, with the padding at its end.
        size: u32,
    },
}

/// A member of a struct in a buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The name in the source; empty where it has none.
    pub name: String,
    /// Bytes from the start of the struct.
    pub offset: u32,
    /// The type.
    pub ty: MemberType,
    /// The size in bytes; of an array without a number, that of one element.
    pub size: u32,
}

/// A resource that is bound to a slot.
#[derive(Clone, PartialEq, Debug)]
pub enum ResourceKind {
    /// A constant buffer: `var<uniform>`.
    Uniform {
        /// The type of its contents.
        ty: MemberType,
        /// Bytes that the shader may read.
        size: u32,
    },
    /// A shader buffer: `var<storage>`.
    Storage {
        /// The type of its contents.
        ty: MemberType,
        /// The least bytes to bind: a runtime-sized array has one element.
        size: u32,
        /// The shader may write it.
        writable: bool,
    },
    /// A sampler view.
    Texture {
        /// The shape.
        target: TextureTarget,
        /// The type of the components.
        returns: ReturnType,
        /// It has depth, which lookups may compare.
        depth: bool,
    },
    /// A sampler state.
    Sampler {
        /// It compares.
        comparison: bool,
    },
    /// A shader image: a storage texture.
    Image {
        /// The shape.
        target: TextureTarget,
        /// The format.
        format: ImageFormat,
        /// The shader may read it.
        readable: bool,
        /// The shader may write it.
        writable: bool,
    },
}

impl ResourceKind {
    /// Returns the table that the resource's slot counts in.
    pub fn slot_kind(&self) -> SlotKind {
        match self {
            ResourceKind::Uniform { .. } => SlotKind::ConstantBuffer,
            ResourceKind::Storage { .. } => SlotKind::ShaderBuffer,
            ResourceKind::Texture { .. } => SlotKind::SamplerView,
            ResourceKind::Sampler { .. } => SlotKind::Sampler,
            ResourceKind::Image { .. } => SlotKind::Image,
        }
    }
}

/// A resource that the entry point uses.
#[derive(Clone, PartialEq, Debug)]
pub struct Resource {
    /// The name in the source; empty where it has none.
    pub name: String,
    /// `@group` and `@binding`; `None` for immediates.
    pub binding: Option<(u32, u32)>,
    /// The slot that the shader reads it from, in the table of its kind.
    pub slot: u8,
    /// The kind of resource.
    pub kind: ResourceKind,
}

/// A vertex attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VertexInput {
    /// The name in the source; empty where it has none.
    pub name: String,
    /// `@location`: the number of the vertex element.
    pub location: u32,
    /// The format with exactly the shader's components. Any format of the same class may feed it.
    pub format: Format,
}

/// A value that goes from stage to stage, or to a colour buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Varying {
    /// The name in the source; empty where it has none.
    pub name: String,
    /// `@location`.
    pub location: u32,
    /// The semantic of its register.
    pub semantic: Semantic,
    /// The number of components, 1 to 4.
    pub size: u8,
    /// The type of the components.
    pub scalar: Scalar,
    /// The interpolation of a fragment shader's input. For outputs, the interpolation in the source.
    pub interpolation: Interpolation,
}

/// The resources, inputs and outputs that the host binds and reads.
#[derive(Clone, PartialEq, Debug)]
pub struct Interface {
    /// The name of the entry point.
    pub entry: String,
    /// The stage.
    pub stage: Processor,
    /// The resources that the entry point uses, by group and binding; immediates last.
    pub resources: Vec<Resource>,
    /// Vertex attributes, by location.
    pub vertex_inputs: Vec<VertexInput>,
    /// Inputs of a fragment shader, by location.
    pub inputs: Vec<Varying>,
    /// Outputs with a location: varyings of a vertex shader, colours of a fragment shader.
    pub outputs: Vec<Varying>,
    /// Invocations of a workgroup along x, y and z; `[1; 3]` outside compute.
    pub workgroup_size: [u32; 3],
    /// Bytes of workgroup memory, for `GridInfo`.
    pub shared_memory: u32,
}

impl Interface {
    /// Returns the resource of a group and binding.
    pub fn resource(&self, group: u32, binding: u32) -> Option<&Resource> {
        self.resources.iter().find(|resource| resource.binding == Some((group, binding)))
    }

    /// Describes an entry point.
    pub(crate) fn new(
        module: &Module,
        entry: &EntryPoint,
        info: &FunctionInfo,
        stage: Processor,
        slots: &Slots,
        shared_memory: u32,
    ) -> Result<Interface> {
        let mut resources = Vec::new();
        for (handle, global) in module.global_variables.iter() {
            if info[handle].is_empty() {
                continue;
            }
            if let Some(kind) = resource(module, global) {
                resources.push(Resource {
                    name: global.name.clone().unwrap_or_default(),
                    binding: global.binding.map(|it| (it.group, it.binding)),
                    slot: slots.of(module, handle)?,
                    kind,
                });
            }
        }
        resources.sort_by_key(|it| (it.binding.is_none(), it.binding));
        let mut interface = Interface {
            entry: entry.name.clone(),
            stage,
            resources,
            vertex_inputs: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            workgroup_size: match stage {
                Processor::Compute => entry.workgroup_size,
                _ => [1; 3],
            },
            shared_memory,
        };
        for argument in &entry.function.arguments {
            let name = argument.name.as_deref().unwrap_or_default();
            let generic = |location: u32, _| Semantic::generic(location as u16);
            let binding = argument.binding.as_ref();
            each_location(module, name, argument.ty, binding, &generic, &mut |it| {
                if stage == Processor::Vertex {
                    interface.vertex_inputs.push(VertexInput {
                        format: vertex_format(it.scalar, it.size),
                        location: it.location,
                        name: it.name,
                    });
                } else {
                    interface.inputs.push(it);
                }
            });
        }
        if let Some(result) = &entry.function.result {
            let output = |location, blend_src| output_semantic(stage, location, blend_src);
            let binding = result.binding.as_ref();
            each_location(module, "", result.ty, binding, &output, &mut |it| {
                interface.outputs.push(it);
            });
        }
        interface.vertex_inputs.sort_by_key(|it| it.location);
        interface.inputs.sort_by_key(|it| it.location);
        interface.outputs.sort_by_key(|it| it.semantic);
        Ok(interface)
    }

    /// Checks that a fragment shader with this interface finds its inputs among the outputs of a
    /// vertex shader.
    ///
    /// # Errors
    /// A clause that names the input and the difference.
    pub fn check_link(&self, vertex: &Interface) -> std::result::Result<(), String> {
        for input in &self.inputs {
            let (name, location) = (&input.name, input.location);
            let output = vertex.outputs.iter().find(|it| it.location == location);
            let Some(output) = output else {
                return Err(format!(
                    "`{}` reads `{name}` at location {location}, which `{}` does not write",
                    self.entry, vertex.entry
                ));
            };
            if (output.scalar, output.size) != (input.scalar, input.size) {
                return Err(format!(
                    "`{}` reads `{name}` at location {location} as {:?}×{}, but `{}` writes {:?}×{}",
                    self.entry, input.scalar, input.size, vertex.entry, output.scalar, output.size
                ));
            }
            if output.interpolation.mode != input.interpolation.mode {
                return Err(format!(
                    "`{}` interpolates `{name}` at location {location} by {}, but `{}` says {}",
                    self.entry,
                    input.interpolation.mode.name(),
                    vertex.entry,
                    output.interpolation.mode.name()
                ));
            }
        }
        Ok(())
    }
}

/// Hands each input or output with a location to `add`. `semantic` names the register of a location
/// and a blend source.
fn each_location(
    module: &Module,
    name: &str,
    ty: Handle<Type>,
    binding: Option<&Binding>,
    semantic: &impl Fn(u32, Option<u32>) -> Semantic,
    add: &mut impl FnMut(Varying),
) {
    let inner = &module.types[ty].inner;
    match (binding, inner) {
        (
            Some(&Binding::Location { location, interpolation: mode, sampling, blend_src, .. }),
            _,
        ) => {
            let Some(scalar) = inner.scalar().and_then(scalar) else { return };
            let is_float = matches!(scalar, Scalar::Float | Scalar::Half);
            add(Varying {
                name: name.into(),
                location,
                semantic: semantic(location, blend_src),
                size: components(inner),
                scalar,
                interpolation: interpolation(mode, sampling, is_float),
            });
        }
        (None, TypeInner::Struct { members, .. }) => {
            for member in members {
                let name = member.name.as_deref().unwrap_or_default();
                let binding = member.binding.as_ref();
                each_location(module, name, member.ty, binding, semantic, add);
            }
        }
        (Some(Binding::BuiltIn(_)) | None, _) => {}
    }
}

fn scalar(scalar: naga::Scalar) -> Option<Scalar> {
    match scalar.kind {
        ScalarKind::Float if is_half(scalar) => Some(Scalar::Half),
        ScalarKind::Sint => Some(Scalar::Int),
        ScalarKind::Uint => Some(Scalar::Uint),
        ScalarKind::Float => Some(Scalar::Float),
        ScalarKind::Bool | ScalarKind::AbstractInt | ScalarKind::AbstractFloat => None,
    }
}

/// Returns the format of so many components.
fn vertex_format(scalar: Scalar, size: u8) -> Format {
    match (scalar, size) {
        (Scalar::Float, 1) => Format::R32Float,
        (Scalar::Float, 2) => Format::R32G32Float,
        (Scalar::Float, 3) => Format::R32G32B32Float,
        (Scalar::Float, _) => Format::R32G32B32A32Float,
        (Scalar::Half, 1) => Format::R16Float,
        (Scalar::Half, 2) => Format::R16G16Float,
        (Scalar::Half, 3) => Format::R16G16B16Float,
        (Scalar::Half, _) => Format::R16G16B16A16Float,
        (Scalar::Int, 1) => Format::R32Sint,
        (Scalar::Int, 2) => Format::R32G32Sint,
        (Scalar::Int, 3) => Format::R32G32B32Sint,
        (Scalar::Int, _) => Format::R32G32B32A32Sint,
        (Scalar::Uint, 1) => Format::R32Uint,
        (Scalar::Uint, 2) => Format::R32G32Uint,
        (Scalar::Uint, 3) => Format::R32G32B32Uint,
        (Scalar::Uint, _) => Format::R32G32B32A32Uint,
    }
}

/// Returns what the host binds to a global variable; `None` for variables of the shader alone.
fn resource(module: &Module, global: &GlobalVariable) -> Option<ResourceKind> {
    let inner = &module.types[global.ty].inner;
    let size = inner.size(module.to_ctx());
    Some(match global.space {
        AddressSpace::Uniform | AddressSpace::Immediate => {
            ResourceKind::Uniform { ty: member_type(module, global.ty)?, size }
        }
        AddressSpace::Storage { access } => ResourceKind::Storage {
            ty: member_type(module, global.ty)?,
            size,
            writable: access.contains(StorageAccess::STORE),
        },
        AddressSpace::Handle => match *inner {
            TypeInner::Sampler { comparison } => ResourceKind::Sampler { comparison },
            TypeInner::Image { dim, arrayed, class } => {
                let target = target(dim, arrayed, class)?;
                match class {
                    ImageClass::Storage { format, access } => ResourceKind::Image {
                        target,
                        format: crate::format::format(format)?,
                        readable: access.contains(StorageAccess::LOAD),
                        writable: access.contains(StorageAccess::STORE),
                    },
                    ImageClass::Sampled { .. }
                    | ImageClass::Depth { .. }
                    | ImageClass::External => {
                        let depth = matches!(class, ImageClass::Depth { .. });
                        ResourceKind::Texture { target, returns: returns(class), depth }
                    }
                }
            }
            _ => return None,
        },
        _ => return None,
    })
}

/// Describes a type in a buffer.
fn member_type(module: &Module, ty: Handle<Type>) -> Option<MemberType> {
    let named = &module.types[ty];
    Some(match named.inner {
        TypeInner::Scalar(it) => MemberType::Scalar(scalar(it)?),
        TypeInner::Atomic(it) => MemberType::Atomic(scalar(it)?),
        TypeInner::Vector { size, scalar: it } => {
            MemberType::Vector { size: size as u8, scalar: scalar(it)? }
        }
        TypeInner::Matrix { columns, rows, scalar: it } => MemberType::Matrix {
            columns: columns as u8,
            rows: rows as u8,
            scalar: scalar(it)?,
            stride: column_stride(rows, it, Layout::Host),
        },
        TypeInner::Array { base, size, stride } => MemberType::Array {
            element: Box::new(member_type(module, base)?),
            count: match size {
                ArraySize::Dynamic => None,
                ArraySize::Constant(_) | ArraySize::Pending(_) => Some(array_count(module, size)),
            },
            stride,
        },
        TypeInner::Struct { ref members, span } => MemberType::Struct {
            name: named.name.clone().unwrap_or_default(),
            members: members
                .iter()
                .map(|member| {
                    Some(Member {
                        name: member.name.clone().unwrap_or_default(),
                        offset: member.offset,
                        ty: member_type(module, member.ty)?,
                        size: module.types[member.ty].inner.size(module.to_ctx()),
                    })
                })
                .collect::<Option<_>>()?,
            size: span,
        },
        _ => return None,
    })
}

/// Returns the refusal of a stage that TGSI does not have here.
pub(crate) fn unsupported_stage(stage: naga::ShaderStage, name: &str) -> Refusal {
    let message =
        format!("the entry point `{name}` has the stage {stage:?}, which is not supported");
    Refusal::new(message, naga::Span::UNDEFINED)
}
