//! Whole sessions of protocol 0 as words, written by hand.

use crate::stream::{CONSTANT, RED, SIZE, Stream, TRIANGLE, bytes, format, kind, words};

/// A message of words.
fn message(session: &mut Vec<u32>, command: u32, words: &[u32]) {
    session.extend([words.len() as u32, command]);
    session.extend(words);
}

const TEXTURED: &str = "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nDCL SAMP[0]\n\
                        DCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\nIMM[0] FLT32 { 0.125, 0.0, 1.0, 0.0 }\n\
                        0: MUL TEMP[0], IN[0], IMM[0].xxxx\n1: BGNLOOP\n2: BRK\n3: ENDLOOP\n\
                        4: TEX OUT[0], TEMP[0], SAMP[0], 2D\n5: END\n";

/// Target 1, triangle 2, and the state that draws it with a fragment shader.
fn prepared(fragment: &str) -> (Vec<u32>, Stream) {
    let mut session = Vec::new();
    message(&mut session, 11, &[0]);
    message(&mut session, 2, &[1, 2, format::R8G8B8A8_UNORM, 0xa, SIZE, SIZE, 1, 1, 0, 0]);
    message(&mut session, 2, &[2, 0, format::R8_UNORM, 0x10, 48, 1, 1, 1, 0, 0]);
    // Eleven words, then the data.
    session.extend([11 + 12, 5, 2, 0, 48, 48, 0, 0, 0, 48, 1, 1, 48]);
    session.extend(TRIANGLE.map(f32::to_bits));
    let mut stream = Stream::default();
    stream.triangle(fragment, RED);
    (session, stream)
}

/// The end of a session: the stream, and a read of the target.
fn finished(mut session: Vec<u32>, stream: &Stream) -> Vec<u32> {
    message(&mut session, 6, &stream.0);
    message(&mut session, 7, &[1, 1]);
    let bytes = SIZE * SIZE * 4;
    message(&mut session, 4, &[1, 0, SIZE * 4, bytes, 0, 0, 0, SIZE, SIZE, 1, bytes]);
    message(&mut session, 3, &[2]);
    session
}

/// A triangle with this fragment shader.
pub fn triangle_with(fragment: &str) -> Vec<u8> {
    let (session, mut stream) = prepared(fragment);
    stream.draw(4, 3);
    bytes(&finished(session, &stream))
}

/// A red triangle on blue.
pub fn triangle() -> Vec<u8> {
    triangle_with(CONSTANT)
}

/// Returns the server's answers to [`triangle`]: version 0, not busy, and the picture.
pub fn triangle_answers() -> Vec<u8> {
    let mut answers = bytes(&[1, 11, 0, 1, 7, 0]);
    for y in 0..SIZE {
        for x in 0..SIZE {
            // Pixel centres on the diagonal belong to the other half.
            let red = x + y < SIZE - 1;
            answers.extend(if red { [255, 0, 0, 255] } else { [0, 0, 255, 255] });
        }
    }
    answers
}

/// A texture, with mipmaps, sampled; a copy, a blit, a depth buffer.
fn textured() -> Vec<u32> {
    let (mut session, mut stream) = prepared(TEXTURED);
    message(&mut session, 2, &[8, 2, format::R8G8B8A8_UNORM, 8, 4, 4, 1, 1, 2, 0]);
    session.extend([11 + 16, 5, 8, 0, 16, 64, 0, 0, 0, 4, 4, 1, 64]);
    session.extend((0..16).map(|texel| 0xff00_0000 | (texel * 0x0f0a05)));
    message(&mut session, 2, &[9, 2, 19, 1, SIZE, SIZE, 1, 1, 0, 0]);
    let swizzle = 1 << 3 | 2 << 6 | 3 << 9;
    stream.create(kind::SAMPLER_VIEW, &[11, 8, format::R8G8B8A8_UNORM, 0, 2 << 8, swizzle]);
    stream.command(10, 0, &[1, 0, 11]);
    let linear = 1 << 9 | 1 << 11 | 1 << 13;
    stream.create(kind::SAMPLER_STATE, &[12, linear, 0, 0, 2f32.to_bits(), 0, 0, 0, 0]);
    stream.command(18, 0, &[1, 0, 12]);
    stream.create(kind::SURFACE, &[13, 9, 19, 0, 0]).command(5, 0, &[1, 13, 1]);
    stream.command(7, 0, &[7, 0, 0, 0, 0, 0, 0x3ff0_0000, 0]);
    stream.create(kind::DSA, &[14, 1 | 2 | 1 << 2, 0x1 | 7 << 1, 0, 0]);
    stream.command(2, kind::DSA, &[14]).command(13, 0, &[0x0201]);
    stream.command(15, 0, &[0, 0, 6 | 6 << 16]);
    stream.draw(4, 3);
    // A copy between levels, and a blit that scales.
    stream.command(17, 0, &[8, 1, 0, 0, 0, 8, 0, 0, 0, 0, 2, 2, 1]);
    let blit = [0x10f, 0, 0, 1, 0, format::R8G8B8A8_UNORM, 0, 0, 0, 4, 4, 1];
    let from = [8, 0, format::R8G8B8A8_UNORM, 0, 0, 0, 2, 2, 1];
    stream.command(16, 0, &[&blit[..], &from[..]].concat());
    stream.command(47, 0, &[8, 0, 0, 0, 0, 2, 2, 1, 0xff00, 0, 0, 0]);
    finished(session, &stream)
}

/// Indexed and instanced draws, queries, uniform buffers, conditions, barriers, the end of a
/// context.
fn varied() -> Vec<u32> {
    let (mut session, mut stream) = prepared(CONSTANT);
    message(&mut session, 2, &[9, 0, format::R8_UNORM, 0x20, 8, 1, 1, 1, 0, 0]);
    session.extend([11 + 2, 5, 9, 0, 8, 8, 0, 0, 0, 8, 1, 1, 8, 0x0001_0000, 0x0000_0002]);
    message(&mut session, 2, &[10, 0, format::R8_UNORM, 0x20000, 16, 1, 1, 1, 0, 0]);
    stream.create(9, &[20, 0, 0, 10]).command(19, 0, &[20]);
    stream.command(11, 0, &[9, 2, 0]);
    stream.command(8, 0, &[0, 3, 5, 1, 2, 0, 0, 1, 0xffff, 0, 2, 0]);
    stream.command(20, 0, &[20]).command(21, 0, &[20, 0]).command(26, 0, &[20, 0, 0]);
    stream.command(27, 0, &[1, 1, 0, 16, 9]).command(39, 0, &[3]).command(36, 0, &[1]);
    stream.command(23, 0, &[0; 32]).command(22, 0, &[!0; 32]).command(24, 0, &[!0]);
    for primitive in 0..10 {
        stream.draw(primitive, 3);
    }
    stream.command(9, 0, &[9, 0, 2, 0, 0, 0, 0, 0, 4, 1, 1, 0x0002_0001]);
    stream.command(26, 0, &[0, 0, 0]).command(3, 9, &[20]).command(30, 0, &[1]);
    finished(session, &stream)
}

/// The fuzz target starts from these sessions. `GALLIUM_ACCEPT=1` writes them.
#[test]
fn the_fuzzing_corpus_holds_the_sessions() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/fuzz/corpus/session");
    for (name, session) in ["triangle", "textured", "varied"].into_iter().zip(all()) {
        let path = folder.join(name);
        if std::env::var_os("GALLIUM_ACCEPT").is_some() {
            std::fs::write(&path, bytes(&session)).expect("a folder to write to");
        }
        assert_eq!(std::fs::read(&path).expect("a session"), bytes(&session), "{name}");
    }
}

/// All sessions, as words.
pub fn all() -> Vec<Vec<u32>> {
    vec![words(&triangle()), textured(), varied()]
}
