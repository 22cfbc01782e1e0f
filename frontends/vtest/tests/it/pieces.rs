//! Transfers between shared memory and resources that the server copies in pieces.

use std::os::unix::fs::FileExt;

use crate::connection::{Connection, serve};
use crate::handshake::greet;

/// Returns a byte for each offset. The pattern has a different period than pieces and rows.
fn pattern(size: usize, seed: usize) -> Vec<u8> {
    (0..size).map(|at| (((at * 7 + seed) % 251) ^ (at / 65_537)) as u8).collect()
}

/// Transfers `region` (x, y, z, width, height, depth) of level 0 of resource 1 from its memory at
/// `offset`, or to it.
fn transfer(connection: &mut Connection, put: bool, region: [u32; 6], offset: u32) {
    let [x, y, z, width, height, depth] = region;
    let message = if put { 14 } else { 13 };
    connection.message(message, &[1, 0, x, y, z, width, height, depth, 0, offset]);
    connection.wait();
}

/// Uploads a level of `size`, then a box from `offset` on. Returns the level's new contents.
fn put(words: [u32; 10], size: usize, whole: [u32; 6], part: [u32; 6], offset: u32) -> Vec<u8> {
    let (bytes, ended) = serve(|connection| {
        greet(connection, 2);
        connection.message(12, &[&words[..], &[size as u32]].concat());
        connection.receive_file(1);
        connection.memories[&1].write_all_at(&pattern(size, 1), 0).unwrap();
        transfer(connection, true, whole, 0);
        connection.memories[&1].write_all_at(&pattern(size, 2), 0).unwrap();
        transfer(connection, true, part, offset);
        connection.memories[&1].write_all_at(&vec![0; size], 0).unwrap();
        transfer(connection, false, whole, 0);
        let mut bytes = vec![0; size];
        connection.memories[&1].read_exact_at(&mut bytes, 0).unwrap();
        bytes
    });
    assert!(ended.result.is_ok());
    assert_eq!(ended.refusals, 0);
    bytes
}

#[test]
fn boxes_of_several_layers_and_megabytes_keep_their_places() {
    // 704×1700×3 texels of a byte: a layer is more than a megabyte.
    let (row, layer) = (704, 704 * 1700);
    let (size, offset) = (3 * layer, 12_345);
    let words = [1, 3, 64, 8, 704, 1700, 3, 1, 0, 0];
    let (whole, part) = ([0, 0, 0, 704, 1700, 3], [10, 5, 1, 600, 1650, 2]);
    let bytes = put(words, size, whole, part, offset as u32);
    let (mut expected, source) = (pattern(size, 1), pattern(size, 2));
    for (z, y) in (0..2).flat_map(|z| (0..1650).map(move |y| (z, y))) {
        let (from, to) = (offset + z * layer + y * row, (z + 1) * layer + (y + 5) * row + 10);
        expected[to..to + 600].copy_from_slice(&source[from..from + 600]);
    }
    assert!(bytes == expected);
}

#[test]
fn megabytes_of_a_buffer_keep_their_places() {
    let (size, offset) = (3 << 20, 777);
    let words = [1, 0, 64, 0x10, size as u32, 1, 1, 1, 0, 0];
    let (whole, part) = ([0, 0, 0, size as u32, 1, 1], [3, 0, 0, 2_500_001, 1, 1]);
    let bytes = put(words, size, whole, part, offset as u32);
    let mut expected = pattern(size, 1);
    expected[3..][..2_500_001].copy_from_slice(&pattern(size, 2)[offset..][..2_500_001]);
    assert!(bytes == expected);
}
