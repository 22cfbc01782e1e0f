//! Any text is parsed or refused. Printing a parsed shader and parsing it again changes nothing.

use os_shim::Memory;
use tgsi::scan::ShaderInfo;
use tgsi::{sanity, text, token};

/// Parses any text or gets an error. Prints a parsed shader, and checks that parsing and printing
/// it again gives the same text.
pub fn run(data: &[u8]) {
    let Ok(source) = core::str::from_utf8(data) else { return };
    let memory = Memory::system();
    let shader = match text::parse(source, memory) {
        Ok(shader) => shader,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let printed = shader.to_string();
    let again = text::parse(&printed, memory).expect("what is printed is a shader");
    assert_eq!(again.to_string(), printed);
    // Tokens cannot represent every number that text can; encoding then returns an error.
    if let Ok(tokens) = token::encode(&shader, memory) {
        let decoded = token::decode(&tokens, memory).expect("what is encoded can be decoded");
        assert_eq!(decoded.to_string(), printed);
    }
    sanity::check(&shader, &mut |finding| assert!(!finding.to_string().is_empty())).unwrap();
    ShaderInfo::new(&shader).unwrap();
}
