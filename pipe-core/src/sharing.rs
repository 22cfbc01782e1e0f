//! Names for sharing resources and fences beyond one context's handles.

use formats::Format;

use crate::numbered::numbered;

numbered! {
    /// The kind of a resource's name. `WINSYS_HANDLE_TYPE_*`.
    pub enum WinsysHandleType {
        /// A number valid in the whole device.
        Shared = 0,
        /// A number valid only for the process that receives it.
        Kms = 1,
        /// A file descriptor. Memory behind a descriptor becomes a memory object instead
        /// ([`Screen::memobj_create_from_handle`](crate::Screen::memobj_create_from_handle)).
        Fd = 2,
    }

    /// The lifetime of an external fence. `PIPE_FD_TYPE_*`.
    pub enum FenceFdType {
        /// Another device or process signals it once, permanently.
        NativeSync = 0,
        /// Both sides can signal it repeatedly. A wait in a context resets it, so it has one
        /// waiter.
        Syncobj = 1,
    }
}

/// The name of a resource, and the address of its first texel. `winsys_handle`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WinsysHandle {
    /// The kind of name.
    pub kind: WinsysHandleType,
    /// The number.
    pub handle: u64,
    /// Bytes from one row of blocks of level 0 to the next.
    pub stride: usize,
    /// The offset of level 0 in the underlying memory, in bytes.
    pub offset: u64,
    /// The format.
    pub format: Format,
    /// The layout, as a Linux DRM modifier: always [`LINEAR`](Self::LINEAR).
    pub modifier: u64,
}

impl WinsysHandle {
    /// `DRM_FORMAT_MOD_LINEAR`: rows from left to right, one below another.
    pub const LINEAR: u64 = 0;
}
