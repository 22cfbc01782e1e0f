//! The CPU's way to a resource's contents.

use crate::flags::debug_as_flags;
use crate::handle::TransferHandle;

bitflags::bitflags! {
    /// How a transfer behaves. `PIPE_MAP_*`; bits are the virgl wire's.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct MapFlags: u32 {
        /// Contents are read.
        const READ = 1;
        /// Contents are written, at the latest when unmapped.
        const WRITE = 2;
        /// Map the resource itself, or fail.
        const DIRECTLY = 4;
        /// What the region held is lost. Not with `READ`.
        const DISCARD_RANGE = 8;
        /// Fail if it cannot be mapped at once.
        const DONTBLOCK = 0x10;
        /// Do not wait for pending drawing. Not with `READ`.
        const UNSYNCHRONIZED = 0x20;
        /// Only what `transfer_flush_region` names was written. Not with `READ`.
        const FLUSH_EXPLICIT = 0x40;
        /// What the resource held is lost. Not with `READ`.
        const DISCARD_WHOLE_RESOURCE = 0x80;
        /// May be drawn with while mapped. Needs `ResourceFlags::MAP_PERSISTENT`.
        const PERSISTENT = 0x100;
        /// With `PERSISTENT`: both sides see writes at once. Needs
        /// `ResourceFlags::MAP_COHERENT`.
        const COHERENT = 0x200;
    }
}
debug_as_flags!(MapFlags);

impl MapFlags {
    /// What contradicts itself in these flags, by the manual.
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
    /// Names it.
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
