//! Memory shared with a client: an anonymous file that both sides can reach.
//!
//! The client maps it; the server reads and writes it by offset. So no byte of it is ever a
//! reference here, whatever the client does meanwhile, and nothing can be cut off under us:
//! the file is sealed at its size.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};

/// An anonymous file of fixed size, filled with zeros.
#[derive(Debug)]
pub struct SharedMemory {
    file: File,
    size: u64,
}

impl SharedMemory {
    /// A file of `size` bytes. Pages are allocated when they are first written.
    ///
    /// # Errors
    /// The system's: too many open files, no such size.
    pub fn new(size: u32) -> std::io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = memfd_create("gallium-vtest", flags)?;
        ftruncate(&file, size.into())?;
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok(SharedMemory { file: file.into(), size: size.into() })
    }

    /// Its size in bytes.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Reads from `offset` on; `false` when that leaves the file.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> bool {
        self.contains(offset, bytes.len()) && self.file.read_exact_at(bytes, offset).is_ok()
    }

    /// Writes at `offset`; `false` when that leaves the file.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> bool {
        self.contains(offset, bytes.len()) && self.file.write_all_at(bytes, offset).is_ok()
    }

    fn contains(&self, offset: u64, length: usize) -> bool {
        offset.checked_add(length as u64).is_some_and(|end| end <= self.size)
    }
}

impl AsFd for SharedMemory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_starts_as_zeros_and_keeps_what_is_written() {
        let memory = SharedMemory::new(10).expect("an anonymous file");
        let mut bytes = [1; 4];
        assert!(memory.read(6, &mut bytes));
        assert_eq!(bytes, [0; 4]);
        assert!(memory.write(6, &[1, 2, 3, 4]));
        assert!(memory.read(6, &mut bytes));
        assert_eq!(bytes, [1, 2, 3, 4]);
    }

    #[test]
    fn nothing_outside_is_reached_and_the_size_stays() {
        let memory = SharedMemory::new(10).expect("an anonymous file");
        assert!(!memory.read(7, &mut [0; 4]));
        assert!(!memory.write(u64::MAX, &[0]));
        assert!(memory.write(10, &[]));
        assert!(ftruncate(&memory, 0).is_err(), "sealed");
        assert!(ftruncate(&memory, 100).is_err(), "sealed");
    }
}
