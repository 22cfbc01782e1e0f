//! Arguments and results of calls that only desktop frontends make.

use crate::flags::debug_as_flags;
use crate::handle::ResourceHandle;
use crate::primitive::PrimType;
use crate::state::{VertexBuffer, VertexElement};

/// The contents of a vertex state for display lists: everything that a draw fetches. The members of
/// `pipe_vertex_state`'s input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VertexStateTemplate<'a> {
    /// The vertex buffer of all elements.
    pub buffer: VertexBuffer,
    /// The elements, one per bit of `full_velem_mask`, starting at the lowest bit.
    pub elements: &'a [VertexElement],
    /// The 32-bit indices; `None`: vertices in order.
    pub indices: Option<ResourceHandle>,
    /// The attributes of the elements, bit i for attribute i.
    pub full_velem_mask: u32,
}

impl VertexStateTemplate<'_> {
    /// Returns the reason why no vertex state can be made from this template; `None` if one can.
    pub fn fault(&self) -> Option<&'static str> {
        if self.full_velem_mask.count_ones() as usize != self.elements.len() {
            Some("a vertex state whose mask has not a bit for each element")
        } else if self.elements.iter().any(|element| element.vertex_buffer_index != 0) {
            Some("a vertex state with elements of other buffers")
        } else {
            None
        }
    }

    /// Returns the elements of the attributes in `mask`, in order; `None` if the state lacks one of
    /// them.
    pub fn elements_of(&self, mask: u32) -> Option<impl Iterator<Item = VertexElement>> {
        let full = self.full_velem_mask;
        let bits = (0..u32::BITS).filter(move |bit| full >> bit & 1 != 0);
        let pairs = bits.zip(self.elements);
        let chosen = pairs.filter(move |(bit, _)| mask >> bit & 1 != 0);
        (mask & !full == 0).then(|| chosen.map(|(_, element)| *element))
    }
}

/// The properties of a draw of a vertex state. `pipe_draw_vertex_state_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawVertexStateInfo {
    /// The primitive that vertices form.
    pub mode: PrimType,
    /// The attributes that the vertex shader reads, a subset of the state's `full_velem_mask`.
    pub partial_velem_mask: u32,
}

/// Facts about a compute program. `pipe_compute_state_object_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ComputeStateObjectInfo {
    /// The most invocations of a block.
    pub max_threads: u32,
    /// The best number of invocations to run in lockstep.
    pub preferred_simd_size: u32,
    /// The sum of the possible numbers of invocations in lockstep, each a power of two.
    pub simd_sizes: u32,
    /// The memory of one invocation, in bytes.
    pub private_memory: u32,
}

bitflags::bitflags! {
    /// The use of a resource by pending commands of a context. `PIPE_UNREFERENCED` is the empty
    /// set.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Referenced: u32 {
        /// Commands read it.
        const FOR_READ = 1 << 0;
        /// Commands write it.
        const FOR_WRITE = 1 << 1;
    }
}
debug_as_flags!(Referenced);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::Handle;
    use formats::Format;
    use os_shim::pool::RawHandle;

    #[test]
    fn elements_are_chosen_by_attribute() {
        let resource = Handle::new(RawHandle::from_bits(1 << 20).expect("not 0"));
        let buffer = VertexBuffer { resource, stride: 12, buffer_offset: 0 };
        let elements = [0, 4, 8].map(|offset| VertexElement::per_vertex(offset, Format::R32Float));
        let state = VertexStateTemplate {
            buffer,
            elements: &elements,
            indices: None,
            full_velem_mask: 0b10_0110,
        };
        assert_eq!(state.fault(), None);
        let offsets = |mask| {
            let chosen = state.elements_of(mask)?;
            Some(chosen.map(|element| element.src_offset).collect::<std::vec::Vec<_>>())
        };
        assert_eq!(offsets(0b10_0110).as_deref(), Some(&[0, 4, 8][..]));
        assert_eq!(offsets(0b10_0010).as_deref(), Some(&[0, 8][..]));
        assert_eq!(offsets(0b100).as_deref(), Some(&[4][..]));
        assert_eq!(offsets(0).as_deref(), Some(&[][..]));
        assert_eq!(offsets(0b1000), None);
        let few = VertexStateTemplate { full_velem_mask: 0b11, ..state };
        assert!(few.fault().is_some());
        let other = [VertexElement { vertex_buffer_index: 1, ..elements[0] }];
        let other = VertexStateTemplate { elements: &other, full_velem_mask: 1, ..state };
        assert!(other.fault().is_some());
    }
}
