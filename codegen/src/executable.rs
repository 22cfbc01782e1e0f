//! The machine code of a program, as callable functions.

#![expect(unsafe_code, reason = "machine code is called through a pointer that was data")]

use std::sync::Arc;

use rustix::io;

use crate::arena::{Arena, Text};
use crate::assembler::Constant;

/// The type of a segment's function: pointer to the register file, mask of running lanes,
/// constants.
type Function = unsafe extern "sysv64" fn(*mut u32, u64, *const Constant);

/// Ops of generated code that take as long as one interpreted op.
const OPS_PER_UNIT: u32 = 8;

/// A segment's place in the code, and its length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The first byte of the function.
    pub(crate) start: u32,
    /// The number of ops in the segment.
    pub(crate) ops: u32,
}

/// The code of a program's segments, and its constants.
#[derive(Debug)]
pub(crate) struct Executable {
    text: Text,
    constants: Vec<Constant>,
    entries: Vec<Entry>,
    /// The length in words of the register file that the code reads and writes.
    words: usize,
}

impl Executable {
    /// Places code in executable memory.
    /// * `code`: position-independent functions of the type [`Function`], made by this crate's
    ///   `assembler`. They follow the System V calling convention, access only the first `words`
    ///   words of the file and `constants`, use only instructions that the machine has, and return.
    /// * `entries`: the place of each function.
    ///
    /// # Errors
    /// The arena or the process has reached its limit of code, or the system refuses memory or its
    /// execution.
    pub(crate) fn new(
        arena: &Arc<Arena>,
        code: &[u8],
        entries: Vec<Entry>,
        constants: Vec<Constant>,
        words: usize,
    ) -> io::Result<Executable> {
        Ok(Executable { text: arena.place(code)?, constants, entries, words })
    }

    /// Runs a segment and returns its units of work; `None` if there is no segment of that number
    /// or `rows` is too short.
    pub(crate) fn run(&self, segment: u16, rows: &mut [u32], exec: u64) -> Option<u32> {
        let entry = self.entries.get(usize::from(segment))?;
        let start = self.text.address(entry.start as usize)?;
        if rows.len() < self.words {
            return None;
        }
        // SAFETY: `start` is in executable pages that live as long as `self`. It is the first
        // instruction of a function of this type: the contract of `new`, and its one caller passes
        // code from the assembler. The machine has the instructions, because `Generator::with`, the
        // only constructor of generators, checks for them. The function accesses `words` words from
        // `rows` on, which exist (checked above) and are borrowed exclusively, and `constants`,
        // which `self` owns.
        unsafe {
            let function = std::mem::transmute::<*const u8, Function>(start);
            function(rows.as_mut_ptr(), exec, self.constants.as_ptr());
        }
        Some(1 + entry.ops / OPS_PER_UNIT)
    }
}
