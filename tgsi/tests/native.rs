//! Programs give the same results with and without native bodies.

mod common;

use common::{Registers, constant_buffer, run_batch};
use gallium_tgsi::exec::{
    ExecError, Lanes, Mask, NoResources, Resources, SampleRequest, all_lanes,
};
use gallium_tgsi::exec::{native::Native, prepare, run};
use gallium_tgsi::program::Program;
use tgsi_macros::tgsi;

tgsi! {
    crate = ::gallium_tgsi;
    native;
    /// Straight on: arithmetic of every kind, a texture, derivatives, constants.
    static STRAIGHT: FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL IN[1], GENERIC[1], CONSTANT
    DCL OUT[0], COLOR
    DCL OUT[1], COLOR[1]
    DCL SAMP[0]
    DCL SVIEW[0], 2D, FLOAT
    DCL CONST[0..7]
    DCL TEMP[0..5]
    DCL ADDR[0]
    IMM[0] FLT32 {0.5, 2.0, -1.0, 3.0}
    IMM[1] INT32 {7, -3, 31, 1}
    MUL TEMP[0], IN[0], CONST[0]
    MAD TEMP[0], CONST[1], IN[0].yyyy, -TEMP[0]
    TEX TEMP[1], TEMP[0].xyyy, SAMP[0], 2D
    SIN TEMP[2].x, TEMP[1].xxxx
    EX2 TEMP[2].y, TEMP[0].yyyy
    POW TEMP[2].z, |TEMP[0].zzzz|, IMM[0].xxxx
    DDX TEMP[2].w, TEMP[0].xxxx
    FMA TEMP[2].xy, TEMP[2], IMM[0].wwww, TEMP[1]
    LRP TEMP[3], TEMP[1], TEMP[2], CONST[3]
    CMP TEMP[3], TEMP[0], TEMP[3], IMM[0]
    IDIV TEMP[4], IN[1], IMM[1]
    UMAD TEMP[4], TEMP[4], IN[1].yyyy, IMM[1]
    IBFE TEMP[4].xy, TEMP[4], IMM[1].wwww, IMM[1].xxxx
    AND ADDR[0].x, IN[1].xxxx, IMM[1].wwww
    ADD TEMP[3], TEMP[3], CONST[ADDR[0].x+2]
    KILL_IF TEMP[0].wwww
    MOV_SAT OUT[0], TEMP[3]
    MOV OUT[1], TEMP[4]
    END
}

tgsi! {
    crate = ::gallium_tgsi;
    native;
    /// Branches, loops, a switch, lanes that leave early, registers at computed addresses.
    static BRANCHES: FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL IN[1], GENERIC[1], CONSTANT
    DCL OUT[0], COLOR
    DCL OUT[1], COLOR[1]
    DCL TEMP[0..3]
    DCL TEMP[4..7], ARRAY(1), LOCAL
    DCL ADDR[0]
    IMM[0] INT32 {0, 1, 3, 5}
    IMM[1] FLT32 {0.0, 1.0, 0.25, -0.5}
    MOV TEMP[0], IMM[0].xxxx
    MOV TEMP[1], IN[0]
    BGNLOOP
      ISGE TEMP[0].y, TEMP[0].xxxx, IMM[0].wwww
      UIF TEMP[0].yyyy
        BRK
      ENDIF
      UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
      FSLT TEMP[0].z, TEMP[1].xxxx, IMM[1].xxxx
      UIF TEMP[0].zzzz
        ADD TEMP[1].x, TEMP[1].xxxx, IMM[1].yyyy
        CONT
      ELSE
        MUL TEMP[1].x, TEMP[1].xxxx, IMM[1].wwww
      ENDIF
      AND ADDR[0].x, TEMP[0].xxxx, IMM[0].zzzz
      MOV TEMP[ADDR[0].x+4](1), TEMP[1]
      BGNLOOP
        UADD TEMP[0].w, TEMP[0].wwww, IMM[0].yyyy
        USGE TEMP[2].x, TEMP[0].wwww, IN[1].yyyy
        UIF TEMP[2].xxxx
          BRK
        ENDIF
      ENDLOOP
    ENDLOOP
    AND TEMP[2].x, IN[1].xxxx, IMM[0].zzzz
    SWITCH TEMP[2].xxxx
    CASE IMM[0].xxxx
      ADD TEMP[1].y, TEMP[1].yyyy, IMM[1].yyyy
      BRK
    CASE IMM[0].yyyy
      ADD TEMP[1].z, TEMP[1].zzzz, IMM[1].yyyy
    DEFAULT
      MUL TEMP[1].w, TEMP[1].wwww, IMM[1].wwww
      BRK
    ENDSWITCH
    IF IN[0].wwww
      KILL_IF TEMP[1].xxxx
      UIF IN[1].zzzz
        MOV OUT[1], TEMP[0]
        RET
      ENDIF
      MOV TEMP[1].x, TEMP[5].yyyy
    ENDIF
    ADD OUT[0], TEMP[1], TEMP[ADDR[0].x+4](1)
    MOV OUT[1], TEMP[0]
    END
}

tgsi! {
    crate = ::gallium_tgsi;
    native;
    /// Ops that call the interpreter's functions: doubles, votes, lanes.
    static REACHING: FRAG
    DCL SV[0], SUBGROUP_INVOCATION
    DCL SV[1], SUBGROUP_GT_MASK
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL IN[1], GENERIC[1], CONSTANT
    DCL OUT[0], COLOR
    DCL OUT[1], COLOR[1]
    DCL TEMP[0..3]
    IMM[0] FLT32 {0.5, 2.0, -1.0, 3.0}
    MUL TEMP[0], IN[0], IMM[0]
    F2D TEMP[1], TEMP[0].xyxy
    DADD TEMP[1], TEMP[1], TEMP[1]
    D2F TEMP[2].xy, TEMP[1]
    VOTE_ANY TEMP[2].z, IN[1].xxxx
    UIF IN[1].xxxx
      BALLOT TEMP[3].xy, IN[1].yyyy
      ADD TEMP[2].x, TEMP[2].xxxx, TEMP[0].wwww
    ENDIF
    MOV OUT[0], TEMP[2]
    UADD OUT[1].xy, TEMP[3], SV[1]
    MOV OUT[1].z, SV[0].xxxx
    END
}

/// A texture that computes a formula of its coordinates.
struct Formula;

impl<R: Lanes> Resources<R> for Formula {
    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let [s, t, _] = request.coord.map(R::as_slice);
        for lane in (0..R::COUNT).filter(|lane| request.live >> lane & 1 != 0) {
            let (s, t) = (f32::from_bits(s[lane]), f32::from_bits(t[lane]));
            let texel = [s * 0.5, t + 1.0, s * t, 0.75];
            for (out, value) in out.iter_mut().zip(texel) {
                out.as_mut_slice()[lane] = value.to_bits();
            }
        }
    }
}

/// Returns the inputs of a batch: floats in the first register, integers in the second.
fn inputs(seed: u32) -> Vec<Registers> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    let mut lane = || {
        let floats = std::array::from_fn(|_| {
            let corner = [0.0, -0.0, 1.0, f32::INFINITY, f32::NAN];
            match next() % 16 {
                at @ 0..5 => corner[at as usize].to_bits(),
                _ => ((next() % 4000) as f32 / 500.0 - 4.0).to_bits(),
            }
        });
        let integers = std::array::from_fn(|at| if at == 3 { next() } else { next() % 9 });
        vec![floats, integers]
    };
    (0..64).map(|_| lane()).collect()
}

fn check_width<R: Lanes>(program: &Program<'_>) {
    let interpreted = Program { native: Native::NONE, ..*program };
    assert!(R::native(&program.native).is_some(), "{} lanes", R::COUNT);
    let constants = constant_buffer(&(0..32).map(|i| i as f32 * 0.37 - 3.0).collect::<Vec<_>>());
    let all = all_lanes::<R>();
    for (seed, live) in
        [all, all & 0x0123_4567_89AB_CDEF, 0b10, 0, all, all >> 1].into_iter().enumerate()
    {
        let inputs = inputs(seed as u32 + 1);
        let run = |program: &Program<'_>| {
            run_batch::<R>(program, &inputs, live, &[&constants], &mut Formula)
        };
        let (got, expected) = (run(program), run(&interpreted));
        assert_eq!(got.alive, expected.alive);
        for lane in (0..R::COUNT).filter(|lane| expected.alive >> lane & 1 != 0) {
            let (got, expected) = (&got.lanes[lane], &expected.lanes[lane]);
            assert!(
                common::same_registers(got, expected),
                "lane {lane} of {}, seed {seed}: {got:x?}, not {expected:x?}",
                R::COUNT
            );
        }
    }
}

fn check(program: &Program<'_>) {
    program.validate().expect("what the macro makes is well formed");
    check_width::<[u32; 4]>(program);
    check_width::<[u32; 16]>(program);
    check_width::<[u32; 64]>(program);
}

#[test]
fn straight_code() {
    check(&STRAIGHT);
}

#[test]
fn branches() {
    check(&BRANCHES);
}

#[test]
fn what_reaches_beyond_rows() {
    check(&REACHING);
}

#[test]
fn widths_can_be_chosen() {
    let program = tgsi!(
        crate = ::gallium_tgsi;
        native(16);
        VERT DCL IN[0] DCL OUT[0], POSITION ADD OUT[0], IN[0], IN[0] END
    );
    let Native { lanes4, lanes16, lanes64, pixel, .. } = program.native;
    assert!(lanes4.is_none() && lanes16.is_some() && lanes64.is_none() && pixel.is_none());
    let results = run_batch::<[u32; 64]>(program, &inputs(3), Mask::MAX, &[], &mut NoResources);
    let again = run_batch::<[u32; 16]>(program, &inputs(3), 0xFFFF, &[], &mut NoResources);
    assert_eq!(results.lanes[..16], again.lanes[..]);
}

tgsi! {
    crate = ::gallium_tgsi;
    pixel;
    static PIXEL: FRAG
    DCL IN[0], GENERIC[0], PERSPECTIVE
    DCL IN[1], GENERIC[1], CONSTANT
    DCL OUT[0], COLOR
    DCL CONST[0..7]
    DCL TEMP[0..3]
    IMM[0] FLT32 {0.5, 2.0, -1.0, 3.0}
    IMM[1] INT32 {7, -3, 31, 1}
    MUL TEMP[3], CONST[2], CONST[3]
    MUL TEMP[0], IN[0], CONST[0]
    MAD TEMP[0], CONST[1], IN[0].yyyy, -TEMP[0]
    SIN TEMP[2].x, TEMP[0].xxxx
    EX2 TEMP[2].y, TEMP[0].yyyy
    POW TEMP[2].z, |TEMP[0].zzzz|, IMM[0].xxxx
    RSQ TEMP[2].w, |TEMP[0].wwww|
    LRP TEMP[1], TEMP[0], TEMP[2], TEMP[3]
    CMP TEMP[1].xyz, TEMP[0], TEMP[1], IMM[0]
    IDIV TEMP[2].x, IN[1].xxxx, IMM[1].yyyy
    I2F TEMP[2].x, TEMP[2].xxxx
    ADD TEMP[1].w, TEMP[1].wwww, TEMP[2].xxxx
    MOV_SAT OUT[0].xyz, TEMP[1]
    MOV OUT[0].w, TEMP[1].wwww
    END
}

#[test]
fn a_pixel_s_function_returns_what_lanes_do() {
    let pixel = PIXEL.native.pixel.expect("the macro made it");
    let constants = constant_buffer(&(0..32).map(|i| i as f32 * 0.37 - 3.0).collect::<Vec<_>>());
    let mut rows = vec![[0u32; 4]; PIXEL.rows.into()];
    prepare(&PIXEL, &mut rows, &[&constants]).unwrap();
    let rows: Vec<u32> = rows.iter().map(|lanes| lanes[0]).collect();
    for seed in 1..9 {
        let inputs = inputs(seed);
        let lanes =
            run_batch::<[u32; 64]>(&PIXEL, &inputs, Mask::MAX, &[&constants], &mut NoResources);
        for (input, expected) in inputs.iter().zip(&lanes.lanes) {
            let mut numbers = [0; 16];
            for (index, declared) in PIXEL.inputs.iter().enumerate() {
                numbers[4 * index..][..4].copy_from_slice(&input[declared.register as usize]);
            }
            let got = vec![pixel(&rows, &numbers)];
            assert!(common::same_registers(&got, expected), "{got:x?}, not {expected:x?}");
        }
    }
    assert_eq!(pixel(&[], &[0; 16]), [0; 4], "without its rows");
}

#[test]
fn loops_have_their_budget() {
    let program = tgsi!(
        crate = ::gallium_tgsi;
        native;
        VERT DCL IN[0] DCL OUT[0], POSITION BGNLOOP UIF IN[0].xxxx BRK ENDIF ENDLOOP MOV OUT[0], IN[0] END
    );
    let program = Program { loop_budget: 100, ..*program };
    let mut rows = vec![[0u32; 4]; program.rows.into()];
    prepare(&program, &mut rows, &[]).unwrap();
    let error = run(&program, &mut rows, 1, &[], &mut NoResources).unwrap_err();
    assert_eq!(error, ExecError::Budget { limit: 100 });
}

#[test]
fn a_file_that_is_too_small_is_an_error() {
    let mut rows = [[0u32; 4]; 1];
    let error = run(&STRAIGHT, &mut rows, 1, &[], &mut NoResources).unwrap_err();
    assert!(matches!(error, ExecError::Rows { given: 1, .. }));
}
