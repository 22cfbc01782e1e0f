//! Reports for developers: memory in use, messages of a driver.

use core::fmt;

/// The memory of a device, in KiB. `pipe_memory_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryInfo {
    /// The total memory for resources and the driver.
    pub total_device_memory: u64,
    /// The free part of it.
    pub avail_device_memory: u64,
    /// The total memory for transfers; 0 if they use the device's memory.
    pub total_staging_memory: u64,
    /// The free part of it.
    pub avail_staging_memory: u64,
    /// The memory that was taken from resources to make room.
    pub device_memory_evicted: u64,
    /// The number of these evictions.
    pub nr_device_memory_evictions: u64,
}

/// The kind of a message. `util_debug_type`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DebugType {
    /// A call was refused for lack of memory.
    OutOfMemory,
    /// A call was refused for another reason.
    Error,
    /// A shader was created; the message has its size.
    ShaderInfo,
    /// The frontend does something slow.
    PerfInfo,
    /// Any other message.
    Info,
}

/// A function that receives messages. `util_debug_callback`.
#[derive(Clone, Copy, Debug)]
pub struct DebugCallback {
    /// Called with `data`, during the call that causes the message.
    pub call: fn(data: usize, kind: DebugType, message: fmt::Arguments<'_>),
    /// A number that the caller chooses.
    pub data: usize,
}

/// Returns a UUID of a text: version 8 of RFC 9562, from 122 bits of hashes of its bytes (64-bit
/// FNV-1a from two starting values).
pub fn uuid_of(text: &str) -> [u8; 16] {
    let hash = |start: u64| {
        text.bytes()
            .fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    };
    let hashes = [hash(0xcbf2_9ce4_8422_2325), hash(0x9ae1_6a3b_2f90_404f)];
    let bits = u128::from(hashes[0]) << 64 | u128::from(hashes[1]);
    let version = (bits & !(0xf << 76)) | 0x8 << 76;
    ((version & !(0x3 << 62)) | 0x2 << 62).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_have_their_version_and_differ() {
        let [one, other] = ["one", "other"].map(uuid_of);
        assert_ne!(one, other);
        assert_eq!(one, uuid_of("one"));
        for uuid in [one, other] {
            assert_eq!((uuid[6] >> 4, uuid[8] >> 6), (8, 2), "{uuid:x?}");
        }
    }
}
