//! Bind groups and their layouts: Gallium's slots for WebGPU's groups and bindings.
//!
//! Gallium numbers the slots of each kind per stage. A pipeline layout gives each binding the next
//! slot of its kind in each stage that sees it, in the order of group and binding. So layouts with
//! the same first groups agree on the slots of these groups, as WebGPU requires of compatible
//! layouts.

use std::fmt;
use std::sync::Arc;

use naga_frontend::{Bindings, SlotKind};
use pipe_core::ImageAccess;
use wgpu_hal::{BindGroupDescriptor, DeviceError, PipelineLayoutDescriptor};
use wgpu_types::{BindGroupLayoutEntry, BindingType, BufferBindingType, StorageTextureAccess};

use crate::buffer::Buffer;
use crate::sampler::Sampler;
use crate::state::STAGES;
use crate::texture::TextureView;

/// A layout of one group, of wgpu-hal.
#[derive(Clone, Debug)]
pub struct BindGroupLayout(Arc<[BindGroupLayoutEntry]>);

impl BindGroupLayout {
    pub(crate) fn new(entries: &[BindGroupLayoutEntry]) -> BindGroupLayout {
        let mut entries = entries.to_vec();
        entries.sort_by_key(|entry| entry.binding);
        BindGroupLayout(entries.into())
    }
}

/// The table of slots that a binding belongs to, and the access to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Uniform,
    Storage { writable: bool },
    View,
    Sampler,
    Image(ImageAccess),
}

impl Class {
    /// Returns the class of a binding; `None` for bindings that are not supported.
    fn of(ty: BindingType) -> Option<Class> {
        Some(match ty {
            BindingType::Buffer { ty: BufferBindingType::Uniform, .. } => Class::Uniform,
            BindingType::Buffer { ty: BufferBindingType::Storage { read_only }, .. } => {
                Class::Storage { writable: !read_only }
            }
            BindingType::Sampler(_) => Class::Sampler,
            BindingType::Texture { .. } => Class::View,
            BindingType::StorageTexture { access, .. } => Class::Image(match access {
                StorageTextureAccess::ReadOnly => ImageAccess::READ,
                StorageTextureAccess::WriteOnly => ImageAccess::WRITE,
                StorageTextureAccess::ReadWrite | StorageTextureAccess::Atomic => {
                    ImageAccess::READ_WRITE
                }
            }),
            BindingType::AccelerationStructure { .. } | BindingType::ExternalTexture => {
                return None;
            }
        })
    }

    /// Returns the table that counts the class's slots.
    pub(crate) fn kind(self) -> SlotKind {
        match self {
            Class::Uniform => SlotKind::ConstantBuffer,
            Class::Storage { .. } => SlotKind::ShaderBuffer,
            Class::View => SlotKind::SamplerView,
            Class::Sampler => SlotKind::Sampler,
            Class::Image(_) => SlotKind::Image,
        }
    }
}

/// A binding with its slots.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) class: Class,
    pub(crate) is_dynamic: bool,
    /// The slot in each stage that sees the binding, in the order of [`STAGES`].
    pub(crate) slots: [Option<u8>; 3],
}

/// A pipeline layout of wgpu-hal.
#[derive(Clone, Debug)]
pub struct PipelineLayout(Arc<Slots>);

#[derive(Debug)]
struct Slots {
    groups: Vec<Box<[Entry]>>,
    /// The slots of the bindings of each stage.
    bindings: [Bindings; 3],
    /// The constant buffer of immediates in each stage: the one after the last.
    immediates: [u8; 3],
}

/// The numbers of slots that are taken in one stage.
#[derive(Clone, Copy, Default)]
struct Taken([u8; 5]);

impl Taken {
    fn of(&mut self, kind: SlotKind) -> Option<&mut u8> {
        self.0.get_mut(match kind {
            SlotKind::ConstantBuffer => 0,
            SlotKind::ShaderBuffer => 1,
            SlotKind::SamplerView => 2,
            SlotKind::Sampler => 3,
            SlotKind::Image => 4,
        })
    }

    fn next(&mut self, kind: SlotKind) -> Option<u8> {
        let taken = self.of(kind)?;
        let slot = *taken;
        *taken = slot.saturating_add(1);
        Some(slot)
    }
}

impl PipelineLayout {
    pub(crate) fn new(
        desc: &PipelineLayoutDescriptor<'_, BindGroupLayout>,
    ) -> Result<PipelineLayout, DeviceError> {
        let mut taken = [Taken::default(); 3];
        let mut bindings: [Bindings; 3] = Default::default();
        let mut groups = Vec::new();
        for (group, layout) in desc.bind_group_layouts.iter().enumerate() {
            let mut entries = Vec::new();
            for entry in layout.iter().flat_map(|layout| layout.0.iter()) {
                let Some(class) = Class::of(entry.ty).filter(|_| entry.count.is_none()) else {
                    log::error!("a binding of the type {:?} is not supported", entry.ty);
                    return Err(DeviceError::Unexpected);
                };
                let mut slots = [None; 3];
                let stages = STAGES.iter().zip(&mut slots).zip(&mut taken).zip(&mut bindings);
                for ((((stage, _), slot), taken), bindings) in stages {
                    if entry.visibility.contains(*stage) {
                        *slot = taken.next(class.kind());
                        let at = (u32::try_from(group).unwrap_or(u32::MAX), entry.binding);
                        bindings.extend(slot.map(|slot| (at, slot)));
                    }
                }
                let is_dynamic =
                    matches!(entry.ty, BindingType::Buffer { has_dynamic_offset: true, .. });
                entries.push(Entry { class, is_dynamic, slots });
            }
            groups.push(entries.into_boxed_slice());
        }
        let immediates =
            taken.map(|mut taken| taken.of(SlotKind::ConstantBuffer).map_or(0, |taken| *taken));
        Ok(PipelineLayout(Arc::new(Slots { groups, bindings, immediates })))
    }

    /// Returns the bindings of a group.
    pub(crate) fn group(&self, index: usize) -> &[Entry] {
        self.0.groups.get(index).map_or(&[], |entries| entries)
    }

    /// Returns the slots of a stage's bindings.
    pub(crate) fn bindings(&self, stage: usize) -> Option<&Bindings> {
        self.0.bindings.get(stage)
    }

    /// Returns the constant buffer of a stage's immediates.
    pub(crate) fn immediates(&self, stage: usize) -> u8 {
        self.0.immediates.get(stage).copied().unwrap_or_default()
    }
}

/// What is bound to a binding.
#[derive(Debug)]
pub(crate) enum Bound {
    Buffer { buffer: Buffer, offset: u32, size: u32 },
    Sampler(Sampler),
    Texture(TextureView),
}

/// A bind group of wgpu-hal: buffers, samplers and views in the order of the layout's entries.
#[derive(Clone)]
pub struct BindGroup(Arc<[Bound]>);

impl fmt::Debug for BindGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BindGroup of {}", self.0.len())
    }
}

/// The descriptor of a group of this backend.
pub(crate) type GroupDescriptor<'a, A> =
    BindGroupDescriptor<'a, BindGroupLayout, Buffer, Sampler, TextureView, A>;

impl BindGroup {
    pub(crate) fn new<A: wgpu_hal::DynAccelerationStructure>(
        desc: &GroupDescriptor<'_, A>,
    ) -> Result<BindGroup, DeviceError> {
        let bound = desc.layout.0.iter().map(|layout| {
            let entry = desc.entries.iter().find(|entry| entry.binding == layout.binding)?;
            let index = entry.resource_index as usize;
            Some(match Class::of(layout.ty)? {
                Class::Uniform | Class::Storage { .. } => {
                    let binding = desc.buffers.get(index)?;
                    let buffer = Buffer::of(binding)?;
                    let (offset, size) = buffer.range(binding);
                    Bound::Buffer { buffer, offset, size }
                }
                Class::Sampler => Bound::Sampler((*desc.samplers.get(index)?).clone()),
                Class::View | Class::Image(_) => {
                    Bound::Texture(desc.textures.get(index)?.view.clone())
                }
            })
        });
        let Some(bound) = bound.collect::<Option<Vec<_>>>() else {
            log::error!("a bind group has a binding that is not supported");
            return Err(DeviceError::Unexpected);
        };
        Ok(BindGroup(bound.into()))
    }

    pub(crate) fn bound(&self) -> &[Bound] {
        &self.0
    }
}
