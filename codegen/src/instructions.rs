//! Sets of vector instructions.

/// The vector instructions that code is generated for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Instructions {
    /// Eight lanes at a time.
    Avx2,
    /// Sixteen lanes at a time, with 32 registers: AVX-512F.
    Avx512,
}
