//! Derives Gallium's name of a format from the Rust name, at compile time.
//!
//! `B5G6R5Unorm` becomes `B5G6R5_UNORM`. An underscore goes before a word (an upper-case letter
//! followed by a lower-case one) and after it. The `x` of block sizes stays lower-case.

const fn is_upper(byte: u8) -> bool {
    byte.is_ascii_uppercase()
}

#[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
const fn at(text: &[u8], index: usize) -> u8 {
    if index < text.len() { text[index] } else { b'_' }
}

/// Returns true if an underscore goes before byte `i` of the variant.
#[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
const fn breaks(text: &[u8], i: usize) -> bool {
    if i == 0 || !is_upper(text[i]) {
        return false;
    }
    at(text, i - 1).is_ascii_lowercase() || at(text, i + 1).is_ascii_lowercase()
}

/// Returns the length in bytes of the Gallium name of `variant`.
pub(crate) const fn spelled_len(variant: &str) -> usize {
    let text = variant.as_bytes();
    let mut len = 0;
    let mut i = 0;
    while i < text.len() {
        len += 1 + breaks(text, i) as usize;
        i += 1;
    }
    len
}

/// Returns the Gallium name of `variant`; `N` is its [`spelled_len`].
#[expect(clippy::indexing_slicing, reason = "evaluated when the crate is compiled")]
pub(crate) const fn spell<const N: usize>(variant: &str) -> [u8; N] {
    let text = variant.as_bytes();
    let mut name = [0; N];
    let mut len = 0;
    let mut i = 0;
    while i < text.len() {
        if breaks(text, i) {
            name[len] = b'_';
            len += 1;
        }
        let times = text[i] == b'x' && at(text, i - 1).is_ascii_digit();
        name[len] = if times { b'x' } else { text[i].to_ascii_uppercase() };
        len += 1;
        i += 1;
    }
    name
}

/// Returns `bytes` as text; they are ASCII by construction.
pub(crate) const fn ascii(bytes: &[u8]) -> &str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}
