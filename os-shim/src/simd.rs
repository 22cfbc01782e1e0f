//! Runs plain loops with the best vector instructions of the machine.

/// Runs `f`, compiled for the best instruction set that the machine has at run time.
///
/// On an x86-64 host with the feature `simd`, loops inlined into `f` use AVX-512 (Ice Lake or newer) or AVX2 if
/// the CPU has it, otherwise SSE2. On all other targets this is `f()`: their instruction set is
/// known at compile time. The results are equal bit by bit; multiplications and additions are not
/// fused.
///
/// Only inlined code gets the better instructions, so mark the closure and the functions it calls
/// `#[inline(always)]`. A call costs a load and a branch, and is not inlined itself. Put it around
/// a batch, not around an operation.
///
/// ```
/// use gallium_os_shim::simd::vectorize;
///
/// let mut values = [1.0f32; 64];
/// vectorize(
///     #[inline(always)]
///     || {
///         for value in &mut values {
///             *value = *value * 2.0 + 1.0;
///         }
///     },
/// );
/// assert_eq!(values, [3.0; 64]);
/// ```
#[inline(always)]
pub fn vectorize<O>(f: impl FnOnce() -> O) -> O {
    chosen::vectorize(f)
}

/// Returns the mask of lanes with negative values; bit i is lane i.
///
/// Compilers vectorise a loop that sets one bit per lane, but do not use the CPU's single
/// instruction for it. Within [`vectorize`] this function is that instruction; elsewhere it costs a
/// call or more.
///
/// ```
/// let mut values = [1; 16];
/// values[3] = -1;
/// assert_eq!(gallium_os_shim::simd::negative_lanes(&values), 1 << 3);
/// ```
#[inline(always)]
pub fn negative_lanes(values: &[i32; 16]) -> u16 {
    chosen::negative_lanes(values)
}

/// Computes [`negative_lanes`] without intrinsics.
#[inline(always)]
fn signs(values: &[i32; 16]) -> u16 {
    values.iter().enumerate().fold(0, |lanes, (lane, value)| lanes | u16::from(*value < 0) << lane)
}

/// Returns the name of the instruction set that [`vectorize`] chooses, for reports.
pub fn instruction_set() -> &'static str {
    chosen::instruction_set()
}

#[cfg(all(feature = "simd", target_arch = "x86_64"))]
mod chosen {
    use fearless_simd::{Level, Simd, SimdBase, i32x16};

    #[inline(always)]
    pub(super) fn vectorize<O>(f: impl FnOnce() -> O) -> O {
        let level = Level::new();
        if let Some(avx512) = level.as_avx512() {
            avx512.vectorize(f)
        } else if let Some(avx2) = level.as_avx2() {
            avx2.vectorize(f)
        } else {
            f()
        }
    }

    #[inline(always)]
    pub(super) fn negative_lanes(values: &[i32; 16]) -> u16 {
        let level = Level::new();
        if let Some(avx512) = level.as_avx512() {
            signs_of(avx512, values)
        } else if let Some(avx2) = level.as_avx2() {
            signs_of(avx2, values)
        } else {
            super::signs(values)
        }
    }

    #[inline(always)]
    fn signs_of<S: Simd>(simd: S, values: &[i32; 16]) -> u16 {
        let values = i32x16::from_slice(simd, values);
        let zero = i32x16::splat(simd, 0);
        simd.to_bitmask_mask32x16(simd.simd_lt_i32x16(values, zero)) as u16
    }

    pub(super) fn instruction_set() -> &'static str {
        let level = Level::new();
        if level.as_avx512().is_some() {
            "AVX-512"
        } else if level.as_avx2().is_some() {
            "AVX2"
        } else {
            "SSE2"
        }
    }
}

#[cfg(not(all(feature = "simd", target_arch = "x86_64")))]
mod chosen {
    #[inline(always)]
    pub(super) fn vectorize<O>(f: impl FnOnce() -> O) -> O {
        f()
    }

    #[inline(always)]
    pub(super) fn negative_lanes(values: &[i32; 16]) -> u16 {
        super::signs(values)
    }

    pub(super) fn instruction_set() -> &'static str {
        "the target's own"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_once_and_returns() {
        let mut count = 0;
        let doubled = vectorize(|| {
            count += 1;
            count * 2
        });
        assert_eq!((doubled, count), (2, 1));
        assert!(!instruction_set().is_empty());
    }

    #[test]
    fn each_lane_has_the_bit_of_its_sign() {
        for pattern in [0u16, 1, 0x8000, 0x5a3c, 0xffff] {
            for (negative, positive) in [(-1, 0), (i32::MIN, i32::MAX)] {
                let mut values = [0; 16];
                for (lane, value) in values.iter_mut().enumerate() {
                    *value = if pattern >> lane & 1 != 0 { negative } else { positive };
                }
                assert_eq!(negative_lanes(&values), pattern);
                assert_eq!(vectorize(|| negative_lanes(&values)), pattern);
                assert_eq!(signs(&values), pattern);
            }
        }
    }

    #[test]
    fn does_not_fuse_multiplications_and_additions() {
        // (1 + 2⁻¹²)² is 1 + 2⁻¹¹ + 2⁻²⁴; a separate product rounds the last term away.
        let factor = core::hint::black_box([1.0 + 1.0 / 4096.0; 64]);
        let mut result = [0.0f32; 64];
        vectorize(
            #[inline(always)]
            || {
                for (result, factor) in result.iter_mut().zip(factor) {
                    *result = factor * factor - (1.0 + 1.0 / 2048.0);
                }
            },
        );
        assert_eq!(result, [0.0; 64]);
    }
}
