//! Normalised integers as floats.

/// True for cores without an FPU, where a division of floats takes more than a hundred instructions.
/// Stable compilers do not set `target_feature = "f"` for RISC-V. They set `zicsr`, which a core with F has.
const SOFT: bool = cfg!(all(
    target_os = "none",
    any(
        all(target_arch = "arm", target_abi = "eabi"),
        all(target_arch = "riscv32", not(any(target_feature = "f", target_feature = "zicsr")))
    )
));

/// Returns `value / 255`, correctly rounded, for a value of 8 bits. Packed values need no cut to a
/// byte this way, which some cores do by an instruction.
#[inline(always)]
pub fn unorm8(value: u32) -> f32 {
    if SOFT { f32::from_bits(repeated(value, 8)) } else { value as f32 / 255.0 }
}

/// Returns `value / 32767`, correctly rounded; -1 for -32768.
#[inline(always)]
pub fn snorm16(value: i16) -> f32 {
    let value = value.max(-32767);
    if SOFT {
        let magnitude = repeated(value.unsigned_abs().into(), 15);
        f32::from_bits(magnitude | (value as u32 & 1 << 31))
    } else {
        f32::from(value) / 32767.0
    }
}

/// Returns the bits of the float nearest to `value / (2^bits - 1)`, for 8 to 15 bits and a value in
/// that range.
///
/// The quotient's digits are the value's bits, over and over. So they never end, and no quotient is
/// a tie.
#[inline(never)]
fn repeated(value: u32, bits: u32) -> u32 {
    if value == 0 {
        return 0;
    }
    let (mut value, mut exponent) = (value << (32u32.wrapping_sub(bits) & 31), 125u32);
    while value < 1 << 31 {
        value <<= 1;
        exponent = exponent.wrapping_sub(1);
    }
    let twice = value | value >> (bits & 31);
    let digits = twice | twice >> (bits.wrapping_mul(2) & 31);
    (exponent << 23).wrapping_add(digits >> 8).wrapping_add(digits >> 7 & 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_repeat() {
        for byte in 0..=u8::MAX {
            assert_eq!(repeated(byte.into(), 8), (f32::from(byte) / 255.0).to_bits());
            assert_eq!(unorm8(byte.into()), f32::from(byte) / 255.0);
        }
        for value in 0..=i16::MAX {
            assert_eq!(repeated(value as u32, 15), (f32::from(value) / 32767.0).to_bits());
            assert_eq!(snorm16(-value), f32::from(value) / -32767.0);
        }
        assert_eq!(snorm16(i16::MIN), -1.0);
    }
}
