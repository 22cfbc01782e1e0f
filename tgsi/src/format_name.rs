//! Names of image formats, as declarations and memory operands spell them.
//!
//! Formats belong to another crate; shaders only hand a format's name on.

use crate::declaration::ImageFormat;

/// The names, a line each, without the prefix. The line's number, from 0, is the code.
const NAMES: &str = include_str!("format_names.txt");

/// How every name starts in text.
pub(crate) const PREFIX: &str = "PIPE_FORMAT_";

impl ImageFormat {
    /// The name without its prefix: `R32_UINT`.
    pub fn name(self) -> &'static str {
        NAMES.lines().nth(self.0 as usize).unwrap_or("NONE")
    }

    /// The format of a name, with or without `PIPE_FORMAT_`, in any case.
    pub fn from_name(name: &str) -> Option<ImageFormat> {
        let bare = match name.get(..PREFIX.len()) {
            Some(prefix) if prefix.eq_ignore_ascii_case(PREFIX) => name.get(PREFIX.len()..)?,
            _ => name,
        };
        let at = NAMES.lines().position(|line| line.eq_ignore_ascii_case(bare))?;
        u16::try_from(at).ok().map(ImageFormat)
    }

    /// The format with this number.
    pub fn from_code(code: u16) -> Option<ImageFormat> {
        NAMES.lines().nth(code as usize).map(|_| ImageFormat(code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        assert_eq!(ImageFormat::NONE.name(), "NONE");
        assert_eq!(ImageFormat::from_name("PIPE_FORMAT_NONE"), Some(ImageFormat::NONE));
        let format = ImageFormat::from_name("pipe_format_r32_uint").unwrap();
        assert_eq!(format.name(), "R32_UINT");
        assert_eq!(ImageFormat::from_code(format.code()), Some(format));
        assert_eq!(ImageFormat::from_name("R32_UINTX"), None);
        assert_eq!(ImageFormat::from_name(""), None);
        assert_eq!(ImageFormat::from_code(1023), None);
    }
}
