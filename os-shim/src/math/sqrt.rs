//! The square root, by the CPU's instruction where it has one.
//!
//! IEEE 754 requires correct rounding, so the instruction, the standard library and `libm`'s loop
//! give equal bits.

/// Returns √x, correctly rounded; -0 for -0, NaN for negative `x`.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    chosen::sqrt(x)
}

#[cfg(feature = "std")]
mod chosen {
    #[inline(always)]
    pub(super) fn sqrt(x: f32) -> f32 {
        // The compiler's own square root, which vectorises.
        x.sqrt()
    }
}

/// Square root for Arm cores with a hard-float calling convention, which implies an FPU.
#[cfg(all(not(feature = "std"), target_arch = "arm", target_abi = "eabihf"))]
mod chosen {
    #![expect(unsafe_code, reason = "`core` has no square root; inline assembly does")]

    #[inline(always)]
    pub(super) fn sqrt(x: f32) -> f32 {
        let mut bits = x.to_bits();
        // SAFETY: uses only the named registers, on a core that has them. The operand is not an
        // `sreg`, because the compiler ties that class to double precision, which a Cortex-M4F
        // lacks.
        unsafe {
            core::arch::asm!(
                "vmov s0, {bits}",
                "vsqrt.f32 s0, s0",
                "vmov {bits}, s0",
                bits = inout(reg) bits,
                out("s0") _,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        f32::from_bits(bits)
    }
}

#[cfg(not(any(feature = "std", all(target_arch = "arm", target_abi = "eabihf"))))]
mod chosen {
    #[inline]
    pub(super) fn sqrt(x: f32) -> f32 {
        libm::sqrtf(x)
    }
}
