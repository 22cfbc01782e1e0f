//! Compute kernels: exact arithmetic on words of buffers, shared memory, atomics.

/// A compute launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Invocations per block.
    pub block: [u32; 3],
    /// Invocations of the last block along each axis; 0: the same as `block`.
    pub last_block: [u32; 3],
    /// Number of blocks along each axis.
    pub grid: [u32; 3],
    /// The number of the first block.
    pub base: [u32; 3],
    /// The atomic operation. Its result does not depend on the order of invocations.
    pub atomic: &'static str,
    /// Chooses the words that the kernel reads.
    pub seed: u64,
}

/// Atomics with a result that does not depend on the order.
pub const ATOMICS: &[&str] =
    &["ATOMUADD", "ATOMAND", "ATOMOR", "ATOMXOR", "ATOMUMIN", "ATOMUMAX", "ATOMIMIN", "ATOMIMAX"];

impl Kernel {
    /// Returns the number of invocations per block.
    pub fn volume(&self) -> u32 {
        self.block.iter().product()
    }

    /// Returns the number of words that the kernel reads, writes, and changes by atomics. Some
    /// invocations access words beyond the last one.
    pub fn words(&self) -> [u32; 3] {
        let all = self.volume() * self.grid.iter().product::<u32>();
        [all - all / 8, all - all / 16, 4]
    }

    /// Returns the program: each invocation shares a word, waits, adds its neighbour's word, stores
    /// the sum, and changes one of four words by it.
    pub fn text(&self) -> String {
        let ([x, y, z], volume, atomic) = (self.base, self.volume(), self.atomic);
        format!(
            "COMP\nDCL SV[0], THREAD_ID\nDCL SV[1], BLOCK_ID\nDCL SV[2], BLOCK_SIZE\n\
             DCL SV[3], GRID_SIZE\nDCL BUFFER[0]\nDCL BUFFER[1]\nDCL BUFFER[2]\n\
             DCL MEMORY[0], SHARED\nDCL TEMP[0..9]\nIMM[0] UINT32 {{ 4, 1, 12, {volume} }}\n\
             IMM[1] UINT32 {{ {x}, {y}, {z}, 0 }}\n\
             UMAD TEMP[0].x, SV[0].zzzz, SV[2].yyyy, SV[0].yyyy\n\
             UMAD TEMP[0].x, TEMP[0].xxxx, SV[2].xxxx, SV[0].xxxx\n\
             UADD TEMP[1].xyz, SV[1], -IMM[1]\n\
             UMAD TEMP[2].x, TEMP[1].zzzz, SV[3].yyyy, TEMP[1].yyyy\n\
             UMAD TEMP[2].x, TEMP[2].xxxx, SV[3].xxxx, TEMP[1].xxxx\n\
             UMAD TEMP[2].x, TEMP[2].xxxx, IMM[0].wwww, TEMP[0].xxxx\n\
             UMUL TEMP[2].x, TEMP[2].xxxx, IMM[0].xxxx\nLOAD TEMP[3].x, BUFFER[0], TEMP[2].xxxx\n\
             UMUL TEMP[4].x, TEMP[0].xxxx, IMM[0].xxxx\n\
             STORE MEMORY[0].x, TEMP[4].xxxx, TEMP[3].xxxx\nBARRIER\n\
             UMUL TEMP[5].x, SV[2].xxxx, SV[2].yyyy\nUMUL TEMP[5].x, TEMP[5].xxxx, SV[2].zzzz\n\
             UADD TEMP[5].x, TEMP[5].xxxx, -IMM[0].yyyy\n\
             XOR TEMP[6].x, TEMP[0].xxxx, IMM[0].yyyy\nUMIN TEMP[6].x, TEMP[6].xxxx, TEMP[5].xxxx\n\
             UMUL TEMP[6].x, TEMP[6].xxxx, IMM[0].xxxx\nLOAD TEMP[7].x, MEMORY[0], TEMP[6].xxxx\n\
             UADD TEMP[8].x, TEMP[3].xxxx, TEMP[7].xxxx\n\
             STORE BUFFER[1].x, TEMP[2].xxxx, TEMP[8].xxxx\nAND TEMP[9].x, TEMP[8].xxxx, IMM[0].zzzz\n\
             {atomic} TEMP[1].x, BUFFER[2], TEMP[9].xxxx, TEMP[8].xxxx\nEND\n"
        )
    }
}
