//! Memory for machine code: written first, then made executable, never both at once.

#![expect(unsafe_code, reason = "machine code is called through a pointer that was data")]

use std::io;

use memmap2::{Mmap, MmapMut};

use crate::assembler::Constant;

/// A segment as a function: the register file's first word, the lanes that run, constants.
type Function = unsafe extern "sysv64" fn(*mut u32, u64, *const Constant);

/// The code of a program's segments, and its constants.
#[derive(Debug)]
pub(crate) struct Executable {
    text: Mmap,
    constants: Vec<Constant>,
    /// The place of each segment's first instruction in `text`.
    entries: Vec<u32>,
    /// The words of the register file that the code reads and writes.
    words: usize,
}

impl Executable {
    /// Places code in memory of its own.
    ///
    /// * `code`: position-independent functions of the type [`Function`], made by this crate's
    ///   `assembler`: they follow the System V calling convention, access the first `words` words of
    ///   the file and `constants` alone, use instructions that the machine has and return.
    /// * `entries`: the first byte of each function.
    ///
    /// # Errors
    /// The system refuses the memory, or execution in it.
    pub(crate) fn new(
        code: &[u8],
        entries: Vec<u32>,
        constants: Vec<Constant>,
        words: usize,
    ) -> io::Result<Executable> {
        let mut text = MmapMut::map_anon(code.len().max(1))?;
        text[..code.len()].copy_from_slice(code);
        Ok(Executable { text: text.make_exec()?, constants, entries, words })
    }

    /// Runs a segment; returns `false` if there is none of that number or `rows` is too short.
    pub(crate) fn run(&self, segment: u16, rows: &mut [u32], exec: u64) -> bool {
        let entry = self.entries.get(usize::from(segment));
        let Some(start) = entry.and_then(|&entry| self.text.get(entry as usize..)) else {
            return false;
        };
        if rows.len() < self.words {
            return false;
        }
        // SAFETY: `start` is in an executable mapping that lives as long as `self`, at the first
        // instruction of a function of this type (the contract of `new`, whose one caller passes
        // what the assembler made). The machine has the instructions: `Generator::with`,
        // the one maker of generators, looks. The function accesses `words` words from `rows` on, which are there (checked
        // above) and borrowed exclusively, and `constants`, which `self` owns.
        unsafe {
            let function = std::mem::transmute::<*const u8, Function>(start.as_ptr());
            function(rows.as_mut_ptr(), exec, self.constants.as_ptr());
        }
        true
    }
}
