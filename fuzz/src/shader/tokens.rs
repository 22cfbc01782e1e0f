//! Any words are decoded or refused; what is decoded encodes to words that mean the same.

use os_shim::Memory;
use tgsi::{sanity, text, token};

/// Decodes any words, or has them refused; checks that what is decoded encodes to words of the same
/// meaning.
pub fn run(data: &[u8]) {
    let words: Vec<u32> =
        data.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let memory = Memory::system();
    let shader = match token::decode(&words, memory) {
        Ok(shader) => shader,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let encoded = token::encode(&shader, memory).expect("what came from tokens fits them");
    let again = token::decode(&encoded, memory).expect("what is encoded can be decoded");
    assert_eq!(again, shader);
    sanity::check(&shader, &mut |_| {}).unwrap();
    // The text of it need not be a shader's: numbers of tokens may have no name. It must end.
    let _ = text::parse(&shader.to_string(), memory);
}
