//! Any words are decoded or refused. A decoded shader can be encoded and decoded again unchanged.

use os_shim::Memory;
use tgsi::{sanity, text, token};

/// Decodes any words or gets an error. Checks that a decoded shader can be encoded and decoded
/// again unchanged.
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
    // The text may be invalid, because token numbers may have no name. Parsing it must end.
    let _ = text::parse(&shader.to_string(), memory);
}
