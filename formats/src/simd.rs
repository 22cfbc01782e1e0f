//! Runs plain loops with the machine's vector instructions, if the feature `std` is enabled.

/// Runs `f`, compiled for the best instruction set found at run time.
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
