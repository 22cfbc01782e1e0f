//! Plain loops on the machine's vector instructions, where `std` detects them.

/// Runs `f`; with the feature `std`, compiled for the best instruction set found at run time.
#[cfg(feature = "std")]
#[inline(always)]
pub(crate) fn vectorize<O>(f: impl FnOnce() -> O) -> O {
    os_shim::simd::vectorize(f)
}

/// Runs `f`.
#[cfg(not(feature = "std"))]
#[inline(always)]
pub(crate) fn vectorize<O>(f: impl FnOnce() -> O) -> O {
    f()
}
