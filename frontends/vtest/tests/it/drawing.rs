//! Small pictures, drawn by hand-written streams.

use std::os::unix::fs::FileExt;

use crate::connection::{Connection, Ended, serve};
use crate::stream::{BLUE, CONSTANT, RED, SIZE, Stream, TRIANGLE, format, kind, words};

/// A target, called 1, of 8×8 pixels.
fn target(connection: &mut Connection) {
    let size = SIZE * SIZE * 4;
    connection.message(12, &[1, 2, format::R8G8B8A8_UNORM, 0xa, SIZE, SIZE, 1, 1, 0, 0, size]);
    connection.receive_file(1);
}

/// A buffer with these floats.
fn buffer(connection: &mut Connection, name: u32, floats: &[f32]) {
    let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
    let size = bytes.len() as u32;
    connection.message(12, &[name, 0, format::R8_UNORM, 0x10, size, 1, 1, 1, 0, 0, size]);
    connection.receive_file(name);
    connection.memories[&name].write_all_at(&bytes, 0).unwrap();
}

/// Reads the target as rows of letters: R, B, or the bytes of another colour.
fn picture(connection: &mut Connection) -> Vec<String> {
    connection.message(13, &[1, 0, 0, 0, 0, SIZE, SIZE, 1, SIZE * SIZE * 4, 0]);
    connection.wait();
    let mut bytes = vec![0; (SIZE * SIZE * 4) as usize];
    connection.memories[&1].read_exact_at(&mut bytes, 0).unwrap();
    let letter = |pixel: &[u8]| match pixel {
        [255, 0, 0, 255] => "R".to_owned(),
        [0, 0, 255, 255] => "B".to_owned(),
        other => format!("{other:?}"),
    };
    let row = |row: &[u8]| row.chunks_exact(4).map(letter).collect::<String>();
    bytes.chunks_exact(SIZE as usize * 4).map(row).collect()
}

/// Runs a session that has the [`TRIANGLE`] in buffer 2. `client` adds commands to the stream that
/// is sent last. `look` returns the outcome.
fn session<R>(
    client: impl FnOnce(&mut Connection, &mut Stream),
    look: impl FnOnce(&mut Connection) -> R,
) -> (R, Ended) {
    serve(|connection| {
        target(connection);
        buffer(connection, 2, &TRIANGLE);
        let mut stream = Stream::default();
        stream.upload(2, [48, 1, 1]);
        client(connection, &mut stream);
        connection.message(6, &stream.0);
        look(connection)
    })
}

/// Returns the target after a [`session`].
fn drawn(client: impl FnOnce(&mut Connection, &mut Stream)) -> (Vec<String>, Ended) {
    session(client, picture)
}

/// A shader that counts to a number and then is [`CONSTANT`].
fn counting(turns: u32) -> String {
    let head = CONSTANT.split("  0:").next().unwrap();
    format!(
        "{head}DCL TEMP[0..1]\nIMM[0] UINT32 {{0, 1, {turns}, 0}}\n  0: MOV TEMP[0].x, IMM[0].xxxx\n  \
         1: BGNLOOP :0\n  2: USEQ TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz\n  3: UIF TEMP[1].xxxx :0\n  \
         4: BRK\n  5: ENDIF\n  6: UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n  7: ENDLOOP :0\n  \
         8: MOV OUT[0], CONST[0]\n  9: END\n"
    )
}

/// Loops end after 2²⁰ iterations in any case. Only the draw with the endless loop is lost.
#[test]
fn fragments_of_endless_loops_draw_nothing() {
    let after = |turns: u32| {
        let (rows, ended) = drawn(|_, stream| {
            stream.triangle(&counting(turns), RED).draw(4, 3);
        });
        assert_eq!(ended.refusals, 0);
        rows
    };
    assert_eq!(after(1 << 20), HALF);
    assert_eq!(after((1 << 20) + 1), ["BBBBBBBB"; 8]);
    let (rows, _) = drawn(|_, stream| {
        stream.triangle(&counting(u32::MAX), BLUE).draw(4, 3);
        stream.shader(20, 1, CONSTANT).command(31, 0, &[20, 1]);
        let [r, g, b, a] = RED.map(f32::to_bits);
        stream.command(12, 0, &[1, 0, r, g, b, a]).draw(4, 3);
    });
    assert_eq!(rows, HALF);
}

#[test]
fn a_clear_fills_everything() {
    let (rows, ended) = serve(|connection| {
        target(connection);
        let mut stream = Stream::default();
        stream.context(1).draw_to(1, 1, format::R8G8B8A8_UNORM).clear(RED);
        connection.message(6, &stream.0);
        picture(connection)
    });
    assert_eq!(rows, ["RRRRRRRR"; 8]);
    assert_eq!(ended.refusals, 0);
}

/// The pixel centres on the diagonal lie on an edge that is neither a top nor a left edge: they
/// belong to the other half.
const HALF: [&str; 8] = [
    "RRRRRRRB", "RRRRRRBB", "RRRRRBBB", "RRRRBBBB", "RRRBBBBB", "RRBBBBBB", "RBBBBBBB", "BBBBBBBB",
];

#[test]
fn a_triangle_covers_its_pixels() {
    let (rows, ended) = drawn(|_, stream| {
        stream.triangle(CONSTANT, RED);
        stream.draw(4, 3);
    });
    assert_eq!(rows, HALF);
    assert_eq!(ended.refusals, 0);
}

/// Destroyed objects work until another object is bound, and so do unreferenced resources.
#[test]
fn what_is_bound_outlives_its_name() {
    let (rows, ended) = drawn(|connection, stream| {
        stream.triangle(CONSTANT, RED);
        for object in 1..=7 {
            stream.command(3, 0, &[object]);
        }
        connection.message(6, &stream.0);
        connection.message(3, &[2]);
        *stream = Stream::default();
        stream.draw(4, 3);
        // The shaders end here; later draws have no effect.
        stream.command(31, 0, &[0, 0]).command(31, 0, &[0, 1]).draw(4, 3);
    });
    assert_eq!(rows, HALF);
    assert_eq!(ended.refusals, 1, "the draw without shaders");
    assert!(ended.result.is_ok());
}

/// Indices start at the buffer's offset. The draw's start is not added to it.
#[test]
fn the_index_offset_includes_the_start() {
    let (rows, _) = drawn(|connection, stream| {
        // 16-bit indices: three to skip, then the triangle's.
        connection.message(12, &[9, 0, format::R8_UNORM, 0x20, 12, 1, 1, 1, 0, 0, 12]);
        connection.receive_file(9);
        let indices = [2u16, 2, 2, 0, 1, 2].map(u16::to_le_bytes);
        connection.memories[&9].write_all_at(indices.as_flattened(), 0).unwrap();
        stream.upload(9, [12, 1, 1]);
        stream.triangle(CONSTANT, RED);
        stream.command(11, 0, &[9, 2, 6]);
        stream.command(8, 0, &[3, 3, 4, 1, 1, 0, 0, 0, 0, 0, 2, 0]);
    });
    assert_eq!(rows, HALF);
}

/// Indices from the client's memory start at the place of their upload. The offset is that place
/// minus the draw's start, here 2 bytes before the buffer.
#[test]
fn uploaded_indices_lie_at_the_offset_plus_the_start() {
    let (rows, _) = drawn(|connection, stream| {
        // Bytes: two to skip, then the triangle's, which were the client's indices 4 to 6.
        connection.message(12, &[9, 0, format::R8_UNORM, 0x20, 8, 1, 1, 1, 0, 0, 8]);
        connection.receive_file(9);
        connection.memories[&9].write_all_at(&[2, 2, 0, 1, 2, 2, 2, 2], 0).unwrap();
        stream.upload(9, [8, 1, 1]);
        stream.triangle(CONSTANT, RED);
        stream.command(11, 0, &[9, 1, (-2i32).cast_unsigned()]);
        stream.command(8, 0, &[4, 3, 4, 1, 1, 0, 0, 0, 0, 0, 2, 0]);
    });
    assert_eq!(rows, HALF);
}

/// A client sends no scissor that equals a context's initial scissor, which is empty.
#[test]
fn the_scissor_is_empty_at_first() {
    const SCISSOR: u32 = 1 << 14;
    let (rows, ended) = drawn(|_, stream| {
        stream.triangle(CONSTANT, RED);
        let one = 1f32.to_bits();
        let state = 0x2000_0002 | SCISSOR;
        stream.create(kind::RASTERIZER, &[50, state, one, 0, 0, one, 0, 0, 0]);
        stream.command(2, kind::RASTERIZER, &[50]).draw(4, 3);
    });
    assert_eq!(rows, ["BBBBBBBB"; 8]);
    assert_eq!(ended.refusals, 0);
}

/// Text that does not fit into one command comes in pieces, and works when all pieces have arrived.
#[test]
fn a_shader_may_come_in_pieces() {
    let (rows, ended) = drawn(|connection, stream| {
        stream.triangle(CONSTANT, BLUE);
        let fixed = CONSTANT.replace("CONST[0]\n  1", "IMM[0]\n  1");
        let fixed = fixed.replace("DCL CONST[0]", "IMM[0] FLT32 { 1.0, 0.0, 0.0, 1.0 }");
        let mut bytes = fixed.into_bytes();
        bytes.push(0);
        let total = bytes.len() as u32;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let words = words(&bytes);
        let (first, second) = words.split_at(10);
        let piece = |offset: u32, words: &[u32]| [&[20, 1, offset, 100, 0], words].concat();
        stream.create(kind::SHADER, &piece(total, first));
        connection.message(6, &stream.0);
        *stream = Stream::default();
        stream.create(kind::SHADER, &piece(40 | 1 << 31, second));
        stream.command(31, 0, &[20, 1]).draw(4, 3);
    });
    assert_eq!(rows, HALF);
    assert_eq!(ended.refusals, 0);
}

/// A context samples a texture that another context has drawn to.
#[test]
fn contexts_share_resources_and_nothing_else() {
    let (rows, ended) = drawn(|connection, stream| {
        // Resource 8: one texel, cleared red by context 2.
        connection.message(12, &[8, 2, format::R8G8B8A8_UNORM, 0xa, 1, 1, 1, 1, 0, 0, 4]);
        connection.receive_file(8);
        stream.context(2).draw_to(1, 8, format::R8G8B8A8_UNORM).clear(RED);
        stream.triangle(CONSTANT, BLUE);
        let texture = "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n\
                           IMM[0] FLT32 { 0.5, 0.5, 0.0, 0.0 }\n\
                           0: TEX OUT[0], IMM[0], SAMP[0], 2D\n1: END\n";
        stream.shader(10, 1, texture).command(31, 0, &[10, 1]);
        let swizzle = 1 << 3 | 2 << 6 | 3 << 9;
        stream.create(kind::SAMPLER_VIEW, &[11, 8, format::R8G8B8A8_UNORM, 0, 0, swizzle]);
        stream.command(10, 0, &[1, 0, 11]);
        stream.create(kind::SAMPLER_STATE, &[12, 2 << 11, 0, 0, 0, 0, 0, 0, 0]);
        stream.command(18, 0, &[1, 0, 12]);
        stream.draw(4, 3);
    });
    assert_eq!(rows, HALF);
    assert_eq!(ended.refusals, 0);
}

/// A query's answer reaches the shared memory with the state "done", even for a type that does not
/// exist.
#[test]
fn queries_always_answer() {
    let (answers, _) = session(
        |connection, stream| {
            stream.triangle(CONSTANT, RED);
            for (query, kind) in [(30, 0), (31, 9), (32, 999)] {
                let memory = query + 10;
                buffer(connection, memory, &[0.0; 4]);
                stream.create(9, &[query, kind, 0, memory]);
            }
            stream.command(19, 0, &[30]).draw(4, 3).command(20, 0, &[30]);
            stream.command(20, 0, &[31]);
            for query in 30..33 {
                stream.command(21, 0, &[query, 0]);
            }
        },
        |connection| {
            connection.wait();
            [40, 41, 42].map(|memory: u32| {
                let mut block = [0; 16];
                connection.memories[&memory].read_exact_at(&mut block, 0).unwrap();
                let word = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().unwrap());
                (word(0), word(8))
            })
        },
    );
    // 7 + 6 + … + 1 pixels.
    assert_eq!(answers, [(1, 28), (1, 1), (1, 0)]);
}

/// Clears come as quads, which no query counts: their rasterizer has points of size 0 and lines of
/// width 0, and their fragments sample nothing. `glBitmap` samples, and is counted.
#[test]
fn queries_do_not_count_clears_that_are_drawn() {
    const SAMPLING: &str = "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n\
                            IMM[0] FLT32 { 0.5, 0.5, 0.0, 0.0 }\n\
                            0: TEX OUT[0], IMM[0], SAMP[0], 2D\n1: END\n";
    let (counts, ended) = session(
        |connection, stream| {
            stream.triangle(CONSTANT, RED);
            for query in [30, 31, 32] {
                buffer(connection, query + 10, &[0.0; 4]);
                stream.create(9, &[query, 0, 0, query + 10]);
            }
            stream.create(kind::RASTERIZER, &[50, 0x2000_0002, 0, 0, 0, 0, 0, 0, 0]);
            stream.shader(51, 1, SAMPLING);
            // A clear within a query that counts a draw before it and one after it.
            stream.command(19, 0, &[30]).draw(4, 3);
            stream.command(2, kind::RASTERIZER, &[50]);
            stream.command(19, 0, &[31]).draw(4, 3).command(20, 0, &[31]);
            stream.command(31, 0, &[51, 1]);
            stream.command(19, 0, &[32]).draw(4, 3).command(20, 0, &[32]);
            stream.command(31, 0, &[3, 1]).command(2, kind::RASTERIZER, &[7]);
            stream.draw(4, 3).command(20, 0, &[30]);
            for query in [30, 31, 32] {
                stream.command(21, 0, &[query, 0]);
            }
        },
        |connection| {
            connection.wait();
            [40, 41, 42].map(|memory: u32| {
                let mut count = [0; 4];
                connection.memories[&memory].read_exact_at(&mut count, 8).unwrap();
                u32::from_le_bytes(count)
            })
        },
    );
    // The triangle covers 7 + 6 + … + 1 = 28 pixels.
    assert_eq!(counts, [3 * 28, 0, 28]);
    assert_eq!(ended.refusals, 0);
}
