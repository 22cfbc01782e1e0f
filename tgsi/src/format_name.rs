//! Names of image formats, as declarations and memory operands spell them.
//!
//! Formats belong to another crate; shaders only pass on a format's name.

use crate::declaration::ImageFormat;

/// The names without the prefix, one per line. The line's number, from 0, is the code.
const NAMES: &str = include_str!("format_names.txt");

/// The number of names.
#[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
const COUNT: usize = {
    let (mut count, mut at) = (0, 0);
    while at < NAMES.len() {
        count += (NAMES.as_bytes()[at] == b'\n') as usize;
        at += 1;
    }
    count
};

/// The start of each name's line and a hash, so that a search compares few names.
#[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
static INDEX: [(u16, u16); COUNT] = {
    let mut index = [(0, 0); COUNT];
    let (mut line, mut at, mut start) = (0, 0, 0);
    let mut hash = HASH_SEED;
    while at < NAMES.len() {
        let byte = NAMES.as_bytes()[at];
        at += 1;
        if byte == b'\n' {
            index[line] = (start as u16, fold(hash));
            line += 1;
            start = at;
            hash = HASH_SEED;
        } else {
            hash = step(hash, byte);
        }
    }
    index
};

/// FNV-1a.
const HASH_SEED: u32 = 0x811c_9dc5;

const fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ byte.to_ascii_uppercase() as u32).wrapping_mul(0x0100_0193)
}

const fn fold(hash: u32) -> u16 {
    (hash ^ hash >> 16) as u16
}

/// The prefix of every name in text.
pub(crate) const PREFIX: &str = "PIPE_FORMAT_";

impl ImageFormat {
    /// Returns the name without its prefix: `R32_UINT`.
    pub fn name(self) -> &'static str {
        let start = INDEX.get(usize::from(self.0)).map_or(0, |entry| usize::from(entry.0));
        NAMES.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("NONE")
    }

    /// Returns the format of a name, with or without `PIPE_FORMAT_`, in any case.
    pub fn from_name(name: &str) -> Option<ImageFormat> {
        let bare = match name.get(..PREFIX.len()) {
            Some(prefix) if prefix.eq_ignore_ascii_case(PREFIX) => name.get(PREFIX.len()..)?,
            _ => name,
        };
        let hash = fold(bare.bytes().fold(HASH_SEED, step));
        let alike = INDEX.iter().enumerate().filter(|(_, entry)| entry.1 == hash);
        let mut formats = alike.map(|(at, _)| ImageFormat(at as u16));
        formats.find(|format| format.name().eq_ignore_ascii_case(bare))
    }

    /// Returns the format with this number.
    pub const fn from_code(code: u16) -> Option<ImageFormat> {
        if (code as usize) < COUNT { Some(ImageFormat(code)) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        assert_eq!(ImageFormat::NONE.name(), "NONE");
        assert_eq!(ImageFormat::R16_FLOAT.name(), "R16_FLOAT");
        assert_eq!(ImageFormat::from_name("PIPE_FORMAT_NONE"), Some(ImageFormat::NONE));
        let format = ImageFormat::from_name("pipe_format_r32_uint").unwrap();
        assert_eq!(format.name(), "R32_UINT");
        assert_eq!(ImageFormat::from_code(format.code()), Some(format));
        assert_eq!(ImageFormat::from_name("R32_UINTX"), None);
        assert_eq!(ImageFormat::from_name(""), None);
        assert_eq!(ImageFormat::from_code(1023), None);
        for (code, name) in NAMES.lines().enumerate() {
            let format = ImageFormat::from_name(name).unwrap();
            assert_eq!((usize::from(format.code()), format.name()), (code, name));
        }
    }
}
