//! Array accesses that cannot panic: the length is a power of two, and an index beyond the last
//! element wraps around.

/// Returns an element.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "the mask keeps the index below the power of two N")]
pub(crate) const fn at<T: Copy, const N: usize>(array: &[T; N], index: usize) -> T {
    const { assert!(N.is_power_of_two()) };
    array[index & (N - 1)]
}

/// Returns a mutable reference to an element.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "the mask keeps the index below the power of two N")]
pub(crate) const fn at_mut<T, const N: usize>(array: &mut [T; N], index: usize) -> &mut T {
    const { assert!(N.is_power_of_two()) };
    &mut array[index & (N - 1)]
}

/// Applies `f` to the elements of two arrays at each index.
#[cfg(any(feature = "s3tc", feature = "etc", feature = "atc", feature = "fxt1"))]
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "`from_fn` counts below N")]
pub(crate) fn each<T: Copy, U: Copy, V, const N: usize>(
    a: [T; N],
    b: [U; N],
    f: impl Fn(T, U) -> V,
) -> [V; N] {
    core::array::from_fn(|index| f(a[index], b[index]))
}
