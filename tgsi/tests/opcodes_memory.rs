//! Loads, stores, atomics: every opcode, in range and out of range, and the requests they make.

mod common;

use common::table::*;
use common::{Registers, run_all, run_all_with};
use gallium_tgsi::exec::{
    AtomicCode, HANDLE, Lanes, MemoryRequest, MemorySpace, Resources, SampleRequest,
};
use std::fmt::Write;

/// Buffers by slot, shared memory, and a log of all further requests.
struct Memories {
    buffers: Vec<Vec<u8>>,
    shared: Vec<u8>,
    log: String,
}

impl Memories {
    fn new(words: &[u32]) -> Memories {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Memories { buffers: vec![bytes.clone(), bytes.clone()], shared: bytes, log: String::new() }
    }

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }
}

impl<R: Lanes> Resources<R> for Memories {
    fn memory(&mut self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        match request.space {
            MemorySpace::Shared => request.access(&mut self.shared, out),
            MemorySpace::Buffer | MemorySpace::Counter => {
                if let Some(buffer) = self.buffers.get_mut(request.unit as usize) {
                    request.access(buffer, out);
                }
            }
            _ => {
                let lane = |row: &R| row.as_slice()[0] as i32;
                let at = request.address.map(lane);
                let value = request.value.map(lane);
                let (kind, space, unit) = (request.kind, request.space, request.unit);
                let (target, format) = (request.target, request.format.name());
                let live = request.live & 0xF;
                writeln!(
                    self.log,
                    "{kind:?} {space:?} {unit} {target} {format} {at:?} {value:?} {live:b}"
                )
                .unwrap();
                for (component, row) in out.iter_mut().enumerate() {
                    *row = R::splat(10 + component as u32);
                }
            }
        }
    }
}

const HEAD: &str = "COMP\nDCL IN[0..1]\nDCL OUT[0], GENERIC[0]\nDCL BUFFER[0..1]\nDCL MEMORY[1], SHARED\n\
    DCL HWATOMIC[0][0..3]\nDCL HWATOMIC[1][0..3]\nDCL ADDR[0..2]\nDCL TEMP[0..3]\nDCL CONST[0..1]\n\
    DCL CONST[1][0..3]\nDCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\n\
    DCL IMAGE[1], CUBEARRAY, PIPE_FORMAT_R32_SINT, WR\nIMM[0] UINT32 {0, 4, 8, 100}\n\
    IMM[1] INT32 {1, -1, 5, 7}\n";

/// Runs `body` over `inputs` with memories of `words`; returns the outputs and passes each run's
/// memories to `look`.
#[track_caller]
fn run(body: &str, inputs: &[Registers], words: &[u32], look: impl Fn(&Memories)) -> Vec<Vec4> {
    let source = format!("{HEAD}{body}\nEND\n");
    let results = run_all_with(&source, inputs, &[], |_| Memories::new(words), look);
    results.into_iter().map(|lane| lane.unwrap()[0]).collect()
}

fn lanes(values: &[Vec4]) -> Vec<Registers> {
    values.iter().map(|&value| vec![value, [3, 4, 5, 6]]).collect()
}

#[test]
fn loads() {
    let words = [11, 22, 33, 44, 55];
    // A span that does not fit returns 0 in every component; offsets need not be aligned.
    let offsets = lanes(&[u(0, 9, 9, 9), u(4, 9, 9, 9), u(8, 9, 9, 9), u(ALL, 0, 0, 0)]);
    for name in ["BUFFER[1]", "MEMORY[0]"] {
        let got = run(&format!("LOAD OUT[0], {name}, IN[0]"), &offsets, &words, |_| {});
        assert_eq!(got, [[11, 22, 33, 44], [22, 33, 44, 55], [0; 4], [0; 4]]);
        let got = run(&format!("LOAD OUT[0].y, {name}, IN[0]"), &offsets, &words, |_| {});
        assert_eq!(got, [[0, 22, 0, 0], [0, 33, 0, 0], [0, 44, 0, 0], [0; 4]]);
    }
    let got = run("LOAD OUT[0].x, BUFFER[0], IN[0]", &lanes(&[u(1, 0, 0, 0)]), &words, |_| {});
    assert_eq!(got, [[22 << 24, 0, 0, 0]]);
    // A missing buffer.
    let got = run(
        "UARL ADDR[2].x, IN[0].xxxx\nLOAD OUT[0].x, BUFFER[ADDR[2].x], IMM[0].xxxx",
        &lanes(&[u(0, 0, 0, 0), u(1, 0, 0, 0), u(2, 0, 0, 0), u(ALL, 0, 0, 0)]),
        &words,
        |_| {},
    );
    assert_eq!(got, [[11, 0, 0, 0], [11, 0, 0, 0], [0; 4], [0; 4]]);
}

#[test]
fn loads_of_one_address() {
    let words = [11, 22, 33, 44, 55];
    // Whole batches and parts of them; all lanes load the same words, or all but one.
    for count in [1, 3, 16, 61, 64] {
        for odd in [None, Some(0), Some(count / 2), Some(count - 1)] {
            let odd = |lane| Some(lane) == odd;
            let at = |lane| u(if odd(lane) { 100 } else { 8 }, 0, 0, 0);
            let offsets: Vec<Vec4> = (0..count).map(at).collect();
            let got = run("LOAD OUT[0].xy, BUFFER[0], IN[0]", &lanes(&offsets), &words, |_| {});
            for (lane, got) in got.into_iter().enumerate() {
                let expected = if odd(lane) { [0; 4] } else { [33, 44, 0, 0] };
                assert_eq!(got, expected, "lane {lane} of {count}");
            }
        }
    }
}

#[test]
fn loads_of_constants() {
    let source = "COMP\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL CONST[1][0..1]\n\
        LOAD OUT[0].xy, CONSTBUF[1], IN[0].xxxx\nEND\n";
    let bytes: Vec<u8> = [7u32, 8, 9].iter().flat_map(|word| word.to_le_bytes()).collect();
    let inputs: Vec<Registers> = [0u32, 4, 8].iter().map(|&at| vec![u(at, 0, 0, 0)]).collect();
    let results = run_all(source, &inputs, &[&[], &bytes]);
    let got: Vec<_> = results.into_iter().map(|lane| lane.unwrap()[0]).collect();
    assert_eq!(got, [[7, 8, 0, 0], [8, 9, 0, 0], [0; 4]]);
}

#[test]
fn stores() {
    let store = |mask: &str, offsets: &[Vec4], expected: &[u32]| {
        for name in ["BUFFER[0]", "MEMORY[0]"] {
            let body = format!("STORE {name}{mask}, IN[0], IN[1]");
            run(&body, &lanes(offsets), &[0; 5], |memories| {
                let shared = name == "MEMORY[0]";
                let bytes = if shared { &memories.shared } else { &memories.buffers[0] };
                assert_eq!(Memories::words(bytes), expected, "{body}");
                assert_eq!(Memories::words(&memories.buffers[1]), [0; 5]);
            });
        }
    };
    store("", &[u(4, 0, 0, 0)], &[0, 3, 4, 5, 6]);
    // Components beyond the end are dropped, and the components before it are stored.
    store("", &[u(12, 0, 0, 0)], &[0, 0, 0, 3, 4]);
    store(".yw", &[u(0, 0, 0, 0)], &[0, 4, 0, 6, 0]);
    store(
        ".x",
        &[u(0, 0, 0, 0), u(8, 0, 0, 0), u(100, 0, 0, 0), u(ALL, 0, 0, 0)],
        &[3, 0, 3, 0, 0],
    );
}

#[test]
fn halves() {
    // 1, -2, 65504 and the smallest subnormal.
    let words = [0xC000_3C00, 0x0001_7BFF, 7];
    let at = lanes(&[u(0, 0, 0, 0), u(2, 0, 0, 0), u(4, 0, 0, 0), u(ALL, 0, 0, 0)]);
    let tiny = 1.0 / 16777216.0;
    for name in ["BUFFER[1]", "MEMORY[0]"] {
        let body = format!("LOAD OUT[0].xyz, {name}, IN[0], PIPE_FORMAT_R16_FLOAT");
        let got = run(&body, &at, &words, |_| {});
        let seven = 7.0 * tiny;
        let expected =
            [f(1.0, -2.0, 65504.0, 0.0), f(-2.0, 65504.0, tiny, 0.0), f(65504.0, tiny, seven, 0.0)];
        assert_eq!(got[..3], expected);
        // The fourth of them begins at the end.
        assert_eq!(got[3], [0; 4]);
        let body = format!("LOAD OUT[0], {name}, IN[0], PIPE_FORMAT_R16_FLOAT");
        let last = run(&body, &lanes(&[u(6, 0, 0, 0)]), &words, |_| {});
        assert_eq!(last, [[0; 4]]);
    }
    let value = vec![u(2, 0, 0, 0), f(1.5, 65520.0, -0.0, 2049.0)];
    run(
        "STORE BUFFER[0].xyw, IN[0], IN[1], PIPE_FORMAT_R16_FLOAT",
        &[value],
        &[0x1111_1111; 3],
        |memories| {
            // At bytes 2, 4 and 8: 1.5, infinity, and 2048, as ties go to even.
            let expected = [0x3E00_1111, 0x1111_7C00, 0x1111_6800];
            assert_eq!(Memories::words(&memories.buffers[0]), expected);
        },
    );
    // Lanes that share words.
    let each: Vec<Registers> =
        (0..6).map(|lane| vec![u(2 * lane, 0, 0, 0), f(lane as f32, 0.0, 0.0, 0.0)]).collect();
    run("STORE MEMORY[0].x, IN[0], IN[1], PIPE_FORMAT_R16_FLOAT", &each, &[0; 3], |memories| {
        assert_eq!(Memories::words(&memories.shared), [0x3C00_0000, 0x4200_4000, 0x4500_4400]);
    });
}

#[test]
fn halves_of_constants() {
    let source = "COMP\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL CONST[0][0]\n\
        LOAD OUT[0].xy, CONSTBUF[0], IN[0].xxxx, PIPE_FORMAT_R16_FLOAT\nEND\n";
    let inputs: Vec<Registers> = [0u32, 2, 4].iter().map(|&at| vec![u(at, 0, 0, 0)]).collect();
    // Three halves: 1, 2, 3.
    let results = run_all(source, &inputs, &[&[0x00, 0x3C, 0x00, 0x40, 0x00, 0x42]]);
    let got: Vec<_> = results.into_iter().map(|lane| lane.unwrap()[0]).collect();
    assert_eq!(got, [f(1.0, 2.0, 0.0, 0.0), f(2.0, 3.0, 0.0, 0.0), [0; 4]]);
}

#[test]
fn stores_of_branches_and_discarded_lanes() {
    let inputs: Vec<_> = (0..4).map(|lane| vec![u(lane, 4 * lane, 0, 0); 2]).collect();
    run(
        "UIF IN[0].xxxx\nSTORE BUFFER[0].x, IN[0].yyyy, IN[1].yyyy\nENDIF",
        &inputs,
        &[7; 4],
        |memories| {
            assert_eq!(Memories::words(&memories.buffers[0]), [7, 4, 8, 12]);
        },
    );
    // Discarded fragments keep running as helpers, and store nothing.
    let source = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL BUFFER[0]\nDCL TEMP[0]\n\
        IMM[0] UINT32 {1, 0, 0, 0}\nUSEQ TEMP[0].x, IN[0].xxxx, IMM[0].xxxx\nUIF TEMP[0].xxxx\nKILL\nENDIF\n\
        STORE BUFFER[0].x, IN[0].yyyy, IN[0].yyyy\nLOAD OUT[0].x, BUFFER[0], IN[0].yyyy\nEND\n";
    let three = &inputs[..3];
    let results = run_all_with(
        source,
        three,
        &[],
        |_| Memories::new(&[7; 4]),
        |memories| {
            assert_eq!(Memories::words(&memories.buffers[0]), [0, 7, 8, 7]);
        },
    );
    assert!(results[1].is_none() && results[2].as_ref().unwrap()[0][0] == 8);
}

#[test]
fn atomics() {
    let minus = |x: u32| x.wrapping_neg();
    let one = |x: f32| x.to_bits();
    for (opcode, old, operands, new) in [
        ("ATOMUADD", 5, [7, 0], 12),
        ("ATOMUADD", ALL, [2, 0], 1),
        ("ATOMFADD", one(1.5), [one(2.25), 0], one(3.75)),
        ("ATOMXCHG", 5, [7, 0], 7),
        ("ATOMAND", 0b1100, [0b1010, 0], 0b1000),
        ("ATOMOR", 0b1100, [0b1010, 0], 0b1110),
        ("ATOMXOR", 0b1100, [0b1010, 0], 0b0110),
        ("ATOMUMIN", minus(1), [3, 0], 3),
        ("ATOMUMAX", minus(1), [3, 0], minus(1)),
        ("ATOMIMIN", minus(1), [3, 0], minus(1)),
        ("ATOMIMAX", minus(1), [3, 0], 3),
        // The value to compare with, then the new value.
        ("ATOMCAS", 5, [5, 9], 9),
        ("ATOMCAS", 5, [6, 9], 5),
        ("ATOMINC_WRAP", 5, [7, 0], 6),
        ("ATOMINC_WRAP", 7, [7, 0], 0),
        ("ATOMINC_WRAP", 9, [7, 0], 0),
        ("ATOMDEC_WRAP", 5, [7, 0], 4),
        ("ATOMDEC_WRAP", 0, [7, 0], 7),
        ("ATOMDEC_WRAP", 9, [7, 0], 7),
    ] {
        for name in ["BUFFER[0]", "MEMORY[0]"] {
            let third = if opcode == "ATOMCAS" { ", IN[1].yyyy" } else { "" };
            let body = format!("{opcode} OUT[0].x, {name}, IMM[0].yyyy, IN[1].xxxx{third}");
            let inputs = [vec![[0; 4], u(operands[0], operands[1], 0, 0)]];
            let got = run(&body, &inputs, &[1, old, 1], |memories| {
                let shared = name == "MEMORY[0]";
                let bytes = if shared { &memories.shared } else { &memories.buffers[0] };
                assert_eq!(Memories::words(bytes), [1, new, 1], "{body}");
            });
            assert_eq!(got, [[old, 0, 0, 0]], "{body} gives the old value");
            // Out of range nothing is written, and the result is 0.
            let body = body.replace("IMM[0].yyyy, IN[1].xxxx", "IMM[0].wwww, IN[1].xxxx");
            let got = run(&body, &inputs, &[1, old, 1], |memories| {
                assert_eq!(Memories::words(&memories.shared), [1, old, 1]);
                assert_eq!(Memories::words(&memories.buffers[0]), [1, old, 1]);
            });
            assert_eq!(got, [[0; 4]]);
        }
    }
    assert_eq!(AtomicCode::IncrementWrap.apply(ALL, ALL, 0), 0);
}

#[test]
fn atomics_take_turns() {
    // Four lanes count in one word: each gets the value that the previous lane left.
    let inputs = lanes(&[[0; 4]; 4]);
    let got =
        run("ATOMUADD OUT[0], BUFFER[1], IMM[0].xxxx, IMM[1].zzzz", &inputs, &[1], |memories| {
            assert_eq!(Memories::words(&memories.buffers[1]), [21]);
        });
    assert_eq!(got, [[1; 4], [6; 4], [11; 4], [16; 4]]);
}

#[test]
fn counters() {
    // The index is the counter; the offset is ignored.
    let body = "UARL ADDR[2].x, IMM[1].xxxx\n\
        ATOMUADD OUT[0].x, HWATOMIC[1][2], IMM[0].wwww, IMM[1].xxxx\n\
        ATOMUADD OUT[0].y, HWATOMIC[0][ADDR[2].x+2], IMM[0].xxxx, IMM[1].yyyy\n\
        LOAD OUT[0].z, HWATOMIC[0][3], IMM[0].xxxx";
    let got = run(body, &lanes(&[[0; 4]]), &[10, 20, 30, 40], |memories| {
        assert_eq!(Memories::words(&memories.buffers[1]), [10, 20, 31, 40]);
        assert_eq!(Memories::words(&memories.buffers[0]), [10, 20, 30, 39]);
    });
    assert_eq!(got, [[30, 40, 39, 0]]);
}

#[test]
fn sizes() {
    let body = "RESQ OUT[0].x, BUFFER[1]\nRESQ OUT[0].yw, IMAGE[1], CUBEARRAY";
    let got = run(body, &lanes(&[[0; 4]]), &[1, 2, 3], |memories| {
        let asked = "Size Image 1 CUBEARRAY R32_SINT [0, 0, 0, 0] [0, 0, 0, 0] 1\n";
        assert_eq!(memories.log, asked);
    });
    assert_eq!(got, [[12, 11, 0, 13]]);
}

#[test]
fn images() {
    for (body, asked, got) in [
        (
            "LOAD OUT[0], IMAGE[0], IN[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM",
            "Load Image 0 2D R8G8B8A8_UNORM [1, 2, 3, 4] [0, 0, 0, 0] 1\n",
            [10, 11, 12, 13],
        ),
        (
            // All components are stored, whatever the mask is.
            "STORE IMAGE[0].x, IN[0], IN[1]",
            "Store Image 0 2D R32_UINT [1, 2, 3, 4] [3, 4, 5, 6] 1\n",
            [0; 4],
        ),
        (
            "ATOMUADD OUT[0].x, IMAGE[1], IN[0], IMM[1].zzzz",
            "Atomic(Add) Image 1 CUBEARRAY R32_SINT [1, 2, 3, 4] [5, 0, 0, 0] 1\n",
            [10, 0, 0, 0],
        ),
        (
            // A number below the handles that no slot has.
            "MOV TEMP[0], IMM[0].wwww\nLOAD OUT[0].x, TEMP[0], IN[0], 3D, PIPE_FORMAT_R32_FLOAT",
            "Load Image 65534 3D R32_FLOAT [1, 2, 3, 4] [0, 0, 0, 0] 1\n",
            [10, 0, 0, 0],
        ),
        (
            "STORE CONST[0], IN[0], IN[1], 2D, PIPE_FORMAT_R32_FLOAT",
            "Store Image 65534 2D R32_FLOAT [1, 2, 3, 4] [3, 4, 5, 6] 1\n",
            [0; 4],
        ),
        (
            "IMG2HND TEMP[0].xy, IMAGE[1]\nUADD OUT[0].xy, TEMP[0], IMM[0].yxxx",
            "",
            [0x8000_0005, 0, 0, 0],
        ),
        ("SAMP2HND OUT[0].xy, SAMP[3]", "", [0x8000_0003, 0, 0, 0]),
    ] {
        let inputs = [vec![u(1, 2, 3, 4), u(3, 4, 5, 6)]];
        let outputs = run(body, &inputs, &[], |memories| assert_eq!(memories.log, asked, "{body}"));
        assert_eq!(outputs, [got], "{body}");
    }
}

#[test]
fn helpers_touch_no_image() {
    let source = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR[3]\nDCL IMAGE[0], 2D, PIPE_FORMAT_NONE\n\
        FBFETCH OUT[0].xy, OUT[0]\nLOAD OUT[0].zw, IMAGE[0], IN[0]\nEND\n";
    let inputs = vec![vec![[1; 4]]; 3];
    let results = run_all_with(
        source,
        &inputs,
        &[],
        |_| Memories::new(&[]),
        |memories| {
            let asked = "Load ColorBuffer 3 BUFFER NONE [0, 0, 0, 0] [0, 0, 0, 0] 1111\n\
            Load Image 0 2D NONE [1, 1, 1, 1] [0, 0, 0, 0] 111\n";
            assert_eq!(memories.log, asked);
        },
    );
    assert_eq!(results[0].as_ref().unwrap()[0], [10, 11, 12, 13]);
}

/// Returns the units that lookups name.
struct Units;

impl<R: Lanes> Resources<R> for Units {
    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        *out = [R::splat(request.view); 4];
    }
}

#[test]
fn bindless_textures_may_differ_by_lane() {
    let source = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL TEMP[0]\n\
        MOV TEMP[0], IN[0]\nTEX OUT[0].x, IN[0], TEMP[0], 2D\nTXF OUT[0].y, IN[0], IN[0].yyyy, 2D\nEND\n";
    let inputs: Vec<_> =
        [70_000, 5, 70_000, 0x8000_0007].map(|handle| vec![u(handle, 66_000, 0, 0)]).into();
    let results = run_all_with(source, &inputs, &[], |_| Units, |_| {});
    let got: Vec<_> = results.into_iter().map(|lane| lane.unwrap()[0][..2].to_vec()).collect();
    // A number that is not a handle becomes one that no slot has; a slot's handle becomes the slot.
    let none = HANDLE.into();
    assert_eq!(got, [[70_000, 66_000], [none, 66_000], [70_000, 66_000], [7, 66_000]]);
}

#[test]
fn without_resources_memory_reads_zero() {
    let source = format!(
        "{HEAD}STORE BUFFER[0], IN[0], IN[1]\nLOAD OUT[0].xy, BUFFER[0], IN[0]\n\
        ATOMUADD OUT[0].zw, MEMORY[0], IN[0], IN[1]\nEND\n"
    );
    let results = run_all(&source, &lanes(&[[0; 4]; 5]), &[]);
    assert!(results.iter().all(|lane| lane.as_ref().unwrap()[0] == [0; 4]));
}
