//! Decodes Thumb and 32-bit RISC-V instructions, as far as they lead from one function to another.

/// The effect of an instruction on the call graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// It leads to the next instruction only.
    Next,
    /// It jumps to or calls this address.
    To(u64),
    /// It jumps to or calls the address in a register.
    ByPointer,
    /// It sets a register to these 16 bits.
    Low { register: u32, bits: u32 },
    /// It sets the upper 16 bits of a register.
    High { register: u32, bits: u32 },
}

/// Decodes the instruction at the start of these bytes; returns its length in bytes and its effect.
pub(super) type Decode = fn(u64, &[u8]) -> (u64, Flow);

fn halfword(code: &[u8], at: usize) -> u32 {
    code.get(at..at + 2).map_or(0, |bytes| u32::from(u16::from_le_bytes([bytes[0], bytes[1]])))
}

/// Returns the address `offset` away; only the low `bits` of the offset are significant.
fn away(from: u64, offset: u32, bits: u32) -> Flow {
    let unused = 32 - bits;
    let offset = (offset << unused) as i32 >> unused;
    Flow::To(u64::from((from as u32).wrapping_add_signed(offset)))
}

/// Decodes a Thumb instruction.
pub(super) fn thumb(pc: u64, code: &[u8]) -> (u64, Flow) {
    let (first, second) = (halfword(code, 0), halfword(code, 2));
    let from = pc + 4;
    if first >> 11 < 0b11101 {
        let flow = match first {
            // B with a condition, B.
            _ if first >> 12 == 0b1101 && first >> 8 & 15 < 14 => away(from, first << 1, 9),
            _ if first >> 11 == 0b11100 => away(from, first << 1, 12),
            // BLX and BX of a register; BX LR returns.
            _ if first & 0xff87 == 0x4780 => Flow::ByPointer,
            _ if first & 0xff87 == 0x4700 && first != 0x4770 => Flow::ByPointer,
            _ => Flow::Next,
        };
        return (2, flow);
    }
    let (sign, j1, j2) = (first >> 10 & 1, second >> 13 & 1, second >> 11 & 1);
    let flow = match second & 0xd000 {
        _ if first >> 11 != 0b11110 => Flow::Next,
        // MOVW, MOVT: four bits, one, three, eight.
        0x0000..0x8000 if matches!(first & 0xfbf0, 0xf240 | 0xf2c0) => {
            let bits = (first & 15) << 12
                | (first >> 10 & 1) << 11
                | (second >> 12 & 7) << 8
                | second & 255;
            let register = second >> 8 & 15;
            let high = first & 0x80 != 0;
            if high { Flow::High { register, bits } } else { Flow::Low { register, bits } }
        }
        // B, BL.
        0x9000 | 0xd000 => {
            let (i1, i2) = (!(j1 ^ sign) & 1, !(j2 ^ sign) & 1);
            let high = sign << 24 | i1 << 23 | i2 << 22;
            away(from, high | (first & 0x3ff) << 12 | (second & 0x7ff) << 1, 25)
        }
        // B with a condition.
        0x8000 if first >> 6 & 15 < 14 => {
            let high = sign << 20 | j2 << 19 | j1 << 18;
            away(from, high | (first & 0x3f) << 12 | (second & 0x7ff) << 1, 21)
        }
        _ => Flow::Next,
    };
    (4, flow)
}

/// Decodes an instruction of 32-bit RISC-V.
pub(super) fn riscv(pc: u64, code: &[u8]) -> (u64, Flow) {
    let (first, second) = (halfword(code, 0), halfword(code, 2));
    let bits =
        |word: u32, from: u32, count: u32, to: u32| (word >> from & ((1 << count) - 1)) << to;
    if first & 3 != 3 {
        let flow = match first & 0xe003 {
            // C.JAL, C.J: the offset's bits are 11, 4, 9 and 8, 10, 6, 7, 3 to 1, 5.
            0x2001 | 0xa001 => {
                let offset = bits(first, 12, 1, 11)
                    | bits(first, 11, 1, 4)
                    | bits(first, 9, 2, 8)
                    | bits(first, 8, 1, 10)
                    | bits(first, 7, 1, 6)
                    | bits(first, 6, 1, 7)
                    | bits(first, 3, 3, 1)
                    | bits(first, 2, 1, 5);
                away(pc, offset, 12)
            }
            // C.JALR; C.EBREAK has no register.
            _ if first & 0xf07f == 0x9002 && first >> 7 & 31 != 0 => Flow::ByPointer,
            _ => Flow::Next,
        };
        return (2, flow);
    }
    let word = second << 16 | first;
    let flow = match word & 0x7f {
        // JAL: 20, 10 to 1, 11, 19 to 12.
        0x6f => {
            let offset = bits(word, 31, 1, 20)
                | bits(word, 21, 10, 1)
                | bits(word, 20, 1, 11)
                | bits(word, 12, 8, 12);
            away(pc, offset, 21)
        }
        // AUIPC followed by a JALR with the register that it sets.
        0x17 => {
            let next = halfword(code, 6) << 16 | halfword(code, 4);
            let same = next >> 15 & 31 == word >> 7 & 31;
            if next & 0x7f == 0x67 && same {
                let low = (next as i32 >> 20) as u32;
                return (8, away(pc, (word & !0xfff).wrapping_add(low), 32));
            }
            Flow::Next
        }
        // JALR that links. Other JALRs return, or are the jumps of a `match`.
        0x67 if word >> 7 & 31 == 1 => Flow::ByPointer,
        _ => Flow::Next,
    };
    (4, flow)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks encodings from the manuals of Arm and RISC-V; addresses are worked out by hand.
    #[test]
    fn thumb_branches_lead_where_they_should() {
        let at = |halves: &[u16]| {
            let bytes: Vec<u8> = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
            thumb(0x1000, &bytes)
        };
        // `bl .`, `b.w .+4`, `bl .+0x1000`, `beq.w .-256`.
        assert_eq!(at(&[0xf7ff, 0xfffe]), (4, Flow::To(0x1000)));
        assert_eq!(at(&[0xf000, 0xb800]), (4, Flow::To(0x1004)));
        assert_eq!(at(&[0xf000, 0xfffe]), (4, Flow::To(0x2000)));
        assert_eq!(at(&[0xf43f, 0xaf7e]), (4, Flow::To(0xf00)));
        // `b .`, `bne .+8`, `blx r3`, `bx r2`, `bx lr`, `svc 0`, `movs r0, #1`.
        assert_eq!(at(&[0xe7fe]), (2, Flow::To(0x1000)));
        assert_eq!(at(&[0xd102]), (2, Flow::To(0x1008)));
        assert_eq!(at(&[0x4798]), (2, Flow::ByPointer));
        assert_eq!(at(&[0x4710]), (2, Flow::ByPointer));
        assert_eq!(at(&[0x4770]), (2, Flow::Next));
        assert_eq!(at(&[0xdf00]), (2, Flow::Next));
        assert_eq!(at(&[0x2001]), (2, Flow::Next));
        // `movw r0, #0x1234`, `movt lr, #0x5678`, `movt lr, #0x5e78`.
        assert_eq!(at(&[0xf241, 0x2034]), (4, Flow::Low { register: 0, bits: 0x1234 }));
        assert_eq!(at(&[0xf2c5, 0x6e78]), (4, Flow::High { register: 14, bits: 0x5678 }));
        assert_eq!(at(&[0xf6c5, 0x6e78]), (4, Flow::High { register: 14, bits: 0x5e78 }));
        // `vadd.f32 s0, s0, s1`, `mrs r0, primask`.
        assert_eq!(at(&[0xee30, 0x0a20]), (4, Flow::Next));
        assert_eq!(at(&[0xf3ef, 0x8010]), (4, Flow::Next));
    }

    #[test]
    fn risc_v_jumps_lead_where_they_should() {
        let at = |words: &[u32]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            riscv(0x8000_1000, &bytes)
        };
        // `jal ra, .+8`, `jal x0, .-4`, `auipc ra, 1` with `jalr ra, -16(ra)`.
        assert_eq!(at(&[0x0080_00ef]), (4, Flow::To(0x8000_1008)));
        assert_eq!(at(&[0xffdf_f06f]), (4, Flow::To(0x8000_0ffc)));
        assert_eq!(at(&[0x0000_1097, 0xff00_80e7]), (8, Flow::To(0x8000_1ff0)));
        // `jalr ra, 0(a0)`, `ret`, `c.jalr a0`, `c.ebreak`, `c.jr ra`, `c.j .+4`, `c.jal .-2`.
        assert_eq!(at(&[0x0005_00e7]), (4, Flow::ByPointer));
        assert_eq!(at(&[0x0000_8067]), (4, Flow::Next));
        assert_eq!(at(&[0x9502]), (2, Flow::ByPointer));
        assert_eq!(at(&[0x9002]), (2, Flow::Next));
        assert_eq!(at(&[0x8082]), (2, Flow::Next));
        assert_eq!(at(&[0xa011]), (2, Flow::To(0x8000_1004)));
        assert_eq!(at(&[0x3ffd]), (2, Flow::To(0x8000_0ffe)));
    }
}
