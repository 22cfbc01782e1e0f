//! Names of objects for others: resources and fences beyond one context's handles.

use formats::Format;

use crate::numbered::numbered;

numbered! {
    /// The way in which a resource is named. `WINSYS_HANDLE_TYPE_*`.
    pub enum WinsysHandleType {
        /// A number that is known in the whole device.
        Shared = 0,
        /// A number that is known to whom it is told.
        Kms = 1,
        /// A file descriptor. Memory behind one becomes a memory object instead
        /// ([`Screen::memobj_create_from_handle`](crate::Screen::memobj_create_from_handle)).
        Fd = 2,
    }

    /// The life of a fence from outside. `PIPE_FD_TYPE_*`.
    pub enum FenceFdType {
        /// It is signalled once, by others, and for good.
        NativeSync = 0,
        /// It can be signalled again and again, by both sides; a wait in a context resets it, so it has one
        /// waiter.
        Syncobj = 1,
    }
}

/// The name of a resource, and the place of its first texel. `winsys_handle`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WinsysHandle {
    /// The kind of name.
    pub kind: WinsysHandleType,
    /// The number.
    pub handle: u64,
    /// Bytes from one row of blocks of level 0 to the next.
    pub stride: usize,
    /// The offset of level 0 in the memory behind it, in bytes.
    pub offset: u64,
    /// The format.
    pub format: Format,
    /// The layout, as a modifier of Linux' DRM: always [`LINEAR`](Self::LINEAR).
    pub modifier: u64,
}

impl WinsysHandle {
    /// `DRM_FORMAT_MOD_LINEAR`: rows from left to right, one below the other.
    pub const LINEAR: u64 = 0;
}
