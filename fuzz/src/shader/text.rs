//! Any text is parsed or refused; what is parsed prints, and prints the same ever after.

use os_shim::Memory;
use tgsi::scan::ShaderInfo;
use tgsi::{sanity, text, token};

/// Parses any text, or has it refused; prints what is parsed, and checks that it prints the same
/// ever after.
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
    // Tokens do not hold every number that text does, and say so.
    if let Ok(tokens) = token::encode(&shader, memory) {
        let decoded = token::decode(&tokens, memory).expect("what is encoded can be decoded");
        assert_eq!(decoded.to_string(), printed);
    }
    sanity::check(&shader, &mut |finding| assert!(!finding.to_string().is_empty())).unwrap();
    ShaderInfo::new(&shader).unwrap();
}
