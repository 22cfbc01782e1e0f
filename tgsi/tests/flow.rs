//! Control flow with diverging lanes.

mod common;

use common::{compiled, constant_buffer, run_all, run_batch};
use gallium_tgsi::compile::{CompileError, CompileOptions, compile};
use gallium_tgsi::exec::{self, ExecError, NoResources};
use gallium_tgsi::opcode::Opcode;
use gallium_tgsi::text;
use os_shim::Memory;

/// Runs a vertex shader body once for each value of `IN[0].x` (an integer); returns `OUT[0].x`.
#[track_caller]
fn integers(body: &str, inputs: &[i32]) -> Vec<i32> {
    let source = format!(
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0..9]\nDCL TEMP[10..13], ARRAY(1), LOCAL\n\
         DCL ADDR[0]\nIMM[0] INT32 {{0, 1, 2, 3}}\nIMM[1] INT32 {{4, 5, 10, -1}}\n{body}\nEND\n"
    );
    let registers: Vec<_> = inputs.iter().map(|&x| vec![[x as u32, 0, 0, 0]]).collect();
    let results = run_all(&source, &registers, &[]);
    results.into_iter().map(|lane| lane.expect("nothing is killed")[0][0] as i32).collect()
}

const SAMPLE: [i32; 23] =
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -1, -2, -3, 100, 3, 3, 4, 1, 0, 2, 12];

#[track_caller]
fn check(body: &str, expected: impl Fn(i32) -> i32) {
    let results = integers(body, &SAMPLE);
    for (&x, result) in SAMPLE.iter().zip(results) {
        assert_eq!(result, expected(x), "for {x} in\n{body}");
    }
}

#[test]
fn branches() {
    check(
        "MOV TEMP[0].x, IMM[0].xxxx
         ISLT TEMP[1].x, IN[0].xxxx, IMM[0].wwww
         UIF TEMP[1].xxxx
           UADD TEMP[0].x, IN[0].xxxx, IMM[1].zzzz
         ELSE
           UMUL TEMP[0].x, IN[0].xxxx, IMM[0].zzzz
         ENDIF
         MOV OUT[0], TEMP[0]",
        |x| if x < 3 { x + 10 } else { x * 2 },
    );
}

#[test]
fn branches_within_branches() {
    check(
        "ISLT TEMP[1].x, IN[0].xxxx, IMM[1].yyyy
         ISLT TEMP[1].y, IN[0].xxxx, IMM[0].zzzz
         MOV TEMP[0].x, IMM[1].wwww
         MOV TEMP[2].x, IMM[0].wwww
         UIF TEMP[1].xxxx
           UIF TEMP[1].yyyy
             MOV TEMP[0].x, IMM[0].yyyy
           ELSE
             UMOD TEMP[0].x, IN[0].xxxx, IMM[0].zzzz
             UDIV TEMP[2].x, IN[0].xxxx, IMM[0].zzzz
             UMOD TEMP[3].x, IN[0].xxxx, IMM[1].xxxx
             UADD TEMP[2].x, TEMP[2].xxxx, TEMP[3].xxxx
           ENDIF
           UADD TEMP[0].x, TEMP[0].xxxx, IMM[1].zzzz
         ENDIF
         UADD OUT[0].x, TEMP[0].xxxx, TEMP[2].xxxx",
        |x| {
            let (mut t0, mut t2) = (-1, 3);
            if x < 5 {
                if x < 2 {
                    t0 = 1;
                } else {
                    t0 = x % 2;
                    t2 = x / 2 + x % 4;
                }
                t0 += 10;
            }
            t0 + t2
        },
    );
}

#[test]
fn a_float_condition_takes_nan_and_not_zeros() {
    let source = "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0]\nIMM[0] INT32 {0, 1, 2, 3}\n\
                  MOV TEMP[0].x, IMM[0].xxxx\nIF IN[0].xxxx\nMOV TEMP[0].x, IMM[0].yyyy\nENDIF\n\
                  MOV OUT[0], TEMP[0]\nEND\n";
    let floats = [0.0, -0.0, 1.0, -1e-40, f32::NAN, f32::INFINITY];
    let inputs: Vec<_> = floats.iter().map(|x| vec![[x.to_bits(), 0, 0, 0]]).collect();
    let taken: Vec<_> =
        run_all(source, &inputs, &[]).into_iter().map(|lane| lane.unwrap()[0][0]).collect();
    assert_eq!(taken, [0, 0, 1, 1, 1, 1]);
}

#[test]
fn a_loop_with_a_break() {
    // The sum of 0 to x - 1.
    check(
        "MOV TEMP[0].xy, IMM[0].xxxx
         BGNLOOP
           ISGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx
           UIF TEMP[1].xxxx
             BRK
           ENDIF
           UADD TEMP[0].y, TEMP[0].yyyy, TEMP[0].xxxx
           UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
         ENDLOOP
         MOV OUT[0].x, TEMP[0].yyyy",
        |x| (0..x).sum(),
    );
}

#[test]
fn a_loop_with_continue() {
    // The sum of the odd numbers below x.
    check(
        "MOV TEMP[0].xy, IMM[0].xxxx
         BGNLOOP
           ISGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx
           UIF TEMP[1].xxxx
             BRK
           ENDIF
           MOV TEMP[2].x, TEMP[0].xxxx
           UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
           AND TEMP[1].x, TEMP[2].xxxx, IMM[0].yyyy
           UIF TEMP[1].xxxx
           ELSE
             CONT
           ENDIF
           UADD TEMP[0].y, TEMP[0].yyyy, TEMP[2].xxxx
         ENDLOOP
         MOV OUT[0].x, TEMP[0].yyyy",
        |x| (0..x).filter(|i| i % 2 == 1).sum(),
    );
}

#[test]
fn values_swap_around_a_loop() {
    // Fibonacci: a, b = b, a + b, with the swap through phis.
    check(
        "MOV TEMP[0].x, IMM[0].xxxx
         MOV TEMP[0].yz, IMM[0].xyxx
         BGNLOOP
           ISGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx
           UIF TEMP[1].xxxx
             BRK
           ENDIF
           UADD TEMP[2].x, TEMP[0].yyyy, TEMP[0].zzzz
           MOV TEMP[0].y, TEMP[0].zzzz
           MOV TEMP[0].z, TEMP[2].xxxx
           MOV TEMP[3].xy, TEMP[3].yxxx
           UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
         ENDLOOP
         MOV OUT[0].x, TEMP[0].yyyy",
        |x| {
            let (mut a, mut b) = (1i32, 0i32);
            for _ in 0..x.max(0) {
                (a, b) = (b, a.wrapping_add(b));
            }
            // TEMP[0].yz starts as (IMM[0].y, IMM[0].x) = (1, 0).
            a
        },
    );
    check(
        "MOV TEMP[0].xyz, IMM[0].xyzw
         BGNLOOP
           ISGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx
           UIF TEMP[1].xxxx
             BRK
           ENDIF
           MOV TEMP[0].yz, TEMP[0].xzyy
           UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
         ENDLOOP
         UMUL TEMP[0].y, TEMP[0].yyyy, IMM[1].zzzz
         UADD OUT[0].x, TEMP[0].yyyy, TEMP[0].zzzz",
        |x| if x > 0 && x % 2 == 1 { 21 } else { 12 },
    );
}

#[test]
fn loops_within_loops() {
    // The number of pairs (i, j) with j < i < x, leaving the inner loop at j = 3.
    check(
        "MOV TEMP[0], IMM[0].xxxx
         BGNLOOP
           ISGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx
           UIF TEMP[1].xxxx
             BRK
           ENDIF
           MOV TEMP[0].y, IMM[0].xxxx
           BGNLOOP
             ISGE TEMP[1].x, TEMP[0].yyyy, TEMP[0].xxxx
             USEQ TEMP[1].y, TEMP[0].yyyy, IMM[0].wwww
             OR TEMP[1].x, TEMP[1].xxxx, TEMP[1].yyyy
             UIF TEMP[1].xxxx
               BRK
             ENDIF
             UADD TEMP[0].z, TEMP[0].zzzz, IMM[0].yyyy
             UADD TEMP[0].y, TEMP[0].yyyy, IMM[0].yyyy
           ENDLOOP
           UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
         ENDLOOP
         MOV OUT[0].x, TEMP[0].zzzz",
        |x| (0..x).map(|i| i.min(3)).sum(),
    );
}

#[test]
fn a_loop_that_ends_in_a_break_runs_once() {
    check(
        "MOV TEMP[0].x, IN[0].xxxx
         BGNLOOP
           ISLT TEMP[1].x, TEMP[0].xxxx, IMM[0].wwww
           UIF TEMP[1].xxxx
             UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
             CONT
           ENDIF
           UADD TEMP[0].x, TEMP[0].xxxx, IMM[1].zzzz
           BRK
           MOV TEMP[0].x, IMM[0].xxxx
         ENDLOOP
         MOV OUT[0].x, TEMP[0].xxxx",
        |x| x.max(3) + 10,
    );
}

#[test]
fn returns_from_main() {
    check(
        "MOV OUT[0].x, IMM[1].wwww
         ISLT TEMP[1].x, IN[0].xxxx, IMM[0].wwww
         UIF TEMP[1].xxxx
           UMUL OUT[0].x, IN[0].xxxx, IMM[1].zzzz
           RET
         ENDIF
         MOV TEMP[0].x, IMM[0].xxxx
         BGNLOOP
           USEQ TEMP[1].x, TEMP[0].xxxx, IMM[1].yyyy
           UIF TEMP[1].xxxx
             BRK
           ENDIF
           USEQ TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx
           UIF TEMP[1].xxxx
             RET
           ENDIF
           UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
           MOV OUT[0].x, TEMP[0].xxxx
         ENDLOOP
         UADD OUT[0].x, OUT[0].xxxx, IMM[1].zzzz",
        |x| match x {
            i32::MIN..3 => x * 10,
            3 | 4 => x,
            _ => 15,
        },
    );
}

#[test]
fn subroutines() {
    // Absolute value by a subroutine that returns early, called twice.
    let body = "MOV TEMP[0].x, IN[0].xxxx
         CAL :N
         MOV TEMP[3].x, TEMP[0].xxxx
         UADD TEMP[0].x, IN[0].xxxx, IMM[1].wwww
         CAL :N
         UADD OUT[0].x, TEMP[3].xxxx, TEMP[0].xxxx
         END
         BGNSUB
           ISGE TEMP[1].x, TEMP[0].xxxx, IMM[0].xxxx
           UIF TEMP[1].xxxx
             RET
           ENDIF
           INEG TEMP[0].x, TEMP[0].xxxx
         ENDSUB";
    let source = format!(
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0..9]\n\
         IMM[0] INT32 {{0, 1, 2, 3}}\nIMM[1] INT32 {{4, 5, 10, -1}}\n{}\n",
        body.replace(":N", ":7")
    );
    let inputs: Vec<_> = SAMPLE.iter().map(|&x| vec![[x as u32, 0, 0, 0]]).collect();
    for (lane, &x) in run_all(&source, &inputs, &[]).iter().zip(&SAMPLE) {
        assert_eq!(lane.as_ref().unwrap()[0][0] as i32, x.abs() + (x - 1).abs(), "{x}");
    }
}

#[test]
fn recursion_is_refused() {
    let source = "VERT\nDCL OUT[0], GENERIC[0]\nCAL :2\nEND\nBGNSUB\nCAL :2\nENDSUB\n";
    let memory = Memory::system();
    let shader = text::parse(source, memory).unwrap();
    let error = compile(&shader, &CompileOptions::DEFAULT, memory).unwrap_err();
    assert!(matches!(error, CompileError::Depth { opcode: Opcode::Cal, .. }), "{error}");
}

#[test]
fn switches() {
    check(
        "MOV TEMP[0].x, IMM[1].wwww
         SWITCH IN[0].xxxx
           CASE IMM[0].xxxx
             MOV TEMP[0].x, IMM[1].zzzz
             BRK
           CASE IMM[0].yyyy
             UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].wwww
           CASE IMM[0].zzzz
             UADD TEMP[0].x, TEMP[0].xxxx, IMM[1].zzzz
             BRK
           CASE IMM[1].xxxx
             UADD TEMP[0].x, TEMP[0].xxxx, IMM[1].xxxx
           DEFAULT
             UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
         ENDSWITCH
         MOV OUT[0].x, TEMP[0].xxxx",
        |x| match x {
            0 => 10,
            1 => -1 + 3 + 10,
            2 => -1 + 10,
            4 => -1 + 4 + 1,
            _ => 0,
        },
    );
}

#[test]
fn a_default_may_come_first_and_a_break_may_depend() {
    check(
        "MOV TEMP[0].x, IMM[0].xxxx
         SWITCH IN[0].xxxx
           DEFAULT
             UADD TEMP[0].x, TEMP[0].xxxx, IMM[1].zzzz
             ISLT TEMP[1].x, IN[0].xxxx, IMM[0].xxxx
             UIF TEMP[1].xxxx
               BRK
             ENDIF
           CASE IMM[0].wwww
             UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
             BRK
           CASE IMM[0].yyyy
             UADD TEMP[0].x, TEMP[0].xxxx, IMM[1].yyyy
         ENDSWITCH
         MOV OUT[0].x, TEMP[0].xxxx",
        |x| match x {
            3 => 1,
            1 => 5,
            _ if x < 0 => 10,
            _ => 11,
        },
    );
}

#[test]
fn a_switch_in_a_loop_continues_it() {
    // Counts down from x. Adds 1 for multiples of 3, adds 5 for numbers one above them, and skips
    // numbers two above them.
    check(
        "MOV TEMP[0].x, IMM[0].xxxx
         MOV TEMP[0].y, IN[0].xxxx
         BGNLOOP
           ISGE TEMP[1].x, IMM[0].xxxx, TEMP[0].yyyy
           UIF TEMP[1].xxxx
             BRK
           ENDIF
           UADD TEMP[0].y, TEMP[0].yyyy, IMM[1].wwww
           UMOD TEMP[1].x, TEMP[0].yyyy, IMM[0].wwww
           SWITCH TEMP[1].xxxx
             CASE IMM[0].xxxx
               UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
               BRK
             CASE IMM[0].zzzz
               CONT
             DEFAULT
               UADD TEMP[0].x, TEMP[0].xxxx, IMM[1].yyyy
           ENDSWITCH
           UADD TEMP[0].x, TEMP[0].xxxx, IMM[1].zzzz
         ENDLOOP
         MOV OUT[0].x, TEMP[0].xxxx",
        |x| (0..x).map(|i| [11, 15, 0][i as usize % 3]).sum(),
    );
}

#[test]
fn computed_addresses() {
    check(
        "UARL ADDR[0].x, IN[0].xxxx
         MOV TEMP[10].x, IMM[1].xxxx
         MOV TEMP[ADDR[0].x+10](1).x, IN[0].xxxx
         UADD TEMP[12].x, TEMP[12].xxxx, IMM[1].zzzz
         MOV TEMP[0].x, TEMP[ADDR[0].x+11](1).xxxx
         UMUL TEMP[1].x, TEMP[10].xxxx, IMM[1].zzzz
         UADD OUT[0].x, TEMP[0].xxxx, TEMP[1].xxxx",
        |x| {
            let mut array = [4, 0, 0, 0];
            if let Some(slot) = array.get_mut(x as usize) {
                *slot = x;
            }
            array[2] += 10;
            array.get((x + 1) as usize).copied().unwrap_or(0) + array[0] * 10
        },
    );
}

#[test]
fn computed_addresses_in_branches_touch_their_lanes_only() {
    check(
        "UARL ADDR[0].x, IN[0].xxxx
         AND TEMP[1].x, IN[0].xxxx, IMM[0].yyyy
         UIF TEMP[1].xxxx
           MOV TEMP[ADDR[0].x+10](1).x, IMM[1].yyyy
           MOV TEMP[13].x, IMM[1].zzzz
         ENDIF
         UADD TEMP[0].x, TEMP[10].xxxx, TEMP[11].xxxx
         UADD OUT[0].x, TEMP[0].xxxx, TEMP[13].xxxx",
        |x| match x {
            1 => 15,
            _ if x & 1 == 1 => 10,
            _ => 0,
        },
    );
}

#[test]
fn constants_and_immediates_at_computed_addresses() {
    let source = "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL CONST[0][0..3]\nDCL CONST[1][0..1]\n\
        DCL ADDR[0..1]\nIMM[0] FLT32 {1.0, 2.0, 3.0, 4.0}\nIMM[1] FLT32 {5.0, 6.0, 7.0, 8.0}\n\
        UARL ADDR[0].x, IN[0].xxxx\nUARL ADDR[1].x, IN[0].yyyy\n\
        MOV OUT[0].x, CONST[ADDR[0].x+1].yyyy\nMOV OUT[0].y, CONST[ADDR[1].x][1].xxxx\n\
        MOV OUT[0].z, IMM[ADDR[0].x].zzzz\nMOV OUT[0].w, CONST[1][ADDR[0].x].wwww\nEND\n";
    let first = constant_buffer(&(0..16).map(|i| i as f32).collect::<Vec<_>>());
    let second = constant_buffer(&(0..8).map(|i| 100.0 + i as f32).collect::<Vec<_>>());
    let inputs: Vec<_> = [(0, 0), (1, 1), (2, 2), (3, 0), (-1i32, -1i32), (1 << 30, 1)]
        .iter()
        .map(|&(x, y)| vec![[x as u32, y as u32, 0, 0]])
        .collect();
    let results: Vec<_> = run_all(source, &inputs, &[&first, &second])
        .into_iter()
        .map(|lane| lane.unwrap()[0].map(f32::from_bits))
        .collect();
    assert_eq!(
        results,
        [
            [5.0, 4.0, 3.0, 103.0],
            [9.0, 104.0, 7.0, 107.0],
            [13.0, 0.0, 0.0, 0.0],
            [0.0, 4.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 104.0, 0.0, 0.0],
        ]
    );
}

#[test]
fn kill_keeps_the_others() {
    let source = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {1.0, 0.0, 3.0, 0.0}\n\
        KILL_IF IN[0].xyxx\nFSEQ TEMP[0].x, IN[0].xxxx, IMM[0].zzzz\nUIF TEMP[0].xxxx\nKILL\nENDIF\n\
        MOV OUT[0], IN[0].xxxx\nEND\n";
    let values = [
        (0.0, 0.0, true),
        (-0.0, 1.0, true),
        (-1.0, 1.0, false),
        (1.0, -1e-40, false),
        (f32::NAN, 2.0, true),
        (3.0, 1.0, false),
        (5.0, f32::NEG_INFINITY, false),
    ];
    let inputs: Vec<_> =
        values.iter().map(|&(x, y, _)| vec![[x, y, 0.0, 0.0].map(f32::to_bits)]).collect();
    let results = run_all(source, &inputs, &[]);
    let alive: Vec<_> = results.iter().map(Option::is_some).collect();
    assert_eq!(alive, values.map(|(_, _, alive)| alive));
}

#[test]
fn endless_loops_are_an_error() {
    for body in [
        "BGNLOOP\nENDLOOP",
        "BGNLOOP\nUADD TEMP[0].x, TEMP[0].xxxx, IN[0].xxxx\nENDLOOP",
        "BGNLOOP\nUIF IN[0].xxxx\nBRK\nENDIF\nBGNLOOP\nBRK\nENDLOOP\nENDLOOP",
        "BGNLOOP\nCONT\nENDLOOP",
    ] {
        let source = format!(
            "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0]\n{body}\nMOV OUT[0], TEMP[0]\nEND\n"
        );
        let compiled = compiled(&source, true);
        let program = compiled.program();
        let mut rows = vec![[0u32; 4]; program.rows.into()];
        exec::prepare(&program, &mut rows, &[]).unwrap();
        let result = exec::run(&program, &mut rows, 0xF, &[], &mut NoResources);
        assert_eq!(result, Err(ExecError::Budget { limit: 10_000 }), "{body}");
    }
}

#[test]
fn blocks_that_do_not_match_are_refused() {
    for (body, opcode) in [
        ("ENDIF", Opcode::Endif),
        ("ELSE", Opcode::Else),
        ("BRK", Opcode::Brk),
        ("CONT", Opcode::Cont),
        ("ENDLOOP", Opcode::Endloop),
        ("BGNLOOP", Opcode::End),
        ("UIF IN[0].xxxx", Opcode::End),
        ("UIF IN[0].xxxx\nBGNLOOP\nENDIF\nENDLOOP", Opcode::Endif),
        ("UIF IN[0].xxxx\nELSE\nELSE\nENDIF", Opcode::Else),
        ("CASE IN[0].xxxx", Opcode::Case),
        ("ENDSWITCH", Opcode::Endswitch),
        ("ENDSUB", Opcode::Endsub),
        ("BGNSUB", Opcode::Bgnsub),
        ("CAL :0", Opcode::Cal),
    ] {
        let source = format!("VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\n{body}\nEND\n");
        let memory = Memory::system();
        let shader = text::parse(&source, memory).unwrap();
        match compile(&shader, &CompileOptions::DEFAULT, memory) {
            Err(CompileError::Nesting { opcode: found, .. }) => assert_eq!(found, opcode, "{body}"),
            other => panic!("{body}: {:?}", other.map(|compiled| compiled.program().body.len())),
        }
    }
}

#[test]
fn only_live_lanes_and_their_quads_run() {
    // Lanes that are not live would never leave the loop.
    let source = "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL TEMP[0]\n\
        IMM[0] INT32 {1, 77, 0, 0}\nBGNLOOP\nUSEQ TEMP[0].x, IN[0].xxxx, IMM[0].xxxx\n\
        UIF TEMP[0].xxxx\nBRK\nENDIF\nENDLOOP\nMOV OUT[0], IMM[0].yyyy\nEND\n";
    let compiled = compiled(source, true);
    let inputs: Vec<_> = (0..16).map(|lane| vec![[(lane / 4 == 1) as u32; 4]]).collect();
    let results =
        run_batch::<[u32; 16]>(&compiled.program(), &inputs, 0b0010_0000, &[], &mut NoResources);
    assert_eq!(results.alive, 0b0010_0000);
    assert_eq!(results.lanes[5][0], [77; 4]);
}

/// Compute programs may be entered only at their subroutines; other stages begin at 0.
#[test]
fn entries_are_subroutines_of_compute_programs() {
    let entered = |source: &str, entry| {
        let shader = text::parse(source, Memory::system()).expect("it parses");
        let options = CompileOptions { entry, ..CompileOptions::DEFAULT };
        compile(&shader, &options, Memory::system()).map(|compiled| compiled.program().body.len())
    };
    let body = "DCL BUFFER[0]\nIMM[0] UINT32 {0, 1, 2, 3}\nEND\n\
        BGNSUB\nSTORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy\nRET\nENDSUB\n";
    let (compute, vertex) = (format!("COMP\n{body}"), format!("VERT\n{body}"));
    assert_eq!(entered(&compute, 0), Ok(0), "the program itself does nothing");
    assert_eq!(entered(&compute, 1), Ok(1), "one store");
    for entry in [2, 4, 5, u32::MAX] {
        assert_eq!(entered(&compute, entry), Err(CompileError::Entry { entry }));
    }
    assert_eq!(entered(&vertex, 1), Err(CompileError::Entry { entry: 1 }));
    // A subroutine without an end reaches the end of the program.
    let open = "COMP\nBGNSUB\nNOP\nEND\n";
    assert!(
        matches!(entered(open, 0), Err(CompileError::Nesting { .. })),
        "{:?}",
        entered(open, 0)
    );
}
