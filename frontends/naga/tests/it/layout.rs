//! The places of members in buffers, for every shape of vector and matrix, in each kind of buffer.

use crate::common::translate;
use crate::run::run_with;

/// Kinds of buffers.
const SPACES: [&str; 3] = ["storage", "uniform", "immediate"];

/// Reads expressions of `input`, a buffer with the numbers of its words, and compares their bits.
#[track_caller]
fn check(space: &str, header: &str, members: &str, reads: &[(String, u32)]) {
    let stores: String = reads
        .iter()
        .enumerate()
        .map(|(at, (read, _))| format!("results[{at}] = bitcast<u32>({read});\n"))
        .collect();
    let binding = if space == "immediate" { "" } else { "@group(0) @binding(0)" };
    let wgsl = format!(
        "{header}
         struct Input {{ {members} }}
         {binding} var<{space}> input: Input;
         @group(0) @binding(1) var<storage, read_write> results: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{
             if i > 0 {{ return; }}
             // Not known to the compiler.
             let zero = i;
             let whole = input;
             {stores}
         }}"
    );
    let translation = translate(&wgsl, "main");
    let words: Vec<u32> = (0..64).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let results = vec![0xBAD; reads.len()];
    let got = match space {
        "storage" => run_with(&translation, &[words, results], &[]).remove(1),
        _ => run_with(&translation, &[results], &[&bytes]).remove(0),
    };
    for ((read, expected), got) in reads.iter().zip(got) {
        assert_eq!(got, *expected, "{space}: {read} of {members}");
    }
}

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

#[test]
fn vectors() {
    for space in SPACES {
        for kind in ["f32", "u32", "i32"] {
            for size in 2..=4 {
                let members = format!("first: {kind}, member: vec{size}<{kind}>, last: {kind}");
                // A vector of three is aligned as one of four, and the next scalar follows its third word.
                let start = if size == 2 { 2 } else { 4 };
                let mut reads = vec![("input.last".to_string(), start + size)];
                for at in 0..size {
                    let letter = COMPONENTS[at as usize];
                    for read in [
                        format!("input.member.{letter}"),
                        format!("whole.member.{letter}"),
                        format!("input.member[zero + {at}]"),
                    ] {
                        reads.push((read, start + at));
                    }
                }
                check(space, "", &members, &reads);
            }
        }
    }
}

#[test]
fn matrices() {
    for space in SPACES {
        for columns in 2..=4u32 {
            for rows in 2..=4u32 {
                let members = format!("member: mat{columns}x{rows}f, last: f32");
                let stride = if rows == 2 { 2 } else { 4 };
                let mut reads = vec![("input.last".to_string(), columns * stride)];
                for column in 0..columns {
                    for row in 0..rows {
                        let letter = COMPONENTS[row as usize];
                        for read in [
                            format!("input.member[{column}].{letter}"),
                            format!("whole.member[{column}].{letter}"),
                            format!("input.member[zero + {column}].{letter}"),
                            format!("input.member[zero + {column}][zero + {row}]"),
                            format!("whole.member[zero + {column}].{letter}"),
                        ] {
                            reads.push((read, column * stride + row));
                        }
                    }
                }
                check(space, "", &members, &reads);
            }
        }
    }
}

#[test]
fn arrays_of_matrices() {
    for columns in 2..=4u32 {
        for rows in 2..=4u32 {
            let stride = if rows == 2 { 2 } else { 4 };
            let element = columns * stride;
            let members = format!("members: array<mat{columns}x{rows}f, 3>");
            let mut reads = Vec::new();
            for at in 0..3 {
                let (column, row) = (at % columns, at % rows);
                let letter = COMPONENTS[row as usize];
                for read in [
                    format!("input.members[{at}][{column}].{letter}"),
                    format!("input.members[zero + {at}][zero + {column}].{letter}"),
                    format!("whole.members[zero + {at}][{column}].{letter}"),
                ] {
                    reads.push((read, at * element + column * stride + row));
                }
            }
            check("storage", "", &members, &reads);
            // Elements of a uniform buffer lie a multiple of four words apart.
            if element % 4 == 0 {
                check("uniform", "", &members, &reads);
            }
        }
    }
}

#[test]
fn structs_end_at_their_alignment() {
    // 20 bytes of members take 32: the vector aligns the struct to 16.
    let header = "struct Inner { vec: vec3f, a: u32, b: u32 }";
    let reads = [
        ("input.all[0].vec.z", 2),
        ("input.all[0].a", 3),
        ("input.all[0].b", 4),
        ("input.all[zero + 1].vec.x", 8),
        ("whole.all[1].a", 11),
        ("whole.all[zero + 1].b", 12),
        ("input.last", 16),
    ]
    .map(|(read, word)| (read.to_string(), word));
    for space in SPACES {
        check(space, header, "all: array<Inner, 2>, last: u32", &reads);
    }
}

#[test]
fn structs_within_structs() {
    let header = "struct Inner { a: f32, vectors: array<vec3f, 2>, b: f32 }";
    let members = "inner: Inner, c: f32, vector: vec3f, d: f32";
    let mut reads = vec![("input.inner.a".to_string(), 0)];
    for (at, word) in [4, 5, 6, 8, 9, 10].into_iter().enumerate() {
        let letter = COMPONENTS[at % 3];
        reads.push((format!("input.inner.vectors[zero + {}].{letter}", at / 3), word));
    }
    for (read, word) in [("inner.b", 12), ("c", 16), ("vector.x", 20), ("vector.z", 22), ("d", 23)]
    {
        reads.push((format!("input.{read}"), word));
        reads.push((format!("whole.{read}"), word));
    }
    for space in SPACES {
        check(space, header, members, &reads);
    }
}

#[test]
fn attributes_move_members() {
    let members = "a: u32, @align(32) b: u32, @size(12) c: u32, d: vec2u";
    let reads = [("input.a", 0), ("input.b", 8), ("input.c", 9), ("input.d.y", 13)]
        .map(|(read, word)| (read.to_string(), word));
    for space in SPACES {
        check(space, "", members, &reads);
    }
}
