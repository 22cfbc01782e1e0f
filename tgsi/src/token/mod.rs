//! The binary form: a stream of 32-bit tokens.
//!
//! ```text
//! header     HeaderSize 0-7 (2), BodySize 8-31           processor  Processor 0-3
//! item       Type 0-3 (declaration 0, immediate 1, instruction 2, property 3), NrTokens 4-11, …
//! ```
//!
//! Each item is a word with flags for the words that follow. `NrTokens` is written, but readers
//! cannot rely on it: the reference's writers disagree about its meaning. Tokens stay inside a
//! process; the numbers of image formats are specific to this crate
//! ([`ImageFormat`](crate::declaration::ImageFormat)).

mod decode;
mod encode;

pub use decode::{TokenError, decode};
pub use encode::{EncodeError, encode};

/// A run of bits in a token: the lowest bit, and the number of bits.
#[derive(Clone, Copy)]
struct Field(u32, u32);

impl Field {
    /// Returns the field's value in `word`.
    const fn get(self, word: u32) -> u32 {
        word >> self.0 & self.max()
    }

    /// Returns the largest value the field holds.
    const fn max(self) -> u32 {
        u32::MAX >> (32 - self.1)
    }

    /// Returns the field's value in `word`; its top bit is the sign.
    const fn signed(self, word: u32) -> i32 {
        (word << (32 - self.0 - self.1)) as i32 >> (32 - self.1)
    }

    /// Returns a word that is 0 except for the field.
    const fn put(self, value: u32) -> u32 {
        (value & self.max()) << self.0
    }

    /// Returns a word that is 0 except for the field, which holds a flag.
    const fn flag(self, value: bool) -> u32 {
        self.put(value as u32)
    }
}

/// The positions of the fields. Bits count from the lowest; the module's table gives the order of
/// tokens.
mod layout {
    use super::Field;

    pub(super) const HEADER_SIZE: Field = Field(0, 8);
    pub(super) const BODY_SIZE: Field = Field(8, 24);
    pub(super) const PROCESSOR: Field = Field(0, 4);

    pub(super) const TYPE: Field = Field(0, 4);
    pub(super) const SIZE: Field = Field(4, 8);
    pub(super) const TYPE_DECLARATION: u32 = 0;
    pub(super) const TYPE_IMMEDIATE: u32 = 1;
    pub(super) const TYPE_INSTRUCTION: u32 = 2;
    pub(super) const TYPE_PROPERTY: u32 = 3;

    pub(super) mod declaration {
        use super::Field;
        pub(crate) const FILE: Field = Field(12, 4);
        pub(crate) const USAGE_MASK: Field = Field(16, 4);
        pub(crate) const DIMENSION: Field = Field(20, 1);
        pub(crate) const SEMANTIC: Field = Field(21, 1);
        pub(crate) const INTERPOLATE: Field = Field(22, 1);
        pub(crate) const INVARIANT: Field = Field(23, 1);
        pub(crate) const LOCAL: Field = Field(24, 1);
        pub(crate) const ARRAY: Field = Field(25, 1);
        pub(crate) const ATOMIC: Field = Field(26, 1);
        pub(crate) const MEMORY_TYPE: Field = Field(27, 2);
        // range
        pub(crate) const FIRST: Field = Field(0, 16);
        pub(crate) const LAST: Field = Field(16, 16);
        // dimension
        pub(crate) const INDEX_2D: Field = Field(0, 16);
        // interpolation
        pub(crate) const MODE: Field = Field(0, 4);
        pub(crate) const LOCATION: Field = Field(4, 2);
        // semantic
        pub(crate) const NAME: Field = Field(0, 8);
        pub(crate) const INDEX: Field = Field(8, 16);
        pub(crate) const STREAMS: [Field; 4] =
            [Field(24, 2), Field(26, 2), Field(28, 2), Field(30, 2)];
        // image
        pub(crate) const TARGET: Field = Field(0, 8);
        pub(crate) const RAW: Field = Field(8, 1);
        pub(crate) const WRITABLE: Field = Field(9, 1);
        pub(crate) const FORMAT: Field = Field(10, 10);
        // sampler view; TARGET as above
        pub(crate) const RETURNS: [Field; 4] =
            [Field(8, 6), Field(14, 6), Field(20, 6), Field(26, 6)];
        // array
        pub(crate) const ARRAY_ID: Field = Field(0, 10);
    }

    pub(super) mod immediate {
        use super::Field;
        pub(crate) const SIZE: Field = Field(4, 14);
        pub(crate) const DATA_TYPE: Field = Field(18, 4);
    }

    pub(super) mod property {
        use super::Field;
        pub(crate) const NAME: Field = Field(12, 8);
    }

    pub(super) mod instruction {
        use super::Field;
        pub(crate) const OPCODE: Field = Field(12, 8);
        pub(crate) const SATURATE: Field = Field(20, 1);
        pub(crate) const DST_COUNT: Field = Field(21, 2);
        pub(crate) const SRC_COUNT: Field = Field(23, 4);
        pub(crate) const HAS_LABEL: Field = Field(27, 1);
        pub(crate) const HAS_TEXTURE: Field = Field(28, 1);
        pub(crate) const HAS_MEMORY: Field = Field(29, 1);
        pub(crate) const PRECISE: Field = Field(30, 1);
        pub(crate) const LABEL: Field = Field(0, 24);
        // texture
        pub(crate) const TARGET: Field = Field(0, 8);
        pub(crate) const OFFSET_COUNT: Field = Field(8, 4);
        // offset
        pub(crate) const OFFSET_INDEX: Field = Field(0, 16);
        pub(crate) const OFFSET_FILE: Field = Field(16, 4);
        pub(crate) const OFFSET_SWIZZLE: [Field; 3] = [Field(20, 2), Field(22, 2), Field(24, 2)];
        // memory
        pub(crate) const QUALIFIERS: Field = Field(0, 4);
        pub(crate) const MEMORY_TARGET: Field = Field(4, 8);
        pub(crate) const MEMORY_FORMAT: Field = Field(12, 10);
    }

    pub(super) mod dst {
        use super::Field;
        pub(crate) const FILE: Field = Field(0, 4);
        pub(crate) const MASK: Field = Field(4, 4);
        pub(crate) const INDIRECT: Field = Field(8, 1);
        pub(crate) const DIMENSION: Field = Field(9, 1);
        pub(crate) const INDEX: Field = Field(10, 16);
    }

    pub(super) mod src {
        use super::Field;
        pub(crate) const FILE: Field = Field(0, 4);
        pub(crate) const INDIRECT: Field = Field(4, 1);
        pub(crate) const DIMENSION: Field = Field(5, 1);
        pub(crate) const INDEX: Field = Field(6, 16);
        pub(crate) const SWIZZLE: [Field; 4] =
            [Field(22, 2), Field(24, 2), Field(26, 2), Field(28, 2)];
        pub(crate) const ABSOLUTE: Field = Field(30, 1);
        pub(crate) const NEGATE: Field = Field(31, 1);
    }

    pub(super) mod indirect {
        use super::Field;
        pub(crate) const FILE: Field = Field(0, 4);
        pub(crate) const INDEX: Field = Field(4, 16);
        pub(crate) const SWIZZLE: Field = Field(20, 2);
        pub(crate) const ARRAY_ID: Field = Field(22, 10);
    }

    pub(super) mod dimension {
        use super::Field;
        pub(crate) const INDIRECT: Field = Field(0, 1);
        pub(crate) const INDEX: Field = Field(16, 16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::{Declaration, Interpolate, Location, Semantic};
    use crate::opcode::Opcode;
    use crate::register::*;
    use crate::shader::*;
    use os_shim::Memory;
    use std::string::ToString;

    #[test]
    fn words_are_where_the_reference_puts_them() {
        let memory = Memory::system();
        let mut shader = Shader::new(Processor::Fragment, memory);
        shader.push_property(Property::FsColor0WritesAllCbufs, 1).unwrap();
        let input = Declaration::new(File::Input, 1, 1)
            .with_semantic(Semantic::generic(3))
            .with_interpolation(Interpolate::Perspective, Location::Centroid);
        shader.push_declaration(input).unwrap();
        shader.push_immediate(Immediate::uint([1, 2, 3, 4])).unwrap();
        let mut mov = Instruction::new(Opcode::Mov);
        mov.saturate = true;
        mov.dst[0] = DstRegister::new(File::Output, 0).masked(WriteMask::XY);
        mov.src[0] = SrcRegister::new(File::Constant, -2)
            .swizzled([Swizzle::W, Swizzle::Z, Swizzle::Y, Swizzle::X])
            .abs()
            .neg()
            .indexed(Indirect { file: File::Address, swizzle: Swizzle::Y, index: 1, array_id: 5 })
            .in_dimension(Dimension::literal(7));
        shader.push_instruction(mov).unwrap();
        let tokens = encode(&shader, memory).unwrap();
        let expected = [
            2 | 16 << 8,
            4,
            3 | 2 << 4 | 5 << 12,
            1,
            2 << 12 | 4 << 4 | 15 << 16 | 1 << 21 | 1 << 22,
            1 | 1 << 16,
            2 | 1 << 4,
            5 | 3 << 8,
            1 | 5 << 4 | 1 << 18,
            1,
            2,
            3,
            4,
            2 | 4 << 4 | 1 << 12 | 1 << 20 | 1 << 21 | 1 << 23,
            3 | 3 << 4,
            1 | 1 << 4 | 1 << 5 | 0xfffe << 6 | 3 << 22 | 2 << 24 | 1 << 26 | 1 << 30 | 1 << 31,
            6 | 1 << 4 | 1 << 20 | 5 << 22,
            7 << 16,
        ];
        assert_eq!(&tokens[..], &expected[..]);
        let back = decode(&tokens, memory).unwrap();
        assert_eq!(back, shader);
    }

    #[test]
    fn errors_name_the_token() {
        let memory = Memory::system();
        let shown = |tokens: &[u32]| decode(tokens, memory).unwrap_err().to_string();
        assert_eq!(shown(&[]), "the stream ends inside the item at token 0");
        assert_eq!(shown(&[2 | 1 << 8, 0]), "the stream ends inside the item at token 2");
        assert_eq!(shown(&[3, 0]), "token 0: a header of 3 tokens, not 2");
        assert_eq!(shown(&[2, 9]), "token 1: no processor has number 9");
        assert_eq!(shown(&[2 | 1 << 8, 0, 7]), "token 2: no type of item has number 7");
        assert_eq!(shown(&[2 | 1 << 8, 0, 2 | 67 << 12]), "token 2: no opcode has number 67");
        let mov = 2 | 1 << 12 | 1 << 21 | 2 << 23;
        assert_eq!(shown(&[2 | 1 << 8, 0, mov]), "token 2: MOV takes 1 sources, found 2");
        let dcl = [2 | 2 << 8, 0, 4 << 12, 3];
        assert_eq!(shown(&dcl), "token 2: the range 3..0 ends before it starts");
    }
}
