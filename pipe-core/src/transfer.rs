//! CPU access to a resource's contents.

use crate::flags::debug_as_flags;
use crate::handle::TransferHandle;

bitflags::bitflags! {
    /// Properties of a transfer. `PIPE_MAP_*`; bits are the virgl wire's.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct MapFlags: u32 {
        /// The CPU reads the contents.
        const READ = 1;
        /// The CPU writes; the resource has the data after the unmap at the latest.
        const WRITE = 2;
        /// Maps the resource's memory directly, or fails.
        const DIRECTLY = 4;
        /// Discards the contents of the region. Not with `READ`.
        const DISCARD_RANGE = 8;
        /// Fails if the resource cannot be mapped at once.
        const DONTBLOCK = 0x10;
        /// Does not wait for pending draws. Not with `READ`.
        const UNSYNCHRONIZED = 0x20;
        /// Writes back only regions given to `transfer_flush_region`. Not with `READ`.
        const FLUSH_EXPLICIT = 0x40;
        /// Discards the contents of the whole resource. Not with `READ`.
        const DISCARD_WHOLE_RESOURCE = 0x80;
        /// Allows draws with the resource while mapped. Needs `ResourceFlags::MAP_PERSISTENT`.
        const PERSISTENT = 0x100;
        /// With `PERSISTENT`: CPU and device see each other's writes at once. Needs
        /// `ResourceFlags::MAP_COHERENT`.
        const COHERENT = 0x200;
    }
}
debug_as_flags!(MapFlags);

impl MapFlags {
    /// Returns a description of the first rule of the manual (chapter Context, "`PIPE_MAP`") that
    /// the flags break; `None` if they break no rule.
    pub fn contradiction(self) -> Option<&'static str> {
        let not_with_read = Self::DISCARD_RANGE
            | Self::DISCARD_WHOLE_RESOURCE
            | Self::UNSYNCHRONIZED
            | Self::FLUSH_EXPLICIT;
        if !self.intersects(Self::READ | Self::WRITE) {
            Some("a transfer that neither reads nor writes")
        } else if self.contains(Self::READ) && self.intersects(not_with_read) {
            Some("a reading transfer that discards or does not synchronize")
        } else if self.contains(Self::COHERENT) && !self.contains(Self::PERSISTENT) {
            Some("a coherent transfer that is not persistent")
        } else {
            None
        }
    }
}

/// An open transfer. `pipe_transfer`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// The handle for the other transfer calls.
    pub handle: TransferHandle,
    /// Bytes from one row of blocks to the next.
    pub stride: usize,
    /// Bytes from one slice or layer to the next.
    pub layer_stride: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_of_the_manual() {
        for (flags, contradicts) in [
            (MapFlags::READ, false),
            (MapFlags::READ | MapFlags::WRITE, false),
            (MapFlags::WRITE | MapFlags::DISCARD_RANGE | MapFlags::UNSYNCHRONIZED, false),
            (MapFlags::WRITE | MapFlags::PERSISTENT | MapFlags::COHERENT, false),
            (MapFlags::empty(), true),
            (MapFlags::DISCARD_RANGE, true),
            (MapFlags::READ | MapFlags::DISCARD_RANGE, true),
            (MapFlags::READ | MapFlags::DISCARD_WHOLE_RESOURCE, true),
            (MapFlags::READ | MapFlags::UNSYNCHRONIZED, true),
            (MapFlags::READ | MapFlags::FLUSH_EXPLICIT, true),
            (MapFlags::WRITE | MapFlags::COHERENT, true),
        ] {
            assert_eq!(flags.contradiction().is_some(), contradicts, "{flags:?}");
        }
    }
}
