//! Versions, capabilities, resources.

use gallium_vtest::caps::GlVersion;
use gallium_vtest::error::ClientError;

use crate::connection::{Connection, INLINE, serve};

pub fn greet(connection: &mut Connection, version: u32) -> [u32; 3] {
    connection.send(&[5, 0, 0, 0, 8, 0, 0, 0, b't', b'e', b's', b't', 0]);
    connection.message(10, &[]);
    connection.message(7, &[0, 0]);
    assert_eq!(connection.words(), [0, 10]);
    assert_eq!(connection.words(), [1, 7, 0]);
    connection.message(11, &[version]);
    connection.words()
}

#[test]
fn versions_are_negotiated() {
    for (offered, chosen) in [(0, 0), (1, 0), (2, 2), (3, 2)] {
        let (answer, ended) = serve(|connection| greet(connection, offered));
        assert_eq!(answer, [1, 11, chosen]);
        assert!(ended.result.is_ok());
    }
}

#[test]
fn capabilities_have_the_sizes_clients_expect() {
    let ((v2, v1), _) = serve(|connection| {
        greet(connection, 2);
        connection.message(9, &[]);
        connection.message(1, &[]);
        assert_eq!(connection.words(), [1377, 2]);
        let v2 = connection.receive(1376);
        assert_eq!(connection.words(), [309, 1]);
        (v2, connection.receive(308))
    });
    let word = |blob: &[u8], at: usize| u32::from_le_bytes(blob[at..at + 4].try_into().unwrap());
    let float = |at: usize| f32::from_bits(word(&v2, at));
    let has = |mask: usize, format: usize| v2[mask + format / 8] >> (format % 8) & 1 != 0;
    assert_eq!((word(&v2, 0), word(&v1, 0)), (2, 1));
    assert_eq!(v1[4..], v2[4..308], "the first version is the beginning of the second");
    // The least that the reference server needed for OpenGL 2.1: sampled and drawn to.
    for format in [1, 2, 67] {
        assert!(has(4, format) && has(68, format), "format {format}");
    }
    assert!(has(4, 19) || has(4, 20), "24 bits of depth, 8 of stencil");
    assert!(has(4, 104) || has(4, 100), "a texture in sRGB");
    assert!((130..=140).contains(&word(&v2, 264)), "integer shaders");
    assert_ne!(word(&v2, 260) & 1 << 15, 0, "fragment coordinate conventions");
    assert_ne!(word(&v2, 392) & 1 << 17, 0, "uploads in the stream");
    // Features that would make it OpenGL 3.0.
    assert_eq!(word(&v2, 260) & 1, 0, "independent blending");
    assert_eq!(word(&v2, 392) & 1 << 15, 0, "control of sRGB writes");
    assert!(word(&v2, 280) >= 4, "render targets");
    assert!(word(&v2, 764) >= 16, "sampler views");
    assert!(word(&v2, 356) >= 16, "attributes");
    assert!(word(&v2, 484) >= 2048, "texture size");
    assert!(float(312) >= 1.0 && float(328) >= 1.0, "points and lines");
    assert_eq!(word(&v2, 500), 0, "no atomic counters of their own");
}

/// `EXT_draw_buffers_indexed` and `EXT_clip_control` are extensions of OpenGL ES 3.0: the caps they
/// need are announced together with OpenGL 3.0, not with the desktop versions that include them.
#[test]
fn blend_functions_of_a_target_and_clip_control_come_with_3_0() {
    for (version, announced) in [(21, 0), (30, 1), (33, 1)] {
        let v2 = gallium_vtest::client::caps(&INLINE, GlVersion(version));
        let word = |at: usize| u32::from_le_bytes(v2[at..at + 4].try_into().unwrap());
        assert_eq!(word(260) >> 1 & 1, announced, "indep_blend_func to {version}");
        assert_eq!(word(392) >> 27 & 1, announced, "CLIP_HALFZ to {version}");
    }
}

#[test]
fn a_resource_shares_memory_and_keeps_what_is_put_into_it() {
    let (bytes, ended) = serve(|connection| {
        greet(connection, 2);
        // 4×2 texels of R8G8B8A8.
        connection.message(12, &[1, 2, 67, 0xa, 4, 2, 1, 1, 0, 0, 32]);
        connection.receive_file(1);
        use std::os::unix::fs::FileExt;
        let texels: Vec<u8> = (0..32).collect();
        connection.memories[&1].write_all_at(&texels, 0).unwrap();
        // Put the second row, forget the memory, get everything.
        connection.message(14, &[1, 0, 0, 1, 0, 4, 1, 1, 16, 16]);
        connection.wait();
        connection.memories[&1].write_all_at(&[9; 32], 0).unwrap();
        connection.message(13, &[1, 0, 0, 0, 0, 4, 2, 1, 32, 0]);
        connection.wait();
        let mut bytes = [0; 32];
        connection.memories[&1].read_exact_at(&mut bytes, 0).unwrap();
        connection.message(3, &[1]);
        bytes
    });
    assert_eq!(bytes[..16], [0; 16], "never written");
    assert_eq!(bytes[16..], (16..32).collect::<Vec<u8>>());
    assert!(ended.result.is_ok());
    assert_eq!(ended.refusals, 0);
}

#[test]
fn inline_transfers_answer_exactly_what_was_asked() {
    let (bytes, ended) = serve(|connection| {
        greet(connection, 0);
        // A 3×3 texture, one byte a texel.
        connection.message(2, &[5, 2, 64, 8, 3, 3, 1, 1, 0, 0]);
        // A 2×2 box at (1, 1), rows 3 bytes apart: 6 bytes of data, unaligned.
        let mut put = Vec::new();
        for word in [13u32, 5, 5, 0, 3, 9, 1, 1, 0, 2, 2, 1, 6] {
            put.extend(word.to_le_bytes());
        }
        put.extend([1, 2, 0, 3, 4, 0]);
        connection.send(&put);
        connection.message(4, &[5, 0, 3, 9, 0, 0, 0, 3, 3, 1, 9]);
        connection.receive(9)
    });
    assert_eq!(bytes, [0, 0, 0, 0, 1, 2, 0, 3, 4]);
    assert!(ended.result.is_ok());
}

#[test]
fn nonsense_disconnects() {
    type Check = fn(&ClientError) -> bool;
    let cases: [(&str, u32, &[u32], Check); 5] = [
        ("an unknown message", 99, &[], |error| matches!(error, ClientError::Protocol(_))),
        ("an unknown resource", 13, &[7, 0, 0, 0, 0, 1, 1, 1, 4, 0], |error| {
            matches!(error, ClientError::NoResource(7))
        }),
        ("a resource called 0", 2, &[0, 2, 67, 8, 1, 1, 1, 1, 0, 0], |error| {
            matches!(error, ClientError::Protocol(_))
        }),
        ("a command that is cut off", 6, &[7 | 8 << 16], |error| {
            matches!(error, ClientError::Truncated { command: 7 })
        }),
        ("an unknown command", 6, &[0xf0], |error| matches!(error, ClientError::Protocol(_))),
    ];
    for (what, command, words, expected) in cases {
        let (answer, ended) = serve(|connection| {
            connection.message(command, words);
            connection.message(10, &[]);
            connection.try_receive(8)
        });
        assert_eq!(answer, None, "{what}");
        let error = ended.result.expect_err(what);
        assert!(expected(&error), "{what}: {error}");
    }
}

/// A client that waits for a file learns from a byte without one that there is no room: OpenGL then
/// has no memory for the object, and the client goes on.
#[test]
fn objects_beyond_the_memory_are_refused_and_the_client_lives() {
    let ((), ended) = serve(|connection| {
        greet(connection, 2);
        // 4 GiB of texels, first with shared memory, then without.
        let words = [1, 2, 31, 8, 16384, 16384, 1, 1, 0, 0];
        connection.message(12, &[&words[..], &[64]].concat());
        assert!(!connection.try_receive_file(1));
        connection.message(2, &words);
        // The name of the first is free; the second is a shell.
        connection.message(3, &[1]);
        connection.message(12, &[1, 2, 67, 0xa, 4, 2, 1, 1, 0, 0, 32]);
        connection.receive_file(1);
        connection.wait();
    });
    assert!(ended.result.is_ok(), "{:?}", ended.result);
    assert_eq!(ended.refusals, 2);
}
