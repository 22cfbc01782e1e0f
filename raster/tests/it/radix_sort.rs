//! A radix sort: eight bits per pass, four passes of three grids each, against the sort of Rust.

use crate::compute::{Machine, screen};
use gallium_raster::{Host, Profile, Small, Tiny};
use pipe_core::{ConstantBuffer, ShaderBuffer, ShaderType};

/// The number of invocations that count and scatter, each over a run of keys.
const RUNS: u32 = 1024;

/// CONST[0]: the digit's shift, the keys per run, the number of keys. Buffers: keys, sorted keys,
/// and a table of words with a row of `RUNS` words per digit.
const DECLARE: &str = invocation!(
    "DCL CONST[0]
DCL BUFFER[0]
DCL BUFFER[1]
DCL BUFFER[2]
DCL MEMORY[0], SHARED
DCL TEMP[0..7]
IMM[0] UINT32 {0, 1, 4, 255}
IMM[1] UINT32 {1024, 4096, 0, 0}
"
);

/// Begins a loop over the keys of a run: TEMP[0] is (run, place, end), TEMP[1].x a key, TEMP[2].x
/// the place of its digit's word in the table, TEMP[3].x the word.
const EACH_KEY: &str = "UMAD TEMP[0].x, SV[1].xxxx, SV[2].xxxx, SV[0].xxxx
UMUL TEMP[0].y, TEMP[0].xxxx, CONST[0].yyyy
UADD TEMP[0].z, TEMP[0].yyyy, CONST[0].yyyy
UMIN TEMP[0].z, TEMP[0].zzzz, CONST[0].zzzz
BGNLOOP :0
  USGE TEMP[4].x, TEMP[0].yyyy, TEMP[0].zzzz
  UIF TEMP[4].xxxx
    BRK
  ENDIF
  UMUL TEMP[4].x, TEMP[0].yyyy, IMM[0].zzzz
  LOAD TEMP[1].x, BUFFER[0], TEMP[4].xxxx
  USHR TEMP[2].x, TEMP[1].xxxx, CONST[0].xxxx
  AND TEMP[2].x, TEMP[2].xxxx, IMM[0].wwww
  UMAD TEMP[2].x, TEMP[2].xxxx, IMM[1].xxxx, TEMP[0].xxxx
  UMUL TEMP[2].x, TEMP[2].xxxx, IMM[0].zzzz
  LOAD TEMP[3].x, BUFFER[2], TEMP[2].xxxx
";

/// Ends the loop and increments the word.
const NEXT_KEY: &str = "  UADD TEMP[3].x, TEMP[3].xxxx, IMM[0].yyyy
  STORE BUFFER[2].x, TEMP[2].xxxx, TEMP[3].xxxx
  UADD TEMP[0].y, TEMP[0].yyyy, IMM[0].yyyy
ENDLOOP :0
END
";

/// Stores a key at the place in its word.
const STORE_KEY: &str = "  UMUL TEMP[5].x, TEMP[3].xxxx, IMM[0].zzzz
  STORE BUFFER[1].x, TEMP[5].xxxx, TEMP[1].xxxx
";

/// Adds the words of a memory, from the place TEMP[1].x to an end, to TEMP[2].x. Runs a snippet for
/// each word, TEMP[3].x, before it is added.
macro_rules! sum {
    ($memory:literal, $end:literal, $each:literal) => {
        concat!(
            "BGNLOOP :0\n  USEQ TEMP[4].x, TEMP[1].xxxx, ",
            $end,
            "\n  UIF TEMP[4].xxxx\n    BRK\n  ENDIF\n  LOAD TEMP[3].x, ",
            $memory,
            ", TEMP[1].xxxx\n",
            $each,
            "  UADD TEMP[2].x, TEMP[2].xxxx, TEMP[3].xxxx\n\
             \x20 UADD TEMP[1].x, TEMP[1].xxxx, IMM[0].zzzz\nENDLOOP :0\n"
        )
    };
}

/// Replaces each word of the table with the sum of the words before it. An invocation handles one
/// digit's row: TEMP[1] is (place, end of the row), TEMP[2].x a sum. Sums of rows go through shared
/// memory.
const SCAN: &str = concat!(
    "UMUL TEMP[0].x, SV[0].xxxx, IMM[1].yyyy
UADD TEMP[0].y, TEMP[0].xxxx, IMM[1].yyyy
MOV TEMP[1].x, TEMP[0].xxxx
MOV TEMP[2].x, IMM[0].xxxx
",
    sum!("BUFFER[2]", "TEMP[0].yyyy", ""),
    "UMUL TEMP[5].x, SV[0].xxxx, IMM[0].zzzz
STORE MEMORY[0].x, TEMP[5].xxxx, TEMP[2].xxxx
BARRIER
MOV TEMP[2].x, IMM[0].xxxx
MOV TEMP[1].x, IMM[0].xxxx
",
    sum!("MEMORY[0]", "TEMP[5].xxxx", ""),
    "MOV TEMP[1].x, TEMP[0].xxxx\n",
    sum!("BUFFER[2]", "TEMP[0].yyyy", "  STORE BUFFER[2].x, TEMP[1].xxxx, TEMP[2].xxxx\n"),
    "END\n"
);

fn sorts<P: Profile>(count: usize) {
    let mut state = 1u64;
    let keys: Vec<u32> = (0..count)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32 ^ (state >> 20) as u32
        })
        .collect();
    let screen = screen::<P>();
    let table = vec![0; 256 * RUNS as usize];
    let mut machine = Machine::new(&screen, &[&keys, &vec![0; count], &table]);
    let (count_keys, scatter) = (
        format!("{DECLARE}{EACH_KEY}{NEXT_KEY}"),
        format!("{DECLARE}{EACH_KEY}{STORE_KEY}{NEXT_KEY}"),
    );
    let scan = format!("{DECLARE}{SCAN}");
    for pass in 0..4 {
        let (from, to) = (pass % 2, 1 - pass % 2);
        let view = |resource, words: usize| {
            let buffer_size = 4 * words as u32;
            Some(ShaderBuffer { resource, buffer_offset: 0, buffer_size })
        };
        let [a, b, c] = [from, to, 2].map(|buffer| machine.buffers[buffer]);
        let views = [view(a, count), view(b, count), view(c, table.len())];
        machine.context.set_shader_buffers(ShaderType::Compute, 0, &views, 0b111).unwrap();
        let run = (count as u32).div_ceil(RUNS);
        let constants = [8 * pass as u32, run, count as u32, 0];
        let constants = ConstantBuffer::User(bytemuck::cast_slice(&constants));
        machine.context.set_constant_buffer(ShaderType::Compute, 0, Some(constants)).unwrap();
        machine.context.clear_buffer(c, 0, 4 * table.len() as u32, &[0]).unwrap();
        machine.program(&count_keys, 0);
        machine.launch([64, 1, 1], [RUNS / 64, 1, 1]);
        machine.program(&scan, 4 * 256);
        machine.launch([256, 1, 1], [1, 1, 1]);
        machine.program(&scatter, 0);
        machine.launch([64, 1, 1], [RUNS / 64, 1, 1]);
    }
    let mut wanted = keys;
    wanted.sort_unstable();
    let sorted = machine.words(0, count as u32);
    let differs = sorted.iter().zip(&wanted).position(|(a, b)| a != b);
    assert_eq!(differs, None, "the first key that is elsewhere");
}

#[test]
fn a_million_keys() {
    sorts::<Host>(1_000_000);
}

/// Fewer keys than runs, and a short last run.
#[test]
fn few_keys_on_few_lanes() {
    sorts::<Tiny>(3_001);
    sorts::<Small>(1);
}
