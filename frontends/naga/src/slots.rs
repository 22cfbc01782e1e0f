//! The Gallium slot of each binding.

use std::collections::HashMap;

use naga::{AddressSpace, GlobalVariable, Handle, ImageClass, Module, ResourceBinding, TypeInner};

use crate::error::{Refusal, Result};

/// The slot table that a binding belongs to. Each table counts from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SlotKind {
    /// `set_constant_buffer`: at most 16.
    ConstantBuffer,
    /// `set_shader_buffers`: at most 32.
    ShaderBuffer,
    /// `set_sampler_views`: at most 128.
    SamplerView,
    /// `bind_sampler_states`: at most 32.
    Sampler,
    /// `set_shader_images`: at most 64.
    Image,
}

impl SlotKind {
    /// Returns the number of slots that TGSI can name.
    pub const fn count(self) -> u8 {
        match self {
            SlotKind::ConstantBuffer => 16,
            SlotKind::ShaderBuffer | SlotKind::Sampler => 32,
            SlotKind::SamplerView => 128,
            SlotKind::Image => 64,
        }
    }

    /// Returns the table that a global variable belongs to.
    pub(crate) fn of(module: &Module, global: &GlobalVariable) -> Option<SlotKind> {
        match (global.space, &module.types[global.ty].inner) {
            (AddressSpace::Uniform, _) => Some(SlotKind::ConstantBuffer),
            (AddressSpace::Storage { .. }, _) => Some(SlotKind::ShaderBuffer),
            (AddressSpace::Handle, TypeInner::Sampler { .. }) => Some(SlotKind::Sampler),
            (AddressSpace::Handle, TypeInner::Image { class, .. }) => match class {
                ImageClass::Storage { .. } => Some(SlotKind::Image),
                ImageClass::Sampled { .. } | ImageClass::Depth { .. } | ImageClass::External => {
                    Some(SlotKind::SamplerView)
                }
            },
            _ => None,
        }
    }
}

/// The slot that the caller wants for a binding; see [`Options::bindings`](crate::Options).
pub type Bindings = HashMap<(u32, u32), u8>;

/// The slots of a module's global variables.
pub(crate) struct Slots {
    slots: HashMap<(SlotKind, (u32, u32)), u8>,
    /// The constant buffer of immediates (`var<immediate>`, push constants).
    pub(crate) immediates: u8,
}

impl Slots {
    /// Gives each binding of the module a slot: the one in `wanted`, else the next number of its
    /// table in the order of group and binding. Immediates have the constant buffer `immediates`, or
    /// else the one after the last.
    pub(crate) fn new(module: &Module, wanted: &Bindings, immediates: Option<u8>) -> Slots {
        let mut bindings: Vec<((u32, u32), SlotKind)> = module
            .global_variables
            .iter()
            .filter_map(|(_, global)| {
                let ResourceBinding { group, binding } = global.binding?;
                Some(((group, binding), SlotKind::of(module, global)?))
            })
            .collect();
        bindings.sort_unstable();
        bindings.dedup();
        let mut next: HashMap<SlotKind, u8> = HashMap::new();
        let mut slots = HashMap::new();
        for (binding, kind) in bindings {
            let next = next.entry(kind).or_default();
            let slot = wanted.get(&binding).copied().unwrap_or(*next);
            *next = (*next).max(slot.saturating_add(1));
            slots.insert((kind, binding), slot);
        }
        let after_last = next.get(&SlotKind::ConstantBuffer).copied().unwrap_or(0);
        let immediates = immediates.unwrap_or(after_last);
        Slots { slots, immediates }
    }

    /// Returns the slot of a global variable.
    pub(crate) fn of(&self, module: &Module, handle: Handle<GlobalVariable>) -> Result<u8> {
        let global = &module.global_variables[handle];
        let span = module.global_variables.get_span(handle);
        let name = global.name.as_deref().unwrap_or("a variable");
        let kind = SlotKind::of(module, global).unwrap_or(SlotKind::ConstantBuffer);
        let slot = match (global.space, global.binding) {
            (AddressSpace::Immediate, _) => Some(self.immediates),
            (_, Some(it)) => self.slots.get(&(kind, (it.group, it.binding))).copied(),
            _ => None,
        };
        let slot =
            slot.ok_or_else(|| Refusal::new(format!("`{name}` has no group and binding"), span))?;
        if slot >= kind.count() {
            let count = kind.count();
            let message = format!("`{name}` has slot {slot} of {kind:?}, which has {count} slots");
            return Err(Refusal::new(message, span));
        }
        Ok(slot)
    }
}
